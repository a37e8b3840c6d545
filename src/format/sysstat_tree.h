/*
 * sysstat_tree.h - one poll of sysstat's JSON as rows of the sections that sar and sadf -d have. For this folder only.
 */
#ifndef POSTRUN_SYSSTAT_TREE_H
#define POSTRUN_SYSSTAT_TREE_H

#include "format/json_log.h"
#include "format/sysstat_row.h"

/* Left out of every record: thousands of numbers that no metric is told from. For the paths of json_reader_new(). */
#define SYSSTAT_TREE_LEFT_OUT                                          \
	"-sysstat>hosts>+>statistics>+>interrupts",                    \
		"-sysstat>hosts>+>statistics>+>sum-interrupts",        \
		"-sysstat>hosts>+>statistics>+>individual-interrupts", \
		"-sysstat>hosts>+>statistics>+>soft-interrupts",       \
		"-sysstat>hosts>+>statistics>+>filesystems"

/* Names that are understood, for `struct format`: of sadf, mpstat, iostat and pidstat. */
extern const struct spelling sysstat_tree_columns[];

/* The sections of `record`, an element of "statistics", whose interval is [begin, t) as far as is known. */
void sysstat_tree_rows(struct json_log *log, struct sysstat_rows *rows, const struct json *record, time_ms begin, time_ms t);

#endif
