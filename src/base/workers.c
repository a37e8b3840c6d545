/* workers.c - threads that take the next job until none is left. A machine that gives no thread has its jobs done without. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/workers.h"

#include "base/arena.h"
#include "base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Jobs come in rounds. A round is open from when its jobs are there until the one who has them done finds none left; only workers that
 * are inside of it are waited for then, so that one which the machine has no time for holds up nothing.
 */
struct worker {
	struct crew *crew;
	size_t number; /* 0: whoever has the jobs done */
	struct thread thread;
};

struct crew {
	struct worker workers[WORKERS_MAX];
	size_t n; /* workers that there are */
	pthread_mutex_t mutex; /* over all below but `next`; a round's jobs stay as they are while one is inside */
	pthread_cond_t was_opened, was_left;
	atomic_size_t n_rounds; /* opened so far; changes also when all is over */
	atomic_size_t n_inside;
	atomic_bool is_at_work; /* from the begin of crew_run() to its end */
	bool is_open, is_over;
	void (*do_job)(void *context, size_t worker, size_t job);
	void *context;
	size_t n_jobs;
	atomic_size_t next;
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

static void take_jobs(struct crew *crew, size_t worker)
{
	for (size_t job; (job = atomic_fetch_add(&crew->next, 1)) < crew->n_jobs;)
		crew->do_job(crew->context, worker, job);
}

/* The mutex is held. False: there will be no more. */
static bool wait_for_round(struct crew *crew, size_t *n_seen)
{
	while (!crew->is_over && (!crew->is_open || atomic_load(&crew->n_rounds) == *n_seen))
		pthread_cond_wait(&crew->was_opened, &crew->mutex);
	*n_seen = atomic_load(&crew->n_rounds);
	return !crew->is_over;
}

static void look_for_round(struct crew *crew, size_t n_seen)
{
	for (int i = 0; i < LOOKS && atomic_load_explicit(&crew->n_rounds, memory_order_relaxed) == n_seen; i++)
		look_away();
}

static void work(void *of)
{
	const struct worker *const w = of;
	struct crew *const crew = w->crew;
	size_t n_seen = 0;

	pthread_mutex_lock(&crew->mutex);
	while (wait_for_round(crew, &n_seen)) {
		atomic_fetch_add(&crew->n_inside, 1);
		pthread_mutex_unlock(&crew->mutex);
		if (w->number < crew->n_jobs)
			take_jobs(crew, w->number);
		pthread_mutex_lock(&crew->mutex);
		const bool was_last = atomic_fetch_sub(&crew->n_inside, 1) == 1;
		pthread_mutex_unlock(&crew->mutex);
		if (was_last)
			pthread_cond_signal(&crew->was_left);
		look_for_round(crew, n_seen);
		pthread_mutex_lock(&crew->mutex);
	}
	pthread_mutex_unlock(&crew->mutex);
}

static void crew_init(struct crew *crew, size_t n_most)
{
	const size_t n = workers_count(n_most);

	*crew = (struct crew){ .n = 1 };
	if (pthread_mutex_init(&crew->mutex, NULL) != 0 || pthread_cond_init(&crew->was_opened, NULL) != 0 ||
		pthread_cond_init(&crew->was_left, NULL) != 0)
		die_memory();
	for (bool given = true; given && crew->n < n; crew->n += given) {
		struct worker *const w = &crew->workers[crew->n];
		*w = (struct worker){ .crew = crew, .number = crew->n };
		given = thread_start(&w->thread, work, w);
	}
	if (crew->n > 1)
		threads_leave();
}

static void crew_end(struct crew *crew)
{
	pthread_mutex_lock(&crew->mutex);
	crew->is_over = true;
	atomic_fetch_add(&crew->n_rounds, 1);
	pthread_cond_broadcast(&crew->was_opened);
	pthread_mutex_unlock(&crew->mutex);
	for (size_t i = 1; i < crew->n; i++)
		thread_end(&crew->workers[i].thread);
	pthread_cond_destroy(&crew->was_left);
	pthread_cond_destroy(&crew->was_opened);
	pthread_mutex_destroy(&crew->mutex);
}

static void open_round(struct crew *crew, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context)
{
	pthread_mutex_lock(&crew->mutex);
	crew->do_job = do_job;
	crew->context = context;
	crew->n_jobs = n_jobs;
	atomic_store(&crew->next, 0);
	crew->is_open = true;
	atomic_fetch_add(&crew->n_rounds, 1);
	pthread_mutex_unlock(&crew->mutex);
	pthread_cond_broadcast(&crew->was_opened); /* who wakes up finds the mutex free */
}

static void close_round(struct crew *crew)
{
	pthread_mutex_lock(&crew->mutex);
	crew->is_open = false;
	pthread_mutex_unlock(&crew->mutex);
	for (int i = 0; i < LOOKS && atomic_load_explicit(&crew->n_inside, memory_order_relaxed); i++)
		look_away();
	pthread_mutex_lock(&crew->mutex);
	while (atomic_load(&crew->n_inside))
		pthread_cond_wait(&crew->was_left, &crew->mutex);
	pthread_mutex_unlock(&crew->mutex);
}

bool crew_run_if_free(struct crew *crew, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context)
{
	if (crew_size(crew) == 1 || n_jobs < 2) {
		for (size_t job = 0; job < n_jobs; job++)
			do_job(context, 0, job);
		return true;
	}
	if (atomic_exchange(&crew->is_at_work, true))
		return false;
	open_round(crew, n_jobs, do_job, context);
	take_jobs(crew, 0);
	close_round(crew);
	atomic_store(&crew->is_at_work, false);
	return true;
}

void crew_run(struct crew *crew, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context)
{
	if (!crew_run_if_free(crew, n_jobs, do_job, context))
		BUG("a crew that is at work was given more");
}

/* ------ relays ------ */

struct relaying {
	const struct relay *relay;
	pthread_mutex_t taking, turning;
	pthread_cond_t was_handed_in;
	size_t n_taken;  /* while one takes, as is */
	bool is_all_taken;
	atomic_size_t n_handed_in; /* grows while `turning` is held */
	atomic_bool is_over;
};

static bool take_part(struct relaying *r, size_t worker, size_t *number)
{
	lock_soon(&r->taking);
	const bool is_there = !r->is_all_taken && !atomic_load(&r->is_over) && r->relay->take(r->relay->of, worker);
	r->is_all_taken = !is_there;
	*number = r->n_taken;
	r->n_taken += is_there;
	pthread_mutex_unlock(&r->taking);
	return is_there;
}

static void await_turn(struct relaying *r, size_t number)
{
	for (int i = 0; i < LOOKS && atomic_load_explicit(&r->n_handed_in, memory_order_acquire) != number; i++)
		look_away();
	pthread_mutex_lock(&r->turning);
	while (atomic_load(&r->n_handed_in) != number)
		pthread_cond_wait(&r->was_handed_in, &r->turning);
	pthread_mutex_unlock(&r->turning);
}

static void hand_in_part(struct relaying *r, size_t worker, size_t number)
{
	await_turn(r, number);
	if (!atomic_load(&r->is_over) && !r->relay->hand_in(r->relay->of, worker))
		atomic_store(&r->is_over, true);
	pthread_mutex_lock(&r->turning);
	atomic_fetch_add(&r->n_handed_in, 1);
	pthread_mutex_unlock(&r->turning);
	pthread_cond_broadcast(&r->was_handed_in);
}

/* A job that ends when there are no more parts: each worker takes one, and whoever is late finds nothing to do. */
static void run_in_relay(void *context, size_t worker, size_t job)
{
	struct relaying *const r = context;
	size_t number;

	(void)job;
	while (take_part(r, worker, &number)) {
		r->relay->work(r->relay->of, worker);
		hand_in_part(r, worker, number);
	}
}

void crew_relay(struct crew *crew, const struct relay *relay)
{
	struct relaying r = { .relay = relay };

	if (pthread_mutex_init(&r.taking, NULL) != 0 || pthread_mutex_init(&r.turning, NULL) != 0 ||
		pthread_cond_init(&r.was_handed_in, NULL) != 0)
		die_memory();
	crew_run(crew, crew_size(crew), run_in_relay, &r);
	pthread_cond_destroy(&r.was_handed_in);
	pthread_mutex_destroy(&r.turning);
	pthread_mutex_destroy(&r.taking);
}

size_t crew_size(const struct crew *crew)
{
	return crew ? crew->n : 1;
}

struct crew *crew_new(size_t n_most)
{
	size_t room = 0;
	struct crew *const crew = grow(NULL, &room, 1, sizeof *crew);

	crew_init(crew, n_most);
	return crew;
}

void crew_release(struct crew *crew)
{
	if (!crew)
		return;
	crew_end(crew);
	grow_free(crew);
}

void workers_run(size_t n_most, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context)
{
	struct crew crew;

	crew_init(&crew, n_jobs < n_most ? n_jobs : n_most);
	crew_run(&crew, n_jobs, do_job, context);
	crew_end(&crew);
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
	lock_soon(&lock->mutex);
}

void lock_give(struct lock *lock)
{
	pthread_mutex_unlock(&lock->mutex);
}
