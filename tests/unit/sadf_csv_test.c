/*
 * sadf_csv_test.c - sadf -d: sections with heads of their own, three kinds of time, restarts, hosts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define TAGS "# hostname;interval;timestamp;"
#define CPU TAGS "CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
#define ALL ";-1;50.00;1.00;2.50;2.00;3.00;41.50\n"
#define QUEUE TAGS "runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked\n"
#define NET TAGS "IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s\n"
#define HOST "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
#define VALUES " 53.50 51.00 2.50 2.00 3.00\n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "sadf.csv", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_sections_into_rows(void **state)
{
	static const struct log_case cases[] = {
		{ CPU "a;1;2026-11-21 01:48:35 UTC" ALL "a;1;2026-11-21 01:48:36 UTC" ALL,
		  HOST "2026-11-21T01:48:34.000" VALUES "2026-11-21T01:48:35.000" VALUES, "" },
		{ CPU "a;1;2026-11-21 01:48:35 UTC" ALL "a;1;2026-11-21 01:48:35 UTC;0;99.00;0.00;1.00;0.00;0.00;0.00\n"
		  QUEUE "a;1;2026-11-21 01:48:35 UTC;2;434;1.12;0.87;0.50;1\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.runq host.blocked host.load\n"
		  "2026-11-21T01:48:34.000 53.50 51.00 2.50 2.00 3.00 2 1 1.12\n"
		  "core0: core.busy\n2026-11-21T01:48:34.000 100.00\n", "" },
		{ NET "a;1;2026-11-21 01:48:35 UTC;lo;1;1;9.00;9.00\na;1;2026-11-21 01:48:35 UTC;eth0;1;1;10.50;2.00\n"
		  "a;1;2026-11-21 01:48:35 UTC;ib0;1;1;100.00;4.00\n",
		  "host: host.net_rx host.net_tx\n2026-11-21T01:48:34.000 110.50 6.00\n", "" },
		/* restarts and comments, also before the first head; what has no metric */
		{ "a;-1;2026-11-21 01:00:00 UTC;LINUX-RESTART\t(8 CPU)\n" CPU "a;60;2026-11-21 01:48:00 UTC" ALL
		  "a;-1;2026-11-21 01:48:35 UTC;COM run A starts\n" TAGS "proc/s;cswch/s\na;60;2026-11-21 01:48:00 UTC;1.00;2.00\n",
		  HOST "2026-11-21T01:47:00.000" VALUES, "" },
	};

	CHECK(*state, cases);
}

static void knows_the_zone(void **state)
{
	static const struct {
		const char *time;
		enum clock_basis basis;
		const char *zone;
	} cases[] = {
		{ "2026-11-21 01:48:35 UTC", BASIS_OFFSET, "UTC" },
		{ "1795225715", BASIS_OFFSET, "epoch seconds" },
		{ "2026-11-21 01:48:35", BASIS_LOCAL, NULL }, /* -T */
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct recording *rec = read_text(logs, "sadf.csv", arena_print(&logs->mem, "%sa;1;%s%s", CPU, cases[i].time, ALL));

		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_int_equal(rec->clock.offset, 0);
		assert_int_equal(rec->clock.zone != NULL, cases[i].zone != NULL);
		if (cases[i].zone)
			assert_string_equal(rec->clock.zone, cases[i].zone);
		assert_string_equal(shown(logs, rec, true), HOST "2026-11-21T01:48:34.000" VALUES);
		assert_string_equal(take_complaints(logs), "");
	}
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		{ CPU "a;1;2026-11-21 01:48:35 UTC" ALL "a;1;yesterday" ALL "a;1;2026-11-21 01:48:36 UTC;-1;50.00\nrubbish\n"
		  "a;1;2026-11-21 01:48:36 UTC;-1;50.00;x;2.50;2.00;3.00;41.50\n",
		  HOST "2026-11-21T01:48:34.000" VALUES,
		  "sadf.csv:3:5: warning: bad-time: 'yesterday' is no time stamp, expected like 2026-11-21 01:48:34 UTC; row not used\n"
		  "sadf.csv:4: warning: bad-row: 2 numbers where the header has 7; row not used (1 more like this)\n"
		  "sadf.csv:6:38: warning: bad-number: 'x' in %nice is no share; row not used\n" },
		{ CPU "a;1;2026-11-21 01:48:35 UTC" ALL "b;1;2026-11-21 01:48:36 UTC" ALL, HOST "2026-11-21T01:48:34.000" VALUES,
		  "sadf.csv:3:1: warning: bad-row: a row of 'b' in a log of 'a'; not used\n" },
		{ CPU "a;1;2026-11-21 01:48:35 UTC" ALL "a;1;2026-11-21 01:48:36 UTC;-1;50.0", HOST "2026-11-21T01:48:34.000" VALUES,
		  "sadf.csv:3: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
	};

	CHECK(*state, cases);
}

/* -h: the cells of all devices of a time in one line. */
static void unfolds_devices(void **state)
{
	static const struct log_case cases[] = {
		{ TAGS "CPU;%user;%nice;%system;%iowait;%steal;%idle[...]\n"
		  "a;1;2026-11-21 01:48:35 UTC;-1;74.00;0.00;20.00;0.50;0.00;5.50;0;81.63;0.00;16.33;0.00;0.00;2.04\n",
		  HOST "2026-11-21T01:48:34.000 94.00 74.00 20.00 0.50 0.00\ncore0: core.busy\n2026-11-21T01:48:34.000 97.96\n", "" },
		/* between sections without devices */
		{ TAGS "runq-sz;ldavg-1;DEV;tps;rkB/s;wkB/s;%util[...];kbmemfree;kbavail\n"
		  "a;1;2026-11-21 01:48:35 UTC;3;1.25;sda;1;10.00;20.00;5.00;sdb;1;1.00;2.00;7.00;1024;2048\n"
		  "a;1;2026-11-21 01:48:36 UTC;LINUX-RESTART\t(8 CPU)\n"
		  "a;1;2026-11-21 01:48:37 UTC;4;1.50;sda;1;3.00;4.00;6.00;1024;2048\n",
		  "host: host.runq host.mem_free host.mem_available host.disk_read host.disk_write host.disk_util host.load\n"
		  "2026-11-21T01:48:34.000 3 1.00 2.00 11.00 22.00 7.00 1.25\n2026-11-21T01:48:35.000 4 1.00 2.00 3.00 4.00 6.00 1.50\n",
		  "" },
		{ TAGS "CPU;%user;%idle[...]\na;1;2026-11-21 01:48:35 UTC;-1;74.00;5.50;0\n", "",
		  "sadf.csv:2: warning: bad-row: 4 cells, which are no whole number of devices; row not used\n"
		  "sadf.csv: warning: no-rows: recognised as sadf-csv, but no row could be used\n" },
		{ TAGS "CPU;%user;%iowait;%idle[...];DEV;tps;rkB/s[...]\na;1;2026-11-21 01:48:35 UTC;-1;74.00;0;5.50;sda;1;2\n", "",
		  "sadf.csv:1: warning: bad-row: several groups of devices in a line, whose ends can't be told; print it without sadf's -h\n"
		  "sadf.csv: warning: no-rows: recognised as sadf-csv, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

static void restarts_and_remarks_are_events(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "sadf.csv",
		"a;-1;2026-11-21 01:40:00 UTC;LINUX-RESTART\t(8 CPU)\n" CPU "a;1;2026-11-21 01:48:35 UTC" ALL
		"a;-1;2026-11-21 01:50:00 UTC;COM run A starts\na;-1;2026-11-21 01:40:00 UTC;LINUX-RESTART\t(8 CPU)\n");

	assert_int_equal(rec->n_events, 2);
	assert_int_equal(rec->events[0].kind, EVENT_RESTART);
	assert_string_equal(time_iso(&logs->mem, rec->events[0].t), "2026-11-21T01:40:00.000Z");
	assert_string_equal(rec->events[0].text, "LINUX-RESTART (8 CPU)");
	assert_int_equal(rec->events[1].kind, EVENT_COMMENT);
	assert_string_equal(rec->events[1].text, "run A starts");
	assert_string_equal(take_complaints(logs), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_sections_into_rows, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_the_zone, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(unfolds_devices, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(restarts_and_remarks_are_events, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
