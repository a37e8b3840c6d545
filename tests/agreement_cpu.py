#!/usr/bin/env python3
"""agreement_cpu.py - one minute, logged by many tools at once: does the report say the same whichever log it is given?

    tests/agreement_cpu.py PROGRAM RECORDINGS

Each row of LOGS names a log that can stand for another. The report of each recording is made with the reference
logs and with the other log in its place: the same verdict, the same findings, and means that agree. Its row says
which metrics are compared, and how far their means over the run may be apart.

The last line is "N passed, N failed". With -v, the largest differences, too.
"""

import json
import os
import subprocess
import sys
import tempfile

GPU, CPU = "gpu.csv", ["vmstat.txt", "mpstat.txt"]
SHARES = {"host.cpu.busy": 1, "host.cpu.user": 1, "host.cpu.system": 1, "host.cpu.iowait": 1}

# log, given with, in place of, tolerances by metric. vmstat counts in whole percent, and logs end up to a second apart.
# One second of sixty on a core that is all busy moves its mean by nearly two points.
LOGS = [
    ("sar.txt", [GPU, "sar.txt"], [GPU, "vmstat.txt"], SHARES),
    ("sar.txt", [GPU, "sar.txt"], [GPU, "mpstat.txt"], SHARES),
    ("sar-all.txt.gz", [GPU, "sar-all.txt.gz"], [GPU] + CPU, dict(SHARES, **{"core.busy": 1})),
    ("sadf.csv", [GPU, "sadf.csv"], [GPU, "vmstat.txt"], SHARES),
    ("sadf.csv", [GPU, "sadf.csv"], [GPU, "mpstat.txt"], SHARES),
    ("iostat.txt", [GPU, "iostat.txt"], [GPU, "vmstat.txt"], SHARES),
    ("iostat.txt", [GPU, "iostat.txt"], [GPU, "mpstat.txt"], SHARES),
    ("iostat.txt, mpstat.txt", [GPU, "iostat.txt", "mpstat.txt"], [GPU] + CPU, SHARES),
    ("sar.txt, mpstat.txt", [GPU, "sar.txt", "mpstat.txt"], [GPU] + CPU, SHARES),
    ("sadf.csv, mpstat.txt", [GPU, "sadf.csv", "mpstat.txt"], [GPU] + CPU, SHARES),
    ("sadf.json", [GPU, "sadf.json"], [GPU, "vmstat.txt"], SHARES),
    ("sadf.json", [GPU, "sadf.json"], [GPU, "mpstat.txt"], SHARES),
    ("procstat.txt", [GPU, "procstat.txt"], [GPU, "mpstat.txt"], dict(SHARES, **{"core.busy": 2})),
    ("procstat.txt", [GPU, "procstat.txt"], [GPU] + CPU, dict(SHARES, **{"core.busy": 2})),
]

# Two forms of one file: what both tell is the same to the last digit, in every statistic.
SAME = [("sadf.json", "sadf.csv")]


def tells_cores(names):
    """Without single cores a log tells less than mpstat, and findings that stand on them can't be the same."""
    return any(name in names for name in ("mpstat.txt", "sar-all.txt.gz", "procstat.txt"))


def report(program, folder, names):
    with tempfile.TemporaryDirectory() as room:
        paths = [os.path.join(folder, name) for name in names]
        done = subprocess.run([program, "report", *paths, "-o", room, "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode:
            return None
        with open(os.path.join(room, "report.json"), encoding="utf-8") as file:
            return json.load(file)


def findings_of(report_):
    return [report_["verdict"]["severity"]] + sorted(f["rule"] for f in report_["findings"])


def means_of(report_):
    """By device and metric, without the host: vmstat doesn't name it."""
    return {("host" if s["metric"].startswith("host.") else s["entity"].split("/")[-1], s["metric"]): s["mean"]
            for s in report_["statistics"]}


def statistics_of(report_):
    return {(s["entity"], s["metric"]): {k: v for k, v in s.items() if k != "source"} for s in report_["statistics"]}


def differences(program, folder, one, other):
    ours, theirs = (report(program, folder, [GPU, name]) for name in (one, other))
    if not ours or not theirs:
        return ["no report"]
    ours, theirs = statistics_of(ours), statistics_of(theirs)
    of_host = [key for key in ours if key in theirs and key[1].startswith("host.")]
    wrong = [f"{key[1]} {ours[key]} instead of {theirs[key]}" for key in of_host if ours[key] != theirs[key]]
    return wrong if any(metric == "host.cpu.busy" for _, metric in of_host) else ["nothing to compare"]


def main():
    program, recordings = os.path.abspath(sys.argv[1]), sys.argv[2]
    passed = failed = 0
    for run in sorted(os.listdir(recordings)):
        folder = os.path.join(recordings, run)
        for log, names, instead, tolerances in LOGS:
            if not all(os.path.exists(os.path.join(folder, name)) for name in names + instead):
                continue
            ours, theirs = report(program, folder, names), report(program, folder, instead)
            wrong, worst = [], {}
            if not ours or not theirs:
                wrong.append("no report")
            else:
                if (instead[-1] == "vmstat.txt" or tells_cores(names)) and findings_of(ours) != findings_of(theirs):
                    wrong.append(f"{findings_of(ours)} instead of {findings_of(theirs)}")
                compared = means_of(ours)
                for (entity, metric), mean in means_of(theirs).items():
                    if metric in tolerances and (entity, metric) in compared and mean is not None:
                        apart = abs(compared[entity, metric] - mean)
                        worst[metric] = max(apart, worst.get(metric, 0))
                        if apart > tolerances[metric]:
                            wrong.append(f"{entity} {metric} {compared[entity, metric]:.3f} instead of {mean:.3f}")
                if "host.cpu.busy" not in worst:
                    wrong.append("nothing to compare")
            passed, failed = passed + (not wrong), failed + bool(wrong)
            for text in wrong:
                print(f"FAILED {run}: {log} for {' '.join(instead[1:])}: {text}")
            if "-v" in sys.argv:
                print(f"{run}: {log} for {' '.join(instead[1:])}:", ", ".join(f"{m} {d:.3f}" for m, d in worst.items()))
        for one, other in SAME:
            if all(os.path.exists(os.path.join(folder, name)) for name in (one, other)):
                wrong = differences(program, folder, one, other)
                passed, failed = passed + (not wrong), failed + bool(wrong)
                for text in wrong:
                    print(f"FAILED {run}: {one} for {other}: {text}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
