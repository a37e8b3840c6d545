/*
 * pieces.h - how signals are walked and built. For this folder only.
 */
#ifndef POSTRUN_PIECES_H
#define POSTRUN_PIECES_H

#include "series/signal.h"

#include <math.h>

/* A signal under construction; `at` has room for all pieces. */
struct pieces {
	struct piece *at;
	size_t n;
};

static inline struct pieces pieces_new(struct arena *mem, const size_t room)
{
	return (struct pieces){ NEW_RAW_ARRAY(mem, struct piece, room), 0 };
}

/* What does not change needs no piece of its own. */
static inline void pieces_add(struct pieces *p, const time_ms begin, const double value)
{
	const double last = p->n > 0 ? p->at[p->n - 1].value : 0;

	if (p->n == 0 || !(last == value || (isnan(last) && isnan(value))))
		p->at[p->n++] = (struct piece){ begin, value };
}

static inline struct signal pieces_signal(const struct pieces *p, const time_ms end)
{
	return (struct signal){ p->at, p->n, end };
}

/* With the room that is left over given back; nothing was taken from `mem` since pieces_new(mem, room). */
static inline struct signal pieces_signal_cut(struct arena *mem, const struct pieces *p, const size_t room, const time_ms end)
{
	return (struct signal){ arena_array_cut(mem, p->at, room, p->n, sizeof *p->at), p->n, end };
}

static inline struct signal signal_nowhere(const time_ms end)
{
	return (struct signal){ NULL, 0, end };
}

static inline time_ms piece_end(const struct signal *s, const size_t i)
{
	return i + 1 < s->n ? s->at[i + 1].begin : s->end;
}

static inline struct span signal_span(const struct signal *s)
{
	return (struct span){ s->n > 0 ? s->at[0].begin : s->end, s->end };
}

/* Index of the piece that holds at `when`, which is not before the first. */
static inline size_t piece_at(const struct signal *s, const time_ms when)
{
	size_t low = 0, high = s->n; /* at[low].begin <= when < at[high].begin */

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (s->at[middle].begin <= when)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* track_until(), in place: for loops over all samples. */
static inline time_ms held_until(const struct track *t, const size_t i)
{
	const time_ms begin = track_time(t, i), until = begin + track_step(t, i);

	if (i + 1 == t->n)
		return until;
	const time_ms next = track_time(t, i + 1);
	return next - begin > longest_hold(t, i) ? until : next;
}

/* Index of the sample that may hold at `begin`: the last at or before it, or the first of all. `sought`: what track_seek() says of it. */
static inline size_t sample_holding(const struct track *t, const size_t sought, const time_ms begin)
{
	return sought > 0 && (sought == t->n || track_time(t, sought) > begin) ? sought - 1 : sought;
}

static inline size_t sample_before(const struct track *t, const time_ms begin)
{
	return sample_holding(t, track_seek(t, begin), begin);
}

#endif
