/*
 * workers.h - the same job for many things, on as many threads as there are cores that we may use: a batch system gives a job some
 * of a machine's, and taskset says which.
 *
 * Which thread does which job is chance; what comes out must not depend on it: a job writes only to its own place. With
 * one core, or one job, no thread is started.
 */
#ifndef POSTRUN_WORKERS_H
#define POSTRUN_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

#define WORKERS_MAX 8

/* Of all cores, those that this process may use: at least 1. */
size_t cores_count(void);
/* How many threads are worth it for so many jobs, 1 to WORKERS_MAX. Others may change that at any time. */
size_t workers_count(size_t n_jobs);
/* do_job(context, worker, job) for each job below n_jobs; `worker`, below n_most, tells threads apart: so many have room. */
void workers_run(size_t n_most, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context);

/*
 * The same for jobs that come again and again, where to start threads each time would cost more than most of the jobs: they are started
 * once, and wait between one crew_run() and the next. Only the owner has jobs done, one crew_run() at a time, and no process may be
 * forked off while there is a crew. NULL is a crew of the owner alone.
 */
struct crew;
struct crew *crew_new(size_t n_most);
/* All that there are, with the owner: at most n_most, and less where the machine gives no more. */
size_t crew_size(const struct crew *crew);
/* As workers_run(); `worker` is below crew_size() and n_jobs. */
void crew_run(struct crew *crew, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context);
/* The same for whoever may have it done inside of a job of the crew: false, and nothing is done, while it is at work. */
bool crew_run_if_free(struct crew *crew, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context);
/* Once it is at rest: its threads have ended. NULL is fine. */
void crew_release(struct crew *crew);

/*
 * A long work in parts, as of a log that is read: `take` fetches the next one, `work` does with it what hangs on no other part, `hand_in`
 * what hangs on those before it. Parts are taken one at a time, and handed in one at a time, in the same order; meanwhile others are worked
 * on. The three have the same `of`, and a part stays with one worker: so each needs room for one.
 */
struct relay {
	bool (*take)(void *of, size_t worker);    /* false: there is none */
	void (*work)(void *of, size_t worker);
	bool (*hand_in)(void *of, size_t worker); /* false: no more are handed in; what others have taken behind it stays with them */
	void *of;
};
/* Until a `take` or `hand_in` says false. As crew_run(), of which this is one. */
void crew_relay(struct crew *crew, const struct relay *relay);

/* Is there a core for a second thread, beside the one that asks? */
bool workers_have_second(void);

/* For what jobs share. The thread that holds it may take it again. */
struct lock;
struct lock *lock_new(void); /* freed while nobody holds it */
void lock_free(struct lock *lock);
void lock_take(struct lock *lock);
void lock_give(struct lock *lock);

#endif
