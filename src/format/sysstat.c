/*
 * sysstat.c - banners and clocks of the sysstat tools.
 *
 * The banner's date follows the locale: 11/20/26 (C), 11/20/2026 (en_US), 20/11/26 (en_GB),
 * 20.11.2026 (de_DE), 2026-11-20 (ISO), and in ja_JP and zh_CN with a sign for year, month and day
 * after each number, as times have for hour, minute and second. Between slashes month and day can't be told apart
 * up to the 12th: month first is taken, and each row keeps by how much the other reading would move it. All dates of
 * a log are written alike: a later banner whose day is above the 12th settles them, or one that would be earlier than the
 * banner before it (sheet_finish); else a sibling log can decide (clock_settle).
 */
#include "format/sysstat.h"

#define BANNER_BEGIN "Linux "

/* The banner in a line, or nothing of it: of nearly all lines the last letters tell that none is behind something else. */
static struct slice banner_in(struct slice line)
{
	struct slice banner = line;

	while (banner.n && !slice_starts(banner, BANNER_BEGIN) && slice_ends(line, "CPU)"))
		banner.p++, banner.n--;
	if (slice_starts(banner, BANNER_BEGIN) && slice_has(banner, "(") && slice_has(banner, "CPU)"))
		return banner;
	return (struct slice){ line.p, 0 };
}

bool sysstat_is_banner(struct slice line)
{
	return banner_in(line).n > 0;
}

/* Year, month, day; hour (Japanese, then Chinese), minute, second: three bytes each. */
#define DATE_SIGNS "\xE5\xB9\xB4" \
		   "\xE6\x9C\x88" \
		   "\xE6\x97\xA5"
#define TIME_SIGNS "\xE6\x99\x82" \
		   "\xE6\x97\xB6" \
		   "\xE5\x88\x86" \
		   "\xE7\xA7\x92"
#define SIGN_BYTES ((size_t)3)

/* Two numbers and more with such signs, as if written with `separator` between; any other word as it is. */
static struct slice plain_word(struct slice word, const char *signs, char separator, char *room, size_t n_room)
{
	size_t n = 0;

	for (size_t i = 0; i < word.n && n < n_room;) {
		if (is_digit(word.p[i])) {
			room[n++] = word.p[i++];
			continue;
		}
		if (word.n - i < SIGN_BYTES)
			return word;
		const char sign[] = { word.p[i], word.p[i + 1], word.p[i + 2], '\0' };
		if ((unsigned char)sign[0] < 0x80 || !strstr(signs, sign))
			return word;
		i += SIGN_BYTES;
		if (i == word.n)
			return (struct slice){ room, n };
		room[n++] = separator;
	}
	return word;
}

/* Up to three numbers with one kind of separator between. */
static size_t split_date(struct slice word, int parts[3], size_t digits[3], char *separator)
{
	size_t n = 0;

	*separator = '\0';
	for (size_t i = 0; i < word.n && n < 3;) {
		int value = 0;
		size_t begin = i;
		while (i < word.n && is_digit(word.p[i]) && i - begin < 4)
			value = value * 10 + (word.p[i++] - '0');
		if (i == begin)
			return 0;
		parts[n] = value;
		digits[n++] = i - begin;
		if (i < word.n) {
			if (!strchr("/.-", word.p[i]) || (*separator && *separator != word.p[i]))
				return 0;
			*separator = word.p[i++];
		}
	}
	return n;
}

static int full_year(int year)
{
	return year < 100 ? year + 2000 : year;
}

static bool day_from(int year, int month, int day, time_ms *out)
{
	*out = civil_is_valid(year, month, day) ? days_from_civil(year, month, day) * DAY_MS : 0;
	return *out != 0;
}

/* What one more date between slashes tells of the order of day and month. */
static void learn_order(struct clock_note *note, bool can_be_month_first, bool can_be_day_first, time_ms day)
{
	struct date_order *order = &note->order;
	const time_ms swapped = day + note->date_swap;

	order->only_day_first |= !can_be_month_first;
	order->only_month_first |= !can_be_day_first;
	order->back_as_read |= order->has_last && day < order->last_as_read;
	order->back_swapped |= order->has_last && swapped < order->last_swapped;
	order->has_last = true;
	order->last_as_read = day;
	order->last_swapped = swapped;
}

/* "11/05/26": month first if that is a date at all. */
static bool slashed_date(int first, int second, int year, time_ms *day, struct clock_note *note)
{
	time_ms month_first, day_first;
	const bool can_be_month_first = day_from(year, first, second, &month_first);
	const bool can_be_day_first = day_from(year, second, first, &day_first);

	if (!can_be_month_first && !can_be_day_first)
		return false;
	*day = can_be_month_first ? month_first : day_first;
	note->date_swap = can_be_month_first && can_be_day_first ? day_first - month_first : 0;
	note->date_ambiguous |= note->date_swap != 0;
	learn_order(note, can_be_month_first, can_be_day_first, *day);
	return true;
}

/* False when the word is no date. */
static bool date_parse(struct slice word, time_ms *day, struct clock_note *note)
{
	int p[3];
	size_t digits[3];
	char separator, room[16];

	word = plain_word(word, DATE_SIGNS, '-', room, sizeof room);
	if (split_date(word, p, digits, &separator) != 3)
		return false;
	if (separator == '/' && digits[0] != 4)
		return slashed_date(p[0], p[1], full_year(p[2]), day, note);
	note->date_swap = 0;
	if (digits[0] == 4) /* ISO */
		return day_from(p[0], p[1], p[2], day);
	/* all locales of glibc that write dots or dashes have the day first */
	return day_from(full_year(p[2]), p[1], p[0], day) || day_from(full_year(p[2]), p[0], p[1], day);
}

bool sysstat_date(struct slice word, time_ms *day, struct clock_note *note)
{
	return date_parse(word, day, note);
}

bool sysstat_number(struct slice word, fixed *value, int *decimals)
{
	char text[32];
	struct slice rest;

	if (fixed_parse_plain(word, value, decimals))
		return true;
	*decimals = 0;
	if (!word.n || word.n >= sizeof text)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		text[i] = word.p[i] == ',' ? '.' : word.p[i];
		*decimals = text[i] == '.' ? (int)(word.n - i) - 1 : *decimals;
	}
	return fixed_parse((struct slice){ text, word.n }, value, &rest) && !rest.n;
}

bool sysstat_offset(struct reading *r, struct slice zone, time_ms *t)
{
	struct clock_note *const note = &r->recording->clock;
	time_ms offset;

	if (!zone_parse(zone, &offset))
		return false;
	reading_zone(r, zone);
	*t += note->offset - offset;
	return true;
}

bool sysstat_entity(struct slice word, struct entity *e)
{
	int64_t core;

	*e = (struct entity){ .scope = SCOPE_HOST, .host = "" };
	if (slice_is(word, "all") || slice_is(word, "-1"))
		return true;
	if (!integer_parse(word, &core) || core >= 1 << 16)
		return false;
	e->scope = SCOPE_CORE;
	e->index = (int)core;
	return true;
}

bool sysstat_is_average(struct slice line)
{
	const struct slice first = slice_word(&line), second = slice_word(&line);

	return (first.n > 1 && slice_ends(first, ":")) || slice_is(second, ":") || slice_is(first, "Summary");
}

static void count_banner(struct reading *r, bool is_whole)
{
	if (is_whole) {
		r->recording->n_rows_ignored++;
		return;
	}
	r->recording->n_rows_bad++;
	diag_repeat(r->diags, (struct place){ r->lines->path, r->lines->line, 0 }, DIAG_BAD_ROW, "banner",
		"a row was cut off, and the next log begins in its line; row not used");
}

void sysstat_banner(struct reading *r, struct slice whole_line, struct sysstat_clock *clock)
{
	const struct slice line = banner_in(whole_line);
	struct recording *rec = r->recording;
	const char *open = memchr(line.p, '(', line.n);
	struct slice rest = { open + 1, (size_t)(line.p + line.n - open) - 1 };
	const char *close = memchr(rest.p, ')', rest.n);

	count_banner(r, line.p == whole_line.p);
	rec->clock.date_unknown = !clock->has_day;
	if (!close)
		return;
	reading_host(r, (struct slice){ rest.p, (size_t)(close - rest.p) });
	rest = (struct slice){ close + 1, (size_t)(rest.p + rest.n - close) - 1 };
	if (!date_parse(slice_word(&rest), &clock->day, &rec->clock))
		return; /* the day of the banner before stays in force, and midnight is still seen to pass */
	clock->has_day = true;
	clock->has_last = false;
	rec->clock.date_unknown = false;
}

static bool begins_with_half(struct slice after)
{
	while (after.n && slice_is_blank(after.p[0]))
		after.p++, after.n--;
	return after.n && (after.p[0] == 'A' || after.p[0] == 'P');
}

/* Does the line begin as the one before it did? Behind a time without AM or PM there may be one now. */
static bool is_time_of_before(struct slice line, const struct sysstat_clock *clock)
{
	const size_t n = clock->n_text;

	if (!clock->has_last || !n || line.n <= n || memcmp(line.p, clock->text, n) != 0 || !slice_is_blank(line.p[n]))
		return false;
	return clock->text[n - 1] == 'M' || !begins_with_half((struct slice){ line.p + n, line.n - n });
}

static void note_text(struct sysstat_clock *clock, const char *begin, const char *end)
{
	const size_t n = (size_t)(end - begin);

	clock->n_text = n <= sizeof clock->text ? (unsigned char)n : 0;
	memcpy(clock->text, begin, clock->n_text);
}

bool sysstat_time(struct slice *line, struct sysstat_clock *clock, time_ms *t)
{
	if (is_time_of_before(*line, clock)) {
		*line = (struct slice){ line->p + clock->n_text, line->n - clock->n_text };
		*t = clock->day + clock->last;
		return true;
	}
	struct slice rest = *line, after;
	struct slice word = slice_word(&rest);
	time_ms of_day;
	char half = 0, room[16];

	if (word.n != 8 || word.p[2] != ':')
		word = plain_word(word, TIME_SIGNS, ':', room, sizeof room);
	if (word.n != 8 || word.p[2] != ':')
		return false;
	after = rest;
	if (begins_with_half(after)) {
		const struct slice second = slice_word(&after);
		if (slice_is(second, "AM") || slice_is(second, "PM")) {
			half = second.p[0];
			rest = after;
		}
	}
	if (!clock_parse(word, half, &of_day))
		return false;
	if (clock->has_last && of_day < clock->last - 12 * HOUR_MS)
		clock->day += DAY_MS;
	clock->last = of_day;
	clock->has_last = true;
	note_text(clock, line->p, rest.p);
	*t = clock->day + of_day;
	*line = rest;
	return true;
}
