/*
 * junit.c - the report for machines that know test results: a rule is a test case.
 *
 *      clear on every entity      passed
 *      not known, not logged      skipped, with the reason
 *      a finding                  failed when it is as severe as --fail-on says, else passed and told in system-out
 *      a finding that is known    skipped: somebody has suppressed it
 *
 * So the file and the exit status agree. Without --fail-on nothing fails.
 */
#include "render/escape.h"
#include "render/render_parts.h"

#include <stdio.h>

/* What there is to say of one rule. */
struct rule_case {
	const char *rule;
	const struct finding *worst; /* of its findings; they are ranked, so it is the first */
	const struct finding *cause; /* it is a symptom of this one */
	const struct report_suppression *known;
	const char *reason; /* why it could not be judged everywhere; NULL: it could */
	size_t n_entities, n_unjudged;
};

/* ------------------------------------------------ from judgements to cases */

static void add_judgement(struct rule_case *c, const struct judgement *j)
{
	const bool is_open = strcmp(j->outcome, "unknown") == 0 || strcmp(j->outcome, "skipped") == 0;

	c->n_entities++;
	c->n_unjudged += is_open;
	if (is_open && !c->reason)
		c->reason = j->reason ? j->reason : j->outcome;
}

static const struct finding *finding_of(const struct finding *findings, size_t n, const char *rule)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(findings[i].rule, rule) == 0)
			return &findings[i];
	return NULL;
}

static void add_findings(struct rule_case *c, const struct report *report)
{
	c->worst = finding_of(report->findings, report->n_findings, c->rule);
	for (size_t i = 0; i < report->n_findings && !c->cause; i++)
		if (texts_have(report->findings[i].symptoms, c->rule))
			c->cause = &report->findings[i];
	for (size_t i = 0; i < report->n_suppressed && !c->known; i++)
		if (finding_of(report->suppressed[i].findings, report->suppressed[i].n_findings, c->rule))
			c->known = &report->suppressed[i];
}

struct rule_cases {
	struct rule_case *at;
	size_t n;
};

static struct rule_case *case_of(struct rule_cases *cases, const char *rule)
{
	size_t k = 0;

	while (k < cases->n && strcmp(cases->at[k].rule, rule) != 0)
		k++;
	if (k == cases->n)
		cases->at[cases->n++].rule = rule;
	return &cases->at[k];
}

static struct rule_cases cases_of(const struct render_job *job)
{
	const struct report *const report = job->report;
	struct rule_cases cases = { NEW_ARRAY(job->scratch, struct rule_case, report->n_judgements + report->n_findings), 0 };

	for (size_t i = 0; i < report->n_judgements; i++)
		add_judgement(case_of(&cases, report->judgements[i].rule), &report->judgements[i]);
	for (size_t i = 0; i < report->n_findings; i++)
		case_of(&cases, report->findings[i].rule);
	for (size_t k = 0; k < cases.n; k++)
		add_findings(&cases.at[k], report);
	return cases;
}

static bool is_failure(const struct render_job *job, const struct rule_case *c)
{
	return c->worst && job->options.has_fail_on && c->worst->severity_level >= job->options.fail_on;
}

static bool is_skipped(const struct rule_case *c)
{
	return !c->worst && (c->known || (!c->cause && c->reason));
}

/* ------------------------------------------------ XML */

static void put_attribute(struct buf *out, const char *name, const char *value)
{
	buf_print(out, " %s=\"", name);
	escape_markup(out, slice_of(value ? value : ""));
	buf_char(out, '"');
}

static void put_line(struct buf *out, const char *label, const char *text)
{
	if (!text)
		return;
	buf_text(out, label);
	escape_markup(out, slice_of(text));
	buf_char(out, '\n');
}

static void put_finding(struct buf *out, const struct finding *f)
{
	put_line(out, "", f->title);
	put_line(out, "what:  ", f->what);
	put_line(out, "where: ", f->where);
	put_line(out, "when:  ", f->when_text);
	put_line(out, "cost:  ", f->cost_text);
	put_line(out, "why:   ", f->why);
	for (size_t i = 0; i < f->try.n; i++)
		put_line(out, "try:   ", f->try.at[i]);
	put_line(out, "sure?  ", f->sure_text);
}

static void put_findings(struct buf *out, const struct report *report, const char *rule)
{
	for (size_t i = 0; i < report->n_findings; i++)
		if (strcmp(report->findings[i].rule, rule) == 0)
			put_finding(out, &report->findings[i]);
}

static void put_failure(const struct render_job *job, const struct rule_case *c, struct buf *out)
{
	buf_text(out, "      <failure");
	put_attribute(out, "type", c->worst->severity);
	put_attribute(out, "message", c->worst->title);
	buf_char(out, '>');
	put_findings(out, job->report, c->rule);
	buf_text(out, "</failure>\n");
}

static void put_skipped(const struct render_job *job, const struct rule_case *c, struct buf *out)
{
	const char *why = c->reason;

	if (c->known)
		why = c->known->sentence;
	else if (c->n_unjudged < c->n_entities)
		why = arena_print(job->scratch, "on %zu of %zu: %s", c->n_unjudged, c->n_entities, c->reason);
	buf_text(out, "      <skipped");
	put_attribute(out, "message", why);
	buf_text(out, "/>\n");
}

static void put_told(const struct render_job *job, const struct rule_case *c, struct buf *out)
{
	buf_text(out, "      <system-out>");
	if (c->worst)
		put_findings(out, job->report, c->rule);
	else
		put_line(out, "", arena_print(job->scratch, "a symptom of [%zu] %s", c->cause->number, c->cause->title));
	buf_text(out, "</system-out>\n");
}

static void put_case(const struct render_job *job, const struct rule_case *c, struct buf *out)
{
	const bool is_told = c->worst || c->cause;

	buf_text(out, "    <testcase");
	put_attribute(out, "classname", "postrun");
	put_attribute(out, "name", c->rule);
	buf_text(out, " time=\"0\"");
	if (!is_told && !is_skipped(c)) {
		buf_text(out, "/>\n");
		return;
	}
	buf_text(out, ">\n");
	if (is_failure(job, c))
		put_failure(job, c, out);
	else if (is_skipped(c))
		put_skipped(job, c, out);
	else
		put_told(job, c, out);
	buf_text(out, "    </testcase>\n");
}

static void put_property(struct buf *out, const char *name, const char *value)
{
	buf_text(out, "      <property");
	put_attribute(out, "name", name);
	put_attribute(out, "value", value);
	buf_text(out, "/>\n");
}

static void put_suite_head(const struct render_job *job, size_t n, size_t n_failed, size_t n_skipped, struct buf *out)
{
	const struct report *const r = job->report;
	const char *const begin = time_iso(job->scratch, r->run.begin);

	buf_text(out, "  <testsuite");
	put_attribute(out, "name", r->identity);
	buf_print(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"0\"", n, n_failed, n_skipped);
	buf_print(out, " timestamp=\"%.*s\"", (int)strlen("2026-11-21T01:49:30"), begin); /* the schema knows no fractions and no zone */
	buf_text(out, ">\n    <properties>\n");
	put_property(out, "verdict", r->verdict.sentence);
	put_property(out, "severity", r->verdict.severity);
	put_property(out, "program", r->footer_right);
	put_property(out, "rules", r->program.rules_digest);
	buf_text(out, "    </properties>\n");
}

void render_junit(const struct render_job *job, struct buf *out)
{
	const struct rule_cases cases = cases_of(job);
	size_t n_failed = 0, n_skipped = 0;

	for (size_t i = 0; i < cases.n; i++) {
		n_failed += is_failure(job, &cases.at[i]);
		n_skipped += is_skipped(&cases.at[i]);
	}
	buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	buf_print(out, "<testsuites name=\"postrun\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"0\">\n", cases.n, n_failed);
	put_suite_head(job, cases.n, n_failed, n_skipped, out);
	for (size_t i = 0; i < cases.n; i++)
		put_case(job, &cases.at[i], out);
	buf_text(out, "  </testsuite>\n</testsuites>\n");
}
