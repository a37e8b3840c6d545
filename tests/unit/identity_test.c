/*
 * identity_test.c - when two logs speak of the same GPU.
 */
#include "metric/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void bus_ids_have_one_form(void **state)
{
	static const struct {
		const char *text, *normal;
	} cases[] = {
		{ "00000000:1B:00.0", "0:1B:00.0" },
		{ "0000:1B:00.0", "0:1B:00.0" },
		{ "00000000:1b:00.0", "0:1B:00.0" },
		{ "1b:00.0", "0:1B:00.0" },
		{ " 0000:1B:00.0 ", "0:1B:00.0" },
		{ "00010000:1B:00.0", "10000:1B:00.0" },
		{ "00000001:1B:00.0", "1:1B:00.0" },
		{ "0000:00:06.0", "0:00:06.0" },
		{ "", NULL },
		{ "1B:00", NULL },
		{ "[N/A]", NULL },
		{ "00000000:1G:00.0", NULL },
		{ "0:0:0:00.0", NULL },
		{ "000000001B000", NULL },
		{ "0000000000000000000:1B:00.0", NULL },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *normal = bus_id_normal(&mem, slice_of(cases[i].text));

		if (!cases[i].normal)
			assert_null(normal);
		else
			assert_string_equal(normal, cases[i].normal);
	}
	arena_release(&mem);
}

static void the_strongest_shared_name_decides(void **state)
{
	static const struct {
		struct entity a, b;
		bool same;
	} cases[] = {
		{ { .index = 0 }, { .index = 0 }, true },
		{ { .index = 0 }, { .index = 1 }, false },
		/* nameless is nobody */
		{ { .index = -1 }, { .index = -1 }, false },
		/* uuid before bus id before index: indexes change from boot to boot */
		{ { .index = 0, .uuid = "GPU-a" }, { .index = 1, .uuid = "GPU-a" }, true },
		{ { .index = 0, .uuid = "GPU-a" }, { .index = 0, .uuid = "GPU-b" }, false },
		{ { .index = 0, .uuid = "GPU-a", .bus_id = "0:1B:00.0" }, { .index = 0, .uuid = "GPU-b", .bus_id = "0:1B:00.0" }, false },
		{ { .index = 0, .bus_id = "0:1B:00.0" }, { .index = 1, .bus_id = "0:1B:00.0" }, true },
		{ { .index = 0, .bus_id = "0:1B:00.0" }, { .index = 0, .bus_id = "0:1C:00.0" }, false },
		/* names that only one has decide nothing */
		{ { .index = 0, .uuid = "GPU-a" }, { .index = 0, .bus_id = "0:1B:00.0" }, true },
		{ { .index = -1, .uuid = "GPU-a" }, { .index = 0, .bus_id = "0:1B:00.0" }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(gpu_is_same(&cases[i].a, &cases[i].b), cases[i].same);
		assert_int_equal(gpu_is_same(&cases[i].b, &cases[i].a), cases[i].same);
	}
}

static void learning_fills_gaps_and_changes_nothing(void **state)
{
	const struct entity from = { .index = 3, .uuid = "GPU-b", .bus_id = "0:1B:00.0", .name = "H200" };
	struct entity blank = { .index = -1 }, known = { .index = 0, .uuid = "GPU-a" };

	(void)state;
	gpu_learn(&blank, &from);
	assert_int_equal(blank.index, 3);
	assert_string_equal(blank.uuid, "GPU-b");
	assert_string_equal(blank.bus_id, "0:1B:00.0");
	assert_string_equal(blank.name, "H200");
	gpu_learn(&known, &from);
	assert_int_equal(known.index, 0);
	assert_string_equal(known.uuid, "GPU-a");
	assert_string_equal(known.bus_id, "0:1B:00.0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bus_ids_have_one_form),
		cmocka_unit_test(the_strongest_shared_name_decides),
		cmocka_unit_test(learning_fills_gaps_and_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
