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

const char *run_jumps(struct arena *mem, const struct report *report)
{
	const char *first = NULL;

	for (size_t i = 0; i < report->n_sources && !first; i++)
		first = jumps_of(mem, &report->sources[i]);
	return first;
}
