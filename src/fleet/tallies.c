/*
 * tallies.c - GPU time and losses by cause, group, host, kind of card and week.
 *
 * A cause's loss belongs to the GPUs on which it fired, in equal parts; a record does not say more. What is left when a number of
 * microseconds is dealt goes to the first of them, so that the parts add up to the run, and the hosts to the fleet. Where names differ
 * from run to run, that of the run that lost most stands; of equal runs that of the first.
 */
#include "fleet/tallies.h"

#include "fleet/shared_names.h"

#include <stdlib.h>

struct tally_row {
	struct fleet_sum sum;
	struct standing labelled; /* the run that its label is of, if it has one */
	size_t last_run; /* that was counted, from 1 */
};
/* Sums by name, each found by the number that its name has. */
struct tally {
	struct arena *scratch;
	struct shared_names *names;
	struct tally_row *rows;
	size_t n;
};

static struct tally tally_new(struct arena *scratch)
{
	return (struct tally){ .scratch = scratch, .names = shared_names_new(scratch) };
}

/* The row of that name, in which a run is counted once: until the next call. */
static struct tally_row *row_of(struct tally *t, struct slice name, size_t run, bool is_unknown)
{
	const size_t number = name_number(t->names, name);

	if (number == t->n) {
		t->rows = arena_array_next(t->scratch, t->rows, t->n, sizeof *t->rows);
		t->rows[t->n++] = (struct tally_row){ .sum.name = name_of_number(t->names, number) };
	}
	if (!t->rows)
		BUG("a name without its sum");
	struct tally_row *const row = &t->rows[number];
	row->sum.n_runs += row->last_run != run;
	row->sum.n_unknown += row->last_run != run && is_unknown;
	row->last_run = run;
	return row;
}

static int by_loss(const void *a, const void *b)
{
	const struct fleet_sum *const x = a, *const y = b;

	if (x->lost_us != y->lost_us)
		return x->lost_us > y->lost_us ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct fleet_sum *)a)->name, ((const struct fleet_sum *)b)->name);
}

/* In `mem`, with their names. */
static struct fleet_sums sums_of(struct arena *mem, const struct tally *t, int (*order)(const void *, const void *))
{
	struct fleet_sum *const sums = NEW_ARRAY(mem, struct fleet_sum, t->n);

	for (size_t i = 0; i < t->n; i++) {
		sums[i] = t->rows[i].sum;
		sums[i].name = arena_print(mem, "%s", sums[i].name);
		sums[i].label = sums[i].label ? arena_print(mem, "%s", sums[i].label) : NULL;
	}
	if (t->n)
		qsort(sums, t->n, sizeof *sums, order);
	return (struct fleet_sums){ sums, t->n };
}

/* ------------------------------------------------ the GPUs of a run */

struct tallies {
	struct tally causes, groups, hosts, cards, weeks;
	struct tally of_groups, of_hosts; /* by cause, too: name BETWEEN rule */
	struct shared_names *labels;
	struct arena of_run;
	const struct record *record;
	struct slice group; /* of the run */
	size_t run; /* its number, from 1 */
	bool is_unknown; /* what it lost */
	int64_t *lost_us; /* of each of its GPUs */
	bool *is_hit;
};

static struct fleet_sum *sum_of(const struct tallies *d, struct tally *t, struct slice name)
{
	return &row_of(t, name, d->run, d->is_unknown)->sum;
}

struct slice host_of_entity(const char *entity)
{
	const char *const slash = strrchr(entity, '/');

	return (struct slice){ entity, slash ? (size_t)(slash - entity) : 0 };
}

static struct slice host_of_gpu(const struct record *record, size_t gpu)
{
	const struct slice host = host_of_entity(record->gpus[gpu].entity);

	return host.n ? host : slice_of(record->hosts.n == 1 ? record->hosts.at[0] : "");
}

/* "node01/gpu3" is on "node01/gpu3" and on "node01". */
static bool is_on(const char *gpu, const char *entity)
{
	const size_t n = strlen(entity);

	return strncmp(gpu, entity, n) == 0 && (gpu[n] == '\0' || gpu[n] == '/');
}

/* Which GPUs the entities name; how many. Both mostly stand in the same order. */
static size_t find_hit(struct tallies *d, struct texts entities)
{
	const struct record *const r = d->record;
	size_t n_hit = 0, gpu = 0;

	memset(d->is_hit, 0, r->n_gpus * sizeof *d->is_hit);
	for (size_t i = 0; i < entities.n; i++)
		for (size_t k = 0, from = gpu; k < r->n_gpus; k++) {
			const size_t at = (from + k) % r->n_gpus;
			if (!is_on(r->gpus[at].entity, entities.at[i]))
				continue;
			n_hit += !d->is_hit[at];
			d->is_hit[at] = true;
			gpu = at + 1;
			if (strcmp(r->gpus[at].entity, entities.at[i]) == 0)
				break;
		}
	return n_hit;
}

#define BETWEEN "\1" /* name and rule: below all that is in names, so that pairs are in the order of their names */

/* What a cause lost at a host, or in a group. */
static void add_by_cause(struct tallies *d, struct tally *of, struct slice name, const char *rule, int64_t us)
{
	struct fleet_sum *const sum = sum_of(d, of, slice_of(arena_print(&d->of_run, "%.*s" BETWEEN "%s", SLICE(name), rule)));

	sum->lost_us = sum_capped(sum->lost_us, us);
}

/* Nobody named: all. Without a cause nobody is told to have lost it by one. */
static void deal_loss(struct tallies *d, const struct record_cause *cause, int64_t us)
{
	const size_t n_gpus = d->record->n_gpus, n_hit = find_hit(d, cause ? cause->entities : (struct texts){ NULL, 0 });
	const int64_t n = (int64_t)(n_hit ? n_hit : n_gpus);
	int64_t left = n ? us % n : 0, on_host = 0;

	for (size_t i = 0; i < n_gpus; i++) {
		if (!n_hit || d->is_hit[i]) {
			const int64_t part = us / n + (left-- > 0);
			d->lost_us[i] += part;
			on_host += part;
		}
		const struct slice host = host_of_gpu(d->record, i);
		if (!cause || !on_host || (i + 1 < n_gpus && slice_same(host_of_gpu(d->record, i + 1), host)))
			continue;
		add_by_cause(d, &d->of_hosts, host, cause->rule, on_host);
		on_host = 0;
	}
}

static void deal_causes(struct tallies *d)
{
	const struct record *const r = d->record;
	int64_t left_us = r->lost_us;

	d->lost_us = NEW_ARRAY(&d->of_run, int64_t, r->n_gpus);
	d->is_hit = NEW_ARRAY(&d->of_run, bool, r->n_gpus);
	for (size_t i = 0; i < r->n_causes; i++) {
		const struct record_cause *const cause = &r->causes[i];
		struct tally_row *const row = row_of(&d->causes, slice_of(cause->rule), d->run, d->is_unknown);
		struct fleet_sum *const sum = &row->sum;
		if (!sum->label || is_worse(standing_of(r), row->labelled)) {
			sum->label = shared_name(d->labels, slice_of(cause->rule_label));
			row->labelled = standing_of(r);
		}
		sum->severity = cause->severity > sum->severity ? cause->severity : sum->severity;
		sum->lost_us = sum_capped(sum->lost_us, cause->lost_us);
		sum->gpu_us = sum_capped(sum->gpu_us, r->gpu_us);
		deal_loss(d, cause, cause->lost_us);
		add_by_cause(d, &d->of_groups, d->group, cause->rule, cause->lost_us);
		left_us -= cause->lost_us;
	}
	deal_loss(d, NULL, left_us);
}

static void add_part(struct fleet_sum *sum, int64_t gpu_us, int64_t lost_us)
{
	sum->gpu_us = sum_capped(sum->gpu_us, gpu_us);
	sum->lost_us = sum_capped(sum->lost_us, lost_us);
}

static void add_to_hosts_and_cards(struct tallies *d)
{
	const struct record *const r = d->record;
	const int64_t n = (int64_t)r->n_gpus;
	int64_t left = n ? r->gpu_us % n : 0;

	for (size_t i = 0; i < r->n_gpus; i++) {
		const int64_t gpu_us = r->gpu_us / n + (left-- > 0);
		add_part(sum_of(d, &d->hosts, host_of_gpu(r, i)), gpu_us, d->lost_us[i]);
		add_part(sum_of(d, &d->cards, slice_of(r->gpus[i].name ? r->gpus[i].name : "")), gpu_us, d->lost_us[i]);
	}
	if (n)
		return;
	add_part(sum_of(d, &d->hosts, slice_of(r->hosts.n == 1 ? r->hosts.at[0] : "")), r->gpu_us, r->lost_us);
	add_part(sum_of(d, &d->cards, slice_of("")), r->gpu_us, r->lost_us);
}

/* ------------------------------------------------ weeks */

/* ISO 8601: the week belongs to the year that its Thursday is in. */
static const char *week_name(struct arena *mem, time_ms t)
{
	const int64_t day = t / DAY_MS - (t % DAY_MS < 0);
	const int weekday = (int)(((day + 3) % 7 + 7) % 7); /* Monday 0; 1970-01-01 was a Thursday */
	const int64_t thursday = day - weekday + 3;
	const int year = civil_from_time(thursday * DAY_MS).year;
	const int week = (int)(thursday - days_from_civil(year, 1, 1)) / 7 + 1;

	return arena_print(mem, "%04d-W%02d", year, week);
}

static void add_to_weeks(struct tallies *d)
{
	const struct record *const r = d->record;

	if (r->begin == TIME_UNKNOWN)
		return;
	struct fleet_sum *const week = sum_of(d, &d->weeks, slice_of(week_name(&d->of_run, r->begin)));
	add_part(week, r->gpu_us - r->no_log_us, r->lost_us);
	week->unknown_us = sum_capped(week->unknown_us, d->is_unknown ? r->gpu_us - r->no_log_us : 0);
}

struct tallies *tallies_new(struct arena *mem)
{
	struct tallies *const t = NEW(mem, struct tallies);

	*t = (struct tallies){ tally_new(mem), tally_new(mem), tally_new(mem), tally_new(mem), tally_new(mem), tally_new(mem),
		tally_new(mem), .labels = shared_names_new(mem) };
	arena_init(&t->of_run);
	return t;
}

void tallies_add(struct tallies *t, const struct record *record, struct slice group, size_t run)
{
	t->record = record;
	t->group = group;
	t->run = run;
	t->is_unknown = !record_tells_loss(record);
	deal_causes(t);
	add_part(sum_of(t, &t->groups, group), record->gpu_us, record->lost_us);
	add_to_hosts_and_cards(t);
	add_to_weeks(t);
	arena_reset(&t->of_run);
}

/* The rule of a pair that is of that name; NULL: it is of another. */
static const char *cause_at(const char *pair, const char *name)
{
	const size_t n = strlen(name);

	return strncmp(pair, name, n) == 0 && pair[n] == *BETWEEN ? pair + n + 1 : NULL;
}

static int by_pair(const void *a, const void *b)
{
	return strcmp(((const struct tally_row *)a)->sum.name, ((const struct tally_row *)b)->sum.name);
}

const char *label_of_cause(const struct fleet_sums *causes, const char *rule)
{
	for (size_t i = 0; i < causes->n; i++)
		if (strcmp(causes->at[i].name, rule) == 0)
			return causes->at[i].label;
	return NULL;
}

/* Of rows [first, n), in order of their names, those of that name: the one that lost most, where it is half of it; the first row behind. */
static size_t set_main_cause(struct fleet_sum *sum, const struct tally *pairs, size_t first, const struct fleet_sums *causes)
{
	const char *rule = NULL;
	int64_t most_us = 0;

	for (; first < pairs->n && cause_at(pairs->rows[first].sum.name, sum->name); first++)
		if (pairs->rows[first].sum.lost_us > most_us) {
			most_us = pairs->rows[first].sum.lost_us;
			rule = cause_at(pairs->rows[first].sum.name, sum->name);
		}
	if (rule && most_us >= sum->lost_us / 2)
		sum->main_cause = label_of_cause(causes, rule);
	return first;
}

/* Most lost first; each with its main cause. Both are put in order of names meanwhile. */
static struct fleet_sums sums_with_cause(struct arena *mem, struct tally *t, struct tally *pairs, const struct fleet_sums *causes)
{
	const struct fleet_sums sums = sums_of(mem, t, by_name);
	struct fleet_sum *const at = (struct fleet_sum *)sums.at;
	size_t pair = 0;

	if (pairs->n)
		qsort(pairs->rows, pairs->n, sizeof *pairs->rows, by_pair);
	for (size_t i = 0; i < sums.n; i++)
		pair = set_main_cause(&at[i], pairs, pair, causes);
	if (sums.n)
		qsort(at, sums.n, sizeof *at, by_loss);
	return sums;
}

void tallies_end(struct tallies *t, struct arena *mem, struct fleet *fleet)
{
	fleet->causes = sums_of(mem, &t->causes, by_loss);
	fleet->groups = sums_with_cause(mem, &t->groups, &t->of_groups, &fleet->causes);
	fleet->hosts = sums_with_cause(mem, &t->hosts, &t->of_hosts, &fleet->causes);
	fleet->cards = sums_of(mem, &t->cards, by_loss);
	fleet->weeks = sums_of(mem, &t->weeks, by_name);
	fleet->unexplained_us = fleet->lost_us;
	for (size_t i = 0; i < fleet->causes.n; i++) {
		const int64_t lost_us = fleet->causes.at[i].lost_us;
		fleet->unexplained_us -= lost_us < fleet->unexplained_us ? lost_us : fleet->unexplained_us;
	}
	arena_release(&t->of_run);
}
