/*
 * signal_test.c - step functions, drawn: one character is one second, a digit its value, '_' not
 * known.
 */
#include "drawn_track.h"

#include "series/signal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct signal drawn(struct arena *mem, const char *picture)
{
	const size_t n = strlen(picture);
	struct piece *at = NEW_ARRAY(mem, struct piece, n);

	for (size_t i = 0; i < n; i++)
		at[i] = (struct piece){ (time_ms)i * SECOND_MS, picture[i] == '_' ? (double)NAN : picture[i] - '0' };
	return (struct signal){ at, n, (time_ms)n * SECOND_MS };
}

static double value_at(const struct signal *s, const time_ms t)
{
	double value = NAN;

	for (size_t i = 0; i < s->n && s->at[i].begin <= t; i++)
		value = s->at[i].value;
	return t < s->end ? value : (double)NAN;
}

/* As drawn; '?' for what is no digit. */
static const char *picture_of(struct arena *mem, const struct signal s)
{
	const size_t n = (size_t)(s.end / SECOND_MS);
	char *picture = NEW_ARRAY(mem, char, n + 1);

	for (size_t i = 0; i < n; i++) {
		const double value = value_at(&s, (time_ms)i * SECOND_MS);
		const bool is_one_digit = value >= 0 && value <= 9 && floor(value) == value;

		picture[i] = (char)(isnan(value) ? '_' : is_one_digit ? '0' + (int)value : '?');
	}
	return picture;
}

static void tracks_become_signals(void **state)
{
	static const time_ms times[] = { 1000, 2000, 3000, 9000, 10000 };
	static const fixed values[] = { 1 * FIXED_ONE, 2 * FIXED_ONE, FIXED_MISSING, 4 * FIXED_ONE, 5 * FIXED_ONE };
	static const struct {
		struct span within;
		const char *picture; /* from 0 */
	} cases[] = {
		{ { 0, 12000 }, "_12______45_" },
		{ { 2000, 10000 }, "__2______4" },
		{ { 2500, 3000 }, "___" },
		{ { 5000, 8000 }, "________" },
		{ { 20000, 21000 }, "_____________________" },
	};
	const struct track t = { .times = times, .values = values, .n = 5, .step = 1000 };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct signal s = signal_from_track(&mem, &t, cases[i].within);

		assert_int_equal(s.at[0].begin, cases[i].within.begin);
		assert_int_equal(s.end, cases[i].within.end);
		assert_string_equal(picture_of(&mem, s), cases[i].picture);
	}
	const struct signal middle = signal_from_track(&mem, &t, (struct span){ 2500, 3000 });
	assert_true(value_at(&middle, 2500) == 2);
	assert_int_equal(signal_from_track(&mem, &t, (struct span){ 7, 7 }).n, 0);
	arena_release(&mem);
}

static double sum(const double a, const double b)
{
	return a + b;
}

static double first_known(const double a, const double b)
{
	return isnan(a) ? b : a;
}

static void signals_zip(void **state)
{
	static const struct {
		const char *a, *b;
		double (*f)(double, double);
		const char *result;
	} cases[] = {
		{ "1122", "1234", sum, "2356" },
		{ "1_22", "12_4", sum, "2__6" },
		{ "1_22", "12_4", first_known, "1222" },
		{ "1122", "12", sum, "23" },
		{ "", "12", sum, "" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct signal s = signal_zip(&mem, drawn(&mem, cases[i].a), drawn(&mem, cases[i].b), cases[i].f);

		assert_string_equal(picture_of(&mem, s), cases[i].result);
	}
	arena_release(&mem);
}

static void folds_roll_centred(void **state)
{
	static const struct {
		const char *s;
		time_ms width;
		enum fold fold;
		const char *rolled;
	} cases[] = {
		/* the window of 2 s at second i holds seconds i - 1 and i */
		{ "00008888", 2000, FOLD_MEAN, "00004888" },
		{ "00008888", 2000, FOLD_MAX, "00008888" },
		{ "00008888", 2000, FOLD_MIN, "00000888" },
		{ "00008888", 2000, FOLD_SPREAD, "00008000" },
		/* a spike of one second in windows of four */
		{ "000008000000", 4000, FOLD_MEAN, "000022220000" },
		{ "000008000000", 4000, FOLD_P50, "000000000000" },
		{ "000008000000", 4000, FOLD_P95, "000088880000" },
		{ "123456789", 4000, FOLD_P50, "122345678" },
		{ "123456789", 4000, FOLD_P5, "111234567" },
		/* half of the window must be known; at the ends the window is cut */
		{ "5555______5555", 4000, FOLD_MEAN, "55555_____5555" },
		{ "5555______5555", 4000, FOLD_P50, "55555_____5555" },
		{ "____", 2000, FOLD_MEAN, "____" },
		{ "____", 2000, FOLD_P50, "____" },
		{ "7", 60000, FOLD_MEAN, "7" },
		{ "7", 60000, FOLD_P95, "7" },
		{ "123456789", 4000, FOLD_P75, "233456789" },
		{ "123456789", 4000, FOLD_P99, "234567899" },
		{ "123456789", 4000, FOLD_P10, "111234567" },
		/* two values of equal weight are as far from their mean as each other */
		{ "22882288", 4000, FOLD_STDDEV, "0?33333?" },
		{ "777777", 4000, FOLD_STDDEV, "000000" },
		{ "7", 4000, FOLD_SLOPE, "0" },
		{ "777777", 4000, FOLD_SLOPE, "000000" },
		/* the first known value of a window has not changed in it */
		{ "000666", 4000, FOLD_CHANGES, "001110" },
		{ "12121212", 4000, FOLD_CHANGES, "12333332" },
		{ "5_5_6_6_6_6", 4000, FOLD_CHANGES, "00011000000" },
		{ "5__5__6___7", 4000, FOLD_CHANGES, "0_0__1_____" },
		{ "111222", 2000, FOLD_TOTAL, "122344" },
		{ "1_1_", 4000, FOLD_TOTAL, "122_" },
		{ "111222", 2000, FOLD_DELTA, "122344" },
		{ "111333", 2000, FOLD_RATE, "111233" },
		/* what was before the first value nobody knows; what is not known comes later too */
		{ "12345", 2000, FOLD_EARLIER, "__123" },
		{ "1_3_55", 1000, FOLD_EARLIER, "_1_3_5" },
		{ "777", 3000, FOLD_EARLIER, "___" },
		{ "777", 60000, FOLD_EARLIER, "___" },
		{ "", 1000, FOLD_EARLIER, "" },
		{ "", 1000, FOLD_MEAN, "" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct signal s = signal_rolling(&mem, drawn(&mem, cases[i].s), cases[i].width, cases[i].fold);

		assert_string_equal(picture_of(&mem, s), cases[i].rolled);
	}
	arena_release(&mem);
}

/* Two steady hours with one edge, and a window of a minute: only the edge costs moments. */
static void long_pieces_cost_few_moments(void **state)
{
	static const struct piece at[] = { { 0, 0 }, { HOUR_MS, 100 } };
	const struct signal s = { at, 2, 2 * HOUR_MS };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct signal mean = signal_rolling(&mem, s, MINUTE_MS, FOLD_MEAN);
	const struct signal median = signal_rolling(&mem, s, MINUTE_MS, FOLD_P50);
	assert_in_range(mean.n, 4, 6);
	assert_true(value_at(&mean, HOUR_MS - 31 * SECOND_MS) == 0);
	assert_true(value_at(&mean, HOUR_MS - 15 * SECOND_MS) == 25);
	assert_true(value_at(&mean, HOUR_MS) == 50);
	assert_true(value_at(&mean, HOUR_MS + 15 * SECOND_MS) == 75);
	assert_true(value_at(&mean, HOUR_MS + 30 * SECOND_MS) == 100);
	assert_in_range(median.n, 2, 3);
	arena_release(&mem);
}

static void folds_weigh_time_inside(void **state)
{
	static const struct {
		const char *s;
		enum fold fold;
		struct span within[2];
		size_t n_within;
		double value;
	} cases[] = {
		{ "1_39", FOLD_MEAN, { { 0, 4000 } }, 1, 13.0 / 3 },
		{ "1_39", FOLD_MIN, { { 2000, 4000 } }, 1, 3 },
		{ "1_39", FOLD_MAX, { { 0, 1 }, { 2500, 2501 } }, 2, 3 },
		{ "1_39", FOLD_SPREAD, { { 0, 4000 } }, 1, 8 },
		{ "1_39", FOLD_P50, { { 0, 4000 } }, 1, 3 },
		{ "1_39", FOLD_P50, { { 500, 4000 } }, 1, 3 },
		{ "1_39", FOLD_P50, { { 2500, 9000 } }, 1, 9 },
		{ "1_39", FOLD_P5, { { 0, 4000 } }, 1, 1 },
		{ "1_39", FOLD_P95, { { 0, 4000 } }, 1, 9 },
		{ "1_39", FOLD_MEAN, { { 1000, 2000 } }, 1, NAN },
		{ "1_39", FOLD_P95, { { 1000, 2000 } }, 1, NAN },
		{ "1_39", FOLD_MEAN, { { 8000, 9000 } }, 1, NAN },
		{ "1_39", FOLD_MAX, { { 0, 0 } }, 0, NAN },
		{ "", FOLD_P50, { { 0, 1000 } }, 1, NAN },
		{ "1_39", FOLD_P10, { { 0, 4000 } }, 1, 1 },
		{ "1_39", FOLD_P75, { { 0, 4000 } }, 1, 9 },
		{ "1_39", FOLD_P99, { { 0, 4000 } }, 1, 9 },
		{ "2_88", FOLD_STDDEV, { { 0, 3000 } }, 1, 3 },
		{ "2_22", FOLD_STDDEV, { { 0, 4000 } }, 1, 0 },
		{ "____", FOLD_STDDEV, { { 0, 4000 } }, 1, NAN },
		/* a staircase of n steps is a little flatter than the line along it: by 1 - 1/n² */
		{ "0123456789", FOLD_SLOPE, { { 0, 10000 } }, 1, 0.99 },
		{ "9876543210", FOLD_SLOPE, { { 0, 10000 } }, 1, -0.99 },
		{ "05", FOLD_SLOPE, { { 0, 1000 } }, 1, 0 },
		{ "08", FOLD_SLOPE, { { 0, 2000 } }, 1, 6 },
		/* what is missing has no weight, but the time of the others counts */
		{ "0______8", FOLD_SLOPE, { { 0, 8000 } }, 1, 8 * 3.5 / (2 * 3.5 * 3.5 + 1.0 / 6) },
		{ "____", FOLD_SLOPE, { { 0, 4000 } }, 1, NAN },
		{ "1_1232", FOLD_CHANGES, { { 0, 6000 } }, 1, 3 },
		{ "1_1232", FOLD_CHANGES, { { 0, 3000 } }, 1, 0 },
		{ "1_1232", FOLD_CHANGES, { { 0, 1000 }, { 5000, 6000 } }, 2, 1 },
		{ "1_12__", FOLD_CHANGES, { { 4000, 6000 } }, 1, NAN },
		{ "1_39", FOLD_TOTAL, { { 0, 4000 } }, 1, 13 },
		{ "1_39", FOLD_TOTAL, { { 500, 2500 } }, 1, 2 },
		{ "1_39", FOLD_TOTAL, { { 1000, 2000 } }, 1, NAN },
		{ "1_39", FOLD_DELTA, { { 0, 4000 } }, 1, 13 },
		{ "1_39", FOLD_RATE, { { 0, 4000 } }, 1, 13.0 / 3 },
		{ "1_01", FOLD_SHARE, { { 0, 4000 } }, 1, 200.0 / 3 },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct spans within = { cases[i].within, cases[i].n_within };
		const double value = signal_fold(&mem, drawn(&mem, cases[i].s), within, cases[i].fold);

		assert_true(isnan(cases[i].value) ? isnan(value) : fabs(value - cases[i].value) < 1e-12);
	}
	const struct span half = { 500, 2500 };
	assert_int_equal(signal_known(drawn(&mem, "1_39"), spans_one(&half)), 1000);
	arena_release(&mem);
}

static void folds_go_across(void **state)
{
	static const struct {
		const char *many[3];
		size_t n;
		enum fold fold;
		const char *result;
	} cases[] = {
		{ { "1119", "2222", "3339" }, 3, FOLD_MAX, "3339" },
		{ { "1119", "2222", "3339" }, 3, FOLD_MIN, "1112" },
		{ { "1114", "2222", "3333" }, 3, FOLD_MEAN, "2223" },
		{ { "1119", "2222", "3339" }, 3, FOLD_SPREAD, "2227" },
		{ { "1119", "2222", "3330" }, 3, FOLD_P50, "2222" },
		{ { "1119", "2282", "3330" }, 3, FOLD_P5, "1110" },
		{ { "1119", "2282", "3330" }, 3, FOLD_P95, "3389" },
		{ { "1_19", "2222", "333_" }, 3, FOLD_MAX, "3_3_" },
		{ { "1_19" }, 1, FOLD_P50, "1_19" },
		{ { "1119", "2222", "3330" }, 3, FOLD_P75, "3339" },
		{ { "1113", "2222", "333_" }, 3, FOLD_SUM, "666_" },
		{ { "2227", "2872", "222_" }, 3, FOLD_STDDEV, "0??_" },
		{ { "2227", "8222" }, 2, FOLD_STDDEV, "300?" },
		{ { "12", "1234" }, 2, FOLD_MAX, "12" },
		{ { "12", "" }, 2, FOLD_MAX, "" },
		{ { NULL }, 0, FOLD_MAX, "" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct signal many[3];

		for (size_t k = 0; k < cases[i].n; k++)
			many[k] = drawn(&mem, cases[i].many[k]);
		assert_string_equal(picture_of(&mem, signal_across(&mem, many, cases[i].n, cases[i].fold, 0)), cases[i].result);
	}
	arena_release(&mem);
}

/* At most 9 and at least 0 is what a missing one can be. */
static void what_some_miss_has_bounds(void **state)
{
	static const struct {
		const char *many[3];
		size_t n;
		enum fold fold;
		const char *low, *high; /* "": there are none */
	} cases[] = {
		{ { "1_1_", "2222", "333_" }, 3, FOLD_MAX, "_3_2", "_9_9" },
		{ { "1_1_", "2222", "333_" }, 3, FOLD_MIN, "_0_0", "_2_2" },
		{ { "1_1_", "2222", "333_" }, 3, FOLD_P50, "_2_0", "_3_9" },
		{ { "1_1_", "9999", "333_" }, 3, FOLD_MAX, "_9_9", "_9_9" },
		{ { "1__", "2__", "3_4" }, 3, FOLD_MAX, "__4", "__9" },
		{ { "1_1_", "2222", "333_" }, 3, FOLD_MEAN, "", "" },
		{ { "1_1_", "2222", "333_" }, 3, FOLD_SPREAD, "", "" },
		{ { "1_1_", "2_2_", "3_3_" }, 3, FOLD_MAX, "", "" },
		{ { "1111", "2222", "3333" }, 3, FOLD_MAX, "", "" },
		{ { "1_1_" }, 1, FOLD_MAX, "", "" },
		{ { NULL }, 0, FOLD_MAX, "", "" },
	};
	static const struct span all = { 0, 4 * SECOND_MS };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct bounding bounding = { { 0, 9 }, spans_one(&all) };
		struct signal many[3], number;
		struct bounds b;

		for (size_t k = 0; k < cases[i].n; k++)
			many[k] = drawn(&mem, cases[i].many[k]);
		const bool has_any = signal_across_bounds(&mem, many, cases[i].n, cases[i].fold, 0, &bounding, &number, &b);
		assert_string_equal(has_any ? picture_of(&mem, b.low) : "", cases[i].low);
		assert_string_equal(has_any ? picture_of(&mem, b.high) : "", cases[i].high);
	}
	arena_release(&mem);
}

/* What changes within a poll of the first is one moment, with the values after the last; but nobody changes twice in one. */
static void rows_of_a_poll_are_one_moment(void **state)
{
	static const struct {
		const char *many[2];
		time_ms poll; /* s */
		const char *result;
	} cases[] = {
		{ { "111555", "111155" }, 0, "111355" },
		{ { "111555", "111155" }, 1, "111555" },
		{ { "111555", "111115" }, 1, "111335" },
		{ { "111555", "111115" }, 2, "111555" },
		{ { "115511", "111551" }, 1, "115511" },
		{ { "113511", "111551" }, 1, "112511" },
		{ { "11_555", "111155" }, 1, "11_555" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct span all = { 0, 6 * SECOND_MS };
		/* Set in all: what does not change is one piece. */
		const struct signal many[] = { signal_set_in(&mem, drawn(&mem, cases[i].many[0]), all),
			signal_set_in(&mem, drawn(&mem, cases[i].many[1]), all) };

		assert_string_equal(picture_of(&mem, signal_across(&mem, many, 2, FOLD_MEAN, cases[i].poll * SECOND_MS)), cases[i].result);
	}
	arena_release(&mem);
}

/* Deviations of a large value: squares about zero would have lost all of them. */
static void small_deviations_of_large_values_survive(void **state)
{
	enum { N = 1000 };
	static const struct span all = { 0, N * SECOND_MS };
	struct arena mem;

	(void)state;
	arena_init(&mem);
	struct piece *pieces = NEW_ARRAY(&mem, struct piece, N);
	for (int i = 0; i < N; i++)
		pieces[i] = (struct piece){ i * SECOND_MS, 1e9 + (i % 2 ? 0.5 : -0.5) };
	const struct signal s = { pieces, N, N * SECOND_MS };
	const struct signal rolled = signal_rolling(&mem, s, 100 * SECOND_MS, FOLD_STDDEV);
	assert_true(fabs(signal_fold(&mem, s, spans_one(&all), FOLD_STDDEV) - 0.5) < 1e-9);
	for (size_t i = 0; i < rolled.n; i++) /* of an odd number of seconds a little less */
		assert_true(rolled.at[i].value > 0.4998 && rolled.at[i].value < 0.5 + 1e-6);
	arena_release(&mem);
}

static void counters_increase(void **state)
{
	static const struct {
		const char *rows;
		struct span within;
		const char *increase; /* from 0 */
		size_t n_restarts;    /* inside */
	} cases[] = {
		{ "12468", { 0, 5000 }, "1222_", 0 },
		{ "1___9", { 0, 5000 }, "2222_", 0 },
		/* the amount over a hole is known, though not when it was */
		{ "012      9", { 0, 10000 }, "111111111_", 0 },
		/* less than before: it began anew, and shows what has been since then */
		{ "7924", { 0, 4000 }, "222_", 1 },
		{ "79_4_6", { 0, 6000 }, "22211_", 1 },
		{ "90000", { 0, 5000 }, "0000_", 1 },
		{ "505050", { 0, 6000 }, "05050_", 3 },
		{ "505050", { 2000, 4000 }, "__05", 1 },
		/* the samples on both sides of what is looked at count */
		{ "_1_5_7_", { 2000, 4000 }, "__21", 0 },
		{ "__2__", { 0, 5000 }, "_____", 0 },
		{ "_____", { 0, 5000 }, "_____", 0 },
		{ "       12", { 0, 5000 }, "_____", 0 },
		{ "12       ", { 5000, 8000 }, "________", 0 },
		{ "     ", { 0, 5000 }, "_____", 0 },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct track t = drawn_track(&mem, cases[i].rows);
		const struct signal s = signal_increase(&mem, &t, cases[i].within);

		assert_int_equal(s.at[0].begin, cases[i].within.begin);
		assert_string_equal(picture_of(&mem, s), cases[i].increase);
		assert_int_equal(track_restarts(&t, spans_one(&cases[i].within)), cases[i].n_restarts);
	}
	static const struct span apart[] = { { 0, 1001 }, { 3000, 4000 }, { 5000, 6000 } };
	const struct track t = drawn_track(&mem, "505050");
	assert_int_equal(track_restarts(&t, (struct spans){ apart, 3 }), 3);
	assert_int_equal(track_restarts(&t, (struct spans){ apart, 2 }), 2);
	assert_int_equal(track_restarts(&t, (struct spans){ apart + 1, 1 }), 1);
	assert_int_equal(track_restarts(&t, (struct spans){ NULL, 0 }), 0);
	assert_int_equal(signal_increase(&mem, &t, (struct span){ 4, 4 }).n, 0);
	arena_release(&mem);
}

static void constants_cover_their_span(void **state)
{
	struct arena mem;

	(void)state;
	arena_init(&mem);
	assert_string_equal(picture_of(&mem, signal_constant(&mem, 4, (struct span){ 0, 3000 })), "444");
	assert_int_equal(signal_constant(&mem, 4, (struct span){ 3, 3 }).n, 0);
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracks_become_signals),
		cmocka_unit_test(signals_zip),
		cmocka_unit_test(folds_roll_centred),
		cmocka_unit_test(long_pieces_cost_few_moments),
		cmocka_unit_test(folds_weigh_time_inside),
		cmocka_unit_test(folds_go_across),
		cmocka_unit_test(what_some_miss_has_bounds),
		cmocka_unit_test(rows_of_a_poll_are_one_moment),
		cmocka_unit_test(small_deviations_of_large_values_survive),
		cmocka_unit_test(counters_increase),
		cmocka_unit_test(constants_cover_their_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
