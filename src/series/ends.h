/*
 * ends.h - the lowest and the highest of a few neighbouring samples, from the codes of their pack where these say. For this folder and
 * those above that look at a track in cells.
 */
#ifndef POSTRUN_ENDS_H
#define POSTRUN_ENDS_H

#include "series/cursor.h"

enum { CELL = 32 }; /* so many at once are fast */
_Static_assert(PACK % CELL == 0, "a pack is whole cells");

/* The lowest and the one above it, which may be equal; the highest and the one below it. Of one sample the second ones mean nothing. */
struct ends {
	fixed low[2], high[2];
};

/* Of samples [i, end) of the cursor's track, which lie in one pack; false where one has no value. */
bool ends_of(struct cursor *c, size_t i, size_t end, struct ends *out);
/* The same, and the second ones are not told: that is a third of the work. */
bool outer_ends_of(struct cursor *c, size_t i, size_t end, struct ends *out);

enum { CELLS = PACK / CELL };
/* Both of each cell of pack k, all of which there is; false where its codes don't say. */
bool ends_of_pack(const struct track *t, size_t k, struct ends out[CELLS]);
bool outer_ends_of_pack(const struct track *t, size_t k, struct ends out[CELLS]);

/* For how long of the samples of chunk k, which is full, the one holds that does so longest; 0 where the codes of its clock don't say. */
time_ms chunk_longest(const struct track *t, size_t k);

#endif
