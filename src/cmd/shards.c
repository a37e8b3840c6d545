/* shards.c - the heaviest first, each to whom has least. */
#include "cmd/shards.h"

#include "base/heap.h"

#include <stdlib.h>

struct weighed {
	int64_t weight;
	size_t run; /* in order of ids */
};

static int heaviest_first(const void *a, const void *b)
{
	const struct weighed *const x = a, *const y = b;

	return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight) : (x->run > y->run) - (x->run < y->run);
}

size_t *runs_by_weight(struct arena *mem, const struct found_runs *runs)
{
	struct weighed *const all = NEW_ARRAY(mem, struct weighed, runs->n);
	size_t *const order = NEW_ARRAY(mem, size_t, runs->n);

	for (size_t i = 0; i < runs->n; i++)
		all[i] = (struct weighed){ runs->at[i].weight, i };
	if (runs->n)
		qsort(all, runs->n, sizeof *all, heaviest_first);
	for (size_t i = 0; i < runs->n; i++)
		order[i] = all[i].run;
	return order;
}

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

/* The loads at the end, in `loads`, beside the shards. */
static size_t *deal(struct arena *mem, const struct found_runs *runs, struct load *loads, size_t n_shards)
{
	const size_t *const order = runs_by_weight(mem, runs);
	size_t *const shard_of = NEW_ARRAY(mem, size_t, runs->n);
	void **const heap = NEW_ARRAY(mem, void *, n_shards);

	for (size_t i = 0; i < n_shards; i++) {
		loads[i] = (struct load){ 0, i };
		heap[i] = &loads[i];
	}
	for (size_t i = 0; i < runs->n; i++) {
		struct load *const least = heap[0];
		shard_of[order[i]] = least->shard;
		least->weight += runs->at[order[i]].weight;
		heap_sink_first(heap, n_shards, is_before);
	}
	return shard_of;
}

size_t *shards_dealt(struct arena *mem, const struct found_runs *runs, size_t n_shards)
{
	return deal(mem, runs, NEW_ARRAY(mem, struct load, n_shards), n_shards);
}

struct found_runs shard_runs(struct arena *mem, const struct found_runs *runs, size_t shard, size_t n_shards)
{
	const size_t *const shard_of = shards_dealt(mem, runs, n_shards);
	struct found_runs mine = { .at = NEW_ARRAY(mem, struct found_run, runs->n) };

	for (size_t i = 0; i < runs->n; i++)
		if (shard_of[i] == shard)
			mine.at[mine.n++] = runs->at[i];
	return mine;
}

struct shard_plan shards_plan(struct arena *mem, const struct found_runs *runs, size_t n_shards)
{
	struct load *const loads = NEW_ARRAY(mem, struct load, n_shards);
	struct shard_plan plan = { .lightest_shard = INT64_MAX };

	deal(mem, runs, loads, n_shards);
	for (size_t i = 0; i < runs->n; i++) {
		plan.total += runs->at[i].weight;
		if (runs->at[i].weight > plan.heaviest_run)
			plan.heaviest_run = runs->at[i].weight;
	}
	for (size_t i = 0; i < n_shards; i++) {
		plan.heaviest_shard = loads[i].weight > plan.heaviest_shard ? loads[i].weight : plan.heaviest_shard;
		plan.lightest_shard = loads[i].weight < plan.lightest_shard ? loads[i].weight : plan.lightest_shard;
		plan.n_empty += loads[i].weight == 0;
	}
	plan.most_useful = plan.heaviest_run ? (size_t)((plan.total + plan.heaviest_run - 1) / plan.heaviest_run) : 0;
	return plan;
}
