/*
 * memory.c - small pieces from the C library, large ones from gaps that are kept in the order of their addresses.
 *
 * A large piece is the beginning of the smallest gap that has room for it, the first of such: when most is needed for 1 GB of log 3 % of
 * what was touched lies in gaps; with the first one that has room it was 9 %. To find it all gaps are looked at: while that log is judged
 * there are 160 at most, and 40,000 pieces. Of 512 GPUs there are 7,000 for a while, and it takes a fortieth of the time.
 */
#define _DEFAULT_SOURCE /* MADV_HUGEPAGE */
#include "base/memory.h"

#include "base/arena.h"
#include "base/thread.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A first block of an arena is below: the C library has them at hand. With 4 KiB 512 GPUs took a quarter more memory, in two heaps. */
#define LEAST_LARGE ((size_t)1024)
#define LINE_BYTES ((size_t)64) /* of the processor's cache: pieces of two threads share none */
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define FIRST_REGION_BYTES ((size_t)8 << 20)
#define MAX_REGIONS 64
#define LEAST_TRIMMED ((size_t)8 << 20)

struct area {
	uintptr_t from, to;
};

/* A line before each large piece. */
struct head {
	size_t n_bytes; /* of both */
};

static struct {
	pthread_mutex_t mutex; /* over all below; who has a piece may look for it without, among the regions that there are */
	struct area regions[MAX_REGIONS];
	_Atomic size_t n_regions;
	size_t n_in_all, n_out, most_out; /* bytes of all regions, of all pieces, and of those at their most since a trim */
	struct area *gaps;
	size_t n, room;
} large = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* ------------------------------------------------ heaps of the C library */

/*
 * The first thread takes from a heap of its own, all others from a second one. With one for each, which is how glibc begins, what a
 * thread gave back is of no use to the others; with a single one two threads waited for each other some 300 times while a small report
 * was judged.
 */
void memory_begin(void)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 2);
#endif
}

static void *or_die(void *p)
{
	if (!p)
		die_memory();
	return p;
}

/* ------------------------------------------------ gaps */

static uintptr_t round_up(uintptr_t n, size_t step)
{
	return (n + step - 1) / step * step;
}

/* The first gap that ends behind p, or how many there are. */
static size_t gap_behind(uintptr_t p)
{
	size_t from = 0, to = large.n;

	while (from < to) {
		const size_t middle = (from + to) / 2;
		if (large.gaps[middle].to <= p)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static void gap_remove(size_t i)
{
	large.n--;
	memmove(large.gaps + i, large.gaps + i + 1, (large.n - i) * sizeof *large.gaps);
}

static void gap_insert(size_t i, struct area gap)
{
	if (large.n == large.room) {
		large.room = large.room ? 2 * large.room : 64;
		large.gaps = or_die(realloc(large.gaps, large.room * sizeof *large.gaps));
	}
	memmove(large.gaps + i + 1, large.gaps + i, (large.n - i) * sizeof *large.gaps);
	large.gaps[i] = gap;
	large.n++;
}

static void gap_add(uintptr_t from, uintptr_t to)
{
	const size_t i = gap_behind(from);
	const bool meets_last = i && large.gaps[i - 1].to == from, meets_next = i < large.n && large.gaps[i].from == to;

	if (meets_last && meets_next) {
		large.gaps[i - 1].to = large.gaps[i].to;
		gap_remove(i);
	} else if (meets_last) {
		large.gaps[i - 1].to = to;
	} else if (meets_next) {
		large.gaps[i].from = from;
	} else {
		gap_insert(i, (struct area){ from, to });
	}
}

/* 0: no gap has room for so many bytes. One that leaves less than an eighth of them is as good as the smallest. */
static uintptr_t gap_taken(size_t n_bytes)
{
	size_t best = 0, least = SIZE_MAX;

	for (size_t i = 0; i < large.n && least - n_bytes >= n_bytes / 8; i++) {
		const size_t room = large.gaps[i].to - large.gaps[i].from;
		if (room < n_bytes || room >= least)
			continue;
		best = i;
		least = room;
	}
	if (least == SIZE_MAX)
		return 0;
	const uintptr_t from = large.gaps[best].from;
	large.gaps[best].from += n_bytes;
	if (least == n_bytes)
		gap_remove(best);
	return from;
}

/* The whole of n_bytes that begins with a huge page is a gap; false: the system gives none. */
static bool region_of(size_t n_bytes)
{
	const size_t n = atomic_load_explicit(&large.n_regions, memory_order_relaxed);
	if (n == MAX_REGIONS)
		return false;
	void *const p = mmap(NULL, n_bytes + HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return false;
	const uintptr_t from = round_up((uintptr_t)p, HUGE_PAGE_BYTES);
	madvise((void *)from, n_bytes, MADV_HUGEPAGE); /* or they stay small */
	large.regions[n] = (struct area){ from, from + n_bytes };
	large.n_in_all += n_bytes;
	atomic_store_explicit(&large.n_regions, n + 1, memory_order_release);
	gap_add(from, from + n_bytes);
	return true;
}

/* Each region is as large as all before it, so that they are few: what of it is never touched costs nothing but addresses. */
static bool region_add(size_t at_least)
{
	const size_t needed = round_up(at_least, HUGE_PAGE_BYTES), wanted = large.n_in_all ? large.n_in_all : FIRST_REGION_BYTES;

	return (wanted > needed && region_of(wanted)) || region_of(needed);
}

/* ------------------------------------------------ pieces */

static bool is_much(size_t n_bytes)
{
	return WITH_HUGE_PAGES && n_bytes >= LEAST_LARGE && n_bytes < PTRDIFF_MAX;
}

static bool is_large(const void *piece)
{
	const size_t n = atomic_load_explicit(&large.n_regions, memory_order_acquire);

	for (size_t i = 0; i < n; i++)
		if ((uintptr_t)piece >= large.regions[i].from && (uintptr_t)piece < large.regions[i].to)
			return true;
	return false;
}

static struct head *head_of(void *piece)
{
	return (struct head *)((unsigned char *)piece - LINE_BYTES);
}

static size_t with_head(size_t n_bytes)
{
	return LINE_BYTES + round_up(n_bytes, LINE_BYTES);
}

/* NULL: the system has no more. */
static void *large_take(size_t n_bytes)
{
	const size_t n = with_head(n_bytes);

	lock_soon(&large.mutex);
	uintptr_t from = gap_taken(n);
	if (!from && region_add(n))
		from = gap_taken(n);
	if (from)
		large.n_out += n;
	if (large.n_out > large.most_out)
		large.most_out = large.n_out;
	pthread_mutex_unlock(&large.mutex);
	if (!from)
		return NULL;
	((struct head *)from)->n_bytes = n;
	return (unsigned char *)from + LINE_BYTES;
}

static void large_give(uintptr_t from, size_t n_bytes)
{
	lock_soon(&large.mutex);
	large.n_out -= n_bytes;
	gap_add(from, from + n_bytes);
	pthread_mutex_unlock(&large.mutex);
}

void *memory_take(size_t n_bytes)
{
	void *const p = is_much(n_bytes) ? large_take(n_bytes) : NULL;

	return p ? p : or_die(malloc(n_bytes));
}

void memory_give(void *piece)
{
	if (is_large(piece))
		large_give((uintptr_t)head_of(piece), head_of(piece)->n_bytes);
	else
		free(piece);
}

/* What it need not have behind its first bytes goes back. */
static void *large_cut(void *piece, size_t n_bytes)
{
	struct head *const head = head_of(piece);
	const size_t before = head->n_bytes, after = with_head(n_bytes);

	head->n_bytes = after;
	if (after < before)
		large_give((uintptr_t)head + after, before - after);
	return piece;
}

void *memory_resize(void *piece, size_t n_kept, size_t n_bytes)
{
	const bool was_large = is_large(piece);

	if (!was_large && !is_much(n_bytes))
		return or_die(realloc(piece, n_bytes ? n_bytes : 1)); /* of none it would be given back */
	if (was_large && with_head(n_bytes) <= head_of(piece)->n_bytes)
		return large_cut(piece, n_bytes);
	void *const moved = memory_take(n_bytes);
	if (piece)
		memcpy(moved, piece, n_kept < n_bytes ? n_kept : n_bytes);
	memory_give(piece);
	return moved;
}

/* ------------------------------------------------ other processes, and the system */

/* Gaps of the parent's are forgotten, whose addresses nobody misses. */
void memory_begin_apart(void)
{
	large.n = large.n_in_all = 0;
}

static void gaps_trim(void)
{
	for (size_t i = 0; i < large.n; i++) {
		const uintptr_t from = round_up(large.gaps[i].from, HUGE_PAGE_BYTES);
		const uintptr_t to = large.gaps[i].to / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
		if (from < to)
			madvise((void *)from, to - from, MADV_DONTNEED);
	}
	large.most_out = large.n_out;
}

void memory_trim(void)
{
	lock_soon(&large.mutex);
	if (large.most_out - large.n_out >= LEAST_TRIMMED)
		gaps_trim();
	pthread_mutex_unlock(&large.mutex);
}
