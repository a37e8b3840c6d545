/*
 * expression_always.c - conditions that can only come out one way, whatever is logged.
 *
 *     gpu.util > 100 %                        never: a share of time has its bounds (catalogue.def)
 *     gpu.util < 20 % and gpu.util > 80 %     never: no value is in both
 *     gpu.util < 80 % or gpu.util > 20 %      always: no value is in neither
 *
 * Numbers become the range of values that they can have, through arithmetic and folds; nothing is known of how two
 * metrics go together, so a range may be wider than the truth, never narrower. In a chain of `and` every two parts
 * that bound the same subexpression are compared; more is not needed, because of intervals that overlap in pairs all overlap.
 * A chain of `or` is always YES when the chain of the opposites never is.
 */
#include "rule/expression.h"

#include <math.h>

#define CHAIN_MAX 64 /* parts of a chain that are compared with each other; none written by hand has more */

static const struct range anything = { (double)-INFINITY, (double)INFINITY };

static enum truth always(const struct expression *e);
static struct range range_of(const struct expression *e);

/* ------ arithmetic ------ */

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Nothing times an unbounded value is nothing, since no value is infinite. */
static double times(double a, double b)
{
	return fabs(a) > 0 && fabs(b) > 0 ? a * b : 0;
}

static double over(double a, double b)
{
	return isinf(b) ? 0 : a / b;
}

static struct range around(double a, double b, double c, double d)
{
	return (struct range){ smaller(smaller(a, b), smaller(c, d)), larger(larger(a, b), larger(c, d)) };
}

static struct range product(struct range a, struct range b)
{
	return around(times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high));
}

/* What is divided by 0 is not known, so 0 itself need not be looked at. */
static struct range quotient(struct range a, struct range b)
{
	if (b.low > 0 || b.high < 0)
		return around(over(a.low, b.low), over(a.low, b.high), over(a.high, b.low), over(a.high, b.high));
	if (b.low < 0 || !(b.high > 0))
		return anything;
	return (struct range){ a.low < 0 ? (double)-INFINITY : over(a.low, b.high), a.high > 0 ? (double)INFINITY : over(a.high, b.high) };
}

static struct range scaled(struct range r, double factor)
{
	return product(r, (struct range){ factor, factor });
}

/* ------ folds ------ */

/* A share of time or of members: all or nothing when the condition is always the same. */
static struct range share_of(const struct expression *condition)
{
	const enum truth truth = always(condition);

	return (struct range){ truth == YES ? 100 : 0, truth == NO ? 0 : 100 };
}

/* Of any number of values, or of a value over any time, at least one of them: only the sign is known. */
static struct range summed(struct range r)
{
	return (struct range){ r.low < 0 ? (double)-INFINITY : r.low, r.high > 0 ? (double)INFINITY : r.high };
}

static struct range folded(const struct expression *e)
{
	const struct range inner = e->left->is_condition ? (struct range){ 0, 1 } : range_of(e->left);

	switch (e->fold) {
	case FOLD_SPREAD:
		return (struct range){ 0, inner.high - inner.low };
	case FOLD_STDDEV:
		return (struct range){ 0, (inner.high - inner.low) / 2 };
	case FOLD_SHARE:
		return share_of(e->left);
	case FOLD_SUM:
		return summed(inner);
	case FOLD_TOTAL:
		return (struct range){ inner.low < 0 ? (double)-INFINITY : 0, inner.high > 0 ? (double)INFINITY : 0 };
	case FOLD_RATE:
	case FOLD_DELTA:
	case FOLD_CHANGES:
	case FOLD_COUNT:
		return (struct range){ 0, (double)INFINITY };
	case FOLD_SLOPE:
		return anything;
	default:
		return inner; /* a value among the values, or between them */
	}
}

/* ref() is a usual value, or all of a share when there is none. */
static struct range reference(const struct expression *e)
{
	struct range r = range_of(e->left);

	if (e->dimension == DIM_SHARE)
		r.high = larger(r.high, 100);
	return r;
}

static struct range range_of(const struct expression *e)
{
	const struct range left = e->left && e->kind != NODE_ROLLING && e->kind != NODE_FOLD && e->kind != NODE_ACROSS
		? range_of(e->left) : anything;
	const struct range right = e->right ? range_of(e->right) : anything;
	const struct metric_row *const metric = &metric_table[e->metric];

	switch (e->kind) {
	case NODE_NUMBER:
		return (struct range){ e->number, e->number };
	case NODE_METRIC:
		return scaled((struct range){ metric->low, metric->high }, unit_table[metric->unit].factor);
	case NODE_NEGATE:
		return (struct range){ -left.high, -left.low };
	case NODE_ADD:
		return (struct range){ left.low + right.low, left.high + right.high };
	case NODE_SUBTRACT:
		return (struct range){ left.low - right.high, left.high - right.low };
	case NODE_MULTIPLY:
		return scaled(product(left, right), e->factor);
	case NODE_DIVIDE:
		return scaled(quotient(left, right), e->factor);
	case NODE_REF:
		return reference(e);
	case NODE_ROLLING:
	case NODE_FOLD:
	case NODE_ACROSS:
		return folded(e);
	default:
		return anything;
	}
}

/* ------ comparisons ------ */

static enum truth decided(bool yes, bool no)
{
	return yes ? YES : no ? NO : UNKNOWN;
}

static enum truth compared(struct range a, enum comparison how, struct range b)
{
	const bool apart = a.high < b.low || a.low > b.high, one = a.low >= b.high && a.high <= b.low;

	switch (how) {
	case LESS:
		return decided(a.high < b.low, a.low >= b.high);
	case LESS_EQUAL:
		return decided(a.high <= b.low, a.low > b.high);
	case GREATER:
		return decided(a.low > b.high, a.high <= b.low);
	case GREATER_EQUAL:
		return decided(a.low >= b.high, a.high < b.low);
	case EQUAL:
		return decided(one, apart);
	case NOT_EQUAL:
		return decided(apart, one);
	}
	BUG("a comparison that is none");
}

static enum truth always_compared(const struct expression *e)
{
	static const struct range same = { 0, 0 };

	if (expression_same(e->left, e->right))
		return compared(same, e->comparison, same);
	return compared(range_of(e->left), e->comparison, range_of(e->right));
}

/* ------ chains ------ */

struct part {
	const struct expression *e;
	bool negated;
};
struct chain {
	struct part at[CHAIN_MAX];
	size_t n;
	enum truth truth; /* what its parts alone make of it */
};

static void add_part(struct chain *chain, const struct expression *e, bool negated, bool is_and)
{
	const enum truth alone = always(e), truth = negated ? truth_not(alone) : alone;

	chain->truth = is_and ? truth_and(chain->truth, truth) : truth_or(chain->truth, truth);
	if (chain->n < CHAIN_MAX)
		chain->at[chain->n++] = (struct part){ e, is_and ? negated : !negated };
}

/* The parts of a chain of `and`, or of `or`; `not (a or b)` is a chain of `and`. The parts of an `or` are kept as their opposites. */
static void flatten(struct chain *chain, const struct expression *e, bool negated, bool is_and)
{
	const bool here_and = (e->kind == NODE_AND && !negated) || (e->kind == NODE_OR && negated);
	const bool here_or = (e->kind == NODE_OR && !negated) || (e->kind == NODE_AND && negated);

	if (e->kind == NODE_NOT) {
		flatten(chain, e->left, !negated, is_and);
	} else if (is_and ? here_and : here_or) {
		flatten(chain, e->left, negated, is_and);
		flatten(chain, e->right, negated, is_and);
	} else {
		add_part(chain, e, negated, is_and);
	}
}

static bool is_constant(const struct expression *e)
{
	if (e->kind == NODE_NUMBER)
		return true;
	const bool calculates = e->kind == NODE_NEGATE || e->kind == NODE_ADD || e->kind == NODE_SUBTRACT || e->kind == NODE_MULTIPLY ||
		e->kind == NODE_DIVIDE;
	return calculates && is_constant(e->left) && (!e->right || is_constant(e->right));
}

/* `what` compares with a constant: as in `x < 20 %`, also when written `20 % > x`. */
struct bound {
	const struct expression *what;
	enum comparison how;
	double value;
};

static enum comparison opposite(enum comparison how)
{
	static const enum comparison other[] = {
		[LESS] = GREATER_EQUAL, [LESS_EQUAL] = GREATER, [GREATER] = LESS_EQUAL, [GREATER_EQUAL] = LESS, [EQUAL] = NOT_EQUAL,
		[NOT_EQUAL] = EQUAL,
	};

	return other[how];
}

static bool part_bounds(const struct part *part, struct bound *out)
{
	const struct expression *const e = part->e;

	if (e->kind != NODE_COMPARE || is_constant(e->left) == is_constant(e->right))
		return false;
	const bool is_turned = is_constant(e->left);
	const enum comparison how = is_turned ? comparison_mirrored(e->comparison) : e->comparison;
	*out = (struct bound){
		.what = is_turned ? e->right : e->left,
		.how = part->negated ? opposite(how) : how,
		.value = range_of(is_turned ? e->left : e->right).low,
	};
	return true;
}

/* Can no value satisfy both? `a` is asked with the value that `b` allows and that is best for `a`. */
static bool bounds_exclude(const struct bound *a, const struct bound *b)
{
	const bool a_below = a->how == LESS || a->how == LESS_EQUAL, a_above = a->how == GREATER || a->how == GREATER_EQUAL;
	const bool b_below = b->how == LESS || b->how == LESS_EQUAL, b_above = b->how == GREATER || b->how == GREATER_EQUAL;
	const bool meet = (a->how == LESS_EQUAL || a->how == GREATER_EQUAL) && (b->how == LESS_EQUAL || b->how == GREATER_EQUAL);
	const struct range of_a = { a->value, a->value }, of_b = { b->value, b->value };

	if (a->how == EQUAL)
		return compared(of_a, b->how, of_b) == NO;
	if (b->how == EQUAL)
		return compared(of_b, a->how, of_a) == NO;
	if (a_below && b_above)
		return meet ? a->value < b->value : a->value <= b->value;
	return a_above && b_below && (meet ? b->value < a->value : b->value <= a->value);
}

static bool parts_exclude(const struct part *a, const struct part *b)
{
	struct bound of_a, of_b;

	if (a->negated != b->negated && expression_same(a->e, b->e))
		return true;
	return part_bounds(a, &of_a) && part_bounds(b, &of_b) && expression_same(of_a.what, of_b.what) && bounds_exclude(&of_a, &of_b);
}

static bool chain_contradicts(const struct chain *chain)
{
	for (size_t i = 0; i < chain->n; i++)
		for (size_t k = 0; k < i; k++)
			if (parts_exclude(&chain->at[i], &chain->at[k]))
				return true;
	return false;
}

static enum truth always_chained(const struct expression *e)
{
	const bool is_and = e->kind == NODE_AND;
	struct chain chain = { .n = 0, .truth = is_and ? YES : NO };

	flatten(&chain, e, false, is_and);
	if (chain.truth == UNKNOWN && chain_contradicts(&chain))
		return is_and ? NO : YES;
	return chain.truth;
}

/* ------ conditions ------ */

static enum truth always(const struct expression *e)
{
	switch (e->kind) {
	case NODE_COMPARE:
		return always_compared(e);
	case NODE_AND:
	case NODE_OR:
		return always_chained(e);
	case NODE_NOT:
		return truth_not(always(e->left));
	case NODE_ACROSS:
		return always(e->left); /* any, all: what no member can be, or every one is */
	default:
		return UNKNOWN;
	}
}

enum truth expression_always(const struct expression *condition,
	void (*tell)(void *context, const struct expression *part, enum truth always), void *context)
{
	const enum truth truth = condition->is_condition ? always(condition) : UNKNOWN;

	if (truth != UNKNOWN) {
		tell(context, condition, truth);
		return truth;
	}
	if (condition->left)
		expression_always(condition->left, tell, context);
	if (condition->right)
		expression_always(condition->right, tell, context);
	return UNKNOWN;
}
