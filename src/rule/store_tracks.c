/*
 * store_tracks.c - the tracks that a store looks at: what is in their chunks, where they are known and what they can be, each found once.
 * Their times stay packed: steady clocks are read faster so than from memory.
 *
 * A narrow store looks at copies of the samples in its time.
 */
#include "rule/value_parts.h"

#include "rule/sketch_parts.h"
#include "series/chunk.h"

struct seen { /* kept for tracks that were looked at: what is in their chunks, and where they are known */
	struct seen *next;
	const struct track *of;
	struct track track; /* with its chunks */
	struct spans known;
	bool has_known;
	struct sketch sketch;
	bool has_sketch;
	size_t n_sketched; /* blocks that were asked for */
	struct judged_track *judged; /* by judged time; all NULL where nobody asked */
	struct sums *sums;
};

struct narrowed { /* of a narrow store: the samples that it looks at */
	struct narrowed *next;
	const struct track *of;
	struct track track;
};

/* The samples [*first, *end) that hold in a span, and the one behind it; a counter grows from one that has a value to the next. */
static void samples_in(const struct track *t, struct span within, size_t *first, size_t *end)
{
	const bool is_counter = metric_table[t->metric].kind == KIND_COUNTER;
	const size_t behind = track_seek(t, within.begin), after = track_seek(t, within.end);

	*first = behind > 0 ? behind - 1 : 0;
	*end = after < t->n ? after + 1 : t->n;
	while (is_counter && *first > 0 && track_value(t, *first) == FIXED_MISSING)
		--*first;
	while (is_counter && *end < t->n && track_value(t, *end - 1) == FIXED_MISSING)
		++*end;
}

/* Samples [first, end), as track_with_samples() wants them; returns how many there are. */
static size_t copy_samples(const struct track *t, size_t first, size_t end, time_ms *times, fixed *values)
{
	size_t n = 0;

	for (size_t i = first; t->steps && i < end; i++) {
		const time_ms until = track_until(t, i);

		times[n] = track_time(t, i);
		values[n++] = track_value(t, i);
		if (i + 1 < t->n && until == track_time(t, i + 1))
			continue;
		times[n] = until;
		values[n++] = FIXED_MISSING;
	}
	if (t->steps)
		return n;
	track_times(t, first, end - first, times);
	track_values(t, first, end - first, values);
	return end - first;
}

struct track track_narrowed(struct arena *mem, const struct track *t, const struct spans *only)
{
	size_t n = 0, done = 0, first, end;

	for (size_t i = 0; i < only->n; i++, done = end) {
		samples_in(t, only->at[i], &first, &end);
		n += end - (first < done ? done : first);
	}
	n *= t->steps ? 2 : 1;
	time_ms *const times = NEW_RAW_ARRAY(mem, time_ms, n);
	fixed *const values = NEW_RAW_ARRAY(mem, fixed, n);
	n = done = 0;
	for (size_t i = 0; i < only->n; i++, done = end) {
		samples_in(t, only->at[i], &first, &end);
		first = first < done ? done : first;
		n += copy_samples(t, first, end, times + n, values + n);
	}
	return track_with_samples(t, times, values, n);
}

static const struct track *narrowed_in(struct store *s, const struct track *t)
{
	for (const struct narrowed *have = s->narrowed; have; have = have->next)
		if (have->of == t)
			return &have->track;
	struct narrowed *const made = NEW(&s->mem, struct narrowed);
	*made = (struct narrowed){ s->narrowed, t, track_narrowed(&s->mem, t, s->only) };
	s->narrowed = made;
	return &made->track;
}

const struct track *track_of(struct store *s, enum metric metric)
{
	const struct track *const t = vantage_track(&s->vantage, metric);

	return t && s->only ? narrowed_in(s, t) : t;
}

static struct seen *seen_in(struct store *s, const struct track *t)
{
	for (struct seen *seen = s->seen; seen; seen = seen->next)
		if (seen->of == t)
			return seen;
	struct seen *seen = NEW(&s->mem, struct seen);
	*seen = (struct seen){ .next = s->seen, .of = t, .track = *t };
	seen->track.chunks = chunks_of(&s->mem, t);
	s->seen = seen;
	return seen;
}

/* What is not of this GPU or core is kept for the others, too. */
static struct store *store_of_track(struct store *s, const struct track *t)
{
	return t->entity == s->vantage.entity ? s : store_at(s, SCOPE_HOST);
}

/* The same, for nobody else until it is left. */
static struct store *store_entered(struct store *s, const struct track *t)
{
	struct store *const kept = store_of_track(s, t);

	if (kept != s)
		shared_take(s);
	return kept;
}

static void store_left(struct store *s, const struct store *kept)
{
	if (kept != s)
		shared_give(s);
}

const struct track *track_seen(struct store *s, const struct track *t)
{
	if (s->only)
		return t;
	struct store *const kept = store_entered(s, t);
	const struct track *const seen = &seen_in(kept, t)->track;
	store_left(s, kept);
	return seen;
}

static struct spans known_in(struct store *s, const struct track *t)
{
	struct seen *const seen = seen_in(s, t);

	if (!seen->has_known)
		seen->known = track_known(&s->mem, &seen->track);
	seen->has_known = true;
	return seen->known;
}

struct spans known_time_of(struct store *s, const struct track *t)
{
	struct store *const kept = store_entered(s, t);
	const struct spans known = known_in(kept, t);

	store_left(s, kept);
	return known;
}

/* From this share of the blocks on all are looked at, for others who will ask. */
#define MOST_BLOCKS 0.25

static bool is_much(const struct blocks *b, size_t n)
{
	return (double)n > MOST_BLOCKS * (double)b->n;
}

static const struct some_blocks *all_blocks(struct arena *mem, const struct blocks *b)
{
	struct stretch *const one = NEW(mem, struct stretch);
	struct some_blocks *const all = NEW(mem, struct some_blocks);

	*one = (struct stretch){ 0, b->n };
	*all = (struct some_blocks){ one, 1 };
	return all;
}

static void sketch_all(struct store *s, struct seen *seen)
{
	const struct blocks *const b = &s->plan->blocks;

	if (!seen->has_sketch)
		seen->sketch = sketch_track(&s->mem, b, &seen->track, all_blocks(&s->mem, b));
	seen->has_sketch = true;
}

const struct sketch *track_sketched(struct store *s, const struct track *t)
{
	struct store *const kept = store_entered(s, t);
	struct seen *const seen = seen_in(kept, t);

	sketch_all(kept, seen);
	store_left(s, kept);
	return &seen->sketch;
}

/* Who asks again and again for a few gets all of them in the end. */
static struct sketch sketched_there(struct store *s, struct arena *mem, const struct track *t, const struct some_blocks *only)
{
	struct seen *const seen = seen_in(s, t);
	const struct blocks *const b = &s->plan->blocks;

	seen->n_sketched += count_blocks(only);
	if (seen->has_sketch || is_much(b, seen->n_sketched)) {
		sketch_all(s, seen);
		return seen->sketch;
	}
	struct sketch there = sketch_track(mem, b, &seen->track, only);
	there.told = only;
	return there;
}

struct sketch track_sketched_in(struct store *s, struct arena *mem, const struct track *t, const struct some_blocks *only)
{
	struct store *const kept = store_entered(s, t);
	const struct sketch sketch = sketched_there(kept, mem, t, only);

	store_left(s, kept);
	return sketch;
}

static const struct judged_track *judged_in(
	struct store *s, struct arena *mem, const struct track *t, size_t time, const struct some_blocks *only)
{
	struct seen *const seen = seen_in(s, t);
	const struct blocks *const b = &s->plan->blocks;
	const struct spans *const judged = &s->plan->times[time].spans;

	if (!seen->judged)
		seen->judged = NEW_ARRAY(&s->mem, struct judged_track, s->plan->n_times);
	if (!seen->judged[time].all && !is_much(b, count_blocks(only))) {
		struct judged_track *const there = NEW(mem, struct judged_track);
		*there = track_in_judged(mem, b, &seen->track, judged, only);
		return there;
	}
	if (!seen->judged[time].all)
		seen->judged[time] = track_in_judged(&s->mem, b, &seen->track, judged, all_blocks(&s->mem, b));
	return &seen->judged[time];
}

const struct judged_track *track_judged(
	struct store *s, struct arena *mem, const struct track *t, size_t time, const struct some_blocks *only)
{
	struct store *const kept = store_entered(s, t);
	const struct judged_track *const judged = judged_in(kept, mem, t, time, only);

	store_left(s, kept);
	return judged;
}

static const struct sums *sums_in(
	struct store *s, struct arena *mem, const struct track *t, size_t time, const struct some_blocks *only)
{
	struct seen *const seen = seen_in(s, t);
	const struct blocks *const b = &s->plan->blocks;
	const struct spans *const judged = &s->plan->times[time].spans;

	if (!seen->sums)
		seen->sums = NEW_ARRAY(&s->mem, struct sums, s->plan->n_times);
	if (!seen->sums[time].begin && !is_much(b, count_blocks(only))) {
		struct sums *const there = NEW(mem, struct sums);
		*there = sums_in_judged(mem, b, &seen->track, judged, only);
		return there;
	}
	if (!seen->sums[time].begin)
		seen->sums[time] = sums_in_judged(&s->mem, b, &seen->track, judged, all_blocks(&s->mem, b));
	return &seen->sums[time];
}

const struct sums *track_sums(struct store *s, struct arena *mem, const struct track *t, size_t time, const struct some_blocks *only)
{
	struct store *const kept = store_entered(s, t);
	const struct sums *const sums = sums_in(kept, mem, t, time, only);

	store_left(s, kept);
	return sums;
}

/* The track of the only member of a set, as most runs have one host; NULL: it has more, or none. */
static const struct track *track_of_only(struct store *s, const struct term *t)
{
	const struct track *only = NULL;
	size_t at = 0;

	if (t->kind != NODE_ACROSS || t->left->kind != NODE_METRIC || !fold_keeps_one(t->fold))
		return NULL;
	const struct vantage *const seen_from = &store_at(s, reach_level(t->reach))->vantage;
	for (const struct entity *who; (who = vantage_next_member(seen_from, t->reach, &at));) {
		if (!logs_have(s->plan->run, reach_scope(t->reach), who, t->left))
			continue;
		if (only)
			return NULL;
		const struct vantage v = vantage_of(s->plan->run, reach_scope(t->reach), who);
		only = vantage_track(&v, t->left->metric);
	}
	return only && s->only ? narrowed_in(s, only) : only;
}

const struct track *direct_track(struct store *s, const struct term *t)
{
	const struct track *const track = t->kind == NODE_METRIC ? track_of(s, t->metric) : track_of_only(s, t);

	return track ? track_seen(s, track) : NULL;
}
