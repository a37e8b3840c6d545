/* pool.c - processes begun, heard and, when they are late, ended. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "cmd/pool.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/sanitizers.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Sanitizers take all the address space that there is. */
#define HAS_BOUNDS_OF_MEMORY (!WITH_ADDRESS_SANITIZER && !WITH_THREAD_SANITIZER)

#define SAID_BYTES 4096
#define LOOK_MS 500

struct place_of_work { /* for one process at a time */
	pid_t process; /* 0: nobody is there */
	size_t job;
	int hears;     /* what it prints to standard error */
	double began;
	bool out_of_time, is_second_try;
	char said[SAID_BYTES];
	size_t n_said;
};

struct pool {
	const struct pool_limits *limits;
	const struct pool_work *work;
	struct place_of_work *places;
	struct pollfd *ears; /* beside them */
	size_t n_places, n_busy;
	size_t next, n_jobs;
	size_t *again; /* jobs whose processes were killed from outside: no more than there are places, since they go before others */
	size_t n_again;
	bool is_over; /* no further job is begun */
	cpu_set_t ours;
};

double pool_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ------------------------------------------------ in a job's process */

/* Of n cores that are ours each place has its own; where there are fewer places than processes are allowed, several. */
static void keep_to_cores(const struct pool *p, size_t place)
{
	const size_t n_cores = (size_t)CPU_COUNT(&p->ours);
	const size_t n_each = n_cores && p->limits->n_processes > p->n_places ? p->limits->n_processes / p->n_places : 1;
	cpu_set_t mine;
	size_t number = 0;

	CPU_ZERO(&mine);
	for (int core = 0; n_cores && core < CPU_SETSIZE; core++) {
		if (!CPU_ISSET((size_t)core, &p->ours))
			continue;
		for (size_t k = 0; k < n_each; k++)
			if (number == (place * n_each + k) % n_cores)
				CPU_SET((size_t)core, &mine);
		number++;
	}
	if (n_cores)
		sched_setaffinity(0, sizeof mine, &mine);
}

static struct rlimit at_most(struct rlimit limit, uint64_t most)
{
	if (most < limit.rlim_cur)
		limit.rlim_cur = most;
	return limit;
}

/* What a limit is of has one type here and another one there, so that no function could take it. */
#define BOUND(what, most) \
	do { \
		struct rlimit limit; \
		if (getrlimit((what), &limit) == 0) { \
			limit = at_most(limit, (most)); \
			setrlimit((what), &limit); \
		} \
	} while (0)

static void keep_to_limits(const struct pool *p)
{
	BOUND(RLIMIT_CORE, 0); /* a core file for each of a thousand crashes fills a disk */
	BOUND(RLIMIT_CPU, (uint64_t)(p->limits->seconds * (double)p->limits->n_processes) + 1);
	if (p->limits->memory_bytes && HAS_BOUNDS_OF_MEMORY)
		BOUND(RLIMIT_AS, p->limits->memory_bytes);
}

/*
 * What the batch reads and prints is none of a job's. One descriptor is given back before the one that it takes: there may be no more.
 * Where there is none for another reason, it may pass.
 */
static void be_heard_only(int tells)
{
	dup2(tells, STDERR_FILENO);
	close(tells);
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0)
		return;
	perror("postrun: /dev/null");
	_exit(EXIT_TRY_AGAIN);
}

static void be_the_worker(const struct pool *p, size_t place, int tells, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_OUTPUT);
	memory_begin_apart();
	if (signal(SIGTERM, SIG_DFL) == SIG_IGN) /* what it means for all of them it does not mean for one */
		signal(SIGTERM, SIG_IGN);
	be_heard_only(tells);
	keep_to_cores(p, place);
	keep_to_limits(p);
	const int status = p->work->work(p->work->of, p->places[place].job);
	fflush(NULL);
	_exit(status);
}

/* ------------------------------------------------ around it */

static bool start(struct pool *p, size_t at, size_t job, bool is_second_try)
{
	struct place_of_work *const place = &p->places[at];
	const pid_t parent = getpid();
	int ends[2];

	*place = (struct place_of_work){ .job = job, .is_second_try = is_second_try, .began = pool_clock() };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	fflush(NULL); /* or both would print it */
	place->process = fork();
	if (place->process == 0)
		be_the_worker(p, at, ends[1], parent);
	close(ends[1]);
	if (place->process < 0) {
		close(ends[0]);
		place->process = 0;
		return false;
	}
	place->hears = ends[0];
	p->n_busy++;
	return true;
}

static bool any_left(const struct pool *p)
{
	return !p->is_over && (p->n_again || p->next < p->n_jobs);
}

/* A system that gives no further process has fewer at work at a time; where none is at work, the job is told as not done. */
static bool start_next(struct pool *p, size_t at)
{
	const bool is_second_try = p->n_again > 0;
	const size_t job = is_second_try ? p->again[p->n_again - 1] : p->next;
	bool started = start(p, at, job, is_second_try);

	if (!started && p->n_busy)
		return false;
	if (!started) {
		poll(NULL, 0, LOOK_MS);
		started = start(p, at, job, is_second_try);
	}
	if (is_second_try)
		p->n_again--;
	else
		p->next++;
	if (!started) {
		const struct pool_end end = { .not_started = true, .said = strerror(errno) };
		p->is_over |= !p->work->ended(p->work->of, job, &end);
	}
	return true;
}

/* Who interrupts a job by the terminal means all of us. */
static void obey(int number)
{
	if (number != SIGINT && number != SIGHUP)
		return;
	signal(number, SIG_DFL);
	raise(number);
}

static void end(struct pool *p, size_t at)
{
	struct place_of_work *const place = &p->places[at];
	int how = 0;

	close(place->hears);
	while (waitpid(place->process, &how, 0) < 0 && errno == EINTR)
		;
	place->process = 0;
	p->n_busy--;
	place->said[place->n_said] = '\0';
	const struct pool_end ended = {
		.status = WIFEXITED(how) ? WEXITSTATUS(how) : 0,
		.signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0,
		.out_of_time = place->out_of_time || (WIFSIGNALED(how) && WTERMSIG(how) == SIGXCPU),
		.seconds = pool_clock() - place->began,
		.said = place->said,
	};
	obey(ended.signal);
	if ((ended.signal == SIGKILL || ended.signal == SIGTERM) && !ended.out_of_time && !place->is_second_try)
		p->again[p->n_again++] = place->job; /* by somebody who is short of memory, perhaps: it says nothing of the logs yet */
	else
		p->is_over |= !p->work->ended(p->work->of, place->job, &ended);
}

static void hear(struct pool *p, size_t at)
{
	struct place_of_work *const place = &p->places[at];
	char dropped[SAID_BYTES];
	const size_t room = SAID_BYTES - 1 - place->n_said;
	const ssize_t got = read(place->hears, room ? place->said + place->n_said : dropped, room ? room : sizeof dropped);

	if (got > 0 && room)
		place->n_said += (size_t)got;
	else if (got == 0 || (got < 0 && errno != EINTR))
		end(p, at);
}

static void stop_the_late(struct pool *p)
{
	const double now = pool_clock();

	for (size_t i = 0; i < p->n_places; i++) {
		struct place_of_work *const place = &p->places[i];
		if (!place->process || place->out_of_time || now - place->began < p->limits->seconds)
			continue;
		place->out_of_time = true;
		kill(place->process, SIGKILL);
	}
}

static void wait_for_some(struct pool *p)
{
	for (size_t i = 0; i < p->n_places; i++)
		p->ears[i] = (struct pollfd){ .fd = p->places[i].process ? p->places[i].hears : -1, .events = POLLIN };
	const int n = poll(p->ears, (nfds_t)p->n_places, LOOK_MS);
	for (size_t i = 0; n > 0 && i < p->n_places; i++)
		if (p->ears[i].revents)
			hear(p, i);
	stop_the_late(p);
	p->work->waiting(p->work->of);
}

static size_t free_place(const struct pool *p)
{
	size_t i = 0;

	while (i < p->n_places && p->places[i].process)
		i++;
	return i;
}

void pool_run(const struct pool_limits *limits, size_t n_jobs, const struct pool_work *work)
{
	struct pool p = { .limits = limits, .work = work, .n_jobs = n_jobs };
	struct arena mem;

	arena_init(&mem);
	p.n_places = limits->n_processes < n_jobs ? limits->n_processes : n_jobs;
	p.places = NEW_ARRAY(&mem, struct place_of_work, p.n_places);
	p.ears = NEW_ARRAY(&mem, struct pollfd, p.n_places);
	p.again = NEW_ARRAY(&mem, size_t, p.n_places);
	CPU_ZERO(&p.ours);
	if (sched_getaffinity(0, sizeof p.ours, &p.ours) != 0)
		CPU_ZERO(&p.ours);
	while (p.n_busy || any_left(&p)) {
		const size_t at = free_place(&p);
		if (at == p.n_places || !any_left(&p) || !start_next(&p, at))
			wait_for_some(&p);
	}
	arena_release(&mem);
}
