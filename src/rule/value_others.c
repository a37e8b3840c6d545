/*
 * value_others.c - numbers of all other GPUs, as each of them sees them: from all GPUs and the one.
 *
 * Mostly they are found once for the run. Where a narrow store asks for a metric in little of the time, as where one block was left open
 * in a week, all GPUs are looked at there and a little before: polls are those of the whole run from the first one on that begins behind a
 * pause.
 */
#include "rule/value_parts.h"

#include "rule/sketch.h"

enum { LEAST_MEMBERS = 3 }; /* of fewer there is one other, which is no fold */

struct rest { /* kept for numbers: all but one, for each one */
	struct rest *next;
	const struct term *of; /* the fold */
	struct members all;    /* who they are, and their coverage */
	struct others others;  /* of three and more */
};

static bool is_number_of_others(const struct term *t)
{
	return t->kind == NODE_ACROSS && t->reach == REACH_OTHER_GPUS && !t->needs_firing && !t->left->is_condition;
}

/* When all folds that the rules ask of a group are known, and none needs the values of its members, these are given back. */
static void give_back(struct store *run, struct group *g)
{
	const struct plan *const p = run->plan;
	size_t n_wanted = 0, n_known = 0;

	for (size_t i = 0; i < p->n_terms; i++)
		n_wanted += is_number_of_others(p->terms[i]) && p->terms[i]->left == g->of;
	for (const struct rest *r = run->rests; r; r = r->next)
		n_known += r->of->left == g->of && r->others.extremes;
	if (n_known < n_wanted || g->is_looked_at)
		return;
	arena_release(&g->mem);
	g->has_values = false;
}

static const struct rest *rest_of(struct store *run, const struct term *t)
{
	for (const struct rest *r = run->rests; r; r = r->next)
		if (r->of == t)
			return r;
	struct group *const g = group_of(run, t->left);
	struct rest *const r = NEW(&run->mem, struct rest);
	const time_ms poll = poll_of(run, &g->all, t->left, SCOPE_GPU);
	*r = (struct rest){ .next = run->rests, .of = t, .all = g->all };
	run->rests = r;
	if (g->all.n < LEAST_MEMBERS)
		return r;
	r->others = others_new(&run->mem, signals_of(&run->mem, &g->all), g->all.n, t->fold, poll);
	give_back(run, g);
	return r;
}

static const struct rest *rest_for(struct store *s, const struct term *t)
{
	shared_take(s);
	const struct rest *const rest = rest_of(store_at(s, SCOPE_RUN), t);
	shared_give(s);
	return rest;
}

bool numbers_of_others(struct store *s, struct arena *mem, const struct term *t, struct value *out)
{
	if (!is_number_of_others(t))
		return false;
	const struct rest *const rest = rest_for(s, t);
	const struct members *const all = &rest->all;
	size_t own = 0;
	while (own < all->n && all->who[own] != s->vantage.entity)
		own++;
	if (own == all->n || all->n < LEAST_MEMBERS)
		return false;
	*out = of_number(others_fold(mem, &rest->others, own));
	for (size_t i = 0; i < all->n; i++)
		if (i != own)
			out->coverage = lesser(out->coverage, all->values[i].coverage);
	return true;
}

/* ------ in some of the time ------ */

/* From this share of all samples on they are looked at once for the run. */
#define LEAST_FOR_ALL 0.3

/* All GPUs of which a metric is known at some time. */
struct known_members {
	const struct entity **who;
	size_t n, own; /* own: which of them the store is of */
};

/* False where that is not certain, or the store is of none of them. */
static bool find_members(struct store *s, struct arena *scratch, const struct term *metric, struct known_members *m)
{
	const struct entities all = vantage_members(scratch, &s->vantage, REACH_ALL_GPUS);

	*m = (struct known_members){ NEW_ARRAY(scratch, const struct entity *, all.n), 0, all.n };
	for (size_t i = 0; i < all.n; i++) {
		const struct sketch *const sketch = outline_of(s->outlines, all.at[i], metric);
		if (!sketch || !sketch_tells_if_known(sketch, &s->plan->blocks))
			return false;
		if (sketch->is_never)
			continue;
		if (all.at[i] == s->vantage.entity)
			m->own = m->n;
		m->who[m->n++] = all.at[i];
	}
	return m->own < m->n && m->n >= LEAST_MEMBERS;
}

/* So much is looked at before what is asked, for a pause between two polls. */
static time_ms time_before(const struct store *s)
{
	return s->plan->blocks.width;
}

/* Does a poll begin before each stretch that is asked of which it is certain that it is one in the whole run as well? */
static bool polls_are_certain(const struct store *s, const struct signal *many, size_t n, time_ms poll)
{
	for (size_t i = 0; i < s->only->n; i++) {
		const time_ms asked = s->only->at[i].begin;
		const struct span before = { asked - time_before(s), asked + 1 };
		time_ms when;
		if (before.begin > all_time(s).begin && !poll_begins_in(many, n, poll, before, &when))
			return false;
	}
	return true;
}

/* What all of them have in that time; not known elsewhere. */
static struct signal *signals_around(
	struct store *s, struct arena *scratch, const struct known_members *m, enum metric metric, time_ms poll)
{
	struct signal *const signals = NEW_ARRAY(scratch, struct signal, m->n);
	const struct spans around = spans_widened(scratch, *s->only, time_before(s), poll + 1, all_time(s));

	for (size_t i = 0; i < m->n; i++) {
		const struct vantage v = vantage_of(s->plan->run, SCOPE_GPU, m->who[i]);
		const struct track narrow = track_narrowed(scratch, vantage_track(&v, metric), &around);
		signals[i] = whole_track(scratch, &narrow, all_time(s));
	}
	return signals;
}

/* Is it less to look at all GPUs here, for each of them, than once for the run? */
static bool pays_to_look(const struct store *s, const struct known_members *m)
{
	const time_ms looked_at = spans_length(*s->only) + (time_ms)s->only->n * time_before(s);

	return (double)looked_at * (double)m->n < LEAST_FOR_ALL * (double)span_length(all_time(s));
}

/* Has nobody asked for all of the time yet? */
static bool is_unasked(struct store *s, const struct term *t)
{
	bool is_known = false;

	shared_take(s);
	for (const struct rest *r = store_at(s, SCOPE_RUN)->rests; r; r = r->next)
		is_known |= r->of == t;
	shared_give(s);
	return !is_known;
}

bool numbers_asked(struct store *s, struct arena *mem, const struct term *t, struct value *out)
{
	struct known_members m;
	struct arena scratch;

	if (!is_number_of_others(t) || t->left->kind != NODE_METRIC || !s->outlines)
		return false;
	arena_init(&scratch);
	bool is_found = find_members(s, &scratch, t->left, &m) && pays_to_look(s, &m) && is_unasked(s, t);
	if (is_found) {
		const time_ms poll = poll_of(s, &(struct members){ .who = m.who, .n = m.n }, t->left, SCOPE_GPU);
		const struct signal *const signals = signals_around(s, &scratch, &m, t->left->metric, poll);
		is_found = polls_are_certain(s, signals, m.n, poll);
		if (is_found) {
			const struct others others = others_new_in(&scratch, signals, m.n, t->fold, poll, 1);
			*out = of_number(others_fold(mem, &others, m.own));
		}
	}
	arena_release(&scratch);
	return is_found;
}
