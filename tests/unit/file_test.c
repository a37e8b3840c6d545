/*
 * file_test.c - small files read, folders listed.
 */
#include "base/file.h"

#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void says_why_a_file_is_not_read(void **state)
{
	struct fixture *f = *state;
	struct slice text;

	assert_false(file_slurp(&f->mem, "no/such.yaml", 100, &text, &f->diags));
	assert_false(file_slurp(&f->mem, "tests", 100, &text, &f->diags));
	assert_string_equal(message(f, 0), "no/such.yaml: error: cannot-read: cannot open: No such file or directory");
	assert_string_equal(message(f, 1), "tests: error: cannot-read: not a plain file");
}

static void slurps_small_files(void **state)
{
	struct fixture *f = *state;
	const char *path = folder_put(&f->folder, &f->mem, "rule.yaml", slice_of("id: x\n"));
	struct slice text;

	assert_true(file_slurp(&f->mem, path, 6, &text, &f->diags));
	assert_true(slice_is(text, "id: x\n"));
	assert_int_equal(text.p[text.n], '\0');
	folder_put(&f->folder, &f->mem, "rule.yaml", (struct slice){ NEW_ARRAY(&f->mem, char, 2049), 2049 });
	assert_false(file_slurp(&f->mem, path, 2048, &text, &f->diags));
	assert_string_equal(f->diags.at[0].text, "over 2 KiB");
}

static void lists_plain_files_by_name(void **state)
{
	struct fixture *f = *state;
	size_t n;

	folder_put(&f->folder, &f->mem, "b.csv", slice_of(""));
	folder_put(&f->folder, &f->mem, "a.csv", slice_of(""));
	folder_put(&f->folder, &f->mem, ".hidden", slice_of(""));
	assert_int_equal(mkdir(arena_print(&f->mem, "%s/inside", f->folder.path), 0700), 0);
	const char **files = folder_files(&f->mem, arena_print(&f->mem, "%s///", f->folder.path), &n, &f->diags);
	assert_int_equal(n, 2);
	assert_string_equal(files[0], arena_print(&f->mem, "%s/a.csv", f->folder.path));
	assert_string_equal(files[1], arena_print(&f->mem, "%s/b.csv", f->folder.path));
	assert_null(folder_files(&f->mem, "no/such", &n, &f->diags));
	assert_int_equal(n, 0);
	assert_string_equal(message(f, 0), "no/such: error: cannot-read: cannot open the folder: No such file or directory");
}

static void paths_have_a_last_part(void **state)
{
	static const struct {
		const char *path, *name;
	} cases[] = { { "a/b.csv", "b.csv" }, { "b.csv", "b.csv" }, { "/b.csv", "b.csv" }, { "a/b/", "b/" }, { "", "" }, { "/", "" } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(path_name(cases[i].path), cases[i].name);
}

static void paths_are_spelled_one_way(void **state)
{
	static const struct {
		const char *path, *plain;
	} cases[] = { { "a/b", "a/b" }, { "./a//./b/", "a/b" }, { "/a/b/.", "/a/b" }, { "//", "/" }, { "./", "." }, { "../a", "../a" },
		{ "a/../b", "a/../b" }, { ".a/b.", ".a/b." }, { "...", "..." } };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(path_plain(&f->mem, cases[i].path), cases[i].plain);
}

/* "postrun report ." is a report of the folder, and called so. */
static void paths_have_names_of_their_own(void **state)
{
	static const struct {
		const char *path, *name;
	} cases[] = { { "a/b.csv", "b.csv" }, { "a/b//", "b" }, { "/", "" }, { "a/..", ".." }, { "...", "..." }, { ".", "bb" }, { "./", "bb" },
		{ ".//./", "bb" }, { "..", "aa" }, { "./../", "aa" }, { "../../../../../../../../../../../../../../..", "/" } };
	struct fixture *f = *state;
	const int before = open(".", O_RDONLY | O_DIRECTORY);
	const char *const aa = arena_print(&f->mem, "%s/aa", f->folder.path), *const bb = arena_print(&f->mem, "%s/bb", aa);

	assert_true(mkdir(aa, 0700) == 0 && mkdir(bb, 0700) == 0 && chdir(bb) == 0);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(path_own_name(&f->mem, cases[i].path), cases[i].name);
	assert_true(fchdir(before) == 0 && close(before) == 0 && rmdir(bb) == 0 && rmdir(aa) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(says_why_a_file_is_not_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(slurps_small_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lists_plain_files_by_name, set_up, tear_down),
		cmocka_unit_test(paths_have_a_last_part),
		cmocka_unit_test_setup_teardown(paths_are_spelled_one_way, set_up, tear_down),
		cmocka_unit_test_setup_teardown(paths_have_names_of_their_own, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
