/*
 * trial.c - runs the tests that stand in rule files: a run is made, judged, and compared with what is expected.
 *
 *     trial_read.c      a test from its tree, with     trial_given.c, trial_series.c and trial_expect.c
 *     trial_run.c       the run that it describes
 *     trial_compare.c   is all as expected?            else trial_draw.c shows what was looked at
 *     mutate.c          would a test notice?           with trial_tree.c
 *
 * A rule is judged alone, with those that can take its firing time (excluded_by) or what it knows (unknown_while): what other
 * rules find changes no verdict, and ref() compares with the time outside of the rule's own findings.
 */
#include "rule/trial_parts.h"

#include <stdlib.h>

/* ------ the rules ------ */

static int by_id(const void *a, const void *b)
{
	return strcmp((*(const struct rule *const *)a)->id, (*(const struct rule *const *)b)->id);
}

static bool is_in(const struct rules *rules, const struct rule *rule)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->at[i] == rule)
			return true;
	return false;
}

static void add_named(struct rules *some, const struct rules *all, const struct rule *rule, struct texts ids)
{
	for (size_t i = 0; i < ids.n; i++) {
		const struct rule *const other = rules_find(all, ids.at[i]);
		if (other && strcmp(other->id, rule->id) != 0 && !is_in(some, other))
			some->at[some->n++] = other;
	}
}

struct rules trial_rules(struct arena *mem, const struct rules *all, const struct rule *rule)
{
	struct rules some = { .at = NEW_ARRAY(mem, const struct rule *, all->n + 1), .digest = "" };

	some.at[some.n++] = rule;
	for (size_t i = 0; i < some.n; i++) { /* grows while it is walked: who excludes may be excluded */
		add_named(&some, all, rule, some.at[i]->excluded_by);
		add_named(&some, all, rule, some.at[i]->unknown_while);
	}
	qsort(some.at, some.n, sizeof *some.at, by_id);
	return some;
}

/* ------ all tests of a rule ------ */

static struct trial_result run_test(struct arena *mem, const struct rules *rules, const struct rule *rule, const struct rule_test *test)
{
	struct trial_result result = { .rule = rule, .name = test->name, .place = test->place };
	struct arena scratch;
	struct buf report;

	arena_init(&scratch);
	buf_init(&report, TEST_REPORT_MAX_BYTES);
	struct run *const run = trial_run(&scratch, test, rule);
	const struct rules some = trial_rules(&scratch, rules, rule);
	const struct verdicts found = rules_judge(&some, run);
	result.passed = trial_holds(&scratch, test, rule, &found, run, &report);
	result.report = arena_text(mem, buf_slice(&report).p, buf_slice(&report).n);
	buf_release(&report);
	arena_release(&scratch);
	return result;
}

struct trial_results rule_test(struct arena *mem, const struct rules *rules, const struct rule *rule)
{
	struct trial_results all = { NEW_ARRAY(mem, struct trial_result, rule->n_tests), 0, 0 };

	for (size_t i = 0; i < rule->n_tests; i++) {
		all.at[all.n] = run_test(mem, rules, rule, &rule->tests[i]);
		all.n_failed += !all.at[all.n].passed;
		all.n++;
	}
	return all;
}
