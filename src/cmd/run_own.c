/* run_own.c - what `report` and `batch` write beside their JSON looks like a log that is damaged, and like ten thousand folders of runs. */
#include "cmd/run_own.h"

#include "base/file.h"
#include "base/slice.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct own {
	const char *file, *begins; /* that it is ours */
	const char *beside[2];     /* then so are these files */
	const char *folders[2];    /* and these folders */
};

static const struct own table[] = {
	{ "index.jsonl", "{\"format\":\"postrun.index/", { "index.csv", "batch.log" }, { "runs", "shards" } },
	{ "report.json", "{\n  \"schema\": \"postrun.report/", { "series.csv", NULL }, { NULL, NULL } },
};
#define N_OWN (sizeof table / sizeof *table)

static bool begins_with(const char *path, const char *text)
{
	char begin[64];
	const int fd = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	const ssize_t n = fd < 0 ? -1 : fd_read(fd, begin, strlen(text));

	if (fd >= 0)
		close(fd);
	return n > 0 && slice_is((struct slice){ begin, (size_t)n }, text);
}

unsigned own_marks(const char *path)
{
	unsigned marks = 0;

	for (size_t i = 0; i < N_OWN; i++)
		if (strcmp(path_name(path), table[i].file) == 0 && begins_with(path, table[i].begins))
			marks |= 1U << i;
	return marks;
}

static bool is_either(const char *name, const char *const *names)
{
	return (names[0] && strcmp(name, names[0]) == 0) || (names[1] && strcmp(name, names[1]) == 0);
}

bool own_file(unsigned marks, const char *path)
{
	for (size_t i = 0; i < N_OWN; i++)
		if ((marks & 1U << i) && is_either(path_name(path), table[i].beside))
			return true;
	return false;
}

bool own_folder(unsigned marks, const char *name)
{
	for (size_t i = 0; i < N_OWN; i++)
		if ((marks & 1U << i) && is_either(name, table[i].folders))
			return true;
	return false;
}
