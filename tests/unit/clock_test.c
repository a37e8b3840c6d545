/*
 * clock_test.c - how each log gets its place on the UTC axis, and the sentence that says so.
 *
 * A run of two minutes, the GPU busy in the middle; the same seconds are written by clocks of
 * different zones. Whatever was decided, second 0 must come out as 02:00:00 UTC.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs.h"

#define IDLE "00000000000000000000"
#define WORK "9999999999999999999999999999999999999999"
#define SHAPE IDLE WORK WORK IDLE
#define IDLE_WORK "99999999999999999999" IDLE IDLE IDLE IDLE "99999999999999999999" /* where SHAPE is idle */
#define HALF "99999999999999999999" WORK IDLE IDLE IDLE /* half of the time in which SHAPE is idle, half of the other */

static const char *const cores[] = { SHAPE, SHAPE };

struct source {
	const char *name;
	enum { GPU, CPU, CORES } kind;
	const char *word; /* CPU: what heads the time column; CORES: the banner's date */
	int minutes;      /* east of UTC */
};

static struct run *run_of(struct logs *logs, const struct source *sources, const struct clock_request *request)
{
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);

	for (size_t i = 0; i < 3 && sources[i].name; i++) {
		const time_ms offset = sources[i].minutes * MINUTE_MS;
		const char *text = sources[i].kind == GPU ? gpu_log(mem, SHAPE, SHAPE, offset)
				   : sources[i].kind == CPU ? cpu_log(mem, SHAPE, sources[i].word, offset)
							    : core_log(mem, sources[i].word, cores, 2, offset);
		run_take(logs, run, sources[i].name, text);
	}
	assert_true(clock_settle(run, request));
	return run;
}

static void settles_zones(void **state)
{
	static const struct {
		struct source sources[3];
		const char *said, *complaints;
		time_ms begins;
		bool zone_known;
	} cases[] = {
		/* one names its zone, the other agrees */
		{ { { "gpu.csv", GPU, NULL, 0 }, { "vmstat.txt", CPU, "UTC", 0 } },
		  "gpu.csv names no zone; read as UTC like vmstat.txt: they share 100 % of the shorter log.\n"
		  "vmstat.txt names its zone: UTC.\n",
		  "", DAWN, true },
		/* a zone that is no UTC, shared */
		{ { { "gpu.csv", GPU, NULL, 330 }, { "vmstat.txt", CPU, "+0530", 330 } },
		  "gpu.csv names no zone; read as UTC+5:30 like vmstat.txt: they share 100 % of the shorter log.\n"
		  "vmstat.txt names its zone: +0530.\n",
		  "", DAWN, true },
		/* whole hours and quarter hours off, told by the overlap and confirmed by the shapes */
		{ { { "gpu.csv", GPU, NULL, -300 }, { "vmstat.txt", CPU, "UTC", 0 } },
		  "gpu.csv names no zone and would not overlap vmstat.txt; read as UTC-5, where they share 100 %; "
		  "GPU and CPU activity then move together (r = 1.00).\n"
		  "vmstat.txt names its zone: UTC.\n",
		  "", DAWN, true },
		{ { { "gpu.csv", GPU, NULL, 330 }, { "vmstat.txt", CPU, "UTC", 0 } },
		  "gpu.csv names no zone and would not overlap vmstat.txt; read as UTC+5:30, where they share 100 %; "
		  "GPU and CPU activity then move together (r = 1.00).\n"
		  "vmstat.txt names its zone: UTC.\n",
		  "", DAWN, true },
		{ { { "gpu.csv", GPU, NULL, 345 }, { "vmstat.txt", CPU, "UTC", 0 } },
		  "gpu.csv names no zone and would not overlap vmstat.txt; read as UTC+5:45, where they share 100 %; "
		  "GPU and CPU activity then move together (r = 1.00).\n"
		  "vmstat.txt names its zone: UTC.\n",
		  "", DAWN, true },
		/* a third log goes with the one that fits it */
		{ { { "gpu.csv", GPU, NULL, -300 }, { "mpstat.txt", CORES, "11/21/2026", 0 }, { "vmstat.txt", CPU, "UTC", 0 } },
		  "gpu.csv names no zone and would not overlap mpstat.txt; read as UTC-5, where they share 100 %; "
		  "GPU and CPU activity then move together (r = 1.00).\n"
		  "mpstat.txt names no zone; read as UTC like vmstat.txt: they share 100 % of the shorter log.\n"
		  "vmstat.txt names its zone: UTC.\n",
		  "", DAWN, true },
		/* nobody names a zone: log time, and nothing is claimed */
		{ { { "gpu.csv", GPU, NULL, 60 } }, "gpu.csv names no zone; times are shown as the log writes them.\n", "",
		  DAWN + HOUR_MS, false },
		{ { { "gpu.csv", GPU, NULL, 60 }, { "vmstat.txt", CPU, "CET", 60 } },
		  "gpu.csv names no zone; read on the same clock as vmstat.txt: they share 100 % of the shorter log.\n"
		  "No log names its zone for sure; times are shown as vmstat.txt writes them.\n",
		  "", DAWN + HOUR_MS, false },
		{ { { "gpu.csv", GPU, NULL, 0 }, { "vmstat.txt", CPU, "CET", 60 } },
		  "gpu.csv names no zone and would not overlap vmstat.txt; read with its clock moved by +1 h against vmstat.txt, "
		  "where they share 100 %; GPU and CPU activity then move together (r = 1.00).\n"
		  "No log names its zone for sure; times are shown as vmstat.txt writes them.\n",
		  "", DAWN + HOUR_MS, false },
		/* days apart: no zone does that */
		{ { { "gpu.csv", GPU, NULL, 3 * 24 * 60 }, { "vmstat.txt", CPU, "UTC", 0 } },
		  "gpu.csv names no zone and has no time in common with the other logs; its own time is used.\n"
		  "vmstat.txt names its zone: UTC.\n",
		  "gpu.csv: warning: clock: no time in common with the other logs, whatever its zone: nothing is compared with it; if "
		  "its clock was wrong, --tz gpu.csv=ZONE moves it\n",
		  DAWN + 3 * DAY_MS, false },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct run *run = run_of(logs, cases[i].sources, &(struct clock_request){ 0 });

		assert_string_equal(shown_clocks(logs, run), cases[i].said);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
		assert_int_equal(run->span.begin, cases[i].begins);
		assert_int_equal(run->zone_known, cases[i].zone_known);
	}
}

/* Three hours of vmstat hold a minute of GPUs at three zones; a GPU that does the same all the while confirms none of them. */
static void does_not_choose_among_zones(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	char busy[60 + 1], cpu[3 * 3600 + 1];

	memset(busy, '5', sizeof busy);
	memset(cpu, '5', sizeof cpu);
	busy[sizeof busy - 1] = cpu[sizeof cpu - 1] = '\0';
	run_take(logs, run, "gpu.csv", gpu_log(mem, busy, NULL, 0));
	run_take(logs, run, "vmstat.txt", cpu_log(mem, cpu, "UTC", 5 * HOUR_MS));
	run_settle(run);
	assert_int_equal(run->span.begin, DAWN);
	assert_string_equal(run->recordings[0]->clock.sentence,
		"gpu.csv names no zone and has no time in common with the other logs; its own time is used.");
	assert_non_null(strstr(take_complaints(logs), "nothing tells which"));
}

static void settles_dates(void **state)
{
	static const struct {
		struct source sources[3];
		const char *said, *complaints;
		time_ms cores_begin;
	} cases[] = {
		/* the banner names its day */
		{ { { "mpstat.txt", CORES, "11/21/2026", 0 }, { "vmstat.txt", CPU, "UTC", 0 } },
		  "mpstat.txt names no zone; read as UTC like vmstat.txt: they share 100 % of the shorter log.\n"
		  "vmstat.txt names its zone: UTC.\n",
		  "", DAWN },
		/* it does not, and a sibling does */
		{ { { "mpstat.txt", CORES, "", 0 }, { "vmstat.txt", CPU, "UTC", 0 } },
		  "mpstat.txt names no zone; read as UTC like vmstat.txt: they share 100 % of the shorter log.\n"
		  "vmstat.txt names its zone: UTC.\n"
		  "mpstat.txt has no date; its day is taken from vmstat.txt.\n",
		  "", DAWN },
		/* and none does */
		{ { { "mpstat.txt", CORES, "", 0 } },
		  "mpstat.txt names no zone; times are shown as the log writes them.\n"
		  "mpstat.txt has no date; it is taken to begin on 1970-01-01 (--date mpstat.txt=YYYY-MM-DD decides).\n",
		  "mpstat.txt: warning: clock: the log has no date; give it with --date mpstat.txt=YYYY-MM-DD\n", 2 * HOUR_MS },
		/* a date that can be read both ways and nobody to ask */
		{ { { "mpstat.txt", CORES, "11/05/26", 0 } },
		  "mpstat.txt names no zone; times are shown as the log writes them.\n"
		  "the date of mpstat.txt could be day/month or month/day; it is read as month/day (--date decides).\n",
		  "mpstat.txt: warning: clock: does the log begin on 2026-11-05 or on 2026-05-11? the first is taken; "
		  "--date mpstat.txt=2026-05-11 says otherwise\n", DAWN - 16 * DAY_MS },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct run *run = run_of(logs, cases[i].sources, &(struct clock_request){ 0 });

		assert_string_equal(shown_clocks(logs, run), cases[i].said);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
		assert_int_equal(channel_time(&run->recordings[0]->channels[0], 0), cases[i].cores_begin);
	}
}

/* A job's progress fits as well as a host's log, and better when that began late, but it can confirm nothing. */
static void a_sibling_with_activity_comes_first(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	const char *progress = "time,step,samples\n", *heat = "timestamp, index, temperature.gpu\n";

	for (int i = 0; i < 20; i++) {
		const time_ms t = DAWN + i * SECOND_MS;
		progress = arena_print(mem, "%s%lld,%d,%d\n", progress, (long long)(t / SECOND_MS), i, 8 * i);
		heat = arena_print(mem, "%s%s, 0, 40\n", heat, local_time(mem, t - 5 * HOUR_MS, '/'));
	}
	run_take(logs, run, "a-progress.csv", progress);
	run_take(logs, run, "b-heat.csv", heat);
	run_take(logs, run, "gpu.csv", gpu_log(mem, SHAPE, SHAPE, -5 * HOUR_MS));
	run_take(logs, run, "vmstat.txt", cpu_log(mem, SHAPE, "UTC", 0));
	assert_true(clock_settle(run, &(struct clock_request){ 0 }));
	assert_string_equal(shown_clocks(logs, run),
		"a-progress.csv names its zone: epoch seconds.\n"
		"b-heat.csv names no zone; read as UTC-5 like gpu.csv: they share 100 % of the shorter log.\n"
		"gpu.csv names no zone and would not overlap vmstat.txt; read as UTC-5, where they share 100 %; "
		"GPU and CPU activity then move together (r = 1.00).\n"
		"vmstat.txt names its zone: UTC.\n");
}

/* 5 November, written in a locale with the day first and in one with the month first. */
static void a_sibling_settles_day_and_month(void **state)
{
	static const struct {
		const char *date, *said;
	} cases[] = {
		{ "05/11/2026", "the date of mpstat.txt is read as day/month, which agrees with gpu.csv." },
		{ "11/05/2026", "the date of mpstat.txt is read as month/day, which agrees with gpu.csv." },
	};
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(mem, "run", &logs->diags);

		run_take(logs, run, "mpstat.txt", core_log(mem, cases[i].date, cores, 2, 0));
		run_take(logs, run, "gpu.csv", gpu_log(mem, SHAPE, NULL, -16 * DAY_MS));
		run_settle(run);
		assert_string_equal(run->notes[0].text, cases[i].said);
		assert_int_equal(channel_time(&run->recordings[0]->channels[0], 0), DAWN - 16 * DAY_MS);
		assert_int_equal(run->recordings[1]->clock.offset, run->recordings[0]->clock.offset);
		assert_string_equal(take_complaints(logs), "");
	}
}

/* Seconds of SHAPE on a day, as people write CSV. */
static const char *dated_log(struct arena *mem, const char *date)
{
	const char *text = "timestamp, index, utilization.gpu [%]\n";

	for (int i = 0; SHAPE[i]; i++)
		text = arena_print(mem, "%s%s 02:%02d:%02d, 0, %d %%\n", text, date, i / 60, i % 60, percent_of(SHAPE[i]));
	return text;
}

/* The same where each row has the date: within one day nothing in the log tells which it is. */
static void a_sibling_settles_day_and_month_of_rows(void **state)
{
	static const struct {
		const char *date, *said;
	} cases[] = {
		{ "05/11/2026", "the date of gpu.csv is read as day/month, which agrees with vmstat.txt." },
		{ "11/05/2026", "the date of gpu.csv is read as month/day, which agrees with vmstat.txt." },
	};
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = run_new(mem, "run", &logs->diags);

		run_take(logs, run, "gpu.csv", dated_log(mem, cases[i].date));
		run_take(logs, run, "vmstat.txt", cpu_log(mem, SHAPE, "UTC", -16 * DAY_MS));
		run_settle(run);
		assert_string_equal(run->notes[0].text, cases[i].said);
		assert_int_equal(channel_time(&run->recordings[0]->channels[0], 0), DAWN - 16 * DAY_MS);
		assert_string_equal(take_complaints(logs), "");
	}
}

static void both_days_of_rows_are_told(void **state)
{
	static const struct file_option dates[] = { { "gpu.csv", "2026-11-05" } };
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", dated_log(&logs->mem, "05/11/2026"));
	run_settle(run);
	assert_string_equal(take_complaints(logs), "gpu.csv: warning: clock: does the log begin on 2026-05-11 or on 2026-11-05? the first "
						   "is taken; --date gpu.csv=2026-11-05 says otherwise\n");
	run = run_new(&logs->mem, "run", &logs->diags);
	run_take(logs, run, "gpu.csv", dated_log(&logs->mem, "05/11/2026"));
	assert_true(clock_settle(run, &(struct clock_request){ .dates = { dates, 1 } }));
	assert_int_equal(channel_time(&run->recordings[0]->channels[0], 0), DAWN - 16 * DAY_MS);
	assert_string_equal(take_complaints(logs), "");
}

/* A night in which the clock was set, on a day that is in doubt: it was set on the day that is settled on. */
static void a_clock_is_set_on_the_day_that_is_meant(void **state)
{
	static const struct {
		int before, after; /* minutes of the day, by the clock */
	} cases[] = { { 180, 120 }, { 120, 180 } };
	static const struct file_option dates[] = { { "gpu.csv", "2026-11-05" } };
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = "timestamp, index, utilization.gpu [%]\n";
		for (int m = 0; m < 40; m++) {
			const int minute = m < 20 ? cases[i].before - 20 + m : cases[i].after + m - 20;
			text = arena_print(mem, "%s05/11/2026 %02d:%02d:00, 0, %d %%\n", text, minute / 60, minute % 60, m);
		}
		struct run *run = run_new(mem, "run", &logs->diags);
		run_take(logs, run, "gpu.csv", text);
		const struct clock_note *const clock = &run->recordings[0]->clock;
		const bool is_back = cases[i].after < cases[i].before;
		assert_int_equal(is_back ? clock->back.swap : clock->ahead.swap, clock->date_swap);
		assert_int_equal(is_back ? clock->ahead.by : clock->back.by, 0);
		assert_true(clock_settle(run, &(struct clock_request){ .dates = { dates, 1 } }));
		if (is_back)
			assert_non_null(strstr(shown_clocks(logs, run), "set back by 1 h 00 min and showed 2026-11-05 02:00:00 next"));
	}
}

static void options_decide(void **state)
{
	static const struct file_option zones[] = { { "*", "UTC" }, { "gpu.csv", "UTC-5" } };
	static const struct file_option dates[] = { { "mpstat.txt", "2026-11-21" } };
	static const struct source sources[3] = { { "gpu.csv", GPU, NULL, -300 }, { "mpstat.txt", CORES, "", 0 } };
	static const struct clock_request request = { .zones = { zones, 2 }, .dates = { dates, 1 } };
	struct logs *logs = *state;
	const struct run *run = run_of(logs, sources, &request);

	assert_string_equal(shown_clocks(logs, run),
		"gpu.csv is read as UTC-5, by --tz.\n"
		"mpstat.txt is read as UTC, by --tz.\n"
		"mpstat.txt begins on 2026-11-21, by --date.\n");
	assert_int_equal(channel_time(&run->recordings[0]->channels[0], 0), DAWN);
	assert_int_equal(channel_time(&run->recordings[1]->channels[0], 0), DAWN);
	assert_int_equal(run->recordings[0]->clock.decided_by, DECIDED_OPTION);
	assert_true(run->zone_known);
	assert_string_equal(take_complaints(logs), "");
}

/* --tz for a log by its name is stronger than what the log says of itself; for all it is for those that say nothing. */
static void an_option_overrules_the_log_it_names(void **state)
{
	static const struct {
		struct file_option zone;
		const char *said;
		time_ms begin;
	} cases[] = {
		{ { "vmstat.txt", "+01:00" }, "vmstat.txt is read as UTC+1, by --tz, though it names UTC.\n", DAWN },
		{ { "vmstat.txt", "UTC" }, "vmstat.txt names its zone: UTC.\n", DAWN + HOUR_MS },
		{ { "*", "+01:00" }, "vmstat.txt names its zone: UTC.\n", DAWN + HOUR_MS },
	};
	static const struct source sources[3] = { { "vmstat.txt", CPU, "UTC", 60 } };
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct run *run = run_of(logs, sources, &(struct clock_request){ .zones = { &cases[i].zone, 1 } });
		assert_string_equal(shown_clocks(logs, run), cases[i].said);
		assert_int_equal(run->span.begin, cases[i].begin);
	}
}

/* --date is for logs that name no day: one that does stays where it was. */
static void a_date_moves_no_log_that_has_its_own(void **state)
{
	static const struct file_option dates[] = { { "*", "2026-11-20" } };
	static const struct source sources[3] = { { "vmstat.txt", CPU, "UTC", 0 } };
	struct logs *logs = *state;
	const struct run *run = run_of(logs, sources, &(struct clock_request){ .dates = { dates, 1 } });

	assert_string_equal(shown_clocks(logs, run), "vmstat.txt names its zone: UTC.\n");
	assert_int_equal(run->span.begin, DAWN);
}

/* What the shapes of both logs say to an inferred zone. */
static void says_what_confirms_a_zone(void **state)
{
	static const struct {
		const char *gpu, *cpu, *said;
	} cases[] = {
		{ IDLE IDLE IDLE IDLE, SHAPE, "; the logs show no activity that could confirm it." },
		{ SHAPE, IDLE_WORK, "; GPU and CPU activity then take turns (r = -1.00)." },
		{ SHAPE, HALF, "; GPU and CPU activity don't confirm it (r = 0.00); both begin and end together then." },
	};
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(mem, "run", &logs->diags);

		run_take(logs, run, "gpu.csv", gpu_log(mem, cases[i].gpu, NULL, -5 * HOUR_MS));
		run_take(logs, run, "vmstat.txt", cpu_log(mem, cases[i].cpu, "UTC", 0));
		run_settle(run);
		assert_non_null(strstr(run->recordings[0]->clock.sentence, cases[i].said));
	}
}

/* Half an hour each, the GPU's begun 15 minutes later, or with a clock of UTC+0:15: only what was done can tell. */
static void a_later_start_is_likelier_than_an_odd_zone(void **state)
{
	static const struct {
		bool busy;
		const char *said;
	} cases[] = {
		{ false,
		  "gpu.csv names no zone; read like vmstat.txt, though they share only 50 % of the shorter log (--tz gpu.csv=ZONE decides)." },
		{ true, "gpu.csv names no zone and would share only 50 % with vmstat.txt; read as UTC+0:15, where they share 100 %; "
			"GPU and CPU activity then move together (r = 1.00)." },
	};
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(mem, "run", &logs->diags);
		char *shape = NEW_ARRAY(mem, char, 1801);

		memset(shape, '0', 1800);
		if (cases[i].busy)
			memset(shape + 300, '9', 900);
		run_take(logs, run, "gpu.csv", gpu_log(mem, shape, NULL, 15 * MINUTE_MS));
		run_take(logs, run, "vmstat.txt", cpu_log(mem, shape, "UTC", 0));
		run_settle(run);
		assert_string_equal(run->recordings[0]->clock.sentence, cases[i].said);
		assert_string_equal(take_complaints(logs), "");
	}
}

/* Three hours in which both stood idle, read 15 minutes off, would share nearly as much: that both begin and end together decides. */
static void two_ends_that_meet_tell_a_zone(void **state)
{
	static const struct {
		int later_s;
		const char *said, *complained;
	} cases[] = {
		{ 5, "gpu.csv names no zone and would not overlap vmstat.txt; read as UTC+5:30, where they share 100 %; the logs show no activity "
			"that could confirm it; both begin and end together then.", "" },
		{ 7, "gpu.csv names no zone and has no time in common with the other logs; its own time is used.", "nothing tells which" },
	};
	const int n = 11000;
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(mem, "run", &logs->diags);
		char *idle = NEW_ARRAY(mem, char, (size_t)n + 1);

		memset(idle, '0', (size_t)n);
		run_take(logs, run, "gpu.csv", gpu_log(mem, idle, NULL, 330 * MINUTE_MS + cases[i].later_s * SECOND_MS));
		run_take(logs, run, "vmstat.txt", cpu_log(mem, idle, "UTC", 0));
		run_settle(run);
		assert_string_equal(run->recordings[0]->clock.sentence, cases[i].said);
		assert_non_null(strstr(take_complaints(logs), cases[i].complained));
	}
}

/* What is said of a GPU log beside a vmstat in UTC, each begun so much later than at DAWN by its clock, without a complaint. */
static const struct recording *gpu_log_beside(struct logs *logs, const char *gpu, time_ms later, const char *cpu, time_ms cpu_later,
	const char *said)
{
	struct run *const run = run_new(&logs->mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, gpu, NULL, later));
	run_take(logs, run, "vmstat.txt", cpu_log(&logs->mem, cpu, "UTC", cpu_later));
	run_settle(run);
	assert_string_equal(run->recordings[0]->clock.sentence, said);
	assert_string_equal(take_complaints(logs), "");
	return run->recordings[0];
}

/* Eight hours, an hour apart as read: they share most of them, and only where both begin and end, and what both show, tells. */
static void a_long_run_in_another_zone_is_told_by_its_ends(void **state)
{
	static const struct {
		int minutes;
		bool gpu_works, as_they_stand; /* the GPU works when the CPU does as the two stand, not as they were written */
		const char *said;
	} cases[] = {
		{ 60, true, false, "gpu.csv names no zone and would share only 88 % with vmstat.txt; read as UTC+1, where they share 100 %; "
			"GPU and CPU activity then move together (r = 1.00)." },
		{ 60, false, false, "gpu.csv names no zone and would share only 88 % with vmstat.txt; read as UTC+1, where they share 100 %; "
			"the logs show no activity that could confirm it; both begin and end together then." },
		{ 15, false, false, "gpu.csv names no zone; read as UTC like vmstat.txt: they share 97 % of the shorter log, though read as UTC+0:15 "
			"both begin and end together; the logs show no activity that could confirm it; --tz gpu.csv=ZONE decides." },
		{ 60, true, true, "gpu.csv names no zone; read as UTC like vmstat.txt: they share 88 % of the shorter log, though read as UTC+1 "
			"both begin and end together; GPU and CPU activity don't confirm it (r = 0.00); --tz gpu.csv=ZONE decides." },
	};
	const size_t n = 8 * 3600, hour = 3600;
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char *gpu = NEW_ARRAY(mem, char, n + 1), *cpu = NEW_ARRAY(mem, char, n + 1);

		memset(gpu, '0', n);
		memset(cpu, '0', n);
		for (size_t k = 1; cases[i].gpu_works && k < 7; k += k == 2 ? 3 : 1) { /* 1, 2, 5, 6 */
			memset(gpu + (cases[i].as_they_stand ? k - 1 : k) * hour, '9', hour);
			memset(cpu + k * hour, '9', hour);
		}
		gpu_log_beside(logs, gpu, cases[i].minutes * MINUTE_MS, cpu, 0, cases[i].said);
	}
}

/* Of the busy seconds [from, from + n) of each `every`, so often, as digits. */
static char *shape_of(struct arena *mem, size_t length, size_t from, size_t n, size_t every, size_t times)
{
	char *const shape = NEW_ARRAY(mem, char, length + 1);

	memset(shape, '0', length);
	for (size_t i = 0; i < times; i++)
		memset(shape + from + i * every, '9', n);
	return shape;
}

/* Six hours of vmstat hold an hour of GPU log in many zones: only what both did tells which; from minute 130 on, by a clock of UTC+1. */
static void a_longer_log_holds_another_in_many_zones(void **state)
{
	static const struct {
		size_t gpu_works, cpu_works; /* minutes, of an hour's second quarter; 0: it does not */
		const char *said;
		bool is_unconfirmed;
	} cases[] = {
		{ 20, 20, "gpu.csv names no zone and would share 100 % with vmstat.txt; read as UTC+1, where they share 100 %; GPU and CPU "
			"activity then move together (r = 1.00).", false },
		{ 20, 0, "gpu.csv names no zone; read as UTC like vmstat.txt: they share 100 % of the shorter log, as they would in 5 other "
			"zones, and nothing tells which; --tz gpu.csv=ZONE decides.", true },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *const gpu = shape_of(&logs->mem, 3600, 600, cases[i].gpu_works * 60, 3600, 1);
		const char *const cpu = shape_of(&logs->mem, 6 * 3600, 8400, cases[i].cpu_works * 60, 3600, 1);
		const struct recording *const rec = gpu_log_beside(logs, gpu, 130 * MINUTE_MS + HOUR_MS, cpu, 0, cases[i].said);
		assert_int_equal(rec->clock.is_unconfirmed, cases[i].is_unconfirmed);
	}
}

/* Two hours by a clock of UTC-4, of which vmstat began 14 minutes later: UTC-4:15, where they would share more, is no zone. */
static void activity_tells_a_zone_before_what_is_shared(void **state)
{
	struct logs *logs = *state;
	const char *const work = shape_of(&logs->mem, 3 * 3600, 1500, 720, 4000, 2);

	gpu_log_beside(logs, work, -4 * HOUR_MS, work + 840, 840 * SECOND_MS, "gpu.csv names no zone and would not overlap vmstat.txt; read as "
		"UTC-4, where they share 100 %; GPU and CPU activity then move together (r = 1.00).");
}

/* What comes back each hour goes together an hour away as well: that both begin and end together decides. */
static void a_rhythm_of_an_hour_tells_no_zone(void **state)
{
	struct logs *logs = *state;
	const char *const work = shape_of(&logs->mem, 8 * 3600, 900, 1200, 3600, 8);

	gpu_log_beside(logs, work, HOUR_MS, work, 0, "gpu.csv names no zone and would share only 88 % with vmstat.txt; read as UTC+1, where they "
		"share 100 %; GPU and CPU activity then move together (r = 1.00).");
}

/* A logger that begins a file anew writes no log of another zone, though one could be laid over the other. */
static void files_of_one_logger_have_one_clock(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	static const int laters[] = { 1, 3, 40 }; /* minutes: two are logged, and what is seen in them comes again */

	for (size_t i = 0; i < sizeof laters / sizeof *laters; i++) {
		const int later = laters[i];
		struct run *run = run_new(mem, "run", &logs->diags);
		run_take(logs, run, "a.csv", gpu_log(mem, SHAPE, SHAPE, 0));
		run_take(logs, run, "b.csv", gpu_log(mem, SHAPE, SHAPE, later * MINUTE_MS));
		run_settle(run);
		assert_int_equal(channel_time(&run->recordings[1]->channels[0], 0) - channel_time(&run->recordings[0]->channels[0], 0),
			later * MINUTE_MS);
		assert_int_equal(run->n_skews, 0);
		assert_string_equal(run->recordings[1]->clock.sentence,
			"b.csv names no zone; read on the same clock as a.csv: both are logs of one GPU by one tool.");
		assert_string_equal(take_complaints(logs), "");
	}
}

/* Logs of another time than the one that has a place, but beside each other: no zone is looked for that would bring them there. */
static void logs_beside_each_other_stay_where_they_are(void **state)
{
	static const char *const before[] = { WORK WORK WORK };
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);

	run_take(logs, run, "before.txt", core_log(mem, "2026-11-21", before, 1, -2 * HOUR_MS));
	run_take(logs, run, "gpu.csv", gpu_log(mem, SHAPE, SHAPE, 0));
	run_take(logs, run, "vmstat.txt", cpu_log(mem, HALF, "CET", 0));
	run_settle(run);
	assert_int_equal(channel_time(&run->recordings[1]->channels[0], 0), DAWN);
	assert_int_equal(channel_time(&run->recordings[2]->channels[0], 0), DAWN);
	assert_string_equal(run->recordings[1]->clock.sentence,
		"gpu.csv names no zone; read on the same clock as before.txt: it was written beside vmstat.txt, at another time.");
	assert_int_equal(run->span.begin, DAWN);
}

/* The shipped recordings, whose zones are known: UTC, UTC-5 and UTC+5:30. */
static void settles_real_recordings(void **state)
{
	static const struct {
		const char *folder;
		int minutes;
		enum clock_decision by;
	} cases[] = {
		{ "samples/loader_bound", 0, DECIDED_SIBLING },
		{ "samples/one_worker", -300, DECIDED_INFERRED },
		{ "samples/phases", 330, DECIDED_INFERRED },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(&logs->mem, cases[i].folder, &logs->diags);

		assert_true(ingest(run, cases[i].folder));
		run_settle(run);
		assert_string_equal(run->recordings[0]->name, "gpu.csv");
		assert_int_equal(run->recordings[0]->clock.offset, cases[i].minutes * MINUTE_MS);
		assert_int_equal(run->recordings[0]->clock.decided_by, cases[i].by);
		assert_string_equal(take_complaints(logs), "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(settles_zones, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_sibling_with_activity_comes_first, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(does_not_choose_among_zones, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(settles_dates, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_sibling_settles_day_and_month, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_sibling_settles_day_and_month_of_rows, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(both_days_of_rows_are_told, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_clock_is_set_on_the_day_that_is_meant, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(options_decide, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(an_option_overrules_the_log_it_names, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_date_moves_no_log_that_has_its_own, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_what_confirms_a_zone, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_later_start_is_likelier_than_an_odd_zone, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(two_ends_that_meet_tell_a_zone, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_long_run_in_another_zone_is_told_by_its_ends, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_longer_log_holds_another_in_many_zones, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(activity_tells_a_zone_before_what_is_shared, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_rhythm_of_an_hour_tells_no_zone, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(files_of_one_logger_have_one_clock, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(logs_beside_each_other_stay_where_they_are, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(settles_real_recordings, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
