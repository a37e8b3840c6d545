/*
 * value.c - what each term is worth, for the entity that it depends on.
 *
 * Numbers are signals (step functions over the run's span), conditions are truth lines; each
 * term is one dispatch an entity, never one a sample. What nearly all conditions do, a metric compared with a
 * constant, looks at the samples of the track once and makes no signal.
 *
 * A number that is not known may still be bounded: of eight GPUs three are known to be idle and one is unknown, so that
 * "more than two" is true; the highest of what a log tells is a lower bound, however little that is, and so is the highest of those GPUs
 * that are known. Comparisons make use of bounds; sums, differences, plain factors and quotients keep them; folds do not.
 */
#include "rule/value_parts.h"

#include "base/sanitizers.h"
#include "rule/row_terms.h"
#include "rule/sketch.h"

static double if_same(double low, double high)
{
	return low == high ? low : (double)NAN;
}

struct value of_bounds(struct arena *mem, struct bounds bounds)
{
	return (struct value){
		.number = signal_zip(mem, bounds.low, bounds.high, if_same),
		.is_bounded = true,
		.bounds = bounds,
		.coverage = 1,
	};
}

struct signal value_bound(struct arena *mem, const struct value *v, bool is_most)
{
	return v->is_bounded ? signal_zip(mem, v->number, is_most ? v->bounds.high : v->bounds.low, known_or) : v->number;
}

struct bounds bounds_beside(struct arena *mem, const struct value *v, const struct value *other)
{
	if (v->is_bounded && !other->is_bounded)
		return v->bounds;
	return (struct bounds){ value_bound(mem, v, false), value_bound(mem, v, true) };
}

struct signal whole_track(struct arena *mem, const struct track *t, struct span within)
{
	return signal_of_track(mem, t, within, unit_factor(t->metric));
}

/* ------ metrics ------ */

static struct value metric_value(struct store *s, const struct term *term, const struct firing *f)
{
	struct arena *mem = memory_for(s, term, f);
	const struct track *t = track_of(s, term->metric);

	if (!t)
		return of_number(signal_constant(mem, NAN, all_time(s)));
	return of_number(whole_track(mem, t, all_time(s)));
}

/* ------ logic ------ */

bool has_folds(const struct term *t)
{
	return t && (t->kind == NODE_FOLD || has_folds(t->left) || has_folds(t->right));
}

bool can_be_of_rows(struct store *s, struct arena *mem, const struct term *t, const struct firing *f, struct row_condition *out)
{
	return !(f && t->needs_firing) && has_sketches(s) && !has_folds(t) && is_of_rows(s, mem, t, out);
}

static bool is_throughout(struct truths line, enum truth truth)
{
	return line.n == 1 && line.at[0].truth == truth;
}

/* What a part settles alone is as well known as this part is: the other may be of what no log has. */
static double coverage_of_joined(struct value left, struct value right, enum truth settled)
{
	const bool by_left = is_throughout(left.line, settled), by_right = is_throughout(right.line, settled);

	if (by_left && by_right)
		return left.coverage > right.coverage ? left.coverage : right.coverage;
	return by_left ? left.coverage : by_right ? right.coverage : lesser(left.coverage, right.coverage);
}

static struct value joined(struct store *s, const struct term *t, struct firing *f, enum truth (*how)(enum truth, enum truth))
{
	struct arena *mem = memory_for(s, t, f);
	struct row_condition rows;

	if (can_be_of_rows(s, mem, t, f, &rows))
		return of_line(truths_of_rows(mem, &rows, spans_one(&s->plan->run->span), all_time(s)));
	const struct value left = value_of(s, t->left, f), right = value_of(s, t->right, f);
	struct value v = of_line(truths_zip(mem, left.line, right.line, how));
	v.coverage = coverage_of_joined(left, right, t->kind == NODE_AND ? NO : YES);
	return v;
}

static struct value inverted(struct store *s, const struct term *t, struct firing *f)
{
	struct value v = value_of(s, t->left, f);

	v.line = truths_not(memory_for(s, t, f), v.line);
	return v;
}

/* ------ logs ------ */

/*
 * Holes between the rows, and the time by which the run began before the first or went on after the
 * last: a GPU that falls off the bus is in no later row. Less than a hole at the ends is the loggers' start and stop.
 */
static struct spans without_log(struct store *s, const struct track *t)
{
	struct span rows = track_span(t), run = all_time(s);
	struct span ends[] = { { run.begin, rows.begin }, { rows.end, run.end } };

	for (size_t i = 0; i < 2; i++)
		if (span_length(ends[i]) <= (t->n ? longest_hold(t, i ? t->n - 1 : 0) : 0))
			ends[i].end = ends[i].begin;
	return spans_union(&s->mem, track_holes(&s->mem, t), spans_of(&s->mem, ends, 2));
}

static struct value hole_value(struct store *s, enum metric metric)
{
	const struct track *t = vantage_track(&s->vantage, metric);

	if (!t)
		return of_line(truths_constant(&s->mem, UNKNOWN, all_time(s)));
	return of_line(truths_from_spans(&s->mem, without_log(s, t), all_time(s)));
}

static struct value logged_value(struct store *s, enum metric metric)
{
	return of_line(truths_constant(&s->mem, vantage_track(&s->vantage, metric) ? YES : NO, all_time(s)));
}

/* ------ any term ------ */

/* The number that a fold came to when the members of sets were sketched. */
static bool is_outlined(struct store *s, const struct term *t, struct value *out)
{
	const bool is_of_gpu = s->outlines && s->vantage.scope == SCOPE_GPU && !t->needs_firing;
	const struct sketch *const known = is_of_gpu ? outline_of(s->outlines, s->vantage.entity, t) : NULL;

	if (!known || known->stride || known->ranges[0].low != known->ranges[0].high)
		return false;
	*out = of_number(signal_constant(&s->mem, known->ranges[0].low, all_time(s)));
	out->coverage = known->coverage;
	return true;
}

static struct value compute(struct store *s, const struct term *t, struct firing *f)
{
	struct value known;

	switch (t->kind) {
	case NODE_NUMBER:
		return of_number(signal_constant(&s->mem, t->number, all_time(s)));
	case NODE_METRIC:
		return metric_value(s, t, f);
	case NODE_NEGATE:
		return value_negated(s, t, f);
	case NODE_ADD:
	case NODE_SUBTRACT:
	case NODE_MULTIPLY:
	case NODE_DIVIDE:
		return value_combined(s, t, f);
	case NODE_COMPARE:
		return value_compared(s, t, f);
	case NODE_AND:
		return joined(s, t, f, truth_and);
	case NODE_OR:
		return joined(s, t, f, truth_or);
	case NODE_NOT:
		return inverted(s, t, f);
	case NODE_HAS:
		return metric_compared(s, memory_for(s, t, f), t->metric, GREATER, signal_constant(&s->mem, 0, all_time(s)));
	case NODE_ROLLING:
		return !f && number_told(s, s->work, t, &known) ? known : value_rolling(s, t, f);
	case NODE_FOLD:
		return is_outlined(s, t, &known) ? known : value_folded(s, t, f);
	case NODE_ACROSS:
		return value_across(s, t, f);
	case NODE_HOLE:
		return hole_value(s, t->metric);
	case NODE_LOGGED:
		return logged_value(s, t->metric);
	case NODE_REF:
		return value_reference(s, t, f);
	}
	BUG("no such kind of term");
}

/* So much is given back on its own; less stays. Under AddressSanitizer all is, so that short logs of tests show a late use. */
#if WITH_ADDRESS_SANITIZER
#define MANY_BYTES ((size_t)1)
#else
#define MANY_BYTES ((size_t)24 * 1024)
#endif

/*
 * What is of all GPUs together may have as many pieces as they have samples: less than this for all metrics. Up to some 1,700 rows of
 * each of 8 GPUs judging takes fewer steps so, and threads wait less for each other; of more rows it takes more.
 */
#define FEW_BYTES ((size_t)8 * 1024 * 1024)

bool values_are_small(const struct run *run)
{
	size_t longest = 0, all = 0;

	for (size_t i = 0; i < run->n_tracks; i++) {
		const size_t n = run->tracks[i]->n;
		longest = n > longest ? n : longest;
		all += n;
	}
	return longest < MANY_BYTES / sizeof(struct piece) && all < FEW_BYTES / sizeof(struct piece);
}

struct value value_kept(struct arena *mem, struct value v)
{
	if (v.number.n)
		v.number = signal_kept(mem, v.number);
	if (v.line.n)
		v.line = truths_kept(mem, v.line);
	if (v.is_bounded)
		v.bounds = (struct bounds){ signal_kept(mem, v.bounds.low), signal_kept(mem, v.bounds.high) };
	return v;
}

bool is_computed(struct store *s, const struct term *t)
{
	if (t->needs_firing)
		return false;
	shared_take(s);
	const bool is_done = is_kept(store_at(s, t->level), t);
	shared_give(s);
	return is_done;
}

static size_t size_of(const struct value *v)
{
	return (v->number.n + v->bounds.low.n + v->bounds.high.n) * sizeof(struct piece) + v->line.n * sizeof(struct cut);
}

/* A value is much smaller than what it takes to get there, which is given back at once; and it shares nothing with its parts. */
static void keep(struct store *s, struct kept *k, struct value v)
{
	struct arena *const mem = size_of(&v) < MANY_BYTES ? &s->mem : &k->mem;

	k->value = value_kept(mem, v);
	k->is_done = true;
}

static struct value value_kept_in(struct store *s, const struct term *t)
{
	struct kept *const k = kept_of(s, t);

	if (!k->is_done) {
		struct arena *const above = s->work;
		struct arena work;
		arena_init(&work);
		s->work = &work;
		store_claim_parts(s, t);
		keep(s, k, compute(s, t, NULL));
		store_spend_parts(s, t);
		s->work = above;
		arena_release(&work);
	}
	return k->value;
}

/* What a narrow store can't tell: what hangs on all of the time. */
static bool needs_all_time(const struct term *t)
{
	return t->kind == NODE_FOLD || t->kind == NODE_HOLE || t->kind == NODE_LOGGED || t->kind == NODE_REF;
}

/* What a fold of the firing time, or ref(), came to: slices ask for it one after the other. */
struct told_firing {
	struct told_firing *next;
	const struct term *of;
	struct value value;
};

static struct value told_of_firing(struct store *full, const struct term *t, struct firing *whole)
{
	for (const struct told_firing *told = whole->told; told; told = told->next)
		if (told->of == t)
			return told->value;
	struct told_firing *const told = NEW(whole->mem, struct told_firing);
	*told = (struct told_firing){ whole->told, t, value_of(full, t, whole) };
	whole->told = told;
	return told->value;
}

static struct value value_in_full(struct store *s, const struct term *t, struct firing *f)
{
	if (t->needs_firing && f->whole)
		return told_of_firing(s->full, t, f->whole);
	return value_of(s->full, t, f);
}

struct value value_around(struct value v, struct span slice)
{
	v.number = signal_around(v.number, slice);
	v.line = truths_around(v.line, slice);
	v.bounds = (struct bounds){ signal_around(v.bounds.low, slice), signal_around(v.bounds.high, slice) };
	return v;
}

struct value value_in_slice(const struct store *s, struct value v)
{
	return s->is_slice ? value_around(v, spans_hull(*s->only)) : v;
}

/* Lines that are joined have one span. */
static struct signal set_in_turn(struct arena *mem, const struct signal *parts, const struct span *of, size_t n, struct span all)
{
	return signal_set_in(mem, signal_in_turn(mem, parts, of, n), all);
}

struct value value_in_turn(struct arena *mem, const struct value *values, const struct span *of, size_t n, struct span all)
{
	struct signal *const number = NEW_ARRAY(mem, struct signal, n), *const low = NEW_ARRAY(mem, struct signal, n),
		      *const high = NEW_ARRAY(mem, struct signal, n);
	struct value v = { .coverage = 1 };

	for (size_t i = 0; i < n; i++) {
		number[i] = values[i].number;
		low[i] = values[i].bounds.low;
		high[i] = values[i].bounds.high;
		v.is_bounded |= values[i].is_bounded;
		v.coverage = lesser(v.coverage, values[i].coverage);
	}
	v.number = set_in_turn(mem, number, of, n, all);
	if (v.is_bounded)
		v.bounds = (struct bounds){ set_in_turn(mem, low, of, n, all), set_in_turn(mem, high, of, n, all) };
	return v;
}

struct value value_of(struct store *s, const struct term *t, struct firing *f)
{
	if (s->only && needs_all_time(t))
		return value_in_slice(s, value_in_full(s, t, f));
	if (t->needs_firing)
		return compute(s, t, f);
	struct store *kept = store_at(s, t->level);
	if (kept == s)
		return value_kept_in(s, t);
	shared_take(s);
	const struct value v = value_kept_in(kept, t);
	shared_give(s);
	return value_in_slice(s, v);
}
