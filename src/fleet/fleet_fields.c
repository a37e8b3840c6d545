/* fleet_fields.c - describes struct fleet_told for templates: fleet.txt.tmpl, fleet.html.tmpl, fleet.prom.tmpl. */
#include "fleet/fleet.h"

static const struct field row_rows[] = {
	FIELD(struct fleet_row, rank, ORDINAL),
	FIELD(struct fleet_row, id, TEXT),
	FIELD(struct fleet_row, link, TEXT),
	FIELD(struct fleet_row, status, TEXT),
	FIELD(struct fleet_row, why, TEXT),
	FIELD(struct fleet_row, gpus, TEXT),
	FIELD(struct fleet_row, hours, TEXT),
	FIELD(struct fleet_row, begin, TEXT),
	FIELD(struct fleet_row, host, TEXT),
	FIELD(struct fleet_row, lost, TEXT),
	FIELD(struct fleet_row, percent, TEXT),
	FIELD(struct fleet_row, worse_than, TEXT),
	FIELD(struct fleet_row, cause, TEXT),
	FIELD(struct fleet_row, severity, TEXT),
	FIELD(struct fleet_row, is_first, BOOL),
	FIELD(struct fleet_row, lost_bar, NUMBER),
	FIELD(struct fleet_row, normal_end, NUMBER),
	FIELD(struct fleet_row, critical_end, NUMBER),
	FIELD(struct fleet_row, warning_end, NUMBER),
	FIELD(struct fleet_row, note_end, NUMBER),
	FIELD(struct fleet_row, suppressed_end, NUMBER),
	FIELD(struct fleet_row, overhead_end, NUMBER),
};
static const struct fields row_fields = FIELDS("row", struct fleet_row, row_rows);

static const struct field line_rows[] = {
	FIELD(struct fleet_line, name, TEXT),
	FIELD(struct fleet_line, cause, TEXT),
	FIELD(struct fleet_line, severity, TEXT),
	FIELD(struct fleet_line, runs, TEXT),
	FIELD(struct fleet_line, lost, TEXT),
	FIELD(struct fleet_line, percent, TEXT),
	FIELD(struct fleet_line, bar, NUMBER),
};
static const struct fields line_fields = FIELDS("line", struct fleet_line, line_rows);

static const struct field table_rows[] = {
	LIST(struct fleet_table, lines, line_fields),
	FIELD(struct fleet_table, share, TEXT),
	FIELD(struct fleet_table, more, TEXT),
};
static const struct fields table_fields = FIELDS("table", struct fleet_table, table_rows);

static const struct field suspect_rows[] = {
	FIELD(struct fleet_suspect, entity, TEXT),
	FIELD(struct fleet_suspect, uuid, TEXT),
	FIELD(struct fleet_suspect, card, TEXT),
	FIELD(struct fleet_suspect, sentence, TEXT),
};
static const struct fields suspect_fields = FIELDS("suspect", struct fleet_suspect, suspect_rows);

static const struct field link_rows[] = {
	FIELD(struct fleet_link, file, TEXT),
	FIELD(struct fleet_link, name, TEXT),
	FIELD(struct fleet_link, is_this, BOOL),
};
static const struct fields link_fields = FIELDS("link", struct fleet_link, link_rows);

static const struct field class_rows[] = {
	FIELD(struct fleet_class, name, TEXT),
	FIELD(struct fleet_class, text, TEXT),
	FIELD(struct fleet_class, percent, TEXT),
	FIELD(struct fleet_class, money, TEXT),
	FIELD(struct fleet_class, share, NUMBER),
};
static const struct fields class_fields = FIELDS("class", struct fleet_class, class_rows);

static const struct field count_rows[] = {
	FIELD(struct fleet_count, status, TEXT),
	FIELD(struct fleet_count, n, COUNT),
};
static const struct fields count_fields = FIELDS("count", struct fleet_count, count_rows);

static const struct field second_rows[] = {
	FIELD(struct fleet_seconds, class, TEXT),
	FIELD(struct fleet_seconds, seconds, TEXT),
};
static const struct fields second_fields = FIELDS("seconds", struct fleet_seconds, second_rows);

static const struct field told_rows[] = {
	FIELD(struct fleet_told, program, TEXT),
	FIELD(struct fleet_told, title, TEXT),
	FIELD(struct fleet_told, subtitle, TEXT),
	FIELD(struct fleet_told, period, TEXT),
	FIELD(struct fleet_told, counts, TEXT),
	FIELD(struct fleet_told, footnote, TEXT),
	FIELD(struct fleet_told, trend, TEXT),
	FIELD(struct fleet_told, total, TEXT),
	FIELD(struct fleet_told, currency, TEXT),
	FIELD(struct fleet_told, unit, TEXT),
	FIELD(struct fleet_told, symbol, TEXT),
	FIELD(struct fleet_told, order, TEXT),
	FIELD(struct fleet_told, severity, TEXT),
	FIELD(struct fleet_told, is_by_loss, BOOL),
	FIELD(struct fleet_told, is_by_begin, BOOL),
	FIELD(struct fleet_told, is_by_host, BOOL),
	FIELD(struct fleet_told, has_suppressed, BOOL),
	LIST(struct fleet_told, classes, class_fields),
	LIST(struct fleet_told, rows, row_fields),
	FIELD(struct fleet_told, more_rows, TEXT),
	FIELD(struct fleet_told, more_lost, TEXT),
	LIST(struct fleet_told, without, row_fields),
	FIELD(struct fleet_told, more_without, TEXT),
	OBJECT(struct fleet_told, causes, table_fields),
	OBJECT(struct fleet_told, groups, table_fields),
	OBJECT(struct fleet_told, hosts, table_fields),
	OBJECT(struct fleet_told, cards, table_fields),
	OBJECT(struct fleet_told, weeks, table_fields),
	LIST(struct fleet_told, suspects, suspect_fields),
	FIELD(struct fleet_told, more_suspects, TEXT),
	LIST(struct fleet_told, links, link_fields),
	LIST(struct fleet_told, counted, count_fields),
	LIST(struct fleet_told, seconds, second_fields),
	LIST(struct fleet_told, seconds_of_rules, second_fields),
	FIELD(struct fleet_told, last_week_ratio, TEXT),
	FIELD(struct fleet_told, weeks_before_ratio, TEXT),
	FIELD(struct fleet_told, n_suspect_gpus, COUNT),
};
const struct fields fleet_fields = FIELDS("fleet", struct fleet_told, told_rows);
