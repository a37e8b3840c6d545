#!/usr/bin/env python3
"""guard.py - has the program become slower? Instructions are counted, which no neighbour and no load changes.

    tests/bench/guard.py BUILD_FOLDER [--accept]

callgrind counts what `report` does of a shipped sample, with and without pictures, and `inspect` of a made log of 2 MB. Only the
instructions of our own code count: what libraries need depends on their version and on the processor. One core, so that no thread
waits for another; two runs differ by less than 0.1 %. guard.tsv has the figures that were accepted: more than 5 % above one fails,
and the functions that grew most are told. After a change that is meant, --accept writes them anew; it is the change's commit that
says why. Another compiler makes other code, and is not compared. The last line is "N passed, N failed".
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
FIGURES = os.path.join(ROOT, "tests", "bench", "guard.tsv")
ALLOWED = 1.05
TOLD = 0.002   # functions with this share of a case are kept, so that growth can be told by name
MOST_TOLD = 8
LOG_BYTES = "2000000"
CASES = {
    "report": ["report", "samples/loader_bound", "--sandbox=off"],
    "report-pictures": ["report", "samples/loader_bound", "-q", "-o", "{room}/out", "--sandbox=off"],
    "inspect": ["inspect", "{room}/log.csv", "--sandbox=off"],
}
HEAD = """\
# Instructions of our own code, by callgrind: tests/bench/guard.py says how, and --accept writes this file.
# Of each case the sum (*), and the functions that have 0.2 % of it or more.
"""


def compiled_by(program):
    said = subprocess.run(["readelf", "-p", ".comment", program], capture_output=True, text=True, check=True).stdout
    return " + ".join(sorted(set(re.findall(r"\] +(.+)", said))))


class Profile:
    """What callgrind wrote: the instructions of each function of ours in the program, without those of what it calls."""

    def __init__(self, path, program):
        self.names = {}
        self.functions = {}
        with open(path, encoding="utf-8", errors="replace") as file:
            self.read(file, os.path.realpath(program))

    def name(self, kind, text):
        """"(12) name" the first time, then "(12)"."""
        number, _, name = text.partition(" ")
        if name:
            self.names[kind, number] = name
        return self.names[kind, number]

    def read(self, file, program):
        is_program, is_ours, function, is_call = False, False, None, False
        for line in file:
            key, equals, text = line.rstrip("\n").partition("=")
            if key == "ob":
                is_program = os.path.realpath(self.name("ob", text)) == program
            elif key == "fl":  # of libraries that the program holds no file is known
                is_ours = self.name("fl", text) != "???" and is_program
            elif key in ("fi", "fe", "cfi", "cfl"):
                self.name("fl", text)
            elif key == "fn":
                function = self.name("fn", text)
            elif key == "cob":
                self.name("ob", text)
            elif key == "cfn":
                self.name("fn", text)
            elif key == "calls":
                is_call = True  # the next line has the cost of who is called
            elif not equals and re.match(r"[+\-*\d]", line):
                if is_ours and not is_call:
                    self.functions[function] = self.functions.get(function, 0) + int(line.split()[1])
                is_call = False

    def total(self):
        return sum(self.functions.values())

    def kept(self):
        """By the name before "'2", which callgrind gives to recursion."""
        merged = {}
        for name, count in self.functions.items():
            merged[name.split("'")[0]] = merged.get(name.split("'")[0], 0) + count
        least = TOLD * self.total()
        return {"*": self.total(), **{name: n for name, n in sorted(merged.items(), key=lambda item: (-item[1], item[0])) if n >= least}}


def count(program, arguments, room):
    out = os.path.join(room, "callgrind.out")
    words = [word.format(room=room) for word in arguments]
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, program, *words], cwd=ROOT, text=True,
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", "HOME": "/nonexistent"}, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    if done.returncode != 0:
        sys.exit("guard: postrun %s: exit status %d\n%s" % (" ".join(words), done.returncode, done.stderr))
    return Profile(out, program).kept()


def count_all(build):
    room = tempfile.mkdtemp(prefix="guard-")
    try:
        with open(os.path.join(room, "log.csv"), "wb") as log:
            subprocess.run([os.path.join(build, "tests", "bench", "gen"), "gpu", LOG_BYTES], stdout=log, check=True)
        return {case: count(os.path.join(build, "postrun"), arguments, room) for case, arguments in CASES.items()}
    finally:
        shutil.rmtree(room)


def read_figures():
    compiler, figures = None, {}
    with open(FIGURES, encoding="utf-8") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if cells[0] == "compiler":
                compiler = cells[1]
            elif len(cells) == 3:
                figures.setdefault(cells[0], {})[cells[1]] = int(cells[2])
    return compiler, figures


def write_figures(compiler, figures):
    with open(FIGURES, "w", encoding="utf-8") as file:
        file.write(HEAD + "compiler\t%s\n" % compiler)
        for case, functions in figures.items():
            for name, n in functions.items():
                file.write("%s\t%s\t%d\n" % (case, name, n))


def grown(before, now):
    """The functions that grew most. One that was too small to be kept had less than the share that is."""
    least = int(TOLD * before["*"])
    rows = [(n - before.get(name, least), name, n) for name, n in now.items() if name != "*"]
    return [row for row in sorted(rows, reverse=True) if row[0] > 0][:MOST_TOLD]


def tell(case, before, now):
    """Is it within what is allowed?"""
    ratio = now["*"] / before["*"]
    if ratio <= ALLOWED:
        print("  ok       %s: %d instructions, %+.2f %%%s" % (
            case, now["*"], 100 * (ratio - 1), "; --accept would keep that" if ratio < 2 - ALLOWED else ""))
        return True
    print("  FAILED   %s: %d instructions, %+.2f %% of %d" % (case, now["*"], 100 * (ratio - 1), before["*"]))
    for more, name, n in grown(before, now):
        print("           %+12d  %s%s: %d" % (more, name, "" if name in before else " (was too small to be kept)", n))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--accept", action="store_true")
    asked = parser.parse_args()
    build = os.path.abspath(asked.build)
    for tool in ("valgrind", "readelf"):
        if not shutil.which(tool):
            print("skipped: %s is not installed\n0 passed, 0 failed" % tool)
            return
    compiler = compiled_by(os.path.join(build, "postrun"))
    if asked.accept:
        write_figures(compiler, count_all(build))
        return
    of, figures = read_figures()
    if of != compiler:
        print("skipped: the figures are of %s, this program is of %s\n0 passed, 0 failed" % (of, compiler))
        return
    now = count_all(build)
    good = [tell(case, figures[case], now[case]) for case in CASES]
    print("%d passed, %d failed" % (sum(good), len(good) - sum(good)))
    sys.exit(not all(good))


main()
