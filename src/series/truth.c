/*
 * truth.c - Kleene's logic over time.
 *
 * A condition that rarely changes is a handful of cuts, and everything here works on those alone. How
 * lines come from values is told in truth_compare.c, what persistence does to them in truth_persist.c.
 */
#include "series/truth.h"

#include "series/cuts.h"

enum comparison comparison_mirrored(const enum comparison how)
{
	static const enum comparison mirrored[] = {
		[LESS] = GREATER, [LESS_EQUAL] = GREATER_EQUAL, [GREATER] = LESS, [GREATER_EQUAL] = LESS_EQUAL, [EQUAL] = EQUAL,
		[NOT_EQUAL] = NOT_EQUAL,
	};

	return mirrored[how];
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
		return truths_nowhere(within.end);
	line = cuts_new(mem, 1);
	cuts_add(&line, within.begin, truth);
	return cuts_line(&line, within.end);
}

struct truths truths_from_spans(struct arena *mem, const struct spans yes, const struct span within)
{
	if (span_length(within) <= 0)
		return truths_nowhere(within.end);
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

/* What f makes of each pair of truths, asked once. */
struct truth_table {
	enum truth of[3][3];
};

static struct truth_table table_of(enum truth (*f)(enum truth, enum truth))
{
	static const enum truth all[] = { NO, YES, UNKNOWN };
	struct truth_table table;

	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 3; k++)
			table.of[all[i]][all[k]] = f(all[i], all[k]);
	return table;
}

struct truths truths_zip(struct arena *mem, const struct truths a, const struct truths b,
	enum truth (*f)(enum truth, enum truth))
{
	const struct truth_table table = table_of(f);
	struct cuts line = cuts_new(mem, a.n + b.n);
	struct pair pair = pair_start(&a, &b);

	while (pair_next(&pair))
		cuts_add(&line, pair.stretch.begin, table.of[pair.truth_a][pair.truth_b]);
	return cuts_line(&line, sooner(a.end, b.end));
}

struct truths truths_not(struct arena *mem, const struct truths a)
{
	struct cuts line = cuts_new(mem, a.n);

	for (size_t i = 0; i < a.n; i++)
		cuts_add(&line, a.at[i].at, truth_not(a.at[i].truth));
	return cuts_line(&line, a.end);
}

struct signal truths_signal(struct arena *mem, const struct truths line)
{
	static const double values[] = { [NO] = 0, [YES] = 1, [UNKNOWN] = NAN };
	struct pieces result = pieces_new(mem, line.n);

	for (size_t i = 0; i < line.n; i++)
		pieces_add(&result, line.at[i].at, values[line.at[i].truth]);
	return pieces_signal(&result, line.end);
}

/* The cuts [i, end) behind one that differs from the first of them. */
static void cuts_copy(struct cuts *c, const struct truths *line, const size_t i, const size_t end)
{
	if (end > i)
		memcpy(&c->at[c->n], &line->at[i], (end - i) * sizeof *c->at);
	c->n += end - i;
}

struct truths truths_within(struct arena *mem, const struct truths line, const struct spans within)
{
	struct cuts result = cuts_new(mem, line.n + 2 * within.n + 1);
	size_t i = 0;

	if (line.n == 0)
		return line;
	time_ms now = line.at[0].at;
	for (size_t k = 0; k < within.n && within.at[k].begin < line.end; k++) {
		const struct span in = { later(within.at[k].begin, now), sooner(within.at[k].end, line.end) };
		if (span_length(in) <= 0)
			continue;
		if (in.begin > now)
			cuts_add(&result, now, NO);
		while (truth_end(&line, i) <= in.begin)
			i++;
		cuts_add(&result, in.begin, line.at[i].truth);
		const size_t first = i + 1;
		while (truth_end(&line, i) < in.end)
			i++;
		cuts_copy(&result, &line, first, i + 1);
		now = in.end;
	}
	if (now < line.end)
		cuts_add(&result, now, NO);
	return cuts_line(&result, line.end);
}

struct spans truths_spans(struct arena *mem, const struct truths line, const enum truth which)
{
	struct span *at = NEW_RAW_ARRAY(mem, struct span, line.n / 2 + 1);
	size_t n = 0;

	for (size_t i = 0; i < line.n; i++)
		if (line.at[i].truth == which)
			at[n++] = (struct span){ line.at[i].at, truth_end(&line, i) };
	return (struct spans){ at, n };
}

bool truths_any(const struct truths line, const enum truth which)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.at[i].truth == which)
			return true;
	return false;
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

struct truths truths_kept(struct arena *mem, const struct truths line)
{
	struct cut *cuts = NEW_RAW_ARRAY(mem, struct cut, line.n);

	if (line.n)
		memcpy(cuts, line.at, line.n * sizeof *cuts);
	return (struct truths){ cuts, line.n, line.end };
}
