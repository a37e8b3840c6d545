/*
 * thread.h - a thread for work beside one's own.
 *
 * It begins on another core than whoever starts it, where it may use one. On two cores Linux mostly leaves a new thread beside its maker,
 * and whoever sleeps is woken there again; until it finds the idle core it takes some ms, in which a small report is done.
 */
#ifndef POSTRUN_THREAD_H
#define POSTRUN_THREAD_H

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

#endif
