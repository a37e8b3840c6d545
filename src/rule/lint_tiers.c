/*
 * lint_tiers.c - rules beside each other: the same condition twice, and severities that contradict their thresholds.
 *
 *     warm.yaml: severity: warning     when: gpu.temp > 80 C
 *     hot.yaml:  severity: critical    when: gpu.temp > 75 C     always fires when warm does: nobody will ever see a warning
 *
 * Two conditions of one shape are walked side by side. Of each number that differs it is known whether a higher one makes the
 * condition easier or harder to reach: that turns round behind '<', 'not', '-' and below '/'. Factors are taken for
 * positive, as they are in conditions that people write. Where it can't be known, nothing is said.
 */
#include "rule/draft.h"

struct ease { /* of the first condition, measured by the second */
	bool easier, harder, unclear;
};

enum direction { FALLS = -1, UNKNOWN_WAY = 0, RISES = 1 };

static enum direction turned(enum direction way)
{
	return (enum direction)(-(int)way);
}

static void note_number(struct ease *e, enum direction way, double a, double b)
{
	if (a == b) /* both are as written, not computed */
		return;
	const enum direction moved = a > b ? way : turned(way);
	e->easier = e->easier || moved == RISES;
	e->harder = e->harder || moved == FALLS;
	e->unclear = e->unclear || moved == UNKNOWN_WAY;
}

/* Does the result rise when what is folded does? */
static bool rises_with_its_values(enum fold fold)
{
	switch (fold) {
	case FOLD_SPREAD:
	case FOLD_STDDEV:
	case FOLD_SLOPE:
	case FOLD_CHANGES:
	case FOLD_RATE:
	case FOLD_DELTA:
		return false;
	default:
		return true;
	}
}

static bool looks_up(enum comparison comparison)
{
	return comparison == GREATER || comparison == GREATER_EQUAL;
}

static bool looks_down(enum comparison comparison)
{
	return comparison == LESS || comparison == LESS_EQUAL;
}

/* Which way the whole moves when a child rises. */
static enum direction way_of(const struct expression *e, bool is_left, enum direction way)
{
	switch (e->kind) {
	case NODE_COMPARE:
		if (looks_up(e->comparison))
			return is_left ? way : turned(way);
		if (looks_down(e->comparison))
			return is_left ? turned(way) : way;
		return UNKNOWN_WAY;
	case NODE_NOT:
	case NODE_NEGATE:
		return turned(way);
	case NODE_SUBTRACT:
	case NODE_DIVIDE:
		return is_left ? way : turned(way);
	case NODE_ROLLING:
	case NODE_FOLD:
	case NODE_ACROSS:
		return rises_with_its_values(e->fold) ? way : UNKNOWN_WAY;
	default:
		return way;
	}
}

static void compare_side(struct ease *e, const struct expression *a, const struct expression *b, enum direction way)
{
	if (!a || !b)
		return;
	if (a->kind == NODE_NUMBER)
		note_number(e, way, a->number, b->number);
	e->unclear = e->unclear || a->width != b->width || a->comparison != b->comparison;
	compare_side(e, a->left, b->left, way_of(a, true, way));
	compare_side(e, a->right, b->right, way_of(a, false, way));
}

static bool are_of_one_shape(const struct rule *a, const struct rule *b)
{
	return a->scope == b->scope && a->kind == b->kind && expression_same_shape(a->when, b->when);
}

/* Whenever `mild` fires, `grave` does too, and sooner. */
static bool is_easier(const struct rule *grave, const struct rule *mild)
{
	const bool judged_less = mild->during & ~grave->during;
	struct ease e = { .easier = grave->hold < mild->hold, .harder = judged_less || mild->hold < grave->hold };

	compare_side(&e, grave->when, mild->when, RISES);
	return e.easier && !e.harder && !e.unclear;
}

/* Of two rules the one that came later has to answer for what they have in common: its author can change it. */
static bool came_later(const struct rule *a, const struct rule *b)
{
	return a->layer > b->layer;
}

static void check_tiers(const struct rule *grave, const struct rule *mild, struct diags *diags)
{
	const struct rule *const told = came_later(mild, grave) ? mild : grave, *const other = told == mild ? grave : mild;

	if (grave->severity > mild->severity && is_easier(grave, mild))
		yaml_complain(diags, told->source, told->when->place, told->when->width_columns, DIAG_TIERS,
			"'%s' (%s) is %s to reach than '%s' (%s, %s:%" PRId64 "): whenever %s fires, %s does too", told->id,
			severity_name(told->severity), told == grave ? "easier" : "harder", other->id, severity_name(other->severity),
			other->path, other->when->place.line, told == grave ? "that" : "this", told == grave ? "this" : "that");
}

/* The same in every way that counts. */
static bool check_same(const struct rule *a, const struct rule *b, struct diags *diags)
{
	const struct rule *const told = came_later(a, b) ? a : b, *const other = told == a ? b : a;

	if (a->hold != b->hold || a->during != b->during || !expression_same(a->when, b->when))
		return false;
	yaml_complain(diags, told->source, told->when->place, told->when->width_columns, DIAG_SAME_CONDITION,
		"'%s' has the same condition as '%s' (%s:%" PRId64 ")", told->id, other->id, other->path, other->when->place.line);
	return true;
}

void rules_lint(const struct rule *const *rules, size_t n, struct diags *diags)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			if (!are_of_one_shape(rules[i], rules[k]) || check_same(rules[i], rules[k], diags))
				continue;
			check_tiers(rules[i], rules[k], diags);
			check_tiers(rules[k], rules[i], diags);
		}
}
