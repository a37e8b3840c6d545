/*
 * cursor.c - what a cursor has at hand.
 */
#include "series/cursor.h"

void cursor_load_times(struct cursor *c, const size_t i)
{
	const struct track *const t = c->track;
	const size_t pack = i / PACK * PACK;

	if (t->times) {
		c->first_time = 0;
		c->n_times = t->n;
		c->times = t->times;
		return;
	}
	c->first_time = pack;
	c->n_times = t->n - pack < PACK + 1 ? t->n - pack : PACK + 1;
	c->times = c->time_room;
	clock_fetch(t, pack / PACK + 1);
	track_times(t, pack, c->n_times, c->time_room);
}

void cursor_load_values(struct cursor *c, const size_t i)
{
	const struct track *const t = c->track;
	const size_t pack = i / PACK * PACK;

	if (t->values) {
		c->first_value = 0;
		c->n_values = t->n;
		c->values = t->values;
		return;
	}
	c->first_value = pack;
	c->n_values = t->n - pack < PACK ? t->n - pack : PACK;
	c->values = c->value_room;
	column_fetch(t, pack / PACK + 1);
	track_values(t, pack, c->n_values, c->value_room);
}
