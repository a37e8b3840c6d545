/*
 * evaluate.c - judging: the tree of a condition, walked once an entity.
 *
 * Numbers are signals (step functions over the run's span), conditions are truth lines; each
 * node is one dispatch a rule and entity, never one a sample. A verdict then is
 *
 *     when, ended by clear -> only in the phases of `during` -> merge_gap -> for
 *
 * and fired if anything is left; clear if enough of the judged time was known; else unknown.
 * Evidence and cost come in a second pass, when all firing times are known, because ref() compares
 * with the time in which nothing that costs was found.
 */
#include "rule/expression.h"

#include <math.h>

struct context { /* what names in an expression refer to */
	const struct run *run;
	const struct entity *gpu, *host, *core; /* NULL where the scope has none */
	struct spans judged, inside, outside;
	struct spans healthy; /* for ref(): steady, outside all firing time that costs */
	struct arena *scratch;
	double reference;     /* what ref() gave last */
	bool reference_assumed;
};

static struct signal number_of(struct context *c, const struct expression *e);

static const struct entity *entity_for(const struct context *c, enum metric metric)
{
	switch (metric_table[metric].scope) {
	case SCOPE_GPU:
		return c->gpu;
	case SCOPE_CORE:
		return c->core;
	case SCOPE_RUN:
		return run_job(c->run);
	case SCOPE_HOST:
		break;
	}
	return c->host;
}

static const struct track *track_for(const struct context *c, enum metric metric)
{
	const struct entity *e = entity_for(c, metric);

	return e ? run_track(c->run, e, metric) : NULL;
}

static struct signal metric_signal(struct context *c, enum metric metric)
{
	const struct track *t = track_for(c, metric);
	double factor = unit_table[metric_table[metric].unit].factor;

	if (!t)
		return signal_constant(c->scratch, NAN, c->run->span);
	struct signal s = signal_from_track(c->scratch, t, c->run->span);
	if (factor != 1) {
		struct piece *pieces = NEW_ARRAY(c->scratch, struct piece, s.n);
		for (size_t i = 0; i < s.n; i++)
			pieces[i] = (struct piece){ s.at[i].begin, s.at[i].value * factor };
		s.at = pieces;
	}
	return s;
}

static double add(double a, double b)
{
	return a + b;
}

static double subtract(double a, double b)
{
	return a - b;
}

static double multiply(double a, double b)
{
	return a * b;
}

/* A share of nothing is not known. */
static double divide(double a, double b)
{
	return b == 0 ? NAN : a / b;
}

static struct spans place_of(const struct context *c, enum fold_where where)
{
	switch (where) {
	case WHERE_INSIDE:
		return c->inside;
	case WHERE_OUTSIDE:
		return c->outside;
	case WHERE_RUN:
		return spans_one(&c->run->span);
	case WHERE_JUDGED:
		break;
	}
	return c->judged;
}

/* Cores of other hosts have nothing to do with this one; GPUs of other hosts are peers, since a run trains on all. */
static bool is_peer(const struct context *c, const struct entity *e)
{
	const struct entity *who = c->gpu ? c->gpu : c->host;

	return e->scope != SCOPE_CORE || !who || strcmp(e->host, who->host) == 0;
}

static struct signal across(struct context *c, const struct expression *e)
{
	const struct run *run = c->run;
	const struct entity **members = e->set == SET_CORES ? run->cores : run->gpus;
	size_t n_members = e->set == SET_CORES ? run->n_cores : run->n_gpus, n = 0;
	struct signal *signals = NEW_ARRAY(c->scratch, struct signal, n_members);

	for (size_t i = 0; i < n_members; i++) {
		struct context of_member = *c;
		if (!is_peer(c, members[i]))
			continue;
		if (e->set == SET_CORES)
			of_member.core = members[i];
		else
			of_member.gpu = members[i];
		struct signal s = number_of(&of_member, e->left);
		if (signal_known(s, spans_one(&run->span))) /* a core that was never logged is no peer */
			signals[n++] = s;
	}
	return n ? signal_across(c->scratch, signals, n, e->fold) : signal_constant(c->scratch, NAN, run->span);
}

/* Below a tenth of the judged time there is no healthy stretch that could serve as reference (visual.md 13.2). */
#define LEAST_HEALTHY 0.1

/* What was usual outside all findings; NAN when there is too little of it, or when it was no better than what was found. */
static double healthy_level(struct context *c, struct signal s)
{
	const time_ms known = signal_known(s, c->healthy), all = spans_length(c->judged);

	if ((double)known < LEAST_HEALTHY * (double)all)
		return NAN;
	const double usual = signal_fold(c->scratch, s, c->healthy, FOLD_P50), found = signal_fold(c->scratch, s, c->inside, FOLD_MEAN);
	return usual > found || isnan(found) ? usual : (double)NAN;
}

static struct signal reference(struct context *c, const struct expression *e)
{
	const struct signal s = number_of(c, e->left);

	c->reference = healthy_level(c, s);
	c->reference_assumed = isnan(c->reference);
	if (!c->reference_assumed)
		return signal_constant(c->scratch, c->reference, c->run->span);
	if (e->left->dimension == DIM_SHARE)
		c->reference = 100;
	else
		c->reference = signal_fold(c->scratch, s, spans_one(&c->run->span), FOLD_MAX);
	return signal_constant(c->scratch, c->reference, c->run->span);
}

static struct signal zip(struct context *c, const struct expression *e, double (*f)(double, double))
{
	struct signal left = number_of(c, e->left);

	return signal_zip(c->scratch, left, number_of(c, e->right), f);
}

/* The window looks at nothing but the time that is judged: a mean over the first minute of work says nothing of the idle head before it. */
static struct signal rolling(struct context *c, const struct expression *e)
{
	struct span judged = { c->run->span.begin, c->run->span.begin };

	if (c->judged.n)
		judged = (struct span){ c->judged.at[0].begin, c->judged.at[c->judged.n - 1].end };
	struct signal s = signal_cut(c->scratch, number_of(c, e->left), judged);
	return signal_set_in(c->scratch, signal_rolling(c->scratch, s, e->width, e->fold), c->run->span);
}

static struct signal number_of(struct context *c, const struct expression *e)
{
	switch (e->kind) {
	case NODE_NUMBER:
		return signal_constant(c->scratch, e->number, c->run->span);
	case NODE_METRIC:
		return metric_signal(c, e->metric);
	case NODE_NEGATE:
		return signal_zip(c->scratch, signal_constant(c->scratch, 0, c->run->span), number_of(c, e->left), subtract);
	case NODE_ADD:
		return zip(c, e, add);
	case NODE_SUBTRACT:
		return zip(c, e, subtract);
	case NODE_MULTIPLY:
		return zip(c, e, multiply);
	case NODE_DIVIDE:
		return zip(c, e, divide);
	case NODE_ROLLING:
		return rolling(c, e);
	case NODE_FOLD:
		return signal_constant(c->scratch,
			signal_fold(c->scratch, number_of(c, e->left), place_of(c, e->where), e->fold), c->run->span);
	case NODE_ACROSS:
		return across(c, e);
	case NODE_REF:
		return reference(c, e);
	case NODE_COMPARE:
	case NODE_AND:
	case NODE_OR:
	case NODE_NOT:
	case NODE_HAS:
	case NODE_HOLE:
	case NODE_LOGGED:
		break;
	}
	BUG("a condition where a number is wanted");
}

/*
 * Holes between the rows, and the time by which the run began before the first or went on after the
 * last: a GPU that falls off the bus is in no later row. Less than a hole at the ends is the loggers' start and stop.
 */
static struct spans without_log(const struct context *c, const struct track *t)
{
	struct span rows = track_span(t), run = c->run->span;
	struct span ends[] = { { run.begin, rows.begin }, { rows.end, run.end } };

	for (size_t i = 0; i < 2; i++)
		if (span_length(ends[i]) <= HOLE_STEPS * t->step)
			ends[i].end = ends[i].begin;
	return spans_union(c->scratch, track_holes(c->scratch, t), spans_of(c->scratch, ends, 2));
}

/* Does the log have the metric for this entity, or for a peer when the rule looks across peers? */
static bool is_logged(const struct context *c, enum metric metric)
{
	if (track_for(c, metric))
		return true;
	enum scope scope = metric_table[metric].scope;
	const struct entity **peers = scope == SCOPE_CORE ? c->run->cores : c->run->gpus;
	size_t n = scope == SCOPE_CORE ? c->run->n_cores : scope == SCOPE_GPU && !c->gpu ? c->run->n_gpus : 0;
	for (size_t i = 0; i < n; i++)
		if (is_peer(c, peers[i]) && run_track(c->run, peers[i], metric))
			return true;
	return false;
}

static struct truths condition_of(struct context *c, const struct expression *e)
{
	struct truths left;

	switch (e->kind) {
	case NODE_COMPARE: {
		struct signal a = number_of(c, e->left);
		return truths_compare(c->scratch, a, e->comparison, number_of(c, e->right));
	}
	case NODE_AND:
		left = condition_of(c, e->left);
		return truths_zip(c->scratch, left, condition_of(c, e->right), truth_and);
	case NODE_OR:
		left = condition_of(c, e->left);
		return truths_zip(c->scratch, left, condition_of(c, e->right), truth_or);
	case NODE_NOT:
		return truths_not(c->scratch, condition_of(c, e->left));
	case NODE_HAS:
		return truths_compare(c->scratch, metric_signal(c, e->metric), GREATER,
			signal_constant(c->scratch, 0, c->run->span));
	case NODE_HOLE: {
		const struct track *t = track_for(c, e->metric);
		if (!t)
			return truths_constant(c->scratch, UNKNOWN, c->run->span);
		return truths_from_spans(c->scratch, without_log(c, t), c->run->span);
	}
	case NODE_LOGGED:
		return truths_constant(c->scratch, is_logged(c, e->metric) ? YES : NO, c->run->span);
	case NODE_NUMBER:
	case NODE_METRIC:
	case NODE_NEGATE:
	case NODE_ADD:
	case NODE_SUBTRACT:
	case NODE_MULTIPLY:
	case NODE_DIVIDE:
	case NODE_ROLLING:
	case NODE_FOLD:
	case NODE_ACROSS:
	case NODE_REF:
		break;
	}
	BUG("a number where a condition is wanted");
}

/* Does one of the and-ed `logged(x)` say that x is not there? Then the answer is "no", whatever else is missing. */
static bool is_ruled_out(const struct context *c, const struct expression *e)
{
	if (e->kind == NODE_LOGGED)
		return !is_logged(c, e->metric);
	return e->kind == NODE_AND && (is_ruled_out(c, e->left) || is_ruled_out(c, e->right));
}

/* Without which metrics nothing can be answered; of an `or` one side is enough, unless that is ruled out. */
static bool mark_missing(const struct context *c, const struct expression *e, bool *missing)
{
	bool marks[N_METRICS] = { false };

	if (!e || e->kind == NODE_LOGGED || is_ruled_out(c, e))
		return false;
	if (e->kind == NODE_METRIC || e->kind == NODE_HAS || e->kind == NODE_HOLE)
		marks[e->metric] = !is_logged(c, e->metric);
	const bool left = mark_missing(c, e->left, marks) || (e->kind == NODE_OR && is_ruled_out(c, e->left));
	const bool right = mark_missing(c, e->right, marks) || (e->kind == NODE_OR && is_ruled_out(c, e->right));
	bool lacks = false;
	for (size_t i = 0; i < N_METRICS; i++)
		lacks |= marks[i];
	if (e->kind == NODE_OR && !(left && right))
		return false;
	for (size_t i = 0; i < N_METRICS; i++)
		missing[i] |= marks[i];
	return lacks;
}

/* "not logged: core.busy, gpu.temp_margin"; what is no column but follows from several logs is not named; NULL when there is enough. */
static const char *missing_metrics(struct arena *mem, const struct context *c, const struct rule *rule)
{
	bool missing[N_METRICS] = { false };
	const bool lacks = mark_missing(c, rule->when, missing), lacks_clear = mark_missing(c, rule->clear, missing);
	const char *list = NULL;

	for (size_t i = 0; i < N_METRICS; i++) {
		const struct metric_row *metric = &metric_table[i];
		if (missing[i] && metric->kind != KIND_FACT)
			list = list ? arena_print(mem, "%s, %s", list, metric->name) : arena_print(mem, "not logged: %s", metric->name);
	}
	return list ? list : lacks || lacks_clear ? "the logs don't tell" : NULL;
}

/* How many logs hold what the rule needs. */
static size_t count_sources(const struct run *run, const struct rule *rule)
{
	size_t n = 0;

	for (size_t r = 0; r < run->n_recordings; r++) {
		bool used = false;
		for (size_t i = 0; i < rule->n_metrics; i++) {
			for (size_t t = 0; t < run->n_tracks; t++)
				used |= run->tracks[t]->metric == rule->metrics[i] && run->tracks[t]->source == r;
		}
		n += used;
	}
	return n;
}

static struct context context_for(const struct run *run, const struct rule *rule, const struct entity *entity,
	struct arena *scratch)
{
	return (struct context){
		.run = run,
		.gpu = entity && entity->scope == SCOPE_GPU ? entity : NULL,
		.host = entity && entity->scope == SCOPE_HOST ? entity : run_host(run, entity),
		.judged = run_phases(scratch, run, rule->during),
		.scratch = scratch,
		.reference = NAN,
	};
}

static time_ms longest_of(struct spans s)
{
	time_ms longest = 0;

	for (size_t i = 0; i < s.n; i++)
		if (span_length(s.at[i]) > longest)
			longest = span_length(s.at[i]);
	return longest;
}

static struct spans spans_kept(struct arena *mem, struct spans s)
{
	return spans_of(mem, s.at, s.n);
}

/* The first metric of an `or` that no log has; NULL when all are there. What is unknown is so because of it. */
static const char *unlogged(const struct context *c, const struct rule *rule)
{
	for (size_t i = 0; i < rule->n_metrics; i++)
		if (!is_logged(c, rule->metrics[i]))
			return metric_table[rule->metrics[i]].name;
	return NULL;
}

/* Why not clear: which metric is missing, and how much of the judged time. */
static const char *unknown_reason(const struct run *run, struct context *c, const struct rule *rule, double coverage)
{
	const char *worst = NULL;
	time_ms worst_known = INT64_MAX;

	for (size_t i = 0; i < rule->n_metrics; i++) {
		const struct track *t = track_for(c, rule->metrics[i]);
		time_ms known = t ? spans_length(spans_intersection(c->scratch, track_known(c->scratch, t), c->judged)) : 0;
		if (t && known < worst_known) {
			worst_known = known;
			worst = metric_table[rule->metrics[i]].name;
		}
	}
	return arena_print(run->mem, "%s is known for %s of the judged time, %s needed", worst ? worst : "the condition",
		quantity_text(c->scratch, (struct quantity){ coverage * 100, UNIT_PERCENT }),
		quantity_text(c->scratch, (struct quantity){ rule->min_coverage * 100, UNIT_PERCENT }));
}

static void judge_condition(struct verdict *v, struct context *c)
{
	const struct run *run = c->run;
	const struct rule *rule = v->rule;
	struct arena *scratch = c->scratch;
	struct truths line = condition_of(c, rule->when);

	v->judged = spans_length(c->judged);
	v->coverage = v->judged ? 1 - (double)truths_length(line, UNKNOWN, c->judged) / (double)v->judged : 0;
	if (rule->clear)
		line = truths_latched(scratch, line, condition_of(c, rule->clear));
	line = truths_within(scratch, line, c->judged);
	line = truths_bridged(scratch, line, rule->merge_gap, rule->max_gap);
	v->longest = longest_of(truths_spans(scratch, line, YES));
	struct truths held = truths_held(scratch, line, rule->hold);
	v->when = spans_kept(run->mem, truths_spans(scratch, held, YES));
	time_ms undecided = spans_length(
		spans_intersection(scratch, truths_spans(scratch, line, YES), truths_spans(scratch, held, UNKNOWN)));
	if (v->when.n) {
		v->outcome = OUTCOME_FIRED;
	} else if (v->judged < rule->hold || !v->judged) {
		v->outcome = OUTCOME_UNKNOWN;
		v->reason = arena_print(run->mem, "too short: %s to judge, %s needed",
			duration_text(scratch, (double)v->judged / SECOND_MS), duration_text(scratch, (double)rule->hold / SECOND_MS));
	} else if ((undecided || v->coverage < rule->min_coverage) && unlogged(c, rule)) {
		v->outcome = OUTCOME_UNKNOWN;
		v->reason = arena_print(run->mem, "not logged: %s", unlogged(c, rule));
	} else if (undecided) {
		v->outcome = OUTCOME_UNKNOWN;
		v->reason = arena_print(run->mem, "true for %s of the %s needed, and not known around it",
			duration_text(scratch, (double)v->longest / SECOND_MS), duration_text(scratch, (double)rule->hold / SECOND_MS));
	} else if (v->coverage < rule->min_coverage) {
		v->outcome = OUTCOME_UNKNOWN;
		v->reason = unknown_reason(run, c, rule, v->coverage);
	} else {
		v->outcome = OUTCOME_CLEAR;
	}
}

static void judge(struct verdict *v, const struct run *run, struct arena *scratch)
{
	struct context c = context_for(run, v->rule, v->entity, scratch);

	v->coverage = NAN;
	v->reference = NAN;
	v->reason = missing_metrics(run->mem, &c, v->rule);
	if (v->reason) {
		v->outcome = OUTCOME_SKIPPED;
		return;
	}
	judge_condition(v, &c);
}

static double clamp_share(double share, double ignored)
{
	(void)ignored;
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* A statement about the run as a whole marks no stretch of it; with it there would never be a healthy one. */
static bool marks_stretches(const struct verdict *v)
{
	return (double)spans_length(v->when) < (1 - LEAST_HEALTHY) * (double)v->judged;
}

/* Time in which nothing that costs was found on this entity. */
static struct spans healthy_time(const struct verdicts *all, const struct verdict *v, struct spans judged, struct arena *scratch)
{
	struct spans fired = { NULL, 0 };

	for (size_t i = 0; i < all->n; i++) {
		const struct verdict *other = &all->at[i];
		bool counts = other == v || (other->rule->cost && other->entity == v->entity && marks_stretches(other));
		if (counts && other->outcome == OUTCOME_FIRED)
			fired = spans_union(scratch, fired, other->when);
	}
	struct spans healthy = { NULL, 0 };
	for (size_t i = 0; i < judged.n; i++)
		healthy = spans_union(scratch, healthy, spans_complement(scratch, fired, judged.at[i]));
	return healthy;
}

static void measure(struct verdict *v, const struct verdicts *all, const struct run *run, struct arena *scratch)
{
	struct context c = context_for(run, v->rule, v->entity, scratch);

	c.inside = v->when;
	c.outside = (struct spans){ NULL, 0 };
	for (size_t i = 0; i < c.judged.n; i++)
		c.outside = spans_union(scratch, c.outside, spans_complement(scratch, v->when, c.judged.at[i]));
	c.healthy = healthy_time(all, v, run_phases(scratch, run, 1U << PHASE_STEADY), scratch);
	v->evidence = NEW_ARRAY(run->mem, struct quantity, v->rule->n_evidence);
	for (size_t i = 0; i < v->rule->n_evidence; i++) {
		const struct expression *e = v->rule->evidence[i].expression;
		double value = signal_fold(scratch, number_of(&c, e), v->when, FOLD_MEAN);
		enum unit unit = UNIT_NUMBER;
		for (int u = N_UNITS; u-- > 0;)
			if (unit_table[u].dimension == e->dimension)
				unit = (enum unit)u;
		v->evidence[i] = (struct quantity){ value, unit };
	}
	if (!v->rule->cost)
		return;
	struct signal cost = number_of(&c, v->rule->cost);
	v->cost = signal_zip(run->mem, cost, signal_constant(scratch, 0, run->span), clamp_share);
	v->reference = c.reference;
	v->reference_assumed = c.reference_assumed;
}

static size_t count_entities(const struct run *run, enum scope scope)
{
	return scope == SCOPE_GPU ? run->n_gpus : scope == SCOPE_HOST ? run->n_hosts : 1;
}

static const struct entity *entity_at(const struct run *run, enum scope scope, size_t i)
{
	return scope == SCOPE_GPU ? run->gpus[i] : scope == SCOPE_HOST ? run->hosts[i] : NULL;
}

struct verdicts rules_judge(const struct rules *rules, const struct run *run)
{
	struct verdicts all = { NULL, 0 };
	struct arena scratch;
	size_t room = 0;

	for (size_t r = 0; r < rules->n; r++)
		room += count_entities(run, rules->at[r]->scope);
	all.at = NEW_ARRAY(run->mem, struct verdict, room);
	for (size_t r = 0; r < rules->n; r++) {
		const size_t n_sources = count_sources(run, rules->at[r]);
		for (size_t i = 0; i < count_entities(run, rules->at[r]->scope); i++) {
			struct verdict *v = &all.at[all.n++];
			*v = (struct verdict){
				.rule = rules->at[r],
				.entity = entity_at(run, rules->at[r]->scope, i),
				.n_sources = n_sources,
			};
			arena_init(&scratch);
			judge(v, run, &scratch);
			arena_release(&scratch);
		}
	}
	for (size_t i = 0; i < all.n; i++) {
		if (all.at[i].outcome != OUTCOME_FIRED)
			continue;
		arena_init(&scratch);
		measure(&all.at[i], &all, run, &scratch);
		arena_release(&scratch);
	}
	return all;
}
