/* run_jumps.h - logs that stop for a day or more and go on, in the same file or in another, are most likely of several runs. */
#ifndef CMD_RUN_JUMPS_H
#define CMD_RUN_JUMPS_H

#include "report/report.h"

/*
 * "gpu.csv goes on at 2026-11-20 10:00:00 after a day or more: separate runs?", or of another log that it "begins at …, a day or more
 * after the logs before it ended"; NULL: none does.
 */
const char *run_jumps(struct arena *mem, const struct report *report);

#endif
