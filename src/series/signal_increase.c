/*
 * signal_increase.c - counters: what they grew by, and when they began anew.
 *
 *     times      0    1    2    3    4         9   10
 *     counter   10   14    -   20    5        10   12         '-' a missing cell
 *     a second     4    3    3    5      1       2            5 after 20: a restart, and 5 since then
 *
 * The amount between two samples is known even where the moment is not, so growth goes on over holes and
 * missing cells: the sum of all growth is what the counter counted, whatever was not logged.
 */
#include "series/signal.h"

#include "series/pieces.h"

/* Index of the first sample from i on that has a value; n when there is none. */
static size_t known_from(const struct track *t, size_t i)
{
	while (i < t->n && track_value(t, i) == FIXED_MISSING)
		i++;
	return i;
}

/* The last with a value at or before i, or the first of all that has one. */
static size_t known_up_to(const struct track *t, size_t i)
{
	while (i > 0 && (i == t->n || track_value(t, i) == FIXED_MISSING))
		i--;
	return known_from(t, i);
}

static bool has_restarted(const fixed before, const fixed now)
{
	return now < before;
}

/* Unsigned, since any two values may lie further apart than a signed number can say. */
static double growth(const fixed before, const fixed now)
{
	if (has_restarted(before, now))
		return fixed_value(now);
	return (double)((uint64_t)now - (uint64_t)before) / FIXED_ONE;
}

static double growth_a_second(const struct track *t, const size_t i, const size_t next)
{
	return growth(track_value(t, i), track_value(t, next)) * SECOND_MS / (double)(track_time(t, next) - track_time(t, i));
}

struct signal signal_increase(struct arena *mem, const struct track *t, const struct span within)
{
	if (span_length(within) <= 0)
		return signal_nowhere(within.end);
	const size_t first = known_up_to(t, sample_before(t, within.begin)), end = track_seek(t, within.end);
	struct pieces result = pieces_new(mem, (end > first ? end - first : 0) + 1);

	if (first >= end || track_time(t, first) > within.begin)
		pieces_add(&result, within.begin, NAN);
	for (size_t i = first, next; i < end; i = next) {
		next = known_from(t, i + 1);
		pieces_add(&result, later(track_time(t, i), within.begin), next < t->n ? growth_a_second(t, i, next) : (double)NAN);
	}
	return pieces_signal(&result, within.end);
}

size_t track_restarts(const struct track *t, const struct spans within)
{
	size_t n_restarts = 0, span = 0;

	for (size_t i = known_from(t, 0), next; i < t->n; i = next) {
		next = known_from(t, i + 1);
		if (next == t->n || !has_restarted(track_value(t, i), track_value(t, next)))
			continue;
		while (span < within.n && within.at[span].end <= track_time(t, next))
			span++;
		n_restarts += span < within.n && within.at[span].begin <= track_time(t, next);
	}
	return n_restarts;
}
