/* shard_file.c - how shards are written, on a command line and on a disk. */
#include "cmd/shard_file.h"

#include "base/number.h"
#include "cmd/shards.h"

#include <stdio.h>

static bool is_count(struct slice text, size_t *out)
{
	int64_t n;

	if (!integer_parse(text, &n) || n < 1 || n > MOST_SHARDS)
		return false;
	*out = (size_t)n;
	return true;
}

bool shard_count_read(const char *option, const char *text, size_t *out)
{
	if (!text || is_count(slice_of(text), out))
		return true;
	fprintf(stderr, "postrun: --%s takes a number of shards from 1 to %d, not '%s'\n", option, MOST_SHARDS, text);
	return false;
}

bool shard_read(const char *text, struct shard *out)
{
	const char *const slash = text ? strchr(text, '/') : NULL;
	int64_t number;

	*out = (struct shard){ 0, 0 };
	if (!text)
		return true;
	if (slash && is_count(slice_of(slash + 1), &out->of) && integer_parse((struct slice){ text, (size_t)(slash - text) }, &number) &&
		number >= 0 && (size_t)number < out->of) {
		out->number = (size_t)number;
		return true;
	}
	fprintf(stderr, "postrun: --shard takes I/N, the first of 16 is 0/16 and the last 15/16, not '%s'\n", text);
	return false;
}

const char *shard_path(struct arena *mem, const char *folder, struct shard shard, const char *ending)
{
	return arena_print(mem, "%s/shards/%05zu-of-%05zu.%s", folder, shard.number, shard.of, ending);
}
