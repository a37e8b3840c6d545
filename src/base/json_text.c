/* json_text.c - one character after the other: most stand for themselves. */
#include "base/json_text.h"

#include "base/character.h"

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
		const size_t n = character_size(rest);
		const size_t taken = n ? n : 1;
		if (n)
			write_character(out, (struct slice){ rest.p, n });
		else
			buf_text(out, "\uFFFD");
		rest = (struct slice){ rest.p + taken, rest.n - taken };
	}
	buf_char(out, '"');
}
