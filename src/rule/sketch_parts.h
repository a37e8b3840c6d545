/* sketch_parts.h - what the files of sketches share. For them only. */
#ifndef POSTRUN_SKETCH_PARTS_H
#define POSTRUN_SKETCH_PARTS_H

#include "rule/sketch.h"

#include <math.h>

struct sketches {
	struct arena *mem;
	struct store *store;
	const struct blocks *blocks;
	const struct sketch **done; /* by term id */
};

static const struct extent anything = { -INFINITY, INFINITY };

static inline bool is_anything(struct extent r)
{
	return r.low == -INFINITY && r.high == INFINITY;
}

static inline struct extent joined_range(struct extent a, struct extent b)
{
	return (struct extent){ b.low < a.low ? b.low : a.low, b.high > a.high ? b.high : a.high };
}

/* `coverage`: of the folds in it. */
struct sketch never_known(struct arena *mem, const struct term *t, double coverage);
struct sketch not_told(struct arena *mem, const struct term *t, double coverage);

/* Of a fold over a window that moves: right at the moments that are judged, and nothing is said of others. sketch_windows.c */
struct sketch sketch_rolling(struct sketches *k, const struct term *t);

#endif
