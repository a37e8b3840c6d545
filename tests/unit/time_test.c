/*
 * time_test.c - two minutes of a job, written by clocks of all kinds, land on the right UTC second.
 *
 * Midnight, the end and the begin of daylight saving, twelve-hour clocks, dates of several countries: whatever the
 * clock on the wall showed, row i must be the moment base + i s. A log in UTC stands beside it where the zone must be told.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs.h"

#define SECONDS 120

/* A clock on a wall: minutes east of UTC, and from a moment on others. */
struct wall {
	int minutes, later_minutes;
	const char *change; /* UTC; NULL: never */
};

static time_ms moment(const char *text)
{
	time_ms t = 0;

	assert_true(stamp_parse(slice_of(text), &t));
	return t;
}

static time_ms shown_by(const struct wall *wall, time_ms t)
{
	return t + (wall->change && t >= moment(wall->change) ? wall->later_minutes : wall->minutes) * MINUTE_MS;
}

/* Idle, at work, idle, so that shapes can confirm what was inferred. */
static int busy_at(int second)
{
	return second >= 20 && second < 100 ? 90 : 0;
}

static const char *gpu_text(struct arena *mem, time_ms base, const struct wall *wall)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, utilization.gpu [%]\n");
	for (int i = 0; i < SECONDS; i++)
		buf_print(&out, "%s, 0, %d %%\n", local_time(mem, shown_by(wall, base + i * SECOND_MS), '/'), busy_at(i));
	return text_of_buf(mem, &out);
}

static const char *vmstat_text(struct arena *mem, time_ms base, const struct wall *wall, const char *zone)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_print(&out, "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
			" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st %s\n", zone);
	for (int i = 0; i <= SECONDS; i++)
		buf_print(&out, " 1 0 0 1024 4 4 0 0 0 0 1 1 %d 0 %d 0 0 %.19s\n", i ? busy_at(i - 1) : 0, i ? 100 - busy_at(i - 1) : 100,
			local_time(mem, shown_by(wall, base + i * SECOND_MS), '-'));
	return text_of_buf(mem, &out);
}

enum country { C_LOCALE, US, GB, DE, FR, JP, CN, ISO, N_COUNTRIES };

static const char *date_text(struct arena *mem, enum country country, const struct civil *c)
{
	switch (country) {
	case C_LOCALE:
		return arena_print(mem, "%02d/%02d/%02d", c->month, c->day, c->year % 100);
	case US:
		return arena_print(mem, "%02d/%02d/%04d", c->month, c->day, c->year);
	case GB:
		return arena_print(mem, "%02d/%02d/%02d", c->day, c->month, c->year % 100);
	case DE:
		return arena_print(mem, "%02d.%02d.%04d", c->day, c->month, c->year);
	case FR:
		return arena_print(mem, "%02d/%02d/%04d", c->day, c->month, c->year);
	case JP:
	case CN:
		return arena_print(mem, "%04d\345\271\264%02d\346\234\210%02d\346\227\245", c->year, c->month, c->day);
	case ISO:
	case N_COUNTRIES:
		break;
	}
	return arena_print(mem, "%04d-%02d-%02d", c->year, c->month, c->day);
}

static const char *clock_text(struct arena *mem, enum country country, const struct civil *c)
{
	if (country == US)
		return arena_print(mem, "%02d:%02d:%02d %s", c->hour % 12 ? c->hour % 12 : 12, c->minute, c->second, c->hour < 12 ? "AM" : "PM");
	if (country == JP || country == CN)
		return arena_print(mem, "%02d\346\231\202%02d\345\210\206%02d\347\247\222", c->hour, c->minute, c->second);
	return arena_print(mem, "%02d:%02d:%02d", c->hour, c->minute, c->second);
}

/* mpstat or sar of a country; sar's rows tell the same in fewer columns. */
static const char *sysstat_text(struct arena *mem, time_ms base, const struct wall *wall, enum country country, bool sar)
{
	const char point = country == DE || country == FR ? ',' : '.';
	const struct civil first = civil_from_time(shown_by(wall, base));
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_print(&out, "Linux 6.18.44 (node01) \t%s \t_x86_64_\t(2 CPU)\n\n%s  CPU  ", date_text(mem, country, &first),
		clock_text(mem, country, &first));
	buf_text(&out, sar ? "%user %nice %system %iowait %steal %idle\n" : "%usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle\n");
	for (int i = 0; i < SECONDS; i++) {
		const struct civil c = civil_from_time(shown_by(wall, base + (i + 1) * SECOND_MS));
		buf_print(&out, sar ? "%s  all  %d%c00 0%c00 0%c00 0%c00 0%c00 %d%c00\n"
				    : "%s  all  %d%c00 0%c00 0%c00 0%c00 0%c00 0 0 0 0 %d%c00\n",
			clock_text(mem, country, &c), busy_at(i), point, point, point, point, point, 100 - busy_at(i), point);
	}
	buf_print(&out, "Average:  all  0 0 0 0 0 0\n");
	return text_of_buf(mem, &out);
}

/* Row i of the recording is base + i s, all of them. */
static void check_rows(const struct recording *rec, time_ms base, const char *what)
{
	const struct channel *c = &rec->channels[0];

	if (c->n_rows != SECONDS)
		fail_msg("%s: %zu rows", what, c->n_rows);
	for (size_t i = 0; i < c->n_rows; i++)
		if (channel_time(c, i) != base + (time_ms)i * SECOND_MS)
			fail_msg("%s: row %zu is %lld s off", what, i, (long long)(channel_time(c, i) - base - (time_ms)i * SECOND_MS) / 1000);
}

/* Clocks, and when they were looked at: the log's second minute begins at the moment that matters. */
static const struct {
	const char *name;
	struct wall wall;
	const char *middle;
} clocks[] = {
	{ "UTC", { 0, 0, NULL }, "2026-11-21 02:00:00" },
	{ "midnight in UTC", { 0, 0, NULL }, "2026-11-21 00:00:00" },
	{ "midnight at New Year", { 60, 0, NULL }, "2026-12-31 23:00:00" },
	{ "noon", { -300, 0, NULL }, "2026-11-21 17:00:00" },
	{ "midnight in India", { 330, 0, NULL }, "2026-11-20 18:30:00" },
	{ "leap day", { -480, 0, NULL }, "2028-02-29 08:00:00" },
	{ "autumn in Berlin", { 120, 60, "2026-10-25 01:00:00" }, "2026-10-25 01:00:00" },
	{ "autumn in New York", { -240, -300, "2026-11-01 06:00:00" }, "2026-11-01 06:00:00" },
	{ "autumn on Lord Howe Island", { 660, 630, "2026-04-04 15:00:00" }, "2026-04-04 15:00:00" },
	{ "autumn in Santiago, at midnight", { -180, -240, "2026-04-05 03:00:00" }, "2026-04-05 03:00:00" },
	{ "spring in Berlin", { 60, 120, "2026-03-29 01:00:00" }, "2026-03-29 01:00:00" },
	{ "spring in New York", { -300, -240, "2026-03-08 07:00:00" }, "2026-03-08 07:00:00" },
};
#define N_CLOCKS (sizeof clocks / sizeof clocks[0])

static const struct wall utc = { 0, 0, NULL };

static void check_beside_utc(struct logs *logs, const char *name, const char *text, time_ms base, const char *what)
{
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	run_take(logs, run, name, text);
	run_take(logs, run, "utc.txt", vmstat_text(&logs->mem, base, &utc, "UTC"));
	run_settle(run);
	assert_string_equal(take_complaints(logs), "");
	check_rows(run->recordings[0], base, what);
	check_rows(run->recordings[1], base, what);
}

static void gpu_logs_land_on_the_right_second(void **state)
{
	for (size_t i = 0; i < N_CLOCKS; i++) {
		const time_ms base = moment(clocks[i].middle) - MINUTE_MS;
		check_beside_utc(*state, "gpu.csv", gpu_text(&((struct logs *)*state)->mem, base, &clocks[i].wall), base, clocks[i].name);
	}
}

static void vmstat_lands_on_the_right_second(void **state)
{
	for (size_t i = 0; i < N_CLOCKS; i++) {
		const time_ms base = moment(clocks[i].middle) - MINUTE_MS;
		const char *text = vmstat_text(&((struct logs *)*state)->mem, base, &clocks[i].wall, "CEST");
		check_beside_utc(*state, "vmstat.txt", text, base, clocks[i].name);
	}
}

static void sysstat_of_all_countries_lands_on_the_right_second(void **state)
{
	struct logs *logs = *state;

	for (size_t i = 0; i < N_CLOCKS; i++) {
		for (int k = 0; k < N_COUNTRIES * 2; k++) {
			const time_ms base = moment(clocks[i].middle) - MINUTE_MS;
			const enum country country = (enum country)(k / 2);
			const char *text = sysstat_text(&logs->mem, base, &clocks[i].wall, country, k % 2);
			check_beside_utc(logs, k % 2 ? "sar.txt" : "mpstat.txt", text, base,
				arena_print(&logs->mem, "%s, country %d", clocks[i].name, (int)country));
		}
	}
}

/* What is said of it, once. */
static void tells_of_daylight_saving(void **state)
{
	static const struct wall autumn = { 120, 60, "2026-10-25 01:00:00" }, spring = { 60, 120, "2026-03-29 01:00:00" };
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	time_ms base = moment("2026-10-25 00:59:00");

	struct run *run = run_new(mem, "run", &logs->diags);
	run_take(logs, run, "gpu.csv", gpu_text(mem, base, &autumn));
	run_take(logs, run, "utc.txt", vmstat_text(mem, base, &utc, "UTC"));
	run_settle(run);
	assert_string_equal(shown_clocks(logs, run),
		"gpu.csv names no zone and would not overlap utc.txt; read as UTC+2, where they share 100 %; "
		"GPU and CPU activity then move together (r = 1.00).\n"
		"utc.txt names its zone: UTC.\n"
		"gpu.csv: the clock was set back by 1 h 00 min and showed 2026-10-25 02:00:00 next, as at the end of daylight saving; what "
		"follows is taken for the next hour (UTC+2, then UTC+1), as fits utc.txt.\n");

	run = run_new(mem, "run", &logs->diags); /* nobody to ask: elapsed time all the same */
	run_take(logs, run, "gpu.csv", gpu_text(mem, base, &autumn));
	run_settle(run);
	check_rows(run->recordings[0], base + 2 * HOUR_MS, "alone");
	assert_string_equal(shown_clocks(logs, run),
		"gpu.csv names no zone; times are shown as the log writes them.\n"
		"gpu.csv: the clock was set back by 1 h 00 min and showed 2026-10-25 02:00:00 next, as at the end of daylight saving; what "
		"follows is taken for the next hour; no other log confirms it.\n");

	base = moment("2026-03-29 00:59:00");
	run = run_new(mem, "run", &logs->diags);
	run_take(logs, run, "gpu.csv", gpu_text(mem, base, &spring));
	run_take(logs, run, "utc.txt", vmstat_text(mem, base, &utc, "UTC"));
	run_settle(run);
	assert_string_equal(run->notes[0].text,
		"gpu.csv: the clock was set ahead by 1 h 00 min and showed 2026-03-29 03:00:00 next, as at the begin of daylight saving; "
		"utc.txt shows that no hour is missing (UTC+1, then UTC+2).");

	run = run_new(mem, "run", &logs->diags); /* nobody to ask: the date tells */
	run_take(logs, run, "gpu.csv", gpu_text(mem, base, &spring));
	run_settle(run);
	assert_string_equal(shown_clocks(logs, run), "gpu.csv names no zone; times are shown as the log writes them.\n"
		"gpu.csv: the clock was set ahead by 1 h 00 min and showed 2026-03-29 03:00:00 next, as at the begin of daylight saving, "
		"which is in that night somewhere: taken to mean that no hour is missing.\n");
	assert_int_equal(channel_time(&run->recordings[0]->channels[0], 60) - channel_time(&run->recordings[0]->channels[0], 59), SECOND_MS);

	base += 7 * DAY_MS; /* in another night it may as well be a hole */
	run = run_new(mem, "run", &logs->diags);
	run_take(logs, run, "gpu.csv", gpu_text(mem, base, &(struct wall){ 60, 120, "2026-04-05 01:00:00" }));
	run_settle(run);
	assert_string_equal(shown_clocks(logs, run), "gpu.csv names no zone; times are shown as the log writes them.\n"
		"1 h 00 min is missing before 2026-04-05 03:00:00, or daylight saving began then and nothing is; no log that names its "
		"zone tells.\n");
	assert_int_equal(channel_time(&run->recordings[0]->channels[0], 60) - channel_time(&run->recordings[0]->channels[0], 59), HOUR_MS + SECOND_MS);
	assert_string_equal(take_complaints(logs), "");
}

/* Two minutes of a log, an hour of which is missing, beside one in UTC that went on: that is a hole. */
static void an_hour_that_was_is_a_hole(void **state)
{
	static const struct wall spring = { 60, 120, "2026-03-29 01:00:00" };
	const time_ms base = moment("2026-03-29 00:59:00");
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *run = run_new(mem, "run", &logs->diags);
	char *shape = NEW_ARRAY(mem, char, 3600 + SECONDS + 1);

	memset(shape, '5', 3600 + SECONDS);
	run_take(logs, run, "gpu.csv", gpu_text(mem, base, &spring));
	run_take(logs, run, "vmstat.txt", cpu_log(mem, shape, "UTC", base - DAWN));
	run_settle(run);
	assert_int_equal(channel_time(&run->recordings[0]->channels[0], 0), base);
	assert_int_equal(channel_time(&run->recordings[0]->channels[0], 60), base + HOUR_MS + MINUTE_MS);
	assert_null(strstr(shown_clocks(logs, run), "daylight saving"));
}

/* mpstat that was started once a banner, a few samples each. */
static const char *banners_text(struct arena *mem, const char *const *dates)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	for (; *dates; dates++)
		buf_print(&out,
			"Linux 6.18.44 (node01) \t%s \t_x86_64_\t(2 CPU)\n\n"
			"10:00:00  CPU  %%usr %%nice %%sys %%iowait %%irq %%soft %%steal %%guest %%gnice %%idle\n"
			"10:00:01  all  5 0 0 0 0 0 0 0 0 95\n10:00:02  all  5 0 0 0 0 0 0 0 0 95\n"
			"10:00:03  all  5 0 0 0 0 0 0 0 0 95\n\n", *dates);
	return text_of_buf(mem, &out);
}

/* The days of the rows; dates of one log have day and month in the same order. */
static void banners_share_one_order(void **state)
{
	static const struct {
		const char *dates[4], *gpu_day, *date_option;
		const char *days, *complaints;
	} cases[] = {
		/* a day above the 12th settles those before it and after it */
		{ { "11/05/26", "13/05/26", "01/06/26" }, NULL, NULL, "2026-05-11 2026-05-13 2026-06-01", "" },
		{ { "05/11/26", "05/13/26", "06/01/26" }, NULL, NULL, "2026-05-11 2026-05-13 2026-06-01", "" },
		/* time goes ahead in one order only */
		{ { "02/01/26", "01/02/26" }, NULL, NULL, "2026-01-02 2026-02-01", "" },
		{ { "01/02/26", "03/01/26" }, NULL, NULL, "2026-01-02 2026-03-01", "" },
		/* in both: nobody can tell but a sibling or the user */
		{ { "01/02/26", "02/02/26", "03/02/26" }, NULL, NULL, "2026-01-02 2026-02-02 2026-03-02",
		  "mpstat.txt: warning: clock: does the log begin on 2026-01-02 or on 2026-02-01? the first is taken; "
		  "--date mpstat.txt=2026-02-01 says otherwise\n" },
		{ { "01/02/26", "02/02/26", "03/02/26" }, "2026-02-01", NULL, "2026-02-01 2026-02-02 2026-02-03", "" },
		{ { "01/02/26", "02/02/26", "03/02/26" }, NULL, "2026-02-01", "2026-02-01 2026-02-02 2026-02-03", "" },
		{ { "01/02/26", "02/02/26", "03/02/26" }, NULL, "2026-01-02", "2026-01-02 2026-02-02 2026-03-02", "" },
		/* neither is the day that the user gives */
		{ { "01/02/26", "02/02/26", "03/02/26" }, NULL, "2026-03-03", "2026-01-02 2026-02-02 2026-03-02",
		  "mpstat.txt: warning: no-effect: --date 2026-03-03 is not used: by its own dates the log begins on 2026-01-02 or on "
		  "2026-02-01\n"
		  "mpstat.txt: warning: clock: does the log begin on 2026-01-02 or on 2026-02-01? the first is taken; "
		  "--date mpstat.txt=2026-02-01 says otherwise\n" },
		/* the same either way */
		{ { "05/05/26", "05/06/26" }, "2026-06-05", NULL, "2026-05-05 2026-06-05", "" },
		{ { "05/05/26", "06/06/26" }, NULL, NULL, "2026-05-05 2026-06-06", "" },
		/* other ways to write a date are never in doubt */
		{ { "01.02.2026", "2026-02-03" }, NULL, NULL, "2026-02-01 2026-02-03", "" },
	};
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct file_option option = { "mpstat.txt", cases[i].date_option };
		const struct clock_request request = { .dates = { &option, cases[i].date_option ? 1 : 0 } };
		struct run *run = run_new(mem, "run", &logs->diags);
		const char *days = NULL;

		run_take(logs, run, "mpstat.txt", banners_text(mem, cases[i].dates));
		if (cases[i].gpu_day)
			run_take(logs, run, "gpu.csv", gpu_text(mem, moment(arena_print(mem, "%s 10:00:00", cases[i].gpu_day)), &utc));
		assert_true(clock_settle(run, &request));
		for (size_t k = 0; k < run->recordings[0]->channels[0].n_rows; k += 3) {
			const char *day = time_date(mem, channel_time(&run->recordings[0]->channels[0], k));
			days = days ? arena_print(mem, "%s %s", days, day) : day;
		}
		assert_string_equal(days, cases[i].days);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}

#define HEADER INT_MIN /* in place of a second: who wrote the log was started anew */

/* A log whose seconds are given; each row's value is its place in the file. */
static const char *seconds_text(struct arena *mem, const int *seconds, size_t n)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, temperature.gpu\n");
	for (size_t i = 0; i < n; i++)
		if (seconds[i] == HEADER)
			buf_text(&out, "timestamp, index, temperature.gpu\n");
		else
			buf_print(&out, "%s, 0, %zu\n", local_time(mem, DAWN + seconds[i] * SECOND_MS, '/'), i);
	return text_of_buf(mem, &out);
}

/* "10=4": the second, and the row that tells of it. */
static const char *seconds_kept(struct arena *mem, const struct recording *rec)
{
	const struct channel *const c = &rec->channels[0];
	const char *kept = NULL;

	for (size_t k = 0; k < c->n_rows; k++) {
		const int second = (int)((channel_time(c, k) - DAWN) / SECOND_MS), row = (int)(column_value(&c->columns[0], k) / FIXED_ONE);
		kept = kept ? arena_print(mem, "%s %d=%d", kept, second, row) : arena_print(mem, "%d=%d", second, row);
	}
	return kept;
}

#define DAY_S 86400
#define ODD "; row not used\n"

/* A row whose time jumps away and comes back is damaged, and so are two; what comes not back, or two clocks, are as they were. */
static void rows_astray_are_left_out(void **state)
{
	static const struct {
		int seconds[18];
		size_t n;
		const char *kept;
		size_t n_bad;
		const char *complaints;
	} cases[] = {
		{ { 0, 1, 2, 3, 4 + 365 * DAY_S, 5, 6, 7, 8, 9 }, 10, "0=0 1=1 2=2 3=3 5=5 6=6 7=7 8=8 9=9", 1,
		  "gpu.csv:6: warning: bad-time: its time is 365 d ahead of the rows around it, which follow each other" ODD },
		{ { 0, 1, 2, 3, 4 - DAY_S, 5, 6, 7, 8, 9 }, 10, "0=0 1=1 2=2 3=3 5=5 6=6 7=7 8=8 9=9", 1,
		  "gpu.csv:6: warning: bad-time: its time is 1 d behind the rows around it, which follow each other" ODD },
		/* in the place of another row */
		{ { 0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 10, 11, 12, 13, 14, 15 }, 16,
		  "0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 10=10 11=11 12=12 13=13 14=14 15=15", 1,
		  "gpu.csv:11: warning: bad-time: its time is 6 s behind the rows around it, which follow each other" ODD },
		/* what would be a clock that was set back by half an hour at night, if a step of ten minutes were usual */
		{ { 0, 1, 2, 603, 4, 5, 6, 7, 8, 9 }, 10, "0=0 1=1 2=2 4=4 5=5 6=6 7=7 8=8 9=9", 1,
		  "gpu.csv:5: warning: bad-time: its time is 9 min 59 s ahead of the rows around it, which follow each other" ODD },
		/* as far as rows overtake each other */
		{ { 0, 1, 2, 3, 8, 5, 6, 7, 9, 10 }, 10, "0=0 1=1 2=2 3=3 5=5 6=6 7=7 8=4 9=8 10=9", 0,
		  "gpu.csv: warning: time-back: time steps back; the rows were put in order\n" },
		/* a log that goes on the next day does not come back */
		{ { 0, 1, 2, 3, 4, DAY_S, DAY_S + 1, DAY_S + 2, DAY_S + 3 }, 9,
		  "0=0 1=1 2=2 3=3 4=4 86400=5 86401=6 86402=7 86403=8", 0, "" },
		/* time steps back behind the first row, or to the last one */
		{ { DAY_S, 1, 2, 3, 4, 5, 6, 7, 8 }, 9, "1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8", 1,
		  "gpu.csv:2: warning: bad-time: its time is 1 d ahead of the rows after it, which follow each other" ODD },
		{ { 1, 2, 3, 4, 5, 6, 7, 8, -591 }, 9, "1=0 2=1 3=2 4=3 5=4 6=5 7=6 8=7", 1,
		  "gpu.csv:10: warning: bad-time: its time is 9 min 59 s behind the rows before it, which follow each other" ODD },
		/* by so much as a digit of their stamps makes: a month, a day, three hours, forty minutes */
		{ { 0 - 31 * DAY_S, 1, 2, 3, 4, 5, 6, 7, 8 }, 9, "1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8", 1,
		  "gpu.csv:2: warning: bad-time: its time is 31 d behind the rows after it, which follow each other" ODD },
		{ { 0, 1, 2, 3, 4, 5, 6, 7, 8 + DAY_S }, 9, "0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7", 1,
		  "gpu.csv:10: warning: bad-time: its time is 1 d ahead of the rows before it, which follow each other" ODD },
		{ { 0, 1, 2, 3, 4, 5, 6, 7, 8 + 10800 }, 9, "0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7", 1,
		  "gpu.csv:10: warning: bad-time: its time is 3 h 00 min ahead of the rows before it, which follow each other" ODD },
		{ { 0 - 2400, 1, 2, 3, 4, 5, 6, 7, 8 }, 9, "1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8", 1,
		  "gpu.csv:2: warning: bad-time: its time is 40 min behind the rows after it, which follow each other" ODD },
		/* by what no digit makes it is a hole; by seconds nobody can tell */
		{ { 1, 2, 3, 4, 5, 6, 7, 8, DAY_S }, 9, "1=0 2=1 3=2 4=3 5=4 6=5 7=6 8=7 86400=8", 0, "" },
		{ { 0 - 2403, 1, 2, 3, 4, 5, 6, 7, 8 }, 9, "-2403=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8", 0, "" },
		{ { 0, 1, 2, 3, 4, 5, 6, 7, 8 + 50 }, 9, "0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7 58=8", 0, "" },
		/* nor is it the one row when the row beside it is odd, too */
		{ { 0, 1, 2, 3, 4, 5, 6, 107, 108 + DAY_S }, 9, "0=0 1=1 2=2 3=3 4=4 5=5 6=6 107=7 86508=8", 0, "" },
		/* two beside each other: ahead, behind, and one of each; both ends */
		{ { 0, 1, 2, 3, 4, 5, 6, 7 + DAY_S, 8 + DAY_S, 9, 10, 11, 12, 13, 14, 15, 16, 17 }, 18,
		  "0=0 1=1 2=2 3=3 4=4 5=5 6=6 9=9 10=10 11=11 12=12 13=13 14=14 15=15 16=16 17=17", 2,
		  "gpu.csv:9: warning: bad-time: its time is 1 d ahead of the rows around it, which follow each other; row not used (1 more like this)\n" },
		{ { 0, 1, 2, 3, 4, 5, 6, 7 - DAY_S, 8 - DAY_S, 9, 10, 11, 12, 13, 14, 15, 16, 17 }, 18,
		  "0=0 1=1 2=2 3=3 4=4 5=5 6=6 9=9 10=10 11=11 12=12 13=13 14=14 15=15 16=16 17=17", 2,
		  "gpu.csv:9: warning: bad-time: its time is 1 d behind the rows around it, which follow each other; row not used (1 more like this)\n" },
		{ { 0, 1, 2, 3, 4, 5, 6, 7 - DAY_S, 8 + DAY_S, 9, 10, 11, 12, 13, 14, 15, 16, 17 }, 18,
		  "0=0 1=1 2=2 3=3 4=4 5=5 6=6 9=9 10=10 11=11 12=12 13=13 14=14 15=15 16=16 17=17", 2,
		  "gpu.csv:9: warning: bad-time: its time is 1 d behind the rows around it, which follow each other; row not used (1 more like this)\n" },
		{ { 0, 1, 2, 3, 4, 5, 6, 7 + DAY_S, 8 - DAY_S, 9, 10, 11, 12, 13, 14, 15, 16, 17 }, 18,
		  "0=0 1=1 2=2 3=3 4=4 5=5 6=6 9=9 10=10 11=11 12=12 13=13 14=14 15=15 16=16 17=17", 2,
		  "gpu.csv:9: warning: bad-time: its time is 1 d ahead of the rows around it, which follow each other; row not used (1 more like this)\n" },
		{ { DAY_S, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 - DAY_S }, 18,
		  "1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9 10=10 11=11 12=12 13=13 14=14 15=15 16=16", 2,
		  "gpu.csv:2: warning: bad-time: its time is 1 d ahead of the rows after it, which follow each other; row not used (1 more like this)\n" },
		/* two loggers, whose clocks differ by a minute, in turn */
		{ { 0, 60, 1, 61, 2, 62, 3, 63, 4, 64 }, 10, "0=0 1=2 2=4 3=6 4=8 60=1 61=3 62=5 63=7 64=9", 0,
		  "gpu.csv: warning: time-back: time steps back; the rows were put in order\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *const text = seconds_text(&logs->mem, cases[i].seconds, cases[i].n);
		const struct recording *rec = read_text(logs, "gpu.csv", text);

		assert_string_equal(seconds_kept(&logs->mem, rec), cases[i].kept);
		assert_int_equal(rec->n_rows_bad, cases[i].n_bad);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}

/* Where time steps back again and again it is not stamps that are damaged: no row is left out. */
static void a_hundred_rows_astray_are_of_another_clock(void **state)
{
	enum { N = 1000 };
	struct logs *logs = *state;

	for (int n_odd = 99; n_odd <= 110; n_odd += 11) {
		int seconds[N];
		for (int i = 0; i < N; i++)
			seconds[i] = i % 9 == 4 && i / 9 < n_odd ? i + DAY_S : i;
		const struct recording *rec = read_text(logs, "gpu.csv", seconds_text(&logs->mem, seconds, N));
		const size_t n_bad = n_odd < 100 ? (size_t)n_odd : 0;
		assert_int_equal(rec->n_rows_bad, n_bad);
		assert_int_equal(rec->n_rows, N - n_bad);
		assert_int_equal(rec->time_back, n_bad == 0);
		take_complaints(logs);
	}
}

/* What is kept of rows with these seconds, and what is said of them. */
static const struct recording *assert_kept(struct logs *logs, const int *seconds, size_t n, const char *kept, const char *complaints)
{
	const struct recording *const rec = read_text(logs, "gpu.csv", seconds_text(&logs->mem, seconds, n));

	assert_string_equal(seconds_kept(&logs->mem, rec), kept);
	assert_string_equal(take_complaints(logs), complaints);
	return rec;
}

/* What was written last is kept whole; what lies in its time is left out, and nothing else is. */
static void stretches_are_kept_apart(void **state)
{
	static const struct {
		int seconds[16];
		size_t n;
		const char *kept; /* second=row */
		size_t n_overlaid;
		const char *complaints;
	} cases[] = {
		/* an older log appended to a later one */
		{ { 20, 21, 22, 23, 0, 1, 2, 3 }, 8, "0=4 1=5 2=6 3=7 20=0 21=1 22=2 23=3", 0,
		  "gpu.csv: warning: time-back: time steps back; the rows were put in order\n" },
		/* who was started anew tells again of five seconds */
		{ { 0, 1, 2, 3, 4, 5, 6, 7, HEADER, 2, 3, 4, 5 }, 13, "0=0 1=1 2=9 3=10 4=11 5=12 6=6 7=7", 4,
		  "gpu.csv: warning: time-back: time steps back to what was told already; the rows that came last are used for it\n" },
		/* between its rows, too, but not in its hole */
		{ { 10, 11, 12, 13, 14, 30, 40, 41, 5, 6, 7, 38, 39, 40 }, 14, "5=8 6=9 7=10 10=0 11=1 12=2 13=3 14=4 30=5 38=11 39=12 40=13 41=7", 1,
		  "gpu.csv: warning: time-back: time steps back to what was told already; the rows that came last are used for it\n" },
		/* the same log twice */
		{ { 0, 1, 2, 3, 4, HEADER, 0, 1, 2, 3, 4 }, 11, "0=6 1=7 2=8 3=9 4=10", 5,
		  "gpu.csv: warning: time-back: time steps back to what was told already; the rows that came last are used for it\n" },
		/* an hour back in the afternoon is no daylight saving */
		{ { 43200, 43201, 43202, 43203, 39604, 39605 }, 6, "39604=4 39605=5 43200=0 43201=1 43202=2 43203=3", 0,
		  "gpu.csv: warning: time-back: time steps back; the rows were put in order\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *const rec = assert_kept(logs, cases[i].seconds, cases[i].n, cases[i].kept, cases[i].complaints);
		assert_int_equal(rec->n_overlaid, cases[i].n_overlaid);
		assert_true(rec->time_back);
	}
}

/* What was logged before a clock was set back is as much earlier, and no row is left out; where one logger goes on, and nowhere else. */
static void a_clock_that_is_set_back_loses_no_rows(void **state)
{
	static const struct {
		int seconds[24];
		size_t n;
		const char *kept; /* second=row */
		const char *complaints;
	} cases[] = {
		{ { 0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5 }, 12, "-6=0 -5=1 -4=2 -3=3 -2=4 -1=5 0=6 1=7 2=8 3=9 4=10 5=11",
		  "gpu.csv:10: warning: time-back: the clock was set back by 6 s, to 02:00:02, while the log went on\n" },
		/* to before the log began, and past its end again */
		{ { 10, 11, 12, 13, 7, 8, 9, 10, 11, 12, 13 }, 11, "3=0 4=1 5=2 6=3 7=4 8=5 9=6 10=7 11=8 12=9 13=10",
		  "gpu.csv:6: warning: time-back: the clock was set back by 7 s, to 02:00:07, while the log went on\n" },
		/* twice: what comes first is moved by both; a missed row is no hole */
		{ { 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 9, 10, 11, 12 }, 24,
		  "-12=0 -11=1 -10=2 -8=3 -7=4 -6=5 -5=6 -4=7 -3=8 -2=9 -1=10 0=11 1=12 2=13 3=14 4=15 5=16 6=17 7=18 8=19 9=20 10=21 11=22 12=23",
		  "gpu.csv:12: warning: time-back: the clock was set back by 6 s, to 02:00:05, while the log went on (1 more like this)\n" },
		/* a row that is written again, and a stamp that is damaged, are no clock that was set; nor is one of two rows */
		{ { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 11, 12, 13, 14, 15, 16 }, 17,
		  "0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9 11=11 12=12 13=13 14=14 15=15 16=16",
		  "gpu.csv:12: warning: bad-time: its time is 6 s behind the rows around it, which follow each other" ODD },
		/* pieces of a log that are joined in another order than they were written in: nothing is told twice */
		{ { 0, 1, 2, 3, 20, 21, 22, 23, 4, 5, 6, 7, 8, 9 }, 14, "0=0 1=1 2=2 3=3 4=8 5=9 6=10 7=11 8=12 9=13 20=4 21=5 22=6 23=7",
		  "gpu.csv: warning: time-back: time steps back; the rows were put in order\n" },
		{ { 0, 1, 2, 3, 4, 5, 6, 7, 2, 3 }, 10, "0=0 1=1 2=8 3=9 4=4 5=5 6=6 7=7",
		  "gpu.csv: warning: time-back: time steps back to what was told already; the rows that came last are used for it\n" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_kept(*state, cases[i].seconds, cases[i].n, cases[i].kept, cases[i].complaints);
}

/* A GPU that was lost before, and an event, move with all others. */
static void a_clock_that_is_set_back_moves_all_that_came_before(void **state)
{
	struct logs *logs = *state;
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, temperature.gpu\n");
	for (int i = 0; i < 12; i++) {
		const int second = i < 8 ? i : i - 5;
		buf_print(&out, "%s, 0, %d\n", local_time(&logs->mem, DAWN + second * SECOND_MS, '/'), i);
		buf_print(&out, "%s, 1, %s\n", local_time(&logs->mem, DAWN + second * SECOND_MS, '/'), i < 4 ? "50" : "[GPU is lost]");
		if (i < 3)
			buf_print(&out, "%s, 2, 60\n", local_time(&logs->mem, DAWN + second * SECOND_MS, '/'));
	}
	const struct recording *rec = read_text(logs, "gpu.csv", text_of_buf(&logs->mem, &out));
	assert_string_equal(seconds_kept(&logs->mem, rec), "-5=0 -4=1 -3=2 -2=3 -1=4 0=5 1=6 2=7 3=8 4=9 5=10 6=11");
	assert_int_equal(channel_time(&rec->channels[2], 0) - DAWN, -5 * SECOND_MS);
	assert_int_equal(rec->channels[2].n_rows, 3);
	assert_int_equal(rec->set_back, 5 * SECOND_MS);
	assert_int_equal(rec->n_overlaid, 0);
	take_complaints(logs);
}

/* Nor is it one where rows come once more as they were; the last before them may be of two that ran together where a log was cut. */
static void rows_that_come_again_are_no_clock_that_was_set(void **state)
{
	struct logs *logs = *state;

	for (int of_last = 7; of_last <= 99; of_last += 92) {
		struct buf out;
		buf_init(&out, (size_t)1 << 20);
		buf_text(&out, "timestamp, index, temperature.gpu\n");
		for (int i = 0; i < 14; i++) {
			const int second = i < 8 ? i : i - 6;
			buf_print(&out, "%s, 0, %d\n", local_time(&logs->mem, DAWN + second * SECOND_MS, '/'), i == 7 ? of_last : second);
		}
		const struct recording *const rec = read_text(logs, "gpu.csv", text_of_buf(&logs->mem, &out));
		assert_string_equal(seconds_kept(&logs->mem, rec), "0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7");
		assert_int_equal(rec->n_overlaid, 6);
		take_complaints(logs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(gpu_logs_land_on_the_right_second, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(vmstat_lands_on_the_right_second, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(sysstat_of_all_countries_lands_on_the_right_second, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_of_daylight_saving, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(an_hour_that_was_is_a_hole, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(banners_share_one_order, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_astray_are_left_out, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_hundred_rows_astray_are_of_another_clock, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(stretches_are_kept_apart, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_clock_that_is_set_back_loses_no_rows, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_clock_that_is_set_back_moves_all_that_came_before, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_that_come_again_are_no_clock_that_was_set, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
