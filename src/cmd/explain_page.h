/*
 * explain_page.h - the account of one verdict: what was asked, what the logs said at each moment, what became of it.
 */
#ifndef POSTRUN_EXPLAIN_PAGE_H
#define POSTRUN_EXPLAIN_PAGE_H

#include "base/buf.h"
#include "base/diag.h"
#include "rule/rule.h"

/* Text of 80 columns into `out`. False, already reported, when the template is wrong. */
bool explain_page(struct arena *mem, const struct run *run, const struct verdicts *all, const struct verdict *v, struct buf *out,
	struct diags *diags);

#endif
