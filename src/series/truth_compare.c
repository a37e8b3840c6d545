/*
 * truth_compare.c - where truth lines come from: values compared with values.
 *
 * Nearly all conditions compare a track with a constant, and nearly all the time they stay as they are: which values mean the same is
 * worked out once (bands.h), and then the track is walked (truth_rows.c).
 */
#include "series/rows.h"

/* With a number that stays: the way of all that is not a track. */
static void compare_constant_into(struct growing *out, const struct signal *a, const enum comparison how, const double b,
	const struct span within)
{
	for (size_t i = piece_at(a, within.begin); i < a->n && a->at[i].begin < within.end; i++)
		growing_add(out, later(a->at[i].begin, within.begin), compared(a->at[i].value, how, b));
}

/* From piece i on the first that ends behind `when`. */
static size_t piece_behind(const struct signal *s, size_t i, const time_ms when)
{
	while (i < s->n && piece_end(s, i) <= when)
		i++;
	return i;
}

/* While the one is not known, whatever the other is, nothing is. */
static void compare_into(struct growing *out, const struct signal *a, const enum comparison how, const struct signal *b,
	const struct span within)
{
	if (b->n == 1) {
		compare_constant_into(out, a, how, b->at[0].value, within);
		return;
	}
	size_t i = piece_at(a, within.begin), j = piece_at(b, within.begin);

	for (time_ms now = within.begin; now < within.end;) {
		const time_ms a_end = piece_end(a, i), b_end = piece_end(b, j);
		const enum truth truth = compared(a->at[i].value, how, b->at[j].value);

		growing_add(out, now, truth);
		if (truth == UNKNOWN) {
			now = isnan(a->at[i].value) ? a_end : b_end;
			i = piece_behind(a, i, now);
			j = piece_behind(b, j, now);
			continue;
		}
		i += a_end <= b_end;
		j += b_end <= a_end;
		now = sooner(a_end, b_end);
	}
}

struct truths truths_compare(struct arena *mem, const struct signal a, const enum comparison how, const struct signal b)
{
	const struct span of_a = signal_span(&a), of_b = signal_span(&b);
	const struct span within = { later(of_a.begin, of_b.begin), sooner(of_a.end, of_b.end) };
	struct growing line = { .room = 0 };

	if (span_length(within) <= 0) /* also where one of them is empty */
		return truths_nowhere(within.end);
	compare_into(&line, &a, how, &b, within);
	return growing_line(mem, &line, within.end);
}

static void compare_track_into(struct growing *out, const struct track *t, const struct span within, const struct bands *bands)
{
	struct row_test test;

	row_test_start(&test, t, bands);
	rows_tested(out, &test, within, 0);
}

struct truths truths_compare_track(struct arena *mem, const struct track *t, const struct span within, const double factor,
	const enum comparison how, const double threshold)
{
	struct growing line = { .room = 0 };

	if (factor < 0) /* exactly the same: rounding knows no sides */
		return truths_compare_track(mem, t, within, -factor, comparison_mirrored(how), -threshold);
	if (span_length(within) <= 0)
		return truths_nowhere(within.end);
	/* Without a step no sample holds for any time; and nobody multiplies by infinity. */
	if (t->step <= 0 || isnan(threshold) || !isfinite(factor))
		return truths_constant(mem, UNKNOWN, within);
	const struct bands bands = bands_of(&(struct arithmetic){ .factor = factor }, how, threshold);
	compare_track_into(&line, t, within, &bands);
	return growing_line(mem, &line, within.end);
}

struct truths truths_compare_limit(struct arena *mem, const struct track *t, const double factor, const enum comparison how,
	const struct signal limit)
{
	struct growing line = { .room = 0 };

	for (size_t i = 0; i < limit.n; i++) {
		const struct span piece = { limit.at[i].begin, piece_end(&limit, i) };

		if (isnan(limit.at[i].value) || t->step <= 0) {
			growing_add(&line, piece.begin, UNKNOWN);
			continue;
		}
		const struct bands bands = bands_of(&(struct arithmetic){ .factor = factor }, how, limit.at[i].value);
		compare_track_into(&line, t, piece, &bands);
	}
	return growing_line(mem, &line, limit.end);
}

struct truths truths_compare_beside(struct arena *mem, const struct track *t, const double factor, double (*f)(double, double),
	const struct signal other, const double then, const enum comparison how, const double threshold)
{
	struct growing line = { .room = 0 };

	for (size_t i = 0; i < other.n; i++) {
		const struct span piece = { other.at[i].begin, piece_end(&other, i) };
		const struct arithmetic arithmetic = { factor, f, other.at[i].value, then };

		if (isnan(other.at[i].value) || isnan(threshold) || t->step <= 0) {
			growing_add(&line, piece.begin, UNKNOWN);
			continue;
		}
		const struct bands bands = bands_of(&arithmetic, how, threshold);
		compare_track_into(&line, t, piece, &bands);
	}
	return growing_line(mem, &line, other.end);
}

struct truths truths_compare_zip(struct arena *mem, const struct signal a, const struct signal b, double (*f)(double, double),
	const double factor, const enum comparison how, const double threshold)
{
	const struct span of_a = signal_span(&a), of_b = signal_span(&b);
	const struct span within = { later(of_a.begin, of_b.begin), sooner(of_a.end, of_b.end) };
	struct growing line = { .room = 0 };

	if (span_length(within) <= 0)
		return truths_nowhere(within.end);
	size_t i = piece_at(&a, within.begin), j = piece_at(&b, within.begin);
	for (time_ms now = within.begin; now < within.end;) {
		const time_ms a_end = piece_end(&a, i), b_end = piece_end(&b, j);

		growing_add(&line, now, compared(f(a.at[i].value, b.at[j].value) * factor, how, threshold));
		i += a_end <= b_end;
		j += b_end <= a_end;
		now = sooner(a_end, b_end);
	}
	return growing_line(mem, &line, within.end);
}

static enum truth agreed(const enum truth a, const enum truth b)
{
	return a == b ? a : UNKNOWN;
}

/* Of <, <=, > and >=: what the least of one and the most of the other say, and the other way round, all between them say. */
static struct truths compare_ends(struct arena *mem, const struct bounds a, const enum comparison how, const struct bounds b)
{
	return truths_zip(mem, truths_compare(mem, a.low, how, b.high), truths_compare(mem, a.high, how, b.low), agreed);
}

struct truths truths_compare_bounds(struct arena *mem, const struct bounds a, const enum comparison how, const struct bounds b)
{
	if (how != EQUAL && how != NOT_EQUAL)
		return compare_ends(mem, a, how, b);
	const struct truths equal =
		truths_zip(mem, compare_ends(mem, a, LESS_EQUAL, b), compare_ends(mem, a, GREATER_EQUAL, b), truth_and);
	return how == EQUAL ? equal : truths_not(mem, equal);
}
