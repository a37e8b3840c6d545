/* svg.c - puts a picture's title and its alt text behind the opening tag of its SVG, where readers of screens look for them. */
#include "chart/svg.h"

#include <string.h>

static void put_escaped(struct buf *out, const char *text)
{
	static const struct {
		char character;
		const char *escaped;
	} rows[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" } };
	for (; *text; text++) {
		size_t i = 0;
		while (i < sizeof rows / sizeof *rows && rows[i].character != *text)
			i++;
		if (i < sizeof rows / sizeof *rows)
			buf_text(out, rows[i].escaped);
		else
			buf_char(out, *text);
	}
}

static void put_element(struct buf *out, const char *name, const char *text)
{
	if (!text)
		return;
	buf_print(out, "<%s>", name);
	put_escaped(out, text);
	buf_print(out, "</%s>\n", name);
}

/* Behind "<svg …>", or at the end where there is none. */
static size_t tag_end(struct slice drawn)
{
	const char *const tag = drawn.n ? strstr(drawn.p, "<svg") : NULL;
	const char *const end = tag ? strstr(tag, ">\n") : NULL;
	return end ? (size_t)(end + 2 - drawn.p) : drawn.n;
}

/* cairo numbers its surfaces by how many the program made before: one drawing would be several files. Nothing refers to the number. */
static void put_without_number(struct buf *out, struct slice drawn)
{
	static const char group[] = "<g id=\"surface";
	const char *const begin = drawn.n ? strstr(drawn.p, group) : NULL;
	const char *const number = begin ? begin + sizeof group - 1 : drawn.p + drawn.n;
	const char *const rest = begin ? number + strspn(number, "0123456789") : number;
	buf_put(out, (struct slice){ drawn.p, (size_t)(number - drawn.p) });
	buf_put(out, (struct slice){ rest, drawn.n - (size_t)(rest - drawn.p) });
}

void svg_put(struct buf *out, struct slice drawn, const char *title, const char *description)
{
	const size_t head = tag_end(drawn);
	buf_put(out, (struct slice){ drawn.p, head });
	put_element(out, "title", title);
	put_element(out, "desc", description);
	put_without_number(out, (struct slice){ drawn.p + head, drawn.n - head });
}
