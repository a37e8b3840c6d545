/*
 * crossed.h - for how long the rows of a log have which flags together, and with which values.
 *
 * Why clocks are held down, how busy a GPU is and its clock are told by the same row. As sets of time each would be cut by the others, and
 * the samples in what is left looked for again. Here each row is looked at once, for all that is asked: what flags are set in it is its
 * kind, and of each kind it is told for how long it held with each value.
 *
 * Exact whole numbers, which nothing depends on but the rows. One pass, and room for each kind's values.
 */
#ifndef POSTRUN_CROSSED_H
#define POSTRUN_CROSSED_H

#include "series/track.h"

enum { MOST_FLAGS = 16, MOST_KINDS = 64 };

/* Rows in which all of these flags are set and none of those: bit f is flag f. */
struct flag_pick {
	uint32_t with, without;
};

struct crossing {
	const struct track *flags[MOST_FLAGS]; /* with a step, all on one clock; set where the value is above 0 */
	size_t n_flags;
	const struct track *beside;            /* the one whose values are told, on that clock, too */
	struct flag_pick picks[MOST_FLAGS];    /* whose stretches are counted */
	size_t n_picks;
};

/* Rows with the same flags. Where a flag has no value it is neither set nor known. */
struct row_kind {
	uint32_t set, known;
	time_ms held;     /* ms for which all of them hold, */
	time_ms *by_value; /* and those with value low + i units, n_values numbers */
};

struct crossed {
	const struct row_kind *kinds; /* at most MOST_KINDS, in no order */
	size_t n;
	fixed low;                    /* of all values; their unit is FIXED_ONE */
	size_t n_values;
	size_t stretches[MOST_FLAGS]; /* of each pick: rows of it that hold until the next one are one */
};

/*
 * In `mem`. False where values are not whole, or too far apart to count by, or there are too many kinds of rows: then nothing is known,
 * and the tracks have to be looked at one by one.
 */
bool rows_crossed(struct arena *mem, const struct crossing *asked, struct crossed *out);
/* The smallest value for which rows of such kinds up to it hold for at least the share of all; false where no value is known of any. */
bool crossed_quantile(const struct crossed *c, struct flag_pick pick, int percent, fixed *value);
bool crossed_lowest(const struct crossed *c, struct flag_pick pick, fixed *value);

static inline bool kind_is_in(const struct row_kind *kind, const struct flag_pick pick)
{
	return (kind->set & pick.with) == pick.with && !(kind->set & pick.without);
}

#endif
