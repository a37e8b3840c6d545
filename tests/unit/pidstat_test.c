/* pidstat_test.c - pidstat: clocks and epochs, threads, polls in which nothing ran. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define BANNER "Linux 6.18.44 (node01) \t11/21/26 \t_x86_64_\t(16 CPU)\n\n"
#define HEAD "      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
#define HOST "host: host.proc.cpu host.proc.cpu_most\n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "pidstat.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void adds_up_the_processes_of_a_poll(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "01:48:34" HEAD "01:48:35 0 1549 0.00 0.99 0.00 0.00 0.99 0 bash\n01:48:35 0 2 97.03 0.99 0.00 0.00 98.02 1 python3 a b c\n"
			 "\n01:48:35" HEAD "01:48:36 0 2 250.00 0.50 0.00 0.00 250.50 1 python3\n"
			 "\nAverage:" HEAD "Average: 0 2 97.03 0.99 0.00 0.00 98.02 - python3\n",
		  HOST "2026-11-21T01:48:34.000 99.01 98.02\n2026-11-21T01:48:35.000 250.50 250.50\n", "" },
		/* a clock of 12 hours, a decimal comma, no %wait */
		{ BANNER "01:48:34 PM UID PID %usr %system %guest %CPU CPU Command\n01:48:35 PM 0 2 1,00 2,00 0,00 3,00 1 python3\n",
		  HOST "2026-11-21T13:48:34.000 3.00 3.00\n", "" },
		/* -h: epoch seconds, heads repeat */
		{ BANNER "# Time        UID       PID    %usr %system  %guest    %CPU   CPU  minflt/s  Command\n"
			 " 1795225715 0 1 1.00 2.00 0.00 3.00 1 5.00 a\n 1795225715 0 2 1.00 2.00 0.00 4.00 1 5.00 b\n\n"
			 "#      Time   UID       PID    %usr %system  %guest    %CPU   CPU  minflt/s  Command\n"
			 " 1795225716 0 1 1.00 2.00 0.00 5.00 1 5.00 a\n",
		  HOST "2026-11-21T01:48:34.000 7.00 4.00\n2026-11-21T01:48:35.000 5.00 5.00\n", "" },
		/* -h: clock */
		{ BANNER "# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
			 "01:48:35 0 1 1.00 2.00 0.00 0.00 3.00 1 a\n01:48:36 0 1 1.00 2.00 0.00 0.00 4.00 1 a\n",
		  HOST "2026-11-21T01:48:34.000 3.00 3.00\n2026-11-21T01:48:35.000 4.00 4.00\n", "" },
		/* midnight, with a header that is a second back */
		{ BANNER "23:59:59" HEAD "00:00:00 0 2 1 1 0 0 2.00 1 a\n\n23:59:59 UID PID kB_rd/s kB_wr/s Command\n00:00:00 0 2 1 1 a\n"
			 "\n00:00:00" HEAD "00:00:01 0 2 1 1 0 0 3.00 1 a\n",
		  HOST "2026-11-21T23:59:59.000 2.00 2.00\n2026-11-22T00:00:00.000 3.00 3.00\n", "" },
	};

	CHECK(*state, cases);
}

static void threads_are_not_added_to_their_process(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "01:48:34 UID TGID TID %usr %system %guest %wait %CPU CPU Command\n"
			 "01:48:35 0 10 - 3.00 1.00 0.00 0.00 4.00 0 python3\n01:48:35 0 - 10 1.00 1.00 0.00 0.00 2.00 0 |__python3\n"
			 "01:48:35 0 - 11 2.00 0.00 0.00 0.00 2.00 0 |__python3\n01:48:35 0 20 - 1.00 0.00 0.00 0.00 1.00 0 sh\n",
		  HOST "2026-11-21T01:48:34.000 5.00 4.00\n", "" },
	};

	CHECK(*state, cases);
}

/* Only processes that did something are listed, so an empty list says that none did. */
static void an_empty_poll_is_no_cpu(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "01:48:34" HEAD "01:48:35 0 2 1 1 0 0 2.00 1 a\n\n01:48:35" HEAD "\n01:48:36" HEAD "01:48:37 0 2 1 1 0 0 3.00 1 a\n",
		  HOST "2026-11-21T01:48:34.000 2.00 2.00\n2026-11-21T01:48:35.000 0.00 0.00\n2026-11-21T01:48:36.000 3.00 3.00\n", "" },
	};

	CHECK(*state, cases);
}

static void refuses_what_tells_no_cpu(void **state)
{
	static const struct log_case cases[] = {
		{ BANNER "01:48:34 UID PID kB_rd/s kB_wr/s kB_ccwr/s iodelay Command\n01:48:35 0 2 1 1 1 1 a\n", "",
		  "pidstat.txt: warning: no-rows: no section of pidstat with %CPU; log with pidstat -u N\n" },
		{ BANNER "01:48:34" HEAD "01:48:34 0 2 1 1 0 0 2.00 1 a\n", "",
		  "pidstat.txt: warning: no-rows: nothing but averages since boot, as pidstat without an interval prints; "
		  "log with pidstat -u N\n" },
	};

	CHECK(*state, cases);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		/* a sum without one of its parts is not known */
		{ BANNER "01:48:34" HEAD "01:48:35 0 1 1 1 0 0 2.00 1 a\n01:48:35 0 2 1 1 0 0 x 1 b\n\n01:48:35" HEAD "01:48:36 0 2 1 1 0 0 3.00 1 a\n",
		  HOST "2026-11-21T01:48:34.000 - -\n2026-11-21T01:48:35.000 3.00 3.00\n",
		  "pidstat.txt:5:22: warning: bad-number: 'x' in %CPU is no share; row not used\n" },
		{ BANNER "01:48:34" HEAD "01:48:35 0 1 1 1 0 0 2.00 1 a\nrubbish\n01:48:35 0 2\n01:48:36 0 1 1 1", HOST "2026-11-21T01:48:34.000 - -\n",
		  "pidstat.txt:5: warning: bad-row: the line does not begin with a time; not used (1 more like this)\n"
		  "pidstat.txt:7: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
	};

	CHECK(*state, cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(adds_up_the_processes_of_a_poll, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(threads_are_not_added_to_their_process, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(an_empty_poll_is_no_cpu, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_tells_no_cpu, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
