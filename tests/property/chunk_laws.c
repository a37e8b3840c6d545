/*
 * chunk_laws.c - what is known of a track's chunks changes nothing but the time it takes.
 *
 * Each law asks the same of a track with its chunks and of the same samples without.
 */
#include "series.h"

#include "property/lines.h"
#include "series/chunk.h"

#define LONG (4 * CHUNK + 60)

/* Of quiet stretches and noisy ones, each some hundred samples, with few holes and missing cells: some chunks are full, some of one value. */
static struct track long_track(struct random *r, struct arena *mem)
{
	const size_t n = (size_t)random_below(r, LONG);
	const int odd = 20 + random_below(r, 400), noise = 1 + random_below(r, 6);
	const int shift = random_one_in(r, 4) ? random_below(r, 40) : 0;
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);
	fixed level = 0;

	for (size_t i = 0; i < n; i++) {
		if (random_one_in(r, 150))
			level = random_below(r, 20) - 8;
		times[i] = (i > 0 ? times[i - 1] : -100) + 1 + random_below(r, 2) + (random_one_in(r, odd) ? 40 : 0);
		values[i] = (level + random_below(r, noise)) * ((fixed)1 << shift);
		if (random_one_in(r, odd))
			values[i] = FIXED_MISSING;
	}
	return (struct track){ .times = times, .values = values, .n = n, .step = median_step(mem, times, n) };
}

static struct track with_chunks(struct arena *mem, const struct track *t)
{
	struct track same = *t;

	same.chunks = chunks_of(mem, t);
	return same;
}

static struct span long_span(struct random *r)
{
	const time_ms begin = random_below(r, LONG) - 150;

	return (struct span){ begin, begin + 1 + random_below(r, 3 * LONG) };
}

static bool comparisons_are_the_same(struct random *r, struct arena *mem)
{
	const struct track t = long_track(r, mem), quick = with_chunks(mem, &t);
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	const double threshold = fixed_value(t.n ? track_value(&t, (size_t)random_below(r, (int)t.n)) : 0) + random_below(r, 2);
	const struct span within = long_span(r);

	const struct truths line = truths_compare_track(mem, &t, within, 1, how, threshold);

	return lines_are_same(line, truths_compare_track(mem, &quick, within, 1, how, threshold));
}

static bool means_compare_the_same(struct random *r, struct arena *mem)
{
	const struct track t = long_track(r, mem), quick = with_chunks(mem, &t);
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	const struct span within = long_span(r);
	const struct signal limit = signal_constant(mem, (random_below(r, 40) - 16) * 0.5 / FIXED_ONE, within);
	const time_ms width = 1 + random_below(r, 400);

	const struct truths line = truths_compare_mean(mem, &t, within, 1, width, how, limit);

	return lines_are_same(line, truths_compare_mean(mem, &quick, within, 1, width, how, limit));
}

static bool folds_are_the_same(struct random *r, struct arena *mem)
{
	const struct track t = long_track(r, mem), quick = with_chunks(mem, &t);
	const struct span any[] = { long_span(r), long_span(r), long_span(r) };
	const struct spans within = spans_of(mem, any, 3);
	const enum fold fold = (enum fold)random_below(r, FOLD_SPREAD + 1);
	time_ms known, quickly_known;
	const double value = track_fold(mem, &t, 1, within, fold, &known), found = track_fold(mem, &quick, 1, within, fold, &quickly_known);

	return is_same(value, found) && known == quickly_known;
}

static bool known_time_is_the_same(struct random *r, struct arena *mem)
{
	const struct track t = long_track(r, mem), quick = with_chunks(mem, &t);
	const struct spans known = track_known(mem, &t), found = track_known(mem, &quick);

	return known.n == found.n && (known.n == 0 || memcmp(known.at, found.at, known.n * sizeof *known.at) == 0);
}

/* A chunk says what its samples say one by one. */
static bool chunks_are_their_samples(struct random *r, struct arena *mem)
{
	const struct track t = long_track(r, mem);
	const struct chunks chunks = chunks_of(mem, &t);

	for (size_t k = 0; k < chunks.n; k++) {
		struct chunk want = { .low = INT64_MAX, .high = INT64_MIN, .is_full = true };

		for (size_t i = k * CHUNK; i < (k + 1) * CHUNK; i++) {
			const time_ms weight = track_until(&t, i) - track_time(&t, i);

			want.is_full = want.is_full && track_value(&t, i) != FIXED_MISSING && track_until(&t, i) == track_time(&t, i + 1);
			if (track_value(&t, i) == FIXED_MISSING)
				continue;
			want.weighted += (int128)track_value(&t, i) * weight;
			want.known += weight;
			want.low = track_value(&t, i) < want.low ? track_value(&t, i) : want.low;
			want.high = track_value(&t, i) > want.high ? track_value(&t, i) : want.high;
		}
		const struct chunk *const c = &chunks.at[k];
		if (c->weighted != want.weighted || c->known != want.known || c->low != want.low || c->high != want.high || c->is_full != want.is_full)
			return false;
	}
	return chunks.n == (t.n ? (t.n - 1) / CHUNK : 0);
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW(comparisons_are_the_same),
		LAW(means_compare_the_same),
		LAW(folds_are_the_same),
		LAW(known_time_is_the_same),
		LAW(chunks_are_their_samples),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
