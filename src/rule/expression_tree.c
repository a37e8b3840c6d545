/*
 * expression_tree.c - what is asked of finished trees: what does a node need, and is it the same tree?
 *
 * Sameness is for rules that are given twice, and for tiers of severity. Two conditions that differ only in their numbers
 * are two thresholds of one question: whoever asks for the shape is not told whether a number was a parameter. Nothing is
 * moved around: `a and b` is not `b and a`.
 */
#include "rule/expression.h"

bool expression_needs_log(const struct expression *e)
{
	return e->kind == NODE_METRIC || e->kind == NODE_HAS || e->kind == NODE_HOLE;
}

void expression_mark_logs(const struct expression *e, bool *marks)
{
	if (!e)
		return;
	if (expression_needs_log(e))
		marks[e->metric] = true;
	expression_mark_logs(e->left, marks);
	expression_mark_logs(e->right, marks);
}

static bool is_same_number(double a, double b)
{
	return a >= b && a <= b;
}

static bool is_same_node(const struct expression *a, const struct expression *b)
{
	return a->kind == b->kind && a->is_condition == b->is_condition && a->dimension == b->dimension && a->metric == b->metric &&
	       a->comparison == b->comparison && a->fold == b->fold && a->where == b->where && a->set == b->set &&
	       is_same_number(a->factor, b->factor);
}

static bool is_same(const struct expression *a, const struct expression *b, bool numbers_count)
{
	if (a == b || !a || !b)
		return a == b;
	if (!is_same_node(a, b) || (numbers_count && (!is_same_number(a->number, b->number) || a->width != b->width)))
		return false;
	return is_same(a->left, b->left, numbers_count) && is_same(a->right, b->right, numbers_count);
}

bool expression_same_shape(const struct expression *a, const struct expression *b)
{
	return is_same(a, b, false);
}

bool expression_same(const struct expression *a, const struct expression *b)
{
	return is_same(a, b, true);
}
