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
/* The part inside `within`. */
struct signal signal_cut(struct arena *mem, struct signal s, struct span within);
/* The other way round: the same values, not known in the rest of `within`. */
struct signal signal_set_in(struct arena *mem, struct signal s, struct span within);
/* f(a, b) piece by piece; NAN where either is NAN, unless f makes something of it. */
struct signal signal_zip(struct arena *mem, struct signal a, struct signal b, double (*f)(double, double));

enum fold { FOLD_MEAN, FOLD_MIN, FOLD_MAX, FOLD_P5, FOLD_P50, FOLD_P95, FOLD_SPREAD };
/*
 * Rolling fold over a window of `width` centred on each moment, so that edges are not
 * shifted. Known where at least half of the window, cut to the signal, is known. Evaluated at each
 * change of the input and every quarter of `width` around it, and held in between.
 */
struct signal signal_rolling(struct arena *mem, struct signal s, time_ms width, enum fold fold);
/* One number over the known time inside `within`; NAN when nothing is known. */
double signal_fold(struct arena *scratch, struct signal s, struct spans within, enum fold fold);
/* At each moment the fold over several signals; NAN where any of them is. */
struct signal signal_across(struct arena *mem, const struct signal *many, size_t n, enum fold fold);
/* ms inside `within` for which the value is known. */
time_ms signal_known(struct signal s, struct spans within);

#endif
