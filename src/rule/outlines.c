/*
 * outlines.c - what rules ask of the other GPUs, sketched once for each of them before any is judged. Where its own rules ask for the same,
 * they find it here.
 */
#include "rule/sketch_parts.h"

#include "rule/missing.h"

#include <stdlib.h>

struct gpu_number {
	const struct entity *gpu;
	size_t number; /* among all */
};

struct outlines {
	struct entities gpus;
	struct gpu_number *numbers; /* by address, to be found */
	size_t n_terms;
	const struct sketch **of; /* n_terms for each GPU, NULL where nobody asks for it, and where the GPU is no member */
	const bool *of_members;   /* by term: what sets ask */
	struct set_outline **sets; /* by term, of all GPUs; or NULL */
};

static int by_address(const void *a, const void *b)
{
	const struct gpu_number *const x = a, *const y = b;

	return (uintptr_t)x->gpu < (uintptr_t)y->gpu ? -1 : (uintptr_t)x->gpu > (uintptr_t)y->gpu;
}

static const struct sketch **outlines_at(const struct outlines *o, size_t gpu)
{
	return &o->of[gpu * o->n_terms];
}

const struct sketch *outline_of(const struct outlines *o, const struct entity *gpu, const struct term *of)
{
	const struct gpu_number wanted = { gpu, 0 };
	const struct gpu_number *const found = bsearch(&wanted, o->numbers, o->gpus.n, sizeof wanted, by_address);

	return found ? outlines_at(o, found->number)[of->id] : NULL;
}

bool has_outlines(const struct outlines *o, const struct term *of)
{
	return o->of_members[of->id];
}

const struct set_outline *set_outline_of(const struct outlines *o, const struct term *of)
{
	return o->sets[of->id];
}

/* What is sketched, by term id. */
struct marks {
	bool *of_members; /* what sets ask of each of theirs */
	bool *counted;    /* the same of those that count */
	bool *outermost;  /* the same of numbers, N_OUTERMOST of each term: which ones a fold lies between */
	bool *kept;       /* these, and what the rules of a GPU ask of itself as well, mostly */
};

/* ------ all GPUs together ------ */

static void add_facts(struct set_outline *set, const struct sketch *s, size_t n_blocks)
{
	size_t i = 0;

	for (uint64_t one, two, own; i + sizeof own <= n_blocks; i += sizeof own) {
		own = facts_of(eight_from(s, i));
		memcpy(&one, set->one + i, sizeof one);
		memcpy(&two, set->two + i, sizeof two);
		two |= one & own;
		one |= own;
		memcpy(set->one + i, &one, sizeof one);
		memcpy(set->two + i, &two, sizeof two);
	}
	for (; i < n_blocks; i++) {
		const uint8_t own = (uint8_t)facts_of(sketch_can(s, i));
		set->two[i] |= set->one[i] & own;
		set->one[i] |= own;
	}
}

static void add_counts(struct counts *counts, const struct sketch *s, size_t n_blocks)
{
	for (size_t i = 0; i < n_blocks; i++) {
		const uint8_t can = sketch_can(s, i);
		counts[i].can_yes += (can & CAN_YES) != 0;
		counts[i].only_yes += can == CAN_YES;
	}
}

/* Which of them comes first nobody can foresee: there is nothing to branch to. */
static struct bound_of_set bound_joined(struct bound_of_set b, float number)
{
	const float behind = number > b.first ? number : b.first;

	return (struct bound_of_set){ number < b.first ? number : b.first, behind < b.second ? behind : b.second };
}

static void bound_number(struct set_outline *set, size_t block, struct narrow_extent r)
{
	const float of[] = { [LOWEST_LOW] = r.low, [HIGHEST_LOW] = -r.low, [LOWEST_HIGH] = r.high, [HIGHEST_HIGH] = -r.high };

	if (is_anything(extent_widened(r))) {
		set->n_anything[block]++;
		return;
	}
	for (size_t k = 0; k < N_OUTERMOST; k++)
		if (set->bounds[k])
			set->bounds[k][block] = bound_joined(set->bounds[k][block], of[k]);
}

static void set_add(struct set_outline *set, const struct sketch *s, const struct blocks *b)
{
	set->n++;
	for (size_t i = 0; i < b->n && !s->can; i++)
		bound_number(set, i, sketch_narrow_range(s, i));
	if (s->can)
		add_facts(set, s, b->n);
	if (s->can && set->counts)
		add_counts(set->counts, s, b->n);
}

static struct bound_of_set *bounds_of_nobody(struct arena *mem, size_t n)
{
	struct bound_of_set *const at = NEW_RAW_ARRAY(mem, struct bound_of_set, n);

	for (size_t i = 0; i < n; i++)
		at[i] = (struct bound_of_set){ INFINITY, INFINITY };
	return at;
}

static struct set_outline *set_new(struct arena *mem, const struct term *t, const struct blocks *b, const struct marks *marks)
{
	struct set_outline *const set = NEW(mem, struct set_outline);

	if (t->is_condition) {
		set->one = NEW_ARRAY(mem, uint8_t, b->n);
		set->two = NEW_ARRAY(mem, uint8_t, b->n);
		set->counts = marks->counted[t->id] ? NEW_ARRAY(mem, struct counts, b->n) : NULL;
		return set;
	}
	set->n_anything = NEW_ARRAY(mem, uint32_t, b->n);
	for (size_t k = 0; k < N_OUTERMOST; k++)
		set->bounds[k] = marks->outermost[t->id * N_OUTERMOST + k] ? bounds_of_nobody(mem, b->n) : NULL;
	return set;
}

struct set_outlining {
	struct outlines *outlines;
	const struct plan *plan;
	const struct term **of; /* what sets ask of each of their members */
	size_t n;
};

/* Into places that were made before, so that terms can be gone through side by side. */
static void set_fill(void *context, size_t worker, size_t job)
{
	const struct set_outlining *const s = context;
	const struct outlines *const o = s->outlines;
	const size_t t = s->of[job]->id;

	(void)worker;
	for (size_t i = 0; i < o->gpus.n; i++)
		if (outlines_at(o, i)[t])
			set_add(o->sets[t], outlines_at(o, i)[t], &s->plan->blocks);
}

static void sets_outline(struct arena *mem, struct outlines *o, const struct plan *p, const struct marks *marks)
{
	struct set_outlining s = { .outlines = o, .plan = p, .of = NEW_ARRAY(mem, const struct term *, p->n_terms) };

	for (size_t t = 0; t < p->n_terms; t++) {
		if (!o->gpus.n || !marks->of_members[t] || p->terms[t]->kind == NODE_FOLD)
			continue;
		o->sets[t] = set_new(mem, p->terms[t], &p->blocks, marks);
		s.of[s.n++] = p->terms[t];
	}
	run_jobs(p->run, s.n, set_fill, &s);
}

/* ------ each of them ------ */

/* What many conditions look at: metrics, windows of them, and folds, which are asked for again and again and are one number. */
static bool is_looked_at_often(const struct term *t)
{
	return t->kind == NODE_FOLD || t->kind == NODE_METRIC || (t->kind == NODE_ROLLING && t->left->kind == NODE_METRIC);
}

static bool asks_gpus(const struct run *run, const struct term *t)
{
	return t && ((is_set_of_gpus(t) && !is_of_nobody(run, t)) || asks_gpus(run, t->left) || asks_gpus(run, t->right));
}

static void mark_set(struct marks *marks, const struct term *t)
{
	const size_t of = t->left->id;
	bool *const outermost = &marks->outermost[of * N_OUTERMOST];

	marks->of_members[of] = marks->kept[of] = true;
	marks->counted[of] |= t->fold != FOLD_ANY && t->fold != FOLD_ALL;
	outermost[low_asked(t->fold)] = outermost[high_asked(t->fold)] = true;
}

/* The members' terms of all sets of GPUs in a condition. */
static void mark_members(struct marks *marks, const struct term *t, bool is_inside)
{
	if (!t)
		return;
	const bool is_set = is_set_of_gpus(t);
	if (is_set)
		mark_set(marks, t);
	if (is_inside && is_looked_at_often(t))
		marks->kept[t->id] = true;
	mark_members(marks, t->left, is_inside || is_set);
	mark_members(marks, t->right, is_inside || is_set);
}

struct outlining {
	struct store *run;
	struct outlines *outlines;
	const struct marks *marks;
	struct arena kept[WORKERS_MAX];
};

static const struct sketch *sketch_kept(struct arena *mem, const struct sketch *s, size_t n_blocks)
{
	struct sketch *const kept = NEW(mem, struct sketch);

	*kept = sketch_narrowed(mem, s, n_blocks);
	return kept;
}

static void outline_gpu(void *context, size_t worker, size_t job)
{
	struct outlining *const o = context;
	const struct plan *const plan = o->run->plan;
	const struct entity *const gpu = o->outlines->gpus.at[job];
	struct store host, own;
	struct arena scratch;

	arena_init(&scratch);
	store_open(&host, plan, o->run, SCOPE_HOST, run_host(plan->run, gpu));
	store_open(&own, plan, &host, SCOPE_GPU, gpu);
	struct sketches *const sketches = sketches_new(&scratch, &own);
	const struct sketch **const of = outlines_at(o->outlines, job);
	for (size_t i = 0; i < plan->n_terms; i++)
		if (o->marks->of_members[i] && logs_have(plan->run, SCOPE_GPU, gpu, plan->terms[i]))
			of[i] = sketch_kept(&o->kept[worker], sketch_of(sketches, plan->terms[i]), plan->blocks.n);
	for (size_t i = 0; i < plan->n_terms; i++) {
		const bool is_other = o->marks->kept[i] && !o->marks->of_members[i];
		const struct sketch *const s = is_other ? sketch_at_hand(sketches, plan->terms[i]) : NULL;
		if (s)
			of[i] = sketch_kept(&o->kept[worker], s, plan->blocks.n);
	}
	store_release(&own);
	store_release(&host);
	arena_release(&scratch);
}

/* Do all GPUs lack what the rule needs, or is there but one? Then none of them is judged by it. */
static bool is_lacked(const struct run *run, const struct entities *gpus, const struct rule *rule)
{
	bool missing[N_METRICS] = { false };

	if (!gpus->n || !missing_is_same(run, rule->when) || !missing_is_same(run, rule->clear))
		return false;
	const struct vantage first = vantage_of(run, SCOPE_GPU, gpus->at[0]);
	return missing_others(&first, rule->when) || missing_mark(&first, rule->when, missing) ||
	       missing_mark(&first, rule->clear, missing);
}

const struct outlines *outlines_new(struct arena *mem, struct store *run)
{
	const struct plan *const p = run->plan;
	struct outlines *const all = NEW(mem, struct outlines);
	struct marks marks = {
		.of_members = NEW_ARRAY(mem, bool, p->n_terms),
		.counted = NEW_ARRAY(mem, bool, p->n_terms),
		.outermost = NEW_ARRAY(mem, bool, N_OUTERMOST * p->n_terms),
		.kept = NEW_ARRAY(mem, bool, p->n_terms),
	};
	struct outlining o = { .run = run, .outlines = all, .marks = &marks };

	if (!p->blocks.n)
		return NULL;
	*all = (struct outlines){ .gpus = entities_of(p->run, SCOPE_GPU), .n_terms = p->n_terms };
	for (size_t i = 0; i < p->n_rules; i++) {
		const struct rule *const rule = p->rules[i].rule;
		if (rule->scope != SCOPE_GPU || p->rules[i].is_whole)
			continue;
		if ((!asks_gpus(p->run, p->rules[i].when) && !asks_gpus(p->run, p->rules[i].clear)) || is_lacked(p->run, &all->gpus, rule))
			continue;
		mark_members(&marks, p->rules[i].when, false);
		mark_members(&marks, p->rules[i].clear, false);
		mark_members(&marks, p->rules[i].begins, false);
		mark_members(&marks, p->rules[i].ends, false);
	}
	all->of_members = marks.of_members;
	all->sets = NEW_ARRAY(mem, struct set_outline *, p->n_terms);
	all->numbers = NEW_ARRAY(mem, struct gpu_number, all->gpus.n);
	for (size_t i = 0; i < all->gpus.n; i++)
		all->numbers[i] = (struct gpu_number){ all->gpus.at[i], i };
	qsort(all->numbers, all->gpus.n, sizeof *all->numbers, by_address);
	all->of = NEW_ARRAY(mem, const struct sketch *, all->gpus.n * p->n_terms);
	run->lock = run_workers(p->run, all->gpus.n) > 1 ? lock_new() : NULL;
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_init(&o.kept[i]);
	run_jobs_shared(p->run, all->gpus.n, outline_gpu, &o);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		arena_adopt(mem, &o.kept[i]);
	if (run->lock)
		lock_free(run->lock);
	run->lock = NULL;
	sets_outline(mem, all, p, &marks);
	return all;
}
