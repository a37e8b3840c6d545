/*
 * row_terms.h - conditions that ask for nothing but a GPU's rows in one log. For this folder only.
 */
#ifndef POSTRUN_ROW_TERMS_H
#define POSTRUN_ROW_TERMS_H

#include "rule/value.h"

/*
 * The condition as one on columns of one clock, in `mem`. False where it is none: it looks around, at other logs or at numbers that change,
 * or cells of it are in no log.
 */
bool is_of_rows(struct store *s, struct arena *mem, const struct term *t, struct row_condition *out);
/* Could both be one? */
bool rows_share_clock(const struct row_condition *a, const struct row_condition *b);

#endif
