#!/usr/bin/env python3
"""truth.py - the samples, whose truth is known, against what the program says of them.

    tests/truth.py PROGRAM                  the seven recorded runs in samples/, and the made ones
    tests/truth.py PROGRAM --cluster        the made run of 64 GPUs over three days, which takes a minute
    tests/truth.py PROGRAM --selftest       reports with a lie in them: does each lie get caught?
    tests/truth.py PROGRAM --recordings DIR all ways to give those runs: see recordings.sh

Each job was built to show one behaviour (samples/README.md). RUNS holds, as rows, what a right
diagnosis says of it and what it must not say; times are from the job's own phase marks, in UTC.
Everything else is a law that holds for any report: a complaint is a line, and no complaint is
a pass. LIES are the other direction: a check that no lie can wake is not worth its lines.

The last line is "N passed, N failed".
"""

import copy
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from datetime import datetime, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
COARSE_STEP = 1.05  # s; gpu-nounits.csv was logged with -l 1, which drifts by some milliseconds
THERMAL = ["gpu-hot", "gpu-hbm-hot", "gpu-thermal-hardware", "gpu-thermal-software", "gpu-power-brake", "gpu-clock-loss",
           "gpu-power-limit-lowered"]
STARVED = ["gpu-starved-by-cpu", "gpu-starved-by-one-core"]
LEVELS = ["note", "warning", "critical"]


def finding(rule, severity, windows, evidence=None, gpus=None, symptoms=None):
    """windows: (begin, end, seconds that the begin, that the end may be off)."""
    return {"rule": rule, "severity": severity, "windows": windows, "evidence": evidence or {}, "gpus": gpus,
            "symptoms": symptoms or []}


# For each run: the verdict, the findings in their order and nothing else, the share that was lost
# (at most, of all GPU time), the zone of the GPU log, and what its words must and must not contain.
# `not_fired`: rules that must not fire at all, not even as a symptom of another.
RUNS = {
    "healthy": {
        "day": "2026-11-21", "gpus": [0], "verdict": "healthy", "lost": (0, 0), "clock": ("UTC", 0, "sibling"),
        "findings": [
            finding("gpu-power-capped", "note", [("01:48:41", "01:49:26", 4, 2)],
                    {"gpu_power": (685, 700), "power_limit": (700, 700), "clock": (1400, 1500), "clock_max": (1980, 1980)}),
        ],
        "not_fired": THERMAL + STARVED + ["gpu-memory-low", "gpu-power-headroom", "gpu-idle-allocated", "gpu-unused",
                                          "gpu-low-use", "log-hole"],
        "sentence": ["Healthy", "100 % busy"], "not_sentence": ["lost", "waited"], "not_text": ["CRITICAL", "WARNING"],
        "statistics": {"gpu0 gpu.util p50": (100, 100), "gpu0 gpu.power p95": (685, 700),
                       "gpu0 gpu.mem_used max": (112000, 115000), "gpu0 gpu.clock_sm p50": (1400, 1500)},
    },
    "loader_bound": {
        "day": "2026-11-21", "gpus": [0], "verdict": "critical", "lost": (0.6, 0.8), "clock": ("UTC", 0, "sibling"),
        "findings": [
            finding("gpu-starved-by-cpu", "critical", [("01:49:43", "01:50:44", 3, 3)],
                    {"gpu_busy": (3, 7), "gpu_peak": (86, 86), "cpu_busy": (95, 100), "gpu_power": (125, 140),
                     "io_wait": (0, 1)}, symptoms=["gpu-low-use"]),
        ],
        "not_fired": THERMAL + ["gpu-starved-by-one-core", "gpu-memory-low", "gpu-power-headroom", "gpu-unused", "log-hole"],
        "sentence": ["input data"], "not_sentence": ["Healthy", "heat", "single"],
        "not_text": ["overheated", "ran hot"], "not_first_advice": ["mixed precision", "larger batch"],
        "statistics": {"gpu0 gpu.util mean": (2, 7), "gpu0 gpu.util max": (86, 86)},
    },
    "loader_fixed": {
        "day": "2026-11-21", "gpus": [0], "verdict": "critical", "lost": (0.2, 0.35), "clock": ("UTC", 0, "sibling"),
        "findings": [
            finding("gpu-starved-by-cpu", "critical", [("02:06:56", "02:07:53", 3, 3)],
                    {"gpu_busy": (55, 70), "cpu_busy": (90, 97)}, symptoms=["gpu-low-use"]),
        ],
        "not_fired": THERMAL + ["gpu-starved-by-one-core", "gpu-memory-low", "gpu-power-headroom", "gpu-unused", "log-hole"],
        "sentence": ["input data"], "not_sentence": ["Healthy", "heat", "single"],
    },
    "one_worker": {
        "day": "2026-11-21", "gpus": [0], "verdict": "critical", "lost": (0.55, 0.75), "clock": ("UTC-5", -18000, "inferred"),
        "findings": [
            finding("gpu-starved-by-one-core", "critical", [("01:51:01", "01:51:37", 3, 3)],
                    {"gpu_busy": (1, 3), "core_busy": (95, 100), "cpu_busy": (5, 9)}, symptoms=["gpu-low-use"]),
        ],
        "not_fired": THERMAL + ["gpu-starved-by-cpu", "gpu-memory-low", "gpu-power-headroom", "gpu-unused", "log-hole"],
        "sentence": ["single busy CPU core"], "not_sentence": ["Healthy", "heat"],
        "text": ["gpu.csv names no zone", "read as UTC-5"], "not_text": ["CPU is idle", "CPU was idle", "20:51:"],
    },
    "phases": {
        "day": "2026-11-21", "gpus": [0], "verdict": "critical", "lost": (0.5, 0.65), "clock": ("UTC+5:30", 19800, "inferred"),
        "findings": [
            finding("gpu-idle-allocated", "critical", [("01:54:42", "01:55:04", 1.5, 1.5), ("01:55:15", "01:55:38", 1.5, 1.5)],
                    {"held_memory": (13000, 13700), "cpu_busy": (2, 15)}, symptoms=["gpu-low-use"]),
            finding("gpu-starved-by-one-core", "critical", [("01:54:53", "01:55:04", 2, 2), ("01:55:27", "01:55:38", 2, 2)],
                    {"gpu_busy": (0, 1), "core_busy": (95, 100), "cpu_busy": (4, 10)}),
        ],
        "not_fired": THERMAL + ["gpu-starved-by-cpu", "gpu-memory-low", "gpu-power-headroom", "gpu-unused", "log-hole"],
        "sentence": ["stood idle while holding memory", "single busy CPU core"], "not_sentence": ["Healthy", "whole run"],
        "text": ["gpu.csv names no zone", "read as UTC+5:30", "2 windows"],
    },
    "balanced_4gpu": {
        "day": "2026-11-21", "gpus": [0, 1, 2, 3], "verdict": "healthy", "lost": (0, 0), "clock": ("UTC", 0, "sibling"),
        "findings": [
            finding("gpu-memory-low", "note", [("01:57:38", "01:58:23", 2, 2)],
                    {"peak_memory": (2400, 2500), "capacity": (143771, 143771), "gpu_busy": (90, 100)}, gpus=[0, 1, 2, 3]),
            finding("gpu-power-capped", "note", [("01:57:38", "01:58:23", 4, 2)], {"gpu_power": (680, 700), "power_limit": (700, 700)},
                    gpus=[0, 1, 2, 3]),
        ],
        "not_fired": THERMAL + STARVED + ["gpu-power-headroom", "gpu-idle-allocated", "gpu-low-use", "gpu-unused", "log-hole",
                                          "gpu-spin-wait", "gpu-straggler", "gpu-imbalance", "gpu-idle", "gpu-hang"],
        "sentence": ["Healthy", "all 4 GPUs"], "not_sentence": ["lost", "waited", "imbalance"],
        "not_text": ["CRITICAL", "WARNING", "imbalance", "straggler"],
        "statistics": {"gpu%d gpu.power p95" % i: (660, 700) for i in range(4)},
    },
    "straggler_4gpu": {
        "day": "2026-11-21", "gpus": [0, 1, 2, 3], "verdict": "critical", "lost": (0.5, 0.6), "clock": ("UTC", 0, "sibling"),
        "findings": [  # rank 3 has six times the work of each other: those wait for 5/6 of the 46 to 49 s, 0.44 to 0.48 of the run
            finding("gpu-straggler", "critical", [("01:58:38", "01:59:28", 5, 2)],
                    {"gpu_busy": (99, 100), "gpu_power": (680, 700), "others_busy": (99, 100), "others_power": (230, 255)},
                    gpus=[3], symptoms=["gpu-spin-wait", "gpu-power-headroom", "gpu-memory-low"]),  # a larger batch would wait, too
            finding("gpu-power-capped", "note", [("01:58:38", "01:59:29", 4, 2)], {"gpu_power": (680, 700)}, gpus=[3]),
        ],
        "not_fired": THERMAL + STARVED + ["gpu-idle-allocated", "gpu-low-use", "gpu-unused", "log-hole"],
        "sentence": ["Up to", "GPU 3 kept the rest of the job waiting"], "not_sentence": ["Healthy", "fully used", "all 4 GPUs"],
        "text": ["time of GPUs 0-2. At least"],
        "statistics": {"gpu0 gpu.power p50": (210, 260), "gpu3 gpu.power p50": (680, 700)},
    },
}

def gpus_of(gpus, nodes=(None,)):
    return ["gpu%d" % g if node is None else "n%02d/gpu%d" % (node, g) for node in nodes for g in gpus]


# Made runs: what their scripts planted. For each, which rules may tell of it (one of them must), on which GPUs, from when to when, and
# how many seconds the begin and the end may be off. `fired_on`: these rules, on no other GPUs.
PLANTED = {
    "throttled": {
        "day": "2026-11-19", "verdict": ["critical"], "lost": (0.07, 0.16), "planted": [
            (["gpu-starved-by-cpu"], gpus_of(range(8)), "09:43:07", "10:01:07", 90, 45),
            (["gpu-thermal-software", "gpu-thermal-hardware"], gpus_of([3, 5]), "10:30:07", "10:53:07", 60, 30),
            (["log-hole"], gpus_of(range(8)), "11:00:07", "11:05:07", 6, 6),
        ],
        "fired_on": dict.fromkeys(["gpu-thermal-software", "gpu-thermal-hardware", "gpu-hot", "gpu-clock-loss"], gpus_of([3, 5])),
        "not_fired": ["gpu-starved-by-io", "gpu-starved-by-one-core", "gpu-idle", "gpu-unused", "gpu-lost", "gpu-memory-growth",
                      "gpu-power-brake", "gpu-power-capped", "gpu-hang", "log-died"],
    },
    "three_columns": {
        "day": "2026-11-18", "verdict": ["warning", "critical"], "lost": (0.55, 0.68), "planted": [
            (["gpu-low-use", "gpu-fluctuating"], ["gpu0"], "22:49:13", "23:30:05", 15, 15),
        ],
        "fired_on": {}, "not_fired": STARVED + THERMAL + ["gpu-starved-by-io", "gpu-idle", "gpu-unused", "log-hole", "gpu-memory-growth"],
    },
    "holes": {
        "day": "2026-11-21", "verdict": ["unknown"], "lost": (0, 0), "planted": [
            (["log-hole"], gpus_of([0, 1, 3]), "01:57:52", "01:58:00", 1, 17),  # one finding may tell of both holes
            (["log-hole"], ["gpu2"], "01:57:52", "01:58:16", 1, 1),
        ],
        "fired_on": {}, "not_fired": STARVED + THERMAL + ["gpu-lost", "gpu-idle", "gpu-straggler", "log-died"],
    },
}
CLUSTER = {
    "day": "2026-11-16", "begin": "18:03:40", "verdict": ["critical"], "lost": (0.11, 0.20), "planted": [
        (["gpu-unused"], ["n03/gpu5"], 0, 72, 60, 60),
        (["log-hole"], gpus_of(range(8), range(1, 9)), 27.6, 28.4, 60, 60),
        (["gpu-straggler"], gpus_of(range(8), [5]), 36, 42, 200, 60),
        (["gpu-hang"], gpus_of(range(8), [1, 2, 4, 5, 7, 8]), 60.3, 65.2, 60, 60),
        (["gpu-idle"], gpus_of(range(8), [6]), 60.3, 65.2, 60, 3600),
    ],
    "fired_on": {"gpu-unused": ["n03/gpu5"], "gpu-straggler": gpus_of(range(8), [5])},
    "not_fired": STARVED + THERMAL + ["gpu-lost", "gpu-memory-growth", "gpu-memory-low", "log-died"],
}

# design section 11; more keys may be there, none may be missing.
KEYS = {
    "": "schema program time_basis run verdict findings judgements ledger phases statistics sources charts notes",
    "program": "name version rules_digest",
    "run": "name begin end seconds hosts gpus",
    "run.gpus": "entity name uuid bus_id",
    "verdict": "severity sentence gpu_hours lost_gpu_hours",
    "findings": "number rule severity title entities windows coverage confidence cost_gpu_hours evidence what why try "
                "refute symptoms rivals",
    "findings.windows": "begin end seconds",
    "judgements": "rule entity outcome reason coverage margin",
    "ledger": "class finding gpu_hours energy_kwh",
    "phases": "name begin end",
    "statistics": "entity metric unit mean min p5 p50 p95 max stddev coverage",
    "sources": "path digest bytes format rows rows_bad rows_ignored rows_seen rows_per_sample complaints begin end step_s holes absences clock",
    "sources.clock": "zone offset_s decided_by sentence",
    "charts": "file title alt",
}
WORDS = {"outcome": ["fired", "clear", "unknown", "skipped"], "confidence": ["high", "medium", "low"],
         "decided_by": ["option", "log", "sibling", "inferred", "assumed"],
         "severity": LEVELS + ["healthy", "unknown"]}


def seconds(iso):
    moment = datetime.fromisoformat(iso.rstrip("Z")).replace(tzinfo=timezone.utc)
    return moment.timestamp()


def at(truth, clock):
    """A time of day, or hours after truth["begin"]."""
    if not isinstance(clock, str):
        return at(truth, truth["begin"]) + 3600 * clock
    return seconds("%sT%s.000Z" % (truth["day"], clock))


def near(a, b, tolerance=1e-9):
    return abs(a - b) <= tolerance


def bare(entity):
    """'node01/gpu0' -> 'gpu0': a host's name is known only when a log says it."""
    return entity.rsplit("/", 1)[-1]


def fired(report):
    return {(j["rule"], bare(j["entity"])) for j in report["judgements"] if j["outcome"] == "fired"}


def one_line(text):
    """Without line ends, and with the signs that the text report writes in ASCII."""
    return re.sub(r"\s+", " ", text).replace("\u2013", "-").replace("\u00b0C", "C")


# ---- laws: what holds for any report ------------------------------------------------------------

def law_keys(report):
    def nodes(node, path):
        for key in path.split(".") if path else []:
            node = [child for n in (node if isinstance(node, list) else [node])
                    for child in (n[key] if isinstance(n[key], list) else [n[key]])]
        return node if isinstance(node, list) else [node]

    for path, keys in KEYS.items():
        for node in nodes(report, path):
            for key in keys.split():
                if key not in node:
                    yield "keys: no '%s' in '%s'" % (key, path or "the report")
    if report["schema"] != "postrun.report/1":
        yield "keys: schema is %r" % report["schema"]


def law_words(report):
    def walk(node):
        if isinstance(node, dict):
            for key, value in node.items():
                if key in WORDS and value not in WORDS[key]:
                    yield "words: %r is no %s" % (value, key)
                if key == "coverage" and value is not None and not 0 <= value <= 1:
                    yield "words: coverage %r" % value
                yield from walk(value)
        elif isinstance(node, list):
            for child in node:
                yield from walk(child)
        elif isinstance(node, float) and not math.isfinite(node):
            yield "words: %r is no number" % node
    yield from walk(report)


def law_zone(report):
    is_utc = {"UTC": True, "log time": False}[report["time_basis"]]

    def walk(node, key):
        if isinstance(node, dict):
            for inner, value in node.items():
                yield from walk(value, inner)
        elif isinstance(node, list):
            for child in node:
                yield from walk(child, key)
        elif key in ("begin", "end", "time") and node is not None and node.endswith("Z") != is_utc:
            yield "zone: %s is %s in a report of %s" % (key, node, report["time_basis"])
    yield from walk(report, "")


def law_ledger(report):
    rows = report["ledger"]
    total = sum(row["gpu_hours"] for row in rows)
    if not near(total, report["verdict"]["gpu_hours"]):
        yield "ledger: rows add up to %r of %r GPU-hours" % (total, report["verdict"]["gpu_hours"])
    if any(row["gpu_hours"] < 0 for row in rows):
        yield "ledger: a negative row"
    for row in rows:
        low, high = row["energy_kwh"]
        if not 0 <= low or (high is not None and high < low):
            yield "ledger: energy %r to %r in %s" % (low, high, row["class"])
    span = seconds(report["run"]["end"]) - seconds(report["run"]["begin"])
    whole = span / 3600 * len(report["run"]["gpus"])
    # the two differ by what a GPU's log begins later or ends earlier than another's
    if not near(report["verdict"]["gpu_hours"], whole, whole * 0.02):
        yield "ledger: %r GPU-hours in a run of %r" % (report["verdict"]["gpu_hours"], whole)
    if not near(span, report["run"]["seconds"], 1e-6):
        yield "ledger: run.seconds is not its end less its begin"


def law_costs(report):
    lost = sum(row["gpu_hours"] for row in report["ledger"] if row["finding"])
    low, high = report["verdict"]["lost_gpu_hours"]
    if not near(lost, high):
        yield "costs: the ledger lost %r, the verdict says at most %r" % (lost, high)
    if not 0 <= low <= high + 1e-12:
        yield "costs: lost %r to %r" % (low, high)
    rows = {row["finding"]: row for row in report["ledger"] if row["finding"]}
    for f in report["findings"]:
        cost, row = f["cost_gpu_hours"], rows.pop(f["number"], None)
        if row is None and cost[1]:
            yield "costs: finding %d costs, but has no row in the ledger" % f["number"]
        elif row is not None and (cost[1] is None or not near(cost[1], row["gpu_hours"]) or row["class"] != f["rule"]):
            yield "costs: finding %d costs %r, its row says %r" % (f["number"], cost, row["gpu_hours"])
    if rows:
        yield "costs: ledger rows of no finding: %s" % list(rows)


SEVERITIES = ["note", "warning", "critical"]


def law_findings(report):
    begin, end = seconds(report["run"]["begin"]), seconds(report["run"]["end"])
    numbers = [f["number"] for f in report["findings"]]
    if numbers != list(range(1, len(numbers) + 1)):
        yield "findings: numbered %r" % numbers
    weights = [(SEVERITIES.index(f["severity"]), f["cost_gpu_hours"][1] or 0) for f in report["findings"]
               if f["rule"] != "log-hole"]  # told by what may have been lost there
    if weights != sorted(weights, reverse=True):
        yield "findings: not the worst first"
    for f in report["findings"]:
        previous = begin - 1e-6
        for w in f["windows"]:
            b, e = seconds(w["begin"]), seconds(w["end"])
            if not previous <= b < e <= end + 1e-6:
                yield "findings: windows of %s overlap, or leave the run" % f["rule"]
            if not near(e - b, w["seconds"], 1e-6):
                yield "findings: a window of %s is not as long as it says" % f["rule"]
            previous = e
        if not f["windows"]:
            yield "findings: %s has no window" % f["rule"]
        for text in [f["title"], f["what"], f["why"], f["refute"]] + f["try"]:
            if not text or re.search(r"[{}]|nan|inf\b", text):
                yield "findings: %s says %r" % (f["rule"], text)


def law_judgements(report):
    entities = {g["entity"] for g in report["run"]["gpus"]} | set(report["run"]["hosts"]) | {"host"}
    outcomes = fired(report)
    told = {(f["rule"], bare(e)) for f in report["findings"] for e in f["entities"]}
    hidden = {s for f in report["findings"] for s in f["symptoms"]}
    for rule, entity in sorted(told - outcomes):
        yield "judgements: %s of %s is told, but did not fire" % (rule, entity)
    for rule, entity in sorted(outcomes - told):
        if rule not in hidden:
            yield "judgements: %s of %s fired, but is not told" % (rule, entity)
    for j in report["judgements"]:
        if j["entity"] not in entities | {"run"}:
            yield "judgements: of %r, which is no GPU or host of the run, nor the run" % j["entity"]
        if j["outcome"] in ("unknown", "skipped") and not j["reason"]:
            yield "judgements: %s is %s without a reason" % (j["rule"], j["outcome"])


def law_verdict(report):
    severity = report["verdict"]["severity"]
    levels = [LEVELS.index(f["severity"]) for f in report["findings"]]
    worst = max(levels, default=0)
    wanted = LEVELS[worst] if worst else "healthy"
    if severity not in (wanted, "unknown"):
        yield "verdict: %s, though the worst finding is %s" % (severity, LEVELS[worst] if levels else "none")


def law_text(text, report):
    for n, line in enumerate(text.split("\n"), 1):
        if len(line) > 80:
            yield "text: line %d has %d columns" % (n, len(line))
        if not line.isascii() or any(ord(c) < 32 for c in line):
            yield "text: line %d is not plain ASCII" % n
    flat = one_line(text)
    if one_line(report["verdict"]["sentence"]) not in flat:
        yield "text: it does not say the verdict"
    for f in report["findings"]:
        if one_line(f["title"]) not in re.sub(r" (up to )?\d[\d.]* GPU-(s|min|h) (lost|not logged)", "", flat):
            yield "text: it does not say '%s'" % f["title"]


def law_rows(report):
    """Each row of a log is used, rejected or ignored, and where one is rejected it is said why."""
    for source in report["sources"]:
        parts = source["rows"] + source["rows_bad"] + source["rows_ignored"]
        if parts != source["rows_seen"]:
            yield "rows: %s has %d, and %d are told" % (source["path"], source["rows_seen"], parts)
        if source["rows_bad"] and not source["complaints"]:
            yield "rows: %d of %s are rejected without a word" % (source["rows_bad"], source["path"])


LAWS = [law_keys, law_words, law_zone, law_rows, law_ledger, law_costs, law_findings, law_judgements, law_verdict]


def broken_laws(report, text):
    for law in LAWS:
        yield from law(report)
    yield from law_text(text, report)


# ---- truths: what holds for this run ------------------------------------------------------------

def wrong_windows(truth, wanted, found):
    if len(found["windows"]) != len(wanted["windows"]):
        yield "%s has %d windows, not %d" % (wanted["rule"], len(found["windows"]), len(wanted["windows"]))
        return
    for (begin, end, begin_off, end_off), window in zip(wanted["windows"], found["windows"]):
        if abs(seconds(window["begin"]) - at(truth, begin)) > begin_off:
            yield "%s begins %s, not within %s s of %s" % (wanted["rule"], window["begin"], begin_off, begin)
        if abs(seconds(window["end"]) - at(truth, end)) > end_off:
            yield "%s ends %s, not within %s s of %s" % (wanted["rule"], window["end"], end_off, end)


def wrong_finding(truth, wanted, found):
    rule = wanted["rule"]
    gpus = ["gpu%d" % i for i in (wanted["gpus"] if wanted["gpus"] is not None else truth["gpus"])]
    if found["severity"] != wanted["severity"]:
        yield "%s is %s, not %s" % (rule, found["severity"], wanted["severity"])
    if sorted(map(bare, found["entities"])) != gpus:
        yield "%s is about %s, not %s" % (rule, found["entities"], gpus)
    yield from wrong_windows(truth, wanted, found)
    for name, (low, high) in wanted["evidence"].items():
        value = found["evidence"].get(name, {}).get("value")
        if value is None or not low <= value <= high:
            yield "%s: %s is %r, not in %r to %r" % (rule, name, value, low, high)
    for symptom in wanted["symptoms"]:
        if symptom not in found["symptoms"]:
            yield "%s does not explain %s" % (rule, symptom)


def wrong_words(truth, report, text):
    sentence, flat = report["verdict"]["sentence"], one_line(text)
    for key, where, must in (("sentence", sentence, True), ("not_sentence", sentence, False), ("text", flat, True),
                             ("not_text", flat, False)):
        for words in truth.get(key, []):
            if (words in where) != must:
                yield "'%s' is %s the %s" % (words, "not in" if must else "in", key.replace("not_", ""))
    for words in truth.get("not_first_advice", []):
        if any(words in f["try"][0] for f in report["findings"][:1]):
            yield "'%s' is the first advice" % words


def wrong_statistics(truth, report):
    known = {(bare(s["entity"]), s["metric"]): s for s in report["statistics"]}
    for key, (low, high) in truth.get("statistics", {}).items():
        entity, metric, which = key.split()
        value = known.get((entity, metric), {}).get(which)
        if value is None or not low <= value <= high:
            yield "%s is %r, not in %r to %r" % (key, value, low, high)


def wrong_clock(truth, report):
    for source in report["sources"]:
        clock = source["clock"]
        if source["format"] == "nvidia-smi-csv" and (clock["zone"], clock["offset_s"], clock["decided_by"]) != truth["clock"]:
            yield "%s is read as %s, %s" % (source["path"], clock["zone"], clock["decided_by"])
    if seconds(report["run"]["begin"]) < at(truth, "01:48:00") or seconds(report["run"]["end"]) > at(truth, "02:09:00"):
        yield "the run is not at its time: %s" % report["run"]["begin"]


def untruths(truth, report, text):
    if report["verdict"]["severity"] != truth["verdict"]:
        yield "the verdict is %s, not %s" % (report["verdict"]["severity"], truth["verdict"])
    wanted, found = [f["rule"] for f in truth["findings"]], [f["rule"] for f in report["findings"]]
    if wanted != found:
        yield "findings are %s, not %s" % (found, wanted)
    for w in truth["findings"]:
        for f in report["findings"]:
            if f["rule"] == w["rule"]:
                yield from wrong_finding(truth, w, f)
    for rule in sorted({r for r, _ in fired(report)} & set(truth["not_fired"])):
        yield "%s fired" % rule
    share = report["verdict"]["lost_gpu_hours"][1] / report["verdict"]["gpu_hours"]
    if not truth["lost"][0] <= share <= truth["lost"][1]:
        yield "%.3f of the run is lost, not %r to %r" % (share, *truth["lost"])
    yield from wrong_clock(truth, report)
    yield from wrong_statistics(truth, report)
    yield from wrong_words(truth, report, text)


def untold(truth, report):
    """What was planted, and is not told; what was not, and is."""
    def covers(f, gpus, begin, end, begin_off, end_off):
        edges = [seconds(f["windows"][0]["begin"]) - at(truth, begin), seconds(f["windows"][-1]["end"]) - at(truth, end)]
        return set(gpus) <= set(f["entities"]) and abs(edges[0]) <= begin_off and abs(edges[1]) <= end_off

    for rules, gpus, *times in truth["planted"]:
        if not any(f["rule"] in rules and covers(f, gpus, *times) for f in report["findings"]):
            yield "no %s on %s from %s to %s" % (" or ".join(rules), gpus, times[0], times[1])
    for rule, entity in sorted({(j["rule"], j["entity"]) for j in report["judgements"] if j["outcome"] == "fired"}):
        if rule in truth["not_fired"] or rule in truth["fired_on"] and entity not in truth["fired_on"][rule]:
            yield "%s fired on %s" % (rule, entity)
    if report["verdict"]["severity"] not in truth["verdict"]:
        yield "the verdict is %s" % report["verdict"]["severity"]
    share = report["verdict"]["lost_gpu_hours"][1] / report["verdict"]["gpu_hours"]
    if not truth["lost"][0] <= share <= truth["lost"][1]:
        yield "%.3f of the run is lost, not %r to %r" % (share, *truth["lost"])


# What no file in samples/ tells: errors that only a kernel log has, how hot the memory of an H200 may be, how much memory the host has, and a
# column that was not asked for.
NOT_LOGGED = {"gpu-xid", "gpu-xid-job", "host-oom-kill", "host-out-of-memory", "gpu-ecc-corrected", "gpu-hbm-hot"}
BEYOND = re.compile(r"not logged: host\.mem_share$")


def has_one(report):
    """What there is only one of can't be compared."""
    reasons = set()
    if len(report["run"]["gpus"]) == 1:
        reasons.add("only one GPU")
    if len(report["run"]["hosts"]) <= 1:
        reasons.add("only one host")
    return reasons


def undecided(report):
    """With all three logs every rule can be judged, but for those that need more, or more time than the run took, or others to compare with."""
    for j in report["judgements"]:
        reason = j["reason"] or ""
        if j["outcome"] == "skipped" and reason in has_one(report):
            continue
        if j["outcome"] in ("unknown", "skipped") and j["rule"] not in NOT_LOGGED and not BEYOND.match(reason) and not reason.startswith("too short"):
            yield "%s is %s: %s" % (j["rule"], j["outcome"], j["reason"])


def all_complaints(name, report, text):
    yield from broken_laws(report, text)
    yield from untruths(RUNS[name], report, text)
    yield from undecided(report)
    if name == "healthy" and len(text.splitlines()) > 45:
        yield "the report has %d lines, not at most 45" % len(text.splitlines())


# ---- running the program ------------------------------------------------------------------------

class Case:
    """Counts: a case passes when it has nothing to complain about."""

    passed = failed = 0

    @classmethod
    def judge(cls, name, complaints):
        complaints = list(complaints)
        cls.passed += not complaints
        cls.failed += bool(complaints)
        for line in complaints:
            print("FAILED %s: %s" % (name, line))

    @classmethod
    def end(cls):
        print("%d passed, %d failed" % (cls.passed, cls.failed))
        sys.exit(1 if cls.failed else 0)


def examine(program, inputs, cwd=ROOT, **environment):
    """Report and text, from one run that writes both and one that prints."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([program, "report", *inputs, "-o", out, "--format", "json"], cwd=cwd, capture_output=True,
                              text=True, timeout=60, env=dict(os.environ, **environment), check=False)
        if done.returncode != 0:
            raise RuntimeError("exit status %d: %s" % (done.returncode, done.stderr))
        names = sorted(os.listdir(out))
        with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
            written = file.read()
        with open(os.path.join(out, "report.txt"), encoding="utf-8") as file:
            text = file.read()
    pictures = [chart["file"] for chart in json.loads(written)["charts"]]
    if names != sorted(["report.html", "report.json", "report.md", "report.txt"] + pictures) or pictures[:2] != ["card.png", "timeline.png"]:
        raise RuntimeError("wrote %s" % names)
    if written != done.stdout:
        raise RuntimeError("report.json is not what --format json prints")
    return json.loads(written), text


def three_logs(folder, gpu="gpu.csv"):
    return [os.path.join(folder, name) for name in (gpu, "vmstat.txt", "mpstat.txt")]


def sample(name):
    return os.path.join("samples", name)


def holes_of(room):
    """The run with holes of the gallery (samples/README.md): rows of a recording are left out."""
    folder = os.path.join(room, "holes")
    os.mkdir(folder)
    with open(os.path.join(ROOT, sample("balanced_4gpu"), "gpu.csv"), encoding="utf-8") as whole, \
            open(os.path.join(folder, "gpu.csv"), "w", encoding="utf-8") as log:
        log.writelines(row for row in whole if not re.search(r" 01:57:5[2-9]| 01:58:1[0-5][^,]*, 2,", row))
    os.symlink(os.path.join(ROOT, sample("balanced_4gpu"), "vmstat.txt"), os.path.join(folder, "vmstat.txt"))
    return folder


def examine_planted(program):
    with tempfile.TemporaryDirectory() as room:
        return {name: examine(program, [holes_of(room) if name == "holes" else sample(name)]) for name in PLANTED}


def check_cluster(program):
    with tempfile.TemporaryDirectory() as room:
        subprocess.run([sys.executable, os.path.join(ROOT, sample("made/cluster.py")), room], check=True, timeout=600,
                       env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
        report, _ = examine(program, [room])
    # the text tells five of its findings, so it is not asked
    Case.judge("cluster", [*law_ledger(report), *law_costs(report), *untold(CLUSTER, report)])


def check_samples(program):
    lost = {}
    for name in RUNS:
        report, text = examine(program, three_logs(sample(name)))
        lost[name] = report["verdict"]["lost_gpu_hours"][1] / report["verdict"]["gpu_hours"]
        Case.judge(name, all_complaints(name, report, text))
    for name, (report, text) in examine_planted(program).items():
        Case.judge(name, [*broken_laws(report, text), *untold(PLANTED[name], report)])
    Case.judge("loader_fixed lost less than loader_bound",
               [] if lost["loader_fixed"] < lost["loader_bound"] / 2 else ["%r" % lost])


# ---- lies -----------------------------------------------------------------------------------------

def put(path, value):
    """A lie: report[path] = value, or value(old) when it can be called."""
    def tell(report):
        *way, last = path
        node = report
        for key in way:
            node = node[key]
        node[last] = value(node[last]) if callable(value) else value
    return tell


def drop(path):
    def tell(report):
        node = report
        for key in path[:-1]:
            node = node[key]
        del node[path[-1]]
    return tell


def judged(rule, outcome):
    def tell(report):
        for j in report["judgements"]:
            if j["rule"] == rule:
                j["outcome"], j["reason"] = outcome, None
    return tell


def said(words, instead=""):
    return lambda text: text.replace(words, instead)


def late(by):
    return lambda iso: datetime.fromtimestamp(seconds(iso) + by, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


WINDOW = ("findings", 0, "windows", 0)
# run, lie in report.json (None: it says the truth), lie in the text, words of the complaint that must come
LIES = [
    ("loader_bound", drop(("verdict", "sentence")), None, "keys: no 'sentence'"),
    ("loader_bound", put(("schema",), "postrun.report/2"), None, "keys: schema"),
    ("loader_bound", put(("findings", 0, "confidence"), "sure"), None, "words: 'sure'"),
    ("loader_bound", put(("findings", 0, "coverage"), 1.1), None, "words: coverage"),
    ("loader_bound", put(("statistics", 0, "mean"), float("nan")), None, "words: nan"),
    ("loader_bound", put(("ledger", 0, "gpu_hours"), lambda h: h + 2e-9), None, "ledger: rows add up"),
    ("loader_bound", put(("ledger", 1, "energy_kwh"), [2, 1]), None, "ledger: energy"),
    ("loader_bound", put(("run", "end"), lambda iso: iso.rstrip("Z")), None, "zone: end is"),
    ("loader_bound", put(("run", "seconds"), lambda s: s + 1), None, "ledger: run.seconds"),
    ("loader_bound", put(("sources", 0, "rows_seen"), lambda n: n + 1), None, "and 156 are told"),
    ("loader_bound", put(("sources", 0, "rows_bad"), 1), None, "are rejected without a word"),
    ("straggler_4gpu", drop(("run", "gpus", 0)), None, "GPU-hours in a run of"),
    ("loader_bound", put(("verdict", "lost_gpu_hours", 1), lambda h: h * 1.01), None, "costs: the ledger lost"),
    ("loader_bound", put(("findings", 0, "cost_gpu_hours", 1), lambda h: h + 2e-9), None, "costs: finding 1"),
    ("loader_bound", put(("ledger", 1, "class"), "gpu-hot"), None, "costs: finding 1"),
    ("phases", put(("findings", 1, "number"), 3), None, "findings: numbered"),
    ("phases", lambda r: r["findings"].reverse(), None, "worst first"),
    ("phases", put(("findings", 0, "windows", 1, "begin"), "2026-11-21T01:54:50.000Z"), None, "windows of gpu-idle-allocated overlap"),
    ("phases", put((*WINDOW, "seconds"), 20), None, "not as long as it says"),
    ("loader_bound", put(("findings", 0, "what"), "GPU busy {gpu_busy}"), None, "findings: gpu-starved-by-cpu says"),
    ("loader_bound", judged("gpu-starved-by-cpu", "clear"), None, "is told, but did not fire"),
    ("loader_bound", judged("gpu-unused", "fired"), None, "gpu-unused of gpu0 fired, but is not told"),
    ("loader_bound", judged("gpu-unused", "skipped"), None, "skipped without a reason"),
    ("loader_bound", put(("verdict", "severity"), "healthy"), None, "verdict: healthy, though"),
    ("healthy", put(("verdict", "severity"), "warning"), None, "verdict: warning, though"),
    ("healthy", None, said("\n", "\n\n"), "lines, not at most 45"),
    ("healthy", None, said("VERDICT", "VERDICT" + "  " * 20), "columns"),
    ("healthy", None, said("NVIDIA", "NVIDI\u00c1"), "not plain ASCII"),
    ("loader_bound", None, said("was short of input"), "it does not say the verdict"),
    ("balanced_4gpu", None, said("Most GPU memory stayed free", "Memory"), "it does not say 'Most GPU memory"),
    ("loader_bound", put((*WINDOW, "begin"), "2026-11-21T01:49:46.100Z"), None, "begins"),
    ("loader_bound", put((*WINDOW, "end"), "2026-11-21T01:50:40.900Z"), None, "ends"),
    ("one_worker", lambda r: [put((*WINDOW, edge), late(-18000))(r) for edge in ("begin", "end")], None, "gpu-starved-by-one-core begins"),
    ("phases", drop(("findings", 0, "windows", 1)), None, "has 1 windows, not 2"),
    ("straggler_4gpu", put(("findings", 0, "entities"), lambda e: e + ["node01/gpu2"]), None, "gpu-straggler is about"),
    ("straggler_4gpu", put(("verdict", "severity"), "healthy"), None, "the verdict is healthy"),
    ("straggler_4gpu", put(("verdict", "sentence"), "All GPUs fully used."), None, "'fully used' is in the sentence"),
    ("loader_bound", put(("findings", 0, "severity"), "warning"), None, "gpu-starved-by-cpu is warning"),
    ("loader_bound", put(("findings", 0, "evidence", "cpu_busy", "value"), 60), None, "cpu_busy is 60"),
    ("loader_bound", drop(("findings", 0, "evidence", "io_wait")), None, "io_wait is None"),
    ("loader_bound", put(("findings", 0, "symptoms"), []), None, "does not explain gpu-low-use"),
    ("loader_bound", put(("findings", 0, "try", 0), "Use mixed precision."), None, "is the first advice"),
    ("balanced_4gpu", drop(("findings", 0)), None, "findings are ['gpu-power-capped'], not ['gpu-memory-low', 'gpu-power-capped']"),
    ("healthy", judged("gpu-thermal-software", "fired"), None, "gpu-thermal-software fired"),
    ("loader_fixed", put(("verdict", "lost_gpu_hours", 1), lambda h: h * 2), None, "of the run is lost"),
    ("one_worker", put(("sources", 0, "clock", "offset_s"), 0), None, "gpu.csv is read as"),
    ("one_worker", put(("sources", 0, "clock", "decided_by"), "assumed"), None, "gpu.csv is read as"),
    ("one_worker", put(("run", "begin"), late(-18000)), None, "not at its time"),
    ("one_worker", None, said("UTC-5", "UTC"), "'read as UTC-5' is not in the text"),
    ("one_worker", None, said("PROVENANCE", "CPU is idle"), "'CPU is idle' is in the text"),
    ("healthy", put(("statistics", 0, "p50"), 99), None, "gpu0 gpu.util p50 is 99"),
    ("healthy", judged("gpu-hot", "unknown"), None, "gpu-hot is unknown"),
]


def check_planted_lies(program):
    """A report that leaves a planted thing out, or says it of all GPUs at another time, is caught."""
    for name, (report, _) in examine_planted(program).items():
        for rules, *_ in PLANTED[name]["planted"]:
            silent = dict(report, findings=[f for f in report["findings"] if f["rule"] not in rules])
            Case.judge("%s without %s" % (name, rules), [] if list(untold(PLANTED[name], silent)) else ["is believed"])
        moved = copy.deepcopy(report)
        for f in moved["findings"]:
            put(("windows", 0, "begin"), late(-300))(f)
        Case.judge("%s, five minutes early" % name, [] if list(untold(PLANTED[name], moved)) else ["is believed"])
        invented = dict(report, judgements=report["judgements"] + [{"rule": PLANTED[name]["not_fired"][0], "entity": "gpu0", "outcome": "fired"}])
        Case.judge("%s, and what was not planted" % name, [] if list(untold(PLANTED[name], invented)) else ["is believed"])


def check_lies(program):
    check_planted_lies(program)
    truths = {name: examine(program, three_logs(sample(name))) for name in RUNS}
    for n, (name, lie, lie_in_text, words) in enumerate(LIES, 1):
        report, text = copy.deepcopy(truths[name][0]), truths[name][1]
        if lie:
            lie(report)
        if lie_in_text:
            text = lie_in_text(text)
        found = []
        try:
            found.extend(all_complaints(name, report, text))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            found.append("%s: %s" % (type(error).__name__, error))
            found.extend(law_keys(report) if "keys:" in words else [])
        Case.judge("lie %d of %s is not caught" % (n, name),
                   [] if any(words in line for line in found) else ["no '%s' in %s" % (words, found)])


# ---- all the ways to give a run ---------------------------------------------------------------------

def told(report):
    """What a report says, without times and figures."""
    return [(f["rule"], f["severity"], [bare(e) for e in f["entities"]]) for f in report["findings"]]


def differences(one, other, step):
    if told(one) != told(other):
        yield "%s, but %s" % (told(one), told(other))
        return
    if one["verdict"]["severity"] != other["verdict"]["severity"]:
        yield "the verdicts differ"
    for a, b in zip(one["findings"], other["findings"]):
        if len(a["windows"]) != len(b["windows"]):
            yield "%s has %d windows, but %d" % (a["rule"], len(a["windows"]), len(b["windows"]))
        for u, v in zip(a["windows"], b["windows"]):
            for edge in ("begin", "end"):
                if not near(seconds(u[edge]), seconds(v[edge]), step):
                    yield "%s: a window's %s is %s, but %s" % (a["rule"], edge, u[edge], v[edge])


def skipped_not_clear(report, rules):
    for j in report["judgements"]:
        if j["rule"] in rules and j["outcome"] != "skipped":
            yield "%s is %s, though nobody logged its metrics" % (j["rule"], j["outcome"])
        if j["rule"] in rules and "not logged" not in (j["reason"] or ""):
            yield "%s was skipped because of '%s'" % (j["rule"], j["reason"])


def wrong_time_basis(text):
    if "(log time; no log names its zone)" not in one_line(text) or "(UTC)" in text:
        yield "the text does not say that times are the log's own"


def gpu_alone(name, report, text):
    """Without a CPU log nothing may be said of the CPU, and no time is known to be UTC."""
    yield from broken_laws(report, text)
    yield from skipped_not_clear(report, STARVED)
    for words in ("input data", "CPU core", "waited for input", "waited for a single"):
        if words in report["verdict"]["sentence"]:
            yield "'%s' in the sentence, without a CPU log" % words
    if report["sources"][0]["clock"]["decided_by"] != "assumed" or report["sources"][0]["clock"]["zone"] is not None:
        yield "a zone from nowhere: %r" % report["sources"][0]["clock"]
    yield from wrong_time_basis(text)
    healthy = RUNS[name]["verdict"] == "healthy"
    if (report["verdict"]["severity"] == "healthy") != healthy:
        yield "the verdict is %s" % report["verdict"]["severity"]
    rules = {f["rule"] for f in report["findings"]}
    if name in ("loader_bound", "loader_fixed", "one_worker") and not rules & {"gpu-low-use", "gpu-idle-allocated"}:
        yield "nobody says that the GPU had little to do: %s" % sorted(rules)


def with_vmstat(name, report, text):
    """No single cores: the one-core rule can't be judged, all else as before."""
    yield from broken_laws(report, text)
    yield from skipped_not_clear(report, ["gpu-starved-by-one-core"])
    yield from wrong_clock(RUNS[name], report)
    if name != "one_worker" and name != "phases":
        wanted = [f["rule"] for f in RUNS[name]["findings"]]
        if [f["rule"] for f in report["findings"]] != wanted:
            yield "findings are not %s" % wanted


def with_mpstat(name, report, text, full):
    """No log names its zone: the logs are still brought together, and the times are the CPU log's."""
    yield from broken_laws(report, text)
    yield from differences(report, full, COARSE_STEP)
    yield from wrong_time_basis(text)
    if any(source["clock"]["zone"] is not None for source in report["sources"]):
        yield "a zone from nowhere"
    gpu = report["sources"][0]["clock"]
    if gpu["decided_by"] != RUNS[name]["clock"][2] or gpu["offset_s"] != RUNS[name]["clock"][1]:
        yield "gpu.csv: %r" % gpu


def whole_folder(folder, report, text, full):
    """Other tools' logs do no harm, and are listed."""
    yield from broken_laws(report, text)
    yield from differences(report, full, 0)
    read = {os.path.basename(source["path"]) for source in report["sources"]}
    listed = " ".join(note["text"] for note in report["notes"])
    yield from undecided(report)
    told = [note["text"] for note in report["notes"] if note["topic"] == "Source"]
    if len(told) > 9 or len(told) != len({t.split("taken from", 1)[1] for t in told}):
        yield "%d sentences on sources, not one a log and reason" % len(told)
    for a, b in itertools.combinations(report["statistics"], 2):
        if (a["entity"], a["metric"]) == (b["entity"], b["metric"]):
            yield "%s of %s is counted twice" % (a["metric"], a["entity"])
    for file in sorted(os.listdir(folder)):
        if file not in read and file not in listed:
            yield "%s is neither read nor listed" % file


def statistics_agree(report, folder, gpu):
    """The second computation reads a folder with gpu.csv, vmstat.txt, mpstat.txt."""
    with tempfile.TemporaryDirectory() as room:
        for name, source in (("gpu.csv", gpu), ("vmstat.txt", "vmstat.txt"), ("mpstat.txt", "mpstat.txt")):
            os.symlink(os.path.join(folder, source), os.path.join(room, name))
        path = os.path.join(room, "report.json")
        with open(path, "w", encoding="utf-8") as file:
            # the log is called gpu.csv there, whatever it is called here
            file.write(json.dumps(report).replace(gpu, "gpu.csv"))
        done = subprocess.run([sys.executable, os.path.join(HERE, "reference", "check_stats.py"), path, room],
                              capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        yield from (done.stdout + done.stderr).splitlines()[:10]


def check_recordings(program, recordings):
    lost = {}
    for name in RUNS:
        folder = os.path.realpath(os.path.join(recordings, name))
        gpu = os.path.join(folder, "gpu.csv")
        full, text = examine(program, three_logs(folder))
        lost[name] = full["verdict"]["lost_gpu_hours"][1] / full["verdict"]["gpu_hours"]
        Case.judge(name, all_complaints(name, full, text))
        Case.judge(name + " statistics", statistics_agree(full, folder, "gpu.csv"))

        report, text = examine(program, three_logs(folder, "gpu-nounits.csv"))
        Case.judge(name + " without units", [*broken_laws(report, text), *differences(full, report, COARSE_STEP)])
        Case.judge(name + " without units, statistics", statistics_agree(report, folder, "gpu-nounits.csv"))

        Case.judge(name + " gpu.csv alone", gpu_alone(name, *examine(program, [gpu])))
        Case.judge(name + " with vmstat only", with_vmstat(name, *examine(program, [gpu, os.path.join(folder, "vmstat.txt")])))
        Case.judge(name + " with mpstat only", with_mpstat(name, *examine(program, [gpu, os.path.join(folder, "mpstat.txt")]), full))
        Case.judge(name + " whole folder", whole_folder(folder, *examine(program, [folder]), full))
        swapped, _ = examine(program, list(reversed(three_logs(folder))))
        Case.judge(name + " in another order", differences(full, swapped, 0))
    for name, (report, text) in examine_planted(program).items():
        Case.judge(name, [*broken_laws(report, text), *untold(PLANTED[name], report)])
    Case.judge("loader_fixed lost less than loader_bound",
               [] if lost["loader_fixed"] < lost["loader_bound"] / 2 else ["%r" % lost])


def main():
    if len(sys.argv) < 2 or sys.argv[2:3] not in ([], ["--selftest"], ["--cluster"], ["--recordings"]):
        sys.exit(__doc__.split("\n\n")[1])
    program = os.path.abspath(sys.argv[1])
    if len(sys.argv) == 2:
        check_samples(program)
    elif sys.argv[2] == "--selftest":
        check_lies(program)
    elif sys.argv[2] == "--cluster":
        check_cluster(program)
    else:
        check_recordings(program, sys.argv[3])
    Case.end()


if __name__ == "__main__":
    main()
