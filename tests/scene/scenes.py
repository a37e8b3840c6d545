"""scenes.py - what must hold of every picture (visual.md 17), asked of scenes: see src/chart/canvas_scene.c.

A check is a generator of complaints. Those of PLACE_CHECKS look at one light scene, whose dark twin differs in colours alone
(same_in_both_themes), those of COLOUR_CHECKS at each, those of RUN_CHECKS at all that was written of a run: a case has `scenes` by (picture, theme), `report` (report.json), `text` (report.txt), `names`, the long names that may be
shortened, and `lacking`, what the logs do not tell, as pictures call it.
"""

import functools
import json
import os
import re
from datetime import datetime

from font import Font

HERE = os.path.dirname(os.path.abspath(__file__))
FONTS = os.path.join(HERE, "..", "..", "src", "chart", "font")
DEJAVU = "/usr/share/fonts/truetype/dejavu"
FACES = {False: Font(os.path.join(FONTS, "NotoSans-Regular.ttf")), True: Font(os.path.join(FONTS, "NotoSans-Bold.ttf"))}  # bold?
LEFT, RIGHT, PLOT_LEFT, PLOT_RIGHT = 16, 684, 52, 588
LEAST_SIZE = 8.5
LEAST_GAP = 1.5       # u between two texts on one line: less reads as one word
MOST_BADGE_WIDTH = 26
BADGE_EDGE = 0.3
LEAST_CONTRAST = 4.5
MOST_GPU_ROWS = 64
CARD_HEIGHT = 900
GROUNDS = ("box", "cell", "polygon", "circle", "hatch")
PANELS = ("Busy, %", "Memory used, GiB", "Temperature, °C", "Power, W", "Power per GPU, W", "SM clock, MHz")


class Case:
    def __init__(self, scenes, report, text, names=(), lacking=None):
        self.scenes, self.report, self.text, self.names, self.lacking = scenes, report, text, names, lacking

    @staticmethod
    def read(folder, names=(), lacking=None):
        scenes = {}
        for file in sorted(os.listdir(folder)):
            stem, theme = os.path.splitext(os.path.splitext(file)[0])
            if theme:
                with open(os.path.join(folder, file), encoding="utf-8") as source:
                    scenes[stem, theme[1:]] = json.load(source)
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as source:
            report = json.load(source)
        with open(os.path.join(folder, "report.txt"), encoding="utf-8") as source:
            return Case(scenes, report, source.read(), names, lacking)


def texts_of(scene):
    return [m for m in scene["marks"] if m["mark"] == "text"]


def draw_with_dejavu():
    """The scenes are those of scene_dump_dejavu. In a wider font more is shortened: that it is, and touches nothing, is what is asked."""
    PLACE_CHECKS.remove(text_not_clipped)
    FACES.update({False: Font(os.path.join(DEJAVU, "DejaVuSans.ttf")), True: Font(os.path.join(DEJAVU, "DejaVuSans-Bold.ttf"))})


def font_of(text):
    return FACES[text["bold"]]


@functools.lru_cache(maxsize=4096)
def ink_at_0(bold, text, size):
    return FACES[bold].ink_of(text, size, 0, 0)


def ink_of(text):
    ink, (x, y) = ink_at_0(text["bold"], text["text"], text["size"]), text["at"]
    return ink and (ink[0] + x, ink[1] + y, ink[2] + x, ink[3] + y)


def words(text):
    """On one line, with plain blanks; digits in one group, as in report.txt."""
    return " ".join(text.replace("\u202f", "").split())


# ---- one page ----

def text_inside_the_page(scene, case):
    for t in texts_of(scene):
        ink = ink_of(t)
        if ink and (ink[0] < LEFT - 0.5 or ink[2] > RIGHT + 0.5 or ink[1] < 0 or ink[3] > scene["height"]):
            yield f"'{t['text']}' ({t['part']}) lies outside: {', '.join(f'{v:.1f}' for v in ink)}"


def marks_inside_the_page(scene, case):
    for m in scene["marks"]:
        left, top, right, bottom = bounds_of(m)
        if left < -0.1 or top < -0.1 or right > scene["width"] + 0.1 or bottom > scene["height"] + 0.1:
            yield f"a {m['mark']} of '{m['part']}' lies outside: {left:.1f} {top:.1f} {right:.1f} {bottom:.1f} of {scene['height']}"


def text_large_enough(scene, case):
    for t in texts_of(scene):
        if t["size"] < LEAST_SIZE:
            yield f"'{t['text']}' ({t['part']}) is {t['size']} u large"


def text_apart(scene, case):
    inks = sorted(((ink, t) for t in texts_of(scene) for ink in [ink_of(t)] if ink), key=lambda pair: pair[0][1])
    for i, (a, first) in enumerate(inks):
        for b, second in inks[i + 1:]:
            if b[1] >= a[3]:
                break
            if a[0] < b[2] + LEAST_GAP and b[0] < a[2] + LEAST_GAP:
                yield f"'{first['text']}' ({first['part']}) touches '{second['text']}' ({second['part']}) at y {b[1]:.1f}"


def badges_of(scene):
    """Shapes with a number in them: the number, and the bounds of both."""
    for shape, t in zip(scene["marks"], scene["marks"][1:]):
        if shape["mark"] in ("circle", "box", "polygon") and t["mark"] == "text" and t["text"].isdigit() and t["bold"] and t["size"] == 9:
            left, top, right, bottom = bounds_of(shape)
            ink = ink_of(t)
            if right - left < MOST_BADGE_WIDTH and left <= ink[0] and ink[2] <= right:
                yield t, (left, top, right, bottom)


def badges_apart(scene, case):
    """Nothing is written on a badge but its number, and badges do not overlap."""
    badges = list(badges_of(scene))
    for i, (t, (left, top, right, bottom)) in enumerate(badges):
        others = [(o, ink_of(o)) for o in texts_of(scene) if o is not t] + [(o, bounds) for o, bounds in badges[i + 1:]]
        for o, b in others:
            if b and left < b[2] - BADGE_EDGE and b[0] < right - BADGE_EDGE and top < b[3] - BADGE_EDGE and b[1] < bottom - BADGE_EDGE:
                yield f"badge {t['text']} ({t['part']}) lies on '{o['text']}' at {left:.1f}, {top:.1f}"


def text_in_the_font(scene, case):
    for t in texts_of(scene):
        lacking = [c for c in t["text"] if not all(face.has(c) for face in FACES.values())]
        if lacking or t["replaced"]:
            yield f"'{t['text']}' ({t['part']}): {''.join(lacking) or t['replaced']} not in the font"


def text_as_wide_as_measured(scene, case):
    for t in texts_of(scene):
        width = font_of(t).width(t["text"], t["size"])
        if abs(width - t["width"]) > 0.02 + 0.001 * width:
            yield f"'{t['text']}' is {width:.2f} u wide, not {t['width']}"


def text_not_clipped(scene, case):
    """Only names that people gave may be shortened: what stands around the ellipsis is of such a name.

    And the third line of a verdict on more GPUs than have rows of their own (visual.md 11): findings below it and report.txt say all."""
    for t in texts_of(scene):
        head, cut, tail = t["text"].partition("…")
        is_long_verdict = t["part"] == "verdict" and not tail and len(case.report["run"]["gpus"]) > MOST_GPU_ROWS
        if cut and not is_long_verdict and not any(is_cut_name(head, tail, name) for name in case.names):
            yield f"'{t['text']}' ({t['part']}) is cut"


def is_cut_name(head, tail, name):
    """Is the name's last word before the ellipsis, or its first one after it, and nothing else?"""
    before, after = head.split(" · ")[-1].split()[-1:], tail.split(" · ")[0].split()[:1]
    parts = before + after
    return max((len(part) for part in parts), default=0) >= 3 and all(part.strip("(,/") in name for part in parts)


# ---- what lies below what ----

def bounds_of(m):
    if "box" in m:
        x, y, w, h = m["box"]
        return x, y, x + w, y + h
    if "points" in m:
        xs, ys = [p[0] for p in m["points"]], [p[1] for p in m["points"]]
        return min(xs), min(ys), max(xs), max(ys)
    if "centre" in m:
        (x, y), r = m["centre"], m["radius"]
        return x - r, y - r, x + r, y + r
    x, y = m["at"]
    return x, y - m["size"], x + m["width"], y


def covers(m, x, y):
    left, top, right, bottom = bounds_of(m)
    if m["mark"] == "circle":
        return (x - m["centre"][0]) ** 2 + (y - m["centre"][1]) ** 2 <= m["radius"] ** 2
    if not (left <= x <= right and top <= y <= bottom):
        return False
    return m["mark"] != "polygon" or in_polygon(m["points"], x, y)


def in_polygon(points, x, y):
    inside = False
    for (x0, y0), (x1, y1) in zip(points, points[-1:] + points[:-1]):
        if (y0 > y) != (y1 > y) and x < (x1 - x0) * (y - y0) / (y1 - y0) + x0:
            inside = not inside
    return inside


def rgb(text):
    return tuple(int(text[i:i + 2], 16) for i in (1, 3, 5))


def over(top, alpha, below):
    return tuple(a * alpha + b * (1 - alpha) for a, b in zip(top, below))


def luminance(colour):
    """WCAG 2.1."""
    parts = [c / 255 for c in colour]
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    x, y = luminance(a), luminance(b)
    return (max(x, y) + 0.05) / (min(x, y) + 0.05)


BAND = 10  # u: marks are kept by bands of the page in which they lie


def grounds_by_band(scene, inks):
    """Of the bands in which there is a text."""
    bands = {int((ink[1] + ink[3]) / 2 // BAND): [] for ink in inks}
    for at, m in enumerate(scene["marks"]):
        if m["mark"] in GROUNDS:
            _, top, _, bottom = bounds_of(m)
            for band in range(int(top // BAND), int(bottom // BAND) + 1):
                if band in bands:
                    bands[band].append((at, m))
    return bands


def colour_below(bands, before, x, y):
    colour = (255, 0, 255)  # of nothing: nobody's colour
    for at, m in bands.get(int(y // BAND), ()):
        if at >= before:
            break
        if covers(m, x, y):
            if m["mark"] == "hatch":
                colour = over(rgb(m["ground"]), m["ground_alpha"], colour)
            else:
                colour = over(rgb(m["colour"]), m["alpha"], colour)
    return colour


def text_stands_out(scene, case):
    texts = [(at, t, ink) for at, t in enumerate(scene["marks"]) if t["mark"] == "text" for ink in [ink_of(t)] if ink]
    bands, page = grounds_by_band(scene, [ink for _, _, ink in texts]), rgb(scene["colours"]["PAGE"])
    for at, t, ink in texts:
        worst = min(contrast(rgb(t["colour"]), over(page, 0.88 if t["halo"] else 0, colour_below(bands, at, x, y)))
                    for x in (ink[0], (ink[0] + ink[2]) / 2, ink[2]) for y in ((ink[1] + ink[3]) / 2,))
        if worst < LEAST_CONTRAST:
            yield f"'{t['text']}' ({t['part']}) has a contrast of {worst:.2f}"


def crosses(a, b, box):
    """Does the line from a to b pass through the box? By cutting it at the four sides."""
    t0, t1 = 0.0, 1.0
    for k in (0, 1):
        d = b[k] - a[k]
        if d == 0:
            if not box[k] < a[k] < box[k + 2]:
                return False
            continue
        enter, leave = sorted(((box[k] - a[k]) / d, (box[k + 2] - a[k]) / d))
        t0, t1 = max(t0, enter), min(t1, leave)
    return t0 < t1


def text_beside_lines(scene, case):
    """No line runs through a text that has no halo; lines within a badge's or a panel's own ground excepted."""
    texts = [(t, ink_of(t)) for t in texts_of(scene) if not t["halo"]]
    for m in scene["marks"]:
        if m["mark"] not in ("rule", "polyline"):
            continue
        left, top, right, bottom = bounds_of(m)
        for t, ink in texts:
            if ink and ink[0] < right + 0.1 and ink[2] > left - 0.1 and ink[1] < bottom + 0.1 and ink[3] > top - 0.1:
                if any(crosses(a, b, ink) for a, b in zip(m["points"], m["points"][1:])):
                    yield f"a {m['mark']} of '{m['part']}' runs through '{t['text']}' ({t['part']})"


def percent_from_0_to_100(scene, case):
    marks = [m for m in scene["marks"] if m["part"] == "Busy, %"]
    labels = {t["text"]: t["at"][1] for t in marks if t["mark"] == "text" and t["at"][0] < PLOT_LEFT}
    levels = [m["points"][0][1] for m in marks if m["mark"] == "rule" and m["points"][0][1] == m["points"][1][1]
              and m["points"][0][0] == PLOT_LEFT]
    if not marks:
        return
    if "0" not in labels or "100" not in labels:
        yield f"the axis of busy has {', '.join(labels)}"
    elif abs(labels["0"] - labels["100"] - (max(levels) - min(levels))) > 0.1:
        yield "0 and 100 are not the ends of the axis of busy"


def card_of_900(scene, case):
    if scene["file"] == "card.png" and scene["height"] > CARD_HEIGHT:
        yield f"the card is {scene['height']} u high"


PLACE_CHECKS = [text_inside_the_page, marks_inside_the_page, text_large_enough, text_apart, badges_apart, text_in_the_font, text_as_wide_as_measured,
                text_not_clipped, text_beside_lines, percent_from_0_to_100, card_of_900]
COLOUR_CHECKS = [text_stands_out]


# ---- all of a run ----

def time_of(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def holes_of(case):
    """Where no log of a GPU has a row, in u; only where one log tells of all GPUs, whose holes are then those of the panels."""
    logs = [s for s in case.report["sources"] if s["format"].startswith("nvidia-smi")]
    if len(logs) != 1:
        return []
    begin, end = (time_of(case.report["run"][key]) for key in ("begin", "end"))
    scale = (PLOT_RIGHT - PLOT_LEFT) / (end - begin)
    return [tuple(PLOT_LEFT + (time_of(hole[key]) - begin) * scale for key in ("begin", "end")) for hole in logs[0]["holes"]]


def holes_empty(case):
    holes = [(a, b) for a, b in holes_of(case) if b - a > 2]
    for (file, theme), scene in case.scenes.items():
        for a, b in holes if theme == "light" else ():
            yield from (f"{file}: {complaint}" for complaint in hole_complaints(scene, a, b))


def hole_complaints(scene, a, b):
    inside = (a + 0.5, -1e9, b - 0.5, 1e9)
    for panel in PANELS:
        marks = [m for m in scene["marks"] if m["part"] == panel]
        hatched = [m["box"] for m in marks if m["mark"] == "hatch"]
        if marks and not any(x < a + 0.5 and x + w > b - 0.5 for x, _, w, _ in hatched):
            yield f"the hole {a:.1f}-{b:.1f} is not hatched in '{panel}'"
        for m in curves_of_gpus(scene, marks):
            closed = m["points"][:1] if m["mark"] == "polygon" else []
            if any(crosses(p, q, inside) for p, q in zip(m["points"], m["points"][1:] + closed)):
                yield f"a {m['mark']} of '{panel}' enters the hole {a:.1f}-{b:.1f}"


def curves_of_gpus(scene, marks):
    """Bands and lines but for the CPU's, whose log goes on; what has the colour of the page is a line's casing."""
    others = (scene["colours"]["CPU"], scene["colours"]["PAGE"])
    return [m for m in marks if m["mark"] in ("polyline", "polygon") and m["colour"] not in others]


def bar_of(scene):
    """The segments of the bar of GPU time, from the left."""
    return [m["box"] for m in scene["marks"] if m["part"] == "ledger" and m["mark"] in ("box", "hatch") and m["box"][3] == 18]


WITH_LEDGER = ("card", "timeline")


def bar_adds_up(case):
    ledger = case.report["ledger"]
    total = sum(row["gpu_hours"] for row in ledger)
    if not ledger or not total:
        return
    if abs(total - case.report["verdict"]["gpu_hours"]) > min(0.05, 0.001 * total):
        yield f"the ledger adds up to {total}, the run has {case.report['verdict']['gpu_hours']} GPU-hours"
    for key, scene in case.scenes.items():
        if key[0] not in WITH_LEDGER:
            continue
        bar = bar_of(scene)
        if len(bar) != len(ledger):
            yield f"{key}: {len(bar)} segments for {len(ledger)} rows of the ledger"
            continue
        x = LEFT
        for row, box in zip(ledger, bar):
            width = (RIGHT - LEFT) * row["gpu_hours"] / total
            if abs(box[0] - x) > 0.1 or abs(box[2] - width) > 1.1:
                yield f"{key}: {row['class']} is {box[2]:.1f} u wide at {box[0]:.1f}, not {width:.1f} at {x:.1f}"
            x += width


COLOURS = dict.fromkeys(("colour", "alpha", "ground", "ground_alpha"))


def same_in_both_themes(case):
    """The same marks at the same places, and other colours: what holds of places in the light holds in the dark."""
    for (file, theme), scene in case.scenes.items():
        other = case.scenes.get((file, "dark"))
        if theme != "light" or not other:
            continue
        pairs = list(zip(scene["marks"], other["marks"]))
        differing = next((a for a, b in pairs if a | COLOURS != b | COLOURS), None)
        if scene["height"] != other["height"] or len(scene["marks"]) != len(other["marks"]) or differing:
            yield f"{file}: light and dark say different things, or elsewhere: {differing or 'one has more'}"


def part_of(scene, part):
    return [t for t in texts_of(scene) if t["part"] == part]


def card_of(case):
    return case.scenes.get(("card", "light"))


def section(text, title):
    """The lines of report.txt below a heading, up to the next."""
    found = re.search(rf"^{title}.*?-+\n(.*?)(?=^[A-Z][A-Za-z ,]*-{{3,}}$|\Z)", text, re.M | re.S)
    return found.group(1) if found else ""


def verdict_is_the_same(case):
    card, sentence = card_of(case), words(case.report["verdict"]["sentence"])
    drawn = words(" ".join(t["text"] for t in part_of(card, "verdict") if t["size"] > 15)) if card else sentence
    if drawn != sentence and not (drawn.endswith("…") and sentence.startswith(drawn[:-2].rstrip())):
        yield f"the card says '{drawn}', report.json '{sentence}'"
    said = re.search(r"^VERDICT +(.*?)(?=^ +1\. |^$)", case.text, re.M | re.S)
    plain = plain_text(sentence)
    if not said or words(said.group(1)) != plain:
        yield f"report.txt says '{words(said.group(1)) if said else ''}', report.json '{plain}'"


def numbers_of_time_are_the_same(case):
    """What each class of GPU time took: words and numbers of the card and of report.txt."""
    card = card_of(case)
    rows = re.findall(r"^  (?:\[(\d+)\] )?(.*?)  +(\S+) +(\S+) %", section(case.text, "WHERE THE"), re.M)
    if not card or not rows:
        return
    drawn = [words(t["text"]) for t in part_of(card, "ledger")]
    hours_drawn = [text.split(" ", 1)[0] for text in drawn]
    left_out = [f"{hours} for '{label}'" for _, label, hours, _ in rows if hours not in hours_drawn]
    more = [int(text.split()[1]) for text in drawn if re.fullmatch(r"\+ \d+ more in the text report", text)]
    if len(left_out) > sum(more):
        yield f"report.txt gives {' and '.join(left_out)}, the card has {', '.join(hours_drawn)}"


def findings_are_the_same(case):
    """Badges, titles and costs: card, report.txt, report.json."""
    card = card_of(case)
    of_json = [(f["number"], words(f["title"])) for f in case.report["findings"]]
    told = re.findall(r"^\[(\d+)\] +(?:CRITICAL|WARNING|NOTE) +(.*?)(?=\n    what)", case.text, re.M | re.S)
    for number, head in told:
        title = dict(of_json).get(int(number))
        if not title or plain_text(title)[:30] not in words(head):
            yield f"finding {number} is '{words(head)}' in report.txt, '{title}' in report.json"
    if card:
        yield from card_findings(card, dict(of_json), dict((int(n), words(head)) for n, head in told))


def plain_text(text):
    return text.replace("–", "-").replace("×", "x").replace("’", "'")


def card_findings(card, of_json, told):
    """A badge's number, then the cost at the right edge where there is one, then the title on its lines."""
    marks = part_of(card, "findings")
    badges = [i for i, t in enumerate(marks) if t["text"].isdigit() and t["size"] == 9]
    for begin, end in zip(badges, badges[1:] + [len(marks)]):
        n, bold = int(marks[begin]["text"]), [t for t in marks[begin + 1:end] if t["bold"]]
        left = min(t["at"][0] for t in bold)
        drawn = words(" ".join(t["text"] for t in bold if t["at"][0] == left))
        if n not in of_json:
            yield f"the card has a finding {n} that report.json lacks"
        elif drawn != of_json[n] and not ("…" in drawn and of_json[n].startswith(drawn.split("…")[0].rstrip())):
            yield f"finding {n} is '{drawn}' on the card, '{of_json[n]}' in report.json"
        for cost in (words(t["text"]) for t in bold if t["at"][0] != left):
            if n in told and plain_text(cost) not in told[n]:
                yield f"finding {n} costs '{cost}' on the card; report.txt: '{told[n]}'"


LONG_NAME = re.compile(r"  (Input|Command)? +\S+")  # names of files stay whole, so that they can be copied


def text_in_80_columns(case):
    for number, line in enumerate(case.text.split("\n"), 1):
        if len(line) > 80 and not LONG_NAME.fullmatch(line) or not all(" " <= c <= "~" for c in line):
            yield f"report.txt:{number}: {len(line)} columns, or no ASCII: {line!r}"


def lacking_is_said(case):
    """The footer of every picture, and report.txt, but for one that tells of a healthy run in brief."""
    for (file, theme), scene in case.scenes.items():
        said = words(" ".join(t["text"] for t in part_of(scene, "footer")))
        if case.lacking and theme == "light" and case.lacking not in said.partition("so not judged:")[2]:
            yield f"{file}: nobody says that {case.lacking} is not in the log, but: {said}"
    quality = words(section(case.text, "DATA QUALITY"))
    if case.lacking and "Left out" not in quality and case.lacking not in quality:
        yield f"report.txt does not say that {case.lacking} was not logged"


RUN_CHECKS = [text_in_80_columns, lacking_is_said, holes_empty, bar_adds_up, same_in_both_themes, verdict_is_the_same, numbers_of_time_are_the_same, findings_are_the_same]


def complaints_of(case):
    """Pairs of the check's name and what it found."""
    for (file, theme), scene in case.scenes.items():
        for check in COLOUR_CHECKS + (PLACE_CHECKS if theme == "light" else []):
            for complaint in check(scene, case):
                yield check.__name__, f"{file}.{theme}: {complaint}"
    for check in RUN_CHECKS:
        for complaint in check(case):
            yield check.__name__, complaint
