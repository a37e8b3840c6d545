/*
 * run_line.c - which run it is: its cards and its times, in the text's line RUN and below the card's title.
 *
 *     1 x NVIDIA H200, 1 min 18 s, Sat 2026-11-21 01:49:31 - 01:50:49 (UTC). The job did 7808 samples … The GPU drew 2.7 Wh, …
 *     node01 · 1 × NVIDIA H200 · Sat 21 Nov 2026, 01:49:31–01:50:49 UTC · 1 min 18 s · 1.3 GPU-min
 */
#include "report/report_parts.h"

/* "4 x NVIDIA H200"; GPUs of several models are counted without a name. */
static const char *cards_text(struct build *b, const char *times)
{
	const struct run *run = b->run;
	const char *name = run->n_gpus ? run->gpus[0]->name : NULL;

	if (!run->n_gpus)
		return "no GPU log";
	for (size_t i = 1; i < run->n_gpus && name; i++)
		if (!run->gpus[i]->name || strcmp(run->gpus[i]->name, name) != 0)
			name = NULL;
	if (!name)
		return arena_print(b->mem, "%zu GPU%s", run->n_gpus, plural_s(run->n_gpus));
	return arena_print(b->mem, "%zu %s %s", run->n_gpus, times, name);
}

static bool any_log_names_zone(const struct run *run)
{
	for (size_t i = 0; i < run->n_recordings; i++)
		if (run->recordings[i]->clock.decided_by == DECIDED_LOG)
			return true;
	return false;
}

static const char *zone_words(const struct build *b)
{
	if (b->run->zone_known)
		return "UTC";
	if (any_log_names_zone(b->run))
		return "log time; nothing tells its zone";
	return arena_print(b->mem, "log time; no log names its zone%s%s", run_has_zone_words(b->run) ? " for sure" : "",
		b->run->day_known ? "" : " or its day");
}

/* " At 2.50 EUR a GPU-hour it cost 40.00 EUR." */
static const char *paid_text(struct build *b)
{
	const struct rate rate = b->report->rate;

	if (rate.per_gpu_hour <= 0 || !b->run->n_gpus)
		return "";
	return arena_print(b->mem, " At %s a GPU-hour it cost %s.", money_text(b->mem, rate, 1), money_text(b->mem, rate, b->total_hours));
}

/* "Sat 2026-11-21 "; where no log names the day "day 1 ", if it goes on into the next one */
static const char *day_before(const struct build *b, time_ms t)
{
	if (!b->run->day_known && same_day(b->run->span.begin, b->run->span.end))
		return "";
	return arena_print(b->mem, "%s ", b->run->day_known ? day_text(b->mem, t) : time_day_number(b->mem, t));
}

/* "1 min 18 s, Sat 2026-11-21 01:49:31 - 01:50:49" */
static const char *run_times(struct build *b)
{
	const struct span s = b->run->span;
	const char *const begin = arena_print(b->mem, "%s%s", day_before(b, s.begin), time_clock(b->mem, s.begin));

	if (!span_length(s))
		return arena_print(b->mem, "a single moment, %s", begin);
	return arena_print(b->mem, "%s, %s - %s%s", duration_text(b->mem, b->report->run.seconds), begin,
		same_day(s.begin, s.end) ? "" : day_before(b, s.end), time_clock(b->mem, s.end));
}

const char *run_line(struct build *b)
{
	return arena_print(b->mem, "%s, %s (%s).%s%s%s", cards_text(b, "x"), run_times(b), zone_words(b), job_did(b), energy_drawn(b),
		paid_text(b));
}

#define DOT " \302\267 "

/* "01:49:31", of long runs without seconds, to the nearest minute, as the windows on the card are */
static const char *short_clock(const struct build *b, time_ms t)
{
	return b->report->run.seconds < 600 ? time_clock(b->mem, t) : arena_print(b->mem, "%.5s", time_clock(b->mem, t + MINUTE_MS / 2));
}

/* "Sat 21 Nov 2026, 01:49:31–01:50:49"; the end has its day where that is another one, and its year. */
static const char *short_times(const struct build *b)
{
	const time_ms half = b->report->run.seconds < 600 ? 0 : MINUTE_MS / 2;
	const struct span s = b->run->span;
	const struct civil from = civil_from_time(s.begin + half), to = civil_from_time(s.end + half);
	const char *const begin = short_clock(b, s.begin), *const end = short_clock(b, s.end);

	if (!b->run->day_known && same_day(s.begin, s.end))
		return arena_print(b->mem, "%s\342\200\223%s", begin, end);
	if (!b->run->day_known)
		return arena_print(b->mem, "%s, %s\342\200\223%s, %s", time_day_number(b->mem, s.begin), begin,
			time_day_number(b->mem, s.end), end);
	const char *const year = from.year == to.year ? "" : arena_print(b->mem, " %d", to.year);
	const char *const last = same_day(s.begin + half, s.end + half) ? ""
		: arena_print(b->mem, "%s %d %s%s, ", weekday_names[to.weekday], to.day, month_names[to.month - 1], year);
	return arena_print(b->mem, "%s %d %s %d, %s\342\200\223%s%s", weekday_names[from.weekday], from.day, month_names[from.month - 1],
		from.year, begin, last, end);
}

const char *run_subline(struct build *b)
{
	struct arena *mem = b->mem;
	const char *hosts = hosts_text(mem, b->run);
	const char *host = *hosts && strcmp(hosts, b->run->name) != 0 ? arena_print(mem, "%s" DOT, hosts) : "";

	return arena_print(mem, "%s" DOT "%s%s" DOT "%s %s" DOT "%s%s%s", b->run->name, host, cards_text(b, "\303\227"), short_times(b),
		b->report->time_basis, duration_text(mem, b->report->run.seconds), b->run->n_gpus ? DOT : "",
		b->run->n_gpus ? b->report->gpu_time_text : "");
}
