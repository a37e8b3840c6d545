#!/usr/bin/env python3
"""cluster.py - writes the logs of a made run of 64 GPUs over three days: 550,000 rows, a minute of work.

    samples/made/cluster.py DIR

Eight nodes of eight A100, a row every 30 s. 63 ranks train in lock step. What is planted, in hours after the begin:

    0 to 72        GPU 5 of n03 is never used: its rank was not started
    each hour      a checkpoint of 100 s
    27.6 to 28.4   nobody logs anything, on any node
    36 to 42       the ranks of n05 get longer sequences than the others: those are done after two fifths of a step, and spin
    60.3 to 65.2   the ranks of n06 are gone, their memory is free; those on the other nodes wait for them, 100 % busy at a
                   third of their power
    65.2 to 65.7   somebody ends the job and starts it anew
    71.8           it ends
"""

import os
import sys
from datetime import datetime

from made_logs import IDLE, VMSTAT_HEAD, Noise, bounded, log_of, smi_time, vmstat_row, wave

BEGIN = datetime(2026, 11, 16, 18, 3, 40)
STEP = 30
HOUR = 3600
END = 72 * HOUR
NODES = range(1, 9)
GPUS = range(8)
CORES = 128

UNUSED = (3, 5)
UNLOGGED = (27.6 * HOUR, 28.4 * HOUR)
UNEVEN = (36 * HOUR, 42 * HOUR)
LATE_NODE = 5
DOWN = (60.3 * HOUR, 65.2 * HOUR)
LOST_NODE = 6
RESTART = (65.2 * HOUR, 65.7 * HOUR)
FIRST_STEP, LAST_STEP = 0.25 * HOUR, 71.8 * HOUR
CHECKPOINT = 100

HEADER = ("timestamp, index, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], temperature.gpu, "
          "power.draw [W], enforced.power.limit [W], clocks.current.sm [MHz], clocks.max.sm [MHz], clocks_event_reasons.active\n")

# What a rank does, as its card shows it: busy %, how much that varies, memory traffic %, watts at work, MiB held.
GONE = (0, 0, 0, 58, 4)
LOADING = (9, 8, 3, 84, 23400)
SAVING = (34, 9, 12, 168, 68800)
TRAINING = (97, 1.3, 44, 372, 68800)
LATE = (99, 0.5, 47, 383, 68800)
AHEAD = (100, 0, 17, 176, 68800)  # two fifths at work, then spinning
STUCK = (100, 0, 0, 128, 68800)


def is_within(t, span):
    return span[0] <= t < span[1]


def is_working(t):
    return FIRST_STEP <= t < LAST_STEP and not is_within(t, DOWN) and not is_within(t, RESTART)


def doing(t, node):
    """What the ranks of a node do at a moment."""
    if is_within(t, DOWN):
        return GONE if node == LOST_NODE else STUCK
    if not is_working(t):
        began = FIRST_STEP if t < FIRST_STEP else RESTART[1]
        return LOADING if began - 300 <= t < began else GONE
    if t % HOUR < CHECKPOINT:
        return SAVING
    if is_within(t, UNEVEN):
        return LATE if node == LATE_NODE else AHEAD
    return TRAINING


class Card:
    """An A100 in its slot: farther back in the node the air is warmer, and n03 stands where the room is."""

    INERTIA = 90  # seconds until two thirds of a change of power are felt as heat

    def __init__(self, node, gpu):
        self.noise, self.gpu = Noise(100 * node + gpu), gpu
        self.is_unused = (node, gpu) == UNUSED
        self.inlet = 28 + 0.55 * gpu + (4 if node == 3 else 0)
        self.temp = self.inlet + 6

    def row(self, t, when, job):
        busy, vary, traffic, power, memory = GONE if self.is_unused else job
        busy = round(bounded(0, busy + self.noise.around(vary), 100)) if vary else busy
        power += self.noise.around(6 if vary else 1.6)
        traffic += round(self.noise.around(1)) if traffic else 0
        room = 3 * wave(t + 4 * HOUR, 24 * HOUR)
        self.temp += (self.inlet + room + 0.104 * power - self.temp) * STEP / self.INERTIA
        memory += 1200 if self.gpu == 0 and memory > 1000 else 0
        return (f"{when}, {self.gpu}, NVIDIA A100-SXM4-80GB, {busy} %, {traffic} %, {memory} MiB, 81920 MiB, {round(self.temp)}, "
                f"{power:.2f} W, 400.00 W, {1410 if memory > 1000 else 210} MHz, 1410 MHz, 0x{0 if busy else IDLE:016x}\n")


def write_gpus(folder, node):
    cards = [Card(node, gpu) for gpu in GPUS]
    with log_of(folder, f"n{node:02}-gpu.csv") as log:
        log.write(HEADER)
        for t in range(0, END + 1, STEP):
            when, job = smi_time(BEGIN, t + 0.007 * node), doing(t, node)
            rows = [card.row(t, when, job) for card in cards]
            if not is_within(t, UNLOGGED):
                log.writelines(rows)


def write_host(folder, node):
    noise = Noise(9000 + node)
    with log_of(folder, f"n{node:02}-vmstat.txt") as log:
        log.write(VMSTAT_HEAD)
        for n, t in enumerate(range(0, END + 1, STEP)):
            user = {TRAINING: 22, LATE: 22, AHEAD: 14, SAVING: 9, LOADING: 17, STUCK: 7}.get(doing(t, node), 1)
            if not is_within(t, UNLOGGED):
                log.write(vmstat_row(BEGIN, t, user + noise.around(1.5), 3 if user > 1 else 1, 0, n, CORES))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: cluster.py DIR")
    for node in NODES:
        write_gpus(sys.argv[1], node)
        write_host(sys.argv[1], node)


if __name__ == "__main__":
    main()
