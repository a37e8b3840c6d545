/*
 * nvidia_smi_table_test.c - the plain table: boxes of all widths and ages, lost GPUs, MIG, tables without dates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

extern const struct format format_nvidia_smi_table;

#define RULE91 "+-----------------------------------------+------------------------+----------------------+\n"
#define HEAD91                                                                                            \
	"+-----------------------------------------------------------------------------------------+\n"      \
	"| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |\n" RULE91 \
	"| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"      \
	"| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"      \
	"|                                         |                        |               MIG M. |\n"      \
	"|=========================================+========================+======================|\n"
#define FIRST91 "|   0  NVIDIA H200                    On  |   00000000:00:06.0 Off |                    0 |\n"
#define SECOND91 "| N/A   55C    P0            687W /  700W |  113325MiB / 143771MiB |    100%      Default |\n"
#define THIRD91 "|                                         |                        |             Disabled |\n"
#define TABLE91 HEAD91 FIRST91 SECOND91 THIRD91 RULE91
#define METRICS "gpu.util gpu.mem_used gpu.mem_total gpu.power gpu.power_limit gpu.temp gpu.pstate gpu.fan\n"
#define DATE "Sat Nov 21 01:48:34 2026       \n"
#define SHOWN91 "gpu0: gpu.util gpu.mem_used gpu.mem_total gpu.power gpu.power_limit gpu.temp gpu.pstate gpu.fan\n" \
	"2026-11-21T01:48:34.000 100 113325 143771 687 700 55 0 -\n"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "table.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void reads_boxes_of_every_width(void **state)
{
	static const struct log_case cases[] = {
		{ DATE TABLE91, SHOWN91, "" },
		/* 535: 89 columns; the driver model of Windows in place of Persistence-M, and a name cut off */
		{ "Tue Dec  3 21:13:48 2024       \n"
		  "+---------------------------------------------------------------------------------------+\n"
		  "| NVIDIA-SMI 535.154.05             Driver Version: 535.154.05   CUDA Version: 12.2     |\n"
		  "|-----------------------------------------+----------------------+----------------------+\n"
		  "| GPU  Name                  Driver-Model | Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
		  "| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |\n"
		  "|                                         |                      |               MIG M. |\n"
		  "|=========================================+======================+======================|\n"
		  "|   1  NVIDIA GeForce RTX 2080 ...  WDDM  | 00000000:D8:00.0  On |                  Off |\n"
		  "| 38%   34C    P8              25W / 250W |    211MiB / 32768MiB |      7%      Default |\n"
		  "|                                         |                      |                  N/A |\n",
		  "gpu1: " METRICS "2024-12-03T21:13:48.000 7 211 32768 25 250 34 8 38\n", "" },
		/* 375: 79 columns, two lines a GPU */
		{ "Tue Jul 11 17:43:15 2017       \n"
		  "+-----------------------------------------------------------------------------+\n"
		  "| NVIDIA-SMI 375.66                 Driver Version: 375.66                    |\n"
		  "|-------------------------------+----------------------+----------------------+\n"
		  "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
		  "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
		  "|===============================+======================+======================|\n"
		  "|   0  Tesla K80           Off  | 0000:00:04.0     Off |                    0 |\n"
		  "| N/A   41C    P0    60W / 149W |      0MiB / 11439MiB |     12%      Default |\n"
		  "+-------------------------------+----------------------+----------------------+\n"
		  "|   1  Tesla K80           Off  | 0000:00:05.0     Off |                    0 |\n"
		  "| N/A   35C    P0    74W / 149W |      0MiB / 11439MiB |      0%      Default |\n"
		  "+-------------------------------+----------------------+----------------------+\n",
		  "gpu0: " METRICS "2017-07-11T17:43:15.000 12 0 11439 60 149 41 0 -\n"
		  "gpu1: " METRICS "2017-07-11T17:43:15.000 0 0 11439 74 149 35 0 -\n", "" },
		/* 325: MB, and no power */
		{ "Sat Apr 19 10:08:49 2014       \n"
		  "| NVIDIA-SMI 5.325.15   Driver Version: 325.15         |                       \n"
		  "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
		  "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
		  "|===============================+======================+======================|\n"
		  "|   0  GeForce GTX TITAN   Off  | 0000:03:00.0     N/A |                  N/A |\n"
		  "| 31%   44C  N/A     N/A /  N/A |       14MB /  6143MB |     N/A      Default |\n",
		  "gpu0: " METRICS "2014-04-19T10:08:49.000 - 14 6143 - - 44 - 31\n", "" },
		/* a GPU that shares the host's memory */
		{ DATE HEAD91 FIRST91 "| N/A   38C    P8              4W /  N/A  | Not Supported          |      0%      Default |\n",
		  "gpu0: " METRICS "2026-11-21T01:48:34.000 0 - - 4 - 38 8 -\n", "" },
	};

	CHECK(*state, cases);
}

static void knows_the_gpu_and_the_driver(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "table.txt", DATE TABLE91);

	assert_string_equal(rec->channels[0].entity.name, "NVIDIA H200");
	assert_string_equal(rec->channels[0].entity.bus_id, "0:00:06.0");
	assert_int_equal(rec->channels[0].entity.index, 0);
	assert_string_equal(rec->tool, "driver 580.159.04");
	assert_int_equal(rec->clock.basis, BASIS_LOCAL);
	assert_false(rec->clock.date_unknown);
}

static void a_lost_gpu_has_no_values(void **state)
{
	static const struct log_case cases[] = {
		{ DATE HEAD91 "|   4  ERR!                           On  |   00000000:83:00.0 Off |                 ERR! |\n"
		  "|ERR!  ERR! ERR!             ERR! / ERR! |       0MiB /  46068MiB |    ERR!      Default |\n"
		  "|                                         |                        |                 ERR! |\n",
		  "gpu4: " METRICS "2026-11-21T01:48:34.000 - 0 46068 - - - - -\n", "" },
		{ DATE HEAD91 "|   2  NVIDIA A100 80GB PCIe          On  |   00000000:CA:00.0 N/A |                  N/A |\n"
		  "|ERR!   46C    P0            N/A  /  N/A  |       0MiB /  81920MiB |     N/A      Default |\n",
		  "gpu2: " METRICS "2026-11-21T01:48:34.000 - 0 81920 - - 46 0 -\n", "" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	const struct recording *rec = read_text(logs, "table.txt", cases[0].log);
	assert_null(rec->channels[0].entity.name);
	assert_string_equal(shown_absences(logs, rec), "error 6");
}

static void leaves_out_mig_devices_and_processes(void **state)
{
	static const struct log_case cases[] = {
		{ DATE TABLE91 "\n| MIG devices:                                                                            |\n"
		  "| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |\n"
		  "|==================+==================================+===========+=======================|\n"
		  "|  0    2   0   0  |           11091MiB / 40448MiB    | 60      0 |  3   0    3    0    3 |\n"
		  "|                  |               0MiB / 24739MiB    |           |                       |\n"
		  "| Processes:                                                                              |\n"
		  "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n"
		  "|    0   N/A  N/A             486      C   a | b | c                              11331... |\n"
		  "|    0   N/A  N/A             486      C   | 1 |                                 11331... |\n",
		  SHOWN91, "" },
	};

	CHECK(*state, cases);
}

static void takes_the_time_from_the_line_above(void **state)
{
	static const struct log_case cases[] = {
		/* nowhere: polls are counted, until --start */
		{ TABLE91 TABLE91,
		  "gpu0: " METRICS "1970-01-01T00:00:00.000 100 113325 143771 687 700 55 0 -\n"
		  "1970-01-01T00:00:01.000 100 113325 143771 687 700 55 0 -\n", "" },
		/* as `tail` leaves it */
		{ TABLE91 DATE TABLE91, SHOWN91,
		  "table.txt:14: warning: bad-time: the first time of the log; 1 row above it can't be placed and not used\n" },
		/* a date holds for one table */
		{ DATE TABLE91 TABLE91, SHOWN91, "table.txt:21: warning: bad-time: no date line above this table; row not used\n" },
		/* a shell's own date lines say nothing more; its date alone will do */
		{ "==== Sat Nov 21 01:48:30 AM EST 2026 ====\n" DATE TABLE91, SHOWN91, "" },
		{ "==== Sat Nov 21 01:48:34 AM EST 2026 ====\n" TABLE91, SHOWN91, "" },
		{ "Sat 21 Nov 2026 01:48:34 AM EST\n" TABLE91, SHOWN91, "" },
		{ "Sat Nov 31 01:48:34 2026\n" TABLE91, "gpu0: " METRICS "1970-01-01T00:00:00.000 100 113325 143771 687 700 55 0 -\n", "" },
		/* GPUs cut out of their boxes, as grep -A1 NVIDIA leaves them */
		{ FIRST91 SECOND91 "--\n" FIRST91 SECOND91,
		  "gpu0: " METRICS "1970-01-01T00:00:00.000 100 113325 143771 687 700 55 0 -\n"
		  "1970-01-01T00:00:01.000 100 113325 143771 687 700 55 0 -\n", "" },
		{ DATE FIRST91 SECOND91, SHOWN91, "" },
		{ "\x1b[?1049h\x1b[H\x1b[2JEvery 2.0s: nvidia-smi\x1b[3;1H| NVIDIA-SMI 580.159.04\n", "",
		  "table.txt: warning: not-a-log: what watch drew on a terminal, only the cells that changed; "
		  "log with nvidia-smi -l N > FILE\n" },
	};
	struct logs *logs = *state;

	CHECK(logs, cases);
	assert_false(read_text(logs, "table.txt", DATE TABLE91)->clock.time_unknown);
	assert_true(read_text(logs, "table.txt", TABLE91)->clock.time_unknown);
}

static void takes_the_zone_of_date(void **state)
{
	static const struct {
		const char *log;
		enum clock_basis basis;
		int hours;
	} cases[] = {
		{ "Sat Nov 21 01:48:33 UTC 2026\n" DATE TABLE91, BASIS_OFFSET, 0 },
		{ "WARNING at Sat Nov 21 01:48:33 UTC 2026\n" DATE TABLE91, BASIS_LOCAL, 0 },
		{ "Sat Nov 21 01:48:33 -0500 2026\n" DATE TABLE91, BASIS_OFFSET, -5 },
		{ "Sat Nov 21 01:48:34 +03 2026\n" TABLE91, BASIS_OFFSET, 3 },
		/* EST is several zones in the world */
		{ "Sat Nov 21 01:48:33 EST 2026\n" DATE TABLE91, BASIS_LOCAL, 0 },
		/* date -u: another clock */
		{ "Sat Nov 21 06:48:33 UTC 2026\n" DATE TABLE91, BASIS_LOCAL, 0 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = read_text(logs, "table.txt", cases[i].log);
		assert_int_equal(rec->clock.basis, cases[i].basis);
		assert_int_equal(rec->clock.offset, cases[i].hours * HOUR_MS);
		assert_string_equal(shown(logs, rec, true), SHOWN91);
	}
}

#define AT(time, percent)                                \
	"Sat Nov 21 " time " 2026\n" HEAD91 FIRST91         \
	"| N/A   55C    P0            687W /  700W |  113325MiB / 143771MiB |     " #percent "%      Default |\n"
#define ROW(time, percent) "01:48:" time " " #percent " 113325 143771 687 700 55 0 -\n"

/* The clock of the tables has whole seconds; a loop without a pause, or -lms, looks more often. */
static void spreads_polls_over_their_second(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "table.txt", AT("01:48:34", 1) AT("01:48:34", 2) AT("01:48:35", 3)
		AT("01:48:35", 4) AT("01:48:35", 5) AT("01:48:35", 6) AT("01:48:40", 7) AT("01:48:40", 7));

	assert_string_equal(shown(logs, rec, false), "gpu0: " METRICS ROW("34.000", 1) ROW("34.500", 2) ROW("35.000", 3)
		ROW("35.250", 4) ROW("35.500", 5) ROW("35.750", 6) ROW("40.000", 7));
	assert_int_equal(rec->n_spread, 6);
	assert_int_equal(rec->n_doubles, 1); /* nobody looks twice a second and then not for five */
	assert_string_equal(take_complaints(logs),
		"table.txt: note: spread-rows: several polls within a second of a clock of whole seconds; "
		"they were spread evenly over it\n");
}

#define FAILED91 "|   0  ERR!                           On  |   00000000:00:06.0 Off |                 ERR! |\n"
#define VALUES(fan, temp, perf, power, util) \
	"| " fan "   " temp "    " perf "    " power " /  700W |       0MiB / 143771MiB |    " util "      Default |\n"

static void tells_when_a_gpu_is_lost(void **state)
{
	static const struct {
		const char *gpu;
		bool lost;
	} cases[] = {
		{ FIRST91 VALUES("N/A", "55C", "P0", "76W", "0%"), false },
		{ FIRST91 VALUES("ERR!", "55C", "P0", "76W", "0%"), false }, /* a fan that does not turn */
		{ FIRST91 VALUES("30%", "55C", "P0", "ERR!", "0%"), false },
		{ FIRST91 VALUES("ERR!", "ERR!", "ERR!", "ERR!", "ERR!"), true },
		{ FAILED91 VALUES("ERR!", "55C", "P0", "76W", "0%"), true },
		{ FIRST91 "|ERR!   46C    P0            N/A  /  N/A  |       0MiB /  81920MiB |     N/A      Default |\n", true },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct arena *mem = &logs->mem;
		const char *box = arena_print(mem, "%s%s", HEAD91, cases[i].gpu);
		const char *text = arena_print(mem, "%s%s%s%s", "Sat Nov 21 01:48:29 2026\n" TABLE91 DATE, box, "Sat Nov 21 01:48:39 2026\n", box);
		const struct recording *rec = read_text(logs, "table.txt", text);
		assert_int_equal(rec->n_events, cases[i].lost); /* once, though it stays so */
		if (!cases[i].lost)
			continue;
		assert_int_equal(rec->events[0].kind, EVENT_GPU_LOST);
		assert_int_equal(rec->events[0].entity.index, 0);
		assert_string_equal(time_clock(mem, rec->events[0].t), "01:48:34");
	}
	take_complaints(logs);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		/* a bar is gone */
		{ DATE TABLE91 "Sat Nov 21 01:48:39 2026\n" HEAD91 FIRST91
		  "| N/A   55C    P0            687W /  700W    113325MiB / 143771MiB |    100%      Default |\n", SHOWN91,
		  "table.txt:22: warning: bad-row: a GPU's line without its three cells; not used\n" },
		{ DATE TABLE91 "Sat Nov 21 01:48:39 2026\n" HEAD91 FIRST91
		  "| N/A   55C    P0            687W    700W |  113325MiB / 143771MiB |    100%      Default |\n", SHOWN91,
		  "table.txt:22: warning: bad-row: not the fan, power, memory and use of a GPU; row not used\n" },
		/* killed while it wrote */
		{ DATE TABLE91 "Sat Nov 21 01:48:39 2026\n" HEAD91 FIRST91 "| N/A   55C    P0            68", SHOWN91,
		  "table.txt:22: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		/* and a new one began: a half GPU does not take the values of another */
		{ DATE HEAD91 FIRST91 DATE TABLE91, SHOWN91, "" },
		{ DATE HEAD91 FIRST91 "| N/A   55C    P0            687W /  700W |  113325MiB / 143771MiB |    xyz       Default |\n",
		  "gpu0: " METRICS "2026-11-21T01:48:34.000 - 113325 143771 687 700 55 0 -\n",
		  "table.txt:10:73: warning: bad-number: 'xyz' in GPU-Util\n" },
		{ DATE TABLE91 "Unable to determine the device handle for GPU0000:83:00.0: Unknown Error\n", SHOWN91,
		  "table.txt:13: warning: tool-message: nvidia-smi says 'Unable to determine the device handle for "
		  "GPU0000:83:00.0: Unknown Error'\n" },
	};

	CHECK(*state, cases);
}

static void accounts_for_every_line(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "table.txt", "before\n" DATE TABLE91 "\n" DATE TABLE91 "Sat Nov");

	assert_int_equal(rec->n_rows, 1);
	assert_int_equal(rec->n_rows_bad, 1);
	assert_int_equal(rec->n_rows_ignored, 25); /* twelve and eleven of the tables, of which the second is a double; two others */
	assert_int_equal(rec->n_doubles, 1);
	assert_true(rec->cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_boxes_of_every_width, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_the_gpu_and_the_driver, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_lost_gpu_has_no_values, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_mig_devices_and_processes, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(takes_the_time_from_the_line_above, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(takes_the_zone_of_date, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(spreads_polls_over_their_second, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_when_a_gpu_is_lost, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(accounts_for_every_line, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
