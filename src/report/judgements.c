/*
 * judgements.c - what every rule said of every entity, also those that found nothing: a check that was not made is no good news.
 */
#include "report/report_parts.h"

struct verdicts verdicts_of(const struct build *b, const struct rule *rule)
{
	size_t first = 0, end;

	while (first < b->verdicts.n && b->verdicts.at[first].rule != rule)
		first++;
	for (end = first; end < b->verdicts.n && b->verdicts.at[end].rule == rule;)
		end++;
	return (struct verdicts){ b->verdicts.at + first, end - first };
}

/* What one rule said of all its entities. */
struct answer {
	bool fired, clear;
	const char *reason, *other;   /* of the first verdict that says why not; NULL: there is none */
	const struct entity **unknown; /* of whom nothing could be said */
	size_t n_unknown;
};

static struct answer answer_of(struct build *b, const struct rule *rule)
{
	const struct verdicts verdicts = verdicts_of(b, rule);
	struct answer a = { .unknown = NEW_ARRAY(b->mem, const struct entity *, verdicts.n) };

	for (size_t i = 0; i < verdicts.n; i++) {
		const struct verdict *v = &verdicts.at[i];
		a.fired |= v->outcome == OUTCOME_FIRED;
		a.clear |= v->outcome == OUTCOME_CLEAR;
		if (v->outcome == OUTCOME_CLEAR || !v->reason) /* clear with a reason: excluded; it was judged all the same */
			continue;
		if (!a.reason) {
			a.reason = v->reason;
			a.other = v->other;
		}
		if (v->entity)
			a.unknown[a.n_unknown++] = v->entity;
	}
	return a;
}

/* Rules that could not be judged, on the same GPUs or hosts, for one reason. */
struct unjudged {
	const char *who; /* "GPU 2"; NULL: on all that they were asked of */
	const char *checks, *reason, *other;
	size_t n;
};

/* More are not read one by one: a log without its host's lacks half of all. */
#define MOST_NOT_LOGGED 6
/* A short time at work is too short for many; how long each needs nobody asks. */
#define MOST_TOO_SHORT 2

/* " is known for 76 % of the judged time, 80 % needed": a hole in a log is one in all that it tells. Of other reasons all. */
static const char *without_metric(const char *reason)
{
	const char *const known = strstr(reason, " is known for ");

	return known ? known : reason;
}

static bool is_for_same(const struct unjudged *u, const char *who, const char *reason)
{
	const bool is_same_who = who == u->who || (who && u->who && strcmp(who, u->who) == 0);

	return is_same_who && strcmp(without_metric(reason), without_metric(u->reason)) == 0;
}

/* How many reasons there are then. */
static size_t unjudged_add(struct build *b, struct unjudged *reasons, size_t n, const struct rule *rule, const struct answer *a)
{
	const char *const who = a->clear ? who_text(b->mem, b->run, a->unknown, a->n_unknown) : NULL;
	size_t i = 0;

	while (i < n && !is_for_same(&reasons[i], who, a->reason))
		i++;
	if (i == n) {
		reasons[n] = (struct unjudged){ who, rule->checked, a->reason, a->other, 1 };
		return n + 1;
	}
	struct unjudged *const u = &reasons[i];
	u->checks = arena_print(b->mem, "%s, %s", u->checks, rule->checked);
	u->n++;
	if (strcmp(u->reason, a->reason) != 0)
		u->reason = arena_print(b->mem, "what they look at%s", without_metric(a->reason));
	return n;
}

/* "unused GPUs on GPU 3 (…)", "unused GPUs, low GPU use (on GPU 3, …)" */
static const char *unjudged_checks(struct build *b, const struct unjudged *u)
{
	if (!u->who)
		return arena_print(b->mem, "%s (%s)", u->checks, u->reason);
	if (u->n == 1)
		return arena_print(b->mem, "%s on %s (%s)", u->checks, u->who, u->reason);
	return arena_print(b->mem, "%s (on %s, %s)", u->checks, u->who, u->reason);
}

static bool is_not_logged(const struct unjudged *u)
{
	return slice_starts(slice_of(u->reason), "not logged");
}

/* Everywhere, and not on some GPU alone. */
static bool is_too_short(const struct unjudged *u)
{
	return !u->who && slice_starts(slice_of(u->reason), "too short");
}

/* How many checks; 0 where all are named. */
static size_t counted(
	const struct build *b, const struct unjudged *reasons, size_t n, bool is_one(const struct unjudged *), size_t more_than)
{
	size_t n_checks = 0;

	for (size_t i = 0; i < n; i++)
		n_checks += is_one(&reasons[i]) ? reasons[i].n : 0;
	return n_checks > more_than && !b->report->all ? n_checks : 0;
}

/* "6 that need another GPU or host": of a run on one GPU nobody asks which. NULL: there are none. */
static const char *compared_text(struct build *b, const struct unjudged *reasons, size_t n)
{
	const char **others = NEW_ARRAY(b->mem, const char *, n + 1);
	size_t n_others = 0, n_checks = 0;

	for (size_t i = 0; i < n; i++) {
		if (!reasons[i].other)
			continue;
		others[n_others++] = reasons[i].other;
		n_checks += reasons[i].n;
	}
	if (!n_others)
		return NULL;
	const char *const any = joined(b->mem, others, n_others, ", ", " or ");
	return arena_print(b->mem, "%zu that need%s another %s", n_checks, n_checks == 1 ? "s" : "", any);
}

/* "3 of 46 checks: unused GPUs, low GPU use (not logged: gpu.util); a single busy core (…)." */
static const char *unjudged_text(struct build *b, const struct unjudged *reasons, size_t n)
{
	const size_t n_not_logged = counted(b, reasons, n, is_not_logged, MOST_NOT_LOGGED);
	const size_t n_too_short = counted(b, reasons, n, is_too_short, MOST_TOO_SHORT);
	const char *const compared = b->report->all ? NULL : compared_text(b, reasons, n);
	const char **texts = NEW_ARRAY(b->mem, const char *, n + 3);
	size_t n_texts = 0, n_all = 0;

	for (size_t i = 0; i < n; i++) {
		const struct unjudged *const u = &reasons[i];
		const bool is_named = !(n_not_logged && is_not_logged(u)) && !(n_too_short && is_too_short(u)) && !(compared && u->other);
		n_all += u->n;
		if (is_named)
			texts[n_texts++] = unjudged_checks(b, u);
	}
	if (n_too_short)
		texts[n_texts++] = arena_print(b->mem, "%zu that need more time at work", n_too_short);
	if (compared)
		texts[n_texts++] = compared;
	if (n_not_logged)
		texts[n_texts++] = arena_print(b->mem, "%zu checks of what was not logged (--all names them)", n_not_logged);
	return arena_print(b->mem, "%zu of %zu checks: %s.", n_all, b->rules->n, joined(b->mem, texts, n_texts, "; ", "; "));
}

/* Rules that were clear everywhere, by what they look for; and those that could not be judged, with the reason. */
static void tell_the_rest(struct build *b)
{
	const char **checked = NEW_ARRAY(b->mem, const char *, b->rules->n);
	const struct rule **clear = NEW_ARRAY(b->mem, const struct rule *, b->rules->n);
	struct unjudged *reasons = NEW_ARRAY(b->mem, struct unjudged, b->rules->n);
	size_t n_checked = 0, n_reasons = 0;

	for (size_t r = 0; r < b->rules->n; r++) {
		const struct rule *rule = b->rules->at[r];
		const struct answer a = answer_of(b, rule);
		if (a.fired)
			continue;
		if (a.reason)
			n_reasons = unjudged_add(b, reasons, n_reasons, rule, &a);
		else if (a.clear) {
			clear[n_checked] = rule;
			checked[n_checked++] = rule->checked;
		}
	}
	if (n_checked) {
		const char *const areas = areas_text(b, clear, n_checked);
		b->report->checked_count = arena_print(b->mem, "%zu check%s%s%s", n_checked, plural_s(n_checked), areas ? " of " : "",
			areas ? areas : "");
		b->report->checked_text = arena_print(b->mem, "%s.", joined(b->mem, checked, n_checked, ", ", ", "));
	}
	if (n_reasons)
		b->report->unjudged_text = unjudged_text(b, reasons, n_reasons);
}

static const char *reason_of(struct build *b, const struct verdict *v)
{
	if (v->reason || !v->excluded_by)
		return v->reason;
	return arena_print(b->mem, "excluded by %s", v->excluded_by->id);
}

/* Those of GPUs are written already. Verdicts of a rule come in the order of GPUs: the one behind the last is looked at first. */
static const char *id_of(const struct build *b, const struct entity *e, size_t *last)
{
	const struct run *run = b->run;

	if (!e)
		return "run";
	for (size_t i = 0; i < run->n_gpus && e->scope == SCOPE_GPU; i++) {
		*last = *last + 1 < run->n_gpus ? *last + 1 : 0;
		if (run->gpus[*last] == e)
			return b->report->run.gpus[*last].entity;
	}
	return entity_id(b->mem, e);
}

void build_judgements(struct build *b)
{
	struct judgement *judgements = NEW_ARRAY(b->mem, struct judgement, b->verdicts.n);
	size_t last = 0;

	for (size_t i = 0; i < b->verdicts.n; i++) {
		const struct verdict *v = &b->verdicts.at[i];
		judgements[i] = (struct judgement){ v->rule->id, id_of(b, v->entity, &last), outcome_name(v->outcome),
			reason_of(b, v), v->coverage, v->margin };
	}
	b->report->judgements = judgements;
	b->report->n_judgements = b->verdicts.n;
	tell_the_rest(b);
}
