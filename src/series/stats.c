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
#include "series/order.h"
#include <math.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* Walks the samples that hold inside the spans, each once. */
struct walk {
	struct cursor samples;
	struct spans within;
	size_t next;       /* sample to look at */
	size_t first_span; /* the first that does not end before it */
	/* found: */
	size_t sample;
	time_ms weight; /* ms for which it holds inside the spans */
	time_ms from;   /* the first of them */
};

static void walk_start(struct walk *w, const struct track *t, const struct spans within)
{
	cursor_start(&w->samples, t);
	w->within = within;
	w->first_span = 0;
	w->next = t->n;
	if (within.n == 0)
		return;
	w->next = track_seek(t, within.at[0].begin);
	w->next -= w->next > 0; /* the one before may hold into the first span */
}

/* What [begin, end) has in common with the spans from w->first_span on. */
static void walk_weigh(struct walk *w, const time_ms begin, const time_ms end)
{
	w->weight = 0;
	for (size_t i = w->first_span; i < w->within.n && w->within.at[i].begin < end; i++) {
		const struct span s = w->within.at[i];
		const time_ms from = s.begin > begin ? s.begin : begin;

		if (w->weight == 0)
			w->from = from;
		w->weight += (s.end < end ? s.end : end) - from;
	}
}

static bool walk_next(struct walk *w)
{
	struct cursor *const c = &w->samples;

	for (; w->next < c->track->n; w->next++) {
		const time_ms begin = cursor_time(c, w->next);

		while (w->first_span < w->within.n && w->within.at[w->first_span].end <= begin)
			w->first_span++;
		if (w->first_span == w->within.n)
			return false;
		if (cursor_value(c, w->next) == FIXED_MISSING)
			continue;
		walk_weigh(w, begin, cursor_until(c, w->next));
		if (w->weight == 0)
			continue;
		w->sample = w->next++;
		return true;
	}
	return false;
}

/* What one pass over a track finds. */
struct sums {
	int128 weighted; /* S */
	fixed min, max;
	time_ms min_at, max_at;
	time_ms known; /* W */
	size_t n;
	struct ordered *values; /* with their weights, runs of equal neighbours as one */
	size_t n_values;
};

static void note_extremes(struct sums *s, const fixed value, const time_ms from)
{
	if (s->n == 0 || value < s->min) {
		s->min = value;
		s->min_at = from;
	}
	if (s->n == 0 || value > s->max) {
		s->max = value;
		s->max_at = from;
	}
}

static void note_value(struct sums *s, const fixed value, const time_ms weight)
{
	const uint64_t key = key_from_integer(value);

	if (s->n_values == 0 || s->values[s->n_values - 1].key != key)
		s->values[s->n_values++] = (struct ordered){ key, 0 };
	s->values[s->n_values - 1].load += weight;
}

/* How many entries s->values needs at most. */
static size_t room_for(const struct track *t, const struct spans within)
{
	return within.n ? track_seek(t, within.at[within.n - 1].end) : 0;
}

static struct sums sum_up(struct arena *scratch, const struct track *t, const struct spans within)
{
	struct sums s = { .values = NEW_RAW_ARRAY(scratch, struct ordered, room_for(t, within)) };
	struct walk w;

	walk_start(&w, t, within);
	while (walk_next(&w)) {
		const fixed value = cursor_value(&w.samples, w.sample);

		note_extremes(&s, value, w.from);
		note_value(&s, value, w.weight);
		s.weighted += (int128)value * w.weight;
		s.known += w.weight;
		s.n++;
	}
	return s;
}

/* a / b as a double, b > 0: the whole part is exact, so its size does not hide the rest. */
static double quotient(const int128 a, const int128 b)
{
	return (double)(a / b) + (double)(a % b) / (double)b;
}

/* Q as high * 2^64 + low. */
struct squares {
	uint128 high, low;
};

static struct squares sum_squares(const struct sums *s, const int128 middle)
{
	struct squares q = { 0, 0 };

	for (size_t i = 0; i < s->n_values; i++) {
		const int128 difference = integer_from_key(s->values[i].key) - middle;
		const uint64_t distance = (uint64_t)(difference < 0 ? -difference : difference);
		const uint128 square = (uint128)distance * distance;
		const uint64_t weight = (uint64_t)s->values[i].load;

		q.high += (square >> 64) * weight;
		q.low += (uint128)(uint64_t)square * weight;
	}
	return q;
}

static double variance(const struct sums *s)
{
	const int128 rest = s->weighted % s->known;
	const struct squares q = sum_squares(s, s->weighted / s->known);
	const uint128 upper = q.high + (q.low >> 64);
	const uint128 sum = (upper << 64) + (uint64_t)q.low; /* Q, if upper < 2^64 */
	const uint128 all = (uint128)s->known;
	const double scale = (double)s->known;

	if (upper >> 64 == 0 && sum <= ~(uint128)0 / all)
		return (double)(sum * all - (uint128)(rest * rest)) / (scale * scale);
	return (ldexp((double)upper, 64) + (double)(uint64_t)q.low) / scale;
}

static double quantile(const struct sums *s, const int percent)
{
	return fixed_value(integer_from_key(order_quantile(s->values, s->n_values, s->known, percent)));
}

struct stats track_stats(struct arena *scratch, const struct track *t, const struct spans within)
{
	struct sums s = sum_up(scratch, t, within);
	struct stats result = {
		.mean = NAN, .min = NAN, .p5 = NAN, .p50 = NAN, .p95 = NAN, .max = NAN, .stddev = NAN,
		.min_at = TIME_UNKNOWN,
		.max_at = TIME_UNKNOWN,
		.judged = spans_length(within),
	};

	if (s.n == 0)
		return result;
	result.mean = quotient(s.weighted, s.known) / FIXED_ONE;
	result.stddev = sqrt(variance(&s)) / FIXED_ONE;
	order_sort(scratch, s.values, s.n_values);
	result.p5 = quantile(&s, 5);
	result.p50 = quantile(&s, 50);
	result.p95 = quantile(&s, 95);
	result.min = fixed_value(s.min);
	result.max = fixed_value(s.max);
	result.min_at = s.min_at;
	result.max_at = s.max_at;
	result.known = s.known;
	result.n = s.n;
	return result;
}

double track_integral(const struct track *t, const struct spans within)
{
	struct walk w;
	int128 weighted = 0;

	walk_start(&w, t, within);
	while (walk_next(&w))
		weighted += (int128)cursor_value(&w.samples, w.sample) * w.weight;
	return quotient(weighted, (int128)FIXED_ONE * HOUR_MS);
}
