/* slice.c - looking at borrowed text without copying it. */
#include "base/slice.h"

#define SHOWN_MAX_BYTES ((size_t)40)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

struct slice slice_trim(struct slice s)
{
	while (s.n && is_blank(s.p[0]))
		s.p++, s.n--;
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool slice_same(struct slice a, struct slice b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

bool slice_is_nocase(struct slice s, const char *text)
{
	if (s.n != strlen(text))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (lower(s.p[i]) != lower(text[i]))
			return false;
	return true;
}

bool slice_starts(struct slice s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && (!n || memcmp(s.p, prefix, n) == 0);
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

struct slice slice_word(struct slice *rest)
{
	struct slice s = *rest;

	while (s.n && is_blank(s.p[0]))
		s.p++, s.n--;
	struct slice word = { s.p, 0 };
	while (word.n < s.n && !is_blank(s.p[word.n]))
		word.n++;
	*rest = (struct slice){ s.p + word.n, s.n - word.n };
	return word;
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

size_t slice_words(struct slice line, const char *start, struct slice *words, int *columns, size_t most)
{
	size_t n = 0;

	for (struct slice word; n < most && (word = slice_word(&line)).n; n++) {
		words[n] = word;
		if (columns)
			columns[n] = (int)(word.p - start) + 1;
	}
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

bool slice_is_utf8(struct slice s)
{
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
