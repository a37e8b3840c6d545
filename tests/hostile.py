#!/usr/bin/env python3
"""hostile.py - inputs that somebody damaged or made to do harm: each ends as was reviewed, and never does what it was made for.

    tests/hostile.py build/postrun FOLDER [--only TEXT] [--print]
    tests/hostile.py --selftest

FOLDER has a generator, gen.py, that writes the inputs and their list. tests/hostile.tsv holds what was reviewed, a line a file: how
`postrun report` ends and which kinds of complaints it makes. --print prints the lines that the files give now, to be reviewed.

Of each input two reports are made, in folders of their own from which the command line reads the same, and of each is asked: does it end
within 10 seconds, without a signal and below 256 MiB? Does a run that fails leave nothing? Is nothing written beside the report? Is no
byte in any text one that a terminal acts on, no markup alive, all JSON strict, each picture whole? Is each line used, rejected or
ignored? Are the two reports equal, byte for byte? --selftest gives these laws outputs that break them.
"""
import argparse
import concurrent.futures
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

LONGEST_S = 10
MOST_KIB = 256 * 1024
MOST_LINES = 40
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile.tsv")
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
ALIVE = re.compile(r"<script|<img src=x|<svg onload|\sonmouseover=\"|href=.?javascript:", re.I)
COMPLAINT = re.compile(r": (?:error|warning|note): ([a-z-]+): ")


def no_twice(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key twice")
    return dict(pairs)


def no_constant(word):
    raise ValueError(f"{word} is no number")


def check_text(name, content):
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        yield f"{name}: not UTF-8"
        return
    found = ACTS.search(text)
    if found:
        yield f"{name}: U+{ord(found[0]):04X} at {found.start()}"
    if name.endswith(".html") and ALIVE.search(text):
        yield f"{name}: live markup: {ALIVE.search(text)[0]}"
    if name.endswith(".json"):
        try:
            yield from check_rows(json.loads(text, object_pairs_hook=no_twice, parse_constant=no_constant))
        except ValueError as error:
            yield f"{name}: {error}"


def lines_of(content):
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    return content.count(b"\n") + (not content.endswith(b"\n") and content != b"")


def check_rows(report):
    """Each line of a log is used, rejected or ignored."""
    for source in report.get("sources", []):
        n_told = source["rows"] + source["rows_bad"] + source["rows_ignored"]
        if n_told != source["rows_seen"]:
            yield f"{source['path']} has {source['rows_seen']} rows, told are {n_told}"
        if source["rows_bad"] and not source["complaints"]:
            yield f"{source['path']}: {source['rows_bad']} rows are rejected without a word"
        if source["format"] != "nvidia-smi-csv" or not os.path.exists(source["path"]):
            continue
        with open(source["path"], "rb") as file:
            content = file.read()
        if content.isascii() and not content.startswith(b"\x1f\x8b") and n_told != lines_of(content):
            yield f"{source['path']} has {lines_of(content)} lines, told are {n_told}"


def check_file(name, content):
    if name.endswith(".png"):
        if not content.startswith(b"\x89PNG\r\n\x1a\n") or b"IEND" not in content[-12:]:
            yield f"{name}: not a whole picture"
    else:
        yield from check_text(name, content)


def check_end(status, said, files):
    """What holds however it ended; files: names and contents below the folder that the report was made from."""
    if status is None:
        yield f"over {LONGEST_S} s"
    elif status < 0 or status > 6:
        yield f"ended with {status}"
    if said.count(b"\n") > MOST_LINES:
        yield f"{said.count(bytes([10]))} lines of complaints"
    for word in (b"Sanitizer", b"runtime error"):
        if word in said:
            yield said[said.index(word):][:200].decode("utf-8", "replace")
    for name, content in files.items():
        if not name.startswith("out/"):
            yield f"{name} was written"
        elif status:
            yield f"it failed and left {name}"
        yield from check_file(name, content)


def files_below(folder):
    found = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def report(program, arguments):
    """One report in a folder of its own: how it ended, what it said, what it wrote."""
    with tempfile.TemporaryDirectory(prefix="postrun-hostile-") as folder:
        command = [program, "report", *arguments, "-o", "out"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=LONGEST_S, stdin=subprocess.DEVNULL, cwd=folder,
                                  env={**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}, check=False)
        except subprocess.TimeoutExpired:
            return None, b"", {}
        return done.returncode, done.stderr, {**files_below(folder), **({"out/printed.txt": done.stdout} if done.stdout else {})}


def run(program, folder, name, kind):
    """The line of the table that the file gives, and the laws that it breaks."""
    path, beside = os.path.join(folder, name), os.path.join(folder, "gpu/ok_gpu.csv")
    arguments = {"rules": [beside, "--rules", path], "cpu": [beside, path]}.get(kind, [path])
    status, said, files = report(program, arguments)
    breaches = [*check_text("what was said", said), *check_end(status, said, files)]
    if not breaches and (status, said, files) != report(program, arguments):
        breaches.append("a second run says something else")
    kinds = sorted(set(COMPLAINT.findall(said.decode("utf-8", "replace"))))
    return f"{name}\t{status}\t{','.join(kinds) or '-'}", breaches


def inputs(folder):
    """Names and kinds: those of the list, and the files whose names are hostile."""
    with open(os.path.join(folder, "INDEX.tsv"), encoding="utf-8") as file:
        listed = [line.split("\t")[:2] for line in file.read().split("\n")[1:] if line]
    named = os.path.join(folder, "names")
    return [*listed, *([f"names/{name}", "gpu"] for name in sorted(os.listdir(named)))]


def shown(name):
    return name.encode("unicode_escape", "surrogateescape").decode("ascii")


def check_all(options, folder):
    with open(TABLE, encoding="utf-8") as file:
        reviewed = {line.split("\t")[0]: line for line in file.read().split("\n") if line and not line.startswith("#")}
    chosen = [(name, kind) for name, kind in inputs(folder) if options.only in name]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        results = pool.map(lambda it: run(options.program, folder, *it), chosen)
        for (name, _), (line, breaches) in zip(chosen, results):
            line = "\t".join([shown(name), *line.split("\t")[-2:]])
            if options.print:
                print(line)
            elif line != reviewed.get(shown(name)):
                breaches.append(f"reviewed was {reviewed.get(shown(name))!r}, now it is {line!r}")
            failed += bool(breaches)
            for breach in breaches:
                print(f"  FAILED   {shown(name)}: {breach}")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if most > MOST_KIB:
        failed += 1
        print(f"  FAILED   {most} KiB of memory")
    if not options.only and not options.print:
        for name in reviewed.keys() - {shown(name) for name, _ in chosen}:
            failed += 1
            print(f"  FAILED   {name} was reviewed, but is not there")
    print(f"hostile: {len(chosen) - failed} passed, {failed} failed")
    return failed


def accounted(used, bad, ignored, seen):
    return {"format": "nvidia-smi-csv", "path": __file__, "rows": used, "rows_bad": bad, "rows_ignored": ignored, "rows_seen": seen,
            "complaints": []}


def selftest():
    broken = [
        ("over", check_end(None, b"", {})),
        ("ended", check_end(-11, b"", {})),
        ("lines", check_end(0, b"x\n" * 41, {})),
        ("Sanitizer", check_end(0, b"==1==ERROR: AddressSanitizer", {})),
        ("left", check_end(3, b"", {"out/report.txt": b""})),
        ("was written", check_end(0, b"", {"beside": b""})),
        ("U+001B", check_file("report.txt", b"a\x1b[31m")),
        ("U+202E", check_file("report.txt", "a\u202e".encode())),
        ("not UTF-8", check_file("report.txt", b"\xff")),
        ("live", check_file("report.html", b"<script>alert(1)</script>")),
        ("twice", check_file("report.json", b'{"a": 1, "a": 2}')),
        ("NaN", check_file("report.json", b'{"a": NaN}')),
        ("lines, told", check_rows({"sources": [accounted(1, 1, 0, 2)]})),
        ("rows, told", check_rows({"sources": [accounted(1, 1, 0, 3)]})),
        ("without a word", check_rows({"sources": [accounted(1, 1, 0, 2)]})),
        ("whole", check_file("card.png", b"\x89PNG\r\n\x1a\n")),
    ]
    failed = 0
    for word, breaches in broken:
        if not any(word in breach for breach in breaches):
            failed += 1
            print(f"  FAILED   nothing notices what should be told with '{word}'")
    print(f"{len(broken) - failed} passed, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    options.program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory(prefix="postrun-hostile-inputs-") as folder:
        subprocess.run([sys.executable, os.path.join(options.folder, "gen.py"), folder, "--names"], check=True,
                       stdout=subprocess.DEVNULL)
        # of equal length each time, so that what is cut is cut alike
        return check_all(options, folder)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
