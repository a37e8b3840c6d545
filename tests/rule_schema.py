#!/usr/bin/env python3
"""rule_schema.py - rules against the JSON Schema that editors use (rules/rule.schema.json).

    tests/rule_schema.py

The shipped rules must satisfy it; so must a rule that uses every key, and each of the slips below must not. YAML is read as
postrun reads it: every scalar is a text.
"""

import copy
import glob
import json
import os
import sys

import jsonschema
import yaml

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

EVERY_KEY = """
id: a
severity: warning
scope: gpu
tags: [power, cooling]
short: s
named: n
verdict: n
checked: c
sources: [somewhere]
params:
  low: {value: 80 %, reason: because}
let:
  busy: mean(gpu.util, 10 s)
when: busy < low
clear: gpu.util > 90 %
for: 1.5 min
keep_for: 10 s
merge_gap: 5 s
max_gap: 0 s
during: [startup, steady]
min_coverage: 60 %
evidence:
  gpu_busy: mean(gpu.util, inside)
  waited: mean(gpu.util, inside) < 50 %
cost: 1 - gpu.util / ref(gpu.util)
cost_least: 0 %
cost_by: how idle it was
title: t
what: w
why: y
try: [do]
refute: r
card: c
explains: other
explains_on_others: [other, another]
joins: [other]
follows: [other]
leads_to: [other]
explains_if: waited
doubt_if: waited
excluded_by: [another, third]
unknown_while: [fourth]
rivals:
  - {rule: other, settle: look}
tests:
  - name: n
    given: {gpu.util: {0-2: 100 x 5 min, 3: 20..80 x 5 min}}
    step: 2 s
    start: 2026-03-29 00:30 +05:30
    phases: found
    seed: 4
    expect:
      - {on: gpu 3, outcome: fired, windows: [60 s to 180 s], cost: 0.4, cost_least: 10 %, evidence: {gpu_busy: 10 %}}
      - unknown
  - given: {gpu.util: 100 x 5 min}
    expect: clear
"""

#  key, or keys on the way down   a value that it can't have; None: the key is taken out
SLIPS = [
    (["severity"], "sevre"),
    (["severity"], None),
    (["scope"], "node"),
    (["when"], None),
    (["whne"], "gpu.util < 5 %"),
    (["short"], "a name of more than 28 characters"),
    (["sources"], []),
    (["sources"], "somewhere"),
    (["params", "low"], "80 %"),
    (["params", "low", "reason"], None),
    (["params", "low", "valeu"], "80 %"),
    (["params", "Low"], {"value": "1", "reason": "r"}),
    (["let", "busy"], ["gpu.util"]),
    (["for"], "10"),
    (["for"], "ten seconds"),
    (["keep_for"], "-5 s"),
    (["during"], "stedy"),
    (["during"], ["steady", "later"]),
    (["evidence", "gpu busy"], "gpu.util"),
    (["title"], {"Gpus": ""}),
    (["title"], ""),
    (["try"], "do"),
    (["explains"], "Other Rule"),
    (["explains_on_others"], "Other Rule"),
    (["joins"], 3),
    (["follows"], "Other Rule"),
    (["leads_to"], {"other": 1}),
    (["explains_if"], ["waited"]),
    (["doubt_if"], 3),
    (["named"], {"short": ""}),
    (["rivals"], [{"rule": "other"}]),
    (["tests"], []),
    (["tests"], [{"given": {"gpu.util": "1 x 1 s"}}]),
    (["tests"], [{"given": {"gpu.util": "1 x 1 s"}, "expect": "fried"}]),
    (["tests"], [{"given": {"gpu.util": "1 x 1 s"}, "expect": {"outcme": "fired"}}]),
]

passed = failed = 0


def check(name, good, why=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED {name}: {why}")


def read(text):
    return yaml.load(text, Loader=yaml.BaseLoader)


def slipped(keys, value):
    rule = copy.deepcopy(read(EVERY_KEY))
    inner = rule
    for key in keys[:-1]:
        inner = inner[key]
    if value is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    return rule


with open("rules/rule.schema.json", encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

rules = sorted(glob.glob("rules/*.yaml"))
check("there are rules", rules)
for path in rules:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    problem = jsonschema.exceptions.best_match(validator.iter_errors(read(text)))
    check(path, problem is None, problem)
    check(path, text.startswith("# yaml-language-server: $schema=rule.schema.json\n"), "its first line names no schema")

everything = read(EVERY_KEY)
problem = jsonschema.exceptions.best_match(validator.iter_errors(everything))
check("every key", problem is None, problem)
check("every key is tried", set(everything) == set(schema["properties"]), set(everything) ^ set(schema["properties"]))
for keys, value in SLIPS:
    check(f"{'.'.join(keys)}: {value}", not validator.is_valid(slipped(keys, value)), "an editor would not mark it")

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
