/*
 * expression_literal.c - numbers with units: "30 s", "0.5", "80 %", "1 MiB/s", "2 %/h", "3 /h".
 *
 * Values are kept in the first unit of their dimension (unit.def). What is counted in a time is written with the
 * unit alone, "3 /h" or "3 1/h": three an hour.
 */
#include "rule/expression_parts.h"

#include <math.h>

#define NUMBER_LIMIT 1e15 /* whole numbers up to here are exact in a double with room to calculate */

double quantity_in_first_unit(struct quantity q)
{
	return quantity_in(q, unit_first(unit_table[q.unit].dimension)).value;
}

enum literal { LITERAL_FINE, LITERAL_TOO_LARGE, LITERAL_BAD_UNIT };

static enum literal read_literal(const struct token *t, struct quantity *out)
{
	out->unit = UNIT_NUMBER;
	if (t->unit.n > 0 && !unit_find(t->unit, &out->unit))
		return LITERAL_BAD_UNIT;
	if (!number_parse(t->digits, &out->value) || !(fabs(quantity_in_first_unit(*out)) <= NUMBER_LIMIT))
		return LITERAL_TOO_LARGE;
	return LITERAL_FINE;
}

static void complain_literal(struct arena *mem, const struct yaml_node *node, struct slice source, struct diags *diags,
	const struct token *t, enum literal problem)
{
	const size_t unit_begin = token_end(t) - t->unit.n;
	const struct slice unit = slice_shown(t->unit), text = slice_shown(t->text);
	const char *const meant = word_meant(mem, NULL, WORD_UNIT, t->unit);

	if (problem == LITERAL_TOO_LARGE)
		yaml_complain_part(diags, source, node, t->begin, token_end(t), DIAG_BAD_VALUE, "'%.*s' is too large", SLICE(text));
	else if (meant)
		yaml_complain_part(diags, source, node, unit_begin, token_end(t), DIAG_UNKNOWN_NAME,
			"unknown unit '%.*s'; did you mean '%s'?", SLICE(unit), meant);
	else
		yaml_complain_part(diags, source, node, unit_begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown unit '%.*s'", SLICE(unit));
}

bool token_quantity(struct parser *p, const struct token *t, struct quantity *out)
{
	const enum literal problem = read_literal(t, out);

	if (problem == LITERAL_FINE)
		return true;
	p->n_problems++;
	complain_literal(p->mem, p->node, p->source, p->diags, t, problem);
	return false;
}

struct operand node_constant(struct parser *p, size_t begin, struct quantity q, const struct param *param)
{
	return node_made(p, begin, (struct expression){
		.kind = NODE_NUMBER,
		.dimension = unit_table[q.unit].dimension,
		.number = quantity_in_first_unit(q),
		.param = param,
	});
}

bool quantity_compile(const struct yaml_node *node, struct slice source, struct quantity *out, struct diags *diags)
{
	struct lexer lexer = { node->text, 0 };
	struct token t = token_next(&lexer);
	const bool negative = t.kind == TOKEN_MINUS;

	if (negative)
		t = token_next(&lexer);
	if (t.kind != TOKEN_NUMBER || token_next(&lexer).kind != TOKEN_END) {
		const struct slice text = slice_shown(node->text);
		yaml_complain_part(diags, source, node, 0, node->text.n, DIAG_BAD_VALUE,
			"'%.*s' is not a quantity such as '30 s' or '80 %%'", SLICE(text));
		return false;
	}
	const enum literal problem = read_literal(&t, out);
	if (problem != LITERAL_FINE) {
		complain_literal(diags->mem, node, source, diags, &t, problem);
		return false;
	}
	if (negative)
		out->value = -out->value;
	return true;
}
