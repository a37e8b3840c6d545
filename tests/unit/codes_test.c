/* codes_test.c - codes are asked of columns and clocks that are packed, and of no others; samples that were found are dealt in two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "series/few.h"
#include "series/held.h"

#define N (4 * CHUNK)

struct made {
	struct arena mem;
	time_ms times[N];
	fixed values[N];
	struct track packed;
};

static void make(struct made *m)
{
	arena_init(&m->mem);
	for (size_t i = 0; i < N; i++) {
		m->times[i] = (time_ms)i * SECOND_MS;
		m->values[i] = (fixed)(i % 5) * FIXED_ONE;
	}
	m->packed = (struct track){ .clock = packed_from(&m->mem, m->times, N, true), .column = packed_from(&m->mem, m->values, N, false),
		.n = N, .step = SECOND_MS };
	m->packed.chunks = chunks_of(&m->mem, &m->packed);
}

static void masks_are_of_codes(void **state)
{
	struct made m;
	uint32_t any;

	(void)state;
	make(&m);
	struct track plain = m.packed;
	plain.values = m.values;
	assert_true(chunk_masks(&m.packed, 0, &any));
	assert_int_equal(any, 7);
	assert_false(chunk_masks(&plain, 0, &any));
	arena_release(&m.mem);
}

static void few_are_weighed_by_codes(void **state)
{
	time_ms until[FEWS];
	uint64_t weighted[FEWS];
	struct made m;

	(void)state;
	make(&m);
	struct track plain = m.packed;
	plain.times = m.times;
	assert_true(few_weighted(&m.packed, 0, until, weighted));
	assert_int_equal(weighted[0], (0 + 1 + 2 + 3 + 4 + 0 + 1 + 2) * FIXED_ONE * SECOND_MS);
	assert_false(few_weighted(&plain, 0, until, weighted));
	arena_release(&m.mem);
}

static void what_was_found_is_dealt(void **state)
{
	const struct span all = { 0, N * SECOND_MS };
	struct made m;

	(void)state;
	make(&m);
	struct held h = held_start(&m.packed, (struct spans){ &all, 1 });
	assert_true(held_next(&h) && held_next(&h)); /* the first one may be cut by the begin */
	assert_int_equal(h.n, CHUNK);
	assert_non_null(h.chunk);
	const struct held all_of_it = held_rest(&h, 0), rest = held_rest(&h, 3), first = held_first(&h, 3);
	assert_ptr_equal(all_of_it.chunk, h.chunk);
	assert_int_equal(held_known(&all_of_it), CHUNK * SECOND_MS);
	assert_null(rest.chunk);
	assert_int_equal(held_known(&first), 3 * SECOND_MS);
	assert_int_equal(held_known(&rest), (CHUNK - 3) * SECOND_MS);
	arena_release(&m.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_are_of_codes),
		cmocka_unit_test(few_are_weighed_by_codes),
		cmocka_unit_test(what_was_found_is_dealt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
