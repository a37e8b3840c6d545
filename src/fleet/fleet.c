/*
 * fleet.c - many runs become one account.
 *
 *     ranked              most GPU time lost first: what to fix first; of equal losses the worst verdict, since memory errors cost no time
 *     first               how few runs hold most of the loss
 *     added up            by cause, by host, by kind of card, by week
 *     compared            each run with those of its group, the last week with those before, a GPU with all others
 *
 * Everything is counted in integers, and every list has a total order. Each record is looked at once, when it comes: what it takes to rank
 * its run is kept, what a row of a table or a page shows of it is put away (kept_record.h), and the rest is in the tables.
 */
#include "fleet/kept_record.h"
#include "fleet/shared_names.h"
#include "fleet/tallies.h"

#include <inttypes.h>
#include <stdlib.h>

struct fleet_building {
	struct fleet fleet; /* whose runs are those below */
	struct arena *mem;
	struct arena scratch;       /* as long as records come */
	struct shared_names *groups; /* in `mem` */
	struct shared_names *hosts;
	struct shared_names *prints; /* by which copies are known */
	struct tallies *tallies;
	struct cards *cards, *machines;
	struct spill records;
	struct buf packed;
	struct fleet_run *runs, *without;
	size_t room, room_without;
};

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

/* ------------------------------------------------ a record comes */

bool is_worse(struct standing a, struct standing b)
{
	return a.lost_us != b.lost_us ? a.lost_us > b.lost_us : a.rank < b.rank;
}

struct standing standing_of(const struct record *record)
{
	return (struct standing){ record->lost_us, record_rank(record) };
}

struct fleet_building *fleet_begin(struct arena *mem)
{
	struct fleet_building *const b = NEW(mem, struct fleet_building);

	b->mem = mem;
	b->fleet.begin = b->fleet.end = TIME_UNKNOWN;
	arena_init(&b->scratch);
	b->groups = shared_names_new(mem);
	b->hosts = shared_names_new(&b->scratch);
	b->prints = shared_names_new(&b->scratch);
	b->tallies = tallies_new(&b->scratch);
	b->cards = cards_new(&b->scratch, false);
	b->machines = cards_new(&b->scratch, true);
	spill_init(&b->records);
	b->fleet.records = &b->records;
	buf_init(&b->packed, SIZE_MAX / 2);
	return b;
}

static void add_up(struct fleet *fleet, const struct record *r)
{
	fleet->gpu_us = sum_capped(fleet->gpu_us, r->gpu_us);
	fleet->normal_us = sum_capped(fleet->normal_us, r->normal_us);
	fleet->lost_us = sum_capped(fleet->lost_us, r->lost_us);
	fleet->suppressed_us = sum_capped(fleet->suppressed_us, r->suppressed_us);
	fleet->overhead_us = sum_capped(fleet->overhead_us, r->overhead_us);
	fleet->no_log_us = sum_capped(fleet->no_log_us, r->no_log_us);
	fleet->n_loss_unknown += !record_tells_loss(r);
	if (r->begin != TIME_UNKNOWN && (fleet->begin == TIME_UNKNOWN || r->begin < fleet->begin))
		fleet->begin = r->begin;
	if (r->end != TIME_UNKNOWN && r->end > fleet->end)
		fleet->end = r->end;
}

static uint64_t put_away(struct fleet_building *b, const struct record *record)
{
	b->packed.n = 0;
	record_pack(&b->packed, record);
	return spill_put(&b->records, buf_slice(&b->packed));
}

/* No two runs of one card, which is known by its UUID or its host, begin and end at the same times and lose as much. */
static bool is_copy(struct fleet_building *b, const struct record *r)
{
	const size_t n = names_count(b->prints);
	struct arena scratch;
	const struct record_gpu *const gpu = r->n_gpus ? &r->gpus[0] : NULL;

	if (!gpu || r->begin == TIME_UNKNOWN || (!gpu->uuid && !strchr(gpu->entity, '/')))
		return false;
	arena_init(&scratch);
	const char *const print = arena_print(&scratch, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %zu %s", r->begin, r->end,
		r->gpu_us, r->lost_us, r->n_gpus, gpu->uuid ? gpu->uuid : gpu->entity);
	const bool is_known = name_number(b->prints, slice_of(print)) < n;
	arena_release(&scratch);
	return is_known;
}

static void add_with_report(struct fleet_building *b, const struct record *r, struct slice group, uint64_t place)
{
	struct fleet *const fleet = &b->fleet;

	b->runs = grow(b->runs, &b->room, fleet->n_runs + 1, sizeof *b->runs);
	b->runs[fleet->n_runs++] = (struct fleet_run){
		.place = place,
		.status = (uint8_t)r->status,
		.group = shared_name(b->groups, group),
		.lost_us = r->lost_us,
		.begin = r->begin,
		.host = (uint32_t)name_number(b->hosts, slice_of(r->hosts.n ? r->hosts.at[0] : "")),
		.lost_millionths = record_tells_loss(r) ? (int32_t)millionths_of(r->lost_us, r->gpu_us) : -1,
		.worse_than = -1,
		.rank = (uint8_t)record_rank(r),
	};
	add_up(fleet, r);
	fleet->n_several += r->hint != NULL;
	fleet->n_copies += is_copy(b, r);
	tallies_add(b->tallies, r, group, fleet->n_runs);
	cards_add(b->cards, r, fleet->n_runs);
	cards_add(b->machines, r, fleet->n_runs);
}

void fleet_add(struct fleet_building *b, const struct record *record, struct slice group)
{
	const uint64_t place = put_away(b, record);

	b->fleet.n_of_status[record->status]++;
	if (record_has_report(record)) {
		add_with_report(b, record, group, place);
		return;
	}
	b->without = grow(b->without, &b->room_without, b->fleet.n_without + 1, sizeof *b->without);
	b->without[b->fleet.n_without++] =
		(struct fleet_run){ .place = place, .status = (uint8_t)record->status, .group = "", .worse_than = -1 };
}

void fleet_note_absent(struct fleet_building *b, size_t n_left_out, size_t n_missing, bool has_gaps)
{
	b->fleet.n_left_out = n_left_out;
	b->fleet.n_missing = n_missing;
	b->fleet.has_gaps = has_gaps;
}

/* ------------------------------------------------ ranks */

static int by_place(const struct fleet_run *a, const struct fleet_run *b)
{
	return (a->place > b->place) - (a->place < b->place);
}

static int by_loss(const void *a, const void *b)
{
	const struct fleet_run *const x = a, *const y = b;
	const struct standing of_x = { x->lost_us, x->rank }, of_y = { y->lost_us, y->rank };

	return is_worse(of_x, of_y) ? -1 : is_worse(of_y, of_x) ? 1 : by_place(x, y);
}

static int by_status(const void *a, const void *b)
{
	const struct fleet_run *const x = a, *const y = b;

	return x->status != y->status ? (int)x->status - (int)y->status : by_place(x, y);
}

#define MOST_FIRST 10

static void find_first(struct fleet *fleet)
{
	while (fleet->n_first < fleet->n_runs && fleet->n_first < MOST_FIRST && millionths_of(fleet->first_us, fleet->lost_us) < 900000 &&
		fleet->runs[fleet->n_first].lost_us > 0)
		fleet->first_us = sum_capped(fleet->first_us, fleet->runs[fleet->n_first++].lost_us);
}

struct host_name {
	const char *name;
	uint32_t number;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct host_name *)a)->name, ((const struct host_name *)b)->name);
}

/* Numbers of hosts, as they came, become places in the order of their names. */
static void order_hosts(struct fleet_building *b)
{
	const size_t n = names_count(b->hosts);
	struct host_name *const names = NEW_ARRAY(&b->scratch, struct host_name, n);
	uint32_t *const places = NEW_ARRAY(&b->scratch, uint32_t, n);

	for (size_t i = 0; i < n; i++)
		names[i] = (struct host_name){ name_of_number(b->hosts, i), (uint32_t)i };
	if (n)
		qsort(names, n, sizeof *names, by_name);
	for (size_t i = 0; i < n; i++)
		places[names[i].number] = (uint32_t)i;
	for (size_t i = 0; i < b->fleet.n_runs; i++)
		b->runs[i].host = places[b->runs[i].host];
}

/* ------------------------------------------------ each run beside its group */

static int by_group_and_share(const void *a, const void *b)
{
	const struct fleet_run *const x = *(struct fleet_run *const *)a, *const y = *(struct fleet_run *const *)b;
	const int order = strcmp(x->group, y->group);

	return order ? order : (x->lost_millionths > y->lost_millionths) - (x->lost_millionths < y->lost_millionths);
}

/* Of a group, which stands in order of its shares; those that are not known come first, and are compared with nobody. */
static void compare_group(struct fleet_run **runs, size_t n)
{
	size_t n_below = 0;

	while (n && runs[0]->lost_millionths < 0) {
		runs++;
		n--;
	}
	for (size_t i = 0; i < n && n > 1; i++) {
		if (i && runs[i]->lost_millionths > runs[i - 1]->lost_millionths)
			n_below = i;
		runs[i]->worse_than = (int8_t)(100 * n_below / (n - 1));
	}
}

static void compare_runs(struct fleet_run *all, size_t n)
{
	struct arena scratch;
	size_t end;

	if (!n)
		return;
	arena_init(&scratch);
	struct fleet_run **const runs = NEW_RAW_ARRAY(&scratch, struct fleet_run *, n);
	for (size_t i = 0; i < n; i++)
		runs[i] = &all[i];
	qsort(runs, n, sizeof *runs, by_group_and_share);
	for (size_t begin = 0; begin < n; begin = end) {
		for (end = begin + 1; end < n && strcmp(runs[begin]->group, runs[end]->group) == 0;)
			end++;
		compare_group(runs + begin, end - begin);
	}
	arena_release(&scratch);
}

/* ------------------------------------------------ is it getting better? */

#define WEEKS_BEFORE 4
#define WEEKS_OF_YEAR 52

/* Of "2024-W21", about: years of 53 weeks count as one of 52. */
static long week_number(const struct fleet_sum *week)
{
	return strtol(week->name, NULL, 10) * WEEKS_OF_YEAR + strtol(strchr(week->name, 'W') + 1, NULL, 10);
}

static size_t runs_of_weeks(const struct fleet_sum *weeks, size_t first, size_t end)
{
	size_t n = 0;

	for (size_t i = first; i < end; i++)
		n += weeks[i].n_runs;
	return n;
}

/*
 * Weeks that lie more than a year from the others are mostly those of a clock that was wrong, of 1970 or 2099: the most runs of weeks that
 * follow each other tell, the later ones of as many.
 */
static void find_weeks_that_tell(const struct fleet_sums *weeks, size_t *first, size_t *end)
{
	size_t most = 0;

	for (size_t i = 0, next; i < weeks->n; i = next) {
		for (next = i + 1; next < weeks->n && week_number(&weeks->at[next]) - week_number(&weeks->at[next - 1]) <= WEEKS_OF_YEAR;)
			next++;
		const size_t n = runs_of_weeks(weeks->at, i, next);
		if (n < most)
			continue;
		most = n;
		*first = i;
		*end = next;
	}
}

#define FEW_UNKNOWN 10 /* one of so many runs at most, and one part of so much GPU time: then shares of what is known tell */
#define LITTLE_TIME 10 /* a week with less GPU time than one part of so many of those before it has hardly begun */

static bool is_week_known(const struct fleet_sum *week)
{
	return week->gpu_us > 0 && week->n_unknown * FEW_UNKNOWN <= week->n_runs && week->unknown_us <= week->gpu_us / FEW_UNKNOWN;
}

/* The GPU time of a week, on the average of those with runs before it. */
static int64_t usual_time(const struct fleet_sum *weeks, size_t first, size_t end)
{
	const size_t begin = end - first > WEEKS_BEFORE ? end - WEEKS_BEFORE : first;
	int64_t sum = 0;

	for (size_t i = begin; i < end; i++)
		sum = sum_capped(sum, weeks[i].gpu_us);
	return end > begin ? sum / (int64_t)(end - begin) : 0;
}

/* What the last week is compared with. */
static void add_weeks_before(struct fleet *fleet, const struct fleet_sum *weeks, size_t first, size_t last)
{
	struct fleet_sum *const all = &fleet->weeks_before;

	for (size_t i = last; i > first && fleet->n_weeks_before + fleet->n_weeks_unknown < WEEKS_BEFORE; i--) {
		const struct fleet_sum *const week = &weeks[i - 1];
		if (week->gpu_us <= 0)
			continue;
		if (!is_week_known(week)) {
			fleet->n_weeks_unknown++;
			continue;
		}
		fleet->n_weeks_before++;
		all->n_runs += week->n_runs;
		all->n_unknown += week->n_unknown;
		all->gpu_us = sum_capped(all->gpu_us, week->gpu_us);
		all->lost_us = sum_capped(all->lost_us, week->lost_us);
	}
}

static void compare_weeks(struct fleet *fleet)
{
	const struct fleet_sums *const weeks = &fleet->weeks;
	size_t first = 0, end = 0;

	if (!weeks->n)
		return;
	find_weeks_that_tell(weeks, &first, &end);
	fleet->n_far_runs = runs_of_weeks(weeks->at, 0, weeks->n) - runs_of_weeks(weeks->at, first, end);
	while (end > first && weeks->at[end - 1].gpu_us <= 0) /* whether less was lost than before is not known then, and is not yes */
		end--;
	if (end > first + 1 && weeks->at[end - 1].gpu_us < usual_time(weeks->at, first, end - 1) / LITTLE_TIME)
		fleet->young_week = &weeks->at[--end];
	while (end > first && weeks->at[end - 1].gpu_us <= 0)
		end--;
	if (end == first)
		return;
	fleet->last_week = &weeks->at[end - 1];
	fleet->is_last_known = is_week_known(fleet->last_week);
	add_weeks_before(fleet, weeks->at, first, end - 1);
}

/* ------------------------------------------------ all have come */

const struct fleet *fleet_end(struct fleet_building *b)
{
	struct fleet *const fleet = &b->fleet;

	buf_release(&b->packed);
	order_hosts(b);
	tallies_end(b->tallies, b->mem, fleet);
	cards_end(b->cards, b->mem, fleet);
	cards_end(b->machines, b->mem, fleet);
	arena_release(&b->scratch);
	if (fleet->n_runs)
		qsort(b->runs, fleet->n_runs, sizeof *b->runs, by_loss);
	if (fleet->n_without)
		qsort(b->without, fleet->n_without, sizeof *b->without, by_status);
	fleet->runs = b->runs;
	fleet->without = b->without;
	find_first(fleet);
	compare_runs(b->runs, fleet->n_runs);
	compare_weeks(fleet);
	return fleet;
}

struct record fleet_record(struct arena *mem, const struct fleet *fleet, const struct fleet_run *run)
{
	return record_unpack(mem, spill_get(fleet->records, run->place));
}

void fleet_release(const struct fleet *fleet)
{
	spill_release(fleet->records);
	grow_free((struct fleet_run *)fleet->runs);
	grow_free((struct fleet_run *)fleet->without);
}
