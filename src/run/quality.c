/*
 * quality.c - what there is to say of the logs themselves, as metrics of GPUs and hosts for rules.
 *
 *     log.step          how far apart its rows are: several numbers where that changes
 *     log.impossible    share of its cells that hold what no sensor can say: 2^64-1 MiB, 255 C, 107374182 %; only where there are any
 *     log.skew          how far clocks of the host's logs are apart, where that could be told (clock_skew.c)
 *     host.cores        how many cores it has: those that were logged one by one
 *
 * Each other is one number for the whole run: a track of one sample that holds from begin to end. That logs are of two runs, or
 * that none of the host lies beside those of GPUs, is a note. What the GPUs' logs did not see of the work is told with them
 * (unseen.c, silent.c).
 */
#include "base/calendar.h"
#include "base/quantity.h"
#include "run/run_parts.h"

#include <math.h>
#include <stdlib.h>

static void add_fact_of(struct run *run, const struct entity *entity, size_t source, enum metric metric, fixed value)
{
	run_add_constant(run, &(struct track){ .entity = entity, .source = source }, metric, value, NULL);
}

/* From each row on behind which rows are further apart than before, or closer; the first holds before there were any, too. */
static void add_step(struct run *run, const struct track *rows)
{
	size_t n = 1;

	for (size_t i = 1; i < rows->n; i++)
		n += track_step(rows, i) != track_step(rows, i - 1);
	struct fact_steps steps = fact_steps_new(run->mem, n);
	for (size_t i = 0; i < rows->n; i++)
		if (!i || track_step(rows, i) != track_step(rows, i - 1))
			fact_steps_set(&steps, i ? track_time(rows, i) : run->span.begin, track_step(rows, i) * (FIXED_ONE / SECOND_MS));
	fact_steps_tell(run, rows->entity, METRIC_LOG_STEP, &steps, rows->source);
}

/* The index of a recording. */
static size_t source_of(const struct run *run, const struct recording *rec)
{
	size_t i = 0;

	while (i < run->n_recordings && run->recordings[i] != rec)
		i++;
	return i;
}

#define TOGETHER (10 * SECOND_MS) /* loggers of one run start and stop that close together */

/* A log of processes is silent while there are none, a job's own log before and after it; neither tells when its logger began. */
static bool tells_its_begin(const struct run *run, size_t source)
{
	const struct recording *rec = run->recordings[source];
	const struct column *ignored;
	const bool of_processes = channel_with(rec, METRIC_GPU_PROC_COUNT, &ignored) && !channel_with(rec, METRIC_GPU_UTIL, &ignored);

	return rec->n_channels && rec->channels[0].entity.scope != SCOPE_RUN && !is_side(run, source) && !of_processes;
}

bool logs_begin_and_end_together(const struct run *run)
{
	struct span least = { INT64_MAX, INT64_MAX }, most = { INT64_MIN, INT64_MIN };
	bool any = false;

	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *rec = run->recordings[i];
		if (!tells_its_begin(run, i))
			continue;
		struct span s = recording_span(rec);
		any = true;
		least.begin = s.begin < least.begin ? s.begin : least.begin;
		least.end = s.end < least.end ? s.end : least.end;
		most.begin = s.begin > most.begin ? s.begin : most.begin;
		most.end = s.end > most.end ? s.end : most.end;
	}
	return any && most.begin - least.begin <= TOGETHER && most.end - least.end <= TOGETHER;
}

/* The largest of the host's skews that were not taken out. */
static void note_skew(struct run *run, const struct entity *host, bool are_together)
{
	const struct skew *worst = NULL;

	for (size_t i = 0; i < run->n_skews; i++) {
		const struct skew *s = &run->skews[i];
		bool is_own = s->recording->n_channels && strcmp(s->recording->channels[0].entity.host, host->host) == 0;
		if (is_own && !s->applied && (!worst || llabs(s->lag) > llabs(worst->lag)))
			worst = s;
	}
	if (!worst && are_together)
		add_fact_of(run, host, 0, METRIC_LOG_SKEW, 0);
	if (worst)
		add_fact_of(run, host, source_of(run, worst->recording), METRIC_LOG_SKEW, llabs(worst->lag) * (FIXED_ONE / SECOND_MS));
}

static void count_cores(struct run *run, const struct entity *host)
{
	const struct track *last = NULL;
	int64_t n = 0;

	for (size_t i = 0; i < run->n_cores; i++) {
		const struct track *const core = run_track(run, run->cores[i], METRIC_CORE_BUSY);
		if (!core || run_host(run, run->cores[i]) != host)
			continue;
		last = core;
		n++;
	}
	if (last)
		add_fact_of(run, host, last->source, METRIC_HOST_CORES, n * FIXED_ONE);
}

/* Share of the cells of these rows, in percent. */
static fixed impossible_share(const struct run *run, const struct track *rows)
{
	const struct recording *rec = run->recordings[rows->source];
	size_t n = 0, all = 0;

	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		for (size_t k = 0; k < c->n_columns && c->times.at == rows->clock.at; k++) {
			n += c->columns[k].n_impossible;
			all += c->n_rows + c->n_merged;
		}
	}
	return all ? (fixed)llround(100.0 * FIXED_ONE * (double)n / (double)all) : 0;
}

#define OTHER_RUN DAY_MS /* own threshold: a logger that is away for less may come back to the same job, at night or over a restart */

struct told_span { /* of a log that tells when it begins */
	const char *name;
	struct span span;
};

/* The first log that begins when all that began before had ended by `end`; NULL if there is none, or something went on. */
static const struct told_span *next_after(const struct told_span *logs, size_t n, time_ms end)
{
	const struct told_span *next = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct span s = logs[i].span;
		if (s.begin < end && s.end > end)
			return NULL;
		if (s.begin >= end && (!next || s.begin < next->span.begin))
			next = &logs[i];
	}
	return next;
}

/* Logs of two days in one folder: every share of their whole would be of the time between them. */
static void note_days_apart(struct run *run)
{
	struct told_span *const logs = NEW_ARRAY(run->mem, struct told_span, run->n_recordings);
	size_t n = 0;

	for (size_t i = 0; i < run->n_recordings; i++)
		if (tells_its_begin(run, i))
			logs[n++] = (struct told_span){ run->recordings[i]->name, recording_span(run->recordings[i]) };
	for (size_t i = 0; i < n; i++) {
		const time_ms end = logs[i].span.end;
		const struct told_span *const next = next_after(logs, n, end);
		if (next && next->span.begin - end >= OTHER_RUN)
			run_note(run, "Input", "%s and %s are %s apart: these look like two runs; report each by itself.", logs[i].name,
				next->name, duration_text(run->mem, (double)(next->span.begin - end) / SECOND_MS));
	}
}

static bool is_of_gpus(const struct recording *rec)
{
	return rec->channels[0].entity.scope == SCOPE_GPU;
}

/* Have they no time in common, and might they have some if a zone was another? */
static bool are_hours_apart(struct span a, struct span b)
{
	const bool are_days_apart = a.begin >= b.end + OTHER_RUN || b.begin >= a.end + OTHER_RUN;

	return !are_days_apart && (a.begin >= b.end || b.begin >= a.end);
}

/* Of all logs of the other side, host or GPUs, that come before it. */
static bool is_hours_apart_from_all(const struct run *run, size_t i)
{
	const struct recording *const rec = run->recordings[i];

	for (size_t k = 0; k < i; k++) {
		const struct recording *const other = run->recordings[k];
		if (tells_its_begin(run, k) && is_of_gpus(other) != is_of_gpus(rec) &&
			!are_hours_apart(recording_span(rec), recording_span(other)))
			return false;
	}
	return true;
}

/*
 * Zones that are told, one of them wrongly, or logs of another try: nothing of the host stands beside anything of the GPUs. Where a zone
 * had to be found that is told with it (clock_zone.c), and of logs days apart already.
 */
static void note_none_beside(struct run *run)
{
	const struct recording *gpus = NULL, *host = NULL;

	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *const rec = run->recordings[i];
		if (!tells_its_begin(run, i))
			continue;
		if (rec->clock.decided_by > DECIDED_LOG || !is_hours_apart_from_all(run, i))
			return;
		gpus = is_of_gpus(rec) ? rec : gpus;
		host = is_of_gpus(rec) ? host : rec;
	}
	if (gpus && host)
		run_note(run, "Input",
			"%s has no time in common with %s: nothing is compared with it. If a zone is wrong, --tz %s=ZONE moves that log.",
			host->name, gpus->name, host->name);
}

void quality_note(struct run *run)
{
	const struct track *const *const all_rows = rows_of_gpus(run);
	const bool are_together = logs_begin_and_end_together(run);

	note_days_apart(run);
	note_none_beside(run);
	for (size_t h = 0; h < run->n_hosts; h++) {
		note_skew(run, run->hosts[h], are_together);
		count_cores(run, run->hosts[h]);
	}
	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *rows = all_rows[g];
		if (!rows)
			continue;
		if (rows->steps)
			add_step(run, rows);
		else if (rows->step)
			run_add_constant(run, rows, METRIC_LOG_STEP, rows->step * (FIXED_ONE / SECOND_MS), NULL);
		fixed impossible = impossible_share(run, rows);
		if (impossible)
			run_add_constant(run, rows, METRIC_LOG_IMPOSSIBLE, impossible, NULL);
	}
	unseen_tell(run, all_rows);
	silent_tell(run, all_rows);
}
