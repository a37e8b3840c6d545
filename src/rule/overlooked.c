/*
 * overlooked.c - no rule is clear that could not see in the time of a finding of which it is another explanation.
 *
 *     gpu-low-use           ....YYYYYYYY............     fired
 *     host.cpu.busy         ~~~~        ~~~~~~~~~~~~     known for most of the time,
 *     gpu-starved-by-cpu    ....????????............     and where the GPU worked nobody has to know it: but not then
 *
 * Nothing else changes: what it found it found, and what hangs on its having been clear was judged as before.
 */
#include "rule/judge.h"
#include "series/stats.h"

/* Of cores the first one speaks for all: a log looks at them together. */
static const struct track *track_of_metric(const struct vantage *v, enum metric metric)
{
	size_t first = 0;

	if (metric_table[metric].scope != SCOPE_CORE || v->scope == SCOPE_CORE)
		return vantage_track(v, metric);
	const struct entity *const core = vantage_next_member(v, REACH_HOST_CORES, &first);
	return core ? run_track(v->run, core, metric) : NULL;
}

/* Which of the metrics that the verdict needs is known for less of that time than any other, and for how much. */
static enum metric least_seen(const struct run *run, const struct verdict *v, struct spans time, double *share)
{
	const struct vantage from = vantage_of(run, v->rule->scope, v->entity);
	enum metric least = N_METRICS;

	*share = 1;
	for (size_t i = 0; i < v->rule->n_metrics; i++) {
		const struct track *const t = track_of_metric(&from, v->rule->metrics[i]);
		const double seen = t ? (double)track_means(t, time).known / (double)spans_length(time) : 1;

		if (seen < *share) {
			*share = seen;
			least = v->rule->metrics[i];
		}
	}
	return least;
}

static void withdraw(struct arena *mem, const struct run *run, struct verdict *v, const struct verdict *finding)
{
	double share;
	const enum metric metric = least_seen(run, v, finding->when, &share);

	if (share >= v->rule->min_coverage)
		return;
	v->outcome = OUTCOME_UNKNOWN;
	v->reason = arena_print(mem, "%s is known for %s of the time of %s, %s needed", metric_table[metric].name,
		quantity_text(mem, (struct quantity){ share * 100, UNIT_PERCENT }), finding->rule->checked,
		quantity_text(mem, (struct quantity){ v->rule->min_coverage * 100, UNIT_PERCENT }));
}

/* Of the same GPU, or of its host. */
static bool is_of(const struct run *run, const struct verdict *v, const struct entity *e)
{
	return v->entity == e || (v->rule->scope == SCOPE_HOST && e && e->scope == SCOPE_GPU && v->entity == run_host(run, e));
}

/* The verdicts of a rule stand together. */
static struct verdicts verdicts_of(const struct verdicts *all, const char *id)
{
	size_t first = 0, end;

	while (first < all->n && strcmp(all->at[first].rule->id, id) != 0)
		first++;
	for (end = first; end < all->n && all->at[end].rule == all->at[first].rule; end++)
		;
	return (struct verdicts){ all->at + first, end - first };
}

static void withdraw_rivals(struct arena *mem, const struct run *run, const struct verdict *finding, struct verdicts rivals)
{
	for (size_t k = 0; k < rivals.n && finding->outcome == OUTCOME_FIRED; k++) {
		struct verdict *const rival = &rivals.at[k];
		if (rival->outcome == OUTCOME_CLEAR && !rival->excluded_by && is_of(run, rival, finding->entity))
			withdraw(mem, run, rival, finding);
	}
}

void withdraw_overlooked(const struct run *run, const struct verdicts *all)
{
	for (size_t first = 0, n; first < all->n; first += n) {
		const struct rule *const rule = all->at[first].rule;
		const struct verdicts findings = verdicts_of(&(struct verdicts){ all->at + first, all->n - first }, rule->id);

		n = findings.n;
		for (size_t r = 0; r < rule->n_rivals; r++) {
			const struct verdicts rivals = verdicts_of(all, rule->rivals[r].rule);
			for (size_t i = 0; i < n; i++)
				withdraw_rivals(run->mem, run, &findings.at[i], rivals);
		}
	}
}
