/*
 * fleet_test.c - what is true of a few runs together: ranks, sums, percentiles, weeks, and which hardware keeps appearing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fleets.h"
#include "logs.h"

#define HOUR_US ((int64_t)3600000000)
#define DAY(n) (1712534400 * SECOND_MS + (n) * DAY_MS) /* from Mon 2024-04-08 00:00 UTC */

struct simple { /* a run of one host, a GPU-hour on each GPU */
	const char *id;
	time_ms begin;
	int n_gpus;
	int64_t lost_us;
	const char *rule, *on; /* the whole loss */
};

static struct record record_of(struct arena *mem, const char *host, const struct simple *s)
{
	struct record_gpu *const gpus = NEW_ARRAY(mem, struct record_gpu, (size_t)s->n_gpus);
	struct record_cause *const cause = NEW(mem, struct record_cause);
	const char **const on = NEW(mem, const char *), **const at = NEW(mem, const char *), **const rule = NEW(mem, const char *);
	struct record r = { .id = s->id, .key = "k", .status = RUN_OK, .begin = s->begin, .end = s->begin + HOUR_MS, .severity = "warning",
		.verdict = "v.", .hosts = { at, 1 }, .gpus = gpus, .n_gpus = (size_t)s->n_gpus, .gpu_us = s->n_gpus * HOUR_US,
		.lost_us = s->lost_us, .causes = cause, .n_causes = s->rule != NULL };

	*at = host;
	*on = s->on;
	*rule = s->rule;
	*cause = (struct record_cause){ s->rule, s->rule, s->rule, SEVERITY_WARNING, s->lost_us, { on, s->on != NULL } };
	for (int i = 0; i < s->n_gpus; i++) {
		gpus[i] = (struct record_gpu){ .entity = arena_print(mem, "%s/gpu%d", host, i), .name = "NVIDIA H200" };
		if (s->on && strcmp(s->on, gpus[i].entity) == 0)
			gpus[i].rules = (struct texts){ rule, 1 };
	}
	r.normal_us = r.gpu_us - r.lost_us;
	return r;
}

/* Those of one test: released when it ends. */
#define MOST_FLEETS 32
static const struct fleet *fleets[MOST_FLEETS];
static size_t n_fleets;

static const struct fleet *built(struct logs *logs, const struct record *records, const char *const *groups, size_t n)
{
	assert_true(n_fleets < MOST_FLEETS);
	return fleets[n_fleets++] = fleet_build(&logs->mem, records, groups, n);
}

static int release_fleets(void **state)
{
	while (n_fleets)
		fleet_release(fleets[--n_fleets]);
	return logs_tear_down(state);
}

static const char *id_of(struct logs *logs, const struct fleet *fleet, const struct fleet_run *run)
{
	return fleet_record(&logs->mem, fleet, run).id;
}

static const struct fleet *fleet_of(struct logs *logs, const struct simple *runs, size_t n, const char *const *groups)
{
	struct record *const records = NEW_ARRAY(&logs->mem, struct record, n);

	for (size_t i = 0; i < n; i++)
		records[i] = record_of(&logs->mem, "node01", &runs[i]);
	return built(logs, records, groups, n);
}
#define FLEET_OF(logs, runs, groups) fleet_of((logs), (runs), sizeof(runs) / sizeof(runs)[0], (groups))

static const struct fleet_told *told_of(struct logs *logs, const struct fleet *fleet)
{
	return fleet_tell(&logs->mem, fleet, &(struct fleet_choice){ .most_rows = 9, .most_lines = 9, .program = "p" });
}

static void ranks_by_gpu_time_lost(void **state)
{
	static const struct simple runs[] = {
		{ "c", DAY(0), 2, 50, "hot", NULL }, { "b", DAY(0), 2, 900, "hot", NULL }, { "d", DAY(0), 2, 50, "slow", NULL },
		{ "a", DAY(1), 2, 0, NULL, NULL },
	};
	const struct fleet *const fleet = FLEET_OF(*state, runs, NULL);
	static const char *const order[] = { "b", "c", "d", "a" };

	for (size_t i = 0; i < 4; i++)
		assert_string_equal(id_of(*state, fleet, &fleet->runs[i]), order[i]);
	assert_int_equal(fleet->lost_us, 1000);
	assert_int_equal(fleet->n_first, 1);
	assert_int_equal(fleet->first_us, 900);
	assert_int_equal(fleet->begin, DAY(0));
	assert_int_equal(fleet->end, DAY(1) + HOUR_MS);
	assert_int_equal(fleet->causes.n, 2);
	assert_string_equal(fleet->causes.at[0].name, "hot");
	assert_int_equal(fleet->causes.at[0].lost_us, 950);
	assert_int_equal(fleet->causes.at[0].n_runs, 2);
	assert_int_equal(fleet->unexplained_us, 0);
}

/* Memory errors cost no time: among hundreds of healthy runs nobody would find them. */
static void ranks_equal_losses_by_verdict(void **state)
{
	static const char *const severities[] = { "healthy", "note", "unknown", "critical", "warning", "critical" };
	static const char *const order[] = { "d", "f", "e", "b", "c", "a" };
	struct logs *const logs = *state;
	struct record records[6];

	for (size_t i = 0; i < 6; i++) {
		const struct simple run = { arena_print(&logs->mem, "%c", "abcdef"[i]), DAY(0), 1, 0, NULL, NULL };
		records[i] = record_of(&logs->mem, "node01", &run);
		records[i].severity = severities[i];
	}
	const struct fleet *const fleet = built(logs, records, NULL, 6);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(id_of(*state, fleet, &fleet->runs[i]), order[i]);
}

static void says_what_has_no_report(void **state)
{
	struct logs *const logs = *state;
	const struct record records[] = {
		{ .id = "z", .status = RUN_EMPTY }, { .id = "y", .status = RUN_CRASHED }, { .id = "x", .status = RUN_EMPTY },
	};
	const struct fleet *const fleet = built(logs, records, NULL, 3);

	assert_int_equal(fleet->n_runs, 0);
	assert_int_equal(fleet->n_without, 3);
	assert_string_equal(id_of(logs, fleet, &fleet->without[0]), "x");
	assert_string_equal(id_of(logs, fleet, &fleet->without[1]), "z");
	assert_string_equal(id_of(logs, fleet, &fleet->without[2]), "y");
	assert_int_equal(fleet->n_of_status[RUN_EMPTY], 2);
	assert_true(fleet->begin == TIME_UNKNOWN);
	assert_null(fleet->last_week);
	assert_int_equal(built(logs, NULL, NULL, 0)->n_runs, 0);
}

/* A fleet looks healthy when what is sick was left out: whoever reads it was not there when it was asked for. */
static void says_what_was_left_out(void **state)
{
	static const struct {
		size_t n_left_out, n_missing;
		bool has_gaps;
		const char *subtitle, *counts;
	} cases[] = {
		{ 0, 0, false, "", "" },
		{ 230, 0, false, "Filters leave out 230 more.", " Filters (--since, --until, --min-gpu-hours) leave out 230 more." },
		{ 0, 12, false, "12 more are missing.", " Of 12 more no shard has brought a record." },
		{ 0, 0, true, "Runs in a folder that could not be read are missing.",
		  " A folder could not be read where the runs were looked for: those in it are missing." },
	};
	struct logs *const logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fleet_building *const b = fleet_begin(&logs->mem);
		fleet_note_absent(b, cases[i].n_left_out, cases[i].n_missing, cases[i].has_gaps);
		const struct fleet *const fleet = fleets[n_fleets++] = fleet_end(b);
		assert_string_equal(told_of(logs, fleet)->subtitle, cases[i].subtitle);
		assert_string_equal(told_of(logs, fleet)->counts, arena_print(&logs->mem, "0 runs with a report.%s", cases[i].counts));
	}
}

static void compares_runs_within_their_group(void **state)
{
	static const struct simple runs[] = {
		{ "a", DAY(0), 1, 10, "hot", NULL }, { "b", DAY(0), 4, 20, "hot", NULL }, { "c", DAY(0), 1, 30000, "hot", NULL },
		{ "d", DAY(0), 1, 90000, "hot", NULL }, { "e", DAY(0), 1, 70000, "hot", NULL },
	};
	static const char *const groups[] = { "x", "x", "x", "x", NULL };
	const struct fleet *const fleet = FLEET_OF(*state, runs, groups);
	static const struct {
		const char *id;
		int worse_than;
	} expected[] = { { "d", 100 }, { "e", -1 }, { "c", 66 }, { "b", 0 }, { "a", 0 } }; /* of a and b less than a millionth */

	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(id_of(*state, fleet, &fleet->runs[i]), expected[i].id);
		assert_int_equal(fleet->runs[i].worse_than, expected[i].worse_than);
	}
}

/* Dates and weeks as `date -u -d … +%G-W%V` has them. */
static void knows_weeks(void **state)
{
	static const struct {
		int64_t days;
		const char *week;
	} cases[] = {
		{ 0, "1970-W01" }, { -1, "1970-W01" }, { -4, "1969-W52" }, { 18627, "2020-W53" }, { 18630, "2020-W53" }, { 18631, "2021-W01" },
		{ 19821, "2024-W15" }, { 19827, "2024-W15" }, { 19828, "2024-W16" }, { 20087, "2025-W01" }, { 20819, "2026-W53" }, { 20821, "2026-W53" },
		{ 20822, "2027-W01" }, { 20824, "2027-W01" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct simple run = { "a", cases[i].days * DAY_MS + 1, 1, 5, "hot", NULL };
		const struct fleet *const fleet = fleet_of(*state, &run, 1, NULL);
		assert_int_equal(fleet->weeks.n, 1);
		assert_string_equal(fleet->weeks.at[0].name, cases[i].week);
	}
}

static void compares_the_last_week_with_those_before(void **state)
{
	static const struct simple runs[] = {
		{ "a", DAY(0), 1, 1, "hot", NULL }, { "b", DAY(7), 1, 10, "hot", NULL }, { "c", DAY(8), 1, 100, "hot", NULL },
		{ "d", DAY(14), 1, 1000, "hot", NULL }, { "e", DAY(21), 1, 10000, "hot", NULL }, { "f", DAY(35), 1, 100000, "hot", NULL },
		{ "g", DAY(42), 1, 1000000, "hot", NULL }, { "h", TIME_UNKNOWN, 1, 7, "hot", NULL },
	};
	const struct fleet *const fleet = FLEET_OF(*state, runs, NULL);

	assert_int_equal(fleet->weeks.n, 6);
	assert_string_equal(fleet->last_week->name, "2024-W21");
	assert_int_equal(fleet->last_week->lost_us, 1000000);
	assert_int_equal(fleet->n_weeks_before, 4);
	assert_int_equal(fleet->weeks_before.lost_us, 111110);
	assert_int_equal(fleet->weeks_before.n_runs, 5);
	assert_string_equal(told_of(*state, fleet)->weeks.more, "1 run without a date");
	const struct fleet_choice few = { .most_rows = 9, .most_lines = 4, .program = "p" };
	assert_string_equal(fleet_tell(&((struct logs *)*state)->mem, fleet, &few)->weeks.more, "2 earlier weeks, 1 run without a date");
}

/* A clock that begins in 1970, and one that is 76 years fast, are not what the last week is. */
static void leaves_out_weeks_that_a_wrong_clock_made(void **state)
{
	static const struct simple runs[] = {
		{ "a", 0, 1, 500000000, "hot", NULL }, { "b", DAY(0), 1, 36000000, "hot", NULL }, { "c", DAY(7), 1, 360000000, "hot", NULL },
		{ "d", DAY(27759), 1, 0, NULL, NULL },
	};
	const struct fleet *const fleet = FLEET_OF(*state, runs, NULL);

	assert_string_equal(fleet->last_week->name, "2024-W16");
	assert_int_equal(fleet->n_far_runs, 2);
	assert_string_equal(told_of(*state, fleet)->trend,
		"Up to 10 % of the GPU time was lost in the last week (2024-W16, 1 run), more than in the only week with runs before it (1 %). "
		"2 runs that are dated more than a year from the others are left out of this.");
}

/* A year without runs is rare, but no reason to leave anything out. */
static void takes_the_later_weeks_of_as_many_runs(void **state)
{
	static const struct simple runs[] = { { "a", DAY(0), 1, 36000000, "hot", NULL }, { "b", DAY(364), 1, 0, NULL, NULL } };
	static const struct simple apart[] = { { "a", DAY(0), 1, 36000000, "hot", NULL }, { "b", DAY(371), 1, 0, NULL, NULL } };
	const struct fleet *const one = FLEET_OF(*state, runs, NULL);

	assert_int_equal(one->n_far_runs, 0);
	assert_int_equal(one->n_weeks_before, 1);
	const struct fleet *const two = FLEET_OF(*state, apart, NULL);
	assert_int_equal(two->n_far_runs, 1);
	assert_string_equal(two->last_week->name, "2025-W16");
	assert_null(told_of(*state, two)->trend);
}

/* Where the run lost something else as well its own number is told, and the cause's is not known all the same. */
static void explains_the_question_mark_of_a_cause(void **state)
{
	struct logs *const logs = *state;
	struct record record = record_of(&logs->mem, "node01", &(struct simple){ "a", DAY(0), 1, 36000000, "hot", NULL });
	struct record_cause causes[] = { record.causes[0], { "ecc", "bits", "bits", SEVERITY_CRITICAL, 0, { NULL, 0 } } };

	record.causes = causes;
	record.n_causes = 2;
	const struct fleet *const fleet = built(logs, &record, NULL, 1);
	const struct fleet_told *const told = told_of(logs, fleet);
	assert_int_equal(fleet->n_loss_unknown, 0);
	assert_string_equal(told->causes.lines[1].lost, "?");
	assert_non_null(strstr(told->footnote, " '?' is a loss that is not known"));
	record.n_causes = 1;
	assert_null(strstr(told_of(logs, built(logs, &record, NULL, 1))->footnote, "'?'"));
}

/* In a column of five characters. */
static void tells_hours_in_few_digits(void **state)
{
	static const struct {
		int64_t ms;
		const char *hours;
	} cases[] = {
		{ 0, "0.00" }, { 1, "<0.01" }, { 17999, "<0.01" }, { 18000, "0.01" }, { 3580000, "0.99" }, { 3600000, "1.0" }, { 35800000, "9.9" },
		{ 35900000, "10" }, { 4442400000, "1234" },
	};
	struct logs *const logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct record record = record_of(&logs->mem, "node01", &(struct simple){ "a", DAY(0), 1, 0, NULL, NULL });
		record.end = record.begin + cases[i].ms;
		assert_string_equal(told_of(logs, built(logs, &record, NULL, 1))->rows[0].hours, cases[i].hours);
	}
}

/* "The weeks before" would be the calendar's: here eight of them had no run. */
static void says_that_weeks_without_runs_do_not_count(void **state)
{
	static const struct simple runs[] = { { "a", DAY(0), 1, 36000000, "hot", NULL }, { "b", DAY(63), 1, 360000000, "hot", NULL } };

	assert_string_equal(told_of(*state, FLEET_OF(*state, runs, NULL))->trend,
		"Up to 10 % of the GPU time was lost in the last week (2024-W24, 1 run), more than in the only week with runs before it (1 %).");
}

/* In the words and digits of the table beside it, so that nobody finds two numbers for one thing. */
static void tells_whether_it_gets_better(void **state)
{
	static const struct {
		int64_t before_us, now_us; /* lost, of an hour */
		const char *percent, *than;
	} cases[] = {
		{ 36000000, 360000000, "Up to 10 %", "more than in the only week with runs before it (1 %)." },
		{ 360000000, 36000000, "Up to 1 %", "less than in the only week with runs before it (10 %)." },
		{ 93600000, 120000000, "Up to 3 %", "about as much as in the only week with runs before it (3 %)." },
		{ 360000000, 0, "None", "less than in the only week with runs before it (10 %)." },
		{ 0, 0, "None", "as in the only week with runs before it (0 %)." },
		{ 0, 3600, "Up to <0.1 %", "more than in the only week with runs before it (0 %)." },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct simple runs[] = { { "a", DAY(0), 1, cases[i].before_us, "hot", NULL }, { "b", DAY(7), 1, cases[i].now_us, "hot", NULL } };
		struct logs *const logs = *state;
		const char *const expected = arena_print(&logs->mem, "%s of the GPU time was lost in the last week (2024-W16, 1 run), %s",
			cases[i].percent, cases[i].than);
		assert_string_equal(told_of(logs, FLEET_OF(logs, runs, NULL))->trend, expected);
	}
}

/* What no log tells of was not proved to be well; and what costs no time may be worse than what does. */
static void claims_no_health_that_it_has_not_seen(void **state)
{
	struct logs *const logs = *state;
	static const struct {
		const char *severities[2];
		int64_t no_log_us;
		const char *severity, *title;
	} cases[] = {
		{ { "healthy", "healthy" }, 0, "healthy", "Nothing was lost of 4.0 GPU-hours in 2 runs" },
		{ { "healthy", "unknown" }, HOUR_US, "unknown", "What 1 of 2 runs lost is not known; no other loss was found in 2.0 of 4.0 GPU-hours of 2 runs; no log tells how 2.0 went" },
		{ { "healthy", "critical" }, 0, "critical", "Nothing was lost of 4.0 GPU-hours in 2 runs" },
		{ { "note", "warning" }, 0, "warning", "Nothing was lost of 4.0 GPU-hours in 2 runs" },
		{ { "healthy", "healthy" }, HOUR_US / 60, "healthy", "Nothing was lost of 4.0 GPU-hours in 2 runs" },
		{ { "unknown", "unknown" }, 2 * HOUR_US - 1, "unknown",
			"What all 2 runs lost is not known; no other loss was found in <0.1 of 4.0 GPU-hours of 2 runs; no log tells how 4.0 went" },
		{ { "unknown", "unknown" }, 2 * HOUR_US, "unknown", "No log tells how 4.0 GPU-hours went in 2 runs" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct record records[2];
		for (size_t k = 0; k < 2; k++) {
			records[k] = record_of(&logs->mem, "node01", &(struct simple){ k ? "b" : "a", DAY(0), 2, 0, NULL, NULL });
			records[k].severity = cases[i].severities[k];
			records[k].no_log_us = cases[i].no_log_us;
			records[k].normal_us -= cases[i].no_log_us;
		}
		const struct fleet_told *const told = told_of(logs, built(logs, records, NULL, 2));
		assert_string_equal(told->severity, cases[i].severity);
		assert_string_equal(told->title, cases[i].title);
		assert_string_equal(told->subtitle, "2024-04-08, most GPU time lost first.");
	}
	assert_string_equal(told_of(logs, built(logs, NULL, NULL, 0))->subtitle, "");
}

/* "Up to 2 of 296" is not the most that can be lost where nobody knows of 288. */
static void names_what_no_log_tells_of_beside_what_was_lost(void **state)
{
	struct logs *const logs = *state;
	static const struct {
		int64_t lost_us, no_log_us;
		const char *title;
	} cases[] = {
		{ 18 * HOUR_US, 72 * HOUR_US, "Up to 18.0 of 100 GPU-hours were lost in 1 run, and no log tells how 72.0 went" },
		{ 25 * HOUR_US, 21 * HOUR_US, "Up to 25.0 of 100 GPU-hours were lost in 1 run, and no log tells how 21.0 went" },
		{ 25 * HOUR_US, 19 * HOUR_US, "Up to 25.0 of 100 GPU-hours were lost in 1 run" },
		{ 2 * HOUR_US, 3 * HOUR_US, "Up to 2.0 of 100 GPU-hours were lost in 1 run, and no log tells how 3.0 went" },
		{ HOUR_US / 2, HOUR_US, "Up to 0.5 of 100 GPU-hours were lost in 1 run" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct record record = record_of(&logs->mem, "node01", &(struct simple){ "a", DAY(0), 100, cases[i].lost_us, "hot", NULL });
		record.no_log_us = cases[i].no_log_us;
		record.normal_us -= cases[i].no_log_us;
		assert_string_equal(told_of(logs, built(logs, &record, NULL, 1))->title, cases[i].title);
	}
}

static void tells_what_it_cost(void **state)
{
	static const struct {
		struct rate rate;
		const char *title, *total, *currency, *normal;
	} cases[] = {
		{ { 0, NULL }, "Up to 18.0 of 100 GPU-hours were lost in 1 run", "100 GPU-hours", NULL, NULL },
		{ { 2.5, "EUR" }, "Up to 18.0 GPU-hours (45.00 EUR) of 100 were lost in 1 run", "100 GPU-hours (250.00 EUR)", "EUR", "205.00" },
		{ { 20, NULL }, "Up to 18.0 GPU-hours (worth 360.00) of 100 were lost in 1 run", "100 GPU-hours (worth 2000)", "worth", "1640" },
	};
	struct logs *const logs = *state;
	const struct record record = record_of(&logs->mem, "node01", &(struct simple){ "a", DAY(0), 100, 18 * HOUR_US, "hot", NULL });
	const struct fleet *const fleet = built(logs, &record, NULL, 1);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct fleet_told *const told = fleet_tell(&logs->mem, fleet, &(struct fleet_choice){ .most_rows = 9, .most_lines = 9, .program = "p", .rate = cases[i].rate });
		assert_string_equal(told->title, cases[i].title);
		assert_string_equal(told->total, cases[i].total);
		assert_true(!told->currency == !cases[i].currency && !told->classes[0].money == !cases[i].normal);
		if (cases[i].normal) {
			assert_string_equal(told->currency, cases[i].currency);
			assert_string_equal(told->classes[0].money, cases[i].normal);
		}
	}
}

/* What somebody knows of is not lost, and no start either. */
static void tells_apart_what_is_suppressed(void **state)
{
	struct logs *const logs = *state;
	struct record record = record_of(&logs->mem, "node01", &(struct simple){ "a", DAY(0), 4, 0, NULL, NULL });

	record.severity = "healthy";
	record.suppressed_us = HOUR_US;
	record.overhead_us = HOUR_US / 2;
	record.normal_us -= record.suppressed_us + record.overhead_us;
	const struct fleet_told *const told = told_of(logs, built(logs, &record, NULL, 1));
	assert_string_equal(told->title, "Nothing was lost of 4.0 GPU-hours in 1 run beside 1.0 that are suppressed");
	assert_int_equal(told->n_classes, 5);
	assert_string_equal(told->classes[2].name, "suppressed");
	assert_string_equal(told->classes[2].text, "1.0");
	assert_string_equal(told->classes[3].text, "0.5");
	assert_string_equal(told->rows[0].cause, "suppressed");
	assert_true(told->rows[0].note_end == 0.625 && told->rows[0].suppressed_end == 0.875 && told->rows[0].overhead_end == 1);
	record.normal_us += record.suppressed_us;
	record.suppressed_us = 0;
	assert_int_equal(told_of(logs, built(logs, &record, NULL, 1))->n_classes, 4);
}

/* To the GPUs that a cause names, the rest of a number of microseconds to the first. */
static void deals_losses_to_hosts_and_cards(void **state)
{
	struct logs *const logs = *state;
	static const char *const hosts[] = { "a", "b" }, *const on_a1[] = { "a/gpu1" }, *const on_b[] = { "b" }, *const nowhere[] = { "run" };
	static const struct record_gpu gpus[] = {
		{ "a/gpu0", "L40S", NULL, { NULL, 0 } }, { "a/gpu1", "H100", NULL, { NULL, 0 } }, { "b/gpu0", "H100", NULL, { NULL, 0 } },
	};
	static const struct record_cause causes[] = {
		{ "x", "x", "x", SEVERITY_NOTE, 100, { on_a1, 1 } }, { "y", "y", "y", SEVERITY_NOTE, 50, { on_b, 1 } },
		{ "z", "z", "z", SEVERITY_NOTE, 8, { nowhere, 1 } },
	};
	const struct record record = { .id = "r", .status = RUN_OK, .severity = "note", .hosts = { hosts, 2 }, .gpus = gpus, .n_gpus = 3,
		.gpu_us = 1000, .lost_us = 160, .normal_us = 840, .causes = causes, .n_causes = 3, .begin = DAY(0), .end = DAY(1) };
	const struct fleet *const fleet = built(logs, &record, NULL, 1);

	/* a/gpu0: 3 of z, 1 of 2 that have no cause; a/gpu1: 100, 3, 1; b/gpu0: 50, 2, 0 */
	assert_int_equal(fleet->hosts.n, 2);
	assert_string_equal(fleet->hosts.at[0].name, "a");
	assert_int_equal(fleet->hosts.at[0].lost_us, 108);
	assert_int_equal(fleet->hosts.at[0].gpu_us, 667);
	assert_int_equal(fleet->hosts.at[1].lost_us, 52);
	assert_int_equal(fleet->cards.n, 2);
	assert_string_equal(fleet->cards.at[0].name, "H100");
	assert_int_equal(fleet->cards.at[0].lost_us, 156);
	assert_int_equal(fleet->cards.at[0].n_runs, 1);
	assert_int_equal(fleet->unexplained_us, 2);
	const struct fleet_told *const told = fleet_tell(&logs->mem, fleet, &(struct fleet_choice){ .most_rows = 1, .most_lines = 9, .program = "p" });
	assert_int_equal(told->causes.n_lines, 4);
	assert_string_equal(told->causes.lines[3].name, "no cause told");
	assert_string_equal(told->causes.lines[3].percent, "1 %");
	assert_null(told->causes.lines[3].severity);
	assert_int_equal(fleet_tell(&logs->mem, fleet, &(struct fleet_choice){ .most_rows = 1, .most_lines = 2, .program = "p" })->causes.n_lines, 2);
}

/* A rule may call what it found by what it saw: of several runs only its own name is true. */
static void adds_up_under_a_name_that_is_true_of_all(void **state)
{
	static const struct simple runs[] = { { "a", DAY(0), 1, 900, "gpu-low-use", NULL }, { "b", DAY(0), 1, 500, "gpu-low-use", NULL } };
	static const char *const labels[] = { "on-off rhythm", "low use" };
	struct logs *const logs = *state;
	struct record records[2];

	for (size_t i = 0; i < 2; i++) {
		records[i] = record_of(&logs->mem, "node01", &runs[i]);
		struct record_cause *const cause = (struct record_cause *)records[i].causes;
		cause->label = labels[i];
		cause->rule_label = "low use";
	}
	const struct fleet_told *const told = told_of(logs, built(logs, records, NULL, 2));
	assert_string_equal(told->rows[0].cause, "on-off rhythm");
	assert_int_equal(told->causes.n_lines, 1);
	assert_string_equal(told->causes.lines[0].name, "low use");
	assert_string_equal(told->causes.lines[0].runs, "2");
}

/* Where not all causes are listed, a loss without one stands where its size puts it. */
static void lists_what_has_no_cause_among_the_causes(void **state)
{
	static const struct simple runs[] = {
		{ "a", DAY(0), 1, 900, "hot", NULL }, { "b", DAY(0), 1, 500, NULL, NULL }, { "c", DAY(0), 1, 100, "slow", NULL },
	};
	struct logs *const logs = *state;
	const struct fleet_table causes =
		fleet_tell(&logs->mem, FLEET_OF(logs, runs, NULL), &(struct fleet_choice){ .most_rows = 1, .most_lines = 2, .program = "p" })->causes;

	assert_int_equal(causes.n_lines, 2);
	assert_string_equal(causes.lines[0].name, "hot");
	assert_string_equal(causes.lines[1].name, "no cause told");
	assert_string_equal(causes.lines[1].runs, "-");
	assert_null(causes.lines[1].severity);
	assert_string_equal(causes.more, "1 more cause");
}

/* What their percent is of does not depend on which line is the first. */
static void causes_are_shares_of_the_loss(void **state)
{
	static const struct simple runs[] = { { "a", DAY(0), 1, 900, NULL, NULL }, { "b", DAY(0), 1, 100, "hot", NULL } };
	struct logs *const logs = *state;
	const struct fleet_told *const told =
		fleet_tell(&logs->mem, FLEET_OF(logs, runs, NULL), &(struct fleet_choice){ .most_rows = 1, .most_lines = 9, .program = "p" });

	assert_string_equal(told->causes.lines[0].name, "no cause told");
	assert_string_equal(told->causes.share, "of loss");
	assert_string_equal(told->hosts.share, "share");
}

static void finds_hardware_that_keeps_appearing(void **state)
{
	static const struct simple runs[] = {
		{ "a", DAY(0), 4, 9, "hot", "node01/gpu2" }, { "b", DAY(1), 4, 8, "hot", "node01/gpu2" }, { "c", DAY(2), 4, 7, "hot", "node01/gpu2" },
		{ "d", DAY(3), 4, 6, "hot", "node01/gpu1" }, { "e", DAY(4), 2, 5, "slow", "node01/gpu0" }, { "f", DAY(5), 4, 0, NULL, NULL },
	};
	const struct fleet *const fleet = FLEET_OF(*state, runs, NULL);

	assert_int_equal(fleet->n_hardware, 1);
	assert_string_equal(fleet->hardware[0].entity, "node01/gpu2");
	assert_string_equal(fleet->hardware[0].rule, "hot");
	assert_int_equal(fleet->hardware[0].n_runs, 3);
	assert_int_equal(fleet->hardware[0].of_runs, 5);
	assert_int_equal(fleet->hardware[0].n_elsewhere, 1);
	assert_int_equal(fleet->hardware[0].of_elsewhere, 17);
}

/* A run that lost nothing. */
#define RUN_ON(name, cards, n) { .id = (name), .status = RUN_OK, .severity = "note", .gpus = (cards), .n_gpus = (n) }

/* What fires on each card of a job says nothing of a card; nor does "gpu0" of a host that nobody named. */
static void accuses_no_hardware_of_what_all_have(void **state)
{
	struct logs *const logs = *state;
	static const char *const rule[] = { "starved" };
	static const struct record_gpu all[] = { { "n/gpu0", "H", NULL, { rule, 1 } }, { "n/gpu1", "H", NULL, { rule, 1 } } },
				       nameless[] = { { "gpu0", "H", NULL, { rule, 1 } } }, moved[] = { { "m/gpu5", "H", "GPU-1", { rule, 1 } } },
				       before[] = { { "k/gpu0", "H", "GPU-1", { rule, 1 } } },
				       other[] = { { "k/gpu1", "H", "GPU-2", { NULL, 0 } } };
	const struct record starved[] = {
		RUN_ON("a", all, 2), RUN_ON("b", all, 2),
		RUN_ON("c", all, 2), RUN_ON("d", other, 1),
		RUN_ON("e", nameless, 1), RUN_ON("f", nameless, 1),
		RUN_ON("g", nameless, 1), RUN_ON("h", other, 1),
	};
	const struct record one_card[] = {
		RUN_ON("a", moved, 1), RUN_ON("b", before, 1),
		RUN_ON("c", before, 1), RUN_ON("d", other, 1),
		RUN_ON("e", other, 1),
	};

	assert_int_equal(built(logs, starved, NULL, 8)->n_hardware, 0);
	assert_int_equal(built(logs, one_card, NULL, 2)->n_hardware, 0);
	assert_int_equal(built(logs, one_card, NULL, 3)->n_hardware, 0);
	assert_int_equal(built(logs, one_card, NULL, 4)->n_hardware, 0); /* once not is no proof */
	const struct fleet *const fleet = built(logs, one_card, NULL, 5);
	assert_int_equal(fleet->n_hardware, 1);
	assert_string_equal(fleet->hardware[0].entity, "m/gpu5");
	assert_int_equal(fleet->hardware[0].of_runs, 3);
}

/* The run that lost most was logged by somebody who named no host: of the others it is known where the card is. */
static void names_a_card_where_it_can_be_found(void **state)
{
	struct logs *const logs = *state;
	static const char *const rule[] = { "hot" };
	static const struct record_gpu nameless[] = { { "gpu3", "A100", "GPU-1", { rule, 1 } } }, named[] = { { "node07/gpu3", "A100", "GPU-1", { rule, 1 } } },
				       other[] = { { "node07/gpu0", "A100", "GPU-2", { NULL, 0 } } };
	struct record records[] = {
		RUN_ON("a", named, 1), RUN_ON("b", nameless, 1),
		RUN_ON("c", named, 1), RUN_ON("d", other, 1),
		RUN_ON("e", other, 1),
	};

	records[1].lost_us = records[1].gpu_us = HOUR_US;
	for (size_t i = 0; i < 3; i++, records[1].id = i == 1 ? "0" : "bb") {
		const struct fleet *const fleet = built(logs, records, NULL, 5);
		assert_int_equal(fleet->n_hardware, 1);
		assert_string_equal(fleet->hardware[0].entity, "node07/gpu3");
	}
}

/* A node on which all cards are hot, again and again: that is the node's, and none of theirs; where half of them and two are, too. */
static void accuses_the_host_of_what_most_of_its_cards_have(void **state)
{
	struct logs *const logs = *state;
	static const char *const rule[] = { "hot" };
	struct record_gpu hot[] = { { "n/gpu0", "H", NULL, { rule, 1 } }, { "n/gpu1", "H", NULL, { rule, 1 } } };
	static const struct record_gpu cool[] = { { "m/gpu0", "H", NULL, { NULL, 0 } }, { "m/gpu1", "H", NULL, { NULL, 0 } } };
	const struct record records[] = {
		RUN_ON("a", hot, 2), RUN_ON("b", hot, 2),
		RUN_ON("c", hot, 2), RUN_ON("d", cool, 2),
		RUN_ON("e", cool, 2), RUN_ON("f", cool, 2),
		RUN_ON("g", cool, 2), RUN_ON("h", cool, 2),
		RUN_ON("i", cool, 2), RUN_ON("j", cool, 2),
	};

	/* of the other 17 cards of runs it fired on 3: 3 of 3 are more than four times as often */
	const struct fleet *const fleet = built(logs, records, NULL, 10);
	assert_int_equal(fleet->n_hardware, 1);
	assert_true(fleet->hardware[0].is_host);
	assert_string_equal(fleet->hardware[0].entity, "n");
	assert_string_equal(told_of(logs, fleet)->suspects[0].sentence, "hot in 3 of 3 runs; on other hosts 0 of 7 times");
	/* one of two is a card's */
	hot[1].rules.n = 0;
	const struct fleet *const of_one = built(logs, records, NULL, 10);
	assert_int_equal(of_one->n_hardware, 1);
	assert_false(of_one->hardware[0].is_host);
	assert_string_equal(of_one->hardware[0].entity, "n/gpu0");
}

/* Some logs name it by UUID, some by place alone, with a long or a short name of the host: one card, unless two were there. */
static void knows_a_card_by_its_place(void **state)
{
	struct logs *const logs = *state;
	static const char *const rule[] = { "hot" };
	static const struct record_gpu with_uuid[] = { { "n3.hpc/gpu1", "H", "GPU-1", { rule, 1 } } },
				       by_place[] = { { "n3/gpu1", "H", NULL, { rule, 1 } } },
				       replaced[] = { { "n3/gpu1", "H", "GPU-2", { NULL, 0 } } },
				       elsewhere[] = { { "n3.lab/gpu1", "H", NULL, { NULL, 0 } } },
				       other[] = { { "n4/gpu0", "H", NULL, { NULL, 0 } } };
	struct record records[] = {
		RUN_ON("a", by_place, 1), RUN_ON("b", with_uuid, 1), RUN_ON("c", by_place, 1), RUN_ON("d", other, 1),
		RUN_ON("e", other, 1), RUN_ON("f", other, 1), RUN_ON("g", other, 1),
	};
	const struct fleet *const fleet = built(logs, records, NULL, 7);

	assert_int_equal(fleet->n_hardware, 1);
	assert_string_equal(fleet->hardware[0].uuid, "GPU-1");
	assert_int_equal(fleet->hardware[0].n_runs, 3);
	assert_int_equal(fleet->hardware[0].of_runs, 3);
	assert_int_equal(fleet->hardware[0].n_elsewhere, 0);
	assert_int_equal(fleet->hardware[0].of_elsewhere, 4);
	records[6].gpus = replaced;
	assert_int_equal(built(logs, records, NULL, 7)->n_hardware, 0);
	records[6].gpus = elsewhere;
	assert_int_equal(built(logs, records, NULL, 7)->n_hardware, 0);
}

/* 300 cards with six jobs each, of which one in ten is badly fed, whichever card it is on: on some card it is three of six. */
static void accuses_no_card_of_chance(void **state)
{
	enum { N_CARDS = 300, N_JOBS = 6 };
	struct logs *const logs = *state;
	static const char *const rule[] = { "fed" };
	struct record *const records = NEW_ARRAY(&logs->mem, struct record, N_CARDS * N_JOBS + 6);
	struct record_gpu *const gpus = NEW_ARRAY(&logs->mem, struct record_gpu, N_CARDS * N_JOBS + 6);
	uint32_t luck = 1;
	size_t n = 0, most = 0;

	for (size_t card = 0; card < N_CARDS; card++) {
		size_t n_bad = 0;
		for (size_t job = 0; job < N_JOBS; job++, n++) {
			luck = luck * 1664525u + 1013904223u;
			const bool is_bad = (luck >> 16) % 10 == 0;
			gpus[n] = (struct record_gpu){ arena_print(&logs->mem, "n%03zu/gpu0", card), "H", NULL, { rule, is_bad } };
			records[n] = (struct record)RUN_ON(arena_print(&logs->mem, "%05zu", n), &gpus[n], 1);
			n_bad += is_bad;
		}
		most = n_bad > most ? n_bad : most;
	}
	assert_true(most >= 3);
	assert_int_equal(built(logs, records, NULL, n)->n_hardware, 0);
	for (size_t job = 0; job < 6; job++, n++) { /* six of six is another thing */
		gpus[n] = (struct record_gpu){ "x/gpu0", "H", NULL, { rule, 1 } };
		records[n] = (struct record)RUN_ON(arena_print(&logs->mem, "%05zu", n), &gpus[n], 1);
	}
	assert_int_equal(built(logs, records, NULL, n)->n_hardware, 1);
}

#define TEST_WITH_LOGS(function) cmocka_unit_test_setup_teardown(function, logs_set_up, release_fleets)

/* A week that has just begun tells of nothing, and one of which too little is known is told to be so. */
static void compares_weeks_that_can_be_compared(void **state)
{
	struct logs *const logs = *state;
	static const struct simple young[] = {
		{ "a", DAY(0), 8, 36000000, "hot", NULL }, { "b", DAY(7), 8, 2 * HOUR_US, "hot", NULL }, { "c", DAY(14), 1, 0, NULL, NULL },
		{ "d", DAY(15), 1, 0, NULL, NULL },
	};
	struct record records[24];
	char ids[24][8];

	assert_string_equal(told_of(logs, fleet_of(logs, young, 3, NULL))->trend,
		"None of the GPU time was lost in the last week (2024-W17, 1 run), less than in the 2 weeks with runs before it (13 %).");
	for (size_t i = 0; i < 24; i++) {
		snprintf(ids[i], sizeof ids[i], "r%02zu", i);
		records[i] = record_of(&logs->mem, "node01", &(struct simple){ ids[i], DAY(i < 12 ? 0 : 7), 2, HOUR_US / 2, "hot", NULL });
	}
	struct record unknown = record_of(&logs->mem, "node01", &(struct simple){ "r12", DAY(7), 2, 0, NULL, NULL });
	unknown.severity = "unknown";
	records[12] = unknown;
	assert_string_equal(told_of(logs, built(logs, records, NULL, 24))->trend,
		"Up to 23 % of the GPU time was lost in the last week (2024-W16, 12 runs), about as much as in the only week with runs before it "
		"(25 %); what 1 of these runs lost is not known.");
	records[12].gpu_us = 6 * HOUR_US; /* of twelve runs this one is a fifth of the time */
	assert_string_equal(told_of(logs, built(logs, records, NULL, 24))->trend,
		"What 1 of the 12 runs of the last week (2024-W16) lost is not known: too much to compare it with weeks before.");
	records[12] = unknown;
	unknown.id = "r13";
	records[13] = unknown;
	assert_string_equal(told_of(logs, built(logs, records, NULL, 24))->trend,
		"What 2 of the 12 runs of the last week (2024-W16) lost is not known: too much to compare it with weeks before.");
	records[12] = records[13] = records[14];
	records[12].id = "r12";
	records[13].id = "r13";
	records[23] = record_of(&logs->mem, "node01", &(struct simple){ "r23", DAY(14), 2, HOUR_US, "hot", NULL });
	assert_string_equal(told_of(logs, built(logs, records, NULL, 24))->trend,
		"Up to 25 % of the GPU time was lost in the last week (2024-W16, 11 runs), about as much as in the only week with runs before it "
		"(25 %). 2024-W17 has only 1 run of little time so far, and is not compared.");
}

/* A copy is one of the same card at the same time that lost as much; what is not known is compared with nobody. */
static void tells_copies_and_runs_that_may_be_several(void **state)
{
	struct logs *const logs = *state;
	static const char *const ids[] = { "a", "b", "c" };
	struct record records[3];

	for (size_t i = 0; i < 3; i++)
		records[i] = record_of(&logs->mem, "node01", &(struct simple){ ids[i], DAY(0), 2, 3600, "hot", NULL });
	records[2].begin++;
	records[2].hint = "Separate runs?";
	const struct fleet *const fleet = built(logs, records, NULL, 3);
	assert_int_equal(fleet->n_copies, 1);
	assert_int_equal(fleet->n_several, 1);
	assert_string_equal(told_of(logs, fleet)->counts,
		"3 runs with a report. The logs of 1 may be of several runs each: their hints in index.jsonl name them. "
		"1 looks like a copy of another, of the same cards at the same times, and counts once more.");

	records[0] = record_of(&logs->mem, "node01", &(struct simple){ "a", DAY(0), 2, 0, NULL, NULL });
	records[0].severity = "unknown";
	records[1].lost_us *= 2;
	const struct fleet *const known = built(logs, records, NULL, 3);
	assert_int_equal(known->n_loss_unknown, 1);
	assert_int_equal(known->runs[0].worse_than, 100);
	assert_int_equal(known->runs[1].worse_than, 0);
	assert_int_equal(known->runs[2].worse_than, -1);
}

/* Most of what a host or a group lost is by one cause, or by none. */
static void tells_by_what_hosts_and_groups_lost_most(void **state)
{
	static const struct simple runs[] = {
		{ "a", DAY(0), 1, 3000, "hot", NULL }, { "b", DAY(0), 1, 2000, "slow", NULL }, { "c", DAY(0), 1, 2000, "idle", NULL },
		{ "d", DAY(0), 1, 0, NULL, NULL },
	};
	static const char *const groups[] = { "ann", "bob", "bob", "cem" };
	const struct fleet *const fleet = FLEET_OF(*state, runs, groups);

	assert_int_equal(fleet->groups.n, 3);
	assert_string_equal(fleet->groups.at[0].name, "bob");
	assert_int_equal(fleet->groups.at[0].lost_us, 4000);
	assert_int_equal(fleet->groups.at[0].n_runs, 2);
	assert_string_equal(fleet->groups.at[1].main_cause, fleet->causes.at[0].label);
	assert_null(fleet->groups.at[2].main_cause);
	assert_null(fleet->hosts.at[0].main_cause);
	const struct fleet_told *const told = told_of(*state, fleet);
	assert_int_equal(told->groups.n_lines, 3);
	assert_string_equal(told->groups.lines[1].cause, fleet->causes.at[0].label);
	assert_int_equal(told_of(*state, FLEET_OF(*state, runs, NULL))->groups.n_lines, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_WITH_LOGS(ranks_by_gpu_time_lost),
		TEST_WITH_LOGS(ranks_equal_losses_by_verdict),
		TEST_WITH_LOGS(says_what_has_no_report),
		TEST_WITH_LOGS(says_what_was_left_out),
		TEST_WITH_LOGS(compares_runs_within_their_group),
		TEST_WITH_LOGS(knows_weeks),
		TEST_WITH_LOGS(compares_the_last_week_with_those_before),
		TEST_WITH_LOGS(leaves_out_weeks_that_a_wrong_clock_made),
		TEST_WITH_LOGS(takes_the_later_weeks_of_as_many_runs),
		TEST_WITH_LOGS(explains_the_question_mark_of_a_cause),
		TEST_WITH_LOGS(tells_hours_in_few_digits),
		TEST_WITH_LOGS(says_that_weeks_without_runs_do_not_count),
		TEST_WITH_LOGS(tells_whether_it_gets_better),
		TEST_WITH_LOGS(compares_weeks_that_can_be_compared),
		TEST_WITH_LOGS(tells_copies_and_runs_that_may_be_several),
		TEST_WITH_LOGS(tells_by_what_hosts_and_groups_lost_most),
		TEST_WITH_LOGS(claims_no_health_that_it_has_not_seen),
		TEST_WITH_LOGS(names_what_no_log_tells_of_beside_what_was_lost),
		TEST_WITH_LOGS(tells_what_it_cost),
		TEST_WITH_LOGS(tells_apart_what_is_suppressed),
		TEST_WITH_LOGS(deals_losses_to_hosts_and_cards),
		TEST_WITH_LOGS(adds_up_under_a_name_that_is_true_of_all),
		TEST_WITH_LOGS(lists_what_has_no_cause_among_the_causes),
		TEST_WITH_LOGS(causes_are_shares_of_the_loss),
		TEST_WITH_LOGS(finds_hardware_that_keeps_appearing),
		TEST_WITH_LOGS(accuses_no_hardware_of_what_all_have),
		TEST_WITH_LOGS(names_a_card_where_it_can_be_found),
		TEST_WITH_LOGS(accuses_the_host_of_what_most_of_its_cards_have),
		TEST_WITH_LOGS(knows_a_card_by_its_place),
		TEST_WITH_LOGS(accuses_no_card_of_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
