/* poll_banner.c - lines that tell when the rows behind them were written. */
#include "format/poll_banner.h"

#include "format/date_line.h"

/* Windows: "Tue 08/18/2020" of date /T; its weekday tells which is the month. */
static bool windows_date(struct slice line, time_ms *day)
{
	struct slice rest = line, weekday = slice_word(&rest), date = slice_word(&rest);
	char text[32];
	time_ms readings[2];

	if (rest.n || weekday.n != 3 || date.n > 10 || !date.n)
		return false;
	memcpy(text, date.p, date.n);
	memcpy(text + date.n, " 0:00:00", 8);
	if (!stamp_swap_parse((struct slice){ text, date.n + 8 }, &readings[0], &readings[1]))
		return false;
	for (int i = 0; i < 2; i++) {
		if (readings[i] == TIME_UNKNOWN || !slice_is(weekday, weekday_names[civil_from_time(readings[i]).weekday]))
			continue;
		*day = readings[i];
		return true;
	}
	return false;
}

/* "03:44 PM" of time /T: whole minutes. */
static bool windows_time(struct slice line, time_ms *t)
{
	struct slice rest = line, clock = slice_word(&rest), half = slice_word(&rest);
	char text[16];

	if (rest.n || clock.n < 4 || clock.n > 5 || !(slice_is(half, "AM") || slice_is(half, "PM")))
		return false;
	memcpy(text, clock.p, clock.n);
	memcpy(text + clock.n, ":00", 3);
	return clock_parse((struct slice){ text, clock.n + 3 }, half.p[0], t);
}

void poll_banner_init(struct poll_banner *b)
{
	*b = (struct poll_banner){ .day = TIME_UNKNOWN, .time = TIME_UNKNOWN };
}

bool poll_banner_take(struct poll_banner *b, struct slice line, bool *begins_poll)
{
	struct slice zone;
	time_ms t, offset;

	*begins_poll = false;
	line = date_line_unframed(line);
	if (line.n < 4 || line.n > 60 || memchr(line.p, ',', line.n))
		return false;
	if (windows_date(line, &t)) {
		b->day = t;
		b->time = TIME_UNKNOWN;
		return true;
	}
	if (b->day != TIME_UNKNOWN && windows_time(line, &t)) {
		b->time = b->day + t;
		return b->coarse = *begins_poll = true;
	}
	if (!stamp_words_parse(line, &t, &zone) && !stamp_parse(line, &t) && !stamp_zone_parse(line, &t, &offset))
		return false;
	return *begins_poll = row_clock_take(&b->clock, line, &b->time);
}
