/*
 * bins_laws.c - what is known of a track's chunks changes nothing of what is drawn of it; samples are in the bin in which they begin, and
 * levels of several tracks in order.
 */
#include "property/laws.h"
#include "property/steps.h"

#include "chart/bins.h"
#include "chart/levels.h"
#include "chart/reasons.h"
#include "series/chunk.h"

#include <math.h>

#define LONG (6 * CHUNK)

/* Of quiet stretches and noisy ones, with few holes and missing cells: some chunks are full, some of one value. */
static fixed *long_values(struct random *r, struct arena *mem, size_t n)
{
	const int odd = 50 + random_below(r, 1000), noise = 1 + random_below(r, random_one_in(r, 3) ? 3000 : 4); /* codes of one byte, or two */
	fixed *const values = NEW_ARRAY(mem, fixed, n);
	fixed level = 0;

	for (size_t i = 0; i < n; i++) {
		if (random_one_in(r, 200))
			level = random_below(r, 20) - 4;
		values[i] = random_one_in(r, odd) ? FIXED_MISSING : (level + random_below(r, noise)) * FIXED_ONE;
	}
	return values;
}

static time_ms *long_times(struct random *r, struct arena *mem, size_t n)
{
	const int odd = 100 + random_below(r, 1000), waver = 1 + random_below(r, 200);
	time_ms *const times = NEW_ARRAY(mem, time_ms, n);

	for (size_t i = 0; i < n; i++)
		times[i] = (i > 0 ? times[i - 1] : 500) + 900 + random_below(r, waver) + (random_one_in(r, odd) ? 60000 : 0);
	return times;
}

/* Of a few masks each, that come and go; most often without a slowdown of the hardware, which counts only where it stays. */
static fixed *long_masks(struct random *r, struct arena *mem, size_t n)
{
	static const int all[] = { 0, 1, 0x4, 0, 0x24, 0x4, 0x102, 0x10, 0x40, 0x80, 0x8, 0x48 };
	const int odd = 50 + random_below(r, 1000), few = 1 + random_below(r, 3), last = random_one_in(r, 3) ? 12 : 10;
	fixed *const values = NEW_ARRAY(mem, fixed, n);
	int from = 0;

	for (size_t i = 0; i < n; i++) {
		if (random_one_in(r, 100))
			from = random_below(r, last);
		values[i] = random_one_in(r, odd) ? FIXED_MISSING : all[(from + random_below(r, few)) % last] * (fixed)FIXED_ONE;
	}
	return values;
}

static struct track track_on(struct random *r, struct arena *mem, const struct track *clock)
{
	struct track t = *clock;

	t.column = packed_from(mem, long_values(r, mem, t.n), t.n, false);
	return t;
}

static struct track clock_of(struct random *r, struct arena *mem)
{
	const size_t n = (size_t)random_below(r, LONG) + 1;
	const time_ms *const times = long_times(r, mem, n);

	const time_ms step = median_step(mem, times, n);
	return (struct track){ .clock = packed_from(mem, times, n, true), .n = n, .step = step, .steps = random_steps(r, mem, n, step) };
}

static struct track with_chunks(struct arena *mem, const struct track *t)
{
	struct track chunked = *t;

	chunked.chunks = chunks_of(mem, t);
	return chunked;
}

/* The run, or a stretch around or in it. */
static struct span any_span(struct random *r, const struct track *t)
{
	const struct span run = track_span(t);
	const time_ms most = span_length(run) + 1;

	if (random_one_in(r, 3))
		return run;
	const time_ms begin = run.begin - 2000 + (time_ms)(random_bits(r) % (uint64_t)most);
	return (struct span){ begin, begin + 1000 + (time_ms)(random_bits(r) % (uint64_t)most) };
}

static bool are_same(const double *a, const double *b, size_t n)
{
	return memcmp(a, b, n * sizeof *a) == 0;
}

static bool bins_are_the_same(struct random *r, struct arena *mem)
{
	const struct track clock = clock_of(r, mem), other = clock_of(r, mem);
	const struct track plain = track_on(r, mem, &clock), plain_gate = track_on(r, mem, random_one_in(r, 3) ? &other : &clock);
	const struct track chunked = with_chunks(mem, &plain), chunked_gate = with_chunks(mem, &plain_gate);
	const bool is_gated = random_one_in(r, 2);
	const struct span span = any_span(r, &plain);
	const size_t n = (size_t)random_below(r, random_one_in(r, 2) ? 10 : 400) + 1;
	const struct bins a = bins_of(mem, &plain, is_gated ? &plain_gate : NULL, span, n, 1);
	const struct bins b = bins_of(mem, &chunked, is_gated ? &chunked_gate : NULL, span, n, 1);

	return a.n_samples == b.n_samples && are_same(a.min, b.min, n) && are_same(a.mean, b.mean, n) && are_same(a.max, b.max, n) &&
	       memcmp(a.fresh, b.fresh, n * sizeof *a.fresh) == 0;
}

static bool reasons_are_the_same(struct random *r, struct arena *mem)
{
	struct track plain = clock_of(r, mem);
	plain.column = packed_from(mem, long_masks(r, mem, plain.n), plain.n, false);
	const struct track chunked = with_chunks(mem, &plain);
	const struct span span = any_span(r, &plain);
	const size_t n = (size_t)random_below(r, random_one_in(r, 2) ? 10 : 400) + 1;

	return has_reason(&plain, span) == has_reason(&chunked, span) &&
	       memcmp(reason_cells(mem, &plain, span, n), reason_cells(mem, &chunked, span, n), n * sizeof(struct reason_cell)) == 0;
}

/* Does a sample with a value begin in it, as far as anybody can say who looks at all of them? */
static bool has_sample(const struct track *t, struct span bin)
{
	for (size_t i = track_seek(t, bin.begin); i < t->n && track_time(t, i) < bin.end; i++)
		if (track_value(t, i) != FIXED_MISSING)
			return true;
	return false;
}

/* Of bins behind the first one, in a span that samples reach beyond. */
static bool samples_are_in_the_bin_in_which_they_begin(struct random *r, struct arena *mem)
{
	const struct track clock = clock_of(r, mem), plain = track_on(r, mem, &clock);
	const struct track t = random_one_in(r, 2) ? with_chunks(mem, &plain) : plain;
	const size_t n = (size_t)random_below(r, random_one_in(r, 2) ? 10 : 3000) + 1;
	const time_ms skipped = random_below(r, 5000);
	const struct span span = { track_time(&t, 0) + skipped, track_time(&t, t.n - 1) - 1 };

	if (span_length(span) < (time_ms)n)
		return true;
	const struct bins b = bins_of(mem, &t, NULL, span, n, 1);
	for (size_t k = 1; k < n; k++) {
		const struct span bin = { bin_begin(span, n, k), bin_begin(span, n, k + 1) };
		fixed held;
		const bool is_held = track_at(&t, bin.begin, &held);
		if (b.fresh[k] != has_sample(&t, bin) || isnan(b.mean[k]) != !(b.fresh[k] || is_held))
			return false;
		if (!b.fresh[k] && is_held && b.mean[k] != fixed_value(held))
			return false;
	}
	return true;
}

/* Those that are equal in the order in which they came: 0 and -0 are. */
static bool levels_are_in_order(struct random *r, struct arena *mem)
{
	const size_t n_gpus = 1 + (size_t)random_below(r, random_one_in(r, 2) ? 20 : 600), n_bins = 1 + (size_t)random_below(r, 3);
	struct levels levels = levels_new(mem, n_bins, n_gpus);
	const size_t n_all = n_bins * n_gpus;
	double *const sorted = NEW_ARRAY(mem, double, n_all), *const values = NEW_ARRAY(mem, double, n_bins);
	size_t *const n_known = NEW_ARRAY(mem, size_t, n_bins);
	const int few = 1 + random_below(r, 1000);

	for (size_t g = 0; g < n_gpus; g++) {
		for (size_t k = 0; k < n_bins; k++) {
			size_t at = n_known[k];
			double *const row = sorted + k * n_gpus;
			const double any = random_one_in(r, 10) ? -0.0 : (random_below(r, few) - few / 3) / 3.0;
			values[k] = random_one_in(r, 10) ? (double)NAN : any;
			for (; !isnan(values[k]) && at > 0 && row[at - 1] > values[k]; at--)
				row[at] = row[at - 1];
			if (!isnan(values[k])) {
				row[at] = values[k];
				n_known[k]++;
			}
		}
		levels_add(&levels, values);
	}
	for (size_t k = 0; k < n_bins; k++) {
		size_t n;
		const double *const found = levels_sorted(&levels, k, &n);
		if (n != n_known[k] || !are_same(found, sorted + k * n_gpus, n))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW(bins_are_the_same),
		LAW(reasons_are_the_same),
		LAW_ONE_IN(samples_are_in_the_bin_in_which_they_begin, 4),
		LAW_ONE_IN(levels_are_in_order, 10),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
