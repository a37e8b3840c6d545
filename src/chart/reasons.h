/*
 * reasons.h - why the clocks of a GPU were held down: the worst reason that was set in each of many cells of time.
 */
#ifndef POSTRUN_REASONS_H
#define POSTRUN_REASONS_H

#include "series/track.h"

enum reason { /* worst first */
	REASON_HW_THERMAL,
	REASON_POWER_BRAKE,
	REASON_HW_SLOWDOWN,
	REASON_SW_THERMAL,
	REASON_POWER_CAP,
	REASON_SYNC_BOOST,
	REASON_CLOCK_SETTING,
	N_REASONS,
	NO_REASON = N_REASONS,
	UNKNOWN_REASON,
};

/* Was any reason set inside of the span? `t`: masks of clocks_event_reasons; NULL: no. */
bool has_reason(const struct track *t, struct span span);

/* For how much of what is known of a cell a reason was the worst one, in tenths, rounded up; 0 of NO_REASON and UNKNOWN_REASON. */
#define SHARE_PARTS 10
struct reason_share {
	unsigned char reason; /* enum reason */
	unsigned char share;
};
struct reason_cell {
	struct reason_share worst, beneath; /* beneath: of the others the one that was it for longest; or NO_REASON */
};
/*
 * The span is cut into n cells. As in bins_of() a cell has the worst reason of the samples that begin there, or where none does what
 * still holds; UNKNOWN_REASON where nothing is known.
 */
const struct reason_cell *reason_cells(struct arena *mem, const struct track *t, struct span span, size_t n);

#endif
