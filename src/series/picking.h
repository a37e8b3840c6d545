/*
 * picking.h - which samples of a chunk have a value in a band, a bit for each, from the codes of its pack. For this folder only.
 *
 * Values of a pack are first + code x unit, so that those of a band are the codes from one to another: a comparison of narrow numbers, of
 * which processors do many at once. A formula is worked out for the ends of the band alone, as it never turns back.
 */
#ifndef POSTRUN_PICKING_H
#define POSTRUN_PICKING_H

#include "series/chunk.h"

struct picking {
	const struct track *track;
	fixed low, high;     /* the column's numbers that are in the band, inclusive; none: low > high */
	fixed least, most;   /* of other numbers nothing is said */
	int bit;             /* of a flag: these masks instead of a band; else -1 */
	bool is_set;         /* those with the bit, or those without */
};

/* Values [low, high] of a track; false where codes don't say, because it is not packed or its formula is of another kind. */
bool picking_of(const struct track *t, fixed low, fixed high, struct picking *out);

enum { PICKED = CHUNK / 64 };
/* Of chunk k, which is full: the bit of its first sample is the lowest of the first number. False where its codes don't say. */
bool picking_bits(const struct picking *p, size_t k, uint64_t bits[PICKED]);
/* The same, a byte for each that is 0 or 1; and those as bits. */
bool picking_marks(const struct picking *p, size_t k, uint8_t is_in[CHUNK]);
void marks_gather(const uint8_t is_in[CHUNK], uint64_t bits[PICKED]);

#endif
