/*
 * thread.h - a thread for work beside one's own.
 *
 * It begins on another core than whoever starts it, where it may use one. On two cores Linux mostly leaves a new thread beside its maker,
 * and whoever sleeps is woken there again; until it finds the idle core it takes some ms, in which a small report is done.
 */
#ifndef POSTRUN_THREAD_H
#define POSTRUN_THREAD_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <pthread.h>
#include <stdbool.h>

struct thread {
	pthread_t id;
	void (*work)(void *of);
	void *of;
	int core; /* of whoever started it; below 0: nobody knows */
};

/* False: none is to be had; nothing was done. `t` stays where it is until thread_end(). */
bool thread_start(struct thread *t, void (*work)(void *of), void *of);
/* Those that were started just now leave this core before one goes on. */
void threads_leave(void);
/* Waits until its work is done. */
void thread_end(struct thread *t);

/*
 * Between two rounds of a log there are some microseconds, and to be woken takes ten times as long: so one looks for some 20 us before
 * one sleeps. On two cores reading takes an eighth longer without; to look five times as long gains little, and costs those more who have
 * work for that core.
 */
#define LOOKS 1000

static inline void look_away(void)
{
#ifdef __SSE2__
	_mm_pause();
#endif
}

/* Of what nobody has for longer than it takes to be put to sleep and woken. */
void lock_soon(pthread_mutex_t *mutex);

#endif
