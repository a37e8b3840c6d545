/*
 * separate_runs.c - are these logs of one run?
 *
 *     |--- a.csv ---|                                        |--- b.csv ---|      the pause is longer than all that was logged
 *
 * Logs that stop for long and go on, in the same file or in another, are most likely of several runs: they were appended, or two jobs
 * share a folder. As one run they have a hole that nobody lost, and what differs between the two looks like a change. So it is asked.
 */
#include "report/report_parts.h"

#define LEAST_PAUSE HOUR_MS /* own definition: a run that is begun anew within an hour is mostly the same one; */
#define LONG_PAUSE DAY_MS   /* behind a day it hardly ever is, however long was logged */
#define MOST_TOLD 3

/* From its begin to its end, but for its holes. */
static struct spans logged_in(struct arena *mem, const struct report_source *source)
{
	struct span *const at = NEW_ARRAY(mem, struct span, source->n_holes + 1);
	time_ms begin = source->begin;
	size_t n = 0;

	for (size_t i = 0; i < source->n_holes; i++) {
		if (begin < source->holes[i].begin)
			at[n++] = (struct span){ begin, source->holes[i].begin };
		begin = source->holes[i].end;
	}
	if (begin < source->end)
		at[n++] = (struct span){ begin, source->end };
	return (struct spans){ at, n };
}

/* As long as any log was written, of several at the same time once: more than that is a long pause. */
static time_ms pause_of(const struct report *report)
{
	struct spans all = { NULL, 0 };
	struct arena scratch;

	arena_init(&scratch);
	for (size_t i = 0; i < report->n_sources; i++)
		if (report->sources[i].rows)
			all = spans_union(&scratch, all, logged_in(&scratch, &report->sources[i]));
	const time_ms logged = spans_length(all);
	arena_release(&scratch);
	return logged < LEAST_PAUSE ? LEAST_PAUSE : logged < LONG_PAUSE ? logged : LONG_PAUSE;
}

static const char *length_text(struct arena *mem, time_ms length)
{
	return duration_text(mem, (double)length / SECOND_MS);
}

static const char *row_text(struct arena *mem, time_ms t)
{
	return arena_print(mem, "%s %s", time_date(mem, t), time_clock(mem, t));
}

/* The log goes on behind pauses as long. */
static const char *pauses_of(struct arena *mem, const struct report_source *source, time_ms pause)
{
	const char *times = "";
	time_ms least = LONG_PAUSE;
	size_t n = 0;

	for (size_t i = 0; i < source->n_holes; i++) {
		const struct window *const hole = &source->holes[i];
		const time_ms length = hole->end - hole->begin;
		if (length < pause)
			continue;
		least = !n || length < least ? length : least;
		if (n++ < MOST_TOLD)
			times = arena_print(mem, "%s%s%s", times, *times ? ", " : "", row_text(mem, hole->end));
	}
	if (!n)
		return NULL;
	return arena_print(mem, "Separate runs? %s goes on at %s%s after %s%s without a row.", source->name, times,
		n > MOST_TOLD ? ", …" : "", length_text(mem, least), n > 1 ? " and more" : "");
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

/* How long before this time the last row was written of the logs that begin before it. */
static time_ms quiet_before(const struct report *report, time_ms t)
{
	time_ms quiet = INT64_MAX;

	for (size_t i = 0; i < report->n_sources; i++) {
		const struct report_source *const source = &report->sources[i];
		if (source->rows && source->begin < t)
			quiet = t - source->end < quiet ? t - source->end : quiet;
	}
	return quiet;
}

/* A log begins as long after all others before it ended, as where the logs of two jobs lie in one folder. */
static const char *pause_between(struct arena *mem, const struct report *report, time_ms pause)
{
	const struct report_source *const first = next_behind(report, TIME_UNKNOWN);
	const struct report_source *next = first;

	while (next && (next == first || quiet_before(report, next->begin) < pause))
		next = next_behind(report, next->begin);
	if (!next)
		return NULL;
	const char *const quiet = length_text(mem, quiet_before(report, next->begin));
	const char *const begin = row_text(mem, next->begin);
	return arena_print(mem, "Separate runs? %s begins at %s, %s after the logs before it ended.", next->name, begin, quiet);
}

void build_separate_runs(struct build *b)
{
	struct report *const report = b->report;
	const time_ms pause = pause_of(report);

	for (size_t i = 0; i < report->n_sources && !report->separate_runs; i++)
		report->separate_runs = pauses_of(b->mem, &report->sources[i], pause);
	if (!report->separate_runs)
		report->separate_runs = pause_between(b->mem, report, pause);
}
