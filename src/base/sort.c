/* sort.c - see sort.h. */
#include "base/sort.h"

#include <stdlib.h>

static int by_double(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int by_time(const void *a, const void *b)
{
	const time_ms x = *(const time_ms *)a, y = *(const time_ms *)b;

	return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void doubles_sort(double *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof *values, by_double);
}

void times_sort(time_ms *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof *values, by_time);
}

void texts_sort(const char **values, size_t n)
{
	if (n)
		qsort(values, n, sizeof *values, by_text);
}
