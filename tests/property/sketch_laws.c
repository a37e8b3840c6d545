/*
 * sketch_laws.c - a sketch says of no block less than what its samples do.
 */
#include "series.h"

#include "rule/sketch_parts.h"
#include "series/chunk.h"

#include <math.h>

/* A row every second or so, packed as a reader keeps them; now and then a pause, a cell without a value, and a stretch of one value. */
static struct track rows_of_a_log(struct random *r, struct arena *mem)
{
	const size_t n = 1 + (size_t)random_below(r, 6 * CHUNK);
	const int odd = 30 + random_below(r, 1000), waver = random_one_in(r, 2) ? 1 : 300;
	time_ms *const times = NEW_ARRAY(mem, time_ms, n);
	fixed *const values = NEW_ARRAY(mem, fixed, n);
	fixed level = 0;
	int noise = 1;

	for (size_t i = 0; i < n; i++) {
		if (random_one_in(r, 100)) {
			level = random_below(r, 60);
			noise = random_one_in(r, 2) ? 1 : 40;
		}
		times[i] = (i ? times[i - 1] + 1 : 0) + 700 + random_below(r, waver) + (random_one_in(r, odd) ? random_below(r, 60000) : 0);
		values[i] = random_one_in(r, odd) ? FIXED_MISSING : (level + random_below(r, noise)) * FIXED_ONE;
	}
	struct track t = { .metric = METRIC_GPU_UTIL, .n = n, .step = median_step(mem, times, n) };
	t.steps = random_steps(r, mem, n, t.step);
	t.clock = packed_from(mem, times, n, true);
	t.column = packed_from(mem, values, n, false);
	t.chunks = chunks_of(mem, &t);
	return t;
}

static struct blocks blocks_around(struct random *r, const struct track *t)
{
	const struct span all = track_span(t);
	const struct span wide = { all.begin - random_below(r, 100000), all.end + 1 + random_below(r, 100000) };
	const time_ms width = 1 + random_below(r, 60000);

	return (struct blocks){ wide, width, (size_t)((span_length(wide) + width - 1) / width) };
}

static bool is_in(struct extent r, double value)
{
	return r.low <= value && value <= r.high;
}

/* Of each block: whatever holds in it lies in its range, and where anything is not known all can be. */
static bool blocks_have_all_samples(struct random *r, struct arena *mem)
{
	const struct track t = rows_of_a_log(r, mem);
	const struct blocks b = blocks_around(r, &t);
	const struct sketch s = sketch_track(mem, &b, &t, &(struct some_blocks){ &(struct stretch){ 0, b.n }, 1 });

	for (size_t k = 0; k < b.n; k++) {
		const struct span block = block_span(&b, k);
		const struct extent range = sketch_range(&s, k);
		const bool is_anything = range.low == -INFINITY && range.high == INFINITY;
		time_ms known = 0;
		for (size_t i = 0; i < t.n; i++) {
			const struct span held = { later(track_time(&t, i), block.begin), sooner(track_until(&t, i), block.end) };
			if (held.begin >= held.end || track_value(&t, i) == FIXED_MISSING)
				continue;
			known += held.end - held.begin;
			if (!is_in(range, fixed_value(track_value(&t, i))))
				return false;
		}
		if (known < span_length(block) && !is_anything)
			return false;
	}
	return true;
}

/* What is as the first one, and not what comes behind it. */
static bool runs_end_where_others_begin(struct random *r, struct arena *mem)
{
	const size_t n = 1 + (size_t)random_below(r, 100), first = (size_t)random_below(r, (int)n);
	const int often = 1 + random_below(r, 30);
	uint8_t *const can = NEW_ARRAY(mem, uint8_t, n);
	size_t end = first;

	for (size_t i = 0; i < n; i++)
		can[i] = (uint8_t)(random_one_in(r, often) ? 1 + random_below(r, CAN_ALL) : CAN_NO);
	while (end < n && can[end] == can[first])
		end++;
	return same_until(can, first, n) == end;
}

/* Asked for alone a block is what it is among all. */
static bool some_blocks_are_as_among_all(struct random *r, struct arena *mem)
{
	const struct track t = rows_of_a_log(r, mem);
	const struct blocks b = blocks_around(r, &t);
	const struct sketch all = sketch_track(mem, &b, &t, &(struct some_blocks){ &(struct stretch){ 0, b.n }, 1 });
	struct stretch *const at = NEW_ARRAY(mem, struct stretch, b.n);
	struct some_blocks some = { at, 0 };

	for (size_t i = (size_t)random_below(r, (int)b.n), end; i < b.n; i = end + 1 + (size_t)random_below(r, 40)) {
		end = i + 1 + (size_t)random_below(r, random_one_in(r, 2) ? 3 : 60);
		at[some.n++] = (struct stretch){ i, end < b.n ? end : b.n };
	}
	const struct sketch s = sketch_track(mem, &b, &t, &some);
	for (size_t k = 0; k < some.n; k++)
		if (memcmp(s.narrow + at[k].first, all.narrow + at[k].first, (at[k].end - at[k].first) * sizeof *s.narrow) != 0)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(blocks_have_all_samples, 20),
		LAW_ONE_IN(some_blocks_are_as_among_all, 20),
		LAW(runs_end_where_others_begin),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
