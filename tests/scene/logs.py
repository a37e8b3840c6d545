"""logs.py - runs for the stress matrix: few rows, but any number of GPUs, any length, names of any length, columns missing.

What happens in each run: an idle head, work, a stretch in which the GPUs starve while the CPUs are full, a hole in
the log of the GPUs, a stretch in which every eighth GPU is hot and slow, checkpoints, an idle tail.
"""

import functools
import os
from datetime import datetime, timedelta, timezone

BEGIN = datetime(2024, 5, 14, 9, 12, 7, tzinfo=timezone.utc)
DAY = 86400
LENGTHS = {"45s": 45, "10min": 600, "2h": 7200, "26h": 26 * 3600, "3d": 3 * DAY, "16d": 16 * DAY, "75d": 75 * DAY}
GPUS = [1, 2, 8, 16, 64, 512]
GPUS_OF_HOST = 8
COLUMNS = ["name", "utilization.gpu [%]", "memory.used [MiB]", "memory.total [MiB]", "temperature.gpu", "power.draw [W]",
           "enforced.power.limit [W]", "clocks.current.sm [MHz]", "clocks.max.sm [MHz]", "clocks_event_reasons.active"]
CPU = "cpu log"
MISSING = [None, CPU] + COLUMNS
# What pictures call what can't be known for want of a column; the name of the card is no measurement.
SAID = {CPU: "CPU busy", "utilization.gpu [%]": "GPU busy", "memory.used [MiB]": "GPU memory", "memory.total [MiB]": "size of the memory",
        "temperature.gpu": "GPU temperature", "power.draw [W]": "GPU power", "enforced.power.limit [W]": "power limit",
        "clocks.current.sm [MHz]": "SM clock", "clocks.max.sm [MHz]": "highest SM clock", "clocks_event_reasons.active": "throttle reasons"}
SHORT = {"run": "abc", "host": "n{:02}", "gpu": "GPX"}
LONG = {"run": "a-name-of-exactly-sixty-characters-that-somebody-gave-to-run",
        "host": "compute-node-with-a-name-of-sixty-characters-in-cluster-x{:03}",
        "gpu": "ACME Accelerator With A Marketing Name Of Sixty Chars 80GB X"}
assert len(LONG["run"]) == len(LONG["host"].format(1)) == len(LONG["gpu"]) == 60
HOLE = (0.56, 0.61)


def noise(*seeds):
    h = 0x9E3779B9
    for seed in seeds:
        h = (h ^ (seed + 1)) * 2654435761 & 0xFFFFFFFF
        h ^= h >> 15
    return h / 0xFFFFFFFF


def is_starved(at):
    return 0.27 < at < 0.40


def is_hot(at, gpu):
    return 0.65 < at < 0.83 and gpu % 8 == 3


def busy_at(at, gpu, i):
    if at < 0.05 or at > 0.95:
        return 0
    if is_starved(at):
        return int(80 * noise(gpu, i))
    return 55 if i % 29 == 0 else int(96 + 3.9 * noise(gpu, i))


def cells_at(at, gpu, i):
    """Of all columns but the first, the name."""
    busy, hot, jitter = busy_at(at, gpu, i), is_hot(at, gpu), noise(gpu, i, 7)
    temperature = 87 + 3 * jitter if hot else 34 + busy * 0.3 + gpu % 8
    power = 75 + busy * (3.6 if hot else 5.2) + 6 * jitter
    clock = 1200 + 150 * jitter if hot else 1965 if busy else 345
    reasons = 0x48 if hot and jitter > 0.8 else 0x20 if hot else 0 if busy else 1
    return [f"{busy} %", f"{62000 + 400 * (gpu % 3) if at > 0.05 else 500} MiB", "81559 MiB", str(int(temperature)), f"{power:.2f} W",
            "700.00 W", f"{int(clock)} MHz", "1980 MHz", f"0x{reasons:016x}"]


def n_rows(n_gpus, length):
    return max(40, min(160, 4000 // n_gpus, length * 2))


@functools.lru_cache(maxsize=1)
def rows_of(n_gpus, length):
    """Of each host the rows of its GPUs: time, index, cells. The runs that differ in names and columns are made of the same ones."""
    rows, hosts = n_rows(n_gpus, length), []
    for begin in range(0, n_gpus, GPUS_OF_HOST):
        own = []
        for i in range(rows):
            at = i / (rows - 1)
            if HOLE[0] < at < HOLE[1]:
                continue
            stamp = (BEGIN + timedelta(seconds=length * at)).strftime("%Y/%m/%d %H:%M:%S.%f")[:-3]
            for gpu in range(begin, min(n_gpus, begin + GPUS_OF_HOST)):
                own.append([stamp, str(gpu % GPUS_OF_HOST)] + cells_at(at, gpu, i))
        hosts.append(own)
    return hosts


def gpu_log(path, rows, name, missing):
    kept = [column for column in COLUMNS if column != missing]
    at = COLUMNS.index(missing) + 1 if missing in COLUMNS[1:] else None  # of the cells, in which there is no name
    with open(path, "w", encoding="utf-8") as out:
        out.write(", ".join(["timestamp", "index"] + kept) + "\n")
        for row in rows:
            head = row[:2] + [name] if missing != COLUMNS[0] else row[:2]
            out.write(", ".join(head + (row[2:] if at is None else row[2:at] + row[at + 1:])) + "\n")


@functools.lru_cache(maxsize=1)
def cpu_rows(length, rows):
    text = ("procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
            " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n")
    for i in range(rows):
        at = i / (rows - 1)
        us = int((95 if is_starved(at) else 24) + 3 * noise(i))
        stamp = (BEGIN + timedelta(seconds=int(length * at))).strftime("%Y-%m-%d %H:%M:%S")
        text += f" 1  0      0 525380  23352 213388    0    0     3     2   74   38 {us:2}  1 {99 - us:2}  0  0 {stamp}\n"
    return text


def write_run(folder, n_gpus, length, names, missing):
    """A folder with the logs of a run; returns it."""
    run = os.path.join(folder, names["run"])
    os.makedirs(run)
    for host, rows in enumerate(rows_of(n_gpus, length)):
        own = names["host"].format(host + 1)
        gpu_log(os.path.join(run, own + "-gpu.csv"), rows, names["gpu"], missing)
        if missing != CPU and host < 8:
            with open(os.path.join(run, own + "-vmstat.txt"), "w", encoding="utf-8") as out:
                out.write(cpu_rows(length, min(n_rows(n_gpus, length), length)))
    return run


def long_names(n_gpus):
    """All names of a run with long ones: what of them may be shortened in pictures."""
    hosts = [LONG["host"].format(i + 1) for i in range((n_gpus + GPUS_OF_HOST - 1) // GPUS_OF_HOST)]
    return [LONG["run"], LONG["gpu"]] + hosts
