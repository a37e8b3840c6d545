/*
 * quantile.h - a weighted quantile by counting, without keeping or sorting what is counted. For this folder only.
 *
 *     lowest |----|----|----|-##-|----|---- ... | highest      weights by range, N_RANGES of them
 *                           |--##--|                           the range that holds the quantile, in ranges of its own
 *
 * Every key is shown with its weight, and again in each round, until all keys in the range that holds the quantile are one: one
 * round for percentages, two for watts with two decimals. Each takes RANGE_BITS off the width, so that 7 rounds are the most.
 * Room: 24 bytes a range, 24 KiB, which stays in the fastest cache, and nothing for each key.
 */
#ifndef POSTRUN_QUANTILE_H
#define POSTRUN_QUANTILE_H

#include "series/order.h"

#include <stdbool.h>

enum { RANGE_BITS = 10, N_RANGES = 1 << RANGE_BITS };

/* Keys of one range: what they weigh, and the bits that are set in any and in all of them, which are the same where all are one key. */
struct range {
	int64_t weight;
	uint64_t in_any, in_all;
};

/* The smallest key for which the weights up to it are at least `percent` of `total`, that of all. */
struct quantile {
	int64_t total, below; /* below: what weighs less than `low` */
	int percent, shift;
	uint64_t low, n_keys; /* of this round; range r holds the keys from low + (r << shift) on */
	struct range at[N_RANGES];
};

/* Keys are from `low` to `high`, as in order.h, and `total` is above zero. */
void quantile_begin(struct quantile *q, uint64_t low, uint64_t high, int64_t total, int percent);
/* At the end of a round: true when it is found, false when another is needed. */
bool quantile_found(struct quantile *q, uint64_t *key);

/* Both offsets from q->low, of keys that are in one range. */
static inline void quantile_weigh(struct quantile *q, uint64_t low, uint64_t high, int64_t weight)
{
	struct range *const range = &q->at[low >> q->shift];

	range->weight += weight;
	range->in_any |= low | high;
	range->in_all &= low & high;
}

static inline void quantile_add(struct quantile *q, uint64_t key, int64_t weight)
{
	const uint64_t offset = key - q->low; /* keys below wrap around */

	if (offset < q->n_keys)
		quantile_weigh(q, offset, offset, weight);
}

/* Of keys from `low` to `high` all at once. False where they must be shown one by one: neither out of this round nor in one range. */
static inline bool quantile_add_many(struct quantile *q, uint64_t low, uint64_t high, int64_t weight)
{
	const uint64_t from = low - q->low, to = high - q->low;

	if (from >= q->n_keys && to >= from) /* all below, or all above */
		return true;
	if (from >= q->n_keys || to >= q->n_keys || from >> q->shift != to >> q->shift)
		return false;
	quantile_weigh(q, from, to, weight);
	return true;
}

#endif
