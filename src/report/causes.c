/*
 * causes.c - findings folded under their causes.
 *
 * A finding whose rule another fired rule explains, and of whose loss (or time, where it has no cost) that cause covers most, is a symptom:
 * it is named under the cause and costs nothing of its own; but a cause that has no cost, or that explains what was found on other
 * GPUs, pays for what was lost there, as does one that others are joined to. Where a good part is left over, that part has no cause yet,
 * and both are told.
 */
#include "report/report_parts.h"

/* What a symptom is about: what was lost, since time at full speed needs no cause; else time. */
static double weight_of(const struct verdict *v, struct spans when)
{
	return v->rule->cost ? lost_hours(v, when) : (double)spans_length(when);
}

static bool is_another_gpu(const struct entity *cause, const struct entity *symptom)
{
	return cause && symptom && cause->scope == SCOPE_GPU && symptom->scope == SCOPE_GPU && cause != symptom;
}

bool may_explain(const struct verdict *cause)
{
	const struct evidence_row *const asked = cause->rule->explains_if;

	return !asked || cause->evidence[asked - cause->rule->evidence].value >= 1;
}

/*
 * On the symptom's entity, on its host, or, where the symptom is a host's, on any of its GPUs;
 * or from a GPU that the others wait for to those others.
 */
static bool explains_there(const struct verdict *cause, const struct verdict *symptom)
{
	const bool is_there = concerns(cause->entity, symptom->entity) || concerns(symptom->entity, cause->entity);

	if (texts_have(cause->rule->explains, symptom->rule->id) && is_there)
		return true;
	return texts_have(cause->rule->explains_on_others, symptom->rule->id) && is_another_gpu(cause->entity, symptom->entity);
}

bool can_explain(const struct rule *cause, const struct rule *symptom)
{
	return texts_have(cause->explains, symptom->id) || texts_have(cause->explains_on_others, symptom->id) ||
	       texts_have(cause->joins, symptom->id) || texts_have(cause->follows, symptom->id) || texts_have(cause->leads_to, symptom->id);
}

#define NEXT_MS (2 * MINUTE_MS) /* from the end of what led to something to its begin: a row or two of a log that looks once a minute */

/*
 * The time of what led up to the cause, on the same entity: all of it up to the last begin of the cause that it reached. What goes on
 * behind that did not lead there, so a host that swaps on for hours is no prelude of the process that was killed in its first minute.
 */
static struct spans time_before(struct build *b, const struct verdict *cause, const struct verdict *before)
{
	struct span led = { before->when.at[0].begin, before->when.at[0].begin };

	if (!texts_have(cause->rule->follows, before->rule->id) || cause->entity != before->entity)
		return (struct spans){ NULL, 0 };
	for (size_t i = 0, k = 0; i < cause->when.n; i++) {
		const time_ms begin = cause->when.at[i].begin;
		while (k < before->when.n && before->when.at[k].end + NEXT_MS < begin)
			k++;
		if (k < before->when.n && before->when.at[k].begin <= begin + NEXT_MS)
			led.end = begin + NEXT_MS;
	}
	return spans_intersection(b->mem, before->when, spans_one(&led));
}

#define SEEN_BEFORE_MS (30 * SECOND_MS) /* what comes of an error may be seen before the error is: a driver waits before it tells */

/* What one host does to itself says nothing of what befell another. */
static bool are_two_hosts(const struct entity *cause, const struct entity *symptom)
{
	return cause && symptom && cause->scope == SCOPE_HOST && symptom->scope == SCOPE_HOST && cause != symptom;
}

/* Until when what came of a window of the cause began: a change of pace begins with what changed it, not while it goes on. */
static time_ms latest_begin(struct span cause, const struct rule *symptom)
{
	return (symptom->cost_beside_pace ? cause.begin : cause.end) + NEXT_MS;
}

/* What broke a job may be over at once; what made GPUs slower is there while they are: a minute of a slow link is not why for an hour. */
static bool lasts_as_long(const struct verdict *cause, const struct verdict *symptom, struct span window)
{
	return !symptom->rule->cost_beside_pace ||
	       (double)spans_length_in(cause->when, window) >= SYMPTOM_OVERLAP * (double)span_length(window);
}

/* Of the symptom those windows that began with one of the cause, or soon after. */
static struct spans time_after(struct build *b, const struct verdict *cause, const struct verdict *symptom)
{
	struct span *const at = NEW_ARRAY(b->mem, struct span, symptom->when.n);
	size_t n = 0, i = 0;

	if (!texts_have(cause->rule->leads_to, symptom->rule->id) || are_two_hosts(cause->entity, symptom->entity))
		return (struct spans){ NULL, 0 };
	for (size_t k = 0; k < symptom->when.n; k++) {
		const time_ms begin = symptom->when.at[k].begin;
		while (i < cause->when.n && latest_begin(cause->when.at[i], symptom->rule) < begin)
			i++;
		const bool began_with_it = i < cause->when.n && cause->when.at[i].begin - SEEN_BEFORE_MS <= begin;
		if (began_with_it && lasts_as_long(cause, symptom, symptom->when.at[k]))
			at[n++] = symptom->when.at[k];
	}
	return (struct spans){ at, n };
}

bool led_up_to(const struct draft *d, const struct draft *before)
{
	return before->cause == d && texts_have(d->rule->follows, before->rule->id);
}

struct spans covered_time(struct build *b, const struct draft *cause, const struct verdict *symptom)
{
	struct spans time = { NULL, 0 };

	for (size_t k = 0; k < cause->n_verdicts; k++) {
		if (!may_explain(cause->verdicts[k]))
			continue;
		if (explains_there(cause->verdicts[k], symptom))
			time = spans_union(b->mem, time, spans_intersection(b->mem, cause->verdicts[k]->when, symptom->when));
		time = spans_union(b->mem, time, time_before(b, cause->verdicts[k], symptom));
		time = spans_union(b->mem, time, time_after(b, cause->verdicts[k], symptom));
	}
	return time;
}

/* With the rest of windows of which most is: GPUs wait from a moment before it shows on another until a moment after. */
static struct spans whole_windows(struct build *b, struct spans time, struct spans windows)
{
	struct span *const whole = NEW_ARRAY(b->mem, struct span, windows.n);
	size_t n = 0;

	for (size_t k = 0; k < windows.n; k++)
		if ((double)spans_length_in(time, windows.at[k]) >= SYMPTOM_OVERLAP * (double)span_length(windows.at[k]))
			whole[n++] = windows.at[k];
	return spans_union(b->mem, time, (struct spans){ whole, n });
}

struct spans explained_time(struct build *b, const struct draft *symptom, const struct verdict *v)
{
	if (symptom->is_joined)
		return v->when;
	const struct spans time = covered_time(b, symptom->cause, v);
	return texts_have(symptom->cause->rule->explains_on_others, v->rule->id) ? whole_windows(b, time, v->when) : time;
}

/* Share of the symptom, over its entities, that the cause explains. */
double covered(struct build *b, const struct draft *cause, const struct draft *symptom)
{
	double all = 0, shared = 0;

	for (size_t i = 0; i < symptom->n_verdicts; i++) {
		const struct verdict *s = symptom->verdicts[i];
		all += weight_of(s, s->when);
		shared += weight_of(s, covered_time(b, cause, s));
	}
	return all > 0 ? shared / all : 0;
}

/* Once each: a rule that fired on GPUs at different times is one symptom. */
static void add_symptom(struct build *b, struct draft *cause, const char *id)
{
	const char **ids = NEW_ARRAY(b->mem, const char *, cause->symptoms.n + 1);

	if (texts_have(cause->symptoms, id))
		return;
	for (size_t i = 0; i < cause->symptoms.n; i++)
		ids[i] = cause->symptoms.at[i];
	ids[cause->symptoms.n] = id;
	cause->symptoms = (struct texts){ ids, cause->symptoms.n + 1 };
}

/* By all findings of the cause's rule together: it may be two, of which one is suppressed. */
static double covered_by_rule(struct build *b, const struct rule *cause, const struct draft *symptom)
{
	double share = 0;

	for (size_t c = 0; c < b->n_drafts; c++)
		if (b->drafts[c].rule == cause)
			share += covered(b, &b->drafts[c], symptom);
	return share;
}

/*
 * By all that can explain it together: GPUs that draw little while they wait for a slow one, and a day later while another hangs, are no
 * story of their own. Only of what has no price: what was lost needs one cause to be charged to.
 */
static double covered_by_all(struct build *b, const struct draft *symptom)
{
	double all = 0, shared = 0;

	for (size_t i = 0; i < symptom->n_verdicts; i++) {
		const struct verdict *s = symptom->verdicts[i];
		struct spans time = { NULL, 0 };
		for (size_t c = 0; c < b->n_drafts; c++)
			if (can_explain(b->drafts[c].rule, symptom->rule))
				time = spans_union(b->mem, time, covered_time(b, &b->drafts[c], s));
		all += weight_of(s, s->when);
		shared += weight_of(s, time);
	}
	return all > 0 ? shared / all : 0;
}

/* What mostly led up to this is told under it, so this is not told under that: both would be told nowhere. */
static bool is_prelude(struct build *b, const struct draft *before, const struct draft *d)
{
	return texts_have(d->rule->follows, before->rule->id) && covered_by_rule(b, d->rule, before) >= SYMPTOM_OVERLAP;
}

/* Is it the symptom itself, or told under it already? Rules may explain each other, in a circle; then all of them would be told nowhere. */
static bool is_below(const struct draft *d, const struct draft *symptom)
{
	while (d && d != symptom)
		d = d->cause;
	return d != NULL;
}

struct choice { /* of a cause */
	const struct draft *best;
	double most;
	bool lasts; /* it was there all the while */
};

/* What began with the symptom is its cause where nothing is that was there all the while. */
static bool is_better(const struct choice *so_far, const struct draft *d, double share, bool lasts)
{
	if (lasts != so_far->lasts)
		return lasts;
	return d->suppressed ? share > so_far->most : share >= so_far->most; /* rather told than kept back */
}

/* The cause that covers most of the symptom, if it covers enough; or NULL. */
static const struct draft *cause_of(struct build *b, const struct draft *symptom)
{
	const bool is_told = !symptom->rule->cost && covered_by_all(b, symptom) >= SYMPTOM_OVERLAP;
	struct choice choice = { NULL, 0, false };

	for (size_t c = 0; c < b->n_drafts; c++) {
		const struct draft *d = &b->drafts[c];
		const bool can = can_explain(d->rule, symptom->rule) && !is_below(d, symptom) && !is_prelude(b, d, symptom);
		const double share = can ? covered(b, d, symptom) : 0;
		const bool is_enough = share > 0 && covered_by_rule(b, d->rule, symptom) >= SYMPTOM_OVERLAP;
		const bool lasts = is_enough && !texts_have(d->rule->leads_to, symptom->rule->id);
		if (share > 0 && (is_told || is_enough) && is_better(&choice, d, share, lasts))
			choice = (struct choice){ d, share, lasts };
	}
	return choice.best;
}

struct draft *first_cause(struct build *b, const struct draft *d)
{
	const struct draft *top = d->cause;

	while (top && top->cause) /* never back to `d`: is_below() */
		top = top->cause;
	return top ? &b->drafts[top - b->drafts] : NULL;
}

/*
 * What others are joined to, a cause on another GPU, and one that has no price of its own (memory read back from swap), pay for what was
 * lost by them.
 */
const struct draft *payer_of(struct build *b, const struct draft *symptom)
{
	const struct rule *cause = symptom->cause ? symptom->cause->rule : NULL;
	const bool is_elsewhere = cause && texts_have(cause->explains_on_others, symptom->rule->id);

	return symptom->is_joined || is_elsewhere || (cause && !cause->cost) ? first_cause(b, symptom) : NULL;
}

/* The most that what was lost could be by itself, and whatever lies between it and its payer: a GPU that others waited for. */
static enum severity severity_paid(const struct build *b, const struct draft *lost, const struct draft *payer)
{
	enum severity most = lost->rule->severity;
	const struct draft *d = lost->cause;

	for (size_t steps = 0; d && d != payer && steps < b->n_drafts; steps++) {
		most = d->rule->severity > most ? d->rule->severity : most;
		d = d->cause;
	}
	return most;
}

/* What has a price: a rule that says what is lost, or one that is told what the others lost by it. */
void find_costs(struct build *b)
{
	for (size_t i = 0; i < b->n_drafts; i++)
		b->drafts[i].costs |= b->drafts[i].rule->cost != NULL;
	for (size_t s = 0; s < b->n_drafts; s++) {
		const struct draft *const lost = &b->drafts[s], *const pays = lost->rule->cost ? payer_of(b, lost) : NULL;
		if (!pays)
			continue;
		struct draft *const payer = &b->drafts[pays - b->drafts];
		const enum severity paid = severity_paid(b, lost, payer);
		payer->costs = true;
		payer->paid_severity = paid > payer->paid_severity ? paid : payer->paid_severity;
		payer->upper_bound |= lost->upper_bound;
	}
}

/* Each under the finding that it is told with: causes that are symptoms themselves still take theirs along. */
void list_symptoms(struct build *b)
{
	for (size_t s = 0; s < b->n_drafts; s++) {
		struct draft *top = first_cause(b, &b->drafts[s]);
		if (top)
			add_symptom(b, top, b->drafts[s].rule->id);
	}
}

/* Whoever knows of a kill need not know what the host lost before it; who knows that it swaps wants to hear of the kill, not of that. */
static void keep_suppressed_apart(struct build *b)
{
	for (size_t s = 0; s < b->n_drafts; s++) {
		struct draft *const before = &b->drafts[s];
		const struct draft *const top = first_cause(b, before);
		if (top && led_up_to(before->cause, before) && !top->suppressed != !before->suppressed)
			before->cause = NULL;
	}
}

void fold_symptoms(struct build *b)
{
	for (size_t s = 0; s < b->n_drafts; s++)
		if (!b->drafts[s].is_joined)
			b->drafts[s].cause = cause_of(b, &b->drafts[s]);
	keep_suppressed_apart(b);
	list_symptoms(b);
}

/* True: it is put deeper. */
static bool put_below(const struct build *b, const struct draft *cause, struct draft *symptom)
{
	const bool is_lower = symptom->depth > cause->depth, is_circle = cause->depth >= (int)b->n_drafts;

	if (is_lower || is_circle || !can_explain(cause->rule, symptom->rule))
		return false;
	symptom->depth = cause->depth + 1;
	return true;
}

/* The longest chain of fired rules that explain this one; bounded, because rules may explain each other. */
void find_depths(struct build *b)
{
	bool is_deeper = true;

	for (size_t round = 0; round < b->n_drafts && is_deeper; round++) {
		is_deeper = false;
		for (size_t s = 0; s < b->n_drafts; s++)
			for (size_t c = 0; c < b->n_drafts; c++)
				is_deeper |= put_below(b, &b->drafts[c], &b->drafts[s]);
	}
}
