/* row_clock.c - which way a log writes its times, and what they then mean. */
#include "format/row_clock.h"

#include <stdio.h>

static bool of_day_parse(struct slice cell, time_ms *t)
{
	struct slice rest = cell, word = slice_word(&rest), half = slice_trim(rest);

	if (slice_is_nocase(half, "AM") || slice_is_nocase(half, "PM"))
		return clock_parse(word, half.p[0] == 'A' || half.p[0] == 'a' ? 'A' : 'P', t);
	return clock_parse(cell, 0, t);
}

static void keep_zone(struct row_clock *c, struct slice zone)
{
	if (!c->zone[0])
		snprintf(c->zone, sizeof c->zone, "%.*s", SLICE(zone));
}

static void keep_offset(struct row_clock *c, time_ms offset)
{
	int minutes = (int)((offset < 0 ? -offset : offset) / MINUTE_MS);

	if (c->zone[0])
		return;
	if (!offset)
		snprintf(c->zone, sizeof c->zone, "UTC");
	else
		snprintf(c->zone, sizeof c->zone, "%c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

#define FARTHEST (1000000 * DAY_MS) /* rows that jump about for longer settle nothing; keeps sums far from overflow */

/* How far the rows went so far, and one more step. */
static time_ms farther(time_ms travel, time_ms a, time_ms b)
{
	time_ms step = a > b ? a - b : b - a;

	return travel + step < FARTHEST ? travel + step : FARTHEST;
}

/* Both readings are followed; what is handed out is month first, as long as every row can be that. */
static time_ms follow_both(struct row_clock *c, time_ms month, time_ms day, bool first)
{
	c->not_month |= month == TIME_UNKNOWN;
	c->not_day |= day == TIME_UNKNOWN;
	if (!first && !c->not_month)
		c->travel_month = farther(c->travel_month, month, c->last_month);
	if (!first && !c->not_day)
		c->travel_day = farther(c->travel_day, day, c->last_day);
	c->last_month = month;
	c->last_day = day;
	return month != TIME_UNKNOWN ? month : day;
}

/* A time of day that steps back by more than half a day has passed midnight. */
static time_ms follow_midnight(struct row_clock *c, time_ms t)
{
	if (c->last != TIME_UNKNOWN && t + c->day < c->last - DAY_MS / 2)
		c->day += DAY_MS;
	return t + c->day;
}

#define YEAR_UNKNOWN 1972 /* stands for the year that syslog leaves out; it has a February 29 */
#define LEAP_YEAR 1996    /* calendar.h begins in 1990 */

bool syslog_stamp_take(struct slice *rest, time_ms *t)
{
	const struct slice month_word = slice_word(rest), day_word = slice_word(rest), clock_word = slice_word(rest);
	int month = 0;
	int64_t day;
	time_ms of_day;

	while (month < 12 && !slice_is(month_word, month_names[month]))
		month++;
	if (month == 12 || day_word.n > 2 || !integer_parse(day_word, &day) || clock_word.n < 8 || !clock_parse(clock_word, 0, &of_day) ||
		!civil_is_valid(LEAP_YEAR, month + 1, (int)day))
		return false;
	*t = days_from_civil(YEAR_UNKNOWN, month + 1, (int)day) * DAY_MS + of_day;
	return true;
}

time_ms yearless_follow(struct yearless *y, time_ms t)
{
	struct civil c = civil_from_time(t);

	c.year += y->years;
	if (y->has_last && time_from_civil(&c) < y->last - 180 * DAY_MS) {
		y->years++;
		c.year++;
	}
	y->has_last = true;
	return y->last = time_from_civil(&c);
}

static bool yearless_parse(struct slice cell, time_ms *t)
{
	struct slice rest = cell;

	return syslog_stamp_take(&rest, t) && !rest.n;
}

static enum way way_of(struct row_clock *c, struct slice cell, time_ms *t)
{
	struct slice zone;
	time_ms other;

	if (stamp_parse(cell, t))
		return WAY_LOCAL;
	if (epoch_parse(cell, t))
		return WAY_EPOCH;
	if (stamp_zone_parse(cell, t, &other)) {
		keep_offset(c, other);
		return WAY_ZONE;
	}
	if (stamp_swap_parse(cell, t, &other)) {
		*t = follow_both(c, *t, other, c->way == WAY_UNKNOWN);
		return WAY_SWAP;
	}
	if (stamp_words_parse(cell, t, &zone)) {
		keep_zone(c, zone);
		return WAY_WORDS;
	}
	if (yearless_parse(cell, t)) {
		*t = yearless_follow(&c->yearless, *t);
		return WAY_NO_YEAR;
	}
	return of_day_parse(cell, t) ? WAY_OF_DAY : WAY_UNKNOWN;
}

bool row_clock_take(struct row_clock *c, struct slice cell, time_ms *t)
{
	enum way way = way_of(c, slice_trim(cell), t);

	if (way == WAY_UNKNOWN || (c->way != WAY_UNKNOWN && way != c->way))
		return false;
	if (c->way == WAY_UNKNOWN)
		c->last = TIME_UNKNOWN;
	c->way = way;
	if (way == WAY_OF_DAY)
		*t = follow_midnight(c, *t);
	c->last = *t;
	return true;
}

/* The same digits with day and month changed over; what can't be is left as it is: it was read so already. */
static time_ms swapped(time_ms t)
{
	struct civil c = civil_from_time(t);
	int month = c.month;

	if (!civil_is_valid(c.year, c.day, month))
		return t;
	c.month = c.day;
	c.day = month;
	return time_from_civil(&c);
}

static time_ms swapped_of(const void *nothing, time_ms t)
{
	(void)nothing;
	return swapped(t);
}

static void settle_swap(const struct row_clock *c, struct sheet *s)
{
	if (c->not_day)
		return;
	if (c->not_month || c->travel_day < c->travel_month) {
		sheet_retime(s, swapped_of, NULL);
		return;
	}
	if (c->travel_day != c->travel_month || swapped(c->last) == c->last)
		return;
	sheet_doubt_dates(s, swapped(c->last) - c->last); /* all within one day: only another log or the user can tell */
}

void row_clock_settle(const struct row_clock *c, struct reading *r, struct sheet *s)
{
	struct clock_note *clock = &r->recording->clock;
	time_ms offset;

	clock->basis = BASIS_LOCAL;
	if (c->way == WAY_EPOCH || c->way == WAY_ZONE) {
		clock->basis = BASIS_OFFSET; /* the times are UTC already, whatever offset each row had */
		clock->zone = c->way == WAY_EPOCH ? "epoch seconds" : arena_text(r->mem, c->zone, strlen(c->zone));
	} else if (c->zone[0]) {
		clock->zone = arena_text(r->mem, c->zone, strlen(c->zone));
		if (zone_parse(slice_of(c->zone), &offset)) {
			clock->basis = BASIS_OFFSET;
			clock->offset = offset;
		}
	}
	if (c->way == WAY_OF_DAY)
		clock->date_unknown = true;
	if (c->way == WAY_NO_YEAR)
		clock->year_unknown = true;
	if (c->way == WAY_SWAP)
		settle_swap(c, s);
}
