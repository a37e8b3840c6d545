/*
 * shards_test.c - runs dealt out among tasks: each is done once, whoever asks comes to the same, and no task has much more than it must.
 */
#include "cmd/shards.h"

#include "files.h"

#include <stdint.h>

#define N_RUNS 500

struct weights {
	struct run_list list;
	struct listed_run at[N_RUNS];
};

/* Weights as logs have them: few that are large. The same for the same seed. */
static struct run_list *make_runs(struct weights *w, uint64_t seed)
{
	w->list = (struct run_list){ .at = w->at, .n = N_RUNS };
	for (size_t i = 0; i < N_RUNS; i++) {
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		const int64_t many = (int64_t)(seed >> 40) % 1000 + 1;
		w->at[i] = (struct listed_run){ i, many * many * many };
	}
	return &w->list;
}

static void each_run_is_of_one_shard(void **state)
{
	struct weights w;

	(void)state;
	for (size_t n_shards = 1; n_shards < 40; n_shards += 6) {
		bool is_dealt[N_RUNS] = { false };
		size_t n = 0;
		for (size_t i = 0; i < n_shards; i++) {
			const struct run_list *const mine = make_runs(&w, 1);
			shard_keep(&w.list, i, n_shards);
			for (size_t k = 0; k < mine->n; k++) {
				assert_true(!k || mine->at[k - 1].place < mine->at[k].place);
				assert_false(is_dealt[mine->at[k].place]);
				is_dealt[mine->at[k].place] = true;
			}
			n += mine->n;
		}
		assert_int_equal(n, N_RUNS);
	}
}

/* Graham 1969: at most 4/3 - 1/(3n) of the best, which is no less than the mean and the heaviest run. */
static void shards_are_as_even_as_can_be(void **state)
{
	struct weights w;

	(void)state;
	for (uint64_t seed = 1; seed < 50; seed++) {
		make_runs(&w, seed);
		for (size_t n = 1; n < 100; n += 7) {
			const struct shard_plan plan = shards_plan(&w.list, n);
			const int64_t mean = plan.total / (int64_t)n, least = mean > plan.heaviest_run ? mean : plan.heaviest_run;
			assert_true(plan.heaviest_shard * 3 <= least * 4 + 3);
			assert_true(plan.lightest_shard <= mean && mean <= plan.heaviest_shard);
			for (size_t i = 0; i < N_RUNS; i++)
				assert_int_equal(w.at[i].place, i);
		}
	}
}

static void equal_runs_are_dealt_in_order(void **state)
{
	static const struct listed_run runs[] = { { 0, 5 }, { 1, 5 }, { 2, 9 }, { 3, 5 } };
	static const size_t heaviest_first[] = { 2, 0, 1, 3 }, shards[2][2] = { { 2, 3 }, { 0, 1 } };
	struct listed_run at[4];
	struct run_list list = { .at = at };

	(void)state;
	for (size_t shard = 0; shard < 2; shard++) {
		memcpy(at, runs, sizeof at);
		list.n = 4;
		shard_keep(&list, shard, 2);
		assert_int_equal(list.n, 2);
		assert_int_equal(at[0].place, shards[shard][0]);
		assert_int_equal(at[1].place, shards[shard][1]);
	}
	memcpy(at, runs, sizeof at);
	list.n = 4;
	assert_int_equal(shards_plan(&list, 6).n_empty, 2);
	assert_int_equal(shards_plan(&list, 6).most_useful, 3);
	run_list_sort_by_weight(&list);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(at[i].place, heaviest_first[i]);
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
		cmocka_unit_test(each_run_is_of_one_shard),
		cmocka_unit_test(shards_are_as_even_as_can_be),
		cmocka_unit_test(equal_runs_are_dealt_in_order),
		cmocka_unit_test(a_pattern_takes_the_id_from_a_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
