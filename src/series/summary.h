/*
 * summary.h - what is known of some stretch of time, in a few numbers that join. For this folder only.
 *
 * Two stretches joined give the summary of both, in any grouping, so that a window that moves never subtracts anything
 * and large values leave no rounding behind. Squares and products are kept about the means, not about zero: a
 * power of 700 W that varies by 0.1 W has a standard deviation, and not the rounding of 490,000.
 */
#ifndef POSTRUN_SUMMARY_H
#define POSTRUN_SUMMARY_H

#include "series/pieces.h"

struct summary {
	int64_t known; /* ms, or a count of signals; 0: nothing, and the rest means nothing */
	union {
		struct {
			double integral; /* exact for whole numbers below 2^53 value x ms */
			double low, high;
		} plain;
		/* of STDDEV and SLOPE; time in ms from the begin of the signal */
		struct {
			double value, time;  /* means */
			double values, both, times; /* integrals about the means of value², value x time, time² */
		} fit;
	};
};

/* A value that holds for some time; which numbers are kept depends on the fold they are for. Not for quantiles and CHANGES. */
struct summary summary_of(enum fold fold, double value, struct span when);
/* The part of piece i that lies in `within`. */
struct summary summary_of_piece(enum fold fold, const struct signal *s, size_t i, struct span within);
struct summary summary_join(enum fold fold, struct summary a, struct summary b);
/* NAN when nothing is known. */
double summary_fold(enum fold fold, const struct summary *s);

#endif
