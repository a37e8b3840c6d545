/*
 * procstat_test.c - snapshots of /proc/stat and its neighbours: differences of counters, times before and behind, restarts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define SHARES "host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal"
#define NONE "procstat.txt: warning: no-rows: recognised as procstat, but no row could be used\n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "procstat.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void shares_are_differences(void **state)
{
	static const struct log_case cases[] = {
		/* user 30, nice 10, system 5, idle 40, iowait 5, irq 2, softirq 3, steal 5 of 100; guest is inside user */
		{ "ts 1795225849.936321149\n"
		  "cpu  1000 100 500 9000 50 10 20 30 7 0\n"
		  "ts 1795225850.936\n"
		  "cpu  1030 110 505 9040 55 12 23 35 27 0\n",
		  "host: " SHARES "\n2026-11-21T01:50:49.936 50.00 40.00 10.00 5.00 5.00\n", "" },
		/* every core by itself; the last snapshot has no interval */
		{ "1795225849\ncpu  0 0 0 0\ncpu0 0 0 0 0\ncpu1 0 0 0 0\n"
		  "1795225850\ncpu  100 0 0 100\ncpu0 100 0 0 0\ncpu1 0 0 0 100\n"
		  "1795225851\ncpu  100 0 50 250\ncpu0 100 0 0 100\ncpu1 0 0 50 150\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system\n2026-11-21T01:50:49.000 50.00 50.00 0.00\n"
		  "2026-11-21T01:50:50.000 25.00 0.00 25.00\n"
		  "core0: core.busy\n2026-11-21T01:50:49.000 100.00\n2026-11-21T01:50:50.000 0.00\n"
		  "core1: core.busy\n2026-11-21T01:50:49.000 0.00\n2026-11-21T01:50:50.000 50.00\n", "" },
		/* iowait fell: none of it passed */
		{ "ts 1795225849\ncpu  100 0 0 100 50 0 0 0\nts 1795225850\ncpu  150 0 0 150 40 0 0 0\n",
		  "host: " SHARES "\n2026-11-21T01:50:49.000 50.00 50.00 0.00 0.00 0.00\n", "" },
		/* nothing was counted: two reads in one tick */
		{ "ts 1795225849\ncpu  100 0 0 100\nprocs_running 1\nts 1795225849.001\ncpu  100 0 0 100\nprocs_running 2\n",
		  "host: host.runq\n2026-11-21T01:50:49.000 1\n2026-11-21T01:50:49.001 2\n", "" },
		/* a core that comes is known from its second snapshot on, one that goes until its last */
		{ "ts 1795225849\ncpu  0 0 0 0\ncpu0 0 0 0 0\nts 1795225850\ncpu  9 0 0 1\ncpu0 9 0 0 1\ncpu2 5 0 0 5\n"
		  "ts 1795225851\ncpu  18 0 0 2\ncpu2 9 0 0 11\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system\n2026-11-21T01:50:49.000 90.00 90.00 0.00\n"
		  "2026-11-21T01:50:50.000 90.00 90.00 0.00\n"
		  "core0: core.busy\n2026-11-21T01:50:49.000 90.00\n2026-11-21T01:50:50.000 -\n"
		  "core2: core.busy\n2026-11-21T01:50:50.000 40.00\n", "" },
	};

	CHECK(*state, cases);
}

static void gauges_are_of_their_moment(void **state)
{
	static const struct log_case cases[] = {
		{ "ts 1795225849\nprocs_running 11\nprocs_blocked 3\nMemTotal:       2048 kB\nMemFree:        512 kB\n"
		  "MemAvailable:   1536 kB\nBuffers: 1 kB\nSwapTotal: 4096 kB\nSwapFree: 1024 kB\n4.18 2.61 1.04 1/223 1358\n",
		  "host: host.runq host.blocked host.mem_free host.mem_available host.mem_used host.mem_total host.mem_share "
		  "host.swap_used host.load\n2026-11-21T01:50:49.000 11 3 0.500 1.500 0.500 2.000 25.000 3.000 4.18\n", "" },
		/* before Linux 3.14 */
		{ "ts 1795225849\nMemTotal:       10240 kB\nMemFree:        1024 kB\nBuffers: 1024 kB\nCached: 2048 kB\n"
		  "SwapCached: 7 kB\nSReclaimable: 1024 kB\n",
		  "host: host.mem_free host.mem_used host.mem_total host.mem_share\n"
		  "2026-11-21T01:50:49.000 1.000 5.000 10.000 50.000\n", "" },
		/* a cut line of memory is no number */
		{ "ts 1795225849\nMemTotal:       10240 kB\nMemFree:  \nMemAvailable:   x kB\n1.00 2.00 3.00 1/2 3\n",
		  "host: host.load\n2026-11-21T01:50:49.000 1.00\n", "" },
		/* impossible: more is available than there is */
		{ "ts 1795225849\nMemTotal:       1024 kB\nMemAvailable:   2048 kB\n",
		  "host: host.mem_available host.mem_used host.mem_total\n2026-11-21T01:50:49.000 2.000 - 1.000\n", "" },
	};

	CHECK(*state, cases);
}

#define HALF "cpu  50 0 0 50\n"
#define WHOLE "cpu  100 0 0 50\n"
#define HEAD "host: host.cpu.busy host.cpu.user host.cpu.system\n"

static void times_stand_before_or_behind(void **state)
{
	static const struct log_case cases[] = {
		{ "2026-11-21 01:50:49\n" HALF "2026-11-21 01:50:50\n" WHOLE,
		  HEAD "2026-11-21T01:50:49.000 100.00 100.00 0.00\n", "" },
		{ HALF "1795225849\n" WHOLE "1795225850\n",
		  HEAD "2026-11-21T01:50:49.000 100.00 100.00 0.00\n", "" },
		{ "Sat Nov 21 01:50:49 UTC 2026\n" HALF "Sat 21 Nov 2026 01:50:50 AM UTC\n" WHOLE,
		  HEAD "2026-11-21T01:50:49.000 100.00 100.00 0.00\n", "" },
		{ "2026-11-21T01:50:49+09:00\n" HALF "2026-11-21T01:50:50+09:00\n" WHOLE,
		  HEAD "2026-11-21T01:50:49.000 100.00 100.00 0.00\n", "" },
		/* two times for each snapshot: the first kind counts */
		{ "1795225849\n2026-11-20 20:50:49\n" HALF "1795225850\n2026-11-20 20:50:50\n" WHOLE,
		  HEAD "2026-11-21T01:50:49.000 100.00 100.00 0.00\n", "" },
		/* behind, and the last one is missing */
		{ HALF "1795225849\n" WHOLE "1795225850\n" WHOLE,
		  HEAD "2026-11-21T01:50:49.000 100.00 100.00 0.00\n", "" },
		/* none at all: counted from 0 */
		{ HALF WHOLE, HEAD "1970-01-01T00:00:00.000 100.00 100.00 0.00\n", "" },
		/* one was lost: that snapshot can't be placed */
		{ "ts 1795225849\n" HALF "cpu  60 0 0 50\nts 1795225851\n" WHOLE,
		  HEAD "2026-11-21T01:50:49.000 100.00 100.00 0.00\n",
		  "procstat.txt:3: warning: bad-row: a snapshot without a time of its own; not used\n" },
		/* one snapshot is no log */
		{ HALF "cpu0 50 0 0 50\n", "",
		  "procstat.txt: warning: no-rows: one snapshot of /proc/stat without a time; a log has one a second: `date +%s.%N; cat "
		  "/proc/stat`\n" },
		/* time stepped back: no interval, and the rows are put in order */
		{ "ts 1795225849\n" HALF "ts 1795225840\n" WHOLE "procs_running 1\n",
		  "host: host.runq\n2026-11-21T01:50:40.000 1\n2026-11-21T01:50:49.000 -\n",
		  "procstat.txt: warning: time-back: time steps back; the rows were put in order\n" },
		/* the rest of a snapshot whose head was cut off: cores, or what stands behind them */
		{ "cpu1 7 0 0 1\nMemTotal: 1024 kB\nts 1795225850\ncpu  100 0 0 100\nts 1795225851\ncpu  150 0 0 150\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system\n2026-11-21T01:50:50.000 50.00 50.00 0.00\n", "" },
		{ "procs_running 3\nMemTotal: 1024 kB\nts 1795225850\ncpu  100 0 0 100\nts 1795225851\ncpu  150 0 0 150\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system\n2026-11-21T01:50:50.000 50.00 50.00 0.00\n", "" },
		/* of memory alone there is no such line */
		{ "MemTotal: 2048 kB\nMemAvailable: 1024 kB\n1795225850\nMemTotal: 2048 kB\nMemAvailable: 2048 kB\n1795225851\n"
		  "MemTotal: 2048 kB\nMemAvailable: 0 kB\n1795225852\n",
		  "host: host.mem_available host.mem_used host.mem_total host.mem_share\n2026-11-21T01:50:50.000 1.000 1.000 2.000 50.000\n"
		  "2026-11-21T01:50:51.000 2.000 0.000 2.000 0.000\n2026-11-21T01:50:52.000 0.000 2.000 2.000 100.000\n", "" },
	};

	CHECK(*state, cases);
}

static void a_restart_is_an_event(void **state)
{
	static const struct {
		const char *log;
		bool is_restart;
		time_ms t;
	} cases[] = {
		{ "ts 1795225849\ncpu  500 0 0 500\nts 1795225949\ncpu  20 0 0 600\n", true, 1795225949000 },
		{ "ts 1795225849\ncpu  500 0 0 500\nprocesses 900\nts 1795225949\ncpu  600 0 0 600\nprocesses 50\n", true, 1795225949000 },
		/* so long ago that all counters have overtaken */
		{ "ts 1795225849\ncpu  500 0 0 500\nbtime 1795220000\nts 1795325849\ncpu  900 0 0 900\n"
		  "btime 1795225900\n", true, 1795325849000 },
		/* a clock that was set moves the time of the boot a little */
		{ "ts 1795225849\ncpu  500 0 0 500\nbtime 1795220000\nts 1795225850\ncpu  550 0 0 550\nbtime 1795220003\n", false, 0 },
		{ "ts 1795225849\ncpu  500 0 0 500 9\nts 1795225850\ncpu  550 0 0 499 0\n", false, 0 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = read_text(logs, "procstat.txt", cases[i].log);
		bool has_busy = false;

		assert_non_null(rec);
		assert_int_equal(rec->n_events, cases[i].is_restart);
		for (size_t k = 0; k < rec->channels[0].n_columns; k++)
			has_busy |= rec->channels[0].columns[k].metric == METRIC_CPU_BUSY;
		assert_int_equal(has_busy, !cases[i].is_restart);
		if (!cases[i].is_restart)
			continue;
		assert_int_equal(rec->events[0].kind, EVENT_RESTART);
		assert_string_equal(rec->events[0].text, "the counters of /proc/stat begin anew");
		assert_int_equal(rec->events[0].t, cases[i].t);
	}
	assert_string_equal(take_complaints(logs), "");
}

static void hostile_and_cut_logs(void **state)
{
	static const struct log_case cases[] = {
		/* cut inside a number */
		{ "ts 1795225849\n" HALF "ts 1795225850\n" WHOLE "ts 1795225851\ncpu  9",
		  HEAD "2026-11-21T01:50:49.000 100.00 100.00 0.00\n",
		  "procstat.txt:6: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		/* numbers that no counter reaches, and lines that only look like it */
		{ "ts 1795225849\n" HALF "cpu99999999 1 2 3 4\ncpu1 9999999999999999999 0 0 0\ncpu2 -1 0 0 0\nprocs_running 99999999\n"
		  "cpuset 1 2 3 4\ncpu 1 2\n1.00 2.00\n",
		  "host: host.runq\n2026-11-21T01:50:49.000 -\n", "" },
		{ "cpu  99 1 2 3\nts 18446744073709551615\nts 12\nts\n", "",
		  "procstat.txt: warning: no-rows: one snapshot of /proc/stat without a time; a log has one a second: `date +%s.%N; cat "
		  "/proc/stat`\n" },
		{ "cpu  1 2 3 4\nts 1795225849\ncpu  1 2 3\nMemTotal: 5 kB\n", "", NONE },
	};

	CHECK(*state, cases);
}

static void zones_are_believed_when_clear(void **state)
{
	static const struct {
		const char *log;
		enum clock_basis basis;
		time_ms offset;
		bool time_unknown;
	} cases[] = {
		{ "ts 1795225849\n" HALF "ts 1795225850\n" WHOLE, BASIS_OFFSET, 0, false },
		{ "2026-11-21 01:50:49\n" HALF "2026-11-21 01:50:50\n" WHOLE, BASIS_LOCAL, 0, false },
		{ "2026-11-21T01:50:49+09:00\n" HALF "2026-11-21T01:50:50+09:00\n" WHOLE, BASIS_OFFSET, 9 * HOUR_MS, false },
		{ "Sat Nov 21 01:50:49 EST 2026\n" HALF "Sat Nov 21 01:50:50 EST 2026\n" WHOLE, BASIS_LOCAL, 0, false },
		{ "Sat Nov 21 01:50:49 UTC 2026\n" HALF "Sat Nov 21 01:50:50 UTC 2026\n" WHOLE, BASIS_OFFSET, 0, false },
		{ HALF WHOLE, BASIS_LOCAL, 0, true },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = read_text(*state, "procstat.txt", cases[i].log);

		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_int_equal(rec->clock.offset, cases[i].offset);
		assert_int_equal(rec->clock.time_unknown, cases[i].time_unknown);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(shares_are_differences), TEST(gauges_are_of_their_moment), TEST(times_stand_before_or_behind),
		TEST(a_restart_is_an_event),  TEST(hostile_and_cut_logs),	TEST(zones_are_believed_when_clear),
	};

	return cmocka_run_group_tests_name("procstat", tests, NULL, NULL);
}
