/* progress.h - how far a batch is: a line that changes on a terminal, and a line a run in a log. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include "cmd/run_find.h"

#include <stdio.h>

struct progress {
	FILE *log; /* NULL: it could not be opened */
	bool on_terminal;
	size_t n_runs, n_done, n_failed;
	int64_t weight, weight_done, bytes_done;
	double began, shown; /* pool_clock() */
};

struct progress_line { /* of the log */
	const char *status, *why, *hint; /* why, hint: may be NULL */
	double seconds;                  /* that it took; below 0: it was done before */
};

/* `log_path` is begun anew. */
void progress_open(struct progress *p, const char *log_path);
void progress_log(struct progress *p, const struct found_run *run, const struct progress_line *line);
/* So many runs are to be worked out, from now on. */
void progress_begin(struct progress *p, size_t n_runs, int64_t weight, bool quiet);
void progress_run(struct progress *p, const struct found_run *run, bool has_report);
void progress_show(struct progress *p);
void progress_end(struct progress *p);

#endif
