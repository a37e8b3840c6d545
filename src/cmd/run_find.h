/*
 * run_find.h - which runs there are: below folders, inside archives, or in a manifest.
 *
 *     folder of logs          a run, called like the folder below the path that was given
 *     archive of logs         a run, called like the archive
 *     logs of one job id      a run, called like the id, where a pattern says what of a path is the id
 *     a line of a manifest    a run, called as it says
 *
 * Files are recognised by their content. Where nothing in a folder is a log any more (empty, cut, overwritten) but something was meant to
 * be one, it is a run all the same: it will be told as one that could not be read.
 */
#ifndef CMD_RUN_FIND_H
#define CMD_RUN_FIND_H

#include "base/digest.h"
#include "base/model.h"
#include "cmd/inputs.h"

struct found_run {
	const char *id;     /* unique among them, printable */
	struct texts paths; /* what `postrun report` would be given */
	int64_t bytes;      /* of its logs, as they lie there */
	int64_t weight;     /* how long it will take beside others, in bytes */
	unsigned owner;     /* of its first log: a user's number */
	char inputs[DIGEST_DIGITS + 1]; /* of names, sizes and times of all its files: another one, other logs */
	struct file_identity files; /* of all its logs as one, whatever they are called; asked of run_walk() alone */
};

struct stray { /* a log that is of no run, or a link that is not followed */
	const char *path, *why;
};

struct found_runs {
	struct found_run *at; /* in order of their ids */
	size_t n;
	struct stray *strays;
	size_t n_strays;
	bool has_gaps; /* a folder could not be read, and was complained about: its runs are none of these */
};

struct find_request {
	const char *const *paths;
	size_t n_paths;
	const char *manifest;  /* a file with a line of JSON for each run; NULL: none */
	const char *pattern;   /* "logs/job-{run}-*.csv"; NULL: a folder is a run */
	const char *left_out;  /* a folder that is not looked into: where results go; or NULL */
	bool has_owner;        /* only runs of this user */
	unsigned owner;
	struct input_request input; /* its limits, mappings and walls */
};

/* Has a pattern "{run}" in it, once? */
bool run_pattern_is_good(const char *pattern);
/* The part of a path that stands where the pattern has "{run}"; '*' is anything inside of a name. The pattern may be an end of the path. */
bool run_pattern_fits(const char *pattern, const char *path, struct slice *run);
struct run_list;
/*
 * What is found is added to the list, which comes empty. False, with complaints, when a path or the manifest could not be read; a folder
 * below a path that can't be is a gap of the list. What others wrote is looked at by a process of its own, behind the walls that a report
 * has; it prints its complaints itself.
 */
bool run_find(const struct find_request *request, struct run_list *out, struct diags *diags);

/* All runs, whoever owns them, at once in memory; by this process: run_walk.c */
bool run_walk(struct arena *mem, const struct find_request *request, struct found_runs *out, struct diags *diags);

#endif
