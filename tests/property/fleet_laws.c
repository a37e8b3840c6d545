/*
 * fleet_laws.c - what is told of many runs is that of the runs that lost most, and all its tables add up to the runs.
 */
#include "laws.h"

#include "base/buf.h"
#include "fleets.h"
#include "made_records.h"

#include <inttypes.h>

static struct record *any_records(struct random *r, struct arena *mem, size_t *n)
{
	*n = (size_t)random_below(r, 60);
	const enum made made = random_below(r, 2) ? MADE_HOSTILE : MADE_COMMON;
	return records_made(random_bits(r), mem, made, *n);
}

/* Is a run to be looked at before another one? */
static bool is_before(const struct record *a, const struct record *b)
{
	if (a->lost_us != b->lost_us)
		return a->lost_us > b->lost_us;
	return record_rank(a) != record_rank(b) ? record_rank(a) < record_rank(b) : strcmp(a->id, b->id) < 0;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same_run(struct arena *mem, const struct fleet *f, size_t at, const struct record *r)
{
	const struct record kept = fleet_record(mem, f, &f->runs[at]);

	return is_same_text(kept.id, r->id) && is_same_text(kept.key, r->key) && is_same_text(kept.why, r->why) && is_same_text(kept.report, r->report) &&
	       is_same_text(kept.severity, r->severity) && is_same_text(kept.verdict, r->verdict) && kept.status == r->status && kept.bytes == r->bytes &&
	       kept.begin == r->begin && kept.end == r->end && kept.gpu_us == r->gpu_us && kept.normal_us == r->normal_us &&
	       kept.lost_us == r->lost_us && kept.suppressed_us == r->suppressed_us && kept.overhead_us == r->overhead_us && kept.no_log_us == r->no_log_us && kept.n_gpus == r->n_gpus &&
	       kept.hosts.n == r->hosts.n && kept.n_causes == r->n_causes && (!r->hosts.n || is_same_text(kept.hosts.at[0], r->hosts.at[0])) &&
	       (!r->n_causes || (is_same_text(kept.causes[0].label, r->causes[0].label) && kept.causes[0].severity == r->causes[0].severity));
}

/* Each stands behind all that come before it, and is what it was. */
static bool runs_are_ranked(struct random *r, struct arena *mem)
{
	size_t n, n_ranked = 0;
	const struct record *const records = any_records(r, mem, &n);
	const struct fleet *const f = fleet_build(mem, records, NULL, n);
	bool good = true;

	for (size_t i = 0; i < n; i++) {
		size_t n_before = 0;
		if (!record_has_report(&records[i]))
			continue;
		for (size_t k = 0; k < n; k++)
			n_before += record_has_report(&records[k]) && is_before(&records[k], &records[i]);
		good = good && is_same_run(mem, f, n_before, &records[i]);
		n_ranked++;
	}
	good = good && n_ranked == f->n_runs;
	fleet_release(f);
	return good;
}

/* Of all runs that have the rule the one that comes first. */
static const char *label_of_first(const struct record *records, size_t n, const char *rule)
{
	const struct record *first = NULL;
	const char *label = NULL;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < records[i].n_causes; k++)
			if (strcmp(records[i].causes[k].rule, rule) == 0 && (!first || is_before(&records[i], first))) {
				first = &records[i];
				label = records[i].causes[k].rule_label;
			}
	return label;
}

static bool is_named_before(const struct record_gpu *gpu, const struct record *of, const char *entity, const struct record *first)
{
	const bool has_host = strchr(gpu->entity, '/'), had_host = strchr(entity, '/');

	return has_host != had_host ? has_host : is_before(of, first);
}

/* The same of a card that is known by its UUID, where a run that tells its host comes before those that don't. */
static const char *entity_of_first(const struct record *records, size_t n, const char *uuid)
{
	const struct record *first = NULL;
	const char *entity = NULL;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; record_has_report(&records[i]) && k < records[i].n_gpus; k++)
			if (is_same_text(records[i].gpus[k].uuid, uuid) &&
				(!first || is_named_before(&records[i].gpus[k], &records[i], entity, first))) {
				first = &records[i];
				entity = records[i].gpus[k].entity;
			}
	return entity;
}

static bool names_are_of_the_run_that_lost_most(struct random *r, struct arena *mem)
{
	size_t n;
	const struct record *const records = any_records(r, mem, &n);
	const struct fleet *const f = fleet_build(mem, records, NULL, n);
	bool good = true;

	for (size_t i = 0; i < f->causes.n; i++)
		good = good && strcmp(f->causes.at[i].label, label_of_first(records, n, f->causes.at[i].name)) == 0;
	for (size_t i = 0; i < f->n_hardware; i++)
		if (f->hardware[i].uuid)
			good = good && is_same_text(f->hardware[i].entity, entity_of_first(records, n, f->hardware[i].uuid));
	fleet_release(f);
	return good;
}

static void add(struct fleet_sums sums, int64_t *gpu_us, int64_t *lost_us)
{
	*gpu_us = *lost_us = 0;
	for (size_t i = 0; i < sums.n; i++) {
		*gpu_us += sums.at[i].gpu_us;
		*lost_us += sums.at[i].lost_us;
	}
}

static bool is_sum_of(const struct fleet *f, struct fleet_sums sums, int64_t all_us)
{
	int64_t gpu_us, lost_us;

	add(sums, &gpu_us, &lost_us);
	return gpu_us == all_us && lost_us == f->lost_us;
}

static bool tables_add_up(struct random *r, struct arena *mem)
{
	size_t n;
	const struct record *const records = any_records(r, mem, &n);
	const struct fleet *const f = fleet_build(mem, records, NULL, n);
	int64_t gpu_us, lost_us;

	add(f->causes, &gpu_us, &lost_us);
	const bool good = is_sum_of(f, f->hosts, f->gpu_us) && is_sum_of(f, f->cards, f->gpu_us) &&
			  is_sum_of(f, f->weeks, f->gpu_us - f->no_log_us) && lost_us + f->unexplained_us == f->lost_us &&
			  f->normal_us + f->lost_us + f->suppressed_us + f->overhead_us + f->no_log_us == f->gpu_us && f->n_runs + f->n_without == n;
	fleet_release(f);
	return good;
}

/* As large as a record can be: sums stay where they are, and nothing overflows. */
static bool largest_runs_do_no_harm(struct random *r, struct arena *mem)
{
	const size_t n = 1025 + (size_t)random_below(r, 10);
	struct record *const records = NEW_ARRAY(mem, struct record, n);
	struct record_gpu gpu = { "node/gpu0", NULL, NULL, { NULL, 0 } };

	for (size_t i = 0; i < n; i++)
		records[i] = (struct record){ .id = arena_print(mem, "%zu", i), .severity = "note", .gpus = &gpu, .n_gpus = 1, .gpu_us = RECORD_MOST_US,
			.lost_us = RECORD_MOST_US, .begin = -RECORD_MOST_US, .end = RECORD_MOST_US };
	const struct fleet *const f = fleet_build(mem, records, NULL, n);
	const bool good = f->lost_us == INT64_MAX && f->hosts.at[0].lost_us == INT64_MAX && f->runs[0].lost_millionths >= 999999;
	fleet_release(f);
	return good;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(runs_are_ranked, 100),
		LAW_ONE_IN(names_are_of_the_run_that_lost_most, 100),
		LAW_ONE_IN(tables_add_up, 100),
		LAW_ONE_IN(largest_runs_do_no_harm, 10000),
	};

	return laws_check(laws, sizeof laws / sizeof *laws, argc, argv);
}
