/*
 * shim.c - system calls and allocations that fail when they are told to: LD_PRELOAD=shim.so, and in the environment
 *
 *     FAULT_CALL=fsync   one of the names below; "output" is each call that changes what lies on a disk, "alloc" each that takes memory
 *     FAULT_AT=3         which of those calls; 0: none, they are only counted
 *     FAULT_HOW=once     that one fails; "forever": and all after it; "kill", "term": the program gets the signal right before it
 *     FAULT_HOW=longer   right before that call FAULT_FILE gets a byte more, or ("shorter") loses its second half
 *     FAULT_ERRNO=28     why it fails
 *     FAULT_COUNT=FILE   where to write, at the end, how many there were
 *     FAULT_BYTES=7      a read or a write moves no more than that, and each third is interrupted (EINTR) before it begins
 *
 * A child counts with its parent. Calls that libraries make through the C library count as our own do; those inside of the C library (stdio, opendir) can't be seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t each);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t to, size_t n);

static const char *call, *how, *changing;
static int count_to = -1; /* open from the begin: a process behind walls opens no file to write */
static long at, bytes;
static int error;
static bool is_on;
static pid_t first; /* the process that was started: its children count with it, and it tells how many there were */
struct counters {
	atomic_long calls, moves;
};
static struct counters *counted; /* shared by them all */

static long number(const char *name)
{
	const char *const text = getenv(name);

	return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	call = getenv("FAULT_CALL");
	how = getenv("FAULT_HOW");
	if (getenv("FAULT_COUNT") && (count_to = open(getenv("FAULT_COUNT"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
		abort();
	changing = getenv("FAULT_FILE");
	at = number("FAULT_AT");
	error = (int)number("FAULT_ERRNO");
	bytes = number("FAULT_BYTES");
	counted = mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counted == MAP_FAILED)
		abort();
	first = getpid();
	is_on = true;
}

__attribute__((destructor)) static void end(void)
{
	char text[32];

	is_on = false;
	if (count_to < 0 || getpid() != first)
		return;
	const int size = snprintf(text, sizeof text, "%ld\n", (long)counted->calls);
	if (write(count_to, text, (size_t)size) != size || close(count_to))
		abort();
}

static bool is_meant(const char *name, bool is_output)
{
	return is_on && call && (strcmp(call, name) == 0 || (is_output && strcmp(call, "output") == 0));
}

static void change_file(void)
{
	struct stat about;

	if (stat(changing, &about) || truncate(changing, strcmp(how, "longer") == 0 ? about.st_size + 1 : about.st_size / 2))
		abort();
}

/* Is this the call that fails? errno is set. */
static bool strikes(const char *name, bool is_output)
{
	if (!is_meant(name, is_output))
		return false;
	const long i = atomic_fetch_add(&counted->calls, 1) + 1;
	if (!at || !how || i < at || (i > at && strcmp(how, "forever") != 0))
		return false;
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "term") == 0)
		raise(SIGTERM);
	if (changing)
		change_file();
	errno = error;
	return strcmp(how, "once") == 0 || strcmp(how, "forever") == 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* ------------------------------------------------ bytes */

static bool is_interrupted(void)
{
	if (!is_on || !bytes || atomic_fetch_add(&counted->moves, 1) % 3 != 2)
		return false;
	errno = EINTR;
	return true;
}

static size_t moved(size_t n)
{
	return is_on && bytes && n > (size_t)bytes ? (size_t)bytes : n;
}

ssize_t read(int fd, void *to, size_t n)
{
	return is_interrupted() || strikes("read", false) ? -1 : REAL(read)(fd, to, moved(n));
}

ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
	return n > room ? (abort(), -1) : read(fd, to, n);
}

ssize_t pread(int fd, void *to, size_t n, off_t from)
{
	return is_interrupted() || strikes("read", false) ? -1 : REAL(pread)(fd, to, moved(n), from);
}

ssize_t __pread_chk(int fd, void *to, size_t n, off_t from, size_t room);
ssize_t __pread_chk(int fd, void *to, size_t n, off_t from, size_t room)
{
	return n > room ? (abort(), -1) : pread(fd, to, n, from);
}

ssize_t write(int fd, const void *from, size_t n)
{
	return is_interrupted() || strikes("write", true) ? -1 : REAL(write)(fd, from, moved(n));
}

/* ------------------------------------------------ files and folders */

static mode_t mode_of(int flags, va_list rest)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list rest;

	va_start(rest, flags);
	const mode_t mode = mode_of(flags, rest);
	va_end(rest);
	return strikes("open", flags & O_CREAT) ? -1 : REAL(open)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list rest;

	va_start(rest, flags);
	const mode_t mode = mode_of(flags, rest);
	va_end(rest);
	return strikes("open", flags & O_CREAT) ? -1 : REAL(openat)(folder, path, flags, mode);
}

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

int __openat_2(int folder, const char *path, int flags);
int __openat_2(int folder, const char *path, int flags)
{
	return openat(folder, path, flags);
}

/* As Linux does: the descriptor is gone also when it fails. */
int close(int fd)
{
	const int result = REAL(close)(fd);

	return strikes("close", false) ? -1 : result;
}

int fsync(int fd)
{
	return strikes("fsync", true) ? -1 : REAL(fsync)(fd);
}

int flock(int fd, int what)
{
	return strikes("flock", false) ? -1 : REAL(flock)(fd, what);
}

int mkdir(const char *path, mode_t mode)
{
	return strikes("mkdir", true) ? -1 : REAL(mkdir)(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
	return strikes("mkdir", true) ? -1 : REAL(mkdirat)(folder, path, mode);
}

int rename(const char *old, const char *new)
{
	return strikes("rename", true) ? -1 : REAL(rename)(old, new);
}

int renameat(int from, const char *old, int to, const char *new)
{
	return strikes("rename", true) ? -1 : REAL(renameat)(from, old, to, new);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
	return strikes("rename", true) ? -1 : REAL(renameat2)(from, old, to, new, flags);
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
	return strikes("link", true) ? -1 : REAL(linkat)(from, old, to, new, flags);
}

int unlinkat(int folder, const char *path, int flags)
{
	return strikes("unlink", true) ? -1 : REAL(unlinkat)(folder, path, flags);
}

int fchmod(int fd, mode_t mode)
{
	return strikes("chmod", true) ? -1 : REAL(fchmod)(fd, mode);
}

int fstat(int fd, struct stat *out)
{
	return strikes("fstat", false) ? -1 : REAL(fstat)(fd, out);
}

/* ------------------------------------------------ memory */

void *malloc(size_t n)
{
	return strikes("alloc", false) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t each)
{
	return strikes("alloc", false) ? NULL : __libc_calloc(n, each);
}

void *realloc(void *p, size_t n)
{
	return strikes("alloc", false) ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t to, size_t n)
{
	return strikes("alloc", false) ? NULL : __libc_memalign(to, n);
}

int posix_memalign(void **p, size_t to, size_t n)
{
	if (strikes("alloc", false))
		return ENOMEM;
	*p = __libc_memalign(to, n);
	return *p ? 0 : ENOMEM;
}
