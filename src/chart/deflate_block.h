/*
 * deflate_block.h - bytes and repetitions, as the bits that DEFLATE has for them (RFC 1951, 3.2).
 *
 * They are put in one after the other, and every few thousand become a block, with codes that are made for what is in it.
 */
#ifndef POSTRUN_DEFLATE_BLOCK_H
#define POSTRUN_DEFLATE_BLOCK_H

#include "base/buf.h"
#include <stdint.h>

#define MATCH_SHORTEST 3
#define MATCH_LONGEST 258
#define MATCH_FURTHEST 32768 /* bytes back */

/*
 * Of 13 pictures 3,000 make 65.1 kB each, 5,000 make 65.4 and 12,000 make 66.2: what comes down a page changes, and so do the codes
 * that are best for it.
 */
#define BLOCK_PIECES 4000

/*
 * A number as a symbol, which tells its leading bits, and the bits behind these. Lengths tell two behind the first, distances one
 * (RFC 1951, 3.2.5).
 */
#define TOLD_BY_LENGTH 2
#define TOLD_BY_DISTANCE 1
struct graded {
	unsigned symbol, n_bits, bits;
};
static inline struct graded graded_from(unsigned value, unsigned n_told)
{
	const unsigned n_bits = 31 - (unsigned)__builtin_clz(value | 1U << n_told) - n_told;
	return (struct graded){ (n_bits << n_told) + (value >> n_bits), n_bits, value & ((1U << n_bits) - 1) };
}

/*
 * A byte as it is, or a match: PIECE_MATCH, and by how much it is longer than the shortest one. Bytes and matches follow each other at
 * random, so whoever writes them does not tell them apart: a byte has a distance, too, whose symbol has no bits.
 */
struct deflate_piece {
	uint16_t kind;
	uint16_t behind; /* the bits behind the symbol of the distance */
	uint8_t symbol;
};
#define PIECE_MATCH 256
#define N_PIECE_KINDS (PIECE_MATCH + MATCH_LONGEST - MATCH_SHORTEST + 1)
#define N_DISTANCES 30
#define NO_DISTANCE N_DISTANCES /* the symbol */
struct deflate_blocks { /* begins with nothing but `out` */
	struct buf *out;
	uint64_t bits; /* that fill no byte of `out` yet, the first one lowest */
	unsigned n_bits;
	size_t n;
	uint16_t uses[N_PIECE_KINDS], distance_uses[N_DISTANCES + 1];
	struct deflate_piece piece[BLOCK_PIECES];
};

/* What was put in since the last block. The last one of all ends at a whole byte. */
void deflate_block_write(struct deflate_blocks *blocks, bool is_last);

static inline void deflate_piece_put(struct deflate_blocks *blocks, size_t kind, struct graded distance)
{
	if (blocks->n == BLOCK_PIECES)
		deflate_block_write(blocks, false);
	blocks->uses[kind]++;
	blocks->distance_uses[distance.symbol]++;
	blocks->piece[blocks->n++] = (struct deflate_piece){ (uint16_t)kind, (uint16_t)distance.bits, (uint8_t)distance.symbol };
}

static inline void deflate_byte(struct deflate_blocks *blocks, uint8_t byte)
{
	deflate_piece_put(blocks, byte, (struct graded){ NO_DISTANCE, 0, 0 });
}

/* `length` bytes as they were `distance` bytes before: MATCH_SHORTEST to MATCH_LONGEST, 1 to MATCH_FURTHEST. */
static inline void deflate_match(struct deflate_blocks *blocks, size_t length, size_t distance)
{
	deflate_piece_put(blocks, PIECE_MATCH + length - MATCH_SHORTEST, graded_from((unsigned)distance - 1, TOLD_BY_DISTANCE));
}

#endif
