/*
 * side_test.c - one poll beside a log gives limits for the whole run and nothing else, whenever and of however many GPUs it was taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs.h"

#define SNAPSHOT_OF(time, attached, gpus)                                                                                  \
	"==============NVSMI LOG==============\n\n" time "Attached GPUs                       : " #attached "\n" gpus
#define BLOCK(bus, limit)                                                                                                  \
	"GPU 00000000:" bus ":00.0\n    Product Name                    : NVIDIA H200\n"                                      \
	"    FB Memory Usage\n        Total                       : 1000 MiB\n        Used                        : 77 MiB\n"   \
	"    Utilization\n        GPU                         : 99 %\n"                                                        \
	"    Power Readings\n        Enforced Power Limit        : " limit " W\n"
#define DAY_BEFORE "Timestamp                           : Fri Nov 20 17:00:00 2026\n"
#define ONE_GPU SNAPSHOT_OF(DAY_BEFORE, 1, BLOCK("1B", "700.00"))

static struct run *settled(struct logs *logs, const char *const *texts, size_t n)
{
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	for (size_t i = 0; i < n; i++)
		run_take(logs, run, arena_print(&logs->mem, "log%zu", i), texts[i]);
	run_settle(run);
	return run;
}
#define TEXTS(...) (const char *const[]){ __VA_ARGS__ }
#define SETTLED(logs, ...) settled((logs), TEXTS(__VA_ARGS__), sizeof(TEXTS(__VA_ARGS__)) / sizeof(char *))

static fixed at(const struct run *run, int gpu, enum metric metric, time_ms t)
{
	const struct track *track = run_track(run, run->gpus[gpu], metric);
	fixed value;

	return track && track_at(track, t, &value) ? value / FIXED_ONE : -1;
}

static void gives_limits_for_the_whole_run(void **state)
{
	struct logs *logs = *state;
	const char *log = gpu_log(&logs->mem, "5555555555", "2222222222", 0);
	/* in whatever order; with no time at all */
	struct run *runs[] = { SETTLED(logs, log, ONE_GPU), SETTLED(logs, ONE_GPU, log),
		SETTLED(logs, SNAPSHOT_OF("", 1, BLOCK("1B", "700.00")), log) };

	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		const struct run *run = runs[i];
		assert_int_equal(run->span.begin, DAWN);
		assert_int_equal(span_length(run->span), 10 * SECOND_MS);
		assert_int_equal(run->n_gpus, 1);
		assert_string_equal(run->gpus[0]->name, "NVIDIA H200");
		for (int second = 0; second < 10; second++) {
			const time_ms t = DAWN + second * SECOND_MS;
			assert_int_equal(at(run, 0, METRIC_GPU_POWER_LIMIT, t), 700);
			assert_int_equal(at(run, 0, METRIC_GPU_MEM_TOTAL, t), 1000);
			assert_int_equal(at(run, 0, METRIC_GPU_MEM_USED, t), 2000);
			assert_int_equal(at(run, 0, METRIC_GPU_UTIL, t), 50);
		}
		assert_int_equal(run->n_recordings, 2);
		assert_string_equal(run->recordings[1]->clock.sentence, arena_print(&logs->mem,
			"%s is one poll: the limits it tells are taken to hold for the whole run, whenever it was taken; "
			"what it says of that moment is not used.", run->recordings[1]->name));
	}
	assert_string_equal(take_complaints(logs), "");
}

static void leaves_what_the_log_says_itself(void **state)
{
	struct logs *logs = *state;
	const char *log = arena_print(&logs->mem, "timestamp, index, utilization.gpu [%%], enforced.power.limit [W]\n"
		"%s, 0, 5 %%, 300 W\n%s, 0, 5 %%, 300 W\n", local_time(&logs->mem, DAWN, '/'),
		local_time(&logs->mem, DAWN + SECOND_MS, '/'));
	const struct run *run = SETTLED(logs, ONE_GPU, log);

	assert_int_equal(at(run, 0, METRIC_GPU_POWER_LIMIT, DAWN), 300);
	assert_int_equal(at(run, 0, METRIC_GPU_MEM_TOTAL, DAWN), 1000);
}

/* The snapshot lists the host's eight cards, the job had one; and it joins two logs by its names. */
static void adds_no_gpu_and_no_core(void **state)
{
	struct logs *logs = *state;
	const char *by_bus = arena_print(&logs->mem,
		"timestamp, pci.bus_id, power.draw [W]\n%s, 00000000:1C:00.0, 9 W\n%s, 00000000:1C:00.0, 9 W\n",
		local_time(&logs->mem, DAWN, '/'), local_time(&logs->mem, DAWN + SECOND_MS, '/'));
	const char *two = SNAPSHOT_OF(DAY_BEFORE, 2, BLOCK("1B", "400.00") BLOCK("1C", "700.00"));
	const struct run *run = SETTLED(logs, by_bus, two);

	assert_int_equal(run->n_gpus, 1);
	assert_int_equal(run->gpus[0]->index, 1);
	assert_int_equal(at(run, 0, METRIC_GPU_POWER_LIMIT, DAWN), 700);
	run = SETTLED(logs, cpu_log(&logs->mem, "55555", "UTC", 0), two);
	assert_int_equal(run->n_gpus, 0);
	assert_int_equal(run->n_recordings, 2);
}

/* Alone, or beside others like it, it is a log that is too short. */
static void is_a_log_when_alone(void **state)
{
	struct logs *logs = *state;
	const struct run *run = SETTLED(logs, ONE_GPU);

	assert_int_equal(run->n_sides, 0);
	assert_int_equal(run->n_gpus, 1);
	assert_int_equal(at(run, 0, METRIC_GPU_UTIL, run->span.begin), -1); /* one sample holds for no time */
	run = SETTLED(logs, ONE_GPU, ONE_GPU);
	assert_int_equal(run->n_sides, 0);
	take_complaints(logs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(gives_limits_for_the_whole_run, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(leaves_what_the_log_says_itself, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(adds_no_gpu_and_no_core, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(is_a_log_when_alone, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
