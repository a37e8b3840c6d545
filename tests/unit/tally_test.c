/*
 * tally_test.c - what is counted by codes is what adding up sample by sample says, where packs of one column differ in width and unit; and
 * what is kept of many columns has an end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "series/chunk.h"
#include "series/tally.h"

#define N (6 * PACK)
#define MOST_A_SAMPLE 1000

/* On a clock that ticks once a second, packed and summarised. */
static struct track track_with(struct arena *mem, const fixed *numbers, size_t n)
{
	time_ms *const times = NEW_ARRAY(mem, time_ms, n);

	for (size_t i = 0; i < n; i++)
		times[i] = (time_ms)i * SECOND_MS;
	struct track t = { .clock = packed_from(mem, times, n, true), .column = packed_from(mem, numbers, n, false), .n = n };
	t.step = SECOND_MS;
	t.chunks = chunks_of(mem, &t);
	return t;
}

#define CUT 3 /* samples at the begin of each pack that are not asked for: what is left is no multiple of four */

static struct spans all_but_cut(struct arena *mem)
{
	struct span *const at = NEW_ARRAY(mem, struct span, N / PACK);

	for (size_t k = 0; k < N / PACK; k++)
		at[k] = (struct span){ (time_ms)(k * PACK + CUT) * SECOND_MS, (time_ms)((k + 1) * PACK) * SECOND_MS };
	return (struct spans){ at, N / PACK };
}

static int64_t times_of(const fixed *numbers, fixed value)
{
	int64_t count = 0;

	for (size_t i = 0; i < N; i++)
		count += numbers[i] == value && i % PACK >= CUT;
	return count;
}

/* `load`: what each sample counts for. */
static void check(const struct tally *tally, const fixed *numbers, int64_t load)
{
	int64_t all = 0;

	for (size_t i = 0; i < tally->n; i++) {
		assert_int_equal(tally->at[i].load, load * times_of(numbers, integer_from_key(tally->at[i].key)));
		all += tally->at[i].load;
	}
	assert_int_equal(all, load * (PACK - CUT) * (N / PACK));
}

/* Hardly a number comes twice in a row: each is counted by itself, in codes of one, two or four bytes, in steps of one slot and ten. */
static void packs_of_any_width_and_unit_are_counted(void **state)
{
	static const int ranges[] = { 250, 2500, 70000 };
	struct arena mem;
	struct tally tally;
	fixed numbers[N];

	(void)state;
	for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
		arena_init(&mem);
		for (size_t i = 0; i < N; i++)
			numbers[i] = (fixed)(i * 7919 % (size_t)ranges[k]) *
				     (i / PACK % 2 && ranges[k] < 70000 ? FIXED_ONE / 10 : FIXED_ONE / 100);
		const struct track t = track_with(&mem, numbers, N);
		const struct spans within = all_but_cut(&mem);
		assert_true(tally_of(&mem, &t, within, MOST_A_SAMPLE, &tally));
		check(&tally, numbers, SECOND_MS);
		assert_true(tally_of_samples(&mem, &t, within, MOST_A_SAMPLE, &tally));
		check(&tally, numbers, 1);
		arena_release(&mem);
	}
}

/* Of the last columns nothing is kept any more: they are counted each time, and tell the same. */
static void no_more_is_kept_than_there_is_room_for(void **state)
{
	enum { N_LONG = 60000, N_COLUMNS = 10 }; /* a MB of values each */
	const struct span all = { 0, N_LONG * SECOND_MS };
	struct counts *const counts = counts_new();
	struct arena mem;

	(void)state;
	arena_init(&mem);
	fixed *const numbers = NEW_ARRAY(&mem, fixed, N_LONG);
	for (int column = 0; column < N_COLUMNS; column++) {
		struct tally first, again;
		for (size_t i = 0; i < N_LONG; i++)
			numbers[i] = (fixed)((i * 7919 + (size_t)column) % N_LONG) * FIXED_ONE;
		const struct track t = track_with(&mem, numbers, N_LONG);
		assert_true(tally_found(counts, &mem, &t, (struct spans){ &all, 1 }, MOST_A_SAMPLE, &first));
		assert_true(tally_found(counts, &mem, &t, (struct spans){ &all, 1 }, MOST_A_SAMPLE, &again));
		assert_int_equal(first.n, N_LONG);
		assert_int_equal(again.n, N_LONG);
		assert_memory_equal(first.at, again.at, first.n * sizeof *first.at);
	}
	counts_release(counts);
	counts_release(NULL);
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packs_of_any_width_and_unit_are_counted),
		cmocka_unit_test(no_more_is_kept_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
