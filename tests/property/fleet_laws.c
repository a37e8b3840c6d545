/*
 * fleet_laws.c - many runs give the same account in any order, and all its tables add up to the runs.
 */
#include "laws.h"

#include "base/buf.h"
#include "made_records.h"

#include <inttypes.h>

static struct record *any_records(struct random *r, struct arena *mem, size_t *n)
{
	*n = (size_t)random_below(r, 60);
	const enum made made = random_below(r, 2) ? MADE_HOSTILE : MADE_COMMON;
	return records_made(random_bits(r), mem, made, *n);
}

static void put_sums(struct buf *out, struct fleet_sums sums)
{
	for (size_t i = 0; i < sums.n; i++)
		buf_print(out, "%s|%s|%d|%zu|%" PRId64 "|%" PRId64 "\n", sums.at[i].name, sums.at[i].label ? sums.at[i].label : "-", (int)sums.at[i].severity,
			sums.at[i].n_runs, sums.at[i].gpu_us, sums.at[i].lost_us);
}

/* All that it says. */
static const char *told(struct arena *mem, const struct fleet *f)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	for (size_t i = 0; i < f->n_runs; i++)
		buf_print(&out, "%s %s %d %d\n", f->runs[i].record->id, f->runs[i].group, f->runs[i].lost_millionths, f->runs[i].worse_than);
	for (size_t i = 0; i < f->n_without; i++)
		buf_print(&out, "%s\n", f->without[i]->id);
	for (size_t i = 0; i < N_RUN_STATUSES; i++)
		buf_print(&out, "%zu ", f->n_of_status[i]);
	buf_print(&out, "%" PRId64 " %" PRId64 " %" PRId64 " %zu %" PRId64 "\n", f->gpu_us, f->lost_us, f->unexplained_us, f->n_first, f->first_us);
	put_sums(&out, f->causes);
	put_sums(&out, f->hosts);
	put_sums(&out, f->cards);
	put_sums(&out, f->weeks);
	for (size_t i = 0; i < f->n_hardware; i++) {
		const struct fleet_hardware *const h = &f->hardware[i];
		buf_print(&out, "%s %s %s %s %zu %zu %zu %zu\n", h->entity, h->uuid ? h->uuid : "-", h->rule, h->label ? h->label : "-", h->n_runs, h->of_runs,
			h->n_elsewhere, h->of_elsewhere);
	}
	buf_print(&out, "%zu %" PRId64 " %" PRId64 "\n", f->n_weeks_before, f->weeks_before.lost_us, f->weeks_before.gpu_us);
	const char *const text = arena_text(mem, out.at, out.n);
	buf_release(&out);
	return text;
}

static bool any_order_gives_the_same(struct random *r, struct arena *mem)
{
	size_t n;
	struct record *const records = any_records(r, mem, &n);
	const char **const groups = NEW_ARRAY(mem, const char *, n);

	for (size_t i = 0; i < n; i++)
		groups[i] = random_below(r, 4) ? (random_below(r, 2) ? "sft" : "eval") : NULL;
	const char *const before = told(mem, fleet_build(mem, records, groups, n));
	for (size_t i = n; i > 1; i--) {
		const size_t k = (size_t)random_below(r, (int)i);
		const struct record record = records[i - 1];
		const char *const group = groups[i - 1];
		records[i - 1] = records[k];
		groups[i - 1] = groups[k];
		records[k] = record;
		groups[k] = group;
	}
	return strcmp(before, told(mem, fleet_build(mem, records, groups, n))) == 0;
}

static void add(struct fleet_sums sums, int64_t *gpu_us, int64_t *lost_us)
{
	*gpu_us = *lost_us = 0;
	for (size_t i = 0; i < sums.n; i++) {
		*gpu_us += sums.at[i].gpu_us;
		*lost_us += sums.at[i].lost_us;
	}
}

static bool tables_add_up(struct random *r, struct arena *mem)
{
	size_t n;
	const struct record *const records = any_records(r, mem, &n);
	const struct fleet *const f = fleet_build(mem, records, NULL, n);
	int64_t gpu_us, lost_us;

	add(f->hosts, &gpu_us, &lost_us);
	if (gpu_us != f->gpu_us || lost_us != f->lost_us)
		return false;
	add(f->cards, &gpu_us, &lost_us);
	if (gpu_us != f->gpu_us || lost_us != f->lost_us)
		return false;
	add(f->weeks, &gpu_us, &lost_us);
	if (gpu_us != f->gpu_us || lost_us != f->lost_us)
		return false;
	add(f->causes, &gpu_us, &lost_us);
	return lost_us + f->unexplained_us == f->lost_us && f->normal_us + f->lost_us + f->overhead_us + f->no_log_us == f->gpu_us &&
	       f->n_runs + f->n_without == n;
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
	return f->lost_us == INT64_MAX && f->hosts.at[0].lost_us == INT64_MAX && f->runs[0].lost_millionths >= 999999;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(any_order_gives_the_same, 100),
		LAW_ONE_IN(tables_add_up, 100),
		LAW_ONE_IN(largest_runs_do_no_harm, 10000),
	};

	return laws_check(laws, sizeof laws / sizeof *laws, argc, argv);
}
