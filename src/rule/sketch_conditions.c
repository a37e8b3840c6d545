/*
 * sketch_conditions.c - which truths a condition can have in each block.
 *
 *     gpu.util >= 99 %              no    ?    no    no    ?    ?        asked everywhere
 *     mean(power, 1 min) < 250 W         no               no    ?        asked where the first leaves it open
 *     both                          no   no    no    no   no    ?
 *
 * What joins conditions is looked at twice in a long run: at first with all that costs little, then where that left it open.
 */
#include "rule/sketch_parts.h"

/* Blocks that nobody asks for are open. */
static uint8_t *truths_room(struct sketches *k, size_t n)
{
	uint8_t *const can = NEW_RAW_ARRAY(k->mem, uint8_t, n);

	return told_of(k) ? memset(can, CAN_ALL, n) : can;
}

/* Which truths a < b can have, or a <= b. */
static uint8_t can_be_less(struct extent a, struct extent b, bool or_equal)
{
	const bool yes = or_equal ? a.low <= b.high : a.low < b.high;
	const bool no = or_equal ? a.high > b.low : a.high >= b.low;

	return (uint8_t)((yes ? CAN_YES : 0) | (no ? CAN_NO : 0));
}

static uint8_t inverted(uint8_t can)
{
	return (uint8_t)((can & CAN_UNKNOWN) | (can & CAN_YES ? CAN_NO : 0) | (can & CAN_NO ? CAN_YES : 0));
}

static uint8_t can_be_equal(struct extent a, struct extent b)
{
	if (a.high < b.low || b.high < a.low)
		return CAN_NO;
	return a.low == a.high && b.low == b.high ? CAN_YES : CAN_YES | CAN_NO;
}

static uint8_t can_be(struct extent a, enum comparison how, struct extent b)
{
	if (is_anything(a) || is_anything(b))
		return CAN_ALL;
	switch (how) {
	case LESS:
	case LESS_EQUAL:
		return can_be_less(a, b, how == LESS_EQUAL);
	case GREATER:
	case GREATER_EQUAL:
		return can_be_less(b, a, how == GREATER_EQUAL);
	case EQUAL:
		return can_be_equal(a, b);
	case NOT_EQUAL:
		return inverted(can_be_equal(a, b));
	}
	BUG("no such comparison");
}

static struct sketch compare_sketches(struct sketches *k, const struct sketch *a, enum comparison how, const struct sketch *b)
{
	const size_t stride = a->stride | b->stride, n = stride ? k->blocks->n : 1;
	const bool is_rough = a->is_rough || b->is_rough;
	uint8_t *const can = truths_room(k, n);
	const struct some_blocks some = places(k, stride);

	for (size_t s = 0; s < some.n; s++)
		for (size_t i = some.at[s].first; i < some.at[s].end; i++)
			can[i] = can_be(roughly(sketch_range(a, i), is_rough), how, sketch_range(b, i));
	return (struct sketch){ .can = can, .stride = stride, .told = told_of(k) };
}

static struct sketch sketch_compared(struct sketches *k, const struct term *t)
{
	const struct sketch *const a = sketch_of(k, t->left);

	if (k->is_first_look && !a->stride && is_anything(a->ranges[0]))
		return not_told(k->mem, t);
	const struct sketch *const b = sketch_of(k, t->right);
	if (a->is_never || b->is_never)
		return never_known(k->mem, t);
	return compare_sketches(k, a, t->comparison, b);
}

/* A flag is set where the metric is above 0. */
static struct sketch sketch_flag(struct sketches *k, const struct term *t)
{
	const struct track *const track = vantage_track(&k->store->vantage, t->metric);
	const struct sketch zero = { .ranges = &(const struct extent){ 0, 0 } };

	return track ? compare_sketches(k, track_sketched(k->store, track), GREATER, &zero) : never_known(k->mem, t);
}

/* Kleene's tables, for sets of truths. */
static uint8_t both(uint8_t a, uint8_t b)
{
	const uint8_t not_no = CAN_YES | CAN_UNKNOWN;

	return (uint8_t)((a & b & CAN_YES) | ((a | b) & CAN_NO)
		| (((a & CAN_UNKNOWN) && (b & not_no)) || ((b & CAN_UNKNOWN) && (a & not_no)) ? CAN_UNKNOWN : 0));
}

static uint8_t either(uint8_t a, uint8_t b)
{
	return inverted(both(inverted(a), inverted(b)));
}

static bool is_settled(uint8_t can, uint8_t decisive)
{
	return decisive ? can == decisive : is_decided(can);
}

/* The wanted blocks in which a sketch is anything but this; 0: in which it is not decided. */
static const struct some_blocks *unsettled(const struct sketches *k, const struct sketch *s, uint8_t decisive)
{
	const struct some_blocks *const wanted = k->wanted, places_of = places(k, s->stride);
	struct some_blocks *const left = NEW(k->mem, struct some_blocks);
	size_t n_settled = 0, n_parts = 0;

	for (size_t j = 0; j < places_of.n; j++) {
		bool was_settled = true;
		for (size_t i = places_of.at[j].first; i < places_of.at[j].end; i++) {
			const bool is_one = is_settled(s->can[i], decisive);
			n_settled += is_one;
			n_parts += was_settled && !is_one;
			was_settled = is_one;
		}
	}
	if (!n_settled)
		return wanted;
	struct stretch *const at = NEW_RAW_ARRAY(k->mem, struct stretch, n_parts);
	for (size_t j = 0; j < wanted->n && n_parts; j++)
		for (size_t i = wanted->at[j].first; i < wanted->at[j].end; i++) {
			if (is_settled(s->can[i], decisive))
				continue;
			if (i == wanted->at[j].first || is_settled(s->can[i - 1], decisive))
				at[left->n++].first = i;
			at[left->n - 1].end = i + 1;
		}
	left->at = at;
	return left;
}

static void copy_truths(uint8_t *can, const struct sketch *s, const struct some_blocks *blocks)
{
	for (size_t j = 0; j < blocks->n; j++) {
		const struct stretch at = blocks->at[j];
		if (s->stride)
			memcpy(can + at.first, s->can + at.first, at.end - at.first);
		else
			memset(can + at.first, s->can[0], at.end - at.first);
	}
}

static bool is_later(const struct term *a, const struct term *b)
{
	return a->has_costly_fold != b->has_costly_fold ? a->has_costly_fold : a->windows_first > b->windows_first;
}

/* `decisive`: the truth that decides it for both, so that the other one is asked only where it is left open. */
static struct sketch sketch_joined(struct sketches *k, const struct term *t, uint8_t (*how)(uint8_t, uint8_t), uint8_t decisive)
{
	const bool is_left_later = is_later(t->left, t->right);
	const struct sketch of_any = { .can = (const uint8_t[]){ CAN_ALL } };
	const struct sketch *const a = sketch_of(k, is_left_later ? t->right : t->left);
	const struct some_blocks *const left = unsettled(k, a, decisive);
	const struct sketch *const b = left->n ? sketch_in(k, is_left_later ? t->left : t->right, left) : &of_any;
	const size_t stride = a->stride | b->stride, n = stride ? k->blocks->n : 1;
	uint8_t *const can = truths_room(k, n);

	if (stride)
		copy_truths(can, a, k->wanted);
	else
		can[0] = how(a->can[0], b->can[0]);
	for (size_t j = 0; stride && j < left->n; j++)
		for (size_t i = left->at[j].first; i < left->at[j].end; i++)
			can[i] = how(sketch_can(a, i), sketch_can(b, i));
	return (struct sketch){ .can = can, .stride = stride, .told = told_of(k), .is_never = a->is_never && b->is_never };
}

static struct sketch sketch_inverted(struct sketches *k, const struct term *t)
{
	struct sketch s = *sketch_of(k, t->left);
	const size_t n = s.stride ? k->blocks->n : 1;
	uint8_t *const can = truths_room(k, n);
	const struct some_blocks some = places(k, s.stride);

	for (size_t j = 0; j < some.n; j++)
		for (size_t i = some.at[j].first; i < some.at[j].end; i++)
			can[i] = inverted(s.can[i]);
	s.can = can;
	s.told = told_of(k);
	return s;
}

/* ------ any condition ------ */

static struct sketch sketch_at_once(struct sketches *k, const struct term *t)
{
	return t->kind == NODE_AND ? sketch_joined(k, t, both, CAN_NO) : sketch_joined(k, t, either, CAN_YES);
}

/* Where a first look does not decide it. */
static struct sketch sketch_closer(struct sketches *k, const struct term *t)
{
	const struct sketch *const first = sketch_in(first_look(k), t, k->wanted);
	const struct some_blocks *const wanted = k->wanted, *const open = unsettled(k, first, 0);

	if (!open->n)
		return *first;
	k->wanted = open;
	const struct sketch closer = sketch_at_once(k, t);
	k->wanted = wanted;
	if (open == wanted || !closer.stride)
		return closer;
	uint8_t *const can = truths_room(k, k->blocks->n);
	copy_truths(can, first, wanted);
	copy_truths(can, &closer, open);
	return (struct sketch){ .can = can, .stride = 1, .told = told_of(k), .is_never = closer.is_never };
}

/* Of fewer blocks a first look takes as long as all. */
enum { LEAST_TO_LOOK_FIRST = 64 };

struct sketch sketch_condition(struct sketches *k, const struct term *t)
{
	switch (t->kind) {
	case NODE_COMPARE:
		return sketch_compared(k, t);
	case NODE_NOT:
		return sketch_inverted(k, t);
	case NODE_HAS:
		return sketch_flag(k, t);
	default:
		return k->is_first_look || k->blocks->n < LEAST_TO_LOOK_FIRST ? sketch_at_once(k, t) : sketch_closer(k, t);
	}
}
