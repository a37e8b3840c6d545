/*
 * mpstat_test.c - mpstat's text: clocks of 12 and 24 hours, banners of every locale, midnight, averages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define BANNER "Linux 6.18.44 (node01) \t11/21/2026 \t_x86_64_\t(2 CPU)\n"
#define HEAD "  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
#define ALL "  all   50.06    1.00    1.75    2.00    0.10    0.06    3.00    0.00    0.00   42.03\n"
#define CORE0 "    0   99.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00\n"
#define CORE1 "    1    1.12    0.00    2.50    0.00    0.00    0.12    0.00    0.00    0.00   96.26\n"
#define HOST "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
#define VALUES " 52.97 51.06 1.91 2.00 3.00"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "mpstat.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

/* A row's interval begins at the stamp before it; the first at the first header's. */
static void reads_clocks_of_12_and_24_hours(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "01:48:35" CORE0 "01:48:35" CORE1
		  "\n01:48:35" HEAD "01:48:36" ALL "01:48:36" CORE0 "01:48:36" CORE1,
		  HOST "2026-11-21T01:48:34.000" VALUES "\n2026-11-21T01:48:35.000" VALUES "\n"
		       "core0: core.busy\n2026-11-21T01:48:34.000 100.00\n2026-11-21T01:48:35.000 100.00\n"
		       "core1: core.busy\n2026-11-21T01:48:34.000 3.74\n2026-11-21T01:48:35.000 3.74\n",
		  "" },
		{ BANNER "\n01:48:34 PM" HEAD "01:48:35 PM" ALL "01:48:36 PM" ALL,
		  HOST "2026-11-21T13:48:34.000" VALUES "\n2026-11-21T13:48:35.000" VALUES "\n", "" },
		/* noon and midnight on a clock of 12 hours */
		{ BANNER "\n11:59:59 AM" HEAD "12:00:00 PM" ALL "12:00:01 PM" ALL,
		  HOST "2026-11-21T11:59:59.000" VALUES "\n2026-11-21T12:00:00.000" VALUES "\n", "" },
		{ BANNER "\n12:30:21 AM" HEAD "12:30:22 AM" ALL, HOST "2026-11-21T00:30:21.000" VALUES "\n", "" },
	};

	CHECK(*state, cases);
}

/* It has only zeros, idle included: nobody is busy there. A core that is at user all the time has zeros, too, but for that. */
static void a_core_that_is_offline_is_not_busy(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n01:48:34" HEAD "01:48:35" CORE1 "01:48:35    0    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00\n"
		  "\n01:48:35" HEAD "01:48:36" CORE0 "01:48:36" CORE1,
		  "core1: core.busy\n2026-11-21T01:48:34.000 3.74\n2026-11-21T01:48:35.000 3.74\n"
		  "core0: core.busy\n2026-11-21T01:48:34.000 -\n2026-11-21T01:48:35.000 100.00\n",
		  "" },
		{ BANNER "\n01:48:34" HEAD "01:48:35  all    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00\n"
		  "01:48:36" ALL,
		  HOST "2026-11-21T01:48:34.000 - - - - -\n2026-11-21T01:48:35.000" VALUES "\n", "" },
	};

	CHECK(*state, cases);
}

static void sees_midnight_pass(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n23:59:58" HEAD "23:59:59" ALL "00:00:00" ALL "00:00:01" ALL,
		  HOST "2026-11-21T23:59:58.000" VALUES "\n2026-11-21T23:59:59.000" VALUES "\n2026-11-22T00:00:00.000" VALUES "\n", "" },
		{ BANNER "\n11:59:58 PM" HEAD "11:59:59 PM" ALL "12:00:00 AM" ALL,
		  HOST "2026-11-21T23:59:58.000" VALUES "\n2026-11-21T23:59:59.000" VALUES "\n", "" },
		/* two nights */
		{ BANNER "\n12:00:01" HEAD "00:00:00" ALL "13:00:00" ALL "00:00:00" ALL,
		  HOST "2026-11-21T12:00:01.000" VALUES "\n2026-11-22T00:00:00.000" VALUES "\n2026-11-22T13:00:00.000" VALUES "\n", "" },
		/* the end of daylight saving is an hour back, not a day on: what follows is the next hour */
		{ BANNER "\n02:59:57" HEAD "02:59:58" ALL "02:59:59" ALL "02:00:00" ALL,
		  HOST "2026-11-21T02:59:57.000" VALUES "\n2026-11-21T02:59:58.000" VALUES "\n2026-11-21T02:59:59.000" VALUES "\n", "" },
	};

	CHECK(*state, cases);
}

static void leaves_out_averages(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "\nAverage:" HEAD "Average:" ALL, HOST "2026-11-21T01:48:34.000" VALUES "\n",
		  "" },
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "\nDurchschn.:" HEAD "Durchschn.:" ALL, HOST "2026-11-21T01:48:34.000" VALUES
		  "\n", "" },
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "\nMoyenne :" HEAD "Moyenne :" ALL, HOST "2026-11-21T01:48:34.000" VALUES
		  "\n", "" },
	};

	CHECK(*state, cases);
}

static void finds_columns_by_name(void **state)
{
	static const struct log_case cases[] = {
		/* other order, other words for user and system, some gone */
		{ BANNER "\n01:48:34  CPU   %idle  %steal   %user    %sys  %irq\n01:48:35  all   60.00   10.00   20.00    7.50   2.50\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.steal\n2026-11-21T01:48:34.000 30.00 20.00 10.00 10.00\n",
		"" },
		/* a decimal comma, as German and French locales have */
		{ BANNER "\n01:48:34  CPU    %usr    %sys    %irq   %idle\n01:48:35  all   50,06    1,75    0,00   48,19\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system\n2026-11-21T01:48:34.000 51.81 50.06 1.75\n", "" },
		/* parts that are rounded up can make more than the whole */
		{ BANNER "\n01:48:34  CPU    %usr   %nice    %irq   %idle\n01:48:35  all   99.99    0.02    0.00    0.00\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system\n2026-11-21T01:48:34.000 100.00 100.00 0.00\n", "" },
		/* the sections of `mpstat -A` and sar that have other columns are passed over, up to the next header */
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "\n01:48:34  CPU    intr/s    a    b    c    d    e    f    g    h    i\n"
		  "01:48:35  all      1.00 1.00 1.00 1.00 1.00 1.00 1.00 1.00 1.00 1.00\n\n01:48:35" HEAD "01:48:36" ALL,
		  HOST "2026-11-21T01:48:34.000" VALUES "\n2026-11-21T01:48:35.000" VALUES "\n", "" },
	};

	CHECK(*state, cases);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "rubbish\n01:48:36  all   50.06\n01:48:36  abc   50.06\n"
		  "01:48:36  all   50.06    x\n01:48:37" ALL,
		  HOST "2026-11-21T01:48:34.000" VALUES "\n2026-11-21T01:48:35.000" VALUES "\n",
		  "mpstat.txt:5: warning: bad-row: the line does not begin with a time; not used (2 more like this)\n"
		  "mpstat.txt:8:26: warning: bad-number: 'x' in %nice is no share; row not used\n" },
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL
		  "01:48:36  all   5000.06    1.00    1.75    2.00    0.10    0.06    3.00    0.00    0.00   42.03\n",
		  HOST "2026-11-21T01:48:34.000" VALUES "\n",
		  "mpstat.txt:5:17: warning: bad-number: '5000.06' in %usr is no share; row not used\n" },
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "01:48:36  all   50.0",
		  HOST "2026-11-21T01:48:34.000" VALUES "\n",
		  "mpstat.txt:5: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		/* other tables of mpstat -A, and the mark of a restart, are not ours */
		{ BANNER "\n01:48:34" HEAD "01:48:35" ALL "\n01:48:35     CPU    intr/s\n01:48:36     all  12345.00\n\n"
		  "01:48:36     LINUX RESTART\n\n01:48:36" HEAD "01:48:37" ALL,
		  HOST "2026-11-21T01:48:34.000" VALUES "\n2026-11-21T01:48:35.000" VALUES "\n", "" },
		{ BANNER "\n01:48:34" HEAD, "", "mpstat.txt: warning: no-rows: recognised as mpstat, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

/* formats.md B1: the date follows the locale, and some desktops print none. */
static void reads_banners_of_every_locale(void **state)
{
	static const struct {
		const char *date, *day; /* NULL: not known */
		const char *swapped;    /* what it is the other way round; NULL: not in doubt */
	} cases[] = {
		{ "11/20/26", "2026-11-20", NULL },          /* C */
		{ "11/20/2026", "2026-11-20", NULL },        /* en_US */
		{ "20/11/26", "2026-11-20", NULL },          /* en_GB */
		{ "20/11/2026", "2026-11-20", NULL },        /* fr_FR */
		{ "20.11.2026", "2026-11-20", NULL },        /* de_DE */
		{ "05.11.2026", "2026-11-05", NULL },
		{ "2026-11-20", "2026-11-20", NULL },        /* S_TIME_FORMAT=ISO */
		{ "2026-11-05", "2026-11-05", NULL },
		/* up to the 12th, month and day can't be told apart; month first is taken */
		{ "11/05/26", "2026-11-05", "2026-05-11" },
		{ "05/11/2026", "2026-05-11", "2026-11-05" },
		{ "11/11/26", "2026-11-11", NULL },
		{ "2026\xE5\xB9\xB4" "11\xE6\x9C\x88" "20\xE6\x97\xA5", "2026-11-20", NULL }, /* ja_JP, zh_CN */
		{ "2026\xE5\xB9\xB4" "11\xE6\x9C\x88" "20", NULL, NULL },
		{ "2026\xEB\x85\x84" "11\xEC\x9B\x94" "20\xEC\x9D\xBC", NULL, NULL }, /* ko_KR: no such log is known */
		{ "", NULL, NULL },
		{ "31/31/26", NULL, NULL },
		{ "20-11-26", "2026-11-20", NULL },          /* nl_NL */
		{ "05-11-2026", "2026-11-05", NULL },        /* da_DK, tr_TR */
		{ "11-20-26", "2026-11-20", NULL },          /* it can't be anything else */
		{ "11/20.26", NULL, NULL },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct arena *mem = &logs->mem;
		const struct recording *rec = read_text(logs, "mpstat.txt",
			arena_print(mem, "Linux 6.18.44 (node01.cluster) \t%s \t_x86_64_\t(2 CPU)\n\n01:48:34%s01:48:35%s",
				cases[i].date, HEAD, ALL));
		const time_ms t = channel_time(&rec->channels[0], 0);

		assert_string_equal(rec->host, "node01.cluster");
		assert_int_equal(rec->clock.basis, BASIS_LOCAL);
		assert_int_equal(rec->clock.date_unknown, !cases[i].day);
		assert_string_equal(time_date(mem, t), cases[i].day ? cases[i].day : "1970-01-01");
		assert_int_equal(rec->clock.date_ambiguous, cases[i].swapped != NULL);
		if (cases[i].swapped)
			assert_string_equal(time_date(mem, t + rec->clock.date_swap), cases[i].swapped);
		assert_string_equal(take_complaints(logs), "");
	}
}

/* Hour, minute and second have signs of their own; Chinese writes the hour's in another way. */
static void reads_japanese_and_chinese(void **state)
{
	static const struct log_case cases[] = {
		{ "Linux 6.18.44 (node01) \t2026\xE5\xB9\xB4" "11\xE6\x9C\x88" "20\xE6\x97\xA5 \t_x86_64_\t(2 CPU)\n\n"
		  "21\xE6\x99\x82" "32\xE5\x88\x86" "58\xE7\xA7\x92" HEAD "21\xE6\x99\x82" "32\xE5\x88\x86" "59\xE7\xA7\x92" ALL
		  "\xE5\xB9\xB3\xE5\x9D\x87\xE5\x80\xA4:" ALL,
		  HOST "2026-11-20T21:32:58.000" VALUES "\n", "" },
		{ "Linux 6.18.44 (node01) \t2026\xE5\xB9\xB4" "11\xE6\x9C\x88" "20\xE6\x97\xA5 \t_x86_64_\t(2 CPU)\n\n"
		  "21\xE6\x97\xB6" "33\xE5\x88\x86" "03\xE7\xA7\x92" HEAD "21\xE6\x97\xB6" "33\xE5\x88\x86" "04\xE7\xA7\x92" ALL,
		  HOST "2026-11-20T21:33:03.000" VALUES "\n", "" },
	};

	CHECK(*state, cases);
}

/* One `mpstat 1 1` an hour by cron, all into one file. */
static void follows_several_banners(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n23:00:00" HEAD "23:00:01" ALL "Average:" ALL "\nLinux 6.18.44 (node01) \t11/23/2026 \t_x86_64_\t(2 CPU)\n\n"
		  "00:30:00" HEAD "00:30:01" ALL,
		  HOST "2026-11-21T23:00:00.000" VALUES "\n2026-11-21T23:00:01.000" VALUES "\n", "" },
		/* a banner without a date leaves the day in force, and midnight is seen */
		{ BANNER "\n23:00:00" HEAD "23:00:01" ALL "\nLinux 6.18.44 (node01) \t \t_x86_64_\t(2 CPU)\n\n00:00:00" HEAD "00:00:01" ALL,
		  HOST "2026-11-21T23:00:00.000" VALUES "\n2026-11-21T23:00:01.000" VALUES "\n", "" },
	};

	CHECK(*state, cases);
}

static void refuses_averages_since_boot(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "\n01:48:34" HEAD "01:48:34" ALL "01:48:34" CORE0, "",
		  "mpstat.txt: warning: no-rows: nothing but averages since boot, as mpstat without an interval prints; "
		  "log with mpstat -P ALL N\n" },
		{ BANNER "\n01:48:34     CPU    intr/s\n01:48:35     all   13222.72\n", "",
		  "mpstat.txt: warning: no-rows: no section of mpstat with %idle; log with mpstat -P ALL N\n" },
	};

	CHECK(*state, cases);
}

static void accounts_for_every_line(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "mpstat.txt",
		"$ mpstat -P ALL 1\n" BANNER "\n01:48:34" HEAD "01:48:35" ALL "01:48:35" CORE0 "rubbish\n\n01:48:35" HEAD "01:48:36" ALL
		"01:48:36" CORE0
		"\nAverage:" HEAD "Average:" ALL "01:4");

	assert_int_equal(rec->n_rows, 4);
	assert_int_equal(rec->n_rows_bad, 2);     /* rubbish, the cut row */
	assert_int_equal(rec->n_rows_ignored, 9); /* prompt, banner, 3 blanks, 2 heads, 2 averages */
	assert_true(rec->cut);
	assert_false(rec->clock.date_unknown);
}

static void reads_real_recordings(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = format_read(&logs->mem, "samples/loader_bound/mpstat.txt", NULL, false, &logs->diags);

	assert_int_equal(rec->n_channels, 17);
	assert_int_equal(rec->n_rows + rec->n_rows_ignored, 1502);
	assert_int_equal(rec->n_rows % 17, 0);
	assert_int_equal(rec->n_rows_bad, 0);
	assert_int_equal(rec->channels[0].step, 1000);
	assert_string_equal(rec->host, "node01");
	assert_string_equal(take_complaints(logs), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_clocks_of_12_and_24_hours, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_core_that_is_offline_is_not_busy, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(sees_midnight_pass, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_averages, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(finds_columns_by_name, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_banners_of_every_locale, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_japanese_and_chinese, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(follows_several_banners, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(refuses_averages_since_boot, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(accounts_for_every_line, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_real_recordings, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
