/* deflate_test.c - what was packed is what zlib unpacks, whatever it is; and what pictures repeat takes next to nothing. */
#include "chart/deflate.h"
#include "chart/prefix_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <zlib.h>

#define MOST ((size_t)300000)

/* Numerical Recipes' linear congruence: any noise will do. */
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525U + 1013904223U;
	return *state >> 16;
}

/* How many bytes it takes, with what zlib makes of them compared. */
static size_t packed_bytes(const uint8_t *bytes, size_t n, size_t stride)
{
	static uint8_t back[MOST + 1];
	uLongf n_back = sizeof back;
	struct arena mem;
	struct buf out;

	arena_init(&mem);
	buf_init(&out, SIZE_MAX);
	deflate_rows(&mem, bytes, n, stride, &out);
	const size_t n_packed = out.n;
	assert_int_equal(uncompress(back, &n_back, (const Bytef *)out.at, n_packed), Z_OK);
	assert_int_equal(n_back, n);
	if (n > 0)
		assert_memory_equal(back, bytes, n);
	buf_release(&out);
	arena_release(&mem);
	return n_packed;
}

static void few_bytes_come_back(void **state)
{
	static const uint8_t bytes[] = "aaaaaaaaabcabcabcabcd";

	(void)state;
	for (size_t n = 0; n <= sizeof bytes; n++)
		for (size_t stride = 1; stride <= sizeof bytes + 1; stride++)
			packed_bytes(bytes, n, stride);
}

static void noise_comes_back(void **state)
{
	static uint8_t bytes[MOST];
	uint32_t random = 1;

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = (uint8_t)next_random(&random);
	assert_in_range(packed_bytes(bytes, MOST, 1401), MOST, MOST + MOST / 100);
	for (size_t i = 0; i < MOST; i++)
		bytes[i] &= 3;
	assert_in_range(packed_bytes(bytes, MOST, 1401), MOST / 4, MOST * 2 / 5);
}

/* Rows of pictures: stretches of a few colours, now and then as the row above, at strides below and beyond the window of 32 KiB. */
static void rows_come_back(void **state)
{
	static const size_t strides[] = { 1, 2, 3, 258, 259, 701, 2101, 32767, 32768, 32769, 100000 };
	static uint8_t bytes[MOST];
	uint32_t random = 7;

	(void)state;
	for (size_t k = 0; k < sizeof strides / sizeof *strides; k++) {
		const size_t stride = strides[k];
		for (size_t i = 0; i < MOST;) {
			const size_t length = 1 + next_random(&random) % (next_random(&random) % 600 + 1);
			const bool repeats = next_random(&random) % 3 > 0 && i >= stride;
			const uint8_t colour = (uint8_t)(next_random(&random) % 40);
			for (const size_t end = i + length; i < end && i < MOST; i++)
				bytes[i] = repeats ? bytes[i - stride] : colour;
		}
		packed_bytes(bytes, MOST, stride);
	}
}

/* No code is the begin of another, and no room is left for one more. */
static void assert_complete(const struct prefix_code *c, size_t n, size_t most)
{
	size_t taken = 0;

	for (size_t s = 0; s < n; s++) {
		assert_in_range(c->length[s], 0, most);
		taken += c->length[s] ? (size_t)1 << (most - c->length[s]) : 0;
		for (size_t other = 0; other < n; other++)
			if (other != s && c->length[s] && c->length[s] <= c->length[other])
				assert_int_not_equal(c->bits[s], c->bits[other] & ((1U << c->length[s]) - 1));
	}
	assert_int_equal(taken, (size_t)1 << most);
}

/* Symbols as often as Fibonacci's numbers make the deepest tree that there is, deeper than codes may be long. */
static void rare_symbols_have_codes_that_are_not_too_long(void **state)
{
	uint32_t counts[PREFIX_CODE_MOST_SYMBOLS];
	struct prefix_code c;

	(void)state;
	for (size_t n = 2; n <= 40; n++) {
		counts[0] = counts[1] = 1;
		for (size_t s = 2; s < n; s++)
			counts[s] = counts[s - 1] + counts[s - 2];
		prefix_code_make(&c, counts, n, PREFIX_CODE_MOST_BITS);
		assert_complete(&c, n, PREFIX_CODE_MOST_BITS);
		assert_int_equal(c.length[n - 1], 1);
		assert_int_equal(c.length[0], n - 1 < PREFIX_CODE_MOST_BITS ? n - 1 : PREFIX_CODE_MOST_BITS);
	}
	for (size_t n = 2; n <= 19; n++) {
		prefix_code_make(&c, counts, n, 7);
		assert_complete(&c, n, 7);
	}
	for (size_t s = 0; s < PREFIX_CODE_MOST_SYMBOLS; s++)
		counts[s] = 1;
	prefix_code_make(&c, counts, PREFIX_CODE_MOST_SYMBOLS, PREFIX_CODE_MOST_BITS);
	assert_complete(&c, PREFIX_CODE_MOST_SYMBOLS, PREFIX_CODE_MOST_BITS);
}

static void one_symbol_is_not_alone(void **state)
{
	const uint32_t counts[] = { 0, 0, 5, 0 };
	struct prefix_code c;

	(void)state;
	prefix_code_make(&c, counts, 4, 7);
	assert_int_equal(c.length[2], 1);
	assert_complete(&c, 4, 1);
}

/* A page of rows that are all alike: a token for 258 bytes, of a dozen bits. */
static void what_repeats_takes_next_to_nothing(void **state)
{
	static uint8_t bytes[MOST];
	uint32_t random = 5;

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = i < 1000 ? (uint8_t)next_random(&random) : bytes[i - 1000];
	assert_in_range(packed_bytes(bytes, MOST, 1000), 1000, 1000 + MOST / 258 * 3 / 2 + 200);
	memset(bytes, 0, MOST);
	assert_in_range(packed_bytes(bytes, MOST, 1000), 1, MOST / 258);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_bytes_come_back),
		cmocka_unit_test(noise_comes_back),
		cmocka_unit_test(rows_come_back),
		cmocka_unit_test(rare_symbols_have_codes_that_are_not_too_long),
		cmocka_unit_test(one_symbol_is_not_alone),
		cmocka_unit_test(what_repeats_takes_next_to_nothing),
	};

	return cmocka_run_group_tests_name("deflate", tests, NULL, NULL);
}
