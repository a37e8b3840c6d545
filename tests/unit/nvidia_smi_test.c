/*
 * nvidia_smi_test.c - which GPU an error line of nvidia-smi names, in the wordings of all its ages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/nvidia_smi.h"
#include "logs.h"

#define HANDLE "Unable to determine the device handle for "

static void finds_the_gpu_in_every_wording(void **state)
{
	static const struct {
		const char *line;
		int index; /* -1: none */
		const char *bus_id;
	} cases[] = {
		{ HANDLE "GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU", -1, "0:02:00.0" },
		{ HANDLE "GPU 0000:02:00.0: GPU is lost. Reboot the system to recover this GPU", -1, "0:02:00.0" },
		{ HANDLE "GPU0000:07:00.0: Unknown Error", -1, "0:07:00.0" },
		{ HANDLE "gpu 0000:18:00.0: Unknown Error", -1, "0:18:00.0" },
		{ HANDLE "GPU 00000000:ca:00.0: Unknown Error", -1, "0:CA:00.0" },
		{ HANDLE "GPU00010000:CA:00.0: Unknown Error", -1, "10000:CA:00.0" },
		{ HANDLE "GPU1: 0000:0B:00.0: Unknown Error", 1, "0:0B:00.0" },
		{ HANDLE "GPU 12: 0000:0B:00.0: Unknown Error", 12, "0:0B:00.0" },
		{ HANDLE "GPU1: Unknown Error", 1, NULL },
		{ "        " HANDLE "GPU 0000:03:00.0: GPU is lost.  Reboot\r", -1, "0:03:00.0" },
		{ HANDLE "GPU 0000:03:00.0", -1, "0:03:00.0" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct entity gpu;

		assert_true(smi_is_message(slice_of(cases[i].line)));
		assert_true(smi_lost_gpu(&logs->mem, slice_of(cases[i].line), &gpu));
		assert_int_equal(gpu.scope, SCOPE_GPU);
		assert_int_equal(gpu.index, cases[i].index);
		assert_string_equal(gpu.bus_id ? gpu.bus_id : "none", cases[i].bus_id ? cases[i].bus_id : "none");
	}
}

static void finds_none_where_none_is_named(void **state)
{
	static const char *const lines[] = {
		"", "Unable to", HANDLE, HANDLE "GP", HANDLE "GPU", HANDLE "GPU ", HANDLE "GPU: Unknown Error", HANDLE "GPU 12345678",
		HANDLE "GPU 99999999999999999999: 1", HANDLE "GPU 70000: x", HANDLE "GPU ::::::::::::::::", HANDLE "GPU x:02:00.0: Unknown",
		HANDLE "device 0000:02:00.0: Unknown Error", "Failed to initialize NVML: Unknown Error", "No devices were found",
		"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct entity gpu;
		assert_false(smi_lost_gpu(&logs->mem, slice_of(lines[i]), &gpu));
	}
}

/* Every reader of nvidia-smi's logs takes messages by the same function. */
static void every_log_of_nvidia_smi_makes_the_event(void **state)
{
#define LOST HANDLE "GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU\n"
	static const char *const logs_with_it[] = {
		"timestamp, index, utilization.gpu [%]\n" LOST "2026/11/21 01:48:34.000, 0, 34 %\n",
		"#Date Time gpu sm\n" LOST " 20261121 01:48:34 0 34\n",
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof logs_with_it / sizeof *logs_with_it; i++)
		assert_string_equal(shown_log_events(logs, read_text(logs, "log", logs_with_it[i])),
			"2026-11-21T01:48:34.000Z gpu-lost 0:02:00.0: " HANDLE
			"GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_the_gpu_in_every_wording, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(finds_none_where_none_is_named, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(every_log_of_nvidia_smi_makes_the_event, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
