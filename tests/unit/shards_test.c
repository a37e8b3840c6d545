/*
 * shards_test.c - runs dealt out among tasks: each is done once, whoever asks comes to the same, and no task has much more than it must.
 */
#include "cmd/shards.h"

#include "files.h"

#include <stdint.h>

#define N_RUNS 500

/* Weights as logs have them: few that are large. The same for the same seed. */
static struct found_runs made_runs(struct arena *mem, uint64_t seed)
{
	struct found_runs runs = { .at = NEW_ARRAY(mem, struct found_run, N_RUNS), .n = N_RUNS };

	for (size_t i = 0; i < runs.n; i++) {
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		const int64_t many = (int64_t)(seed >> 40) % 1000 + 1;
		runs.at[i] = (struct found_run){ .id = arena_print(mem, "job-%04zu", i), .weight = many * many * many };
	}
	return runs;
}

static void each_run_is_of_one_shard(void **state)
{
	struct fixture *f = *state;
	const struct found_runs runs = made_runs(&f->mem, 1);

	for (size_t n_shards = 1; n_shards < 40; n_shards += 6) {
		size_t n = 0;
		for (size_t i = 0; i < n_shards; i++) {
			const struct found_runs mine = shard_runs(&f->mem, &runs, i, n_shards);
			for (size_t k = 1; k < mine.n; k++)
				assert_true(strcmp(mine.at[k - 1].id, mine.at[k].id) < 0);
			n += mine.n;
		}
		assert_int_equal(n, runs.n);
	}
}

/* Graham 1969: at most 4/3 - 1/(3n) of the best, which is no less than the mean and the heaviest run. */
static void shards_are_as_even_as_can_be(void **state)
{
	struct fixture *f = *state;

	for (uint64_t seed = 1; seed < 50; seed++) {
		const struct found_runs runs = made_runs(&f->mem, seed);
		for (size_t n = 1; n < 100; n += 7) {
			const struct shard_plan plan = shards_plan(&f->mem, &runs, n);
			const int64_t mean = plan.total / (int64_t)n, least = mean > plan.heaviest_run ? mean : plan.heaviest_run;
			assert_true(plan.heaviest_shard * 3 <= least * 4 + 3);
			assert_true(plan.lightest_shard <= mean && mean <= plan.heaviest_shard);
		}
	}
}

static void equal_runs_are_dealt_in_order(void **state)
{
	struct fixture *f = *state;
	struct found_run at[] = { { .id = "a", .weight = 5 }, { .id = "b", .weight = 5 }, { .id = "c", .weight = 9 },
		{ .id = "d", .weight = 5 } };
	const struct found_runs runs = { .at = at, .n = 4 };
	static const size_t heaviest_first[] = { 2, 0, 1, 3 }, shard_of[] = { 1, 1, 0, 0 };
	const size_t *const order = runs_by_weight(&f->mem, &runs), *const dealt = shards_dealt(&f->mem, &runs, 2);

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(order[i], heaviest_first[i]);
		assert_int_equal(dealt[i], shard_of[i]);
	}
	assert_int_equal(shards_plan(&f->mem, &runs, 6).n_empty, 2);
	assert_int_equal(shards_plan(&f->mem, &runs, 6).most_useful, 3);
}

static void a_pattern_takes_the_id_from_a_path(void **state)
{
	static const struct {
		const char *pattern, *path, *id; /* NULL: it does not fit */
	} cases[] = {
		{ "job-{run}-*.csv", "job-17-gpu.csv", "17" },
		{ "job-{run}-*.csv", "logs/node01/job-17-gpu.csv", "17" },
		{ "job-{run}-*.csv", "job-17.csv", NULL },
		{ "job-{run}-*.csv", "myjob-17-gpu.csv", NULL },
		{ "job-{run}.csv", "job-.csv", NULL },
		{ "{run}/*/gpu.csv", "2024/17/node01/gpu.csv", "17" },
		{ "{run}/*/gpu.csv", "17/node01/deep/gpu.csv", "node01" }, /* the end of the path fits */
		{ "{run}/*/gpu.csv", "17/gpu.csv", NULL },
		{ "{run}.csv", "a.b.csv", "a.b" },
		{ "*{run}*", "abc", "a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct slice id = { "", 0 };
		assert_int_equal(run_pattern_fits(cases[i].pattern, cases[i].path, &id), cases[i].id != NULL);
		if (cases[i].id)
			assert_true(slice_is(id, cases[i].id));
	}
	assert_true(run_pattern_is_good("job-{run}.csv"));
	assert_false(run_pattern_is_good("job-*.csv"));
	assert_false(run_pattern_is_good("{run}/{run}.csv"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_run_is_of_one_shard, set_up, tear_down),
		cmocka_unit_test_setup_teardown(shards_are_as_even_as_can_be, set_up, tear_down),
		cmocka_unit_test_setup_teardown(equal_runs_are_dealt_in_order, set_up, tear_down),
		cmocka_unit_test(a_pattern_takes_the_id_from_a_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
