/*
 * span.h - sets of time.
 *
 * A span is half-open: [begin, end). A set of spans is sorted by begin; spans never overlap,
 * touch or are empty. Every function here keeps that, so callers never sort or merge.
 */
#ifndef POSTRUN_SPAN_H
#define POSTRUN_SPAN_H

#include "base/arena.h"
#include "base/calendar.h"

struct span {
	time_ms begin, end;
};
struct spans {
	const struct span *at;
	size_t n;
};

/* From spans in any order, overlapping or empty. */
struct spans spans_of(struct arena *mem, const struct span *any, size_t n);
struct spans spans_union(struct arena *mem, struct spans a, struct spans b);
struct spans spans_intersection(struct arena *mem, struct spans a, struct spans b);
/* Each with so much before it and after it, inside of `within`. */
struct spans spans_widened(struct arena *mem, struct spans a, time_ms before, time_ms after, struct span within);
/* What of `within` is not in `a`. */
struct spans spans_complement(struct arena *mem, struct spans a, struct span within);
/* What of `a` is not in `b`. */
struct spans spans_without(struct arena *mem, struct spans a, struct spans b);
time_ms spans_length(struct spans a);
/* How much of `a` lies within. */
time_ms spans_length_in(struct spans a, struct span within);
/* The first span that ends after `t`; a.n: none does. */
size_t spans_seek(struct spans a, time_ms t);
bool spans_hold(struct spans a, time_ms t);
bool spans_are_same(struct spans a, struct spans b);

static inline time_ms later(time_ms a, time_ms b)
{
	return a > b ? a : b;
}
static inline time_ms sooner(time_ms a, time_ms b)
{
	return a < b ? a : b;
}
static inline time_ms span_length(struct span s)
{
	return s.end - s.begin;
}
/* From the first one's begin to the last one's end; there is one at least. */
static inline struct span spans_hull(struct spans a)
{
	return (struct span){ a.at[0].begin, a.at[a.n - 1].end };
}
static inline struct spans spans_one(const struct span *s)
{
	return (struct spans){ s, s->end > s->begin };
}

#endif
