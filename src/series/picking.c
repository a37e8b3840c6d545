/*
 * picking.c - bands of values as ranges of codes.
 *
 *     band     90 %  to  100 %        pack    first 86, unit 1, codes 0 3 5 4 1 ...
 *     codes     4    to   14          bits                            0 0 1 1 0 ...
 */
#include "series/picking.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* a - b, or the nearest to it. */
static fixed difference(const fixed a, const fixed b)
{
	fixed result;

	if (!__builtin_sub_overflow(a, b, &result))
		return result;
	return b > 0 ? INT64_MIN : INT64_MAX;
}

/* How far from 0 a share of `of` can be worked out: its digits fit a double, and what comes out fits 62 bits. */
static fixed widest_share(const fixed of)
{
	const double most = 0x1p62 / (100.0 * FIXED_ONE) * (double)of;

	return most < 0x1p52 ? (fixed)most : (fixed)1 << 52;
}

/* The lowest number in reach of which the formula makes `value` or more; one above them where there is none. */
static fixed lowest_for(const struct formula *f, const fixed reach, const fixed value)
{
	fixed low = -reach, high = reach + 1;

	while (low < high) {
		const fixed middle = low + (high - low) / 2;

		if (formula_value(f, middle) < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool pick_share(const struct formula *f, const fixed low, const fixed high, struct picking *out)
{
	if (f->of <= 0)
		return false;
	out->most = widest_share(f->of);
	out->least = -out->most;
	out->low = lowest_for(f, out->most, low);
	out->high = high == INT64_MAX ? out->most : lowest_for(f, out->most, high + 1) - 1;
	return true;
}

/* Neither both of a flag's values nor none of them are a band that anybody asks for. */
static bool pick_flag(const struct formula *f, const fixed low, const fixed high, struct picking *out)
{
	const bool has_clear = low <= 0 && high >= 0, has_set = low <= FIXED_ONE && high >= FIXED_ONE;

	out->bit = flag_bit(f);
	out->is_set = has_set;
	return has_clear != has_set && out->bit >= 0;
}

bool picking_of(const struct track *t, const fixed low, const fixed high, struct picking *out)
{
	const struct formula *const f = &t->formula;

	*out = (struct picking){ .track = t, .low = low, .high = high, .least = FIXED_MISSING + 1, .most = INT64_MAX, .bit = -1 };
	if (t->values || !t->column.at)
		return false;
	switch (f->kind) {
	case FORMULA_AS_IT_IS:
		return true;
	case FORMULA_MARGIN:
		out->low = difference(f->of, high);
		out->high = difference(f->of, low);
		return true;
	case FORMULA_SHARE:
		return pick_share(f, low, high, out);
	case FORMULA_FLAG:
		return pick_flag(f, low, high, out);
	}
	BUG("no such formula");
}

/* The codes [*low, *high] of a pack are in the band; false: none is. No code is above `highest`, and no number above `most`. */
static bool codes_of(
	const struct picking *p, const struct pack *pack, const fixed most, const uint32_t highest, uint32_t *low, uint32_t *high)
{
	const uint64_t unit = pack->unit, first = (uint64_t)pack->first;

	if (p->low > p->high || p->high < pack->first || p->low > most)
		return false;
	*low = p->low <= pack->first ? 0 : (uint32_t)(((uint64_t)p->low - first + unit - 1) / unit);
	*high = p->high >= most ? highest : (uint32_t)(((uint64_t)p->high - first) / unit);
	return *low <= *high;
}

/* Sixteen bytes that are 0 or 1 as sixteen bits, the first one the lowest. */
#ifdef __SSE2__
static uint64_t bits_of(const uint8_t *is_in)
{
	__m128i sixteen;

	memcpy(&sixteen, is_in, sizeof sixteen);
	return (uint64_t)_mm_movemask_epi8(_mm_slli_epi16(sixteen, 7)); /* the lowest bit of each byte becomes its highest */
}
#else
static uint64_t bits_of_eight(const uint8_t *is_in)
{
	uint64_t eight;

	memcpy(&eight, is_in, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	eight = __builtin_bswap64(eight);
#endif
	return eight * 0x0102040810204080U >> 56;
}

static uint64_t bits_of(const uint8_t *is_in)
{
	return bits_of_eight(is_in) | bits_of_eight(is_in + 8) << 8;
}
#endif

void marks_gather(const uint8_t is_in[CHUNK], uint64_t bits[PICKED])
{
	for (size_t i = 0; i < PICKED; i++) {
		bits[i] = 0;
		for (size_t k = 0; k < 4; k++)
			bits[i] |= bits_of(is_in + 64 * i + 16 * k) << 16 * k;
	}
}

/* Loops of a length that is known are what compilers make fast. */
#define MARK(type, condition)                                                        \
	const type *const restrict codes = pack->codes;                              \
                                                                                     \
	for (size_t i = 0; i < CHUNK; i++)                                           \
		is_in[i] = (condition);

static void mark_bytes(const struct pack *pack, const uint8_t low, const uint8_t more, uint8_t *restrict is_in)
{
	MARK(uint8_t, (uint8_t)(codes[i] - low) <= more)
}

static void mark_pairs(const struct pack *pack, const uint16_t low, const uint16_t more, uint8_t *restrict is_in)
{
	MARK(uint16_t, (uint16_t)(codes[i] - low) <= more)
}

static void mark_fours(const struct pack *pack, const uint32_t low, const uint32_t more, uint8_t *restrict is_in)
{
	MARK(uint32_t, codes[i] - low <= more)
}

static void mark_bit_of_bytes(const struct pack *pack, const uint16_t first, const int bit, const uint8_t is_set, uint8_t *restrict is_in)
{
	MARK(uint8_t, ((first + codes[i]) >> bit & 1) == is_set)
}

static bool pick_masks(const struct picking *p, const struct pack *pack, uint8_t *is_in)
{
	if (pack->width != 1 || !pack_has_masks(pack))
		return false;
	mark_bit_of_bytes(pack, (uint16_t)(pack->first / FIXED_ONE), p->bit, p->is_set, is_in);
	return true;
}

static bool pick_codes(const struct picking *p, const struct pack *pack, uint8_t *is_in)
{
	static const uint32_t highest[] = { [1] = UINT8_MAX - 1, [2] = UINT16_MAX - 1, [4] = UINT32_MAX - 1 };
	const uint32_t last = highest[pack->width];
	fixed most;
	uint32_t low, high;

	if (pack->first < p->least || __builtin_add_overflow(pack->first, (fixed)last * pack->unit, &most) || most > p->most)
		return false;
	if (!codes_of(p, pack, most, last, &low, &high))
		memset(is_in, 0, CHUNK);
	else if (pack->width == 1)
		mark_bytes(pack, (uint8_t)low, (uint8_t)(high - low), is_in);
	else if (pack->width == 2)
		mark_pairs(pack, (uint16_t)low, (uint16_t)(high - low), is_in);
	else
		mark_fours(pack, low, high - low, is_in);
	return true;
}

bool picking_marks(const struct picking *p, const size_t k, uint8_t is_in[CHUNK])
{
	const struct pack *const pack = &p->track->column.at[k];

	if (pack->width == 0 || pack->width == sizeof(fixed) || pack->slope != 0)
		return false;
	return p->bit >= 0 ? pick_masks(p, pack, is_in) : pick_codes(p, pack, is_in);
}

bool picking_bits(const struct picking *p, const size_t k, uint64_t bits[PICKED])
{
	uint8_t is_in[CHUNK];

	if (!picking_marks(p, k, is_in))
		return false;
	marks_gather(is_in, bits);
	return true;
}
