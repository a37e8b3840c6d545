/* run_filter.c - the filters of an index of runs. */
#include "cmd/run_filter.h"

#include "cmd/suppress.h"

#include <stdio.h>

#define HOUR_US 3600000000LL

/* As it was given last, but not to --suppress. */
static const char *value_of(const struct options *o, const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i < o->n_given; i++)
		if (strcmp(o->given[i].option->name, name) == 0 && !is_end_of_suppression(o, i))
			value = o->given[i].value;
	return value;
}

static bool read_day(const struct options *o, const char *name, time_ms *out)
{
	const char *const text = value_of(o, name);

	if (!text || stamp_parse(slice_of(arena_print(o->mem, "%s 00:00:00", text)), out))
		return true;
	fprintf(stderr, "postrun: --%s takes a day like 2026-11-21, not '%s'\n", name, text);
	return false;
}

static bool read_least(const struct options *o, int64_t *out)
{
	const char *const text = option_value(o, "min-gpu-hours");
	struct slice rest;
	fixed hours;

	if (!text)
		return true;
	if (!fixed_parse(slice_of(text), &hours, &rest) || rest.n || hours < 0 || hours > RECORD_MOST_US / HOUR_US * FIXED_ONE) {
		fprintf(stderr, "postrun: --min-gpu-hours takes a number like 0.5, not '%s'\n", text);
		return false;
	}
	*out = hours * (HOUR_US / FIXED_ONE);
	return true;
}

bool run_filter_read(const struct options *o, struct run_filter *out)
{
	const char *const limit = option_value(o, "fail-on");

	*out = (struct run_filter){ 0 };
	out->has_fail_on = limit && severity_find(slice_of(limit), &out->fail_on);
	if (!read_day(o, "since", &out->since) || !read_day(o, "until", &out->until) || !read_least(o, &out->least_gpu_us))
		return false;
	if (out->until)
		out->until += DAY_MS;
	if (!out->until || out->since < out->until)
		return true;
	fprintf(stderr, "postrun: --since is behind --until: no run is in both\n");
	return false;
}

bool run_filter_keeps(const struct run_filter *filter, const struct record *record)
{
	if (!record_has_report(record))
		return true;
	return record->gpu_us >= filter->least_gpu_us && (!filter->since || record->end >= filter->since) &&
	       (!filter->until || record->begin < filter->until);
}

bool run_filter_fails(const struct run_filter *filter, const struct record *record)
{
	enum severity severity; /* "healthy" and "unknown" are none */

	return filter->has_fail_on && record_has_report(record) && severity_find(slice_of(record->severity), &severity) &&
	       severity >= filter->fail_on;
}
