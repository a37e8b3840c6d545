/*
 * ends.c - a cell of codes is played out like a tournament, each round between eight pairs at once.
 *
 *     codes      3  7  5  0      4  6  1  2           two lanes of a cell
 *     winners    3     0         4     1              the lower of each two, and who lost to it
 *     second     the lower of: both losers of the last round, and who lost to the winner before
 */
#include "series/ends.h"

#include "base/eight.h"
#include "series/chunk.h"

typedef uint8_t eight_narrow __attribute__((vector_size(8)));

/* In each lane the lowest so far and the one above it, the highest and the one below it. */
struct lanes {
	eight low, next_low, high, next_high;
};

static inline struct lanes lanes_of(const eight a, const eight b)
{
	const eight low = lower_of(a, b), high = higher_of(a, b);

	return (struct lanes){ low, high, high, low };
}

static inline struct lanes lanes_joined(const struct lanes *a, const struct lanes *b)
{
	return (struct lanes){
		.low = lower_of(a->low, b->low),
		.next_low = lower_of(higher_of(a->low, b->low), lower_of(a->next_low, b->next_low)),
		.high = higher_of(a->high, b->high),
		.next_high = higher_of(lower_of(a->high, b->high), higher_of(a->next_high, b->next_high)),
	};
}

#define TURNED(lanes, ...)                                                                                                        \
	{                                                                                                                         \
		__builtin_shufflevector((lanes).low, (lanes).low, __VA_ARGS__),                                                   \
			__builtin_shufflevector((lanes).next_low, (lanes).next_low, __VA_ARGS__),                                 \
			__builtin_shufflevector((lanes).high, (lanes).high, __VA_ARGS__),                                         \
			__builtin_shufflevector((lanes).next_high, (lanes).next_high, __VA_ARGS__)                                \
	}

/* The ends of all lanes, in the first one. */
static inline struct lanes lanes_folded(const struct lanes *eight_of)
{
	const struct lanes other_half = TURNED(*eight_of, 4, 5, 6, 7, 0, 1, 2, 3), four = lanes_joined(eight_of, &other_half);
	const struct lanes other_pair = TURNED(four, 2, 3, 0, 1, 4, 5, 6, 7), two = lanes_joined(&four, &other_pair);
	const struct lanes other = TURNED(two, 1, 0, 2, 3, 4, 5, 6, 7);

	return lanes_joined(&two, &other);
}

/* The codes that are the ends, as unsigned numbers. */
struct codes {
	uint32_t low[2], high[2];
};

/* As signed numbers they keep their order if 2^15 is taken away. */
#define HALF 0x8000

static inline struct codes ends_of_lanes(const eight a, const eight b, const eight c, const eight d)
{
	const struct lanes first = lanes_of(a, b), second = lanes_of(c, d), joined = lanes_joined(&first, &second);
	const struct lanes all = lanes_folded(&joined);

	return (struct codes){
		.low = { (uint16_t)(all.low[0] ^ HALF), (uint16_t)(all.next_low[0] ^ HALF) },
		.high = { (uint16_t)(all.high[0] ^ HALF), (uint16_t)(all.next_high[0] ^ HALF) },
	};
}

static inline eight eight_from_bytes(const uint8_t *at)
{
	eight_narrow bytes;

	memcpy(&bytes, at, sizeof bytes);
	return (eight)(__builtin_convertvector(bytes, eight_unsigned) ^ HALF);
}

static inline eight eight_from_pairs(const uint16_t *at)
{
	eight_unsigned pairs;

	memcpy(&pairs, at, sizeof pairs);
	return (eight)(pairs ^ HALF);
}

static struct codes ends_of_bytes(const uint8_t *codes)
{
	return ends_of_lanes(
		eight_from_bytes(codes), eight_from_bytes(codes + 8), eight_from_bytes(codes + 16), eight_from_bytes(codes + 24));
}

static struct codes ends_of_pairs(const uint16_t *codes)
{
	return ends_of_lanes(
		eight_from_pairs(codes), eight_from_pairs(codes + 8), eight_from_pairs(codes + 16), eight_from_pairs(codes + 24));
}

/* Loops of a length that is known, one thing in each, are what compilers make fast. */
static inline struct codes outer_of_bytes(const uint8_t *restrict codes)
{
	uint8_t low = UINT8_MAX, high = 0;

	for (size_t i = 0; i < CELL; i++)
		low = codes[i] < low ? codes[i] : low;
	for (size_t i = 0; i < CELL; i++)
		high = codes[i] > high ? codes[i] : high;
	return (struct codes){ .low = { low }, .high = { high } };
}

/* As signed numbers, of which processors find the lower one at once. */
static inline struct codes outer_of_pairs(const uint16_t *codes)
{
	const eight a = eight_from_pairs(codes), b = eight_from_pairs(codes + 8);
	const eight c = eight_from_pairs(codes + 16), d = eight_from_pairs(codes + 24);
	const eight low = lower_of(lower_of(a, b), lower_of(c, d)), high = higher_of(higher_of(a, b), higher_of(c, d));
	const eight low_four = lower_of(low, __builtin_shufflevector(low, low, 4, 5, 6, 7, 0, 1, 2, 3));
	const eight high_four = higher_of(high, __builtin_shufflevector(high, high, 4, 5, 6, 7, 0, 1, 2, 3));
	const eight low_two = lower_of(low_four, __builtin_shufflevector(low_four, low_four, 2, 3, 0, 1, 4, 5, 6, 7));
	const eight high_two = higher_of(high_four, __builtin_shufflevector(high_four, high_four, 2, 3, 0, 1, 4, 5, 6, 7));
	const int16_t lowest = low_two[0] < low_two[1] ? low_two[0] : low_two[1];
	const int16_t highest = high_two[0] > high_two[1] ? high_two[0] : high_two[1];

	return (struct codes){ .low = { (uint16_t)(lowest ^ HALF) }, .high = { (uint16_t)(highest ^ HALF) } };
}

/* A code as the value that it stands for. */
static inline fixed made_of(const struct formula *f, const struct pack *p, const uint32_t code)
{
	const fixed value = p->first + (fixed)code * p->unit;

	return f->kind == FORMULA_AS_IT_IS ? value : formula_value(f, value);
}

/* The first n of each. A formula that turns values around makes the highest the lowest; false of a share of nothing. */
static inline bool ends_made(const struct formula *f, const struct pack *p, const struct codes *codes, const int n, struct ends *out)
{
	const uint32_t *const low = f->kind == FORMULA_MARGIN ? codes->high : codes->low;
	const uint32_t *const high = f->kind == FORMULA_MARGIN ? codes->low : codes->high;

	if (f->kind == FORMULA_SHARE && f->of <= 0)
		return false;
	out->low[0] = made_of(f, p, low[0]);
	out->high[0] = made_of(f, p, high[0]);
	if (n == 1)
		return true;
	out->low[1] = made_of(f, p, low[1]);
	out->high[1] = made_of(f, p, high[1]);
	return true;
}

/* Those of a whole cell, which begins with number i of a pack whose codes have one byte or two; `n`: 1 without the second ones. */
static inline struct codes codes_of_cell(const struct pack *p, const size_t i, const int n)
{
	const uint8_t *const bytes = (const uint8_t *)p->codes + i;
	const uint16_t *const pairs = (const uint16_t *)p->codes + i;

	if (p->width == 1)
		return n == 1 ? outer_of_bytes(bytes) : ends_of_bytes(bytes);
	return n == 1 ? outer_of_pairs(pairs) : ends_of_pairs(pairs);
}

static inline bool lacks_some(const struct pack *p, const struct codes *codes)
{
	return codes->high[0] == (p->width == 1 ? UINT8_MAX : UINT16_MAX); /* one is missing, if not two */
}

/* ------ flags ------ */

/* In how many of 32 masks a bit is set, and whether all of them are known. Loops of a length that is known, as above. */
struct flagged {
	uint32_t n;
	bool is_known;
};

static inline struct flagged flagged_in_bytes(const uint8_t *restrict codes, const uint16_t first, const int bit)
{
	uint16_t n = 0;
	uint8_t missing = 0;

	for (size_t i = 0; i < CELL; i++)
		n = (uint16_t)(n + ((uint16_t)(first + codes[i]) >> bit & 1));
	for (size_t i = 0; i < CELL; i++)
		missing |= (uint8_t)(codes[i] == UINT8_MAX);
	return (struct flagged){ n, !missing };
}

static inline struct flagged flagged_in_pairs(const uint16_t *restrict codes, const uint16_t first, const int bit)
{
	uint16_t n = 0, missing = 0;

	for (size_t i = 0; i < CELL; i++)
		n = (uint16_t)(n + ((uint16_t)(first + codes[i]) >> bit & 1));
	for (size_t i = 0; i < CELL; i++)
		missing |= (uint16_t)(codes[i] == UINT16_MAX);
	return (struct flagged){ n, !missing };
}

/* Of a cell of masks whether each has the bit, or all but one; and whether one has it, or two. */
static inline bool ends_of_flags(const struct formula *f, const struct pack *p, const size_t i, struct ends *out)
{
	const int bit = flag_bit(f);

	if (!pack_has_masks(p) || bit < 0)
		return false;
	const uint16_t first = (uint16_t)(p->first / FIXED_ONE);
	const struct flagged flagged = p->width == 1 ? flagged_in_bytes((const uint8_t *)p->codes + i, first, bit)
						     : flagged_in_pairs((const uint16_t *)p->codes + i, first, bit);
	*out = (struct ends){
		.low = { flagged.n == CELL ? FIXED_ONE : 0, flagged.n >= CELL - 1 ? FIXED_ONE : 0 },
		.high = { flagged.n >= 1 ? FIXED_ONE : 0, flagged.n >= 2 ? FIXED_ONE : 0 },
	};
	return flagged.is_known;
}

/* ------ cells ------ */

/* Can be told of the pack's codes. */
static inline bool has_codes(const struct pack *p)
{
	return (p->width == 1 || p->width == 2) && p->slope == 0;
}

/* Of a cell that begins with number i of a pack; false where its codes don't say. */
static inline bool ends_of_cell(const struct formula *f, const struct pack *p, const size_t i, const int n, struct ends *out)
{
	if (f->kind == FORMULA_FLAG)
		return ends_of_flags(f, p, i, out);
	const struct codes codes = codes_of_cell(p, i, n);
	return !lacks_some(p, &codes) && ends_made(f, p, &codes, n, out);
}

/* Of a whole cell; false where its codes don't say. */
static inline bool ends_of_codes(const struct track *t, const size_t i, const int n, struct ends *out)
{
	const struct pack *const p = &t->column.at[i / PACK];

	if (i % PACK == 0)
		column_fetch(t, i / PACK + 1);
	return has_codes(p) && ends_of_cell(&t->formula, p, i % PACK, n, out);
}

static inline bool ends_of_all(const struct track *t, const size_t k, const int n, struct ends out[CELLS])
{
	if (t->values || !t->column.at || !has_codes(&t->column.at[k]))
		return false;
	column_fetch(t, k + 1);
	for (size_t i = 0; i < CELLS; i++)
		if (!ends_of_cell(&t->formula, &t->column.at[k], i * CELL, n, &out[i]))
			return false;
	return true;
}

bool ends_of_pack(const struct track *t, const size_t k, struct ends out[CELLS])
{
	return ends_of_all(t, k, 2, out);
}

bool outer_ends_of_pack(const struct track *t, const size_t k, struct ends out[CELLS])
{
	return ends_of_all(t, k, 1, out);
}

static bool ends_of_values(const fixed *values, const size_t n, struct ends *out)
{
	fixed low = INT64_MAX, next_low = INT64_MAX, high = INT64_MIN, next_high = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		const fixed value = values[i], other_low = value > low ? value : low, other_high = value < high ? value : high;
		next_low = other_low < next_low ? other_low : next_low;
		next_high = other_high > next_high ? other_high : next_high;
		low = value < low ? value : low;
		high = value > high ? value : high;
	}
	*out = (struct ends){ { low, next_low }, { high, next_high } };
	return low != FIXED_MISSING; /* what is missing is below all numbers */
}

static inline bool ends_in(struct cursor *c, const size_t i, const size_t end, const int n, struct ends *out)
{
	const struct track *const t = c->track;

	if (end - i == CELL && i % CELL == 0 && !t->values && t->column.at && ends_of_codes(t, i, n, out))
		return true;
	return ends_of_values(cursor_values(c, i), end - i, out);
}

bool ends_of(struct cursor *c, const size_t i, const size_t end, struct ends *out)
{
	return ends_in(c, i, end, 2, out);
}

bool outer_ends_of(struct cursor *c, const size_t i, const size_t end, struct ends *out)
{
	return ends_in(c, i, end, 1, out);
}

/* Of a clock that ticks in codes of one byte: how much later than the tick before the latest one is, in codes. */
static int16_t latest_of(const uint8_t *ticks)
{
	uint8_t codes[PACK + 1] = { 0 }; /* with one more a loop over all of them is done in whole registers */
	int16_t latest = INT16_MIN, late[PACK];

	memcpy(codes, ticks, PACK);
	for (size_t i = 0; i < PACK; i++)
		late[i] = (int16_t)(codes[i + 1] - codes[i]);
	late[PACK - 1] = late[0];
	for (size_t i = 0; i < PACK; i++)
		latest = late[i] > latest ? late[i] : latest;
	return latest;
}

time_ms chunk_longest(const struct track *t, const size_t k)
{
	const struct pack *const p = t->times ? NULL : &t->clock.at[k];

	if (!p || p->width > 1)
		return 0;
	const time_ms last = pack_at(p + 1, 0) - pack_at(p, PACK - 1);
	if (p->width == 0)
		return later(p->slope, last);
	return later(p->slope + (time_ms)latest_of(p->codes) * p->unit, last);
}
