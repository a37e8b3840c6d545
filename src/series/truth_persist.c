/*
 * truth_persist.c - what time does to a condition: how it begins and ends, which gaps do not count, how long is long enough.
 *
 *     when       . y y . y y y y . . y . . . .
 *     bridged    . y y y y y y y . . y . . . .      merge_gap 1
 *     held       . y y y y y y y . . . . . . .      hold 3
 *     persisted  . y y y y y y y y y y . . . .      hold 3, keep 2
 *
 * Nothing here moves an edge to where no sample is: stretches grow over gaps as a whole, or go.
 */
#include "series/truth.h"

#include "series/cuts.h"

/* The latch itself changes only by what is known: `set` wins, else `reset`, else it stays. */
static enum truth latch_after(const enum truth before, const enum truth set, const enum truth reset)
{
	if (set == YES)
		return YES;
	return reset == YES ? NO : before;
}

/*
 * At each moment: set or (latched and not reset), by Kleene. So a hole reads UNKNOWN, but after it a
 * latch is as it was. Where both are YES `set` wins: giving a rule a `clear` never takes
 * firing time away from it.
 */
struct truths truths_latched(struct arena *mem, const struct truths set, const struct truths reset)
{
	struct cuts line = cuts_new(mem, set.n + reset.n);
	struct pair pair = pair_start(&set, &reset);
	enum truth latch = NO;

	while (pair_next(&pair)) {
		const enum truth stays = truth_and(latch, truth_not(pair.truth_b));

		cuts_add(&line, pair.stretch.begin, truth_or(pair.truth_a, stays));
		latch = latch_after(latch, pair.truth_a, pair.truth_b);
	}
	return cuts_line_cut(mem, &line, set.n + reset.n, sooner(set.end, reset.end));
}

/* What lies between two stretches of YES. */
struct gap {
	size_t first, end; /* cuts [first, end) */
	time_ms no, unknown;
};

/* The gap that begins with cut i; behind it there is a YES or the end of the line. */
static struct gap gap_at(const struct truths *line, const size_t i)
{
	struct gap gap = { .first = i, .end = i };

	for (; gap.end < line->n && line->at[gap.end].truth != YES; gap.end++) {
		const time_ms length = span_length(truth_stretch(line, gap.end));

		if (line->at[gap.end].truth == NO)
			gap.no += length;
		else
			gap.unknown += length;
	}
	return gap;
}

static bool is_between_yes(const struct truths *line, const struct gap *gap)
{
	return gap->first > 0 && gap->end < line->n;
}

static void gap_into(struct cuts *out, const struct truths *line, const struct gap *gap, const time_ms merge_gap, const time_ms max_gap)
{
	const bool may_join = is_between_yes(line, gap) && gap->no <= merge_gap;

	if (may_join && gap->unknown <= max_gap)
		return; /* YES goes on */
	/* Had all been logged it might have been joined: then what is NO in it doesn't clear anything. */
	for (size_t i = gap->first; i < gap->end; i++)
		cuts_add(out, line->at[i].at, may_join && gap->unknown > 0 ? UNKNOWN : line->at[i].truth);
}

/* Behind the gaps from cut i on over which YES goes on, as nearly all do that are one NO: of others more is asked. */
static size_t behind_short_gaps(const struct truths *line, size_t i, const time_ms merge_gap)
{
	while (i > 0 && i + 1 < line->n && line->at[i].truth == NO && line->at[i + 1].truth == YES &&
	       line->at[i + 1].at - line->at[i].at <= merge_gap)
		i += 2;
	return i;
}

struct truths truths_bridged(struct arena *mem, const struct truths line, const time_ms merge_gap, const time_ms max_gap)
{
	struct cuts result = cuts_new(mem, line.n);

	for (size_t i = 0; i < line.n;) {
		const struct gap gap = gap_at(&line, i);

		gap_into(&result, &line, &gap, merge_gap, max_gap);
		if (gap.end < line.n)
			cuts_add(&result, line.at[gap.end].at, YES);
		i = behind_short_gaps(&line, gap.end + 1, merge_gap);
	}
	return cuts_line_cut(mem, &result, line.n, line.end);
}

struct truths truths_filled(struct arena *mem, const struct truths line, const time_ms longest)
{
	struct cuts result = cuts_new(mem, line.n);

	for (size_t i = 0; i < line.n; i++) {
		const bool is_between = i > 0 && i + 1 < line.n;
		const bool is_blank = line.at[i].truth == UNKNOWN && is_between && span_length(truth_stretch(&line, i)) <= longest;

		cuts_add(&result, line.at[i].at, is_blank ? line.at[i - 1].truth : line.at[i].truth);
	}
	return cuts_line_cut(mem, &result, line.n, line.end);
}

/* Index behind the run of YES and UNKNOWN that begins at i. */
static size_t run_end(const struct truths *line, size_t i)
{
	while (i < line->n && line->at[i].truth != NO)
		i++;
	return i;
}

/*
 * A short YES next to UNKNOWN could be a part of a longer one: what counts is the whole run
 * without a NO, since all of it may have been YES.
 */
static void hold_run(struct cuts *out, const struct truths *line, const size_t first, const size_t end, const time_ms hold)
{
	const time_ms run = truth_end(line, end - 1) - line->at[first].at;
	const enum truth if_short = run >= hold ? UNKNOWN : NO;

	for (size_t i = first; i < end; i++) {
		const bool is_short = line->at[i].truth == YES && truth_end(line, i) - line->at[i].at < hold;

		cuts_add(out, line->at[i].at, is_short ? if_short : line->at[i].truth);
	}
}

struct truths truths_held(struct arena *mem, const struct truths line, const time_ms hold)
{
	struct cuts result = cuts_new(mem, line.n);

	for (size_t i = 0, next; i < line.n; i = next) {
		next = run_end(&line, i);
		if (next > i)
			hold_run(&result, &line, i, next, hold);
		else
			cuts_add(&result, line.at[next++].at, NO);
	}
	return cuts_line_cut(mem, &result, line.n, line.end);
}

/* Until when a line has fired, as far as is known and at most; only where there is one. */
struct firing {
	bool is_known, is_possible;
	time_ms until, perhaps_until;
};

/*
 * What goes on until `begin`, when the gap is at most `keep`. What is not known of the stretch before is not
 * known of the next one either, unless that is long enough alone.
 */
static enum truth carried(const struct firing *f, const time_ms begin, const time_ms keep)
{
	if (f->is_known && begin - f->until <= keep)
		return YES;
	return f->is_possible && begin - f->perhaps_until <= keep ? UNKNOWN : NO;
}

static void firing_until(struct firing *f, const enum truth fired, const time_ms end)
{
	if (fired == YES) {
		f->is_known = true;
		f->until = end;
	}
	if (fired != NO) {
		f->is_possible = true;
		f->perhaps_until = end;
	}
}

/* The cuts [first, end) between two YES: those behind what goes on over them take part in it. */
static void gap_kept(struct cuts *out, const struct truths *line, const size_t first, const size_t end, const enum truth over,
	const time_ms from)
{
	for (size_t i = first; i < end; i++)
		cuts_add(out, line->at[i].at, line->at[i].at >= from ? truth_or(over, line->at[i].truth) : line->at[i].truth);
}

/* Is the run of YES and UNKNOWN around cut i, had all of it been YES, long enough? Runs come in order, *run is that of i or before. */
static bool is_long_enough(const struct truths *line, const size_t i, struct span *run, const time_ms hold)
{
	if (i == 0 || line->at[i - 1].truth == NO)
		*run = (struct span){ line->at[i].at, truth_end(line, run_end(line, i) - 1) };
	return span_length(*run) >= hold;
}

static struct truths persisted(struct arena *mem, const struct truths *line, const time_ms hold, const time_ms keep)
{
	struct cuts result = cuts_new(mem, line->n);
	struct firing firing = { .is_known = false };
	struct span run = { 0, 0 };
	size_t gap_begin = 0;

	for (size_t i = 0; i < line->n; i++) {
		if (line->at[i].truth == NO)
			continue;
		const struct span stretch = truth_stretch(line, i);
		const enum truth over = carried(&firing, stretch.begin, keep);
		const enum truth perhaps = is_long_enough(line, i, &run, hold) ? UNKNOWN : NO;

		if (line->at[i].truth == UNKNOWN) {
			firing_until(&firing, over != NO ? UNKNOWN : perhaps, stretch.end);
			continue;
		}
		const enum truth fired = truth_or(span_length(stretch) >= hold ? YES : perhaps, over);
		gap_kept(&result, line, gap_begin, i, over, over == YES ? firing.until : firing.perhaps_until);
		cuts_add(&result, stretch.begin, fired);
		firing_until(&firing, fired, stretch.end);
		gap_begin = i + 1;
	}
	gap_kept(&result, line, gap_begin, line->n, NO, 0);
	return cuts_line_cut(mem, &result, line->n, line->end);
}

struct truths truths_persisted(struct arena *mem, const struct truths line, const time_ms hold, const time_ms keep)
{
	/* No stretch of YES follows another at once. */
	return keep > 0 ? persisted(mem, &line, hold, keep) : truths_held(mem, line, hold);
}

/* From the first to the last YES inside a stretch; [*first_cut] is where to look from, and moves on. */
static struct span yes_inside(const struct truths *line, const struct span stretch, size_t *first_cut)
{
	struct span found = { stretch.end, stretch.begin }; /* nothing yet */

	while (*first_cut < line->n && truth_end(line, *first_cut) <= stretch.begin)
		++*first_cut;
	for (; *first_cut < line->n && line->at[*first_cut].at < stretch.end; ++*first_cut) {
		if (line->at[*first_cut].truth == YES) {
			found.begin = sooner(found.begin, later(line->at[*first_cut].at, stretch.begin));
			found.end = sooner(truth_end(line, *first_cut), stretch.end);
		}
		if (truth_end(line, *first_cut) > stretch.end)
			break; /* the next stretch may need it, too */
	}
	return found;
}

/* What of a stretch is between the first `begins` and the last `ends`; all of it where that would be nothing. */
static struct span trimmed(const struct span stretch, const struct span begins, const struct span ends)
{
	const struct span inside = {
		span_length(begins) > 0 ? begins.begin : stretch.begin,
		span_length(ends) > 0 ? ends.end : stretch.end,
	};

	return span_length(inside) > 0 ? inside : stretch;
}

struct truths truths_trimmed(struct arena *mem, const struct truths line, const struct truths begins, const struct truths ends)
{
	const size_t room = 2 * line.n + 2; /* every other cut at most becomes three */
	struct cuts result = cuts_new(mem, room);
	size_t of_begins = 0, of_ends = 0;

	for (size_t i = 0; i < line.n; i++) {
		const struct span all = truth_stretch(&line, i);

		if (line.at[i].truth != YES) {
			cuts_add(&result, all.begin, line.at[i].truth);
			continue;
		}
		const struct span inside = trimmed(all, yes_inside(&begins, all, &of_begins), yes_inside(&ends, all, &of_ends));
		if (inside.begin > all.begin)
			cuts_add(&result, all.begin, NO);
		cuts_add(&result, inside.begin, YES);
		if (inside.end < all.end)
			cuts_add(&result, inside.end, NO);
	}
	return cuts_line_cut(mem, &result, room, line.end);
}
