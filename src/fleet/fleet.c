/*
 * fleet.c - many runs become one account.
 *
 *     ranked              most GPU time lost first: what to fix first; of equal losses the worst verdict, since memory errors cost no time
 *     first               how few runs hold most of the loss
 *     added up            by cause, by host, by kind of card, by week
 *     compared            each run with those of its group, the last week with those before, a GPU with all others
 *
 * Everything is counted in integers, and every list has a total order: no result depends on the order in which records came.
 */
#include "fleet/shared_names.h"
#include "fleet/tallies.h"

#include <stdlib.h>

/* ------------------------------------------------ integers that stay in range */

int64_t sum_capped(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Both are halved until the product fits: a run has less than 2^53 microseconds, a fleet less than 2^63. */
int64_t millionths_of(int64_t part, int64_t whole)
{
	while (whole > INT64_MAX / 1000000 / 2) {
		part /= 2;
		whole /= 2;
	}
	return whole > 0 ? part * 1000000 / whole : 0;
}

/* ------------------------------------------------ ranks */

static int by_loss(const void *a, const void *b)
{
	const struct record *const x = ((const struct fleet_run *)a)->record, *const y = ((const struct fleet_run *)b)->record;

	if (x->lost_us != y->lost_us)
		return x->lost_us > y->lost_us ? -1 : 1;
	const size_t a_rank = record_rank(x), b_rank = record_rank(y);
	return a_rank != b_rank ? (a_rank > b_rank) - (a_rank < b_rank) : strcmp(x->id, y->id);
}

static int by_status(const void *a, const void *b)
{
	const struct record *const x = *(const struct record *const *)a, *const y = *(const struct record *const *)b;

	return x->status != y->status ? (int)x->status - (int)y->status : strcmp(x->id, y->id);
}

static void deal_runs(struct arena *mem, struct fleet *fleet, const struct record *records, const char *const *groups, size_t n)
{
	struct fleet_run *runs;

	for (size_t i = 0; i < n; i++) {
		fleet->n_of_status[records[i].status]++;
		fleet->n_runs += record_has_report(&records[i]);
	}
	fleet->runs = runs = NEW_ARRAY(mem, struct fleet_run, fleet->n_runs);
	fleet->without = NEW_ARRAY(mem, const struct record *, n - fleet->n_runs);
	for (size_t i = 0; i < n; i++) {
		const struct record *const r = &records[i];
		if (record_has_report(r))
			*runs++ = (struct fleet_run){
				.record = r,
				.group = groups && groups[i] ? groups[i] : "",
				.lost_millionths = (int32_t)millionths_of(r->lost_us, r->gpu_us),
				.worse_than = -1,
			};
		else
			fleet->without[fleet->n_without++] = r;
	}
	if (fleet->n_runs)
		qsort((struct fleet_run *)fleet->runs, fleet->n_runs, sizeof *fleet->runs, by_loss);
	if (fleet->n_without)
		qsort(fleet->without, fleet->n_without, sizeof *fleet->without, by_status);
}

static void add_up(struct fleet *fleet)
{
	fleet->begin = fleet->end = TIME_UNKNOWN;
	for (size_t i = 0; i < fleet->n_runs; i++) {
		const struct record *const r = fleet->runs[i].record;
		fleet->gpu_us = sum_capped(fleet->gpu_us, r->gpu_us);
		fleet->normal_us = sum_capped(fleet->normal_us, r->normal_us);
		fleet->lost_us = sum_capped(fleet->lost_us, r->lost_us);
		fleet->overhead_us = sum_capped(fleet->overhead_us, r->overhead_us);
		fleet->no_log_us = sum_capped(fleet->no_log_us, r->no_log_us);
		if (r->begin != TIME_UNKNOWN && (fleet->begin == TIME_UNKNOWN || r->begin < fleet->begin))
			fleet->begin = r->begin;
		if (r->end != TIME_UNKNOWN && r->end > fleet->end)
			fleet->end = r->end;
	}
}

#define MOST_FIRST 10

static void find_first(struct fleet *fleet)
{
	while (fleet->n_first < fleet->n_runs && fleet->n_first < MOST_FIRST && millionths_of(fleet->first_us, fleet->lost_us) < 900000 &&
		fleet->runs[fleet->n_first].record->lost_us > 0)
		fleet->first_us = sum_capped(fleet->first_us, fleet->runs[fleet->n_first++].record->lost_us);
}

/* ------------------------------------------------ each run beside its group */

static int by_group_and_share(const void *a, const void *b)
{
	const struct fleet_run *const x = *(struct fleet_run *const *)a, *const y = *(struct fleet_run *const *)b;
	const int order = strcmp(x->group, y->group);

	return order ? order : (x->lost_millionths > y->lost_millionths) - (x->lost_millionths < y->lost_millionths);
}

/* Of a group, which stands in order of its shares. */
static void compare_group(struct fleet_run **runs, size_t n)
{
	size_t n_below = 0;

	for (size_t i = 0; i < n && n > 1; i++) {
		if (i && runs[i]->lost_millionths > runs[i - 1]->lost_millionths)
			n_below = i;
		runs[i]->worse_than = (int32_t)(100 * n_below / (n - 1));
	}
}

static void compare_runs(struct fleet *fleet)
{
	struct arena scratch;
	size_t end;

	if (!fleet->n_runs)
		return;
	arena_init(&scratch);
	struct fleet_run **const runs = NEW_RAW_ARRAY(&scratch, struct fleet_run *, fleet->n_runs);
	for (size_t i = 0; i < fleet->n_runs; i++)
		runs[i] = (struct fleet_run *)&fleet->runs[i];
	qsort(runs, fleet->n_runs, sizeof *runs, by_group_and_share);
	for (size_t begin = 0; begin < fleet->n_runs; begin = end) {
		for (end = begin + 1; end < fleet->n_runs && strcmp(runs[begin]->group, runs[end]->group) == 0;)
			end++;
		compare_group(runs + begin, end - begin);
	}
	arena_release(&scratch);
}

/* ------------------------------------------------ is it getting better? */

#define WEEKS_BEFORE 4

static void compare_weeks(struct fleet *fleet)
{
	const struct fleet_sums *const weeks = &fleet->weeks;

	if (!weeks->n)
		return;
	fleet->last_week = &weeks->at[weeks->n - 1];
	for (size_t i = weeks->n - 1; i > 0 && fleet->n_weeks_before < WEEKS_BEFORE; i--, fleet->n_weeks_before++) {
		fleet->weeks_before.n_runs += weeks->at[i - 1].n_runs;
		fleet->weeks_before.gpu_us = sum_capped(fleet->weeks_before.gpu_us, weeks->at[i - 1].gpu_us);
		fleet->weeks_before.lost_us = sum_capped(fleet->weeks_before.lost_us, weeks->at[i - 1].lost_us);
	}
}

const struct fleet *fleet_build(struct arena *mem, const struct record *records, const char *const *groups, size_t n)
{
	struct fleet *const fleet = NEW(mem, struct fleet);

	deal_runs(mem, fleet, records, groups, n);
	add_up(fleet);
	find_first(fleet);
	compare_runs(fleet);
	tally_runs(mem, fleet);
	tally_hardware(mem, fleet);
	compare_weeks(fleet);
	return fleet;
}
