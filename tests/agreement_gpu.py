#!/usr/bin/env python3
"""agreement_gpu.py - one minute, logged by many tools at once: they must say the same.

    tests/agreement_gpu.py PROGRAM RECORDINGS

Each log of LOGS takes the place of the recordings' gpu.csv beside vmstat.txt and mpstat.txt.
  findings  the same, less those whose rule the log has no data for; none that gpu.csv doesn't give, but for symptoms (COARSE).
  means     both logs are cut to the stretch of BUSY, so that no edge of the work decides. What the
            means may then differ by is TOLERANCE, and what chance allows: a log that looks n times at
            a thing that varies by s has a mean uncertain by s / sqrt(n); thrice that is granted.
            Each log's means are summed here, too: what the reader may differ by is 0.5 points and 0.5 %.
  processes pmon.txt and apps.csv, read by the program, and apps.csv, summed here, name as many and as much memory.
  phases    the columns of dmon-gpm.txt, while the run called wide computed and while it moved memory, summed here.

The run `wide` has other logs: its documents, -q and -q -x, are held to the cells of gpu-all.csv (means only).

The last line is "N passed, N failed".
"""

import csv
import gzip
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta

# run: hours that nvidia-smi's clock is east of UTC, stretch of steady work in UTC
BUSY = {
    "healthy": (0, "2026-11-21 01:48:46", "2026-11-21 01:49:25"),
    "balanced_4gpu": (0, "2026-11-21 01:57:42", "2026-11-21 01:58:22"),
    "straggler_4gpu": (0, "2026-11-21 01:58:42", "2026-11-21 01:59:27"),
    "loader_bound": (0, "2026-11-21 01:49:55", "2026-11-21 01:50:45"),
    "loader_fixed": (0, "2026-11-21 02:07:00", "2026-11-21 02:07:52"),
    "one_worker": (-5, "2026-11-21 01:51:07", "2026-11-21 01:51:36"),
    "phases": (5.5, "2026-11-21 01:55:06", "2026-11-21 01:55:14"),
}
# log: what a line must match to carry a time, and how that time is written. Lines without one go with the line before.
LOGS = {
    "gpu.csv": (r"^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)", "%Y/%m/%d %H:%M:%S"),
    "gpu-nounits.csv": (r"^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)", "%Y/%m/%d %H:%M:%S"),
    "gpu-noheader.csv": (r"^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)", "%Y/%m/%d %H:%M:%S"),
    "dmon.txt": (r"^ (\d{8} +\d\d:\d\d:\d\d)", "%Y%m%d %H:%M:%S"),
    "dmon.csv": (r"^ (\d{8}, \d\d:\d\d:\d\d)", "%Y%m%d, %H:%M:%S"),
    "table.txt": (r"^(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}) *$", "%a %b %d %H:%M:%S %Y"),
}
COARSE = ["table.txt"]  # a look every 5 s
# What a user would have to say of a log.
OPTIONS = {"gpu-noheader.csv": ["--columns", "timestamp,index,utilization.gpu,memory.used,temperature.gpu,power.draw"]}
# the run of documents: hours east, stretch of steady work; how a document begins, by file
WIDE = ("wide", 0, "2026-11-21 03:11:04", "2026-11-21 03:11:14")
DOCUMENTS = {"smi-q.txt.gz": "==============NVSMI LOG==============", "smi-q.xml.gz": "<?xml "}
STAMP = r"(?:Timestamp +: |<timestamp>)(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})"
# logs that hold other things than gpu.csv, cut in the same way
OTHERS = {"pmon.txt": LOGS["dmon.txt"], "apps.csv": LOGS["gpu.csv"]}
# the run called wide: stretches of steady work in UTC, and the columns of its dmon-gpm.txt
WIDE_PHASES = {"compute": ("03:11:03", "03:11:13"), "memory": ("03:11:20", "03:11:27")}
GPM = {"gpu.sm_active": "smutil", "gpu.sm_occupancy": "smocc", "gpu.tensor_active": "mmaact", "gpu.dram_active": "dram",
       "gpu.fp16_active": "fp16"}
# metric: points, or a share of the value where it ends in %
TOLERANCE = {"gpu.util": "2", "gpu.power": "2%", "gpu.mem_used": "0.5%"}


def cut(path, kind, begin, end):
    """The lines of a log from `begin` to `end`; what has no time of its own goes with what came before it."""
    pattern, form = {**LOGS, **OTHERS}[kind]
    kept, inside = [], kind != "table.txt"  # heads come first
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.match(pattern, line)
            if found:
                inside = begin <= datetime.strptime(re.sub(" +", " ", found[1]), form) < end
            if inside or line.startswith("#"):
                kept.append(line)
    return "".join(kept)


def cut_documents(path, mark, begin, end):
    """The documents of a packed log whose time is from `begin` to `end`."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        whole = [mark + part for part in file.read().split(mark)[1:]]
    times = [datetime.strptime(re.sub(" +", " ", re.search(STAMP, d)[1]), "%a %b %d %H:%M:%S %Y") for d in whole]
    return "".join(d for d, t in zip(whole, times) if begin <= t < end)


def report(program, folder, *logs):
    """report.json of these logs of a folder."""
    options = [word for log in logs for word in OPTIONS.get(log.removeprefix("whole-"), [])]
    done = subprocess.run([program, "report", *logs, *options, "-o", "out", "--format", "json"], cwd=folder,
                          capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def rules_without_data(said):
    """Rules that were judged on no entity."""
    judged = {j["rule"] for j in said["judgements"] if j["outcome"] in ("fired", "clear")}
    return {j["rule"] for j in said["judgements"]} - judged


def findings_agree(reference, said, coarse):
    """Complaints. A coarse log may miss so much of a cause that its symptom stands beside it."""
    want = [f["rule"] for f in reference["findings"] if f["rule"] not in rules_without_data(said)]
    have = [f["rule"] for f in said["findings"] if f["rule"] not in rules_without_data(reference)]
    symptoms = {s for f in reference["findings"] for s in f["symptoms"]} if coarse else set()
    have = have[:1] + [rule for rule in have[1:] if rule not in symptoms]
    if sorted(want) != sorted(have):
        yield f"findings {have}, from gpu.csv {want}"
    elif want and want[0] != have[0]:
        yield f"the main finding is {have[0]}, from gpu.csv {want[0]}"


def means(said):
    """Statistics by metric and number of the GPU."""
    return {(s["metric"], s["entity"].split("/")[-1]): s for s in said["statistics"] if s["metric"] in TOLERANCE}


def means_agree(reference, said, show):
    """Complaints."""
    rows = said["sources"][0]["rows"] / len(said["run"]["gpus"])
    have = means(said)
    for key, row in means(reference).items():
        if key not in have:
            yield f"{key[1]} {key[0]}: not there"
            continue
        tolerance = TOLERANCE[key[0]]
        share = row["mean"] / 100 if tolerance.endswith("%") else 1
        allowed = float(tolerance.rstrip("%")) * share + 3 * row["stddev"] / math.sqrt(rows)
        off = have[key]["mean"] - row["mean"]
        show(key, row["mean"], off, allowed)
        if abs(off) > allowed:
            yield f"{key[1]} {key[0]}: {have[key]['mean']:.2f}, from gpu.csv {row['mean']:.2f}, allowed {allowed:.2f}"


CELLS = {"gpu.util": "utilization.gpu", "gpu.power": "power.draw", "gpu.mem_used": "memory.used"}
DMON_CELLS = {"gpu.util": "sm", "gpu.power": "pwr", "gpu.mem_used": "fb"}
TABLE_ROW = r"^\|.*? (\d+)W / +\d+W \| +(\d+)MiB / +\d+MiB \| +(\d+)% "


def cells_by_hand(kind, text):
    """(gpu, moment, {metric: value}) of each row, read without our reader."""
    lines, moment, gpu = text.splitlines(), None, 0
    if kind.startswith("dmon"):
        heads = [head.strip() for head in re.split("[ ,]+", lines[0].lstrip("# ").strip())]
        for line in lines:
            cells = re.split("[ ,]+", line.strip())
            if not line.startswith("#"):
                yield (int(cells[heads.index("gpu")]), datetime.strptime(cells[0] + cells[1], "%Y%m%d%H:%M:%S"),
                       {metric: float(cells[heads.index(head)]) for metric, head in DMON_CELLS.items()})
    elif kind == "table.txt":
        for line in lines:
            if re.match(LOGS[kind][0], line):
                moment, gpu = datetime.strptime(re.sub(" +", " ", line.strip()), LOGS[kind][1]), 0
            found = re.match(TABLE_ROW, line)
            if found:
                yield gpu, moment, dict(zip(("gpu.power", "gpu.mem_used", "gpu.util"), map(float, found.groups())))
                gpu += 1
    else:
        heads = OPTIONS[kind][1].split(",") if kind in OPTIONS else [head.split()[0] for head in lines.pop(0).split(", ")]
        buses = sorted({line.split(", ")[heads.index("pci.bus_id")] for line in lines}) if "index" not in heads else None
        for line in lines:
            cells = line.split(", ")
            yield (buses.index(cells[heads.index("pci.bus_id")]) if buses else int(cells[heads.index("index")]),
                   datetime.strptime(cells[0], "%Y/%m/%d %H:%M:%S.%f"),
                   {metric: float(cells[heads.index(head)].split()[0]) for metric, head in CELLS.items()})


def means_by_hand(kind, text):
    """By metric and GPU: each value holds until the next, the last one for a usual step."""
    rows = {}
    for gpu, moment, values in cells_by_hand(kind, text):
        rows.setdefault(gpu, []).append((moment, values))
    for gpu, polls in rows.items():
        spans = [(b[0] - a[0]).total_seconds() for a, b in zip(polls, polls[1:])]
        spans.append(statistics.median_low(spans))
        for metric in TOLERANCE:
            yield (metric, "gpu%d" % gpu), sum(s * values[metric] for s, (_, values) in zip(spans, polls)) / sum(spans)


def read_as_written(kind, path, said):
    """Complaints: what the tools differ by is theirs, the reader adds nothing but how it weighs a late or early row."""
    have = means(said)
    with open(path, encoding="utf-8") as file:
        want = dict(means_by_hand(kind, file.read()))
    if not want or set(want) != set(have):
        yield f"series {sorted(have)}, by hand {sorted(want)}"
    for key in set(want) & set(have):
        allowed = 0.5 if key[0] == "gpu.util" else 0.005 * want[key]
        if abs(have[key]["mean"] - want[key]) > allowed:
            yield f"{key[1]} {key[0]}: {have[key]['mean']:.2f}, by hand {want[key]:.2f}"


def process_memory(path):
    """Mean of the summed memory of the processes of each GPU, by uuid, weighted by time: what apps.csv says, without our reader."""
    polls = {}
    with open(path, encoding="utf-8") as file:
        for line in list(file)[1:]:
            time, uuid, _, *_, memory = [cell.strip() for cell in line.split(",")]
            moment = datetime.strptime(time, "%Y/%m/%d %H:%M:%S.%f")
            rows = polls.setdefault(uuid, [])
            if rows and moment - rows[-1][0] < timedelta(seconds=0.25):
                rows[-1][1] += float(memory.split()[0])
            else:
                rows.append([moment, float(memory.split()[0])])
    result = []
    for rows in polls.values():
        spans = [(b[0] - a[0]).total_seconds() for a, b in zip(rows, rows[1:])]
        spans.append(sorted(spans)[(len(spans) - 1) // 2])
        result.append(sum(s * row[1] for s, row in zip(spans, rows)) / sum(spans))
    return result


def processes_agree(program, folder, show):
    """Complaints. GPUs come in the order of the file in both."""
    said = report(program, folder, "apps.csv")
    have = [s["mean"] for s in said["statistics"] if s["metric"] == "gpu.proc.mem_used"]
    want = process_memory(os.path.join(folder, "apps.csv"))
    show("apps.csv: " + "; ".join(f"{a:.2f} {b - a:+.2f}" for a, b in zip(want, have)))
    if len(have) != len(want) or any(abs(a - b) > 0.005 * a for a, b in zip(want, have)):
        yield f"memory of processes {have}, by hand {want}"


def check_run(program, folder, room, run):
    """Yields a name and its complaints for each log of a run."""
    hours, begin, end = BUSY[run]
    begin, end = (datetime.fromisoformat(t) + timedelta(hours=hours) for t in (begin, end))
    for kind in LOGS:
        with open(os.path.join(room, kind), "w", encoding="utf-8") as file:
            file.write(cut(os.path.join(folder, kind), kind, begin, end))
    for name in list(LOGS) + ["vmstat.txt", "mpstat.txt"]:
        os.symlink(os.path.join(folder, name), os.path.join(room, "whole-" + name))
    os.symlink(os.path.join(folder, "apps.csv"), os.path.join(room, "apps.csv"))
    yield f"{run}: apps.csv gives the memory of processes", list(processes_agree(program, room, lambda text: print(run, text)))
    whole = report(program, room, "whole-gpu.csv", "whole-vmstat.txt", "whole-mpstat.txt")
    part = report(program, room, "gpu.csv")
    for kind in list(LOGS)[1:]:
        lines = []
        said = report(program, room, "whole-" + kind, "whole-vmstat.txt", "whole-mpstat.txt")
        yield f"{run}: {kind} gives the findings", list(findings_agree(whole, said, kind in COARSE))
        alone = report(program, room, kind)
        complaints = list(means_agree(part, alone,
                                      lambda *row, at=lines: at.append("%s %s: %.2f %+.2f (%.2f)" % (*row[0], *row[1:]))))
        print(f"{run} {kind}: " + "; ".join(lines))
        yield f"{run}: {kind} gives the means", complaints
        yield f"{run}: {kind} is read as it is written", list(read_as_written(kind, os.path.join(room, kind), alone))
    yield f"{run}: pmon.txt gives the processes", list(pmon_agrees(program, folder, room, begin, end))


def apps_means(folder, begin, end):
    """Processes and their memory for each GPU and second of apps.csv, in which nvidia-smi lists every process apart."""
    with open(os.path.join(folder, "gpu.csv"), encoding="utf-8") as file:
        heads = [cell.strip() for cell in file.readline().split(",")]
        index = {row[heads.index("uuid")]: "gpu" + row[heads.index("index")]
                 for row in ([cell.strip() for cell in line.split(",")] for line in file) if len(row) == len(heads)}
    polls = {}
    for line in cut(os.path.join(folder, "apps.csv"), "apps.csv", begin, end).splitlines()[1:]:
        when, uuid, _, _, memory = (cell.strip() for cell in line.split(","))
        poll = polls.setdefault(index[uuid], {}).setdefault(when[:19], [0, 0])
        poll[0] += 1
        poll[1] += int(memory.split()[0])
    for gpu, of_gpu in polls.items():
        for i, metric in enumerate(("gpu.proc.count", "gpu.proc.mem_used")):
            yield (metric, gpu), sum(poll[i] for poll in of_gpu.values()) / len(of_gpu)


def pmon_agrees(program, folder, room, begin, end):
    """Complaints."""
    with open(os.path.join(room, "pmon.txt"), "w", encoding="utf-8") as file:
        file.write(cut(os.path.join(folder, "pmon.txt"), "pmon.txt", begin, end))
    have = {(s["metric"], s["entity"].split("/")[-1]): s["mean"] for s in report(program, room, "pmon.txt")["statistics"]}
    for key, mean in apps_means(folder, begin, end):
        if key not in have:
            yield f"{key[1]} {key[0]}: not there"
        elif abs(have[key] - mean) > 0.005 * mean:
            yield f"{key[1]} {key[0]}: {have[key]:.2f}, from apps.csv {mean:.2f}"


def phases_agree(program, folder, room, phase):
    """Complaints."""
    begin, end = WIDE_PHASES[phase]
    with open(os.path.join(folder, "dmon-gpm.txt"), encoding="utf-8") as file:
        lines = [line for line in file if line.startswith("#") or begin <= line.split()[0] < end]
    with open(os.path.join(room, "dmon-gpm.txt"), "w", encoding="utf-8") as file:
        file.writelines(lines)
    heads = lines[0][1:].split()
    rows = [line.split() for line in lines if not line.startswith("#")]
    have = {s["metric"]: s["mean"] for s in report(program, room, "dmon-gpm.txt", "--date", "*=2026-11-21")["statistics"]}
    for metric, column in GPM.items():
        mean = sum(int(row[heads.index(column)]) for row in rows) / len(rows)
        if abs(have.get(metric, -1) - mean) > 0.5:
            yield f"{metric}: {have.get(metric)}, summed here {mean:.2f}"


def columns_of(path, begin, end):
    """Statistics of a query CSV from `begin` to `end`, as report.json has them but computed here."""
    heads = {"gpu.util": "utilization.gpu [%]", "gpu.power": "power.draw [W]", "gpu.mem_used": "memory.used [MiB]"}
    with open(path, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, skipinitialspace=True)
                if begin <= datetime.strptime(row["timestamp"], "%Y/%m/%d %H:%M:%S.%f") < end]
    values = {metric: [float(row[head].split()[0]) for row in rows] for metric, head in heads.items()}
    return [{"metric": metric, "entity": "gpu0", "mean": statistics.mean(v), "stddev": statistics.stdev(v)}
            for metric, v in values.items()]


def check_wide(program, recordings, room):
    """Yields a name and its complaints for each log of documents."""
    run, hours, begin, end = WIDE
    folder = os.path.join(recordings, run)
    begin, end = (datetime.fromisoformat(t) + timedelta(hours=hours) for t in (begin, end))
    reference = {"statistics": columns_of(os.path.join(folder, "gpu-all.csv"), begin, end)}
    for kind, mark in DOCUMENTS.items():
        lines = []
        name = kind.removesuffix(".gz")
        with open(os.path.join(room, name), "w", encoding="utf-8") as file:
            file.write(cut_documents(os.path.join(folder, kind), mark, begin, end))
        complaints = list(means_agree(reference, report(program, room, name),
                                      lambda *row, at=lines: at.append("%s %s: %.2f %+.2f (%.2f)" % (*row[0], *row[1:]))))
        print(f"{run} {kind}: " + "; ".join(lines))
        yield f"{run}: {kind} gives the means", complaints


def checks(program, recordings):
    for run in BUSY:
        with tempfile.TemporaryDirectory() as room:
            yield from check_run(program, os.path.join(recordings, run), room, run)
    with tempfile.TemporaryDirectory() as room:
        yield from check_wide(program, recordings, room)
    for phase in WIDE_PHASES:
        with tempfile.TemporaryDirectory() as room:
            yield f"wide, {phase}: dmon-gpm.txt", list(phases_agree(program, os.path.join(recordings, "wide"), room, phase))


def main():
    """Returns the exit status."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, recordings = (os.path.realpath(a) for a in sys.argv[1:])
    passed = failed = 0
    for name, complaints in checks(program, recordings):
        passed, failed = passed + (not complaints), failed + bool(complaints)
        for complaint in complaints:
            print(f"FAILED {name}: {complaint}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
