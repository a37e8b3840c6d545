/*
 * judge.c - from a condition to what fires.
 *
 *     when, ended by clear        ----YYYYYYYY-Y--UU-YYYY-----Y------
 *     in the phases of `during`       |                            |
 *     merge_gap, max_gap          ----YYYYYYYYYY--UU-YYYY-----Y------   a dip that is not judged parts nothing, and is left out at the end
 *     windows trimmed             -----YYYYYYYY---UU-YYYY-----Y------   mean(x, 10 s) knows of a change before it comes
 *     excluded_by                 -----YYYYYYYY---UU----------Y------   another rule fired there
 *     for, keep_for               -----YYYYYYYY---UU-----------------   so `for` is asked of what will be shown
 *
 * A whole-run rule has one truth: all of the judged time fires, or none. There what others exclude counts only if it is all.
 */
#include "rule/judge.h"

/* What fires on the run or on a host is so for all that belong to it. */
static bool concerns(const struct verdict *other, const struct vantage *v)
{
	return !other->entity || other->entity == v->entity || other->entity == v->host;
}

struct exclusion {
	struct spans time;
	const struct rule *by; /* the rule that added most to it */
	time_ms most;
};

static void exclude(struct exclusion *e, struct arena *mem, const struct verdict *other)
{
	const time_ms before = spans_length(e->time);

	e->time = spans_union(mem, e->time, other->when);
	if (spans_length(e->time) - before > e->most) {
		e->most = spans_length(e->time) - before;
		e->by = other->rule;
	}
}

static struct exclusion exclusion_of(struct store *s, const struct rule *rule, const struct verdicts *all)
{
	const struct plan *p = s->plan;
	struct exclusion e = { .by = NULL };

	for (size_t r = 0; r < p->n_rules && rule->excluded_by.n; r++) {
		const size_t end = r + 1 < p->n_rules ? p->rules[r + 1].first : all->n;
		if (!texts_have(rule->excluded_by, p->rules[r].rule->id))
			continue;
		for (size_t i = p->rules[r].first; i < end; i++)
			/* in this order: the outcomes of others may be written meanwhile */
			if (concerns(&all->at[i], &s->vantage) && all->at[i].outcome == OUTCOME_FIRED)
				exclude(&e, &s->mem, &all->at[i]);
	}
	return e;
}

/* From the first moment at which the condition holds without its windows to the last at which it does, or before it clears. */
static struct truths trimmed(struct store *s, const struct planned_rule *r, struct truths line)
{
	if (!r->begins || !truths_any(line, YES))
		return line;
	const struct truths begins = value_of(s, r->begins, NULL).line;
	const struct truths ends = r->ends ? truths_not(&s->mem, value_of(s, r->ends, NULL).line) : begins;
	return truths_trimmed(&s->mem, line, begins, ends);
}

static struct truths without(struct store *s, struct truths line, struct spans taken)
{
	const struct truths left = truths_not(&s->mem, truths_from_spans(&s->mem, taken, s->plan->run->span));

	return taken.n ? truths_zip(&s->mem, line, left, truth_and) : line;
}

/* The periodic dips that are not judged: what held before one and holds after it has gone on. */
static struct spans dips_between(struct store *s, const struct planned_rule *r)
{
	const struct spans none = { NULL, 0 };

	return r->rule->during & 1U << PHASE_DIP ? none : run_phases(&s->mem, s->plan->run, 1U << PHASE_DIP);
}

static struct truths joined_over(struct store *s, struct truths line, struct spans dips)
{
	const struct spans yes = truths_spans(&s->mem, line, YES);
	struct span *const over = NEW_ARRAY(&s->mem, struct span, dips.n);
	size_t n = 0;

	for (size_t i = 0; i < dips.n; i++)
		if (spans_hold(yes, dips.at[i].begin - 1) && spans_hold(yes, dips.at[i].end))
			over[n++] = dips.at[i];
	if (!n)
		return line;
	return truths_zip(&s->mem, line, truths_from_spans(&s->mem, (struct spans){ over, n }, s->plan->run->span), truth_or);
}

static struct steps interval_steps(struct store *s, const struct planned_rule *r, const struct exclusion *excluded)
{
	const struct rule *rule = r->rule;
	const struct spans judged = r->time->spans;
	const time_ms length = spans_length(judged);
	const struct value when = value_of(s, r->when, NULL);
	struct truths line = when.line;
	struct steps steps = { .of_folds = when.coverage };
	const struct spans dips = dips_between(s, r);

	if (length)
		steps.coverage = 1 - (double)truths_length(line, UNKNOWN, judged) / (double)length;
	if (r->clear)
		line = truths_latched(&s->mem, line, value_of(s, r->clear, NULL).line);
	steps.condition = truths_within(&s->mem, line, judged);
	line = joined_over(s, steps.condition, dips);
	steps.bridged = trimmed(s, r, truths_bridged(&s->mem, line, rule->merge_gap, rule->max_gap));
	steps.counted = without(s, steps.bridged, excluded->time);
	steps.held = truths_persisted(&s->mem, steps.counted, rule->hold, rule->keep);
	if (excluded->by && !truths_any(steps.held, YES)
		&& truths_any(truths_persisted(&s->mem, steps.bridged, rule->hold, rule->keep), YES))
		steps.excluded_by = excluded->by;
	if (dips.n) {
		steps.counted = truths_within(&s->mem, steps.counted, judged);
		steps.held = truths_within(&s->mem, steps.held, judged);
	}
	return steps;
}

static struct steps whole_steps(struct store *s, const struct planned_rule *r, const struct exclusion *excluded)
{
	const struct value v = value_of(s, r->when, NULL);
	const bool is_short = spans_length(r->time->spans) < WHOLE_RUN_LEAST;
	const struct truths known = is_short ? truths_constant(&s->mem, UNKNOWN, s->plan->run->span) : v.line;
	const struct truths line = truths_within(&s->mem, known, r->time->spans);
	const struct truths left = without(s, line, excluded->time);
	const bool is_excluded = truths_any(line, YES) && !truths_any(left, YES);

	return (struct steps){
		.coverage = r->time->spans.n ? v.coverage : 0,
		.of_folds = v.coverage,
		.condition = line,
		.bridged = line,
		.counted = is_excluded ? left : line,
		.held = is_excluded ? left : line,
		.excluded_by = is_excluded ? excluded->by : NULL,
	};
}

struct steps judge_steps(struct store *s, const struct planned_rule *r, const struct verdicts *all)
{
	const struct exclusion excluded = exclusion_of(s, r->rule, all);

	return r->is_whole ? whole_steps(s, r, &excluded) : interval_steps(s, r, &excluded);
}
