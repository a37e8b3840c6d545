/*
 * judge.c - from a condition to what fires.
 *
 *     unknown_while               another rule fired there: what the other side's logs say is not known
 *     when, ended by clear        ----YYYYYYYY-Y--UU-YYYY-----Y------
 *     in the phases of `during`       |                            |
 *     merge_gap, max_gap          ----YYYYYYYYYY--UU-YYYY-----Y------   a dip that is not judged parts nothing, and is left out at the end
 *     windows trimmed             -----YYYYYYYY---UU-YYYY-----Y------   mean(x, 10 s) knows of a change before it comes
 *     excluded_by                 -----YYYYYYYY---UU----------Y------   another rule fired there; what it leaves is trimmed, too
 *     for, keep_for               -----YYYYYYYY---UU-----------------   so `for` is asked of what will be shown,
 *     windows grown               ---YYYYYYYYYYY--UU-----------------   but for true samples next to it: a mean knows late of a weak change
 *     windows rejoined            two that fire, and nothing but a cell without a value or two between them, are one
 *
 * A whole-run rule has one truth: all of the judged time fires, or none. There what others exclude counts only if it is all.
 */
#include "rule/judge.h"

#include "rule/open.h"
#include "rule/row_terms.h"

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

/* The verdicts of a rule that may concern who is judged: all, or that of one GPU or core among thousands. */
static struct verdicts verdicts_beside(const struct vantage *v, const struct planned_rule *r, const struct verdicts *all)
{
	const struct entities who = entities_of(v->run, r->rule->scope);
	size_t i = 0;

	if (r->rule->scope != SCOPE_GPU && r->rule->scope != SCOPE_CORE)
		return (struct verdicts){ all->at + r->first, who.n };
	while (i < who.n && who.at[i] != v->entity)
		i++;
	return (struct verdicts){ all->at + r->first + i, i < who.n };
}

/* The firing time of the rules with these ids. */
static struct exclusion time_of_others(struct store *s, struct texts ids, const struct verdicts *all)
{
	const struct plan *p = s->plan;
	struct exclusion e = { .by = NULL };

	for (size_t r = 0; r < p->n_rules && ids.n; r++) {
		if (!texts_have(ids, p->rules[r].rule->id))
			continue;
		const struct verdicts beside = verdicts_beside(&s->vantage, &p->rules[r], all);
		for (size_t i = 0; i < beside.n; i++)
			/* in this order: the outcomes of others may be written meanwhile */
			if (concerns(&beside.at[i], &s->vantage) && beside.at[i].outcome == OUTCOME_FIRED)
				exclude(&e, &s->passing, &beside.at[i]);
	}
	return e;
}

struct spans doubted_time(struct store *s, const struct rule *rule, const struct verdicts *all)
{
	return time_of_others(s, rule->unknown_while, all).time;
}

/* ------ what logs of the other side say ------ */

/* Do its own side's logs tell it? */
static bool is_own(const struct store *s, const struct term *t, const struct rule *rule)
{
	(void)s;
	return !term_looks_beside(t, rule->scope);
}

struct truths trusted_part(struct store *s, const struct term *t, const struct rule *rule, trust *is_trusted)
{
	if (is_trusted(s, t, rule))
		return value_of(s, t, NULL).line;
	if (t->kind == NODE_NOT)
		return truths_not(&s->passing, trusted_part(s, t->left, rule, is_trusted));
	if (t->kind != NODE_AND && t->kind != NODE_OR)
		return truths_constant(&s->passing, UNKNOWN, s->plan->run->span);
	const struct truths left = trusted_part(s, t->left, rule, is_trusted);
	return truths_zip(&s->passing, left, trusted_part(s, t->right, rule, is_trusted), t->kind == NODE_AND ? truth_and : truth_or);
}

/* ------ steps ------ */

/*
 * What a step takes on its way goes back when it is done: lines of flags that come and go have a cut for every other sample. Returns where
 * what was taken before is.
 */
static struct arena step_begin(struct store *s)
{
	const struct arena before = s->passing;

	arena_init(&s->passing);
	return before;
}

static void step_left(struct store *s, struct arena before)
{
	arena_release(&s->passing);
	s->passing = before;
}

/* With a line that comes of it. */
static struct truths step_done(struct store *s, struct arena before, struct truths line)
{
	struct arena on_the_way = s->passing;

	s->passing = before;
	const struct truths kept = truths_moved(&s->passing, &on_the_way, line);
	arena_release(&on_the_way);
	return kept;
}

/* Is it known to hold at no time? */
static bool is_no(struct truths line)
{
	return !truths_any(line, YES) && !truths_any(line, UNKNOWN);
}

/* The condition where nothing casts doubt on it, and what is left of it where something does. */
static struct truths doubted(struct store *s, const struct term *t, const struct rule *rule, struct truths line, struct spans time)
{
	if (!time.n || is_own(s, t, rule))
		return line;
	const struct truths there = truths_from_spans(&s->passing, time, s->plan->run->span);
	const struct truths outside = truths_zip(&s->passing, line, truths_not(&s->passing, there), truth_and);
	const struct truths inside = truths_zip(&s->passing, trusted_part(s, t, rule, is_own), there, truth_and);
	return truths_zip(&s->passing, outside, inside, truth_or);
}

/* 0 where it has windows of which a moment says nothing: the spread of one sample is none. */
static bool has_means_alone(const struct term *t)
{
	if (!t)
		return true;
	if (t->kind == NODE_ROLLING && t->fold != FOLD_MEAN)
		return false;
	return t->kind == NODE_FOLD || (has_means_alone(t->left) && has_means_alone(t->right));
}

static time_ms widest_window(struct store *s, const struct term *t)
{
	if (!t)
		return 0;
	const time_ms own = t->kind == NODE_ROLLING ? width_of(s, t) : 0;
	const time_ms left = widest_window(s, t->left), right = widest_window(s, t->right);
	const time_ms below = left > right ? left : right;

	return own > below ? own : below;
}

/* How far a window's edge may be from that of the true samples that belong to it; 0: they are no reason for it to grow. */
static time_ms reach_of_growth(struct store *s, const struct planned_rule *r)
{
	return has_means_alone(r->when) ? widest_window(s, r->when) / 2 : 0;
}

/* The condition without its windows, in stretches and so far around them; without windows nobody asks. */
static struct truths moments_of(
	struct arena *mem, struct store *s, const struct planned_rule *r, struct spans stretches, time_ms beside)
{
	if (r->begins && stretches.n)
		return line_around(mem, s, r->begins, stretches, beside);
	return truths_constant(mem, NO, s->plan->run->span);
}

/* From the first moment at which the condition holds without its windows to the last at which it does, or before it clears. */
static struct truths trimmed(struct store *s, const struct planned_rule *r, struct truths line, struct spans yes, struct truths moments)
{
	if (!r->begins || !yes.n)
		return line;
	const struct truths ends = r->ends ? truths_not(&s->passing, line_around(&s->passing, s, r->ends, yes, 0)) : moments;
	return truths_trimmed(&s->passing, line, moments, ends);
}

/* Until where from `edge` on, forwards or backwards, the condition held without a break at each moment that is judged. */
static time_ms held_until(struct truths moments, struct spans judged, time_ms edge, bool is_forward)
{
	const time_ms nearest = is_forward ? edge : edge - 1;
	const struct span yes = truths_yes_at(moments, nearest);
	const size_t i = spans_seek(judged, nearest);

	if (!span_length(yes) || i == judged.n || judged.at[i].begin > nearest)
		return edge;
	return is_forward ? sooner(yes.end, judged.at[i].end) : later(yes.begin, judged.at[i].begin);
}

/*
 * A window knows late of a weak change, by up to half of its width: samples next to a stretch for which the condition held, too, belong to
 * it. Where `clear` ends stretches, only before them.
 */
static struct truths grown(struct store *s, const struct planned_rule *r, struct truths line, struct truths moments)
{
	const time_ms reach = reach_of_growth(s, r);

	if (!r->begins || !reach || !truths_any(line, YES))
		return line;
	const struct spans yes = truths_spans(&s->passing, line, YES);
	const struct spans judged = r->time->spans;
	struct span *const all = NEW_ARRAY(&s->passing, struct span, yes.n);
	for (size_t i = 0; i < yes.n; i++) {
		const struct span w = yes.at[i];
		const time_ms begin = held_until(moments, judged, w.begin, false);
		const time_ms end = r->ends ? w.end : held_until(moments, judged, w.end, true);
		all[i] = (struct span){ begin < w.begin - reach ? w.begin - reach : begin, end > w.end + reach ? w.end + reach : end };
	}
	const struct spans longer = spans_of(&s->passing, all, yes.n);
	return truths_with(&s->passing, line, longer);
}

static struct truths without(struct store *s, struct truths line, struct spans taken)
{
	const struct truths left = truths_not(&s->passing, truths_from_spans(&s->passing, taken, s->plan->run->span));

	return taken.n ? truths_zip(&s->passing, line, left, truth_and) : line;
}

static bool is_next_to(struct spans taken, struct span when)
{
	const size_t i = spans_seek(taken, when.begin - 1), k = spans_seek(taken, when.end);

	return (i < taken.n && taken.at[i].begin < when.begin) || (k < taken.n && taken.at[k].begin <= when.end);
}

/* Stretches that others have taken a part of, and in which the condition never holds without its windows. */
static struct spans without_moments(struct store *s, struct truths line, struct spans taken, struct truths moments)
{
	const struct spans yes = truths_spans(&s->passing, line, YES);
	struct span *const at = NEW_ARRAY(&s->passing, struct span, yes.n);
	size_t n = 0;

	for (size_t i = 0; i < yes.n; i++) {
		const time_ms length = span_length(yes.at[i]);
		if (is_next_to(taken, yes.at[i]) && truths_length(moments, NO, spans_one(&yes.at[i])) == length)
			at[n++] = yes.at[i];
	}
	return (struct spans){ at, n };
}

/*
 * What others leave of stretches: true samples, too. A window that sees into what they took knows of that, and not of what is left; where
 * there is nothing else, nothing is.
 */
static struct truths left_by(struct store *s, const struct planned_rule *r, struct truths line, struct spans taken, struct truths moments)
{
	const struct truths left = without(s, line, taken);

	if (!taken.n || !r->begins)
		return left;
	const struct truths shown = without(s, left, without_moments(s, left, taken, moments));
	return trimmed(s, r, shown, truths_spans(&s->passing, shown, YES), moments);
}

/* The periodic dips that are not judged: what held before one and holds after it has gone on. */
static struct spans dips_between(struct store *s, const struct planned_rule *r)
{
	const struct spans none = { NULL, 0 };

	return r->rule->during & 1U << PHASE_DIP ? none : run_phases(&s->passing, s->plan->run, 1U << PHASE_DIP);
}

static struct truths joined_over(struct store *s, struct truths line, struct spans dips)
{
	struct span *const over = NEW_ARRAY(&s->passing, struct span, dips.n);
	size_t n = 0;

	for (size_t i = 0; i < dips.n; i++)
		if (span_length(truths_yes_at(line, dips.at[i].begin - 1)) && span_length(truths_yes_at(line, dips.at[i].end)))
			over[n++] = dips.at[i];
	return n ? truths_with(&s->passing, line, (struct spans){ over, n }) : line;
}

/* ------ cells without a value ------ */

/* Of the rows that a term hangs on: the GPU's or the host's own, of what only others have the coarsest. */
static time_ms coarsest_step(const struct store *s, const struct term *t)
{
	if (!t || (t->kind == NODE_METRIC && metric_table[t->metric].kind == KIND_FACT)) /* told once, it has no rhythm */
		return 0;
	const bool is_metric = t->kind == NODE_METRIC || t->kind == NODE_HAS;
	const struct track *const own = is_metric ? vantage_track(&s->vantage, t->metric) : NULL;
	const struct run *const run = s->plan->run;
	const time_ms left = coarsest_step(s, t->left), right = coarsest_step(s, t->right);
	time_ms step = own ? own->step : left > right ? left : right;

	for (size_t i = 0; is_metric && !own && i < run->n_tracks; i++)
		if (run->tracks[i]->metric == t->metric && run->tracks[i]->step > step)
			step = run->tracks[i]->step;
	return step;
}

/* Two values are HOLE_STEPS apart at most, so that there is no hole between them: without a value it was for a step less. */
static time_ms longest_blank(const struct store *s, const struct term *t)
{
	return (2 * HOLE_STEPS - 1) * coarsest_step(s, t) / 2;
}

/*
 * The condition, where a few cells without a value read as the one before them; each part by the rows of its own logs. In these spans, far
 * from their ends; NULL: everywhere.
 */
static struct truths filled_part(struct store *s, struct arena *mem, const struct term *t, const struct spans *only)
{
	const bool is_and = t->kind == NODE_AND;

	if (!is_and && t->kind != NODE_OR && t->kind != NODE_NOT)
		return truths_filled(mem, only ? line_around(mem, s, t, *only, 0) : value_of(s, t, NULL).line, longest_blank(s, t));
	struct arena parts;
	arena_init(&parts);
	const struct truths left = filled_part(s, &parts, t->left, only);
	const struct truths all = t->kind == NODE_NOT
		? truths_not(&parts, left)
		: truths_zip(&parts, left, filled_part(s, &parts, t->right, only), is_and ? truth_and : truth_or);
	const struct truths kept = truths_moved(mem, &parts, all);
	arena_release(&parts);
	return kept;
}

/* The gaps between neighbours of these stretches, of which there is one at least. */
static struct spans gaps_between(struct arena *mem, struct spans stretches)
{
	struct span *const gaps = NEW_ARRAY(mem, struct span, stretches.n);

	for (size_t i = 0; i + 1 < stretches.n; i++)
		gaps[i] = (struct span){ stretches.at[i].end, stretches.at[i + 1].begin };
	return (struct spans){ gaps, stretches.n - 1 };
}

/* Those in which a line is YES throughout. */
static struct spans gaps_gone_over(struct arena *mem, struct spans gaps, struct truths line)
{
	const struct spans yes = truths_spans(mem, line, YES);
	struct span *const over = NEW_ARRAY(mem, struct span, gaps.n);
	size_t n = 0, k = 0;

	for (size_t i = 0; i < gaps.n; i++) {
		while (k < yes.n && yes.at[k].end < gaps.at[i].end)
			k++;
		if (k < yes.n && yes.at[k].begin <= gaps.at[i].begin)
			over[n++] = gaps.at[i];
	}
	return (struct spans){ over, n };
}

/* From one stretch of the condition to the next over dips and short gaps. */
static struct truths bridged_over(struct store *s, const struct planned_rule *r, struct truths condition, struct spans dips)
{
	const struct arena before = step_begin(s);
	const struct truths line = joined_over(s, condition, dips);

	return step_done(s, before, truths_bridged(&s->passing, line, r->rule->merge_gap, r->rule->max_gap));
}

/* How the condition goes on from stretch to stretch, where nothing excludes it or casts doubt on it. */
static struct truths going_on(
	struct store *s, const struct planned_rule *r, struct truths condition, struct spans dips, struct spans parted)
{
	return without(s, bridged_over(s, r, condition, dips), parted);
}

/* Those of the gaps over which it may go on so, whatever the cells without a value read. */
static struct spans doubtful_gaps(struct arena *mem, struct store *s, const struct planned_rule *r, struct truths condition,
	struct spans gaps, struct spans dips, struct spans parted)
{
	const struct arena before = step_begin(s);
	const struct truths possible = truths_possible(&s->passing, condition);
	const struct spans doubtful = gaps_gone_over(mem, gaps, going_on(s, r, possible, dips, parted));

	step_left(s, before);
	return doubtful;
}

static struct truths filled_condition(struct store *s, const struct planned_rule *r)
{
	const struct arena before = step_begin(s);
	const struct truths when = filled_part(s, &s->passing, r->when, NULL);
	const struct truths all = r->clear ? truths_latched(&s->passing, when, filled_part(s, &s->passing, r->clear, NULL)) : when;

	return step_done(s, before, truths_within(&s->passing, all, r->time->spans));
}

/*
 * The same in these gaps alone, and YES elsewhere, of a rule without windows: on both sides of a gap it is YES, which no cell without a
 * value is, so that nothing beyond matters. A blank that reaches as far as twice the longest is longer.
 */
static struct truths filled_in_gaps(struct store *s, const struct planned_rule *r, struct spans gaps)
{
	const struct arena before = step_begin(s);
	const struct span all = s->plan->run->span;
	const time_ms longest = longest_blank(s, r->when);
	const struct spans near = spans_widened(&s->passing, gaps, longest, longest, all);
	const struct spans around = spans_widened(&s->passing, gaps, 3 * longest, 3 * longest, all);
	const struct truths filled = truths_within(&s->passing, filled_part(s, &s->passing, r->when, &around), near);
	const struct truths elsewhere = truths_not(&s->passing, truths_from_spans(&s->passing, near, all));
	const struct truths line = truths_zip(&s->passing, filled, elsewhere, truth_or);

	return step_done(s, before, truths_within(&s->passing, line, r->time->spans));
}

/*
 * A missing cell ends no window: where the rule fires on both sides of it, it is one window. That is no evidence: each side is long
 * enough alone, coverage tells of what is missing, and what excludes or casts doubt still parts. Most gaps are there because the condition
 * did not hold, whatever the missing cells read: of these nothing is filled in.
 */
static struct truths rejoined(
	struct store *s, const struct planned_rule *r, const struct steps *steps, struct spans dips, struct spans parted)
{
	struct arena apart; /* a step finds them, the next asks for them */
	struct truths line = steps->held;

	if (!truths_any(line, YES) || !truths_any(line, UNKNOWN))
		return line;
	arena_init(&apart);
	struct spans gaps = gaps_between(&apart, truths_spans(&apart, line, YES));
	if (gaps.n && !r->clear)
		gaps = doubtful_gaps(&apart, s, r, steps->condition, gaps, dips, parted);
	if (gaps.n) {
		const bool is_local = has_sketches(s) && !r->clear && !r->begins;
		const struct truths filled = is_local ? filled_in_gaps(s, r, gaps) : filled_condition(s, r);
		const struct spans over = gaps_gone_over(&apart, gaps, going_on(s, r, filled, dips, parted));
		line = truths_with(&s->passing, line, over);
	}
	arena_release(&apart);
	return line;
}

/* ------ from when to what fires ------ */

/* Block by block where that is enough: without a doubt. */
static struct truths when_of(struct store *s, const struct planned_rule *r, const struct exclusion *doubt)
{
	struct truths line;

	return !doubt->time.n && when_by_blocks(s, r, &line) ? line : value_of(s, r->when, NULL).line;
}

/* In the judged time, and for how much of that it is known. */
static struct truths condition_of(struct store *s, const struct planned_rule *r, const struct exclusion *doubt, double *coverage)
{
	const struct arena before = step_begin(s);
	const struct spans judged = r->time->spans;
	const time_ms length = spans_length(judged);
	const struct truths when = doubted(s, r->when, r->rule, when_of(s, r, doubt), doubt->time);
	struct truths line = when;

	if (length)
		*coverage = 1 - (double)truths_length(when, UNKNOWN, judged) / (double)length;
	if (r->clear && truths_any(when, YES)) /* else there is nothing to end */
		line = truths_latched(&s->passing, when, doubted(s, r->clear, r->rule, value_of(s, r->clear, NULL).line, doubt->time));
	return step_done(s, before, truths_within(&s->passing, line, judged));
}

static bool is_doubted(struct store *s, const struct planned_rule *r, const struct exclusion *doubt)
{
	return doubt->time.n && term_looks_beside(r->when, r->rule->scope)
		&& spans_length(spans_intersection(&s->passing, doubt->time, r->time->spans)) > 0;
}

static struct steps interval_steps(
	struct store *s, const struct planned_rule *r, const struct exclusion *excluded, const struct exclusion *doubt)
{
	const struct rule *rule = r->rule;
	struct steps steps = { .coverage = 0 };
	struct arena apart; /* what is asked for twice */

	if (is_doubted(s, r, doubt))
		steps.doubted_by = doubt->by;
	steps.condition = condition_of(s, r, doubt, &steps.coverage);
	if (is_no(steps.condition)) { /* as of nearly all rules: there is nothing that a step could change */
		steps.bridged = steps.counted = steps.held = steps.condition;
		return steps;
	}
	const struct spans dips = dips_between(s, r);
	arena_init(&apart);
	const struct arena before_bridged = step_begin(s);
	const struct truths bridged = bridged_over(s, r, steps.condition, dips);
	const struct spans stretches = truths_spans(&s->passing, bridged, YES);
	const struct truths moments = moments_of(&apart, s, r, stretches, reach_of_growth(s, r));
	steps.bridged = step_done(s, before_bridged, trimmed(s, r, bridged, stretches, moments));
	const struct arena before_counted = step_begin(s);
	steps.counted = step_done(s, before_counted, left_by(s, r, steps.bridged, excluded->time, moments));
	const struct arena before_held = step_begin(s);
	const struct truths persisted = truths_persisted(&s->passing, steps.counted, rule->hold, rule->keep);
	steps.held = step_done(s, before_held, without(s, grown(s, r, persisted, moments), excluded->time));
	arena_release(&apart);
	steps.held = rejoined(s, r, &steps, dips, spans_union(&s->passing, excluded->time, doubt->time));
	if (excluded->by && !truths_any(steps.held, YES)
		&& truths_any(truths_persisted(&s->passing, steps.bridged, rule->hold, rule->keep), YES))
		steps.excluded_by = excluded->by;
	if (dips.n) {
		steps.counted = truths_within(&s->passing, steps.counted, r->time->spans);
		steps.held = truths_within(&s->passing, steps.held, r->time->spans);
	}
	return steps;
}

static struct steps whole_steps(struct store *s, const struct planned_rule *r, const struct exclusion *excluded)
{
	const struct value v = value_of(s, r->when, NULL);
	const bool is_short = spans_length(r->time->spans) < WHOLE_RUN_LEAST;
	const struct truths known = is_short ? truths_constant(&s->passing, UNKNOWN, s->plan->run->span) : v.line;
	const struct truths line = truths_within(&s->passing, known, r->time->spans);
	const struct truths left = without(s, line, excluded->time);
	const bool is_excluded = truths_any(line, YES) && !truths_any(left, YES);

	return (struct steps){
		.coverage = r->time->spans.n ? v.coverage : 0,
		.condition = line,
		.bridged = line,
		.counted = is_excluded ? left : line,
		.held = is_excluded ? left : line,
		.excluded_by = is_excluded ? excluded->by : NULL,
	};
}

/*
 * The rule as it is here: where all that is left of its condition is of rows, its windows, of what is in no log, are none, and whatever
 * begins and ends is true samples.
 */
static struct planned_rule as_it_is(struct store *s, const struct planned_rule *r)
{
	struct planned_rule here = *r;
	struct row_condition rows;

	if (has_sketches(s) && r->begins && !r->ends && is_of_rows(s, &s->passing, r->when, &rows))
		here.begins = NULL;
	return here;
}

struct steps judge_steps(struct store *s, const struct planned_rule *r, const struct verdicts *all)
{
	const struct exclusion excluded = time_of_others(s, r->rule->excluded_by, all);
	const struct exclusion doubt = time_of_others(s, r->rule->unknown_while, all);

	if (r->is_whole)
		return whole_steps(s, r, &excluded);
	const struct planned_rule here = as_it_is(s, r);
	return interval_steps(s, &here, &excluded, &doubt);
}
