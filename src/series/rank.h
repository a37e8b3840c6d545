/*
 * rank.h - samples by their values, each counted once however long it holds.
 *
 * What counts are samples that have a value and begin inside the spans.
 */
#ifndef POSTRUN_RANK_H
#define POSTRUN_RANK_H

#include "series/chunk.h"

struct ranks {
	size_t n; /* samples that count */
	fixed low, high; /* of them; low > high: none */
};
struct ranks track_ranks(const struct track *t, struct spans within);
/* For each of n ranks, fewer than there are samples, the value that so many of them are not above: of 0 the lowest. */
void track_ranked(struct arena *scratch, const struct track *t, struct spans within, const struct ranks *ranks, const size_t *wanted,
	size_t n, fixed *out);

/* Samples below a value, and those from it on. */
struct side {
	int128 weighted; /* values x ms */
	time_ms held;    /* until the next sample, also where that is beyond the spans */
};
struct sides {
	struct side below, above;
};
struct sides track_sides(const struct track *t, struct spans within, fixed middle);

#endif
