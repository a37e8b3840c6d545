/*
 * nvidia_smi_csv_row.c - a row of the query CSV by the grammar: its cells by the header in force, its time, its values.
 *
 *     2026/11/21 01:48:34.387, 0, 34 %, 76 MiB, 76.56 W, [N/A]
 *      time                    whose   values            no value, and why
 *
 * What can't be used is told with its place, and costs its row alone.
 */
#include "format/nvidia_smi_csv_parts.h"
#include "metric/identity.h"

/*
 * Which of the row's cells is the header's first; false when the row does not fit. Empty cells behind the last are fine, and so
 * is one more cell where the first two are both times: the logger's own and nvidia-smi's, under one head.
 */
static bool row_fits(struct csv *csv, size_t *shift)
{
	struct csv_row *row = &csv->row;
	struct row_clock probe = { 0 };
	time_ms t;

	*shift = 0;
	while (row->n > csv->header.n && !slice_trim(row->cells[row->n - 1]).n)
		row->n--;
	if (row->n == csv->header.n)
		return true;
	if (row->n != csv->header.n + 1 || csv->header.at[0].role != ROLE_TIME || !stamp_parse(row->cells[1], &t) ||
		!row_clock_take(&probe, row->cells[0], &t))
		return false;
	*shift = 1;
	return true;
}

/* A later header may name other columns, but not leave out what tells the rows of this log apart and in order. */
static bool header_goes_on(struct csv *csv)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };

	if (!csv->header.has_time && csv->had_time)
		return sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "the header in force has no column timestamp; row not used");
	if (csv->header.has_time && (csv->timeless || csv->by_block))
		return sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "rows before it have no times of their own; row not used");
	if (!csv->header.has_identity && csv->polls.n < csv->n_rows)
		return sheet_reject(csv->sheet, place, DIAG_BAD_ROW, "the header in force names no GPU; row not used");
	return true;
}

/* What a cell says of when; false when that can't be read. `date`: from one column to the next. */
static bool time_cell(struct csv *csv, const struct head *head, struct slice cell, time_ms *t, struct slice *date)
{
	char both[64];
	fixed seconds;
	struct slice rest;

	switch (head->role) {
	case ROLE_DATE:
		*date = cell;
		return true;
	case ROLE_OF_DAY:
		if (date->n + cell.n + 1 > sizeof both)
			return false;
		memcpy(both, date->p, date->n);
		both[date->n] = ' ';
		memcpy(both + date->n + 1, cell.p, cell.n);
		return row_clock_take(&csv->clock, (struct slice){ both, date->n + cell.n + 1 }, t);
	case ROLE_ELAPSED:
		if (csv->clock.way != WAY_UNKNOWN || !fixed_parse(cell, &seconds, &rest) || rest.n || seconds < 0 ||
			seconds / (FIXED_ONE / SECOND_MS) > LONGEST_ELAPSED)
			return false;
		*t = seconds / (FIXED_ONE / SECOND_MS);
		csv->elapsed = true;
		return true;
	default:
		return !csv->elapsed && row_clock_take(&csv->clock, cell, t);
	}
}

/* Time and identity of the row; false, already reported, when it can't be used. */
static bool row_identity(struct csv *csv, size_t shift, time_ms *t, struct entity *gpu)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };
	struct slice date = { "", 0 };

	*gpu = (struct entity){ .scope = SCOPE_GPU, .host = "", .index = csv->header.has_identity ? -1 : 0 };
	for (size_t i = 0; i < csv->header.n; i++) {
		const struct head *head = &csv->header.at[i];
		struct slice cell = slice_trim(csv->row.cells[i + shift]);
		place.column = csv->row.columns[i + shift];
		if (head->role >= ROLE_TIME && head->role <= ROLE_ELAPSED && !time_cell(csv, head, cell, t, &date))
			return sheet_reject(csv->sheet, place, DIAG_BAD_TIME,
				"'%.*s' is no time stamp, expected like %s; row not used", SLICE(cell),
				csv->clock.way > WAY_LOCAL ? "those before it" : "2026/11/21 01:48:34.387");
		if (head->role >= ROLE_INDEX && !csv_take_name(csv, head->role, cell, place, gpu))
			return false;
	}
	if (gpu->index < 0 && !gpu->uuid && !gpu->bus_id)
		return sheet_reject(csv->sheet, (struct place){ place.path, place.line, 0 }, DIAG_BAD_ROW,
			"the row names no GPU; not used");
	return true;
}

/* The time of a row that has none of its own: of the line before its poll, or just a number. False: already reported. */
static bool time_from_poll(struct csv *csv, struct seen *seen, time_ms *t)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };

	if (csv->banner.time != TIME_UNKNOWN && !csv->timeless) {
		if (csv->header.has_identity && seen->poll == csv->n_marks)
			return sheet_reject(csv->sheet, place, DIAG_BAD_TIME,
				"a second row of this GPU after one line with a time; when it was written is not known; not used");
		seen->poll = csv->n_marks;
		csv->by_block = true;
		*t = csv->banner.time;
		return true;
	}
	if (csv->by_block)
		return sheet_reject(csv->sheet, place, DIAG_BAD_TIME, "no line with a time stands before this row; not used");
	if (csv->header.has_identity && seen->poll == csv->poll)
		csv->poll++;
	seen->poll = csv->poll;
	csv->timeless = true;
	*t = (time_ms)(csv->header.has_identity ? csv->poll : csv->n_rows) * SECOND_MS;
	return true;
}

static bool is_unsupported(struct slice cell)
{
	cell = slice_trim(cell);
	return slice_is_nocase(cell, "[N/A]") || slice_is_nocase(cell, "N/A") || slice_is_nocase(cell, "[Not Supported]");
}

/* A board without power.draw may have power.draw.instant: the next best column counts where the best says "not supported". */
static size_t best_column(const struct csv *csv, size_t best, size_t shift)
{
	size_t at = best;

	while (csv->header.at[at].spare_at != SIZE_MAX && is_unsupported(csv->row.cells[at + shift]))
		at = csv->header.at[at].spare_at;
	return at == best || is_unsupported(csv->row.cells[at + shift]) ? best : at;
}

static void take_cells(struct csv *csv, size_t shift)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };

	for (size_t i = 0; i < csv->header.n; i++) {
		const struct head *head = &csv->header.at[i];
		if (head->role != ROLE_METRIC || head->spare)
			continue;
		size_t at = best_column(csv, i, shift);
		place.column = csv->row.columns[at + shift];
		sheet_cell(csv->sheet, csv->header.at[at].spelling, csv->header.at[at].unit, csv->row.cells[at + shift], place);
	}
}

static void note_row(struct csv *csv, struct seen *seen, const struct entity *gpu, time_ms t)
{
	csv->had_time |= csv->header.has_time;
	csv->n_rows++;
	csv->last = seen->last = t;
	gpu_learn(&seen->gpu, gpu);
	csv_count_names(seen, gpu, 1);
	csv->anonymous |= !csv->header.has_identity;
	if (!csv->header.has_identity)
		row_polls_add(&csv->polls, t, csv->n_marks);
}

void csv_use_row(struct csv *csv, const struct held_row *row)
{
	const struct entity *const gpu = &row->gpu;
	time_ms t = row->time;

	const size_t channel = sheet_channel(csv->sheet, gpu);
	if (channel == SIZE_MAX) {
		csv->r->recording->n_rows_bad++;
		return;
	}
	struct seen *seen = csv_seen(csv, channel);
	csv_watch_channel(csv, seen, sheet_entity(csv->sheet, channel));
	if (!csv_watch_name(csv, seen, row))
		return;
	if (!csv->header.has_time && !time_from_poll(csv, seen, &t))
		return;
	if (!seen->n_rows)
		seen->first_line = row->line;
	csv_watch_lost(csv, row->shift, gpu, t);
	sheet_row(csv->sheet, channel, t);
	note_row(csv, seen, gpu, t);
	take_cells(csv, row->shift);
	if (!row->shift)
		csv_learn_row(csv, row->text, channel, gpu, t);
}

void csv_take_row(struct csv *csv, struct slice line)
{
	struct place place = { csv->r->lines->path, csv->r->lines->line, 0 };
	struct entity gpu;
	size_t shift;
	time_ms t = 0;

	if (!row_fits(csv, &shift)) {
		sheet_reject_cells(csv->sheet, place, csv->row.n, csv->header.n);
		return;
	}
	if (!header_goes_on(csv))
		return;
	if (!row_identity(csv, shift, &t, &gpu))
		return;
	const struct held_row row = { .gpu = gpu, .text = line, .shift = shift, .time = t, .line = place.line };
	if (csv_keeps_its_number(csv, &row))
		csv_use_row(csv, &row);
}
