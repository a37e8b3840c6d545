/*
 * sketch.c - what a term can be in each block of time.
 *
 *     gpu.power            600..660   598..655   90..640    601..652     lowest and highest of its samples
 *     p50(…, 20 s)         598..660   90..660    90..655    90..652      of the blocks that windows reach into, too
 *     … < 250 W               no         ?          ?          ?
 *     gpu.util >= 95 %       yes        yes         no        yes
 *     both                    no         ?          no         ?         two of four are looked at
 *
 * Each rule below says no more than what is so at every moment of the block; where a log lacks a value, or a kind of term has
 * no rule here, anything can be.
 */
#include "rule/sketch.h"

#include "series/chunk.h"
#include "series/cursor.h"

#include <math.h>

/* Samples that are looked at as one: as many as a block has, or a part of a chunk. */
enum { CELL = 32 };
_Static_assert(CHUNK % CELL == 0, "a chunk is whole cells");

/* What rounding may do to a mean or a quotient, as a part of it: far more than it does. */
#define ROUGHLY 1e-12

static const struct extent anything = { -INFINITY, INFINITY };

struct sketches {
	struct arena *mem;
	struct store *store;
	const struct blocks *blocks;
	const struct sketch **done; /* by term id */
};

static bool is_anything(struct extent r)
{
	return r.low == -INFINITY && r.high == INFINITY;
}

static struct extent joined_range(struct extent a, struct extent b)
{
	return (struct extent){ b.low < a.low ? b.low : a.low, b.high > a.high ? b.high : a.high };
}

static struct sketch one_range(struct arena *mem, struct extent r, double coverage)
{
	struct extent *const only = NEW(mem, struct extent);

	*only = r;
	return (struct sketch){ .ranges = only, .coverage = coverage };
}

static struct sketch one_truth(struct arena *mem, uint8_t can)
{
	uint8_t *const only = NEW(mem, uint8_t);

	*only = can;
	return (struct sketch){ .can = only, .is_never = can == CAN_UNKNOWN, .coverage = 1 };
}

static struct sketch never_known(struct arena *mem, const struct term *t, double coverage)
{
	struct sketch s = t->is_condition ? one_truth(mem, CAN_UNKNOWN) : one_range(mem, anything, 1);

	s.is_never = true;
	s.coverage = coverage;
	return s;
}

static struct sketch not_told(struct arena *mem, const struct term *t, double coverage)
{
	struct sketch s = t->is_condition ? one_truth(mem, CAN_ALL) : one_range(mem, anything, 1);

	s.coverage = coverage;
	return s;
}

/* ------ metrics ------ */

/* The ranges of blocks while samples come in: those nothing has come to are empty, low above high. */
struct filling {
	const struct blocks *blocks;
	struct extent *at;
	time_ms done; /* nothing is told behind it */
};

static void fill(struct filling *f, struct span when, struct extent r)
{
	const struct span all = f->blocks->all;

	if (when.end <= all.begin || when.begin >= all.end || when.begin >= when.end)
		return;
	const size_t first = when.begin <= all.begin ? 0 : block_at(f->blocks, when.begin);
	const size_t last = when.end >= all.end ? f->blocks->n - 1 : block_at(f->blocks, when.end - 1);
	for (size_t i = first; i <= last; i++)
		f->at[i] = joined_range(f->at[i], r);
}

/* The samples [i, end), the last of which holds until `until`; what lies between them and those before is not known. */
static void fill_cell(struct filling *f, struct span when, struct extent r)
{
	fill(f, (struct span){ f->done, when.begin }, anything);
	fill(f, when, r);
	f->done = when.end;
}

static bool is_constant(const struct chunk *c)
{
	return c && c->is_full && c->low == c->high;
}

static struct extent range_of_cell(struct cursor *c, size_t i, size_t end, double factor)
{
	const time_ms longest = HOLE_STEPS * c->track->step;
	fixed low = INT64_MAX, high = INT64_MIN;
	bool is_known = true;

	for (size_t k = i; k < end; k++) {
		const fixed value = cursor_value(c, k);
		is_known &= value != FIXED_MISSING && (k + 1 == end || cursor_time(c, k + 1) - cursor_time(c, k) <= longest);
		low = value < low ? value : low;
		high = value > high ? value : high;
	}
	return is_known ? (struct extent){ fixed_value(low) * factor, fixed_value(high) * factor } : anything;
}

/* How many samples of this track go into a cell: no more than a block has. */
static size_t cell_of(const struct track *t, const struct blocks *blocks)
{
	size_t n = CELL;

	while (n > 1 && (time_ms)n * t->step > blocks->width)
		n /= 2;
	return n;
}

static void fill_track(struct filling *f, const struct track *t, double factor)
{
	const size_t cell = cell_of(t, f->blocks);
	struct cursor c;

	cursor_start(&c, t);
	for (size_t i = 0, end; i < t->n; i = end) {
		const struct chunk *const chunk = i % CHUNK == 0 ? chunk_with(t, i) : NULL;
		const bool is_one = is_constant(chunk);

		end = i + (is_one ? CHUNK : cell) < t->n ? i + (is_one ? CHUNK : cell) : t->n;
		const struct span when = { track_time(t, i), track_until(t, end - 1) };
		const double value = is_one ? fixed_value(chunk->low) * factor : 0;
		fill_cell(f, when, is_one ? (struct extent){ value, value } : range_of_cell(&c, i, end, factor));
	}
	fill(f, (struct span){ f->done, f->blocks->all.end }, anything);
}

struct sketch sketch_track(struct arena *mem, const struct blocks *blocks, const struct track *t)
{
	struct extent *const at = NEW_RAW_ARRAY(mem, struct extent, blocks->n);
	struct filling f = { blocks, at, blocks->all.begin };

	for (size_t i = 0; i < blocks->n; i++)
		at[i] = (struct extent){ INFINITY, -INFINITY };
	fill_track(&f, t, unit_table[metric_table[t->metric].unit].factor);
	return (struct sketch){ .ranges = at, .stride = 1, .coverage = 1 };
}

static struct sketch sketch_metric(struct sketches *k, const struct term *t)
{
	const struct track *const track = vantage_track(&k->store->vantage, t->metric);

	if (!track)
		return never_known(k->mem, t, 1);
	return *track_sketched(k->store, track);
}

/* ------ arithmetic ------ */

static struct extent range_of(double a, double b, double c, double d)
{
	if (isnan(a) || isnan(b) || isnan(c) || isnan(d))
		return anything;
	return joined_range(joined_range((struct extent){ a, a }, (struct extent){ b, b }), joined_range((struct extent){ c, c }, (struct extent){ d, d }));
}

static struct extent combined(enum node_kind kind, struct extent a, struct extent b)
{
	if (is_anything(a) || is_anything(b))
		return anything;
	switch (kind) {
	case NODE_ADD:
		return (struct extent){ a.low + b.low, a.high + b.high };
	case NODE_SUBTRACT:
		return (struct extent){ a.low - b.high, a.high - b.low };
	case NODE_MULTIPLY:
		return range_of(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
	default:
		if (b.low <= 0 && b.high >= 0)
			return anything;
		return range_of(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
	}
}

static struct extent times(struct extent r, double factor)
{
	if (is_anything(r))
		return r;
	return factor < 0 ? (struct extent){ r.high * factor, r.low * factor } : (struct extent){ r.low * factor, r.high * factor };
}

static struct sketch sketch_arithmetic(struct sketches *k, const struct term *t)
{
	const struct sketch *const a = sketch_of(k, t->left), *const b = sketch_of(k, t->right);
	const size_t stride = a->stride | b->stride, n = stride ? k->blocks->n : 1;
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, n);

	for (size_t i = 0; i < n; i++)
		at[i] = times(combined(t->kind, sketch_range(a, i), sketch_range(b, i)), t->factor);
	return (struct sketch){
		.ranges = at,
		.stride = stride,
		.is_rough = true,
		.is_never = a->is_never || b->is_never,
		.coverage = fmin(a->coverage, b->coverage),
	};
}

static struct sketch sketch_negated(struct sketches *k, const struct term *t)
{
	struct sketch s = *sketch_of(k, t->left);
	const size_t n = s.stride ? k->blocks->n : 1;
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, n);

	for (size_t i = 0; i < n; i++)
		at[i] = times(s.ranges[i], -1);
	s.ranges = at;
	return s;
}

/* ------ conditions ------ */

static struct extent roughly(struct extent r, bool is_rough)
{
	const double more = is_rough ? ROUGHLY * fmax(fabs(r.low), fabs(r.high)) : 0;

	return (struct extent){ r.low - more, r.high + more };
}

/* Which truths a < b can have, or a <= b. */
static uint8_t can_be_less(struct extent a, struct extent b, bool or_equal)
{
	const bool yes = or_equal ? a.low <= b.high : a.low < b.high;
	const bool no = or_equal ? a.high > b.low : a.high >= b.low;

	return (uint8_t)((yes ? CAN_YES : 0) | (no ? CAN_NO : 0));
}

static uint8_t inverted(uint8_t can)
{
	return (uint8_t)((can & CAN_UNKNOWN) | (can & CAN_YES ? CAN_NO : 0) | (can & CAN_NO ? CAN_YES : 0));
}

static uint8_t can_be_equal(struct extent a, struct extent b)
{
	if (a.high < b.low || b.high < a.low)
		return CAN_NO;
	return a.low == a.high && b.low == b.high ? CAN_YES : CAN_YES | CAN_NO;
}

static uint8_t can_be(struct extent a, enum comparison how, struct extent b)
{
	if (is_anything(a) || is_anything(b))
		return CAN_ALL;
	switch (how) {
	case LESS:
	case LESS_EQUAL:
		return can_be_less(a, b, how == LESS_EQUAL);
	case GREATER:
	case GREATER_EQUAL:
		return can_be_less(b, a, how == GREATER_EQUAL);
	case EQUAL:
		return can_be_equal(a, b);
	case NOT_EQUAL:
		return inverted(can_be_equal(a, b));
	}
	BUG("no such comparison");
}

static struct sketch compare_sketches(struct sketches *k, const struct sketch *a, enum comparison how, const struct sketch *b)
{
	const size_t stride = a->stride | b->stride, n = stride ? k->blocks->n : 1;
	const bool is_rough = a->is_rough || b->is_rough;
	uint8_t *const can = NEW_RAW_ARRAY(k->mem, uint8_t, n);

	for (size_t i = 0; i < n; i++)
		can[i] = can_be(roughly(sketch_range(a, i), is_rough), how, sketch_range(b, i));
	return (struct sketch){
		.can = can,
		.stride = stride,
		.coverage = fmin(a->coverage, b->coverage),
	};
}

static struct sketch sketch_compared(struct sketches *k, const struct term *t)
{
	const struct sketch *const a = sketch_of(k, t->left), *const b = sketch_of(k, t->right);

	if (a->is_never || b->is_never)
		return never_known(k->mem, t, fmin(a->coverage, b->coverage));
	return compare_sketches(k, a, t->comparison, b);
}

/* A flag is set where the metric is above 0. */
static struct sketch sketch_flag(struct sketches *k, const struct term *t)
{
	const struct track *const track = vantage_track(&k->store->vantage, t->metric);
	const struct sketch zero = one_range(k->mem, (struct extent){ 0, 0 }, 1);

	return track ? compare_sketches(k, track_sketched(k->store, track), GREATER, &zero) : never_known(k->mem, t, 1);
}

/* Kleene's tables, for sets of truths. */
static uint8_t both(uint8_t a, uint8_t b)
{
	const uint8_t not_no = CAN_YES | CAN_UNKNOWN;

	return (uint8_t)((a & b & CAN_YES) | ((a | b) & CAN_NO)
		| (((a & CAN_UNKNOWN) && (b & not_no)) || ((b & CAN_UNKNOWN) && (a & not_no)) ? CAN_UNKNOWN : 0));
}

static uint8_t either(uint8_t a, uint8_t b)
{
	return inverted(both(inverted(a), inverted(b)));
}

static struct sketch sketch_joined(struct sketches *k, const struct term *t, uint8_t (*how)(uint8_t, uint8_t))
{
	const struct sketch *const a = sketch_of(k, t->left), *const b = sketch_of(k, t->right);
	const size_t stride = a->stride | b->stride, n = stride ? k->blocks->n : 1;
	uint8_t *const can = NEW_RAW_ARRAY(k->mem, uint8_t, n);

	for (size_t i = 0; i < n; i++)
		can[i] = how(sketch_can(a, i), sketch_can(b, i));
	return (struct sketch){
		.can = can,
		.stride = stride,
		.is_never = a->is_never && b->is_never,
		.coverage = fmin(a->coverage, b->coverage),
	};
}

static struct sketch sketch_inverted(struct sketches *k, const struct term *t)
{
	struct sketch s = *sketch_of(k, t->left);
	const size_t n = s.stride ? k->blocks->n : 1;
	uint8_t *const can = NEW_RAW_ARRAY(k->mem, uint8_t, n);

	for (size_t i = 0; i < n; i++)
		can[i] = inverted(s.can[i]);
	s.can = can;
	return s;
}

/* ------ windows ------ */

/*
 * What the samples of all blocks that a window can reach lie in: a window is looked at every quarter of its width and holds until then,
 * so that it reaches by three quarters of it to each side; by all of it, to be sure.
 */
struct reach_of_window {
	const struct judged_time *time;
	time_ms back, ahead;
	size_t at; /* of time->spans, goes on with the blocks */
};

/* The blocks [first, last] that are looked at from a block; false where it lies beyond the judged time, or the window in parts of it. */
static bool window_blocks(struct reach_of_window *w, const struct blocks *b, size_t block, size_t *first, size_t *last)
{
	const struct span own = block_span(b, block), hull = w->time->hull;
	const struct spans *const judged = &w->time->spans;
	const bool is_before = w->ahead < 0; /* what is looked at lies before: it is not cut to the hull */
	struct span seen = { own.begin - w->back, own.end + w->ahead };

	if (own.begin < hull.begin || own.end > hull.end || (is_before && seen.begin < hull.begin))
		return false;
	seen.begin = seen.begin < hull.begin ? hull.begin : seen.begin;
	seen.end = seen.end > hull.end ? hull.end : seen.end;
	while (w->at < judged->n && judged->at[w->at].end < seen.end)
		w->at++;
	if (w->at == judged->n || judged->at[w->at].begin > seen.begin)
		return false;
	*first = block_at(b, seen.begin);
	*last = block_at(b, seen.end - 1);
	return true;
}

/* The range of any stretch of blocks in two looks: of 1, 2, 4, ... blocks from each one on, as far as a window needs. */
struct stretches {
	size_t n, width; /* a power of two */
	const struct extent *from; /* of `width` blocks from each one on */
};

static struct stretches stretches_new(struct arena *mem, const struct sketch *s, size_t n, size_t least)
{
	struct extent *const at = NEW_RAW_ARRAY(mem, struct extent, n);
	size_t width = 1;

	for (size_t i = 0; i < n; i++)
		at[i] = sketch_range(s, i);
	for (; 2 * width <= least && 2 * width <= n; width *= 2)
		for (size_t i = 0; i + width < n; i++)
			at[i] = joined_range(at[i], at[i + width]);
	return (struct stretches){ n, width, at };
}

/* Of at least `width` blocks. */
static struct extent range_of_stretch(const struct stretches *s, const struct sketch *of, size_t first, size_t last)
{
	struct extent r = s->from[first];

	for (size_t i = first; i + s->width <= last + 1; i += s->width)
		r = joined_range(r, s->from[i]);
	if (last + 1 >= first + s->width)
		return joined_range(r, s->from[last + 1 - s->width]);
	r = sketch_range(of, first);
	for (size_t i = first + 1; i <= last; i++)
		r = joined_range(r, sketch_range(of, i));
	return r;
}

/* What a fold of a window can be, whose values lie in a range. */
static struct extent folded_range(const struct term *t, struct extent r)
{
	const double wide = r.high - r.low;

	if (is_anything(r))
		return anything;
	switch (t->fold) {
	case FOLD_SPREAD:
	case FOLD_STDDEV:
		return (struct extent){ 0, wide };
	case FOLD_CHANGES:
		return (struct extent){ 0, wide > 0 ? INFINITY : 0 };
	case FOLD_SLOPE:
	case FOLD_TOTAL:
	case FOLD_DELTA:
	case FOLD_RATE:
		return anything;
	default:
		return r;
	}
}

/* A counter that stays grows by nothing; how fast it grows when it does is looked at. */
static struct extent growth_of(struct extent counter)
{
	return !is_anything(counter) && counter.low == counter.high ? (struct extent){ 0, 0 } : anything;
}

static struct extent percents_of(uint8_t can)
{
	if (can & CAN_UNKNOWN)
		return anything;
	return (struct extent){ can & CAN_NO ? 0 : 100, can & CAN_YES ? 100 : 0 };
}

static bool is_growth(const struct term *t)
{
	return t->fold == FOLD_RATE || t->fold == FOLD_DELTA;
}

/* By how much a counter grows from its last sample on is not known, though it holds for a step. */
static void forget_last_sample(struct sketches *k, const struct term *counter, struct extent *at)
{
	const struct track *const track = vantage_track(&k->store->vantage, counter->metric);
	const struct blocks *const b = k->blocks;
	const time_ms last = track->n ? track_time(track, track->n - 1) : b->all.begin;

	for (size_t i = last > b->all.begin ? block_at(b, last) : 0; i < b->n; i++)
		at[i] = anything;
}

/* What the window looks at, as a number. */
static struct sketch looked_at(struct sketches *k, const struct term *t)
{
	struct sketch s = *sketch_of(k, t->left);
	const size_t n = s.stride ? k->blocks->n : 1;

	if (!t->left->is_condition && (!is_growth(t) || !s.stride))
		return s;
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, n);
	for (size_t i = 0; i < n; i++)
		at[i] = t->left->is_condition ? percents_of(s.can[i]) : s.ranges[i];
	if (is_growth(t))
		forget_last_sample(k, t->left, at);
	s.ranges = at;
	s.can = NULL;
	return s;
}

static bool has_rule(const struct term *t)
{
	if (t->left->is_condition)
		return t->fold == FOLD_SHARE;
	return t->fold != FOLD_SLOPE && t->fold != FOLD_TOTAL;
}

static bool is_rounded(const struct term *t)
{
	return t->fold == FOLD_MEAN || t->fold == FOLD_STDDEV || t->fold == FOLD_SPREAD || t->fold == FOLD_SHARE;
}

static struct sketch sketch_windows(struct sketches *k, const struct term *t, const struct sketch *of)
{
	const struct blocks *const b = k->blocks;
	const time_ms width = t->width ? width_of(k->store, t) : 0, beside = width + (is_growth(t) ? b->width : 0);
	const bool is_earlier = t->fold == FOLD_EARLIER;
	struct reach_of_window w = { &k->store->plan->times[t->time], is_earlier ? width : beside, is_earlier ? -width : beside, 0 };
	const size_t least = (size_t)((w.back + w.ahead + b->width) / b->width);
	const struct stretches stretches = stretches_new(k->mem, of, b->n, least ? least : 1);
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, b->n);

	for (size_t i = 0, first, last; i < b->n; i++) {
		const struct extent r = window_blocks(&w, b, i, &first, &last) ? range_of_stretch(&stretches, of, first, last) : anything;
		at[i] = is_growth(t) ? growth_of(r) : folded_range(t, r);
	}
	return (struct sketch){
		.ranges = at,
		.stride = 1,
		.is_rough = of->is_rough || is_rounded(t),
		.coverage = of->coverage,
	};
}

static struct sketch sketch_rolling(struct sketches *k, const struct term *t)
{
	const struct sketch of = looked_at(k, t);

	if (of.is_never)
		return never_known(k->mem, t, of.coverage);
	if (!has_rule(t) || (!t->width && is_growth(t)))
		return not_told(k->mem, t, of.coverage);
	return t->width ? sketch_windows(k, t, &of) : of;
}

/* ------ one number for a stretch of time, and sets ------ */

static struct sketch sketch_constant(struct sketches *k, const struct term *t)
{
	const struct value v = value_of(k->store, t, NULL);
	const double number = v.number.n == 1 ? v.number.at[0].value : (double)NAN;

	if (v.is_bounded || isnan(number))
		return not_told(k->mem, t, v.coverage);
	return one_range(k->mem, (struct extent){ number, number }, v.coverage);
}

/* Of what has no rule of its own: from its value. */
static struct sketch sketch_value(struct sketches *k, const struct term *t)
{
	const struct value v = value_of(k->store, t, NULL);
	const struct blocks *const b = k->blocks;
	const size_t n = t->is_condition ? v.line.n : v.number.n;
	uint8_t *const can = NEW_ARRAY(k->mem, uint8_t, b->n);
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, b->n);
	struct filling f = { b, at, b->all.begin };

	if (!n)
		return not_told(k->mem, t, v.coverage);
	for (size_t i = 0; i < b->n; i++)
		at[i] = (struct extent){ INFINITY, -INFINITY };
	for (size_t i = 0; i < n && t->is_condition; i++) {
		const time_ms end = i + 1 < n ? v.line.at[i + 1].at : v.line.end;
		const size_t last = block_at(b, end - 1);
		for (size_t j = block_at(b, v.line.at[i].at); j <= last && j < b->n; j++)
			can[j] |= (uint8_t)(1U << v.line.at[i].truth);
	}
	for (size_t i = 0; i < n && !t->is_condition; i++) {
		const double value = v.number.at[i].value;
		const time_ms end = i + 1 < n ? v.number.at[i + 1].begin : v.number.end;
		fill(&f, (struct span){ v.number.at[i].begin, end }, isnan(value) ? anything : (struct extent){ value, value });
	}
	return (struct sketch){ .ranges = t->is_condition ? NULL : at, .can = can, .stride = 1, .coverage = v.coverage };
}

/* The outlines of all members but the store's own GPU; false where one is missing or nobody knows whether it is a member. */
struct crowd {
	const struct sketch **at;
	size_t n;
};

static bool crowd_of(struct sketches *k, const struct term *t, struct crowd *out)
{
	const struct run *const run = k->store->plan->run;

	*out = (struct crowd){ NEW_ARRAY(k->mem, const struct sketch *, run->n_gpus), 0 };
	for (size_t i = 0; i < run->n_gpus; i++) {
		if (t->reach == REACH_OTHER_GPUS && run->gpus[i] == k->store->vantage.entity)
			continue;
		const struct sketch *const s = outline_of(k->store->outlines, run->gpus[i], t->left);
		if (!s || !sketch_tells_if_known(s, k->blocks))
			return false;
		if (!s->is_never)
			out->at[out->n++] = s;
	}
	return true;
}

static uint8_t can_of_crowd(const struct crowd *c, size_t block, bool is_all)
{
	uint8_t can = is_all ? CAN_YES : CAN_NO;

	for (size_t i = 0; i < c->n; i++)
		can = is_all ? both(can, sketch_can(c->at[i], block)) : either(can, sketch_can(c->at[i], block));
	return can;
}

static struct extent count_of_crowd(const struct crowd *c, size_t block)
{
	struct extent r = { 0, 0 };

	for (size_t i = 0; i < c->n; i++) {
		const uint8_t can = sketch_can(c->at[i], block);
		if (can & CAN_UNKNOWN)
			return anything;
		r.low += can == CAN_YES;
		r.high += (can & CAN_YES) != 0;
	}
	return r;
}

static double added(double a, double b)
{
	return a + b;
}

static double higher(double a, double b)
{
	return b > a ? b : a;
}

static double lower(double a, double b)
{
	return b < a ? b : a;
}

/* Whatever lies between the lowest and the highest of all, as percentiles and means do. */
static struct extent numbers_of_crowd(const struct crowd *c, size_t block, enum fold fold)
{
	double (*const how)(double, double) = fold == FOLD_MAX ? higher : fold == FOLD_MIN ? lower : fold == FOLD_SUM ? added : NULL;
	struct extent r = sketch_range(c->at[0], block);

	for (size_t i = 1; i < c->n; i++) {
		const struct extent other = sketch_range(c->at[i], block);
		if (is_anything(r) || is_anything(other))
			return anything;
		r = how ? (struct extent){ how(r.low, other.low), how(r.high, other.high) } : joined_range(r, other);
	}
	if (fold == FOLD_SPREAD || fold == FOLD_STDDEV)
		return is_anything(r) ? r : (struct extent){ 0, r.high - r.low };
	return r;
}

/* Rows of one poll count as one moment, so that a block may show what is in the first rows of the next one, or the last of the one before. */
static struct extent with_neighbours(const struct extent *at, size_t n, size_t i)
{
	struct extent r = at[i];

	if (i > 0)
		r = joined_range(r, at[i - 1]);
	return i + 1 < n ? joined_range(r, at[i + 1]) : r;
}

static struct sketch numbers_across(struct sketches *k, const struct term *t, const struct crowd *c)
{
	const size_t n = k->blocks->n;
	struct extent *const own = NEW_RAW_ARRAY(k->mem, struct extent, n), *const at = NEW_RAW_ARRAY(k->mem, struct extent, n);

	for (size_t i = 0; i < n; i++)
		own[i] = numbers_of_crowd(c, i, t->fold);
	for (size_t i = 0; i < n; i++)
		at[i] = with_neighbours(own, n, i);
	return (struct sketch){ .ranges = at, .stride = 1, .is_rough = true };
}

static struct sketch conditions_across(struct sketches *k, const struct term *t, const struct crowd *c)
{
	const size_t n = k->blocks->n;
	const double factor = t->fold == FOLD_SHARE ? 100 / (double)c->n : 1;

	if (t->fold == FOLD_ANY || t->fold == FOLD_ALL) {
		uint8_t *const can = NEW_RAW_ARRAY(k->mem, uint8_t, n);
		for (size_t i = 0; i < n; i++)
			can[i] = can_of_crowd(c, i, t->fold == FOLD_ALL);
		return (struct sketch){ .can = can, .stride = 1 };
	}
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, n);
	for (size_t i = 0; i < n; i++)
		at[i] = times(count_of_crowd(c, i), factor);
	return (struct sketch){ .ranges = at, .stride = 1, .is_rough = t->fold == FOLD_SHARE };
}

static struct sketch sketch_across(struct sketches *k, const struct term *t)
{
	const bool is_of_gpus = t->reach == REACH_OTHER_GPUS || t->reach == REACH_ALL_GPUS;
	struct crowd c;

	if (!is_of_gpus || !k->store->outlines || !crowd_of(k, t, &c) || !c.n)
		return sketch_value(k, t);
	struct sketch s = t->left->is_condition ? conditions_across(k, t, &c) : numbers_across(k, t, &c);
	s.coverage = 1;
	for (size_t i = 0; i < c.n; i++)
		s.coverage = fmin(s.coverage, c.at[i]->coverage);
	return s;
}

/* ------ any term ------ */

static struct sketch sketch_term(struct sketches *k, const struct term *t)
{
	switch (t->kind) {
	case NODE_NUMBER:
		return one_range(k->mem, (struct extent){ t->number, t->number }, 1);
	case NODE_METRIC:
		return sketch_metric(k, t);
	case NODE_NEGATE:
		return sketch_negated(k, t);
	case NODE_ADD:
	case NODE_SUBTRACT:
	case NODE_MULTIPLY:
	case NODE_DIVIDE:
		return sketch_arithmetic(k, t);
	case NODE_COMPARE:
		return sketch_compared(k, t);
	case NODE_AND:
		return sketch_joined(k, t, both);
	case NODE_OR:
		return sketch_joined(k, t, either);
	case NODE_NOT:
		return sketch_inverted(k, t);
	case NODE_HAS:
		return sketch_flag(k, t);
	case NODE_ROLLING:
		return sketch_rolling(k, t);
	case NODE_ACROSS:
		return sketch_across(k, t);
	case NODE_FOLD:
		return sketch_constant(k, t);
	case NODE_HOLE:
	case NODE_LOGGED:
		return sketch_value(k, t);
	case NODE_REF:
		break;
	}
	BUG("a term that needs firing time");
}

const struct sketch *sketch_of(struct sketches *k, const struct term *t)
{
	if (k->done[t->id])
		return k->done[t->id];
	struct sketch *const s = NEW(k->mem, struct sketch);
	*s = sketch_term(k, t);
	return k->done[t->id] = s;
}

struct sketches *sketches_new(struct arena *mem, struct store *s)
{
	struct sketches *const k = NEW(mem, struct sketches);

	*k = (struct sketches){ mem, s, &s->plan->blocks, NEW_ARRAY(mem, const struct sketch *, s->plan->n_terms) };
	return k;
}

bool sketch_tells_if_known(const struct sketch *s, const struct blocks *blocks)
{
	if (s->is_never)
		return true;
	for (size_t i = 0; i < (s->stride ? blocks->n : 1); i++)
		if (s->can ? !(s->can[i] & CAN_UNKNOWN) : !is_anything(s->ranges[i]))
			return true;
	return false;
}

static enum truth truth_of(uint8_t can)
{
	return can == CAN_YES ? YES : can == CAN_UNKNOWN ? UNKNOWN : NO;
}

struct truths sketch_line(struct arena *mem, const struct sketch *s, const struct blocks *blocks)
{
	struct cut *const at = NEW_RAW_ARRAY(mem, struct cut, blocks->n);
	size_t n = 0;

	for (size_t i = 0; i < blocks->n; i++) {
		const enum truth truth = truth_of(sketch_can(s, i));
		if (!n || at[n - 1].truth != truth)
			at[n++] = (struct cut){ block_span(blocks, i).begin, truth };
	}
	return (struct truths){ at, n, blocks->all.end };
}

/* ------ of all GPUs ------ */

struct outlines {
	struct entities gpus;
	size_t n_terms;
	const struct sketch **of; /* n_terms for each GPU, NULL where nobody asks for it */
};

static const struct sketch **outlines_at(const struct outlines *o, size_t gpu)
{
	return &o->of[gpu * o->n_terms];
}

const struct sketch *outline_of(const struct outlines *o, const struct entity *gpu, const struct term *of)
{
	for (size_t i = 0; i < o->gpus.n; i++)
		if (o->gpus.at[i] == gpu)
			return outlines_at(o, i)[of->id];
	return NULL;
}

/* The members' terms of all sets of GPUs in a condition. */
static void mark_members(bool *marks, const struct term *t, bool is_inside)
{
	if (!t)
		return;
	const bool is_set = t->kind == NODE_ACROSS && (t->reach == REACH_OTHER_GPUS || t->reach == REACH_ALL_GPUS);
	if (is_set)
		marks[t->left->id] = true;
	if (is_inside && t->kind == NODE_FOLD) /* asked for again and again, and one number */
		marks[t->id] = true;
	mark_members(marks, t->left, is_inside || is_set);
	mark_members(marks, t->right, is_inside || is_set);
}

struct outlining {
	struct store *run;
	struct outlines *outlines;
	const bool *marks;
	struct arena kept[WORKERS_MAX];
};

static const struct sketch *sketch_kept(struct arena *mem, const struct sketch *s, size_t n_blocks)
{
	struct sketch *const kept = NEW(mem, struct sketch);
	const size_t n = s->stride ? n_blocks : 1;

	*kept = *s;
	kept->can = s->can ? memcpy(NEW_RAW_ARRAY(mem, uint8_t, n), s->can, n) : NULL;
	kept->ranges = s->ranges ? memcpy(NEW_RAW_ARRAY(mem, struct extent, n), s->ranges, n * sizeof *s->ranges) : NULL;
	return kept;
}

static void outline_gpu(void *context, size_t worker, size_t job)
{
	struct outlining *const o = context;
	const struct plan *const plan = o->run->plan;
	const struct entity *const gpu = o->outlines->gpus.at[job];
	struct store host, own;
	struct arena scratch;

	arena_init(&scratch);
	store_open(&host, plan, o->run, SCOPE_HOST, run_host(plan->run, gpu));
	store_open(&own, plan, &host, SCOPE_GPU, gpu);
	struct sketches *const sketches = sketches_new(&scratch, &own);
	for (size_t i = 0; i < plan->n_terms; i++)
		if (o->marks[i])
			outlines_at(o->outlines, job)[i] = sketch_kept(&o->kept[worker], sketch_of(sketches, plan->terms[i]), plan->blocks.n);
	store_release(&own);
	store_release(&host);
	arena_release(&scratch);
}

const struct outlines *outlines_new(struct arena *mem, struct store *run)
{
	const struct plan *const p = run->plan;
	struct outlines *const all = NEW(mem, struct outlines);
	bool *const marks = NEW_ARRAY(mem, bool, p->n_terms);
	struct outlining o = { .run = run, .outlines = all, .marks = marks };

	if (!p->blocks.n)
		return NULL;
	for (size_t i = 0; i < p->n_rules; i++) {
		if (p->rules[i].rule->scope != SCOPE_GPU || p->rules[i].is_whole)
			continue;
		mark_members(marks, p->rules[i].when, false);
		mark_members(marks, p->rules[i].begins, false);
		mark_members(marks, p->rules[i].ends, false);
	}
	*all = (struct outlines){ entities_of(p->run, SCOPE_GPU), p->n_terms, NULL };
	all->of = NEW_ARRAY(mem, const struct sketch *, all->gpus.n * p->n_terms);
	run->lock = workers_count(all->gpus.n) > 1 ? lock_new() : NULL;
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_init(&o.kept[i]);
	workers_run(all->gpus.n, outline_gpu, &o);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_adopt(mem, &o.kept[i]);
	if (run->lock)
		lock_free(run->lock);
	run->lock = NULL;
	return all;
}
