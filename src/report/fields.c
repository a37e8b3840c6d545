/*
 * fields.c - describes struct report, once, for report.json and for templates.
 *
 * To show a new member, add its row: FIELD makes it a key of report.json and a name in
 * templates, HIDDEN a name in templates only. The order of rows is the order of keys. Keys
 * are frozen by the schema number ("postrun.report/1"): scripts and dashboards read them.
 */
#include "report/report.h"

static const struct field program_rows[] = {
	FIELD(struct report_program, name, TEXT),
	FIELD(struct report_program, version, TEXT),
	FIELD(struct report_program, rules_digest, TEXT),
};
static const struct fields program_fields = FIELDS("program", struct report_program, program_rows);

static bool has_rate(const void *rate)
{
	return ((const struct rate *)rate)->per_gpu_hour > 0;
}

static const struct field rate_rows[] = {
	FIELD(struct rate, per_gpu_hour, NUMBER),
	FIELD(struct rate, currency, TEXT),
	QUESTION(has_rate),
};
static const struct fields rate_fields = FIELDS("rate", struct rate, rate_rows);

static const struct field gpu_rows[] = {
	FIELD(struct report_gpu, entity, TEXT),
	HIDDEN(struct report_gpu, label, TEXT),
	FIELD(struct report_gpu, name, TEXT),
	FIELD(struct report_gpu, uuid, TEXT),
	FIELD(struct report_gpu, bus_id, TEXT),
};
static const struct fields gpu_fields = FIELDS("GPU", struct report_gpu, gpu_rows);

static const struct field run_rows[] = {
	FIELD(struct report_run, name, TEXT),
	FIELD(struct report_run, begin, TIME),
	FIELD(struct report_run, end, TIME),
	FIELD(struct report_run, seconds, NUMBER),
	FIELD(struct report_run, hosts, TEXTS),
	LIST(struct report_run, gpus, gpu_fields),
};
static const struct fields run_fields = FIELDS("run", struct report_run, run_rows);

static const struct field headline_rows[] = {
	FIELD(struct headline, text, TEXT),
};
static const struct fields headline_fields = FIELDS("headline", struct headline, headline_rows);

static const struct field verdict_rows[] = {
	FIELD(struct report_verdict, severity, TEXT),
	FIELD(struct report_verdict, sentence, TEXT),
	FIELD(struct report_verdict, gpu_hours, NUMBER),
	FIELD(struct report_verdict, lost_gpu_hours, RANGE),
	FIELD(struct report_verdict, money, NUMBER),
	FIELD(struct report_verdict, lost_money, RANGE),
	FIELD(struct report_verdict, energy_kwh, RANGE),
	FIELD(struct report_verdict, best_seconds, NUMBER),
	FIELD(struct report_verdict, throughput, NUMBER),
	FIELD(struct report_verdict, throughput_of, TEXT),
	HIDDEN(struct report_verdict, best_text, TEXT),
	HIDDEN_LIST(struct report_verdict, headlines, headline_fields),
};
static const struct fields verdict_fields = FIELDS("verdict", struct report_verdict, verdict_rows);

static const struct field window_rows[] = {
	FIELD(struct window, begin, TIME),
	FIELD(struct window, end, TIME),
	FIELD(struct window, seconds, NUMBER),
};
static const struct fields window_fields = FIELDS("window", struct window, window_rows);

static const struct field own_windows_rows[] = {
	FIELD(struct own_windows, entity, TEXT),
	LIST(struct own_windows, windows, window_fields),
};
static const struct fields own_windows_fields = FIELDS("own windows", struct own_windows, own_windows_rows);

static const struct field evidence_rows[] = {
	FIELD(struct named_quantity, name, TEXT),
	FIELD(struct named_quantity, value, QUANTITY),
};
static const struct fields evidence_fields = FIELDS("evidence", struct named_quantity, evidence_rows);

static const struct field chart_rows[] = {
	FIELD(struct report_chart, file, TEXT),
	FIELD(struct report_chart, title, TEXT),
	FIELD(struct report_chart, alt, TEXT),
	HIDDEN(struct report_chart, light, TEXT),
	HIDDEN(struct report_chart, dark, TEXT),
};
static const struct fields chart_fields = FIELDS("chart", struct report_chart, chart_rows);

static const struct field finding_rows[] = {
	FIELD(struct finding, number, ORDINAL),
	FIELD(struct finding, rule, TEXT),
	FIELD(struct finding, severity, TEXT),
	FIELD(struct finding, title, TEXT),
	FIELD(struct finding, entities, TEXTS),
	LIST(struct finding, windows, window_fields),
	LIST(struct finding, windows_beside, window_fields),
	LIST(struct finding, own_windows, own_windows_fields),
	FIELD(struct finding, coverage, NUMBER),
	FIELD(struct finding, confidence, TEXT),
	FIELD(struct finding, confidence_reason, TEXT),
	FIELD(struct finding, cost_gpu_hours, RANGE),
	FIELD(struct finding, cost_money, RANGE),
	MAP(struct finding, evidence, evidence_fields),
	FIELD(struct finding, what, TEXT),
	FIELD(struct finding, why, TEXT),
	FIELD(struct finding, try, TEXTS),
	FIELD(struct finding, refute, TEXT),
	FIELD(struct finding, symptoms, TEXTS),
	HIDDEN(struct finding, symptoms_text, TEXT),
	FIELD(struct finding, rivals, TEXTS),
	HIDDEN(struct finding, has_cost, BOOL),
	HIDDEN(struct finding, where, TEXT),
	HIDDEN(struct finding, when_text, TEXT),
	HIDDEN(struct finding, cost_text, TEXT),
	HIDDEN(struct finding, cost_short, TEXT),
	HIDDEN(struct finding, sure_text, TEXT),
	HIDDEN(struct finding, told_by, TEXT),
	HIDDEN(struct finding, card_text, TEXT),
	HIDDEN(struct finding, short_name, TEXT),
	HIDDEN(struct finding, is_hole, BOOL),
	HIDDEN_LIST(struct finding, own_charts, chart_fields),
};
static const struct fields finding_fields = FIELDS("finding", struct finding, finding_rows);

static const struct field suppression_rows[] = {
	FIELD(struct report_suppression, rule, TEXT),
	FIELD(struct report_suppression, on, TEXT),
	FIELD(struct report_suppression, until, TEXT),
	FIELD(struct report_suppression, because, TEXT),
	FIELD(struct report_suppression, applied, BOOL),
	LIST(struct report_suppression, findings, finding_fields),
	HIDDEN(struct report_suppression, sentence, TEXT),
};
static const struct fields suppression_fields = FIELDS("suppression", struct report_suppression, suppression_rows);

static const struct field rule_file_rows[] = {
	FIELD(struct report_rule_file, path, TEXT),
	FIELD(struct report_rule_file, digest, TEXT),
	FIELD(struct report_rule_file, layer, TEXT),
	FIELD(struct report_rule_file, replaces, TEXT),
};
static const struct fields rule_file_fields = FIELDS("rule file", struct report_rule_file, rule_file_rows);

static const struct field setting_rows[] = {
	FIELD(struct report_setting, rule, TEXT),
	FIELD(struct report_setting, param, TEXT),
	FIELD(struct report_setting, value, QUANTITY),
};
static const struct fields setting_fields = FIELDS("setting", struct report_setting, setting_rows);

static const struct field rules_rows[] = {
	LIST(struct report_rules, files, rule_file_fields),
	LIST(struct report_rules, settings, setting_fields),
	FIELD(struct report_rules, disabled, TEXTS),
	HIDDEN(struct report_rules, sentences, TEXTS),
};
static const struct fields rules_fields = FIELDS("rules", struct report_rules, rules_rows);

static const struct field remark_rows[] = {
	FIELD(struct remark, kind, TEXT),
	FIELD(struct remark, text, TEXT),
	FIELD(struct remark, begin, TIME),
	FIELD(struct remark, end, TIME),
	FIELD(struct remark, count, COUNT),
	FIELD(struct remark, seconds, NUMBER),
	FIELD(struct remark, period_seconds, NUMBER),
	FIELD(struct remark, gpu_hours, NUMBER),
};
static const struct fields remark_fields = FIELDS("remark", struct remark, remark_rows);

static const struct field judgement_rows[] = {
	FIELD(struct judgement, rule, TEXT),
	FIELD(struct judgement, entity, TEXT),
	FIELD(struct judgement, outcome, TEXT),
	FIELD(struct judgement, reason, TEXT),
	FIELD(struct judgement, coverage, NUMBER),
	FIELD(struct judgement, margin, NUMBER),
};
static const struct fields judgement_fields = FIELDS("judgement", struct judgement, judgement_rows);

static bool is_no_log(const void *row)
{
	return ((const struct ledger_row *)row)->kind == LEDGER_NO_LOG;
}

static bool is_normal(const void *row)
{
	return ((const struct ledger_row *)row)->kind == LEDGER_NORMAL;
}

static bool is_overhead(const void *row)
{
	return ((const struct ledger_row *)row)->kind == LEDGER_OVERHEAD;
}

static bool is_suppressed(const void *row)
{
	return ((const struct ledger_row *)row)->kind == LEDGER_SUPPRESSED;
}

static bool has_severity(const void *row, enum severity severity)
{
	const struct ledger_row *const r = row;

	return r->kind == LEDGER_FINDING && r->severity_level == severity;
}

static bool is_critical(const void *row)
{
	return has_severity(row, SEVERITY_CRITICAL);
}

static bool is_warning(const void *row)
{
	return has_severity(row, SEVERITY_WARNING);
}

#define BOUNDED_LABEL 26 /* bytes, and */
#define BOUNDED_HOURS 5  /* digits, beside which the text's table has room for "at most" */

static bool is_bound_brief(const void *row)
{
	const struct ledger_row *const r = row;

	return strlen(r->label) > BOUNDED_LABEL || strlen(r->hours_text) > BOUNDED_HOURS;
}

static const struct field ledger_rows[] = {
	FIELD(struct ledger_row, class, TEXT),
	FIELD(struct ledger_row, finding, ORDINAL),
	FIELD(struct ledger_row, gpu_hours, NUMBER),
	FIELD(struct ledger_row, upper_bound, BOOL),
	FIELD(struct ledger_row, money, NUMBER),
	FIELD(struct ledger_row, energy_kwh, RANGE),
	HIDDEN(struct ledger_row, label, TEXT),
	HIDDEN(struct ledger_row, short_label, TEXT),
	HIDDEN(struct ledger_row, share, NUMBER),
	QUESTION(is_bound_brief),
	QUESTION(is_normal),
	QUESTION(is_suppressed),
	QUESTION(is_overhead),
	QUESTION(is_no_log),
	QUESTION(is_critical),
	QUESTION(is_warning),
	HIDDEN(struct ledger_row, hours_text, TEXT),
	HIDDEN(struct ledger_row, percent_text, TEXT),
	HIDDEN(struct ledger_row, money_text, TEXT),
};
static const struct fields ledger_fields = FIELDS("ledger row", struct ledger_row, ledger_rows);

static const struct field throttle_rows[] = {
	FIELD(struct throttle_row, entity, TEXT),
	FIELD(struct throttle_row, reason, TEXT),
	FIELD(struct throttle_row, flag_seconds, NUMBER),
	FIELD(struct throttle_row, flag_error_seconds, NUMBER),
	FIELD(struct throttle_row, counter_seconds, NUMBER),
	FIELD(struct throttle_row, counter_restarts, COUNT),
	FIELD(struct throttle_row, busy_share, NUMBER),
	FIELD(struct throttle_row, clock_mhz, NUMBER),
	FIELD(struct throttle_row, clock_reference_mhz, NUMBER),
	FIELD(struct throttle_row, clock_lost, NUMBER),
	FIELD(struct throttle_row, work_lost_gpu_hours, NUMBER),
	HIDDEN(struct throttle_row, label, TEXT),
	HIDDEN(struct throttle_row, title, TEXT),
	HIDDEN(struct throttle_row, counted, TEXT),
	HIDDEN(struct throttle_row, flagged, TEXT),
	HIDDEN(struct throttle_row, error_text, TEXT),
	HIDDEN(struct throttle_row, share_text, TEXT),
	HIDDEN(struct throttle_row, clock_text, TEXT),
	HIDDEN(struct throttle_row, lost_text, TEXT),
	HIDDEN(struct throttle_row, work_text, TEXT),
};
static const struct fields throttle_fields = FIELDS("throttle row", struct throttle_row, throttle_rows);

static const struct field phase_rows[] = {
	FIELD(struct report_phase, name, TEXT),
	FIELD(struct report_phase, begin, TIME),
	FIELD(struct report_phase, end, TIME),
};
static const struct fields phase_fields = FIELDS("phase", struct report_phase, phase_rows);

static const struct field statistic_rows[] = {
	FIELD(struct statistic, entity, TEXT),
	FIELD(struct statistic, metric, TEXT),
	FIELD_AS("unit", struct statistic, unit_symbol, TEXT),
	FIELD(struct statistic, mean, NUMBER),
	FIELD(struct statistic, min, NUMBER),
	FIELD(struct statistic, p5, NUMBER),
	FIELD(struct statistic, p50, NUMBER),
	FIELD(struct statistic, p95, NUMBER),
	FIELD(struct statistic, max, NUMBER),
	FIELD(struct statistic, stddev, NUMBER),
	FIELD(struct statistic, coverage, NUMBER),
	FIELD(struct statistic, source, TEXT),
};
static const struct fields statistic_fields = FIELDS("statistic", struct statistic, statistic_rows);

static const struct field absence_rows[] = {
	FIELD(struct report_absence, reason, TEXT),
	FIELD(struct report_absence, count, COUNT),
};
static const struct fields absence_fields = FIELDS("absence", struct report_absence, absence_rows);

static const struct field clock_rows[] = {
	FIELD(struct report_clock, zone, TEXT),
	FIELD(struct report_clock, offset_s, NUMBER),
	FIELD(struct report_clock, decided_by, TEXT),
	FIELD(struct report_clock, sentence, TEXT),
};
static const struct fields clock_fields = FIELDS("clock", struct report_clock, clock_rows);

static const struct field event_rows[] = {
	FIELD(struct report_event, time, TIME),
	FIELD(struct report_event, kind, TEXT),
	FIELD(struct report_event, entity, TEXT),
	FIELD(struct report_event, text, TEXT),
	FIELD(struct report_event, code, COUNT),
	FIELD(struct report_event, source, TEXT),
	HIDDEN(struct report_event, when, TEXT),
	HIDDEN(struct report_event, who, TEXT),
};
static const struct fields event_fields = FIELDS("event", struct report_event, event_rows);

static const struct field complaint_rows[] = {
	FIELD(struct report_complaint, line, COUNT),
	FIELD(struct report_complaint, column, COUNT),
	FIELD(struct report_complaint, kind, TEXT),
	FIELD(struct report_complaint, text, TEXT),
	FIELD(struct report_complaint, shown, TEXT),
	FIELD(struct report_complaint, count, COUNT),
};
static const struct fields complaint_fields = FIELDS("complaint", struct report_complaint, complaint_rows);

static const struct field source_rows[] = {
	FIELD(struct report_source, path, TEXT),
	HIDDEN(struct report_source, name, TEXT),
	FIELD(struct report_source, digest, TEXT),
	FIELD(struct report_source, archive, TEXT),
	FIELD(struct report_source, archive_digest, TEXT),
	FIELD(struct report_source, bytes, COUNT),
	FIELD(struct report_source, format, TEXT),
	FIELD(struct report_source, why, TEXT),
	FIELD(struct report_source, rows, COUNT),
	FIELD(struct report_source, rows_bad, COUNT),
	FIELD(struct report_source, rows_ignored, COUNT),
	FIELD(struct report_source, rows_seen, COUNT),
	FIELD(struct report_source, rows_per_sample, COUNT),
	HIDDEN(struct report_source, rows_text, TEXT),
	LIST(struct report_source, complaints, complaint_fields),
	HIDDEN(struct report_source, told_complaints, TEXTS),
	HIDDEN(struct report_source, more_complaints, TEXT),
	FIELD(struct report_source, begin, TIME),
	FIELD(struct report_source, end, TIME),
	FIELD(struct report_source, step_s, NUMBER),
	LIST(struct report_source, holes, window_fields),
	MAP(struct report_source, absences, absence_fields),
	OBJECT(struct report_source, clock, clock_fields),
	HIDDEN(struct report_source, quality, TEXT),
	HIDDEN(struct report_source, unread, TEXTS),
	FIELD(struct report_source, messages, TEXTS),
	FIELD(struct report_source, guess, TEXT),
};
static const struct fields source_fields = FIELDS("source", struct report_source, source_rows);

static const struct field note_rows[] = {
	FIELD(struct report_note, topic, TEXT),
	FIELD(struct report_note, text, TEXT),
};
static const struct fields note_fields = FIELDS("note", struct report_note, note_rows);

static const struct field timeline_rows[] = {
	HIDDEN(struct timeline_row, label, TEXT),
	HIDDEN(struct timeline_row, cells, CELLS),
	HIDDEN(struct timeline_row, is_finding, BOOL),
	HIDDEN(struct timeline_row, digits, TEXT),
};
static const struct fields timeline_fields = FIELDS("timeline row", struct timeline_row, timeline_rows);

static const struct field statistics_row_rows[] = {
	HIDDEN(struct statistics_row, label, TEXT),
	HIDDEN(struct statistics_row, busy_mean, TEXT),
	HIDDEN(struct statistics_row, busy_p5, TEXT),
	HIDDEN(struct statistics_row, busy_p50, TEXT),
	HIDDEN(struct statistics_row, busy_p95, TEXT),
	HIDDEN(struct statistics_row, mem_peak, TEXT),
	HIDDEN(struct statistics_row, temp_mean, TEXT),
	HIDDEN(struct statistics_row, temp_max, TEXT),
	HIDDEN(struct statistics_row, power_mean, TEXT),
	HIDDEN(struct statistics_row, power_max, TEXT),
	HIDDEN(struct statistics_row, clock_mean, TEXT),
	HIDDEN(struct statistics_row, hot, TEXT),
};
static const struct fields statistics_row_fields =
	FIELDS("statistics row", struct statistics_row, statistics_row_rows);

static const struct field key_figure_rows[] = {
	HIDDEN(struct key_figure, value, TEXT),
	HIDDEN(struct key_figure, caption, TEXT),
};
static const struct fields key_figure_fields = FIELDS("key figure", struct key_figure, key_figure_rows);

static const struct field better_log_rows[] = {
	FIELD(struct better_log, command, TEXT),
	FIELD(struct better_log, metrics, TEXTS),
	FIELD(struct better_log, rules, TEXTS),
	HIDDEN(struct better_log, lines, TEXTS),
	HIDDEN(struct better_log, settles, TEXT),
};
static const struct fields better_log_fields = FIELDS("better log", struct better_log, better_log_rows);

static bool is_brief(const void *report)
{
	return report_is_brief(report);
}

static const struct field report_rows[] = {
	FIELD(struct report, schema, TEXT),
	OBJECT(struct report, program, program_fields),
	FIELD(struct report, time_basis, TEXT),
	OBJECT(struct report, run, run_fields),
	OBJECT(struct report, rate, rate_fields),
	OBJECT(struct report, verdict, verdict_fields),
	LIST(struct report, findings, finding_fields),
	LIST(struct report, suppressed, suppression_fields),
	LIST(struct report, remarks, remark_fields),
	LIST(struct report, judgements, judgement_fields),
	LIST(struct report, ledger, ledger_fields),
	LIST(struct report, throttle, throttle_fields),
	LIST(struct report, phases, phase_fields),
	LIST(struct report, statistics, statistic_fields),
	LIST(struct report, sources, source_fields),
	LIST(struct report, events, event_fields),
	LIST(struct report, charts, chart_fields),
	LIST(struct report, notes, note_fields),
	OBJECT(struct report, rules, rules_fields),
	LIST(struct report, log_better, better_log_fields),

	QUESTION(is_brief),
	HIDDEN_LIST(struct report, told_findings, finding_fields),
	HIDDEN(struct report, more_findings, TEXT),
	HIDDEN_LIST(struct report, told_sources, source_fields),
	HIDDEN_LIST(struct report, told_notes, note_fields),
	HIDDEN_LIST(struct report, told_events, event_fields),
	HIDDEN(struct report, more_events, TEXT),
	HIDDEN(struct report, healthy, BOOL),
	HIDDEN(struct report, all, BOOL),
	HIDDEN(struct report, has_charts, BOOL),
	HIDDEN(struct report, has_ledger, BOOL),
	HIDDEN(struct report, has_gpu, BOOL),
	HIDDEN(struct report, many_gpus, BOOL),
	HIDDEN(struct report, identity, TEXT),
	HIDDEN(struct report, run_text, TEXT),
	HIDDEN(struct report, subline, TEXT),
	HIDDEN(struct report, gpu_time_text, TEXT),
	HIDDEN(struct report, spent_text, TEXT),
	HIDDEN(struct report, gpu_time_unit, TEXT),
	HIDDEN(struct report, chart_names, TEXT),
	HIDDEN_LIST(struct report, lead_charts, chart_fields),
	HIDDEN_LIST(struct report, other_charts, chart_fields),
	HIDDEN_LIST(struct report, told_throttle, throttle_fields),
	HIDDEN(struct report, throttle_notes, TEXTS),
	HIDDEN_LIST(struct report, timeline, timeline_fields),
	HIDDEN(struct report, timeline_labels, TEXT),
	HIDDEN(struct report, timeline_ticks, TEXT),
	HIDDEN(struct report, timeline_legend, TEXT),
	HIDDEN_LIST(struct report, statistics_rows, statistics_row_fields),
	HIDDEN(struct report, remarks_text, TEXT),
	HIDDEN(struct report, checked_count, TEXT),
	HIDDEN(struct report, checked_text, TEXT),
	HIDDEN(struct report, unjudged_text, TEXT),
	HIDDEN(struct report, limits_text, TEXT),
	HIDDEN(struct report, not_logged_text, TEXT),
	HIDDEN(struct report, command_text, TEXT),
	HIDDEN_LIST(struct report, key_figures, key_figure_fields),
	HIDDEN(struct report, footer_right, TEXT),
};
const struct fields report_fields = FIELDS("report", struct report, report_rows);
