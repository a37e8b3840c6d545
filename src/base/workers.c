/* workers.c - threads that take the next job until none is left. A machine that gives no thread has its jobs done without. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/workers.h"

#include "base/arena.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct crew {
	void (*do_job)(void *context, size_t worker, size_t job);
	void *context;
	size_t n_jobs;
	atomic_size_t next;
};

struct worker {
	struct crew *crew;
	size_t number;
	pthread_t thread;
};

/* A machine of more cores than the kernel's call has room for tells only how many there are. */
size_t cores_count(void)
{
	cpu_set_t ours;

	CPU_ZERO(&ours);
	const long n = sched_getaffinity(0, sizeof ours, &ours) == 0 ? CPU_COUNT(&ours) : sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : (size_t)n;
}

size_t workers_count(size_t n_jobs)
{
	const size_t n_cores = cores_count(), n_most = n_cores < WORKERS_MAX ? n_cores : WORKERS_MAX;

	return n_jobs < n_most ? (n_jobs ? n_jobs : 1) : n_most;
}

bool workers_have_second(void)
{
	return workers_count(2) > 1;
}

static void *work(void *argument)
{
	const struct worker *const w = argument;

	for (size_t job; (job = atomic_fetch_add(&w->crew->next, 1)) < w->crew->n_jobs;)
		w->crew->do_job(w->crew->context, w->number, job);
	return NULL;
}

void workers_run(size_t n_most, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context)
{
	struct crew crew = { .do_job = do_job, .context = context, .n_jobs = n_jobs };
	struct worker workers[WORKERS_MAX];
	const size_t n = workers_count(n_jobs < n_most ? n_jobs : n_most);
	size_t n_started = 1;

	for (size_t i = 0; i < n; i++)
		workers[i] = (struct worker){ .crew = &crew, .number = i };
	while (n_started < n && pthread_create(&workers[n_started].thread, NULL, work, &workers[n_started]) == 0)
		n_started++;
	work(&workers[0]);
	for (size_t i = 1; i < n_started; i++)
		pthread_join(workers[i].thread, NULL);
}

struct lock {
	pthread_mutex_t mutex;
};

struct lock *lock_new(void)
{
	struct lock *const lock = malloc(sizeof *lock);
	pthread_mutexattr_t kind;

	if (!lock || pthread_mutexattr_init(&kind) != 0)
		die_memory();
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	if (pthread_mutex_init(&lock->mutex, &kind) != 0)
		die_memory();
	pthread_mutexattr_destroy(&kind);
	return lock;
}

void lock_free(struct lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
	free(lock);
}

void lock_take(struct lock *lock)
{
	pthread_mutex_lock(&lock->mutex);
}

void lock_give(struct lock *lock)
{
	pthread_mutex_unlock(&lock->mutex);
}
