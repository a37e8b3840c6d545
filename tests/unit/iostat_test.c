/* iostat_test.c - iostat's reports: times of every locale and none, releases, disks and what stands on them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define BANNER "Linux 6.18.44 (node01) \t11/21/26 \t_x86_64_\t(16 CPU)\n\n"
#define CPU "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
#define SHARES "          36.00    1.00   14.50    2.00    0.50   46.00\n\n"
#define WAITS "Device            r/s     rkB/s r_await     w/s     wkB/s w_await  aqu-sz  %util\n"
#define IDLE "sda              0.00      0.00    0.00    0.00      0.00    0.00    0.00   0.00\n"
#define BUSY "sda              2.00     64.00    0.50    6.00     32.00    4.50    0.01   1.20\n"
#define HOST "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
#define BUSY_SHARES " 51.50 37.00 14.50 2.00 0.50\n"
#define SINCE_BOOT "iostat.txt: warning: no-rows: nothing but averages since boot, as the first report of iostat is; " \
		   "log with iostat -xt N, which goes on\n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "iostat.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

/* The first report is since boot; its time begins the first interval. */
static void reads_times_of_every_locale(void **state)
{
	static const struct {
		const char *first, *second, *begin;
	} cases[] = {
		{ "11/21/26 01:48:34", "11/21/26 01:48:35", "2026-11-21T01:48:34.000" },
		{ "11/21/2026 01:48:34 PM", "11/21/2026 01:48:35 PM", "2026-11-21T13:48:34.000" },
		{ "21/11/26 01:48:34 AM IST", "21/11/26 01:48:35 AM IST", "2026-11-21T01:48:34.000" }, /* en_IN */
		{ "21.11.2026 01:48:34", "21.11.2026 01:48:35", "2026-11-21T01:48:34.000" },
		{ "21/11/26 23:59:59", "22/11/26 00:00:00", "2026-11-21T23:59:59.000" },
		/* the second date alone would be the 12th of January */
		{ "30/11/26 23:59:59", "01/12/26 00:00:00", "2026-11-30T23:59:59.000" },
		{ "2026-11-21T01:48:34", "2026-11-21T01:48:35", "2026-11-21T01:48:34.000" },
		{ "Time: 01:48:34", "Time: 01:48:35", "2026-11-21T01:48:34.000" },
		{ "2026\xE5\xB9\xB4" "11\xE6\x9C\x88" "21\xE6\x97\xA5 01\xE6\x99\x82" "48\xE5\x88\x86" "34\xE7\xA7\x92",
		  "2026\xE5\xB9\xB4" "11\xE6\x9C\x88" "21\xE6\x97\xA5 01\xE6\x99\x82" "48\xE5\x88\x86" "35\xE7\xA7\x92",
		  "2026-11-21T01:48:34.000" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *log = arena_print(&logs->mem, "%s%s\n%s%s%s\n%s%s", BANNER, cases[i].first, CPU, SHARES, cases[i].second, CPU, SHARES);
		const struct recording *rec = read_text(logs, "iostat.txt", log);

		assert_string_equal(shown(logs, rec, true), arena_print(&logs->mem, "%s%s%s", HOST, cases[i].begin, BUSY_SHARES));
		assert_int_equal(rec->clock.basis, BASIS_LOCAL);
		assert_false(rec->clock.time_unknown);
		assert_string_equal(rec->host, "node01");
		assert_string_equal(take_complaints(logs), "");
	}
}

/* Days are counted from the first date, however the later ones could be read. */
static void counts_days_from_the_first_date(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "30/11/26 23:59:58\n" CPU SHARES "30/11/26 23:59:59\n" CPU SHARES "01/12/26 00:00:00\n" CPU SHARES
		  "01/12/26 00:00:01\n" CPU SHARES,
		  HOST "2026-11-30T23:59:58.000" BUSY_SHARES "2026-11-30T23:59:59.000" BUSY_SHARES "2026-12-01T00:00:00.000" BUSY_SHARES, "" },
	};

	CHECK(*state, cases);
}

static void a_run_after_the_change_goes_on_with_the_first_offset(void **state)
{
	const struct recording *rec = read_text(*state, "iostat.log", BANNER
		"2026-11-01T01:59:58-0400\n" CPU SHARES "2026-11-01T01:59:59-0400\n" CPU SHARES BANNER
		"2026-11-01T01:00:00-0500\n" CPU SHARES "2026-11-01T01:00:01-0500\n" CPU SHARES);

	assert_int_equal(rec->clock.basis, BASIS_OFFSET);
	assert_int_equal(rec->clock.offset, -4 * HOUR_MS);
	assert_string_equal(shown(*state, rec, true),
		HOST "2026-11-01T01:59:58.000" BUSY_SHARES "2026-11-01T01:59:59.000" BUSY_SHARES);
	assert_string_equal(take_complaints(*state), "");
}

/* The offset of the first time holds, whatever daylight saving does later. */
static void reads_the_offset_of_iso_times(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "iostat.txt",
		BANNER "2026-11-01T01:59:59-0400\n" CPU SHARES "2026-11-01T01:00:00-0500\n" CPU SHARES "2026-11-01T01:00:01-0500\n" CPU SHARES);

	assert_int_equal(rec->clock.basis, BASIS_OFFSET);
	assert_int_equal(rec->clock.offset, -4 * HOUR_MS);
	assert_string_equal(rec->clock.zone, "-0400");
	assert_string_equal(shown(logs, rec, true),
		HOST "2026-11-01T01:59:59.000" BUSY_SHARES "2026-11-01T02:00:00.000" BUSY_SHARES);
}

static void counts_reports_without_times(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER CPU SHARES WAITS IDLE "\n" CPU SHARES WAITS BUSY "\n" CPU SHARES WAITS BUSY,
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.disk_read host.disk_write "
		  "host.disk_util host.disk_await\n"
		  "1970-01-01T00:00:00.000 51.50 37.00 14.50 2.00 0.50 64.00 32.00 1.20 3.50\n"
		  "1970-01-01T00:00:01.000 51.50 37.00 14.50 2.00 0.50 64.00 32.00 1.20 3.50\n", "" },
		{ BANNER WAITS IDLE "\n\n" WAITS BUSY "\n\n" WAITS IDLE,
		  "host: host.disk_read host.disk_write host.disk_util host.disk_await\n"
		  "1970-01-01T00:00:00.000 64.00 32.00 1.20 3.50\n1970-01-01T00:00:01.000 0.00 0.00 0.00 -\n", "" },
		{ BANNER CPU SHARES WAITS BUSY, "", SINCE_BOOT },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	assert_true(read_text(logs, "iostat.txt", cases[0].log)->clock.time_unknown);
}

#define STAMPED BANNER "11/21/26 01:48:34\n" CPU SHARES "11/21/26 01:48:35\n"
#define AT "2026-11-21T01:48:34.000 "

static void knows_the_columns_of_all_releases(void **state)
{
	static const struct log_case cases[] = {
		{ STAMPED "Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util\n"
			  "sda 0 0 2.00 6.00 0.50 0.25 0 0 9.99 0.50 4.50 0 1,20\n",
		  "host: host.disk_read host.disk_write host.disk_util host.disk_await\n" AT "512.00 256.00 1.20 3.50\n", "" },
		{ STAMPED "Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n"
			  "sda 0 0 2.00 6.00 100.00 50.00 0 0 3.25 0 1.20\nsdb 0 0 0.00 8.00 0.00 2.00 0 0 1.25 0 7.00\n",
		  "host: host.disk_read host.disk_write host.disk_util host.disk_await\n" AT "50.00 26.00 7.00 2.25\n", "" },
		{ STAMPED "Device:            tps   Blk_read/s   Blk_wrtn/s   Blk_read   Blk_wrtn\nsda 172.09 2583.40 90.40 7776 272\n",
		  "host: host.disk_read host.disk_write\n" AT "1291.70 45.20\n", "" },
		{ STAMPED "Device             tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd\nvda 1 5.00 6.00 7.00 1 1 1\n",
		  "host: host.disk_read host.disk_write\n" AT "5.00 6.00\n", "" },
		/* --pretty */
		{ STAMPED "     tps    MB_read/s    MB_wrtn/s Device\n 1 2.00 1.00 nvme0n1\n",
		  "host: host.disk_read host.disk_write\n" AT "2048.00 1024.00\n", "" },
	};

	CHECK(*state, cases);
}

#define SHORT "Device tps kB_read/s kB_wrtn/s\n"
#define DISKS "host: host.disk_read host.disk_write\n" AT

static void counts_a_block_once(void **state)
{
	static const struct log_case cases[] = {
		{ STAMPED SHORT "sda 1 10 1\nsda1 1 10 1\nsda12 1 10 1\nsdaa 1 5 1\nnvme0n1 1 3 1\nnvme0n1p1 1 3 1\nmmcblk0 1 2 1\nmmcblk0p2 1 2 1\n",
		  DISKS "20 4\n", "" },
		{ STAMPED SHORT "loop0 1 10 1\nram0 1 10 1\nzram0 1 10 1\nsda 1 7 1\ndm-0 1 7 1\nmd127 1 7 1\nrhel7-root 1 7 1\ndrbd0 1 7 1\n",
		  DISKS "7 1\n", "" },
		/* nothing but what stands on disks */
		{ STAMPED SHORT "dm-0 1 10 1\ndm-1 1 5 1\nloop3 1 1 1\n", DISKS "15 2\n", "" },
		/* without one disk the sum is not known */
		{ STAMPED SHORT "sda 1 10 1\nsdb 1 x 1\n11/21/26 01:48:36\n" SHORT "sda 1 10 1\nsdb 1 2 1\n",
		  "host: host.disk_read host.disk_write\n" AT "- -\n2026-11-21T01:48:35.000 12 2\n",
		  "iostat.txt:10:7: warning: bad-number: 'x' in kB_read/s is no number; row not used\n" },
	};

	CHECK(*state, cases);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		{ STAMPED CPU "          36.00    1.00\n\n11/21/26 01:48:36\n" CPU SHARES, HOST "2026-11-21T01:48:35.000" BUSY_SHARES,
		  "iostat.txt:9: warning: bad-row: 3 numbers where the header has 7; row not used\n" },
		{ STAMPED CPU SHARES "11/21/26 01:48:36\n" CPU "          36.0", HOST "2026-11-21T01:48:34.000" BUSY_SHARES,
		  "iostat.txt:13: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		/* started again into the same file, without -t */
		{ STAMPED CPU SHARES BANNER CPU SHARES CPU SHARES, HOST "2026-11-21T01:48:34.000" BUSY_SHARES,
		  "iostat.txt:13: warning: bad-time: a report without a time in a log with times; not used (1 more like this)\n" },
		{ STAMPED SHORT "sda 1 10\n", "",
		  "iostat.txt:9: warning: bad-row: 3 numbers where the header has 4; row not used\n"
		  "iostat.txt: warning: no-rows: recognised as iostat, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_times_of_every_locale, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_days_from_the_first_date, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_the_offset_of_iso_times, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_run_after_the_change_goes_on_with_the_first_offset, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_reports_without_times, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_the_columns_of_all_releases, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_a_block_once, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
