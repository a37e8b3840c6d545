/*
 * sketch_folds.c - one number for a stretch of time lies between the values that it is of.
 *
 *     min(gpu.mem_used, 2 min)    59.8..60.1   59.9..60.1   59.9..60.2   59.8..60.0  GiB
 *     spread of it                0..0.4 GiB                             not the 8 GiB that a growth would be
 *
 * That takes no look at any moment, while the number itself takes one at each of all time. Only where all of it is known: else it might not
 * be known itself.
 */
#include "rule/sketch_parts.h"

/* What it looks at, in all judged time; false where some of that may not be known. */
static bool judged_range(struct sketches *k, const struct term *t, const struct sketch *of, struct extent *out)
{
	const struct spans *const judged = &k->store->plan->times[t->time].spans;
	struct extent all = nothing;

	for (size_t i = 0, next = 0; i < k->blocks->n && !is_anything(all); i++)
		if (judged_of(judged, &next, block_span(k->blocks, i)))
			all = joined_range(all, sketch_range(of, i));
	*out = all;
	return all.low <= all.high && !is_anything(all);
}

/* Of anything else it takes long, and tells little: what a product lies in is wide. */
static bool is_window_of_metric(const struct term *t)
{
	return t->kind == NODE_ROLLING && t->left->kind == NODE_METRIC;
}

bool fold_range(struct sketches *k, const struct term *t, struct sketch *out)
{
	const bool is_spread = t->fold == FOLD_SPREAD, is_within = fold_keeps_one(t->fold) && t->fold != FOLD_SUM;
	struct extent r;

	if (t->where != WHERE_JUDGED || !is_window_of_metric(t->left) || !(is_spread || is_within))
		return false;
	const struct sketch *const of = sketch_in(k, t->left, k->all);
	if (!judged_range(k, t, of, &r))
		return false;
	struct extent *const only = NEW(k->mem, struct extent);
	*only = is_spread ? (struct extent){ 0, r.high - r.low } : r;
	*out = (struct sketch){ .ranges = only, .is_rough = of->is_rough || t->fold == FOLD_MEAN };
	return true;
}
