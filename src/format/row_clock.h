/*
 * row_clock.h - times as people's own loggers write them into the rows of a CSV. For this folder only.
 *
 *     2026/11/21 01:48:34.387        2025-09-24T03:48:33.493Z       2025-09-08T17:26:50+08:00
 *     1764189075      1736203508.7502460      03-11-2026 15:13:16      Thu Aug  8 15:42:09 2024      15:38:43.359
 *     Nov 21 01:48:34
 *
 * One log writes one way: the first row decides, and a row of another way can't be used. Day and month in doubt are settled
 * when the whole log is read: the reading in which it took less time is right, since loggers don't sleep for months.
 */
#ifndef POSTRUN_ROW_CLOCK_H
#define POSTRUN_ROW_CLOCK_H

#include "format/sheet.h"

#define LONGEST_ELAPSED ((time_ms)1000000000 * SECOND_MS) /* since a log's begin: 31 years, as no run takes */

enum way { WAY_UNKNOWN, WAY_LOCAL, WAY_ZONE, WAY_EPOCH, WAY_SWAP, WAY_WORDS, WAY_OF_DAY, WAY_NO_YEAR };

/* "Nov 21 01:48:42" or "Nov  1 01:48:42", as syslog begins its lines, off the front: a time of 1972 (clock_note.year_unknown). */
bool syslog_stamp_take(struct slice *rest, time_ms *t);
/* A log of such times: a year later once New Year has passed. */
struct yearless {
	bool has_last;
	time_ms last;
	int years; /* that passed */
};
time_ms yearless_follow(struct yearless *y, time_ms t);

struct row_clock {
	enum way way;
	time_ms last;                         /* of the row before */
	time_ms day;                          /* of WAY_OF_DAY: midnights passed */
	time_ms last_month, last_day;         /* of WAY_SWAP: the row before in both readings */
	time_ms travel_month, travel_day;     /* and how far they went */
	bool not_month, not_day;              /* a row has no such day */
	struct yearless yearless;             /* of WAY_NO_YEAR */
	char zone[16];                        /* as the first row writes it */
};

/* False when the cell is no time, or is written another way than those before. */
bool row_clock_take(struct row_clock *c, struct slice cell, time_ms *t);
/* What the rows said of zone and date, into the recording; swaps day and month where that is right. Before sheet_finish(). */
void row_clock_settle(const struct row_clock *c, struct reading *r, struct sheet *s);

#endif
