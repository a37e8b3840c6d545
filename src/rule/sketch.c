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
#include "rule/sketch_parts.h"

#include "series/chunk.h"
#include "series/cursor.h"

/* What rounding may do to a mean or a quotient, as a part of it: far more than it does. */
#define ROUGHLY 1e-12

static struct sketch one_range(struct arena *mem, struct extent r)
{
	struct extent *const only = NEW(mem, struct extent);

	*only = r;
	return (struct sketch){ .ranges = only };
}

static struct sketch one_truth(struct arena *mem, uint8_t can)
{
	uint8_t *const only = NEW(mem, uint8_t);

	*only = can;
	return (struct sketch){ .can = only, .is_never = can == CAN_UNKNOWN };
}

const struct narrow_extent *ranges_narrowed(struct arena *mem, const struct extent *ranges, size_t n)
{
	struct narrow_extent *const narrow = NEW_RAW_ARRAY(mem, struct narrow_extent, n);

	for (size_t i = 0; i < n; i++)
		narrow[i] = extent_narrowed(ranges[i]);
	return narrow;
}

struct sketch sketch_narrowed(struct arena *mem, const struct sketch *s, size_t n_blocks)
{
	const size_t n = s->stride ? n_blocks : 1;
	struct sketch kept = *s;

	kept.can = s->can ? memcpy(NEW_RAW_ARRAY(mem, uint8_t, n), s->can, n) : NULL;
	kept.ranges = s->ranges && !s->stride ? memcpy(NEW(mem, struct extent), s->ranges, sizeof *s->ranges) : NULL;
	if (s->ranges && s->stride)
		kept.narrow = ranges_narrowed(mem, s->ranges, n);
	else if (s->narrow)
		kept.narrow = memcpy(NEW_RAW_ARRAY(mem, struct narrow_extent, n), s->narrow, n * sizeof *s->narrow);
	return kept;
}

struct sketch never_known(struct arena *mem, const struct term *t)
{
	struct sketch s = t->is_condition ? one_truth(mem, CAN_UNKNOWN) : one_range(mem, anything);

	s.is_never = true;
	return s;
}

struct sketch not_told(struct arena *mem, const struct term *t)
{
	return t->is_condition ? one_truth(mem, CAN_ALL) : one_range(mem, anything);
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

static bool has_hole(struct cursor *c, size_t i, size_t end)
{
	const struct chunk *const chunk = chunk_with(c->track, i);

	return !(chunk && chunk->is_full) && longest_in_cell(c, i, end) > HOLE_STEPS * c->track->step;
}

static struct extent range_of_cell(struct cursor *c, size_t i, size_t end, double factor)
{
	struct ends ends;

	if (!ends_of(c, i, end, &ends) || has_hole(c, i, end))
		return anything;
	return (struct extent){ fixed_value(ends.low[0]) * factor, fixed_value(ends.high[0]) * factor };
}

size_t cell_size(const struct track *t, const struct blocks *blocks)
{
	size_t n = CELL;

	while (n > 1 && (time_ms)n * t->step > blocks->width)
		n /= 2;
	return n;
}

static void fill_track(struct filling *f, const struct track *t, double factor)
{
	const size_t cell = cell_size(t, f->blocks);
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
	return (struct sketch){ .ranges = at, .stride = 1 };
}

static struct sketch sketch_metric(struct sketches *k, const struct term *t)
{
	const struct track *const track = vantage_track(&k->store->vantage, t->metric);

	if (!track)
		return never_known(k->mem, t);
	return *track_sketched(k->store, track);
}

/* ------ arithmetic ------ */

static struct extent range_of(double a, double b, double c, double d)
{
	if (isnan(a) || isnan(b) || isnan(c) || isnan(d))
		return anything;
	return (struct extent){ fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)) };
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

struct extent times_range(struct extent r, double factor)
{
	if (is_anything(r))
		return r;
	return factor < 0 ? (struct extent){ r.high * factor, r.low * factor } : (struct extent){ r.low * factor, r.high * factor };
}

/* A small difference of two large numbers is as rough as these. */
static struct extent roughly_combined(const struct term *t, struct extent a, struct extent b)
{
	const struct extent r = combined(t->kind, a, b);
	const bool is_sum = t->kind == NODE_ADD || t->kind == NODE_SUBTRACT;
	const double more = is_sum && !is_anything(r) ? ROUGHLY * (fmax(fabs(a.low), fabs(a.high)) + fmax(fabs(b.low), fabs(b.high))) : 0;

	return (struct extent){ r.low - more, r.high + more };
}

static struct sketch sketch_arithmetic(struct sketches *k, const struct term *t)
{
	const struct sketch *const a = sketch_of(k, t->left), *const b = sketch_of(k, t->right);
	const size_t stride = a->stride | b->stride, n = stride ? k->blocks->n : 1;
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, n);

	for (size_t i = 0; i < n; i++)
		at[i] = times_range(roughly_combined(t, sketch_range(a, i), sketch_range(b, i)), t->factor);
	return (struct sketch){
		.ranges = at,
		.stride = stride,
		.is_rough = true,
		.is_never = a->is_never || b->is_never,
	};
}

static struct sketch sketch_quotient(struct sketches *k, const struct term *t)
{
	struct extent r;

	if (!k->has_bounds || !weighted_mean_range(k->complete, t, &r))
		return sketch_arithmetic(k, t);
	struct sketch s = one_range(k->mem, r);
	s.is_rough = true;
	return s;
}

static struct sketch sketch_negated(struct sketches *k, const struct term *t)
{
	struct sketch s = *sketch_of(k, t->left);
	const size_t n = s.stride ? k->blocks->n : 1;
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, n);

	for (size_t i = 0; i < n; i++)
		at[i] = times_range(sketch_range(&s, i), -1);
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
	return (struct sketch){ .can = can, .stride = stride };
}

static struct sketch sketch_compared(struct sketches *k, const struct term *t)
{
	const struct sketch *const a = sketch_of(k, t->left), *const b = sketch_of(k, t->right);

	if (a->is_never || b->is_never)
		return never_known(k->mem, t);
	return compare_sketches(k, a, t->comparison, b);
}

/* A flag is set where the metric is above 0. */
static struct sketch sketch_flag(struct sketches *k, const struct term *t)
{
	const struct track *const track = vantage_track(&k->store->vantage, t->metric);
	const struct sketch zero = one_range(k->mem, (struct extent){ 0, 0 });

	return track ? compare_sketches(k, track_sketched(k->store, track), GREATER, &zero) : never_known(k->mem, t);
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

/* Is it this alone wherever somebody asks? Then what it is joined with makes no difference. */
static bool is_only(const struct sketches *k, const struct sketch *s, uint8_t can)
{
	for (size_t i = 0; i < (s->stride ? k->blocks->n : 1); i++)
		if (sketch_can(s, i) != can && (!k->wanted || !s->stride || k->wanted[i]))
			return false;
	return true;
}

/* `decisive`: the truth that decides it for both. */
static struct sketch sketch_joined(struct sketches *k, const struct term *t, uint8_t (*how)(uint8_t, uint8_t), uint8_t decisive)
{
	const bool is_left_later = t->left->has_costly_fold && !t->right->has_costly_fold;
	const struct sketch *const a = sketch_of(k, is_left_later ? t->right : t->left);
	const struct sketch of_any = { .can = (const uint8_t[]){ CAN_ALL } };
	const struct sketch *const b = is_only(k, a, decisive) ? &of_any : sketch_of(k, is_left_later ? t->left : t->right);
	const size_t stride = a->stride | b->stride, n = stride ? k->blocks->n : 1;
	uint8_t *const can = NEW_RAW_ARRAY(k->mem, uint8_t, n);

	for (size_t i = 0; i < n; i++)
		can[i] = how(sketch_can(a, i), sketch_can(b, i));
	return (struct sketch){ .can = can, .stride = stride, .is_never = a->is_never && b->is_never };
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

/* ------ one number for a stretch of time, and sets ------ */

static struct sketch sketch_constant(struct sketches *k, const struct term *t)
{
	const struct value v = value_of(k->store, t, NULL);
	const double number = v.number.n == 1 ? v.number.at[0].value : (double)NAN;

	if (v.is_bounded || isnan(number))
		return not_told(k->mem, t);
	struct sketch s = one_range(k->mem, (struct extent){ number, number });
	s.coverage = v.coverage;
	return s;
}

/* Of what has no rule of its own: from its value. */
struct sketch sketch_value(struct sketches *k, const struct term *t)
{
	const struct value v = value_of(k->store, t, NULL);
	const struct blocks *const b = k->blocks;
	const size_t n = t->is_condition ? v.line.n : v.number.n;
	uint8_t *const can = NEW_ARRAY(k->mem, uint8_t, b->n);
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, b->n);
	struct filling f = { b, at, b->all.begin };

	if (!n)
		return not_told(k->mem, t);
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
	return (struct sketch){ .ranges = t->is_condition ? NULL : at, .can = can, .stride = 1 };
}

/* ------ any term ------ */

static struct sketch sketch_term(struct sketches *k, const struct term *t)
{
	switch (t->kind) {
	case NODE_NUMBER:
		return one_range(k->mem, (struct extent){ t->number, t->number });
	case NODE_METRIC:
		return sketch_metric(k, t);
	case NODE_NEGATE:
		return sketch_negated(k, t);
	case NODE_ADD:
	case NODE_SUBTRACT:
	case NODE_MULTIPLY:
		return sketch_arithmetic(k, t);
	case NODE_DIVIDE:
		return sketch_quotient(k, t);
	case NODE_COMPARE:
		return sketch_compared(k, t);
	case NODE_AND:
		return sketch_joined(k, t, both, CAN_NO);
	case NODE_OR:
		return sketch_joined(k, t, either, CAN_YES);
	case NODE_NOT:
		return sketch_inverted(k, t);
	case NODE_HAS:
		return sketch_flag(k, t);
	case NODE_ROLLING:
		return sketch_rolling(k, t);
	case NODE_ACROSS:
		return sketch_across(k, t);
	case NODE_FOLD: /* of the cheap ones only those of metrics are not costly, and come from the complete ones */
		return k->complete ? not_told(k->mem, t) : sketch_constant(k, t);
	case NODE_HOLE:
	case NODE_LOGGED:
		return sketch_value(k, t);
	case NODE_REF:
		break;
	}
	BUG("a term that needs firing time");
}

/* What others ask of a GPU was sketched before any was judged. */
static const struct sketch *outlined(const struct sketches *k, const struct term *t)
{
	const struct store *const s = k->store;

	return s->outlines && s->vantage.scope == SCOPE_GPU && !k->has_no_windows ? outline_of(s->outlines, s->vantage.entity, t) : NULL;
}

static const struct sketch **place_of(struct sketches *k, const struct term *t)
{
	const struct sketch ***const shelf = &k->done[t->id / SHELF_TERMS];

	if (!*shelf)
		*shelf = NEW_ARRAY(k->mem, const struct sketch *, SHELF_TERMS);
	return &(*shelf)[t->id % SHELF_TERMS];
}

const struct sketch *sketch_of(struct sketches *k, const struct term *t)
{
	if (k->complete && !t->has_costly_fold)
		return sketch_of(k->complete, t);
	const struct sketch **const done = place_of(k, t);
	if (!*done)
		*done = outlined(k, t);
	if (!*done) {
		struct sketch *const s = NEW(k->mem, struct sketch);
		*s = sketch_term(k, t);
		*done = s;
	}
	return *done;
}

static struct sketches *beside(struct sketches *k, bool has_bounds)
{
	struct sketches *const other = NEW(k->mem, struct sketches);

	*other = *k;
	other->complete = k;
	other->has_bounds = has_bounds;
	other->done = NEW_ARRAY(k->mem, const struct sketch **, plan_shelves(k->store->plan));
	return other;
}

const struct sketch *cheap_sketch_of(struct sketches *k, const struct term *t)
{
	if (!k->cheap)
		k->cheap = beside(k, false);
	return sketch_of(k->cheap, t);
}

bool bounds_of_costly(struct sketches *k, const struct term *t, struct extent *out)
{
	if (!k->bounding)
		k->bounding = beside(k, true);
	const struct sketch *const s = sketch_of(k->bounding, t);
	if (s->stride || is_anything(s->ranges[0]))
		return false;
	*out = roughly(s->ranges[0], s->is_rough);
	return true;
}

static uint8_t *blocks_of(struct arena *mem, const struct blocks *b, struct spans spans)
{
	uint8_t *const is_in = NEW_ARRAY(mem, uint8_t, b->n);

	for (size_t i = 0; i < spans.n; i++)
		memset(&is_in[block_at(b, spans.at[i].begin)], 1, 1 + block_at(b, spans.at[i].end - 1) - block_at(b, spans.at[i].begin));
	return is_in;
}

struct sketches *sketches_new(struct arena *mem, struct store *s, const struct spans *wanted)
{
	struct sketches *const k = NEW(mem, struct sketches);
	const struct blocks *const b = &s->plan->blocks;

	*k = (struct sketches){
		.mem = mem,
		.store = s,
		.blocks = b,
		.wanted = wanted ? blocks_of(mem, b, *wanted) : NULL,
		.done = NEW_ARRAY(mem, const struct sketch **, plan_shelves(s->plan)),
	};
	return k;
}

struct sketches *sketches_without_windows(struct arena *mem, struct store *s)
{
	struct sketches *const k = sketches_new(mem, s, NULL);

	k->has_no_windows = true;
	return k;
}

bool sketch_tells_if_known(const struct sketch *s, const struct blocks *blocks)
{
	if (s->is_never)
		return true;
	for (size_t i = 0; i < (s->stride ? blocks->n : 1); i++)
		if (s->can ? !(s->can[i] & CAN_UNKNOWN) : !is_anything(sketch_range(s, i)))
			return true;
	return false;
}

static enum truth truth_of(uint8_t can)
{
	return can == CAN_YES ? YES : can == CAN_UNKNOWN ? UNKNOWN : NO;
}

struct truths sketch_line(struct arena *mem, const struct sketch *s, const struct blocks *blocks)
{
	size_t n = 1, k = 0;

	for (size_t i = 1; i < blocks->n; i++)
		n += truth_of(sketch_can(s, i)) != truth_of(sketch_can(s, i - 1));
	struct cut *const at = NEW_RAW_ARRAY(mem, struct cut, n);
	for (size_t i = 0; i < blocks->n; i++)
		if (!k || at[k - 1].truth != truth_of(sketch_can(s, i)))
			at[k++] = cut_made(block_span(blocks, i).begin, truth_of(sketch_can(s, i)));
	return (struct truths){ at, n, blocks->all.end };
}
