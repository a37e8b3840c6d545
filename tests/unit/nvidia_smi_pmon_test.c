/*
 * nvidia_smi_pmon_test.c - pmon: processes summed to GPUs, polls told apart with and without time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define HEAD "#Date        Time         gpu         pid   type     sm    mem     fb    command \n"
#define UNITS "#YYYYMMDD    HH:MM:SS     Idx           #    C/G      %      %     MB    name \n"
#define AT(second) " 20261121    01:48:" second " "
#define ALL "gpu0: gpu.proc.count gpu.proc.mem_used gpu.proc.util\n"

extern const struct format format_nvidia_smi_pmon;

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "pmon.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void sums_the_processes_of_a_poll(void **state)
{
	static const struct log_case cases[] = {
		{ HEAD UNITS AT("42") "0 486 C 97 14 113316 python3        \n", ALL "2026-11-21T01:48:42.000 1 113316 97\n", "" },
		{ HEAD UNITS AT("42") "0 486 C 60 14 1000 python3\n" AT("42") "0 487 C+G 55 14 24 Xwayland\n",
		  ALL "2026-11-21T01:48:42.000 2 1024 115\n", "" },
		/* a GPU without processes holds nothing, and that is known */
		{ HEAD UNITS AT("42") "0 - - - - - -\n" AT("43") "0 486 C 9 1 24 a\n",
		  ALL "2026-11-21T01:48:42.000 0 0 0\n2026-11-21T01:48:43.000 1 24 9\n", "" },
		/* GPUs side by side, a head inside a poll */
		{ HEAD UNITS AT("42") "0 486 C 60 14 1000 a\n" HEAD UNITS AT("42") "0 487 C 5 1 24 a\n" AT("42") "1 500 C 7 1 8 b\n",
		  ALL "2026-11-21T01:48:42.000 2 1024 65\ngpu1: gpu.proc.count gpu.proc.mem_used gpu.proc.util\n"
			"2026-11-21T01:48:42.000 1 8 7\n",
		  "" },
		/* commands with blanks and commas, and none at all */
		{ HEAD AT("42") "0 20372 C+G 1 1 8 NZXT CAM.exe   \n" AT("42") "0 20373 C 1 1 8 a, b\n" AT("42") "0 20374 C 1 1 8\n",
		  ALL "2026-11-21T01:48:42.000 3 24 3\n", "" },
		/* columns by name: memory only, use only */
		{ "#Time gpu pid type fb ccpm command\n 01:48:42 0 486 C 24 0 a\n",
		  "gpu0: gpu.proc.count gpu.proc.mem_used\n1970-01-01T01:48:42.000 1 24\n", "" },
		{ "#Time gpu pid type sm command\n 01:48:42 0 486 C 24 a\n", "gpu0: gpu.proc.count gpu.proc.util\n"
		  "1970-01-01T01:48:42.000 1 24\n",
		  "" },
		/* the log goes on with other columns in the middle of a poll: what is not told is not 0 */
		{ "#Time gpu pid type fb command\n 01:48:42 0 486 C 24 a\n#Time gpu pid type sm command\n 01:48:43 0 486 C 9 a\n",
		  ALL "1970-01-01T01:48:42.000 1 24 -\n1970-01-01T01:48:43.000 1 - 9\n", "" },
	};

	CHECK(*state, cases);
}

static void never_takes_a_part_for_the_whole(void **state)
{
	static const struct log_case cases[] = {
		/* sm: a process without sample has not run, if others have one */
		{ HEAD AT("42") "0 1 C - - 8 a\n" AT("42") "0 2 C 99 1 8 b\n", ALL "2026-11-21T01:48:42.000 2 16 99\n", "" },
		{ HEAD AT("42") "0 1 C - - 8 a\n" AT("42") "0 2 C - - 8 b\n", ALL "2026-11-21T01:48:42.000 2 16 -\n", "" },
		/* fb: all or nothing */
		{ HEAD AT("42") "0 1 C 5 - - a\n" AT("42") "0 2 C 5 1 8 b\n", ALL "2026-11-21T01:48:42.000 2 - 10\n", "" },
		{ HEAD AT("42") "0 1 C 5 - x a\n", ALL "2026-11-21T01:48:42.000 1 - 5\n",
		  "pmon.txt:2:33: warning: bad-number: 'x' in fb\n" },
		{ HEAD AT("42") "0 1 C 5 - 99999999999 a\n", ALL "2026-11-21T01:48:42.000 1 - 5\n",
		  "pmon.txt:2:33: warning: out-of-range: '99999999999' in fb is impossible; treated as missing\n" },
		{ HEAD AT("42") "0 1 C -5 - 8 a\n", ALL "2026-11-21T01:48:42.000 1 8 -\n",
		  "pmon.txt:2:29: warning: bad-number: '-5' in sm\n" },
		{ HEAD AT("42") "0 1 C 5 - 4194304 a\n" AT("42") "0 2 C 5 - 4194304 a\n", ALL "2026-11-21T01:48:42.000 2 - 10\n", "" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	assert_string_equal(shown_absences(logs, read_text(logs, "pmon.txt", HEAD AT("42") "0 1 C - - - a\n" AT("42") "0 2 C - - - b\n")),
		"not-supported 2");
	assert_string_equal(shown_absences(logs, read_text(logs, "pmon.txt", HEAD AT("42") "0 1 C x - 99999999 a\n")),
		"out-of-range 1, unreadable 1");
}

static void tells_polls_apart_without_time(void **state)
{
#define BARE "# gpu        pid  type    sm    command\n# Idx          #   C/G     %    name\n"
#define COUNT "gpu0: gpu.proc.count gpu.proc.util\n"
	static const struct log_case cases[] = {
		/* a process comes again */
		{ BARE " 0 1 C 5 a\n 0 2 C 6 b\n 0 1 C 7 a\n 0 3 C 8 c\n",
		  COUNT "1970-01-01T00:00:00.000 2 11\n1970-01-01T00:00:01.000 2 15\n", "" },
		/* a GPU comes again after another */
		{ BARE " 0 1 C 5 a\n 1 2 C 6 b\n 0 3 C 7 c\n 1 2 C 8 b\n",
		  COUNT "1970-01-01T00:00:00.000 1 5\n1970-01-01T00:00:01.000 1 7\n"
		  "gpu1: gpu.proc.count gpu.proc.util\n1970-01-01T00:00:00.000 1 6\n1970-01-01T00:00:01.000 1 8\n", "" },
		/* an idle GPU is a poll of its own */
		{ BARE " 0 - - - -\n 0 - - - -\n 0 1 C 5 a\n 0 - - - -\n",
		  COUNT "1970-01-01T00:00:00.000 0 0\n1970-01-01T00:00:01.000 0 0\n1970-01-01T00:00:02.000 1 5\n"
			"1970-01-01T00:00:03.000 0 0\n", "" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	assert_true(read_text(logs, "pmon.txt", BARE " 0 1 C 5 a\n")->clock.time_unknown);
	assert_true(read_text(logs, "pmon.txt", "#Time gpu pid command\n 01:48:42 0 1 a\n")->clock.date_unknown);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
#define ONE HEAD AT("42") "0 1 C 5 1 8 a\n"
#define ONE_SHOWN ALL "2026-11-21T01:48:42.000 1 8 5\n"
	static const struct log_case cases[] = {
		{ ONE AT("43") "0 1\n", ONE_SHOWN, "pmon.txt:3: warning: bad-row: 4 cells where the header has 9; row not used\n" },
		{ ONE AT("43") "x 1 C 5 1 8 a\n", ONE_SHOWN, "pmon.txt:3:23: warning: bad-row: 'x' is no GPU index; row not used\n" },
		{ ONE AT("43") "0 y C 5 1 8 a\n", ONE_SHOWN, "pmon.txt:3:25: warning: bad-row: 'y' is no process id; row not used\n" },
		{ ONE " 20261341 01:48:43 0 1 C 5 1 8 a\n", ONE_SHOWN,
		  "pmon.txt:3:11: warning: bad-time: '20261341 01:48:43' is no time, expected like 20261121 01:48:34; row not used\n" },
		/* the poll before it may lack a process */
		{ ONE AT("43") "0 1 C 5 1 8 a\n" AT("43") "0 2 C 5 1 8 b", ONE_SHOWN "2026-11-21T01:48:43.000 - - -\n",
		  "pmon.txt:4: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		{ HEAD, "", "pmon.txt: warning: no-rows: recognised as nvidia-smi-pmon, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

static void bounds_the_processes_of_a_gpu(void **state)
{
	struct logs *logs = *state;
	struct buf text;

	buf_init(&text, (size_t)1 << 20);
	buf_text(&text, HEAD);
	for (int pid = 1; pid <= 4100; pid++)
		buf_print(&text, AT("42") "0 %d C 1 1 1 a\n", pid);
	assert_string_equal(shown(logs, read_text(logs, "pmon.txt", text_of_buf(&logs->mem, &text)), true),
		ALL "2026-11-21T01:48:42.000 4096 4096 4096\n");
	assert_string_equal(take_complaints(logs),
		"pmon.txt:4098: warning: bad-row: more than 4096 processes on one GPU; row not used (3 more like this)\n");
}

static void accounts_for_every_line(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "pmon.txt",
		"before\n" HEAD UNITS AT("42") "0 1 C 5 1 8 a\n" AT("42") "0 2 C 5 1 8 b\n\n" HEAD UNITS AT("43") "0 1 C 5 1 8 a\nrubbish\n"
		"Unable to determine the device handle for GPU 0000:08:00.0: Unknown Error\n" AT("44") "0 1 C");

	assert_int_equal(rec->n_rows, 2);
	assert_int_equal(rec->n_rows_bad, 2);     /* rubbish, the cut row */
	assert_int_equal(rec->n_rows_ignored, 8); /* a line before, two heads of two lines, a blank, a message, a second process */
	assert_string_equal(shown_log_events(logs, rec),
		"2026-11-21T01:48:43.000Z gpu-lost 0:08:00.0: Unable to determine the device handle for GPU 0000:08:00.0: Unknown Error\n");
	assert_int_equal(rec->n_unread, 3);
}

static void leaves_other_logs_alone(void **state)
{
	static const char *const others[] = {
		"#Date        Time         gpu    pwr  gtemp     sm    mem\n#YYYYMMDD    HH:MM:SS     Idx      W      C      %      %\n",
		"# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n",
		"gpu pid command\n", "# gpu sm pid command\n", "# gpu pid command extra\n",
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(format_nvidia_smi_pmon.bid(slice_of(others[i]), &logs->mem).score, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums_the_processes_of_a_poll, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(never_takes_a_part_for_the_whole, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_polls_apart_without_time, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(bounds_the_processes_of_a_gpu, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(accounts_for_every_line, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_other_logs_alone, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
