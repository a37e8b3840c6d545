/* shard_file.h - one shard of many: "3/16" on the command line, OUT/shards/00003-of-00016.jsonl on the disk. */
#ifndef CMD_SHARD_FILE_H
#define CMD_SHARD_FILE_H

#include "base/arena.h"

#include <stddef.h>

struct shard {
	size_t number, of; /* from 0; of 0: no shards */
};

/* False, with one line on standard error, when it is none; NULL is none at all, and good. */
bool shard_read(const char *text, struct shard *out);
/* A number of shards; the same. */
bool shard_count_read(const char *option, const char *text, size_t *out);
const char *shard_path(struct arena *mem, const char *folder, struct shard shard, const char *ending);

#endif
