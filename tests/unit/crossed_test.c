/* crossed_test.c - where rows are of too many kinds, or have no values at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "series/chunk.h"
#include "series/crossed.h"

#define N_FLAGS 7 /* 128 kinds of rows, twice as many as are told apart */
#define N (80 * CHUNK)

struct log {
	struct arena mem;
	struct packed clock;
	struct track flags[N_FLAGS], beside;
	struct crossing asked;
};

static struct track track_with(struct log *l, const fixed *values)
{
	struct track t = { .clock = l->clock, .column = packed_from(&l->mem, values, N, false), .n = N, .step = SECOND_MS };

	t.chunks = chunks_of(&l->mem, &t);
	return t;
}

/* The flags of a row are the bits of its number, each so many rows long; `value`: of all rows. */
static void make(struct log *l, size_t grain, fixed value)
{
	arena_init(&l->mem);
	int64_t *const numbers = NEW_ARRAY(&l->mem, int64_t, N);

	for (size_t i = 0; i < N; i++)
		numbers[i] = (time_ms)i * SECOND_MS;
	l->clock = packed_from(&l->mem, numbers, N, true);
	l->asked = (struct crossing){ .n_flags = N_FLAGS, .beside = &l->beside };
	for (size_t f = 0; f < N_FLAGS; f++) {
		for (size_t i = 0; i < N; i++)
			numbers[i] = (fixed)(i / grain >> f & 1) * FIXED_ONE;
		l->flags[f] = track_with(l, numbers);
		l->asked.flags[f] = &l->flags[f];
	}
	for (size_t i = 0; i < N; i++)
		numbers[i] = value;
	l->beside = track_with(l, numbers);
}

/* Whether the flags stay for whole chunks or change in them. */
static void too_many_kinds_are_not_told(void **state)
{
	static const size_t grains[] = { CHUNK, CHUNK / 4, 1 };
	struct crossed out;
	struct log l;

	(void)state;
	for (size_t i = 0; i < sizeof grains / sizeof *grains; i++) {
		make(&l, grains[i], 1980 * (fixed)FIXED_ONE);
		assert_false(rows_crossed(&l.mem, &l.asked, &out));
		arena_release(&l.mem);
	}
}

static void rows_without_values_are_of_kinds(void **state)
{
	struct crossed out;
	struct log l;
	fixed value;

	(void)state;
	make(&l, 2 * CHUNK, FIXED_MISSING);
	assert_true(rows_crossed(&l.mem, &l.asked, &out));
	assert_int_equal(out.n, 40);
	for (size_t k = 0; k < out.n; k++)
		assert_int_equal(out.kinds[k].held, 2 * CHUNK * SECOND_MS);
	assert_false(crossed_lowest(&out, (struct flag_pick){ 0, 0 }, &value));
	arena_release(&l.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(too_many_kinds_are_not_told),
		cmocka_unit_test(rows_without_values_are_of_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
