/*
 * truth_test.c - truth lines, drawn: one character is one second; 'y' YES, '.' NO, '?' UNKNOWN.
 */
#include "drawn_track.h"

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
			at[n_cuts++] = cut_made((time_ms)i * SECOND_MS, truth_of(picture[i]));
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

/* Each moment of a line is in the stretch that is drawn, also before 1970; what is not on the line is in none. */
static void a_moment_is_in_its_stretch_of_yes(void **state)
{
	static const char picture[] = "yy..yyy?y";
	static const struct span of[] = { { 0, 2 }, { 0, 2 }, { 2, 2 }, { 3, 3 }, { 4, 7 }, { 4, 7 }, { 4, 7 }, { 7, 7 }, { 8, 9 } };
	static const time_ms shifts[] = { 0, 86400 * SECOND_MS, -86400 * SECOND_MS };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++) {
		const struct truths at_zero = drawn(&mem, picture);
		struct cut *const cuts = NEW_ARRAY(&mem, struct cut, at_zero.n);
		for (size_t i = 0; i < at_zero.n; i++)
			cuts[i] = cut_made(at_zero.at[i].at + shifts[k], at_zero.at[i].truth);
		const struct truths line = { cuts, at_zero.n, at_zero.end + shifts[k] };
		for (size_t i = 0; i < sizeof of / sizeof *of; i++)
			for (time_ms ms = 0; ms < SECOND_MS; ms += SECOND_MS - 1) {
				const struct span yes = truths_yes_at(line, shifts[k] + (time_ms)i * SECOND_MS + ms);
				assert_int_equal(span_length(yes), (of[i].end - of[i].begin) * SECOND_MS);
				assert_true(!span_length(yes) || yes.begin == shifts[k] + of[i].begin * SECOND_MS);
			}
		assert_int_equal(span_length(truths_yes_at(line, shifts[k] - 1)), 0);
		assert_int_equal(span_length(truths_yes_at(line, line.end)), 0);
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

static void bridges_join_yes_over_gaps(void **state)
{
	static const struct {
		const char *line;
		time_ms merge_gap, max_gap;
		const char *bridged;
	} cases[] = {
		{ "y.y..y...y", 2000, 0, "yyyyyy...y" },
		{ "y.y..y...y", 1999, 0, "yyy..y...y" },
		{ "y.y", 0, 0, "y.y" },
		{ ".y.", 5000, 5000, ".y." },
		{ "", 5000, 5000, "" },
		/* missing time is tolerated apart from false time */
		{ "y?y??y", 0, 1000, "yyy??y" },
		{ "y?y??y", 9000, 0, "y?y??y" },
		{ "y.y?y", 0, 1000, "y.yyy" },
		/* a gap of both: each adds up */
		{ "y.?.y", 2000, 1000, "yyyyy" },
		{ "y.?.y", 1999, 1000, "y.?.y" },
		{ "y?.?y", 1000, 2000, "yyyyy" },
		/* joined but for what is missing: not known, and the NO in it clears nothing */
		{ "y?.?y", 1000, 1999, "y???y" },
		{ "y?y.?y", 5000, 0, "y?y??y" },
		/* only between stretches */
		{ "?.y.?", 9000, 9000, "?.y.?" },
		{ "??..", 9000, 9000, "??.." },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct truths line = truths_bridged(&mem, drawn(&mem, cases[i].line), cases[i].merge_gap, cases[i].max_gap);

		assert_string_equal(picture_of(&mem, line), cases[i].bridged);
	}
	arena_release(&mem);
}

static void a_short_blank_reads_as_what_was_before(void **state)
{
	static const struct {
		const char *line;
		time_ms longest;
		const char *filled;
	} cases[] = {
		{ "yy?yy..?..", 1000, "yyyyy....." },
		{ "yy??yy", 1999, "yy??yy" },
		{ "yy??yy", 2000, "yyyyyy" },
		{ "y?y?.?y", 1000, "yyyy..y" },
		{ "?yy?", 9000, "?yy?" },
		{ "???", 9000, "???" },
		{ "", 9000, "" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(picture_of(&mem, truths_filled(&mem, drawn(&mem, cases[i].line), cases[i].longest)), cases[i].filled);
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

static void what_has_fired_is_kept_over_gaps(void **state)
{
	static const struct {
		const char *line;
		time_ms hold, keep;
		const char *persisted;
	} cases[] = {
		/* no keep: only held */
		{ ".yyy.y.yy", 2000, 0, ".yyy...yy" },
		/* the next YES needs no hold of its own */
		{ ".yyy.y..y.", 3000, 1000, ".yyyyy...." },
		{ ".yyy.y..y.", 3000, 2000, ".yyyyyyyy." },
		{ ".yyy.y..y.", 3000, 1999, ".yyyyy...." },
		/* but one that comes before it fired does */
		{ "y.yyy", 3000, 5000, "..yyy" },
		/* the end is the last YES */
		{ "yyy.....", 3000, 9000, "yyy....." },
		/* missing time is kept over like false time */
		{ "yyy?.y", 3000, 2000, "yyyyyy" },
		{ "yyy?..y", 3000, 1000, "yyy?..." },
		/* perhaps it fired: then perhaps it was kept */
		{ "yy?.y", 3000, 2000, "?????" },
		{ "yy?.y.yyy", 3000, 999, "???...yyy" },
		{ "yy?.y.yyy", 3000, 1000, "??????yyy" },
		{ "yy?y.yyy", 3000, 1000, "?????yyy" },
		{ "yyy?.y", 3000, 1000, "yyy???" },
		{ "???.y..y", 3000, 1000, "?????..." },
		{ "y...???.y", 3000, 1000, "....?????" },
		{ "??..y", 3000, 9000, "??..." },
		/* a hold of nothing, and a keep */
		{ "y.y..y", 0, 1000, "yyy..y" },
		{ "...", 1000, 1000, "..." },
		{ "", 1000, 1000, "" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct truths line = truths_persisted(&mem, drawn(&mem, cases[i].line), cases[i].hold, cases[i].keep);

		assert_string_equal(picture_of(&mem, line), cases[i].persisted);
	}
	arena_release(&mem);
}

static void stretches_are_trimmed_to_true_samples(void **state)
{
	static const struct {
		const char *line, *begins, *ends, *trimmed;
	} cases[] = {
		{ ".yyyyyy.", "...y.y..", "..yy....", "...y...." },
		{ ".yyyyyy.", "yyyyyyyy", "yyyyyyyy", ".yyyyyy." },
		{ ".yyyyyy.", "..yyyyy.", "..yyyyy.", "..yyyyy." },
		/* nothing is said inside: as it was */
		{ ".yyyyyy.", "y......y", "????????", ".yyyyyy." },
		{ ".yyyyyy.", "...y....", "........", "...yyyy." },
		{ ".yyyyyy.", "........", "...y....", ".yyy...." },
		/* nothing would be left: as it was */
		{ ".yyyyyy.", ".....y..", "..y.....", ".yyyyyy." },
		/* each stretch for itself, and one truth over two of them */
		{ "yyy.yyy?yy", ".yyyyyy.yy", "yyyyyy..y.", ".yy.yy.?y." },
		{ "?yy?", "..yy", "yyyy", "?.y?" },
		{ "", "", "", "" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct truths begins = drawn(&mem, cases[i].begins), ends = drawn(&mem, cases[i].ends);

		assert_string_equal(picture_of(&mem, truths_trimmed(&mem, drawn(&mem, cases[i].line), begins, ends)), cases[i].trimmed);
	}
	arena_release(&mem);
}

static void tracks_compare_with_constants(void **state)
{
	static const struct {
		const char *rows;
		double factor;
		enum comparison how;
		double threshold;
		const char *picture;
	} cases[] = {
		{ "12345", 1, LESS, 3, "yy..." },
		{ "12345", 1, LESS_EQUAL, 3, "yyy.." },
		{ "12345", 1, GREATER, 3, "...yy" },
		{ "12345", 1, GREATER_EQUAL, 3, "..yyy" },
		{ "12345", 1, EQUAL, 3, "..y.." },
		{ "12345", 1, NOT_EQUAL, 3, "yy.yy" },
		{ "12345", 100, GREATER, 350, "...yy" },
		{ "12345", -1, LESS, -3, "...yy" },
		{ "12345", 0, EQUAL, 0, "yyyyy" },
		{ "12345", 1, LESS, 100, "yyyyy" },
		{ "12345", 1, LESS, -100, "....." },
		{ "12345", 1, LESS, INFINITY, "yyyyy" },
		{ "12345", 1, LESS, NAN, "?????" },
		/* 0.1 has no double: both sides of the comparison are rounded alike */
		{ "12345", 0.1, EQUAL, 0.3, "....." },
		{ "12345", 0.1, EQUAL, 3 * 0.1, "..y.." },
		/* what is missing is not known, and neither is what follows a hole or ends the log */
		{ "12_45", 1, GREATER, 1, ".y?yy" },
		{ "555     555", 1, GREATER, 1, "yyy?????yyy" },
		{ "   55 55 ", 1, GREATER, 1, "???yyyyy?" },
		{ "5   ", 1, GREATER, 1, "????" },
		{ "    ", 1, GREATER, 1, "????" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct span within = { 0, (time_ms)strlen(cases[i].rows) * SECOND_MS };
		const struct track t = drawn_track(&mem, cases[i].rows);
		const struct truths line = truths_compare_track(&mem, &t, within, cases[i].factor, cases[i].how, cases[i].threshold);

		assert_string_equal(picture_of(&mem, line), cases[i].picture);
	}
	const struct track t = drawn_track(&mem, "12345");
	assert_int_equal(truths_compare_track(&mem, &t, (struct span){ 2000, 2000 }, 1, LESS, 3).n, 0);
	arena_release(&mem);
}

/* A day of a steady value with one sample that differs, wherever it stands in a block of samples. */
static void one_sample_of_a_day_is_seen(void **state)
{
	enum { DAY = 86400 };
	static const struct {
		fixed value;
		enum truth truth;
	} odd[] = { { 90 * FIXED_ONE, NO }, { 90 * FIXED_ONE + 1, YES }, { FIXED_MISSING, UNKNOWN } };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	time_ms *times = NEW_ARRAY(&mem, time_ms, DAY);
	fixed *values = NEW_ARRAY(&mem, fixed, DAY);
	const struct track t = { .times = times, .values = values, .n = DAY, .step = SECOND_MS };
	for (int i = 0; i < DAY; i++) {
		times[i] = i * SECOND_MS;
		values[i] = 10 * FIXED_ONE;
	}
	for (int i = 40000; i < 40200; i++) {
		const size_t which = (size_t)i % 3;

		values[i] = odd[which].value;
		const struct truths line = truths_compare_track(&mem, &t, (struct span){ 0, DAY * SECOND_MS }, 1, GREATER, 90);
		values[i] = 10 * FIXED_ONE;
		assert_int_equal(line.n, odd[which].truth == NO ? 1 : 3);
		assert_true(odd[which].truth == NO || (line.at[1].at == i * SECOND_MS && line.at[1].truth == odd[which].truth));
	}
	arena_release(&mem);
}

static void bounds_say_what_all_values_between_say(void **state)
{
	static const struct {
		enum comparison how;
		const char *picture;
	} cases[] = {
		/* low   0123344
		 * high  2334434 against 3 */
		{ LESS, "y??...?" },
		{ LESS_EQUAL, "yyy?.y?" },
		{ GREATER, "...?y.?" },
		{ GREATER_EQUAL, ".??yyy?" },
		{ EQUAL, ".???.y?" },
		{ NOT_EQUAL, "y???y.?" },
	};
	static const struct piece low[] = { { 0, 0 }, { 1000, 1 }, { 2000, 2 }, { 3000, 3 }, { 4000, 4 }, { 5000, 3 }, { 6000, NAN } };
	static const struct piece high[] = { { 0, 2 }, { 1000, 3 }, { 2000, 3 }, { 3000, 4 }, { 4000, 4 }, { 5000, 3 }, { 6000, 9 } };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct signal b = signal_constant(&mem, 3, (struct span){ 0, 7000 });
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct truths line =
			truths_compare_bounds(&mem, (struct bounds){ { low, 7, 7000 }, { high, 7, 7000 } }, cases[i].how, bounds_of_known(b));

		assert_string_equal(picture_of(&mem, line), cases[i].picture);
	}
	arena_release(&mem);
}

/* A whole number at each second, as a digit; '_' where it is not known. */
static const char *digits_of(struct arena *mem, const struct signal s)
{
	char *picture = NEW_ARRAY(mem, char, (size_t)(s.end / SECOND_MS) + 1);

	for (size_t i = 0; i < s.n; i++) {
		const time_ms end = i + 1 < s.n ? s.at[i + 1].begin : s.end;

		for (time_ms t = s.at[i].begin; t < end; t += SECOND_MS)
			picture[t / SECOND_MS] = (char)(isnan(s.at[i].value) ? '_' : '0' + (int)s.at[i].value);
	}
	return picture;
}

static void lines_are_counted(void **state)
{
	static const struct {
		const char *lines[3];
		size_t n;
		const char *low, *high;
	} cases[] = {
		{ { "y.?y", "yy..", "yy?y" }, 3, "3202", "3222" },
		{ { "y.?y" }, 1, "1001", "1011" },
		{ { "....", "????" }, 2, "0000", "1111" },
		{ { "yyyy", "yy" }, 2, "22", "22" },
		{ { "yyyy", "" }, 2, "", "" },
		{ { NULL }, 0, "", "" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct truths lines[3];

		for (size_t k = 0; k < cases[i].n; k++)
			lines[k] = drawn(&mem, cases[i].lines[k]);
		const struct bounds count = truths_count(&mem, lines, cases[i].n);
		assert_string_equal(digits_of(&mem, count.low), cases[i].low);
		assert_string_equal(digits_of(&mem, count.high), cases[i].high);
	}
	assert_string_equal(digits_of(&mem, truths_signal(&mem, drawn(&mem, ".yy?."))), "011_0");
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
		cmocka_unit_test(a_moment_is_in_its_stretch_of_yes),
		cmocka_unit_test(comparisons_are_as_named),
		cmocka_unit_test(latches_stay_until_reset),
		cmocka_unit_test(bridges_join_yes_over_gaps),
		cmocka_unit_test(a_short_blank_reads_as_what_was_before),
		cmocka_unit_test(short_yes_does_not_count),
		cmocka_unit_test(what_has_fired_is_kept_over_gaps),
		cmocka_unit_test(stretches_are_trimmed_to_true_samples),
		cmocka_unit_test(tracks_compare_with_constants),
		cmocka_unit_test(one_sample_of_a_day_is_seen),
		cmocka_unit_test(bounds_say_what_all_values_between_say),
		cmocka_unit_test(lines_are_counted),
		cmocka_unit_test(lines_and_spans_convert),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
