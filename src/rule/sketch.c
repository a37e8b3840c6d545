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
#include "series/pieces.h"

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

/* No narrower than they are, in half the room. */
static const struct narrow_extent *ranges_narrowed(struct arena *mem, const struct extent *ranges, size_t n)
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

	kept.told = NULL;
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
	struct narrow_extent *at;
	struct span all;  /* the time of those that are filled */
	time_ms done;     /* nothing is told behind it */
	size_t block;     /* in which the last one began: none begins before it, */
	time_ms behind;   /* and where that ends */
};

/* Some blocks, of which nothing was told. */
static struct filling filling_of(const struct blocks *b, struct narrow_extent *at, struct stretch some)
{
	const struct span all = { block_span(b, some.first).begin, block_span(b, some.end - 1).end };

	for (size_t i = some.first; i < some.end; i++)
		at[i] = narrow_nothing;
	return (struct filling){ b, at, all, all.begin, some.first, all.begin + b->width };
}

static struct filling filling_start(struct arena *mem, const struct blocks *blocks)
{
	struct narrow_extent *const at = NEW_RAW_ARRAY(mem, struct narrow_extent, blocks->n);

	return filling_of(blocks, at, (struct stretch){ 0, blocks->n });
}

/* From block to block, which takes no division. */
static void fill(struct filling *f, struct span when, struct extent range)
{
	const struct span all = f->all, inside = { later(when.begin, all.begin), sooner(when.end, all.end) };
	const struct narrow_extent r = extent_narrowed(range);

	if (inside.begin >= inside.end)
		return;
	for (; f->behind <= inside.begin; f->behind += f->blocks->width)
		f->block++;
	f->at[f->block] = joined_narrow(f->at[f->block], r);
	size_t i = f->block + 1;
	for (time_ms behind = f->behind; behind < inside.end; behind += f->blocks->width, i++)
		f->at[i] = joined_narrow(f->at[i], r);
}

/* The samples [i, end), the last of which holds until `until`; what lies between them and those before is not known. */
static void fill_cell(struct filling *f, struct span when, struct extent r)
{
	if (f->done < when.begin)
		fill(f, (struct span){ f->done, when.begin }, anything);
	fill(f, when, r);
	f->done = when.end;
}

static bool has_hole(struct cursor *c, size_t i, size_t end)
{
	const struct chunk *const chunk = chunk_with(c->track, i);

	return !(chunk && chunk->is_full) && longest_in_cell(c, i, end) > surely_held(c->track, i / PACK);
}

static struct extent range_between(fixed low, fixed high, double factor)
{
	return (struct extent){ fixed_value(low) * factor, fixed_value(high) * factor };
}

static struct extent range_of_cell(struct cursor *c, size_t i, size_t end, double factor)
{
	struct ends ends;

	if (!outer_ends_of(c, i, end, &ends) || has_hole(c, i, end))
		return anything;
	return range_between(ends.low[0], ends.high[0], factor);
}

size_t cell_size(const struct track *t, const struct blocks *blocks)
{
	size_t n = CELL;

	while (n > 1 && (time_ms)n * t->step > blocks->width)
		n /= 2;
	return n;
}

/* The samples of chunk k, which is full, where their summary or their codes say what they are. */
static bool fill_chunk(struct filling *f, const struct track *t, size_t k, double factor)
{
	const struct chunk *const c = &t->chunks.at[k];
	time_ms begin = track_time(t, k * CHUNK);
	struct ends cells[CELLS];

	if (c->low == c->high) {
		fill_cell(f, (struct span){ begin, track_time(t, (k + 1) * CHUNK) }, range_between(c->low, c->high, factor));
		return true;
	}
	if (cell_size(t, f->blocks) != CELL || !outer_ends_of_pack(t, k, cells))
		return false;
	for (size_t i = 0; i < CELLS; i++) {
		const time_ms end = track_time(t, k * CHUNK + (i + 1) * CELL);
		fill_cell(f, (struct span){ begin, end }, range_between(cells[i].low[0], cells[i].high[0], factor));
		begin = end;
	}
	return true;
}

static void fill_track(struct filling *f, const struct track *t, double factor)
{
	const size_t cell = cell_size(t, f->blocks), behind = track_seek(t, f->all.end);
	struct cursor c;

	cursor_start(&c, t);
	for (size_t i = sample_before(t, f->all.begin) / cell * cell, end; i < behind; i = end) {
		const struct chunk *const chunk = chunk_with(t, i);
		end = i + CHUNK;
		if (i % CHUNK == 0 && chunk && chunk->is_full && fill_chunk(f, t, i / CHUNK, factor))
			continue;
		end = i + cell < t->n ? i + cell : t->n;
		fill_cell(f, (struct span){ cursor_time(&c, i), cursor_until(&c, end - 1) }, range_of_cell(&c, i, end, factor));
	}
	fill(f, (struct span){ f->done, f->all.end }, anything);
}

struct sketch sketch_track(struct arena *mem, const struct blocks *blocks, const struct track *t, const struct some_blocks *only)
{
	struct narrow_extent *const at = NEW_RAW_ARRAY(mem, struct narrow_extent, blocks->n);
	const double factor = unit_table[metric_table[t->metric].unit].factor;

	for (size_t i = 0; i < only->n; i++) {
		struct filling f = filling_of(blocks, at, only->at[i]);
		fill_track(&f, t, factor);
	}
	return (struct sketch){ .narrow = at, .stride = 1 };
}

static struct sketch sketch_metric(struct sketches *k, const struct term *t)
{
	const struct track *const track = vantage_track(&k->store->vantage, t->metric);

	if (!track)
		return never_known(k->mem, t);
	return track_sketched_in(k->store, k->mem, track, k->wanted);
}

/* ------ arithmetic ------ */

static struct extent range_of(double a, double b, double c, double d)
{
	if (isnan(a) || isnan(b) || isnan(c) || isnan(d))
		return anything;
	return (struct extent){ lesser(lesser(a, b), lesser(c, d)), greater(greater(a, b), greater(c, d)) };
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
	if (k->is_first_look && (t->looks_around || t->has_costly_fold))
		return not_told(k->mem, t);
	const struct sketch *const a = sketch_of(k, t->left), *const b = sketch_of(k, t->right);
	const size_t stride = a->stride | b->stride, n = stride ? k->blocks->n : 1;
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, n);
	const struct some_blocks some = places(k, stride);

	for (size_t s = 0; s < some.n; s++)
		for (size_t i = some.at[s].first; i < some.at[s].end; i++)
			at[i] = times_range(roughly_combined(t, sketch_range(a, i), sketch_range(b, i)), t->factor);
	return (struct sketch){
		.ranges = at,
		.stride = stride,
		.told = told_of(k),
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
	const struct some_blocks some = places(k, s.stride);

	for (size_t j = 0; j < some.n; j++)
		for (size_t i = some.at[j].first; i < some.at[j].end; i++)
			at[i] = times_range(sketch_range(&s, i), -1);
	s.ranges = at;
	s.told = told_of(k);
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

static struct sketch sketch_costly(struct sketches *k, const struct term *t)
{
	struct sketch s;

	return k->complete && fold_range(k->complete, t, &s) ? s : not_told(k->mem, t);
}

static struct sketch sketch_number(struct arena *mem, const struct blocks *b, struct signal number)
{
	struct filling f = filling_start(mem, b);

	for (size_t i = 0; i < number.n; i++) {
		const double value = number.at[i].value;
		const time_ms end = i + 1 < number.n ? number.at[i + 1].begin : number.end;
		fill(&f, (struct span){ number.at[i].begin, end }, isnan(value) ? anything : (struct extent){ value, value });
	}
	return (struct sketch){ .narrow = f.at, .stride = 1 };
}

static uint8_t can_be_one(enum truth truth)
{
	return (uint8_t)(1U << truth);
}

static struct sketch sketch_truths(struct arena *mem, const struct blocks *b, struct truths line)
{
	if (line.n == 1)
		return one_truth(mem, can_be_one(line.at[0].truth));
	uint8_t *const can = NEW_ARRAY(mem, uint8_t, b->n);
	for (size_t i = 0; i < line.n; i++) {
		const time_ms end = i + 1 < line.n ? line.at[i + 1].at : line.end;
		const size_t last = block_at(b, end - 1);
		for (size_t j = block_at(b, line.at[i].at); j <= last && j < b->n; j++)
			can[j] |= can_be_one(line.at[i].truth);
	}
	return (struct sketch){ .can = can, .stride = 1 };
}

/* Of what has no rule of its own: from its value. */
struct sketch sketch_value(struct sketches *k, const struct term *t)
{
	const struct value v = value_of(k->store, t, NULL);

	if (t->is_condition)
		return v.line.n ? sketch_truths(k->mem, k->blocks, v.line) : not_told(k->mem, t);
	return v.number.n ? sketch_number(k->mem, k->blocks, v.number) : not_told(k->mem, t);
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
	case NODE_AND:
	case NODE_OR:
	case NODE_NOT:
	case NODE_HAS:
		return sketch_condition(k, t);
	case NODE_ROLLING:
		return sketch_rolling(k, t);
	case NODE_ACROSS:
		return sketch_across(k, t);
	case NODE_FOLD: /* of the cheap ones only those of metrics are not costly, and come from the complete ones */
		return k->complete || (k->is_first_look && t->has_costly_fold) ? sketch_costly(k, t) : sketch_constant(k, t);
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

	if (!s->outlines || s->vantage.scope != SCOPE_GPU || (k->has_no_windows && t->looks_around))
		return NULL;
	return outline_of(s->outlines, s->vantage.entity, t);
}

static const struct sketch **place_of(struct sketches *k, const struct term *t)
{
	const struct sketch ***const shelf = &k->done[t->id / SHELF_TERMS];

	if (!*shelf)
		*shelf = NEW_ARRAY(k->mem, const struct sketch *, SHELF_TERMS);
	return &(*shelf)[t->id % SHELF_TERMS];
}

/* Does it tell of all that are wanted? */
static bool is_told(const struct sketch *s, const struct some_blocks *wanted)
{
	const struct some_blocks *const told = s->told;
	size_t i = 0;

	if (!s->stride || !told || told == wanted)
		return true;
	for (size_t j = 0; j < wanted->n; j++) {
		while (i < told->n && told->at[i].end <= wanted->at[j].first)
			i++;
		if (i == told->n || wanted->at[j].first < told->at[i].first || told->at[i].end < wanted->at[j].end)
			return false;
	}
	return true;
}

/* These sketches, as nobody has asked for any yet. */
static struct sketches *beside(struct sketches *k)
{
	struct sketches *const other = NEW(k->mem, struct sketches);

	*other = *k;
	other->done = NEW_ARRAY(k->mem, const struct sketch **, plan_shelves(k->store->plan));
	return other;
}

struct sketches *first_look(struct sketches *k)
{
	struct sketches *const all = k->complete ? k->complete : k;

	if (!all->first_look) {
		all->first_look = beside(all);
		all->first_look->is_first_look = true;
	}
	return all->first_look;
}

struct sketches *row_look(struct sketches *k)
{
	struct sketches *const first = first_look(k);

	if (!first->row_look) {
		first->row_look = beside(first);
		first->row_look->is_row_look = true;
		first->row_look->first_look = first;
	}
	return first->row_look;
}

/* Does a first look tell of it all that there is to be told? */
static bool is_told_at_first(const struct sketches *k, const struct term *t)
{
	return !t->has_costly_fold && (!t->looks_around || is_outlined_set(k, t));
}

static bool is_joined(const struct term *t)
{
	return t->kind == NODE_AND || t->kind == NODE_OR || t->kind == NODE_NOT;
}

const struct sketch *sketch_of(struct sketches *k, const struct term *t)
{
	if (k->complete && !t->has_costly_fold)
		return sketch_in(k->complete, t, k->wanted);
	if (k->is_row_look ? !is_joined(t) : !k->is_first_look && is_told_at_first(k, t))
		return sketch_in(first_look(k), t, k->wanted);
	const struct sketch **const done = place_of(k, t);
	if (!*done)
		*done = outlined(k, t);
	if (!*done || !is_told(*done, k->wanted)) {
		struct sketch *const s = NEW(k->mem, struct sketch);
		*s = sketch_term(k, t);
		*done = s;
	}
	return *done;
}

const struct sketch *sketch_in(struct sketches *k, const struct term *t, const struct some_blocks *wanted)
{
	const struct some_blocks *const before = k->wanted;

	k->wanted = wanted;
	const struct sketch *const s = sketch_of(k, t);
	k->wanted = before;
	return s;
}

const struct sketch *sketch_at_hand(struct sketches *k, const struct term *t)
{
	const struct sketch *const s = *place_of(is_told_at_first(k, t) ? first_look(k) : k, t);

	return s && is_told(s, k->all) ? s : NULL;
}

static const struct some_blocks *blocks_of(struct arena *mem, const struct blocks *b, struct spans spans)
{
	struct some_blocks *const some = NEW(mem, struct some_blocks);
	struct stretch *const at = NEW_RAW_ARRAY(mem, struct stretch, spans.n);

	for (size_t i = 0; i < spans.n; i++)
		stretch_add(at, &some->n, (struct stretch){ block_at(b, spans.at[i].begin), block_at(b, spans.at[i].end - 1) + 1 });
	some->at = at;
	return some;
}

const struct sketch *sketch_within(struct sketches *k, const struct term *t, struct spans time)
{
	return sketch_in(k, t, blocks_of(k->mem, k->blocks, time));
}

const struct sketch *cheap_sketch_within(struct sketches *k, const struct term *t, struct spans time)
{
	if (!k->cheap) {
		k->cheap = beside(k);
		k->cheap->complete = k;
	}
	return sketch_within(k->cheap, t, time);
}

bool bounds_of_costly(struct sketches *k, const struct term *t, struct extent *out)
{
	if (!k->bounding) {
		k->bounding = beside(k);
		k->bounding->complete = k;
		k->bounding->has_bounds = true;
	}
	const struct sketch *const s = sketch_in(k->bounding, t, k->all);
	if (s->stride || is_anything(s->ranges[0]))
		return false;
	*out = roughly(s->ranges[0], s->is_rough);
	return true;
}

struct sketches *sketches_new(struct arena *mem, struct store *s)
{
	struct sketches *const k = NEW(mem, struct sketches);
	const struct blocks *const b = &s->plan->blocks;

	*k = (struct sketches){
		.mem = mem,
		.store = s,
		.blocks = b,
		.all = blocks_of(mem, b, spans_one(&b->all)),
		.done = NEW_ARRAY(mem, const struct sketch **, plan_shelves(s->plan)),
	};
	k->wanted = k->all;
	return k;
}

struct sketches *sketches_without_windows(struct arena *mem, struct store *s)
{
	struct sketches *const k = sketches_new(mem, s);

	k->has_no_windows = true;
	return k;
}

static enum truth truth_of(uint8_t can)
{
	return can == CAN_YES ? YES : can == CAN_UNKNOWN ? UNKNOWN : NO;
}

static void line_add(struct truths *line, struct cut *at, time_ms when, enum truth truth)
{
	if (!line->n || at[line->n - 1].truth != truth)
		at[line->n++] = cut_made(when, truth);
}

struct truths sketch_line(struct arena *mem, const struct sketch *s, const struct blocks *blocks, struct span within)
{
	const size_t first = block_at(blocks, within.begin), end = block_at(blocks, within.end - 1) + 1;
	size_t n = 2; /* before and behind it */

	for (size_t i = first; i < end; i = sketch_same_until(s, i, end))
		n++;
	struct cut *const at = NEW_RAW_ARRAY(mem, struct cut, n);
	struct truths line = { .at = at, .end = blocks->all.end };
	if (first > 0)
		line_add(&line, at, blocks->all.begin, NO);
	for (size_t i = first; i < end; i = sketch_same_until(s, i, end))
		line_add(&line, at, block_span(blocks, i).begin, truth_of(sketch_can(s, i)));
	if (end < blocks->n)
		line_add(&line, at, block_span(blocks, end).begin, NO);
	return line;
}
