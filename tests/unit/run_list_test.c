/* run_list_test.c - a run comes back from a list as it was, and bytes that are no run are none. */
#include "cmd/run_list.h"

#include "files.h"

#define N_RUNS 4000 /* of a hundred bytes and more: some of them are in the list's file */

static const char inputs[] = "0123456789abcdef0123456789abcdef";

static struct found_run made_run(struct arena *mem, size_t i)
{
	const char **const paths = NEW_ARRAY(mem, const char *, i % 3);
	struct found_run run = { .id = arena_print(mem, "2024/%02zu/job-%zu", i % 12, i), .paths = { paths, i % 3 }, .bytes = (int64_t)i << 33,
		.weight = (int64_t)(i * 7919 % 1000), .owner = (unsigned)(i % 5) };

	for (size_t k = 0; k < i % 3; k++)
		paths[k] = arena_print(mem, "/archive/2024/%zu/node%02zu/gpu.csv", i, k);
	memcpy(run.inputs, inputs, sizeof run.inputs);
	return run;
}

static void put_runs(struct fixture *f, struct run_list *list)
{
	struct buf packed;

	buf_init(&packed, 4096);
	for (size_t i = 0; i < N_RUNS; i++) {
		const struct found_run run = made_run(&f->mem, i);
		packed.n = 0;
		run_pack(&packed, &run);
		run_list_add(list, buf_slice(&packed), run.weight);
	}
	buf_release(&packed);
}

static void is_run(struct fixture *f, struct run_list *list, size_t at, size_t i)
{
	const struct found_run expected = made_run(&f->mem, i), run = run_list_get(&f->mem, list, list->at[at]);

	assert_string_equal(run.id, expected.id);
	assert_string_equal(run.inputs, expected.inputs);
	assert_int_equal(run.bytes, expected.bytes);
	assert_int_equal(run.weight, expected.weight);
	assert_int_equal(run.owner, expected.owner);
	assert_int_equal(run.paths.n, expected.paths.n);
	for (size_t k = 0; k < run.paths.n; k++)
		assert_string_equal(run.paths.at[k], expected.paths.at[k]);
}

static void runs_come_back_as_they_were(void **state)
{
	struct fixture *f = *state;
	struct run_list list;

	run_list_init(&list);
	put_runs(f, &list);
	assert_int_equal(list.n, N_RUNS);
	assert_true(list.runs.n_in_file > 0);
	for (size_t i = 0; i < N_RUNS; i++)
		is_run(f, &list, i, i);
	run_list_sort_by_weight(&list);
	for (size_t i = 1; i < N_RUNS; i++) {
		const struct listed_run a = list.at[i - 1], b = list.at[i];
		assert_true(a.weight > b.weight || (a.weight == b.weight && a.place < b.place));
		assert_int_equal(run_list_get(&f->mem, &list, b).weight, b.weight);
	}
	run_list_sort_by_id(&list);
	is_run(f, &list, N_RUNS - 1, N_RUNS - 1);
	run_list_release(&list);
}

static void strays_come_back_in_order(void **state)
{
	struct fixture *f = *state;
	struct run_list list;
	struct stray stray;
	uint64_t place = 0;

	run_list_init(&list);
	run_list_add_stray(&list, slice_of("a\n.csv"), slice_of("it is a link"));
	run_list_add_stray(&list, slice_of("b.csv"), slice_of(""));
	assert_int_equal(list.n_strays, 2);
	assert_true(run_list_next_stray(&f->mem, &list, &place, &stray));
	assert_string_equal(stray.path, "a\n.csv");
	assert_string_equal(stray.why, "it is a link");
	assert_true(run_list_next_stray(&f->mem, &list, &place, &stray));
	assert_string_equal(stray.path, "b.csv");
	assert_string_equal(stray.why, "");
	assert_false(run_list_next_stray(&f->mem, &list, &place, &stray));
	run_list_release(&list);
}

/* They come from a process that may be another one's by then. */
static void bytes_that_are_no_run_are_refused(void **state)
{
	struct fixture *f = *state;
	struct found_run run = made_run(&f->mem, 2), again;
	struct buf packed;

	buf_init(&packed, 4096);
	run_pack(&packed, &run);
	assert_true(run_unpack(&f->mem, buf_slice(&packed), &again));
	for (size_t n = 0; n < packed.n; n++) { /* of its paths it may lose some */
		const struct slice cut = { packed.at, n };
		assert_int_equal(run_unpack(&f->mem, cut, &again), n > 24 + sizeof inputs && !packed.at[n - 1]);
	}
	packed.at[24 + 5] = '\0';
	assert_false(run_unpack(&f->mem, buf_slice(&packed), &again));
	buf_release(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(runs_come_back_as_they_were, set_up, tear_down),
		cmocka_unit_test_setup_teardown(strays_come_back_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bytes_that_are_no_run_are_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
