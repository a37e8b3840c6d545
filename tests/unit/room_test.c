/* room_test.c - the memory of a run is dealt to its logs by their size; what one leaves is there for those after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "logs.h"
#include "run/run.h"

#include <zlib.h>

static const char *put_log(struct logs *logs, const char *name, int gpu, int n)
{
	return folder_put(&logs->folder, &logs->mem, name, log_of_seconds(&logs->mem, gpu, n, 0));
}

static struct run *new_run(struct logs *logs, const char *memory, struct limits *limits)
{
	struct run *const run = run_new(&logs->mem, "run", &logs->diags);
	const char *wrong;

	*limits = limits_as_ever();
	assert_true(limit_set(limits, arena_print(&logs->mem, "memory=%s", memory), &logs->mem, &wrong));
	run->request.limits = limits;
	return run;
}

static size_t every_of(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->n_recordings; i++)
		if (strcmp(path_name(run->recordings[i]->path), name) == 0)
			return run->recordings[i]->every;
	fail_msg("%s was not read", name);
	return 0;
}

/* 16 MiB are for rows; a row of one metric takes 58 bytes: there is room for 289,262 of them. */
static void logs_share_by_their_size(void **state)
{
	struct logs *logs = *state;
	struct limits limits;

	put_log(logs, "a.csv", 0, 200000);
	put_log(logs, "b.csv", 1, 200000);
	put_log(logs, "c.csv", 2, 1000);
	struct run *run = new_run(logs, "64MiB", &limits);
	run_plan_room(run, (const char *const[]){ logs->folder.path }, 1);
	assert_true(ingest(run, logs->folder.path));
	assert_int_equal(every_of(run, "a.csv"), 2);
	assert_int_equal(every_of(run, "b.csv"), 2);
	assert_int_equal(every_of(run, "c.csv"), 1);

	run = new_run(logs, "256MiB", &limits);
	run_plan_room(run, (const char *const[]){ logs->folder.path }, 1);
	assert_true(ingest(run, logs->folder.path));
	assert_int_equal(every_of(run, "a.csv"), 1);
	assert_int_equal(every_of(run, "b.csv"), 1);
}

/* Alone it has all of it, planned or not. */
static void one_log_has_all(void **state)
{
	struct logs *logs = *state;
	struct limits limits;

	const char *const path = put_log(logs, "a.csv", 0, 270000);
	struct run *run = new_run(logs, "64MiB", &limits);
	assert_true(ingest(run, path));
	assert_int_equal(every_of(run, "a.csv"), 1);
	run = new_run(logs, "64MiB", &limits);
	run_plan_room(run, &path, 1);
	assert_true(ingest(run, path));
	assert_int_equal(every_of(run, "a.csv"), 1);
}

/* What no reader is for, an empty file among it, takes nothing from the logs, however long it is. */
static void a_checkpoint_takes_no_room(void **state)
{
	struct logs *logs = *state;
	struct limits limits;
	char *const zeros = calloc(40, 1 << 20);

	assert_non_null(zeros);
	memcpy(zeros, "\x7f" "checkpoint", 11);
	put_log(logs, "b.csv", 0, 270000);
	folder_put(&logs->folder, &logs->mem, "a.ckpt", (struct slice){ zeros, (size_t)40 << 20 });
	folder_put(&logs->folder, &logs->mem, "c.ckpt", (struct slice){ zeros, (size_t)40 << 20 });
	folder_put(&logs->folder, &logs->mem, "d.csv", (struct slice){ "", 0 });
	free(zeros);
	struct run *const run = new_run(logs, "64MiB", &limits);
	run_plan_room(run, (const char *const[]){ logs->folder.path }, 1);
	assert_true(ingest(run, logs->folder.path));
	assert_int_equal(every_of(run, "b.csv"), 1);
}

static void put_packed(struct logs *logs, const char *name, struct slice text)
{
	char *const packed = malloc(text.n);
	z_stream z = { 0 };

	assert_non_null(packed);
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (unsigned char *)text.p;
	z.avail_in = z.avail_out = (unsigned)text.n;
	z.next_out = (unsigned char *)packed;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	folder_put(&logs->folder, &logs->mem, name, (struct slice){ packed, z.total_out });
	deflateEnd(&z);
	free(packed);
}

/* What a log may take does not hang on whether it is packed: beside a plain one it is as long as it is unpacked. */
static void a_packed_log_is_as_long_as_it_is_unpacked(void **state)
{
	static const struct { int a, b, c; size_t every_a, every_b; } cases[] = {
		{ 180000, 80000, 1000, 1, 1 }, { 200000, 200000, 1000, 2, 2 },
	};
	struct logs *logs = *state;
	struct limits limits;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (int packed = 0; packed < 3; packed++) { /* neither, the first, the second */
			put_log(logs, "a.csv", 0, cases[i].a);
			put_log(logs, "b.csv", 1, cases[i].b);
			put_log(logs, "c.csv", 2, cases[i].c);
			if (packed & 1)
				put_packed(logs, "a.csv", log_of_seconds(&logs->mem, 0, cases[i].a, 0));
			if (packed & 2)
				put_packed(logs, "b.csv", log_of_seconds(&logs->mem, 1, cases[i].b, 0));
			struct run *const run = new_run(logs, "64MiB", &limits);
			run_plan_room(run, (const char *const[]){ logs->folder.path }, 1);
			assert_true(ingest(run, logs->folder.path));
			assert_int_equal(every_of(run, "a.csv"), cases[i].every_a);
			assert_int_equal(every_of(run, "b.csv"), cases[i].every_b);
		}
	}
}

/* A row a second from row `first` on, mostly at 50 %. */
static const char *put_part(struct logs *logs, const char *name, int first, int n, int peak)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	buf_text(&out, "timestamp, index, utilization.gpu [%]\n");
	for (int i = first; i < first + n; i++)
		buf_print(&out, "2026/11/%02d %02d:%02d:%02d.000, 0, %d %%\n", 1 + i / 86400, i / 3600 % 24, i / 60 % 60, i % 60,
			i % 1000 ? 50 : peak);
	const char *const path = folder_put(&logs->folder, &logs->mem, name, (struct slice){ out.at, out.n });
	buf_release(&out);
	return path;
}

/* Logs that were thinned and go on in each other: the highest row of both is known, whichever it is in. */
static void joined_logs_keep_the_highest_row_of_all(void **state)
{
	static const int peaks[][2] = { { 80, 100 }, { 100, 80 } };
	struct logs *logs = *state;
	struct limits limits;

	for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
		put_part(logs, "a.csv", 0, 200000, peaks[i][0]);
		put_part(logs, "b.csv", 200000, 200000, peaks[i][1]);
		struct run *const run = new_run(logs, "64MiB", &limits);
		run_plan_room(run, (const char *const[]){ logs->folder.path }, 1);
		assert_true(ingest(run, logs->folder.path));
		assert_int_equal(every_of(run, "b.csv"), 2);
		assert_true(clock_settle(run, &(struct clock_request){ 0 }));
		const struct track *const busy = run_track(run, run->gpus[0], METRIC_GPU_UTIL);
		assert_true(busy->joined);
		const struct span all = track_span(busy);
		assert_true(track_means(busy, spans_one(&all)).max == 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(logs_share_by_their_size, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(one_log_has_all, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_packed_log_is_as_long_as_it_is_unpacked, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_checkpoint_takes_no_room, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(joined_logs_keep_the_highest_row_of_all, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
