/*
 * folder.h - a folder for the files of one test, gone afterwards.
 */
#ifndef POSTRUN_TESTS_FOLDER_H
#define POSTRUN_TESTS_FOLDER_H

#include "base/arena.h"
#include "base/slice.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
	char path[64];
};

static inline void folder_open(struct folder *f)
{
	strcpy(f->path, "/tmp/postrun-test-XXXXXX");
	if (!mkdtemp(f->path))
		abort();
}

static inline const char *folder_put(struct folder *f, struct arena *mem, const char *name, struct slice content)
{
	const char *path = arena_print(mem, "%s/%s", f->path, name);
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(content.p, 1, content.n, file) != content.n || fclose(file))
		abort();
	return path;
}

/* With the folders inside. */
static inline void folder_remove(struct arena *mem, const char *path)
{
	DIR *dir = opendir(path);

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		const char *inside = arena_print(mem, "%s/%s", path, entry->d_name);
		if (unlink(inside))
			folder_remove(mem, inside);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

#endif
