/* progress.h - how far a batch is: a line that changes on a terminal, and a line a run in a log. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include "cmd/run_find.h"
#include "fleet/fleet.h"

#include <stdio.h>

struct progress {
	FILE *log; /* NULL: it could not be opened */
	bool on_terminal;
	size_t n_runs, n_done, n_failed;
	int64_t weight, weight_done, bytes_done;
	double began, shown; /* pool_clock() */
};

/* `log_path` is begun anew. */
void progress_begin(struct progress *p, const char *log_path, size_t n_runs, int64_t weight, bool quiet);
/* `why` may be NULL. */
void progress_run(struct progress *p, const struct found_run *run, enum run_status status, double seconds, const char *why);
void progress_show(struct progress *p);
void progress_end(struct progress *p);

#endif
