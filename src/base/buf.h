/*
 * buf.h - text that grows, up to a stated maximum.
 *
 * Going over the maximum sets `overflow` and drops the rest: whoever writes the buffer out
 * asks once, at the end. Always NUL-terminated.
 */
#ifndef POSTRUN_BUF_H
#define POSTRUN_BUF_H

#include "base/arena.h"
#include "base/slice.h"

struct buf {
	char *at; /* its own; moves when it grows */
	size_t n, room, max; /* bytes, without the NUL at the end */
	bool overflow;
};

/* Empty; to be released. Of a buffer that can't grow for want of memory the program ends (die_memory). */
void buf_init(struct buf *out, size_t max_bytes);
/* What buf_slice() gave is gone. */
void buf_release(struct buf *out);
/* Each copies what it is given behind what is there; of what goes over the maximum as much as fits. */
void buf_put(struct buf *out, struct slice text);
void buf_text(struct buf *out, const char *text);
void buf_char(struct buf *out, char c);
void buf_fill(struct buf *out, char c, size_t n); /* n times */
void buf_print(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* All that is in it, until it is written to or released. */
struct slice buf_slice(const struct buf *out);
/* The same as a text in `mem`; the buffer is released. */
const char *buf_kept(struct arena *mem, struct buf *out);

#endif
