/* sketch_parts.h - what the files of sketches share. For them only. */
#ifndef POSTRUN_SKETCH_PARTS_H
#define POSTRUN_SKETCH_PARTS_H

#include "rule/sketch.h"
#include "series/ends.h"
#include "series/few.h"

#include <math.h>

/* Blocks [first, end). */
struct stretch {
	size_t first, end;
};
/* One more behind those that there are: with the last one, where they touch, it is one. */
static inline void stretch_add(struct stretch *at, size_t *n, struct stretch s)
{
	if (*n && s.first <= at[*n - 1].end)
		at[*n - 1].end = s.end;
	else
		at[(*n)++] = s;
}
/* Some blocks, in order; no two stretches touch. */
struct some_blocks {
	const struct stretch *at;
	size_t n;
};

struct sketches {
	struct arena *mem;
	struct store *store;
	const struct blocks *blocks;
	const struct some_blocks *all;
	const struct some_blocks *wanted; /* of these somebody asks now: of a part of a condition where those before it leave it open */
	bool has_bounds;            /* a weighted mean is told by what it lies in, too */
	bool has_no_windows;        /* of windows nothing is told: they know judged time alone, and others are asked for */
	bool is_first_look;         /* nothing is told of windows, unless they have been sketched, and of costly folds */
	struct sketches *first_look; /* the same but for that, and all terms that look at nothing else; NULL before anybody asks */
	bool is_row_look;           /* a first look, but for rows, which are looked at one by one where it left little open */
	struct sketches *row_look;  /* the same as that; NULL before anybody asks */
	struct sketches *cheap;     /* the same, but for costly folds, of which is told what they lie in; NULL before anybody asks */
	struct sketches *bounding;  /* the same, and of weighted means, too; likewise */
	struct sketches *complete;  /* of both of these those that they are made beside; else NULL */
	const struct sketch ***done; /* by term id, SHELF_TERMS together; NULL before anybody asks for one of these */
};

static const struct extent anything = { -INFINITY, INFINITY };

static const struct extent nothing = { INFINITY, -INFINITY };
static const struct narrow_extent narrow_nothing = { INFINITY, -INFINITY };

static inline bool is_anything(struct extent r)
{
	return r.low <= -INFINITY && r.high >= INFINITY; /* one comparison less than == takes, which looks for NAN */
}

static inline struct extent joined_range(struct extent a, struct extent b)
{
	return (struct extent){ b.low < a.low ? b.low : a.low, b.high > a.high ? b.high : a.high };
}

static inline struct narrow_extent joined_narrow(struct narrow_extent a, struct narrow_extent b)
{
	return (struct narrow_extent){ b.low < a.low ? b.low : a.low, b.high > a.high ? b.high : a.high };
}

/* What rounding may do to a mean or a quotient, as a part of it: far more than it does. */
#define ROUGHLY 1e-12
static inline struct extent roughly(struct extent r, bool is_rough)
{
	if (!is_rough)
		return r;
	const double low = fabs(r.low), high = fabs(r.high), more = ROUGHLY * (low > high ? low : high); /* fmax() is a call */
	return (struct extent){ r.low - more, r.high + more };
}

/* To be kept for long; one number for all of the time stays as it is: it may be asked for as what it is. */
struct sketch sketch_narrowed(struct arena *mem, const struct sketch *s, size_t n_blocks);

/* Those that look at nothing that costs much; the same for all that are made of the same ones. */
struct sketches *first_look(struct sketches *k);
struct sketches *row_look(struct sketches *k);
/* The sketch of a term, asked of some blocks. */
const struct sketch *sketch_in(struct sketches *k, const struct term *t, const struct some_blocks *wanted);
/* What is computed now tells of these; NULL: of all. */
static inline const struct some_blocks *told_of(const struct sketches *k)
{
	return k->wanted == k->all ? NULL : k->wanted;
}
/* The places at which a sketch has something to say now. */
static inline struct some_blocks places(const struct sketches *k, size_t stride)
{
	static const struct stretch only = { 0, 1 };

	return stride ? *k->wanted : (struct some_blocks){ &only, 1 };
}

struct sketch never_known(struct arena *mem, const struct term *t);
struct sketch not_told(struct arena *mem, const struct term *t);

struct extent times_range(struct extent r, double factor);
/* Of what has no rule of its own: from its value at each moment. */
struct sketch sketch_value(struct sketches *k, const struct term *t);

/* Of eight blocks at once, or of one: which truths are which bits of each byte. */
#define EACH_OF_EIGHT UINT64_C(0x0101010101010101)
#define ALL_NO        (EACH_OF_EIGHT * CAN_NO)
#define ALL_YES       (EACH_OF_EIGHT * CAN_YES)
#define ALL_UNKNOWN   (EACH_OF_EIGHT * CAN_UNKNOWN)
/* The truths that a condition can have in eight blocks from one on. */
static inline uint64_t eight_from(const struct sketch *s, size_t block)
{
	uint64_t eight;

	if (!s->stride)
		return s->can[0] * EACH_OF_EIGHT;
	memcpy(&eight, s->can + block, sizeof eight);
	return eight;
}

/* What else there is to say of a condition in a block, in bits beside those of what it can be. */
enum { ONLY_NO = 8, ONLY_YES = 16, NEVER_NO = 32, NEVER_YES = 64 };
static inline uint64_t facts_of(uint64_t can)
{
	const uint64_t no = can & ALL_NO, yes = can >> 1 & ALL_NO, unknown = can >> 2 & ALL_NO;
	const uint64_t only_no = no & ~yes & ~unknown, only_yes = yes & ~no & ~unknown, never_no = no ^ ALL_NO, never_yes = yes ^ ALL_NO;

	return can | only_no * ONLY_NO | only_yes * ONLY_YES | never_no * NEVER_NO | never_yes * NEVER_YES;
}
/* Of how many GPUs of the run a condition can be true in a block, and of how many it is for sure. */
struct counts {
	uint32_t can_yes, only_yes;
};
/* Of the ranges of numbers that are not anything: which of all is the first, and which is behind it, which may be equal. */
enum outermost { LOWEST_LOW, HIGHEST_LOW, LOWEST_HIGH, HIGHEST_HIGH, N_OUTERMOST };
struct bound_of_set {
	float first, second; /* as extent_narrowed() has it; of the highest what is less than zero by as much */
};
/* The two that a fold over the numbers of a set lies between. */
static inline enum outermost low_asked(enum fold fold)
{
	return fold == FOLD_MAX ? HIGHEST_LOW : LOWEST_LOW;
}
static inline enum outermost high_asked(enum fold fold)
{
	return fold == FOLD_MIN ? LOWEST_HIGH : HIGHEST_HIGH;
}
/* What is known of all GPUs that are members of sets of this term. */
struct set_outline {
	size_t n;
	uint8_t *one, *two;           /* by block, of a condition: the facts of one of them at least, and of two */
	struct counts *counts;        /* the same where somebody counts; else NULL */
	struct bound_of_set *bounds[N_OUTERMOST]; /* of a number those that some fold asks; else NULL */
	uint32_t *n_anything; /* of how many a number can be anything */
};
/* Is the fold one of those that it was made for? */
static inline bool tells_fold(const struct set_outline *set, bool is_condition, enum fold fold)
{
	if (is_condition)
		return fold == FOLD_ANY || fold == FOLD_ALL || set->counts;
	return set->bounds[low_asked(fold)] && set->bounds[high_asked(fold)];
}
/* NULL where none was made. */
const struct set_outline *set_outline_of(const struct outlines *o, const struct term *of);

/*
 * Of a mean of a metric weighed by the share of a window, divided by the mean of that share: what it lies in, but for rounding. False where
 * it is not that, and where it may be not known.
 */
bool weighted_mean_range(struct sketches *k, const struct term *t, struct extent *out);
/* What a fold over judged time lies in; false where that can't be told from sketches, or it may be not known. sketch_folds.c */
bool fold_range(struct sketches *k, const struct term *t, struct sketch *out);

/* How many samples of a track are looked at as one: CELL, or no more than a block has. Such a cell lies in one pack. */
size_t cell_size(const struct track *t, const struct blocks *blocks);
/* The longest time from one sample of a cell to the next of them; 0 of one. */
static inline time_ms longest_in_cell(struct cursor *c, size_t i, size_t end)
{
	const time_ms *const times = cursor_times(c, i);
	time_ms longest = 0;

	for (size_t k = 1; k < end - i; k++)
		longest = later(longest, times[k] - times[k - 1]);
	return longest;
}

/* track_sketched(); but in `mem`, of these blocks alone, where few are asked for and not all are known already. store_tracks.c */
struct sketch track_sketched_in(struct store *s, struct arena *mem, const struct track *t, const struct some_blocks *only);

/* ------ judged time. sketch_judged.c ------ */

/*
 * Time that was added up, in ms modulo 2^32, which takes half the room: between two sums lies what a window sees and a few blocks beside
 * it, none wider than WIDEST_SKETCHED.
 */
typedef uint32_t summed_ms;

/*
 * A track as windows see it. The lowest and the highest sample of a cell are odd; those of cells that begin in blocks [i, k) hold for
 * odd[k] - odd[i], that of one that reaches into block i for carried[i]. Of blocks [i, k) blank[k] - blank[i] is judged and not known.
 */
struct judged_track {
	const struct narrow_extent *all;   /* of each block what is judged and known; `nothing` */
	const struct narrow_extent *inner; /* the same without odd samples */
	const summed_ms *odd, *carried, *blank;
};
/* Right in some blocks. */
struct judged_track track_in_judged(
	struct arena *mem, const struct blocks *b, const struct track *t, const struct spans *judged, const struct some_blocks *only);

/* Of a track in judged time: what samples add up to from its begin to each few of them, and to the end of the last. */
struct sums {
	const time_ms *begin;
	const uint64_t *before; /* values x ms, modulo 2^64: what is between two that are no further apart than `longest` fits int64 */
	time_ms longest;
	const summed_ms *blank; /* is not judged, or not known */
	size_t n;              /* few; one more of each than that */
	struct some_blocks parts; /* of few: added up from the begin of each; of others nothing is said, but where the first begins */
};

/* Where some blocks are looked at. */
struct sums sums_in_judged(
	struct arena *mem, const struct blocks *b, const struct track *t, const struct spans *judged, const struct some_blocks *only);
/* How much of a span is judged; `next` goes on with the spans. */
time_ms judged_of(const struct spans *judged, size_t *next, struct span when);
/*
 * Both of a track that the store's entity sees, in one of the plan's judged times: made once; but in `mem` where few blocks are asked for
 * and not all are known already. store_tracks.c
 */
const struct judged_track *track_judged(
	struct store *s, struct arena *mem, const struct track *t, size_t time, const struct some_blocks *only);
const struct sums *track_sums(struct store *s, struct arena *mem, const struct track *t, size_t time, const struct some_blocks *only);
/* ------ means of windows, closer than by the range of what they see. sketch_means.c ------ */

/* What lies below the range of all samples but odd ones, or above it, and for how long at most. */
struct beyond {
	struct extent inner;
	double below, above; /* ms */
};

struct means;
/* Of windows of a track that see some blocks; NULL where what they add up to might be too large. */
struct means *means_new(struct arena *mem, struct store *store, const struct track *track, size_t time, time_ms width,
	const struct some_blocks *seen);
/* Where windows are wide it makes no difference. */
bool means_ask_what_is_odd(const struct means *m);
/*
 * What the means of windows that begin in some time lie in, which goes on from call to call: `all` is the range of all samples that are
 * seen, and `b` of its ends; `before` what is known without looking closer.
 */
struct extent means_seen(struct means *m, struct span begins, struct extent all, const struct beyond *b, struct extent before);
/* The same of windows that lie between the first and the last judged moment, half of each of which is known at least. */
struct extent means_in_midst(struct means *m, struct span begins, struct extent all, const struct beyond *b);

/* How many blocks some are. */
static inline size_t count_blocks(const struct some_blocks *some)
{
	size_t n = 0;

	for (size_t i = 0; i < some->n; i++)
		n += some->at[i].end - some->at[i].first;
	return n;
}

/* Room for the truths of n blocks; those that nobody asks for are open. */
static inline uint8_t *truths_room(struct sketches *k, size_t n)
{
	uint8_t *const can = NEW_RAW_ARRAY(k->mem, uint8_t, n);

	return told_of(k) ? memset(can, CAN_ALL, n) : can;
}
/* Does it join conditions that may be of rows? Is so little open that they are to be looked at? sketch_rows.c */
bool joins_rows(const struct term *t);
bool rows_pay(const struct sketches *k, const struct some_blocks *open);
/* The truths that such a condition has in the wanted blocks, row by row; false where it is of anything else. */
bool sketch_by_rows(struct sketches *k, const struct term *t, struct sketch *out);
/* Of a comparison, a flag, and what joins them. sketch_conditions.c */
struct sketch sketch_condition(struct sketches *k, const struct term *t);
static inline bool is_set_of_gpus(const struct term *t)
{
	return t->kind == NODE_ACROSS && (t->reach == REACH_OTHER_GPUS || t->reach == REACH_ALL_GPUS);
}
/* Of a fold over a set; and is it one of GPUs whose sketches are at hand? sketch_sets.c */
bool is_outlined_set(const struct sketches *k, const struct term *t);
struct sketch sketch_across(struct sketches *k, const struct term *t);
/* Of a fold over a window that moves: right at the moments that are judged, and nothing is said of others. sketch_windows.c */
struct sketch sketch_rolling(struct sketches *k, const struct term *t);

#endif
