/* date_line.c - a date in words that stands alone in its line, framed or not. */
#include "format/date_line.h"

static bool is_frame(char c)
{
	return c == '=' || c == '-' || c == '*' || c == '#' || c == ' ';
}

struct slice date_line_unframed(struct slice line)
{
	line = slice_trim(line);
	while (line.n && is_frame(line.p[0]))
		line = (struct slice){ line.p + 1, line.n - 1 };
	while (line.n && is_frame(line.p[line.n - 1]))
		line.n--;
	return line;
}

bool date_line_parse(struct slice line, time_ms *t, struct slice *zone)
{
	const struct slice text = date_line_unframed(line);
	struct slice rest = text;

	*zone = (struct slice){ "", 0 };
	return is_weekday(slice_word(&rest)) && stamp_words_parse(text, t, zone);
}
