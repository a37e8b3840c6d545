/*
 * trial_tree.c - trees of expressions as tests of rules need them: all nodes, changed copies, proofs of sameness.
 *
 * A named part (let) is one tree that hangs in several places, so that a walk without a memory could take
 * 2^n steps. Walks here look up each node first.
 *
 * What can be proved: a comparison of a value with a number cuts the values that can be in two. `gpu.lost > 0` and
 * `gpu.lost >= 0.8` cut 0 and 1 at the same place; `gpu.util > 100 %` and `gpu.util > 120 %` cut off nothing. Which values a
 * metric can have says the catalogue; a count is whole.
 */
#include "rule/trial_parts.h"

#include <math.h>

static size_t hash_of(const struct expression *e, size_t room)
{
	/* 2^64 / golden ratio spreads neighbours (Knuth, TAOCP 6.4); its low bits are the poor ones */
	return (size_t)(((uint64_t)(uintptr_t)e * 0x9E3779B97F4A7C15U) >> 32) & (room - 1);
}

static size_t place_in(const struct expression *const *table, size_t room, const struct expression *e)
{
	size_t i = hash_of(e, room);

	while (table[i] && table[i] != e)
		i = (i + 1) & (room - 1);
	return i;
}

/* ------ all nodes ------ */

struct walk {
	struct arena *mem;
	const struct expression **seen; /* hashed, at most half full */
	size_t room;
	struct trial_nodes nodes;
};

static void walk_grow(struct walk *w)
{
	const size_t room = w->room ? w->room * 2 : 64;
	const struct expression **const seen = NEW_ARRAY(w->mem, const struct expression *, room);
	const struct expression **const at = NEW_ARRAY(w->mem, const struct expression *, room);

	for (size_t i = 0; i < w->nodes.n; i++) {
		at[i] = w->nodes.at[i];
		seen[place_in(seen, room, at[i])] = at[i];
	}
	w->seen = seen;
	w->nodes.at = at;
	w->room = room;
}

static void walk(struct walk *w, const struct expression *e)
{
	if (!e)
		return;
	if (w->nodes.n * 2 >= w->room)
		walk_grow(w);
	const size_t i = place_in(w->seen, w->room, e);
	if (w->seen[i])
		return;
	w->seen[i] = e;
	w->nodes.at[w->nodes.n++] = e;
	walk(w, e->left);
	walk(w, e->right);
}

struct trial_nodes trial_nodes_of(struct arena *mem, const struct expression *const *trees, size_t n_trees)
{
	struct walk w = { .mem = mem };

	for (size_t i = 0; i < n_trees; i++)
		walk(&w, trees[i]);
	return w.nodes;
}

/* ------ changed copies ------ */

static void remember(struct tree_change *c, const struct expression *from, const struct expression *to)
{
	if (c->n * 2 >= c->room) {
		const struct tree_change old = *c;
		c->room = old.room ? old.room * 2 : 64;
		c->from = NEW_ARRAY(c->mem, const struct expression *, c->room);
		c->to = NEW_ARRAY(c->mem, const struct expression *, c->room);
		c->n = 0;
		for (size_t i = 0; i < old.room; i++)
			if (old.from[i])
				remember(c, old.from[i], old.to[i]);
	}
	const size_t i = place_in(c->from, c->room, from);
	c->from[i] = from;
	c->to[i] = to;
	c->n++;
}

static const struct expression *copy_if_changed(struct tree_change *c, const struct expression *e)
{
	struct expression copy = *e;
	const bool own = c->change(c->context, e, &copy);

	copy.left = tree_changed(c, e->left);
	copy.right = tree_changed(c, e->right);
	if (!own && copy.left == e->left && copy.right == e->right)
		return e;
	struct expression *const kept = NEW(c->mem, struct expression);
	*kept = copy;
	return kept;
}

const struct expression *tree_changed(struct tree_change *c, const struct expression *e)
{
	if (!e)
		return NULL;
	if (c->room) {
		const size_t i = place_in(c->from, c->room, e);
		if (c->from[i])
			return c->to[i];
	}
	const struct expression *const changed = copy_if_changed(c, e);
	remember(c, e, changed);
	return changed;
}

/* ------ proofs ------ */

struct values { /* that something can have */
	double low, high;
	bool whole;
};

/* As far as folds leave it so: a mean of whole numbers is none. */
static struct values values_of(const struct expression *e)
{
	const struct values anything = { -INFINITY, INFINITY, false };

	if (e->kind == NODE_METRIC) {
		const struct metric_row *const m = &metric_table[e->metric];
		const double factor = unit_table[m->unit].factor;
		const bool counts = (m->unit == UNIT_NUMBER || m->unit == UNIT_BITS) && m->kind != KIND_GAUGE;
		return (struct values){ m->low * factor, m->high * factor, counts };
	}
	if (e->kind != NODE_FOLD && e->kind != NODE_ROLLING && e->kind != NODE_ACROSS)
		return anything;
	if (e->fold == FOLD_COUNT || e->fold == FOLD_CHANGES)
		return (struct values){ 0, INFINITY, true };
	if (e->fold == FOLD_SHARE)
		return (struct values){ 0, 100, false };
	if (e->fold == FOLD_MIN || e->fold == FOLD_MAX)
		return values_of(e->left);
	if (e->fold == FOLD_MEAN || fold_percent(e->fold) > 0) {
		struct values v = values_of(e->left);
		v.whole = false;
		return v;
	}
	return anything;
}

struct division { /* of the values that can be: up to `at`, with it or without */
	double at;
	bool with, swapped; /* swapped: the upper part is YES */
	bool known;
};

static struct division division_of(enum comparison how, double at, struct values values)
{
	struct division d = {
		.at = at,
		.with = how == LESS_EQUAL || how == GREATER,
		.swapped = how == GREATER || how == GREATER_EQUAL,
		.known = how != EQUAL && how != NOT_EQUAL,
	};

	if (values.whole) { /* the last whole number below */
		d.at = d.with ? floor(at) : ceil(at) - 1;
		d.with = true;
	}
	if (d.at >= values.high && (d.with || d.at > values.high)) {
		d.at = values.high;
		d.with = true;
	}
	if (d.at <= values.low && (!d.with || d.at < values.low)) {
		d.at = values.low;
		d.with = false;
	}
	return d;
}

/* Number and value on whichever side they stand; false when neither side is a number. */
static bool is_threshold(const struct expression *e, const struct expression **value, struct division *out)
{
	const bool right = e->right->kind == NODE_NUMBER;

	if (!right && e->left->kind != NODE_NUMBER)
		return false;
	const struct expression *const number = right ? e->right : e->left;
	*value = right ? e->left : e->right;
	*out = division_of(right ? e->comparison : comparison_mirrored(e->comparison), number->number, values_of(*value));
	return out->known;
}

static bool prove(const struct expression *a, const struct expression *b, size_t *steps);

static bool divide_alike(const struct expression *a, const struct expression *b, size_t *steps)
{
	const struct expression *value_a, *value_b;
	struct division x, y;

	if (!is_threshold(a, &value_a, &x) || !is_threshold(b, &value_b, &y) || !prove(value_a, value_b, steps))
		return false;
	return !(x.at < y.at) && !(x.at > y.at) && x.with == y.with && x.swapped == y.swapped;
}

static bool prove(const struct expression *a, const struct expression *b, size_t *steps)
{
	if (a == b)
		return true;
	if (!a || !b || a->kind != b->kind || *steps == 0)
		return false;
	(*steps)--;
	if (a->kind == NODE_COMPARE && divide_alike(a, b, steps))
		return true;
	if (a->kind == NODE_NUMBER && (a->number < b->number || a->number > b->number))
		return false;
	return a->metric == b->metric && a->comparison == b->comparison && a->fold == b->fold && a->width == b->width &&
	       a->where == b->where && a->set == b->set && prove(a->left, b->left, steps) && prove(a->right, b->right, steps);
}

#define STEPS_MAX 10000 /* shared parts are walked as often as they hang somewhere */

bool trees_prove_same(const struct expression *a, const struct expression *b)
{
	size_t steps = STEPS_MAX;

	return prove(a, b, &steps);
}
