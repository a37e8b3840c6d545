/*
 * sheet_thin_test.c - where there is no room for all rows of a log, several become one: what is measured its mean, a state one of those that
 * it was, a counter as it was; a hole stays one, and the lowest and highest of all rows are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "logs.h"
#include "series/stats.h"

#define HEAD "timestamp, index, utilization.gpu [%], power.draw [W], pstate, ecc.errors.uncorrected.volatile.total\n"
#define BYTES_A_ROW 64 /* of these columns: format/sheet_thin.c */

struct row {
	int second, busy; /* below 0: [N/A] */
	int pstate, errors;
};

static void put(struct buf *out, const struct row *row)
{
	buf_print(out, "2026/11/21 %02d:%02d:%02d.000, 0, ", row->second / 3600, row->second / 60 % 60, row->second % 60);
	buf_print(out, row->busy < 0 ? "[N/A]" : "%d %%", row->busy);
	buf_print(out, ", %d.50 W, P%d, %d\n", 100 + row->busy, row->pstate, row->errors);
}

/* With room for so many rows; the text is released. */
static struct recording *read_text_with_room(struct logs *logs, struct buf *text, size_t n_most)
{
	const struct read_request request = { .memory = n_most * BYTES_A_ROW };

	const char *const path = folder_put(&logs->folder, &logs->mem, "gpu.csv", (struct slice){ text->at, text->n });
	buf_release(text);
	struct recording *const rec = format_read(&logs->mem, path, &request, false, &logs->diags);
	assert_non_null(rec);
	assert_int_equal(rec->n_rows + rec->n_rows_bad + rec->n_rows_ignored, rec->n_rows_seen);
	return rec;
}

static struct recording *read_with_room(struct logs *logs, const struct row *rows, size_t n, size_t n_most)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	buf_text(&out, HEAD);
	for (size_t i = 0; i < n; i++)
		put(&out, &rows[i]);
	struct recording *const rec = read_text_with_room(logs, &out, n_most);
	assert_int_equal(rec->n_rows, n);
	return rec;
}

static struct track track_of(const struct recording *rec, enum metric metric)
{
	const struct channel *const c = &rec->channels[0];

	for (size_t k = 0; k < c->n_columns; k++)
		if (c->columns[k].metric == metric)
			return (struct track){ .metric = metric, .clock = c->times, .column = c->columns[k].values, .n = c->n_rows,
				.step = c->step, .seen = c->columns[k].seen };
	fail_msg("no column of %s", metric_table[metric].name);
	return (struct track){ 0 };
}

static struct stats stats_of_all(struct logs *logs, const struct recording *rec, enum metric metric)
{
	const struct track t = track_of(rec, metric);
	struct span all = track_span(&t);

	return track_stats(&logs->mem, &t, (struct spans){ &all, 1 });
}

static void several_rows_become_one(void **state)
{
	static const struct row rows[] = {
		{ 0, 90, 0, 0 }, { 1, 100, 0, 0 }, { 2, -1, 2, 0 }, { 3, 95, 0, 3 },  /* 95 %, P0 */
		{ 4, 10, 8, 3 }, { 5, -1, 8, 3 }, { 6, -1, 0, 3 }, { 7, -1, 8, 7 },   /* for longest not known */
		{ 8, 50, 2, 7 }, { 9, 51, 2, 7 }, { 10, 51, 2, 7 }, { 11, 51, 2, 7 }, /* 50.75: rounded to 50.8, 0.05 is owed */
		{ 12, 50, 2, 7 }, { 13, 51, 2, 7 }, { 14, 51, 2, 7 }, { 15, 51, 2, 7 },
	};
	struct logs *logs = *state;
	const struct recording *rec = read_with_room(logs, rows, 16, 5);

	assert_int_equal(rec->every, 4);
	assert_int_equal(rec->channels[0].step, 4 * SECOND_MS);
	assert_string_equal(shown(logs, rec, false), "gpu0: gpu.util gpu.power gpu.pstate gpu.ecc_uncorrected\n"
						     "00:00:00.000 95 171.50 0 0\n"
						     "00:00:04.000 - 102.25 8 3\n"
						     "00:00:08.000 51 151.25 2 7\n"
						     "00:00:12.000 51 151.25 2 7\n");
	const struct track busy = track_of(rec, METRIC_GPU_UTIL);
	assert_int_equal(track_value(&busy, 2), 50800000);
	assert_int_equal(track_value(&busy, 3), 50700000);
}

static void a_hole_stays_one(void **state)
{
	struct logs *logs = *state;
	struct row rows[60];

	for (int i = 0; i < 60; i++)
		rows[i] = (struct row){ i < 31 ? i : 600 + i, 50, 0, 0 };
	const struct recording *rec = read_with_room(logs, rows, 60, 16);
	const struct track busy = track_of(rec, METRIC_GPU_UTIL);
	const struct spans holes = track_holes(&logs->mem, &busy);
	const time_ms midnight = track_time(&busy, 0);
	assert_int_equal(rec->every, 4);
	assert_int_equal(holes.n, 1);
	assert_int_equal(holes.at[0].begin - midnight, 32 * SECOND_MS); /* the last three rows before it are one for a step of four */
	assert_int_equal(holes.at[0].end - midnight, 631 * SECOND_MS);
}

/* Sums don't drift, however often rows are thinned; and a single peak is known. */
static void means_and_extremes_are_of_all_rows(void **state)
{
	enum { N = 50000 };
	static struct row rows[N];
	struct logs *logs = *state;

	for (int i = 0; i < N; i++)
		rows[i] = (struct row){ i, i == 31337 ? 100 : i * 7 % 90, i % 1000 < 700 ? 0 : 8, i / 100 };
	const struct recording *all = read_with_room(logs, rows, N, N);
	const struct recording *few = read_with_room(logs, rows, N, N / 100);
	assert_int_equal(all->every, 1);
	assert_null(all->room);
	assert_int_equal(few->every, 256);
	assert_string_equal(few->room, "1 GiB, the limit 'memory' (--limit memory=4GiB allows more)");
	assert_true(few->channels[0].n_rows <= N / 100);
	static const enum metric measured[] = { METRIC_GPU_UTIL, METRIC_GPU_POWER };
	for (size_t i = 0; i < 2; i++) {
		const struct stats a = stats_of_all(logs, all, measured[i]), b = stats_of_all(logs, few, measured[i]);
		assert_true(fabs(a.mean - b.mean) < 0.01);
		assert_true(a.min == b.min && a.max == b.max);
	}
	assert_true(stats_of_all(logs, few, METRIC_GPU_UTIL).p95 < 60); /* of means of 256 */
}

static size_t count_of(const struct track *t, fixed value)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += track_value(t, i) == value;
	return n;
}

/* What is shorter than others in each group of rows would else be nowhere: of five rows two are P8, and one in seven has no load. */
static void states_keep_their_share(void **state)
{
	enum { N = 50000 };
	static struct row rows[N];
	struct logs *logs = *state;

	for (int i = 0; i < N; i++)
		rows[i] = (struct row){ i, i % 7 == 3 ? -1 : 50, i % 5 < 2 ? 8 : 0, 0 };
	for (size_t room = N / 2; room > 500; room /= 4) {
		const struct recording *const rec = read_with_room(logs, rows, N, room);
		const struct track level = track_of(rec, METRIC_GPU_PSTATE), busy = track_of(rec, METRIC_GPU_UTIL);
		assert_true(rec->every > 1);
		assert_in_range(count_of(&level, 8 * FIXED_ONE), level.n * 2 / 5 - 2, level.n * 2 / 5 + 2);
		assert_in_range(count_of(&busy, FIXED_MISSING), busy.n / 7 - 2, busy.n / 7 + 2);
	}
}

/*
 * Rows after a time that steps back can't be thinned before the end of the log is known. Then they are thinned as all others are, and as
 * little as if nothing had stepped back.
 */
static void a_step_back_costs_no_more_rows(void **state)
{
	enum { N = 4000, ROOM = 250 };
	static const int backs[] = { 10, 1000, 3990 };
	static struct row rows[N];
	struct logs *logs = *state;

	for (size_t k = 0; k < sizeof backs / sizeof *backs; k++) {
		for (int i = 0; i < N; i++)
			rows[i] = (struct row){ i == backs[k] ? i - 2 : i, i % 90, 0, 0 };
		struct buf out;
		buf_init(&out, (size_t)1 << 24);
		buf_text(&out, HEAD);
		for (size_t i = 0; i < N; i++)
			put(&out, &rows[i]);
		const struct recording *rec = read_text_with_room(logs, &out, ROOM);
		assert_int_equal(rec->every, 32);
		assert_in_range(rec->channels[0].n_rows, N / 32 - 5, N / 32 + 5);
		const struct track busy = track_of(rec, METRIC_GPU_UTIL);
		for (size_t i = 1; i < busy.n; i++)
			assert_in_range(track_time(&busy, i) - track_time(&busy, i - 1), 8 * SECOND_MS, 48 * SECOND_MS);
	}
}

/* Until the log ends nobody knows whether its day is a month: it is thinned as ever, and its peak is known. */
static void a_log_of_a_day_in_doubt_is_thinned(void **state)
{
	enum { N = 2000 };
	struct logs *logs = *state;
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, HEAD);
	for (int i = 0; i < N; i++)
		buf_print(&out, "05/06/2026 %02d:%02d:%02d, 0, %d %%, 100.50 W, P0, 0\n", i / 3600, i / 60 % 60, i % 60,
			i == 777 ? 100 : 40 + i % 2);
	const struct recording *rec = read_text_with_room(logs, &out, 300);
	const struct stats busy = stats_of_all(logs, rec, METRIC_GPU_UTIL);
	assert_true(rec->clock.date_ambiguous);
	assert_int_equal(rec->every, 16);
	assert_int_equal(rec->channels[0].n_rows, N / 16);
	assert_true(busy.max == 100 && busy.min == 40);
}

/* Rows that name no GPU may have to be dealt to several: they are thinned when all are there. */
static void rows_of_nobody_are_thinned_at_the_end(void **state)
{
	enum { N = 2000 };
	struct logs *logs = *state;
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, utilization.gpu [%], power.draw [W]\n");
	for (int i = 0; i < N; i++)
		buf_print(&out, "2026/11/21 %02d:%02d:%02d.000, %d %%, %d.50 W\n", i / 3600, i / 60 % 60, i % 60, i == 1234 ? 100 : i / 8 % 50,
			100 + i / 8 % 90);
	const struct recording *rec = read_text_with_room(logs, &out, 300);
	const struct track busy = track_of(rec, METRIC_GPU_UTIL), power = track_of(rec, METRIC_GPU_POWER);
	assert_int_equal(rec->every, 8);
	assert_int_equal(rec->n_rows, N);
	assert_int_equal(busy.n, N / 8);
	assert_int_equal(busy.step, 8 * SECOND_MS);
	for (size_t i = 0; i < power.n; i++)
		assert_int_equal(track_value(&power, i), (100 + (fixed)i % 90) * FIXED_ONE + FIXED_ONE / 2);
	assert_true(stats_of_all(logs, rec, METRIC_GPU_UTIL).max == 100);
}

/* One row of each of more GPUs than there is room for: of them nothing can be made one. */
static void a_single_poll_stays_whole(void **state)
{
	enum { N = 300 };
	struct logs *logs = *state;
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, HEAD);
	for (int i = 0; i < N; i++)
		buf_print(&out, "2026/11/21 10:00:00.%03d, %d, %d %%, 100.50 W, P0, 0\n", i, i, i % 100);
	const struct recording *rec = read_text_with_room(logs, &out, 100);
	assert_int_equal(rec->n_channels, N);
	assert_int_equal(rec->n_rows, N);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(rec->channels[i].n_rows, 1);
		assert_int_equal(column_value(&rec->channels[i].columns[0], 0), (fixed)(i % 100) * FIXED_ONE);
	}
}

/*
 * Of more GPUs than there is room for rows of, the last rows of each wait for more to become one of them: by how much all are thinned does
 * not grow because of these. It did once, until it was 0 again.
 */
static void rows_that_wait_are_no_reason_to_thin(void **state)
{
	enum { N_GPUS = 100, N = 300 };
	struct logs *logs = *state;
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	buf_text(&out, HEAD);
	for (int i = 0; i < N_GPUS * N; i++)
		buf_print(&out, "2026/11/21 10:%02d:%02d.%03d, %d, %d %%, 100.50 W, P0, 0\n", i / N_GPUS / 60, i / N_GPUS % 60, i % N_GPUS,
			i % N_GPUS, i % 90);
	const struct recording *rec = read_text_with_room(logs, &out, 5 * N_GPUS);
	assert_int_equal(rec->n_channels, N_GPUS);
	assert_in_range(rec->every, 32, 128);
	for (size_t i = 0; i < N_GPUS; i++)
		assert_in_range(rec->channels[i].n_rows, N / rec->every, N / rec->every + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(several_rows_become_one, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_hole_stays_one, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(means_and_extremes_are_of_all_rows, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(states_keep_their_share, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_step_back_costs_no_more_rows, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_log_of_a_day_in_doubt_is_thinned, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_of_nobody_are_thinned_at_the_end, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_single_poll_stays_whole, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_that_wait_are_no_reason_to_thin, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
