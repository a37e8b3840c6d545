/*
 * nvidia_smi_csv_test.c - nvidia-smi's CSV as it is found: every column order, every word for missing, every damage.
 *
 * A case is a log, the recording as text (logs.h) and all that is said about it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "gpu.csv", cases[i].log);

		assert_string_equal(shown(logs, rec, false), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

#define HEAD "timestamp, index, utilization.gpu [%], power.draw [W]\n"

static void finds_columns_by_name(void **state)
{
	static const struct log_case cases[] = {
		{ HEAD "2026/11/21 01:48:34.387, 0, 45 %, 433.78 W\n2026/11/21 01:48:35.390, 0, 46 %, 434.00 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.387 45 433.78\n01:48:35.390 46 434.00\n", "" },
		/* the same, the other way round; time last */
		{ "power.draw [W], utilization.gpu [%], index, timestamp\n433.78 W, 45 %, 0, 2026/11/21 01:48:34.387\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.387 45 433.78\n", "" },
		/* nounits takes them off the cells only */
		{ HEAD "2026/11/21 01:48:34.387, 0, 45, 433.78\n", "gpu0: gpu.util gpu.power\n01:48:34.387 45 433.78\n", "" },
		/* without blanks, as after tr -d ' ' (but in the time) */
		{ "timestamp,index,utilization.gpu[%],power.draw[W]\n2026/11/21 01:48:34.387,0,45%,433.78W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.387 45 433.78\n", "" },
		/* Windows */
		{ "\xEF\xBB\xBF" "timestamp, index, utilization.gpu [%]\r\n2026/11/21 01:48:34.387, 0, 45 %\r\n",
		  "gpu0: gpu.util\n01:48:34.387 45\n", "" },
		/* without identity a pause of the logger is no rhythm of several GPUs */
		{ "timestamp, utilization.gpu [%]\n"
		  "2026/11/21 01:48:30, 1 %\n2026/11/21 01:48:31, 1 %\n2026/11/21 01:48:32, 1 %\n2026/11/21 01:48:33, 1 %\n"
		  "2026/11/21 01:48:34, 1 %\n2026/11/21 01:48:54, 2 %\n2026/11/21 01:48:55, 1 %\n2026/11/21 01:48:56, 1 %\n"
		  "2026/11/21 01:48:57, 1 %\n2026/11/21 01:48:58, 1 %\n",
		  "gpu0: gpu.util\n01:48:30.000 1\n01:48:31.000 1\n01:48:32.000 1\n01:48:33.000 1\n01:48:34.000 1\n01:48:54.000 2\n"
		  "01:48:55.000 1\n01:48:56.000 1\n01:48:57.000 1\n01:48:58.000 1\n", "" },
		/* the least that is a log */
		{ "timestamp, utilization.gpu [%]\n2026/11/21 01:48:34.387, 45 %\n2026/11/21 01:48:35.387, 0 %\n",
		  "gpu0: gpu.util\n01:48:34.387 45\n01:48:35.387 0\n", "" },
		/* another unit is converted: very old drivers wrote MB, some tools mW or GiB */
		{ "timestamp, index, memory.used [MB], power.draw [mW]\n2026/11/21 01:48:34.387, 0, 616 MB, 77160\n"
		  "2026/11/21 01:48:35.387, 0, 2 GiB, 77 W\n",
		  "gpu0: gpu.mem_used gpu.power\n01:48:34.387 616 77.160\n01:48:35.387 2048 77.000\n", "" },
		/* the limit in force, not the one asked for */
		{ "timestamp, index, power.limit [W], enforced.power.limit [W]\n2026/11/21 01:48:34.387, 0, 700.00 W, 500.00 W\n",
		  "gpu0: gpu.power_limit\n01:48:34.387 500.00\n", "" },
		/* times of one or two decimals, or none */
		{ HEAD "2026/11/21 01:48:34.68, 0, 45 %, 1 W\n2026/11/21 01:48:35, 0, 46 %, 2 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.680 45 1\n01:48:35.000 46 2\n", "" },
	};

	CHECK(*state, cases);
}

static void maps_columns_anew_at_each_header(void **state)
{
	static const struct log_case cases[] = {
		/* a shell loop repeats it */
		{ HEAD "2026/11/21 01:48:34.387, 0, 45 %, 433.78 W\n" HEAD HEAD "2026/11/21 01:48:35.387, 0, 46 %, 434.00 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.387 45 433.78\n01:48:35.387 46 434.00\n", "" },
		/* cat of two Windows logs: a byte order mark before the second header */
		{ HEAD "2026/11/21 01:48:34.387, 0, 45 %, 433.78 W\n\xEF\xBB\xBF" HEAD "2026/11/21 01:48:35.387, 0, 46 %, 434.00 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.387 45 433.78\n01:48:35.387 46 434.00\n", "" },
		/* a later header without time costs its own rows, not those before */
		{ HEAD "2026/11/21 01:48:34.387, 0, 45 %, 433.78 W\nindex, utilization.gpu [%]\n0, 46 %\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.387 45 433.78\n",
		  "gpu.csv:4: warning: bad-row: the header in force has no column timestamp; row not used\n" },
		/* a restart with other columns; what a row does not have is missing */
		{ HEAD "2026/11/21 01:48:34.387, 0, 45 %, 433.78 W\n"
		  "index, timestamp, temperature.gpu, utilization.gpu [%]\n0, 2026/11/21 01:50:00.000, 41, 46 %\n",
		  "gpu0: gpu.util gpu.power gpu.temp\n01:48:34.387 45 433.78 -\n01:50:00.000 46 - 41\n", "" },
	};

	CHECK(*state, cases);
}

static void reads_flags_masks_and_states(void **state)
{
	static const struct log_case cases[] = {
		{ "timestamp, index, pstate, clocks_event_reasons.active, clocks_throttle_reasons.sw_power_cap\n"
		  "2026/11/21 01:48:34.000, 0, P0, 0x0000000000000004, Active\n"
		  "2026/11/21 01:48:35.000, 0, P12, 0x00000000000001FF, Not Active\n"
		  "2026/11/21 01:48:36.000, 0, 8, [N/A], [N/A]\n",
		  "gpu0: gpu.pstate gpu.throttle gpu.throttle.sw_power\n01:48:34.000 0 4 1\n01:48:35.000 12 511 0\n01:48:36.000 8 - -\n",
		  "" },
		{ "timestamp, index, pstate, clocks_event_reasons.active, clocks_event_reasons.sw_power_cap\n"
		  "2026/11/21 01:48:34.000, 0, P16, 4, active\n"
		  "2026/11/21 01:48:35.000, 0, P, 0x10000, 1\n",
		  "gpu0: gpu.pstate gpu.throttle gpu.throttle.sw_power\n01:48:34.000 - - -\n01:48:35.000 - - -\n",
		  "gpu.csv:2:29: warning: bad-number: 'P16' in pstate (1 more like this)\n"
		  "gpu.csv:2:34: warning: bad-number: '4' in clocks_event_reasons.active (1 more like this)\n"
		  "gpu.csv:2:37: warning: bad-number: 'active' in clocks_event_reasons.sw_power_cap (1 more like this)\n" },
	};

	CHECK(*state, cases);
}

/* A counter that falls was started again: its values are kept as they are, and nothing is complained of. */
static void reads_counters(void **state)
{
	static const struct log_case cases[] = {
		{ "timestamp, index, clocks_event_reasons.active, clocks_event_reasons_counters.sw_power_cap [us], "
		  "clocks_event_reasons_counters.sync_boost [us], clocks_event_reasons_counters.sw_thermal_slowdown [us], "
		  "clocks_event_reasons_counters.hw_thermal_slowdown [us], clocks_event_reasons_counters.hw_power_brake_slowdown [us]\n"
		  "2026/11/21 03:11:08.855, 0, 0x0000000000000004, 8348694 us, 0 us, 1 us, 2 us, [N/A]\n"
		  "2026/11/21 03:11:09.060, 0, 0x0000000000000004, 12 us, 0 us, 1 us, 2 us, [N/A]\n",
		  "gpu0: gpu.throttle gpu.throttled.sw_power gpu.throttled.sync_boost gpu.throttled.sw_thermal gpu.throttled.hw_thermal "
		  "gpu.throttled.hw_brake\n03:11:08.855 4 8.348694 0.000000 0.000001 0.000002 -\n"
		  "03:11:09.060 4 0.000012 0.000000 0.000001 0.000002 -\n", "" },
		/* the last microsecond of 142 and of 11574 days; what no counter can have is none */
		{ "timestamp, index, clocks_event_reasons_counters.sw_power_cap [us]\n"
		  "2026/11/21 03:11:08.855, 0, 12345678901234 us\n2026/11/21 03:11:09.060, 0, 999999999999999 us\n"
		  "2026/11/21 03:11:10.060, 0, 18446744073709551615 us\n2026/11/21 03:11:11.060, 0, 9223372036854775807 us\n",
		  "gpu0: gpu.throttled.sw_power\n03:11:08.855 12345678.901234\n03:11:09.060 999999999.999999\n03:11:10.060 -\n"
		  "03:11:11.060 -\n",
		  "gpu.csv:4:29: warning: bad-number: '18446744073709551615 us' in clocks_event_reasons_counters.sw_power_cap "
		  "(1 more like this)\n" },
		/* large in its own unit, and as impossible in the metric's */
		{ "timestamp, index, memory.used [KiB]\n2026/11/21 03:11:08.855, 0, 99999999999999 KiB\n2026/11/21 03:11:09.855, 0, 2048 KiB\n",
		  "gpu0: gpu.mem_used\n03:11:08.855 -\n03:11:09.855 2\n",
		  "gpu.csv:2:29: warning: out-of-range: '99999999999999 KiB' in memory.used is impossible; treated as missing\n" },
		{ "timestamp, index, ecc.errors.corrected.volatile.total, ecc.errors.uncorrected.volatile.total, "
		  "retired_pages.single_bit_ecc.count, retired_pages.double_bit.count, retired_pages.pending, remapped_rows.correctable, "
		  "remapped_rows.uncorrectable\n2026/11/21 03:11:08.855, 0, 7, 1, [N/A], 2, No, 3, 0\n",
		  "gpu0: gpu.ecc_corrected gpu.ecc_uncorrected gpu.retired.single_bit gpu.retired.double_bit gpu.remapped.corrected "
		  "gpu.remapped.uncorrected\n03:11:08.855 7 1 - 2 3 0\n", "" },
	};

	CHECK(*state, cases);
}

/* formats.md A1.2. Missing stays missing, and is counted by what the word means. */
static void knows_every_word_for_missing(void **state)
{
	static const struct {
		const char *cell, *reason;
	} cases[] = {
		{ "[N/A]", "not-supported 1" },
		{ "[n/a]", "not-supported 1" },
		{ "N/A", "not-supported 1" },
		{ "[Not Supported]", "not-supported 1" },
		{ "[Not Found]", "not-supported 1" },
		{ "[Function Not Found]", "not-supported 1" },
		{ "-", "not-supported 1" },
		{ "[Requested functionality has been deprecated]", "deprecated 1" },
		{ "[Unknown Error]", "error 1" },
		{ "[Timeout]", "error 1" },
		{ "ERR!", "error 1" },
		{ "[Any word of a driver to come]", "error 1" },
		{ "[GPU is lost]", "gpu-lost 1" },
		{ "[GPU requires reset]", "gpu-lost 1" },
		{ "[Insufficient Permissions]", "no-permission 1" },
		{ "", "empty 1" },
		{ "  ", "empty 1" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *log = arena_print(&logs->mem, "%s2026/11/21 01:48:34.000, 0, %s, 5 W\n", HEAD, cases[i].cell);
		const struct recording *rec = read_text(logs, "gpu.csv", log);

		assert_string_equal(shown(logs, rec, false), "gpu0: gpu.util gpu.power\n01:48:34.000 - 5\n");
		assert_string_equal(shown_absences(logs, rec), cases[i].reason);
		assert_int_equal(rec->channels[0].columns[0].n_absent, 1);
		assert_string_equal(take_complaints(logs), "");
	}
}

static void knows_what_is_no_value(void **state)
{
	static const struct {
		const char *cell, *reason, *complaint;
	} cases[] = {
		{ "Enabled", "unreadable 1", "gpu.csv:2:29: warning: bad-number: 'Enabled' in utilization.gpu\n" },
		{ "nan", "unreadable 1", "gpu.csv:2:29: warning: bad-number: 'nan' in utilization.gpu\n" },
		{ "1e9", "unreadable 1", "gpu.csv:2:29: warning: bad-number: '1e9' in utilization.gpu\n" },
		{ "0x1F", "unreadable 1", "gpu.csv:2:29: warning: bad-number: '0x1F' in utilization.gpu\n" },
		{ "45 W", "unreadable 1", "gpu.csv:2:29: warning: bad-unit: '45 W' in utilization.gpu, expected %\n" },
		{ "45 apples", "unreadable 1", "gpu.csv:2:29: warning: bad-unit: '45 apples' in utilization.gpu, expected %\n" },
		{ "107374182 %", "out-of-range 1",
		  "gpu.csv:2:29: warning: out-of-range: '107374182 %' in utilization.gpu is impossible; treated as missing\n" },
		{ "-1 %", "out-of-range 1",
		  "gpu.csv:2:29: warning: out-of-range: '-1 %' in utilization.gpu is impossible; treated as missing\n" },
		{ "101 %", "out-of-range 1",
		  "gpu.csv:2:29: warning: out-of-range: '101 %' in utilization.gpu is impossible; treated as missing\n" },
		{ "\x1b[2J", "unreadable 1", "gpu.csv:2:29: warning: bad-number: '?[2J' in utilization.gpu\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *log = arena_print(&logs->mem, "%s2026/11/21 01:48:34.000, 0, %s, 5 W\n", HEAD, cases[i].cell);
		const struct recording *rec = read_text(logs, "gpu.csv", log);

		assert_string_equal(shown(logs, rec, false), "gpu0: gpu.util gpu.power\n01:48:34.000 - 5\n");
		assert_string_equal(shown_absences(logs, rec), cases[i].reason);
		assert_string_equal(take_complaints(logs), cases[i].complaint);
	}
}

static void complains_once_a_column(void **state)
{
	static const struct log_case cases[] = {
		{ "timestamp, index, temperature.gpu, utilization.gpu [%]\n"
		  "2026/11/21 01:48:34.000, 0, 255, x\n2026/11/21 01:48:35.000, 0, 255, y\n2026/11/21 01:48:36.000, 0, 41, z\n",
		  "gpu0: gpu.util gpu.temp\n01:48:34.000 - -\n01:48:35.000 - -\n01:48:36.000 - 41\n",
		  "gpu.csv:2:29: warning: out-of-range: '255' in temperature.gpu is impossible; treated as missing (1 more like this)\n"
		  "gpu.csv:2:34: warning: bad-number: 'x' in utilization.gpu (2 more like this)\n" },
	};

	CHECK(*state, cases);
}

static void tells_gpus_apart(void **state)
{
	static const struct log_case cases[] = {
		{ "timestamp, index, utilization.gpu [%]\n"
		  "2026/11/21 01:48:34.000, 0, 1 %\n2026/11/21 01:48:34.003, 1, 2 %\n"
		  "2026/11/21 01:48:35.000, 0, 3 %\n2026/11/21 01:48:35.003, 1, 4 %\n",
		  "gpu0: gpu.util\n01:48:34.000 1\n01:48:35.000 3\ngpu1: gpu.util\n01:48:34.003 2\n01:48:35.003 4\n", "" },
		{ "timestamp, uuid, utilization.gpu [%]\n"
		  "2026/11/21 01:48:34.000, GPU-a, 1 %\n2026/11/21 01:48:34.003, GPU-b, 2 %\n"
		  "2026/11/21 01:48:35.000, GPU-b, 4 %\n2026/11/21 01:48:35.003, GPU-a, 3 %\n",
		  "GPU-a: gpu.util\n01:48:34.000 1\n01:48:35.003 3\nGPU-b: gpu.util\n01:48:34.003 2\n01:48:35.000 4\n", "" },
		/* one device, its domain in 8 digits, in 4, and in lower case */
		{ "timestamp, pci.bus_id, utilization.gpu [%]\n"
		  "2026/11/21 01:48:34.000, 00000000:1B:00.0, 1 %\n2026/11/21 01:48:34.003, 00000000:1C:00.0, 2 %\n"
		  "2026/11/21 01:48:35.000, 0000:1B:00.0, 3 %\n2026/11/21 01:48:36.000, 00000000:1b:00.0, 5 %\n",
		  "0:1B:00.0: gpu.util\n01:48:34.000 1\n01:48:35.000 3\n01:48:36.000 5\n0:1C:00.0: gpu.util\n01:48:34.003 2\n", "" },
		/* a uuid that the driver could not say leaves the index to decide */
		{ "timestamp, index, uuid, utilization.gpu [%]\n"
		  "2026/11/21 01:48:34.000, 0, GPU-a, 1 %\n2026/11/21 01:48:35.000, 0, [Unknown Error], 3 %\n",
		  "gpu0: gpu.util\n01:48:34.000 1\n01:48:35.000 3\n", "" },
		{ "timestamp, index, utilization.gpu [%]\n2026/11/21 01:48:34.000, 0, 1 %\n2026/11/21 01:48:35.000, [N/A], 3 %\n",
		  "gpu0: gpu.util\n01:48:34.000 1\n", "gpu.csv:3:26: warning: bad-row: '[N/A]' is no GPU index; row not used\n" },
		{ "timestamp, uuid, utilization.gpu [%]\n2026/11/21 01:48:34.000, GPU-a, 1 %\n2026/11/21 01:48:35.000, [N/A], 3 %\n",
		  "GPU-a: gpu.util\n01:48:34.000 1\n", "gpu.csv:3: warning: bad-row: the row names no GPU; not used\n" },
	};

	CHECK(*state, cases);
}

/* nvidia-smi does not quote; a spreadsheet that wrote the log again does, and doubles what is inside */
static void takes_quotes_in_a_name_for_its_own(void **state)
{
	static const char *const names[] = { "NVIDIA \"H100\" 80GB", "\"NVIDIA \"\"H100\"\" 80GB\"" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct logs *const logs = *state;
		const struct recording *const rec = read_text(logs, "gpu.csv",
			arena_print(&logs->mem, "timestamp, index, name, utilization.gpu [%%]\n2026/11/21 01:48:34.000, 0, %s, 1 %%\n", names[i]));
		assert_string_equal(rec->channels[0].entity.name, "NVIDIA \"H100\" 80GB");
		assert_int_equal(rec->n_rows, 1);
	}
}

static void keeps_what_else_a_row_names(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "gpu.csv",
		"timestamp, index, name, uuid, pci.bus_id, driver_version, utilization.gpu [%], memory.free [MiB], serial\n"
		"2026/11/21 01:48:34.000, 0, NVIDIA H200, GPU-a, 00000000:1B:00.0, 580.159.04, 1 %, 5 MiB, 1234\n");

	assert_string_equal(rec->channels[0].entity.name, "NVIDIA H200");
	assert_string_equal(rec->channels[0].entity.uuid, "GPU-a");
	assert_string_equal(rec->channels[0].entity.bus_id, "0:1B:00.0");
	assert_string_equal(rec->tool, "driver 580.159.04");
	assert_int_equal(rec->n_unread, 2);
	assert_string_equal(rec->unread[0], "memory.free");
	assert_string_equal(rec->unread[1], "serial");
	assert_int_equal(rec->clock.basis, BASIS_LOCAL);
	assert_null(rec->clock.zone);
	assert_null(rec->host);
}

static void refuses_what_can_mean_anything(void **state)
{
	static const struct log_case cases[] = {
		{ HEAD, "", "gpu.csv: warning: no-rows: recognised as nvidia-smi-csv, but no row could be used\n" },
		{ HEAD "x, 0, 45 %, 5 W\n", "",
		  "gpu.csv:2:1: warning: bad-time: 'x' is no time stamp, expected like 2026/11/21 01:48:34.387; row not used\n"
		  "gpu.csv: warning: no-rows: recognised as nvidia-smi-csv, but no row could be used\n" },
		/* two rows a second: two GPUs, or one looked at twice, in whole seconds */
		{ "timestamp, utilization.gpu [%]\n"
		  "2026/11/21 01:48:34, 1 %\n2026/11/21 01:48:34, 99 %\n2026/11/21 01:48:35, 1 %\n2026/11/21 01:48:35, 99 %\n"
		  "2026/11/21 01:48:36, 1 %\n2026/11/21 01:48:36, 99 %\n2026/11/21 01:48:37, 1 %\n2026/11/21 01:48:37, 99 %\n"
		  "2026/11/21 01:48:38, 1 %\n2026/11/21 01:48:38, 99 %\n",
		  "",
		  "gpu.csv: error: mixed-gpus: rows of several GPUs, but no column index, uuid or pci.bus_id tells them apart; "
		  "the file is not used\n" },
	};

	CHECK(*state, cases);
}

static void leaves_out_damaged_rows_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		/* short, long, garbage and a stray quote in the middle */
		{ HEAD "2026/11/21 01:48:34.000, 0, 1 %, 5 W\n2026/11/21 01:48:35.000, 0, 2 %\n2026/11/21 01:48:36.000, 0, 3 %, 5 W, 7\n"
		  "%$&!\n2026/11/21 01:48:37.000, 0, \"4 %, 5 W\n2026/11/21 01:48:38.000, 0, 5 %, 5 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 1 5\n01:48:38.000 5 5\n",
		  "gpu.csv:3: warning: bad-row: 3 cells where the header has 4; row not used (3 more like this)\n" },
		{ HEAD "2026/11/21 01:48:34.000, 0, 1 %, 5 W\n2026/11/21 01:48:35.000, 0, \"4 %, 5 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 1 5\n", "gpu.csv:3: warning: bad-row: a stray quote; row not used\n" },
		{ HEAD "2026/11/21 01:48:34.000, 0, 1 %, 5 W\n%$&!\n", "gpu0: gpu.util gpu.power\n01:48:34.000 1 5\n",
		  "gpu.csv:3: warning: bad-row: 1 cell where the header has 4; row not used\n" },
		/* what a quote in the middle of a cell leaves is no number; a cell that opens with one and goes on behind it is none, either */
		{ HEAD "2026/11/21 01:48:34.000, 0, 1 %, 5 W\n2026/11/21 01:48:35.000, 0, 4\"4\" %, 5 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 1 5\n01:48:35.000 - 5\n", "gpu.csv:3:29: warning: bad-unit: '4\"4\" %' in utilization.gpu, expected %\n" },
		{ HEAD "2026/11/21 01:48:34.000, 0, 1 %, 5 W\n2026/11/21 01:48:35.000, 0, \"1,4\" %, 5 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 1 5\n", "gpu.csv:3: warning: bad-row: a stray quote; row not used\n" },
		{ HEAD "2026/11/21 01:48:34.000, 0, 1 %, 5 W\n2026/13/21 01:48:35.000, 0, 4 %, 5 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 1 5\n",
		  "gpu.csv:3:1: warning: bad-time: '2026/13/21 01:48:35.000' is no time stamp, expected like 2026/11/21 01:48:34.387; "
		  "row not used\n" },
		/* a killed logger leaves half a row, or half a number that looks whole */
		{ HEAD "2026/11/21 01:48:34.000, 0, 1 %, 5 W\n2026/11/21 01:48:35.000, 0, 2 %, 30",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 1 5\n",
		  "gpu.csv:3: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		/* blank lines and what a shell prints before the log begins */
		{ "nohup: ignoring input\n\n" HEAD "\n2026/11/21 01:48:34.000, 0, 1 %, 5 W\n\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 1 5\n", "" },
	};

	CHECK(*state, cases);
}

/* The GPU of that number. */
static const struct channel *channel_of(const struct recording *rec, int index)
{
	for (size_t i = 0; i < rec->n_channels; i++)
		if (rec->channels[i].entity.index == index)
			return &rec->channels[i];
	fail_msg("there is no GPU %d", index);
	return NULL;
}

/* Forty rows of two GPUs in turn; in one row of the first one a text is another, here in place of there. */
static const char *rows_with(struct arena *mem, const char *columns, const char *const names[2], int odd_row, const char *there, const char *here)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 16);
	buf_print(&out, "timestamp, %s, utilization.gpu [%%]\n", columns);
	for (int i = 0; i < 40; i++) {
		const char *const name = names[i % 2], *const at = i == odd_row ? strstr(name, there) : NULL;
		buf_print(&out, "2026/11/21 01:48:%02d.000, ", i / 2);
		if (at)
			buf_print(&out, "%.*s%s%s", (int)(at - name), name, here, at + strlen(there));
		else
			buf_text(&out, name);
		buf_print(&out, ", %d %%\n", i);
	}
	const char *const text = arena_text(mem, out.at, out.n);
	buf_release(&out);
	return text;
}

/* Whatever one row calls a GPU, be it the first, the second or the last one, it is what all other rows do: that costs the row, or nothing. */
static void one_damaged_row_names_no_gpu(void **state)
{
	static const struct {
		const char *columns, *names[2], *there, *here, *odd; /* what is told of; NULL: the row is used */
	} cases[] = {
		{ "index, uuid, name", { "0, GPU-a, NVIDIA H200", "1, GPU-b, NVIDIA H200" }, "GPU-a", "GPU-q", "GPU-q" },
		{ "index, uuid, name", { "0, GPU-a, NVIDIA H200", "1, GPU-b, NVIDIA H200" }, "0,", "1,", NULL },
		{ "index, uuid, name", { "0, GPU-a, NVIDIA H200", "1, GPU-b, NVIDIA H200" }, "0,", "7,", NULL },
		{ "index, uuid, name", { "0, GPU-a, NVIDIA H200", "1, GPU-b, NVIDIA H200" }, "H200", "H100", NULL },
		{ "index, name", { "0, NVIDIA H200", "1, NVIDIA H200" }, "H200", "H100", "NVIDIA H100" },
		{ "index, pci.bus_id", { "0, 00000000:1B:00.0", "1, 00000000:1C:00.0" }, "1B", "1A", "0:1A:00.0" },
	};
	static const int odd_rows[] = { 0, 2, 38 };
	struct logs *const logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases * 3; i++) {
		const int odd_row = odd_rows[i % 3];
		const size_t n_bad = cases[i / 3].odd != NULL;
		const char *const sound = rows_with(&logs->mem, cases[i / 3].columns, cases[i / 3].names, -1, "", "");
		const char *const text = rows_with(&logs->mem, cases[i / 3].columns, cases[i / 3].names, odd_row, cases[i / 3].there, cases[i / 3].here);
		const struct recording *const rec = read_text(logs, "gpu.csv", text), *const whole = read_text(logs, "gpu.csv", sound);
		const char *const complaint = arena_print(&logs->mem, "gpu.csv:%d: warning: bad-row: '%s' here alone names a GPU that all other "
			"rows name otherwise; row not used\n", odd_row + 2, cases[i / 3].odd);
		assert_string_equal(take_complaints(logs), n_bad ? complaint : "");
		assert_int_equal(rec->n_channels, 2);
		assert_int_equal(rec->n_rows_bad, n_bad);
		for (int k = 0; k < 2; k++) {
			const struct entity *const is = &channel_of(rec, k)->entity, *const was = &channel_of(whole, k)->entity;
			assert_int_equal(channel_of(rec, k)->n_rows, 20 - (k ? 0 : n_bad));
			assert_string_equal(is->name ? is->name : "", was->name ? was->name : "");
			assert_string_equal(is->uuid ? is->uuid : "", was->uuid ? was->uuid : "");
			assert_string_equal(is->bus_id ? is->bus_id : "", was->bus_id ? was->bus_id : "");
		}
	}
}

static void leaves_out_lines_with_nul_and_endless_ones(void **state)
{
	static const char nul[] = HEAD "2026/11/21 01:48:34.000, 0, 5\0 0 %, 5 W\n2026/11/21 01:48:35.000, 0, 6 %, 5 W\n";
	struct logs *logs = *state;
	const struct recording *rec = read_bytes(logs, "gpu.csv", (struct slice){ nul, sizeof nul - 1 });

	assert_string_equal(shown(logs, rec, false), "gpu0: gpu.util gpu.power\n01:48:35.000 6 5\n");
	assert_string_equal(take_complaints(logs), "gpu.csv:2: warning: nul-bytes: a line with NUL bytes; not used\n");

	char *filler = NEW_ARRAY(&logs->mem, char, limit_table[LIMIT_LINE].value + 2);
	memset(filler, 'x', limit_table[LIMIT_LINE].value + 1);
	rec = read_text(logs, "gpu.csv", arena_print(&logs->mem, "%s%s\n2026/11/21 01:48:35.000, 0, 6 %%, 5 W\n", HEAD, filler));
	assert_string_equal(shown(logs, rec, false), "gpu0: gpu.util gpu.power\n01:48:35.000 6 5\n");
	assert_string_equal(take_complaints(logs), "gpu.csv:2: warning: long-line: a line over 64 KiB, the limit 'line' (--limit line=256KiB allows more); not used\n");
}

static void accounts_for_every_line(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "gpu.csv",
		"nohup: ignoring input\n" HEAD "2026/11/21 01:48:34.000, 0, 1 %, 5 W\n\n" HEAD
		"2026/11/21 01:48:34.000, 0, 2 %, 6 W\nrubbish\nNo devices were found\n2026/11/21 01:48:35.000, 0, 3 %, 7 W\n2026/11");

	assert_int_equal(rec->n_rows, 2);
	assert_int_equal(rec->n_rows_bad, 2);     /* rubbish, the cut row */
	assert_int_equal(rec->n_rows_ignored, 6); /* nohup, two headers, a blank, a message, the row that came again */
	assert_true(rec->cut);
	/* of two rows with one time the later stays */
	assert_string_equal(shown(logs, rec, false), "gpu0: gpu.util gpu.power\n01:48:34.000 2 6\n01:48:35.000 3 7\n");
}

static void puts_rows_in_order_and_says_so(void **state)
{
	static const struct log_case cases[] = {
		{ HEAD "2026/11/21 01:48:36.000, 0, 3 %, 5 W\n2026/11/21 01:48:34.000, 0, 1 %, 5 W\n2026/11/21 01:48:35.000, 0, 2 %, 5 W\n"
		  "2026/11/21 01:48:36.000, 0, 4 %, 5 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 1 5\n01:48:35.000 2 5\n01:48:36.000 4 5\n",
		  "gpu.csv: warning: time-back: time steps back; the rows were put in order\n" },
		/* rows that come twice are no step back */
		{ HEAD "2026/11/21 01:48:34.000, 0, 1 %, 5 W\n2026/11/21 01:48:34.000, 0, 1 %, 5 W\n2026/11/21 01:48:35.000, 0, 2 %, 5 W\n",
		  "gpu0: gpu.util gpu.power\n01:48:34.000 1 5\n01:48:35.000 2 5\n", "" },
	};

	CHECK(*state, cases);
}

static void keeps_what_nvidia_smi_says(void **state)
{
	static const char *const messages[] = {
		"Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU",
		"Unable to determine the device handle for GPU0000:07:00.0: Unknown Error",
		"Failed to initialize NVML: Driver/library version mismatch",
		"NVML library version: 535.86",
		"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
		"No devices were found",
		"Field \"cuda_version\" is not a valid field to query.",
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
		const struct recording *rec = read_text(logs, "gpu.csv",
			arena_print(&logs->mem, "%s2026/11/21 01:48:34.000, 0, 1 %%, 5 W\n%s\n%s\n", HEAD, messages[i], messages[i]));

		assert_int_equal(rec->n_rows, 1);
		assert_int_equal(rec->n_rows_bad, 0);
		assert_int_equal(rec->n_messages, 2);
		assert_string_equal(rec->messages[0], messages[i]);
		assert_string_equal(take_complaints(logs),
			arena_print(&logs->mem, "gpu.csv:3: warning: tool-message: nvidia-smi says '%s' (1 more like this)\n",
				messages[i]));
	}
}

static void reads_real_recordings(void **state)
{
	static const struct {
		const char *path;
		size_t n_channels, n_rows;
		time_ms step;
	} cases[] = {
		{ "samples/loader_bound/gpu.csv", 1, 155, 505 },
		{ "samples/straggler_4gpu/gpu.csv", 4, 484, 521 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = format_read(&logs->mem, cases[i].path, NULL, false, &logs->diags);

		assert_int_equal(rec->n_channels, cases[i].n_channels);
		assert_int_equal(rec->n_rows, cases[i].n_rows);
		assert_int_equal(rec->n_rows_bad, 0);
		assert_int_equal(rec->channels[0].step, cases[i].step);
		/* these boards have no fan of their own; nothing else is missing */
		assert_string_equal(shown_absences(logs, rec), arena_print(&logs->mem, "not-supported %zu", cases[i].n_rows));
		assert_string_equal(take_complaints(logs), "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_columns_by_name, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(maps_columns_anew_at_each_header, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_counters, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_flags_masks_and_states, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_every_word_for_missing, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_what_is_no_value, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(complains_once_a_column, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_gpus_apart, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(takes_quotes_in_a_name_for_its_own, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(keeps_what_else_a_row_names, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_can_mean_anything, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_damaged_rows_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(one_damaged_row_names_no_gpu, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_lines_with_nul_and_endless_ones, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(accounts_for_every_line, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(puts_rows_in_order_and_says_so, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(keeps_what_nvidia_smi_says, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_real_recordings, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
