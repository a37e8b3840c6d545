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

#define NOBODY SIZE_MAX

/* A finding whose windows are dealt out. */
struct parting {
	struct build *b;
	size_t symptom;  /* of b->drafts, as owners are */
	size_t **owners; /* of each window of each of its verdicts: the finding that covers most of it, or NOBODY */
};

static bool can_pay(const struct build *b, size_t cause, size_t symptom)
{
	return cause != symptom && texts_have(b->drafts[cause].rule->explains_on_others, b->drafts[symptom].rule->id);
}

static size_t *owners_of(struct build *b, size_t symptom, const struct verdict *v)
{
	size_t *const owners = NEW_ARRAY(b->mem, size_t, v->when.n);
	time_ms *const most = NEW_ARRAY(b->mem, time_ms, v->when.n);

	for (size_t k = 0; k < v->when.n; k++)
		owners[k] = NOBODY;
	for (size_t c = 0; c < b->n_drafts; c++) {
		const struct spans time = can_pay(b, c, symptom) ? covered_time(b, &b->drafts[c], v) : (struct spans){ NULL, 0 };
		for (size_t k = 0; k < v->when.n && time.n; k++) {
			const time_ms length = length_in(time, v->when.at[k]);
			const bool is_enough = (double)length >= SYMPTOM_OVERLAP * (double)span_length(v->when.at[k]);
			if (is_enough && length > most[k]) {
				most[k] = length;
				owners[k] = c;
			}
		}
	}
	return owners;
}

static bool owns_any(const struct parting *p, size_t owner)
{
	const struct draft *const d = &p->b->drafts[p->symptom];

	for (size_t i = 0; i < d->n_verdicts; i++)
		for (size_t k = 0; k < d->verdicts[i]->when.n; k++)
			if (p->owners[i][k] == owner)
				return true;
	return false;
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

	part.verdicts = NEW_ARRAY(p->b->mem, const struct verdict *, n);
	part.n_verdicts = 0;
	for (size_t i = 0; i < n; i++) {
		const struct verdict *const v = verdict_in(p, i, owner);
		if (v->when.n)
			part.verdicts[part.n_verdicts++] = v;
	}
	part.when = own_time(p->b, &part);
	return part;
}

/* The first part takes the place of the whole, the others go behind all. */
static void take_apart(struct parting *p)
{
	struct build *const b = p->b;
	struct draft *const parts = NEW_ARRAY(b->mem, struct draft, b->n_drafts + 1);
	size_t n = 0;

	for (size_t c = 0; c < b->n_drafts; c++)
		if (owns_any(p, c))
			parts[n++] = draft_in(p, c);
	if (owns_any(p, NOBODY))
		parts[n++] = draft_in(p, NOBODY);
	struct draft *const all = NEW_ARRAY(b->mem, struct draft, b->n_drafts + n - 1);
	memcpy(all, b->drafts, b->n_drafts * sizeof *all);
	all[p->symptom] = parts[0];
	memcpy(all + b->n_drafts, parts + 1, (n - 1) * sizeof *all);
	b->drafts = all;
	b->n_drafts += n - 1;
}

/* What nobody owns is no story of its own where it is a crumb: then it goes to the first of those who own something. */
static void deal_crumbs(struct parting *p)
{
	const struct build *const b = p->b;
	const struct draft rest = draft_in(p, NOBODY), *const d = &b->drafts[p->symptom];
	double lost = 0;
	size_t first = 0;

	for (size_t i = 0; i < rest.n_verdicts; i++)
		lost += lost_hours(rest.verdicts[i], rest.verdicts[i]->when);
	while (first < b->n_drafts && !owns_any(p, first))
		first++;
	for (size_t i = 0; i < d->n_verdicts && first < b->n_drafts && lost < CRUMB_LOSS * b->total_hours; i++)
		for (size_t k = 0; k < d->verdicts[i]->when.n; k++)
			if (p->owners[i][k] == NOBODY)
				p->owners[i][k] = first;
}

static size_t count_parts(const struct parting *p)
{
	size_t n = owns_any(p, NOBODY);

	for (size_t c = 0; c < p->b->n_drafts; c++)
		n += owns_any(p, c);
	return n;
}

static bool has_payer(const struct build *b, size_t symptom)
{
	bool any = false;

	for (size_t c = 0; c < b->n_drafts; c++)
		any |= can_pay(b, c, symptom);
	return any && b->drafts[symptom].rule->cost;
}

void part_by_causes(struct build *b)
{
	const size_t n = b->n_drafts;

	for (size_t s = 0; s < n; s++) {
		const struct draft *const d = &b->drafts[s];
		if (!has_payer(b, s))
			continue;
		struct parting p = { b, s, NEW_ARRAY(b->mem, size_t *, d->n_verdicts) };
		for (size_t i = 0; i < d->n_verdicts; i++)
			p.owners[i] = owners_of(b, s, d->verdicts[i]);
		deal_crumbs(&p);
		if (count_parts(&p) >= 2)
			take_apart(&p);
	}
}
