/*
 * prefix_code.h - the shortest codes for symbols that come so often, none of them the begin of another, as RFC 1951 numbers them.
 */
#ifndef POSTRUN_PREFIX_CODE_H
#define POSTRUN_PREFIX_CODE_H

#include <stddef.h>
#include <stdint.h>

#define PREFIX_CODE_MOST_SYMBOLS 286
#define PREFIX_CODE_MOST_BITS 15

struct prefix_code {
	uint8_t length[PREFIX_CODE_MOST_SYMBOLS]; /* bits; 0: no code */
	uint16_t bits[PREFIX_CODE_MOST_SYMBOLS]; /* the first one lowest */
};

/*
 * For symbol s of n, which comes counts[s] times; one that never comes has no code, but that there are two codes at least: unpackers may
 * refuse a single one. None is longer than `most` bits.
 */
void prefix_code_make(struct prefix_code *c, const uint32_t *counts, size_t n, size_t most);

#endif
