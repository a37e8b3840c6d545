/*
 * pool_test.c - what a job does to its process happens to no other, and is told: its status, its signal, its last words.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "cmd/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SUCCEEDS, FAILS, CRASHES, HANGS, IS_KILLED, IS_KILLED_ONCE, TALKS, N_JOBS };

struct told {
	struct pool_end ends[N_JOBS];
	char said[N_JOBS][64];
	size_t n;
	int tries; /* a file in which each try leaves a byte */
	size_t most; /* so many are enough */
};

static int work(void *of, size_t job)
{
	struct told *const told = of;
	char tries[2];

	switch (job) {
	case CRASHES:
		signal(SIGSEGV, SIG_DFL); /* sanitizers have a word in it */
		raise(SIGSEGV);
		return 0;
	case HANGS:
		for (;;)
			pause();
	case IS_KILLED_ONCE:
		if (write(told->tries, "x", 1) == 1 && pread(told->tries, tries, 2, 0) == 2)
			return 0;
		raise(SIGKILL);
		return 0;
	case IS_KILLED:
		raise(SIGKILL);
		return 0;
	case TALKS:
		for (int i = 0; i < 10000; i++)
			fputs("last words\n", stderr);
		puts("nobody hears this");
		return 0;
	default:
		return job == FAILS ? 3 : 0;
	}
}

static bool ended(void *of, size_t job, const struct pool_end *end)
{
	struct told *const told = of;

	told->ends[job] = *end;
	snprintf(told->said[job], sizeof told->said[job], "%s", end->said);
	return ++told->n < told->most;
}

static void wait_for_it(void *of)
{
	(void)of;
}

static void run_all(struct told *told, size_t n_processes)
{
	const struct pool_limits limits = { .n_processes = n_processes, .seconds = 0.4 };

	told->tries = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	assert_true(told->tries >= 0);
	pool_run(&limits, N_JOBS, &(struct pool_work){ told, work, ended, wait_for_it });
	close(told->tries);
}

static void each_end_is_told(void **state)
{
	(void)state;
	for (size_t n = 1; n <= N_JOBS; n += 3) {
		struct told told = { .most = N_JOBS + 1 };
		run_all(&told, n);
		const struct pool_end *const ends = told.ends;
		assert_int_equal(told.n, N_JOBS);
		assert_true(ends[SUCCEEDS].status == 0 && !ends[SUCCEEDS].signal && !ends[SUCCEEDS].out_of_time);
		assert_int_equal(ends[FAILS].status, 3);
		assert_int_equal(ends[CRASHES].signal, SIGSEGV);
		assert_true(ends[HANGS].out_of_time && ends[HANGS].seconds >= 0.4);
		assert_true(ends[IS_KILLED].signal == SIGKILL && !ends[IS_KILLED].out_of_time);
		assert_true(!ends[IS_KILLED_ONCE].signal && ends[IS_KILLED_ONCE].status == 0);
		assert_memory_equal(told.said[TALKS], "last words\nlast words\n", 22);
		assert_string_equal(told.said[SUCCEEDS], "");
	}
}

static void who_is_told_can_end_it(void **state)
{
	struct told told = { .most = 2 };

	(void)state;
	run_all(&told, 1);
	assert_int_equal(told.n, 2);
}

#define NOBODY 65534 /* has no other processes, so that a bound on how many there are is known to be one on ours */

static int count_job(void *of, size_t job)
{
	(void)of;
	(void)job;
	poll(NULL, 0, 20);
	return 0;
}

static bool is_good_end(void *of, size_t job, const struct pool_end *end)
{
	size_t *const n_good = of;

	(void)job;
	*n_good += !end->not_started && !end->signal && end->status == 0;
	return true;
}

/* Beside the one that asks the system gives two processes; eight are asked for. */
static void fewer_processes_do_all_jobs(void **state)
{
	const struct pool_limits limits = { .n_processes = 8, .seconds = 60 };
	int how;

	(void)state;
	if (geteuid() != 0)
		skip();
	const pid_t other = fork();
	assert_true(other >= 0);
	if (other == 0) {
		const struct rlimit three = { 3, 3 };
		size_t n_good = 0;
		if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0 || setrlimit(RLIMIT_NPROC, &three) != 0)
			_exit(1);
		pool_run(&limits, 30, &(struct pool_work){ &n_good, count_job, is_good_end, wait_for_it });
		_exit(n_good == 30 ? 0 : 2);
	}
	assert_int_equal(waitpid(other, &how, 0), other);
	assert_int_equal(WEXITSTATUS(how), 0);
}

static int ask_where_it_prints(void *of, size_t job)
{
	struct stat nothing, out;

	(void)of;
	(void)job;
	return stat("/dev/null", &nothing) == 0 && fstat(STDOUT_FILENO, &out) == 0 && nothing.st_rdev == out.st_rdev ? 0 : 1;
}

/* There are descriptors for the pipe that a job is heard through, and for nothing else. */
static void a_job_without_descriptors_prints_nothing(void **state)
{
	const struct pool_limits limits = { .n_processes = 1, .seconds = 60 };
	int how;

	(void)state;
	const pid_t other = fork();
	assert_true(other >= 0);
	if (other == 0) {
		const int first_free = fcntl(STDIN_FILENO, F_DUPFD, 3), out = open("/tmp", O_TMPFILE | O_RDWR, 0600);
		const struct rlimit two = { (rlim_t)first_free + 2, (rlim_t)first_free + 2 };
		size_t n_good = 0;
		if (close(first_free) != 0 || dup2(out, STDOUT_FILENO) < 0 || close(out) != 0 || setrlimit(RLIMIT_NOFILE, &two) != 0)
			_exit(1);
		pool_run(&limits, 3, &(struct pool_work){ &n_good, ask_where_it_prints, is_good_end, wait_for_it });
		_exit(n_good == 3 ? 0 : 2);
	}
	assert_int_equal(waitpid(other, &how, 0), other);
	assert_int_equal(WEXITSTATUS(how), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_is_told),
		cmocka_unit_test(who_is_told_can_end_it),
		cmocka_unit_test(fewer_processes_do_all_jobs),
		cmocka_unit_test(a_job_without_descriptors_prints_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
