/*
 * truth_laws.c - Kleene's logic over time: what operations on truth lines may and may not do.
 */
#include "property/laws.h"
#include "series/truth.h"

#include <math.h>

#define LAST 40 /* ms */
static const struct span whole = { 0, LAST };

static struct truths line_of(struct arena *mem, const enum truth *each)
{
	struct cut *at = NEW_ARRAY(mem, struct cut, LAST);
	size_t n = 0;

	for (int t = 0; t < LAST; t++)
		if (t == 0 || each[t] != each[t - 1])
			at[n++] = (struct cut){ t, each[t] };
	return (struct truths){ at, n, LAST };
}

static void random_truths(struct random *r, enum truth *each)
{
	const int changes_one_in = 1 + random_below(r, 8);

	for (int t = 0; t < LAST; t++)
		each[t] = t == 0 || random_one_in(r, changes_one_in) ? (enum truth)random_below(r, 3) : each[t - 1];
}

static struct truths random_line(struct random *r, struct arena *mem)
{
	enum truth each[LAST];

	random_truths(r, each);
	return line_of(mem, each);
}

static struct spans random_set(struct random *r, struct arena *mem)
{
	struct span any[4];

	for (size_t i = 0; i < 4; i++)
		any[i] = (struct span){ random_below(r, LAST), random_below(r, LAST + 1) };
	return spans_of(mem, any, 4);
}

static enum truth at(const struct truths *line, const time_ms t)
{
	size_t i = 0;

	while (i + 1 < line->n && line->at[i + 1].at <= t)
		i++;
	return line->at[i].truth;
}

static bool is_well_formed(const struct truths line, const struct span within)
{
	if (line.end != within.end || (line.n > 0) != (span_length(within) > 0))
		return false;
	if (line.n > 0 && (line.at[0].at != within.begin || line.at[line.n - 1].at >= line.end))
		return false;
	for (size_t i = 1; i < line.n; i++)
		if (line.at[i].at <= line.at[i - 1].at || line.at[i].truth == line.at[i - 1].truth)
			return false;
	return true;
}

static bool is_same(const struct truths a, const struct truths b)
{
	if (a.n != b.n || a.end != b.end)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (a.at[i].at != b.at[i].at || a.at[i].truth != b.at[i].truth)
			return false;
	return true;
}

static struct truths shifted(struct arena *mem, const struct truths line, const time_ms by)
{
	struct cut *cuts = NEW_ARRAY(mem, struct cut, line.n);

	for (size_t i = 0; i < line.n; i++)
		cuts[i] = (struct cut){ line.at[i].at + by, line.at[i].truth };
	return (struct truths){ cuts, line.n, line.end + by };
}

static bool kleenes_tables(struct random *r, struct arena *mem)
{
	static const enum truth and_table[3][3] = {
		[NO] = { [NO] = NO, [YES] = NO, [UNKNOWN] = NO },
		[YES] = { [NO] = NO, [YES] = YES, [UNKNOWN] = UNKNOWN },
		[UNKNOWN] = { [NO] = NO, [YES] = UNKNOWN, [UNKNOWN] = UNKNOWN },
	};
	const struct truths a = random_line(r, mem), b = random_line(r, mem);
	const struct truths both = truths_zip(mem, a, b, truth_and);

	for (time_ms t = 0; t < LAST; t++)
		if (at(&both, t) != and_table[at(&a, t)][at(&b, t)])
			return false;
	return is_well_formed(both, whole);
}

static bool de_morgan_with_unknown(struct random *r, struct arena *mem)
{
	const struct truths a = random_line(r, mem), b = random_line(r, mem);
	const struct truths not_a = truths_not(mem, a), not_b = truths_not(mem, b);

	return is_same(truths_not(mem, truths_zip(mem, a, b, truth_and)), truths_zip(mem, not_a, not_b, truth_or)) &&
		is_same(truths_not(mem, truths_zip(mem, a, b, truth_or)), truths_zip(mem, not_a, not_b, truth_and)) &&
		is_same(truths_not(mem, not_a), a);
}

static bool lines_of_spans_are_their_sets(struct random *r, struct arena *mem)
{
	const struct spans s = random_set(r, mem);
	const struct truths line = truths_from_spans(mem, s, whole);
	const struct truths other = truths_from_spans(mem, spans_complement(mem, s, whole), whole);

	return is_well_formed(line, whole) &&
		is_same(truths_from_spans(mem, truths_spans(mem, line, YES), whole), line) &&
		is_same(truths_not(mem, line), other) &&
		spans_length(truths_spans(mem, line, YES)) == spans_length(s);
}

static bool lengths_add_up(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const struct spans s = random_set(r, mem);
	time_ms sum = 0;

	for (int truth = NO; truth <= UNKNOWN; truth++) {
		const time_ms length = truths_length(line, (enum truth)truth, s);

		if (length != spans_length(spans_intersection(mem, truths_spans(mem, line, (enum truth)truth), s)))
			return false;
		sum += length;
	}
	return sum == spans_length(s);
}

static bool held_never_lengthens(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const time_ms hold = random_below(r, 12);
	const struct truths held = truths_held(mem, line, hold);
	const struct spans yes = truths_spans(mem, held, YES);

	for (time_ms t = 0; t < LAST; t++)
		if (at(&held, t) != at(&line, t) && at(&line, t) != YES)
			return false;
	for (size_t i = 0; i < yes.n; i++)
		if (span_length(yes.at[i]) < hold)
			return false;
	return is_well_formed(held, whole) && is_same(truths_held(mem, line, 0), line) &&
		is_same(truths_held(mem, held, hold), held);
}

static bool stretches_of_exactly_hold_count(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const struct spans yes = truths_spans(mem, line, YES);

	for (size_t i = 0; i < yes.n; i++) {
		const struct truths held = truths_held(mem, line, span_length(yes.at[i]));
		const struct truths longer = truths_held(mem, line, span_length(yes.at[i]) + 1);

		if (truths_length(held, YES, spans_one(&yes.at[i])) != span_length(yes.at[i]) ||
			truths_length(longer, YES, spans_one(&yes.at[i])) != 0)
			return false;
	}
	return true;
}

/* Some of a line no longer known: what follows may only become unknown, too. */
static bool held_is_monotone(struct random *r, struct arena *mem)
{
	enum truth each[LAST];
	const time_ms hold = random_below(r, 12);

	random_truths(r, each);
	const struct truths before = truths_held(mem, line_of(mem, each), hold);
	for (int t = random_below(r, LAST), n = random_below(r, 6); n > 0 && t < LAST; t++, n--)
		each[t] = UNKNOWN;
	const struct truths after = truths_held(mem, line_of(mem, each), hold);
	for (time_ms t = 0; t < LAST; t++)
		if (at(&after, t) != UNKNOWN && at(&after, t) != at(&before, t))
			return false;
	return true;
}

/* What lies between two YES around t, by looking at each ms; false where there are none on both sides. */
static bool gap_around(const struct truths *line, const time_ms t, time_ms *no, time_ms *unknown)
{
	time_ms begin = t, end = t;

	while (begin >= 0 && at(line, begin) != YES)
		begin--;
	while (end < LAST && at(line, end) != YES)
		end++;
	*no = *unknown = 0;
	for (time_ms ms = begin + 1; ms < end; ms++)
		*(at(line, ms) == NO ? no : unknown) += 1;
	return begin >= 0 && end < LAST;
}

static bool bridged_joins_what_its_definition_says(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const time_ms merge_gap = random_below(r, 12), max_gap = random_below(r, 8);
	const struct truths bridged = truths_bridged(mem, line, merge_gap, max_gap);

	for (time_ms t = 0; t < LAST; t++) {
		time_ms no, unknown;
		enum truth want = at(&line, t);

		if (want != YES && gap_around(&line, t, &no, &unknown) && no <= merge_gap)
			want = unknown <= max_gap ? YES : UNKNOWN;
		if (at(&bridged, t) != want)
			return false;
	}
	return is_well_formed(bridged, whole);
}

static bool bridged_never_shortens(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const time_ms merge_gap = random_below(r, 12), max_gap = random_below(r, 8);
	const struct truths bridged = truths_bridged(mem, line, merge_gap, max_gap);
	const struct truths longer = truths_bridged(mem, line, merge_gap + random_below(r, 4), max_gap + random_below(r, 4));

	for (time_ms t = 0; t < LAST; t++) {
		if (at(&line, t) == YES && at(&bridged, t) != YES)
			return false;
		if (at(&bridged, t) == YES && at(&longer, t) != YES)
			return false;
		if (at(&bridged, t) == NO && at(&line, t) != NO)
			return false;
	}
	return is_same(truths_bridged(mem, line, 0, 0), line) && is_same(truths_bridged(mem, bridged, merge_gap, max_gap), bridged);
}

static bool latch_begins_with_set_and_ends_with_reset(struct random *r, struct arena *mem)
{
	const struct truths set = random_line(r, mem), reset = random_line(r, mem);
	const struct truths latched = truths_latched(mem, set, reset);
	const struct truths never = truths_latched(mem, set, truths_constant(mem, NO, whole));

	for (time_ms t = 0; t < LAST; t++) {
		const enum truth now = at(&latched, t), before = t > 0 ? at(&latched, t - 1) : NO;

		if (at(&set, t) == YES && now != YES)
			return false;
		if (at(&set, t) == NO && at(&reset, t) == YES && now != NO)
			return false;
		if (at(&set, t) == NO && at(&reset, t) == NO && before != UNKNOWN && now != before)
			return false;
	}
	return is_well_formed(latched, whole) && truths_length(never, YES, spans_one(&whole)) >=
		truths_length(latched, YES, spans_one(&whole));
}

/* A condition is its own hysteresis when it ends where it does not hold. */
static bool latch_reset_by_not_set_is_set(struct random *r, struct arena *mem)
{
	const struct truths set = random_line(r, mem);

	return is_same(truths_latched(mem, set, truths_not(mem, set)), set);
}

static bool within_is_no_outside(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const struct spans s = random_set(r, mem);
	const struct truths inside = truths_within(mem, line, s);

	for (time_ms t = 0; t < LAST; t++)
		if (at(&inside, t) != (spans_hold(s, t) ? at(&line, t) : NO))
			return false;
	return is_well_formed(inside, whole);
}

static bool shifting_shifts_results_and_nothing_else(struct random *r, struct arena *mem)
{
	const struct truths a = random_line(r, mem), b = random_line(r, mem);
	const time_ms by = (time_ms)random_below(r, 1000000) * 2000000 - 1000000000000, length = random_below(r, 10);
	const struct truths late_a = shifted(mem, a, by), late_b = shifted(mem, b, by);

	return is_same(truths_zip(mem, late_a, late_b, truth_or), shifted(mem, truths_zip(mem, a, b, truth_or), by)) &&
		is_same(truths_latched(mem, late_a, late_b), shifted(mem, truths_latched(mem, a, b), by)) &&
		is_same(truths_held(mem, late_a, length), shifted(mem, truths_held(mem, a, length), by)) &&
		is_same(truths_bridged(mem, late_a, length, 0), shifted(mem, truths_bridged(mem, a, length, 0), by));
}

/* A track of digits with missing cells and holes. */
static struct track random_track(struct random *r, struct arena *mem)
{
	const size_t n = (size_t)random_below(r, 15);
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);

	for (size_t i = 0; i < n; i++) {
		times[i] = (i > 0 ? times[i - 1] : 0) + 1 + (random_one_in(r, 6) ? random_below(r, 9) : 0);
		values[i] = random_one_in(r, 6) ? FIXED_MISSING : random_below(r, 6) * FIXED_ONE;
	}
	return (struct track){ .times = times, .values = values, .n = n, .step = 1 };
}

static bool raising_a_threshold_never_adds_yes(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct signal s = signal_from_track(mem, &t, whole);
	const double low = random_below(r, 6), high = low + random_below(r, 3);
	const struct truths over_low = truths_compare(mem, s, GREATER, signal_constant(mem, low, whole));
	const struct truths over_high = truths_compare(mem, s, GREATER, signal_constant(mem, high, whole));

	for (time_ms ms = 0; ms < LAST; ms++)
		if (at(&over_high, ms) == YES && at(&over_low, ms) != YES)
			return false;
	return is_well_formed(over_low, whole) && is_well_formed(over_high, whole);
}

static bool comparisons_are_complementary(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem), u = random_track(r, mem);
	const struct signal a = signal_from_track(mem, &t, whole), b = signal_from_track(mem, &u, whole);

	return is_same(truths_not(mem, truths_compare(mem, a, LESS, b)), truths_compare(mem, a, GREATER_EQUAL, b)) &&
		is_same(truths_not(mem, truths_compare(mem, a, EQUAL, b)), truths_compare(mem, a, NOT_EQUAL, b)) &&
		is_same(truths_compare(mem, a, LESS_EQUAL, b), truths_compare(mem, b, GREATER_EQUAL, a)) &&
		is_well_formed(truths_compare(mem, a, LESS, b), whole);
}

static bool blanking_a_sample_only_makes_unknown(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem);
	const struct signal limit = signal_constant(mem, random_below(r, 6), whole);
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);

	if (t.n == 0)
		return true;
	fixed *values = NEW_ARRAY(mem, fixed, t.n);
	memcpy(values, t.values, t.n * sizeof *values);
	values[random_below(r, (int)t.n)] = FIXED_MISSING;
	struct track blanked = t;
	blanked.values = values;

	const struct truths before = truths_compare(mem, signal_from_track(mem, &t, whole), how, limit);
	const struct truths after = truths_compare(mem, signal_from_track(mem, &blanked, whole), how, limit);
	for (time_ms ms = 0; ms < LAST; ms++)
		if (at(&after, ms) != UNKNOWN && at(&after, ms) != at(&before, ms))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW(kleenes_tables),
		LAW(de_morgan_with_unknown),
		LAW(lines_of_spans_are_their_sets),
		LAW(lengths_add_up),
		LAW(held_never_lengthens),
		LAW(stretches_of_exactly_hold_count),
		LAW(held_is_monotone),
		LAW(bridged_joins_what_its_definition_says),
		LAW(bridged_never_shortens),
		LAW(latch_begins_with_set_and_ends_with_reset),
		LAW(latch_reset_by_not_set_is_set),
		LAW(within_is_no_outside),
		LAW(shifting_shifts_results_and_nothing_else),
		LAW(raising_a_threshold_never_adds_yes),
		LAW(comparisons_are_complementary),
		LAW(blanking_a_sample_only_makes_unknown),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
