/*
 * ends.c - a cell of codes is played out like a tournament, each round between eight pairs at once.
 *
 *     codes      3  7  5  0      4  6  1  2           two lanes of a cell
 *     winners    3     0         4     1              the lower of each two, and who lost to it
 *     second     the lower of: both losers of the last round, and who lost to the winner before
 */
#include "series/ends.h"

#include "base/eight.h"

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
static struct codes outer_of_bytes(const uint8_t *restrict codes)
{
	uint8_t low = UINT8_MAX, high = 0;

	for (size_t i = 0; i < CELL; i++)
		low = codes[i] < low ? codes[i] : low;
	for (size_t i = 0; i < CELL; i++)
		high = codes[i] > high ? codes[i] : high;
	return (struct codes){ .low = { low }, .high = { high } };
}

/* As signed numbers, of which processors find the lower one at once. */
static struct codes outer_of_pairs(const uint16_t *restrict codes)
{
	int16_t low = INT16_MAX, high = INT16_MIN;

	for (size_t i = 0; i < CELL; i++)
		low = (int16_t)(codes[i] ^ HALF) < low ? (int16_t)(codes[i] ^ HALF) : low;
	for (size_t i = 0; i < CELL; i++)
		high = (int16_t)(codes[i] ^ HALF) > high ? (int16_t)(codes[i] ^ HALF) : high;
	return (struct codes){ .low = { (uint16_t)(low ^ HALF) }, .high = { (uint16_t)(high ^ HALF) } };
}

/* The first n of each. A formula that turns values around makes the highest the lowest; false of one that knows no order. */
static bool ends_made(const struct formula *f, const struct pack *p, const struct codes *codes, const int n, struct ends *out)
{
	const bool is_turned = f->kind == FORMULA_MARGIN;

	for (int i = 0; i < n; i++) {
		out->low[i] = p->first + (fixed)codes->low[i] * p->unit;
		out->high[i] = p->first + (fixed)codes->high[i] * p->unit;
	}
	if (f->kind == FORMULA_FLAG || (f->kind == FORMULA_SHARE && f->of <= 0))
		return false;
	for (int i = 0; i < n && f->kind != FORMULA_AS_IT_IS; i++) {
		const fixed low = formula_value(f, out->low[i]), high = formula_value(f, out->high[i]);
		out->low[i] = is_turned ? high : low;
		out->high[i] = is_turned ? low : high;
	}
	return true;
}

/* Of a whole cell; false where its codes don't say. `n`: 1 without the second ones. */
static inline bool ends_of_codes(const struct track *t, const size_t i, const int n, struct ends *out)
{
	const struct pack *const p = &t->column.at[i / PACK];
	const bool is_byte = p->width == 1;

	if (i % PACK == 0)
		column_fetch(t, i / PACK + 1);
	if ((!is_byte && p->width != 2) || p->slope != 0)
		return false;
	const uint8_t *const bytes = (const uint8_t *)p->codes + i % PACK;
	const uint16_t *const pairs = (const uint16_t *)p->codes + i % PACK;
	const struct codes codes = n == 1 ? (is_byte ? outer_of_bytes(bytes) : outer_of_pairs(pairs))
					  : (is_byte ? ends_of_bytes(bytes) : ends_of_pairs(pairs));
	if (codes.high[0] == (is_byte ? UINT8_MAX : UINT16_MAX)) /* one is missing, if not two */
		return false;
	return ends_made(&t->formula, p, &codes, n, out);
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
static int16_t latest_of(const uint8_t codes[CELL + 1])
{
	int16_t latest = INT16_MIN, late[CELL];

	for (size_t i = 0; i < CELL; i++)
		late[i] = (int16_t)(codes[i + 1] - codes[i]);
	for (size_t i = 0; i < CELL; i++)
		latest = late[i] > latest ? late[i] : latest;
	return latest;
}

time_ms cell_longest(const struct track *t, const size_t i)
{
	const struct pack *const p = t->times ? NULL : &t->clock.at[i / PACK];
	const bool is_last = i % PACK + CELL == PACK;
	uint8_t codes[CELL + 1] = { 0 };

	if (!p || p->width > 1)
		return 0;
	const time_ms last = is_last ? pack_at(p + 1, 0) - pack_at(p, PACK - 1) : 0;
	if (p->width == 0)
		return later(p->slope, last);
	memcpy(codes, (const uint8_t *)p->codes + i % PACK, CELL + !is_last);
	return later(p->slope + (time_ms)latest_of(codes) * p->unit, last); /* behind the last of a pack the code is 0: not later */
}
