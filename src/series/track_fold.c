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

#define KEPT_MOST 1024 /* values, 16 KiB: of power in hundredths there are more, and nobody asks twice */

struct counted {
	const struct counted *before;
	const struct track *track;
	struct spans within;
	struct tally tally; /* of its column, if its formula rises; */
};

/* A value that is higher before it is no lower behind it: the percentile of shares is the share that the percentile is. */
static bool rises(const struct formula *f)
{
	return f->kind == FORMULA_AS_IT_IS || (f->kind == FORMULA_SHARE && f->of > 0);
}

static const struct tally *tally_among(const struct found_of_tracks *all, const struct track *t, const struct spans within)
{
	for (const struct counted *c = all ? all->counted : NULL; c; c = c->before)
		if (c->track == t && spans_are_same(c->within, within))
			return &c->tally;
	return NULL;
}

static void keep_tally(struct found_of_tracks *all, const struct track *t, const struct spans within, const struct tally *tally)
{
	struct counted *const c = NEW(all->mem, struct counted);
	struct ordered *const at = NEW_RAW_ARRAY(all->mem, struct ordered, tally->n);

	if (tally->n)
		memcpy(at, tally->at, tally->n * sizeof *at);
	*c = (struct counted){ all->counted, t, spans_of(all->mem, within.at, within.n), { at, tally->n } };
	all->counted = c;
}

/* False where it is not worth it. */
static bool find_tally(struct found_of_tracks *all, struct arena *scratch, const struct track *t, const struct spans within,
	struct tally *tally)
{
	const struct tally *const before = tally_among(all, t, within);
	struct tally column;

	if (before) {
		*tally = *before;
		return true;
	}
	if (!tally_found(all ? all->counts : NULL, scratch, t, within, SLOTS_FOR_ONE, &column))
		return false;
	*tally = rises(&t->formula) ? column : tally_formed(scratch, &column, &t->formula);
	if (all && tally->n <= KEPT_MOST)
		keep_tally(all, t, within, tally);
	return true;
}

#define MANY_SPANS 16 /* of fewer samples are found fast enough */
#define PLACES_MOST ((size_t)1 << 15) /* 512 KiB */

struct placed {
	struct placed *before;
	const struct track *track; /* one on the clock */
	struct spans within;
	struct places places;
};

/* Of few spans NULL, and of very many. */
static struct places *places_among(struct found_of_tracks *all, const struct track *t, const struct spans within)
{
	if (!all || within.n < MANY_SPANS || within.n > PLACES_MOST)
		return NULL;
	for (struct placed *p = all->placed; p; p = p->before)
		if (tracks_share_clock(p->track, t) && spans_are_same(p->within, within))
			return &p->places;
	struct placed *const made = NEW(all->mem, struct placed);
	*made = (struct placed){ all->placed, t, spans_of(all->mem, within.at, within.n),
		{ NEW_RAW_ARRAY(all->mem, struct samples, within.n), 0 } };
	all->placed = made;
	return &made->places;
}

/* As the column has it, where the formula rises. */
static struct track risen_from(const struct track *t)
{
	return rises(&t->formula) ? track_before_formula(t) : *t;
}

static fixed percentile(struct found_of_tracks *all, struct arena *scratch, const struct track *t, const struct spans within,
	const int percent, time_ms *known)
{
	const struct track column = risen_from(t);
	struct sums sums;
	struct tally tally;
	fixed found;

	if (find_tally(all, scratch, t, within, &tally)) {
		*known = tally_known(&tally);
		found = *known ? tally_quantile(&tally, *known, percent) : FIXED_MISSING;
	} else {
		sums = held_sums_at(&column, within, places_among(all, t, within), ASKED_ENDS);
		*known = sums.known;
		found = *known ? held_quantile(scratch, &column, within, &sums, percent) : FIXED_MISSING;
	}
	return found != FIXED_MISSING && rises(&t->formula) ? formula_value(&t->formula, found) : found;
}

double track_fold_found(struct found_of_tracks *all, struct arena *scratch, const struct track *t, const double factor,
	const struct spans within, const enum fold fold, time_ms *known)
{
	if (fold_percent(fold) > 0) {
		const fixed found = percentile(all, scratch, t, within, fold_percent(fold), known);
		return *known ? fixed_value(found) * factor : (double)NAN;
	}
	const struct sums sums = held_sums_at(t, within, places_among(all, t, within), fold == FOLD_MEAN ? ASKED_SUM : ASKED_ENDS);

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
		BUG("a track has no such fold");
	}
}

double track_fold(struct arena *scratch, const struct track *t, const double factor, const struct spans within, const enum fold fold,
	time_ms *known)
{
	return track_fold_found(NULL, scratch, t, factor, within, fold, known);
}
