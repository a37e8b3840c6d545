/*
 * calendar_test.c - dates, stamps, clocks and zones as logs write them.
 */
#include "base/calendar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void counts_days(void **state)
{
	static const struct {
		int year, month, day;
		int64_t days; /* date -u -d YYYY-MM-DD +%s, by 86400 */
	} cases[] = {
		{ 1970, 1, 1, 0 },      { 1969, 12, 31, -1 },   { 1970, 3, 1, 59 },      { 2000, 2, 29, 11016 }, { 2000, 3, 1, 11017 },
		{ 2026, 11, 21, 20778 }, { 1990, 1, 1, 7305 },  { 2100, 12, 31, 47846 }, { 1600, 1, 1, -135140 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(days_from_civil(cases[i].year, cases[i].month, cases[i].day), cases[i].days);
}

static void knows_which_days_there_are(void **state)
{
	static const struct {
		int year, month, day;
		bool valid;
	} cases[] = {
		{ 2024, 2, 29, true },  { 2023, 2, 29, false }, { 2000, 2, 29, true }, { 2100, 2, 28, true }, { 2100, 2, 29, false },
		{ 2026, 4, 30, true },  { 2026, 4, 31, false }, { 2026, 12, 31, true }, { 2026, 13, 1, false }, { 2026, 0, 1, false },
		{ 2026, 1, 0, false },  { 1989, 12, 31, false }, { 1990, 1, 1, true }, { 2100, 12, 31, true }, { 2101, 1, 1, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(civil_is_valid(cases[i].year, cases[i].month, cases[i].day), cases[i].valid);
}

/* Law: every day of the accepted years comes back, and follows the day before on the right weekday. */
static void every_day_round_trips(void **state)
{
	int64_t days = days_from_civil(1990, 1, 1);
	int weekday = 1; /* a Monday */

	(void)state;
	for (; days <= days_from_civil(2100, 12, 31); days++, weekday = (weekday + 1) % 7) {
		const time_ms t = days * DAY_MS + DAY_MS - 1;
		const struct civil c = civil_from_time(t);

		assert_true(civil_is_valid(c.year, c.month, c.day));
		assert_int_equal(days_from_civil(c.year, c.month, c.day), days);
		assert_int_equal(time_from_civil(&c), t);
		assert_int_equal(c.hour * 3600000 + c.minute * 60000 + c.second * 1000 + c.ms, DAY_MS - 1);
		assert_int_equal(c.weekday, weekday);
	}
}

static void splits_times_before_1970(void **state)
{
	const struct civil c = civil_from_time(-1);

	(void)state;
	assert_int_equal(c.year, 1969);
	assert_int_equal(c.month, 12);
	assert_int_equal(c.day, 31);
	assert_int_equal(c.hour, 23);
	assert_int_equal(c.ms, 999);
	assert_int_equal(c.weekday, 3);
}

#define DAY_OF_RUN (20778 * DAY_MS) /* 2026-11-21 */
#define CLOCK(h, m, s, ms) ((h)*HOUR_MS + (m)*MINUTE_MS + (s)*SECOND_MS + (ms))

static void reads_stamps(void **state)
{
	static const struct {
		const char *text;
		time_ms t;
	} cases[] = {
		{ "2026/11/21 01:48:34.387", DAY_OF_RUN + CLOCK(1, 48, 34, 387) },
		{ "2026/11/21 01:48:34", DAY_OF_RUN + CLOCK(1, 48, 34, 0) },
		{ "2026-11-21 01:48:34", DAY_OF_RUN + CLOCK(1, 48, 34, 0) },
		{ "2026-11-21T01:48:34.387", DAY_OF_RUN + CLOCK(1, 48, 34, 387) },
		{ "  2026/11/21 01:48:34.387 ", DAY_OF_RUN + CLOCK(1, 48, 34, 387) },
		{ "2026/11/21 01:48:34.3", DAY_OF_RUN + CLOCK(1, 48, 34, 300) },
		{ "2026/11/21 01:48:34.68", DAY_OF_RUN + CLOCK(1, 48, 34, 680) },
		{ "2026/11/21 01:48:34.387999", DAY_OF_RUN + CLOCK(1, 48, 34, 387) },
		{ "2026/11/21 1:48:34", DAY_OF_RUN + CLOCK(1, 48, 34, 0) },
		{ "1990-01-01 00:00:00", 631152000000 },
		{ "2100-12-31 23:59:59", 4133980799000 },
		{ "2024/02/29 00:00:00.000", 1709164800000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		time_ms t = TIME_UNKNOWN;

		if (!stamp_parse(slice_of(cases[i].text), &t))
			fail_msg("'%s' is not read", cases[i].text);
		assert_int_equal(t, cases[i].t);
	}
}

static void knows_what_is_no_stamp(void **state)
{
	static const char *const cases[] = {
		"", "2026/11/21", "01:48:34", "2026/11/21 01:48", "2026/11/21 24:00:00", "2026/11/21 01:60:00", "2026/11/21 01:48:60",
		"2026/13/21 01:48:34", "2026/02/29 01:48:34", "1989/12/31 23:59:59", "2101/01/01 00:00:00", "26/11/21 01:48:34",
		"2026/11/21 01:48:34.", "2026/11/21 01:48:34.3879999999", "2026/11/21 01:48:34x", "2026/11/21 01:48:34 PM",
		"2026/11/2101:48:34", "2026/1/21 01:48:34", "[N/A]", "-2026/11/21 01:48:34", "2026/11/21 -1:48:34",
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		time_ms t;

		if (stamp_parse(slice_of(cases[i]), &t))
			fail_msg("'%s' is read", cases[i]);
	}
}

static void reads_stamps_with_a_zone(void **state)
{
	static const struct {
		const char *text;
		time_ms utc, offset;
	} cases[] = {
		{ "2026-11-21T01:48:34.387Z", DAY_OF_RUN + CLOCK(1, 48, 34, 387), 0 },
		{ "2026-11-21T01:48:34.387999+00:00", DAY_OF_RUN + CLOCK(1, 48, 34, 387), 0 },
		{ "2026-11-21T09:48:34+08:00", DAY_OF_RUN + CLOCK(1, 48, 34, 0), 8 * HOUR_MS },
		{ "2026-11-20 20:48:34-0500", DAY_OF_RUN + CLOCK(1, 48, 34, 0), -5 * HOUR_MS },
		{ "2026-11-21 01:48:34 UTC", DAY_OF_RUN + CLOCK(1, 48, 34, 0), 0 },
	};
	static const char *const wrong[] = { "2026-11-21T01:48:34", "2026-11-21T01:48:34 EST", "2026-11-21T01:48:34+25:00", "Z", "" };
	time_ms utc, offset;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (!stamp_zone_parse(slice_of(cases[i].text), &utc, &offset))
			fail_msg("'%s' is not read", cases[i].text);
		assert_int_equal(utc, cases[i].utc);
		assert_int_equal(offset, cases[i].offset);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_false(stamp_zone_parse(slice_of(wrong[i]), &utc, &offset));
}

static void reads_stamps_whose_day_and_month_may_be_swapped(void **state)
{
	static const struct {
		const char *text;
		int month, day, other_month, other_day; /* 0: there is no such reading */
	} cases[] = {
		{ "03-11-2026 15:13:16", 3, 11, 11, 3 },
		{ "11/21/2026 15:13:16", 11, 21, 0, 0 },
		{ "21.11.2026 15:13:16", 0, 0, 11, 21 },
		{ "3/4/2026, 15:13:16", 3, 4, 4, 3 },
		{ "02-30-2026 15:13:16", 0, 0, 0, 0 },
		{ "2026-11-21 15:13:16", 0, 0, 0, 0 },
		{ "03-11-26 15:13:16", 0, 0, 0, 0 },
		{ "03-11-2026", 0, 0, 0, 0 },
		{ "03-11-2026 25:13:16", 0, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const time_ms since = CLOCK(15, 13, 16, 0);
		time_ms month_first = TIME_UNKNOWN, day_first = TIME_UNKNOWN;

		assert_int_equal(stamp_swap_parse(slice_of(cases[i].text), &month_first, &day_first), cases[i].month || cases[i].other_month);
		if (!cases[i].month && !cases[i].other_month)
			continue;
		assert_int_equal(month_first,
			cases[i].month ? days_from_civil(2026, cases[i].month, cases[i].day) * DAY_MS + since : TIME_UNKNOWN);
		assert_int_equal(day_first,
			cases[i].other_month ? days_from_civil(2026, cases[i].other_month, cases[i].other_day) * DAY_MS + since
					     : TIME_UNKNOWN);
	}
}

static void reads_stamps_in_words(void **state)
{
	static const struct {
		const char *text;
		time_ms t;
		const char *zone;
	} cases[] = {
		{ "Sat Nov 21 01:48:34 2026", DAY_OF_RUN + CLOCK(1, 48, 34, 0), "" },
		{ "Sat Nov 21 01:48:34 UTC 2026", DAY_OF_RUN + CLOCK(1, 48, 34, 0), "UTC" },
		{ "Sat Nov 21 01:48:34 PM EST 2026", DAY_OF_RUN + CLOCK(13, 48, 34, 0), "EST" },
		{ "Sat 21 Nov 2026 12:00:34 AM EST", DAY_OF_RUN + CLOCK(0, 0, 34, 0), "EST" },
		{ "Tue Nov 21 01:48:34 +0330 2026", DAY_OF_RUN + CLOCK(1, 48, 34, 0), "+0330" },
	};
	static const char *const wrong[] = {
		"", "Sat Nov 21 2026", "01:48:34 2026", "Nov 21 01:48:34", "Sat Nov 31 01:48:34 2026", "Sat Nov 21 13:48:34 PM 2026",
		"Sat Nov 21 01:48:34 2026 7", "Sat Nov 21 01:48:34 2026 and then",
		"python train.py started Nov 21 01:48:34 2026",
	};
	struct slice zone;
	time_ms t;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (!stamp_words_parse(slice_of(cases[i].text), &t, &zone))
			fail_msg("'%s' is not read", cases[i].text);
		assert_int_equal(t, cases[i].t);
		assert_true(slice_is(zone, cases[i].zone));
	}
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		if (stamp_words_parse(slice_of(wrong[i]), &t, &zone))
			fail_msg("'%s' is read", wrong[i]);
}

static void reads_times_of_day(void **state)
{
	static const struct {
		const char *text;
		char half;
		time_ms t; /* -1: none */
	} cases[] = {
		{ "00:00:00", 0, 0 },
		{ "23:59:59", 0, CLOCK(23, 59, 59, 0) },
		{ "01:48:34.5", 0, CLOCK(1, 48, 34, 500) },
		/* noon and midnight are the hours that go wrong */
		{ "12:00:00", 'A', 0 },
		{ "12:30:22", 'A', CLOCK(0, 30, 22, 0) },
		{ "01:00:00", 'A', CLOCK(1, 0, 0, 0) },
		{ "11:59:59", 'A', CLOCK(11, 59, 59, 0) },
		{ "12:00:00", 'P', CLOCK(12, 0, 0, 0) },
		{ "01:00:00", 'P', CLOCK(13, 0, 0, 0) },
		{ "11:59:59", 'P', CLOCK(23, 59, 59, 0) },
		{ "13:00:00", 'P', -1 },
		{ "00:00:00", 'A', -1 },
		{ "24:00:00", 0, -1 },
		{ "01:48", 0, -1 },
		{ "", 0, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		time_ms t = -1;

		assert_int_equal(clock_parse(slice_of(cases[i].text), cases[i].half, &t), cases[i].t >= 0);
		assert_int_equal(t, cases[i].t);
	}
}

static void reads_and_names_zones(void **state)
{
	static const struct {
		const char *text;
		int minutes;
		const char *name; /* NULL: no zone that needs no table */
	} cases[] = {
		{ "UTC", 0, "UTC" },          { "Z", 0, "UTC" },            { "GMT", 0, "UTC" },        { "UTC+0", 0, "UTC" },
		{ "UTC-5", -300, "UTC-5" },   { "-05:00", -300, "UTC-5" },  { "-0500", -300, "UTC-5" }, { "+05:30", 330, "UTC+5:30" },
		{ "UTC+5:30", 330, "UTC+5:30" }, { "GMT+1", 60, "UTC+1" },  { "+14", 840, "UTC+14" },   { "-3:30", -210, "UTC-3:30" },
		{ "+5:45", 345, "UTC+5:45" },
		{ "EST", 0, NULL },           { "CET", 0, NULL },           { "", 0, NULL },            { "5", 0, NULL },
		{ "+15", 0, NULL },           { "+05:60", 0, NULL },        { "+05:3", 0, NULL },       { "UTC5", 0, NULL },
		{ "utc", 0, NULL },           { "+", 0, NULL },             { "+05:300", 0, NULL },     { "Europe/Berlin", 0, NULL },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		time_ms offset = 0;

		assert_int_equal(zone_parse(slice_of(cases[i].text), &offset), cases[i].name != NULL);
		assert_int_equal(offset, cases[i].minutes * MINUTE_MS);
		if (cases[i].name)
			assert_string_equal(zone_name(&mem, offset), cases[i].name);
	}
	arena_release(&mem);
}

static void prints_times(void **state)
{
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const time_ms t = DAY_OF_RUN + CLOCK(1, 48, 34, 387);
	assert_string_equal(time_iso(&mem, t), "2026-11-21T01:48:34.387Z");
	assert_string_equal(time_iso(&mem, 0), "1970-01-01T00:00:00.000Z");
	assert_string_equal(time_iso(&mem, -1), "1969-12-31T23:59:59.999Z");
	assert_string_equal(time_clock(&mem, t), "01:48:34");
	assert_string_equal(time_date(&mem, t), "2026-11-21");
	assert_string_equal(weekday_names[civil_from_time(t).weekday], "Sat");
	assert_string_equal(month_names[civil_from_time(t).month - 1], "Nov");
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_days),
		cmocka_unit_test(knows_which_days_there_are),
		cmocka_unit_test(every_day_round_trips),
		cmocka_unit_test(splits_times_before_1970),
		cmocka_unit_test(reads_stamps),
		cmocka_unit_test(knows_what_is_no_stamp),
		cmocka_unit_test(reads_stamps_with_a_zone),
		cmocka_unit_test(reads_stamps_whose_day_and_month_may_be_swapped),
		cmocka_unit_test(reads_stamps_in_words),
		cmocka_unit_test(reads_times_of_day),
		cmocka_unit_test(reads_and_names_zones),
		cmocka_unit_test(prints_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
