/*
 * row_pattern_fitted.c - what was found in rows that fitted: numbers, channel by channel, and cells without a value.
 */
#include "format/row_pattern_parts.h"

struct fitted *fitted_new(void)
{
	size_t room = 0;
	struct fitted *out = grow(NULL, &room, 1, sizeof *out);

	*out = (struct fitted){ 0 };
	return out;
}

void fitted_release(struct fitted *out)
{
	for (size_t i = 0; i < out->n_channels; i++)
		grow_free(out->rows.of[i].bytes);
	grow_free(out->rows.channels);
	grow_free(out->rows.of);
	grow_free(out->rows.touched);
	grow_free(out->absent);
	grow_free(out);
}

void fitted_begin(struct fitted *out, const struct patterns *ps)
{
	struct row_block *const rows = &out->rows;

	rows->of = grow(rows->of, &out->rooms[ROOM_CHANNELS], ps->n, sizeof *rows->of);
	rows->touched = grow(rows->touched, &out->rooms[ROOM_TOUCHED], ps->n, sizeof *rows->touched);
	for (size_t i = 0; i < rows->n_touched; i++)
		rows->of[rows->touched[i]].n = 0;
	for (; out->n_channels < ps->n; out->n_channels++)
		rows->of[out->n_channels] = (struct channel_rows){ 0 };
	rows->kind = (struct row_kind){ ps->metrics, ps->units, ps->n_metrics };
	rows->n = rows->n_touched = out->n_absent = 0;
}

void fitted_more_bytes(struct channel_rows *rows)
{
	rows->bytes = grow(rows->bytes, &rows->room, (rows->n + 1) * rows->stride, 1);
}

/* The row's numbers as codes; false where one has none. */
static bool put_codes(const struct patterns *ps, const struct hints *hints, char *codes)
{
	const struct pattern *const pattern = hints->pattern;

	for (const struct field *f = pattern->fields, *end = f + pattern->n_fields; f < end; f++) {
		int32_t code;
		if (f->kind != FIELD_VALUE)
			continue;
		if (!code_of_value(hints->numbers[f->place], ps->units[f->slot], &code))
			return false;
		memcpy(codes + f->place * sizeof code, &code, sizeof code);
	}
	return true;
}

/* It was codes, and may come to lie over them. */
static void widen_row(const struct channel_rows *narrow, const struct channel_rows *wide, size_t i, const struct pattern *pattern,
	const fixed *units)
{
	const time_ms t = row_time_in(narrow, i);
	int32_t codes[MAX_CELLS];

	memcpy(codes, row_numbers(narrow, i), pattern->n_numbers * sizeof *codes);
	memcpy(wide->bytes + i * wide->stride, &t, sizeof t);
	for (const struct field *f = pattern->fields, *end = f + pattern->n_fields; f < end; f++) {
		if (f->kind != FIELD_VALUE)
			continue;
		const fixed value = value_of_code(codes[f->place], units[f->slot]);
		memcpy(row_numbers(wide, i) + f->place * sizeof value, &value, sizeof value);
	}
}

/* The channel's numbers are values as they are, of all rows that there are, and there is room for one more. */
static void widen(struct channel_rows *rows, const struct pattern *pattern, const fixed *units)
{
	struct channel_rows narrow = *rows;

	rows->is_wide = true;
	rows->stride = row_stride(pattern->n_numbers, true);
	fitted_more_bytes(rows);
	narrow.bytes = rows->bytes;
	/* from the last one on: each comes to lie where it was, or behind */
	for (size_t i = rows->n; i-- > 0;)
		widen_row(&narrow, rows, i, pattern, units);
}

void fitted_put(struct fitted *out, const struct patterns *ps, size_t channel, const struct hints *hints)
{
	struct channel_rows *const rows = &out->rows.of[channel];
	const size_t n_numbers = hints->pattern->n_numbers;
	char *row = fitted_row(rows, n_numbers);

	if (!rows->is_wide && !put_codes(ps, hints, row + sizeof(time_ms))) {
		widen(rows, hints->pattern, ps->units);
		row = rows->bytes + rows->n * rows->stride;
	}
	memcpy(row, &hints->t, sizeof hints->t);
	if (rows->is_wide)
		memcpy(row + sizeof(time_ms), hints->numbers, n_numbers * sizeof *hints->numbers);
	fitted_add(out, ps, channel);
}

void fitted_touch(struct fitted *out, const struct patterns *ps, size_t channel)
{
	struct channel_rows *const rows = &out->rows.of[channel];
	const struct pattern *const pattern = good_pattern(&ps->at[channel]);

	if (!pattern)
		BUG("a row has fitted no pattern");
	out->rows.touched[out->rows.n_touched++] = (uint32_t)channel;
	rows->is_steady = true;
	rows->constants = pattern->constants;
	rows->n_constants = pattern->n_constants;
}

void fitted_more_rows(struct fitted *out)
{
	out->rows.channels = grow(out->rows.channels, &out->rooms[ROOM_ROWS], out->rows.n + 1, sizeof *out->rows.channels);
}

void fitted_note_absent(struct fitted *out, size_t channel, size_t slot, enum absence reason)
{
	out->absent = grow(out->absent, &out->rooms[ROOM_ABSENT], out->n_absent + 1, sizeof *out->absent);
	out->absent[out->n_absent++] = (struct absent_cell){ (uint32_t)channel, out->rows.kind.metrics[slot], reason };
}
