/* date_line.c - a date in words: each part knows its own shape, so that both orders of date(1) are read. */
#include "format/date_line.h"

#include "base/number.h"

#define MAX_WORDS 7 /* of "Sun May 4 04:27:32 AM EDT 2025" */

/* Without the marks that people put around a date in a log. */
static struct slice without_banner(struct slice line)
{
	line = slice_trim(line);
	while (line.n && (*line.p == '=' || *line.p == '-' || *line.p == '#'))
		line = (struct slice){ line.p + 1, line.n - 1 };
	while (line.n && (line.p[line.n - 1] == '=' || line.p[line.n - 1] == '-' || line.p[line.n - 1] == '#'))
		line.n--;
	return slice_trim(line);
}

static int index_of(const char *const *names, int n, struct slice word)
{
	int i = 0;

	while (i < n && !slice_is(word, names[i]))
		i++;
	return i;
}

/* Takes "04:27:32", with "AM" or "PM" behind it if there is one. */
static bool take_clock(const struct slice *words, int n, int *at, time_ms *since_midnight)
{
	char half = 0;
	int next = *at + 1;

	if (next < n && (slice_is(words[next], "AM") || slice_is(words[next], "PM")))
		half = *words[next].p;
	if (!clock_parse(words[*at], half, since_midnight))
		return false;
	*at += half ? 2 : 1;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "UTC", "EDT", "+0330" */
static bool is_zone(struct slice word)
{
	if (word.n < 2 || word.n > 6 || is_digit(*word.p))
		return false;
	for (size_t i = 0; i < word.n; i++)
		if (!is_digit(word.p[i]) && (word.p[i] < 'A' || word.p[i] > 'Z') && word.p[i] != '+' && word.p[i] != '-')
			return false;
	return true;
}

static bool take_words(const struct slice *words, int n, time_ms *t, struct slice *zone)
{
	int64_t number, day = 0, year = 0;
	time_ms since_midnight = -1;
	int month = 0;

	for (int i = 1; i < n;) {
		const int named = index_of(month_names, 12, words[i]) + 1;
		if (named <= 12 && !month) {
			month = named;
			i++;
		} else if (memchr(words[i].p, ':', words[i].n) && since_midnight < 0) {
			if (!take_clock(words, n, &i, &since_midnight))
				return false;
			if (i < n && is_zone(words[i]))
				*zone = words[i++];
		} else if (integer_parse(words[i], &number) && words[i].n <= 2 && !day) {
			day = number;
			i++;
		} else if (integer_parse(words[i], &number) && words[i].n == 4 && !year) {
			year = number;
			i++;
		} else {
			return false;
		}
	}
	if (since_midnight < 0 || !civil_is_valid((int)year, month, (int)day))
		return false;
	*t = days_from_civil((int)year, month, (int)day) * DAY_MS + since_midnight;
	return true;
}

bool date_line_parse(struct slice line, time_ms *t, struct slice *zone)
{
	struct slice words[MAX_WORDS + 1];
	int n = 0;

	*zone = (struct slice){ "", 0 };
	line = without_banner(line);
	while (n <= MAX_WORDS && (words[n] = slice_word(&line)).n)
		n++;
	return n >= 5 && n <= MAX_WORDS && index_of(weekday_names, 7, words[0]) < 7 && take_words(words, n, t, zone);
}
