/*
 * mutate_test.c - would the tests of a rule notice? Which mutants there are, where they stand, and which survive.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/yaml.h"
#include "logs.h"
#include "rule/rule.h"
#include "rules.h"

#define WORDS "short: s\nchecked: c\nseverity: note\nsources: [s]\ntitle: t\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\n"
#define GPU "scope: gpu\nduring: run\n"

static const struct rules *rules_of(struct logs *logs, const char *head, const char *tests)
{
	const struct rule_file file = { .path = "rules/a.yaml", .text = slice_of(arena_print(&logs->mem, "%s%s" WORDS GPU, head, tests)) };
	const struct rules *const rules = rules_of_files(&logs->mem, &file, 1, &logs->diags);

	if (!rules)
		fail_msg("%s%s", file.text.p, take_complaints(logs));
	return rules;
}

/* "1:18 '50 %' becomes '60 %'\n", of those that survived, or of all; the column and width show what is marked. */
static const char *shown_mutants(struct logs *logs, const struct rules *rules, bool all)
{
	const struct mutants mutants = rule_mutate(&logs->mem, rules, rules->at[0]);
	const char *text = "";
	size_t n_survivors = 0;

	for (size_t i = 0; i < mutants.n; i++) {
		const struct mutant *const m = &mutants.at[i];
		n_survivors += !m->killed;
		if (all || !m->killed)
			text = arena_print(&logs->mem, "%s%" PRId64 ":%d+%d %s\n", text, m->place.line, m->place.column, m->width_columns, m->change);
	}
	assert_int_equal(n_survivors, mutants.n_survivors);
	return text;
}

/* Without tests all survive: the list of what can be changed. */
static void each_decision_is_moved(void **state)
{
	static const struct {
		const char *rule, *mutants;
	} cases[] = {
		{ "when: gpu.util < 50 %\n",
		  "1:16+1 '<' becomes '<='\n1:18+4 '50 %' becomes '40 %'\n1:18+4 '50 %' becomes '60 %'\n" },
		{ "when: gpu.util<50%\n", "1:15+1 '<' becomes '<='\n1:16+3 '50%' becomes '40%'\n1:16+3 '50%' becomes '60%'\n" },
		/* half of each pair is the other's mutant; == and != are left as they are */
		{ "when: gpu.util >= 0.5 fraction and gpu.pstate == 0\n",
		  "1:32+3 'and' becomes 'or'\n1:16+2 '>=' becomes '>'\n1:19+12 '0.5 fraction' becomes '0.4 fraction'\n"
		  "1:19+12 '0.5 fraction' becomes '0.6 fraction'\n" },
		/* what stands in parentheses is another's */
		{ "when: (gpu.util > 5 % or gpu.temp > 50 C) and (gpu.temp > 5 C or gpu.util > 50 %)\n",
		  "1:43+3 'and' becomes 'or'\n"
		  "1:23+2 'or' becomes 'and'\n1:17+1 '>' becomes '>='\n1:19+3 '5 %' becomes '4 %'\n1:19+3 '5 %' becomes '6 %'\n"
		  "1:35+1 '>' becomes '>='\n1:37+4 '50 C' becomes '40 C'\n1:37+4 '50 C' becomes '60 C'\n"
		  "1:63+2 'or' becomes 'and'\n1:57+1 '>' becomes '>='\n1:59+3 '5 C' becomes '4 C'\n1:59+3 '5 C' becomes '6 C'\n"
		  "1:75+1 '>' becomes '>='\n1:77+4 '50 %' becomes '40 %'\n1:77+4 '50 %' becomes '60 %'\n" },
		/* in texts of several lines, too */
		{ "when: >-\n  gpu.util < 50 %\n  or gpu.temp > 1 C\n",
		  "3:3+2 'or' becomes 'and'\n2:12+1 '<' becomes '<='\n2:14+4 '50 %' becomes '40 %'\n2:14+4 '50 %' becomes '60 %'\n"
		  "3:15+1 '>' becomes '>='\n3:17+3 '1 C' becomes '0.8 C'\n3:17+3 '1 C' becomes '1.2 C'\n" },
		/* windows; the last number of a call, not one inside */
		{ "when: mean(gpu.util * 2, 10 s) < 50 %\n",
		  "1:32+1 '<' becomes '<='\n1:26+4 '10 s' becomes '8 s'\n1:26+4 '10 s' becomes '12 s'\n1:23+1 '2' becomes '1.6'\n"
		  "1:23+1 '2' becomes '2.4'\n1:34+4 '50 %' becomes '40 %'\n1:34+4 '50 %' becomes '60 %'\n" },
		/* a param once, with its name, wherever it is used */
		{ "params: {low: {value: 50 %, reason: r}}\nwhen: gpu.util < low and gpu.mem_share < low\n",
		  "2:22+3 'and' becomes 'or'\n2:16+1 '<' becomes '<='\n2:40+1 '<' becomes '<='\n"
		  "1:23+4 low '50 %' becomes '40 %'\n1:23+4 low '50 %' becomes '60 %'\n" },
		{ "params: {wide: {value: 10 s, reason: r}, part: {value: 50 %, reason: r}}\n"
		  "when: mean(gpu.util, wide) < 50 %\ncost: 1 - gpu.util / part\n",
		  "2:28+1 '<' becomes '<='\n2:30+4 '50 %' becomes '40 %'\n2:30+4 '50 %' becomes '60 %'\n"
		  "1:24+4 wide '10 s' becomes '8 s'\n1:24+4 wide '10 s' becomes '12 s'\n"
		  "1:56+4 part '50 %' becomes '40 %'\n1:56+4 part '50 %' becomes '60 %'\n" },
		/* a param of evidence alone decides nothing */
		{ "params: {part: {value: 50 %, reason: r}}\nwhen: gpu.util == 50 %\nevidence: {x: part}\n",
		  "2:19+4 '50 %' becomes '40 %'\n2:19+4 '50 %' becomes '60 %'\n" },
		/* named parts where they are written, once */
		{ "let: {low: gpu.util < 50 %}\nwhen: low and gpu.temp == 0 C or low\n",
		  "2:31+2 'or' becomes 'and'\n2:11+3 'and' becomes 'or'\n1:21+1 '<' becomes '<='\n"
		  "1:23+4 '50 %' becomes '40 %'\n1:23+4 '50 %' becomes '60 %'\n" },
		/* hysteresis and durations; 0 has no fifth, and there is no more than all */
		{ "when: gpu.util == 0 %\nclear: gpu.temp == 5 C\nfor: 10 s\nkeep_for: 0 s\nmerge_gap: 1 min\nmax_gap: 2 s\nmin_coverage: 90 %\n",
		  "2:20+3 '5 C' becomes '4 C'\n2:20+3 '5 C' becomes '6 C'\n3:6+4 '10 s' becomes '8 s'\n3:6+4 '10 s' becomes '12 s'\n"
		  "5:12+5 '1 min' becomes '0.8 min'\n5:12+5 '1 min' becomes '1.2 min'\n6:10+3 '2 s' becomes '1.6 s'\n6:10+3 '2 s' becomes '2.4 s'\n"
		  "7:15+4 '90 %' becomes '72 %'\n7:15+4 '90 %' becomes '100 %'\n" },
		/* of a whole-run rule */
		{ "when: p95(gpu.util) < 50 %\n",
		  "1:21+1 '<' becomes '<='\n1:23+4 '50 %' becomes '40 %'\n1:23+4 '50 %' becomes '60 %'\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(shown_mutants(logs, rules_of(logs, cases[i].rule, ""), true), cases[i].mutants);
}

/* What no value can tell apart is no mutant; what one can, is. */
static void what_no_value_can_tell_apart_is_left_out(void **state)
{
	static const struct {
		const char *rule, *mutants;
	} cases[] = {
		/* a number of a mask or a fact is whole */
		{ "when: gpu.lost > 0\n", "1:16+1 '>' becomes '>='\n" },
		{ "when: gpu.lost >= 1\n", "1:16+2 '>=' becomes '>'\n1:19+1 '1' becomes '1.2'\n" },
		{ "when: gpu.pstate > 2\n", "1:18+1 '>' becomes '>='\n1:20+1 '2' becomes '1.6'\n" },
		{ "when: 2 < gpu.pstate\n", "1:9+1 '<' becomes '<='\n1:7+1 '2' becomes '1.6'\n" },
		{ "when: gpu.pstate > 10\n", "1:18+1 '>' becomes '>='\n1:20+2 '10' becomes '8'\n1:20+2 '10' becomes '12'\n" },
		/* a mean of whole numbers is none */
		{ "when: mean(gpu.pstate, 10 s) == 2 or max(gpu.pstate, run) < 3\n",
		  "1:35+2 'or' becomes 'and'\n1:24+4 '10 s' becomes '8 s'\n1:24+4 '10 s' becomes '12 s'\n1:33+1 '2' becomes '1.6'\n"
		  "1:33+1 '2' becomes '2.4'\n1:59+1 '<' becomes '<='\n1:61+1 '3' becomes '3.6'\n" },
		/* below the least and above the most that there can be */
		{ "when: gpu.util <= 100 %\n", "1:16+2 '<=' becomes '<'\n1:19+5 '100 %' becomes '80 %'\n" },
		{ "when: gpu.util > 100 %\n", "1:16+1 '>' becomes '>='\n1:18+5 '100 %' becomes '80 %'\n" },
		{ "when: gpu.util >= 0 %\n", "1:16+2 '>=' becomes '>'\n" },
		{ "when: gpu.util < 0 %\n", "1:16+1 '<' becomes '<='\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(shown_mutants(logs, rules_of(logs, cases[i].rule, ""), true), cases[i].mutants);
}

#define FIRES "  - {given: {gpu.util: 45 x 60 s}, expect: fired}\n"
#define CLEAR "  - {given: {gpu.util: 55 x 60 s}, expect: clear}\n"
#define EDGE "  - {given: {gpu.util: 50 x 60 s}, expect: clear}\n"

static void tests_kill_what_they_notice(void **state)
{
	static const struct {
		const char *rule, *tests, *survivors;
	} cases[] = {
		{ "when: gpu.util < 50 %\n", FIRES, "1:16+1 '<' becomes '<='\n1:18+4 '50 %' becomes '60 %'\n" },
		{ "when: gpu.util < 50 %\n", CLEAR, "1:16+1 '<' becomes '<='\n1:18+4 '50 %' becomes '40 %'\n" },
		{ "when: gpu.util < 50 %\n", EDGE, "1:18+4 '50 %' becomes '40 %'\n" },
		{ "when: gpu.util < 50 %\n", FIRES EDGE, "" },
		{ "params: {low: {value: 50 %, reason: r}}\nwhen: gpu.util < low\n", FIRES EDGE, "" },
		{ "params: {low: {value: 50 %, reason: r}}\nwhen: gpu.util < low\n", CLEAR,
		  "2:16+1 '<' becomes '<='\n1:23+4 low '50 %' becomes '40 %'\n" },
		{ "let: {low: gpu.util < 50 %}\nwhen: low\n", FIRES EDGE, "" },
		{ "when: gpu.util < 50 %\nfor: 10 s\n", FIRES EDGE, "2:6+4 '10 s' becomes '8 s'\n2:6+4 '10 s' becomes '12 s'\n" },
		{ "when: gpu.util < 50 %\nfor: 10 s\n",
		  FIRES EDGE "  - {given: {gpu.util: \"10 x 9 s, 95 x 5 s, 10 x 11 s, 95 x 5 s\"}, expect: {windows: [14 s to 25 s]}}\n", "" },
		/* costs are noticed where they are expected */
		{ "params: {full: {value: 100 %, reason: r}}\nwhen: gpu.util < 50 %\ncost: 1 - gpu.util / full\n", FIRES EDGE,
		  "1:24+5 full '100 %' becomes '80 %'\n1:24+5 full '100 %' becomes '120 %'\n" },
		{ "params: {full: {value: 100 %, reason: r}}\nwhen: gpu.util < 50 %\ncost: 1 - gpu.util / full\n",
		  EDGE "  - {given: {gpu.util: 45 x 60 s}, expect: {cost: 55 %}}\n", "" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rules *const rules = rules_of(logs, cases[i].rule, arena_print(&logs->mem, "tests:\n%s", cases[i].tests));
		assert_int_equal(rule_test(&logs->mem, rules, rules->at[0]).n_failed, 0);
		assert_string_equal(shown_mutants(logs, rules, false), cases[i].survivors);
		/* the rule itself is as it was */
		assert_int_equal(rule_test(&logs->mem, rules, rules->at[0]).n_failed, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_decision_is_moved, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(what_no_value_can_tell_apart_is_left_out, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tests_kill_what_they_notice, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
