#!/usr/bin/env python3
"""thresholds.py - a threshold that asks for less takes no fired time away, and one that asks for more gives none.

    tests/thresholds.py PROGRAM RULES RUN…                  each param of each rule in the folder RULES, on each run
    tests/thresholds.py PROGRAM RULES RUN… --selftest       would it be seen if a param went the other way?

Which way a param goes is read off its rule's condition: to the right of >= a lower number asks for less, to the right of < a higher one,
and behind `not` all is turned round. Then --set moves it, either way, and of each rule the findings' windows and the entities that fired
must be those of before, and more, or fewer. What is no threshold, or stands on both sides, is named in NO_THRESHOLD with a reason: a param
that is neither that nor moves one way is a mistake of this table, and so is a row of it that could be asked.

Asked are rules by themselves: copies of them without what they say of each other (BETWEEN_RULES). So that a report can move a param of
each rule at once. The last line is "N passed, N failed".
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import namedtuple
from itertools import zip_longest

import yaml

BETWEEN_RULES = {
    "excluded_by": "a rule that asks for less can exclude another one where it fires now",
    "unknown_while": "as excluded_by: nothing is known of the moments in which the other rule fires",
    "explains": "a finding that is folded under another one has no windows of its own in a report",
    "explains_on_others": "as explains",
    "joins": "as explains: two findings become one",
    "follows": "as explains",
    "explains_if": "as explains",
    "doubt_if": "how sure a finding is, not whether it is one",
    "leads_to": "as explains",
    "cost": "as explains: of two rules that charge the same time one is folded under the other",
    "cost_least": "as cost",
    "cost_by": "as cost: it says in words what that counts",
}

# reason: params of which nothing is asked
NO_THRESHOLD = {
    "it is how far a window or a look back reaches, which moves what is measured there either way": [
        "gpu-ecc.look", "gpu-hang.calm", "gpu-hang.long", "gpu-hang.long_reach", "gpu-hang.reach", "gpu-hang.window", "gpu-idle-allocated.long",
        "gpu-idle-allocated.reach", "gpu-imbalance.long",
        "gpu-imbalance.moment", "gpu-imbalance.reach", "gpu-imbalance.window", "gpu-lock-step.window", "gpu-out-of-memory.release",
        "gpu-spin-wait.window", "gpu-straggler.window", "gpu-uneven-power.window", "host-out-of-memory.dies",
        "host-out-of-memory.look"],
    "it is a least time, and the window in which it is looked for": ["gpu-memory-near-full.least"],
    "it chooses among texts or causes, and when the rule fires does not depend on it": [
        "cpu-saturated.mostly", "gpu-clock-loss.less", "gpu-clock-setting.below", "gpu-hot.keeps", "gpu-idle-allocated.in_turn", "gpu-idle-allocated.mostly",
        "gpu-idle-allocated.much",
        "gpu-idle-allocated.turns", "gpu-idle-allocated.work", "gpu-low-use.room",
        "gpu-low-use.skewed", "gpu-low-use.sleeps", "gpu-low-use.spare", "gpu-pcie-degraded.slack", "gpu-power-headroom.slow", "gpu-power-limit-lowered.less", "gpu-starved-by-cpu.kernel", "gpu-starved-by-cpu.well",
        "gpu-starved-by-io.nothing", "gpu-starved-by-io.spare", "gpu-starved-by-one-core.little", "gpu-starved-by-one-core.often",
        "gpu-starved-by-one-core.spare", "periodic-dips.least_writes", "periodic-dips.more_blocked", "periodic-dips.more_core", "periodic-dips.more_cpu", "periodic-dips.more_power",
        "periodic-dips.more_writes", "periodic-dips.part", "periodic-dips.working"],
    "it tells a release of memory that is a death from one that did no harm, and the rule asks for the one and how often the other came": [
        "gpu-out-of-memory.left"],
    "it is what counts as standing still and as all that is held, and who often stands still so and goes on is no hang": [
        "gpu-hang.held", "gpu-hang.none"],
    "of more rows that count as idle three in a row are more likely so by chance": ["gpu-idle-allocated.low"],
    "it tells a few full cores from one for each GPU, and more than none and no more than those is asked for": [
        "gpu-starved-by-few-cores.fed", "gpu-starved-by-one-core.fed", "gpu-starved-by-one-core.full"],
    "how often a line is crossed grows and falls with where it lies": ["gpu-fluctuating.half", "gpu-fluctuating.low"],
    "of more work a smaller share is odd, and it is asked for such a share": ["gpu-memory-bandwidth-bound.busy", "gpu-power-headroom.busy"],
    "it tells a GPU that is held down from one that waits, and one of each is asked for": [
        "gpu-lock-step.flagged", "gpu-spin-wait.flagged", "gpu-straggler.flagged"],
    "below it a GPU has pauses, and works; from it on others wait": ["gpu-spin-wait.busy", "gpu-straggler.busy"],
    "it is what tells a clock of one's own that fell from that of the GPU that is waited for": ["gpu-lock-step.keeps"],
    "it is what counts as busy now, and what the usual power is of": ["gpu-lock-step.near"],
    "it is what counts as work before the kill, and as an end of the idle time behind it": ["host-out-of-memory.idle"],
    "nobody waits for a GPU that is less busy, and one that is less busy is no sign that others do not wait": ["gpu-spin-wait.some"],
    "it is what counts as full before the release, and what memory must have climbed from": ["gpu-out-of-memory.full"],
}

FACTORS = (0.5, 2.0)


# ---------------------------------------------------------------- which way a param goes

TOKEN = re.compile(r"\s*(?:(\d[\d.]*(?: ?%| (?!(?:and|or|of|not|has)\b)[A-Za-z]+(?:/[a-z]+)?)?)|([A-Za-z_][\w.]*)|(>=|<=|==|!=|[-+*/(),<>]))")
GROWING = {"mean", "min", "max", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "earlier", "total", "sum", "share", "count", "any", "all"}


def flipped(ways):
    return {way and -way for way in ways}


class Ways:
    """For each param of a rule the ways in which its condition grows with it: 1, -1, or None where it goes no one way.

    Metrics and what is reckoned of them are taken for no less than 0, as nearly all are: a product grows with both sides.
    """

    def __init__(self, rule):
        self.params = rule.get("params", {})
        self.lets = rule.get("let", {})
        self.tokens, self.at = [], 0
        self.found = self.joined(self.of_text(rule["when"]), self.turned(self.of_text(rule["clear"])) if "clear" in rule else {})

    def of_text(self, text):
        kept = self.tokens, self.at
        text = text.strip()
        self.tokens, self.at, place = [], 0, 0
        while place < len(text):
            found = TOKEN.match(text, place)
            self.tokens.append(next(word for word in found.groups() if word))
            place = found.end()
        ways = self.either()
        if self.at != len(self.tokens):
            raise ValueError("%s: not read behind %s" % (text, self.tokens[:self.at]))
        self.tokens, self.at = kept
        return ways

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, *words):
        if self.peek() in words:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    @staticmethod
    def joined(*parts):
        out = {}
        for part in parts:
            for name, ways in part.items():
                out.setdefault(name, set()).update(ways)
        return out

    @staticmethod
    def turned(part):
        return {name: flipped(ways) for name, ways in part.items()}

    def either(self):
        ways = self.both()
        while self.take("or"):
            ways = self.joined(ways, self.both())
        return ways

    def both(self):
        ways = self.negated()
        while self.take("and"):
            ways = self.joined(ways, self.negated())
        return ways

    def negated(self):
        return self.turned(self.negated()) if self.take("not") else self.compared()

    def compared(self):
        left = self.added()
        sign = self.take(">=", ">", "<=", "<", "==", "!=", "has")
        if not sign:
            return left
        right = self.added()
        if sign in (">=", ">"):
            return self.joined(left, self.turned(right))
        if sign in ("<=", "<"):
            return self.joined(self.turned(left), right)
        return {name: {None} for name in self.joined(left, right)}

    def added(self):
        ways = self.multiplied()
        while sign := self.take("+", "-"):
            other = self.multiplied()
            ways = self.joined(ways, other if sign == "+" else self.turned(other))
        return ways

    def multiplied(self):
        ways = self.named()
        while sign := self.take("*", "/"):
            other = self.named()
            ways = self.joined(ways, other if sign == "*" else self.turned(other))
        return ways

    def named(self):
        if self.take("-"):
            return self.turned(self.named())
        word = self.tokens[self.at]
        self.at += 1
        if word == "(":
            ways = self.either()
            self.at += 1
            return ways
        if self.take("of"):
            self.at += 1  # the set
        if self.take("("):
            return self.folded(word)
        if word in self.params:
            return {word: {1}}
        return self.of_text(self.lets[word]) if word in self.lets else {}

    def folded(self, fold):
        inside = self.either()
        if fold not in GROWING:
            inside = {name: {None} for name in inside}
        where = self.added() if self.take(",") else {}
        self.at += 1
        return self.joined(inside, {name: {None} for name in where})

    def way(self, param):
        """1: more of it asks for less, -1: less of it does; None: neither."""
        ways = self.found.get(param, {None})
        return next(iter(ways)) if len(ways) == 1 else None


# ---------------------------------------------------------------- what is found on a run

def settings(value):
    """The values below and above that are asked; as they were written, in the same unit."""
    number, unit = re.match(r"([\d.]+)(.*)", str(value)).groups()
    for factor in FACTORS:
        moved = float(number) * factor if float(number) else factor - 1
        if unit.strip() == "%" and float(number) <= 100:
            moved = min(moved, 100.0)
        if moved >= 0:
            yield factor > 1, "%.6g%s" % (moved, unit)


def report(program, folder, run, options):
    command = [program, "report", run, "--format", "json", "--no-user-rules", "--rules", folder, *options]
    done = subprocess.run(command, capture_output=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, check=False)
    if done.returncode:
        raise RuntimeError("%s: exit status %d: %s" % (" ".join(command), done.returncode, done.stderr.decode()[-300:]))
    return json.loads(done.stdout)


def joined(windows):
    """Of several findings: those that overlap or touch are one."""
    out = []
    for begin, end in sorted(windows):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((begin, end))
    return out


def fired(said):
    """By rule: its windows, and the entities on which it fired."""
    windows, entities = {}, {}
    for judged in said["judgements"]:
        entities.setdefault(judged["rule"], set()).update([judged["entity"]] if judged["outcome"] == "fired" else [])
    for finding in said["findings"]:
        windows.setdefault(finding["rule"], []).extend((window["begin"], window["end"]) for window in finding["windows"])
    folded = sorted(rule for rule, some in entities.items() if some and rule not in windows)
    if folded:
        raise RuntimeError("no finding tells when these fired: %s" % ", ".join(folded))
    return {rule: (joined(windows.get(rule, [])), some) for rule, some in entities.items()}


def taken_away(less, more):
    """What is of `less` and not of `more`."""
    yield from sorted(less[1] - more[1])
    for begin, end in less[0]:
        if not any(other[0] <= begin and end <= other[1] for other in more[0]):
            yield "%s to %s" % (begin, end)


# ---------------------------------------------------------------- asking

Question = namedtuple("Question", "rule param option more_fires")


def without_others(text):
    """Nor the params that those keys alone ask for."""
    text = re.sub(r"^(%s): .*\n" % "|".join(BETWEEN_RULES), "", text, flags=re.M)
    for param in re.findall(r"^  (\w+):\n    value:", text, flags=re.M):
        if len(re.findall(r"\b%s\b" % param, re.sub(r"^    reason: .*\n", "", text, flags=re.M))) == 1:
            text = re.sub(r"^  %s:\n    value: .*\n    reason: .*\n" % param, "", text, flags=re.M)
    return text


def questions_of(rule):
    """Of each threshold what --set moves it to, and whether the rule asks for less then."""
    ways = Ways(rule)
    for name, param in ways.params.items():
        way = ways.way(name)
        for is_higher, value in settings(param["value"]) if way else ():
            yield Question(rule["id"], name, "%s.%s=%s" % (rule["id"], name, value), is_higher == (way > 0))


def wrong_names(rules):
    """NO_THRESHOLD names what can't be asked, and nothing else."""
    named = {name for names in NO_THRESHOLD.values() for name in names}
    can_not = {"%s.%s" % (rule["id"], name) for rule in rules for name in rule.get("params", {}) if not Ways(rule).way(name)}
    yield from ("%s moves no one way, and NO_THRESHOLD does not say why" % name for name in sorted(can_not - named))
    yield from ("%s stands in NO_THRESHOLD, and could be asked" % name for name in sorted(named - can_not))


def copied(path, folder):
    """The rule, as it stands in the folder now: by itself."""
    with open(path, encoding="utf-8") as file:
        text = without_others(file.read())
    with open(os.path.join(folder, os.path.basename(path)), "w", encoding="utf-8") as file:
        file.write(text)
    rule = {"id": os.path.basename(path)[:-len(".yaml")], **yaml.safe_load(text)}
    if BETWEEN_RULES.keys() & rule.keys():
        raise RuntimeError("%s has a key of other rules on several lines" % path)
    return rule


class Asking:
    """Counts of what was asked on all runs."""

    def __init__(self, program, folder, spoil):
        self.program, self.folder, self.spoil = program, folder, spoil
        self.passed, self.wrong, self.moved = 0, [], set()

    def judge(self, run, question, before, now):
        lost = list(taken_away(before, now) if question.more_fires != self.spoil else taken_away(now, before))
        if before != now:
            self.moved.add((question.rule, question.param))
        if self.spoil and before != now:
            lost = [] if lost else ["not seen"]
        self.passed += not lost
        self.wrong += ["%s, %s, %s: %s" % (run, question.option, "fires no more" if question.more_fires else "fires now", text) for text in lost]

    def ask(self, run, rounds):
        """A round has one question of each rule."""
        base = fired(report(self.program, self.folder, run, []))
        for questions in rounds:
            after = fired(report(self.program, self.folder, run, [word for question in questions for word in ("--set", question.option)]))
            for question in questions:
                self.judge(run, question, base[question.rule], after[question.rule])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.realpath)
    parser.add_argument("rules")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--selftest", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rules = [copied(path, folder) for path in sorted(glob.glob(os.path.join(arguments.rules, "*.yaml")))]
        asked = [list(questions_of(rule)) for rule in rules]
        rounds = [list(filter(None, some)) for some in zip_longest(*asked)]
        asking = Asking(arguments.program, folder, arguments.selftest)
        asking.wrong += wrong_names(rules)
        for run in arguments.runs:
            asking.ask(run, rounds)
    for text in asking.wrong:
        print("FAILED " + text)
    print("%d of %d thresholds move something on these runs" % (len(asking.moved), len({q[:2] for some in asked for q in some})))
    print("%d passed, %d failed" % (asking.passed, len(asking.wrong)))
    return 1 if asking.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
