/*
 * signal.h - what a rule computes with: a step function in double.
 *
 * Pieces are sorted by begin; each holds until the next begins, the last until `end`.
 * NAN means not known; it covers holes, missing cells and the time outside the log.
 * All signals of one judgement cover the same span.
 */
#ifndef POSTRUN_SIGNAL_H
#define POSTRUN_SIGNAL_H

#include "series/track.h"

struct piece {
	time_ms begin;
	double value;
};
struct signal {
	const struct piece *at;
	size_t n;
	time_ms end;
};

struct signal signal_constant(struct arena *mem, double value, struct span within);
struct signal signal_from_track(struct arena *mem, const struct track *t, struct span within);
/* The same of its values times a factor. */
struct signal signal_of_track(struct arena *mem, const struct track *t, struct span within, double factor);
/* The part inside `within`; where that is all of it, the same pieces. */
struct signal signal_cut(struct arena *mem, struct signal s, struct span within);
/* The pieces that hold at some time of `within`, whole ones, as they are. */
struct signal signal_around(struct signal s, struct span within);
/* The other way round: the same values, not known in the rest of `within`. */
struct signal signal_set_in(struct arena *mem, struct signal s, struct span within);
/* In these spans, which are in order, and not known in the rest of the signal. */
struct signal signal_within(struct arena *mem, struct signal s, struct spans within);
/* Into memory that lives longer, without the room that was only needed on the way. */
struct signal signal_kept(struct arena *mem, struct signal s);
/* What each of n signals is, of which there is one at least, in its span; these follow one another. Not known of one without pieces. */
struct signal signal_in_turn(struct arena *mem, const struct signal *signals, const struct span *of, size_t n);
/* f(a, b) piece by piece; NAN where either is NAN, unless f makes something of it. */
struct signal signal_zip(struct arena *mem, struct signal a, struct signal b, double (*f)(double, double));

enum fold {
#define FOLD(id, name, takes, gives, over, what) FOLD_##id,
#include "series/fold.def"
#undef FOLD
	N_FOLDS
};
enum { TAKES_NUMBERS = 1, TAKES_CONDITIONS = 2, TAKES_COUNTERS = 4 };
enum { OVER_TIME = 1, OVER_SETS = 2, ONLY_ROLLING = 4 }; /* ONLY_ROLLING: with a width, never of a whole stretch */
enum fold_gives { GIVES_SAME, GIVES_SHARE, GIVES_COUNT, GIVES_PER_TIME, GIVES_TIMES_TIME, GIVES_TIME, GIVES_CONDITION };
struct fold_row {
	const char *name;
	unsigned takes, over;   /* TAKES_…, OVER_… */
	enum fold_gives gives;
	const char *what;       /* for help and documents */
};
extern const struct fold_row fold_table[N_FOLDS];
/* The percent of a percentile; 0 of every other fold. */
int fold_percent(enum fold fold);
/* Of a single number, is it that number? */
bool fold_keeps_one(enum fold fold);

/*
 * Rolling fold over a window of `width` centred on each moment, so that edges are not
 * shifted. Known where at least half of the window, cut to the signal, is known. Evaluated at each
 * change of the input and every quarter of `width` around it, and held in between.
 *
 * Only folds OVER_TIME. SHARE takes 1 and 0 for a condition's YES and NO and gives percent;
 * CHANGES counts how often the known value differs from the known value before; SLOPE is that of the
 * least-squares line, in the value's unit a second; TOTAL is value x seconds over the known part of the window.
 * EARLIER is no fold of a window but the value `width` before; NAN in the first `width` of the signal.
 * RATE and DELTA expect signal_increase(): the mean of it, and its integral over the window, known part only.
 */
struct signal signal_rolling(struct arena *mem, struct signal s, time_ms width, enum fold fold);
/*
 * The same with MEAN of what signal_from_track() says, whose values are whole millionths: of two whole sums, rounded once or a few times,
 * and as the samples are where these are equal. It takes a third of the time.
 */
struct signal signal_rolling_samples(struct arena *mem, struct signal s, time_ms width);
/* One number over the known time inside `within`; NAN when nothing is known. */
double signal_fold(struct arena *scratch, struct signal s, struct spans within, enum fold fold);
/*
 * signal_fold() of a track's values times `factor`, and the ms of `within` that are known, in one pass and without
 * making the signal. Sums are exact. Of those folds that track_has_fold() names.
 */
bool track_has_fold(enum fold fold);
double track_fold(struct arena *scratch, const struct track *t, double factor, struct spans within, enum fold fold, time_ms *known);
/*
 * The same for those who may ask for several folds over one time. What is found for one of them stays in `mem` for the others: for how long
 * a track has each of its values, where these are few, and where the samples of many spans are on a clock. Begins with
 * { mem, NULL, NULL, NULL }.
 */
struct found_of_tracks {
	struct arena *mem;
	struct counts *counts; /* of columns, which the track that is asked of now may be one of; NULL: it is not, or there are none */
	const struct counted *counted;
	struct placed *placed;
};
double track_fold_found(struct found_of_tracks *all, struct arena *scratch, const struct track *t, double factor, struct spans within,
	enum fold fold, time_ms *known);
/*
 * At each moment the fold (OVER_SETS, of numbers) over several signals; NAN where any of them is.
 *
 * The rows of one poll are written some ms apart, and what a set looks like between them is an artefact: changes up to `poll`
 * after a first one belong to one moment, which ends before any signal changes a second time. The moment has the values
 * after the last of them, and begins with the first. With 0 each change is one. A single signal has no polls.
 */
struct signal signal_across(struct arena *mem, const struct signal *many, size_t n, enum fold fold, time_ms poll);
/* A number at each moment of which only bounds are known, inclusive. */
struct bounds {
	struct signal low, high;
};
static inline struct bounds bounds_of_known(struct signal s)
{
	return (struct bounds){ s, s };
}
/* For signal_zip(): what is known, or else what stands beside it. */
double known_or(double known, double other);
/* What a value can be, in the unit of the signals; infinite: nobody knows. */
struct domain {
	double low, high;
};
/* Of what values, and in what time, bounds are looked for. */
struct bounding {
	struct domain of;
	struct spans within;
};
/*
 * In the same walk: *number is signal_across(). Where some of the signals are known and some are not, the lowest, the highest and a
 * percentile lie between what they are if all that is missing were as low as can be, and if it were as high. *out: NAN where all are known
 * and where none is, and anything where nothing of `within` is. False, and *out as it was: there is no such time, or the fold has no such
 * bounds, or `b` is NULL.
 */
bool signal_across_bounds(struct arena *mem, const struct signal *many, size_t n, enum fold fold, time_ms poll, const struct bounding *b,
	struct signal *number, struct bounds *out);
/*
 * Is there a moment in `within` of which it is certain that it begins one, whatever was before `within`? Nobody changed for longer than a
 * poll then. *when: the first one.
 */
bool poll_begins_in(const struct signal *many, size_t n, time_ms poll, struct span within, time_ms *when);
/*
 * The same of all but one, for each one: one walk over all of them, then one over each.
 * Polls are those of all, with the one left out.
 */
struct moment;
struct extreme;
struct others {
	const struct signal *many; /* NULL: what others_fold() needs of them is known, they need not live as long */
	size_t n, n_moments, n_extremes;
	const struct moment *moments;   /* neither these nor extremes: each is folded on its own */
	const struct extreme *extremes; /* of MIN and MAX, which are the same for all but one at any time */
	enum fold fold;
	time_ms poll, end;
	double stand_in;                /* what a missing value counts as; NAN: as missing */
	const struct others *low, *high; /* bounds; NULL: not looked for, or there are none */
};
/* `b`: others_bounds() has of all but one what signal_across_bounds() has of all; NULL: nothing. */
struct others others_new(struct arena *mem, const struct signal *many, size_t n, enum fold fold, time_ms poll, const struct bounding *b);
/* The same, walked in as many parts of time (1 to WORKERS_MAX) side by side: for tests, since the result is the same. */
struct others others_new_in(struct arena *mem, const struct signal *many, size_t n, enum fold fold, time_ms poll, size_t n_parts,
	const struct bounding *b);
struct signal others_fold(struct arena *mem, const struct others *o, size_t member);
bool others_bounds(struct arena *mem, const struct others *o, size_t member, struct bounds *out);
/*
 * What a counter grew by, a second: between two neighbouring samples its growth over their
 * distance, also across a hole, because there only the moment is not known but not the amount. A smaller
 * value than before is a restart: the counter grew by what it shows now. NAN before the first sample, after
 * the last, and next to missing cells the distance spans to the next known one.
 */
struct signal signal_increase(struct arena *mem, const struct track *t, struct span within);
/* How often the counter restarted inside `within`. */
size_t track_restarts(const struct track *t, struct spans within);
bool signal_is_ever_known(struct signal s);
/* ms inside `within` for which the value is known. */
time_ms signal_known(struct signal s, struct spans within);

#endif
