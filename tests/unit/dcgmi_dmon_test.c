/*
 * dcgmi_dmon_test.c - DCGM's fields as a table without time and as a list of readings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define LIST "GPUId,TimeStampUs,Field,Values\n"
#define T0 "1795225714" /* 2026-11-21 01:48:34 UTC */

extern const struct format format_dcgmi_dmon;

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "dcgm.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_fields_by_their_short_names(void **state)
{
	static const struct log_case cases[] = {
		/* fractions become percent; GRACT has no metric */
		{ "#Entity   GRACT        TENSO        DRAMA        \nID                                               \n"
		  "GPU 0     0.998        0.885        0.305        \nGPU 0     0.000        1.000        0.000        \n",
		  "gpu0: gpu.tensor_active gpu.dram_active\n1970-01-01T00:00:00.000 88.5 30.5\n1970-01-01T00:00:01.000 100.0 0.0\n", "" },
		{ "#Entity SMACT SMOCC FP16A\nID\nGPU 3 0.5 .25 0.123456\n",
		  "gpu3: gpu.sm_active gpu.sm_occupancy gpu.fp16_active\n1970-01-01T00:00:00.000 50 25 12.3456\n", "" },
		{ "#Entity   GPUTL MCUTL ECUTL DCUTL FBUSD FBTTL TMPTR MMTMP POWER SMCLK MMCLK PMLMT\n"
		  "ID                            C  C  W\n"
		  "GPU 0     98 40 1 2 81000 81559 61 70 688.210 1980 2619 700.000\n",
		  "gpu0: gpu.util gpu.mem_util gpu.mem_used gpu.mem_total gpu.power gpu.power_limit gpu.temp gpu.temp_mem gpu.clock_sm "
		  "gpu.clock_mem gpu.enc_util gpu.dec_util\n"
		  "1970-01-01T00:00:00.000 98 40 81000 81559 688.210 700.000 61 70 1980 2619 1 2\n", "" },
		/* bytes a second; older releases write "# Entity" and indent */
		{ "# Entity  PCITX  PCIRX\n      Id\n   GPU 0  1048576  5242880\n",
		  "gpu0: gpu.pcie_rx gpu.pcie_tx\n1970-01-01T00:00:00.000 5 1\n", "" },
		/* two fields of one metric: the first is taken */
		{ "#Entity POWER POWINST\nID W W\nGPU 0 688.2 701.5\n", "gpu0: gpu.power\n1970-01-01T00:00:00.000 688.2\n", "" },
		/* parts of a GPU, switches, CPUs */
		{ "#Entity POWER\nID W\nGPU 0 10.5\nGPU-I 0 11\nGPU-CI 0 12\nSwitch 0 13\nCPU 0 14\nGPU 0 15.5\n",
		  "gpu0: gpu.power\n1970-01-01T00:00:00.000 10.5\n1970-01-01T00:00:01.000 15.5\n", "" },
	};

	CHECK(*state, cases);
}

static void counts_polls(void **state)
{
	static const struct log_case cases[] = {
		/* energy in mJ: 3,600,000 are a watt-hour */
		{ "#Entity TOTEC ESVTL EDVTL\nID mJ\nGPU 0 7200000 1 0\nGPU 0 10800000 2 0\n",
		  "gpu0: gpu.ecc_corrected gpu.ecc_uncorrected gpu.energy\n1970-01-01T00:00:00.000 1 0 2\n1970-01-01T00:00:01.000 2 0 3\n", "" },
		/* the head comes again, also inside a poll, with other fields */
		{ "#Entity POWER\nID W\nGPU 0 1\n#Entity POWER TMPTR\nID W C\nGPU 1 2 30\nGPU 0 3 31\nGPU 1 4 32\n",
		  "gpu0: gpu.power gpu.temp\n1970-01-01T00:00:00.000 1 -\n1970-01-01T00:00:01.000 3 31\n"
		  "gpu1: gpu.power gpu.temp\n1970-01-01T00:00:00.000 2 30\n1970-01-01T00:00:01.000 4 32\n", "" },
		{ "$ dcgmi dmon -e 155\n\n#Entity POWER\nID W\nGPU 0 1\nGPU 0 2 3\nGPU 0 4\n",
		  "gpu0: gpu.power\n1970-01-01T00:00:00.000 1\n1970-01-01T00:00:02.000 4\n",
		  "dcgm.txt:6: warning: bad-row: 2 cells where the header has 1; row not used\n" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	assert_true(read_text(logs, "dcgm.txt", "#Entity POWER\nGPU 0 1\n")->clock.time_unknown);
}

static void reads_a_list_of_readings(void **state)
{
	static const struct log_case cases[] = {
		/* a field that comes again begins the next row, at its first reading */
		{ LIST "0," T0 "100999,power_usage,71.20\n0," T0 "350000,clock_throttle_reasons,4\n"
		       "0," T0 "600000,power_usage,70.49\n0," T0 "850000,clock_throttle_reasons,1\n",
		  "gpu0: gpu.power gpu.throttle\n2026-11-21T01:48:34.100 71.20 4\n2026-11-21T01:48:34.600 70.49 1\n", "" },
		/* fields after one another in the file, GPUs mixed */
		{ LIST "1," T0 "000000,gpu_temp,40\n0," T0 "000000,gpu_temp,30\n1," T0 "001000,sm_active,0.5\n"
		  "0," T0 "002000,sm_active,0.25\n",
		  "gpu0: gpu.temp gpu.sm_active\n2026-11-21T01:48:34.000 30 25\n"
		  "gpu1: gpu.temp gpu.sm_active\n2026-11-21T01:48:34.000 40 50\n", "" },
		/* of two fields for one metric the first is taken; what has no metric is named */
		{ LIST "0," T0 "000000,power_usage_instant,71\n0," T0 "000001,power_usage,75\n0," T0 "000002,sm_app_clock,1980\n",
		  "gpu0: gpu.power\n2026-11-21T01:48:34.000 71\n", "" },
		{ LIST "0, " T0 "000000 , fb_used , 1024 \n\n", "gpu0: gpu.mem_used\n2026-11-21T01:48:34.000 1024\n", "" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	const struct recording *rec = read_text(logs, "dcgm.txt", cases[2].log);
	assert_int_equal(rec->n_unread, 2);
	assert_string_equal(rec->unread[0], "power_usage");
	assert_int_equal(rec->clock.basis, BASIS_OFFSET);
	assert_int_equal(rec->clock.offset, 0);
	assert_string_equal(rec->clock.zone, "UTC");
	assert_false(rec->clock.time_unknown);
}

static void never_takes_a_blank_for_a_value(void **state)
{
	static const struct log_case cases[] = {
		{ "#Entity SMACT POWER\nID\nGPU 0 N/A N/A\n", "gpu0: gpu.power gpu.sm_active\n1970-01-01T00:00:00.000 - -\n", "" },
		{ "#Entity SMACT\nGPU 0 1.5\n", "gpu0: gpu.sm_active\n1970-01-01T00:00:00.000 -\n",
		  "dcgm.txt:2:7: warning: out-of-range: '1.5' in SMACT is impossible; treated as missing\n" },
		{ "#Entity SMACT\nGPU 0 -0.1\n", "gpu0: gpu.sm_active\n1970-01-01T00:00:00.000 -\n",
		  "dcgm.txt:2:7: warning: out-of-range: '-0.1' in SMACT is impossible; treated as missing\n" },
		{ "#Entity SMACT\nGPU 0 x\n", "gpu0: gpu.sm_active\n1970-01-01T00:00:00.000 -\n",
		  "dcgm.txt:2:7: warning: bad-number: 'x' in SMACT\n" },
		{ LIST "0," T0 "000000,power_usage,140737488355328.0\n0," T0 "000001,fb_used,9223372036854775794\n"
		  "0," T0 "000002,gpu_temp,\n",
		  "gpu0: gpu.mem_used gpu.power gpu.temp\n2026-11-21T01:48:34.000 - - -\n", "" },
		{ LIST "0," T0 "000000,clock_throttle_reasons,99999999\n", "gpu0: gpu.throttle\n2026-11-21T01:48:34.000 -\n",
		  "dcgm.txt:2: warning: bad-number: '99999999' in clock_throttle_reasons\n" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	assert_string_equal(shown_absences(logs, read_text(logs, "dcgm.txt", cases[4].log)), "not-supported 1, empty 2");
}

/* Readings of several GPUs come field by field, and late ones behind others; fields that are not read are named once. */
static void readings_are_put_in_order(void **state)
{
	static const struct log_case cases[] = {
		{ LIST "1," T0 "000000,power_usage,71\n0," T0 "001000,power_usage,73\n1," T0 "000000,gpu_temp,40\n0," T0 "000000,power_usage,72\n"
		  "0," T0 "001000,wibble,1\n0," T0 "000000,wibble,1\n0," T0 "001000,gpu_temp,41\n0,soon,gpu_temp,41\n", "gpu0: gpu.power gpu.temp\n"
		  "2026-11-21T01:48:34.000 72 -\n"
		  "2026-11-21T01:48:34.001 73 41\n"
		  "gpu1: gpu.power gpu.temp\n"
		  "2026-11-21T01:48:34.000 71 40\n", "dcgm.txt:9: warning: bad-time: 'soon' is no time, expected microseconds since 1970; row not used\n" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	const struct recording *rec = read_text(logs, "dcgm.txt", cases[0].log);
	assert_int_equal(rec->n_unread, 1);
	assert_string_equal(rec->unread[0], "wibble");
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
#define ONE "#Entity POWER\nGPU 0 1\n"
#define ONE_SHOWN "gpu0: gpu.power\n1970-01-01T00:00:00.000 1\n"
#define FIRST LIST "0," T0 "000000,power_usage,71\n"
#define FIRST_SHOWN "gpu0: gpu.power\n2026-11-21T01:48:34.000 71\n"
	static const struct log_case cases[] = {
		{ ONE "GPU x 2\n", ONE_SHOWN, "dcgm.txt:3: warning: bad-row: 'x' is no GPU index; row not used\n" },
		{ ONE "GPU 0 2", ONE_SHOWN,
		  "dcgm.txt:3: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		{ "#Entity POWER\n", "", "dcgm.txt: warning: no-rows: recognised as dcgmi-dmon, but no row could be used\n" },
		{ FIRST "0," T0 "000000,power_usage\n", FIRST_SHOWN,
		  "dcgm.txt:3: warning: bad-row: not a GPU, a time, a field and its value; not used\n" },
		{ FIRST "0," T0 "000000,power_usage,7,1\n", FIRST_SHOWN,
		  "dcgm.txt:3: warning: bad-row: not a GPU, a time, a field and its value; not used\n" },
		{ FIRST "70000," T0 "000000,power_usage,7\n", FIRST_SHOWN,
		  "dcgm.txt:3: warning: bad-row: '70000' is no GPU index; row not used\n" },
		{ FIRST "0," T0 ",power_usage,7\n", FIRST_SHOWN,
		  "dcgm.txt:3: warning: bad-time: '1795225714' is no time, expected microseconds since 1970; row not used\n" },
		{ LIST "0," T0 "000000,sm_app_clock,1\n", "",
		  "dcgm.txt: warning: no-rows: recognised as dcgmi-dmon, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

static void accounts_for_every_line(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "dcgm.txt",
		"before\n#Entity POWER TMPTR\nID W C\nGPU 0 1 2\nGPU-I 0 1 2\n\nGPU 0 1\nGPU 0 3 4\nGPU 0 5");

	assert_int_equal(rec->n_rows, 2);
	assert_int_equal(rec->n_rows_bad, 2);
	assert_int_equal(rec->n_rows_ignored, 5);
	rec = read_text(logs, "dcgm.csv", FIRST "0," T0 "000000,gpu_temp,40\n0," T0 "000000,other,1\nrubbish\n"
		"0," T0 "100000,power_usage,72\n");
	assert_int_equal(rec->n_rows, 2);
	assert_int_equal(rec->n_rows_bad, 1);
	assert_int_equal(rec->n_rows_ignored, 3); /* the head, the second field of the first row, the field without metric */
}

static void leaves_other_logs_alone(void **state)
{
	static const char *const others[] = {
		"#Entity\nID\nGPU 0\n", "#Entity NAMES OF\nGPU 0 1 2\n", "Entity POWER\nGPU 0 1\n", "GPU 0 1\n",
		"GPUId,Time,Field,Values\n0,1,power_usage,71\n", "x,GPUId,TimeStampUs,Field,Values\n",
		"# gpu    pwr  gtemp     sm    mem\n# Idx      W      C      %      %\n",
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(format_dcgmi_dmon.bid(slice_of(others[i]), &logs->mem).score, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_fields_by_their_short_names, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_polls, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_a_list_of_readings, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(never_takes_a_blank_for_a_value, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(readings_are_put_in_order, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(accounts_for_every_line, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_other_logs_alone, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
