/*
 * shares.h - a share at each moment of a run, kept small: what was lost at each row of a long log is kept of many rules and GPUs.
 *
 * It is a signal (signal.h) whose values are from 0 to 1, rounded to a billionth, and whose pieces take about six bytes.
 */
#ifndef POSTRUN_SHARES_H
#define POSTRUN_SHARES_H

#include "base/packed.h"
#include "series/signal.h"

struct shares {
	struct packed begins, values; /* of pieces: ms; billionths, or FIXED_MISSING */
	size_t n;
	time_ms end;
};

/* Of a signal, NAN where it is not known; what is below 0 becomes 0, and what is above 1 becomes 1. */
struct shares shares_of(struct arena *mem, struct signal s);
/* What each of n, of which there is one at least, is in its span; these follow one another. Not known of one without pieces. */
struct shares shares_in_turn(struct arena *mem, const struct shares *shares, const struct span *of, size_t n);
/* Known shares times the time for which they hold, in ms; *known: how long that is together. */
double shares_sum(const struct shares *s, struct spans within, time_ms *known);
/* What is known at a moment; NAN: nothing is. */
double shares_at(const struct shares *s, time_ms when);
bool shares_are_same(const struct shares *a, const struct shares *b);

#endif
