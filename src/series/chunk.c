/*
 * chunk.c - one pass over a track that saves others theirs.
 *
 *     samples   |....|....|....|....|....|..          chunks of CHUNK samples; the last few are in none
 *     values     2223 3332 .... 9999 9??9            low 2, high 3 | low 2, high 3 | ...
 *     is_full    yes  yes  yes  yes  no
 */
#include "series/chunk.h"

/* The samples of a chunk as they are, and when the one behind it begins. */
struct samples {
	time_ms times[CHUNK + 1];
	fixed values[CHUNK];
	time_ms step;
};

/* Is there a value for each sample, and a row where each ends? */
static bool is_full(const struct samples *s)
{
	const time_ms longest = HOLE_STEPS * s->step;
	time_ms left = 0;
	unsigned missing = 0;

	for (size_t i = 0; i < CHUNK; i++) {
		left |= longest - (s->times[i + 1] - s->times[i]); /* its sign is that of what is left of the longest one */
		missing |= s->values[i] == FIXED_MISSING;
	}
	return left >= 0 && !missing;
}

#define SMALL ((int64_t)1 << 40) /* SMALL values x ms of up to SPAN of them add up to less than 2^63 */
#define SPAN ((time_ms)1 << 22)

/* Of a full one. Nearly always 64 bits are enough for the sum. */
static struct chunk full_chunk(const struct samples *s)
{
	const fixed *const values = s->values;
	const time_ms *const times = s->times;
	struct chunk c = { .low = values[0], .high = values[0], .known = times[CHUNK] - times[0], .is_full = true };
	int64_t sum = 0;

	for (size_t i = 1; i < CHUNK; i++) {
		c.low = values[i] < c.low ? values[i] : c.low;
		c.high = values[i] > c.high ? values[i] : c.high;
	}
	if (c.low > -SMALL && c.high < SMALL && c.known < SPAN) {
		for (size_t i = 0; i < CHUNK; i++)
			sum += values[i] * (times[i + 1] - times[i]);
		c.weighted = sum;
	} else {
		for (size_t i = 0; i < CHUNK; i++)
			c.weighted += (int128)values[i] * (times[i + 1] - times[i]);
	}
	return c;
}

static struct chunk chunk_of(const struct samples *s)
{
	struct chunk c = { .low = INT64_MAX, .high = INT64_MIN };

	if (is_full(s))
		return full_chunk(s);
	for (size_t i = 0; i < CHUNK; i++) {
		const fixed value = s->values[i];
		const time_ms until_next = s->times[i + 1] - s->times[i];
		const time_ms weight = until_next > HOLE_STEPS * s->step ? s->step : until_next;

		if (value == FIXED_MISSING)
			continue;
		c.weighted += (int128)value * weight;
		c.known += weight;
		c.low = value < c.low ? value : c.low;
		c.high = value > c.high ? value : c.high;
	}
	return c;
}

struct chunks chunks_of(struct arena *mem, const struct track *t)
{
	const size_t n = t->n ? (t->n - 1) / CHUNK : 0;
	struct chunk *at = NEW_RAW_ARRAY(mem, struct chunk, n);

	for (size_t k = 0; k < n; k++) {
		struct samples s;

		s.step = t->step;
		track_times(t, k * CHUNK, CHUNK + 1, s.times);
		track_values(t, k * CHUNK, CHUNK, s.values);
		at[k] = chunk_of(&s);
	}
	return (struct chunks){ at, n };
}
