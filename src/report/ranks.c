/*
 * ranks.c - how severe each finding is, and in which order they are told, once the ledger has charged all. A finding to which nothing or a
 * crumb is left is a symptom, too.
 */
#include "report/report_parts.h"

#include <stdlib.h>

/* Severity by cost, as shares of the run's GPU time (visual.md 13.3). */
#define CRITICAL_SHARE 0.03
#define WARNING_SHARE 0.01
#define OVERHEAD_SHARE 0.1
#define OVERHEAD_LEAST (5 * MINUTE_MS)
#define WARNING_LEAST OVERHEAD_LEAST /* a loss that is critical needs no time */
#define HOLES_SHARE 0.2 /* below it holes are a note */

/* A hundredth of a short run is one checkpoint or one evaluation, which nobody is woken for. */
static enum severity severity_by_cost(const struct build *b, const struct draft *d)
{
	const double share = b->total_hours > 0 ? d->cost_hours / b->total_hours : 0;

	if (share >= CRITICAL_SHARE)
		return SEVERITY_CRITICAL;
	return share >= WARNING_SHARE && spans_length(d->when) >= WARNING_LEAST ? SEVERITY_WARNING : SEVERITY_NOTE;
}

/*
 * Start, end and dips are no loss; from a tenth of the run and five minutes on they are worth more than a note (visual.md 13.3). A job that
 * does not crash has no second start: there it is the share from which a loss is critical.
 */
static bool is_large_overhead(const struct build *b, const struct draft *d)
{
	const double length = (double)spans_length(d->when), least = d->rule->about_restart ? CRITICAL_SHARE : OVERHEAD_SHARE;

	return length >= OVERHEAD_LEAST && length >= least * (double)span_length(b->run->span);
}

/* It would be told without a cost, too; what was lost by its symptoms makes it at most as severe as they would be. */
static enum severity severity_of_payer(const struct draft *d, enum severity by_cost)
{
	const enum severity paid = by_cost < d->paid_severity ? by_cost : d->paid_severity;

	return paid > d->rule->severity ? paid : d->rule->severity;
}

/* The rule names the most it can be; a cost makes it as severe as what was lost. */
static enum severity severity_of(const struct build *b, const struct draft *d)
{
	const enum severity by_cost = severity_by_cost(b, d);

	if (d->rule->about_holes)
		return b->no_log_hours > HOLES_SHARE * b->total_hours ? d->rule->severity : SEVERITY_NOTE;
	if (d->rule->about_overhead)
		return is_large_overhead(b, d) ? d->rule->severity : SEVERITY_NOTE;
	if (d->costs && !d->rule->cost && !d->rule->explains_on_others.n)
		return severity_of_payer(d, by_cost);
	if (!d->costs || d->rule->by_driver_flag)
		return d->rule->severity;
	return by_cost < d->rule->severity ? by_cost : d->rule->severity;
}

/* Of what is not sure enough nobody is woken (visual.md 13.3). */
static enum severity capped(const struct draft *d, enum severity severity)
{
	return d->sureness.caps && severity > SEVERITY_WARNING ? SEVERITY_WARNING : severity;
}

/* What it cost; of time without a log what it may have cost, which is all of it: hours of it are no less than a pause of seconds. */
static double hours_at_stake(const struct draft *d)
{
	time_ms dark = 0;

	for (size_t i = 0; d->rule->about_holes && i < d->n_verdicts; i++)
		dark += spans_length(d->verdicts[i]->when);
	return d->cost_hours + (double)dark / HOUR_MS;
}

/*
 * Worst first, of equal ones what is most at stake; then what is not known, which bounds all else; of notes, time without work before what
 * is as it should be; then by id, so that equal inputs give equal bytes.
 */
static int by_importance(const void *a, const void *b)
{
	const struct draft *x = *(const struct draft *const *)a, *y = *(const struct draft *const *)b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	const double own = hours_at_stake(x), others = hours_at_stake(y);
	if (own != others)
		return own > others ? -1 : 1;
	if (x->rule->about_holes != y->rule->about_holes)
		return x->rule->about_holes ? -1 : 1;
	if (x->severity == SEVERITY_NOTE && x->rule->about_overhead != y->rule->about_overhead)
		return x->rule->about_overhead ? -1 : 1;
	int ids = strcmp(x->rule->id, y->rule->id);
	return ids ? ids : (x > y) - (x < y); /* drafts lie in order of entity */
}

#define CRUMB_LOSS (NAMED_LOSS / 2) /* of the run */
#define CRUMB_OVERLAP (1.0 / 3)

/* What is left of a symptom is too little to be told beside its cause: the last pauses of a run that waited all along. */
static bool is_crumb_of(struct build *b, const struct draft *cause, const struct draft *symptom)
{
	return symptom->cost_hours < CRUMB_LOSS * b->total_hours && can_explain(cause->rule, symptom->rule) &&
	       covered(b, cause, symptom) >= CRUMB_OVERLAP;
}

static bool share_an_entity(const struct draft *x, const struct draft *y)
{
	for (size_t i = 0; i < x->n_verdicts; i++)
		for (size_t k = 0; k < y->n_verdicts; k++)
			if (concerns(y->verdicts[k]->entity, x->verdicts[i]->entity))
				return true;
	return false;
}

static double lost_by_itself(const struct draft *d)
{
	double hours = 0;

	for (size_t i = 0; i < d->n_verdicts; i++)
		hours += d->rule->cost ? lost_hours(d->verdicts[i], d->verdicts[i]->when) : 0;
	return hours;
}

/*
 * "Busy only half of the time: nothing lost": what others explain to the last second or but for a crumb, or what took nothing away, is no
 * finding beside one that did on the same GPU, but part of its story.
 */
static void fold_costless(struct build *b)
{
	for (size_t s = 0; s < b->n_drafts; s++) {
		struct draft *d = &b->drafts[s], *best = NULL;
		if (d->cause || !d->costs || d->rule->by_driver_flag)
			continue;
		const bool has_nothing = d->cost_hours <= NO_COST_HOURS, took_nothing = has_nothing && lost_by_itself(d) <= NO_COST_HOURS;
		for (size_t c = 0; c < b->n_drafts; c++) {
			struct draft *other = &b->drafts[c];
			const bool is_more = !other->cause && other->cost_hours > (best ? best->cost_hours : NO_COST_HOURS);
			/* what took all that it lost may explain it; else it has a story of its own */
			const bool may_be_its = has_nothing && (took_nothing || can_explain(other->rule, d->rule));
			const bool is_nothing = may_be_its && share_an_entity(d, other);
			if (other != d && is_more && (is_nothing || is_crumb_of(b, other, d)))
				best = other;
		}
		d->cause = best;
	}
}

void rank_drafts(struct build *b)
{
	struct draft **ranked = NEW_ARRAY(b->mem, struct draft *, b->n_drafts);
	size_t n = 0;

	fold_costless(b);
	list_symptoms(b); /* with those of what was folded now */
	for (size_t i = 0; i < b->n_drafts; i++) {
		struct draft *d = &b->drafts[i];
		d->sureness = sureness_of(b, d);
		d->severity = capped(d, severity_of(b, d));
		if (!d->cause && !d->suppressed)
			ranked[n++] = d;
	}
	if (n)
		qsort(ranked, n, sizeof *ranked, by_importance);
	for (size_t i = 0; i < n; i++)
		ranked[i]->number = i + 1;
	b->ranked = ranked;
	b->n_ranked = n;
}
