/*
 * truth.c - Kleene's logic over time.
 *
 * A condition that rarely changes is a handful of cuts, and everything here works on those alone. How
 * lines come from values is told in truth_compare.c, what persistence does to them in truth_persist.c.
 */
#include "series/truth.h"

#include "series/cuts.h"
#include "series/summary.h"

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

/* What becomes of each two truths: to look that up costs less at each stretch than to ask f(). */
struct joint {
	unsigned char of[UNKNOWN + 1][UNKNOWN + 1];
};

static struct joint joint_of(enum truth (*f)(enum truth, enum truth))
{
	struct joint joint;

	for (int a = NO; a <= UNKNOWN; a++)
		for (int b = NO; b <= UNKNOWN; b++)
			joint.of[a][b] = (unsigned char)f((enum truth)a, (enum truth)b);
	return joint;
}

struct truths truths_zip(struct arena *mem, const struct truths a, const struct truths b,
	enum truth (*f)(enum truth, enum truth))
{
	const struct joint joint = joint_of(f);
	struct cuts line = cuts_new(mem, a.n + b.n);

	for (size_t i = 0, j = 0; i < a.n && j < b.n;) {
		const time_ms a_end = truth_end(&a, i), b_end = truth_end(&b, j);
		const time_ms begin = later(a.at[i].at, b.at[j].at);

		if (begin < sooner(a_end, b_end))
			cuts_add(&line, begin, (enum truth)joint.of[a.at[i].truth][b.at[j].truth]);
		i += a_end <= b_end;
		j += b_end <= a_end;
	}
	return cuts_line_cut(mem, &line, a.n + b.n, sooner(a.end, b.end));
}

struct truths truths_not(struct arena *mem, const struct truths a)
{
	struct cuts line = cuts_new(mem, a.n);

	for (size_t i = 0; i < a.n; i++)
		cuts_add(&line, a.at[i].at, truth_not(a.at[i].truth));
	return cuts_line(&line, a.end);
}

struct truths truths_possible(struct arena *mem, const struct truths line)
{
	struct cuts possible = cuts_new(mem, line.n);

	for (size_t i = 0; i < line.n; i++)
		cuts_add(&possible, line.at[i].at, line.at[i].truth == NO ? NO : YES);
	return cuts_line_cut(mem, &possible, line.n, line.end);
}

struct signal truths_signal(struct arena *mem, const struct truths line)
{
	static const double values[] = { [NO] = 0, [YES] = 1, [UNKNOWN] = NAN };
	struct pieces result = pieces_new(mem, line.n);

	for (size_t i = 0; i < line.n; i++)
		pieces_add(&result, line.at[i].at, values[line.at[i].truth]);
	return pieces_signal(&result, line.end);
}

/* What the line says from `begin` to `end`, which are on it; *i: its stretch that holds there, or one before. */
static void add_stretches(struct cuts *out, const struct truths *line, size_t *i, const time_ms begin, const time_ms end)
{
	size_t next;

	while (truth_end(line, *i) <= begin)
		++*i;
	cuts_add(out, begin, line->at[*i].truth);
	for (next = *i + 1; next < line->n && line->at[next].at < end; next++)
		out->at[out->n++] = line->at[next]; /* neighbours differ */
	*i = next - 1;
}

struct truths truths_within(struct arena *mem, const struct truths line, const struct spans within)
{
	const size_t room = line.n + 2 * within.n;
	struct cuts inside = cuts_new(mem, room);
	time_ms done = line.n ? line.at[0].at : line.end;

	for (size_t k = 0, i = 0; k < within.n && done < line.end; k++) {
		const time_ms begin = later(within.at[k].begin, done), end = sooner(within.at[k].end, line.end);

		if (begin >= end)
			continue;
		if (begin > done)
			cuts_add(&inside, done, NO);
		add_stretches(&inside, &line, &i, begin, end);
		done = end;
	}
	if (done < line.end)
		cuts_add(&inside, done, NO);
	return cuts_line_cut(mem, &inside, room, line.end);
}

/* The stretch that a moment is in, which is not before the first. */
static size_t stretch_at(const struct truths *line, const time_ms when)
{
	size_t low = 0, high = line->n; /* at[low].at <= when < at[high].at */

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (line->at[middle].at <= when)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct truths truths_around(const struct truths line, const struct span within)
{
	if (!line.n || span_length(within) <= 0)
		return line;
	const size_t first = stretch_at(&line, within.begin), last = stretch_at(&line, within.end - 1);
	return (struct truths){ line.at + first, last + 1 - first, truth_end(&line, last) };
}

struct truths truths_in_turn(struct arena *mem, const struct truths *lines, const struct span *of, const size_t n)
{
	size_t room = n;

	for (size_t k = 0; k < n; k++)
		room += lines[k].n;
	struct cuts line = cuts_new(mem, room);
	for (size_t k = 0, i = 0; k < n; k++, i = 0) {
		if (lines[k].n)
			add_stretches(&line, &lines[k], &i, of[k].begin, of[k].end);
		else
			cuts_add(&line, of[k].begin, NO);
	}
	return cuts_line_cut(mem, &line, room, of[n - 1].end);
}

/* The cuts before `until`, from the i-th on; returns the first one that is not. */
static size_t add_cuts(struct cuts *out, const struct truths *line, size_t i, const time_ms until)
{
	if (i < line->n && line->at[i].at < until) {
		cuts_add(out, line->at[i].at, line->at[i].truth);
		i++;
	}
	while (i < line->n && line->at[i].at < until)
		out->at[out->n++] = line->at[i++]; /* neighbours differ */
	return i;
}

struct truths truths_with(struct arena *mem, const struct truths line, const struct spans yes)
{
	const size_t room = line.n + 2 * yes.n;
	struct cuts all = cuts_new(mem, room);
	size_t i = 0;

	for (size_t k = 0; k < yes.n && line.n; k++) {
		const time_ms begin = later(yes.at[k].begin, line.at[0].at), end = sooner(yes.at[k].end, line.end);

		if (begin >= end)
			continue;
		i = add_cuts(&all, &line, i, begin);
		cuts_add(&all, begin, YES);
		while (i < line.n && line.at[i].at <= end)
			i++;
		if (end < line.end)
			cuts_add(&all, end, line.at[i - 1].truth);
	}
	add_cuts(&all, &line, i, line.end);
	return cuts_line_cut(mem, &all, room, line.end);
}

struct spans truths_spans(struct arena *mem, const struct truths line, const enum truth which)
{
	const size_t room = line.n / 2 + 1;
	struct span *const at = NEW_RAW_ARRAY(mem, struct span, room);
	size_t n = 0;

	for (size_t i = 0; i < line.n; i++)
		if (line.at[i].truth == which)
			at[n++] = (struct span){ line.at[i].at, truth_end(&line, i) };
	return (struct spans){ arena_array_cut(mem, at, room, n, sizeof *at), n };
}

struct span truths_yes_at(const struct truths line, const time_ms when)
{
	const struct span nowhere = { when, when };

	if (!line.n || when < line.at[0].at || when >= line.end)
		return nowhere;
	const size_t i = stretch_at(&line, when);
	return line.at[i].truth == YES ? truth_stretch(&line, i) : nowhere;
}

bool truths_any(const struct truths line, const enum truth which)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.at[i].truth == which)
			return true;
	return false;
}

void truths_lengths(const struct truths line, const struct spans within, time_ms lengths[UNKNOWN + 1])
{
	size_t i = 0, j = 0;

	lengths[NO] = lengths[YES] = lengths[UNKNOWN] = 0;
	while (i < line.n && j < within.n) {
		const time_ms end = truth_end(&line, i);
		const time_ms common = sooner(end, within.at[j].end) - later(line.at[i].at, within.at[j].begin);

		lengths[line.at[i].truth] += later(common, 0);
		if (end < within.at[j].end)
			i++;
		else
			j++;
	}
}

/* Of one truth, as UNKNOWN is, most lines have little. */
time_ms truths_length(const struct truths line, const enum truth which, const struct spans within)
{
	time_ms length = 0;
	size_t k = 0;

	if (!within.n)
		return 0;
	const struct truths near = truths_around(line, spans_hull(within)); /* who asks of many short spans has each looked at alone */
	for (size_t i = 0; i < near.n && k < within.n; i++) {
		if (near.at[i].truth != which)
			continue;
		const struct span stretch = truth_stretch(&near, i);
		while (k < within.n && within.at[k].end <= stretch.begin)
			k++;
		for (size_t j = k; j < within.n && within.at[j].begin < stretch.end; j++)
			length += sooner(stretch.end, within.at[j].end) - later(stretch.begin, within.at[j].begin);
	}
	return length;
}

bool lengths_have_fold(const enum fold fold)
{
	return fold == FOLD_SHARE || fold == FOLD_TOTAL;
}

double lengths_fold(const time_ms lengths[UNKNOWN + 1], const enum fold fold, time_ms *known)
{
	const time_ms yes = lengths[YES], no = lengths[NO];
	const struct summary sum = { .known = yes + no, .plain = { .integral = (double)yes, .low = no ? 0 : 1, .high = yes ? 1 : 0 } };

	*known = sum.known;
	return summary_fold(fold, &sum);
}

struct truths truths_kept(struct arena *mem, const struct truths line)
{
	struct cut *cuts = NEW_RAW_ARRAY(mem, struct cut, line.n);

	if (line.n)
		memcpy(cuts, line.at, line.n * sizeof *cuts);
	return (struct truths){ cuts, line.n, line.end };
}

struct truths truths_moved(struct arena *mem, struct arena *from, const struct truths line)
{
	return (struct truths){ arena_array_moved(mem, from, line.at, line.n, sizeof *line.at), line.n, line.end };
}

bool truths_are_same(const struct truths a, const struct truths b)
{
	bool same = a.n == b.n && a.end == b.end;

	for (size_t i = 0; same && i < a.n; i++)
		same = a.at[i].at == b.at[i].at && a.at[i].truth == b.at[i].truth;
	return same;
}
