/*
 * cost.h - what a piece of work costs, measured in a process of its own: its memory begins with what was there before, and is gone
 * with it.
 *
 * Time is the processor's, which neighbours disturb least, and the wall's; the least of several rounds.
 */
#ifndef POSTRUN_COST_H
#define POSTRUN_COST_H

#include "base/number.h"
#include "base/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct cost {
	double wall, cpu; /* s */
	double bytes;     /* that were needed at the peak, beyond what was there before */
	size_t result;    /* what the work returned */
};

static inline double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline double peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

static inline struct cost cost_once(size_t (*work)(const void *context), const void *context)
{
	struct cost cost = { .bytes = peak_bytes(), .wall = seconds(CLOCK_MONOTONIC), .cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) };

	cost.result = work(context);
	cost.wall = seconds(CLOCK_MONOTONIC) - cost.wall;
	cost.cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cost.cpu;
	cost.bytes = peak_bytes() - cost.bytes;
	return cost;
}

static inline struct cost cost_of(size_t (*work)(const void *context), const void *context)
{
	struct cost cost = { 0 };
	int ends[2], status = 0;

	if (pipe(ends) != 0)
		exit(1);
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		cost = cost_once(work, context);
		_exit(write(ends[1], &cost, sizeof cost) == (ssize_t)sizeof cost ? 0 : 1);
	}
	close(ends[1]);
	const ssize_t got = read(ends[0], &cost, sizeof cost);
	close(ends[0]);
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || got != (ssize_t)sizeof cost) {
		fprintf(stderr, "a measurement failed\n");
		exit(1);
	}
	return cost;
}

static inline void keep_least(struct cost *least, struct cost c)
{
	if (least->wall > 0 && least->cpu < c.cpu)
		c.cpu = least->cpu;
	if (least->wall > 0 && least->wall < c.wall)
		c.wall = least->wall;
	*least = c;
}

/* An argument or a variable: a number above 0, or what holds without it. */
static inline double number_of(const char *text, double without)
{
	double value = 0;

	return text && number_parse(slice_of(text), &value) && value > 0 ? value : without;
}

/* A bench tells how its bars stand; it fails only when it could not measure. */
static inline void tell_bar(const char *what, double value, double limit)
{
	printf("%s, at most %.2f: %.2f, %s\n", what, limit, value, value <= limit ? "met" : "not met");
}

#endif
