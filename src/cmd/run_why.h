/* run_why.h - what is to be said of a run's logs in one line, where there is more. */
#ifndef CMD_RUN_WHY_H
#define CMD_RUN_WHY_H

#include "base/diag.h"

#define WHY_SAYING "postrun: reason: " /* how it is told to who collects it */

/*
 * Why nothing could be used: "logs/7/gpu.csv: warning: no-rows: recognised as …". Of all complaints the one that says most; NULL: there
 * is none.
 */
const char *why_nothing(struct arena *mem, struct diags *diags);

#endif
