/*
 * events_test.c - what logs tell in words: which GPU is meant, when it was lost, what is told once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs.h"

#include <stdio.h>

/* Rows of the GPUs of a picture, a line a second: "01" both answer, "0" only the first. */
static const char *log_of_two(struct arena *mem, const char *const *seconds, size_t n)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, pci.bus_id, utilization.gpu [%]\n");
	for (size_t i = 0; i < n; i++)
		for (const char *gpu = seconds[i]; *gpu; gpu++)
			buf_print(&out, "%s, %c, 00000000:0%c:00.0, 90 %%\n", local_time(mem, DAWN + (time_ms)i * SECOND_MS, '/'), *gpu,
				(char)(*gpu + 1));
	return text_of_buf(mem, &out);
}

/* A run of such a log, its first recording with more events than the reader found. */
static struct run *run_with(struct logs *logs, const char *log, struct event *events, size_t n)
{
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	assert_true(ingest(run, folder_put(&logs->folder, &logs->mem, "gpu.csv", slice_of(log))));
	run->recordings[0]->events = events;
	run->recordings[0]->n_events = n;
	assert_true(clock_settle(run, &(struct clock_request){ 0 }));
	derive_metrics(run);
	return run;
}

/* "02:00:05 GPU 1 gpu-lost: text" a line. */
static const char *shown_events(struct logs *logs, const struct run *run)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	for (size_t i = 0; i < run->n_events; i++) {
		const struct run_event *e = &run->events[i];
		buf_print(&out, "%s %s %s: %s\n", time_clock(&logs->mem, e->event.t), e->entity ? entity_label(&logs->mem, e->entity) : "?",
			event_table[e->event.kind].name, e->event.text);
	}
	return text_of_buf(&logs->mem, &out);
}

/* A digit a second of the metric: 0, 1, or '-' where it is not known. */
static const char *drawn_metric(struct logs *logs, const struct run *run, size_t gpu, enum metric metric)
{
	const struct track *t = run_track(run, run->gpus[gpu], metric);
	size_t n = (size_t)(span_length(run->span) / SECOND_MS);
	char *text = arena_alloc(&logs->mem, n + 1);

	for (size_t i = 0; i < n; i++) {
		fixed value;
		text[i] = '-';
		if (t && track_at(t, run->span.begin + (time_ms)i * SECOND_MS, &value))
			text[i] = (char)('0' + value / FIXED_ONE);
	}
	return text;
}

#define EVERY "01", "01", "01", "01"
#define FIRST "0", "0", "0", "0"

static void a_lost_gpu_is_lost_until_it_answers(void **state)
{
	static const char *const back[] = { EVERY, FIRST, EVERY }, *const whole[] = { EVERY, EVERY, EVERY };
	struct logs *logs = *state;
	struct event lost = { EVENT_GPU_LOST, { .scope = SCOPE_GPU, .index = -1, .bus_id = "0:02:00.0" }, DAWN + 4 * SECOND_MS, 0,
		"GPU is lost" };
	const struct run *run = run_with(logs, log_of_two(&logs->mem, back, 12), &lost, 1);

	assert_string_equal(shown_events(logs, run), "02:00:04 GPU 1 gpu-lost: GPU is lost\n");
	assert_string_equal(drawn_metric(logs, run, 0, METRIC_GPU_LOST), "000000000000");
	assert_string_equal(drawn_metric(logs, run, 1, METRIC_GPU_LOST), "000011110000");
	/* without the message those seconds are a hole: not known, not lost */
	assert_string_equal(drawn_metric(logs, run_with(logs, log_of_two(&logs->mem, back, 12), NULL, 0), 1, METRIC_GPU_LOST),
		"0000----0000");
	assert_string_equal(drawn_metric(logs, run_with(logs, log_of_two(&logs->mem, whole, 12), NULL, 0), 1, METRIC_GPU_LOST),
		"000000000000");
}

/* The kernel log has it a moment before the last row, or long before: what it tells makes nobody blind to what became of the GPU. */
static void a_message_before_the_last_row_tells_the_same(void **state)
{
	static const char *const gone[] = { EVERY, EVERY, FIRST, FIRST, FIRST, FIRST };
	struct logs *logs = *state;
	struct event lost = { EVENT_GPU_LOST, { .scope = SCOPE_GPU, .index = -1, .bus_id = "0:02:00.0" }, DAWN + 7 * SECOND_MS - 400, 0,
		"fell off" };
	const struct run *run = run_with(logs, log_of_two(&logs->mem, gone, 24), &lost, 1);

	assert_string_equal(shown_events(logs, run), "02:00:06 GPU 1 gpu-lost: fell off\n");
	assert_string_equal(drawn_metric(logs, run, 1, METRIC_GPU_LOST), "000000011111111111111111");
	lost.t = DAWN + 2 * SECOND_MS;
	run = run_with(logs, log_of_two(&logs->mem, gone, 24), &lost, 1);
	assert_string_equal(drawn_metric(logs, run, 1, METRIC_GPU_LOST), "000000001111111111111111");
}

/* The table goes on with ERR! in the lost GPU's cells: rows, but no answers. */
static void rows_without_values_are_no_answer(void **state)
{
	static const char *const gpus[] = { "55C    P0    76W / 300W |      0MiB / 46068MiB |     90%",
		"ERR! ERR!    ERR! / ERR! |      0MiB / 46068MiB |    ERR!" };
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	for (int second = 0; second < 12; second++)
		buf_print(&out, "Sat Nov 21 %s 2026\n| NVIDIA-SMI 535.154.05\n| GPU  Name  | Bus-Id  |\n|===+===+===|\n"
			"|   0  NVIDIA A40          On   | 00000000:83:00.0 Off |                    0 |\n|ERR!  %s      Default |\n",
			time_clock(&logs->mem, DAWN + second * SECOND_MS), gpus[second >= 4 && second < 8]);
	run_take(logs, run, "table.txt", text_of_buf(&logs->mem, &out));
	run_settle(run);
	assert_string_equal(drawn_metric(logs, run, 0, METRIC_GPU_LOST), "000011110000");
	assert_int_equal(run->n_events, 1);
}

static void a_gpu_that_the_log_goes_on_without_is_lost(void **state)
{
	static const char *const gone[] = { EVERY, FIRST, FIRST, FIRST, FIRST }, *const late[] = { EVERY, "0", "0", "0" };
	struct logs *logs = *state;
	const struct run *run = run_with(logs, log_of_two(&logs->mem, gone, 20), NULL, 0);

	assert_string_equal(shown_events(logs, run),
		"02:00:04 GPU 1 gpu-lost: no more rows of it, while the log went on with the other GPUs\n");
	assert_string_equal(drawn_metric(logs, run, 1, METRIC_GPU_LOST), "00001111111111111111");
	/* three seconds are how loggers stop */
	run = run_with(logs, log_of_two(&logs->mem, late, 7), NULL, 0);
	assert_string_equal(shown_events(logs, run), "");
}

/* Another log shows it at work meanwhile: whoever wrote the first one stopped, and not the GPU. */
static void a_gpu_that_another_log_knows_is_not_lost(void **state)
{
	static const char *const gone[] = { EVERY, FIRST, FIRST, FIRST, FIRST };
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, pci.bus_id, power.draw [W]\n");
	for (time_ms second = 0; second < 20; second++)
		buf_print(&out, "%s, 1, 00000000:02:00.0, 300 W\n", local_time(&logs->mem, DAWN + second * SECOND_MS, '/'));
	run_take(logs, run, "gpu.csv", log_of_two(&logs->mem, gone, 20));
	run_take(logs, run, "power.csv", text_of_buf(&logs->mem, &out));
	run_settle(run);
	assert_string_equal(shown_events(logs, run), "");
}

/* Two jobs in containers write to one file, each of its own GPU 0: that one of them ends is no lost GPU. */
static void a_job_that_ends_loses_no_gpu(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	for (int second = 0; second < 30; second++)
		for (int job = 0; job < (second < 5 ? 2 : 1); job++)
			buf_print(&out, "Sat Nov 21 %s 2026\n| NVIDIA-SMI 535.154.05\n| GPU  Name  | Bus-Id  |\n|===+===+===|\n"
				"|   0  NVIDIA A40          On   | 00000000:8%d:00.0 Off |                    0 |\n"
				"|  0%%   55C    P0    76W / 300W |      0MiB / 46068MiB |     90%%      Default |\n",
				time_clock(&logs->mem, DAWN + second * SECOND_MS), 3 - job);
	run_take(logs, run, "table.txt", text_of_buf(&logs->mem, &out));
	run_settle(run);
	assert_int_equal(run->n_gpus, 2);
	assert_string_equal(run->gpus[0]->bus_id, "0:82:00.0");
	assert_string_equal(shown_events(logs, run), "");
}

static void events_find_their_gpu(void **state)
{
	static const struct {
		struct entity named;
		const char *shown;
	} cases[] = {
		{ { .scope = SCOPE_GPU, .index = -1, .bus_id = "0:01:00.0" }, "02:00:02 GPU 0 xid: x\n" },
		{ { .scope = SCOPE_GPU, .index = 1 }, "02:00:02 GPU 1 xid: x\n" },
		{ { .scope = SCOPE_GPU, .index = -1, .bus_id = "0:07:00.0" }, "02:00:02 ? xid: x\n" }, /* no log knows it */
		{ { .scope = SCOPE_HOST }, "02:00:02 host xid: x\n" },
	};
	static const char *const seconds[] = { EVERY, EVERY };
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct event e = { EVENT_XID, cases[i].named, DAWN + 2 * SECOND_MS, 79, "x" };
		assert_string_equal(shown_events(logs, run_with(logs, log_of_two(&logs->mem, seconds, 8), &e, 1)), cases[i].shown);
	}
}

static void the_same_event_is_told_once(void **state)
{
	static const char *const seconds[] = { EVERY, EVERY };
	struct logs *logs = *state;
	struct entity gpu = { .scope = SCOPE_GPU, .index = 1 };
	struct event events[] = {
		{ EVENT_XID, gpu, DAWN + 3 * SECOND_MS, 79, "b" },
		{ EVENT_XID, gpu, DAWN + 2 * SECOND_MS, 31, "a" },
		{ EVENT_XID, gpu, DAWN + 2 * SECOND_MS, 31, "a" },
		{ EVENT_XID, gpu, DAWN + 2 * SECOND_MS, 43, "a" }, /* another number */
	};
	const struct run *run = run_with(logs, log_of_two(&logs->mem, seconds, 8), events, 4);

	assert_string_equal(shown_events(logs, run), "02:00:02 GPU 1 xid: a\n02:00:02 GPU 1 xid: a\n02:00:03 GPU 1 xid: b\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_lost_gpu_is_lost_until_it_answers, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_message_before_the_last_row_tells_the_same, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_without_values_are_no_answer, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_gpu_that_the_log_goes_on_without_is_lost, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_gpu_that_another_log_knows_is_not_lost, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_job_that_ends_loses_no_gpu, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(events_find_their_gpu, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(the_same_event_is_told_once, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
