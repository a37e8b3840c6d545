/*
 * deflate.h - packs the rows of a picture as RFC 1950 and 1951 say.
 *
 * Any unpacker reads it. What makes it faster than a packer of texts, and its files smaller, is that it knows where a picture repeats
 * itself: in the row above, in the pixel before, and where the same letter was drawn before.
 */
#ifndef POSTRUN_DEFLATE_H
#define POSTRUN_DEFLATE_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdint.h>

/* n bytes, in rows of `stride` each. */
void deflate_rows(struct arena *scratch, const uint8_t *bytes, size_t n, size_t stride, struct buf *out);

#endif
