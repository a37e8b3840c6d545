/*
 * collectl_test.c - collectl -P: heads with subsystems, separators, epochs, cores, files with remarks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define CPU "[CPU]User% [CPU]Nice% [CPU]Sys% [CPU]Wait% [CPU]Irq% [CPU]Soft% [CPU]Steal% [CPU]Idle% [CPU]Totl%"
#define SHARES "host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal"
#define ROW " 30 5 10 4 1 2 3 45 48"
#define VALUES " 48 35 13 4 3"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "collectl.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_every_time_and_separator(void **state)
{
	static const struct log_case cases[] = {
		{ "waiting for 1 second sample...\n#Date Time " CPU "\n20261120 21:34:02" ROW "\n20261120 21:34:03" ROW "\n",
		  "host: " SHARES "\n2026-11-20T21:34:01.000" VALUES "\n2026-11-20T21:34:02.000" VALUES "\n", "" },
		{ "#Date,Time,[CPU]User%,[CPU]Idle%\n20261120,21:34:02.001,10,90\n20261120,21:34:03.003,20,80\n",
		  "host: host.cpu.busy host.cpu.user\n2026-11-20T21:34:00.999 10 10\n2026-11-20T21:34:02.001 20 20\n", "" },
		{ "#UTC [CPU]User% [CPU]Idle%\n1795228460 10 90\n1795228461.5 20 80\n",
		  "host: host.cpu.busy host.cpu.user\n2026-11-21T02:34:18.500 10 10\n2026-11-21T02:34:20.000 20 20\n", "" },
		{ "#UTC;[CPU]User%;[CPU]Idle%\n1795228460;10;90\n",
		  "host: host.cpu.busy host.cpu.user\n2026-11-21T02:34:20.000 10 10\n", "" },
		/* started again, with other columns */
		{ "#Date Time [CPU]User% [CPU]Idle%\n20261120 21:34:02 1 99\nOuch!\n#Date Time [CPU]Idle%\n20261120 21:34:03 75\n",
		  "host: host.cpu.busy host.cpu.user\n2026-11-20T21:34:01.000 1 1\n2026-11-20T21:34:02.000 25 -\n", "" },
	};

	CHECK(*state, cases);
}

static void reads_every_subsystem(void **state)
{
	static const struct log_case cases[] = {
		/* memory that programs hold: 10240 - 1024 - 1024 - 2048 - (2048 - 1024) */
		{ "#Date Time [CPU]L-Avg1 [CPU]L-Avg5 [CPU]RunTot [CPU]BlkTot [MEM]Tot [MEM]Used [MEM]Free [MEM]Buf [MEM]Cached [MEM]Slab "
		  "[MEM]SwapUsed [MEM]SUnreclaim [NET]RxKBTot [NET]TxKBTot [DSK]ReadKBTot [DSK]WriteKBTot\n"
		  "20261120 21:34:02 1.25 2 3 1 10240 9216 1024 1024 2048 2048 512 1024 11 12 13 14\n",
		  "host: host.runq host.blocked host.mem_free host.mem_used host.mem_total host.mem_share host.swap_used host.disk_read "
		  "host.disk_write host.load host.net_rx host.net_tx\n"
		  "2026-11-20T21:34:02.000 3 1 1 5.000 10.000 50.000 0 13 14 1.25 11 12\n",
		  "" },
		/* cores only: all of them, so their mean is the host */
		{ "#Date Time [CPU:0]User% [CPU:0]Sys% [CPU:0]Wait% [CPU:0]Idle% [CPU:1]User% [CPU:1]Sys% [CPU:1]Wait% [CPU:1]Idle%\n"
		  "20261120 21:34:02 95 5 0 0 5 0 5 90\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait\n2026-11-20T21:34:02.000 52 50 2 2\n"
		  "core0: core.busy\n2026-11-20T21:34:02.000 100\ncore1: core.busy\n2026-11-20T21:34:02.000 5\n", "" },
		/* one is offline */
		{ "#Date Time [CPU:0]User% [CPU:0]Sys% [CPU:0]Wait% [CPU:0]Idle% [CPU:1]User% [CPU:1]Sys% [CPU:1]Wait% [CPU:1]Idle%\n"
		  "20261120 21:34:02 0 0 0 0 5 0 5 90\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait\n2026-11-20T21:34:02.000 5 5 0 5\n"
		  "core0:\n2026-11-20T21:34:02.000\ncore1: core.busy\n2026-11-20T21:34:02.000 5\n", "" },
	};

	CHECK(*state, cases);
}

static void remarks_name_host_and_zone(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "node01.tab",
		"################################################################################\n"
		"# Collectl:   V4.3.1-1  HiRes: 1  Options: -sc -P\n# Host:       node01  DaemonOpts: \n"
		"# Date:       20261120-213400  Secs: 1795228440 TZ: -0500\n"
		"################################################################################\n"
		"#Date Time [CPU]Idle% [CPU]Totl%\n20261120 21:34:02 90 10\n");

	assert_string_equal(take_complaints(logs), "");
	assert_string_equal(rec->host, "node01");
	assert_string_equal(rec->tool, "collectl V4.3.1-1");
	assert_int_equal(rec->clock.basis, BASIS_OFFSET);
	assert_int_equal(rec->clock.offset, -5 * HOUR_MS);
	assert_int_equal(rec->n_unread, 1);
	assert_string_equal(rec->unread[0], "[CPU]Totl%");

	rec = read_text(logs, "a.txt", "#Date Time [CPU]Idle%\n20261120 21:34:02 90\n");
	assert_int_equal(rec->clock.basis, BASIS_LOCAL);
	rec = read_text(logs, "b.txt", "#UTC [CPU]Idle%\n1795228460 90\n");
	assert_int_equal(rec->clock.basis, BASIS_OFFSET);
	assert_int_equal(rec->clock.offset, 0);
}

#define HEAD "#Date Time [CPU]User% [CPU]Idle%\n"
#define FIRST "20261120 21:34:02 10 90\n"
#define SHOWN "host: host.cpu.busy host.cpu.user\n2026-11-20T21:34:02.000 10 10\n"

static void leaves_out_what_it_can_not_use(void **state)
{
	static const struct log_case cases[] = {
		{ HEAD FIRST "20261120 21:34:03 1", SHOWN,
		  "collectl.txt:3: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		{ HEAD FIRST "20261120 21:34:03 1\n20261320 21:34:04 1 2\n1795228460 1 2\n", SHOWN,
		  "collectl.txt:3: warning: bad-row: 1 values where the header has 2; row not used\n"
		  "collectl.txt:4:1: warning: bad-time: '20261320' begins no row, expected like 20261120 21:34:02; row not used "
		  "(1 more like this)\n" },
		/* a share that is none, and one a little over the top */
		{ HEAD FIRST "20261120 21:34:03 x 90\n20261120 21:34:04 101 0\n20261120 21:34:05 5 999\n",
		  "host: host.cpu.busy host.cpu.user\n2026-11-20T21:34:01.000 10 10\n2026-11-20T21:34:02.000 10 -\n"
		  "2026-11-20T21:34:03.000 100 100\n2026-11-20T21:34:04.000 - 5\n",
		  "collectl.txt:3:19: warning: bad-number: 'x' is no share of the CPU's time (1 more like this)\n" },
		{ HEAD, "", "collectl.txt: warning: no-rows: recognised as collectl, but no row could be used\n" },
		{ "waiting for 1 second sample...\n#         <--------CPU-------->\n#Time     cpu sys inter  ctxsw \n"
		  "21:34:15   59   6  1354   1353 \n",
		  "", "collectl.txt: error: no-time: what collectl prints for the eye has no date; log with collectl -P\n" },
		{ "#Date[]\n#Date Time []\n#UTC\t[CPU:70000]Idle% [CPU:]Idle% [CPU\n"
		  "1795228460\n5\n20261120 21:34:02 1\n# TZ: # Host:\n", "",
		  "collectl.txt:4: warning: bad-row: 0 values where the header has 1; row not used\n"
		  "collectl.txt:5:1: warning: bad-time: '5' begins no row, expected like 1795228460; row not used (1 more like this)\n"
		  "collectl.txt: warning: no-rows: recognised as collectl, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(reads_every_time_and_separator), TEST(reads_every_subsystem), TEST(remarks_name_host_and_zone),
		TEST(leaves_out_what_it_can_not_use),
	};

	return cmocka_run_group_tests_name("collectl", tests, NULL, NULL);
}
