/*
 * poll_banner.h - lines with nothing but a time, which people put before each poll of a tool that prints none. For this folder only.
 *
 *     Tue Jun  9 09:00:01 UTC 2020                  what `date` says
 *     ==== Sun May  4 04:27:32 AM EDT 2025 ====     framed
 *     2025-09-21 16:12:24                           any other way (row_clock.h)
 *     Tue 08/18/2020                                date /T of Windows; the weekday tells which is the month
 *     03:44 PM                                      and time /T: whole minutes
 */
#ifndef POSTRUN_POLL_BANNER_H
#define POSTRUN_POLL_BANNER_H

#include "format/row_clock.h"

struct poll_banner {
	struct row_clock clock;
	time_ms day;  /* of date /T, or TIME_UNKNOWN */
	time_ms time; /* of the last banner, or TIME_UNKNOWN */
	bool coarse;  /* times are whole minutes */
};

void poll_banner_init(struct poll_banner *b);
/* Is this line a banner? `begins_poll`: it is whole now (Windows needs two lines). */
bool poll_banner_take(struct poll_banner *b, struct slice line, bool *begins_poll);

#endif
