/* run_why.h - what is to be said of a run's logs in one line, where there is more. */
#ifndef CMD_RUN_WHY_H
#define CMD_RUN_WHY_H

#include "report/report.h"

#define WHY_SAYING "postrun: reason: " /* how it is told to who collects it */

/*
 * Why nothing could be used: "logs/7/gpu.csv: warning: no-rows: recognised as …". Of all complaints the one that says most; NULL: there
 * is none.
 */
const char *why_nothing(struct arena *mem, struct diags *diags);
/*
 * What is not in its report of what was logged: "gpu.csv.gz: the gzip data ends early". A log, or a part of one, or more of its rows than a
 * verdict leaves unsaid. NULL: all of its logs were read. Files that nobody meant to be logs are none of them.
 */
const char *why_partial(struct arena *mem, const struct report *report, const struct diags *diags);

#endif
