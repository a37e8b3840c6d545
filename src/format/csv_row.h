/*
 * csv_row.h - one bounded line to cells, by libcsv. For this folder only.
 *
 * libcsv alone reads "5\0 0 %" as 5 and lets one stray quote swallow the file; so lines are
 * cut, bounded and freed of NUL bytes before it sees them (base/lines.h), one at a time.
 */
#ifndef POSTRUN_CSV_ROW_H
#define POSTRUN_CSV_ROW_H

#include "base/limits.h"

struct csv_row {
	struct slice cells[MAX_CELLS];
	int columns[MAX_CELLS]; /* where in the line each cell begins, from 1 */
	size_t n;
	bool overflow; /* more than MAX_CELLS */
	char *text;    /* the cells' bytes */
	size_t used, room;
	struct csv_parser *parser;
	char separator;
};

void csv_row_init(struct csv_row *row, char separator);
/* False when the line is not well-formed CSV (a stray quote, or one that never ends) or has too many cells. */
bool csv_row_cut(struct csv_row *row, struct slice line);
void csv_row_release(struct csv_row *row);

#endif
