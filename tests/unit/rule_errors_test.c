/*
 * rule_errors_test.c - wrong rule files, and word for word what their authors read.
 *
 * Each row is a file and everything that is said about it, in the order of the file. Below: what a
 * right file becomes, which of two files wins, and what the digest stands for.
 */
#include "complaints.h"
#include "rules.h"

#include "rule/expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>
#include <xxhash.h>

/* The right rest of a file, below the wrong part, so that rows are short and their lines begin at 1. */
#define KIND "severity: note\nscope: gpu\n"
#define HOST "severity: note\nscope: host\n"
#define WORDS "short: s\nchecked: c\nsources: [s]\n"
#define WHEN "when: gpu.util < 5 %\n"
#define TEXTS "title: t\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\n"
#define REST KIND WORDS TEXTS
#define ALL WHEN KIND WORDS TEXTS
#define ALL_BUT_TITLE WHEN KIND WORDS "what: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\n"

struct wrong {
	const char *text, *complaints;
};

/* What YAML, or our part of it, does not take. */
static const struct wrong not_yaml[] = {
	{ "",
	  "rules/a.yaml: error: yaml-syntax: the file holds nothing" },
	{ "# nothing\n",
	  "rules/a.yaml: error: yaml-syntax: the file holds nothing" },
	{ "title: \"never closed\n" ALL,
	  "rules/a.yaml:1:8: error: yaml-syntax: a quote that is never closed\n"
	  "    1 | title: \"never closed\n"
	  "      |        ^" },
	{ "title: \"waited\nshort: s\nsources: [\"abc\"]\n" REST,
	  "rules/a.yaml:1:8: error: yaml-syntax: the quote that is opened here is closed in line 3, and more follows there; is its own end "
	  "missing?\n"
	  "    1 | title: \"waited\n"
	  "      |        ^" },
	{ "title: {Gpus} waited\n" ALL,
	  "rules/a.yaml:1:15: error: yaml-syntax: a text that begins with '{' must be in quotes\n"
	  "    1 | title: {Gpus} waited\n"
	  "      |               ^" },
	{ "title: {Gpus waited\n" ALL,
	  "rules/a.yaml:1:8: error: yaml-syntax: a '{' that is not closed as a map; a text that begins with '{' must be in quotes\n"
	  "    1 | title: {Gpus waited\n"
	  "      |        ^" },
	{ "title: \"{Gpus}\" waited\n" ALL,
	  "rules/a.yaml:1:17: error: yaml-syntax: text behind the closing quote; put all of it in quotes\n"
	  "    1 | title: \"{Gpus}\" waited\n"
	  "      |                 ^" },
	{ "title: [Gpus] waited\n" ALL,
	  "rules/a.yaml:1:15: error: yaml-syntax: a text that begins with '[' must be in quotes\n"
	  "    1 | title: [Gpus] waited\n"
	  "      |               ^" },
	{ "when: > 10 %\n" REST,
	  "rules/a.yaml:1:7: error: yaml-syntax: a '>' or '|' here begins a block of lines; put the text in quotes\n"
	  "    1 | when: > 10 %\n"
	  "      |       ^" },
	{ "when: %x\n" REST,
	  "rules/a.yaml:1:7: error: yaml-syntax: a text that begins with '%' must be in quotes\n"
	  "    1 | when: %x\n"
	  "      |       ^" },
	{ "when: @x\n" REST,
	  "rules/a.yaml:1:7: error: yaml-syntax: a text that begins with '@' must be in quotes\n"
	  "    1 | when: @x\n"
	  "      |       ^" },
	{ "when: `x`\n" REST,
	  "rules/a.yaml:1:7: error: yaml-syntax: a text that begins with '`' must be in quotes\n"
	  "    1 | when: `x`\n"
	  "      |       ^" },
	{ "why: Lower the limit: use less\n" ALL,
	  "rules/a.yaml:1:21: error: yaml-syntax: a second ': ' in one line; put the text in quotes\n"
	  "    1 | why: Lower the limit: use less\n"
	  "      |                     ^" },
	{ "params:\n"
	  "\tlow: {value: 70 %, reason: r}\n" ALL,
	  "rules/a.yaml:2:1: error: yaml-syntax: a tab; indent with blanks\n"
	  "    2 |  low: {value: 70 %, reason: r}\n"
	  "      | ^" },
	{ "when: !x\n" REST,
	  "rules/a.yaml:1:7: error: yaml-syntax: tags are not allowed; a text that begins with '!' must be in quotes\n"
	  "    1 | when: !x\n"
	  "      |       ^" },
	{ "when: &x gpu.util < 5 %\n" REST,
	  "rules/a.yaml:1:7: error: yaml-syntax: anchors are not allowed; a text that begins with '&' must be in quotes\n"
	  "    1 | when: &x gpu.util < 5 %\n"
	  "      |       ^" },
	{ "when: *x\n" REST,
	  "rules/a.yaml:1:7: error: yaml-syntax: aliases are not allowed; a text that begins with '*' must be in quotes\n"
	  "    1 | when: *x\n"
	  "      |       ^" },
	{ "params:\n"
	  "  <<: {}\n" ALL,
	  "rules/a.yaml:2:3: error: yaml-syntax: merge keys are not allowed\n"
	  "    2 |   <<: {}\n"
	  "      |   ^~" },
	{ "for: 5 s\n"
	  "for: 6 s\n" ALL,
	  "rules/a.yaml:2:1: error: duplicate: 'for' is given twice; first at line 1, column 1\n"
	  "    2 | for: 6 s\n"
	  "      | ^~~" },
	{ "params:\n"
	  "  low: {value: 1 %, reason: r}\n"
	  "  low: {value: 2 %, reason: r}\n" ALL,
	  "rules/a.yaml:3:3: error: duplicate: 'low' is given twice; first at line 2, column 3\n"
	  "    3 |   low: {value: 2 %, reason: r}\n"
	  "      |   ^~~" },
	{ "a: 1\n"
	  "--- \n"
	  "b: 2\n",
	  "rules/a.yaml:2:1: error: yaml-syntax: a second document; one file holds one\n"
	  "    2 | --- \n"
	  "      | ^" },
	{ "? [a]\n"
	  ": 1\n" ALL,
	  "rules/a.yaml:1:3: error: yaml-syntax: a key must be a word\n"
	  "    1 | ? [a]\n"
	  "      |   ^" },
	{ "title: caf\303\n",
	  "rules/a.yaml:1:11: error: yaml-syntax: this is not UTF-8" },
	{ "title: a\rb\n",
	  "rules/a.yaml:1:9: error: yaml-syntax: a carriage return without a line feed; end lines with LF or CR LF" },
	{ "title: a\001\n",
	  "rules/a.yaml:1:9: error: yaml-syntax: a control character" },
	{ "title: \"a\\0b\"\n" WHEN KIND WORDS,
	  "rules/a.yaml:1:9: error: yaml-syntax: a text with an escaped control character\n"
	  "    1 | title: \"a\\0b\"\n"
	  "      |         ^" },
	{ "title: x\n"
	  "  bar: baz\n" ALL,
	  "rules/a.yaml:2:6: error: yaml-syntax: a key where none can be; check the indentation\n"
	  "    2 |   bar: baz\n"
	  "      |      ^" },
	{ "- a\n",
	  "rules/a.yaml:1:1: error: bad-value: a rule is a map of keys, this is a list\n"
	  "    1 | - a\n"
	  "      | ^" },
	{ "just text\n",
	  "rules/a.yaml:1:1: error: bad-value: a rule is a map of keys, this is a text\n"
	  "    1 | just text\n"
	  "      | ^~~~~~~~~" },
};

/* Keys, and values that are no expressions. */
static const struct wrong wrong_keys[] = {
	{ "severty: note\n"
	  "scope: gpu\n" WHEN WORDS TEXTS,
	  "rules/a.yaml:1:1: error: unknown-key: unknown key 'severty'; did you mean 'severity'?\n"
	  "    1 | severty: note\n"
	  "      | ^~~~~~~" },
	{ "during: [steady, tail, steady]\n" ALL,
	  "rules/a.yaml:1:24: error: duplicate: 'steady' is given twice\n"
	  "    1 | during: [steady, tail, steady]\n"
	  "      |                        ^~~~~~" },
	{ "tags: [slow, slow]\n" ALL,
	  "rules/a.yaml:1:14: error: duplicate: 'slow' is given twice\n"
	  "    1 | tags: [slow, slow]\n"
	  "      |              ^~~~" },
	/* on one GPU nothing would be said */
	{ "title: \"{#several}all of them{/several}\"\n" ALL_BUT_TITLE,
	  "rules/a.yaml:1:9: error: bad-value: 'title' can be empty: all of it stands in sections\n"
	  "    1 | title: \"{#several}all of them{/several}\"\n"
	  "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ "colour: red\n" ALL,
	  "rules/a.yaml:1:1: error: unknown-key: unknown key 'colour'\n"
	  "    1 | colour: red\n"
	  "      | ^~~~~~" },
	{ KIND WHEN,
	  "rules/a.yaml:1:1: error: missing-key: the rule has no 'short', 'checked', 'sources', 'title', 'what', 'why', 'try', 'refute' and "
	  "'card'\n"
	  "    1 | severity: note\n"
	  "      | ^" },
	{ WHEN WORDS TEXTS,
	  "rules/a.yaml:1:1: error: missing-key: the rule has no 'severity'\n"
	  "    1 | when: gpu.util < 5 %\n"
	  "      | ^" },
	{ "id: gpu-hot\n" ALL,
	  "rules/a.yaml:1:5: error: bad-value: id 'gpu-hot' in a file for 'a'\n"
	  "    1 | id: gpu-hot\n"
	  "      |     ^~~~~~~" },
	{ "severity: critcal\n"
	  "scope: gpu\n" WHEN WORDS TEXTS,
	  "rules/a.yaml:1:11: error: bad-value: 'critcal' is no severity; did you mean 'critical'?\n"
	  "    1 | severity: critcal\n"
	  "      |           ^~~~~~~" },
	{ "severity: on\n"
	  "scope: node\n" WHEN WORDS TEXTS,
	  "rules/a.yaml:1:11: error: bad-value: 'on' is no severity; there are critical, warning and note\n"
	  "    1 | severity: on\n"
	  "      |           ^~\n"
	  "rules/a.yaml:2:8: error: bad-value: 'node' is no scope; there are gpu, host, core and run\n"
	  "    2 | scope: node\n"
	  "      |        ^~~~" },
	{ "short: a name of more than 28 characters\n"
	  "checked: c\n"
	  "sources: [s]\n" WHEN KIND TEXTS,
	  "rules/a.yaml:1:8: error: bad-value: 'short' has 33 characters, 28 at most fit on a chart\n"
	  "    1 | short: a name of more than 28 characters\n"
	  "      |        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ "short:\n"
	  "checked: \"\"\n"
	  "sources: []\n" WHEN KIND TEXTS,
	  "rules/a.yaml:1:7: error: bad-value: 'short' is empty\n"
	  "    1 | short:\n"
	  "      |       ^\n"
	  "rules/a.yaml:2:10: error: bad-value: 'checked' is empty\n"
	  "    2 | checked: \"\"\n"
	  "      |          ^\n"
	  "rules/a.yaml:3:10: error: bad-value: 'sources' is empty\n"
	  "    3 | sources: []\n"
	  "      |          ^" },
	{ "sources: rules.md\n"
	  "short: s\n"
	  "checked: c\n" WHEN KIND TEXTS,
	  "rules/a.yaml:1:10: error: bad-value: 'sources' must be a list of texts, this is a text\n"
	  "    1 | sources: rules.md\n"
	  "      |          ^~~~~~~~" },
	{ "sources: [{a: b}, \"\"]\n"
	  "short: s\n"
	  "checked: c\n" WHEN KIND TEXTS,
	  "rules/a.yaml:1:11: error: bad-value: 'sources' must be a text, this is a map; a text that begins with '{' must be in quotes\n"
	  "    1 | sources: [{a: b}, \"\"]\n"
	  "      |           ^\n"
	  "rules/a.yaml:1:19: error: bad-value: 'sources' is empty\n"
	  "    1 | sources: [{a: b}, \"\"]\n"
	  "      |                   ^" },
	{ "title: {Gpus}\n"
	  "what: w\n"
	  "why: y\n"
	  "try: [do]\n"
	  "refute: r\n"
	  "card: c\n" WHEN KIND WORDS,
	  "rules/a.yaml:1:8: error: bad-value: 'title' must be a text, this is a map; a text that begins with '{' must be in quotes\n"
	  "    1 | title: {Gpus}\n"
	  "      |        ^" },
	{ "title: t\n"
	  "what: see issue #12\n"
	  "why: y #z\n"
	  "try: [do]\n"
	  "refute: r\n"
	  "card: c\n" WHEN KIND WORDS,
	  "rules/a.yaml:2:17: error: bad-value: ' #' cuts this text off; put it in quotes\n"
	  "    2 | what: see issue #12\n"
	  "      |                 ^\n"
	  "rules/a.yaml:3:8: error: bad-value: ' #' cuts this text off; put it in quotes\n"
	  "    3 | why: y #z\n"
	  "      |        ^" },
	{ "title: t\n"
	  "what: see\n"
	  "  issue #12\n"
	  "why: y\n"
	  "try: [do]\n"
	  "refute: r\n"
	  "card: c\n" WHEN KIND WORDS,
	  "rules/a.yaml:3:9: error: bad-value: ' #' cuts this text off; put it in quotes\n"
	  "    3 |   issue #12\n"
	  "      |         ^" },
	{ "card: |\n"
	  "  a\n"
	  "  b\n"
	  "  c\n"
	  "title: t\n"
	  "what: w\n"
	  "why: y\n"
	  "try: do\n"
	  "refute: r\n" WHEN KIND WORDS,
	  "rules/a.yaml:2:3: error: bad-value: 'card' has more than two lines\n"
	  "    2 |   a\n"
	  "      |   ^\n"
	  "rules/a.yaml:8:6: error: bad-value: 'try' must be a list of texts, this is a text\n"
	  "    8 | try: do\n"
	  "      |      ^~" },
	{ "for: 10\n"
	  "merge_gap: 5 W\n" ALL,
	  "rules/a.yaml:1:6: error: bad-value: 'for' must be a time such as '10 s', this is a plain number\n"
	  "    1 | for: 10\n"
	  "      |      ^~\n"
	  "rules/a.yaml:2:12: error: bad-value: 'merge_gap' must be a time such as '10 s', this is a power\n"
	  "    2 | merge_gap: 5 W\n"
	  "      |            ^~~" },
	{ "for: -5 s\n"
	  "merge_gap: 367 h\n" ALL,
	  "rules/a.yaml:1:6: error: bad-value: 'for' must be between 0 s and 366 days, the limit 'duration'\n"
	  "    1 | for: -5 s\n"
	  "      |      ^~~~" },
	{ "for: 9000 h\n"
	  "merge_gap: 10 sek\n" ALL,
	  "rules/a.yaml:1:6: error: bad-value: 'for' must be between 0 s and 366 days, the limit 'duration'\n"
	  "    1 | for: 9000 h\n"
	  "      |      ^~~~~~\n"
	  "rules/a.yaml:2:15: error: unknown-name: unknown unit 'sek'\n"
	  "    2 | merge_gap: 10 sek\n"
	  "      |               ^~~" },
	{ "for: 1:30\n"
	  "merge_gap: 5_000 s\n" ALL,
	  "rules/a.yaml:1:6: error: bad-value: '1:30' is not a quantity such as '30 s' or '80 %'\n"
	  "    1 | for: 1:30\n"
	  "      |      ^~~~\n"
	  "rules/a.yaml:2:12: error: bad-value: '5_000 s' is not a quantity such as '30 s' or '80 %'\n"
	  "    2 | merge_gap: 5_000 s\n"
	  "      |            ^~~~~~~" },
	{ "for: 1e999 s\n"
	  "merge_gap: 99999999999999999999 s\n" ALL,
	  "rules/a.yaml:1:6: error: bad-value: '1e999 s' is not a quantity such as '30 s' or '80 %'\n"
	  "    1 | for: 1e999 s\n"
	  "      |      ^~~~~~~\n"
	  "rules/a.yaml:2:12: error: bad-value: '99999999999999999999 s' is too large\n"
	  "    2 | merge_gap: 99999999999999999999 s\n"
	  "      |            ^~~~~~~~~~~~~~~~~~~~~~" },
	{ "for: ∞\n"
	  "merge_gap: .nan\n" ALL,
	  "rules/a.yaml:1:6: error: bad-value: '∞' is not a quantity such as '30 s' or '80 %'\n"
	  "    1 | for: ∞\n"
	  "      |      ^\n"
	  "rules/a.yaml:2:12: error: bad-value: '.nan' is not a quantity such as '30 s' or '80 %'\n"
	  "    2 | merge_gap: .nan\n"
	  "      |            ^~~~" },
	{ "during: steadyy\n" ALL,
	  "rules/a.yaml:1:9: error: bad-value: 'steadyy' is no phase; did you mean 'steady'?\n"
	  "    1 | during: steadyy\n"
	  "      |         ^~~~~~~" },
	{ "during: [startup, night]\n" ALL,
	  "rules/a.yaml:1:19: error: bad-value: 'night' is no phase; there are idle-head, startup, steady, dip, down, tail, unseen and run\n"
	  "    1 | during: [startup, night]\n"
	  "      |                   ^~~~~" },
	{ "during: {a: b}\n" ALL,
	  "rules/a.yaml:1:9: error: bad-value: 'during' must be a text, this is a map; a text that begins with '{' must be in quotes\n"
	  "    1 | during: {a: b}\n"
	  "      |         ^" },
	{ "min_coverage: 0.8\n" ALL,
	  "rules/a.yaml:1:15: error: bad-value: 'min_coverage' must be between '0 %' and '100 %'\n"
	  "    1 | min_coverage: 0.8\n"
	  "      |               ^~~" },
	{ "min_coverage: 120 %\n" ALL,
	  "rules/a.yaml:1:15: error: bad-value: 'min_coverage' must be between '0 %' and '100 %'\n"
	  "    1 | min_coverage: 120 %\n"
	  "      |               ^~~~~" },
	{ "explains: [gpu-hott, a]\n" ALL,
	  "rules/a.yaml:1:12: error: bad-value: no rule 'gpu-hott'\n"
	  "    1 | explains: [gpu-hott, a]\n"
	  "      |            ^~~~~~~~\n"
	  "rules/a.yaml:1:22: error: bad-value: a rule can't explain itself\n"
	  "    1 | explains: [gpu-hott, a]\n"
	  "      |                      ^" },
	{ "explains_on_others: [gpu-hott, a]\n" ALL,
	  "rules/a.yaml:1:22: error: bad-value: no rule 'gpu-hott'\n"
	  "    1 | explains_on_others: [gpu-hott, a]\n"
	  "      |                      ^~~~~~~~\n"
	  "rules/a.yaml:1:32: error: bad-value: a rule can't explain itself\n"
	  "    1 | explains_on_others: [gpu-hott, a]\n"
	  "      |                                ^" },
	{ "explains_on_others: b\nscope: host\n" WORDS TEXTS "severity: note\nwhen: host.cpu.busy < 5 %\n",
	  "rules/a.yaml:1:1: error: bad-value: 'explains_on_others' is for rules about GPUs, this is a host rule\n"
	  "    1 | explains_on_others: b\n"
	  "      | ^~~~~~~~~~~~~~~~~~\n"
	  "rules/a.yaml:1:21: error: bad-value: no rule 'b'\n"
	  "    1 | explains_on_others: b\n"
	  "      |                     ^" },
	{ "explains_if: waited\n" ALL,
	  "rules/a.yaml:1:14: error: bad-value: 'explains_if' must name a row of evidence that is a condition, 'waited' is none\n"
	  "    1 | explains_if: waited\n"
	  "      |              ^~~~~~" },
	{ "evidence:\n  waited: max(gpu.util, inside)\nexplains_if: waited\n" ALL,
	  "rules/a.yaml:3:14: error: bad-value: 'explains_if' must name a row of evidence that is a condition, 'waited' is a number\n"
	  "    3 | explains_if: waited\n"
	  "      |              ^~~~~~" },
	{ "doubt_if: waited\n" ALL,
	  "rules/a.yaml:1:11: error: bad-value: 'doubt_if' must name a row of evidence that is a condition, 'waited' is none\n"
	  "    1 | doubt_if: waited\n"
	  "      |           ^~~~~~" },
	{ "joins: [gpu-hott, a]\n" ALL,
	  "rules/a.yaml:1:9: error: bad-value: no rule 'gpu-hott'\n"
	  "    1 | joins: [gpu-hott, a]\n"
	  "      |         ^~~~~~~~\n"
	  "rules/a.yaml:1:19: error: bad-value: a rule can't join itself\n"
	  "    1 | joins: [gpu-hott, a]\n"
	  "      |                   ^" },
	{ "follows: [gpu-hott, a]\n" ALL,
	  "rules/a.yaml:1:11: error: bad-value: no rule 'gpu-hott'\n"
	  "    1 | follows: [gpu-hott, a]\n"
	  "      |           ^~~~~~~~\n"
	  "rules/a.yaml:1:21: error: bad-value: a rule can't follow itself\n"
	  "    1 | follows: [gpu-hott, a]\n"
	  "      |                     ^" },
	{ "leads_to: [gpu-hott, a]\n" ALL,
	  "rules/a.yaml:1:12: error: bad-value: no rule 'gpu-hott'\n"
	  "    1 | leads_to: [gpu-hott, a]\n"
	  "      |            ^~~~~~~~\n"
	  "rules/a.yaml:1:22: error: bad-value: a rule can't lead to itself\n"
	  "    1 | leads_to: [gpu-hott, a]\n"
	  "      |                      ^" },
	{ "cost_least: 50 %\n" ALL,
	  "rules/a.yaml:1:1: error: bad-value: 'cost_least' is the least of what 'cost' says is lost at most, and the rule has no 'cost'\n"
	  "    1 | cost_least: 50 %\n"
	  "      | ^~~~~~~~~~" },
	{ "cost_by: how idle it was\n" ALL,
	  "rules/a.yaml:1:1: error: bad-value: 'cost_by' says in words by what 'cost' counts a second, and the rule has no 'cost'\n"
	  "    1 | cost_by: how idle it was\n"
	  "      | ^~~~~~~" },
	{ "cost: 1\ncost_least: gpu.power\n" ALL,
	  "rules/a.yaml:2:13: error: bad-dimension: 'cost_least' must be a share, or a plain number from 0 to 1; this is a power\n"
	  "    2 | cost_least: gpu.power\n"
	  "      |             ^~~~~~~~~" },
	{ "params: [a]\n" ALL,
	  "rules/a.yaml:1:9: error: bad-value: 'params' must be a map, this is a list\n"
	  "    1 | params: [a]\n"
	  "      |         ^" },
	{ "params:\n"
	  "  low: 70 %\n" ALL,
	  "rules/a.yaml:2:8: error: bad-value: parameter 'low' must be a map such as {value: 70 %, reason: \"…\"}\n"
	  "    2 |   low: 70 %\n"
	  "      |        ^~~~" },
	{ "params:\n"
	  "  low: {value: 70 %}\n"
	  "  high: {reason: r}\n" ALL,
	  "rules/a.yaml:2:3: error: missing-key: parameter 'low' has no 'reason'\n"
	  "    2 |   low: {value: 70 %}\n"
	  "      |   ^~~\n"
	  "rules/a.yaml:3:3: error: missing-key: parameter 'high' has no 'value'\n"
	  "    3 |   high: {reason: r}\n"
	  "      |   ^~~~" },
	{ "params:\n"
	  "  low: {value: 70 %, reson: r}\n" ALL,
	  "rules/a.yaml:2:22: error: unknown-key: unknown key 'reson'; did you mean 'reason'?\n"
	  "    2 |   low: {value: 70 %, reson: r}\n"
	  "      |                      ^~~~~" },
	{ "params:\n"
	  "  low: {value: 70 Pct, reason: r}\n" ALL,
	  "rules/a.yaml:2:19: error: unknown-name: unknown unit 'Pct'; did you mean '%'?\n"
	  "    2 |   low: {value: 70 Pct, reason: r}\n"
	  "      |                   ^~~" },
	{ "params:\n"
	  "  low: {value: 70 %, reason: r}\n" ALL,
	  "rules/a.yaml:2:3: error: bad-value: param 'low' is never used\n"
	  "    2 |   low: {value: 70 %, reason: r}\n"
	  "      |   ^~~" },
	{ "params:\n"
	  "  Low: {value: 70 %, reason: r}\n"
	  "  mean: {value: 70 %, reason: r}\n"
	  "  gpu_util: {value: 70 %, reason: r}\n"
	  "  gpus: {value: 70 %, reason: r}\n" ALL,
	  "rules/a.yaml:2:3: error: bad-value: 'Low' is no name; names have small letters, digits and '_'\n"
	  "    2 |   Low: {value: 70 %, reason: r}\n"
	  "      |   ^~~\n"
	  "rules/a.yaml:3:3: error: bad-value: 'mean' is a word of the rule language\n"
	  "    3 |   mean: {value: 70 %, reason: r}\n"
	  "      |   ^~~~\n"
	  "rules/a.yaml:4:3: error: bad-value: 'gpu_util' is a metric\n"
	  "    4 |   gpu_util: {value: 70 %, reason: r}\n"
	  "      |   ^~~~~~~~\n"
	  "rules/a.yaml:5:3: error: bad-value: 'gpus' is a word of the rule language\n"
	  "    5 |   gpus: {value: 70 %, reason: r}\n"
	  "      |   ^~~~" },
	{ "params:\n"
	  "  low: {value: 5 %, reason: r}\n"
	  "evidence:\n"
	  "  low: mean(gpu.util, inside)\n"
	  "  x: [a]\n"
	  "when: gpu.util < low\n" REST,
	  "rules/a.yaml:4:3: error: duplicate: 'low' has a meaning already\n"
	  "    4 |   low: mean(gpu.util, inside)\n"
	  "      |   ^~~\n"
	  "rules/a.yaml:5:6: error: bad-value: 'x' must be a text, this is a list; a text that begins with '[' must be in quotes\n"
	  "    5 |   x: [a]\n"
	  "      |      ^" },
	{ "evidence:\n"
	  "  x: gpu.util < 5 %\n"
	  "  y: mean(gpu.utl, inside)\n" ALL,
	  "rules/a.yaml:2:6: error: bad-expression: a condition in evidence must be one value, this one changes over time\n"
	  "    2 |   x: gpu.util < 5 %\n"
	  "      |      ^~~~~~~~~~~~~~\n"
	  "rules/a.yaml:3:11: error: unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?\n"
	  "    3 |   y: mean(gpu.utl, inside)\n"
	  "      |           ^~~~~~~" },
	{ "cost: 1 - gpu.util\n" ALL,
	  "rules/a.yaml:1:7: error: bad-dimension: '1' has no unit, 'gpu.util' is a share; write '1 %'\n"
	  "    1 | cost: 1 - gpu.util\n"
	  "      |       ^" },
	{ "cost: gpu.power / 2\n" ALL,
	  "rules/a.yaml:1:7: error: bad-dimension: 'cost' must be a share, or a plain number from 0 to 1; this is a power\n"
	  "    1 | cost: gpu.power / 2\n"
	  "      |       ^~~~~~~~~~~~~" },
	{ "cost: 50\n" ALL,
	  "rules/a.yaml:1:7: error: bad-value: 'cost' must be between 0 and 1, or between '0 %' and '100 %'\n"
	  "    1 | cost: 50\n"
	  "      |       ^~" },
	{ "cost: 101 %\n" ALL,
	  "rules/a.yaml:1:7: error: bad-value: 'cost' must be between 0 and 1, or between '0 %' and '100 %'\n"
	  "    1 | cost: 101 %\n"
	  "      |       ^~~~~" },
	/* what a wrong condition would say of the scope is held against nobody */
	{ "when: count of gpus(gpu.util < 5 %) > 2 and host.blokd > 5\n"
	  "severity: note\n"
	  "cost: 0.5\n"
	  "tests: [{given: {host.blocked: 9 x 9 s}, expect: {on: the host, outcome: fired}}]\n"
	  "evidence: {b: \"mean(host.blocked, inside)\"}\n" WORDS TEXTS,
	  "rules/a.yaml:1:45: error: unknown-name: unknown name 'host.blokd'; did you mean 'host.blocked'?\n"
	  "    1 | when: count of gpus(gpu.util < 5 %) > 2 and host.blokd > 5\n"
	  "      |                                             ^~~~~~~~~~" },
	{ "let: {slow: host.blokd > 5}\n"
	  "severity: note\n"
	  "when: any of gpus(gpu.util < 5 %) and slow\n"
	  "evidence: {b: \"mean(host.blocked, inside)\"}\n" WORDS TEXTS,
	  "rules/a.yaml:1:13: error: unknown-name: unknown name 'host.blokd'; did you mean 'host.blocked'?\n"
	  "    1 | let: {slow: host.blokd > 5}\n"
	  "      |             ^~~~~~~~~~" },
	{ "when: any of gpus(gpu.utl < 5 %)\n"
	  "severity: note\n"
	  "scope: run\n"
	  "evidence: {b: \"mean(host.blocked, inside)\"}\n" WORDS TEXTS,
	  "rules/a.yaml:1:19: error: unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?\n"
	  "    1 | when: any of gpus(gpu.utl < 5 %)\n"
	  "      |                   ^~~~~~~\n"
	  "rules/a.yaml:4:21: error: bad-expression: 'host.blocked' belongs to one host, this is a run rule; write 'mean of hosts(host.blocked)'\n"
	  "    4 | evidence: {b: \"mean(host.blocked, inside)\"}\n"
	  "      |                     ^~~~~~~~~~~~" },
	/* a cost whose names can't be known is there all the same */
	{ "params: {low: {value: 5, resaon: r}}\n"
	  "cost: 0.5\n"
	  "tests: [{given: {gpu.util: 1 x 9 s}, expect: {cost: 50 %}}]\n" ALL,
	  "rules/a.yaml:1:26: error: unknown-key: unknown key 'resaon'; did you mean 'reason'?\n"
	  "    1 | params: {low: {value: 5, resaon: r}}\n"
	  "      |                          ^~~~~~" },
	{ "title: \"{Gpu} waited\"\n"
	  "what: \"{low}\"\n"
	  "why: \"{\"\n"
	  "try: [\"{duration|durations}\"]\n"
	  "refute: r\n"
	  "card: c\n" WHEN KIND WORDS,
	  "rules/a.yaml:1:10: error: bad-placeholder: unknown name 'Gpu' in rule text; did you mean 'Gpus'?\n"
	  "    1 | title: \"{Gpu} waited\"\n"
	  "      |          ^\n"
	  "rules/a.yaml:2:9: error: bad-placeholder: unknown name 'low' in rule text\n"
	  "    2 | what: \"{low}\"\n"
	  "      |         ^\n"
	  "rules/a.yaml:3:7: error: bad-placeholder: a tag that is not closed\n"
	  "    3 | why: \"{\"\n"
	  "      |       ^\n"
	  "rules/a.yaml:4:18: error: bad-placeholder: unknown filter 'durations'; did you mean 'duration'?\n"
	  "    4 | try: [\"{duration|durations}\"]\n"
	  "      |                  ^" },
	{ "what: >-\n"
	  "  the GPU\n"
	  "  {gpuss} waited\n"
	  "title: t\n"
	  "why: y\n"
	  "try: [do]\n"
	  "refute: r\n"
	  "card: c\n" WHEN KIND WORDS,
	  "rules/a.yaml:3:4: error: bad-placeholder: unknown name 'gpuss' in rule text; did you mean 'gpus'?\n"
	  "    3 |   {gpuss} waited\n"
	  "      |    ^" },
};

/* Keys of lists and maps, of whole-run rules, and names that the author gives. */
static const struct wrong wrong_parts[] = {
	{ "keep_for: 5\n"
	  "max_gap: 5 W\n" ALL,
	  "rules/a.yaml:1:11: error: bad-value: 'keep_for' must be a time such as '10 s', this is a plain number\n"
	  "    1 | keep_for: 5\n"
	  "      |           ^\n"
	  "rules/a.yaml:2:10: error: bad-value: 'max_gap' must be a time such as '10 s', this is a power\n"
	  "    2 | max_gap: 5 W\n"
	  "      |          ^~~" },
	{ "keep_for: -1 s\n"
	  "max_gap: 9000 h\n" ALL,
	  "rules/a.yaml:1:11: error: bad-value: 'keep_for' must be between 0 s and 366 days, the limit 'duration'\n"
	  "    1 | keep_for: -1 s\n"
	  "      |           ^~~~\n"
	  "rules/a.yaml:2:10: error: bad-value: 'max_gap' must be between 0 s and 366 days, the limit 'duration'\n"
	  "    2 | max_gap: 9000 h\n"
	  "      |          ^~~~~~" },
	{ "keepfor: 5 s\n"
	  "maxgap: 5 s\n" ALL,
	  "rules/a.yaml:1:1: error: unknown-key: unknown key 'keepfor'; did you mean 'keep_for'?\n"
	  "    1 | keepfor: 5 s\n"
	  "      | ^~~~~~~\n"
	  "rules/a.yaml:2:1: error: unknown-key: unknown key 'maxgap'; did you mean 'max_gap'?\n"
	  "    2 | maxgap: 5 s\n"
	  "      | ^~~~~~" },
	{ "exclude_by: b\n"
	  "rival: []\n"
	  "test: []\n"
	  "tag: a\n"
	  "lets: {}\n" ALL,
	  "rules/a.yaml:1:1: error: unknown-key: unknown key 'exclude_by'; did you mean 'excluded_by'?\n"
	  "    1 | exclude_by: b\n"
	  "      | ^~~~~~~~~~\n"
	  "rules/a.yaml:2:1: error: unknown-key: unknown key 'rival'; did you mean 'rivals'?\n"
	  "    2 | rival: []\n"
	  "      | ^~~~~\n"
	  "rules/a.yaml:3:1: error: unknown-key: unknown key 'test'; did you mean 'tests'?\n"
	  "    3 | test: []\n"
	  "      | ^~~~\n"
	  "rules/a.yaml:4:1: error: unknown-key: unknown key 'tag'; did you mean 'tags'?\n"
	  "    4 | tag: a\n"
	  "      | ^~~\n"
	  "rules/a.yaml:5:1: error: unknown-key: unknown key 'lets'; did you mean 'let'?\n"
	  "    5 | lets: {}\n"
	  "      | ^~~~" },
	{ "tags: {a: b}\n" ALL,
	  "rules/a.yaml:1:7: error: bad-value: 'tags' must be a text, this is a map; a text that begins with '{' must be in quotes\n"
	  "    1 | tags: {a: b}\n"
	  "      |       ^" },
	{ "tags: []\n"
	  "excluded_by: []\n" ALL,
	  "rules/a.yaml:1:7: error: bad-value: 'tags' is empty\n"
	  "    1 | tags: []\n"
	  "      |       ^\n"
	  "rules/a.yaml:2:14: error: bad-value: 'excluded_by' is empty\n"
	  "    2 | excluded_by: []\n"
	  "      |              ^" },
	{ "excluded_by: a\n" ALL,
	  "rules/a.yaml:1:14: error: bad-value: a rule can't exclude itself\n"
	  "    1 | excluded_by: a\n"
	  "      |              ^" },
	{ "excluded_by: [gpu-hott]\n" ALL,
	  "rules/a.yaml:1:15: error: bad-value: no rule 'gpu-hott'\n"
	  "    1 | excluded_by: [gpu-hott]\n"
	  "      |               ^~~~~~~~" },
	{ "rivals: gpu-hot\n" ALL,
	  "rules/a.yaml:1:9: error: bad-value: 'rivals' must be a list of maps, this is a text\n"
	  "    1 | rivals: gpu-hot\n"
	  "      |         ^~~~~~~" },
	{ "rivals: [gpu-hot]\n" ALL,
	  "rules/a.yaml:1:10: error: bad-value: 'rivals' must be a list of maps, this is a list with a text\n"
	  "    1 | rivals: [gpu-hot]\n"
	  "      |          ^~~~~~~" },
	{ "rivals: []\n"
	  "tests: []\n" ALL,
	  "rules/a.yaml:1:9: error: bad-value: 'rivals' is empty\n"
	  "    1 | rivals: []\n"
	  "      |         ^\n"
	  "rules/a.yaml:2:8: error: bad-value: 'tests' is empty\n"
	  "    2 | tests: []\n"
	  "      |        ^" },
	{ "rivals:\n"
	  "  - {rule: gpu-hot}\n"
	  "  - {settle: look}\n" ALL,
	  "rules/a.yaml:2:5: error: missing-key: a rival has no 'settle'\n"
	  "    2 |   - {rule: gpu-hot}\n"
	  "      |     ^\n"
	  "rules/a.yaml:2:12: error: bad-value: no rule 'gpu-hot'\n"
	  "    2 |   - {rule: gpu-hot}\n"
	  "      |            ^~~~~~~\n"
	  "rules/a.yaml:3:5: error: missing-key: a rival has no 'rule'\n"
	  "    3 |   - {settle: look}\n"
	  "      |     ^" },
	{ "rivals:\n"
	  "  - {rule: gpu-hot, setle: look}\n"
	  "  - {rule: gpu-hot, settle: look, why: x}\n" ALL,
	  "rules/a.yaml:2:12: error: bad-value: no rule 'gpu-hot'\n"
	  "    2 |   - {rule: gpu-hot, setle: look}\n"
	  "      |            ^~~~~~~\n"
	  "rules/a.yaml:2:21: error: unknown-key: unknown key 'setle'; did you mean 'settle'?\n"
	  "    2 |   - {rule: gpu-hot, setle: look}\n"
	  "      |                     ^~~~~\n"
	  "rules/a.yaml:3:12: error: bad-value: no rule 'gpu-hot'\n"
	  "    3 |   - {rule: gpu-hot, settle: look, why: x}\n"
	  "      |            ^~~~~~~\n"
	  "rules/a.yaml:3:35: error: unknown-key: unknown key 'why'\n"
	  "    3 |   - {rule: gpu-hot, settle: look, why: x}\n"
	  "      |                                   ^~~" },
	{ "rivals:\n"
	  "  - {rule: a, settle: look}\n"
	  "  - {rule: gpu-hot, settle: look}\n" ALL,
	  "rules/a.yaml:2:12: error: bad-value: a rule can't be its own rival\n"
	  "    2 |   - {rule: a, settle: look}\n"
	  "      |            ^\n"
	  "rules/a.yaml:3:12: error: bad-value: no rule 'gpu-hot'\n"
	  "    3 |   - {rule: gpu-hot, settle: look}\n"
	  "      |            ^~~~~~~" },
	{ "rivals:\n"
	  "  - {rule: \"\", settle: {a: b}}\n" ALL,
	  "rules/a.yaml:2:12: error: bad-value: 'rule' is empty\n"
	  "    2 |   - {rule: \"\", settle: {a: b}}\n"
	  "      |            ^\n"
	  "rules/a.yaml:2:24: error: bad-value: 'settle' must be a text, this is a map; a text that begins with '{' must be in quotes\n"
	  "    2 |   - {rule: \"\", settle: {a: b}}\n"
	  "      |                        ^" },
	{ "rivals:\n"
	  "  - rule: b\n"
	  "    settle: see issue #12\n" ALL,
	  "rules/a.yaml:2:11: error: bad-value: no rule 'b'\n"
	  "    2 |   - rule: b\n"
	  "      |           ^\n"
	  "rules/a.yaml:3:23: error: bad-value: ' #' cuts this text off; put it in quotes\n"
	  "    3 |     settle: see issue #12\n"
	  "      |                       ^" },
	{ "tests: yes\n" ALL,
	  "rules/a.yaml:1:8: error: bad-value: 'tests' must be a list of maps, this is a text\n"
	  "    1 | tests: yes\n"
	  "      |        ^~~" },
	{ "tests: [fired]\n" ALL,
	  "rules/a.yaml:1:9: error: bad-value: 'tests' must be a list of maps, this is a list with a text\n"
	  "    1 | tests: [fired]\n"
	  "      |         ^~~~~" },
	{ "let: gpu.util < 5 %\n" ALL,
	  "rules/a.yaml:1:6: error: bad-value: 'let' must be a map, this is a text\n"
	  "    1 | let: gpu.util < 5 %\n"
	  "      |      ^~~~~~~~~~~~~~" },
	{ "let:\n"
	  "  busy: [gpu.util]\n" ALL,
	  "rules/a.yaml:2:3: error: bad-value: let 'busy' is never used\n"
	  "    2 |   busy: [gpu.util]\n"
	  "      |   ^~~~\n"
	  "rules/a.yaml:2:9: error: bad-value: 'busy' must be a text, this is a list; a text that begins with '[' must be in quotes\n"
	  "    2 |   busy: [gpu.util]\n"
	  "      |         ^" },
	{ "let:\n"
	  "  Busy: gpu.util\n"
	  "  mean: gpu.util\n"
	  "  gpu_util: gpu.util\n"
	  "  gpus: gpu.util\n" ALL,
	  "rules/a.yaml:2:3: error: bad-value: 'Busy' is no name; names have small letters, digits and '_'\n"
	  "    2 |   Busy: gpu.util\n"
	  "      |   ^~~~\n"
	  "rules/a.yaml:3:3: error: bad-value: 'mean' is a word of the rule language\n"
	  "    3 |   mean: gpu.util\n"
	  "      |   ^~~~\n"
	  "rules/a.yaml:4:3: error: bad-value: 'gpu_util' is a metric\n"
	  "    4 |   gpu_util: gpu.util\n"
	  "      |   ^~~~~~~~\n"
	  "rules/a.yaml:5:3: error: bad-value: 'gpus' is a word of the rule language\n"
	  "    5 |   gpus: gpu.util\n"
	  "      |   ^~~~" },
	{ "params:\n"
	  "  low: {value: 5 %, reason: r}\n"
	  "let:\n"
	  "  low: gpu.util\n"
	  "when: gpu.util < low\n" REST,
	  "rules/a.yaml:4:3: error: duplicate: 'low' has a meaning already\n"
	  "    4 |   low: gpu.util\n"
	  "      |   ^~~" },
	{ "let:\n"
	  "  busy: mean(gpu.util, 10 s)\n"
	  "evidence:\n"
	  "  busy: mean(gpu.util, inside)\n"
	  "when: busy < 5 %\n" REST,
	  "rules/a.yaml:4:3: error: duplicate: 'busy' has a meaning already\n"
	  "    4 |   busy: mean(gpu.util, inside)\n"
	  "      |   ^~~~" },
	{ "let:\n"
	  "  busy: mean(gpu.utl, 10 s)\n"
	  "when: busy < 5 W and gpu.utl > 5 %\n" REST,
	  "rules/a.yaml:2:14: error: unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?\n"
	  "    2 |   busy: mean(gpu.utl, 10 s)\n"
	  "      |              ^~~~~~~\n"
	  "rules/a.yaml:3:22: error: unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?\n"
	  "    3 | when: busy < 5 W and gpu.utl > 5 %\n"
	  "      |                      ^~~~~~~" },
	{ "let:\n"
	  "  low: busy - 5 %\n"
	  "  busy: mean(gpu.util, 10 s)\n"
	  "when: low < busy\n" REST,
	  "rules/a.yaml:2:8: error: unknown-name: 'busy' is named below; a let can use those above it\n"
	  "    2 |   low: busy - 5 %\n"
	  "      |        ^~~~" },
	{ "let:\n"
	  "  busy: mean(gpu.util, 10 s)\n" ALL,
	  "rules/a.yaml:2:3: error: bad-value: let 'busy' is never used\n"
	  "    2 |   busy: mean(gpu.util, 10 s)\n"
	  "      |   ^~~~" },
	{ "let:\n"
	  "  a: gpu.util\n"
	  "  b: a + 5 %\n" ALL,
	  "rules/a.yaml:3:3: error: bad-value: let 'b' is never used\n"
	  "    3 |   b: a + 5 %\n"
	  "      |   ^" },
	{ "let:\n"
	  "  busy: gpu.util > 5 %\n"
	  "when: busy > 5 %\n" REST,
	  "rules/a.yaml:3:7: error: bad-expression: a number is wanted here, this is a condition\n"
	  "    3 | when: busy > 5 %\n"
	  "      |       ^~~~" },
	{ "let:\n"
	  "  busy: gpu.util\n"
	  "when: busy\n" REST,
	  "rules/a.yaml:3:7: error: bad-expression: a condition is wanted here, this is a share\n"
	  "    3 | when: busy\n"
	  "      |       ^~~~" },
	{ "let:\n"
	  "  busy: gpu.util > 5\n"
	  "when: busy\n" REST,
	  "rules/a.yaml:2:20: error: bad-dimension: '5' has no unit, 'gpu.util' is a share; write '5 %'\n"
	  "    2 |   busy: gpu.util > 5\n"
	  "      |                    ^" },
	{ "when: max(gpu.util) < 5 %\n"
	  "for: 10 s\n"
	  "clear: gpu.util > 5 %\n"
	  "keep_for: 1 s\n"
	  "merge_gap: 1 s\n"
	  "max_gap: 1 s\n" REST,
	  "rules/a.yaml:2:1: error: bad-value: 'for' means nothing in a whole-run rule: its 'when' is one value for the run\n"
	  "    2 | for: 10 s\n"
	  "      | ^~~\n"
	  "rules/a.yaml:3:1: error: bad-value: 'clear' means nothing in a whole-run rule: its 'when' is one value for the run\n"
	  "    3 | clear: gpu.util > 5 %\n"
	  "      | ^~~~~\n"
	  "rules/a.yaml:4:1: error: bad-value: 'keep_for' means nothing in a whole-run rule: its 'when' is one value for the run\n"
	  "    4 | keep_for: 1 s\n"
	  "      | ^~~~~~~~\n"
	  "rules/a.yaml:5:1: error: bad-value: 'merge_gap' means nothing in a whole-run rule: its 'when' is one value for the run\n"
	  "    5 | merge_gap: 1 s\n"
	  "      | ^~~~~~~~~\n"
	  "rules/a.yaml:6:1: error: bad-value: 'max_gap' means nothing in a whole-run rule: its 'when' is one value for the run\n"
	  "    6 | max_gap: 1 s\n"
	  "      | ^~~~~~~" },
	{ "when: p95(gpu.util, run) < 5 % and logged(gpu.temp)\n"
	  "for: 10\n" REST,
	  "rules/a.yaml:2:1: error: bad-value: 'for' means nothing in a whole-run rule: its 'when' is one value for the run\n"
	  "    2 | for: 10\n"
	  "      | ^~~" },
	{ "when: gpu.util < 5 %\n"
	  "clear: max(gpu.util) > 5 %\n" REST,
	  "rules/a.yaml:2:8: error: bad-expression: 'clear' is one value for the run; it can't end a stretch\n"
	  "    2 | clear: max(gpu.util) > 5 %\n"
	  "      |        ^~~~~~~~~~~~~~~~~~~" },
	{ "when: 5 % < 6 %\n"
	  "for: 10 s\n" REST,
	  "rules/a.yaml:1:7: error: bad-expression: 'when' names no metric; it is always the same\n"
	  "    1 | when: 5 % < 6 %\n"
	  "      |       ^~~~~~~~~" },
	{ "severity: note\n"
	  "scpe: gpu\n"
	  "when: gpu.util < 5 W\n" WORDS TEXTS,
	  "rules/a.yaml:2:1: error: unknown-key: unknown key 'scpe'; did you mean 'scope'?\n"
	  "    2 | scpe: gpu\n"
	  "      | ^~~~" },
	{ "severity: note\n"
	  "when: host.cpu.busy < 5 W\n" WORDS TEXTS,
	  "rules/a.yaml:2:21: error: bad-dimension: '<' compares a share with a power\n"
	  "    2 | when: host.cpu.busy < 5 W\n"
	  "      |                     ^" },
	{ "severity: note\n"
	  "when: gpu.util < 5 %\n"
	  "evidence:\n"
	  "  x: mean(core.busy)\n" WORDS TEXTS,
	  "rules/a.yaml:4:11: error: bad-expression: 'core.busy' belongs to one core, this is a gpu rule; write 'mean of cores(core.busy)'\n"
	  "    4 |   x: mean(core.busy)\n"
	  "      |           ^~~~~~~~~" },
	{ "severity: note\n"
	  "when: host.cpu.busy < 5 %\n"
	  "evidence:\n"
	  "  x: mean(gpu.util)\n" WORDS TEXTS,
	  "rules/a.yaml:4:11: error: bad-expression: 'gpu.util' belongs to one gpu, this is a host rule; write 'mean of gpus(gpu.util)'\n"
	  "    4 |   x: mean(gpu.util)\n"
	  "      |           ^~~~~~~~" },
	{ "params:\n"
	  "  low: {value: 5 %, value: 6 %, reason: r}\n" ALL,
	  "rules/a.yaml:2:21: error: duplicate: 'value' is given twice; first at line 2, column 9\n"
	  "    2 |   low: {value: 5 %, value: 6 %, reason: r}\n"
	  "      |                     ^~~~~" },
	{ "params:\n"
	  "  low: {vaue: 5 %, reasn: r}\n" ALL,
	  "rules/a.yaml:2:9: error: unknown-key: unknown key 'vaue'; did you mean 'value'?\n"
	  "    2 |   low: {vaue: 5 %, reasn: r}\n"
	  "      |         ^~~~\n"
	  "rules/a.yaml:2:20: error: unknown-key: unknown key 'reasn'; did you mean 'reason'?\n"
	  "    2 |   low: {vaue: 5 %, reasn: r}\n"
	  "      |                    ^~~~~" },
	{ "params:\n"
	  "  low: {value: [5 %], reason: \"\"}\n" ALL,
	  "rules/a.yaml:2:16: error: bad-value: 'value' must be a text, this is a list; a text that begins with '[' must be in quotes\n"
	  "    2 |   low: {value: [5 %], reason: \"\"}\n"
	  "      |                ^\n"
	  "rules/a.yaml:2:31: error: bad-value: 'reason' is empty\n"
	  "    2 |   low: {value: [5 %], reason: \"\"}\n"
	  "      |                               ^" },
	{ "params:\n"
	  "  low: {value: a lot, reason: r}\n" ALL,
	  "rules/a.yaml:2:16: error: bad-value: 'a lot' is not a quantity such as '30 s' or '80 %'\n"
	  "    2 |   low: {value: a lot, reason: r}\n"
	  "      |                ^~~~~" },
	{ "evidence: gpu.util\n" ALL,
	  "rules/a.yaml:1:11: error: bad-value: 'evidence' must be a map, this is a text\n"
	  "    1 | evidence: gpu.util\n"
	  "      |           ^~~~~~~~" },
	{ "evidence:\n"
	  "  x: 5 %\n"
	  "  x: 6 %\n" ALL,
	  "rules/a.yaml:3:3: error: duplicate: 'x' is given twice; first at line 2, column 3\n"
	  "    3 |   x: 6 %\n"
	  "      |   ^" },
	{ "evidence:\n"
	  "  and: gpu.util\n"
	  "  9x: gpu.util\n"
	  "  duration: gpu.util\n" ALL,
	  "rules/a.yaml:2:3: error: bad-value: 'and' is a word of the rule language\n"
	  "    2 |   and: gpu.util\n"
	  "      |   ^~~\n"
	  "rules/a.yaml:3:3: error: bad-value: '9x' is no name; names have small letters, digits and '_'\n"
	  "    3 |   9x: gpu.util\n"
	  "      |   ^~\n"
	  "rules/a.yaml:4:3: error: duplicate: 'duration' has a meaning already\n"
	  "    4 |   duration: gpu.util\n"
	  "      |   ^~~~~~~~" },
	{ "clear: gpu.temp\n"
	  "when: gpu.util < 5 %\n" REST,
	  "rules/a.yaml:1:8: error: bad-expression: a condition is wanted here, this is a temperature\n"
	  "    1 | clear: gpu.temp\n"
	  "      |        ^~~~~~~~" },
	{ "when: {gpu.util: 5 %}\n" REST,
	  "rules/a.yaml:1:7: error: bad-value: 'when' must be a text, this is a map; a text that begins with '{' must be in quotes\n"
	  "    1 | when: {gpu.util: 5 %}\n"
	  "      |       ^" },
	{ "when:\n"
	  "  - gpu.util < 5 %\n" REST,
	  "rules/a.yaml:2:3: error: bad-value: 'when' must be a text, this is a list\n"
	  "    2 |   - gpu.util < 5 %\n"
	  "      |   ^" },
	{ "severity: [note]\n"
	  "scope: {gpu: 1}\n" WHEN WORDS TEXTS,
	  "rules/a.yaml:1:11: error: bad-value: 'severity' must be a text, this is a list; a text that begins with '[' must be in quotes\n"
	  "    1 | severity: [note]\n"
	  "      |           ^\n"
	  "rules/a.yaml:2:8: error: bad-value: 'scope' must be a text, this is a map; a text that begins with '{' must be in quotes\n"
	  "    2 | scope: {gpu: 1}\n"
	  "      |        ^" },
	{ "min_coverage: a lot\n"
	  "during: []\n" ALL,
	  "rules/a.yaml:1:15: error: bad-value: 'a lot' is not a quantity such as '30 s' or '80 %'\n"
	  "    1 | min_coverage: a lot\n"
	  "      |               ^~~~~\n"
	  "rules/a.yaml:2:9: error: bad-value: 'during' is empty\n"
	  "    2 | during: []\n"
	  "      |         ^" },
	{ "min_coverage: -1 %\n" ALL,
	  "rules/a.yaml:1:15: error: bad-value: 'min_coverage' must be between '0 %' and '100 %'\n"
	  "    1 | min_coverage: -1 %\n"
	  "      |               ^~~~" },
	{ "min_coverage: 5 s\n" ALL,
	  "rules/a.yaml:1:15: error: bad-value: 'min_coverage' must be between '0 %' and '100 %'\n"
	  "    1 | min_coverage: 5 s\n"
	  "      |               ^~~" },
	{ "cost: gpu.util > 5 %\n" ALL,
	  "rules/a.yaml:1:7: error: bad-expression: a number is wanted here, this is a condition\n"
	  "    1 | cost: gpu.util > 5 %\n"
	  "      |       ^~~~~~~~~~~~~~" },
	{ "checked: |\n"
	  "  two\n"
	  "  lines\n"
	  "short: s\n"
	  "sources: [s]\n" WHEN KIND TEXTS,
	  "rules/a.yaml:2:3: error: bad-value: 'checked' must be one line\n"
	  "    2 |   two\n"
	  "      |   ^~~" },
	{ "try: []\n"
	  "title: t\n"
	  "what: w\n"
	  "why: y\n"
	  "refute: r\n"
	  "card: c\n" WHEN KIND WORDS,
	  "rules/a.yaml:1:6: error: bad-value: 'try' is empty\n"
	  "    1 | try: []\n"
	  "      |      ^" },
	{ "try: [[do]]\n"
	  "title: t\n"
	  "what: w\n"
	  "why: y\n"
	  "refute: r\n"
	  "card: c\n" WHEN KIND WORDS,
	  "rules/a.yaml:1:7: error: bad-value: 'try' must be a text, this is a list; a text that begins with '[' must be in quotes\n"
	  "    1 | try: [[do]]\n"
	  "      |       ^" },
	{ "title: \"{#several}x\"\n"
	  "what: \"{/several}\"\n"
	  "why: \"}\"\n"
	  "try: [\"{}\"]\n"
	  "refute: \"{gpus|}\"\n"
	  "card: \"{@first}\"\n" WHEN KIND WORDS,
	  "rules/a.yaml:1:11: error: bad-placeholder: 'several' is not closed\n"
	  "    1 | title: \"{#several}x\"\n"
	  "      |           ^\n"
	  "rules/a.yaml:2:10: error: bad-placeholder: 'several' is closed, but not open\n"
	  "    2 | what: \"{/several}\"\n"
	  "      |          ^\n"
	  "rules/a.yaml:3:7: error: bad-placeholder: a lone '}'; a brace that is meant is written twice\n"
	  "    3 | why: \"}\"\n"
	  "      |       ^\n"
	  "rules/a.yaml:4:9: error: bad-placeholder: a tag without a name\n"
	  "    4 | try: [\"{}\"]\n"
	  "      |         ^\n"
	  "rules/a.yaml:5:16: error: bad-placeholder: unknown filter ''\n"
	  "    5 | refute: \"{gpus|}\"\n"
	  "      |                ^\n"
	  "rules/a.yaml:6:9: error: bad-placeholder: '@first' outside of a list\n"
	  "    6 | card: \"{@first}\"\n"
	  "      |         ^" },
	{ "explains: {a: b}\n" ALL,
	  "rules/a.yaml:1:11: error: bad-value: 'explains' must be a text, this is a map; a text that begins with '{' must be in quotes\n"
	  "    1 | explains: {a: b}\n"
	  "      |           ^" },
	{ "explains: [[b]]\n" ALL,
	  "rules/a.yaml:1:12: error: bad-value: 'explains' must be a text, this is a list; a text that begins with '[' must be in quotes\n"
	  "    1 | explains: [[b]]\n"
	  "      |            ^" },
};

/* Conditions and values. */
static const struct wrong wrong_expressions[] = {
	{ "when: gpu.utl < 5 %\n" REST,
	  "rules/a.yaml:1:7: error: unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?\n"
	  "    1 | when: gpu.utl < 5 %\n"
	  "      |       ^~~~~~~" },
	{ "when: gpu.util < lo\n" REST,
	  "rules/a.yaml:1:18: error: unknown-name: unknown name 'lo'; 'postrun metrics' lists them\n"
	  "    1 | when: gpu.util < lo\n"
	  "      |                  ^~" },
	{ "when: avg(gpu.util) < 5 %\n" REST,
	  "rules/a.yaml:1:7: error: unknown-name: unknown name 'avg'; did you mean 'mean'?\n"
	  "    1 | when: avg(gpu.util) < 5 %\n"
	  "      |       ^~~" },
	{ "when: gpu.util < 70\n" REST,
	  "rules/a.yaml:1:18: error: bad-dimension: '70' has no unit, 'gpu.util' is a share; write '70 %'\n"
	  "    1 | when: gpu.util < 70\n"
	  "      |                  ^~" },
	{ "when: 70 > gpu.util\n" REST,
	  "rules/a.yaml:1:7: error: bad-dimension: '70' has no unit, 'gpu.util' is a share; write '70 %'\n"
	  "    1 | when: 70 > gpu.util\n"
	  "      |       ^~" },
	{ "when: gpu.power > 90 %\n" REST,
	  "rules/a.yaml:1:17: error: bad-dimension: '>' compares a power with a share; there is 'gpu.power_share'\n"
	  "    1 | when: gpu.power > 90 %\n"
	  "      |                 ^" },
	{ "when: gpu.temp + gpu.power > 90 C\n" REST,
	  "rules/a.yaml:1:16: error: bad-dimension: '+' joins a temperature and a power\n"
	  "    1 | when: gpu.temp + gpu.power > 90 C\n"
	  "      |                ^" },
	{ "when: gpu.temp - 5 % > 90 C\n" REST,
	  "rules/a.yaml:1:16: error: bad-dimension: '-' joins a temperature and a share\n"
	  "    1 | when: gpu.temp - 5 % > 90 C\n"
	  "      |                ^" },
	{ "when: gpu.power_limit * 50 C < gpu.power\n" REST,
	  "rules/a.yaml:1:23: error: bad-dimension: '*' multiplies a power by a temperature; that means nothing\n"
	  "    1 | when: gpu.power_limit * 50 C < gpu.power\n"
	  "      |                       ^" },
	{ "when: gpu.power / gpu.temp < 5\n" REST,
	  "rules/a.yaml:1:17: error: bad-dimension: '/' divides a power by a temperature; that means nothing\n"
	  "    1 | when: gpu.power / gpu.temp < 5\n"
	  "      |                 ^" },
	{ "when: 5 / gpu.power < 5\n" REST,
	  "rules/a.yaml:1:9: error: bad-dimension: '/' divides a plain number by a power; that means nothing\n"
	  "    1 | when: 5 / gpu.power < 5\n"
	  "      |         ^" },
	{ "when: gpu.power / 0 < 5 W\n" REST,
	  "rules/a.yaml:1:19: error: bad-value: division by zero\n"
	  "    1 | when: gpu.power / 0 < 5 W\n"
	  "      |                   ^" },
	{ "when: gpu.power < 5 Watt\n" REST,
	  "rules/a.yaml:1:21: error: unknown-name: unknown unit 'Watt'; did you mean 'W'?\n"
	  "    1 | when: gpu.power < 5 Watt\n"
	  "      |                     ^~~~" },
	{ "when: gpu.mem_used < 5 Gib\n" REST,
	  "rules/a.yaml:1:24: error: unknown-name: unknown unit 'Gib'; did you mean 'GiB'?\n"
	  "    1 | when: gpu.mem_used < 5 Gib\n"
	  "      |                        ^~~" },
	{ "when: gpu.util\n" REST,
	  "rules/a.yaml:1:7: error: bad-expression: a condition is wanted here, this is a share\n"
	  "    1 | when: gpu.util\n"
	  "      |       ^~~~~~~~" },
	{ "when: gpu.util < 5 % and gpu.power\n" REST,
	  "rules/a.yaml:1:26: error: bad-expression: a condition is wanted here, this is a power\n"
	  "    1 | when: gpu.util < 5 % and gpu.power\n"
	  "      |                          ^~~~~~~~~" },
	{ "when: not gpu.util and 5 % or gpu.temp > 5 C\n" REST,
	  "rules/a.yaml:1:11: error: bad-expression: a condition is wanted here, this is a share\n"
	  "    1 | when: not gpu.util and 5 % or gpu.temp > 5 C\n"
	  "      |           ^~~~~~~~\n"
	  "rules/a.yaml:1:24: error: bad-expression: a condition is wanted here, this is a share\n"
	  "    1 | when: not gpu.util and 5 % or gpu.temp > 5 C\n"
	  "      |                        ^~~" },
	{ "when: (gpu.util < 5 %) + 3 < 4\n" REST,
	  "rules/a.yaml:1:7: error: bad-expression: a number is wanted here, this is a condition\n"
	  "    1 | when: (gpu.util < 5 %) + 3 < 4\n"
	  "      |       ^~~~~~~~~~~~~~~~" },
	{ "when: -(gpu.util < 5 %) < 4\n" REST,
	  "rules/a.yaml:1:8: error: bad-expression: a number is wanted here, this is a condition\n"
	  "    1 | when: -(gpu.util < 5 %) < 4\n"
	  "      |        ^~~~~~~~~~~~~~~~" },
	{ "when: 5 % < gpu.util < 70 %\n" REST,
	  "rules/a.yaml:1:22: error: bad-expression: comparisons don't chain; join two with 'and'\n"
	  "    1 | when: 5 % < gpu.util < 70 %\n"
	  "      |                      ^" },
	{ "when: gpu.util < 5 % && gpu.temp > 5 C\n" REST,
	  "rules/a.yaml:1:22: error: bad-expression: '&&' is not an operator; write 'and'\n"
	  "    1 | when: gpu.util < 5 % && gpu.temp > 5 C\n"
	  "      |                      ^~" },
	{ "when: gpu.util < 5 % || gpu.temp > 5 C\n" REST,
	  "rules/a.yaml:1:22: error: bad-expression: '||' is not an operator; write 'or'\n"
	  "    1 | when: gpu.util < 5 % || gpu.temp > 5 C\n"
	  "      |                      ^~" },
	{ "when: not !gpu.util < 5 %\n" REST,
	  "rules/a.yaml:1:11: error: bad-expression: '!' is not an operator; write 'not'\n"
	  "    1 | when: not !gpu.util < 5 %\n"
	  "      |           ^" },
	{ "when: gpu.util = 5 %\n" REST,
	  "rules/a.yaml:1:16: error: bad-expression: '=' is not an operator; write '=='\n"
	  "    1 | when: gpu.util = 5 %\n"
	  "      |                ^" },
	{ "when: gpu.util < 5 % gpu.temp\n" REST,
	  "rules/a.yaml:1:22: error: bad-expression: an operator is missing before 'gpu.temp'\n"
	  "    1 | when: gpu.util < 5 % gpu.temp\n"
	  "      |                      ^~~~~~~~" },
	{ "when: (gpu.util < 5 %\n" REST,
	  "rules/a.yaml:1:22: error: bad-expression: ')' is missing at the end\n"
	  "    1 | when: (gpu.util < 5 %\n"
	  "      |                      ^" },
	{ "when: gpu.util < 5 %)\n" REST,
	  "rules/a.yaml:1:21: error: bad-expression: nothing opens this ')'\n"
	  "    1 | when: gpu.util < 5 %)\n"
	  "      |                     ^" },
	{ "when: gpu.util <\n" REST,
	  "rules/a.yaml:1:17: error: bad-expression: a value is missing at the end\n"
	  "    1 | when: gpu.util <\n"
	  "      |                 ^" },
	{ "when: gpu.util < and gpu.temp > 5 C\n" REST,
	  "rules/a.yaml:1:18: error: bad-expression: a value is missing before 'and'\n"
	  "    1 | when: gpu.util < and gpu.temp > 5 C\n"
	  "      |                  ^~~" },
	{ "when: gpu.util < 5 % ; x\n" REST,
	  "rules/a.yaml:1:22: error: bad-expression: ';' has no meaning here\n"
	  "    1 | when: gpu.util < 5 % ; x\n"
	  "      |                      ^" },
	{ "when: mean(gpu.util, 10 W) < 5 %\n" REST,
	  "rules/a.yaml:1:22: error: bad-dimension: the window must be a time such as '10 s', this is a power\n"
	  "    1 | when: mean(gpu.util, 10 W) < 5 %\n"
	  "      |                      ^~~~" },
	{ "when: mean(gpu.util, 0 s) < 5 %\n" REST,
	  "rules/a.yaml:1:22: error: bad-value: the window must be between 1 ms and 366 days, the limit 'duration'\n"
	  "    1 | when: mean(gpu.util, 0 s) < 5 %\n"
	  "      |                      ^~~" },
	{ "when: mean(gpu.util, 10 s, 5 s) < 5 %\n" REST,
	  "rules/a.yaml:1:26: error: bad-expression: a fold has one or two arguments\n"
	  "    1 | when: mean(gpu.util, 10 s, 5 s) < 5 %\n"
	  "      |                          ^" },
	{ "when: mean(gpu.util, soon) < 5 %\n" REST,
	  "rules/a.yaml:1:22: error: unknown-name: unknown time 'soon'; behind ',' stands a duration such as '10 s', or run, idle_head, "
	  "startup, steady, dip, down, tail, unseen, first_third, last_third, inside and outside\n"
	  "    1 | when: mean(gpu.util, soon) < 5 %\n"
	  "      |                      ^~~~" },
	{ "when: mean() < 5 %\n" REST,
	  "rules/a.yaml:1:12: error: bad-expression: a value is missing before ')'\n"
	  "    1 | when: mean() < 5 %\n"
	  "      |            ^" },
	{ "when: mean gpu.util < 5 %\n" REST,
	  "rules/a.yaml:1:12: error: bad-expression: '(' is missing before 'gpu.util'\n"
	  "    1 | when: mean gpu.util < 5 %\n"
	  "      |            ^~~~~~~~" },
	{ "when: mean(gpu.util, inside) < 5 %\n" REST,
	  "rules/a.yaml:1:22: error: bad-expression: 'inside' is known only after firing: in evidence and cost\n"
	  "    1 | when: mean(gpu.util, inside) < 5 %\n"
	  "      |                      ^~~~~~" },
	{ "when: mean(gpu.util, outside) < 5 % and gpu.util < ref(gpu.util)\n" REST,
	  "rules/a.yaml:1:22: error: bad-expression: 'outside' is known only after firing: in evidence and cost\n"
	  "    1 | when: mean(gpu.util, outside) < 5 % and gpu.util < ref(gpu.util)\n"
	  "      |                      ^~~~~~~\n"
	  "rules/a.yaml:1:52: error: bad-expression: 'ref' is known only after firing: in evidence and cost\n"
	  "    1 | when: mean(gpu.util, outside) < 5 % and gpu.util < ref(gpu.util)\n"
	  "      |                                                    ^~~" },
	{ "when: mean(gpu.util < 5 %) < 5 %\n" REST,
	  "rules/a.yaml:1:12: error: bad-expression: 'mean' takes a number, this is a condition; 'share' takes one\n"
	  "    1 | when: mean(gpu.util < 5 %) < 5 %\n"
	  "      |            ^~~~~~~~~~~~~~" },
	{ "when: core.busy > 5 %\n" REST,
	  "rules/a.yaml:1:7: error: bad-expression: 'core.busy' belongs to one core, this is a gpu rule; write 'mean of cores(core.busy)'\n"
	  "    1 | when: core.busy > 5 %\n"
	  "      |       ^~~~~~~~~" },
	{ "when: max of cores(gpu.util) > 5 %\n" REST,
	  "rules/a.yaml:1:20: error: bad-expression: 'gpu.util' can't be seen inside 'of cores(…)'\n"
	  "    1 | when: max of cores(gpu.util) > 5 %\n"
	  "      |                    ^~~~~~~~" },
	{ "when: max of nodes(gpu.util) > 5 %\n" REST,
	  "rules/a.yaml:1:14: error: unknown-name: unknown set 'nodes'; did you mean 'hosts'?\n"
	  "    1 | when: max of nodes(gpu.util) > 5 %\n"
	  "      |              ^~~~~" },
	{ "when: max of cores(max of cores(core.busy)) > 5 %\n" REST,
	  "rules/a.yaml:1:27: error: bad-expression: 'of' inside of 'of'\n"
	  "    1 | when: max of cores(max of cores(core.busy)) > 5 %\n"
	  "      |                           ^~~~~" },
	{ "when: max of cores(core.busy, 10 s) > 5 %\n" REST,
	  "rules/a.yaml:1:29: error: bad-expression: a fold 'of cores' has one argument\n"
	  "    1 | when: max of cores(core.busy, 10 s) > 5 %\n"
	  "      |                             ^" },
	{ "when: gpu.util > 5 %\n"
	  HOST WORDS TEXTS,
	  "rules/a.yaml:1:7: error: bad-expression: 'gpu.util' belongs to one gpu, this is a host rule; write 'mean of gpus(gpu.util)'\n"
	  "    1 | when: gpu.util > 5 %\n"
	  "      |       ^~~~~~~~" },
	{ "when: gpu.throttle has hw_termal\n" REST,
	  "rules/a.yaml:1:24: error: unknown-name: unknown reason 'hw_termal'; did you mean 'hw_thermal'?\n"
	  "    1 | when: gpu.throttle has hw_termal\n"
	  "      |                        ^~~~~~~~~" },
	{ "when: gpu.util has hw_thermal\n" REST,
	  "rules/a.yaml:1:7: error: bad-expression: only gpu.throttle has reasons\n"
	  "    1 | when: gpu.util has hw_thermal\n"
	  "      |       ^~~~~~~~" },
	{ "when: gpu.throttle has 5\n" REST,
	  "rules/a.yaml:1:24: error: bad-expression: behind 'has' stands a reason such as hw_thermal\n"
	  "    1 | when: gpu.throttle has 5\n"
	  "      |                        ^" },
	{ "when: gpu.throttle > 0\n" REST,
	  "rules/a.yaml:1:7: error: bad-dimension: 'gpu.throttle' is a mask of reasons; write 'gpu.throttle has REASON'\n"
	  "    1 | when: gpu.throttle > 0\n"
	  "      |       ^~~~~~~~~~~~" },
	{ "when: gpu.ecc_uncorrected > 0\n" REST,
	  "rules/a.yaml:1:7: error: bad-dimension: 'gpu.ecc_uncorrected' is a counter; write rate(gpu.ecc_uncorrected, 10 s) or delta(…)\n"
	  "    1 | when: gpu.ecc_uncorrected > 0\n"
	  "      |       ^~~~~~~~~~~~~~~~~~~" },
	{ "when: share(gpu.power) > 5 %\n" REST,
	  "rules/a.yaml:1:13: error: bad-expression: 'share' takes a condition, this is a power\n"
	  "    1 | when: share(gpu.power) > 5 %\n"
	  "      |             ^~~~~~~~~" },
	{ "when: total(gpu.temp, run) > 5 C\n" REST,
	  "rules/a.yaml:1:13: error: bad-dimension: 'total' of a temperature means nothing\n"
	  "    1 | when: total(gpu.temp, run) > 5 C\n"
	  "      |             ^~~~~~~~" },
	{ "when: count(gpu.util < 5 %) > 2\n" REST,
	  "rules/a.yaml:1:7: error: bad-expression: 'count' is over a set; write 'count of gpus(…)'\n"
	  "    1 | when: count(gpu.util < 5 %) > 2\n"
	  "      |       ^~~~~" },
	{ "when: max of others(gpu.util) > 5 %\n"
	  HOST WORDS TEXTS,
	  "rules/a.yaml:1:14: error: bad-expression: 'others' are the other GPUs of a gpu rule, this is a host rule; write 'gpus'\n"
	  "    1 | when: max of others(gpu.util) > 5 %\n"
	  "      |              ^~~~~~" },
	{ "when: if gpu.util > 5 %\n" REST,
	  "rules/a.yaml:1:7: error: bad-expression: there is no 'if'; a condition stands alone, its parts joined with 'and' and 'or'\n"
	  "    1 | when: if gpu.util > 5 %\n"
	  "      |       ^~" },
	{ "when: p97(gpu.utilization, 5 m) > 5 %\n" REST,
	  "rules/a.yaml:1:7: error: unknown-name: unknown name 'p97'; did you mean 'p95'?\n"
	  "    1 | when: p97(gpu.utilization, 5 m) > 5 %\n"
	  "      |       ^~~" },
	{ "when: gpu.util > 5 % for 10 min\n" REST,
	  "rules/a.yaml:1:22: error: bad-expression: 'for' is a key of its own, beside 'when'\n"
	  "    1 | when: gpu.util > 5 % for 10 min\n"
	  "      |                      ^~~" },
	{ "when: gpu.util < 20 and gpu.temp >= 80\n" REST,
	  "rules/a.yaml:1:18: error: bad-dimension: '20' has no unit, 'gpu.util' is a share; write '20 %'\n"
	  "    1 | when: gpu.util < 20 and gpu.temp >= 80\n"
	  "      |                  ^~\n"
	  "rules/a.yaml:1:37: error: bad-dimension: '80' has no unit, 'gpu.temp' is a temperature; write '80 C'\n"
	  "    1 | when: gpu.util < 20 and gpu.temp >= 80\n"
	  "      |                                     ^~" },
	{ "when: hole(5)\n" REST,
	  "rules/a.yaml:1:12: error: bad-expression: hole has the name of a metric as its argument\n"
	  "    1 | when: hole(5)\n"
	  "      |            ^" },
	{ "when: hole(gpu.utl)\n" REST,
	  "rules/a.yaml:1:12: error: unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?\n"
	  "    1 | when: hole(gpu.utl)\n"
	  "      |            ^~~~~~~" },
	{ "when: hole(mean)\n" REST,
	  "rules/a.yaml:1:12: error: bad-expression: hole has the name of a metric as its argument\n"
	  "    1 | when: hole(mean)\n"
	  "      |            ^~~~" },
	{ "params:\n"
	  "  low: {value: 5 %, reason: r}\n"
	  "when: hole(low)\n" REST,
	  "rules/a.yaml:3:12: error: bad-expression: hole has the name of a metric as its argument\n"
	  "    3 | when: hole(low)\n"
	  "      |            ^~~" },
	{ "params:\n"
	  "  low: {value: 5, reason: r}\n"
	  "when: gpu.util < low\n" REST,
	  "rules/a.yaml:3:18: error: bad-dimension: 'low' has no unit, 'gpu.util' is a share; give it one, such as '%'\n"
	  "    3 | when: gpu.util < low\n"
	  "      |                  ^~~" },
	{ "when: 5 % < 6 %\n" REST,
	  "rules/a.yaml:1:7: error: bad-expression: 'when' names no metric; it is always the same\n"
	  "    1 | when: 5 % < 6 %\n"
	  "      |       ^~~~~~~~~" },
	{ "when: [max(gpu.util, 60 s), gpu.temp]\n" REST,
	  "rules/a.yaml:1:7: error: bad-value: 'when' must be a text, this is a list; a text that begins with '[' must be in quotes\n"
	  "    1 | when: [max(gpu.util, 60 s), gpu.temp]\n"
	  "      |       ^" },
	{ "when: >-\n"
	  "  gpu.util < 5 %\n"
	  "  and gpu.tmp > 5 C\n" REST,
	  "rules/a.yaml:3:7: error: unknown-name: unknown name 'gpu.tmp'; did you mean 'gpu.temp'?\n"
	  "    3 |   and gpu.tmp > 5 C\n"
	  "      |       ^~~~~~~" },
	{ "when: '  gpu.utl < 5 %'\n" REST,
	  "rules/a.yaml:1:10: error: unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?\n"
	  "    1 | when: '  gpu.utl < 5 %'\n"
	  "      |          ^~~~~~~" },
	{ "when: \"gpu.util \\u003c 5 % and\\x20gpu.tmp > 5 C\"\n" REST,
	  "rules/a.yaml:1:8: error: unknown-name: unknown name 'gpu.tmp'; did you mean 'gpu.temp'?\n"
	  "    1 | when: \"gpu.util \\u003c 5 % and\\x20gpu.tmp > 5 C\"\n"
	  "      |        ^" },
	{ "clear: gpu.utl > 5 %\n" ALL,
	  "rules/a.yaml:1:8: error: unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?\n"
	  "    1 | clear: gpu.utl > 5 %\n"
	  "      |        ^~~~~~~" },
};

static void check_rows(const struct wrong *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct rule_file file = { "rules/a.yaml", slice_of(rows[i].text), LAYER_BUILT_IN };
		struct fixture f;
		begin(&f);
		assert_null(rules_of_files(&f.mem, &file, 1, &f.diags));
		assert_string_equal(all_complaints(&f), rows[i].complaints);
		end(&f);
	}
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static void refuses_what_is_not_yaml(void **state)
{
	(void)state;
	check_rows(not_yaml, COUNT(not_yaml));
}

static void refuses_wrong_keys(void **state)
{
	(void)state;
	check_rows(wrong_keys, COUNT(wrong_keys));
}

static void refuses_wrong_parts(void **state)
{
	(void)state;
	check_rows(wrong_parts, COUNT(wrong_parts));
}

static void refuses_wrong_expressions(void **state)
{
	(void)state;
	check_rows(wrong_expressions, COUNT(wrong_expressions));
}

static void reports_every_problem_of_every_file(void **state)
{
	static const struct rule_file files[] = {
		{ "rules/b.yaml", { "colour: red\n" ALL, sizeof "colour: red\n" ALL - 1 }, LAYER_BUILT_IN },
		{ "rules/a.yaml", { "for: 5\ncost: gpu.utl\n" ALL, sizeof "for: 5\ncost: gpu.utl\n" ALL - 1 }, LAYER_BUILT_IN },
		{ "rules/Bad name.yaml", { ALL, sizeof ALL - 1 }, LAYER_BUILT_IN },
	};
	struct fixture f;

	(void)state;
	begin(&f);
	assert_null(rules_of_files(&f.mem, files, 3, &f.diags));
	assert_string_equal(all_complaints(&f),
		"rules/Bad name.yaml: error: bad-value: the file must be named after its rule: small letters (a-z), digits and '-', not 'B', then '.yaml'\n"
		"rules/a.yaml:1:6: error: bad-value: 'for' must be a time such as '10 s', this is a plain number\n"
		"    1 | for: 5\n"
		"      |      ^\n"
		"rules/a.yaml:2:7: error: unknown-name: unknown name 'gpu.utl'; did you mean 'gpu.util'?\n"
		"    2 | cost: gpu.utl\n"
		"      |       ^~~~~~~\n"
		"rules/b.yaml:1:1: error: unknown-key: unknown key 'colour'\n"
		"    1 | colour: red\n"
		"      | ^~~~~~");
	end(&f);
}

/* A hundred in a rule are told, and that there are more. */
static void mistakes_have_an_end(void **state)
{
	(void)state;
	for (int n = RULE_PROBLEMS_MAX; n <= RULE_PROBLEMS_MAX + 2; n++) {
		struct fixture f;
		struct buf text;

		begin(&f);
		buf_init(&text, (size_t)1 << 16);
		for (int i = 0; i < n; i++)
			buf_print(&text, "wrong_%d: 1\n", i);
		buf_text(&text, ALL);
		const struct rule_file file = { "rules/a.yaml", { text.at, text.n }, LAYER_BUILT_IN };
		assert_null(rules_of_files(&f.mem, &file, 1, &f.diags));
		assert_int_equal(f.diags.n, RULE_PROBLEMS_MAX + (n > RULE_PROBLEMS_MAX));
		const char *const told = strstr(all_complaints(&f), "rules/a.yaml: error: limit: no more mistakes in a rule are told than 100, the limit 'rule-mistakes'");
		assert_true((told != NULL) == (n > RULE_PROBLEMS_MAX));
		buf_release(&text);
		end(&f);
	}
}

static void says_what_is_wrong_with_the_name_of_a_file(void **state)
{
	static const struct { const char *path, *but; } cases[] = {
		{ "rules/slow_files.yaml", ", not '_'" },
		{ "rules/langs\303\244m.yaml", ", not '\303\244'" },
		{ "rules/slow files.yaml", ", not ' '" },
		{ "rules/slow.yaml.bak", ", not '.'" },
		{ "rules/3-gpus.yaml", ", and a letter first" },
		{ "rules/-a.yaml", ", and a letter first" },
		{ "rules/a123456789-123456789-123456789-123456789-123456789-123456789-1234.yaml", ", at most 64 of them" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct rule_file file = { cases[i].path, { ALL, sizeof ALL - 1 }, LAYER_BUILT_IN };
		struct fixture f;
		begin(&f);
		assert_null(rules_of_files(&f.mem, &file, 1, &f.diags));
		assert_string_equal(all_complaints(&f), arena_print(&f.mem,
			"%s: error: bad-value: the file must be named after its rule: small letters (a-z), digits and '-'%s, then '.yaml'",
			cases[i].path, cases[i].but));
		end(&f);
	}
}

static void says_how_the_name_of_a_file_ends(void **state)
{
	static const struct rule_file file = { "rules/slow.yml", { ALL, sizeof ALL - 1 }, LAYER_BUILT_IN };
	struct fixture f;

	(void)state;
	begin(&f);
	assert_null(rules_of_files(&f.mem, &file, 1, &f.diags));
	assert_string_equal(all_complaints(&f), "rules/slow.yml: error: bad-value: the name of a rule file ends in '.yaml', not in '.yml'");
	end(&f);
}

static void refuses_one_id_twice(void **state)
{
	static const struct rule_file files[] = {
		{ "rules/a.yaml", { ALL, sizeof ALL - 1 }, LAYER_BUILT_IN },
		{ "other/a.yaml", { ALL, sizeof ALL - 1 }, LAYER_BUILT_IN },
	};
	struct fixture f;

	(void)state;
	begin(&f);
	assert_null(rules_of_files(&f.mem, files, 2, &f.diags));
	assert_string_equal(all_complaints(&f), "other/a.yaml: error: duplicate: rule 'a' is also in rules/a.yaml");
	end(&f);
}

static const char starved[] =
	"id: gpu-starved\n"
	"title: \"{Gpus} waited\"\n"
	"short: input starvation\n"
	"checked: input starvation\n"
	"severity: critical\n"
	"scope: gpu\n"
	"sources: [\"a\", b]\n"
	"params:\n"
	"  low: {value: 70 %, reason: \"x\"}\n"
	"  long: {value: 2 min, reason: y}\n"
	"when: very_few and (gpu.throttle has hw_thermal or max of cores(core.busy) > 95 %)\n"
	"clear: host.cpu.busy < 50 % or gpu.util > 90 %\n"
	"for: 10 s\n"
	"merge_gap: 1.5 s\n"
	"during: [startup, steady]\n"
	"keep_for: 7 s\n"
	"max_gap: 2 s\n"
	"min_coverage: 60 %\n"
	"tags: [input, cpu]\n"
	"let:\n"
	"  few: low - 5 %\n"
	"  very_few: mean(gpu.util, long) < few\n"
	"evidence:\n"
	"  gpu_busy: mean(gpu.util, inside)\n"
	"cost: 1 - gpu.util / ref(gpu.util)\n"
	"what: >-\n"
	"  {Gpus} waited {duration},\n"
	"  below {low} at {gpu_busy}\n"
	"why: y\n"
	"try: [one, \"two {host}\"]\n"
	"refute: |\n"
	"  r\n"
	"card: \"{gpu_busy}\"\n"
	"explains: other\n"
	"excluded_by: [other]\n"
	"rivals:\n"
	"  - {rule: other, settle: look}\n";

static const struct rule_file built_in[] = {
	{ "rules/other.yaml", { ALL, sizeof ALL - 1 }, LAYER_BUILT_IN },
	{ "rules/gpu-starved.yaml", { starved, sizeof starved - 1 }, LAYER_BUILT_IN },
};

static void gives_the_rule_that_was_written(void **state)
{
	static const enum metric needed[] = { METRIC_GPU_UTIL, METRIC_GPU_THR_HW_THERMAL, METRIC_CPU_BUSY, METRIC_CORE_BUSY };
	struct fixture f;

	(void)state;
	begin(&f);
	const struct rules *const rules = rules_of_files(&f.mem, built_in, 2, &f.diags);
	assert_string_equal(all_complaints(&f), "");
	assert_non_null(rules);
	assert_int_equal(rules->n, 2);
	const struct rule *const r = rules->at[0];
	assert_string_equal(r->id, "gpu-starved");
	assert_string_equal(r->path, "rules/gpu-starved.yaml");
	assert_string_equal(r->short_name, "input starvation");
	assert_int_equal(r->severity, SEVERITY_CRITICAL);
	assert_int_equal(r->scope, SCOPE_GPU);
	assert_int_equal(r->hold, 10000);
	assert_int_equal(r->keep, 7000);
	assert_int_equal(r->merge_gap, 1500);
	assert_int_equal(r->max_gap, 2000);
	assert_int_equal(r->during, 1u << PHASE_STARTUP | 1u << PHASE_STEADY);
	assert_true(r->min_coverage > 0.599 && r->min_coverage < 0.601);
	assert_true(r->by_driver_flag);
	assert_int_equal(r->n_try, 2);
	assert_int_equal(r->sources.n, 2);
	assert_string_equal(r->sources.at[1], "b");
	assert_int_equal(r->tags.n, 2);
	assert_string_equal(r->tags.at[1], "cpu");
	assert_int_equal(r->explains.n, 1);
	assert_int_equal(r->excluded_by.n, 1);
	assert_string_equal(r->excluded_by.at[0], "other");
	assert_int_equal(r->n_rivals, 1);
	assert_string_equal(r->rivals[0].rule, "other");
	assert_string_equal(r->rivals[0].settle, "look");
	assert_int_equal(r->n_lets, 2);
	assert_true(slice_is(r->lets[1].name, "very_few"));
	assert_int_equal(r->when->left->kind, NODE_COMPARE);
	assert_int_equal(r->when->left->left->kind, NODE_ROLLING);
	assert_int_equal(r->kind, RULE_INTERVAL);
	assert_int_equal(r->layer, LAYER_BUILT_IN);
	assert_ptr_equal(r->source.p, starved);
	assert_int_equal(r->root->kind, YAML_MAP);
	assert_int_equal(r->n_metrics, 4);
	assert_memory_equal(r->metrics, needed, sizeof needed);

	const struct rule *const other = rules->at[1];
	assert_int_equal(other->during, 1u << PHASE_STEADY);
	assert_true(other->min_coverage > 0.799 && other->min_coverage < 0.801);
	assert_int_equal(other->hold, 0);
	assert_null(other->clear);
	assert_null(other->cost);
	assert_false(other->by_driver_flag);
	end(&f);
}

/* What nobody writes: the scope, unless it is said, and the kind. */
static const struct inferred {
	const char *text;
	enum scope scope;
	enum rule_kind kind;
	bool by_driver_flag;
} inferred[] = {
	{ "when: gpu.util < 5 %\n", SCOPE_GPU, RULE_INTERVAL, false },
	{ "when: host.cpu.busy > 90 %\n", SCOPE_HOST, RULE_INTERVAL, false },
	{ "when: host.cpu.busy > 90 % and gpu.util < 5 %\n", SCOPE_GPU, RULE_INTERVAL, false },
	{ "when: host.cpu.busy > 90 %\nclear: gpu.util > 5 %\n", SCOPE_GPU, RULE_INTERVAL, false },
	{ "let:\n  busy: gpu.util > 5 %\nwhen: host.cpu.busy > 90 % and busy\n", SCOPE_GPU, RULE_INTERVAL, false },
	{ "when: max of cores(core.busy) > 90 %\n", SCOPE_RUN, RULE_INTERVAL, false },
	{ "when: max of cores(core.busy) > 90 %\nscope: host\n", SCOPE_HOST, RULE_INTERVAL, false },
	{ "when: core.busy > 90 %\nscope: core\n", SCOPE_CORE, RULE_INTERVAL, false },
	{ "when: p95(gpu.util) < 5 %\n", SCOPE_GPU, RULE_WHOLE, false },
	{ "when: p95(gpu.util, run) < 5 % and max(gpu.temp) > 80 C\n", SCOPE_GPU, RULE_WHOLE, false },
	{ "when: p95(gpu.util) < 5 % and gpu.temp > 80 C\n", SCOPE_GPU, RULE_INTERVAL, false },
	{ "when: mean(gpu.util, 10 s) < 5 %\n", SCOPE_GPU, RULE_INTERVAL, false },
	/* what the driver says of held clocks, it says by its flag or by its counter */
	{ "when: gpu.throttle has sw_power\n", SCOPE_GPU, RULE_INTERVAL, true },
	{ "when: rate(gpu.throttled.hw_thermal, 10 s) > 20 %\n", SCOPE_GPU, RULE_INTERVAL, true },
	/* what it does not say proves nothing */
	{ "when: gpu.util > 90 % and not gpu.throttle has sw_power\n", SCOPE_GPU, RULE_INTERVAL, false },
	{ "when: delta(gpu.ecc_corrected, run) > 3\n", SCOPE_GPU, RULE_WHOLE, false },
};

static void infers_what_is_not_said(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(inferred); i++) {
		struct fixture f;
		begin(&f);
		const char *const text = arena_print(&f.mem, "%sseverity: note\n" WORDS TEXTS, inferred[i].text);
		const struct rule_file file = { "rules/a.yaml", slice_of(text), LAYER_BUILT_IN };
		const struct rules *const rules = rules_of_files(&f.mem, &file, 1, &f.diags);
		assert_string_equal(all_complaints(&f), "");
		assert_int_equal(rules->at[0]->scope, inferred[i].scope);
		assert_int_equal(rules->at[0]->kind, inferred[i].kind);
		assert_int_equal(rules->at[0]->by_driver_flag, inferred[i].by_driver_flag);
		end(&f);
	}
}

static void fills_the_texts_of_a_rule(void **state)
{
	static const struct text_values values = { .gpus = "GPU 3", .Gpus = "GPU 3", .duration = "16 min", .host = "node01" };
	static const struct quantity evidence[] = { { 4.7, UNIT_PERCENT } };
	struct fixture f;
	struct buf out;

	(void)state;
	begin(&f);
	const struct rules *const rules = rules_of_files(&f.mem, built_in, 2, &f.diags);
	const struct rule *const r = rules->at[0];
	buf_init(&out, 1000);
	template_render(r->what, rule_text_values(&f.mem, r, &values, evidence), escape_plain, &out);
	buf_char(&out, '|');
	template_render(r->try[1], rule_text_values(&f.mem, r, &values, NULL), escape_plain, &out);
	assert_string_equal(out.at, "GPU 3 waited 16 min, below 70 % at 5 %|two node01");
	buf_release(&out);
	end(&f);
}

static const char *digest_of(struct fixture *f, const char *text)
{
	const XXH128_hash_t hash = XXH3_128bits(text, strlen(text));

	return arena_print(&f->mem, "xxh128:%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

static void takes_the_users_file_for_a_built_in_one(void **state)
{
	static const struct rule_file mine = { "mine/other.yaml", { "for: 7 s\n" ALL, sizeof "for: 7 s\n" ALL - 1 }, LAYER_GIVEN };
	const struct rule_file files[] = { built_in[0], built_in[1], mine };
	struct fixture f;

	(void)state;
	begin(&f);
	const struct rules *const rules = rules_of_files(&f.mem, files, 3, &f.diags);
	assert_non_null(rules);
	assert_int_equal(rules->n, 2);
	assert_string_equal(rules->at[1]->path, "mine/other.yaml");
	assert_int_equal(rules->at[1]->hold, 7000);
	assert_int_equal(rules->n_files, 1);
	assert_string_equal(rules->files[0].path, "mine/other.yaml");
	assert_string_equal(rules->digest, digest_of(&f, arena_print(&f.mem, "%sfor: 7 s\n%s", starved, ALL)));
	end(&f);
}

static void takes_no_rules_at_all(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	const struct rules *const rules = rules_of_files(&f.mem, NULL, 0, &f.diags);
	assert_non_null(rules);
	assert_int_equal(rules->n, 0);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_is_not_yaml),
		cmocka_unit_test(refuses_wrong_keys),
		cmocka_unit_test(refuses_wrong_parts),
		cmocka_unit_test(refuses_wrong_expressions),
		cmocka_unit_test(reports_every_problem_of_every_file),
		cmocka_unit_test(mistakes_have_an_end),
		cmocka_unit_test(says_what_is_wrong_with_the_name_of_a_file),
		cmocka_unit_test(says_how_the_name_of_a_file_ends),
		cmocka_unit_test(refuses_one_id_twice),
		cmocka_unit_test(gives_the_rule_that_was_written),
		cmocka_unit_test(infers_what_is_not_said),
		cmocka_unit_test(fills_the_texts_of_a_rule),
		cmocka_unit_test(takes_the_users_file_for_a_built_in_one),
		cmocka_unit_test(takes_no_rules_at_all),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
