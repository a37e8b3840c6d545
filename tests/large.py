#!/usr/bin/env python3
"""large.py - inputs of many MiB, of many names and of nothing but damage: memory has a bound, and twice the input takes twice the time.

    tests/large.py build/postrun GEN.PY [--scale 1] [--runs 3] [--only NAME]…

GEN.PY writes each input (but NULs, which head does) to a pipe, from which the program reads it: nothing of it lies on a disk but rule
files. Each case is run at a size and at twice that size, some times each. Asked is: does it end by itself, with the status that stands
here, with at most 256 MiB of memory, and is the least user time at twice the size below 2.3 times that of the size? Where GPUs are read
that is more: of each is asked what all the others do, so that twice as many take up to four times as long, and there are at most 4096.
Reports may take 256 MiB (--memory): of the rows that are too many for that several become one.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import threading

MOST_KIB = 256 * 1024
MOST_GROWTH = 2.3
MOST_GROWTH_OF_GPUS = 3
TICK_S = 0.05  # what a report takes without any input, and what a run differs from the next
LONGEST_S = 3600
LOG = "timestamp, index, utilization.gpu [%]\n2024/03/05 14:00:00.000, 0, 5 %\n2024/03/05 14:00:01.000, 0, 5 %\n"

# Name in GEN.PY, size there and what it counts, status: 0 a report, 3 nothing that could be used, 4 a refused rule file. --scale leaves
# GPUs as they are: beyond a limit a log in which a tenth of the rows can be used has a report, and one with fewer has none.
CASES = [
    ("rows", 512, "MiB of rows", 0),
    ("gb-line", 256, "MiB in one line", 3),
    ("mcols", 250_000, "columns", 3),
    ("gpus", 1024, "GPUs", 0),
    ("gpus", 262_144, "GPUs, most of them over the limit", 3),
    ("gz-zeros", 512, "MiB of zeros as gzip", 3),
    ("gz-rows", 256, "MiB of rows without a header as gzip", 3),
    ("names", 250_000, "names and uuids of one GPU", 3),
    ("badlines", 1_000_000, "damaged lines", 3),
    ("yaml-deep", 250_000, "open brackets in a rule file", 4),
    ("yaml-keys", 125_000, "keys in a rule file", 4),
    ("nuls", 512, "MiB of NULs before a log", 0),
    ("collide", 1024, "uuids with one 31-multiplier hash", 0),
]
MOST_GPUS = 4096


class Run:
    """One report: its status (None: it did not end), user time in seconds and peak of memory in KiB."""

    def __init__(self, status, usage):
        self.status = status
        self.user_s = usage.ru_utime if usage else 0.0
        self.peak_kib = usage.ru_maxrss if usage else 0


def wait(child):
    """As Popen.wait(), with what this child used; kills what does not end."""
    clock = threading.Timer(LONGEST_S, child.kill)
    clock.start()
    _, status, usage = os.wait4(child.pid, 0)
    clock.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Run(child.returncode if child.returncode >= 0 else None, usage)


def start(command, **where):
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **where)


def report_on_pipe(program, writer):
    made = subprocess.Popen(writer, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    child = start([program, "report", "--no-user-rules", "--memory", "256MiB", "-"], stdin=made.stdout)
    made.stdout.close()
    run = wait(child)
    made.wait()
    return run


def report_with_rules(program, writer):
    with tempfile.TemporaryDirectory(prefix="postrun-large-") as folder:
        log, rules = os.path.join(folder, "gpu.csv"), os.path.join(folder, "rules.yaml")
        with open(log, "w", encoding="utf-8") as file:
            file.write(LOG)
        with open(rules, "wb") as file:
            subprocess.run(writer, stdout=file, check=True)
        return wait(start([program, "report", "--no-user-rules", "--memory", "256MiB", "--rules", rules, log]))


def writer_of(options, name, size):
    if name == "nuls":
        return ["sh", "-c", 'head -c "$1" /dev/zero && printf %s "$2"', "sh", str(size << 20), LOG]
    return [sys.executable, options.generator, "-", "--large", f"{name}={size}"]


def runs_of(options, name, size):
    writer = writer_of(options, name, size)
    report = report_with_rules if name.startswith("yaml") else report_on_pipe
    return [report(options.program, writer) for _ in range(options.runs)]


def has_gpus(name):
    return name in ("gpus", "collide")


def scaled(name, size, scale):
    return size if has_gpus(name) else max(1, int(size * scale))


def check(options, name, size, unit, status):
    runs, twice = runs_of(options, name, size), runs_of(options, name, 2 * size)
    least, least_twice = (min(run.user_s for run in some) for some in (runs, twice))
    peak = max(run.peak_kib for run in runs + twice)
    statuses = {run.status for run in runs + twice}
    most_growth = MOST_GROWTH_OF_GPUS if has_gpus(name) and size < MOST_GPUS else MOST_GROWTH
    wrong = []
    if statuses != {status}:
        wrong.append(f"ended with {statuses}, not with {status}")
    if peak > MOST_KIB:
        wrong.append("too much memory")
    if least_twice > most_growth * least + TICK_S:
        wrong.append(f"more than {most_growth} times as long")
    print(f"  {'FAILED  ' if wrong else 'ok      '} {name}: {size:,} and {2 * size:,} {unit}: "
          f"{least:.2f} and {least_twice:.2f} s, {peak / 1024:.0f} MiB{''.join('; ' + w for w in wrong)}", flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.realpath)
    parser.add_argument("generator")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", action="append", choices=sorted({case[0] for case in CASES}))
    options = parser.parse_args()
    good = [check(options, name, scaled(name, size, options.scale), unit, status) for name, size, unit, status in CASES
            if not options.only or name in options.only]
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return not all(good)


if __name__ == "__main__":
    sys.exit(main())
