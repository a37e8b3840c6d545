/*
 * track_fold.c - a track as one number over some time, without making a signal of it.
 *
 * Whole-run rules and evidence ask for this. What is known of the time and the fold come from one pass, for which chunks are
 * enough where there are any (held.h). A percentile is counted in rounds (quantile.h): of chunks whose values are all on one side of
 * it nothing is read.
 */
#include "series/signal.h"

#include "series/held.h"
#include <math.h>

/* One rounding for the rest, none where it is 0. */
static double mean_of(const struct sums *s)
{
	return (double)(int64_t)(s->weighted / s->known) + (double)(int64_t)(s->weighted % s->known) / (double)s->known;
}

bool track_has_fold(const enum fold fold)
{
	return fold == FOLD_MEAN || fold == FOLD_MIN || fold == FOLD_MAX || fold == FOLD_SPREAD || fold_percent(fold) > 0;
}

double track_fold(struct arena *scratch, const struct track *t, const double factor, const struct spans within, const enum fold fold,
	time_ms *known)
{
	const struct sums sums = held_sums(t, within);

	*known = sums.known;
	if (sums.known == 0)
		return NAN;
	switch (fold) {
	case FOLD_MEAN:
		return mean_of(&sums) / FIXED_ONE * factor;
	case FOLD_MIN:
		return fixed_value(sums.low) * factor;
	case FOLD_MAX:
		return fixed_value(sums.high) * factor;
	case FOLD_SPREAD:
		return fixed_value(sums.high) * factor - fixed_value(sums.low) * factor;
	default:
		return fixed_value(held_quantile(scratch, t, within, &sums, fold_percent(fold))) * factor;
	}
}
