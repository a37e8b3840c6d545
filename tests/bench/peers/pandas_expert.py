#!/usr/bin/env python3
"""pandas_expert.py - mean, 95th percentile and maximum of four columns of each GPU, as somebody writes it who knows pandas well.

    pandas_expert.py LOG

Only the columns that are asked for are kept, by the parser in C; units are cut off with their text, not by a function a row.
"""

import sys

import pandas

UNITS = {"utilization.gpu [%]": " %", "memory.used [MiB]": " MiB", "power.draw [W]": " W", "temperature.gpu": ""}


def number(text, unit):
    return pandas.to_numeric(text.str.slice(stop=-len(unit)) if unit else text, errors="coerce")


def main(path):
    types = {"index": "int32", **dict.fromkeys(UNITS, str)}
    log = pandas.read_csv(path, sep=",", skipinitialspace=True, usecols=list(types), dtype=types, engine="c")
    for column, unit in UNITS.items():
        log[column] = number(log[column], unit)
    for gpu, rows in log.groupby("index", sort=True):
        for column in UNITS:
            values = rows[column]
            print(gpu, column.split()[0], "%.4f %.2f %.2f" % (values.mean(), values.quantile(0.95, interpolation="higher"), values.max()))


main(sys.argv[1])
