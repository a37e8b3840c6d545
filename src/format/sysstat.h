/*
 * sysstat.h - what mpstat, sar, pidstat and iostat share: the banner with host and date, and
 * times of day on a 12- or 24-hour clock. For this folder only.
 *
 *     Linux 6.18.44 (node01) 	11/21/2026 	_x86_64_	(16 CPU)
 */
#ifndef POSTRUN_SYSSTAT_H
#define POSTRUN_SYSSTAT_H

#include "format/reading.h"

struct sysstat_clock {
	time_ms day;      /* midnight of the day in force, as if UTC; 0 until a banner names one */
	bool has_day;
	time_ms last;     /* time of day of the line before; to see midnight pass */
	bool has_last;
	char text[15];    /* how that line began; a poll has it on each line. Where it is long, nothing */
	unsigned char n_text;
};

/* A line with a banner; or one that ends with it, behind what a logger that was killed had begun to write. */
bool sysstat_is_banner(struct slice line);
/* Host, day and what is uncertain about it into the recording. Counts the line, and tells of a row that was cut off before it. */
void sysstat_banner(struct reading *r, struct slice line, struct sysstat_clock *clock);
/*
 * Takes "01:48:34" or "01:48:34 AM" off the front of a line. False when the line does not begin with
 * a time. A fall by more than 12 hours is midnight.
 */
bool sysstat_time(struct slice *line, struct sysstat_clock *clock, time_ms *t);
/* A date as the locale writes it: midnight of the day; whether day and month could be swapped goes into the note. */
bool sysstat_date(struct slice word, time_ms *day, struct clock_note *note);
/* "-0500" behind a stamp: puts a time there onto the clock of the log, that of its first offset, whatever daylight saving does. */
bool sysstat_offset(struct reading *r, struct slice zone, time_ms *t);
/* "all", which is "-1" to sadf: the host; or the number of a core. */
bool sysstat_entity(struct slice word, struct entity *e);
/* "Average:", "Durchschn.:", "Moyenne :", "Summary:": what is printed last. A colon ends it in all languages, which some of 11.x forget. */
bool sysstat_is_average(struct slice line);
/* "98.12"; German and French locales write "98,12". Thousands are never grouped. */
bool sysstat_number(struct slice word, fixed *value, int *decimals);

#endif
