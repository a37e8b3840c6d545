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

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Which truths a < b can have, or a <= b. */
static uint8_t can_be_less(struct extent a, struct extent b, bool or_equal)
{
	const bool yes = or_equal ? a.low <= b.high : a.low < b.high;
	const bool no = or_equal ? a.high > b.low : a.high >= b.low;

	return (uint8_t)((yes ? CAN_YES : 0) | (no ? CAN_NO : 0));
}

_Static_assert(CAN_NO << 1 == CAN_YES && CAN_YES << 1 == CAN_UNKNOWN, "shifts make one of the other");

static uint64_t inverted(uint64_t can)
{
	return (can & ALL_UNKNOWN) | (can & ALL_YES) >> 1 | (can & ALL_NO) << 1;
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
		return (uint8_t)inverted(can_be_equal(a, b));
	}
	BUG("no such comparison");
}

/* ------ with one number for all time, as nearly always ------ */

/* Ranges that begin no higher than `low` can be `by_low`, those that end no lower than `high` can be `by_high`; inclusive. */
struct edges {
	float low, high;
	int32_t by_low, by_high;
};

static float float_less(double number)
{
	const float below = float_below(number);

	return (double)below < number ? below : nextafterf(below, -INFINITY);
}

static struct edges edges_of(enum comparison how, struct extent limit)
{
	const bool is_less = how == LESS || how == LESS_EQUAL, is_low_below = how == LESS || how == GREATER_EQUAL;

	return (struct edges){
		.low = is_low_below ? float_less(limit.high) : float_below(limit.high),
		.high = is_low_below ? -float_below(-limit.low) : -float_less(-limit.low),
		.by_low = is_less ? CAN_YES : CAN_NO,
		.by_high = is_less ? CAN_NO : CAN_YES,
	};
}

typedef float four __attribute__((vector_size(16)));
typedef int32_t four_whole __attribute__((vector_size(16)));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOWER_HALVES 1, 3, 5, 7, 9, 11, 13, 15
#else
#define LOWER_HALVES 0, 2, 4, 6, 8, 10, 12, 14
#endif
typedef int16_t eight_halves __attribute__((vector_size(16)));
typedef uint8_t eight_truths __attribute__((vector_size(8)));

/* Far more than roughly() asks for, and than floats lose. */
#define ROUGHLY_OF_FLOATS 2.5e-7F
static inline four rough_part(four low, four high)
{
	const four_whole sign = (four_whole)(four){ -0.0F, -0.0F, -0.0F, -0.0F };

	return ((four)((four_whole)low & ~sign) + (four)((four_whole)high & ~sign)) * ROUGHLY_OF_FLOATS;
}

static inline four_whole four_compared(const struct narrow_extent *ranges, const struct edges *e, bool is_rough)
{
	four first, next;

	memcpy(&first, ranges, sizeof first);
	memcpy(&next, ranges + 2, sizeof next);
	four low = __builtin_shufflevector(first, next, 0, 2, 4, 6), high = __builtin_shufflevector(first, next, 1, 3, 5, 7);
	const four_whole is_any = (low <= -INFINITY) & (high >= INFINITY);
	if (is_rough) {
		const four more = rough_part(low, high);
		low -= more;
		high += more;
	}
	return ((low <= e->low) & e->by_low) | ((high >= e->high) & e->by_high) | (is_any & CAN_ALL);
}

static inline void eight_compared(uint8_t *can, const struct narrow_extent *ranges, const struct edges *e, bool is_rough)
{
	const four_whole a = four_compared(ranges, e, is_rough), b = four_compared(ranges + 4, e, is_rough);
	const eight_halves both = __builtin_shufflevector((eight_halves)a, (eight_halves)b, LOWER_HALVES);
	const eight_truths bytes = __builtin_convertvector(both, eight_truths);

	memcpy(can, &bytes, sizeof bytes);
}

static inline void eights_compared(uint8_t *can, const struct narrow_extent *ranges, size_t n, const struct edges *e, bool is_rough)
{
	for (size_t i = 0; i < n; i += 8)
		eight_compared(can + i, ranges + i, e, is_rough);
}

/* Those that are left are compared as a part of eight. */
static void compare_with_one(uint8_t *can, const struct narrow_extent *ranges, size_t n, const struct edges *e, bool is_rough)
{
	const size_t n_eights = n / 8 * 8;
	struct narrow_extent rest[8] = { { 0 } };
	uint8_t can_rest[8];

	if (is_rough)
		eights_compared(can, ranges, n_eights, e, true);
	else
		eights_compared(can, ranges, n_eights, e, false);
	memcpy(rest, ranges + n_eights, (n - n_eights) * sizeof *rest);
	eight_compared(can_rest, rest, e, is_rough);
	memcpy(can + n_eights, can_rest, n - n_eights);
}

static bool is_order(enum comparison how)
{
	return how != EQUAL && how != NOT_EQUAL;
}

static struct sketch compare_sketches(struct sketches *k, const struct sketch *a, enum comparison how, const struct sketch *b)
{
	const size_t stride = a->stride | b->stride, n = stride ? k->blocks->n : 1;
	const bool is_rough = a->is_rough || b->is_rough;
	uint8_t *const can = truths_room(k, n);
	const struct some_blocks some = places(k, stride);
	const bool is_with_one = a->stride && !a->ranges && !b->stride && is_order(how) && !is_anything(sketch_range(b, 0));
	const struct edges edges = is_with_one ? edges_of(how, sketch_range(b, 0)) : (struct edges){ .low = 0 };

	for (size_t s = 0; s < some.n && is_with_one; s++) {
		const struct stretch at = some.at[s];
		compare_with_one(can + at.first, a->narrow + at.first, at.end - at.first, &edges, is_rough);
	}
	for (size_t s = 0; s < some.n && !is_with_one; s++)
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

/* Kleene's tables, for sets of truths: unknown and anything but NO, which is decisive, can be unknown. */
static inline uint64_t both(uint64_t a, uint64_t b)
{
	return (a & b & ALL_YES) | ((a | b) & ALL_NO) | (((a & (b | b << 1)) | (b & (a | a << 1))) & ALL_UNKNOWN);
}

static inline uint64_t either(uint64_t a, uint64_t b)
{
	return (a & b & ALL_NO) | ((a | b) & ALL_YES) | (((a & (b | b << 2)) | (b & (a | a << 2))) & ALL_UNKNOWN);
}

/* `is_and`: else `or`. */
static inline uint64_t joined(uint64_t a, uint64_t b, bool is_and)
{
	return is_and ? both(a, b) : either(a, b);
}

static void join_blocks(uint8_t *can, const struct sketch *a, const struct sketch *b, struct stretch at, bool is_and)
{
	size_t i = at.first;

	for (uint64_t eight; i + sizeof eight <= at.end; i += sizeof eight) {
		eight = joined(eight_from(a, i), eight_from(b, i), is_and);
		memcpy(can + i, &eight, sizeof eight);
	}
	for (; i < at.end; i++)
		can[i] = (uint8_t)joined(sketch_can(a, i), sketch_can(b, i), is_and);
}

/* The lowest bit of each of eight truths that are anything but this; 0: that are not decided, which is that they are one alone. */
static inline uint64_t eight_unsettled(uint64_t can, uint8_t decisive)
{
	const uint64_t other = can ^ decisive * EACH_OF_EIGHT, a = can & ALL_NO, b = can >> 1 & ALL_NO, c = can >> 2 & ALL_NO;

	return decisive ? (other | other >> 1 | other >> 2) & ALL_NO : ((a ^ b ^ c) & ~(a & b)) ^ ALL_NO;
}

#ifdef __SSE2__
enum { BLOCKS_AT_ONCE = 16 };

/* The same of sixteen blocks from one on, a bit for each. */
static inline uint64_t bits_at_once(const uint8_t *can, uint8_t decisive)
{
	const __m128i all = _mm_loadu_si128((const __m128i *)(const void *)can);
	__m128i settled = _mm_cmpeq_epi8(all, _mm_set1_epi8((char)(decisive ? decisive : CAN_NO)));

	if (!decisive) {
		settled = _mm_or_si128(settled, _mm_cmpeq_epi8(all, _mm_set1_epi8(CAN_YES)));
		settled = _mm_or_si128(settled, _mm_cmpeq_epi8(all, _mm_set1_epi8(CAN_UNKNOWN)));
	}
	return (unsigned)_mm_movemask_epi8(settled) ^ 0xFFFFU;
}
#else
enum { BLOCKS_AT_ONCE = 8 };

static inline uint64_t bits_at_once(const uint8_t *can, uint8_t decisive)
{
	uint64_t eight;

	memcpy(&eight, can, sizeof eight);
	return eight_unsettled(eight, decisive) * UINT64_C(0x0102040810204080) >> 56; /* moves the lowest bit of byte i to bit 56 + i */
}
#endif

/* The same of n blocks, 64 at most, the first one's bit the lowest. */
static uint64_t unsettled_bits(const uint8_t *can, size_t n, uint8_t decisive)
{
	uint64_t bits = 0;
	size_t i = 0;

	for (; i + BLOCKS_AT_ONCE <= n; i += BLOCKS_AT_ONCE)
		bits |= bits_at_once(can + i, decisive) << i;
	for (; i < n; i++)
		bits |= eight_unsettled(can[i], decisive) % 2 << i;
	return bits;
}

/* Of blocks [at.first, at.end) those that can be anything but this, behind the n that there are. */
static size_t list_unsettled(const uint8_t *can, uint8_t decisive, struct stretch at, size_t n, struct stretch *out)
{
	uint64_t was_open = 0;

	for (size_t i = at.first; i < at.end; i += 64) {
		const uint64_t open = unsettled_bits(can + i, at.end - i < 64 ? at.end - i : 64, decisive);
		for (uint64_t turns = open ^ (open << 1 | was_open); turns; turns &= turns - 1) {
			const size_t k = (size_t)__builtin_ctzll(turns);
			if (open >> k & 1)
				out[n++].first = i + k;
			else
				out[n - 1].end = i + k;
		}
		was_open = open >> 63;
	}
	if (was_open)
		out[n - 1].end = at.end;
	return n;
}

/* The wanted blocks in which a sketch is anything but this; 0: in which it is not decided. */
static const struct some_blocks *unsettled(const struct sketches *k, const struct sketch *s, uint8_t decisive)
{
	static const struct some_blocks none = { NULL, 0 };
	const struct some_blocks *const wanted = k->wanted;

	if (!s->stride)
		return eight_unsettled(s->can[0], decisive) % 2 ? wanted : &none;
	struct some_blocks *const left = NEW(k->mem, struct some_blocks);
	const size_t room = (count_blocks(wanted) + wanted->n) / 2; /* of each stretch every second one, the first and the last, too */
	struct stretch *const at = NEW_RAW_ARRAY(k->mem, struct stretch, room);

	for (size_t j = 0; j < wanted->n; j++)
		left->n = list_unsettled(s->can, decisive, wanted->at[j], left->n, at);
	left->at = arena_array_cut(k->mem, at, room, left->n, sizeof *at);
	return count_blocks(left) == count_blocks(wanted) ? wanted : left;
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

/* The truth that decides it for both is settled, so that the other one is asked only where it is left open. */
static struct sketch sketch_joined(struct sketches *k, const struct term *t)
{
	const bool is_and = t->kind == NODE_AND;
	const uint8_t decisive = is_and ? CAN_NO : CAN_YES;
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
		can[0] = (uint8_t)joined(a->can[0], b->can[0], is_and);
	for (size_t j = 0; stride && j < left->n; j++)
		join_blocks(can, a, b, left->at[j], is_and);
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
			can[i] = (uint8_t)inverted(s.can[i]);
	s.can = can;
	s.told = told_of(k);
	return s;
}

/* ------ any condition ------ */

static struct sketch sketch_rows_or_joined(struct sketches *k, const struct term *t)
{
	struct sketch s;

	return k->is_row_look && sketch_by_rows(k, t, &s) ? s : sketch_joined(k, t);
}

/* Where the look before this one does not decide it. */
static struct sketch sketch_closer(struct sketches *k, const struct term *t)
{
	const struct sketch *const before = sketch_in(k->is_row_look || !joins_rows(t) ? first_look(k) : row_look(k), t, k->wanted);
	const struct some_blocks *const wanted = k->wanted, *const open = unsettled(k, before, 0);

	if (!open->n || (k->is_row_look && (!joins_rows(t) || !rows_pay(k, open))))
		return *before;
	k->wanted = open;
	const struct sketch closer = sketch_rows_or_joined(k, t);
	k->wanted = wanted;
	if (open == wanted || !closer.stride)
		return closer;
	uint8_t *const can = truths_room(k, k->blocks->n);
	copy_truths(can, before, wanted);
	copy_truths(can, &closer, open);
	return (struct sketch){ .can = can, .stride = 1, .told = told_of(k), .is_never = closer.is_never };
}

/* Of fewer blocks a first look takes as long as all. */
enum { LEAST_TO_LOOK_FIRST = 64 };

static bool is_closer_look(const struct sketches *k)
{
	return (k->is_row_look || !k->is_first_look) && k->blocks->n >= LEAST_TO_LOOK_FIRST;
}

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
		return is_closer_look(k) ? sketch_closer(k, t) : sketch_joined(k, t);
	}
}
