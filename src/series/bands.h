/*
 * bands.h - values that a comparison does not tell apart. For this folder only.
 *
 * A track holds whole millionths, so for each constant there are two of them between which a comparison
 * changes its mind:
 *
 *     MISSING |  lowest ... less than the threshold  |  equal to it  |  greater ... highest
 *     UNKNOWN |  one truth each, by the comparison; neighbours of one truth are one band
 *
 * A value is in the band of the one before or it isn't: one subtraction and one comparison of integers.
 */
#ifndef POSTRUN_BANDS_H
#define POSTRUN_BANDS_H

#include "series/cuts.h"

/* Fixed values that mean the same: [low, low + n), where n counts up to all there are but one. */
struct band {
	fixed low;
	uint64_t n;
	enum truth truth;
};
struct bands {
	struct band at[4];
	size_t n;
};

/* Whole numbers from `low` on; a value below it wraps around to far above any n. */
static inline bool band_has(const struct band *b, const fixed value)
{
	return (uint64_t)value - (uint64_t)b->low < b->n;
}

/* The one that it is in. */
static inline const struct band *band_find(const struct bands *b, const fixed value)
{
	for (size_t i = 0; i < b->n; i++)
		if (band_has(&b->at[i], value))
			return &b->at[i];
	BUG("every value is in a band");
}

/* The only band of a truth, or NULL. */
const struct band *band_only(const struct bands *b, enum truth truth);

/* What a signal of the track would have gone through before it is compared; it never goes down. */
struct arithmetic {
	double factor;
	double (*f)(double, double); /* with `other`, and times `then`; or NULL */
	double other, then;
};

/* `threshold` is a number. */
struct bands bands_of(const struct arithmetic *a, enum comparison how, double threshold);

#endif
