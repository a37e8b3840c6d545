/*
 * track_parted.c - a track of which some time is not to be looked at.
 *
 *     samples    |----|----|----|----|----|----|----|
 *     parts        [-------)        [------------)
 *     parted       |--|----?        |-|----|-----?        ?: no value
 *
 * Samples that begin before a part and hold in it are cut to that, as pieces of a signal are.
 */
#include "series/chunk.h"
#include "series/cursor.h"
#include "series/pieces.h"

/* Samples while they are cut. */
struct cutting {
	time_ms *times;
	fixed *values;
	size_t n;
};

static void cut_add(struct cutting *c, const time_ms at, const fixed value)
{
	if (c->n && c->times[c->n - 1] == at)
		c->n--;
	c->times[c->n] = at;
	c->values[c->n++] = value;
}

/* Samples [i, end), which there are more of behind or not, as far as they hold in a part. */
static void cut_samples(struct cutting *out, struct cursor *c, size_t i, const size_t end, const struct span part)
{
	for (; i < end; i++) {
		const time_ms begin = cursor_time(c, i), until = cursor_until(c, i);

		if (until <= part.begin)
			continue;
		cut_add(out, later(begin, part.begin), cursor_value(c, i));
		if (until < part.end && (i + 1 == c->track->n || until < cursor_time(c, i + 1)))
			cut_add(out, until, FIXED_MISSING);
	}
}

/* Samples of a chunk that is full: each holds until the next, and all of them begin in the part. */
static void cut_none(struct cutting *out, const struct track *t, const size_t i, const size_t end)
{
	if (out->n && out->times[out->n - 1] == track_time(t, i)) /* where a part ended */
		out->n--;
	track_times(t, i, end - i, out->times + out->n);
	track_values(t, i, end - i, out->values + out->n);
	out->n += end - i;
}

/* What holds in a part, and nothing behind it. All samples before `from` are before the part; returns the first that is behind it. */
static size_t cut_to(struct cutting *out, struct cursor *c, const struct span part, const size_t from)
{
	const struct track *const t = c->track;
	const size_t first = track_seek_from(t, from, part.begin), end = track_seek_from(t, first, part.end);

	for (size_t i = sample_holding(t, first, part.begin), stop; i < end; i = stop) {
		const struct chunk *const chunk = chunk_with(t, i);

		stop = (i / CHUNK + 1) * CHUNK < end ? (i / CHUNK + 1) * CHUNK : end;
		if (chunk && chunk->is_full && cursor_time(c, i) >= part.begin)
			cut_none(out, t, i, stop);
		else
			cut_samples(out, c, i, stop, part);
	}
	cut_add(out, part.end, FIXED_MISSING);
	return end;
}

struct track track_parted(struct arena *mem, const struct track *t, const struct spans parts)
{
	const size_t room = 2 * t->n + 3 * parts.n;
	struct cutting out = { NEW_RAW_ARRAY(mem, time_ms, room), NEW_RAW_ARRAY(mem, fixed, room), 0 };
	struct cursor c;

	cursor_start(&c, t);
	for (size_t i = 0, from = 0; i < parts.n; i++)
		from = cut_to(&out, &c, parts.at[i], from);
	return track_with_samples(t, out.times, out.values, out.n);
}
