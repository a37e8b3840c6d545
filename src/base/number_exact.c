/*
 * number_exact.c - the fewest digits, of 15 to 17, that read back as the same double.
 *
 * A number of usual size is mantissa / 2^halvings. What printf() makes of it with so many digits, and what strtod() would make of those, is
 * told in whole numbers of 128 bits, in a twentieth of the time that the two take.
 */
#include "base/number.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_LEAST 15 /* so many survive in any double */
#define DIGITS_MOST 17  /* and so many are enough for any */

__extension__ typedef unsigned __int128 uint128;

/* The other ones are printed with an exponent. */
static const double powers[] = { 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
	1e15 };
#define FIRST_PLACE (-4)
#define N_PLACES (sizeof powers / sizeof *powers - 1)

static bool is_usual(double magnitude)
{
	return magnitude >= powers[0] && magnitude < powers[N_PLACES];
}

/* Where the first digit stands: 0 before the point, 1 and more further left, -1 and less behind it. */
static int first_place(double magnitude)
{
	int i = 0;

	while (magnitude >= powers[i + 1])
		i++;
	return FIRST_PLACE + i;
}

struct parts {
	uint64_t mantissa;
	unsigned halvings;
};

static struct parts parts_of(double magnitude)
{
	uint64_t bits;

	memcpy(&bits, &magnitude, sizeof bits);
	return (struct parts){ (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1) << 52, 1075 - (unsigned)(bits >> 52) };
}

/* The digits nearest to it with so many behind the point as `scale` has zeros. False when another double is as near to them. */
static bool digits_find(struct parts of, uint128 scale, uint64_t *digits)
{
	const uint128 scaled = of.mantissa * scale, half = (uint128)1 << (of.halvings - 1), rest = scaled & (2 * half - 1);
	const uint64_t below = (uint64_t)(scaled >> of.halvings);

	*digits = below + (rest > half || (rest == half && below % 2));
	const uint128 read = (uint128)*digits << of.halvings, off = read > scaled ? read - scaled : scaled - read;
	return 2 * off < scale; /* half of what two doubles lie apart */
}

/* digits / 10^n_behind. */
static int print_decimal(char *out, bool is_negative, uint64_t digits, int n_behind)
{
	char turned[NUMBER_ROOM], *at = out;
	int n = 0;

	for (; n_behind > 0 && digits % 10 == 0; n_behind--)
		digits /= 10;
	do {
		turned[n++] = (char)('0' + digits % 10);
		digits /= 10;
	} while (digits > 0 || n <= n_behind);
	if (is_negative)
		*at++ = '-';
	while (n > 0) {
		if (n == n_behind)
			*at++ = '.';
		*at++ = turned[--n];
	}
	*at = '\0';
	return (int)(at - out);
}

int number_print_usual(char *out, double value)
{
	const double magnitude = fabs(value);
	uint128 scale = 1;
	uint64_t digits;

	if (!is_usual(magnitude))
		return 0;
	const struct parts parts = parts_of(magnitude);
	int n_behind = DIGITS_LEAST - 1 - first_place(magnitude);
	for (int i = 0; i < n_behind; i++)
		scale *= 10;
	for (int n = DIGITS_LEAST; !digits_find(parts, scale, &digits) && n < DIGITS_MOST; n++) {
		scale *= 10;
		n_behind++;
	}
	return print_decimal(out, value < 0, digits, n_behind);
}
