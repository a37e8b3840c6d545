/*
 * folder_write_test.c - a folder has its old files or the new ones, and whatever else was in it.
 */
#include "base/folder_write.h"

#include "base/file.h"
#include "files.h"
#include "put_file.h"

#include <fcntl.h>
#include <sys/file.h>

static const char *const known[] = { "report.txt", "card.png", "series.csv", "memory.png", "memory.svg" };

static const char *inside(struct fixture *f, const char *name)
{
	return arena_print(&f->mem, "%s/%s", f->folder.path, name);
}

/* report.txt and card.png with `text` in them. */
static bool write_report(struct fixture *f, const char *out, const char *text)
{
	const struct folder_file files[] = { { "report.txt", slice_of(text) }, { "card.png", slice_of(text) } };
	struct folder_claim claim;

	if (!folder_claim(&claim, inside(f, out), &f->diags))
		return false;
	const bool good = folder_write(&claim, &(struct folder_files_given){ files, 2, known, 5 }, &f->diags);
	folder_leave(&claim);
	return good;
}

static const char *content(struct fixture *f, const char *name)
{
	struct slice text;

	assert_true(file_slurp(&f->mem, inside(f, name), 1000, &text, &f->diags));
	return arena_text(&f->mem, text.p, text.n);
}

static ino_t inode(struct fixture *f, const char *name)
{
	struct stat about;

	assert_int_equal(lstat(inside(f, name), &about), 0);
	return about.st_ino;
}

static mode_t mode(struct fixture *f, const char *name)
{
	struct stat about;

	assert_int_equal(lstat(inside(f, name), &about), 0);
	return about.st_mode & 07777;
}

static bool is_there(struct fixture *f, const char *name)
{
	struct stat about;

	return lstat(inside(f, name), &about) == 0;
}

/* Hidden ones, too; in order of names, each with a blank behind it. */
static const char *names_in(struct fixture *f, const char *folder)
{
	struct dirent **entries;
	const int n = scandir(inside(f, folder), &entries, NULL, alphasort);
	const char *names = "";

	assert_true(n >= 2);
	for (int i = 0; i < n; i++) {
		if (i >= 2)
			names = arena_print(&f->mem, "%s%s ", names, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return names;
}

static void put(struct fixture *f, const char *name, const char *text)
{
	folder_put(&f->folder, &f->mem, name, slice_of(text));
}

static void make(struct fixture *f, const char *name, mode_t how)
{
	assert_int_equal(mkdir(inside(f, name), how), 0);
	assert_int_equal(chmod(inside(f, name), how), 0);
}

static void makes_the_folder_with_its_parents(void **state)
{
	static const char *const ways[] = { "a/b/out", "slashes//out///", "dot/." };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		assert_true(write_report(f, ways[i], "new"));
	assert_string_equal(names_in(f, ""), "a dot slashes ");
	assert_string_equal(names_in(f, "a/b"), "out ");
	assert_string_equal(names_in(f, "a/b/out"), "card.png report.txt ");
	assert_string_equal(names_in(f, "slashes"), "out ");
	assert_string_equal(names_in(f, "dot"), "card.png report.txt ");
	assert_string_equal(content(f, "a/b/out/report.txt"), "new");
	assert_int_equal(f->diags.n, 0);
}

/* One rename: who looks finds all of the old one or all of the new one. */
static void replaces_an_earlier_report_as_a_whole(void **state)
{
	struct fixture *f = *state;

	assert_true(write_report(f, "out", "old"));
	put(f, "out/series.csv", "asked for earlier");
	assert_int_equal(chmod(inside(f, "out"), 0700), 0);
	const ino_t series = inode(f, "out/series.csv");
	int before = open(inside(f, "out"), O_RDONLY | O_DIRECTORY);
	struct stat old;
	assert_true(write_report(f, "out", "new"));
	assert_string_equal(names_in(f, ""), "out ");
	assert_string_equal(names_in(f, "out"), "card.png report.txt series.csv ");
	assert_string_equal(content(f, "out/card.png"), "new");
	assert_true(inode(f, "out/series.csv") == series);
	assert_int_equal(mode(f, "out"), 0700);
	assert_int_equal(fstat(before, &old), 0);
	assert_true(old.st_ino != inode(f, "out"));
	close(before);
}

/* Of another run, beside a report that has none: it would be taken for one of its own. What has no report beside it may be anybody's. */
static void pictures_go_with_their_report(void **state)
{
	struct fixture *f = *state;

	make(f, "out", 0755);
	put(f, "out/memory.png", "mine");
	assert_true(write_report(f, "out", "old"));
	assert_string_equal(names_in(f, "out"), "card.png memory.png report.txt ");
	put(f, "out/series.csv", "asked for earlier");
	put(f, "out/memory.svg", "asked for earlier");
	assert_true(write_report(f, "out", "new"));
	assert_string_equal(names_in(f, "out"), "card.png memory.svg report.txt series.csv ");
	assert_string_equal(content(f, "out/card.png"), "new");
	put(f, "out/memory.png", "of a report");
	put(f, "out/notes.txt", "mine");
	assert_true(write_report(f, "out", "newer"));
	assert_string_equal(names_in(f, "out"), "card.png memory.png memory.svg notes.txt report.txt series.csv ");
	assert_string_equal(names_in(f, ""), "out ");
}

/* The folder stays the one it was, and so does what else is in it. */
static void check_stays(struct fixture *f)
{
	const ino_t folder = inode(f, "out");

	assert_true(write_report(f, "out", "new"));
	assert_true(inode(f, "out") == folder);
	assert_string_equal(content(f, "out/report.txt"), "new");
	assert_string_equal(names_in(f, ""), "behind out ");
}

static void leaves_what_is_not_ours(void **state)
{
	struct fixture *f = *state;

	put(f, "behind", "mine");
	make(f, "out", 0755);
	put(f, "out/report.txt", "old");
	put(f, "out/notes.txt", "mine");
	const ino_t notes = inode(f, "out/notes.txt");
	check_stays(f);
	assert_true(inode(f, "out/notes.txt") == notes);
	assert_string_equal(names_in(f, "out"), "card.png notes.txt report.txt ");
	assert_int_equal(unlink(inside(f, "out/notes.txt")), 0);
	make(f, "out/series.csv", 0755); /* a name of ours, but no file */
	check_stays(f);
	assert_string_equal(names_in(f, "out"), "card.png report.txt series.csv ");
}

/* What is behind a link stays as it is: the link is replaced. A folder that is given by a link is the one that is meant. */
static void follows_no_link_but_to_the_folder(void **state)
{
	struct fixture *f = *state;

	put(f, "behind", "mine");
	make(f, "out", 0755);
	assert_int_equal(symlink("../behind", inside(f, "out/report.txt")), 0);
	check_stays(f);
	assert_string_equal(content(f, "behind"), "mine");
	assert_int_equal(symlink("out", inside(f, "latest")), 0);
	assert_true(write_report(f, "latest", "newer"));
	assert_string_equal(content(f, "out/report.txt"), "newer");
	assert_string_equal(names_in(f, ""), "behind latest out ");
	assert_int_equal(unlink(inside(f, "out/report.txt")), 0);
	assert_int_equal(unlink(inside(f, "out/card.png")), 0);
	assert_int_equal(rmdir(inside(f, "out")), 0);
	assert_false(write_report(f, "latest", "lost"));
	assert_string_equal(message(f, 0), arena_print(&f->mem, "%s: error: cannot-write: not a folder", inside(f, "latest")));
}

/* Somebody stands in it. */
static void stays_the_working_folder(void **state)
{
	struct fixture *f = *state;
	int home = open(".", O_RDONLY | O_DIRECTORY);

	put(f, "behind", "mine");
	make(f, "out", 0755);
	assert_int_equal(chdir(inside(f, "out")), 0);
	check_stays(f);
	assert_true(put_file(".", "report.txt", slice_of("here"), &f->diags));
	assert_int_equal(fchdir(home), 0);
	assert_string_equal(content(f, "out/report.txt"), "here");
	close(home);
}

/* After a failure there are the old files, the reason, and nothing else. */
static void a_failed_write_leaves_the_old_files(void **state)
{
	struct fixture *f = *state;

	make(f, "out", 0755);
	put(f, "out/report.txt", "old");
	make(f, "out/card.png", 0755);
	put(f, "plain", "mine");
	assert_false(write_report(f, "out", "new"));
	assert_false(write_report(f, "plain", "new"));
	assert_false(write_report(f, "plain/out", "new"));
	assert_false(put_file(inside(f, "out"), "no/such", slice_of("new"), &f->diags));
	const char *const expected[] = { "out/card.png: error: cannot-write: cannot write: Is a directory",
		"plain: error: cannot-write: not a folder", "plain/out: error: cannot-write: cannot make the folder: Not a directory",
		"out/no/such: error: cannot-write: cannot write: No such file or directory" };
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		assert_string_equal(message(f, i), inside(f, expected[i]));
	assert_string_equal(names_in(f, "out"), "card.png report.txt ");
	assert_string_equal(content(f, "out/report.txt"), "old");
	assert_string_equal(names_in(f, ""), "out plain ");
	assert_string_equal(content(f, "plain"), "mine");
}

/* Superuser may write anywhere; then there is nothing to see. */
static void says_when_a_folder_is_unwritable(void **state)
{
	struct fixture *f = *state;

	if (geteuid() == 0)
		skip();
	make(f, "out", 0500);
	assert_false(write_report(f, "out", "new"));
	assert_string_equal(f->diags.at[0].text, "cannot write: Permission denied");
}

static void refuses_what_another_run_is_writing(void **state)
{
	struct fixture *f = *state;
	struct folder_claim first;

	make(f, "out", 0755);
	assert_true(folder_claim(&first, inside(f, "out"), &f->diags));
	assert_false(write_report(f, "out", "second"));
	assert_string_equal(message(f, 0),
		inside(f, "out: error: cannot-write: another run is writing into it; try again when that is done"));
	folder_leave(&first);
	assert_true(write_report(f, "out", "third"));
	make(f, ".later.tmp-0", 0755); /* the stage of a folder that is not there yet */
	int stage = open(inside(f, ".later.tmp-0"), O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(stage, LOCK_EX), 0);
	assert_false(write_report(f, "later", "second"));
	assert_false(is_there(f, "later"));
	close(stage);
	assert_true(write_report(f, "later", "third"));
	assert_string_equal(names_in(f, ""), "later out ");
}

/* A stage without a lock goes, if all of it is ours. */
static void clears_what_a_kill_has_left(void **state)
{
	struct fixture *f = *state;

	make(f, ".out.tmp-0", 0700);
	put(f, ".out.tmp-0/report.txt", "half");
	make(f, ".out.tmp-1", 0700);
	put(f, ".out.tmp-1/notes.txt", "mine");
	assert_true(write_report(f, "out", "new"));
	assert_string_equal(names_in(f, ""), ".out.tmp-1 out ");
	assert_string_equal(names_in(f, ".out.tmp-1"), "notes.txt ");
	put(f, "out/notes.txt", "mine");
	make(f, "out/.postrun.tmp-0", 0700);
	put(f, "out/.postrun.tmp-0/card.png", "half");
	assert_true(write_report(f, "out", "newer"));
	assert_string_equal(names_in(f, "out"), "card.png notes.txt report.txt ");
	assert_int_not_equal(mode(f, "out"), 0700);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(makes_the_folder_with_its_parents, set_up, tear_down),
		cmocka_unit_test_setup_teardown(replaces_an_earlier_report_as_a_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pictures_go_with_their_report, set_up, tear_down),
		cmocka_unit_test_setup_teardown(leaves_what_is_not_ours, set_up, tear_down),
		cmocka_unit_test_setup_teardown(follows_no_link_but_to_the_folder, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stays_the_working_folder, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_failed_write_leaves_the_old_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(says_when_a_folder_is_unwritable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_another_run_is_writing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(clears_what_a_kill_has_left, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
