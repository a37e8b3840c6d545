/* publish_test.c - a file or a folder is there as a whole or as it was before, and nothing is left beside it. */
#define _GNU_SOURCE /* renameat2() */
#include "cmd/publish.h"

#include "base/file.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Renames fail here as on a file system that can't exchange two folders, the one of that number, from 1 on, for that reason. */
static struct {
	int n, failing, why;
	bool may_exchange;
} renames;

int rename(const char *from, const char *to)
{
	if (++renames.n == renames.failing) {
		errno = renames.why;
		return -1;
	}
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	if (!renames.may_exchange) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

static const char *content(struct fixture *f, const char *path)
{
	struct slice text;

	assert_true(file_slurp(&f->mem, path, 1000, &text, &f->diags));
	return arena_text(&f->mem, text.p, text.n);
}

static size_t count_files(const char *folder)
{
	DIR *const entries = opendir(folder);
	size_t n = 0;

	for (const struct dirent *entry; (entry = readdir(entries));)
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(entries);
	return n;
}

static void a_file_takes_its_place_when_it_is_whole(void **state)
{
	struct fixture *f = *state;
	const char *const path = folder_put(&f->folder, &f->mem, "index.csv", slice_of("before"));
	struct publication p;

	publish_begin(&f->mem, &p, path);
	publish_put(&p, slice_of("aft"));
	publish_put(&p, slice_of("er"));
	assert_string_equal(content(f, path), "before");
	assert_true(publish_end(&p, &f->diags));
	assert_string_equal(content(f, path), "after");
	assert_int_equal(count_files(f->folder.path), 1);
}

static const char *put_folder(struct fixture *f, const char *name, const char *text)
{
	const char *const folder = arena_print(&f->mem, "%s/%s", f->folder.path, name);

	assert_int_equal(mkdir(folder, 0777), 0);
	folder_put(&f->folder, &f->mem, arena_print(&f->mem, "%s/report.txt", name), slice_of(text));
	return folder;
}

/* Of three renames, the first of which finds the old one there, any can fail: afterwards the old one is there, or the new one. */
static void a_folder_is_the_old_one_or_the_new(void **state)
{
	static const struct { bool may_exchange; int failing, why; const char *after; } cases[] = {
		{ true,  0, 0,      "new" },
		{ false, 0, 0,      "new" },
		{ false, 2, EIO,    "old" },
		{ false, 3, ENOSPC, "old" },
		{ false, 3, EDQUOT, "old" },
		{ false, 3, EIO,    "old" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const path = put_folder(f, "run", "old"), *const attempt = put_folder(f, ".run.1", "new");
		const bool is_new = strcmp(cases[i].after, "new") == 0;
		memset(&renames, 0, sizeof renames);
		renames.may_exchange = cases[i].may_exchange;
		renames.failing = cases[i].failing;
		renames.why = cases[i].why;
		assert_int_equal(publish_folder(attempt, path, &f->diags), is_new);
		assert_string_equal(content(f, arena_print(&f->mem, "%s/report.txt", path)), cases[i].after);
		assert_int_equal(count_files(f->folder.path), 1);
		assert_true(publish_remove(path));
	}
}

/* What a kill has left of an earlier one is in nobody's way. */
static void what_a_kill_put_aside_goes(void **state)
{
	struct fixture *f = *state;
	const char *const path = put_folder(f, "run", "old"), *const attempt = put_folder(f, ".run.1", "new");

	put_folder(f, ".run.1.old", "older");
	memset(&renames, 0, sizeof renames);
	assert_true(publish_folder(attempt, path, &f->diags));
	assert_string_equal(content(f, arena_print(&f->mem, "%s/report.txt", path)), "new");
	assert_int_equal(count_files(f->folder.path), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_takes_its_place_when_it_is_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_folder_is_the_old_one_or_the_new, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_a_kill_put_aside_goes, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
