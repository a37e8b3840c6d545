/*
 * memory_test.c - pieces of memory are apart, keep what is in them, and leave room for others when they are given back.
 */
#include "base/memory.h"

#include "base/workers.h"
#include "property/laws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

/* ------ what is in them ------ */

enum { MOST_PIECES = 60, N_TURNS = 4000, N_THREADS = 4 };

struct piece {
	unsigned char *bytes;
	size_t n;
	unsigned char mark; /* all bytes are this */
};

/* From none to a few MiB, most of them small. */
static size_t any_size(struct random *r)
{
	const size_t most[] = { 64, 3 * KIB, 3 * KIB, 40 * KIB, 40 * KIB, 300 * KIB, 3 * MIB };

	return (size_t)random_below(r, (int)most[random_below(r, sizeof most / sizeof most[0])]);
}

static void fill(struct piece *p, size_t from)
{
	if (from < p->n)
		memset(p->bytes + from, p->mark, p->n - from);
}

static bool has_its_own(const struct piece *p)
{
	return !p->n || (p->bytes[0] == p->mark && memcmp(p->bytes, p->bytes + 1, p->n - 1) == 0);
}

static void resize(struct piece *p, size_t n)
{
	const size_t kept = p->n < n ? p->n : n;

	p->bytes = memory_resize(p->bytes, p->n, n);
	p->n = n;
	fill(p, kept);
}

/* False: a piece had something else in it than was put there. */
static bool take_and_give(struct random *r)
{
	struct piece pieces[MOST_PIECES] = { { NULL, 0, 0 } };
	bool good = true;

	for (int turn = 0; turn < N_TURNS; turn++) {
		struct piece *const p = &pieces[random_below(r, MOST_PIECES)];
		good &= has_its_own(p);
		if (p->bytes && random_below(r, 3) == 0) {
			resize(p, any_size(r));
			continue;
		}
		memory_give(p->bytes);
		*p = (struct piece){ NULL, 0, (unsigned char)turn };
		if (random_below(r, 3))
			*p = (struct piece){ memory_take(p->n = any_size(r)), p->n, p->mark };
		good &= (uintptr_t)p->bytes % _Alignof(max_align_t) == 0;
		fill(p, 0);
	}
	for (size_t i = 0; i < MOST_PIECES; i++) {
		good &= has_its_own(&pieces[i]);
		memory_give(pieces[i].bytes);
	}
	return good;
}

static void a_piece_keeps_what_is_in_it(void **state)
{
	struct random r = { 20261129 };

	(void)state;
	assert_true(take_and_give(&r));
}

static void take_beside_others(void *context, size_t worker, size_t job)
{
	struct random r = { 1 + job };

	(void)worker;
	((bool *)context)[job] = take_and_give(&r);
}

static void pieces_of_other_threads_are_apart(void **state)
{
	bool good[N_THREADS] = { false };

	(void)state;
	workers_run(N_THREADS, N_THREADS, take_beside_others, good);
	for (size_t i = 0; i < N_THREADS; i++)
		assert_true(good[i]);
}

/* ------ where they are ------ */

#if WITH_HUGE_PAGES
/* Whatever comes first: those beside it are one gap with it. */
static void what_is_given_back_is_one_gap(void **state)
{
	static const size_t orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		void *const at[3] = { memory_take(MIB), memory_take(MIB), memory_take(MIB) };
		void *const behind = memory_take(MIB);
		assert_ptr_equal((char *)at[1] - (char *)at[0], (char *)at[2] - (char *)at[1]);
		for (size_t k = 0; k < 3; k++)
			memory_give(at[orders[i][k]]);
		void *const all = memory_take(3 * MIB);
		assert_ptr_equal(all, at[0]);
		memory_give(all);
		memory_give(behind);
	}
}

static void the_smallest_gap_with_room_is_taken(void **state)
{
	void *const large = memory_take(MIB), *const wall = memory_take(KIB), *const small = memory_take(200 * KIB);
	void *const end = memory_take(KIB);

	(void)state;
	memory_give(large);
	memory_give(small);
	void *const taken = memory_take(190 * KIB), *const next = memory_take(190 * KIB);
	assert_ptr_equal(taken, small);
	assert_ptr_equal(next, large);
	memory_give(taken);
	memory_give(next);
	memory_give(wall);
	memory_give(end);
}

static void what_a_piece_has_too_much_is_taken_by_another(void **state)
{
	char *const piece = memory_take(MIB), *const wall = memory_take(KIB);

	(void)state;
	memset(piece, 7, MIB);
	assert_ptr_equal(memory_resize(piece, MIB, 300 * KIB), piece);
	char *const other = memory_take(600 * KIB);
	assert_true(piece + 300 * KIB <= other && other + 600 * KIB <= wall);
	assert_int_equal(piece[300 * KIB - 1], 7);
	memory_give(piece);
	memory_give(other);
	memory_give(wall);
}

/* Of the mapping that p is in; "" where the kernel does not tell. */
static void read_flags(const void *p, char *flags, size_t room)
{
	FILE *const maps = fopen("/proc/self/smaps", "re");
	char line[512];
	bool is_it = false;

	*flags = '\0';
	while (maps && fgets(line, sizeof line, maps)) {
		unsigned long from, to;
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			is_it = from <= (uintptr_t)p && (uintptr_t)p < to;
		if (is_it && strncmp(line, "VmFlags:", 8) == 0)
			snprintf(flags, room, "%s", line);
	}
	if (maps)
		fclose(maps);
}

static void pieces_ask_for_huge_pages(void **state)
{
	void *const piece = memory_take(KIB);
	char flags[512];

	(void)state;
	read_flags(piece, flags, sizeof flags);
	if (*flags && access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) == 0)
		assert_non_null(strstr(flags, " hg"));
	memory_give(piece);
}

/* As in a process that was forked; what it has of its parent's it may give back all the same. */
static void pages_of_a_parent_are_left_to_it(void **state)
{
	char *const before = memory_take(KIB);

	(void)state;
	memory_begin_apart();
	char *const behind = memory_take(KIB);
	assert_true((uintptr_t)before / (2 * MIB) != (uintptr_t)behind / (2 * MIB));
	memory_give(before);
	memory_give(behind);
}

/* Bytes that the process has in memory; 0: nobody tells. */
static size_t resident_bytes(void)
{
	FILE *const told = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (told && fscanf(told, "%*u %lu", &pages) != 1)
		pages = 0;
	if (told)
		fclose(told);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void what_was_given_back_goes_to_the_system(void **state)
{
	char *const kept = memory_take(MIB), *const large = memory_take(64 * MIB);

	(void)state;
	memset(kept, 5, MIB);
	memset(large, 1, 64 * MIB);
	memory_give(large);
	const size_t before = resident_bytes();
	memory_trim();
	assert_true(!before || resident_bytes() + 60 * MIB < before);
	assert_int_equal(kept[MIB - 1], 5);
	memory_give(kept);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if WITH_HUGE_PAGES
		cmocka_unit_test(what_is_given_back_is_one_gap),
		cmocka_unit_test(the_smallest_gap_with_room_is_taken),
		cmocka_unit_test(what_a_piece_has_too_much_is_taken_by_another),
		cmocka_unit_test(pieces_ask_for_huge_pages),
		cmocka_unit_test(pages_of_a_parent_are_left_to_it),
		cmocka_unit_test(what_was_given_back_goes_to_the_system),
#endif
		cmocka_unit_test(a_piece_keeps_what_is_in_it),
		cmocka_unit_test(pieces_of_other_threads_are_apart),
	};

	memory_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
