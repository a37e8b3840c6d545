/* thread.c - threads, and on which core they begin. */
#define _GNU_SOURCE /* sched_getcpu, sched_setaffinity */
#include "base/thread.h"

#include <sched.h>

/* To any other one of ours; later on it may be anywhere. */
static void leave_core(int core)
{
	cpu_set_t ours, others;

	if (core < 0 || sched_getcpu() != core || sched_getaffinity(0, sizeof ours, &ours) != 0)
		return;
	others = ours;
	CPU_CLR((size_t)core, &others);
	if (CPU_COUNT(&others) && sched_setaffinity(0, sizeof others, &others) == 0)
		sched_setaffinity(0, sizeof ours, &ours);
}

static void *begin(void *argument)
{
	const struct thread *const t = argument;

	leave_core(t->core);
	t->work(t->of);
	return NULL;
}

bool thread_start(struct thread *t, void (*work)(void *of), void *of)
{
	*t = (struct thread){ .work = work, .of = of, .core = sched_getcpu() };
	return pthread_create(&t->id, NULL, begin, t) == 0;
}

void threads_leave(void)
{
	sched_yield();
}

void thread_end(struct thread *t)
{
	pthread_join(t->id, NULL);
}

void lock_soon(pthread_mutex_t *mutex)
{
	for (int i = 0; i < LOOKS; i++) {
		if (pthread_mutex_trylock(mutex) == 0)
			return;
		look_away();
	}
	pthread_mutex_lock(mutex);
}
