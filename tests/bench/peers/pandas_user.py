#!/usr/bin/env python3
"""pandas_user.py - what is found in notebooks: all of the log into a table, units replaced, dates parsed, a chart of each metric.

    pandas_user.py LOG [FOLDER]     the charts (matplotlib) go to FOLDER; without it there are none
"""

import sys

import pandas

UNITS = {"utilization.gpu [%]": "%", "memory.used [MiB]": "MiB", "power.draw [W]": "W", "temperature.gpu": ""}


def draw(log, folder):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    for column in UNITS:
        figure, axes = pyplot.subplots(figsize=(14, 6))
        for gpu, rows in log.groupby("index"):
            axes.plot(rows["timestamp"], rows[column], label="GPU %d" % gpu, linewidth=0.8)
        axes.set_title(column)
        axes.legend(loc="upper right")
        axes.grid(True)
        figure.savefig("%s/%s.png" % (folder, column.split()[0]), dpi=100)
        pyplot.close(figure)


def main(path, folder=None):
    log = pandas.read_csv(path)
    log.columns = [name.strip() for name in log.columns]
    log["timestamp"] = pandas.to_datetime(log["timestamp"])
    for column, unit in UNITS.items():
        log[column] = pandas.to_numeric(log[column].astype(str).str.replace(unit, "", regex=False).str.strip(), errors="coerce")
    log.set_index("timestamp", drop=False).groupby("index")[list(UNITS)].resample("60s").mean()
    for gpu, rows in log.groupby("index"):
        for column in UNITS:
            values = rows[column].dropna()
            print(gpu, column.split()[0], "%.4f %.2f %.2f" % (values.mean(), values.quantile(0.95, interpolation="higher"), values.max()))
    if folder:
        draw(log, folder)


main(*sys.argv[1:])
