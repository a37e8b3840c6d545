/*
 * shards.h - runs dealt out among tasks that know nothing of each other.
 *
 * Each task deals for itself and comes to the same: the heaviest run first, each to the shard that has least so far, the first of several
 * (Graham's LPT: no shard is over 4/3 of what is possible). Whole numbers and the order of bytes only, so that all machines agree.
 */
#ifndef CMD_SHARDS_H
#define CMD_SHARDS_H

#include "cmd/run_list.h"

#define MOST_SHARDS 99999 /* the names of their files have five digits (shard_file.c), and merge reads so many */

/* Of the list those that are of this shard, 0 to n_shards - 1; the others are out of it. */
void shard_keep(struct run_list *list, size_t shard, size_t n_shards);

struct shard_plan {
	int64_t total, heaviest_run, heaviest_shard, lightest_shard; /* weights */
	size_t n_empty;
	size_t most_useful; /* so many shards: with more, the heaviest run alone decides how long it takes */
};
struct shard_plan shards_plan(struct run_list *list, size_t n_shards);

#endif
