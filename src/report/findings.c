/*
 * findings.c - verdicts that fired, grouped, folded under their causes, ranked. In words: finding_words.c, finding_cost.c.
 *
 * One finding a rule and story: the entities on which it fired at much the same times, or on which it came and went alike. A finding
 * whose rule another fired rule explains, and of whose loss (or time, where it has no cost) that cause covers most, is a symptom: it is
 * named under the cause and costs nothing of its own; but a cause that has no cost, or that explains what was found on other
 * GPUs, pays for what was lost there, as does one that others are joined to. A symptom, too, is a finding to which nothing is left,
 * or a crumb, once the ledger has charged all. Where a good part is left over, that part has no cause yet, and both are told.
 */
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>

/* Severity by cost, as shares of the run's GPU time (visual.md 13.3). */
#define CRITICAL_SHARE 0.03
#define WARNING_SHARE 0.01
#define WARNING_LEAST (5 * MINUTE_MS) /* as for overhead; a loss that is critical needs no time */
#define HOLES_SHARE 0.2 /* below it holes are a note */

struct spans own_time(struct build *b, const struct draft *d)
{
	struct spans all = { NULL, 0 };

	for (size_t i = 0; i < d->n_verdicts; i++)
		all = spans_union(b->mem, all, d->verdicts[i]->when);
	return all;
}

time_ms mean_time(const struct draft *d)
{
	time_ms sum = 0;

	for (size_t i = 0; i < d->n_verdicts; i++)
		sum += spans_length(d->verdicts[i]->when);
	return d->n_verdicts ? sum / (time_ms)d->n_verdicts : 0;
}

/* What a symptom is about: what was lost, since time at full speed needs no cause; else time. */
static double weight_of(const struct verdict *v, struct spans when)
{
	return v->rule->cost ? lost_hours(v, when) : (double)spans_length(when);
}

static bool is_another_gpu(const struct entity *cause, const struct entity *symptom)
{
	return cause && symptom && cause->scope == SCOPE_GPU && symptom->scope == SCOPE_GPU && cause != symptom;
}

/* Does what was measured there speak for it? What is not known does not. */
static bool may_explain(const struct verdict *cause)
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

static bool can_explain(const struct rule *cause, const struct rule *symptom)
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
static double covered(struct build *b, const struct draft *cause, const struct draft *symptom)
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
static void find_costs(struct build *b)
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
static void list_symptoms(struct build *b)
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

static void fold_symptoms(struct build *b)
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
static void find_depths(struct build *b)
{
	bool is_deeper = true;

	for (size_t round = 0; round < b->n_drafts && is_deeper; round++) {
		is_deeper = false;
		for (size_t s = 0; s < b->n_drafts; s++)
			for (size_t c = 0; c < b->n_drafts; c++)
				is_deeper |= put_below(b, &b->drafts[c], &b->drafts[s]);
	}
}

#define SAME_TIMES 0.5  /* shared time over joint time, from which two entities are one story */
#define CRUMB 0.02      /* of the run; what is shorter on both is one story whenever it was */
#define MANY_WINDOWS 4  /* from so many on it comes and goes */
#define MOST_STORIES 8  /* of one rule; what comes after joins the last, or a fleet would drown the reader */

/* Is most of the one that took less time inside of the other? */
static bool is_inside(struct build *b, struct spans x, struct spans y)
{
	const time_ms own = spans_length(x), other = spans_length(y), shorter = own < other ? own : other;

	return (double)spans_length(spans_intersection(b->mem, x, y)) >= SAME_TIMES * (double)shorter;
}

static bool can_join(struct build *b, const struct draft *d, const struct draft *part)
{
	const bool are_free = d != part && !d->is_joined && !part->is_joined && !part->n_joined && d->suppressed == part->suppressed;

	return are_free && texts_have(d->rule->joins, part->rule->id) && is_inside(b, d->when, part->when);
}

/*
 * Heat that makes hardware halve the clock of one GPU, and the driver hold down that one and its neighbour, is one story: the finding names
 * all of its GPUs, its time is all of their time, and what was lost is charged to it.
 */
static void join_stories(struct build *b)
{
	for (size_t i = 0; i < b->n_drafts; i++) {
		struct draft *d = &b->drafts[i];
		d->joined = NEW_ARRAY(b->mem, const struct draft *, d->rule->joins.n ? b->n_drafts : 0);
		for (size_t k = 0; k < b->n_drafts && d->rule->joins.n; k++) {
			struct draft *part = &b->drafts[k];
			if (!can_join(b, d, part))
				continue;
			part->is_joined = true;
			part->cause = d;
			d->joined[d->n_joined++] = part;
		}
	}
	for (size_t i = 0; i < b->n_drafts; i++)
		for (size_t k = 0; k < b->drafts[i].n_joined; k++)
			b->drafts[i].when = spans_union(b->mem, b->drafts[i].when, b->drafts[i].joined[k]->when);
}

static bool is_of(const struct draft *d, const struct entity *e)
{
	for (size_t i = 0; i < d->n_verdicts; i++)
		if (d->verdicts[i]->entity == e)
			return true;
	for (size_t i = 0; i < d->n_joined; i++)
		if (is_of(d->joined[i], e))
			return true;
	return false;
}

struct whom whom_of(struct build *b, const struct draft *d)
{
	struct whom whom = { NEW_ARRAY(b->mem, const struct entity *, d->n_verdicts + (d->n_joined ? b->run->n_gpus : 0)), 0 };

	for (size_t i = 0; i < d->n_verdicts && !d->n_joined; i++)
		whom.at[whom.n++] = d->verdicts[i]->entity;
	for (size_t g = 0; g < b->run->n_gpus && d->n_joined; g++)
		if (is_of(d, b->run->gpus[g]))
			whom.at[whom.n++] = b->run->gpus[g];
	return whom;
}

bool whom_has(struct whom whom, const struct entity *e)
{
	for (size_t i = 0; i < whom.n; i++)
		if (whom.at[i] == e)
			return true;
	return false;
}

/* Did both fire at much the same times, or both only for a moment? */
static bool is_same_story(struct build *b, const struct verdict *x, const struct verdict *y)
{
	double shared = (double)spans_length(spans_intersection(b->mem, x->when, y->when));
	double joint = (double)spans_length(spans_union(b->mem, x->when, y->when));
	double moment = CRUMB * (double)span_length(b->run->span);
	bool short_on_both = (double)spans_length(x->when) < moment && (double)spans_length(y->when) < moment;

	return shared >= SAME_TIMES * joint || short_on_both;
}

static double share_of(time_ms x, time_ms y)
{
	return x < y ? (double)x / (double)y : (double)y / (double)x;
}

/* Did it come and go on both, for about as long in all, over the same part of the run? When exactly is no story then. */
static bool is_as_scattered(const struct verdict *x, const struct verdict *y)
{
	if (x->when.n < MANY_WINDOWS || y->when.n < MANY_WINDOWS)
		return false;
	const struct span a = spans_hull(x->when), b = spans_hull(y->when);
	const time_ms shared = sooner(a.end, b.end) - later(a.begin, b.begin), joint = later(a.end, b.end) - sooner(a.begin, b.begin);
	const bool is_same_part = (double)shared >= SAME_TIMES * (double)joint;
	return is_same_part && share_of(spans_length(x->when), spans_length(y->when)) >= SAME_TIMES;
}

/* That one GPU lost speed by its heat is not told of another that was as hot and did not. */
static bool is_one_story(struct build *b, const struct verdict *x, const struct verdict *y)
{
	return may_explain(x) == may_explain(y) && (is_same_story(b, x, y) || is_as_scattered(x, y));
}

/*
 * One finding a rule and story: eight GPUs that starved together, or each now and then, are one finding, a ninth that stood idle for a
 * night is another.
 */
static struct draft *draft_for(struct build *b, const struct verdict *v)
{
	struct report_suppression *suppressed = suppression_of(b, v);
	struct draft *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < b->n_drafts; i++) {
		if (b->drafts[i].rule != v->rule || b->drafts[i].suppressed != suppressed)
			continue;
		last = &b->drafts[i];
		n++;
		if (is_one_story(b, last->verdicts[0], v))
			return last;
	}
	if (n == MOST_STORIES)
		return last;
	struct draft *d = &b->drafts[b->n_drafts++];
	*d = (struct draft){
		.rule = v->rule,
		.suppressed = suppressed,
		.verdicts = NEW_ARRAY(b->mem, const struct verdict *, b->verdicts.n),
	};
	return d;
}

static bool is_on_host_of(const struct build *b, const struct draft *d, const struct entity *e)
{
	for (size_t i = 0; i < d->n_verdicts; i++)
		if (run_host(b->run, d->verdicts[i]->entity) == run_host(b->run, e))
			return true;
	return false;
}

/* What is charged to the swapping of one host is not joined by a GPU of another, whose loss would be charged to nobody. */
static bool may_join(const struct build *b, const struct draft *d, const struct draft *whole, const struct entity *e)
{
	const bool is_free = d->rule == whole->rule && d->suppressed == whole->suppressed && !is_of(d, e);

	return is_free && (!d->is_of_host || is_on_host_of(b, d, e));
}

/* The finding of the same time that is not on this entity yet, or a new one; of many the last one takes what is left. */
static struct draft *story_of(struct build *b, const struct draft *whole, const struct verdict *v)
{
	struct draft *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < b->n_drafts; i++) {
		struct draft *const d = &b->drafts[i];
		if (!may_join(b, d, whole, v->entity))
			continue;
		last = d;
		n++;
		if (is_one_story(b, d->verdicts[0], v))
			return d;
	}
	if (n >= MOST_STORIES)
		return last;
	struct draft *const d = &b->drafts[b->n_drafts++];
	*d = *whole;
	d->verdicts = NEW_ARRAY(b->mem, const struct verdict *, b->verdicts.n);
	d->n_verdicts = 0;
	return d;
}

/* Verdicts lie in order of entity. */
void add_to_stories(struct build *b, const struct draft *rest)
{
	for (size_t i = 0; i < rest->n_verdicts; i++) {
		const struct verdict *const v = rest->verdicts[i];
		struct draft *const d = story_of(b, rest, v);
		size_t k = d->n_verdicts++;
		for (; k && entity_compare(d->verdicts[k - 1]->entity, v->entity) > 0; k--)
			d->verdicts[k] = d->verdicts[k - 1];
		d->verdicts[k] = v;
		d->when = own_time(b, d);
	}
}

#define ONE_TIME 0.9 /* of the time of all of them: what is on each for as long as that is told as if it were on all at once */

static bool are_apart(const struct draft *d)
{
	return (double)mean_time(d) < ONE_TIME * (double)spans_length(d->when);
}

#define MOST_NOTES 2 /* of one rule, of which nobody has to act on any */

/* Of these it is enough to know on which GPUs it was. */
bool is_mere_note(const struct draft *d)
{
	return d->rule->severity == SEVERITY_NOTE && !d->rule->cost && !d->rule->about_holes;
}

static bool is_same_note(const struct draft *x, const struct draft *y)
{
	return x->rule == y->rule && x->suppressed == y->suppressed;
}

/* All behind the k-th that are of its rule go to it. */
static void merge_notes(struct build *b, size_t k)
{
	struct draft *const into = &b->drafts[k];
	size_t n = k + 1;

	for (size_t i = k + 1; i < b->n_drafts; i++) {
		const struct draft *const d = &b->drafts[i];
		if (!is_same_note(d, into)) {
			b->drafts[n++] = *d;
			continue;
		}
		memcpy(into->verdicts + into->n_verdicts, d->verdicts, d->n_verdicts * sizeof(const struct verdict *));
		into->n_verdicts += d->n_verdicts;
	}
	b->n_drafts = n;
}

/* Eight GPUs that each were at their power limit at a time of their own are eight notes, of which one is enough. */
static void merge_many_notes(struct build *b)
{
	for (size_t k = 0; k < b->n_drafts; k++) {
		size_t n = 0;
		for (size_t i = k; i < b->n_drafts && is_mere_note(&b->drafts[k]); i++)
			n += is_same_note(&b->drafts[i], &b->drafts[k]);
		if (n > MOST_NOTES)
			merge_notes(b, k);
	}
}

void build_drafts(struct build *b)
{
	b->drafts = NEW_ARRAY(b->mem, struct draft, (b->rules->n + b->options->n_suppressions) * MOST_STORIES);
	for (size_t i = 0; i < b->verdicts.n; i++) {
		const struct verdict *v = &b->verdicts.at[i];
		bool counts = !b->too_short || v->rule->by_driver_flag; /* a flag needs no rhythm */
		if (v->outcome != OUTCOME_FIRED || !counts)
			continue;
		struct draft *d = draft_for(b, v);
		d->verdicts[d->n_verdicts++] = v;
		d->upper_bound |= v->rule->cost && (v->reference_assumed || v->rule->cost_least);
	}
	merge_many_notes(b);
	for (size_t i = 0; i < b->n_drafts; i++)
		b->drafts[i].when = own_time(b, &b->drafts[i]);
	part_by_causes(b);
	join_stories(b);
	for (size_t i = 0; i < b->n_drafts; i++)
		b->drafts[i].is_scattered = !b->drafts[i].n_joined && are_apart(&b->drafts[i]);
	fold_symptoms(b);
	find_costs(b);
	find_depths(b);
}

/* A hundredth of a short run is one checkpoint or one evaluation, which nobody is woken for. */
static enum severity severity_by_cost(const struct build *b, const struct draft *d)
{
	const double share = b->total_hours > 0 ? d->cost_hours / b->total_hours : 0;

	if (share >= CRITICAL_SHARE)
		return SEVERITY_CRITICAL;
	return share >= WARNING_SHARE && spans_length(d->when) >= WARNING_LEAST ? SEVERITY_WARNING : SEVERITY_NOTE;
}

/* Start, end and dips are no loss; from a tenth of the run and five minutes on they are worth more than a note (visual.md 13.3). */
static bool is_large_overhead(const struct build *b, const struct draft *d)
{
	const time_ms length = spans_length(d->when);

	return length >= 5 * MINUTE_MS && 10 * length >= span_length(b->run->span);
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
		for (size_t c = 0; c < b->n_drafts; c++) {
			struct draft *other = &b->drafts[c];
			const bool is_more = !other->cause && other->cost_hours > (best ? best->cost_hours : NO_COST_HOURS);
			const bool is_nothing = d->cost_hours <= NO_COST_HOURS && share_an_entity(d, other);
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
