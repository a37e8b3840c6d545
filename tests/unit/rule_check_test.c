/*
 * rule_check_test.c - rules beside each other, and what the command line and `rules check` say of them.
 *
 * Each row is a set of rule files in their layers, settings of params, ids to leave out, and word for word what is said
 * about it. Below: what becomes of layers, settings and disabled rules that are right. One wrong file alone: rule_errors_test.c.
 */
#include "complaints.h"

#include "base/embedded.h"
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
#define WORDS "short: s\nchecked: c\nsources: [somewhere]\n"
#define WHEN "when: gpu.util < 5 %\n"
#define TEXTS "title: t\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\n"
#define TESTS \
	"tests:\n" \
	"  - {given: {gpu.util: 1 x 9 s}, expect: {outcome: fired}}\n" \
	"  - {given: {gpu.util: 1 x 9 s}, expect: [{outcome: clear}]}\n" \
	"  - {given: {gpu.util: 1 x 9 s}, expect: skipped}\n"
#define REST KIND WORDS TEXTS
#define ALL WHEN KIND WORDS TEXTS
#define HOST_RULE "severity: note\nscope: host\nwhen: host.cpu.busy > 5 %\n" WORDS TEXTS
#define PARAM "params:\n  low: {value: 5 %, reason: r}\nwhen: gpu.util < low\n" REST

/* A rule without doubts but for its condition, in line 3; `condition` may go on with lines of other keys. */
#define RULE(severity, condition) "severity: " severity "\nscope: gpu\nwhen: " condition "\n" WORDS TEXTS TESTS

#define BUILT_IN(path, text) { path, { text, sizeof(text) - 1 }, LAYER_BUILT_IN }
#define SYSTEM(path, text) { path, { text, sizeof(text) - 1 }, LAYER_SYSTEM }
#define USER(path, text) { path, { text, sizeof(text) - 1 }, LAYER_USER }
#define GIVEN(path, text) { path, { text, sizeof(text) - 1 }, LAYER_GIVEN }

struct row {
	struct rule_file files[5];
	const char *settings[3], *disabled[2];
	bool loads;
	const char *complaints;
};

/* What no other file may say, and what the command line may not. */
static const struct row wrong_together[] = {
	{ .files = {
		BUILT_IN("rules/a.yaml", ALL),
		BUILT_IN("other/a.yaml", ALL),
	  },
	  .complaints =
		  "other/a.yaml: error: duplicate: rule 'a' is also in rules/a.yaml" },
	{ .files = {
		BUILT_IN("rules/a.yaml", ALL),
		GIVEN("mine/a.yaml", ALL),
		GIVEN("mine/more/a.yaml", ALL),
	  },
	  .complaints =
		  "mine/more/a.yaml: error: duplicate: rule 'a' is also in mine/a.yaml" },
	{ .files = {
		BUILT_IN("rules/a.yaml", "for: 5\n" ALL),
		GIVEN("mine/a.yaml", ALL),
	  },
	  .complaints =
		  "rules/a.yaml:1:6: error: bad-value: 'for' must be a time such as '10 s', this is a plain number\n"
		  "    1 | for: 5\n"
		  "      |      ^" },
	{ .files = {
		BUILT_IN("rules/gpu-hot.yaml", ALL),
		BUILT_IN("rules/b.yaml",
			"explains: gpu-hott\n"
			"excluded_by: [gpu-htt]\n"
			"rivals: [{rule: gpuhot, settle: look}]\n" ALL),
	  },
	  .complaints =
		  "rules/b.yaml:1:11: error: bad-value: no rule 'gpu-hott'; did you mean 'gpu-hot'?\n"
		  "    1 | explains: gpu-hott\n"
		  "      |           ^~~~~~~~\n"
		  "rules/b.yaml:2:15: error: bad-value: no rule 'gpu-htt'; did you mean 'gpu-hot'?\n"
		  "    2 | excluded_by: [gpu-htt]\n"
		  "      |               ^~~~~~~\n"
		  "rules/b.yaml:3:17: error: bad-value: no rule 'gpuhot'; did you mean 'gpu-hot'?\n"
		  "    3 | rivals: [{rule: gpuhot, settle: look}]\n"
		  "      |                 ^~~~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml", "explains_on_others: b\n" ALL),
		BUILT_IN("rules/b.yaml", HOST_RULE),
	  },
	  .complaints =
		  "rules/a.yaml:1:21: error: bad-value: 'b' is a host rule, on other GPUs it has no finding\n"
		  "    1 | explains_on_others: b\n"
		  "      |                     ^" },
	{ .files = {
		BUILT_IN("rules/a.yaml", "follows: [b]\n" ALL),
		BUILT_IN("rules/b.yaml", HOST_RULE),
	  },
	  .complaints =
		  "rules/a.yaml:1:11: error: bad-value: 'b' is a host rule, what a gpu rule finds has another entity\n"
		  "    1 | follows: [b]\n"
		  "      |           ^" },
	{ .files = {
		BUILT_IN("rules/a.yaml", "excluded_by: b\n" ALL),
		BUILT_IN("rules/b.yaml", "excluded_by: [c]\n" ALL),
		BUILT_IN("rules/c.yaml", "excluded_by: [d, a]\n" ALL),
		BUILT_IN("rules/d.yaml", ALL),
	  },
	  .complaints =
		  "rules/a.yaml:1:14: error: bad-value: these rules wait for each other in a circle: 'a' for 'b' for 'c' for 'a'\n"
		  "    1 | excluded_by: b\n"
		  "      |              ^" },
	{ .files = {
		BUILT_IN("rules/a.yaml", "excluded_by: b\n" ALL),
		BUILT_IN("rules/b.yaml", "excluded_by: a\n" ALL),
		BUILT_IN("rules/c.yaml", "excluded_by: [a]\n" ALL),
	  },
	  .complaints =
		  "rules/a.yaml:1:14: error: bad-value: these rules wait for each other in a circle: 'a' for 'b' for 'a'\n"
		  "    1 | excluded_by: b\n"
		  "      |              ^" },
	{ .files = {
		BUILT_IN("rules/a.yaml", "excluded_by: b\n" ALL),
		BUILT_IN("rules/b.yaml", "unknown_while: [a]\n" ALL),
	  },
	  .complaints =
		  "rules/a.yaml:1:14: error: bad-value: these rules wait for each other in a circle: 'a' for 'b' for 'a'\n"
		  "    1 | excluded_by: b\n"
		  "      |              ^" },
	{ .files = {
		BUILT_IN("rules/a.yaml", "unknown_while: b\n" HOST_RULE),
		BUILT_IN("rules/b.yaml", "unknown_while: b\n" ALL),
	  },
	  .complaints =
		  "rules/a.yaml:1:16: error: bad-value: 'b' is a gpu rule, it says nothing of the logs of a host rule\n"
		  "    1 | unknown_while: b\n"
		  "      |                ^\n"
		  "rules/b.yaml:1:16: error: bad-value: a rule can't doubt itself\n"
		  "    1 | unknown_while: b\n"
		  "      |                ^" },
	{ .files = {
		BUILT_IN("rules/a.yaml", "excluded_by: b\n" HOST_RULE),
		BUILT_IN("rules/b.yaml", ALL),
	  },
	  .complaints =
		  "rules/a.yaml:1:14: error: bad-value: 'b' is a gpu rule, it can't exclude a host rule\n"
		  "    1 | excluded_by: b\n"
		  "      |              ^" },
	{ .files = {
		BUILT_IN("rules/gpu-hot.yaml",
			"params:\n"
			"  limit: {value: 80 C, reason: r}\n"
			"when: gpu.temp > limit\n" REST),
	  },
	  .settings = { "gpu-hot.limti=70 C" },
	  .complaints =
		  "--set gpu-hot.limti=70 C: error: unknown-name: rule 'gpu-hot' has no param 'limti'; did you mean 'limit'?" },
	{ .files = {
		BUILT_IN("rules/gpu-hot.yaml", ALL),
	  },
	  .settings = { "gpu-hot.low=5 %" },
	  .complaints =
		  "--set gpu-hot.low=5 %: error: unknown-name: rule 'gpu-hot' has no params" },
	{ .files = {
		BUILT_IN("rules/gpu-hot.yaml", PARAM),
	  },
	  .settings = { "gpu-hot.low=5 %", "gpu-hot.low=6 %" },
	  .complaints =
		  "--set gpu-hot.low=6 %: error: duplicate: 'gpu-hot.low' is set twice; first by --set gpu-hot.low=5 %" },
	{ .files = {
		BUILT_IN("rules/a.yaml",
			"params:\n"
			"  wide: {value: 10 s, reason: r}\n"
			"when: mean(gpu.util, wide) < 5 %\n" REST),
	  },
	  .settings = { "a.wide=0 s", "a.wide2=1 s" },
	  .complaints =
		  "--set a.wide2=1 s: error: unknown-name: rule 'a' has no param 'wide2'; did you mean 'wide'?\n"
		  "--set a.wide=0 s: error: bad-value: the window must be between 1 ms and 366 days, the limit 'duration' (rules/a.yaml:3:22)" },
	{ .files = {
		BUILT_IN("rules/gpu-hot.yaml", ALL),
	  },
	  .disabled = { "gpu-hto" },
	  .complaints =
		  "--disable gpu-hto: error: unknown-name: no rule 'gpu-hto'; did you mean 'gpu-hot'?" },
	{ .files = {
		BUILT_IN("rules/gpu-hot.yaml", ALL),
	  },
	  .disabled = { "rack-hot" },
	  .complaints =
		  "--disable rack-hot: error: unknown-name: no rule 'rack-hot'" },
};

/* What --set may not say to a rule that has one param, low = 5 %. */
static const struct { const char *setting, *complaints; } wrong_settings[] = {
	{ "gpu-hot.low",
	  "--set gpu-hot.low: error: bad-value: '=' is missing; write ID.PARAM=VALUE, such as gpu-hot.margin='3 C'" },
	{ "low=5 %",
	  "--set low=5 %: error: bad-value: '.' is missing; write ID.PARAM=VALUE, such as gpu-hot.margin='3 C'" },
	{ "gpu-hott.low=5 %",
	  "--set gpu-hott.low=5 %: error: unknown-name: no rule 'gpu-hott'; did you mean 'gpu-hot'?" },
	{ "rack-hot.low=5 %",
	  "--set rack-hot.low=5 %: error: unknown-name: no rule 'rack-hot'" },
	{ "gpu-hot.share=5 %",
	  "--set gpu-hot.share=5 %: error: unknown-name: rule 'gpu-hot' has no param 'share'; it has low" },
	{ "gpu-hot.low=5 W",
	  "--set gpu-hot.low=5 W: error: bad-dimension: 'low' of 'gpu-hot' is a share such as '5 %', this is a power" },
	{ "gpu-hot.low=5",
	  "--set gpu-hot.low=5: error: bad-dimension: 'low' of 'gpu-hot' is a share such as '5 %', this is a plain number" },
	{ "gpu-hot.low=a lot",
	  "--set gpu-hot.low=a lot: error: bad-value: 'a lot' is not a quantity such as '30 s' or '80 %'" },
	{ "gpu-hot.low=5 prc",
	  "--set gpu-hot.low=5 prc: error: unknown-name: unknown unit 'prc'" },
	{ "gpu-hot.low=",
	  "--set gpu-hot.low=: error: bad-value: '' is not a quantity such as '30 s' or '80 %'" },
};

/* What only `rules check` says, and what even that does not. */
static const struct row doubtful[] = {
	{ .files = {
		BUILT_IN("rules/a.yaml",
			"severity: note\n"
			"scope: gpu\n"
			"when: gpu.util < 5 %\n" WORDS TEXTS),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:1:1: warning: missing-test: the rule has no 'tests'\n"
		  "    1 | severity: note\n"
		  "      | ^" },
	{ .files = {
		BUILT_IN("rules/a.yaml",
			"tests:\n"
			"  - {given: {gpu.util: 1 x 9 s}, expect: clear}\n"
			"severity: note\n"
			"scope: gpu\n"
			"when: gpu.util < 5 %\n" WORDS TEXTS),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:1:1: warning: missing-test: no test where it fires and none where data are missing\n"
		  "    1 | tests:\n"
		  "      | ^~~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml",
			"tests:\n"
			"  - {given: {gpu.util: 1 x 9 s}, expect: [{outcome: fired}, unknown]}\n"
			"severity: note\n"
			"scope: gpu\n"
			"when: gpu.util < 5 %\n" WORDS TEXTS),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:1:1: warning: missing-test: no test where it is clear\n"
		  "    1 | tests:\n"
		  "      | ^~~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml", RULE("note", "gpu.util > 90 % + 5 % + 5 % + 5 % + 5 % + 5 %")),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:3:7: warning: constant-condition: 'gpu.util > 90 % + 5 % + 5 % + 5 % + 5 % …' can never hold\n"
		  "    3 | when: gpu.util > 90 % + 5 % + 5 % + 5 % + 5 % + 5 %\n"
		  "      |       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml", RULE("note", "gpu.util > 100 %")),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:3:7: warning: constant-condition: 'gpu.util > 100 %' can never hold\n"
		  "    3 | when: gpu.util > 100 %\n"
		  "      |       ^~~~~~~~~~~~~~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml", RULE("note", "gpu.temp > 5 C and gpu.util >= 0 %")),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:3:26: warning: constant-condition: 'gpu.util >= 0 %' always holds\n"
		  "    3 | when: gpu.temp > 5 C and gpu.util >= 0 %\n"
		  "      |                          ^~~~~~~~~~~~~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml", RULE("note", "gpu.temp > 5 C or gpu.util > 100 %\nclear: gpu.util > 120 %")),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:3:25: warning: constant-condition: 'gpu.util > 100 %' can never hold\n"
		  "    3 | when: gpu.temp > 5 C or gpu.util > 100 %\n"
		  "      |                         ^~~~~~~~~~~~~~~~\n"
		  "rules/a.yaml:4:8: warning: constant-condition: 'gpu.util > 120 %' can never hold\n"
		  "    4 | clear: gpu.util > 120 %\n"
		  "      |        ^~~~~~~~~~~~~~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml",
			"severity: note\n"
			"scope: gpu\n"
			"when: gpu.util < 5 %\n"
			"sources: [own, \"TBD.\", somewhere]\n"
			"short: s\n"
			"checked: c\n" TEXTS TESTS),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:4:11: warning: thin-source: 'own' says nothing: where does the threshold come from?\n"
		  "    4 | sources: [own, \"TBD.\", somewhere]\n"
		  "      |           ^~~\n"
		  "rules/a.yaml:4:17: warning: thin-source: 'TBD.' says nothing: where does the threshold come from?\n"
		  "    4 | sources: [own, \"TBD.\", somewhere]\n"
		  "      |                 ^~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml",
			"params:\n"
			"  low: {value: 5 %, reason: todo}\n" RULE("note", "gpu.util < low")),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:2:29: warning: thin-source: 'todo' says nothing: why this number and no other?\n"
		  "    2 |   low: {value: 5 %, reason: todo}\n"
		  "      |                             ^~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml",
			"severity: note\n"
			"scope: gpu\n"
			"when: gpu.util < 5 %\n"
			"keep_for: 5 s\n"
			"merge_gap: 5 s\n"
			"max_gap: 10 s\n" WORDS TEXTS TESTS),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:4:1: warning: idle-key: 'keep_for' changes nothing: 'merge_gap' and 'max_gap' join as much before it\n"
		  "    4 | keep_for: 5 s\n"
		  "      | ^~~~~~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml",
			"evidence:\n"
			"  busy: mean(gpu.util, inside)\n"
			"  bus: mean(gpu.util)\n"
			"severity: note\n"
			"scope: gpu\n"
			"when: gpu.util < 5 %\n"
			"title: \"{#busy}x{/busy}\"\n"
			"what: w\n"
			"why: y\n"
			"try: [do]\n"
			"refute: r\n"
			"card: c\n" WORDS TESTS),
	  },
	  .loads = true,
	  .complaints =
		  "rules/a.yaml:3:3: note: unused-evidence: no text shows 'bus'; it will be in report.json only\n"
		  "    3 |   bus: mean(gpu.util)\n"
		  "      |   ^~~" },
	{ .files = {
		BUILT_IN("rules/hot.yaml", RULE("critical", "gpu.temp > 75 C")),
		BUILT_IN("rules/warm.yaml", RULE("warning", "gpu.temp > 80 C")),
	  },
	  .loads = true,
	  .complaints =
		  "rules/hot.yaml:3:7: warning: contradictory-tiers: 'hot' (critical) is easier to reach than 'warm' (warning, rules/warm.yaml:3): whenever that fires, this does too\n"
		  "    3 | when: gpu.temp > 75 C\n"
		  "      |       ^~~~~~~~~~~~~~~" },
	{ .files = {
		BUILT_IN("rules/hot.yaml", RULE("critical", "gpu.temp > 80 C\nfor: 10 s")),
		BUILT_IN("rules/warm.yaml", RULE("warning", "gpu.temp > 80 C\nfor: 60 s")),
	  },
	  .loads = true,
	  .complaints =
		  "rules/hot.yaml:3:7: warning: contradictory-tiers: 'hot' (critical) is easier to reach than 'warm' (warning, rules/warm.yaml:3): whenever that fires, this does too\n"
		  "    3 | when: gpu.temp > 80 C\n"
		  "      |       ^~~~~~~~~~~~~~~" },
	/* the later of two layers is told, whichever of the two it is */
	{ .files = {
		BUILT_IN("rules/hot.yaml", RULE("critical", "gpu.temp > 75 C")),
		GIVEN("mine/warm.yaml", RULE("warning", "gpu.temp > 80 C")),
	  },
	  .loads = true,
	  .complaints =
		  "mine/warm.yaml:3:7: warning: contradictory-tiers: 'warm' (warning) is harder to reach than 'hot' (critical, rules/hot.yaml:3): whenever this fires, that does too\n"
		  "    3 | when: gpu.temp > 80 C\n"
		  "      |       ^~~~~~~~~~~~~~~" },
	{ .files = {
		GIVEN("mine/a.yaml", RULE("note", "gpu.temp > 80 C")),
		BUILT_IN("rules/b.yaml", RULE("warning", "gpu.temp > 80 C")),
	  },
	  .loads = true,
	  .complaints =
		  "mine/a.yaml:3:7: warning: same-condition: 'a' has the same condition as 'b' (rules/b.yaml:3)\n"
		  "    3 | when: gpu.temp > 80 C\n"
		  "      |       ^~~~~~~~~~~~~~~" },
	{ .files = {
		BUILT_IN("rules/low.yaml", RULE("note", "not mean(gpu.util, 10 s) >= 20 % and gpu.temp < 50 C")),
		BUILT_IN("rules/lower.yaml", RULE("critical", "not mean(gpu.util, 10 s) >= 30 % and gpu.temp < 50 C")),
	  },
	  .loads = true,
	  .complaints =
		  "rules/lower.yaml:3:7: warning: contradictory-tiers: 'lower' (critical) is easier to reach than 'low' (note, rules/low.yaml:3): whenever that fires, this does too\n"
		  "    3 | when: not mean(gpu.util, 10 s) >= 30 % and gpu.temp < 50 C\n"
		  "      |       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ .files = {
		BUILT_IN("rules/a.yaml", RULE("note", "gpu.temp > 80 C")),
		BUILT_IN("rules/b.yaml", RULE("warning", "gpu.temp > 80 C")),
	  },
	  .loads = true,
	  .complaints =
		  "rules/b.yaml:3:7: warning: same-condition: 'b' has the same condition as 'a' (rules/a.yaml:3)\n"
		  "    3 | when: gpu.temp > 80 C\n"
		  "      |       ^~~~~~~~~~~~~~~" },
	{ .files = {
		BUILT_IN("rules/hot.yaml", RULE("critical", "gpu.temp > 85 C")),
		BUILT_IN("rules/warm.yaml", RULE("warning", "gpu.temp > 80 C")),
	  },
	  .loads = true,
	  .complaints =
		  "" },
	{ .files = {
		BUILT_IN("rules/hot.yaml", RULE("critical", "gpu.temp > 85 C\nfor: 10 s")),
		BUILT_IN("rules/warm.yaml", RULE("warning", "gpu.temp > 80 C\nfor: 60 s")),
	  },
	  .loads = true,
	  .complaints =
		  "" },
	{ .files = {
		BUILT_IN("rules/hot.yaml", RULE("critical", "gpu.temp > 75 C and gpu.util > 90 %")),
		BUILT_IN("rules/warm.yaml", RULE("warning", "gpu.temp > 80 C and gpu.util > 50 %")),
	  },
	  .loads = true,
	  .complaints =
		  "" },
	{ .files = {
		BUILT_IN("rules/hot.yaml", RULE("critical", "gpu.temp == 75 C")),
		BUILT_IN("rules/warm.yaml", RULE("warning", "gpu.temp == 80 C")),
	  },
	  .loads = true,
	  .complaints =
		  "" },
	{ .files = {
		BUILT_IN("rules/hot.yaml", RULE("critical", "mean(gpu.temp, 5 s) > 75 C")),
		BUILT_IN("rules/warm.yaml", RULE("warning", "mean(gpu.temp, 10 s) > 80 C")),
	  },
	  .loads = true,
	  .complaints =
		  "" },
	{ .files = {
		BUILT_IN("rules/a.yaml", RULE("note", "gpu.temp > 80 C\nduring: run")),
		BUILT_IN("rules/b.yaml", RULE("note", "gpu.temp > 80 C\nfor: 10 s")),
	  },
	  .loads = true,
	  .complaints =
		  "" },
	{ .files = {
		BUILT_IN("rules/a.yaml", RULE("note", "gpu.temp > 80 C")),
		GIVEN("mine/b.yaml", RULE("note", "gpu.temp > 80 C")),
	  },
	  .disabled = { "a" },
	  .loads = true,
	  .complaints =
		  "" },
	{ .files = {
		BUILT_IN("rules/a.yaml", RULE("note", "gpu.util < 5 %\nfor: 10")),
		BUILT_IN("rules/b.yaml",
			"severity: note\n"
			"scope: gpu\n"
			"when: gpu.util < 6 %\n" WORDS TEXTS),
	  },
	  .complaints =
		  "rules/a.yaml:4:6: error: bad-value: 'for' must be a time such as '10 s', this is a plain number\n"
		  "    4 | for: 10\n"
		  "      |      ^~\n"
		  "rules/b.yaml:1:1: warning: missing-test: the rule has no 'tests'\n"
		  "    1 | severity: note\n"
		  "      | ^" },
};

static size_t count_texts(const char *const *texts, size_t most)
{
	size_t n = 0;

	while (n < most && texts[n])
		n++;
	return n;
}

static const struct rules *load(struct fixture *f, const struct row *row, bool strict)
{
	struct rules_request request = { .files = row->files, .settings = row->settings, .disabled = row->disabled, .with_tests = true,
		.strict = strict };

	while (request.n_files < sizeof row->files / sizeof *row->files && row->files[request.n_files].path)
		request.n_files++;
	request.n_settings = count_texts(row->settings, sizeof row->settings / sizeof *row->settings);
	request.n_disabled = count_texts(row->disabled, sizeof row->disabled / sizeof *row->disabled);
	const struct rules *const rules = rules_load(&f->mem, &request, &f->diags);
	diags_sort(&f->diags);
	return rules;
}

static void check_rows(const struct row *rows, size_t n, bool strict)
{
	for (size_t i = 0; i < n; i++) {
		struct fixture f;
		begin(&f);
		const struct rules *const rules = load(&f, &rows[i], strict);
		assert_string_equal(all_complaints(&f), rows[i].complaints);
		assert_int_equal(rules != NULL, rows[i].loads);
		end(&f);
	}
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static void refuses_what_does_not_go_together(void **state)
{
	(void)state;
	check_rows(wrong_together, COUNT(wrong_together), false);
}

static void refuses_wrong_settings(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(wrong_settings); i++) {
		const struct row row = { .files = { BUILT_IN("rules/gpu-hot.yaml", PARAM) }, .settings = { wrong_settings[i].setting },
			.complaints = wrong_settings[i].complaints };
		check_rows(&row, 1, false);
	}
}

static void tells_what_is_doubtful(void **state)
{
	(void)state;
	check_rows(doubtful, COUNT(doubtful), true);
}

/* A report is not the place to teach the author of a rule. */
static void tells_doubts_only_when_asked(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(doubtful); i++) {
		struct fixture f;
		begin(&f);
		load(&f, &doubtful[i], false);
		for (size_t k = 0; k < f.diags.n; k++)
			assert_int_equal(f.diags.at[k].severity, DIAG_ERROR);
		end(&f);
	}
}

/* Nor to run its tests: a report reads none. */
static void reads_tests_only_when_asked(void **state)
{
	static const char text[] = ALL "tests:\n  - {given: {gpu.utl: 5 x 10 s}, expect: clear}\n";
	const struct rule_file file = { "a.yaml", { text, sizeof text - 1 }, LAYER_GIVEN };
	struct rules_request request = { .files = &file, .n_files = 1 };
	struct fixture f;

	(void)state;
	begin(&f);
	const struct rules *const rules = rules_load(&f.mem, &request, &f.diags);
	assert_non_null(rules);
	assert_int_equal(rules->at[0]->n_tests, 0);
	request.with_tests = true;
	assert_null(rules_load(&f.mem, &request, &f.diags));
	assert_int_equal(f.diags.n, 1);
	end(&f);
}

/* Those of rules that are built in are not even YAML to a report. */
static void passes_over_tests_of_rules_that_are_built_in(void **state)
{
	static const char text[] = ALL "tests:\n  - {given: {gpu.util\n";
	static const struct {
		enum rule_layer layer;
		bool with_tests, strict, loads;
	} cases[] = {
		{ LAYER_BUILT_IN, false, false, true },
		{ LAYER_BUILT_IN, true, false, false },
		{ LAYER_BUILT_IN, false, true, false },
		{ LAYER_GIVEN, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct rule_file file = { "rules/a.yaml", { text, sizeof text - 1 }, cases[i].layer };
		const struct rules_request request = { .files = &file, .n_files = 1, .with_tests = cases[i].with_tests, .strict = cases[i].strict };
		struct fixture f;
		begin(&f);
		const struct rules *const rules = rules_load(&f.mem, &request, &f.diags);
		assert_int_equal(rules != NULL, cases[i].loads);
		if (rules)
			assert_int_equal(rules->at[0]->source.n, sizeof text - 1);
		end(&f);
	}
}

/* A key behind them would be passed over with them. */
static void tests_stand_last_in_rules_that_are_built_in(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < n_embedded_files; i++) {
		const struct embedded *const e = &embedded_files[i];
		struct slice rest = { e->begin, (size_t)(e->end - e->begin) };
		bool in_tests = false;
		if (strncmp(e->name, "rules/", strlen("rules/")) != 0 || strchr(e->name + strlen("rules/"), '/'))
			continue;
		while (rest.n > 0) {
			const struct slice line = slice_line(&rest);
			assert_false(in_tests && line.n > 0 && line.p[0] != ' ' && line.p[0] != '#');
			in_tests |= slice_is(line, "tests:");
		}
		assert_true(in_tests);
		n++;
	}
	assert_true(n > 40);
}

/* All that are built in, and one beside them or NULL; copies of their texts are read with every check, as anybody's are. */
static const struct rules *built_in_rules(struct fixture *f, bool copied, const struct rule_file *beside)
{
	struct rule_file *const files = NEW_ARRAY(&f->mem, struct rule_file, n_embedded_files + 1);
	struct rules_request request = { .files = files };

	for (size_t i = 0; i < n_embedded_files; i++) {
		const struct embedded *const e = &embedded_files[i];
		const size_t n = (size_t)(e->end - e->begin);
		if (strncmp(e->name, "rules/", strlen("rules/")) != 0 || strchr(e->name + strlen("rules/"), '/'))
			continue;
		files[request.n_files++] =
			(struct rule_file){ e->name, { copied ? arena_text(&f->mem, e->begin, n) : e->begin, n }, LAYER_BUILT_IN };
	}
	if (beside)
		files[request.n_files++] = *beside;
	return rules_load(&f->mem, &request, &f->diags);
}

static void assert_same_expression(const struct expression *a, const struct expression *b)
{
	assert_true(expression_same(a, b));
	assert_true(!a || (slice_same(a->text, b->text) && a->varies == b->varies && a->n_nodes == b->n_nodes));
}

static const char *text_of(struct fixture *f, const struct rule *rule, const struct template *t)
{
	const struct text_values values = { .gpus = "GPU 3", .Gpus = "GPU 3", .several = true, .duration = "1 min" };
	struct buf out;

	if (!t)
		return "none";
	buf_init(&out, 10000);
	template_render(t, rule_text_values(&f->mem, rule, &values, NULL), escape_plain, &out);
	const char *const text = arena_text(&f->mem, out.at, out.n);
	buf_release(&out);
	return text;
}

static void assert_same_texts(struct fixture *f, const struct rule *a, const struct rule *b)
{
	const struct template *const of_a[] = { a->title, a->named, a->what, a->why, a->refute, a->card };
	const struct template *const of_b[] = { b->title, b->named, b->what, b->why, b->refute, b->card };

	for (size_t i = 0; i < sizeof of_a / sizeof *of_a; i++)
		assert_string_equal(text_of(f, a, of_a[i]), text_of(f, b, of_b[i]));
	assert_int_equal(a->n_try, b->n_try);
	for (size_t i = 0; i < a->n_try; i++)
		assert_string_equal(text_of(f, a, a->try[i]), text_of(f, b, b->try[i]));
	assert_string_equal(a->short_name, b->short_name);
	assert_string_equal(a->checked, b->checked);
	assert_int_equal(a->sources.n, b->sources.n);
	assert_int_equal(a->n_rivals, b->n_rivals);
}

static void assert_same_rule(const struct rule *a, const struct rule *b)
{
	assert_string_equal(a->id, b->id);
	assert_true(a->kind == b->kind && a->severity == b->severity && a->scope == b->scope && a->during == b->during);
	assert_true(a->hold == b->hold && a->keep == b->keep && a->merge_gap == b->merge_gap && a->max_gap == b->max_gap);
	assert_true(a->min_coverage <= b->min_coverage && a->min_coverage >= b->min_coverage);
	assert_int_equal(a->n_params, b->n_params);
	for (size_t i = 0; i < a->n_params; i++)
		assert_true(slice_same(a->params[i].name, b->params[i].name) && a->params[i].value.unit == b->params[i].value.unit &&
			a->params[i].value.value <= b->params[i].value.value && a->params[i].value.value >= b->params[i].value.value);
	assert_same_expression(a->when, b->when);
	assert_same_expression(a->clear, b->clear);
	assert_same_expression(a->cost, b->cost);
	assert_same_expression(a->cost_least, b->cost_least);
	assert_int_equal(a->n_evidence, b->n_evidence);
	for (size_t i = 0; i < a->n_evidence; i++)
		assert_same_expression(a->evidence[i].expression, b->evidence[i].expression);
	assert_int_equal(a->n_metrics, b->n_metrics);
	assert_memory_equal(a->metrics, b->metrics, a->n_metrics * sizeof *a->metrics);
}

/* A report takes those that are built in for right, and looks for no mistake: it must not change what they say. */
static void built_in_rules_say_what_their_files_say(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	const struct rules *const taken = built_in_rules(&f, false, NULL), *const checked = built_in_rules(&f, true, NULL);
	assert_string_equal(all_complaints(&f), "");
	assert_int_equal(taken->n, checked->n);
	assert_string_equal(taken->digest, checked->digest);
	for (size_t i = 0; i < taken->n; i++) {
		assert_same_rule(taken->at[i], checked->at[i]);
		assert_same_texts(&f, taken->at[i], checked->at[i]);
	}
	end(&f);
}

/* What rules that are built in say of one whose place another has taken: with the place in a file that was taken for right. */
static void built_in_rules_have_their_places(void **state)
{
	static const struct rule_file other =
		GIVEN("mine/gpu-lock-step.yaml", "severity: note\nscope: host\nwhen: host.cpu.busy > 5 %\n" WORDS TEXTS);
	struct fixture taken, checked;

	(void)state;
	begin(&taken);
	begin(&checked);
	assert_null(built_in_rules(&taken, false, &other));
	assert_null(built_in_rules(&checked, true, &other));
	assert_non_null(strstr(all_complaints(&taken), "'gpu-lock-step' is a host rule"));
	assert_string_equal(all_complaints(&taken), all_complaints(&checked));
	end(&checked);
	end(&taken);
}

static const char *digest_of(struct fixture *f, const char *text)
{
	const XXH128_hash_t hash = XXH3_128bits(text, strlen(text));

	return arena_print(&f->mem, "xxh128:%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

static void later_layers_replace_earlier_ones(void **state)
{
	static const struct row row = { .files = {
		BUILT_IN("rules/a.yaml", ALL),
		BUILT_IN("rules/b.yaml", "for: 1 s\n" ALL),
		SYSTEM("system/b.yaml", "for: 2 s\n" ALL),
		USER("user/b.yaml", "for: 3 s\n" ALL),
		GIVEN("given/a.yaml", "for: 4 s\n" ALL),
	} };
	struct fixture f;

	(void)state;
	begin(&f);
	const struct rules *const rules = load(&f, &row, false);
	assert_string_equal(all_complaints(&f), "");
	assert_int_equal(rules->n, 2);
	assert_int_equal(rules->at[0]->hold, 4000);
	assert_int_equal(rules->at[0]->layer, LAYER_GIVEN);
	assert_int_equal(rules->at[1]->hold, 3000);
	assert_int_equal(rules->at[1]->layer, LAYER_USER);
	assert_int_equal(rules->n_files, 2);
	assert_string_equal(rules->files[0].path, "given/a.yaml");
	assert_string_equal(rules->files[0].replaces, "rules/a.yaml");
	assert_string_equal(rules->files[0].digest, digest_of(&f, "for: 4 s\n" ALL));
	assert_int_equal(rules->files[0].layer, LAYER_GIVEN);
	assert_string_equal(rules->files[1].path, "user/b.yaml");
	assert_string_equal(rules->files[1].replaces, "system/b.yaml");
	assert_string_equal(rules->digest, digest_of(&f, "for: 4 s\n" ALL "for: 3 s\n" ALL));
	end(&f);
}

/* In order of path, which is not that of the ids; a file that is the only one of its id replaces nothing. */
static void lists_files_by_path(void **state)
{
	static const struct row row = { .files = { GIVEN("z/a.yaml", ALL), GIVEN("y/b.yaml", "for: 1 s\n" ALL) } };
	struct fixture f;

	(void)state;
	begin(&f);
	const struct rules *const rules = load(&f, &row, false);
	assert_int_equal(rules->n_files, 2);
	assert_string_equal(rules->files[0].path, "y/b.yaml");
	assert_null(rules->files[0].replaces);
	assert_string_equal(rules->files[1].path, "z/a.yaml");
	end(&f);
}

static void a_setting_changes_its_param_and_the_digest(void **state)
{
	static const struct row row = { .files = { BUILT_IN("rules/a.yaml", PARAM) }, .settings = { " a . low = 12.5 %" } };
	struct fixture f;

	(void)state;
	begin(&f);
	const struct rules *const rules = load(&f, &row, false);
	assert_string_equal(all_complaints(&f), "");
	assert_true(rules->at[0]->params[0].set);
	assert_true(rules->at[0]->params[0].value.value > 12.4 && rules->at[0]->params[0].value.value < 12.6);
	assert_true(rules->at[0]->when->right->number > 12.4 && rules->at[0]->when->right->number < 12.6);
	assert_string_equal(rules->digest, digest_of(&f, PARAM " a . low = 12.5 %\n"));
	end(&f);
}

/* The built-in rule has no such param: nobody asks it any more. */
static void a_setting_is_for_the_rule_in_force(void **state)
{
	static const struct row row = { .files = { BUILT_IN("rules/a.yaml", ALL), GIVEN("mine/a.yaml", PARAM) }, .settings = { "a.low=6 %" } };
	struct fixture f;

	(void)state;
	begin(&f);
	const struct rules *const rules = load(&f, &row, false);
	assert_string_equal(all_complaints(&f), "");
	assert_true(rules->at[0]->params[0].set);
	end(&f);
}

static void the_order_of_settings_is_no_change(void **state)
{
	static const char text[] = "params:\n  low: {value: 5 %, reason: r}\n  high: {value: 9 %, reason: r}\nwhen: gpu.util < low or gpu.util > high\n" REST;
	static const struct row one = { .files = { BUILT_IN("rules/a.yaml", text) }, .settings = { "a.low=1 %", "a.high=2 %" } };
	static const struct row two = { .files = { BUILT_IN("rules/a.yaml", text) }, .settings = { "a.high=2 %", "a.low=1 %" } };
	static const struct row other = { .files = { BUILT_IN("rules/a.yaml", text) }, .settings = { "a.high=2 %", "a.low=3 %" } };
	struct fixture f;

	(void)state;
	begin(&f);
	const char *const digest = load(&f, &one, false)->digest;
	assert_string_equal(digest, load(&f, &two, false)->digest);
	assert_string_not_equal(digest, load(&f, &other, false)->digest);
	end(&f);
}

/* It is not judged, but others may still speak of it. */
static void a_disabled_rule_exists(void **state)
{
	static const struct row row = {
		.files = {
			BUILT_IN("rules/a.yaml", "explains: b\nexcluded_by: [b]\nrivals: [{rule: b, settle: look}]\n" ALL),
			BUILT_IN("rules/b.yaml", PARAM),
			GIVEN("mine/b.yaml", PARAM),
		},
		.settings = { "b.low=7 %" },
		.disabled = { "b", "b" },
	};
	struct fixture f;

	(void)state;
	begin(&f);
	const struct rules *const rules = load(&f, &row, false);
	assert_string_equal(all_complaints(&f), "");
	assert_int_equal(rules->n, 1);
	assert_string_equal(rules->at[0]->id, "a");
	assert_int_equal(rules->n_files, 0);
	assert_int_equal(rules->disabled.n, 1);
	assert_string_equal(rules->disabled.at[0], "b");
	assert_string_equal(rules->digest, digest_of(&f, row.files[0].text.p));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_does_not_go_together),
		cmocka_unit_test(refuses_wrong_settings),
		cmocka_unit_test(tells_what_is_doubtful),
		cmocka_unit_test(tells_doubts_only_when_asked),
		cmocka_unit_test(reads_tests_only_when_asked),
		cmocka_unit_test(passes_over_tests_of_rules_that_are_built_in),
		cmocka_unit_test(tests_stand_last_in_rules_that_are_built_in),
		cmocka_unit_test(built_in_rules_say_what_their_files_say),
		cmocka_unit_test(built_in_rules_have_their_places),
		cmocka_unit_test(later_layers_replace_earlier_ones),
		cmocka_unit_test(lists_files_by_path),
		cmocka_unit_test(a_setting_changes_its_param_and_the_digest),
		cmocka_unit_test(a_setting_is_for_the_rule_in_force),
		cmocka_unit_test(the_order_of_settings_is_no_change),
		cmocka_unit_test(a_disabled_rule_exists),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
