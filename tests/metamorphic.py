#!/usr/bin/env python3
"""metamorphic.py - what must not change a report, and what must change it in a known way only.

    tests/metamorphic.py PROGRAM RUN…                each relation of RELATIONS, of each run
    tests/metamorphic.py PROGRAM RUN… --selftest     would it be seen if a number were another?

RUN is a folder of logs: gpu.csv (or gpu-all.csv), vmstat.txt and mpstat.txt, packed or not, are rewritten by each relation; every other
log is read by itself in each of FORMS. Compared are report.json and, of one GPU log, the text of `--all` word by word; all but what the
relation names in DIFFERS, where it is told why that can't be the same.

What surroundings must not change (language, zone, folder, cores, compilers) is asked by same.py and recordings.sh; that a log which ends
anywhere tells nothing else, by property/cut_laws.c. Nothing is promised of two reports that somebody adds up: the interval across the cut
is in neither, so that means that are weighted by time, and energy, miss it. Nor of all lines in any order: where a log's time steps back
it tells of that time anew, and the rows that came last are used. The last line is "N passed, N failed".
"""

import argparse
import gzip
import json
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from datetime import datetime, timedelta

from rewritten import CPU, GPU, Asked, Run, in_small_pieces, in_tar, in_zip, last_first, moved, packed, through_a_pipe, zstd

SEED = 20261122
ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")
HOUR = timedelta(hours=1)
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C", "TZ": "UTC"}
# What a user has to say of logs that don't tell it themselves.
OPTIONS = {
    "gpu-noheader.csv": ["--columns", "timestamp,index,utilization.gpu,memory.used,temperature.gpu,power.draw"],
    "dmon-notime.txt": ["--start", "2026-11-21T03:11:00"],
    "vmstat-notime.txt": ["--start", "2026-11-21T03:11:00"],
    "free.txt": ["--start", "2026-11-21T03:11:00"],
    "dmon-gpm.txt": ["--date", "2026-11-21"],
    "top.txt": ["--date", "2026-11-21"],
}


# ---------------------------------------------------------------- what is said of logs

class Said:
    """What the program said of it."""

    def __init__(self, program, asked, with_text):
        with tempfile.TemporaryDirectory() as place:
            paths, pieces = asked.form(place, asked.logs)
            command = [program, "report", *paths, *asked.options]
            self.json = json.loads(self.run(command + ["--format", "json"], place, pieces))
            self.text = self.run(command + ["--all"], place, pieces).decode() if with_text else ""

    @staticmethod
    def run(command, place, pieces):
        with subprocess.Popen(command, cwd=place, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as child:
            for piece in pieces:
                child.stdin.write(piece)
                child.stdin.flush()
            out, complaints = child.communicate()
        if child.returncode:
            raise RuntimeError("exit status %d: %s" % (child.returncode, complaints.decode().strip()[-300:]))
        return out


# ---------------------------------------------------------------- what may differ

def forget(*keys):
    def of_sources(report):
        for source in report["sources"]:
            for key in keys:
                source.pop(key)
    return of_sources


def forget_clock_skew(report):
    report["judgements"] = [j for j in report["judgements"] if j["rule"] != "clock-skew"]
    for finding in report["findings"]:
        for name in ("skew", "apart"):
            finding["evidence"].pop(name, None)


def forget_sources(report):
    for key in ("sources", "notes"):
        report.pop(key)
    report["run"].pop("name")


def forget_order(report):
    report["sources"].sort(key=lambda source: source["path"])
    report["run"].pop("name")
    for source in report["sources"]:
        source["clock"].pop("sentence")


def forget_notes(report, topic):
    report["notes"] = [note for note in report["notes"] if note["topic"] != topic]


def forget_rules(report):
    report.pop("rules")
    report["program"].pop("rules_digest")
    forget_notes(report, "Rules")


# name: why it can't be the same; what is taken out of report.json; pattern of the text and what stands in its place, None: no text then
Differ = namedtuple("Differ", "why forget text")
DIFFERS = {
    "bytes": Differ("the file's own size and digest", forget("bytes", "digest"), (r"\d+ bytes xxh128:\w+", "")),
    "lines": Differ("lines that are no rows are counted", forget("rows_ignored", "rows_seen"), None),
    "why": Differ("how the reader knew the log", forget("why"), None),
    "command": Differ("the command is told", lambda report: None, (r"postrun report .*$", "")),
    "counts": Differ("rows that are left out are counted, and the text has a sentence for it", lambda report: None, None),
    "complaints": Differ("what is wrong with a row is told, by the verdict where the log is short", forget("complaints"),
                         (r" 1 of \d+ rows of [\w.-]+ could not be used\.", "")),
    "packing": Differ("that it was packed is told, in its name as well", lambda report: None,
                      (r"(?<=csv|txt|son|xml)\.(gz|xz|zst)|unpacked from (gzip|xz|zstd), ", "")),
    "archive": Differ("members have the archive's name before theirs, and come in the order of names", lambda report: (
        forget_order(report), forget("path", "archive", "archive_digest")(report)), None),
    "pipe": Differ("the standard input has no name", lambda report: (forget("path")(report), report["run"].pop("name")),
                   (r"(?<=GPU RUN REPORT ).*?(?= on | postrun )|standard input", "NAME")),
    "order": Differ("logs are listed as given, and the first one names the run and is what others are compared with", forget_order, None),
    "files": Differ("of two files each is told, and of their two steps, which are near, one is that of the last row", forget_sources,
                    (r"gpu-[12]\.csv", "gpu.csv")),
    "skew": Differ("files that begin and end apart don't tell that clocks agree", forget_clock_skew, None),
    "rules": Differ("which rules are not built in is told", forget_rules, None),
    "clock": Differ("times are others", lambda report: None,
                    (r"((Mon|Tue|Wed|Thu|Fri|Sat|Sun) (\d{4}-\d\d-\d\d )?)?(?<![\dT:])\d?\d:\d\d(:\d\d)?", "#")),
    "first": Differ("the first GPU in the log tells when that begins and ends, its step, and how its clock goes", lambda report: (
        forget("begin", "end", "step_s")(report), forget_notes(report, "Clock")),
                    (r"step [\d.]+ s|Clock The clocks of .*? is alike\.", "")),
}


# ---------------------------------------------------------------- relations: how logs are changed

def given(form):
    def change(run):
        return Asked(run.logs, form=form)
    change.__name__ = form.__name__
    return change


def without_units(run):
    return Asked(run.with_gpu(run.gpu.with_cells(lambda name, cell, row: re.sub(r"^([\d.]+) (%|W|MiB|MHz|us)$", r"\1", cell))))


UNKNOWN = ["addressing_mode", "display_attached", "gpu_recovery_action", "hostname"]  # what no reader knows has to be called "-"


def without_a_header(run):
    names = ",".join("-" if head in UNKNOWN else head.split(" [")[0] for head in run.gpu.head)
    return Asked(run.with_gpu(run.gpu.written().split(b"\n", 1)[1]), ["--columns", GPU + "=" + names])


def with_cr_lf(run):
    return Asked({name: text.replace(b"\n", b"\r\n") for name, text in run.logs.items()})


def with_a_byte_order_mark(run):
    return Asked({name: b"\xef\xbb\xbf" + text for name, text in run.logs.items()})


def in_utf_16(run):
    return Asked({name: text.decode().encode("utf-16") for name, text in run.logs.items()})


def with_blank_lines(run):
    """Not around a header of vmstat's that comes again: there it says that vmstat was started anew."""
    return Asked({name: text if text.count(b"swpd") > 1 else text.replace(b"\n", b"\n\n") for name, text in run.logs.items()})


def with_quoted_cells(run):
    return Asked(run.with_gpu(run.gpu.written(",", lambda cell: '"%s"' % cell)))


def without_blanks(run):
    return Asked(run.with_gpu(run.gpu.written(",")))


def with_columns_in_another_order(run):
    order = random.Random(SEED).sample(range(len(run.gpu.head)), len(run.gpu.head))
    log = run.gpu.with_rows([row[i] for i in order] for row in run.gpu.rows)
    log.head = [run.gpu.head[i] for i in order]
    return Asked(run.with_gpu(log))


def with_a_header_before_each_poll(run):
    rows = [row for poll in run.gpu.polls() for row in [run.gpu.head, *poll]]
    return Asked(run.with_gpu(run.gpu.with_rows(rows[1:])))


def with_gpus_shuffled_in_each_poll(run):
    dice = random.Random(SEED)
    return Asked(run.with_gpu(run.gpu.with_rows(row for poll in run.gpu.polls() for row in dice.sample(poll, len(poll)))))


def of_polls(run, begin, end):
    return run.gpu.with_rows(row for poll in run.gpu.polls()[begin:end] for row in poll)


def in_two_files(run, shared=0, turned=False):
    """Both tell of 2 x `shared` polls."""
    middle = len(run.gpu.polls()) // 2
    parts = {"gpu-1.csv": of_polls(run, 0, middle + shared).written(), "gpu-2.csv": of_polls(run, middle - shared, None).written()}
    if turned:
        parts = dict(reversed(parts.items()))
    return Asked({**parts, **{name: text for name, text in run.logs.items() if name != GPU}})


def in_two_files_the_later_one_first(run):
    return in_two_files(run, 0, True)


def in_two_files_that_overlap(run):
    return in_two_files(run, min(50, len(run.gpu.polls()) // 6))


def with_each_row_twice(run):
    if run.gpu.column("index") is None:
        return None  # of two rows at one time that nothing tells apart, each may be of a GPU of its own
    return Asked(run.with_gpu(run.gpu.with_rows(row for row in run.gpu.rows for _ in (0, 1))))


def with_a_damaged_row(share):
    def change(run):
        lines = run.gpu.written().splitlines(keepends=True)
        at = 1 + int(share * (len(lines) - 1))
        return Asked(run.with_gpu(b"".join(lines[:at] + [lines[at - (at == len(lines))][:17] + b"\n"] + lines[at:])))
    change.__name__ = "with_a_damaged_row_at_%d_percent" % (share * 100)
    return change


def an_hour_later(run):
    return Asked(moved(run.logs, lambda t: t + HOUR))


def eight_years_later(run):
    return Asked(moved(run.logs, lambda t: t.replace(year=t.year + 8)))


def with_the_host_an_hour_later(run):
    """The GPU log names no zone: that it fits one an hour off is found, and told."""
    return Asked(moved(run.logs, lambda t: t + HOUR, CPU)) if len(run.logs) > 1 else None


def at_half_the_speed(run):
    """Time goes twice as fast from the full second before the first GPU row on, which each log tells in its own zone."""
    offsets = {source["path"].split("/")[-1]: timedelta(seconds=source["clock"]["offset_s"]) for source in run.base.json["sources"]}
    first = datetime.strptime(run.gpu.rows[0][run.gpu.column("timestamp")], "%Y/%m/%d %H:%M:%S.%f").replace(microsecond=0) - offsets[GPU]
    logs = dict(run.logs)
    for name in logs:
        begin = first + offsets[name]
        logs.update(moved({name: logs[name]}, lambda t, begin=begin: begin + 2 * (t - begin)))
    return Asked(logs)


def with_power_doubled(run):
    def double(name, cell, _):
        found = re.match(r"^(\d+)\.(\d\d) W$", cell)
        if not name.startswith(("power.", "enforced.power.")) or not found:
            return cell
        hundredths = 2 * int(found[1] + found[2])
        return "%d.%02d W" % divmod(hundredths, 100)
    return Asked(run.with_gpu(run.gpu.with_cells(double))) if run.gpu.column("power.draw") is not None else None


def with_busy_constant(run):
    return Asked(run.with_gpu(run.gpu.with_cells(lambda name, cell, row: "42 %" if name == "utilization.gpu" else cell)))


IDLE = {"index": "63", "uuid": "GPU-63636363-6363-6363-6363-636363636363", "pci.bus_id": "00000000:FE:00.0", "utilization.gpu": "0 %",
        "utilization.memory": "0 %", "memory.used": "0 MiB"}


def with_an_idle_gpu_more(run):
    if run.gpu.column("index") is None:
        return None
    names = [head.split(" [")[0] for head in run.gpu.head]
    polls = [[*poll, [IDLE.get(name, cell) for name, cell in zip(names, poll[-1])]] for poll in run.gpu.polls()]
    return Asked(run.with_gpu(run.gpu.with_rows(row for poll in polls for row in poll)))


def without_the_last_but_one_gpu(run):
    gpus = run.gpu.gpus()
    return Asked(run.with_gpu(run.gpu.with_rows(row for row in run.gpu.rows if run.gpu.gpu_of(row) != gpus[-2]))) if len(gpus) > 2 else None


def with_other_numbers_for_gpus(run):
    """The last GPU is the first now; uuids stay."""
    at, n = run.gpu.column("index"), len(run.gpu.gpus())
    if run.gpu.column("uuid") is None or n < 2:
        return None
    return Asked(run.with_gpu(run.gpu.with_cells(lambda name, cell, row: str((int(cell) + 1) % n) if name == "index" else cell)))


def with_an_unrelated_rule(run):
    return Asked(run.logs, ["--rules", os.path.join(ROOT, "samples", "slow_files", "rules")])


def with_rules_the_other_way_round(run):
    rules = sorted((name for name in os.listdir(os.path.join(ROOT, "rules")) if name.endswith(".yaml")), reverse=True)
    return Asked(run.logs, [word for name in rules for word in ("--rules", os.path.join(ROOT, "rules", name))])


# ---------------------------------------------------------------- what is compared, and what is expected of it

def whole(report):
    return report


def rows_of(report, is_asked):
    return {key: [row for row in report[key] if is_asked(row["entity"].split("/")[-1])] for key in ("statistics", "throttle")}


def of_gpus(report):
    return rows_of(report, lambda device: device.startswith("gpu"))


def of_other_gpus(report):
    gpus = by_uuid(report)
    return {name: rows for name, rows in gpus.items() if name != IDLE["uuid"] and not name.endswith("gpu" + IDLE["index"])}


def by_uuid(report):
    """What is said of each GPU, under the name that stays with it. Rules are left out: many compare a GPU with the others."""
    out = {}
    for gpu in report["run"]["gpus"]:
        name = gpu["uuid"] or gpu["entity"]
        out[name] = [dict(row, entity=name) for key in ("statistics", "throttle") for row in report[key] if row["entity"] == gpu["entity"]]
    return out


def with_findings(report):
    names = {gpu["entity"]: gpu["uuid"] for gpu in report["run"]["gpus"]}
    return {"gpus": by_uuid(report), "findings": [[f["rule"], f["severity"], sorted(names.get(e, e) for e in f["entities"]), f["windows"],
                                                   f["cost_gpu_hours"]] for f in report["findings"]]}


def statistics(report):
    return {(row["entity"], row["metric"]): {key: value for key, value in row.items() if key not in ("entity", "metric")}
            for row in report["statistics"]}


def statistics_and_energy(report):
    return {"seconds": report["run"]["seconds"], "energy": report["verdict"]["energy_kwh"], "statistics": statistics(report)}


def statistics_and_judgements(report):
    return [report["statistics"], [judgement for judgement in report["judgements"] if judgement["rule"] != "slow-files"]]


def logged(report):
    return {key: row for key, row in statistics(report).items() if row["source"] == GPU}


def same(part):
    return part


def one_row_rejected(report):
    report["sources"][0]["rows_bad"] += 1
    report["sources"][0]["rows_seen"] += 1
    return report


def rows_counted_twice(report):
    source = report["sources"][0]
    source["rows_ignored"] += source["rows"]
    source["rows_seen"] += source["rows"]
    source["absences"] = {word: 2 * n for word, n in source["absences"].items()}
    return report


def doubled(part):
    part["seconds"] *= 2
    part["energy"] = [value and 2 * value for value in part["energy"]]
    return part


def power_doubled(part):
    for row in part.values():
        if row["unit"] == "W":
            row.update({key: 2 * row[key] for key in ("mean", "min", "p5", "p50", "p95", "max", "stddev") if row[key]})
    return part


def one_gpu_less(part):
    del part[list(part)[-2]]
    return part


def busy_constant(part):
    for (_, metric), row in part.items():
        if metric == "gpu.util":
            row.update(mean=42, min=42, p5=42, p50=42, p95=42, max=42, stddev=0)
    return part


def in_texts(value, change):
    if isinstance(value, dict):
        return {key: in_texts(one, change) for key, one in value.items()}
    if isinstance(value, list):
        return [in_texts(one, change) for one in value]
    return change(value) if isinstance(value, str) else value


def hour_added(part):
    def later(found):
        form = "%Y-%m-%dT%H:%M:%S" if "T" in found[0] else "%H:%M:%S"
        return (datetime.strptime(found[0], form) + HOUR).strftime(form)
    return in_texts(part, lambda text: re.sub(r"(\d{4}-\d\d-\d\dT)?(?<![\d:])\d\d:\d\d:\d\d", later, text))


def years_added(part):
    return in_texts(part, lambda text: re.sub(r"\b(\d{4})(?=-\d\d-\d\dT)", lambda found: str(int(found[1]) + 8), text))


def name_of(change):
    return change.__name__.replace("_", " ")


# change of the logs; what may differ; what is compared; what is expected of it; share by which numbers may be off; what must be told
Relation = namedtuple("Relation", "change but part expected near told", defaults=((), whole, same, 0, None))
RELATIONS = [
    Relation(without_units, ["bytes"]),
    Relation(without_a_header, ["bytes", "lines", "why", "command"]),
    Relation(with_cr_lf, ["bytes"]),
    Relation(with_a_byte_order_mark, ["bytes"]),
    Relation(in_utf_16, ["bytes", "why"]),
    Relation(with_blank_lines, ["bytes", "lines"]),
    Relation(with_quoted_cells, ["bytes"]),
    Relation(without_blanks, ["bytes"]),
    Relation(with_columns_in_another_order, ["bytes"]),
    Relation(with_a_header_before_each_poll, ["bytes", "lines"]),
    Relation(given(packed(".gz", gzip.compress)), ["bytes", "packing", "command"]),
    Relation(given(packed(".xz", lzma.compress)), ["bytes", "packing", "command"]),
    Relation(given(packed(".zst", zstd)), ["bytes", "packing", "command"]),
    Relation(given(in_tar), ["archive"]),
    Relation(given(in_zip), ["archive"]),
    Relation(given(through_a_pipe), ["pipe", "command"]),
    Relation(given(in_small_pieces), ["pipe", "command"]),
    Relation(given(last_first), ["order"]),
    Relation(with_gpus_shuffled_in_each_poll, ["bytes", "first"]),
    Relation(in_two_files, ["files", "skew"], near=5e-3),
    Relation(in_two_files_the_later_one_first, ["files", "skew"], near=5e-3),
    Relation(in_two_files_that_overlap, ["files", "skew"], near=5e-3),
    Relation(with_each_row_twice, ["bytes", "counts"], expected=rows_counted_twice),
    Relation(with_a_damaged_row(0), ["bytes", "counts", "complaints"], expected=one_row_rejected),
    Relation(with_a_damaged_row(0.4), ["bytes", "counts", "complaints"], expected=one_row_rejected),
    Relation(with_a_damaged_row(1), ["bytes", "counts", "complaints"], expected=one_row_rejected),
    Relation(an_hour_later, ["bytes", "clock"], expected=hour_added),
    Relation(eight_years_later, ["bytes", "clock"], expected=years_added),
    Relation(with_the_host_an_hour_later, part=of_gpus, told=r"would not overlap|share only"),
    Relation(at_half_the_speed, part=statistics_and_energy, expected=doubled, near=1e-9),
    Relation(with_power_doubled, part=logged, expected=power_doubled, near=1e-9),
    Relation(with_busy_constant, part=logged, expected=busy_constant),
    Relation(with_an_idle_gpu_more, part=of_other_gpus),
    Relation(without_the_last_but_one_gpu, part=by_uuid, expected=one_gpu_less),
    Relation(with_other_numbers_for_gpus, part=with_findings, near=1e-12),  # hours of GPUs are added up in another order
    Relation(with_an_unrelated_rule, part=statistics_and_judgements),
    Relation(with_rules_the_other_way_round, ["rules", "command"]),
]
FORMS = [relation for relation in RELATIONS if name_of(relation.change) in (
    "with cr lf", "with a byte order mark", "packed as gz", "in zip", "through a pipe", "in small pieces")]


# ---------------------------------------------------------------- comparing

def moment(text):
    return datetime.fromisoformat(text.rstrip("Z")).timestamp()


def is_near(a, b, share):
    if share and isinstance(a, str) and re.match(r"\d{4}-\d\d-\d\dT", a):
        return abs(moment(a) - moment(b)) <= 0.005
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= share * max(abs(a), abs(b))
    return a == b


def differences(a, b, share, at=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys(), key=str):
            if key not in a or key not in b:
                yield "%s.%s is in one alone" % (at, key)
            else:
                yield from differences(a[key], b[key], share, "%s.%s" % (at, key))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, share, "%s[%d]" % (at, i))
    elif type(a) is not type(b) and not {type(a), type(b)} <= {int, float} or not isinstance(a, list) and not is_near(a, b, share):
        yield "%s: %.150r is %.150r" % (at, a, b)
    elif isinstance(a, list) and len(a) != len(b):
        yield "%s has %d, then %d" % (at, len(a), len(b))


def told_alike(said, but, name):
    """report.json and the words of the text, less what may differ; None for a text that is not compared."""
    text = " ".join(said.text.split())
    written = json.dumps(said.json)
    for differ in map(DIFFERS.get, but):
        if not differ.text:
            text = None
            continue
        pattern, instead = differ.text
        text = text and re.sub(pattern, instead.replace("NAME", name), text)
        written = re.sub(pattern, instead.replace("NAME", name), written)
    report, text = json.loads(written), text and " ".join(text.split())
    for differ in map(DIFFERS.get, but):
        differ.forget(report)
    return report, text


def complaints(program, run, relation, spoil):
    asked = relation.change(run.spoiled() if spoil else run)
    if not asked:
        return
    name = next(iter(run.logs))
    asked.options += OPTIONS.get(name, [])
    said = Said(program, asked, run.base.text and relation.part is whole)
    (before, text), (after, other) = (told_alike(one, relation.but, name) for one in (run.base, said))
    yield from differences(relation.expected(relation.part(before)), relation.part(after), relation.near)
    if said.text and text is not None and text != other:
        at = next(i for i, (a, b) in enumerate(zip(text + "\0", other + "\0")) if a != b)
        yield "the text: '%s' is '%s'" % (text[max(at - 20, 0):at + 40], other[max(at - 20, 0):at + 40])
    if relation.told and not re.search(relation.told, " ".join(source["clock"]["sentence"] for source in said.json["sources"])):
        yield "that clocks differ is not told"


class Counts:
    passed = failed = 0

    @classmethod
    def judge(cls, name, wrong):
        cls.passed += not wrong
        cls.failed += bool(wrong)
        for text in wrong[:3]:
            print("FAILED %s: %s" % (name, text))


def check_run(program, run, spoil):
    for relation in RELATIONS:
        try:
            wrong = list(complaints(program, run, relation, spoil))
        except RuntimeError as error:
            wrong = [str(error)]
        if spoil and relation.change(run):
            wrong = [] if wrong else ["not seen: a cell that is another"]
        Counts.judge("%s %s" % (run.name, name_of(relation.change)), wrong)


def check_forms(program, run):
    """Each other log by itself; what no reader knows is left alone."""
    for name, text in run.others.items():
        alone = Run.__new__(Run)
        alone.logs, alone.name = {name: text}, "%s %s" % (run.name, name)
        try:
            alone.base = Said(program, Asked(alone.logs, OPTIONS.get(name, [])), False)
        except RuntimeError:
            continue
        for relation in FORMS:
            try:
                wrong = list(complaints(program, alone, relation, False))
            except RuntimeError as error:
                wrong = [str(error)]
            Counts.judge("%s %s" % (alone.name, name_of(relation.change)), wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.realpath)
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--selftest", action="store_true")
    arguments = parser.parse_args()
    if not shutil.which("zstd"):
        print("skipped: zstd is not installed: nothing is packed by it")
        RELATIONS[:] = [relation for relation in RELATIONS if relation.change.__name__ != "packed_as_zst"]
    for folder in arguments.runs:
        run = Run(folder)
        run.base = Said(arguments.program, Asked(run.logs), True)
        check_run(arguments.program, run, arguments.selftest)
        if not arguments.selftest:
            check_forms(arguments.program, run)
    print("%d passed, %d failed" % (Counts.passed, Counts.failed))
    return 1 if Counts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
