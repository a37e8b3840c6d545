/*
 * file_test.c - lines of every kind, and outputs that are whole or not there.
 */
#include "base/file.h"

#include "folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#define BLOCK ((size_t)256 * 1024) /* what file.c reads at once: lines around its multiples are the risky ones */

struct fixture {
	struct folder folder;
	struct arena mem;
	struct diags diags;
};

static int set_up(void **state)
{
	static struct fixture f;

	arena_init(&f.mem);
	diags_init(&f.diags, &f.mem);
	folder_open(&f.folder);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	chmod(f->folder.path, 0700);
	folder_remove(&f->mem, f->folder.path);
	diags_release(&f->diags);
	arena_release(&f->mem);
	return 0;
}

static const char *message(struct fixture *f, size_t i)
{
	assert_true(i < f->diags.n);
	return diag_text(&f->mem, &f->diags.at[i]);
}

static void cuts_lines(void **state)
{
	static const struct {
		const char *text;
		const char *lines[4];
		bool last_unended;
	} cases[] = {
		{ "", { NULL }, false },
		{ "a\nb\n", { "a", "b" }, false },
		{ "a\nb", { "a", "b" }, true },
		{ "a\r\nb\r\n", { "a", "b" }, false },
		{ "a\r\r\n", { "a\r" }, false },
		{ "a\rb\n", { "a\rb" }, false },
		{ "\n\n", { "", "" }, false },
		{ "\r\n", { "" }, false },
		{ "\xEF\xBB\xBF" "a\n", { "a" }, false },
		{ "\xEF\xBB\xBF", { NULL }, false },
		{ "a\n\xEF\xBB\xBF" "b\n", { "a", "\xEF\xBB\xBF" "b" }, false }, /* only at the start */
		{ "\xEF\xBB", { "\xEF\xBB" }, true },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *path = folder_put(&f->folder, &f->mem, "lines", slice_of(cases[i].text));
		struct lines in;
		struct slice line;

		assert_true(lines_open(&in, path, &f->diags));
		for (int n = 0; cases[i].lines[n]; n++) {
			assert_true(line_next(&in, &line));
			assert_true(slice_is(line, cases[i].lines[n]));
			assert_int_equal(in.line, n + 1);
			const bool last = !cases[i].lines[n + 1];
			assert_int_equal(in.state, last && cases[i].last_unended ? LINE_LAST_UNENDED : LINE_WHOLE);
		}
		assert_false(line_next(&in, &line));
		assert_false(line_next(&in, &line));
		assert_int_equal(stream_stored_bytes(in.stream), strlen(cases[i].text));
		lines_close(&in);
	}
	assert_int_equal(f->diags.n, 0);
}

static void marks_lines_with_nul(void **state)
{
	struct fixture *f = *state;
	const char *path = folder_put(&f->folder, &f->mem, "nul", (struct slice){ "a\n5\0 0 %\nb\n\0", 12 });
	static const enum line_state states[] = { LINE_WHOLE, LINE_HAS_NUL, LINE_WHOLE, LINE_HAS_NUL };
	static const size_t sizes[] = { 1, 6, 1, 1 };
	struct lines in;
	struct slice line;

	assert_true(lines_open(&in, path, &f->diags));
	for (size_t i = 0; i < 4; i++) {
		assert_true(line_next(&in, &line));
		assert_int_equal(in.state, states[i]);
		assert_int_equal(line.n, sizes[i]);
	}
	assert_false(line_next(&in, &line));
	lines_close(&in);
}

/* "first", n times 'x', "last": what comes out, whatever n does to the block. */
static void check_long_line(struct fixture *f, size_t n, bool ended)
{
	const size_t head = strlen("first\n"), tail = ended ? strlen("\nlast\n") : 0;
	char *text = NEW_ARRAY(&f->mem, char, head + n + tail);
	struct lines in;
	struct slice line;

	memcpy(text, "first\n", head);
	memset(text + head, 'x', n);
	memcpy(text + head + n, "\nlast\n", tail);
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "long", (struct slice){ text, head + n + tail }), &f->diags));
	assert_true(line_next(&in, &line) && slice_is(line, "first"));
	assert_true(line_next(&in, &line));
	assert_int_equal(line.n, n < LINE_MAX_BYTES ? n : LINE_MAX_BYTES);
	assert_int_equal(in.state, n > LINE_MAX_BYTES ? LINE_TOO_LONG : ended ? LINE_WHOLE : LINE_LAST_UNENDED);
	assert_int_equal(in.line, 2);
	if (ended) {
		assert_true(line_next(&in, &line) && slice_is(line, "last"));
		assert_int_equal(in.state, LINE_WHOLE);
		assert_int_equal(in.line, 3);
	}
	assert_false(line_next(&in, &line));
	assert_int_equal(stream_stored_bytes(in.stream), head + n + tail);
	lines_close(&in);
}

static void bounds_lines_wherever_blocks_end(void **state)
{
	static const size_t sizes[] = {
		1, LINE_MAX_BYTES - 1, LINE_MAX_BYTES, LINE_MAX_BYTES + 1,
		BLOCK - 14, BLOCK - 13, BLOCK - 12, BLOCK - 8, BLOCK - 7, BLOCK - 6, BLOCK - 5, BLOCK, BLOCK + 1,
		(size_t)300 * 1024, 2 * BLOCK - 7, 2 * BLOCK - 6, 2 * BLOCK, 3 * BLOCK - 6, 3 * BLOCK + 1,
	};

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		check_long_line(*state, sizes[i], true);
		check_long_line(*state, sizes[i], false);
	}
}

/* Lines of all lengths across many blocks: each comes out as it went in. */
static void lines_survive_the_ends_of_blocks(void **state)
{
	struct fixture *f = *state;
	const size_t n_lines = 4000;
	char *text = NEW_ARRAY(&f->mem, char, n_lines * 1024), *end = text;
	struct lines in;
	struct slice line;

	for (size_t i = 0; i < n_lines; i++) {
		const size_t n = i * 7919 % 1000;
		memset(end, 'a' + (int)(i % 26), n);
		end += n;
		if (i % 3 == 0)
			*end++ = '\r';
		*end++ = '\n';
	}
	const char *path = folder_put(&f->folder, &f->mem, "many", (struct slice){ text, (size_t)(end - text) });
	assert_true(lines_open(&in, path, &f->diags));
	for (size_t i = 0; i < n_lines; i++) {
		assert_true(line_next(&in, &line));
		assert_int_equal(line.n, i * 7919 % 1000);
		if (line.n) {
			assert_int_equal(line.p[0], 'a' + (int)(i % 26));
			assert_int_equal(line.p[line.n - 1], 'a' + (int)(i % 26));
		}
	}
	assert_false(line_next(&in, &line));
	assert_int_equal(stream_stored_bytes(in.stream), end - text);
	lines_close(&in);
}

static void peeks_without_consuming(void **state)
{
	struct fixture *f = *state;
	char text[PEEK_BYTES + 10];
	struct lines in;
	struct slice line;

	memset(text, 'x', sizeof text);
	text[2] = '\n';
	assert_true(lines_open(&in, folder_put(&f->folder, &f->mem, "peek", (struct slice){ text, sizeof text }), &f->diags));
	assert_int_equal(lines_peek(&in).n, PEEK_BYTES);
	assert_memory_equal(lines_peek(&in).p, text, PEEK_BYTES);
	assert_true(line_next(&in, &line) && slice_is(line, "xx"));
	lines_close(&in);
}

/* The digest is of all bytes, read as lines or not; XXH128 of nothing and of "abc" from xxhsum -H2. */
static void digests_the_whole_file(void **state)
{
	static const struct {
		const char *text, *digest;
	} cases[] = {
		{ "", "xxh128:99aa06d3014798d86001c324468d497f" },
		{ "abc", "xxh128:06b05ab6733a618578af5f94892f3950" },
		{ "\xEF\xBB\xBF" "abc", NULL },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *path = folder_put(&f->folder, &f->mem, "digest", slice_of(cases[i].text)), *before = NULL;

		for (int read_first = 0; read_first < 2; read_first++) {
			struct lines in;
			struct slice line;

			assert_true(lines_open(&in, path, &f->diags));
			while (read_first && line_next(&in, &line))
				continue;
			const char *digest = stream_digest(in.stream, &f->mem);
			if (cases[i].digest)
				assert_string_equal(digest, cases[i].digest);
			else
				assert_string_not_equal(digest, cases[1].digest);
			assert_string_equal(digest, before ? before : digest);
			before = digest;
			lines_close(&in);
		}
	}
}

static void says_why_a_file_is_not_read(void **state)
{
	struct fixture *f = *state;
	struct lines in;
	struct slice text;

	assert_false(lines_open(&in, "no/such.csv", &f->diags));
	assert_false(lines_open(&in, "tests", &f->diags));
	assert_false(lines_open(&in, "/dev/null", &f->diags));
	assert_false(file_slurp(&f->mem, "no/such.yaml", 100, &text, &f->diags));
	assert_false(file_slurp(&f->mem, "tests", 100, &text, &f->diags));
	assert_string_equal(message(f, 0), "no/such.csv: error: cannot-read: cannot open: No such file or directory");
	assert_string_equal(message(f, 1), "tests: error: cannot-read: not a plain file");
	assert_string_equal(message(f, 2), "/dev/null: error: cannot-read: not a plain file");
	assert_string_equal(message(f, 3), "no/such.yaml: error: cannot-read: cannot open: No such file or directory");
	assert_string_equal(message(f, 4), "tests: error: cannot-read: not a plain file");
}

/* A pipe that nobody writes to must not hang the program. */
static void does_not_wait_for_a_pipe(void **state)
{
	struct fixture *f = *state;
	const char *path = arena_print(&f->mem, "%s/pipe", f->folder.path);
	struct lines in;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(lines_open(&in, path, &f->diags));
	assert_string_equal(f->diags.at[0].text, "not a plain file");
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
		cmocka_unit_test_setup_teardown(cuts_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(marks_lines_with_nul, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bounds_lines_wherever_blocks_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lines_survive_the_ends_of_blocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(peeks_without_consuming, set_up, tear_down),
		cmocka_unit_test_setup_teardown(digests_the_whole_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(says_why_a_file_is_not_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(does_not_wait_for_a_pipe, set_up, tear_down),
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
