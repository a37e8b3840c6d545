#!/usr/bin/env python3
"""salvage.py - a log that was cut anywhere gives every whole row before the cut, and says that it was cut.

    tests/salvage.py build/postrun [FOLDER] [--cuts N]     FOLDER/*/gpu.csv, or the samples' own

Each gpu.csv is cut at random bytes (the same every time), plain and packed as .gz, .xz and .zst. What the packed
stream still holds before the cut is found without our program: by zlib, by lzma, and by the program zstd, which
gives only whole blocks of a frame. `postrun inspect` must use as many rows as there are whole lines in that, less
the header, and say that the file ends early. A cut right behind a line end leaves no trace in a plain file, nor does
one behind the last byte of a packed one.

And every log of the folders, by whatever tool, is cut in its middle third and goes on with all of itself, as where a logger
was killed and begun anew with >>: the report must show what that of the whole log shows, and nothing of the row that was cut.

The last line is "N passed, N failed".
"""
import argparse
import concurrent.futures
import glob
import gzip
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

SEED = 20261121


def zstd(*options, data):
    done = subprocess.run(["zstd", "-q", *options], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout


def held_by_gzip(data):
    return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data)


def held_by_xz(data):
    return lzma.LZMADecompressor().decompress(data)


def held_by_zstd(data):
    return zstd("-d", "-c", data=data)


PACKINGS = {
    "csv": (lambda text: text, lambda data: data),
    "csv.gz": (lambda text: gzip.compress(text, mtime=0), held_by_gzip),
    "csv.xz": (lzma.compress, held_by_xz),
    "csv.zst": (lambda text: zstd("-c", data=text), held_by_zstd),
}


def inspect(program, path):
    done = subprocess.run([program, "inspect", path], capture_output=True, timeout=20, env={"LC_ALL": "C"}, check=False)
    out, said = done.stdout.decode(), done.stderr.decode()
    rows = re.search(r"^  rows      (\d+) used", out, re.M)
    return int(rows[1]) if rows else 0, said


def complaint(program, room, name, packed, at, held_by):
    """What is wrong with how the first `at` bytes of a packed log are read, or nothing."""
    path = os.path.join(room, f"{at}-{name}")
    with open(path, "wb") as file:
        file.write(packed[:at])
    held = held_by(packed[:at])
    whole = held.count(b"\n")
    rows, said = inspect(program, path)
    os.remove(path)
    expected = max(whole - 1, 0)
    if rows != expected:
        return f"cut at {at} of {len(packed)}: {rows} rows, {expected} whole ones before the cut"
    leaves_trace = at < len(packed) and (not name.endswith(".csv") or (held and not held.endswith(b"\n")))
    if (leaves_trace or not rows) and not re.search(r"ends early|cut|empty|no row|no reader|one line|header", said):
        return f"cut at {at} of {len(packed)}: not said that it was cut: {said!r}"
    return None


def check_file(program, path, n_cuts, room, pool):
    """Cuts of one log in every packing: how many were right, and what was wrong."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        text = file.read()
    with open(os.path.join(room, "gpu.csv"), "wb") as file:
        file.write(text)
    rows, _ = inspect(program, os.path.join(room, "gpu.csv"))
    if rows != text.count(b"\n") - 1:
        return 0, [f"{path}: {rows} rows used of {text.count(bytes([10])) - 1}: not a log for this test"]
    wrong, n = [], 0
    for name, (pack, held_by) in PACKINGS.items():
        if name.endswith("zst") and not shutil.which("zstd"):
            continue
        packed = pack(text)
        places = random.Random(SEED).sample(range(1, len(packed)), min(n_cuts, len(packed) - 1))
        jobs = [pool.submit(complaint, program, room, "gpu." + name, packed, at, held_by) for at in places]
        said = [job.result() for job in jobs]
        n += len(said)
        wrong += [f"{path} as {name}: {text}" for text in said if text]
    return n - len(wrong), wrong


def series(program, path):
    command = [program, "report", path, "--format", "csv"]
    return subprocess.run(command, capture_output=True, timeout=20, env={"LC_ALL": "C"}, check=False).stdout


def check_begun_anew(program, path, n_cuts, room, pool):
    with open(path, "rb") as file:
        text = file.read()
    whole = series(program, path)
    if whole.count(b"\n") < 5:  # its columns must be told by --columns, say
        return 0, []

    def is_right(at):
        glued = os.path.join(room, f"{at}-{os.path.basename(path)}")
        with open(glued, "wb") as file:
            file.write(text[:at] + text)
        shown = series(program, glued)
        os.remove(glued)
        return shown == whole

    places = random.Random(SEED).sample(range(len(text) // 3, len(text) * 2 // 3), n_cuts)
    wrong = [f"{path}: cut at {at} and begun anew, it shows something else" for at, right in zip(places, pool.map(is_right, places)) if not right]
    return n_cuts - len(wrong), wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", nargs="?", default=os.path.join(os.path.dirname(__file__), "..", "samples"))
    parser.add_argument("--cuts", type=int, default=100, help="of each file in each packing")
    args = parser.parse_args()
    program = os.path.realpath(args.program)
    files = sorted(glob.glob(os.path.join(args.folder, "*", "gpu.csv*")))
    passed, failed = 0, 0 if files else 1
    if not shutil.which("zstd"):
        print("skipped  zstd is not installed: .zst is not cut")
    with tempfile.TemporaryDirectory() as room, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path in files:
            good, wrong = check_file(program, path, args.cuts, room, pool)
            passed, failed = passed + good, failed + len(wrong)
            for text in wrong[:10]:
                print(f"FAILED {text}")
        for path in sorted(glob.glob(os.path.join(args.folder, "*", "*.txt")) + glob.glob(os.path.join(args.folder, "*", "*.csv"))):
            good, wrong = check_begun_anew(program, path, max(2, args.cuts // 10), room, pool)
            passed, failed = passed + good, failed + len(wrong)
            for text in wrong[:3]:
                print(f"FAILED {text}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
