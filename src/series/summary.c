/*
 * summary.c - means, extremes, deviations and slopes that join.
 *
 * The joining of squares and products about the means is that of Chan, Golub & LeVeque (1979). A value that holds for a while
 * is a horizontal piece of a curve and not a point, so its time varies about its middle, too: by w³ / 12
 * for a width of w, the integral of t² from -w/2 to w/2. So one sample more with the same value changes nothing.
 */
#include "series/summary.h"

static double integral_of(const struct summary *s)
{
	return s->plain.integral + s->plain.lost;
}

/* A mean lies between its values; rounding must not push it over a threshold that equals them. */
static double mean_of(const struct summary *s)
{
	const double mean = integral_of(s) / (double)s->known;

	if (mean < s->plain.low)
		return s->plain.low;
	return mean > s->plain.high ? s->plain.high : mean;
}

/* Of what value and time could go together at most, by Cauchy and Schwarz: less than this is what rounding leaves, 1e-15 and a little. */
#define LEAST_TOGETHER 1e-10

/* Exactly 0 where it is: a slope that is compared with 0 is above it by rounding or not. */
static double slope_of(const struct summary *s)
{
	const bool is_level = s->fit.both * s->fit.both <= LEAST_TOGETHER * LEAST_TOGETHER * s->fit.values * s->fit.times;

	return is_level ? 0 : SECOND_MS * (s->fit.both / s->fit.times);
}

double summary_fold(const enum fold fold, const struct summary *s)
{
	if (s->known == 0)
		return NAN;
	switch (fold) {
	case FOLD_MIN:
		return s->plain.low;
	case FOLD_MAX:
		return s->plain.high;
	case FOLD_SPREAD:
		return s->plain.high - s->plain.low;
	case FOLD_MEAN:
	case FOLD_RATE: /* what is folded then is the growth a second */
		return mean_of(s);
	case FOLD_SHARE:
		return 100 * mean_of(s);
	case FOLD_TOTAL:
	case FOLD_DELTA:
		return integral_of(s) / SECOND_MS;
	case FOLD_SUM: /* of signals, each of which weighs 1 */
		return integral_of(s);
	case FOLD_STDDEV:
		return sqrt(s->fit.values / (double)s->known);
	case FOLD_SLOPE:
		return slope_of(s);
	default:
		break;
	}
	BUG("a summary does not say that");
}
