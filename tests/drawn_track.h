/*
 * drawn_track.h - for tests of time: samples drawn, one character a second.
 *
 * A digit is a sample, '_' one without a value, ' ' a second without a row.
 */
#ifndef POSTRUN_TESTS_DRAWN_TRACK_H
#define POSTRUN_TESTS_DRAWN_TRACK_H

#include "series/track.h"

static inline struct track drawn_track(struct arena *mem, const char *picture)
{
	const size_t n = strlen(picture);
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);
	size_t n_rows = 0;

	for (size_t i = 0; i < n; i++) {
		if (picture[i] == ' ')
			continue;
		times[n_rows] = (time_ms)i * SECOND_MS;
		values[n_rows++] = picture[i] == '_' ? FIXED_MISSING : (picture[i] - '0') * FIXED_ONE;
	}
	return (struct track){ .times = times, .values = values, .n = n_rows, .step = median_step(mem, times, n_rows) };
}

#endif
