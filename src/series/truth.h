/*
 * truth.h - conditions over time: YES, NO or UNKNOWN, on the log's own clock.
 *
 * A truth line is a sorted list of cuts; each truth holds until the next cut, the last until
 * `end`. Neighbouring cuts differ. Logic follows Kleene's tables.
 */
#ifndef POSTRUN_TRUTH_H
#define POSTRUN_TRUTH_H

#include "series/signal.h"

enum truth { NO, YES, UNKNOWN };
/* Eight bytes, since lines of millions of cuts are what judging keeps: times take 62 bits for as long as there are dates. */
struct cut {
	enum truth truth : 2;
	time_ms at : 62;
};
_Static_assert(sizeof(struct cut) == 8, "a cut is one word");

static inline struct cut cut_made(time_ms at, enum truth truth)
{
	struct cut cut = { .truth = truth };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion" /* there is no cast to 62 bits */
	cut.at = at;
#pragma GCC diagnostic pop
	return cut;
}

struct truths {
	const struct cut *at;
	size_t n;
	time_ms end;
};

enum comparison { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, NOT_EQUAL };
/* As seen from the other side: a < b is b > a. */
enum comparison comparison_mirrored(enum comparison how);

/* Kleene's tables: UNKNOWN is what may be either. */
enum truth truth_and(enum truth a, enum truth b);
enum truth truth_or(enum truth a, enum truth b);
enum truth truth_not(enum truth a);

/*
 * Results are in `mem`, and may be the arguments as they are. A line is over the time that all have of what it is made of: it begins with
 * its first cut.
 */
/* One truth for all of `within`; none of an empty span. */
struct truths truths_constant(struct arena *mem, enum truth truth, struct span within);
/* YES in the spans, NO in the rest of `within`. */
struct truths truths_from_spans(struct arena *mem, struct spans yes, struct span within);
/* At each moment; UNKNOWN where one of the two is NAN. */
struct truths truths_compare(struct arena *mem, struct signal a, enum comparison how, struct signal b);
/*
 * The same as truths_compare() of signal_from_track(t, within), times `factor`, with a constant; without making the signal:
 * the way that nearly all conditions take, one pass over the values and memory for the cuts alone.
 */
struct truths truths_compare_track(struct arena *mem, const struct track *t, struct span within, double factor,
	enum comparison how, double threshold);
/*
 * A condition on columns of one clock (tracks_share_clock()), each with a step: comparisons with numbers that stay, joined. `factor` is
 * above zero, `threshold` a number.
 */
enum rows_kind { ROWS_COMPARED, ROWS_AND, ROWS_OR, ROWS_NOT };
struct row_condition {
	enum rows_kind kind;
	const struct track *track; /* ROWS_COMPARED, as truths_compare_track() has it */
	double factor, threshold;
	enum comparison how;
	const struct row_condition *left, *right; /* of the other kinds; ROWS_NOT has no right one */
};
/* What joining the lines of its parts would come to, in these spans, which are in order; NO in the rest of `all`. */
struct truths truths_of_rows(struct arena *mem, const struct row_condition *rows, struct spans within, struct span all);
/* truths_lengths() of that, which is not made. */
void lengths_of_rows(const struct row_condition *rows, struct spans within, struct span all, time_ms lengths[UNKNOWN + 1]);
/* The same with a number that changes rarely; `factor` is above zero. */
struct truths truths_compare_limit(struct arena *mem, const struct track *t, double factor, enum comparison how, struct signal limit);
/*
 * The same of f(value of the track times `factor`, other) times `then`, where `other` changes rarely: as a power that is
 * compared with its limit. f must not go down when its first argument goes up, for any of the values of `other` that are known.
 */
struct truths truths_compare_beside(struct arena *mem, const struct track *t, double factor, double (*f)(double, double),
	struct signal other, double then, enum comparison how, double threshold);
/* truths_compare() of signal_zip(a, b, f) times `factor` with a constant, without making the signal. */
struct truths truths_compare_zip(struct arena *mem, struct signal a, struct signal b, double (*f)(double, double), double factor,
	enum comparison how, double threshold);
/*
 * truths_compare() with `limit` of the mean over a window (signal_rolling()) of the track's values times `factor` within
 * `hull`; UNKNOWN in the rest of `limit`, which changes rarely. The means are compared as exact sums. What lies beside the `parts` of the
 * hull has no value.
 */
struct truths truths_compare_mean(struct arena *mem, const struct track *t, struct spans parts, struct span hull, double factor,
	time_ms width, enum comparison how, struct signal limit);
/*
 * The same of a percentile, 1 to 99, with a number that stays, above or below which it is asked to be: `limit` has one piece; `factor`
 * and `width` are above zero.
 */
bool can_compare_percentiles(enum comparison how);
struct truths truths_compare_percentile(struct arena *mem, const struct track *t, struct spans parts, struct span hull, double factor,
	time_ms width, int percent, enum comparison how, struct signal limit);
/*
 * Of values that are only known to lie in bounds at each moment: YES or NO where all values between them say so. UNKNOWN where one of the
 * bounds is not known.
 */
struct truths truths_compare_bounds(struct arena *mem, struct bounds a, enum comparison how, struct bounds b);
/*
 * Of how many of n lines it is true: at least of those that say YES, at most of those that don't say NO. Nowhere for n 0.
 * `any` is a count of at least 1, `all` one of at least n; a share is 100 times the count over n: see truths_compare_bounds().
 */
struct bounds truths_count(struct arena *mem, const struct truths *lines, size_t n);
/*
 * For asking whether it is true of so many of all lines but one, whichever that is, without a count for each: whether it is true of
 * so many of all lines, and of one more than that.
 */
struct counted {
	struct truths least, one_more;
};
struct counted truths_counted(struct arena *mem, struct bounds count, size_t least);
/* Of so many of the lines beside this one, which was counted. */
struct truths truths_but_one(struct arena *mem, struct counted counted, struct truths one);
/* YES 1, NO 0, UNKNOWN NAN: for folds over conditions. */
struct signal truths_signal(struct arena *mem, struct truths line);
/* f of both, truth_and or truth_or, at each moment that both lines have. */
struct truths truths_zip(struct arena *mem, struct truths a, struct truths b, enum truth (*f)(enum truth, enum truth));
struct truths truths_not(struct arena *mem, struct truths a);
/* YES where it may be: what is UNKNOWN is taken for YES. */
struct truths truths_possible(struct arena *mem, struct truths line);

/*
 * YES from where `set` is YES until `reset` is YES: hysteresis. UNKNOWN of `set` starts nothing and ends nothing:
 * the line is UNKNOWN where neither can be told, and the latch is afterwards what it was. Where both are YES, `set` wins.
 */
struct truths truths_latched(struct arena *mem, struct truths set, struct truths reset);
/*
 * Joins stretches of YES over gaps in which NO adds up to no more than `merge_gap` and UNKNOWN to no more than `max_gap`.
 * Inclusive; 0 joins nothing over that truth. A gap that is not joined only because of its UNKNOWN becomes UNKNOWN as a whole:
 * a missing cell must not make a stretch out of two that are too short, and then clear.
 */
struct truths truths_bridged(struct arena *mem, struct truths line, time_ms merge_gap, time_ms max_gap);
/*
 * Stretches of YES shorter than `hold` become NO; they become UNKNOWN if the whole run of YES and UNKNOWN around them
 * reaches it. What was UNKNOWN stays so. Inclusive: exactly `hold` is enough. A sample counts for as long as it holds, so
 * n samples are n steps long; Prometheus measures from the first sample to the last, which is one step less (tests/unit/prometheus_test.c).
 */
struct truths truths_held(struct arena *mem, struct truths line, time_ms hold);
/*
 * truths_held(), and a stretch that has reached `hold` goes on over gaps (NO or UNKNOWN) of up to `keep` to the next
 * YES, which needs no hold of its own then: Prometheus' keep_firing_for, but the end is the last YES, never later. Where it is
 * not known whether it goes on until a YES, because what is UNKNOWN before that may have fired, the YES and the gap are UNKNOWN.
 */
struct truths truths_persisted(struct arena *mem, struct truths line, time_ms hold, time_ms keep);
/*
 * Each stretch of YES begins no sooner and ends no later than the YES of `begins` and `ends` inside it: a window over
 * time knows of a change before it happens, but what is shown are true samples. Without any YES inside, or where nothing would be left,
 * a stretch stays as it is; what is cut off becomes NO.
 */
struct truths truths_trimmed(struct arena *mem, struct truths line, struct truths begins, struct truths ends);
/* UNKNOWN for no longer than `longest`, with something known behind it, becomes what was before it: a sample holds when a row is late. */
struct truths truths_filled(struct arena *mem, struct truths line, time_ms longest);
/* Outside `within` everything is NO. */
struct truths truths_within(struct arena *mem, struct truths line, struct spans within);

/* The stretches that hold at some time of `within`, whole ones, as they are. */
struct truths truths_around(struct truths line, struct span within);
/* What each of n lines, of which there is one at least, says in its span; these follow one another. NO of a line without stretches. */
struct truths truths_in_turn(struct arena *mem, const struct truths *lines, const struct span *of, size_t n);

/* When it is this truth. */
struct spans truths_spans(struct arena *mem, struct truths line, enum truth which);
/* The line, and YES in these spans, which are in order and do not overlap. */
struct truths truths_with(struct arena *mem, struct truths line, struct spans yes);
/* The stretch of YES that this moment is in; empty where it is in none. */
struct span truths_yes_at(struct truths line, time_ms when);
/* Does the line have this truth at any time? */
bool truths_any(struct truths line, enum truth which);
/* For how long it is, in `within`. */
time_ms truths_length(struct truths line, enum truth which, struct spans within);
/* For how long it is each of the truths. */
void truths_lengths(struct truths line, struct spans within, time_ms lengths[UNKNOWN + 1]);
/*
 * signal_fold() of truths_signal(), which is not made, of a line that is each of the truths for so long: the share of the known time or the
 * time in which it is YES, and how much is known.
 */
bool lengths_have_fold(enum fold fold);
double lengths_fold(const time_ms lengths[UNKNOWN + 1], enum fold fold, time_ms *known);
/* The same in memory that lives longer, without the room that was only needed on the way. */
struct truths truths_kept(struct arena *mem, struct truths line);
/* The same of a line that came from `from`, and is used there no more. */
struct truths truths_moved(struct arena *mem, struct arena *from, struct truths line);
/* Cut for cut, over one span. */
bool truths_are_same(struct truths a, struct truths b);

#endif
