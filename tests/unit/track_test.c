/*
 * track_test.c - until when samples hold, drawn as in drawn_track.h.
 */
#include "drawn_track.h"
#include "series/chunk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* What holds at each second: a digit, or '.' where nothing is known. */
static const char *held(struct arena *mem, const struct track *t, const size_t width)
{
	char *picture = NEW_ARRAY(mem, char, width + 1);

	for (size_t i = 0; i < width; i++) {
		fixed value;

		picture[i] = '.';
		if (track_at(t, (time_ms)i * SECOND_MS, &value))
			picture[i] = (char)('0' + value / FIXED_ONE);
	}
	return picture;
}

static const char *shown(struct arena *mem, const struct spans s, const size_t width)
{
	char *picture = NEW_ARRAY(mem, char, width + 1);

	memset(picture, '.', width);
	for (size_t i = 0; i < s.n; i++)
		memset(picture + s.at[i].begin / SECOND_MS, '#', (size_t)(span_length(s.at[i]) / SECOND_MS));
	return picture;
}

static void samples_hold_until_the_next_but_not_over_holes(void **state)
{
	static const struct {
		const char *rows, *held, *holes, *known;
	} cases[] = {
		/* a steady log ends one step after its last row */
		{ "123   ", "123...", "......", "###..." },
		/* one or two polls late is no hole */
		{ "12  345 ", "1222345.", "........", "#######." },
		/* more than three steps is one: the row before it holds for one step */
		{ "123    4567 ", "123....4567.", "...####.....", "###....####." },
		/* exactly three steps hold */
		{ "123  4567 ", "123334567.", "..........", "#########." },
		/* a missing cell is not the value before it, and is no hole */
		{ "12_45 ", "12.45.", "......", "##.##." },
		{ "____", "....", "....", "...." },
		/* one row alone has no step: nothing says how long it holds */
		{ "5  ", "...", "...", "..." },
		{ "   ", "...", "...", "..." },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const size_t width = strlen(cases[i].rows);
		const struct track t = drawn_track(&mem, cases[i].rows);

		assert_string_equal(held(&mem, &t, width), cases[i].held);
		assert_string_equal(shown(&mem, track_holes(&mem, &t), width), cases[i].holes);
		assert_string_equal(shown(&mem, track_known(&mem, &t), width), cases[i].known);
	}
	arena_release(&mem);
}

static void tracks_span_first_to_end_of_last(void **state)
{
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct track some = drawn_track(&mem, "  123"), none = drawn_track(&mem, "");
	assert_int_equal(track_span(&some).begin, 2000);
	assert_int_equal(track_span(&some).end, 5000);
	assert_int_equal(span_length(track_span(&none)), 0);
	arena_release(&mem);
}

static void seeks_first_at_or_after(void **state)
{
	static const struct {
		time_ms when;
		size_t index;
	} cases[] = { { -1, 0 }, { 0, 0 }, { 1, 1 }, { 1000, 1 }, { 1001, 2 }, { 5000, 2 }, { 5001, 3 } };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct track t = drawn_track(&mem, "12   3");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(track_seek(&t, cases[i].when), cases[i].index);
	arena_release(&mem);
}

static void median_step_is_a_step_that_was_made(void **state)
{
	static const struct {
		time_ms times[6];
		size_t n;
		time_ms step;
	} cases[] = {
		{ { 0 }, 0, 0 },
		{ { 7 }, 1, 0 },
		{ { 7, 1007 }, 2, 1000 },
		{ { 0, 1000, 61000 }, 3, 1000 },         /* of two the smaller */
		{ { 0, 501, 1000, 1501, 2000 }, 5, 499 }, /* 501 499 501 499 */
		{ { 0, 1, 100000, 200000, 300000, 300001 }, 6, 99999 },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(median_step(&mem, cases[i].times, cases[i].n), cases[i].step);
	arena_release(&mem);
}

/* Differences 1, 2, … 999 in a scrambled order: enough for the radix sort. */
static void median_step_of_many(void **state)
{
	time_ms times[1000] = { 0 };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (int i = 1; i < 1000; i++)
		times[i] = times[i - 1] + 1 + (i * 500) % 999;
	assert_int_equal(median_step(&mem, times, 1000), 500);
	arena_release(&mem);
}

/* A column of two chunks and their lowest and highest say nothing of values that stand instead of it. */
static void other_values_have_no_chunks_of_the_old_ones(void **state)
{
	enum { N = 2 * CHUNK + 1 };
	time_ms times[N];
	fixed column[N], values[N];
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (int i = 0; i < N; i++) {
		times[i] = i * SECOND_MS;
		column[i] = 10 * FIXED_ONE;
		values[i] = 90 * FIXED_ONE;
	}
	struct track t = { .times = times, .column = packed_from(&mem, column, N, false), .n = N, .step = SECOND_MS };
	t.formula = (struct formula){ FORMULA_MARGIN, 50 * FIXED_ONE };
	t.chunks = chunks_of(&mem, &t);
	assert_int_equal(t.chunks.n, 2);
	assert_int_equal(t.chunks.at[0].low, 40 * FIXED_ONE);
	struct track made = track_with_values(&t, values);
	assert_int_equal(made.chunks.n, 0);
	assert_int_equal(track_value(&made, 0), 90 * FIXED_ONE);
	made.chunks = chunks_of(&mem, &made);
	assert_int_equal(made.chunks.n, 2);
	assert_int_equal(made.chunks.at[1].high, 90 * FIXED_ONE);
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_hold_until_the_next_but_not_over_holes),
		cmocka_unit_test(tracks_span_first_to_end_of_last),
		cmocka_unit_test(seeks_first_at_or_after),
		cmocka_unit_test(median_step_is_a_step_that_was_made),
		cmocka_unit_test(median_step_of_many),
		cmocka_unit_test(other_values_have_no_chunks_of_the_old_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
