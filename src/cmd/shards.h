/*
 * shards.h - runs dealt out among tasks that know nothing of each other.
 *
 * Each task deals for itself and comes to the same: the heaviest run first, each to the shard that has least so far, the first of several
 * (Graham's LPT: no shard is over 4/3 of what is possible). Whole numbers and the order of bytes only, so that all machines agree.
 */
#ifndef CMD_SHARDS_H
#define CMD_SHARDS_H

#include "cmd/run_find.h"

#define MOST_SHARDS 99999 /* the names of their files have five digits (shard_file.c), and merge reads so many */

/* Numbers of runs, the heaviest first; of equal ones in order of ids. */
size_t *runs_by_weight(struct arena *mem, const struct found_runs *runs);
/* Beside the runs: which shard each is of, 0 to n_shards - 1. */
size_t *shards_dealt(struct arena *mem, const struct found_runs *runs, size_t n_shards);
/* Of one shard, in order of ids. */
struct found_runs shard_runs(struct arena *mem, const struct found_runs *runs, size_t shard, size_t n_shards);

struct shard_plan {
	int64_t total, heaviest_run, heaviest_shard, lightest_shard; /* weights */
	size_t n_empty;
	size_t most_useful; /* so many shards: with more, the heaviest run alone decides how long it takes */
};
struct shard_plan shards_plan(struct arena *mem, const struct found_runs *runs, size_t n_shards);

#endif
