/*
 * arena.c - bump allocation in blocks that double from 16 KiB up to 256 KiB, behind a small one: most scratch arenas need no more.
 *
 * Blocks are chained newest first and freed together. What is larger than a first block and need not be zeroed has a block
 * of its own, of its size, behind the newest: it is never cleared, and no room is left over. Under AddressSanitizer the gap
 * behind each allocation is poisoned, so that running over one object into the next is seen.
 */
#include "base/arena.h"

#include "base/memory.h"
#include "base/sanitizers.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if WITH_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#define GAP_BYTES ((size_t)16)
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define GAP_BYTES ((size_t)0)
#define POISON(p, n) ((void)0)
#define UNPOISON(p, n) ((void)0)
#endif

#define ALIGN_BYTES ((size_t)16)
#define SMALLEST_BLOCK_BYTES ((size_t)960) /* glibc has a list of pieces of up to 1,032 bytes, and looks at nothing else for them */
#define FIRST_BLOCK_BYTES ((size_t)16 * 1024)
#define LARGEST_BLOCK_BYTES ((size_t)256 * 1024)
#define LEAST_WORTH 8 /* of a block of one array an eighth: below, to cut it is more work than room */

struct block {
	struct block *older;
	size_t used, room;
	bool is_alone; /* of one array: says nothing of how large the next should be */
	_Alignas(16) unsigned char bytes[];
};

void die_memory(void)
{
	fputs(NO_MEMORY_LEFT "\n", stderr);
	exit(5);
}

void die_io(const char *what)
{
	fprintf(stderr, "postrun: %s: %s\n", what, strerror(errno));
	exit(5);
}

void bug_at(const char *file, int line, const char *what)
{
	fprintf(stderr, "postrun: bug at %s:%d: %s; please report it\n", file, line, what);
	abort();
}

void arena_init(struct arena *mem)
{
	*mem = (struct arena){ 0 };
}

static void blocks_free(struct block *newest)
{
	for (struct block *b = newest, *older; b; b = older) {
		older = b->older;
		UNPOISON(b->bytes, b->room);
		memory_give(b);
	}
}

void arena_release(struct arena *mem)
{
	blocks_free(mem->newest);
	blocks_free(mem->spare);
	arena_init(mem);
}

void arena_reset(struct arena *mem)
{
	for (struct block *b = mem->newest, *older; b; b = older) {
		older = b->older;
		POISON(b->bytes, b->room);
		b->used = 0;
		b->older = mem->spare;
		mem->spare = b;
	}
	mem->newest = NULL;
	mem->used_bytes = 0;
}

void arena_adopt(struct arena *mem, struct arena *from)
{
	struct block **oldest = &from->newest;

	while (*oldest)
		oldest = &(*oldest)->older;
	if (mem->newest) { /* behind the one that is being filled; how many there are does not matter */
		*oldest = mem->newest->older;
		mem->newest->older = from->newest;
	} else {
		mem->newest = from->newest;
	}
	mem->used_bytes += from->used_bytes;
	blocks_free(from->spare);
	arena_init(from);
}

bool arena_has(const struct arena *mem, const void *p)
{
	const uintptr_t address = (uintptr_t)p;

	for (const struct block *b = mem->newest; b; b = b->older)
		if (address >= (uintptr_t)b->bytes && address < (uintptr_t)b->bytes + b->used)
			return true;
	return false;
}

/* The smallest spare block that will do, which is spare no more; or NULL. */
static struct block *spare_taken(struct arena *mem, size_t at_least)
{
	struct block **best = NULL;

	for (struct block **b = &mem->spare; *b; b = &(*b)->older)
		if ((*b)->room >= at_least && (!best || (*b)->room < (*best)->room))
			best = b;
	if (!best)
		return NULL;
	struct block *found = *best;
	*best = found->older;
	found->older = mem->newest;
	found->is_alone = false; /* others may come behind what it is taken for */
	return found;
}

/* Not zeroed: of most scratch arenas little is used. */
static struct block *block_new(size_t room, bool is_alone)
{
	if (room > SIZE_MAX - sizeof(struct block))
		die_memory();
	struct block *const b = memory_take(sizeof *b + room);

	*b = (struct block){ .room = room, .is_alone = is_alone };
	POISON(b->bytes, room);
	return b;
}

static size_t common_room(const struct block *previous, size_t at_least)
{
	const bool is_first = !previous || previous->is_alone;
	size_t room = is_first ? SMALLEST_BLOCK_BYTES : previous->room < FIRST_BLOCK_BYTES ? FIRST_BLOCK_BYTES : previous->room * 2;

	if (room > LARGEST_BLOCK_BYTES)
		room = LARGEST_BLOCK_BYTES;
	return room < at_least ? at_least : room;
}

static struct block *block_for(struct arena *mem, size_t at_least, bool is_raw)
{
	struct block *b = spare_taken(mem, at_least), *const newest = mem->newest;

	if (b)
		return mem->newest = b;
	if (is_raw && at_least > FIRST_BLOCK_BYTES && newest) {
		b = block_new(at_least, true);
		b->older = newest->older;
		return newest->older = b;
	}
	b = is_raw && at_least > FIRST_BLOCK_BYTES ? block_new(at_least, true) : block_new(common_room(newest, at_least), false);
	b->older = newest;
	return mem->newest = b;
}

/* How much room so many bytes take. */
static inline size_t taken_by(size_t size_bytes)
{
	if (size_bytes > SIZE_MAX - ALIGN_BYTES - GAP_BYTES)
		die_memory();
	const size_t taken = (size_bytes + GAP_BYTES + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
	return taken ? taken : ALIGN_BYTES;
}

static inline struct block *block_with(struct arena *mem, size_t taken, bool is_raw)
{
	struct block *const b = mem->newest;

	return b && b->room - b->used >= taken ? b : block_for(mem, taken, is_raw);
}

static inline void *take(struct arena *mem, struct block *b, size_t taken, size_t size_bytes)
{
	void *const p = b->bytes + b->used;

	b->used += taken;
	mem->used_bytes += taken;
	UNPOISON(p, size_bytes);
	(void)size_bytes;
	return p;
}

void *arena_alloc(struct arena *mem, size_t size_bytes)
{
	const size_t taken = taken_by(size_bytes);
	struct block *const b = block_with(mem, taken, false);
	void *const p = take(mem, b, taken, size_bytes);

	return memset(p, 0, size_bytes);
}

/* Without a division: there are ten thousands of arrays in a small report. */
static inline size_t product(size_t n, size_t size_bytes)
{
	size_t all;

	if (__builtin_mul_overflow(n, size_bytes, &all))
		die_memory();
	return all;
}

void *arena_array(struct arena *mem, size_t n, size_t size_bytes)
{
	return arena_alloc(mem, product(n, size_bytes));
}

void *arena_raw_array(struct arena *mem, size_t n, size_t size_bytes)
{
	const size_t n_bytes = product(n, size_bytes), taken = taken_by(n_bytes);

	return take(mem, block_with(mem, taken, true), taken, n_bytes);
}

void *arena_array_next(struct arena *mem, void *items, size_t n, size_t size_bytes)
{
	if (n & (n - 1))
		return items;
	void *const larger = arena_array(mem, n ? 2 * n : 1, size_bytes);
	if (n)
		memcpy(larger, items, n * size_bytes);
	return larger;
}

/* Where the block hangs that holds nothing but these items; NULL: they are in one with others. */
static struct block **link_to_alone(struct arena *mem, const void *items)
{
	struct block **const newest = &mem->newest, **const second = &mem->newest->older;

	if ((*newest)->is_alone && (*newest)->bytes == items)
		return newest;
	return *second && (*second)->is_alone && (*second)->bytes == items ? second : NULL;
}

static void *block_cut(struct block **link, size_t taken)
{
	struct block *b = *link;

	UNPOISON(b->bytes, b->room);
	b = memory_resize(b, sizeof *b + taken, sizeof *b + taken);
	b->used = b->room = taken;
	return (*link = b)->bytes;
}

void *arena_array_cut(struct arena *mem, void *items, size_t n, size_t kept, size_t size_bytes)
{
	const size_t before = taken_by(product(n, size_bytes)), taken = taken_by(product(kept, size_bytes));
	struct block **const alone = link_to_alone(mem, items), *const b = mem->newest;

	if (taken == before || (alone && before - taken < before / LEAST_WORTH))
		return items;
	if (alone) {
		items = block_cut(alone, taken);
	} else {
		if ((unsigned char *)items + before != b->bytes + b->used)
			BUG("cut what was not taken last");
		b->used -= before - taken;
	}
	mem->used_bytes -= before - taken;
	POISON((unsigned char *)items + product(kept, size_bytes), taken - product(kept, size_bytes));
	if (!alone)
		POISON(b->bytes + b->used, before - taken);
	return items;
}

/* Where the block hangs that holds nothing but these items; NULL: there is none. */
static struct block **link_to_own(struct arena *mem, const void *items)
{
	for (struct block **link = &mem->newest; *link; link = &(*link)->older)
		if ((*link)->is_alone && (*link)->bytes == items)
			return link;
	return NULL;
}

static struct block *block_unlinked(struct arena *mem, struct block **link)
{
	struct block *const b = *link;

	*link = b->older;
	mem->used_bytes -= b->used;
	return b;
}

/* Behind the one that is being filled. */
static struct block **block_hung(struct arena *mem, struct block *b)
{
	struct block **const link = mem->newest ? &mem->newest->older : &mem->newest;

	b->older = *link;
	mem->used_bytes += b->used;
	*link = b;
	return link;
}

void *arena_array_moved(struct arena *mem, struct arena *from, const void *items, size_t n, size_t size_bytes)
{
	struct block **const own = link_to_own(from, items);
	const size_t kept = product(n, size_bytes);

	if (!own) {
		void *const copy = arena_raw_array(mem, n, size_bytes);
		return kept ? memcpy(copy, items, kept) : copy;
	}
	struct block **const link = block_hung(mem, block_unlinked(from, own));
	const size_t before = (*link)->used, taken = taken_by(kept);
	if (before - taken < before / LEAST_WORTH)
		return (*link)->bytes;
	mem->used_bytes -= before - taken;
	unsigned char *const cut = block_cut(link, taken);
	POISON(cut + kept, taken - kept);
	return cut;
}

char *arena_text(struct arena *mem, const char *p, size_t n)
{
	char *text = arena_alloc(mem, n + 1);

	if (n)
		memcpy(text, p, n);
	return text;
}

/* Most texts are short: only a long one is printed twice, the first time to know its length. */
char *arena_vprint(struct arena *mem, const char *format, va_list arguments)
{
	char first[256];
	va_list again;
	va_copy(again, arguments);
	const int n = vsnprintf(first, sizeof first, format, arguments);
	if (n < 0)
		BUG("a format that can't be printed");
	const bool is_whole = (size_t)n < sizeof first;
	char *text = is_whole ? arena_text(mem, first, (size_t)n) : arena_alloc(mem, (size_t)n + 1);
	if (!is_whole)
		vsnprintf(text, (size_t)n + 1, format, again);
	va_end(again);
	return text;
}

char *arena_print(struct arena *mem, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = arena_vprint(mem, format, arguments);
	va_end(arguments);
	return text;
}

void *grow(void *items, size_t *room, size_t needed, size_t size_bytes)
{
	if (needed <= *room)
		return items;
	size_t wanted = *room ? *room : 64;
	while (wanted < needed) {
		if (wanted > SIZE_MAX / 2)
			die_memory();
		wanted *= 2;
	}
	if (size_bytes && wanted > SIZE_MAX / size_bytes)
		die_memory();
	void *const larger = memory_resize(items, *room * size_bytes, wanted * size_bytes);
	*room = wanted;
	return larger;
}

void grow_free(void *items)
{
	memory_give(items);
}
