/*
 * number.h - numbers as logs write them, independent of any locale.
 *
 * Values from logs are kept as `fixed`: whole millionths of the metric's unit. Sums of
 * them are exact integers, so that order, split and threads can't change a statistic.
 * Range: +-9.2e12 units, which is over 9 PiB in MiB and 9 TB/s in B/s.
 */
#ifndef POSTRUN_NUMBER_H
#define POSTRUN_NUMBER_H

#include "base/arena.h"
#include "base/slice.h"
#include <stdint.h>

typedef int64_t fixed;
#define FIXED_ONE 1000000
/* "Not known". The only sentinel; no arithmetic is ever done with it. */
#define FIXED_MISSING INT64_MIN
#define FIXED_DIGITS 6 /* behind the point; more are rounded */

/* fmin() and fmax() are calls. NAN where `a` is; where `b` is, `a`. */
static inline double lesser(double a, double b)
{
	return b < a ? b : a;
}
static inline double greater(double a, double b)
{
	return b > a ? b : a;
}

static inline double fixed_value(fixed f)
{
	return (double)f / FIXED_ONE;
}

/*
 * Reads a decimal ("45", "-3.25", "1,024.5" with grouping commas of three digits, ".5") from
 * the front of `text`. Digits beyond the sixth decimal round half away from zero.
 * `*rest` is what follows, trimmed ("%", "MiB"). False when there is no number or it is out
 * of range; nan, inf, exponents and hexadecimal are not numbers here.
 */
bool fixed_parse(struct slice text, fixed *value, struct slice *rest);
/*
 * The same for what nearly every cell is: digits and perhaps a point, nothing else, few enough for any to fit. No number, and nothing
 * said, for all others, which fixed_parse() may well know how to read.
 */
struct plain_number {
	fixed value;
	int decimals; /* digits behind the point; below 0: no plain number */
};
struct plain_number plain_parse(struct slice text);

static inline bool fixed_parse_plain(struct slice text, fixed *value, int *decimals)
{
	const struct plain_number number = plain_parse(text);

	if (number.decimals < 0)
		return false;
	*value = number.value;
	*decimals = number.decimals;
	return true;
}
/* The first byte is the lowest one, on any machine. */
static inline uint64_t eight_bytes(const char *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}
/* What a number has to be multiplied with that was read without its point, by the digits behind that. */
extern const fixed fixed_scales[FIXED_DIGITS + 1];
/* The number that eight digits are, or zeros before them, the first byte the lowest: neighbours are joined to pairs, to fours, to eight. */
static inline int64_t eight_digits_value(uint64_t x)
{
	x = (x & 0x0F0F0F0F0F0F0F0FU) * 2561 >> 8;
	x = (x & 0x00FF00FF00FF00FFU) * 6553601 >> 16;
	return (int64_t)((x & 0x0000FFFF0000FFFFU) * 42949672960001U >> 32);
}
/* The number that the first n of its bytes are, 1 to 8 digits. */
static inline int64_t digits_value(uint64_t x, unsigned n)
{
	return eight_digits_value(x << (64 - 8 * n));
}
/* Only digits; false on anything else or overflow. */
bool integer_parse(struct slice text, int64_t *value);
/* 0x… as nvidia-smi prints masks. */
bool mask_parse(struct slice text, uint64_t *value);

/*
 * The only places that print floating point, always with a '.'. They return the length of the whole text, as snprintf() does: `size` or
 * more says that `out` has but the beginning of it.
 */
/* Never in exponent form, and no "-0"; "-" of what is not finite. */
int number_print(char *out, size_t size, double value, int decimals);
/* The same as a text in `mem`. */
const char *number_text(struct arena *mem, double value, int decimals);
/* What the word for n things ends in. */
static inline const char *plural_s(size_t n)
{
	return n == 1 ? "" : "s";
}
/* Shortest text that reads back as the same double, for JSON; of finite numbers. */
int number_print_exact(char *out, size_t size, double value);
#define NUMBER_ROOM ((size_t)32)
/* The same of numbers that are not far from 1, into NUMBER_ROOM bytes; 0: it is another. For number.c. */
int number_print_usual(char *out, double value);
/*
 * What is in exponent form ("3.2e-05", "1E5", "1e+05") becomes a decimal in `room`, of NUMBER_ROOM bytes, which fixed_parse() reads. What
 * is not, and a number that `fixed` can't hold, stays as it is.
 */
void number_without_exponent(struct slice text, char *room, struct slice *out);
/* A decimal with an optional exponent, for JSON in tests and rule literals. */
bool number_parse(struct slice text, double *value);

#endif
