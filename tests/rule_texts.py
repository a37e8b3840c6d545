#!/usr/bin/env python3
"""rule_texts.py - the texts of the shipped rules as they will be read, in every combination of what may be known.

    tests/rule_texts.py            judges all of them
    tests/rule_texts.py RULE…      prints those of some rules, to be read aloud

A text has parts that stand only where something is known, "{#cpu}CPU busy {cpu}{/cpu}": nobody sees them all in one report. Here each
combination is written out, for one GPU and for several, and a sentence that can't be right is a complaint: a doubled word or blank,
a stop after a comma, no stop at the end, more words than one breath. The last line is "N passed, N failed".
"""

import glob
import itertools
import os
import re
import sys

import yaml

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

TAG = re.compile(r"\{([#^/])(\w+)\}")
SAID = {"gpus": ("the GPU", "GPUs 0-3"), "Gpus": ("The GPU", "GPUs 0-3"), "host": ("node01", "node01"),
        "held_up": ("the other 6 GPUs", "the other 6 GPUs")}
BREATH = 34  # words between two stops or colons; a number with its unit is one
SLIPS = (
    (re.compile(r"\b(?!N\b)(\w+) \1\b"), "a word twice"),
    (re.compile(r"  "), "two blanks"),
    (re.compile(r"[,;:]\.|[,;:] *$|,,|,;|;,|\(\)(?<!\w\(\))|\( "), "stops that don't fit"),
    (re.compile(r" [,;:]"), "a blank before a stop"),
)


def parts_of(text):
    """Texts, and (sign, name, parts) of sections."""
    stack = [[]]
    end = 0
    for tag in TAG.finditer(text):
        stack[-1].append(text[end:tag.start()])
        end = tag.end()
        if tag[1] == "/":
            stack.pop()
        else:
            stack[-1].append((tag[1], tag[2], []))
            stack.append(stack[-1][-1][2])
    stack[-1].append(text[end:])
    return stack[0]


def names_in(parts):
    for part in parts:
        if not isinstance(part, str):
            yield part[1]
            yield from names_in(part[2])


def written(parts, known):
    return "".join(part if isinstance(part, str) else written(part[2], known) if known[part[1]] == (part[0] == "#") else ""
                   for part in parts)


def readings(text):
    parts = parts_of(" ".join(text.split()))
    names = sorted(set(names_in(parts)))
    for values in itertools.product((False, True), repeat=len(names)):
        known = dict(zip(names, values))
        several = known.get("several", False)
        said = written(parts, known).strip()
        yield re.sub(r"\{(\w+)[^}]*\}", lambda name: SAID[name[1]][several] if name[1] in SAID else "N", said)


def complaints(key, said):
    for slip, words in SLIPS:
        if slip.search(said):
            yield words
    if key == "title" and said.endswith("."):
        yield "a title with a stop"
    if key != "title" and not re.search(r"[.!?]\)?$", said):
        yield "no stop at the end"
    if key != "card" and not re.match(r'["A-Z0-9]', said):
        yield "no capital at the begin"
    if any(len(sentence.split()) > BREATH for sentence in re.split(r"(?<=[.:;!?])\s+", said)):
        yield f"more than {BREATH} words without a stop"


def texts_of(rule):
    yield from ((key, rule[key]) for key in ("title", "what", "why", "refute", "card"))
    yield from (("try", advice) for advice in rule["try"])
    if "cost_by" in rule:
        yield "cost", f"4 GPU-min, 2 % of the run: each second counted by {rule['cost_by']}."


def main():
    failed = 0
    files = [f"rules/{name}.yaml" for name in sys.argv[1:]] or sorted(glob.glob("rules/*.yaml"))
    for path in files:
        with open(path, encoding="utf-8") as file:
            rule = yaml.load(file, Loader=yaml.BaseLoader)
        wrong = set()
        for key, text in texts_of(rule):
            for said in filter(None, readings(text)):
                wrong |= {f"{path}: {key}: {words}: {said}" for words in complaints(key, said)}
                if sys.argv[1:]:
                    print(f"{key:7} {said}")
        for line in sorted(wrong):
            print(line)
        failed += bool(wrong)
    print(f"{len(files) - failed} passed, {failed} failed")
    return 0 if not failed else 1


if __name__ == "__main__":
    sys.exit(main())
