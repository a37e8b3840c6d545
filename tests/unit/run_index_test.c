/*
 * run_index_test.c - an index is whole or it is not used: any byte that is cut off or changed is noticed.
 */
#include "cmd/run_index.h"

#include "base/file.h"
#include "files.h"

#define RULES "xxh128:00112233445566778899aabbccddeeff"

static const struct index_head shard = { .rules = RULES, .runs = 3, .work = "xxh128:ff", .shard = 1, .shards = 2 };

static const char *written(struct fixture *f, const struct index_head *head)
{
	const char *const path = arena_print(&f->mem, "%s/deep/part.jsonl", f->folder.path);
	struct index_writer w;

	index_begin(&f->mem, &w, path, head);
	index_put(&w, slice_of("{\"id\":\"a\",\"status\":\"ok\"}"));
	index_put(&w, slice_of("{\"id\":\"b/c\",\"status\":\"timeout\"}"));
	assert_true(index_end(&w, &f->diags));
	return path;
}

static void is_read_as_it_was_written(void **state)
{
	struct fixture *f = *state;
	const char *const path = written(f, &shard);
	struct index_reader r;
	struct index_head head;
	struct slice line;

	assert_int_equal(index_check(&f->mem, path, &head), INDEX_THERE);
	assert_int_equal(head.records, 2);
	assert_int_equal(head.runs, 3);
	assert_int_equal(head.shard, 1);
	assert_string_equal(head.work, "xxh128:ff");
	assert_true(index_open(&f->mem, &r, path));
	assert_true(index_next(&r, &line) && slice_is(index_text(line, "id"), "a"));
	assert_true(index_next(&r, &line) && slice_is(index_text(line, "id"), "b/c"));
	assert_false(index_next(&r, &line));
	index_close(&r);
	assert_int_equal(index_check(&f->mem, "no/such.jsonl", &head), INDEX_MISSING);
}

static void every_cut_and_every_change_is_noticed(void **state)
{
	struct fixture *f = *state;
	const char *const path = written(f, &shard);
	struct index_head head;
	struct slice whole;

	assert_true(file_slurp(&f->mem, path, 4096, &whole, &f->diags));
	for (size_t i = 0; i < whole.n; i++) {
		const char *const cut = folder_put(&f->folder, &f->mem, "cut.jsonl", (struct slice){ whole.p, i });
		assert_int_equal(index_check(&f->mem, cut, &head), INDEX_DAMAGED);
		char *const changed = arena_text(&f->mem, whole.p, whole.n);
		changed[i] ^= 1;
		const char *const other = folder_put(&f->folder, &f->mem, "other.jsonl", (struct slice){ changed, whole.n });
		assert_int_equal(index_check(&f->mem, other, &head), INDEX_DAMAGED);
	}
}

static void an_index_says_nothing_of_shards(void **state)
{
	struct fixture *f = *state;
	const char *const path = written(f, &(struct index_head){ .rules = RULES, .runs = 3, .missing = 1 });
	struct slice whole;

	assert_true(file_slurp(&f->mem, path, 4096, &whole, &f->diags));
	assert_false(slice_has(whole, "shard"));
	assert_true(slice_has(whole, "\"runs\":3,\"missing\":1}"));
}

static void what_cannot_be_written_leaves_what_was_there(void **state)
{
	struct fixture *f = *state;
	const char *const path = arena_print(&f->mem, "%s/taken", f->folder.path);
	struct publication p;

	assert_int_equal(mkdir(path, 0700), 0); /* a folder of that name, with something in it */
	folder_put(&f->folder, &f->mem, "taken/inside", slice_of("x"));
	publish_begin(&f->mem, &p, path);
	publish_put(&p, slice_of("new"));
	assert_false(publish_end(&p, &f->diags));
	assert_true(path_is_folder(path));
	assert_int_equal(f->diags.at[0].code, DIAG_CANNOT_WRITE);
	size_t n;
	folder_files(&f->mem, f->folder.path, &n, &f->diags);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_read_as_it_was_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_cut_and_every_change_is_noticed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_index_says_nothing_of_shards, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_written_leaves_what_was_there, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
