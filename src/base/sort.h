/* sort.h - plain values in ascending order, in place. Of none `values` may be NULL. What else is sorted has an order of its own. */
#ifndef POSTRUN_SORT_H
#define POSTRUN_SORT_H

#include "base/calendar.h"

/* None of them NAN. */
void doubles_sort(double *values, size_t n);
void times_sort(time_ms *values, size_t n);
/* Byte by byte, whatever the locale. */
void texts_sort(const char **values, size_t n);

#endif
