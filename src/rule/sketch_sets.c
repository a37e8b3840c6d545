/*
 * sketch_sets.c - what folds over sets of GPUs can be in each block.
 *
 *     any of others(waits)        GPU 0    GPU 1    GPU 2    GPU 3        of four, two can wait here
 *                                  no      can       no      can
 *     seen from GPU 1              no               no      can           one of the others
 *
 * What all of them can be is counted once for the run (outlines.c); what is left without one is a subtraction, so that 512 GPUs cost each
 * of them no more than two do.
 */
#include "rule/sketch_parts.h"

/* The members of a set as one of them sees it, or as the run does: then `own` is NULL. */
struct crowd {
	const struct set_outline *all;
	const struct sketch *own; /* of all, not a member */
	size_t n;
};

/* The facts of one of the members at least: where the own has one, only two of all say that another one has it. */
static uint64_t facts_of_others(uint64_t one, uint64_t two, uint64_t own)
{
	return (one & ~own) | two;
}

/* Of eight blocks, or of one. */
static uint64_t can_be_any(uint64_t facts)
{
	const uint64_t is_sure = (facts / ONLY_YES & ALL_NO) * UINT8_MAX, never_no = facts / NEVER_NO & ALL_NO;
	const uint64_t can = (facts & (ALL_YES | ALL_UNKNOWN)) | (never_no ^ ALL_NO) * CAN_NO;

	return (can & ~is_sure) | (is_sure & ALL_YES);
}

static uint64_t can_be_all(uint64_t facts)
{
	const uint64_t is_sure = (facts / ONLY_NO & ALL_NO) * UINT8_MAX, never_yes = facts / NEVER_YES & ALL_NO;
	const uint64_t can = (facts & (ALL_NO | ALL_UNKNOWN)) | (never_yes ^ ALL_NO) * CAN_YES;

	return (can & ~is_sure) | (is_sure & ALL_NO);
}

static struct sketch truth_of_crowd(struct sketches *k, const struct term *t, const struct crowd *c)
{
	uint8_t *const can = NEW_RAW_ARRAY(k->mem, uint8_t, k->blocks->n);
	uint64_t (*const how)(uint64_t) = t->fold == FOLD_ALL ? can_be_all : can_be_any;
	size_t i = 0;

	for (uint64_t one, two, eight; i + sizeof eight <= k->blocks->n; i += sizeof eight) {
		memcpy(&one, c->all->one + i, sizeof one);
		memcpy(&two, c->all->two + i, sizeof two);
		eight = how(facts_of_others(one, two, c->own ? facts_of(eight_from(c->own, i)) : 0));
		memcpy(can + i, &eight, sizeof eight);
	}
	for (; i < k->blocks->n; i++)
		can[i] = (uint8_t)how(facts_of_others(c->all->one[i], c->all->two[i], c->own ? facts_of(sketch_can(c->own, i)) : 0));
	return (struct sketch){ .can = can, .stride = 1 };
}

/* How many, or which share of them. */
static struct sketch count_of_crowd(struct sketches *k, const struct term *t, const struct crowd *c)
{
	const double factor = t->fold == FOLD_SHARE ? 100 / (double)c->n : 1;
	struct extent *const at = NEW_RAW_ARRAY(k->mem, struct extent, k->blocks->n);

	for (size_t i = 0; i < k->blocks->n; i++) {
		const uint8_t own = c->own ? sketch_can(c->own, i) : 0;
		const uint64_t facts = facts_of_others(c->all->one[i], c->all->two[i], own);
		const struct counts *const n = &c->all->counts[i];
		const uint32_t sure = n->only_yes - (own == CAN_YES), most = n->can_yes - ((own & CAN_YES) != 0);
		at[i] = facts & CAN_UNKNOWN ? anything : (struct extent){ sure * factor, most * factor };
	}
	return (struct sketch){ .ranges = at, .stride = 1, .is_rough = t->fold == FOLD_SHARE };
}

/* The outermost of the others: the second where the own is the first. */
static double of_others(const struct crowd *c, size_t block, enum outermost which, const double *own)
{
	const struct bound_of_set b = c->all->bounds[which][block];
	const double sign = which == HIGHEST_LOW || which == HIGHEST_HIGH ? -1 : 1, first = sign * (double)b.first;

	return own && *own == first ? sign * (double)b.second : first;
}

/* Whatever lies between the lowest and the highest of all, as percentiles and means do, but for the highest and the lowest themselves. */
static struct extent numbers_of_crowd(const struct crowd *c, size_t block, enum fold fold)
{
	const struct extent mine = c->own ? sketch_range(c->own, block) : anything;
	const bool own_is_anything = c->own && is_anything(mine);
	const double *const low = c->own ? &mine.low : NULL, *const high = c->own ? &mine.high : NULL;

	if (c->all->n_anything[block] - own_is_anything > 0)
		return anything;
	const bool has_own = c->own && !own_is_anything;
	const struct extent r = {
		of_others(c, block, low_asked(fold), has_own ? low : NULL),
		of_others(c, block, high_asked(fold), has_own ? high : NULL),
	};
	if (fold == FOLD_SPREAD || fold == FOLD_STDDEV)
		return (struct extent){ 0, r.high - r.low };
	return fold == FOLD_SUM ? (struct extent){ fmin(r.low * (double)c->n, r.low), fmax(r.high * (double)c->n, r.high) } : r;
}

/*
 * Rows of one poll count as one moment, so that a block may show what is in the first rows of the next one, or in the last of the one
 * before.
 */
static struct extent with_neighbours(const struct extent *at, size_t n, size_t i)
{
	struct extent r = at[i];

	if (i > 0)
		r = joined_range(r, at[i - 1]);
	return i + 1 < n ? joined_range(r, at[i + 1]) : r;
}

static struct sketch number_of_crowd(struct sketches *k, const struct term *t, const struct crowd *c)
{
	const size_t n = k->blocks->n;
	struct extent *const own = NEW_RAW_ARRAY(k->mem, struct extent, n), *const at = NEW_RAW_ARRAY(k->mem, struct extent, n);

	for (size_t i = 0; i < n; i++)
		own[i] = numbers_of_crowd(c, i, t->fold);
	for (size_t i = 0; i < n; i++)
		at[i] = with_neighbours(own, n, i);
	return (struct sketch){ .ranges = at, .stride = 1, .is_rough = true };
}

static struct sketch any_of_crowd(struct sketches *k, const struct term *t, const struct crowd *c)
{
	if (!t->left->is_condition)
		return number_of_crowd(k, t, c);
	return t->fold == FOLD_ANY || t->fold == FOLD_ALL ? truth_of_crowd(k, t, c) : count_of_crowd(k, t, c);
}

bool is_outlined_set(const struct sketches *k, const struct term *t)
{
	const struct outlines *const o = k->store->outlines;
	const struct set_outline *const set = is_set_of_gpus(t) && o ? set_outline_of(o, t->left) : NULL;

	if (!set)
		return is_set_of_gpus(t) && o && is_of_nobody(k->store->plan->run, t);
	return tells_fold(set, t->left->is_condition, t->fold);
}

struct sketch sketch_across(struct sketches *k, const struct term *t)
{
	const struct outlines *const o = k->store->outlines;

	if (!is_outlined_set(k, t))
		return k->is_first_look ? not_told(k->mem, t) : sketch_value(k, t);
	if (is_of_nobody(k->store->plan->run, t))
		return sketch_value(k, t);
	const struct set_outline *const all = set_outline_of(o, t->left);
	const struct sketch *const own = t->reach == REACH_OTHER_GPUS ? outline_of(o, k->store->vantage.entity, t->left) : NULL;
	const struct crowd c = { all, own, all->n - (own != NULL) };
	return c.n ? any_of_crowd(k, t, &c) : sketch_value(k, t); /* or there is nobody else */
}
