#!/usr/bin/env python3
"""mistakes.py - what other tools got wrong, each as logs that are made here and what our report must say of them.

    tests/mistakes.py PROGRAM [CASE…]

The thirty cases are listed in tests/README.md, with where each is tested; here are those that need a log of their own, named
by their number. A case is a function: it writes logs into an empty folder, asks for a report and returns what is wrong with
it, as lines. The last line is "N passed, N failed".
"""

import datetime
import json
import os
import re
import subprocess
import sys
import tempfile

NOON = datetime.datetime(2026, 11, 20, 12)
HEAD = "timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], power.limit [W]\n"
PATIENCE_S = 60


class Asked:
    """A report: what was printed, its JSON, its exit status."""

    def __init__(self, program, folder, *arguments):
        environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C", "TZ": "UTC"}

        def run(*more):
            return subprocess.run([program, "report", *arguments, *more], cwd=folder, capture_output=True, timeout=PATIENCE_S,
                                  env=environment, check=False)
        plain = run("--all")
        self.status, self.text, self.complaints = plain.returncode, plain.stdout.decode(), plain.stderr.decode()
        self.json = json.loads(run("--format", "json").stdout or "{}")

    def statistic(self, metric, entity="gpu0"):
        rows = self.json.get("statistics", [])
        return next((row for row in rows if row["metric"] == metric and row["entity"].endswith(entity)), None)

    def rules(self, *severities):
        return [f["rule"] for f in self.json.get("findings", []) if not severities or f["severity"] in severities]

    def source(self, name):
        return next(s for s in self.json["sources"] if s["path"].endswith(name))


def row(time, gpu=0, busy=99, memory=90000, power=600.0):
    return (f"{time:%Y/%m/%d %H:%M:%S}.{time.microsecond // 1000:03d}, {gpu}, NVIDIA H200, {busy} %, {memory} MiB, 143771 MiB, "
            f"{power:.2f} W, 700.00 W\n")


def gpu_log(rows, step=1, begin=NOON, **columns):
    """columns: a function of the row's number for each that is not constant; a row without busy (None) is left out."""
    lines = [HEAD]
    for i in range(rows):
        values = {name: value(i) for name, value in columns.items()}
        if values.get("busy", 0) is not None:
            lines.append(row(begin + datetime.timedelta(seconds=i * step), **values))
    return "".join(lines)


def vmstat_log(rows, step=1, begin=NOON, busy=lambda i: 5):
    lines = ["procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
             " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n"]
    for i in range(rows):
        time = begin + datetime.timedelta(seconds=i * step)
        lines.append(f" 2  0      0 14615508 103612 9639228    0    0     0     0  476 2512 {busy(i)} 0 {100 - busy(i)} 0 0 {time:%Y-%m-%d %H:%M:%S}\n")
    return "".join(lines)


def put(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def expect(*facts):
    """Facts are pairs: does it hold, and what to say when it doesn't."""
    return [text for holds, text in facts if not holds]


def near(value, wanted, off):
    return value is not None and abs(value - wanted) <= off


def case_1(program, folder):
    """A run of 25 h is not one of 1 h."""
    put(folder, "gpu.csv", gpu_log(1500, 60))
    asked = Asked(program, folder, "gpu.csv")
    return expect((", 1 d 1 h, " in asked.text, "the run is not said to take 1 d 1 h"),
                  ("elapsed 0:00 - 25:00:00" in asked.text, "elapsed time does not go to 25:00:00"),
                  (asked.json["run"]["seconds"] == 25 * 3600, f"{asked.json['run']['seconds']} s"))


def case_2(program, folder):
    """3725 s are 1:02:05, not 1:62:05."""
    put(folder, "gpu.csv", gpu_log(745, 5, memory=lambda i: 2000))
    asked = Asked(program, folder, "gpu.csv")
    return expect((", 1 h 02 min, " in asked.text, "the run is not said to take 1 h 02 min"),
                  ("elapsed 0:00 - 1:02:05" in asked.text, "elapsed time does not go to 1:02:05"),
                  (not re.search(r"\b\d:[6-9]\d:\d\d\b", asked.text), "an hour has more than 60 minutes"))


def case_4(program, folder):
    """'-' in dmon is a missing value, not 0 %."""
    head = "# gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk\n# Idx      W      C      C      %      %    MHz    MHz\n"
    rows = [f"    0    600     55     61 {'     -      -' if i % 2 else '    98     30'}   2619   1980\n" for i in range(600)]
    put(folder, "dmon.txt", head + "".join(rows))
    asked = Asked(program, folder, "dmon.txt", "--start", "dmon.txt=2026-11-20T12:00:00")
    busy = asked.statistic("gpu.util")
    return expect((busy is not None and busy["mean"] == 98 and busy["min"] == 98, f"busy is told as {busy and busy['mean']}"),
                  ("gpu-low-use" not in asked.rules(), "missing values are told as low use"),
                  (asked.source("dmon.txt")["absences"] != {}, "that values are missing is not told"))


def case_7(program, folder):
    """10 min without log: energy is an interval, and nothing is drawn across the hole."""
    put(folder, "gpu.csv", gpu_log(3600, busy=lambda i: None if 1200 <= i < 1800 else 99))
    asked = Asked(program, folder, "gpu.csv")
    low, high = (sum(line["energy_kwh"][k] for line in asked.json["ledger"]) for k in (0, 1))
    missing = [line for line in asked.json["ledger"] if line["class"] == "no-log"]
    least, most = 595 * 3000 / 3.6e6, (605 * 3000 + 700 * 600) / 3.6e6
    return expect((near(low, least, 1e-6), f"at least {low} kWh instead of {least}: 50 min at 600 W, which the sensor tells within 5 W"),
                  (near(high, most, 1e-6), f"at most {high} kWh instead of {most}: these, and 10 min at the limit of 700 W"),
                  (len(missing) == 1 and near(missing[0]["gpu_hours"], 600 / 3600, 1e-3), "10 min are not told as not logged"))


def case_13(program, folder):
    """A log each second beside one each five: joined by time, to the end of both."""
    put(folder, "gpu.csv", gpu_log(1800, busy=lambda i: 99 if i < 900 else 5))
    put(folder, "vmstat.txt", vmstat_log(361, 5, busy=lambda i: 8 if i <= 180 else 99))
    asked = Asked(program, folder, "gpu.csv", "vmstat.txt")
    found = [f for f in asked.json["findings"] if f["rule"] == "gpu-starved-by-cpu"]
    cpu = asked.statistic("host.cpu.busy", "")
    facts = [(len(found) == 1, f"starvation in the second half is not found, but {asked.rules()}"),
             (cpu is not None and near(cpu["mean"], 53.5, 1), f"the CPUs' mean is {cpu and cpu['mean']}"),
             (cpu is not None and cpu["coverage"] > 0.98, "the coarser log does not cover the run")]
    if found:
        window = found[0]["windows"][0]
        facts += [(window["begin"][11:16] in ("12:14", "12:15"), f"it begins {window['begin']}"),
                  (window["end"][11:16] in ("12:29", "12:30"), f"it ends {window['end']}")]
    return expect(*facts)


def case_15(program, folder):
    """Busy for an hour, then idle for 23: not a low mean, but a tail with its begin."""
    put(folder, "gpu.csv", gpu_log(1440, 60, busy=lambda i: 97 if i < 60 else 0, memory=lambda i: 90000 if i < 60 else 0,
                                   power=lambda i: 600 if i < 60 else 77))
    asked = Asked(program, folder, "gpu.csv")
    busy = asked.statistic("gpu.util")
    tails = [p for p in asked.json["phases"] if p["name"] == "tail"]
    loud = asked.rules("critical", "warning")
    return expect((busy is not None and near(busy["mean"], 97 / 24, 0.1), "the mean is not 4 %"),
                  (len(tails) == 1 and tails[0]["begin"][11:16] in ("12:59", "13:00", "13:01"), f"the tail is {tails}"),
                  (loud[:1] == ["idle-tail"], f"the idle tail is not what is told first, but {loud}"),
                  ("gpu-low-use" not in asked.rules(), "the mean is told as low use"))


def case_17(program, folder):
    """A row with [Unknown Error] and a ragged one: the rest is read, and the bad row has its line number."""
    lines = gpu_log(600).splitlines(keepends=True)
    lines[100] = lines[100].replace("99 %", "[Unknown Error]")
    lines[200] = lines[200].rsplit(", ", 3)[0] + "\n"
    put(folder, "gpu.csv", "".join(lines))
    asked = Asked(program, folder, "gpu.csv")
    source = asked.source("gpu.csv")
    return expect((asked.status == 0, f"exit status {asked.status}"),
                  (source["rows"] == 599 and source["rows_bad"] == 1, f"{source['rows']} rows, {source['rows_bad']} bad"),
                  ("gpu.csv:201:" in asked.complaints, f"line 201 is not named: {asked.complaints}"),
                  (sum(source["absences"].values()) == 1, f"the missing value is told as {source['absences']}"))


def case_18(program, folder):
    """Times of day that pass midnight, and local time in the hour that comes twice."""
    night = datetime.datetime(2026, 11, 20, 23, 50)
    times = [night + datetime.timedelta(seconds=i) for i in range(1201)]
    sar = ["Linux 6.18.44 (node01) \t11/20/26 \t_x86_64_\t(16 CPU)\n\n",
           f"{times[0]:%H:%M:%S}        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"]
    sar += [f"{t:%H:%M:%S}        all      6.00      0.00      1.00      0.00      0.00     93.00\n" for t in times[1:]]
    put(folder, "sar.txt", "".join(sar))
    put(folder, "gpu.csv", gpu_log(1200, begin=night))
    asked = Asked(program, folder, "gpu.csv", "sar.txt")
    facts = [(near(asked.json["run"]["seconds"], 1201, 2), f"20 min over midnight are {asked.json['run']['seconds']} s"),
             (asked.source("sar.txt")["end"].startswith("2026-11-21T00:10"), f"sar ends {asked.source('sar.txt')['end']}")]
    back = datetime.datetime(2026, 11, 1, 1, 30)  # 02:00 in New York is 01:00 again
    lines = gpu_log(1800, begin=back).splitlines(keepends=True)
    lines += gpu_log(1800, begin=back.replace(hour=1, minute=0)).splitlines(keepends=True)[1:]
    put(folder, "autumn.csv", "".join(lines))
    asked = Asked(program, folder, "autumn.csv")
    facts += [(near(asked.json["run"]["seconds"], 3600, 2), f"an hour over the change of clocks is {asked.json['run']['seconds']} s"),
              (asked.source("autumn.csv")["rows"] == 3600, f"{asked.source('autumn.csv')['rows']} of 3600 rows are used")]
    return expect(*facts)


def case_23(program, folder):
    """A GPU that never worked has no figure for how busy it was while working."""
    put(folder, "gpu.csv", gpu_log(600, busy=lambda i: 0, memory=lambda i: 0, power=lambda i: 77))
    asked = Asked(program, folder, "gpu.csv")
    verdict = asked.json["verdict"]["sentence"]
    return expect((asked.rules("critical") == ["gpu-unused"], f"told is {asked.rules()}"),
                  ("never used" in verdict, f"the verdict is: {verdict}"),
                  (not re.search(r"\d+ % busy (once|while)", asked.text), "a share of no working time is told"),
                  ("normal speed" not in asked.text or re.search(r"normal speed +0\.0", asked.text), "idle time counts as normal"))


def case_28(program, folder):
    """Two logs a day apart are two runs, and the report says so."""
    put(folder, "a.csv", gpu_log(600))
    put(folder, "b.csv", gpu_log(600, begin=NOON + datetime.timedelta(hours=30)))
    asked = Asked(program, folder, "a.csv", "b.csv")
    put(folder, "c.csv", gpu_log(600, begin=NOON + datetime.timedelta(hours=24)))
    close = Asked(program, folder, "a.csv", "c.csv")  # 23 h 50 min between them
    said = " ".join(asked.text.split())
    return expect(("a.csv and b.csv are 1 d 6 h apart" in said and "two runs" in said, "that these look like two runs is not said"),
                  ("two runs" not in close.text, "a logger that was away for less than a day is told as two runs"))


def case_29(program, folder):
    """Logs put together with cat: the head comes again, and with other columns behind it."""
    first, again = gpu_log(300), gpu_log(300, begin=NOON + datetime.timedelta(seconds=300)).splitlines(keepends=True)
    order = [0, 1, 2, 6, 4, 5, 3, 7]
    turned = [", ".join(line.rstrip("\n").split(", ")[k] for k in order) + "\n" for line in again]
    put(folder, "gpu.csv", first + "".join(turned))
    asked = Asked(program, folder, "gpu.csv")
    busy, power = asked.statistic("gpu.util"), asked.statistic("gpu.power")
    source = asked.source("gpu.csv")
    return expect((source["rows"] == 600 and source["rows_bad"] == 0, f"{source['rows']} rows, {source['rows_bad']} bad"),
                  (busy is not None and (busy["min"], busy["max"]) == (99, 99), "busy is mixed up with another column"),
                  (power is not None and (power["min"], power["max"]) == (600, 600), "power is mixed up with another column"))


def main():
    program = os.path.abspath(sys.argv[1])
    failed = 0
    cases = {name: case for name, case in globals().items() if name.startswith("case_") and (not sys.argv[2:] or name[5:] in sys.argv[2:])}
    for name, case in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            wrong = case(program, folder)
        failed += bool(wrong)
        if wrong:
            print(f"FAILED {name[5:]}: {case.__doc__}")
            print("".join(f"    {line}\n" for line in wrong), end="")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
