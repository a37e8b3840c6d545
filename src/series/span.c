/*
 * span.c - the algebra of sets of time.
 *
 * Sets come in sorted and disjoint and go out the same way, so that each operation is one walk
 * over both. Results are allocated at the most that they can be: two sets of n and m spans
 * never make more than n + m.
 */
#include "series/span.h"

#include <stdlib.h>

/* A set under construction. */
struct collection {
	struct arena *mem; /* from which nothing else is taken meanwhile */
	struct span *at;
	size_t n, room;
};

static struct collection collection_new(struct arena *mem, const size_t room)
{
	return (struct collection){ mem, NEW_RAW_ARRAY(mem, struct span, room), 0, room };
}

/* Adds a span that begins no earlier than the last one; joins what touches, drops what is empty. */
static void collection_add(struct collection *c, const struct span s)
{
	struct span *last = c->n > 0 ? &c->at[c->n - 1] : NULL;

	if (s.end <= s.begin)
		return;
	if (last == NULL || s.begin > last->end)
		c->at[c->n++] = s;
	else if (s.end > last->end)
		last->end = s.end;
}

static struct spans collection_spans(const struct collection *c)
{
	return (struct spans){ arena_array_cut(c->mem, c->at, c->room, c->n, sizeof *c->at), c->n };
}

static int by_begin(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	return (left->begin > right->begin) - (left->begin < right->begin);
}

/* Most sets come in order. */
static void sort_by_begin(struct span *at, const size_t n)
{
	size_t i = 1;

	while (i < n && at[i - 1].begin <= at[i].begin)
		i++;
	if (i < n)
		qsort(at, n, sizeof *at, by_begin);
}

struct spans spans_of(struct arena *mem, const struct span *any, const size_t n)
{
	struct collection result = collection_new(mem, n);

	if (n == 0)
		return collection_spans(&result);
	/* Sorted in the place of the result: what is joined never passes what is still to be read. */
	memcpy(result.at, any, n * sizeof *any);
	sort_by_begin(result.at, n);
	for (size_t i = 0; i < n; i++)
		collection_add(&result, result.at[i]);
	return collection_spans(&result);
}

struct spans spans_union(struct arena *mem, const struct spans a, const struct spans b)
{
	struct collection result = collection_new(mem, a.n + b.n);
	size_t i = 0, j = 0;

	while (i < a.n || j < b.n) {
		if (j == b.n || (i < a.n && a.at[i].begin <= b.at[j].begin))
			collection_add(&result, a.at[i++]);
		else
			collection_add(&result, b.at[j++]);
	}
	return collection_spans(&result);
}

static struct span overlap(const struct span a, const struct span b)
{
	return (struct span){
		.begin = a.begin > b.begin ? a.begin : b.begin,
		.end = a.end < b.end ? a.end : b.end,
	};
}

struct spans spans_intersection(struct arena *mem, const struct spans a, const struct spans b)
{
	struct collection result = collection_new(mem, a.n + b.n);
	size_t i = 0, j = 0;

	while (i < a.n && j < b.n) {
		collection_add(&result, overlap(a.at[i], b.at[j]));
		if (a.at[i].end < b.at[j].end)
			i++;
		else
			j++;
	}
	return collection_spans(&result);
}

struct spans spans_complement(struct arena *mem, const struct spans a, const struct span within)
{
	struct collection result = collection_new(mem, a.n + 1);
	time_ms free_from = within.begin;

	for (size_t i = 0; i < a.n && a.at[i].begin < within.end; i++) {
		collection_add(&result, (struct span){ free_from, a.at[i].begin });
		if (a.at[i].end > free_from)
			free_from = a.at[i].end;
	}
	collection_add(&result, (struct span){ free_from, within.end });
	return collection_spans(&result);
}

struct spans spans_without(struct arena *mem, const struct spans a, const struct spans b)
{
	if (!a.n)
		return a;
	return spans_intersection(mem, a, spans_complement(mem, b, spans_hull(a)));
}

struct spans spans_widened(struct arena *mem, const struct spans a, const time_ms before, const time_ms after, const struct span within)
{
	struct collection result = collection_new(mem, a.n);

	for (size_t i = 0; i < a.n; i++)
		collection_add(&result,
			(struct span){ later(a.at[i].begin - before, within.begin), sooner(a.at[i].end + after, within.end) });
	return collection_spans(&result);
}

time_ms spans_length(const struct spans a)
{
	time_ms length = 0;

	for (size_t i = 0; i < a.n; i++)
		length += span_length(a.at[i]);
	return length;
}

time_ms spans_length_in(const struct spans a, const struct span within)
{
	time_ms length = 0;

	for (size_t i = spans_seek(a, within.begin); i < a.n && a.at[i].begin < within.end; i++)
		length += sooner(a.at[i].end, within.end) - later(a.at[i].begin, within.begin);
	return length;
}

size_t spans_seek(const struct spans a, const time_ms t)
{
	size_t low = 0, high = a.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (a.at[middle].end <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool spans_hold(const struct spans a, const time_ms t)
{
	const size_t i = spans_seek(a, t);

	return i < a.n && a.at[i].begin <= t;
}

bool spans_are_same(const struct spans a, const struct spans b)
{
	bool same = a.n == b.n;

	for (size_t i = 0; same && i < a.n; i++)
		same = a.at[i].begin == b.at[i].begin && a.at[i].end == b.at[i].end;
	return same;
}
