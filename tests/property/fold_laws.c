/*
 * fold_laws.c - folds of signals and growth of counters against their definitions, ms by ms in long double.
 */
#include "property/laws.h"
#include "property/series.h"
#include "series/signal.h"

#include <math.h>

#define LAST 60 /* ms */
static const struct span whole = { 0, LAST };

/* Few values or many, sometimes ones that no double holds exactly; one in four or so is not known. */
static struct signal random_signal(struct random *r, struct arena *mem)
{
	struct piece *pieces = NEW_ARRAY(mem, struct piece, LAST);
	const int steps = 1 + random_below(r, 8), range = 2 + random_below(r, 30), missing = 2 + random_below(r, 8);
	const double unit = random_one_in(r, 2) ? 1 : 0.1;
	size_t n = 0;

	for (time_ms t = 0; t < LAST; t += 1 + random_below(r, steps))
		pieces[n++] = (struct piece){ t, random_one_in(r, missing) ? (double)NAN : (random_below(r, range) - range / 3) * unit };
	return (struct signal){ pieces, n, LAST };
}

/* What holds at each ms of some time, in order; what is not known is left out. */
struct values {
	size_t n;
	double value[LAST];
	long double time[LAST]; /* the middle of the ms */
};

static struct values values_in(const struct signal *s, const struct spans within)
{
	struct values v = { .n = 0 };

	for (size_t i = 0; i < s->n; i++) {
		const time_ms end = i + 1 < s->n ? s->at[i + 1].begin : s->end;

		for (time_ms t = s->at[i].begin; t < end; t++) {
			if (isnan(s->at[i].value) || !spans_hold(within, t))
				continue;
			v.value[v.n] = s->at[i].value;
			v.time[v.n++] = (long double)t + 0.5L;
		}
	}
	return v;
}

static long double sum_of(const struct values *v)
{
	long double sum = 0;

	for (size_t i = 0; i < v->n; i++)
		sum += (long double)v->value[i];
	return sum;
}

static double lowest_with(const struct values *v, const int percent)
{
	double found = INFINITY;

	for (size_t i = 0; i < v->n; i++) {
		size_t up_to = 0;

		for (size_t k = 0; k < v->n; k++)
			up_to += v->value[k] <= v->value[i];
		if (100 * up_to >= v->n * (size_t)percent && v->value[i] < found)
			found = v->value[i];
	}
	return found;
}

static double highest(const struct values *v)
{
	double found = -INFINITY;

	for (size_t i = 0; i < v->n; i++)
		found = v->value[i] > found ? v->value[i] : found;
	return found;
}

static double changes_of(const struct values *v)
{
	int n = 0;

	for (size_t i = 1; i < v->n; i++)
		n += v->value[i] != v->value[i - 1];
	return n;
}

/* Of all points on the curve: 1/12 is what time varies inside one ms. */
static double slope_of(const struct values *v)
{
	const long double value = sum_of(v) / (long double)v->n;
	long double time = 0, both = 0, times = (long double)v->n / 12;

	for (size_t i = 0; i < v->n; i++)
		time += v->time[i] / (long double)v->n;
	for (size_t i = 0; i < v->n; i++) {
		both += (v->time[i] - time) * ((long double)v->value[i] - value);
		times += (v->time[i] - time) * (v->time[i] - time);
	}
	return (double)(both / times * SECOND_MS);
}

static double deviation_of(const struct values *v)
{
	const long double mean = sum_of(v) / (long double)v->n;
	long double squares = 0;

	for (size_t i = 0; i < v->n; i++)
		squares += ((long double)v->value[i] - mean) * ((long double)v->value[i] - mean);
	return (double)sqrtl(squares / (long double)v->n);
}

static double defined(const struct values *v, const enum fold fold)
{
	if (v->n == 0)
		return NAN;
	if (fold_percent(fold) > 0)
		return lowest_with(v, fold_percent(fold));
	switch (fold) {
	case FOLD_MIN:
		return lowest_with(v, 0);
	case FOLD_MAX:
		return highest(v);
	case FOLD_SPREAD:
		return highest(v) - lowest_with(v, 0);
	case FOLD_SHARE:
		return (double)(100 * sum_of(v) / (long double)v->n);
	case FOLD_TOTAL:
	case FOLD_DELTA:
		return (double)(sum_of(v) / SECOND_MS);
	case FOLD_STDDEV:
		return deviation_of(v);
	case FOLD_SLOPE:
		return slope_of(v);
	case FOLD_CHANGES:
		return changes_of(v);
	default: /* mean and rate */
		return (double)(sum_of(v) / (long double)v->n);
	}
}

static bool is_near(const double a, const double b)
{
	return is_same(a, b) || fabs(a - b) <= 1e-10 * (100 + fabs(b));
}

static struct spans random_parts(struct random *r, struct arena *mem)
{
	struct span any[3];

	for (size_t i = 0; i < 3; i++)
		any[i] = (struct span){ random_below(r, LAST), random_below(r, LAST + 10) };
	return spans_of(mem, any, (size_t)random_below(r, 4));
}

static bool folds_are_as_defined(struct random *r, struct arena *mem)
{
	const struct signal s = random_signal(r, mem);
	const struct spans within = random_parts(r, mem);
	const enum fold fold = random_fold(r, OVER_TIME);
	const struct values v = values_in(&s, within);

	return is_near(signal_fold(mem, s, within, fold), defined(&v, fold));
}

/* Of a window that is cut to the signal, and at least half of it known. */
static double defined_around(const struct signal *s, const time_ms t, const time_ms width, const enum fold fold)
{
	const time_ms begin = t - width / 2, end = begin + width;
	const struct span window = { begin > 0 ? begin : 0, end < LAST ? end : LAST };
	const struct values v = values_in(s, spans_one(&window));

	return 2 * (time_ms)v.n >= span_length(window) ? defined(&v, fold) : (double)NAN;
}

static bool rolling_folds_are_as_defined(struct random *r, struct arena *mem)
{
	const struct signal s = random_signal(r, mem);
	const time_ms width = 1 + random_below(r, random_one_in(r, 2) ? 12 : 2 * LAST);
	const enum fold fold = random_fold(r, OVER_TIME);
	const struct signal rolled = signal_rolling(mem, s, width, fold);

	for (int i = 0; i < 4; i++) {
		const time_ms t = s.at[random_below(r, (int)s.n)].begin;

		if (!is_near(at(&rolled, t), defined_around(&s, t, width, fold)))
			return false;
	}
	return is_well_formed(&rolled, whole);
}

/* Each piece may become two of the same value. */
static struct signal with_duplicates(struct random *r, struct arena *mem, const struct signal s)
{
	struct piece *pieces = NEW_ARRAY(mem, struct piece, 2 * s.n);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		const time_ms end = i + 1 < s.n ? s.at[i + 1].begin : s.end, length = end - s.at[i].begin;

		pieces[n++] = s.at[i];
		if (length > 1 && random_one_in(r, 2))
			pieces[n++] = (struct piece){ s.at[i].begin + 1 + random_below(r, (int)length - 1), s.at[i].value };
	}
	return (struct signal){ pieces, n, s.end };
}

static bool duplicated_samples_change_nothing(struct random *r, struct arena *mem)
{
	const struct signal s = random_signal(r, mem), twice = with_duplicates(r, mem, s);
	const struct spans within = random_parts(r, mem);
	const enum fold fold = random_fold(r, OVER_TIME);
	const time_ms width = 1 + random_below(r, LAST), t = s.at[random_below(r, (int)s.n)].begin;
	const struct signal a = signal_rolling(mem, s, width, fold), b = signal_rolling(mem, twice, width, fold);

	return is_near(signal_fold(mem, s, within, fold), signal_fold(mem, twice, within, fold)) && is_near(at(&a, t), at(&b, t));
}

static struct signal rounded_and_raised(struct arena *mem, const struct signal s, const double by)
{
	struct piece *pieces = NEW_ARRAY(mem, struct piece, s.n);

	for (size_t i = 0; i < s.n; i++)
		pieces[i] = (struct piece){ s.at[i].begin, floor(s.at[i].value) + by };
	return (struct signal){ pieces, s.n, s.end };
}

/* Adding a constant moves means and extremes by it; deviations, slopes and changes stay. */
static bool constants_added_move_or_stay(struct random *r, struct arena *mem)
{
	static const struct {
		enum fold fold;
		double moves;
	} folds[] = { { FOLD_STDDEV, 0 }, { FOLD_SLOPE, 0 }, { FOLD_CHANGES, 0 }, { FOLD_SPREAD, 0 },
		{ FOLD_MEAN, 1 }, { FOLD_MIN, 1 }, { FOLD_MAX, 1 }, { FOLD_P50, 1 }, { FOLD_P99, 1 } };
	const struct signal any = random_signal(r, mem);
	const double by = (double)random_below(r, 1000000);
	const struct signal low = rounded_and_raised(mem, any, 0), high = rounded_and_raised(mem, any, by);
	const struct spans within = random_parts(r, mem);

	for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++) {
		const double a = signal_fold(mem, low, within, folds[i].fold), b = signal_fold(mem, high, within, folds[i].fold);

		if (!is_same(isnan(a), isnan(b)) || fabs(b - a - folds[i].moves * by) > 1e-6)
			return false;
	}
	return true;
}

/* A counter with late rows, holes and missing cells; it restarts one time in `restarts`, never for 0. */
static struct track random_counter(struct random *r, struct arena *mem, const int restarts)
{
	const size_t n = (size_t)random_below(r, 30);
	const int missing = 2 + random_below(r, 8), late = 2 + random_below(r, 12);
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n), counter = random_below(r, 100) * FIXED_ONE;

	for (size_t i = 0; i < n; i++) {
		times[i] = (i > 0 ? times[i - 1] : 0) + 1 + random_below(r, 3) + (random_one_in(r, late) ? random_below(r, 40) : 0);
		counter = restarts > 0 && random_one_in(r, restarts) ? 0 : counter;
		counter += random_below(r, 5) * (FIXED_ONE / 4);
		values[i] = random_one_in(r, missing) ? FIXED_MISSING : counter;
	}
	return (struct track){ .times = times, .values = values, .n = n, .step = median_step(mem, times, n) };
}

static const struct span ever = { -10, 2000 };

static bool is_known(const struct track *t, const size_t i)
{
	return track_value(t, i) != FIXED_MISSING;
}

/* What it shows in the end and did not in the beginning, and all that was lost by restarts. */
static bool all_growth_is_what_was_counted(struct random *r, struct arena *mem)
{
	const struct track t = random_counter(r, mem, random_one_in(r, 2) ? 0 : 2 + random_below(r, 10));
	const struct signal s = signal_increase(mem, &t, ever);
	size_t n_known = 0;
	double growth = 0;
	fixed last = 0;

	for (size_t i = 0; i < t.n; i++) {
		if (!is_known(&t, i))
			continue;
		if (n_known++ > 0)
			growth += fixed_value(track_value(&t, i) >= last ? track_value(&t, i) - last : track_value(&t, i));
		last = track_value(&t, i);
	}
	const double total = signal_fold(mem, s, spans_one(&ever), FOLD_DELTA);
	return is_well_formed(&s, ever) && (n_known < 2 ? isnan(total) : is_near(total, growth));
}

static bool without_restarts_growth_is_last_minus_first(struct random *r, struct arena *mem)
{
	const struct track t = random_counter(r, mem, 0);
	fixed first = FIXED_MISSING, last = FIXED_MISSING;

	for (size_t i = 0; i < t.n; i++) {
		first = first == FIXED_MISSING ? track_value(&t, i) : first;
		last = is_known(&t, i) ? track_value(&t, i) : last;
	}
	const double total = signal_fold(mem, signal_increase(mem, &t, ever), spans_one(&ever), FOLD_DELTA);
	return track_restarts(&t, spans_one(&ever)) == 0 && (isnan(total) || is_near(total, fixed_value(last - first)));
}

/* Rows of which the next can be told from its neighbours: growth there was known anyway. */
static bool blanked_counters_grow_as_much(struct random *r, struct arena *mem)
{
	struct track t = random_counter(r, mem, 0);
	fixed *values = NEW_ARRAY(mem, fixed, t.n);

	if (t.n < 3 || !is_known(&t, 0) || !is_known(&t, t.n - 1))
		return true;
	memcpy(values, t.values, t.n * sizeof *values);
	const double before = signal_fold(mem, signal_increase(mem, &t, ever), spans_one(&ever), FOLD_DELTA);
	for (int i = 0; i < 5; i++)
		values[1 + random_below(r, (int)t.n - 2)] = FIXED_MISSING;
	t.values = values;
	return is_near(signal_fold(mem, signal_increase(mem, &t, ever), spans_one(&ever), FOLD_DELTA), before);
}

/* Whatever is looked at: it is a part of the same. */
static bool increase_of_a_part_is_a_part_of_it(struct random *r, struct arena *mem)
{
	const struct track t = random_counter(r, mem, 2 + random_below(r, 20));
	const time_ms begin = random_below(r, 100) - 10;
	const struct span within = { begin, begin + 1 + random_below(r, 100) };
	const struct signal all = signal_increase(mem, &t, ever);
	const struct signal part = signal_increase(mem, &t, within), want = signal_cut(mem, all, within);

	if (part.n != want.n || part.end != want.end)
		return false;
	for (size_t i = 0; i < part.n; i++)
		if (part.at[i].begin != want.at[i].begin || !is_same(part.at[i].value, want.at[i].value))
			return false;
	return is_well_formed(&part, within);
}

static bool restarts_are_where_less_is_shown(struct random *r, struct arena *mem)
{
	const struct track t = random_counter(r, mem, 2 + random_below(r, 6));
	const struct spans within = random_parts(r, mem);
	size_t n_restarts = 0, last = t.n;

	for (size_t i = 0; i < t.n; i++) {
		if (!is_known(&t, i))
			continue;
		n_restarts += last < t.n && track_value(&t, i) < track_value(&t, last) && spans_hold(within, track_time(&t, i));
		last = i;
	}
	return track_restarts(&t, within) == n_restarts &&
		track_restarts(&t, within) + track_restarts(&t, spans_complement(mem, within, ever)) == track_restarts(&t, spans_one(&ever));
}

static bool shifting_counters_shifts_their_growth(struct random *r, struct arena *mem)
{
	const struct track t = random_counter(r, mem, 5);
	const time_ms by = (time_ms)random_below(r, 1000000) * 2000000;
	time_ms *times = NEW_ARRAY(mem, time_ms, t.n);
	struct track late = t;

	for (size_t i = 0; i < t.n; i++)
		times[i] = track_time(&t, i) + by;
	late.times = times;
	const struct signal a = signal_increase(mem, &t, ever);
	const struct signal b = signal_increase(mem, &late, (struct span){ ever.begin + by, ever.end + by });
	for (size_t i = 0; i < a.n && i < b.n; i++)
		if (a.at[i].begin + by != b.at[i].begin || !is_same(a.at[i].value, b.at[i].value))
			return false;
	return a.n == b.n;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW(folds_are_as_defined),
		LAW(rolling_folds_are_as_defined),
		LAW(duplicated_samples_change_nothing),
		LAW(constants_added_move_or_stay),
		LAW(all_growth_is_what_was_counted),
		LAW(without_restarts_growth_is_last_minus_first),
		LAW(blanked_counters_grow_as_much),
		LAW(increase_of_a_part_is_a_part_of_it),
		LAW(restarts_are_where_less_is_shown),
		LAW(shifting_counters_shifts_their_growth),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
