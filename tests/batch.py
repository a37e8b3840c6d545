#!/usr/bin/env python3
"""batch.py - many runs: each has a report or a name for what it failed of, and the index is the same bytes however it came about.

    tests/batch.py build/postrun [--shim SHIM] [--runs 40] [--kills 4]     by hand: --runs 1000 --kills 20

A tree of small runs is made, the same each time; 8 of them are broken in 8 ways. Then

    undisturbed     all reports, 8 names of failures, exit 6, nothing left behind
    resumed         the same index, no report made again; one log that changed, one rule that changed: that much is made again
    killed          at random moments and resumed, until it comes to its end: the same index
    sharded         1 shard, 16 shards, each twice at once, one killed: the same index; one deleted and one cut: told, with what to run again
    found           by folder, archive, pattern and manifest; logs of no run are listed; names that would climb out of the folder don't
    unread          a folder that can't be read: all else is done, the status says so, --clean removes nothing
    reasons         what is said of a broken run is the complaint that says most
    partial         reports that are not of all that was logged, and what is no log
    given up        a shard that is asked to end, or has no room, ends with 75 and another time with 0; what lasts ends with 5 (needs SHIM,
                    faults/shim.c, for what fails)
    filtered        --since, --until, --min-gpu-hours, --user, --fail-on
    priced          money in the index, alone and in shards
    suppressed      what is known already is charged to nobody, in each report and in the index

The last line is "N passed, N failed"; times and what they compare to are told before it.
"""
import argparse
import ctypes
import errno
import gzip
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

from cases import Cases

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

SEED = 20261122
HEAD = ("timestamp, index, name, utilization.gpu [%], utilization.memory [%], memory.total [MiB], memory.used [MiB], temperature.gpu, "
        "power.draw [W], power.limit [W], clocks.current.sm [MHz]\n")
N_ROWS = 240
OPTIONS = ["--outputs", "json"]
LIMITS = ["--time-limit", "2500ms", "--memory-limit", "90MiB"]
# Without walls reading and writing have one space, and a thread's own in it; and a build without them may be one that counts its lines.
LIMITS_WITHOUT_WALLS = ["--time-limit", "10s", "--memory-limit", "200MiB"]

cases = Cases()
check = cases.check


def stamp(second):
    day, rest = divmod(second, 86400)
    return f"2026/11/{1 + day % 28:02d} {rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}.000"


def log(number):
    """A run of its own: as busy, as hot and as long ago as its number says."""
    lines = [HEAD]
    for second in range(N_ROWS + number % 7):
        busy = 97 if number % 5 else (95 if second % 20 < 8 else 0)
        lines.append(f"{stamp(number * 3607 + second)}, 0, NVIDIA H100 80GB HBM3, {busy} %, {busy // 2} %, 81559 MiB, 40000 MiB, "
                     f"{50 + number % 9 + second % 3}, {200 + 4 * busy}.50 W, 700.00 W, 1980 MHz\n")
    return "".join(lines)


def put(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def crowd():
    """As many GPUs as a log may have: their report takes more memory than a run has here, and other reports need."""
    return HEAD + "".join(f"{stamp(second)}, {gpu}, NVIDIA H100 80GB HBM3, 97 %, 48 %, 81559 MiB, 40000 MiB, 55, 600.50 W, 700.00 W, 1980 MHz\n"
                          for second in range(6) for gpu in range(4000))


BROKEN = {"empty": "empty", "garbage": "unreadable", "header_only": "unreadable", "cut_gzip": "unreadable", "cut_tar": "unreadable",
          "too_large": "out-of-memory", "not_there": "unreadable", "hangs": "timeout"}


def make_tree(folder, n_runs):
    """n_runs, of which those of BROKEN are broken: the last two are known from a manifest alone."""
    tree = os.path.join(folder, "tree")
    for i in range(n_runs - len(BROKEN)):
        month = "&<6>" if i % 12 == 5 else f"{1 + i % 12:02d}"  # what JSON writes otherwise comes in order all the same
        put(f"{tree}/{2020 + i % 4}/{month}/job-{i}/gpu.csv", log(i))
    put(f"{tree}/2024/empty/gpu.csv", "")
    put(f"{tree}/2024/garbage/gpu.csv", random.Random(SEED).randbytes(4000))
    put(f"{tree}/2024/header_only/gpu.csv", HEAD)
    put(f"{tree}/2024/cut_gzip/gpu.csv.gz", gzip.compress(log(1).encode())[:12])
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w:gz") as out:
        member = tarfile.TarInfo("gpu.csv")
        member.size = len(log(2))
        out.addfile(member, io.BytesIO(log(2).encode()))
    put(f"{tree}/2024/cut_tar.tar.gz", tar.getvalue()[:60])
    put(f"{tree}/2024/too_large/gpu.csv", crowd())
    put(f"{tree}/notes/README.txt", "no log, and no run\n")
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    put(f"{folder}/more.jsonl", json.dumps({"id": "not_there", "paths": [f"{folder}/nowhere.csv"]}) + "\n" +
        json.dumps({"id": "hangs", "paths": [pipe]}) + "\n")
    return tree


def has_walls(program):
    """A build without them (coverage), and a kernel without, follow links that lead out of what was given."""
    return run_on(program, os.path.join(ROOT, "samples"), "--list", "--sandbox=require").returncode == 0


class Batch:
    def __init__(self, program, folder, tree):
        self.program, self.folder, self.tree = program, folder, tree
        self.limits = LIMITS if has_walls(program) else LIMITS_WITHOUT_WALLS

    def arguments(self, out, *more):
        return [self.program, "batch", self.tree, "--manifest", f"{self.folder}/more.jsonl", "-o", out, *OPTIONS, *self.limits, *more]

    def run(self, out, *more):
        return subprocess.run(self.arguments(out, *more), capture_output=True, text=True, timeout=3600, check=False)

    def start(self, out, *more):
        return subprocess.Popen(self.arguments(out, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def merge(self, out, *more):
        return subprocess.run([self.program, "merge", out, "--wait", "0s", *more], capture_output=True, text=True, timeout=600, check=False)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def records(out):
    lines = read(f"{out}/index.jsonl").decode().splitlines()
    return [json.loads(line) for line in lines[1:-1]], json.loads(lines[0]), json.loads(lines[-1])


def views(out):
    """All that lies beside the runs: the index, and what it shows as a whole. The log has times in it."""
    return {name: read(f"{out}/{name}") for name in os.listdir(out) if name not in ("runs", "shards", "batch.log")}


def told(out):
    """The text about all runs, as one line."""
    return " ".join(read(f"{out}/fleet.txt").decode().split())


def left_behind(out):
    return [os.path.join(top, name) for top, folders, files in os.walk(out) for name in folders + files if name.startswith(".")]


def made_at(out):
    """When each run's record was made."""
    return {path: os.stat(path).st_mtime_ns
            for top, _, files in os.walk(f"{out}/runs") for path in [os.path.join(top, "record.json")]
            if "record.json" in files and not os.path.basename(top).startswith(".")}


def check_undisturbed(batch, out, n_runs):
    began = time.monotonic()
    result = batch.run(out)
    took = time.monotonic() - began
    check(result.returncode == 6, f"undisturbed: exit {result.returncode}, not 6: {result.stderr[:300]}")
    all_records, head, foot = records(out)
    check(len(all_records) == n_runs == head["runs"] == foot["records"], f"{len(all_records)} records of {n_runs} runs")
    check([r["id"] for r in all_records] == sorted(r["id"] for r in all_records), "records are not in order of ids")
    failures = {os.path.basename(r["id"]).split(".")[0]: r["status"] for r in all_records if r["status"] not in ("ok", "partial")}
    check(failures == BROKEN, f"what failed: {failures}")
    check(all(r["why"] for r in all_records if r["status"] != "ok"), "a failure without a reason")
    for r in all_records:
        place = f"{out}/runs/{r['key'][:2]}/{r['key']}"
        check(os.path.exists(f"{place}/report.json") == (r["status"] == "ok"), f"{r['id']}: is there a report?")
        if r["status"] == "ok":
            check(r["gpu_us"] == r["normal_us"] + r["lost_us"] + r["overhead_us"] + r["no_log_us"] > 0, f"{r['id']}: parts of its GPU time")
    with open(f"{out}/batch.log", encoding="utf-8") as file:
        check(len(file.read().splitlines()) == n_runs, "the log has a line for each run")
    check(not left_behind(out), f"left behind: {left_behind(out)[:3]}")
    check({"index.jsonl", "index.html", "index.csv", "fleet.txt", "fleet.png"} <= set(views(out)), f"what lies beside the runs: {set(views(out))}")
    return took


def check_full_amid_views(batch, out, good):
    """Where the page is larger than the index, which of a thousand small runs it is not: there is room for the index, and not for that."""
    room = os.stat(f"{out}/index.jsonl").st_size
    if os.stat(f"{out}/index.html").st_size > room:
        full = subprocess.run(batch.arguments(out, "--resume", "--group-by", "1"), capture_output=True, timeout=600, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
        check(full.returncode == 5 and read(f"{out}/index.csv") != good["index.csv"], f"a disk that is full amid the views: {full}")
        batch.run(out, "--resume")
    check(views(out) == good, "resumed: some views are those of a batch that did not end")


def check_resumed(batch, out, good, took):
    before = made_at(out)
    began = time.monotonic()
    result = batch.run(out, "--resume")
    again = time.monotonic() - began
    check(result.returncode == 6 and views(out) == good, "resumed: another index")
    check(made_at(out) == before, "resumed: reports were made again")
    in_log = [line.split() for line in read(f"{out}/batch.log").decode().splitlines()]
    in_index = sorted(r["status"] for r in records(out)[0])
    check(sorted(words[0] for words in in_log) == in_index and {words[1] for words in in_log} == {"before"}, f"resumed: the log: {in_log[:3]}")
    os.remove(f"{out}/index.html")
    batch.run(out, "--resume")
    check(views(out) == good, "resumed: a view that was deleted is not drawn again")
    check_full_amid_views(batch, out, good)
    record = sorted(made_at(out))[0]
    for damage in (b"{\n", b'{"status": "ok"}\n', b""):
        put(record, damage)
        result = batch.run(out, "--resume")
        check(result.returncode == 6 and views(out) == good, f"resumed: a record that is {damage} is not made again: {result.stderr}")
    print(f"  all of it {took:.2f} s; resumed {again:.3f} s, {100 * again / took:.1f} % of it")
    log_of_job = f"{batch.tree}/2020/01/job-0/gpu.csv"
    whole = read(log_of_job)
    put(log_of_job, whole + log(0).splitlines()[-1].replace("00:", "01:").encode() + b"\n")
    batch.run(out, "--resume")
    check(len(made_at(out)) == len(before) + 1, f"a log that changed: {len(made_at(out)) - len(before)} runs were made again, not 1")
    times = os.stat(f"{batch.tree}/2020/01/job-0/gpu.csv")
    put(log_of_job, whole)
    os.utime(log_of_job, ns=(times.st_atime_ns, times.st_mtime_ns))
    before = made_at(out)
    batch.run(out, "--resume", "--set", "gpu-hot.margin=3 C")
    check(len(made_at(out)) == len(before) + len(records(out)[0]), "a rule that changed: not all runs were judged again")
    check_cleaned(batch, out)


def check_cleaned(batch, out):
    """What the index names stays, and what has no report's name; of a link neither the link nor what it leads to is taken."""
    put(f"{batch.folder}/elsewhere_too/report.json", "somebody's")
    link, other = f"{out}/runs/00/{'0' * 32}", f"{out}/runs/00/notes"
    os.makedirs(os.path.dirname(link), exist_ok=True)
    os.symlink(f"{batch.folder}/elsewhere_too", link)
    put(other, "no report")
    n_before = len(made_at(out))
    result = batch.run(out, "--resume", "--clean", "--set", "gpu-hot.margin=3 C")
    all_records = records(out)[0]
    check({path.split("/")[-2] for path in made_at(out)} == {r["key"] for r in all_records}, "--clean: other reports than those of the index are left")
    check(f"{n_before - len(all_records)} reports of earlier logs, rules or options removed" in result.stdout, f"--clean tells: {result.stdout}")
    check(os.path.islink(link) and os.path.exists(f"{link}/report.json") and os.path.exists(other), "--clean: what is no report was removed")
    check(batch.run(out, "--clean", "--shard", "0/2").returncode == 2, "--clean of a shard")
    os.remove(link)
    os.remove(other)


def check_killed(batch, out, good, kills, took):
    rng = random.Random(SEED)
    for i in range(kills):
        process = batch.start(out, "--resume")
        time.sleep(rng.uniform(0.02, took / max(1, kills / 4)))
        process.send_signal(rng.choice((signal.SIGKILL, signal.SIGTERM)))
        process.wait()
    host = re.sub(r"[^A-Za-z0-9_-]", "_", os.uname().nodename)
    machine = f"{host}-{os.stat('/proc/self/ns/pid').st_ino}"
    elsewhere = f"{out}/.index.csv.{host}-1.{process.pid}"  # by a process of another container of this name, which may be at work
    put(elsewhere, "half of it")
    key = records(f"{os.path.dirname(out)}/out")[0][0]["key"]
    put(f"{out}/.index.csv.{machine}.{process.pid}", "half of it")
    put(f"{out}/runs/{key[:2]}/.{key}.{machine}.{process.pid}/report.json", "half of it")
    put(f"{out}/runs/{key[:2]}/..{key}.{machine}.{process.pid}.tmp-0/report.json", "half of it")
    result = batch.run(out, "--resume")
    check(os.path.exists(elsewhere), "killed: what another container is writing was removed")
    os.remove(elsewhere)
    check(result.returncode == 6 and views(out) == good, f"killed {kills} times: another index")
    check(not left_behind(out), f"killed: left behind: {left_behind(out)[:3]}")


def shard(batch, out, number, n):
    return batch.start(out, "--shard", f"{number}/{n}")


def check_sharded(batch, folder, good):
    one = f"{folder}/one"
    check(batch.run(one, "--shard", "0/1").returncode == 0, "one shard: what becomes of its runs is no failure of it")
    check(batch.merge(one).returncode == 6 and views(one) == good, "one shard: another index")
    many, rng = f"{folder}/many", random.Random(SEED)
    victim = shard(batch, many, 5, 16)
    time.sleep(rng.uniform(0.05, 0.2))
    victim.kill()
    victim.wait()
    for number in rng.sample(range(16), 16):
        twins = [shard(batch, many, number, 16), shard(batch, many, number, 16)]
        check([twin.wait() for twin in twins] == [0, 0], f"shard {number}, twice at once, failed")
    check(batch.merge(many).returncode == 6 and views(many) == good, "16 shards, each twice at once: another index")
    os.remove(f"{many}/shards/00003-of-00016.jsonl")
    put(f"{many}/shards/00011-of-00016.jsonl", read(f"{many}/shards/00011-of-00016.jsonl")[:-30])
    put(f"{many}/shards/00012-of-00016.jsonl", read(f"{many}/shards/00012-of-00016.jsonl").replace(b'"status":"ok"', b'"status":"OK"', 1))
    result = batch.merge(many, "--shards", "16")
    check(result.returncode == 6 and "--array=3,11-12" in result.stderr, f"missing shards: {result.returncode} {result.stderr}")
    partial, head, _ = records(many)
    other = batch.merge(many, "--shards", "5")
    check(other.returncode == 6 and other.stderr == f"postrun: no index was made: the shards in {many} are of 16, not of 5; "
          "--shards 16 takes those of 16\n", f"a wrong number of shards: {other}")
    check(0 < head["missing"] == head["runs"] - len(partial), "an index without some shards says how many runs are missing")
    check(f"Of {head['missing']} more no shard has brought a record." in told(many) and "Filters" not in told(many), f"missing shards: {told(many)}")
    for number in (3, 11, 12):
        shard(batch, many, number, 16).wait()
    check(batch.merge(many).returncode == 6 and views(many) == good, "run again: another index")
    check(not left_behind(many), f"sharded: left behind: {left_behind(many)[:3]}")
    for wrong in ("16/16", "-1/4", "1", "a/b", "0/0"):
        check(batch.run(many, "--shard", wrong).returncode == 2, f"--shard {wrong} is wrong usage")


def run_on(program, *arguments):
    return subprocess.run([program, "batch", *arguments], capture_output=True, text=True, timeout=300, check=False)


def ids_of(out):
    return [r["id"] for r in records(out)[0]]


def check_found(program, folder):
    tree, out = f"{folder}/found", f"{folder}/found_out"
    put(f"{tree}/loose/node01.csv", log(1))
    put(f"{tree}/loose/notes.txt", "nothing\n")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        member = tarfile.TarInfo("deep/down/gpu.csv")
        member.size = len(log(2))
        tar.addfile(member, io.BytesIO(log(2).encode()))
    put(f"{tree}/loose/packed.tar", packed.getvalue())
    put(f"{tree}/tegra/tegra.txt", "RAM 2448/3956MB (lfb 2x1MB) SWAP 0/1978MB (cached 0MB) CPU [3%@1479] EMC_FREQ 0% GR3D_FREQ 0%\n" * 9)
    put(f"{tree}/only_notes/notes.md", "# nothing\n")
    for name in ("a\nb", '"quoted"', "<b>", "$(id)", "ü", "-rf"):
        put(f"{tree}/names/{name}/gpu.csv", log(3))
    os.symlink(tree, f"{tree}/names/loop")
    os.symlink("nowhere.csv", f"{tree}/loose/gone.csv")
    put(f"{folder}/elsewhere/gpu.csv", log(4))
    for link in ("linked/gpu.csv", "linked_notes/notes.txt"):
        os.makedirs(f"{tree}/{os.path.dirname(link)}")
        os.symlink(f"{folder}/elsewhere/gpu.csv", f"{tree}/{link}")
    listed = run_on(program, tree, "--list")
    check(listed.returncode == 0, f"--list: {listed.stderr}")
    check("only_notes" not in listed.stdout, "a folder of notes is a run")
    follows = not has_walls(program)
    check(follows or "linked_notes/notes.txt: it is a link" in listed.stdout, f"a link that leads out is not listed: {listed.stdout}")
    strays = listed.stdout.split("of no run:\n")[-1].splitlines()
    check(any("tegrastats" in stray for stray in strays), f"a log that nobody reads is not listed: {listed.stdout}")
    check(f"  {tree}/names/loop: it is a link to a folder, and such are not followed" in strays and
          f"  {tree}/loose/gone.csv: it is a link that leads nowhere" in strays, f"links that are not followed are not listed: {listed.stdout}")
    made = run_on(program, tree, "-o", out, "--outputs", "json")
    check(made.returncode == 0 and made.stderr == f"postrun: {len(strays)} logs or links are of no run; --list names them\n", f"found: {made}")
    check(ids_of(out) == sorted(["linked", "loose", "loose/packed.tar", "names/a?b", "names/?quoted?", "names/<b>", "names/$(id)", "names/ü",
                                 "names/-rf"] + ["linked_notes"] * follows, key=lambda text: text.encode()), f"found: {ids_of(out)}")
    check(run_on(program, folder + "/found/", "-o", f"{tree}/inside", "--outputs", "json").returncode == 0 and
          run_on(program, folder + "/found/", "-o", f"{tree}/inside", "--outputs", "json").returncode == 0 and
          ids_of(f"{tree}/inside") == ids_of(out), "results below the tree are taken for runs")
    put(f"{folder}/appended/run/gpu.csv", log(1) + log(60).split("\n", 1)[1])
    check(run_on(program, f"{folder}/appended", "-o", f"{folder}/appended_out", "--outputs", "json").returncode == 0, "a log of two runs")
    hint = "Separate runs? gpu.csv goes on at 2026-11-03 12:07:00 after 2 d 11 h without a row."
    logged = lambda: read(f"{folder}/appended_out/batch.log").decode()
    check(logged().endswith(f"  run: several-runs: {hint}\n") and records(f"{folder}/appended_out")[0][0]["hint"] == hint,
          f"two runs in one log are not told: {logged()}")
    run_on(program, f"{folder}/appended", "-o", f"{folder}/appended_out", "--outputs", "json", "--resume")
    check(re.fullmatch(rf"ok +before +\d+ bytes  run: several-runs: {re.escape(hint)}\n", logged()), f"nor when it was done before: {logged()}")
    put(f"{folder}/two_logs/run/a.csv", log(1))
    put(f"{folder}/two_logs/run/b.csv", log(60))
    run_on(program, f"{folder}/two_logs", "-o", f"{folder}/two_logs_out", "--outputs", "json")
    hint = "Separate runs? b.csv begins at 2026-11-03 12:07:00, 2 d 11 h after the logs before it ended."
    check(records(f"{folder}/two_logs_out")[0][0].get("hint") == hint, f"two runs in two logs: {records(f'{folder}/two_logs_out')}")
    by_job = f"{folder}/by_job"
    for host in ("node01", "node02"):
        for job in (7, 12):
            put(f"{by_job}/{host}/job-{job}-gpu.csv", log(job).replace("NVIDIA", "NVIDIA"))
    put(f"{by_job}/node01/stray.csv", log(5))
    result = run_on(program, by_job, "--run-by", "job-{run}-*.csv", "-o", f"{folder}/by_job_out", "--outputs", "json",
                    "--host", "node01/job-7-gpu.csv=node01", "--host", "node02/job-7-gpu.csv=node02")
    check(ids_of(f"{folder}/by_job_out") == ["12", "7"] and "postrun: 1 log or link is of no run; --list names it\n" in result.stderr,
          f"--run-by: {result.stdout} {result.stderr}")
    check("stray.csv" in run_on(program, by_job, "--run-by", "job-{run}-*.csv", "--list").stdout, "--run-by: a log of no job is not listed")
    check(run_on(program, by_job, "--run-by", "job-*.csv", "--list").returncode == 2, "--run-by without {run}")
    none = run_on(program, by_job, "--run-by", "run-{run}.csv", "--list")
    check(none.returncode == 3 and "stray.csv: its path does not fit" in none.stdout and "no run was found" in none.stderr,
          f"a pattern that fits no log: {none}")
    gone = run_on(program, by_job, f"{folder}/no_such", "--list")
    check(gone.returncode == 3 and "no run was found" not in gone.stderr, f"one of two folders is not there: {gone}")
    put(f"{folder}/wrong.jsonl", '{"id": "a", "paths": ["x"]}\n{"paths": ["y"]}\n')
    wrong = run_on(program, "--manifest", f"{folder}/wrong.jsonl", "-o", f"{folder}/wrong_out")
    check(wrong.returncode == 3 and "wrong.jsonl:2" in wrong.stderr, f"a wrong manifest: {wrong.returncode} {wrong.stderr}")
    for line, what in (('{"id": "b", paths}', ":2:13: error: bad-manifest: 'p' where a key is expected"), ("hello", ":2:1: error: bad-manifest: "),
                       ('{"id": "b"}', ":2:1: error: missing-key: 'b' has no paths"), ('{"id": "b", ', ":2: error: bad-manifest: the file ends inside")):
        put(f"{folder}/wrong.jsonl", f'{{"id": "a", "paths": ["{tree}/loose"]}}\n{line}\n')
        wrong = run_on(program, "--manifest", f"{folder}/wrong.jsonl", "--list")
        check(wrong.returncode == 3 and f"wrong.jsonl{what}" in wrong.stderr and "the manifest is not used" in wrong.stderr and not wrong.stdout,
              f"a wrong line in a manifest: {wrong}")
    check(run_on(program, f"{tree}/only_notes", "--list").returncode == 3, "a tree without a run")
    for size in ("1", "63MiB"):
        low = run_on(program, tree, "-o", out, "--memory-limit", size)
        check(low.returncode == 2 and "a size from 64MiB on" in low.stderr, f"--memory-limit {size}: {low}")
    check(run_on(program, f"{tree}/loose").returncode == 2, "neither -o nor --list")


def without_rights():
    """Of root, too, what modes forbid is forbidden then: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH are dropped by PR_CAPBSET_DROP."""
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)


def check_unread_folders(program, folder):
    """A folder that can't be read, or nothing in it looked at: all else is done, the status says so, and no report is taken for one of no run."""
    tree, out = f"{folder}/walled", f"{folder}/walled_out"
    for name in ("open", "shut"):
        put(f"{tree}/{name}/gpu.csv", log(1))
    batch = lambda *more: subprocess.run([program, "batch", tree, *more], capture_output=True, text=True, timeout=60, check=False,
                                         preexec_fn=without_rights)
    make = ("-o", out, "--outputs", "json", "--resume", "--clean")
    check(batch(*make).returncode == 0 and ids_of(out) == ["open", "shut"], "folders that can be read")
    reports = made_at(out)
    for mode, why in ((0o000, "cannot open the folder"), (0o444, "cannot look at what is in the folder")):
        os.chmod(f"{tree}/shut", mode)
        result = batch(*make)
        said = f"{tree}/shut: error: cannot-read: {why}: Permission denied"
        check(result.returncode == 6 and said in result.stderr and ids_of(out) == ["open"], f"a folder of mode {mode:o}: {result}")
        check("--clean removed nothing" in result.stderr and made_at(out) == reports, f"a folder of mode {mode:o}: --clean: {result}")
        for other in (("--list",), ("--plan", "2"), (*make[:4], "--shard", "0/1")):
            result = batch(*other)
            check(result.returncode == 6 and said in result.stderr, f"a folder of mode {mode:o}: {other}: {result}")
        told = "A folder could not be read where the runs were looked for: those in it are missing."
        told_now = lambda: told in " ".join(open(f"{out}/fleet.txt").read().split())
        check(told_now(), f"a folder of mode {mode:o}: it is not told in fleet.txt")
        result = subprocess.run([program, "merge", out], capture_output=True, text=True, timeout=60, check=False)
        check(result.returncode == 6 and "the index is without those in it" in result.stderr, f"a folder of mode {mode:o}: merge: {result}")
        check(told_now() and ids_of(out) == ["open"], f"a folder of mode {mode:o}: after merge")
    os.chmod(f"{tree}/shut", 0o755)
    result = batch(*make)
    check(result.returncode == 0 and ids_of(out) == ["open", "shut"] and made_at(out) == reports, f"a folder that can be read again: {result}")


NO_DRIVER = ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is "
             "installed and running.\n")
WHY_BROKEN = {  # files of a run: what is said of it, of all that could be
    "cut_gzip": ({"gpu.csv.gz": gzip.compress(log(1).encode())[:12]}, "gpu.csv.gz: warning: damaged-archive: the gzip data ends early"),
    "garbage": ({"gpu.csv": "well\nwell\n"}, "gpu.csv: warning: not-a-log: no reader recognises it"),
    "header_only": ({"a.txt": "hello\n", "gpu.csv": HEAD, "notes.md": "# hello\n"},
                    "gpu.csv: warning: no-rows: recognised as nvidia-smi-csv, but no row could be used"),
    "loose": ({"a.txt": "hello\n", "gpu.csv": "", "z.bin": b"\0\1\2"}, "gpu.csv: warning: empty-file: the file is empty"),
    "mixed": ({"gpu.csv": HEAD.replace(" index,", "").replace("name, ", "") + "".join(
        f"{stamp(second // 2)}, 97 %, 48 %, 81559 MiB, {40000 * (second % 2)} MiB, 55, 600.50 W, 700.00 W, 1980 MHz\n" for second in range(40)),
        "vmstat.txt": "procs\n"}, "gpu.csv: error: mixed-gpus: "),
    "no_header": ({"gpu.csv": log(1).split("\n", 1)[1]}, "gpu.csv: error: no-header: no header says what the columns are"),
    "no_devices": ({"gpu.csv": "No devices were found\n"}, "gpu.csv: warning: no-rows: only messages of nvidia-smi: 'No devices were found'"),
    "no_driver": ({"smi.log": NO_DRIVER * 9, "notes.txt": "hello\n"},
                  f"smi.log: warning: no-rows: only messages of nvidia-smi: '{NO_DRIVER[:-1]}'"),
    "nuls": ({"gpu.csv": bytes(5000)}, "gpu.csv: warning: empty-file: the file holds nothing but NUL bytes"),
    "page": ({"gpu.csv": "<!DOCTYPE html>\n<html>502 Bad Gateway</html>\n"}, "gpu.csv: warning: not-a-log: a web page"),
}


def check_reasons(program, folder):
    """Not that no file of the folder could be used: what each of them lacks says more."""
    tree, out = f"{folder}/reasons", f"{folder}/reasons_out"
    for run, (files, _) in WHY_BROKEN.items():
        for name, content in files.items():
            put(f"{tree}/{run}/{name}", content)
    result = run_on(program, tree, "-o", out, "--outputs", "json")
    check(result.returncode == 6 and ids_of(out) == sorted(WHY_BROKEN), f"reasons: {result}")
    for r in records(out)[0]:
        expected = f"{tree}/{r['id']}/{WHY_BROKEN[r['id']][1]}"
        check(r["why"] == expected or expected.endswith(" ") and r["why"].startswith(expected), f"{r['id']}: {r['why']}, not {expected}")


def rows_broken(number, every):
    """The log of a run, and every third line, say, is no row."""
    return "".join(line if i == 0 or i % every else line.split(",")[0] + ", ?\n" for i, line in enumerate(log(number).splitlines(keepends=True)))


NOISE = b"\x80\0\1\2" * 1000
WHY_PARTIAL = {  # what lies in a folder beside a good log, or in place of it: what of it is not in the report; None: nothing
    "bad_rows": ({"gpu.csv": rows_broken(1, 3)}, "80 of 241 rows of gpu.csv could not be used"),
    "checkpoint": ({"gpu0.pt": NOISE}, None),
    "cut_gzip": ({"gpu.csv": None, "gpu.csv.gz": gzip.compress(log(1).encode())[:600]}, "gpu.csv.gz: the gzip data ends early"),
    "empty": ({"vmstat.txt": ""}, "vmstat.txt: the file is empty"),
    "few_bad_rows": ({"gpu.csv": rows_broken(1, 200)}, None),
    "header_only": ({"node02.csv": HEAD}, "node02.csv: recognised as nvidia-smi-csv, but no row could be used"),
    "kernel": ({"dmesg.log": "2026-11-01T01:00:10.000000+00:00 node01 kernel: usb 1-1: new device\n" * 20}, None),
    "no_driver": ({"smi.txt": NO_DRIVER}, f"smi.txt: only messages of nvidia-smi: '{NO_DRIVER[:-1]}'"),
    "noise": ({"mpstat.txt": NOISE}, "mpstat.txt: binary data"),
    "notes": ({"notes.txt": "hello\n", "train.log": "loss 3\n", "stderr.log": "", "DONE": "", "results.csv": "a,b\nx,y\n"}, None),
    "page": ({"mpstat.txt": "<!DOCTYPE html>\n<html></html>\n"}, "mpstat.txt: a web page"),
}


def check_partial(program, folder):
    """A report that is not of all that was logged is no report of all logs, and what merely lies beside a log is none."""
    tree, out = f"{folder}/partial", f"{folder}/partial_out"
    for run, (files, _) in WHY_PARTIAL.items():
        for name, content in ({"gpu.csv": log(1)} | files).items():
            if content is not None:
                put(f"{tree}/{run}/{name}", content)
    result = run_on(program, tree, "-o", out, "--outputs", "json")
    n = sum(why is not None for _, why in WHY_PARTIAL.values())
    check(result.returncode == 0 and ids_of(out) == sorted(WHY_PARTIAL), f"partial: {result}")
    check(f"with a report ({n} of them from a part of their logs)" in result.stdout, f"partial: {result.stdout}")
    for r in records(out)[0]:
        why = WHY_PARTIAL[r["id"]][1]
        check((r["status"], r["why"]) == ("partial" if why else "ok", why), f"{r['id']}: {r['status']}: {r['why']}, not {why}")
        line = next(line for line in read(f"{out}/batch.log").decode().splitlines() if re.search(rf"  {r['id']}(:|$)", line))
        check(line.startswith(r["status"] + " ") and line.endswith(why or r["id"]), f"the log of {r['id']}: {line}")


def check_full_disk(program, folder):
    """A disk is full, as far as a report is concerned: it is told, and not taken for what the logs are like."""
    out = f"{folder}/full_out"
    put(f"{folder}/full/run/gpu.csv", log(1))
    arguments = [program, "batch", f"{folder}/full", "-o", out, "--outputs", "json", "--resume"]
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)))
    check(result.returncode == 5, f"a full disk: exit {result.returncode}")
    check([r["status"] for r in records(out)[0]] == ["failed"], f"a full disk: {records(out)[0]}")
    check(run_on(*arguments[:1], *arguments[2:]).returncode == 0 and [r["status"] for r in records(out)[0]] == ["ok"],
          "what a full disk kept back is not made when there is room")
    check(run_on(program, f"{folder}/full", "-o", f"{folder}/full/run/gpu.csv/out").returncode == 5, "a folder that can't be made")


TRY_AGAIN = 75
EARLY = "postrun: ended before all runs were done; run it again with --resume\n"


class Shard:
    """The one shard of a small tree, with a log that nobody writes: it hangs unless that is left out."""

    def __init__(self, program, folder):
        self.program, self.tree, self.out, self.manifest = program, f"{folder}/few", f"{folder}/few_out", f"{folder}/hangs.jsonl"
        for i in range(3):
            put(f"{self.tree}/job-{i}/gpu.csv", log(i))
        put(self.manifest, json.dumps({"id": "hangs", "paths": [f"{folder}/pipe"]}) + "\n")

    def arguments(self, *more):
        return [self.program, "batch", self.tree, "-o", self.out, "--outputs", "json", "--resume", "--jobs", "2", *more]

    def run(self, *more, fault=None):
        return subprocess.run(self.arguments("--shard", "0/1", *more), capture_output=True, text=True, timeout=60, check=False,
                              env=dict(os.environ, **(fault or {})))

    def start_and_hang(self, *more, **how):
        """When it has done all that can be done."""
        process = subprocess.Popen(self.arguments("--manifest", self.manifest, *more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True, **how)
        for _ in range(600):
            if process.poll() is not None or len(made_at(self.out)) == 3:
                break
            time.sleep(0.05)
        return process

    def published(self):
        return [name for name in os.listdir(f"{self.out}/shards") if name.endswith(".jsonl")]

    def begin_anew(self):
        shutil.rmtree(self.out, ignore_errors=True)


def processes():
    """Each one's number, its parent's and its group's; those that ended and wait to be asked of are none."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            state, parent, group = read(f"/proc/{process}/stat").rsplit(b")", 1)[1].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != b"Z":
            yield int(process), int(parent), int(group)


def comes_true(what):
    for _ in range(100):
        if what():
            return True
        time.sleep(0.05)
    return False


def children(process):
    return {number for number, parent, _ in processes() if parent == process}


def check_ended(shard):
    """By SIGTERM, to it or to all of its processes."""
    for to, what in ((os.kill, "it"), (os.killpg, "its group")):
        shard.begin_anew()
        process = shard.start_and_hang("--shard", "0/1")
        to(process.pid, signal.SIGTERM)
        said = process.communicate(timeout=30)[1]
        check(process.returncode == TRY_AGAIN and EARLY in said, f"SIGTERM to {what}: {process.returncode} {said}")
        check(not shard.published(), f"SIGTERM to {what}: a shard was published")
        check(comes_true(lambda: all(group != process.pid for _, _, group in processes())), f"SIGTERM to {what}: a process of its own is left")
        before = made_at(shard.out)
        again = shard.run()
        check(again.returncode == 0 and made_at(shard.out) == before and len(before) == 3,
              f"SIGTERM to {what}: it does not go on: {again.returncode} {again.stderr} {before} {made_at(shard.out)}")
        check(not left_behind(shard.out), f"SIGTERM to {what}: left behind: {left_behind(shard.out)}")
    shard.begin_anew()
    process = shard.start_and_hang("--shard", "0/1")
    comes_true(lambda: len(children(process.pid)) == 1)  # a run's process ends behind its report
    first = children(process.pid)
    for child in first:
        os.kill(child, signal.SIGTERM)
    check(len(first) == 1 and comes_true(lambda: len(children(process.pid) - first) == 1), "SIGTERM to a run's process: it is not started again")
    process.kill()
    process.communicate()
    shard.begin_anew()
    process = shard.start_and_hang()
    process.send_signal(signal.SIGTERM)
    check(process.wait(30) == -signal.SIGTERM, f"SIGTERM, no shard: {process.returncode}")
    process.stderr.close()
    shard.begin_anew()
    process = shard.start_and_hang("--shard", "0/1", preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN))
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    check(process.poll() is None, "SIGTERM that is ignored ends a shard")
    process.kill()
    process.communicate()


def check_unwritten(shard, shim):
    def fault(call, why, how="forever", at=1):
        return {"LD_PRELOAD": shim, "FAULT_CALL": call, "FAULT_AT": str(at), "FAULT_HOW": how, "FAULT_ERRNO": str(why)}

    for call, why, status in (("mkdir", errno.ENOSPC, TRY_AGAIN), ("mkdir", errno.EROFS, 5), ("fsync", errno.EDQUOT, TRY_AGAIN),
                              ("fsync", errno.EACCES, 5), ("fsync", errno.EIO, TRY_AGAIN), ("rename", errno.ESTALE, TRY_AGAIN),
                              ("rename", errno.EPERM, 5)):
        shard.begin_anew()
        result = shard.run(fault=fault(call, why))
        what = f"{call} fails ({errno.errorcode[why]}): {result.returncode} {result.stderr}"
        check(result.returncode == status and os.strerror(why) in result.stderr, what)
        check((EARLY in result.stderr) == (status == TRY_AGAIN), what)
        check(shard.run().returncode == 0 and len(made_at(shard.out)) == 3, f"{call} fails ({errno.errorcode[why]}), and then no more")
        os.remove(f"{shard.out}/shards/00000-of-00001.jsonl")
        if call == "rename":  # now that the runs are done, of the shard alone
            result = shard.run(fault=fault(call, why))
            check(result.returncode == status and os.strerror(why) in result.stderr and not shard.published(), f"a shard: {what}")
    for why, status in ((errno.ENOSPC, TRY_AGAIN), (errno.EACCES, 0)):  # of one report; there is room for its record
        shard.begin_anew()
        result = shard.run(fault=fault("fsync", why, "once"))
        check(result.returncode == status and "2 with a report, 1 without" in result.stdout, f"one report: {result.returncode} {result.stdout}")
        result = shard.run()
        check(result.returncode == 0 and "3 with a report, 0 without" in result.stdout, f"one report, again: {result.stdout}")


def check_filtered(batch, program, folder):
    out = f"{folder}/filtered"
    run_on(program, batch.tree + "/2020", "-o", out, "--outputs", "json")
    everything = records(out)[0]
    day = lambda r: time.strftime("%Y-%m-%d", time.gmtime(r["begin_ms"] / 1000))
    first, last = min(map(day, everything)), max(map(day, everything))
    run_on(program, batch.tree + "/2020", "-o", out, "--outputs", "json", "--resume", "--since", "2026-11-02")
    check(ids_of(out) == [r["id"] for r in everything if day(r) >= "2026-11-02"], "--since")
    n_left_out = len(everything) - len(ids_of(out))
    check(0 < n_left_out and f"Filters (--since, --until, --min-gpu-hours) leave out {n_left_out} more." in told(out), f"--since: {told(out)}")
    run_on(program, batch.tree + "/2020", "-o", out, "--outputs", "json", "--resume", "--until", "2026-11-01")
    check(ids_of(out) == [r["id"] for r in everything if day(r) <= "2026-11-01"], f"--until ({first} to {last})")
    run_on(program, batch.tree + "/2020", "-o", out, "--outputs", "json", "--resume", "--min-gpu-hours", "0.068")
    check(ids_of(out) == [r["id"] for r in everything if r["gpu_us"] >= 0.068 * 3.6e9] != ids_of(folder + "/one"), "--min-gpu-hours")
    worst = any(r["severity"] in ("critical", "warning") for r in everything)
    result = run_on(program, batch.tree + "/2020", "-o", out, "--outputs", "json", "--resume", "--fail-on", "warning")
    check("Filters" not in told(out), f"no filter: {told(out)}")
    check(result.returncode == (1 if worst else 0), f"--fail-on: {result.returncode}")
    run_on(program, batch.tree, "-o", out, "--outputs", "json", "--resume", "--prometheus", "--svg")
    together = read(f"{out}/index.csv")
    check({"postrun.prom", "fleet.svg"} <= set(views(out)), "--prometheus, --svg")
    run_on(program, batch.tree, "-o", out, "--outputs", "json", "--resume", "--group-by", "1")
    check(read(f"{out}/index.csv") != together, "--group-by: runs are compared as before")
    check(run_on(program, batch.tree, "-o", out, "--group-by", "0").returncode == 2, "--group-by 0")
    check(run_on(program, batch.tree + "/2020", "--list", "--user", str(os.getuid())).returncode == 0, "--user")
    check(run_on(program, batch.tree + "/2020", "--list", "--user", "54321").returncode == 3, "--user: another one's runs")
    check(run_on(program, batch.tree + "/2020", "--list", "--user", "no-such-user").returncode == 2, "--user: nobody's name")


def check_limits_raised(program, folder):
    """What a limit cut short is done again under another one, and not under the same; a finding that is asked for goes before a failure."""
    tree, out, manifest = f"{folder}/limits", f"{folder}/limits_out", f"{folder}/limits.jsonl"
    put(f"{tree}/run/gpu.csv", log(5))
    os.mkfifo(f"{folder}/silent")
    put(manifest, json.dumps({"id": "silent", "paths": [f"{folder}/silent"]}) + "\n")
    batch = lambda *more: run_on(program, tree, "--manifest", manifest, "-o", out, "--outputs", "json", "--resume", *more)
    is_again = lambda: any("before" not in line.split() for line in read(f"{out}/batch.log").decode().splitlines() if line.startswith("timeout"))
    for limit, expected in (("300ms", True), ("300ms", False), ("200ms", True)):
        check(batch("--time-limit", limit).returncode == 6 and is_again() == expected, f"a limit of {limit}: done again: {is_again()}")
    check(batch("--time-limit", "200ms", "--fail-on", "note").returncode == 1, "a finding that is asked for, beside a run without a report")


def check_priced(batch, program, folder):
    """What is lost has its price in the index as in each report, also where shards were joined by one who was told of no rate."""
    out, joined, tree = f"{folder}/priced", f"{folder}/priced_joined", batch.tree + "/2020"
    run_on(program, tree, "-o", out, "--outputs", "json", "--rate", "2.50 EUR")
    everything, head, _ = records(out)
    lost, whole = (sum(r[key] for r in everything) / 3.6e9 * 2.5 for key in ("lost_us", "gpu_us"))
    check(head["rate"] == "2.500000 EUR" and f"({lost:.2f} EUR) of " in told(out) and f"({whole:.2f} EUR) WENT" in told(out), f"--rate: {told(out)}")
    for number in range(2):
        run_on(program, tree, "-o", joined, "--outputs", "json", "--rate", "2.5 EUR", "--shard", f"{number}/2")
    batch.merge(joined)
    check(told(joined) == told(out), f"--rate in shards: {told(joined)}")
    run_on(program, tree, "-o", out, "--outputs", "json", "--rate", "0.000001 \u20ac")
    check("(<0.01 EUR)" in told(out), f"--rate, a small one: {told(out)}")
    run_on(program, tree, "-o", out, "--outputs", "json")
    check("EUR" not in told(out) and "rate" not in records(out)[1], f"no --rate: {told(out)}")


def check_suppressed(program, folder):
    """As `report` does; --until behind --suppress is its last day, and anywhere else it is about which runs the index has."""
    tree, out = f"{folder}/starved", f"{folder}/starved_out"
    for day in range(3):
        put(f"{tree}/job-{day}/gpu.csv", log(25 * day))  # each waits for its data, a day after the other
    batch = lambda *more: run_on(program, tree, "-o", out, "--outputs", "json,text", *more)
    report = lambda r: read(f"{out}/runs/{r['key'][:2]}/{r['key']}/report.txt").decode()
    check(batch().returncode == 0, "what is to be suppressed")
    plain = records(out)[0]
    rules = {cause["rule"] for r in plain for cause in r["causes"]}
    rule = plain[0]["causes"][0]["rule"]
    check(all(rule in [cause["rule"] for cause in r["causes"]] for r in plain), f"not all lost by one rule: {rules}")
    known = lambda day: ("--suppress", rule, "--until", day, "--because", "the loader's ticket")
    check(batch(*known("2026-11-30")).returncode == 0, "--suppress")
    suppressed = records(out)[0]
    check(len(suppressed) == 3 and not any(cause["rule"] == rule for r in suppressed for cause in r["causes"]), "--suppress: it is charged")
    for r, before in zip(suppressed, plain):
        lost = sum(cause["lost_us"] for cause in before["causes"] if cause["rule"] == rule)
        check((r["suppressed_us"], r["overhead_us"]) == (lost, before["overhead_us"]), f"--suppress: {r['suppressed_us']} of {lost} us are told apart in {r['id']}")
    check(all("SUPPRESSED" in report(r) and "the loader's ticket" in report(r) for r in suppressed), "--suppress: the reports")
    check({r["key"] for r in suppressed}.isdisjoint(r["key"] for r in plain), "--suppress: under the keys of other reports")
    check(batch(*known("2026-11-01")).returncode == 0, "--suppress to a day")
    check({r["key"] for r in suppressed}.isdisjoint(r["key"] for r in records(out)[0]), "--suppress to another day: under the same keys")
    days = [time.gmtime(r["begin_ms"] / 1000).tm_mday for r in records(out)[0]]
    charged = [any(cause["rule"] == rule for cause in r["causes"]) for r in records(out)[0]]
    check(sorted(set(charged)) == [False, True] and charged == [day > 1 for day in days], f"--suppress to a day: {charged} of days {days}")
    for order in (known("2026-11-30") + ("--until", "2026-11-01"), ("--until", "2026-11-01") + known("2026-11-30")):
        check(batch(*order).returncode == 0 and records(out)[0] == [r for r in suppressed if time.gmtime(r["begin_ms"] / 1000).tm_mday == 1],
              f"--until of runs beside that of a suppression: {order}")
    for wrong in (("--suppress", rule), ("--suppress", rule, "--because", "x"), ("--because", "x"), known("soon"), ("--until", "2026-11-01", "--because", "x"),
                  ("--suppress", "no-such-rule", *known("2026-11-30")[2:])):
        check(batch(*wrong).returncode == 2, f"wrong: {wrong}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--shim")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--kills", type=int, default=4)
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    folder = tempfile.mkdtemp(prefix="batch-")
    try:
        batch = Batch(program, folder, make_tree(folder, given.runs))
        out = f"{folder}/out"
        took = check_undisturbed(batch, out, given.runs)
        good = views(out)
        check_killed(batch, f"{folder}/killed", good, given.kills, took)
        check_sharded(batch, folder, good)
        check_found(program, folder)
        check_unread_folders(program, folder)
        check_reasons(program, folder)
        check_partial(program, folder)
        check_full_disk(program, folder)
        check_ended(Shard(program, folder))
        if given.shim:
            check_unwritten(Shard(program, folder), os.path.abspath(given.shim))
        check_filtered(batch, program, folder)
        check_limits_raised(program, folder)
        check_priced(batch, program, folder)
        check_suppressed(program, folder)
        check_resumed(batch, out, good, took)
    finally:
        shutil.rmtree(folder)
    return cases.end()


if __name__ == "__main__":
    sys.exit(main())
