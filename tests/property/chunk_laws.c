/*
 * chunk_laws.c - what is known of a track's chunks changes nothing but the time it takes.
 *
 * Each law asks the same of a track with its chunks and of the same samples without.
 */
#include "series.h"

#include "property/lines.h"
#include "series/chunk.h"
#include "series/ends.h"
#include "series/few.h"
#include "series/extremes.h"
#include "series/stats.h"

#include <stdlib.h>

#define LONG (4 * CHUNK + 60)

/* Of quiet stretches and noisy ones, each some hundred samples, with few holes and missing cells: some chunks are full, some of one value. */
static struct track long_track(struct random *r, struct arena *mem)
{
	const size_t n = (size_t)random_below(r, LONG);
	const int odd = 20 + random_below(r, 400), noise = 1 + random_below(r, 6);
	const int shift = random_one_in(r, 4) ? random_below(r, 56) : 0;
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
	const time_ms step = median_step(mem, times, n);
	return (struct track){ .times = times, .values = values, .n = n, .step = step, .steps = random_steps(r, mem, n, step) };
}

/* As a reader keeps it, with an even clock now and then, and perhaps as another track is made of it. */
static struct track packed_track(struct random *r, struct arena *mem)
{
	static const enum formula_kind kinds[] = { FORMULA_AS_IT_IS, FORMULA_AS_IT_IS, FORMULA_SHARE, FORMULA_MARGIN, FORMULA_FLAG };
	static const time_ms ticks[] = { 1, 10, 100, 700 }; /* in codes of one byte, late by up to some seconds */
	struct track t = long_track(r, mem);
	time_ms *const times = NEW_ARRAY(mem, time_ms, t.n);
	const bool is_even = random_one_in(r, 2);
	const time_ms tick = ticks[random_below(r, 4)];
	const enum formula_kind kind = kinds[random_below(r, 5)];
	const fixed unit = kind != FORMULA_SHARE && random_one_in(r, 2) ? FIXED_ONE : 1;
	const bool is_small = unit != 1 || kind == FORMULA_SHARE;
	const size_t pause = 2 * CHUNK - (size_t)random_below(r, 2); /* the last row before it: between two packs, or not */
	const fixed scale = kind != FORMULA_SHARE && random_one_in(r, 3) ? 1 + 2 * random_below(r, 1200) : 1; /* codes of two bytes */
	const time_ms longer = random_one_in(r, 2) ? 60000 : 1500; /* a hole, or none */
	const int waver = random_one_in(r, 2) ? 1 : 200;
	fixed *const values = NEW_ARRAY(mem, fixed, t.n);

	for (size_t i = 0; i < t.n; i++) {
		times[i] = is_even ? (time_ms)i * 1000 + (i > pause ? longer : 0) + random_below(r, waver) : t.times[i] * tick;
		values[i] = t.values[i];
		if (values[i] != FIXED_MISSING && is_small)
			values[i] = values[i] % ((fixed)1 << 30) * scale * unit;
	}
	t.formula = (struct formula){ kind, 1 + random_below(r, 8) };
	t.clock = packed_from(mem, times, t.n, true);
	t.column = packed_from(mem, values, t.n, false);
	t.step = median_step(mem, times, t.n);
	t.steps = random_steps(r, mem, t.n, t.step);
	t.times = NULL;
	t.values = NULL;
	return t;
}

static struct track any_track(struct random *r, struct arena *mem)
{
	return random_one_in(r, 3) ? long_track(r, mem) : packed_track(r, mem);
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

/* Some of its time, or all: of an even clock that is what has whole chunks in it. */
static struct span span_of(struct random *r, const struct track *t)
{
	return random_one_in(r, 2) ? track_span(t) : long_span(r);
}

static bool comparisons_are_the_same(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem), quick = with_chunks(mem, &t);
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	const double threshold = fixed_value(t.n ? track_value(&t, (size_t)random_below(r, (int)t.n)) : 0) + random_below(r, 2);
	const struct span within = span_of(r, &t);

	const struct truths line = truths_compare_track(mem, &t, within, 1, how, threshold);

	return lines_are_same(line, truths_compare_track(mem, &quick, within, 1, how, threshold));
}

/* Another column of the same log, with cells that lack a value where it has a mind to. */
static struct track column_beside(struct random *r, struct arena *mem, const struct track *t)
{
	const int odd = 20 + random_below(r, 400), noise = 1 + random_below(r, 6);
	fixed *const values = NEW_ARRAY(mem, fixed, t->n);
	struct track other = *t;
	fixed level = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (random_one_in(r, 150))
			level = random_below(r, 20) - 8;
		values[i] = random_one_in(r, odd) ? FIXED_MISSING : (level + random_below(r, noise)) * FIXED_ONE;
	}
	other.formula = (struct formula){ FORMULA_AS_IT_IS, 0 };
	other.values = t->values ? values : NULL;
	if (!t->values)
		other.column = packed_from(mem, values, t->n, false);
	other.chunks = (struct chunks){ NULL, 0 };
	return random_one_in(r, 2) ? with_chunks(mem, &other) : other;
}

/* A condition that chance makes of these columns; and its line, part by part. */
static struct row_condition *random_rows(
	struct random *r, struct arena *mem, const struct track *columns, int n, int depth, struct span all, struct truths *line)
{
	struct row_condition *const rows = NEW(mem, struct row_condition);
	struct truths left, right;

	rows->kind = depth > 0 ? (enum rows_kind)random_below(r, ROWS_NOT + 1) : ROWS_COMPARED;
	if (rows->kind == ROWS_COMPARED) {
		const struct track *const t = &columns[random_below(r, n)];
		const fixed about = t->n ? track_value(t, (size_t)random_below(r, (int)t->n)) : 0;
		rows->track = t;
		rows->factor = random_one_in(r, 2) ? 1 : 0.01;
		rows->how = (enum comparison)random_below(r, NOT_EQUAL + 1);
		rows->threshold = ((about == FIXED_MISSING ? 0 : fixed_value(about)) + random_below(r, 2)) * rows->factor;
		*line = truths_compare_track(mem, t, all, rows->factor, rows->how, rows->threshold);
		return rows;
	}
	rows->left = random_rows(r, mem, columns, n, depth - 1, all, &left);
	if (rows->kind == ROWS_NOT) {
		*line = truths_not(mem, left);
		return rows;
	}
	rows->right = random_rows(r, mem, columns, n, depth - 1, all, &right);
	*line = truths_zip(mem, left, right, rows->kind == ROWS_AND ? truth_and : truth_or);
	return rows;
}

static struct spans parts_of(struct random *r, struct arena *mem, const struct track *t);

static bool rows_are_their_parts_joined(struct random *r, struct arena *mem)
{
	struct track columns[3] = { any_track(r, mem) };
	struct truths line;

	columns[0] = random_one_in(r, 2) ? with_chunks(mem, &columns[0]) : columns[0];
	for (int i = 1; i < 3; i++)
		columns[i] = column_beside(r, mem, &columns[0]);
	const struct span all = columns[0].n ? span_of(r, &columns[0]) : long_span(r);
	if (span_length(all) <= 0 || columns[0].step <= 0)
		return true;
	const struct row_condition *const rows = random_rows(r, mem, columns, 3, 3, all, &line);
	const struct spans within = random_one_in(r, 3) ? spans_one(&all) : parts_of(r, mem, &columns[0]);
	time_ms lengths[UNKNOWN + 1], expected[UNKNOWN + 1];

	lengths_of_rows(rows, within, all, lengths);
	truths_lengths(line, within, expected);
	return lines_are_same(truths_within(mem, line, within), truths_of_rows(mem, rows, within, all))
		&& memcmp(lengths, expected, sizeof lengths) == 0;
}

/* Three spans, here and there in its time. */
static struct spans parts_of(struct random *r, struct arena *mem, const struct track *t)
{
	const struct span all = track_span(t);
	struct span any[3];

	for (size_t i = 0; i < 3; i++) {
		any[i].begin = all.begin + random_below(r, (int)span_length(all) + 1) - 2;
		any[i].end = any[i].begin + 1 + random_below(r, (int)span_length(all) / 3 + 1);
	}
	return spans_of(mem, any, 3);
}

/* In each part it is what it was, and nowhere else is anything known. */
static bool parted_track_is_known_in_its_parts(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem), quick = with_chunks(mem, &t);
	const struct spans parts = parts_of(r, mem, &t);
	const struct track parted = track_parted(mem, &quick, parts);
	bool is_so = true;

	for (int i = 0; i < 20 && is_so; i++) {
		const struct span about = parts.at[random_below(r, (int)parts.n)];
		const time_ms when = about.begin - 2 + random_below(r, (int)span_length(about) + 4);
		fixed before, after;
		const bool is_known = spans_hold(parts, when) && track_at(&t, when, &before);
		is_so = track_at(&parted, when, &after) == is_known && (!is_known || before == after);
	}
	return is_so;
}

static bool means_compare_the_same(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem), quick = with_chunks(mem, &t);
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	const struct span within = span_of(r, &t);
	const struct signal limit = signal_constant(mem, (random_below(r, 40) - 16) * 0.5 / FIXED_ONE, within);
	const time_ms width = 1 + random_below(r, 400);
	const struct spans parts = spans_intersection(mem, parts_of(r, mem, &t), spans_one(&within));

	const struct truths line = truths_compare_mean(mem, &t, parts, within, 1, width, how, limit);

	const struct track parted = spans_are_same(parts, spans_one(&within)) ? t : track_parted(mem, &t, parts);

	return lines_are_same(line, truths_compare_mean(mem, &quick, parts, within, 1, width, how, limit)) &&
	       lines_are_same(line, truths_compare_mean(mem, &parted, spans_one(&within), within, 1, width, how, limit));
}

static void add_piece(struct piece *at, size_t *n, const time_ms begin, const double value)
{
	if (!*n || !is_same(at[*n - 1].value, value))
		at[(*n)++] = (struct piece){ begin, value };
}

/* What a signal is, sample by sample. */
static struct signal traced(struct arena *mem, const struct track *t, const struct span within)
{
	struct piece *const at = NEW_ARRAY(mem, struct piece, 2 * t->n + 2);
	time_ms done = within.begin;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const time_ms time = track_time(t, i), until = track_until(t, i);
		const struct span held = { time > within.begin ? time : within.begin, until < within.end ? until : within.end };
		const fixed value = track_value(t, i);
		if (span_length(held) <= 0)
			continue;
		if (held.begin > done)
			add_piece(at, &n, done, (double)NAN);
		add_piece(at, &n, held.begin, value == FIXED_MISSING ? (double)NAN : fixed_value(value));
		done = held.end;
	}
	if (done < within.end)
		add_piece(at, &n, done, (double)NAN);
	return (struct signal){ at, n, within.end };
}

static bool are_same_pieces(const struct signal *a, const struct signal *b)
{
	bool is_so = a->n == b->n && a->end == b->end;

	for (size_t i = 0; is_so && i < a->n; i++)
		is_so = a->at[i].begin == b->at[i].begin && is_same(a->at[i].value, b->at[i].value);
	return is_so;
}

static bool signals_are_the_same(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem), quick = with_chunks(mem, &t);
	const struct span within = span_of(r, &t);
	const struct signal want = traced(mem, &t, within);
	const struct signal s = signal_from_track(mem, &t, within), found = signal_from_track(mem, &quick, within);

	return span_length(within) <= 0 || (are_same_pieces(&want, &s) && are_same_pieces(&want, &found));
}

static bool folds_are_the_same(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem), quick = with_chunks(mem, &t);
	const struct span any[] = { long_span(r), long_span(r), long_span(r) };
	const struct spans within = spans_of(mem, any, 3);
	const enum fold fold = (enum fold)random_below(r, FOLD_SPREAD + 1);
	time_ms known, quickly_known;
	const double value = track_fold(mem, &t, 1, within, fold, &known), found = track_fold(mem, &quick, 1, within, fold, &quickly_known);

	return is_same(value, found) && known == quickly_known;
}

static bool known_time_is_the_same(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem), quick = with_chunks(mem, &t);
	const struct spans known = track_known(mem, &t), found = track_known(mem, &quick), some = parts_of(r, mem, &t);
	const time_ms length = spans_length(spans_intersection(mem, known, some));

	return length == track_known_time(&t, some) && length == track_known_time(&quick, some) && known.n == found.n && (known.n == 0 || memcmp(known.at, found.at, known.n * sizeof *known.at) == 0);
}

/* Nothing until far into the track, or at all. */
static bool what_tells_is_found(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem);
	const size_t first = (size_t)random_below(r, 2 * (int)t.n + 1);
	fixed *const values = NEW_ARRAY(mem, fixed, t.n);
	bool tells = false;

	for (size_t i = 0; i < t.n; i++) {
		values[i] = i < first ? FIXED_MISSING : track_value(&t, i);
		tells |= values[i] != FIXED_MISSING;
	}
	const struct track late = track_with_values(&t, values), quick = with_chunks(mem, &late);
	return track_tells(&late) == tells && track_tells(&quick) == tells;
}

static bool holes_are_where_samples_are_far_apart(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem), quick = with_chunks(mem, &t);
	const struct spans holes = track_holes(mem, &t), found = track_holes(mem, &quick);
	size_t n = 0;

	for (size_t i = 0; i + 1 < t.n; i++) {
		const struct span between = { track_until(&t, i), track_time(&t, i + 1) };
		if (between.begin == between.end)
			continue;
		if (n == holes.n || holes.at[n].begin != between.begin || holes.at[n].end != between.end)
			return false;
		n++;
	}
	return n == holes.n && found.n == n && (n == 0 || memcmp(holes.at, found.at, n * sizeof *holes.at) == 0);
}

/* Before it all samples are sooner, from it on none is. */
static bool what_is_sought_is_found(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem);
	const time_ms about = t.n ? track_time(&t, (size_t)random_below(r, (int)t.n)) : 0, when = about - 2 + random_below(r, 5);
	const size_t found = track_seek(&t, when), from = (size_t)random_below(r, (int)found + 1);

	return track_seek_from(&t, from, when) == found && found <= t.n && (found == 0 || track_time(&t, found - 1) < when) && (found == t.n || track_time(&t, found) >= when);
}

/* Of thousands of rows, as a log of hours has them: with its own waver, a step that changes and pauses. */
static bool what_is_sought_far_away_is_found(struct random *r, struct arena *mem)
{
	const size_t n = 1 + (size_t)random_below(r, 40 * CHUNK);
	const int wavers = 1 + random_below(r, 400), odd = 200 + random_below(r, 5000);
	time_ms *const times = NEW_ARRAY(mem, time_ms, n);
	time_ms step = 1000;
	struct track t = { .n = n, .step = step };

	for (size_t i = 0; i < n; i++) {
		step = random_one_in(r, odd) ? 500 + random_below(r, 1000) : step;
		times[i] = (i ? times[i - 1] + 1 : 0) + step + random_below(r, wavers) + (random_one_in(r, odd) ? random_below(r, 3000000) : 0);
	}
	t.clock = packed_from(mem, times, n, true);
	const size_t from = (size_t)random_below(r, (int)n), at = from + (size_t)random_below(r, (int)(n - from));
	const time_ms when = times[at] - random_below(r, 3);
	return track_seek_from(&t, from, when) == at && track_seek(&t, when) == at;
}

/* A chunk says what its samples say one by one. */
static bool chunk_is_its_samples(const struct track *t, const size_t k)
{
	const struct chunk *const c = &t->chunks.at[k];
	fixed low = INT64_MAX, high = INT64_MIN;
	int128 weighted = 0;
	time_ms known = 0;
	bool is_full = true;

	for (size_t i = k * CHUNK; i < (k + 1) * CHUNK; i++) {
		const time_ms weight = track_until(t, i) - track_time(t, i);
		const fixed value = track_value(t, i);

		is_full = is_full && value != FIXED_MISSING && track_until(t, i) == track_time(t, i + 1);
		if (value == FIXED_MISSING)
			continue;
		weighted += (int128)value * weight;
		known += weight;
		low = value < low ? value : low;
		high = value > high ? value : high;
	}
	const bool may_lack_sum = (int64_t)weighted != weighted || t->formula.kind == FORMULA_SHARE;

	return (c->has_sum ? c->weighted == weighted : may_lack_sum) && (time_ms)c->known == known &&
	       c->low == low && c->high == high && c->is_full == is_full;
}

/* Early and late by turns, and as high as can be where they are late: sums in few bits would not fit. */
static struct track leaning_track(struct random *r, struct arena *mem)
{
	static const time_ms lates[] = { 1, 254, 255, 510, 520, 700, 2530, 5300, 12700, 25300 }; /* most are codes of one byte */
	static const fixed most[] = { 254, 255, 65534, 65535 };
	const time_ms late = lates[random_below(r, 10)], step = 2 * late + random_below(r, 100);
	const size_t n = 2 * CHUNK + 1 + (size_t)random_below(r, CHUNK);
	const fixed high = most[random_below(r, 4)];
	time_ms *const times = NEW_ARRAY(mem, time_ms, n);
	fixed *const values = NEW_ARRAY(mem, fixed, n);

	for (size_t i = 0; i < n; i++) {
		times[i] = (time_ms)i * step + (i % 2 && i % PACK != PACK - 1 ? late : 0); /* a line is drawn to the last one */
		values[i] = i % 2 ? 0 : high;
	}
	return (struct track){ .clock = packed_from(mem, times, n, true),
		.column = packed_from(mem, values, n, false),
		.n = n,
		.step = median_step(mem, times, n) };
}

static bool chunks_of_leaning_tracks_are_their_samples(struct random *r, struct arena *mem)
{
	const struct track plain = leaning_track(r, mem), t = with_chunks(mem, &plain);
	const size_t k = (size_t)random_below(r, 2), from = (size_t)random_below(r, CHUNK), end = from + 1 + (size_t)random_below(r, CHUNK - (int)from);
	const struct span part = { track_time(&t, k * CHUNK + from), track_time(&t, k * CHUNK + end) };
	time_ms known, quickly_known;

	return chunk_is_its_samples(&t, 0) && chunk_is_its_samples(&t, 1) &&
	       is_same(track_fold(mem, &plain, 1, spans_one(&part), FOLD_MEAN, &known),
		       track_fold(mem, &t, 1, spans_one(&part), FOLD_MEAN, &quickly_known)) &&
	       known == quickly_known;
}

static bool chunks_are_their_samples(struct random *r, struct arena *mem)
{
	const struct track plain = any_track(r, mem), t = with_chunks(mem, &plain);
	bool is_so = t.chunks.n == (t.n ? (t.n - 1) / CHUNK : 0);

	for (size_t k = 0; is_so && k < t.chunks.n; k++)
		is_so = chunk_is_its_samples(&t, k);
	return is_so && chunks_of(mem, &t).at == t.chunks.at;
}

/* What somebody who looks at each of some samples of a full chunk sees. */
struct looked_at {
	struct partial from_least;
	struct extremes_seen range;
	time_ms with_bits;
};

static struct looked_at look_at(const struct track *t, size_t from, size_t end, fixed least, unsigned bits)
{
	struct looked_at seen = { { 0, 0 }, NOTHING_SEEN, 0 };

	for (size_t i = from; i < end; i++) {
		const fixed value = track_value(t, i);
		const time_ms held = track_time(t, i + 1) - track_time(t, i);
		seen.from_least.weighted += value >= least ? (int128)value * held : 0;
		seen.from_least.held += value >= least ? held : 0;
		seen.range.low = value < seen.range.low ? value : seen.range.low;
		seen.range.high = value > seen.range.high ? value : seen.range.high;
		seen.with_bits += (uint64_t)value / FIXED_ONE & bits ? held : 0;
	}
	return seen;
}

/* They need not tell; not of a chunk in which anything is missing. */
static bool part_is_its_samples(struct random *r, const struct track *t, size_t k)
{
	const size_t from = (size_t)random_below(r, CHUNK), end = from + 1 + (size_t)random_below(r, (int)(CHUNK - from));
	const size_t first = k * CHUNK;
	const unsigned bits = 1 + (unsigned)random_below(r, 0x1ff);
	const fixed any = track_value(t, first + (size_t)random_below(r, CHUNK)), least = random_one_in(r, 3) ? INT64_MIN : any;
	struct partial part;
	struct extremes_seen range;
	time_ms held;
	const bool has_part = chunk_part(t, k, from, end, least, &part), has_range = chunk_range(t, k, from, end, &range);
	const bool has_held = chunk_held(t, k, from, end, (uint16_t)bits, &held);

	if (!t->chunks.at[k].is_full)
		return !has_part && !has_range && !has_held;
	const struct looked_at seen = look_at(t, first + from, first + end, least, bits);
	return (!has_part || (part.weighted == seen.from_least.weighted && part.held == seen.from_least.held)) &&
	       (!has_range || (range.low == seen.range.low && range.high == seen.range.high)) && (!has_held || held == seen.with_bits);
}

static bool parts_of_chunks_are_their_samples(struct random *r, struct arena *mem)
{
	const struct track plain = any_track(r, mem), t = with_chunks(mem, &plain);
	bool is_so = true;

	for (size_t k = 0; is_so && k < t.chunks.n; k++)
		is_so = part_is_its_samples(r, &t, k);
	return is_so;
}

static bool outermost_values_are_found(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem), quick = with_chunks(mem, &t);
	struct extremes_seen all = NOTHING_SEEN;

	for (size_t i = 0; i < t.n; i++) {
		const fixed value = track_value(&t, i);
		if (value == FIXED_MISSING)
			continue;
		all.low = value < all.low ? value : all.low;
		all.high = value > all.high ? value : all.high;
	}
	const struct extremes_seen found = track_outermost(&quick), plain = track_outermost(&t);
	return found.low == all.low && found.high == all.high && plain.low == all.low && plain.high == all.high;
}

static int ascending(const void *a, const void *b)
{
	const fixed x = *(const fixed *)a, y = *(const fixed *)b;

	return (x > y) - (x < y);
}

/* A few samples of one pack: all of a cell, or less. */
static bool ends_are_the_outermost_samples(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem);
	const size_t first = t.n > CELL ? (size_t)random_below(r, (int)(t.n / CELL)) * CELL : 0;
	const size_t n = t.n < CELL || random_one_in(r, 3) ? (size_t)random_below(r, (int)(t.n < CELL ? t.n : CELL) + 1) : CELL;
	fixed sorted[CELL];
	struct cursor c;
	struct ends ends, outer;

	if (n < 2)
		return true;
	track_values(&t, first, n, sorted);
	qsort(sorted, n, sizeof *sorted, ascending);
	cursor_start(&c, &t);
	const bool has_outer = outer_ends_of(&c, first, first + n, &outer);
	if (has_outer && (outer.low[0] != sorted[0] || outer.high[0] != sorted[n - 1]))
		return false;
	if (!ends_of(&c, first, first + n, &ends))
		return !has_outer && sorted[0] == FIXED_MISSING;
	return sorted[0] != FIXED_MISSING && ends.low[0] == sorted[0] && ends.low[1] == sorted[1] && ends.high[0] == sorted[n - 1] &&
	       ends.high[1] == sorted[n - 2];
}

/* Of a full chunk; a clock that ticks evenly, or nearly so, tells it. */
static bool longest_hold_of_a_chunk_is_told(struct random *r, struct arena *mem)
{
	const struct track plain = any_track(r, mem), t = with_chunks(mem, &plain);
	const size_t k = t.chunks.n ? (size_t)random_below(r, (int)t.chunks.n) : 0;
	time_ms longest = 0;

	if (!t.chunks.n || !t.chunks.at[k].is_full)
		return true;
	for (size_t i = k * CHUNK; i < (k + 1) * CHUNK; i++)
		longest = later(longest, track_until(&t, i) - track_time(&t, i));
	const time_ms told = chunk_longest(&t, k);
	return told == longest || (told == 0 && (!t.clock.at || t.clock.at[k].width > 1));
}

/* Of a full chunk of small numbers, where its codes tell it; those of a byte do. */
static bool few_samples_are_weighed(struct random *r, struct arena *mem)
{
	const struct track plain = any_track(r, mem), t = with_chunks(mem, &plain);
	const size_t k = t.chunks.n ? (size_t)random_below(r, (int)t.chunks.n) : 0;
	const struct chunk *const chunk = t.chunks.n ? &t.chunks.at[k] : NULL;
	time_ms until[FEWS];
	uint64_t weighted[FEWS];

	if (!chunk || !chunk->is_full || !few_weighted(&t, k, until, weighted))
		return true;
	for (size_t i = 0; i < FEWS; i++) {
		const size_t first = k * CHUNK + i * FEW;
		uint64_t sum = 0;
		for (size_t j = first; j < first + FEW; j++)
			sum += (uint64_t)track_value(&t, j) * (uint64_t)(track_until(&t, j) - track_time(&t, j));
		if (sum != weighted[i] || until[i] != track_time(&t, first + FEW))
			return false;
	}
	return true;
}

static bool are_same_ends(const struct ends *a, const struct ends *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

/* Where the codes of a pack say. */
static bool ends_of_a_pack_are_those_of_its_cells(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem);
	const size_t k = t.n >= PACK ? (size_t)random_below(r, (int)(t.n / PACK)) : 0;
	struct ends all[CELLS], outer[CELLS], ends;
	struct cursor c;

	if (t.n < PACK)
		return true;
	cursor_start(&c, &t);
	const bool is_told = ends_of_pack(&t, k, all);
	if (outer_ends_of_pack(&t, k, outer) != is_told)
		return false;
	for (size_t i = k * PACK; is_told && i < (k + 1) * PACK; i += CELL) {
		const size_t cell = i % PACK / CELL;
		if (!ends_of(&c, i, i + CELL, &ends) || !are_same_ends(&ends, &all[cell]))
			return false;
		if (outer[cell].low[0] != ends.low[0] || outer[cell].high[0] != ends.high[0])
			return false;
	}
	return true;
}

static double is_other(double told, double looked_at)
{
	return !isnan(told) && told != looked_at;
}

/* Of windows from some samples to many. */
static bool told_extremes_are_those_of_windows(struct random *r, struct arena *mem)
{
	const struct track t = any_track(r, mem), quick = with_chunks(mem, &t);
	const bool is_low = random_one_in(r, 2);
	const time_ms width = 1 + (time_ms)random_below(r, random_one_in(r, 2) ? 100 : 700) * t.step + random_below(r, 10);
	const struct spans judged = random_one_in(r, 2) ? parts_of(r, mem, &t) : spans_one(&(struct span){ track_span(&t).begin, track_span(&t).end });
	const struct span hull = { judged.n ? judged.at[0].begin : 0, judged.n ? judged.at[judged.n - 1].end : 0 };

	if (t.n == 0 || span_length(hull) <= 0)
		return true;
	const struct extremes e = track_extremes(mem, &quick, judged, hull, width, is_low);
	const struct track parted = judged.n > 1 ? track_parted(mem, &t, judged) : t;
	const struct signal seen = signal_from_track(mem, &parted, hull), rolled = signal_rolling(mem, seen, width, is_low ? FOLD_MIN : FOLD_MAX);
	const struct signal other = signal_zip(mem, e.value, rolled, is_other);
	for (size_t i = 0; i < other.n; i++)
		if (other.at[i].value != 0)
			return false;
	return !e.told.n || e.told.at[e.told.n - 1].end <= hull.end;
}

/* Whatever has the same value all the time, or every third time, is told but for the ends. */
static bool extremes_of_even_tracks_are_told(struct random *r, struct arena *mem)
{
	const size_t n = 300 + (size_t)random_below(r, 1000);
	const time_ms step = 10 + random_below(r, 1000), width = (3 * CELL + random_below(r, 300)) * step;
	const bool is_even = random_one_in(r, 2);
	time_ms *const times = NEW_ARRAY(mem, time_ms, n);
	fixed *const values = NEW_ARRAY(mem, fixed, n);
	struct track t = { .n = n, .step = step };

	for (size_t i = 0; i < n; i++) {
		times[i] = (time_ms)i * step;
		values[i] = is_even || i % 3 == 0 ? FIXED_ONE : 2 * FIXED_ONE + random_below(r, 5);
	}
	t.clock = packed_from(mem, times, n, true);
	t.column = packed_from(mem, values, n, false);
	const struct span all = track_span(&t);
	const struct extremes e = track_extremes(mem, &t, spans_one(&all), all, width, true);
	const time_ms at_ends = width + width / 4 + 2 * CELL * step + 4;
	return span_length(all) <= at_ends || (e.told.n == 1 && spans_length(e.told) >= span_length(all) - at_ends);
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW(comparisons_are_the_same),
		LAW(rows_are_their_parts_joined),
		LAW(parted_track_is_known_in_its_parts),
		LAW(means_compare_the_same),
		LAW(signals_are_the_same),
		LAW(folds_are_the_same),
		LAW(known_time_is_the_same),
		LAW(what_tells_is_found),
		LAW(holes_are_where_samples_are_far_apart),
		LAW(what_is_sought_is_found),
		LAW_ONE_IN(what_is_sought_far_away_is_found, 20),
		LAW(chunks_are_their_samples),
		LAW(chunks_of_leaning_tracks_are_their_samples),
		LAW(parts_of_chunks_are_their_samples),
		LAW(outermost_values_are_found),
		LAW(ends_are_the_outermost_samples),
		LAW(ends_of_a_pack_are_those_of_its_cells),
		LAW(few_samples_are_weighed),
		LAW(longest_hold_of_a_chunk_is_told),
		LAW_ONE_IN(told_extremes_are_those_of_windows, 20),
		LAW_ONE_IN(extremes_of_even_tracks_are_told, 50),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
