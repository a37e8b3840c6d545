/*
 * expression_parser.c - what every part of the expression compiler stands on: the token at hand, nodes, complaints.
 *
 * After a mistake in the grammar the rest can't be trusted, and parsing stops. After a
 * mistake in meaning (an unknown name, watts compared with percent) the node becomes `poison`,
 * which silently fits everywhere: one complaint for one mistake, and all mistakes of a text at once.
 */
#include "rule/expression_parts.h"

/* ------ complaints ------ */

struct operand parser_poison(const struct parser *p)
{
	return (struct operand){ p->poison, p->consumed, p->consumed };
}

bool operand_is_poison(const struct parser *p, struct operand o)
{
	return o.tree == p->poison;
}

const char *parser_before_token(const struct parser *p)
{
	if (p->token.kind == TOKEN_END)
		return "at the end";
	const struct slice text = slice_shown(p->token.text);
	return arena_print(p->mem, "before '%.*s'", SLICE(text));
}

size_t token_end(const struct token *t)
{
	return t->begin + t->text.n;
}

struct operand parser_stop(struct parser *p, const char *words)
{
	if (!p->stopped)
		COMPLAIN(p, p->token.begin, token_end(&p->token), DIAG_BAD_EXPRESSION, "%s", words);
	p->stopped = true;
	return parser_poison(p);
}

/* ------ tokens ------ */

void parser_advance(struct parser *p)
{
	p->consumed = token_end(&p->token);
	p->token = token_next(&p->lexer);
}

bool parser_accept(struct parser *p, enum token_kind kind)
{
	if (p->stopped || p->token.kind != kind)
		return false;
	parser_advance(p);
	return true;
}

bool parser_is_at(const struct parser *p, const char *word)
{
	return !p->stopped && p->token.kind == TOKEN_NAME && slice_is(p->token.text, word);
}

bool parser_accept_word(struct parser *p, const char *word)
{
	if (!parser_is_at(p, word))
		return false;
	parser_advance(p);
	return true;
}

bool parser_expect(struct parser *p, enum token_kind kind, const char *symbol)
{
	if (parser_accept(p, kind))
		return true;
	parser_stop(p, arena_print(p->mem, "'%s' is missing %s", symbol, parser_before_token(p)));
	return false;
}

bool parser_enter(struct parser *p)
{
	if (++p->depth <= LEVELS_MAX)
		return !p->stopped;
	parser_stop(p, "nested more than 64 deep; split the rule");
	return false;
}

void parser_leave(struct parser *p)
{
	p->depth--;
}

/* ------ nodes ------ */

/* A fold over all of a time is one number, whatever it folds; so is ref(). */
static bool is_one_value(enum node_kind kind)
{
	return kind == NODE_FOLD || kind == NODE_REF;
}

static void take_from_child(struct expression *e, const struct expression *child)
{
	if (!child)
		return;
	e->varies = e->varies || (child->varies && !is_one_value(e->kind));
	e->needs_firing = e->needs_firing || child->needs_firing;
	e->n_nodes += child->n_nodes;
	if (e->n_levels <= child->n_levels)
		e->n_levels = child->n_levels + 1;
}

static void place_in_file(struct parser *p, struct expression *e, size_t begin, size_t end)
{
	e->place = yaml_place(p->node, p->source, begin);
	e->width_columns = yaml_width(e->place, yaml_place(p->node, p->source, end));
}

static struct operand node_spanning(struct parser *p, size_t begin, size_t end, struct expression e)
{
	struct expression *const tree = NEW(p->mem, struct expression);

	*tree = e;
	if (!p->context->without_places)
		place_in_file(p, tree, begin, end);
	tree->text = (struct slice){ p->node->text.p + begin, end - begin };
	tree->n_levels = 1;
	tree->n_nodes = 1;
	take_from_child(tree, e.left);
	take_from_child(tree, e.right);
	return (struct operand){ tree, begin, end };
}

struct operand node_made(struct parser *p, size_t begin, struct expression e)
{
	return node_spanning(p, begin, p->consumed, e);
}

struct operand node_scaled(struct parser *p, struct operand o, double factor, enum dimension dimension)
{
	struct expression *const one = NEW(p->mem, struct expression);

	*one = (struct expression){
		.kind = NODE_NUMBER, .number = 1, .place = o.tree->place, .width_columns = 1, .n_levels = 1, .n_nodes = 1,
	};
	return node_spanning(p, o.begin, o.end, (struct expression){
		.kind = NODE_MULTIPLY,
		.dimension = dimension,
		.factor = factor,
		.left = o.tree,
		.right = one,
	});
}

struct slice operand_text(const struct parser *p, struct operand o)
{
	return slice_shown((struct slice){ p->node->text.p + o.begin, o.end - o.begin });
}
