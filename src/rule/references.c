/*
 * references.c - what rules say of one another: explains, explains_on_others, joins, follows, leads_to, excluded_by, unknown_while, rivals.
 *
 *     excluded_by: [gpu-lsot]        no rule 'gpu-lsot'; did you mean 'gpu-lost'?
 *
 * Only when all files are read it is known which ids exist. `excluded_by` and `unknown_while` must not go round in a circle: each of
 * the rules would wait for the verdict of the next.
 */
#include "rule/references.h"

#include "rule/rule_parts.h"

const struct entry *entry_find(struct entries rules, struct slice id)
{
	const struct entry *const at = rules.at;
	size_t low = 0, high = rules.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const char *const here = at[middle].id;
		const int order = slice_is(id, here) ? 0 : strncmp(here, id.p, id.n) < 0 ? -1 : 1;
		if (order == 0)
			return at + middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const char *entry_nearest_id(struct arena *mem, struct entries rules, struct slice id)
{
	const char **const ids = NEW_ARRAY(mem, const char *, rules.n);

	for (size_t i = 0; i < rules.n; i++)
		ids[i] = rules.at[i].id;
	return nearest_name(id, ids, rules.n);
}

/* ------ ids that exist ------ */

struct visit { /* of the rule that mentions others */
	struct arena *mem;
	struct entries rules;
	const struct entry *from;
	struct diags *diags;
};

static bool complain(const struct visit *v, const struct yaml_node *node, const char *words)
{
	return yaml_complain(v->diags, v->from->file->text, node->place, node->width, DIAG_BAD_VALUE, "%s", words);
}

/* The rule that the node names; NULL, with a complaint, when there is none. */
static const struct entry *rule_named(const struct visit *v, const struct yaml_node *node, const char *itself)
{
	const struct entry *const found = entry_find(v->rules, node->text);
	const char *const meant = found ? NULL : entry_nearest_id(v->mem, v->rules, node->text);

	if (found == v->from)
		complain(v, node, itself);
	else if (found)
		return found;
	else if (meant)
		complain(v, node, arena_print(v->mem, "no rule '%.*s'; did you mean '%s'?", SLICE(node->text), meant));
	else
		complain(v, node, arena_print(v->mem, "no rule '%.*s'", SLICE(node->text)));
	return NULL;
}

static void check_explained_elsewhere(const struct visit *v, const struct yaml_node *node)
{
	const struct entry *const other = rule_named(v, node, "a rule can't explain itself");

	if (other && other->rule && other->rule->scope != SCOPE_GPU)
		complain(v, node, arena_print(v->mem, "'%s' is a %s rule, on other GPUs it has no finding", other->id,
			scope_name(other->rule->scope)));
}

static void check_joined(const struct visit *v, const struct yaml_node *node)
{
	const struct entry *const other = rule_named(v, node, "a rule can't join itself");

	if (other && other->rule && other->rule->scope != SCOPE_GPU)
		complain(v, node, arena_print(v->mem, "'%s' is a %s rule, it tells of no GPUs that could be named with others", other->id,
			scope_name(other->rule->scope)));
}

static void check_followed(const struct visit *v, const struct yaml_node *node)
{
	const struct entry *const other = rule_named(v, node, "a rule can't follow itself");

	if (other && other->rule && v->from->rule && other->rule->scope != v->from->rule->scope)
		complain(v, node, arena_print(v->mem, "'%s' is a %s rule, what a %s rule finds has another entity", other->id,
			scope_name(other->rule->scope), scope_name(v->from->rule->scope)));
}

static void check_explained(const struct visit *v, const struct yaml_node *node)
{
	rule_named(v, node, "a rule can't explain itself");
}

static void check_led_to(const struct visit *v, const struct yaml_node *node)
{
	rule_named(v, node, "a rule can't lead to itself");
}

/* What holds for one GPU says nothing of its whole host. */
static void check_excluding(const struct visit *v, const struct yaml_node *node)
{
	const struct entry *const other = rule_named(v, node, "a rule can't exclude itself");

	if (other && other->rule && v->from->rule && other->rule->scope > v->from->rule->scope)
		complain(v, node, arena_print(v->mem, "'%s' is a %s rule, it can't exclude a %s rule", other->id,
			scope_name(other->rule->scope), scope_name(v->from->rule->scope)));
}

static void check_doubting(const struct visit *v, const struct yaml_node *node)
{
	const struct entry *const other = rule_named(v, node, "a rule can't doubt itself");

	if (other && other->rule && v->from->rule && other->rule->scope > v->from->rule->scope)
		complain(v, node, arena_print(v->mem, "'%s' is a %s rule, it says nothing of the logs of a %s rule", other->id,
			scope_name(other->rule->scope), scope_name(v->from->rule->scope)));
}

static void check_rival(const struct visit *v, const struct yaml_node *node)
{
	rule_named(v, node, "a rule can't be its own rival");
}

typedef void check_fn(const struct visit *v, const struct yaml_node *node);

/* What is no id at all, or empty, has been told already. */
static void check_id(const struct visit *v, const struct yaml_node *node, check_fn *check)
{
	if (node && node->kind == YAML_SCALAR && slice_trim(node->text).n > 0)
		check(v, node);
}

static void check_ids(const struct visit *v, const char *key, check_fn *check)
{
	const struct yaml_node *const node = yaml_get(v->from->root, key);

	check_id(v, node, check);
	for (const struct yaml_node *item = node && node->kind == YAML_LIST ? node->first : NULL; item; item = item->next)
		check_id(v, item, check);
}

static void check_rivals(const struct visit *v)
{
	const struct yaml_node *const node = yaml_get(v->from->root, "rivals");

	for (const struct yaml_node *item = node && node->kind == YAML_LIST ? node->first : NULL; item; item = item->next)
		if (item->kind == YAML_MAP)
			check_id(v, yaml_get(item, "rule"), check_rival);
}

/* ------ circles ------ */

enum colour { NOT_SEEN, ON_THE_WAY, SEEN };

struct walk {
	struct arena *mem;
	struct entries rules;
	enum colour *colours;        /* beside rules */
	const struct entry **way;    /* from where the walk began */
	size_t n_way;
	struct diags *diags;
};

static const struct yaml_node *item_naming(const struct entry *e, const char *id)
{
	static const char *const keys[] = { "unknown_while", "excluded_by" };
	const struct yaml_node *node = e->root;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct yaml_node *const list = yaml_get(e->root, keys[i]);
		node = list ? list : node;
		for (const struct yaml_node *item = list ? list->first : NULL; item; item = item->next)
			if (slice_is(item->text, id))
				return item;
	}
	return node;
}

/* The way from its `first` rule on comes back to it. */
static void complain_circle(const struct walk *w, size_t first)
{
	const struct entry *const begin = w->way[first];
	const char *words = "these rules wait for each other in a circle:";

	for (size_t i = first; i < w->n_way; i++)
		words = arena_print(w->mem, "%s '%s' for", words, w->way[i]->id);
	words = arena_print(w->mem, "%s '%s'", words, begin->id);
	const struct yaml_node *const item = item_naming(begin, w->way[first + 1]->id);
	yaml_complain(w->diags, begin->file->text, item->place, item->width, DIAG_BAD_VALUE, "%s", words);
}

static void walk_from(struct walk *w, const struct entry *e);

static void walk_to(struct walk *w, const struct entry *from, struct texts ids)
{
	for (size_t i = 0; i < ids.n; i++) {
		const struct entry *const next = entry_find(w->rules, slice_of(ids.at[i]));
		if (next && next != from)
			walk_from(w, next);
	}
}

static void walk_from(struct walk *w, const struct entry *e)
{
	enum colour *const colour = &w->colours[e - w->rules.at];

	if (*colour == ON_THE_WAY) {
		size_t first = w->n_way - 1;
		while (w->way[first] != e)
			first--;
		complain_circle(w, first);
	}
	if (*colour != NOT_SEEN || !e->rule)
		return;
	*colour = ON_THE_WAY;
	w->way[w->n_way++] = e;
	walk_to(w, e, e->rule->excluded_by);
	walk_to(w, e, e->rule->unknown_while);
	w->n_way--;
	*colour = SEEN;
}

static void refuse_circles(struct arena *mem, struct entries rules, struct diags *diags)
{
	struct walk w = {
		.mem = mem, .rules = rules, .colours = NEW_ARRAY(mem, enum colour, rules.n),
		.way = NEW_ARRAY(mem, const struct entry *, rules.n), .diags = diags,
	};

	for (size_t i = 0; i < rules.n; i++)
		walk_from(&w, &rules.at[i]);
}

void references_check(struct arena *mem, struct entries rules, struct diags *diags)
{
	for (size_t i = 0; i < rules.n; i++) {
		const struct visit v = { mem, rules, &rules.at[i], diags };
		if (!rules.at[i].root || rules.at[i].root->kind != YAML_MAP)
			continue;
		check_ids(&v, "explains", check_explained);
		check_ids(&v, "explains_on_others", check_explained_elsewhere);
		check_ids(&v, "joins", check_joined);
		check_ids(&v, "follows", check_followed);
		check_ids(&v, "leads_to", check_led_to);
		check_ids(&v, "excluded_by", check_excluding);
		check_ids(&v, "unknown_while", check_doubting);
		check_rivals(&v);
	}
	refuse_circles(mem, rules, diags);
}
