/*
 * stamped_test.c - logs behind a time before each line, as ts, container runtimes, syslog and shells write it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/stamped.h"
#include "logs.h"

#define METRICS "gpu0: gpu.util gpu.power\n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "log.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, false), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
		assert_false(rec && rec->clock.time_unknown);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

/* The same two rows behind each kind of time, and what their times are. */
static void takes_each_kind_of_time(void **state)
{
	static const struct {
		const char *before[3], *shown;
		enum clock_basis basis;
		bool no_year;
	} cases[] = {
		{ { "Nov 21 01:48:33 ", "Nov 21 01:48:34 ", "Nov 21 01:48:35 " },
		  METRICS "01:48:34.000 35 118.20\n01:48:35.000 36 119.10\n", BASIS_LOCAL, true },
		{ { "2026-11-21T01:48:33.1Z ", "2026-11-21T01:48:34.387125412Z ", "2026-11-21T01:48:35.38Z " },
		  METRICS "01:48:34.387 35 118.20\n01:48:35.380 36 119.10\n", BASIS_OFFSET, false },
		{ { "2026-11-21T01:48:33.1Z stdout F ", "2026-11-21T01:48:34.3Z stdout F ", "2026-11-21T01:48:35.3Z stderr P " },
		  METRICS "01:48:34.300 35 118.20\n01:48:35.300 36 119.10\n", BASIS_OFFSET, false },
		{ { "Nov 21 01:48:33 node01 gpu-log[2361]: ", "Nov 21 01:48:34 node01 gpu-log[2361]: ", "Nov 21 01:48:35 node01 gpu-log[7]: " },
		  METRICS "01:48:34.000 35 118.20\n01:48:35.000 36 119.10\n", BASIS_LOCAL, true },
		{ { "[2026-11-21 01:48:33] ", "[2026-11-21 01:48:34] ", "[2026-11-21 01:48:35]\t" },
		  METRICS "01:48:34.000 35 118.20\n01:48:35.000 36 119.10\n", BASIS_LOCAL, false },
		{ { "2026-11-21 01:48:33: ", "2026-11-21 01:48:34: ", "2026-11-21 01:48:35: " },
		  METRICS "01:48:34.000 35 118.20\n01:48:35.000 36 119.10\n", BASIS_LOCAL, false },
		{ { "2026-11-21 01:48:33 UTC ", "2026-11-21 01:48:34 UTC ", "2026-11-21 01:48:35 UTC " },
		  METRICS "01:48:34.000 35 118.20\n01:48:35.000 36 119.10\n", BASIS_OFFSET, false },
		{ { "1795225713.5 ", "1795225714.5 ", "1795225715.5 " },
		  METRICS "01:48:34.500 35 118.20\n01:48:35.500 36 119.10\n", BASIS_OFFSET, false },
		{ { "Sat Nov 21 01:48:33 UTC 2026 ", "Sat Nov 21 01:48:34 UTC 2026 ", "Sat Nov 21 01:48:35 UTC 2026 " },
		  METRICS "01:48:34.000 35 118.20\n01:48:35.000 36 119.10\n", BASIS_OFFSET, false },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *const text = arena_print(&logs->mem, "%sindex, utilization.gpu [%%], power.draw [W]\n%s0, 35 %%, 118.20 W\n%s0, 36 %%, 119.10 W\n",
			cases[i].before[0], cases[i].before[1], cases[i].before[2]);
		const struct recording *rec = read_text(logs, "log.txt", text);
		assert_string_equal(shown(logs, rec, false), cases[i].shown);
		assert_string_equal(take_complaints(logs), "");
		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_int_equal(rec->clock.year_unknown, cases[i].no_year);
		assert_false(rec->clock.time_unknown);
		assert_int_equal(strncmp(rec->why, "behind a time before each line, ", 32), 0);
	}
}

/* syslog names the host. */
static void knows_the_host(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "log.txt",
		"Nov 21 01:48:33 node01 gpu-log[2361]: index, utilization.gpu [%], power.draw [W]\n"
		"Nov 21 01:48:34 node01 gpu-log[2361]: 0, 35 %, 118.20 W\n");

	assert_string_equal(rec->host, "node01");
}

/* The block of bytes in which the first lines stood has others by then. */
static void knows_the_host_of_a_long_log(void **state)
{
	struct logs *logs = *state;
	struct buf text;

	buf_init(&text, 1 << 20);
	buf_print(&text, "Nov 21 00:00:00 node01 gpu-log[2361]: index, utilization.gpu [%%], power.draw [W]\n");
	for (int i = 0; i < 6000; i++)
		buf_print(&text, "Nov 21 %02d:%02d:%02d node01 gpu-log[2361]: 0, 35 %%, 118.20 W\n", i / 3600, i / 60 % 60, i % 60);
	const struct recording *rec = read_text(logs, "log.txt", text_of_buf(&logs->mem, &text));
	assert_int_equal(rec->n_rows, 6000);
	assert_string_equal(rec->host, "node01");
}

/* Times of a log's own were written where its row was. */
static void own_times_come_first(void **state)
{
	static const struct log_case cases[] = {
		{ "Nov 21 03:00:00 timestamp, index, utilization.gpu [%], power.draw [W]\n"
		  "Nov 21 03:00:00 2026/11/21 01:48:34.387, 0, 35 %, 118.20 W\n"
		  "Nov 21 03:00:01 2026/11/21 01:48:35.387, 0, 36 %, 119.10 W\n",
		  METRICS "01:48:34.387 35 118.20\n01:48:35.387 36 119.10\n", "" },
	};

	CHECK(*state, cases);
}

/* A place is where the file has it, and not behind the time. */
static void counts_columns_from_the_line(void **state)
{
	static const struct log_case cases[] = {
		{ "1795225713 index, utilization.gpu [%], power.draw [W]\n1795225714 0, x %, 118.20 W\n1795225715 0, 36 %, 119.10 W\n",
		  METRICS "01:48:34.000 - 118.20\n01:48:35.000 36 119.10\n",
		  "log.txt:2:15: warning: bad-number: 'x %' in utilization.gpu\n" },
	};

	CHECK(*state, cases);
}

/* Lines of several rows, or rows of several lines: the first line counts. */
static void rows_begin_with_their_first_line(void **state)
{
	static const struct log_case cases[] = {
		{ "1795225714 # gpu         pid   type     sm    mem     fb    command\n"
		  "1795225714 # Idx           #    C/G      %      %     MB    name\n"
		  "1795225714     0        486     C     20     14    100    python3\n"
		  "1795225714     0        487     C      7     14    100    python3\n"
		  "1795225719     0        486     C     21     14    100    python3\n"
		  "1795225719     0        487     C      7     14    100    python3\n",
		  "gpu0: gpu.proc.count gpu.proc.mem_used gpu.proc.util\n01:48:34.000 2 200 27\n01:48:39.000 2 200 28\n", "" },
		/* of which the row is known when the next one begins */
		{ "1795225714 cpu  0 0 0 100 0 0 0 0 0 0\n1795225714 procs_running 1\n"
		  "1795225716 cpu  100 0 0 200 0 0 0 0 0 0\n1795225716 procs_running 2\n"
		  "1795225718 cpu  400 0 0 300 0 0 0 0 0 0\n1795225718 procs_running 3\n",
		  "host: host.cpu.busy host.cpu.user host.cpu.system host.cpu.iowait host.cpu.steal host.runq\n"
		  "01:48:34.000 50.00 50.00 0.00 0.00 0.00 1\n01:48:36.000 75.00 75.00 0.00 0.00 0.00 2\n01:48:38.000 - - - - - 3\n", "" },
	};

	CHECK(*state, cases);
}

/* Rows that a pipe held back for minutes all have the time at which it let go. */
static void spreads_what_a_pipe_held_back(void **state)
{
	struct logs *logs = *state;
	struct buf text;

	buf_init(&text, 1 << 16);
	buf_print(&text, "1795225000 index, utilization.gpu [%%], power.draw [W]\n");
	for (int i = 0; i < 12; i++)
		buf_print(&text, "%d 0, %d %%, 100.00 W\n", 1795225014 + i / 4 * 20, i);
	const struct recording *rec = read_text(logs, "log.txt", text_of_buf(&logs->mem, &text));
	assert_string_equal(shown(logs, rec, false), METRICS
		"01:36:39.000 0 100.00\n01:36:44.000 1 100.00\n01:36:49.000 2 100.00\n01:36:54.000 3 100.00\n"
		"01:36:59.000 4 100.00\n01:37:04.000 5 100.00\n01:37:09.000 6 100.00\n01:37:14.000 7 100.00\n"
		"01:37:19.000 8 100.00\n01:37:24.000 9 100.00\n01:37:29.000 10 100.00\n01:37:34.000 11 100.00\n");
	assert_string_equal(take_complaints(logs), "log.txt: warning: guess: its lines came several at a time, as a pipe hands them on; "
		"their rows are spread evenly over the time since the lines before\n");
}

/* Two looks within a second of whole seconds are half a second apart, as elsewhere. */
static void looks_within_a_second_are_spread_over_it(void **state)
{
	static const struct log_case cases[] = {
		{ "1795225714 index, utilization.gpu [%], power.draw [W]\n1795225714 0, 1 %, 1.00 W\n1795225714 0, 2 %, 1.00 W\n"
		  "1795225715 0, 3 %, 1.00 W\n1795225715 0, 4 %, 1.00 W\n1795225716 0, 5 %, 1.00 W\n",
		  METRICS "01:48:34.000 1 1.00\n01:48:34.500 2 1.00\n01:48:35.000 3 1.00\n01:48:35.500 4 1.00\n01:48:36.000 5 1.00\n",
		  "log.txt: note: spread-rows: several polls within a second of a clock of whole seconds; they were spread evenly over it\n" },
	};

	CHECK(*state, cases);
}

/* A line without a time is read as it is; a time of day alone is none, since it may be what passed since the begin. */
static void is_modest(void **state)
{
	struct logs *logs = *state;

	assert_null(stamped_find(&logs->mem, slice_of("1795225714 a\n")));
	assert_null(stamped_find(&logs->mem, slice_of("1795225714 a\nb\n1795225714 c\n")));
	assert_null(stamped_find(&logs->mem, slice_of("00:00:01 a\n00:00:02 b\n")));
	assert_null(stamped_find(&logs->mem, slice_of("1795225714, a\n1795225715, b\n")));
	assert_null(stamped_find(&logs->mem, slice_of("2026-11-21 01:48:34 a\n1795225715 b\n")));
	assert_null(stamped_find(&logs->mem, slice_of("[1795225714 a\n[1795225715 b\n")));
	assert_non_null(stamped_find(&logs->mem, slice_of("1795225714 a\n1795225715\n")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(takes_each_kind_of_time, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_the_host, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_the_host_of_a_long_log, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(own_times_come_first, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_columns_from_the_line, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_begin_with_their_first_line, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(spreads_what_a_pipe_held_back, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(looks_within_a_second_are_spread_over_it, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(is_modest, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
