/*
 * sheet_finish_test.c - the step of a log is the one in the middle of all that its rows make, sorted, however many they are and however
 * they are looked at: few are sorted, more are counted near the step that stands in the middle, or all.
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
	return row >= n / 3 && row <= n * 2 / 3 ? 4000 + row % 5 : 100 + row % 3;
}

/* Longer than any that are counted. */
static time_ms slow(int row, int n)
{
	(void)n;
	return (row % 2 ? 70 : 80) * SECOND_MS;
}

static time_ms step_of_log(struct logs *logs, const time_ms *times, int n)
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
	return rec->channels[0].step;
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
			const time_ms step = step_of_log(logs, times, n), wanted = median_step(&logs->mem, times, (size_t)n);
			if (step != wanted)
				fail_msg("shape %zu, %d rows: %lld ms, not %lld", k, n, (long long)step, (long long)wanted);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_step_is_the_middle_one, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
