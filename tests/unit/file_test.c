/*
 * file_test.c - small files read, and outputs that are whole or not there.
 */
#include "base/file.h"

#include "files.h"

#include <errno.h>

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

static void writes_whole_files(void **state)
{
	struct fixture *f = *state;
	struct slice text;
	size_t n;

	assert_true(file_write(f->folder.path, "report.txt", slice_of("old\n"), &f->diags));
	assert_true(file_write(f->folder.path, "report.txt", slice_of("new\n"), &f->diags));
	assert_true(file_write(f->folder.path, "empty", slice_of(""), &f->diags));
	assert_true(file_slurp(&f->mem, arena_print(&f->mem, "%s/report.txt", f->folder.path), 100, &text, &f->diags));
	assert_true(slice_is(text, "new\n"));
	const char **files = folder_files(&f->mem, f->folder.path, &n, &f->diags);
	assert_int_equal(n, 2);
	assert_string_equal(path_name(files[0]), "empty");
	assert_string_equal(path_name(files[1]), "report.txt");
	assert_int_equal(f->diags.n, 0);
}

/* What is behind a link stays as it is: the link is replaced. */
static void does_not_write_through_links(void **state)
{
	struct fixture *f = *state;
	const char *behind = folder_put(&f->folder, &f->mem, "behind", slice_of("mine"));
	struct slice text;

	assert_int_equal(symlink(behind, arena_print(&f->mem, "%s/report.txt", f->folder.path)), 0);
	assert_true(file_write(f->folder.path, "report.txt", slice_of("new"), &f->diags));
	assert_true(file_slurp(&f->mem, behind, 100, &text, &f->diags));
	assert_true(slice_is(text, "mine"));
}

/* After a failure there is the old file, the reason, and nothing else. */
static void a_failed_write_leaves_the_old_file(void **state)
{
	struct fixture *f = *state;
	struct slice text;
	size_t n;

	assert_true(file_write(f->folder.path, "report.txt", slice_of("old\n"), &f->diags));
	assert_int_equal(mkdir(arena_print(&f->mem, "%s/taken", f->folder.path), 0700), 0);
	folder_put(&f->folder, &f->mem, "taken/x", slice_of(""));
	assert_false(file_write(f->folder.path, "taken", slice_of("new\n"), &f->diags));
	assert_false(file_write(f->folder.path, "no/such", slice_of("new\n"), &f->diags));
	assert_false(file_write("no/such/folder", "report.txt", slice_of("new\n"), &f->diags));
	assert_string_equal(message(f, 0), arena_print(&f->mem, "%s/taken: error: cannot-write: cannot write: Is a directory",
		f->folder.path));
	assert_string_equal(message(f, 1),
		arena_print(&f->mem, "%s/no/such: error: cannot-write: cannot write: No such file or directory", f->folder.path));
	assert_string_equal(message(f, 2),
		"no/such/folder/report.txt: error: cannot-write: cannot write: No such file or directory");
	assert_true(file_slurp(&f->mem, arena_print(&f->mem, "%s/report.txt", f->folder.path), 100, &text, &f->diags));
	assert_true(slice_is(text, "old\n"));
	folder_files(&f->mem, f->folder.path, &n, &f->diags);
	assert_int_equal(n, 1);
	DIR *dir = opendir(f->folder.path);
	for (struct dirent *entry; (entry = readdir(dir));) /* the hidden ones, too */
		assert_null(strstr(entry->d_name, ".tmp"));
	closedir(dir);
}

/* Superuser may write anywhere; then there is nothing to see. */
static void says_when_a_folder_is_unwritable(void **state)
{
	struct fixture *f = *state;

	if (geteuid() == 0)
		skip();
	assert_int_equal(chmod(f->folder.path, 0500), 0);
	assert_false(file_write(f->folder.path, "report.txt", slice_of("new\n"), &f->diags));
	assert_string_equal(f->diags.at[0].text, "cannot write: Permission denied");
	assert_false(folder_make(arena_print(&f->mem, "%s/out", f->folder.path), &f->diags));
	assert_string_equal(f->diags.at[1].text, "cannot make the folder: Permission denied");
}

static void makes_folders_with_their_parents(void **state)
{
	struct fixture *f = *state;
	const char *path = arena_print(&f->mem, "%s/a/b/c/", f->folder.path);

	assert_true(folder_make(path, &f->diags));
	assert_true(folder_make(path, &f->diags));
	assert_true(path_is_folder(path));
	folder_put(&f->folder, &f->mem, "file", slice_of(""));
	assert_false(folder_make(arena_print(&f->mem, "%s/file", f->folder.path), &f->diags));
	assert_false(folder_make(arena_print(&f->mem, "%s/file/x", f->folder.path), &f->diags));
	assert_false(path_is_folder(arena_print(&f->mem, "%s/file", f->folder.path)));
	assert_string_equal(message(f, 0), arena_print(&f->mem, "%s/file: error: cannot-write: not a folder", f->folder.path));
	assert_string_equal(message(f, 1),
		arena_print(&f->mem, "%s/file/x: error: cannot-write: cannot make the folder: Not a directory", f->folder.path));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(says_why_a_file_is_not_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(slurps_small_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(writes_whole_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(does_not_write_through_links, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_failed_write_leaves_the_old_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(says_when_a_folder_is_unwritable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(makes_folders_with_their_parents, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lists_plain_files_by_name, set_up, tear_down),
		cmocka_unit_test(paths_have_a_last_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
