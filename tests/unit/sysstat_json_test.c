/*
 * sysstat_json_test.c - mpstat, iostat and pidstat with -o JSON: clocks of all locales, averages since boot, tasks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define HOST(name, date) "{\"sysstat\": {\n\"hosts\": [\n{\n\"nodename\": \"" name "\",\n\"date\": \"" date "\",\n\"statistics\": [\n"
#define BEGIN HOST("a", "11/21/26")
#define END "]\n}\n]\n}}\n"
#define CPU "\"cpu-load\": [{\"cpu\": \"all\", \"usr\": 50.00, \"nice\": 1.00, \"sys\": 2.00, \"iowait\": 2.00, \"irq\": 0.25, " \
	"\"soft\": 0.25, " \
	"\"steal\": 3.00, \"guest\": 0.00, \"gnice\": 0.00, \"idle\": 41.50}]"
#define POLL(time) "{\n\"timestamp\": \"" time "\",\n" CPU "\n}"
#define SHOWN_HOST "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
#define VALUES " 53.50 51.00 2.50 2.00 3.00\n"
#define AVERAGE(user) "\"avg-cpu\":  {\"user\": " user ", \"nice\": 0.00, \"system\": 10.00, \"iowait\": 0.50, \"steal\": 0.00, " \
	"\"idle\": 49.50}"
#define DISKS(read) "\"disk\": [{\"disk_device\": \"sda\", \"rkB/s\": " read ", \"wkB/s\": 2.00}, {\"disk_device\": \"sdb\", " \
	"\"rkB/s\": 0.50, \"wkB/s\": 0.00}]"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "m.json", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_mpstat(void **state)
{
	static const struct log_case cases[] = {
		{ BEGIN POLL("21:33:56") ",\n" POLL("21:33:57") "\n" END,
		  SHOWN_HOST "2026-11-21T21:33:55.000" VALUES "2026-11-21T21:33:56.000" VALUES, "" },
		/* -P ALL of 12.0, where -1 is all; nodes and interrupts are passed over */
		{ BEGIN "{\"timestamp\": \"21:33:56\", \"cpu-load\": [{\"cpu\": \"-1\", \"usr\": 50.00, \"nice\": 0.00, "
		  "\"sys\": 0.00, \"iowait\": 0.00, "
		  "\"steal\": 0.00, \"idle\": 50.00},\n{\"cpu\": \"0\", \"usr\": 100.00, \"nice\": 0.00, \"sys\": 0.00, \"iowait\": 0.00, "
		  "\"steal\": 0.00, \"idle\": 0.00}],\n\"node-load\": [{\"node\": \"all\", \"usr\": 1.00, \"idle\": 99.00, "
		  "\"iowait\": 0.00}],\n"
		  "\"sum-interrupts\": [{\"cpu\": \"all\", \"intr\": 274.77}],\n"
		  "\"individual-interrupts\": [{\"cpu\": \"0\", \"intr\": [{\"name\": \"0\", \"value\": 0.00}]}]}" END,
		  SHOWN_HOST "2026-11-21T21:33:56.000 50.00 50.00 0.00 0.00 0.00\ncore0: core.busy\n2026-11-21T21:33:56.000 100.00\n", "" },
		/* a dozen hours, and over midnight */
		{ BEGIN POLL("11:59:59 PM") ",\n" POLL("12:00:00 AM") ",\n" POLL("12:00:01 AM") "\n" END,
		  SHOWN_HOST "2026-11-21T23:59:58.000" VALUES "2026-11-21T23:59:59.000" VALUES "2026-11-22T00:00:00.000" VALUES, "" },
		/* one call after the other */
		{ BEGIN POLL("21:33:56") END HOST("a", "11/22/26") POLL("08:00:00") END,
		  SHOWN_HOST "2026-11-21T11:07:52.000" VALUES "2026-11-21T21:33:56.000" VALUES, "" },
	};

	CHECK(*state, cases);
}

static void knows_the_clock(void **state)
{
	static const struct {
		const char *date, *time, *shown;
		enum clock_basis basis;
		bool ambiguous, date_unknown;
	} cases[] = {
		{ "11/21/26", "21:33:56", "2026-11-21T21:33:56.000", BASIS_LOCAL, false, false },
		{ "06/01/26", "21:33:56", "2026-06-01T21:33:56.000", BASIS_LOCAL, true, false },
		{ "2026-11-21", "21:33:56", "2026-11-21T21:33:56.000", BASIS_LOCAL, false, false },
		{ "21.11.2026", "21:33:56", "2026-11-21T21:33:56.000", BASIS_LOCAL, false, false },
		{ "11/21/2026", "09:33:56 PM", "2026-11-21T21:33:56.000", BASIS_LOCAL, false, false },
		{ "2026\xE5\xB9\xB4" "11\xE6\x9C\x88" "21\xE6\x97\xA5", "21\xE6\x99\x82" "33\xE5\x88\x86" "56\xE7\xA7\x92",
		  "2026-11-21T21:33:56.000", BASIS_LOCAL, false, false },
		/* of iostat -t */
		{ "11/21/26", "11/21/26 21:33:56", "2026-11-21T21:33:56.000", BASIS_LOCAL, false, false },
		{ "11/21/2026", "11/21/2026 09:33:56 PM", "2026-11-21T21:33:56.000", BASIS_LOCAL, false, false },
		{ "2026-11-21", "2026-11-21T21:33:56-0500", "2026-11-21T21:33:56.000", BASIS_OFFSET, false, false },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct recording *rec = read_text(logs, "m.json",
			arena_print(&logs->mem, HOST("a", "%s") "{\n\"timestamp\": \"%s\", %s}" END, cases[i].date, cases[i].time, CPU));

		assert_string_equal(take_complaints(logs), "");
		assert_string_equal(shown(logs, rec, true), arena_print(&logs->mem, "%s%s%s", SHOWN_HOST, cases[i].shown, VALUES));
		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_int_equal(rec->clock.offset, cases[i].basis == BASIS_OFFSET ? -5 * HOUR_MS : 0);
		assert_int_equal(rec->clock.date_ambiguous, cases[i].ambiguous);
		assert_int_equal(rec->clock.date_unknown, cases[i].date_unknown);
	}
}

static void reads_iostat(void **state)
{
	static const struct log_case cases[] = {
		/* the average since boot is left out; its time begins the first interval */
		{ BEGIN "{\"timestamp\": \"11/21/26 21:33:50\", " AVERAGE("10.00") ", "
		  DISKS("900.00") "},\n{\"timestamp\": \"11/21/26 21:33:56\", "
		  AVERAGE("40.00") ", " DISKS("1.00") "},\n{\"timestamp\": \"11/21/26 21:33:58\", " AVERAGE("40.00") ", "
		  DISKS("3.00") "}" END,
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.disk_read host.disk_write\n"
		  "2026-11-21T21:33:50.000 50.00 40.00 10.00 0.50 0.00 1.50 2.00\n"
		  "2026-11-21T21:33:56.000 50.00 40.00 10.00 0.50 0.00 3.50 2.00\n", "" },
		/* of each call; without -x; a comma before the first one, as 11.6 with -y */
		{ BEGIN ",\n{\"timestamp\": \"21:00:00\", \"disk\": [{\"disk_device\": \"sda\", \"tps\": 1.00, \"kB_read/s\": 5.00, "
		  "\"kB_wrtn/s\": 6.00}]},\n"
		  "{\"timestamp\": \"21:00:01\", \"disk\": [{\"disk_device\": \"sda\", \"tps\": 1.00, \"kB_read/s\": 7.00, "
		  "\"kB_wrtn/s\": 8.00}]}" END
		  HOST("a", "11/21/26") "{\"timestamp\": \"22:00:00\", \"disk\": [{\"disk_device\": \"sda\", \"tps\": 1.00, "
		  "\"kB_read/s\": 5.00, "
		  "\"kB_wrtn/s\": 6.00}]}" END,
		  "host: host.disk_read host.disk_write\n2026-11-21T21:00:00.000 7.00 8.00\n", "" },
		/* daylight saving ends: the offset changes, time goes on */
		{ HOST("a", "2026-11-01") "{\"timestamp\": \"2026-11-01T01:59:58-0400\", " AVERAGE("10.00") "},\n"
		  "{\"timestamp\": \"2026-11-01T01:59:59-0400\", "
		  AVERAGE("40.00") "},\n{\"timestamp\": \"2026-11-01T01:00:00-0500\", " AVERAGE("41.00") "}" END,
		  SHOWN_HOST "2026-11-01T01:59:58.000 50.00 40.00 10.00 0.50 0.00\n2026-11-01T01:59:59.000 50.00 41.00 10.00 "
		  "0.50 0.00\n", "" },
		{ BEGIN "{" AVERAGE("10.00") "}" END, "",
		  "m.json: warning: no-rows: nothing but averages since boot, as the first report of iostat is; log with "
		  "iostat -xt -o JSON N, which goes on\n" },
	};

	CHECK(*state, cases);
}

static void counts_polls_without_times(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "m.json",
		BEGIN "{" AVERAGE("10.00") "},\n{" AVERAGE("40.00") "},\n{\"timestamp\": \"21:33:56\", " AVERAGE("40.00") "},\n{"
			AVERAGE("41.00") "}" END);

	assert_string_equal(shown(logs, rec, true), SHOWN_HOST "1970-01-01T00:00:00.000 50.00 40.00 10.00 0.50 0.00\n"
						    "1970-01-01T00:00:01.000 50.00 41.00 10.00 0.50 0.00\n");
	assert_true(rec->clock.time_unknown);
	assert_false(rec->clock.date_unknown);
	assert_int_equal(rec->n_rows_bad, 1);
	assert_string_equal(take_complaints(logs),
		"m.json:9:15: warning: bad-time: a time in a log that began without times; poll not used\n");
}

#define TASK(tid, cpu) "{\"UID\": \"0\", \"TGID\": \"7\", \"TID\": \"" tid "\", \"usr\": 0.12, \"cpu\": " cpu ", \"cmd\": \"a\"}"

static void adds_up_processes(void **state)
{
	static const struct log_case cases[] = {
		{ BEGIN "{\"timestamp\": \"21:33:56\", \"task-cpu-load\": [" TASK("", "150.25") ", " TASK("7", "99.00") ", "
		  TASK("8", "51.25") ", "
		  TASK("", "10.50") "]},\n{\"timestamp\": \"21:33:57\", \"task-cpu-load\": [\n]}" END,
		  "host: host.proc.cpu host.proc.cpu_most\n2026-11-21T21:33:55.000 "
		  "160.75 150.25\n2026-11-21T21:33:56.000 0.00 0.00\n", "" },
		{ BEGIN "{\"timestamp\": \"21:33:56\", \"task-cpu-load\": [{\"PID\": \"7\", \"cpu\": 1.25}]},\n"
		  "{\"timestamp\": \"21:33:57\", \"task-cpu-load\": [{\"PID\": \"7\", \"cpu\": \"x\"}]},\n"
		  "{\"timestamp\": \"21:33:58\", \"task-memory\": [{\"PID\": \"7\", \"VSZ\": 5}]}" END,
		  "host: host.proc.cpu host.proc.cpu_most\n2026-11-21T21:33:56.000 1.25 1.25\n",
		  "m.json:8:65: warning: bad-number: 'x' in cpu is no share; poll not used\n" },
	};

	CHECK(*state, cases);
}

#define CUT "note: cut-row: the file ends inside a document, as when a logger is killed; its last record is used only if it is whole\n"

static void uses_what_is_whole_and_tells_the_rest(void **state)
{
	static const struct log_case cases[] = {
		{ BEGIN POLL("21:33:56") ",\n" POLL("21:33:57"), SHOWN_HOST "2026-11-21T21:33:55.000"
		  VALUES "2026-11-21T21:33:56.000" VALUES,
		  "m.json:14: " CUT },
		{ BEGIN POLL("21:33:56") ",\n{\n\"timestamp\": \"21:33:5", SHOWN_HOST "2026-11-21T21:33:56.000" VALUES, "m.json:12: " CUT },
		{ BEGIN POLL("noon") ",\n" POLL("21:33:57") END, SHOWN_HOST "2026-11-21T21:33:57.000" VALUES,
		  "m.json:8:14: warning: bad-time: 'noon' is no time, expected like 21:33:56; poll not used\n" },
		{ HOST("a", "today") POLL("21:33:57") END, SHOWN_HOST "1970-01-01T21:33:57.000" VALUES,
		  "m.json:5:9: warning: bad-time: 'today' is no date\n" },
		{ BEGIN POLL("21:33:56") END HOST("b", "11/21/26") POLL("21:33:57") END, SHOWN_HOST "2026-11-21T21:33:56.000" VALUES,
		  "m.json:20:1: warning: bad-row: a record of 'b' in a log of 'a'; not used\n" },
		{ BEGIN POLL("2026-11-21T21:33:56-0500") "," POLL("21:33:57") END, SHOWN_HOST "2026-11-21T21:33:56.000" VALUES,
		  "m.json:11:14: warning: bad-time: '21:33:57' is no time, expected like 2026-11-20T21:33:56-0500; poll not used\n" },
		/* 11.6 with -P ON forgot the heads of a poll */
		{ BEGIN "{\"cpu\": \"all\", \"usr\": 2.23, \"iowait\": 0.18, \"idle\": 95.97},\n{\"cpu\": \"0\", "
		  "\"usr\": 2.20}\n]\n}\n]\n}\n]\n}}\n", "",
		  "m.json:13:1: warning: json-syntax: ']' where a key is expected; what follows up to the next document is not used\n"
		  "m.json: warning: no-rows: recognised as sysstat-json, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_mpstat, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_the_clock, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_iostat, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_polls_without_times, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(adds_up_processes, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(uses_what_is_whole_and_tells_the_rest, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
