/*
 * sysstat_row.h - the sections that sar, sadf and iostat share: a header names columns, rows follow. For this folder only.
 *
 *     CPU  %user  %nice  %system  %iowait  %steal  %idle       one row for all cores, or one each
 *     kbmemfree  kbavail  kbmemused ...                        one row a time
 *     IFACE  rxpck/s  txpck/s  rxkB/s  txkB/s ...              a row each device: summed
 *     DEV  tps  rkB/s  wkB/s  areq-sz  aqu-sz  await  %util    likewise; iostat's columns, too (disks.h)
 *
 * Host, interval and time of a line are taken off by the reader. Every line given is accounted for.
 */
#ifndef POSTRUN_SYSSTAT_ROW_H
#define POSTRUN_SYSSTAT_ROW_H

#include "format/sheet.h"

#define SYSSTAT_WORDS ((size_t)64) /* more has no section of interest; per-core interrupts have thousands */

struct sysstat_words {
	struct slice at[SYSSTAT_WORDS];
	int columns[SYSSTAT_WORDS]; /* where in the line, from 1 */
	size_t n;                   /* SYSSTAT_WORDS: there may be more */
};
static inline bool sysstat_has(const struct sysstat_words *w, const char *text)
{
	return slices_find(w->at, w->n, text) < w->n;
}

/* Heads that are understood, for `struct format`. */
extern const struct spelling sysstat_columns[];
extern const struct absence_word sysstat_absences[];

struct sysstat_rows;
struct sysstat_rows *sysstat_rows_new(struct reading *r, struct sheet *sheet);
/* True when a section of these columns tells something that has a metric. */
bool sysstat_head_is_known(const struct sysstat_words *head);
/* A section begins. Counted as ignored. */
void sysstat_head(struct sysstat_rows *s, const struct sysstat_words *head);
/* No section: rows are passed over until the next head. Counts nothing. */
void sysstat_head_end(struct sysstat_rows *s);
/* True while a section is in force whose rows are read. */
bool sysstat_is_open(const struct sysstat_rows *s);
/* A row of the section in force, whose interval is [begin, t) as far as is known. */
void sysstat_row(struct sysstat_rows *s, const struct sysstat_words *row, time_ms begin, time_ms t);
/* For readers whose rows are told in several lines: where each word of the next row stands; NULL: in the line just read. */
void sysstat_rows_at(struct sysstat_rows *s, const int64_t *lines);
/* The name by which a column of this head is known, or NULL. */
const char *sysstat_known_head(struct slice head);
/* A restart or a remark. Each section of a replayed file tells of them again; once is enough. */
void sysstat_mark(struct sysstat_rows *s, enum event_kind kind, time_ms t, struct slice text);
/* Writes what is still being summed; before sheet_finish(). */
void sysstat_rows_end(struct sysstat_rows *s);

#endif
