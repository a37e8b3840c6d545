/*
 * expression_parser.c - what every part of the expression compiler stands on: the token at hand, nodes, complaints.
 *
 * After a mistake in the grammar the rest can't be trusted, and parsing stops. After a
 * mistake in meaning (an unknown name, watts compared with percent) the node becomes `poison`,
 * which silently fits everywhere: one complaint for one mistake, and all mistakes of a text at once.
 */
#include "rule/expression_parts.h"

#include <stdarg.h>
#include <stdio.h>

#define QUOTE_MAX 40

/* ------ complaints ------ */

struct slice quoted(struct slice text)
{
	if (text.n <= QUOTE_MAX)
		return text;
	size_t n = QUOTE_MAX;
	while (n > 0 && ((unsigned char)text.p[n] & 0xC0) == 0x80)
		n--;
	return (struct slice){ text.p, n };
}

static int columns_between(struct place begin, struct place end)
{
	return end.line == begin.line && end.column > begin.column ? end.column - begin.column : 1;
}

void complain_at(const struct yaml_node *node, struct slice source, size_t begin, size_t end, struct diags *diags,
	enum diag_code code, const char *format, ...)
{
	const struct place place = yaml_place(node, source, begin);
	char words[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof words, format, arguments);
	va_end(arguments);
	diag_at(diags, place, code, "%s", words);
	diag_excerpt(diags, source_line(source, place.line), columns_between(place, yaml_place(node, source, end)));
}

struct operand poison(const struct parser *p)
{
	return (struct operand){ p->poison, p->consumed, p->consumed };
}

bool is_poison(const struct parser *p, struct operand o)
{
	return o.tree == p->poison;
}

const char *before_token(const struct parser *p)
{
	if (p->token.kind == TOKEN_END)
		return "at the end";
	const struct slice text = quoted(p->token.text);
	return arena_print(p->mem, "before '%.*s'", SLICE(text));
}

size_t token_end(const struct token *t)
{
	return t->begin + t->text.n;
}

struct operand stop(struct parser *p, const char *words)
{
	if (!p->stopped)
		COMPLAIN(p, p->token.begin, token_end(&p->token), DIAG_BAD_EXPRESSION, "%s", words);
	p->stopped = true;
	return poison(p);
}

/* ------ tokens ------ */

void advance(struct parser *p)
{
	p->consumed = token_end(&p->token);
	p->token = token_next(&p->lexer);
}

bool accept_token(struct parser *p, enum token_kind kind)
{
	if (p->stopped || p->token.kind != kind)
		return false;
	advance(p);
	return true;
}

bool is_word(const struct parser *p, const char *word)
{
	return !p->stopped && p->token.kind == TOKEN_NAME && slice_is(p->token.text, word);
}

bool accept_word(struct parser *p, const char *word)
{
	if (!is_word(p, word))
		return false;
	advance(p);
	return true;
}

bool expect(struct parser *p, enum token_kind kind, const char *symbol)
{
	if (accept_token(p, kind))
		return true;
	stop(p, arena_print(p->mem, "'%s' is missing %s", symbol, before_token(p)));
	return false;
}

bool enter(struct parser *p)
{
	if (++p->depth <= LEVELS_MAX)
		return !p->stopped;
	stop(p, "nested more than 64 deep; split the rule");
	return false;
}

void leave(struct parser *p)
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

static struct operand node_spanning(struct parser *p, size_t begin, size_t end, struct expression e)
{
	struct expression *const tree = NEW(p->mem, struct expression);
	const struct place place = yaml_place(p->node, p->source, begin);

	*tree = e;
	tree->place = place;
	tree->width_columns = columns_between(place, yaml_place(p->node, p->source, end));
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
	return quoted((struct slice){ p->node->text.p + o.begin, o.end - o.begin });
}
