/*
 * cursor.h - the samples of a track one after the other, for loops over many of them.
 *
 * What is packed is unpacked a pack at a time, with the first sample of the next one, so that until when a sample holds is at
 * hand as well. Any sample may be asked for; near ones cost next to nothing.
 */
#ifndef POSTRUN_CURSOR_H
#define POSTRUN_CURSOR_H

#include "series/track.h"

struct cursor {
	const struct track *track;
	size_t first, n;       /* n samples from `first` on are at hand */
	const time_ms *times;
	const fixed *values;
	time_ms time_room[PACK + 1];
	fixed value_room[PACK + 1];
};

static inline void cursor_start(struct cursor *c, const struct track *t)
{
	c->track = t;
	c->first = c->n = 0;
}

/* Sample i, which there is, comes to hand. */
void cursor_load(struct cursor *c, size_t i);

static inline time_ms cursor_time(struct cursor *c, size_t i)
{
	if (i - c->first >= c->n)
		cursor_load(c, i);
	return c->times[i - c->first];
}

static inline fixed cursor_value(struct cursor *c, size_t i)
{
	if (i - c->first >= c->n)
		cursor_load(c, i);
	return c->values[i - c->first];
}

/* track_until() */
static inline time_ms cursor_until(struct cursor *c, size_t i)
{
	const time_ms begin = cursor_time(c, i), until = begin + c->track->step;

	if (i + 1 == c->track->n)
		return until;
	const time_ms next = cursor_time(c, i + 1);
	return next - begin > HOLE_STEPS * c->track->step ? until : next;
}

#endif
