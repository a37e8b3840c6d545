/*
 * sadf_json_test.c - sadf -j: every section tells what sadf -d tells of it; zones, restarts, hosts, cuts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define HOST(name) "{\"sysstat\": {\n\"hosts\": [\n{\n\"nodename\": \"" name "\",\n\"file-date\": \"2026-11-21\",\n"
#define BEGIN HOST("a") "\"statistics\": [\n"
#define END "],\n\"restarts\": [\n]\n}\n]\n}}\n"
#define STAMP(time) "\"timestamp\": {\"date\": \"2026-11-21\", \"time\": \"" time "\", \"utc\": 1, \"interval\": 1},\n"
#define CPU "\"cpu-load\": [{\"cpu\": \"all\", \"user\": 50.00, \"nice\": 1.00, \"system\": 2.50, \"iowait\": 2.00, " \
	"\"steal\": 3.00, \"idle\": 41.50}]"
#define POLL(time) "{\n" STAMP(time) CPU "\n}"
#define SHOWN_HOST "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal\n"
#define VALUES " 53.50 51.00 2.50 2.00 3.00\n"
#define TAGS "# hostname;interval;timestamp;"
#define ROW "a;1;2026-11-21 01:48:35 UTC;"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "sadf.json", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void tells_what_sadf_d_tells(void **state)
{
	static const struct {
		const char *sections, *csv;
	} cases[] = {
		{ CPU, TAGS "CPU;%user;%nice;%system;%iowait;%steal;%idle\n" ROW "-1;50.00;1.00;2.50;2.00;3.00;41.50\n" },
		/* -u ALL -P ALL */
		{ "\"cpu-load\": [{\"cpu\": \"all\", \"usr\": 2.15, \"nice\": 12.50, \"sys\": 1.84, \"iowait\": 0.12, \"steal\": 0.00, "
		  "\"irq\": 0.34, \"soft\": 0.19, \"guest\": 0.00, \"gnice\": 0.00, \"idle\": 82.86},\n"
		  "{\"cpu\": \"0\", \"usr\": 99.00, \"nice\": 0.00, \"sys\": 1.00, \"iowait\": 0.00, \"steal\": 0.00, \"irq\": 0.00, "
		  "\"soft\": 0.00, \"guest\": 0.00, \"gnice\": 0.00, \"idle\": 0.00}]",
		  TAGS "CPU;%usr;%nice;%sys;%iowait;%steal;%irq;%soft;%guest;%gnice;%idle\n"
		  ROW "-1;2.15;12.50;1.84;0.12;0.00;0.34;0.19;0.00;0.00;82.86\n"
		  ROW "0;99.00;0.00;1.00;0.00;0.00;0.00;0.00;0.00;0.00;0.00\n" },
		{ "\"memory\": {\"memfree\": 1437741, \"avail\": 4389516, \"memused\": 3755444, \"memused-percent\": 46.11},\n"
		  "\"queue\": {\"runq-sz\": 3, \"plist-sz\": 956, \"ldavg-1\": 3.16, \"ldavg-5\": 3.24, \"ldavg-15\": 3.43, "
		  "\"blocked\": 1}",
		  TAGS "kbmemfree;kbavail;kbmemused;%memused\n" ROW "1437741;4389516;3755444;46.11\n"
		  TAGS "runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked\n" ROW "3;956;3.16;3.24;3.43;1\n" },
		{ "\"swap-pages\": {\"pswpin\": 1.50, \"pswpout\": 0.25}", TAGS "pswpin/s;pswpout/s\n" ROW "1.50;0.25\n" },
		/* disk traffic is told in three ways, and the first is kept */
		{ "\"paging\": {\"pgpgin\": 5.00, \"pgpgout\": 6.00, \"fault\": 0.00},\n"
		  "\"io\": {\"tps\": 20.85, \"io-reads\": {\"rtps\": 12.83, \"bread\": 57.43}, \"io-writes\": {\"wtps\": 4.81, "
		  "\"bwrtn\": 38.50}},\n"
		  "\"disk\": [{\"disk-device\": \"sda\", \"tps\": 1.00, \"rd_sec\": 2.00, \"wr_sec\": 4.00, \"rkB\": 1.00, \"wkB\": 2.00}]",
		  TAGS "pgpgin/s;pgpgout/s;fault/s\n" ROW "5.00;6.00;0.00\n"
		  TAGS "tps;rtps;wtps;bread/s;bwrtn/s\n" ROW "20.85;12.83;4.81;57.43;38.50\n"
		  TAGS "DEV;tps;rkB/s;wkB/s\n" ROW "sda;1.00;1.00;2.00\n" },
		{ "\"io\": {\"tps\": 20.85, \"io-reads\": {\"rtps\": 12.83, \"bread\": 57.43}, \"io-writes\": {\"wtps\": 4.81, "
		  "\"bwrtn\": 38.50}}",
		  TAGS "tps;rtps;wtps;bread/s;bwrtn/s\n" ROW "20.85;12.83;4.81;57.43;38.50\n" },
		{ "\"disk\": [{\"disk-device\": \"sda\", \"tps\": 1.00, \"rd_sec\": 2.02, \"wr_sec\": 4.00, \"rkB\": 1.02, "
		  "\"wkB\": 2.00},\n"
		  "{\"disk-device\": \"sda1\", \"tps\": 1.00, \"rd_sec\": 2.02, \"wr_sec\": 4.00, \"rkB\": 1.02, \"wkB\": 2.00},\n"
		  "{\"disk-device\": \"sdb\", \"tps\": 1.00, \"rd_sec\": 0.00, \"wr_sec\": 0.50, \"rkB\": 0.00, \"wkB\": 0.25}]",
		  TAGS "DEV;tps;rkB/s;wkB/s\n" ROW "sda;1.00;1.02;2.00\n" ROW "sda1;1.00;1.02;2.00\n" ROW "sdb;1.00;0.00;0.25\n" },
		/* before 11.7 there were sectors alone */
		{ "\"disk\": [{\"disk-device\": \"sda\", \"tps\": 1.00, \"rd_sec\": 2.02, \"wr_sec\": 4.00}]",
		  TAGS "DEV;tps;rd_sec/s;wr_sec/s\n" ROW "sda;1.00;2.02;4.00\n" },
		{ "\"network\": {\"net-dev\": [{\"iface\": \"lo\", \"rxpck\": 1.00, \"txpck\": 1.00, \"rxkB\": 9.00, \"txkB\": 9.00},\n"
		  "{\"iface\": \"eth0\", \"rxpck\": 1.00, \"txpck\": 1.00, \"rxkB\": 10.50, \"txkB\": 2.00},\n"
		  "{\"iface\": \"ib0\", \"rxpck\": 1.00, \"txpck\": 1.00, \"rxkB\": 100.00, \"txkB\": 4.00}],\n"
		  "\"net-edev\": [{\"iface\": \"eth0\", \"rxerr\": 0.00}]}",
		  TAGS "IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s\n" ROW "lo;1.00;1.00;9.00;9.00\n" ROW "eth0;1.00;1.00;10.50;2.00\n"
		  ROW "ib0;1.00;1.00;100.00;4.00\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *json = arena_print(&logs->mem, "%s{\n%s%s\n}\n%s", BEGIN, STAMP("01:48:35"), cases[i].sections, END);
		const char *of_json = shown(logs, read_text(logs, "sadf.json", json), true);

		assert_string_equal(take_complaints(logs), "");
		assert_string_equal(of_json, shown(logs, read_text(logs, "sadf.csv", cases[i].csv), true));
		assert_string_equal(take_complaints(logs), "");
		assert_non_null(strchr(of_json, '\n'));
	}
}

static void reads_polls_into_rows(void **state)
{
	static const struct log_case cases[] = {
		{ BEGIN POLL("01:48:35") ",\n" POLL("01:48:36") "\n" END,
		  SHOWN_HOST "2026-11-21T01:48:34.000" VALUES "2026-11-21T01:48:35.000" VALUES, "" },
		/* decimal commas and missing commas, as sadf 10 and 11 wrote */
		{ "{\"sysstat\": {\"hosts\": [{\"nodename\": \"a\", \"file-date\": \"2026-11-21\"\n\"file-utc-time\": \"01:48:00\", "
		  "\"statistics\": [{\n"
		  STAMP("01:48:35") "\"swap-pages\": {\"pswpin\": 1,50, \"pswpout\": 0,25}\n\"queue\": {\"runq-sz\": 3, "
		  "\"ldavg-1\": 3,16}\n}]}]}}\n",
		  "host: host.runq host.swap_in host.swap_out host.load\n2026-11-21T01:48:34.000 3 6.00 1.00 3.16\n", "" },
		/* a poll that has nothing for us is no row */
		{ BEGIN "{\n" STAMP("01:48:35") "\"psi\": {\"psi-cpu\": {\"some_avg10\": 1.00}}\n},\n" POLL("01:48:36") "\n" END,
		  SHOWN_HOST "2026-11-21T01:48:35.000" VALUES, "" },
	};

	CHECK(*state, cases);
}

static void knows_the_zone(void **state)
{
	static const struct {
		const char *zone;
		enum clock_basis basis;
		time_ms offset;
		const char *word;
	} cases[] = {
		{ "\"utc\": 1", BASIS_OFFSET, 0, "UTC" },
		{ "\"utc\": 0", BASIS_LOCAL, 0, NULL },
		{ "\"tz\": \"UTC\"", BASIS_OFFSET, 0, "UTC" },
		{ "\"tz\": \"EST\"", BASIS_LOCAL, 0, "EST" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct recording *rec = read_text(logs, "sadf.json", arena_print(&logs->mem,
			"%s{\"timestamp\": {\"date\": \"2026-11-21\", \"time\": \"01:48:35\", %s, \"interval\": 1}, %s}%s", BEGIN,
			cases[i].zone, CPU, END));

		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_int_equal(rec->clock.offset, cases[i].offset);
		assert_int_equal(rec->clock.zone != NULL, cases[i].word != NULL);
		if (cases[i].word)
			assert_string_equal(rec->clock.zone, cases[i].word);
		assert_string_equal(shown(logs, rec, true), SHOWN_HOST "2026-11-21T01:48:34.000" VALUES);
		assert_string_equal(take_complaints(logs), "");
	}
}

static void tells_restarts_and_comments(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "sadf.json",
		BEGIN POLL("01:48:35") "],\n\"restarts\": [\n"
		"{\"boot\": {\"date\": \"2026-11-21\", \"time\": \"01:50:00\", \"utc\": 1}},\n"
		"{\"boot\": {\"date\": \"2026-11-21\", \"time\": \"01:51:00\", \"tz\": \"UTC\", \"cpu_count\": 8}},\n"
		"{\"boot\": {\"date\": \"yesterday\"}}\n],\n"
		"\"comments\": [{\"comment\": {\"date\": \"2026-11-21\", \"time\": \"01:49:00\", \"utc\": 1, "
			"\"com\": \"run A starts\"}}]\n}\n]\n}}\n");
	static const struct {
		const char *at;
		enum event_kind kind;
		const char *text;
	} events[] = {
		{ "2026-11-21T01:50:00.000Z", EVENT_RESTART, "LINUX-RESTART" },
		{ "2026-11-21T01:51:00.000Z", EVENT_RESTART, "LINUX-RESTART (8 CPU)" },
		{ "2026-11-21T01:49:00.000Z", EVENT_COMMENT, "run A starts" },
	};

	assert_int_equal(rec->n_events, 3);
	for (size_t i = 0; i < rec->n_events; i++) {
		assert_string_equal(time_iso(&logs->mem, rec->events[i].t), events[i].at);
		assert_int_equal(rec->events[i].kind, events[i].kind);
		assert_int_equal(rec->events[i].entity.scope, SCOPE_HOST);
		assert_string_equal(rec->events[i].text, events[i].text);
	}
	assert_string_equal(take_complaints(logs), "sadf.json:14:10: warning: bad-time: no time stamp, "
		"expected like \"date\": \"2026-11-21\", "
						   "\"time\": \"01:48:34\"; not used\n");
}

#define CUT "note: cut-row: the file ends inside a document, as when a logger is killed; its last record is used only if it is whole\n"

static void uses_what_is_whole_and_tells_the_rest(void **state)
{
	static const struct log_case cases[] = {
		{ BEGIN POLL("01:48:35") ",\n{\n" STAMP("01:48:36") CPU "\n", SHOWN_HOST "2026-11-21T01:48:34.000" VALUES,
		  "sadf.json:13: " CUT },
		{ BEGIN POLL("01:48:35"), SHOWN_HOST "2026-11-21T01:48:34.000" VALUES, "sadf.json:10: " CUT },
		{ BEGIN "{\n" STAMP("25:48:35") CPU "},\n{" CPU "}\n" END, "",
		  "sadf.json:8:14: warning: bad-time: no time stamp, expected like \"date\": \"2026-11-21\", "
		  "\"time\": \"01:48:34\"; not used "
		  "(1 more like this)\nsadf.json: warning: no-rows: recognised as sadf-json, but no row could be used\n" },
		{ BEGIN "{\n" STAMP("01:48:35") "\"cpu-load\": [\n"
		  "  {\"cpu\": \"all\", \"user\": 150.00, \"iowait\": 2.00, \"steal\": 3.00, \"idle\": 41.50},\n"
		  "  {\"cpu\": \"x\", \"user\": 50.00, \"iowait\": 2.00, \"steal\": 3.00, \"idle\": 41.50},\n"
		  "  {\"cpu\": \"1\", \"user\": 50.00, \"iowait\": 2.00, \"idle\": 41.50},\n"
		  "  {\"cpu\": \"2\", \"user\": 50.00, \"iowait\": 2.00, \"steal\": null, \"idle\": 41.50},\n"
		  "  {\"cpu\": \"3\", \"user\": 58.50, \"iowait\": 0.00, \"steal\": 0.00, \"idle\": 41.50}\n]\n}\n" END,
		  "core3: core.busy\n2026-11-21T01:48:34.000 58.50\n",
		  "sadf.json:10:26: warning: bad-number: '150.00' in %user is no share; row not used (2 more like this)\n"
		  "sadf.json:11:11: warning: bad-row: 'x' is neither 'all' nor a core; row not used\n" },
		/* two hosts in one file */
		{ BEGIN POLL("01:48:35") "]}, {\"nodename\": \"b\", \"statistics\": [" POLL("01:48:36") "]}]}}\n",
		  SHOWN_HOST "2026-11-21T01:48:34.000" VALUES,
		  "sadf.json:10:39: warning: bad-row: a record of 'b' in a log of 'a'; not used\n" },
		/* 11.2 forgot to close "network" */
		{ BEGIN "{\n" STAMP("01:48:35") "\t\"network\": {\"net-dev\": []\n\t},\n\t{\n" STAMP("01:48:36") "}\n" END, "",
		  "sadf.json:11:2: warning: json-syntax: '{' where a key is expected; what follows up to the next document is not used\n"
		  "sadf.json: warning: no-rows: recognised as sadf-json, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

static void leaves_other_json_alone(void **state)
{
	static const char *const logs_of_others[] = {
		"{\"sysstat\": {\"hosts\": [{\"nodename\": \"a\", \"statistics\": []}]}}\n",
		"[{\"sysstat\": {\"hosts\": [{\"file-date\": \"2026-11-21\"}]}}]\n",
		"x {\"sysstat\": {\"hosts\": [{\"file-date\": \"2026-11-21\"}]}}\n",
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof logs_of_others / sizeof *logs_of_others; i++) {
		assert_null(read_text(logs, "x.json", logs_of_others[i]));
		const char *complaints = take_complaints(logs);
		assert_true(slice_starts(slice_of(complaints), "x.json: warning: not-a-log: there is one line in it, and no sample: '"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tells_what_sadf_d_tells, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_polls_into_rows, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_the_zone, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_restarts_and_comments, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(uses_what_is_whole_and_tells_the_rest, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_other_json_alone, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
