/*
 * quantity_test.c - how people read numbers (visual.md 13.6), that the rows of unit.def agree, and what dimensions give.
 */
#include "base/quantity.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void prints_quantities_for_people(void **state)
{
	static const struct {
		struct quantity q;
		const char *text;
	} cases[] = {
		/* percent: whole, below one with a decimal */
		{ { 97, UNIT_PERCENT }, "97 %" },
		{ { 97.4, UNIT_PERCENT }, "97 %" },
		{ { 0.4, UNIT_PERCENT }, "0.4 %" },
		{ { 0.94, UNIT_PERCENT }, "0.9 %" },
		{ { 0.96, UNIT_PERCENT }, "1 %" },
		{ { 0.04, UNIT_PERCENT }, "0 %" },
		{ { 0, UNIT_PERCENT }, "0 %" },
		{ { 100, UNIT_PERCENT }, "100 %" },
		{ { -0.2, UNIT_PERCENT }, "-0.2 %" },
		/* temperature, power, clock: whole */
		{ { 83.4, UNIT_CELSIUS }, "83 \xC2\xB0" "C" },
		{ { 692.6, UNIT_WATT }, "693 W" },
		{ { 1.2, UNIT_KILOWATT }, "1200 W" },
		{ { 1390, UNIT_MHZ }, "1390 MHz" },
		{ { 1.98, UNIT_GHZ }, "1980 MHz" },
		/* memory: GiB with a decimal from one GiB on */
		{ { 63897.6, UNIT_MIB }, "62.4 GiB" },
		{ { 616, UNIT_MIB }, "616 MiB" },
		{ { 1023, UNIT_MIB }, "1023 MiB" },
		{ { 1023.6, UNIT_MIB }, "1.0 GiB" },
		{ { 1048576, UNIT_KIB }, "1.0 GiB" },
		/* energy: Wh below 100 Wh, one decimal below 99.5 */
		{ { 62.44, UNIT_WATTHOUR }, "62.4 Wh" },
		{ { 99.96, UNIT_WATTHOUR }, "100 Wh" },
		{ { 999.4, UNIT_WATTHOUR }, "999 Wh" },
		{ { 999.6, UNIT_WATTHOUR }, "1.0 kWh" },
		{ { 7600, UNIT_WATTHOUR }, "7.6 kWh" },
		{ { 120000, UNIT_WATTHOUR }, "120 kWh" },
		/* rates */
		{ { 500, UNIT_KIB_S }, "500 KiB/s" },
		{ { 300, UNIT_MIB_S }, "300 MiB/s" },
		{ { 2048, UNIT_MIB_S }, "2.0 GiB/s" },
		/* what is counted in a time: the first unit that leaves something before the point */
		{ { 5, UNIT_PER_S }, "5 /s" },
		{ { 0.5, UNIT_PER_S }, "30 /min" },
		{ { 0.001, UNIT_PER_S }, "3.6 /h" },
		{ { 1, UNIT_PER_D }, "1 /d" },
		{ { 0, UNIT_PER_S }, "0 /s" },
		{ { 0.5, UNIT_PCT_S }, "30 %/min" },
		{ { -2, UNIT_C_MIN }, "-2 C/min" },
		{ { 0.01, UNIT_W_H }, "0 W/h" },
		/* counts */
		{ { 3, UNIT_NUMBER }, "3" },
		{ { 3.25, UNIT_NUMBER }, "3.2" },
		{ { 3.96, UNIT_NUMBER }, "4" },
		{ { 31.7, UNIT_NUMBER }, "32" },
		/* times are durations */
		{ { 1.5, UNIT_MINUTE }, "1 min 30 s" },
		{ { 500, UNIT_MILLI }, "0.5 s" },
		{ { (double)NAN, UNIT_WATT }, "unknown" },
		{ { (double)NAN, UNIT_SECOND }, "unknown" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(quantity_text(&mem, cases[i].q), cases[i].text);
	assert_string_equal(quantity_number(&mem, (struct quantity){ 63897.6, UNIT_MIB }), "62.4");
	assert_string_equal(quantity_number(&mem, (struct quantity){ (double)NAN, UNIT_MIB }), "unknown");
	assert_string_equal(percent_text(&mem, 0), "0 %");
	assert_string_equal(percent_text(&mem, 0.0004), "<0.1 %");
	assert_string_equal(percent_text(&mem, 0.0006), "0.1 %");
	assert_string_equal(percent_text(&mem, 0.78), "78 %");
	arena_release(&mem);
}

static void prints_durations(void **state)
{
	static const struct {
		double seconds;
		const char *text;
	} cases[] = {
		{ 0, "0 s" },           { 0.0004, "0 s" },     { 0.0006, "1 ms" },    { 0.0994, "99 ms" },   { 0.0996, "0.1 s" },    { 0.5, "0.5 s" },      { 9.94, "9.9 s" },     { 9.96, "10 s" },        { 45, "45 s" },
		{ 59.4, "59 s" },       { 59.6, "1 min" },     { 60, "1 min" },       { 61, "1 min 01 s" },    { 405, "6 min 45 s" },
		{ 599, "9 min 59 s" },  { 600, "10 min" },     { 629, "10 min" },     { 630, "11 min" },       { 960, "16 min" },
		{ 3569, "59 min" },     { 3570, "1 h 00 min" }, { 11220, "3 h 07 min" }, { 86340, "23 h 59 min" }, { 86400, "1 d" },
		{ 190800, "2 d 5 h" },  { 3725, "1 h 02 min" }, { 90000, "1 d 1 h" }, { (double)NAN, "unknown" }, { (double)INFINITY, "unknown" },
	};
	struct arena mem;

	(void)state;
	arena_init(&mem);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(duration_text(&mem, cases[i].seconds), cases[i].text);
	arena_release(&mem);
}

static void finds_units(void **state)
{
	static const struct {
		const char *text;
		int unit; /* -1: none */
	} cases[] = {
		{ "%", UNIT_PERCENT }, { "MiB", UNIT_MIB }, { "MB", UNIT_MIB }, { "W", UNIT_WATT }, { "min", UNIT_MINUTE },
		{ "m", UNIT_MINUTE },
		{ "\xC2\xB0" "C", UNIT_CELSIUS }, { "C", UNIT_CELSIUS }, { "mW", UNIT_MILLIWATT }, { "MW", -1 }, { "w", -1 },
		{ "mib", -1 }, { "", -1 }, { "|", -1 },
		{ "sec|second", -1 }, { "W ", -1 },
		{ "/h", UNIT_PER_H }, { "1/h", UNIT_PER_H }, { "/", -1 }, { "%/h", UNIT_PCT_H }, { "d", UNIT_DAY },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		enum unit unit = N_UNITS;

		assert_int_equal(unit_find(slice_of(cases[i].text), &unit), cases[i].unit >= 0);
		if (cases[i].unit >= 0)
			assert_int_equal(unit, cases[i].unit);
	}
}

/* Holds for whatever is added to unit.def. */
static void the_rows_of_units_agree(void **state)
{
	(void)state;
	for (int u = 0; u < N_UNITS; u++) {
		enum unit found;
		int first = 0;

		while (unit_table[first].dimension != unit_table[u].dimension)
			first++;
		assert_true(unit_table[first].factor == 1); /* the first row of a dimension is its base */
		assert_true(unit_table[u].factor > 0);
		assert_true(dimension_name(unit_table[u].dimension)[0] != '\0');
		if (*unit_table[u].symbol) {
			assert_true(unit_find(slice_of(unit_table[u].symbol), &found));
			assert_int_equal(found, u); /* no symbol is given twice */
		}
		const struct quantity there = quantity_in((struct quantity){ 3, (enum unit)u }, (enum unit)first);
		assert_true(fabs(quantity_in(there, (enum unit)u).value - 3) < 1e-12);
	}
}

/* In first units: W, s, Wh, MiB, B/s, %, C, 1/s. */
static void multiplies_dimensions(void **state)
{
	static const struct { enum dimension a, b, product; double factor; } cases[] = {
		{ DIM_POWER, DIM_TIME, DIM_ENERGY, 1.0 / 3600 },
		{ DIM_RATE, DIM_TIME, DIM_MEMORY, 1.0 / 1048576 },
		{ DIM_SHARE, DIM_POWER, DIM_POWER, 0.01 },
		{ DIM_SHARE, DIM_SHARE, DIM_SHARE, 0.01 },
		{ DIM_SHARE, DIM_TIME, DIM_TIME, 0.01 },
		{ DIM_NONE, DIM_SHARE, DIM_SHARE, 1 },
		{ DIM_NONE, DIM_NONE, DIM_NONE, 1 },
		{ DIM_NONE, DIM_TEMPERATURE, DIM_TEMPERATURE, 1 },
		{ DIM_PER_TIME, DIM_TIME, DIM_NONE, 1 },
		{ DIM_SHARE_PER_TIME, DIM_TIME, DIM_SHARE, 1 },
		{ DIM_TEMPERATURE_PER_TIME, DIM_TIME, DIM_TEMPERATURE, 1 },
		{ DIM_POWER, DIM_POWER, N_DIMENSIONS, 0 },
		{ DIM_TIME, DIM_TIME, N_DIMENSIONS, 0 },
		{ DIM_TEMPERATURE, DIM_TIME, N_DIMENSIONS, 0 },
		{ DIM_BITS, DIM_NONE, N_DIMENSIONS, 0 },
		{ DIM_BITS, DIM_SHARE, N_DIMENSIONS, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum dimension there = N_DIMENSIONS, back = N_DIMENSIONS;
		double factor = 0, factor_back = 0;
		const bool means = dimension_product(cases[i].a, cases[i].b, &there, &factor);
		assert_int_equal(dimension_product(cases[i].b, cases[i].a, &back, &factor_back), means);
		assert_int_equal(there, cases[i].product);
		assert_int_equal(back, cases[i].product);
		assert_true(fabs(factor - cases[i].factor) < 1e-12 && fabs(factor_back - cases[i].factor) < 1e-12);
	}
}

static void divides_dimensions(void **state)
{
	static const struct { enum dimension a, b, quotient; double factor; } cases[] = {
		{ DIM_ENERGY, DIM_TIME, DIM_POWER, 3600 },
		{ DIM_ENERGY, DIM_POWER, DIM_TIME, 3600 },
		{ DIM_MEMORY, DIM_TIME, DIM_RATE, 1048576 },
		{ DIM_NONE, DIM_TIME, DIM_PER_TIME, 1 },
		{ DIM_SHARE, DIM_TIME, DIM_SHARE_PER_TIME, 1 },
		{ DIM_POWER, DIM_POWER, DIM_NONE, 1 },
		{ DIM_TIME, DIM_TIME, DIM_NONE, 1 },
		{ DIM_NONE, DIM_NONE, DIM_NONE, 1 },
		{ DIM_POWER, DIM_NONE, DIM_POWER, 1 },
		{ DIM_POWER, DIM_SHARE, DIM_POWER, 100 },
		{ DIM_POWER, DIM_TEMPERATURE, N_DIMENSIONS, 0 },
		{ DIM_NONE, DIM_POWER, N_DIMENSIONS, 0 },
		{ DIM_BITS, DIM_BITS, N_DIMENSIONS, 0 },
		{ DIM_FREQUENCY, DIM_TIME, N_DIMENSIONS, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum dimension out = N_DIMENSIONS;
		double factor = 0;
		assert_int_equal(dimension_quotient(cases[i].a, cases[i].b, &out, &factor), cases[i].quotient != N_DIMENSIONS);
		assert_int_equal(out, cases[i].quotient);
		assert_true(fabs(factor - cases[i].factor) < 1e-6);
	}
}

/* Whatever rows there are: what was divided, multiplied again, is what it was. */
static void division_undoes_multiplication(void **state)
{
	size_t n = 0;

	(void)state;
	for (int a = 0; a < N_DIMENSIONS; a++)
		for (int b = 0; b < N_DIMENSIONS; b++) {
			enum dimension quotient, product;
			double down, up;
			if (a == DIM_NONE && b == DIM_SHARE) /* 5 / 50 % are 10, but 10 x 50 % are 500 % */
				continue;
			if (!dimension_quotient((enum dimension)a, (enum dimension)b, &quotient, &down))
				continue;
			assert_true(dimension_product(quotient, (enum dimension)b, &product, &up));
			assert_int_equal(product, a);
			assert_true(fabs(down * up - 1) < 1e-12);
			n++;
		}
	assert_true(n > 30);
}

static void folds_dimensions_over_time(void **state)
{
	static const struct { enum dimension of, per_time, times_time; double per_factor, times_factor; } cases[] = {
		{ DIM_NONE, DIM_PER_TIME, DIM_TIME, 1, 1 },
		{ DIM_SHARE, DIM_SHARE_PER_TIME, DIM_TIME, 1, 0.01 },
		{ DIM_TIME, DIM_SHARE, N_DIMENSIONS, 100, 0 },
		{ DIM_POWER, DIM_POWER_PER_TIME, DIM_ENERGY, 1, 1.0 / 3600 },
		{ DIM_ENERGY, DIM_POWER, N_DIMENSIONS, 3600, 0 },
		{ DIM_MEMORY, DIM_RATE, N_DIMENSIONS, 1048576, 0 },
		{ DIM_RATE, N_DIMENSIONS, DIM_MEMORY, 0, 1.0 / 1048576 },
		{ DIM_TEMPERATURE, DIM_TEMPERATURE_PER_TIME, N_DIMENSIONS, 1, 0 },
		{ DIM_BITS, N_DIMENSIONS, N_DIMENSIONS, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum dimension per = N_DIMENSIONS, times = N_DIMENSIONS;
		double per_factor = 0, times_factor = 0;
		dimension_per_time(cases[i].of, &per, &per_factor);
		dimension_times_time(cases[i].of, &times, &times_factor);
		assert_int_equal(per, cases[i].per_time);
		assert_int_equal(times, cases[i].times_time);
		assert_true(fabs(per_factor - cases[i].per_factor) < 1e-6);
		assert_true(fabs(times_factor - cases[i].times_factor) < 1e-12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_quantities_for_people),
		cmocka_unit_test(prints_durations),
		cmocka_unit_test(finds_units),
		cmocka_unit_test(the_rows_of_units_agree),
		cmocka_unit_test(multiplies_dimensions),
		cmocka_unit_test(divides_dimensions),
		cmocka_unit_test(division_undoes_multiplication),
		cmocka_unit_test(folds_dimensions_over_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
