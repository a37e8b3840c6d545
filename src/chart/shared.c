/* shared.c - a list of what was asked for, each with a lock of its own that is held while it is made. */
#include "chart/shared.h"
#include "base/workers.h"

#define MOST_KEPT ((size_t)512) /* of some KiB each */

struct kept {
	struct shared_request request;
	struct lock *lock;
	struct arena mem;
	bool is_begun;    /* somebody makes it, or soon will */
	const void *made; /* NULL: not yet */
};

struct shared {
	const struct font *font;
	struct letters *letters;
	struct lock *lock; /* of the list */
	struct kept kept[MOST_KEPT];
	size_t n;
};

struct shared *shared_new(struct arena *mem)
{
	struct shared *const s = NEW(mem, struct shared);
	s->font = font_new(mem);
	s->letters = letters_new(mem);
	s->lock = lock_new();
	return s;
}

void shared_free(struct shared *s)
{
	for (size_t i = 0; i < s->n; i++) {
		arena_release(&s->kept[i].mem);
		lock_free(s->kept[i].lock);
	}
	lock_free(s->lock);
	letters_release(s->letters);
}

const struct font *shared_font(const struct shared *s)
{
	return s->font;
}

struct letters *shared_letters(const struct shared *s)
{
	return s->letters;
}

static bool is_same(const struct shared_request *a, const struct shared_request *b)
{
	return a->track == b->track && a->gate == b->gate && a->span.begin == b->span.begin && a->span.end == b->span.end && a->n == b->n &&
	       a->scale == b->scale && a->make == b->make;
}

/* NULL: one more than is kept. */
static struct kept *kept_find_or_add(struct shared *s, const struct shared_request *request)
{
	for (size_t i = 0; i < s->n; i++)
		if (is_same(&s->kept[i].request, request))
			return &s->kept[i];
	if (s->n == MOST_KEPT)
		return NULL;
	struct kept *const added = &s->kept[s->n++];
	added->request = *request;
	added->lock = lock_new();
	arena_init(&added->mem);
	return added;
}

/* The list's lock is held while it is found; *is_mine: nobody has begun it, and now we have. */
static struct kept *kept_begin(struct shared *s, const struct shared_request *request, bool *is_mine)
{
	lock_take(s->lock);
	struct kept *const k = kept_find_or_add(s, request);
	*is_mine = k && !k->is_begun;
	if (k)
		k->is_begun = true;
	lock_give(s->lock);
	return k;
}

static const void *kept_made(struct kept *k)
{
	lock_take(k->lock);
	if (!k->made)
		k->made = k->request.make(&k->mem, &k->request);
	lock_give(k->lock);
	return k->made;
}

void shared_make(struct shared *s, const struct shared_request *requests, size_t n)
{
	bool is_mine;

	for (size_t i = 0; i < n; i++) {
		struct kept *const k = kept_begin(s, &requests[i], &is_mine);
		if (is_mine)
			kept_made(k);
	}
}

const void *shared_get(struct shared *s, struct arena *mem, const struct shared_request *request)
{
	bool is_mine;
	struct kept *const k = kept_begin(s, request, &is_mine);

	return k ? kept_made(k) : request->make(mem, request);
}
