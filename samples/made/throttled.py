#!/usr/bin/env python3
"""throttled.py - writes gpu.csv.gz and vmstat.txt.gz of samples/throttled, which is a made run, not a recorded one.

    samples/made/throttled.py [DIR]          writes both into DIR, else into samples/throttled

Two hours of a training on eight H100 in lock step, a row every 5 s. What is planted:

    09:12:07  begin; data are loaded, the first step is done after four minutes
    09:36:37  an evaluation of 45 s, as at 10:04, 10:27 and 10:56
    09:43     the loaders fall behind for 18 minutes: all cores are full, the GPUs get batches in bursts
    10:30     the air at GPUs 3 and 5 stands for 23 minutes: they get hot, the driver holds their clocks down, and for
              moments the hardware does; the other six wait for them at each step, 97 % busy, and draw less
    11:00:07  nobody logs the GPUs for five minutes; the job and vmstat go on
    11:11:46  the job ends

How hot a card gets, what it draws and how fast it is follow from each other, step by step; see class Card.
"""

import os
import sys
from datetime import datetime

from made_logs import HW_SLOWDOWN, HW_THERMAL, IDLE, SW_THERMAL, VMSTAT_HEAD, Noise, bounded, log_of, ramp, smi_time, vmstat_row, wave

BEGIN = datetime(2026, 11, 19, 9, 12, 7)
STEP = 5
END = 7200
GPUS = range(8)
CORES = 96
MINUTE = 60

LOADED, FIRST_STEP, LAST_STEP = 3.4 * MINUTE, 4.2 * MINUTE, 119.65 * MINUTE
EVALUATIONS = [begin * MINUTE for begin in (24.5, 52, 75.2, 104.5)]
STALL = (31 * MINUTE, 49 * MINUTE)
HEAT = (78 * MINUTE, 101 * MINUTE)
FAN_STOPS = [(begin, begin + length) for begin, length in (
    (4710, 30), (4895, 20), (4990, 35), (5190, 25), (5255, 20), (5460, 40), (5620, 20), (5715, 30), (5890, 25))]
HOLE = (108 * MINUTE, 113 * MINUTE)

HEADER = ("timestamp, index, uuid, name, pci.bus_id, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], "
          "temperature.gpu, temperature.memory, temperature.gpu.tlimit, power.draw [W], enforced.power.limit [W], "
          "clocks.current.sm [MHz], clocks.max.sm [MHz], clocks_event_reasons.active\n")


class Card:
    """An H100 in its slot. `air` is how many degrees each watt warms it by: more where less air goes by."""

    CLOCK, COOLEST_CLOCK = 1980, 0.45
    DRAW_IDLE, DRAW_HELD, DRAW_WAITING, DRAW_WORKING = 72, 115, 190, 612
    INLET, INERTIA = 27, 55                 # degrees; seconds until two thirds of a change are felt
    TARGET, SLOWDOWN = 85, 90               # degrees at which the driver, and at which the hardware, slows the card
    DOWN, UP = 0.009, 0.012                 # share of the clock that the driver takes a degree and step, and gives back

    def __init__(self, gpu):
        self.noise = Noise(1000 + gpu)
        self.gpu, self.temp, self.memory_temp, self.speed, self.reasons = gpu, 31.0, 33.0, 1.0, IDLE
        self.normal_air = (0.056, 0.059, 0.062, 0.066, 0.062, 0.065, 0.060, 0.057)[gpu]

    def air(self, t):
        worse = {3: 0.082, 5: 0.088, 2: 0.012, 4: 0.012}.get(self.gpu, 0.004)
        if self.gpu == 3 and any(is_within(t, stop) for stop in FAN_STOPS):
            worse += 0.055
        return self.normal_air + worse * ramp(t, HEAT[0], 40 if self.gpu == 3 else 240) * (1 - ramp(t, HEAT[1] - 60, 60))

    def govern(self):
        """What the driver and the hardware make of the clock, once a step, while the card is busy."""
        too_hot = self.temp - self.TARGET
        self.speed = bounded(self.COOLEST_CLOCK, self.speed - (self.DOWN if too_hot > 0 else self.UP) * too_hot, 1)
        self.reasons = 0
        if self.speed < 0.985:
            self.reasons |= SW_THERMAL
        if self.temp >= self.SLOWDOWN:
            self.reasons |= HW_THERMAL | HW_SLOWDOWN

    def pace(self):
        return self.speed * (0.5 if self.reasons & HW_THERMAL else 1)

    def feel(self, t, busy, working, loaded):
        """A step in which the card was busy for `busy` of the time, and worked, not waited, for `working` of that."""
        clock = self.pace()
        full = self.DRAW_WAITING + (self.DRAW_WORKING - self.DRAW_WAITING) * working * clock * clock
        rest = self.DRAW_HELD if loaded else self.DRAW_IDLE
        self.power = rest + (full - rest) * busy + self.noise.around(9 if busy else 2)
        self.temp += (self.INLET + self.air(t) * self.power - self.temp) * STEP / self.INERTIA
        self.memory_temp += (self.temp + 4 - self.memory_temp) * STEP / 90
        if busy > 0.01:
            self.govern()
        else:
            self.speed, self.reasons = 1.0, IDLE

    def row(self, t, busy, working, memory):
        held = memory > 1000
        clock = self.CLOCK * self.pace() - 15 * int(self.noise.between(0, 2.4)) if held else 345
        traffic = 100 * busy * (0.05 + 0.47 * working) + self.noise.around(1)
        temp = round(self.temp + self.noise.around(0.4))
        return (f"{smi_time(BEGIN, t + 0.011 * self.gpu)}, {self.gpu}, GPU-00000000-0000-4000-8000-00000000000{self.gpu}, "
                f"NVIDIA H100 80GB HBM3, 00000000:{0x19 + 0x11 * self.gpu:02X}:00.0, {round(100 * busy)} %, "
                f"{round(bounded(0, traffic, 100))} %, {memory} MiB, 81559 MiB, {temp}, {round(self.memory_temp)}, {max(0, 87 - temp)}, "
                f"{self.power:.2f} W, 700.00 W, {15 * round(clock / 15)} MHz, {self.CLOCK} MHz, 0x{self.reasons:016x}\n")


def is_within(t, span):
    return span[0] <= t < span[1]


def is_evaluation(t):
    return any(begin <= t < begin + 45 for begin in EVALUATIONS)


def shortage(t):
    """How much of the time the loaders have no batch ready: 0 to 1 within a minute and a half, and back."""
    return ramp(t, STALL[0], 90) * (1 - ramp(t, STALL[1] - 45, 45))


def memory_at(t, gpu):
    if t < 1.6 * MINUTE or t >= LAST_STEP:
        return 620
    if t < LOADED:
        return 620 + int((t - 1.6 * MINUTE) / (LOADED - 1.6 * MINUTE) * 60000)
    return (61240 if t < EVALUATIONS[0] else 62410) + 1450 * (gpu == 0)


class Job:
    """What the eight ranks ask of their cards in a step, and what they have in common."""

    def __init__(self):
        self.noise = Noise(7)

    def begin_step(self, t):
        self.batches = bounded(0, wave(t, 47) * 0.8 + 0.1 + self.noise.around(0.35), 1)
        self.hiccup = self.noise.happens(0.012)

    def busy(self, t, noise):
        if t < FIRST_STEP:
            return noise.between(0, 0.4) if t >= LOADED else 0
        if t >= LAST_STEP:
            return 0
        if is_evaluation(t):
            return bounded(0, 0.58 + noise.around(0.14), 1)
        usual = 0.968 + noise.around(0.012) - (noise.between(0.08, 0.3) if self.hiccup else 0)
        fed = 0 if noise.happens(0.04) else bounded(0.02, 0.16 + 0.66 * self.batches + noise.around(0.16), 0.95)
        return bounded(0, usual + (fed - usual) * shortage(t), 1)


def write_gpus(folder):
    cards, job = [Card(gpu) for gpu in GPUS], Job()
    with log_of(folder, "gpu.csv.gz") as log:
        log.write(HEADER)
        for t in range(0, END + 1, STEP):
            job.begin_step(t)
            slowest = min(card.pace() for card in cards)
            for card in cards:
                busy, working = job.busy(t, card.noise), slowest / card.pace()
                memory = memory_at(t, card.gpu)
                card.feel(t, busy, working, memory > 1000)
                row = card.row(t, busy, working, memory)
                if not is_within(t, HOLE):
                    log.write(row)


def write_host(folder):
    noise = Noise(8)
    with log_of(folder, "vmstat.txt.gz") as log:
        log.write(VMSTAT_HEAD)
        for n, t in enumerate(range(0, END + 1, STEP)):
            if t < FIRST_STEP:
                user, system, wait = 12 + noise.around(6) + 30 * is_within(t, (MINUTE, LOADED)), 2, 0.4 + noise.around(0.5)
            elif t >= LAST_STEP:
                user, system, wait = 5, 1, 0
            else:
                few = shortage(t)
                user = 22 + noise.around(3) + (69 + noise.around(2)) * few + 11 * is_evaluation(t)
                system, wait = 3 + 3 * few + noise.around(0.6), 0.7 + noise.around(0.5)
            log.write(vmstat_row(BEGIN, t + 1, user, system, wait, n, CORES))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "throttled")
    write_gpus(folder)
    write_host(folder)


if __name__ == "__main__":
    main()
