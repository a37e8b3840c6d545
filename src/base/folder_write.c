/*
 * folder_write.c - a folder of files that is the old one or the new one, at every moment.
 *
 *     out/                              out/ (new)                        it was not there: one rename
 *     .out.tmp-0/  report.txt …   ->    .out.tmp-0/ (old), then removed   nothing but a report of ours in it: the two change places
 *     out/.postrun.tmp-0/ …       ->    out/report.txt, …                 anything else in it: each file changes place, one by one
 *
 * Files are written and synced in a folder of their own, the stage, before the first of them can be seen: a full disk is known by then.
 * Only fsync of a file, rename, fsync of the folder survive a power cut in that order. The last way is the only one in which a kill can
 * leave some files of before beside some new ones; each is whole even then. It is taken as well where the folder can't be replaced
 * without a change that its owner would see: another owner, attributes (as of access lists), a mount, somebody's working folder.
 *
 * A stage is locked for as long as somebody writes into it, so that one without a lock was left by a kill. Where a file system knows no
 * locks nothing is taken for left behind, and the stage gets another number.
 *
 * Nothing here takes memory: between the first byte on the disk and the last there is no way out but through the end.
 */
#define _GNU_SOURCE /* renameat2 */
#include "base/folder_write.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define IN_USE "another run is writing into it; try again when that is done"

/* What went wrong: nothing as long as `what` is NULL. */
struct failure {
	const char *what;
	int why;          /* errno, or 0: `what` says it all */
	const char *name; /* of the file; NULL: the folder */
};

static bool failed(struct failure *f, const char *what, int why, const char *name)
{
	*f = (struct failure){ what, why, name };
	return false;
}

static bool not_written(struct failure *f, const char *name)
{
	return failed(f, "cannot write", errno, name);
}

static bool complain(const char *folder, const struct failure *f, struct diags *diags)
{
	const char *const path = f->name ? arena_print(diags->mem, "%s/%s", folder, f->name) : folder;

	return diag_unwritten(diags, path, f->what, f->why);
}

/* Closes it and keeps errno. */
static void let_go(int *fd)
{
	const int why = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = why;
}

static int open_folder(int within, const char *name, int flags)
{
	return openat(within, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
}

/* Is what `name` stands for the one that is open? */
static bool is_at(int within, const char *name, int flags, int fd)
{
	struct stat named, open;

	return fstatat(within, name, &named, flags) == 0 && fstat(fd, &open) == 0 && named.st_dev == open.st_dev &&
	       named.st_ino == open.st_ino;
}

enum hold { HELD, HELD_BY_OTHERS, HELD_BY_NOBODY };

static enum hold hold(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return HELD;
	return errno == EWOULDBLOCK ? HELD_BY_OTHERS : HELD_BY_NOBODY;
}

/* ------------------------------------------------ claims */

/* It can't be opened: true when it is not there, and could be made. */
static bool not_there(const char *path, int why, struct failure *f)
{
	struct stat about;
	const bool is_something = lstat(path, &about) == 0; /* a file, or a link to nothing */

	if (is_something && (why == ENOTDIR || why == ENOENT))
		return failed(f, "not a folder", 0, NULL);
	return why == ENOENT || failed(f, is_something ? "cannot write" : "cannot make the folder", why, NULL);
}

#define MOST_TRIES 100 /* others would have to write as often while we look */

/* Who held it may have put another one in its place before we had it: then once more. */
static bool claim_it(struct folder_claim *claim, struct failure *f)
{
	for (int i = 0; i < MOST_TRIES; i++) {
		claim->fd = open_folder(AT_FDCWD, claim->path, 0);
		if (claim->fd < 0)
			return not_there(claim->path, errno, f);
		if (hold(claim->fd) == HELD_BY_OTHERS) {
			let_go(&claim->fd);
			return failed(f, IN_USE, 0, NULL);
		}
		if (is_at(AT_FDCWD, claim->path, 0, claim->fd))
			return true;
		let_go(&claim->fd);
	}
	return not_written(f, NULL);
}

bool folder_claim(struct folder_claim *claim, const char *path, struct diags *diags)
{
	struct failure f = { 0 };

	*claim = (struct folder_claim){ path, -1 };
	return claim_it(claim, &f) || complain(path, &f, diags);
}

void folder_leave(struct folder_claim *claim)
{
	let_go(&claim->fd);
}

/* ------------------------------------------------ what lies in a folder */

typedef bool ask_fn(const void *of, int folder, const char *name);

/* Does `ask` say so of each entry? False, too, when they can't be listed. */
static bool all_entries(int folder, ask_fn *ask, const void *of)
{
	int own = open_folder(folder, ".", 0);
	DIR *const entries = own < 0 ? NULL : fdopendir(own);
	bool all = true;

	if (!entries) {
		let_go(&own);
		return false;
	}
	for (const struct dirent *entry; all && (errno = 0, entry = readdir(entries));)
		all = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || ask(of, folder, entry->d_name);
	all = all && errno == 0;
	closedir(entries);
	return all;
}

static bool is_given(const struct folder_files_given *files, const char *name)
{
	for (size_t i = 0; i < files->n; i++)
		if (strcmp(files->at[i].name, name) == 0)
			return true;
	return false;
}

static bool is_ours(const void *of, int folder, const char *name)
{
	const struct folder_files_given *const files = of;
	bool known = is_given(files, name);
	struct stat about;

	for (size_t i = 0; i < files->n_known && !known; i++)
		known = strcmp(files->known[i], name) == 0;
	return known && fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode);
}

static void remove_if_ours(const struct folder_files_given *files, int folder, const char *name)
{
	if (is_ours(files, folder, name))
		unlinkat(folder, name, 0);
}

/* By their names: whoever can list no folder any more can still remove. */
static void remove_ours(const struct folder_files_given *files, int folder)
{
	for (size_t i = 0; i < files->n; i++)
		remove_if_ours(files, folder, files->at[i].name);
	for (size_t i = 0; i < files->n_known; i++)
		remove_if_ours(files, folder, files->known[i]);
}

/* ------------------------------------------------ the stage */

#define STAGE_NAME_MOST 200 /* bytes of the name that it is for: all of it has to fit into NAME_MAX */

struct stage {
	int within; /* the folder that it is in; not ours to close */
	int fd;
	char name[NAME_MAX + 1];
};

/* One that a kill has left, with nothing in it but what is ours. Something else of that name is not touched. */
static bool remove_stale(const struct stage *s, const struct folder_files_given *files)
{
	struct stat about;

	if (!is_at(s->within, s->name, AT_SYMLINK_NOFOLLOW, s->fd) || fstat(s->fd, &about) != 0 || about.st_uid != geteuid() ||
		!all_entries(s->fd, is_ours, files))
		return false;
	remove_ours(files, s->fd);
	return unlinkat(s->within, s->name, AT_REMOVEDIR) == 0;
}

static bool stage_make(struct stage *s, bool *made)
{
	*made = mkdirat(s->within, s->name, 0777) == 0;
	if (!*made && errno != EEXIST)
		return false;
	s->fd = open_folder(s->within, s->name, O_NOFOLLOW);
	if (s->fd >= 0 || !*made)
		return true;
	const int why = errno;
	unlinkat(s->within, s->name, AT_REMOVEDIR);
	errno = why;
	return false;
}

/* In `within`, named after what is to come. */
static bool stage_open(struct stage *s, int within, const char *after, const struct folder_files_given *files, struct failure *f)
{
	*s = (struct stage){ .within = within, .fd = -1 };
	for (int i = 0; i < MOST_TRIES; i++) {
		bool made;
		snprintf(s->name, sizeof s->name, ".%.*s.tmp-%d", STAGE_NAME_MOST, after, i);
		if (!stage_make(s, &made))
			return not_written(f, NULL);
		const enum hold state = s->fd < 0 ? HELD_BY_NOBODY : hold(s->fd);
		if (made && state != HELD_BY_OTHERS && is_at(within, s->name, AT_SYMLINK_NOFOLLOW, s->fd))
			return true;
		if (state == HELD && remove_stale(s, files))
			i--;
		let_go(&s->fd);
		if (state == HELD_BY_OTHERS)
			return failed(f, IN_USE, 0, NULL);
	}
	return failed(f, "cannot write", EEXIST, NULL);
}

/* With what is left in it: also links of the user's that files have changed place with. */
static void stage_remove(struct stage *s, const struct folder_files_given *files)
{
	if (s->fd < 0)
		return;
	for (size_t i = 0; i < files->n; i++)
		unlinkat(s->fd, files->at[i].name, 0);
	remove_ours(files, s->fd);
	unlinkat(s->within, s->name, AT_REMOVEDIR);
	let_go(&s->fd);
}

/* ------------------------------------------------ signals */

static const int interruptions[] = { SIGINT, SIGTERM, SIGHUP };
#define N_INTERRUPTIONS (sizeof interruptions / sizeof *interruptions)

static void hold_signals(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < N_INTERRUPTIONS; i++)
		sigaddset(&held, interruptions[i]);
	pthread_sigmask(SIG_BLOCK, &held, before);
}

/* Will a signal that waits end us? One that is ignored (nohup) waits like any other while it is held. */
static bool interrupted(void)
{
	struct sigaction action;
	sigset_t waiting;

	if (sigpending(&waiting) != 0)
		return false;
	for (size_t i = 0; i < N_INTERRUPTIONS; i++)
		if (sigismember(&waiting, interruptions[i]) == 1 && sigaction(interruptions[i], NULL, &action) == 0 &&
			action.sa_handler != SIG_IGN)
			return true;
	return false;
}

/* ------------------------------------------------ writing */

/* Still open: its bytes are on their way to the disk. -1: errno says why. */
static int write_file(int folder, const struct folder_file *file)
{
	int fd = openat(folder, file->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

	if (fd < 0)
		return -1;
	if (fd_write(fd, file->content))
		sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* no more than a hint: what fails is told by the sync */
	else
		let_go(&fd);
	return fd;
}

static bool sync_file(int fd)
{
	const bool good = fsync(fd) == 0;
	const int why = errno;
	const bool closed = close(fd) == 0;

	if (!good)
		errno = why;
	return good && closed;
}

/* False for a folder that must be synced and could not be; some file systems can't, and need not. */
static bool sync_folder(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EBADF;
}

#define MOST_OPEN 16 /* more files than a report has */

/* Written first, and synced when all are: the disk is asked for them together, which takes half as long. */
static bool write_some(const struct stage *s, const struct folder_file *files, size_t n, struct failure *f)
{
	int fds[MOST_OPEN];
	size_t n_open = 0;
	bool good = true;

	for (size_t i = 0; i < n && good; i++) {
		good = !interrupted() || failed(f, "cannot write", EINTR, NULL);
		if (good && (fds[n_open] = write_file(s->fd, &files[i])) >= 0)
			n_open++;
		else if (good)
			good = not_written(f, files[i].name);
	}
	for (size_t i = 0; i < n_open; i++) {
		good = good && (!interrupted() || failed(f, "cannot write", EINTR, NULL));
		if (!good)
			close(fds[i]);
		else
			good = sync_file(fds[i]) || not_written(f, files[i].name);
	}
	return good;
}

static bool fill_stage(const struct stage *s, const struct folder_files_given *files, struct failure *f)
{
	for (size_t i = 0; i < files->n; i += MOST_OPEN)
		if (!write_some(s, files->at + i, files->n - i < MOST_OPEN ? files->n - i : MOST_OPEN, f))
			return false;
	return sync_folder(s->fd) || not_written(f, NULL);
}

/* ------------------------------------------------ each file by itself, in a folder that stays */

/* rename would be refused, but only when others have changed place already */
static bool none_is_a_folder(int folder, const struct folder_files_given *files, struct failure *f)
{
	struct stat about;

	for (size_t i = 0; i < files->n; i++)
		if (fstatat(folder, files->at[i].name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode))
			return failed(f, "cannot write", EISDIR, files->at[i].name);
	return true;
}

/* Changes place with the one that is there, so that it can be put back. Not all file systems can. */
static bool put_one(const struct stage *s, int folder, const char *name)
{
	if (renameat2(s->fd, name, folder, name, RENAME_EXCHANGE) == 0)
		return true;
	if (errno == ENOENT && renameat2(s->fd, name, folder, name, RENAME_NOREPLACE) == 0)
		return true;
	return (errno == EINVAL || errno == ENOSYS) && renameat(s->fd, name, folder, name) == 0;
}

static void put_back(const struct stage *s, int folder, const struct folder_files_given *files, size_t n)
{
	while (n--) {
		const char *const name = files->at[n].name;
		if (renameat2(s->fd, name, folder, name, RENAME_EXCHANGE) != 0 && errno == ENOENT)
			renameat2(folder, name, s->fd, name, RENAME_NOREPLACE);
	}
}

static bool write_each(int folder, const struct folder_files_given *files, struct failure *f)
{
	struct stage s;
	bool good = stage_open(&s, folder, "postrun", files, f) && fill_stage(&s, files, f) && none_is_a_folder(folder, files, f);

	for (size_t i = 0; i < files->n && good; i++) {
		good = put_one(&s, folder, files->at[i].name) || not_written(f, files->at[i].name);
		if (!good)
			put_back(&s, folder, files, i);
	}
	stage_remove(&s, files);
	return good && (sync_folder(folder) || not_written(f, NULL));
}

/* ------------------------------------------------ the folder as a whole */

/* The folder that `path` is in, opened, and its name there. -1: errno says why. */
static int open_parent(const char *path, char name[NAME_MAX + 1])
{
	char parent[PATH_MAX];
	const size_t n = path_bare(path);
	size_t begin;

	for (begin = n; begin && path[begin - 1] != '/'; begin--)
		;
	if (n - begin > NAME_MAX || begin >= sizeof parent) {
		errno = ENAMETOOLONG;
		return -1;
	}
	snprintf(name, NAME_MAX + 1, "%.*s", (int)(n - begin), path + begin);
	snprintf(parent, sizeof parent, "%.*s", begin ? (int)begin : 1, begin ? path : ".");
	return open_folder(AT_FDCWD, parent, 0);
}

/* Anything but what the system sets by itself: access lists, how files are spread over disks, notes of the owner. */
static bool has_attributes(int fd)
{
	char names[4096];
	const ssize_t n = flistxattr(fd, names, sizeof names);

	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
		if (strncmp(names + at, "security.", strlen("security.")) != 0)
			return true;
	return n < 0 && errno == ERANGE;
}

/* Would nobody notice, but for the files in it? */
static bool is_replaceable(int folder, const struct folder_files_given *files)
{
	struct stat about;

	return fstat(folder, &about) == 0 && about.st_uid == geteuid() && faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0 &&
	       !is_at(AT_FDCWD, ".", 0, folder) && !has_attributes(folder) && all_entries(folder, is_ours, files);
}

static bool becomes_alike(int new, int old)
{
	struct stat was, is;

	if (fstat(old, &was) != 0 || fstat(new, &is) != 0)
		return false;
	if (is.st_gid != was.st_gid && fchown(new, (uid_t)-1, was.st_gid) != 0)
		return false;
	return is.st_mode == was.st_mode || fchmod(new, was.st_mode & 07777) == 0;
}

struct carrying {
	const struct folder_files_given *files;
	int to;
	bool from_report;
};

static bool is_picture(const char *name)
{
	const char *const ending = strrchr(name, '.');

	return ending && (strcmp(ending, ".png") == 0 || strcmp(ending, ".svg") == 0);
}

/* A picture that is not given, where others of its kind are. */
static bool is_outdated(const struct folder_files_given *files, const char *name)
{
	bool has_such = false;

	if (!is_picture(name) || is_given(files, name))
		return false;
	for (size_t i = 0; i < files->n && !has_such; i++)
		has_such = is_picture(files->at[i].name) && strcmp(strrchr(files->at[i].name, '.'), strrchr(name, '.')) == 0;
	return has_such;
}

/* What is written now, but for pictures, was there before. */
static bool has_report(int folder, const struct folder_files_given *files)
{
	bool has_all = true;

	for (size_t i = 0; i < files->n && has_all; i++)
		has_all = is_picture(files->at[i].name) || faccessat(folder, files->at[i].name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	return has_all;
}

/*
 * What an earlier report had and this one has not stays: the same file, in the new folder too. Its pictures go: beside those of this
 * report they would be taken for its own.
 */
static bool carry(const void *of, int folder, const char *name)
{
	const struct carrying *const c = of;

	return is_given(c->files, name) || (c->from_report && is_outdated(c->files, name)) || linkat(folder, name, c->to, name, 0) == 0;
}

/* What came into the old folder since we looked. */
static bool move_over(const void *of, int folder, const char *name)
{
	const struct carrying *const c = of;

	return is_ours(c->files, folder, name) || renameat2(folder, name, c->to, name, RENAME_NOREPLACE) == 0;
}

static void remove_old(const struct stage *s, int old, const struct folder_files_given *files)
{
	remove_ours(files, old);
	if (unlinkat(s->within, s->name, AT_REMOVEDIR) == 0)
		return;
	all_entries(old, move_over, &(struct carrying){ .files = files, .to = s->fd });
	unlinkat(s->within, s->name, AT_REMOVEDIR);
}

/* False without a failure: not in this way; the old folder is as it was, and no stage is left. */
static bool exchange(int old, const char *path, const struct folder_files_given *files, struct failure *f)
{
	char real[PATH_MAX], name[NAME_MAX + 1];
	struct failure ignored = { 0 };
	struct stage s = { .fd = -1 };
	bool good = false;

	if (!is_replaceable(old, files) || !realpath(path, real))
		return false;
	int within = open_parent(real, name);
	if (within >= 0 && is_at(within, name, AT_SYMLINK_NOFOLLOW, old) && stage_open(&s, within, name, files, &ignored) &&
		becomes_alike(s.fd, old) && fill_stage(&s, files, f) &&
		all_entries(old, carry, &(struct carrying){ files, s.fd, has_report(old, files) }) &&
		(sync_folder(s.fd) || not_written(f, NULL)) && is_at(within, name, AT_SYMLINK_NOFOLLOW, old))
		good = renameat2(within, s.name, within, name, RENAME_EXCHANGE) == 0;
	if (!good) {
		stage_remove(&s, files);
	} else {
		good = sync_folder(within) || not_written(f, NULL);
		remove_old(&s, old, files);
		let_go(&s.fd);
	}
	let_go(&within);
	return good;
}

/* Nobody's folder is replaced: where one came meanwhile, errno is EEXIST. */
static bool put_new(const struct stage *s, const char *name)
{
	if (renameat2(s->within, s->name, s->within, name, RENAME_NOREPLACE) == 0)
		return true;
	if ((errno == EINVAL || errno == ENOSYS) && renameat(s->within, s->name, s->within, name) == 0)
		return true;
	errno = errno == ENOTEMPTY ? EEXIST : errno;
	return false;
}

static bool write_new(const char *path, const struct folder_files_given *files, struct failure *f)
{
	char name[NAME_MAX + 1];
	struct stage s = { .fd = -1 };
	int within = path_make_folders(path) ? open_parent(path, name) : -1;

	if (within < 0)
		return failed(f, "cannot make the folder", errno, NULL);
	bool good = stage_open(&s, within, name, files, f) && fill_stage(&s, files, f) && (put_new(&s, name) || not_written(f, NULL));
	if (good)
		good = sync_folder(within) || not_written(f, NULL);
	else
		stage_remove(&s, files);
	let_go(&s.fd);
	let_go(&within);
	return good;
}

/* ------------------------------------------------ whichever way */

/* Where a folder can't be replaced. */
static bool write_over(int folder, const struct folder_files_given *files, struct failure *f)
{
	const bool is_report = has_report(folder, files) && all_entries(folder, is_ours, files);

	if (!write_each(folder, files, f))
		return false;
	for (size_t i = 0; i < files->n_known && is_report; i++)
		if (is_outdated(files, files->known[i]))
			remove_if_ours(files, folder, files->known[i]);
	return true;
}

static bool write_all(struct folder_claim *claim, const struct folder_files_given *files, struct failure *f)
{
	if (claim->fd < 0) {
		if (write_new(claim->path, files, f))
			return true;
		if (f->why != EEXIST)
			return false;
		*f = (struct failure){ 0 };
		if (!claim_it(claim, f))
			return false;
		if (claim->fd < 0) /* gone again */
			return failed(f, "cannot write", ENOENT, NULL);
	}
	return exchange(claim->fd, claim->path, files, f) || (!f->what && write_over(claim->fd, files, f));
}

bool folder_write(struct folder_claim *claim, const struct folder_files_given *files, struct diags *diags)
{
	struct failure f = { 0 };
	sigset_t before;

	hold_signals(&before);
	const bool good = write_all(claim, files, &f);
	pthread_sigmask(SIG_SETMASK, &before, NULL); /* who interrupted us is obeyed here */
	return good || complain(claim->path, &f, diags);
}
