/* slice.c - looking at borrowed text without copying it. */
#include "base/slice.h"

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SHOWN_MAX_BYTES ((size_t)40)

bool slice_is_nocase(struct slice s, const char *text)
{
	if (s.n && ascii_lower(s.p[0]) != ascii_lower(text[0])) /* mostly */
		return false;
	if (s.n != strlen(text))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (ascii_lower(s.p[i]) != ascii_lower(text[i]))
			return false;
	return true;
}

bool slice_has(struct slice s, const char *part)
{
	const size_t n = strlen(part);

	if (n == 0)
		return true;
	for (size_t i = 0; i + n <= s.n; i++) {
		const char *const first = memchr(s.p + i, part[0], s.n - i - n + 1);
		if (!first)
			return false;
		if (memcmp(first, part, n) == 0)
			return true;
		i = (size_t)(first - s.p);
	}
	return false;
}

struct slice slice_line(struct slice *rest)
{
	const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
	const struct slice line = { rest->p, end ? (size_t)(end - rest->p) : rest->n };

	*rest = (struct slice){ rest->p + line.n + (end != NULL), rest->n - line.n - (end != NULL) };
	return line;
}

bool slice_line_is_whole(struct slice line, struct slice rest)
{
	return line.p + line.n != rest.p;
}

#define LOW_BITS 0x7F7F7F7F7F7F7F7FU
#define HIGH_BITS 0x8080808080808080U
#define IN_EACH 0x0101010101010101U

/* Eight bytes, the first one lowest; where there are fewer, the others are no word. */
static inline uint64_t eight_bytes(const char *p, size_t n)
{
	uint64_t x = ' ' * IN_EACH;

	if (n >= sizeof x)
		memcpy(&x, p, sizeof x);
	else
		memcpy(&x, p, n);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

/* The highest bit of each byte that is not zero. */
static inline uint64_t flags_not_zero(uint64_t x)
{
	return (((x & LOW_BITS) + LOW_BITS) | x) & HIGH_BITS;
}

/* A bit for each of eight bytes that is this one. */
static inline unsigned bits_equal(uint64_t x, char byte)
{
	const uint64_t flags = ~flags_not_zero(x ^ (uint8_t)byte * IN_EACH) & HIGH_BITS;

	return (unsigned)((flags >> 7) * 0x0102040810204080U >> 56);
}

static inline unsigned bits_blank(uint64_t x)
{
	return bits_equal(x, ' ') | bits_equal(x, '\t') | bits_equal(x, '\r');
}

#ifdef __SSE2__
/* The same of sixteen. */
static inline unsigned bits_equal_16(const char *p, char byte)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8(byte)));
}

static inline unsigned bits_blank_16(const char *p)
{
	const __m128i x = _mm_loadu_si128((const __m128i *)p);
	const __m128i tab_or_return = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('\t')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\r')));

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(tab_or_return, _mm_cmpeq_epi8(x, _mm_set1_epi8(' '))));
}
#endif

/* A bit for each of eight bytes that is sought: of words, or this one. */
static inline unsigned bits_sought(uint64_t x, const bool is_word, char byte)
{
	return is_word ? bits_blank(x) ^ 0xFF : bits_equal(x, byte);
}

#ifdef __SSE2__
static inline unsigned bits_sought_16(const char *p, const bool is_word, char byte)
{
	return is_word ? bits_blank_16(p) ^ 0xFFFF : bits_equal_16(p, byte);
}
#endif

/*
 * A bit for each of the first 64 bytes that is sought. Of the last few bytes of a line those before them are looked at again where
 * there are some: nothing behind the line may be. To each caller it is a loop of its own.
 */
__attribute__((always_inline)) static inline uint64_t bits_in_line(struct slice line, size_t at, const bool is_word, char byte)
{
	const char *const p = line.p + at;
	const size_t n = line.n - at < 64 ? line.n - at : 64;
	uint64_t bits = 0;
	size_t i = 0;

#ifdef __SSE2__
	for (; i + 16 <= n; i += 16)
		bits |= (uint64_t)bits_sought_16(p + i, is_word, byte) << i;
	if (i < n && line.n >= 16)
		return bits | (uint64_t)(bits_sought_16(p + n - 16, is_word, byte) >> (16 - (n - i))) << i;
#endif
	for (; i < n; i += 8)
		bits |= (uint64_t)bits_sought(eight_bytes(p + i, n - i), is_word, byte) << i;
	return bits;
}

static inline uint64_t bits_of_words(struct slice line, size_t at)
{
	return bits_in_line(line, at, true, 0);
}

static inline uint64_t bits_of_byte(struct slice line, size_t at, char byte)
{
	return bits_in_line(line, at, false, byte);
}

size_t slice_words(struct slice line, const char *start, struct slice *words, int *columns, size_t most)
{
	const char *begin = NULL; /* of the word that goes on from the block before */
	size_t n = 0;

	for (size_t at = 0; at < line.n && n < most; at += 64) {
		const char *const block = line.p + at;
		const uint64_t bits = bits_of_words(line, at), before = bits << 1 | (begin != NULL);
		uint64_t begins = bits & ~before;
		for (uint64_t ends = ~bits & before; ends && n < most; ends &= ends - 1) {
			if (!begin) {
				begin = block + __builtin_ctzll(begins);
				begins &= begins - 1;
			}
			words[n++] = (struct slice){ begin, (size_t)(block + __builtin_ctzll(ends) - begin) };
			begin = NULL;
		}
		if (begins && !begin)
			begin = block + __builtin_ctzll(begins);
	}
	if (begin && n < most)
		words[n++] = (struct slice){ begin, (size_t)(line.p + line.n - begin) };
	for (size_t i = 0; columns && i < n; i++)
		columns[i] = (int)(words[i].p - start) + 1;
	return n;
}

size_t slice_count_words(struct slice line)
{
	uint64_t before = 0; /* 1: the block before ended inside a word */
	size_t n = 0;

	for (size_t at = 0; at < line.n; at += 64) {
		const uint64_t bits = bits_of_words(line, at);
		n += (size_t)__builtin_popcountll(bits & ~(bits << 1 | before));
		before = bits >> 63;
	}
	return n;
}

size_t slice_count(struct slice line, char byte)
{
	size_t n = 0;

	for (size_t at = 0; at < line.n; at += 64)
		n += (size_t)__builtin_popcountll(bits_of_byte(line, at, byte));
	return n;
}

size_t slice_cells(struct slice line, char separator, struct slice *cells, size_t most)
{
	const char *begin = line.p;
	size_t n = 0;

	for (size_t at = 0; at < line.n && n + 1 < most; at += 64) {
		uint64_t bits = bits_of_byte(line, at, separator);
		for (; bits && n + 1 < most; bits &= bits - 1) {
			const char *const end = line.p + at + __builtin_ctzll(bits);
			cells[n++] = (struct slice){ begin, (size_t)(end - begin) };
			begin = end + 1;
		}
	}
	if (most)
		cells[n++] = (struct slice){ begin, (size_t)(line.p + line.n - begin) };
	return n;
}

/* Bytes of the well-formed sequence at p, 0 when it is malformed (RFC 3629, table in section 4). */
static size_t utf8_length(const unsigned char *p, size_t n)
{
	static const struct {
		unsigned char first, last, second_low, second_high, length;
	} forms[] = {
		{ 0x01, 0x7F, 0, 0, 1 },       { 0xC2, 0xDF, 0x80, 0xBF, 2 }, { 0xE0, 0xE0, 0xA0, 0xBF, 3 },
		{ 0xE1, 0xEC, 0x80, 0xBF, 3 }, { 0xED, 0xED, 0x80, 0x9F, 3 }, { 0xEE, 0xEF, 0x80, 0xBF, 3 },
		{ 0xF0, 0xF0, 0x90, 0xBF, 4 }, { 0xF1, 0xF3, 0x80, 0xBF, 4 }, { 0xF4, 0xF4, 0x80, 0x8F, 4 },
	};

	for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
		if (p[0] < forms[f].first || p[0] > forms[f].last)
			continue;
		size_t length = forms[f].length;
		if (length > n || (length > 1 && (p[1] < forms[f].second_low || p[1] > forms[f].second_high)))
			return 0;
		for (size_t i = 2; i < length; i++)
			if (p[i] < 0x80 || p[i] > 0xBF)
				return 0;
		return length;
	}
	return 0;
}

/* Characters that move the cursor, change colours or turn the direction of writing. */
static bool is_harmful(const unsigned char *p, size_t length)
{
	if (length == 1)
		return p[0] < 0x20 || p[0] == 0x7F;
	if (length == 2)
		return p[0] == 0xC2 && p[1] < 0xA0;
	return length == 3 && p[0] == 0xE2 &&
	       ((p[1] == 0x80 && p[2] >= 0xAA && p[2] <= 0xAE) || (p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9));
}

void text_make_printable(char *text)
{
	unsigned char *from = (unsigned char *)text, *to = from;
	size_t left = strlen(text);

	while (left) {
		size_t length = utf8_length(from, left);
		if (!length || is_harmful(from, length)) {
			*to++ = '?';
			length = length ? length : 1;
		} else {
			memmove(to, from, length);
			to += length;
		}
		from += length;
		left -= length;
	}
	*to = '\0';
}

/* Are eight bytes ASCII, and none of them NUL? */
static inline bool is_plain(const char *p)
{
	const uint64_t x = eight_bytes(p, 8);

	return !(x & HIGH_BITS) && flags_not_zero(x) == HIGH_BITS;
}

bool slice_is_utf8(struct slice s)
{
	while (s.n >= 8 && is_plain(s.p))
		s.p += 8, s.n -= 8;
	while (s.n) {
		size_t length = utf8_length((const unsigned char *)s.p, s.n);
		if (!length)
			return false;
		s.p += length;
		s.n -= length;
	}
	return true;
}

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

bool slice_is_among(struct slice s, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(s, texts[i]))
			return true;
	return false;
}

int slice_columns(struct slice s)
{
	int columns = 0;

	for (size_t i = 0; i < s.n; i++)
		columns += !continues_character(s.p[i]);
	return columns;
}

struct slice slice_shown(struct slice s)
{
	size_t n = s.n < SHOWN_MAX_BYTES ? s.n : SHOWN_MAX_BYTES;

	while (n > 0 && n < s.n && continues_character(s.p[n]))
		n--;
	return (struct slice){ s.p, n };
}
