/*
 * nvidia_smi_dmon_test.c - dmon as text and as csv: heads of all ages, heads inside a sample, dates and none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define HEAD "#Date        Time         gpu    pwr  gtemp     sm    mem   pclk     fb \n"
#define UNITS "#YYYYMMDD    HH:MM:SS     Idx      W      C      %      %    MHz     MB \n"
#define METRICS " gpu.util gpu.mem_util gpu.mem_used gpu.power gpu.temp gpu.clock_sm\n"

extern const struct format format_nvidia_smi_dmon;

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "dmon.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_columns_by_name(void **state)
{
	static const struct log_case cases[] = {
		{ HEAD UNITS " 20261121    01:48:42       0    639     47    100     15   1755 113325 \n",
		  "gpu0:" METRICS "2026-11-21T01:48:42.000 100 15 113325 639 47 1755\n", "" },
		/* any group, any order; what has no metric is left unread; one temp before 2017 */
		{ "#Date       Time        gpu   mem  temp pviol tviol   pwr    sm rxpci txpci\n"
		  "#YYYYMMDD   HH:MM:SS    Idx     %     C     %  bool     W     % MB/s MB/s\n"
		  " 20160813   10:11:52      3     4    59   100     1    50     7  221    28\n",
		  "gpu3: gpu.util gpu.mem_util gpu.power gpu.temp gpu.pcie_rx gpu.pcie_tx\n"
		  "2016-08-13T10:11:52.000 7 4 50 59 221 28\n", "" },
		/* csv, with and without the line of units */
		{ "#Date, Time, gpu, pwr, gtemp, sm, mem, pclk, fb\n#YYYYMMDD, HH:MM:SS, Idx, W, C, %, %, MHz, MB\n"
		  " 20261121, 01:48:42, 0, 639, 47, 100, 15, 1755, 113325\n",
		  "gpu0:" METRICS "2026-11-21T01:48:42.000 100 15 113325 639 47 1755\n", "" },
		{ "#Date, Time, gpu, pwr, sm\n 20261121, 01:48:42, 0, 639, 100\n 20261121, 01:48:43, 0, , 99\n",
		  "gpu0: gpu.util gpu.power\n2026-11-21T01:48:42.000 100 639\n2026-11-21T01:48:43.000 99 -\n", "" },
		/* errors since whenever they are counted; bar1, ccpm, pviol and tviol are not read */
		{ "#Date Time gpu pviol tviol bar1 ccpm sbecc dbecc pci rxpci\n#YYYYMMDD HH:MM:SS Idx % bool MB MB errs errs errs MB/s\n"
		  " 20261121 01:48:42 0 0 0 1 0 12 1 76 5\n",
		  "gpu0: gpu.ecc_corrected gpu.ecc_uncorrected gpu.pcie_replays gpu.pcie_rx\n2026-11-21T01:48:42.000 12 1 76 5\n", "" },
		/* the line of units is believed */
		{ "#Date Time gpu fb\n#YYYYMMDD HH:MM:SS Idx GB\n 20261121 01:48:42 0 2\n",
		  "gpu0: gpu.mem_used\n2026-11-21T01:48:42.000 2048\n", "" },
		/* GPM: the first samples have no values yet */
		{ "#Date Time gpu sm smutil smocc mmaact dram fp16\n#YYYYMMDD HH:MM:SS Idx % GPM:% GPM:% GPM:% GPM:% GPM:%\n"
		  " 20261121 03:11:00 0 100 - - - - -\n 20261121 03:11:01 0 100 96 14 95 15 0\n",
		  "gpu0: gpu.util gpu.sm_active gpu.sm_occupancy gpu.tensor_active gpu.dram_active gpu.fp16_active\n"
		  "2026-11-21T03:11:00.000 100 - - - - -\n2026-11-21T03:11:01.000 100 96 14 95 15 0\n", "" },
	};

	CHECK(*state, cases);
}

static void skips_heads_wherever_they_come(void **state)
{
	static const struct log_case cases[] = {
		/* inside a sample of two GPUs */
		{ HEAD UNITS " 20261121 01:48:42 0 1 2 3 4 5 6\n" HEAD UNITS " 20261121 01:48:42 1 2 3 4 5 6 7\n",
		  "gpu0:" METRICS "2026-11-21T01:48:42.000 3 4 6 1 2 5\ngpu1:" METRICS "2026-11-21T01:48:42.000 4 5 7 2 3 6\n", "" },
		/* a logger that was started again, with other groups */
		{ HEAD UNITS " 20261121 01:48:42 0 1 2 3 4 5 6\n#Date Time gpu sm\n#YYYYMMDD HH:MM:SS Idx %\n 20261121 01:48:43 0 9\n",
		  "gpu0:" METRICS "2026-11-21T01:48:42.000 3 4 6 1 2 5\n2026-11-21T01:48:43.000 9 - - - - -\n", "" },
		/* or without time: only these rows are lost; the other way round as well */
		{ "#Date Time gpu sm\n 20261121 01:48:43 0 9\n# gpu sm\n    0 10\n", "gpu0: gpu.util\n2026-11-21T01:48:43.000 9\n",
		  "dmon.txt:4: warning: bad-row: the header in force has no time; row not used\n" },
		{ "# gpu sm\n    0 10\n#Date Time gpu sm\n 20261121 01:48:43 0 9\n", "gpu0: gpu.util\n1970-01-01T00:00:00.000 10\n",
		  "dmon.txt:4: warning: bad-row: the header in force has a time, the rows above have none; row not used\n" },
		{ "$ nvidia-smi dmon -o DT -s u\n#Date Time gpu sm\n\n 20261121 01:48:43 0 9\n",
		  "gpu0: gpu.util\n2026-11-21T01:48:43.000 9\n", "" },
	};

	CHECK(*state, cases);
}

static void counts_polls_where_there_is_no_time(void **state)
{
	static const struct log_case cases[] = {
		{ "# gpu    pwr     sm\n# Idx      W      %\n    0     98      8\n    0     99      9\n",
		  "gpu0: gpu.util gpu.power\n1970-01-01T00:00:00.000 8 98\n1970-01-01T00:00:01.000 9 99\n", "" },
		{ "#gpu, pwr, sm\n#Idx, W, %\n 0, 98, 8\n", "gpu0: gpu.util gpu.power\n1970-01-01T00:00:00.000 8 98\n", "" },
		/* -o D: a day is no time */
		{ "#Date        gpu     sm\n#YYYYMMDD    Idx      %\n 20261121    0      8\n 20261122    0      9\n",
		  "gpu0: gpu.util\n1970-01-01T00:00:00.000 8\n1970-01-01T00:00:01.000 9\n", "" },
		/* a poll ends when a GPU comes again, whatever their order; a head inside a poll does not end it */
		{ "# gpu sm\n 2 1\n 0 2\n# gpu sm\n# Idx %\n 1 3\n 2 4\n 0 5\n",
		  "gpu2: gpu.util\n1970-01-01T00:00:00.000 1\n1970-01-01T00:00:01.000 4\n"
		  "gpu0: gpu.util\n1970-01-01T00:00:00.000 2\n1970-01-01T00:00:01.000 5\n"
		  "gpu1: gpu.util\n1970-01-01T00:00:00.000 3\n", "" },
		/* a row that can't be used was a poll all the same */
		{ "# gpu sm\n 0 1\n 0 2 3\n 0 4\n", "gpu0: gpu.util\n1970-01-01T00:00:00.000 1\n1970-01-01T00:00:02.000 4\n",
		  "dmon.txt:3: warning: bad-row: 3 cells where the header has 2; row not used\n" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	assert_true(read_text(logs, "dmon.txt", "# gpu sm\n 0 1\n")->clock.time_unknown);
	assert_false(read_text(logs, "dmon.txt", "#Time gpu sm\n 23:59:59 0 1\n")->clock.time_unknown);
}

static void counts_days_where_there_is_no_date(void **state)
{
	static const struct log_case cases[] = {
		/* -o T: the days are counted from the first row's, which clock_settle() finds */
		{ "#Time gpu sm\n#HH:MM:SS Idx %\n 23:59:59 0 1\n 23:59:59 1 2\n 00:00:00 0 3\n 00:00:00 1 4\n",
		  "gpu0: gpu.util\n1970-01-01T23:59:59.000 1\n1970-01-02T00:00:00.000 3\n"
		  "gpu1: gpu.util\n1970-01-01T23:59:59.000 2\n1970-01-02T00:00:00.000 4\n", "" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	const struct recording *timed = read_text(logs, "dmon.txt", "#Time gpu sm\n 23:59:59 0 1\n");
	const struct recording *dated = read_text(logs, "dmon.txt", "#Date Time gpu sm\n 20261121 23:59:59 0 1\n");
	assert_true(timed->clock.date_unknown);
	assert_false(dated->clock.date_unknown);
	assert_int_equal(timed->clock.basis, BASIS_LOCAL);
	assert_int_equal(dated->clock.basis, BASIS_LOCAL);
}

#define NOBODY(line) "dmon.txt: warning: not-a-log: there is one line in it, and no sample: '" line "'\n"
static void refuses_csv_without_its_header(void **state)
{
	static const struct log_case cases[] = {
		{ " 20261121, 01:48:34, 0, 76, 34, 37, 0, -\n 20261121, 01:48:35, 0, 76, 34, 37, 0, -\n", "",
		  "dmon.txt:1: warning: not-a-log: dmon's csv without header (noheader): what its columns are can't be known; put the "
		  "header of the same command on top, a line like '#Date, Time, gpu, pwr, gtemp, mtemp, sm, mem', or log without "
		  "noheader\n" },
		/* nobody's: no time, a word, a fraction, no commas */
		{ " 0, 76, 34, 37, 0, -\n", "", NOBODY("0, 76, 34, 37, 0, -") },
		{ "20261121, 01:48:34, 0, on, 34\n", "", NOBODY("20261121, 01:48:34, 0, on, 34") },
		{ "20261121, 01:48:34, 0.5, 1, 34\n", "", NOBODY("20261121, 01:48:34, 0.5, 1, 34") },
		{ "20261121 01:48:34 0 1 34\n", "", NOBODY("20261121 01:48:34 0 1 34") },
	};

	CHECK(*state, cases);
}

static void makes_events_of_lost_gpus(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "dmon.txt",
		"#Date Time gpu sm\n 20261121 01:48:43 0 9\n"
		"Unable to determine the device handle for GPU0000:08:00.0: Unknown Error\n 20261121 01:48:45 0 9\n"
		"Failed to initialize NVML: Unknown Error\n"
		  "Unable to determine the device handle for GPU1: 00000000:1b:00.0: GPU is lost.\n");

	assert_string_equal(shown_log_events(logs, rec),
		"2026-11-21T01:48:45.000Z gpu-lost 0:08:00.0: Unable to determine the device handle for GPU0000:08:00.0: Unknown Error\n"
		"2026-11-21T01:48:45.000Z gpu-lost gpu 1 0:1B:00.0: Unable to determine the device handle for GPU1: 00000000:1b:00.0: "
		"GPU is lost.\n");
	assert_int_equal(rec->n_messages, 3);
	assert_int_equal(rec->n_rows_ignored, 4);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
#define ONE "#Date Time gpu sm\n 20261121 01:48:43 0 9\n"
#define ONE_SHOWN "gpu0: gpu.util\n2026-11-21T01:48:43.000 9\n"
	static const struct log_case cases[] = {
		{ ONE " 20261121 01:48:44 0\n", ONE_SHOWN,
		  "dmon.txt:3: warning: bad-row: 3 cells where the header has 4; row not used\n" },
		{ ONE " 20261121 01:48:44 x 5\n", ONE_SHOWN, "dmon.txt:3:20: warning: bad-row: 'x' is no GPU index; row not used\n" },
		{ ONE " 20261321 01:48:44 0 5\n", ONE_SHOWN,
		  "dmon.txt:3:11: warning: bad-time: '20261321 01:48:44' is no time, expected like 20261121 01:48:34; row not used\n" },
		{ "#Time gpu sm\n 25:00:00 0 1\n 01:00:00 0 1\n", "gpu0: gpu.util\n1970-01-01T01:00:00.000 1\n",
		  "dmon.txt:2:2: warning: bad-time: '25:00:00' is no time, expected like 20261121 01:48:34; row not used\n" },
		{ ONE " 20261121 01:48:44 0 5", ONE_SHOWN,
		  "dmon.txt:3: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		{ ONE " 20261121 01:48:44 0 101\n", "gpu0: gpu.util\n2026-11-21T01:48:43.000 9\n2026-11-21T01:48:44.000 -\n",
		  "dmon.txt:3:22: warning: out-of-range: '101' in sm is impossible; treated as missing\n" },
		{ ONE " 20261121 01:48:44 0 abc\n", "gpu0: gpu.util\n2026-11-21T01:48:43.000 9\n2026-11-21T01:48:44.000 -\n",
		  "dmon.txt:3:22: warning: bad-number: 'abc' in sm\n" },
		{ ONE "Unable to determine the device handle for GPU 0000:08:00.0: GPU is lost.\n", ONE_SHOWN,
		  "dmon.txt:3: warning: tool-message: nvidia-smi says 'Unable to determine the device handle for GPU "
		  "0000:08:00.0: GPU is lost.'\n" },
		{ "#Date Time gpu sm\n", "", "dmon.txt: warning: no-rows: recognised as nvidia-smi-dmon, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

static void says_what_is_missing(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "dmon.txt",
		"#Date Time gpu pwr sm enc jpg ofa pviol\n 20261121 01:48:43 0 438 - - - - 0\n 20261121 01:48:44 0 ERR! - - - - 0\n");

	assert_string_equal(shown_absences(logs, rec), "not-supported 4, error 1");
	assert_int_equal(rec->n_unread, 3);
	assert_string_equal(rec->unread[0], "jpg");
	assert_string_equal(rec->unread[2], "pviol");
}

static void leaves_other_logs_alone(void **state)
{
	static const char *const others[] = {
		/* pmon */
		"#Date        Time         gpu         pid   type     sm    mem    enc    dec    command\n"
		"#YYYYMMDD    HH:MM:SS     Idx           #    C/G      %      %      %      %    name\n"
		" 20261121    01:48:34       0          -     -      -      -      -      -    -\n",
		"# gpu        pid  type    sm   mem   enc   dec   command\n# Idx          #   C/G     %     %     %     %   name\n",
		/* dcgmi dmon, pidstat -h, a shell script */
		"#Entity   GRACT        TENSO        DRAMA\nID\nGPU 0     0.170        0.121        0.032\n",
		"# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n",
		"# gpu node\nsrun python train.py\n",
		"gpu pwr sm\n0 1 2\n",
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(format_nvidia_smi_dmon.bid(slice_of(others[i]), &logs->mem).score, 0);
}

static void accounts_for_every_line(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "dmon.txt",
		"before\n" HEAD UNITS " 20261121 01:48:42 0 1 2 3 4 5 6\n\n" HEAD UNITS "rubbish\n 20261121 01:48:43 0 1 2 3 4 5 6\n"
		" 20261121 01:48:43 0 1 2 3 4 5 6\n 20261121 01:48:44 0");

	assert_int_equal(rec->n_rows, 2);
	assert_int_equal(rec->n_rows_bad, 2);     /* rubbish, the cut row */
	assert_int_equal(rec->n_rows_ignored, 7); /* a line before, two heads of two lines, a blank, a double */
	assert_true(rec->cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_columns_by_name, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(skips_heads_wherever_they_come, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_polls_where_there_is_no_time, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_days_where_there_is_no_date, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(refuses_csv_without_its_header, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(makes_events_of_lost_gpus, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(says_what_is_missing, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_other_logs_alone, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(accounts_for_every_line, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
