/* number.c - decimals in and out, without locales. */
#include "base/number.h"

#include <math.h>
#include <stdio.h>

/* value * 10 + digit, false when that leaves the range of fixed. */
static bool push_digit(int64_t *value, char digit)
{
	if (*value > (INT64_MAX - 9) / 10)
		return false;
	*value = *value * 10 + (digit - '0');
	return true;
}

/* "1,024": a comma counts only between a digit and exactly three more. */
static bool is_grouping(struct slice s, size_t i)
{
	return s.p[i] == ',' && i && is_digit(s.p[i - 1]) && i + 3 < s.n && is_digit(s.p[i + 1]) && is_digit(s.p[i + 2]) &&
	       is_digit(s.p[i + 3]) && (i + 4 == s.n || !is_digit(s.p[i + 4]));
}

#define PLAIN_DIGITS ((size_t)12) /* with six more behind them they are below 2^63 */

const fixed fixed_scales[FIXED_DIGITS + 1] = { 1000000, 100000, 10000, 1000, 100, 10, 1 };

static const struct plain_number no_plain_number = { 0, -1 };

/* Up to PLAIN_DIGITS characters. */
static struct plain_number parse_long(struct slice text)
{
	const char *p = text.p, *const end = text.p + text.n;
	int64_t v = 0;

	for (; p < end && is_digit(*p); p++)
		v = v * 10 + (*p - '0');
	size_t n_behind = 0;
	if (p < end && *p == '.') {
		const char *const point = p++;
		for (; p < end && is_digit(*p); p++)
			v = v * 10 + (*p - '0');
		n_behind = (size_t)(p - point) - 1;
	}
	if (p < end || n_behind > FIXED_DIGITS || text.p[text.n - 1] == '.')
		return no_plain_number;
	return (struct plain_number){ v * fixed_scales[n_behind], (int)n_behind };
}

/* Up to eight bytes, the first one lowest; above them there is nothing. */
static inline uint64_t few_bytes(const char *p, size_t n)
{
	uint32_t low, high;

	if (n < 4)
		return (uint8_t)p[0] | (uint64_t)(uint8_t)p[n / 2] << 8 * (n / 2) | (uint64_t)(uint8_t)p[n - 1] << 8 * (n - 1);
	memcpy(&low, p, 4);
	memcpy(&high, p + n - 4, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	low = __builtin_bswap32(low);
	high = __builtin_bswap32(high);
#endif
	return low | (uint64_t)high << 8 * (n - 4);
}

/* The highest bit of each byte that is no digit. */
static inline uint64_t flags_no_digit(uint64_t x)
{
	const uint64_t digits = x ^ 0x3030303030303030U;

	return (digits | ((digits & 0x7F7F7F7F7F7F7F7FU) + 0x7676767676767676U)) & 0x8080808080808080U;
}

struct plain_number plain_parse(struct slice text)
{
	if (text.n == 1 && is_digit(text.p[0]))
		return (struct plain_number){ (text.p[0] - '0') * (fixed)FIXED_ONE, 0 };
	if (text.n == 4 && memcmp(text.p, "0.00", 4) == 0) /* what most of an idle host's numbers are */
		return (struct plain_number){ 0, 2 };
	if (text.n > 8 || text.n < 1)
		return text.n && text.n <= PLAIN_DIGITS ? parse_long(text) : no_plain_number;
	const uint64_t x = few_bytes(text.p, text.n);
	const uint64_t others = flags_no_digit(x) & UINT64_MAX >> (64 - 8 * text.n);
	if (!others)
		return (struct plain_number){ digits_value(x, (unsigned)text.n) * FIXED_ONE, 0 };
	const unsigned bit = (unsigned)__builtin_ctzll(others) - 7; /* where the first of them begins */
	const size_t n_behind = text.n - 1 - bit / 8;
	if (others & (others - 1) || (uint8_t)(x >> bit) != '.' || n_behind < 1 || n_behind > FIXED_DIGITS)
		return no_plain_number;
	const uint64_t below = ((uint64_t)1 << bit) - 1;
	const int64_t digits = digits_value((x & below) | (x >> 8 & ~below), (unsigned)text.n - 1);
	return (struct plain_number){ digits * fixed_scales[n_behind], (int)n_behind };
}

static bool parse_any(struct slice text, fixed *value, struct slice *rest)
{
	struct slice s = slice_trim(text);
	size_t i = 0, n_digits = 0;
	int decimals = -1; /* digits taken behind the point; -1 before it */
	int64_t v = 0;
	bool negative = false, round_up = false;

	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		negative = s.p[i++] == '-';
	for (; i < s.n; i++) {
		if (s.p[i] == '.' && decimals < 0) {
			decimals = 0;
			continue;
		}
		if (decimals < 0 && is_grouping(s, i))
			continue;
		if (!is_digit(s.p[i]))
			break;
		n_digits++;
		if (decimals == FIXED_DIGITS) {
			round_up = s.p[i] >= '5';
			decimals++;
		}
		if (decimals > FIXED_DIGITS)
			continue;
		if (!push_digit(&v, s.p[i]))
			return false;
		if (decimals >= 0)
			decimals++;
	}
	if (!n_digits)
		return false;
	for (int d = decimals < 0 ? 0 : decimals; d < FIXED_DIGITS; d++)
		if (!push_digit(&v, '0'))
			return false;
	v += round_up;
	*value = negative ? -v : v;
	*rest = slice_trim((struct slice){ s.p + i, s.n - i });
	/* "1e9", "0x1F", "12abc", "1.2.3": what sticks to the digits must not be part of a number */
	if (i < s.n && (s.p[i] == '.' || s.p[i] == ',' || s.p[i] == 'e' || s.p[i] == 'E' || s.p[i] == 'x' || s.p[i] == 'X' ||
			       s.p[i] == '_'))
		return false;
	return true;
}

bool fixed_parse(struct slice text, fixed *value, struct slice *rest)
{
	int decimals;

	if (!fixed_parse_plain(text, value, &decimals))
		return parse_any(text, value, rest);
	*rest = (struct slice){ text.p + text.n, 0 };
	return true;
}

#define SAFE_DIGITS ((size_t)18) /* as many are below 2^63, whatever they are */

bool integer_parse(struct slice text, int64_t *value)
{
	int64_t v = 0;

	if (!text.n)
		return false;
	if (text.n == 1 && is_digit(text.p[0])) {
		*value = text.p[0] - '0';
		return true;
	}
	if (text.n <= 8) {
		const uint64_t x = few_bytes(text.p, text.n);
		if (flags_no_digit(x) & UINT64_MAX >> (64 - 8 * text.n))
			return false;
		*value = digits_value(x, (unsigned)text.n);
		return true;
	}
	if (text.n <= SAFE_DIGITS) {
		for (size_t i = 0; i < text.n; i++) {
			if (!is_digit(text.p[i]))
				return false;
			v = v * 10 + (text.p[i] - '0');
		}
		*value = v;
		return true;
	}
	for (size_t i = 0; i < text.n; i++)
		if (!is_digit(text.p[i]) || !push_digit(&v, text.p[i]))
			return false;
	*value = v;
	return true;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool mask_parse(struct slice text, uint64_t *value)
{
	uint64_t v = 0;

	if (text.n < 3 || text.n > 18 || text.p[0] != '0' || (text.p[1] != 'x' && text.p[1] != 'X'))
		return false;
	for (size_t i = 2; i < text.n; i++) {
		int digit = hex_digit(text.p[i]);
		if (digit < 0)
			return false;
		v = v << 4 | (uint64_t)digit;
	}
	*value = v;
	return true;
}

int number_print(char *out, size_t size, double value, int decimals)
{
	if (!isfinite(value))
		return snprintf(out, size, "%s", "-");
	/* -0.4 with no decimals is 0, not -0 */
	if (fabs(value) < 0.5 * pow(10, -decimals))
		value = 0;
	return snprintf(out, size, "%.*f", decimals, value);
}

#define LONGEST 352 /* the largest double has 309 digits before the point, and nobody asks for 40 behind it */

const char *number_text(struct arena *mem, double value, int decimals)
{
	char text[LONGEST];

	number_print(text, sizeof text, value, decimals);
	return arena_text(mem, text, strlen(text));
}

int number_print_exact(char *out, size_t size, double value)
{
	const int n_usual = size >= NUMBER_ROOM ? number_print_usual(out, value) : 0;

	for (int digits = 15; digits <= 17 && !n_usual; digits++) {
		int n = snprintf(out, size, "%.*g", digits, value);
		double back;
		if (n < 0 || (size_t)n >= size || (number_parse((struct slice){ out, (size_t)n }, &back) && back == value) ||
			digits == 17)
			return n;
	}
	return n_usual;
}

#define FIXED_MOST 9e12 /* units, as number.h has it */

static bool has_exponent(struct slice text)
{
	return text.n && (memchr(text.p, 'e', text.n) || memchr(text.p, 'E', text.n));
}

void number_without_exponent(struct slice text, char *room, struct slice *out)
{
	double value;

	if (has_exponent(text) && number_parse(text, &value) && fabs(value) < FIXED_MOST)
		*out = (struct slice){ room, (size_t)number_print(room, NUMBER_ROOM, value, FIXED_DIGITS) };
}

#define EXACT_DIGITS 15 /* whole numbers of so many are exact in a double, and powers of ten up to there are, too */

/* Digits with a point or without, which nearly all numbers are: one division of two exact numbers gives the nearest one (Clinger 1990). */
static bool parse_few_digits(struct slice text, double *value)
{
	static const double tens[EXACT_DIGITS + 1] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	size_t n = 0, n_behind = 0;
	bool has_point = false;
	int64_t digits = 0;

	for (size_t i = 0; i < text.n; i++) {
		const bool is_point = text.p[i] == '.' && !has_point;
		if (!is_point && (!is_digit(text.p[i]) || n == EXACT_DIGITS))
			return false;
		has_point |= is_point;
		n += !is_point;
		n_behind += !is_point && has_point;
		digits = is_point ? digits : 10 * digits + (text.p[i] - '0');
	}
	if (n)
		*value = (double)digits / tens[n_behind];
	return n > 0;
}

bool number_parse(struct slice text, double *value)
{
	char copy[64];
	int end = 0;
	double v;

	if (parse_few_digits(text, value))
		return true;
	if (!text.n || text.n >= sizeof copy || memchr("+-eE", text.p[text.n - 1], 4)) /* sscanf() takes "1e" for 1 */
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!is_digit(text.p[i]) && !memchr("+-.eE", text.p[i], 5))
			return false;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	if (sscanf(copy, "%lf%n", &v, &end) != 1 || (size_t)end != text.n || !isfinite(v))
		return false;
	*value = v;
	return true;
}
