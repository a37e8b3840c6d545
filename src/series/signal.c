/*
 * signal.c - step functions of time, made, cut and combined.
 *
 * Two step functions are combined by one walk over both lists of pieces. Their folds have files of their own:
 * signal_fold.c (one number), signal_rolling.c (a window that moves), signal_across.c (several signals at each moment).
 */
#include "series/signal.h"

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

/* How many pieces samples [first, end) make at most: one for each change, and two for each hole. */
static size_t count_changes(struct cursor *c, const size_t first, const size_t end)
{
	const time_ms longest = HOLE_STEPS * c->track->step;
	size_t n = 0;

	for (size_t i = first; i + 1 < end; i++) {
		n += cursor_value(c, i + 1) != cursor_value(c, i);
		n += 2 * (size_t)(cursor_time(c, i + 1) - cursor_time(c, i) > longest);
	}
	return n;
}

/* The pieces of the track in `within`, whose begin is where those before it end. */
static void track_pieces(struct pieces *out, struct cursor *c, const struct span within)
{
	const struct track *const t = c->track;
	const size_t first = sample_before(t, within.begin), end = track_seek(t, within.end);
	time_ms known_until = within.begin;
	fixed last = FIXED_MISSING; /* of a piece that goes on at known_until; missing: none */

	for (size_t i = first; i < end; i++) {
		const time_ms begin = later(cursor_time(c, i), within.begin), until = sooner(cursor_until(c, i), within.end);
		const fixed value = cursor_value(c, i);

		if (until <= begin)
			continue;
		if (begin > known_until)
			pieces_add(out, known_until, NAN);
		if (begin > known_until || value != last || last == FIXED_MISSING)
			pieces_add(out, begin, sample_value(value));
		last = value;
		known_until = until;
	}
	if (known_until < within.end)
		pieces_add(out, known_until, NAN);
}

/* Room for the changes and for what is before the first sample, with it, and behind the last. */
static size_t room_for(struct cursor *c, const struct span within)
{
	return count_changes(c, sample_before(c->track, within.begin), track_seek(c->track, within.end)) + 3;
}

struct signal signal_from_track(struct arena *mem, const struct track *t, const struct span within)
{
	struct cursor c;

	if (span_length(within) <= 0)
		return signal_nowhere(within.end);
	cursor_start(&c, t);
	struct pieces result = pieces_new(mem, room_for(&c, within));
	track_pieces(&result, &c, within);
	return pieces_signal(&result, within.end);
}

struct signal signal_inside(struct arena *mem, const struct track *t, const struct spans inside, const struct span within)
{
	size_t room = 1;
	time_ms done = within.begin;
	struct cursor c;

	if (span_length(within) <= 0)
		return signal_nowhere(within.end);
	cursor_start(&c, t);
	for (size_t i = 0; i < inside.n; i++)
		room += 1 + room_for(&c, inside.at[i]);
	struct pieces result = pieces_new(mem, room);
	for (size_t i = 0; i < inside.n; i++) {
		const struct span part = { later(inside.at[i].begin, within.begin), sooner(inside.at[i].end, within.end) };

		if (span_length(part) <= 0)
			continue;
		if (part.begin > done)
			pieces_add(&result, done, NAN);
		track_pieces(&result, &c, part);
		done = part.end;
	}
	if (done < within.end)
		pieces_add(&result, done, NAN);
	return pieces_signal(&result, within.end);
}

struct signal signal_cut(struct arena *mem, const struct signal s, const struct span within)
{
	struct pieces result = pieces_new(mem, s.n + 1);
	const time_ms end = sooner(s.end, within.end);

	for (size_t i = 0; i < s.n; i++) {
		const time_ms begin = later(s.at[i].begin, within.begin), until = sooner(piece_end(&s, i), end);
		if (until > begin)
			pieces_add(&result, begin, s.at[i].value);
	}
	return pieces_signal(&result, end);
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
