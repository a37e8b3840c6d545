/*
 * finding_cost.c - what a finding cost, in words: how much, by what it is measured, whose time it is, and what of it is not known.
 *
 *     2.1 GPU-h, 13 % of the run: each second counted by …             a loss that was measured
 *     at most 2.1 GPU-h, 13 % of the run: time of GPUs 0-2             of others, who waited
 *     not known: no log has the SM clock, by which it would be measured.
 */
#include "metric/record.h"
#include "report/report_parts.h"

#include <math.h>

/* Of this finding's GPUs: another finding may tell of the others. */
static double fired_hours(const struct draft *d)
{
	time_ms all = 0;

	for (size_t i = 0; i < d->n_verdicts; i++)
		all += spans_length(d->verdicts[i]->when);
	return (double)all / HOUR_MS;
}

bool is_lost_whole(const struct draft *d)
{
	return d->rule->scope == SCOPE_GPU && d->rule->cost_lack == N_METRICS && d->alone_hours >= 0.999 * fired_hours(d);
}

/* A GPU of another host may have been slow at the same time, which this is not charged for. */
static bool is_paid_on(struct build *b, const struct draft *d, const struct entity *gpu)
{
	for (size_t i = 0; i < b->n_drafts; i++) {
		const struct draft *const s = &b->drafts[i];
		for (size_t k = 0; k < s->n_verdicts && s->rule->cost && payer_of(b, s) == d; k++)
			if (s->verdicts[k]->entity == gpu && explained_time(b, s, s->verdicts[k]).n)
				return true;
	}
	return false;
}

/* Is it what the payer's GPUs did to others? */
bool is_waiting_for(struct build *b, const struct draft *symptom, const struct draft *payer)
{
	return symptom->rule->cost && !symptom->is_joined && payer_of(b, symptom) == payer &&
	       texts_have(symptom->cause->rule->explains_on_others, symptom->rule->id);
}

bool is_on_any(const struct draft *const *drafts, size_t n, const struct entity *gpu)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < drafts[i]->n_verdicts; k++)
			if (drafts[i]->verdicts[k]->entity == gpu)
				return true;
	return false;
}

/* None that was slowed itself, before or after it waited for another. */
struct whom waiting_for(struct build *b, const struct draft *d)
{
	const struct whom slowed = whom_of(b, d);
	struct whom whom = { NEW_ARRAY(b->mem, const struct entity *, b->run->n_gpus), 0 };
	struct arena scratch;
	size_t n = 0;

	arena_init(&scratch);
	const struct draft **const waits = NEW_ARRAY(&scratch, const struct draft *, b->n_drafts);
	for (size_t i = 0; i < b->n_drafts; i++)
		if (is_waiting_for(b, &b->drafts[i], d))
			waits[n++] = &b->drafts[i];
	for (size_t g = 0; g < b->run->n_gpus && n; g++)
		if (is_on_any(waits, n, b->run->gpus[g]) && !whom_has(slowed, b->run->gpus[g]))
			whom.at[whom.n++] = b->run->gpus[g];
	arena_release(&scratch);
	return whom;
}

/* "the other 6 GPUs", "GPUs 0-2"; NULL: nobody waited, or nobody knows. */
const char *held_up_text(struct build *b, const struct draft *d)
{
	const struct whom waiting = waiting_for(b, d);

	if (!waiting.n || waiting.n + whom_of(b, d).n < b->run->n_gpus)
		return waiting.n ? who_text(b->mem, b->run, waiting.at, waiting.n) : NULL;
	return waiting.n == 1 ? "the other GPU" : arena_print(b->mem, "the other %zu GPUs", waiting.n);
}

/* Was it lost by what led up to the finding, or to what is told under it? */
static bool is_of_lead(const struct draft *d, const struct draft *lost)
{
	for (const struct draft *c = lost->cause; c && c != d; c = c->cause)
		if (c->cause && led_up_to(c->cause, c))
			return true;
	return false;
}

struct spans time_lost_beside(struct build *b, const struct draft *d)
{
	struct spans time = { NULL, 0 };

	for (size_t i = 0; i < b->n_drafts; i++) {
		const struct draft *const lost = &b->drafts[i];
		if (!lost->rule->cost || payer_of(b, lost) != d || !is_of_lead(d, lost))
			continue;
		for (size_t k = 0; k < lost->n_verdicts; k++)
			time = spans_union(b->mem, time, explained_time(b, lost, lost->verdicts[k]));
	}
	return spans_without(b->mem, time, d->when);
}

static bool is_lost_before(struct build *b, const struct draft *d)
{
	const struct spans beside = time_lost_beside(b, d);

	return beside.n && beside.at[0].begin < d->when.at[0].begin;
}

/* Of the GPUs that waited for this one. */
static const char *waiting_text(struct build *b, const struct draft *d)
{
	const struct entity **who = NEW_ARRAY(b->mem, const struct entity *, b->run->n_gpus);
	size_t n = 0;

	for (size_t g = 0; g < b->run->n_gpus && !d->rule->cost; g++)
		if (is_paid_on(b, d, b->run->gpus[g]))
			who[n++] = b->run->gpus[g];
	return arena_print(b->mem, "time of %s%s", who_text(b->mem, b->run, who, n),
		is_lost_before(b, d) ? ", also before it came to that" : "");
}

static const char *counted_text(struct build *b, const struct draft *d)
{
	if (!d->rule->cost_by)
		return "each second weighed as the rule says";
	return arena_print(b->mem, "each second counted by %s", d->rule->cost_by);
}

/* Of a cost that is told by its bounds: what the most of it is. */
static const char *most_text(struct build *b, const struct draft *d)
{
	if (!d->rule->cost)
		return waiting_text(b, d);
	if (is_lost_whole(d))
		return "all of its seconds";
	return d->rule->cost_by ? counted_text(b, d) : "its seconds, weighed as the rule says";
}

/* What may be lost is known by its bounds alone: the least of them, where there is one. */
static const char *least_text(struct build *b, const struct draft *d)
{
	if (!d->upper_bound || d->least_hours <= NO_COST_HOURS)
		return "";
	return arena_print(b->mem, " At least %s, %s, were lost; how much of that time went into waiting can't be told.",
		gpu_time_text(b->mem, b->unit, d->least_hours), percent_text(b->mem, d->least_hours / b->total_hours));
}

/* "56 GPU-s", with a rate "56 GPU-s, 0.04 EUR" */
static const char *spent_text(struct build *b, double hours)
{
	const struct rate rate = b->report->rate;
	const char *time = gpu_time_text(b->mem, b->unit, hours);

	return rate.per_gpu_hour > 0 ? arena_print(b->mem, "%s, %s", time, worth_text(b->mem, rate, hours)) : time;
}

/* "at most 56 GPU-s"; "<0.1 GPU-h" says so itself, where no price follows. */
static const char *bounded_text(struct build *b, const char *at_most, const char *spent)
{
	const bool says_so = *spent == '<' && !(b->report->rate.per_gpu_hour > 0);

	return says_so ? spent : arena_print(b->mem, "%s %s", at_most, spent);
}

/* Would it cost more without the others? Half a second is how the clocks of a log are staggered. */
bool is_cost_shared(struct build *b, const struct draft *d)
{
	if (d->alone_hours <= d->cost_hours * 1.001 + NO_COST_HOURS)
		return false;
	for (size_t i = 0; i < b->n_ranked; i++)
		if (takes_time_of(b, b->ranked[i], d))
			return true;
	return false;
}

bool is_unmeasured(const struct draft *d)
{
	return d->costs && d->cost_hours <= NO_COST_HOURS && d->unmeasured_hours > NO_COST_HOURS;
}

#define LEAST_UNMEASURED 0.05 /* of what may have been lost: less is within what a log's steps leave open */

bool is_partly_unmeasured(const struct draft *d)
{
	return d->costs && !is_unmeasured(d) && d->unmeasured_hours > NO_COST_HOURS
		&& d->unmeasured_hours > LEAST_UNMEASURED * (d->cost_hours + d->unmeasured_hours);
}

/* What its cost would be measured by and is in no log; N_METRICS: there is nothing such. */
static enum metric metric_lacking(const struct build *b, const struct draft *d)
{
	for (size_t i = 0; i < d->rule->n_cost_metrics; i++)
		if (!has_metric(b->run, d->rule->cost_metrics[i]))
			return d->rule->cost_metrics[i];
	return N_METRICS;
}

/* "SM clock", of which a share is one of the highest clock: of what a metric follows from, what no log has. */
static const char *lacking_text(struct build *b, enum metric lacking)
{
	bool basics[N_METRICS] = { false };
	const char *names[N_METRICS];
	size_t n = 0;

	record_basics(basics, lacking);
	for (size_t m = 0; m < N_METRICS; m++)
		if (basics[m] && is_missed(b->run, (enum metric)m))
			names[n++] = metric_words((enum metric)m);
	return n ? joined(b->mem, names, n, ", ", " and ") : metric_words(lacking);
}

static const char *unmeasured_text(struct build *b, const struct draft *d)
{
	const enum metric lacking = metric_lacking(b, d);

	if (lacking == N_METRICS)
		return "not known: what it would be measured by is not in the logs of that time.";
	return arena_print(b->mem, "not known: no log has the %s, by which it would be measured.", lacking_text(b, lacking));
}

/* Of a loss of its own, and of what others lost by waiting: that is told by its bounds, which may be nothing and all. */
static const char *held_up_cost(struct build *b, const struct draft *d, const char *held_up, const char *most, const char *rest)
{
	const char *const least = gpu_time_text(b->mem, b->unit, d->least_hours);
	const char *const share = percent_text(b->mem, d->least_hours / b->total_hours);

	if (d->least_waited > NO_COST_HOURS)
		return arena_print(b->mem, "%s, if %s did no work while it lasted; at least %s, %s.%s", most, held_up, least, share, rest);
	return arena_print(
		b->mem, "%s, if %s lost as much as the slowest; at least %s, %s, without them.%s", most, held_up, least, share, rest);
}

static const char *partly_unmeasured_text(struct build *b, const struct draft *d)
{
	if (!is_partly_unmeasured(d))
		return "";
	return arena_print(b->mem, " What was lost in another %s of that time is not known.",
		gpu_time_text(b->mem, b->unit, d->unmeasured_hours));
}

static bool has_reference_on(const struct draft *d, struct whom whom)
{
	for (size_t i = 0; i < d->n_verdicts; i++) {
		const struct verdict *const v = d->verdicts[i];
		if (!isnan(v->reference) && !v->reference_assumed && whom_has(whom, v->entity))
			return true;
	}
	return false;
}

/* A shorter finding has what is usual beside it, where to one that lasts from the first work to the last nothing is left. */
static bool others_have_reference(struct build *b, const struct draft *d)
{
	const struct whom whom = whom_of(b, d);

	for (size_t i = 0; i < b->n_ranked; i++)
		if (b->ranked[i] != d && b->ranked[i]->rule->cost && has_reference_on(b->ranked[i], whom))
			return true;
	return false;
}

const char *cost_text(struct build *b, const struct draft *d)
{
	struct arena *mem = b->mem;

	if (!d->costs)
		return NULL;
	if (is_unmeasured(d))
		return unmeasured_text(b, d);
	const char *share = percent_text(mem, b->total_hours > 0 ? d->cost_hours / b->total_hours : 0);
	const char *hours = spent_text(b, d->cost_hours), *const bound = bounded_text(b, "at most", hours);
	const bool shared = is_cost_shared(b, d);
	const char *rest = arena_print(mem, "%s%s", shared ? " Seconds that another finding explains are charged there." : "",
		partly_unmeasured_text(b, d));
	const char *const held_up = d->rule->cost ? held_up_text(b, d) : NULL;
	if (held_up && d->upper_bound && (!lacks_reference(d) || metric_lacking(b, d) != N_METRICS))
		return held_up_cost(b, d, held_up, arena_print(mem, "%s, %s of the run", bound, share), rest);
	if (!d->rule->cost || d->rule->cost_least)
		return arena_print(mem, "%s, %s of the run: %s.%s%s", d->upper_bound ? bound : hours, share, most_text(b, d),
			least_text(b, d), rest);
	if (d->upper_bound)
		return arena_print(mem, "%s, %s of the run, measured against full use: %s no healthy stretch to compare with.%s", bound,
			share, others_have_reference(b, d) ? "outside of its time there is" : "the run has", rest);
	if (d->lost_whole)
		return arena_print(mem, "%s, %s of the run: all of its seconds.%s", hours, share, rest);
	if (d->rule->cost_lack == N_METRICS || (isnan(d->verdicts[0]->reference) && d->rule->cost_lack != METRIC_GPU_UTIL))
		return arena_print(mem, "%s, %s of the run: %s.%s", hours, share, counted_text(b, d), rest);
	if (d->cost_hours <= 0 && !shared)
		return "none: this GPU was no busier in the rest of the run.";
	if (isnan(d->verdicts[0]->reference))
		return arena_print(mem, "%s, %s of the run: each second counted by %s.%s", hours, share,
			d->rule->cost_beside_pace ? "what it fell short of the pace before"
						  : "the share of the GPU that was not used",
			rest);
	return arena_print(mem, "%s, %s of the run: each second counted by what it fell short of the run's usual %s.%s",
		hours, share, quantity_text(mem, (struct quantity){ d->verdicts[0]->reference, UNIT_PERCENT }), rest);
}

const char *cost_short(struct build *b, const struct draft *d)
{
	if (is_unmeasured(d))
		return "loss not known";
	if (d->costs) {
		const char *const spent = spent_text(b, d->cost_hours);
		return arena_print(b->mem, "%s lost", d->upper_bound ? bounded_text(b, "up to", spent) : spent);
	}
	if (d->rule->about_holes)
		return arena_print(b->mem, "%s not logged", gpu_time_text(b->mem, b->unit, fired_hours(d)));
	return NULL;
}

struct range cost_range(const struct draft *d)
{
	if (!d->costs || is_unmeasured(d))
		return (struct range){ NAN, NAN };
	return (struct range){ d->least_hours, d->cost_hours };
}
