/* run_walk_test.c - runs that are found have names of their own, which stay theirs whatever becomes of the logs. */
#include "cmd/run_find.h"

#include "files.h"

#include <unistd.h>

#define HEAD "timestamp, index, utilization.gpu [%]\n"
#define ROW "2026/11/21 10:00:00.000, 0, 97 %\n"

static struct found_runs found_below(struct fixture *f, const char *const *paths, size_t n, const char *manifest)
{
	struct limits *const limits = NEW(&f->mem, struct limits);
	struct found_runs runs;

	*limits = limits_as_ever();
	const struct find_request request = { .paths = paths, .n_paths = n, .manifest = manifest,
		.left_out = arena_print(&f->mem, "%s/tree/out", f->folder.path), .input.read.limits = limits };
	assert_true(run_walk(&f->mem, &request, &runs, &f->diags));
	return runs;
}

static struct found_runs found(struct fixture *f, const char *folder, const char *manifest)
{
	return found_below(f, &folder, folder != NULL, manifest);
}

static const char *id_of(struct found_runs runs, const char *path)
{
	for (size_t i = 0; i < runs.n; i++)
		if (strcmp(runs.at[i].paths.at[0], path) == 0)
			return runs.at[i].id;
	fail_msg("%s is of no run", path);
	return NULL;
}

static void put(struct fixture *f, const char *name, const char *text)
{
	char *const path = arena_print(&f->mem, "%s/%s", f->folder.path, name);

	for (char *slash = strchr(path + strlen(f->folder.path) + 1, '/'); slash; slash = strchr(slash + 1, '/'))
		mkdir(arena_text(&f->mem, path, (size_t)(slash - path)), 0700);
	folder_put(&f->folder, &f->mem, name, slice_of(text));
}

static void what_was_written_about_runs_is_no_run(void **state)
{
	struct fixture *f = *state;
	const char *const tree = arena_print(&f->mem, "%s/tree", f->folder.path);

	put(f, "tree/logs/gpu.csv", HEAD ROW);
	put(f, "tree/logs/report/report.json", "{\n  \"schema\": \"postrun.report/1\"}\n");
	put(f, "tree/logs/report/series.csv", "time [UTC],GPU busy [%]\n");
	put(f, "tree/before/index.jsonl", "{\"format\":\"postrun.index/1\"}\n");
	put(f, "tree/before/index.csv", "rank,run,status\n");
	put(f, "tree/before/batch.log", "ok    0.12 s    209867 bytes  run\n");
	put(f, "tree/before/shards/00000-of-00001.log", "ok    0.12 s    209867 bytes  run\n");
	put(f, "tree/before/runs/00/1234/series.csv", "time [UTC],GPU busy [%]\n");
	put(f, "tree/before/kept/gpu.csv", HEAD ROW);
	const struct found_runs runs = found(f, tree, NULL);
	assert_int_equal(runs.n, 2);
	assert_string_equal(runs.at[0].id, "before/kept");
	assert_string_equal(runs.at[1].id, "logs");
	assert_int_equal(runs.n_strays, 0);
}

/* By its content: a folder of that name is not enough. */
static void other_files_of_such_names_are_logs(void **state)
{
	struct fixture *f = *state;
	const char *const tree = arena_print(&f->mem, "%s/tree", f->folder.path);

	put(f, "tree/a/index.jsonl", "{\"format\":\"something else\"}\n");
	put(f, "tree/a/runs/gpu.csv", HEAD ROW);
	put(f, "tree/b/report.json", "{}\n");
	put(f, "tree/b/series.csv", HEAD ROW);
	const struct found_runs runs = found(f, tree, NULL);
	assert_int_equal(runs.n, 2);
	assert_string_equal(runs.at[0].id, "a/runs");
	assert_string_equal(runs.at[1].id, "b");
}

static void alike_runs_are_numbered_by_their_places(void **state)
{
	struct fixture *f = *state;
	const char *const at = f->folder.path;
	const char *const a = arena_print(&f->mem, "%s/a.csv", at), *const m = arena_print(&f->mem, "%s/m.csv", at),
		*const z = arena_print(&f->mem, "%s/z.csv", at), *const manifest = arena_print(&f->mem, "%s/runs.jsonl", at);

	put(f, "runs.jsonl", arena_print(&f->mem, "{\"id\":\"job\",\"paths\":[\"%s\"]}\n{\"id\":\"job\",\"paths\":[\"%s\"]}\n"
						  "{\"id\":\"job#2\",\"paths\":[\"%s\"]}\n", z, a, m));
	for (size_t n = 1; n < 20; n++) { /* logs that grow */
		char *const text = arena_alloc(&f->mem, n * strlen(ROW) + strlen(HEAD) + 1);
		strcpy(text, HEAD);
		for (size_t i = 0; i < n; i++)
			strcat(text, ROW);
		put(f, n % 2 ? "a.csv" : "z.csv", text);
		const struct found_runs runs = found(f, NULL, manifest);
		assert_int_equal(runs.n, 3);
		assert_string_equal(id_of(runs, a), "job");
		assert_string_equal(id_of(runs, m), "job#2");
		assert_string_equal(id_of(runs, z), "job#2#2");
		assert_int_equal(f->diags.n, 2 * n);
		assert_string_equal(f->diags.at[0].text, "it has 2 runs 'job' of other paths; they are numbered: 'job', 'job#2'");
		assert_string_equal(f->diags.at[1].text, "it has 2 runs 'job#2' of other paths; they are numbered: 'job#2', 'job#2#2'");
	}
}

static void results_are_no_runs(void **state)
{
	struct fixture *f = *state;

	put(f, "tree/one/gpu.csv", HEAD ROW);
	put(f, "tree/one/deep/er/gpu.csv", HEAD ROW);
	put(f, "tree/.hidden/gpu.csv", HEAD ROW);
	put(f, "tree/out/runs/ab/gpu.csv", HEAD ROW);
	put(f, "tree/notes/notes.txt", "nothing\n");
	const struct found_runs runs = found(f, arena_print(&f->mem, "%s/tree///", f->folder.path), NULL);
	assert_int_equal(runs.n, 2);
	assert_string_equal(runs.at[0].id, "one");
	assert_string_equal(runs.at[1].id, "one/deep/er");
	assert_int_equal(runs.at[0].bytes, strlen(HEAD ROW));
}

static void a_run_is_of_whom_its_logs_are(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0)
		skip();
	put(f, "tree/one/README", "notes by somebody else\n");
	put(f, "tree/one/gpu.csv", HEAD ROW);
	assert_int_equal(chown(arena_print(&f->mem, "%s/tree/one/gpu.csv", f->folder.path), 1234, 1234), 0);
	const struct found_runs runs = found(f, arena_print(&f->mem, "%s/tree", f->folder.path), NULL);
	assert_int_equal(runs.n, 1);
	assert_int_equal(runs.at[0].owner, 1234);
}

/* By whatever names it is given, below each other and as a file of a folder. */
static void what_is_reached_twice_is_one_run(void **state)
{
	struct fixture *f = *state;
	const char *const tree = arena_print(&f->mem, "%s/tree", f->folder.path), *const one = arena_print(&f->mem, "%s/one", tree),
		*const log = arena_print(&f->mem, "%s/gpu.csv", one), *const link = arena_print(&f->mem, "%s/link", f->folder.path);
	const struct {
		const char *paths[3];
		size_t n, n_runs, n_notes;
		const char *id;
	} cases[] = {
		{ { tree, tree }, 2, 2, 1, "one" },
		{ { tree, link }, 2, 2, 1, "one" },
		{ { tree, one }, 2, 2, 1, one },
		{ { one, tree }, 2, 2, 1, one },
		{ { log, tree, one }, 3, 2, 2, one },
		{ { log, log }, 2, 1, 1, "gpu.csv" },
		{ { log }, 1, 1, 0, "gpu.csv" },
		{ { tree }, 1, 2, 0, "one" },
	};

	put(f, "tree/one/gpu.csv", HEAD ROW);
	put(f, "tree/two/gpu.csv", HEAD ROW);
	assert_int_equal(symlink(tree, link), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const size_t n_before = f->diags.n;
		const struct found_runs runs = found_below(f, cases[i].paths, cases[i].n, NULL);
		assert_int_equal(runs.n, cases[i].n_runs);
		assert_string_equal(runs.at[0].id, cases[i].id);
		assert_int_equal(f->diags.n - n_before, cases[i].n_notes);
	}
}

static void a_line_that_a_manifest_has_twice_is_one_run(void **state)
{
	struct fixture *f = *state;
	const char *const tree = arena_print(&f->mem, "%s/tree", f->folder.path),
		*const manifest = arena_print(&f->mem, "%s/runs.jsonl", f->folder.path),
		*const line = arena_print(&f->mem, "{\"id\":\"job\",\"paths\":[\"%s/one\"]}\n", tree);

	put(f, "tree/one/gpu.csv", HEAD ROW);
	put(f, "tree/two/gpu.csv", HEAD ROW);
	put(f, "runs.jsonl", arena_print(&f->mem, "%s%s", line, line));
	struct found_runs runs = found(f, NULL, manifest);
	assert_int_equal(runs.n, 1);
	assert_int_equal(f->diags.n, 1);
	runs = found(f, tree, manifest); /* where the folder of the job is found, too */
	assert_int_equal(runs.n, 2);
	assert_string_equal(runs.at[0].id, "job");
	assert_string_equal(runs.at[1].id, "two");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_written_about_runs_is_no_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_files_of_such_names_are_logs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(alike_runs_are_numbered_by_their_places, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_reached_twice_is_one_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_line_that_a_manifest_has_twice_is_one_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(results_are_no_runs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_run_is_of_whom_its_logs_are, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
