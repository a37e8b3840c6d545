/* blend.h - what becomes of a pixel on which colour is laid, as cairo and pixman have it, to the last bit. */
#ifndef POSTRUN_BLEND_H
#define POSTRUN_BLEND_H

#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Every second byte times `share` of 255; what is added makes it the nearest of the two next to it, or of halves the lower one. */
static inline uint32_t two_times(uint32_t bytes, uint32_t share, uint32_t added)
{
	const uint32_t parts = (bytes & 0xff00ff) * share + added;
	return (parts + (parts >> 8 & 0xff00ff)) >> 8 & 0xff00ff;
}

/* pixman lays what is not opaque on pixels; what is, cairo does itself. */
#define AS_PIXMAN 0x800080U
#define AS_CAIRO 0x7f007fU
static inline uint32_t pixel_times(uint32_t pixel, uint32_t share, uint32_t added)
{
	return two_times(pixel, share, added) | two_times(pixel >> 8, share, added) << 8;
}

/* pixels_tint() lays colour times its alpha on n pixels, as pixman does. */
#ifdef __SSE2__
struct tint {
	__m128i colour, share;
};

static inline __m128i tint_bytes(__m128i bytes, const struct tint *t)
{
	const __m128i parts = _mm_add_epi16(_mm_mullo_epi16(bytes, t->share), _mm_set1_epi16(AS_PIXMAN & 0xff));
	return _mm_srli_epi16(_mm_add_epi16(parts, _mm_srli_epi16(parts, 8)), 8);
}

static inline __m128i tint_four(__m128i four, const struct tint *t)
{
	const __m128i zero = _mm_setzero_si128();
	const __m128i first = tint_bytes(_mm_unpacklo_epi8(four, zero), t), second = tint_bytes(_mm_unpackhi_epi8(four, zero), t);
	return _mm_add_epi8(_mm_packus_epi16(first, second), t->colour);
}

static inline void pixels_tint(uint32_t *at, size_t n, uint32_t added)
{
	const struct tint tint = { _mm_set1_epi32((int)added), _mm_set1_epi16((short)(255 - (added >> 24))) };
	for (; n >= 4; n -= 4, at += 4)
		_mm_storeu_si128((__m128i *)(void *)at, tint_four(_mm_loadu_si128((const __m128i *)(const void *)at), &tint));
	for (; n >= 2; n -= 2, at += 2)
		_mm_storel_epi64((__m128i *)(void *)at, tint_four(_mm_loadl_epi64((const __m128i *)(const void *)at), &tint));
	if (n)
		*at = (uint32_t)_mm_cvtsi128_si32(tint_four(_mm_cvtsi32_si128((int)*at), &tint));
}
#else
static inline void pixels_tint(uint32_t *at, size_t n, uint32_t added)
{
	for (size_t x = 0; x < n; x++)
		at[x] = added + pixel_times(at[x], 255 - (added >> 24), AS_PIXMAN);
}
#endif

#endif
