/*
 * sheet_rows.c - blocks of rows, of which a reader knows beforehand what is in them (row_pattern.h): column by column, and on several
 * threads where there are several blocks.
 *
 * That is for rows whose times go on in steady steps. All others go one by one through sheet_row(), which finds out what their times mean.
 */
#include "format/sheet_parts.h"

/* The blocks' columns are those of the channel, and it has rows before them. */
static bool is_like_blocks(const struct sheet *s, const struct row_block *b, const struct rows *rows)
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

/* When the channel's row before those of blocks[n] was, as the clock shows it. */
static time_ms last_before(const struct sheet *s, const struct row_block *const *blocks, size_t n, size_t channel)
{
	while (n--)
		if (blocks[n]->of[channel].n)
			return blocks[n]->of[channel].last;
	return row_time(s->rows[channel], s->rows[channel]->current) - s->set_back;
}

/* Nothing is to be found out of the rows: their times go on in steady steps. */
static bool go_on_steadily(const struct sheet *s, const struct row_block *const *blocks, size_t n_blocks)
{
	for (size_t i = 0; i < n_blocks; i++) {
		for (size_t k = 0; k < blocks[i]->n_touched; k++) {
			const size_t channel = blocks[i]->touched[k];
			if (!blocks[i]->of[channel].is_steady || !is_like_blocks(s, blocks[i], s->rows[channel]) ||
				!is_steady_step(last_before(s, blocks, i, channel), first_time(blocks[i], channel)))
				return false;
		}
	}
	return true;
}

struct writing { /* of blocks, on several threads, each with channels of its own */
	struct sheet *sheet;
	const struct row_block *const *blocks;
	size_t n_blocks, n_groups;
};

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
static void write_numbers(struct packer *to, const struct row_block *b, const struct channel_rows *c, size_t column, int64_t by)
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

struct parts { /* a channel's rows in the blocks that have any: at least one */
	const struct channel_rows *at[WORKERS_MAX];
	size_t n, n_rows;
};

/* `first`: the block where its first rows are. */
static struct parts parts_of(const struct writing *w, size_t first, size_t channel)
{
	const struct channel_rows *const rows = &w->blocks[first]->of[channel];
	struct parts p = { .at = { rows }, .n = 1, .n_rows = rows->n };

	for (size_t i = first + 1; i < w->n_blocks; i++) {
		const struct channel_rows *const c = &w->blocks[i]->of[channel];
		if (c->n)
			p.at[p.n++] = c;
		p.n_rows += c->n;
	}
	return p;
}

static void write_column(struct packer *to, const struct row_block *b, const struct parts *p, size_t column, int64_t by)
{
	for (size_t i = 0; i < p->n; i++)
		write_numbers(to, b, p->at[i], column, by);
}

/* Of many channels each has a few rows in each of several blocks: one behind the other each column of them is written at once. */
#define FEW_IN_A_BLOCK ((size_t)24)
#define MOST_TOGETHER 2048 /* numbers: 16 KiB, half of the nearest cache */

static bool are_few(const struct row_block *b, const struct parts *p)
{
	return p->n > 1 && p->n_rows < FEW_IN_A_BLOCK * p->n && p->n_rows * (1 + b->n_metrics) <= MOST_TOGETHER;
}

/* There is room for them. */
static void put_together(const struct row_block *b, struct parts *p, struct channel_rows *all)
{
	all->n = 0;
	for (size_t i = 0; i < p->n; all->n += p->at[i++]->n)
		memcpy(row_number(b, all, all->n, 0), p->at[i]->numbers, p->at[i]->n * (1 + b->n_metrics) * sizeof *all->numbers);
	p->at[0] = all;
	p->n = 1;
}

/* All of its rows, column by column: those of one column go to the same place. */
static void write_channel(const struct writing *w, size_t first, size_t channel)
{
	const struct row_block *const any = w->blocks[0]; /* all are like the channel */
	struct rows *const rows = w->sheet->rows[channel];
	struct parts parts = parts_of(w, first, channel);
	const struct constant_cell *constant = parts.at[0]->constants, *const last = constant + parts.at[0]->n_constants;
	int64_t numbers[MOST_TOGETHER];
	struct channel_rows all = { .numbers = numbers };

	if (are_few(any, &parts))
		put_together(any, &parts, &all);
	write_column(&rows->times, any, &parts, 0, w->sheet->set_back);
	for (size_t slot = 0; slot < any->n_metrics; slot++) {
		struct packer *const to = rows->cells[any->metrics[slot]].values;
		if (constant < last && constant->slot == slot)
			packer_add_same(to, constant++->value, parts.n_rows);
		else
			write_column(to, any, &parts, 1 + slot, 0);
	}
	rows->n += parts.n_rows;
	rows->current = rows->n - 1;
}

/* Has a block before the n-th one rows of it? */
static bool is_seen_before(const struct writing *w, size_t n, size_t channel)
{
	while (n--)
		if (w->blocks[n]->of[channel].n)
			return true;
	return false;
}

static void write_group(void *context, size_t worker, size_t group)
{
	const struct writing *const w = context;

	(void)worker;
	for (size_t i = 0; i < w->n_blocks; i++) {
		const struct row_block *const b = w->blocks[i];
		for (size_t k = 0; k < b->n_touched; k++) {
			const size_t channel = b->touched[k];
			if ((w->n_groups == 1 || w->sheet->rows[channel]->group == group) && !is_seen_before(w, i, channel))
				write_channel(w, i, channel);
		}
	}
}

static void share_channels(struct sheet *s, size_t n_groups)
{
	for (size_t i = 0; i < s->n; i++)
		s->rows[i]->group = i % n_groups;
}

#define GROUPS ((size_t)4) /* for each of the crew, so that all end at much the same time */

static void take_steady_rows(struct sheet *s, struct crew *crew, const struct row_block *const *blocks, size_t n_blocks)
{
	const struct row_block *const last_block = blocks[n_blocks - 1];
	const size_t channel = last_block->channels[last_block->n - 1];
	const struct rows *const rows = s->rows[channel];
	const size_t n_most = n_blocks > 1 && crew_size(crew) > 1 ? GROUPS * crew_size(crew) : 1;
	struct writing w = { s, blocks, n_blocks, n_most < s->n ? n_most : s->n };

	sheet_time_events(s, first_time(blocks[0], blocks[0]->channels[0]) + s->set_back);
	if (w.n_groups > 1)
		share_channels(s, w.n_groups);
	crew_run(crew, w.n_groups, write_group, &w);
	for (size_t i = 0; i < n_blocks; i++)
		s->n_kept += blocks[i]->n;
	sheet_note_lines(s, blocks, n_blocks);
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

void sheet_rows(struct sheet *s, struct crew *crew, const struct row_block *const *blocks, size_t n_blocks)
{
	size_t n = 0;

	for (size_t i = 0; i < n_blocks; i++)
		n += blocks[i]->n;
	const bool is_steady = s->n_kept + n <= s->n_most && go_on_steadily(s, blocks, n_blocks);
	int64_t line = s->r->lines->line + 1 - (int64_t)n;
	if (n_blocks && is_steady)
		take_steady_rows(s, crew, blocks, n_blocks);
	for (size_t i = 0; i < n_blocks; i++) {
		if (!is_steady)
			take_rows_singly(s, blocks[i], line);
		line += (int64_t)blocks[i]->n;
		count_absent(s, blocks[i]);
	}
}
