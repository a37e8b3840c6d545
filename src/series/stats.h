/*
 * stats.h - exact, time-weighted statistics of a track within a set of spans.
 *
 * Each sample weighs the milliseconds for which it holds inside the spans (track.h).
 * mean = sum(value x ms) / sum(ms), in 128-bit integers. The quantile q is the smallest value
 * for which the samples up to it weigh at least q x the total. stddev is that of the weighted
 * population. Independent of order, split and threads; tests/reference/stats.py agrees.
 *
 * One pass over the samples, in time linear in their number, with room that does not grow with it: at most 2 MiB for counting
 * values of a packed column by their codes and 16 bytes for each value that there is (tally.h). Where values are too many or
 * too far apart for that there are a pass for the sums, one for stddev and for each quantile one to seven (quantile.h: 24 KiB).
 */
#ifndef POSTRUN_STATS_H
#define POSTRUN_STATS_H

#include "series/counts.h"
#include "series/track.h"

struct stats {
	double mean, min, p5, p50, p95, max, stddev; /* in the metric's unit; NAN when nothing is known */
	time_ms known;                               /* ms that the statistics stand on */
	time_ms judged;                              /* ms that were asked for */
};

struct stats track_stats(struct arena *scratch, const struct track *t, struct spans within);
/*
 * The same of n tracks, at least one, of which each two tracks_share_column(): its samples are gone through once for all of them, or not
 * even that, where they are among `counts`. NULL: nobody counted them.
 */
void tracks_stats(struct counts *counts, struct arena *scratch, const struct track *const *tracks, size_t n, struct spans within,
	struct stats *out);
/* Of that what chunks know, with little work: mean, min, max, known, judged. The others are NAN. */
struct stats track_means(const struct track *t, struct spans within);
/* For how long it has each value in the spans, as few entries as are at hand: a value may have several. In no order. */
struct holding {
	fixed value;
	time_ms held; /* ms, above zero */
};
struct holdings {
	const struct holding *at;
	size_t n;
};
struct holdings track_holdings(struct arena *mem, const struct track *t, struct spans within);
/* The mean, and by what share of a reference values are below it on average: 0 where that is not above 0. NAN where nothing is known. */
struct shortfall {
	double mean, share; /* in the metric's unit; 0 to 1, more of values below 0 */
};
struct shortfall holdings_shortfall(struct holdings all, fixed reference);
struct shortfall track_shortfall(struct arena *scratch, const struct track *t, struct spans within, fixed reference);
/* `known` of that alone. */
time_ms track_known_time(const struct track *t, struct spans within);
/* `min` of that alone, of which chunks know; NAN where nothing is known. */
double track_lowest(const struct track *t, struct spans within);
/* Integral over the known time, in unit x hours: Wh for power. 0 where nothing is known: ask for `known`, too. */
double track_integral(const struct track *t, struct spans within);
/*
 * By how much that of all of the track may be off because nobody knows when between two samples the value changed: twice the standard
 * deviation, in the same unit. A change of d within h is as likely at one moment as at another, so that it is d h / sqrt(12) from one in
 * the middle; what rose and did not fall again was held too low by half of that time. 0 where it is less than `least`.
 */
double track_integral_off(const struct track *t, double least);
/* The first time inside the spans at which the value is the highest in them; TIME_UNKNOWN when nothing is known. */
time_ms track_highest_at(const struct track *t, struct spans within);

#endif
