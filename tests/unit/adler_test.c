/* adler_test.c - the checksum of a row is that of its bytes, one after the other. */
#include "chart/adler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define MOST 100000 /* more than a row of the widest picture */

/* As RFC 1950 has it. */
static uint32_t byte_by_byte(const uint8_t *bytes, size_t n)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < n; i++) {
		a = (a + bytes[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

static void is_that_of_its_bytes(void **state)
{
	static const size_t large[] = { 1401, 5552, 5553, 65521, MOST };
	static uint8_t bytes[MOST];

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = (uint8_t)(i * 2654435761U >> 13);
	for (size_t n = 0; n < 200; n++)
		assert_int_equal(adler_of(bytes + n % 7, n), byte_by_byte(bytes + n % 7, n));
	for (size_t i = 0; i < sizeof large / sizeof *large; i++)
		assert_int_equal(adler_of(bytes, large[i]), byte_by_byte(bytes, large[i]));
}

/* The largest sums that there are. */
static void nothing_overflows(void **state)
{
	static uint8_t bytes[MOST];

	(void)state;
	memset(bytes, 0xff, sizeof bytes);
	assert_int_equal(adler_of(bytes, MOST), byte_by_byte(bytes, MOST));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_that_of_its_bytes),
		cmocka_unit_test(nothing_overflows),
	};

	return cmocka_run_group_tests_name("adler", tests, NULL, NULL);
}
