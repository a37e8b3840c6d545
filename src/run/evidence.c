/*
 * evidence.c - from recordings to entities and tracks.
 *
 * Logs that speak of the same GPU are joined by the strongest name they share (identity.h), those of other hosts only
 * by UUID: index and bus id name a slot, and every host has slot 0. GPUs that one log tells by index alone and another by bus id alone are
 * paired in their order. Where two logs hold the same series the better
 * one is used and the other is left out, so that nothing is counted twice (choice.c); where one goes on where the other ends
 * the two are joined (gathering.c). A number that several GPUs of a host have (each job saw only its own) is no name, and
 * they are numbered anew.
 */
#include "run/run_parts.h"

#include "metric/identity.h"

#include <stdlib.h>

const struct column *channel_column(const struct channel *c, enum metric metric)
{
	for (size_t i = 0; i < c->n_columns; i++)
		if (c->columns[i].metric == metric)
			return &c->columns[i];
	return NULL;
}

struct span recording_span(const struct recording *rec)
{
	struct span all = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		if (channel_time(c, 0) < all.begin)
			all.begin = channel_time(c, 0);
		if (channel_end(c) > all.end)
			all.end = channel_end(c);
	}
	for (size_t i = 0; i < rec->n_events && !rec->n_channels; i++) {
		const time_ms t = rec->events[i].t;
		all.begin = t < all.begin ? t : all.begin;
		all.end = t > all.end ? t : all.end;
	}
	return all;
}

static bool is_same_entity(const struct entity *a, const struct entity *b)
{
	if (a->scope != b->scope)
		return false;
	if (a->scope == SCOPE_GPU && a->uuid && b->uuid)
		return strcmp(a->uuid, b->uuid) == 0;
	if (strcmp(a->host, b->host) != 0)
		return false;
	if (a->scope == SCOPE_GPU)
		return gpu_is_same(a, b);
	return a->scope != SCOPE_CORE || a->index == b->index;
}

struct entity *roster_find(struct run *run, struct roster *roster, const struct entity *e)
{
	for (size_t i = 0; i < roster->n; i++) {
		struct entity *known = roster->at[i];
		if (!is_same_entity(known, e))
			continue;
		gpu_learn(known, e);
		if (!*known->host)
			known->host = e->host;
		return known;
	}
	roster->at = arena_array_next(run->mem, roster->at, roster->n, sizeof *roster->at);
	struct entity *fresh = NEW(run->mem, struct entity);
	*fresh = *e;
	return roster->at[roster->n++] = fresh;
}

#define MOST_NAMES ((size_t)3)
static size_t count_names(const struct entity *e)
{
	return (size_t)(e->uuid != NULL) + (size_t)(e->bus_id != NULL) + (size_t)(e->index >= 0);
}

static int by_bus_id(const void *a, const void *b)
{
	const struct entity *x = *(const struct entity *const *)a, *y = *(const struct entity *const *)b;
	const int by_host = strcmp(x->host, y->host);

	if (by_host != 0)
		return by_host;
	if (x->bus_id && y->bus_id && strcmp(x->bus_id, y->bus_id) != 0)
		return strcmp(x->bus_id, y->bus_id);
	return x->uuid && y->uuid ? strcmp(x->uuid, y->uuid) : 0;
}

/* The number after the highest that a log gave to a GPU of the host. */
static int next_number(const struct roster *roster, const char *host)
{
	int next = 0;

	for (size_t i = 0; i < roster->n; i++) {
		const struct entity *e = roster->at[i];
		if (e->scope == SCOPE_GPU && e->index >= next && strcmp(e->host, host) == 0)
			next = e->index + 1;
	}
	return next;
}

/* GPUs without an index in any log are numbered by bus id, which is how nvidia-smi numbers those of a host. */
static void number_gpus(struct run *run, struct roster *roster)
{
	struct entity **unnumbered = NEW_ARRAY(run->mem, struct entity *, roster->n);
	size_t n = 0;
	int next = 0;

	for (size_t i = 0; i < roster->n; i++)
		if (roster->at[i]->scope == SCOPE_GPU && roster->at[i]->index < 0)
			unnumbered[n++] = roster->at[i];
	if (n)
		qsort(unnumbered, n, sizeof *unnumbered, by_bus_id);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(unnumbered[i]->host, unnumbered[i - 1]->host) != 0)
			next = next_number(roster, unnumbered[i]->host);
		unnumbered[i]->index = next++;
	}
}

static bool shares_number(const struct roster *roster, const struct entity *e)
{
	for (size_t i = 0; i < roster->n; i++) {
		const struct entity *other = roster->at[i];
		if (other != e && other->scope == SCOPE_GPU && other->index == e->index && strcmp(other->host, e->host) == 0)
			return true;
	}
	return false;
}

#define MOST_TOLD ((size_t)8)

/* Is one of the others in the slot of gpus[i], at another time? Then only a uuid tells them apart. */
static bool share_slot(struct entity *const *gpus, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (k != i && gpus[i]->uuid && gpus[k]->bus_id && strcmp(gpus[k]->bus_id, gpus[i]->bus_id) == 0)
			return true;
	return false;
}

static void note_renumbered(struct run *run, struct entity *const *gpus, size_t n)
{
	const char *text = "";

	for (size_t i = 0; i < n && i < MOST_TOLD; i++)
		text = arena_print(run->mem, "%s%sGPU %d is %s", text, i ? ", " : "", gpus[i]->index,
			gpus[i]->bus_id && !share_slot(gpus, n, i) ? gpus[i]->bus_id : gpus[i]->uuid);
	run_note(run, "Input", "%zu GPUs share their numbers in these logs: each log or job that wrote saw only some of the GPUs, a card "
		"was replaced, or the logs are of several hosts (--host FILE=NAME tells). They are numbered by bus id: %s%s.", n, text,
		n > MOST_TOLD ? ", and so on" : "");
}

/*
 * Jobs in containers see only their own GPU and call it 0; so do logs of two hosts that nobody named. A number that several GPUs of a
 * host have names none of them: they get others, as GPUs without any do.
 */
static void number_anew(struct run *run, struct roster *roster)
{
	struct entity **shared = NEW_ARRAY(run->mem, struct entity *, roster->n);
	size_t n = 0;

	for (size_t i = 0; i < roster->n; i++) {
		struct entity *e = roster->at[i];
		if (e->scope == SCOPE_GPU && e->index >= 0 && (e->bus_id || e->uuid) && shares_number(roster, e))
			shared[n++] = e;
	}
	for (size_t i = 0; i < n; i++)
		shared[i]->index = -1;
	number_gpus(run, roster);
	if (!n)
		return;
	qsort(shared, n, sizeof *shared, by_bus_id);
	note_renumbered(run, shared, n);
}

static int by_entity(const void *a, const void *b)
{
	return entity_compare(*(const struct entity *const *)a, *(const struct entity *const *)b);
}

static const struct entity **entities_of(struct run *run, const struct roster *roster, enum scope scope, size_t *n)
{
	const struct entity **list = NEW_ARRAY(run->mem, const struct entity *, roster->n);

	*n = 0;
	for (size_t i = 0; i < roster->n; i++)
		if (roster->at[i]->scope == scope)
			list[(*n)++] = roster->at[i];
	if (*n)
		qsort(list, *n, sizeof *list, by_entity);
	return list;
}

void roster_enter(struct run *run, const struct roster *roster)
{
	run->gpus = entities_of(run, roster, SCOPE_GPU, &run->n_gpus);
	run->cores = entities_of(run, roster, SCOPE_CORE, &run->n_cores);
	run->hosts = entities_of(run, roster, SCOPE_HOST, &run->n_hosts);
	for (size_t i = 0; i < roster->n; i++)
		roster->at[i]->of_host = run_host_called(run, roster->at[i]->host);
}

/* All columns of a recording whose entities are in the run, one after the other. */
static void each_column(struct gathering *g, const struct run *run, size_t source, struct entity *const *entities,
	void (*take)(struct gathering *, const struct logged *))
{
	const struct recording *rec = run->recordings[source];

	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		for (size_t k = 0; entities[i] && k < c->n_columns; k++)
			take(g, &(struct logged){ source, entities[i], c, &c->columns[k] });
	}
}

/* Also a host of which there are only GPU logs is there to be asked; without any row, the run's only one. */
static void enter_hosts(struct run *run, struct roster *roster)
{
	for (size_t r = 0; r < run->n_recordings; r++) {
		const struct recording *rec = run->recordings[r];
		for (size_t i = 0; i < rec->n_channels; i++)
			roster_find(run, roster, &(struct entity){ .scope = SCOPE_HOST, .host = rec->channels[i].entity.host });
	}
	if (!roster->n)
		roster_find(run, roster, &(struct entity){ .scope = SCOPE_HOST, .host = "" });
}

static bool is_logged(const struct run *run, struct entity ***of_recording, const struct entity *e)
{
	for (size_t r = 0; r + run->n_sides < run->n_recordings; r++)
		for (size_t i = 0; i < run->recordings[r]->n_channels; i++)
			if (of_recording[r][i] == e)
				return true;
	return e->scope == SCOPE_HOST;
}

/* Takes one that is no part of the run from the roster; what logs say of it goes nowhere. */
static void leave_out(const struct run *run, struct roster *roster, struct entity ***of_recording, const struct entity *e)
{
	size_t n = 0;

	for (size_t i = 0; i < roster->n; i++)
		if (roster->at[i] != e)
			roster->at[n++] = roster->at[i];
	roster->n = n;
	for (size_t r = 0; r < run->n_recordings; r++)
		for (size_t k = 0; k < run->recordings[r]->n_channels; k++)
			if (of_recording[r][k] == e)
				of_recording[r][k] = NULL;
}

/* A snapshot may list all GPUs of a host, also those that no log of the run is about: they are no part of it. */
static void drop_unlogged(struct run *run, struct roster *roster, struct entity ***of_recording)
{
	for (size_t i = roster->n; run->n_sides && i-- > 0;)
		if (!is_logged(run, of_recording, roster->at[i]))
			leave_out(run, roster, of_recording, roster->at[i]);
}

struct turn { /* of a recording: when its tracks are offered */
	const char *format;
	time_ms begin; /* 0 while only the order in which logs were given counts */
	size_t source;
};

static int by_turn(const void *a, const void *b)
{
	const struct turn *const x = a, *const y = b;
	const int formats = strcmp(x->format, y->format);

	if (formats || x->begin != y->begin)
		return formats ? formats : x->begin < y->begin ? -1 : 1;
	return (x->source > y->source) - (x->source < y->source);
}

/* As they were given, but those of one format in order of time, since a log may go on in several files. */
static const size_t *sources_in_turn(struct run *run)
{
	struct turn *const given = NEW_ARRAY(run->mem, struct turn, run->n_recordings);
	struct turn *const timed = NEW_ARRAY(run->mem, struct turn, run->n_recordings);
	size_t *const sources = NEW_ARRAY(run->mem, size_t, run->n_recordings);

	for (size_t r = 0; r < run->n_recordings; r++) {
		given[r] = (struct turn){ run->recordings[r]->format->name, 0, r };
		timed[r] = (struct turn){ run->recordings[r]->format->name, recording_span(run->recordings[r]).begin, r };
	}
	if (run->n_recordings) {
		qsort(given, run->n_recordings, sizeof *given, by_turn);
		qsort(timed, run->n_recordings, sizeof *timed, by_turn);
	}
	for (size_t i = 0; i < run->n_recordings; i++)
		sources[given[i].source] = timed[i].source;
	return sources;
}

static void gather_tracks(struct run *run, struct entity ***of_recording)
{
	struct arena scratch;

	arena_init(&scratch);
	struct gathering *const g = gathering_new(&scratch, run);
	const size_t *const sources = sources_in_turn(run);
	for (size_t i = 0; i < run->n_recordings; i++)
		each_column(g, run, sources[i], of_recording[sources[i]], gathering_offer);
	gathering_end(g);
	for (size_t r = 0; r < run->n_recordings; r++)
		each_column(g, run, r, of_recording[r], gathering_count_choice);
	arena_release(&scratch);
}

/* ------------------------------------------------ logs that share no name */

/* Of a host: GPUs that some logs tell by their number alone, and those that others tell by bus id or uuid alone. */
struct strangers {
	const char *host;
	struct entity **unnumbered; /* of the roster */
	size_t n_unnumbered, n_numbered;
	const char *numbered_by; /* a log */
	bool all_have_bus;
};

/* Numbers 0 to n - 1, and nothing else that could be one of the others: then how many there are; else 0. */
static size_t count_numbers(struct run *run, struct strangers *s)
{
	enum { MOST = 64 };
	uint64_t seen = 0;
	size_t n = 0;

	for (size_t r = 0; r < run->n_recordings; r++)
		for (size_t i = 0; i < run->recordings[r]->n_channels; i++) {
			const struct entity *const e = &run->recordings[r]->channels[i].entity;
			if (!gpu_has_number_alone(e) || strcmp(e->host, s->host) != 0)
				continue;
			if (e->index >= MOST)
				return 0;
			n += !(seen >> e->index & 1);
			seen |= (uint64_t)1 << e->index;
			s->numbered_by = run->recordings[r]->name;
		}
	return n && n < MOST && seen == ((uint64_t)1 << n) - 1 ? n : 0;
}

static struct strangers strangers_of(struct run *run, const struct roster *roster, const char *host)
{
	struct strangers s = { .host = host, .unnumbered = NEW_ARRAY(run->mem, struct entity *, roster->n), .all_have_bus = true };

	for (size_t i = 0; i < roster->n; i++)
		if (roster->at[i]->scope == SCOPE_GPU && roster->at[i]->index < 0 && strcmp(roster->at[i]->host, host) == 0) {
			s.unnumbered[s.n_unnumbered++] = roster->at[i];
			s.all_have_bus &= roster->at[i]->bus_id != NULL;
		}
	s.n_numbered = s.n_unnumbered && next_number(roster, host) == 0 ? count_numbers(run, &s) : 0;
	return s;
}

static const char *name_of_log_with(const struct run *run, struct entity ***of_recording, const struct entity *e)
{
	for (size_t r = 0; r < run->n_recordings; r++)
		for (size_t i = 0; i < run->recordings[r]->n_channels; i++)
			if (of_recording[r][i] == e)
				return run->recordings[r]->name;
	return "another log";
}

/*
 * One log tells GPUs by number alone, another as many of the host by bus id alone: they are the same, for nvidia-smi numbers them by bus id
 * (nvidia-smi(1), "-i"). With uuids alone nothing tells which is which, unless there is one: what only they tell is left out, for twice as
 * many GPUs there are not.
 */
static void number_strangers(struct run *run, struct roster *roster, struct entity ***of_recording)
{
	for (size_t h = 0; h < roster->n; h++) {
		if (roster->at[h]->scope != SCOPE_HOST)
			continue;
		const struct strangers s = strangers_of(run, roster, roster->at[h]->host);
		if (!s.n_numbered || !s.n_unnumbered)
			continue;
		const char *const named_by = name_of_log_with(run, of_recording, s.unnumbered[0]);
		if (s.n_numbered != s.n_unnumbered) {
			run_note(run, "Input", "%s tells %zu GPU%s by %s, %s %zu by number: whether some are the same no log tells, so "
				"each counts as one of its own (a log with both, as nvidia-smi --query-gpu=index,uuid, tells).", named_by,
				s.n_unnumbered, plural_s(s.n_unnumbered), s.all_have_bus ? "bus id" : "uuid", s.numbered_by,
				s.n_numbered);
			continue;
		}
		const bool are_told_apart = s.all_have_bus || s.n_unnumbered == 1;
		qsort(s.unnumbered, s.n_unnumbered, sizeof *s.unnumbered, by_bus_id);
		for (size_t i = 0; i < s.n_unnumbered && are_told_apart; i++)
			s.unnumbered[i]->index = (int)i;
		if (are_told_apart && s.n_unnumbered > 1)
			run_note(run, "Input", "%s tells GPUs by bus id, %s by number: they are taken for the same %zu, numbered by "
				"bus id, as nvidia-smi does.", named_by, s.numbered_by, s.n_unnumbered);
		if (are_told_apart)
			continue;
		run_note(run, "Input", "%s tells %zu GPUs by uuid, %s as many by number: which is which no log tells, so what %s says of "
			"them is left out (a log with both, as nvidia-smi --query-gpu=index,uuid, would tell).", named_by, s.n_unnumbered,
			s.numbered_by, named_by);
		for (size_t i = 0; i < s.n_unnumbered; i++)
			leave_out(run, roster, of_recording, s.unnumbered[i]);
	}
}

static void enter_entities(struct run *run, struct roster *roster, struct entity ***of_recording, size_t n_names, bool by_number)
{
	for (size_t r = 0; r < run->n_recordings; r++) {
		const struct recording *const rec = run->recordings[r];
		for (size_t i = 0; i < rec->n_channels; i++)
			if (count_names(&rec->channels[i].entity) == n_names && gpu_has_number_alone(&rec->channels[i].entity) == by_number)
				of_recording[r][i] = roster_find(run, roster, &rec->channels[i].entity);
	}
}

void evidence_gather(struct run *run)
{
	struct roster roster = { 0 };
	struct entity ***of_recording = NEW_ARRAY(run->mem, struct entity **, run->n_recordings);

	enter_hosts(run, &roster);
	for (size_t r = 0; r < run->n_recordings; r++)
		of_recording[r] = NEW_ARRAY(run->mem, struct entity *, run->recordings[r]->n_channels);
	/* Most names first: a log that has only indexes and one that has only bus ids are joined by a third that has both. */
	for (size_t n_names = MOST_NAMES + 1; n_names-- > 0;)
		enter_entities(run, &roster, of_recording, n_names, false);
	number_strangers(run, &roster, of_recording);
	enter_entities(run, &roster, of_recording, 1, true);
	drop_unlogged(run, &roster, of_recording);
	number_anew(run, &roster);
	gather_tracks(run, of_recording);
	choices_tell(run);
	roster_enter(run, &roster);
}
