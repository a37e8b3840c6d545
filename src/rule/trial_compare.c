/*
 * trial_compare.c - is a verdict as its test expects it?
 *
 *     GPU 0     outcome         expected  fired
 *                               found     clear
 *
 * Numbers are compared in the unit and to the digits in which they are expected, windows to the millisecond. All that
 * differs is told, of every entity.
 */
#include "rule/trial_parts.h"

#include <math.h>

struct comparing {
	struct arena *mem;
	const struct rule_test *test;
	const struct rule *rule;
	const struct verdict *v;
	struct buf *out; /* NULL: nobody wants to know */
	bool same;
};

static void differ(struct comparing *c, const char *what, const char *expected, const char *found)
{
	const char *const who = c->v->entity ? entity_label(c->mem, c->v->entity) : "run";

	c->same = false;
	if (!c->out)
		return;
	buf_print(c->out, "  %-8s  %-14s  expected  %s\n", who, what, expected);
	buf_print(c->out, "  %-8s  %-14s  found     %s\n", "", "", found);
}

#define WINDOWS_MAX 12 /* that a failed test names */

/* From the window `first` on; of noise there can be a million. */
static const char *windows_text(struct arena *mem, struct spans windows, time_ms begin, size_t first)
{
	const char *text = first ? arena_print(mem, "%zu as expected", first) : NULL;
	const size_t end = windows.n - first > WINDOWS_MAX ? first + WINDOWS_MAX : windows.n;

	for (size_t i = first; i < end; i++) {
		const char *const one = arena_print(mem, "%s to %s", trial_moment_text(mem, windows.at[i].begin - begin),
			trial_moment_text(mem, windows.at[i].end - begin));
		text = text ? arena_print(mem, "%s, %s", text, one) : one;
	}
	if (end < windows.n)
		text = arena_print(mem, "%s, %zu more", text, windows.n - end);
	return text ? text : "none";
}

static void compare_outcome(struct comparing *c, const struct expectation *e)
{
	const struct verdict *const v = c->v;

	if (v->outcome == e->outcome)
		return;
	const char *found = outcome_name(v->outcome);
	if (v->outcome == OUTCOME_FIRED)
		found = arena_print(c->mem, "%s, %s", found, windows_text(c->mem, v->when, c->test->begin, 0));
	else if (v->reason)
		found = arena_print(c->mem, "%s: %s", found, v->reason);
	else if (v->excluded_by)
		found = arena_print(c->mem, "%s: excluded by %s", found, v->excluded_by->id);
	differ(c, "outcome", outcome_name(e->outcome), found);
}

/* How many windows are the same, up to the first that is not. */
static size_t same_windows(struct spans expected, struct spans found, time_ms begin)
{
	size_t n = 0;

	while (n < expected.n && n < found.n && expected.at[n].begin + begin == found.at[n].begin &&
		expected.at[n].end + begin == found.at[n].end)
		n++;
	return n;
}

static void compare_windows(struct comparing *c, const struct expectation *e)
{
	if (!e->has_windows || c->v->outcome != OUTCOME_FIRED)
		return;
	const struct spans found = c->v->when;
	const size_t n_same = same_windows(e->windows, found, c->test->begin);
	const size_t first = n_same > WINDOWS_MAX / 2 ? n_same : 0;
	if (n_same < e->windows.n || n_same < found.n)
		differ(c, "windows", windows_text(c->mem, e->windows, 0, first), windows_text(c->mem, found, c->test->begin, first));
}

/* As many digits as the author wrote. */
static bool same_number(const struct expected_number *expected, struct quantity found)
{
	if (isnan(expected->value) || isnan(found.value))
		return isnan(expected->value) && isnan(found.value);
	const double scale = pow(10, expected->decimals);
	return fabs(round(expected->value * scale) - round(found.value * scale)) < 0.5;
}

static const char *told_number(struct arena *mem, struct quantity q, int decimals)
{
	if (isnan(q.value))
		return "unknown";
	const char *const symbol = unit_table[q.unit].symbol;
	return arena_print(mem, "%s%s%s", number_text(mem, q.value, decimals), *symbol ? " " : "", symbol);
}

static void compare_number(struct comparing *c, const char *what, const struct expected_number *e, struct quantity found)
{
	if (!e->text)
		return;
	const bool convertible = unit_table[e->unit].dimension == unit_table[found.unit].dimension;
	const struct quantity q = convertible ? quantity_in(found, e->unit) : found;
	if (!same_number(e, q))
		differ(c, what, e->text, told_number(c->mem, q, e->decimals > 0 ? e->decimals + 1 : convertible &&
			e->unit == UNIT_NUMBER ? 2 : 1));
}

/* `share` from 0 to 1. */
static void compare_share(struct comparing *c, const char *what, const struct expected_number *e, double share)
{
	const bool plain = unit_table[e->unit].dimension == DIM_NONE;

	compare_number(c, what, e, plain ? (struct quantity){ share, UNIT_NUMBER } : (struct quantity){ share * 100, UNIT_PERCENT });
}

static double mean_cost(const struct comparing *c, const struct shares *cost)
{
	time_ms known;
	const double sum = shares_sum(cost, c->v->when, &known);

	return known ? sum / (double)known : (double)NAN;
}

static void compare_reason(struct comparing *c, const struct expectation *e)
{
	const char *const reason = c->v->reason ? c->v->reason : "none";

	if (e->reason && !slice_has(slice_of(reason), e->reason))
		differ(c, "reason", e->reason, reason);
	const char *const by = c->v->excluded_by ? c->v->excluded_by->id : "nobody";
	if (e->excluded_by && strcmp(by, e->excluded_by) != 0)
		differ(c, "excluded by", e->excluded_by, by);
}

static void compare(struct comparing *c, const struct expectation *e)
{
	const struct verdict *const v = c->v;

	compare_outcome(c, e);
	compare_windows(c, e);
	if (v->outcome == OUTCOME_FIRED) {
		for (size_t i = 0; e->evidence && i < c->rule->n_evidence; i++)
			compare_number(c, c->rule->evidence[i].name, &e->evidence[i], v->evidence[i]);
		compare_share(c, "cost", &e->cost, mean_cost(c, &v->cost));
		compare_share(c, "cost_least", &e->cost_least, mean_cost(c, &v->cost_least));
	}
	compare_share(c, "coverage", &e->coverage, v->coverage);
	compare_share(c, "margin", &e->margin, v->margin);
	compare_reason(c, e);
}

/* The run has entities of its own; the names are the same. */
static bool is_expected_of(const struct expectation *e, const struct entity *entity)
{
	for (size_t i = 0; i < e->n_on; i++)
		if (entity && e->on[i]->scope == entity->scope && entity_compare(e->on[i], entity) == 0)
			return true;
	return e->n_on == 0;
}

bool trial_holds(struct arena *scratch, const struct rule_test *test, const struct rule *rule, const struct verdicts *found,
	const struct run *run, struct buf *out)
{
	bool all_same = true;

	for (size_t i = 0; i < found->n; i++) {
		struct comparing c = { scratch, test, rule, &found->at[i], out, true };
		if (c.v->rule != rule)
			continue;
		for (size_t k = 0; k < test->n_expect; k++)
			if (is_expected_of(&test->expect[k], c.v->entity))
				compare(&c, &test->expect[k]);
		if (!c.same && out)
			trial_draw(scratch, test, run, found, c.v, out);
		all_same = all_same && c.same;
	}
	return all_same;
}
