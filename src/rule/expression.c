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
 * dimensions and their places at hand.
 *
 * After a mistake in the grammar the rest can't be trusted, and parsing stops. After a
 * mistake in meaning (an unknown name, watts compared with percent) the node becomes `poison`,
 * which silently fits everywhere: one complaint for one mistake, and all mistakes of a text at once.
 *
 * Numbers are kept in the first unit of their dimension; params are replaced by theirs. The
 * single reasons of gpu.throttle are 0 or 1 and count as plain numbers, so that their mean can be
 * used as a share.
 */
#include "rule/expression.h"

#include "rule/lexer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define TEXT_MAX_BYTES ((size_t)4096)
#define LEVELS_MAX 64 /* of the tree: the evaluator walks it recursively */
#define NUMBER_LIMIT 1e15  /* whole numbers up to here are exact in a double with room to calculate */
#define DURATION_MAX_S (366.0 * 86400)
#define QUOTE_MAX 40

struct parser {
	struct arena *mem;
	const struct yaml_node *node;
	struct slice source;
	const struct expression_context *context;
	struct diags *diags;
	struct lexer lexer;
	struct token token;  /* not yet consumed */
	size_t consumed;     /* end of the last consumed token */
	size_t depth;        /* of open parentheses and prefixes */
	bool in_set;         /* inside "of cores(" or "of gpus(" */
	enum scope set;
	bool stopped;        /* the grammar is broken: everything returns poison from here */
	size_t n_problems;
	struct expression *poison;
};

/* A tree and the part of the text it was made from. */
struct operand {
	const struct expression *tree;
	size_t begin, end;
};

static struct operand parse_or(struct parser *p);

/* ------ complaints ------ */

/* Enough of a text to recognise it, never half a character. */
static struct slice quoted(struct slice text)
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

__attribute__((format(printf, 7, 8)))
static void complain_at(const struct yaml_node *node, struct slice source, size_t begin, size_t end, struct diags *diags,
	enum diag_code code, const char *format, ...)
{
	const struct place place = yaml_place(node, source, begin);
	char words[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof words, format, arguments);
	va_end(arguments);
	diag_at(diags, place, code, "%s", words);
	diag_excerpt(diags, source_line(source, place.line), columns_between(place, yaml_place(node, source, end)));
}

#define COMPLAIN(p, from, to, code, ...) \
	((p)->n_problems++, complain_at((p)->node, (p)->source, (from), (to), (p)->diags, (code), __VA_ARGS__))

static struct operand poison(const struct parser *p)
{
	return (struct operand){ p->poison, p->consumed, p->consumed };
}

static bool is_poison(const struct parser *p, struct operand o)
{
	return o.tree == p->poison;
}

/* "before 'x'", or "at the end". */
static const char *before_token(const struct parser *p)
{
	if (p->token.kind == TOKEN_END)
		return "at the end";
	const struct slice text = quoted(p->token.text);
	return arena_print(p->mem, "before '%.*s'", SLICE(text));
}

static size_t token_end(const struct token *t)
{
	return t->begin + t->text.n;
}

static struct operand stop(struct parser *p, const char *words)
{
	if (!p->stopped)
		COMPLAIN(p, p->token.begin, token_end(&p->token), DIAG_BAD_EXPRESSION, "%s", words);
	p->stopped = true;
	return poison(p);
}

/* ------ tokens ------ */

static void advance(struct parser *p)
{
	p->consumed = token_end(&p->token);
	p->token = token_next(&p->lexer);
}

static bool accept(struct parser *p, enum token_kind kind)
{
	if (p->stopped || p->token.kind != kind)
		return false;
	advance(p);
	return true;
}

static bool is_word(const struct parser *p, const char *word)
{
	return !p->stopped && p->token.kind == TOKEN_NAME && slice_is(p->token.text, word);
}

static bool accept_word(struct parser *p, const char *word)
{
	if (!is_word(p, word))
		return false;
	advance(p);
	return true;
}

static bool expect(struct parser *p, enum token_kind kind, const char *symbol)
{
	if (accept(p, kind))
		return true;
	stop(p, arena_print(p->mem, "'%s' is missing %s", symbol, before_token(p)));
	return false;
}

static bool enter(struct parser *p)
{
	if (++p->depth <= LEVELS_MAX)
		return !p->stopped;
	stop(p, "nested more than 64 deep; split the rule");
	return false;
}

static void leave(struct parser *p)
{
	p->depth--;
}

/* ------ nodes ------ */

static struct operand made(struct parser *p, size_t begin, struct expression e)
{
	struct expression *const tree = NEW(p->mem, struct expression);
	const struct place place = yaml_place(p->node, p->source, begin);

	*tree = e;
	tree->place = place;
	tree->width_columns = columns_between(place, yaml_place(p->node, p->source, p->consumed));
	return (struct operand){ tree, begin, p->consumed };
}

static enum unit first_unit(enum dimension dimension)
{
	for (int unit = 0; unit < N_UNITS; unit++)
		if (unit_table[unit].dimension == dimension)
			return (enum unit)unit;
	BUG("a dimension without units");
}

static double in_first_unit(struct quantity q)
{
	return quantity_in(q, first_unit(unit_table[q.unit].dimension)).value;
}

static struct operand constant(struct parser *p, size_t begin, struct quantity q)
{
	return made(p, begin, (struct expression){
		.kind = NODE_NUMBER,
		.dimension = unit_table[q.unit].dimension,
		.number = in_first_unit(q),
	});
}

/* ------ kinds and dimensions ------ */

static bool is_number(struct parser *p, struct operand o)
{
	if (is_poison(p, o))
		return false;
	if (!o.tree->is_condition)
		return true;
	COMPLAIN(p, o.begin, o.end, DIAG_BAD_EXPRESSION, "a number is wanted here, this is a condition");
	return false;
}

/* Both sides may complain. */
static bool are_numbers(struct parser *p, struct operand left, struct operand right)
{
	const bool left_fits = is_number(p, left), right_fits = is_number(p, right);

	return left_fits && right_fits;
}

static bool is_condition(struct parser *p, struct operand o)
{
	if (is_poison(p, o))
		return false;
	if (o.tree->is_condition)
		return true;
	COMPLAIN(p, o.begin, o.end, DIAG_BAD_EXPRESSION, "a condition is wanted here, this is %s",
		dimension_name(o.tree->dimension));
	return false;
}

static bool is_bare_number(struct operand o)
{
	return o.tree->kind == NODE_NUMBER && o.tree->dimension == DIM_NONE;
}

/* What people write this quantity in: "%" for gpu.util. */
static const char *symbol_of(const struct expression *e)
{
	if (e->kind == NODE_METRIC)
		return unit_table[metric_table[e->metric].unit].symbol;
	return unit_table[first_unit(e->dimension)].symbol;
}

static struct slice text_of(const struct parser *p, struct operand o)
{
	return quoted((struct slice){ p->node->text.p + o.begin, o.end - o.begin });
}

/* "70 has no unit": the commonest slip, so it gets the right spelling. */
static void complain_bare(struct parser *p, struct operand bare, struct operand other)
{
	const struct slice number = text_of(p, bare), subject = text_of(p, other);
	const bool literal = number.n > 0 && ((number.p[0] >= '0' && number.p[0] <= '9') || number.p[0] == '.');

	if (other.tree->dimension == DIM_BITS)
		COMPLAIN(p, other.begin, other.end, DIAG_BAD_DIMENSION, "'%.*s' is a mask of reasons; write '%.*s has REASON'",
			SLICE(subject), SLICE(subject));
	else if (literal)
		COMPLAIN(p, bare.begin, bare.end, DIAG_BAD_DIMENSION, "'%.*s' has no unit, '%.*s' is %s; write '%.*s %s'",
			SLICE(number), SLICE(subject), dimension_name(other.tree->dimension), SLICE(number), symbol_of(other.tree));
	else
		COMPLAIN(p, bare.begin, bare.end, DIAG_BAD_DIMENSION, "'%.*s' has no unit, '%.*s' is %s; give it one, such as '%s'",
			SLICE(number), SLICE(subject), dimension_name(other.tree->dimension), symbol_of(other.tree));
}

/* For comparisons, sums and differences. */
static bool are_alike(struct parser *p, struct operand left, const struct token *operator, struct operand right,
	const char *verb, const char *joined_by)
{
	const enum dimension l = left.tree->dimension, r = right.tree->dimension;

	if (l == r)
		return true;
	if (is_bare_number(right))
		complain_bare(p, right, left);
	else if (is_bare_number(left))
		complain_bare(p, left, right);
	else
		COMPLAIN(p, operator->begin, token_end(operator), DIAG_BAD_DIMENSION, "'%.*s' %s %s %s %s", SLICE(operator->text),
			verb, dimension_name(l), joined_by, dimension_name(r));
	return false;
}

static bool product_dimension(struct parser *p, struct operand left, const struct token *operator, struct operand right,
	enum dimension *out)
{
	const enum dimension l = left.tree->dimension, r = right.tree->dimension;

	if (operator->kind == TOKEN_OVER && l == r) {
		*out = DIM_NONE;
		return true;
	}
	if (r == DIM_NONE || (l == DIM_NONE && operator->kind == TOKEN_TIMES)) {
		*out = r == DIM_NONE ? l : r;
		return true;
	}
	if (operator->kind == TOKEN_TIMES)
		COMPLAIN(p, operator->begin, token_end(operator), DIAG_BAD_DIMENSION,
			"'*' multiplies %s by %s; one of them must be a plain number", dimension_name(l), dimension_name(r));
	else
		COMPLAIN(p, operator->begin, token_end(operator), DIAG_BAD_DIMENSION,
			"'/' divides %s by %s; they must be of one kind, or the second a plain number", dimension_name(l),
			dimension_name(r));
	return false;
}

/* ------ literals ------ */

enum literal { LITERAL_FINE, LITERAL_TOO_LARGE, LITERAL_BAD_UNIT };

static enum literal read_literal(const struct token *t, struct quantity *out)
{
	out->unit = UNIT_NUMBER;
	if (t->unit.n > 0 && !unit_find(t->unit, &out->unit))
		return LITERAL_BAD_UNIT;
	if (!number_parse(t->digits, &out->value) || !(fabs(in_first_unit(*out)) <= NUMBER_LIMIT))
		return LITERAL_TOO_LARGE;
	return LITERAL_FINE;
}

static const char *nearest_unit(struct slice unit)
{
	const char *symbols[N_UNITS];

	for (int i = 0; i < N_UNITS; i++) {
		symbols[i] = unit_table[i].symbol;
		if (slice_is_nocase(unit, symbols[i]))
			return symbols[i];
	}
	return nearest_name(unit, symbols, N_UNITS);
}

static void complain_literal(const struct yaml_node *node, struct slice source, struct diags *diags, const struct token *t,
	enum literal problem)
{
	const size_t unit_begin = token_end(t) - t->unit.n;
	const struct slice unit = quoted(t->unit), text = quoted(t->text);
	const char *const meant = nearest_unit(t->unit);

	if (problem == LITERAL_TOO_LARGE)
		complain_at(node, source, t->begin, token_end(t), diags, DIAG_BAD_VALUE, "'%.*s' is too large", SLICE(text));
	else if (meant)
		complain_at(node, source, unit_begin, token_end(t), diags, DIAG_UNKNOWN_NAME,
			"unknown unit '%.*s'; did you mean '%s'?", SLICE(unit), meant);
	else
		complain_at(node, source, unit_begin, token_end(t), diags, DIAG_UNKNOWN_NAME, "unknown unit '%.*s'", SLICE(unit));
}

static bool token_quantity(struct parser *p, const struct token *t, struct quantity *out)
{
	const enum literal problem = read_literal(t, out);

	if (problem == LITERAL_FINE)
		return true;
	p->n_problems++;
	complain_literal(p->node, p->source, p->diags, t, problem);
	return false;
}

/* ------ names ------ */

static const struct { const char *name; enum fold fold; } folds[] = {
	{ "mean", FOLD_MEAN }, { "min", FOLD_MIN }, { "max", FOLD_MAX },       { "p5", FOLD_P5 },
	{ "p50", FOLD_P50 },   { "p95", FOLD_P95 }, { "spread", FOLD_SPREAD },
};
#define KNOWN_FOLDS (sizeof folds / sizeof *folds)

static bool fold_find(struct slice name, enum fold *out)
{
	for (size_t i = 0; i < KNOWN_FOLDS; i++)
		if (slice_is(name, folds[i].name)) {
			*out = folds[i].fold;
			return true;
		}
	return false;
}

static const struct param *param_find(const struct parser *p, struct slice name)
{
	for (size_t i = 0; i < p->context->n_params; i++) {
		const struct param *const param = &p->context->params[i];
		if (param->name.n == name.n && memcmp(param->name.p, name.p, name.n) == 0)
			return param;
	}
	return NULL;
}

static const char *nearest_word(const struct parser *p, struct slice name)
{
	const size_t n_params = p->context->n_params;
	const char **const words = NEW_ARRAY(p->mem, const char *, N_METRICS + n_params + KNOWN_FOLDS + 3);
	size_t n = 0;

	for (size_t i = 0; i < n_params; i++)
		words[n++] = arena_text(p->mem, p->context->params[i].name.p, p->context->params[i].name.n);
	for (size_t i = 0; i < N_METRICS; i++)
		words[n++] = metric_table[i].name;
	for (size_t i = 0; i < KNOWN_FOLDS; i++)
		words[n++] = folds[i].name;
	words[n++] = "hole";
	words[n++] = "logged";
	words[n++] = "ref";
	return nearest_name(name, words, n);
}

static void complain_unknown(struct parser *p, const struct token *t)
{
	const struct slice name = quoted(t->text);
	const char *const meant = nearest_word(p, t->text);

	if (meant)
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown name '%.*s'; did you mean '%s'?", SLICE(name), meant);
	else
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown name '%.*s'", SLICE(name));
}

static void complain_function(struct parser *p, const struct token *t)
{
	if (nearest_word(p, t->text))
		complain_unknown(p, t);
	else
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME,
			"unknown function '%.*s'; there are mean, min, max, p5, p50, p95, spread, hole, logged and ref",
			SLICE(quoted(t->text)));
}

static bool is_visible(const struct parser *p, enum scope of_metric)
{
	if (of_metric == SCOPE_HOST || of_metric == SCOPE_RUN)
		return true;
	return of_metric == (p->in_set ? p->set : p->context->scope);
}

static bool metric_is_visible(struct parser *p, const struct token *t, enum metric metric)
{
	const char *const name = metric_table[metric].name;
	const enum scope scope = metric_table[metric].scope;

	if (is_visible(p, scope))
		return true;
	if (p->in_set)
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%s' can't be seen inside 'of %ss(…)'", name,
			scope_name(p->set));
	else
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION,
			"'%s' belongs to one %s, this is a %s rule; write 'mean of %ss(%s)'", name, scope_name(scope),
			scope_name(p->context->scope), scope_name(scope), name);
	return false;
}

static bool is_single_reason(enum metric metric)
{
	for (size_t i = 0; i < n_throttle_reasons; i++)
		if (throttle_reasons[i].metric == metric)
			return true;
	return false;
}

static struct operand metric_or_param(struct parser *p, const struct token *t)
{
	const struct param *const param = param_find(p, t->text);
	enum metric metric;

	if (param)
		return constant(p, t->begin, param->value);
	if (!metric_find(t->text, &metric)) {
		complain_unknown(p, t);
		return poison(p);
	}
	if (!metric_is_visible(p, t, metric))
		return poison(p);
	return made(p, t->begin, (struct expression){
		.kind = NODE_METRIC,
		.metric = metric,
		.dimension = is_single_reason(metric) ? DIM_NONE : unit_table[metric_table[metric].unit].dimension,
	});
}

/* ------ functions ------ */

struct where {
	bool fine, rolls;
	enum fold_where where;
	time_ms width;
};

static struct where place_word(struct parser *p, const struct token *t, enum fold_where where)
{
	const bool allowed = where == WHERE_RUN || p->context->after_firing;

	if (!allowed)
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%.*s' is known only after firing: in evidence and cost",
			SLICE(t->text));
	return (struct where){ .fine = allowed, .where = where };
}

static struct where rolling_width(struct parser *p, const struct token *t, struct quantity q)
{
	const double seconds = in_first_unit(q);

	if (unit_table[q.unit].dimension != DIM_TIME)
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_DIMENSION, "the window must be a time such as '10 s', this is %s",
			dimension_name(unit_table[q.unit].dimension));
	else if (!(seconds >= 0.001 && seconds <= DURATION_MAX_S))
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_VALUE, "the window must be between 1 ms and 366 days");
	else
		return (struct where){ .fine = true, .rolls = true, .width = (time_ms)llround(seconds * 1000) };
	return (struct where){ .fine = false };
}

/* What stands behind the comma of a fold. */
static struct where parse_where(struct parser *p)
{
	const struct token t = p->token;
	const struct param *const param = t.kind == TOKEN_NAME ? param_find(p, t.text) : NULL;
	struct quantity q;

	if (accept_word(p, "inside"))
		return place_word(p, &t, WHERE_INSIDE);
	if (accept_word(p, "outside"))
		return place_word(p, &t, WHERE_OUTSIDE);
	if (accept_word(p, "run"))
		return place_word(p, &t, WHERE_RUN);
	if (param) {
		advance(p);
		return rolling_width(p, &t, param->value);
	}
	if (accept(p, TOKEN_NUMBER))
		return token_quantity(p, &t, &q) ? rolling_width(p, &t, q) : (struct where){ .fine = false };
	stop(p, "behind ',' stands a time such as '10 s', or inside, outside or run");
	return (struct where){ .fine = false };
}

/* mean(x), mean(x, 10 s), mean(x, inside); the name and "(" are behind us. */
static struct operand fold_over_time(struct parser *p, size_t begin, enum fold fold)
{
	const struct operand over = parse_or(p); /* a condition here gets words, not a missing ")" */
	struct where w = { .fine = true, .where = WHERE_JUDGED };

	if (accept(p, TOKEN_COMMA))
		w = parse_where(p);
	if (p->token.kind == TOKEN_COMMA)
		return stop(p, "a fold has one or two arguments");
	if (!expect(p, TOKEN_CLOSE, ")") || !is_number(p, over) || !w.fine)
		return poison(p);
	return made(p, begin, (struct expression){
		.kind = w.rolls ? NODE_ROLLING : NODE_FOLD,
		.dimension = over.tree->dimension,
		.fold = fold,
		.width = w.width,
		.where = w.where,
		.left = over.tree,
	});
}

/* max of cores(core.busy); the name and "of" are behind us. */
static struct operand fold_across(struct parser *p, size_t begin, enum fold fold)
{
	const bool of_cores = is_word(p, "cores");

	if (p->in_set)
		return stop(p, "'of' inside of 'of'");
	if (!accept_word(p, "cores") && !accept_word(p, "gpus"))
		return stop(p, "behind 'of' stands cores or gpus");
	if (!expect(p, TOKEN_OPEN, "("))
		return poison(p);

	p->in_set = true;
	p->set = of_cores ? SCOPE_CORE : SCOPE_GPU;
	const struct operand over = parse_or(p); /* a condition here gets words, not a missing ")" */
	p->in_set = false;
	if (p->token.kind == TOKEN_COMMA)
		return stop(p, arena_print(p->mem, "a fold 'of %ss' has one argument", scope_name(p->set)));
	if (!expect(p, TOKEN_CLOSE, ")") || !is_number(p, over))
		return poison(p);
	return made(p, begin, (struct expression){
		.kind = NODE_ACROSS,
		.dimension = over.tree->dimension,
		.fold = fold,
		.set = p->set == SCOPE_CORE ? SET_CORES : SET_GPUS,
		.left = over.tree,
	});
}

static struct operand parse_fold(struct parser *p, const struct token *t, enum fold fold)
{
	if (accept_word(p, "of"))
		return fold_across(p, t->begin, fold);
	if (!expect(p, TOKEN_OPEN, "("))
		return poison(p);
	return fold_over_time(p, t->begin, fold);
}

static struct operand parse_ref(struct parser *p, const struct token *t)
{
	if (!expect(p, TOKEN_OPEN, "("))
		return poison(p);
	const struct operand over = parse_or(p); /* a condition here gets words, not a missing ")" */
	if (p->token.kind == TOKEN_COMMA)
		return stop(p, "ref has one argument");
	if (!expect(p, TOKEN_CLOSE, ")") || !is_number(p, over))
		return poison(p);
	if (!p->context->after_firing) {
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'ref' is known only after firing: in evidence and cost");
		return poison(p);
	}
	return made(p, t->begin,
		(struct expression){ .kind = NODE_REF, .dimension = over.tree->dimension, .left = over.tree });
}

/* hole(METRIC) and logged(METRIC): about the log, not about values. */
static struct operand parse_about(struct parser *p, const struct token *t, enum node_kind kind)
{
	const struct slice word = t->text;

	if (!expect(p, TOKEN_OPEN, "("))
		return poison(p);
	const struct token name = p->token;
	if (word_is_reserved(name.text) || !accept(p, TOKEN_NAME))
		return stop(p, arena_print(p->mem, "%.*s has the name of a metric as its argument", SLICE(word)));
	const struct operand metric = metric_or_param(p, &name);
	if (!expect(p, TOKEN_CLOSE, ")") || is_poison(p, metric))
		return poison(p);
	if (metric.tree->kind != NODE_METRIC) {
		COMPLAIN(p, metric.begin, metric.end, DIAG_BAD_EXPRESSION, "%.*s has the name of a metric as its argument", SLICE(word));
		return poison(p);
	}
	return made(p, t->begin,
		(struct expression){ .kind = kind, .is_condition = true, .metric = metric.tree->metric });
}

/* ------ the grammar, from the tightest binding to the loosest ------ */

static struct operand parse_name(struct parser *p)
{
	const struct token t = p->token;
	enum fold fold;

	advance(p);
	if (fold_find(t.text, &fold))
		return parse_fold(p, &t, fold);
	if (slice_is(t.text, "ref"))
		return parse_ref(p, &t);
	if (slice_is(t.text, "hole"))
		return parse_about(p, &t, NODE_HOLE);
	if (slice_is(t.text, "logged"))
		return parse_about(p, &t, NODE_LOGGED);
	if (p->token.kind == TOKEN_OPEN) {
		complain_function(p, &t);
		p->stopped = true; /* nobody knows what its arguments may be */
		return poison(p);
	}
	return metric_or_param(p, &t);
}

static struct operand parse_factor(struct parser *p);

static struct operand parse_negation(struct parser *p, size_t begin)
{
	const struct operand of = parse_factor(p);

	if (!is_number(p, of))
		return poison(p);
	return made(p, begin,
		(struct expression){ .kind = NODE_NEGATE, .dimension = of.tree->dimension, .left = of.tree });
}

static struct operand parse_group(struct parser *p, size_t begin)
{
	const struct operand inner = parse_or(p);

	if (!expect(p, TOKEN_CLOSE, ")"))
		return poison(p);
	return (struct operand){ inner.tree, begin, p->consumed };
}

static struct operand parse_number(struct parser *p)
{
	const struct token t = p->token;
	struct quantity q;

	advance(p);
	return token_quantity(p, &t, &q) ? constant(p, t.begin, q) : poison(p);
}

static struct operand refuse_token(struct parser *p)
{
	const struct slice text = p->token.text;

	if (p->token.kind == TOKEN_END)
		return stop(p, p->node->text.n > 0 ? "a value is missing at the end" : "an expression is missing");
	if (slice_is(text, "!"))
		return stop(p, "'!' is not an operator; write 'not'");
	return stop(p, arena_print(p->mem, "a value is missing %s", before_token(p)));
}

static bool is_operator_word(const struct parser *p)
{
	return is_word(p, "and") || is_word(p, "or") || is_word(p, "not") || is_word(p, "has") || is_word(p, "of");
}

static struct operand parse_factor(struct parser *p)
{
	const size_t begin = p->token.begin;
	struct operand result;

	if (!enter(p))
		result = poison(p);
	else if (accept(p, TOKEN_MINUS))
		result = parse_negation(p, begin);
	else if (accept(p, TOKEN_OPEN))
		result = parse_group(p, begin);
	else if (p->token.kind == TOKEN_NUMBER)
		result = parse_number(p);
	else if (p->token.kind == TOKEN_NAME && !is_operator_word(p))
		result = parse_name(p);
	else
		result = refuse_token(p);
	leave(p);
	return result;
}

static struct operand product(struct parser *p, struct operand left, const struct token *operator, struct operand right)
{
	enum dimension dimension;
	const bool numbers = are_numbers(p, left, right);

	if (!numbers || !product_dimension(p, left, operator, right, &dimension))
		return poison(p);
	if (operator->kind == TOKEN_OVER && right.tree->kind == NODE_NUMBER && !(fabs(right.tree->number) > 0)) {
		COMPLAIN(p, right.begin, right.end, DIAG_BAD_VALUE, "division by zero");
		return poison(p);
	}
	return made(p, left.begin, (struct expression){
		.kind = operator->kind == TOKEN_TIMES ? NODE_MULTIPLY : NODE_DIVIDE,
		.dimension = dimension,
		.left = left.tree,
		.right = right.tree,
	});
}

static struct operand sum(struct parser *p, struct operand left, const struct token *operator, struct operand right)
{
	const bool numbers = are_numbers(p, left, right);

	if (!numbers || !are_alike(p, left, operator, right, "joins", "and"))
		return poison(p);
	return made(p, left.begin, (struct expression){
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
		advance(p);
		left = product(p, left, &operator, parse_factor(p));
	}
	return left;
}

static struct operand parse_sum(struct parser *p)
{
	struct operand left = parse_product(p);

	while (!p->stopped && (p->token.kind == TOKEN_PLUS || p->token.kind == TOKEN_MINUS)) {
		const struct token operator = p->token;
		advance(p);
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

	advance(p);
	const struct operand right = parse_sum(p);
	if (p->token.kind == TOKEN_COMPARISON)
		return stop(p, "comparisons don't chain; join two with 'and'");
	if (p->stopped)
		return poison(p);
	const bool numbers = are_numbers(p, left, right);
	if (!numbers || !are_alike(p, left, &operator, right, "compares", "with"))
		return poison(p);
	return made(p, left.begin, (struct expression){
		.kind = NODE_COMPARE,
		.is_condition = true,
		.comparison = comparison_of(operator.text),
		.left = left.tree,
		.right = right.tree,
	});
}

static const struct throttle_reason *reason_find(struct slice name)
{
	for (size_t i = 0; i < n_throttle_reasons; i++)
		if (slice_is(name, throttle_reasons[i].name))
			return &throttle_reasons[i];
	return NULL;
}

static void complain_reason(struct parser *p, const struct token *t)
{
	const char **const names = NEW_ARRAY(p->mem, const char *, n_throttle_reasons);
	const struct slice name = quoted(t->text);

	for (size_t i = 0; i < n_throttle_reasons; i++)
		names[i] = throttle_reasons[i].name;
	const char *const meant = nearest_name(t->text, names, n_throttle_reasons);
	if (meant)
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown reason '%.*s'; did you mean '%s'?", SLICE(name), meant);
	else
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown reason '%.*s'", SLICE(name));
}

/* "has" is behind us. */
static struct operand parse_has(struct parser *p, struct operand left)
{
	const struct token name = p->token;
	const struct throttle_reason *const reason = reason_find(name.text);

	if (!accept(p, TOKEN_NAME))
		return stop(p, "behind 'has' stands a reason such as hw_thermal");
	if (!reason)
		complain_reason(p, &name);
	if (is_poison(p, left))
		return left;
	if (left.tree->kind != NODE_METRIC || left.tree->metric != METRIC_GPU_THROTTLE) {
		COMPLAIN(p, left.begin, left.end, DIAG_BAD_EXPRESSION, "only gpu.throttle has reasons");
		return poison(p);
	}
	if (!reason)
		return poison(p);
	return made(p, left.begin, (struct expression){ .kind = NODE_HAS, .is_condition = true, .metric = reason->metric });
}

static struct operand parse_comparison(struct parser *p)
{
	const struct operand left = parse_sum(p);

	if (p->stopped)
		return left;
	if (p->token.kind == TOKEN_COMPARISON)
		return parse_compared(p, left);
	if (accept_word(p, "has"))
		return parse_has(p, left);
	return left;
}

static struct operand parse_not(struct parser *p)
{
	const size_t begin = p->token.begin;

	if (!accept_word(p, "not"))
		return parse_comparison(p);
	const struct operand of = enter(p) ? parse_not(p) : poison(p);
	leave(p);
	if (!is_condition(p, of))
		return poison(p);
	return made(p, begin, (struct expression){ .kind = NODE_NOT, .is_condition = true, .left = of.tree });
}

static struct operand joined(struct parser *p, struct operand left, enum node_kind kind, struct operand right)
{
	const bool left_fits = is_condition(p, left), right_fits = is_condition(p, right);

	if (!left_fits || !right_fits)
		return poison(p);
	return made(p, left.begin,
		(struct expression){ .kind = kind, .is_condition = true, .left = left.tree, .right = right.tree });
}

static struct operand parse_and(struct parser *p)
{
	struct operand left = parse_not(p);

	while (accept_word(p, "and"))
		left = joined(p, left, NODE_AND, parse_not(p));
	return left;
}

static struct operand parse_or(struct parser *p)
{
	struct operand left = parse_and(p);

	while (accept_word(p, "or"))
		left = joined(p, left, NODE_OR, parse_and(p));
	return left;
}

/* What stands behind a complete expression but should not. */
static void refuse_rest(struct parser *p)
{
	const struct slice text = quoted(p->token.text);

	if (p->token.kind == TOKEN_CLOSE)
		stop(p, "nothing opens this ')'");
	else if (slice_is(text, "="))
		stop(p, "'=' is not an operator; write '=='");
	else if (slice_is(text, "&"))
		stop(p, "'&' is not an operator; write 'and'");
	else if (slice_is(text, "|"))
		stop(p, "'|' is not an operator; write 'or'");
	else if (p->token.kind == TOKEN_STRAY)
		stop(p, arena_print(p->mem, "'%.*s' has no meaning here", SLICE(text)));
	else
		stop(p, arena_print(p->mem, "an operator is missing before '%.*s'", SLICE(text)));
}

static size_t levels_of(const struct expression *e)
{
	if (!e)
		return 0;
	const size_t left = levels_of(e->left), right = levels_of(e->right);
	return 1 + (left > right ? left : right);
}

/* Nesting was bounded on the way; long chains lean to the left and become deep too. */
static bool is_shallow(struct parser *p, struct operand root)
{
	if (levels_of(root.tree) <= LEVELS_MAX)
		return true;
	COMPLAIN(p, 0, 1, DIAG_LIMIT, "more than 64 levels; split the rule");
	return false;
}

const struct expression *expression_compile(struct arena *mem, const struct yaml_node *node, struct slice source,
	const struct expression_context *context, struct diags *diags)
{
	struct parser p = {
		.mem = mem, .node = node, .source = source, .context = context, .diags = diags,
		.lexer = { node->text, 0 }, .poison = NEW(mem, struct expression),
	};

	if (node->text.n > TEXT_MAX_BYTES) {
		complain_at(node, source, 0, 1, diags, DIAG_LIMIT, "an expression of more than 4096 bytes");
		return NULL;
	}
	p.token = token_next(&p.lexer);
	const struct operand root = parse_or(&p);
	if (!p.stopped && p.token.kind != TOKEN_END)
		refuse_rest(&p);
	if (p.stopped)
		return NULL;
	const bool fits = context->want == WANT_CONDITION ? is_condition(&p, root) : is_number(&p, root);
	return fits && p.n_problems == 0 && is_shallow(&p, root) ? root.tree : NULL;
}

bool quantity_compile(const struct yaml_node *node, struct slice source, struct quantity *out, struct diags *diags)
{
	struct lexer lexer = { node->text, 0 };
	struct token t = token_next(&lexer);
	const bool negative = t.kind == TOKEN_MINUS;

	if (negative)
		t = token_next(&lexer);
	if (t.kind != TOKEN_NUMBER || token_next(&lexer).kind != TOKEN_END) {
		const struct slice text = quoted(node->text);
		complain_at(node, source, 0, node->text.n, diags, DIAG_BAD_VALUE, "'%.*s' is not a quantity such as '30 s' or '80 %%'",
			SLICE(text));
		return false;
	}
	const enum literal problem = read_literal(&t, out);
	if (problem != LITERAL_FINE) {
		complain_literal(node, source, diags, &t, problem);
		return false;
	}
	if (negative)
		out->value = -out->value;
	return true;
}
