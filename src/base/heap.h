/* heap.h - of many things that change one at a time, the one that comes first. */
#ifndef POSTRUN_HEAP_H
#define POSTRUN_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A heap is an array in which none of the two below each, at 2 i + 1 and 2 i + 2, is before it: at[0] is the first of all. Which of several
 * that are before none of the others comes first hangs on how they came in: who cares orders all of them.
 */
typedef bool heap_order(const void *a, const void *b); /* is a before b? */

/* Makes a heap of n things in any order. */
void heap_make(void **at, size_t n, heap_order *is_before);
/* The first has become another, or comes later than it did. */
void heap_sink_first(void **at, size_t n, heap_order *is_before);

#endif
