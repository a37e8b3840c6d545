/*
 * truth_compare.c - where truth lines come from: values compared with values.
 *
 * Nearly all conditions compare a track with a constant, and nearly all the time they stay as they are.
 * A track holds whole millionths, so for each constant there are two of them between which a comparison
 * changes its mind:
 *
 *     MISSING |  lowest ... less than the threshold  |  equal to it  |  greater ... highest
 *     UNKNOWN |  one truth each, by the comparison; neighbours of one truth are one band
 *
 * They are found by halving, with the very arithmetic that a signal would have gone through (millionths to
 * a double, times the factor, rounded), which never goes down. After that a value is in the band of the one
 * before or it isn't: one subtraction and one comparison of integers, for a sample or for the lowest and highest of a chunk. Where a
 * chunk is in several bands its codes say which samples are in one of them (picking.h).
 */
#include "series/truth.h"

#include "series/chunk.h"
#include "series/cursor.h"
#include "series/cuts.h"
#include "series/picking.h"

/* With a number that stays: the way of all that is not a track. */
static void compare_constant_into(struct growing *out, const struct signal *a, const enum comparison how, const double b,
	const struct span within)
{
	for (size_t i = piece_at(a, within.begin); i < a->n && a->at[i].begin < within.end; i++)
		growing_add(out, later(a->at[i].begin, within.begin), compared(a->at[i].value, how, b));
}

static void compare_into(struct growing *out, const struct signal *a, const enum comparison how, const struct signal *b,
	const struct span within)
{
	if (b->n == 1) {
		compare_constant_into(out, a, how, b->at[0].value, within);
		return;
	}
	size_t i = piece_at(a, within.begin), j = piece_at(b, within.begin);

	for (time_ms now = within.begin; now < within.end;) {
		const time_ms a_end = piece_end(a, i), b_end = piece_end(b, j);

		growing_add(out, now, compared(a->at[i].value, how, b->at[j].value));
		i += a_end <= b_end;
		j += b_end <= a_end;
		now = sooner(a_end, b_end);
	}
}

struct truths truths_compare(struct arena *mem, const struct signal a, const enum comparison how, const struct signal b)
{
	const struct span of_a = signal_span(&a), of_b = signal_span(&b);
	const struct span within = { later(of_a.begin, of_b.begin), sooner(of_a.end, of_b.end) };
	struct growing line = { .room = 0 };

	if (span_length(within) <= 0) /* also where one of them is empty */
		return truths_nowhere(within.end);
	compare_into(&line, &a, how, &b, within);
	return growing_line(mem, &line, within.end);
}

/* Fixed values that mean the same: [low, low + n), where n counts up to all there are but one. */
struct band {
	fixed low;
	uint64_t n;
	enum truth truth;
};
struct bands {
	struct band at[4];
	size_t n;
};

/* Whole numbers from `low` on; a value below it wraps around to far above any n. */
static inline bool band_has(const struct band *b, const fixed value)
{
	return (uint64_t)value - (uint64_t)b->low < b->n;
}

#define N_FIXED UINT64_MAX /* all but FIXED_MISSING */

/* The fixed values in order, from 0 to N_FIXED - 1. */
static fixed nth_fixed(const uint64_t i)
{
	return (fixed)((uint64_t)FIXED_MISSING + 1 + i);
}

/* What a signal of the track would have gone through before it is compared; it never goes down. */
struct arithmetic {
	double factor;
	double (*f)(double, double); /* with `other`, and times `then`; or NULL */
	double other, then;
};

static double result_of(const struct arithmetic *a, const fixed value)
{
	const double scaled = fixed_value(value) * a->factor;

	return a->f ? a->f(scaled, a->other) * a->then : scaled;
}

/* How many fixed values come out below `threshold`, or equal to it also with `how` LESS_EQUAL. */
static uint64_t count_below(const struct arithmetic *a, const enum comparison how, const double threshold)
{
	uint64_t low = 0, high = N_FIXED;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (is_so(result_of(a, nth_fixed(middle)), how, threshold))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Fixed values [begin, end) in order. A band of one truth with the one before it joins it. */
static void bands_add(struct bands *b, const uint64_t begin, const uint64_t end, const enum truth truth)
{
	struct band *const last = &b->at[b->n - 1];

	if (begin == end)
		return;
	if (last->truth == truth)
		last->n += end - begin;
	else
		b->at[b->n++] = (struct band){ nth_fixed(begin), end - begin, truth };
}

static struct bands bands_of(const struct arithmetic *a, const enum comparison how, const double threshold)
{
	const uint64_t below = count_below(a, LESS, threshold), up_to = count_below(a, LESS_EQUAL, threshold);
	struct bands bands = { { { FIXED_MISSING, 1, UNKNOWN } }, 1 };

	bands_add(&bands, 0, below, compared(0, how, 1));
	bands_add(&bands, below, up_to, compared(0, how, 0));
	bands_add(&bands, up_to, N_FIXED, compared(1, how, 0));
	return bands;
}

static const struct band *band_find(const struct bands *b, const fixed value)
{
	for (size_t i = 0; i < b->n; i++)
		if (band_has(&b->at[i], value))
			return &b->at[i];
	BUG("every value is in a band");
}

/* ------ along a track ------ */

struct comparing {
	const struct bands *bands;
	const struct band *band; /* that the last value was in */
	struct cursor samples;
	struct span within;
	size_t end;              /* the first sample behind it */
	struct picking picking;  /* of the one band of its truth, */
	enum truth picked, others;
	bool can_pick;           /* where there is one */
	struct growing *out;
};

static inline enum truth truth_at(struct comparing *c, const size_t i)
{
	const fixed value = cursor_value(&c->samples, i);

	if (!band_has(c->band, value))
		c->band = band_find(c->bands, value);
	return c->band->truth;
}

/* The only band of a truth, or NULL. */
static const struct band *only_band(const struct bands *b, const enum truth truth)
{
	const struct band *only = NULL;

	for (size_t i = 0; i < b->n; i++) {
		if (b->at[i].truth != truth)
			continue;
		if (only)
			return NULL;
		only = &b->at[i];
	}
	return only;
}

static void comparing_start(struct comparing *c, const struct track *t, const struct span within, const struct bands *bands)
{
	const struct band *const yes = only_band(bands, YES), *const only = yes ? yes : only_band(bands, NO);

	c->bands = bands;
	c->band = &bands->at[0];
	c->within = within;
	c->picked = yes ? YES : NO;
	c->others = yes ? NO : YES;
	c->can_pick = only && picking_of(t, only->low, (fixed)((uint64_t)only->low + only->n - 1), &c->picking);
	cursor_start(&c->samples, t);
}

/* Samples [i, stop) one by one. */
static void compare_samples(struct comparing *c, size_t i, const size_t stop)
{
	for (; i < stop; i++) {
		growing_add(c->out, later(cursor_time(&c->samples, i), c->within.begin), truth_at(c, i));
		const time_ms until = cursor_until(&c->samples, i);
		if (until < (i + 1 < c->end ? cursor_time(&c->samples, i + 1) : c->within.end))
			growing_add(c->out, until, UNKNOWN);
	}
}

/* A chunk that is full, sample i being its first: a cut for each bit that is not as the one before it. */
static void compare_bits(struct comparing *c, const size_t i, const uint64_t bits[PICKED])
{
	uint64_t before = ~bits[0] & 1; /* the first is a cut: it is one already if what was before is of the same truth */

	growing_room(c->out, CHUNK);
	for (size_t k = 0; k < PICKED; k++) {
		for (uint64_t turns = bits[k] ^ (bits[k] << 1 | before); turns; turns &= turns - 1) {
			const size_t turn = (size_t)__builtin_ctzll(turns);
			const time_ms when = later(cursor_time(&c->samples, i + 64 * k + turn), c->within.begin);
			cuts_add(&c->out->cuts, when, bits[k] >> turn & 1 ? c->picked : c->others);
		}
		before = bits[k] >> 63;
	}
}

/* A chunk of which each sample has a value and holds until the next, if all of them are one truth or their codes say which. */
static bool compare_chunk(struct comparing *c, const size_t i, const struct chunk *chunk)
{
	const struct band *const low = band_find(c->bands, chunk->low);
	uint64_t bits[PICKED];

	if (band_has(low, chunk->high)) {
		growing_add(c->out, later(cursor_time(&c->samples, i), c->within.begin), low->truth);
		return true;
	}
	if (!c->can_pick || !picking_bits(&c->picking, i / CHUNK, bits))
		return false;
	compare_bits(c, i, bits);
	return true;
}

static void compare_track_into(struct growing *out, const struct track *t, const struct span within, const struct bands *bands)
{
	const size_t end = track_seek(t, within.end);
	size_t i = sample_before(t, within.begin), stop;
	struct comparing c = { .out = out, .end = end };

	comparing_start(&c, t, within, bands);
	if (i < end && track_until(t, i) <= within.begin)
		i++; /* its hold ends before */
	if (i >= end || track_time(t, i) > within.begin)
		growing_add(out, within.begin, UNKNOWN);
	for (; i < end; i = stop) {
		const struct chunk *const chunk = chunk_from(t, i, end);

		stop = (i / CHUNK + 1) * CHUNK < end ? (i / CHUNK + 1) * CHUNK : end;
		if (!chunk || !chunk->is_full || !compare_chunk(&c, i, chunk))
			compare_samples(&c, i, stop);
	}
}

struct truths truths_compare_track(struct arena *mem, const struct track *t, const struct span within, const double factor,
	const enum comparison how, const double threshold)
{
	struct growing line = { .room = 0 };

	if (factor < 0) /* exactly the same: rounding knows no sides */
		return truths_compare_track(mem, t, within, -factor, comparison_mirrored(how), -threshold);
	if (span_length(within) <= 0)
		return truths_nowhere(within.end);
	/* Without a step no sample holds for any time; and nobody multiplies by infinity. */
	if (t->step <= 0 || isnan(threshold) || !isfinite(factor))
		return truths_constant(mem, UNKNOWN, within);
	const struct bands bands = bands_of(&(struct arithmetic){ .factor = factor }, how, threshold);
	compare_track_into(&line, t, within, &bands);
	return growing_line(mem, &line, within.end);
}

struct truths truths_compare_limit(struct arena *mem, const struct track *t, const double factor, const enum comparison how,
	const struct signal limit)
{
	struct growing line = { .room = 0 };

	for (size_t i = 0; i < limit.n; i++) {
		const struct span piece = { limit.at[i].begin, piece_end(&limit, i) };

		if (isnan(limit.at[i].value) || t->step <= 0) {
			growing_add(&line, piece.begin, UNKNOWN);
			continue;
		}
		const struct bands bands = bands_of(&(struct arithmetic){ .factor = factor }, how, limit.at[i].value);
		compare_track_into(&line, t, piece, &bands);
	}
	return growing_line(mem, &line, limit.end);
}

struct truths truths_compare_beside(struct arena *mem, const struct track *t, const double factor, double (*f)(double, double),
	const struct signal other, const double then, const enum comparison how, const double threshold)
{
	struct growing line = { .room = 0 };

	for (size_t i = 0; i < other.n; i++) {
		const struct span piece = { other.at[i].begin, piece_end(&other, i) };
		const struct arithmetic arithmetic = { factor, f, other.at[i].value, then };

		if (isnan(other.at[i].value) || isnan(threshold) || t->step <= 0) {
			growing_add(&line, piece.begin, UNKNOWN);
			continue;
		}
		const struct bands bands = bands_of(&arithmetic, how, threshold);
		compare_track_into(&line, t, piece, &bands);
	}
	return growing_line(mem, &line, other.end);
}

struct truths truths_compare_zip(struct arena *mem, const struct signal a, const struct signal b, double (*f)(double, double),
	const double factor, const enum comparison how, const double threshold)
{
	const struct span of_a = signal_span(&a), of_b = signal_span(&b);
	const struct span within = { later(of_a.begin, of_b.begin), sooner(of_a.end, of_b.end) };
	struct growing line = { .room = 0 };

	if (span_length(within) <= 0)
		return truths_nowhere(within.end);
	size_t i = piece_at(&a, within.begin), j = piece_at(&b, within.begin);
	for (time_ms now = within.begin; now < within.end;) {
		const time_ms a_end = piece_end(&a, i), b_end = piece_end(&b, j);

		growing_add(&line, now, compared(f(a.at[i].value, b.at[j].value) * factor, how, threshold));
		i += a_end <= b_end;
		j += b_end <= a_end;
		now = sooner(a_end, b_end);
	}
	return growing_line(mem, &line, within.end);
}

static enum truth agreed(const enum truth a, const enum truth b)
{
	return a == b ? a : UNKNOWN;
}

/* Of <, <=, > and >=: what both ends say, all between them say. */
static struct truths compare_ends(struct arena *mem, const struct signal low, const struct signal high, const enum comparison how,
	const struct signal b)
{
	return truths_zip(mem, truths_compare(mem, low, how, b), truths_compare(mem, high, how, b), agreed);
}

struct truths truths_compare_bounds(struct arena *mem, const struct signal low, const struct signal high, const enum comparison how,
	const struct signal b)
{
	if (how != EQUAL && how != NOT_EQUAL)
		return compare_ends(mem, low, high, how, b);
	const struct truths equal = truths_zip(mem, compare_ends(mem, low, high, LESS_EQUAL, b),
		compare_ends(mem, low, high, GREATER_EQUAL, b), truth_and);
	return how == EQUAL ? equal : truths_not(mem, equal);
}
