#!/usr/bin/env python3
"""three_columns.py - writes gpu.csv.gz of samples/three_columns, which is a made run, not a recorded one.

    samples/made/three_columns.py [DIR]          writes it into DIR, else into samples/three_columns

What a script of one's own may have kept of a run of 42 minutes: time, how busy the GPU was, how much memory it held, every 2 s.
The loaders have a shuffled buffer ready every 13 s, more or less; the GPU works on it for five and waits for eight.
"""

import os
import sys
from datetime import datetime

from made_logs import Noise, log_of, smi_time

BEGIN = datetime(2026, 11, 18, 22, 48, 3)
STEP = 2
END = 42 * 60
FIRST_BUFFER = 70
LOADED = 60
BUFFER = 13


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "three_columns")
    noise = Noise(5)
    ready = FIRST_BUFFER
    with log_of(folder, "gpu.csv.gz") as log:
        log.write("timestamp, utilization.gpu [%], memory.used [MiB]\n")
        for t in range(0, END + 1, STEP):
            if t >= ready + BUFFER:
                ready += BUFFER + noise.around(0.8)
            is_fed = ready <= t < ready + 5
            busy = 0 if t < FIRST_BUFFER else noise.between(78, 97) if is_fed else noise.between(0, 9)
            memory = 450 if t < LOADED else 9120 if t < 900 else 9380
            log.write(f"{smi_time(BEGIN, t)}, {round(busy)} %, {memory} MiB\n")


if __name__ == "__main__":
    main()
