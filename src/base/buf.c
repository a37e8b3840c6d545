/* buf.c - growing text with a stated maximum. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

void buf_init(struct buf *out, size_t max_bytes)
{
	*out = (struct buf){ .max = max_bytes };
	out->at = grow(NULL, &out->room, 1, 1);
	out->at[0] = '\0';
}

void buf_release(struct buf *out)
{
	grow_free(out->at);
	*out = (struct buf){ 0 };
}

const char *buf_kept(struct arena *mem, struct buf *out)
{
	const char *const text = arena_text(mem, out->at, out->n);

	buf_release(out);
	return text;
}

void buf_put(struct buf *out, struct slice text)
{
	if (!text.n)
		return;
	if (text.n > out->max - out->n) {
		out->overflow = true;
		text.n = out->max - out->n;
	}
	out->at = grow(out->at, &out->room, out->n + text.n + 1, 1);
	memcpy(out->at + out->n, text.p, text.n);
	out->n += text.n;
	out->at[out->n] = '\0';
}

void buf_text(struct buf *out, const char *text)
{
	buf_put(out, slice_of(text));
}

void buf_char(struct buf *out, char c)
{
	buf_put(out, (struct slice){ &c, 1 });
}

void buf_fill(struct buf *out, char c, size_t n)
{
	while (n-- && !out->overflow)
		buf_char(out, c);
}

void buf_print(struct buf *out, const char *format, ...)
{
	char small[512];
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(small, sizeof small, format, arguments);
	va_end(arguments);
	if (n < 0)
		BUG("a format that can't be printed");
	if ((size_t)n < sizeof small) {
		buf_put(out, (struct slice){ small, (size_t)n });
		return;
	}
	size_t room = 0;
	char *large = grow(NULL, &room, (size_t)n + 1, 1);
	va_start(arguments, format);
	vsnprintf(large, (size_t)n + 1, format, arguments);
	va_end(arguments);
	buf_put(out, (struct slice){ large, (size_t)n });
	grow_free(large);
}

struct slice buf_slice(const struct buf *out)
{
	return (struct slice){ out->at, out->n };
}
