/* escape.c - texts from logs in the outputs: one function a kind of output. */
#include "render/escape.h"

#include "base/character.h"
#include "base/quantity.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define REPLACEMENT "\uFFFD"

/* ------------------------------------------------ characters */

/* What a reader can't see, or what is no character. */
static bool is_hidden(unsigned c)
{
	const bool is_control = c < 0x20 || c == 0x7F || is_control_mark(c);
	const bool has_no_width = c == 0xAD || (c >= 0x200B && c <= 0x200D) || (c >= 0x2060 && c <= 0x2064) || c == 0xFEFF;
	const bool is_tag = c >= 0xE0000 && c <= 0xE0FFF;

	return is_control || has_no_width || is_tag || (c & 0xFFFE) == 0xFFFE;
}

/* Takes the character at the front; REPLACEMENT for what must not be shown as it is. */
static struct slice character_take(struct slice *text)
{
	const size_t n = character_size(*text);
	const struct slice character = { text->p, n };
	const size_t taken = n ? n : 1;

	*text = (struct slice){ text->p + taken, text->n - taken };
	return n && !is_hidden(code_point(character)) ? character : slice_of(REPLACEMENT);
}

static bool is_letter_or_digit(struct slice text)
{
	const char c = text.n ? text.p[0] : ' ';

	return is_digit(c) || is_letter(c) || (unsigned char)c >= 0x80;
}

/* ------------------------------------------------ HTML, XML */

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7F && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
}

#ifdef __SSE2__
#define ABREAST ((size_t)16)

static __m128i are(__m128i bytes, char c)
{
	return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

/* A bit for each of so many that is_plain() denies, the first one lowest. */
static unsigned special_among(const char *p)
{
	const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
	const __m128i signs = _mm_or_si128(_mm_or_si128(are(bytes, '&'), are(bytes, '\'')), _mm_or_si128(are(bytes, '<'), are(bytes, '>')));
	const __m128i low_or_high = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')); /* from 0x80 on they are below 0 */

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(signs, are(bytes, '"')), _mm_or_si128(low_or_high, are(bytes, 0x7F))));
}

/* All before the first that is special, or as many as are looked at. */
static size_t plain_abreast(struct slice text)
{
	for (size_t n = 0; n + ABREAST <= text.n; n += ABREAST) {
		const unsigned special = special_among(text.p + n);
		if (special)
			return n + (size_t)__builtin_ctz(special);
	}
	return text.n - text.n % ABREAST;
}
#else
static size_t plain_abreast(struct slice text)
{
	(void)text;
	return 0;
}
#endif

/* Of the bytes at the front, those that stay as they are: pictures are long texts of nothing else. */
static size_t plain_size(struct slice text)
{
	size_t n = plain_abreast(text);

	while (n < text.n && is_plain(text.p[n]))
		n++;
	return n;
}

void escape_markup(struct buf *out, struct slice text)
{
	while (text.n) {
		const size_t n = plain_size(text);
		buf_put(out, (struct slice){ text.p, n });
		text = (struct slice){ text.p + n, text.n - n };
		if (!text.n)
			break;
		const struct slice character = character_take(&text);
		const char *const name = entity(character.p[0]);
		if (name)
			buf_text(out, name);
		else
			buf_put(out, character);
	}
}

/* ------------------------------------------------ pages */

#define NO_BREAK "\u00A0"

/* Is there a unit at the front, and then no more of a word? */
static bool begins_with_unit(struct slice text)
{
	enum unit unit;
	size_t n = 0;

	while (n < text.n && text.p[n] != ' ')
		n++;
	while (n && strchr(").,;:", text.p[n - 1]))
		n--;
	struct slice word = { text.p, n };
	if (slice_starts(word, "GPU-"))
		word = (struct slice){ word.p + strlen("GPU-"), word.n - strlen("GPU-") };
	return unit_find(word, &unit);
}

/* "EUR": three capitals, and then no more of a word. */
static bool begins_with_currency(struct slice text)
{
	size_t n = 0;

	while (n < text.n && text.p[n] >= 'A' && text.p[n] <= 'Z')
		n++;
	return n == 3 && (n == text.n || !is_letter_or_digit((struct slice){ text.p + n, 1 }));
}

/* "2 h" of "2 h 22 min" */
static bool ends_with_hours(struct slice text)
{
	return text.n > 2 && is_digit(text.p[text.n - 3]) && (slice_ends(text, " h") || slice_ends(text, " d"));
}

/* Would a line that ends at the blank in text.p[at] part what belongs together? */
static bool is_kept(struct slice text, size_t at)
{
	const struct slice before = { text.p, at }, behind = { text.p + at + 1, text.n - at - 1 };

	if (!at || !behind.n)
		return false;
	if (is_digit(before.p[at - 1]) && (begins_with_unit(behind) || begins_with_currency(behind)))
		return true;
	return is_digit(*behind.p) && (slice_ends(before, "GPU") || slice_ends(before, "GPUs") || ends_with_hours(before));
}

/* NULL: none from there on. */
static const char *next_blank(struct slice text, const char *from)
{
	const size_t n = text.n - (size_t)(from - text.p);

	return n > 0 ? memchr(from, ' ', n) : NULL;
}

void escape_page(struct buf *out, struct slice text)
{
	size_t begin = 0;

	for (const char *blank = text.p; (blank = next_blank(text, blank)); blank++) {
		const size_t i = (size_t)(blank - text.p);
		if (!is_kept(text, i))
			continue;
		escape_markup(out, (struct slice){ text.p + begin, i - begin });
		buf_text(out, NO_BREAK);
		begin = i + 1;
	}
	escape_markup(out, (struct slice){ text.p + begin, text.n - begin });
}

/* ------------------------------------------------ Markdown */

#define NO_WIDTH "&#8203;"

/* "@name", "#12", "!7", "~label", "%milestone", "&epic", "$snippet": they call somebody or something. */
static bool calls(char sign, struct slice rest)
{
	return strchr("@#!~%&$", sign) && is_letter_or_digit(rest);
}

/* "http://", "www.": renderers make links of them without being asked. */
static bool begins_address(const struct buf *out, char sign, struct slice rest)
{
	if (sign == ':')
		return slice_starts(rest, "//");
	return sign == '.' && out->n >= 3 && slice_is_nocase((struct slice){ out->at + out->n - 3, 3 }, "www");
}

void escape_markdown(struct buf *out, struct slice text)
{
	while (text.n) {
		const struct slice character = character_take(&text);
		const char sign = character.p[0];
		const bool is_address = begins_address(out, sign, text);
		if (sign == '.' && is_address)
			buf_text(out, NO_WIDTH);
		if (strchr("<>&", sign))
			buf_text(out, entity(sign));
		else if (strchr("\\`*_{}[]#|~!$", sign))
			buf_print(out, "\\%c", sign);
		else
			buf_put(out, character);
		if (calls(sign, text) || (sign == ':' && is_address))
			buf_text(out, NO_WIDTH);
	}
}

void escape_markdown_code(struct buf *out, struct slice text)
{
	while (text.n) {
		const struct slice character = character_take(&text);
		if (character.p[0] == '`')
			buf_char(out, '\'');
		else
			buf_put(out, character);
	}
}

/* ------------------------------------------------ CSV */

/* What spreadsheets take for a formula, also behind blanks; a number may be negative. */
static bool is_formula(struct slice text)
{
	return text.n && text.p[0] && strchr("=+-@\t\r", text.p[0]);
}

void escape_csv(struct buf *out, struct slice text)
{
	bool quoted = is_formula(text);

	for (size_t i = 0; i < text.n; i++)
		quoted |= text.p[i] && strchr(",;\"\r\n\t", text.p[i]);
	buf_text(out, quoted ? "\"" : "");
	buf_text(out, is_formula(text) ? "'" : "");
	while (text.n) {
		const struct slice character = character_take(&text);
		buf_text(out, character.p[0] == '"' ? "\"" : "");
		buf_put(out, character);
	}
	buf_text(out, quoted ? "\"" : "");
}

/* ------------------------------------------------ Prometheus */

/* Line ends are shown as U+FFFD like all that nobody can see, so that two characters are left that mean something. */
void escape_exposition(struct buf *out, struct slice text)
{
	while (text.n) {
		const struct slice character = character_take(&text);
		buf_text(out, character.p[0] == '"' || character.p[0] == '\\' ? "\\" : "");
		buf_put(out, character);
	}
}
