/* awaited_rules_test.c - rules that are loaded while something else is done are those that are loaded at once; what can be wrong is told before. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/awaited_rules.h"
#include "logs.h"

#include <sched.h>

static const struct option table[] = {
	RULE_OPTIONS,
	{ NULL, 0, NULL, NULL, NULL },
};

static struct options options_of(struct logs *logs, const char *first, const char *second)
{
	char *arguments[] = { arena_print(&logs->mem, "--no-user-rules"), arena_print(&logs->mem, "%s", first ? first : ""),
		arena_print(&logs->mem, "%s", second ? second : "") };
	struct options o;

	assert_true(options_parse(&logs->mem, table, 1 + (first != NULL) + (second != NULL), arguments, 0, &o));
	return o;
}

static void check_awaited(struct logs *logs)
{
	const struct options o = options_of(logs, NULL, NULL);
	const struct rules *const wanted = load_rules(&logs->mem, &o, &logs->diags);
	struct awaited_rules awaited;

	assert_true(rules_order(&awaited, &logs->mem, &o, false, &logs->diags));
	assert_null(awaited.rules);
	rules_begin(&awaited);
	const struct rules *const rules = rules_await(&awaited);
	assert_int_equal(rules->n, wanted->n);
	assert_string_equal(rules->digest, wanted->digest);
	for (size_t i = 0; i < rules->n; i++)
		assert_string_equal(rules->at[i]->id, wanted->at[i]->id);
	assert_ptr_equal(rules_await(&awaited), rules);
	assert_int_equal(logs->diags.n, 0);
}

static void those_that_are_built_in_are_awaited(void **state)
{
	check_awaited(*state);
}

static void on_one_core_nobody_loads_them_aside(void **state)
{
	cpu_set_t all, one;

	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	CPU_ZERO(&one);
	for (size_t core = 0; core < CPU_SETSIZE && !CPU_COUNT(&one); core++)
		if (CPU_ISSET(core, &all))
			CPU_SET(core, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	check_awaited(*state);
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void what_can_be_wrong_is_loaded_at_once(void **state)
{
	static const struct {
		const char *first, *second;
		bool at_once, is_good;
	} cases[] = {
		{ NULL, NULL, true, true },
		{ "--set", "gpu-hot.margin=3 C", false, true },
		{ "--set", "gpu-hot.margin=3 s", false, false },
		{ "--disable", "gpu-hot", false, true },
		{ "--disable", "gpu-cold", false, false },
		{ "--rules", "/nowhere.yaml", false, false },
	};
	struct logs *const logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct options o = options_of(logs, cases[i].first, cases[i].second);
		struct awaited_rules awaited;

		assert_int_equal(rules_order(&awaited, &logs->mem, &o, cases[i].at_once, &logs->diags), cases[i].is_good);
		assert_int_equal(strlen(take_complaints(logs)) == 0, cases[i].is_good);
		if (!cases[i].is_good)
			continue;
		const struct rules *const rules = awaited.rules;
		assert_non_null(rules);
		rules_begin(&awaited);
		assert_ptr_equal(rules_await(&awaited), rules);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(those_that_are_built_in_are_awaited),
		TEST(on_one_core_nobody_loads_them_aside),
		TEST(what_can_be_wrong_is_loaded_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
