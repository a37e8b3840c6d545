/*
 * tally.h - for how long a track has each of its values, or how many samples do: few, as logs write them. For this folder only.
 *
 * Of a packed column the codes are counted as they are, in one pass: busy has 101 values, a clock a few hundred, power in
 * hundredths some ten thousand. All that statistics need of the samples follows from that. A formula (track.h) is worked out
 * once for each value.
 *
 * Time: a few instructions a sample, and as many for each slot. Room: 8 bytes a slot, a slot for each number that can be
 * between the lowest and the highest, and 16 bytes for each that there is; nothing for each sample.
 */
#ifndef POSTRUN_TALLY_H
#define POSTRUN_TALLY_H

#include "series/counts.h"
#include "series/held.h"
#include "series/order.h"

struct tally {
	const struct ordered *at; /* ascending by key, that of the value; load: ms for which it holds, or samples; above zero */
	size_t n;
};

/* False where it is not worth it, because slots would be more than a few thousand and so many a sample, or the column is not packed. */
bool tally_of(struct arena *scratch, const struct track *t, struct spans within, size_t most_a_sample, struct tally *tally);
/* The same of its column, whatever the formula, and what that makes of each value: several tracks of one column go through it once. */
bool tally_of_column(struct arena *scratch, const struct track *t, struct spans within, size_t most_a_sample, struct tally *tally);
/* From what was counted of the column before, as far as that helps, and kept there; NULL: nowhere. */
bool tally_found(struct counts *counts, struct arena *scratch, const struct track *t, struct spans within, size_t most_a_sample,
	struct tally *tally);
struct tally tally_formed(struct arena *scratch, const struct tally *column, const struct formula *formula);
/* Of the samples that begin inside the spans how many there are, instead of for how long. */
bool tally_of_samples(struct arena *scratch, const struct track *t, struct spans within, size_t most_a_sample, struct tally *tally);
time_ms tally_known(const struct tally *tally);
struct sums tally_sums(const struct tally *tally);
/* `known`: all that is in it, more than nothing. */
fixed tally_quantile(const struct tally *tally, time_ms known, int percent);

#endif
