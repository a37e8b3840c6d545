/*
 * correlation.h - how well two lines fit when one of them is moved. For this folder only.
 */
#ifndef POSTRUN_CORRELATION_H
#define POSTRUN_CORRELATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEAST_CELLS ((size_t)20) /* below them there is no shape to compare */

struct line { /* a column on a regular grid; NAN where nothing is known */
	double *at;
	int64_t first; /* cell of at[0], counted from 1970 */
	size_t n;
	bool is_whole; /* all of it is known */
	double variance;
	size_t n_changes; /* between low and high */
};

/*
 * Pearson's r, -1 to 1, of the cells that both know when `a` is moved by `lag` cells. NAN where they share less than LEAST_CELLS or half of
 * the shorter line, too few to be sure, or where one of them shows less than a quarter of its variance there: a flat end fits everywhere.
 */
double correlation_at(const struct line *a, const struct line *b, int64_t lag);
/* The same, bit for bit, of n lags from this one on, into r. */
void correlations(const struct line *a, const struct line *b, int64_t lag, int64_t n, double *r);

#endif
