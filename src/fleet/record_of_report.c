/*
 * record_of_report.c - what the index keeps of a report: its ledger in whole microseconds, and whom its findings blame.
 *
 * Each row of the ledger is rounded by itself and the total is their sum, so that the parts of any record add up, and those of any set
 * of records. Of a run that is too short for a ledger all time counts as not logged, as does what was at work for too short a time: nothing
 * can be said of it.
 */
#include "fleet/fleet.h"

#include <math.h>
#include <stdlib.h>

#define HOUR_US 3.6e9

/* A clock that was decades off makes more than a record can have; what is over that is left out. */
static int64_t us_of(double hours, int64_t most_us)
{
	if (!(hours > 0))
		return 0;
	return hours * HOUR_US < (double)most_us ? llround(hours * HOUR_US) : most_us;
}

static bool is_on(const struct finding *f, const char *entity)
{
	return f->severity_level >= SEVERITY_WARNING && texts_have(f->entities, entity);
}

static struct texts rules_on(struct arena *mem, const struct report *report, const char *entity)
{
	const char **const ids = NEW_ARRAY(mem, const char *, report->n_findings);
	struct texts all = { ids, 0 };

	for (size_t i = 0; i < report->n_findings; i++)
		if (is_on(&report->findings[i], entity) && !texts_have(all, report->findings[i].rule))
			ids[all.n++] = report->findings[i].rule;
	return all;
}

static void take_gpus(struct arena *mem, const struct report *report, struct record *record)
{
	struct record_gpu *const gpus = NEW_ARRAY(mem, struct record_gpu, report->run.n_gpus);

	for (size_t i = 0; i < report->run.n_gpus; i++) {
		const struct report_gpu *const gpu = &report->run.gpus[i];
		gpus[i] = (struct record_gpu){ gpu->entity, gpu->name, gpu->uuid, rules_on(mem, report, gpu->entity) };
	}
	record->gpus = gpus;
	record->n_gpus = report->run.n_gpus;
}

static struct record_cause cause_of(const struct report *report, const struct ledger_row *row, int64_t us)
{
	struct record_cause cause = { .rule = row->class, .label = row->short_label, .rule_label = row->short_label,
		.severity = row->severity_level, .lost_us = us };

	for (size_t i = 0; i < report->n_findings; i++) {
		if (report->findings[i].number != row->finding)
			continue;
		cause.entities = report->findings[i].entities;
		cause.label = report->findings[i].short_name; /* without "at most", which all losses are here */
		cause.rule_label = report->findings[i].rule_name;
	}
	return cause;
}

/* Where it is as bad as a warning it is told of, though nobody knows what it cost: a job that ran out of memory, a card that was lost. */
static bool is_bad_without_price(const struct finding *f)
{
	return f->severity_level >= SEVERITY_WARNING && !finding_has_price(f);
}

static struct record_cause unpriced_cause(const struct finding *f)
{
	return (struct record_cause){ .rule = f->rule, .label = f->short_name, .rule_label = f->rule_name, .severity = f->severity_level,
		.entities = f->entities };
}

static const char *first_entity(const struct record_cause *cause)
{
	return cause->entities.n ? cause->entities.at[0] : "";
}

/* A rule that fired on GPUs at different times has a finding for each, and two may have lost the same. */
static int by_loss(const void *a, const void *b)
{
	const struct record_cause *const x = a, *const y = b;
	const int rules = strcmp(x->rule, y->rule);

	if (x->lost_us != y->lost_us)
		return x->lost_us > y->lost_us ? -1 : 1;
	return rules ? rules : strcmp(first_entity(x), first_entity(y));
}

static void take_ledger(struct arena *mem, const struct report *report, struct record *record)
{
	struct record_cause *const causes = NEW_ARRAY(mem, struct record_cause, report->n_ledger + report->n_findings);

	for (size_t i = 0; i < report->n_ledger; i++) {
		const struct ledger_row *const row = &report->ledger[i];
		int64_t *const sums[] = { [LEDGER_NORMAL] = &record->normal_us, [LEDGER_FINDING] = &record->lost_us,
			[LEDGER_SUPPRESSED] = &record->suppressed_us, [LEDGER_OVERHEAD] = &record->overhead_us,
			[LEDGER_NO_LOG] = &record->no_log_us };
		const int64_t us = us_of(row->gpu_hours, RECORD_MOST_US - record->gpu_us);
		record->gpu_us += us;
		*(row->is_unjudged ? &record->no_log_us : sums[row->kind]) += us;
		if (row->kind == LEDGER_FINDING)
			causes[record->n_causes++] = cause_of(report, row, us);
	}
	for (size_t i = 0; i < report->n_findings; i++)
		if (is_bad_without_price(&report->findings[i]))
			causes[record->n_causes++] = unpriced_cause(&report->findings[i]);
	if (record->n_causes)
		qsort(causes, record->n_causes, sizeof *causes, by_loss);
	record->causes = causes;
	if (!report->n_ledger)
		record->gpu_us = record->no_log_us = us_of(report->verdict.gpu_hours, RECORD_MOST_US);
}

void record_of_report(struct arena *mem, const struct report *report, struct record *record)
{
	record->begin = report->run.begin;
	record->end = report->run.end;
	record->is_log_time = !report_is_utc(report);
	record->severity = report->verdict.severity;
	record->verdict = report->verdict.sentence;
	record->hosts = report->run.hosts;
	take_gpus(mem, report, record);
	take_ledger(mem, report, record);
}
