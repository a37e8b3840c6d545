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

/* By a number that is one for the run and not below 0, as in conversions of units, bounds stay bounds. */
static bool is_scaling(const struct term *t, const struct value *left, const struct value *right)
{
	if (t->kind == NODE_DIVIDE)
		return left->is_bounded && !right->is_bounded && !t->right->varies && constant_of(right->number) > 0;
	return t->kind == NODE_MULTIPLY && left->is_bounded && !right->is_bounded && !t->right->varies && constant_of(right->number) >= 0;
}

static struct value scaled_value(struct arena *mem, struct value v, double factor)
{
	v.number = scaled_signal(mem, v.number, factor);
	if (v.is_bounded)
		v.bounds = (struct bounds){ scaled_signal(mem, v.bounds.low, factor), scaled_signal(mem, v.bounds.high, factor) };
	return v;
}

struct value value_combined(struct store *s, const struct term *t, struct firing *f)
{
	arithmetic *const how = arithmetic_of(t->kind);
	struct arena *mem = memory_for(s, t, f);
	const struct value left = value_of(s, t->left, f), right = value_of(s, t->right, f);
	const double coverage = lesser(left.coverage, right.coverage);
	struct value v;

	if (is_scaling(t, &left, &right))
		v = scaled_value(mem, left, how(1, constant_of(right.number)) * t->factor);
	else if (t->kind == NODE_MULTIPLY && t->right->kind == NODE_NUMBER)
		v = of_number(scaled_signal(mem, left.number, t->right->number * t->factor));
	else
		v = of_number(scaled_signal(mem, signal_zip(mem, left.number, right.number, how), t->factor));
	v.coverage = coverage;
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
