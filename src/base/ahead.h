/*
 * ahead.h - bytes that are made on a thread of their own, some blocks ahead of who reads them.
 *
 * What is read is the same with the thread and without. Whatever `make` works on is the thread's until ahead_stop() returns.
 */
#ifndef POSTRUN_AHEAD_H
#define POSTRUN_AHEAD_H

#include <stddef.h>

struct ahead;

/* `make` puts up to n bytes at `to`, 0 at the end. NULL: no core is free for it, or no thread is to be had. */
struct ahead *ahead_start(size_t (*make)(void *of, char *to, size_t n), void *of);
/* Up to n bytes; 0 at the end. */
size_t ahead_read(struct ahead *a, char *to, size_t n);
/* No more is begun: what is ahead can be read, and behind it 0 is the end of that. */
void ahead_rest(struct ahead *a);
/* Also before the end: waits until the block is made that is being made, and drops what was not read. */
void ahead_stop(struct ahead *a);

#endif
