/*
 * escape_fuzz.c - any bytes as a name in each kind of output.
 *
 * Laws: what comes out is UTF-8 and has no byte that does something there; taken back by a decoder that knows nothing of the escape, it
 * is the name, with what can't be seen shown as U+FFFD; and of two names that both can be seen no two look alike.
 */
#include "base/buf.h"
#include "base/character.h"
#include "render/escape.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define MOST_BYTES ((size_t)1 << 20)
#define NO_BREAK "\xC2\xA0"

static void require(bool law)
{
	if (!law)
		__builtin_trap();
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->n == b->n && (!a->n || memcmp(a->at, b->at, a->n) == 0);
}

static bool has(const struct buf *out, const char *part)
{
	for (size_t i = 0, n = strlen(part); i + n <= out->n; i++)
		if (memcmp(out->at + i, part, n) == 0)
			return true;
	return false;
}

/* Nothing that a terminal, a browser or an editor acts on, whatever the output is. */
static void check_bytes(const struct buf *out)
{
	require(slice_is_utf8(buf_slice(out)));
	for (size_t i = 0; i < out->n; i++)
		require((unsigned char)out->at[i] >= ' ' && out->at[i] != 0x7F);
	for (unsigned c = 0x80; c < 0xA0; c++)
		require(!has(out, (const char[]){ (char)0xC2, (char)c, 0 }));
	static const char *const turning[] = { "\xE2\x80\xAE", "\xE2\x80\xAA", "\xE2\x81\xA6", "\xE2\x81\xA9", "\xD8\x9C", "\xEF\xBB\xBF" };
	for (size_t i = 0; i < sizeof turning / sizeof *turning; i++)
		require(!has(out, turning[i]));
}

/* The name with U+FFFD for what can't be seen: what the escape for CSV gives of a cell that it leaves as it is. */
static void seen(struct slice name, struct buf *out)
{
	while (name.n) {
		struct buf one;
		const size_t n = character_size(name);
		const struct slice character = { name.p, n ? n : 1 };
		buf_init(&one, 64);
		escape_markup(&one, character);
		const bool is_entity = one.n > 1 && one.at[0] == '&';
		buf_put(out, is_entity ? character : buf_slice(&one));
		buf_release(&one);
		name = (struct slice){ name.p + character.n, name.n - character.n };
	}
}

/* ------------------------------------------------ HTML */

static const struct {
	const char *name;
	char c;
} entities[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&#39;", '\'' } };

static size_t entity_at(const struct buf *out, size_t at, char *c)
{
	for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
		const size_t n = strlen(entities[i].name);
		if (at + n <= out->n && memcmp(out->at + at, entities[i].name, n) == 0) {
			*c = entities[i].c;
			return n;
		}
	}
	return 0;
}

static void markup_decode(const struct buf *out, struct buf *back)
{
	for (size_t i = 0; i < out->n;) {
		char c = out->at[i];
		require(c != '<' && c != '>' && c != '"' && c != '\'');
		const size_t n = c == '&' ? entity_at(out, i, &c) : 1;
		require(n);
		buf_char(back, c);
		i += n;
	}
}

static void check_markup(struct slice name, const struct buf *expected)
{
	struct buf out, back;

	buf_init(&out, MOST_BYTES);
	buf_init(&back, MOST_BYTES);
	escape_markup(&out, name);
	check_bytes(&out);
	markup_decode(&out, &back);
	require(same(&back, expected));
	buf_release(&back);
	buf_release(&out);
}

/* A page differs from markup in spaces that don't break, and in nothing else. */
static void check_page(struct slice name)
{
	struct buf markup, page, plain;

	buf_init(&markup, MOST_BYTES);
	buf_init(&page, MOST_BYTES);
	buf_init(&plain, MOST_BYTES);
	escape_markup(&markup, name);
	escape_page(&page, name);
	check_bytes(&page);
	if (!has(&markup, NO_BREAK)) {
		for (size_t i = 0; i < page.n; i++) {
			const bool is_no_break = i + 1 < page.n && memcmp(page.at + i, NO_BREAK, 2) == 0;
			buf_char(&plain, is_no_break ? ' ' : page.at[i]);
			i += is_no_break;
		}
		require(same(&plain, &markup));
	}
	buf_release(&plain);
	buf_release(&page);
	buf_release(&markup);
}

/* ------------------------------------------------ CSV */

static void csv_decode(const struct buf *out, struct buf *back)
{
	const bool is_quoted = out->n && out->at[0] == '"';
	const size_t end = is_quoted ? out->n - 1 : out->n;

	require(!is_quoted || (out->n >= 2 && out->at[end] == '"'));
	for (size_t i = is_quoted; i < end; i++) {
		require(is_quoted || !strchr(",;\"", out->at[i]));
		if (out->at[i] == '"')
			require(++i < end && out->at[i] == '"');
		buf_char(back, out->at[i]);
	}
}

static void check_csv(struct slice name, const struct buf *expected)
{
	struct buf out, back;

	buf_init(&out, MOST_BYTES);
	buf_init(&back, MOST_BYTES);
	escape_csv(&out, name);
	check_bytes(&out);
	csv_decode(&out, &back);
	const bool is_marked = back.n && back.at[0] == '\'' && back.n == expected->n + 1;
	require(!back.n || !strchr("=+-@", back.at[0]));
	require(back.n - is_marked == expected->n && (!expected->n || memcmp(back.at + is_marked, expected->at, expected->n) == 0));
	buf_release(&back);
	buf_release(&out);
}

/* ------------------------------------------------ Prometheus */

static void check_exposition(struct slice name, const struct buf *expected)
{
	struct buf out, back;

	buf_init(&out, MOST_BYTES);
	buf_init(&back, MOST_BYTES);
	escape_exposition(&out, name);
	check_bytes(&out);
	for (size_t i = 0; i < out.n; i++) {
		require(out.at[i] != '"');
		if (out.at[i] == '\\')
			require(++i < out.n && strchr("\"\\", out.at[i]));
		buf_char(&back, out.at[i]);
	}
	require(same(&back, expected));
	buf_release(&back);
	buf_release(&out);
}

/* ------------------------------------------------ Markdown */

/* What the escape writes itself: a space without width keeps names and addresses from becoming links. */
static size_t own_entity_at(const struct buf *out, size_t at)
{
	static const char no_width[] = "&#8203;";
	const size_t n = sizeof no_width - 1;
	char ignored;

	return at + n <= out->n && memcmp(out->at + at, no_width, n) == 0 ? n : entity_at(out, at, &ignored);
}

/* Before each sign that means something stands a backslash, and no tag is left. */
static void check_markdown(struct slice name)
{
	struct buf out;

	buf_init(&out, MOST_BYTES);
	escape_markdown(&out, name);
	require(slice_is_utf8(buf_slice(&out)));
	for (size_t i = 0; i < out.n;) {
		const size_t n_own = out.at[i] == '&' ? own_entity_at(&out, i) : 0;
		const bool is_escaped = out.at[i] == '\\';
		require((unsigned char)out.at[i] >= ' ' && out.at[i] != '<' && (out.at[i] != '&' || n_own));
		require(n_own || is_escaped || !strchr("`*_{}[]#|~!$", out.at[i]));
		i += n_own ? n_own : is_escaped ? 2 : 1;
		require(i <= out.n);
	}
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct slice name = { (const char *)bytes, n };
	struct buf expected;

	if (n > 4096)
		return 0;
	buf_init(&expected, MOST_BYTES);
	seen(name, &expected);
	check_markup(name, &expected);
	check_page(name);
	check_csv(name, &expected);
	check_exposition(name, &expected);
	check_markdown(name);
	buf_release(&expected);
	return 0;
}
