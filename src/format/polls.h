/*
 * polls.h - when a row was, in a log without any time: polls are counted, a second for each, and --start and
 * --step place them. A poll ends when a GPU comes again. For this folder only.
 */
#ifndef POSTRUN_POLLS_H
#define POSTRUN_POLLS_H

#include "base/calendar.h"

#define POLLS_MAX_INDEX ((int64_t)1 << 16) /* of a GPU */

struct polls {
	uint32_t *last; /* by index: the last poll in which this GPU was seen, from 1 */
	uint32_t now;
};

/* The time of the poll that this GPU's row belongs to. The index is under POLLS_MAX_INDEX; `mem` is used the first time. */
static inline time_ms polls_time(struct polls *p, struct arena *mem, int64_t index)
{
	if (!p->last)
		p->last = NEW_ARRAY(mem, uint32_t, (size_t)POLLS_MAX_INDEX);
	if (!p->now || p->last[index] == p->now)
		p->now++;
	p->last[index] = p->now;
	return (p->now - 1) * SECOND_MS;
}

#endif
