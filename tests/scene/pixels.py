#!/usr/bin/env python3
"""pixels.py - what must be seen, asked of the pixels of PNG files: holes, fixed axes, one dip in weeks, one idle GPU of many.

    tests/scene/pixels.py PROGRAM SCENE_DUMP [--selftest]

Where to look is taken from the scene of the same picture: scenes.py has made sure that it is right. What is seen there is asked of
pixels alone, also as grey. The last line is "N passed, N failed".
"""

import os
import subprocess
import sys
import tempfile
import zlib
from datetime import timedelta

import logs
import scenes
from pictures import PLAIN, Wrong, chunks_of, files_of, require, tell, verdicts_of

SCALE = 2
LINES = {"Busy, %": "GPU", "Memory used, GiB": "MEMORY", "Temperature, °C": "TEMPERATURE", "Power per GPU, W": "POWER", "SM clock, MHz": "CLOCK"}
NEAR = 40              # of two colours, by the sum of their channels' differences
LEAST_GREY = 10        # of 255 between what is there and what is beside it: seen by those who look
LEAST_GREY_OF_A_ROW = 60


# ---- pixels ----

class Image:
    def __init__(self, png):
        chunks = chunks_of(png)
        parts = dict(chunks)
        self.width, self.height = (int.from_bytes(parts["IHDR"][i:i + 4], "big") for i in (0, 4))
        data = zlib.decompress(b"".join(body for kind, body in chunks if kind == "IDAT"))
        self.palette, self.size = parts.get("PLTE"), 1 if "PLTE" in parts else 3
        step = 1 + self.width * self.size
        self.rows = [bytearray(data[y * step + 1:(y + 1) * step]) for y in range(self.height)]

    def at(self, x, y):
        here = self.rows[y][x * self.size:(x + 1) * self.size]
        return tuple(self.palette[3 * here[0]:3 * here[0] + 3] if self.palette else here)

    def put(self, x, y, other):
        """The pixel becomes what another one is."""
        self.rows[y][x * self.size:(x + 1) * self.size] = self.rows[other[1]][other[0] * self.size:(other[0] + 1) * self.size]


def apart(a, b):
    return sum(abs(x - y) for x, y in zip(a, b))


def grey(colour):
    """Rec. 601: what a printer makes of it."""
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


class Drawn:
    """The pictures of a run: pixels by (picture, theme) when asked for, and its case of scenes."""

    def __init__(self, program, dump, run, room):
        self.pngs = {}
        os.makedirs(os.path.join(room, "scenes"))
        done = subprocess.run([dump, os.path.join(room, "scenes"), run], env={"HOME": "/nonexistent"}, capture_output=True, text=True)
        require(done.returncode == 0, done.stderr)
        self.case = scenes.Case.read(os.path.join(room, "scenes"))
        for theme in ("light", "dark"):
            out = os.path.join(room, theme)
            done = subprocess.run([program, "report", run, "-o", out, "-q", "--theme", theme], env=PLAIN, capture_output=True, text=True)
            require(done.returncode == 0, done.stderr)
            self.pngs.update({(os.path.splitext(name)[0], theme): png for name, png in files_of(out).items() if name.endswith(".png")})

    def images(self):
        for key, png in self.pngs.items():
            yield key, Image(png), self.case.scenes[key]


def write_log(path, step, rows):
    """Of GPU busy alone: a list of busy values a row."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("timestamp, index, utilization.gpu [%]\n")
        for i, row in enumerate(rows):
            stamp = (logs.BEGIN + timedelta(seconds=step * i)).strftime("%Y/%m/%d %H:%M:%S.000")
            out.writelines(f"{stamp}, {gpu}, {busy} %\n" for gpu, busy in enumerate(row))


# ---- what must be seen ----

def rows_of_limits(scene, part):
    """Dashed lines of limits have the colour of what they limit, and go on through holes."""
    levels = [m["points"][0][1] * SCALE for m in scene["marks"] if m["mark"] == "rule" and m["dashed"] and m["part"] == part]
    return {y for level in levels for y in range(round(level) - 2, round(level) + 3)}


def holes_without_lines(image, scene):
    """No pixel of a log's line inside of its hole, but for two at each edge."""
    n = 0
    for m in scene["marks"]:
        if m["mark"] != "hatch" or m["part"] not in LINES or m["box"][2] < 4:
            continue
        line = scenes.rgb(scene["colours"][LINES[m["part"]]])
        x, y, w, h = (round(v * SCALE) for v in m["box"])
        n += 1
        for py in sorted(set(range(y, y + h)) - rows_of_limits(scene, m["part"])):
            for px in range(x + 2, x + w - 2):
                require(apart(image.at(px, py), line) > NEAR, f"a line of '{m['part']}' in its hole at {px},{py}: {image.at(px, py)}")
    return n


def percent_levels(scene, part):
    """y of 0 and of 100."""
    labels = {t["text"]: t["at"][1] - 3.1 for t in scenes.part_of(scene, part) if t["at"][0] < scenes.PLOT_LEFT}
    require("0" in labels and "100" in labels, f"the axis of '{part}' has {', '.join(labels)}")
    return labels["0"], labels["100"]


def line_rows(image, colour, x, top, bottom):
    """First and last row of pixels that have the line's own colour."""
    rows = [y for y in range(round(top * SCALE) - 4, round(bottom * SCALE) + 5) if image.at(x, y) == colour]
    require(rows, f"no line at x {x}")
    return rows[0], rows[-1]


def level_is_where_it_belongs(image, scene, part, value):
    """A value that never changes is a level line: its middle lies where 0 and 100 put it."""
    zero, top = percent_levels(scene, part)
    line = scenes.rgb(scene["colours"]["GPU"])
    expected = (zero + (top - zero) * value / 100) * SCALE
    for x in (400, 641, 900):
        first, last = line_rows(image, line, x, top, zero)
        middle = (first + last + 1) / 2
        require(abs(middle - expected) <= 1, f"{value} % lies at {middle} in '{part}', not at {expected:.1f}")


def dip_is_seen(image, scene, share):
    """Half way down to the dip: a column that is darker than the page beside it."""
    zero, top = percent_levels(scene, "Busy, %")
    middle = round((scenes.PLOT_LEFT + share * (scenes.PLOT_RIGHT - scenes.PLOT_LEFT)) * SCALE)
    y = round((zero + top) / 2 * SCALE) + 5  # beside the grid's line
    near, far = ([image.at(x, y) for x in range(middle + d - 4, middle + d + 5)] for d in (0, -30))
    seen = max(abs(grey(colour) - grey(far[0])) for colour in near)
    require(seen >= LEAST_GREY, f"the dip stands out by {seen:.1f} of 255")


def map_rows(scene):
    """Upper edges of the rows of the map of busy, from the top, and how high they are."""
    cells = [m["box"] for m in scene["marks"] if m["mark"] == "cell" and m["part"].startswith("Busy") and m["box"][0] < scenes.PLOT_RIGHT]
    return sorted({box[1] for box in cells}), cells[0][3]


def idle_gpu_is_seen(image, scene, gpu):
    tops, height = map_rows(scene)
    require(len(tops) == 64, f"{len(tops)} rows for 64 GPUs")
    for x in (300, 700, 1000):
        here, above, below = (grey(image.at(x, round((tops[row] + height / 2) * SCALE))) for row in (gpu, gpu - 1, gpu + 1))
        require(min(abs(here - above), abs(here - below)) >= LEAST_GREY_OF_A_ROW, f"GPU {gpu} has the grey {here:.0f} between {above:.0f} and {below:.0f}")


# ---- runs ----

def run_with_hole(program, dump, room):
    return Drawn(program, dump, logs.write_run(room, 8, logs.LENGTHS["2h"], logs.SHORT, None), room)


def holes(program, dump, room):
    n = sum(holes_without_lines(image, scene) for _, image, scene in run_with_hole(program, dump, room).images())
    require(n > 10, f"{n} holes were looked at")


def run_at(program, dump, room, rows):
    log = os.path.join(room, "gpu.csv")
    write_log(log, 5, rows)
    return Drawn(program, dump, log, room)


def percent_axes(program, dump, room):
    """The samples of one GPU are all 98; those of three are 97, 98 and 99."""
    for n, row in enumerate(([98], [97, 98, 99])):
        folder = os.path.join(room, str(n))
        os.mkdir(folder)
        for (name, _), image, scene in run_at(program, dump, folder, [row] * 400).images():
            if name in ("card", "timeline"):
                level_is_where_it_belongs(image, scene, "Busy, %", 98)


DIP, DAYS = 0.437, 16


def run_with_dip(program, dump, room, n_gpus):
    n = DAYS * 86400 // 30
    log = os.path.join(room, "gpu.csv")
    write_log(log, 30, [[0 if i == int(DIP * n) else 97] * n_gpus for i in range(n)])
    return Drawn(program, dump, log, room)


def one_dip_in_16_days(program, dump, room):
    """Of one GPU, of a few at once, and of as many as have a band of most of them."""
    for n_gpus in (1, 4, 20):
        folder = os.path.join(room, str(n_gpus))
        os.mkdir(folder)
        drawn = run_with_dip(program, dump, folder, n_gpus)
        for theme in ("light", "dark"):
            for name in ("card", "timeline") if n_gpus <= 16 else ("timeline",):
                dip_is_seen(Image(drawn.pngs[name, theme]), drawn.case.scenes[name, theme], DIP)


IDLE = 37


def run_with_idle(program, dump, room):
    return run_at(program, dump, room, [[0 if gpu == IDLE else 97 for gpu in range(64)]] * 240)


def one_idle_gpu_of_64(program, dump, room):
    for (name, _), image, scene in run_with_idle(program, dump, room).images():
        if name in ("card", "timeline", "heatmap"):
            idle_gpu_is_seen(image, scene, IDLE)


CHECKS = [holes, percent_axes, one_dip_in_16_days, one_idle_gpu_of_64]


# ---- would they see a fault? ----

def painted(image, scene, part, hue):
    """A stroke of the line's colour through the hole."""
    box = next(m["box"] for m in scene["marks"] if m["mark"] == "hatch" and m["part"] == part)
    x, y, w, h = (round(v * SCALE) for v in box)
    colour = scenes.rgb(scene["colours"][hue])
    source = next((px, py) for py in range(y, y + h) for px in range(110, image.width - 200) if image.at(px, py) == colour)
    for px in range(x, x + w):
        image.put(px, y + h // 2, source)


def faults(program, dump, room):
    holed = os.path.join(room, "holed")
    drawn = run_with_hole(program, dump, holed)
    for part, hue in (("Busy, %", "GPU"), ("SM clock, MHz", "CLOCK")):
        image, scene = Image(drawn.pngs["timeline", "light"]), drawn.case.scenes["timeline", "light"]
        painted(image, scene, part, hue)
        yield f"a line of '{part}' in a hole", lambda: holes_without_lines(image, scene)
    level = os.path.join(room, "level")
    os.mkdir(level)
    image, scene = next((image, scene) for (name, _), image, scene in run_at(program, dump, level, [[98]] * 400).images() if name == "card")
    yield "an axis that ends elsewhere", lambda: level_is_where_it_belongs(image, scene, "Busy, %", 94)
    yield "no dip", lambda: dip_is_seen(image, scene, DIP)
    busy = os.path.join(room, "busy")
    os.mkdir(busy)
    image64, scene64 = next((image, scene) for (name, _), image, scene in run_with_idle(program, dump, busy).images() if name == "card")
    yield "a GPU that is not idle", lambda: idle_gpu_is_seen(image64, scene64, IDLE - 5)


def selftest(program, dump):
    with tempfile.TemporaryDirectory() as room:
        for name, look in faults(program, dump, room):
            try:
                look()
                yield name, "the fault is not seen"
            except Wrong:
                yield name, None


def verdicts(program, dump):
    for check in CHECKS:
        with tempfile.TemporaryDirectory() as room:
            yield from verdicts_of([check], program, dump, room)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--selftest"]):
        print(__doc__)
        return 2
    look = selftest if len(sys.argv) == 4 else verdicts
    return tell(look(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])))


if __name__ == "__main__":
    sys.exit(main())
