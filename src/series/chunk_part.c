/*
 * chunk_part.c - some samples of a chunk, from their codes alone: nothing is unpacked.
 */
#include "series/chunk.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * Sums of samples on a clock that ticks: how many they are, their codes, by how many codes of the clock the next one is later than its
 * tick, and that times the code. Codes of two bytes are less by 2^15, so that products and their sums fit 32 bits.
 */
struct part {
	int32_t n, codes, late, codes_late;
};

#ifdef __SSE2__
struct parts { /* eight counts, and four sums of each */
	__m128i left_out, codes, late, codes_late;
};

/* From number i on; those of two bytes less by 2^15. */
static inline __m128i eight_codes(const struct pack *p, const size_t i)
{
	if (p->width == 1)
		return _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)((const uint8_t *)p->codes + i)), _mm_setzero_si128());
	return _mm_xor_si128(_mm_loadu_si128((const __m128i *)((const uint16_t *)p->codes + i)), _mm_set1_epi16(INT16_MIN));
}

/* By how many codes of the clock the next ones of eight samples are later than their ticks. */
static inline __m128i eight_late(const uint8_t *ticks)
{
	const __m128i zero = _mm_setzero_si128();
	const __m128i begin = _mm_loadl_epi64((const __m128i *)ticks), end = _mm_loadl_epi64((const __m128i *)(ticks + 1));

	return _mm_sub_epi16(_mm_unpacklo_epi8(end, zero), _mm_unpacklo_epi8(begin, zero));
}

/* Of eight codes those that are not below the least. */
static inline void add_eight(struct parts *parts, const __m128i codes, const uint8_t *ticks, const __m128i least)
{
	const __m128i one = _mm_set1_epi16(1), is_below = _mm_cmpgt_epi16(least, codes), late = eight_late(ticks);
	const __m128i counting = _mm_andnot_si128(is_below, codes);

	parts->left_out = _mm_sub_epi16(parts->left_out, is_below);
	parts->codes = _mm_add_epi32(parts->codes, _mm_madd_epi16(counting, one));
	parts->late = _mm_add_epi32(parts->late, _mm_madd_epi16(_mm_andnot_si128(is_below, late), one));
	parts->codes_late = _mm_add_epi32(parts->codes_late, _mm_madd_epi16(counting, late));
}

static inline int32_t four_joined(__m128i four)
{
	four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
	return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1)));
}

/* Eight at a time, which narrow numbers are for; returns the first that is left. */
static inline size_t add_eights(struct part *part, const struct pack *p, const uint8_t *ticks, const size_t from, const size_t end,
	const int32_t least)
{
	const __m128i zero = _mm_setzero_si128(), lowest = _mm_set1_epi16((int16_t)least);
	struct parts parts = { zero, zero, zero, zero };
	size_t i = from;

	for (; i + 8 <= end; i += 8)
		add_eight(&parts, eight_codes(p, i), ticks + i, lowest);
	const int32_t left_out = four_joined(_mm_madd_epi16(parts.left_out, _mm_set1_epi16(1)));
	*part = (struct part){
		(int32_t)(i - from) - left_out, four_joined(parts.codes), four_joined(parts.late), four_joined(parts.codes_late)
	};
	return i;
}

/* The same of all of them: how many they are and how late is known. */
static inline size_t add_all_eights(struct part *part, const struct pack *p, const uint8_t *ticks, size_t i, const size_t end)
{
	const __m128i one = _mm_set1_epi16(1);
	__m128i sum = _mm_setzero_si128(), sum_late = sum;

	for (; i + 8 <= end; i += 8) {
		const __m128i codes = eight_codes(p, i);
		sum = _mm_add_epi32(sum, _mm_madd_epi16(codes, one));
		sum_late = _mm_add_epi32(sum_late, _mm_madd_epi16(codes, eight_late(ticks + i)));
	}
	part->codes = four_joined(sum);
	part->codes_late = four_joined(sum_late);
	return i;
}
#else
static inline size_t add_eights(struct part *part, const struct pack *p, const uint8_t *ticks, const size_t from, const size_t end,
	const int32_t least)
{
	(void)p;
	(void)ticks;
	(void)end;
	(void)least;
	*part = (struct part){ 0, 0, 0, 0 };
	return from;
}

static inline size_t add_all_eights(struct part *part, const struct pack *p, const uint8_t *ticks, size_t i, const size_t end)
{
	(void)part;
	(void)p;
	(void)ticks;
	(void)end;
	return i;
}
#endif

static inline int32_t code_at(const struct pack *p, const size_t i)
{
	return p->width == 1 ? ((const uint8_t *)p->codes)[i] : ((const uint16_t *)p->codes)[i] - 0x8000;
}

/* The number that such a code of 0 stands for. */
static inline int64_t line_of(const struct pack *p)
{
	return p->first + (p->width == 1 ? 0 : 0x8000 * (int64_t)p->unit);
}

/* None of them is the last one of the pack, the next of which is not on its clock. */
static struct part part_of(const struct pack *p, const uint8_t *ticks, const size_t from, const size_t end, const int32_t least)
{
	struct part part;

	for (size_t i = add_eights(&part, p, ticks, from, end, least); i < end; i++) {
		const int32_t code = code_at(p, i);
		const int32_t late = ticks[i + 1] - ticks[i];
		if (code < least)
			continue;
		part.n++;
		part.codes += code;
		part.late += late;
		part.codes_late += code * late;
	}
	return part;
}

static struct part part_of_all(const struct pack *p, const uint8_t *ticks, const size_t from, const size_t end)
{
	struct part part = { .n = (int32_t)(end - from), .late = ticks[end] - ticks[from] };

	for (size_t i = add_all_eights(&part, p, ticks, from, end); i < end; i++) {
		part.codes += code_at(p, i);
		part.codes_late += code_at(p, i) * (ticks[i + 1] - ticks[i]);
	}
	return part;
}

/* The lowest code of a number that is `least` or more; false where no code is. */
static bool least_code(const struct pack *p, const fixed least, int32_t *code)
{
	const int32_t most = p->width == 1 ? UINT8_MAX : UINT16_MAX;
	const int128 above = least > p->first ? ((int128)least - p->first + p->unit - 1) / p->unit : 0;

	if (above > most)
		return false;
	*code = (int32_t)above - (p->width == 1 ? 0 : 0x8000);
	return true;
}

/* Column and clock of chunk k if its values follow from codes: of one or two bytes, at times that have one each. */
struct coded {
	const struct pack *column, *clock;
};

static bool is_coded(const struct track *t, const size_t k, struct coded *c)
{
	if (t->values || t->times || t->formula.kind != FORMULA_AS_IT_IS || k >= t->chunks.n || !t->chunks.at[k].is_full)
		return false;
	*c = (struct coded){ &t->column.at[k], &t->clock.at[k] };
	return (c->column->width == 1 || c->column->width == 2) && c->column->slope == 0 && c->clock->width == 1;
}

/* For how long the last sample of a chunk holds: the next one is in another. */
static time_ms last_held(const struct coded *c)
{
	return pack_at(c->clock + 1, 0) - pack_at(c->clock, CHUNK - 1);
}

bool chunk_part(const struct track *t, const size_t k, const size_t from, const size_t end, const fixed least, struct partial *out)
{
	const size_t on_ticks = end < CHUNK ? end : CHUNK - 1;
	struct coded c;
	int32_t code;

	if (!is_coded(t, k, &c))
		return false;
	*out = (struct partial){ 0, 0 };
	if (!least_code(c.column, least, &code))
		return true;
	const struct part part = least <= c.column->first ? part_of_all(c.column, c.clock->codes, from, on_ticks)
	                                                  : part_of(c.column, c.clock->codes, from, on_ticks, code);
	const int64_t unit = c.column->unit, slope = c.clock->slope, late = c.clock->unit;
	out->held = part.n * slope + part.late * late;
	out->weighted = (int128)line_of(c.column) * out->held + (int128)(part.codes * slope + part.codes_late * late) * unit;
	const fixed last = pack_at(c.column, CHUNK - 1);
	if (end == CHUNK && last >= least) {
		out->held += last_held(&c);
		out->weighted += (int128)last * last_held(&c);
	}
	return true;
}

/* ---- the lowest and the highest ---- */

struct codes_seen { /* those of two bytes less by 2^15, as in a part */
	int32_t low, high;
};

#ifdef __SSE2__
/* Eight at a time; returns the first that is left. */
static inline size_t see_eights(struct codes_seen *seen, const struct pack *p, size_t i, const size_t end)
{
	if (i + 8 > end)
		return i;
	__m128i low = eight_codes(p, i), high = low;
	for (i += 8; i + 8 <= end; i += 8) {
		const __m128i codes = eight_codes(p, i);
		low = _mm_min_epi16(low, codes);
		high = _mm_max_epi16(high, codes);
	}
	low = _mm_min_epi16(low, _mm_srli_si128(low, 8)); /* what is moved in stays in the upper half, at which nobody looks */
	high = _mm_max_epi16(high, _mm_srli_si128(high, 8));
	low = _mm_min_epi16(low, _mm_srli_si128(low, 4));
	high = _mm_max_epi16(high, _mm_srli_si128(high, 4));
	low = _mm_min_epi16(low, _mm_srli_si128(low, 2));
	high = _mm_max_epi16(high, _mm_srli_si128(high, 2));
	*seen = (struct codes_seen){ (int16_t)_mm_cvtsi128_si32(low), (int16_t)_mm_cvtsi128_si32(high) };
	return i;
}
#else
static inline size_t see_eights(struct codes_seen *seen, const struct pack *p, size_t i, const size_t end)
{
	(void)seen;
	(void)p;
	(void)end;
	return i;
}
#endif

static struct codes_seen codes_seen(const struct pack *p, const size_t from, const size_t end)
{
	struct codes_seen seen = { INT32_MAX, INT32_MIN };

	for (size_t i = see_eights(&seen, p, from, end); i < end; i++) {
		const int32_t code = code_at(p, i);
		seen.low = code < seen.low ? code : seen.low;
		seen.high = code > seen.high ? code : seen.high;
	}
	return seen;
}

bool chunk_range(const struct track *t, const size_t k, const size_t from, const size_t end, struct extremes_seen *out)
{
	struct coded c;

	if (!is_coded(t, k, &c))
		return false;
	const struct codes_seen seen = codes_seen(c.column, from, end);
	const int64_t line = line_of(c.column), unit = c.column->unit;
	*out = (struct extremes_seen){ line + seen.low * unit, line + seen.high * unit };
	return true;
}

/* ---- for how long any of some bits is set ---- */

/* How many samples have one, and by how many codes of the clock the next ones are later than their ticks. */
struct set_part {
	int32_t n, late;
};

/* Masks are asked for one of some bits: `first` and the code are one, but for the highest bit of two bytes. */
struct asking {
	uint16_t first, bits;
};

#ifdef __SSE2__
/* Eight at a time; returns the first that is left. */
static inline size_t add_set_eights(struct set_part *set, const struct coded *c, const struct asking asking, const size_t from,
	const size_t end)
{
	const uint8_t *const ticks = c->clock->codes;
	const __m128i zero = _mm_setzero_si128(), one = _mm_set1_epi16(1);
	const __m128i first = _mm_set1_epi16((int16_t)asking.first), bits = _mm_set1_epi16((int16_t)asking.bits);
	__m128i left_out = zero, late = zero;
	size_t i = from;

	for (; i + 8 <= end; i += 8) {
		const __m128i is_off = _mm_cmpeq_epi16(_mm_and_si128(_mm_add_epi16(first, eight_codes(c->column, i)), bits), zero);
		left_out = _mm_sub_epi16(left_out, is_off);
		late = _mm_add_epi32(late, _mm_madd_epi16(_mm_andnot_si128(is_off, eight_late(ticks + i)), one));
	}
	*set = (struct set_part){ (int32_t)(i - from) - four_joined(_mm_madd_epi16(left_out, one)), four_joined(late) };
	return i;
}
#else
static inline size_t add_set_eights(struct set_part *set, const struct coded *c, const struct asking asking, const size_t from,
	const size_t end)
{
	(void)c;
	(void)asking;
	(void)end;
	*set = (struct set_part){ 0, 0 };
	return from;
}
#endif

static struct set_part set_part_of(const struct coded *c, const struct asking asking, const size_t from, const size_t end)
{
	const uint8_t *const ticks = c->clock->codes;
	struct set_part set;

	for (size_t i = add_set_eights(&set, c, asking, from, end); i < end; i++)
		if ((asking.first + code_at(c->column, i)) & asking.bits) {
			set.n++;
			set.late += ticks[i + 1] - ticks[i];
		}
	return set;
}

bool chunk_held(const struct track *t, const size_t k, const size_t from, const size_t end, const uint16_t bits, time_ms *out)
{
	struct coded c;

	if (!is_coded(t, k, &c) || !pack_has_masks(c.column))
		return false;
	const struct asking asking = { (uint16_t)(c.column->first / FIXED_ONE), bits };
	const struct set_part set = set_part_of(&c, asking, from, end < CHUNK ? end : CHUNK - 1);
	*out = set.n * (time_ms)c.clock->slope + set.late * (time_ms)c.clock->unit;
	if (end == CHUNK && pack_at(c.column, CHUNK - 1) / FIXED_ONE & bits)
		*out += last_held(&c);
	return true;
}
