#!/usr/bin/env python3
"""sandbox.py - who reads a log can do nothing else, and who writes the report ends as the reader did.

    tests/sandbox.py build/postrun

A report of a hostile archive is watched by strace, where that is installed: every call that makes, writes, renames or removes something
names the report's folder or the place where it is made ready, and the process that reads the archive makes none of them. A build without
walls (sanitizers), or a kernel without, is told of, and what needs them is passed over.
"""
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

from cases import Cases

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOG = os.path.join(ROOT, "samples", "healthy", "gpu.csv")
CHANGES = ("openat", "open", "creat", "mkdir", "mkdirat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "link", "linkat",
           "symlink", "symlinkat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "truncate", "ftruncate")
MADE = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC)")

cases = Cases()
check = cases.check


def run(program, *arguments, cwd, given=None):
    return subprocess.run([program, *arguments], cwd=cwd, input=given, capture_output=True, timeout=60, check=False)


def hostile_tar(path):
    with open(LOG, "rb") as file:
        content = file.read()
    with tarfile.open(path, "w:gz") as tar:
        for name in ("../../climbed.csv", "/absolute.csv", "run/gpu.csv", "run/report.html"):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        for name, kind in (("link.csv", tarfile.SYMTYPE), ("hard.csv", tarfile.LNKTYPE), ("pipe", tarfile.FIFOTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            tar.addfile(member)


def with_walls(program, folder):
    """The same report behind the walls as without, from each kind of input."""
    with open(LOG, "rb") as file:
        content = file.read()
    os.symlink(LOG, os.path.join(folder, "link.csv"))
    os.mkdir(os.path.join(folder, "RUN"))
    os.symlink(LOG, os.path.join(folder, "RUN", "gpu.csv"))
    hostile_tar(os.path.join(folder, "run.tar.gz"))
    for name, arguments, given in (("a file", [LOG], None), ("a link", ["link.csv"], None), ("a folder with a link", ["RUN"], None),
                                   ("standard input", ["-"], content), ("an archive", ["run.tar.gz"], None)):
        inside = run(program, "report", *arguments, "--sandbox=require", cwd=folder, given=given)
        outside = run(program, "report", *arguments, "--sandbox=off", cwd=folder, given=given)
        check(inside.returncode == 0 and inside.stderr == outside.stderr, f"{name}: {inside.stderr.decode()}")
        check(inside.stdout.replace(b"=require", b"=off") == outside.stdout and inside.stdout, f"{name}: another report behind the walls")
    inside = run(program, "inspect", "run.tar.gz", "--sandbox=require", cwd=folder)
    check(inside.returncode == 0 and b"nvidia-smi-csv" in inside.stdout, f"inspect: {inside.stderr.decode()}")


def changes_of(trace):
    """(process, call) for each call that changes something on a disk."""
    for line in trace.splitlines():
        found = re.match(r"(\d+) +(\w+)\((.*)", line)
        if found and found[2] in CHANGES and (not found[2].startswith("open") or MADE.search(found[3])):
            yield int(found[1]), f"{found[2]}({found[3]}"


def watched(program, folder):
    trace = os.path.join(folder, "trace")
    done = run("strace", "-f", "-qq", "-e", "trace=" + ",".join(f"?{name}" for name in CHANGES) + ",?fork,?vfork,?clone,?clone3,?socket,?execve,?prctl,?landlock_restrict_self",
               "-o", trace, program, "report", "run.tar.gz", "-o", "out", "--sandbox=require", cwd=folder)
    check(done.returncode == 0 and os.path.exists(os.path.join(folder, "out", "card.png")), f"under strace: {done.stderr.decode()}")
    with open(trace, encoding="utf-8", errors="replace") as file:
        text = file.read()
    writer = int(text.split()[0])
    calls = list(changes_of(text))
    check(calls, "strace saw no file that was written")
    raised = text.find("landlock_restrict_self("), text.find("PR_SET_SECCOMP"), re.search(r'openat\(AT_FDCWD, "run.tar.gz", (?!O_\w*PATH|.*O_PATH)', text)
    check(0 < raised[0] < raised[1] and raised[2] and raised[1] < raised[2].start(), "the archive was opened before the walls were raised")
    names = re.compile(r'"(\.|\.out\.tmp-0|out|[a-z]+\.(png|html|json|md|txt))"')
    for process, call in calls:
        check(process == writer, f"who reads the archive writes: {call}")
        check(all(names.fullmatch(f'"{name}"') for name in re.findall(r'"([^"]*)"', call)), f"outside of the report: {call}")
    check(len(re.findall(r"execve\(", text)) == 1 and "socket(" not in text, "a program or a socket was opened")
    check(sorted(os.listdir(folder)) == ["RUN", "link.csv", "out", "run.tar.gz", "trace"], f"left: {os.listdir(folder)}")


def children_of(process):
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def started(program, folder):
    """A report that waits for its input: the process, and the one that reads."""
    both = subprocess.Popen([program, "report", "-", "-o", "late"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    for _ in range(500):
        if children_of(both.pid):
            return both, children_of(both.pid)[0]
        time.sleep(0.01)
    return both, None


def ends_alike(program, folder):
    for number, said in ((signal.SIGSEGV, b"was ended by signal 11"), (signal.SIGKILL, b"was ended by signal 9"), (signal.SIGTERM, b"")):
        both, reader = started(program, folder)
        check(reader is not None, "nobody reads apart")
        if reader is None:
            both.kill()
            both.communicate()
            return
        os.kill(reader, number)
        said_now = both.communicate(timeout=20)[1]
        check(both.returncode == -number, f"the reader was ended by {number}, the whole ended with {both.returncode}")
        check(said in said_now and (said or not said_now), f"of signal {number} was said: {said_now.decode()}")
        check(not os.path.exists(os.path.join(folder, "late")), f"signal {number} left a folder")
    both, reader = started(program, folder)
    both.kill()
    both.communicate(timeout=20)
    for _ in range(500):
        if reader is None or not os.path.exists(f"/proc/{reader}"):
            break
        time.sleep(0.01)
    check(reader is None or not os.path.exists(f"/proc/{reader}"), "who reads lives on when who writes was killed")


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="postrun-sandbox-") as folder:
        probe = run(program, "report", LOG, "--sandbox=require", cwd=folder)
        if probe.returncode == 2:
            print(f"passed over: {probe.stderr.decode().strip()}")
            check(b"this system has no" in probe.stderr, probe.stderr.decode())
        else:
            with_walls(program, folder)
            if shutil.which("strace"):
                watched(program, folder)
            else:
                print("passed over: strace is not installed")
            ends_alike(program, folder)
    return cases.end()


sys.exit(main())
