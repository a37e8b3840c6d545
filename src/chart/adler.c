/*
 * adler.c - two sums: of the bytes, and of what the first sum was behind each of them.
 *
 * Of 16 bytes all that the second one gets is 16 times what the first was before them, and each byte as often as there are bytes from
 * it on.
 */
#include "chart/adler.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define MODULUS 65521

struct sums { /* of fewer bytes than reach 2^64 */
	uint64_t first, second;
};

#ifdef __SSE2__
#define ABREAST 16

static uint64_t of_both(__m128i eights)
{
	return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(eights, _mm_unpackhi_epi64(eights, eights)));
}

static uint64_t of_all_four(__m128i fours)
{
	const __m128i zero = _mm_setzero_si128();
	return of_both(_mm_add_epi64(_mm_unpacklo_epi32(fours, zero), _mm_unpackhi_epi32(fours, zero)));
}

/* Of the first bytes, as many as there are 16 times; returns how many. */
static size_t most_add(struct sums *sums, const uint8_t *bytes, size_t n)
{
	const __m128i zero = _mm_setzero_si128();
	const __m128i times_first = _mm_set_epi16(9, 10, 11, 12, 13, 14, 15, 16), times_last = _mm_set_epi16(1, 2, 3, 4, 5, 6, 7, 8);
	__m128i sum = zero, before = zero, within = zero;
	n -= n % ABREAST;
	for (size_t i = 0; i < n; i += ABREAST) {
		const __m128i these = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
		before = _mm_add_epi64(before, sum);
		sum = _mm_add_epi64(sum, _mm_sad_epu8(these, zero));
		within = _mm_add_epi32(within, _mm_madd_epi16(_mm_unpacklo_epi8(these, zero), times_first));
		within = _mm_add_epi32(within, _mm_madd_epi16(_mm_unpackhi_epi8(these, zero), times_last));
	}
	sums->second += n * sums->first + ABREAST * of_both(before) + of_all_four(within);
	sums->first += of_both(sum);
	return n;
}
#else
static size_t most_add(struct sums *sums, const uint8_t *bytes, size_t n)
{
	(void)sums;
	(void)bytes;
	(void)n;
	return 0;
}
#endif

uint32_t adler_of(const uint8_t *bytes, size_t n)
{
	struct sums sums = { .first = 1 };
	for (size_t i = most_add(&sums, bytes, n); i < n; i++) {
		sums.first += bytes[i];
		sums.second += sums.first;
	}
	return (uint32_t)(sums.second % MODULUS << 16 | sums.first % MODULUS);
}
