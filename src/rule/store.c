/*
 * store.c - stores: what is known of one entity while it is judged, and for how long it is kept.
 */
#include "rule/value_parts.h"

struct kept *kept_of(struct store *s, const struct term *t)
{
	struct kept **const shelf = &s->values[t->id / SHELF_TERMS];

	if (!*shelf)
		*shelf = NEW_ARRAY(&s->mem, struct kept, SHELF_TERMS);
	return &(*shelf)[t->id % SHELF_TERMS];
}

bool is_kept(const struct store *s, const struct term *t)
{
	const struct kept *const shelf = s->values[t->id / SHELF_TERMS];

	return shelf && shelf[t->id % SHELF_TERMS].is_done;
}

static void store_begin(struct store *s, struct arena mem, const struct plan *plan, struct store *above, enum scope scope,
	const struct entity *entity)
{
	*s = (struct store){ .plan = plan, .vantage = vantage_of(plan->run, scope, entity), .above = above, .mem = mem };
	s->results = above ? above->results : plan->run->mem;
	s->lock = above ? above->lock : NULL;
	s->outlines = above ? above->outlines : NULL;
	s->found = (struct found_of_tracks){ &s->mem, NULL, NULL, NULL };
	arena_init(&s->passing);
	s->values = NEW_ARRAY(&s->mem, struct kept *, plan_shelves(plan));
}

void store_open(struct store *s, const struct plan *plan, struct store *above, enum scope scope, const struct entity *entity)
{
	struct arena mem;

	arena_init(&mem);
	store_begin(s, mem, plan, above, scope, entity);
}

void store_open_narrow(struct store *s, struct store *full, const struct spans *only)
{
	store_open(s, full->plan, full->above, full->vantage.scope, full->vantage.entity);
	s->results = full->results;
	s->lock = full->lock;
	s->outlines = full->outlines; /* the run's are not of a store above */
	s->full = full;
	s->only = only;
}

static void value_give_back(struct kept *k)
{
	if (!k->mem.newest)
		return;
	arena_release(&k->mem);
	k->is_done = false;
}

static void give_back_all(struct store *s)
{
	for (size_t i = 0; i < plan_shelves(s->plan); i++)
		for (size_t k = 0; s->values[i] && k < SHELF_TERMS; k++)
			value_give_back(&s->values[i][k]);
	arena_release(&s->passing);
}

static void count_anew(struct store *s)
{
	if (!s->all_uses)
		return;
	s->uses = NEW_RAW_ARRAY(&s->mem, unsigned, s->plan->n_terms);
	memcpy(s->uses, s->all_uses, s->plan->n_terms * sizeof *s->uses);
}

void store_gives_back(struct store *s, const unsigned *uses)
{
	s->all_uses = uses;
	count_anew(s);
}

void store_reopen(struct store *s, const struct entity *entity)
{
	const unsigned *const uses = s->all_uses;

	give_back_all(s);
	arena_reset(&s->mem);
	store_begin(s, s->mem, s->plan, s->above, s->vantage.scope, entity);
	store_gives_back(s, uses);
}

void store_release(struct store *s)
{
	for (struct group *g = s->groups; g; g = g->next)
		arena_release(&g->mem);
	give_back_all(s);
	arena_release(&s->mem);
}

void store_forget(struct store *s)
{
	arena_release(&s->passing);
	if (s->all_uses)
		give_back_all(s);
	s->uses = NULL;
}

void store_spend_parts(struct store *s, const struct term *t)
{
	kept_of(s, t)->is_spent = true;
	if (t->kind == NODE_ACROSS)
		return;
	store_spend(s, t->left);
	store_spend(s, t->right);
}

void store_spend(struct store *s, const struct term *t)
{
	if (!s->uses || !t || t->level != s->vantage.scope || !s->uses[t->id] || --s->uses[t->id])
		return;
	struct kept *const k = kept_of(s, t);
	if (k->is_done)
		value_give_back(k);
	else if (!k->is_spent)
		store_spend_parts(s, t);
}

/* What is computed again uses its parts again. */
static void claim_part(struct store *s, const struct term *t)
{
	if (t && t->level == s->vantage.scope)
		s->uses[t->id]++;
}

void store_claim_parts(struct store *s, const struct term *t)
{
	if (!s->uses || !kept_of(s, t)->is_spent || t->kind == NODE_ACROSS)
		return;
	claim_part(s, t->left);
	claim_part(s, t->right);
}

static void spend(void *store, const struct term *t)
{
	store_spend(store, t);
}

void store_rule_judged(struct store *s, const struct planned_rule *r)
{
	plan_each_asked(r, spend, s);
	arena_release(&s->passing);
}

struct store *store_at(struct store *s, enum scope level)
{
	while (s->above && s->vantage.scope > level)
		s = s->above;
	return s;
}
