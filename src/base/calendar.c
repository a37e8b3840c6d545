/* calendar.c - civil time in 64-bit integers. */
#include "base/calendar.h"

#include "base/number.h"

const char *const weekday_names[7] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
const char *const month_names[12] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

/* Years start in March, so that the leap day is the last one (Hinnant). */
int64_t days_from_civil(int year, int month, int day)
{
	int64_t y = month <= 2 ? (int64_t)year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

bool civil_is_valid(int year, int month, int day)
{
	static const int days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	if (year < 1990 || year > 2100 || month < 1 || month > 12 || day < 1)
		return false;
	return day <= days[month - 1] + (month == 2 && leap);
}

time_ms time_from_civil(const struct civil *c)
{
	return days_from_civil(c->year, c->month, c->day) * DAY_MS + c->hour * HOUR_MS + c->minute * MINUTE_MS +
	       c->second * SECOND_MS + c->ms;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

struct civil civil_from_time(time_ms t)
{
	int64_t days = floor_divide(t, DAY_MS), ms = t - days * DAY_MS;
	int64_t z = days + 719468, era = floor_divide(z, 146097), of_era = z - era * 146097;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;
	struct civil c = {
		.day = (int)(of_year - (153 * m + 2) / 5 + 1),
		.month = (int)(m < 10 ? m + 3 : m - 9),
		.hour = (int)(ms / HOUR_MS),
		.minute = (int)(ms / MINUTE_MS % 60),
		.second = (int)(ms / SECOND_MS % 60),
		.ms = (int)(ms % SECOND_MS),
		.weekday = (int)((days % 7 + 11) % 7), /* 1970-01-01 was a Thursday */
	};

	c.year = (int)(y + era * 400 + (c.month <= 2));
	return c;
}

/* Takes between `least` and `most` digits. */
static bool take_number(struct slice *s, size_t least, size_t most, int *out)
{
	size_t n = 0;
	int v = 0;

	for (; n < s->n && n < most && is_digit(s->p[n]); n++)
		v = v * 10 + (s->p[n] - '0');
	if (n < least)
		return false;
	*s = (struct slice){ s->p + n, s->n - n };
	*out = v;
	return true;
}

static inline bool take_char(struct slice *s, const char *any)
{
	while (s->n && *any && *any != s->p[0])
		any++;
	if (!s->n || !*any)
		return false;
	*s = (struct slice){ s->p + 1, s->n - 1 };
	return true;
}

/* ".387" with 1 to 9 digits, or nothing. */
static bool take_ms(struct slice *s, int *ms)
{
	*ms = 0;
	if (!take_char(s, ".,"))
		return true;
	size_t n = 0;
	for (int unit = 100; n < s->n && is_digit(s->p[n]); n++, unit /= 10)
		*ms += (s->p[n] - '0') * unit;
	*s = (struct slice){ s->p + n, s->n - n };
	return n > 0 && n <= 9;
}

static bool take_clock(struct slice *s, struct civil *c)
{
	return take_number(s, 1, 2, &c->hour) && take_char(s, ":") && take_number(s, 2, 2, &c->minute) && take_char(s, ":") &&
	       take_number(s, 2, 2, &c->second) && take_ms(s, &c->ms) && c->hour < 24 && c->minute < 60 && c->second < 60;
}

/* Two digits; above 99: none. */
static inline unsigned two_digits(const char *p)
{
	const unsigned tens = (unsigned)(p[0] - '0'), ones = (unsigned)(p[1] - '0');

	return tens > 9 || ones > 9 ? 100 : tens * 10 + ones;
}

#define CLOCK_BYTES ((size_t)8)

/* "01:48:34", as nearly all are written; false for others, which the grammar knows. */
static inline bool plain_clock(const char *p, time_ms *since_midnight)
{
	const unsigned hour = two_digits(p), minute = two_digits(p + 3), second = two_digits(p + 6);

	if (p[2] != ':' || p[5] != ':' || hour > 23 || minute > 59 || second > 59)
		return false;
	*since_midnight = (time_ms)((hour * 60 + minute) * 60 + second) * SECOND_MS;
	return true;
}

#define DAY_BYTES ((size_t)10)

/* ".387", likewise. */
static inline bool plain_ms(const char *p, time_ms *out)
{
	const unsigned high = two_digits(p + 1), low = (unsigned)(p[3] - '0');

	if (*p != '.' || high > 99 || low > 9)
		return false;
	*out += high * 10 + low;
	return true;
}

/* "2026-11-21 01:48:34" and "2026/11/21 01:48:34.387", likewise. */
static inline bool plain_stamp(struct slice s, time_ms *out)
{
	const size_t n_seconds = DAY_BYTES + 1 + CLOCK_BYTES;
	const char *const p = s.p;

	if ((s.n != n_seconds && s.n != n_seconds + 4) || (p[4] != '-' && p[4] != '/') || (p[7] != '-' && p[7] != '/') ||
		(p[DAY_BYTES] != ' ' && p[DAY_BYTES] != 'T'))
		return false;
	const unsigned century = two_digits(p), year = two_digits(p + 2), month = two_digits(p + 5), day = two_digits(p + 8);
	const int full_year = (int)(century * 100 + year);
	if (century > 99 || year > 99 || !plain_clock(p + DAY_BYTES + 1, out) || !civil_is_valid(full_year, (int)month, (int)day))
		return false;
	*out += days_from_civil(full_year, (int)month, (int)day) * DAY_MS;
	return s.n == n_seconds || plain_ms(p + n_seconds, out);
}

/* "2026/11/21 01:48:34.387", and what follows it. */
static bool take_stamp(struct slice *s, time_ms *out)
{
	struct civil c = { 0 };

	if (!take_number(s, 4, 4, &c.year) || !take_char(s, "/-") || !take_number(s, 2, 2, &c.month) || !take_char(s, "/-") ||
		!take_number(s, 2, 2, &c.day) || !take_char(s, " T"))
		return false;
	if (!take_clock(s, &c) || !civil_is_valid(c.year, c.month, c.day))
		return false;
	*out = time_from_civil(&c);
	return true;
}

bool stamp_parse(struct slice text, time_ms *out)
{
	struct slice s = slice_trim(text);

	return plain_stamp(s, out) || (take_stamp(&s, out) && !s.n);
}

bool stamp_zone_parse(struct slice text, time_ms *utc, time_ms *offset)
{
	struct slice s = slice_trim(text);

	if (!take_stamp(&s, utc) || !zone_parse(s, offset))
		return false;
	*utc -= *offset;
	return true;
}

static time_ms civil_or_unknown(struct civil c, int month, int day)
{
	c.month = month, c.day = day;
	return civil_is_valid(c.year, month, day) ? time_from_civil(&c) : TIME_UNKNOWN;
}

bool stamp_swap_parse(struct slice text, time_ms *month_first, time_ms *day_first)
{
	struct slice s = slice_trim(text);
	struct civil c = { 0 };
	int a, b;

	if (!take_number(&s, 1, 2, &a) || !take_char(&s, "/-.") || !take_number(&s, 1, 2, &b) || !take_char(&s, "/-.") ||
		!take_number(&s, 4, 4, &c.year))
		return false;
	take_char(&s, ",");
	if (!take_char(&s, " T") || !take_clock(&s, &c) || s.n)
		return false;
	*month_first = civil_or_unknown(c, a, b);
	*day_first = civil_or_unknown(c, b, a);
	return *month_first != TIME_UNKNOWN || *day_first != TIME_UNKNOWN;
}

static bool take_month(struct slice word, int *month)
{
	for (int i = 0; i < 12; i++)
		if (slice_is(word, month_names[i]))
			*month = i + 1;
	return *month != 0;
}

bool is_weekday(struct slice word)
{
	for (size_t i = 0; word.n == 3 && i < 7; i++)
		if (slice_is(word, weekday_names[i]))
			return true;
	return false;
}

static bool is_clock(struct slice word, struct civil *c)
{
	return memchr(word.p, ':', word.n) && take_clock(&word, c) && !word.n;
}

static bool is_number(struct slice word, size_t least, size_t most, int *out)
{
	return take_number(&word, least, most, out) && !word.n;
}

/* "UTC", "EDT", "+0330" */
static bool is_zone_word(struct slice word)
{
	if (word.n < 2 || word.n > 6 || is_digit(*word.p))
		return false;
	for (size_t i = 0; i < word.n; i++)
		if ((word.p[i] < 'A' || word.p[i] > 'Z') && (word.p[i] < '0' || word.p[i] > '9') && word.p[i] != '+' && word.p[i] != '-')
			return false;
	return true;
}

bool stamp_words_parse(struct slice text, time_ms *local, struct slice *zone)
{
	struct civil c = { .hour = -1 };
	char half = 0;

	*zone = (struct slice){ "", 0 };
	for (struct slice rest = slice_trim(text), word; (word = slice_word(&rest)).n;) {
		if ((!c.month && take_month(word, &c.month)) || (c.hour < 0 && is_clock(word, &c)) || is_weekday(word) ||
			(!c.day && is_number(word, 1, 2, &c.day)) || (!c.year && is_number(word, 4, 4, &c.year)))
			continue;
		if (!half && (slice_is(word, "AM") || slice_is(word, "PM")))
			half = word.p[0];
		else if (!zone->n && is_zone_word(word))
			*zone = word;
		else
			return false;
	}
	if (c.hour < 0 || !civil_is_valid(c.year, c.month, c.day) || (half && (c.hour < 1 || c.hour > 12)))
		return false;
	if (half)
		c.hour = c.hour % 12 + (half == 'P' ? 12 : 0);
	*local = time_from_civil(&c);
	return true;
}

bool clock_parse(struct slice text, char half, time_ms *since_midnight)
{
	struct slice s = slice_trim(text);
	struct civil c = { .year = 1970, .month = 1, .day = 1 };

	if (!half && s.n == CLOCK_BYTES && plain_clock(s.p, since_midnight))
		return true;
	if (!take_clock(&s, &c) || s.n || (half && (c.hour < 1 || c.hour > 12)))
		return false;
	if (half)
		c.hour = c.hour % 12 + (half == 'P' ? 12 : 0);
	*since_midnight = time_from_civil(&c);
	return true;
}

bool epoch_parse(struct slice cell, time_ms *t)
{
	static const int64_t begin = 631152000, end = 4102444800; /* 1990-01-01, 2100-01-01 */
	const char *point = cell.n ? memchr(cell.p, '.', cell.n) : NULL;
	struct slice whole = { cell.p, point ? (size_t)(point - cell.p) : cell.n };
	int64_t n, ms = 0;

	if (!whole.n || !integer_parse(whole, &n))
		return false;
	for (int64_t unit = 100; point && ++point < cell.p + cell.n; unit /= 10) {
		if (*point < '0' || *point > '9')
			return false;
		ms += (*point - '0') * unit;
	}
	if (n < end) {
		*t = n * SECOND_MS + ms;
		return n >= begin;
	}
	for (int64_t scale = 1; scale <= 1000000; scale *= 1000) {
		*t = n / scale;
		if (*t >= begin * SECOND_MS && *t < end * SECOND_MS)
			return true;
	}
	return false;
}

bool zone_parse(struct slice text, time_ms *offset)
{
	struct slice s = slice_trim(text);
	int hours, minutes = 0;

	if (slice_is(s, "Z") || slice_is(s, "UTC") || slice_is(s, "GMT")) {
		*offset = 0;
		return true;
	}
	if (slice_starts(s, "UTC") || slice_starts(s, "GMT"))
		s = (struct slice){ s.p + 3, s.n - 3 };
	if (!s.n || (s.p[0] != '+' && s.p[0] != '-'))
		return false;
	bool west = s.p[0] == '-';
	s = (struct slice){ s.p + 1, s.n - 1 };
	if (!take_number(&s, 1, 2, &hours))
		return false;
	if (s.n) {
		take_char(&s, ":");
		if (!take_number(&s, 2, 2, &minutes))
			return false;
	}
	if (s.n || hours > 14 || minutes > 59)
		return false;
	*offset = (hours * HOUR_MS + minutes * MINUTE_MS) * (west ? -1 : 1);
	return true;
}

const char *time_iso_local(struct arena *mem, time_ms t)
{
	struct civil c = civil_from_time(t);

	return arena_print(mem, "%04d-%02d-%02dT%02d:%02d:%02d.%03d", c.year, c.month, c.day, c.hour, c.minute, c.second, c.ms);
}

const char *time_iso(struct arena *mem, time_ms t)
{
	return arena_print(mem, "%sZ", time_iso_local(mem, t));
}

const char *time_clock(struct arena *mem, time_ms t)
{
	struct civil c = civil_from_time(t);

	return arena_print(mem, "%02d:%02d:%02d", c.hour, c.minute, c.second);
}

const char *time_date(struct arena *mem, time_ms t)
{
	struct civil c = civil_from_time(t);

	return arena_print(mem, "%04d-%02d-%02d", c.year, c.month, c.day);
}

const char *time_day_number(struct arena *mem, time_ms t)
{
	return arena_print(mem, "day %d", (int)(t / DAY_MS) + 1);
}

time_ms time_midnight(time_ms t)
{
	return t - ((t % DAY_MS) + DAY_MS) % DAY_MS;
}

const char *zone_name(struct arena *mem, time_ms offset)
{
	if (!offset)
		return "UTC";
	int minutes = (int)((offset < 0 ? -offset : offset) / MINUTE_MS);
	if (minutes % 60)
		return arena_print(mem, "UTC%c%d:%02d", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
	return arena_print(mem, "UTC%c%d", offset < 0 ? '-' : '+', minutes / 60);
}
