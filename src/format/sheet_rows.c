/*
 * sheet_rows.c - a block of rows, of which a reader knows beforehand what is in them (row_pattern.h): column by column.
 *
 * That is for rows whose times go on in steady steps. All others go one by one through sheet_row(), which finds out what their times mean.
 * Few rows of a channel wait for more, so that its columns are mostly written in whole packs.
 */
#include "format/sheet_parts.h"

/* The block's columns are those of the channel, and it has rows before them. */
static bool is_like_block(const struct sheet *s, const struct row_block *b, const struct rows *rows)
{
	bool alike = rows->n_columns == b->kind.n_metrics && rows->n && rows->current == rows->n - 1 && !rows->swaps &&
		     rows->swap == s->r->recording->clock.date_swap;

	for (size_t i = 0; i < b->kind.n_metrics && alike; i++)
		alike = rows->cells[b->kind.metrics[i]].values != NULL;
	return alike;
}

/* Of the last row, also of those that wait, as the log shows it. */
static time_ms last_time(const struct sheet *s, const struct rows *rows)
{
	return rows->waiting.n ? rows->waiting.last : row_time(rows, rows->current) - s->set_back;
}

/* Nothing is to be found out of the rows: their times go on in steady steps from the channel's row before, as the clock shows them. */
static bool go_on_steadily(const struct sheet *s, const struct row_block *b)
{
	for (size_t i = 0; i < b->n_touched; i++) {
		const struct channel_rows *const c = &b->of[b->touched[i]];
		const struct rows *const rows = s->rows[b->touched[i]];
		if (i + 4 < b->n_touched) /* of many channels it is in no cache */
			__builtin_prefetch(&s->rows[b->touched[i + 4]]->waiting.last);
		const bool is_alike = rows->waiting.n || is_like_block(s, b, rows);
		if (!c->is_steady || !is_alike || !is_steady_step(last_time(s, rows), row_time_in(c, 0)))
			return false;
	}
	return true;
}

/* ------ to columns ------ */

struct row_column { /* of a channel's rows */
	const char *first;
	size_t stride;
	bool is_codes;
	fixed unit;      /* what these count in */
	time_ms by;      /* what is added to each number that is none */
};

static struct row_column times_of(const struct channel_rows *c, time_ms by)
{
	return (struct row_column){ .first = c->bytes, .stride = c->stride, .by = by };
}

/* Their numbers k. */
static struct row_column values_of(const struct channel_rows *c, size_t k, fixed unit)
{
	const size_t n_bytes = c->is_wide ? sizeof(fixed) : sizeof(int32_t);

	return (struct row_column){ row_numbers(c, 0) + k * n_bytes, c->stride, !c->is_wide, unit, 0 };
}

/* Rows [first, first + n) of it. */
static void read_column(int64_t *out, const struct row_column *column, size_t first, size_t n)
{
	const char *p = column->first + first * column->stride;
	int32_t code;

	for (size_t i = 0; column->is_codes && i < n; i++, p += column->stride) {
		memcpy(&code, p, sizeof code);
		out[i] = value_of_code(code, column->unit);
	}
	for (size_t i = 0; !column->is_codes && i < n; i++, p += column->stride) {
		memcpy(&out[i], p, sizeof out[i]);
		out[i] += column->by;
	}
}

static void write_column(struct packer *to, const struct row_column *column, size_t first, size_t n)
{
	for (size_t end = first + n, n_free; first < end; first += n_free) {
		int64_t *const out = packer_room(to, &n_free);
		n_free = end - first < n_free ? end - first : n_free;
		read_column(out, column, first, n_free);
		packer_added(to, n_free);
	}
}

/* Of PACK rows; four at a time, since most of what is read goes through here. */
static void gather_codes(int32_t codes[PACK], const struct row_column *column, size_t first)
{
	const size_t apart = column->stride;
	const char *p = column->first + first * apart;

	for (size_t i = 0; i < PACK; i += 4, p += 4 * apart) {
		memcpy(&codes[i], p, sizeof *codes);
		memcpy(&codes[i + 1], p + apart, sizeof *codes);
		memcpy(&codes[i + 2], p + 2 * apart, sizeof *codes);
		memcpy(&codes[i + 3], p + 3 * apart, sizeof *codes);
	}
}

/* PACK rows that are a pack: their codes are those of the pack, or nearly. */
static void write_pack(struct packer *to, const struct row_column *column, size_t first)
{
	int32_t codes[PACK];
	int64_t numbers[PACK];

	if (column->is_codes) {
		gather_codes(codes, column, first);
		if (packer_add_codes(to, codes, column->unit))
			return;
	}
	read_column(numbers, column, first, PACK);
	packer_add_pack(to, numbers);
}

struct columns { /* what rows of a channel are written to */
	struct rows *rows;
	struct row_kind kind;
	time_ms set_back;
};

/* What a core has in its caches is of none of many channels: while times are written the places of values are fetched. */
static void fetch_packers(const struct rows *rows, const struct row_kind *kind)
{
	for (size_t slot = 0; slot < kind->n_metrics; slot++) {
		const struct packer *const p = rows->cells[kind->metrics[slot]].values;
		__builtin_prefetch(p);
		__builtin_prefetch(p + 1); /* it may lie across two lines of the cache */
	}
}

/* Rows [first, first + n) of a channel, column by column: those of one column go to the same place. */
static void write_rows(const struct columns *to, const struct channel_rows *c, size_t first, size_t n)
{
	const struct constant_cell *constant = c->constants, *const last = constant + c->n_constants;
	const struct row_kind *const kind = &to->kind;
	struct rows *const rows = to->rows;
	const bool is_pack = n == PACK && rows->n % PACK == 0;
	struct row_column column = times_of(c, to->set_back);
	size_t k = 0;

	fetch_packers(rows, kind);
	if (is_pack)
		write_pack(&rows->times, &column, first);
	else
		write_column(&rows->times, &column, first, n);
	for (size_t slot = 0; slot < kind->n_metrics; slot++) {
		struct packer *const values = rows->cells[kind->metrics[slot]].values;
		if (constant < last && constant->slot == slot) {
			packer_add_same(values, constant++->value, n);
			continue;
		}
		column = values_of(c, k++, kind->units[slot]);
		if (is_pack)
			write_pack(values, &column, first);
		else
			write_column(values, &column, first, n);
	}
	rows->n += n;
	rows->current = rows->n - 1;
}

/* From row `first` on so many that the last one fills a pack, and then whole packs; returns the first that is left. */
static size_t write_packs(const struct columns *to, const struct channel_rows *c, size_t first)
{
	size_t n = PACK - to->rows->n % PACK;

	for (; first + n <= c->n; first += n, n = PACK)
		write_rows(to, c, first, n);
	return first;
}

/* ------ rows that wait for more ------ */

/*
 * Of many channels each has its columns in other places, and to go there costs more than to write a few rows. So these wait until they
 * are a whole pack, which is then written at once. Rows of all channels come at the same times: some wait a little longer, each of WAYS
 * channels for another number of rows, so that no block takes much longer than the next.
 */
#define WAYS ((size_t)8)

static size_t enough_waiting(size_t channel)
{
	return PACK + channel % WAYS * (PACK / WAYS);
}

/* Rows [first, first + n) come behind those that wait. */
static void append_waiting(struct channel_rows *w, const struct channel_rows *c, size_t first, size_t n)
{
	const size_t used = w->n * c->stride, n_bytes = n * c->stride;

	if (!n)
		return;
	w->bytes = grow(w->bytes, &w->room, used + n_bytes, 1);
	memcpy(w->bytes + used, c->bytes + first * c->stride, n_bytes);
	w->n += n;
	w->stride = c->stride;
	w->last = row_time_in(w, w->n - 1);
	w->constants = c->constants;
	w->n_constants = c->n_constants;
}

static void write_waiting(const struct columns *to)
{
	struct channel_rows *const w = &to->rows->waiting;

	if (w->n)
		write_rows(to, w, 0, w->n);
	w->n = 0;
}

/* Those of them that are whole packs. */
static void write_waiting_packs(const struct columns *to)
{
	struct channel_rows *const w = &to->rows->waiting;
	const size_t done = write_packs(to, w, 0);

	w->n -= done;
	memmove(w->bytes, w->bytes + done * w->stride, w->n * w->stride);
}

/* Many rows at once: those that wait get what they lack, and only what is left behind the last whole pack waits. */
static void write_many(const struct columns *to, const struct channel_rows *c)
{
	struct channel_rows *const w = &to->rows->waiting;
	const size_t n_lacking = w->n ? PACK - (to->rows->n + w->n) % PACK : 0;

	append_waiting(w, c, 0, n_lacking);
	if (w->n)
		write_waiting_packs(to);
	const size_t done = write_packs(to, c, n_lacking);
	append_waiting(w, c, done, c->n - done);
}

static void take_channel(struct sheet *s, const struct row_block *b, size_t channel, bool more_come)
{
	const struct channel_rows *const c = &b->of[channel];
	const struct columns to = { s->rows[channel], b->kind, s->set_back };
	struct channel_rows *const w = &to.rows->waiting;

	if (!more_come || c->is_wide) {
		write_waiting(&to);
		write_rows(&to, c, 0, c->n);
	} else if (c->n >= PACK) {
		write_many(&to, c);
	} else {
		append_waiting(w, c, 0, c->n);
		if (w->n >= enough_waiting(channel))
			write_waiting_packs(&to);
	}
}

/* Of many channels the rows of the next one are fetched, and the room for them; what tells where these are, of the one behind it. */
#define CHANNELS_CACHED ((size_t)32)
#define CACHE_LINE ((size_t)64) /* bytes; where it has more or less, what is fetched too often or not at all costs little */

static void fetch_channels(const struct sheet *s, const struct row_block *b, size_t i)
{
	if (b->n_touched <= CHANNELS_CACHED || i + 2 >= b->n_touched)
		return;
	const struct channel_rows *const behind = &s->rows[b->touched[i + 2]]->waiting;
	const struct channel_rows *const c = &b->of[b->touched[i + 1]], *const w = &s->rows[b->touched[i + 1]]->waiting;

	__builtin_prefetch(behind);
	__builtin_prefetch(behind + 1);
	for (size_t k = 0; k < c->n * c->stride; k += CACHE_LINE) {
		__builtin_prefetch(c->bytes + k);
		if (w->n)
			__builtin_prefetch(w->bytes + w->n * w->stride + k, 1);
	}
}

/* The row written last of the channel that rows came of last. */
static void note_last(struct sheet *s)
{
	const struct rows *const rows = s->rows[s->current];

	s->last = row_time(rows, rows->n - 1);
	s->step = s->last - row_time(rows, rows->n - 2);
}

static void take_steady_rows(struct sheet *s, const struct row_block *b, bool more_come)
{
	sheet_time_events(s, row_time_in(&b->of[b->channels[0]], 0) + s->set_back);
	for (size_t i = 0; i < b->n_touched; i++) {
		fetch_channels(s, b, i);
		take_channel(s, b, b->touched[i], more_come);
	}
	s->n_kept += b->n;
	sheet_note_lines(s, b);
	s->current = b->channels[b->n - 1];
	s->rows_wait = more_come;
	s->kind = b->kind;
	if (!more_come)
		note_last(s);
}

void sheet_rows_end(struct sheet *s)
{
	if (!s->rows_wait)
		return;
	for (size_t i = 0; i < s->n; i++)
		write_waiting(&(struct columns){ s->rows[i], s->kind, s->set_back });
	s->rows_wait = false;
	note_last(s);
}

/* ------ one by one ------ */

static fixed value_in(const struct channel_rows *c, size_t k, fixed unit, size_t i)
{
	const struct row_column column = values_of(c, k, unit);
	fixed value;

	read_column(&value, &column, i, 1);
	return value;
}

static void take_row(struct sheet *s, const struct row_block *b, size_t channel, size_t i)
{
	const struct channel_rows *const c = &b->of[channel];
	const struct constant_cell *constant = c->constants, *const last = constant + c->n_constants;
	struct rows *const rows = s->rows[channel];
	size_t k = 0;

	sheet_row(s, channel, row_time_in(c, i));
	for (size_t slot = 0; slot < b->kind.n_metrics; slot++) {
		const bool is_constant = constant < last && constant->slot == slot;
		const fixed value = is_constant ? constant++->value : value_in(c, k++, b->kind.units[slot], i);
		packer_set(rows->cells[b->kind.metrics[slot]].values, rows->current, value);
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
				sheet_absent_in(s, b->touched[i], b->kind.metrics[c->constants[k].slot], c->constants[k].reason, c->n);
	}
}

void sheet_rows(struct sheet *s, const struct row_block *b, bool more_come)
{
	if (!b->n)
		return;
	const bool is_steady = s->n_kept + b->n <= s->n_most && go_on_steadily(s, b);
	if (!is_steady || !more_come)
		sheet_rows_end(s);
	if (is_steady)
		take_steady_rows(s, b, more_come);
	else
		take_rows_singly(s, b, s->r->lines->line + 1 - (int64_t)b->n);
	count_absent(s, b);
}
