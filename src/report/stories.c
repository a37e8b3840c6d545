/*
 * stories.c - verdicts that fired, grouped: one finding a rule and story, which are the entities on which it fired at much the same times,
 * or on which it came and went alike. Rules that tell of one thing are joined (rule->joins). Their causes: causes.c.
 */
#include "report/report_parts.h"

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

bool has_verdict_of(const struct draft *d, const struct entity *e)
{
	for (size_t i = 0; i < d->n_verdicts; i++)
		if (d->verdicts[i]->entity == e)
			return true;
	return false;
}

/* What is known already of a finding is known of its parts on the same GPUs; of a part alone it says nothing of the finding. */
static bool is_known_with(const struct draft *d, const struct draft *part)
{
	if (!d->suppressed || part->suppressed)
		return d->suppressed == part->suppressed;
	for (size_t i = 0; i < part->n_verdicts; i++)
		if (!has_verdict_of(d, part->verdicts[i]->entity))
			return false;
	return true;
}

static bool can_join(struct build *b, const struct draft *d, const struct draft *part)
{
	const bool are_free = d != part && !d->is_joined && !part->is_joined && !part->n_joined && is_known_with(d, part);

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
	if (has_verdict_of(d, e))
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
