/* file.c - small files read whole, outputs written whole or not at all, folders. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t read_whole(int fd, char *to, size_t n)
{
	ssize_t got;

	do
		got = read(fd, to, n);
	while (got < 0 && errno == EINTR);
	return got;
}

bool file_slurp(struct arena *mem, const char *path, size_t max_bytes, struct slice *out, struct diags *diags)
{
	struct place place = { path, 0, 0 };
	struct stat about;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return diag_at(diags, place, DIAG_CANNOT_READ, "cannot open: %s", strerror(errno));
	bool good = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
	if (!good)
		diag_at(diags, place, DIAG_CANNOT_READ, "not a plain file");
	else if (about.st_size < 0 || (size_t)about.st_size > max_bytes)
		good = diag_at(diags, place, DIAG_LIMIT, "over %zu KiB", max_bytes / 1024);
	if (good) {
		size_t n = 0, room = (size_t)about.st_size;
		char *text = arena_alloc(mem, room + 1);
		ssize_t got = 0;
		while (n < room && (got = read_whole(fd, text + n, room - n)) > 0)
			n += (size_t)got;
		good = got >= 0 || diag_at(diags, place, DIAG_CANNOT_READ, "cannot read: %s", strerror(errno));
		*out = (struct slice){ text, n };
	}
	close(fd);
	return good;
}

static bool write_all(int fd, struct slice content)
{
	while (content.n) {
		ssize_t put = write(fd, content.p, content.n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		content.p += put;
		content.n -= (size_t)put;
	}
	return true;
}

/*
 * An exclusive temporary beside the target, fsync, rename, fsync of the folder: only this
 * order survives a power cut as "old or new, whole" (ext4 without the first fsync can leave
 * an empty file).
 */
bool file_write(const char *folder, const char *name, struct slice content, struct diags *diags)
{
	char temporary[300];
	int n = snprintf(temporary, sizeof temporary, ".%s.%ld.tmp", name, (long)getpid());
	size_t room = 0;
	char *target = grow(NULL, &room, strlen(folder) + strlen(name) + 2, 1);

	snprintf(target, room, "%s/%s", folder, name);
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = dir < 0 || n < 0 || (size_t)n >= sizeof temporary
			 ? -1
			 : openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	bool made = fd >= 0;
	bool good = made && write_all(fd, content) && fsync(fd) == 0;
	int why = errno;

	if (made && close(fd) && good) {
		why = errno;
		good = false;
	}
	if (good && renameat(dir, temporary, dir, name)) {
		why = errno;
		good = false;
	}
	if (made && !good)
		unlinkat(dir, temporary, 0);
	if (good)
		fsync(dir); /* some file systems can't; the content itself is safe */
	if (dir >= 0)
		close(dir);
	if (!good)
		diag_at(diags, (struct place){ target, 0, 0 }, DIAG_CANNOT_WRITE, "cannot write: %s", strerror(why));
	grow_free(target);
	return good;
}

bool path_is_folder(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool folder_make(const char *path, struct diags *diags)
{
	size_t n = strlen(path), room = 0;
	char *part = grow(NULL, &room, n + 1, 1);
	bool good = true;

	for (size_t i = 1; i <= n && good; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0777) && errno != EEXIST)
			good = diag_at(diags, (struct place){ path, 0, 0 }, DIAG_CANNOT_WRITE, "cannot make the folder: %s",
				strerror(errno));
	}
	if (good && !path_is_folder(path))
		good = diag_at(diags, (struct place){ path, 0, 0 }, DIAG_CANNOT_WRITE, "not a folder");
	grow_free(part);
	return good;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **folder_files(struct arena *mem, const char *path, size_t *n, struct diags *diags)
{
	DIR *folder = opendir(path);
	const char **files = NULL;
	size_t room = 0;
	size_t bare = strlen(path);

	*n = 0;
	if (!folder) {
		diag_at(diags, (struct place){ path, 0, 0 }, DIAG_CANNOT_READ, "cannot open the folder: %s", strerror(errno));
		return NULL;
	}
	while (bare > 1 && path[bare - 1] == '/')
		bare--;
	for (struct dirent *entry; (entry = readdir(folder));) {
		struct stat about;
		if (entry->d_name[0] == '.')
			continue;
		char *full = arena_print(mem, "%.*s/%s", (int)bare, path, entry->d_name);
		if (stat(full, &about) || !S_ISREG(about.st_mode))
			continue;
		files = grow(files, &room, *n + 1, sizeof *files);
		files[(*n)++] = full;
	}
	closedir(folder);
	if (*n)
		qsort(files, *n, sizeof *files, by_name);
	const char **kept = NEW_ARRAY(mem, const char *, *n);
	if (*n)
		memcpy(kept, files, *n * sizeof *files);
	grow_free(files);
	return kept;
}

const char *path_name(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	return path + n;
}
