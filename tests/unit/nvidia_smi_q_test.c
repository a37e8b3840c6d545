/*
 * nvidia_smi_q_test.c - nvidia-smi -q: values by the path of their sections, over all drivers, polls with and without a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define BANNER "\n==============NVSMI LOG==============\n\n"
#define STAMP(time) "Timestamp                           : " time "\n"
#define ATTACHED(n) "Attached GPUs                       : " #n "\n"
#define HEAD(time) BANNER STAMP(time) "Driver Version                      : 590.48.01\n\n" ATTACHED(1)
#define GPU6 "GPU 00000000:00:06.0\n"
#define UTIL(percent) "    Utilization\n        GPU                         : " percent "\n"
#define SECOND "Sat Nov 21 03:10:52 2026"

struct log_case {
	const char *log, *shown, *complaints;
};

static void check(struct logs *logs, const struct log_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = read_text(logs, "smi-q.txt", cases[i].log);

		assert_string_equal(shown(logs, rec, true), cases[i].shown);
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

static void knows_values_by_their_section(void **state)
{
	static const struct log_case cases[] = {
		/* the same keys everywhere: of the link, of the memory, of the clocks, of what stands below a value */
		{ HEAD(SECOND) GPU6 "    Product Name                    : NVIDIA H200\n"
		  "    MIG Mode\n        Current                     : Disabled\n"
		  "    GPU UUID                        : GPU-5306f94a-0000-4000-8000-000000000001\n"
		  "    PCI\n        GPU Link Info\n            PCIe Generation\n"
		  "                Max                 : 5\n                Current             : 4\n"
		  "                Device Max          : 6\n"
		  "            Link Width\n                Max                 : 16x\n                Current             : 8x\n"
		  "        Tx Throughput               : 1024 KB/s\n        Rx Throughput               : 2048 KB/s\n"
		  "    Fan Speed                       : N/A\n    Performance State               : P2\n"
		  "    Clocks Event Reasons\n        Idle                        : Not Active\n"
		  "        SW Power Cap                : Active\n        HW Slowdown                 : Active\n"
		  "            HW Thermal Slowdown     : Not Active\n            HW Power Brake Slowdown : Active\n"
		  "    Clocks Event Reasons Counters\n        SW Power Capping            : 12848665 us\n"
		  "    FB Memory Usage\n        Total                       : 143771 MiB\n        Used                        : 17425 MiB\n"
		  "    BAR1 Memory Usage\n        Total                       : 262144 MiB\n        Used                        : 1 MiB\n"
		  UTIL("97 %") "        Memory                      : 21 %\n"
		  "    Temperature\n        GPU Current Temp            : 59 C\n        GPU T.Limit Temp            : 26 C\n"
		  "        GPU Slowdown T.Limit Temp   : -2 C\n        Memory Current Temp         : 55 C\n"
		  "    GPU Power Readings\n        Average Power Draw          : 629.45 W\n        Instantaneous Power Draw    : 588.39 W\n"
		  "        Current Power Limit         : 700.00 W\n        Max Power Limit             : 750.00 W\n"
		  "    GPU Memory Power Readings \n        Average Power Draw          : 85.83 W\n"
		  "    Clocks\n        SM                          : 1455 MHz\n        Memory                      : 3201 MHz\n"
		  "    Max Clocks\n        SM                          : 1980 MHz\n        Memory                      : 3202 MHz\n"
		  "    Processes\n        Process ID                  : 11345\n            Name                    : a : 5 %\n",
		  "gpu0: gpu.util gpu.mem_util gpu.mem_used gpu.mem_total gpu.power gpu.power_limit gpu.temp gpu.temp_mem "
		  "gpu.temp_margin gpu.clock_sm gpu.clock_sm_max gpu.clock_mem gpu.pstate gpu.throttle.idle gpu.throttle.sw_power "
		  "gpu.throttle.hw_slowdown gpu.throttle.hw_thermal gpu.throttle.hw_brake gpu.throttled.sw_power gpu.fan "
		  "gpu.pcie_gen gpu.pcie_gen_max gpu.pcie_width gpu.pcie_width_max gpu.pcie_rx gpu.pcie_tx\n"
		  "2026-11-21T03:10:52.000 97 21 17425 143771 629.45 700.00 59 55 26 1455 1980 3201 2 0 1 1 0 1 12.848665 - 4 5 8 16 2 1\n", "" },
		/* drivers before 535: other words for the reasons and the power, thresholds in degrees, "Gpu" */
		{ BANNER STAMP("Wed Jul 26 21:04:39 2017") ATTACHED(1) "GPU 0000:00:04.0\n"
		  "    Clocks Throttle Reasons\n        Idle                        : Active\n"
		  "    Utilization\n        Gpu                         : 12 %\n"
		  "    Temperature\n        GPU Current Temp            : 31 C\n        GPU Shutdown Temp           : 97 C\n"
		  "        GPU Slowdown Temp           : 92 C\n        GPU Max Operating Temp      : 89 C\n"
		  "    Power Readings\n        Power Draw                  : 17.97 W\n        Power Limit                 : 125.00 W\n"
		  "        Enforced Power Limit        : 120.00 W\n",
		  "gpu0: gpu.util gpu.power gpu.power_limit gpu.temp gpu.temp_slowdown gpu.temp_shutdown gpu.temp_max_operating "
		  "gpu.throttle.idle\n2017-07-26T21:04:39.000 12 17.97 120.00 31 92 97 89 1\n", "" },
		/* 610: a remark behind the value, a section within the power; no average on this GPU, so the instantaneous one */
		{ HEAD(SECOND) GPU6 "    Fan Speed                       : 38 % [Deprecated; will be removed in CUDA 14.0]\n"
		  "    GPU Power Readings\n        Average Power Draw          : N/A\n        Instantaneous Power Draw    : 97.99 W\n"
		  "        GPU Ceiling Power Limit\n            Current Power Limit     : 250.00 W\n"
		  "    Clocks\n        SM                          : Requested functionality has been deprecated\n",
		  "gpu0: gpu.power gpu.power_limit gpu.clock_sm gpu.fan\n2026-11-21T03:10:52.000 97.99 250.00 - 38\n", "" },
		/* errors of memory: a total where there is one, else its parts */
		{ HEAD(SECOND) GPU6 "    ECC Errors\n        Volatile\n            SRAM Correctable        : 3\n"
		  "            SRAM Uncorrectable Parity : N/A\n            SRAM Uncorrectable SEC-DED : 1\n"
		  "            DRAM Correctable        : 4\n            DRAM Uncorrectable      : 2\n"
		  "        Aggregate\n            SRAM Correctable        : 300\n",
		  "gpu0: gpu.ecc_corrected gpu.ecc_uncorrected\n2026-11-21T03:10:52.000 7 3\n", "" },
		{ HEAD(SECOND) GPU6 "    ECC Errors\n        Volatile\n            Single Bit\n                Device Memory       : 5\n"
		  "                Total               : 6\n            Double Bit\n                Total               : 0\n",
		  "gpu0: gpu.ecc_corrected gpu.ecc_uncorrected\n2026-11-21T03:10:52.000 6 0\n", "" },
		/* what counts since the driver was loaded, the GPU reset, the board made */
		{ HEAD(SECOND) GPU6 "    PCI\n        Replays Since Reset             : 9\n        Replay Number Rollovers         : 0\n"
		  "    Clocks Event Reasons Counters\n        SW Power Capping                : 50091 us\n"
		  "        Sync Boost                      : 0 us\n        SW Thermal Slowdown             : 1 us\n"
		  "        HW Thermal Slowdown             : 2 us\n        HW Power Braking                : 3 us\n"
		  "    Retired Pages\n        Single Bit ECC                  : N/A\n        Double Bit ECC                  : 4\n"
		  "    Remapped Rows\n        Correctable Error               : 5\n        Uncorrectable Error             : 6\n",
		  "gpu0: gpu.throttled.sw_power gpu.throttled.sync_boost gpu.throttled.sw_thermal gpu.throttled.hw_thermal "
		  "gpu.throttled.hw_brake gpu.retired.single_bit gpu.retired.double_bit gpu.remapped.corrected gpu.remapped.uncorrected "
		  "gpu.pcie_replays\n2026-11-21T03:10:52.000 0.050091 0.000000 0.000001 0.000002 0.000003 - 4 5 6 9\n", "" },
		/* MIG: the GPU's own values only */
		{ HEAD(SECOND) GPU6 "    MIG Device\n        Index                       : 0\n        Shared FB Memory Usage\n"
		  "            Total                   : 40448 MiB\n            Used                    : 11091 MiB\n"
		  "    FB Memory Usage\n        Used                        : 11125 MiB\n" UTIL("N/A"),
		  "gpu0: gpu.util gpu.mem_used\n2026-11-21T03:10:52.000 - 11125\n", "" },
		{ HEAD(SECOND) GPU6 UTIL("many"), "gpu0: gpu.util\n2026-11-21T03:10:52.000 -\n",
		  "smi-q.txt:10:39: warning: bad-number: 'many' in Utilization/GPU\n" },
	};

	CHECK(*state, cases);
}

static void reads_poll_after_poll(void **state)
{
	static const struct log_case cases[] = {
		{ HEAD("Sat Nov 21 03:10:52 2026") GPU6 UTIL("1 %") HEAD("Sat Nov 21 03:10:57 2026") GPU6 UTIL("2 %"),
		  "gpu0: gpu.util\n2026-11-21T03:10:52.000 1\n2026-11-21T03:10:57.000 2\n", "" },
		/* -lms: the clock has whole seconds only */
		{ HEAD("Sat Nov 21 03:10:52 2026") GPU6 UTIL("1 %") HEAD("Sat Nov 21 03:10:52 2026") GPU6 UTIL("2 %")
		  HEAD("Sat Nov 21 03:10:53 2026") GPU6 UTIL("3 %") HEAD("Sat Nov 21 03:10:53 2026") GPU6 UTIL("4 %"),
		  "gpu0: gpu.util\n2026-11-21T03:10:52.000 1\n2026-11-21T03:10:52.500 2\n2026-11-21T03:10:53.000 3\n"
		  "2026-11-21T03:10:53.500 4\n",
		  "smi-q.txt: note: spread-rows: several polls within a second of a clock of whole seconds; "
		  "they were spread evenly over it\n" },
		/* a log written twice */
		{ HEAD("Sat Nov 21 03:10:52 2026") GPU6 UTIL("1 %") HEAD("Sat Nov 21 03:10:52 2026") GPU6 UTIL("1 %"),
		  "gpu0: gpu.util\n2026-11-21T03:10:52.000 1\n", "" },
		/* no time: counted, until --start */
		{ BANNER ATTACHED(1) GPU6 UTIL("1 %") BANNER ATTACHED(1) GPU6 UTIL("2 %"),
		  "gpu0: gpu.util\n1970-01-01T00:00:00.000 1\n1970-01-01T00:00:01.000 2\n", "" },
		/* the end of a poll on top, as tail leaves it */
		{ "GPU 00000000:00:07.0\n" UTIL("9 %") HEAD(SECOND) GPU6 UTIL("1 %"), "gpu0: gpu.util\n2026-11-21T03:10:52.000 1\n",
		  "smi-q.txt:11: warning: bad-time: the first time of the log; 1 row above it can't be placed and not used\n" },
		{ HEAD(SECOND) GPU6 UTIL("1 %") BANNER GPU6 UTIL("2 %"), "gpu0: gpu.util\n2026-11-21T03:10:52.000 1\n",
		  "smi-q.txt:14: warning: bad-time: no time stands above this GPU; not used\n" },
		{ BANNER STAMP("yesterday") ATTACHED(1) GPU6 UTIL("1 %"), "gpu0: gpu.util\n1970-01-01T00:00:00.000 1\n",
		  "smi-q.txt:4: warning: bad-time: 'yesterday' is no time, expected like Sat Nov 21 01:48:34 2026\n" },
		/* killed while it wrote: whole lines are used */
		{ HEAD(SECOND) GPU6 UTIL("1 %") "    Temperature\n        GPU Current Temp            : 5",
		  "0:00:06.0: gpu.util\n2026-11-21T03:10:52.000 1\n",
		  "smi-q.txt:12: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
		{ HEAD(SECOND) GPU6 UTIL("1 %") "Unable to determine the device handle for GPU 0000:83:00.0: GPU is lost.\n",
		  "gpu0: gpu.util\n2026-11-21T03:10:52.000 1\n",
		  "smi-q.txt:11: warning: tool-message: nvidia-smi says 'Unable to determine the device handle for "
		  "GPU 0000:83:00.0: GPU is lost.'\n" },
		{ HEAD(SECOND) "GPU somewhere\n" UTIL("1 %"), "",
		  "smi-q.txt:8: warning: bad-row: the block names no GPU; not used\n"
		  "smi-q.txt: warning: no-rows: recognised as nvidia-smi-q, but no row could be used\n" },
		{ BANNER, "", "smi-q.txt: warning: no-rows: recognised as nvidia-smi-q, but no row could be used\n" },
	};

	CHECK(*state, cases);
}

/* The order is the number when all GPUs are there; a masked UUID says nothing. */
static void numbers_the_gpus_of_a_whole_list(void **state)
{
	static const struct {
		const char *log;
		int first, second;
	} cases[] = {
		{ BANNER STAMP(SECOND) ATTACHED(2) GPU6 UTIL("1 %") "GPU 00000000:00:07.0\n" UTIL("2 %"), 0, 1 },
		{ BANNER STAMP(SECOND) ATTACHED(4) GPU6 UTIL("1 %") "GPU 00000000:00:07.0\n" UTIL("2 %"), -1, -1 },
		{ BANNER STAMP(SECOND) GPU6 UTIL("1 %") "GPU 00000000:00:07.0\n" UTIL("2 %"), -1, -1 },
		{ BANNER STAMP(SECOND) ATTACHED(2) GPU6 "    GPU UUID        : GPU-00000000-0000-0000-0000-000000000000\n" UTIL("1 %")
		  "GPU 00000000:00:07.0\n    GPU UUID        : GPU-00000000-0000-0000-0000-000000000000\n" UTIL("2 %"), 0, 1 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = read_text(logs, "smi-q.txt", cases[i].log);
		assert_int_equal(rec->n_channels, 2);
		assert_int_equal(rec->channels[0].entity.index, cases[i].first);
		assert_int_equal(rec->channels[1].entity.index, cases[i].second);
		assert_string_equal(rec->channels[1].entity.bus_id, "0:00:07.0");
		assert_null(rec->channels[1].entity.uuid);
	}
}

static void tells_when_a_gpu_is_lost(void **state)
{
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "smi-q.txt",
		HEAD("Sat Nov 21 03:10:52 2026") GPU6 UTIL("1 %") HEAD("Sat Nov 21 03:10:57 2026") GPU6 UTIL("GPU is lost")
		HEAD("Sat Nov 21 03:11:02 2026") GPU6 UTIL("GPU is lost"));

	assert_int_equal(rec->n_events, 1);
	assert_int_equal(rec->events[0].kind, EVENT_GPU_LOST);
	assert_string_equal(time_clock(&logs->mem, rec->events[0].t), "03:10:57");
	assert_string_equal(rec->events[0].entity.bus_id, "0:00:06.0");
	assert_string_equal(shown_absences(logs, rec), "gpu-lost 2");
	assert_string_equal(rec->tool, "driver 590.48.01");
	assert_int_equal(rec->clock.basis, BASIS_LOCAL);
	assert_false(rec->clock.time_unknown);
}

/* Sections in sections without end, keys longer than any path. */
static void bounds_what_is_nested(void **state)
{
	struct logs *logs = *state;
	struct buf text;

	buf_init(&text, (size_t)1 << 20);
	buf_text(&text, HEAD(SECOND) GPU6);
	for (int depth = 1; depth < 40; depth++)
		buf_print(&text, "%*sdeeper\n", 3 + depth, "");
	buf_print(&text, "    %0300d\n        GPU  : 5 %%\n", 0);
	buf_text(&text, UTIL("1 %"));
	const struct recording *rec = read_text(logs, "smi-q.txt", text_of_buf(&logs->mem, &text));
	assert_string_equal(shown(logs, rec, false), "gpu0: gpu.util\n03:10:52.000 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(knows_values_by_their_section, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(reads_poll_after_poll, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(numbers_the_gpus_of_a_whole_list, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tells_when_a_gpu_is_lost, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(bounds_what_is_nested, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
