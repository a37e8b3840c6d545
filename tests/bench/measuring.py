"""measuring.py - for the scripts of this folder: what commands take, and tables of it.

A time is always told as a multiple of another one that was taken just before it, so that a busy machine slows both alike.
"""

import math
import os
import shutil
import subprocess
import tempfile

MB = 1e6
STATUS_STAYS_CACHED = 3  # of measure.c
ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "HOME": "/nonexistent", "MPLCONFIGDIR": "/nonexistent"}


class CannotMeasure(Exception):
    pass


class StaysCached(Exception):
    pass


class Took:
    def __init__(self, line):
        wall, cpu, peak, status = line.split()
        self.wall, self.cpu, self.peak, self.status = float(wall), float(cpu), float(peak), int(status)


def ready_bytes():
    """As much memory as is made ready for each command: what most of them need, and not a log's pages' worth of a small machine."""
    with open("/proc/meminfo", encoding="ascii") as file:
        free = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable:"))
    return min(1 << 30, free // 16)


class Bench:
    """The programs of a build folder, and a room for logs, which is gone afterwards."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.room = tempfile.mkdtemp(prefix="bench-", dir=self.build)
        self.environment = dict(os.environ, **ENVIRONMENT)
        self.cpus = sorted(os.sched_getaffinity(0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.room)

    def program(self, name):
        return os.path.join(self.build, "tests", "bench", name)

    def place(self, name):
        return os.path.join(self.room, name)

    def generate(self, name, n_bytes, gpus=8, quoted=0, work="gpu"):
        """On the disk, too: else whoever waits for a file of its own there waits for this one."""
        with open(self.place(name), "wb") as file:
            subprocess.run([self.program("gen"), work, str(n_bytes), str(gpus), str(quoted)], stdout=file, check=True)
            os.fsync(file.fileno())
        return self.place(name)

    def first_cpus(self, n):
        return ",".join(str(cpu) for cpu in self.cpus[:n])

    def measure(self, command, cpus=1, output=os.devnull, cold=None):
        """A command as a list; its standard output goes to a file, what it complains of is shown when it fails."""
        before = ["-c", self.first_cpus(cpus), "-m", str(ready_bytes())] + (["-d", cold] if cold else [])
        done = subprocess.run([self.program("measure"), *before, output, *command], env=self.environment, cwd=self.room,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode == STATUS_STAYS_CACHED:
            raise StaysCached
        if done.returncode != 0 or Took(done.stdout).status != 0:
            raise CannotMeasure("%s: %s" % (" ".join(command), (done.stderr or done.stdout).strip()[-300:]))
        return Took(done.stdout)


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def exponent(sizes, costs):
    """Of the power law through all points, by least squares of logarithms: 1 is linear, 0 is constant."""
    x, y = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def plain(value):
    """Three digits or more, never an exponent: 0.0123, 1.24, 12.4, 124, 1240."""
    if value == 0:
        return "0"
    return "%.*f" % (max(0, 2 - math.floor(math.log10(abs(value)))), value)


def table(head, rows):
    """Markdown that reads well as it is. The first column is text and flush left, those with a ':' before their name too."""
    is_text = [i == 0 or name.startswith(":") for i, name in enumerate(head)]
    lines = [[name.lstrip(":") for name in head], *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]

    def line_of(cells):
        return "| " + " | ".join(cell.ljust(width) if text else cell.rjust(width)
                                 for cell, width, text in zip(cells, widths, is_text)) + " |"

    rule = "|" + "|".join("-" * (width + 2) if text else "-" * (width + 1) + ":" for width, text in zip(widths, is_text)) + "|"
    return [line_of(lines[0]), rule, *(line_of(row) for row in lines[1:])]
