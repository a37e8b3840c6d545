/* publish.c - written beside, synced, renamed, looked at: a file or a folder of results takes its place. */
#define _GNU_SOURCE /* renameat2 */
#include "cmd/publish.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUT_AT_ONCE ((size_t)256 * 1024)
#define HOST_BYTES 65    /* with a NUL; a longer name is cut */
#define MACHINE_BYTES 96 /* with the number behind it */

/* As a part of a file name. Two containers may share the host's name and each have a process 7: the number is of the processes' numbers. */
static void machine_name(char name[MACHINE_BYTES])
{
	char host[HOST_BYTES];
	struct stat numbers;

	if (gethostname(host, sizeof host) != 0)
		host[0] = '\0';
	host[sizeof host - 1] = '\0';
	for (char *p = host; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *p))
			*p = '_';
	const bool is_known = stat("/proc/self/ns/pid", &numbers) == 0;
	snprintf(name, MACHINE_BYTES, "%s-%llu", host, is_known ? (unsigned long long)numbers.st_ino : 0ULL);
}

static struct slice folder_of(const char *path)
{
	return (struct slice){ path, (size_t)(path_name(path) - path) };
}

const char *attempt_name(struct arena *mem, const char *path)
{
	char machine[MACHINE_BYTES];

	machine_name(machine);
	return arena_print(mem, "%.*s.%s.%s.%ld", SLICE(folder_of(path)), path_name(path), machine, (long)getpid());
}

/* Some file systems can't, and need not. */
static bool sync_folder_of(const char *path)
{
	const struct slice folder = folder_of(path);
	struct arena scratch;

	arena_init(&scratch);
	const int fd = open(folder.n ? arena_text(&scratch, folder.p, folder.n) : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool good = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EBADF);
	const int why = errno;
	if (fd >= 0)
		close(fd);
	arena_release(&scratch);
	errno = why;
	return good;
}

/* ------------------------------------------------ a file */

void publish_begin(struct arena *mem, struct publication *p, const char *path)
{
	*p = (struct publication){ .path = path, .temporary = attempt_name(mem, path), .digest = digest_begin() };
	buf_init(&p->waiting, SIZE_MAX / 2);
	path_make_folders(path); /* what it lacks is told by what comes next */
	unlink(p->temporary); /* of a process that had our number */
	p->fd = open(p->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	p->why = p->fd < 0 ? errno : 0;
}

static void note_failure(struct publication *p, bool good)
{
	if (!good && !p->why)
		p->why = errno;
}

static void put_waiting(struct publication *p)
{
	if (p->fd >= 0 && !p->why)
		note_failure(p, fd_write(p->fd, buf_slice(&p->waiting)));
	digest_add(p->digest, buf_slice(&p->waiting));
	p->waiting.n = 0;
}

void publish_put(struct publication *p, struct slice bytes)
{
	buf_put(&p->waiting, bytes);
	if (p->waiting.n >= PUT_AT_ONCE)
		put_waiting(p);
}

static bool is_content_of(const char *path, const char *digits)
{
	char block[64 * 1024], found[DIGEST_DIGITS + 1];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;

	if (fd < 0)
		return false;
	struct digest *const d = digest_begin();
	while ((got = fd_read(fd, block, sizeof block)) > 0)
		digest_add(d, (struct slice){ block, (size_t)got });
	digest_end(d, found);
	close(fd);
	return got == 0 && strcmp(found, digits) == 0;
}

/* False: errno says why the rename failed, not what came of reading the target. */
static bool take_place(const struct publication *p, const char *digits)
{
	if (rename(p->temporary, p->path) == 0)
		return true;
	const int why = errno;
	const bool is_there = is_content_of(p->path, digits);
	errno = why;
	return is_there;
}

bool publish_end(struct publication *p, struct diags *diags)
{
	char digits[DIGEST_DIGITS + 1];

	put_waiting(p);
	digest_end(p->digest, digits);
	buf_release(&p->waiting);
	if (p->fd >= 0) {
		note_failure(p, fsync(p->fd) == 0);
		note_failure(p, close(p->fd) == 0);
	}
	if (!p->why)
		note_failure(p, take_place(p, digits));
	if (!p->why)
		note_failure(p, sync_folder_of(p->path));
	if (!p->why)
		return true;
	unlink(p->temporary);
	return diag_unwritten(diags, p->path, "cannot write", p->why);
}

/* ------------------------------------------------ a folder */

bool publish_remove(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *const folder = fd < 0 ? NULL : fdopendir(fd);

	if (folder) {
		for (const struct dirent *entry; (entry = readdir(folder));)
			unlinkat(fd, entry->d_name, 0); /* "." and ".." are no files */
		closedir(folder);
	} else if (fd >= 0) {
		close(fd);
	}
	return rmdir(path) == 0;
}

static bool is_taken(int why)
{
	return why == EEXIST || why == ENOTEMPTY;
}

/*
 * Where the file system can't let two change places (NFS) the one that is there is put aside first: there is a moment without any, of one
 * rename, not of removing all its files. Where somebody else's came in that moment it stays: of the same run it is the same. Where the new
 * one can't come (a full disk) the old one goes back.
 */
static bool replace_by_way_of(const char *aside, const char *attempt, const char *path)
{
	publish_remove(aside); /* of a process with our number that was killed here */
	const bool was_there = rename(path, aside) == 0;
	if (!was_there && errno != ENOENT)
		return false;
	const bool is_put = rename(attempt, path) == 0, is_others = !is_put && is_taken(errno);
	const int why = errno;
	if (is_others)
		publish_remove(attempt);
	if (is_put || is_others || (was_there && rename(aside, path) != 0 && is_taken(errno)))
		publish_remove(aside);
	errno = why;
	return is_put || is_others;
}

static bool replace_folder(const char *attempt, const char *path)
{
	struct arena scratch;

	if (renameat2(AT_FDCWD, attempt, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
		publish_remove(attempt);
		return true;
	}
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	arena_init(&scratch);
	const bool good = replace_by_way_of(arena_print(&scratch, "%s.old", attempt), attempt, path);
	const int why = errno;
	arena_release(&scratch);
	errno = why;
	return good;
}

bool publish_folder(const char *attempt, const char *path, struct diags *diags)
{
	bool good = rename(attempt, path) == 0;

	if (!good && is_taken(errno))
		good = replace_folder(attempt, path);
	if (!good && errno == ENOENT && access(attempt, F_OK) != 0) /* sent twice, and done by the first */
		good = access(path, F_OK) == 0;
	if (good && sync_folder_of(path))
		return true;
	const int why = errno;
	publish_remove(attempt);
	return diag_unwritten(diags, path, "cannot write", why);
}

/* ------------------------------------------------ what kills have left */

/* The number behind "MACHINE." in the name of an attempt, or of the stage of one (folder_write.c); 0: none of ours. */
static pid_t process_of(const char *name, const char *machine)
{
	const size_t n = strlen(machine);

	for (const char *p = name[0] == '.' ? strstr(name, machine) : NULL; p; p = strstr(p + 1, machine)) {
		if (p == name || p[-1] != '.' || p[n] != '.')
			continue;
		const long number = strtol(p + n + 1, NULL, 10);
		return number > 0 ? (pid_t)number : 0;
	}
	return 0;
}

void attempts_clear(const char *folder)
{
	DIR *const entries = opendir(folder);
	char machine[MACHINE_BYTES];
	struct arena scratch;

	if (!entries)
		return;
	arena_init(&scratch);
	machine_name(machine);
	for (const struct dirent *entry; (entry = readdir(entries));) {
		const pid_t process = process_of(entry->d_name, machine);
		if (!process || kill(process, 0) == 0 || errno != ESRCH)
			continue;
		const char *const path = arena_print(&scratch, "%s/%s", folder, entry->d_name);
		if (unlink(path) != 0)
			publish_remove(path);
	}
	closedir(entries);
	arena_release(&scratch);
}
