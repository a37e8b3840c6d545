/*
 * sheet_rows.c - a block of rows, of which a reader knows beforehand what is in them (row_pattern.h): column by column.
 *
 * That is for rows whose times go on in steady steps. All others go one by one through sheet_row(), which finds out what their times mean.
 */
#include "format/sheet_parts.h"

/* The block's columns are those of the channel, and it has rows before them. */
static bool is_like_block(const struct sheet *s, const struct row_block *b, const struct rows *rows)
{
	bool alike = rows->n_columns == b->n_metrics && rows->n && rows->current == rows->n - 1 && !rows->swaps &&
		     rows->swap == s->r->recording->clock.date_swap;

	for (size_t i = 0; i < b->n_metrics && alike; i++)
		alike = rows->cells[b->metrics[i]].values != NULL;
	return alike;
}

static time_ms first_time(const struct row_block *b, size_t channel)
{
	return *row_number(b, &b->of[channel], 0, 0);
}

/* Nothing is to be found out of the rows: their times go on in steady steps from the channel's row before, as the clock shows them. */
static bool go_on_steadily(const struct sheet *s, const struct row_block *b)
{
	for (size_t i = 0; i < b->n_touched; i++) {
		const size_t channel = b->touched[i];
		const struct rows *const rows = s->rows[channel];
		if (!b->of[channel].is_steady || !is_like_block(s, b, rows) ||
			!is_steady_step(row_time(rows, rows->current) - s->set_back, first_time(b, channel)))
			return false;
	}
	return true;
}

/* n numbers that stand `apart` from each other; four at a time, since most of what is read goes through here. */
static void gather(int64_t *out, const int64_t *from, size_t apart, size_t n)
{
	size_t i = 0;

	for (; i + 4 <= n; i += 4, from += 4 * apart) {
		out[i] = from[0];
		out[i + 1] = from[apart];
		out[i + 2] = from[2 * apart];
		out[i + 3] = from[3 * apart];
	}
	for (; i < n; i++, from += apart)
		out[i] = *from;
}

/* `by`: what is added to each. */
static void write_column(struct packer *to, const struct row_block *b, const struct channel_rows *c, size_t column, int64_t by)
{
	for (size_t first = 0, n; first < c->n; first += n) {
		int64_t *const out = packer_room(to, &n);
		n = c->n - first < n ? c->n - first : n;
		gather(out, row_number(b, c, first, column), 1 + b->n_metrics, n);
		for (size_t i = 0; by && i < n; i++)
			out[i] += by;
		packer_added(to, n);
	}
}

/* All rows of a channel, column by column: those of one column go to the same place. */
static void write_channel(struct sheet *s, const struct row_block *b, size_t channel)
{
	const struct channel_rows *const c = &b->of[channel];
	const struct constant_cell *constant = c->constants, *const last = constant + c->n_constants;
	struct rows *const rows = s->rows[channel];

	write_column(&rows->times, b, c, 0, s->set_back);
	for (size_t slot = 0; slot < b->n_metrics; slot++) {
		struct packer *const to = rows->cells[b->metrics[slot]].values;
		if (constant < last && constant->slot == slot)
			packer_add_same(to, constant++->value, c->n);
		else
			write_column(to, b, c, 1 + slot, 0);
	}
	rows->n += c->n;
	rows->current = rows->n - 1;
}

/*
 * Of many channels each has its numbers in other places than the last one, and what a core has in its caches is of none that comes soon:
 * the places are fetched two channels ahead, and what is in them one ahead.
 */
#define CHANNELS_CACHED 32

static void fetch_packers(const struct rows *rows, const struct row_block *b)
{
	for (size_t slot = 0; slot < b->n_metrics; slot++) {
		const struct packer *const p = rows->cells[b->metrics[slot]].values;
		__builtin_prefetch(p);
		__builtin_prefetch(p + 1); /* it may lie across two lines of the cache */
	}
}

static void fetch_numbers(const struct rows *rows, const struct row_block *b, const struct channel_rows *c)
{
	const int64_t *const end = row_number(b, c, c->n, 0);

	for (const int64_t *p = c->numbers; p < end; p += CACHE_LINE / sizeof *p)
		__builtin_prefetch(p);
	packer_fetch(&rows->times, c->n);
	for (size_t slot = 0; slot < b->n_metrics; slot++)
		packer_fetch(rows->cells[b->metrics[slot]].values, c->n);
}

static void fetch_channels(const struct sheet *s, const struct row_block *b, size_t i)
{
	if (i + 2 < b->n_touched)
		fetch_packers(s->rows[b->touched[i + 2]], b);
	if (i + 1 < b->n_touched)
		fetch_numbers(s->rows[b->touched[i + 1]], b, &b->of[b->touched[i + 1]]);
}

static void take_steady_rows(struct sheet *s, const struct row_block *b)
{
	const size_t channel = b->channels[b->n - 1];
	const struct rows *const rows = s->rows[channel];

	sheet_time_events(s, first_time(b, b->channels[0]) + s->set_back);
	for (size_t i = 0; i < b->n_touched; i++) {
		if (b->n_touched > CHANNELS_CACHED)
			fetch_channels(s, b, i);
		write_channel(s, b, b->touched[i]);
	}
	s->n_kept += b->n;
	sheet_note_lines(s, b);
	s->last = row_time(rows, rows->n - 1);
	s->step = s->last - row_time(rows, rows->n - 2);
	s->current = channel;
}

static void take_row(struct sheet *s, const struct row_block *b, size_t channel, size_t i)
{
	const struct channel_rows *const c = &b->of[channel];
	const struct constant_cell *constant = c->constants, *const last = constant + c->n_constants;
	struct rows *const rows = s->rows[channel];

	sheet_row(s, channel, *row_number(b, c, i, 0));
	for (size_t k = 0; k < b->n_metrics; k++) {
		const bool is_constant = constant < last && constant->slot == k;
		packer_set(rows->cells[b->metrics[k]].values, rows->current, is_constant ? constant++->value : *row_number(b, c, i, 1 + k));
	}
}

/* The first of them stands in `line`. */
static void take_rows_singly(struct sheet *s, const struct row_block *b, int64_t line)
{
	size_t room = 0, *const n_taken = grow(NULL, &room, s->n, sizeof *n_taken); /* by channel */

	memset(n_taken, 0, s->n * sizeof *n_taken);
	for (size_t i = 0; i < b->n; i++) {
		sheet_line(s, line++);
		take_row(s, b, b->channels[i], n_taken[b->channels[i]]++);
	}
	sheet_line_read(s);
	grow_free(n_taken);
}

static void count_absent(struct sheet *s, const struct row_block *b)
{
	for (size_t i = 0; i < b->n_touched; i++) {
		const struct channel_rows *const c = &b->of[b->touched[i]];
		for (size_t k = 0; k < c->n_constants; k++)
			if (c->constants[k].value == FIXED_MISSING)
				sheet_absent_in(s, b->touched[i], b->metrics[c->constants[k].slot], c->constants[k].reason, c->n);
	}
}

void sheet_rows(struct sheet *s, const struct row_block *b)
{
	if (!b->n)
		return;
	if (s->n_kept + b->n <= s->n_most && go_on_steadily(s, b))
		take_steady_rows(s, b);
	else
		take_rows_singly(s, b, s->r->lines->line + 1 - (int64_t)b->n);
	count_absent(s, b);
}
