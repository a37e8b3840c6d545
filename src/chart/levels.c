/*
 * levels.c - gathers levels GPU by GPU, so that no more of a GPU than one number a bin stays in memory, and puts those of a bin in order.
 *
 * A picture of 512 GPUs sorts some thousand bins: to do so without calling a function for each comparison takes a third of the time.
 */
#include "chart/levels.h"

#include <math.h>
#include <string.h>

#define APART 8   /* numbers more than there are: rows of a power of two would all want the same places of the cache */
#define FEW_SORTED ((size_t)8)

struct levels levels_new(struct arena *mem, size_t n_bins, size_t n_gpus)
{
	const size_t room = n_gpus + APART, n = n_bins * room;
	return (struct levels){ n_bins, n_gpus, NEW_RAW_ARRAY(mem, double, n), room, NEW_ARRAY(mem, size_t, n_bins),
		NEW_RAW_ARRAY(mem, double, n_gpus) };
}

void levels_add(struct levels *l, const double *values)
{
	for (size_t k = 0; k < l->n_bins; k++)
		if (!isnan(values[k]))
			l->at[k * l->room + l->n_known[k]++] = values[k];
}

static void sort_few(double *values, size_t n)
{
	for (size_t i = 1, at; i < n; i++) {
		const double value = values[i];
		for (at = i; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

/* Two that are in order as one. Which of two numbers is less nobody can foresee, so nothing here branches on it. */
static void merge(const double *a, size_t n_a, const double *b, size_t n_b, double *out)
{
	size_t i = 0, j = 0;
	while (i < n_a && j < n_b) {
		const bool is_b = b[j] < a[i];
		*out++ = is_b ? b[j] : a[i];
		i += !is_b;
		j += is_b;
	}
	memcpy(out, a + i, (n_a - i) * sizeof *out);
	memcpy(out + (n_a - i), b + j, (n_b - j) * sizeof *out);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Lowest first, in one of both, which have room for n. */
static const double *values_sorted(double *values, double *spare, size_t n)
{
	double *from = values, *to = spare;
	for (size_t i = 0; i < n; i += FEW_SORTED)
		sort_few(values + i, least(FEW_SORTED, n - i));
	for (size_t run = FEW_SORTED; run < n; run *= 2) {
		for (size_t i = 0; i < n; i += 2 * run) {
			const size_t n_a = least(run, n - i), n_b = least(run, n - i - n_a);
			merge(from + i, n_a, from + i + n_a, n_b, to + i);
		}
		double *const other = from;
		from = to;
		to = other;
	}
	return from;
}

const double *levels_sorted(struct levels *l, size_t k, size_t *n)
{
	*n = l->n_known[k];
	return values_sorted(l->at + k * l->room, l->spare, *n);
}
