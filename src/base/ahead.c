/*
 * ahead.c - a ring of four blocks between the thread that makes bytes and the one that reads them.
 *
 * One block is being written, one read; two between them let either side be slow for a while: a block of a log takes from 0.1 to 3 ms
 * to unpack, and reading pauses for as long where a block of rows is packed. More made nothing faster, and 1 MiB stays in the caches.
 */
#include "base/ahead.h"

#include "base/arena.h"
#include "base/aside.h"

#include <pthread.h>
#include <string.h>

#define N_BLOCKS ((size_t)4)
#define BLOCK_BYTES ((size_t)256 * 1024)

struct ring_block {
	size_t n;
	char bytes[BLOCK_BYTES];
};

/* Blocks are counted from 0 and never again: block i stands in blocks[i % N_BLOCKS]. */
struct ahead {
	size_t (*make)(void *of, char *to, size_t n);
	void *of;
	size_t given; /* of the block that is being read, by the reader only */
	struct aside *maker;
	pthread_mutex_t mutex;           /* over those below; a block belongs to one side at a time */
	pthread_cond_t was_made, was_read;
	size_t n_made, n_read;
	bool ended;   /* no more is made */
	bool stopped; /* no more is wanted */
	struct ring_block blocks[N_BLOCKS];
};

/* False: nobody wants more. */
static bool wait_for_room(struct ahead *a, struct ring_block **room)
{
	pthread_mutex_lock(&a->mutex);
	while (a->n_made - a->n_read == N_BLOCKS && !a->stopped)
		pthread_cond_wait(&a->was_read, &a->mutex);
	*room = &a->blocks[a->n_made % N_BLOCKS];
	a->ended = a->stopped;
	if (a->ended) /* who waits for one more must not: ahead_rest() */
		pthread_cond_signal(&a->was_made);
	const bool is_wanted = !a->ended;
	pthread_mutex_unlock(&a->mutex);
	return is_wanted;
}

static void hand_over(struct ahead *a, bool last)
{
	pthread_mutex_lock(&a->mutex);
	a->n_made++;
	a->ended = last;
	pthread_cond_signal(&a->was_made);
	pthread_mutex_unlock(&a->mutex);
}

static void make_ahead(void *of)
{
	struct ahead *const a = of;
	struct ring_block *block;
	bool last = false;

	while (!last && wait_for_room(a, &block)) {
		block->n = 0;
		for (size_t got; !last && block->n < BLOCK_BYTES; block->n += got) {
			got = a->make(a->of, block->bytes + block->n, BLOCK_BYTES - block->n);
			last = got == 0;
		}
		hand_over(a, last);
	}
}

struct ahead *ahead_start(size_t (*make)(void *of, char *to, size_t n), void *of)
{
	size_t room = 0;
	struct ahead *const a = grow(NULL, &room, 1, sizeof *a);

	a->make = make;
	a->of = of;
	a->given = a->n_made = a->n_read = 0;
	a->ended = a->stopped = false;
	if (pthread_mutex_init(&a->mutex, NULL) != 0 || pthread_cond_init(&a->was_made, NULL) != 0 ||
		pthread_cond_init(&a->was_read, NULL) != 0)
		die_memory();
	a->maker = aside_start(make_ahead, a);
	if (a->maker)
		return a;
	grow_free(a);
	return NULL;
}

/* The next block with bytes, or NULL at the end. */
static const struct ring_block *wait_for_block(struct ahead *a)
{
	pthread_mutex_lock(&a->mutex);
	while (a->n_made == a->n_read && !a->ended)
		pthread_cond_wait(&a->was_made, &a->mutex);
	const struct ring_block *const block = a->n_made > a->n_read ? &a->blocks[a->n_read % N_BLOCKS] : NULL;
	pthread_mutex_unlock(&a->mutex);
	return block;
}

static void give_back(struct ahead *a)
{
	a->given = 0;
	pthread_mutex_lock(&a->mutex);
	a->n_read++;
	pthread_cond_signal(&a->was_read);
	pthread_mutex_unlock(&a->mutex);
}

size_t ahead_read(struct ahead *a, char *to, size_t n)
{
	const struct ring_block *block;

	while ((block = wait_for_block(a)) && a->given == block->n) /* only the last one may be empty */
		give_back(a);
	if (!block)
		return 0;
	const size_t left = block->n - a->given, taken = left < n ? left : n;
	memcpy(to, block->bytes + a->given, taken);
	a->given += taken;
	return taken;
}

void ahead_rest(struct ahead *a)
{
	pthread_mutex_lock(&a->mutex);
	a->stopped = true;
	pthread_cond_signal(&a->was_read);
	pthread_mutex_unlock(&a->mutex);
}

void ahead_stop(struct ahead *a)
{
	ahead_rest(a);
	aside_end(a->maker);
	pthread_cond_destroy(&a->was_read);
	pthread_cond_destroy(&a->was_made);
	pthread_mutex_destroy(&a->mutex);
	grow_free(a);
}
