/*
 * series.h - random tracks and sets of time, and signals looked at by the ms.
 */
#ifndef POSTRUN_SERIES_LAWS_H
#define POSTRUN_SERIES_LAWS_H

#include "property/laws.h"
#include "property/steps.h"
#include "series/signal.h"

#include <math.h>

#define SAMPLES 40

/* A track with missing cells, late rows and holes; sometimes of few values, sometimes of odd ones. */
static inline struct track random_track(struct random *r, struct arena *mem)
{
	const size_t n = (size_t)random_below(r, SAMPLES);
	const int steps = 1 + random_below(r, 8), late = 2 + random_below(r, 12), missing = 2 + random_below(r, 12);
	const fixed unit = random_one_in(r, 2) ? FIXED_ONE : 123457;
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);

	for (size_t i = 0; i < n; i++) {
		times[i] = (i > 0 ? times[i - 1] : 0) + 1 + random_below(r, steps) + (random_one_in(r, late) ? random_below(r, 60) : 0);
		values[i] = random_one_in(r, missing) ? FIXED_MISSING : (random_below(r, 20) - 5) * unit;
	}
	const time_ms step = median_step(mem, times, n);
	return (struct track){ .times = times, .values = values, .n = n, .step = step, .steps = random_steps(r, mem, n, step) };
}

static inline struct span random_span(struct random *r)
{
	const time_ms begin = random_below(r, 150) - 20;

	return (struct span){ begin, begin + 1 + random_below(r, 250) };
}

static inline struct spans random_set(struct random *r, struct arena *mem)
{
	struct span any[5];
	const size_t n = (size_t)random_below(r, 6);

	for (size_t i = 0; i < n; i++) {
		any[i].begin = random_below(r, 500) - 20;
		any[i].end = any[i].begin + random_below(r, 100);
	}
	return spans_of(mem, any, n);
}

/* One of those that go over time (OVER_TIME) or over sets (OVER_SETS), of numbers or conditions as numbers. */
static inline enum fold random_fold(struct random *r, const unsigned over)
{
	for (;;) {
		const enum fold fold = (enum fold)random_below(r, N_FOLDS);

		if ((fold_table[fold].over & over) && !(fold_table[fold].over & ONLY_ROLLING) && (over == OVER_TIME || (fold_table[fold].takes & TAKES_NUMBERS)))
			return fold;
	}
}

static inline double at(const struct signal *s, const time_ms t)
{
	size_t i = 0;

	while (i + 1 < s->n && s->at[i + 1].begin <= t)
		i++;
	return s->at[i].value;
}

static inline bool is_same(const double a, const double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static inline bool is_close(const double a, const double b)
{
	return is_same(a, b) || fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static inline bool is_well_formed(const struct signal *s, const struct span within)
{
	if (s->end != within.end || s->n == 0 || s->at[0].begin != within.begin || s->at[s->n - 1].begin >= s->end)
		return false;
	for (size_t i = 1; i < s->n; i++)
		if (s->at[i].begin <= s->at[i - 1].begin)
			return false;
	return true;
}

#endif
