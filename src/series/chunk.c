/*
 * chunk.c - one pass over a track that saves others theirs.
 *
 *     samples   |....|....|....|....|....|..          chunks of CHUNK samples; the last few are in none
 *     values     2223 3332 .... 9999 9??9            low 2, high 3 | low 2, high 3 | ...
 *     is_full    yes  yes  yes  yes  no
 *
 * Tracks of one log share its clock, so how long samples hold is worked out once for all of them. The values of a pack are
 * first + code x unit, so that their sum follows from that of the codes, which are narrow. Where cells are missing values are looked at
 * one by one. Shares keep the order of what they are shares of, but each is rounded: of them nobody adds up whole chunks often enough to
 * pay for it.
 */
#include "series/chunk.h"

#define SHORT ((time_ms)1 << 31) /* ms for which a chunk lasts: times any code of 32 bits it is below 2^63. 24 days */

/* For how long each sample of a chunk holds. */
struct lengths {
	time_ms all, each; /* each: of every one; 0: see `at` */
	bool has_holes;
	time_ms at[CHUNK];
	uint32_t narrow[CHUNK]; /* the same, where all < SHORT */
};

/* A clock that ticks evenly from here to the begin of the next chunk, and no hole is that short. */
static bool is_even(const struct track *t, const size_t k)
{
	const struct pack *const p = t->times ? NULL : &t->clock.at[k];

	return p && p->width == 0 && p->slope > 0 && p->slope <= HOLE_STEPS * t->step &&
	       pack_at(p + 1, 0) - p->first == CHUNK * (time_ms)p->slope;
}

#define EVEN_UNIT 128 /* of ticks: times the difference of two bytes it fits 16 bits */

/* Loops of a length that is known, one thing in each, are what compilers make fast; so are narrow numbers. */
bool chunk_holds(const struct track *t, const size_t k, uint32_t holds[CHUNK])
{
	const struct pack *const p = t->times ? NULL : &t->clock.at[k];
	const time_ms longest = HOLE_STEPS * t->step;
	uint8_t codes[CHUNK + 1];
	int16_t late[CHUNK];

	if (!p || p->width != 1 || p->unit > EVEN_UNIT || p->slope < 0 || p->slope > longest || longest >= SHORT / 2)
		return false;
	const int16_t unit = (int16_t)p->unit;
	const int32_t slope = p->slope;
	const time_ms last = pack_at(p + 1, 0) - pack_at(p, CHUNK - 1);
	uint32_t most = 0;

	if (last > longest)
		return false;
	memcpy(codes, p->codes, CHUNK);
	codes[CHUNK] = 0; /* there is none: the last one is set below */
	for (size_t i = 0; i < CHUNK; i++)
		late[i] = (int16_t)((int16_t)(codes[i + 1] - codes[i]) * unit);
	for (size_t i = 0; i < CHUNK; i++)
		holds[i] = (uint32_t)(slope + late[i]);
	holds[CHUNK - 1] = (uint32_t)last;
	for (size_t i = 0; i < CHUNK; i++)
		most = holds[i] > most ? holds[i] : most;
	return most <= longest;
}

static bool set_even_lengths(struct lengths *l, const struct track *t, const size_t k)
{
	if (!chunk_holds(t, k, l->narrow))
		return false;
	l->each = 0;
	l->has_holes = false;
	for (size_t i = 0; i < CHUNK; i++)
		l->at[i] = l->narrow[i];
	l->all = pack_at(&t->clock.at[k + 1], 0) - pack_at(&t->clock.at[k], 0);
	return true;
}

static void set_lengths(struct lengths *l, const struct track *t, const size_t k)
{
	const time_ms longest = HOLE_STEPS * t->step;
	time_ms times[CHUNK + 1];

	if (set_even_lengths(l, t, k))
		return;
	track_times(t, k * CHUNK, CHUNK + 1, times);
	*l = (struct lengths){ .all = 0 };
	for (size_t i = 0; i < CHUNK; i++) {
		const time_ms until_next = times[i + 1] - times[i];

		l->at[i] = until_next > longest ? t->step : until_next;
		l->has_holes |= until_next > longest;
		l->all += l->at[i];
	}
	for (size_t i = 0; i < CHUNK; i++)
		l->narrow[i] = (uint32_t)l->at[i];
}

static void lengths_of(struct lengths *l, const struct track *t, const size_t k)
{
	if (!is_even(t, k)) {
		set_lengths(l, t, k);
		return;
	}
	l->each = t->clock.at[k].slope;
	l->all = CHUNK * l->each;
	l->has_holes = false;
}

static inline time_ms length_at(const struct lengths *l, const size_t i)
{
	return l->each ? l->each : l->at[i];
}

static struct chunk chunk_new(const fixed low, const fixed high, const int128 weighted, const time_ms known, const bool is_full)
{
	const bool fits = weighted >= INT64_MIN && weighted <= INT64_MAX;

	return (struct chunk){
		.weighted = fits ? (int64_t)weighted : 0,
		.low = low,
		.high = high,
		.known = (uint64_t)known & (((uint64_t)1 << 62) - 1),
		.has_sum = fits,
		.is_full = is_full,
	};
}

static struct chunk chunk_of_nothing(void)
{
	return chunk_new(INT64_MAX, INT64_MIN, 0, 0, false);
}

static struct chunk chunk_of_one(const fixed value, const struct lengths *l)
{
	return chunk_new(value, value, (int128)value * l->all, l->all, !l->has_holes);
}

/* What the codes of a pack say. */
struct coded {
	uint32_t lowest, highest;
	uint64_t weighted;
	bool has_missing;
};

/* Loops of a length that is known, one thing in each, are what compilers make fast. */
#define SUM_UP(type, wide, none) \
	const type *const restrict codes = p->codes; \
	type lowest = (none), highest = 0, missing = 0; \
	wide sum = 0; \
\
	for (size_t i = 0; i < CHUNK; i++) \
		missing |= codes[i] == (none); \
	for (size_t i = 0; i < CHUNK; i++) \
		lowest = codes[i] < lowest ? codes[i] : lowest; \
	for (size_t i = 0; i < CHUNK; i++) \
		highest = codes[i] > highest ? codes[i] : highest; \
	for (size_t i = 0; l->each && i < CHUNK; i++) \
		sum += codes[i]; \
	uint64_t weighted = (uint64_t)sum * (uint64_t)l->each; \
	for (size_t i = 0; !l->each && i < CHUNK; i++) \
		weighted += (uint64_t)codes[i] * l->narrow[i]; \
	return (struct coded){ lowest, highest, weighted, missing };

static struct coded sum_up_bytes(const struct pack *p, const struct lengths *l)
{
	SUM_UP(uint8_t, uint32_t, UINT8_MAX)
}

static struct coded sum_up_pairs(const struct pack *p, const struct lengths *l)
{
	SUM_UP(uint16_t, uint32_t, UINT16_MAX)
}

static struct coded sum_up_fours(const struct pack *p, const struct lengths *l)
{
	SUM_UP(uint32_t, uint64_t, UINT32_MAX)
}

/* Of the numbers of a pack; false where its codes do not say. */
static bool chunk_of_pack(const struct pack *p, const struct lengths *l, struct chunk *out)
{
	if (p->width == 0 && p->slope == 0) {
		*out = p->first == FIXED_MISSING ? chunk_of_nothing() : chunk_of_one(p->first, l);
		return true;
	}
	if (p->width == 0 || p->width == sizeof(int64_t) || p->slope != 0 || l->all >= SHORT)
		return false;
	const struct coded coded = p->width == 1 ? sum_up_bytes(p, l) : p->width == 2 ? sum_up_pairs(p, l)
										      : sum_up_fours(p, l);
	if (coded.has_missing)
		return false;
	*out = chunk_new(p->first + (fixed)coded.lowest * p->unit, p->first + (fixed)coded.highest * p->unit,
		(int128)p->first * l->all + (int128)coded.weighted * p->unit, l->all, !l->has_holes);
	return true;
}

/* For how long each mask holds counts where its bit is set; loops as in SUM_UP. */
#define HELD_WITH_BIT(type) \
	const type *const restrict codes = p->codes; \
	uint32_t held = 0; \
\
	for (size_t i = 0; l->each && i < CHUNK; i++) \
		held += (first + codes[i]) >> bit & 1; \
	if (l->each) \
		return held * l->each; \
	for (size_t i = 0; i < CHUNK; i++) \
		held += l->narrow[i] & -((first + codes[i]) >> bit & 1); \
	return held;

static time_ms held_with_bit_of_bytes(const struct pack *p, const struct lengths *l, const uint32_t first, const int bit)
{
	HELD_WITH_BIT(uint8_t)
}

static time_ms held_with_bit_of_pairs(const struct pack *p, const struct lengths *l, const uint32_t first, const int bit)
{
	HELD_WITH_BIT(uint16_t)
}

/* A flag in masks that hold for less than SHORT; most are never set, and some always. */
static struct chunk chunk_of_flag(const struct pack *p, const struct lengths *l, const int bit)
{
	const uint32_t first = (uint32_t)(p->first / FIXED_ONE);
	const time_ms held = p->width == 1 ? held_with_bit_of_bytes(p, l, first, bit) : held_with_bit_of_pairs(p, l, first, bit);

	return chunk_new(held == l->all ? FIXED_ONE : 0, held ? FIXED_ONE : 0, (int128)held * FIXED_ONE, l->all, !l->has_holes);
}

/* What a formula makes of a chunk; false where its values have to be seen. */
static bool chunk_made(const struct formula *f, const struct pack *p, const struct lengths *l, struct chunk *c)
{
	if (f->kind == FORMULA_AS_IT_IS || c->known == 0)
		return true;
	if (c->low == c->high) {
		*c = chunk_of_one(formula_value(f, c->low), l);
		return true;
	}
	if (f->kind == FORMULA_FLAG && pack_has_masks(p) && flag_bit(f) >= 0) {
		*c = chunk_of_flag(p, l, flag_bit(f));
		return true;
	}
	if (f->kind == FORMULA_SHARE && f->of > 0) {
		*c = (struct chunk){ 0, formula_value(f, c->low), formula_value(f, c->high), c->known, false, c->is_full };
		return true;
	}
	if (f->kind != FORMULA_MARGIN || !c->has_sum)
		return false;
	*c = chunk_new(f->of - c->high, f->of - c->low, (int128)f->of * l->all - c->weighted, l->all, !l->has_holes);
	return true;
}

static struct chunk chunk_of_any(const fixed *values, const struct lengths *l)
{
	fixed low = INT64_MAX, high = INT64_MIN;
	int128 weighted = 0;
	time_ms known = 0;
	bool has_missing = false;

	for (size_t i = 0; i < CHUNK; i++) {
		const fixed value = values[i];

		if (value == FIXED_MISSING) {
			has_missing = true;
			continue;
		}
		weighted += (int128)value * length_at(l, i);
		known += length_at(l, i);
		low = value < low ? value : low;
		high = value > high ? value : high;
	}
	return chunk_new(low, high, weighted, known, !has_missing && !l->has_holes);
}

#define SMALL ((int64_t)1 << 32) /* below it, times CHUNK lengths that are SHORT together, it is below 2^63 */

/* Of values of which none is missing, and all of which are SMALL, as nearly all are. Nothing else is in the loop. */
static int64_t sum_of_small(const fixed *values, const struct lengths *l)
{
	int64_t sum = 0;

	for (size_t i = 0; l->each && i < CHUNK; i++)
		sum += values[i];
	if (l->each)
		return sum * l->each;
	for (size_t i = 0; i < CHUNK; i++)
		sum += values[i] * l->at[i];
	return sum;
}

static struct chunk chunk_of_values(const fixed *values, const struct lengths *l)
{
	fixed low = values[0], high = values[0];

	for (size_t i = 1; i < CHUNK; i++) {
		low = values[i] < low ? values[i] : low; /* a missing one is below all */
		high = values[i] > high ? values[i] : high;
	}
	if (low > -SMALL && high < SMALL && l->all < SHORT)
		return chunk_new(low, high, sum_of_small(values, l), l->all, !l->has_holes);
	return chunk_of_any(values, l);
}

static struct chunk chunk_of(const struct track *t, const size_t k, const struct lengths *l)
{
	fixed values[CHUNK];
	struct chunk c;

	if (!t->values && chunk_of_pack(&t->column.at[k], l, &c) && chunk_made(&t->formula, &t->column.at[k], l, &c))
		return c;
	track_values(t, k * CHUNK, CHUNK, values);
	return chunk_of_values(values, l);
}

size_t chunks_count(const struct track *t)
{
	return t->n ? (t->n - 1) / CHUNK : 0;
}

static void fetch_chunk(struct track *const *tracks, const size_t n, struct chunk *const *into, const size_t k)
{
	clock_fetch(tracks[0], k);
	for (size_t i = 0; i < n; i++)
		if (into[i])
			column_fetch(tracks[i], k);
}

void chunks_fill(struct track *const *tracks, const size_t n, struct chunk *const *into)
{
	struct lengths l;

	for (size_t k = 0; n > 0 && k < chunks_count(tracks[0]); k++) {
		fetch_chunk(tracks, n, into, k + 1);
		lengths_of(&l, tracks[0], k);
		for (size_t i = 0; i < n; i++)
			if (into[i])
				into[i][k] = chunk_of(tracks[i], k, &l);
	}
}

struct chunks chunks_of(struct arena *mem, const struct track *t)
{
	if (t->chunks.at)
		return t->chunks;
	const size_t n = chunks_count(t);
	struct chunk *const at = NEW_RAW_ARRAY(mem, struct chunk, n);
	struct track same = *t;

	chunks_fill((struct track *const[]){ &same }, 1, (struct chunk *const[]){ at });
	return (struct chunks){ at, n };
}

struct extremes_seen track_outermost(const struct track *t)
{
	struct extremes_seen all = NOTHING_SEEN;

	for (size_t i = 0, n; i < t->n; i += n) {
		const struct chunk *const c = chunk_from(t, i, t->n);
		const fixed value = c ? FIXED_MISSING : track_value(t, i);
		const fixed low = c ? c->low : value == FIXED_MISSING ? INT64_MAX : value, high = c ? c->high : value;

		n = c ? CHUNK : 1;
		all.low = low < all.low ? low : all.low;
		all.high = high > all.high ? high : all.high;
	}
	return all;
}
