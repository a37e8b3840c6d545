/*
 * evidence_test.c - from logs to tracks: joined by the strongest name, the better source used, shares derived.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs.h"
#include "series/chunk.h"

#define MINUTE "999999999999999999999999999999999999999999999999999999999999"
#define REST "00000000000000000000"

static const char *row(struct arena *mem, const char *before, int second, const char *cells)
{
	return arena_print(mem, "%s%s, %s\n", before, local_time(mem, DAWN + second * SECOND_MS, '/'), cells);
}

/* A log of `n` rows, `step` seconds apart, with the same cells in each. */
static const char *rows(struct arena *mem, const char *head, int n, int step, const char *cells)
{
	const char *text = head;

	for (int i = 0; i < n; i++)
		text = row(mem, text, i * step, cells);
	return text;
}

static const char *notes(struct logs *logs, const struct run *run)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 16);
	for (size_t i = 0; i < run->n_notes; i++)
		buf_print(&out, "%s: %s\n", run->notes[i].topic, run->notes[i].text);
	return text_of_buf(&logs->mem, &out);
}

/* Without a name all logs of a host would be of one GPU, though each may have been of its own. */
static void tells_logs_that_name_no_gpu_apart(void **state)
{
#define UTIL "timestamp, utilization.gpu [%]\n"
#define MEMORY "timestamp, utilization.gpu [%], memory.used [MiB]\n"
#define CARD "timestamp, name, utilization.gpu [%]\n"
	static const struct {
		const char *names[2], *head, *cells[2];
		int from; /* seconds after the first the second begins */
		int gpus[2]; /* their numbers */
		const char *why; /* NULL: nothing is said of it */
	} cases[] = {
		/* by a number that counts GPUs, though they show the same */
		{ { "gpu0.csv", "gpu1.csv" }, UTIL, { "90 %", "90 %" }, 0, { 0, 1 }, "by their names: gpu0.csv is GPU 0, gpu1.csv is GPU 1" },
		{ { "nvidia-smi-05.csv", "nvidia-smi-11.csv" }, UTIL, { "90 %", "90 %" }, 20, { 5, 11 },
		  "by their names: nvidia-smi-05.csv is GPU 5, nvidia-smi-11.csv is GPU 11" },
		{ { "0.csv", "2.csv" }, UTIL, { "90 %", "90 %" }, 0, { 0, 2 }, "by their names: 0.csv is GPU 0, 2.csv is GPU 2" },
		{ { "a.0.csv", "a.1.csv" }, UTIL, { "90 %", "90 %" }, 0, { 0, 0 }, NULL },
		/* a number of seconds, or of logs that go on in the next one, counts none */
		{ { "gpu_1s.csv", "gpu_5s.csv" }, UTIL, { "90 %", "90 %" }, 0, { 0, 0 }, NULL },
		{ { "gpu0.csv", "gpu1.csv" }, UTIL, { "90 %", "20 %" }, 60, { 0, 0 }, NULL },
		{ { "gpu0.csv", "gpu1.csv" }, UTIL, { "90 %", "20 %" }, 31, { 0, 0 }, NULL },
		{ { "run0.csv", "run1.csv" }, UTIL, { "90 %", "90 %" }, 0, { 0, 0 }, NULL },
		/* by what they show */
		{ { "b.csv", "a.csv" }, UTIL, { "90 %", "74 %" }, 0, { 1, 0 },
		  "since they show what one GPU does not at once: a.csv is GPU 0, b.csv is GPU 1" },
		{ { "a.csv", "b.csv" }, UTIL, { "90 %", "75 %" }, 0, { 0, 0 }, NULL },
		{ { "a.csv", "b.csv" }, MEMORY, { "90 %, 20000 MiB", "90 %, 18900 MiB" }, 0, { 0, 1 },
		  "since they show what one GPU does not at once: a.csv is GPU 0, b.csv is GPU 1" },
		{ { "a.csv", "b.csv" }, MEMORY, { "90 %, 20000 MiB", "90 %, 19100 MiB" }, 0, { 0, 0 }, NULL },
		{ { "a.csv", "b.csv" }, MEMORY, { "90 %, 300 MiB", "90 %, 100 MiB" }, 0, { 0, 0 }, NULL },
		{ { "a.csv", "b.csv" }, CARD, { "NVIDIA A100, 90 %", "NVIDIA L4, 90 %" }, 0, { 0, 1 },
		  "since they show what one GPU does not at once: a.csv is GPU 0, b.csv is GPU 1" },
	};
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(mem, "run", &logs->diags);
		for (int k = 0; k < 2; k++) {
			const char *text = cases[i].head;
			for (int t = 0; t < 60; t++)
				text = row(mem, text, t + k * cases[i].from, cases[i].cells[k]);
			run_take(logs, run, cases[i].names[k], text);
		}
		run_settle(run);
		assert_int_equal(run->n_gpus, cases[i].gpus[0] == cases[i].gpus[1] ? 1 : 2);
		for (size_t k = 0; k < 2 && cases[i].why; k++)
			assert_int_equal(run->recordings[k]->channels[0].entity.index, cases[i].gpus[k]);
		const char *const said = strstr(notes(logs, run), "Input: ");
		assert_int_equal(said != NULL, cases[i].why != NULL);
		if (said)
			assert_string_equal(said,
				arena_print(mem, "Input: 2 logs name no GPU and log side by side; they are taken for GPUs of their own %s. "
						 "A column index would tell (nvidia-smi --query-gpu=index).\n", cases[i].why));
	}
#undef UTIL
#undef MEMORY
#undef CARD
}

/* A name that another log gives to a GPU of the host is that of one of them where their names say so, and else nobody knows. */
static void joins_logs_without_a_name_to_those_with_one(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	const char *with = rows(mem, "timestamp, index, power.draw [W]\n", 60, 1, "1, 300 W");
	const char *busy = rows(mem, "timestamp, utilization.gpu [%]\n", 60, 1, "90 %");
	const char *idle = rows(mem, "timestamp, utilization.gpu [%]\n", 60, 1, "0 %");
	struct run *run = run_new(mem, "run", &logs->diags);

	run_take(logs, run, "power.csv", with);
	run_take(logs, run, "gpu0.csv", busy);
	run_take(logs, run, "gpu1.csv", idle);
	run_settle(run);
	assert_int_equal(run->n_gpus, 2);
	assert_null(run_track(run, run->gpus[0], METRIC_GPU_POWER));
	assert_non_null(run_track(run, run->gpus[1], METRIC_GPU_POWER));
	run = run_new(mem, "run", &logs->diags);
	run_take(logs, run, "power.csv", with);
	run_take(logs, run, "a.csv", busy);
	run_take(logs, run, "b.csv", idle);
	run_settle(run);
	assert_null(strstr(notes(logs, run), "Input: "));
}

/* One log has bus ids in 8 digits and no index, the other index and bus id in 4: the same two cards, crosswise. */
static void joins_logs_by_bus_id(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	const char *util = "timestamp, pci.bus_id, utilization.gpu [%]\n", *power = "timestamp, index, gpu_bus_id, power.draw [W]\n";

	for (int i = 0; i < 5; i++) {
		util = row(mem, util, i, "00000000:1C:00.0, 20 %");
		util = row(mem, util, i, "00000000:1B:00.0, 10 %");
		power = row(mem, power, i, "0, 0000:1b:00.0, 100 W");
		power = row(mem, power, i, "1, 0000:1c:00.0, 200 W");
	}
	run_take(logs, run, "util.csv", util);
	run_take(logs, run, "power.csv", power);
	run_settle(run);
	assert_int_equal(run->n_gpus, 2);
	for (int g = 0; g < 2; g++) {
		fixed value;
		assert_int_equal(run->gpus[g]->index, g);
		assert_true(track_at(run_track(run, run->gpus[g], METRIC_GPU_UTIL), run->span.begin, &value));
		assert_int_equal(value, (g + 1) * 10 * FIXED_ONE);
		assert_true(track_at(run_track(run, run->gpus[g], METRIC_GPU_POWER), run->span.begin, &value));
		assert_int_equal(value, (g + 1) * 100 * FIXED_ONE);
	}
	assert_string_equal(notes(logs, run), "");
}

/* Two logs without a name in common are joined by a third that has both names, in whatever order they come. */
static void joins_logs_by_a_third(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	const char *by_index = rows(mem, "timestamp, index, utilization.gpu [%]\n", 5, 1, "3, 10 %");
	const char *by_bus = rows(mem, "timestamp, pci.bus_id, power.draw [W]\n", 5, 1, "00000000:1B:00.0, 100 W");
	const char *by_both = rows(mem, "timestamp, index, pci.bus_id, temperature.gpu\n", 5, 1, "3, 00000000:1B:00.0, 40");
	const char *const orders[][3] = {
		{ by_index, by_bus, by_both }, { by_index, by_both, by_bus }, { by_bus, by_index, by_both }, { by_both, by_bus, by_index },
	};

	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		struct run *run = run_new(mem, "run", &logs->diags);

		run_take(logs, run, "a.csv", orders[i][0]);
		run_take(logs, run, "b.csv", orders[i][1]);
		run_take(logs, run, "c.csv", orders[i][2]);
		run_settle(run);
		assert_int_equal(run->n_gpus, 1);
		assert_int_equal(run->gpus[0]->index, 3);
		assert_non_null(run_track(run, run->gpus[0], METRIC_GPU_UTIL));
		assert_non_null(run_track(run, run->gpus[0], METRIC_GPU_POWER));
		assert_non_null(run_track(run, run->gpus[0], METRIC_GPU_TEMP));
	}
}

/* Cards that no log numbers are numbered by bus id, as nvidia-smi does; behind those that have a number. */
static void numbers_gpus_by_bus_id(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	const char *text = "timestamp, pci.bus_id, utilization.gpu [%]\n";

	for (int i = 0; i < 3; i++) {
		text = row(mem, text, i, "00000000:C1:00.0, 2 %");
		text = row(mem, text, i, "00000000:1B:00.0, 0 %");
		text = row(mem, text, i, "00000000:1C:00.0, 1 %");
	}
	run_take(logs, run, "gpu.csv", text);
	run_settle(run);
	for (int g = 0; g < 3; g++) {
		fixed value;
		assert_string_equal(entity_id(mem, run->gpus[g]), arena_print(mem, "gpu%d", g));
		assert_true(track_at(run_track(run, run->gpus[g], METRIC_GPU_UTIL), run->span.begin, &value));
		assert_int_equal(value, g * FIXED_ONE);
	}
}

static void uses_the_better_of_two_sources(void **state)
{
#define HEAD "timestamp, index, power.draw [W]\n"
	static const struct {
		int n_a, step_a;
		const char *cells_a;
		int n_b, step_b;
		const char *cells_b;
		size_t used;
		const char *why;
	} cases[] = {
		{ 60, 1, "0, 5 W", 20, 1, "0, 6 W", 0, "covers more time" },
		{ 20, 1, "0, 5 W", 60, 1, "0, 6 W", 1, "covers more time" },
		{ 60, 1, "0, [N/A]", 60, 1, "0, 6 W", 1, NULL }, /* a track without a value is none */
		{ 60, 1, "0, 5 W", 30, 2, "0, 6.00 W", 0, "has the finer step" },
		{ 30, 2, "0, 5.00 W", 60, 1, "0, 6 W", 1, "has the finer step" },
		{ 13, 5, "0, 5 W", 61, 1, "0, 6 W", 1, "has the finer step" }, /* its last sample holds 4 s longer */
		{ 14, 4, "0, 5 W", 51, 1, "0, 6 W", 1, "has the finer step" }, /* as long as it was said to hold, a third log would beat both */
		{ 60, 1, "0, 5 W", 60, 1, "0, 6.00 W", 1, "has more decimals" },
		{ 60, 1, "0, 5 W", 60, 1, "0, 6 W", 0, "came first" },
	};
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(mem, "run", &logs->diags);
		const char *used = cases[i].used ? "b.csv" : "a.csv", *left = cases[i].used ? "a.csv" : "b.csv";

		run_take(logs, run, "a.csv", rows(mem, HEAD, cases[i].n_a, cases[i].step_a, cases[i].cells_a));
		run_take(logs, run, "b.csv", rows(mem, HEAD, cases[i].n_b, cases[i].step_b, cases[i].cells_b));
		run_settle(run);
		assert_int_equal(run->n_gpus, 1);
		assert_int_equal(run_track(run, run->gpus[0], METRIC_GPU_POWER)->source, cases[i].used);
		assert_string_equal(notes(logs, run),
			cases[i].why ? arena_print(mem,
				"Source: %s and %s hold some of the same metrics; these are taken from %s, which %s.\n",
					       used, left, used, cases[i].why)
				     : "");
	}
#undef HEAD
}

/* A logger that is late every other time still tells of all of it; one with a hole as long as that does not. */
static void a_late_logger_covers_its_time(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	const char *late = "timestamp, index, power.draw [W]\n", *with_hole = late;
	struct run *run = run_new(mem, "run", &logs->diags);

	for (int i = 0; i < 90; i++) {
		late = i % 3 < 2 ? row(mem, late, i, "0, 5 W") : late;
		with_hole = i < 30 || i >= 60 ? row(mem, with_hole, i, "0, 6.00 W") : with_hole;
	}
	run_take(logs, run, "hole.csv", with_hole);
	run_take(logs, run, "late.csv", late);
	run_settle(run);
	assert_int_equal(run_track(run, run->gpus[0], METRIC_GPU_POWER)->source, 1);
	assert_string_equal(notes(logs, run),
		"Source: late.csv and hole.csv hold some of the same metrics; these are taken from late.csv, which covers more time.\n");
}

/* One sentence for all that a log was preferred to, and none of what was decided between those. */
static void tells_choices_together(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	const char *head = "timestamp, index, power.draw [W], utilization.gpu [%]\n";

	run_take(logs, run, "a.csv", rows(mem, head, 20, 3, "0, 5 W, 7 %"));
	run_take(logs, run, "b.csv", rows(mem, head, 30, 2, "0, 5 W, 7 %"));
	run_take(logs, run, "c.csv", rows(mem, head, 60, 1, "0, 5 W, 7 %"));
	run_take(logs, run, "d.csv", rows(mem, head, 20, 1, "0, 5 W, 7 %"));
	run_settle(run);
	assert_string_equal(notes(logs, run),
		"Source: c.csv and d.csv hold some of the same metrics; these are taken from c.csv, which covers more time.\n"
		"Source: c.csv, a.csv and b.csv hold some of the same metrics; these are taken from c.csv, which has the finer step.\n");
}

/* Without a limit power is held against the highest that a GPU of the same model drew. */
static void derives_power_of_peak(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	const char *text = "timestamp, index, name, power.draw [W], enforced.power.limit [W]\n";
	static const fixed shares[] = { 50000000, 100000000, 100000000 };

	text = row(mem, text, 0, "0, NVIDIA H200, 300 W, [N/A]");
	text = row(mem, text, 0, "1, NVIDIA H200, 600 W, [N/A]");
	text = row(mem, text, 0, "2, NVIDIA T4, 70 W, [N/A]");
	text = row(mem, text, 0, "3, NVIDIA H200, 350 W, 700 W");
	run_take(logs, run, "gpu.csv", text);
	run_settle(run);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(track_value(run_track(run, run->gpus[i], METRIC_GPU_POWER_OF_PEAK), 0), shares[i]);
	assert_null(run_track(run, run->gpus[3], METRIC_GPU_POWER_OF_PEAK));
	for (size_t i = 0; i < 3; i++) /* whichever of the two is known: where a limit is, the share of that */
		assert_int_equal(track_value(run_track(run, run->gpus[i], METRIC_GPU_POWER_LEVEL), 0), shares[i]);
	const struct track *level = run_track(run, run->gpus[3], METRIC_GPU_POWER_LEVEL);
	assert_ptr_equal(level->column.at, run_track(run, run->gpus[3], METRIC_GPU_POWER_SHARE)->column.at);
}

static void derives_shares_and_reasons(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	const char *text = "timestamp, index, memory.used [MiB], memory.total [MiB], power.draw [W], enforced.power.limit [W], "
			   "clocks_event_reasons.active\n";
	static const struct {
		enum metric metric;
		fixed values[3];
	} tracks[] = {
		{ METRIC_GPU_MEM_SHARE, { 25000000, FIXED_MISSING, 33333333 } },
		{ METRIC_GPU_POWER_SHARE, { 50000000, 10000000, 10000000 } }, /* the limit never changed where it is told */
		{ METRIC_GPU_THR_SW_POWER, { FIXED_ONE, 0, FIXED_MISSING } },
		{ METRIC_GPU_THR_HW_THERMAL, { FIXED_ONE, FIXED_ONE, FIXED_MISSING } },
		{ METRIC_GPU_THR_IDLE, { 0, 0, FIXED_MISSING } },
	};

	text = row(mem, text, 0, "0, 250 MiB, 1000 MiB, 350 W, 700 W, 0x0000000000000044");
	text = row(mem, text, 1, "0, [N/A], 1000 MiB, 70 W, 700 W, 0x0000000000000048");
	text = row(mem, text, 2, "0, 1000 MiB, 3000 MiB, 70 W, [N/A], [N/A]");
	run_take(logs, run, "gpu.csv", text);
	run_settle(run);
	for (size_t i = 0; i < sizeof tracks / sizeof tracks[0]; i++) {
		const struct track *t = run_track(run, run->gpus[0], tracks[i].metric);
		assert_true(t->derived);
		for (size_t k = 0; k < 3; k++)
			assert_int_equal(track_value(t, k), tracks[i].values[k]);
	}
	assert_null(run_track(run, run->gpus[0], METRIC_GPU_CLOCK_SHARE));
}

/* Of a log of several chunks and a rest. The limit, which is another one for a while, is in it or in a log on a clock of its own. */
static void check_share(struct logs *logs, int n, int changes, int comes_back, bool is_apart)
{
	const char *power = is_apart ? "timestamp, index, power.draw [W]\n" : "timestamp, index, power.draw [W], power.limit [W]\n";
	const char *limit = "timestamp, index, power.limit [W]\n";
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);

	for (int i = 0; i < n; i++) {
		const char *const now = i >= changes && i < comes_back ? "875 W" : "700 W";
		power = row(mem, power, i, is_apart ? "0, 350 W" : arena_print(mem, "0, 350 W, %s", now));
		limit = i % 2 == 0 ? row(mem, limit, i, arena_print(mem, "0, %s", now)) : limit;
	}
	run_take(logs, run, "power.csv", power);
	if (is_apart)
		run_take(logs, run, "limit.csv", limit);
	run_settle(run);
	const struct track *const share = run_track(run, run->gpus[0], METRIC_GPU_POWER_SHARE);
	assert_int_equal(share->n, n);
	for (int i = 0; i < n; i++)
		assert_int_equal(track_value(share, (size_t)i), (i >= changes && i < comes_back ? 40 : 50) * FIXED_ONE);
}

static void shares_follow_a_limit_that_changes(void **state)
{
	enum { ALL = 2 * CHUNK + 52 };

	for (int is_apart = 0; is_apart < 2; is_apart++) {
		check_share(*state, 3 * CHUNK, CHUNK + 10, CHUNK + 60, is_apart);
		check_share(*state, ALL, 2 * CHUNK, ALL, is_apart); /* for the rest, */
		check_share(*state, ALL, 2 * CHUNK + 10, ALL, is_apart); /* in it, */
		check_share(*state, ALL, 0, 2 * CHUNK, is_apart); /* before it, */
		check_share(*state, ALL, ALL, ALL, is_apart); /* and never */
	}
}

/* What a folder holds besides logs is listed, not complained about. */
static void takes_folders_and_files(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	const char *const path = arena_print(mem, "%s/", logs->folder.path);
	struct run *run = run_new(mem, run_name(mem, &path, 1), &logs->diags);

	folder_put(&logs->folder, mem, "gpu.csv", slice_of(gpu_log(mem, "123", NULL, 0)));
	folder_put(&logs->folder, mem, "notes.md", slice_of("hello\n"));
	folder_put(&logs->folder, mem, ".hidden", slice_of("hello\n"));
	/* links to nowhere: a log is missed, a checkpoint is not */
	assert_int_equal(symlink("/no/such", arena_print(mem, "%s/mpstat.txt", logs->folder.path)), 0);
	assert_int_equal(symlink("/no/such", arena_print(mem, "%s/model.bin", logs->folder.path)), 0);
	assert_true(ingest(run, logs->folder.path));
	assert_int_equal(run->n_recordings, 1);
	assert_int_equal(run->n_unread_files, 2);
	assert_string_equal(run->unread_files[0].name, "mpstat.txt");
	assert_string_equal(run->unread_files[1].name, "notes.md");
	assert_string_equal(run->name, path_name(logs->folder.path));
	assert_string_equal(take_complaints(logs), "mpstat.txt: error: cannot-read: cannot open: No such file or directory\n");

	assert_false(ingest(run, "no/such"));
	assert_false(ingest(run, folder_put(&logs->folder, mem, "x", slice_of("hello\n"))));
	assert_string_equal(take_complaints(logs),
		"no/such: error: cannot-read: cannot open: No such file or directory\n"
		"x: warning: not-a-log: there is one line in it, and no sample: 'hello'\n");
	assert_int_equal(run->n_recordings, 1);
}

static void says_when_a_folder_holds_no_logs(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	const char *path = logs->folder.path;

	assert_false(ingest(run, path));
	folder_put(&logs->folder, mem, "a.md", slice_of("hello\n"));
	folder_put(&logs->folder, mem, "b.md", slice_of("hello\n"));
	assert_false(ingest(run, path));
	assert_string_equal(diag_text(mem, &logs->diags.at[0]), arena_print(mem, "%s: error: no-logs: the folder holds no files", path));
	for (size_t i = 1; i < 3; i++)
		assert_string_equal(diag_text(mem, &logs->diags.at[i]),
			arena_print(mem, "%s/%c.md: warning: not-a-log: there is one line in it, and no sample: 'hello'", path, i == 1 ? 'a' : 'b'));
	assert_string_equal(diag_text(mem, &logs->diags.at[3]),
		arena_print(mem, "%s: error: no-logs: none of the 2 files in the folder could be used as a log", path));
	assert_false(clock_settle(run, &(struct clock_request){ 0 }));
}

/* A run is judged where a GPU was logged; a host that was logged for longer adds nothing. */
static void spans_what_gpu_logs_cover(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", gpu_log(mem, "     123     ", NULL, 0));
	run_take(logs, run, "vmstat.txt", cpu_log(mem, "0123456789012", "UTC", 0));
	run_settle(run);
	assert_string_equal(shown_spans(logs, spans_one(&run->span)), "02:00:05-02:00:08");
	assert_int_equal(run->n_hosts, 1);
	assert_ptr_equal(run_host(run, run->gpus[0]), run->hosts[0]);
	assert_non_null(run_track(run, run->hosts[0], METRIC_CPU_BUSY));
	assert_null(run_track(run, run->hosts[0], METRIC_GPU_UTIL));
}

/* Each of two jobs saw one GPU and called it 0. */
static void numbers_anew_what_shares_a_number(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	const char *head = "timestamp, index, pci.bus_id, utilization.gpu [%]\n";
	struct run *run = run_new(mem, "run", &logs->diags);

	run_take(logs, run, "a.csv", rows(mem, head, 5, 1, "0, 00000000:CA:00.0, 10 %"));
	run_take(logs, run, "b.csv", rows(mem, head, 5, 1, "0, 00000000:31:00.0, 20 %"));
	run_settle(run);
	assert_int_equal(run->n_gpus, 2);
	for (int g = 0; g < 2; g++)
		assert_int_equal(run->gpus[g]->index, g);
	assert_string_equal(run->gpus[0]->bus_id, "0:31:00.0");
	assert_string_equal(notes(logs, run),
		"Input: 2 GPUs share their numbers in these logs: each log or job that wrote saw only some of the GPUs, a card was replaced, "
		"or the logs are of several hosts (--host FILE=NAME tells). They are numbered by bus id: GPU 0 is 0:31:00.0, GPU 1 is 0:CA:00.0.\n");
}

/* A card that takes the slot and the number of another is another GPU. */
static void a_card_that_was_replaced_is_two_gpus(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	const char *text = "timestamp, index, uuid, pci.bus_id, utilization.gpu [%]\n";
	struct run *run = run_new(mem, "run", &logs->diags);

	for (int i = 0; i < 10; i++)
		text = row(mem, text, i, i < 5 ? "0, GPU-a, 00000000:31:00.0, 10 %" : "0, GPU-b, 00000000:31:00.0, 20 %");
	run_take(logs, run, "gpu.csv", text);
	run_settle(run);
	assert_int_equal(run->n_gpus, 2);
	for (size_t g = 0; g < 2; g++) {
		assert_int_equal(run->gpus[g]->index, g);
		assert_string_equal(run->gpus[g]->uuid, g ? "GPU-b" : "GPU-a");
		assert_int_equal(run_track(run, run->gpus[g], METRIC_GPU_UTIL)->n, 5);
	}
	assert_string_equal(notes(logs, run),
		"Input: 2 GPUs share their numbers in these logs: each log or job that wrote saw only some of the GPUs, a card was replaced, "
		"or the logs are of several hosts (--host FILE=NAME tells). They are numbered by bus id: GPU 0 is GPU-a, GPU 1 is GPU-b.\n");
}

static void joins_logs_of_one_after_another(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	const char *head = "timestamp, index, utilization.gpu [%]\n", *first = head, *then = head;
	struct run *run = run_new(mem, "run", &logs->diags);
	fixed value;

	for (int i = 0; i < 5; i++) {
		first = row(mem, first, i, "0, 10 %");
		then = row(mem, then, i + 5, "0, 20 %");
	}
	run_take(logs, run, "b.csv", then);
	run_take(logs, run, "a.csv", first);
	run_settle(run);
	const struct track *busy = run_track(run, run->gpus[0], METRIC_GPU_UTIL);
	assert_int_equal(busy->n, 10);
	assert_int_equal(track_holes(mem, busy).n, 0);
	assert_true(track_at(busy, run->span.begin, &value));
	assert_int_equal(value, 10 * FIXED_ONE);
	assert_string_equal(notes(logs, run), "Source: b.csv goes on where a.csv ends: they are read as one log.\n");
}

/* Two loggers that look more and less often, and log beside each other for a while: neither's own time is lost. */
static void joins_logs_of_unlike_steps(void **state)
{
	static const int steps[][2] = { { 1, 5 }, { 5, 1 } };
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < 2; i++) {
		const char *head = "timestamp, index, utilization.gpu [%]\n", *first = head, *then = head;
		struct run *run = run_new(mem, "run", &logs->diags);
		for (int t = 0; t < 120; t += steps[i][0])
			first = row(mem, first, t, "0, 10 %");
		for (int t = 90; t < 270; t += steps[i][1])
			then = row(mem, then, t, "0, 20 %");
		run_take(logs, run, "a.csv", first);
		run_take(logs, run, "b.csv", then);
		run_settle(run);
		const struct track *busy = run_track(run, run->gpus[0], METRIC_GPU_UTIL);
		assert_int_equal(busy->n, i ? 24 + 154 : 120 + 30); /* the first one until its last row */
		assert_int_equal(track_holes(mem, busy).n, 0);
		assert_string_equal(notes(logs, run), "Source: b.csv goes on where a.csv ends: they are read as one log.\n");
	}
}

/* Files of one log, in whatever order they are given, and though a logger is begun before the one before it ends. */
static void joins_files_of_one_log_in_any_order(void **state)
{
	static const int orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 0, 2, 1 }, { 1, 2, 0 } };
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
		struct run *run = run_new(mem, "run", &logs->diags);
		for (int i = 0; i < 3; i++) {
			const int file = orders[o][i], begin = file * 40;
			const char *text = "timestamp, index, utilization.gpu [%]\n";
			for (int k = begin; k < begin + 60; k++) /* a third of it is in the next one, too */
				text = row(mem, text, k, arena_print(mem, "0, %d %%", k < 100 ? k : 100));
			run_take(logs, run, arena_print(mem, "%c.csv", 'a' + file), text);
		}
		run_settle(run);
		const struct track *busy = run_track(run, run->gpus[0], METRIC_GPU_UTIL);
		assert_int_equal(busy->n, 140);
		assert_int_equal(track_holes(mem, busy).n, 0);
		for (size_t i = 0; i < 100; i++)
			assert_int_equal(track_value(busy, i), (fixed)i * FIXED_ONE);
		assert_non_null(strstr(notes(logs, run),
			"Source: b.csv goes on where a.csv ends: they are read as one log.\n"
			"Source: c.csv goes on where a.csv ends: they are read as one log.\n"));
		assert_null(strstr(notes(logs, run), "some of the same metrics"));
	}
}

/* Bytes of the run that its tracks take, of so many files of one logger, of ten rows each. */
static size_t bytes_joined(struct logs *logs, int n_files)
{
	struct arena mem, scratch;

	arena_init(&mem);
	arena_init(&scratch);
	struct run *const run = run_new(&mem, "run", &logs->diags);
	for (int file = 0; file < n_files; file++) {
		const char *text = "timestamp, index, utilization.gpu [%], power.draw [W]\n";
		for (int k = file * 10; k < file * 10 + 10; k++)
			text = row(&scratch, text, k, arena_print(&scratch, "0, %d %%, %d W", k % 101, 90 + k % 607));
		run_take(logs, run, arena_print(&scratch, "%03d.csv", file), text);
	}
	const size_t before = mem.used_bytes;
	assert_true(clock_settle(run, &(struct clock_request){ 0 }));
	const size_t bytes = mem.used_bytes - before;
	const struct track *const busy = run_track(run, run->gpus[0], METRIC_GPU_UTIL);
	const struct track *const power = run_track(run, run->gpus[0], METRIC_GPU_POWER);
	assert_true(tracks_share_clock(busy, power));
	assert_int_equal(busy->n, n_files * 10);
	for (size_t i = 0; i < busy->n; i++) {
		assert_int_equal(track_time(busy, i), DAWN + (time_ms)i * SECOND_MS);
		assert_int_equal(track_value(busy, i), (fixed)(i % 101) * FIXED_ONE);
		assert_int_equal(track_value(power, i), (fixed)(90 + i % 607) * FIXED_ONE);
	}
	arena_release(&scratch);
	arena_release(&mem);
	return bytes;
}

/* A logger that begins a file each hour writes hundreds: what they are joined to is packed once, and twice as many take twice as much. */
static void joins_many_files_in_room_for_one(void **state)
{
	struct logs *logs = *state;
	const size_t few = bytes_joined(logs, 100), many = bytes_joined(logs, 200);

	assert_true(many < 3 * few);
}

/* Of logs that were joined, of what is derived and of cores: a track that has chunks has those of its own samples. */
static void chunks_are_of_the_samples_of_their_track(void **state)
{
	static const char *const cores[] = { MINUTE MINUTE REST, REST MINUTE MINUTE };
	const char *head = "timestamp, index, power.draw [W], power.limit [W], clocks_event_reasons.active\n", *first = head, *then = head;
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	size_t n = 0;

	for (int i = 0; i < 150; i++) {
		first = row(mem, first, i, arena_print(mem, "0, %d W, 700 W, 0x%016x", 100 + i, i < 70 ? 4 : 0));
		then = row(mem, then, 150 + i, arena_print(mem, "0, %d W, 700 W, 0x0000000000000040", 600 - i));
	}
	run_take(logs, run, "a.csv", first);
	run_take(logs, run, "b.csv", then);
	run_take(logs, run, "mpstat.txt", core_log(mem, "11/21/2026", cores, 2, 0));
	run_settle(run);
	assert_true(run_track(run, run->gpus[0], METRIC_GPU_POWER)->joined);
	for (size_t i = 0; i < run->n_tracks; i++) {
		struct track same = *run->tracks[i];
		const struct chunks has = same.chunks;
		same.chunks = (struct chunks){ NULL, 0 };
		const struct chunks own = chunks_of(mem, &same);
		n += has.n;
		for (size_t k = 0; k < has.n; k++)
			assert_true(k < own.n && has.at[k].low == own.at[k].low && has.at[k].high == own.at[k].high &&
				    has.at[k].weighted == own.at[k].weighted && has.at[k].known == own.at[k].known);
	}
	assert_true(n >= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tells_logs_that_name_no_gpu_apart, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(joins_logs_without_a_name_to_those_with_one, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(joins_logs_by_bus_id, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(joins_logs_by_a_third, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(numbers_gpus_by_bus_id, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(numbers_anew_what_shares_a_number, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_card_that_was_replaced_is_two_gpus, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(joins_logs_of_one_after_another, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(joins_logs_of_unlike_steps, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(joins_files_of_one_log_in_any_order, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(joins_many_files_in_room_for_one, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(uses_the_better_of_two_sources, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_late_logger_covers_its_time, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_choices_together, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(derives_power_of_peak, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(derives_shares_and_reasons, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(shares_follow_a_limit_that_changes, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(takes_folders_and_files, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_when_a_folder_holds_no_logs, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(spans_what_gpu_logs_cover, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(chunks_are_of_the_samples_of_their_track, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
