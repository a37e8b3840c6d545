/*
 * fleet_told.c - a fleet as people are told: runs in an order, tables, and all of it in one unit.
 *
 * Nothing is worked out here but what a page shows: where a bar ends, how a number is rounded. Of very many runs only as many rows are
 * made as are asked for.
 */
#include "fleet/fleet_words.h"
#include "fleet/tallies.h"

#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *file, *name;
} orders[N_FLEET_ORDERS] = {
#define FLEET_ORDER(id, file, name) [FLEET_BY_##id] = { file, name },
#include "fleet/fleet_order.def"
#undef FLEET_ORDER
};

const char *fleet_order_file(enum fleet_order order)
{
	return orders[order].file;
}

struct telling {
	struct arena *mem;
	const struct fleet *fleet;
	struct gpu_time unit;
	struct rate rate;
	int64_t most_lost_us;
	size_t most_lines;
};

/* ------------------------------------------------ orders */

static int by_name(const void *a, const void *b)
{
	const struct fleet_run *const x = *(const struct fleet_run *const *)a, *const y = *(const struct fleet_run *const *)b;

	return (x->place > y->place) - (x->place < y->place);
}

static int by_begin(const void *a, const void *b)
{
	const struct fleet_run *const x = *(const struct fleet_run *const *)a, *const y = *(const struct fleet_run *const *)b;

	if (x->begin != y->begin)
		return x->begin > y->begin ? -1 : 1;
	return by_name(a, b);
}

/* Of one host, most lost first: ranks are places. */
static int by_host(const void *a, const void *b)
{
	const struct fleet_run *const x = *(const struct fleet_run *const *)a, *const y = *(const struct fleet_run *const *)b;

	return x->host != y->host ? (x->host > y->host) - (x->host < y->host) : (x > y) - (x < y);
}

static const struct fleet_run **runs_in_order(struct arena *mem, const struct fleet *fleet, enum fleet_order order)
{
	static int (*const compare[N_FLEET_ORDERS])(const void *, const void *) = {
		[FLEET_BY_BEGIN] = by_begin,
		[FLEET_BY_NAME] = by_name,
		[FLEET_BY_HOST] = by_host,
	};
	const struct fleet_run **const runs = NEW_ARRAY(mem, const struct fleet_run *, fleet->n_runs);

	for (size_t i = 0; i < fleet->n_runs; i++)
		runs[i] = &fleet->runs[i];
	if (compare[order] && fleet->n_runs)
		qsort(runs, fleet->n_runs, sizeof *runs, compare[order]);
	return runs;
}

/* ------------------------------------------------ runs */

/* "72", "9.5", "0.21", "<0.01": of so few digits that they stand in a narrow column; what is not 0 is not told as 0. */
static const char *hours_text(struct arena *mem, const struct record *record)
{
	if (record->begin == TIME_UNKNOWN || record->end == TIME_UNKNOWN)
		return "-";
	const double hours = (double)(record->end - record->begin) / (double)HOUR_MS;
	if (hours > 0 && hours < 0.005)
		return "<0.01";
	return number_text(mem, hours, hours < 0.995 ? 2 : hours < 9.95 ? 1 : 0);
}

static const char *begin_text(struct arena *mem, const struct record *record)
{
	const time_ms t = record->begin;

	if (t == TIME_UNKNOWN)
		return "-";
	return arena_print(mem, "%s %.5s%s", time_date(mem, t), time_clock(mem, t), record->is_log_time ? " log time" : "");
}

static const char *host_text(struct arena *mem, struct texts hosts)
{
	if (!hosts.n)
		return "-";
	return hosts.n > 1 ? arena_print(mem, "%s + %zu", hosts.at[0], hosts.n - 1) : hosts.at[0];
}

/* A loss without a cause of its own is shown as a note is. */
static void set_bar(struct fleet_row *row, const struct record *record)
{
	int64_t lost_us[SEVERITY_CRITICAL + 1] = { 0 };

	for (size_t i = 0; i < record->n_causes; i++)
		lost_us[record->causes[i].severity] += record->causes[i].lost_us;
	const int64_t critical_end_us = record->normal_us + lost_us[SEVERITY_CRITICAL];
	const int64_t lost_end_us = record->normal_us + record->lost_us, suppressed_end_us = lost_end_us + record->suppressed_us;
	row->normal_end = share_of(record->normal_us, record->gpu_us);
	row->critical_end = share_of(critical_end_us, record->gpu_us);
	row->warning_end = share_of(critical_end_us + lost_us[SEVERITY_WARNING], record->gpu_us);
	row->note_end = share_of(lost_end_us, record->gpu_us);
	row->suppressed_end = share_of(suppressed_end_us, record->gpu_us);
	row->overhead_end = share_of(suppressed_end_us + record->overhead_us, record->gpu_us);
}

static void set_cause(struct fleet_row *row, const struct record *record)
{
	static const struct {
		const char *severity, *text;
	} others[] = {
		{ "healthy", "healthy" },
		{ "unknown", "not known" },
	};
	const struct record_cause *const cause = record_main_cause(record);

	row->severity = cause ? severity_name(cause->severity) : record->severity;
	row->cause = cause ? cause->label : "nothing lost";
	for (size_t i = 0; !cause && i < sizeof others / sizeof *others; i++)
		if (strcmp(record->severity, others[i].severity) == 0)
			row->cause = others[i].text;
	if (!cause && record->suppressed_us > 0)
		row->cause = "suppressed";
}

static bool stands_for_itself(char c)
{
	return is_digit(c) || is_letter(c) || (c && strchr("/-._~", c));
}

/* RFC 3986: in a name of a folder '#' and '?' would end the path, and ':' could begin with a scheme that does something. */
static const char *url_of_path(struct arena *mem, const char *path)
{
	char *const url = NEW_ARRAY(mem, char, 3 * strlen(path) + 1), *at = url;

	for (; *path; path++)
		if (stands_for_itself(*path))
			*at++ = *path;
		else
			at += snprintf(at, 4, "%%%02X", (unsigned)(unsigned char)*path);
	return url;
}

/* Only down from the index: an index may come from anywhere, and "//" would even lead to another host. */
static bool leads_down(const char *path)
{
	for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
		if (*part == '/' || (part[0] == '.' && part[1] == '.' && (part[2] == '/' || !part[2])))
			return false;
	return *path;
}

static void set_state(struct arena *mem, struct fleet_row *row, const struct record *record)
{
	row->id = record->id;
	if (record->report && leads_down(record->report))
		row->link = url_of_path(mem, record->report);
	if (record->status == RUN_OK)
		return;
	row->status = run_status_name(record->status);
	row->why = record->why ? record->why : run_status_sentence(record->status);
}

#define NOT_KNOWN "?" /* a footnote says of what */

static struct fleet_row row_of(const struct telling *t, const struct fleet_run *run)
{
	const struct record kept = fleet_record(t->mem, t->fleet, run), *const record = &kept;
	struct fleet_row row = {
		.rank = (size_t)(run - t->fleet->runs) + 1,
		.gpus = arena_print(t->mem, "%zu", record->n_gpus),
		.hours = hours_text(t->mem, record),
		.begin = begin_text(t->mem, record),
		.host = host_text(t->mem, record->hosts),
		.lost = gpu_us_text(t->mem, t->unit, record->lost_us),
		.percent = share_text(t->mem, record->lost_us, record->gpu_us),
		.worse_than = run->worse_than < 0 ? "-" : arena_print(t->mem, "%d %%", (int)run->worse_than),
		.lost_bar = share_of(record->lost_us, t->most_lost_us),
	};

	if (!record_tells_loss(record))
		row.lost = row.percent = row.worse_than = NOT_KNOWN;
	row.is_first = row.rank <= t->fleet->n_first;
	set_state(t->mem, &row, record);
	set_cause(&row, record);
	set_bar(&row, record);
	return row;
}

static void tell_runs(const struct telling *t, const struct fleet_choice *choice, struct fleet_told *told)
{
	const struct fleet *const fleet = t->fleet;
	const size_t n = fleet->n_runs < choice->most_rows ? fleet->n_runs : choice->most_rows;
	const struct fleet_run **const runs = runs_in_order(t->mem, fleet, choice->order);
	struct fleet_row *const rows = NEW_ARRAY(t->mem, struct fleet_row, n);
	int64_t left_us = 0;

	for (size_t i = 0; i < n; i++)
		rows[i] = row_of(t, runs[i]);
	for (size_t i = n; i < fleet->n_runs; i++)
		left_us = sum_capped(left_us, runs[i]->lost_us);
	told->rows = rows;
	told->n_rows = n;
	told->more_rows = n < fleet->n_runs ? counted_text(t->mem, fleet->n_runs - n, "more run") : NULL;
	told->more_lost = gpu_us_text(t->mem, t->unit, left_us);
}

static void tell_without(const struct telling *t, size_t most, struct fleet_told *told)
{
	const struct fleet *const fleet = t->fleet;
	const size_t n = fleet->n_without < most ? fleet->n_without : most;
	struct fleet_row *const rows = NEW_ARRAY(t->mem, struct fleet_row, n);

	for (size_t i = 0; i < n; i++) {
		const struct record record = fleet_record(t->mem, fleet, &fleet->without[i]);
		set_state(t->mem, &rows[i], &record);
	}
	told->without = rows;
	told->n_without = n;
	told->more_without = n < fleet->n_without ? counted_text(t->mem, fleet->n_without - n, "more run") : NULL;
}

/* ------------------------------------------------ tables */

static struct fleet_line line_of(const struct telling *t, const struct fleet_sum *sum, double bar)
{
	const bool is_cause = sum->label != NULL, is_of_runs = sum->n_runs > 0;
	const int64_t whole_us = is_cause ? t->fleet->lost_us : sum->gpu_us;
	const bool is_none_known = sum->gpu_us <= 0 || (sum->lost_us == 0 && sum->n_unknown > 0);
	const bool is_unknown = is_cause ? loss_by_cause_is_unknown(sum) : is_none_known;

	return (struct fleet_line){
		.name = is_cause ? sum->label : *sum->name ? sum->name : "not known",
		.cause = sum->main_cause,
		.severity = is_cause && is_of_runs ? severity_name(sum->severity) : NULL,
		.runs = is_of_runs ? arena_print(t->mem, "%zu", sum->n_runs) : "-",
		.lost = is_unknown ? NOT_KNOWN : gpu_us_text(t->mem, t->unit, sum->lost_us),
		/* what others lost for its sake is charged to it as well: that is no share of its own time */
		.percent = is_unknown ? NOT_KNOWN : sum->lost_us > whole_us ? "-" : share_text(t->mem, sum->lost_us, whole_us),
		.bar = bar,
	};
}

/* Weeks differ in how much was run, so that only shares tell whether it gets better; hosts and cards are to be mended by what they cost. */
static int64_t weight_of(const struct fleet_sum *sum, bool is_week)
{
	return is_week ? millionths_of(sum->lost_us, sum->gpu_us) : sum->lost_us;
}

/* Of weeks the latest are kept, of all others the first. */
static struct fleet_table table_of(const struct telling *t, struct fleet_sums sums, const char *noun, bool are_weeks)
{
	const size_t n = sums.n < t->most_lines ? sums.n : t->most_lines, from = are_weeks ? sums.n - n : 0;
	struct fleet_line *const lines = NEW_ARRAY(t->mem, struct fleet_line, n);
	int64_t most = 0;

	for (size_t i = from; i < from + n; i++)
		most = weight_of(&sums.at[i], are_weeks) > most ? weight_of(&sums.at[i], are_weeks) : most;
	for (size_t i = 0; i < n; i++)
		lines[i] = line_of(t, &sums.at[from + i], share_of(weight_of(&sums.at[from + i], are_weeks), most));
	return (struct fleet_table){ lines, n, "share", n < sums.n ? counted_text(t->mem, sums.n - n, noun) : NULL };
}

/* What has no cause stands in its place among them: without it the causes would not add up to what was lost. */
static struct fleet_table causes_of(const struct telling *t)
{
	const struct fleet_sums causes = t->fleet->causes;
	const struct fleet_sum rest = { .name = "", .label = "no cause told", .lost_us = t->fleet->unexplained_us };
	struct fleet_sum *const all = NEW_ARRAY(t->mem, struct fleet_sum, causes.n + 1);
	size_t n = 0, i = 0;

	while (i < causes.n && causes.at[i].lost_us >= rest.lost_us)
		all[n++] = causes.at[i++];
	if (rest.lost_us > 0)
		all[n++] = rest;
	while (i < causes.n)
		all[n++] = causes.at[i++];
	struct fleet_table table = table_of(t, (struct fleet_sums){ all, n }, "more cause", false);
	table.share = "of loss";
	return table;
}

/* A log without dates, as of vmstat without -t, is of no week; without saying so the weeks would not add up to all. */
static struct fleet_table weeks_of(const struct telling *t)
{
	struct fleet_table table = table_of(t, t->fleet->weeks, "earlier week", true);
	size_t n_undated = t->fleet->n_runs;

	for (size_t i = 0; i < t->fleet->weeks.n; i++)
		n_undated -= t->fleet->weeks.at[i].n_runs;
	if (n_undated) {
		const char *const undated = arena_print(t->mem, "%s without a date", counted_text(t->mem, n_undated, "run"));
		table.more = table.more ? arena_print(t->mem, "%s, %s", table.more, undated) : undated;
	}
	return table;
}

static void tell_suspects(const struct telling *t, struct fleet_told *told)
{
	const size_t n = t->fleet->n_hardware < t->most_lines ? t->fleet->n_hardware : t->most_lines;
	struct fleet_suspect *const suspects = NEW_ARRAY(t->mem, struct fleet_suspect, n);

	for (size_t i = 0; i < n; i++) {
		const struct fleet_hardware *const h = &t->fleet->hardware[i];
		suspects[i] = (struct fleet_suspect){ h->entity, h->uuid, h->card, suspect_sentence(t->mem, h) };
	}
	told->suspects = suspects;
	told->n_suspects = n;
	for (size_t i = 0; i < t->fleet->n_hardware; i++)
		told->n_suspect_gpus += !t->fleet->hardware[i].is_host;
	told->more_suspects = n < t->fleet->n_hardware ? arena_print(t->mem, "%zu more", t->fleet->n_hardware - n) : NULL;
}

static void tell_classes(const struct telling *t, struct fleet_told *told)
{
	const struct fleet *const f = t->fleet;
	const struct {
		const char *class, *name;
		int64_t us;
		bool is_rare; /* told to people where there is any */
	} rows[] = {
		{ "normal", "at the runs' normal speed", f->normal_us, false },
		{ "lost", "lost", f->lost_us, false },
		{ "suppressed", "suppressed", f->suppressed_us, true },
		{ "overhead", "start, end, pauses", f->overhead_us, false },
		{ "no-log", "no log", f->no_log_us, false },
	};
	const size_t n = sizeof rows / sizeof *rows;
	const bool has_rate = t->rate.per_gpu_hour > 0;
	struct fleet_class *const classes = NEW_ARRAY(t->mem, struct fleet_class, n);
	struct fleet_seconds *const seconds = NEW_ARRAY(t->mem, struct fleet_seconds, n);

	for (size_t i = 0; i < n; i++) {
		seconds[i] = (struct fleet_seconds){ rows[i].class, seconds_text(t->mem, rows[i].us) };
		if (f->gpu_us > 0 && (rows[i].us > 0 || !rows[i].is_rare))
			classes[told->n_classes++] = (struct fleet_class){
				.name = rows[i].name,
				.text = gpu_us_text(t->mem, t->unit, rows[i].us),
				.percent = share_text(t->mem, rows[i].us, f->gpu_us),
				.money = has_rate ? money_number(t->mem, hours_of(rows[i].us) * t->rate.per_gpu_hour) : NULL,
				.share = share_of(rows[i].us, f->gpu_us),
			};
	}
	told->classes = classes;
	told->seconds = seconds;
	told->n_seconds = n;
	told->has_suppressed = f->suppressed_us > 0;
}

/* ------------------------------------------------ for machines */

static const char *ratio_text(struct arena *mem, const struct fleet_sum *sum)
{
	const int millionths = (int)millionths_of(sum->lost_us, sum->gpu_us);

	return arena_print(mem, "%d.%06d", millionths / 1000000, millionths % 1000000);
}

static void tell_machines(const struct telling *t, struct fleet_told *told)
{
	const struct fleet *const f = t->fleet;
	struct fleet_seconds *const rules = NEW_ARRAY(t->mem, struct fleet_seconds, f->causes.n);
	struct fleet_count *const counted = NEW_ARRAY(t->mem, struct fleet_count, N_RUN_STATUSES);
	size_t n = 0;

	for (size_t i = 0; i < N_RUN_STATUSES; i++)
		counted[i] = (struct fleet_count){ run_status_name((enum run_status)i), f->n_of_status[i] };
	told->counted = counted;
	told->n_counted = N_RUN_STATUSES;
	for (size_t i = 0; i < f->causes.n; i++)
		if (!loss_by_cause_is_unknown(&f->causes.at[i]))
			rules[n++] = (struct fleet_seconds){ f->causes.at[i].name, seconds_text(t->mem, f->causes.at[i].lost_us) };
	told->seconds_of_rules = rules;
	told->n_seconds_of_rules = n;
	told->last_week_ratio = f->last_week && f->is_last_known ? ratio_text(t->mem, f->last_week) : NULL;
	told->weeks_before_ratio = f->n_weeks_before ? ratio_text(t->mem, &f->weeks_before) : NULL;
}

static void tell_links(const struct telling *t, enum fleet_order order, struct fleet_told *told)
{
	struct fleet_link *const links = NEW_ARRAY(t->mem, struct fleet_link, N_FLEET_ORDERS);

	for (int i = 0; i < N_FLEET_ORDERS; i++)
		links[i] = (struct fleet_link){ orders[i].file, orders[i].name, i == (int)order };
	told->links = links;
	told->n_links = N_FLEET_ORDERS;
}

/* Of the cause that lost most of all; where there is none, of the first run, whose verdict is the worst if nothing was lost. */
static const char *severity_of(struct arena *mem, const struct fleet *fleet)
{
	if (fleet->causes.n && fleet->causes.at[0].lost_us > 0)
		return severity_name(fleet->causes.at[0].severity);
	return fleet->n_runs ? fleet_record(mem, fleet, &fleet->runs[0]).severity : "unknown";
}

static void tell_total(const struct telling *t, struct fleet_told *told)
{
	told->total = arena_print(t->mem, "%s %s", gpu_us_text(t->mem, t->unit, t->fleet->gpu_us), t->unit.name);
	if (!(t->rate.per_gpu_hour > 0))
		return;
	told->total = arena_print(t->mem, "%s (%s)", told->total, worth_text(t->mem, t->rate, hours_of(t->fleet->gpu_us)));
	told->currency = t->rate.currency ? t->rate.currency : "worth";
}

const struct fleet_told *fleet_tell(struct arena *mem, const struct fleet *fleet, const struct fleet_choice *choice)
{
	const struct telling t = {
		.mem = mem,
		.fleet = fleet,
		.unit = gpu_time_for(hours_of(fleet->gpu_us)),
		.rate = choice->rate,
		.most_lost_us = fleet->n_runs ? fleet->runs[0].lost_us : 0,
		.most_lines = choice->most_lines,
	};
	struct fleet_told *const told = NEW(mem, struct fleet_told);

	told->program = choice->program;
	tell_total(&t, told);
	told->unit = t.unit.name;
	told->symbol = t.unit.symbol;
	told->order = orders[choice->order].name;
	told->severity = severity_of(mem, fleet);
	told->is_by_loss = choice->order == FLEET_BY_LOSS;
	told->is_by_begin = choice->order == FLEET_BY_BEGIN;
	told->is_by_host = choice->order == FLEET_BY_HOST;
	tell_links(&t, choice->order, told);
	tell_classes(&t, told);
	tell_runs(&t, choice, told);
	tell_without(&t, choice->most_rows, told);
	told->causes = causes_of(&t);
	if (fleet->groups.n > 1)
		told->groups = table_of(&t, fleet->groups, "more group", false);
	told->hosts = table_of(&t, fleet->hosts, "more host", false);
	told->cards = table_of(&t, fleet->cards, "more kind", false);
	told->weeks = weeks_of(&t);
	tell_suspects(&t, told);
	tell_machines(&t, told);
	fleet_sentences(mem, fleet, t.unit, t.rate, told);
	return told;
}
