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
			double integral, lost; /* value x ms, and what rounding left of the sums in it */
			double low, high;
		} plain;
		/* of STDDEV and SLOPE; time in ms from the begin of the signal */
		struct {
			double value, time;  /* means */
			double values, both, times; /* integrals about the means of value², value x time, time² */
		} fit;
	};
};

/* Here and not in summary.c: a window that moves joins a few of them at each sample, which is half of what judging many rules costs. */
static inline bool is_fit(const enum fold fold)
{
	return fold == FOLD_STDDEV || fold == FOLD_SLOPE;
}

/* A value that holds for some time; which numbers are kept depends on the fold they are for. Not for quantiles and CHANGES. */
static inline struct summary summary_of(const enum fold fold, const double value, const struct span when)
{
	const double width = (double)span_length(when);
	struct summary s = { .known = span_length(when) };

	if (isnan(value) || s.known <= 0)
		return (struct summary){ 0 };
	if (is_fit(fold)) {
		s.fit.value = value;
		s.fit.time = (double)when.begin + width / 2;
		s.fit.times = width * width * width / 12;
	} else {
		s.plain.integral = value * width;
		s.plain.low = s.plain.high = value;
	}
	return s;
}

/* The part of piece i that lies in `within`. */
static inline struct summary summary_of_piece(const enum fold fold, const struct signal *s, const size_t i, const struct span within)
{
	const time_ms begin = later(s->at[i].begin, within.begin), end = sooner(piece_end(s, i), within.end);
	const time_ms origin = s->at[0].begin;

	return summary_of(fold, s->at[i].value, (struct span){ begin - origin, end - origin });
}

/* What rounding leaves of a + b, exactly: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B. */
static inline double lost_in_sum(const double a, const double b, const double sum)
{
	const double of_b = sum - a, of_a = sum - of_b;

	return (a - of_a) + (b - of_b);
}

/* Sums in any grouping come to the same number, to the last bit: a window says the same however much of a run is looked at. */
static inline struct summary join_plain(const struct summary *a, const struct summary *b)
{
	struct summary s = { .known = a->known + b->known };

	s.plain.integral = a->plain.integral + b->plain.integral;
	s.plain.lost = a->plain.lost + b->plain.lost + lost_in_sum(a->plain.integral, b->plain.integral, s.plain.integral);
	s.plain.low = a->plain.low < b->plain.low ? a->plain.low : b->plain.low;
	s.plain.high = a->plain.high > b->plain.high ? a->plain.high : b->plain.high;
	return s;
}

static inline struct summary join_fit(const struct summary *a, const struct summary *b)
{
	struct summary s = { .known = a->known + b->known };
	const double share_b = (double)b->known / (double)s.known, weight = (double)a->known * share_b;
	const double value = b->fit.value - a->fit.value, time = b->fit.time - a->fit.time;

	s.fit.value = a->fit.value + value * share_b;
	s.fit.time = a->fit.time + time * share_b;
	s.fit.values = a->fit.values + b->fit.values + value * value * weight;
	s.fit.both = a->fit.both + b->fit.both + value * time * weight;
	s.fit.times = a->fit.times + b->fit.times + time * time * weight;
	return s;
}

static inline struct summary summary_join(const enum fold fold, const struct summary a, const struct summary b)
{
	if (a.known == 0)
		return b;
	if (b.known == 0)
		return a;
	return is_fit(fold) ? join_fit(&a, &b) : join_plain(&a, &b);
}

/* NAN when nothing is known. */
double summary_fold(enum fold fold, const struct summary *s);

#endif
