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

#include "base/workers.h"
#include "series/chunk.h"

struct group { /* of run->tracks */
	size_t first, n;
};

struct summaries {
	struct track **tracks;
	struct group *groups;
	size_t n_groups;
	struct arena kept[WORKERS_MAX]; /* chunks that stay, by worker */
};

static bool is_wanted(const struct track *t)
{
	return !t->chunks.at && chunks_count(t) > 0;
}

static void add_track(struct summaries *s, const size_t t)
{
	struct group *g = s->n_groups ? &s->groups[s->n_groups - 1] : NULL;

	if (!g || g->first + g->n != t || !tracks_share_clock(s->tracks[g->first], s->tracks[t])) {
		g = &s->groups[s->n_groups++];
		*g = (struct group){ t, 0 };
	}
	g->n++;
}

/* The first of the tracks up to t that is the same. */
static size_t twin_of(struct track *const *tracks, const size_t t)
{
	size_t i = 0;

	while (!tracks_share_values(tracks[i], tracks[t]))
		i++;
	return i;
}

/* Those of a track before t that say the same, or its own, which stay. */
static const struct chunk *kept_chunks(struct track *const *tracks, struct chunk *const *into, struct arena *mem, struct arena *scratch,
	const size_t t)
{
	const size_t n = chunks_count(tracks[t]), twin = twin_of(tracks, t);

	if (twin != t)
		return tracks[twin]->chunks.at;
	for (size_t i = 0; i < t; i++)
		if (into[i] && memcmp(tracks[i]->chunks.at, into[t], n * sizeof(struct chunk)) == 0)
			return tracks[i]->chunks.at;
	return arena_array_moved(mem, scratch, into[t], n, sizeof(struct chunk));
}

static void fill_group(void *context, size_t worker, size_t job)
{
	struct summaries *const s = context;
	const struct group *const g = &s->groups[job];
	struct track *const *const tracks = s->tracks + g->first;
	struct arena scratch;

	arena_init(&scratch);
	struct chunk **const into = NEW_ARRAY(&scratch, struct chunk *, g->n);
	for (size_t t = 0; t < g->n; t++)
		if (twin_of(tracks, t) == t)
			into[t] = NEW_RAW_ARRAY(&scratch, struct chunk, chunks_count(tracks[t]));
	chunks_fill(tracks, g->n, into);
	for (size_t t = 0; t < g->n; t++)
		tracks[t]->chunks =
			(struct chunks){ kept_chunks(tracks, into, &s->kept[worker], &scratch, t), chunks_count(tracks[t]) };
	arena_release(&scratch);
}

void tracks_summarise(struct run *run)
{
	struct arena scratch;

	arena_init(&scratch);
	struct summaries s = { .tracks = run->tracks, .groups = NEW_ARRAY(&scratch, struct group, run->n_tracks) };
	for (size_t t = 0; t < run->n_tracks; t++)
		if (is_wanted(run->tracks[t]))
			add_track(&s, t);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_init(&s.kept[i]);
	run_jobs(run, s.n_groups, fill_group, &s);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_adopt(run->mem, &s.kept[i]);
	arena_release(&scratch);
}
