/*
 * evaluate.c - judging: a verdict for each rule on each of its entities.
 *
 *     the run          rules of scope run
 *       each host      rules of scope host
 *         each GPU     rules of scope gpu: all rules, then what was computed for this GPU is given back
 *         each core    rules of scope core
 *
 * What the parts of conditions are worth is computed once for whom they depend on (value.c), so
 * rules share it, and memory is that of the run, one host and one GPU. From a condition to what fires: judge.c. A verdict fired if
 * anything is left; it is clear if enough of the judged time was known; else unknown.
 * Evidence and cost come when all rules have been judged on the entity, because ref() compares
 * with the time in which nothing that costs was found.
 */
#include "rule/judge.h"

#include "rule/missing.h"
#include "rule/sketch.h"

#include <math.h>

/* ------ one verdict ------ */

static struct span longest_of(struct spans s)
{
	struct span longest = { 0, 0 };

	for (size_t i = 0; i < s.n; i++)
		if (span_length(s.at[i]) > span_length(longest))
			longest = s.at[i];
	return longest;
}

static struct spans spans_kept(struct arena *mem, struct spans s)
{
	return spans_of(mem, s.at, s.n);
}

/* The longest stretch as a share of `for`, or of what so many rows take where that is longer. */
static double margin_of(const struct verdict *v, const struct store *s, const struct planned_rule *r, struct span longest)
{
	if (!v->rule->hold || r->is_whole)
		return NAN;
	if (!v->longest)
		return 0;
	const time_ms rows = v->when.n ? least_of_finest_rows(s, r->when, longest) : least_of_all_rows(s, r->when, longest);
	const time_ms least = needs_rhythm(r) ? later(rows, v->rule->hold) : v->rule->hold;
	return (double)v->longest / (double)least;
}

static void judge_condition(struct verdict *v, struct store *s, const struct planned_rule *r, const struct verdicts *all)
{
	struct arena *mem = s->results;
	const struct steps steps = judge_steps(s, r, all);

	v->judged = spans_length(r->time->spans);
	v->coverage = steps.coverage;
	const struct span longest = longest_of(truths_spans(&s->passing, steps.counted, YES));
	v->longest = span_length(longest);
	const struct spans held = truths_spans(&s->passing, steps.held, YES);
	v->when = spans_kept(mem, needs_rhythm(r) ? shown_by_rows(s, r, held) : held);
	v->margin = margin_of(v, s, r, longest);
	if (v->when.n) {
		v->outcome = OUTCOME_FIRED;
		return;
	}
	v->reason = unknown_reason(v, s, r, &steps);
	if (!v->reason)
		v->reason = coarse_reason(s, r);
	v->outcome = v->reason ? OUTCOME_UNKNOWN : OUTCOME_CLEAR;
	if (v->outcome == OUTCOME_CLEAR && steps.excluded_by) {
		v->excluded_by = steps.excluded_by;
		v->reason = arena_print(mem, "excluded by %s", steps.excluded_by->id);
	}
}

/* What a rule lacks, where all GPUs or cores of a host lack the same; one of them was asked. */
struct lacked {
	bool is_same;
	const char *reason; /* NULL: nothing */
	const char *other;  /* verdict.other */
};

/* Who has nobody to compare with need not be asked what was logged. */
static struct lacked lacked_by_one(struct store *s, const struct rule *rule)
{
	const char *const other = missing_others(&s->vantage, rule->when);
	const char *const reason = other ? arena_print(s->results, "only one %s", other) : missing_metrics(s->results, s, rule);

	return (struct lacked){ .reason = reason, .other = other };
}

static void judge(struct verdict *v, struct store *s, const struct planned_rule *r, const struct lacked *lacked, const struct verdicts *all)
{
	v->coverage = NAN;
	v->reference = NAN;
	v->margin = NAN;
	const struct lacked l = lacked && lacked->is_same ? *lacked : lacked_by_one(s, v->rule);
	if (!l.reason) {
		judge_condition(v, s, r, all);
		return;
	}
	v->outcome = OUTCOME_SKIPPED;
	v->reason = l.reason;
	v->other = l.other;
}

/* ------ evidence and cost ------ */

/* A statement about the run as a whole marks no stretch of it; with it there would never be a healthy one. */
static bool marks_stretches(const struct verdict *v)
{
	return (double)spans_length(v->when) < (1 - LEAST_HEALTHY) * (double)v->judged;
}

/* The verdicts of one entity: of all rules of its scope, at->first + entity. */
struct bench {
	struct store *store;
	struct verdicts *all;
	size_t entity; /* its number among those of its scope */
	const struct lacked *lacked; /* of each rule of the plan; NULL of the run and of hosts, which are asked themselves */
};

static struct verdict *verdict_of(const struct bench *b, const struct planned_rule *r)
{
	return &b->all->at[r->first + b->entity];
}

/* Where something that costs was found on this entity: in stretches, the verdict's own among them; and beside it in the run as a whole. */
struct costly {
	struct spans stretches, overall;
};

static struct costly costly_time(const struct bench *b, const struct verdict *v, struct arena *scratch)
{
	const struct plan *p = b->store->plan;
	struct costly found = { { NULL, 0 }, { NULL, 0 } };

	for (size_t i = 0; i < p->n_rules; i++) {
		if (p->rules[i].rule->scope != v->rule->scope)
			continue;
		const struct verdict *other = verdict_of(b, &p->rules[i]);
		if (other->outcome != OUTCOME_FIRED || (other != v && !other->rule->cost))
			continue;
		struct spans *const time = other == v || marks_stretches(other) ? &found.stretches : &found.overall;
		*time = spans_union(scratch, *time, other->when);
	}
	return found;
}

/* The share at each moment of the firing time: where it is not known, but lies in bounds, the most or the least that it can be. */
static struct shares measured_share(const struct verdict *v, struct store *s, const struct term *share, struct firing *f, bool is_most)
{
	struct shares found = { .n = 0 };

	if (!share || shares_by_slices(s->results, s, share, f, v->when, is_most, &found))
		return found;
	const struct value cost = value_of(s, share, f);
	return shares_of(s->results, signal_within(f->mem, value_bound(f->mem, &cost, is_most), v->when));
}

static void measure_cost(struct verdict *v, struct store *s, const struct planned_rule *r, struct firing *f)
{
	v->cost_least = measured_share(v, s, r->cost_least, f, false);
	v->cost = measured_share(v, s, r->cost, f, r->cost_least);
	v->reference = f->reference;
	v->reference_assumed = f->reference_assumed;
}

/* Does evidence look at the firing time through a log whose moments are in doubt? */
static bool looks_beside_inside(const struct term *t, enum scope scope)
{
	if (!t)
		return false;
	if (t->kind == NODE_FOLD && t->where != WHERE_RUN && term_looks_beside(t->left, scope))
		return true;
	return looks_beside_inside(t->left, scope) || looks_beside_inside(t->right, scope);
}

/* Of a condition: 1 for yes, 0 for no. */
static double evidence_value(struct store *s, const struct term *t, const struct verdict *v, struct firing *f)
{
	if (f->is_doubted && looks_beside_inside(t, v->rule->scope))
		return NAN;
	const struct value found = value_of(s, t, f);
	const struct signal number = t->is_condition ? truths_signal(f->mem, found.line) : found.number;

	return signal_fold(f->mem, number, v->when, FOLD_MEAN);
}

/* `v`: the verdict, or a part of it. */
static struct firing firing_of(const struct bench *b, const struct planned_rule *r, const struct verdict *v, struct arena *scratch)
{
	const struct costly costly = costly_time(b, verdict_of(b, r), scratch);

	return (struct firing){
		.inside = v->when,
		.outside = spans_without(scratch, r->time->spans, v->when),
		.healthy = spans_without(scratch, run_phases(scratch, b->store->plan->run, 1U << PHASE_STEADY), costly.stretches),
		.overall = costly.overall,
		.mem = scratch,
		.found = { scratch, NULL, NULL, NULL },
		.reference = NAN,
		.is_doubted = spans_intersection(scratch, v->when, doubted_time(b->store, v->rule, b->all)).n > 0,
	};
}

static void measure_evidence(struct verdict *v, struct store *s, const struct planned_rule *r, struct firing *f)
{
	v->evidence = NEW_ARRAY(s->results, struct quantity, v->rule->n_evidence);
	for (size_t i = 0; i < v->rule->n_evidence; i++) {
		const double value = evidence_value(s, r->evidence[i], v, f);
		v->evidence[i] = (struct quantity){ value, unit_first(v->rule->evidence[i].expression->dimension) };
	}
}

static void measure(const struct bench *b, const struct planned_rule *r, struct arena *scratch)
{
	struct verdict *v = verdict_of(b, r);
	struct firing firing = firing_of(b, r, v, scratch);

	measure_evidence(v, b->store, r, &firing);
	if (r->cost)
		measure_cost(v, b->store, r, &firing);
}

/* ------ all of them ------ */

static void judge_entity(const struct bench *b)
{
	struct store *s = b->store;
	const struct plan *p = s->plan;
	struct arena scratch;

	for (size_t i = 0; i < p->n_rules; i++) {
		const struct planned_rule *r = &p->rules[p->order[i]];
		if (r->rule->scope != s->vantage.scope)
			continue;
		judge(verdict_of(b, r), s, r, b->lacked ? &b->lacked[p->order[i]] : NULL, b->all);
		store_rule_judged(s, r);
	}
	store_forget(s);
	arena_init(&scratch);
	for (size_t i = 0; i < p->n_rules; i++) {
		if (p->rules[i].rule->scope != s->vantage.scope || verdict_of(b, &p->rules[i])->outcome != OUTCOME_FIRED)
			continue;
		measure(b, &p->rules[i], &scratch);
		store_forget(s);
		arena_reset(&scratch);
	}
	arena_release(&scratch);
}

/* The GPUs or cores of a host, judged side by side: each writes to its own verdicts; what they share one at a time looks into. */
struct members_job {
	struct store *host;
	struct verdicts *all;
	const struct entity *const *members;
	const size_t *numbers;               /* of the host's members, among all */
	const struct lacked *lacked;         /* by rule */
	struct store stores[WORKERS_MAX];    /* a worker's, for one member after the other */
	struct arena results[WORKERS_MAX];
};

static void judge_member(void *context, size_t worker, size_t job)
{
	struct members_job *const m = context;
	struct store *const store = &m->stores[worker];
	const size_t number = m->numbers[job];

	store_reopen(store, m->members[number]);
	store->results = &m->results[worker];
	judge_entity(&(struct bench){ store, m->all, number, m->lacked });
}

static const struct lacked *lacked_by(struct store *first)
{
	const struct plan *const p = first->plan;
	struct lacked *const lacked = NEW_ARRAY(&first->above->mem, struct lacked, p->n_rules);

	for (size_t i = 0; i < p->n_rules; i++) {
		const struct rule *const rule = p->rules[i].rule;
		const bool is_of_them = rule->scope == first->vantage.scope;
		if (!is_of_them || !missing_is_same(p->run, rule->when) || !missing_is_same(p->run, rule->clear))
			continue;
		lacked[i] = lacked_by_one(first, rule);
		lacked[i].is_same = true;
	}
	return lacked;
}

static void judge_members(struct store *host, struct verdicts *all, enum scope scope)
{
	const struct run *run = host->plan->run;
	const struct entities who = entities_of(run, scope);
	size_t *numbers = NEW_ARRAY(&host->mem, size_t, who.n), n = 0;
	struct members_job m = { .host = host, .all = all, .members = who.at, .numbers = numbers };

	for (size_t i = 0; i < who.n; i++)
		if (run_host(run, who.at[i]) == host->vantage.entity)
			numbers[n++] = i;
	const size_t n_workers = run_workers(run, n);
	const unsigned *const uses = host->plan->values_are_small ? NULL : plan_uses(&host->mem, host->plan, scope);
	host->lock = n_workers > 1 ? lock_new() : NULL;
	for (size_t i = 0; i < n_workers; i++) {
		arena_init(&m.results[i]);
		store_open(&m.stores[i], host->plan, host, scope, NULL);
		store_gives_back(&m.stores[i], uses);
	}
	if (n) {
		store_reopen(&m.stores[0], who.at[numbers[0]]);
		m.lacked = lacked_by(&m.stores[0]);
	}
	run_jobs_shared(run, n, judge_member, &m);
	for (size_t i = 0; i < n_workers; i++) {
		store_release(&m.stores[i]);
		arena_adopt(run->mem, &m.results[i]);
	}
	if (host->lock)
		lock_free(host->lock);
	host->lock = NULL;
}

/* Number n_hosts is no host: for GPUs and cores of which no log names one. */
static void judge_host(struct store *above, struct verdicts *all, size_t i)
{
	const struct run *run = above->plan->run;
	struct store store;

	store_open(&store, above->plan, above, SCOPE_HOST, i < run->n_hosts ? run->hosts[i] : NULL);
	if (i < run->n_hosts)
		judge_entity(&(struct bench){ &store, all, i, NULL });
	conditions_foretell(above);
	judge_members(&store, all, SCOPE_GPU);
	judge_members(&store, all, SCOPE_CORE);
	store_release(&store);
}

static void judge_run(const struct plan *plan, struct verdicts *all, bool by_sketches)
{
	struct store store;

	store_open(&store, plan, NULL, SCOPE_RUN, NULL);
	if (by_sketches)
		store.outlines = outlines_new(&store.mem, &store);
	judge_entity(&(struct bench){ &store, all, 0, NULL });
	for (size_t i = 0; i <= plan->run->n_hosts; i++)
		judge_host(&store, all, i);
	store_release(&store);
}

/* How many there are: in order of rule id, then entity, whatever the order in which they are judged. */
static size_t number_verdicts(struct plan *p)
{
	size_t n = 0;

	for (size_t r = 0; r < p->n_rules; r++) {
		p->rules[r].first = n;
		n += entities_of(p->run, p->rules[r].rule->scope).n;
	}
	return n;
}

static struct verdicts places_for(struct plan *p)
{
	struct verdicts all = { NEW_ARRAY(p->run->mem, struct verdict, number_verdicts(p)), 0 };

	for (size_t r = 0; r < p->n_rules; r++) {
		const struct entities who = entities_of(p->run, p->rules[r].rule->scope);
		for (size_t i = 0; i < who.n; i++)
			all.at[all.n++] = (struct verdict){
				.rule = p->rules[r].rule,
				.entity = who.at[i],
				.outcome = OUTCOME_SKIPPED,
			};
	}
	return all;
}

/* `slice` NULL: as usual. */
static struct verdicts judge_all(const struct rules *rules, const struct run *run, bool by_sketches, const struct slice_size *slice)
{
	struct arena mem;

	arena_init(&mem);
	struct plan *plan = plan_new(&mem, rules, run);
	struct verdicts all = places_for(plan);
	if (slice)
		plan->slice = *slice;
	judge_run(plan, &all, by_sketches);
	withdraw_overlooked(run, &all);
	arena_release(&mem);
	return all;
}

struct verdicts rules_judge(const struct rules *rules, const struct run *run)
{
	return judge_all(rules, run, true, NULL);
}

struct verdicts rules_judge_each_moment(const struct rules *rules, const struct run *run)
{
	return judge_all(rules, run, false, NULL);
}

struct verdicts rules_judge_by_slices(const struct rules *rules, const struct run *run)
{
	static const struct slice_size shortest = { .n_blocks = 1, .n_reaches = 1 };

	return judge_all(rules, run, true, &shortest);
}

static void measure_part_in(struct store *s, struct verdicts *all, struct verdict *part)
{
	const struct plan *const plan = s->plan;
	const struct entities who = entities_of(plan->run, part->rule->scope);
	struct arena scratch;
	size_t r = 0, number = 0;

	while (plan->rules[r].rule != part->rule)
		r++;
	while (who.at[number] != part->entity)
		number++;
	arena_init(&scratch);
	struct firing firing = firing_of(&(struct bench){ s, all, number, NULL }, &plan->rules[r], part, &scratch);
	measure_evidence(part, s, &plan->rules[r], &firing);
	arena_release(&scratch);
}

static void measure_part(struct store *run, struct verdicts *all, struct verdict *part)
{
	const enum scope scope = part->rule->scope;
	const bool is_of_member = scope == SCOPE_GPU || scope == SCOPE_CORE;
	struct store host, own;

	if (scope == SCOPE_RUN) {
		measure_part_in(run, all, part);
		return;
	}
	store_open(&host, run->plan, run, SCOPE_HOST, is_of_member ? run_host(run->plan->run, part->entity) : part->entity);
	if (is_of_member)
		store_open(&own, run->plan, &host, scope, part->entity);
	measure_part_in(is_of_member ? &own : &host, all, part);
	if (is_of_member)
		store_release(&own);
	store_release(&host);
}

void verdict_parts_measure(
	const struct rules *rules, const struct run *run, struct verdicts all, struct verdict *const *parts, size_t n)
{
	struct arena mem;
	struct store store;

	arena_init(&mem);
	struct plan *const plan = plan_new(&mem, rules, run);
	number_verdicts(plan);
	store_open(&store, plan, NULL, SCOPE_RUN, NULL);
	store.outlines = outlines_new(&store.mem, &store);
	for (size_t i = 0; i < n; i++)
		measure_part(&store, &all, parts[i]);
	store_release(&store);
	arena_release(&mem);
}
