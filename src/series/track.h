/*
 * track.h - one metric of one entity on its own clock.
 *
 * A sample holds until the next one. Where the next is more than HOLE_STEPS median steps
 * away there is a hole: the sample before it, like the last of the track, holds for one
 * median step, as every other sample does on average; after that nothing is known,
 * nothing is drawn and nothing is integrated.
 *
 * A logger that is started anew may look less often: where that is so a sample has a step of its own.
 */
#ifndef POSTRUN_TRACK_H
#define POSTRUN_TRACK_H

#include "base/pack_steps.h"
#include "metric/entity.h"
#include "series/span.h"

#define HOLE_STEPS 3 /* visual.md 7.4: a logger that misses one or two polls is late, not gone */

struct chunk; /* chunk.h */
struct chunks {
	const struct chunk *at;
	size_t n;
};

/* What becomes of each known value of a column when it is read: nothing is kept for what follows from another track. */
enum formula_kind { FORMULA_AS_IT_IS, FORMULA_SHARE, FORMULA_MARGIN, FORMULA_FLAG };
struct formula {
	enum formula_kind kind; /* percent of `of`, to the millionth; how far below `of` it is; whether it has the bit `of`: 1 or 0 */
	int64_t of;
};
fixed formula_value(const struct formula *formula, fixed value);

struct track {
	enum metric metric;
	const struct entity *entity;
	/* Times, ascending strictly, UTC; values in the metric's unit, FIXED_MISSING where the log has none. */
	struct packed clock, column;
	struct formula formula; /* of `column` */
	const struct extremes_seen *seen; /* of `column`; NULL: its samples are as the log has them */
	const time_ms *times; /* instead of `clock`, as they are: of tracks of a few samples */
	const fixed *values;  /* instead of `column` and `formula` */
	size_t n;
	time_ms step;         /* median of the differences of times; 0 below two samples */
	const struct pack_steps *steps; /* of its samples; NULL: `step`, everywhere */
	int decimals;         /* digits behind the point that the log wrote, at most */
	size_t source;        /* index into run->recordings; for derived tracks that of the numerator */
	bool derived;         /* computed from other tracks */
	const char *assumed;  /* it rests on what no log tells: "no log tells …: 700 W by the table of cards"; or NULL */
	bool joined;          /* of several recordings that go on where another ends; `source` is one of them */
	struct chunks chunks; /* of these samples; none where nobody made them, which is only slower */
	const struct chunk *raw; /* as many, of `column` before its formula; NULL likewise */
};

/* Of all of its samples. */
time_ms track_finest_step(const struct track *t);
time_ms track_coarsest_step(const struct track *t);
/* Of those that hold in a span, the coarsest. */
time_ms track_step_in(const struct track *t, struct span within);
/* The share of the time that samples hold for which they are no further apart than that; 1 of none. */
double track_share_of_steps(const struct track *t, time_ms step);

/* The same track with other values: what was said of its own says nothing of them. */
static inline struct track track_with_values(const struct track *t, const fixed *values)
{
	struct track made = *t;

	made.values = values;
	made.seen = NULL;
	made.formula = (struct formula){ FORMULA_AS_IT_IS, 0 };
	made.chunks = (struct chunks){ NULL, 0 };
	made.raw = NULL;
	return made;
}

/*
 * The same track with fewer samples or more: of what decides on holes its packs say nothing any more. Whoever makes it puts one without a
 * value wherever a sample of `t` ends in a hole, if t->steps says more than t->step.
 */
static inline struct track track_with_samples(const struct track *t, const time_ms *times, const fixed *values, size_t n)
{
	struct track made = track_with_values(t, values);

	made.times = times;
	made.n = n;
	made.step = track_coarsest_step(t);
	made.steps = NULL;
	return made;
}

/* The column of a track that is packed, whatever formula it has. */
static inline struct track track_before_formula(const struct track *t)
{
	struct track column = *t;

	column.formula = (struct formula){ FORMULA_AS_IT_IS, 0 };
	if (t->formula.kind != FORMULA_AS_IT_IS)
		column.chunks = (struct chunks){ t->raw, t->raw ? t->chunks.n : 0 };
	column.raw = NULL;
	return column;
}

/* Do both have a row whenever the other has one? As far as that shows without reading them. */
static inline bool tracks_share_clock(const struct track *a, const struct track *b)
{
	return a->times == b->times && a->clock.at == b->clock.at && a->n == b->n && a->step == b->step && a->steps == b->steps;
}
/* Are both made of one column of codes on one clock, by the same formula or another? */
static inline bool tracks_share_column(const struct track *a, const struct track *b)
{
	return !a->values && !b->values && a->column.at == b->column.at && tracks_share_clock(a, b);
}
/* The same values, whatever they are called: the power level is the share of power under another name. */
static inline bool tracks_share_values(const struct track *a, const struct track *b)
{
	return a->values == b->values && a->column.at == b->column.at && a->formula.kind == b->formula.kind &&
	       a->formula.of == b->formula.of;
}

#define FETCHED 64 /* bytes that memory gives at once */

static inline void codes_fetch(const struct packed *p, const size_t k, const size_t n)
{
	for (size_t at = 0; k * PACK < n && at < PACK * (size_t)p->at[k].width; at += FETCHED)
		__builtin_prefetch((const char *)p->at[k].codes + at);
}

/*
 * Pack k of the clock or the column is read soon, if there is one: its codes lie far from those of the pack before, beside other columns,
 * where no processor looks ahead by itself.
 */
static inline void clock_fetch(const struct track *t, const size_t k)
{
	if (!t->times)
		codes_fetch(&t->clock, k, t->n);
}
static inline void column_fetch(const struct track *t, const size_t k)
{
	if (!t->values && t->column.at)
		codes_fetch(&t->column, k, t->n);
}

/* The step where sample i is; up to the next one there is a hole if it takes longer than longest_hold(). */
static inline time_ms track_step(const struct track *t, size_t i)
{
	return t->steps ? step_at(t->steps, i) : t->step;
}
static inline time_ms longest_hold(const struct track *t, size_t i)
{
	return HOLE_STEPS * track_step(t, i);
}
/* What is no hole behind any sample of pack k, and what is one behind each. */
static inline time_ms surely_held(const struct track *t, size_t k)
{
	return HOLE_STEPS * (t->steps ? t->steps[k].usual : t->step);
}
static inline time_ms held_at_most(const struct track *t, size_t k)
{
	return HOLE_STEPS * (t->steps ? t->steps[k].longer : t->step);
}

/* How a track is read. */
static inline time_ms track_time(const struct track *t, size_t i)
{
	return t->times ? t->times[i] : packed_at(&t->clock, i);
}
static inline fixed track_value(const struct track *t, size_t i)
{
	if (t->values)
		return t->values[i];
	const fixed value = packed_at(&t->column, i);
	return t->formula.kind == FORMULA_AS_IT_IS || value == FIXED_MISSING ? value : formula_value(&t->formula, value);
}
/* n of them from sample `first` on, which is faster than one by one. */
void track_times(const struct track *t, size_t first, size_t n, time_ms *out);
void track_values(const struct track *t, size_t first, size_t n, fixed *out);
/* The same track in these spans alone: what is beside and between them has no value. */
struct track track_parted(struct arena *mem, const struct track *t, struct spans parts);
/* Has it any value? */
bool track_tells(const struct track *t);
/* Until when sample i holds. */
time_ms track_until(const struct track *t, size_t i);
/* [first sample, end of the last's hold); empty for an empty track. */
struct span track_span(const struct track *t);
/* Time between first and last for which there are no rows at all. */
struct spans track_holes(struct arena *mem, const struct track *t);
/* Where the value is known. */
struct spans track_known(struct arena *mem, const struct track *t);
/* The sample that holds at `when`; false in holes, where missing, and outside. */
bool track_at(const struct track *t, time_ms when, fixed *value);
/* Index of the first sample at or after `when`; n when there is none. */
size_t track_seek(const struct track *t, time_ms when);
/* The same where it is known not to be before sample `from`, and probably is near it. */
size_t track_seek_from(const struct track *t, size_t from, time_ms when);
/* Median difference of neighbouring times, of an even number the lower middle one; 0 below two. */
time_ms median_step(struct arena *scratch, const time_ms *times, size_t n);

#endif
