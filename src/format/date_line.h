/*
 * date_line.h - the line that date(1) or ctime(3) prints, as the only time above a table. For this folder only.
 *
 *     Sat Nov 21 01:48:34 2026                        ctime, nvidia-smi; the day may be padded
 *     Tue Jun  9 09:00:01 UTC 2020                    date
 *     ==== Sun May  4 04:27:32 AM EDT 2025 ====       date in a banner, with the half of the day
 *     Sun 04 May 2025 04:27:32 AM EDT                 date, in en_US of some years
 */
#ifndef POSTRUN_DATE_LINE_H
#define POSTRUN_DATE_LINE_H

#include "base/calendar.h"

/*
 * False when the line is anything else, also when something stands before or behind. `t` is as if the zone
 * were UTC; `zone` is the word for the zone, empty when there is none.
 */
bool date_line_parse(struct slice line, time_ms *t, struct slice *zone);
/* Without the marks that people put around a date in a log. */
struct slice date_line_unframed(struct slice line);

#endif
