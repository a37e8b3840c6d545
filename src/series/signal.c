/*
 * signal.c - step functions of time, made, cut and combined.
 *
 * Two step functions are combined by one walk over both lists of pieces. Their folds have files of their own:
 * signal_fold.c (one number), signal_rolling.c (a window that moves), signal_across.c (several signals at each moment).
 */
#include "series/signal.h"

#include "series/chunk.h"
#include "series/cursor.h"
#include "series/pieces.h"

struct signal signal_constant(struct arena *mem, const double value, const struct span within)
{
	struct pieces result;

	if (span_length(within) <= 0)
		return signal_nowhere(within.end);
	result = pieces_new(mem, 1);
	pieces_add(&result, within.begin, value);
	return pieces_signal(&result, within.end);
}

static double sample_value(const fixed value)
{
	return value == FIXED_MISSING ? (double)NAN : fixed_value(value);
}

/* Samples one by one: `last` is that of a piece that goes on at known_until; missing: none. */
struct tracing {
	struct pieces *out;
	struct cursor *samples;
	struct span within;
	time_ms known_until;
	fixed last;
};

static void trace_samples(struct tracing *t, size_t i, const size_t end)
{
	struct cursor *const c = t->samples;

	for (; i < end; i++) {
		const time_ms begin = later(cursor_time(c, i), t->within.begin), until = sooner(cursor_until(c, i), t->within.end);
		const fixed value = cursor_value(c, i);

		if (until <= begin)
			continue;
		if (begin > t->known_until)
			pieces_add(t->out, t->known_until, NAN);
		if (begin > t->known_until || value != t->last || t->last == FIXED_MISSING)
			pieces_add(t->out, begin, sample_value(value));
		t->last = value;
		t->known_until = until;
	}
}

/* A chunk that is full and inside, or samples that are as such a chunk is: a piece for each change. */
static void trace_held(struct tracing *t, const size_t first, const size_t n_samples)
{
	const fixed *const values = cursor_values(t->samples, first);
	const time_ms *const times = cursor_times(t->samples, first);

	trace_samples(t, first, first + 1);
	struct piece *const at = t->out->at;
	size_t n = t->out->n;
	for (size_t i = 1; i < n_samples; i++) {
		const double value = fixed_value(values[i]);

		if (values[i] != values[i - 1] && value != at[n - 1].value)
			at[n++] = (struct piece){ times[i], value };
	}
	t->out->n = n;
	t->last = values[n_samples - 1];
	t->known_until = times[n_samples];
}

static void trace_chunk(struct tracing *t, const size_t first, const struct chunk *chunk)
{
	if (chunk->low != chunk->high) {
		trace_held(t, first, CHUNK);
		return;
	}
	trace_samples(t, first, first + 1);
	t->known_until = track_time(t->samples->track, first + CHUNK);
}

/*
 * Has each of n samples a value, and does it hold until the next, also the last, which is not the last of all? Of what is left up to
 * `longest` behind a longer gap, and of a missing value, the highest bit is set: many samples are looked at in one go.
 */
static bool are_held(const time_ms *times, const fixed *values, const size_t n, const time_ms longest)
{
	uint64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t gap = (uint64_t)times[i + 1] - (uint64_t)times[i], value = (uint64_t)values[i];

		odd |= ((uint64_t)longest - gap) | (value & ~(value - 1)); /* FIXED_MISSING is the least of all */
	}
	return odd >> 63 == 0;
}

/* Where there is no chunk, as in tracks of narrow stores, which have none, or in a part of one; another sample comes behind. */
static bool is_as_full(struct cursor *c, const size_t first, const size_t n)
{
	return are_held(cursor_times(c, first), cursor_values(c, first), n, surely_held(c->track, first / PACK));
}

/* The pieces of the track in `within`, whose begin is where those before it end. */
static void track_pieces(struct pieces *out, struct cursor *c, const struct span within)
{
	const size_t end = track_seek(c->track, within.end);
	struct tracing t = { out, c, within, within.begin, FIXED_MISSING };

	for (size_t i = sample_before(c->track, within.begin), stop; i < end; i = stop) {
		const struct chunk *const chunk = chunk_from(c->track, i, end - 1);

		stop = (i / CHUNK + 1) * CHUNK < end ? (i / CHUNK + 1) * CHUNK : end;
		if (chunk && chunk->is_full)
			trace_chunk(&t, i, chunk);
		else if (stop < end && !chunk && is_as_full(c, i, stop - i))
			trace_held(&t, i, stop - i);
		else
			trace_samples(&t, i, stop);
	}
	if (t.known_until < within.end)
		pieces_add(out, t.known_until, NAN);
}

/* The most that they can be: a piece and a hole for each sample, and what is before the first, with it, and behind the last. */
static size_t room_for(const struct track *t, const struct span within)
{
	const size_t end = track_seek(t, within.end);
	size_t room = 3;

	for (size_t i = sample_before(t, within.begin), n; i < end; i += n) {
		const struct chunk *const chunk = chunk_from(t, i, end);
		n = chunk ? CHUNK : 1;
		room += !chunk || !chunk->is_full ? 2 * n : chunk->low == chunk->high ? 1 : n;
	}
	return room;
}

struct signal signal_from_track(struct arena *mem, const struct track *t, const struct span within)
{
	return signal_of_track(mem, t, within, 1);
}

struct signal signal_of_track(struct arena *mem, const struct track *t, const struct span within, const double factor)
{
	struct cursor c;

	if (span_length(within) <= 0)
		return signal_nowhere(within.end);
	const size_t room = room_for(t, within);
	cursor_start(&c, t);
	struct pieces result = pieces_new(mem, room);
	track_pieces(&result, &c, within);
	for (size_t i = 0; i < result.n && factor != 1; i++)
		result.at[i].value *= factor;
	return pieces_signal_cut(mem, &result, room, within.end);
}

struct signal signal_cut(struct arena *mem, const struct signal s, const struct span within)
{
	const time_ms end = sooner(s.end, within.end);

	if (!s.n || (within.begin <= s.at[0].begin && end == s.end))
		return s;
	struct pieces result = pieces_new(mem, s.n + 1);
	for (size_t i = 0; i < s.n; i++) {
		const time_ms begin = later(s.at[i].begin, within.begin), until = sooner(piece_end(&s, i), end);
		if (until > begin)
			pieces_add(&result, begin, s.at[i].value);
	}
	return pieces_signal(&result, end);
}

struct signal signal_around(const struct signal s, const struct span within)
{
	if (!s.n || span_length(within) <= 0)
		return s;
	const size_t first = piece_at(&s, within.begin), last = piece_at(&s, within.end - 1);
	return (struct signal){ s.at + first, last + 1 - first, piece_end(&s, last) };
}

struct signal signal_set_in(struct arena *mem, const struct signal s, const struct span within)
{
	struct pieces result = pieces_new(mem, s.n + 2);

	if (span_length(within) <= 0)
		return signal_nowhere(within.end);
	if (!s.n || s.at[0].begin > within.begin)
		pieces_add(&result, within.begin, NAN);
	for (size_t i = 0; i < s.n; i++)
		pieces_add(&result, s.at[i].begin, s.at[i].value);
	if (s.n && s.end < within.end)
		pieces_add(&result, s.end, NAN);
	return pieces_signal(&result, within.end);
}

/* What holds in a span, which is inside of the signal and behind all before; *i: the piece to begin with, then the last one of these. */
static void add_pieces(struct pieces *out, const struct signal *s, size_t *i, const struct span within)
{
	while (piece_end(s, *i) <= within.begin)
		++*i;
	for (;; ++*i) {
		pieces_add(out, later(s->at[*i].begin, within.begin), s->at[*i].value);
		if (piece_end(s, *i) >= within.end)
			return;
	}
}

struct signal signal_within(struct arena *mem, const struct signal s, const struct spans within)
{
	const size_t room = s.n + 2 * within.n + 1;
	struct pieces inside = pieces_new(mem, room);
	time_ms done = signal_span(&s).begin;
	size_t i = 0;

	for (size_t k = 0; k < within.n; k++) {
		const struct span part = { later(within.at[k].begin, done), sooner(within.at[k].end, s.end) };

		if (span_length(part) <= 0)
			continue;
		if (part.begin > done)
			pieces_add(&inside, done, NAN);
		add_pieces(&inside, &s, &i, part);
		done = part.end;
	}
	if (done < s.end)
		pieces_add(&inside, done, NAN);
	return pieces_signal_cut(mem, &inside, room, s.end);
}

struct signal signal_kept(struct arena *mem, const struct signal s)
{
	struct pieces kept = pieces_new(mem, s.n);

	if (s.n)
		memcpy(kept.at, s.at, s.n * sizeof *kept.at);
	kept.n = s.n;
	return pieces_signal(&kept, s.end);
}

/* One of two stays as it is: the other is gone through alone. */
static struct signal zip_constant(struct arena *mem, const struct signal *s, const struct span within, const double constant,
	const bool is_first, double (*f)(double, double))
{
	struct pieces result = pieces_new(mem, s->n);

	for (size_t i = piece_at(s, within.begin); i < s->n && s->at[i].begin < within.end; i++) {
		const double value = s->at[i].value;

		pieces_add(&result, later(s->at[i].begin, within.begin), is_first ? f(constant, value) : f(value, constant));
	}
	return pieces_signal(&result, within.end);
}

struct signal signal_zip(struct arena *mem, const struct signal a, const struct signal b,
	double (*f)(double, double))
{
	const struct span of_a = signal_span(&a), of_b = signal_span(&b);
	const time_ms end = sooner(of_a.end, of_b.end);
	time_ms now = later(of_a.begin, of_b.begin);

	if (now >= end) /* also where one of them is empty */
		return signal_nowhere(end);
	if (b.n == 1)
		return zip_constant(mem, &a, (struct span){ now, end }, b.at[0].value, false, f);
	if (a.n == 1)
		return zip_constant(mem, &b, (struct span){ now, end }, a.at[0].value, true, f);
	const size_t room = a.n + b.n;
	struct pieces result = pieces_new(mem, room);
	size_t i = piece_at(&a, now), j = piece_at(&b, now);

	while (now < end) {
		const time_ms a_end = piece_end(&a, i), b_end = piece_end(&b, j);

		pieces_add(&result, now, f(a.at[i].value, b.at[j].value));
		i += a_end <= b_end;
		j += b_end <= a_end;
		now = sooner(a_end, b_end);
	}
	return pieces_signal_cut(mem, &result, room, end);
}

double known_or(const double known, const double other)
{
	return isnan(known) ? other : known;
}

struct signal signal_in_turn(struct arena *mem, const struct signal *signals, const struct span *of, const size_t n)
{
	size_t room = n;

	for (size_t k = 0; k < n; k++)
		room += signals[k].n;
	struct pieces all = pieces_new(mem, room);
	for (size_t k = 0; k < n; k++) {
		const struct signal s = signal_around(signals[k], of[k]);
		for (size_t i = 0; i < s.n; i++)
			pieces_add(&all, later(s.at[i].begin, of[k].begin), s.at[i].value);
		if (!s.n)
			pieces_add(&all, of[k].begin, NAN);
	}
	return pieces_signal_cut(mem, &all, room, of[n - 1].end);
}

const struct fold_row fold_table[N_FOLDS] = {
#define FOLD(id, name, takes, gives, over, what) [FOLD_##id] = { name, takes, over, gives, what },
#include "series/fold.def"
#undef FOLD
};

int fold_percent(const enum fold fold)
{
	static const unsigned char percents[N_FOLDS] = {
		[FOLD_P5] = 5,   [FOLD_P10] = 10, [FOLD_P25] = 25, [FOLD_P50] = 50,
		[FOLD_P75] = 75, [FOLD_P90] = 90, [FOLD_P95] = 95, [FOLD_P99] = 99,
	};

	return percents[fold];
}

bool fold_keeps_one(const enum fold fold)
{
	return fold == FOLD_MEAN || fold == FOLD_MIN || fold == FOLD_MAX || fold == FOLD_SUM || fold_percent(fold) > 0;
}
