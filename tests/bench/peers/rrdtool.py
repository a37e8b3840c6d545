#!/usr/bin/env python3
"""rrdtool.py - GPU busy of a log of gen.c as a round-robin database, a sample a second, one source for each GPU.

    rrdtool.py LOG.csv OUT.rrd     prints the arguments with which rrdtool graph draws it
"""

import subprocess
import sys

WIDTH, HEIGHT, SAMPLES_TOGETHER = 1400, 400, 1000
BEGIN = 1767225600  # 2026-01-01, when those logs begin
COLOURS = ("1b9e77", "d95f02", "7570b3", "e7298a", "66a61e", "e6ab02", "a6761d", "666666")


def polls(log):
    """The busy of all GPUs, poll by poll."""
    with open(log, encoding="ascii") as file:
        head = file.readline().split(", ")
        index, busy = head.index("index"), head.index("utilization.gpu [%]")
        poll = []
        for line in file:
            cells = line.split(", ")
            if cells[index] == "0" and poll:
                yield poll
                poll = []
            poll.append(cells[busy].removesuffix(" %"))
        yield poll


def main():
    log, database = sys.argv[1:]
    rows = [":".join([str(BEGIN + 1 + i), *poll]) for i, poll in enumerate(polls(log))]
    sources = ["DS:gpu%d:GAUGE:2:0:100" % i for i in range(len(COLOURS))]
    subprocess.run(["rrdtool", "create", database, "--start", str(BEGIN), "--step", "1", *sources, "RRA:AVERAGE:0.5:1:%d" % len(rows)],
                   check=True)
    for i in range(0, len(rows), SAMPLES_TOGETHER):
        subprocess.run(["rrdtool", "update", database, *rows[i:i + SAMPLES_TOGETHER]], check=True)
    print("\n".join(["--start", str(BEGIN), "--end", str(BEGIN + len(rows)), "--width", str(WIDTH), "--height", str(HEIGHT), "--full-size-mode",
                     *("DEF:gpu%d=%s:gpu%d:AVERAGE" % (i, database, i) for i in range(len(COLOURS))),
                     *("LINE1:gpu%d#%s:GPU %d" % (i, colour, i) for i, colour in enumerate(COLOURS))]))


main()
