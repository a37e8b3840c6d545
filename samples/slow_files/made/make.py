#!/usr/bin/env python3
"""make.py - writes gpu.csv and vmstat.txt of samples/slow_files, which is a made run, not a recorded one.

    samples/slow_files/made/make.py [DIR]    writes both into DIR, else into the folder above its own

Eight trainings on the eight GPUs of a host. Those on GPUs 0-2 read copies of their data from the local
disk, those on GPUs 3-7 read a file server. From 10:05:00 to 10:16:00 it answers slowly, but for 40 s.
All numbers are fixed, so that the files come out the same each time.
"""

import os
import sys
from datetime import datetime, timedelta

BEGIN = datetime(2026, 11, 20, 10, 0, 0)
STEP = 10
END = 1200
GPUS = range(8)
FROM_FILE_SERVER = range(3, 8)

HEADER = ("timestamp, index, name, utilization.gpu [%], utilization.memory [%], memory.total [MiB], memory.used [MiB], "
          "temperature.gpu, power.draw [W], power.limit [W], clocks.current.sm [MHz]")
GPU = ("{time}, {gpu}, NVIDIA H100 80GB HBM3, {util} %, {traffic} %, 81559 MiB, {memory} MiB, "
       "{temp}, {power:.2f} W, 700.00 W, {clock} MHz")

VMSTAT_HEADER = (
    "--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- "
    "----------cpu---------- -----timestamp-----\n"
    "   r    b         swpd         free         buff        cache   si   so    bi    bo   in   cs  "
    "us  sy  id  wa  st  gu                 UTC")
VMSTAT = ("{r:4} {b:4} {swpd:12} {free:12} {buff:12} {cache:12} {si:4} {so:4} {bi:5} {bo:5} {irq:4} {cs:4} "
          "{us:3} {sy:3} {id:3} {wa:3}   0   0 {time}")


def wobble(n, period):
    """0 to period - 1 in an order that does not look like a ramp."""
    return n * n * 7 % 1009 % period


def phase(t):
    """What the host is doing t seconds after the logs begin."""
    if t < 30 or t >= END:
        return "idle"
    if t < 60:
        return "loading"
    if 300 <= t < 960 and not 620 <= t < 660:
        return "slow"
    return "busy"


def gpu_row(t, gpu):
    now = phase(t)
    if now == "slow" and gpu not in FROM_FILE_SERVER:
        now = "busy"
    n = t // STEP + 17 * gpu
    util, power, clock = {
        "idle": (0, 71 + wobble(n, 3) / 4, 345),
        "loading": (wobble(n, 4), 118 + wobble(n, 5) / 2, 1980),
        "slow": (4 + wobble(n, 12), 131 + wobble(n, 29) / 2, 1980),
        "busy": (93 + wobble(n, 7), 641 + wobble(n, 41) / 2, 1755 + 15 * wobble(n, 5)),
    }[now]
    time = BEGIN + timedelta(seconds=t, milliseconds=37 + 2 * gpu)
    return GPU.format(time=time.strftime("%Y/%m/%d %H:%M:%S.") + "%03d" % (time.microsecond // 1000), gpu=gpu, util=util,
                      traffic=util * 3 // 5, memory={"idle": 4, "loading": 20000 + 900 * (t - 30)}.get(now, 68214 + 2 * gpu),
                      temp={"idle": 31, "loading": 34, "slow": 39}.get(now, 58) + gpu % 3, power=power, clock=clock)


def vmstat_row(t):
    """A row says what was between the row before and itself."""
    now = phase(t - STEP)
    n = t // STEP
    running, blocked, user, system, wait = {
        "idle": (0, 0, 0, 0, 0),
        "loading": (18 + wobble(n, 5), 2, 19, 4, 1),
        "slow": (9 + wobble(n, 4), 9 + wobble(n, 6), 11 + wobble(n, 3), 2, 14 + wobble(n, 4)),
        "busy": (24 + wobble(n, 9), wobble(n, 3), 33 + wobble(n, 5), 5, wobble(n, 2)),
    }[now]
    return VMSTAT.format(r=running, b=blocked, swpd=0, free=181204480 - 2048 * n, buff=24440, cache=201377792 + 1024 * n, si=0, so=0,
                         bi=600 if now == "busy" else 210, bo=12, irq=9400 + 300 * running, cs=14000 + 500 * running, us=user, sy=system,
                         id=100 - user - system - wait, wa=wait, time=(BEGIN + timedelta(seconds=t)).strftime("%Y-%m-%d %H:%M:%S"))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    with open(os.path.join(folder, "gpu.csv"), "w") as log:
        print(HEADER, file=log)
        for t in range(0, END, STEP):
            for gpu in GPUS:
                print(gpu_row(t, gpu), file=log)
    with open(os.path.join(folder, "vmstat.txt"), "w") as log:
        print(VMSTAT_HEADER, file=log)
        for t in range(0, END + STEP, STEP):
            print(vmstat_row(t), file=log)


main()
