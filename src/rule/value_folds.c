/*
 * value_folds.c - folds over a fixed time: one number for the run, a phase, the firing time or the healthy rest.
 */
#include "rule/value_parts.h"

struct reference { /* the median of a term in some healthy time */
	const struct reference *next;
	const struct term *of;
	struct spans healthy;
	time_ms known;
	double median;
};

struct value value_looked_at(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f);
	const struct track *track = t->left->kind == NODE_METRIC ? track_of(s, t->left->metric) : NULL;

	if (takes_counters(t->fold) && track)
		return of_number(scaled_signal(mem, signal_increase(mem, track, all_time(s)), unit_factor(t->left->metric)));
	struct value v = value_of(s, t->left, f);
	if (t->left->is_condition)
		v.number = truths_signal(mem, v.line);
	return v;
}

/* The first or the last third of the steady time: a third of it, and not of the time that it spans. */
static struct spans third_of_work(struct store *s, bool last)
{
	const struct spans steady = run_phases(&s->mem, s->plan->run, 1U << PHASE_STEADY);
	const time_ms all = spans_length(steady), from = last ? all - all / 3 : 0, until = last ? all : all / 3;
	struct span *const third = NEW_ARRAY(&s->mem, struct span, steady.n);
	time_ms before = 0;
	size_t n = 0;

	for (size_t i = 0; i < steady.n; i++) {
		const struct span w = steady.at[i];
		const struct span part = { w.begin + (from > before ? from - before : 0),
			before + span_length(w) > until ? w.begin + until - before : w.end };
		before += span_length(w);
		if (part.begin < part.end)
			third[n++] = part;
	}
	return (struct spans){ third, n };
}

static struct spans place_of(struct store *s, const struct term *t, const struct firing *f)
{
	switch (t->where) {
	case WHERE_JUDGED:
		return s->plan->times[t->time].spans;
	case WHERE_RUN:
		return spans_one(&s->plan->run->logged);
	case WHERE_FIRST_THIRD:
	case WHERE_LAST_THIRD:
		return third_of_work(s, t->where == WHERE_LAST_THIRD);
	case WHERE_INSIDE:
		return f->inside;
	case WHERE_OUTSIDE:
		return f->outside;
	default:
		return run_phases(&s->mem, s->plan->run, 1U << (t->where - WHERE_PHASE));
	}
}

/* What a fold is over. */
struct over {
	double coverage;                /* of the folds in it */
	time_ms lengths[UNKNOWN + 1];   /* of a condition: for how long it is each of the truths */
};

/* Of the place the part for which a condition is known to hold at least, and at most, in percent: whole milliseconds, so no rounding. */
static bool bounds_of_share(const struct over *over, struct spans place, double *low, double *high)
{
	const double all = (double)spans_length(place);

	*low = 100 * (double)over->lengths[YES] / all;
	*high = 100 * (all - (double)over->lengths[NO]) / all;
	return true;
}

/*
 * Too little is known of the time, but what is known can be enough: a maximum can only be higher, a minimum lower; what adds
 * up and can't be negative can only be more; and of a share the unknown part is all true at most.
 */
static bool bounds_of_part(const struct term *t, const struct over *over, struct spans place, double value, double *low, double *high)
{
	*low = *high = value;
	switch (t->fold) {
	case FOLD_MIN:
		*low = -INFINITY;
		return true;
	case FOLD_TOTAL:
	case FOLD_DELTA:
		*high = INFINITY;
		return t->left->is_condition || !t->left->is_negative;
	case FOLD_MAX:
	case FOLD_SPREAD:
	case FOLD_CHANGES:
		*high = INFINITY;
		return true;
	case FOLD_SHARE:
		return bounds_of_share(over, place, low, high);
	default:
		return false;
	}
}

/* Row by row, if it is of rows and nobody has made its line; `mem` is the fold's. */
static struct over lengths_of(struct store *s, struct arena *mem, const struct term *condition, struct spans place, struct firing *f)
{
	struct over over = { .coverage = 1 };
	struct row_condition rows;

	if (!is_computed(s, condition) && can_be_of_rows(s, mem, condition, f, &rows)) {
		lengths_of_rows(&rows, place, all_time(s), over.lengths);
		return over;
	}
	const struct value v = value_of(s, condition, f);
	over.coverage = v.coverage;
	truths_lengths(v.line, place, over.lengths);
	return over;
}

/* Of a bare metric straight from its samples, of how long a condition holds without a number at each moment. */
static double fold_of(struct store *s, const struct term *t, struct spans place, struct firing *f, struct over *over, time_ms *known)
{
	struct arena *mem = memory_for(s, t, f);
	const struct track *track = track_has_fold(t->fold) ? direct_track(s, t->left) : NULL;

	struct found_of_tracks *const found = t->needs_firing ? &f->found : &s->found;

	*over = (struct over){ .coverage = 1 };
	if (track) {
		found->counts = run_counts(s->plan->run, track);
		return track_fold_found(found, mem, track, unit_factor(track->metric), place, t->fold, known);
	}
	if (t->left->is_condition && lengths_have_fold(t->fold)) {
		*over = lengths_of(s, mem, t->left, place, f);
		return lengths_fold(over->lengths, t->fold, known);
	}
	const struct value v = value_looked_at(s, t, f);
	over->coverage = v.coverage;
	*known = signal_known(v.number, place);
	return signal_fold(mem, v.number, place, t->fold);
}

struct value value_folded(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f);
	const struct spans place = place_of(s, t, f);
	struct over over;
	time_ms known;
	const double value = fold_of(s, t, place, f, &over, &known);
	const time_ms all = spans_length(place);
	const double share = all ? (double)known / (double)all : 0;
	const bool is_enough = known && share >= t->min_coverage;
	double low, high;
	struct value v;

	if (!is_enough && known && bounds_of_part(t, &over, place, value, &low, &high))
		v = of_bounds(mem, (struct bounds){ signal_constant(mem, low, all_time(s)), signal_constant(mem, high, all_time(s)) });
	else
		v = of_number(signal_constant(mem, is_enough ? value : (double)NAN, all_time(s)));
	v.coverage = lesser(share, over.coverage);
	return v;
}

/* ------ the healthy rest ------ */

/* A number of which folds are asked: a bare metric is never made a signal for that. */
struct subject {
	const struct track *track; /* NULL: it is the signal */
	double factor;
	struct signal signal;
};

static struct subject subject_of(struct store *s, const struct term *t, struct firing *f)
{
	const struct track *track = direct_track(s, t);

	if (track)
		return (struct subject){ .track = track, .factor = unit_factor(track->metric) };
	return (struct subject){ .signal = value_of(s, t, f).number };
}

static double subject_fold(struct arena *scratch, const struct subject *of, struct spans within, enum fold fold, time_ms *known)
{
	if (of->track)
		return track_fold(scratch, of->track, of->factor, within, fold, known);
	*known = signal_known(of->signal, within);
	return signal_fold(scratch, of->signal, within, fold);
}

/* All rules with a cost ask for the same median of the same time. */
static const struct reference *reference_for(struct store *s, const struct term *t, const struct subject *of, struct spans healthy,
	struct arena *scratch)
{
	for (const struct reference *r = s->references; r && !t->needs_firing; r = r->next)
		if (r->of == t && spans_are_same(r->healthy, healthy))
			return r;
	struct reference *r = NEW(&s->mem, struct reference);
	*r = (struct reference){
		.next = s->references,
		.of = t,
		.healthy = spans_of(&s->mem, healthy.at, healthy.n),
	};
	r->median = subject_fold(scratch, of, healthy, FOLD_P50, &r->known);
	s->references = r;
	return r;
}

/*
 * What was usual outside all findings; NAN when there is too little of it, or when it was no better than what was found, or than all of a
 * run of which as a whole something was found: what that is about lies in what is left as well then.
 */
static double healthy_level(struct store *s, const struct term *t, const struct subject *of, const struct firing *f)
{
	const time_ms healthy = spans_length(f->healthy), judged = spans_length(f->inside) + spans_length(f->outside);
	const double least = LEAST_HEALTHY * (double)judged;
	time_ms ignored;

	if ((double)healthy < least)
		return NAN; /* known for less than that */
	const struct reference *r = reference_for(s, t, of, f->healthy, f->mem);
	if ((double)r->known < least)
		return NAN;
	const double found = subject_fold(f->mem, of, f->inside, FOLD_MEAN, &ignored);
	const double all = f->overall.n ? subject_fold(f->mem, of, f->overall, FOLD_MEAN, &ignored) : (double)NAN;
	return isnan(found) || (r->median > found && !(r->median <= all)) ? r->median : (double)NAN;
}

struct value value_reference(struct store *s, const struct term *t, struct firing *f)
{
	const struct subject of = subject_of(s, t->left, f);
	time_ms ignored;

	f->reference = healthy_level(s, t->left, &of, f);
	f->reference_assumed = isnan(f->reference);
	if (f->reference_assumed && t->left->dimension == DIM_SHARE)
		f->reference = 100;
	else if (f->reference_assumed)
		f->reference = subject_fold(f->mem, &of, spans_one(&s->plan->run->span), FOLD_MAX, &ignored);
	return of_number(signal_constant(f->mem, f->reference, all_time(s)));
}
