/* correlation_test.c - lines of codes fit each other as Pearson's formula has it of the numbers themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/correlation.h"

#include <math.h>

#define MOST_CELLS 3000
#define NEAR 0.002 /* what codes of 13 bits may move it by, also where one value is far from all others */

static uint64_t below(uint64_t *random, uint64_t n)
{
	*random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17; /* Marsaglia's xorshift64 */
	return *random % n;
}

/* Of some every third cell or so is not known, of others a stretch; in some one cell is far from all others. */
static size_t random_cells(double *cells, uint64_t *random)
{
	const size_t n = 1 + below(random, below(random, 8) ? 300 : MOST_CELLS), hole = below(random, n), behind = hole + below(random, n);
	const uint64_t holes = below(random, 3);

	for (size_t i = 0; i < n; i++) {
		const bool is_hole = holes == 1 ? !below(random, 3) : holes == 2 && hole <= i && i < behind;
		cells[i] = is_hole ? NAN : (double)((i / 7 + below(random, 3)) % 10) / 7 - 2;
	}
	if (below(random, 4) == 0)
		cells[below(random, n)] = 20;
	return n;
}

struct numbers {
	double n, x, y, xx, yy, xy;
};

static void add_pair(struct numbers *s, double x, double y)
{
	s->n++;
	s->x += x, s->y += y, s->xx += x * x, s->yy += y * y, s->xy += x * y;
}

static double variance(const double *cells, size_t n)
{
	struct numbers s = { 0 };

	for (size_t i = 0; i < n; i++)
		if (!isnan(cells[i]))
			add_pair(&s, cells[i], 0);
	return s.n > 0 ? s.xx / s.n - s.x / s.n * (s.x / s.n) : 0;
}

/* How far from what a flat part would be: a part of the variance of all, which must be a quarter. */
static double pearson(const double *a, size_t n_a, const double *b, size_t n_b, int64_t offset, double *n_shared, double *kept)
{
	struct numbers s = { 0 };

	for (int64_t i = 0; i < (int64_t)n_a; i++)
		if (i + offset >= 0 && i + offset < (int64_t)n_b && !isnan(a[i]) && !isnan(b[i + offset]))
			add_pair(&s, a[i], b[i + offset]);
	const double var_a = s.xx / s.n - s.x / s.n * (s.x / s.n), var_b = s.yy / s.n - s.y / s.n * (s.y / s.n);
	*n_shared = s.n;
	*kept = fmin(var_a / variance(a, n_a), var_b / variance(b, n_b));
	return (s.xy / s.n - s.x / s.n * (s.y / s.n)) / sqrt(var_a * var_b);
}

static void lines_fit_as_numbers_do(void **state)
{
	static double a[MOST_CELLS], b[MOST_CELLS];
	uint64_t random = 88172645463325252;
	size_t n_known = 0, n_unknown = 0;
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < 2000; i++, arena_reset(&mem)) {
		const size_t n_a = random_cells(a, &random), n_b = random_cells(b, &random);
		const int64_t first_a = (int64_t)below(&random, 400) - 200, first_b = (int64_t)below(&random, 400) - 200;
		const struct line of_a = line_of(&mem, a, n_a, first_a), of_b = line_of(&mem, b, n_b, first_b);

		for (int64_t lag = -300; lag < 300; lag += 1 + (int64_t)below(&random, 20)) {
			double n_shared, kept;
			const double expected = pearson(a, n_a, b, n_b, first_a + lag - first_b, &n_shared, &kept);
			const double r = correlation_at(&of_a, &of_b, lag), least = fmax(20, 0.5 * (double)(n_a < n_b ? n_a : n_b));
			if (n_shared < least || kept < 0.245) {
				assert_true(isnan(r));
				n_unknown++;
			} else if (kept > 0.255) {
				assert_true(fabs(r - expected) < NEAR);
				n_known++;
			}
		}
	}
	arena_release(&mem);
	assert_true(n_known > 1000 && n_unknown > 1000);
}

/* Cells that are 2 x those of the other line and 3, all but the last. */
static void a_line_fits_itself(void **state)
{
	double a[40], b[40];
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (int i = 0; i < 40; i++) {
		a[i] = i % 7 + i % 3;
		b[i] = 2 * a[i] + 3;
	}
	const struct line of_a = line_of(&mem, a, 40, 0), of_b = line_of(&mem, b, 40, 5);
	assert_true(fabs(correlation_at(&of_a, &of_b, 5) - 1) < 1e-12);
	assert_true(correlation_at(&of_a, &of_b, 6) < 0.9);
	assert_true(isnan(correlation_at(&of_a, &of_b, 5 + 21))); /* 19 cells are too few */
	b[39] = NAN;
	const struct line without_last = line_of(&mem, b, 40, 5);
	assert_true(fabs(correlation_at(&of_a, &without_last, 5) - 1) < 1e-12);
	for (int i = 0; i < 40; i++)
		b[i] = i < 30 ? 7 : (double)i;
	const struct line mostly_flat = line_of(&mem, b, 40, 5);
	assert_true(!isnan(correlation_at(&of_a, &mostly_flat, 5)));
	assert_true(isnan(correlation_at(&of_a, &mostly_flat, -5))); /* what is shared is flat beside what it is elsewhere */
	for (int i = 0; i < 40; i++)
		b[i] = 7;
	const struct line flat = line_of(&mem, b, 40, 5);
	assert_true(isnan(correlation_at(&of_a, &flat, 5)));
	arena_release(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_fit_as_numbers_do),
		cmocka_unit_test(a_line_fits_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
