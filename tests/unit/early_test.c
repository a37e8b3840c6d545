/* early_test.c - logs that are read side by side are what each of them is when it is read in its turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/workers.h"
#include "logs.h"
#include "run/run.h"

#include <unistd.h>

static const char *put_log(struct logs *logs, const char *name, int gpu, int n, int bad)
{
	return folder_put(&logs->folder, &logs->mem, name, log_of_seconds(&logs->mem, gpu, n, bad));
}

static void tell_values(struct buf *out, const struct recording *rec)
{
	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *const c = &rec->channels[i];
		uint64_t sum = 0;
		for (size_t k = 0; k < c->n_columns; k++)
			for (size_t row = 0; row < c->n_rows; row++)
				sum = sum * 31 + (uint64_t)column_value(&c->columns[k], row) + (uint64_t)channel_time(c, row);
		buf_print(out, " %zu rows %" PRIu64, c->n_rows, sum);
	}
}

/* All that the run has, in words; each way is asked of a run of its own. */
static const char *told(struct logs *logs, const char *memory, bool is_early, bool *was_early)
{
	struct limits limits = limits_as_ever();
	struct diags diags;
	struct buf out;
	const char *wrong;

	diags_init(&diags, &logs->mem);
	buf_init(&out, (size_t)1 << 20);
	struct run *const run = run_new(&logs->mem, "run", &diags);
	assert_true(limit_set(&limits, arena_print(&logs->mem, "memory=%s", memory), &logs->mem, &wrong));
	run->request.limits = &limits;
	run_plan_room(run, (const char *const[]){ logs->folder.path }, 1);
	if (is_early)
		run_read_early(run);
	*was_early = run->room.early;
	assert_true(ingest(run, logs->folder.path));
	run_early_done(run);
	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *const r = run->recordings[i];
		buf_print(&out, "%s %s: %zu of %zu rows, %zu bad, every %zu, %s;", r->path, r->digest, r->n_rows, r->n_rows_seen, r->n_rows_bad,
			r->every, r->room ? r->room : "-");
		tell_values(&out, r);
		buf_char(&out, '\n');
	}
	for (size_t i = 0; i < run->n_unread_files; i++)
		buf_print(&out, "unread: %s, %s\n", run->unread_files[i].name, run->unread_files[i].why ? run->unread_files[i].why : "-");
	for (size_t i = 0; i < diags.n; i++)
		buf_print(&out, "%s\n", diag_text(&logs->mem, &diags.at[i]));
	buf_print(&out, "%zu errors\n", diags.n_errors);
	const char *const text = text_of_buf(&logs->mem, &out);
	diags_release(&diags);
	return text;
}

static const char *same_both_ways(struct logs *logs, const char *memory)
{
	bool was_early;
	const char *const in_turn = told(logs, memory, false, &was_early);

	assert_false(was_early);
	const char *const early = told(logs, memory, true, &was_early);
	assert_int_equal(was_early, workers_have_second());
	assert_string_equal(early, in_turn);
	return in_turn;
}

static void a_folder_is_the_same_both_ways(void **state)
{
	struct logs *const logs = *state;
	char *const zeros = calloc(1, (size_t)2 << 20);
	const char *const first = put_log(logs, "a.csv", 0, 60000, 0);

	assert_non_null(zeros);
	put_log(logs, "b.csv", 1, 40000, 7000);
	put_log(logs, "d.csv", 2, 30, 10);
	assert_int_equal(link(first, arena_print(&logs->mem, "%s/c.csv", logs->folder.path)), 0); /* the same file again */
	folder_put(&logs->folder, &logs->mem, "model.bin", (struct slice){ zeros, (size_t)2 << 20 });
	folder_put(&logs->folder, &logs->mem, "notes.txt", slice_of("what was tried\n"));
	folder_put(&logs->folder, &logs->mem, "empty.csv", slice_of(""));
	folder_put(&logs->folder, &logs->mem, "head.csv", log_of_seconds(&logs->mem, 0, 0, 0));
	free(zeros);
	const char *const text = same_both_ways(logs, "1GiB");
	assert_non_null(strstr(text, "60000 of 60001 rows"));
	assert_non_null(strstr(text, "b.csv:7001:29: warning: bad-number: 'many' in utilization.gpu (4 more like this)"));
	assert_non_null(strstr(text, "c.csv: "));
	assert_non_null(strstr(text, "it is the same file as"));
	assert_non_null(strstr(text, "unread: model.bin"));
}

/* Of 16 MiB for rows the first leaves little, and the last one what it does not need: a log that is thinned is so in its turn. */
static void a_log_without_room_is_read_in_its_turn(void **state)
{
	struct logs *const logs = *state;

	put_log(logs, "a.csv", 0, 200000, 0);
	put_log(logs, "b.csv", 1, 150000, 0);
	put_log(logs, "c.csv", 2, 30000, 0);
	const char *const text = same_both_ways(logs, "64MiB");
	assert_non_null(strstr(text, "every 2"));
	assert_non_null(strstr(text, "every 1"));
}

/* A file that goes, and one that comes, between the plan and the turn of the logs: each log is read as itself. */
static void a_folder_may_change_meanwhile(void **state)
{
	struct logs *const logs = *state;
	const char *const notes = folder_put(&logs->folder, &logs->mem, "a.txt", slice_of("what was tried\n"));
	struct run *const run = run_new(&logs->mem, "run", &logs->diags);

	put_log(logs, "b.csv", 0, 60000, 0);
	put_log(logs, "d.csv", 1, 40000, 0);
	run_plan_room(run, (const char *const[]){ logs->folder.path }, 1);
	run_read_early(run);
	assert_int_equal(unlink(notes), 0);
	put_log(logs, "c.csv", 2, 100, 0);
	assert_true(ingest(run, logs->folder.path));
	run_early_done(run);
	assert_int_equal(run->n_recordings, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(path_name(run->recordings[i]->path), ((const char *[]){ "b.csv", "c.csv", "d.csv" })[i]);
		assert_int_equal(run->recordings[i]->n_rows, ((const size_t[]){ 60000, 100, 40000 })[i]);
	}
	assert_string_equal(take_complaints(logs), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_folder_is_the_same_both_ways, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_log_without_room_is_read_in_its_turn, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_folder_may_change_meanwhile, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
