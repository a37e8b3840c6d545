/*
 * stats_test.c - time-weighted statistics against numbers worked out by hand.
 */
#include "series/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MISSING FIXED_MISSING
#define V(x) ((fixed)(x)*FIXED_ONE)

static bool is_close(const double a, const double b)
{
	if (isnan(b))
		return isnan(a);
	return fabs(a - b) <= 1e-12 * (fabs(b) > 1e-3 ? fabs(b) : 1e-3);
}

struct row {
	time_ms time;
	fixed value;
};

static struct track track_of(struct arena *mem, const struct row *rows, const size_t n)
{
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);

	for (size_t i = 0; i < n; i++) {
		times[i] = rows[i].time;
		values[i] = rows[i].value;
	}
	return (struct track){
		.metric = METRIC_GPU_POWER, .times = times, .values = values, .n = n, .step = median_step(mem, times, n)
	};
}

static void statistics_weigh_time(void **state)
{
	static const struct {
		struct row rows[6];
		size_t n;
		struct span within[2];
		size_t n_within;
		struct stats want;
		time_ms highest_at;
	} cases[] = {
		/* 10 for 1 s, 20 for 1 s, 40 for 2 s */
		{ { { 0, V(10) }, { 1000, V(20) }, { 2000, V(40) }, { 4000, V(40) } }, 4, { { 0, 4000 } }, 1,
			{ .mean = 27.5, .min = 10, .p5 = 10, .p50 = 20, .p95 = 40, .max = 40, .stddev = 12.990381056766580,
				.known = 4000, .judged = 4000 }, 2000 },
		/* two spans share one sample, and each cuts its own */
		{ { { 0, V(10) }, { 1000, V(20) }, { 2000, V(60) }, { 3000, V(0) } }, 4, { { 500, 1250 }, { 1750, 2250 } }, 2,
			{ .mean = 24, .min = 10, .p5 = 10, .p50 = 20, .p95 = 60, .max = 60, .stddev = 18.547236990991408,
				.known = 1250, .judged = 1250 }, 2000 },
		/* a missing cell weighs nothing and is not zero */
		{ { { 0, V(5) }, { 1000, MISSING }, { 2000, V(7) }, { 3000, V(7) } }, 4, { { 0, 3000 } }, 1,
			{ .mean = 6, .min = 5, .p5 = 5, .p50 = 5, .p95 = 7, .max = 7, .stddev = 1, .known = 2000, .judged = 3000 }, 2000 },
		/* a hole weighs nothing but the one step before it */
		{ { { 0, V(5) }, { 1000, V(9) }, { 9000, V(5) }, { 10000, V(5) } }, 4, { { 0, 11000 } }, 1,
			{ .mean = 6, .min = 5, .p5 = 5, .p50 = 5, .p95 = 9, .max = 9, .stddev = 1.7320508075688772, .known = 4000, .judged = 11000 }, 1000 },
		/* values near the end of the range: 64 bits would overflow long before */
		{ { { 0, INT64_MAX }, { 1000, -INT64_MAX }, { 2000, INT64_MAX } }, 3, { { 0, 2000 } }, 1,
			{ .mean = 0, .min = -9223372036854.775807, .p5 = -9223372036854.775807, .p50 = -9223372036854.775807,
				.p95 = 9223372036854.775807, .max = 9223372036854.775807, .stddev = 9223372036854.775807, .known = 2000, .judged = 2000 }, 0 },
		/* a small spread on a large value is not lost */
		{ { { 0, V(4000000000000) }, { 1000, V(4000000000000) + 2 }, { 2000, 0 } }, 3, { { 0, 2000 } }, 1,
			{ .mean = 4000000000000.000001, .min = 4e12, .p5 = 4e12, .p50 = 4e12, .p95 = 4000000000000.000002,
				.max = 4000000000000.000002, .stddev = 0.000001, .known = 2000, .judged = 2000 }, 1000 },
		/* nothing there, nothing asked for */
		{ { { 0, V(5) }, { 1000, V(5) } }, 2, { { 5000, 6000 } }, 1,
			{ NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 1000 }, TIME_UNKNOWN },
		{ { { 0, V(5) }, { 1000, V(5) } }, 2, { { 0, 0 } }, 0,
			{ NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0 }, TIME_UNKNOWN },
		{ { { 0, 0 } }, 0, { { 0, 1000 } }, 1,
			{ NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 1000 }, TIME_UNKNOWN },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct track t = track_of(&mem, cases[i].rows, cases[i].n);
		const struct spans within = { cases[i].within, cases[i].n_within };
		const struct stats got = track_stats(&mem, &t, within);
		const struct stats *want = &cases[i].want;

		assert_true(is_close(got.mean, want->mean));
		assert_true(is_close(got.min, want->min));
		assert_true(is_close(got.p5, want->p5));
		assert_true(is_close(got.p50, want->p50));
		assert_true(is_close(got.p95, want->p95));
		assert_true(is_close(got.max, want->max));
		assert_true(is_close(got.stddev, want->stddev));
		assert_int_equal(got.known, want->known);
		assert_int_equal(got.judged, want->judged);
		assert_int_equal(track_known_time(&t, within), want->known);
		assert_int_equal(track_highest_at(&t, within), cases[i].highest_at);
	}
	arena_release(&mem);
}

/* Distances of 2^32 and years of weight: between the exact and the wide form of the variance. */
static void spread_of_years_is_exact(void **state)
{
	static const struct row rows[] = {
		{ 0, 0 },
		{ 1, (fixed)1 << 32 },
		{ 2, 0 },
		{ 94608000000, 0 }, /* three years later */
		{ 189216000000, 0 },
		{ 283824000000, 0 },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct track t = track_of(&mem, rows, 6);
	const struct span all = { 0, 283824000000 };
	const struct stats got = track_stats(&mem, &t, spans_one(&all));
	const double share = 1.0 / (double)all.end, height = 4294967296.0 / FIXED_ONE;

	assert_int_equal(got.known, all.end);
	assert_true(is_close(got.mean, height * share));
	assert_true(fabs(got.stddev / (height * sqrt(share * (1 - share))) - 1) < 1e-12);
	arena_release(&mem);
}

static void integrals_are_unit_hours(void **state)
{
	static const struct row rows[] = {
		{ 0, V(300) }, { HOUR_MS, V(600) }, { 2 * HOUR_MS, MISSING }, { 3 * HOUR_MS, V(100) }, { 4 * HOUR_MS, V(0) }
	};
	static const struct {
		struct span within;
		double watt_hours;
	} cases[] = {
		{ { 0, HOUR_MS }, 300 },
		{ { 0, 10 * HOUR_MS }, 1000 },
		{ { HOUR_MS / 2, HOUR_MS * 3 / 2 }, 450 },
		{ { 2 * HOUR_MS, 3 * HOUR_MS }, 0 },
		{ { 0, 0 }, 0 },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	const struct track t = track_of(&mem, rows, 5);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_true(is_close(track_integral(&t, spans_one(&cases[i].within)), cases[i].watt_hours));
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics_weigh_time),
		cmocka_unit_test(spread_of_years_is_exact),
		cmocka_unit_test(integrals_are_unit_hours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
