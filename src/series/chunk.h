/*
 * chunk.h - what is in each CHUNK samples of a track, so that most of them need not be looked at again.
 *
 * Many rules ask of the same track whether it is above or below something, and nearly always a chunk as a whole
 * answers: all of its values are on one side. Sums over a time are those of its chunks and of the samples at its ends.
 */
#ifndef POSTRUN_CHUNK_H
#define POSTRUN_CHUNK_H

#include "series/track.h"

__extension__ typedef __int128 int128;

enum { CHUNK = PACK };

struct chunk {
	int128 weighted;  /* values x ms for which they hold */
	fixed low, high;  /* of the known values; low > high: none */
	time_ms known;    /* ms for which values hold */
	bool is_full;     /* every sample has a value and holds until the next, also the last until the first of the next chunk */
};

/* Chunk k is of the samples [k * CHUNK, (k + 1) * CHUNK); the rest of the track, and its last sample, are in none. */
struct chunks chunks_of(struct arena *mem, const struct track *t);

/* The chunk that sample i is in; NULL when there is none. */
static inline const struct chunk *chunk_with(const struct track *t, const size_t i)
{
	return i / CHUNK < t->chunks.n ? &t->chunks.at[i / CHUNK] : NULL;
}

/* The chunk that begins with sample i and ends before sample `end`; NULL when there is none. */
static inline const struct chunk *chunk_from(const struct track *t, const size_t i, const size_t end)
{
	const size_t k = i / CHUNK;

	return i % CHUNK == 0 && k < t->chunks.n && i + CHUNK <= end ? &t->chunks.at[k] : NULL;
}

#endif
