/*
 * expression_kind.c - what fits together: conditions and numbers, their dimensions, counters and masks.
 *
 *     gpu.power > 90 %                   a power is no share
 *     gpu.power > 90 % * gpu.power_limit a share of a power is one
 *     gpu.power / gpu.power_limit > 90 % the ratio of two powers is a plain number; beside a share it becomes one
 *
 * A plain number beside a share is taken for a ratio only where a division says so: 140 / 2 is 70, never 7000 %. The
 * single reasons of gpu.throttle are 0 or 1 and count as plain numbers; their means are ratios too.
 */
#include "rule/expression_parts.h"

#include <math.h>

bool expression_is_counter(const struct expression *e)
{
	return e->kind == NODE_METRIC && metric_table[e->metric].kind == KIND_COUNTER;
}

static bool complain_mask(struct parser *p, struct operand o)
{
	const struct slice subject = operand_text(p, o);

	COMPLAIN(p, o.begin, o.end, DIAG_BAD_DIMENSION, "'%.*s' is a mask of reasons; write '%.*s has REASON'", SLICE(subject),
		SLICE(subject));
	return false;
}

static bool complain_counter(struct parser *p, struct operand o)
{
	const struct slice subject = operand_text(p, o);

	COMPLAIN(p, o.begin, o.end, DIAG_BAD_DIMENSION, "'%.*s' is a counter; write rate(%.*s, 10 s) or delta(…)", SLICE(subject),
		SLICE(subject));
	return false;
}

/* Masks and counters are numbers that nothing can be done with. */
static bool is_usable(struct parser *p, struct operand o)
{
	if (o.tree->dimension == DIM_BITS)
		return complain_mask(p, o);
	return expression_is_counter(o.tree) ? complain_counter(p, o) : true;
}

bool operand_is_number(struct parser *p, struct operand o)
{
	if (operand_is_poison(p, o))
		return false;
	if (!o.tree->is_condition)
		return is_usable(p, o);
	COMPLAIN(p, o.begin, o.end, DIAG_BAD_EXPRESSION, "a number is wanted here, this is a condition");
	return false;
}

/* Both sides may complain. */
bool operands_are_numbers(struct parser *p, struct operand left, struct operand right)
{
	const bool left_fits = operand_is_number(p, left), right_fits = operand_is_number(p, right);

	return left_fits && right_fits;
}

bool operand_is_condition(struct parser *p, struct operand o)
{
	if (operand_is_poison(p, o))
		return false;
	if (o.tree->is_condition)
		return true;
	if (is_usable(p, o))
		COMPLAIN(p, o.begin, o.end, DIAG_BAD_EXPRESSION, "a condition is wanted here, this is %s",
			dimension_name(o.tree->dimension));
	return false;
}

/* ------ comparisons and sums ------ */

static bool is_bare_number(struct operand o)
{
	return o.tree->kind == NODE_NUMBER && o.tree->dimension == DIM_NONE;
}

/* What people write this quantity in: "%" for gpu.util. */
static const char *symbol_of(const struct expression *e)
{
	if (e->kind == NODE_METRIC)
		return unit_table[metric_table[e->metric].unit].symbol;
	return unit_table[unit_first(e->dimension)].symbol;
}

/* "70 has no unit": the commonest slip, so it gets the right spelling. */
static void complain_bare(struct parser *p, struct operand bare, struct operand other)
{
	const struct slice number = operand_text(p, bare), subject = operand_text(p, other);
	const bool literal = number.n > 0 && (is_digit(number.p[0]) || number.p[0] == '.');

	if (literal)
		COMPLAIN(p, bare.begin, bare.end, DIAG_BAD_DIMENSION, "'%.*s' has no unit, '%.*s' is %s; write '%.*s %s'",
			SLICE(number), SLICE(subject), dimension_name(other.tree->dimension), SLICE(number), symbol_of(other.tree));
	else
		COMPLAIN(p, bare.begin, bare.end, DIAG_BAD_DIMENSION, "'%.*s' has no unit, '%.*s' is %s; give it one, such as '%s'",
			SLICE(number), SLICE(subject), dimension_name(other.tree->dimension), symbol_of(other.tree));
}

static bool is_single_reason(const struct expression *e)
{
	return e->kind == NODE_METRIC && unit_table[metric_table[e->metric].unit].dimension == DIM_BITS && e->dimension == DIM_NONE;
}

static bool is_ratio_of(const struct expression *left, const struct expression *right)
{
	if (left->dimension != right->dimension)
		return false;
	return left->dimension != DIM_NONE || (left->kind != NODE_NUMBER && right->kind != NODE_NUMBER);
}

static bool is_ratio(const struct expression *e)
{
	if (e->is_condition || e->dimension != DIM_NONE)
		return false;
	switch (e->kind) {
	case NODE_METRIC:
		return is_single_reason(e);
	case NODE_DIVIDE:
		return is_ratio_of(e->left, e->right) || is_ratio(e->left);
	case NODE_ADD:
	case NODE_SUBTRACT:
	case NODE_MULTIPLY:
		return is_ratio(e->left) || is_ratio(e->right);
	case NODE_NEGATE:
	case NODE_ROLLING:
	case NODE_FOLD:
	case NODE_ACROSS:
	case NODE_REF:
		return is_ratio(e->left);
	default:
		return false;
	}
}

static void take_ratio_for_share(struct parser *p, struct operand *o, struct operand beside)
{
	if (beside.tree->dimension == DIM_SHARE && is_ratio(o->tree))
		*o = node_scaled(p, *o, 100, DIM_SHARE);
}

/* The metric whose value this is, or whose mean, highest, …; NULL when several values make it. */
static const char *metric_of(const struct expression *e)
{
	while ((e->kind == NODE_ROLLING || e->kind == NODE_FOLD || e->kind == NODE_ACROSS) && fold_table[e->fold].gives == GIVES_SAME)
		e = e->left;
	return e->kind == NODE_METRIC ? metric_table[e->metric].name : NULL;
}

/* "gpu.power_share" for gpu.power, "gpu.mem_share" for gpu.mem_used; or NULL. */
static const char *share_metric(struct arena *mem, const char *name)
{
	const char *const last = name ? strrchr(name, '_') : NULL;
	enum metric metric;

	if (name && metric_find(slice_of(arena_print(mem, "%s_share", name)), &metric))
		return metric_table[metric].name;
	if (last && metric_find(slice_of(arena_print(mem, "%.*s_share", (int)(last - name), name)), &metric))
		return metric_table[metric].name;
	return NULL;
}

/* What somebody meant who put a value beside a share; "" when that can't be known. */
static const char *share_hint(struct arena *mem, const struct expression *e)
{
	const char *const share = share_metric(mem, metric_of(e));

	if (e->kind == NODE_ACROSS && e->fold == FOLD_COUNT)
		return arena_print(mem, "; write 'share of %s(…)'", set_name(e->set));
	return share ? arena_print(mem, "; there is '%s'", share) : "";
}

static void complain_unlike(struct parser *p, struct operand left, const struct token *operator, struct operand right,
	const char *verb, const char *joined_by)
{
	const enum dimension l = left.tree->dimension, r = right.tree->dimension;
	const char *hint = "";

	if (l == DIM_SHARE || r == DIM_SHARE)
		hint = share_hint(p->mem, l == DIM_SHARE ? right.tree : left.tree);
	COMPLAIN(p, operator->begin, token_end(operator), DIAG_BAD_DIMENSION, "'%.*s' %s %s %s %s%s", SLICE(operator->text), verb,
		dimension_name(l), joined_by, dimension_name(r), hint);
}

bool operands_are_alike(struct parser *p, struct operand *left, const struct token *operator, struct operand *right, const char *verb,
	const char *joined_by)
{
	take_ratio_for_share(p, left, *right);
	take_ratio_for_share(p, right, *left);
	if (left->tree->dimension == right->tree->dimension)
		return true;
	if (is_bare_number(*right))
		complain_bare(p, *right, *left);
	else if (is_bare_number(*left))
		complain_bare(p, *left, *right);
	else
		complain_unlike(p, *left, operator, *right, verb, joined_by);
	return false;
}

/* ------ products ------ */

static bool product_means(struct parser *p, struct operand left, const struct token *operator, struct operand right,
	enum dimension *dimension, double *factor)
{
	const enum dimension l = left.tree->dimension, r = right.tree->dimension;
	const bool is_times = operator->kind == TOKEN_TIMES;

	if (is_times ? dimension_product(l, r, dimension, factor) : dimension_quotient(l, r, dimension, factor))
		return true;
	COMPLAIN(p, operator->begin, token_end(operator), DIAG_BAD_DIMENSION, "'%c' %s %s by %s; that means nothing",
		is_times ? '*' : '/', is_times ? "multiplies" : "divides", dimension_name(l), dimension_name(r));
	return false;
}

struct operand product_made(struct parser *p, struct operand left, const struct token *operator, struct operand right)
{
	enum dimension dimension;
	double factor;

	if (!operands_are_numbers(p, left, right) || !product_means(p, left, operator, right, &dimension, &factor))
		return parser_poison(p);
	if (operator->kind == TOKEN_OVER && right.tree->kind == NODE_NUMBER && !(fabs(right.tree->number) > 0)) {
		COMPLAIN(p, right.begin, right.end, DIAG_BAD_VALUE, "division by zero");
		return parser_poison(p);
	}
	return node_made(p, left.begin, (struct expression){
		.kind = operator->kind == TOKEN_TIMES ? NODE_MULTIPLY : NODE_DIVIDE,
		.dimension = dimension,
		.factor = factor,
		.left = left.tree,
		.right = right.tree,
	});
}
