/*
 * superbench_json_test.c - SuperBench's monitor.jsonl: units, exponents, lines with and without time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define GPUS(util) "\"gpu_usage:0\": " util ", \"gpu_usage:1\": 50, \"gpu_temperature:0\": 26, \"gpu_temperature:1\": 27, " \
	"\"gpu_power_limit:0\": 250, " \
	"\"gpu_power_limit:1\": 250"
#define LINE(second, util, more) "{\"time\": \"2026-11-21 01:48:" second "\", " GPUS(util) more "}\n"
#define SHOWN(gpu) "gpu" gpu ": gpu.util gpu.power_limit gpu.temp\n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "monitor.jsonl", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_a_line_a_poll(void **state)
{
	static const struct log_case cases[] = {
		{ LINE("34", "56", ", \"cpu_usage\": 356.0552752706") LINE("45", "57", ", \"cpu_usage\": 3.5e2"),
		  SHOWN("0") "2026-11-21T01:48:34.000 56 250 26\n2026-11-21T01:48:45.000 57 250 26\n"
		  SHOWN("1") "2026-11-21T01:48:34.000 50 250 27\n2026-11-21T01:48:45.000 50 250 27\n"
		  "host: host.proc.cpu\n2026-11-21T01:48:34.000 356.055275\n2026-11-21T01:48:45.000 350.000000\n", "" },
		/* bytes and MiB a second; loopback is left out; a host row is there even when it has nothing */
		{ LINE("34", "56", ", \"gpu_mem_used:0\": 267517952, \"gpu_mem_total:0\": 150754820096, \"gpu_corrected_ecc:0\": 12, "
		  "\"gpu_uncorrected_ecc:1\": 1, \"gpu_remap_pending:0\": 0, \"lo_receive_bw\": 5.0, \"eth0_receive_bw\": 9.765625e-4, "
		  "\"ib0_receive_bw\": 1.5, \"eth0_transmit_bw\": 0.0"),
		  "gpu0: gpu.util gpu.mem_used gpu.mem_total gpu.power_limit gpu.temp gpu.ecc_corrected\n2026-11-21T01:48:34.000 "
		  "56 255 143771 250 26 12\n"
		  "gpu1: gpu.util gpu.power_limit gpu.temp gpu.ecc_uncorrected\n2026-11-21T01:48:34.000 50 250 27 1\n"
		  "host: host.net_rx host.net_tx\n2026-11-21T01:48:34.000 1537.000 0.000\n", "" },
		{ LINE("34", "NaN", ", \"eth0_receive_bw\": NaN"), SHOWN("0") "2026-11-21T01:48:34.000 - 250 26\n"
		  SHOWN("1") "2026-11-21T01:48:34.000 50 250 27\nhost: host.net_rx\n2026-11-21T01:48:34.000 -\n", "" },
	};

	CHECK(*state, cases);
}

static void counts_lines_without_times(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "monitor.jsonl", "{" GPUS("56") "}\n{" GPUS("57") "}\n" LINE("45", "58", ""));

	assert_string_equal(shown(logs, rec, true), SHOWN("0") "1970-01-01T00:00:00.000 56 250 26\n1970-01-01T00:00:01.000 57 250 26\n"
						    SHOWN("1") "1970-01-01T00:00:00.000 50 250 27\n1970-01-01T00:00:01.000 50 250 27\n"
						    "host:\n1970-01-01T00:00:00.000\n1970-01-01T00:00:01.000\n");
	assert_true(rec->clock.time_unknown);
	assert_string_equal(take_complaints(logs), "monitor.jsonl:3:10: warning: bad-time: '2026-11-21 01:48:45' is no time stamp, "
		"expected none, as in "
						   "the first line; poll not used\n");
}

static void uses_what_is_whole_and_tells_the_rest(void **state)
{
	static const struct log_case cases[] = {
		{ LINE("34", "56", "") "{\"time\": \"2026-11-21 01:48:45\", \"gpu_us",
		  SHOWN("0") "2026-11-21T01:48:34.000 56 250 26\n"
		  SHOWN("1") "2026-11-21T01:48:34.000 50 250 27\nhost:\n2026-11-21T01:48:34.000\n",
		  "monitor.jsonl:2: note: cut-row: the file ends inside a document, as when a logger is killed; "
		  "its last record is used only if it is whole\n" },
		{ LINE("34", "56", "") "{\"time\": \"later\", " GPUS("57") "}\n{" GPUS("58") "}\n",
		  SHOWN("0") "2026-11-21T01:48:34.000 56 250 26\n"
		  SHOWN("1") "2026-11-21T01:48:34.000 50 250 27\nhost:\n2026-11-21T01:48:34.000\n",
		  "monitor.jsonl:2:10: warning: bad-time: 'later' is no time stamp, expected like 2026-11-21 01:48:34; "
		  "poll not used (1 more like this)\n" },
	};

	CHECK(*state, cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_a_line_a_poll, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_lines_without_times, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(uses_what_is_whole_and_tells_the_rest, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
