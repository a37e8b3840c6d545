"""rewritten.py - logs of a run, taken apart, written anew, and given in other ways.

For tests that change one thing and ask what else changes. Of nvidia-smi's CSV the cells, of vmstat and mpstat only the times.
Nothing here is learned from the program.
"""

import gzip
import io
import os
import re
import subprocess
import tarfile
import zipfile
from datetime import datetime, timedelta

GPU, CPU = "gpu.csv", ("vmstat.txt", "mpstat.txt")
STAMP = "%Y/%m/%d %H:%M:%S.%f"
VMSTAT_TIME = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
MPSTAT_DATE = re.compile(rb"\d\d/\d\d/\d{4}")
MPSTAT_TIME = re.compile(rb"^\d\d:\d\d:\d\d [AP]M")


class GpuLog:
    """nvidia-smi's CSV as cells; no cell of these logs is quoted."""

    def __init__(self, text):
        lines = text.decode().splitlines()
        self.head = lines[0].split(", ")
        self.rows = [line.split(", ") for line in lines[1:]]
        if any(len(row) != len(self.head) for row in self.rows):
            raise ValueError("a row has more cells than the header, or less")

    def column(self, name):
        """Where it stands; None: it was not logged."""
        return next((i for i, head in enumerate(self.head) if head.split(" [")[0] == name), None)

    def gpu_of(self, row):
        key = next((at for at in map(self.column, ("index", "uuid", "pci.bus_id")) if at is not None), None)
        return row[key] if key is not None else "0"

    def gpus(self):
        return sorted({self.gpu_of(row) for row in self.rows})

    def polls(self):
        """The rows, a list each time the logger looked."""
        polls = []
        for row in self.rows:
            if not polls or self.gpu_of(row) in map(self.gpu_of, polls[-1]):
                polls.append([])
            polls[-1].append(row)
        return polls

    def with_rows(self, rows):
        other = GpuLog.__new__(GpuLog)
        other.head, other.rows = self.head, list(rows)
        return other

    def with_cells(self, change):
        """change(name of the column, cell, row) gives the new cell."""
        names = [head.split(" [")[0] for head in self.head]
        return self.with_rows([change(name, cell, row) for name, cell in zip(names, row)] for row in self.rows)

    def written(self, comma=", ", cell=str, end="\n"):
        return "".join(comma.join(map(cell, row)) + end for row in [self.head, *self.rows]).encode()


class Run:
    """A folder's logs, unpacked, by name."""

    def __init__(self, folder):
        self.name = os.path.basename(os.path.normpath(folder))
        texts = {}
        for name in sorted(os.listdir(folder)):
            if os.path.isfile(os.path.join(folder, name)) and name != "phases.txt":
                with (gzip.open if name.endswith(".gz") else open)(os.path.join(folder, name), "rb") as file:
                    texts[name.removesuffix(".gz")] = file.read()
        if GPU not in texts:
            texts[GPU] = texts.pop("gpu-all.csv")
        self.logs = {name: texts[name] for name in (GPU, *CPU) if name in texts}
        self.others = {name: text for name, text in texts.items() if name not in self.logs}
        self.gpu = GpuLog(self.logs[GPU])

    def with_gpu(self, log):
        return {**self.logs, GPU: log if isinstance(log, bytes) else log.written()}

    def spoiled(self):
        """The same with one cell of the first GPU that is another."""
        other = Run.__new__(Run)
        other.__dict__.update(self.__dict__)
        at = self.gpu.column("memory.used")
        own = [i for i, row in enumerate(self.gpu.rows) if self.gpu.gpu_of(row) == self.gpu.gpu_of(self.gpu.rows[0])]
        middle = own[len(own) // 2]
        rows = [row if i != middle else row[:at] + ["33333 MiB"] + row[at + 1:] for i, row in enumerate(self.gpu.rows)]
        other.gpu = self.gpu.with_rows(rows)
        other.logs = other.with_gpu(other.gpu)
        return other


def moved_gpu(text, move):
    log = GpuLog(text)

    def moved_cell(name, cell, _):
        return move(datetime.strptime(cell, STAMP)).strftime(STAMP)[:-3] if name == "timestamp" else cell
    return log.with_cells(moved_cell).written()


def moved_vmstat(text, move):
    form = "%Y-%m-%d %H:%M:%S"
    return VMSTAT_TIME.sub(lambda found: move(datetime.strptime(found[0].decode(), form)).strftime(form).encode(), text)


def moved_mpstat(text, move):
    """Its banner has the day of the first row; times of day go on past midnight."""
    day = datetime.strptime(MPSTAT_DATE.search(text)[0].decode(), "%m/%d/%Y")
    last, lines = None, []
    for line in text.splitlines(keepends=True):
        found = MPSTAT_TIME.match(line)
        if found:
            time = datetime.combine(day, datetime.strptime(found[0].decode(), "%I:%M:%S %p").time())
            if last and time < last:
                day, time = day + timedelta(days=1), time + timedelta(days=1)
            if not last:
                banner = move(time)
            last = time
            line = move(time).strftime("%I:%M:%S %p").encode() + line[found.end():]
        lines.append(line)
    return MPSTAT_DATE.sub(banner.strftime("%m/%d/%Y").encode(), b"".join(lines), count=1)


MOVED = {"gpu.csv": moved_gpu, "vmstat.txt": moved_vmstat, "mpstat.txt": moved_mpstat}


def moved(logs, move, names=MOVED):
    """Each time t of the logs of these names becomes move(t), as the log itself tells it."""
    return {name: MOVED[name](text, move) if name in names else text for name, text in logs.items()}


# ---------------------------------------------------------------- how logs are given

class Asked:
    """Logs by name, how they lie there, what is said on the command line."""

    def __init__(self, logs, options=(), form=None):
        self.logs, self.options, self.form = logs, list(options), form or as_files


def as_files(place, logs):
    """Paths, and the pieces that come through the standard input."""
    os.mkdir(os.path.join(place, "run"))
    for name, text in logs.items():
        with open(os.path.join(place, "run", name), "wb") as file:
            file.write(text)
    return ["run/" + name for name in logs], []


def packed(suffix, pack):
    def form(place, logs):
        return as_files(place, {name + suffix: pack(text) for name, text in logs.items()})
    form.__name__ = "packed_as_" + suffix[1:]
    return form


def zstd(text):
    return subprocess.run(["zstd", "-q", "-c"], input=text, stdout=subprocess.PIPE, check=True).stdout


def in_tar(place, logs):
    with tarfile.open(os.path.join(place, "run.tar"), "w") as tar:
        for name, text in logs.items():
            member = tarfile.TarInfo("run/" + name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    return ["run.tar"], []


def in_zip(place, logs):
    with zipfile.ZipFile(os.path.join(place, "run.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in logs.items():
            archive.writestr("run/" + name, text)
    return ["run.zip"], []


def through_a_pipe(place, logs, n_bytes=1 << 16):
    paths, _ = as_files(place, logs)
    first = next(iter(logs.values()))
    return ["-", *paths[1:]], [first[i:i + n_bytes] for i in range(0, len(first), n_bytes)]


def in_small_pieces(place, logs):
    return through_a_pipe(place, logs, 997)


def last_first(place, logs):
    paths, _ = as_files(place, logs)
    return paths[::-1], []
