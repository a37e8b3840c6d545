#!/usr/bin/env python3
"""corpus.py - every log of a folder of real ones is read as was reviewed, or refused for the reason that was reviewed; and what
is read is judged as a person judged it.

    tests/corpus.py build/postrun FOLDER [--only TEXT] [--print]
    tests/corpus.py --selftest

tests/corpus/*.tsv hold what was reviewed, a line a file; a cell of '-' is not checked:

    file       below FOLDER
    options    for `postrun inspect`, e.g. --start *=2026-11-21T00:00:00
    outcome    read, or refused
    format     the reader
    rows       used; rows that a person counted in the file, not what the program says
    bad        rejected
    devices    "8 GPUs", "16 cores", "8 GPUs 16 cores", "host": what rows are about
    begin end  of the rows, on the log's own clock as far as it can be known; with a Z where its zone is
    missing    cells without value
    message    for refused: a part of what is said; for read: a part of what is said, or -
    how        how it was checked, for the next reader

--print prints the line that a file gives now, to be reviewed. INDEX.tsv of the folder lists the files: one without
a line here is a failure, so is a crash, over 5 seconds, and a file that is read with no row.

corpus_judged.tsv holds for each of them that is read whether its run is healthy; its head says what each word asks of the report.
--selftest gives these laws reports that break them: a law that no such report can wake is not worth its lines.
"""
import argparse
import csv
import glob
import json
import os
import re
import subprocess
import sys

FIELDS = ["file", "options", "outcome", "format", "rows", "bad", "devices", "begin", "end", "missing", "message", "how"]
CHECKED = ["outcome", "format", "rows", "bad", "devices", "begin", "end", "missing"]
LONGEST_S = 5
JUDGED = ["file", "judged", "want", "never", "why"]
FIRST = 3  # so many findings a reader takes in


def devices_of(text):
    gpus = len(re.findall(r"^  device    GPU ", text, re.M))
    cores = re.search(r"^  cores     (\d+)", text, re.M)
    words = ([f"{gpus} GPU{'s' if gpus > 1 else ''}"] if gpus else []) + ([f"{cores[1]} cores"] if cores else [])
    return " ".join(words) or "host"


def inspect(program, path, options):
    """The facts that the program gives of a file, as a line of the table; and all that it says."""
    command = [program, "inspect", *([] if options == "-" else options.split()), path]
    try:
        done = subprocess.run(command, capture_output=True, timeout=LONGEST_S, env={"LC_ALL": "C"}, check=False)
    except subprocess.TimeoutExpired:
        return {"outcome": f"over {LONGEST_S} s"}, ""
    out, said = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    if done.returncode < 0 or done.returncode > 3:
        return {"outcome": f"crash ({done.returncode})"}, said
    rows = re.search(r"^  rows      (\d+) used, (\d+) rejected, (\d+) ignored .* of (\d+) seen", out, re.M)
    if not rows:
        return {"outcome": "refused"}, said
    span = re.search(r"^  span      (\S+) to (\S+) ", out, re.M)
    return {
        "outcome": "read",
        "format": re.search(r"^  format    ([^:]+):", out, re.M)[1],
        "rows": rows[1],
        "bad": rows[2],
        "left over": str(int(rows[4]) - int(rows[1]) - int(rows[2]) - int(rows[3])),
        "devices": devices_of(out),
        "begin": span[1] if span else "-",
        "end": span[2] if span else "-",
        "missing": str(sum(int(n) for n in re.findall(r"^  no value  (\d+) x", out, re.M))),
    }, said + "".join(line + "\n" for line in out.splitlines() if re.match(r"  (event|clock|message)|note:", line))


def load(paths, fields):
    table = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith(("#", "file\t")):
                    cells = line.rstrip("\n").split("\t")
                    if len(cells) != len(fields):
                        sys.exit(f"{path}: {len(cells)} cells where {len(fields)} are expected: {line!r}")
                    row = dict(zip(fields, cells))
                    if row["file"] in table:
                        sys.exit(f"{path}: {row['file']} stands twice")
                    table[row["file"]] = row
    return table


def complaints(program, path, row):
    facts, said = inspect(program, path, row["options"])
    wrong = [f"{name}: {facts.get(name, '-')}, reviewed: {row[name]}" for name in CHECKED
             if row[name] != "-" and facts.get(name, "-") != row[name]]
    if facts.get("left over", "0") != "0":
        wrong.append(f"{facts['left over']} rows are neither used nor rejected nor ignored")
    if facts["outcome"] == "read" and facts["rows"] == "0" and " events" not in row["how"]:
        wrong.append("read, but no row was used")
    if facts["outcome"] == "refused" and not said.strip():
        wrong.append("refused without a word")
    if row["message"] != "-" and row["message"] not in said:
        wrong.append(f"not said: {row['message']!r}; said: {said.strip()!r}")
    return facts["outcome"], wrong


def report(program, path, options):
    """The report as JSON; None when there is none."""
    command = [program, "report", "--no-user-rules", "--format", "json", *([] if options == "-" else options.split()), path]
    done = subprocess.run(command, capture_output=True, env={"LC_ALL": "C"}, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return None


def misjudged(said, row):
    """What a person would object to in a report, as lines."""
    if said is None or row["judged"] == "events":
        fits = said is None and row["judged"] == "events"
        return [] if fits else [f"judged {row['judged']}, and there is {'no' if said is None else 'a'} report"]
    found = said["findings"]
    wrong = [f"{row['never']} must not fire: {one['title']}" for one in found if one["rule"] in row["never"].split()]
    if row["judged"] in ("healthy", "short"):
        wrong += [f"judged {row['judged']} ({row['why']}), and told {one['severity']} {one['rule']}: {one['title']}" for one in found
                  if one["severity"] != "note"]
    elif row["judged"] == "faulty":
        told = said["events"] and said["verdict"]["severity"] == "critical"
        first = ["event"] * bool(told) + [one["rule"] for one in found[:FIRST]]
        if not set(first) & set(row["want"].split("|")):
            wrong.append(f"judged faulty ({row['why']}), and {row['want']} is not among the first: {' '.join(first) or 'nothing'}")
    elif row["judged"] != "unclear":
        wrong.append(f"judged {row['judged']!r}: no such word")
    return wrong


def selftest(judged):
    """Each law on a report that breaks it, and on one that does not."""
    def one(rule, severity="warning"):
        return {"rule": rule, "severity": severity, "title": rule}

    def row(kind, want="-", never="-"):
        return {"judged": kind, "want": want, "never": never, "why": "test"}
    quiet, low = {"findings": [], "events": []}, {"findings": [one("gpu-low-use")], "events": []}
    late = {"findings": [one(rule) for rule in ("a", "b", "c", "gpu-low-use")], "events": []}
    cases = [
        (quiet, row("healthy"), 0), (low, row("healthy"), 1), (low, row("short"), 1),
        ({"findings": [one("a", "note")], "events": []}, row("healthy"), 0),
        ({"findings": [one("a", "critical")], "events": []}, row("healthy"), 1),
        (low, row("faulty", "gpu-idle|gpu-low-use"), 0), (late, row("faulty", "gpu-low-use"), 1), (quiet, row("faulty", "gpu-idle"), 1),
        ({"findings": [], "events": ["lost"], "verdict": {"severity": "critical"}}, row("faulty", "event"), 0),
        ({"findings": [], "events": ["lost"], "verdict": {"severity": "unknown"}}, row("faulty", "event"), 1),
        (quiet, row("faulty", "event"), 1),
        (low, row("unclear"), 0), (low, row("unclear", never="a gpu-low-use"), 1), (low, row("well"), 1),
        (None, row("healthy"), 1), (None, row("events"), 0), (quiet, row("events"), 1),
    ]
    wrong = [f"{said} {asked}: not {objections}" for said, asked, objections in cases if bool(misjudged(said, asked)) != bool(objections)]
    wrong += [f"{name}: 'want' is for faulty runs" for name, cells in judged.items()
              if (cells["want"] != "-") != (cells["judged"] == "faulty")]
    print("\n".join(wrong + [f"{len(cases) - len(wrong)} passed, {len(wrong)} failed"]))
    return 1 if wrong else 0


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    judged = load([os.path.join(here, "corpus_judged.tsv")], JUDGED)
    if sys.argv[1:] == ["--selftest"]:
        return selftest(judged)
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--print", action="store_true")
    args = parser.parse_args()
    table = load(sorted(glob.glob(os.path.join(here, "corpus", "*.tsv"))), FIELDS)
    with open(os.path.join(args.folder, "INDEX.tsv"), encoding="utf-8") as file:
        files = [row["file"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if args.only in row["file"]]
    counts, failed, woken = {"read": 0, "refused": 0}, 0, 0
    for name in files:
        path = os.path.join(args.folder, name)
        row = table.get(name)
        if args.print:
            facts, said = inspect(args.program, path, row["options"] if row else "-")
            print("\t".join([name, row["options"] if row else "-", *(facts.get(field, "-") for field in CHECKED),
                             said.strip().split("\n")[0] or "-", row["how"] if row else "-"]))
            continue
        outcome, wrong = complaints(args.program, path, row) if row else ("", ["nobody has reviewed this file"])
        if outcome == "read":
            said = report(args.program, path, row["options"])
            wrong += misjudged(said, judged[name]) if name in judged else ["nobody has judged this run"]
            woken += judged.get(name, {}).get("judged") == "faulty" and bool(misjudged(said, {**judged[name], "judged": "healthy"}))
        counts[outcome] = counts.get(outcome, 0) + 1
        failed += bool(wrong)
        for text in wrong:
            print(f"{name}: {text}")
    if args.print:
        return 0
    if not args.only and not woken:
        print("no faulty run that is called healthy wakes the law: it looks at nothing")
        failed += 1
    print(f"corpus: {counts['read']} read, {counts['refused']} refused; {len(files) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
