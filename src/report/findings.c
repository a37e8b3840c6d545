/*
 * findings.c - verdicts that fired, grouped, folded under their causes, told in words.
 *
 * One finding a rule and story: the entities on which it fired at much the same times. A finding whose rule another
 * fired rule explains, and of whose loss (or time, where it has no cost) that cause covers most, is a symptom: it is
 * named under the cause and costs nothing of its own. So is a finding to which nothing is left once the ledger has charged
 * all. Where a good part is left over, that part has no cause yet, and both are told.
 */
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>

#define SYMPTOM_OVERLAP (2.0 / 3) /* twice as much with this cause as without */

/* Severity by cost, as shares of the run's GPU time (visual.md 13.3). */
#define CRITICAL_SHARE 0.03
#define WARNING_SHARE 0.01
#define HOLES_SHARE 0.2 /* below it holes are a note */

static struct spans union_of(struct build *b, const struct draft *d)
{
	struct spans all = { NULL, 0 };

	for (size_t i = 0; i < d->n_verdicts; i++)
		all = spans_union(b->mem, all, d->verdicts[i]->when);
	return all;
}

/* What a symptom is about: what was lost, since time at full speed needs no cause; else time. */
static double weight_of(struct build *b, const struct verdict *v, struct spans when)
{
	return v->rule->cost ? lost_hours(b, v, when) : (double)spans_length(when);
}

/* Share of the symptom, over its entities, that the cause covers on the same entities. */
static double covered(struct build *b, const struct draft *cause, const struct draft *symptom)
{
	double all = 0, shared = 0;

	for (size_t i = 0; i < symptom->n_verdicts; i++) {
		const struct verdict *s = symptom->verdicts[i];
		all += weight_of(b, s, s->when);
		for (size_t k = 0; k < cause->n_verdicts; k++) {
			const struct verdict *c = cause->verdicts[k];
			if (concerns(c->entity, s->entity))
				shared += weight_of(b, s, spans_intersection(b->mem, c->when, s->when));
		}
	}
	return all > 0 ? shared / all : 0;
}

static bool explains(const struct rule *cause, const struct rule *symptom)
{
	for (size_t i = 0; i < cause->explains.n; i++)
		if (strcmp(cause->explains.at[i], symptom->id) == 0)
			return true;
	return false;
}

static bool has_symptom(const struct draft *d, const char *id)
{
	for (size_t i = 0; i < d->symptoms.n; i++)
		if (strcmp(d->symptoms.at[i], id) == 0)
			return true;
	return false;
}

/* Once each: a rule that fired on GPUs at different times is one symptom. */
static void add_symptom(struct build *b, struct draft *cause, const char *id)
{
	const char **ids = NEW_ARRAY(b->mem, const char *, cause->symptoms.n + 1);

	if (has_symptom(cause, id))
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

/* Each symptom goes under the cause that covers most of it. Causes that are symptoms themselves still take theirs along. */
static void fold_symptoms(struct build *b)
{
	for (size_t s = 0; s < b->n_drafts; s++) {
		struct draft *symptom = &b->drafts[s], *best = NULL;
		double most = 0;
		for (size_t c = 0; c < b->n_drafts; c++) {
			double share = explains(b->drafts[c].rule, symptom->rule) ? covered(b, &b->drafts[c], symptom) : 0;
			bool more = b->drafts[c].suppressed ? share > most : share > 0 && share >= most; /* rather told than kept back */
			if (more && covered_by_rule(b, b->drafts[c].rule, symptom) >= SYMPTOM_OVERLAP) {
				most = share;
				best = &b->drafts[c];
			}
		}
		symptom->cause = best;
	}
	for (size_t s = 0; s < b->n_drafts; s++) {
		struct draft *top = (struct draft *)b->drafts[s].cause;
		for (size_t steps = 0; top && top->cause && steps < b->n_drafts; steps++)
			top = (struct draft *)top->cause;
		if (top)
			add_symptom(b, top, b->drafts[s].rule->id);
	}
}

/* The longest chain of fired rules that explain this one; bounded, because rules may explain each other. */
static void find_depths(struct build *b)
{
	for (size_t round = 0; round < b->n_drafts; round++)
		for (size_t s = 0; s < b->n_drafts; s++)
			for (size_t c = 0; c < b->n_drafts; c++)
				if (explains(b->drafts[c].rule, b->drafts[s].rule) && b->drafts[s].depth <= b->drafts[c].depth &&
					b->drafts[c].depth < (int)b->n_drafts)
					b->drafts[s].depth = b->drafts[c].depth + 1;
}

#define SAME_TIMES 0.5  /* shared time over joint time, from which two entities are one story */
#define CRUMB 0.02      /* of the run; what is shorter on both is one story whenever it was */
#define MOST_STORIES 8  /* of one rule; what comes after joins the last, or a fleet would drown the reader */

/* Did both fire at much the same times, or both only for a moment? */
static bool is_same_story(struct build *b, const struct verdict *x, const struct verdict *y)
{
	double shared = (double)spans_length(spans_intersection(b->mem, x->when, y->when));
	double joint = (double)spans_length(spans_union(b->mem, x->when, y->when));
	double moment = CRUMB * (double)span_length(b->run->span);
	bool short_on_both = (double)spans_length(x->when) < moment && (double)spans_length(y->when) < moment;

	return shared >= SAME_TIMES * joint || short_on_both;
}

/*
 * One finding a rule and story: eight GPUs that starved together are one finding, a ninth that stood
 * idle for a night is another.
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
		if (is_same_story(b, last->verdicts[0], v))
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
		d->upper_bound |= v->rule->cost && v->reference_assumed;
	}
	for (size_t i = 0; i < b->n_drafts; i++)
		b->drafts[i].when = union_of(b, &b->drafts[i]);
	fold_symptoms(b);
	find_depths(b);
}

/* A finding that stands on one log and is no flag of the driver is told with less certainty. */
static const char *confidence_of(const struct draft *d, double coverage)
{
	bool two_witnesses = d->verdicts[0]->n_sources > 1 || d->rule->by_driver_flag;

	if (coverage < d->rule->min_coverage)
		return two_witnesses ? "medium" : "low";
	return two_witnesses ? "high" : "medium";
}

static double coverage_of(const struct draft *d)
{
	double sum = 0;

	for (size_t i = 0; i < d->n_verdicts; i++)
		sum += d->verdicts[i]->coverage;
	return sum / (double)d->n_verdicts;
}

/* The rule names the most it can be; a cost makes it as severe as what was lost. */
static enum severity severity_of(const struct build *b, const struct draft *d)
{
	double share = b->total_hours > 0 ? d->cost_hours / b->total_hours : 0;
	enum severity by_cost = share >= CRITICAL_SHARE ? SEVERITY_CRITICAL : share >= WARNING_SHARE ? SEVERITY_WARNING : SEVERITY_NOTE;

	if (d->rule->about_holes)
		return b->no_log_hours > HOLES_SHARE * b->total_hours ? d->rule->severity : SEVERITY_NOTE;
	if (!d->rule->cost || d->rule->by_driver_flag)
		return d->rule->severity;
	return by_cost < d->rule->severity ? by_cost : d->rule->severity;
}

/* Most costly first; without cost by severity; then by id, so that equal inputs give equal bytes. */
static int by_importance(const void *a, const void *b)
{
	const struct draft *x = *(const struct draft *const *)a, *y = *(const struct draft *const *)b;

	if (x->cost_hours != y->cost_hours)
		return x->cost_hours > y->cost_hours ? -1 : 1;
	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	int ids = strcmp(x->rule->id, y->rule->id);
	return ids ? ids : (x > y) - (x < y); /* drafts lie in order of entity */
}

static const struct entity **entities_of(struct build *b, const struct draft *d)
{
	const struct entity **list = NEW_ARRAY(b->mem, const struct entity *, d->n_verdicts);

	for (size_t i = 0; i < d->n_verdicts; i++)
		list[i] = d->verdicts[i]->entity;
	return list;
}

/* The mean over the entities, each weighted by the time it fired. */
static struct quantity *evidence_of(struct build *b, const struct draft *d)
{
	size_t n = d->rule->n_evidence;
	struct quantity *mean = NEW_ARRAY(b->mem, struct quantity, n);

	for (size_t k = 0; k < n; k++) {
		double sum = 0, weight = 0;
		for (size_t i = 0; i < d->n_verdicts; i++) {
			const struct verdict *v = d->verdicts[i];
			double w = (double)spans_length(v->when);
			mean[k].unit = v->evidence[k].unit;
			if (isnan(v->evidence[k].value))
				continue;
			sum += w * v->evidence[k].value;
			weight += w;
		}
		mean[k].value = weight > 0 ? sum / weight : NAN;
	}
	return mean;
}

static struct span longest_window(struct spans when)
{
	struct span longest = when.at[0];

	for (size_t i = 1; i < when.n; i++)
		if (span_length(when.at[i]) > span_length(longest))
			longest = when.at[i];
	return longest;
}

static const char *seconds_text(struct build *b, time_ms t)
{
	return duration_text(b->mem, (double)t / SECOND_MS);
}

static time_ms judged_of(const struct draft *d)
{
	return d->verdicts[0]->judged;
}

static struct text_values values_for(struct build *b, const struct draft *d, const char *who)
{
	const struct entity *first = d->verdicts[0]->entity, *host = run_host(b->run, first);

	return (struct text_values){
		.gpus = who,
		.Gpus = with_capital(b->mem, who),
		.several = d->rule->scope == SCOPE_GPU && d->n_verdicts > 1,
		.whole_run = (double)spans_length(d->when) >= 0.9 * (double)judged_of(d),
		.duration = seconds_text(b, spans_length(d->when)),
		.longest = seconds_text(b, span_length(longest_window(d->when))),
		.windows = d->when.n == 1 ? "one window" : arena_print(b->mem, "%zu windows", d->when.n),
		.many_windows = d->when.n > 1,
		.host = host && *host->host ? host->host : "the host",
	};
}

static const char *fill(struct build *b, const struct template *t, struct view values)
{
	struct arena scratch;
	struct buf out;

	arena_init(&scratch);
	buf_init(&out, 16 * 1024);
	template_render(t, values, escape_plain, &scratch, &out);
	struct slice text = slice_trim(buf_slice(&out));
	while (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	const char *kept = arena_text(b->mem, text.p, text.n);
	buf_release(&out);
	arena_release(&scratch);
	return kept;
}

#define WINDOWS_TOLD 5 /* more than five: the first three and what the rest adds up to (visual.md 13.4) */

#define UNTOLD_SHARE 0.01

/* "from the first work to the last" may have holes in it, on all GPUs of the finding. */
static const char *unlogged_text(struct build *b, const struct draft *d)
{
	struct spans unknown = d->when;

	if (d->rule->scope != SCOPE_GPU || d->rule->about_holes || !d->rule->cost)
		return "";
	for (size_t i = 0; i < d->n_verdicts; i++) {
		struct spans known = gpu_accounted(b, d->verdicts[i]->entity);
		unknown = spans_intersection(b->mem, unknown, spans_complement(b->mem, known, b->run->span));
	}
	time_ms length = spans_length(unknown);
	return (double)length > UNTOLD_SHARE * (double)spans_length(d->when)
		       ? arena_print(b->mem, "; there is no log of %s of it", seconds_text(b, length)) : "";
}

static const char *when_text(struct build *b, const struct draft *d)
{
	struct arena *mem = b->mem;
	struct spans when = d->when;
	size_t n = when.n > WINDOWS_TOLD ? 3 : when.n;
	const char **parts = NEW_ARRAY(mem, const char *, n);
	time_ms told = 0;

	for (size_t i = 0; i < n; i++) {
		parts[i] = arena_print(mem, "%s (%s)", window_text(mem, b->run, when.at[i]), seconds_text(b, span_length(when.at[i])));
		told += span_length(when.at[i]);
	}
	const char *text = joined(mem, parts, n, ", ", ", ");
	if (when.n == 1)
		return arena_print(mem, "%s, elapsed %s - %s", text, elapsed_text(mem, when.at[0].begin - b->run->span.begin),
			elapsed_text(mem, when.at[0].end - b->run->span.begin));
	if (n < when.n)
		return arena_print(mem, "%s, %zu more, together %s; all in report.json", text, when.n - n,
			seconds_text(b, spans_length(when) - told));
	return arena_print(mem, "%s; %zu windows, %s in all", text, when.n, seconds_text(b, spans_length(when)));
}

static const char *where_text(struct build *b, const struct draft *d, const char *who)
{
	if (d->rule->scope != SCOPE_GPU || b->run->n_gpus == 1)
		return NULL;
	if (d->n_verdicts == b->run->n_gpus)
		return who;
	return arena_print(b->mem, "%s%s of %zu", who, b->run->n_hosts > 1 ? "," : "", b->run->n_gpus);
}

static const char *cost_text(struct build *b, const struct draft *d)
{
	struct arena *mem = b->mem;

	if (!d->rule->cost)
		return NULL;
	const char *share = percent_text(mem, b->total_hours > 0 ? d->cost_hours / b->total_hours : 0);
	const char *hours = gpu_time_text(mem, b->unit, d->cost_hours);
	bool shared = d->alone_hours > d->cost_hours * 1.001 + 0.5 / 3600;
	const char *rest = shared ? " Seconds that another finding explains are charged there." : "";
	if (d->upper_bound)
		return arena_print(mem,
			"at most %s, %s of the run, measured against full use: the run has no healthy stretch to compare with.%s", hours,
			share, rest);
	if (d->cost_hours <= 0 && !shared)
		return "none: this GPU was no busier in the rest of the run.";
	if (isnan(d->verdicts[0]->reference))
		return arena_print(mem, "%s, %s of the run: its seconds times the share of the GPU that was not used.%s", hours, share,
			rest);
	return arena_print(mem, "%s, %s of the run: its seconds times the share of the run's usual level (%s) that was missing.%s",
		hours, share, quantity_text(mem, (struct quantity){ d->verdicts[0]->reference, UNIT_PERCENT }), rest);
}

/* Of this finding's GPUs: another finding may tell of the other GPUs' holes. */
static double unlogged_hours(const struct draft *d)
{
	time_ms all = 0;

	for (size_t i = 0; i < d->n_verdicts; i++)
		all += spans_length(d->verdicts[i]->when);
	return (double)all / HOUR_MS;
}

static const char *cost_short(struct build *b, const struct draft *d)
{
	if (d->rule->cost)
		return arena_print(b->mem, "%s%s lost", d->upper_bound ? "up to " : "", gpu_time_text(b->mem, b->unit, d->cost_hours));
	if (d->rule->about_holes)
		return arena_print(b->mem, "%s not logged", gpu_time_text(b->mem, b->unit, unlogged_hours(d)));
	return NULL;
}

/* One window with its length, two in full, of more the longest and how many others. */
static const char *card_when(struct build *b, struct spans when)
{
	const char *longest = card_window_text(b->mem, b->run, longest_window(when));

	if (when.n == 1)
		return arena_print(b->mem, "%s (%s)", longest, seconds_text(b, spans_length(when)));
	if (when.n == 2)
		return arena_print(b->mem, "%s and %s", card_window_text(b->mem, b->run, when.at[0]),
			card_window_text(b->mem, b->run, when.at[1]));
	return arena_print(b->mem, "%s and %zu shorter windows", longest, when.n - 1);
}

static struct window *windows_of(struct arena *mem, struct spans when)
{
	struct window *windows = NEW_ARRAY(mem, struct window, when.n);

	for (size_t i = 0; i < when.n; i++)
		windows[i] = (struct window){ when.at[i].begin, when.at[i].end, (double)span_length(when.at[i]) / SECOND_MS };
	return windows;
}

struct finding finding_of(struct build *b, const struct draft *d)
{
	struct arena *mem = b->mem;
	const struct entity **entities = entities_of(b, d);
	const char *who = who_text(mem, b->run, entities, d->n_verdicts);
	struct quantity *evidence = evidence_of(b, d);
	struct text_values values = values_for(b, d, who);
	struct view view = rule_text_values(mem, d->rule, &values, evidence);
	struct named_quantity *named = NEW_ARRAY(mem, struct named_quantity, d->rule->n_evidence);
	const char **ids = NEW_ARRAY(mem, const char *, d->n_verdicts);
	const char **try = NEW_ARRAY(mem, const char *, d->rule->n_try);
	size_t n_try = 0;

	for (size_t i = 0; i < d->rule->n_evidence; i++)
		named[i] = (struct named_quantity){ d->rule->evidence[i].name, evidence[i] };
	for (size_t i = 0; i < d->n_verdicts; i++)
		ids[i] = entities[i] ? entity_id(mem, entities[i]) : "run";
	for (size_t i = 0; i < d->rule->n_try; i++) {
		try[n_try] = fill(b, d->rule->try[i], view);
		n_try += *try[n_try] != '\0'; /* advice may stand under a condition: "{^cpu_busy}Log the CPU …{/cpu_busy}" */
	}
	double coverage = coverage_of(d);
	struct finding f = {
		.number = d->number,
		.rule = d->rule->id,
		.severity = severity_name(d->severity),
		.severity_level = d->severity,
		.title = fill(b, d->rule->title, view),
		.entities = { ids, d->n_verdicts },
		.windows = windows_of(mem, d->when),
		.n_windows = d->when.n,
		.coverage = coverage,
		.confidence = confidence_of(d, coverage),
		.cost_gpu_hours = { d->rule->cost ? (d->upper_bound ? 0 : d->cost_hours) : NAN, d->rule->cost ? d->cost_hours : NAN },
		.has_cost = d->rule->cost != NULL,
		.evidence = named,
		.n_evidence = d->rule->n_evidence,
		.what = fill(b, d->rule->what, view),
		.why = fill(b, d->rule->why, view),
		.refute = fill(b, d->rule->refute, view),
		.try = { try, n_try },
		.symptoms = d->symptoms,
		.rivals = rivals_of(b, d),
		.where = where_text(b, d, who),
		.when_text = arena_print(mem, "%s%s", when_text(b, d), unlogged_text(b, d)),
		.cost_text = cost_text(b, d),
		.cost_short = cost_short(b, d),
		.short_name = d->rule->short_name,
		.is_hole = d->rule->about_holes,
	};
	f.card_text = arena_print(mem, "%s: %s", card_when(b, d->when), fill(b, d->rule->card, view));
	return f;
}

static bool share_an_entity(const struct draft *x, const struct draft *y)
{
	for (size_t i = 0; i < x->n_verdicts; i++)
		for (size_t k = 0; k < y->n_verdicts; k++)
			if (concerns(y->verdicts[k]->entity, x->verdicts[i]->entity))
				return true;
	return false;
}

#define NO_COST_HOURS (0.5 / 3600)

/*
 * "Busy only half of the time: nothing lost": what others explain to the last second, or what took nothing away, is no finding beside
 * one that did on the same GPU, but part of its story.
 */
static void fold_costless(struct build *b)
{
	for (size_t s = 0; s < b->n_drafts; s++) {
		struct draft *d = &b->drafts[s], *best = NULL;
		if (d->cause || !d->rule->cost || d->rule->by_driver_flag || d->cost_hours > NO_COST_HOURS)
			continue;
		for (size_t c = 0; c < b->n_drafts; c++) {
			struct draft *other = &b->drafts[c];
			if (!other->cause && other->cost_hours > (best ? best->cost_hours : NO_COST_HOURS) && share_an_entity(d, other))
				best = other;
		}
		if (best)
			add_symptom(b, best, d->rule->id);
		d->cause = best;
	}
}

void rank_drafts(struct build *b)
{
	struct draft **ranked = NEW_ARRAY(b->mem, struct draft *, b->n_drafts);
	size_t n = 0;

	fold_costless(b);
	for (size_t i = 0; i < b->n_drafts; i++) {
		struct draft *d = &b->drafts[i];
		d->severity = severity_of(b, d);
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

/* A rule that fired on GPUs at different times is told once in full: the others differ in what, where, when and cost. */
static const char *told_by(struct build *b, const struct finding *findings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(findings[i].rule, findings[n].rule) == 0)
			return arena_print(b->mem, "[%zu]", findings[i].number);
	return NULL;
}

void build_findings(struct build *b)
{
	struct finding *findings = NEW_ARRAY(b->mem, struct finding, b->n_ranked);

	for (size_t i = 0; i < b->n_ranked; i++) {
		findings[i] = finding_of(b, b->ranked[i]);
		findings[i].told_by = told_by(b, findings, i);
	}
	b->report->findings = findings;
	b->report->n_findings = b->n_ranked;
}

/* Rules that were clear everywhere, by what they look for; and those that could not be judged, with the reason. */
static void tell_the_rest(struct build *b)
{
	const char **checked = NEW_ARRAY(b->mem, const char *, b->rules->n), **unjudged = NEW_ARRAY(b->mem, const char *, b->rules->n);
	size_t n_checked = 0, n_unjudged = 0;

	for (size_t r = 0; r < b->rules->n; r++) {
		const struct rule *rule = b->rules->at[r];
		bool fired = false, clear = false;
		const char *reason = NULL;
		const struct entity **unknown = NEW_ARRAY(b->mem, const struct entity *, b->verdicts.n);
		size_t n_unknown = 0;
		for (size_t i = 0; i < b->verdicts.n; i++) {
			const struct verdict *v = &b->verdicts.at[i];
			if (v->rule != rule)
				continue;
			fired |= v->outcome == OUTCOME_FIRED;
			clear |= v->outcome == OUTCOME_CLEAR;
			if (v->outcome == OUTCOME_CLEAR) /* if excluded, with a reason; it was judged all the same */
				continue;
			if (v->reason && !reason)
				reason = v->reason;
			if (v->reason && v->entity)
				unknown[n_unknown++] = v->entity;
		}
		if (fired)
			continue;
		if (reason)
			unjudged[n_unjudged++] = arena_print(b->mem, "%s%s (%s)", rule->checked,
				clear ? arena_print(b->mem, " on %s", who_text(b->mem, b->run, unknown, n_unknown)) : "", reason);
		else if (clear)
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
