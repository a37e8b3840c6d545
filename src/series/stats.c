/*
 * stats.c - sums in whole numbers, divided once at the end.
 *
 * Let v be the values in millionths and w the milliseconds each weighs, W their sum. Times of
 * logs lie within 110 years (calendar.h), so W < 2^42; |v| < 2^63.
 *
 *     S = sum(w v)              below 2^105: one 128-bit integer
 *     m = S / W towards zero, r the rest, so that mean = m + r / W with |r| < W
 *     Q = sum(w (v - m)^2)      (v - m)^2 < 2^128; its upper and lower 64 bits are summed
 *                               apart, each below 2^106
 *     variance = Q / W - (r / W)^2 = (Q W - r^2) / W^2
 *
 * The last form is taken while Q W fits 128 bits, and is exact up to one division. Where it does
 * not, Q / W > 2^42 while (r / W)^2 < 1: nothing cancels and a double will do. So every
 * result is within a few units of the last place of a double, and no order of adding can
 * be seen in it. long double is not used: it differs between machines.
 */
#include "series/stats.h"

#include "series/cursor.h"
#include "series/held.h"
#include "series/pieces.h"
#include "series/tally.h"
#include <math.h>

__extension__ typedef unsigned __int128 uint128;

/* a / b as a double, b > 0: the whole part is exact, so its size does not hide the rest. */
static double quotient(const int128 a, const int128 b)
{
	return (double)(a / b) + (double)(a % b) / (double)b;
}

/* Q as high * 2^64 + low. */
struct squares {
	uint128 high, low;
};

static void add_square(struct squares *q, const fixed value, const int128 middle, const time_ms weight)
{
	const int128 difference = value - middle;
	const uint64_t distance = (uint64_t)(difference < 0 ? -difference : difference);
	const uint128 square = (uint128)distance * distance;

	q->high += (square >> 64) * (uint64_t)weight;
	q->low += (uint128)(uint64_t)square * (uint64_t)weight;
}

/* What is known of the values that count. A tally says all; without one the samples are gone through for each question. */
struct known {
	const struct track *track;
	struct spans within;
	bool has_tally;
	struct tally tally;
	struct sums sums;
};

/*
 * A slot takes four instructions and 8 bytes to clear. Without slots a sample takes some 400, in passes for the sums, stddev and
 * rounds of three percentiles; with them 30.
 */
#define SLOTS_FOR_STATISTICS 16

/* `column`: a tally of what the track is made of; NULL: it is not worth it. */
static struct known known_of(struct arena *scratch, const struct track *t, const struct spans within, const struct tally *column)
{
	struct known k = { .track = t, .within = within, .has_tally = column != NULL };

	if (column)
		k.tally = tally_formed(scratch, column, &t->formula);
	k.sums = column ? tally_sums(&k.tally) : held_sums(t, within, ASKED_ALL);
	return k;
}

static void add_squares(struct squares *q, const struct held *h, const int128 middle)
{
	time_ms weights[PACK];
	fixed values[PACK];

	held_weights(h, weights);
	held_values(h, values);
	for (size_t i = 0; i < h->n; i++)
		if (values[i] != FIXED_MISSING)
			add_square(q, values[i], middle, weights[i]);
}

static struct squares squares_of(const struct known *k, const int128 middle)
{
	struct held h = held_start(k->track, k->within);
	struct squares q = { 0, 0 };

	for (size_t i = 0; k->has_tally && i < k->tally.n; i++)
		add_square(&q, integer_from_key(k->tally.at[i].key), middle, k->tally.at[i].load);
	while (!k->has_tally && held_next(&h))
		add_squares(&q, &h, middle);
	return q;
}

static double variance(const struct known *k)
{
	const int128 rest = k->sums.weighted % k->sums.known;
	const struct squares q = squares_of(k, k->sums.weighted / k->sums.known);
	const uint128 upper = q.high + (q.low >> 64);
	const uint128 sum = (upper << 64) + (uint64_t)q.low; /* Q, if upper < 2^64 */
	const uint128 all = (uint128)k->sums.known;
	const double scale = (double)k->sums.known;

	if (upper >> 64 == 0 && sum <= ~(uint128)0 / all)
		return (double)(sum * all - (uint128)(rest * rest)) / (scale * scale);
	return (ldexp((double)upper, 64) + (double)(uint64_t)q.low) / scale;
}

static double quantile(struct arena *scratch, const struct known *k, const int percent)
{
	return fixed_value(k->has_tally ? tally_quantile(&k->tally, k->sums.known, percent)
					: held_quantile(scratch, k->track, k->within, &k->sums, percent));
}

/* The lowest and highest of the rows of which samples are means, for all of their time; a formula may turn them around. */
static void take_seen(const struct track *t, const struct spans within, struct stats *s)
{
	const struct span all = track_span(t);

	if (!t->seen || t->seen->low > t->seen->high || within.n != 1 || within.at[0].begin > all.begin || within.at[0].end < all.end)
		return;
	const double low = fixed_value(formula_value(&t->formula, t->seen->low));
	const double high = fixed_value(formula_value(&t->formula, t->seen->high));
	s->min = fmin(s->min, fmin(low, high));
	s->max = fmax(s->max, fmax(low, high));
}

static struct stats means_from(const struct track *t, const struct spans within, const struct sums *sums)
{
	struct stats s = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, sums->known, spans_length(within) };

	if (sums->known == 0)
		return s;
	s.mean = quotient(sums->weighted, sums->known) / FIXED_ONE;
	s.min = fixed_value(sums->low);
	s.max = fixed_value(sums->high);
	take_seen(t, within, &s);
	return s;
}

struct stats track_means(const struct track *t, const struct spans within)
{
	const struct sums sums = held_sums(t, within, ASKED_ALL);

	return means_from(t, within, &sums);
}

static struct stats stats_from(struct arena *scratch, const struct known *k)
{
	struct stats s = means_from(k->track, k->within, &k->sums);

	if (k->sums.known == 0)
		return s;
	s.p5 = quantile(scratch, k, 5);
	s.p50 = quantile(scratch, k, 50);
	s.p95 = quantile(scratch, k, 95);
	s.stddev = sqrt(variance(k)) / FIXED_ONE;
	return s;
}

void tracks_stats(struct counts *counts, struct arena *scratch, const struct track *const *tracks, const size_t n,
	const struct spans within, struct stats *out)
{
	struct tally column;
	const bool has_tally = tally_found(counts, scratch, tracks[0], within, SLOTS_FOR_STATISTICS, &column);

	for (size_t i = 0; i < n; i++) {
		const struct known k = known_of(scratch, tracks[i], within, has_tally ? &column : NULL);
		out[i] = stats_from(scratch, &k);
	}
}

struct stats track_stats(struct arena *scratch, const struct track *t, const struct spans within)
{
	struct stats s;

	tracks_stats(NULL, scratch, &t, 1, within, &s);
	return s;
}

double track_lowest(const struct track *t, const struct spans within)
{
	const struct sums sums = held_sums(t, within, ASKED_ENDS);
	struct stats s = { .min = fixed_value(sums.low) };

	if (sums.known == 0)
		return NAN;
	take_seen(t, within, &s);
	return s.min;
}

/* Each sample for itself. */
static struct holdings holdings_of_samples(struct arena *mem, const struct track *t, const struct spans within)
{
	struct held h = held_start(t, within);
	struct holding *at = NULL;
	time_ms weights[PACK];
	fixed values[PACK];
	size_t n = 0;

	while (held_next(&h)) {
		held_weights(&h, weights);
		held_values(&h, values);
		for (size_t i = 0; i < h.n; i++) {
			if (values[i] == FIXED_MISSING || weights[i] == 0)
				continue;
			at = arena_array_next(mem, at, n, sizeof *at);
			at[n++] = (struct holding){ values[i], weights[i] };
		}
	}
	return (struct holdings){ at, n };
}

struct holdings track_holdings(struct arena *mem, const struct track *t, const struct spans within)
{
	struct tally tally;

	if (!tally_of(mem, t, within, SLOTS_FOR_STATISTICS, &tally))
		return holdings_of_samples(mem, t, within);
	struct holding *const at = NEW_RAW_ARRAY(mem, struct holding, tally.n);
	for (size_t i = 0; i < tally.n; i++)
		at[i] = (struct holding){ integer_from_key(tally.at[i].key), tally.at[i].load };
	return (struct holdings){ at, tally.n };
}

struct shortfall holdings_shortfall(const struct holdings all, const fixed reference)
{
	int128 weighted = 0, missing = 0;
	time_ms known = 0;

	for (size_t i = 0; i < all.n; i++) {
		const struct holding *const h = &all.at[i];

		known += h->held;
		weighted += (int128)h->value * h->held;
		missing += h->value < reference ? ((int128)reference - h->value) * h->held : 0;
	}
	if (known == 0)
		return (struct shortfall){ NAN, NAN };
	const double share = reference > 0 ? quotient(missing, (int128)reference * known) : 0;
	return (struct shortfall){ quotient(weighted, known) / FIXED_ONE, share };
}

struct shortfall track_shortfall(struct arena *scratch, const struct track *t, const struct spans within, const fixed reference)
{
	return holdings_shortfall(track_holdings(scratch, t, within), reference);
}

time_ms track_highest_at(const struct track *t, const struct spans within)
{
	struct held h = held_start(t, within);
	fixed highest = FIXED_MISSING, values[PACK];
	time_ms weights[PACK], when = TIME_UNKNOWN;

	while (held_next(&h)) {
		held_weights(&h, weights);
		held_values(&h, values);
		for (size_t i = 0; i < h.n; i++) {
			if (values[i] <= highest || weights[i] == 0) /* a missing one is below all */
				continue;
			highest = values[i];
			when = later(track_time(t, h.first + i), h.within.at[h.n_spans - 1].begin);
		}
	}
	return when;
}

static time_ms known_in(const struct track *t, const struct span within)
{
	struct held h = held_start(t, spans_one(&within));
	time_ms known = 0;

	while (held_next(&h))
		known += held_known(&h);
	return known;
}

/* How much of some time the spans have, or of that what is known; `next` goes on with them. */
static time_ms known_between(const struct track *t, const struct spans within, size_t *next, const struct span when, const bool is_full)
{
	time_ms known = 0;

	while (*next < within.n && within.at[*next].end <= when.begin)
		++*next;
	for (size_t i = *next; i < within.n && within.at[i].begin < when.end; i++) {
		const struct span both = { later(within.at[i].begin, when.begin), sooner(within.at[i].end, when.end) };
		known += is_full ? span_length(both) : known_in(t, both);
	}
	return known;
}

/* The first chunk behind that one which is full where it is not, or the other way. */
static size_t chunks_until(const struct chunks *chunks, const size_t k)
{
	size_t until = k + 1;

	while (until < chunks->n && chunks->at[until].is_full == chunks->at[k].is_full)
		until++;
	return until;
}

/* In full chunks all is known: no span is sought in them. What is behind all chunks is one sample at least. */
time_ms track_known_time(const struct track *t, const struct spans within)
{
	const size_t n_chunks = t->chunks.n;
	time_ms known = 0;
	size_t next = 0;

	if (t->n == 0)
		return 0;
	for (size_t k = 0, until; k < n_chunks; k = until) {
		until = chunks_until(&t->chunks, k);
		const struct span when = { track_time(t, k * CHUNK), track_time(t, until * CHUNK) };
		known += known_between(t, within, &next, when, t->chunks.at[k].is_full);
	}
	const struct span behind = { track_time(t, n_chunks * CHUNK), track_span(t).end };
	return known + known_between(t, within, &next, behind, false);
}

double track_integral(const struct track *t, const struct spans within)
{
	return quotient(held_sums(t, within, ASKED_SUM).weighted, (int128)FIXED_ONE * HOUR_MS);
}

struct changes { /* of a value, x ms between two samples of it */
	double squares, sum;
};

static struct changes changes_of(const struct track *t)
{
	struct changes all = { 0, 0 };
	struct cursor c;
	fixed before = FIXED_MISSING;
	time_ms then = 0;

	cursor_start(&c, t);
	for (size_t i = 0; i < t->n; i++) {
		const fixed value = cursor_value(&c, i);
		const time_ms now = cursor_time(&c, i);
		if (value != FIXED_MISSING && before != FIXED_MISSING && now <= then + surely_held(t, i / PACK)) {
			const double change = fixed_value(value - before) * (double)(now - then);
			all.squares += change * change;
			all.sum += change;
		}
		before = value;
		then = now;
	}
	return all;
}

double track_integral_off(const struct track *t, const double least)
{
	const struct span all_time = track_span(t);
	const struct sums ends = held_sums(t, spans_one(&all_time), ASKED_ENDS);
	const double wide = ends.low <= ends.high ? fixed_value(ends.high - ends.low) : 0, step = (double)t->step / HOUR_MS;

	if (2 * wide * step * sqrt((double)t->n / 12) + wide * step / 2 < least)
		return 0;
	const struct changes all = changes_of(t);
	return (2 * sqrt(all.squares / 12) + fabs(all.sum) / 2) / HOUR_MS;
}
