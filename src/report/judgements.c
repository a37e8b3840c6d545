/*
 * judgements.c - what every rule said of every entity, also those that found nothing: a check that was not made is no good news.
 */
#include "report/report_parts.h"

/* What one rule said of all its entities. */
struct answer {
	bool fired, clear;
	const char *reason;           /* the first why not; NULL: there is none */
	const struct entity **unknown; /* of whom nothing could be said */
	size_t n_unknown;
};

static struct answer answer_of(struct build *b, const struct rule *rule)
{
	struct answer a = { .unknown = NEW_ARRAY(b->mem, const struct entity *, b->verdicts.n) };

	for (size_t i = 0; i < b->verdicts.n; i++) {
		const struct verdict *v = &b->verdicts.at[i];
		if (v->rule != rule)
			continue;
		a.fired |= v->outcome == OUTCOME_FIRED;
		a.clear |= v->outcome == OUTCOME_CLEAR;
		if (v->outcome == OUTCOME_CLEAR || !v->reason) /* clear with a reason: excluded; it was judged all the same */
			continue;
		a.reason = a.reason ? a.reason : v->reason;
		if (v->entity)
			a.unknown[a.n_unknown++] = v->entity;
	}
	return a;
}

/* "unused GPUs on GPU 3 (not logged: gpu.util)" */
static const char *unjudged_text(struct build *b, const struct rule *rule, const struct answer *a)
{
	const char *where = a->clear ? arena_print(b->mem, " on %s", who_text(b->mem, b->run, a->unknown, a->n_unknown)) : "";

	return arena_print(b->mem, "%s%s (%s)", rule->checked, where, a->reason);
}

/* Rules that were clear everywhere, by what they look for; and those that could not be judged, with the reason. */
static void tell_the_rest(struct build *b)
{
	const char **checked = NEW_ARRAY(b->mem, const char *, b->rules->n), **unjudged = NEW_ARRAY(b->mem, const char *, b->rules->n);
	size_t n_checked = 0, n_unjudged = 0;

	for (size_t r = 0; r < b->rules->n; r++) {
		const struct rule *rule = b->rules->at[r];
		const struct answer a = answer_of(b, rule);
		if (a.fired)
			continue;
		if (a.reason)
			unjudged[n_unjudged++] = unjudged_text(b, rule, &a);
		else if (a.clear)
			checked[n_checked++] = rule->checked;
	}
	if (n_checked)
		b->report->checked_text = arena_print(b->mem, "%s.", joined(b->mem, checked, n_checked, ", ", ", "));
	if (n_unjudged)
		b->report->unjudged_text = arena_print(b->mem, "%s.", joined(b->mem, unjudged, n_unjudged, "; ", "; "));
	b->n_unjudged = n_unjudged;
}

static const char *reason_of(struct build *b, const struct verdict *v)
{
	if (v->reason || !v->excluded_by)
		return v->reason;
	return arena_print(b->mem, "excluded by %s", v->excluded_by->id);
}

void build_judgements(struct build *b)
{
	struct judgement *judgements = NEW_ARRAY(b->mem, struct judgement, b->verdicts.n);

	for (size_t i = 0; i < b->verdicts.n; i++) {
		const struct verdict *v = &b->verdicts.at[i];
		judgements[i] = (struct judgement){ v->rule->id, v->entity ? entity_id(b->mem, v->entity) : "run",
			outcome_name(v->outcome), reason_of(b, v), v->coverage, v->margin };
	}
	b->report->judgements = judgements;
	b->report->n_judgements = b->verdicts.n;
	tell_the_rest(b);
}
