/*
 * held.h - what a track holds inside spans, a pack of samples at a time. For this folder and those above that part the samples themselves.
 *
 * Each sample weighs the ms for which it holds inside the spans; one that several of them cut comes once for each. Where chunks
 * say enough their samples need not be looked at; of the others values and weights are unpacked together.
 */
#ifndef POSTRUN_HELD_H
#define POSTRUN_HELD_H

#include "series/chunk.h"

/* Which samples may hold in each span, for those who go through several tracks on one clock: found with the first of these. */
struct samples {
	size_t begin, end;
};
struct places {
	struct samples *at; /* room for one of each span */
	size_t n; /* that were found */
};

struct held {
	const struct track *track;
	struct spans within;
	struct places *places; /* of these spans on this clock; NULL: nobody keeps them */
	size_t n_spans;             /* that were begun; the last of them is walked */
	size_t begin, next, end;    /* of its samples: those that may hold in it, the first that was not shown */
	/* found: */
	size_t first, n;            /* samples of one pack */
	const struct chunk *chunk;  /* what is in them, if it is known and all of it is inside; or NULL */
};

struct held held_start(const struct track *t, struct spans within);
bool held_next(struct held *h);
/* The first n of those that were found, or the others. */
static inline struct held held_first(const struct held *h, const size_t n)
{
	struct held first = *h;

	first.n = n;
	first.next = h->first + n;
	first.chunk = n < h->n ? NULL : h->chunk;
	return first;
}
static inline struct held held_rest(const struct held *h, const size_t n)
{
	struct held rest = *h;

	rest.n = h->n - n;
	rest.first = h->first + n;
	rest.chunk = n > 0 ? NULL : h->chunk;
	return rest;
}
/* Room for PACK each. Nothing is said of the weight of a sample without a value. */
void held_weights(const struct held *h, time_ms *weights);
/* Of samples of a chunk that is full: how much of the first one is before the span, and of the last one behind it. */
struct outside {
	time_ms before, behind;
};
struct outside held_outside(const struct held *h);
/* For how long the samples hold that have a value. */
time_ms held_known(const struct held *h);
void held_values(const struct held *h, fixed *values);

/* Sums are whole numbers, exact in any order. */
struct sums {
	int128 weighted;
	time_ms known;
	fixed low, high; /* of the values that count; low > high: none */
};
/* What of them is asked for, beside `known`: of the others nothing is said. Where one is enough chunks tell more. */
enum asked {
	ASKED_SUM = 1,
	ASKED_ENDS = 2,
	ASKED_ALL = ASKED_SUM | ASKED_ENDS,
};
struct sums held_sums(const struct track *t, struct spans within, enum asked asked);
struct sums held_sums_at(const struct track *t, struct spans within, struct places *places, enum asked asked);
/* Those that were found, too: a loop of it makes held_sums(). Begins with SUMS_OF_NOTHING. */
void held_add(struct sums *sums, const struct held *h, enum asked asked);
#define SUMS_OF_NOTHING ((struct sums){ .low = INT64_MAX, .high = INT64_MIN })
static inline void sums_add(struct sums *sums, const fixed value, const time_ms weight)
{
	sums->weighted += (int128)value * weight;
	sums->known += weight;
	sums->low = value < sums->low ? value : sums->low;
	sums->high = value > sums->high ? value : sums->high;
}
/* The smallest value for which the weights up to it are at least the share of all. `sums`, in which something is known, are of the same. */
fixed held_quantile(struct arena *scratch, const struct track *t, struct spans within, const struct sums *sums, int percent);

#endif
