/*
 * few.c - few samples of a chunk, weighed by the time for which they hold.
 *
 *     codes of the column     3    7    5    0      values are  first + code x unit
 *     of the clock            1    0    2    1      each holds  slope + (next code - code) x unit
 *     sum                     first x time of all  +  unit x sum of (code x hold)
 *
 * Codes of one byte times holds of two are what processors add up eight at once.
 */
#include "series/few.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* For how long each sample of a chunk holds, in ms; false where it is not so even. */
static bool holds_of(const struct track *t, const size_t k, int16_t holds[CHUNK])
{
	const struct pack *const p = t->times ? NULL : &t->clock.at[k];
	uint8_t codes[CHUNK + 1] = { 0 }; /* with one more a loop over all of them is done in whole registers */

	if (!p || p->width > 1 || p->slope < 0 || p->slope + (int64_t)(p->width * UINT8_MAX) * p->unit > INT16_MAX)
		return false;
	const time_ms last = pack_at(p + 1, 0) - pack_at(p, CHUNK - 1);
	if (last > INT16_MAX)
		return false;
	if (p->width == 1)
		memcpy(codes, p->codes, CHUNK);
	const int16_t slope = (int16_t)p->slope, unit = (int16_t)p->unit;
	for (size_t i = 0; i < CHUNK; i++)
		holds[i] = (int16_t)(slope + (int16_t)(codes[i + 1] - codes[i]) * unit);
	holds[CHUNK - 1] = (int16_t)last;
	return true;
}

/* Few codes x holds. */
#ifdef __SSE2__
static inline int64_t weighed(const uint8_t *codes, const int16_t *holds)
{
	__m128i held;

	memcpy(&held, holds, sizeof held);
	const __m128i wide = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)codes), _mm_setzero_si128());
	const __m128i four = _mm_madd_epi16(wide, held), two = _mm_add_epi32(four, _mm_srli_si128(four, 8));
	return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_srli_si128(two, 4)));
}
#else
static inline int64_t weighed(const uint8_t *codes, const int16_t *holds)
{
	int32_t sum = 0;

	for (size_t i = 0; i < FEW; i++)
		sum += codes[i] * holds[i];
	return sum;
}
#endif

bool few_weighted(const struct track *t, const size_t k, time_ms until[FEWS], uint64_t weighted[FEWS])
{
	const struct pack *const column = t->values || !t->column.at ? NULL : &t->column.at[k];
	int16_t holds[CHUNK];

	if (!column || column->width > 1 || column->slope || t->formula.kind != FORMULA_AS_IT_IS || !holds_of(t, k, holds))
		return false;
	const struct pack *const clock = &t->clock.at[k]; /* else its holds would not be known */
	time_ms begin = pack_at(clock, 0);
	for (size_t i = 0; i < FEWS; i++) {
		until[i] = pack_at(clock + (i + 1) / FEWS, (i + 1) % FEWS * FEW);
		weighted[i] = (uint64_t)column->first * (uint64_t)(until[i] - begin);
		if (column->width)
			weighted[i] += (uint64_t)column->unit *
				       (uint64_t)weighed((const uint8_t *)column->codes + i * FEW, holds + i * FEW);
		begin = until[i];
	}
	return true;
}
