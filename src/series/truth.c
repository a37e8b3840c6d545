/*
 * truth.c - Kleene's logic over time.
 *
 * Comparing two signals walks over their pieces once; a condition that rarely changes leaves
 * a handful of cuts behind, and everything after works on those. Comparisons count their cuts
 * first, so that the memory of a condition is that of its cuts and not of its samples.
 */
#include "series/truth.h"

#include <math.h>

/* A line under construction. With `at` NULL cuts are only counted. */
struct cuts {
	struct cut *at;
	size_t n;
	enum truth last;
};

static void cuts_add(struct cuts *c, const time_ms at, const enum truth truth)
{
	if (c->n > 0 && c->last == truth)
		return;
	if (c->at != NULL)
		c->at[c->n] = (struct cut){ at, truth };
	c->n++;
	c->last = truth;
}

static struct cuts cuts_new(struct arena *mem, const size_t room)
{
	return (struct cuts){ .at = NEW_ARRAY(mem, struct cut, room) };
}

static struct truths cuts_line(const struct cuts *c, const time_ms end)
{
	return (struct truths){ c->at, c->n, end };
}

static struct truths nowhere(const time_ms end)
{
	return (struct truths){ NULL, 0, end };
}

static time_ms later(const time_ms a, const time_ms b)
{
	return a > b ? a : b;
}

static time_ms sooner(const time_ms a, const time_ms b)
{
	return a < b ? a : b;
}

enum truth truth_and(const enum truth a, const enum truth b)
{
	if (a == NO || b == NO)
		return NO;
	return a == YES && b == YES ? YES : UNKNOWN;
}

enum truth truth_or(const enum truth a, const enum truth b)
{
	if (a == YES || b == YES)
		return YES;
	return a == NO && b == NO ? NO : UNKNOWN;
}

enum truth truth_not(const enum truth a)
{
	if (a == UNKNOWN)
		return UNKNOWN;
	return a == YES ? NO : YES;
}

struct truths truths_constant(struct arena *mem, const enum truth truth, const struct span within)
{
	struct cuts line;

	if (span_length(within) <= 0)
		return nowhere(within.end);
	line = cuts_new(mem, 1);
	cuts_add(&line, within.begin, truth);
	return cuts_line(&line, within.end);
}

struct truths truths_from_spans(struct arena *mem, const struct spans yes, const struct span within)
{
	if (span_length(within) <= 0)
		return nowhere(within.end);
	struct cuts line = cuts_new(mem, 2 * yes.n + 1);
	time_ms now = within.begin;

	for (size_t i = 0; i < yes.n && yes.at[i].begin < within.end; i++) {
		if (yes.at[i].end <= within.begin)
			continue;
		if (yes.at[i].begin > now)
			cuts_add(&line, now, NO);
		cuts_add(&line, later(yes.at[i].begin, now), YES);
		now = yes.at[i].end;
	}
	if (now < within.end)
		cuts_add(&line, now, NO);
	return cuts_line(&line, within.end);
}

static bool is_so(const double a, const enum comparison how, const double b)
{
	switch (how) {
	case LESS:
		return a < b;
	case LESS_EQUAL:
		return a <= b;
	case GREATER:
		return a > b;
	case GREATER_EQUAL:
		return a >= b;
	case EQUAL:
		return a == b;
	case NOT_EQUAL:
		return a != b;
	}
	BUG("no such comparison");
}

static enum truth compared(const double a, const enum comparison how, const double b)
{
	if (isnan(a) || isnan(b))
		return UNKNOWN;
	return is_so(a, how, b) ? YES : NO;
}

static time_ms piece_end(const struct signal *s, const size_t i)
{
	return i + 1 < s->n ? s->at[i + 1].begin : s->end;
}

static void compare_into(struct cuts *out, const struct signal *a, const enum comparison how,
	const struct signal *b, const struct span within)
{
	size_t i = 0, j = 0;

	for (time_ms now = within.begin; now < within.end;) {
		const time_ms a_end = piece_end(a, i), b_end = piece_end(b, j), end = sooner(a_end, b_end);

		/* Signals of one judgement begin together; others are skipped up to there. */
		if (end > within.begin)
			cuts_add(out, now, compared(a->at[i].value, how, b->at[j].value));
		i += a_end == end;
		j += b_end == end;
		now = later(end, now);
	}
}

struct truths truths_compare(struct arena *mem, const struct signal a, const enum comparison how, const struct signal b)
{
	const time_ms end = sooner(a.end, b.end);

	if (a.n == 0 || b.n == 0 || later(a.at[0].begin, b.at[0].begin) >= end)
		return nowhere(end);
	const struct span within = { later(a.at[0].begin, b.at[0].begin), end };
	struct cuts counted = { .at = NULL };

	compare_into(&counted, &a, how, &b, within);
	struct cuts line = cuts_new(mem, counted.n);
	compare_into(&line, &a, how, &b, within);
	return cuts_line(&line, end);
}

static time_ms truth_end(const struct truths *line, const size_t i)
{
	return i + 1 < line->n ? line->at[i + 1].at : line->end;
}

/* Walks the stretches in which neither of two lines changes. */
struct pair {
	const struct truths *a, *b;
	size_t next_a, next_b;
	/* found: */
	struct span stretch;
	enum truth truth_a, truth_b;
};

static struct pair pair_start(const struct truths *a, const struct truths *b)
{
	return (struct pair){ .a = a, .b = b };
}

static bool pair_next(struct pair *p)
{
	while (p->next_a < p->a->n && p->next_b < p->b->n) {
		const struct cut *const a = &p->a->at[p->next_a], *const b = &p->b->at[p->next_b];
		const time_ms a_end = truth_end(p->a, p->next_a), b_end = truth_end(p->b, p->next_b);

		p->stretch = (struct span){ later(a->at, b->at), sooner(a_end, b_end) };
		p->truth_a = a->truth;
		p->truth_b = b->truth;
		p->next_a += a_end <= b_end;
		p->next_b += b_end <= a_end;
		if (span_length(p->stretch) > 0)
			return true;
	}
	return false;
}

struct truths truths_zip(struct arena *mem, const struct truths a, const struct truths b,
	enum truth (*f)(enum truth, enum truth))
{
	struct cuts line = cuts_new(mem, a.n + b.n);
	struct pair pair = pair_start(&a, &b);

	while (pair_next(&pair))
		cuts_add(&line, pair.stretch.begin, f(pair.truth_a, pair.truth_b));
	return cuts_line(&line, sooner(a.end, b.end));
}

struct truths truths_not(struct arena *mem, const struct truths a)
{
	struct cuts line = cuts_new(mem, a.n);

	for (size_t i = 0; i < a.n; i++)
		cuts_add(&line, a.at[i].at, truth_not(a.at[i].truth));
	return cuts_line(&line, a.end);
}

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
	return cuts_line(&line, sooner(set.end, reset.end));
}

/* A NO between two YES, no longer than the gap? */
static bool is_bridge(const struct truths *line, const size_t i, const time_ms gap)
{
	return line->at[i].truth == NO && i > 0 && i + 1 < line->n && line->at[i - 1].truth == YES
		&& line->at[i + 1].truth == YES && truth_end(line, i) - line->at[i].at <= gap;
}

struct truths truths_bridged(struct arena *mem, const struct truths line, const time_ms gap, const time_ms max_gap)
{
	struct cuts result = cuts_new(mem, line.n);

	(void)max_gap; /* not yet */
	for (size_t i = 0; i < line.n; i++)
		cuts_add(&result, line.at[i].at, is_bridge(&line, i, gap) ? YES : line.at[i].truth);
	return cuts_line(&result, line.end);
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
	return cuts_line(&result, line.end);
}

struct truths truths_within(struct arena *mem, const struct truths line, const struct spans within)
{
	struct arena scratch;

	if (line.n == 0)
		return line;
	arena_init(&scratch);
	const struct truths inside = truths_from_spans(&scratch, within, (struct span){ line.at[0].at, line.end });
	const struct truths result = truths_zip(mem, line, inside, truth_and);
	arena_release(&scratch);
	return result;
}

struct spans truths_spans(struct arena *mem, const struct truths line, const enum truth which)
{
	struct span *at = NEW_ARRAY(mem, struct span, line.n / 2 + 1);
	size_t n = 0;

	for (size_t i = 0; i < line.n; i++)
		if (line.at[i].truth == which)
			at[n++] = (struct span){ line.at[i].at, truth_end(&line, i) };
	return (struct spans){ at, n };
}

time_ms truths_length(const struct truths line, const enum truth which, const struct spans within)
{
	time_ms length = 0;
	size_t i = 0, j = 0;

	while (i < line.n && j < within.n) {
		const time_ms end = truth_end(&line, i);
		const time_ms common = sooner(end, within.at[j].end) - later(line.at[i].at, within.at[j].begin);

		if (line.at[i].truth == which && common > 0)
			length += common;
		if (end < within.at[j].end)
			i++;
		else
			j++;
	}
	return length;
}
