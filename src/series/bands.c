/*
 * bands.c - where a comparison with a constant changes its mind.
 *
 * It is found by halving, with the very arithmetic that a signal would have gone through (millionths to a double, times the factor,
 * rounded), which never goes down; mostly among the few next to where it should be.
 */
#include "series/bands.h"

#define N_FIXED UINT64_MAX /* all but FIXED_MISSING */

/* The fixed values in order, from 0 to N_FIXED - 1. */
static fixed nth_fixed(const uint64_t i)
{
	return (fixed)((uint64_t)FIXED_MISSING + 1 + i);
}

static double result_of(const struct arithmetic *a, const fixed value)
{
	const double scaled = fixed_value(value) * a->factor;

	return a->f ? a->f(scaled, a->other) * a->then : scaled;
}

static bool is_below(const struct arithmetic *a, const enum comparison how, const double threshold, const uint64_t i)
{
	return is_so(result_of(a, nth_fixed(i)), how, threshold);
}

#define NEAR 4 /* of the millionths beside a quotient: rounding is less, as long as doubles have millionths at all */

/* Does it change among those that are next to threshold / factor? Then the first that is not below is one of [*low, *high]. */
static bool changes_near(const struct arithmetic *a, const enum comparison how, const double threshold, uint64_t *low, uint64_t *high)
{
	const double about = threshold / a->factor * FIXED_ONE;

	if (a->f || !(fabs(about) < 0x1p52))
		return false;
	const uint64_t middle = (uint64_t)(fixed)about - (uint64_t)nth_fixed(0);
	if (!is_below(a, how, threshold, middle - NEAR) || is_below(a, how, threshold, middle + NEAR))
		return false;
	*low = middle - NEAR + 1;
	*high = middle + NEAR;
	return true;
}

/* How many fixed values come out below `threshold`, or equal to it also with `how` LESS_EQUAL. */
static uint64_t count_below(const struct arithmetic *a, const enum comparison how, const double threshold)
{
	uint64_t low, high;

	if (!changes_near(a, how, threshold, &low, &high)) {
		low = 0;
		high = N_FIXED;
	}
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (is_below(a, how, threshold, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Fixed values [begin, end) in order. A band of one truth with the one before it joins it. */
static void bands_add(struct bands *b, const uint64_t begin, const uint64_t end, const enum truth truth)
{
	struct band *const last = &b->at[b->n - 1];

	if (begin == end)
		return;
	if (last->truth == truth)
		last->n += end - begin;
	else
		b->at[b->n++] = (struct band){ nth_fixed(begin), end - begin, truth };
}

struct bands bands_of(const struct arithmetic *a, const enum comparison how, const double threshold)
{
	const uint64_t below = count_below(a, LESS, threshold), up_to = count_below(a, LESS_EQUAL, threshold);
	struct bands bands = { { { FIXED_MISSING, 1, UNKNOWN } }, 1 };

	bands_add(&bands, 0, below, compared(0, how, 1));
	bands_add(&bands, below, up_to, compared(0, how, 0));
	bands_add(&bands, up_to, N_FIXED, compared(1, how, 0));
	return bands;
}

const struct band *band_only(const struct bands *b, const enum truth truth)
{
	const struct band *only = NULL;

	for (size_t i = 0; i < b->n; i++) {
		if (b->at[i].truth != truth)
			continue;
		if (only)
			return NULL;
		only = &b->at[i];
	}
	return only;
}
