/*
 * mutate.c - would a test notice if a threshold were another one?
 *
 *     when: mean(gpu.util, 10 s) < low and max of cores(core.busy) > 95 %
 *                          8 s   <=      or                        > 76 %
 *                         12 s      56 %                          >= 114 %
 *                                   84 %
 *
 * A mutant is the rule with one thing changed: a number of the conditions, a param (everywhere at once, as --set would), the
 * width of a window, a duration beside `when`, an `and`, an `or`, a `<`. Its trees are copied along the path to what
 * was changed and share the rest. All tests of the rule run on it until one fails, on runs that are made once.
 *
 * Left out is what no test can notice: 0 times anything is 0, a coverage is never above 100 %, and comparisons that
 * trees_prove_same() (trial_tree.c).
 */
#include "rule/trial_parts.h"

#include "rule/lexer.h"

#include <math.h>

enum site_kind { SITE_NUMBER, SITE_PARAM, SITE_WIDTH, SITE_LOGIC, SITE_COMPARISON, SITE_KEY };

struct site { /* something that can be changed */
	enum site_kind kind;
	const struct expression *node;
	const struct param *param;
	size_t offset;      /* KEY: of the member of struct rule */
	struct slice was;   /* as written, in the rule's text where that is known */
	double factor;
	struct place place;
	int width_columns;
	const char *becomes;
};

/* A test that is ready to be judged again and again. */
struct ready {
	const struct rule_test *test;
	struct run *run;
};

struct mutator {
	struct arena *mem, *scratch; /* of the result; of what is made for all mutants */
	const struct rules *rules;
	const struct rule *rule;
	struct ready *tests;
	struct mutants *out;
};

/* ------ places ------ */

/* The scalar of the file that this piece of text was cut from, or NULL. */
static const struct yaml_node *scalar_of(const struct yaml_node *node, const char *p)
{
	if (!node || node->kind == YAML_SCALAR)
		return node && p >= node->text.p && p < node->text.p + node->text.n ? node : NULL;
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		const struct yaml_node *const found = scalar_of(child, p);
		if (found)
			return found;
	}
	return NULL;
}

static void find_place(const struct mutator *m, struct site *site, struct place otherwise, int width)
{
	const struct yaml_node *const scalar = site->was.p ? scalar_of(m->rule->root, site->was.p) : NULL;

	site->place = otherwise;
	site->width_columns = width;
	if (!scalar)
		return;
	site->place = yaml_place(scalar, m->rule->source, (size_t)(site->was.p - scalar->text.p));
	site->width_columns = slice_columns(site->was);
}

/* The last token outside of all parentheses for which `fits`; of a window's width, which stands inside, `level` is 1. */
static struct slice last_token(struct slice text, int level, bool (*fits)(const struct token *))
{
	struct lexer lexer = { text, 0 };
	struct slice found = { NULL, 0 };
	int depth = 0;

	for (struct token t = token_next(&lexer); t.kind != TOKEN_END; t = token_next(&lexer)) {
		if (t.kind == TOKEN_OPEN)
			depth++;
		else if (t.kind == TOKEN_CLOSE)
			depth--;
		else if (depth == level && fits(&t))
			found = t.text;
	}
	return found;
}

static bool is_comparison(const struct token *t)
{
	return t->kind == TOKEN_COMPARISON;
}

static bool is_and(const struct token *t)
{
	return t->kind == TOKEN_NAME && slice_is(t->text, "and");
}

static bool is_or(const struct token *t)
{
	return t->kind == TOKEN_NAME && slice_is(t->text, "or");
}

static bool is_number(const struct token *t)
{
	return t->kind == TOKEN_NUMBER;
}

/* ------ words ------ */

/* Without zeros at its end: "84", "1.2", "0.056". */
static const char *short_number(struct arena *mem, double value)
{
	char digits[64];

	number_print(digits, sizeof digits, value, 6);
	size_t n = strlen(digits);
	if (strchr(digits, '.')) {
		while (n > 0 && digits[n - 1] == '0')
			n--;
		n -= n > 0 && digits[n - 1] == '.';
	}
	return arena_text(mem, digits, n);
}

/* "70 %" moved: "84 %"; what stands behind the digits stays as it is. */
static const char *moved_text(struct arena *mem, struct slice was, double factor, double limit)
{
	struct lexer lexer = { was, 0 };
	struct token t = token_next(&lexer);
	const bool negative = t.kind == TOKEN_MINUS;
	double value;

	if (negative)
		t = token_next(&lexer);
	if (t.kind != TOKEN_NUMBER || !number_parse(t.digits, &value))
		return NULL;
	value *= factor;
	const size_t behind = (size_t)(t.digits.p + t.digits.n - was.p);
	return arena_print(mem, "%s%s%.*s", negative ? "-" : "", short_number(mem, value < limit ? value : limit), (int)(was.n - behind),
		was.p + behind);
}

static const char *change_text(const struct mutator *m, const struct site *site)
{
	if (site->kind == SITE_PARAM)
		return arena_print(m->mem, "%.*s '%.*s' becomes '%s'", SLICE(site->param->name), SLICE(site->was), site->becomes);
	return arena_print(m->mem, "'%.*s' becomes '%s'", SLICE(site->was), site->becomes);
}

/* ------ making a mutant ------ */

static enum comparison swapped(enum comparison how)
{
	static const enum comparison other[] = {
		[LESS] = LESS_EQUAL, [LESS_EQUAL] = LESS, [GREATER] = GREATER_EQUAL, [GREATER_EQUAL] = GREATER, [EQUAL] = EQUAL,
		[NOT_EQUAL] = NOT_EQUAL,
	};

	return other[how];
}

static time_ms moved_time(time_ms t, double factor)
{
	return (time_ms)llround((double)t * factor);
}

static bool change_param(const struct site *site, const struct expression *node, struct expression *copy)
{
	if (node->kind == NODE_NUMBER && node->param == site->param)
		copy->number *= site->factor;
	else if (node->kind == NODE_ROLLING && node->width_param == site->param)
		copy->width = moved_time(copy->width, site->factor);
	else
		return false;
	return true;
}

static bool change_node(const void *context, const struct expression *node, struct expression *copy)
{
	const struct site *const site = context;

	if (site->kind == SITE_PARAM)
		return change_param(site, node, copy);
	if (site->kind == SITE_KEY || node != site->node)
		return false;
	if (site->kind == SITE_NUMBER)
		copy->number *= site->factor;
	else if (site->kind == SITE_WIDTH)
		copy->width = moved_time(copy->width, site->factor);
	else if (site->kind == SITE_LOGIC)
		copy->kind = node->kind == NODE_AND ? NODE_OR : NODE_AND;
	else
		copy->comparison = swapped(node->comparison);
	return true;
}

static void change_key(const struct site *site, struct rule *rule)
{
	if (site->offset == offsetof(struct rule, min_coverage)) {
		rule->min_coverage = fmin(1, rule->min_coverage * site->factor);
		return;
	}
	time_ms *const t = (time_ms *)(void *)((char *)rule + site->offset);
	*t = moved_time(*t, site->factor);
}

static void change_trees(struct arena *mem, const struct site *site, struct rule *rule)
{
	struct tree_change change = { .mem = mem, .change = change_node, .context = site };
	struct evidence_row *const evidence = NEW_ARRAY(mem, struct evidence_row, rule->n_evidence);
	struct let *const lets = NEW_ARRAY(mem, struct let, rule->n_lets);

	for (size_t i = 0; i < rule->n_evidence; i++) {
		evidence[i] = rule->evidence[i];
		evidence[i].expression = tree_changed(&change, evidence[i].expression);
	}
	for (size_t i = 0; i < rule->n_lets; i++) {
		lets[i] = rule->lets[i];
		lets[i].expression = tree_changed(&change, lets[i].expression);
	}
	rule->evidence = evidence;
	rule->lets = lets;
	rule->when = tree_changed(&change, rule->when);
	rule->clear = tree_changed(&change, rule->clear);
	rule->cost = tree_changed(&change, rule->cost);
	rule->cost_least = tree_changed(&change, rule->cost_least);
}

static struct rule *make_mutant(struct arena *mem, const struct site *site, const struct rule *rule)
{
	struct rule *const mutant = NEW(mem, struct rule);

	*mutant = *rule;
	if (site->kind == SITE_KEY)
		change_key(site, mutant);
	else
		change_trees(mem, site, mutant);
	return mutant;
}

static bool is_same_rule(const struct rule *a, const struct rule *b)
{
	bool same = trees_prove_same(a->when, b->when) && trees_prove_same(a->clear, b->clear) && trees_prove_same(a->cost, b->cost) &&
		    trees_prove_same(a->cost_least, b->cost_least);

	for (size_t i = 0; i < a->n_evidence; i++)
		same = same && trees_prove_same(a->evidence[i].expression, b->evidence[i].expression);
	return same && a->hold == b->hold && a->keep == b->keep && a->merge_gap == b->merge_gap && a->max_gap == b->max_gap &&
	       !(a->min_coverage < b->min_coverage) && !(a->min_coverage > b->min_coverage);
}

/* ------ testing a mutant ------ */

static bool passes(struct arena *scratch, const struct mutator *m, const struct ready *ready, const struct rule *mutant)
{
	struct run run = *ready->run; /* what judging makes of it goes with `scratch` */
	const struct rules some = trial_rules(scratch, m->rules, mutant);

	run.mem = scratch;
	const struct verdicts found = rules_judge(&some, &run);
	return trial_holds(scratch, ready->test, mutant, &found, &run, NULL);
}

static bool is_killed(const struct mutator *m, const struct rule *mutant)
{
	bool killed = false;

	for (size_t i = 0; i < m->rule->n_tests && !killed; i++) {
		struct arena scratch;
		arena_init(&scratch);
		killed = !passes(&scratch, m, &m->tests[i], mutant);
		arena_release(&scratch);
	}
	return killed;
}

static void keep_mutant(struct mutator *m, const struct site *site, bool killed)
{
	m->out->at = arena_array_next(m->mem, m->out->at, m->out->n, sizeof *m->out->at);
	m->out->at[m->out->n++] = (struct mutant){ m->rule, site->place, site->width_columns, change_text(m, site), killed };
	m->out->n_survivors += !killed;
}

static void try_site(struct mutator *m, const struct site *site)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct rule *const mutant = make_mutant(&scratch, site, m->rule);
	if (!is_same_rule(m->rule, mutant))
		keep_mutant(m, site, is_killed(m, mutant));
	arena_release(&scratch);
}

/* A fifth down and a fifth up; what is 0 has no such mutants. */
static void try_moved(struct mutator *m, struct site site, double limit)
{
	static const double factors[] = { 0.8, 1.2 };

	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
		site.factor = factors[i];
		site.becomes = moved_text(m->mem, site.was, site.factor, limit);
		if (site.becomes)
			try_site(m, &site);
	}
}

/* ------ what can be changed ------ */

static void mutate_number(struct mutator *m, const struct expression *e)
{
	struct site site = { .kind = SITE_NUMBER, .node = e, .was = e->text };

	if (e->param || !(fabs(e->number) > 0))
		return;
	find_place(m, &site, e->place, e->width_columns);
	try_moved(m, site, INFINITY);
}

static void mutate_width(struct mutator *m, const struct expression *e)
{
	struct site site = { .kind = SITE_WIDTH, .node = e, .was = last_token(e->text, 1, is_number) };

	if (e->width_param)
		return;
	find_place(m, &site, e->place, e->width_columns);
	try_moved(m, site, INFINITY);
}

static void mutate_word(struct mutator *m, struct site site, const char *was, const char *becomes)
{
	if (!site.was.p)
		site.was = slice_of(was);
	site.becomes = becomes;
	find_place(m, &site, site.node->place, site.node->width_columns);
	try_site(m, &site);
}

static void mutate_comparison(struct mutator *m, const struct expression *e)
{
	static const char *const words[] = {
		[LESS] = "<", [LESS_EQUAL] = "<=", [GREATER] = ">", [GREATER_EQUAL] = ">=", [EQUAL] = "==", [NOT_EQUAL] = "!=",
	};
	const struct site site = { .kind = SITE_COMPARISON, .node = e, .was = last_token(e->text, 0, is_comparison) };

	if (e->comparison != EQUAL && e->comparison != NOT_EQUAL)
		mutate_word(m, site, words[e->comparison], words[swapped(e->comparison)]);
}

static void mutate_logic(struct mutator *m, const struct expression *e)
{
	const bool is_both = e->kind == NODE_AND;
	const struct site site = { .kind = SITE_LOGIC, .node = e, .was = last_token(e->text, 0, is_both ? is_and : is_or) };

	mutate_word(m, site, is_both ? "and" : "or", is_both ? "or" : "and");
}

static void mutate_node(struct mutator *m, const struct expression *e)
{
	if (e->kind == NODE_NUMBER)
		mutate_number(m, e);
	else if (e->kind == NODE_ROLLING)
		mutate_width(m, e);
	else if (e->kind == NODE_COMPARE)
		mutate_comparison(m, e);
	else if (e->kind == NODE_AND || e->kind == NODE_OR)
		mutate_logic(m, e);
}

static void mutate_conditions(struct mutator *m)
{
	const struct expression *const trees[] = { m->rule->when, m->rule->clear };
	const struct trial_nodes nodes = trial_nodes_of(m->scratch, trees, 2);

	for (size_t i = 0; i < nodes.n; i++)
		mutate_node(m, nodes.at[i]);
}

static bool is_used(const struct trial_nodes *nodes, const struct param *param)
{
	for (size_t i = 0; i < nodes->n; i++)
		if ((nodes->at[i]->kind == NODE_NUMBER && nodes->at[i]->param == param) ||
			(nodes->at[i]->kind == NODE_ROLLING && nodes->at[i]->width_param == param))
			return true;
	return false;
}

static const struct yaml_node *child_of(const struct yaml_node *map, struct slice key)
{
	for (const struct yaml_node *child = map ? map->first : NULL; child; child = child->next)
		if (slice_same(child->key, key))
			return child;
	return NULL;
}

static void mutate_params(struct mutator *m)
{
	const struct expression *const trees[] = { m->rule->when, m->rule->clear, m->rule->cost, m->rule->cost_least };
	const struct trial_nodes nodes = trial_nodes_of(m->scratch, trees, sizeof trees / sizeof *trees);

	for (size_t i = 0; i < m->rule->n_params; i++) {
		const struct param *const param = &m->rule->params[i];
		const struct yaml_node *const value = yaml_get(child_of(yaml_get(m->rule->root, "params"), param->name), "value");
		struct site site = { .kind = SITE_PARAM, .param = param };
		if (!(fabs(param->value.value) > 0) || !is_used(&nodes, param))
			continue;
		site.was = value && !param->set ? slice_trim(value->text) : slice_of(quantity_text(m->scratch, param->value));
		find_place(m, &site, param->place, slice_columns(param->name));
		try_moved(m, site, INFINITY);
	}
}

/* Only what the file says: what it leaves out is the language's, which has tests of its own. */
static void mutate_keys(struct mutator *m)
{
	static const struct { const char *key; size_t offset; bool of_windows; double limit; } rows[] = {
		{ "for", offsetof(struct rule, hold), true, INFINITY },
		{ "keep_for", offsetof(struct rule, keep), true, INFINITY },
		{ "merge_gap", offsetof(struct rule, merge_gap), true, INFINITY },
		{ "max_gap", offsetof(struct rule, max_gap), true, INFINITY },
		{ "min_coverage", offsetof(struct rule, min_coverage), false, 100 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct yaml_node *const node = yaml_get(m->rule->root, rows[i].key);
		struct site site = { .kind = SITE_KEY, .offset = rows[i].offset };
		if (!node || node->kind != YAML_SCALAR || (rows[i].of_windows && m->rule->kind == RULE_WHOLE))
			continue;
		site.was = slice_trim(node->text);
		find_place(m, &site, node->place, node->width);
		try_moved(m, site, rows[i].limit);
	}
}

struct mutants rule_mutate(struct arena *mem, const struct rules *rules, const struct rule *rule)
{
	struct mutants all = { NULL, 0, 0 };
	struct arena scratch;

	arena_init(&scratch);
	struct mutator m = { mem, &scratch, rules, rule, NEW_ARRAY(&scratch, struct ready, rule->n_tests), &all };
	for (size_t i = 0; i < rule->n_tests; i++)
		m.tests[i] = (struct ready){ &rule->tests[i], trial_run(&scratch, &rule->tests[i], rule) };
	mutate_conditions(&m);
	mutate_params(&m);
	mutate_keys(&m);
	arena_release(&scratch);
	return all;
}
