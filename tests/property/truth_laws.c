/*
 * truth_laws.c - Kleene's logic over time: what operations on truth lines may and may not do.
 */
#include "property/laws.h"
#include "property/lines.h"

#include <math.h>

#define LAST 32 /* ms */
static const struct span whole = { 0, LAST };

static struct truths line_of(struct arena *mem, const enum truth *each)
{
	struct cut *at = NEW_ARRAY(mem, struct cut, LAST);
	size_t n = 0;

	for (int t = 0; t < LAST; t++)
		if (t == 0 || each[t] != each[t - 1])
			at[n++] = cut_made(t, each[t]);
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

static double value_at(const struct signal *s, const time_ms t)
{
	size_t i = 0;

	while (i + 1 < s->n && s->at[i + 1].begin <= t)
		i++;
	return s->at[i].value;
}

static struct truths shifted(struct arena *mem, const struct truths line, const time_ms by)
{
	struct cut *cuts = NEW_ARRAY(mem, struct cut, line.n);

	for (size_t i = 0; i < line.n; i++)
		cuts[i] = cut_made(line.at[i].at + by, line.at[i].truth);
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

	return lines_are_same(truths_not(mem, truths_zip(mem, a, b, truth_and)), truths_zip(mem, not_a, not_b, truth_or)) &&
		lines_are_same(truths_not(mem, truths_zip(mem, a, b, truth_or)), truths_zip(mem, not_a, not_b, truth_and)) &&
		lines_are_same(truths_not(mem, not_a), a);
}

static bool lines_of_spans_are_their_sets(struct random *r, struct arena *mem)
{
	const struct spans s = random_set(r, mem);
	const struct truths line = truths_from_spans(mem, s, whole);
	const struct truths other = truths_from_spans(mem, spans_complement(mem, s, whole), whole);

	return is_well_formed(line, whole) &&
		lines_are_same(truths_from_spans(mem, truths_spans(mem, line, YES), whole), line) &&
		lines_are_same(truths_not(mem, line), other) &&
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
	return is_well_formed(held, whole) && lines_are_same(truths_held(mem, line, 0), line) &&
		lines_are_same(truths_held(mem, held, hold), held);
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
	return lines_are_same(truths_bridged(mem, line, 0, 0), line) && lines_are_same(truths_bridged(mem, bridged, merge_gap, max_gap), bridged);
}

/* Cells of `each` that hold `truth`, or any for ANY_TRUTH, are no longer known; up to five beside each other. */
enum { ANY_TRUTH = UNKNOWN + 1 };

static void blank(struct random *r, enum truth *each, const int truth)
{
	for (int t = random_below(r, LAST), n = random_below(r, 6); n > 0 && t < LAST; t++, n--)
		if (truth == ANY_TRUTH || (int)each[t] == truth)
			each[t] = UNKNOWN;
}

/* Some of a line no longer known: what follows may only become unknown, too. */
static bool held_is_monotone(struct random *r, struct arena *mem)
{
	enum truth each[LAST];
	const time_ms hold = random_below(r, 12);

	random_truths(r, each);
	const struct truths before = truths_held(mem, line_of(mem, each), hold);
	blank(r, each, ANY_TRUTH);
	const struct truths after = truths_held(mem, line_of(mem, each), hold);
	for (time_ms t = 0; t < LAST; t++)
		if (at(&after, t) != UNKNOWN && at(&after, t) != at(&before, t))
			return false;
	return true;
}

/* Blanking inside the gaps: the YES that are left stay where they are. */
static bool bridged_without_max_gap_is_monotone_in_gaps(struct random *r, struct arena *mem)
{
	enum truth each[LAST];
	const time_ms merge_gap = random_below(r, 12);

	random_truths(r, each);
	const struct truths before = truths_bridged(mem, line_of(mem, each), merge_gap, 0);
	blank(r, each, NO);
	const struct truths after = truths_bridged(mem, line_of(mem, each), merge_gap, 0);
	for (time_ms t = 0; t < LAST; t++)
		if (at(&after, t) != UNKNOWN && at(&after, t) != at(&before, t))
			return false;
	return true;
}

static bool persisted_without_keep_is_held(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const time_ms hold = random_below(r, 12);

	return lines_are_same(truths_persisted(mem, line, hold, 0), truths_held(mem, line, hold));
}

static bool is_begin_of_yes(const struct truths *line, const time_ms t)
{
	return at(line, t) == YES && (t == 0 || at(line, t - 1) != YES);
}

static bool is_end_of_yes(const struct truths *line, const time_ms t)
{
	return at(line, t) == YES && (t == LAST - 1 || at(line, t + 1) != YES);
}

/* Nothing fires later or earlier than the condition itself was true. */
static bool persisted_begins_and_ends_with_yes(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const time_ms hold = random_below(r, 12), keep = random_below(r, 12);
	const struct truths persisted = truths_persisted(mem, line, hold, keep);

	for (time_ms t = 0; t < LAST; t++) {
		if (is_begin_of_yes(&persisted, t) && !is_begin_of_yes(&line, t))
			return false;
		if (is_end_of_yes(&persisted, t) && !is_end_of_yes(&line, t))
			return false;
		if (at(&line, t) == UNKNOWN && at(&persisted, t) == NO)
			return false;
	}
	return is_well_formed(persisted, whole);
}

static bool longer_keep_never_removes_yes(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const time_ms hold = random_below(r, 12), keep = random_below(r, 12);
	const struct truths persisted = truths_persisted(mem, line, hold, keep);
	const struct truths longer = truths_persisted(mem, line, hold, keep + random_below(r, 5));

	for (time_ms t = 0; t < LAST; t++)
		if (at(&persisted, t) != at(&longer, t) && at(&longer, t) != YES && at(&persisted, t) != NO)
			return false;
	return true;
}

/* Where the condition is still known to be true, what follows may only become unknown, too. */
static bool persisted_is_monotone_where_yes(struct random *r, struct arena *mem)
{
	enum truth each[LAST];
	const time_ms hold = random_below(r, 12), keep = random_below(r, 12);

	random_truths(r, each);
	const struct truths before = truths_persisted(mem, line_of(mem, each), hold, keep);
	blank(r, each, ANY_TRUTH);
	const struct truths after = truths_persisted(mem, line_of(mem, each), hold, keep);
	for (time_ms t = 0; t < LAST; t++)
		if (each[t] == YES && at(&after, t) != UNKNOWN && at(&after, t) != at(&before, t))
			return false;
	return true;
}

/*
 * Prometheus, evaluated every ms: pending from the first YES, firing once that has lasted for `hold`, and from then on
 * while YES or for less than `keep` after the condition ended. A YES lasts until the end of its ms. What it
 * pends for and what it keeps firing for in vain are no part of our line: those are dropped from its intervals.
 */
static void fire_like_prometheus(const struct truths *line, const time_ms hold, const time_ms keep, bool *fires)
{
	time_ms active_since = -1, ended = -1;
	bool is_firing = false;

	for (time_ms t = 0; t < LAST; t++) {
		fires[t] = false;
		if (at(line, t) == YES) {
			active_since = active_since < 0 ? t : active_since;
			ended = -1;
			is_firing |= t + 1 - active_since >= hold;
		} else if (is_firing) {
			ended = ended < 0 ? t : ended;
			is_firing = t - ended < keep;
		}
		if (at(line, t) != YES && !is_firing)
			active_since = -1;
		fires[t] = is_firing;
	}
}

static bool persisted_fires_like_prometheus(struct random *r, struct arena *mem)
{
	enum truth each[LAST];
	bool fires[LAST];
	const time_ms hold = random_below(r, 9), keep = random_below(r, 9);

	random_truths(r, each);
	for (int t = 0; t < LAST; t++)
		each[t] = each[t] == UNKNOWN ? NO : each[t];
	const struct truths line = line_of(mem, each), persisted = truths_persisted(mem, line, hold, keep);
	fire_like_prometheus(&line, hold, keep, fires);
	for (time_ms t = 0; t < LAST; t++) {
		if (each[t] == YES && fires[t] && at(&persisted, t) != YES)
			return false; /* fires there, not here */
		if (is_end_of_yes(&persisted, t) && !fires[t])
			return false; /* fires here, never there */
	}
	return true;
}

/* The stretches one by one, by looking at each ms. */
static bool trimmed_is_what_is_between_first_and_last(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem), begins = random_line(r, mem), ends = random_line(r, mem);
	const struct truths trimmed = truths_trimmed(mem, line, begins, ends);
	const struct spans yes = truths_spans(mem, line, YES);

	for (size_t i = 0; i < yes.n; i++) {
		time_ms first = yes.at[i].begin, last = yes.at[i].end - 1;

		while (first < yes.at[i].end && at(&begins, first) != YES)
			first++;
		while (last >= yes.at[i].begin && at(&ends, last) != YES)
			last--;
		first = first == yes.at[i].end ? yes.at[i].begin : first;
		last = last < yes.at[i].begin ? yes.at[i].end - 1 : last;
		for (time_ms t = yes.at[i].begin; t < yes.at[i].end; t++)
			if ((at(&trimmed, t) == YES) != (first > last || (t >= first && t <= last)))
				return false;
	}
	for (time_ms t = 0; t < LAST; t++)
		if (at(&line, t) != YES ? at(&trimmed, t) != at(&line, t) : at(&trimmed, t) == UNKNOWN)
			return false;
	return is_well_formed(trimmed, whole) && lines_are_same(truths_trimmed(mem, line, line, line), line);
}

static bool counts_agree_ms_by_ms(struct random *r, struct arena *mem)
{
	struct truths lines[6];
	const size_t n = 1 + (size_t)random_below(r, 6);

	for (size_t i = 0; i < n; i++)
		lines[i] = random_line(r, mem);
	const struct bounds count = truths_count(mem, lines, n);
	for (time_ms t = 0; t < LAST; t++) {
		int yes = 0, maybe = 0;

		for (size_t i = 0; i < n; i++) {
			yes += at(&lines[i], t) == YES;
			maybe += at(&lines[i], t) != NO;
		}
		if (value_at(&count.low, t) != yes || value_at(&count.high, t) != maybe)
			return false;
	}
	return count.low.end == LAST && count.high.end == LAST;
}

static bool any_and_all_are_counts(struct random *r, struct arena *mem)
{
	struct truths lines[6];
	const size_t n = 1 + (size_t)random_below(r, 6);

	for (size_t i = 0; i < n; i++)
		lines[i] = random_line(r, mem);
	struct truths any = lines[0], all = lines[0];
	for (size_t i = 1; i < n; i++) {
		any = truths_zip(mem, any, lines[i], truth_or);
		all = truths_zip(mem, all, lines[i], truth_and);
	}
	const struct bounds count = truths_count(mem, lines, n);
	const struct signal one = signal_constant(mem, 1, whole), of_all = signal_constant(mem, (double)n, whole);
	return lines_are_same(truths_compare_bounds(mem, count, GREATER_EQUAL, bounds_of_known(one)), any) &&
		lines_are_same(truths_compare_bounds(mem, count, GREATER_EQUAL, bounds_of_known(of_all)), all) &&
		lines_are_same(truths_compare_bounds(mem, count, EQUAL, bounds_of_known(of_all)), all);
}

/* All are counted once, and each of them is told what so many of the others say. */
static bool others_need_no_count_of_their_own(struct random *r, struct arena *mem)
{
	struct truths lines[6], others[6];
	const size_t n = 2 + (size_t)random_below(r, 5), one = (size_t)random_below(r, (int)n), least = 1 + (size_t)random_below(r, (int)n - 1);
	size_t n_others = 0;

	for (size_t i = 0; i < n; i++) {
		lines[i] = random_line(r, mem);
		if (i != one)
			others[n_others++] = lines[i];
	}
	const struct counted counted = truths_counted(mem, truths_count(mem, lines, n), least);
	const struct bounds count = truths_count(mem, others, n_others);
	const struct signal limit = signal_constant(mem, (double)least, whole);
	return lines_are_same(truths_but_one(mem, counted, lines[one]),
		truths_compare_bounds(mem, count, GREATER_EQUAL, bounds_of_known(limit)));
}

/* As numbers a line says the same: shares and totals are those of its lengths. */
static bool signals_of_lines_fold_to_lengths(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const struct spans s = random_set(r, mem);
	const struct signal signal = truths_signal(mem, line);
	const double yes = (double)truths_length(line, YES, s), no = (double)truths_length(line, NO, s);
	const double share = signal_fold(mem, signal, s, FOLD_SHARE), total = signal_fold(mem, signal, s, FOLD_TOTAL);

	if ((double)signal_known(signal, s) != yes + no)
		return false;
	if (yes + no == 0)
		return isnan(share) && isnan(total);
	return fabs(share - 100 * yes / (yes + no)) < 1e-9 && fabs(total - yes / SECOND_MS) < 1e-12;
}

static bool folds_of_lines_are_those_of_their_signals(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const struct spans within = random_set(r, mem);
	const struct signal s = truths_signal(mem, line);
	const enum fold fold = random_one_in(r, 2) ? FOLD_SHARE : FOLD_TOTAL;
	time_ms known, lengths[UNKNOWN + 1];

	truths_lengths(line, within, lengths);
	const double found = lengths_fold(lengths, fold, &known), expected = signal_fold(mem, s, within, fold);

	return known == signal_known(s, within) && (found == expected || (isnan(found) && isnan(expected)));
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

	return lines_are_same(truths_latched(mem, set, truths_not(mem, set)), set);
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

/* In spans that follow one another, of which some are not looked at. */
static bool parts_in_turn_are_the_line(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	struct truths parts[LAST] = { { NULL, 0, 0 } };
	struct span spans[LAST];
	size_t n = 0;

	for (time_ms begin = 0; begin < LAST; begin = spans[n++].end) {
		spans[n] = (struct span){ begin, begin + 1 + random_below(r, (int)(LAST - begin)) };
		if (!random_one_in(r, 4))
			parts[n] = truths_around(line, spans[n]);
	}
	const struct truths all = truths_in_turn(mem, parts, spans, n);
	for (size_t i = 0; i < n; i++)
		for (time_ms t = spans[i].begin; t < spans[i].end; t++)
			if (at(&all, t) != (parts[i].n ? at(&line, t) : NO))
				return false;
	return is_well_formed(all, whole);
}

static bool with_spans_is_yes_there(struct random *r, struct arena *mem)
{
	const struct truths line = random_line(r, mem);
	const struct spans s = random_set(r, mem);
	const struct truths with = truths_with(mem, line, s);

	for (time_ms t = 0; t < LAST; t++)
		if (at(&with, t) != (spans_hold(s, t) ? YES : at(&line, t)))
			return false;
	return is_well_formed(with, whole);
}

static bool shifting_shifts_results_and_nothing_else(struct random *r, struct arena *mem)
{
	const struct truths a = random_line(r, mem), b = random_line(r, mem);
	const time_ms by = (time_ms)random_below(r, 1000000) * 2000000 - 1000000000000, length = random_below(r, 10);
	const struct truths late_a = shifted(mem, a, by), late_b = shifted(mem, b, by);

	return lines_are_same(truths_zip(mem, late_a, late_b, truth_or), shifted(mem, truths_zip(mem, a, b, truth_or), by)) &&
		lines_are_same(truths_latched(mem, late_a, late_b), shifted(mem, truths_latched(mem, a, b), by)) &&
		lines_are_same(truths_held(mem, late_a, length), shifted(mem, truths_held(mem, a, length), by)) &&
		lines_are_same(truths_bridged(mem, late_a, length, 2), shifted(mem, truths_bridged(mem, a, length, 2), by)) &&
		lines_are_same(truths_persisted(mem, late_a, length, 3), shifted(mem, truths_persisted(mem, a, length, 3), by)) &&
		lines_are_same(truths_trimmed(mem, late_a, late_b, late_b), shifted(mem, truths_trimmed(mem, a, b, b), by));
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
	const double low = random_below(r, 6), high = low + random_below(r, 3);
	const struct truths over_low = truths_compare_track(mem, &t, whole, 1, GREATER, low);
	const struct truths over_high = truths_compare_track(mem, &t, whole, 1, GREATER, high);

	for (time_ms ms = 0; ms < LAST; ms++) {
		if (at(&over_high, ms) == YES && at(&over_low, ms) != YES)
			return false;
		if ((at(&over_high, ms) == UNKNOWN) != (at(&over_low, ms) == UNKNOWN))
			return false;
	}
	return is_well_formed(over_low, whole) && is_well_formed(over_high, whole);
}

static bool comparisons_are_complementary(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem), u = random_track(r, mem);
	const struct signal a = signal_from_track(mem, &t, whole), b = signal_from_track(mem, &u, whole);

	return lines_are_same(truths_not(mem, truths_compare(mem, a, LESS, b)), truths_compare(mem, a, GREATER_EQUAL, b)) &&
		lines_are_same(truths_not(mem, truths_compare(mem, a, EQUAL, b)), truths_compare(mem, a, NOT_EQUAL, b)) &&
		lines_are_same(truths_compare(mem, a, LESS_EQUAL, b), truths_compare(mem, b, GREATER_EQUAL, a)) &&
		is_well_formed(truths_compare(mem, a, LESS, b), whole);
}

/* A cell of the track, if there is one, is missing now. */
static struct track blanked(struct random *r, struct arena *mem, struct track t)
{
	fixed *values = NEW_ARRAY(mem, fixed, t.n);

	if (t.n == 0)
		return t;
	memcpy(values, t.values, t.n * sizeof *values);
	values[random_below(r, (int)t.n)] = FIXED_MISSING;
	t.values = values;
	return t;
}

struct condition {
	enum comparison how[2];
	double limit[2];
	enum truth (*join)(enum truth, enum truth);
	bool is_not;
};

static struct condition random_condition(struct random *r)
{
	return (struct condition){
		.how = { (enum comparison)random_below(r, NOT_EQUAL + 1), (enum comparison)random_below(r, NOT_EQUAL + 1) },
		.limit = { random_below(r, 6), random_below(r, 6) },
		.join = random_one_in(r, 2) ? truth_and : truth_or,
		.is_not = random_one_in(r, 2),
	};
}

static struct truths judged(struct arena *mem, const struct condition *c, const struct track *t, const struct track *u)
{
	const struct truths a = truths_compare_track(mem, t, whole, 1, c->how[0], c->limit[0]);
	const struct signal of_u = signal_from_track(mem, u, whole), limit = signal_constant(mem, c->limit[1], whole);
	const struct truths both = truths_zip(mem, a, truths_compare(mem, of_u, c->how[1], limit), c->join);

	return c->is_not ? truths_not(mem, both) : both;
}

static bool blanking_a_cell_only_makes_unknown(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem), u = random_track(r, mem);
	const struct track blank_t = blanked(r, mem, t), blank_u = blanked(r, mem, u);
	const struct condition c = random_condition(r);
	const struct truths before = judged(mem, &c, &t, &u), after = judged(mem, &c, &blank_t, &blank_u);

	for (time_ms ms = 0; ms < LAST; ms++)
		if (at(&after, ms) != UNKNOWN && at(&after, ms) != at(&before, ms))
			return false;
	return true;
}

/*
 * A longer track, mostly steady so that whole blocks of samples are passed at once, with odd values, missing cells, late
 * rows and holes.
 */
static struct track steady_track(struct random *r, struct arena *mem)
{
	const size_t n = (size_t)random_below(r, 240);
	const int changes = 1 + random_below(r, 100), late = 2 + random_below(r, 300), missing = 2 + random_below(r, 300);
	const fixed unit = random_one_in(r, 3) ? 1 : random_one_in(r, 2) ? FIXED_ONE / 10 : 123457;
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);
	fixed value = 0;

	for (size_t i = 0; i < n; i++) {
		times[i] = (i > 0 ? times[i - 1] : 0) + 2 + (random_one_in(r, late) ? random_below(r, 9) : 0);
		if (random_one_in(r, changes))
			value = (random_below(r, 9) - 4) * unit;
		values[i] = random_one_in(r, missing) ? FIXED_MISSING : value;
	}
	return (struct track){ .times = times, .values = values, .n = n, .step = n > 1 ? 2 : 0 };
}

static double product(const double a, const double b)
{
	return a * b;
}

static double random_factor(struct random *r)
{
	static const double factors[] = { 1, 1, 100, 0.1, -1, -0.3, 0, 1e-9, 1e300, 1.0 / 3600 };

	return factors[random_below(r, sizeof factors / sizeof factors[0])];
}

/* Mostly one that some sample hits exactly, or only just misses. */
static double random_threshold(struct random *r, const struct track *t, const double factor)
{
	static const double odd[] = { 0, -0.0, INFINITY, -INFINITY, NAN, 1e18, -1e18, 0.25 };

	if (t->n == 0 || random_one_in(r, 8))
		return odd[random_below(r, sizeof odd / sizeof odd[0])];
	const fixed value = track_value(t, (size_t)random_below(r, (int)t->n));
	const double hit = (value == FIXED_MISSING ? 1 : fixed_value(value)) * factor;
	return random_one_in(r, 2) ? hit : nextafter(hit, random_one_in(r, 2) ? INFINITY : -INFINITY);
}

/* The very same line, cut by cut. */
static bool comparing_a_track_is_comparing_its_signal(struct random *r, struct arena *mem)
{
	const struct track t = steady_track(r, mem);
	const time_ms begin = random_below(r, 300) - 50;
	const struct span within = { begin, begin + 1 + random_below(r, 600) };
	const double factor = random_factor(r), threshold = random_threshold(r, &t, factor);
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	const struct signal scaled =
		signal_zip(mem, signal_from_track(mem, &t, within), signal_constant(mem, factor, within), product);
	const struct truths want = truths_compare(mem, scaled, how, signal_constant(mem, threshold, within));
	const struct truths line = truths_compare_track(mem, &t, within, factor, how, threshold);

	return is_well_formed(line, within) && lines_are_same(line, want);
}

/* All, or a part that begins and ends somewhere else. */
static struct span some_span(struct random *r)
{
	const time_ms begin = random_below(r, 300) - 50;

	return random_one_in(r, 2) ? whole : (struct span){ begin, begin + 1 + random_below(r, 600) };
}

/* A number that stays for long, and is not known now and then. */
static struct signal random_limit(struct random *r, struct arena *mem, const struct track *t, const double factor, const struct span within)
{
	struct piece *at = NEW_ARRAY(mem, struct piece, 4);
	size_t n = 0;

	for (time_ms begin = within.begin; begin < within.end && n < 4; begin += 1 + random_below(r, 200)) {
		at[n].begin = begin;
		at[n++].value = random_one_in(r, 6) ? (double)NAN : random_threshold(r, t, factor);
		if (random_one_in(r, 2))
			break;
	}
	return (struct signal){ at, n, within.end };
}

static struct signal times_factor(struct arena *mem, const struct signal s, const double factor)
{
	struct piece *at = NEW_ARRAY(mem, struct piece, s.n);

	for (size_t i = 0; i < s.n; i++)
		at[i] = (struct piece){ s.at[i].begin, s.at[i].value * factor };
	return (struct signal){ at, s.n, s.end };
}

static bool comparing_with_a_limit_is_comparing_signals(struct random *r, struct arena *mem)
{
	const struct track t = random_one_in(r, 2) ? random_track(r, mem) : steady_track(r, mem);
	const struct span within = some_span(r);
	const double factor = fabs(random_factor(r)) + 1;
	const struct signal limit = random_limit(r, mem, &t, factor, within);
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	const struct signal value = times_factor(mem, signal_from_track(mem, &t, within), factor);

	return lines_are_same(truths_compare_limit(mem, &t, factor, how, limit), truths_compare(mem, value, how, limit));
}

static double sum(const double a, const double b)
{
	return a + b;
}

static double less(const double a, const double b)
{
	return a - b;
}

static double ratio(const double a, const double b)
{
	return b == 0 ? (double)NAN : a / b;
}

static bool comparing_a_combination_is_comparing_its_signal(struct random *r, struct arena *mem)
{
	static double (*const combine[])(double, double) = { sum, less, ratio, product };
	const struct track t = random_one_in(r, 2) ? random_track(r, mem) : steady_track(r, mem), u = random_track(r, mem);
	const struct span within = some_span(r);
	const double factor = fabs(random_factor(r)), then = random_one_in(r, 2) ? 1 : 100;
	double (*const f)(double, double) = combine[random_below(r, 4)];
	const struct signal other = random_limit(r, mem, &u, 1, within), changing = signal_from_track(mem, &u, within);
	const double threshold = random_threshold(r, &t, factor) * (random_one_in(r, 2) ? 1 : 0.5);
	const struct signal constant = signal_constant(mem, threshold, within);
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	const struct signal value = times_factor(mem, signal_from_track(mem, &t, within), factor);
	bool is_rising = true;

	for (size_t i = 0; i < other.n; i++)
		is_rising &= isnan(other.at[i].value) || (isfinite(other.at[i].value) && (f == sum || f == less || other.at[i].value > 0));
	const struct truths zipped = truths_compare(mem, times_factor(mem, signal_zip(mem, value, changing, f), then), how, constant);
	const struct truths beside = truths_compare(mem, times_factor(mem, signal_zip(mem, value, other, f), then), how, constant);
	return lines_are_same(truths_compare_zip(mem, value, changing, f, then, how, threshold), zipped) &&
		(!is_rising || lines_are_same(truths_compare_beside(mem, &t, factor, f, other, then, how, threshold), beside));
}

/* Whole numbers, so that the signal's sums are exact, too. */
static bool comparing_a_mean_is_comparing_its_signal(struct random *r, struct arena *mem)
{
	const struct track t = random_one_in(r, 2) ? random_track(r, mem) : steady_track(r, mem);
	const struct span within = some_span(r);
	const struct span part = { within.begin + random_below(r, 40), within.end - random_below(r, 40) };
	const struct span hull = random_one_in(r, 2) || span_length(part) <= 0 ? within : part;
	const time_ms width = 1 + random_below(r, random_one_in(r, 2) ? 20 : 200);
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	struct signal limit = random_limit(r, mem, &t, 1, within);
	fixed *values = NEW_ARRAY(mem, fixed, t.n);
	struct track rounded = t;

	for (size_t i = 0; i < t.n; i++)
		values[i] = track_value(&t, i) == FIXED_MISSING ? FIXED_MISSING : (track_value(&t, i) % 1000) * FIXED_ONE;
	rounded.values = values;
	if (random_one_in(r, 2))
		limit = signal_constant(mem, random_below(r, 60) * 0.5 - 5, within);
	const struct signal mean = signal_rolling(mem, signal_from_track(mem, &rounded, hull), width, FOLD_MEAN);
	const struct truths want = truths_compare(mem, signal_set_in(mem, mean, within), how, limit);

	return lines_are_same(truths_compare_mean(mem, &rounded, spans_one(&hull), hull, 1, width, how, limit), want);
}

/* With a number that some sample hits exactly, or only just misses, or that is odd. */
static bool comparing_a_percentile_is_comparing_its_signal(struct random *r, struct arena *mem)
{
	static const enum fold folds[] = { FOLD_P5, FOLD_P10, FOLD_P25, FOLD_P50, FOLD_P75, FOLD_P90, FOLD_P95, FOLD_P99 };
	static const double factors[] = { 1, 1, 100, 0.1, 1e-9, 1e300, 1.0 / 3600 };
	const struct track t = random_one_in(r, 2) ? random_track(r, mem) : steady_track(r, mem);
	const struct span within = some_span(r);
	const struct span part = { within.begin + random_below(r, 40), within.end - random_below(r, 40) };
	const struct span hull = random_one_in(r, 2) || span_length(part) <= 0 ? within : part;
	const time_ms width = 1 + random_below(r, random_one_in(r, 2) ? 20 : 200);
	const double factor = factors[random_below(r, sizeof factors / sizeof factors[0])];
	const enum fold fold = folds[random_below(r, sizeof folds / sizeof folds[0])];
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	const struct signal limit = signal_constant(mem, random_threshold(r, &t, factor), within);

	if (!can_compare_percentiles(how))
		return true;
	const struct signal value = times_factor(mem, signal_from_track(mem, &t, hull), factor);
	const struct signal percentile = signal_set_in(mem, signal_rolling(mem, value, width, fold), within);
	const struct truths line = truths_compare_percentile(mem, &t, spans_one(&hull), hull, factor, width, fold_percent(fold), how, limit);
	return is_well_formed(line, within) && lines_are_same(line, truths_compare(mem, percentile, how, limit));
}

/* Every fixed value there can be, up to the ends of them. */
static bool comparing_any_fixed_value_is_comparing_its_double(struct random *r, struct arena *mem)
{
	static const time_ms times[] = { 0, LAST };
	fixed values[] = { (fixed)random_bits(r) >> random_below(r, 64), FIXED_MISSING };
	const struct track t = { .times = times, .values = values, .n = 2, .step = LAST };

	if (random_one_in(r, 4))
		values[0] = random_one_in(r, 2) ? INT64_MAX : FIXED_MISSING + 1;
	const double factor = random_factor(r), threshold = random_threshold(r, &(struct track){ .values = values, .n = 1 }, factor);
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	const struct signal scaled = signal_constant(mem, values[0] == FIXED_MISSING ? (double)NAN : fixed_value(values[0]) * factor, whole);

	return lines_are_same(truths_compare_track(mem, &t, whole, factor, how, threshold),
		truths_compare(mem, scaled, how, signal_constant(mem, threshold, whole)));
}

static double lower(const double a, const double b)
{
	return a < b ? a : b;
}

static double higher(const double a, const double b)
{
	return a > b ? a : b;
}

/* Both ends, the middle, and the other side if it is between: if these agree, all do. */
static enum truth said_by_all(const double low, const double high, const enum comparison how, const double b)
{
	/* a bit each: below, equal, above */
	static const unsigned yes_for[] = {
		[LESS] = 1,
		[LESS_EQUAL] = 3,
		[GREATER] = 4,
		[GREATER_EQUAL] = 6,
		[EQUAL] = 2,
		[NOT_EQUAL] = 5,
	};
	const double inside = b >= low && b <= high ? b : low, each[] = { low, high, (low + high) / 2, inside };
	bool is_yes = false, is_no = false;

	if (isnan(low) || isnan(high) || isnan(b))
		return UNKNOWN;
	for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
		const int side = (each[i] > b) - (each[i] < b);
		const bool holds = ((yes_for[how] >> (side + 1)) & 1) != 0;

		is_yes |= holds;
		is_no |= !holds;
	}
	return is_yes && is_no ? UNKNOWN : is_yes ? YES : NO;
}

/* The other side, too, is anything between two ends. */
static enum truth said_by_both(const double low, const double high, const enum comparison how, const double from, const double to)
{
	const double inside = low >= from && low <= to ? low : from;
	const enum truth first = said_by_all(low, high, how, from), last = said_by_all(low, high, how, to),
			 between = said_by_all(low, high, how, inside);

	return first == last && first == between ? first : UNKNOWN;
}

static struct bounds random_bounds(struct random *r, struct arena *mem)
{
	const struct track t = random_track(r, mem), u = random_track(r, mem);
	const struct signal a = signal_from_track(mem, &t, whole), b = signal_from_track(mem, &u, whole);

	return (struct bounds){ signal_zip(mem, a, b, lower), signal_zip(mem, a, b, higher) };
}

static bool bounds_say_what_all_values_between_say(struct random *r, struct arena *mem)
{
	const struct bounds one = random_bounds(r, mem);
	const struct track v = random_track(r, mem);
	const struct bounds other = random_one_in(r, 2) ? random_bounds(r, mem) : bounds_of_known(signal_from_track(mem, &v, whole));
	const enum comparison how = (enum comparison)random_below(r, NOT_EQUAL + 1);
	const struct truths line = truths_compare_bounds(mem, one, how, other);

	for (time_ms ms = 0; ms < LAST; ms++) {
		const double low = value_at(&one.low, ms), high = value_at(&one.high, ms);

		if (at(&line, ms) != said_by_both(low, high, how, value_at(&other.low, ms), value_at(&other.high, ms)))
			return false;
	}
	return is_well_formed(line, whole);
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
		LAW(bridged_without_max_gap_is_monotone_in_gaps),
		LAW(persisted_without_keep_is_held),
		LAW(persisted_begins_and_ends_with_yes),
		LAW(longer_keep_never_removes_yes),
		LAW(persisted_is_monotone_where_yes),
		LAW(persisted_fires_like_prometheus),
		LAW(trimmed_is_what_is_between_first_and_last),
		LAW(counts_agree_ms_by_ms),
		LAW(any_and_all_are_counts),
		LAW(others_need_no_count_of_their_own),
		LAW(signals_of_lines_fold_to_lengths),
		LAW(folds_of_lines_are_those_of_their_signals),
		LAW(latch_begins_with_set_and_ends_with_reset),
		LAW(latch_reset_by_not_set_is_set),
		LAW(within_is_no_outside),
		LAW(parts_in_turn_are_the_line),
		LAW(with_spans_is_yes_there),
		LAW(shifting_shifts_results_and_nothing_else),
		LAW(raising_a_threshold_never_adds_yes),
		LAW(comparisons_are_complementary),
		LAW(blanking_a_cell_only_makes_unknown),
		LAW(comparing_a_track_is_comparing_its_signal),
		LAW(comparing_with_a_limit_is_comparing_signals),
		LAW(comparing_a_combination_is_comparing_its_signal),
		LAW(comparing_a_mean_is_comparing_its_signal),
		LAW(comparing_a_percentile_is_comparing_its_signal),
		LAW(comparing_any_fixed_value_is_comparing_its_double),
		LAW(bounds_say_what_all_values_between_say),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
