/*
 * correlation.h - how well two lines fit when one of them is moved. For this folder only.
 */
#ifndef POSTRUN_CORRELATION_H
#define POSTRUN_CORRELATION_H

#include "base/arena.h"

#include <stdint.h>

#define LEAST_CELLS ((size_t)20) /* below them there is no shape to compare */
#define CODE_MOST 4095

struct before { /* of the cells before one: how many are known, and their codes and squares added up */
	int64_t squares;
	int32_t codes;
	uint32_t known;
};
struct cells { /* [begin, end) */
	int64_t begin, end;
};
/*
 * A column on a regular grid. Where its values lie between the lowest and the highest is all that counts: as codes of 13 bits they are
 * added up exactly, many at a time. What is rounded off moves Pearson's r by less than its second digit, also where a single value is
 * dozens of times as far from the mean as others are (tests/unit/correlation_test.c).
 */
struct line {
	int64_t first;  /* cell 0, counted from 1970 */
	size_t n;
	int16_t *codes; /* -CODE_MOST to CODE_MOST; 0 where nothing is known */
	struct before *before; /* n + 1 */
	struct cells *unknown; /* the stretches of which nothing is known */
	size_t n_unknown;
	double variance; /* of the codes that are known; 0 of too few, and where it is not to be asked how much of it is shared */
};

/* Of n cells, at most 2^19, NAN where nothing is known. */
struct line line_of(struct arena *mem, const double *cells, size_t n, int64_t first);
/*
 * Pearson's r, -1 to 1, of the cells that both know when `a` is moved by `lag` cells. NAN where they share less than LEAST_CELLS or half of
 * the shorter line, too few to be sure, or where one of them shows less than a quarter of its variance there: a flat end fits everywhere.
 */
double correlation_at(const struct line *a, const struct line *b, int64_t lag);

#endif
