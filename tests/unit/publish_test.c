/* publish_test.c - a file is there as a whole or as it was before, and nothing is left beside it. */
#include "cmd/publish.h"

#include "base/file.h"
#include "files.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_takes_its_place_when_it_is_whole, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
