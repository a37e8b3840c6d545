#!/usr/bin/env python3
"""hostile_rules.py - rule files that somebody damaged or made to do harm: each is refused with its place, or can do nothing.

    tests/hostile_rules.py build/postrun

CASES is the table: a file, how `postrun rules check` ends with it (4 refused, 0 taken) and the first error that it tells. Refused
files are small bombs, texts over a limit, what YAML can do and our part of it can't, and numbers that are none; those that are taken hold
texts that would do something in an output that let them, and reports by them are looked at as those of hostile logs are. The last
line is "N passed, N failed".
"""
import os
import subprocess
import sys
import tempfile

from hostile import check_file, check_text, files_below

LONGEST_S = 20
MOST_LINES = 400 # 100 complaints of a file, each with its line, a caret and the count
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
KEYS = {"short": "s", "checked": "c", "severity": "note", "scope": "gpu", "when": "gpu.util < 5 %", "sources": "[s]", "title": "t",
        "what": "w", "why": "y", "try": "[do]", "refute": "r", "card": "c"}


def rule(first="", **keys):
    """A right rule with other keys, and lines before it."""
    return first + "".join(f"{key}: {value}\n" for key, value in {**KEYS, **keys}.items())


def low(value):
    return rule(f"params:\n  low: {{value: {value}, reason: r}}\n", when="gpu.util < low")


def json_rule():
    return "{" + ", ".join(f'"{key}": ' + (value if value[0] == "[" else f'"{value}"') for key, value in KEYS.items()) + "}\n"


QUOTED = "a text that begins with '%s' must be in quotes"
ANCHOR = "error: yaml-syntax: anchors are not allowed; " + QUOTED % "&"
ALIAS = "error: yaml-syntax: aliases are not allowed; " + QUOTED % "*"
TAG = "error: yaml-syntax: tags are not allowed; " + QUOTED % "!"
DEEP = "error: limit: lists and maps nested more than 32 deep"
LONG = "error: limit: a text of more than 4096 bytes"
NESTED = "error: bad-expression: nested more than 64 deep; split the rule"
CONTROL = "error: yaml-syntax: a text with an escaped control character"
NO_QUANTITY = "error: bad-value: '%s' is not a quantity such as '30 s' or '80 %%'"

# name, file, the first error ("PLACE: error: …"); None: it is taken
CASES = [
    ("alias bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n" + rule(), ":1:4: " + ANCHOR),
    ("alias of itself", rule(sources="&s [*s]"), ":6:10: " + ANCHOR),
    ("alias of nothing", rule(title="*nobody"), ":7:8: " + ALIAS),
    ("anchor twice", rule(title="&x t", what="&x w"), ":7:8: " + ANCHOR),
    ("merge key", rule("params:\n  <<: {low: {value: 1 %, reason: r}}\n"), ":2:3: error: yaml-syntax: merge keys are not allowed"),
    ("lists in lists", rule("params: " + "[" * 5000 + "]" * 5000 + "\n"), ":1:40: " + DEEP),
    ("lists never closed", rule("params: " + "[" * 60000 + "\n"), ":1:40: " + DEEP),
    ("maps in maps", rule("params:\n" + "".join(" " * i + "a:\n" for i in range(1, 200))), ":33:33: " + DEEP),
    ("a key twice", rule("for: 5 s\nfor: 6 s\n"), ":2:1: error: duplicate: 'for' is given twice; first at line 1, column 1"),
    ("a tag that calls", rule(title="!!python/object/apply:os.system [id]"), ":7:8: " + TAG),
    ("a tag of bytes", rule(title="!!binary aGk="), ":7:8: " + TAG),
    ("NUL", rule(title="a\0b"), ":7:9: error: yaml-syntax: a NUL byte"),
    ("NUL escaped", rule(title='"a\\0b"'), ":7:9: " + CONTROL),
    ("ESC", rule(title="a\x1b[31mb"), ":7:9: error: yaml-syntax: a control character"),
    ("ESC escaped", rule(title='"a\\e[31mb"'), ":7:9: " + CONTROL),
    ("a bell in a remark", rule("# \x07\n"), ":1:3: error: yaml-syntax: a control character"),
    ("C1 escaped", rule(title='"a\\x9bb"'), ":7:9: " + CONTROL),
    ("a line separator escaped", rule(title='"a\\u2028b"'), ":7:9: " + CONTROL),
    ("no UTF-8", rule(title="caf\udce9"), ":7:11: error: yaml-syntax: this is not UTF-8"),
    ("a surrogate", rule(title='"\\ud800"'), ":7:11: error: yaml-syntax: found invalid Unicode character escape code"),
    ("UTF-16", rule().encode("utf-16"), ":1:1: error: yaml-syntax: this is not UTF-8"),
    ("a long text", rule(what="w" * 200000), ":8:7: " + LONG),
    ("a large file", rule("# " + "x" * 1100000 + "\n"), ": error: limit: over 1024 KiB"),
    ("many params", rule("params:\n" + "".join(f"  p{i}: {{value: 1 %, reason: r}}\n" for i in range(3000))),
     ":258:9: error: limit: more than 256 entries in one list or map"),
    ("parentheses", rule(when="(" * 1900 + "gpu.util < 5 %" + ")" * 1900), ":5:71: " + NESTED),
    ("5000 parentheses", rule(when="(" * 5000 + "gpu.util < 5 %" + ")" * 5000), ":5:7: " + LONG),
    ("not not not", rule(when="not " * 900 + "gpu.util < 5 %"), ":5:267: " + NESTED),
    ("signs", rule(when="gpu.util < " + "- " * 1500 + "5 %"), ":5:146: " + NESTED),
    ("100 kB of a condition", rule(when=" or ".join(["gpu.util < 5 %"] * 6000)), ":5:7: " + LONG),
    ("many ors", rule(when=" or ".join(["gpu.util < 5 %"] * 200)), ":5:7: error: limit: more than 64 levels; split the rule"),
    ("value .nan", low(".nan"), ":2:16: " + NO_QUANTITY % ".nan"),
    ("value nan", low("nan"), ":2:16: " + NO_QUANTITY % "nan"),
    ("value .inf", low(".inf"), ":2:16: " + NO_QUANTITY % ".inf"),
    ("value inf", low("inf"), ":2:16: " + NO_QUANTITY % "inf"),
    ("value 1e999", low("1e999"), ":2:17: error: unknown-name: unknown unit 'e999'"),
    ("value 0x10", low("0x10 %"), ":2:16: " + NO_QUANTITY % "0x10 %"),
    ("value 1,5", low("'1,5 %'"), ":2:17: " + NO_QUANTITY % "1,5 %"),
    ("value 5_000", low("5_000 %"), ":2:16: " + NO_QUANTITY % "5_000 %"),
    ("value of 20 digits", low("99999999999999999999 %"), ":2:16: error: bad-value: '99999999999999999999 %' is too large"),
    ("value of nothing", low("''"), ":2:16: error: bad-value: 'value' is empty"),
    ("value ~", low("~"), ":2:16: " + NO_QUANTITY % "~"),
    ("value 1:30", low("1:30"), ":2:16: " + NO_QUANTITY % "1:30"),
    ("value in Arabic digits", low("\u0665 %"), ":2:16: " + NO_QUANTITY % "\u0665 %"),
    ("value without unit", low("5"), ":7:18: error: bad-dimension: 'low' has no unit, 'gpu.util' is a share; give it one, such as '%'"),
    ("value of a time", low("5 s"), ":7:16: error: bad-dimension: '<' compares a share with a time"),
    ("value 010 is ten", low("010 %"), None),
    ("below nan", rule(when="gpu.util < nan %"), ":5:18: error: unknown-name: unknown name 'nan'; 'postrun metrics' lists them"),
    ("below inf", rule(when="gpu.util < inf %"), ":5:18: error: unknown-name: unknown name 'inf'; 'postrun metrics' lists them"),
    ("below 1e999", rule(when="gpu.util < 1e999 %"), ":5:19: error: unknown-name: unknown unit 'e999'"),
    ("below 0x10", rule(when="gpu.util < 0x10 %"), ":5:19: error: unknown-name: unknown unit 'x10'"),
    ("below 1,5", rule(when="gpu.util < 1,5 %"), ":5:18: error: bad-dimension: '1' has no unit, 'gpu.util' is a share; write '1 %'"),
    ("below 5_000", rule(when="gpu.util < 5_000 %"), ":5:19: error: unknown-name: unknown unit '_000'"),
    ("below 20 digits", rule(when="gpu.util < 99999999999999999999 %"),
     ":5:18: error: bad-value: '99999999999999999999 %' is too large"),
    ("by zero", rule(when="gpu.util < 5 / 0 %"), ":5:22: error: bad-value: division by zero"),
    ("below nothing", rule(when="gpu.util <"), ":5:17: error: bad-expression: a value is missing at the end"),
    ("for 0 s", rule("for: 0s\n"), None),
    ("for 1.5 h", rule("for: 1.5h\n"), None),
    ("for -60 s", rule("for: -60s\n"), ":1:6: error: bad-value: 'for' must be between 0 s and 366 days, the limit 'duration'"),
    ("for 2^63 s", rule("for: 9223372036854775808s\n"), ":1:6: error: bad-value: '9223372036854775808s' is too large"),
    ("for 1e6 s", rule("for: 1e6s\n"), ":1:7: error: unknown-name: unknown unit 'e6s'"),
    ("for 60", rule("for: 60\n"), ":1:6: error: bad-value: 'for' must be a time such as '10 s', this is a plain number"),
    ("for 10 years", rule("for: 10y\n"), ":1:8: error: unknown-name: unknown unit 'y'"),
    ("for ever", rule("for: \u221e\n"), ":1:6: " + NO_QUANTITY % "\u221e"),
    ("for nan", rule("for: nan\n"), ":1:6: " + NO_QUANTITY % "nan"),
    ("for nothing", rule("for: ''\n"), ":1:6: error: bad-value: 'for' is empty"),
    ("a slip", rule("severty: note\n"), ":1:1: error: unknown-key: unknown key 'severty'; did you mean 'severity'?"),
    ("an include", rule("include: /etc/passwd\n"), ":1:1: error: unknown-key: unknown key 'include'"),
    ("a regex", rule(when='gpu.util =~ "(a+)+$"'), ":5:16: error: bad-expression: '=' is not an operator; write '=='"),
    ("a list as a key", rule("? [a, b]\n: 1\n"), ":1:3: error: yaml-syntax: a key must be a word"),
    ("null", rule(title=""), ":7:7: error: bad-value: 'title' is empty"),
    ("Norway", rule(severity="no"), ":3:11: error: bad-value: 'no' is no severity; there are critical, warning and note"),
    ("two documents", rule() + "---\n" + rule(), ":13:1: error: yaml-syntax: a second document; one file holds one"),
    ("nothing", "", ": error: yaml-syntax: the file holds nothing"),
    ("a remark alone", "# nothing\n", ": error: yaml-syntax: the file holds nothing"),
    ("a list", "- a\n", ":1:1: error: bad-value: a rule is a map of keys, this is a list"),
    ("no such metric", rule(when="gpu.utl < 5 %"), ":5:7: error: unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?"),
    ("a placeholder of Jira", rule(title="'{panel}'"), ":7:10: error: bad-placeholder: unknown name 'panel' in rule text"),
    ("a right one", rule(), None),
    ("as JSON", json_rule(), None),
    ("with a byte order mark", "\ufeff" + rule(), None),
    ("with CR LF", rule().replace("\n", "\r\n"), None),
    ("a long remark", rule("# " + "x" * 900000 + "\n"), None),
]

# Texts that are taken, in each key that reaches an output.
TEXTS = ["a\u202eb", "a\u2066b\u2069", "a\u200bb", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\" onmouseover=\"alert(1)",
         "</script><b>", "`x` | [z](javascript:x)", "=HYPERLINK(1)", "%n%s%n", "{{7*7}}", "&amp;<!--", "@all #1 h1. *b*"]


def run(program, folder, *arguments):
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, timeout=LONGEST_S, check=False,
                          env={"LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent"})


def put(folder, name, text):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))


def first_error(said):
    return next((line for line in said.decode("utf-8", "replace").split("\n") if ": error: " in line), None)


def check_case(program, folder, text, error):
    """What differs from the table, and what must not be in any output."""
    put(folder, "hostile.yaml", text)
    done = run(program, folder, "rules", "check", "hostile.yaml")
    yield from check_text("what was said", done.stdout + done.stderr)
    if done.stdout.count(b"\n") > MOST_LINES:
        yield "%d lines" % done.stdout.count(b"\n")
    told, expected = first_error(done.stdout), "hostile.yaml" + error if error else None
    if told != expected:
        yield f"said is {told!r}, not {expected!r}"
    if done.returncode != (4 if error else 0):
        yield f"exit status {done.returncode}"


def check_refusal(program, folder):
    """A report by a wrong rule is not made."""
    put(folder, "hostile.yaml", rule(when="(" * 1900))
    done = run(program, folder, "report", os.path.join(ROOT, "samples/healthy"), "--rules", "hostile.yaml", "-o", "out")
    if done.returncode != 4 or done.stdout or os.path.exists(os.path.join(folder, "out")):
        yield f"exit status {done.returncode}, and the folder holds {os.listdir(folder)}"


def check_texts(program, folder, text):
    """All texts of a rule that fires are this one; nothing in its report is alive."""
    quoted = "'" + text.replace("'", "''") + "'"
    keys = {key: quoted for key in ("title", "short", "checked", "what", "why", "refute", "card")}
    put(folder, "hostile.yaml", rule(**{**keys, "when": "gpu.util >= 0 %", "sources": f"[{quoted}]", "try": f"[{quoted}]"}))
    done = run(program, folder, "report", os.path.join(ROOT, "samples/healthy"), "--rules", "hostile.yaml", "--all", "-o", "out")
    yield from check_text("what was said", done.stdout + done.stderr)
    if done.returncode:
        yield f"exit status {done.returncode}: {first_error(done.stderr)}"
    for name, content in files_below(os.path.join(folder, "out")).items():
        yield from check_file(name, content)
    if not done.returncode and b'"rule": "hostile"' not in run(program, folder, "report", os.path.join(ROOT, "samples/healthy"), "--rules",
                                                              "hostile.yaml", "--format", "json").stdout:
        yield "the rule is not in report.json"


def check_many(program, folder):
    """3,000 files: as many as the limit are read, and the first one beyond it is named."""
    os.mkdir(os.path.join(folder, "many"))
    for i in range(3000):
        put(folder, f"many/r{i:04}.yaml", rule())
    done = run(program, folder, "rules", "check", "many")
    told, expected = first_error(done.stdout), "many/r1000.yaml: error: limit: more than 1000 rule files; those from here on are not read"
    if done.returncode != 4 or told != expected:
        yield f"exit status {done.returncode}, said is {told!r}"


def main():
    program, failed, passed = os.path.abspath(sys.argv[1]), 0, 0
    checks = [(name, check_case, (text, error)) for name, text, error in CASES]
    checks += [(f"text {text!r}", check_texts, (text,)) for text in TEXTS]
    checks += [("a report by a wrong rule", check_refusal, ()), ("3000 files", check_many, ())]
    for name, check, arguments in checks:
        with tempfile.TemporaryDirectory(prefix="postrun-hostile-") as folder:
            try:
                complaints = list(check(program, folder, *arguments))
            except subprocess.TimeoutExpired:
                complaints = [f"over {LONGEST_S} s"]
        passed += not complaints
        failed += bool(complaints)
        for complaint in complaints:
            print(f"FAILED {name}: {complaint}")
    print(f"{passed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
