#!/usr/bin/env python3
"""stats.py - the statistics of a report, computed a second time, from the logs alone.

    tests/reference/stats.py RUNDIR [BEGIN END]     prints them as JSON (BEGIN, END: ms since 1970, UTC)
    tests/reference/stats.py --selftest

Nothing here comes from the program: the logs are read by the csv module and by splitting at
blanks, every number is an exact fraction, and only the last step makes floating point of it.
The definitions are those of src/series/track.h and src/series/stats.h:

  - Values are whole millionths of the metric's unit, halves rounded away from zero.
  - A sample holds until the next. If that is more than 3 median steps away, and after the last
    sample, it holds for one median step. The median step is the element (n - 1) / 2, rounded
    down, of the sorted differences.
  - mpstat's and vmstat's rows describe the interval that ends at their stamp: the value holds
    from the stamp of the row before (mpstat's first: from that of the first header; vmstat's
    first data row is the average since boot: only its stamp is used).
  - All is clipped to the run: all that a GPU log covers.
  - mean = sum(value x ms) / sum(ms). The quantile q is the smallest value for which the samples
    up to it weigh at least q x the total. stddev is that of the weighted population.
  - coverage is the known share of the run.
"""

import csv
import gzip
import json
import math
import os
import re
import sys
from datetime import datetime, timezone
from fractions import Fraction

HOLE_STEPS = 3
QUARTER_HOUR_MS = 15 * 60 * 1000
MILLION = 1000000

# --- numbers and times ---------------------------------------------------------------------------------------


def millionths(value):
    """An exact fraction rounded to whole millionths, halves away from zero."""
    scaled = abs(value) * MILLION
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Fraction(whole if value >= 0 else -whole, MILLION)


def number(text):
    """The decimal at the front of a cell, units behind it ignored; None if there is none."""
    match = re.match(r"\s*(-?\d+(?:\.\d+)?)", text)
    return Fraction(match.group(1)) if match else None


def share(percent):
    """Rounded shares can add up to 100.01 or leave -0.01; a share is within 0 and 100."""
    return min(Fraction(100), max(Fraction(0), percent))


def utc_ms(text, pattern):
    moment = datetime.strptime(text, pattern).replace(tzinfo=timezone.utc)
    return round(moment.timestamp() * 1000)


# --- logs: {(entity, metric): [(begin_ms, value or None), ...]} in the log's own time --------------------------

GPU_COLUMNS = {
    "utilization.gpu": "gpu.util",
    "utilization.memory": "gpu.mem_util",
    "memory.used": "gpu.mem_used",
    "memory.total": "gpu.mem_total",
    "power.draw": "gpu.power",
    "temperature.gpu": "gpu.temp",
    "temperature.memory": "gpu.temp_mem",
    "temperature.gpu.tlimit": "gpu.temp_margin",
    "clocks.current.sm": "gpu.clock_sm",
    "clocks.sm": "gpu.clock_sm",
    "clocks.max.sm": "gpu.clock_sm_max",
    "clocks.current.memory": "gpu.clock_mem",
    "clocks.mem": "gpu.clock_mem",
    "fan.speed": "gpu.fan",
    "pcie.link.gen.current": "gpu.pcie_gen",
    "pcie.link.gen.max": "gpu.pcie_gen_max",
    "pcie.link.width.current": "gpu.pcie_width",
    "pcie.link.width.max": "gpu.pcie_width_max",
    "ecc.errors.corrected.volatile.total": "gpu.ecc_corrected",
    "ecc.errors.uncorrected.volatile.total": "gpu.ecc_uncorrected",
    "utilization.encoder": "gpu.enc_util",
    "utilization.decoder": "gpu.dec_util",
}

# nvml.h, nvmlClocksEventReason*: bit, column, metric.
THROTTLE = [
    (0x001, "gpu_idle", "idle"),
    (0x002, "applications_clocks_setting", "app_clocks"),
    (0x004, "sw_power_cap", "sw_power"),
    (0x008, "hw_slowdown", "hw_slowdown"),
    (0x010, "sync_boost", "sync_boost"),
    (0x020, "sw_thermal_slowdown", "sw_thermal"),
    (0x040, "hw_thermal_slowdown", "hw_thermal"),
    (0x080, "hw_power_brake_slowdown", "hw_brake"),
    (0x100, "display_clocks_setting", "display"),
]


def gpu_values(row):
    """One row of nvidia-smi, a dict by bare column name, as {metric: value or None}."""
    values = {}
    for column, metric in GPU_COLUMNS.items():
        if column in row:
            values[metric] = number(row[column])
    for column in ("power.limit", "enforced.power.limit"):  # the one in force wins
        if number(row.get(column, "")) is not None:
            values["gpu.power_limit"] = number(row[column])
    if "pstate" in row:
        values["gpu.pstate"] = number(row["pstate"].strip().lstrip("P"))
    mask = row.get("clocks_event_reasons.active", row.get("clocks_throttle_reasons.active"))
    if mask is not None:
        bits = int(mask, 16) if re.match(r"\s*0x[0-9a-fA-F]+\s*$", mask) else None
        values["gpu.throttle"] = None if bits is None else Fraction(bits)
        for bit, _, metric in THROTTLE:
            values["gpu.throttle." + metric] = None if bits is None else Fraction(1 if bits & bit else 0)
    for _, column, metric in THROTTLE:
        word = row.get("clocks_event_reasons." + column, row.get("clocks_throttle_reasons." + column))
        if word is not None:
            values["gpu.throttle." + metric] = {"Active": Fraction(1), "Not Active": Fraction(0)}.get(word.strip())
    for metric, part, whole in (
        ("gpu.mem_share", "gpu.mem_used", "gpu.mem_total"),
        ("gpu.power_share", "gpu.power", "gpu.power_limit"),
        ("gpu.clock_share", "gpu.clock_sm", "gpu.clock_sm_max"),
    ):
        if part in values and whole in values:
            known = values[part] is not None and values[whole]
            values[metric] = 100 * values[part] / values[whole] if known else None
    if "gpu.power_share" in values:
        values["gpu.power_level"] = values["gpu.power_share"]
    return {metric: None if value is None else millionths(value) for metric, value in values.items()}


def numbered(tracks):
    """GPUs without an index get the one that nvidia-smi would give them: their place in the order of the bus."""
    gpus = sorted({gpu for gpu, _ in tracks})
    if not all(gpu.isdigit() for gpu in gpus):
        return {("gpu%d" % gpus.index(gpu), metric): samples for (gpu, metric), samples in tracks.items()}
    return {("gpu" + gpu, metric): samples for (gpu, metric), samples in tracks.items()}


def read_gpu_log(path):
    tracks = {}
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file, skipinitialspace=True)
        heads = None
        for cells in rows:
            if cells and cells[0].strip() == "timestamp":
                heads = [re.sub(r"\s*\[.*\]\s*$", "", head).strip() for head in cells]
                continue
            if not heads or len(cells) != len(heads):
                continue
            row = dict(zip(heads, cells))
            when = utc_ms(row["timestamp"].strip() + "000", "%Y/%m/%d %H:%M:%S.%f")
            gpu = row.get("index", row.get("pci.bus_id", row.get("uuid", "0"))).strip()
            for metric, value in gpu_values(row).items():
                tracks.setdefault((gpu, metric), []).append((when, value))
    return numbered(tracks)


def from_interval_ends(stamps, begin):
    """Stamps of interval ends as begins of intervals."""
    return [begin] + stamps[:-1]


def read_mpstat(path):
    tracks, ends = {}, {}
    date = first = heads = None
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            banner = re.search(r"\(\S+\)\s+(\d\d/\d\d/)(?:20)?(\d\d)\s", line)
            if line.startswith("Linux") and banner:
                date = banner.group(1) + "20" + banner.group(2)
                continue
            words = line.split()
            if not words or words[0] == "Average:":
                continue
            twelve = words[1] in ("AM", "PM")
            stamp = date + " " + " ".join(words[: 2 if twelve else 1])
            when = utc_ms(stamp, "%m/%d/%Y %I:%M:%S %p" if twelve else "%m/%d/%Y %H:%M:%S")
            cells = words[2 if twelve else 1 :]
            if cells[0] == "CPU":
                heads = cells
                first = when if first is None else first
                continue
            row = {head: number(cell) for head, cell in zip(heads[1:], cells[1:])}
            busy = 100 - row["%idle"] - row["%iowait"] - row["%steal"]
            if cells[0] == "all":
                values = {
                    "host.cpu.busy": busy,
                    "host.cpu.user": row["%usr"] + row["%nice"],
                    "host.cpu.system": row["%sys"] + row["%irq"] + row["%soft"],
                    "host.cpu.iowait": row["%iowait"],
                    "host.cpu.steal": row["%steal"],
                }
                entity = ""
            else:
                values, entity = {"core.busy": busy}, "core" + cells[0]
            for metric, value in values.items():
                tracks.setdefault((entity, metric), []).append(millionths(share(value)))
                ends.setdefault((entity, metric), []).append(when)
    return {key: list(zip(from_interval_ends(ends[key], first), values)) for key, values in tracks.items()}


def read_vmstat(path):
    tracks, stamps = {}, []
    heads = None
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if "swpd" in words:
                heads = words
            if not heads or not words or not words[0].isdigit():
                continue
            row = {head: number(cell) for head, cell in zip(heads, words)}
            stamps.append(utc_ms(" ".join(words[-2:]), "%Y-%m-%d %H:%M:%S"))
            values = {
                "host.cpu.busy": share(100 - row["id"] - row["wa"] - row["st"]),
                "host.cpu.user": row["us"],
                "host.cpu.system": row["sy"],
                "host.cpu.iowait": row["wa"],
                "host.cpu.steal": row["st"],
                "host.runq": row["r"],
                "host.blocked": row["b"],
                "host.mem_free": row["free"] / 1024,
                "host.swap_used": row["swpd"] / 1024,
                "host.swap_in": row["si"],
                "host.swap_out": row["so"],
                "host.disk_read": row["bi"],
                "host.disk_write": row["bo"],
            }
            for metric, value in values.items():
                tracks.setdefault(("", metric), []).append(millionths(value))
    return {key: list(zip(stamps[:-1], values[1:])) for key, values in tracks.items()}


# --- a run: its logs on one axis -------------------------------------------------------------------------------


def shifted(tracks, ms):
    return {key: [(when + ms, value) for when, value in samples] for key, samples in tracks.items()}


def first_stamp(tracks):
    return min(samples[0][0] for samples in tracks.values())


def read_run(folder):
    """{(entity, metric, source): samples}. The GPU log is moved by the quarter hours that separate it from the
    CPU logs, which are in UTC. Where two logs know a metric, the one with more decimals is kept: mpstat."""

    def there(name):
        return os.path.exists(os.path.join(folder, name))

    logs = {}
    for name in ("mpstat.txt", "mpstat.txt.gz"):
        if there(name):
            logs[name] = read_mpstat(os.path.join(folder, name))
    if there("vmstat.txt"):
        logs["vmstat.txt"] = read_vmstat(os.path.join(folder, "vmstat.txt"))
    gpu = read_gpu_log(os.path.join(folder, "gpu.csv"))
    if logs:
        apart = first_stamp(gpu) - min(first_stamp(log) for log in logs.values())
        gpu = shifted(gpu, -round(Fraction(apart, QUARTER_HOUR_MS)) * QUARTER_HOUR_MS)
    run = {(entity, metric): ("gpu.csv", samples) for (entity, metric), samples in gpu.items()}
    for name, log in logs.items():
        for key, samples in log.items():
            run.setdefault(key, (name, samples))
    return run


# --- the statistics --------------------------------------------------------------------------------------------


def median_step(times):
    steps = sorted(b - a for a, b in zip(times, times[1:]))
    return steps[(len(steps) - 1) // 2] if steps else 0


def holds(samples):
    """[(begin, end, value)], half-open, holes left out."""
    times = [when for when, _ in samples]
    step = median_step(times)
    spans = []
    for i, (when, value) in enumerate(samples):
        end = when + step
        if i + 1 < len(samples) and times[i + 1] - when <= HOLE_STEPS * step:
            end = times[i + 1]
        spans.append((when, end, value))
    return spans


def run_span(run):
    """All time that a GPU log covers, all GPUs together."""
    begins, ends = [], []
    for (entity, _), (source, samples) in run.items():
        if source == "gpu.csv":
            begins.append(samples[0][0])
            ends.append(samples[-1][0] + median_step([when for when, _ in samples]))
    return min(begins), max(ends)


def quantile(weighed, total, q):
    """weighed: (value, ms) in ascending order."""
    up_to = 0
    for value, ms in weighed:
        up_to += ms
        if up_to >= q * total:
            return value
    return None


def statistics(samples, begin, end):
    weights = {}
    for first, until, value in holds(samples):
        ms = min(until, end) - max(first, begin)
        if value is not None and ms > 0:
            weights[value] = weights.get(value, 0) + ms
    total = sum(weights.values())
    if total == 0:
        return None
    mean = sum(value * ms for value, ms in weights.items()) / total
    variance = sum((value - mean) ** 2 * ms for value, ms in weights.items()) / total
    weighed = sorted(weights.items())
    return {
        "mean": float(mean),
        "min": float(weighed[0][0]),
        "p5": float(quantile(weighed, total, Fraction(5, 100))),
        "p50": float(quantile(weighed, total, Fraction(50, 100))),
        "p95": float(quantile(weighed, total, Fraction(95, 100))),
        "max": float(weighed[-1][0]),
        "stddev": math.sqrt(variance),
        "coverage": float(Fraction(total, end - begin)),
        "integral_hours": float(mean * total / 3600000),
    }


def run_statistics(folder, begin=None, end=None):
    """{"begin", "end", "statistics": {"gpu0 gpu.util": {...}}}; entities without their host, a host is ""."""
    run = read_run(folder)
    own_begin, own_end = run_span(run)
    begin = own_begin if begin is None else begin
    end = own_end if end is None else end
    found = {}
    for (entity, metric), (source, samples) in sorted(run.items()):
        result = statistics(samples, begin, end)
        if result:
            found[(entity + " " + metric).strip()] = dict(result, source=source)
    return {"begin": own_begin, "end": own_end, "statistics": found}


# --- facts by hand ---------------------------------------------------------------------------------------------


def selftest():
    def near(a, b):
        assert abs(a - b) < 1e-12, (a, b)

    assert number("[N/A]") is None and number(" 45 %") == 45 and number("-3.25 W") == Fraction(-13, 4)
    assert millionths(Fraction(1, 3)) == Fraction(333333, MILLION)
    assert millionths(Fraction(-5, 10**7)) == Fraction(-1, MILLION)
    assert utc_ms("2026/11/21 01:48:34.387000", "%Y/%m/%d %H:%M:%S.%f") == 1795225714387
    assert median_step([0, 10, 30, 70]) == 20 and median_step([0, 10, 30]) == 10 and median_step([5]) == 0
    # steps 10 10 31 10: a hole before 51, as 31 > 3 x 10; 30 would be none
    samples = [(0, Fraction(1)), (10, Fraction(3)), (20, Fraction(5)), (51, None), (61, Fraction(7))]
    assert [(a, b) for a, b, _ in holds(samples)] == [(0, 10), (10, 20), (20, 30), (51, 61), (61, 71)]
    facts = statistics(samples, 5, 66)  # 1 for 5 ms, 3 and 5 for 10 ms, 7 for 5 ms
    near(facts["mean"], (5 + 30 + 50 + 35) / 30)
    near(facts["coverage"], 30 / 61)
    near(facts["p50"], 3)  # 15 of 30 ms are at 3 or below
    near(facts["p95"], 7)
    near(facts["stddev"], math.sqrt((9 * 5 + 1 * 10 + 1 * 10 + 9 * 5) / 30))
    assert statistics([(0, None), (10, None)], 0, 20) is None
    print("stats.py: its own facts hold")


def main():
    if sys.argv[1:] == ["--selftest"]:
        selftest()
    elif len(sys.argv) in (2, 4):
        json.dump(run_statistics(sys.argv[1], *map(int, sys.argv[2:])), sys.stdout, indent=2)
        print()
    else:
        sys.exit(__doc__.split("\n\n")[1])


if __name__ == "__main__":
    main()
