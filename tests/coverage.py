#!/usr/bin/env python3
"""coverage.py - which lines of src/ the tests reach, and which ways through it they never take.

    make coverage                                    builds, runs all tests, then this
    tests/coverage.py BUILD_FOLDER                   of what ran last in that build: the table, and what is not explained
    tests/coverage.py BUILD_FOLDER src/format/top.c  its lines that no test reaches, and its ways that none takes; a folder: of all in it

It fails below 92 % of lines, and where a way is neither taken nor explained in the readers, time, numbers and rules (EXPLAINED below).

A way is one outcome of a whole condition, as a reader of the source counts: `if (a || b)` has two, a `switch` one for each label. gcc
counts two arms for each operand; those are the "branches" of the table. An operand that never decided alone, while its neighbours took the
condition both ways, costs branches but leaves no way open. To tell the two apart one must know where an arm leads, which gcov of gcc 12
does not print; so the graphs (.gcno) and the counters (.gcda) are read here (gcc's gcov-io.h): arms of one statement that lead to the same
block are one way. Where a condition is never reached, the way to it is told and nothing beyond; of a function that is never called, the
call. Copies of an inline function in several objects are added up.

uncovered.tsv explains: file, function, a piece of the line (of the statement's first line; empty: each way in that function; with "=> "
before it: of the line that the way leads to), reason. The file `*` is any of those that must be explained, the function `*` any of its
functions. A row that explains nothing fails, too.
"""
import collections
import glob
import os
import re
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS = os.path.join(ROOT, "tests", "uncovered.tsv")
LINES_LEAST = 92.0  # percent
EXPLAINED = re.compile(r"src/(format/|series/|rule/|run/clock|base/(number|quantity|calendar)\.)")

FUNCTION, BLOCKS, ARCS, LINES, COUNTERS = 0x01000000, 0x01410000, 0x01430000, 0x01450000, 0x01A10000
ON_TREE, FAKE = 1, 2  # an arc whose count follows from the others; one that stands for a call that does not come back
VERSION = b"B2"  # gcc 12; the first letters of the version in both kinds of file, read backwards
ENTRY, EXIT = 0, 1


class Words:
    """Records of numbers and texts, as gcc 12 writes them."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.at = 0
        magic, version = self.bytes[:4], self.bytes[4:8]
        if magic not in (b"oncg", b"adcg") or not version.endswith(VERSION[::-1]):
            raise SystemExit("coverage.py: %s is not of gcc 12" % path)
        self.stamp = self.bytes[8:12]  # of the compilation
        self.at = 16  # behind magic, version, stamp and checksum

    def number(self):
        self.at += 4
        return struct.unpack_from("<I", self.bytes, self.at - 4)[0]

    def text(self):
        n = self.number()
        self.at += n
        return self.bytes[self.at - n:self.at - 1].decode() if n else ""

    def records(self):
        """(tag, length in bytes); the next one begins where this one ends, wherever its reader stopped."""
        while self.at + 8 <= len(self.bytes):
            tag, length = self.number(), self.number()
            end = self.at + (length if length < 1 << 31 else 0)
            yield tag, length
            self.at = end


class Graph:
    """A function: its blocks, the lines of each, and the arcs between them with their counts."""

    def __init__(self, words):
        self.ident = words.number()
        words.number(), words.number()
        self.name = words.text()
        self.is_made = words.number() != 0  # by the compiler
        self.file = words.text()
        self.line = words.number()
        self.arcs = []  # [from, to, flags, count or None]
        self.n_blocks = 0
        self.lines = collections.defaultdict(list)

    def take_arcs(self, words, length):
        source = words.number()
        self.arcs += [[source, words.number(), words.number(), None] for _ in range((length - 4) // 8)]

    def take_lines(self, words):
        block, file = words.number(), self.file
        while True:
            line = words.number()
            if line:
                if file == self.file:
                    self.lines[block].append(line)
                continue
            file = words.text()
            if not file:
                return

    def line_of(self, block, end):
        """0: where the block begins; -1: where it ends, with its condition. None for one that stands on no line."""
        return self.lines[block][end] if self.lines.get(block) else None

    def shape(self):
        return self.file, self.name, self.line, tuple((a, b, flags) for a, b, flags, _ in self.arcs)

    def count(self, counters):
        """What flows into a block flows out of it: the arcs without a counter follow."""
        given = iter(counters or ())
        for arc in self.arcs:
            if not arc[2] & ON_TREE:
                arc[3] = next(given, 0)
        into, out = collections.defaultdict(list), collections.defaultdict(list)
        for arc in self.arcs:
            out[arc[0]].append(arc)
            into[arc[1]].append(arc)
        self.blocks = {ENTRY: None, EXIT: None}
        changed = True
        while changed:
            changed = False
            for block in range(self.n_blocks):
                for side in (into[block], out[block]):
                    unknown = [arc for arc in side if arc[3] is None]
                    if side and not unknown and self.blocks.get(block) is None:
                        self.blocks[block] = sum(arc[3] for arc in side)
                        changed = True
                    elif len(unknown) == 1 and self.blocks.get(block) is not None:
                        unknown[0][3] = self.blocks[block] - sum(arc[3] for arc in side if arc is not unknown[0])
                        changed = True


def read_graphs(words):
    graphs = []
    words.text(), words.number()  # the folder of the compiler; whether blocks that did not run are told
    for tag, length in words.records():
        if tag == FUNCTION:
            graphs.append(Graph(words))
        elif tag == BLOCKS:
            graphs[-1].n_blocks = words.number()
        elif tag == ARCS:
            graphs[-1].take_arcs(words, length)
        elif tag == LINES:
            graphs[-1].take_lines(words)
    return graphs


def read_counters(path, stamp):
    """ident of a function -> its counters. Those of another compilation say nothing of this one."""
    if not os.path.exists(path):
        return {}
    words, found, ident = Words(path), {}, None
    if words.stamp != stamp:
        return {}
    for tag, length in words.records():
        if tag == FUNCTION and length:
            ident = words.number()
        elif tag == COUNTERS and length < 1 << 31:
            found[ident] = struct.unpack_from("<%dQ" % (length // 8), words.bytes, words.at)
    return found


def read_build(build):
    """Graphs of src/ with their counts; those of one shape are one."""
    found = {}
    for path in sorted(glob.glob(build + "/*.gcno") + glob.glob(build + "/*/*.gcno")):
        words = Words(path)
        counters = read_counters(path[:-4] + "gcda", words.stamp)
        for graph in read_graphs(words):
            if not graph.file.startswith("src/") or graph.is_made:
                continue
            graph.count(counters.get(graph.ident))
            same = found.setdefault(graph.shape(), graph)
            if same is not graph:
                for mine, other in zip(same.arcs, graph.arcs):
                    mine[3] += other[3]
                for block, n in graph.blocks.items():
                    same.blocks[block] += n
    return list(found.values())


class Source:
    """The texts of src/, and where the statement of a line begins."""

    def __init__(self):
        self.files = {}

    def line(self, file, number):
        if file not in self.files:
            with open(os.path.join(ROOT, file), encoding="utf-8") as opened:
                self.files[file] = opened.read().split("\n")
        return self.files[file][number - 1].strip()

    def statement(self, file, number):
        """A line goes on where the one before it ends with what asks for more."""
        while number > 1 and re.search(r"(&&|\|\||[?:(,=+*-])$", self.line(file, number - 1)) and \
                not re.match(r"(case\b.*|default):$|[*/]", self.line(file, number - 1)):
            number -= 1
        return number


Way = collections.namedtuple("Way", "file line function text leads_to")


def open_ways(graph, source):
    """Of a function: the ways that none took though their condition was reached."""
    if not graph.blocks[ENTRY]:
        return [Way(graph.file, graph.line, graph.name, source.line(graph.file, graph.line), "never called")]
    ways = {}
    for a, b, n in branches_of(graph):
        line = graph.line_of(a, -1)
        if line:
            way = ways.setdefault((source.statement(graph.file, line), b), [0, 0])
            way[0] += n
            way[1] += graph.blocks[a]
    found = []
    for (line, b), (taken, reached) in ways.items():
        if reached and not taken:
            to = graph.line_of(b, 0)
            found.append(Way(graph.file, line, graph.name, source.line(graph.file, line), source.line(graph.file, to) if to else ""))
    return sorted(found)


def branches_of(graph):
    """The arms of conditions: (from, to, count)."""
    out = collections.Counter(arc[0] for arc in graph.arcs if not arc[2] & FAKE)
    return [(a, b, n or 0) for a, b, flags, n in graph.arcs if out[a] > 1 and a != ENTRY and not flags & FAKE]


def lines_of(graphs):
    """(file, line) -> how often some block of it ran, at most."""
    ran = {}
    for graph in graphs:
        for block, lines in graph.lines.items():
            for line in lines:
                ran[graph.file, line] = max(ran.get((graph.file, line), 0), graph.blocks.get(block) or 0)
    return ran


# ---------------------------------------------------------------- what is told

Row = collections.namedtuple("Row", "number file function piece reason")


def read_rows(path):
    rows = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#") or not line.strip():
                continue
            cells = line.rstrip("\n").split("\t")
            if len(cells) != 4 or not cells[3]:
                raise SystemExit("%s:%d: file, function, piece of the line and reason, with a tab between them" % (path, number))
            rows.append(Row(number, *cells))
    return rows


def explains(row, way):
    text = " => " + way.leads_to if row.piece.startswith("=> ") else way.text
    return (row.file == "*" or "src/" + row.file == way.file) and row.function in ("*", way.function) and row.piece in text


def check_rows(rows, ways):
    """Ways that no row explains, and rows that explain none."""
    used, bare = set(), []
    for way in ways:
        fits = [row for row in rows if explains(row, way)]
        used.update(row.number for row in fits)
        if not fits:
            bare.append(way)
    return bare, [row for row in rows if row.number not in used]


def folder_of(file):
    parts = file.split("/")
    return parts[1] if len(parts) > 2 else "src"


def print_table(graphs, ways):
    ran = lines_of(graphs)
    files, lines, reached, arms, taken, open_in = (collections.defaultdict(kind) for kind in (set, int, int, int, int, int))
    for (file, _), n in ran.items():
        for name in (folder_of(file), "all"):
            files[name].add(file)
            lines[name] += 1
            reached[name] += n > 0
    for graph in graphs:
        for _, _, n in branches_of(graph):
            for name in (folder_of(graph.file), "all"):
                arms[name] += 1
                taken[name] += n > 0
    for way in ways:
        for name in (folder_of(way.file), "all"):
            open_in[name] += 1
    print("%-8s %6s %8s %8s %9s %10s" % ("folder", "files", "lines", "reached", "branches", "open ways"))
    for name in sorted(files, key=lambda name: (name == "all", name)):
        print("%-8s %6d %8d %7.1f%% %8.1f%% %10d" % (name, len(files[name]), lines[name], 100 * reached[name] / lines[name],
                                                   100 * taken[name] / max(arms[name], 1), open_in[name]))
    return 100 * reached["all"] / lines["all"]


def print_ways(ways):
    for way in sorted(ways):
        print("%s:%d: %s: %s\n        never to: %s" % (way.file, way.line, way.function, way.text, way.leads_to or "what follows"))


def print_some(graphs, ways, source, names):
    wanted = tuple(name.rstrip("/") for name in names)
    for (file, line), n in sorted(lines_of(graphs).items()):
        if not n and file.startswith(wanted):
            print("%s:%d: not reached: %s" % (file, line, source.line(file, line)))
    print_ways([way for way in ways if way.file.startswith(wanted)])


def main(build, names):
    graphs, source = read_build(build), Source()
    if not graphs:
        raise SystemExit("coverage.py: %s was not built for coverage: make coverage" % build)
    ways = [way for graph in graphs for way in open_ways(graph, source)]
    if names:
        print_some(graphs, ways, source, names)
        return 0
    share = print_table(graphs, ways)
    asked = [way for way in ways if EXPLAINED.match(way.file)]
    rows = read_rows(ROWS)
    bare, idle = check_rows(rows, asked)
    print_ways(bare)
    for row in idle:
        print("tests/uncovered.tsv:%d: explains nothing any more: %s %s '%s'" % (row.number, row.file, row.function, row.piece))
    print("%.1f %% of lines reached, %.1f asked; in readers, time, numbers and rules %d ways are open, %d of them not explained; %d of %d "
          "rows explain nothing" % (share, LINES_LEAST, len(asked), len(bare), len(idle), len(rows)))
    return int(share < LINES_LEAST or bool(bare) or bool(idle))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
