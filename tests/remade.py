#!/usr/bin/env python3
"""remade.py - the made logs in samples/ are what their scripts write, byte for byte.

    tests/remade.py

Packed ones are compared unpacked: how small a log becomes is a matter of the zlib that packs it.
"""

import gzip
import os
import shutil
import subprocess
import sys
import tempfile

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "samples")
MOST_BYTES = 150_000  # of a log; the repository stays small
MADE = {
    "made/throttled.py": ["throttled/gpu.csv.gz", "throttled/vmstat.txt.gz"],
    "made/three_columns.py": ["three_columns/gpu.csv.gz"],
    "slow_files/made/make.py": ["slow_files/gpu.csv", "slow_files/vmstat.txt"],
}


def content_of(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        return file.read()


def complaints():
    for script, files in MADE.items():
        with tempfile.TemporaryDirectory() as room:
            subprocess.run([sys.executable, os.path.join(SAMPLES, script), room], check=True, timeout=120,
                           env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
            for file in files:
                shipped, made = os.path.join(SAMPLES, file), os.path.join(room, os.path.basename(file))
                if content_of(shipped) != content_of(made):
                    yield "samples/%s is not what samples/%s writes" % (file, script)
                if os.path.getsize(shipped) > MOST_BYTES:
                    yield "samples/%s has %d bytes" % (file, os.path.getsize(shipped))


def main():
    found = list(complaints())
    print("\n".join(found) or "all as made")
    sys.exit(bool(found))


main()
