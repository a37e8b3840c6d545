/*
 * rank.h - samples by their values, each counted once however long it holds.
 *
 * What counts are samples that have a value and begin inside the spans.
 */
#ifndef POSTRUN_RANK_H
#define POSTRUN_RANK_H

#include "series/track.h"

struct ranks {
	size_t n; /* samples that count */
	fixed low, high; /* of them; low > high: none */
};
struct ranks track_ranks(const struct track *t, struct spans within);
/* The value that `rank` of them, fewer than there are, are not above: 0 is the lowest. `ranks` are of the same. */
fixed track_ranked(struct arena *scratch, const struct track *t, struct spans within, const struct ranks *ranks, size_t rank);

#endif
