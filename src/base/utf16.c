/*
 * utf16.c - units of two bytes in, UTF-8 out (Unicode Standard, 3.9).
 *
 *     FF FE 31 00 35 00 3A 00      "15:" as PowerShell writes it
 *     FE FF 00 31 00 35 00 3A      big-endian
 */
#include "base/utf16.h"

#include "base/character.h"

#define REPLACEMENT 0xFFFDU
#define SURE_UNITS ((size_t)16)   /* so many ASCII units with a zero each are no coincidence */
#define LOOKED_AT_UNITS ((size_t)256)

static bool is_text(unsigned char c)
{
	return (c >= ' ' && c < 0x7F) || c == '\t' || c == '\r' || c == '\n';
}

/* Every unit an ASCII character whose zero is at `zero` (0 or 1) of its two bytes. */
static bool is_wide_ascii(struct slice s, size_t zero)
{
	const size_t n = s.n / 2 < LOOKED_AT_UNITS ? s.n / 2 : LOOKED_AT_UNITS;

	for (size_t i = 0; i < n; i++)
		if (s.p[2 * i + zero] || !is_text((unsigned char)s.p[2 * i + 1 - zero]))
			return false;
	return n >= SURE_UNITS;
}

enum encoding encoding_guess(struct slice first)
{
	if (slice_starts(first, "\xFF\xFE") || is_wide_ascii(first, 1))
		return ENCODING_UTF16_LE;
	if (slice_starts(first, "\xFE\xFF") || is_wide_ascii(first, 0))
		return ENCODING_UTF16_BE;
	return ENCODING_UTF8;
}

static bool is_high(uint32_t unit)
{
	return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low(uint32_t unit)
{
	return unit >= 0xDC00 && unit < 0xE000;
}

static size_t put_unit(struct utf16 *u, uint16_t unit, char *to)
{
	size_t n = 0;

	if (u->high && is_low(unit)) {
		const uint32_t c = 0x10000 + (((uint32_t)u->high - 0xD800) << 10) + (unit - 0xDC00U);
		u->high = 0;
		return character_put(to, c);
	}
	if (u->high)
		n = character_put(to, REPLACEMENT);
	u->high = is_high(unit) ? unit : 0;
	if (u->high)
		return n;
	return n + character_put(to + n, is_low(unit) ? REPLACEMENT : unit);
}

size_t utf16_decode(struct utf16 *u, struct slice *from, char *to, size_t room)
{
	size_t n = 0;

	while (from->n >= 2 && room - n >= UTF16_MOST_BYTES) {
		const unsigned char a = (unsigned char)from->p[0], b = (unsigned char)from->p[1];
		n += put_unit(u, (uint16_t)(u->big_endian ? a << 8 | b : b << 8 | a), to + n);
		*from = (struct slice){ from->p + 2, from->n - 2 };
	}
	return n;
}

size_t utf16_end(struct utf16 *u, struct slice left, char *to)
{
	size_t n = u->high ? character_put(to, REPLACEMENT) : 0;

	u->high = 0;
	return n + (left.n ? character_put(to + n, REPLACEMENT) : 0);
}
