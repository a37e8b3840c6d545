/*
 * quantile.c - which range holds the quantile, and how it is divided in the next round.
 */
#include "series/quantile.h"

static int shift_for(const uint64_t n_keys)
{
	int shift = 0;

	while ((n_keys - 1) >> shift >= N_RANGES)
		shift++;
	return shift;
}

static void begin_round(struct quantile *q)
{
	q->shift = shift_for(q->n_keys);
	for (size_t i = 0; i <= (q->n_keys - 1) >> q->shift; i++)
		q->at[i] = (struct range){ 0, 0, UINT64_MAX };
}

void quantile_begin(struct quantile *q, const uint64_t low, const uint64_t high, const int64_t total, const int percent)
{
	q->total = total;
	q->below = 0;
	q->percent = percent;
	q->low = low;
	q->n_keys = high - low + 1;
	begin_round(q);
}

bool quantile_found(struct quantile *q, uint64_t *key)
{
	size_t range = 0;

	while ((q->below + q->at[range].weight) * 100 < q->total * q->percent) {
		q->below += q->at[range++].weight;
		if (range == N_RANGES)
			BUG("all keys weigh less than the total");
	}
	if (q->at[range].in_any == q->at[range].in_all) {
		*key = q->low + q->at[range].in_any;
		return true;
	}
	const uint64_t offset = (uint64_t)range << q->shift, width = (uint64_t)1 << q->shift;
	q->low += offset;
	q->n_keys = q->n_keys - offset < width ? q->n_keys - offset : width;
	begin_round(q);
	return false;
}
