/*
 * dstat_test.c - CSV of dstat, dool and pcp-dstat: groups and names, the row since boot, times without a year, builds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define PREAMBLE(date) \
	"\"Dstat 0.7.3 CSV output\"\n" \
	"\"Author:\",\"Dag Wieers <dag@wieers.com>\",,,,\"URL:\",\"http://dag.wieers.com/home-made/dstat/\"\n" \
	"\"Host:\",\"node01\",,,,\"User:\",\"root\"\n" \
	"\"Cmdline:\",\"dstat -t -C total,0,1 --output dstat.csv 1\",,,,\"Date:\",\"" date "\"\n"
#define CPU_HEADS "\"system\",\"total cpu usage\",,,,\n\"time\",\"usr\",\"sys\",\"idl\",\"wai\",\"stl\"\n"
#define SHARES "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
#define BOOT ",9,9,82,0,0\n"
#define ROW ",10.5,2.0,80.0,4.5,3.0\n"
#define VALUES " 12.500 10.500 2.000 4.500 3.000"
#define NOVEMBER PREAMBLE("20 Nov 2026 21:34:00 EST")

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "dstat.csv", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void rows_begin_at_the_stamp_before(void **state)
{
	static const struct log_case cases[] = {
		{ NOVEMBER CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01" ROW "20-11 21:34:02" ROW,
		  SHARES "2026-11-20T21:34:00.000" VALUES "\n2026-11-20T21:34:01.000" VALUES "\n", "" },
		/* a second run in the file has a first row of its own */
		{ NOVEMBER CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01" ROW
		  "\n\n\"Host:\",\"node01\",,,,\"User:\",\"root\"\n\"Cmdline:\",\"dstat -t\",,,,\"Date:\",\"21 Nov 2026 08:00:00 EST\"\n"
		  CPU_HEADS "21-11 08:00:00" BOOT "21-11 08:00:01" ROW "21-11 08:00:02" ROW,
		  SHARES "2026-11-20T21:34:00.000" VALUES "\n2026-11-21T08:00:00.000" VALUES "\n2026-11-21T08:00:01.000" VALUES "\n", "" },
		{ NOVEMBER CPU_HEADS "20-11 21:34:00" BOOT, "",
		  "dstat.csv: warning: no-rows: recognised as dstat, but no row could be used\n" },
		{ NOVEMBER CPU_HEADS, "",
		  "dstat.csv: warning: no-rows: dstat wrote its heads and no row: under Python 3.11 it fails at the first; log with dool, "
		  "pcp-dstat or vmstat -t\n" },
	};

	CHECK(*state, cases);
}

/* Times that are none, rows without what the others have, rows before the names. */
static void rows_that_do_not_fit_are_left_out(void **state)
{
	static const struct log_case cases[] = {
		{ NOVEMBER CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01" ROW "20 21:34:02" ROW "20-x 21:34:02" ROW "20-32 21:34:02" ROW
		  "32-11 21:34:02" ROW "11-20 21:34:02" ROW "20-11 late" ROW "20-11 21:34:02" ROW "20-11 21:34:03,1,x,80,4,3\n", "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
		  "2026-11-20T21:34:00.000 12.500 10.500 2.000 4.500 3.000\n"
		  "2026-11-20T21:34:01.000 12.500 10.500 2.000 4.500 3.000\n"
		  "2026-11-20T21:34:02.000 13.000 1.000 - 4.000 3.000\n", "dstat.csv:9:1: warning: bad-time: '20 21:34:02' is no time, expected like 20-11 21:34:01; row not used (5 more like this)\n"
		  "dstat.csv:16:18: warning: bad-number: 'x' is no share of the CPU's time\n" },
		/* a clock that went back over New Year */
		{ PREAMBLE("01 Jan 2027 00:00:01 JST") CPU_HEADS "01-01 00:00:01" BOOT "31-12 23:59:59" ROW "31-12 23:59:59.500" ROW, "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
		  "2026-12-31T23:59:58.500 12.500 10.500 2.000 4.500 3.000\n"
		  "2026-12-31T23:59:59.000 12.500 10.500 2.000 4.500 3.000\n", "" },
		/* the time behind the shares; the head comes again with epochs, which are no such times */
		{ NOVEMBER "\"total cpu usage\",,,,,\"system\"\n\"usr\",\"sys\",\"idl\",\"wai\",\"stl\",\"time\"\n"
		  "9,9,82,0,0,20-11 21:34:00\n10.5,2.0,80.0,4.5,3.0,20-11 21:34:01\n"
		  "\"epoch\",\"total cpu usage\",,,,\n\"epoch\",\"usr\",\"sys\",\"idl\",\"wai\",\"stl\"\n"
		  "1795210442" ROW, "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
		  "2026-11-20T21:34:00.000 12.500 10.500 2.000 4.500 3.000\n", "dstat.csv:11: warning: bad-row: a row with epoch in a log without; not used\n" },
		{ NOVEMBER "\"epoch\",\"total cpu usage\",,,,\n\"epoch\",\"usr\",\"sys\",\"idl\",\"wai\",\"stl\"\n1795210441" BOOT
		  "1795210442" ROW "soon" ROW CPU_HEADS "20-11 21:34:03" ROW, "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
		  "2026-11-20T21:34:01.000 12.500 10.500 2.000 4.500 3.000\n", "dstat.csv:9:1: warning: bad-time: 'soon' is no time, expected like 1795225849.936; row not used\n"
		  "dstat.csv:12: warning: bad-row: a row without epoch in a log with; not used\n" },
		{ NOVEMBER "\"epoch\",\"total cpu usage\",,,,\n1795210441" BOOT "\"epoch\",\"usr\",\"sys\",\"idl\",\"wai\",\"stl\"\n1795210442" BOOT
		  "1795210443" ROW, "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
		  "2026-11-20T21:34:02.000 12.500 10.500 2.000 4.500 3.000\n", "dstat.csv:6: warning: bad-row: a row before the names of its columns; not used\n" },
	};

	CHECK(*state, cases);
}

static void names_belong_to_their_groups(void **state)
{
	static const struct log_case cases[] = {
		/* read, writ, used and free mean something else under each group; units are bytes */
		{ NOVEMBER "\"epoch\",\"io/total\",,\"dsk/sda\",,\"dsk/total\",,\"net/total\",,\"paging\",,\"swap\",,\"memory usage\",,,,"
			   "\"load avg\",,,\"procs\",,\n"
		  "\"epoch\",\"read\",\"writ\",\"read\",\"writ\",\"read\",\"writ\",\"recv\",\"send\",\"in\",\"out\",\"used\",\"free\","
		  "\"used\",\"free\",\"buff\",\"cach\",\"1m\",\"5m\",\"15m\",\"run\",\"blk\",\"new\"\n"
		  "1795225849,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
		  "1795225850,1,2,3,4,1024,2048.0,4096,512,5120,6144,1048576,9,2097152.0,3145728,7,8,1.25,3,5,2,1,4\n",
		  "host: host.runq host.blocked host.mem_free host.mem_used host.swap_used host.swap_in host.swap_out host.disk_read "
		  "host.disk_write host.load host.net_rx host.net_tx\n"
		  "2026-11-21T01:50:49.000 2 1 3 2.0 1 5 6 1 2.0 1.25 4 0\n", "" },
		/* cores, and names that have their group in them; a comma too many */
		{ NOVEMBER "\"system\",\"total cpu usage\",,,,,\"cpu0 usage\",,,,,\"cpu11 usage\",,,,\n"
		  "\"time\",\"total cpu usage:usr\",\"total cpu usage:sys\",\"total cpu usage:idl\",\"total cpu usage:wai\","
		  "\"total cpu usage:stl\",\"cpu0 usage:usr\",\"cpu0 usage:sys\",\"cpu0 usage:idl\",\"cpu0 usage:wai\",\"cpu0 usage:stl\","
		  "\"cpu11 usage:usr\",\"cpu11 usage:sys\",\"cpu11 usage:idl\",\"cpu11 usage:wai\",\"cpu11 usage:stl\"\n"
		  "20-11 21:34:00,0,0,100,0,0,0,0,100,0,0,0,0,100,0,0,\n20-11 21:34:01,25,25,50,0,0,49,50,1,0,0,0,1,98,1,0,\n",
		  SHARES "2026-11-20T21:34:00.000 50.000 25.000 25.000 0.000 0.000\ncore0: core.busy\n2026-11-20T21:34:00.000 99.000\n"
		  "core11: core.busy\n2026-11-20T21:34:00.000 1.000\n", "" },
		/* before 0.7.3: interrupts apart, no steal */
		{ NOVEMBER "\n\"system\",\"total cpu usage\",,,,,\n\"time\",\"usr\",\"sys\",\"idl\",\"wai\",\"hiq\",\"siq\"\n"
		  "20-11 21:34:00,0,0,100,0,0,0\n20-11 21:34:01,10,5,80,2,1.0,2.0\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait\n2026-11-20T21:34:00.000 18.000 10.000 8.000 2.000\n",
		  "" },
		/* somebody cut the lines above the names off: only the CPU's are clear */
		{ "\"epoch\",\"usr\",\"sys\",\"idl\",\"wai\",\"stl\",\"read\",\"writ\"\n1795225849,0,0,100,0,0,0,0\n"
		  "1795225850,20,5,75,0,0,7,8\n",
		  SHARES "2026-11-21T01:50:49.000 25.000 20.000 5.000 0.000 0.000\n", "" },
		/* usr twice without a group: nobody knows which cores */
		{ "\"epoch\",\"usr\",\"idl\",\"usr\",\"idl\"\n1795225849,0,0,100,0\n1795225850,20,80,75,0\n",
		  "host:\n2026-11-21T01:50:49.000\n", "" },
		/* the broken quote of pcp-dstat */
		{ "\"pcp-dstat 5.0.3 CSV Output\"\n\"Author:\",\"PCP team <pcp@groups.io>,,,,\"URL:\",\"http://dag.wieers.com/\"\n"
		  "\"Host:\",\"node01\",,,,\"User:\",\"u\"\n\"Cmdline:\",\"dstat --epoch\",,,,\"Date:\",\"05 Oct 2016 23:04:53 UTC\"\n\n"
		  "\"epoch\",\"total cpu usage\",,,\n\"epoch\",\"usr\",\"sys\",\"idl\",\"wai\"\n"
		  "1475708693.291,6.4,5.2,88.4,0.0\n1475708694.292,1.020,1.020,97.959,0.0\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait\n2016-10-05T23:04:53.291 2.041 1.020 1.020 0.000\n",
		  "" },
	};

	CHECK(*state, cases);
}

static void years_come_from_the_date(void **state)
{
	static const struct log_case cases[] = {
		{ PREAMBLE("31 Dec 2026 23:59:58 JST") CPU_HEADS "31-12 23:59:58" BOOT "31-12 23:59:59" ROW "01-01 00:00:00" ROW
		  "01-01 00:00:01" ROW,
		  SHARES "2026-12-31T23:59:58.000" VALUES "\n2026-12-31T23:59:59.000" VALUES "\n2027-01-01T00:00:00.000" VALUES "\n", "" },
		/* New Year between the heads and the first row */
		{ PREAMBLE("31 Dec 2026 23:59:59 JST") CPU_HEADS "01-01 00:00:00" BOOT "01-01 00:00:01" ROW,
		  SHARES "2027-01-01T00:00:00.000" VALUES "\n", "" },
		/* dool's way, and one with a year of its own */
		{ NOVEMBER CPU_HEADS "Nov-20 21:34:00" BOOT "Nov-20 21:34:01.250" ROW,
		  SHARES "2026-11-20T21:34:00.000" VALUES "\n", "" },
		{ NOVEMBER CPU_HEADS "2026-11-20 21:34:00" BOOT "2026-11-20 21:34:01" ROW,
		  SHARES "2026-11-20T21:34:00.000" VALUES "\n", "" },
		/* a 29th of February, and a day that is none */
		{ PREAMBLE("29 Feb 2024 10:00:00 UTC") CPU_HEADS "29-02 10:00:00" BOOT "29-02 10:00:01" ROW "30-02 10:00:02" ROW,
		  SHARES "2024-02-29T10:00:00.000" VALUES "\n",
		  "dstat.csv:9:1: warning: bad-time: '30-02 10:00:02' is no time, expected like 20-11 21:34:01; row not used\n" },
		/* nobody says the year: times of day, the days counted */
		{ CPU_HEADS "28-02 23:59:59" BOOT "29-02 00:00:00" ROW "01-03 00:00:00" ROW,
		  SHARES "1970-01-01T23:59:59.000" VALUES "\n1970-01-02T00:00:00.000" VALUES "\n", "" },
	};

	CHECK(*state, cases);
}

static void zones_are_believed_when_clear(void **state)
{
	static const struct {
		const char *log;
		enum clock_basis basis;
		time_ms offset;
		const char *zone;
		bool time_unknown, date_unknown;
	} cases[] = {
#define ROWS CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01" ROW
		{ NOVEMBER ROWS, BASIS_LOCAL, 0, "EST", false, false },
		{ PREAMBLE("20 Nov 2026 21:34:00 UTC") ROWS, BASIS_OFFSET, 0, "UTC", false, false },
		{ PREAMBLE("20 Nov 2026 21:34:00 +0900") ROWS, BASIS_OFFSET, 9 * HOUR_MS, "+0900", false, false },
		{ PREAMBLE("20 Nov 2026 21:34:00") ROWS, BASIS_LOCAL, 0, NULL, false, false },
		{ ROWS, BASIS_LOCAL, 0, NULL, false, true },
		{ NOVEMBER "\"epoch\",\"total cpu usage\",\n\"epoch\",\"usr\",\"idl\"\n1795225849,1,99\n1795225850,1,99\n", BASIS_OFFSET, 0,
		  "epoch seconds", false, false },
		{ NOVEMBER "\"total cpu usage\",\n\"usr\",\"idl\"\n1,99\n1,99\n", BASIS_LOCAL, 0, "EST", true, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = read_text(*state, "dstat.csv", cases[i].log);

		assert_non_null(rec);
		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_int_equal(rec->clock.offset, cases[i].offset);
		assert_int_equal(rec->clock.time_unknown, cases[i].time_unknown);
		assert_int_equal(rec->clock.date_unknown, cases[i].date_unknown);
		if (cases[i].zone)
			assert_string_equal(rec->clock.zone, cases[i].zone);
		else
			assert_null(rec->clock.zone);
	}
}

static void knows_host_tool_and_what_it_does_not_read(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "dstat.csv",
		NOVEMBER "\"system\",\"total cpu usage\",,\"system\",\n\"time\",\"usr\",\"idl\",\"int\",\"csw\"\n"
		"20-11 21:34:00,1,99,5,6\n20-11 21:34:01,1,99,5,6\n");

	assert_string_equal(rec->host, "node01");
	assert_string_equal(rec->tool, "Dstat 0.7.3");
	assert_int_equal(rec->n_unread, 2);
	assert_string_equal(rec->unread[0], "system:int");
	assert_string_equal(rec->unread[1], "system:csw");
}

static void leaves_out_what_it_can_not_use(void **state)
{
	static const struct log_case cases[] = {
		/* cut in the last row */
		{ NOVEMBER CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01" ROW "20-11 21:34:02,10",
		  SHARES "2026-11-20T21:34:00.000" VALUES "\n",
		  "dstat.csv:9: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		/* busy needs idle: without it only what is there */
		{ NOVEMBER CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01,10,2,oops,4,3\n20-11 21:34:02,10,2,81,,3\n",
		  SHARES "2026-11-20T21:34:00.000 - 10.000 2.000 4.000 3.000\n2026-11-20T21:34:01.000 - 10.000 2.000 - 3.000\n",
		  "dstat.csv:8:21: warning: bad-number: 'oops' is no share of the CPU's time (1 more like this)\n" },
		{ NOVEMBER CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01,10,2\n20-11 21:34:02" ROW "x,1,2,3,4,5\n",
		  SHARES "2026-11-20T21:34:00.000" VALUES "\n",
		  "dstat.csv:8: warning: bad-row: 3 cells where the header has 6; row not used\n"
		  "dstat.csv:10:1: warning: bad-time: 'x' is no time, expected like 20-11 21:34:01; row not used\n" },
		/* another host, another clock */
		{ NOVEMBER CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01" ROW
		  "\"Host:\",\"node02\"\n" CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01" ROW,
		  SHARES "2026-11-20T21:34:00.000" VALUES "\n",
		  "dstat.csv:12: warning: bad-row: a row of another host in a log of 'node01'; not used (1 more like this)\n" },
		{ NOVEMBER CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01" ROW
		  "\"epoch\",\"total cpu usage\",\n\"epoch\",\"usr\",\"idl\"\n1795225849,1,99\n",
		  SHARES "2026-11-20T21:34:00.000" VALUES "\n",
		  "dstat.csv:11: warning: bad-row: a row with epoch in a log without; not used\n" },
		{ NOVEMBER CPU_HEADS "20-11 21:34:00" BOOT "20-11 21:34:01,300,-1,1e9,0x5,nan\n",
		  SHARES "2026-11-20T21:34:00.000 - - - - -\n",
		  "dstat.csv:8:16: warning: bad-number: '300' is no share of the CPU's time (4 more like this)\n" },
		{ "\"Dstat 0.7.3 CSV output\"\n\"Host:\",\n\"Cmdline:\",,\"Date:\",\n,,,\n\"a\",\"b\"\n"
		  "\"time\"\n\"x:\",\":y\",\"::\"\n5,5,5\n", "",
		  "dstat.csv: warning: no-rows: recognised as dstat, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(rows_begin_at_the_stamp_before), TEST(rows_that_do_not_fit_are_left_out), TEST(names_belong_to_their_groups),
		TEST(years_come_from_the_date),	      TEST(zones_are_believed_when_clear),
		TEST(knows_host_tool_and_what_it_does_not_read), TEST(leaves_out_what_it_can_not_use),
	};

	return cmocka_run_group_tests_name("dstat", tests, NULL, NULL);
}
