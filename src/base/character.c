/* character.c - where a character of UTF-8 ends, which one it is, how it is written, and whether it can be seen. */
#include "base/character.h"

size_t character_size(struct slice text)
{
	const unsigned char lead = (unsigned char)text.p[0];
	const size_t n = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
	/* slice_is_utf8 refuses NUL, which JSON can write */
	const bool good = n <= text.n && (!lead || slice_is_utf8((struct slice){ text.p, n }));

	return good ? n : 0;
}

unsigned code_point(struct slice character)
{
	static const unsigned lead_bits[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
	unsigned c = (unsigned char)character.p[0] & lead_bits[character.n];

	for (size_t i = 1; i < character.n; i++)
		c = c << 6 | ((unsigned char)character.p[i] & 0x3FU);
	return c;
}

size_t character_put(char to[CHARACTER_MOST_BYTES], unsigned code)
{
	static const unsigned char lead_marks[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
	const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--, code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3F));
	to[0] = (char)(lead_marks[n] | code);
	return n;
}

bool is_control_mark(unsigned c)
{
	return (c >= 0x80 && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
	       (c >= 0x2066 && c <= 0x2069);
}
