/* run_jumps.c - where a log begins anew. */
#include "cmd/run_jumps.h"

#define DAY_S 86400
#define MOST_TOLD 3

static const char *jumps_of(struct arena *mem, const struct report_source *source)
{
	const char *times = "";
	size_t n = 0;

	for (size_t i = 0; i < source->n_holes; i++) {
		if (source->holes[i].seconds < DAY_S || n++ >= MOST_TOLD)
			continue;
		times = arena_print(mem, "%s%s%s %s", times, *times ? ", " : "", time_date(mem, source->holes[i].end),
			time_clock(mem, source->holes[i].end));
	}
	if (!n)
		return NULL;
	return arena_print(mem, "%s goes on at %s%s after a day or more: separate runs?", source->name, times,
		n > MOST_TOLD ? ", …" : "");
}

/* The log that begins first of those that begin behind this time; NULL: none does. */
static const struct report_source *next_behind(const struct report *report, time_ms t)
{
	const struct report_source *next = NULL;

	for (size_t i = 0; i < report->n_sources; i++) {
		const struct report_source *const source = &report->sources[i];
		if (source->rows && source->begin > t && (!next || source->begin < next->begin))
			next = source;
	}
	return next;
}

/* Is there a log that reaches into the day before this time? */
static bool is_reached(const struct report *report, time_ms t)
{
	for (size_t i = 0; i < report->n_sources; i++)
		if (report->sources[i].rows && report->sources[i].begin < t && report->sources[i].end > t - DAY_S * SECOND_MS)
			return true;
	return false;
}

/* A log that begins a day or more after all others ended, as where the logs of two jobs lie in one folder. */
static const char *jump_between(struct arena *mem, const struct report *report)
{
	const struct report_source *const first = next_behind(report, TIME_UNKNOWN);
	const struct report_source *next = first;

	while (next && (next == first || is_reached(report, next->begin)))
		next = next_behind(report, next->begin);
	return next ? arena_print(mem, "%s begins at %s %s, a day or more after the logs before it ended: separate runs?", next->name,
			      time_date(mem, next->begin), time_clock(mem, next->begin)) : NULL;
}

const char *run_jumps(struct arena *mem, const struct report *report)
{
	const char *first = NULL;

	for (size_t i = 0; i < report->n_sources && !first; i++)
		first = jumps_of(mem, &report->sources[i]);
	return first ? first : jump_between(mem, report);
}
