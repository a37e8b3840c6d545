/*
 * track_fold.c - a track as one number over some time, without making a signal of it.
 *
 * Whole-run rules and evidence ask for this. What is known of the time and the fold come from one pass, for which chunks are
 * enough where there are any (held.h). A percentile is counted by values where they are few (tally.h), else in rounds (quantile.h): of
 * chunks whose values are all on one side of it nothing is read then.
 */
#include "series/signal.h"

#include "series/held.h"
#include "series/tally.h"
#include <math.h>

/* One rounding for the rest, none where it is 0. */
static double mean_of(const struct sums *s)
{
	return (double)(int64_t)(s->weighted / s->known) + (double)(int64_t)(s->weighted % s->known) / (double)s->known;
}

#define SLOTS_FOR_ONE 2 /* a sample: one percentile in rounds takes it some 60 instructions, a tally 10 and four a slot */

bool track_has_fold(const enum fold fold)
{
	return fold == FOLD_MEAN || fold == FOLD_MIN || fold == FOLD_MAX || fold == FOLD_SPREAD || fold_percent(fold) > 0;
}

double track_fold(struct arena *scratch, const struct track *t, const double factor, const struct spans within, const enum fold fold,
	time_ms *known)
{
	struct tally tally;
	const bool has_tally = fold_percent(fold) > 0 && tally_of(scratch, t, within, SLOTS_FOR_ONE, &tally);
	const struct sums sums = has_tally ? tally_sums(&tally) : held_sums(t, within, fold == FOLD_MEAN ? ASKED_SUM : ASKED_ENDS);

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
		return fixed_value(has_tally ? tally_quantile(&tally, sums.known, fold_percent(fold))
					     : held_quantile(scratch, t, within, &sums, fold_percent(fold))) *
		       factor;
	}
}
