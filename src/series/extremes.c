/*
 * extremes.c - windows in which a whole cell has the lowest value of all that they can see.
 *
 *     cells       |  3  |  3  |  4  |  3  |  3  |  2  |       the lowest of each
 *     looks                   [=====)                         of one cell, and up to a quarter of a window before
 *     windows           [-----------)                         from the first look
 *                             [-----------)                   to the last one
 *
 * Windows move by less than what is said of them here: each has so many cells wholly inside, wherever it lies. If of so many beside each
 * other one always has the value that is the lowest of all that any of the windows meets, that is the lowest of each of them.
 */
#include "series/extremes.h"

#include "series/chunk.h"
#include "series/ends.h"
#include "series/pieces.h"

struct few { /* samples, and the time until the next few of them */
	time_ms begin;
	time_ms blank; /* of which nothing is known, or which is not judged */
	fixed value;   /* the lowest or highest that is known; of none NOTHING */
};

struct looking {
	struct cursor cursor;
	const struct spans *judged;
	size_t next; /* of judged */
	bool is_low;
};

static fixed nothing_of(const bool is_low)
{
	return is_low ? INT64_MAX : INT64_MIN;
}

static fixed further(const fixed a, const fixed b, const bool is_low)
{
	return (a < b) == is_low ? a : b;
}

static bool is_judged(const struct looking *l, const struct span when)
{
	return l->next < l->judged->n && l->judged->at[l->next].begin <= when.begin && when.end <= l->judged->at[l->next].end;
}

/* All of them are judged and known, but for the time from where the last one's hold ends. */
static bool take_whole(struct looking *l, const size_t i, const size_t end, const struct span when, struct few *out)
{
	struct cursor *const c = &l->cursor;
	const struct chunk *const chunk = chunk_with(c->track, i);
	const bool is_full = chunk && chunk->is_full; /* each goes on until the next */
	struct ends ends;

	if (!is_judged(l, when) || !outer_ends_of(c, i, end, &ends))
		return false;
	for (size_t k = i; k + 1 < end && !is_full; k++)
		if (cursor_until(c, k) < cursor_time(c, k + 1))
			return false;
	out->value = l->is_low ? ends.low[0] : ends.high[0];
	out->blank = is_full ? 0 : when.end - cursor_until(c, end - 1);
	return true;
}

static void take_sample(struct looking *l, const size_t i, struct few *out)
{
	const fixed value = cursor_value(&l->cursor, i);
	const struct span held = { cursor_time(&l->cursor, i), cursor_until(&l->cursor, i) };

	for (size_t k = l->next; value != FIXED_MISSING && k < l->judged->n && l->judged->at[k].begin < held.end; k++) {
		const time_ms length = sooner(held.end, l->judged->at[k].end) - later(held.begin, l->judged->at[k].begin);
		if (length <= 0)
			continue;
		out->value = further(out->value, value, l->is_low);
		out->blank -= length;
	}
}

static struct few few_of(struct looking *l, const size_t i, const size_t end)
{
	const struct track *const t = l->cursor.track;
	const struct span when = { track_time(t, i), end < t->n ? track_time(t, end) : track_until(t, end - 1) };
	struct few few = { .begin = when.begin };

	while (l->next < l->judged->n && l->judged->at[l->next].end <= when.begin)
		l->next++;
	if (take_whole(l, i, end, when, &few))
		return few;
	few.value = nothing_of(l->is_low);
	few.blank = span_length(when);
	for (size_t k = i; k < end; k++)
		take_sample(l, k, &few);
	return few;
}

/* ------ windows ------ */

struct windows {
	const struct few *few;
	size_t n; /* and one more: where the last one ends */
	struct span hull;
	time_ms width, before, after, quarter;
	bool is_low;
	size_t first; /* that the windows of the one asked for meet; goes on with it */
};

/* So many lie wholly in any window, if none takes longer. */
static size_t n_inside(const struct windows *w, const time_ms longest)
{
	return w->width > longest ? (size_t)((w->width - longest) / longest) : 0;
}

/* What all windows that show in few k have; false where that can't be told. */
static bool is_told(struct windows *w, const size_t k, fixed *value)
{
	const struct few *const few = w->few;
	const time_ms begin = few[k].begin - w->quarter - w->before, end = few[k + 1].begin + w->after;
	time_ms blank = 0, longest = 1;
	size_t end_at, without = 0, most_without = 0;

	if (begin < later(w->hull.begin, few[0].begin) || end > sooner(w->hull.end, few[w->n].begin))
		return false;
	while (few[w->first + 1].begin <= begin)
		w->first++;
	*value = nothing_of(w->is_low);
	for (end_at = w->first; end_at < w->n && few[end_at].begin < end; end_at++) {
		*value = further(*value, few[end_at].value, w->is_low);
		blank += few[end_at].blank;
		longest = later(longest, few[end_at + 1].begin - few[end_at].begin);
	}
	for (size_t i = w->first; i < end_at; i++) {
		without = few[i].value == *value ? 0 : without + 1;
		most_without = without > most_without ? without : most_without;
	}
	return most_without < n_inside(w, longest) && 2 * blank <= w->width && *value != nothing_of(w->is_low);
}

static struct extremes told_of(struct arena *mem, struct windows *w)
{
	struct pieces values = pieces_new(mem, w->n);
	struct span *const told = NEW_RAW_ARRAY(mem, struct span, w->n);
	size_t n = 0;
	fixed value;

	for (size_t k = 0; k < w->n; k++) {
		const bool is_sure = is_told(w, k, &value);
		const struct span when = { w->few[k].begin, w->few[k + 1].begin };
		pieces_add(&values, when.begin, is_sure ? fixed_value(value) : (double)NAN);
		if (!is_sure)
			continue;
		if (n && told[n - 1].end == when.begin)
			told[n - 1].end = when.end;
		else
			told[n++] = when;
	}
	return (struct extremes){ pieces_signal(&values, w->few[w->n].begin), { told, n } };
}

/* A window holds three times as many rows: where they lie far apart, this is few. */
static size_t size_of_few(const struct track *t, const time_ms width)
{
	size_t size = CELL;

	while (size > 1 && 3 * (time_ms)size * t->step > width)
		size /= 2;
	return size;
}

struct extremes track_extremes(struct arena *mem, const struct track *t, const struct spans judged, const struct span hull,
	const time_ms width, const bool is_low)
{
	const size_t size = size_of_few(t, width), n = (t->n + size - 1) / size;
	struct extremes none = { .told = { NULL, 0 } };
	struct looking l = { .judged = &judged, .is_low = is_low };
	struct arena scratch;

	if (t->step <= 0 || size < CELL / 4 || n == 0)
		return none;
	arena_init(&scratch);
	struct few *const few = NEW_RAW_ARRAY(&scratch, struct few, n + 1);
	cursor_start(&l.cursor, t);
	for (size_t k = 0; k < n; k++)
		few[k] = few_of(&l, k * size, (k + 1) * size < t->n ? (k + 1) * size : t->n);
	few[n] = (struct few){ .begin = cursor_until(&l.cursor, t->n - 1) };
	struct windows w = {
		.few = few,
		.n = n,
		.hull = hull,
		.width = width,
		.before = width / 2,
		.after = width - width / 2,
		.quarter = width / 4,
		.is_low = is_low,
	};
	const struct extremes told = told_of(mem, &w);
	arena_release(&scratch);
	return told;
}
