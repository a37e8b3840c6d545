/*
 * sadf.h - what sadf -d and sadf -p share: the cells before the values, and the lines that are no values. For this folder only.
 *
 *     node01;1;2026-11-21 01:48:35 UTC;-1;0.06;…        node01<TAB>1<TAB>2026-11-21 01:48:35 UTC<TAB>all<TAB>%user<TAB>0.06
 *     node01;-1;2026-11-21 09:33:38 UTC;LINUX-RESTART<TAB>(8 CPU)
 *     node01;-1;2026-11-21 09:34:00 UTC;COM run A starts
 *
 * Times are in UTC; -T leaves the zone out and means local time, -U gives epoch seconds.
 */
#ifndef POSTRUN_SADF_H
#define POSTRUN_SADF_H

#include "format/sysstat_row.h"

#define SADF_TAGS ((size_t)3) /* host, interval, time */

struct sadf_tags {
	struct slice at[SADF_TAGS];
	int columns[SADF_TAGS];
	char last[32];      /* how the time of the line before was written; rows of a time follow each other */
	size_t n_last;
	time_ms last_t;
};

/* Takes a cell off the front of a line. */
struct slice sadf_cell(struct slice *rest, char separator);
/* False, already reported, when the line is of another host or its time can't be read. The first host's rows are the recording. */
bool sadf_tags_use(struct reading *r, struct sheet *sheet, struct sadf_tags *tags, time_ms *begin, time_ms *t);
/* True when what follows the tags is a restart or a remark; it became an event. */
bool sadf_mark(struct sysstat_rows *rows, struct slice text, time_ms t);

#endif
