#!/usr/bin/env python3
"""examples.py - every command that our documents show does what they say.

    tests/examples.py PROGRAM [--list]       --list: only says which commands there are

A command is a line of its own, indented by four, that begins with one of the words in COMMANDS; what follows two blanks is a remark. So is
a code span that begins with `postrun`, unless it has a word in it that stands for something else. They are run one after the other in a
folder that has what they name (fixtures), and must end well. Behind "$" stand mistakes: there the program must print
the lines that follow, word for word. What is in fences is run elsewhere: by docs.sh, gallery.py, reports.py, golden/manual and .ci/run.

And README and --help must know the same options and outputs.

The last line is "N passed, N failed".
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
DOCUMENTS = ["README.md", "SECURITY.md", "rules/README.md", "rules/mapping/README.md", "rules/devices/README.md", "templates/README.md",
             "samples/README.md"]
COMMANDS = ("postrun ", "ssh ", "sh ", "cp ")
STANDS_FOR = re.compile(r"…|\.\.\.|\b(FILE|NAME|PATH|ID\.PARAM|OPTION)\b")
MEANT = {" ID ": " gpu-hot "}  # what a reader puts there
OF_OTHER_TOOLS = {"--query-gpu", "--query-compute-apps", "--query-accounted-apps", "--help-query-gpu", "--gpm-metrics", "--json", "--timestamps", "--sep",
                  "--no-install-recommends", "--array"}

GOOD_RULE = """# a rule of one's own
id: gpu-tepid
title: "{Gpus} got warm"
short: warm
checked: warm GPUs
severity: note
scope: gpu
sources: ["our cooling engineers"]
when: gpu.temp > 60 C
what: "{Gpus} got warm."
why: "It worked."
try: ["Open a window."]
refute: "It would be wrong if the sensor is."
card: "it got warm."
tests:
  - {name: warm, given: {gpu.temp: 70 x 60 s}, expect: fired}
  - {name: cool, given: {gpu.temp: 60 x 60 s}, expect: clear}
  - {name: not logged, given: {gpu.util: 90 x 60 s}, expect: skipped}
"""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def write(room, path, text):
    with open(os.path.join(room, path), "w", encoding="utf-8") as file:
        file.write(text)


# ---- finding them ----

def without_fences(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)


def commands_in(text):
    """(command, the lines that it must print or None), in their order."""
    lines = without_fences(text).split("\n")
    for n, line in enumerate(lines):
        words = line[4:]
        if line.startswith("    $ "):
            said = []
            for below in lines[n + 1:]:
                if not below.startswith("    ") or below.startswith("    $ "):
                    break
                said.append(below[4:])
            yield words[2:], said
        elif line.startswith("    ") and words.startswith(COMMANDS):
            yield re.split(r"  +", words)[0], None
        elif not line.startswith("    "):
            for span in re.findall(r"`((?:build/)?postrun [^`]+)`", line):
                if not STANDS_FOR.search(span):
                    yield span, None


# ---- a folder that has what they name ----

def script(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def furnish(room, program, is_wrong):
    """The files that commands name; those that a reader writes have the mistakes that documents show, if `is_wrong`."""
    os.makedirs(os.path.join(room, "bin"))
    os.symlink(program, os.path.join(room, "bin/postrun"))
    os.symlink("bin", os.path.join(room, "build"))
    script(os.path.join(room, "bin/ssh"), 'shift\nexec "$@"\n')
    script(os.path.join(room, "bin/python"), "sleep 1\n")
    for folder in ("samples", "templates", "rules"):
        os.symlink(os.path.join(ROOT, folder), os.path.join(room, folder))
    shutil.copytree(os.path.join(ROOT, "samples/throttled"), os.path.join(room, "RUN"))
    for log in ("gpu.csv", "vmstat.txt", "mpstat.txt"):
        shutil.copy(os.path.join(ROOT, "samples/loader_bound", log), room)
    os.mkdir(os.path.join(room, "ARCHIVE"))
    for run in ("healthy", "throttled"):
        shutil.copytree(os.path.join(ROOT, "samples", run), os.path.join(room, "ARCHIVE", run))
    subprocess.run([program, "batch", "ARCHIVE/", "-o", "OUT/", "--outputs", "json", "--shard", "0/1"], cwd=room, check=True,
                   stdout=subprocess.DEVNULL)
    with tarfile.open(os.path.join(room, "run.tar.gz"), "w:gz") as archive:
        archive.add(os.path.join(room, "gpu.csv"), "gpu.csv")
    os.mkdir(os.path.join(room, "my-rules"))
    write(room, "my-rules/gpu-tepid.yaml", GOOD_RULE.replace("gpu.temp > 60 C", "gpu.tmp > 60 C" if is_wrong else "gpu.temp > 60 C"))
    mail = read("templates/example/mail.tmpl")
    write(room, "mail.tmpl", mail.replace("verdict.sentence", "verdict.sentense").replace("wrap:", "wrapp:", 1) if is_wrong else mail)
    write(room, "chat.tmpl", "{{verdict.sentense}}\n" if is_wrong else "{{verdict.sentence}}\n")
    for name, text in re.findall(r"^<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", read("README.md"), re.S | re.M):
        write(room, name, text.replace("metric: gpu.power,", "metric: gpu.pwer,") if is_wrong else text)
    write(room, "warm.yaml", re.search(r"^```yaml\n(.*?)^```$", read("rules/README.md"), re.S | re.M)[1])


class Rooms:
    """One for what works, one for mistakes."""

    def __init__(self, top, program):
        self.passed, self.failed = 0, 0
        self.right, self.wrong = os.path.join(top, "right"), os.path.join(top, "wrong")
        furnish(self.right, program, False)
        furnish(self.wrong, program, True)

    def run(self, command, room):
        for word, meant in MEANT.items():
            command = command.replace(word, meant)
        return subprocess.run(["sh", "-c", command], cwd=room, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
                              env={"PATH": room + "/bin:" + os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TZ": "UTC"})

    def check(self, what, holds, said=""):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print("FAILED %s\n%s" % (what, said))

    def try_out(self, where, command, wanted):
        done = self.run(command, self.right if wanted is None else self.wrong)
        said = done.stdout + done.stderr
        if wanted is None:
            self.check("%s: %s: exit status %d" % (where, command, done.returncode), done.returncode == 0, said[-2000:])
        else:
            self.check("%s: %s" % (where, command), done.returncode != 0 and "\n".join(wanted) in said, said[-2000:])


# ---- options ----

def options_of(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def check_options(rooms):
    helps = {command: rooms.run("postrun %s --help" % command, rooms.right).stdout
             for command in ("report", "inspect", "record", "rules list", "rules check", "rules test", "rules explain", "formats", "metrics", "batch",
                             "merge")}
    readme = read("README.md")
    shown = options_of(re.sub(r"<!--.*?-->", "", readme)) - OF_OTHER_TOOLS
    known = set().union(*map(options_of, helps.values()))
    for option in sorted(shown - known):
        rooms.check("README tells of %s, which no command has" % option, False)
    for option in sorted(options_of(helps["report"]) | options_of(helps["record"]) | options_of(helps["batch"]) | options_of(helps["merge"])):
        rooms.check("README does not tell of %s" % option, option in shown)
    formats = re.search(r"--format NAME .*?\(([a-z|0-9]+)\)", helps["report"])[1].split("|")
    table = re.findall(r"^\| `([a-z0-9]+)` \| `", readme.split("## Outputs")[1].split("\n## ")[0], re.M)
    rooms.check("README's table of outputs has %s, --help has %s" % (table, formats), sorted(table) == sorted(formats))


def main():
    program = os.path.realpath(sys.argv[1])
    found = [(document, command, wanted) for document in DOCUMENTS for command, wanted in commands_in(read(document))]
    if "--list" in sys.argv:
        print("\n".join("%s: %s%s" % (document, command, "" if wanted is None else " => %s" % wanted) for document, command, wanted in found))
        return
    with tempfile.TemporaryDirectory() as top:
        rooms = Rooms(top, program)
        for document, command, wanted in dict.fromkeys((d, c, w if w is None else tuple(w)) for d, c, w in found):
            rooms.try_out(document, command, wanted)
        check_options(rooms)
    rooms.check("%d commands are not all that documents show" % len(found), len(found) > 30)
    print("%d passed, %d failed" % (rooms.passed, rooms.failed))
    sys.exit(1 if rooms.failed else 0)


main()
