/*
 * value_others.c - numbers of all other GPUs, as each of them sees them: from all GPUs and the one.
 *
 * Mostly they are found once for the run. Where narrow stores ask for little of the time, as where one block was left open in a week, all
 * GPUs are looked at there (value_around.c), once for all who ask for the same. Where most of the time is looked at slice by slice
 * (slices.c), what is asked later, as around a missing cell, is taken from these.
 */
#include "rule/value_parts.h"

#include "rule/sketch.h"

#include <stdlib.h>

enum { LEAST_MEMBERS = 3 }; /* of fewer there is one other, which is no fold */

struct rest { /* kept for numbers: all but one, for each one */
	struct rest *next;
	const struct term *of; /* the fold */
	const struct spans *only; /* right there alone; NULL: in all of the time */
	bool is_uncertain;     /* of that time: all of the run has to be looked at, whoever asks */
	bool is_of_slice;      /* that time is one of the slices of all of it */
	struct members all;    /* who they are, and their coverage */
	struct others others;  /* of three and more */
};

static bool is_number_of_others(const struct term *t)
{
	return t->kind == NODE_ACROSS && t->reach == REACH_OTHER_GPUS && !t->needs_firing && !t->left->is_condition;
}

/*
 * When all folds that the rules ask of a group are known, and none needs the values of its members, these are given back; of a short run
 * they stay, for the members themselves may ask for them.
 */
static void give_back(struct store *run, struct group *g)
{
	const struct plan *const p = run->plan;
	size_t n_wanted = 0, n_known = 0;

	if (p->values_are_small)
		return;
	for (size_t i = 0; i < p->n_terms; i++)
		n_wanted += is_number_of_others(p->terms[i]) && p->terms[i]->left == g->of;
	for (const struct rest *r = run->rests; r; r = r->next)
		n_known += r->of->left == g->of && !r->only && r->others.extremes;
	if (n_known < n_wanted || g->is_looked_at)
		return;
	arena_release(&g->mem);
	g->has_values = false;
}

static const struct rest *rest_of(struct store *run, const struct term *t)
{
	for (const struct rest *r = run->rests; r; r = r->next)
		if (r->of == t && !r->only)
			return r;
	struct group *const g = group_of(run, t->left);
	struct rest *const r = NEW(&run->mem, struct rest);
	const time_ms poll = poll_of(run, &g->all, t->left, SCOPE_GPU);
	*r = (struct rest){ .next = run->rests, .of = t, .all = g->all };
	run->rests = r;
	if (g->all.n < LEAST_MEMBERS)
		return r;
	const struct signal *const numbers = signals_of(&run->mem, &g->all);
	const struct span all = all_time(run);
	r->others = others_new(&run->mem, numbers, g->all.n, t->fold, poll, &(struct bounding){ domain_of(t->left), spans_one(&all) });
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

/* False: the store is of none of them, or of too few. */
static bool fold_others(const struct store *s, struct arena *mem, const struct rest *rest, struct value *out)
{
	const struct members *const all = &rest->all;
	size_t own = 0;

	while (own < all->n && all->who[own] != s->vantage.entity)
		own++;
	if (own == all->n || all->n < LEAST_MEMBERS)
		return false;
	const struct signal number = others_fold(mem, &rest->others, own);
	struct bounds bounds;
	*out = others_bounds(mem, &rest->others, own, &bounds) ? of_number_or_bounds(number, bounds) : of_number(number);
	for (size_t i = 0; i < all->n; i++)
		if (i != own)
			out->coverage = lesser(out->coverage, all->values[i].coverage);
	return true;
}

bool numbers_of_others(struct store *s, struct arena *mem, const struct term *t, struct value *out)
{
	return is_number_of_others(t) && fold_others(s, mem, rest_for(s, t), out);
}

/* ------ in some of the time ------ */

/* From this share of all time on all of it is looked at. */
#define LEAST_FOR_ALL 0.3

/* All GPUs that are members; false: they are too few, or not sketched. */
static bool find_members(struct store *run, const struct term *of, struct members *m)
{
	const struct entities all = entities_of(run->plan->run, SCOPE_GPU);

	if (!has_outlines(run->outlines, of))
		return false;
	*m = members_room(&run->mem, all.n);
	for (size_t i = 0; i < all.n; i++)
		if (outline_of(run->outlines, all.at[i], of))
			members_add(m, all.at[i], of_number((struct signal){ .n = 0 })); /* the fold has their numbers */
	return m->n >= LEAST_MEMBERS;
}

/* In `mem`. False where it is not certain that polls are those of the whole run. */
static bool look_around(struct store *s, struct arena *mem, struct rest *r)
{
	struct arena scratch;

	arena_init(&scratch);
	struct around around = around_of(s, &r->all, r->of, s->lock);
	around.only = r->only;
	struct signal *const numbers = numbers_around(&around, &scratch);
	if (numbers)
		r->others = others_new_in(mem, numbers, r->all.n, r->of->fold, around.poll, 1,
			&(struct bounding){ domain_of(r->of->left), *r->only });
	if (r->others.many) /* they are needed again */
		arena_adopt(mem, &scratch);
	arena_release(&scratch);
	return numbers;
}

/* How much of the time is looked at for that. */
static time_ms time_looked_at(const struct store *run, const struct term *t, const struct spans *only)
{
	return time_with_rows(run, t->left, only) + (time_ms)only->n * LOOKED_AT_BEFORE * run->plan->blocks.width;
}

/* Is that little of the time, with what others have asked for? Nobody has asked for all of it. */
static bool pays_to_look(const struct store *run, const struct term *t, const struct spans *only)
{
	time_ms looked_at = time_looked_at(run, t, only);

	for (const struct rest *r = run->rests; r; r = r->next) {
		if (r->of == t && !r->only)
			return false;
		looked_at += r->of == t ? time_looked_at(run, t, r->only) : 0;
	}
	return (double)looked_at < LEAST_FOR_ALL * (double)span_length(all_time(run));
}

/* Is it right wherever it is asked? A term whose windows reach further has looked at the same slice and more around it. */
static bool is_right_in(const struct rest *r, const struct spans *only, bool is_slice)
{
	if (!is_slice || !r->is_of_slice || r->is_uncertain)
		return spans_are_same(*r->only, *only);
	const struct span looked_at = spans_hull(*r->only), asked = spans_hull(*only);
	return looked_at.begin <= asked.begin && asked.end <= looked_at.end;
}

/* What was found for this time; NULL: nobody has looked at it. */
static struct rest *rest_found(const struct store *run, const struct term *t, const struct store *asking)
{
	for (struct rest *r = run->rests; r; r = r->next)
		if (r->of == t && r->only && is_right_in(r, asking->only, asking->is_slice))
			return r;
	return NULL;
}

/* Who the members are, which is the same in any time. */
static bool members_found(struct store *run, const struct term *t, struct members *m)
{
	for (const struct rest *r = run->rests; r; r = r->next)
		if (r->of == t && r->only) {
			*m = r->all;
			return true;
		}
	return find_members(run, t->left, m);
}

/* With what it took memory for. */
static const struct rest *rest_kept(struct store *run, struct arena *mem, const struct rest *r)
{
	struct rest *const kept = NEW(&run->mem, struct rest);
	struct spans *const only = NEW(&run->mem, struct spans);

	*only = spans_of(&run->mem, r->only->at, r->only->n);
	*kept = *r;
	kept->only = only;
	kept->next = run->rests;
	run->rests = kept;
	arena_adopt(&run->mem, mem);
	return kept;
}

/* Looks while others may look for what they ask; of what two looked at at a time one is kept. NULL: all of the time is to be looked at. */
static const struct rest *rest_in(struct store *s, const struct term *t)
{
	struct store *const run = store_at(s, SCOPE_RUN);
	struct rest own = { .of = t, .only = s->only, .is_of_slice = s->is_slice };
	struct arena mem;

	shared_take(s);
	const struct rest *r = rest_found(run, t, s);
	const bool pays = !r && (s->is_slice || pays_to_look(run, t, s->only)) && members_found(run, t, &own.all);
	shared_give(s);
	if (pays) {
		arena_init(&mem);
		own.is_uncertain = !look_around(s, &mem, &own);
		shared_take(s);
		r = rest_found(run, t, s);
		if (!r)
			r = rest_kept(run, &mem, &own);
		shared_give(s);
		arena_release(&mem);
	}
	return r && !r->is_uncertain ? r : NULL;
}

/* ------ from slices that somebody has looked at ------ */

struct slices {
	const struct rest **at;
	size_t n;
};

static int by_begin(const void *a, const void *b)
{
	const struct span x = spans_hull(*(*(const struct rest *const *)a)->only), y = spans_hull(*(*(const struct rest *const *)b)->only);

	return x.begin != y.begin ? (x.begin > y.begin) - (x.begin < y.begin) : (x.end > y.end) - (x.end < y.end);
}

static struct slices slices_known(struct store *s, struct arena *mem, const struct term *t)
{
	struct slices all = { NULL, 0 };

	shared_take(s);
	for (const struct rest *r = store_at(s, SCOPE_RUN)->rests; r; r = r->next)
		if (r->of == t && r->is_of_slice && !r->is_uncertain) {
			all.at = arena_array_next(mem, all.at, all.n, sizeof *all.at);
			all.at[all.n++] = r;
		}
	shared_give(s);
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_begin);
	return all;
}

/* What slices told of some of the spans that are asked, each until the next begins. */
struct told_by_slices {
	struct value *values;
	struct span *when;
	size_t n;
};

static struct told_by_slices told_by_slices(struct store *s, struct arena *mem, const struct term *t)
{
	const struct slices all = slices_known(s, mem, t);
	struct told_by_slices told = { NEW_ARRAY(mem, struct value, all.n), NEW_ARRAY(mem, struct span, all.n), 0 };
	time_ms done = all_time(s).begin;
	struct value v;

	for (size_t i = 0; i < all.n; i++) {
		const struct span slice = spans_hull(*all.at[i]->only), rest = { later(slice.begin, done), slice.end };
		if (span_length(rest) <= 0 || !spans_intersection(mem, *s->only, spans_one(&rest)).n || !fold_others(s, mem, all.at[i], &v))
			continue;
		told.values[told.n] = v;
		told.when[told.n++] = rest;
		done = rest.end;
	}
	return told;
}

/* False where not all that is asked lies in slices. */
static bool numbers_of_slices(struct store *s, struct arena *mem, const struct term *t, struct value *out)
{
	struct arena scratch;

	arena_init(&scratch);
	const struct told_by_slices told = told_by_slices(s, &scratch, t);
	const bool is_all = told.n && !spans_without(&scratch, *s->only, (struct spans){ told.when, told.n }).n;
	if (is_all)
		*out = value_in_turn(mem, told.values, told.when, told.n, all_time(s));
	arena_release(&scratch);
	return is_all;
}

bool numbers_asked(struct store *s, struct arena *mem, const struct term *t, struct value *out)
{
	if (!is_number_of_others(t) || t->left->has_costly_fold || folds_what_was_seen(t->left) || !s->outlines)
		return false;
	if (!s->is_slice && numbers_of_slices(s, mem, t, out))
		return true;
	const struct rest *const rest = rest_in(s, t);
	return rest && fold_others(s, mem, rest, out);
}
