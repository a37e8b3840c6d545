/*
 * expression.c - conditions and values of the rule language: from text to a checked tree.
 *
 *     gpu.util < low and max of cores(core.busy) > 95 %
 *
 *                  AND
 *           <               >
 *      gpu.util  70 %   ACROSS   95 %
 *                        core.busy
 *
 * One function a line of the grammar (expression.h), and every function checks what it
 * builds: there is no second pass, because whoever parses an operator has its operands, their
 * dimensions and their places at hand. The other files of the compiler are listed in expression_parts.h.
 *
 * Numbers are kept in the first unit of their dimension; params are replaced by theirs, lets by their trees.
 */
#include "rule/expression_parts.h"

/* ------ the grammar, from the tightest binding to the loosest ------ */

/* What other languages write for an operator of ours, or NULL. */
static const char *operator_meant(struct parser *p)
{
	const struct slice text = p->token.text;
	const char *const meant = word_meant(p->mem, p->context, WORD_OPERATOR, text);

	if (!meant || slice_is(text, meant))
		return NULL;
	return arena_print(p->mem, "'%.*s' is not an operator; write '%s'", SLICE(text), meant);
}

static bool is_statement_word(struct slice word)
{
	return slice_is_nocase(word, "if") || slice_is_nocase(word, "when") || slice_is_nocase(word, "where");
}

static struct operand parse_name(struct parser *p)
{
	const struct token t = p->token;
	enum fold fold;

	if (is_statement_word(t.text) && !param_find(p, t.text) && !let_find(p, t.text))
		return parser_stop(p, arena_print(p->mem,
			"there is no '%.*s'; a condition stands alone, its parts joined with 'and' and 'or'", SLICE(t.text)));
	if (slice_is_nocase(t.text, "not") && !param_find(p, t.text) && !let_find(p, t.text))
		return parser_stop(p, operator_meant(p));
	parser_advance(p);
	if (fold_find(t.text, &fold))
		return parse_fold(p, &t, fold);
	if (slice_is(t.text, "ref"))
		return parse_ref(p, &t);
	if (slice_is(t.text, "hole"))
		return parse_about(p, &t, NODE_HOLE);
	if (slice_is(t.text, "logged"))
		return parse_about(p, &t, NODE_LOGGED);
	if (p->token.kind == TOKEN_OPEN || parser_is_at(p, "of")) {
		parser_complain_function(p, &t);
		p->stopped = true; /* nobody knows what its arguments may be */
		return parser_poison(p);
	}
	return name_resolved(p, &t);
}

static struct operand parse_factor(struct parser *p);

static struct operand parse_negation(struct parser *p, size_t begin)
{
	const struct operand of = parse_factor(p);

	if (!operand_is_number(p, of))
		return parser_poison(p);
	return node_made(p, begin,
		(struct expression){ .kind = NODE_NEGATE, .dimension = of.tree->dimension, .left = of.tree });
}

static struct operand parse_group(struct parser *p, size_t begin)
{
	const struct operand inner = parse_or(p);

	if (!parser_expect(p, TOKEN_CLOSE, ")"))
		return parser_poison(p);
	return (struct operand){ inner.tree, begin, p->consumed };
}

static struct operand parse_number(struct parser *p)
{
	const struct token t = p->token;
	struct quantity q;

	parser_advance(p);
	return token_quantity(p, &t, &q) ? node_constant(p, t.begin, q, NULL) : parser_poison(p);
}

static struct operand refuse_token(struct parser *p)
{
	const char *const operator = operator_meant(p);

	if (p->token.kind == TOKEN_END)
		return parser_stop(p, p->node->text.n > 0 ? "a value is missing at the end" : "an expression is missing");
	if (operator)
		return parser_stop(p, operator);
	return parser_stop(p, arena_print(p->mem, "a value is missing %s", parser_before_token(p)));
}

static struct operand parse_factor(struct parser *p)
{
	const size_t begin = p->token.begin;
	struct operand result;

	if (!parser_enter(p))
		result = parser_poison(p);
	else if (parser_accept(p, TOKEN_MINUS))
		result = parse_negation(p, begin);
	else if (parser_accept(p, TOKEN_OPEN))
		result = parse_group(p, begin);
	else if (p->token.kind == TOKEN_NUMBER)
		result = parse_number(p);
	else if (p->token.kind == TOKEN_NAME && !word_is_operator(p->token.text))
		result = parse_name(p);
	else
		result = refuse_token(p);
	parser_leave(p);
	return result;
}

static struct operand sum(struct parser *p, struct operand left, const struct token *operator, struct operand right)
{
	if (!operands_are_numbers(p, left, right) || !operands_are_alike(p, &left, operator, &right, "joins", "and"))
		return parser_poison(p);
	return node_made(p, left.begin, (struct expression){
		.kind = operator->kind == TOKEN_PLUS ? NODE_ADD : NODE_SUBTRACT,
		.dimension = left.tree->dimension,
		.left = left.tree,
		.right = right.tree,
	});
}

static struct operand parse_product(struct parser *p)
{
	struct operand left = parse_factor(p);

	while (!p->stopped && (p->token.kind == TOKEN_TIMES || p->token.kind == TOKEN_OVER)) {
		const struct token operator = p->token;
		parser_advance(p);
		left = product_made(p, left, &operator, parse_factor(p));
	}
	return left;
}

static struct operand parse_sum(struct parser *p)
{
	struct operand left = parse_product(p);

	while (!p->stopped && (p->token.kind == TOKEN_PLUS || p->token.kind == TOKEN_MINUS)) {
		const struct token operator = p->token;
		parser_advance(p);
		left = sum(p, left, &operator, parse_product(p));
	}
	return left;
}

static enum comparison comparison_of(struct slice text)
{
	static const struct { const char *text; enum comparison how; } rows[] = {
		{ "<", LESS },           { "<=", LESS_EQUAL }, { ">", GREATER },
		{ ">=", GREATER_EQUAL }, { "==", EQUAL },      { "!=", NOT_EQUAL },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (slice_is(text, rows[i].text))
			return rows[i].how;
	BUG("a comparison that the lexer made up");
}

static struct operand parse_compared(struct parser *p, struct operand left)
{
	const struct token operator = p->token;

	parser_advance(p);
	struct operand right = parse_sum(p);
	if (p->token.kind == TOKEN_COMPARISON)
		return parser_stop(p, "comparisons don't chain; join two with 'and'");
	if (p->stopped || !operands_are_numbers(p, left, right) || !operands_are_alike(p, &left, &operator, &right, "compares", "with"))
		return parser_poison(p);
	return node_made(p, left.begin, (struct expression){
		.kind = NODE_COMPARE,
		.is_condition = true,
		.comparison = comparison_of(operator.text),
		.left = left.tree,
		.right = right.tree,
	});
}

static struct operand parse_comparison(struct parser *p)
{
	const struct operand left = parse_sum(p);

	if (p->stopped)
		return left;
	if (p->token.kind == TOKEN_COMPARISON)
		return parse_compared(p, left);
	if (parser_accept_word(p, "has"))
		return parse_has(p, left);
	return left;
}

static struct operand parse_not(struct parser *p)
{
	const size_t begin = p->token.begin;

	if (!parser_accept_word(p, "not"))
		return parse_comparison(p);
	const struct operand of = parser_enter(p) ? parse_not(p) : parser_poison(p);
	parser_leave(p);
	if (!operand_is_condition(p, of))
		return parser_poison(p);
	return node_made(p, begin, (struct expression){ .kind = NODE_NOT, .is_condition = true, .left = of.tree });
}

static struct operand joined(struct parser *p, struct operand left, enum node_kind kind, struct operand right)
{
	const bool left_fits = operand_is_condition(p, left), right_fits = operand_is_condition(p, right);

	if (!left_fits || !right_fits)
		return parser_poison(p);
	return node_made(p, left.begin,
		(struct expression){ .kind = kind, .is_condition = true, .left = left.tree, .right = right.tree });
}

static struct operand parse_and(struct parser *p)
{
	struct operand left = parse_not(p);

	while (parser_accept_word(p, "and"))
		left = joined(p, left, NODE_AND, parse_not(p));
	return left;
}

struct operand parse_or(struct parser *p)
{
	struct operand left = parse_and(p);

	while (parser_accept_word(p, "or"))
		left = joined(p, left, NODE_OR, parse_and(p));
	return left;
}

/* ------ a whole text ------ */

/* Keys of a rule that read as if they belonged to its condition. */
static bool is_key_beside(struct slice word)
{
	return slice_is(word, "for") || slice_is(word, "during") || slice_is(word, "clear") || slice_is(word, "keep_for");
}

/* What stands behind a complete expression but should not. */
static void refuse_rest(struct parser *p)
{
	const struct slice text = slice_shown(p->token.text);
	const char *const operator = operator_meant(p);

	if (p->token.kind == TOKEN_CLOSE)
		parser_stop(p, "nothing opens this ')'");
	else if (operator)
		parser_stop(p, operator);
	else if (slice_is(text, "%"))
		parser_stop(p, "'%' is a unit and stands behind a number");
	else if (is_key_beside(text))
		parser_stop(p, arena_print(p->mem, "'%.*s' is a key of its own, beside 'when'", SLICE(text)));
	else if (p->token.kind == TOKEN_STRAY || p->token.kind == TOKEN_COMMA)
		parser_stop(p, arena_print(p->mem, "'%.*s' has no meaning here", SLICE(text)));
	else
		parser_stop(p, arena_print(p->mem, "an operator is missing before '%.*s'", SLICE(text)));
}

/* Nesting was bounded on the way; long chains lean to the left and become deep too, and lets multiply. */
static bool is_small(struct parser *p, struct operand root)
{
	if (root.tree->n_levels > LEVELS_MAX)
		COMPLAIN(p, 0, 1, DIAG_LIMIT, "more than %d levels; split the rule", LEVELS_MAX);
	else if (root.tree->n_nodes > NODES_MAX)
		COMPLAIN(p, 0, 1, DIAG_LIMIT, "more than %d parts, those of its lets counted too; split the rule", NODES_MAX);
	else
		return true;
	return false;
}

static bool is_wanted(struct parser *p, struct operand root)
{
	switch (p->context->want) {
	case WANT_NUMBER:
	case WANT_FRACTION:
		return operand_is_number(p, root);
	case WANT_CONDITION:
		return operand_is_condition(p, root);
	case WANT_EITHER:
		break;
	}
	return !operand_is_poison(p, root) && (root.tree->is_condition || operand_is_number(p, root));
}

/* It comes along when a line is copied from a page, and nobody sees that it is no blank. */
static bool has_no_break_blank(struct parser *p)
{
	static const char blank[] = "\302\240";
	const struct slice text = p->node->text;

	for (size_t at = 0; at + 1 < text.n; at++)
		if (memcmp(text.p + at, blank, 2) == 0) {
			COMPLAIN(p, at, at + 2, DIAG_BAD_EXPRESSION, "a no-break blank; write an ordinary one");
			return true;
		}
	return false;
}

/* 50 % as 0.5 */
static struct operand as_wanted(struct parser *p, struct operand root)
{
	if (p->context->want != WANT_FRACTION || root.tree->dimension != DIM_SHARE)
		return root;
	return node_scaled(p, root, 1 / unit_table[UNIT_FRACTION].factor, DIM_NONE);
}

const struct expression *expression_compile(struct arena *mem, const struct yaml_node *node, struct slice source,
	const struct expression_context *context, struct diags *diags)
{
	static const struct expression poison; /* what uses a let that is wrong may be nothing else */
	struct parser p = {
		.mem = mem, .node = node, .source = source, .context = context, .diags = diags,
		.lexer = { node->text, 0 }, .frame = context->scope, .poison = &poison,
	};

	if (node->text.n > EXPRESSION_MAX_BYTES) {
		yaml_complain_part(diags, source, node, 0, 1, DIAG_LIMIT, "an expression of more than %d bytes", EXPRESSION_MAX_BYTES);
		return NULL;
	}
	if (has_no_break_blank(&p))
		return NULL;
	p.token = token_next(&p.lexer);
	const struct operand root = parse_or(&p);
	if (!p.stopped && p.token.kind != TOKEN_END)
		refuse_rest(&p);
	if (p.stopped)
		return NULL;
	if (!is_wanted(&p, root) || p.n_problems > 0 || !is_small(&p, root))
		return NULL;
	return as_wanted(&p, root).tree;
}
