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

static const char group[] = "<g id=\"surface";
#define GROUP_BYTES (sizeof group - 1)

/* cairo numbers its surfaces by how many the program made before: one drawing would be several files. Nothing refers to the number. */
static void put_without_number(struct buf *out, struct slice drawn)
{
	const char *const begin = drawn.n ? strstr(drawn.p, group) : NULL;
	const char *const number = begin ? begin + GROUP_BYTES : drawn.p + drawn.n;
	const char *const rest = begin ? number + strspn(number, "0123456789") : number;
	buf_put(out, (struct slice){ drawn.p, (size_t)(number - drawn.p) });
	buf_put(out, (struct slice){ rest, drawn.n - (size_t)(rest - drawn.p) });
}

/* All that is held; what comes behind it stays as it is. */
static void tell(struct svg *s)
{
	const struct slice drawn = buf_slice(&s->held);
	const size_t head = tag_end(drawn);

	buf_put(s->out, (struct slice){ drawn.p, head });
	put_element(s->out, "title", s->title);
	put_element(s->out, "desc", s->description);
	put_without_number(s->out, (struct slice){ drawn.p + head, drawn.n - head });
	s->out->overflow |= s->held.overflow;
	buf_release(&s->held);
	s->is_told = true;
}

/* Is the number there, with what follows it? */
static bool has_number(struct svg *s)
{
	const char *const begin = s->held.n ? strstr(s->held.at + s->searched, group) : NULL;

	if (!begin)
		s->searched = s->held.n > GROUP_BYTES ? s->held.n - GROUP_BYTES : 0;
	return begin && begin[GROUP_BYTES + strspn(begin + GROUP_BYTES, "0123456789")];
}

void svg_begin(struct svg *s, struct buf *out, const char *title, const char *description)
{
	*s = (struct svg){ .out = out, .title = title, .description = description };
	buf_init(&s->held, out->max);
}

void svg_put(struct svg *s, struct slice drawn)
{
	buf_put(s->is_told ? s->out : &s->held, drawn);
	if (!s->is_told && has_number(s))
		tell(s);
}

void svg_end(struct svg *s)
{
	if (!s->is_told)
		tell(s);
}
