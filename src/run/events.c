/*
 * events.c - what happened, as far as the logs tell it in words: lost GPUs, Xid errors, restarts.
 *
 * Events of all recordings are put in order of time, those that two logs tell are told once, and each is about an
 * entity of the run. From those about GPUs come two metrics for rules, written as step functions (one sample a change):
 *
 *     gpu.lost   1 from the moment the driver could not reach the GPU until the next row that it answered,
 *                0 while it answers, not known where there is no log
 *     gpu.xid    the number of the error for a second, else 0; only where a log tells such errors
 *
 * A GPU that is in no later row while the same log goes on with the others is lost as well, whether or not anybody said so.
 */
#include "run/run_parts.h"

#include "metric/identity.h"

#include <stdlib.h>

#define GONE_LEAST (10 * SECOND_MS) /* the others must go on at least this long; loggers stop within a poll of each other */
#define SAME_EVENT SECOND_MS        /* two logs that tell of one event write times this close together */

/* Slots of other hosts have the same numbers: there only a UUID tells. */
static bool is_meant(const struct entity *gpu, const struct entity *e)
{
	const bool by_uuid = gpu->uuid && e->uuid;

	return (by_uuid || strcmp(gpu->host, e->host) == 0) && gpu_is_same(gpu, e);
}

/* The run's entity of an event: by the names it has; a lone GPU without bus id is the one that is meant. */
static const struct entity *entity_of_event(const struct run *run, const struct event *e)
{
	for (size_t i = 0; i < run->n_gpus && e->entity.scope == SCOPE_GPU; i++)
		if (is_meant(run->gpus[i], &e->entity))
			return run->gpus[i];
	if (e->entity.scope == SCOPE_GPU)
		return run->n_gpus == 1 && !run->gpus[0]->bus_id && !run->gpus[0]->uuid ? run->gpus[0] : NULL;
	return run_host_called(run, e->entity.host);
}

static int by_time(const void *a, const void *b)
{
	const struct run_event *x = a, *y = b;

	if (x->event.t != y->event.t)
		return x->event.t < y->event.t ? -1 : 1;
	if (x->event.kind != y->event.kind)
		return x->event.kind < y->event.kind ? -1 : 1;
	return strcmp(x->event.text, y->event.text);
}

static bool is_told(const struct run_event *all, size_t n, const struct run_event *e)
{
	while (n > 0 && e->event.t - all[n - 1].event.t <= SAME_EVENT) {
		const struct run_event *other = &all[--n];
		if (other->entity == e->entity && other->event.kind == e->event.kind && other->event.code == e->event.code &&
			(other->source != e->source || strcmp(other->event.text, e->event.text) == 0))
			return true;
	}
	return false;
}

/* Tracks of one GPU stand together, so that the next one's GPU is mostly the same or the one after it. */
const struct track **rows_of_gpus(const struct run *run)
{
	const struct track **const best = NEW_ARRAY(run->mem, const struct track *, run->n_gpus);
	size_t g = 0;

	for (size_t i = 0; i < run->n_tracks; i++) {
		const struct track *const t = run->tracks[i];
		if (t->derived || t->entity->scope != SCOPE_GPU)
			continue;
		for (size_t k = 0; k < run->n_gpus && run->gpus[g] != t->entity; k++)
			g = g + 1 < run->n_gpus ? g + 1 : 0;
		if (run->n_gpus && run->gpus[g] == t->entity && (!best[g] || t->n > best[g]->n))
			best[g] = t;
	}
	return best;
}

/* One number for two GPUs of a log: no poll tells of both, so that rows of the one say nothing of the other. */
static bool shares_number(const struct run *run, const struct entity *gpu, size_t source)
{
	const struct recording *rec = run->recordings[source];
	int number = -1;

	for (size_t i = 0; i < rec->n_channels && number < 0; i++)
		if (rec->channels[i].entity.scope == SCOPE_GPU && gpu_is_same(&rec->channels[i].entity, gpu))
			number = rec->channels[i].entity.index;
	for (size_t i = 0; i < rec->n_channels && number >= 0; i++) {
		const struct entity *other = &rec->channels[i].entity;
		if (other->scope == SCOPE_GPU && other->index == number && !gpu_is_same(other, gpu))
			return true;
	}
	return false;
}

/* Until when a log has rows of its two GPUs that it tells of longest; INT64_MIN: of nobody. */
struct log_end {
	const struct entity *longest;
	time_ms until, others_until;
};

/* Of all logs at once: asked for each of 1,024 GPUs, the others of its log would be sought a million times. */
static struct log_end *log_ends(struct arena *mem, const struct run *run, const struct track *const *all_rows)
{
	struct log_end *ends = NEW_ARRAY(mem, struct log_end, run->n_recordings);

	for (size_t r = 0; r < run->n_recordings; r++)
		ends[r] = (struct log_end){ NULL, INT64_MIN, INT64_MIN };
	for (size_t i = 0; i < run->n_gpus; i++) {
		const struct track *rows = all_rows[i];
		if (!rows)
			continue;
		struct log_end *end = &ends[rows->source];
		time_ms until = track_span(rows).end;
		if (until > end->until)
			*end = (struct log_end){ run->gpus[i], until, end->until };
		else if (until > end->others_until)
			end->others_until = until;
	}
	return ends;
}

/* Events in the making: those of the logs, then those that nobody wrote. */
struct gathering {
	struct run *run;
	struct run_event *at;
	size_t n, room;
};

static void gather(struct gathering *g, const struct run_event *e)
{
	g->at = grow(g->at, &g->room, g->n + 1, sizeof *g->at);
	g->at[g->n++] = *e;
}

static void gather_told(struct gathering *g)
{
	for (size_t r = 0; r < g->run->n_recordings; r++) {
		const struct recording *rec = g->run->recordings[r];
		for (size_t i = 0; i < rec->n_events; i++)
			gather(g, &(struct run_event){ rec->events[i], entity_of_event(g->run, &rec->events[i]), r });
	}
}

/* Where it went on answering, it was not gone for good by then. */
static bool was_told_lost(const struct gathering *g, const struct entity *gpu, time_ms after)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->at[i].entity == gpu && g->at[i].event.kind == EVENT_GPU_LOST && g->at[i].event.t > after)
			return true;
	return false;
}

/* The row with which it last answered: ERR! is a row, but no answer. */
static size_t last_answer(const struct track *rows)
{
	size_t i = rows->n;

	while (i > 1 && track_value(rows, i - 1) == FIXED_MISSING)
		i--;
	return i - 1;
}

/* Does another log still have a value of it, so much later? */
static bool answers_elsewhere(const struct run *run, const struct entity *gpu, time_ms after)
{
	for (size_t i = 0; i < run->n_tracks; i++) {
		const struct track *const t = run->tracks[i];
		if (t->entity == gpu && !t->derived && t->n && track_time(t, last_answer(t)) > after)
			return true;
	}
	return false;
}

/*
 * Until when its rows in the log have a value: later ones, of which no cell could be answered, are of a card that is half dead. Where none
 * ever had one nothing ended; mostly the last row has one, and no other series need be asked.
 */
static time_ms answers_until(const struct run *run, const struct entity *gpu, const struct track *rows)
{
	time_ms until = INT64_MIN;

	if (track_value(rows, rows->n - 1) != FIXED_MISSING)
		return track_span(rows).end;
	for (size_t i = 0; i < run->n_tracks; i++) {
		const struct track *const t = run->tracks[i];
		if (t->entity != gpu || t->derived || t->source != rows->source || !t->n)
			continue;
		const size_t last = last_answer(t);
		if (track_value(t, last) != FIXED_MISSING)
			until = later(until, last + 1 == t->n ? track_span(t).end : track_time(t, last + 1));
	}
	return until == INT64_MIN ? track_span(rows).end : sooner(until, track_span(rows).end);
}

static void gather_gone(struct gathering *g, const struct log_end *ends, const struct entity *gpu, const struct track *rows)
{
	if (!rows || was_told_lost(g, gpu, track_time(rows, last_answer(rows)) - longest_hold(rows, last_answer(rows))))
		return;
	const struct log_end *log = &ends[rows->source];
	const time_ms end = answers_until(g->run, gpu, rows), until = log->longest == gpu ? log->others_until : log->until;
	const time_ms least = longest_hold(rows, rows->n - 1);
	if (until == INT64_MIN || until - end <= least || until - end < GONE_LEAST || shares_number(g->run, gpu, rows->source))
		return;
	if (answers_elsewhere(g->run, gpu, end + least))
		return;
	const char *const how = end < track_span(rows).end ? "no cell of its rows could be answered any more"
							   : "no more rows of it, while the log went on with the other GPUs";
	struct event gone = { EVENT_GPU_LOST, *gpu, end, 0, how };
	gather(g, &(struct run_event){ gone, gpu, rows->source });
}

/* Of this kind, about this GPU, at or after `from`; the index, or run->n_events. */
static size_t event_after(const struct run *run, const struct entity *gpu, enum event_kind kind, size_t from)
{
	while (from < run->n_events && (run->events[from].entity != gpu || run->events[from].event.kind != kind))
		from++;
	return from;
}

static size_t count_events(const struct run *run, const struct entity *gpu, enum event_kind kind)
{
	size_t n = 0;

	for (size_t e = event_after(run, gpu, kind, 0); e < run->n_events; e = event_after(run, gpu, kind, e + 1))
		n++;
	return n;
}

/* A poll that was on its way may still have answered; then nothing did, though the run went on. */
static bool was_the_end(const struct run *run, const struct track *rows, time_ms lost)
{
	const time_ms few = longest_hold(rows, last_answer(rows)), last = track_time(rows, last_answer(rows));

	return last - lost <= few && run->span.end - last > later(few, GONE_LEAST);
}

/* From each loss to the next row of the GPU, or to the end of the run. */
static struct spans lost_spans(struct arena *mem, const struct run *run, const struct track *rows)
{
	struct span *spans = NEW_ARRAY(mem, struct span, count_events(run, rows->entity, EVENT_GPU_LOST));
	size_t n = 0;

	for (size_t e = event_after(run, rows->entity, EVENT_GPU_LOST, 0); e < run->n_events;
		e = event_after(run, rows->entity, EVENT_GPU_LOST, e + 1)) {
		time_ms lost = run->events[e].event.t;
		size_t next = was_the_end(run, rows, lost) ? rows->n : track_seek(rows, lost + 1);
		while (next < rows->n && track_value(rows, next) == FIXED_MISSING) /* ERR! is a row, but no answer */
			next++;
		if (next < rows->n && track_time(rows, next) - lost <= longest_hold(rows, next ? next - 1 : 0))
			continue; /* it answered the next poll: one failed call is no lost GPU */
		spans[n++] = (struct span){ lost, next < rows->n ? track_time(rows, next) : run->span.end };
	}
	return spans_of(mem, spans, n);
}

/* 1 in the spans of the one list, 0 in those of the other, not known in between; the lists have no moment in common. */
static struct fact_steps steps_of_spans(struct arena *mem, struct spans ones, struct spans zeros)
{
	struct fact_steps s = fact_steps_new(mem, 2 * (ones.n + zeros.n));
	size_t one = 0, zero = 0;

	while (one < ones.n || zero < zeros.n) {
		bool is_one = zero == zeros.n || (one < ones.n && ones.at[one].begin < zeros.at[zero].begin);
		struct span span = is_one ? ones.at[one++] : zeros.at[zero++];
		fact_steps_set(&s, span.begin, is_one ? FIXED_ONE : 0);
		fact_steps_set(&s, span.end, FIXED_MISSING);
	}
	return s;
}

static void derive_lost(struct run *run, const struct entity *gpu, const struct track *rows)
{
	struct arena scratch;

	if (!rows)
		return;
	arena_init(&scratch);
	struct spans lost = spans_intersection(&scratch, lost_spans(&scratch, run, rows), spans_one(&run->span));
	struct spans logged = spans_complement(&scratch, track_holes(&scratch, rows), track_span(rows));
	struct spans answered = spans_intersection(&scratch, logged, spans_complement(&scratch, lost, run->span));
	struct fact_steps s = steps_of_spans(run->mem, lost, answered);
	if (s.n)
		fact_steps_tell(run, gpu, METRIC_GPU_LOST, &s, rows->source);
	arena_release(&scratch);
}

/* What the kernel tells of a GPU or a host is there for a second each time; where it tells nothing of the kind nobody knows if it would. */
static void derive_told(struct run *run, const struct entity *of, enum event_kind kind, enum metric metric)
{
	size_t e = event_after(run, of, kind, 0);

	while (e < run->n_events && run->events[e].event.t < run->span.begin) /* a log of the kernel goes back to the start of the host */
		e = event_after(run, of, kind, e + 1);
	if (e == run->n_events || run->events[e].event.t >= run->span.end)
		return;
	struct fact_steps s = fact_steps_new(run->mem, 2 * count_events(run, of, kind) + 1);
	size_t source = run->events[e].source;
	fact_steps_set(&s, run->span.begin, 0);
	for (; e < run->n_events && run->events[e].event.t < run->span.end; e = event_after(run, of, kind, e + 1)) {
		const time_ms t = later(run->events[e].event.t, s.times[s.n - 1]);
		fact_steps_set(&s, t, kind == EVENT_XID ? run->events[e].event.code * (fixed)FIXED_ONE : FIXED_ONE);
		fact_steps_set(&s, t + SECOND_MS, 0);
	}
	fact_steps_tell(run, of, metric, &s, source);
}

void events_gather(struct run *run)
{
	const struct track *const *const rows = rows_of_gpus(run);
	struct gathering g = { run, NULL, 0, 0 };
	size_t n = 0;

	gather_told(&g);
	const struct log_end *ends = log_ends(run->mem, run, rows);
	for (size_t i = 0; i < run->n_gpus; i++)
		gather_gone(&g, ends, run->gpus[i], rows[i]);
	if (g.n)
		qsort(g.at, g.n, sizeof *g.at, by_time);
	run->events = NEW_ARRAY(run->mem, struct run_event, g.n);
	for (size_t i = 0; i < g.n; i++)
		if (!is_told(run->events, n, &g.at[i]))
			run->events[n++] = g.at[i];
	run->n_events = n;
	grow_free(g.at);
	for (size_t i = 0; i < run->n_gpus; i++) {
		derive_lost(run, run->gpus[i], rows[i]);
		derive_told(run, run->gpus[i], EVENT_XID, METRIC_GPU_XID);
	}
	for (size_t i = 0; i < run->n_hosts; i++) {
		derive_told(run, run->hosts[i], EVENT_OOM_KILL, METRIC_HOST_OOM_KILL);
		derive_told(run, run->hosts[i], EVENT_RESTART, METRIC_HOST_RESTART);
	}
}
