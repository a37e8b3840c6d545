/* file.c - small files read whole, bytes written, folders looked into. */
#include "base/file.h"

#include "base/sort.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t fd_read(int fd, void *to, size_t n)
{
	size_t n_read = 0;

	while (n_read < n) {
		const ssize_t got = read(fd, (char *)to + n_read, n - n_read);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -1 : (ssize_t)n_read;
		n_read += (size_t)got;
	}
	return (ssize_t)n_read;
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
		const size_t n = (size_t)about.st_size;
		char *const text = arena_alloc(mem, n + 1);
		const ssize_t got = fd_read(fd, text, n);
		good = got >= 0 || diag_at(diags, place, DIAG_CANNOT_READ, "cannot read: %s", strerror(errno));
		if (good && (size_t)got < n)
			good = diag_at(diags, place, DIAG_CANNOT_READ, "it became shorter while it was read");
		*out = (struct slice){ text, n };
	}
	close(fd);
	return good;
}

bool fd_write(int fd, struct slice content)
{
	while (content.n) {
		ssize_t put = write(fd, content.p, content.n);
		if (put < 0 && errno == EAGAIN) { /* a pipe that its reader's end made non-blocking is waited for, like any other */
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		} else if (put < 0 && errno != EINTR) {
			return false;
		} else if (put > 0) {
			content.p += put;
			content.n -= (size_t)put;
		}
	}
	return true;
}

bool path_is_folder(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

DIR *entries_open(const char *path, struct diags *diags)
{
	DIR *const folder = opendir(path);

	if (!folder && errno == ENOMEM)
		die_memory();
	if (!folder)
		diag_at(diags, (struct place){ path, 0, 0 }, DIAG_CANNOT_READ, "cannot open the folder: %s", strerror(errno));
	return folder;
}

const struct dirent *entries_next(DIR *folder, const char *path, struct diags *diags)
{
	errno = 0;
	const struct dirent *const entry = readdir(folder);
	if (!entry && errno)
		diag_at(diags, (struct place){ path, 0, 0 }, DIAG_CANNOT_READ, "cannot read the folder to its end: %s", strerror(errno));
	return entry;
}

bool path_is_link(const char *path)
{
	struct stat about;

	return lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
}

bool path_leads_nowhere(const char *path)
{
	struct stat about;

	return stat(path, &about) != 0 && path_is_link(path);
}

static bool is_file(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

const char **folder_files(struct arena *mem, const char *path, size_t *n, struct diags *diags)
{
	DIR *const folder = entries_open(path, diags);
	const char **files = NULL;
	size_t room = 0;

	*n = 0;
	if (!folder)
		return NULL;
	for (const struct dirent *entry; (entry = entries_next(folder, path, diags));) {
		if (entry->d_name[0] == '.')
			continue;
		char *full = arena_print(mem, "%.*s/%s", (int)path_bare(path), path, entry->d_name);
		if (!is_file(full) && !path_leads_nowhere(full)) /* who opens that is told so */
			continue;
		files = grow(files, &room, *n + 1, sizeof *files);
		files[(*n)++] = full;
	}
	closedir(folder);
	texts_sort(files, *n);
	const char **kept = NEW_ARRAY(mem, const char *, *n);
	if (files)
		memcpy(kept, files, *n * sizeof *files);
	grow_free(files);
	return kept;
}

bool folder_has_folders(const char *path)
{
	DIR *const folder = opendir(path);
	bool has = false;
	struct stat about;

	if (!folder)
		return false;
	for (struct dirent *entry; !has && (entry = readdir(folder));)
		has = entry->d_name[0] != '.' && fstatat(dirfd(folder), entry->d_name, &about, 0) == 0 && S_ISDIR(about.st_mode);
	closedir(folder);
	return has;
}

bool path_make_folders(const char *path)
{
	char part[PATH_MAX];
	const size_t n = strlen(path);

	if (n >= sizeof part) {
		errno = ENAMETOOLONG;
		return false;
	}
	for (size_t i = 1; i < n; i++) {
		if (path[i] != '/' || path[i + strspn(path + i, "/")] == '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			return false;
	}
	return true;
}

size_t path_bare(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

const char *path_plain(struct arena *mem, const char *path)
{
	char *const plain = NEW_ARRAY(mem, char, strlen(path) + 2);
	size_t n = 0;

	if (*path == '/')
		plain[n++] = '/';
	for (const char *part = path; *part; part += strspn(part, "/")) {
		const size_t length = strcspn(part, "/");
		if (length && !(length == 1 && *part == '.')) {
			if (n && plain[n - 1] != '/')
				plain[n++] = '/';
			memcpy(plain + n, part, length);
			n += length;
		}
		part += length;
	}
	return n ? plain : ".";
}

const char *path_name(const char *path)
{
	size_t n = path_bare(path);

	while (n && path[n - 1] != '/')
		n--;
	return path + n;
}

/* How many folders a path leads up, as "." and "../.." do, which name none; -1: it does name one. */
static int folders_up(const char *path)
{
	int n_up = 0;

	for (const char *part = path; *part;) {
		const size_t n = strcspn(part, "/");
		if (n > 2 || memcmp(part, "..", n) != 0 || (n == 0 && part == path))
			return -1;
		n_up += n == 2;
		part += n + (part[n] == '/');
	}
	return n_up;
}

const char *path_own_name(struct arena *mem, const char *path)
{
	const char *const name = path_name(path);
	const int n_up = folders_up(path);
	char here[PATH_MAX];

	if (n_up < 0 || !getcwd(here, sizeof here))
		return arena_text(mem, name, path_bare(name));
	for (int i = 0; i < n_up; i++) {
		const size_t n = (size_t)(path_name(here) - here);
		here[n > 1 ? n - 1 : 1] = '\0';
	}
	return strcmp(here, "/") == 0 ? "/" : arena_text(mem, path_name(here), strlen(path_name(here)));
}
