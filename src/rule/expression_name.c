/*
 * expression_name.c - what a name stands for: a parameter, a let or a metric; and whether it can be seen from here.
 *
 *     rule of or inside     sees the metrics of
 *     gpu, gpus, others     one gpu, its host, the run
 *     core, cores           one core, its host, the run
 *     host, hosts           one host, the run
 *     run                   the run
 *
 * A let brings its tree along, as it is: what it sees is checked again where it is used inside of a set.
 */
#include "rule/expression_parts.h"

const struct param *param_find(const struct parser *p, struct slice name)
{
	for (size_t i = 0; i < p->context->n_params; i++)
		if (slice_same(p->context->params[i].name, name))
			return &p->context->params[i];
	return NULL;
}

const struct let *let_find(const struct parser *p, struct slice name)
{
	for (size_t i = 0; i < p->context->n_lets; i++)
		if (slice_same(p->context->lets[i].name, name))
			return &p->context->lets[i];
	return NULL;
}

/* ------ unknown names ------ */

void parser_complain_name(struct parser *p, const struct token *t)
{
	const struct slice name = slice_shown(t->text);
	const char *const meant = word_meant(p->mem, p->context, WORD_NAME, t->text);
	enum unit unit;

	if (unit_find(t->text, &unit))
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME,
			"'%.*s' is a unit and stands behind a number; no blanks beside a '/', as in '3 /h'", SLICE(name));
	else if (meant)
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown name '%.*s'; did you mean '%s'?", SLICE(name), meant);
	else
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown name '%.*s'; 'postrun metrics' lists them", SLICE(name));
}

/* A name before a "(" or an "of" that is no fold. */
void parser_complain_function(struct parser *p, const struct token *t)
{
	const struct slice name = slice_shown(t->text);
	enum member_set set;
	enum metric metric;

	if (set_find(t->text, &set))
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%s' is a set; write 'mean of %s(…)' or another fold",
			set_name(set), set_name(set));
	else if (param_find(p, t->text) || let_find(p, t->text) || metric_find(t->text, &metric))
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%.*s' is no function; write mean(%.*s, 10 s) or another fold",
			SLICE(name), SLICE(name));
	else if (word_meant(p->mem, p->context, WORD_NAME, t->text))
		parser_complain_name(p, t);
	else
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown function '%.*s'; there are %s", SLICE(name),
			functions_known(p->mem));
}

/* ------ who sees what ------ */

static bool is_visible(enum scope of_metric, enum scope from)
{
	if (of_metric == SCOPE_RUN || of_metric == from)
		return true;
	return of_metric == SCOPE_HOST && from != SCOPE_RUN;
}

static bool is_seen(const struct parser *p, enum metric metric)
{
	if (!p->context->scope_known && !p->in_set)
		return true;
	return is_visible(metric_table[metric].scope, p->frame);
}

/* "mean of gpus(gpu.util)", "any of gpus(hole(gpu.util))", "mean of gpus(rate(gpu.ecc_corrected, 10 s))" */
static const char *seen_through_set(struct parser *p, enum metric metric, const char *about)
{
	const char *const name = metric_table[metric].name, *const scope = scope_name(metric_table[metric].scope);

	if (about)
		return arena_print(p->mem, "any of %ss(%s(%s))", scope, about, name);
	if (metric_table[metric].kind == KIND_COUNTER)
		return arena_print(p->mem, "mean of %ss(rate(%s, 10 s))", scope, name);
	return arena_print(p->mem, "mean of %ss(%s)", scope, name);
}

/* `about` is "hole" or "logged", or NULL for a value. */
static bool metric_is_seen(struct parser *p, const struct token *t, enum metric metric, const char *about)
{
	const char *const name = metric_table[metric].name;

	if (is_seen(p, metric))
		return true;
	if (p->in_set)
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%s' can't be seen inside 'of %s(…)'", name, set_name(p->set));
	else
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%s' belongs to one %s, this is a %s rule; write '%s'", name,
			scope_name(metric_table[metric].scope), scope_name(p->context->scope), seen_through_set(p, metric, about));
	return false;
}

/* The first node of a tree, outside of any set, that is about a metric which can't be seen from here; or NULL. */
static const struct expression *unseen_part(const struct parser *p, const struct expression *e)
{
	if (!e || e->kind == NODE_ACROSS)
		return NULL;
	if (expression_needs_log(e) || e->kind == NODE_LOGGED)
		return is_seen(p, e->metric) ? NULL : e;
	const struct expression *const left = unseen_part(p, e->left);
	return left ? left : unseen_part(p, e->right);
}

static bool has_sets(const struct expression *e)
{
	return e && (e->kind == NODE_ACROSS || has_sets(e->left) || has_sets(e->right));
}

/* ------ what names become ------ */

static bool let_fits_here(struct parser *p, const struct token *t, const struct let *let)
{
	const struct slice name = slice_shown(t->text);
	const struct expression *const unseen = p->in_set ? unseen_part(p, let->expression) : NULL;

	if (let->expression->needs_firing && !p->context->after_firing)
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%.*s' is known only after firing: in evidence and cost",
			SLICE(name));
	else if (unseen)
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%.*s' uses '%s', which can't be seen inside 'of %s(…)'",
			SLICE(name), metric_table[unseen->metric].name, set_name(p->set));
	else if (p->in_set && has_sets(let->expression))
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'of' inside of 'of': '%.*s' has one", SLICE(name));
	else
		return true;
	return false;
}

static struct operand let_value(struct parser *p, const struct token *t, const struct let *let)
{
	if (!let->expression || !let_fits_here(p, t, let))
		return parser_poison(p);
	return (struct operand){ let->expression, t->begin, p->consumed };
}

/* The single reasons of gpu.throttle are 0 or 1: plain numbers. */
static enum dimension dimension_of(enum metric metric)
{
	for (size_t i = 0; i < n_throttle_reasons; i++)
		if (throttle_reasons[i].metric == metric)
			return DIM_NONE;
	return unit_table[metric_table[metric].unit].dimension;
}

struct operand name_resolved(struct parser *p, const struct token *t)
{
	const struct param *const param = param_find(p, t->text);
	const struct let *const let = let_find(p, t->text);
	enum metric metric;

	if (param)
		return node_constant(p, t->begin, param->value, param);
	if (let)
		return let_value(p, t, let);
	if (!metric_find(t->text, &metric)) {
		parser_complain_name(p, t);
		return parser_poison(p);
	}
	if (!metric_is_seen(p, t, metric, NULL))
		return parser_poison(p);
	return node_made(p, t->begin, (struct expression){
		.kind = NODE_METRIC, .varies = true, .metric = metric, .dimension = dimension_of(metric),
	});
}

bool metric_named(struct parser *p, const struct token *t, struct slice word, enum metric *out)
{
	if (metric_find(t->text, out))
		return metric_is_seen(p, t, *out, slice_is(word, "hole") ? "hole" : "logged");
	if (param_find(p, t->text) || let_find(p, t->text))
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "%.*s has the name of a metric as its argument", SLICE(word));
	else
		parser_complain_name(p, t);
	return false;
}

/* ------ the scope of a text ------ */

/* "(" and everything up to its ")". */
static void skip_group(struct lexer *lexer)
{
	struct token t = token_next(lexer);
	int depth = t.kind == TOKEN_OPEN;

	while (depth > 0 && (t = token_next(lexer)).kind != TOKEN_END)
		depth += (t.kind == TOKEN_OPEN) - (t.kind == TOKEN_CLOSE);
}

enum scope expression_scope(struct slice text)
{
	struct lexer lexer = { text, 0 };
	enum scope scope = SCOPE_RUN;
	enum member_set set;
	enum metric metric;

	for (struct token t = token_next(&lexer); t.kind != TOKEN_END; t = token_next(&lexer)) {
		if (t.kind != TOKEN_NAME)
			continue;
		if (set_find(t.text, &set)) {
			scope = set == SET_OTHERS ? scope_narrower(scope, SCOPE_GPU) : scope;
			scope = set == SET_HOST_GPUS ? scope_narrower(scope, SCOPE_HOST) : scope;
			skip_group(&lexer);
		} else if (metric_find(t.text, &metric)) {
			scope = scope_narrower(scope, metric_table[metric].scope);
		}
	}
	return scope;
}
