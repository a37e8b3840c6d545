/*
 * value_arithmetic.c - numbers that are combined of others.
 */
#include "rule/value_parts.h"

struct signal scaled_signal(struct arena *mem, struct signal s, double factor)
{
	if (factor == 1)
		return s;
	struct piece *pieces = NEW_RAW_ARRAY(mem, struct piece, s.n);
	for (size_t i = 0; i < s.n; i++)
		pieces[i] = (struct piece){ s.at[i].begin, s.at[i].value * factor };
	s.at = pieces;
	return s;
}

static double add(double a, double b)
{
	return a + b;
}

static double subtract(double a, double b)
{
	return a - b;
}

static double multiply(double a, double b)
{
	return a * b;
}

/* A share of nothing is not known. */
static double divide(double a, double b)
{
	return b == 0 ? (double)NAN : a / b;
}

arithmetic *arithmetic_of(enum node_kind kind)
{
	switch (kind) {
	case NODE_ADD:
		return add;
	case NODE_SUBTRACT:
		return subtract;
	case NODE_MULTIPLY:
		return multiply;
	case NODE_DIVIDE:
		return divide;
	default:
		return NULL;
	}
}

static struct signal combined(struct arena *mem, const struct term *t, arithmetic *how, struct signal a, struct signal b)
{
	if (t->kind == NODE_MULTIPLY && t->right->kind == NODE_NUMBER)
		return scaled_signal(mem, a, t->right->number * t->factor);
	return scaled_signal(mem, signal_zip(mem, a, b, how), t->factor);
}

/* One number for the run, not below 0: as in thresholds and conversions of units. */
static bool is_plain_factor(const struct term *t, const struct value *v)
{
	return !t->varies && !v->is_bounded && constant_of(v->number) >= 0;
}

/* The more of `b` there is, the less this is. */
static double divide_what_is_not_negative(double a, double b)
{
	return a >= 0 && b > 0 ? a / b : (double)NAN;
}

static double if_positive(double high, double low)
{
	return low > 0 ? high : (double)NAN;
}

/* Of what is not above 0 for sure nothing is told, as it may be 0 or below. */
static struct bounds positive(struct arena *mem, struct bounds b)
{
	return (struct bounds){ b.low, signal_zip(mem, b.high, b.low, if_positive) };
}

static struct bounds combined_bounds(struct arena *mem, const struct term *t, const struct value *left, const struct value *right)
{
	const bool is_part = t->kind == NODE_DIVIDE && !is_plain_factor(t->right, right), goes_down = t->kind == NODE_SUBTRACT || is_part;
	arithmetic *const how = is_part ? divide_what_is_not_negative : arithmetic_of(t->kind);
	const struct bounds a = bounds_beside(mem, left, right), any = bounds_beside(mem, right, left);
	const struct bounds b = is_part ? positive(mem, any) : any;

	return (struct bounds){
		combined(mem, t, how, a.low, goes_down ? b.high : b.low),
		combined(mem, t, how, a.high, goes_down ? b.low : b.high),
	};
}

/* A product goes up with one side where the other one is such a number; of other products nothing is told. */
static bool has_bounds(const struct term *t, const struct value *left, const struct value *right)
{
	if (!left->is_bounded && !right->is_bounded)
		return false;
	return t->kind != NODE_MULTIPLY || is_plain_factor(t->left, left) || is_plain_factor(t->right, right);
}

struct value value_combined(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f);
	const struct value left = value_of(s, t->left, f), right = value_of(s, t->right, f);
	struct value v = of_number(combined(mem, t, arithmetic_of(t->kind), left.number, right.number));

	v.is_bounded = has_bounds(t, &left, &right);
	if (v.is_bounded)
		v.bounds = combined_bounds(mem, t, &left, &right);
	v.coverage = lesser(left.coverage, right.coverage);
	return v;
}

struct value value_negated(struct store *s, const struct term *t, struct firing *f)
{
	struct arena *mem = memory_for(s, t, f);
	struct value v = value_of(s, t->left, f);

	v.number = scaled_signal(mem, v.number, -1);
	if (v.is_bounded)
		v.bounds = (struct bounds){ scaled_signal(mem, v.bounds.high, -1), scaled_signal(mem, v.bounds.low, -1) };
	return v;
}
