/*
 * rows.h - a condition on the rows of a log, worked out: what truth_rows.c walks. For this folder only.
 */
#ifndef POSTRUN_ROWS_H
#define POSTRUN_ROWS_H

#include "series/bands.h"
#include "series/cursor.h"
#include "series/picking.h"

struct row_test {
	enum rows_kind kind;
	/* ROWS_COMPARED: */
	const struct bands *bands;
	const struct band *band; /* that the last value was in */
	struct cursor samples;
	const struct band *only; /* the one band of its truth, where there is one; else NULL */
	enum truth picked;       /* that truth */
	struct picking picking;  /* of that band, where codes say which rows are in it */
	bool can_pick;
	/* of the other kinds: */
	struct row_test *left, *right;
};

/* Of one track; `bands` stay. */
void row_test_start(struct row_test *test, const struct track *t, const struct bands *bands);
/*
 * What the condition is in `within`, which has a length, is added to a line. All rows before `from` are before it; returns the first one
 * that is behind it.
 */
size_t rows_tested(struct growing *out, struct row_test *test, struct span within, size_t from);

#endif
