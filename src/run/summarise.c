/*
 * summarise.c - what is in each chunk of each track, made once for everybody.
 *
 *     GPU 0   clock  util power temp ...      a group: tracks of one clock, gone through together
 *     GPU 1   clock  util power temp ...      another one, which another thread may take
 *
 * Tracks that are the same to a reader, as the power level and the share that it is, have the same chunks; so have those of which
 * chunks say the same, as of reasons that never were.
 */
#include "run/run_parts.h"

#include "series/chunk.h"

struct group { /* of run->tracks */
	size_t first, n;
};

struct summaries {
	struct track **tracks;
	struct chunk **into; /* for each track; NULL: nothing to do */
	struct group *groups;
	size_t n_groups;
};

static bool is_wanted(const struct track *t)
{
	return !t->chunks.at && chunks_count(t) > 0;
}

/* The track of the group, before t, that is the same; or t. */
static size_t twin_of(const struct summaries *s, const struct group *g, const size_t t)
{
	for (size_t i = g->first; i < t; i++)
		if (tracks_share_values(s->tracks[i], s->tracks[t]))
			return i;
	return t;
}

static void add_track(struct summaries *s, struct arena *mem, const size_t t)
{
	struct group *g = s->n_groups ? &s->groups[s->n_groups - 1] : NULL;

	if (!g || g->first + g->n != t || !tracks_share_clock(s->tracks[g->first], s->tracks[t])) {
		g = &s->groups[s->n_groups++];
		*g = (struct group){ t, 0 };
	}
	g->n++;
	if (twin_of(s, g, t) != t)
		return;
	s->into[t] = NEW_RAW_ARRAY(mem, struct chunk, chunks_count(s->tracks[t]));
}

static void fill_group(void *context, size_t worker, size_t job)
{
	const struct summaries *const s = context;
	const struct group *const g = &s->groups[job];

	(void)worker;
	chunks_fill(s->tracks + g->first, g->n, s->into + g->first);
}

/* Those of a track of the group before t that say the same, or a copy that stays. */
static const struct chunk *kept_chunks(const struct summaries *s, struct arena *mem, const struct group *g, const size_t t)
{
	const size_t n_bytes = chunks_count(s->tracks[t]) * sizeof(struct chunk), twin = twin_of(s, g, t);

	if (twin != t)
		return s->tracks[twin]->chunks.at;
	for (size_t i = g->first; i < t; i++)
		if (s->into[i] && memcmp(s->into[i], s->into[t], n_bytes) == 0)
			return s->tracks[i]->chunks.at;
	struct chunk *const kept = arena_raw_array(mem, 1, n_bytes);
	memcpy(kept, s->into[t], n_bytes);
	return kept;
}

static void enter_group(const struct summaries *s, struct arena *mem, const struct group *g)
{
	for (size_t t = g->first; t < g->first + g->n; t++)
		s->tracks[t]->chunks = (struct chunks){ kept_chunks(s, mem, g, t), chunks_count(s->tracks[t]) };
}

void tracks_summarise(struct run *run)
{
	struct arena scratch;

	arena_init(&scratch);
	struct summaries s = { run->tracks, NEW_ARRAY(&scratch, struct chunk *, run->n_tracks),
		NEW_ARRAY(&scratch, struct group, run->n_tracks), 0 };
	for (size_t t = 0; t < run->n_tracks; t++)
		if (is_wanted(run->tracks[t]))
			add_track(&s, &scratch, t);
	run_jobs(run, s.n_groups, fill_group, &s);
	for (size_t g = 0; g < s.n_groups; g++)
		enter_group(&s, run->mem, &s.groups[g]);
	arena_release(&scratch);
}
