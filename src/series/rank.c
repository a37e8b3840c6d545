/*
 * rank.c - counts, then looks for ranks among the values, of which there are few (tally.h), or in rounds (quantile.h): one round for
 * percentages, which is the same for all ranks, and chunks on one side of what is looked for are not read.
 */
#include "series/rank.h"

#include "series/cursor.h"
#include "series/quantile.h"
#include "series/tally.h"

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
		s->next = track_seek_from(s->track, s->end, span.begin);
		s->end = track_seek_from(s->track, s->next, span.end);
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

static void show_all(struct quantile *q, const struct track *t, const struct spans within)
{
	struct stretch s = { .track = t, .within = within };

	while (stretch_next(&s))
		show(q, &s);
}

/* `first`: of a round in which all were shown. */
static fixed ranked(struct quantile *q, const struct quantile *first, const struct track *t, const struct spans within, const size_t rank)
{
	uint64_t key;

	*q = *first;
	q->total = (int64_t)rank + 1;
	while (!quantile_found(q, &key))
		show_all(q, t, within);
	return integer_from_key(key);
}

#define SLOTS_FOR_RANKS 4 /* a sample: a slot takes four instructions, and a sample that is shown in a round some twenty */

static fixed ranked_in(const struct tally *tally, const size_t rank)
{
	size_t i = 0;

	for (size_t up_to = 0; (up_to += (size_t)tally->at[i].load) <= rank;)
		i++;
	return integer_from_key(tally->at[i].key);
}

void track_ranked(struct arena *scratch, const struct track *t, const struct spans within, const struct ranks *ranks, const size_t *wanted,
	const size_t n, fixed *out)
{
	struct tally tally;

	if (ranks->low != ranks->high && tally_of_samples(scratch, t, within, SLOTS_FOR_RANKS, &tally)) {
		for (size_t i = 0; i < n; i++)
			out[i] = ranked_in(&tally, wanted[i]);
		return;
	}
	struct quantile *const q = NEW_RAW_ARRAY(scratch, struct quantile, 2);
	/* the smallest value up to which there are all of rank + 1 samples */
	quantile_begin(&q[0], key_from_integer(ranks->low), key_from_integer(ranks->high), 1, 100);
	if (ranks->low != ranks->high)
		show_all(&q[0], t, within);
	for (size_t i = 0; i < n; i++)
		out[i] = ranks->low == ranks->high ? ranks->low : ranked(&q[1], &q[0], t, within, wanted[i]);
}

static void add_sample(struct sides *s, const fixed value, const time_ms held, const fixed middle)
{
	struct side *const side = value < middle ? &s->below : &s->above;

	side->weighted += (int128)value * held;
	side->held += held;
}

/* Samples that all have a value and go on until the next. The loop has no branch: which side it is is hard to foresee. */
static void add_chunk(struct sides *s, const fixed *values, const time_ms *times, const fixed middle)
{
	struct side all = { 0, 0 }, above = { 0, 0 };

	for (size_t i = 0; i < CHUNK; i++) {
		const time_ms held = times[i + 1] - times[i], held_above = held & -(time_ms)(values[i] >= middle);
		all.weighted += (int128)values[i] * held;
		above.weighted += (int128)values[i] * held_above;
		above.held += held_above;
	}
	all.held = times[CHUNK] - times[0];
	s->above.weighted += above.weighted;
	s->above.held += above.held;
	s->below.weighted += all.weighted - above.weighted;
	s->below.held += all.held - above.held;
}

/* What is above follows from the codes, the rest is below; false where they don't tell. */
static bool add_by_codes(struct sides *sides, const struct stretch *s, const fixed middle)
{
	const size_t k = s->first / CHUNK, from = s->first % CHUNK;
	struct partial all, above;

	if (!chunk_part(s->track, k, from, from + s->n, middle, &above))
		return false;
	if (s->chunk && s->chunk->has_sum)
		all = (struct partial){ s->chunk->weighted, (time_ms)s->chunk->known };
	else if (!chunk_part(s->track, k, from, from + s->n, INT64_MIN, &all))
		return false;
	sides->above.weighted += above.weighted;
	sides->above.held += above.held;
	sides->below.weighted += all.weighted - above.weighted;
	sides->below.held += all.held - above.held;
	return true;
}

/* True where the chunk as a whole is done. */
static bool add_whole(struct sides *s, const struct chunk *c, const fixed middle)
{
	if (!c || !c->has_sum || (c->low < middle && c->high >= middle))
		return false;
	struct side *const side = c->high < middle ? &s->below : &s->above;
	side->weighted += c->weighted;
	side->held += (time_ms)c->known;
	return true;
}

struct sides track_sides(const struct track *t, const struct spans within, const fixed middle)
{
	struct stretch s = { .track = t, .within = within };
	struct sides sides = { { 0, 0 }, { 0, 0 } };
	struct cursor c;

	cursor_start(&c, t);
	while (stretch_next(&s)) {
		if (add_whole(&sides, s.chunk, middle) || add_by_codes(&sides, &s, middle))
			continue;
		if (s.chunk) {
			add_chunk(&sides, cursor_values(&c, s.first), cursor_times(&c, s.first), middle);
			continue;
		}
		for (size_t i = s.first; i < s.first + s.n; i++)
			if (cursor_value(&c, i) != FIXED_MISSING)
				add_sample(&sides, cursor_value(&c, i), cursor_until(&c, i) - cursor_time(&c, i), middle);
	}
	return sides;
}
