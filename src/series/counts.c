/*
 * counts.c - one tally a column, and how another one follows from it.
 *
 *     kept      [---------------------)[----------------------)
 *     asked   [---------------------------------------)             asked = kept + what only that has - what only this has
 *     differs +++                     +               -------
 */
#include "series/counts.h"

#include "base/workers.h"
#include "series/tally.h"

#define MOST_BYTES ((size_t)8 << 20)
#define PLACES 1024

struct count {
	const struct count *next; /* at the same place */
	struct track track; /* one of the column: a copy, since some are made for one question */
	struct spans within;
	struct tally tally;
};

struct counts {
	struct lock *lock; /* over all below; what is in a list stays as it is */
	struct arena mem;
	size_t n_bytes;
	const struct count *places[PLACES]; /* by column */
};

struct counts *counts_new(void)
{
	struct arena mem;

	arena_init(&mem);
	struct counts *const counts = NEW(&mem, struct counts);
	counts->lock = lock_new();
	counts->mem = mem;
	return counts;
}

void counts_release(struct counts *counts)
{
	if (!counts)
		return;
	struct arena mem = counts->mem; /* it lies in there itself */
	lock_free(counts->lock);
	arena_release(&mem);
}

/* Neighbours lie as far apart as their packs do. 2^64 / golden ratio spreads them (Knuth, TAOCP 6.4). */
static size_t place_of(const struct track *t)
{
	return (size_t)(((uint64_t)(uintptr_t)t->column.at * 0x9E3779B97F4A7C15U) >> 32) % PLACES;
}

static const struct count *find(const struct counts *counts, const struct track *t)
{
	for (const struct count *c = counts->places[place_of(t)]; c; c = c->next)
		if (tracks_share_column(&c->track, t))
			return c;
	return NULL;
}

static const struct count *find_locked(const struct counts *counts, const struct track *t)
{
	lock_take(counts->lock);
	const struct count *const c = find(counts, t);
	lock_give(counts->lock);
	return c;
}

static void enter(struct counts *counts, const struct track *t, const struct spans within, const struct tally *tally)
{
	const size_t n_bytes = tally->n * sizeof *tally->at + within.n * sizeof *within.at;

	if (find(counts, t) || n_bytes > MOST_BYTES - counts->n_bytes)
		return;
	struct ordered *const at = NEW_RAW_ARRAY(&counts->mem, struct ordered, tally->n);
	struct count *const c = NEW(&counts->mem, struct count);
	const size_t place = place_of(t);

	if (tally->n)
		memcpy(at, tally->at, tally->n * sizeof *at);
	*c = (struct count){ counts->places[place], *t, spans_of(&counts->mem, within.at, within.n), { at, tally->n } };
	counts->places[place] = c;
	counts->n_bytes += n_bytes;
}

/* Of most of its time, since nothing else is near to what others ask of. */
static void keep(struct counts *counts, const struct track *t, const struct spans within, const struct tally *tally)
{
	const struct span all = track_span(t);

	if (2 * spans_length(within) < span_length(all))
		return;
	lock_take(counts->lock);
	enter(counts, t, within, tally);
	lock_give(counts->lock);
}

/* What both hold, or what the second one does not; of that the first one has all. */
static struct tally joined(struct arena *scratch, const struct tally *a, const struct tally *b, const int sign)
{
	struct ordered *const at = NEW_RAW_ARRAY(scratch, struct ordered, a->n + b->n);
	size_t n = 0, i = 0;

	for (size_t k = 0; k < b->n; k++) {
		while (i < a->n && a->at[i].key < b->at[k].key)
			at[n++] = a->at[i++];
		const bool is_in_both = i < a->n && a->at[i].key == b->at[k].key;
		const int64_t load = (is_in_both ? a->at[i].load : 0) + sign * b->at[k].load;
		i += is_in_both;
		if (load > 0)
			at[n++] = (struct ordered){ b->at[k].key, load };
	}
	while (i < a->n)
		at[n++] = a->at[i++];
	return (struct tally){ at, n };
}

#define SAMPLES_A_SPAN 32 /* that are counted in the time that it takes to find where one begins and ends */

struct difference {
	struct spans more, less; /* only asked for; only counted */
};

/* False where it is no less work than all of it. */
static bool is_near(const struct difference *d, const struct track *t, const struct spans within)
{
	return (d->more.n + d->less.n) * SAMPLES_A_SPAN <= t->n &&
	       4 * (spans_length(d->more) + spans_length(d->less)) <= spans_length(within);
}

static bool add(struct arena *scratch, const struct track *t, const struct spans within, const size_t most_a_sample, const int sign,
	struct tally *tally)
{
	struct tally part;

	if (within.n && !tally_of_column(scratch, t, within, most_a_sample, &part))
		return false;
	if (within.n)
		*tally = joined(scratch, tally, &part, sign);
	return true;
}

static bool follows(struct arena *scratch, const struct count *c, const struct track *t, const struct spans within,
	const size_t most_a_sample, struct tally *tally)
{
	const struct difference d = { spans_without(scratch, within, c->within), spans_without(scratch, c->within, within) };

	*tally = c->tally;
	return is_near(&d, t, within) && add(scratch, t, d.more, most_a_sample, 1, tally) &&
	       add(scratch, t, d.less, most_a_sample, -1, tally);
}

bool tally_found(struct counts *counts, struct arena *scratch, const struct track *t, const struct spans within, const size_t most_a_sample,
	struct tally *tally)
{
	const struct count *const c = counts && !t->values ? find_locked(counts, t) : NULL;

	if (c && follows(scratch, c, t, within, most_a_sample, tally))
		return true;
	if (!tally_of_column(scratch, t, within, most_a_sample, tally))
		return false;
	if (counts && !c)
		keep(counts, t, within, tally);
	return true;
}
