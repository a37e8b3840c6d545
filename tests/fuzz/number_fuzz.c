/*
 * number_fuzz.c - any text as a number, a time, a zone, a duration.
 *
 * Laws: a number is between its nearest neighbours in decimal, computed here digit by digit in 128 bits; the fast parser and the full one
 * agree wherever the fast one answers; what is left behind a number is a part of the text; a stamp that was read is written and read back
 * as the same moment, with and without its zone; no parser reads behind the end of its text.
 */
#include "base/calendar.h"
#include "base/number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define FIXED_LIMIT ((__int128)INT64_MAX)

static void require(bool law)
{
	if (!law)
		__builtin_trap();
}

static bool is_inside(struct slice part, struct slice whole)
{
	return !part.n || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

/* ------------------------------------------------ numbers */

/* The number that `text` begins with, as a reader with a pencil has it: signs, digits, a point; half a millionth is rounded away from 0. */
static __int128 by_pencil(struct slice text)
{
	__int128 value = 0;
	int decimals = -1, sixth_after = 0;
	size_t i = 0;
	const bool is_negative = text.n && text.p[0] == '-';

	if (text.n && (text.p[0] == '-' || text.p[0] == '+'))
		i++;
	for (; i < text.n && value <= FIXED_LIMIT; i++) {
		const char c = text.p[i];
		if (c == '.' && decimals < 0)
			decimals = 0;
		else if (c >= '0' && c <= '9' && decimals == FIXED_DIGITS)
			sixth_after = c - '0', decimals++;
		else if (c >= '0' && c <= '9' && decimals < FIXED_DIGITS)
			value = value * 10 + (c - '0'), decimals += decimals >= 0;
		else if ((c < '0' || c > '9') && c != ',')
			break;
	}
	for (int k = decimals < 0 ? 0 : decimals; k < FIXED_DIGITS; k++)
		value *= 10;
	value += sixth_after >= 5;
	return is_negative ? -value : value;
}

static void check_fixed(struct slice text)
{
	fixed value = 0, plain = 0;
	struct slice rest = { NULL, 0 };
	int decimals = 0;
	const bool is_number = fixed_parse(text, &value, &rest);
	const bool is_plain = fixed_parse_plain(text, &plain, &decimals);

	if (is_number) {
		require(value != FIXED_MISSING && is_inside(rest, text));
		require(value == by_pencil(slice_trim(text)));
	}
	if (is_plain)
		require(is_number && value == plain && !rest.n && decimals >= 0);
}

static void check_integer(struct slice text)
{
	int64_t whole = 0;
	fixed value = 0;
	struct slice rest = { NULL, 0 };
	uint64_t mask = 0;

	if (integer_parse(text, &whole)) {
		require(whole >= 0);
		require(!fixed_parse(text, &value, &rest) || rest.n || value == whole * FIXED_ONE);
	}
	if (mask_parse(text, &mask)) {
		char copy[32] = { 0 };
		require(text.n < sizeof copy);
		memcpy(copy, text.p, text.n);
		require(mask == strtoull(copy, NULL, 16));
	}
}

static void check_decimal(struct slice text)
{
	double value = 0, again = 0;
	char printed[64];

	if (!number_parse(text, &value))
		return;
	require(isfinite(value));
	const int n = number_print_exact(printed, sizeof printed, value);
	require(n > 0 && (size_t)n < sizeof printed);
	require(number_parse((struct slice){ printed, (size_t)n }, &again) && again == value);
}

/* ------------------------------------------------ times */

static void check_stamp(struct arena *mem, struct slice text)
{
	time_ms t = 0, again = 0, offset = 0;

	if (stamp_parse(text, &t)) {
		const struct civil c = civil_from_time(t);
		require(civil_is_valid(c.year, c.month, c.day) && time_from_civil(&c) == t);
		require(stamp_zone_parse(slice_of(time_iso(mem, t)), &again, &offset) && again == t && offset == 0);
	}
	if (stamp_zone_parse(text, &t, &offset))
		require(offset >= -DAY_MS && offset <= DAY_MS && stamp_zone_parse(slice_of(time_iso(mem, t)), &again, &offset) && again == t);
}

static void check_other_stamps(struct slice text)
{
	time_ms first = 0, second = 0;
	struct slice zone = { NULL, 0 };

	if (stamp_swap_parse(text, &first, &second) && first != TIME_UNKNOWN && second != TIME_UNKNOWN) {
		const struct civil a = civil_from_time(first), b = civil_from_time(second);
		require(a.year == b.year && a.month == b.day && a.day == b.month);
	}
	if (stamp_words_parse(text, &first, &zone))
		require(is_inside(zone, text) && civil_from_time(first).year >= 1990);
	for (const char *half = "AP"; *half; half++)
		if (clock_parse(text, *half, &first))
			require(first >= 0 && first < DAY_MS && (first >= DAY_MS / 2) == (*half == 'P'));
	if (clock_parse(text, 0, &first))
		require(first >= 0 && first <= DAY_MS);
}

static void check_zone(struct arena *mem, struct slice text)
{
	time_ms offset = 0, again = 0;

	if (zone_parse(text, &offset))
		require(zone_parse(slice_of(zone_name(mem, offset)), &again) && again == offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct slice text = { (const char *)bytes, n };
	struct arena mem;

	if (n > 200)
		return 0;
	arena_init(&mem);
	check_fixed(text);
	check_integer(text);
	check_decimal(text);
	check_stamp(&mem, text);
	check_other_stamps(text);
	check_zone(&mem, text);
	arena_release(&mem);
	return 0;
}
