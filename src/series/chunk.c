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

#define LATE_OF_PAIRS 511        /* ms: see pairs_by_ticks() */
#define SHORT ((time_ms)1 << 31) /* ms for which a chunk lasts: times any code of 32 bits it is below 2^63. 24 days */

/* For how long each sample of a chunk holds. */
struct lengths {
	time_ms all, each; /* each: of every one; 0: see `narrow` */
	bool has_holes;
	bool has_ticks, is_near; /* is_near: no tick is off by more than LATE_OF_PAIRS */
	struct ticks ticks;
	uint32_t narrow[CHUNK]; /* where all < SHORT; */
	time_ms at[CHUNK];      /* else */
};

/* A clock that ticks evenly from here to the begin of the next chunk, and no hole is that short. */
static bool is_even(const struct track *t, const size_t k)
{
	const struct pack *const p = t->times ? NULL : &t->clock.at[k];

	return p && p->width == 0 && p->slope > 0 && p->slope <= surely_held(t, k) &&
	       pack_at(p + 1, 0) - p->first == CHUNK * (time_ms)p->slope;
}

#define EVEN_UNIT 128 /* of ticks: times the difference of two bytes it fits 16 bits */

/* False of another clock; of holes nothing is said. Loops of a length that is known are what compilers make fast; so are narrow numbers. */
static inline bool read_ticks(const struct track *t, const size_t k, struct ticks *ticks)
{
	const struct pack *const p = t->times ? NULL : &t->clock.at[k];
	uint8_t codes[CHUNK + 1];

	if (!p || p->width > 1 || p->unit > EVEN_UNIT || p->slope < 0)
		return false;
	const int16_t unit = (int16_t)p->unit;
	const time_ms last = pack_at(p + 1, 0) - pack_at(p, CHUNK - 1) - p->slope;
	if (last < INT16_MIN || last > INT16_MAX)
		return false;
	memset(codes, 0, sizeof codes); /* there is none of the next pack: the last one is set below */
	if (p->width)
		memcpy(codes, p->codes, CHUNK);
	for (size_t i = 0; i < CHUNK; i++)
		ticks->late[i] = (int16_t)((int16_t)(codes[i + 1] - codes[i]) * unit);
	ticks->late[CHUNK - 1] = (int16_t)last;
	ticks->slope = p->slope;
	return true;
}

/* No tick is so late that a hole is before it; else false. */
static inline bool are_without_holes(const struct track *t, const size_t k, const struct ticks *ticks, bool *is_near)
{
	const time_ms longest = surely_held(t, k);
	int16_t most = 0, least = 0;

	for (size_t i = 0; i < CHUNK; i++)
		most = ticks->late[i] > most ? ticks->late[i] : most;
	for (size_t i = 0; i < CHUNK; i++)
		least = ticks->late[i] < least ? ticks->late[i] : least;
	*is_near = most <= LATE_OF_PAIRS && least >= -LATE_OF_PAIRS;
	return longest < SHORT / 2 && ticks->slope + (time_ms)most <= longest;
}

bool chunk_ticks(const struct track *t, const size_t k, struct ticks *ticks)
{
	bool is_near;

	return read_ticks(t, k, ticks) && (t->chunks.at[k].is_full || are_without_holes(t, k, ticks, &is_near));
}

static bool set_even_lengths(struct lengths *l, const struct track *t, const size_t k)
{
	if (!read_ticks(t, k, &l->ticks) || !are_without_holes(t, k, &l->ticks, &l->is_near))
		return false;
	for (size_t i = 0; i < CHUNK; i++)
		l->narrow[i] = (uint32_t)(l->ticks.slope + l->ticks.late[i]);
	l->has_ticks = true;
	l->each = 0;
	l->has_holes = false;
	l->all = pack_at(&t->clock.at[k + 1], 0) - pack_at(&t->clock.at[k], 0);
	return true;
}

static void set_lengths(struct lengths *l, const struct track *t, const size_t k)
{
	time_ms times[CHUNK + 1];

	if (set_even_lengths(l, t, k))
		return;
	track_times(t, k * CHUNK, CHUNK + 1, times);
	l->all = l->each = 0;
	l->has_holes = l->has_ticks = false;
	for (size_t i = 0; i < CHUNK; i++) {
		const time_ms until_next = times[i + 1] - times[i];
		const bool is_hole = until_next > longest_hold(t, k * CHUNK + i);

		l->at[i] = is_hole ? track_step(t, k * CHUNK + i) : until_next;
		l->has_holes |= is_hole;
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
	return l->each ? l->each : l->all < SHORT ? l->narrow[i] : l->at[i];
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

/* Codes, and codes x ms. Loops of a length that is known, one thing in each, are what compilers make fast. */
#define ADD_UP(type, wide) \
	const type *const restrict codes = p->codes; \
	wide sum = 0; \
	uint64_t weighted = 0; \
\
	for (size_t i = 0; l->each && i < CHUNK; i++) \
		sum = (wide)(sum + codes[i]); \
	for (size_t i = 0; !l->each && i < CHUNK; i++) \
		weighted += (uint64_t)codes[i] * l->narrow[i]; \
	return l->each ? sum * (uint64_t)l->each : weighted;

static uint64_t add_up_bytes(const struct pack *p, const struct lengths *l)
{
	ADD_UP(uint8_t, uint16_t) /* of 128 */
}

static uint64_t add_up_pairs(const struct pack *p, const struct lengths *l)
{
	ADD_UP(uint16_t, uint32_t)
}

static uint64_t add_up_fours(const struct pack *p, const struct lengths *l)
{
	ADD_UP(uint32_t, uint64_t)
}

/*
 * The same on a clock that ticks: what samples would weigh on time, and what they are late, which fits 16 bits, so that a step does eight.
 * 128 products of a byte and 2^15 are below 2^31; those of 2^15, around which a pair is taken, and LATE_OF_PAIRS likewise.
 */
static inline int64_t bytes_by_ticks(const uint8_t *restrict codes, const struct ticks *ticks)
{
	uint16_t sum = 0;
	int32_t late = 0;

	for (size_t i = 0; i < CHUNK; i++)
		sum = (uint16_t)(sum + codes[i]);
	for (size_t i = 0; i < CHUNK; i++)
		late += (int16_t)codes[i] * ticks->late[i];
	return (int64_t)sum * ticks->slope + late;
}

static inline int64_t pairs_by_ticks(const uint16_t *restrict codes, const struct ticks *ticks, const int64_t all_late)
{
	uint32_t sum = 0;
	int32_t late = 0;

	for (size_t i = 0; i < CHUNK; i++)
		sum += codes[i];
	for (size_t i = 0; i < CHUNK; i++)
		late += (int16_t)(codes[i] ^ 0x8000) * ticks->late[i];
	return (int64_t)sum * ticks->slope + late + 0x8000 * all_late;
}

static uint64_t add_up(const struct pack *p, const struct lengths *l)
{
	const bool has_ticks = !l->each && l->has_ticks;

	switch (p->width) {
	case 1:
		return has_ticks ? (uint64_t)bytes_by_ticks(p->codes, &l->ticks) : add_up_bytes(p, l);
	case 2:
		if (has_ticks && l->is_near)
			return (uint64_t)pairs_by_ticks(p->codes, &l->ticks, l->all - CHUNK * (int64_t)l->ticks.slope);
		return add_up_pairs(p, l);
	default:
		return add_up_fours(p, l);
	}
}

/* Of the numbers of a pack; false where its codes do not say. */
static bool chunk_of_pack(const struct pack *p, const struct lengths *l, struct chunk *out)
{
	bool is_all;

	if (p->width == 0 && p->slope == 0) {
		*out = p->first == FIXED_MISSING ? chunk_of_nothing() : chunk_of_one(p->first, l);
		return true;
	}
	if (p->width == 0 || p->width == sizeof(int64_t) || p->slope != 0 || l->all >= SHORT)
		return false;
	const uint32_t highest = pack_highest(p, CHUNK, &is_all);
	if (!is_all)
		return false;
	*out = chunk_new(p->first, p->first + (fixed)highest * p->unit, (int128)p->first * l->all + (int128)add_up(p, l) * p->unit, l->all,
		!l->has_holes);
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

/* The bits that masks of a pack have. */
struct masks {
	const struct pack *of;
	uint32_t any, every; /* in one of them, in each */
};

#define BITS_OF(type) \
	const type *const restrict codes = p->codes; \
	uint32_t any = 0, every = UINT32_MAX; \
\
	for (size_t i = 0; i < CHUNK; i++) { \
		any |= first + codes[i]; \
		every &= first + codes[i]; \
	} \
	return (struct masks){ p, any, every };

static struct masks masks_of_bytes(const struct pack *p, const uint32_t first)
{
	BITS_OF(uint8_t)
}

static struct masks masks_of_pairs(const struct pack *p, const uint32_t first)
{
	BITS_OF(uint16_t)
}

static struct masks masks_of(const struct pack *p)
{
	const uint32_t first = (uint32_t)(p->first / FIXED_ONE);

	return p->width == 1 ? masks_of_bytes(p, first) : masks_of_pairs(p, first);
}

bool chunk_masks(const struct track *t, const size_t k, uint32_t *any)
{
	const struct pack *const p = t->values ? NULL : &t->column.at[k];

	if (!p || t->formula.kind != FORMULA_AS_IT_IS || p->slope != 0 || !pack_has_masks(p))
		return false;
	*any = masks_of(p).any;
	return true;
}

/* A flag in masks that hold for less than SHORT. Most are never set, and some always: that is seen of all flags of a column at once. */
static struct chunk chunk_of_flag(const struct pack *p, const struct lengths *l, const int bit, struct masks *seen)
{
	const uint32_t first = (uint32_t)(p->first / FIXED_ONE);

	if (seen->of != p)
		*seen = masks_of(p);
	if (!(seen->any >> bit & 1) || seen->every >> bit & 1)
		return chunk_of_one(seen->any >> bit & 1 ? FIXED_ONE : 0, l);
	const time_ms held = p->width == 1 ? held_with_bit_of_bytes(p, l, first, bit) : held_with_bit_of_pairs(p, l, first, bit);
	return chunk_new(0, FIXED_ONE, (int128)held * FIXED_ONE, l->all, !l->has_holes);
}

/* What a formula makes of a chunk; false where its values have to be seen. */
static bool chunk_made(const struct formula *f, const struct pack *p, const struct lengths *l, struct masks *seen, struct chunk *c)
{
	if (f->kind == FORMULA_AS_IT_IS || c->known == 0)
		return true;
	if (c->low == c->high) {
		*c = chunk_of_one(formula_value(f, c->low), l);
		return true;
	}
	if (f->kind == FORMULA_FLAG && pack_has_masks(p) && flag_bit(f) >= 0) {
		*c = chunk_of_flag(p, l, flag_bit(f), seen);
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
		sum += values[i] * (int64_t)l->narrow[i];
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

/* What is in the column, from its codes or because it is known already; false where that does not say. */
static bool chunk_of_column(const struct track *t, const size_t k, const struct lengths *l, struct chunk *out)
{
	if (t->raw && t->raw[k].is_full) {
		*out = t->raw[k];
		return true;
	}
	return chunk_of_pack(&t->column.at[k], l, out);
}

static struct chunk chunk_of(const struct track *t, const size_t k, const struct lengths *l, struct masks *seen)
{
	fixed values[CHUNK];
	struct chunk c;

	if (!t->values && chunk_of_column(t, k, l, &c) && chunk_made(&t->formula, &t->column.at[k], l, seen, &c))
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
	struct masks seen = { .of = NULL };
	struct lengths l = { .has_ticks = false };

	for (size_t k = 0; n > 0 && k < chunks_count(tracks[0]); k++) {
		fetch_chunk(tracks, n, into, k + 1);
		lengths_of(&l, tracks[0], k);
		for (size_t i = 0; i < n; i++)
			if (into[i])
				into[i][k] = chunk_of(tracks[i], k, &l, &seen);
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
