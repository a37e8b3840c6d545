/* shards.c - the heaviest first, each to whom has least. */
#include "cmd/shards.h"

#include "base/heap.h"

struct load {
	int64_t weight;
	size_t shard;
};

/* The shard that has least; of several the first. */
static bool is_before(const void *a, const void *b)
{
	const struct load *const x = a, *const y = b;

	return x->weight != y->weight ? x->weight < y->weight : x->shard < y->shard;
}

struct loads {
	struct load *at; /* by number of the shard */
	void **heap;     /* the first has least */
	size_t n;
};

static struct loads loads_new(struct arena *mem, size_t n_shards)
{
	const struct loads loads = { NEW_ARRAY(mem, struct load, n_shards), NEW_ARRAY(mem, void *, n_shards), n_shards };

	for (size_t i = 0; i < n_shards; i++) {
		loads.at[i].shard = i;
		loads.heap[i] = &loads.at[i];
	}
	return loads;
}

/* To which shard; of the runs the heaviest comes first. */
static size_t deal_next(const struct loads *loads, int64_t weight)
{
	struct load *const least = loads->heap[0];

	least->weight += weight;
	heap_sink_first(loads->heap, loads->n, is_before);
	return least->shard;
}

void shard_keep(struct run_list *list, size_t shard, size_t n_shards)
{
	struct arena scratch;
	size_t n = 0;

	arena_init(&scratch);
	const struct loads loads = loads_new(&scratch, n_shards);
	run_list_sort_by_weight(list);
	for (size_t i = 0; i < list->n; i++)
		if (deal_next(&loads, list->at[i].weight) == shard)
			list->at[n++] = list->at[i];
	list->n = n;
	run_list_sort_by_id(list);
	arena_release(&scratch);
}

static struct shard_plan plan_of(const struct run_list *list, const struct loads *loads)
{
	struct shard_plan plan = { .lightest_shard = INT64_MAX };

	for (size_t i = 0; i < list->n; i++)
		plan.total += list->at[i].weight;
	if (list->n)
		plan.heaviest_run = list->at[0].weight;
	for (size_t i = 0; i < loads->n; i++) {
		const int64_t weight = loads->at[i].weight;
		plan.heaviest_shard = weight > plan.heaviest_shard ? weight : plan.heaviest_shard;
		plan.lightest_shard = weight < plan.lightest_shard ? weight : plan.lightest_shard;
		plan.n_empty += weight == 0;
	}
	plan.most_useful = plan.heaviest_run ? (size_t)((plan.total + plan.heaviest_run - 1) / plan.heaviest_run) : 0;
	return plan;
}

struct shard_plan shards_plan(struct run_list *list, size_t n_shards)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct loads loads = loads_new(&scratch, n_shards);
	run_list_sort_by_weight(list);
	for (size_t i = 0; i < list->n; i++)
		deal_next(&loads, list->at[i].weight);
	const struct shard_plan plan = plan_of(list, &loads);
	run_list_sort_by_id(list);
	arena_release(&scratch);
	return plan;
}
