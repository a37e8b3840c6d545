/*
 * many_runs_test.c - how much memory each further run takes of a process that has to do with all of them: tens of bytes, not its record;
 * and what becomes of a table of them that is too large.
 */
#include "base/sanitizers.h"
#include "cmd/cmd.h"
#include "cmd/fleet_views.h"
#include "cmd/run_index.h"
#include "cmd/run_list.h"
#include "render/render.h"

#include "files.h"

#include <sys/wait.h>

/* "VmHWM" of this process, in bytes. */
static int64_t memory(const char *what)
{
	FILE *const status = fopen("/proc/self/status", "r");
	const size_t n = strlen(what);
	char line[256];
	long kib = 0;

	while (status && fgets(line, sizeof line, status))
		if (strncmp(line, what, n) == 0 && line[n] == ':')
			kib = strtol(line + n + 1, NULL, 10);
	if (status)
		fclose(status);
	return (int64_t)kib * 1024;
}

typedef void work(struct fixture *f, size_t n_runs);

/* The most that a process of its own has while it does that, beside what it begins with. */
static int64_t taken_by(struct fixture *f, work *do_it, size_t n_runs)
{
	int64_t taken = 0;
	int ends[2], how = 0;

	assert_int_equal(pipe(ends), 0);
	const pid_t child = fork();
	if (child == 0) {
		const int64_t before = memory("VmRSS");
		do_it(f, n_runs);
		taken = memory("VmHWM") - before;
		_exit(write(ends[1], &taken, sizeof taken) == (ssize_t)sizeof taken ? 0 : 1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &taken, sizeof taken), sizeof taken);
	close(ends[0]);
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_int_equal(how, 0);
	return taken;
}

/* Of those between `few` and `many`. */
static void each_run_takes(struct fixture *f, work *do_it, size_t few, size_t many, int64_t most_bytes)
{
	if (WITH_ADDRESS_SANITIZER || WITH_THREAD_SANITIZER || !memory("VmHWM")) /* what they take beside it is more */
		skip();
	const int64_t less = taken_by(f, do_it, few), more = taken_by(f, do_it, many), each = (more - less) / (int64_t)(many - few);
	print_message("%zu runs: %lld KiB, %zu runs: %lld KiB, each %lld bytes\n", few, (long long)less / 1024, many, (long long)more / 1024,
		(long long)each);
	assert_true(each <= most_bytes);
}

static const char *path_of(struct fixture *f, const char *name, size_t n_runs)
{
	return arena_print(&f->mem, "%s/%zu%s", f->folder.path, n_runs, name);
}

/* ------------------------------------------------ the list of them */

static void put_manifest(struct fixture *f, size_t n_runs)
{
	FILE *const file = fopen(path_of(f, ".jsonl", n_runs), "w");

	for (size_t i = 0; i < n_runs; i++)
		fprintf(file, "{\"id\":\"2024/07/ann/llm-7b-sft/job-%06zu\",\"paths\":[\"%s/2024/07/ann/llm-7b-sft/job-%06zu.csv\"]}\n", i, f->folder.path, i);
	fclose(file);
}

static void find_and_sort(struct fixture *f, size_t n_runs)
{
	struct limits *const limits = NEW(&f->mem, struct limits);
	struct run_list list;

	*limits = limits_as_ever();
	const struct find_request request = { .manifest = path_of(f, ".jsonl", n_runs), .input.read.limits = limits, .input.walls = WALLS_AUTO };
	run_list_init(&list);
	if (!run_find(&request, &list, &f->diags) || list.n != n_runs)
		_exit(1);
	run_list_sort_by_weight(&list);
	for (size_t i = 0; i < n_runs; i++) {
		struct arena scratch;
		arena_init(&scratch);
		run_list_get(&scratch, &list, list.at[i]);
		arena_release(&scratch);
	}
	run_list_release(&list);
}

/* 16 bytes of each are kept, as many once more while they are sorted; all that is known of them would be 250. */
static void a_list_takes_little_of_each_run(void **state)
{
#ifdef WITHOUT_SANDBOX
	skip(); /* without walls this process looks for runs itself, and has all of them in memory meanwhile */
#endif
	put_manifest(*state, 4000);
	put_manifest(*state, 24000);
	each_run_takes(*state, find_and_sort, 4000, 24000, 100);
}

/* ------------------------------------------------ what they show together */

static struct record made_record(struct arena *mem, size_t i)
{
	const char **const host = NEW(mem, const char *), **const entity = NEW(mem, const char *);
	struct record_gpu *const gpu = NEW(mem, struct record_gpu);
	struct record_cause *const cause = NEW(mem, struct record_cause);

	*host = arena_print(mem, "node%02zu", i % 40);
	*entity = arena_print(mem, "%s/gpu0", *host);
	*gpu = (struct record_gpu){ .entity = *entity, .name = "NVIDIA H200" };
	*cause = (struct record_cause){ "gpu-low-use", "low use", "low use", SEVERITY_WARNING, 7, { entity, 1 } };
	return (struct record){ .id = arena_print(mem, "2024/ann/job-%06zu", i), .key = arena_print(mem, "%032zx", i * 7919),
		.status = i % 9 ? RUN_OK : RUN_EMPTY, .report = arena_print(mem, "runs/00/%032zx/report.html", i * 7919), .bytes = 81920,
		.begin = 1712534400 * SECOND_MS, .end = 1712538000 * SECOND_MS, .severity = "warning",
		.verdict = "A part of this run was lost: low use on one GPU.", .hosts = { host, 1 }, .gpus = gpu, .n_gpus = 1,
		.gpu_us = 3600000000, .normal_us = 3600000000 - (int64_t)(i % 1000) - 7, .lost_us = (int64_t)(i % 1000) + 7, .causes = cause,
		.n_causes = 1 };
}

static void put_index(struct fixture *f, size_t n_runs)
{
	const struct index_head head = { .rules = "xxh128:0", .runs = n_runs };
	struct index_writer w;
	struct arena scratch;
	struct buf line;

	arena_init(&scratch);
	buf_init(&line, SIZE_MAX / 2);
	index_begin(&f->mem, &w, path_of(f, "/index.jsonl", n_runs), &head);
	for (size_t i = 0; i < n_runs; i++) {
		const struct record record = made_record(&scratch, i);
		line.n = 0;
		record_write(&line, &record);
		index_put(&w, buf_slice(&line));
		arena_reset(&scratch);
	}
	assert_true(index_end(&w, &f->diags));
	buf_release(&line);
	arena_release(&scratch);
}

static void make_views(struct fixture *f, size_t n_runs)
{
	const struct fleet_views views = { .keeps = false };

	if (!fleet_views_write(&views, path_of(f, "", n_runs), &f->diags))
		_exit(1);
}

/* From 5,000 on pages show no more rows. 48 bytes of each run are kept, and 16 while they are sorted; its record would be 1,400. */
static void views_take_little_of_each_run(void **state)
{
	put_index(*state, 6000);
	put_index(*state, 18000);
	each_run_takes(*state, make_views, 6000, 18000, 350);
}

/* ------------------------------------------------ a table that is very large */

#define VERDICT_BYTES 40000
#define MOST_FILES 16

struct file_seen {
	const char *name;
	size_t n_bytes;
};
struct files_seen {
	struct file_seen at[MOST_FILES];
	size_t n;
};

static void begin_file(void *of, const char *name)
{
	struct files_seen *const files = of;

	assert_true(files->n < MOST_FILES);
	files->at[files->n] = (struct file_seen){ .name = name };
}

static void put_bytes(void *of, struct slice bytes)
{
	struct files_seen *const files = of;

	files->at[files->n].n_bytes += bytes.n;
}

static bool end_file(void *of)
{
	struct files_seen *const files = of;

	files->n++;
	return true;
}

/* Of runs with long verdicts, that its pages don't show. */
static bool make_files(struct fixture *f, size_t n_runs, struct files_seen *files)
{
	struct fleet_building *const building = fleet_begin(&f->mem);
	char verdict[VERDICT_BYTES + 1];
	struct arena scratch;

	memset(verdict, 'v', VERDICT_BYTES);
	verdict[VERDICT_BYTES] = '\0';
	arena_init(&scratch);
	for (size_t i = 0; i < n_runs; i++) {
		struct record record = made_record(&scratch, i);
		record.verdict = verdict;
		fleet_add(building, &record, slice_of(""));
		arena_reset(&scratch);
	}
	arena_release(&scratch);
	const struct fleet *const fleet = fleet_end(building);
	const bool good = fleet_outputs(fleet, &(struct fleet_options){ .program = "p" },
		&(struct fleet_sink){ files, begin_file, put_bytes, end_file }, &f->diags);
	fleet_release(fleet);
	return good;
}

/* Pages and texts show some of the runs; a table of all of them is what an archive is for. */
static void the_table_has_all_runs_however_many(void **state)
{
	const uint64_t most = limit_table[LIMIT_REPORT].value;
	struct files_seen few = { .n = 0 }, many = { .n = 0 };
	struct fixture *f = *state;

	assert_true(make_files(f, 100, &few));
	assert_int_equal(few.n, 7);
	for (size_t i = 0; i < few.n; i++)
		assert_true(few.at[i].n_bytes > 0);
	assert_true(make_files(f, 2000, &many));
	assert_int_equal(many.n, few.n);
	for (size_t i = 0; i < many.n; i++) {
		const bool has_all = strcmp(many.at[i].name, "index.csv") == 0;
		assert_int_equal(many.at[i].n_bytes > most, has_all);
	}
	assert_int_equal(f->diags.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_list_takes_little_of_each_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(views_take_little_of_each_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_table_has_all_runs_however_many, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
