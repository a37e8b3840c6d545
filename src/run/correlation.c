/*
 * correlation.c - Pearson's r of two lines at one lag after the other.
 *
 *     a         ~~~~~~~~~~~~~~~~~
 *     b    ~~~~~~~~~~~~~~~~~~~~~~~
 *     a + 1      ~~~~~~~~~~~~~~~~~      four lags share nearly all cells: each of a's meets four neighbours of b's
 */
#include "run/correlation.h"

#include <math.h>
#include <string.h>

#define SHARED_LEAST 0.5 /* of the shorter log, at the lag: fewer cells fit too easily */
#define KEPT_VARIANCE 0.25 /* of a line's variance must lie in the shared part, or a flat end would be what fits */

/* Of the cells that both lines know when one of them is moved. */
struct sums {
	double n, a, b, aa, bb, ab;
};

/* Cells [begin, end) of `a`; its cell i meets b's cell i + offset. */
struct cells {
	int64_t begin, end;
};

static struct cells cells_shared(const struct line *a, const struct line *b, int64_t offset)
{
	const int64_t behind = (int64_t)b->n - offset;

	return (struct cells){ offset < 0 ? -offset : 0, (int64_t)a->n < behind ? (int64_t)a->n : behind };
}

static void add_cells(struct sums *s, const struct line *a, const struct line *b, int64_t offset, struct cells cells)
{
	for (int64_t i = cells.begin; i < cells.end; i++) {
		const double x = a->at[i], y = b->at[i + offset];
		if (isnan(x) || isnan(y))
			continue;
		s->n++;
		s->a += x, s->b += y;
		s->aa += x * x, s->bb += y * y, s->ab += x * y;
	}
}

#define TOGETHER 4 /* lags, which are looked at side by side: the same sums in the same order, in half the time */
typedef double two __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t bits_of_two __attribute__((vector_size(2 * sizeof(int64_t))));

struct sums_of_two { /* neighbouring lags */
	two n, a, b, aa, bb, ab;
};

static inline two where(bits_of_two is_so, two number)
{
	return (two)((bits_of_two)number & is_so);
}

/* A known cell, and those that it meets, which may not be `all_known`; to add 0 changes no sum. */
static inline void add_to_two(struct sums_of_two *s, double cell, const double *met, const bool all_known)
{
	two x = { cell, cell }, one = { 1, 1 }, y;

	memcpy(&y, met, sizeof y);
	if (!all_known) {
		const bits_of_two is_known = y == y;
		one = where(is_known, one);
		x = where(is_known, x);
		y = where(is_known, y);
	}
	s->n += one;
	s->a += x, s->b += y;
	s->aa += x * x, s->bb += y * y, s->ab += x * y;
}

static struct sums_of_two joined_sums(const struct sums *s)
{
	return (struct sums_of_two){ { s[0].n, s[1].n }, { s[0].a, s[1].a }, { s[0].b, s[1].b }, { s[0].aa, s[1].aa },
		{ s[0].bb, s[1].bb }, { s[0].ab, s[1].ab } };
}

static void part_sums(struct sums *s, const struct sums_of_two *of)
{
	for (size_t k = 0; k < 2; k++)
		s[k] = (struct sums){ of->n[k], of->a[k], of->b[k], of->aa[k], of->bb[k], of->ab[k] };
}

static inline void add_to_four(
	struct sums *s, const struct line *a, const double *met, struct cells cells, const bool all_known)
{
	struct sums_of_two near = joined_sums(s), far = joined_sums(s + 2);

	for (int64_t i = cells.begin; i < cells.end; i++, met++) {
		if (isnan(a->at[i]))
			continue;
		add_to_two(&near, a->at[i], met, all_known);
		add_to_two(&far, a->at[i], met + 2, all_known);
	}
	part_sums(s, &near);
	part_sums(s + 2, &far);
}

/* To the sums of `offset` and of those that follow it; the cells are shared with all of these. */
static void add_cells_together(struct sums *s, const struct line *a, const struct line *b, int64_t offset, struct cells cells)
{
	const double *const met = b->at + cells.begin + offset;

	if (b->is_whole)
		add_to_four(s, a, met, cells, true);
	else
		add_to_four(s, a, met, cells, false);
}

static double least_shared(const struct line *a, const struct line *b)
{
	return fmax((double)LEAST_CELLS, SHARED_LEAST * (double)(a->n < b->n ? a->n : b->n));
}

/* Pearson's r of what both know; NAN where that is too little. */
static double correlation_of(const struct sums *s, const struct line *a, const struct line *b)
{
	const double n = s->n;

	if (n < least_shared(a, b))
		return NAN;
	const double var_a = s->aa / n - s->a / n * (s->a / n), var_b = s->bb / n - s->b / n * (s->b / n);
	if (var_a < KEPT_VARIANCE * a->variance || var_b < KEPT_VARIANCE * b->variance || var_a <= 0 || var_b <= 0)
		return NAN;
	return (s->ab / n - s->a / n * (s->b / n)) / sqrt(var_a * var_b);
}

double correlation_at(const struct line *a, const struct line *b, int64_t lag)
{
	const int64_t offset = a->first + lag - b->first;
	struct sums sums = { 0 };

	add_cells(&sums, a, b, offset, cells_shared(a, b, offset));
	return correlation_of(&sums, a, b);
}

/* The same of TOGETHER lags from this one on, which share most cells: these at once, those before and behind by themselves. */
static void correlations_from(const struct line *a, const struct line *b, int64_t lag, double *r)
{
	const int64_t offset = a->first + lag - b->first;
	const struct cells first = cells_shared(a, b, offset), last = cells_shared(a, b, offset + TOGETHER - 1);
	const struct cells shared = { first.begin, last.end };
	struct sums sums[TOGETHER] = { { 0 } };

	for (int k = 0; k < TOGETHER; k++)
		add_cells(&sums[k], a, b, offset + k, (struct cells){ cells_shared(a, b, offset + k).begin, shared.begin });
	add_cells_together(sums, a, b, offset, shared);
	for (int k = 0; k < TOGETHER; k++) {
		add_cells(&sums[k], a, b, offset + k, (struct cells){ shared.end, cells_shared(a, b, offset + k).end });
		r[k] = correlation_of(&sums[k], a, b);
	}
}

/* Where lines overlap by less than they must share, which is far more than a few cells, nothing is added up. */
void correlations(const struct line *a, const struct line *b, int64_t lag, int64_t n, double *r)
{
	const double least = least_shared(a, b);

	for (int64_t i = 0, step; i < n; i += step) {
		const struct cells first = cells_shared(a, b, a->first + lag + i - b->first);
		const struct cells last = cells_shared(a, b, a->first + lag + i + TOGETHER - 1 - b->first);
		const bool is_short = (double)(first.end - last.begin) < least;
		step = i + TOGETHER <= n ? TOGETHER : 1;
		if (is_short)
			for (int64_t k = 0; k < step; k++)
				r[i + k] = NAN;
		else if (step > 1)
			correlations_from(a, b, lag + i, r + i);
		else
			r[i] = correlation_at(a, b, lag + i);
	}
}
