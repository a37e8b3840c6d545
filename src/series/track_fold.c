/*
 * track_fold.c - a track as one number over some time, without making a signal of it.
 *
 * Whole-run rules and evidence ask for this. What is known of the time and the fold come from one pass; sums are
 * whole numbers, exact in any order. A percentile needs no sorting of all values, only of those near it:
 *
 *     lowest |----|----|----|-##-|----|---- ... | highest      weights by range, N_RANGES of them
 *                           |--##--|                           the range that holds the percentile, in ranges of its own
 *
 * until all values in a range are one: one round for percentages, two for watts with two decimals.
 */
#include "series/signal.h"

#include "series/chunk.h"
#include "series/cursor.h"
#include "series/pieces.h"

/* The samples that may hold in a span: [first, end). */
struct samples {
	size_t first, end;
};

static struct samples samples_in(const struct track *t, const struct span within)
{
	return (struct samples){ sample_before(t, within.begin), track_seek(t, within.end) };
}

/* ms for which sample i is known inside the span; 0 where it has no value. */
static inline time_ms weight_in(struct cursor *c, const size_t i, const struct span within)
{
	const time_ms begin = later(cursor_time(c, i), within.begin), end = sooner(cursor_until(c, i), within.end);

	return cursor_value(c, i) == FIXED_MISSING || end <= begin ? 0 : end - begin;
}

struct sums {
	int128 weighted;
	time_ms known;
	fixed low, high;
};

/* One sample that counts for so long. */
static inline void add_sample(struct sums *sums, const fixed value, const time_ms weight)
{
	sums->weighted += (int128)value * weight;
	sums->known += weight;
	sums->low = value < sums->low ? value : sums->low;
	sums->high = value > sums->high ? value : sums->high;
}

static void add_chunk(struct sums *sums, const struct chunk *c)
{
	sums->weighted += c->weighted;
	sums->known += c->known;
	sums->low = c->low < sums->low ? c->low : sums->low;
	sums->high = c->high > sums->high ? c->high : sums->high;
}

/* The chunk from sample i on, if all that its samples hold is inside: that of the first and of the last may not be. */
static const struct chunk *chunk_inside(const struct track *t, const struct samples *s, const size_t i)
{
	return i > s->first ? chunk_from(t, i, s->end - 1) : NULL;
}

static void add_span(struct sums *sums, struct cursor *c, const struct span within)
{
	const struct track *const t = c->track;
	const struct samples s = samples_in(t, within);

	for (size_t i = s.first; i < s.end;) {
		const struct chunk *const chunk = chunk_inside(t, &s, i);
		const time_ms weight = chunk ? 0 : weight_in(c, i, within);

		if (chunk)
			add_chunk(sums, chunk);
		else if (weight > 0)
			add_sample(sums, cursor_value(c, i), weight);
		i += chunk ? CHUNK : 1;
	}
}

static struct sums sums_of(const struct track *t, const struct spans within)
{
	struct sums sums = { .low = INT64_MAX, .high = INT64_MIN };
	struct cursor c;

	cursor_start(&c, t);
	for (size_t i = 0; i < within.n; i++)
		add_span(&sums, &c, within.at[i]);
	return sums;
}

enum { RANGE_BITS = 10, N_RANGES = 1 << RANGE_BITS };

/* Values of one range: for how long, and the bits that are set in any and in all of them, which are the same where all are one value. */
struct range {
	time_ms weight;
	uint64_t in_any, in_all;
};

/* Range r holds the values from low + (r << shift) on. */
struct ranges {
	uint64_t low, n_values; /* values from `low` on, as unsigned numbers that wrap around */
	int shift;
	struct range at[N_RANGES];
};

/* Values from `low` to `high`, both offsets, in one range. */
static inline void weigh(struct ranges *r, const uint64_t low, const uint64_t high, const time_ms weight)
{
	struct range *const range = &r->at[low >> r->shift];

	range->weight += weight;
	range->in_any |= low | high;
	range->in_all &= low & high;
}

/* True where the chunk as a whole is done: none of its values counts, or all are of one range. */
static bool weigh_chunk(struct ranges *r, const struct chunk *c)
{
	const uint64_t low = (uint64_t)c->low - r->low, high = (uint64_t)c->high - r->low;

	if (c->known == 0 || (low >= r->n_values && high >= low)) /* all below, or all above */
		return true;
	if (low >= r->n_values || high >= r->n_values || low >> r->shift != high >> r->shift)
		return false;
	weigh(r, low, high, c->known);
	return true;
}

static void weigh_span(struct ranges *r, struct cursor *c, const struct span within)
{
	const struct track *const t = c->track;
	const struct samples s = samples_in(t, within);

	for (size_t i = s.first; i < s.end;) {
		const struct chunk *const chunk = chunk_inside(t, &s, i);

		if (chunk && weigh_chunk(r, chunk)) {
			i += CHUNK;
			continue;
		}
		const uint64_t offset = (uint64_t)cursor_value(c, i) - r->low;
		if (offset < r->n_values)
			weigh(r, offset, offset, weight_in(c, i, within));
		i++;
	}
}

static void weigh_ranges(struct ranges *r, const struct track *t, const struct spans within)
{
	struct cursor c;

	for (size_t i = 0; i < N_RANGES; i++)
		r->at[i] = (struct range){ 0, 0, UINT64_MAX };
	cursor_start(&c, t);
	for (size_t k = 0; k < within.n; k++)
		weigh_span(r, &c, within.at[k]);
}

static int shift_for(const uint64_t n_values)
{
	int shift = 0;

	while ((n_values - 1) >> shift >= N_RANGES)
		shift++;
	return shift;
}

/* The smallest value for which the weights up to it are at least the share of all. */
static fixed quantile_of(struct arena *scratch, const struct track *t, const struct spans within, const struct sums *all, const int percent)
{
	struct ranges *r = NEW(scratch, struct ranges);
	time_ms below = 0;

	r->low = (uint64_t)all->low;
	r->n_values = (uint64_t)all->high - (uint64_t)all->low + 1;
	for (;;) {
		size_t range = 0;

		r->shift = shift_for(r->n_values);
		weigh_ranges(r, t, within);
		while ((below + r->at[range].weight) * 100 < all->known * percent)
			below += r->at[range++].weight;
		if (r->at[range].in_any == r->at[range].in_all)
			return (fixed)(r->low + r->at[range].in_any);
		const uint64_t offset = (uint64_t)range << r->shift, width = (uint64_t)1 << r->shift;
		r->low += offset;
		r->n_values = r->n_values - offset < width ? r->n_values - offset : width;
	}
}

/* One rounding for the rest, none where it is 0. */
static double mean_of(const struct sums *s)
{
	return (double)(int64_t)(s->weighted / s->known) + (double)(int64_t)(s->weighted % s->known) / (double)s->known;
}

bool track_has_fold(const enum fold fold)
{
	return fold == FOLD_MEAN || fold == FOLD_MIN || fold == FOLD_MAX || fold == FOLD_SPREAD || fold_percent(fold) > 0;
}

double track_fold(struct arena *scratch, const struct track *t, const double factor, const struct spans within, const enum fold fold,
	time_ms *known)
{
	const struct sums sums = sums_of(t, within);

	*known = sums.known;
	if (sums.known == 0)
		return NAN;
	switch (fold) {
	case FOLD_MEAN:
		return mean_of(&sums) / FIXED_ONE * factor;
	case FOLD_MIN:
		return fixed_value(sums.low) * factor;
	case FOLD_MAX:
		return fixed_value(sums.high) * factor;
	case FOLD_SPREAD:
		return fixed_value(sums.high) * factor - fixed_value(sums.low) * factor;
	default:
		return fixed_value(quantile_of(scratch, t, within, &sums, fold_percent(fold))) * factor;
	}
}
