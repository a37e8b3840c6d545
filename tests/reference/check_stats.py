#!/usr/bin/env python3
"""check_stats.py - compares the statistics of a report.json with those of stats.py.

    tests/reference/check_stats.py REPORT.json RUNDIR

Every difference is printed: beyond 1e-6 relative (1e-9 absolute near 0), a statistic that the logs
can't give, another source, another begin or end of the run, energy outside its bounds. The status is
1 if there is any. A report may leave statistics out, but not the ones in NEEDED; and a state (a
limit, a mask) need not have a mean: null is accepted there.
"""

import json
import os
import sys
from datetime import datetime, timezone

import stats

RELATIVE = 1e-6
ABSOLUTE = 1e-9
COMPARED = ("mean", "min", "p5", "p50", "p95", "max", "stddev", "coverage")
NEEDED = ("gpu.util", "gpu.mem_used", "gpu.power", "gpu.temp", "gpu.clock_sm", "host.cpu.busy")


def same(a, b):
    return abs(a - b) <= max(ABSOLUTE, RELATIVE * max(abs(a), abs(b)))


def iso_ms(text):
    moment = datetime.fromisoformat(text.rstrip("Z")).replace(tzinfo=timezone.utc)
    return round(moment.timestamp() * 1000)


def bare(entity, hosts):
    """'node01/gpu0' -> 'gpu0', 'node01' -> ''."""
    if entity in hosts or entity in ("host", "run", ""):
        return ""
    return entity.rsplit("/", 1)[-1]


def compare_statistic(key, ours, theirs):
    """Differences of one statistic as lines."""
    # shares of a whole are 0 to 1 in report.json and percent everywhere else
    whole = 100 if key.endswith("_share") and "coverage" in theirs else 1
    for name in COMPARED:
        value = theirs.get(name)
        if value is not None and name != "coverage":
            value *= whole
        if value is None and name in ("mean", "stddev"):
            continue
        if value is None:
            yield "%s: %s is missing" % (key, name)
        elif not same(ours[name], value):
            yield "%s: %s is %r, the logs say %r" % (key, name, value, ours[name])
    source = theirs.get("source")
    if source is not None and source != "derived" and os.path.basename(source) != ours["source"]:
        yield "%s: from %s, the better source is %s" % (key, source, ours["source"])


def compare_energy(report, reference):
    """The ledger's energy, all rows together, against the integral of power over all GPUs."""
    rows = [row.get("energy_kwh") for row in report.get("ledger") or []]
    rows = [row for row in rows if row and None not in row]
    powers = [s["integral_hours"] for key, s in reference.items() if key.endswith(" gpu.power")]
    if not rows or not powers:
        return
    low, high = sum(row[0] for row in rows), sum(row[1] for row in rows)
    known = sum(powers) / 1000
    if not low * (1 - RELATIVE) - ABSOLUTE <= known <= high * (1 + RELATIVE) + ABSOLUTE:
        yield "energy: the ledger says %r to %r kWh, the logs say %r" % (low, high, known)


def differences(report, folder):
    run = report["run"]
    begin, end = iso_ms(run["begin"]), iso_ms(run["end"])
    reference = stats.run_statistics(folder, begin, end)
    for name, own, written in (("begin", reference["begin"], begin), ("end", reference["end"], end)):
        if own != written:
            yield "run.%s is %s ms off" % (name, written - own)
    theirs = {}
    for row in report["statistics"]:
        key = (bare(row["entity"], run["hosts"]) + " " + row["metric"]).strip()
        if key in theirs:
            yield "%s: given twice" % key
        theirs[key] = row
    ours = reference["statistics"]
    for key in sorted(set(ours) | set(theirs)):
        if key not in theirs:
            if key.split(" ")[-1] in NEEDED:
                yield "%s: not in the report" % key
        elif key in ours:
            yield from compare_statistic(key, ours[key], theirs[key])
        elif theirs[key].get("coverage"):
            yield "%s: the logs have none" % key
    yield from compare_energy(report, ours)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    found = list(differences(report, sys.argv[2]))
    for line in found:
        print(line)
    if found:
        sys.exit(1)
    print("%d statistics agree" % len(report["statistics"]))


if __name__ == "__main__":
    main()
