/*
 * cursor.c - what a cursor has at hand.
 */
#include "series/cursor.h"

void cursor_load(struct cursor *c, size_t i)
{
	const struct track *const t = c->track;
	const size_t pack = i / PACK * PACK;

	if (t->times && t->values) {
		c->n = t->n;
		c->times = t->times;
		c->values = t->values;
		return;
	}
	c->first = pack;
	c->n = t->n - pack < PACK + 1 ? t->n - pack : PACK + 1;
	c->times = c->time_room;
	c->values = c->value_room;
	track_times(t, pack, c->n, c->time_room);
	if (t->values || t->column.at) /* else it has only a clock */
		track_values(t, pack, c->n, c->value_room);
}
