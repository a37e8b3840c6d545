/*
 * sketch_judged.c - a track as windows see it: its samples in judged time, block by block.
 *
 *     judged     [==================)      [======================)
 *     cells      |...|...|...|. .|...|   |...|...|...|...|...|...|      some dozens of samples, looked at as one
 *
 * Where a cell is not all of one stretch of judged time, or not all of it is known, its samples are looked at one by one. Of the others the
 * lowest and the highest sample are told apart: a single pause says nothing of a median.
 */
#include "rule/sketch_parts.h"

#include "series/chunk.h"
#include "series/cursor.h"
#include "series/pieces.h"

time_ms judged_of(const struct spans *judged, size_t *next, struct span when)
{
	time_ms sum = 0;

	while (*next < judged->n && judged->at[*next].end <= when.begin)
		++*next;
	for (size_t i = *next; i < judged->n && judged->at[i].begin < when.end; i++) {
		const struct span j = judged->at[i];
		sum += sooner(j.end, when.end) - later(j.begin, when.begin);
	}
	return sum;
}

/* ------ ranges ------ */

/* The lowest of some samples and minus the highest; the same without odd ones: the lower of each two is that of both. */
typedef float outer __attribute__((vector_size(16)));
typedef int32_t outer_whole __attribute__((vector_size(16)));

static inline outer joined_outer(outer a, outer b)
{
	const outer_whole is_first = a < b;

	return (outer)(((outer_whole)a & is_first) | ((outer_whole)b & ~is_first));
}

struct watching {
	struct cursor cursor;
	const struct blocks *blocks;
	const struct spans *judged;
	size_t next; /* of judged */
	struct stretch only; /* nothing is said of other blocks */
	size_t block;   /* in which the last one began: none begins before it, */
	time_ms behind; /* and where that ends */
	double factor;
	outer *outer;
	summed_ms *odd, *carried;
	time_ms *known;
	struct span lately; /* is known, too, and not yet added to `known` */
};

/* From block to block, which takes no division. */
static struct stretch blocks_met(struct watching *w, struct span when)
{
	const time_ms width = w->blocks->width;

	for (; w->behind <= when.begin; w->behind += width)
		w->block++;
	size_t end = w->block + 1;
	for (time_ms behind = w->behind; behind < when.end; behind += width)
		end++;
	return (struct stretch){ w->block > w->only.first ? w->block : w->only.first, end < w->only.end ? end : w->only.end };
}

/* Of each block how much of it is known, for all that samples hold without a break. */
static void add_lately(struct watching *w)
{
	const time_ms begin = later(w->lately.begin, block_span(w->blocks, w->only.first).begin);
	const time_ms end = sooner(w->lately.end, block_span(w->blocks, w->only.end - 1).end);

	for (size_t i = begin < end ? block_at(w->blocks, begin) : w->only.end; i < w->only.end; i++) {
		const struct span block = block_span(w->blocks, i);
		if (block.begin >= end)
			break;
		w->known[i] += sooner(block.end, end) - later(block.begin, begin);
	}
}

static inline struct stretch take(struct watching *w, struct span when, outer r)
{
	const struct stretch at = blocks_met(w, when);

	for (size_t i = at.first; i < at.end; i++)
		w->outer[i] = joined_outer(w->outer[i], r);
	if (w->lately.end != when.begin) {
		add_lately(w);
		w->lately.begin = when.begin;
	}
	w->lately.end = when.end;
	return at;
}

static inline outer outer_of(const struct watching *w, fixed low, fixed high, fixed inner_low, fixed inner_high)
{
	const double factor = w->factor;

	return (outer){
		float_below(fixed_value(low) * factor),
		float_below(-(fixed_value(high) * factor)),
		float_below(fixed_value(inner_low) * factor),
		float_below(-(fixed_value(inner_high) * factor)),
	};
}

static outer outer_of_one(const struct watching *w, fixed value)
{
	return outer_of(w, value, value, value, value);
}

static void take_sample(struct watching *w, size_t i, struct span judged)
{
	const fixed value = cursor_value(&w->cursor, i);
	const struct span when = { later(cursor_time(&w->cursor, i), judged.begin), sooner(cursor_until(&w->cursor, i), judged.end) };
	if (value != FIXED_MISSING && when.begin < when.end)
		take(w, when, outer_of_one(w, value));
}

struct cell {
	struct ends ends;
	time_ms longest; /* for which one of its samples holds */
	bool is_known;
};

static struct cell cell_of_samples(struct cursor *c, size_t i, size_t end)
{
	const time_ms between = longest_in_cell(c, i, end), last = cursor_until(c, end - 1) - cursor_time(c, end - 1);
	struct cell cell = { .longest = later(between, last) };

	cell.is_known = ends_of(c, i, end, &cell.ends) && between <= surely_held(c->track, i / PACK);
	return cell;
}

/* Of three samples and more one is left without the lowest and the highest. */
static void take_cell(struct watching *w, struct span when, const struct ends *e, time_ms longest, size_t n)
{
	const size_t inner = n < 3 ? 0 : 1;
	const struct stretch at = take(w, when, outer_of(w, e->low[0], e->high[0], e->low[inner], e->high[inner]));

	if (e->low[0] == e->low[inner] && e->high[0] == e->high[inner])
		return;
	for (size_t i = at.first; i < at.end; i++)
		if (when.begin >= block_span(w->blocks, i).begin)
			w->odd[i + 1] += (summed_ms)longest;
		else
			w->carried[i] += (summed_ms)longest;
}

/* Of the samples [i, end) those that hold in a stretch of judged time. */
static void take_samples(struct watching *w, size_t i, size_t end, struct span judged)
{
	while (cursor_until(&w->cursor, i) <= judged.begin)
		i++;
	while (cursor_time(&w->cursor, end - 1) >= judged.end)
		end--;
	const struct span when = { later(cursor_time(&w->cursor, i), judged.begin), sooner(cursor_until(&w->cursor, end - 1), judged.end) };
	const struct cell cell = cell_of_samples(&w->cursor, i, end);
	if (cell.is_known)
		take_cell(w, when, &cell.ends, cell.longest, end - i);
	for (size_t k = i; k < end && !cell.is_known; k++)
		take_sample(w, k, judged);
}

/* The same of a chunk that is full: each of them is known and holds until the next, for so long at most. */
static void take_full(struct watching *w, size_t i, size_t end, time_ms longest, struct span judged)
{
	const struct track *const t = w->cursor.track;
	struct ends ends;

	while (track_time(t, i + 1) <= judged.begin)
		i++;
	while (track_time(t, end - 1) >= judged.end)
		end--;
	const struct span when = { later(track_time(t, i), judged.begin), sooner(track_time(t, end), judged.end) };
	ends_of(&w->cursor, i, end, &ends);
	take_cell(w, when, &ends, longest, end - i);
}

/* The first stretch of judged time that ends behind a moment. */
static void seek_judged(struct watching *w, time_ms when)
{
	while (w->next < w->judged->n && w->judged->at[w->next].end <= when)
		w->next++;
}

/* The samples [i, end), looked at as one where they are of one stretch of judged time. */
static void watch_cell(struct watching *w, size_t i, size_t end, struct span when)
{
	seek_judged(w, when.begin);
	for (size_t k = w->next; k < w->judged->n && w->judged->at[k].begin < when.end; k++)
		take_samples(w, i, end, w->judged->at[k]);
}

/* A chunk of which all samples have the same value. */
static void watch_constant(struct watching *w, size_t k)
{
	const struct track *const t = w->cursor.track;
	const outer one = outer_of_one(w, t->chunks.at[k].low);
	const struct span when = { track_time(t, k * CHUNK), track_until(t, (k + 1) * CHUNK - 1) };

	seek_judged(w, when.begin);
	for (size_t j = w->next; j < w->judged->n && w->judged->at[j].begin < when.end; j++)
		take(w, (struct span){ later(w->judged->at[j].begin, when.begin), sooner(w->judged->at[j].end, when.end) }, one);
}

/* A chunk that is full, whose codes tell of each cell; false of others. */
static bool watch_chunk(struct watching *w, size_t k)
{
	const struct track *const t = w->cursor.track;
	struct span when = { track_time(t, k * CHUNK), track_time(t, (k + 1) * CHUNK) };
	struct ends cells[CELLS];

	seek_judged(w, when.begin);
	if (w->next == w->judged->n || w->judged->at[w->next].begin >= when.end)
		return true;
	const time_ms longest = chunk_longest(t, k);
	if (!longest || !ends_of_pack(t, k, cells))
		return false;
	for (size_t i = 0; i < CELLS; i++, when.begin = when.end) {
		when.end = track_time(t, k * CHUNK + (i + 1) * CELL);
		seek_judged(w, when.begin);
		for (size_t j = w->next; j < w->judged->n && w->judged->at[j].begin < when.end; j++) {
			const struct span judged = w->judged->at[j];
			if (judged.begin <= when.begin && when.end <= judged.end)
				take_cell(w, when, &cells[i], longest, CELL);
			else
				take_full(w, k * CHUNK + i * CELL, k * CHUNK + (i + 1) * CELL, longest, judged);
		}
	}
	return true;
}

static void watch_begin(struct watching *w, struct stretch only)
{
	w->odd[only.first] = 0;
	for (size_t i = only.first; i < only.end; i++) {
		w->outer[i] = (outer){ INFINITY, INFINITY, INFINITY, INFINITY };
		w->odd[i + 1] = w->carried[i] = 0;
		w->known[i] = 0;
	}
}

/* What holds in these blocks. */
static void watch(struct watching *w, const struct track *t, struct stretch only)
{
	const size_t size = cell_size(t, w->blocks);
	const struct span time = { block_span(w->blocks, only.first).begin, block_span(w->blocks, only.end - 1).end };
	const size_t first = sample_before(t, time.begin), behind = track_seek(t, time.end);

	if (first >= behind)
		return;
	w->only = only;
	w->lately = (struct span){ time.begin, time.begin };
	w->block = block_at(w->blocks, later(track_time(t, first / size * size), w->blocks->all.begin));
	w->behind = block_span(w->blocks, w->block).begin + w->blocks->width;
	for (size_t i = first / size * size, end; i < behind; i = end) {
		const struct chunk *const chunk = i % CHUNK == 0 ? chunk_with(t, i) : NULL;
		const bool is_full = chunk && chunk->is_full, is_one = is_full && chunk->low == chunk->high;
		end = i + CHUNK;
		if (is_one)
			watch_constant(w, i / CHUNK);
		if (is_one || (is_full && size == CELL && watch_chunk(w, i / CHUNK)))
			continue;
		end = i + size < t->n ? i + size : t->n;
		watch_cell(w, i, end, (struct span){ cursor_time(&w->cursor, i), cursor_until(&w->cursor, end - 1) });
	}
	add_lately(w);
}

static void add_up(summed_ms *at, struct stretch only)
{
	for (size_t i = only.first; i < only.end; i++)
		at[i + 1] += at[i];
}

/* Of each block, from the begin up to its end, what is judged and not known. */
static void fill_blanks(summed_ms *blank, const struct watching *w, struct stretch only, size_t *next)
{
	blank[only.first] = 0;
	for (size_t i = only.first; i < only.end; i++)
		blank[i + 1] = (summed_ms)(judged_of(w->judged, next, block_span(w->blocks, i)) - w->known[i]);
	add_up(blank, only);
}

struct judged_track track_in_judged(
	struct arena *mem, const struct blocks *b, const struct track *t, const struct spans *judged, const struct some_blocks *only)
{
	struct narrow_extent *const all = NEW_RAW_ARRAY(mem, struct narrow_extent, b->n);
	struct narrow_extent *const inner = NEW_RAW_ARRAY(mem, struct narrow_extent, b->n);
	summed_ms *const blank = NEW_RAW_ARRAY(mem, summed_ms, b->n + 1);
	struct arena scratch;
	size_t next = 0;

	arena_init(&scratch);
	struct watching w = {
		.blocks = b,
		.judged = judged,
		.factor = unit_table[metric_table[t->metric].unit].factor,
		.outer = NEW_RAW_ARRAY(&scratch, outer, b->n),
		.odd = NEW_RAW_ARRAY(mem, summed_ms, b->n + 1),
		.carried = NEW_RAW_ARRAY(mem, summed_ms, b->n),
		.known = NEW_RAW_ARRAY(&scratch, time_ms, b->n),
	};
	cursor_start(&w.cursor, t);
	for (size_t k = 0; k < only->n; k++) {
		const struct stretch at = only->at[k];
		watch_begin(&w, at);
		watch(&w, t, at);
		for (size_t i = at.first; i < at.end; i++) {
			const outer o = w.outer[i];
			all[i] = (struct narrow_extent){ o[0], -o[1] };
			inner[i] = (struct narrow_extent){ o[2], -o[3] };
		}
		add_up(w.odd, at);
		fill_blanks(blank, &w, at, &next);
	}
	arena_release(&scratch);
	return (struct judged_track){ .all = all, .inner = inner, .odd = w.odd, .carried = w.carried, .blank = blank };
}

/* ------ sums of few samples ------ */

/* Over how long a time may these be added up? */
static time_ms longest_sum(const struct track *t, const struct some_blocks *parts)
{
	fixed most = 0;

	for (size_t k = 0; k < parts->n; k++)
		for (size_t i = parts->at[k].first * FEW, next; i < parts->at[k].end * FEW && i < t->n; i = next) {
			const struct chunk *const chunk = chunk_with(t, i);
			const fixed low = chunk ? chunk->low : track_value(t, i), high = chunk ? chunk->high : low;
			most = low != FIXED_MISSING && low <= high && -low > most ? -low : most;
			most = high > most ? high : most;
			next = chunk ? (i / CHUNK + 1) * CHUNK : i + 1;
		}
	return INT64_MAX / 4 / (most > 0 ? most : 1);
}

struct adding {
	struct cursor cursor;
	const struct spans *judged;
	size_t next; /* of judged */
	time_ms *begin;
	summed_ms *blank;
	uint64_t *before;
};

/* judged_of(), at hand for what lies in one stretch as a whole, as nearly all samples do. */
static inline time_ms judged_of_sample(const struct spans *judged, size_t *next, struct span when)
{
	if (*next < judged->n && judged->at[*next].begin <= when.begin && when.end <= judged->at[*next].end)
		return when.end - when.begin;
	return judged_of(judged, next, when);
}

/* Does some time lie in one stretch of judged time? */
static bool is_judged(struct adding *a, struct span when)
{
	const struct spans *const judged = a->judged;

	while (a->next < judged->n && judged->at[a->next].end <= when.begin)
		a->next++;
	return a->next < judged->n && judged->at[a->next].begin <= when.begin && when.end <= judged->at[a->next].end;
}

/* Few samples of a chunk that is full and that are judged as a whole, as nearly all are; false of others. */
static bool add_few(struct adding *a, size_t first, uint64_t *sum, time_ms *known)
{
	const struct chunk *const chunk = chunk_with(a->cursor.track, first);

	if (!chunk || !chunk->is_full)
		return false;
	const time_ms *const times = cursor_times(&a->cursor, first);
	if (!is_judged(a, (struct span){ times[0], times[FEW] }))
		return false;
	const fixed *const values = cursor_values(&a->cursor, first);
	for (size_t i = 0; i < FEW; i++)
		*sum += (uint64_t)values[i] * (uint64_t)(times[i + 1] - times[i]);
	*known += times[FEW] - times[0];
	return true;
}

/* The samples [i, end), which are a few or what is left of them, added to what `sum` and `known` have. */
static void add_samples(struct adding *a, size_t i, size_t end, uint64_t *sum, time_ms *known)
{
	struct cursor *const c = &a->cursor;

	if (add_few(a, i, sum, known))
		return;
	for (; i < end; i++) {
		const fixed value = cursor_value(c, i);
		const struct span when = { cursor_time(c, i), cursor_until(c, i) };
		const time_ms held = value == FIXED_MISSING ? 0 : judged_of_sample(a->judged, &a->next, when);
		*sum += (uint64_t)value * (uint64_t)held;
		*known += held;
	}
}

/* The k-th few. */
static void add_next(struct adding *a, size_t k)
{
	const struct track *const t = a->cursor.track;
	const size_t end = (k + 1) * FEW < t->n ? (k + 1) * FEW : t->n;
	time_ms known = 0;

	a->before[k + 1] = a->before[k];
	add_samples(a, k * FEW, end, &a->before[k + 1], &known);
	a->begin[k + 1] = end < t->n ? cursor_time(&a->cursor, end) : track_span(t).end;
	a->blank[k + 1] = a->blank[k] + (summed_ms)(a->begin[k + 1] - a->begin[k] - known);
}

/* From the k-th few on all of a chunk, if it is full and judged as a whole and its codes tell what they add up to. */
static bool add_chunk(struct adding *a, size_t k)
{
	const struct track *const t = a->cursor.track;
	const struct chunk *const chunk = chunk_with(t, k * FEW);
	uint64_t weighted[FEWS];

	if (!chunk || !chunk->is_full || !is_judged(a, (struct span){ a->begin[k], track_time(t, (k + FEWS) * FEW) }))
		return false;
	if (!few_weighted(t, k / FEWS, a->begin + k + 1, weighted))
		return false;
	for (size_t i = 0; i < FEWS; i++) {
		a->before[k + i + 1] = a->before[k + i] + weighted[i];
		a->blank[k + i + 1] = a->blank[k];
	}
	return true;
}

static void add_part(struct adding *a, struct stretch part)
{
	a->before[part.first] = 0;
	a->blank[part.first] = 0;
	a->begin[part.first] = cursor_time(&a->cursor, part.first * FEW);
	for (size_t k = part.first; k < part.end;) {
		if (k % FEWS == 0 && k + FEWS <= part.end && add_chunk(a, k))
			k += FEWS;
		else
			add_next(a, k++);
	}
}

/* Few samples that hold in these blocks, and two to each side. */
static struct stretch few_in(const struct track *t, const struct blocks *b, struct stretch only)
{
	const size_t n = (t->n + FEW - 1) / FEW, first = sample_before(t, block_span(b, only.first).begin) / FEW;
	const size_t end = track_seek(t, block_span(b, only.end - 1).end) / FEW + 3;

	return (struct stretch){ first > 2 ? first - 2 : 0, end < n ? end : n };
}

static struct some_blocks parts_of(struct arena *mem, const struct track *t, const struct blocks *b, const struct some_blocks *only)
{
	struct stretch *const parts = NEW_RAW_ARRAY(mem, struct stretch, only->n);
	size_t n = 0;

	for (size_t k = 0; k < only->n; k++)
		stretch_add(parts, &n, few_in(t, b, only->at[k]));
	return (struct some_blocks){ parts, n };
}

struct sums sums_in_judged(
	struct arena *mem, const struct blocks *b, const struct track *t, const struct spans *judged, const struct some_blocks *only)
{
	const struct some_blocks parts = parts_of(mem, t, b, only);
	const size_t n = (t->n + FEW - 1) / FEW;
	struct adding a = {
		.judged = judged,
		.begin = NEW_RAW_ARRAY(mem, time_ms, n + 1),
		.blank = NEW_RAW_ARRAY(mem, summed_ms, n + 1),
		.before = NEW_RAW_ARRAY(mem, uint64_t, n + 1),
	};

	cursor_start(&a.cursor, t);
	for (size_t j = 0; j < parts.n; j++)
		add_part(&a, parts.at[j]);
	return (struct sums){ a.begin, a.before, longest_sum(t, &parts), a.blank, n, parts };
}
