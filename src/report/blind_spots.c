/*
 * blind_spots.c - what a verdict of "healthy" did not see, though an expert would want to.
 *
 *     nothing is known of power and clock speeds, and short pauses do not show
 *
 * A busy GPU may do nothing but wait: its power tells. One that works may be held down: its clocks tell. What memory and CPU do says how
 * near the run came to its end. These are logs that anybody can have, so that the lack of one is named. For want of a check that
 * only a rare log could have answered (the kernel's, counts of memory errors), or for which a run is too short, nobody doubts a run;
 * that it was not made is told all the same (judgements.c). A failure that the kernel tells of a GPU by a bus id that no other log has is
 * no blind spot, but as bad: nobody knows whose it was.
 */
#include "report/report_parts.h"

#define ENOUGH 0.8 /* of the time at work, as for busy (verdict.c) */
#define MOST_WITNESSES 3

static const struct spot {
	const char *name;
	enum scope scope;
	size_t n;
	enum metric any[MOST_WITNESSES]; /* one of these is enough */
	enum metric beside; /* asked only where this is logged, too; N_METRICS: everywhere */
} spots[] = {
	{ "power", SCOPE_GPU, 2, { METRIC_GPU_POWER, METRIC_GPU_SM_ACTIVE }, N_METRICS },
	{ "memory use", SCOPE_GPU, 2, { METRIC_GPU_MEM_USED, METRIC_GPU_MEM_SHARE }, N_METRICS },
	{ "clock speeds", SCOPE_GPU, 3, { METRIC_GPU_CLOCK_SM, METRIC_GPU_THROTTLE, METRIC_GPU_CAP_SW_POWER }, N_METRICS },
	{ "CPU use", SCOPE_HOST, 1, { METRIC_CPU_BUSY }, N_METRICS },
	/* a lower clock is normal at the power limit, and a fault far from it */
	{ "what holds clocks down", SCOPE_GPU, 3, { METRIC_GPU_POWER_SHARE, METRIC_GPU_THROTTLE, METRIC_GPU_CAP_SW_POWER },
		METRIC_GPU_CLOCK_SM },
};
#define N_SPOTS (sizeof spots / sizeof *spots)

/* The share of the time at work for which the best of the witnesses is there, or the first one that is there for enough of it. */
static double seen_share(struct build *b, const struct spot *spot, const struct entity *e)
{
	const struct spans work = run_phases(b->mem, b->run, 1U << PHASE_STEADY);
	const double all = (double)spans_length(work);
	double best = 0;

	for (size_t i = 0; i < spot->n && best < ENOUGH; i++) {
		const struct track *t = run_track(b->run, e, spot->any[i]);
		const double share = !t ? 0 : all > 0 ? (double)track_known_time(t, work) / all : 1;
		best = share > best ? share : best;
	}
	return best;
}

/* "power", "power of GPU 3"; NULL: enough of it is known. `none`: nothing at all. */
static const char *unseen_text(struct build *b, const struct spot *spot, bool *none)
{
	const bool of_gpus = spot->scope == SCOPE_GPU;
	const struct entity *const *all = of_gpus ? b->run->gpus : b->run->hosts;
	const size_t n_all = of_gpus ? b->run->n_gpus : b->run->n_hosts;
	const struct entity **unseen = NEW_ARRAY(b->mem, const struct entity *, n_all + 1);
	double most = 0;
	size_t n = 0;

	for (size_t i = 0; i < n_all; i++) {
		if (spot->beside != N_METRICS && !run_track(b->run, all[i], spot->beside))
			continue;
		const double share = seen_share(b, spot, all[i]);
		if (share >= ENOUGH)
			continue;
		unseen[n++] = all[i];
		most = share > most ? share : most;
	}
	*none = most <= 0;
	if (!n && n_all)
		return NULL;
	return n == n_all ? spot->name : arena_print(b->mem, "%s of %s", spot->name, who_text(b->mem, b->run, unseen, n));
}

/* Does the rule ask for nothing but how far rows are apart? */
static bool is_about_steps(const struct rule *rule)
{
	return rule->n_metrics == 1 && rule->metrics[0] == METRIC_LOG_STEP;
}

/* For more of the run than may be missing. */
static bool is_coarse(const struct build *b)
{
	const double most = (1 - ENOUGH) * (double)span_length(b->run->span);
	bool is_any = false;

	for (size_t i = 0; i < b->n_ranked; i++)
		is_any |= is_about_steps(b->ranked[i]->rule) && (double)mean_time(b->ranked[i]) > most;
	return is_any;
}

/* Might it be about one of the run's GPUs? Not where each of its host has a bus id, or a UUID, by which it is known to be another. */
static bool may_be_ours(const struct run *run, const struct run_event *e)
{
	const struct entity *const of = &e->event.entity;

	if (e->entity || e->event.t < run->span.begin || e->event.t >= run->span.end)
		return false;
	for (size_t i = 0; i < run->n_gpus; i++) {
		const struct entity *const gpu = run->gpus[i];
		const bool is_told_apart = (of->bus_id && gpu->bus_id) || (of->uuid && gpu->uuid);
		const bool is_there = !of->host || !*of->host || !*gpu->host || strcmp(gpu->host, of->host) == 0;
		if (is_there && !is_told_apart)
			return true;
	}
	return false;
}

/* The first of this kind; NULL: there is none. */
static const struct run_event *stray_event(const struct run *run, enum event_kind kind)
{
	for (size_t i = 0; i < run->n_events; i++)
		if (run->events[i].event.kind == kind && may_be_ours(run, &run->events[i]))
			return &run->events[i];
	return NULL;
}

const char *stray_failure(struct build *b)
{
	const struct run_event *const xid = stray_event(b->run, EVENT_XID), *const lost = stray_event(b->run, EVENT_GPU_LOST);
	const struct run_event *const e = xid ? xid : lost;
	const char *const what = xid ? arena_print(b->mem, "Xid %lld struck", (long long)xid->event.code) : "The driver lost";

	return !e ? NULL : arena_print(b->mem, "%s a GPU%s%s, which may be one of these", what, e->event.entity.bus_id ? " at bus " : "",
		e->event.entity.bus_id ? e->event.entity.bus_id : "");
}

bool is_much_unlogged(const struct build *b)
{
	return b->no_log_hours > (1 - ENOUGH) * b->total_hours;
}

#define ALL_BUT_LITTLE 0.995 /* from here on whole percents are 100 */

const char *share_unlogged_text(struct build *b)
{
	const double share = b->total_hours > 0 ? b->no_log_hours / b->total_hours : 0;

	return share > ALL_BUT_LITTLE && share < 1 ? "more than 99 %" : percent_text(b->mem, share);
}

const char *blind_spots(struct build *b)
{
	const char *nothing[N_SPOTS], *little[N_SPOTS], *clauses[4];
	size_t n_nothing = 0, n_little = 0, n = 0;

	for (size_t i = 0; i < N_SPOTS; i++) {
		bool none;
		const char *const text = unseen_text(b, &spots[i], &none);
		if (text && none)
			nothing[n_nothing++] = text;
		else if (text)
			little[n_little++] = text;
	}
	if (n_nothing)
		clauses[n++] = arena_print(b->mem, "nothing is known of %s", joined(b->mem, nothing, n_nothing, ", ", " and "));
	if (n_little)
		clauses[n++] = arena_print(b->mem, "too little is known of %s", joined(b->mem, little, n_little, ", ", " and "));
	if (is_coarse(b))
		clauses[n++] = "short pauses do not show";
	if (is_much_unlogged(b)) /* while no job seemed to run; else there is too little to call the run healthy */
		clauses[n++] = arena_print(b->mem, "%s of the GPU log is missing", share_unlogged_text(b));
	return n ? joined(b->mem, clauses, n, ", ", ", and ") : NULL;
}
