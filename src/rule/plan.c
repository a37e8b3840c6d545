/*
 * plan.c - expressions of all rules become terms, each different one once.
 *
 *     gpu-starved-by-cpu       mean(gpu.util, 10 s) < 70 % and host.cpu.busy > 97 %
 *     gpu-starved-by-one-core  mean(gpu.util, 10 s) < 70 % and max of cores(core.busy) > 95 %
 *                              |------ one term ---------|      |---- one a host ---|
 *
 * Terms are found again by a hash of what they say.
 */
#include "rule/plan.h"

/* Phases that this run does not have make no difference. */
static struct judged_time *time_with(struct plan *p, unsigned phases)
{
	const struct spans spans = run_phases(p->mem, p->run, phases);
	struct span hull = { p->run->span.begin, p->run->span.begin };

	for (size_t i = 0; i < p->n_times; i++)
		if (spans_are_same(p->times[i].spans, spans))
			return &p->times[i];
	if (spans.n)
		hull = spans_hull(spans);
	p->times[p->n_times] = (struct judged_time){ spans, hull };
	return &p->times[p->n_times++];
}

/* Nearly all rules judge the same phases as one before them, of which there may be thousands. */
static const struct judged_time *time_of_rule(struct plan *p, size_t rule)
{
	const unsigned phases = p->rules[rule].rule->during;

	for (size_t i = 0; i < rule; i++)
		if (p->rules[i].rule->during == phases)
			return p->rules[i].time;
	return time_with(p, phases);
}

static bool is_same_term(const struct term *a, const struct term *b)
{
	return a->kind == b->kind && a->metric == b->metric && a->comparison == b->comparison && a->fold == b->fold
		&& a->reach == b->reach && a->where == b->where && a->time == b->time && a->width == b->width && a->number == b->number
		&& a->factor == b->factor && a->min_coverage == b->min_coverage && a->left == b->left && a->right == b->right;
}

static uint64_t mixed(uint64_t hash, uint64_t with)
{
	return (hash ^ with) * 0x9E3779B97F4A7C15U ^ hash >> 29; /* Fibonacci hashing */
}

static uint64_t bits_of(double number)
{
	const double same = number + 0; /* 0 and -0 are one number */
	uint64_t bits;

	memcpy(&bits, &same, sizeof bits);
	return bits;
}

static size_t slot_of(const struct term *t)
{
	uint64_t hash = mixed(0, (uint64_t)t->kind << 32 | (uint64_t)t->metric);

	hash = mixed(hash, (uint64_t)t->fold << 32 | (uint64_t)t->comparison);
	hash = mixed(hash, (uint64_t)t->width);
	hash = mixed(hash, bits_of(t->number));
	hash = mixed(hash, t->left ? t->left->id + 1 : 0);
	hash = mixed(hash, t->right ? t->right->id + 1 : 0);
	return (size_t)(hash >> 32) % TERM_SLOTS;
}

static enum scope narrower(enum scope a, enum scope b)
{
	return a > b ? a : b;
}

/* A difference may be below 0, and so may slopes; what else is made of values that are not, is not. */
static bool can_be_negative(const struct term *t)
{
	switch (t->kind) {
	case NODE_NUMBER:
		return t->number < 0;
	case NODE_METRIC:
		return metric_table[t->metric].low < 0;
	case NODE_NEGATE:
	case NODE_SUBTRACT:
		return true;
	case NODE_ROLLING:
	case NODE_FOLD:
		return t->fold == FOLD_SLOPE || t->left->is_negative;
	default:
		return (t->left && t->left->is_negative) || (t->right && t->right->is_negative);
	}
}

static bool varies_over_time(const struct term *t)
{
	switch (t->kind) {
	case NODE_METRIC:
	case NODE_HAS:
	case NODE_HOLE:
	case NODE_ROLLING:
		return true;
	case NODE_FOLD:
	case NODE_LOGGED:
	case NODE_REF:
		return false;
	default:
		return (t->left && t->left->varies) || (t->right && t->right->varies);
	}
}

static enum scope level_of(const struct term *t)
{
	switch (t->kind) {
	case NODE_METRIC:
	case NODE_HAS:
	case NODE_HOLE:
	case NODE_LOGGED:
		return metric_table[t->metric].scope;
	case NODE_ACROSS:
		return reach_level(t->reach);
	default:
		return narrower(t->left ? t->left->level : SCOPE_RUN, t->right ? t->right->level : SCOPE_RUN);
	}
}

static bool is_about_firing(const struct term *t)
{
	return t->kind == NODE_REF || (t->kind == NODE_FOLD && (t->where == WHERE_INSIDE || t->where == WHERE_OUTSIDE))
		|| (t->left && t->left->needs_firing) || (t->right && t->right->needs_firing);
}

static bool costs_all_time(const struct term *t)
{
	if (t->kind == NODE_FOLD)
		return t->left->kind != NODE_METRIC;
	return (t->left && t->left->has_costly_fold) || (t->right && t->right->has_costly_fold);
}

static bool is_told_around(const struct term *t)
{
	if (t->kind == NODE_FOLD)
		return false;
	return t->kind == NODE_ROLLING || t->kind == NODE_ACROSS || (t->left && t->left->looks_around)
		|| (t->right && t->right->looks_around);
}

static bool is_of_numbers_of_others(const struct term *t)
{
	if (t->kind == NODE_FOLD)
		return false;
	return (t->kind == NODE_ACROSS && !t->left->is_condition) || (t->left && t->left->asks_numbers_of_others)
		|| (t->right && t->right->asks_numbers_of_others);
}

/* Of an `and` or `or` either part may decide it, but for one that is the same all the time, as what is logged. */
static unsigned count_windows_first(const struct term *t)
{
	const unsigned left = t->left ? t->left->windows_first : 0, right = t->right ? t->right->windows_first : 0;

	if (t->kind == NODE_FOLD)
		return 0;
	if ((t->kind == NODE_AND || t->kind == NODE_OR) && t->left->varies && t->right->varies)
		return left < right ? left : right;
	return (t->kind == NODE_ROLLING) + left + right;
}

static const struct term *term_new(struct plan *p, const struct term *wanted, size_t slot)
{
	p->terms = arena_array_next(p->mem, p->terms, p->n_terms, sizeof *p->terms);
	struct term *const t = p->terms[p->n_terms] = NEW(p->mem, struct term);
	*t = *wanted;
	t->id = p->n_terms++;
	t->like = p->found[slot];
	t->varies = varies_over_time(t);
	t->level = level_of(t);
	t->needs_firing = is_about_firing(t);
	t->is_negative = can_be_negative(t);
	t->has_costly_fold = costs_all_time(t);
	t->looks_around = is_told_around(t);
	t->asks_numbers_of_others = is_of_numbers_of_others(t);
	t->windows_first = count_windows_first(t);
	if (t->kind == NODE_ACROSS && t->reach == REACH_OTHER_GPUS && t->left->is_condition && !t->needs_firing)
		p->terms[t->left->id]->is_asked_of_others = true;
	return p->found[slot] = t;
}

/* The one that says this: what follows from it is known where it was said before, which in rules is the rule. */
static const struct term *interned(struct plan *p, const struct term *wanted)
{
	const size_t slot = slot_of(wanted);

	for (const struct term *t = p->found[slot]; t; t = t->like)
		if (is_same_term(t, wanted))
			return t;
	return term_new(p, wanted, slot);
}

struct context {
	enum scope from;
	size_t time;
	double min_coverage;
	double beside; /* the same of the firing time, by logs of the other side: moments seen by chance are to clear nobody */
};

static bool is_of_a_gpu(enum scope scope)
{
	return scope == SCOPE_GPU;
}

bool term_looks_beside(const struct term *t, enum scope scope)
{
	if (!t || t->kind == NODE_FOLD || t->kind == NODE_LOGGED) /* of no moment */
		return false;
	if (t->kind == NODE_METRIC || t->kind == NODE_HAS || t->kind == NODE_HOLE)
		return metric_table[t->metric].kind != KIND_FACT && is_of_a_gpu(metric_table[t->metric].scope) != is_of_a_gpu(scope);
	return term_looks_beside(t->left, scope) || term_looks_beside(t->right, scope);
}

/* For how much of its time what it folds has to be known. */
static double coverage_asked(const struct context *c, const struct term *fold)
{
	if (fold->where == WHERE_INSIDE)
		return term_looks_beside(fold->left, c->from) ? c->beside : 0;
	return fold->where == WHERE_OUTSIDE ? 0 : c->min_coverage;
}

static const struct term *term_of(struct plan *p, const struct context *c, const struct expression *e)
{
	struct context inside = *c;
	struct term t = {
		.kind = e->kind,
		.dimension = e->dimension,
		.is_condition =
			e->is_condition || e->kind == NODE_COMPARE || e->kind == NODE_AND || e->kind == NODE_OR || e->kind == NODE_NOT,
		.factor = e->factor != 0 ? e->factor : 1, /* not said: the values are in the unit of the result */
	};

	switch (e->kind) {
	case NODE_NUMBER:
		t.number = e->number;
		t.factor = 1;
		break;
	case NODE_METRIC:
	case NODE_HAS:
	case NODE_HOLE:
	case NODE_LOGGED:
		t.metric = e->metric;
		break;
	case NODE_COMPARE:
		t.comparison = e->comparison;
		break;
	case NODE_ROLLING:
		t.fold = e->fold;
		t.width = e->width;
		t.time = c->time;
		break;
	case NODE_FOLD:
		t.fold = e->fold;
		t.where = e->where;
		t.time = e->where == WHERE_JUDGED ? c->time : 0;
		break;
	case NODE_ACROSS:
		t.fold = e->fold;
		t.reach = reach_of(p->run, e->set, c->from);
		inside.from = reach_scope(t.reach);
		break;
	case NODE_NEGATE:
	case NODE_ADD:
	case NODE_SUBTRACT:
	case NODE_MULTIPLY:
	case NODE_DIVIDE:
	case NODE_AND:
	case NODE_OR:
	case NODE_NOT:
	case NODE_REF:
		break;
	}
	if (e->left)
		t.left = term_of(p, &inside, e->left);
	if (e->right)
		t.right = term_of(p, &inside, e->right);
	if (t.kind == NODE_FOLD)
		t.min_coverage = coverage_asked(c, &t);
	return interned(p, &t);
}

/* Has a window over time a counterpart at each moment? A mean over 10 s: the value; a rate: from one row to the next; a slope: none. */
static bool has_moments(const struct term *t)
{
	if (t->kind != NODE_ROLLING)
		return false;
	if (t->left->is_condition)
		return t->fold == FOLD_SHARE;
	return t->fold == FOLD_MEAN || t->fold == FOLD_MIN || t->fold == FOLD_MAX || t->fold == FOLD_RATE || fold_percent(t->fold) > 0;
}

/* The same with each window over time replaced by what it looks at. */
static const struct term *at_moments(struct plan *p, const struct term *t)
{
	struct term same = *t;

	if (t->kind == NODE_FOLD || t->needs_firing || !t->left)
		return t;
	same.left = at_moments(p, t->left);
	if (t->right)
		same.right = at_moments(p, t->right);
	if (has_moments(t) && !t->left->is_condition && t->fold != FOLD_RATE)
		return same.left;
	if (has_moments(t)) {
		same.width = 0;
		same.time = 0;
	}
	if (same.left == t->left && same.right == t->right && same.width == t->width)
		return t;
	return interned(p, &same);
}

static struct context context_of(const struct plan *p, const struct planned_rule *r)
{
	return (struct context){ r->rule->scope, (size_t)(r->time - p->times), r->rule->min_coverage, 0 };
}

static void plan_condition(struct plan *p, struct planned_rule *r)
{
	const struct context c = context_of(p, r);

	r->when = term_of(p, &c, r->rule->when);
	r->is_whole = !r->when->varies;
	if (r->rule->clear && !r->is_whole)
		r->clear = term_of(p, &c, r->rule->clear);
	const struct term *begins = at_moments(p, r->when), *ends = r->clear ? at_moments(p, r->clear) : NULL;
	if (begins != r->when || ends != r->clear) {
		r->begins = begins;
		r->ends = ends;
	}
}

/* What is told of the firing time needs no coverage: it says what was seen. Only of what explains it, in other logs, most has to be. */
static void plan_evidence(struct plan *p, struct planned_rule *r)
{
	struct context c = context_of(p, r);

	c.min_coverage = 0;
	c.beside = r->rule->min_coverage;
	r->evidence = NEW_ARRAY(p->mem, const struct term *, r->rule->n_evidence);
	for (size_t i = 0; i < r->rule->n_evidence; i++)
		r->evidence[i] = term_of(p, &c, r->rule->evidence[i].expression);
	if (r->rule->cost)
		r->cost = term_of(p, &c, r->rule->cost);
	if (r->rule->cost_least)
		r->cost_least = term_of(p, &c, r->rule->cost_least);
}

struct sorting {
	const struct plan *plan;
	bool *seen;
	size_t n;
};

static bool waits_for(const struct rule *rule, const struct rule *other)
{
	return texts_have(rule->excluded_by, other->id) || texts_have(rule->unknown_while, other->id);
}

/* Depth first; circles have been refused when the rules were loaded. */
static void put_in_order(struct sorting *s, size_t i)
{
	const struct plan *p = s->plan;

	if (s->seen[i])
		return;
	s->seen[i] = true;
	for (size_t k = 0; k < p->n_rules; k++)
		if (waits_for(p->rules[i].rule, p->rules[k].rule))
			put_in_order(s, k);
	p->order[s->n++] = i;
}

static bool is_logged(const struct vantage *v, const struct term *t);

static bool is_logged_of_any(const struct vantage *v, const struct term *set)
{
	size_t at = 0;

	for (const struct entity *who; (who = vantage_next_member(v, set->reach, &at));)
		if (logs_have(v->run, reach_scope(set->reach), who, set->left))
			return true;
	return false;
}

static bool is_logged(const struct vantage *v, const struct term *t)
{
	const struct track *track;

	switch (t->kind) {
	case NODE_METRIC:
	case NODE_HAS:
		track = vantage_track(v, t->metric);
		return track && track_tells(track);
	case NODE_HOLE:
		return vantage_track(v, t->metric) != NULL;
	case NODE_AND:
	case NODE_OR:
		return is_logged(v, t->left) || is_logged(v, t->right);
	case NODE_ACROSS:
		return is_logged_of_any(v, t);
	default:
		return (!t->left || is_logged(v, t->left)) && (!t->right || is_logged(v, t->right));
	}
}

bool logs_have(const struct run *run, enum scope scope, const struct entity *who, const struct term *asked)
{
	const struct vantage v = vantage_of(run, scope, who);

	return is_logged(&v, asked);
}

/* Rows of the finest log of GPUs in a block, and blocks of a run for which it pays; more are made wider. */
enum { BLOCK_ROWS = 32, LEAST_BLOCKS = 3, MOST_BLOCKS = 1 << 17 };
/* What 16,384 rows are worth fits a core's cache; a twelfth more is looked at beside it, for windows. */
static const struct slice_size usual_slice = { .n_blocks = 512, .n_reaches = 24 };

static struct blocks blocks_of(const struct run *run)
{
	const time_ms length = span_length(run->span);
	time_ms step = 0;

	for (size_t i = 0; i < run->n_tracks; i++) {
		const struct track *const t = run->tracks[i];
		const bool is_of_gpu = metric_table[t->metric].scope == SCOPE_GPU && metric_table[t->metric].kind != KIND_FACT;
		if (is_of_gpu && t->step > 0 && (!step || t->step < step))
			step = t->step;
	}
	const time_ms least = length / MOST_BLOCKS + 1, width = step * BLOCK_ROWS > least ? step * BLOCK_ROWS : least;
	const size_t n = step ? (size_t)((length + width - 1) / width) : 0;
	return (struct blocks){ run->span, width, n < LEAST_BLOCKS || width > WIDEST_SKETCHED ? 0 : n };
}

struct plan *plan_new(struct arena *mem, const struct rules *rules, const struct run *run)
{
	struct plan *p = NEW(mem, struct plan);

	p->mem = mem;
	p->run = run;
	p->blocks = blocks_of(run);
	p->slice = usual_slice;
	p->poll_length = poll_length(run);
	p->values_are_small = values_are_small(run);
	p->n_rules = rules->n;
	p->rules = NEW_ARRAY(mem, struct planned_rule, rules->n);
	p->order = NEW_ARRAY(mem, size_t, rules->n);
	p->times = NEW_ARRAY(mem, struct judged_time, rules->n);
	for (size_t i = 0; i < rules->n; i++) {
		p->rules[i].rule = rules->at[i];
		p->rules[i].time = time_of_rule(p, i);
		plan_condition(p, &p->rules[i]);
		plan_evidence(p, &p->rules[i]);
	}
	struct sorting sorting = { p, NEW_ARRAY(mem, bool, rules->n), 0 };
	for (size_t i = 0; i < rules->n; i++)
		put_in_order(&sorting, i);
	return p;
}

const struct term *plan_term(struct plan *p, const struct planned_rule *rule, const struct expression *part)
{
	const struct context c = context_of(p, rule);

	return term_of(p, &c, part);
}

/* ------ how often each term is asked for ------ */

static void each_joined(const struct term *t, void (*each)(void *context, const struct term *), void *context)
{
	if (!t)
		return;
	each(context, t);
	if (t->kind != NODE_AND && t->kind != NODE_OR && t->kind != NODE_NOT)
		return;
	each_joined(t->left, each, context);
	each_joined(t->right, each, context);
}

void plan_each_asked(const struct planned_rule *r, void (*each)(void *context, const struct term *), void *context)
{
	const struct term *const roots[] = { r->when, r->clear, r->begins, r->ends };

	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		each_joined(roots[i], each, context);
}

struct counting {
	enum scope scope;
	unsigned *uses;
};

static void count_use(void *context, const struct term *t)
{
	const struct counting *const c = context;

	if (!t || t->level != c->scope || c->uses[t->id]++ || t->kind == NODE_ACROSS)
		return;
	count_use(context, t->left);
	count_use(context, t->right);
}

unsigned *plan_uses(struct arena *mem, const struct plan *p, enum scope scope)
{
	struct counting c = { scope, NEW_ARRAY(mem, unsigned, p->n_terms) };

	for (size_t i = 0; i < p->n_rules; i++)
		if (p->rules[i].rule->scope == scope)
			plan_each_asked(&p->rules[i], count_use, &c);
	return c.uses;
}

unsigned *plan_uses_of(struct arena *mem, const struct plan *p, enum scope scope, struct terms terms)
{
	struct counting c = { scope, NEW_ARRAY(mem, unsigned, p->n_terms) };

	for (size_t i = 0; i < terms.n; i++)
		count_use(&c, terms.at[i]);
	return c.uses;
}
