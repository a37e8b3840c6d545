/*
 * cuts.h - how truth lines are walked and built. For this folder only.
 */
#ifndef POSTRUN_CUTS_H
#define POSTRUN_CUTS_H

#include "series/pieces.h"
#include "series/truth.h"

/* A line under construction; `at` has room for all cuts. */
struct cuts {
	struct cut *at;
	size_t n;
};

static inline struct cuts cuts_new(struct arena *mem, const size_t room)
{
	return (struct cuts){ .at = NEW_RAW_ARRAY(mem, struct cut, room) };
}

static inline void cuts_add(struct cuts *c, const time_ms at, const enum truth truth)
{
	if (c->n == 0 || c->at[c->n - 1].truth != truth)
		c->at[c->n++] = cut_made(at, truth);
}

static inline struct truths cuts_line(const struct cuts *c, const time_ms end)
{
	return (struct truths){ c->at, c->n, end };
}

/* With the room that is left over given back; nothing was taken from `mem` since cuts_new(mem, room). */
static inline struct truths cuts_line_cut(struct arena *mem, const struct cuts *c, const size_t room, const time_ms end)
{
	return (struct truths){ arena_array_cut(mem, c->at, room, c->n, sizeof *c->at), c->n, end };
}

static inline struct truths truths_nowhere(const time_ms end)
{
	return (struct truths){ NULL, 0, end };
}

static inline time_ms truth_end(const struct truths *line, const size_t i)
{
	return i + 1 < line->n ? line->at[i + 1].at : line->end;
}

static inline struct span truth_stretch(const struct truths *line, const size_t i)
{
	return (struct span){ line->at[i].at, truth_end(line, i) };
}

static inline bool is_so(const double a, const enum comparison how, const double b)
{
	switch (how) {
	case LESS:
		return a < b;
	case LESS_EQUAL:
		return a <= b;
	case GREATER:
		return a > b;
	case GREATER_EQUAL:
		return a >= b;
	case EQUAL:
		return a == b;
	case NOT_EQUAL:
		return a != b;
	}
	BUG("no such comparison");
}

static inline enum truth compared(const double a, const enum comparison how, const double b)
{
	if (isnan(a) || isnan(b))
		return UNKNOWN;
	return is_so(a, how, b) ? YES : NO;
}

/* Cuts while nobody knows how many there will be: plain memory that doubles, then an arena's at the exact size. */
struct growing {
	struct cuts cuts;
	size_t room;
};

static inline void growing_add(struct growing *g, const time_ms at, const enum truth truth)
{
	if (g->cuts.n == g->room)
		g->cuts.at = grow(g->cuts.at, &g->room, g->cuts.n + 1, sizeof *g->cuts.at);
	cuts_add(&g->cuts, at, truth);
}

/* Would one more of this truth be no cut? */
static inline bool growing_goes_on(const struct growing *g, const enum truth truth)
{
	return g->cuts.n && g->cuts.at[g->cuts.n - 1].truth == truth;
}

/* For so many more. */
static inline void growing_room(struct growing *g, const size_t n)
{
	if (g->room - g->cuts.n < n)
		g->cuts.at = grow(g->cuts.at, &g->room, g->cuts.n + n, sizeof *g->cuts.at);
}

static inline struct truths growing_line(struct arena *mem, struct growing *g, const time_ms end)
{
	struct cuts kept = cuts_new(mem, g->cuts.n);

	for (size_t i = 0; i < g->cuts.n; i++)
		kept.at[kept.n++] = g->cuts.at[i];
	grow_free(g->cuts.at);
	return cuts_line(&kept, end);
}

/* Walks the stretches in which neither of two lines changes. */
struct pair {
	const struct truths *a, *b;
	size_t next_a, next_b;
	/* found: */
	struct span stretch;
	enum truth truth_a, truth_b;
};

static inline struct pair pair_start(const struct truths *a, const struct truths *b)
{
	return (struct pair){ .a = a, .b = b };
}

static inline bool pair_next(struct pair *p)
{
	while (p->next_a < p->a->n && p->next_b < p->b->n) {
		const struct cut *const a = &p->a->at[p->next_a], *const b = &p->b->at[p->next_b];
		const time_ms a_end = truth_end(p->a, p->next_a), b_end = truth_end(p->b, p->next_b);

		p->stretch = (struct span){ later(a->at, b->at), sooner(a_end, b_end) };
		p->truth_a = a->truth;
		p->truth_b = b->truth;
		p->next_a += a_end <= b_end;
		p->next_b += b_end <= a_end;
		if (span_length(p->stretch) > 0)
			return true;
	}
	return false;
}

#endif
