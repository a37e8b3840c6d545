/*
 * correlation.c - Pearson's r of two lines at a lag.
 *
 *     a             ~~~~~~~~~~....~~~~~~~~~          .... is not known
 *     b        ~~~~~~~~~~~~~~~~~~~~~...~~~~~~
 *     both          ~~~~~~~~~~    ~~   ~~~~
 *
 * Only the products have to be added up for each lag. All else follows from what each line has added up before: of the cells that the other
 * one has, without the stretches that it does not know.
 */
#include "run/correlation.h"

#include <math.h>
#include <stdbool.h>

#define SHARED_LEAST 0.5 /* of the shorter log, at the lag: fewer cells fit too easily */
#define KEPT_VARIANCE 0.25 /* of a line's variance must lie in the shared part, or a flat end would be what fits */

static double variance_of(double n, double sum, double squares)
{
	return squares / n - sum / n * (sum / n);
}

/* Beside the codes: what they add up to, and where nothing is known. */
static void add_up(struct line *line, const double *cells)
{
	for (size_t i = 0; i < line->n; i++) {
		const bool is_known = !isnan(cells[i]);
		const struct before b = line->before[i];
		const int32_t code = line->codes[i];
		line->before[i + 1] = (struct before){ b.squares + code * code, b.codes + code, b.known + is_known };
		if (is_known)
			continue;
		if (i == 0 || !isnan(cells[i - 1]))
			line->unknown[line->n_unknown++].begin = (int64_t)i;
		line->unknown[line->n_unknown - 1].end = (int64_t)i + 1;
	}
}

struct line line_of(struct arena *mem, const double *cells, size_t n, int64_t first)
{
	struct line line = { .first = first, .n = n, .codes = NEW_ARRAY(mem, int16_t, n), .before = NEW_ARRAY(mem, struct before, n + 1) };
	double low = INFINITY, high = -INFINITY;
	size_t n_begins = 0;

	for (size_t i = 0; i < n; i++) {
		low = cells[i] < low ? cells[i] : low; /* NAN is neither */
		high = cells[i] > high ? cells[i] : high;
		n_begins += isnan(cells[i]) && (i == 0 || !isnan(cells[i - 1]));
	}
	for (size_t i = 0; i < n && low < high; i++)
		if (!isnan(cells[i]))
			line.codes[i] = (int16_t)lround((cells[i] - low) / (high - low) * 2 * CODE_MOST - CODE_MOST);
	line.unknown = NEW_ARRAY(mem, struct cells, n_begins);
	add_up(&line, cells);
	const struct before all = line.before[n];
	if (all.known >= LEAST_CELLS)
		line.variance = variance_of(all.known, all.codes, (double)all.squares);
	return line;
}

/* All that lie in some cells. */
static struct before sum_in(const struct line *line, struct cells in)
{
	const struct before begin = line->before[in.begin], end = line->before[in.end];

	return (struct before){ end.squares - begin.squares, end.codes - begin.codes, end.known - begin.known };
}

static int64_t bounded(int64_t i, struct cells by)
{
	return i < by.begin ? by.begin : i < by.end ? i : by.end;
}

/* Of cells of one line: those that the other one knows as well, whose cell i + offset meets cell i. */
static struct before known_by_both(const struct line *line, struct cells cells, const struct line *other, int64_t offset)
{
	struct before sum = sum_in(line, cells);

	for (size_t i = 0; i < other->n_unknown; i++) {
		const struct cells unknown = other->unknown[i];
		const struct before less =
			sum_in(line, (struct cells){ bounded(unknown.begin - offset, cells), bounded(unknown.end - offset, cells) });
		sum = (struct before){ sum.squares - less.squares, sum.codes - less.codes, sum.known - less.known };
	}
	return sum;
}

#define TOGETHER ((size_t)128) /* products of two codes are below 2^24: so many fit 31 bits, which processors add up eight at a time */

static int64_t products(const int16_t *a, const int16_t *b, size_t n)
{
	int64_t all = 0;

	for (size_t i = 0, end; i < n; i = end) {
		int32_t sum = 0;
		end = n - i < TOGETHER ? n : i + TOGETHER;
		for (size_t k = i; k < end; k++)
			sum += a[k] * b[k];
		all += sum;
	}
	return all;
}

static double least_shared(const struct line *a, const struct line *b)
{
	return fmax((double)LEAST_CELLS, SHARED_LEAST * (double)(a->n < b->n ? a->n : b->n));
}

/* Is that enough of what the line shows elsewhere? */
static bool has_shape(const struct line *line, double variance)
{
	return variance > 0 && variance >= KEPT_VARIANCE * line->variance;
}

double correlation_at(const struct line *a, const struct line *b, int64_t lag)
{
	const int64_t offset = a->first + lag - b->first; /* cell i of `a` meets cell i + offset */
	const int64_t behind = (int64_t)b->n - offset, n = (int64_t)a->n;
	const struct cells of_a = { offset < 0 ? -offset : 0, n < behind ? n : behind };
	const struct cells of_b = { of_a.begin + offset, of_a.end + offset };
	const double least = least_shared(a, b);

	if ((double)(of_a.end - of_a.begin) < least)
		return NAN;
	const struct before in_a = known_by_both(a, of_a, b, offset), in_b = known_by_both(b, of_b, a, -offset);
	if (in_a.known < least)
		return NAN;
	const double known = in_a.known, mean_a = in_a.codes / known, mean_b = in_b.codes / known;
	const double var_a = variance_of(known, in_a.codes, (double)in_a.squares);
	const double var_b = variance_of(known, in_b.codes, (double)in_b.squares);
	if (!has_shape(a, var_a) || !has_shape(b, var_b))
		return NAN;
	const int64_t ab = products(a->codes + of_a.begin, b->codes + of_b.begin, (size_t)(of_a.end - of_a.begin));
	return ((double)ab / known - mean_a * mean_b) / sqrt(var_a * var_b);
}
