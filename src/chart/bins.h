/*
 * bins.h - many samples in one place of the picture become their minimum, mean and maximum.
 *
 * The span is cut into n bins of equal length. A sample counts in each bin in which it holds, for the time for which it does. A bin in
 * which no sample begins has the value that still holds there, and is not `fresh`. Where nothing holds (holes, missing values, outside
 * the log) all three are NAN: one extreme sample is never averaged away, and the unknown is never drawn.
 */
#ifndef POSTRUN_BINS_H
#define POSTRUN_BINS_H

#include "series/cursor.h"

struct bins {
	size_t n;
	double *min, *mean, *max; /* in the metric's unit x scale */
	bool *fresh;
	size_t n_samples;
};

/* With a `gate` only samples during which the gate's value is above zero count; NULL: all of them. */
struct bins bins_of(struct arena *mem, const struct track *t, const struct track *gate, struct span span, size_t n, double scale);

/*
 * For whole percents: the shares `low` and `high` (0 to 1) of each bin's samples. Arrays of n;
 * NAN where no sample begins.
 */
void bins_percentiles(struct arena *scratch, const struct track *t, struct span span, size_t n, double low, double high,
	double *at_low, double *at_high);

/*
 * The time inside `within` for which sample i stands. GPUs of one log are polled one after the
 * other: what a track lacks of its first or last step at the edges of a run is no hole.
 */
struct span sample_span(struct cursor *at, size_t i, struct span within);

/* The first of the samples [from, end) at `edge` or behind it, or `end`; sample `from` is before it. */
size_t samples_before(const struct track *t, size_t from, size_t end, time_ms edge);

/* Begin of bin k; k == n is the end of the span. */
time_ms bin_begin(struct span span, size_t n, size_t k);

#endif
