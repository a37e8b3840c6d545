/* number.c - decimals in and out, without locales. */
#include "base/number.h"

#include <math.h>
#include <stdio.h>

#define FIXED_DIGITS 6

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

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

bool fixed_parse(struct slice text, fixed *value, struct slice *rest)
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

bool integer_parse(struct slice text, int64_t *value)
{
	int64_t v = 0;

	if (!text.n)
		return false;
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

int number_print_exact(char *out, size_t size, double value)
{
	for (int digits = 15; digits <= 17; digits++) {
		int n = snprintf(out, size, "%.*g", digits, value);
		double back;
		if (n < 0 || (size_t)n >= size || (number_parse((struct slice){ out, (size_t)n }, &back) && back == value) ||
			digits == 17)
			return n;
	}
	return 0;
}

bool number_parse(struct slice text, double *value)
{
	char copy[64];
	int end = 0;
	double v;

	if (!text.n || text.n >= sizeof copy)
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
