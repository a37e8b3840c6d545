/*
 * nvidia_smi_apps_test.c - the processes on each GPU, added up poll by poll.
 *
 * A case is a log, the recording as text (logs.h) and all that is said about it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logs.h"

#define HEAD "timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
#define NO_PROCESS \
	"apps.csv: warning: nothing-told: a header and no processes: none held a GPU while this was logged, and without them the log tells " \
	"no times\n"

static void adds_up_the_processes_of_a_poll(void **state)
{
	static const struct {
		const char *log, *shown, *complaints;
	} cases[] = {
		{ HEAD "2026/11/21 01:58:38.448, GPU-a, 1467, python3, 520 MiB\n2026/11/21 01:58:38.449, GPU-a, 1468, python3, 480 MiB\n"
		       "2026/11/21 01:58:38.470, GPU-b, 1467, python3, 7 MiB\n2026/11/21 01:58:39.448, GPU-a, 1467, python3, 521 MiB\n"
		       "2026/11/21 01:58:40.448, GPU-b, 1467, python3, 7 MiB\n",
		  "GPU-a: gpu.proc.count gpu.proc.mem_used\n01:58:38.448 2 1000\n01:58:39.448 1 521\n01:58:40.448 0 0\n"
		  "GPU-b: gpu.proc.count gpu.proc.mem_used\n01:58:38.470 1 7\n01:58:39.448 0 0\n01:58:40.448 1 7\n", "" },
		/* faster polls than lines of one poll may lie apart: the process comes again */
		{ HEAD "2026/11/21 01:58:38.400, GPU-a, 1, x, 5 MiB\n2026/11/21 01:58:38.500, GPU-a, 1, x, 6 MiB\n"
		       "2026/11/21 01:58:38.501, GPU-a, 2, y, 7 MiB\n",
		  "GPU-a: gpu.proc.count gpu.proc.mem_used\n01:58:38.400 1 5\n01:58:38.500 2 13\n", "" },
		/* names are free text: commas, quotes, nothing */
		{ HEAD "2026/11/21 01:58:38.400, GPU-a, 1, serve --models=a,b, \"c\", 5 MiB\n2026/11/21 01:58:38.400, GPU-a, 2, , 6 MiB\n"
		       "2026/11/21 01:58:39.400, GPU-a, 1\n",
		  "GPU-a: gpu.proc.count gpu.proc.mem_used\n01:58:38.400 2 11\n",
		  "apps.csv:4: warning: bad-row: 3 cells where the header has 5; row not used\n" },
		/* Windows tells no process's memory: the count is known, the sum is not */
		{ "timestamp, gpu_name, gpu_bus_id, pid, process_name, used_gpu_memory [MiB]\n"
		  "2026/11/21 01:58:38.400, NVIDIA H200, 00000000:0C:00.0, 1, C:\\a.exe, [N/A]\n"
		  "2026/11/21 01:58:38.400, NVIDIA H200, 00000000:0C:00.0, 2, C:\\b.exe, 5 MiB\n"
		  "2026/11/21 01:58:39.400, NVIDIA H200, 00000000:0C:00.0, 2, C:\\b.exe, 5 MiB\n",
		  "0:0C:00.0: gpu.proc.count gpu.proc.mem_used\n01:58:38.400 2 -\n01:58:39.400 1 5\n", "" },
		{ HEAD "2026/11/21 01:58:38.400, GPU-a, 1, x, lots\n", "GPU-a: gpu.proc.count gpu.proc.mem_used\n01:58:38.400 1 -\n",
		  "apps.csv:2: warning: bad-number: 'lots' in used_gpu_memory\n" },
		{ HEAD "2026/11/21 01:58:38.400, GPU-a, 1, x, 5 MiB\n2026/11/21 01:58:39.400, GPU-a, x, x, 5 MiB\nlater, GPU-a, 1, x, 5 MiB\n"
		       "2026/11/21 01:58:40.400, [N/A], 1, x, 5 MiB\n",
		  "GPU-a: gpu.proc.count gpu.proc.mem_used\n01:58:38.400 1 5\n",
		  "apps.csv:3: warning: bad-row: 'x' is no process number; line not used (1 more like this)\n"
		  "apps.csv:4: warning: bad-time: 'later' is no time stamp; line not used\n" },
		/* without uuid and bus id there is one GPU; without times polls are a second apart */
		{ "pid, used_gpu_memory [MiB]\n1, 5 MiB\n2, 6 MiB\n1, 7 MiB\n",
		  "gpu0: gpu.proc.count gpu.proc.mem_used\n00:00:00.000 2 11\n00:00:01.000 1 7\n", "" },
		/* a poll that may have been cut is not used, lest its sum be too small */
		{ HEAD "2026/11/21 01:58:38.400, GPU-a, 1, x, 5 MiB\n2026/11/21 01:58:39.400, GPU-a, 1, x, 5 MiB\n"
		       "2026/11/21 01:58:39.401, GPU-a, 2, x, 5",
		  "GPU-a: gpu.proc.count gpu.proc.mem_used\n01:58:38.400 1 5\n",
		  "apps.csv:4: note: cut-row: the last line has no line end, so it may be cut inside a number; not used\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct recording *rec = read_text(logs, "apps.csv", cases[i].log);

		assert_string_equal(take_complaints(logs), cases[i].complaints);
		assert_string_equal(shown(logs, rec, false), cases[i].shown);
		assert_string_equal(rec->format->name, "nvidia-smi-apps");
	}
}

static void refuses_what_has_no_place_in_time(void **state)
{
	static const struct {
		const char *log, *complaints;
	} cases[] = {
		{ HEAD, NO_PROCESS },
		{ HEAD HEAD "\n" HEAD, NO_PROCESS },
		{ HEAD "2026/11/21 01:58:39.400, GPU-a\n",
		  "apps.csv:2: warning: bad-row: 2 cells where the header has 5; row not used\n"
		  "apps.csv: warning: no-rows: recognised as nvidia-smi-apps, but no row could be used\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_null(read_text(logs, "apps.csv", cases[i].log));
		assert_string_equal(take_complaints(logs), cases[i].complaints);
	}
}

static void a_lost_gpu_is_an_event(void **state)
{
	static const char lost[] = "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system";
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "apps.csv",
		arena_print(&logs->mem, "%s2026/11/21 01:58:38.400, GPU-a, 1, x, 5 MiB\n%s\n", HEAD, lost));

	assert_int_equal(rec->n_rows, 1);
	assert_int_equal(rec->n_messages, 1);
	assert_int_equal(rec->n_events, 1);
	assert_int_equal(rec->events[0].kind, EVENT_GPU_LOST);
	assert_string_equal(rec->events[0].entity.bus_id, "0:02:00.0");
	assert_int_equal(rec->events[0].t, channel_time(&rec->channels[0], 0));
}

/* Totals come again at every poll; each is told once, and again when it has grown. */
static void totals_of_processes_are_events(void **state)
{
	static const char log[] =
		"timestamp, gpu_uuid, pid, gpu_utilization [%], mem_utilization [%], max_memory_usage [MiB], time [ms]\n"
		"2026/11/21 01:58:38.000, GPU-a, 5, 45 %, 3 %, 520 MiB, 8000 ms\n"
		"2026/11/21 01:58:39.000, GPU-a, 5, 45 %, 3 %, 520 MiB, 8000 ms\n"
		"2026/11/21 01:58:40.000, GPU-a, 5, 47 %, 3 %, 520 MiB, 9000 ms\n"
		"2026/11/21 01:58:40.000, GPU-a, 6, [N/A], 1 %, 20 MiB, 100 ms\n"
		"2026/11/21 01:58:41.000, GPU-a, x, 1 %, 1 %, 20 MiB, 100 ms\n";
	struct logs *logs = *state;
	const struct recording *rec = read_text(logs, "apps.csv", log);

	assert_non_null(rec);
	assert_int_equal(rec->n_channels, 0);
	assert_int_equal(rec->n_events, 3);
	assert_string_equal(rec->events[0].text, "pid 5: gpu_utilization 45 %, mem_utilization 3 %, max_memory_usage 520 MiB, time 8000 ms");
	assert_string_equal(rec->events[1].text, "pid 5: gpu_utilization 47 %, mem_utilization 3 %, max_memory_usage 520 MiB, time 9000 ms");
	assert_string_equal(rec->events[2].text, "pid 6: mem_utilization 1 %, max_memory_usage 20 MiB, time 100 ms");
	assert_string_equal(rec->events[2].entity.uuid, "GPU-a");
	assert_string_equal(time_clock(&logs->mem, rec->events[1].t), "01:58:40");
	assert_string_equal(take_complaints(logs), "apps.csv:6: warning: bad-row: 'x' is no process number; line not used\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(adds_up_the_processes_of_a_poll, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_has_no_place_in_time, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_lost_gpu_is_an_event, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(totals_of_processes_are_events, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
