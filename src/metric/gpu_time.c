/* gpu_time.c - hours, minutes or seconds of GPU time, rounded and grouped as visual.md 13.6 has it. */
#include "metric/gpu_time.h"

#include "base/number.h"

#include <math.h>

struct gpu_time gpu_time_for(double total_hours)
{
	if (total_hours < 1.0 / 6)
		return (struct gpu_time){ 3600, 0, "GPU-s", "GPU-seconds" };
	if (total_hours < 2)
		return (struct gpu_time){ 60, 1, "GPU-min", "GPU-minutes" };
	return (struct gpu_time){ 1, total_hours < 99.5 ? 1 : 0, "GPU-h", "GPU-hours" };
}

double gpu_time_shown(struct gpu_time unit, double hours)
{
	double step = pow(10, -unit.decimals);

	return round(hours * unit.per_hour / step) * step;
}

#define LEAST_GROUPED 10000
#define GROUP "\u202F" /* a narrow blank that no line breaks at; templates for ASCII leave it out */

/* "945 231": a whole number in groups of three digits. */
static const char *in_groups(struct arena *mem, const char *digits)
{
	const size_t n = strlen(digits), first = n % 3 ? n % 3 : 3;
	const char *out = arena_text(mem, digits, first);

	for (size_t at = first; at < n; at += 3)
		out = arena_print(mem, "%s" GROUP "%.3s", out, digits + at);
	return out;
}

const char *gpu_time_number(struct arena *mem, struct gpu_time unit, double hours)
{
	double value = hours * unit.per_hour;
	double least = 0.5 * pow(10, -unit.decimals);

	if (value > 0 && value < least) /* "0" would say that there is none */
		return arena_print(mem, "<%s", unit.decimals ? "0.1" : "1");
	const char *const text = number_text(mem, value, unit.decimals);
	return value >= LEAST_GROUPED && !unit.decimals ? in_groups(mem, text) : text;
}

const char *gpu_time_text(struct arena *mem, struct gpu_time unit, double hours)
{
	return arena_print(mem, "%s %s", gpu_time_number(mem, unit, hours), unit.symbol);
}
