/*
 * truth_count.c - of how many lines, at each moment, is it true?
 *
 * All cuts of all lines are put in the order of time and walked once, so that 256 cores of which
 * one changes cost one step and not 256.
 */
#include "series/truth.h"

#include "series/cuts.h"
#include "series/order.h"

/* Where all lines are; empty where one is. */
static struct span common_span(const struct truths *lines, const size_t n)
{
	struct span all = { lines[0].n ? lines[0].at[0].at : lines[0].end, lines[0].end };

	for (size_t i = 1; i < n; i++) {
		all.begin = later(all.begin, lines[i].n ? lines[i].at[0].at : lines[i].end);
		all.end = sooner(all.end, lines[i].end);
	}
	return all;
}

static size_t count_cuts(const struct truths *lines, const size_t n)
{
	size_t n_cuts = 0;

	for (size_t i = 0; i < n; i++)
		n_cuts += lines[i].n;
	return n_cuts;
}

/* The load of a cut says what it is: three times the line, plus the truth. */
static void cuts_in_order(struct arena *scratch, const struct truths *lines, const size_t n, struct ordered *out)
{
	size_t n_cuts = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < lines[i].n; k++)
			out[n_cuts++] = (struct ordered){ key_from_integer(lines[i].at[k].at), (int64_t)(3 * i + lines[i].at[k].truth) };
	order_sort(scratch, out, n_cuts);
}

/* How many lines say YES, and how many might. */
struct tally {
	enum truth *now; /* of each line */
	int64_t yes, maybe;
};

static void tally_set(struct tally *t, const size_t line, const enum truth truth)
{
	t->yes += (truth == YES) - (t->now[line] == YES);
	t->maybe += (truth != NO) - (t->now[line] != NO);
	t->now[line] = truth;
}

static void count_into(struct pieces *low, struct pieces *high, struct tally *tally, const struct ordered *cuts, const size_t n_cuts,
	const struct span within)
{
	for (size_t i = 0; i < n_cuts; i++) {
		const time_ms at = integer_from_key(cuts[i].key);
		const bool is_last_of_moment = i + 1 == n_cuts || integer_from_key(cuts[i + 1].key) > later(at, within.begin);

		if (at >= within.end)
			return;
		tally_set(tally, (size_t)cuts[i].load / 3, (enum truth)(cuts[i].load % 3));
		if (!is_last_of_moment)
			continue;
		pieces_add(low, later(at, within.begin), (double)tally->yes);
		pieces_add(high, later(at, within.begin), (double)tally->maybe);
	}
}

struct bounds truths_count(struct arena *mem, const struct truths *lines, const size_t n)
{
	const struct span within = n ? common_span(lines, n) : (struct span){ 0, 0 };
	struct arena scratch;

	if (span_length(within) <= 0)
		return (struct bounds){ signal_nowhere(within.end), signal_nowhere(within.end) };
	arena_init(&scratch);
	const size_t n_cuts = count_cuts(lines, n);
	struct ordered *cuts = NEW_RAW_ARRAY(&scratch, struct ordered, n_cuts);
	struct tally tally = { .now = NEW_ARRAY(&scratch, enum truth, n) }; /* all NO */
	struct pieces low = pieces_new(mem, n_cuts), high = pieces_new(mem, n_cuts);

	cuts_in_order(&scratch, lines, n, cuts);
	count_into(&low, &high, &tally, cuts, n_cuts, within);
	arena_release(&scratch);
	return (struct bounds){ pieces_signal(&low, within.end), pieces_signal(&high, within.end) };
}

static struct truths reaches(struct arena *mem, const struct bounds count, const size_t least)
{
	const struct span within = signal_span(&count.low);

	return truths_compare_bounds(mem, count, GREATER_EQUAL, bounds_of_known(signal_constant(mem, (double)least, within)));
}

struct counted truths_counted(struct arena *mem, const struct bounds count, const size_t least)
{
	return (struct counted){ reaches(mem, count, least), reaches(mem, count, least + 1) };
}

/* Where the one is NO all are the others; where it may be YES they may be one less, but are as many as say YES beside it. */
static enum truth least_without(const enum truth least, const enum truth one)
{
	if (one == NO)
		return least;
	return one == UNKNOWN && least == YES ? YES : NO;
}

struct truths truths_but_one(struct arena *mem, const struct counted counted, const struct truths one)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct truths without = truths_zip(&scratch, counted.least, one, least_without);
	const struct truths others = truths_zip(mem, without, counted.one_more, truth_or);
	arena_release(&scratch);
	return others;
}
