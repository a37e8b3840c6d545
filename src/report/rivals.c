/*
 * rivals.c - what else could have looked like this.
 *
 * A rule names its rivals: other explanations of the same signs, each with the observation that would tell the two
 * apart. A rival is told unless these logs rule it out: unless it was clear wherever the finding is. One that fired and was
 * folded under a cause is not another explanation, but part of a story that is told already; and one that explains such a finding, and
 * was known for as much of the time as it takes to be clear, has taken the time in which it fired and is ruled out for the rest.
 */
#include "report/report_parts.h"

static const struct draft *draft_of(const struct build *b, const struct verdict *v)
{
	for (size_t i = 0; i < b->n_drafts; i++)
		for (size_t k = 0; k < b->drafts[i].n_verdicts; k++)
			if (b->drafts[i].verdicts[k] == v)
				return &b->drafts[i];
	return NULL;
}

static bool is_about(const struct draft *d, const struct verdict *v)
{
	for (size_t i = 0; i < d->n_verdicts; i++)
		if (concerns(v->entity, d->verdicts[i]->entity) || concerns(d->verdicts[i]->entity, v->entity))
			return true;
	return false;
}

/* " (finding 2)", " (not logged: host.cpu.iowait)"; NULL: clear, or no matter of one GPU, or part of a story. */
static const char *standing_of(struct build *b, const struct draft *finding, const struct verdict *v)
{
	const struct draft *d = v->outcome == OUTCOME_FIRED ? draft_of(b, v) : NULL;

	if (v->other)
		return NULL;
	if (v->outcome == OUTCOME_UNKNOWN || v->outcome == OUTCOME_SKIPPED)
		return v->reason ? arena_print(b->mem, " (%s)", v->reason) : " (not judged)";
	if (!d || d->cause || (texts_have(v->rule->explains, finding->rule->id) && v->coverage >= v->rule->min_coverage))
		return NULL;
	return d->suppressed ? " (suppressed)" : arena_print(b->mem, " (finding %zu)", d->number);
}

/* Of several entities what fired says more than what is unknown. NULL: ruled out, or not among the rules in force. */
static const struct verdict *foremost(struct build *b, const struct draft *d, const char *id)
{
	const struct verdict *best = NULL;

	for (size_t i = 0; i < b->verdicts.n; i++) {
		const struct verdict *v = &b->verdicts.at[i];
		if (strcmp(v->rule->id, id) != 0 || !is_about(d, v) || !standing_of(b, d, v))
			continue;
		if (!best || (v->outcome == OUTCOME_FIRED && best->outcome != OUTCOME_FIRED))
			best = v;
	}
	return best;
}

/* "slow storage (not logged: …); to tell them apart: watch the queue of the disk." */
static const char *rival_text(struct build *b, const struct draft *d, const struct rival *rival, const struct verdict *v)
{
	const char *settle = without_capital(b->mem, rival->settle);
	const size_t n = strlen(settle);
	const char *stop = n && strchr(".!?", settle[n - 1]) ? "" : ".";

	return arena_print(b->mem, "%s%s; to tell them apart: %s%s", v->rule->checked, standing_of(b, d, v), settle, stop);
}

bool has_open_rival(struct build *b, const struct draft *d)
{
	for (size_t i = 0; i < d->rule->n_rivals; i++)
		if (foremost(b, d, d->rule->rivals[i].rule))
			return true;
	return false;
}

struct texts rivals_of(struct build *b, const struct draft *d)
{
	const char **texts = NEW_ARRAY(b->mem, const char *, d->rule->n_rivals);
	size_t n = 0;

	for (size_t i = 0; i < d->rule->n_rivals; i++) {
		const struct verdict *v = foremost(b, d, d->rule->rivals[i].rule);
		if (v)
			texts[n++] = rival_text(b, d, &d->rule->rivals[i], v);
	}
	return (struct texts){ texts, n };
}
