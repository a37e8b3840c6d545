/*
 * stats.h - exact, time-weighted statistics of a track within a set of spans.
 *
 * Each sample weighs the milliseconds for which it holds inside the spans (track.h).
 * mean = sum(value x ms) / sum(ms), in 128-bit integers. The quantile q is the smallest value
 * for which the samples up to it weigh at least q x the total. stddev is that of the weighted
 * population. Independent of order, split and threads; tests/reference/stats.py agrees.
 */
#ifndef POSTRUN_STATS_H
#define POSTRUN_STATS_H

#include "series/track.h"

struct stats {
	double mean, min, p5, p50, p95, max, stddev; /* in the metric's unit; NAN when nothing is known */
	time_ms min_at, max_at;                      /* the first time of the extreme inside the spans; TIME_UNKNOWN without one */
	time_ms known;                               /* ms that the statistics stand on */
	time_ms judged;                              /* ms that were asked for */
	size_t n;                                    /* samples used */
};

struct stats track_stats(struct arena *scratch, const struct track *t, struct spans within);
/* Integral over the known time, in unit x hours: Wh for power. 0 where nothing is known: ask for `known`, too. */
double track_integral(const struct track *t, struct spans within);

#endif
