/*
 * row_pattern_numbers.h - numbers of which is known where they stand; for row_pattern_shape.c only.
 *
 * One number: its bytes are shifted until the last digit is the highest byte, without the point, and joined (base/number.h).
 * Two numbers at a time, where the processor multiplies several small ones in a step: of eight bytes each digit has a weight in its
 * half, all else has none, and each half has a scale. Places and points cost nothing then.
 *
 *       5    9    9    .  |   1    2   ' '   W
 *     100   10    1    0  |  10    1    0    0     599 x 100 + 12 x 1, in hundredths
 */
#ifndef POSTRUN_ROW_PATTERN_NUMBERS_H
#define POSTRUN_ROW_PATTERN_NUMBERS_H

#include "format/row_pattern_parts.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct placed_number { /* up to seven digits and perhaps a point */
	uint32_t at; /* in the row */
	uint32_t to; /* in the row's codes */
	unsigned n_digits;
	uint64_t before_point, behind_point; /* its bytes, as they are and moved by one */
	int64_t scale;
	int64_t low, high; /* possible codes */
};

/* False: no such value can be. */
static inline bool take_number(const struct placed_number *s, const char *row, int32_t *codes)
{
	const uint64_t x = eight_bytes(row + s->at);
	const int64_t code = digits_value((x & s->before_point) | (x >> 8 & s->behind_point), s->n_digits) * s->scale;

	codes[s->to] = (int32_t)code;
	return code >= s->low && code <= s->high;
}

static inline bool is_same_number(const struct placed_number *a, const struct placed_number *b)
{
	return a->at == b->at && a->to == b->to && a->n_digits == b->n_digits && a->before_point == b->before_point &&
	       a->behind_point == b->behind_point && a->scale == b->scale && a->low == b->low && a->high == b->high;
}

#ifdef __SSE2__

struct number_pair {
	__m128i weights[2]; /* of the bytes of each */
	__m128i scales[2];  /* of the first halves of both, and of the second ones */
	__m128i high;
	uint32_t at[2], to[2];
};

/* No number is below zero, so that the highest possible value is all that has to be looked at. */
static inline bool can_be_in_pair(const struct placed_number *s)
{
	return s->low <= 0;
}

/* What the digits of a number are worth, from its last one on: `weights` are of its bytes, `scales` of its halves. */
static inline void weigh_digits(const struct placed_number *s, int16_t weights[8], uint64_t *first_scale, uint64_t *second_scale)
{
	const bool has_point = s->behind_point != 0;
	const unsigned point = has_point ? (unsigned)__builtin_ctzll(s->behind_point) / 8 : 8;
	uint64_t *const scales[2] = { first_scale, second_scale }, worth = (uint64_t)s->scale;

	memset(weights, 0, 8 * sizeof *weights);
	*first_scale = *second_scale = 0;
	for (unsigned i = s->n_digits + has_point; i-- > 0;) {
		if (i == point)
			continue;
		if (!*scales[i / 4])
			*scales[i / 4] = worth;
		weights[i] = (int16_t)(worth / *scales[i / 4]);
		worth *= 10;
	}
}

static inline struct number_pair pair_of(const struct placed_number *first, const struct placed_number *second)
{
	const struct placed_number *const both[2] = { first, second };
	struct number_pair pair;
	uint64_t scales[2][2];
	int16_t weights[8];
	int64_t high[2];

	for (size_t i = 0; i < 2; i++) {
		weigh_digits(both[i], weights, &scales[0][i], &scales[1][i]);
		memcpy(&pair.weights[i], weights, sizeof weights);
		high[i] = both[i]->high;
		pair.at[i] = both[i]->at;
		pair.to[i] = both[i]->to;
	}
	memcpy(pair.scales, scales, sizeof scales);
	memcpy(&pair.high, high, sizeof high);
	return pair;
}

static inline bool is_same_pair(const struct number_pair *a, const struct number_pair *b)
{
	__m128i differ = _mm_xor_si128(a->high, b->high);

	for (size_t i = 0; i < 2; i++) {
		differ = _mm_or_si128(differ, _mm_xor_si128(a->weights[i], b->weights[i]));
		differ = _mm_or_si128(differ, _mm_xor_si128(a->scales[i], b->scales[i]));
	}
	return _mm_movemask_epi8(_mm_cmpeq_epi8(differ, _mm_setzero_si128())) == 0xFFFF && a->at[0] == b->at[0] && a->at[1] == b->at[1] &&
	       a->to[0] == b->to[0] && a->to[1] == b->to[1];
}

/* Two pairs of four: the first and third of each, or the second and fourth. */
#define EVENS(a, b) _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(2, 0, 2, 0)))
#define ODDS(a, b) _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(3, 1, 3, 1)))

/* How far both values are below their highest: below zero where they are not. */
static inline __m128i take_pair(const struct number_pair *pair, const char *row, int32_t *codes)
{
	const __m128i first = _mm_loadl_epi64((const __m128i *)(row + pair->at[0]));
	const __m128i second = _mm_loadl_epi64((const __m128i *)(row + pair->at[1]));
	const __m128i digits = _mm_xor_si128(_mm_unpacklo_epi64(first, second), _mm_set1_epi8('0')), zero = _mm_setzero_si128();
	/* of each number four sums of two digits, then two of four, then one */
	const __m128i of_first = _mm_madd_epi16(_mm_unpacklo_epi8(digits, zero), pair->weights[0]);
	const __m128i of_second = _mm_madd_epi16(_mm_unpackhi_epi8(digits, zero), pair->weights[1]);
	const __m128i halves = _mm_add_epi32(EVENS(of_first, of_second), ODDS(of_first, of_second));
	const __m128i values = _mm_add_epi64(_mm_mul_epu32(halves, pair->scales[0]),
		_mm_mul_epu32(_mm_srli_epi64(halves, 32), pair->scales[1]));

	codes[pair->to[0]] = _mm_cvtsi128_si32(values);
	codes[pair->to[1]] = _mm_cvtsi128_si32(_mm_unpackhi_epi64(values, values));
	return _mm_sub_epi64(pair->high, values);
}

/* False: no such value can be. */
static inline bool take_pairs(const struct number_pair *pairs, size_t n, const char *row, int32_t *codes)
{
	__m128i below = _mm_setzero_si128();

	for (const struct number_pair *pair = pairs, *end = pairs + n; pair < end; pair++)
		below = _mm_or_si128(below, take_pair(pair, row, codes));
	return !_mm_movemask_pd(_mm_castsi128_pd(below));
}

#else

struct number_pair {
	struct placed_number both[2];
};

static inline bool can_be_in_pair(const struct placed_number *s)
{
	(void)s;
	return true;
}

static inline struct number_pair pair_of(const struct placed_number *first, const struct placed_number *second)
{
	return (struct number_pair){ { *first, *second } };
}

static inline bool is_same_pair(const struct number_pair *a, const struct number_pair *b)
{
	return is_same_number(&a->both[0], &b->both[0]) && is_same_number(&a->both[1], &b->both[1]);
}

static inline bool take_pairs(const struct number_pair *pairs, size_t n, const char *row, int32_t *codes)
{
	bool possible = true;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < 2; k++)
			possible &= take_number(&pairs[i].both[k], row, codes);
	return possible;
}

#endif

#endif
