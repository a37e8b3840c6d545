/*
 * sheet_finish_test.c - the step of a log is the one in the middle of all that its rows make, sorted, however many they are and however
 * they are looked at: few are sorted, more are counted near the step that stands in the middle, or all. Rows that are evenly further apart
 * have a step of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"
#include "series/track.h"

#define MOST_ROWS 4200

typedef time_ms step_before(int row, int n);

static time_ms steady(int row, int n)
{
	(void)row, (void)n;
	return 1000;
}

/* All of 999 lengths in a scrambled order. */
static time_ms scattered(int row, int n)
{
	(void)n;
	return 1 + (row * 500) % 999;
}

/* What stands in the middle is like no other. */
static time_ms with_a_pause(int row, int n)
{
	return row == n / 2 ? 600 * SECOND_MS : 900 + row % 7;
}

/* Neither is what is near it the most of them. */
static time_ms of_two_kinds(int row, int n)
{
	return row >= n / 3 && row <= n * 2 / 3 ? 4000 + row % 5 : 1500 + row % 3;
}

/* Longer than any that are counted. */
static time_ms slow(int row, int n)
{
	(void)n;
	return (row % 2 ? 70 : 80) * SECOND_MS;
}

static const struct channel *log_of_times(struct logs *logs, const time_ms *times, int n)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	buf_text(&out, "timestamp, index, utilization.gpu [%]\n");
	for (int i = 0; i < n; i++) {
		const int s = (int)(times[i] / SECOND_MS);
		buf_print(&out, "2026/11/%02d %02d:%02d:%02d.%03d, 0, 50 %%\n", 1 + s / 86400, s / 3600 % 24, s / 60 % 60, s % 60,
			(int)(times[i] % SECOND_MS));
	}
	const struct recording *const rec = read_text(logs, "gpu.csv", text_of_buf(&logs->mem, &out));
	assert_int_equal(rec->channels[0].n_rows, n);
	return &rec->channels[0];
}

static void the_step_is_the_middle_one(void **state)
{
	static step_before *const shapes[] = { steady, scattered, with_a_pause, of_two_kinds, slow };
	static const int lengths[] = { 2, 3, 63, 64, 65, 66, 129, 625, 2048, 2049, MOST_ROWS };
	struct logs *logs = *state;
	time_ms times[MOST_ROWS] = { 0 };

	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
		for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
			const int n = lengths[l];
			for (int i = 1; i < n; i++)
				times[i] = times[i - 1] + shapes[k](i, n);
			const time_ms step = log_of_times(logs, times, n)->step, wanted = median_step(&logs->mem, times, (size_t)n);
			if (step != wanted)
				fail_msg("shape %zu, %d rows: %lld ms, not %lld", k, n, (long long)step, (long long)wanted);
		}
}

/* Steps one after the other: so often, so many seconds; 0: the last. */
struct part {
	int n, seconds;
};

#define MOST_PARTS 6

/* What rows have as their step: the same for each row of a part. */
static void rows_have_steps(struct logs *logs, const struct part *parts, const struct part *wanted)
{
	time_ms times[MOST_ROWS] = { 0 };
	int n = 1, row = 0;

	for (int p = 0; p < MOST_PARTS && parts[p].n; p++)
		for (int i = 0; i < parts[p].n; i++, n++)
			times[n] = times[n - 1] + parts[p].seconds * SECOND_MS;
	const struct channel *const c = log_of_times(logs, times, n);
	for (int p = 0; p < MOST_PARTS && wanted[p].n; p++)
		for (int i = 0; i < wanted[p].n; i++, row++)
			if (channel_step_at(c, (size_t)row) != wanted[p].seconds * SECOND_MS)
				fail_msg("row %d of %d: a step of %lld ms, not %d s", row, n, (long long)channel_step_at(c, (size_t)row), wanted[p].seconds);
	assert_int_equal(row, n);
}

/* A row begins a step, and the last one holds for as long as the one before it. */
static void rows_that_are_evenly_apart_have_their_step(void **state)
{
	static const struct {
		struct part log[MOST_PARTS], wanted[MOST_PARTS];
	} cases[] = {
		{ { { 600, 1 }, { 300, 10 } }, { { 600, 1 }, { 301, 10 } } },
		{ { { 300, 10 }, { 600, 1 } }, { { 301, 10 }, { 600, 1 } } }, /* the row between them is of either */
		{ { { 200, 1 }, { 12, 10 }, { 200, 1 } }, { { 200, 1 }, { 13, 10 }, { 200, 1 } } },
		{ { { 200, 1 }, { 11, 10 }, { 200, 1 } }, { { 412, 1 } } }, /* too few: each of them is a hole */
		{ { { 200, 1 }, { 40, 3 }, { 200, 1 } }, { { 441, 1 } } }, /* no hole anyway */
		{ { { 200, 1 }, { 20, 10 }, { 1, 29 }, { 20, 10 }, { 200, 1 } }, { { 200, 1 }, { 42, 10 }, { 200, 1 } } },
		{ { { 200, 1 }, { 20, 10 }, { 1, 31 }, { 20, 10 }, { 200, 1 } }, { { 200, 1 }, { 21, 10 }, { 21, 10 }, { 200, 1 } } },
		{ { { 200, 1 }, { 20, 10 }, { 1, 1 }, { 20, 10 }, { 200, 1 } }, { { 200, 1 }, { 42, 10 }, { 200, 1 } } },
		{ { { 300, 1 }, { 100, 10 }, { 50, 60 } }, { { 300, 1 }, { 84, 10 }, { 67, 60 } } }, /* two longer ones in the fourth pack */
		{ { { 30, 1 }, { 20, 10 } }, { { 30, 1 }, { 21, 10 } } },
		{ { { 200, 1 }, { 1, 9 }, { 20, 10 } }, { { 200, 1 }, { 22, 10 } } }, /* no longer than those behind it */
		{ { { 200, 1 }, { 1, 15 }, { 20, 10 } }, { { 201, 1 }, { 21, 10 } } },
		{ { { 400, 1 }, { 112, 10 }, { 200, 60 }, { 1, 9000 }, { 20, 1 } }, { { 400, 1 }, { 112, 10 }, { 201, 60 }, { 21, 1 } } },
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		rows_have_steps(*state, cases[k].log, cases[k].wanted);
}

/* Slow polls among those of a second: how many rows between two of them, how many of them, and for how long each. */
static void slow_polls_that_are_no_exception_leave_no_hole(void **state)
{
	static const struct {
		int apart, n, seconds;
		bool is_hole;
	} cases[] = {
		{ 5, 40, 8, false },
		{ 5, 12, 10, false },
		{ 5, 11, 10, true }, /* too few to be how the logger works */
		{ 98, 12, 10, false },
		{ 100, 12, 10, true }, /* one of 101 is an exception */
		{ 5, 40, 11, true },  /* no poll is that slow */
		{ 5, 40, 3, false },  /* no hole anyway */
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		time_ms times[MOST_ROWS] = { 0 };
		int n = 1;
		for (int i = 0; i < cases[k].n; i++)
			for (int row = 0; row <= cases[k].apart; row++, n++)
				times[n] = times[n - 1] + (row == cases[k].apart ? cases[k].seconds : 1) * SECOND_MS;
		times[n] = times[n - 1] + SECOND_MS;
		const struct channel *const c = log_of_times(*state, times, ++n);
		for (int i = 0; i + 1 < n; i++) {
			const time_ms most = HOLE_STEPS * channel_step_at(c, (size_t)i), next = times[i + 1] - times[i];
			if ((next > most) != (cases[k].is_hole && next > SECOND_MS) || (next == SECOND_MS && most != HOLE_STEPS * SECOND_MS))
				fail_msg("case %zu, row %d: %lld ms are held, the next one is %lld ms away", k, i, (long long)most, (long long)next);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_step_is_the_middle_one, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_that_are_evenly_apart_have_their_step, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(slow_polls_that_are_no_exception_leave_no_hole, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
