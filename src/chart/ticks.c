/*
 * ticks.c - round moments and round values.
 *
 * A run of two hours gets clock ticks every 15 minutes and elapsed ticks every 15 minutes, but
 * the former sit at 09:15, 09:30, the latter at 0, 15 min: one axis is for looking things up
 * in other logs, the other for saying "after half an hour".
 */
#include "chart/ticks.h"
#include "base/number.h"
#include <math.h>

#define CLOCK_APART 50.0
#define ELAPSED_APART 62.0
#define VALUE_APART 12.0

static const int ladder_s[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10800, 14400, 21600,
	43200, 86400, 172800, 345600, 604800, 1209600, 2419200 };

/* Beyond the ladder the step doubles: no span has more ticks than fit. */
static time_ms step_for(struct span span, double width, double apart)
{
	const double u_per_ms = width / (double)span_length(span);
	for (size_t i = 0; i < sizeof ladder_s / sizeof *ladder_s; i++)
		if ((double)(ladder_s[i] * SECOND_MS) * u_per_ms >= apart)
			return ladder_s[i] * SECOND_MS;
	time_ms step = ladder_s[sizeof ladder_s / sizeof *ladder_s - 1] * SECOND_MS;
	while ((double)step * u_per_ms < apart)
		step *= 2;
	return step;
}

static time_ms floor_to(time_ms t, time_ms step)
{
	const time_ms rest = t % step;
	return t - (rest < 0 ? rest + step : rest);
}

static struct time_ticks ticks_from(time_ms first, time_ms step, struct span span)
{
	struct time_ticks ticks = { .step = step };
	for (time_ms t = first; t <= span.end && ticks.n < MAX_TICKS; t += step)
		if (t >= span.begin)
			ticks.at[ticks.n++] = t;
	return ticks;
}

struct time_ticks ticks_clock(struct span span, double width)
{
	const time_ms step = step_for(span, width, CLOCK_APART);
	time_ms origin = floor_to(span.begin, DAY_MS);
	if (step >= 7 * DAY_MS)
		origin -= (civil_from_time(origin).weekday + 6) % 7 * DAY_MS;
	return ticks_from(origin + floor_to(span.begin - origin, step), step, span);
}

struct time_ticks ticks_elapsed(struct span span, double width)
{
	return ticks_from(span.begin, step_for(span, width, ELAPSED_APART), span);
}

const char *clock_label(struct arena *mem, time_ms t, time_ms step)
{
	const struct civil c = civil_from_time(t);
	if (step < MINUTE_MS)
		return arena_print(mem, "%02d:%02d:%02d", c.hour, c.minute, c.second);
	if (step < DAY_MS)
		return arena_print(mem, "%02d:%02d", c.hour, c.minute);
	return arena_print(mem, "%d %s", c.day, month_names[c.month - 1]);
}

const char *date_label(struct arena *mem, time_ms t, bool with_year)
{
	const struct civil c = civil_from_time(t);
	const char *const day = arena_print(mem, "%s %d %s", weekday_names[c.weekday], c.day, month_names[c.month - 1]);
	return with_year ? arena_print(mem, "%s %d", day, c.year) : day;
}

static const char *elapsed_seconds(struct arena *mem, int64_t s)
{
	if (s < 60)
		return arena_print(mem, "%d s", (int)s);
	return s % 60 ? arena_print(mem, "%d min %02d s", (int)(s / 60), (int)(s % 60)) : arena_print(mem, "%d min", (int)(s / 60));
}

static const char *elapsed_minutes(struct arena *mem, int64_t s)
{
	if (s < 3600)
		return arena_print(mem, "%d min", (int)(s / 60));
	return arena_print(mem, "%d h %02d", (int)(s / 3600), (int)(s % 3600 / 60));
}

static const char *elapsed_hours(struct arena *mem, int64_t s)
{
	const int days = (int)(s / 86400), hours = (int)(s % 86400 / 3600);
	if (!days)
		return arena_print(mem, "%d h", hours);
	return hours ? arena_print(mem, "%d d %d h", days, hours) : arena_print(mem, "%d d", days);
}

const char *elapsed_label(struct arena *mem, time_ms since, time_ms step)
{
	const int64_t s = since / SECOND_MS;
	if (s == 0)
		return "0";
	if (step < MINUTE_MS)
		return elapsed_seconds(mem, s);
	if (step < HOUR_MS)
		return elapsed_minutes(mem, s);
	return elapsed_hours(mem, s);
}

bool is_midnight(time_ms t)
{
	return t % DAY_MS == 0;
}

static struct value_ticks multiples(double low, double high, double step)
{
	struct value_ticks ticks = { .step = step, .decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : 2 };
	for (double k = ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && ticks.n < MAX_TICKS; k++)
		ticks.at[ticks.n++] = k * step;
	return ticks;
}

struct value_ticks ticks_value(double low, double high, double height)
{
	static const double mantissa[] = { 1, 2, 5 };
	for (int exponent = -2; exponent <= 12; exponent++)
		for (size_t i = 0; i < 3; i++) {
			const double step = mantissa[i] * pow(10, exponent);
			if (height * step / (high - low) >= VALUE_APART)
				return multiples(low, high, step);
		}
	return (struct value_ticks){ .n = 0 };
}

struct value_ticks ticks_percent(double height)
{
	return multiples(0, 100, height >= 80 ? 25 : 50);
}
