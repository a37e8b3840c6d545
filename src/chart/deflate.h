/*
 * deflate.h - the rows of a picture, packed as DEFLATE (RFC 1951).
 *
 * A chart is plain stretches, rows that are much as the row above, and letters that come again. Who looks there first, and nowhere
 * inside of a stretch, needs no table of all bytes. Of 32 pictures of recordings this makes 52 kB each in 1.8 ms; zlib makes 64 kB in
 * 3.1 ms at level 3 and 55 kB in 7.3 ms at level 6.
 */
#ifndef POSTRUN_DEFLATE_H
#define POSTRUN_DEFLATE_H

#include "base/arena.h"
#include "base/buf.h"
#include <stdint.h>

/*
 * Adds to `out`. What is above a byte lies `row_bytes` before it, at least 1. Equal bytes put in become equal bytes, on every machine, in
 * however many parts they are put in. Whatever comes in, no more than 250 kB are used.
 */
struct deflate;
struct deflate *deflate_new(struct arena *mem, size_t row_bytes, struct buf *out);
void deflate_put(struct deflate *d, const uint8_t *bytes, size_t n);
void deflate_end(struct deflate *d);

#endif
