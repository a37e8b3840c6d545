#!/usr/bin/env python3
"""side_by_side.py - a report beside the least it could take, libcsv alone, and what else people take for the same log.

    side_by_side.py BUILD_FOLDER [--bytes N] [--large N,N…] [--rounds N] [--budget SECONDS] [--write FILE]     `make bench`

Makes its logs (gen.c), runs all commands by turns and prints one table of ratios. Before each command its unit is measured, `wc -l` of
the same log unless said otherwise, and only the two are compared: a ratio is the median of all rounds, from the least to the greatest.
A command that takes long is run in fewer rounds, once it has had BUDGET seconds. The peak of memory is the process's.

A bar is a promise about 1 GB on two cores; it is told beside what was measured, met or not, whatever the size is. That it is not met is
no failure of this script. A measurement that could not be made is, and so is an answer that differs: all who aggregate must find the
same means, percentiles and maxima, and a report must be the same by both ways of reading.
"""

import argparse
import datetime
import os
import platform
import shutil
import subprocess
import sys

from measuring import MB, Bench, CannotMeasure, StaysCached, median, plain, table

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
PEERS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "peers")
PYTHON = os.environ.get("PEER_PYTHON", "python3")  # that has pandas
SMALL_BYTES = 1056000  # 5,000 rows
SMALL_ROUNDS = 21
ALLOWED_SHARE, ALLOWED_BYTES = 0.10, 48 * MB  # of memory: this share of the plain log, and as much for the process
VERBOSE = os.environ.get("V")
PARTS = ["card.png", "timeline.png"]


class Bar:
    """`ratio` of the command and another one, or of its peak and what is allowed, against a limit."""

    def __init__(self, text, limit, other=None, at_least=False, inverse=False):
        self.text, self.limit, self.other, self.at_least, self.inverse = text, limit, other, at_least, inverse

    def measured(self, command, section):
        """A list of ratios; to another command than the unit: of the times in rounds that both were run in."""
        if self.other is None:
            return [ratio for ratio in command.ratios if ratio]
        other = section.find(self.other)
        pairs = zip(command.walls, other.walls if other else [])
        return [(b / a if self.inverse else a / b) for a, b in pairs if a and b]

    def cells(self, command, section):
        ratios = self.measured(command, section)
        if not ratios:
            return None
        value = median(ratios)
        is_met = value >= self.limit if self.at_least else value <= self.limit
        return [self.text, plain(value), "met" if is_met else "not met"]


class Memory:
    def __init__(self, plain_bytes):
        self.limit = ALLOWED_SHARE * plain_bytes + ALLOWED_BYTES

    def cells(self, command, _):
        is_met = command.peak <= self.limit
        return ["memory: at most %s MB" % plain(self.limit / MB), plain(command.peak / MB), "met" if is_met else "not met"]


class Command:
    def __init__(self, title, argv, cpus=1, bars=(), cold=None, answer=None):
        self.title, self.argv, self.cpus, self.bars, self.cold = title, argv, cpus, bars, cold
        self.answer = answer  # what its output must agree with: outputs of the same word do
        self.ratios, self.walls, self.cpu_ratios = [], [], []  # of each round; None where it was left out
        self.peak = self.spent = 0

    def skip(self):
        for values in (self.ratios, self.walls, self.cpu_ratios):
            values.append(None)


class Section:
    """Commands that are compared with one unit."""

    def __init__(self, title, unit, commands, rounds):
        self.title, self.unit, self.commands, self.rounds, self.note = title, unit, commands, rounds, None

    def find(self, title):
        return next((command for command in self.commands if command.title == title), None)


def say(text):
    print(text, file=sys.stderr, flush=True)


def run_once(bench, section, command, answers):
    output = bench.place("output") if command.answer == "numbers" else os.devnull  # cat would leave a log's worth of pages to be cleared
    unit = bench.measure(section.unit.argv, cold=section.unit.cold)
    took = bench.measure(command.argv, command.cpus, output, command.cold)
    command.ratios.append(took.wall / unit.wall)
    command.cpu_ratios.append(took.cpu / unit.cpu if unit.cpu else None)
    command.walls.append(took.wall)
    command.peak = max(command.peak, took.peak)
    command.spent += took.wall
    if VERBOSE:
        say("  %8.3f s  %s" % (took.wall, command.title))
    if command.answer and len(command.ratios) == 1:
        answers.check(command, bench.place("parts/report.txt") if command.answer.startswith("text") else output)
    if output != os.devnull:
        os.remove(output)


def run(bench, section, budget, answers):
    say("%s …" % section.title)
    for _ in range(section.rounds):
        for command in section.commands:
            if command.spent > budget:
                command.skip()
            else:
                run_once(bench, section, command, answers)


class Answers:
    """What commands say of the same log must be the same; the first that says it is the measure of the others."""

    def __init__(self):
        self.first = {}

    @staticmethod
    def read(command, output):
        with open(output, encoding="utf-8") as file:
            lines = file.read().splitlines()
        if command.answer.startswith("text"):
            return lines
        rows = [line.split() for line in lines if len(line.split()) == 5]
        return {(gpu, column): [float(value) for value in values] for gpu, column, *values in rows}

    @staticmethod
    def agree(a, b):
        if isinstance(a, list):
            return a == b
        # Percentiles differ by what is done between two samples.
        return a.keys() == b.keys() and all(abs(x - y) <= 0.001 * abs(x) + 0.01 for key in a for x, y in zip(a[key], b[key]))

    def check(self, command, output):
        found = self.read(command, output)
        if not found or not self.agree(self.first.setdefault(command.answer, found), found):
            raise CannotMeasure("%s: finds other numbers than who was asked before it" % command.title)


def has_module(name):
    return subprocess.run([PYTHON, "-c", "import " + name], capture_output=True, check=False).returncode == 0


def has_node_module(name):
    return shutil.which("node") is not None and \
        subprocess.run(["node", "-e", "require('%s')" % name], capture_output=True, check=False).returncode == 0


def duckdb(log):
    if shutil.which("duckdb"):
        return [os.path.join(PEERS, "duckdb.sh"), log, "2"]
    return ["node", os.path.join(PEERS, "duckdb.js"), log, "2"] if has_node_module("@duckdb/node-api") else None


def polars(log):
    # said to env: it reads the number of its threads when it is loaded
    return ["env", "POLARS_MAX_THREADS=2", "node", os.path.join(PEERS, "polars.js"), log] if has_node_module("nodejs-polars") else None


def peers(bench, log):
    """Those that are installed, and the names of those that are not."""
    main = "report"
    charts = bench.place("charts")
    os.makedirs(charts, exist_ok=True)
    here = has_module("pandas")
    rows = [
        ("DuckDB, SQL by an expert", duckdb(log), 2, Bar("the report is at least 12 x faster", 12, main, True), "numbers"),
        ("Polars, query by an expert", polars(log), 2, Bar("the report is at least 10 x faster", 10, main, True), "numbers"),
        ("pandas, script by an expert", here and [PYTHON, os.path.join(PEERS, "pandas_expert.py"), log], 1, None, "numbers"),
        ("pandas, script as in notebooks", here and [PYTHON, os.path.join(PEERS, "pandas_user.py"), log], 1, None, "numbers"),
        ("pandas, the same with 4 charts by matplotlib", here and has_module("matplotlib") and
         [PYTHON, os.path.join(PEERS, "pandas_user.py"), log, charts], 1, Bar("the report is at least 150 x faster", 150, main, True),
         "numbers"),
        ("Miller", shutil.which("mlr") and [os.path.join(PEERS, "miller.sh"), log], 2, None, "numbers"),
        ("zsv, counts rows only", shutil.which("zsv") and ["zsv", "count", log], 1, None, None),
        ("mawk", shutil.which("mawk") and ["mawk", "-f", os.path.join(PEERS, "aggregates.awk"), log], 1, None, "numbers"),
        ("gawk", shutil.which("gawk") and ["gawk", "-f", os.path.join(PEERS, "aggregates.awk"), log], 1, None, "numbers"),
    ]
    return ([Command(title, argv, cpus, [bar] if bar else [], answer=answer) for title, argv, cpus, bar, answer in rows if argv],
            list(dict.fromkeys(title.split(",")[0] for title, argv, *_ in rows if not argv)))


def size_text(n_bytes):
    return "%s GB" % plain(n_bytes / 1e9) if n_bytes >= 1e9 else "%s MB" % plain(n_bytes / 1e6)


def parts(bench, log, title="report", cpus=2, bars=(), cold=None, options=()):
    """A report of four outputs: text, JSON, card and time line. Of one log all must have the same text."""
    argv = [bench.program("report_parts"), *options, "-o", bench.place("parts"), log, *PARTS]
    return Command(title, argv, cpus, bars, cold, "text of " + log)


def of_plain_log(bench, log, rounds):
    program = os.path.join(bench.build, "postrun")
    memory = Memory(os.path.getsize(log))
    installed, missing = peers(bench, log)
    commands = [
        Command("wc -l", ["wc", "-l", log]),
        Command("cat", ["cat", log]),
        parts(bench, log, bars=[Bar("at most 2.5 x wc -l", 2.5), memory]),
        parts(bench, log, "report, one thread", 1, [Bar("at most 4.5 x wc -l", 4.5), memory]),
        Command("report, text alone", [program, "report", log], 2, [memory]),
        Command("report -o, all outputs", [program, "report", log, "-q", "-o", bench.place("out")], 2, [memory]),
        Command("inspect", [program, "inspect", log], 2),
        parts(bench, log, "report through libcsv's grammar alone",
              bars=[Bar("the report is at least 8 x faster", 8, "report", True)], options=["--grammar"]),
        Command("libcsv alone: means, p95, maxima", [bench.program("libcsv_alone"), log], answer="numbers"),
        *installed,
    ]
    title = "%s, 8 GPUs, in the page cache: 1 is `wc -l`" % size_text(os.path.getsize(log))
    return Section(title, commands[0], commands, rounds), missing


def of_packed_logs(bench, log, rounds):
    """Packed once, by what people pack with."""
    memory = Memory(os.path.getsize(log))
    unit = Command("wc -l of the raw log", ["wc", "-l", log])
    commands = [unit]
    if shutil.which("gzip"):
        subprocess.run(["sh", "-c", 'gzip -6 < "$1" > "$1.gz"', "sh", log], check=True)
        commands += [
            Command("zcat, then wc -l", ["sh", "-c", 'zcat "$1" | wc -l', "sh", log + ".gz"], 2),
            parts(bench, log + ".gz", "report of .gz", bars=[
                Bar("at most 3.5 x wc -l of the raw log", 3.5), memory,
                Bar("at least 8 x faster than zcat and wc -l", 8, "zcat, then wc -l", True, True)]),
        ]
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-q", "-3", "-f", log, "-o", log + ".zst"], check=True)
        commands += [
            Command("zstd -dc", ["zstd", "-q", "-dc", log + ".zst"], 2),
            parts(bench, log + ".zst", "report of .zst", bars=[Bar("at most 1.3 x zstd -dc", 1.3, "zstd -dc"), memory]),
        ]
    return Section("The same, packed: 1 is `wc -l` of the raw log", unit, commands, rounds)


def of_quoted_logs(bench, log, n_bytes, rounds):
    few, all_rows = bench.generate("few-quoted.csv", n_bytes, quoted=1), bench.generate("quoted.csv", n_bytes, quoted=100)
    unit = Command("wc -l", ["wc", "-l", log])
    return Section("Names of cards in quotes: 1 is `wc -l` of the log without", unit, [
        parts(bench, log, "report, no row quoted"),
        parts(bench, few, "report, 1 % of rows quoted", bars=[Bar("at most 1.25 x that without", 1.25, "report, no row quoted")]),
        Command("libcsv alone, all rows quoted", [bench.program("libcsv_alone"), all_rows]),
        parts(bench, all_rows, "report, all rows quoted", bars=[Bar("at most 1.3 x libcsv alone", 1.3, "libcsv alone, all rows quoted")]),
    ], rounds)


def of_small_log(bench):
    log = bench.generate("small.csv", SMALL_BYTES)
    program = os.path.join(bench.build, "postrun")
    unit = Command("wc -l", ["wc", "-l", log])
    opening = [Command("DuckDB on it", duckdb(log), 2)] if duckdb(log) else []
    return Section("5,000 rows: 1 is `wc -l`", unit, [
        unit,
        Command("report, text alone", [program, "report", log], 2, [Bar("at most 5 x wc -l", 5)]),
        parts(bench, log, "report"),
        Command("report -o, all outputs", [program, "report", log, "-q", "-o", bench.place("out")], 2,
                [Bar("at most 45 x wc -l", 45), Bar("at most 1/8 of DuckDB", 1 / 8, "DuckDB on it")]),
        *opening,
    ], SMALL_ROUNDS)


def of_cold_log(bench, log, rounds):
    unit = Command("cat", ["cat", log], cold=log)
    return Section("%s, not in the page cache: 1 is `cat`, neither" % size_text(os.path.getsize(log)), unit, [
        unit,
        parts(bench, log, bars=[Bar("at most 1.15 x cat", 1.15)], cold=log),
    ], rounds)


def of_large_log(bench, log, n_bytes, first, rounds):
    """Linear: as many times wc -l as the first log was."""
    first_ratio = median([ratio for ratio in first.find("report").ratios if ratio])
    unit = Command("wc -l", ["wc", "-l", log])
    return Section("%s: 1 is `wc -l`" % size_text(n_bytes), unit, [
        unit,
        parts(bench, log, bars=[Bar("linear: within 10 %% of the %s x of the first log" % plain(first_ratio), 1.1 * first_ratio),
                                Memory(os.path.getsize(log))]),
    ], rounds)


def cells_of(command, section):
    ratios = [ratio for ratio in command.ratios if ratio]
    cpu = [ratio for ratio in command.cpu_ratios if ratio]
    row = [command.title, str(command.cpus), plain(median(ratios)), "%s to %s" % (plain(min(ratios)), plain(max(ratios))),
           plain(median(cpu)) if cpu else "", str(len(ratios)), plain(command.peak / MB)]
    bars = [cells for cells in (bar.cells(command, section) for bar in command.bars) if cells] or [["", "", ""]]
    return [row + bars[0], *([""] * len(row) + bar for bar in bars[1:])]


HEAD = ["", "cores", "ratio", "from to", "CPU", "rounds", "peak MB", ":bar", "measured", ":"]


def rows_of(sections):
    rows = []
    for section in sections:
        rows.append([section.title + (": " + section.note if section.note else "")] + [""] * (len(HEAD) - 1))
        for command in section.commands:
            if command.ratios:
                rows += cells_of(command, section)
    return rows


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def value_in(path, key):
    with open(path, encoding="utf-8") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith(key)), "unknown")


def machine(load):
    memory = value_in("/proc/meminfo", "MemTotal").split()[0]
    commit = first_line(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"])
    return [
        "%s, after commit %s" % (datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), commit),
        "%s, %d cores for us, %.0f GB of memory" % (value_in("/proc/cpuinfo", "model name"), len(os.sched_getaffinity(0)),
                                                     float(memory) * 1024 / 1e9 if memory.isdigit() else 0),
        "kernel %s, compiler %s" % (".".join(platform.release().split(".")[:2]), first_line([os.environ.get("CC", "cc"), "--version"])),
        "load of the machine before it began: %.1f%s" % (
            load, "; it was busy, so that ratios spread, and those of CPU tell more" if load > 0.5 * len(os.sched_getaffinity(0)) else ""),
    ]


EXPLAINED = """\
`make bench` writes this file. Each command was run right after its unit, by turns; a ratio is the median of the rounds, beside it the
least and the greatest. CPU is the same ratio of the processor's time, all threads together. "report" writes text, JSON, card and time
line; all who aggregate find mean, 95th percentile and maximum of four columns of each GPU, and agree. Bars are promises about 1 GB on
two cores: on a smaller log what does not grow with it weighs more. Memory: 10 % of the plain log and 48 MB for the process. Before each
command, and each unit, a GiB of memory was taken and given back: what is free for seconds the host of a virtual machine may take."""


def text_of(sections, missing, load):
    lines = ["# Side by side", "", EXPLAINED, "", *("* " + line for line in machine(load))]
    if missing:
        lines.append("* not installed here: %s" % ", ".join(missing))
    return "\n".join([*lines, "", *table(HEAD, rows_of(sections)), ""])


def all_sections(bench, asked):
    """Measures, and returns the sections and who is not installed."""
    answers = Answers()
    log = bench.generate("log.csv", asked.bytes)
    first, missing = of_plain_log(bench, log, asked.rounds)
    sections = [first]
    run(bench, first, asked.budget, answers)
    for make in (lambda: of_packed_logs(bench, log, asked.rounds), lambda: of_quoted_logs(bench, log, asked.bytes, asked.rounds),
                 lambda: of_small_log(bench), lambda: of_cold_log(bench, log, asked.rounds)):
        sections.append(make())
        try:
            run(bench, sections[-1], asked.budget, answers)
        except StaysCached:
            sections[-1].note = "not measured, the system keeps the log in its cache"
    for n_bytes in asked.large:
        large = bench.generate("large.csv", n_bytes)
        sections.append(of_large_log(bench, large, n_bytes, first, asked.rounds))
        run(bench, sections[-1], asked.budget, answers)
        os.remove(large)
    return sections, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--bytes", type=lambda text: int(float(text)), default=200000000)
    parser.add_argument("--large", type=lambda text: [int(float(part)) for part in text.replace(",", " ").split()], default=[])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--budget", type=float, default=12, help="seconds a command may have in all before rounds pass it over")
    parser.add_argument("--write", metavar="FILE")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    with Bench(asked.build) as bench:
        try:
            sections, missing = all_sections(bench, asked)
        except CannotMeasure as wrong:
            sys.exit("side_by_side: " + str(wrong))
    text = text_of(sections, missing, load)
    print(text)
    if asked.write:
        with open(asked.write, "w", encoding="utf-8") as file:
            file.write(text)


main()
