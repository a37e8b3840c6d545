/*
 * expression_fold.c - words with parentheses: folds over time and over sets, ref, hole, logged; and has.
 *
 *     mean(gpu.util, 10 s)      p95(gpu.mem_share, steady)      rate(gpu.ecc_corrected, 1 min)
 *     max of cores(core.busy)   share of gpus(gpu.util < 5 %)   max of hosts(mean of gpus(gpu.util))
 *
 * What a fold takes and gives is said by its row (series/fold.def). A fold whose result is not in the first unit of
 * its dimension (a power summed up over seconds, in Wh) stands below a product that brings it there.
 *
 * Inside of a set its members are who is asked; another set can be opened only inside of `of hosts(…)`, where
 * gpus and cores are those of the host.
 */
#include "rule/expression_parts.h"

#include <math.h>

/* ------ what a fold takes ------ */

#define COUNTERS_TOLD 3 /* the catalogue has many */

static const char *counters_known(struct arena *mem)
{
	const char *names[COUNTERS_TOLD + 1];
	size_t n = 0;

	for (size_t i = 0; i < N_METRICS; i++)
		if (metric_table[i].kind == KIND_COUNTER && n++ < COUNTERS_TOLD)
			names[n - 1] = metric_table[i].name;
	if (n > COUNTERS_TOLD)
		names[COUNTERS_TOLD] = arena_print(mem, "%zu more", n - COUNTERS_TOLD);
	return names_listed(mem, names, n > COUNTERS_TOLD ? COUNTERS_TOLD + 1 : n);
}

static bool complain_no_counter(struct parser *p, struct operand over, enum fold fold)
{
	const struct slice subject = operand_text(p, over);

	COMPLAIN(p, over.begin, over.end, DIAG_BAD_EXPRESSION, "'%s' takes a counter, '%.*s' is none; there are %s",
		fold_table[fold].name, SLICE(subject), counters_known(p->mem));
	return false;
}

static bool fold_takes(struct parser *p, struct operand over, enum fold fold)
{
	const unsigned takes = fold_table[fold].takes;

	if (operand_is_poison(p, over))
		return false;
	if (takes == TAKES_COUNTERS)
		return expression_is_counter(over.tree) || complain_no_counter(p, over, fold);
	if (over.tree->is_condition && takes & TAKES_CONDITIONS)
		return true;
	if (!over.tree->is_condition && takes & TAKES_NUMBERS)
		return operand_is_number(p, over);
	if (over.tree->is_condition)
		COMPLAIN(p, over.begin, over.end, DIAG_BAD_EXPRESSION, "'%s' takes a number, this is a condition; 'share' takes one",
			fold_table[fold].name);
	else
		COMPLAIN(p, over.begin, over.end, DIAG_BAD_EXPRESSION, "'%s' takes a condition, this is %s", fold_table[fold].name,
			dimension_name(over.tree->dimension));
	return false;
}

/* ------ what it gives ------ */

/* False: such a value can't be folded so. `factor` brings the result to the first unit of its dimension. */
static bool fold_gives(const struct expression *over, enum fold fold, enum dimension *dimension, double *factor)
{
	*factor = 1;
	*dimension = over->dimension;
	switch (fold_table[fold].gives) {
	case GIVES_PER_TIME:
		return dimension_per_time(over->dimension, dimension, factor);
	case GIVES_TIMES_TIME:
		return dimension_times_time(over->is_condition ? DIM_NONE : over->dimension, dimension, factor);
	case GIVES_SHARE:
		*dimension = DIM_SHARE;
		break;
	case GIVES_TIME:
		*dimension = DIM_TIME;
		break;
	case GIVES_COUNT:
	case GIVES_CONDITION:
		*dimension = DIM_NONE;
		break;
	case GIVES_SAME:
		break;
	}
	return true;
}

/* `e` is complete but for its dimension; `t` is the name of the fold. */
static struct operand fold_made(struct parser *p, const struct token *t, struct operand over, struct expression e)
{
	double factor;

	if (!fold_takes(p, over, e.fold))
		return parser_poison(p);
	if (!fold_gives(over.tree, e.fold, &e.dimension, &factor)) {
		COMPLAIN(p, over.begin, over.end, DIAG_BAD_DIMENSION, "'%s' of %s means nothing", fold_table[e.fold].name,
			dimension_name(over.tree->dimension));
		return parser_poison(p);
	}
	const enum dimension dimension = e.dimension;
	e.is_condition = fold_table[e.fold].gives == GIVES_CONDITION;
	e.left = over.tree;
	const struct operand made = node_made(p, t->begin, e);
	return factor < 1 || factor > 1 ? node_scaled(p, made, factor, dimension) : made;
}

/* ------ over time ------ */

struct where {
	bool fine, rolls;
	unsigned where;
	time_ms width;
	const struct param *param;
};

static const struct where wrong = { .fine = false };

static struct where place_word(struct parser *p, const struct token *t, unsigned where)
{
	const bool is_after = where == WHERE_INSIDE || where == WHERE_OUTSIDE, allowed = !is_after || p->context->after_firing;

	if (!allowed)
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%.*s' is known only after firing: in evidence and cost",
			SLICE(t->text));
	return (struct where){ .fine = allowed, .where = where };
}

static struct where rolling_width(struct parser *p, const struct token *t, struct quantity q, const struct param *param)
{
	const double seconds = quantity_in_first_unit(q);

	if (unit_table[q.unit].dimension != DIM_TIME)
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_DIMENSION, "the window must be a time such as '10 s', this is %s",
			dimension_name(unit_table[q.unit].dimension));
	else if (!(seconds >= 0.001 && seconds <= DURATION_MAX_S))
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_VALUE, "the window must be between 1 ms and %s",
			limit_text(p->mem, NULL, LIMIT_DURATION_MAX_DAYS));
	else
		return (struct where){ .fine = true, .rolls = true, .width = (time_ms)llround(seconds * 1000), .param = param };
	return wrong;
}

/* A let as a window: only one that is a time written out. */
static struct where let_width(struct parser *p, const struct token *t, const struct let *let)
{
	const struct expression *const e = let->expression;

	if (!e)
		return wrong;
	if (e->kind == NODE_NUMBER)
		return rolling_width(p, t, (struct quantity){ e->number, unit_first(e->dimension) }, e->param);
	COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "the window must be a time such as '10 s' or a parameter");
	return wrong;
}

static struct where unknown_place(struct parser *p, const struct token *t)
{
	const struct slice name = slice_shown(t->text);
	const char *const meant = word_meant(p->mem, p->context, WORD_PLACE, t->text);

	if (meant)
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown time '%.*s'; did you mean '%s'?", SLICE(name), meant);
	else
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME,
			"unknown time '%.*s'; behind ',' stands a duration such as '10 s', or %s", SLICE(name),
			words_known(p->mem, WORD_PLACE));
	return wrong;
}

static struct where named_where(struct parser *p, const struct token *t)
{
	const struct param *const param = param_find(p, t->text);
	const struct let *const let = let_find(p, t->text);
	unsigned where;

	if (where_find(t->text, &where))
		return place_word(p, t, where);
	if (param)
		return rolling_width(p, t, param->value, param);
	return let ? let_width(p, t, let) : unknown_place(p, t);
}

/* What stands behind the comma of a fold. */
static struct where parse_where(struct parser *p)
{
	const struct token t = p->token;
	struct quantity q;

	if (parser_accept(p, TOKEN_NAME))
		return named_where(p, &t);
	if (parser_accept(p, TOKEN_NUMBER))
		return token_quantity(p, &t, &q) ? rolling_width(p, &t, q, NULL) : wrong;
	parser_stop(p, arena_print(p->mem, "behind ',' stands a duration such as '10 s', or %s", words_known(p->mem, WORD_PLACE)));
	return wrong;
}

static bool folds_time(struct parser *p, const struct token *t, enum fold fold)
{
	const char *const name = fold_table[fold].name;

	if (fold_table[fold].over & OVER_TIME)
		return true;
	COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%s' is over a set; write '%s of gpus(…)'%s", name, name,
		fold == FOLD_SUM ? ", or total(…) over time" : "");
	return false;
}

/* Some folds say something of a moment and what was before it, and nothing of a stretch. */
static bool has_width(struct parser *p, const struct token *t, enum fold fold, const struct where *w)
{
	if (!(fold_table[fold].over & ONLY_ROLLING) || w->rolls || !w->fine)
		return true;
	COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'%s' needs a duration; write '%s(…, 10 s)'", fold_table[fold].name,
		fold_table[fold].name);
	return false;
}

/* mean(x), mean(x, 10 s), mean(x, inside); the name and "(" are behind us. */
static struct operand fold_over_time(struct parser *p, const struct token *t, enum fold fold)
{
	const bool folds = folds_time(p, t, fold);
	const struct operand over = parse_or(p); /* a condition here gets words, not a missing ")" */
	struct where w = { .fine = true, .where = WHERE_JUDGED };

	if (parser_accept(p, TOKEN_COMMA))
		w = parse_where(p);
	if (p->token.kind == TOKEN_COMMA)
		return parser_stop(p, "a fold has one or two arguments");
	if (!parser_expect(p, TOKEN_CLOSE, ")") || !folds || !has_width(p, t, fold, &w) || !w.fine)
		return parser_poison(p);
	return fold_made(p, t, over, (struct expression){
		.kind = w.rolls ? NODE_ROLLING : NODE_FOLD,
		.needs_firing = !w.rolls && (w.where == WHERE_INSIDE || w.where == WHERE_OUTSIDE),
		.fold = fold,
		.width = w.width,
		.width_param = w.param,
		.where = w.where,
	});
}

/* ------ over sets ------ */

static struct operand refuse_set(struct parser *p, const struct token *t)
{
	const struct slice name = slice_shown(t->text);
	const char *const meant = word_meant(p->mem, p->context, WORD_SET, t->text);

	if (t->kind != TOKEN_NAME || word_is_operator(t->text))
		return parser_stop(p, arena_print(p->mem, "behind 'of' stands one of %s", words_known(p->mem, WORD_SET)));
	if (meant)
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown set '%.*s'; did you mean '%s'?", SLICE(name), meant);
	else
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown set '%.*s'; there are %s", SLICE(name),
			words_known(p->mem, WORD_SET));
	p->stopped = true; /* nobody knows what can be seen inside */
	return parser_poison(p);
}

/* Sets that this rule can't ask, and folds that no set can give. */
static bool set_fits(struct parser *p, const struct token *fold_name, enum fold fold, const struct token *t, enum member_set set)
{
	const char *const name = fold_table[fold].name;

	if (!(fold_table[fold].over & OVER_SETS))
		COMPLAIN(p, fold_name->begin, token_end(fold_name), DIAG_BAD_EXPRESSION,
			"'%s' is over time; write '%s(…, 10 s)', or 'max of %s(%s(…, 10 s))'", name, name, set_name(set), name);
	else if (set == SET_OTHERS && p->context->scope_known && p->context->scope != SCOPE_GPU)
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION,
			"'others' are the other GPUs of a gpu rule, this is a %s rule; write 'gpus'", scope_name(p->context->scope));
	else if (set == SET_HOST_GPUS && p->context->scope_known && p->context->scope == SCOPE_RUN)
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION,
			"'host_gpus' are the GPUs of a host, this is a run rule; write 'gpus', or 'max of hosts(max of gpus(…))'");
	else
		return true;
	return false;
}

static bool opens_in_set(const struct parser *p, enum member_set set)
{
	return p->set == SET_HOSTS && (set == SET_GPUS || set == SET_CORES);
}

static enum scope frame_of(enum member_set set)
{
	return set == SET_CORES ? SCOPE_CORE : set == SET_HOSTS ? SCOPE_HOST : SCOPE_GPU;
}

static struct operand parse_inside_set(struct parser *p, enum member_set set)
{
	const bool was_in_set = p->in_set;
	const enum member_set outer_set = p->set;
	const enum scope outer_frame = p->frame;

	p->in_set = true;
	p->set = set;
	p->frame = frame_of(set);
	const struct operand over = parse_or(p); /* a condition here gets words, not a missing ")" */
	p->in_set = was_in_set;
	p->set = outer_set;
	p->frame = outer_frame;
	return over;
}

/* max of cores(core.busy); the name and "of" are behind us. */
static struct operand fold_across(struct parser *p, const struct token *t, enum fold fold)
{
	const struct token name = p->token;
	enum member_set set;

	if (p->stopped)
		return parser_poison(p);
	if (!set_find(name.text, &set))
		return refuse_set(p, &name);
	if (p->in_set && !opens_in_set(p, set))
		return parser_stop(p, "'of' inside of 'of'");
	parser_advance(p);
	const bool fits = set_fits(p, t, fold, &name, set);
	if (!parser_expect(p, TOKEN_OPEN, "("))
		return parser_poison(p);
	const struct operand over = parse_inside_set(p, set);
	if (p->token.kind == TOKEN_COMMA)
		return parser_stop(p, arena_print(p->mem, "a fold 'of %s' has one argument", set_name(set)));
	if (!parser_expect(p, TOKEN_CLOSE, ")") || !fits)
		return parser_poison(p);
	return fold_made(p, t, over, (struct expression){ .kind = NODE_ACROSS, .fold = fold, .set = set });
}

struct operand parse_fold(struct parser *p, const struct token *t, enum fold fold)
{
	enum member_set set;

	if (parser_accept_word(p, "of"))
		return fold_across(p, t, fold);
	if (p->token.kind == TOKEN_NAME && set_find(p->token.text, &set))
		return parser_stop(p, arena_print(p->mem, "'of' is missing before '%s'", set_name(set)));
	if (!parser_expect(p, TOKEN_OPEN, "("))
		return parser_poison(p);
	return fold_over_time(p, t, fold);
}

/* ------ the others ------ */

struct operand parse_ref(struct parser *p, const struct token *t)
{
	if (!parser_expect(p, TOKEN_OPEN, "("))
		return parser_poison(p);
	const struct operand over = parse_or(p); /* a condition here gets words, not a missing ")" */
	if (p->token.kind == TOKEN_COMMA)
		return parser_stop(p, "ref has one argument");
	if (!parser_expect(p, TOKEN_CLOSE, ")") || !operand_is_number(p, over))
		return parser_poison(p);
	if (!p->context->after_firing) {
		COMPLAIN(p, t->begin, token_end(t), DIAG_BAD_EXPRESSION, "'ref' is known only after firing: in evidence and cost");
		return parser_poison(p);
	}
	return node_made(p, t->begin, (struct expression){
		.kind = NODE_REF, .needs_firing = true, .dimension = over.tree->dimension, .left = over.tree,
	});
}

/* hole(METRIC) and logged(METRIC): about the log, not about values. */
struct operand parse_about(struct parser *p, const struct token *t, enum node_kind kind)
{
	const struct slice word = t->text;
	enum metric metric;

	if (!parser_expect(p, TOKEN_OPEN, "("))
		return parser_poison(p);
	const struct token name = p->token;
	if (word_is_reserved(name.text) || !parser_accept(p, TOKEN_NAME))
		return parser_stop(p, arena_print(p->mem, "%.*s has the name of a metric as its argument", SLICE(word)));
	const bool named = metric_named(p, &name, word, &metric);
	if (!parser_expect(p, TOKEN_CLOSE, ")") || !named)
		return parser_poison(p);
	return node_made(p, t->begin, (struct expression){
		.kind = kind, .is_condition = true, .varies = kind == NODE_HOLE, .metric = metric,
	});
}

static void complain_reason(struct parser *p, const struct token *t)
{
	const struct slice name = slice_shown(t->text);
	const char *const meant = word_meant(p->mem, p->context, WORD_REASON, t->text);

	if (meant)
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown reason '%.*s'; did you mean '%s'?", SLICE(name), meant);
	else
		COMPLAIN(p, t->begin, token_end(t), DIAG_UNKNOWN_NAME, "unknown reason '%.*s'; there are %s", SLICE(name),
			words_known(p->mem, WORD_REASON));
}

/* "has" is behind us. */
struct operand parse_has(struct parser *p, struct operand left)
{
	const struct token name = p->token;
	const struct throttle_reason *const reason = throttle_reason_find(name.text);

	if (!parser_accept(p, TOKEN_NAME))
		return parser_stop(p, "behind 'has' stands a reason such as hw_thermal");
	if (!reason)
		complain_reason(p, &name);
	if (operand_is_poison(p, left))
		return left;
	if (left.tree->kind != NODE_METRIC || left.tree->metric != METRIC_GPU_THROTTLE) {
		COMPLAIN(p, left.begin, left.end, DIAG_BAD_EXPRESSION, "only gpu.throttle has reasons");
		return parser_poison(p);
	}
	if (!reason)
		return parser_poison(p);
	return node_made(p, left.begin, (struct expression){
		.kind = NODE_HAS, .is_condition = true, .varies = true, .metric = reason->metric,
	});
}
