/*
 * gpustat_test.c - gpustat's text: heads of all locales, cells that options add, colours, Windows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define HEAD "node01                  Sat Nov 21 01:48:42 2026  580.159.04\n"
#define PLAIN "gpu0: gpu.util gpu.mem_used gpu.mem_total gpu.temp\n"

extern const struct format format_gpustat;

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "gpustat.log", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_what_options_add(void **state)
{
	static const struct log_case cases[] = {
		{ HEAD "[0] NVIDIA H200 | 47'C, 100 % | 113325 / 143771 MB | ann(113316M) bob(9M)\n",
		  PLAIN "2026-11-21T01:48:42.000 100 113325 143771 47\n", "" },
		/* -P, -F, -e; with and without owners or a bar before them */
		{ HEAD "[0] H200 | 47'C, 100 %,  688 / 700 W | 113325 / 143771 MB |\n",
		  "gpu0: gpu.util gpu.mem_used gpu.mem_total gpu.power gpu.power_limit gpu.temp\n"
		  "2026-11-21T01:48:42.000 100 113325 143771 688 700 47\n",
		  "" },
		{ HEAD "[0] H200 | 47'C,  30 %, 100 %,  688 W | 113325 / 143771 MB\n",
		  "gpu0: gpu.util gpu.mem_used gpu.mem_total gpu.power gpu.temp gpu.fan\n"
		  "2026-11-21T01:48:42.000 100 113325 143771 688 47 30\n", "" },
		{ HEAD "[0] H200 | 47'C, 100 %, E:  1 %  D:  2 % | 1 / 2 MB |\n", PLAIN "2026-11-21T01:48:42.000 100 1 2 47\n", "" },
		/* what is not known */
		{ HEAD "[0] H200 | ?\?'C,  ?\? %,   ?? / 700 W |   ?? / 143771 MB | (Not Supported)\n",
		  "gpu0: gpu.util gpu.mem_used gpu.mem_total gpu.power gpu.power_limit gpu.temp\n"
		  "2026-11-21T01:48:42.000 - - 143771 - 700 -\n", "" },
		/* the degree sign of all ages, and as Windows writes it */
		{ HEAD "[0] H200 | 47\302\260C, 5 % | 1 / 2 MB |\n", PLAIN "2026-11-21T01:48:42.000 5 1 2 47\n", "" },
		{ "WIN-1  2026-11-21 01:48:42  418.96\r\n\r\n[0] H200 | 47\357\277\275C, 5 % | 1 / 2 MB |\r\n",
		  PLAIN "2026-11-21T01:48:42.000 5 1 2 47\n", "" },
		/* en_US; no driver before 0.6 */
		{ "node01  Sat 21 Nov 2026 01:48:42 PM\n[0] H200 | 47'C, 5 % | 1 / 2 MB |\n", PLAIN "2026-11-21T13:48:42.000 5 1 2 47\n",
		  "" },
	};

	CHECK(*state, cases);
}

static void takes_colours_and_cursor_moves_out(void **state)
{
	static const struct log_case cases[] = {
		{ "\x1b[H\x1b[2J\x1b[1m\x1b[37mnode01\x1b(B\x1b[m  Sat Nov 21 01:48:42 2026  \x1b[1m\x1b[30m580.159.04\x1b(B\x1b[m\x1b[K\n"
		  "\x1b[36m[0]\x1b(B\x1b[m \x1b[34mH200\x1b(B\x1b[m |\x1b[31m 47'C\x1b(B\x1b[m, \x1b[1m\x1b[32m  5 %\x1b(B\x1b[m |"
		  " \x1b[1m\x1b[33m    1\x1b(B\x1b[m / \x1b[33m    2\x1b(B\x1b[m MB |\x1b[K\n",
		  PLAIN "2026-11-21T01:48:42.000 5 1 2 47\n", "" },
		/* a sequence that never ends */
		{ HEAD "[0] H200 | 47'C, 5 % | 1 / 2 MB |\n\x1b[\n\x1b\n\x1b(\n", PLAIN "2026-11-21T01:48:42.000 5 1 2 47\n", "" },
	};

	CHECK(*state, cases);
}

static void reads_polls_of_a_loop(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "gpustat.log",
		"Sat Nov 21 01:48:40 UTC 2026\n" HEAD "[0] NVIDIA H200 | 47'C, 5 % | 1 / 2 MB |\n[3] H100 | 30'C, 6 % | 3 / 4 MB |\n\n"
		"==== Sat Nov 21 01:49:40 2026 ====\nnode01  Sat Nov 21 01:49:42 2026  580.159.04\n"
		  "[0] NVIDIA H200 | 48'C, 7 % | 1 / 2 MB |\n");

	assert_string_equal(shown(logs, rec, true),
		PLAIN "2026-11-21T01:48:42.000 5 1 2 47\n2026-11-21T01:49:42.000 7 1 2 48\n"
		"gpu3: gpu.util gpu.mem_used gpu.mem_total gpu.temp\n2026-11-21T01:48:42.000 6 3 4 30\n");
	assert_string_equal(take_complaints(logs), "");
	assert_string_equal(rec->host, "node01");
	assert_string_equal(rec->tool, "driver 580.159.04");
	assert_string_equal(rec->channels[0].entity.name, "NVIDIA H200");
	assert_int_equal(rec->clock.basis, BASIS_LOCAL);
	assert_int_equal(rec->n_rows_ignored, 5);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
#define ONE HEAD "[0] H200 | 47'C, 5 % | 1 / 2 MB |\n"
#define ONE_SHOWN PLAIN "2026-11-21T01:48:42.000 5 1 2 47\n"
#define NO_GPU "gpustat.log:3: warning: bad-row: not the temperature, use and memory of a GPU; row not used\n"
	static const struct log_case cases[] = {
		{ ONE "[1] H200 | 47'C, 5 % |\n", ONE_SHOWN, NO_GPU },
		{ ONE "[1] H200 | 47'C | 1 / 2 MB |\n", ONE_SHOWN, NO_GPU },
		{ ONE "[1] H200 | 5 %, 47'C | 1 / 2 MB |\n", ONE_SHOWN, NO_GPU },
		{ ONE "[1] H200 | 47'C, 5 % | 1 / 2 GB |\n", ONE_SHOWN, NO_GPU },
		{ ONE "[1] H200 | 47'C, 5 %, 3 X | 1 / 2 MB |\n", ONE_SHOWN, NO_GPU },
		{ ONE "[x] H200 | 47'C, 5 % | 1 / 2 MB |\n", ONE_SHOWN, NO_GPU },
		{ ONE "[\n", ONE_SHOWN, NO_GPU },
		{ ONE "[1] H200 | 47'C, 5 % | 1 / 2 MB |", ONE_SHOWN,
		  "gpustat.log:3: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		{ ONE "node02  Sat Nov 21 01:48:43 2026\n[0] H200 | 47'C, 5 % | 1 / 2 MB |\n", ONE_SHOWN,
		  "gpustat.log:4: warning: bad-row: a GPU of another host than node01; split the log by hosts; row not used\n" },
		{ "[0] H200 | 47'C, 5 % | 1 / 2 MB |\n" ONE, ONE_SHOWN,
		  "gpustat.log:1: warning: bad-time: no line with host and time above this GPU; row not used\n" },
		{ HEAD "[0] H200 | 47'C, 101 % | 1 / 2 MB |\n", PLAIN "2026-11-21T01:48:42.000 - 1 2 47\n",
		  "gpustat.log:2:18: warning: out-of-range: '101' in utilization is impossible; treated as missing\n" },
	};

	CHECK(*state, cases);
}

static void leaves_other_logs_alone(void **state)
{
	static const char *const others[] = {
		HEAD, "[0] H200 | 47'C, 5 % | 1 / 2 MB |\n", "[0] H200 | 47'C, 5 % | 1 / 2 MB |\n" HEAD,
		HEAD "[INFO] started | 1 | 2\n", "Sat Nov 21 01:48:42 2026\n[0] H200 | 47'C, 5 % | 1 / 2 MB |\n",
		"node01 Sat Nov 21\n[0] H200 | 47'C, 5 % | 1 / 2 MB |\n",
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(format_gpustat.bid(slice_of(others[i]), &logs->mem).score, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_what_options_add, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(takes_colours_and_cursor_moves_out, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_polls_of_a_loop, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_other_logs_alone, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
