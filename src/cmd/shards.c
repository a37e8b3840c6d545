/* shards.c - the heaviest first, each to whom has least. */
#include "cmd/shards.h"

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

/* A heap: the shard that has least is at its top, of several the first. */
struct load {
	int64_t weight;
	size_t shard;
};

static bool is_before(struct load a, struct load b)
{
	return a.weight != b.weight ? a.weight < b.weight : a.shard < b.shard;
}

static void sink(struct load *heap, size_t n)
{
	for (size_t at = 0, least = 0;; at = least) {
		for (size_t child = 2 * at + 1; child < 2 * at + 3 && child < n; child++)
			if (is_before(heap[child], heap[least]))
				least = child;
		if (least == at)
			return;
		const struct load moved = heap[at];
		heap[at] = heap[least];
		heap[least] = moved;
	}
}

/* The loads at the end, in `heap`, which has room for n_shards. */
static size_t *deal(struct arena *mem, const struct found_runs *runs, struct load *heap, size_t n_shards)
{
	const size_t *const order = runs_by_weight(mem, runs);
	size_t *const shard_of = NEW_ARRAY(mem, size_t, runs->n);

	for (size_t i = 0; i < n_shards; i++)
		heap[i] = (struct load){ 0, i };
	for (size_t i = 0; i < runs->n; i++) {
		shard_of[order[i]] = heap[0].shard;
		heap[0].weight += runs->at[order[i]].weight;
		sink(heap, n_shards);
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
