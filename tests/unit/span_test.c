/*
 * span_test.c - sets of time, drawn: one character is one ms, '#' is inside.
 */
#include "series/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct spans drawn(struct arena *mem, const char *picture)
{
	const size_t n = strlen(picture);
	struct span *each = NEW_ARRAY(mem, struct span, n);
	size_t n_spans = 0;

	for (size_t i = 0; i < n; i++)
		if (picture[i] == '#')
			each[n_spans++] = (struct span){ (time_ms)i, (time_ms)i + 1 };
	return spans_of(mem, each, n_spans);
}

static const char *picture_of(struct arena *mem, const struct spans s, const size_t width)
{
	char *picture = NEW_ARRAY(mem, char, width + 1);

	memset(picture, '.', width);
	for (size_t i = 0; i < s.n; i++)
		memset(picture + s.at[i].begin, '#', (size_t)span_length(s.at[i]));
	return picture;
}

static void sets_combine(void **state)
{
	static const struct {
		const char *a, *b, *both, *either, *not_a;
	} cases[] = {
		{ "......", "......", "......", "......", "######" },
		{ "######", "......", "......", "######", "......" },
		{ "##..##", ".####.", ".#..#.", "######", "..##.." },
		{ "##....", "..##..", "......", "####..", "..####" },
		{ "#.#.#.", ".#.#.#", "......", "######", ".#.#.#" },
		{ ".####.", "..#.#.", "..#.#.", ".####.", "#....#" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const size_t width = strlen(cases[i].a);
		const struct spans a = drawn(&mem, cases[i].a), b = drawn(&mem, cases[i].b);
		const struct spans not_a = spans_complement(&mem, a, (struct span){ 0, (time_ms)width });

		assert_string_equal(picture_of(&mem, spans_intersection(&mem, a, b), width), cases[i].both);
		assert_string_equal(picture_of(&mem, spans_union(&mem, a, b), width), cases[i].either);
		assert_string_equal(picture_of(&mem, not_a, width), cases[i].not_a);
	}
	arena_release(&mem);
}

static void any_spans_become_a_set(void **state)
{
	static const struct span any[] = { { 7, 9 }, { 5, 5 }, { 1, 3 }, { 3, 4 }, { 8, 7 }, { 1, 2 } };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct spans s = spans_of(&mem, any, sizeof any / sizeof any[0]);
	assert_int_equal(s.n, 2);
	assert_string_equal(picture_of(&mem, s, 10), ".###...##.");
	assert_int_equal(spans_length(s), 5);
	assert_int_equal(spans_of(&mem, NULL, 0).n, 0);
	assert_int_equal(spans_one(&any[1]).n, 0);
	assert_int_equal(spans_one(&any[0]).n, 1);
	arena_release(&mem);
}

static void spans_are_half_open(void **state)
{
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const char *picture = ".##..#.###";
	const struct spans s = drawn(&mem, picture);
	for (time_ms t = -2; t < 13; t++)
		assert_int_equal(spans_hold(s, t), t >= 0 && t < 10 && picture[t] == '#');
	arena_release(&mem);
}

static void complement_is_cut_to_its_span(void **state)
{
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct spans s = drawn(&mem, "##..##..##");
	const struct spans rest = spans_complement(&mem, s, (struct span){ 1, 7 });
	assert_string_equal(picture_of(&mem, rest, 10), "..##..#...");
	assert_int_equal(spans_complement(&mem, s, (struct span){ 7, 7 }).n, 0);
	arena_release(&mem);
}

static void sets_of_the_same_spans_are_the_same(void **state)
{
	static const struct { const char *a, *b; bool are_same; } cases[] = {
		{ "", "", true },
		{ "...", "......", true },
		{ ".##..#", ".##..#", true },
		{ ".##..#", ".##...", false },
		{ ".##..#", ".#...#", false },
		{ ".##..#", "##...#", false },
		{ "###", ".##", false },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(spans_are_same(drawn(&mem, cases[i].a), drawn(&mem, cases[i].b)), cases[i].are_same);
		assert_int_equal(spans_are_same(drawn(&mem, cases[i].b), drawn(&mem, cases[i].a)), cases[i].are_same);
	}
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_combine),
		cmocka_unit_test(any_spans_become_a_set),
		cmocka_unit_test(spans_are_half_open),
		cmocka_unit_test(complement_is_cut_to_its_span),
		cmocka_unit_test(sets_of_the_same_spans_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
