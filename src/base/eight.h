/*
 * eight.h - eight narrow numbers side by side, for loops of which each step does several.
 */
#ifndef POSTRUN_EIGHT_H
#define POSTRUN_EIGHT_H

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef int16_t eight __attribute__((vector_size(16)));
typedef uint16_t eight_unsigned __attribute__((vector_size(16)));

/* The lower of each two. */
static inline eight lower_of(eight a, eight b)
{
#ifdef __SSE2__
	return (eight)_mm_min_epi16((__m128i)a, (__m128i)b);
#else
	const eight is_first = a < b;
	return (a & is_first) | (b & ~is_first);
#endif
}

/* The higher. */
static inline eight higher_of(eight a, eight b)
{
#ifdef __SSE2__
	return (eight)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
	return ~lower_of(~a, ~b);
#endif
}

#endif
