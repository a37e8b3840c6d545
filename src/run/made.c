/*
 * made.c - a run that no log was read for: its tracks are given.
 *
 * Tests of rules say what was measured, second by second, and want to know what a rule makes of it. All that a run from
 * logs has is made in the same way from the same parts: entities by the roster (evidence.c), the table of tracks,
 * phases, and later what derive_metrics() adds. One recording without rows stands for the logs, so that whoever asks
 * where a track is from gets an answer.
 */
#include "run/phase_parts.h"

static void enter_recording(struct run *run)
{
	struct recording *const rec = NEW(run->mem, struct recording);

	rec->path = rec->name = run->name;
	run->recordings = NEW_ARRAY(run->mem, struct recording *, 1);
	run->recordings[run->n_recordings++] = rec;
}

static void enter_tracks(struct run *run, struct roster *roster, struct track *const *tracks, size_t n_tracks)
{
	for (size_t i = 0; i < n_tracks; i++) {
		struct track track = *tracks[i];
		track.entity = roster_find(run, roster, tracks[i]->entity);
		track.source = 0;
		run_add_track(run, &track);
	}
}

/* Every GPU and core is of a host that can be asked for; without any, the run has its only one. */
static void enter_hosts(struct run *run, struct roster *roster)
{
	const size_t n = roster->n;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (roster->at[i]->scope == SCOPE_RUN)
			continue;
		roster_find(run, roster, &(struct entity){ .scope = SCOPE_HOST, .host = roster->at[i]->host });
		any = true;
	}
	if (!any)
		roster_find(run, roster, &(struct entity){ .scope = SCOPE_HOST, .host = "" });
}

/* All time that a GPU's track covers; without one, that any covers. */
static struct span span_of_tracks(const struct run *run)
{
	struct span all = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < run->n_tracks; i++) {
		const struct track *const t = run->tracks[i];
		const struct span s = track_span(t);
		if (t->n == 0 || (run->n_gpus && t->entity->scope != SCOPE_GPU))
			continue;
		all.begin = s.begin < all.begin ? s.begin : all.begin;
		all.end = s.end > all.end ? s.end : all.end;
	}
	return all.begin < all.end ? all : (struct span){ 0, 0 };
}

static void enter_phases(struct run *run, const struct phase_span *phases, size_t n_phases)
{
	run->phases = NEW_ARRAY(run->mem, struct phase_span, n_phases);
	for (size_t i = 0; i < n_phases; i++) {
		struct phase_span p = phases[i];
		p.span.begin = p.span.begin > run->span.begin ? p.span.begin : run->span.begin;
		p.span.end = p.span.end < run->span.end ? p.span.end : run->span.end;
		if (span_length(p.span) > 0)
			run->phases[run->n_phases++] = p;
	}
	phases_lay_unseen(run);
	phases_tell(run);
}

struct run *run_from_tracks(struct arena *mem, struct diags *diags, const char *name, struct track **tracks, size_t n_tracks,
	const struct phase_span *phases, size_t n_phases)
{
	struct run *const run = run_new(mem, name, diags);
	struct roster roster = { 0 };

	enter_recording(run);
	enter_tracks(run, &roster, tracks, n_tracks);
	enter_hosts(run, &roster);
	roster_enter(run, &roster);
	run->span = span_of_tracks(run);
	unseen_find(run);
	run->zone_known = run->day_known = true;
	if (n_phases)
		enter_phases(run, phases, n_phases);
	else
		phases_find(run);
	return run;
}
