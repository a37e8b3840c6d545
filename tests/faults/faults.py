#!/usr/bin/env python3
"""faults.py - what a report leaves behind when the system fails it: each call in turn.

    tests/faults/faults.py PROGRAM SHIM              some of each kind, in seconds: what `make test` does
    tests/faults/faults.py PROGRAM SHIM --all        each call of each kind, in minutes: `make faults`
    tests/faults/faults.py PROGRAM SHIM --only NAME  one of: kills, terms, short, limits, memory, changing, and the names of calls

A report is written where there was nothing, over an earlier report, and into a folder with something else in it, while SHIM (shim.c)
lets one call fail. Whatever happens: no signal, no hang; the earlier report or the new one, whole; nothing beside it; what is not ours as it
was; and 0 only with the same bytes as without a fault, or with a word on standard error about what could not be read.

The last line is "N passed, N failed"; a case is one run of the program.
"""

import concurrent.futures
import errno
import gzip
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "..", "..", "samples")
SUBJECTS = ["healthy", "loader_bound"]
EARLIER = "one_worker"
TIME_LIMIT = 60
OUT_OF_MEMORY = (b"postrun: out of memory\n", b"error: cannot-write: the picture could not be drawn\n")
# What may fail, and how it does in life.
CALLS = {
    "open": [errno.EACCES, errno.EMFILE],
    "read": [errno.EIO],
    "write": [errno.ENOSPC, errno.EIO, errno.EDQUOT],
    "fsync": [errno.EIO, errno.ENOSPC, errno.EINVAL],
    "close": [errno.EIO, errno.EDQUOT],
    "mkdir": [errno.ENOSPC, errno.EROFS],
    "rename": [errno.EIO, errno.EINVAL, errno.ENOSPC],
    "link": [errno.EPERM],
    "unlink": [errno.EIO],
    "chmod": [errno.EPERM],
    "flock": [errno.ENOLCK, errno.EBADF],
    "fstat": [errno.EIO],
}
# Before the report is written there is nothing, an earlier report, or that and a file of the user's.
STATES = ["new", "earlier", "notes"]
NOTES = b"mine\n"
# What is not written anew stays, but for pictures.
ASKED_EARLIER = {"series.csv": b"of an earlier run\n", "thermal.png": b"a picture of an earlier run\n"}
NOTHING_READ = 3  # the status of a run without a log; each log has its line then
MOST_SAID = 10


class World:
    """The program, what it writes without a fault, and a folder for all cases."""

    def __init__(self, program, shim, room):
        self.program, self.shim, self.room = os.path.abspath(program), os.path.abspath(shim), room
        self.expected, self.text = {}, {}
        self.old = {**self.report_of(EARLIER)[0], **ASKED_EARLIER}
        for subject in SUBJECTS:
            self.expected[subject], self.text[subject, True] = self.report_of(subject)
            self.text[subject, False] = subprocess.check_output([self.program, "report", self.logs(subject)])

    def report_of(self, subject):
        out = os.path.join(self.room, "as_it_should_be_" + subject, "out")
        printed = subprocess.run([self.program, "report", self.logs(subject), "-o", "out"], cwd=self.folder_for(out), stdout=subprocess.PIPE,
                                 check=True).stdout
        return content(out), printed

    @staticmethod
    def folder_for(out):
        os.makedirs(os.path.dirname(out))
        return os.path.dirname(out)

    @staticmethod
    def logs(subject):
        return os.path.join(SAMPLES, subject)


def content(folder):
    """Of each file, hidden ones too; None where the folder is not there."""
    if not os.path.isdir(folder):
        return None
    found = {}
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        with open(path, "rb") if not os.path.isdir(path) else open(os.devnull, "rb") as file:
            found[name] = file.read()
    return found


class Case:
    """One run: a fault, a subject, what was there before (None: the text alone, to standard output)."""

    def __init__(self, subject, state, fault, limits=(), all_cores=False):
        self.subject, self.state, self.fault, self.limits, self.all_cores = subject, state, fault, limits, all_cores
        self.name = "%s, %s, %s" % (subject, state or "text", " ".join(
            ["%s=%s" % (key[6:].lower(), value) for key, value in fault.items() if key != "FAULT_COUNT"] +
            ["%s=%d" % (name, value) for name, value in limits]) or "no fault")

    def prepare(self, world, folder):
        out = os.path.join(folder, "out")
        if self.state in ("earlier", "notes"):
            os.mkdir(out, 0o700)
            for name, bytes_of_it in world.old.items():
                with open(os.path.join(out, name), "wb") as file:
                    file.write(bytes_of_it)
        if self.state == "notes":
            with open(os.path.join(out, "notes"), "wb") as file:
                file.write(NOTES)
        return out

    def words(self, world):
        return [world.program, "report", world.logs(self.subject)] + (["-o", "out"] if self.state else [])

    def settle(self):
        """In the new process: one core, so that calls come in the same order each time; and limits."""
        if not self.all_cores:
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        for name, value in self.limits:
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))

    def run(self, world, folder):
        """Exit status (or -signal, or None for a hang), what was printed, what was said."""
        environment = dict(os.environ, LD_PRELOAD=world.shim, **self.fault)
        printed = os.path.join(folder, "printed")
        try:
            with open(printed, "wb") as to:
                run = subprocess.run(self.words(world), cwd=folder, env=environment, stdout=to, stderr=subprocess.PIPE, timeout=TIME_LIMIT,
                                     preexec_fn=self.settle)
            status, said = run.returncode, run.stderr
        except subprocess.TimeoutExpired as late:
            status, said = None, late.stderr or b""
        with open(printed, "rb") as file:
            text = file.read()
        os.remove(printed)
        return status, text, said

    def tried(self, world, judge):
        folder = tempfile.mkdtemp(dir=world.room)
        try:
            out = self.prepare(world, folder)
            status, text, said = self.run(world, folder)
            wrong = judge(world, self, folder, out, status, text, said)
        finally:
            shutil.rmtree(folder)
        return (self.name, status, wrong, said)


def count_calls(world, subject, state, call):
    folder = tempfile.mkdtemp(dir=world.room)
    path = os.path.join(folder, "count")
    case = Case(subject, state, {"FAULT_CALL": call, "FAULT_COUNT": path})
    case.prepare(world, folder)
    status, _, said = case.run(world, folder)
    with open(path, "rb") as file:
        n = int(file.read())
    shutil.rmtree(folder)
    if status != 0:
        raise SystemExit("faults.py: a run without a fault ends with %s: %s" % (status, said))
    return n


# ---------------------------------------------------------------- judges: what is wrong with what is left, or None

def judge_folder(world, case, folder, out, new):
    """Old or new, whole; `new`: it must be the new one."""
    left = sorted(os.listdir(folder))
    if [name for name in left if name != "out"]:
        return "left beside it: %s" % left
    found = content(out)
    if case.state == "notes":
        if found.get("notes") != NOTES:
            return "the user's file is gone"
        return judge_each(world, case, found, new)
    before = world.old if case.state == "earlier" else None
    after = merged(world, case)
    if found == after or (found == before and not new):
        return None
    return "neither the old report nor the new one: %s" % (found and sorted(found))


def merged(world, case):
    """What an earlier report had and the new one has not stays; pictures go where nothing of the user's is beside them."""
    after = dict(world.old) if case.state in ("earlier", "notes") else {}
    if case.state == "earlier":
        after = {name: bytes_of_it for name, bytes_of_it in after.items() if not name.endswith(".png")}
    after.update(world.expected[case.subject])
    return after


def judge_each(world, case, found, new):
    after = merged(world, case)
    for name, bytes_of_it in found.items():
        if name == "notes":
            continue
        if bytes_of_it != after.get(name) and (new or bytes_of_it != world.old.get(name)):
            return "%s is neither old nor new" % name
    return None if not new or len(found) == len(after) + 1 else "files are missing"


def judge_mixed(world, case, found):
    """Of a folder that stays and in which files changed place one by one: were some put, and others not?"""
    after = merged(world, case)
    changing = [name for name in after if after[name] != world.old.get(name)]
    n_new = sum(found.get(name) == after[name] for name in changing)
    return "some files are new, some old" if 0 < n_new < len(changing) else None


def judge_fault(world, case, folder, out, status, text, said):
    if status is None:
        return "hangs"
    if status < 0:
        return "ended by %s" % signal.Signals(-status).name
    if status == 0:
        return judge_done(world, case, folder, out, text, said)
    most = MOST_SAID if status == NOTHING_READ or case.fault.get("FAULT_CALL") == "read" else 3  # a line a log that could not be read
    if not said or said.count(b"\n") > most:
        return "not said in a few lines"
    if not case.state:
        return None
    if case.fault.get("FAULT_CALL") == "unlink" or case.fault.get("FAULT_HOW") == "forever":
        return judge_whole_files(world, case, out)
    if case.state == "notes" and judge_mixed(world, case, content(out)):
        return judge_mixed(world, case, content(out))
    return judge_folder(world, case, folder, out, False)


def judge_done(world, case, folder, out, text, said):
    if case.fault.get("FAULT_CALL") in ("write", "fsync") and int(case.fault["FAULT_ERRNO"]) != errno.EINVAL:
        return "0, though nobody knows what is on the disk"
    if said and case.fault.get("FAULT_CALL") in ("read", "open", "fstat"):
        return judge_read(case, folder, out, text)
    if text != world.text[case.subject, bool(case.state)]:
        return "0, but another text"
    if case.fault.get("FAULT_CALL") == "unlink":
        return judge_killed(world, case, folder, out, 0, text, said)
    return judge_folder(world, case, folder, out, True) if case.state else None


def judge_read(case, folder, out, text):
    """A log could not be read, which was said: then it is another report, but a whole one."""
    if not text.endswith(b"\n") or (case.state and [name for name in os.listdir(folder) if name != "out"]):
        return "not whole"
    found = content(out)
    if case.state and (found["report.txt"] != text or [name for name in found if name.startswith(".")]):
        return "report.txt is not what was printed"
    return None


def judge_whole_files(world, case, out):
    """Where nothing can be removed any more, or put back: a stage may be left, but each file is whole."""
    found = content(out)
    if found is None:
        return None if case.state == "new" else "the report is gone"
    if case.state == "notes" and found.get("notes") != NOTES:
        return "the user's file is gone"
    seen = {name: bytes_of_it for name, bytes_of_it in found.items() if not name.startswith(".")}
    return judge_each(world, case, seen, False)


def judge_killed(world, case, folder, out, status, text, said):
    """A stage may be left; then the next run clears it."""
    if status not in (0, -signal.SIGKILL):
        return "status %s: %s" % (status, said)
    for name in os.listdir(folder):
        if name != "out" and not name.startswith(".out.tmp-"):
            return "left beside it: %s" % name
    found = content(out)
    seen = found and {name: bytes_of_it for name, bytes_of_it in found.items() if not name.startswith(".postrun.tmp-")}
    before = world.old if case.state == "earlier" else None
    wrong = judge_each(world, case, seen, False) if case.state == "notes" else \
        None if seen in (before, merged(world, case)) else "neither the old report nor the new one"
    if wrong:
        return wrong
    again = subprocess.run([world.program, "report", world.logs(case.subject), "-o", "out"], cwd=folder, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=TIME_LIMIT, check=False)
    if again.returncode != 0:
        return "the next run: %d: %s" % (again.returncode, again.stderr)
    return judge_folder(world, case, folder, out, True)


def judge_interrupted(world, case, folder, out, status, text, said):
    if status not in (0, -signal.SIGTERM):
        return "status %s: %s" % (status, said)
    if case.state == "notes":
        return judge_mixed(world, case, content(out)) or judge_folder(world, case, folder, out, False)
    return judge_folder(world, case, folder, out, status == 0)


def judge_same(world, case, folder, out, status, text, said):
    if status != 0:
        return "status %s: %s" % (status, said)
    return judge_fault(world, case, folder, out, status, text, said)


def judge_memory(world, case, folder, out, status, text, said):
    wrong = judge_fault(world, case, folder, out, status, text, said)
    lines = set(said.splitlines())  # both processes of a report may be short of memory, and then both say so
    if not wrong and status != 0 and not (said.endswith(OUT_OF_MEMORY) and len(lines) == 1):
        return "status %d, but said: %s" % (status, said)
    return wrong


# ---------------------------------------------------------------- the cases

def some(numbers, most):
    """All of them, or some from the first to the last."""
    numbers = list(numbers)
    if not most or len(numbers) <= most:
        return numbers
    return sorted({numbers[round(i * (len(numbers) - 1) / (most - 1))] for i in range(most)})


def sweep(world, call, errors, ways, subjects, states, most, judge):
    for subject in subjects:
        for state in states:
            n = count_calls(world, subject, state, call)
            for way in ways:
                for why in errors:
                    for i in some(range(1, n + 1), most):
                        yield Case(subject, state, {"FAULT_CALL": call, "FAULT_AT": str(i), "FAULT_HOW": way, "FAULT_ERRNO": str(why)}), judge


def cases_call(call):
    def cases(world, every):
        errors = CALLS[call]
        yield from sweep(world, call, errors if every else errors[:1], ["once", "forever"] if every else ["once"],
                         SUBJECTS if every else SUBJECTS[:1], STATES if every else STATES[1:], 0 if every else 2, judge_fault)
        if every:
            yield from sweep(world, call, errors[:1], ["once", "forever"], SUBJECTS, [None], 0, judge_fault)

    return cases


def cases_kills(world, every):
    yield from sweep(world, "output", [0], ["kill"], SUBJECTS if every else SUBJECTS[:1], STATES, 0 if every else 4, judge_killed)


def cases_terms(world, every):
    yield from sweep(world, "output", [0], ["term"], SUBJECTS if every else SUBJECTS[:1], STATES, 0 if every else 3, judge_interrupted)


def cases_short(world, every):
    for subject in SUBJECTS if every else SUBJECTS[:1]:
        for n in [7, 1000, 4096] if every else [1000]:
            for state in [None, "earlier"]:
                yield Case(subject, state, {"FAULT_BYTES": str(n)}), judge_same


def cases_limits(world, every):
    limits = {"FSIZE": [0, 1, 1000, 5000, 30000, 100000], "NOFILE": list(range(4, 13)), "AS": [1 << 20 << i for i in range(3, 10)]}
    for name, values in limits.items():
        for value in values if every else values[1::3]:
            for state in [None, "earlier"] if every else ["earlier"]:
                yield Case(SUBJECTS[0], state, {}, limits=[(name, value)]), judge_limited


def judge_limited(world, case, folder, out, status, text, said):
    if status == 127:
        return None if b"error while loading" in said else "status %s: %s" % (status, said)
    return judge_fault(world, case, folder, out, status, text, said)


def counts_lines(program):
    """Built for coverage it writes down what it did at its end, and needs room for that."""
    with open(program, "rb") as file:
        return b"libgcov" in file.read()


def cases_memory(world, every):
    """Where cairo is shared it does not survive (src/base/allocator.c): then the text alone."""
    states = [None] if holds_not(world.program) else [None, "earlier"]
    for subject in SUBJECTS if every else SUBJECTS[:1]:
        yield from sweep(world, "alloc", [errno.ENOMEM], ["once", "forever"], [subject], states, 400 if every else 5, judge_memory)


def holds_not(program):
    with open(program, "rb") as file:
        return b"libcairo.so" in file.read()


class ChangingCase(Case):
    """The log itself is changed by somebody while it is read."""

    def __init__(self, packed, way, at):
        super().__init__(SUBJECTS[0], None, {"FAULT_CALL": "read", "FAULT_AT": at, "FAULT_HOW": way, "FAULT_FILE": "log"})
        self.packed, self.way = packed, way
        self.name = "a %s log becomes %s" % ("packed" if packed else "plain", way)

    def prepare(self, world, folder):
        with open(os.path.join(world.logs(self.subject), "gpu.csv"), "rb") as file:
            bytes_of_it = file.read()
        with open(os.path.join(folder, "log"), "wb") as file:
            file.write(gzip.compress(bytes_of_it, mtime=0) if self.packed else bytes_of_it)
        return os.path.join(folder, "out")

    def words(self, world):
        return [world.program, "report", "log", "--sandbox=off"]  # the shim changes the log from inside


def judge_changing(world, case, folder, out, status, text, said):
    if status != 0 or (b": file-grew: " if case.way == "longer" else b": file-shrank: ") not in said:
        return "status %s: %s" % (status, said)
    if case.way == "shorter":
        return None
    case.prepare(world, folder)
    as_it_was = subprocess.check_output(case.words(world), cwd=folder)
    return None if text == as_it_was else "what was added is used"


def cases_changing(world, every):
    for packed in [False, True]:
        yield ChangingCase(packed, "longer", "2" if not packed else "1"), judge_changing
        yield ChangingCase(packed, "shorter", "1"), judge_changing


KINDS = {**{call: cases_call(call) for call in CALLS}, "kills": cases_kills, "terms": cases_terms, "short": cases_short, "limits": cases_limits,
         "memory": cases_memory, "changing": cases_changing}


def main(arguments):
    program, shim = arguments[:2]
    every = "--all" in arguments
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else None
    passed = failed = 0
    room = tempfile.mkdtemp(prefix="postrun-faults-")
    try:
        world = World(program, shim, room)
        for kind, cases in KINDS.items():
            if only and kind != only:
                continue
            if kind in ("limits", "memory") and counts_lines(world.program):
                print("skipped: %s: the program writes at its end what it reached" % kind)
                continue
            statuses = {}
            with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
                for name, status, wrong, said in pool.map(lambda pair: pair[0].tried(world, pair[1]), cases(world, every)):
                    statuses[status] = statuses.get(status, 0) + 1
                    passed, failed = passed + (not wrong), failed + bool(wrong)
                    if wrong:
                        print("FAILED %s: %s: %s\n       %s" % (kind, name, wrong, said[:300]))
            if kind == "memory" and holds_not(world.program):
                print("skipped: memory of pictures: the program does not hold its libraries")
            print("%s: %s" % (kind, ", ".join("%d with status %s" % (n, status) for status, n in sorted(statuses.items(), key=str))))
    finally:
        shutil.rmtree(room)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
