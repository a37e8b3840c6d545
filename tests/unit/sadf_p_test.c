/* sadf_p_test.c - sadf -p: a value a line becomes rows again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define LINE(key, name, value) "a\t1\t2026-11-21 01:48:35 UTC\t" key "\t" name "\t" value "\n"
#define LATER(key, name, value) "a\t1\t2026-11-21 01:48:36 UTC\t" key "\t" name "\t" value "\n"
#define CPU(key) LINE(key, "%user", "50.00") LINE(key, "%nice", "1.00") LINE(key, "%system", "2.50") LINE(key, "%iowait", "2.00") \
	LINE(key, "%steal", "3.00") LINE(key, "%idle", "41.50")
#define HOST "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "sadf_p.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_values_into_rows(void **state)
{
	static const struct log_case cases[] = {
		{ CPU("all") CPU("cpu0") CPU("cpu1") LINE("-", "runq-sz", "2") LINE("-", "ldavg-1", "1.25") LATER("-", "runq-sz", "3")
			LATER("-", "ldavg-1", "1.50"),
		  HOST " host.runq host.load\n2026-11-21T01:48:34.000 53.50 51.00 2.50 2.00 3.00 2 1.25\n"
		       "2026-11-21T01:48:35.000 - - - - - 3 1.50\n"
		       "core0: core.busy\n2026-11-21T01:48:34.000 53.50\ncore1: core.busy\n2026-11-21T01:48:34.000 53.50\n", "" },
		/* devices are added up */
		{ LINE("sda", "tps", "2.00") LINE("sda", "rkB/s", "10.00") LINE("sda", "wkB/s", "1.00") LINE("sda", "areq-sz", "1.00")
			LINE("sda", "await", "3.00") LINE("sda", "%util", "40.00") LINE("sda1", "tps", "2.00") LINE("sda1", "rkB/s", "10.00")
			LINE("sda1", "wkB/s", "1.00") LINE("sda1", "areq-sz", "1.00") LINE("sda1", "await", "3.00") LINE("sda1", "%util", "40.00")
			LINE("sdb", "tps", "6.00") LINE("sdb", "rkB/s", "5.00") LINE("sdb", "wkB/s", "2.00") LINE("sdb", "areq-sz", "1.00")
			LINE("sdb", "await", "7.00") LINE("sdb", "%util", "50.00"),
		  "host: host.disk_read host.disk_write host.disk_util host.disk_await\n2026-11-21T01:48:34.000 15.00 3.00 50.00 6.00\n", "" },
		{ LINE("lo", "rxkB/s", "9.00") LINE("lo", "txkB/s", "9.00") LINE("eth0", "rxkB/s", "1.50") LINE("eth0", "txkB/s", "2.50")
			LINE("ib0", "rxkB/s", "1.00") LINE("ib0", "txkB/s", "1.00"),
		  "host: host.net_rx host.net_tx\n2026-11-21T01:48:34.000 2.50 3.50\n", "" },
	};

	CHECK(*state, cases);
}

static void knows_the_zone(void **state)
{
	static const struct {
		const char *time;
		enum clock_basis basis;
	} cases[] = { { "2026-11-21 01:48:35 UTC", BASIS_OFFSET }, { "1795225715", BASIS_OFFSET }, { "2026-11-21 01:48:35", BASIS_LOCAL } };
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct recording *rec = read_text(logs, "sadf_p.txt", arena_print(&logs->mem, "a\t1\t%s\t-\trunq-sz\t2\n", cases[i].time));

		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_string_equal(shown(logs, rec, true), "host: host.runq\n2026-11-21T01:48:34.000 2\n");
		assert_string_equal(rec->host, "a");
	}
}

static void restarts_and_remarks_are_events(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "sadf_p.txt",
		"a\t-1\t2026-11-21 01:40:00 UTC\tLINUX-RESTART\t(8 CPU)\na\t-1\t2026-11-21 01:41:00 UTC\tCOM run A starts\n" LINE("-", "runq-sz", "2"));

	assert_int_equal(rec->n_events, 2);
	assert_string_equal(rec->events[0].text, "LINUX-RESTART (8 CPU)");
	assert_int_equal(rec->events[1].kind, EVENT_COMMENT);
	assert_string_equal(rec->events[1].text, "run A starts");
	assert_int_equal(rec->n_rows, 1);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		{ LINE("-", "runq-sz", "2") LINE("-", "ldavg-1", "x") LATER("-", "runq-sz", "3") "rubbish\n"
		  "a\t1\tyesterday\t-\trunq-sz\t4\n" "b\t1\t2026-11-21 01:48:37 UTC\t-\trunq-sz\t4\n" "a\t1\t2026-11-21 01:48:37 UTC\t-\trunq",
		  "host: host.runq\n2026-11-21T01:48:35.000 3\n",
		  "sadf_p.txt:2:39: warning: bad-number: 'x' in ldavg-1 is no number; row not used\n"
		  "sadf_p.txt:4: warning: bad-row: no host, interval, time, device, name and value with tabs between; not used (1 more like this)\n"
		  "sadf_p.txt:5:5: warning: bad-time: 'yesterday' is no time stamp, expected like 2026-11-21 01:48:34 UTC; row not used\n"
		  "sadf_p.txt:7: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
	};

	CHECK(*state, cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_values_into_rows, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_the_zone, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(restarts_and_remarks_are_events, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
