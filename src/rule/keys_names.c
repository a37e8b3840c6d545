/*
 * keys_names.c - the keys under which the author names things: params, let, evidence; and rivals, which name rules.
 *
 *     params:
 *       low: {value: 70 %, reason: "below this a step waits"}
 *     let:
 *       loader_full: max of cores(core.busy) > 95 %
 *     evidence:
 *       gpu_busy: mean(gpu.util, inside)
 *
 * A name has one meaning in a rule. A let can use those above it. What is named and never used is a mistake: a number
 * that people can set and that changes nothing would mislead them.
 */
#include "rule/draft.h"

#include "rule/lexer.h"
#include "rule/settings.h"
#include "rule/trial.h"

static bool name_is_taken(const struct draft *d, struct slice name)
{
	if (field_find(&text_value_fields, name))
		return true;
	for (size_t i = 0; i < d->rule->n_params; i++)
		if (slice_same(d->rule->params[i].name, name))
			return true;
	for (size_t i = 0; i < d->rule->n_lets; i++)
		if (slice_same(d->rule->lets[i].name, name))
			return true;
	return false;
}

/* Params and lets are used in conditions, where a metric's name would hide them; evidence only in texts. */
static bool name_is_usable(struct draft *d, const struct yaml_node *node, bool is_for_conditions)
{
	const struct slice name = slice_shown(node->key);
	const int width = slice_columns(node->key);
	enum metric metric;

	if (d->is_checked)
		return true;
	if (!name_is_valid(node->key, '_'))
		return COMPLAIN(d, node->key_place, width, DIAG_BAD_VALUE,
			"'%.*s' is no name; names have small letters, digits and '_'", SLICE(name));
	if (word_is_reserved(node->key))
		return COMPLAIN(d, node->key_place, width, DIAG_BAD_VALUE, "'%.*s' is a word of the rule language", SLICE(name));
	if (is_for_conditions && metric_find(node->key, &metric))
		return COMPLAIN(d, node->key_place, width, DIAG_BAD_VALUE, "'%.*s' is a metric", SLICE(name));
	if (name_is_taken(d, node->key))
		return COMPLAIN(d, node->key_place, width, DIAG_DUPLICATE, "'%.*s' has a meaning already", SLICE(name));
	return true;
}

/* ------ params ------ */

static bool param_is_complete(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	if (d->is_checked)
		return true;
	if (node->kind != YAML_MAP)
		return COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "parameter '%.*s' must be a map such as {value: 70 %%, reason: \"…\"}",
			SLICE(slice_shown(node->key)));
	const struct slice name = slice_shown(node->key);
	return draft_is_complete(d, node, arena_print(d->mem, "parameter '%.*s'", SLICE(name)), node->key_place, slice_columns(node->key),
		key->parts, key->n_parts);
}

static bool read_param(struct draft *d, const struct key *key, const struct yaml_node *node, struct param *out)
{
	if (!name_is_usable(d, node, true) || !param_is_complete(d, key, node))
		return false;
	const struct yaml_node *const value = yaml_get(node, "value"), *const reason = yaml_get(node, "reason");
	const bool reasoned = draft_is_prose(d, "reason", reason);
	if (!draft_is_filled(d, "value", value) || !draft_quantity(d, value, &out->value) || !reasoned)
		return false;
	out->name = node->key;
	out->reason = draft_text(d, reason);
	out->place = node->key_place;
	settings_apply(d->how->settings, d->rule->id, out);
	return true;
}

void take_params(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	d->rule->params = NEW_ARRAY(d->mem, struct param, yaml_n_children(node));
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		if (read_param(d, key, child, &d->rule->params[d->rule->n_params]))
			d->rule->n_params++;
		else
			d->names_known = false;
	}
}

/* ------ let and evidence ------ */

static bool is_named_below(const struct yaml_node *let, struct slice name)
{
	for (const struct yaml_node *later = let->next; later; later = later->next)
		if (slice_same(later->key, name))
			return true;
	return false;
}

/* "unknown name" would be true, and no help. */
static bool looks_only_up(struct draft *d, const struct yaml_node *let)
{
	struct lexer lexer = { let->text, 0 };
	bool good = true;

	if (d->is_checked)
		return true;
	for (struct token t = token_next(&lexer); t.kind != TOKEN_END; t = token_next(&lexer))
		if (t.kind == TOKEN_NAME && is_named_below(let, t.text))
			good = COMPLAIN(d, yaml_place(let, d->source, t.begin), slice_columns(t.text), DIAG_UNKNOWN_NAME,
				"'%.*s' is named below; a let can use those above it", SLICE(slice_shown(t.text)));
	return good;
}

/* A let that is wrong keeps its name: its users have no fault of their own. */
void take_let(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	struct let *const lets = NEW_ARRAY(d->mem, struct let, yaml_n_children(node));
	bool all_named = true;

	(void)key;
	d->rule->lets = lets;
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		if (!name_is_usable(d, child, true)) {
			all_named = false;
			continue;
		}
		struct let *const let = &lets[d->rule->n_lets];
		*let = (struct let){ .name = child->key, .place = child->key_place };
		const struct slice name = slice_shown(child->key);
		if (draft_is_filled(d, arena_text(d->mem, name.p, name.n), child) && looks_only_up(d, child))
			let->expression = draft_expression(d, child, WANTED_EITHER);
		d->scope_doubtful = d->scope_doubtful || (!let->expression && !yaml_get(d->rule->root, "scope"));
		d->rule->n_lets++;
	}
	d->names_known = d->names_known && all_named;
}

/* A condition is yes or no for the firing time as a whole, and so for a text. */
static const struct expression *evidence_expression(struct draft *d, const struct yaml_node *node)
{
	const struct expression *const e = draft_expression(d, node, WANTED_EITHER);

	if (e && e->is_condition && e->varies)
		COMPLAIN_NODE(d, node, DIAG_BAD_EXPRESSION, "a condition in evidence must be one value, this one changes over time");
	return e;
}

/* max() or min() of what is measured over the firing time, and of what `most` tells: of heat and clocks also of what is made of them. */
static bool is_extreme(const struct expression *e, enum fold most)
{
	if (!e || e->kind != NODE_FOLD || e->fold != most)
		return false;
	const bool is_measured = e->left->kind == NODE_METRIC && metric_table[e->left->metric].kind == KIND_GAUGE;
	return e->dimension == DIM_TEMPERATURE || e->dimension == DIM_FREQUENCY || is_measured;
}

/* Both of one metric, not of something made of it, and of one of which the lowest is where the highest began: memory that grows. */
static bool are_from_and_to(const struct expression *a, const struct expression *b)
{
	return a->left->kind == NODE_METRIC && b->left->kind == NODE_METRIC && a->left->metric == b->left->metric &&
	       a->dimension == DIM_MEMORY;
}

/* What is said of several entities: rule.h. */
static void settle_of_several(struct evidence_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_extreme(rows[i].expression, FOLD_MAX))
			rows[i].of_several = OF_SEVERAL_HIGHEST;
		if (is_extreme(rows[i].expression, FOLD_MIN))
			rows[i].of_several = OF_SEVERAL_LOWEST;
		for (size_t k = 0; k < n && rows[i].of_several == OF_SEVERAL_LOWEST; k++)
			if (is_extreme(rows[k].expression, FOLD_MAX) && are_from_and_to(rows[k].expression, rows[i].expression)) {
				rows[i].of_several = OF_SEVERAL_BESIDE;
				rows[i].beside = k;
			}
	}
}

void take_evidence(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	struct evidence_row *const rows = NEW_ARRAY(d->mem, struct evidence_row, yaml_n_children(node));
	size_t n = 0;
	bool all_named = true;

	(void)key;
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		if (!name_is_usable(d, child, false)) {
			all_named = false;
			continue;
		}
		rows[n].name = arena_text(d->mem, child->key.p, child->key.n);
		if (draft_is_filled(d, rows[n].name, child))
			rows[n].expression = evidence_expression(d, child);
		n++;
	}
	settle_of_several(rows, n);
	d->names_known = d->names_known && all_named;
	d->rule->evidence = rows;
	d->rule->n_evidence = n;
}

/* ------ other rules, and tests ------ */

/* Only a GPU has others. */
void take_others(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	take_texts(d, key, node);
	if (d->scope_known && !d->scope_doubtful && d->rule->scope != SCOPE_GPU)
		COMPLAIN(d, node->key_place, slice_columns(node->key), DIAG_BAD_VALUE, "'%s' is for rules about GPUs, this is a %s rule",
			key->name, scope_name(d->rule->scope));
}

/* By the name of a row of evidence that is a question. */
void take_question(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	const struct evidence_row *named = NULL;

	for (size_t i = 0; i < d->rule->n_evidence && !named; i++)
		if (slice_is(node->text, d->rule->evidence[i].name))
			named = &d->rule->evidence[i];
	if (named && named->expression && named->expression->is_condition)
		*(const struct evidence_row **)draft_member(d, key) = named;
	else if (d->names_known)
		COMPLAIN_NODE(d, node, DIAG_BAD_VALUE, "'%s' must name a row of evidence that is a condition, '%.*s' is %s", key->name,
			SLICE(node->text), named ? "a number" : "none");
}

void take_rivals(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	struct rival *const rivals = NEW_ARRAY(d->mem, struct rival, yaml_n_children(node));

	d->rule->rivals = rivals;
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		if (!draft_is_complete(d, item, "a rival", item->place, 1, key->parts, key->n_parts))
			continue;
		const struct yaml_node *const rule = yaml_get(item, "rule"), *const settle = yaml_get(item, "settle");
		const bool named = draft_is_filled(d, "rule", rule), settled = draft_is_prose(d, "settle", settle);
		if (named && settled)
			rivals[d->rule->n_rivals++] = (struct rival){ draft_text(d, rule), draft_text(d, settle) };
	}
}

/* With the scope unknown all that is said of GPUs and hosts would be wrong only because of it. */
void take_tests(struct draft *d, const struct key *key, const struct yaml_node *node)
{
	(void)key;
	if (d->how->with_tests && d->scope_known && !d->scope_doubtful && !rule_tests_read(d->mem, d->rule, node, d->diags))
		d->n_problems++;
}
