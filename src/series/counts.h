/*
 * counts.h - what was counted of columns (tally.h), for whoever asks for it again.
 *
 * Phases, rules and reports ask of the same columns, as they are or as shares of something, and of nearly the same time: all of it, or
 * all but some pauses. What is counted first of a column in most of its time stays; for another time only that is counted by which they
 * differ. Whole numbers are added and taken away, so that nobody can tell.
 */
#ifndef POSTRUN_COUNTS_H
#define POSTRUN_COUNTS_H

/* Of columns that stay as long as it does. Several threads may ask. It keeps 8 MiB at most. */
struct counts;
struct counts *counts_new(void);
/* NULL: nothing. */
void counts_release(struct counts *counts);

#endif
