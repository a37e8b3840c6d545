/*
 * batch.h - many runs, a report for each: what is loaded once, how a run is known, where its report lies.
 *
 *     OUT/runs/ab/abcd…/report.html …, record.json    a run, by its key; there as a whole or not at all
 *     OUT/index.jsonl                                 the records of all of them (run_index.h)
 *     OUT/index.html, index.csv, fleet.txt, …         what it shows as a whole (fleet_views.h)
 *     OUT/views.digest                                of what these were made
 *     OUT/shards/00003-of-00016.jsonl                 those of one shard
 *     OUT/batch.log                                   a line a run, of the last time, with those that were done before
 */
#ifndef CMD_BATCH_H
#define CMD_BATCH_H

#include "cmd/inputs.h"
#include "cmd/pool.h"
#include "cmd/rate.h"
#include "cmd/report_run.h"
#include "cmd/results.h"
#include "cmd/run_list.h"
#include "cmd/suppress.h"

/* Rows for the table of a command: what a report depends on. A run that is worked out under others has another key. */
#define REPORT_OF_MANY_OPTIONS \
	{ "outputs", 0, "LIST", NULL, \
		"what to write of each run: html,text,json,markdown,junit,csv,card,pictures (else html,json,pictures)" }, \
	{ "all", 0, NULL, NULL, "every finding in full, every check by name and every picture, also of a healthy run" }, \
	INPUT_OPTIONS, \
	MARK_OPTIONS, \
	SUPPRESS_OPTION, \
	BECAUSE_OPTION, \
	RATE_OPTION, \
	PICTURE_OPTIONS

struct batch {
	struct arena *mem;
	const struct options *options;
	const char *folder; /* OUT */
	struct request request; /* without its inputs */
	struct delivery delivery;
	const struct rules *rules;
	struct pool_limits limits;
	bool resumes;  /* a run whose record is there is done */
	bool retries;  /* unless it has no report */
	const char *words; /* of the command line that would make one of the reports, behind its inputs */
	char setup[DIGEST_DIGITS + 1]; /* of program, rules and options */
};

/* Settled before anything is looked at. False, with one line on standard error, when options make no sense. */
bool batch_read_options(struct arena *mem, const struct options *o, struct batch *b);
/* Rules, templates and mappings: each run's process has them already when it begins. An exit status; EXIT_DONE: all are right. */
int batch_load(struct batch *b, struct diags *diags);

/* Of program, rules, options and the run's inputs, 32 digits. */
void batch_key(const struct batch *b, const struct found_run *run, char key[DIGEST_DIGITS + 1]);
/* Of the keys of all runs: equal where two tasks of a cluster see the same logs. */
const char *batch_digest(struct arena *mem, const struct batch *b, struct run_list *runs);

struct work_done {
	size_t n_before; /* runs that had a record already */
	bool may_pass;   /* a report could not be written, and perhaps can be another time: --resume tries it again */
};
/* Each run that is not done yet has a record afterwards. False, with a complaint: one could not be written. */
bool batch_work(struct batch *b, struct run_list *runs, const char *log_path, bool quiet, struct work_done *done,
	struct diags *diags);
/* What a process of a batch ends with that could not write: EXIT_TRY_AGAIN where the reasons may pass, else EXIT_OUTPUT. */
int unwritten_status(const struct diags *diags);
/* Removes the reports in OUT that are of none of these runs, or were made of other logs or under other rules or options. How many. */
size_t batch_clean(const struct batch *b, struct run_list *runs);
/* The records of all of them, in order of ids. */
void batch_collect(const struct batch *b, struct run_list *runs, struct results *results);

#endif
