/*
 * adler.c - two sums: of the bytes, and of what the first sum was behind each of them.
 *
 * Of 16 bytes all that the second one gets is 16 times what the first was before them, and each byte as often as there are bytes from
 * it on.
 */
#include "chart/adler.h"
#ifdef __SSE2__
#include <emmintrin.h>
#else
#include <zlib.h>
#endif

#define MODULUS 65521

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

uint32_t adler_of(const uint8_t *bytes, size_t n)
{
	const __m128i zero = _mm_setzero_si128();
	const __m128i times_first = _mm_set_epi16(9, 10, 11, 12, 13, 14, 15, 16), times_last = _mm_set_epi16(1, 2, 3, 4, 5, 6, 7, 8);
	__m128i sum = zero, before = zero, within = zero;
	const size_t n_abreast = n - n % ABREAST;
	for (size_t i = 0; i < n_abreast; i += ABREAST) {
		const __m128i these = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
		before = _mm_add_epi64(before, sum);
		sum = _mm_add_epi64(sum, _mm_sad_epu8(these, zero));
		within = _mm_add_epi32(within, _mm_madd_epi16(_mm_unpacklo_epi8(these, zero), times_first));
		within = _mm_add_epi32(within, _mm_madd_epi16(_mm_unpackhi_epi8(these, zero), times_last));
	}
	uint64_t first = 1 + of_both(sum), second = n_abreast + ABREAST * of_both(before) + of_all_four(within);
	for (size_t i = n_abreast; i < n; i++) {
		first += bytes[i];
		second += first;
	}
	return (uint32_t)(second % MODULUS << 16 | first % MODULUS);
}
#else
uint32_t adler_of(const uint8_t *bytes, size_t n)
{
	return (uint32_t)adler32_z(1, bytes, n);
}
#endif
