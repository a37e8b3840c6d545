/*
 * signal_laws.c - tracks, their statistics and step functions, against slow and plain arithmetic.
 */
#include "property/laws.h"
#include "property/series.h"
#include "series/shares.h"
#include "series/order.h"
#include "series/signal.h"
#include "series/stats.h"

#include <math.h>
#include <stdlib.h>

static bool signals_are_tracks_ms_by_ms(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct span within = random_span(r);
	const struct signal s = signal_from_track(mem, &t, within);
	const struct spans known = track_known(mem, &t);

	for (time_ms ms = within.begin; ms < within.end; ms++) {
		fixed value;
		const bool is_known = track_at(&t, ms, &value);

		if (is_known != spans_hold(known, ms) || !is_same(at(&s, ms), is_known ? fixed_value(value) : (double)NAN))
			return false;
	}
	return is_well_formed(&s, within);
}

static bool holes_are_what_no_row_covers(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct span all = track_span(&t);
	struct span *held = NEW_ARRAY(mem, struct span, t.n);

	for (size_t i = 0; i < t.n; i++)
		held[i] = (struct span){ track_time(&t, i), track_until(&t, i) };
	const struct spans rest = spans_complement(mem, spans_of(mem, held, t.n), all), holes = track_holes(mem, &t);
	if (rest.n != holes.n)
		return false;
	for (size_t i = 0; i < rest.n; i++)
		if (rest.at[i].begin != holes.at[i].begin || rest.at[i].end != holes.at[i].end)
			return false;
	return true;
}

static bool median_step_has_half_on_each_side(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	size_t n_below = 0, n_above = 0;

	for (size_t i = 1; i < t.n; i++) {
		n_below += track_time(&t, i) - track_time(&t, i - 1) < t.step;
		n_above += track_time(&t, i) - track_time(&t, i - 1) > t.step;
	}
	return t.n < 2 ? t.step == 0 : 2 * n_below < t.n - 1 && 2 * n_above <= t.n - 1;
}

static double difference(const double a, const double b)
{
	return a - b;
}

static bool zip_agrees_ms_by_ms(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem), u = random_track(r, mem);
	const struct span within = random_span(r);
	const struct signal a = signal_from_track(mem, &t, within), b = signal_from_track(mem, &u, within);
	const struct signal s = signal_zip(mem, a, b, difference);

	for (time_ms ms = within.begin; ms < within.end; ms++)
		if (!is_same(at(&s, ms), at(&a, ms) - at(&b, ms)))
			return false;
	return is_well_formed(&s, within);
}

/* The fold of a rolling window, from its definition. */
static double window_fold(struct arena *mem, const struct signal *s, const time_ms t, const time_ms width, const enum fold fold)
{
	struct span window = { t - width / 2, t - width / 2 + width };

	if (window.begin < s->at[0].begin)
		window.begin = s->at[0].begin;
	if (window.end > s->end)
		window.end = s->end;
	if (2 * signal_known(*s, spans_one(&window)) < span_length(window))
		return NAN;
	return signal_fold(mem, *s, spans_one(&window), fold);
}

static bool rolling_is_right_where_the_input_changes(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct span within = random_span(r);
	const struct signal s = signal_from_track(mem, &t, within);
	const time_ms width = 1 + random_below(r, random_one_in(r, 2) ? 20 : 200);
	const enum fold fold = (enum fold)random_below(r, FOLD_SPREAD + 1);
	const struct signal rolled = signal_rolling(mem, s, width, fold);

	for (size_t i = 0; i < s.n; i++) {
		const double value = at(&rolled, s.at[i].begin), want = window_fold(mem, &s, s.at[i].begin, width, fold);

		if (fold == FOLD_MEAN ? !is_close(value, want) : !is_same(value, want))
			return false;
	}
	return is_well_formed(&rolled, within);
}

/* The samples of a window, ms by ms. */
struct whole {
	__extension__ __int128 sum;
	time_ms known, width;
	fixed low, high;
};

static struct whole whole_window(const struct track *t, const struct span within, const time_ms moment, const time_ms width)
{
	const struct span window = { later(moment - width / 2, within.begin), sooner(moment - width / 2 + width, within.end) };
	struct whole w = { .width = span_length(window), .low = INT64_MAX, .high = INT64_MIN };
	fixed value;

	for (time_ms ms = window.begin; ms < window.end; ms++) {
		if (!track_at(t, ms, &value))
			continue;
		w.sum += value;
		w.known++;
		w.low = value < w.low ? value : w.low;
		w.high = value > w.high ? value : w.high;
	}
	return w;
}

/* But for three roundings, and none of these takes it out of the samples' range; of samples that doubles don't tell apart, a few more. */
static bool is_mean_of_whole(const double mean, const struct whole *w)
{
	const long double exact = w->known ? (long double)w->sum / (long double)w->known / FIXED_ONE : 0;
	const double low = fixed_value(w->low), high = fixed_value(w->high), most = fmax(fabs(low), fabs(high));
	const bool is_told = most * FIXED_ONE < 0x1p51;

	if (!w->known || 2 * w->known < w->width)
		return isnan(mean);
	return mean >= low && mean <= high && fabsl((long double)mean - exact) <= (is_told ? 5e-16L * fabsl(exact) : 1e-15L * most);
}

/* Also of sums that no double holds, and of samples. Between its moments it stays as the mean of any signal does. */
static bool means_of_samples_are_of_whole_sums(struct random *r, struct arena *mem)
{
	const struct track few = random_track(r, mem);
	const struct span within = random_span(r);
	const time_ms width = 1 + random_below(r, random_one_in(r, 2) ? 20 : 200);
	const int shift = random_below(r, 36);
	fixed *const values = NEW_ARRAY(mem, fixed, few.n);

	for (size_t i = 0; i < few.n; i++)
		values[i] = track_value(&few, i) == FIXED_MISSING ? FIXED_MISSING : track_value(&few, i) * ((int64_t)1 << shift) + shift;
	const struct track t = track_with_values(&few, values);
	const struct signal s = signal_from_track(mem, &t, within);
	const struct signal means = signal_rolling_samples(mem, s, width), others = signal_rolling(mem, s, width, FOLD_MEAN);
	for (size_t i = 0; i < s.n; i++) {
		const struct whole window = whole_window(&t, within, s.at[i].begin, width);
		if (!is_mean_of_whole(at(&means, s.at[i].begin), &window))
			return false;
	}
	for (time_ms ms = within.begin; ms < within.end; ms++) {
		const double mean = at(&means, ms), other = at(&others, ms);
		if (!is_same(mean, other) && !(fabs(mean - other) <= 1e-15 * (double)((int64_t)20 << shift)))
			return false;
	}
	return is_well_formed(&means, within);
}

/* Between two moments a value is that of a window at most a quarter of its width before. */
static bool rolling_is_never_older_than_a_quarter(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct span within = random_span(r);
	const struct signal s = signal_from_track(mem, &t, within);
	const time_ms width = 4 + random_below(r, 60);
	const enum fold fold = random_one_in(r, 2) ? FOLD_MEAN : FOLD_P50;
	const struct signal rolled = signal_rolling(mem, s, width, fold);

	for (int i = 0; i < 8; i++) {
		const time_ms ms = within.begin + random_below(r, (int)span_length(within));
		bool is_found = false;

		for (time_ms back = 0; back <= width / 4 && ms - back >= within.begin && !is_found; back++)
			is_found = is_close(at(&rolled, ms), window_fold(mem, &s, ms - back, width, fold));
		if (!is_found)
			return false;
	}
	return true;
}

static bool folds_of_a_constant_are_it(struct random *r, struct arena *mem)
{
	const double value = (random_below(r, 2000) - 1000) * 0.1;
	const struct signal s = signal_constant(mem, value, random_span(r));
	const enum fold fold = (enum fold)random_below(r, FOLD_SPREAD + 1);
	const double want = fold == FOLD_SPREAD ? 0 : value;
	const struct span all = { s.at[0].begin, s.end };
	const struct signal rolled = signal_rolling(mem, s, 1 + random_below(r, 100), fold);

	return rolled.n == 1 && rolled.at[0].value == want && signal_fold(mem, s, spans_one(&all), fold) == want;
}

static bool folds_are_in_order(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct signal s = signal_from_track(mem, &t, random_span(r));
	const struct spans within = random_set(r, mem);
	double folded[FOLD_SPREAD + 1];

	for (int fold = FOLD_MEAN; fold <= FOLD_SPREAD; fold++)
		folded[fold] = signal_fold(mem, s, within, (enum fold)fold);
	if (signal_known(s, within) == 0)
		return isnan(folded[FOLD_MEAN]) && isnan(folded[FOLD_P50]) && isnan(folded[FOLD_SPREAD]);
	return folded[FOLD_MIN] <= folded[FOLD_P5] && folded[FOLD_P5] <= folded[FOLD_P50] &&
		folded[FOLD_P50] <= folded[FOLD_P95] && folded[FOLD_P95] <= folded[FOLD_MAX] &&
		folded[FOLD_MIN] <= folded[FOLD_MEAN] && folded[FOLD_MEAN] <= folded[FOLD_MAX] &&
		folded[FOLD_SPREAD] == folded[FOLD_MAX] - folded[FOLD_MIN];
}

static bool folds_of_tracks_are_those_of_their_signals(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct spans within = random_set(r, mem);
	const double factor = random_one_in(r, 2) ? 1 : 0.25;
	const enum fold fold = (enum fold)random_below(r, FOLD_SPREAD + 1);
	const struct signal plain = signal_from_track(mem, &t, (struct span){ -50, 2000 });
	struct piece *at = NEW_ARRAY(mem, struct piece, plain.n);
	time_ms known;

	for (size_t i = 0; i < plain.n; i++)
		at[i] = (struct piece){ plain.at[i].begin, plain.at[i].value * factor };
	const struct signal s = { at, plain.n, plain.end };
	const double value = track_fold(mem, &t, factor, within, fold, &known), want = signal_fold(mem, s, within, fold);
	return track_has_fold(fold) && known == signal_known(s, within) && (fold == FOLD_MEAN ? is_close(value, want) : is_same(value, want));
}

/* Of any values: a percentile that takes several rounds is still that of sorting. */
static bool percentiles_of_odd_values_are_those_of_sorting(struct random *r, struct arena *mem)
{
	const size_t n = 1 + (size_t)random_below(r, 30);
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);
	const int shift = 10 + random_below(r, 50);
	const enum fold fold = (enum fold)(FOLD_P5 + random_below(r, FOLD_P99 - FOLD_P5 + 1));
	time_ms known;

	for (size_t i = 0; i < n; i++) {
		times[i] = (i ? times[i - 1] : 0) + 1 + random_below(r, 3);
		values[i] = integer_from_key(random_bits(r)) >> shift;
	}
	const struct track t = { .times = times, .values = values, .n = n, .step = 2 };
	const struct span all = { -10, times[n - 1] + 10 };
	const double want = signal_fold(mem, signal_from_track(mem, &t, all), spans_one(&all), fold);
	return is_same(track_fold(mem, &t, 1, spans_one(&all), fold, &known), want);
}

/* In spans that follow one another, of which some are not looked at. */
static bool parts_in_turn_are_the_signal(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct span within = random_span(r);
	const struct signal s = signal_from_track(mem, &t, within);
	const size_t n = 1 + (size_t)random_below(r, 5);
	struct signal *const parts = NEW_ARRAY(mem, struct signal, n);
	struct span *const spans = NEW_ARRAY(mem, struct span, n);
	time_ms begin = within.begin;

	for (size_t i = 0; i < n; i++, begin = spans[i - 1].end) {
		const time_ms left = within.end - begin - (time_ms)(n - i), end = i + 1 < n ? begin + 1 + random_below(r, (int)(left > 0 ? left : 1)) : within.end;
		spans[i] = (struct span){ begin, end };
		if (begin >= end)
			return true; /* there is no room for so many */
		if (!random_one_in(r, 4))
			parts[i] = signal_around(s, spans[i]);
	}
	const struct signal all = signal_in_turn(mem, parts, spans, n);
	for (size_t i = 0; i < n; i++)
		for (time_ms ms = spans[i].begin; ms < spans[i].end; ms++)
			if (!is_same(at(&all, ms), parts[i].n ? at(&s, ms) : (double)NAN))
				return false;
	return is_well_formed(&all, within);
}

static bool within_spans_it_is_the_signal(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct span all = random_span(r);
	const struct signal s = signal_from_track(mem, &t, all);
	const struct spans within = random_set(r, mem);
	const struct signal inside = signal_within(mem, s, within);

	for (time_ms ms = all.begin; ms < all.end; ms++) {
		bool is_inside = false;
		for (size_t i = 0; i < within.n; i++)
			is_inside |= within.at[i].begin <= ms && ms < within.at[i].end;
		if (!is_same(at(&inside, ms), is_inside ? at(&s, ms) : (double)NAN))
			return false;
	}
	return is_well_formed(&inside, all);
}

static double squashed(double a, double ignored)
{
	(void)ignored;
	return isnan(a) ? a : 1 / (1 + exp(-a));
}

/* To a billionth the same. */
static bool shares_kept_small_add_up_as_their_signal(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct span all = random_span(r);
	const struct spans within = random_set(r, mem);
	const struct signal any = signal_from_track(mem, &t, all), s = signal_zip(mem, any, any, squashed);
	const struct shares shares = shares_of(mem, s);
	time_ms known;
	const double sum = shares_sum(&shares, within, &known), mean = signal_fold(mem, s, within, FOLD_MEAN);

	for (time_ms ms = all.begin; ms < all.end; ms++) {
		const double there = shares_at(&shares, ms), want = at(&s, ms);
		if (isnan(there) != isnan(want) || fabs(there - want) > 1e-9)
			return false;
	}
	return known == signal_known(s, within) && fabs(sum - (known ? mean * (double)known : 0)) <= 1e-9 * (double)(known + 1);
}

static bool statistics_agree_with_folds(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct spans within = random_set(r, mem);
	const struct signal s = signal_from_track(mem, &t, (struct span){ -50, 2000 });
	const struct stats stats = track_stats(mem, &t, within);

	return stats.known == signal_known(s, within) && stats.judged == spans_length(within) &&
		is_close(stats.mean, signal_fold(mem, s, within, FOLD_MEAN)) &&
		is_same(stats.min, signal_fold(mem, s, within, FOLD_MIN)) &&
		is_same(stats.p5, signal_fold(mem, s, within, FOLD_P5)) &&
		is_same(stats.p50, signal_fold(mem, s, within, FOLD_P50)) &&
		is_same(stats.p95, signal_fold(mem, s, within, FOLD_P95)) &&
		is_same(stats.max, signal_fold(mem, s, within, FOLD_MAX));
}

static bool the_highest_is_first_where_it_is_said(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct spans within = random_set(r, mem);
	const time_ms when = track_highest_at(&t, within);
	const struct stats stats = track_stats(mem, &t, within);
	fixed high;

	if (stats.known == 0)
		return when == TIME_UNKNOWN;
	if (!spans_hold(within, when) || !track_at(&t, when, &high) || fixed_value(high) != stats.max)
		return false;
	for (time_ms ms = -50; ms < when; ms++) {
		fixed value;

		if (spans_hold(within, ms) && track_at(&t, ms, &value) && value == high)
			return false;
	}
	return true;
}

/* One sample becomes two of the same value: exactly the same numbers. */
static bool splitting_a_sample_changes_nothing(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct spans within = random_set(r, mem);

	if (t.n < 2)
		return true;
	const size_t split = (size_t)random_below(r, (int)t.n - 1);
	const time_ms until = track_until(&t, split), middle = track_time(&t, split) + (until - track_time(&t, split)) / 2;

	if (middle == track_time(&t, split) || until < track_time(&t, split + 1)) /* too short, or ends in a hole */
		return true;
	time_ms *times = NEW_ARRAY(mem, time_ms, t.n + 1);
	fixed *values = NEW_ARRAY(mem, fixed, t.n + 1);
	for (size_t i = 0; i <= t.n; i++) {
		times[i] = track_time(&t, i - (i > split));
		values[i] = track_value(&t, i - (i > split));
	}
	times[split + 1] = middle;
	struct pack_steps *const steps = pack_steps_new(mem, t.n + 1, track_finest_step(&t));
	for (size_t i = 0; i <= t.n; i++)
		if (track_step(&t, i - (i > split)) > track_finest_step(&t))
			pack_steps_set(steps, i, i + 1, track_step(&t, i - (i > split)));
	const struct track two = { .times = times, .values = values, .n = t.n + 1, .step = t.step, .steps = steps };
	const struct stats a = track_stats(mem, &t, within), b = track_stats(mem, &two, within);

	return is_same(a.mean, b.mean) && is_same(a.stddev, b.stddev) && is_same(a.p50, b.p50) && is_same(a.p95, b.p95) &&
		a.known == b.known && track_highest_at(&t, within) == track_highest_at(&two, within) &&
		track_integral(&t, within) == track_integral(&two, within);
}

static bool stddev_is_that_of_the_definition(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct spans within = random_set(r, mem);
	const struct stats stats = track_stats(mem, &t, within);
	double squares = 0;

	if (stats.known == 0)
		return isnan(stats.stddev);
	for (time_ms ms = -50; ms < 600; ms++) {
		fixed value;

		if (spans_hold(within, ms) && track_at(&t, ms, &value))
			squares += (fixed_value(value) - stats.mean) * (fixed_value(value) - stats.mean);
	}
	return is_close(stats.stddev, sqrt(squares / (double)stats.known));
}

static bool integrals_add_up(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct spans a = random_set(r, mem);
	const struct span all = { -50, 700 };
	const struct spans rest = spans_complement(mem, a, all);
	const double sum = track_integral(&t, a) + track_integral(&t, rest), total = track_integral(&t, spans_one(&all));

	return fabs(sum - total) <= 1e-12 * (1 + fabs(total));
}

static bool across_agrees_ms_by_ms(struct random *r, struct arena *mem)
{
	const struct span within = random_span(r);
	const size_t n = 1 + (size_t)random_below(r, 5);
	struct signal many[5];

	for (size_t i = 0; i < n; i++) {
		const struct track t = random_track(r, mem);

		many[i] = signal_from_track(mem, &t, within);
	}
	const enum fold fold = random_fold(r, OVER_SETS);
	const struct signal s = signal_across(mem, many, n, fold, 0);

	for (int k = 0; k < 20; k++) {
		const time_ms ms = within.begin + random_below(r, (int)span_length(within));
		struct piece side_by_side[5];
		bool is_known = true;

		for (size_t i = 0; i < n; i++) {
			side_by_side[i] = (struct piece){ (time_ms)i, at(&many[i], ms) };
			is_known &= !isnan(side_by_side[i].value);
		}
		const struct span each = { 0, (time_ms)n };
		const struct signal side = { side_by_side, n, (time_ms)n };
		/* Each weighs one, and a total is per second of 1000. */
		const double want = fold == FOLD_SUM ? SECOND_MS * signal_fold(mem, side, spans_one(&each), FOLD_TOTAL)
						     : signal_fold(mem, side, spans_one(&each), fold);
		if (!is_close(at(&s, ms), is_known ? want : (double)NAN))
			return false;
	}
	return is_well_formed(&s, within);
}

/* What is not needed any more is given back, and says something else then. */
static void spoil(struct arena *kept)
{
	arena_reset(kept);
	memset(arena_raw_array(kept, 1, 4096), 0x55, 4096);
}

/* Whoever is left out; and a moment of many changes is that of the last of them. */
static bool all_but_one_are_those_without_it(struct random *r, struct arena *mem)
{
	const struct span within = random_span(r);
	const size_t n = 2 + (size_t)random_below(r, 5);
	const time_ms poll = random_one_in(r, 2) ? 0 : random_below(r, 6);
	struct signal many[7], rest[7], given[7];
	struct arena kept;

	arena_init(&kept);
	for (size_t i = 0; i < n; i++) {
		const struct track t = random_track(r, mem);

		many[i] = signal_from_track(mem, &t, within);
		given[i] = signal_kept(&kept, many[i]);
	}
	const enum fold fold = random_fold(r, OVER_SETS);
	const struct others o = others_new(mem, given, n, fold, poll, NULL);
	if (!o.many)
		spoil(&kept);
	for (size_t member = 0; member < n; member++) {
		const struct signal got = others_fold(mem, &o, member);
		size_t n_rest = 0;

		for (size_t i = 0; i < n; i++)
			if (i != member)
				rest[n_rest++] = many[i];
		const struct signal want = signal_across(mem, rest, n_rest, fold, 0);
		if (!is_well_formed(&got, within))
			return false;
		for (time_ms ms = within.begin; ms < within.end && poll == 0; ms++)
			if (!is_close(at(&got, ms), at(&want, ms)))
				return false;
		for (size_t i = 0; i < got.n && poll > 0; i++) {
			bool is_found = false;

			for (time_ms ms = got.at[i].begin; ms <= got.at[i].begin + poll && ms < within.end; ms++)
				is_found |= is_close(got.at[i].value, at(&want, ms));
			if (!is_found)
				return false;
		}
	}
	arena_release(&kept);
	return true;
}

static bool is_same_signal(const struct signal *a, const struct signal *b)
{
	bool same = a->n == b->n && a->end == b->end;

	for (size_t i = 0; same && i < a->n; i++)
		same = a->at[i].begin == b->at[i].begin &&
			(a->at[i].value == b->at[i].value || (isnan(a->at[i].value) && isnan(b->at[i].value)));
	return same;
}

enum { CROWD = 60, MOMENTS = 12 };

/* All are known, and from one moment to the next some or most of them change places. */
static void random_crowd(struct random *r, struct arena *mem, struct signal *many, const size_t n)
{
	const int one_in = 1 + random_below(r, 8);

	for (size_t i = 0; i < n; i++) {
		struct piece *const at = NEW_ARRAY(mem, struct piece, MOMENTS);

		for (size_t k = 0; k < MOMENTS; k++) {
			const bool is_new = k == 0 || random_one_in(r, one_in);
			at[k] = (struct piece){ (time_ms)k, is_new ? random_below(r, 1000) : at[k - 1].value };
		}
		many[i] = (struct signal){ at, MOMENTS, MOMENTS };
	}
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of all values at a moment, the least one that so many of them are not above. */
static double ranked(const struct signal *many, const size_t n, const enum fold fold, const time_ms ms)
{
	const size_t percent = fold == FOLD_MIN ? 0 : fold == FOLD_MAX ? 100 : (size_t)fold_percent(fold);
	double values[CROWD];

	for (size_t i = 0; i < n; i++)
		values[i] = at(&many[i], ms);
	qsort(values, n, sizeof *values, by_size);
	for (size_t i = 0; i < n; i++)
		if (100 * (i + 1) >= percent * n)
			return values[i];
	return (double)NAN;
}

static bool crowds_are_ranked_as_if_sorted(struct random *r, struct arena *mem)
{
	static const enum fold folds[] = { FOLD_P5, FOLD_P50, FOLD_P95, FOLD_MIN, FOLD_MAX };
	const enum fold fold = folds[random_below(r, 5)];
	const size_t n = 2 + (size_t)random_below(r, CROWD - 1), left_out = (size_t)random_below(r, (int)n);
	struct signal many[CROWD], rest[CROWD];

	random_crowd(r, mem, many, n);
	for (size_t i = 0; i + 1 < n; i++)
		rest[i] = many[i < left_out ? i : i + 1];
	const struct signal all = signal_across(mem, many, n, fold, 0);
	const struct others o = others_new(mem, many, n, fold, 0, NULL);
	const struct signal others = others_fold(mem, &o, left_out);
	for (time_ms ms = 0; ms < MOMENTS; ms++)
		if (at(&all, ms) != ranked(many, n, fold, ms) || at(&others, ms) != ranked(rest, n - 1, fold, ms))
			return false;
	return true;
}

/* In how many parts of time a set is walked through makes no difference, in whatever way its rows fall together. */
static bool parts_of_time_join_without_a_seam(struct random *r, struct arena *mem)
{
	const struct span within = random_span(r);
	const size_t n = 2 + (size_t)random_below(r, 5), n_parts = 2 + (size_t)random_below(r, 7);
	const time_ms poll = random_below(r, 4);
	struct signal many[7];

	for (size_t i = 0; i < n; i++) {
		const struct track t = random_track(r, mem);

		many[i] = signal_from_track(mem, &t, within);
	}
	const enum fold fold = random_fold(r, OVER_SETS);
	const struct bounding bounding = { { -1, 1000 }, spans_one(&within) };
	const struct others whole = others_new_in(mem, many, n, fold, poll, 1, &bounding);
	const struct others parts = others_new_in(mem, many, n, fold, poll, n_parts, &bounding);
	for (size_t member = 0; member < n; member++) {
		const struct signal a = others_fold(mem, &whole, member), b = others_fold(mem, &parts, member);
		struct bounds of_whole, of_parts;

		if (!is_same_signal(&a, &b))
			return false;
		const bool is_bounded = others_bounds(mem, &whole, member, &of_whole);
		if (is_bounded != others_bounds(mem, &parts, member, &of_parts))
			return false;
		if (is_bounded && !(is_same_signal(&of_whole.low, &of_parts.low) && is_same_signal(&of_whole.high, &of_parts.high)))
			return false;
	}
	return whole.n_moments == parts.n_moments;
}

/* ------ where some are not known ------ */

/* What was missing is something in [low, high], each time another one. */
static struct signal filled(struct random *r, struct arena *mem, const struct signal s, const int low, const int high)
{
	struct piece *const at = NEW_ARRAY(mem, struct piece, s.n);

	for (size_t i = 0; i < s.n; i++)
		at[i] = (struct piece){ s.at[i].begin, isnan(s.at[i].value) ? low + random_below(r, high - low + 1) : s.at[i].value };
	return (struct signal){ at, s.n, s.end };
}

static bool lies_in(const struct bounds *b, const struct signal *truth, const time_ms ms)
{
	const double low = at(&b->low, ms), high = at(&b->high, ms), value = at(truth, ms);

	return isnan(low) ? isnan(high) : low <= value && value <= high;
}

/* Nothing that could have been logged is outside; and each bound is what it would have been if the least, or the most, had been. */
static bool what_some_miss_lies_in_bounds(struct random *r, struct arena *mem)
{
	const struct span within = random_span(r);
	const size_t n = 2 + (size_t)random_below(r, 5);
	const time_ms poll = random_one_in(r, 2) ? 0 : random_below(r, 6);
	const int least = random_below(r, 20), most = least + random_below(r, 20);
	const struct bounding bounding = { { least, most }, spans_one(&within) };
	struct signal many[6], any[6], low[6], high[6], number;
	struct bounds b;

	for (size_t i = 0; i < n; i++) {
		const struct track t = random_track(r, mem);

		many[i] = signal_from_track(mem, &t, within);
		any[i] = filled(r, mem, many[i], least, most);
		low[i] = filled(r, mem, many[i], least, least);
		high[i] = filled(r, mem, many[i], most, most);
	}
	const enum fold fold = random_fold(r, OVER_SETS);
	const bool is_ranked = fold == FOLD_MIN || fold == FOLD_MAX || fold_percent(fold) > 0;
	const struct signal known = signal_across(mem, many, n, fold, poll), truth = signal_across(mem, any, n, fold, poll);
	const bool is_bounded = signal_across_bounds(mem, many, n, fold, poll, &bounding, &number, &b);
	if (!is_same_signal(&number, &known))
		return false;
	if (!is_bounded)
		b = (struct bounds){ signal_constant(mem, NAN, within), signal_constant(mem, NAN, within) };
	else if (!is_ranked)
		return false;
	const struct signal lowest = signal_across(mem, low, n, fold, poll), highest = signal_across(mem, high, n, fold, poll);
	for (time_ms ms = within.begin; ms < within.end; ms++) {
		size_t n_known = 0;

		for (size_t i = 0; i < n; i++)
			n_known += isnan(at(&many[i], ms)) ? 0 : 1;
		const bool has_bounds = !isnan(at(&b.low, ms));
		if (!lies_in(&b, &truth, ms) || (has_bounds && !isnan(at(&known, ms))))
			return false;
		if (has_bounds && !(is_same(at(&b.low, ms), at(&lowest, ms)) && is_same(at(&b.high, ms), at(&highest, ms))))
			return false;
		if (poll == 0 && is_ranked && has_bounds != (n_known > 0 && n_known < n))
			return false;
	}
	return true;
}

/* Where moments begin in it, some of the time has the bounds that all of it has. */
static bool bounds_are_the_same_in_part_of_the_time(struct random *r, struct arena *mem)
{
	const struct span within = random_span(r);
	const time_ms begin = within.begin + random_below(r, (int)span_length(within));
	const struct span part = { begin, begin + 1 + random_below(r, (int)(within.end - begin)) };
	const size_t n = 2 + (size_t)random_below(r, 5);
	const time_ms poll = random_below(r, 6);
	const struct bounding in_all = { { -INFINITY, INFINITY }, spans_one(&within) }, in_part = { in_all.of, spans_one(&part) };
	struct signal many[6], number;
	struct bounds all, some;

	for (size_t i = 0; i < n; i++) {
		const struct track t = random_track(r, mem);

		many[i] = signal_from_track(mem, &t, within);
	}
	const enum fold fold = random_fold(r, OVER_SETS);
	const bool has_all = signal_across_bounds(mem, many, n, fold, poll, &in_all, &number, &all);
	const bool has_some = signal_across_bounds(mem, many, n, fold, poll, &in_part, &number, &some);
	for (time_ms ms = part.begin; ms < part.end; ms++) {
		const double want = has_all ? at(&all.low, ms) : (double)NAN, got = has_some ? at(&some.low, ms) : (double)NAN;

		if (!is_same(want, got))
			return false;
	}
	return true;
}

/* As each sees the others. */
static bool what_others_miss_lies_in_bounds(struct random *r, struct arena *mem)
{
	const struct span within = random_span(r);
	const size_t n = 2 + (size_t)random_below(r, 5);
	const int least = random_below(r, 20), most = least + random_below(r, 20);
	const struct bounding bounding = { { least, most }, spans_one(&within) };
	struct signal many[7], any[7], rest[7], number;

	for (size_t i = 0; i < n; i++) {
		const struct track t = random_track(r, mem);

		many[i] = signal_from_track(mem, &t, within);
		any[i] = filled(r, mem, many[i], least, most);
	}
	const enum fold fold = random_fold(r, OVER_SETS);
	const struct others o = others_new_in(mem, many, n, fold, 0, 1 + (size_t)random_below(r, 4), &bounding);
	for (size_t member = 0; member < n; member++) {
		struct bounds b, own;
		size_t n_rest = 0;

		for (size_t i = 0; i < n; i++)
			if (i != member)
				rest[n_rest++] = any[i];
		const struct signal truth = signal_across(mem, rest, n_rest, fold, 0);
		for (size_t i = 0, k = 0; i < n; i++)
			if (i != member)
				rest[k++] = many[i];
		const bool has_own = signal_across_bounds(mem, rest, n_rest, fold, 0, &bounding, &number, &own);
		const bool has_bounds = others_bounds(mem, &o, member, &b);
		if (has_own && !has_bounds)
			return false;
		for (time_ms ms = within.begin; ms < within.end && has_bounds; ms++) {
			const bool is_told = has_own && !isnan(at(&own.low, ms));

			if (!lies_in(&b, &truth, ms))
				return false;
			if (is_told && !(is_same(at(&own.low, ms), at(&b.low, ms)) && is_same(at(&own.high, ms), at(&b.high, ms))))
				return false;
		}
	}
	return true;
}

/* Polls with a few ms between their rows say the same as polls without. */
static bool rows_of_a_poll_are_one_moment(struct random *r, struct arena *mem)
{
	const struct span within = { 0, 1000 };
	const size_t n = 1 + (size_t)random_below(r, 6), n_polls = 1 + (size_t)random_below(r, 30);
	const enum fold fold = random_fold(r, OVER_SETS);
	struct signal late[6], at_once[6];

	for (size_t i = 0; i < n; i++) {
		time_ms *times = NEW_ARRAY(mem, time_ms, n_polls), *polls = NEW_ARRAY(mem, time_ms, n_polls);
		fixed *values = NEW_ARRAY(mem, fixed, n_polls);

		for (size_t k = 0; k < n_polls; k++) {
			polls[k] = (time_ms)k * 20;
			times[k] = polls[k] + (time_ms)i; /* at most 5 */
			values[k] = random_one_in(r, 9) ? FIXED_MISSING : random_below(r, 3) * FIXED_ONE;
		}
		late[i] = signal_from_track(mem, &(struct track){ .times = times, .values = values, .n = n_polls, .step = 20 }, within);
		at_once[i] = signal_from_track(mem, &(struct track){ .times = polls, .values = values, .n = n_polls, .step = 20 }, within);
	}
	const struct signal got = signal_across(mem, late, n, fold, 5), want = signal_across(mem, at_once, n, fold, 0);
	for (size_t k = 0; k < n_polls; k++)
		if (!is_same(at(&got, (time_ms)k * 20 + 5), at(&want, (time_ms)k * 20 + 5)))
			return false;
	return got.n == want.n;
}

static bool shifting_shifts_results_and_nothing_else(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct span within = random_span(r);
	const time_ms by = (time_ms)random_below(r, 1000000) * 2000000, width = 1 + random_below(r, 80);
	const enum fold fold = random_fold(r, OVER_TIME);
	time_ms *times = NEW_ARRAY(mem, time_ms, t.n);
	struct track late = t;

	for (size_t i = 0; i < t.n; i++)
		times[i] = track_time(&t, i) + by;
	late.times = times;
	const struct span late_within = { within.begin + by, within.end + by };
	const struct signal a = signal_rolling(mem, signal_from_track(mem, &t, within), width, fold);
	const struct signal b = signal_rolling(mem, signal_from_track(mem, &late, late_within), width, fold);

	if (a.n != b.n || a.end + by != b.end)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (a.at[i].begin + by != b.at[i].begin || !is_same(a.at[i].value, b.at[i].value))
			return false;
	return true;
}

/* Quotients, as of a power and its limit: hardly one of them is a number of a few bits. */
static struct signal random_quotients(struct random *r, struct arena *mem, const size_t n)
{
	struct piece *const pieces = NEW_ARRAY(mem, struct piece, n);

	for (size_t i = 0; i < n; i++)
		pieces[i] = (struct piece){ (time_ms)i * SECOND_MS, random_below(r, 20) ? 100.0 * (double)random_below(r, 1000) / 700 : NAN };
	return (struct signal){ pieces, n, (time_ms)n * SECOND_MS };
}

/* What a window says is the same to the last bit, however much before it is looked at: a mean that equals a threshold passes it or not. */
static bool windows_hang_on_no_begin(struct random *r, struct arena *mem)
{
	static const enum fold folds[] = { FOLD_MEAN, FOLD_TOTAL, FOLD_MIN, FOLD_MAX, FOLD_SPREAD, FOLD_P50 };
	const enum fold fold = folds[random_below(r, sizeof folds / sizeof *folds)];
	const struct signal s = random_quotients(r, mem, 30 + (size_t)random_below(r, 100));
	const size_t first = (size_t)random_below(r, 15);
	const struct signal late = { s.at + first, s.n - first, s.end };
	const time_ms width = 1 + random_below(r, 12 * SECOND_MS);
	const struct signal a = signal_rolling(mem, s, width, fold), b = signal_rolling(mem, late, width, fold);

	for (time_ms ms = late.at[0].begin + width; ms < s.end; ms += 50)
		if (!is_same(at(&a, ms), at(&b, ms)))
			return false;
	return true;
}

/* What rises as it falls has no slope, exactly: it is compared with 0. */
static bool what_rises_as_it_falls_has_no_slope(struct random *r, struct arena *mem)
{
	const size_t half = 1 + (size_t)random_below(r, 60), n = 2 * half;
	struct piece *const pieces = NEW_ARRAY(mem, struct piece, n);

	for (size_t i = 0; i < half; i++) {
		pieces[i] = (struct piece){ (time_ms)i * SECOND_MS, 100.0 * (double)random_below(r, 1000) / 700 };
		pieces[n - 1 - i] = (struct piece){ (time_ms)(n - 1 - i) * SECOND_MS, pieces[i].value };
	}
	const struct signal s = { pieces, n, (time_ms)n * SECOND_MS };
	const struct signal slope = signal_rolling(mem, s, s.end, FOLD_SLOPE);
	return at(&slope, (time_ms)half * SECOND_MS) == 0;
}

static bool sorting_sorts(struct random *r, struct arena *mem)
{
	const size_t n = (size_t)random_below(r, 200);
	struct ordered *items = NEW_ARRAY(mem, struct ordered, n);
	const int shift = random_below(r, 64);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		items[i] = (struct ordered){ random_bits(r) >> shift, (int64_t)i };
		sum += items[i].key * (i + 1);
	}
	order_sort(mem, items, n);
	for (size_t i = 0; i < n; i++) {
		sum -= items[i].key * (uint64_t)(items[i].load + 1);
		if (i > 0 && (items[i].key < items[i - 1].key ||
				     (items[i].key == items[i - 1].key && items[i].load < items[i - 1].load)))
			return false;
	}
	return sum == 0;
}

static bool keys_sort_as_their_values(struct random *r, struct arena *mem)
{
	const int64_t a = integer_from_key(random_bits(r)), b = integer_from_key(random_bits(r));
	const double x = ldexp((double)a, random_below(r, 200) - 100), y = ldexp((double)b, random_below(r, 200) - 100);

	(void)mem;
	return (a < b) == (key_from_integer(a) < key_from_integer(b)) && integer_from_key(key_from_integer(a)) == a &&
		(x < y) == (key_from_double(x) < key_from_double(y)) && double_from_key(key_from_double(x)) == x &&
		key_from_double(0.0) == key_from_double(-0.0);
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW(signals_are_tracks_ms_by_ms),
		LAW(holes_are_what_no_row_covers),
		LAW(median_step_has_half_on_each_side),
		LAW(zip_agrees_ms_by_ms),
		LAW(rolling_is_right_where_the_input_changes),
		LAW(means_of_samples_are_of_whole_sums),
		LAW(rolling_is_never_older_than_a_quarter),
		LAW(folds_of_a_constant_are_it),
		LAW(folds_are_in_order),
		LAW(folds_of_tracks_are_those_of_their_signals),
		LAW(percentiles_of_odd_values_are_those_of_sorting),
		LAW(parts_in_turn_are_the_signal),
		LAW(within_spans_it_is_the_signal),
		LAW(shares_kept_small_add_up_as_their_signal),
		LAW(statistics_agree_with_folds),
		LAW(the_highest_is_first_where_it_is_said),
		LAW(splitting_a_sample_changes_nothing),
		LAW(stddev_is_that_of_the_definition),
		LAW(integrals_add_up),
		LAW(across_agrees_ms_by_ms),
		LAW(all_but_one_are_those_without_it),
		LAW(crowds_are_ranked_as_if_sorted),
		LAW(parts_of_time_join_without_a_seam),
		LAW(what_some_miss_lies_in_bounds),
		LAW(bounds_are_the_same_in_part_of_the_time),
		LAW(what_others_miss_lies_in_bounds),
		LAW(rows_of_a_poll_are_one_moment),
		LAW(shifting_shifts_results_and_nothing_else),
		LAW(windows_hang_on_no_begin),
		LAW(what_rises_as_it_falls_has_no_slope),
		LAW(sorting_sorts),
		LAW(keys_sort_as_their_values),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
