/* results.h - the index of many runs, written record by record, and what became of them in a few lines. */
#ifndef CMD_RESULTS_H
#define CMD_RESULTS_H

#include "cmd/run_filter.h"
#include "cmd/run_index.h"

#define MOST_FAILURES_TOLD 20

struct results {
	struct arena *mem;
	const struct run_filter *filter; /* NULL: a shard, which keeps all */
	struct index_writer index;
	struct arena scratch; /* for one record */
	struct diags *diags;
	size_t n_with[N_RUN_STATUSES];
	size_t n_left_out;
	bool any_fails; /* --fail-on */
	const char *failures[MOST_FAILURES_TOLD]; /* "job-17: timeout: …" */
	size_t n_failures;
};

void results_begin(struct arena *mem, struct results *r, const char *path, const struct index_head *head, const struct run_filter *filter,
	struct diags *diags);
/* False when the line is no record. */
bool results_take(struct results *r, struct slice line);
/* The exit status; told on standard output unless `quiet`. */
int results_end(struct results *r, bool quiet);

#endif
