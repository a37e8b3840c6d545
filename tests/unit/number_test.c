/*
 * number_test.c - what is a number in a log, what is not, and how numbers are printed.
 */
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void reads_decimals_and_what_follows_them(void **state)
{
	static const struct {
		const char *text;
		fixed value;
		const char *rest;
	} cases[] = {
		{ "45", 45000000, "" },
		{ "45 %", 45000000, "%" },
		{ "45%", 45000000, "%" },
		{ " 45 % ", 45000000, "%" },
		{ "433.78 W", 433780000, "W" },
		{ "-3.25", -3250000, "" },
		{ "+3.25", 3250000, "" },
		{ ".5", 500000, "" },
		{ "5.", 5000000, "" },
		{ "0", 0, "" },
		{ "-0", 0, "" },
		{ "007", 7000000, "" },
		/* a comma groups three digits and nothing else */
		{ "1,024", 1024000000, "" },
		{ "1,024.5 MiB", 1024500000, "MiB" },
		{ "12,345,678", 12345678000000, "" },
		/* the seventh decimal rounds half away from zero, the eighth has no say */
		{ "0.1234564", 123456, "" },
		{ "0.1234565", 123457, "" },
		{ "0.12345649999", 123456, "" },
		{ "-0.1234565", -123457, "" },
		{ "0.9999999", 1000000, "" },
		{ "0.0000004", 0, "" },
		/* the ends of the range */
		{ "9223372036854", 9223372036854000000, "" },
		{ "-9223372036854", -9223372036854000000, "" },
		/* words behind a number are for the caller to know */
		{ "12abc", 12000000, "abc" },
		{ "5-3", 5000000, "-3" },
		{ "5 3", 5000000, "3" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		fixed value;
		struct slice rest;

		if (!fixed_parse(slice_of(cases[i].text), &value, &rest))
			fail_msg("'%s' is not read", cases[i].text);
		assert_int_equal(value, cases[i].value);
		assert_true(slice_is(rest, cases[i].rest));
	}
}

static void knows_what_is_no_number(void **state)
{
	static const char *const cases[] = {
		"", " ", "-", "+", ".", "-.", "%", "nan", "NaN", "inf", "-inf", "1e9", "1E9", "1.5e3", "0x1F", "0X1F", "1_000",
		"1.2.3", "1,02", "1,0245", "1,234,56", ",123", "1,", "5,", "--5", "- 5", "[N/A]", "P0",
		"9223372036855", "-9223372036855", "99999999999999999999",
		"1000000000000000000000000000000000000000",
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		fixed value;
		struct slice rest;

		if (fixed_parse(slice_of(cases[i]), &value, &rest))
			fail_msg("'%s' is read", cases[i]);
	}
}

/* libc reads "5\0 0 %" as 5; here the NUL is left over and no unit. */
static void nul_ends_nothing(void **state)
{
	fixed value;
	struct slice rest;

	(void)state;
	assert_true(fixed_parse((struct slice){ "5\0", 2 }, &value, &rest));
	assert_int_equal(rest.n, 1);
	assert_true(fixed_parse((struct slice){ "5\0 0 %", 6 }, &value, &rest));
	assert_int_equal(rest.n, 5);
	assert_false(fixed_parse((struct slice){ "\0", 1 }, &value, &rest));
}

/* A slice ends where it says, whatever lies behind. */
static void never_looks_behind_the_end(void **state)
{
	fixed value;
	struct slice rest;

	(void)state;
	assert_true(fixed_parse((struct slice){ "1,024", 1 }, &value, &rest));
	assert_int_equal(value, FIXED_ONE);
	assert_false(fixed_parse((struct slice){ "1,024", 4 }, &value, &rest));
	assert_true(fixed_parse((struct slice){ "12345", 2 }, &value, &rest));
	assert_int_equal(value, 12 * FIXED_ONE);
}

/* A sign sends the same digits the long way. */
static void plain_numbers_are_what_the_grammar_says(void **state)
{
	static const char digits[] = "9071428835016";
	char text[32] = "+", *const plain = text + 1;

	(void)state;
	for (size_t n = 1; n <= 13; n++) {
		for (size_t point = 0; point <= n + 1; point++) { /* n: at the end; n + 1: none */
			fixed value = 0, long_value = 0;
			struct slice rest;
			int decimals = 0;
			snprintf(plain, sizeof text - 1, point > n ? "%.*s" : "%.*s.%s", (int)(point > n ? n : point), digits,
				digits + point);
			plain[n + (point <= n)] = '\0';
			const bool is_plain = fixed_parse_plain(slice_of(plain), &value, &decimals);
			assert_true(fixed_parse(slice_of(text), &long_value, &rest) && rest.n == 0);
			assert_int_equal(is_plain, strlen(plain) <= 12 && point != n && (point > n || n - point <= FIXED_DIGITS));
			assert_true(!is_plain || (value == long_value && decimals == (int)(point > n ? 0 : n - point)));
			assert_true(fixed_parse(slice_of(plain), &value, &rest) && value == long_value);
		}
	}
}

static void knows_what_is_no_plain_number(void **state)
{
	static const char *const cases[] = { "", ".", "5.", "-1", "+1", " 1", "1 ", "1,024", "1.2.3", "..", "1e9", "12a", "/", ":", "1:2",
		"\xb1", "1\xb1", "12345678a", "1234567.89.", "0x10", "N/A", "-", "12345678901234" };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		fixed value;
		int decimals;

		if (fixed_parse_plain(slice_of(cases[i]), &value, &decimals))
			fail_msg("'%s' is taken for a number", cases[i]);
	}
}

static void reads_integers(void **state)
{
	static const struct {
		const char *text;
		int64_t value; /* -1: none */
	} cases[] = {
		{ "0", 0 }, { "42", 42 }, { "9223372036854775799", 9223372036854775799 },
		{ "", -1 }, { "-1", -1 }, { "+1", -1 }, { " 1", -1 }, { "1 ", -1 }, { "1.0", -1 }, { "1,024", -1 }, { "0x1", -1 },
		{ "99999999999999999999", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t value = -1;

		assert_int_equal(integer_parse(slice_of(cases[i].text), &value), cases[i].value >= 0);
		assert_int_equal(value, cases[i].value);
	}
}

static void reads_masks(void **state)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} cases[] = {
		{ "0x0000000000000004", true, 4 },
		{ "0x00000000000001FF", true, 0x1FF },
		{ "0x1ff", true, 0x1FF },
		{ "0X1f", true, 0x1F },
		{ "0xFFFFFFFFFFFFFFFF", true, UINT64_MAX },
		{ "0x10000000000000000", false, 0 }, /* 17 digits */
		{ "0x", false, 0 },
		{ "0xG", false, 0 },
		{ "1F", false, 0 },
		{ " 0x4", false, 0 },
		{ "0x4 ", false, 0 },
		{ "", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t value = 0;

		assert_int_equal(mask_parse(slice_of(cases[i].text), &value), cases[i].good);
		assert_true(value == cases[i].value);
	}
}

static void prints_with_a_fixed_number_of_decimals(void **state)
{
	static const struct {
		double value;
		int decimals;
		const char *text;
	} cases[] = {
		{ 45, 0, "45" },       { 45, 2, "45.00" },    { 0.4, 1, "0.4" },  { -0.4, 0, "0" },       { -0.04, 1, "0.0" },
		{ -0.06, 1, "-0.1" },  { 1e15, 0, "1000000000000000" },           { 1.0 / 3, 6, "0.333333" },
		{ (double)NAN, 1, "-" }, { (double)INFINITY, 1, "-" },            { -(double)INFINITY, 1, "-" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[64];

		assert_int_equal(number_print(text, sizeof text, cases[i].value, cases[i].decimals), strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
	}
}

static void prints_the_shortest_text_that_reads_back(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" }, { 1, "1" }, { -1.5, "-1.5" }, { 0.1, "0.1" }, { 0.1 + 0.2, "0.30000000000000004" },
		{ 1.0 / 3, "0.3333333333333333" }, { 1e300, "1e+300" }, { 123456789012345680.0, "1.2345678901234568e+17" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[64];

		number_print_exact(text, sizeof text, cases[i].value);
		assert_string_equal(text, cases[i].text);
	}
}

/* Law: printing and reading gives the same double, bit for bit. Doubles of every size, from a counter's hash. */
static void exact_printing_round_trips(void **state)
{
	uint64_t random = 88172645463325252;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		char text[64];
		double value, back;

		random ^= random << 13, random ^= random >> 7, random ^= random << 17; /* Marsaglia's xorshift64 */
		memcpy(&value, &random, sizeof value);
		/* below 1e-300 the text would be longer than number_parse takes from anybody */
		if (!isfinite(value) || fabs(value) < 1e-300)
			continue;
		const int n = number_print_exact(text, sizeof text, value);
		assert_true(n > 0 && (size_t)n < sizeof text);
		assert_true(number_parse((struct slice){ text, (size_t)n }, &back));
		assert_memory_equal(&value, &back, sizeof value);
	}
}

/* Law: what is printed is what printf() makes of it with the fewest digits, of 15 to 17, that strtod() reads back. */
static void exact_printing_is_shortest(void **state)
{
	uint64_t random = 88172645463325252;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		char text[64], expected[64];
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		const double whole = (double)(int64_t)(random >> 14), share = (double)(random >> 11) * 0x1p-53;
		const double values[] = { whole / 1e6, -whole, share * pow(10, (int)(random % 20) - 4), share, nextafter(whole / 1e6, 0),
			(double)(random % 100000) / (double)(1 + (random >> 40) % 5000) };
		const double value = values[i % 6];
		int digits = 15;

		do
			snprintf(expected, sizeof expected, "%.*g", digits, value);
		while (strtod(expected, NULL) != value && digits++ < 17);
		assert_int_equal(number_print_exact(text, sizeof text, value), strlen(expected));
		assert_string_equal(text, expected);
	}
}

/* Law: a number is read as strtod() does, bit for bit, whichever way it has: up to 20 digits with a point anywhere among them. */
static void reads_the_nearest_number(void **state)
{
	uint64_t random = 88172645463325252;

	(void)state;
	for (int i = 0; i < 300000; i++) {
		char text[32];
		double value = 0;

		random ^= random << 13, random ^= random >> 7, random ^= random << 17; /* Marsaglia's xorshift64 */
		const int n = 1 + (int)(random % 20), point = (int)(random >> 8 & 0xffff) % (n + 2);
		for (int k = 0; k < n; k++)
			text[k + (k >= point)] = (char)('0' + (random >> (3 * k)) % 10);
		if (point <= n)
			text[point] = '.';
		text[n + (point <= n)] = '\0';
		const double expected = strtod(text, NULL);
		assert_true(number_parse(slice_of(text), &value));
		assert_memory_equal(&value, &expected, sizeof value);
	}
}

static void reads_numbers_of_json_and_rules(void **state)
{
	static const struct {
		const char *text;
		bool good;
		double value;
	} cases[] = {
		{ "0.5", true, 0.5 },  { "-2", true, -2 },    { "1e3", true, 1000 }, { "1.5E-1", true, 0.15 },
		{ "", false, 0 },      { "nan", false, 0 },   { "inf", false, 0 },   { "0x10", false, 0 },  { "1 ", false, 0 },
		{ "1,5", false, 0 },   { "1e999", false, 0 }, { "--1", false, 0 },   { "1.2.3", false, 0 }, { "e", false, 0 },
		{ "1e", false, 0 },    { "1e+", false, 0 },   { ".", false, 0 },     { "..5", false, 0 },   { "5.", true, 5 },
		{ ".5", true, 0.5 },   { "007.50", true, 7.5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double value = 0;

		assert_int_equal(number_parse(slice_of(cases[i].text), &value), cases[i].good);
		assert_true(value == cases[i].value);
	}
}

static void writes_numbers_without_exponents(void **state)
{
	static const struct {
		const char *text, *plain;
	} cases[] = {
		{ "1e5", "100000.000000" },     { "1E5", "100000.000000" },     { "1e+05", "100000.000000" },  { "1e-5", "0.000010" },
		{ "-2.5e+01", "-25.000000" },   { "1.23456789e2", "123.456789" }, { "7e-400", "0.000000" },    { "8.9e12", "8900000000000.000000" },
		/* what is none stays as it is */
		{ "1e", "1e" },                 { "e5", "e5" },                 { "1e999999999", "1e999999999" }, { "1e+13", "1e+13" },
		{ "1e-x", "1e-x" },             { "", "" },                     { "15", "15" },                { "1e5 W", "1e5 W" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct slice text = slice_of(cases[i].text);
		char room[NUMBER_ROOM];

		number_without_exponent(text, room, &text);
		assert_true(slice_is(text, cases[i].plain));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_decimals_and_what_follows_them),
		cmocka_unit_test(knows_what_is_no_number),
		cmocka_unit_test(nul_ends_nothing),
		cmocka_unit_test(never_looks_behind_the_end),
		cmocka_unit_test(plain_numbers_are_what_the_grammar_says),
		cmocka_unit_test(knows_what_is_no_plain_number),
		cmocka_unit_test(reads_integers),
		cmocka_unit_test(reads_masks),
		cmocka_unit_test(prints_with_a_fixed_number_of_decimals),
		cmocka_unit_test(prints_the_shortest_text_that_reads_back),
		cmocka_unit_test(exact_printing_round_trips),
		cmocka_unit_test(exact_printing_is_shortest),
		cmocka_unit_test(reads_the_nearest_number),
		cmocka_unit_test(reads_numbers_of_json_and_rules),
		cmocka_unit_test(writes_numbers_without_exponents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
