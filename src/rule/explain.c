/*
 * explain.c - why a verdict is what it is: each part of the condition on its own, and the line as it passes through the keys.
 *
 *     gpu.util < 70 % and host.cpu.busy > 97 %      level 0   YES for 61 s of 2 h
 *       gpu.util < 70 %                             level 1   YES for 5 min, lowest 12 %
 *         gpu.util                                  level 2   12 % … 94 % … 100 %
 *       host.cpu.busy > 97 %                        level 1   YES for 61 s, nearest 99.2 % at 01:50:12
 *         host.cpu.busy                             level 2
 *
 * Judged again, for this one verdict alone, with the very functions that judged it. What stands inside of a set is
 * one line for each member and is not taken apart.
 */
#include "rule/judge.h"
#include "rule/missing.h"

#include <math.h>

struct explaining {
	struct arena *mem;
	struct plan *plan;
	const struct planned_rule *rule;
	struct store *store;
	struct explained_part *parts;
	size_t n;
};

static struct quantity quantity_of(const struct term *t, double value)
{
	return (struct quantity){ value, unit_first(t->dimension) };
}

static double share_of(time_ms part, time_ms all)
{
	return all ? (double)part / (double)all : 0;
}

/* ------ how near a comparison came to the other outcome ------ */

struct nearness {
	const struct term *subject, *limit; /* NULL: both change */
	enum comparison how;                /* subject how limit */
};

static struct nearness nearness_of(const struct term *t)
{
	if (!t->right->varies && (t->left->varies || t->left->kind != NODE_NUMBER))
		return (struct nearness){ t->left, t->right, t->comparison };
	if (!t->left->varies)
		return (struct nearness){ t->right, t->left, comparison_mirrored(t->comparison) };
	return (struct nearness){ NULL, NULL, t->comparison };
}

/* The smaller, the nearer to being true. */
static double distance(enum comparison how, double value, double limit)
{
	switch (how) {
	case LESS:
	case LESS_EQUAL:
		return value;
	case GREATER:
	case GREATER_EQUAL:
		return -value;
	case EQUAL:
		return fabs(value - limit);
	case NOT_EQUAL:
		break;
	}
	return -fabs(value - limit);
}

/* The first piece inside the judged time that is nearest; `sign` -1: nearest to being false. */
static void find_nearest(struct explained_part *part, const struct nearness *n, struct signal s, struct spans judged, int sign)
{
	double least = INFINITY;
	size_t k = 0;

	for (size_t i = 0; i < s.n && k < judged.n; i++) {
		const time_ms end = i + 1 < s.n ? s.at[i + 1].begin : s.end;
		while (k < judged.n && judged.at[k].end <= s.at[i].begin)
			k++;
		const double d = sign * distance(n->how, s.at[i].value, part->threshold.value);
		if (k == judged.n || end <= judged.at[k].begin || !(d < least)) /* NAN is nearer to nothing */
			continue;
		least = d;
		part->nearest.value = s.at[i].value;
		part->nearest_at = s.at[i].begin > judged.at[k].begin ? s.at[i].begin : judged.at[k].begin;
	}
}

static void tell_nearest(struct explaining *e, struct explained_part *part, const struct term *t)
{
	const struct nearness n = nearness_of(t);
	const struct spans judged = e->rule->time->spans;

	if (!n.subject)
		return;
	const struct signal limit = value_of(e->store, n.limit, NULL).number;
	const bool is_ever_false = truths_length(part->line, NO, judged) > 0;
	/* a number is one term for all that compare with it: 0 of 0 %, 0 C and 0 W */
	part->threshold = quantity_of(n.subject->dimension == DIM_NONE ? n.limit : n.subject, limit.n ? limit.at[0].value : (double)NAN);
	part->nearest = quantity_of(n.subject, NAN);
	find_nearest(part, &n, value_of(e->store, n.subject, NULL).number, judged, is_ever_false ? 1 : -1);
}

/* ------ the parts ------ */

static const char *missing_name(const struct explaining *e, const struct expression *x)
{
	const bool is_about_one = expression_needs_log(x) || x->kind == NODE_LOGGED;

	return is_about_one && !vantage_track(&e->store->vantage, x->metric) ? metric_table[x->metric].name : NULL;
}

static void tell_condition(struct explaining *e, struct explained_part *part, const struct term *t)
{
	const struct spans judged = e->rule->time->spans;
	const struct truths line = value_of(e->store, t, NULL).line;
	const time_ms all = spans_length(judged);

	part->line = truths_within(e->mem, line, judged);
	part->coverage = share_of(all - truths_length(line, UNKNOWN, judged), all);
	if (t->kind == NODE_COMPARE)
		tell_nearest(e, part, t);
}

static double finite_or(double bound, double known)
{
	return isfinite(bound) ? bound : known;
}

/* From the lowest to the highest that it can have been, where only bounds are known of some of the time. */
static void tell_number(struct explaining *e, struct explained_part *part, const struct term *t)
{
	const struct spans judged = e->rule->time->spans;
	struct arena *scratch = &e->store->mem;
	const struct value v = value_of(e->store, t, NULL);
	const double lowest = signal_fold(scratch, v.number, judged, FOLD_MIN), highest = signal_fold(scratch, v.number, judged, FOLD_MAX);

	part->coverage = share_of(signal_known(v.number, judged), spans_length(judged));
	part->lowest = quantity_of(t, finite_or(signal_fold(scratch, value_bound(scratch, &v, false), judged, FOLD_MIN), lowest));
	part->typical = quantity_of(t, signal_fold(scratch, v.number, judged, FOLD_P50));
	part->highest = quantity_of(t, finite_or(signal_fold(scratch, value_bound(scratch, &v, true), judged, FOLD_MAX), highest));
}

static bool is_part(const struct expression *x)
{
	return x && x->kind != NODE_NUMBER;
}

/* What the compiler put around a part to convert it is no part of its own: nobody wrote it. */
static const struct expression *as_written(const struct expression *x)
{
	const bool is_conversion = x->kind == NODE_MULTIPLY && x->right->kind == NODE_NUMBER && !x->right->text.n;

	return is_conversion ? x->left : x;
}

static size_t count_parts(const struct expression *x)
{
	if (!is_part(x) || !is_part(as_written(x)))
		return 0;
	x = as_written(x);
	return x->kind == NODE_ACROSS ? 1 : 1 + count_parts(x->left) + count_parts(x->right);
}

static void tell_operand(struct explaining *e, const struct expression *of, const struct expression *x, unsigned level);

static void tell_parts(struct explaining *e, const struct expression *x, unsigned level)
{
	static const struct quantity nothing = { (double)NAN, UNIT_NUMBER };

	if (!is_part(x) || !is_part(as_written(x)))
		return;
	const struct term *t = plan_term(e->plan, e->rule, x);
	x = as_written(x);
	const char *const missing = missing_name(e, x);
	struct explained_part *part = &e->parts[e->n++];
	*part = (struct explained_part){
		.text = arena_text(e->mem, x->text.p, x->text.n),
		.level = level,
		.is_condition = t->is_condition,
		.missing = missing,
		.is_untold = missing && missing_is_untold(&e->store->vantage, x->metric),
		.lowest = nothing, .typical = nothing, .highest = nothing, .nearest = nothing, .threshold = nothing,
		.nearest_at = TIME_UNKNOWN,
	};
	if (t->is_condition)
		tell_condition(e, part, t);
	else
		tell_number(e, part, t);
	if (x->kind == NODE_ACROSS)
		return;
	tell_operand(e, x, x->left, level + 1);
	tell_operand(e, x, x->right, level + 1);
}

static bool is_same_text(struct slice a, struct slice b)
{
	return a.p == b.p && a.n == b.n;
}

/* "a and b and c" has three parts, not two of which one has two; a conversion to another unit has the text of what it converts. */
static void tell_operand(struct explaining *e, const struct expression *of, const struct expression *x, unsigned level)
{
	const bool goes_on = x && x->kind == of->kind && (x->kind == NODE_AND || x->kind == NODE_OR);

	if (!goes_on && !(x && x->kind != NODE_NUMBER && x->kind != NODE_ACROSS && is_same_text(x->text, of->text))) {
		tell_parts(e, x, level);
		return;
	}
	tell_operand(e, x, x->left, level);
	tell_operand(e, x, x->right, level);
}

/* ------ what it lacks ------ */

static void tell_missing(struct explaining *e, struct explanation *x, enum outcome outcome)
{
	bool marks[N_METRICS] = { false };
	enum metric *missing = NEW_ARRAY(e->mem, enum metric, N_METRICS);

	missing_to_answer(&e->store->vantage, e->rule->rule, outcome, marks);
	for (size_t i = 0; i < N_METRICS; i++)
		if (marks[i])
			missing[x->n_missing++] = (enum metric)i;
	x->missing = missing;
}

static struct explanation explain(struct explaining *e, const struct verdicts *all, enum outcome outcome)
{
	const struct rule *rule = e->rule->rule;
	const struct steps steps = judge_steps(e->store, e->rule, all);
	const struct spans judged = e->rule->time->spans;
	struct explanation x = {
		.judged = spans_of(e->mem, judged.at, judged.n),
		.condition = truths_kept(e->mem, steps.condition),
		.bridged = truths_kept(e->mem, steps.bridged),
		.held = truths_kept(e->mem, steps.held),
		.counted = truths_kept(e->mem, steps.counted),
	};

	x.parts = e->parts = NEW_ARRAY(e->mem, struct explained_part, count_parts(rule->when) + count_parts(rule->clear));
	tell_parts(e, rule->when, 0);
	x.n_when_parts = e->n;
	if (e->rule->clear)
		tell_parts(e, rule->clear, 0);
	x.n_parts = e->n;
	tell_missing(e, &x, outcome);
	return x;
}

/* The rules that were judged, from their verdicts: those of a rule stand together. */
static struct rules rules_of(struct arena *mem, const struct verdicts *all)
{
	const struct rule **at = NEW_ARRAY(mem, const struct rule *, all->n);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (!n || at[n - 1] != all->at[i].rule)
			at[n++] = all->at[i].rule;
	return (struct rules){ .at = at, .n = n };
}

static const struct planned_rule *place_verdicts(struct plan *p, const struct verdicts *all, const struct rule *rule)
{
	const struct planned_rule *found = NULL;
	size_t first = 0;

	for (size_t r = 0; r < p->n_rules; r++) {
		p->rules[r].first = first;
		while (first < all->n && all->at[first].rule == p->rules[r].rule)
			first++;
		if (p->rules[r].rule == rule)
			found = &p->rules[r];
	}
	if (!found)
		BUG("a verdict that is none of all");
	return found;
}

struct explanation rule_explain(struct arena *mem, const struct run *run, const struct verdicts *all, const struct verdict *v)
{
	const enum scope scope = v->rule->scope;
	struct arena scratch;
	struct store of_run = { 0 }, of_host = { 0 }, of_member = { 0 };
	struct store *narrowest = scope == SCOPE_RUN ? &of_run : scope == SCOPE_HOST ? &of_host : &of_member;

	arena_init(&scratch);
	const struct rules rules = rules_of(&scratch, all);
	struct plan *plan = plan_new(&scratch, &rules, run);
	struct explaining e = { .mem = mem, .plan = plan, .rule = place_verdicts(plan, all, v->rule), .store = narrowest };
	store_open(&of_run, plan, NULL, SCOPE_RUN, NULL);
	store_open(&of_host, plan, &of_run, SCOPE_HOST, scope == SCOPE_HOST ? v->entity : run_host(run, v->entity));
	store_open(&of_member, plan, &of_host, scope, v->entity);
	const struct explanation x = explain(&e, all, v->outcome);
	store_release(&of_member);
	store_release(&of_host);
	store_release(&of_run);
	arena_release(&scratch);
	return x;
}
