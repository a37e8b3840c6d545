/*
 * aside.h - one thing that is done on a thread of its own, while its owner does another.
 *
 * What the work touches is the thread's until aside_end() returns. No process may be forked off meanwhile.
 */
#ifndef POSTRUN_ASIDE_H
#define POSTRUN_ASIDE_H

struct aside;

/* NULL: no core is free for it, or no thread is to be had; nothing was done. */
struct aside *aside_start(void (*work)(void *of), void *of);
/* Waits until it is done. */
void aside_end(struct aside *a);

#endif
