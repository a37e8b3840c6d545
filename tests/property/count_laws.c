/*
 * count_laws.c - what is counted by values, by codes or in rounds is what sorting all samples would say, in every bit.
 *
 * Tracks have packed columns of all widths, with holes, missing cells, negative values, ranges of a single value and of all 64
 * bits, and formulas; spans cut samples. What they are held against is written down below as plainly as can be.
 */
#include "series.h"

#include "series/rank.h"
#include "series/stats.h"
#include <stdlib.h>

#define LONG (3 * PACK + 40)

static fixed any_unit(struct random *r)
{
	static const fixed units[] = { 1, 10, 1000, 10000, 100000, FIXED_ONE, 7 * FIXED_ONE, 123457 };

	return units[random_below(r, sizeof units / sizeof units[0])];
}

/* Steps from 0: few, hundreds, as power in hundredths, too many for a table. */
static int any_range(struct random *r)
{
	static const int ranges[] = { 1, 2, 20, 101, 300, 70000, 2000000, 1 << 30 };

	return ranges[random_below(r, sizeof ranges / sizeof ranges[0])];
}

static fixed *any_numbers(struct random *r, struct arena *mem, const size_t n)
{
	fixed *const numbers = NEW_ARRAY(mem, fixed, n);
	const fixed unit = any_unit(r), level = (random_below(r, 2001) - 1000) * unit;
	const int missing = random_one_in(r, 3) ? 2 + random_below(r, 300) : 1 << 30, quiet = 1 + random_below(r, 200);
	const bool is_wild = random_one_in(r, 12);
	const size_t dark = random_one_in(r, 6) ? (size_t)random_below(r, LONG) : n; /* whole packs without a value */
	int range = any_range(r), coarse = 1;

	for (size_t i = 0; i < n; i++) {
		if (random_one_in(r, PACK)) /* packs of other widths and units */
			range = random_one_in(r, 2) ? 1 + random_below(r, 300) : any_range(r);
		if (random_one_in(r, PACK))
			coarse = random_one_in(r, 2) ? 1 : 10;
		numbers[i] = i > 0 && !random_one_in(r, quiet) ? numbers[i - 1] : level + random_below(r, range) * unit * coarse;
		if (is_wild)
			numbers[i] = (fixed)(random_bits(r) >> random_below(r, 2)) | 1; /* never FIXED_MISSING */
		if (random_one_in(r, missing) || (i >= dark && i < dark + 2 * PACK))
			numbers[i] = FIXED_MISSING;
	}
	return numbers;
}

/* Some of the packs were wider once, up to numbers as they are, as a reader leaves them that writes a number a second time. */
static struct packed rewritten(struct random *r, struct arena *mem, const fixed *numbers, const size_t n)
{
	struct packer p = packer_new(mem, false);

	for (size_t i = 0; i < n; i++)
		packer_add(&p, random_one_in(r, 100) ? numbers[i] / 2 + ((fixed)1 << random_below(r, 60)) : numbers[i]);
	for (size_t i = 0; i < n; i++)
		packer_set(&p, i, numbers[i]);
	return packer_done(&p);
}

static struct formula any_formula(struct random *r, const bool is_small)
{
	if (!is_small || random_one_in(r, 2))
		return (struct formula){ FORMULA_AS_IT_IS, 0 };
	return (struct formula){ (enum formula_kind)random_below(r, FORMULA_FLAG + 1), (1 + random_below(r, 90000)) * (int64_t)FIXED_ONE };
}

static bool are_small(const fixed *numbers, const size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (numbers[i] != FIXED_MISSING && llabs(numbers[i]) > (fixed)1 << 52)
			return false;
	return true;
}

/* ms from one sample to the next: mostly so few that spans of up to LONG ms cut them; else they hold for longer than 16 bits say. */
static time_ms any_scale(struct random *r, const size_t n)
{
	return n > 0 && random_one_in(r, 8) ? 1 + random_below(r, 40000) : 1;
}

static struct track packed_track(struct random *r, struct arena *mem)
{
	const size_t n = (size_t)random_below(r, random_one_in(r, 3) ? 4 : LONG);
	const int hole = 20 + random_below(r, 400), steps = 1 + random_below(r, 3);
	const time_ms scale = any_scale(r, n);
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	const fixed *const numbers = any_numbers(r, mem, n);

	for (size_t i = 0; i < n; i++)
		times[i] = (i > 0 ? times[i - 1] : -100) + scale + random_below(r, steps) + (random_one_in(r, hole) ? 40 * scale : 0);
	const time_ms step = median_step(mem, times, n);
	return (struct track){ .clock = packed_from(mem, times, n, true),
		.column = random_one_in(r, 4) && are_small(numbers, n) ? rewritten(r, mem, numbers, n) : packed_from(mem, numbers, n, false),
		.formula = any_formula(r, are_small(numbers, n)), .n = n, .step = step,
		.steps = random_steps(r, mem, n, step) };
}

/* What is in its chunks is known of every second one. */
static void summarise(struct random *r, struct arena *mem, struct track *t)
{
	struct track column = *t;

	if (random_one_in(r, 2))
		return;
	column.formula = (struct formula){ FORMULA_AS_IT_IS, 0 };
	t->chunks = chunks_of(mem, t);
	t->raw = random_one_in(r, 2) ? chunks_of(mem, &column).at : NULL;
}

static struct spans any_spans(struct random *r, struct arena *mem, const struct track *t)
{
	const time_ms scale = t->step > LONG ? t->step : 1;
	struct span any[4];
	const size_t n = (size_t)random_below(r, 5);

	for (size_t i = 0; i < n; i++) {
		any[i].begin = (random_below(r, 3 * LONG) - 200) * scale;
		any[i].end = any[i].begin + random_below(r, random_one_in(r, 2) ? 30 : 4 * LONG) * scale;
	}
	return spans_of(mem, any, n);
}

/* ---- by sorting ---- */

struct weighed {
	fixed value;
	time_ms weight;
};

struct sorted {
	struct weighed *at;
	size_t n;
	time_ms known;
};

static int by_value(const void *a, const void *b)
{
	const fixed x = ((const struct weighed *)a)->value, y = ((const struct weighed *)b)->value;

	return (x > y) - (x < y);
}

static struct sorted sorted_of(struct arena *mem, const struct track *t, const struct spans within)
{
	struct sorted s = { .at = NEW_ARRAY(mem, struct weighed, t->n * within.n) };

	for (size_t k = 0; k < within.n; k++)
		for (size_t i = 0; i < t->n; i++) {
			const struct span in = within.at[k], held = { track_time(t, i), track_until(t, i) };
			const time_ms begin = held.begin > in.begin ? held.begin : in.begin, end = held.end < in.end ? held.end : in.end;

			if (track_value(t, i) == FIXED_MISSING || end <= begin)
				continue;
			s.at[s.n++] = (struct weighed){ track_value(t, i), end - begin };
			s.known += end - begin;
		}
	qsort(s.at, s.n, sizeof *s.at, by_value);
	return s;
}

static double sorted_quantile(const struct sorted *s, const int percent)
{
	time_ms up_to = 0;
	size_t i = 0;

	while ((up_to += s->at[i].weight) * 100 < s->known * percent)
		i++;
	return fixed_value(s->at[i].value);
}

static int128 sorted_sum(const struct sorted *s)
{
	int128 sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += (int128)s->at[i].value * s->at[i].weight;
	return sum;
}

static double sorted_mean(const struct sorted *s)
{
	const int128 sum = sorted_sum(s);

	return ((double)(sum / s->known) + (double)(sum % s->known) / (double)s->known) / FIXED_ONE;
}

/* About the mean as it is, in doubles. */
static double sorted_stddev(const struct sorted *s)
{
	const double mean = sorted_mean(s);
	double squares = 0;

	for (size_t i = 0; i < s->n; i++)
		squares += (fixed_value(s->at[i].value) - mean) * (fixed_value(s->at[i].value) - mean) * (double)s->at[i].weight;
	return sqrt(squares / (double)s->known);
}

/* The mean is rounded to a double before it is taken off: what that can be wrong by, relative to the largest value. */
static bool is_stddev(const double found, const struct sorted *s)
{
	const double largest = fmax(fabs(fixed_value(s->at[0].value)), fabs(fixed_value(s->at[s->n - 1].value)));

	return fabs(found - sorted_stddev(s)) <= 1e-12 * largest + 1e-9 * found + 1e-6;
}

/* ---- laws ---- */

static bool stats_are_same(const struct stats *a, const struct stats *b)
{
	return is_same(a->mean, b->mean) && is_same(a->min, b->min) && is_same(a->p5, b->p5) && is_same(a->p50, b->p50) &&
		is_same(a->p95, b->p95) && is_same(a->max, b->max) && is_same(a->stddev, b->stddev) && a->known == b->known &&
		a->judged == b->judged;
}

static bool statistics_are_those_of_sorted_samples(struct random *r, struct arena *mem)
{
	struct track t = packed_track(r, mem);
	const struct spans within = any_spans(r, mem, &t);
	const struct sorted s = sorted_of(mem, &t, within);
	summarise(r, mem, &t);
	const struct stats found = track_stats(mem, &t, within), means = track_means(&t, within);

	if (!is_same(means.mean, found.mean) || !is_same(means.min, found.min) || !is_same(means.max, found.max) ||
		means.known != found.known || means.judged != found.judged)
		return false;
	if (found.known != s.known || found.judged != spans_length(within) || track_known_time(&t, within) != s.known)
		return false;
	if (s.known == 0)
		return isnan(found.mean) && isnan(found.p50) && isnan(found.stddev) && track_integral(&t, within) == 0;
	return found.mean == sorted_mean(&s) && found.min == fixed_value(s.at[0].value) && found.max == fixed_value(s.at[s.n - 1].value) &&
		found.p5 == sorted_quantile(&s, 5) && found.p50 == sorted_quantile(&s, 50) && found.p95 == sorted_quantile(&s, 95) &&
		is_stddev(found.stddev, &s);
}

/* Plain values are gone through for each number, packed ones counted once. */
static bool statistics_are_the_same_however_values_are_kept(struct random *r, struct arena *mem)
{
	struct track t = packed_track(r, mem);
	const struct spans within = any_spans(r, mem, &t);
	struct track plain = t;
	fixed *const values = NEW_ARRAY(mem, fixed, t.n + 1);

	track_values(&t, 0, t.n, values);
	plain.values = values;
	summarise(r, mem, &t);
	const struct stats a = track_stats(mem, &t, within), b = track_stats(mem, &plain, within);
	return stats_are_same(&a, &b) && track_integral(&t, within) == track_integral(&plain, within) &&
		track_highest_at(&t, within) == track_highest_at(&plain, within);
}

static double sorted_fold(const struct sorted *s, const enum fold fold)
{
	const double low = fixed_value(s->at[0].value), high = fixed_value(s->at[s->n - 1].value);

	switch (fold) {
	case FOLD_MEAN:
		return sorted_mean(s);
	case FOLD_MIN:
		return low;
	case FOLD_MAX:
		return high;
	case FOLD_SPREAD:
		return high - low;
	default:
		return sorted_quantile(s, fold_percent(fold));
	}
}

static bool folds_are_those_of_sorted_samples(struct random *r, struct arena *mem)
{
	struct track t = packed_track(r, mem);
	const struct spans within = any_spans(r, mem, &t);
	const struct sorted s = sorted_of(mem, &t, within);
	const enum fold fold = (enum fold)(FOLD_MEAN + random_below(r, FOLD_SPREAD - FOLD_MEAN + 1));
	time_ms known;

	summarise(r, mem, &t);
	const double found = track_fold(mem, &t, 1, within, fold, &known);
	return known == s.known && (s.known == 0 ? isnan(found) : found == sorted_fold(&s, fold));
}

static struct spans many_spans(struct random *r, struct arena *mem)
{
	struct span any[40];
	const size_t n = (size_t)random_below(r, 40);

	for (size_t i = 0; i < n; i++) {
		any[i].begin = random_below(r, 3 * LONG) - 200;
		any[i].end = any[i].begin + random_below(r, 30);
	}
	return spans_of(mem, any, n);
}

/* Of several tracks on one clock, in other spans meanwhile. */
static bool folds_are_the_same_of_what_was_found(struct random *r, struct arena *mem)
{
	struct track tracks[2] = { packed_track(r, mem) };
	const struct spans within[2] = { any_spans(r, mem, &tracks[0]), many_spans(r, mem) };
	struct found_of_tracks all = { mem, NULL, NULL, NULL };

	tracks[1] = tracks[0];
	tracks[1].column = packed_from(mem, any_numbers(r, mem, tracks[0].n), tracks[0].n, false);
	tracks[1].formula = (struct formula){ FORMULA_AS_IT_IS, 0 };
	for (int i = 0; i < 2 && random_one_in(r, 2); i++)
		tracks[i].chunks = chunks_of(mem, &tracks[i]);
	for (int i = 0; i < 8; i++) {
		const enum fold fold = (enum fold)(FOLD_MEAN + random_below(r, FOLD_SPREAD - FOLD_MEAN + 1));
		const struct track *const t = &tracks[random_below(r, 2)];
		const struct spans there = within[random_below(r, 2)];
		time_ms known, known_then;
		const double found = track_fold(mem, t, 1, there, fold, &known);
		if (!is_same(track_fold_found(&all, mem, t, 1, there, fold, &known_then), found) || known_then != known)
			return false;
	}
	return true;
}

/* Of a track nearly all, as steady time is; or any. */
static struct spans most_spans(struct random *r, struct arena *mem, const struct track *t)
{
	const struct span all = track_span(t), more = { all.begin - random_below(r, 3), all.end + random_below(r, 3) };

	if (random_one_in(r, 4))
		return any_spans(r, mem, t);
	return random_one_in(r, 3) ? spans_of(mem, &more, 1) : spans_without(mem, spans_of(mem, &all, 1), many_spans(r, mem));
}

/* Of a column and a share of it, whoever asked before, and together as alone. */
static bool counts_are_never_seen(struct random *r, struct arena *mem)
{
	struct counts *const counts = counts_new();
	struct track tracks[2] = { packed_track(r, mem) };
	const struct track *const both[2] = { &tracks[0], &tracks[1] };
	bool is_so = true;

	tracks[1] = tracks[0];
	tracks[0].formula = (struct formula){ FORMULA_AS_IT_IS, 0 };
	for (int i = 0; i < 2; i++)
		summarise(r, mem, &tracks[i]);
	for (int i = 0; is_so && i < 5; i++) {
		const struct spans within = most_spans(r, mem, &tracks[0]);
		const struct stats alone[2] = { track_stats(mem, &tracks[0], within), track_stats(mem, &tracks[1], within) };
		struct found_of_tracks all = { mem, counts, NULL, NULL };
		struct stats found[2];
		time_ms known;

		tracks_stats(counts, mem, both, 2, within, found);
		is_so = stats_are_same(&found[0], &alone[0]) && stats_are_same(&found[1], &alone[1]) &&
			is_same(track_fold_found(&all, mem, both[i % 2], 1, within, FOLD_P95, &known), alone[i % 2].p95) &&
			known == alone[i % 2].known;
	}
	counts_release(counts);
	return is_so;
}

/* Entries of one value as one. */
static size_t joined(struct weighed *at, const size_t n)
{
	size_t n_joined = 0;

	for (size_t i = 0; i < n; i++) {
		if (n_joined > 0 && at[n_joined - 1].value == at[i].value)
			at[n_joined - 1].weight += at[i].weight;
		else
			at[n_joined++] = at[i];
	}
	return n_joined;
}

static bool values_are_held_as_sorted_samples_are(struct random *r, struct arena *mem)
{
	struct track t = packed_track(r, mem);
	const struct spans within = any_spans(r, mem, &t);
	const struct sorted s = sorted_of(mem, &t, within);
	summarise(r, mem, &t);
	const struct holdings found = track_holdings(mem, &t, within);
	struct weighed *const at = NEW_ARRAY(mem, struct weighed, found.n);

	for (size_t i = 0; i < found.n; i++)
		at[i] = (struct weighed){ found.at[i].value, found.at[i].held };
	qsort(at, found.n, sizeof *at, by_value);
	const size_t n = joined(at, found.n), n_wanted = joined(s.at, s.n);
	bool is_so = n == n_wanted;
	for (size_t i = 0; is_so && i < n; i++)
		is_so = at[i].value == s.at[i].value && at[i].weight == s.at[i].weight;
	return is_so && is_same(track_lowest(&t, within), n ? fixed_value(s.at[0].value) : (double)NAN);
}

static bool what_is_missing_to_a_reference_is_that_of_sorted_samples(struct random *r, struct arena *mem)
{
	struct track t = packed_track(r, mem);
	const struct spans within = any_spans(r, mem, &t);
	const struct sorted s = sorted_of(mem, &t, within);
	summarise(r, mem, &t);
	const fixed about = s.n ? s.at[random_below(r, (int)s.n)].value : 0, reference = about / 2 + random_below(r, 3) * (about / 4);
	const struct shortfall found = track_shortfall(mem, &t, within, reference);
	double missing = 0;

	if (s.known == 0)
		return isnan(found.mean) && isnan(found.share);
	for (size_t i = 0; i < s.n; i++)
		if (s.at[i].value < reference)
			missing += (1 - (double)s.at[i].value / (double)reference) * (double)s.at[i].weight;
	const double share = reference > 0 ? missing / (double)s.known : 0;
	return found.mean == sorted_mean(&s) && fabs(found.share - share) <= 1e-9 * (1 + fabs(share));
}

/* Samples that begin in a span, each for all that it holds. */
static struct sorted begun_in(struct arena *mem, const struct track *t, const struct spans within)
{
	struct sorted s = { .at = NEW_ARRAY(mem, struct weighed, t->n) };

	for (size_t i = 0; i < t->n; i++)
		if (track_value(t, i) != FIXED_MISSING && spans_hold(within, track_time(t, i)))
			s.at[s.n++] = (struct weighed){ track_value(t, i), track_until(t, i) - track_time(t, i) };
	qsort(s.at, s.n, sizeof *s.at, by_value);
	return s;
}

static bool is_side(const struct side *side, const struct weighed *first, const size_t n)
{
	const struct sorted s = { (struct weighed *)first, n, 0 };
	time_ms held = 0;

	for (size_t i = 0; i < n; i++)
		held += first[i].weight;
	return side->held == held && side->weighted == sorted_sum(&s);
}

static bool ranks_and_sides_are_those_of_sorted_samples(struct random *r, struct arena *mem)
{
	struct track t = packed_track(r, mem);
	const struct spans within = any_spans(r, mem, &t);
	const struct sorted s = begun_in(mem, &t, within);

	summarise(r, mem, &t);
	const struct ranks ranks = track_ranks(&t, within);
	if (ranks.n != s.n || s.n == 0)
		return ranks.n == s.n && ranks.low > ranks.high;
	const size_t wanted[3] = { 0, (size_t)random_below(r, (int)s.n), (size_t)random_below(r, (int)s.n) };
	fixed found[3];
	size_t below = 0;
	track_ranked(mem, &t, within, &ranks, wanted, 3, found);
	while (below < s.n && s.at[below].value < found[2])
		below++;
	const struct sides sides = track_sides(&t, within, found[2]);
	return found[0] == ranks.low && s.at[s.n - 1].value == ranks.high && found[0] == s.at[0].value && found[1] == s.at[wanted[1]].value &&
		found[2] == s.at[wanted[2]].value && is_side(&sides.below, s.at, below) && is_side(&sides.above, s.at + below, s.n - below);
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(statistics_are_those_of_sorted_samples, 4),
		LAW_ONE_IN(statistics_are_the_same_however_values_are_kept, 4),
		LAW_ONE_IN(folds_are_those_of_sorted_samples, 4),
		LAW_ONE_IN(folds_are_the_same_of_what_was_found, 4),
		LAW_ONE_IN(counts_are_never_seen, 8),
		LAW_ONE_IN(values_are_held_as_sorted_samples_are, 4),
		LAW_ONE_IN(what_is_missing_to_a_reference_is_that_of_sorted_samples, 4),
		LAW_ONE_IN(ranks_and_sides_are_those_of_sorted_samples, 4),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
