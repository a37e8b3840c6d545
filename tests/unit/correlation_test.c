/* correlation_test.c - many lags at once are what each of them is alone, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/correlation.h"

#include <math.h>
#include <string.h>

#define MOST_CELLS 300
#define N_LAGS 700

static uint64_t below(uint64_t *random, uint64_t n)
{
	*random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17; /* Marsaglia's xorshift64 */
	return *random % n;
}

/* Of up to MOST_CELLS cells; of some lines every third one or so is not known. */
static struct line random_line(double *cells, uint64_t *random)
{
	struct line line = { .at = cells, .first = (int64_t)below(random, 400) - 200, .n = 1 + below(random, MOST_CELLS), .is_whole = true };
	const bool has_holes = below(random, 2);

	for (size_t i = 0; i < line.n; i++) {
		cells[i] = has_holes && !below(random, 3) ? NAN : (double)below(random, 1000) / 7;
		line.is_whole &= !isnan(cells[i]);
	}
	line.variance = (double)below(random, 8000);
	return line;
}

static void many_lags_are_each_alone(void **state)
{
	static double cells_of_a[MOST_CELLS], cells_of_b[MOST_CELLS], r[N_LAGS];
	uint64_t random = 88172645463325252;
	size_t n_known = 0;

	(void)state;
	for (size_t i = 0; i < 300; i++) {
		const struct line a = random_line(cells_of_a, &random), b = random_line(cells_of_b, &random);
		const int64_t n = 1 + (int64_t)below(&random, N_LAGS - 1), lag = (int64_t)below(&random, 600) - 600;

		correlations(&a, &b, lag, n, r);
		for (int64_t k = 0; k < n; k++) {
			const double alone = correlation_at(&a, &b, lag + k);
			assert_true(isnan(alone) ? isnan(r[k]) : memcmp(&alone, &r[k], sizeof alone) == 0);
			n_known += isnan(alone) ? 0U : 1U;
		}
	}
	assert_true(n_known > 1000);
}

/* Against Pearson's formula by itself: of cells that are 2 x those of the other line and 3, all but the last. */
static void a_line_fits_itself(void **state)
{
	double a[40], b[40];
	struct line of_a = { .at = a, .n = 40, .is_whole = true, .variance = 1 }, of_b = { .at = b, .first = 5, .n = 40, .is_whole = true, .variance = 1 };

	(void)state;
	for (int i = 0; i < 40; i++) {
		a[i] = i % 7 + i % 3;
		b[i] = 2 * a[i] + 3;
	}
	assert_true(fabs(correlation_at(&of_a, &of_b, 5) - 1) < 1e-12);
	assert_true(correlation_at(&of_a, &of_b, 6) < 0.9);
	assert_true(isnan(correlation_at(&of_a, &of_b, 5 + 21))); /* 19 cells are too few */
	b[39] = NAN;
	of_b.is_whole = false;
	assert_true(fabs(correlation_at(&of_a, &of_b, 5) - 1) < 1e-12);
	of_b.variance = 1000;
	assert_true(isnan(correlation_at(&of_a, &of_b, 5))); /* it is flat beside what it is elsewhere */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_lags_are_each_alone),
		cmocka_unit_test(a_line_fits_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
