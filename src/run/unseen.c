/*
 * unseen.c - work that went on after the last row of a GPU's log, or before its first one, by what the host's log shows.
 *
 *     GPU busy   ___########|                     its logger was killed
 *     CPU busy   ___===-====|===-====____         the host goes on as before, and comes to rest
 *                           [ unseen ]
 *
 *     log.ended_early   in that time: how long it is; elsewhere 0
 *
 * The CPU of a host is a sign of the GPUs' job when it was known while they were logged, did anything, was at rest before their log began
 * (as far as that was logged), and when the GPU was at work to the end; where it is none, nothing is told. Nor where the two clocks are,
 * or may be, apart: a host's log that also begins later has to end later.
 *
 * Work before the first row may have been another job's, so that it is told and no more.
 *
 * Time unseen belongs to the run: who reads that a job took three hours should not find that it took four. What the GPUs did then
 * is not known, nor counted as anything.
 */
#include "run/run_parts.h"

#include "base/calendar.h"
#include "base/quantity.h"

#include <math.h>

#define LEAST_BUSY 5.0 /* % CPU busy: a host below it does nothing that could be seen to go on */
#define USUAL_SHARE 0.5 /* of its mean before: half of the host's work is missing below it */
#define KNOWN_SHARE 0.8 /* of the logged time, for a mean to be what was usual */
#define LEAST_BEFORE MINUTE_MS /* seconds before the first row are how loggers are started one after another */
#define LAST_LOOK (2 * MINUTE_MS) /* a GPU that saves or evaluates is back at work by then, and three rows are needed to see it */
#define PAUSE_MOST (5 * MINUTE_MS) /* a host that is at rest for longer has ended its job, or nobody can tell that it has not */
#define WORTH_TELLING MINUTE_MS /* loggers of one run stop within seconds of each other, and a job takes a while to end */
#define WORK_PERCENT 5 /* see phase.c */
#define HELD_MIB 64

/* Mean CPU busy; NAN where too little is known. */
static double usual_busy(const struct track *cpu, struct span when)
{
	const struct stats s = track_means(cpu, spans_one(&when));

	return (double)s.known >= KNOWN_SHARE * (double)span_length(when) ? s.mean : (double)NAN;
}

/* It was as busy before the GPUs were: with something else. */
static bool is_busy_anyway(const struct track *cpu, struct span logged, double usual)
{
	const struct span before = { track_span(cpu).begin, logged.begin };

	return span_length(before) >= LEAST_BEFORE && usual_busy(cpu, before) >= USUAL_SHARE * usual;
}

static bool holds_memory(const struct run *run, const struct entity *gpu, time_ms end)
{
	const struct track *used = run_track(run, gpu, METRIC_GPU_MEM_USED);
	fixed held;

	return used && track_at(used, end - 1, &held) && fixed_value(held) > HELD_MIB;
}

bool gpu_works_to_the_end(const struct run *run, const struct track *rows)
{
	const struct track *util = run_track(run, rows->entity, METRIC_GPU_UTIL);
	const time_ms end = track_span(rows).end, look = 3 * rows->step > LAST_LOOK ? 3 * rows->step : LAST_LOOK;
	const struct span last = { end - look, end };

	if (!util)
		return holds_memory(run, rows->entity, end);
	return track_means(util, spans_one(&last)).max > WORK_PERCENT;
}

bool recording_is_skewed(const struct run *run, const struct recording *rec)
{
	for (size_t i = 0; i < run->n_skews; i++)
		if (run->skews[i].recording == rec && !run->skews[i].applied)
			return true;
	return false;
}

/* Is the host as busy as usual in its sample i? */
static bool works_at(const struct track *cpu, size_t i, double usual)
{
	const fixed busy = track_value(cpu, i);

	return busy != FIXED_MISSING && fixed_value(busy) >= USUAL_SHARE * usual;
}

/* Until when the host works on, pauses included. */
static time_ms busy_until(const struct track *cpu, time_ms from, double usual)
{
	time_ms until = from;

	for (size_t i = track_seek(cpu, from); i < cpu->n && track_time(cpu, i) <= until + PAUSE_MOST; i++)
		if (works_at(cpu, i, usual))
			until = track_until(cpu, i);
	return until;
}

/* The same before a moment: since when it had worked. */
static time_ms busy_since(const struct track *cpu, time_ms until, double usual)
{
	time_ms since = until;

	for (size_t i = track_seek(cpu, until); i-- > 0 && track_until(cpu, i) >= since - PAUSE_MOST;)
		if (works_at(cpu, i, usual))
			since = track_time(cpu, i);
	return since;
}

/* A host's log that begins as late as it ends may have a clock that is off. */
static bool begins_late(const struct track *cpu, struct span logged, struct span unseen)
{
	return 2 * (track_span(cpu).begin - logged.begin) > span_length(unseen);
}

/* The CPU of a GPU's host; NULL where its log can't be laid beside the GPU's. */
static const struct track *cpu_beside(const struct run *run, const struct track *rows)
{
	const struct entity *host = run_host(run, rows->entity);
	const struct track *cpu = host ? run_track(run, host, METRIC_CPU_BUSY) : NULL;

	if (!cpu || recording_is_skewed(run, run->recordings[cpu->source]) || recording_is_skewed(run, run->recordings[rows->source]))
		return NULL;
	return cpu;
}

/* False where the host's log can't tell. */
static bool unseen_of(const struct run *run, const struct track *rows, struct span *unseen)
{
	const struct track *const cpu = cpu_beside(run, rows);
	const struct span logged = track_span(rows);

	if (!cpu)
		return false;
	const double usual = usual_busy(cpu, logged);
	if (!(usual >= LEAST_BUSY) || is_busy_anyway(cpu, logged, usual) || !gpu_works_to_the_end(run, rows))
		return false;
	*unseen = (struct span){ logged.end, busy_until(cpu, logged.end, usual) };
	return !span_length(*unseen) || !begins_late(cpu, logged, *unseen);
}

static void tell_unseen(struct run *run)
{
	const char *end = time_clock(run->mem, run->logged.end);
	const double seconds = (double)(run->span.end - run->logged.end) / SECOND_MS;

	run_note(run, "Input", "The logs of the GPUs end at %s, but the host worked on for %s: that time is part of the run, but not "
		"known.",
		end, duration_text(run->mem, seconds));
}

static bool gpu_works_from_the_begin(const struct run *run, const struct track *rows)
{
	const struct track *util = run_track(run, rows->entity, METRIC_GPU_UTIL);
	const time_ms begin = track_span(rows).begin;
	const struct span first = { begin, begin + 3 * rows->step };

	return util && track_means(util, spans_one(&first)).mean > WORK_PERCENT;
}

/* Since when the host had worked before a GPU's first row, which shows it at work; that row's time where nothing tells. */
static time_ms work_before(const struct run *run, const struct track *rows)
{
	const struct track *const cpu = cpu_beside(run, rows);
	const struct span logged = track_span(rows);
	const double usual = cpu && gpu_works_from_the_begin(run, rows) ? usual_busy(cpu, logged) : 0;

	return usual >= LEAST_BUSY ? busy_since(cpu, logged.begin, usual) : logged.begin;
}

/* It may have been the job of these GPUs or another, so that it is no part of the run. */
static void tell_work_before(struct run *run, const struct track *const *all_rows)
{
	time_ms since = run->span.begin;

	for (size_t g = 0; g < run->n_gpus; g++)
		if (all_rows[g])
			since = sooner(since, work_before(run, all_rows[g]));
	if (run->span.begin - since <= WORTH_TELLING)
		return;
	run_note(run, "Input", "The logs of the GPUs begin at %s, in the midst of work, and the host had worked as it did then for %s: if "
		"that was the same job, what its GPUs did before is not known, nor part of this report.",
		time_clock(run->mem, run->span.begin), duration_text(run->mem, (double)(run->span.begin - since) / SECOND_MS));
}

void unseen_find(struct run *run)
{
	const struct track *const *const all_rows = rows_of_gpus(run);
	struct span unseen;
	time_ms end = run->span.end;

	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *rows = all_rows[g];
		if (rows && unseen_of(run, rows, &unseen) && span_length(unseen) > WORTH_TELLING && unseen.end > end)
			end = unseen.end;
	}
	run->logged = run->span;
	tell_work_before(run, all_rows);
	if (end - run->span.end <= WORTH_TELLING)
		return;
	run->span.end = end;
	tell_unseen(run);
}

void stretch_tell(struct run *run, const struct track *rows, enum metric metric, struct span when, bool is_known)
{
	time_ms *times = NEW_ARRAY(run->mem, time_ms, 3);
	fixed *values = NEW_ARRAY(run->mem, fixed, 3);
	const struct track fact = {
		.metric = metric,
		.entity = rows->entity,
		.times = times,
		.values = values,
		.n = span_length(when) > 0 ? 3 : 1,
		.step = span_length(run->span),
		.source = rows->source,
		.derived = true,
	};

	times[0] = sooner(run->span.begin, when.begin - 1);
	times[1] = when.begin;
	times[2] = when.end;
	values[1] = is_known ? span_length(when) * (FIXED_ONE / SECOND_MS) : FIXED_MISSING;
	run_add_track(run, &fact);
}

void unseen_tell(struct run *run, const struct track *const *all_rows)
{
	struct span unseen;

	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *rows = all_rows[g];
		const bool is_given = run_track(run, run->gpus[g], METRIC_LOG_ENDED_EARLY); /* as it is (made.c) */
		if (rows && !is_given && unseen_of(run, rows, &unseen))
			stretch_tell(run, rows, METRIC_LOG_ENDED_EARLY, unseen, true);
	}
}
