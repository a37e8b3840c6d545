/*
 * metric_test.c - the catalogue can be searched, and agrees with itself; entities have names.
 */
#include "metric/entity.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void finds_metrics_by_any_spelling(void **state)
{
	static const struct {
		const char *text;
		int metric; /* -1: none */
	} cases[] = {
		{ "gpu.util", METRIC_GPU_UTIL },
		{ "gpu_util", METRIC_GPU_UTIL },
		{ "gpu_usage", METRIC_GPU_UTIL },
		{ "cpu_percent", METRIC_CPU_BUSY },
		{ "host.disk_write", METRIC_HOST_DISK_WRITE },
		{ "", -1 },
		{ "|", -1 },
		{ "gpu", -1 },
		{ "gpu_util|gpu_usage", -1 },
		{ "GPU.UTIL", -1 },
		{ "gpu.util ", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		enum metric found = N_METRICS;

		assert_int_equal(metric_find(slice_of(cases[i].text), &found), cases[i].metric >= 0);
		if (cases[i].metric >= 0)
			assert_int_equal(found, cases[i].metric);
	}
}

static void offers_the_nearest_name(void **state)
{
	static const struct {
		const char *text, *nearest;
	} cases[] = {
		{ "gpu.utl", "gpu.util" },
		{ "gpu.pwoer", "gpu.power" },
		{ "host.cpu.bussy", "host.cpu.busy" },
		{ "completely.different", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *nearest = metric_nearest(slice_of(cases[i].text));

		if (cases[i].nearest == NULL)
			assert_null(nearest);
		else
			assert_string_equal(nearest, cases[i].nearest);
	}
}

/* Holds for whatever is added to the catalogue. */
static void every_row_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_METRICS; i++) {
		const struct metric_row *row = &metric_table[i];
		enum metric found;

		assert_non_null(row->name);
		assert_true(row->title[0] != '\0');
		assert_true(row->low < row->high);
		assert_true(metric_find(slice_of(row->name), &found));
		assert_int_equal(found, i); /* no name is given twice */
	}
	assert_true(isinf(metric_table[METRIC_HOST_SWAP_IN].high));
}

static void every_reason_has_its_own_metric(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (size_t i = 0; i < n_throttle_reasons; i++) {
		const struct throttle_reason *reason = &throttle_reasons[i];
		const char *metric = metric_table[reason->metric].name;

		assert_memory_equal(metric, "gpu.throttle.", strlen("gpu.throttle."));
		assert_string_equal(metric + strlen("gpu.throttle."), reason->name);
		assert_int_equal(reason->bit & (reason->bit - 1), 0);
		assert_int_equal(seen & reason->bit, 0);
		seen |= reason->bit;
	}
	assert_int_equal(seen, 0x1ff);
}

static void entities_have_ids_and_labels(void **state)
{
	static const struct {
		struct entity entity;
		const char *id, *label;
	} cases[] = {
		{ { .scope = SCOPE_GPU, .host = "node01", .index = 0 }, "node01/gpu0", "GPU 0" },
		{ { .scope = SCOPE_GPU, .host = "", .index = 12 }, "gpu12", "GPU 12" },
		{ { .scope = SCOPE_GPU, .host = "", .index = -1, .uuid = "GPU-6e1b" }, "GPU-6e1b", "GPU GPU-6e1b" },
		{ { .scope = SCOPE_GPU, .host = "a", .index = -1, .bus_id = "0000:18:00.0" }, "a/0000:18:00.0", "GPU 0000:18:00.0" },
		{ { .scope = SCOPE_GPU, .host = "a", .index = -1 }, "a/gpu", "GPU gpu" },
		{ { .scope = SCOPE_CORE, .host = "node01", .index = 3 }, "node01/core3", "core 3" },
		{ { .scope = SCOPE_HOST, .host = "node01", .index = -1 }, "node01", "node01" },
		{ { .scope = SCOPE_HOST, .host = "", .index = -1 }, "host", "host" },
		{ { .scope = SCOPE_RUN, .host = "", .index = -1 }, "run", "run" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_string_equal(entity_id(&mem, &cases[i].entity), cases[i].id);
		assert_string_equal(entity_label(&mem, &cases[i].entity), cases[i].label);
	}
	arena_release(&mem);
}

static void entities_are_ordered(void **state)
{
	static const struct entity in_order[] = {
		{ .scope = SCOPE_HOST, .host = "a", .index = -1 },
		{ .scope = SCOPE_GPU, .host = "a", .index = 2 },
		{ .scope = SCOPE_GPU, .host = "a", .index = 10 },
		{ .scope = SCOPE_CORE, .host = "a", .index = 0 },
		{ .scope = SCOPE_HOST, .host = "b", .index = -1 },
	};
	const int n = sizeof in_order / sizeof in_order[0];

	(void)state;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			const int order = entity_compare(&in_order[i], &in_order[j]);

			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_metrics_by_any_spelling),
		cmocka_unit_test(offers_the_nearest_name),
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(every_reason_has_its_own_metric),
		cmocka_unit_test(entities_have_ids_and_labels),
		cmocka_unit_test(entities_are_ordered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
