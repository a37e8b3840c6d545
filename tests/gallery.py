#!/usr/bin/env python3
"""gallery.py - the pictures in our documents are what the commands beside them draw.

    tests/gallery.py [--write] [--all] PROGRAM

In samples/README.md, between

    <!-- gallery: throttled: card, thermal; dark -->
    <!-- end -->

stand commands in a fence that leave a report in out/, and behind the fence the pictures of that report that are
named, with their alt texts, as samples/pictures/throttled.png for the card, throttled-thermal.png for others; with
`dark` there is a throttled-dark.png, too. `slow` are those that take a minute: they are made with
--all alone. Any document of ours shows such a picture again between

    <!-- picture: throttled -->
    <!-- end -->

Without --write texts and pictures are compared, which is a test; with it they are replaced, and pictures that nobody
shows are taken away. Texts, sizes and what a picture says of itself must be equal, letter by letter. Its pixels may differ a
little, since they belong to the font libraries.

The last line is "N passed, N failed".
"""

import argparse
import concurrent.futures
import glob
import html
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
GALLERY = "samples/README.md"
PICTURES = "samples/pictures"
BLOCK = re.compile(r"<!-- gallery: (?P<name>[a-z0-9_]+): (?P<charts>[a-z, -]+?)(?P<options>(?:; [a-z]+)*) -->\n"
                   r"(?P<fence>```sh\n(?P<commands>.*?)```\n)(?P<made>.*?)<!-- end -->", re.S)
SHOWN = re.compile(r"<!-- picture: (?P<file>[a-z0-9_-]+) -->\n(?P<made>.*?)<!-- end -->", re.S)
FAR = 48              # of 255: more than another smoothing of an edge makes of a pixel
SHARE_OF_FAR = 0.005  # of the pixels: some letters drawn otherwise, but no line elsewhere


# ---- pictures ----

def chunks_of(png):
    at = 8
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        yield kind, png[at + 8:at + 8 + length]
        at += 12 + length


def said_of(png):
    """Size, and the words inside: all that must be equal on any machine."""
    return [(kind, body) for kind, body in chunks_of(png) if kind in (b"IHDR", b"iTXt")]


def pixels_of(png):
    """Bytes of red, green and blue; our pictures are true colour or palette, with rows that are not filtered."""
    chunks = list(chunks_of(png))
    width, height, _, colour_type = struct.unpack(">IIBB", chunks[0][1][:10])
    data = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    size = 3 if colour_type == 2 else 1
    rows = b"".join(data[y * (1 + width * size) + 1:(y + 1) * (1 + width * size)] for y in range(height))
    if colour_type == 2:
        return rows
    palette = dict(chunks)[b"PLTE"]
    return b"".join(palette[3 * i:3 * i + 3] for i in rows)


def is_same_picture(old, new):
    if old == new:
        return True
    if said_of(old) != said_of(new):
        return False
    a, b = pixels_of(old), pixels_of(new)
    return sum(abs(x - y) > FAR for x, y in zip(a, b)) <= SHARE_OF_FAR * len(a)


# ---- running the commands of a block ----

def quoted(text):
    return html.escape(" ".join(text.split()), quote=False).replace('"', "&quot;")


class Exhibit:
    """A block of the gallery: its commands, and what a run of them leaves."""

    def __init__(self, match):
        self.name, self.commands, self.fence = match["name"], match["commands"], match["fence"]
        self.charts = match["charts"].split(", ")
        options = match["options"].split("; ")[1:]
        self.is_dark, self.is_slow = "dark" in options, "slow" in options
        self.facts, self.pictures = None, {}

    def file_of(self, chart, theme):
        return "-".join([self.name] + [chart] * (chart != "card") + [theme] * (theme == "dark")) + ".png"

    def themes(self, chart):
        return ["light"] + ["dark"] * (self.is_dark and chart == "card")

    def files(self):
        return {self.file_of(chart, theme) for chart in self.charts for theme in self.themes(chart)}

    def draw(self, program):
        """Runs the commands as they stand, in a folder where samples/ and postrun are at hand."""
        for theme in self.themes("card"):
            with tempfile.TemporaryDirectory() as room:
                os.symlink(os.path.join(os.path.realpath(ROOT), "samples"), os.path.join(room, "samples"))
                os.mkdir(os.path.join(room, "bin"))
                with open(os.path.join(room, "bin/postrun"), "w", encoding="utf-8") as file:
                    file.write('#!/bin/sh\nexec "%s" "$@" --theme %s\n' % (program, theme))
                os.chmod(os.path.join(room, "bin/postrun"), 0o755)
                done = subprocess.run(["sh", "-eu", "-c", self.commands], cwd=room, capture_output=True, text=True, timeout=300,
                                      env={"PATH": room + "/bin:" + os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C", "TZ": "UTC",
                                           "PYTHONDONTWRITEBYTECODE": "1"})
                if done.returncode or not os.path.exists(os.path.join(room, "out/report.json")):
                    raise RuntimeError("%s: exit status %d: %s" % (self.name, done.returncode, done.stderr))
                self.keep(os.path.join(room, "out"), theme)
        return self

    def keep(self, out, theme):
        if theme == "light":
            with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
                self.facts = json.load(file)
        for chart in self.charts:
            if theme in self.themes(chart):
                with open(os.path.join(out, chart + ".png"), "rb") as file:
                    self.pictures[self.file_of(chart, theme)] = file.read()

    def element(self, chart, folder):
        """The picture in Markdown that has HTML in it: the dark one where the reader's page is dark."""
        alt = next(c["alt"] for c in self.facts["charts"] if c["file"] == chart + ".png")
        picture = '<img src="%s/%s" width="700" alt="%s">' % (folder, self.file_of(chart, "light"), quoted(alt))
        if "dark" not in self.themes(chart):
            return picture + "\n"
        return ('<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="%s/%s">\n  %s\n</picture>\n'
                % (folder, self.file_of(chart, "dark"), picture))

    def made(self, folder):
        """What stands behind the commands."""
        return "\n%s\n" % "\n".join(self.element(chart, folder) for chart in self.charts)


# ---- documents ----

def read(path, mode="r"):
    with open(os.path.join(ROOT, path), mode, encoding=None if "b" in mode else "utf-8") as file:
        return file.read()


class Settled:
    """Counts what is as it should be; with `write` it is made so."""

    def __init__(self, write):
        self.write, self.passed, self.failed = write, 0, 0

    def settle(self, path, is_right, content):
        if not is_right and self.write:
            with open(os.path.join(ROOT, path), "wb") as file:
                file.write(content)
            print("wrote %s" % path)
        elif not is_right:
            self.failed += 1
            print("FAILED %s is not what the program makes now: make docs" % path)
            return
        self.passed += 1

    def settle_picture(self, name, png):
        path = os.path.join(PICTURES, name)
        self.settle(path, os.path.exists(os.path.join(ROOT, path)) and is_same_picture(read(path, "rb"), png), png)

    def settle_text(self, path, text):
        self.settle(path, read(path) == text, text.encode())


def folder_from(document):
    return os.path.relpath(PICTURES, os.path.dirname(document) or ".")


def with_made(match, made):
    begin, end = (edge - match.start() for edge in match.span("made"))
    return match[0][:begin] + made + match[0][end:]


def gallery_now(text, drawn):
    def again(match):
        exhibit = drawn.get(match["name"])
        return with_made(match, exhibit.made(folder_from(GALLERY))) if exhibit else match[0]
    return BLOCK.sub(again, text)


def document_now(path, drawn):
    def again(match):
        for exhibit in drawn.values():
            for chart in exhibit.charts:
                if exhibit.file_of(chart, "light") == match["file"] + ".png":
                    return with_made(match, exhibit.element(chart, folder_from(path)))
        return match[0]
    return SHOWN.sub(again, gallery_now(read(path), drawn) if path == GALLERY else read(path))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("program")
    given = parser.parse_args()
    settled = Settled(given.write)
    exhibits = [Exhibit(match) for match in BLOCK.finditer(read(GALLERY))]
    wanted = [e for e in exhibits if given.all or not e.is_slow]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        drawn = {e.name: e for e in pool.map(lambda e: e.draw(os.path.realpath(given.program)), wanted)}
    for exhibit in drawn.values():
        for name, png in exhibit.pictures.items():
            settled.settle_picture(name, png)
    os.chdir(ROOT)
    for path in sorted(glob.glob("*.md") + glob.glob("*/*.md")):
        if re.search(r"^<!-- (gallery|picture): ", read(path), re.M):
            settled.settle_text(path, document_now(path, drawn))
    shown = set().union(*(e.files() for e in exhibits))
    for name in sorted(set(os.listdir(PICTURES)) - shown):
        if given.write:
            os.remove(os.path.join(PICTURES, name))
        else:
            settled.failed += 1
            print("FAILED %s/%s is shown nowhere" % (PICTURES, name))
    print("%d passed, %d failed" % (settled.passed, settled.failed))
    sys.exit(1 if settled.failed else 0)


main()
