/* json_text.c - most characters stand for themselves: they are put as many as there are, the others one after the other. */
#include "base/json_text.h"

#include "base/character.h"

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7F && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

/* Of the first so many bytes each is a character that stands for itself. */
static size_t plain_size(struct slice text)
{
	size_t n = 0;

	while (n < text.n && is_plain((unsigned char)text.p[n]))
		n++;
	return n;
}

static void write_character(struct buf *out, struct slice character)
{
	const unsigned char c = (unsigned char)character.p[0];

	if (c == '"' || c == '\\')
		buf_print(out, "\\%c", c);
	else if (c < 0x20 || c == 0x7F || c == '<' || c == '>' || c == '&')
		buf_print(out, "\\u%04X", c);
	else if (is_control_mark(code_point(character)))
		buf_print(out, "\\u%04X", code_point(character));
	else
		buf_put(out, character);
}

void json_put_text(struct buf *out, const char *text)
{
	struct slice rest = slice_of(text ? text : "");

	if (!text) {
		buf_text(out, "null");
		return;
	}
	buf_char(out, '"');
	while (rest.n) {
		const size_t n_plain = plain_size(rest), n = n_plain ? n_plain : character_size(rest);
		const size_t taken = n ? n : 1;
		if (n_plain)
			buf_put(out, (struct slice){ rest.p, n_plain });
		else if (n)
			write_character(out, (struct slice){ rest.p, n });
		else
			buf_text(out, "\uFFFD");
		rest = (struct slice){ rest.p + taken, rest.n - taken };
	}
	buf_char(out, '"');
}

#define ESCAPE_BYTES ((size_t)6) /* \u003C */

static unsigned code_of(const char *digits)
{
	unsigned code = 0;

	for (size_t i = 0; i < 4; i++)
		code = code << 4 | (unsigned)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'A' + 10);
	return code;
}

struct slice json_read_text(struct arena *mem, struct slice written)
{
	if (!written.n || !memchr(written.p, '\\', written.n))
		return written;
	char *const text = arena_alloc(mem, written.n);
	size_t n = 0;
	for (size_t i = 0; i < written.n;) {
		const char *const p = written.p + i;
		if (*p != '\\' || written.n - i < 2) {
			text[n++] = *p;
			i++;
		} else if (p[1] == 'u' && written.n - i >= ESCAPE_BYTES) {
			n += character_put(text + n, code_of(p + 2)); /* of at most three bytes */
			i += ESCAPE_BYTES;
		} else {
			text[n++] = p[1];
			i += 2;
		}
	}
	return (struct slice){ text, n };
}
