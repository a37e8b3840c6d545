/* heap.c - what comes later than one of those below it changes places with the first of them, until it does not. */
#include "base/heap.h"

static void sink(void **at, size_t n, size_t from, heap_order *is_before)
{
	for (size_t i = from, first = from;; i = first) {
		for (size_t below = 2 * i + 1; below < 2 * i + 3 && below < n; below++)
			if (is_before(at[below], at[first]))
				first = below;
		if (first == i)
			return;
		void *const moved = at[i];
		at[i] = at[first];
		at[first] = moved;
	}
}

void heap_make(void **at, size_t n, heap_order *is_before)
{
	for (size_t i = n / 2; i--;)
		sink(at, n, i, is_before);
}

void heap_sink_first(void **at, size_t n, heap_order *is_before)
{
	sink(at, n, 0, is_before);
}
