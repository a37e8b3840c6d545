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
		grow_free(out->rows.of[i].numbers);
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
	rows->metrics = ps->metrics;
	rows->n_metrics = ps->n_metrics;
	rows->n = rows->n_touched = out->n_absent = 0;
}

void fitted_more_numbers(struct fitted *out, struct channel_rows *rows)
{
	rows->numbers = grow(rows->numbers, &rows->room, (rows->n + 1) * (1 + out->rows.n_metrics), sizeof *rows->numbers);
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
	out->absent[out->n_absent++] = (struct absent_cell){ (uint32_t)channel, out->rows.metrics[slot], reason };
}
