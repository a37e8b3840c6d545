/*
 * summarise.c - what is in each chunk of each track, made once for everybody.
 *
 *     GPU 0   clock  util power temp ...      a group: tracks of one clock, gone through together
 *     GPU 1   clock  util power temp ...      another one, which another thread may take
 *
 * Tracks that are the same to a reader, as the power level and the share that it is, have the same chunks.
 */
#include "run/run_parts.h"

#include "base/workers.h"
#include "series/chunk.h"

#define WORTH_THREADS ((size_t)2000) /* chunks, at some 100 ns each: what it takes to start a thread is less */

struct group { /* of run->tracks */
	size_t first, n;
};

struct summaries {
	struct track **tracks;
	struct chunk **into; /* for each track; NULL: nothing to do */
	struct group *groups;
	size_t n_groups, n_chunks;
};

static bool is_wanted(const struct track *t)
{
	return !t->chunks.at && chunks_count(t) > 0;
}

static bool is_on_one_clock(const struct track *a, const struct track *b)
{
	return a->times == b->times && a->clock.at == b->clock.at && a->n == b->n && a->step == b->step;
}

static bool is_same_to_read(const struct track *a, const struct track *b)
{
	return a->values == b->values && a->column.at == b->column.at && a->formula.kind == b->formula.kind && a->formula.of == b->formula.of;
}

/* The track of the group, before t, that is the same; or t. */
static size_t twin_of(const struct summaries *s, const struct group *g, const size_t t)
{
	for (size_t i = g->first; i < t; i++)
		if (is_same_to_read(s->tracks[i], s->tracks[t]))
			return i;
	return t;
}

static void add_track(struct summaries *s, struct arena *mem, const size_t t)
{
	struct group *g = s->n_groups ? &s->groups[s->n_groups - 1] : NULL;

	if (!g || g->first + g->n != t || !is_on_one_clock(s->tracks[g->first], s->tracks[t])) {
		g = &s->groups[s->n_groups++];
		*g = (struct group){ t, 0 };
	}
	g->n++;
	if (twin_of(s, g, t) != t)
		return;
	s->into[t] = NEW_RAW_ARRAY(mem, struct chunk, chunks_count(s->tracks[t]));
	s->n_chunks += chunks_count(s->tracks[t]);
}

static void fill_group(void *context, size_t worker, size_t job)
{
	const struct summaries *const s = context;
	const struct group *const g = &s->groups[job];

	(void)worker;
	chunks_fill(s->tracks + g->first, g->n, s->into + g->first);
}

static void enter_group(const struct summaries *s, const struct group *g)
{
	for (size_t t = g->first; t < g->first + g->n; t++)
		s->tracks[t]->chunks = (struct chunks){ s->into[twin_of(s, g, t)], chunks_count(s->tracks[t]) };
}

void tracks_summarise(struct run *run)
{
	struct arena scratch;

	arena_init(&scratch);
	struct summaries s = { run->tracks, NEW_ARRAY(&scratch, struct chunk *, run->n_tracks),
		NEW_ARRAY(&scratch, struct group, run->n_tracks), 0, 0 };
	for (size_t t = 0; t < run->n_tracks; t++)
		if (is_wanted(run->tracks[t]))
			add_track(&s, run->mem, t);
	if (s.n_chunks >= WORTH_THREADS)
		workers_run(s.n_groups, fill_group, &s);
	for (size_t g = 0; g < s.n_groups; g++) {
		if (s.n_chunks < WORTH_THREADS)
			fill_group(&s, 0, g);
		enter_group(&s, &s.groups[g]);
	}
	arena_release(&scratch);
}
