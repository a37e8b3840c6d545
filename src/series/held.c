/*
 * held.c - walks the packs of a track that spans touch.
 *
 *     span              [--------------------)
 *     packs    ....|....|....|....|....|....|..
 *     found     begin ..-- ---- ---- ---- -.. end      only the first sample can begin before the span, only the last hold beyond it
 */
#include "series/held.h"

#include "series/pieces.h"
#include "series/quantile.h"

struct held held_start(const struct track *t, const struct spans within)
{
	return (struct held){ .track = t, .within = within };
}

static struct samples seek_span(const struct held *h)
{
	const struct track *const t = h->track;
	const struct span s = h->within.at[h->n_spans];
	const size_t first = h->n_spans > 0 ? track_seek_from(t, h->end, s.begin) : track_seek(t, s.begin);

	return (struct samples){ sample_holding(t, first, s.begin), track_seek_from(t, first, s.end) };
}

/* Spans may lie far apart in the codes: those of the next one are on their way before its turn, and before that what tells of them. */
static void fetch_places(const struct track *t, const struct places *p, const size_t i)
{
	if (i + 2 < p->n) {
		const size_t pack = p->at[i + 2].begin / PACK;
		if (!t->times)
			__builtin_prefetch(&t->clock.at[pack]);
		if (!t->values)
			__builtin_prefetch(&t->column.at[pack]);
	}
	if (i + 1 < p->n) {
		clock_fetch(t, p->at[i + 1].begin / PACK);
		column_fetch(t, p->at[i + 1].begin / PACK);
	}
}

static struct samples place_of_span(const struct held *h)
{
	struct places *const p = h->places;

	if (p && h->n_spans < p->n) {
		fetch_places(h->track, p, h->n_spans);
		return p->at[h->n_spans];
	}
	const struct samples place = seek_span(h);
	if (p)
		p->at[p->n++] = place;
	return place;
}

bool held_next(struct held *h)
{
	const struct track *const t = h->track;

	while (h->next == h->end) {
		if (h->n_spans == h->within.n)
			return false;
		const struct samples place = place_of_span(h);
		h->n_spans++;
		h->begin = h->next = place.begin;
		h->end = place.end;
	}
	const size_t left = PACK - h->next % PACK;
	h->first = h->next;
	h->n = h->end - h->first < left ? h->end - h->first : left;
	h->chunk = h->first > h->begin ? chunk_from(t, h->first, h->end - 1) : NULL;
	h->next += h->n;
	return true;
}

/* n distances of times into `out`; false where one of them is longer than that. A loop that compilers make fast. */
static inline bool distances(const time_ms *restrict times, const size_t n, const time_ms longest, time_ms *restrict out)
{
	time_ms left = 0;

	for (size_t i = 0; i < n; i++) {
		out[i] = times[i + 1] - times[i];
		left |= longest - out[i]; /* its sign is that of what is left of the longest one */
	}
	return left >= 0;
}

/* Of its first and its last sample, what is outside the span. */
static void cut(const struct held *h, const time_ms *times, time_ms *weights)
{
	const struct span s = h->within.at[h->n_spans - 1];
	const size_t last = h->n - 1;
	const time_ms before = h->first == h->begin ? s.begin - times[0] : 0;
	const time_ms beyond = h->next == h->end ? times[last] + weights[last] - s.end : 0;

	weights[0] -= before > 0 ? before : 0;
	weights[last] -= beyond > 0 ? beyond : 0;
	weights[0] = later(weights[0], 0);
	weights[last] = later(weights[last], 0);
}

/* Those of a chunk of which all is inside. */
static bool weigh_evenly(const struct held *h, time_ms *weights)
{
	struct ticks ticks;

	if (!h->chunk || !chunk_ticks(h->track, h->first / CHUNK, &ticks))
		return false;
	for (size_t i = 0; i < CHUNK; i++)
		weights[i] = ticks.slope + ticks.late[i];
	return true;
}

void held_weights(const struct held *h, time_ms *weights)
{
	const struct track *const t = h->track;
	const bool is_end = h->first + h->n == t->n;
	const time_ms sure = surely_held(t, h->first / PACK);
	time_ms times[PACK + 1];

	clock_fetch(t, h->first / PACK + 1);
	if (weigh_evenly(h, weights))
		return;
	track_times(t, h->first, h->n + !is_end, times);
	if (is_end)
		times[h->n] = times[h->n - 1] + track_step(t, t->n - 1);
	const bool is_whole = h->n == PACK ? distances(times, PACK, sure, weights) : distances(times, h->n, sure, weights);
	for (size_t i = 0; !is_whole && i < h->n; i++)
		weights[i] = weights[i] > longest_hold(t, h->first + i) ? track_step(t, h->first + i) : weights[i];
	if (h->first == h->begin || h->next == h->end)
		cut(h, times, weights);
}

struct outside held_outside(const struct held *h)
{
	const struct span s = h->within.at[h->n_spans - 1];
	struct outside outside = { 0, 0 };

	if (h->first == h->begin)
		outside.before = later(s.begin - track_time(h->track, h->first), 0);
	if (h->next == h->end)
		outside.behind = later(track_time(h->track, h->next) - s.end, 0);
	return outside;
}

time_ms held_known(const struct held *h)
{
	const struct track *const t = h->track;
	const struct chunk *const c = chunk_with(t, h->first);
	time_ms weights[PACK], known = 0;
	fixed values[PACK];

	if (h->chunk)
		return (time_ms)h->chunk->known;
	if (c && c->is_full) { /* from the first of them to the one behind the last there is nothing else */
		const struct outside outside = held_outside(h);
		return track_time(t, h->next) - track_time(t, h->first) - outside.before - outside.behind;
	}
	held_weights(h, weights);
	held_values(h, values);
	for (size_t i = 0; i < h->n; i++)
		known += values[i] == FIXED_MISSING ? 0 : weights[i];
	return known;
}

void held_values(const struct held *h, fixed *values)
{
	column_fetch(h->track, h->first / PACK + 1);
	track_values(h->track, h->first, h->n, values);
}

static void add_sums(struct sums *sums, const struct sums *more)
{
	sums->weighted += more->weighted;
	sums->known += more->known;
	sums->low = more->low < sums->low ? more->low : sums->low;
	sums->high = more->high > sums->high ? more->high : sums->high;
}

static void add_chunk(struct sums *sums, const struct chunk *c)
{
	add_sums(sums, &(struct sums){ c->weighted, (time_ms)c->known, c->low, c->high });
}

#define SMALL ((fixed)1 << 32)    /* times all weights together, */
#define SHORT ((time_ms)1 << 31)  /* which are SHORT, it is below 2^63 */

/* As nearly always: each sample is known and weighs something, and 64 bits are enough. Else false, and nothing was added. */
static bool add_plain(struct sums *sums, const fixed *values, const time_ms *weights, const size_t n)
{
	fixed low = values[0], high = values[0]; /* a missing one is below all */
	time_ms least = weights[0], known = 0;
	uint64_t weighted = 0;

	for (size_t i = 0; i < n; i++) {
		low = values[i] < low ? values[i] : low;
		high = values[i] > high ? values[i] : high;
		least = weights[i] < least ? weights[i] : least;
		known += weights[i];
		weighted += (uint64_t)values[i] * (uint64_t)weights[i];
	}
	if (low <= -SMALL || high >= SMALL || known >= SHORT || least == 0)
		return false;
	add_sums(sums, &(struct sums){ (int64_t)weighted, known, low, high });
	return true;
}

/* A part of a chunk of one value, as limits are; false of others. */
static bool add_constant(struct sums *sums, const struct held *h)
{
	const struct chunk *const c = chunk_with(h->track, h->first);

	if (!c || !c->is_full || c->low != c->high)
		return false;
	const time_ms known = held_known(h);
	add_sums(sums, &(struct sums){ (int128)c->low * known, known, c->low, c->high });
	return true;
}

/* A part of a chunk as its codes tell it, without what is outside the span of its first and last sample; false of others. */
static bool add_part(struct sums *sums, const struct held *h)
{
	const struct track *const t = h->track;
	const size_t from = h->first % CHUNK;
	struct partial part;

	if (!chunk_part(t, h->first / CHUNK, from, from + h->n, INT64_MIN, &part))
		return false;
	const struct outside outside = held_outside(h);
	const int128 before = (int128)track_value(t, h->first) * outside.before;
	const int128 behind = (int128)track_value(t, h->next - 1) * outside.behind;
	sums->weighted += part.weighted - before - behind;
	sums->known += part.held - outside.before - outside.behind;
	return true;
}

/* Of samples of which each is known and weighs something. */
static void add_ends(struct sums *sums, const struct held *h)
{
	fixed values[PACK];

	held_values(h, values);
	for (size_t i = 0; i < h->n; i++) {
		sums->low = values[i] < sums->low ? values[i] : sums->low;
		sums->high = values[i] > sums->high ? values[i] : sums->high;
	}
}

static void add_samples(struct sums *sums, const struct held *h, const enum asked asked)
{
	time_ms weights[PACK];
	fixed values[PACK];

	if (add_constant(sums, h))
		return;
	if (add_part(sums, h)) {
		if (asked & ASKED_ENDS)
			add_ends(sums, h);
		return;
	}
	held_weights(h, weights);
	held_values(h, values);
	if (add_plain(sums, values, weights, h->n))
		return;
	for (size_t i = 0; i < h->n; i++)
		if (values[i] != FIXED_MISSING && weights[i] > 0)
			sums_add(sums, values[i], weights[i]);
}

void held_add(struct sums *sums, const struct held *h, const enum asked asked)
{
	if (h->chunk && (h->chunk->has_sum || asked == ASKED_ENDS))
		add_chunk(sums, h->chunk);
	else
		add_samples(sums, h, asked);
}

struct sums held_sums_at(const struct track *t, const struct spans within, struct places *places, const enum asked asked)
{
	struct sums sums = SUMS_OF_NOTHING;
	struct held h = { .track = t, .within = within, .places = places };

	while (held_next(&h))
		held_add(&sums, &h, asked);
	return sums;
}

struct sums held_sums(const struct track *t, const struct spans within, const enum asked asked)
{
	return held_sums_at(t, within, NULL, asked);
}

/* True where the chunk as a whole is done. */
static bool weigh_chunk(struct quantile *q, const struct chunk *c)
{
	return c && (c->known == 0 || quantile_add_many(q, key_from_integer(c->low), key_from_integer(c->high), (int64_t)c->known));
}

/* A missing value is the lowest of all keys, and that is in no round. */
static void weigh_samples(struct quantile *q, const struct held *h)
{
	time_ms weights[PACK];
	fixed values[PACK];

	held_weights(h, weights);
	held_values(h, values);
	for (size_t i = 0; i < h->n; i++)
		quantile_add(q, key_from_integer(values[i]), weights[i]);
}

fixed held_quantile(struct arena *scratch, const struct track *t, const struct spans within, const struct sums *sums, const int percent)
{
	if (sums->low == sums->high)
		return sums->low;
	struct quantile *const q = NEW_RAW_ARRAY(scratch, struct quantile, 1);
	uint64_t key;

	quantile_begin(q, key_from_integer(sums->low), key_from_integer(sums->high), sums->known, percent);
	do {
		struct held h = held_start(t, within);

		while (held_next(&h))
			if (!weigh_chunk(q, h.chunk))
				weigh_samples(q, &h);
	} while (!quantile_found(q, &key));
	return integer_from_key(key);
}
