/*
 * several_causes.c - GPUs that waited for one GPU, and an hour later for another, are two stories.
 *
 *     they wait    |#####|      |########|      |###|
 *     causes        aaaaa         bbbbbb
 *     parts         of a         of b            of nobody
 *
 * What was lost is charged to one cause. A finding in the windows of several, or of none, would be charged to one of them, and the rest of
 * it to nobody, or be told beside them all; so each window goes to the cause that covers it, before symptoms are folded.
 */
#include "report/report_parts.h"

/* Copies of verdicts with some of their windows. */
struct verdict_parts {
	struct verdict **at;
	size_t n;
};

/* A finding whose windows are dealt out. Owners are numbers of findings; `nobody` is one more. */
struct parting {
	struct build *b;
	size_t symptom, nobody;
	size_t **owners; /* of each window of each of its verdicts: the finding that covers most of it */
	size_t *n_owned; /* how many windows each of them has */
	struct verdict_parts *made;
};

static bool can_own(const struct build *b, size_t cause, size_t symptom)
{
	const struct rule *const rule = b->drafts[cause].rule;
	const char *const id = b->drafts[symptom].rule->id;

	return cause != symptom && (texts_have(rule->explains, id) || texts_have(rule->explains_on_others, id));
}

static size_t *owners_of(const struct parting *p, const struct verdict *v)
{
	struct build *const b = p->b;
	size_t *const owners = NEW_ARRAY(b->mem, size_t, v->when.n);
	time_ms *const most = NEW_ARRAY(b->mem, time_ms, v->when.n);

	for (size_t k = 0; k < v->when.n; k++)
		owners[k] = p->nobody;
	for (size_t c = 0; c < b->n_drafts; c++) {
		const struct spans time = can_own(b, c, p->symptom) ? covered_time(b, &b->drafts[c], v) : (struct spans){ NULL, 0 };
		for (size_t k = 0; k < v->when.n && time.n; k++) {
			const time_ms length = spans_length_in(time, v->when.at[k]);
			const bool is_enough = (double)length >= SYMPTOM_OVERLAP * (double)span_length(v->when.at[k]);
			if (is_enough && length > most[k]) {
				most[k] = length;
				owners[k] = c;
			}
		}
	}
	return owners;
}

static void deal_windows(struct parting *p)
{
	const struct draft *const d = &p->b->drafts[p->symptom];

	for (size_t i = 0; i < d->n_verdicts; i++) {
		p->owners[i] = owners_of(p, d->verdicts[i]);
		for (size_t k = 0; k < d->verdicts[i]->when.n; k++)
			p->n_owned[p->owners[i][k]]++;
	}
}

static struct verdict *verdict_in(const struct parting *p, size_t i, size_t owner)
{
	struct verdict *const part = NEW(p->b->mem, struct verdict);
	const struct spans all = p->b->drafts[p->symptom].verdicts[i]->when;
	struct span *const at = NEW_ARRAY(p->b->mem, struct span, all.n);

	*part = *p->b->drafts[p->symptom].verdicts[i];
	part->when = (struct spans){ at, 0 };
	for (size_t k = 0; k < all.n; k++)
		if (p->owners[i][k] == owner)
			at[part->when.n++] = all.at[k];
	return part;
}

static struct draft draft_in(const struct parting *p, size_t owner)
{
	struct draft part = p->b->drafts[p->symptom];
	const size_t n = part.n_verdicts;

	part.verdicts = NEW_ARRAY(p->b->mem, const struct verdict *, p->b->verdicts.n);
	part.n_verdicts = 0;
	for (size_t i = 0; i < n; i++) {
		struct verdict *const v = verdict_in(p, i, owner);
		if (!v->when.n)
			continue;
		part.verdicts[part.n_verdicts++] = v;
		p->made->at = arena_array_next(p->b->mem, p->made->at, p->made->n, sizeof *p->made->at);
		p->made->at[p->made->n++] = v;
	}
	part.when = own_time(p->b, &part);
	return part;
}

/* Is what nobody owns too little to be a story of its own? The first minute of work, in which all is slow, is none. */
static bool is_crumb(const struct parting *p)
{
	const struct draft *const d = &p->b->drafts[p->symptom];
	double lost = 0;

	for (size_t i = 0; i < d->n_verdicts; i++)
		for (size_t k = 0; k < d->verdicts[i]->when.n; k++)
			if (p->owners[i][k] == p->nobody)
				lost += lost_hours(d->verdicts[i], spans_one(&d->verdicts[i]->when.at[k]));
	return lost < NAMED_LOSS * p->b->total_hours;
}

/* What nobody owns goes to some other. */
static void deal_rest(struct parting *p, size_t owner)
{
	const struct draft *const d = &p->b->drafts[p->symptom];

	for (size_t i = 0; i < d->n_verdicts; i++)
		for (size_t k = 0; k < d->verdicts[i]->when.n; k++)
			if (p->owners[i][k] == p->nobody)
				p->owners[i][k] = owner;
	p->n_owned[owner] += p->n_owned[p->nobody];
	p->n_owned[p->nobody] = 0;
}

/* The part of each owner, the first in place of the whole. What nobody owns is dealt to the stories that it is of. */
static void take_apart(const struct parting *p, size_t n_parts)
{
	struct build *const b = p->b;
	const size_t n = b->n_drafts;
	const struct draft rest = draft_in(p, p->nobody);
	struct draft *const all = NEW_ARRAY(b->mem, struct draft, n + n_parts + rest.n_verdicts);

	memcpy(all, b->drafts, n * sizeof *all);
	b->n_drafts = n;
	for (size_t c = 0, k = 0; c < p->nobody; c++)
		if (p->n_owned[c]) {
			struct draft *const part = &all[k ? b->n_drafts++ : p->symptom];
			*part = draft_in(p, c);
			part->is_of_host = b->drafts[c].rule->scope == SCOPE_HOST;
			k++;
		}
	b->drafts = all;
	add_to_stories(b, &rest);
}

static bool has_owner(const struct build *b, size_t symptom)
{
	bool any = false;

	for (size_t c = 0; c < b->n_drafts; c++)
		any |= can_own(b, c, symptom);
	return any && b->drafts[symptom].rule->cost;
}

static void part_by_cause(struct build *b, size_t symptom, struct verdict_parts *made)
{
	struct parting p = { b, symptom, b->n_drafts, NEW_ARRAY(b->mem, size_t *, b->drafts[symptom].n_verdicts),
		NEW_ARRAY(b->mem, size_t, b->n_drafts + 1), made };
	size_t first = 0, n_parts = 0;

	deal_windows(&p);
	while (!p.n_owned[first])
		first++;
	if (first < p.nobody && is_crumb(&p))
		deal_rest(&p, first);
	for (size_t c = 0; c <= p.nobody; c++)
		n_parts += p.n_owned[c] > 0;
	if (n_parts > 1)
		take_apart(&p, n_parts);
}

void part_by_causes(struct build *b)
{
	const size_t n = b->n_drafts;
	struct verdict_parts made = { NULL, 0 };

	for (size_t s = 0; s < n; s++)
		if (has_owner(b, s))
			part_by_cause(b, s, &made);
	if (made.n)
		verdict_parts_measure(b->rules, b->run, b->verdicts, made.at, made.n);
}
