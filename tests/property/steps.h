/*
 * steps.h - for laws about tracks: a log that did not always look as often.
 */
#ifndef POSTRUN_STEPS_H
#define POSTRUN_STEPS_H

#include "property/laws.h"
#include "series/track.h"

/* Of some stretches of n samples some times `step`, which decides what is a hole there; mostly NULL, as most logs are. */
static inline const struct pack_steps *random_steps(struct random *r, struct arena *mem, const size_t n, const time_ms step)
{
	if (!random_one_in(r, 4))
		return NULL;
	struct pack_steps *const steps = pack_steps_new(mem, n, step);
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1 + (size_t)random_below(r, 3 * PACK);
		end = end < n ? end : n;
		if (random_one_in(r, 2))
			pack_steps_set(steps, i, end, step * (1 + random_below(r, 30)));
	}
	pack_steps_settle(steps, n);
	return steps;
}

#endif
