/* aside.c - a thread for one piece of work. */
#include "base/aside.h"

#include "base/arena.h"
#include "base/workers.h"

#include <pthread.h>

struct aside {
	pthread_t thread;
	void (*work)(void *of);
	void *of;
};

static void *do_work(void *argument)
{
	const struct aside *const a = argument;

	a->work(a->of);
	return NULL;
}

struct aside *aside_start(void (*work)(void *of), void *of)
{
	size_t room = 0;
	struct aside *a;

	if (!workers_have_second())
		return NULL;
	a = grow(NULL, &room, 1, sizeof *a);
	a->work = work;
	a->of = of;
	if (pthread_create(&a->thread, NULL, do_work, a) == 0)
		return a;
	grow_free(a);
	return NULL;
}

void aside_end(struct aside *a)
{
	pthread_join(a->thread, NULL);
	grow_free(a);
}
