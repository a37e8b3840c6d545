/* run.c - a run in the making, and what is in it: recordings, entities, tracks. */
#include "run/run_parts.h"

#include "base/workers.h"

#include <stdlib.h>

static const char *name_of(struct arena *mem, const char *path)
{
	return strcmp(path, "-") == 0 ? STANDARD_INPUT : path_own_name(mem, path);
}

/* The folder that all of them are in, where their paths name it; else NULL. */
static const char *common_folder(struct arena *mem, const char *const *paths, size_t n_paths)
{
	const size_t n = (size_t)(path_name(paths[0]) - paths[0]);

	for (size_t i = 1; i < n_paths; i++)
		if ((size_t)(path_name(paths[i]) - paths[i]) != n || memcmp(paths[i], paths[0], n) != 0)
			return NULL;
	return strspn(paths[0], "./") < n ? name_of(mem, arena_text(mem, paths[0], n)) : NULL;
}

const char *run_name(struct arena *mem, const char *const *paths, size_t n_paths)
{
	if (n_paths < 2)
		return n_paths ? name_of(mem, paths[0]) : "run";
	const char *const first = name_of(mem, paths[0]), *const second = name_of(mem, paths[1]);
	if (n_paths == 2)
		return strcmp(first, second) == 0 ? first : arena_print(mem, "%s and %s", first, second);
	const char *const folder = common_folder(mem, paths, n_paths);
	return folder ? folder : arena_print(mem, "%s and %zu more", first, n_paths - 1);
}

struct run *run_new(struct arena *mem, const char *name, struct diags *diags)
{
	struct run *run = NEW(mem, struct run);

	run->mem = mem;
	run->diags = diags;
	run->name = name;
	return run;
}

void run_note(struct run *run, const char *topic, const char *format, ...)
{
	va_list arguments;

	run->notes = arena_array_next(run->mem, run->notes, run->n_notes, sizeof *run->notes);
	va_start(arguments, format);
	run->notes[run->n_notes++] = (struct note){ .topic = topic, .text = arena_vprint(run->mem, format, arguments) };
	va_end(arguments);
}

void run_note_is_of(struct run *run, const char *first, size_t n, const char *of_many)
{
	struct note *const last = &run->notes[run->n_notes - 1];

	last->of = first;
	last->n_of = n;
	last->of_many = of_many;
}

static bool is_of(const struct track *t, const struct entity *entity, enum metric metric)
{
	return t->entity == entity && t->metric == metric;
}

/* Where the track is in the table, or the free place where it would be. Few tracks share a place: at most half are taken. */
static size_t *place_of(const struct run *run, const struct entity *entity, enum metric metric)
{
	/* 2^64 / golden ratio spreads neighbours (Knuth, TAOCP 6.4); its low bits are the poor ones */
	uint64_t hash = ((uint64_t)(uintptr_t)entity * N_METRICS + (uint64_t)metric) * 0x9E3779B97F4A7C15U;
	size_t i = (size_t)(hash >> 32) & (run->table_room - 1);

	while (run->track_table[i] && !is_of(run->tracks[run->track_table[i] - 1], entity, metric))
		i = (i + 1) & (run->table_room - 1);
	return &run->track_table[i];
}

size_t track_number(const struct run *run, const struct entity *entity, enum metric metric)
{
	return run->table_room ? *place_of(run, entity, metric) : 0;
}

const struct track *run_track(const struct run *run, const struct entity *entity, enum metric metric)
{
	const size_t number = track_number(run, entity, metric);

	return number ? run->tracks[number - 1] : NULL;
}

static void grow_table(struct run *run)
{
	run->table_room = run->table_room ? run->table_room * 2 : 64;
	run->track_table = NEW_ARRAY(run->mem, size_t, run->table_room);
	for (size_t i = 0; i < run->n_tracks; i++)
		*place_of(run, run->tracks[i]->entity, run->tracks[i]->metric) = i + 1;
}

#define WORTH_THREADS ((size_t)200000) /* samples: a walk over so many takes a millisecond, and a thread a tenth of that to start */

static bool is_worth_threads(const struct run *run)
{
	size_t n_samples = 0;

	for (size_t i = 0; i < run->n_tracks; i++)
		n_samples += run->tracks[i]->n;
	return n_samples >= WORTH_THREADS;
}

void run_crew_begins(struct run *run)
{
	const size_t n_most = is_worth_threads(run) ? WORKERS_MAX : run->n_gpus;

	if (n_most > 1)
		run->crew = crew_new(n_most);
	run->counts = counts_new();
}

void run_crew_ends(struct run *run)
{
	crew_release(run->crew);
	run->crew = NULL;
	counts_release(run->counts);
	run->counts = NULL;
}

struct counts *run_counts(const struct run *run, const struct track *t)
{
	const struct track *const own = run_track(run, t->entity, t->metric);

	return own && tracks_share_column(own, t) ? run->counts : NULL;
}

size_t run_workers(const struct run *run, size_t n_jobs)
{
	const size_t n = run->crew ? crew_size(run->crew) : workers_count(n_jobs);

	return n_jobs < n ? (n_jobs ? n_jobs : 1) : n;
}

void run_jobs_shared(const struct run *run, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context)
{
	if (!run->crew || !crew_run_if_free(run->crew, n_jobs, do_job, context))
		workers_run(run_workers(run, n_jobs), n_jobs, do_job, context);
}

void run_jobs(const struct run *run, size_t n_jobs, void (*do_job)(void *context, size_t worker, size_t job), void *context)
{
	if (is_worth_threads(run))
		run_jobs_shared(run, n_jobs, do_job, context);
	else
		crew_run(NULL, n_jobs, do_job, context);
}

const struct entity *run_host(const struct run *run, const struct entity *entity)
{
	if (entity)
		return entity->of_host;
	return run->n_hosts ? run->hosts[0] : NULL;
}

static int by_host(const void *name, const void *host)
{
	return strcmp(name, (*(const struct entity *const *)host)->host);
}

const struct entity *run_host_called(const struct run *run, const char *name)
{
	const struct entity *const *const found =
		run->n_hosts ? bsearch(name, run->hosts, run->n_hosts, sizeof *run->hosts, by_host) : NULL;

	return found ? *found : NULL;
}

struct spans run_phases(struct arena *mem, const struct run *run, unsigned mask)
{
	struct span *spans = NEW_ARRAY(mem, struct span, run->n_phases);
	size_t n = 0;

	for (size_t i = 0; i < run->n_phases; i++)
		if (mask & 1U << run->phases[i].phase)
			spans[n++] = run->phases[i].span;
	return spans_of(mem, spans, n);
}

void run_add_track(struct run *run, const struct track *track)
{
	run->tracks = arena_array_next(run->mem, run->tracks, run->n_tracks, sizeof *run->tracks);
	struct track *kept = NEW(run->mem, struct track);
	*kept = *track;
	if (run->n_tracks * 2 >= run->table_room)
		grow_table(run);
	run->tracks[run->n_tracks++] = kept;
	run->n_with[kept->metric]++;
	*place_of(run, kept->entity, kept->metric) = run->n_tracks;
}

void run_add_constant(struct run *run, const struct track *about, enum metric metric, fixed value, const char *assumed)
{
	time_ms *const begin = NEW(run->mem, time_ms);
	fixed *const values = NEW(run->mem, fixed);

	if (run_track(run, about->entity, metric)) /* given as it is (made.c) */
		return;
	*begin = run->span.begin;
	*values = value;
	run_add_track(run, &(struct track){ .metric = metric, .entity = about->entity, .times = begin, .values = values, .n = 1,
				   .step = span_length(run->span), .source = about->source, .derived = true, .assumed = assumed });
}

void run_put_track(struct run *run, const struct track *track)
{
	*run->tracks[track_number(run, track->entity, track->metric) - 1] = *track;
}
