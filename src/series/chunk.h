/*
 * chunk.h - what is in each CHUNK samples of a track, so that most of them need not be looked at again.
 *
 * Most questions of a track are whether it is above or below something, and nearly always a chunk as a whole
 * answers: all of its values are on one side. Sums over a time are those of its chunks and of the samples at its ends.
 *
 * A chunk is a pack of the column. So its lowest and highest are known from the pack alone, and its sum from the codes.
 */
#ifndef POSTRUN_CHUNK_H
#define POSTRUN_CHUNK_H

#include "series/track.h"

__extension__ typedef __int128 int128;

/* Values x ms, added up, as units x ms. */
static inline double weighted_value(const int128 weighted)
{
	return (double)(int64_t)(weighted / FIXED_ONE) + (double)(int64_t)(weighted % FIXED_ONE) / FIXED_ONE;
}

enum { CHUNK = PACK };

struct chunk {
	int64_t weighted; /* values x ms for which they hold, if has_sum: it fits 64 bits, as nearly always, and is of no share */
	fixed low, high; /* of the known values; low > high: none */
	uint64_t known : 62; /* ms for which values hold */
	uint64_t has_sum : 1;
	uint64_t is_full : 1; /* every sample has a value and holds until the next, also the last until the first of the next chunk */
};

/*
 * Chunk k is of the samples [k * CHUNK, (k + 1) * CHUNK); the rest of the track, and its last sample, are in none. Those that the
 * track has already are not made again.
 */
struct chunks chunks_of(struct arena *mem, const struct track *t);
/*
 * Of several tracks that are on one clock, into room for as many each as chunks_count() says; NULL: not of this one. Other
 * threads may do so with other tracks.
 */
size_t chunks_count(const struct track *t);
void chunks_fill(struct track *const *tracks, size_t n, struct chunk *const *into);

/* Of all its values; where none is known NOTHING_SEEN. */
struct extremes_seen track_outermost(const struct track *t);
/* How far each sample of a chunk is late of a clock that ticks evenly. */
struct ticks {
	int32_t slope; /* ms from one tick to the next */
	int16_t late[CHUNK]; /* of sample i the next one: it holds for slope + late[i] */
};
/* Of chunk k, where its clock ticks so evenly that no hole is in it; false of others, and of some. */
bool chunk_ticks(const struct track *t, size_t k, struct ticks *ticks);

/* Samples of a chunk: values x ms, and for how long they hold. */
struct partial {
	int128 weighted;
	time_ms held;
};
/*
 * Those of the samples [from, end) of chunk k, at least one, that are `least` or more; INT64_MIN: all of them. False where one of the
 * chunk is not known, or its codes don't tell.
 */
bool chunk_part(const struct track *t, size_t k, size_t from, size_t end, fixed least, struct partial *out);
/* The lowest and the highest of them. False likewise. */
bool chunk_range(const struct track *t, size_t k, size_t from, size_t end, struct extremes_seen *out);
/* For how long those hold, of masks, in which any of these bits, below 2^15, is set. False likewise, and where they are no masks. */
bool chunk_held(const struct track *t, size_t k, size_t from, size_t end, uint16_t bits, time_ms *out);

/* Masks, if that is what its codes are: whole numbers from the first one on, none of them missing. */
static inline bool pack_has_masks(const struct pack *p)
{
	return p->width > 0 && p->width <= sizeof(uint16_t) && p->unit == FIXED_ONE && p->first >= 0 && p->first % FIXED_ONE == 0 &&
	       p->first / FIXED_ONE <= INT16_MAX;
}

/* The bits that any mask of chunk k has, which is full. False where its codes don't say. */
bool chunk_masks(const struct track *t, size_t k, uint32_t *any);

/* The one bit that a flag asks masks for; -1: it asks for another number of them, or one beyond the masks that drivers write. */
static inline int flag_bit(const struct formula *f)
{
	return f->of > 0 && f->of <= UINT16_MAX && (f->of & (f->of - 1)) == 0 ? __builtin_ctz((unsigned)f->of) : -1;
}

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
