/*
 * arena_test.c - memory that is used again is as if it were new.
 */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool is_zero(const unsigned char *bytes, const size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

/* Small and large, so that some share a block and some have one of their own; larger, then smaller than before. */
static void what_is_used_again_is_zeroed(void **state)
{
	static const size_t sizes[] = { 1, 40, 5000, 20000, 3000000, 16, 900000, 0, 2999999 };
	enum { N_SIZES = sizeof sizes / sizeof sizes[0] };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t round = 0; round < 6; round++) {
		for (size_t i = 0; i < N_SIZES; i++) {
			const size_t n = sizes[(i * (round % 2 + 1) + round) % N_SIZES];
			unsigned char *p = arena_alloc(&mem, n);

			assert_non_null(p);
			assert_int_equal((uintptr_t)p % 16, 0);
			assert_true(is_zero(p, n));
			memset(p, 0xa5, n);
			memset(arena_raw_array(&mem, n, 1), 0x5a, n);
		}
		assert_true(mem.used_bytes >= 3000000);
		arena_reset(&mem);
		assert_int_equal(mem.used_bytes, 0);
	}
	arena_release(&mem);
	assert_null(mem.spare);
}

/* Two that live at the same time share nothing, whatever memory they had before. */
static void what_lives_together_is_apart(void **state)
{
	struct arena mem;
	unsigned char *at[100];

	(void)state;
	arena_init(&mem);
	for (size_t round = 0; round < 4; round++) {
		for (size_t i = 0; i < 100; i++) {
			at[i] = arena_alloc(&mem, 1000 * (i + round));
			memset(at[i], (int)i + 1, 1000 * (i + round));
		}
		for (size_t i = 0; i < 100; i++)
			for (size_t k = 0; k < 1000 * (i + round); k++)
				assert_int_equal(at[i][k], i + 1);
		arena_reset(&mem);
	}
	arena_release(&mem);
}

/* In a block with others, in one of its own, and in one of its own that is the first: what is kept stays, the rest is used again. */
static void what_is_cut_off_is_used_again(void **state)
{
	static const struct {
		size_t before, n, kept;
	} cases[] = { { 1, 100, 40 }, { 1, 100, 0 }, { 1, 100, 100 }, { 1, 100000, 10 }, { 1, 100000, 99999 }, { 0, 100000, 10 }, { 0, 0, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const size_t n = cases[i].n, kept = cases[i].kept;
		struct arena mem;

		arena_init(&mem);
		unsigned char *const older = cases[i].before ? arena_alloc(&mem, 50) : NULL;
		const size_t used = mem.used_bytes;
		uint64_t *items = NEW_RAW_ARRAY(&mem, uint64_t, n);
		memset(items, 0xa5, n * sizeof *items);
		items = arena_array_cut(&mem, items, n, kept, sizeof *items);
		assert_true(mem.used_bytes - used <= kept * sizeof *items + kept * sizeof *items / 7 + 32);
		unsigned char *const next = arena_alloc(&mem, 3000);
		assert_true(is_zero(next, 3000));
		memset(next, 0x5a, 3000);
		for (size_t k = 0; k < kept; k++)
			assert_int_equal(items[k], 0xa5a5a5a5a5a5a5a5);
		assert_true(!older || is_zero(older, 50));
		assert_true(arena_has(&mem, items) && arena_has(&mem, next));
		arena_reset(&mem);
		assert_true(is_zero(arena_alloc(&mem, n * sizeof *items), n * sizeof *items));
		arena_release(&mem);
	}
}

/* In a block with others, and in one of its own: a copy, the same place, and what was not needed of it given back. */
static void what_is_moved_outlives_where_it_was(void **state)
{
	static const struct {
		size_t n, kept, others; /* bytes of others before it, in the new place */
		bool is_same_place;
	} cases[] = { { 100, 100, 0, false }, { 100000, 100000, 0, true }, { 100000, 99999, 50, true }, { 100000, 10, 50, false }, { 100000, 0, 0, false } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const size_t n = cases[i].n, kept = cases[i].kept;
		struct arena from, mem;

		arena_init(&from);
		arena_init(&mem);
		unsigned char *const other = cases[i].others ? arena_alloc(&mem, cases[i].others) : NULL;
		const size_t used = mem.used_bytes;
		uint64_t *const items = NEW_RAW_ARRAY(&from, uint64_t, n);
		unsigned char *const left = arena_alloc(&from, 3000);
		for (size_t k = 0; k < n; k++)
			items[k] = 3 * k;
		uint64_t *const moved = arena_array_moved(&mem, &from, items, kept, sizeof *items);
		assert_true(!cases[i].is_same_place || moved == items);
		assert_true(mem.used_bytes - used <= kept * sizeof *items + kept * sizeof *items / 7 + 32);
		assert_true(is_zero(left, 3000));
		arena_release(&from);
		memset(arena_alloc(&mem, 5000), 0xff, 5000);
		for (size_t k = 0; k < kept; k++)
			assert_int_equal(moved[k], 3 * k);
		assert_true(!other || is_zero(other, cases[i].others));
		assert_true(!kept || arena_has(&mem, moved));
		arena_release(&mem);
	}
}

/* A block of one array is that of several when it is used again: then one of them is moved and the others stay. */
static void what_shares_a_block_is_not_moved_with_it(void **state)
{
	struct arena from, mem;

	(void)state;
	arena_init(&from);
	arena_init(&mem);
	memset(NEW_RAW_ARRAY(&from, unsigned char, 100000), 0xff, 100000);
	arena_reset(&from);
	unsigned char *const first = arena_alloc(&from, 50000), *const second = arena_alloc(&from, 40000);
	assert_true(second > first && second < first + 100000);
	unsigned char *const moved = arena_array_moved(&mem, &from, first, 50000, 1);
	arena_release(&mem);
	assert_true(moved != first && arena_has(&from, second) && is_zero(second, 40000));
	arena_release(&from);
}

static void an_array_grows_item_by_item(void **state)
{
	struct arena mem;
	uint32_t *items = NULL;

	(void)state;
	arena_init(&mem);
	for (size_t n = 0; n < 1000; n++) {
		uint32_t *const before = items;
		items = arena_array_next(&mem, items, n, sizeof *items);
		assert_true(items == before || (n & (n - 1)) == 0);
		assert_int_equal(items[n], 0);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(items[k], 7 * k + 1);
		items[n] = 7 * (uint32_t)n + 1;
		memset(arena_alloc(&mem, 4), 0xff, 4); /* what is behind it is somebody else's */
	}
	arena_release(&mem);
}

/* Around the length up to which it is printed once, and far beyond. */
static void a_printed_text_is_whole(void **state)
{
	static const int lengths[] = { 0, 1, 254, 255, 256, 257, 511, 512, 40000 };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		const char *const text = arena_print(&mem, "%*s%d", lengths[i], "", 7);

		assert_int_equal(strlen(text), lengths[i] + 1);
		assert_int_equal(strspn(text, " "), lengths[i]);
		assert_int_equal(text[lengths[i]], '7');
	}
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_used_again_is_zeroed),
		cmocka_unit_test(what_lives_together_is_apart),
		cmocka_unit_test(what_is_cut_off_is_used_again),
		cmocka_unit_test(what_is_moved_outlives_where_it_was),
		cmocka_unit_test(what_shares_a_block_is_not_moved_with_it),
		cmocka_unit_test(an_array_grows_item_by_item),
		cmocka_unit_test(a_printed_text_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
