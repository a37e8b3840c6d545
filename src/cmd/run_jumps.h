/* run_jumps.h - a log that stops for a day or more and goes on is, most likely, of several runs. */
#ifndef CMD_RUN_JUMPS_H
#define CMD_RUN_JUMPS_H

#include "report/report.h"

/* "gpu.csv goes on at 2026-11-20 10:00:00 after a day or more: separate runs?"; NULL: no log of it does. */
const char *run_jumps(struct arena *mem, const struct report *report);

#endif
