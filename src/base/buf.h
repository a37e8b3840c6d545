/*
 * buf.h - text that grows, up to a stated maximum.
 *
 * Going over the maximum sets `overflow` and drops the rest: whoever writes the buffer out
 * asks once, at the end. Always NUL-terminated.
 */
#ifndef POSTRUN_BUF_H
#define POSTRUN_BUF_H

#include "base/slice.h"

struct buf {
	char *at;
	size_t n, room, max;
	bool overflow;
};

void buf_init(struct buf *out, size_t max_bytes);
void buf_release(struct buf *out);
void buf_put(struct buf *out, struct slice text);
void buf_text(struct buf *out, const char *text);
void buf_char(struct buf *out, char c);
void buf_fill(struct buf *out, char c, size_t n);
void buf_print(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct slice buf_slice(const struct buf *out);

#endif
