/*
 * cursor.h - the samples of a track one after the other, for loops over many of them.
 *
 * What is packed is unpacked a pack at a time, times with that of the first sample of the next one, so that until when a sample holds is
 * at hand as well. Any sample may be asked for; near ones cost next to nothing.
 */
#ifndef POSTRUN_CURSOR_H
#define POSTRUN_CURSOR_H

#include "series/track.h"

struct cursor {
	const struct track *track;
	size_t first_time, n_times;   /* times from sample `first_time` on are at hand, */
	size_t first_value, n_values; /* and values: each when it is first asked for */
	const time_ms *times;
	const fixed *values;
	time_ms time_room[PACK + 1];
	fixed value_room[PACK];
};

static inline void cursor_start(struct cursor *c, const struct track *t)
{
	c->track = t;
	c->first_time = c->n_times = c->first_value = c->n_values = 0;
}

/* Of the pack of sample i, which there is: its times, with that of the first sample of the next pack, and its values. */
void cursor_load_times(struct cursor *c, size_t i);
void cursor_load_values(struct cursor *c, size_t i);

static inline time_ms cursor_time(struct cursor *c, size_t i)
{
	if (i - c->first_time >= c->n_times)
		cursor_load_times(c, i);
	return c->times[i - c->first_time];
}

static inline fixed cursor_value(struct cursor *c, size_t i)
{
	if (i - c->first_value >= c->n_values)
		cursor_load_values(c, i);
	return c->values[i - c->first_value];
}

/* Those of the pack of sample i, which there is, from it on; of times one more, if there is one. */
static inline const time_ms *cursor_times(struct cursor *c, size_t i)
{
	if (i - c->first_time >= (c->track->times ? c->n_times : PACK) || c->n_times == 0) /* the first of a pack is that one more, too */
		cursor_load_times(c, i);
	return c->times + (i - c->first_time);
}

static inline const fixed *cursor_values(struct cursor *c, size_t i)
{
	cursor_value(c, i);
	return c->values + (i - c->first_value);
}

/* track_until() */
static inline time_ms cursor_until(struct cursor *c, size_t i)
{
	const time_ms begin = cursor_time(c, i), until = begin + track_step(c->track, i);

	if (i + 1 == c->track->n)
		return until;
	const time_ms next = cursor_time(c, i + 1);
	return next - begin > longest_hold(c->track, i) ? until : next;
}

#endif
