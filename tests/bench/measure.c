/*
 * measure.c - runs a command and says what it took.
 *
 *     measure [-c CPUS] [-d FILE] [-m BYTES] OUTPUT COMMAND [ARGUMENT…]
 *
 * Prints "seconds_of_the_wall seconds_of_the_processor peak_bytes exit_status". The command's standard output goes to OUTPUT. -c takes
 * a list of processors, as taskset does ("0", "0,1"); -d takes FILE out of the page cache first, and ends with status 3 where the
 * system keeps it there. -m has so much memory taken first and given back: what is free for seconds the host of a virtual machine may take,
 * and who asks next waits until it is there again, a millisecond and more for each MB. The peak is that of the command or, where it is a
 * shell with children, of the largest of them. A program of its own because a process starts with the peak of the one that it was forked
 * from: this one's is below 2 MB, a script's is not.
 */
#define _GNU_SOURCE /* sched_setaffinity, mincore, wait4 */
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_USAGE 2
#define STATUS_STAYS_CACHED 3
#define STATUS_NOT_FOUND 127
#define PAGE ((size_t)4096)

static int use_processors(const char *list)
{
	cpu_set_t set;
	char *end;

	CPU_ZERO(&set);
	for (const char *at = list; *at; at = *end == ',' ? end + 1 : end) {
		const long cpu = strtol(at, &end, 10);
		if (end == at || cpu < 0 || cpu >= CPU_SETSIZE)
			return STATUS_USAGE;
		CPU_SET((size_t)cpu, &set);
	}
	return sched_setaffinity(0, sizeof set, &set) ? STATUS_USAGE : 0;
}

/* The share of a file's pages that are in the page cache; 1 when that can't be told. */
static double cached_share(int file, size_t size)
{
	const size_t n = (size + PAGE - 1) / PAGE;
	void *const at = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
	unsigned char *const pages = malloc(n);
	size_t n_cached = n;

	if (at != MAP_FAILED && pages && mincore(at, size, pages) == 0)
		for (size_t i = n_cached = 0; i < n; i++)
			n_cached += pages[i] & 1;
	if (at != MAP_FAILED)
		munmap(at, size);
	free(pages);
	return (double)n_cached / (double)n;
}

static int drop_from_cache(const char *path)
{
	const int file = open(path, O_RDONLY);
	struct stat about;

	if (file < 0 || fstat(file, &about) != 0 || about.st_size == 0)
		return STATUS_USAGE;
	fdatasync(file); /* pages that are not written yet would stay */
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	const bool is_gone = cached_share(file, (size_t)about.st_size) < 0.01;
	close(file);
	return is_gone ? 0 : STATUS_STAYS_CACHED;
}

static void touch(size_t n)
{
	char *const at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		_exit(1);
	madvise(at, n, MADV_HUGEPAGE);
	for (size_t i = 0; i < n; i += PAGE)
		at[i] = 1;
	_exit(0);
}

/* By a process of its own, whose peak is not ours. */
static int ready_memory(const char *text)
{
	char *end;
	const size_t n = strtoul(text, &end, 10);
	int status = 0;

	if (*end || !n)
		return STATUS_USAGE;
	const pid_t child = fork();
	if (child == 0)
		touch(n);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : STATUS_USAGE;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void become(const char *output, char **command)
{
	const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (out >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execvp(*command, command);
	perror(*command);
	_exit(STATUS_NOT_FOUND);
}

static int run(const char *output, char **command)
{
	struct rusage usage;
	int status = 0;
	const double begin = now();
	const pid_t child = fork();

	if (child == 0)
		become(output, command);
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return 1;
	printf("%.6f %.6f %ld %d\n", now() - begin, seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss * 1024L,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

int main(int argc, char **argv)
{
	int option, status = 0;

	while (status == 0 && (option = getopt(argc, argv, "+c:d:m:")) != -1)
		status = option == 'c'   ? use_processors(optarg)
			 : option == 'd' ? drop_from_cache(optarg)
			 : option == 'm' ? ready_memory(optarg)
					 : STATUS_USAGE;
	if (status == 0 && argc - optind >= 2)
		return run(argv[optind], argv + optind + 1);
	if (status != STATUS_STAYS_CACHED)
		fprintf(stderr, "usage: measure [-c CPUS] [-d FILE] [-m BYTES] OUTPUT COMMAND [ARGUMENT...]\n");
	return status ? status : STATUS_USAGE;
}
