/*
 * extremes.h - the lowest or highest value in a window that moves over a track, where its cells tell it.
 *
 * Memory that is held, a temperature, a clock: the lowest of two minutes is mostly the same all the time, and the lowest of each few
 * samples says so. What is told is what signal_rolling() of FOLD_MIN or FOLD_MAX has there, of the track in `judged` (track_parted()) cut
 * to its hull.
 */
#ifndef POSTRUN_EXTREMES_H
#define POSTRUN_EXTREMES_H

#include "series/signal.h"

struct extremes {
	struct signal value; /* in the track's unit; NAN elsewhere */
	struct spans told;
};

/* `hull`: from the first to the last judged moment; `width` in ms. */
struct extremes track_extremes(struct arena *mem, const struct track *t, struct spans judged, struct span hull, time_ms width, bool is_low);

#endif
