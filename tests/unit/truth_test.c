/*
 * truth_test.c - truth lines, drawn: one character is one second; 'y' YES, '.' NO, '?' UNKNOWN.
 */
#include "series/truth.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char letters[] = { [NO] = '.', [YES] = 'y', [UNKNOWN] = '?' };

static enum truth truth_of(const char letter)
{
	if (letter == 'y')
		return YES;
	return letter == '?' ? UNKNOWN : NO;
}

static struct truths drawn(struct arena *mem, const char *picture)
{
	const size_t n = strlen(picture);
	struct cut *at = NEW_ARRAY(mem, struct cut, n);
	size_t n_cuts = 0;

	for (size_t i = 0; i < n; i++)
		if (i == 0 || picture[i] != picture[i - 1])
			at[n_cuts++] = (struct cut){ (time_ms)i * SECOND_MS, truth_of(picture[i]) };
	return (struct truths){ at, n_cuts, (time_ms)n * SECOND_MS };
}

static const char *picture_of(struct arena *mem, const struct truths line)
{
	char *picture = NEW_ARRAY(mem, char, (size_t)(line.end / SECOND_MS) + 1);

	for (size_t i = 0; i < line.n; i++) {
		const time_ms end = i + 1 < line.n ? line.at[i + 1].at : line.end;

		assert_true(i == 0 || line.at[i].truth != line.at[i - 1].truth);
		assert_true(end > line.at[i].at);
		for (time_ms t = line.at[i].at; t < end; t += SECOND_MS)
			picture[t / SECOND_MS] = letters[line.at[i].truth];
	}
	return picture;
}

static void logic_is_kleenes(void **state)
{
	static const struct {
		const char *a, *b, *both, *either, *not_a;
	} cases[] = {
		{ "...yyy???", ".y?.y?.y?", "....y?.??", ".y?yyy?y?", "yyy...???" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct truths a = drawn(&mem, cases[i].a), b = drawn(&mem, cases[i].b);

		assert_string_equal(picture_of(&mem, truths_zip(&mem, a, b, truth_and)), cases[i].both);
		assert_string_equal(picture_of(&mem, truths_zip(&mem, a, b, truth_or)), cases[i].either);
		assert_string_equal(picture_of(&mem, truths_not(&mem, a)), cases[i].not_a);
	}
	arena_release(&mem);
}

static void comparisons_are_as_named(void **state)
{
	static const struct {
		enum comparison how;
		const char *picture;
	} cases[] = {
		{ LESS, "y..?" },
		{ LESS_EQUAL, "yy.?" },
		{ GREATER, "..y?" },
		{ GREATER_EQUAL, ".yy?" },
		{ EQUAL, ".y.?" },
		{ NOT_EQUAL, "y.y?" },
	};
	static const struct piece at[] = { { 0, 1 }, { 1000, 2 }, { 2000, 3 }, { 3000, NAN } };
	const struct signal a = { at, 4, 4000 };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct signal b = signal_constant(&mem, 2, (struct span){ 0, 4000 });
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(picture_of(&mem, truths_compare(&mem, a, cases[i].how, b)), cases[i].picture);

	const struct signal late = signal_constant(&mem, 2, (struct span){ 1000, 3000 });
	const struct truths cut = truths_compare(&mem, a, GREATER, late);
	assert_int_equal(cut.n, 2);
	assert_int_equal(cut.at[0].at, 1000);
	assert_int_equal(cut.end, 3000);
	assert_int_equal(truths_compare(&mem, a, LESS, (struct signal){ NULL, 0, 9 }).n, 0);
	arena_release(&mem);
}

static void latches_stay_until_reset(void **state)
{
	static const struct {
		const char *set, *reset, *latched;
	} cases[] = {
		{ "..y......", "y....y...", "..yyy...." },
		{ "y........", ".........", "yyyyyyyyy" },
		/* both at once: set wins */
		{ "..yy.....", "...yy....", "..yy....." },
		/* not known whether it began: nothing begins */
		{ "..?..y...", ".......y.", "..?..yy.." },
		/* not known whether it goes on: as it was, afterwards */
		{ "y.??.....", "..??..y..", "yy??yy..." },
		/* certainly not reset, whatever `set` is */
		{ "y.??.....", "......y..", "yyyyyy..." },
		{ "y..??....", "..?y.....", "yy???...." },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct truths line = truths_latched(&mem, drawn(&mem, cases[i].set), drawn(&mem, cases[i].reset));

		assert_string_equal(picture_of(&mem, line), cases[i].latched);
	}
	arena_release(&mem);
}

static void bridges_join_yes_over_no(void **state)
{
	static const struct {
		const char *line;
		time_ms gap;
		const char *bridged;
	} cases[] = {
		{ "y.y..y...y", 2000, "yyyyyy...y" },
		{ "y.y..y...y", 1999, "yyy..y...y" },
		{ "y.y", 0, "y.y" },
		{ ".y.", 5000, ".y." },
		{ "y?y.?y", 5000, "y?y.?y" },
		{ "", 5000, "" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(picture_of(&mem, truths_bridged(&mem, drawn(&mem, cases[i].line), cases[i].gap, 0)),
			cases[i].bridged);
	arena_release(&mem);
}

static void short_yes_does_not_count(void **state)
{
	static const struct {
		const char *line;
		time_ms hold;
		const char *held;
	} cases[] = {
		{ ".y.yy.yyy", 2000, "...yy.yyy" },
		{ ".y.yy.yyy", 2001, "......yyy" },
		{ ".y.yy.yyy", 0, ".y.yy.yyy" },
		/* with what is not known it may be long enough */
		{ ".y?..", 2000, ".??.." },
		{ ".?y?.", 3000, ".???." },
		{ ".?y?.", 4000, ".?.?." },
		{ ".yy?y.", 4000, ".????." },
		{ ".yy?y.", 2000, ".yy??." },
		{ ".yy?y.", 5000, "...?.." },
		{ "..?..", 9000, "..?.." },
		{ "", 1000, "" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(picture_of(&mem, truths_held(&mem, drawn(&mem, cases[i].line), cases[i].hold)),
			cases[i].held);
	arena_release(&mem);
}

static void lines_and_spans_convert(void **state)
{
	static const struct span any[] = { { 1000, 3000 }, { 5000, 9000 } };
	const struct spans set = { any, 2 };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	assert_string_equal(picture_of(&mem, truths_from_spans(&mem, set, (struct span){ 0, 7000 })), ".yy..yy");
	assert_int_equal(truths_from_spans(&mem, set, (struct span){ 2000, 3000 }).n, 1);
	assert_int_equal(truths_from_spans(&mem, set, (struct span){ 2000, 2000 }).n, 0);
	assert_string_equal(picture_of(&mem, truths_within(&mem, drawn(&mem, "?yyyy?.?"), set)), ".yy..?.?");
	assert_int_equal(truths_within(&mem, drawn(&mem, ""), set).n, 0);

	const struct truths line = drawn(&mem, "y.?yy.??");
	assert_int_equal(truths_spans(&mem, line, YES).n, 2);
	assert_int_equal(truths_spans(&mem, line, UNKNOWN).at[1].end, 8000);
	assert_int_equal(spans_length(truths_spans(&mem, line, NO)), 2000);
	assert_int_equal(truths_length(line, UNKNOWN, set), 3000);
	assert_int_equal(truths_length(line, YES, set), 0);
	assert_string_equal(picture_of(&mem, truths_constant(&mem, UNKNOWN, (struct span){ 0, 2000 })), "??");
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logic_is_kleenes),
		cmocka_unit_test(comparisons_are_as_named),
		cmocka_unit_test(latches_stay_until_reset),
		cmocka_unit_test(bridges_join_yes_over_no),
		cmocka_unit_test(short_yes_does_not_count),
		cmocka_unit_test(lines_and_spans_convert),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
