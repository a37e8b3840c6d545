#!/usr/bin/env python3
"""growth.py - how time and memory grow with rows, GPUs, rules and pictures.

    growth.py BUILD_FOLDER [--bytes N] [--rounds N] [--day]     `make bench-growth`

Time is the processor's, all threads together, the least of all rounds; sizes take turns, so that a busy machine slows all alike. The
exponent is that of the power law through the points: 1 is linear, 0 is constant; beside it that of the last step, in which what a run
costs without any row weighs least. Memory is the peak of the process, whose first 10 to 20 MB are there without any row as well.

With --day more and more GPUs are logged for a day each, which a bar is of: of 512 that is 9.4 GB, and takes two minutes.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

from measuring import MB, Bench, CannotMeasure, exponent, plain, table

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
ROWS = (1, 2, 4, 8)
GPUS = (1, 8, 64, 512)
GPUS_OF_A_DAY = (8, 64, 512)
COPIES = (1, 2, 4)
PICTURES = ("card.png", "timeline.png", "thermal.png", "memory.png")
DAY_BYTES = 146500000  # of 8 GPUs 86,400 rows each, which is what bars are of
WORKS = ("pauses", "bursts", "requests")
MANY_GPUS_BAR, PICTURE_MS_BAR, PICTURE_KB_BAR, RRDTOOL_BAR = 1.3, 8, 80, 10
MEMORY_PART, MEMORY_MB = 0.1, 48


class Point:
    """One command at one size."""

    def __init__(self, size, argv):
        self.size, self.argv = size, argv
        self.cpu, self.peak = float("inf"), 0

    def measure(self, bench):
        took = bench.measure(self.argv, len(bench.cpus))
        self.cpu, self.peak = min(self.cpu, took.cpu), max(self.peak, took.peak)


def cells_of(point, first):
    return ["%s s" % plain(point.cpu), plain(point.cpu / first.cpu), plain(point.peak / MB), plain(point.peak / first.peak)]


class Series:
    """One command at growing sizes."""

    def __init__(self, title, unit, points):
        self.title, self.unit, self.points = title, unit, points

    def measure(self, bench, rounds):
        print("%s …" % self.title, file=sys.stderr, flush=True)
        for _ in range(rounds):
            for point in self.points:
                point.measure(bench)

    def exponents(self, of):
        sizes, costs = [point.size for point in self.points], [of(point) for point in self.points]
        return "%.2f, %.2f" % (exponent(sizes, costs), exponent(sizes[-2:], costs[-2:]))

    def rows(self):
        first = self.points[0]
        for i, point in enumerate(self.points):
            yield [self.title if i == 0 else "", "%s: %d" % (self.unit, point.size), *cells_of(point, first)]
        of_cpu, of_peak = self.exponents(lambda point: point.cpu), self.exponents(lambda point: point.peak)
        yield ["", "exponent: all, last", "", of_cpu, "", of_peak]


def n_rows(path):
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b"")) - 1


def commands(bench, log):
    program = os.path.join(bench.build, "postrun")
    return {
        "inspect": [program, "inspect", log],
        "report": [program, "report", log],
        "report -o": [program, "report", log, "-q", "-o", bench.place("out")],
    }


def of_rows(bench, n_bytes):
    logs = [bench.generate("rows%d.csv" % times, n_bytes * times) for times in ROWS]
    counts = [n_rows(log) for log in logs]
    return [Series(what, "rows", [Point(n, commands(bench, log)[what]) for n, log in zip(counts, logs)])
            for what in ("inspect", "report", "report -o")]


def of_works(bench, n_bytes):
    """Work that is less even than that of a job: more is to be looked at, and more to be kept."""
    for work in WORKS:
        logs = [bench.generate("%s%d.csv" % (work, times), n_bytes * times, work=work) for times in ROWS]
        yield Series(work, "rows", [Point(n_rows(log), commands(bench, log)["report"]) for log in logs])


def of_folders(bench, n_bytes):
    """What most people have: a log of the GPUs, and one of their host beside it."""
    points = []
    for times in ROWS:
        folder = "folder%d" % times
        os.makedirs(bench.place(folder), exist_ok=True)
        log = bench.generate(os.path.join(folder, "gpu.csv"), n_bytes * times)
        bench.generate(os.path.join(folder, "vmstat.txt"), n_bytes * times, work="vmstat")
        points.append(Point(n_rows(log), commands(bench, bench.place(folder))["report"]))
    return [Series("gpu, vmstat beside it", "rows", points)]


def of_gpus(bench, n_bytes):
    """As many rows in all, of more and more GPUs."""
    logs = [bench.generate("gpus%d.csv" % gpus, n_bytes, gpus) for gpus in GPUS]
    return [Series(what, "GPUs", [Point(gpus, commands(bench, log)[what]) for gpus, log in zip(GPUS, logs)])
            for what in ("inspect", "report")]


def of_a_day(bench):
    """More and more GPUs, each of them for a day: text, JSON, card and time line."""
    logs = [bench.generate("day%d.csv" % gpus, DAY_BYTES // 8 * gpus, gpus) for gpus in GPUS_OF_A_DAY]
    argv = [bench.program("report_parts"), "-o", bench.place("parts")]
    return Series("report", "GPUs", [Point(gpus, [*argv, log, *PICTURES[:2]]) for gpus, log in zip(GPUS_OF_A_DAY, logs)])


def tell_day(series):
    first, last = series.points[0], series.points[-1]
    print("report of %d GPUs, CPU per row of that of %d, at most %.1f: %s\n" % (
        last.size, first.size, MANY_GPUS_BAR, verdict(last.cpu / last.size / (first.cpu / first.size), MANY_GPUS_BAR)))


def copy_rules(bench, copies):
    """A folder with all shipped rules so many times more, each time by other names."""
    folder = bench.place("copies%d" % copies)
    os.makedirs(folder, exist_ok=True)
    for path in glob.glob(os.path.join(ROOT, "rules", "*.yaml")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        name = os.path.basename(path)[:-len(".yaml")]
        for copy in range(1, copies):
            with open(os.path.join(folder, "%s-copy%d.yaml" % (name, copy)), "w", encoding="utf-8") as file:
                file.write(re.sub(r"(?m)^id: .*$", "id: %s-copy%d" % (name, copy), text))
    return folder


def of_rules(bench, n_bytes):
    log = bench.generate("rules.csv", n_bytes)
    n = len(glob.glob(os.path.join(ROOT, "rules", "*.yaml")))
    more = {copies: ["--rules", copy_rules(bench, copies)] if copies > 1 else [] for copies in COPIES}
    return [Series("report", "rules", [Point(n * copies, [*commands(bench, log)["report"], *more[copies]]) for copies in COPIES])]


def of_pictures(bench, log):
    argv = [bench.program("report_parts"), "--all", "-o", bench.place("parts"), log]
    return Series("text and JSON", "pictures", [Point(n, [*argv, *PICTURES[:n]]) for n in range(len(PICTURES) + 1)])


def of_rrdtool(bench, log):
    """One graph of busy, from a database that holds the same day; None where it is not installed."""
    if not shutil.which("rrdtool"):
        return None
    made = subprocess.run([os.path.join(ROOT, "tests", "bench", "peers", "rrdtool.py"), log, bench.place("day.rrd")],
                          stdout=subprocess.PIPE, text=True, check=True)
    return Point(1, ["rrdtool", "graph", bench.place("day.png"), *made.stdout.splitlines()])


def verdict(value, bar):
    return "%s, %s" % (plain(value), "met" if value <= bar else "not met")


def tell_pictures(bench, series, rrdtool):
    """From none on: exponents of a size of 0 are nothing."""
    none = series.points[0]
    rows = [[series.title if n == 0 else "and " + PICTURES[n - 1], "pictures: %d" % n, *cells_of(point, none)]
            for n, point in enumerate(series.points)]
    more = (series.points[-1].cpu - none.cpu) / len(PICTURES) * 1000
    largest = max(os.path.getsize(bench.place("parts/" + name)) for name in PICTURES) / 1000
    bars = ["one more picture of 1400 pixels, in ms, at most %d: %s" % (PICTURE_MS_BAR, verdict(more, PICTURE_MS_BAR)),
            "the largest of them in kB, at most %d: %s" % (PICTURE_KB_BAR, verdict(largest, PICTURE_KB_BAR))]
    if rrdtool:
        times = rrdtool.cpu * 1000 / more
        bars.append("rrdtool graph, of that one picture, at least %d times: %s, %s" % (
            RRDTOOL_BAR, plain(times), "met" if times >= RRDTOOL_BAR else "not met"))
    return rows, bars


HEAD = ["", "size", "CPU", "x first", "peak MB", "x first"]


def tell(title, rows):
    print("\n".join([title, "", *table(HEAD, rows), ""]), flush=True)


def tell_memory(series, n_bytes):
    for one in series:
        most = MEMORY_PART * n_bytes / MB + MEMORY_MB
        print("report of %d MB, %s: peak in MB, at most %d: %s" % (
            n_bytes / MB, one.title, most, verdict(one.points[-1].peak / MB, most)))
    print()


def measure_all(bench, asked):
    for title, series in (("Rows", of_rows(bench, asked.bytes)), ("Rows, of work that is less even", list(of_works(bench, asked.bytes))),
                          ("Rows, of a folder", of_folders(bench, asked.bytes)),
                          ("GPUs, as many rows in all", of_gpus(bench, 4 * asked.bytes)),
                          ("Rules, all that are shipped by more names", of_rules(bench, asked.bytes))):
        for one in series:
            one.measure(bench, asked.rounds)
        tell(title, [row for one in series for row in one.rows()])
        if title.startswith("Rows, of"):
            tell_memory(series, ROWS[-1] * asked.bytes)
    if asked.day:
        of_day = of_a_day(bench)
        of_day.measure(bench, asked.rounds)
        tell("GPUs, a day of each", of_day.rows())
        tell_day(of_day)
    day = bench.generate("pictures.csv", DAY_BYTES)
    pictures, rrdtool = of_pictures(bench, day), of_rrdtool(bench, day)
    pictures.measure(bench, asked.rounds)
    for _ in range(asked.rounds if rrdtool else 0):
        rrdtool.measure(bench)
    rows, bars = tell_pictures(bench, pictures, rrdtool)
    tell("Pictures", rows)
    print("\n".join(bars))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--bytes", type=lambda text: int(float(text)), default=12500000,
                        help="of the smallest log; GPUs: 4 times that; pictures: always a day of 8 GPUs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--day", action="store_true")
    asked = parser.parse_args()
    with Bench(asked.build) as bench:
        try:
            measure_all(bench, asked)
        except CannotMeasure as wrong:
            sys.exit("growth: " + str(wrong))


main()
