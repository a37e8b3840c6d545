/*
 * nvidia_smi_mon.h - what `nvidia-smi dmon` and `nvidia-smi pmon` share: heads that begin with '#', columns by
 * name, and times in two, one or no columns. For this folder only.
 *
 *     #Date        Time         gpu    pwr  gtemp ...        #Time         gpu ...        # gpu    pwr ...
 *     #YYYYMMDD    HH:MM:SS     Idx      W      C ...        #HH:MM:SS     Idx ...        # Idx      W ...
 *
 * Time is local and in whole seconds. With -o T it has no date, and midnight shows as time that falls by
 * more than 12 hours. Without -o, or with -o D, there is no time at all: polls are then counted, a second
 * for each, and the user says when the log began.
 */
#ifndef POSTRUN_NVIDIA_SMI_MON_H
#define POSTRUN_NVIDIA_SMI_MON_H

#include "format/sheet.h"

#define MON_MAX_CELLS ((size_t)64) /* all groups and all GPM metrics of driver 580 are under 60 */

struct mon_cells { /* of one line, whichever form it has */
	struct slice at[MON_MAX_CELLS];
	const char *line; /* where it begins */
	size_t n;         /* MON_MAX_CELLS: there may have been more */
};

/* Where a cell begins in its line, from 1. */
static inline int mon_column(const struct mon_cells *c, size_t i)
{
	return (int)(c->at[i].p - c->line) + 1;
}

struct mon_clock {
	size_t date, time;   /* places of these columns; n_heads where there is none */
	size_t n_heads;
	bool has_row;        /* timeless is decided */
	bool timeless;       /* no time in the head when the first row came */
	time_ms day, last;   /* with -o T: midnights passed, and the time of the row before */
};

/* Cells between commas if there are any, else words. */
void mon_cut(struct mon_cells *c, struct slice line);
/* Words, at most `most` of them: the last holds the rest of the line, blanks and all. */
void mon_cut_words(struct mon_cells *c, struct slice line, size_t most);
/* The same of a line of a head; false when the line is none. "#Date", "# gpu" and "#gpu" are all seen. */
bool mon_cut_head(struct mon_cells *c, struct slice line);
/* The place of this text, or n. */
size_t mon_find(const struct mon_cells *c, const char *text);
/* Names of columns: "gpu", with nothing before it but "Date" and "Time". */
bool mon_is_names(const struct mon_cells *c);
/* The second line of a head. */
bool mon_is_units(const struct mon_cells *c);
/* A new head is in force. */
void mon_take_names(struct mon_clock *clock, const struct mon_cells *c);
/* At each row: the first decides whether the log has times; rows of the other kind have no place beside it. */
void mon_take_row(struct mon_clock *clock, struct reading *r);
/* The time of the row into `*t`, unless the log is timeless. False, already reported and counted, when there is none that fits. */
bool mon_stamp(struct mon_clock *clock, struct reading *r, const struct mon_cells *c, time_ms *t);

#endif
