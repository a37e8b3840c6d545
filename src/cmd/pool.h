/*
 * pool.h - a process for each job, so many at a time: what one of them does to itself happens to no other.
 *
 * A job's process begins as a copy of this one, with all that was loaded before. It may take so much time and memory and no more, and
 * keeps to so many cores as its share is: what runs beside it is other jobs. A process that is killed from outside is started once more,
 * and where the system gives no further process those that are at work are waited for.
 */
#ifndef CMD_POOL_H
#define CMD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool_limits {
	size_t n_processes; /* at a time; no more cores than that are used */
	double seconds;     /* of the clock, for one job; its processor time has the same bound on each core */
	uint64_t memory_bytes; /* of address space; 0: as much as there is */
};

struct pool_end { /* of a job */
	int status;       /* as exit() was given it; of no meaning if `signal` */
	int signal;       /* that ended it, or 0 */
	bool out_of_time;
	bool not_started; /* the system gave no process */
	double seconds;
	const char *said; /* the begin of what it printed to standard error; valid during the call */
};

struct pool_work {
	void *of;
	int (*work)(void *of, size_t job); /* in the job's process: its exit status */
	bool (*ended)(void *of, size_t job, const struct pool_end *end); /* false: no further job is begun */
	void (*waiting)(void *of); /* from time to time, at least twice a second */
};

/* Jobs 0 to n_jobs - 1, begun in that order. */
void pool_run(const struct pool_limits *limits, size_t n_jobs, const struct pool_work *work);
/* Seconds of a clock that is never set. */
double pool_clock(void);

#endif
