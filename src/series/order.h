/*
 * order.h - sorting and weighted quantiles, in linear time whatever the input.
 *
 * Values become keys that sort as unsigned integers, so that one radix sort serves exact
 * fixed values, doubles and differences of times. A comparison sort of a day's samples took five
 * times as long, and counting in a hash table can be made slow on purpose by a log.
 */
#ifndef POSTRUN_ORDER_H
#define POSTRUN_ORDER_H

#include "base/arena.h"
#include <stdint.h>

struct ordered {
	uint64_t key;
	int64_t load; /* what goes with the key: its weight in ms, or an index */
};

#define KEY_SIGN ((uint64_t)1 << 63)

static inline uint64_t key_from_integer(int64_t value)
{
	return (uint64_t)value ^ KEY_SIGN;
}
static inline int64_t integer_from_key(uint64_t key)
{
	return (int64_t)(key ^ KEY_SIGN);
}
/* Not for NAN; both zeros are one key. */
uint64_t key_from_double(double value);
double double_from_key(uint64_t key);

/* Ascending by key, stable. */
void order_sort(struct arena *scratch, struct ordered *items, size_t n);
/*
 * The smallest key for which the loads up to it are at least `percent` of `total`, their sum;
 * `sorted` holds at least one item and loads are above zero.
 */
uint64_t order_quantile(const struct ordered *sorted, size_t n, int64_t total, int percent);

#endif
