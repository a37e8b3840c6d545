/*
 * rank.c - counts, then looks for a rank in rounds (quantile.h): one round for percentages, and chunks on one side of it are not read.
 */
#include "series/rank.h"

#include "series/chunk.h"
#include "series/quantile.h"

/* The samples that begin inside the spans, those of one pack at a time. */
struct stretch {
	const struct track *track;
	struct spans within;
	size_t n_spans, next, end;
	/* found: */
	size_t first, n;
	const struct chunk *chunk; /* what is in them, where each has a value; or NULL */
};

static bool stretch_next(struct stretch *s)
{
	while (s->next >= s->end) {
		if (s->n_spans == s->within.n)
			return false;
		const struct span span = s->within.at[s->n_spans++];
		s->next = track_seek(s->track, span.begin);
		s->end = track_seek(s->track, span.end);
	}
	const size_t left = PACK - s->next % PACK;
	s->first = s->next;
	s->n = s->end - s->first < left ? s->end - s->first : left;
	s->chunk = chunk_from(s->track, s->first, s->end);
	s->chunk = s->chunk && s->chunk->is_full ? s->chunk : NULL;
	s->next += s->n;
	return true;
}

static void count_values(struct ranks *ranks, const struct stretch *s)
{
	fixed values[PACK];

	track_values(s->track, s->first, s->n, values);
	for (size_t i = 0; i < s->n; i++) {
		if (values[i] == FIXED_MISSING)
			continue;
		ranks->n++;
		ranks->low = values[i] < ranks->low ? values[i] : ranks->low;
		ranks->high = values[i] > ranks->high ? values[i] : ranks->high;
	}
}

struct ranks track_ranks(const struct track *t, const struct spans within)
{
	struct ranks ranks = { .low = INT64_MAX, .high = INT64_MIN };
	struct stretch s = { .track = t, .within = within };

	while (stretch_next(&s)) {
		if (!s.chunk) {
			count_values(&ranks, &s);
			continue;
		}
		ranks.n += CHUNK;
		ranks.low = s.chunk->low < ranks.low ? s.chunk->low : ranks.low;
		ranks.high = s.chunk->high > ranks.high ? s.chunk->high : ranks.high;
	}
	return ranks;
}

/* A missing value is the lowest of all keys, and that is in no round. */
static void show(struct quantile *q, const struct stretch *s)
{
	fixed values[PACK];

	if (s->chunk && quantile_add_many(q, key_from_integer(s->chunk->low), key_from_integer(s->chunk->high), CHUNK))
		return;
	track_values(s->track, s->first, s->n, values);
	for (size_t i = 0; i < s->n; i++)
		quantile_add(q, key_from_integer(values[i]), 1);
}

fixed track_ranked(struct arena *scratch, const struct track *t, const struct spans within, const struct ranks *ranks, const size_t rank)
{
	if (ranks->low == ranks->high)
		return ranks->low;
	struct quantile *const q = NEW_RAW_ARRAY(scratch, struct quantile, 1);
	uint64_t key;

	/* the smallest value up to which there are all of rank + 1 samples */
	quantile_begin(q, key_from_integer(ranks->low), key_from_integer(ranks->high), (int64_t)rank + 1, 100);
	do {
		struct stretch s = { .track = t, .within = within };

		while (stretch_next(&s))
			show(q, &s);
	} while (!quantile_found(q, &key));
	return integer_from_key(key);
}
