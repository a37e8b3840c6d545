/*
 * explain_page.h - the account of one verdict: what was asked, what the logs said at each moment, what became of it.
 */
#ifndef POSTRUN_EXPLAIN_PAGE_H
#define POSTRUN_EXPLAIN_PAGE_H

#include "rule/rule.h"

/* Prints text of 80 columns. The exit status of the command. */
int explain_print(struct arena *mem, const struct run *run, const struct verdicts *all, const struct verdict *v);

#endif
