#!/usr/bin/env python3
"""planted.py - made runs, healthy ones and ones with a planted fault, against what the program says of them.

    tests/planted.py PROGRAM MAKER                         200 healthy runs and 200 with a fault
    tests/planted.py PROGRAM MAKER --healthy 10 --faulty 10
    tests/planted.py PROGRAM MAKER --first 7000 --healthy 0 --only steal,slower   other seeds, some kinds
    tests/planted.py PROGRAM MAKER --seed S [--kind K] [--keep DIR]   one run, told at length; DIR keeps its logs

MAKER (tests/planted/make_run.c) knows nothing of the rules. Of each run must be true:

    any       the ledger adds up to wall time x GPUs, no class is negative, the exit status is as documented
    healthy   no critical and no warning finding
    faulty    the first finding is of a rule that tells the fault rightly, on the GPUs that have it, and its windows
              begin and end within two steps of the coarsest log that takes part

The first two hold for every run. Of the faulty ones 95 % must be right; the misses are listed with what was said instead, so
that each can be made again by its seed. The last line is "N passed, N failed".
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

FIRST_SEED = 20261121  # seeds count up from here: the runs are the same each time
WANTED = 0.95  # of planted faults: the right cause is the first finding
LEDGER_ERROR = 1e-9    # of the sum, relative
STEPS = 2              # that an edge may be off
SECOND = 1.0           # and what times in whole seconds, and GPUs that are polled one after the other, make of it
LOUD = ("critical", "warning")
PATIENCE_S = 120

Outcome = collections.namedtuple("Outcome", "seed kind rules broken wrong said bytes seconds")


def stamp(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def folder_size(folder):
    return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(folder) for name in names)


def make(maker, folder, seed, kind):
    subprocess.run([maker, folder, str(seed), kind], check=True, timeout=PATIENCE_S)
    with open(folder + ".truth.json", encoding="utf-8") as file:
        return json.load(file)


def report(program, folder, truth):
    folders = [os.path.normpath(os.path.join(folder, name)) for name in truth["folders"]]
    command = [program, "report", *folders, "--format", "json", "--fail-on", "warning", *truth["arguments"]]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C", "TZ": "UTC"}
    return subprocess.run(command, capture_output=True, timeout=PATIENCE_S, env=environment, check=False)


def broken_laws(told, status, truth):
    """What no report may do, whatever the run."""
    ledger = told["ledger"]
    whole = told["run"]["seconds"] * len(told["run"]["gpus"]) / 3600
    total = sum(row["gpu_hours"] for row in ledger)
    loud = [finding for finding in told["findings"] if finding["severity"] in LOUD]
    if len(told["run"]["gpus"]) != truth["gpus"]:
        yield f"{len(told['run']['gpus'])} GPUs instead of {truth['gpus']}"
    if abs(total - whole) > LEDGER_ERROR * whole:
        yield f"the ledger holds {total!r} GPU-hours, the run {whole!r}"
    for row in ledger:
        if row["gpu_hours"] < 0:
            yield f"{row['class']} is {row['gpu_hours']!r} GPU-hours"
    if status != (1 if loud else 0):
        yield f"exit status {status} with {len(loud)} findings of warning or worse"


def said(finding):
    windows = finding["windows"]
    when = f" {windows[0]['begin'][:19]} to {windows[-1]['end'][:19]}" if windows else ""
    return f"{finding['severity']} {finding['rule']} ({finding['title']}){when}"


def edge_errors(finding, truth):
    """Of the windows that meet the fault: the same finding may truly tell of pauses elsewhere."""
    allowed = STEPS * truth["step_s"] + SECOND
    begin, end = stamp(truth["begin"]), stamp(truth["end"])
    windows = [(stamp(w["begin"]), stamp(w["end"])) for w in finding["windows"]]
    windows = [w for w in windows if w[0] < end + allowed and begin - allowed < w[1]]
    if not windows:
        yield "no window of it meets the fault"
        return
    off = {"begin": min(w[0] for w in windows) - begin, "end": max(w[1] for w in windows) - end}
    for edge, seconds in off.items():
        if edge[0] in truth["edges"] and abs(seconds) > allowed:
            yield f"its {edge} is {seconds:+.1f} s off, {allowed:.1f} s are allowed"


def wrong(told, truth):
    """What is wrong with the findings of this run."""
    findings = told["findings"]
    if truth["kind"] == "healthy":
        yield from ("a healthy run is told " + said(finding) for finding in findings if finding["severity"] in LOUD)
        return
    if not findings:
        yield "nothing was found"
        return
    first = findings[0]
    if first["rule"] not in truth["rules"]:
        yield "first is " + said(first)
        return
    names = {entity.rsplit("/", 1)[-1] for entity in first["entities"]}
    if truth["entities"] and names != set(truth["entities"]):
        yield f"told of {' '.join(sorted(names))}, not of {' '.join(sorted(set(truth['entities'])))}"
    yield from edge_errors(first, truth)


def judge(program, maker, folder, seed, kind):
    truth = make(maker, folder, seed, kind)
    begin = time.monotonic()
    done = report(program, folder, truth)
    seconds = time.monotonic() - begin
    size = folder_size(folder)
    try:
        told = json.loads(done.stdout)
    except ValueError:
        lines = done.stderr.decode(errors="replace").splitlines()
        broken = [f"no report, exit status {done.returncode}: {lines[-1] if lines else 'nothing is said'}"]
        return Outcome(seed, kind, truth["rules"], broken, [], [], size, seconds), truth
    lines = [said(finding) for finding in told["findings"]]
    broken = list(broken_laws(told, done.returncode, truth))
    return Outcome(seed, kind, truth["rules"], broken, list(wrong(told, truth)), lines, size, seconds), truth


def judge_apart(program, maker, room, seed, kind):
    folder = os.path.join(room, f"{kind}-{seed}")
    try:
        return judge(program, maker, folder, seed, kind)[0]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.exists(folder + ".truth.json"):
            os.unlink(folder + ".truth.json")


def kinds_of(maker):
    return subprocess.run([maker, "--list"], check=True, capture_output=True, timeout=PATIENCE_S).stdout.decode().split()


def rules_of(program):
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C"}
    done = subprocess.run([program, "rules", "list"], capture_output=True, timeout=PATIENCE_S, env=environment, check=True)
    return {line.split()[0] for line in done.stdout.decode().splitlines() if line.strip()}


def tell_miss(outcome, known):
    note = "" if not outcome.rules or set(outcome.rules) & known else f" (there is no rule {' or '.join(outcome.rules)})"
    print(f"{outcome.kind} seed {outcome.seed}: {'; '.join(outcome.broken + outcome.wrong)}{note}")
    for line in outcome.said[:3]:
        print("    said: " + line)


def tell_kinds(faulty):
    kinds = collections.OrderedDict()
    for outcome in faulty:
        right = not (outcome.broken or outcome.wrong)
        kinds.setdefault(outcome.kind, []).append(right)
    print("right of made: " + ", ".join(f"{kind} {sum(row)}/{len(row)}" for kind, row in kinds.items()))


def run_all(options):
    kinds = kinds_of(options.maker)
    kinds = [kind for kind in kinds if not options.only or kind in options.only.split(",")]
    cases = [(options.first + i, "healthy") for i in range(options.healthy)]
    cases += [(options.first + i, kinds[i * options.stride % len(kinds)]) for i in range(options.faulty)]
    with tempfile.TemporaryDirectory() as room, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda case: judge_apart(options.program, options.maker, room, *case), cases))
    known = rules_of(options.program)
    broken = [outcome for outcome in outcomes if outcome.broken or (outcome.wrong and outcome.kind == "healthy")]
    faulty = [outcome for outcome in outcomes if outcome.kind != "healthy"]
    missed = [outcome for outcome in faulty if outcome.wrong and not outcome.broken]
    for outcome in broken + missed:
        tell_miss(outcome, known)
    tell_kinds(faulty)
    print(f"seeds from {options.first}; {sum(o.bytes for o in outcomes) / 1e6:.0f} MB of logs, {sum(o.seconds for o in outcomes):.0f} s in reports; "
          f"{len(missed)} of {len(faulty)} faults missed, {(1 - WANTED) * 100:.0f} of 100 are wanted at most")
    failed = len(broken) + (len(missed) if len(missed) > (1 - WANTED) * len(faulty) else 0)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    return failed == 0


def run_one(options):
    with tempfile.TemporaryDirectory() as room:
        folder = os.path.join(options.keep or room, f"{options.kind}-{options.seed}")
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        outcome, truth = judge(options.program, options.maker, folder, options.seed, options.kind)
    print(json.dumps(truth, indent=1))
    for line in outcome.said:
        print("said: " + line)
    for line in outcome.broken + outcome.wrong:
        print("wrong: " + line)
    failed = bool(outcome.broken or outcome.wrong)
    print(f"{int(not failed)} passed, {int(failed)} failed")
    return not failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("maker", type=os.path.abspath)
    parser.add_argument("--healthy", type=int, default=200)
    parser.add_argument("--faulty", type=int, default=200)
    parser.add_argument("--first", type=int, default=FIRST_SEED, help="seed of the first run")
    parser.add_argument("--only", metavar="KINDS", help="of faults, with commas between")
    parser.add_argument("--stride", type=int, default=1, help="of the kinds of faults: which ones a short run takes")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--kind", default="healthy")
    parser.add_argument("--keep", metavar="DIR")
    options = parser.parse_args()
    return run_one(options) if options.seed is not None else run_all(options)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
