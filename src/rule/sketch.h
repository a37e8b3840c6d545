/*
 * sketch.h - what a term can be, block by block, without looking at each moment. For this folder only.
 *
 * Nearly all rules find nothing nearly all the time, and the lowest and highest value of half a minute mostly say so: power
 * between 590 and 660 W is not below 250 W, nor is any mean or median of it. A sketch has for each block of time what a number
 * lies in, or which truths a condition can have. It costs little; only where it leaves a rule open moments are looked at
 * (open.h), and what comes out is the same as if all had been.
 */
#ifndef POSTRUN_SKETCH_H
#define POSTRUN_SKETCH_H

#include "rule/value.h"

#include <string.h>

enum { CAN_NO = 1, CAN_YES = 2, CAN_UNKNOWN = 4, CAN_ALL = 7 };

struct extent { /* inclusive; from -INFINITY to INFINITY: anything, also not known */
	double low, high;
};

/* The same in half the room, for what is kept of many GPUs: a little wider, where it must be. */
struct narrow_extent {
	float low, high;
};
/*
 * The highest one that is not above it; as nextafterf() does, whose call would cost more than all else here. Whether the nearest one is
 * above it nobody can foresee, so that a step down is added instead of branched to.
 */
static inline float float_below(double number)
{
	float f = (float)number;
	int32_t bits;

	memcpy(&bits, &f, sizeof bits);
	bits -= ((double)f > number) * (bits < 0 ? -1 : 1);
	memcpy(&f, &bits, sizeof bits);
	return f;
}
static inline struct narrow_extent extent_narrowed(struct extent r)
{
	return (struct narrow_extent){ float_below(r.low), -float_below(-r.high) };
}

static inline struct extent extent_widened(struct narrow_extent r)
{
	return (struct extent){ (double)r.low, (double)r.high };
}

struct some_blocks;
struct sketch {
	const struct extent *ranges; /* of a number, one a block; */
	const struct narrow_extent *narrow; /* or these, where `ranges` is NULL; */
	const uint8_t *can;         /* of a condition, CAN_… of each block; */
	size_t stride;              /* 0: or one for all of them */
	const struct some_blocks *told; /* of others nobody may read numbers, and truths are open; NULL: of all, as what is kept tells */
	bool is_rough;              /* of rounded arithmetic: a moment may lie outside of its range by a part in 10^12 */
	bool is_never;              /* not known at any time, for sure */
	double coverage;            /* of one number for a stretch of time: value.coverage */
};
static inline struct extent sketch_range(const struct sketch *s, size_t block)
{
	return s->ranges ? s->ranges[block * s->stride] : extent_widened(s->narrow[block * s->stride]);
}
static inline struct narrow_extent sketch_narrow_range(const struct sketch *s, size_t block)
{
	return s->ranges ? extent_narrowed(s->ranges[block * s->stride]) : s->narrow[block * s->stride];
}
static inline uint8_t sketch_can(const struct sketch *s, size_t block)
{
	return s->can[block * s->stride];
}
static inline bool is_decided(uint8_t can)
{
	return can == CAN_NO || can == CAN_YES || can == CAN_UNKNOWN;
}
/* The first of the entries behind i that is not as that; `end` where there is none. In a sketch most are as their neighbours. */
static inline size_t same_until(const uint8_t *can, size_t i, size_t end)
{
	const uint8_t one = can[i];
	const uint64_t all = one * UINT64_C(0x0101010101010101);
	uint64_t eight = all;

	for (; i + sizeof eight <= end && eight == all; i += sizeof eight)
		memcpy(&eight, can + i, sizeof eight);
	if (eight != all)
		i -= sizeof eight;
	while (i < end && can[i] == one)
		i++;
	return i;
}
/* The same of the blocks of a condition. */
static inline size_t sketch_same_until(const struct sketch *s, size_t block, size_t end)
{
	return s->stride ? same_until(s->can, block, end) : end;
}

/* The sketches of what rules ask of others, for each GPU; of the whole run. */
struct outlines;
/* NULL where it does not pay. `run` is the run's store. */
const struct outlines *outlines_new(struct arena *mem, struct store *run);
/* Are there any for who the store is of? Elsewhere each moment is looked at, in the plainest way. */
static inline bool has_sketches(const struct store *s)
{
	return s->outlines && s->vantage.scope == SCOPE_GPU;
}
/* That of a member of a set of GPUs; NULL where it is none, or nobody asks. */
const struct sketch *outline_of(const struct outlines *o, const struct entity *gpu, const struct term *of);
/* Have all members one? */
bool has_outlines(const struct outlines *o, const struct term *of);

/* Of a track, in the first unit of its dimension; of other blocks nothing is said. */
struct sketch sketch_track(struct arena *mem, const struct blocks *blocks, const struct track *t, const struct some_blocks *only);
/* Of terms that need no firing time, on the store's GPU; each made once, in `mem`, for those blocks that are asked. */
struct sketches;
struct sketches *sketches_new(struct arena *mem, struct store *s);
/* The same, and windows, which know of judged time alone, are left open. */
struct sketches *sketches_without_windows(struct arena *mem, struct store *s);
const struct sketch *sketch_of(struct sketches *k, const struct term *t);
/* The same if it was made for all blocks on the way to others; else NULL. */
const struct sketch *sketch_at_hand(struct sketches *k, const struct term *t);
/* In the blocks of some time, and open in others. */
const struct sketch *sketch_within(struct sketches *k, const struct term *t, struct spans time);
/* The same as far as it can be told without computing costly folds: some blocks may be left open that these would decide. */
const struct sketch *cheap_sketch_within(struct sketches *k, const struct term *t, struct spans time);
/*
 * What one number for a stretch of time lies in, as far as that can be told without computing what it is a fold of; false where that
 * can't be told.
 */
bool bounds_of_costly(struct sketches *k, const struct term *t, struct extent *out);

/* The truths of the decided blocks that some time touches; NO in the others. `within` is of the run and has a length. */
struct truths sketch_line(struct arena *mem, const struct sketch *s, const struct blocks *blocks, struct span within);

#endif
