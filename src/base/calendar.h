/*
 * calendar.h - civil dates and times of day, without libc's zones.
 *
 * Proleptic Gregorian arithmetic on 64-bit integers (Howard Hinnant, "chrono-compatible
 * low-level date algorithms"). Years 1990 to 2100 are accepted from logs; nothing else
 * can be a time stamp of a GPU log.
 */
#ifndef POSTRUN_CALENDAR_H
#define POSTRUN_CALENDAR_H

#include "base/arena.h"
#include "base/slice.h"
#include <stdint.h>

typedef int64_t time_ms; /* milliseconds since 1970-01-01 00:00 UTC, once clock_settle() is through */
#define SECOND_MS ((time_ms)1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)
#define TIME_UNKNOWN INT64_MIN

struct civil {
	int year, month, day; /* month 1 to 12, day 1 to 31 */
	int hour, minute, second, ms;
	int weekday; /* 0 Sunday */
};

int64_t days_from_civil(int year, int month, int day);
bool civil_is_valid(int year, int month, int day);
time_ms time_from_civil(const struct civil *c);
struct civil civil_from_time(time_ms t);

/* "2026/11/21 01:48:34.387", also with '-', 'T' and without or with 1 to 6 decimals. */
bool stamp_parse(struct slice text, time_ms *out);
/* The same with a zone behind it: "2025-09-24T03:48:33.493Z", "… +08:00", "… UTC". The time is UTC, the offset east of it. */
bool stamp_zone_parse(struct slice text, time_ms *utc, time_ms *offset);
/*
 * "03-11-2026 15:13:16", "3/11/2026, 15:13:16": two readings. TIME_UNKNOWN where there is no such day; false when neither is one.
 */
bool stamp_swap_parse(struct slice text, time_ms *month_first, time_ms *day_first);
/*
 * What ctime() and `date` print in English: "Thu Aug  8 15:42:09 2024", "Tue Jun  9 09:00:01 UTC 2020",
 * "Fri 21 Nov 2025 11:41:31 PM EST". Local time; *zone is the word for its zone, empty when there is none.
 */
bool stamp_words_parse(struct slice text, time_ms *local, struct slice *zone);
/* "Sun" … "Sat" */
bool is_weekday(struct slice word);
/* "01:48:34", "01:48:34.5"; with pm/am when `half` is 'A' or 'P', 0 for a 24-hour clock. */
bool clock_parse(struct slice text, char half, time_ms *since_midnight);
/*
 * "1795228462", "1795225849.936321149": seconds since 1970, or milli-, micro- or nanoseconds, told apart by their size, of a time that
 * a log can have. What is less than a millisecond is cut off, as of other stamps.
 */
bool epoch_parse(struct slice text, time_ms *t);
/* "UTC", "Z", "GMT", "+05:30", "-0500", "UTC-5": offset east of UTC. False for other names. */
bool zone_parse(struct slice text, time_ms *offset);

/* "2026-11-21T01:48:34.387Z"; */
const char *time_iso(struct arena *mem, time_ms t);
/* without the Z: of a time whose zone nobody knows */
const char *time_iso_local(struct arena *mem, time_ms t);
/* "01:48:34" */
const char *time_clock(struct arena *mem, time_ms t);
/* "2026-11-21" */
const char *time_date(struct arena *mem, time_ms t);
/* "day 2", where nobody knows the date: times then count from the midnight of day 1, which is that of 1970-01-01. */
const char *time_day_number(struct arena *mem, time_ms t);
/* The midnight with which its day began. */
time_ms time_midnight(time_ms t);
/* "UTC", "UTC-5", "UTC+5:30" */
const char *zone_name(struct arena *mem, time_ms offset);
extern const char *const weekday_names[7]; /* Sun … */
extern const char *const month_names[12];  /* Jan … */

#endif
