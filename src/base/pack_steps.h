/*
 * pack_steps.h - how far apart the rows of a log are that did not always look as often.
 *
 *     10:00:00   98 %
 *     10:00:01   97 %      usual: 1 s
 *     10:10:00   99 %      longer: 10 s, from here on
 *     10:10:10   98 %
 *
 * Of each PACK of rows, so that those who look at a pack at a time have one answer for nearly all of them. A pack with rows of several
 * longer steps has the longest of these for all.
 */
#ifndef POSTRUN_PACK_STEPS_H
#define POSTRUN_PACK_STEPS_H

#include "base/arena.h"
#include "base/calendar.h"
#include "base/packed.h"

struct pack_steps {
	time_ms usual, longer; /* the same where all rows have it */
	uint64_t is_longer[PACK / 64]; /* a bit a row: from it to the next one */
};

/* Of row i. */
static inline time_ms step_at(const struct pack_steps *steps, size_t i)
{
	const struct pack_steps *const pack = &steps[i / PACK];

	return pack->is_longer[i % PACK / 64] >> i % 64 & 1 ? pack->longer : pack->usual;
}

/* Of n rows; `usual` for all of them, at first. */
struct pack_steps *pack_steps_new(struct arena *mem, size_t n, time_ms usual);
/* Rows [first, end) have a longer one. */
void pack_steps_set(struct pack_steps *steps, size_t first, size_t end, time_ms longer);
/* The same with rows so many times as far apart. */
struct pack_steps *pack_steps_scaled(struct arena *mem, const struct pack_steps *steps, size_t n, double times);
/* When all of n rows have theirs. */
void pack_steps_settle(struct pack_steps *steps, size_t n);

#endif
