"""made_logs.py - what the made runs beside this file share: noise, a card, and rows as nvidia-smi and vmstat write them.

Only random.Random(SEED).random(), whose sequence Python promises to keep, additions and products make the numbers, so
that a log comes out the same on any machine. Files that end in .gz are packed without a name or a time.
"""

import contextlib
import gzip
import io
import os
import random
from datetime import timedelta

IDLE, POWER_CAP, HW_SLOWDOWN, SW_THERMAL, HW_THERMAL = 0x1, 0x4, 0x8, 0x20, 0x40

VMSTAT_HEAD = (
    "--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- "
    "----------cpu---------- -----timestamp-----\n"
    "   r    b         swpd         free         buff        cache   si   so    bi    bo   in   cs  "
    "us  sy  id  wa  st  gu                 UTC\n")


class Noise:
    """Numbers around 0 that look like those of a sensor."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def around(self, width):
        """Mostly within one width of 0, never beyond two: a sum of four even numbers, which is close to a bell."""
        r = self.random
        return (r() + r() + r() + r() - 2) * width

    def between(self, low, high):
        return low + (high - low) * self.random()

    def happens(self, share):
        return self.random() < share


def wave(t, period):
    """0 to 1 and back in `period` seconds, with rounded ends."""
    x = t % period / period
    x = 2 * x if x < 0.5 else 2 - 2 * x
    return x * x * (3 - 2 * x)


def ramp(t, begin, length):
    """0 before `begin`, 1 from `length` later on."""
    return min(1, max(0, (t - begin) / length))


def bounded(low, value, high):
    return min(high, max(low, value))


def smi_time(begin, seconds):
    return (begin + timedelta(seconds=seconds)).strftime("%Y/%m/%d %H:%M:%S.%f")[:-3]


def vmstat_row(begin, seconds, user, system, wait, n, cores):
    """What was between the row before and this one."""
    user, system, wait = (round(bounded(0, share, 100)) for share in (user, system, wait))
    user = min(user, 100 - system - wait)
    running = user * cores // 100
    return (f"{running:4} {wait * cores // 100:4} {0:12} {181204480 - 2048 * n:12} {24440:12} {201377792 + 1024 * n:12} {0:4} {0:4} "
            f"{600 + 30 * user:5} {12:5} {9400 + 300 * running:4} {14000 + 500 * running:4} {user:3} {system:3} "
            f"{100 - user - system - wait:3} {wait:3}   0   0 {(begin + timedelta(seconds=seconds)).strftime('%Y-%m-%d %H:%M:%S')}\n")


@contextlib.contextmanager
def log_of(folder, name):
    """A file to write to, packed if its name ends in .gz."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        packed = gzip.GzipFile("", "wb", 9, file, 0) if name.endswith(".gz") else file
        with io.TextIOWrapper(packed, encoding="ascii", newline="\n") as text:
            yield text
