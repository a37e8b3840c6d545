#!/usr/bin/env python3
"""pairs.py - any GPU log with any CPU log of a recording leads to the same main finding.

    tests/pairs.py PROGRAM RECORDINGS

What is true of each run stands in truth.py. Here are, as rows, what a log does not tell and how often it looks; what
remains of the truth without that must be in the report of every pair, and nothing else:
  finding   the first one is the truth's first; the others that can be known are there; none that isn't true.
  windows   each edge within what truth.py grants and three steps of the GPU log: one for the edge itself, two for a
            condition that is a mean over ten seconds.
  clock     the GPU log's zone is found, so that windows are in UTC, whichever CPU log is its sibling.
  words     what the truth must not say is not said by any pair. Without single cores nobody can say what one_worker waited
            for: then its GPU had little to do, and the CPU is neither blamed nor acquitted.

LIES are reports with something wrong: a complaint that no lie can wake is not worth its lines.

The last line is "N passed, N failed".
"""

import copy
import itertools
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from truth import RUNS, Case, at, bare, broken_laws, fired, one_line, seconds

# log: its step in seconds, rules that it has no data for
GPU_LOGS = {
    "gpu.csv": (0.5, []),
    "gpu-nounits.csv": (1, []),
    "gpu-noheader.csv": (2, ["gpu-memory-low"]),
    "dmon.txt": (1, ["gpu-memory-low"]),
    "dmon.csv": (1, ["gpu-memory-low"]),
    "table.txt": (5, []),
}
# log: does it name its zone, does it tell single cores
CPU_LOGS = {
    "vmstat.txt": (True, False),
    "mpstat.txt": (False, True),
    "sar.txt": (False, False),
    "sadf.csv": (True, False),
    "sadf.json": (True, False),
    "iostat.txt": (True, False),
    "procstat.txt": (True, True),
}
COLUMNS = {"gpu-noheader.csv": "timestamp,index,utilization.gpu,memory.used,temperature.gpu,power.draw"}
CORE_RULES = ["gpu-starved-by-few-cores", "gpu-starved-by-one-core"]
# A log with such a step may miss so much of a cause that its symptom stands beside it.
COARSE = 5
# A GPU that hardly works is idle or in low use, by whether the log's samples met its short bursts.
LITTLE_TO_DO = ["gpu-low-use", "gpu-idle-allocated"]
# Where a coarse log's own rows end the story sooner: its last looks at a half-starved GPU found it 99, 73, 99 and 86 % busy.
TOLD_UNTIL = {("loader_fixed", "table.txt", "gpu-starved-by-cpu"): "02:07:33"}
BLAMES = ["input data", "CPU core", "CPU is idle", "CPU was idle", "not the bottleneck", "Healthy"]


def untellable(gpu, cpu):
    return GPU_LOGS[gpu][1] + ([] if CPU_LOGS[cpu][1] else CORE_RULES)


def wrong_edges(truth, wanted, found, step):
    """Each true window is found, in one piece or, where a coarse log saw the condition pause, in several; and no other."""
    slack = 3 * step
    left = [(seconds(w["begin"]), seconds(w["end"])) for w in found["windows"]]
    for begin, end, begin_off, end_off in wanted["windows"]:
        begins, ends = at(truth, begin), at(truth, end)
        parts = [w for w in left if w[0] < ends and w[1] > begins]
        left = [w for w in left if w not in parts]
        if not parts:
            yield "%s is not found from %s to %s" % (wanted["rule"], begin, end)
            continue
        for edge, true, is_found, off in (("begin", begins, parts[0][0], begin_off), ("end", ends, parts[-1][1], end_off)):
            if abs(is_found - true) > off + slack:
                yield "%s: an edge is %.1f s from the true %s %s" % (wanted["rule"], is_found - true, edge,
                                                                    begin if edge == "begin" else end)
        if sum(e - b for b, e in parts) < 0.7 * (ends - begins):
            yield "%s: much of %s to %s is missing" % (wanted["rule"], begin, end)
    if left:
        yield "%s has windows that are not true" % wanted["rule"]


def is_tie(findings, wanted, step):
    """Findings are told by what they cost; each edge of a window may be off by a step, and so may the order be."""
    edges = 2 * len(wanted[0]["windows"])
    costs = [f["cost_gpu_hours"][1] for f in findings[:2]]
    return None not in costs and abs(costs[0] - costs[1]) * 3600 <= edges * step


def is_judged(report, rule):
    """Not where no log of the pair tells what the rule asks for."""
    return any(j["outcome"] in ("fired", "clear") for j in report["judgements"] if j["rule"] == rule)


def wrong_findings(truth, wanted, report, step):
    wanted = [f for f in wanted if f["severity"] != "note" or is_judged(report, f["rule"])]
    found = {f["rule"]: f for f in report["findings"]}
    have = [f["rule"] for f in report["findings"]]
    if step >= COARSE:
        symptoms = {s for f in wanted for s in f["symptoms"]}
        have = have[:1] + [rule for rule in have[1:] if rule not in symptoms]
    if len(wanted) > 1 and have[:2] == [f["rule"] for f in wanted[1::-1]] and is_tie(report["findings"], wanted, step):
        have[:2] = have[1::-1]
    if have[:1] != [f["rule"] for f in wanted[:1]] or sorted(have) != sorted(f["rule"] for f in wanted):
        yield "findings are %s, not %s" % (have, [f["rule"] for f in wanted])
    for w in wanted:
        if w["rule"] not in found:
            continue
        f = found[w["rule"]]
        gpus = ["gpu%d" % i for i in (w["gpus"] if w["gpus"] is not None else truth["gpus"])]
        if sorted(map(bare, f["entities"])) != gpus:
            yield "%s is about %s" % (w["rule"], f["entities"])
        if f["severity"] != w["severity"]:
            yield "%s is %s, not %s" % (w["rule"], f["severity"], w["severity"])
        yield from wrong_edges(truth, w, f, step)


def wrong_little(truth, wanted, report, step):
    """The cause can't be told: that the GPU had little to do from the truth's begin to its end is said, and no cause."""
    other = [f for f in report["findings"] if f["rule"] not in LITTLE_TO_DO]
    little = [f for f in report["findings"] if f["rule"] in LITTLE_TO_DO]
    if not report["findings"] or report["findings"][0]["rule"] not in LITTLE_TO_DO:
        yield "the main finding is not that the GPU had little to do: %s" % [f["rule"] for f in report["findings"]]
    if report["verdict"]["severity"] not in ("warning", "critical"):
        yield "the verdict is %s" % report["verdict"]["severity"]
    if little:
        windows = sorted((w for f in little for w in f["windows"]), key=lambda w: w["begin"])
        whole = {"rule": "little to do", "windows": truth["findings"][0]["windows"]}
        first, last = windows[0], max(windows, key=lambda w: w["end"])
        yield from wrong_edges(truth, whole, {"windows": [{"begin": first["begin"], "end": last["end"]}]}, step)
    for words in BLAMES:
        if words in report["verdict"]["sentence"]:
            yield "'%s' is in the sentence" % words
    yield from wrong_findings(truth, wanted, dict(report, findings=other), step)


def wrong_clock(truth, report, cpu):
    zone, offset, decided_by = truth["clock"]
    clock = report["sources"][0]["clock"]
    if (clock["zone"], clock["offset_s"], clock["decided_by"]) != (zone if CPU_LOGS[cpu][0] else None, offset, decided_by):
        yield "the GPU log is read as %s, %s s east, %s" % (clock["zone"], clock["offset_s"], clock["decided_by"])


def wrong_words(truth, report, text, all_told):
    sentence, flat = report["verdict"]["sentence"], one_line(text)
    for words in truth.get("sentence", []) if all_told else []:
        if words not in sentence:
            yield "'%s' is not in the sentence" % words
    for words in truth.get("not_sentence", []):
        if words in sentence:
            yield "'%s' is in the sentence" % words
    for words in truth.get("not_text", []):
        if words in flat:
            yield "'%s' is in the text" % words
    for words in truth.get("not_first_advice", []):
        if any(words in f["try"][0] for f in report["findings"][:1]):
            yield "'%s' is the first advice" % words


def as_told(finding, until):
    begin, end, *off = finding["windows"][-1]
    return dict(finding, windows=finding["windows"][:-1] + [(begin, until or end, *off)])


def complaints(name, gpu, cpu, report, text):
    truth, step = RUNS[name], GPU_LOGS[gpu][0]
    cant = untellable(gpu, cpu)
    wanted = [as_told(f, TOLD_UNTIL.get((name, gpu, f["rule"]))) for f in truth["findings"] if f["rule"] not in cant]
    yield from broken_laws(report, text)
    if truth["findings"] and truth["findings"][0]["rule"] in CORE_RULES and not CPU_LOGS[cpu][1]:
        yield from wrong_little(truth, wanted, report, step)
    else:
        yield from wrong_findings(truth, wanted, report, step)
        if report["verdict"]["severity"] != truth["verdict"]:
            yield "the verdict is %s, not %s" % (report["verdict"]["severity"], truth["verdict"])
    true = {f["rule"] for f in truth["findings"]}
    for rule in sorted({r for r, _ in fired(report)} & ({*truth["not_fired"], *cant} - true)):
        yield "%s fired" % rule
    yield from wrong_clock(truth, report, cpu)
    yield from wrong_words(truth, report, text, gpu == "gpu.csv" and CPU_LOGS[cpu][1])


# ---- lies -----------------------------------------------------------------------------------------

def shifted(report):
    for w in report["findings"][0]["windows"]:
        for edge in ("begin", "end"):
            w[edge] = w[edge].replace("T01:", "T20:")


def healthy(report):
    report["findings"] = []
    report["verdict"].update(severity="healthy", sentence="Healthy: nothing here needs fixing.")


def blamed(report):
    report["verdict"]["sentence"] = "The GPU waited for input data."


def without_zone(report):
    report["sources"][0]["clock"].update(offset_s=0, zone="UTC", decided_by="sibling")


def without_first(report):
    del report["findings"][0]


# run, GPU log, CPU log, lie, words of the complaint that must come
LIES = [
    ("one_worker", "gpu.csv", "procstat.txt", shifted, "is not found from"),
    ("one_worker", "gpu.csv", "procstat.txt", without_zone, "is read as"),
    ("one_worker", "gpu.csv", "procstat.txt", without_first, "findings are"),
    ("one_worker", "gpu.csv", "vmstat.txt", healthy, "not that the GPU had little to do"),
    ("one_worker", "gpu.csv", "vmstat.txt", healthy, "the verdict is healthy"),
    ("one_worker", "gpu.csv", "vmstat.txt", blamed, "'input data' is in the sentence"),
    ("one_worker", "gpu.csv", "vmstat.txt", shifted, "little to do is not found"),
    ("straggler_4gpu", "dmon.txt", "sar.txt", healthy, "findings are []"),
    ("phases", "table.txt", "sar.txt", shifted, "gpu-idle-allocated is not found"),
]


def look(program, folder, gpu, cpu):
    """Report and text; without pictures, which would take most of the time."""
    command = [program, "report", os.path.join(folder, gpu), os.path.join(folder, cpu), "--all"]
    command += ["--columns", COLUMNS[gpu]] if gpu in COLUMNS else []
    said = [subprocess.run([*command, "--format", form], capture_output=True, text=True, check=False) for form in ("json", "text")]
    failed = [one.stderr for one in said if one.returncode]
    return RuntimeError(failed[0]) if failed else (json.loads(said[0].stdout), said[1].stdout)


def check(name, gpu, cpu, said):
    if isinstance(said, RuntimeError):
        return ["no report: %s" % said]
    return list(complaints(name, gpu, cpu, *said))


def check_lie(n, program, recordings):
    name, gpu, cpu, lie, words = LIES[n]
    report, text = look(program, os.path.join(recordings, name), gpu, cpu)
    report = copy.deepcopy(report)
    lie(report)
    found = list(complaints(name, gpu, cpu, report, text))
    return [] if any(words in line for line in found) else ["no '%s' in %s" % (words, found)]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    program, recordings = os.path.abspath(sys.argv[1]), os.path.realpath(sys.argv[2])
    pairs = list(itertools.product(RUNS, GPU_LOGS, CPU_LOGS))
    with ThreadPoolExecutor(2) as pool:
        said = pool.map(lambda p: look(program, os.path.join(recordings, p[0]), p[1], p[2]), pairs)
        for (name, gpu, cpu), one in zip(pairs, said):
            Case.judge("%s: %s with %s" % (name, gpu, cpu), check(name, gpu, cpu, one))
    for n, lie in enumerate(LIES):
        Case.judge("lie %d of %s is not caught" % (n + 1, lie[0]), check_lie(n, program, recordings))
    Case.end()


if __name__ == "__main__":
    main()
