/* aside.c - a thread for one piece of work. */
#include "base/aside.h"

#include "base/arena.h"
#include "base/thread.h"
#include "base/workers.h"

struct aside {
	struct thread thread;
};

struct aside *aside_start(void (*work)(void *of), void *of)
{
	size_t room = 0;
	struct aside *a;

	if (!workers_have_second())
		return NULL;
	a = grow(NULL, &room, 1, sizeof *a);
	if (!thread_start(&a->thread, work, of)) {
		grow_free(a);
		return NULL;
	}
	threads_leave();
	return a;
}

void aside_end(struct aside *a)
{
	thread_end(&a->thread);
	grow_free(a);
}
