/*
 * gpu_rows.h - what the rows of one GPU tell of why its clocks were held down, and what that cost. For this folder only.
 *
 * Flags of reasons, how busy the GPU is and its clock mostly come from one log, in the same rows: then one pass over these tells all.
 */
#ifndef POSTRUN_GPU_ROWS_H
#define POSTRUN_GPU_ROWS_H

#include "report/report_parts.h"

/* Times in ms; a flag counts for nothing while the one of an idle GPU is set. */
struct reason_time {
	const struct track *flag; /* NULL: not logged, and nothing else is said */
	time_ms flagged;          /* for which it was set, */
	size_t stretches;         /* in so many stretches, */
	time_ms held, known;      /* and of the time at work; for which it was known of that */
	struct shortfall clock;   /* in `held`, below the reference; NAN where no clock is known */
};

/* What a GPU's masks of reasons tell. */
struct mask_time {
	time_ms held, hot, beyond_cap; /* for how long any but idle was set, one of heat, and more than a power cap */
};
void mask_time_add(struct mask_time *m, unsigned mask, time_ms held);

/*
 * For this share of its work a GPU has to be held down by nothing but a power cap, which is how it works at full load: what is above the
 * 95th percentile of its clocks is a twentieth. Else there is nothing to compare with.
 */
#define LEAST_FREE 0.05
struct gpu_rows {
	bool are_told;     /* false: tracks have to be looked at one by one. Not all are logged, or not together, or a driver counts, too */
	double reference;  /* MHz: the 95th percentile of clocks at work; NAN where none is known, or all are of a GPU held down */
	double slowest;    /* MHz: the lowest clock of rows with kernels; likewise */
	bool has_masks;    /* all flags are those of its masks; */
	struct mask_time masks;
	struct reason_time *reasons; /* as throttle_reasons; of the idle flag nothing is said */
};

/* Of each GPU, worked out when first asked for; in b->mem. */
const struct gpu_rows *gpu_rows(struct build *b);

/* What is told of each GPU at the right of its masks; in b->mem. NULL among `masks`: not logged. held_down.c */
struct holding_down {
	struct mask_time time;
	bool is_alike; /* is it much the same as the first GPU's? */
};
const struct holding_down *held_down(struct build *b, const struct track *const *masks);

#endif
