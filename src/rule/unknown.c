/*
 * unknown.c - why a rule can't be answered: what no log has, what is not known for long enough, what is too short.
 *
 *     skipped    not logged: core.busy, gpu.temp_margin
 *     unknown    gpu.power is known for 76 % of the judged time, 80 % needed
 *     unknown    true for 20 s of the 30 s needed, and gpu.util is not known around it
 */
#include "rule/judge.h"

#include "metric/record.h"
#include "rule/missing.h"

#include <math.h>

static const char lack_not_logged[] = "not logged: ", lack_untold[] = "this driver tells no ";

static const char *listed(struct arena *mem, const char *list, const char *begin, const char *name)
{
	return list ? arena_print(mem, "%s, %s", list, name) : arena_print(mem, "%s%s", begin, name);
}

/* The metrics that are marked, by why they are lacking: each NULL where there are none such. */
struct lacking {
	const char *not_logged, *untold;
};

static struct lacking lacking_of(struct arena *mem, struct store *s, const bool *marks)
{
	struct lacking lacking = { NULL, NULL };

	for (size_t i = 0; i < N_METRICS; i++) {
		if (!marks[i])
			continue;
		if (missing_is_untold(&s->vantage, (enum metric)i))
			lacking.untold = listed(mem, lacking.untold, lack_untold, metric_table[i].name);
		else
			lacking.not_logged = listed(mem, lacking.not_logged, lack_not_logged, metric_table[i].name);
	}
	return lacking;
}

/* What no command logs but follows from several logs is not named. */
const char *missing_metrics(struct arena *mem, struct store *s, const struct rule *rule)
{
	bool missing[N_METRICS] = { false };
	const bool lacks = missing_mark(&s->vantage, rule->when, missing);
	const bool lacks_clear = missing_mark(&s->vantage, rule->clear, missing);

	for (size_t i = 0; i < N_METRICS; i++)
		missing[i] &= !(metric_table[i].kind == KIND_FACT && record_unrecorded((enum metric)i));
	const struct lacking lacking = lacking_of(mem, s, missing);
	if (lacking.not_logged && lacking.untold)
		return arena_print(mem, "%s, and %s", lacking.not_logged, lacking.untold);
	if (lacking.not_logged || lacking.untold)
		return lacking.not_logged ? lacking.not_logged : lacking.untold;
	return lacks || lacks_clear ? "the logs don't tell" : NULL;
}

/* Of the metrics of an `or` that no log has; NULL when all are there. What is unknown is so because of those that the rule needs. */
static const char *unlogged_reason(struct store *s, const struct rule *rule)
{
	bool marks[N_METRICS] = { false }, needed[N_METRICS] = { false };

	unlogged_mark(&s->vantage, rule->when, marks);
	unlogged_mark(&s->vantage, rule->clear, marks);
	for (size_t i = 0; i < rule->n_metrics; i++)
		needed[rule->metrics[i]] = marks[rule->metrics[i]];
	const struct lacking lacking = lacking_of(s->results, s, needed);
	return lacking.not_logged ? lacking.not_logged : lacking.untold;
}

/* For how much of the judged time a metric is known: of the members of a set, the one that is known least. INT64_MAX: nobody has it. */
static time_ms known_time(struct store *s, const struct planned_rule *r, enum metric metric)
{
	const struct vantage *v = &s->vantage;
	const struct track *own = vantage_track(v, metric);
	time_ms least = INT64_MAX;

	for (size_t i = 0; i < v->run->n_tracks; i++) {
		const struct track *t = v->run->tracks[i];
		const bool is_near = own ? t == own : !v->host || strcmp(t->entity->host, v->host->host) == 0;
		if (t->metric != metric || !is_near)
			continue;
		const time_ms known = spans_length(spans_intersection(&s->passing, known_time_of(s, t), r->time->spans));
		least = known < least ? known : least;
	}
	return least;
}

struct known {
	const char *metric; /* NULL: of all of them enough */
	double share;       /* of the judged time */
};

/* The metric of which least is known. */
static struct known least_known(struct store *s, const struct planned_rule *r, double enough)
{
	const struct rule *rule = r->rule;
	const time_ms judged = spans_length(r->time->spans);
	struct known worst = { NULL, enough };

	for (size_t i = 0; i < rule->n_metrics && judged > 0; i++) {
		const double known = (double)known_time(s, r, rule->metrics[i]) / (double)judged;
		if (known < worst.share)
			worst = (struct known){ metric_table[rule->metrics[i]].name, known };
	}
	return worst;
}

/* "76 %", and "79.7 %" where "80 %" would be what it is less than. */
static const char *less_than(struct arena *scratch, double share, const char *limit)
{
	const char *const text = quantity_text(scratch, (struct quantity){ share * 100, UNIT_PERCENT });

	return strcmp(text, limit) == 0 ? quantity_text_as(scratch, (struct quantity){ floor(share * 1000) / 10, UNIT_PERCENT }, 1) : text;
}

/* Why not clear: which metric is missing, and how much of the judged time, or of that of a fold in the condition. */
static const char *coverage_reason(struct store *s, const struct planned_rule *r, double coverage)
{
	struct arena *scratch = &s->passing;
	const struct rule *rule = r->rule;
	const double of_folds = value_of(s, r->when, NULL).coverage, least = of_folds < rule->min_coverage ? of_folds : coverage;
	const struct known worst = least_known(s, r, rule->min_coverage);
	const double known = worst.metric ? worst.share : least;
	const char *const needed = quantity_text(scratch, (struct quantity){ rule->min_coverage * 100, UNIT_PERCENT });

	return arena_print(s->results, "%s is known for %s of the judged time, %s needed", worst.metric ? worst.metric : "the condition",
		less_than(scratch, known, needed), needed);
}

const char *length_text(struct store *s, time_ms t)
{
	return duration_text(&s->passing, (double)t / SECOND_MS);
}

/* "startup or steady" */
static const char *phases_text(struct store *s, unsigned during)
{
	const char *words = NULL;

	for (int phase = 0; phase < N_PHASES; phase++) {
		const char *const name = phase_name((enum phase)phase);
		if (during & 1u << phase)
			words = words ? arena_print(&s->passing, "%s or %s", words, name) : name;
	}
	return words ? words : "judged";
}

/* Time that would be a part of a firing window if the unknown around it were true; or the one truth of a whole run. */
static time_ms undecided_time(struct store *s, const struct planned_rule *r, const struct steps *steps)
{
	if (r->is_whole)
		return truths_length(steps->held, UNKNOWN, r->time->spans);
	return spans_length(spans_intersection(
		&s->passing, truths_spans(&s->passing, steps->counted, YES), truths_spans(&s->passing, steps->held, UNKNOWN)));
}

static const char *undecided_reason(struct store *s, const struct planned_rule *r, time_ms longest)
{
	const char *const worst = least_known(s, r, 1).metric;

	return arena_print(s->results, "true for %s of the %s needed, and %s%snot known around it", length_text(s, longest),
		length_text(s, r->rule->hold), worst ? worst : "", worst ? " is " : "");
}

const char *unknown_reason(const struct verdict *v, struct store *s, const struct planned_rule *r, const struct steps *steps)
{
	struct arena *mem = s->results;
	const time_ms hold = r->is_whole ? WHOLE_RUN_LEAST : v->rule->hold;
	const bool is_undecided = undecided_time(s, r, steps) > 0;
	const bool is_covered = v->coverage >= v->rule->min_coverage || (r->is_whole && !is_undecided);

	if (!span_length(s->vantage.run->span))
		return "too short: a single moment";
	if (!v->judged)
		return arena_print(mem, "no part of the run is %s", phases_text(s, v->rule->during));
	if (v->judged < hold)
		return arena_print(mem, "too short: %s to judge, %s needed", length_text(s, v->judged), length_text(s, hold));
	if (is_covered && !is_undecided)
		return NULL;
	if (steps->doubted_by)
		return arena_print(mem, "not known while: %s (%s)", steps->doubted_by->short_name, steps->doubted_by->id);
	const char *const unlogged = unlogged_reason(s, v->rule);
	if (unlogged)
		return unlogged;
	if (is_undecided && !r->is_whole)
		return undecided_reason(s, r, v->longest);
	if (v->coverage < v->rule->min_coverage)
		return coverage_reason(s, r, v->coverage);
	return "the logs don't tell";
}
