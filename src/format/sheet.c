/*
 * sheet.c - a recording in the making: rows and cells as they come in.
 *
 * Every channel keeps its times and one column a metric, packed while they come in (base/packed.h): what is read of a large
 * log is never in memory as it will not stay.
 *
 * What a clock shows becomes elapsed time while rows come in, since only the order in the file tells the hour that comes twice:
 *
 *     2026-10-25 02:59:59      02:59:59      the clock is set back by an hour:
 *     2026-10-25 02:00:00      03:00:00      time goes on
 *
 * Rows in blocks: sheet_rows.c. How a text becomes a cell: sheet_cell.c. What is done at the end, with all rows: sheet_finish.c.
 */
#include "format/sheet_parts.h"
#include "format/stamped.h"

#include "metric/identity.h"

struct sheet *sheet_new(struct reading *r)
{
	struct sheet *s = NEW(r->scratch, struct sheet);

	s->r = r;
	r->sheet = s;
	s->last = TIME_UNKNOWN;
	s->first = TIME_UNKNOWN;
	s->n_most = SIZE_MAX;
	return s;
}

static bool is_same(const struct entity *a, const struct entity *b)
{
	if (a->scope != b->scope || (a->host != b->host && strcmp(a->host ? a->host : "", b->host ? b->host : "") != 0))
		return false;
	return a->scope == SCOPE_GPU ? gpu_is_same(a, b) : a->index == b->index;
}

#define OVER_MOST (2 * MAX_CHANNELS) /* by then this is no log, and to seek each new name among all would take hours */

size_t sheet_channel(struct sheet *s, const struct entity *e)
{
	const size_t n_tries = s->n_over < OVER_MOST ? s->n : 1;

	/* rows of a poll come in the same order every time: the next channel is the likely one */
	size_t channel = s->current;
	for (size_t i = 0; i < n_tries; i++) {
		channel = channel + 1 < s->n ? channel + 1 : 0;
		if (is_same(&s->rows[channel]->entity, e)) {
			gpu_learn(&s->rows[channel]->entity, e);
			return channel;
		}
	}
	if (s->n == MAX_CHANNELS) {
		s->n_over++;
		diag_repeat(s->r->diags, (struct place){ s->r->lines->path, s->r->lines->line, 0 }, DIAG_LIMIT, "channels",
			"more than %d GPUs or cores in one log", MAX_CHANNELS);
		return SIZE_MAX;
	}
	struct rows *rows = NEW(s->r->scratch, struct rows);
	rows->entity = *e;
	rows->begin = TIME_UNKNOWN;
	rows->packs = NEW(s->r->scratch, struct arena);
	rows->thinned = NEW(s->r->scratch, struct arena);
	arena_init(rows->packs);
	arena_init(rows->thinned);
	rows->times = packer_new(rows->packs, true);
	s->rows = grow(s->rows, &s->room, s->n + 1, sizeof(struct rows *));
	s->rows[s->n] = rows;
	return s->n++;
}

/* What is opened now is of the line read last, mostly. */
static void note_stamp(const struct sheet *s, time_ms t)
{
	if (s->r->stamped && !s->is_elsewhere)
		stamped_row(s->r->stamped, t);
}

void sheet_begin(struct sheet *s, size_t channel, time_ms begin)
{
	if (channel != SIZE_MAX && !s->rows[channel]->n && s->rows[channel]->begin == TIME_UNKNOWN)
		s->rows[channel]->begin = begin;
	note_stamp(s, begin);
}

void sheet_time_events(struct sheet *s, time_ms t)
{
	for (; s->n_timed < s->n_events; s->n_timed++)
		if (s->events[s->n_timed].t == TIME_UNKNOWN)
			s->events[s->n_timed].t = t;
	s->last = t;
}

/* Daylight saving begins and ends on a full hour of the night, from 0:00 to 4:00 as the clock counted before. */
#define LAST_CHANGE_HOUR (4 * HOUR_MS)
#define MOST_SET_BACK (30 * HOUR_MS) /* thirty autumns */

static const time_ms changes[] = { HOUR_MS, HOUR_MS / 2 };

/* How the rows before followed each other: the channel's last step, or what another channel or the first header tell. */
static time_ms step_before(const struct sheet *s, const struct rows *rows)
{
	const size_t i = rows->current;

	if (i && row_time(rows, i) > row_time(rows, i - 1))
		return row_time(rows, i) - row_time(rows, i - 1);
	if (!i && rows->begin != TIME_UNKNOWN && rows->begin < row_time(rows, 0))
		return row_time(rows, 0) - rows->begin;
	return s->step;
}

/* Is there a full hour of the night after `from`, up to `to`? */
static bool passes_change_hour(time_ms from, time_ms to)
{
	const time_ms hour = to - (to % HOUR_MS + HOUR_MS) % HOUR_MS;

	return hour > from && (hour % DAY_MS + DAY_MS) % DAY_MS <= LAST_CHANGE_HOUR;
}

/*
 * By how much a clock was set between two rows that it shows at `from` and `to`, back (1) or ahead (-1), if what is left
 * is an ordinary step, or one poll missed; else 0.
 */
static time_ms change_between(time_ms from, time_ms to, time_ms step, int direction)
{
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		const time_ms elapsed = to - from + direction * changes[i];
		if (elapsed > 0 && elapsed <= 2 * step && passes_change_hour(from, from + elapsed))
			return changes[i];
	}
	return 0;
}

/* The row before had jumped ahead, and t goes on from the row before that: then it was damaged, and no clock was set. */
static bool comes_back(const struct rows *rows, time_ms t)
{
	const size_t i = rows->current;

	if (i < 2)
		return false;
	const time_ms before = row_time(rows, i - 1), step = before - row_time(rows, i - 2);
	return t > before && t - before <= (HOLE_STEPS + 1) * step && row_time(rows, i) > t + JITTER_STEPS * step;
}

/*
 * What the clock shows, as elapsed time: at the end of daylight saving it falls by an hour between two rows at an ordinary
 * step, and the hour that follows is not the one before. The begin is only noted, since a hole looks the same.
 */
static time_ms elapsed_time(struct sheet *s, const struct rows *rows, time_ms t)
{
	struct clock_note *clock = &s->r->recording->clock;
	const time_ms step = rows->n ? step_before(s, rows) : 0;

	if (!step || clock->basis == BASIS_UTC || clock->basis == BASIS_OFFSET)
		return t + s->set_back;
	const time_ms last = row_time(rows, rows->current), shown = last - s->set_back;
	const bool may_be_back = t < shown && !comes_back(rows, t + s->set_back);
	const time_ms back = may_be_back ? change_between(shown, t, step, 1) : 0;
	if (back && s->set_back < MOST_SET_BACK) {
		s->set_back += back;
		if (!clock->back.at)
			clock->back = (struct clock_change){ t + s->set_back, back, clock->date_swap };
	}
	const time_ms ahead = t > shown && !clock->ahead.at ? change_between(shown, t, step, -1) : 0;
	if (ahead)
		clock->ahead = (struct clock_change){ t + s->set_back, ahead, clock->date_swap };
	return t + s->set_back;
}

/* What to add to the row just opened if day and month are the other way, as the banner before it says. */
static void note_swap(const struct sheet *s, struct rows *rows)
{
	const time_ms swap = s->r->recording->clock.date_swap;

	if (rows->n == 1)
		rows->swap = swap;
	if (!rows->swaps && swap == rows->swap)
		return;
	const bool fresh = !rows->swaps;
	rows->swaps = grow(rows->swaps, &rows->swaps_room, rows->n, sizeof *rows->swaps);
	for (size_t i = 0; fresh && i < rows->n; i++)
		rows->swaps[i] = rows->swap;
	rows->swaps[rows->n - 1] = swap;
}

/* In which what is put now stands; 0 = not known. */
static int64_t line_now(const struct sheet *s)
{
	return s->is_elsewhere ? s->line : s->r->lines->line;
}

static void open_row(struct sheet *s, size_t channel, time_ms t)
{
	struct rows *rows = s->rows[channel];
	const int64_t line = line_now(s);

	note_stamp(s, t);
	lines_row_used(s->r->lines, line);
	if (s->n_kept >= s->n_most)
		sheet_make_room(s);
	if (s->first == TIME_UNKNOWN)
		s->first = t;
	if (rows->n) {
		const time_ms step = t - row_time(rows, rows->current);
		rows->may_step_back |= step <= 0 || rows->current + 1 < rows->n;
		s->step = step > 0 ? step : s->step;
		if (t < row_time(rows, rows->n - 1))
			sheet_note_back(rows, line);
	}
	packer_add(&rows->times, t);
	for (size_t i = 0; i < rows->n_columns; i++)
		packer_add(rows->cells[rows->columns[i]].values, FIXED_MISSING);
	if (!rows->n)
		rows->first_line = line;
	rows->current = rows->n++;
	s->n_kept++;
	rows->line_before = rows->line;
	rows->line = line;
	if (rows->may_step_back)
		sheet_note_behind(rows);
	note_swap(s, rows);
	s->current = channel;
	sheet_time_events(s, t);
}

void sheet_row(struct sheet *s, size_t channel, time_ms t)
{
	open_row(s, channel, elapsed_time(s, s->rows[channel], t));
}

void sheet_poll(struct sheet *s, time_ms t)
{
	note_stamp(s, t);
}

void sheet_line(struct sheet *s, int64_t line)
{
	s->is_elsewhere = true;
	s->line = line;
}

void sheet_line_read(struct sheet *s)
{
	s->is_elsewhere = false;
}

/* The row of this time, or rows->n. Sections come in the same order of times, so the next row is the likely one. */
static size_t row_find(const struct rows *rows, time_ms t)
{
	size_t low = 0, high = rows->n;

	if (!rows->n || t > row_time(rows, rows->n - 1))
		return rows->n;
	for (size_t i = rows->current; i < rows->n && i < rows->current + 2; i++)
		if (row_time(rows, i) == t)
			return i;
	while (low < high) { /* where time stepped back this may miss: then the row is a double, as ever */
		size_t middle = low + (high - low) / 2;
		if (row_time(rows, middle) < t)
			low = middle + 1;
		else
			high = middle;
	}
	return low < rows->n && row_time(rows, low) == t ? low : rows->n;
}

/* A section that begins again, in a log of several, begins before the clock was set back. */
static time_ms elapsed_time_at(struct sheet *s, const struct rows *rows, time_ms t)
{
	if (s->set_back && t == s->first)
		s->set_back = 0;
	const time_ms elapsed = elapsed_time(s, rows, t);
	if (s->set_back && rows->n && elapsed < row_time(rows, rows->current) && row_find(rows, t) < rows->n)
		s->set_back = 0;
	return t + s->set_back;
}

void sheet_row_at(struct sheet *s, size_t channel, time_ms t)
{
	struct rows *rows = s->rows[channel];

	t = elapsed_time_at(s, rows, t);
	size_t row = row_find(rows, t);
	if (row == rows->n) {
		open_row(s, channel, t);
		return;
	}
	lines_row_used(s->r->lines, s->r->lines->line);
	rows->current = row;
	s->current = channel;
	sheet_time_events(s, t);
	s->r->recording->n_rows_ignored++;
}

/* A column as long as there are rows; those before its first cell are missing. */
static void column_new(struct sheet *s, struct rows *rows, enum metric metric)
{
	struct cells *c = &rows->cells[metric];

	rows->columns[rows->n_columns++] = metric;
	c->seen = NOTHING_SEEN;
	c->values = NEW(s->r->scratch, struct packer);
	*c->values = packer_new(rows->packs, false);
	for (size_t i = 0; i < rows->n; i++)
		packer_add(c->values, FIXED_MISSING);
}

static struct cells *column_of(struct sheet *s, struct rows *rows, enum metric metric)
{
	struct cells *c = &rows->cells[metric];

	if (!c->values)
		column_new(s, rows, metric);
	return c;
}

void sheet_put_possible(struct sheet *s, enum metric metric, fixed value, int decimals)
{
	struct rows *rows = s->rows[s->current];
	struct cells *c = &rows->cells[metric];

	if (!c->values)
		column_new(s, rows, metric);
	packer_set(c->values, rows->current, value);
	if (decimals > c->decimals)
		c->decimals = decimals;
}

void sheet_put(struct sheet *s, enum metric metric, fixed value, int decimals)
{
	if (value == FIXED_MISSING || is_possible(metric, value))
		sheet_put_possible(s, metric, value, decimals);
	else
		sheet_absent(s, metric, ABSENT_OUT_OF_RANGE);
}

void sheet_absent(struct sheet *s, enum metric metric, enum absence reason)
{
	struct rows *rows = s->rows[s->current];

	column_of(s, rows, metric)->n_absent++;
	column_of(s, rows, metric)->n_impossible += reason == ABSENT_OUT_OF_RANGE;
	s->r->recording->absences[reason]++;
}

void sheet_absent_in(struct sheet *s, size_t channel, enum metric metric, enum absence reason, size_t n)
{
	struct cells *const cells = column_of(s, s->rows[channel], metric);

	cells->n_absent += n;
	cells->n_impossible += reason == ABSENT_OUT_OF_RANGE ? n : 0;
	s->r->recording->absences[reason] += n;
}

const struct entity *sheet_entity(const struct sheet *s, size_t channel)
{
	return &s->rows[channel]->entity;
}

void sheet_rename(struct sheet *s, size_t channel, const struct entity *e)
{
	s->rows[channel]->entity = *e;
}

bool sheet_leave_first(struct sheet *s, size_t channel)
{
	struct rows *const rows = s->rows[channel];

	if (rows->n_thinned)
		return false;
	if (rows->n == 1)
		rows->n = 0;
	rows->leaves_first = rows->n > 0;
	s->r->recording->n_rows_bad++;
	return true;
}

void sheet_retime(struct sheet *s, time_ms (*to)(const void *of, time_ms t), const void *of)
{
	for (size_t i = 0; i < s->n; i++) {
		struct rows *const rows = s->rows[i];
		rows->may_step_back = true;
		if (rows->begin != TIME_UNKNOWN)
			rows->begin = to(of, rows->begin);
		for (size_t k = 0; k < rows->n; k++)
			packer_set(&rows->times, k, to(of, row_time(rows, k)));
	}
	for (size_t i = 0; i < s->n_events; i++)
		if (s->events[i].t != TIME_UNKNOWN)
			s->events[i].t = to(of, s->events[i].t);
	if (s->last != TIME_UNKNOWN)
		s->last = to(of, s->last);
}

void sheet_doubt_dates(struct sheet *s, time_ms swap)
{
	struct clock_note *const clock = &s->r->recording->clock;

	clock->date_ambiguous = true;
	clock->date_swap = swap;
	if (clock->back.at)
		clock->back.swap = swap;
	if (clock->ahead.at)
		clock->ahead.swap = swap;
	for (size_t i = 0; i < s->n; i++)
		s->rows[i]->swap = swap;
}

/* The row again, in the row opened last. `n_absent`, by metric: how many cells without value are still to be told of. */
static void copy_cells(struct sheet *s, const struct rows *from, size_t row, size_t n_absent[N_METRICS])
{
	for (int m = 0; m < N_METRICS; m++) {
		const struct cells *c = &from->cells[m];
		if (!c->values)
			continue;
		const fixed value = packer_at(c->values, row);
		if (value != FIXED_MISSING) {
			sheet_put(s, (enum metric)m, value, c->decimals);
		} else if (n_absent[m]) { /* else there was no such column yet */
			column_of(s, s->rows[s->current], (enum metric)m)->n_absent++;
			n_absent[m]--;
		}
	}
}

void sheet_deal(struct sheet *s, size_t channel, const size_t *gpus, const time_ms *times)
{
	struct rows *all = s->rows[channel];
	size_t n = all->n, n_absent[N_METRICS];

	for (size_t m = 0; m < N_METRICS; m++)
		n_absent[m] = all->cells[m].n_absent;
	if (s->last != TIME_UNKNOWN)
		sheet_time_events(s, s->last);
	sheet_line(s, 0);
	all->entity.index = -1; /* so that nothing is found to be the same GPU */
	for (size_t i = 0; i < n; i++) {
		struct entity gpu = all->entity;
		gpu.index = (int)gpus[i];
		size_t to = gpus[i] == SIZE_MAX ? SIZE_MAX : sheet_channel(s, &gpu);
		if (to == SIZE_MAX) {
			s->r->recording->n_rows_bad++;
			continue;
		}
		open_row(s, to, times[i]); /* times are elapsed ones already */
		copy_cells(s, all, i, n_absent);
	}
	sheet_line_read(s);
	for (int m = 0; m < N_METRICS; m++) /* those of rows of nobody: their reasons are counted already */
		if (n_absent[m])
			column_of(s, s->rows[s->current], (enum metric)m)->n_absent += n_absent[m];
	all->n = 0;
}

bool sheet_reject(struct sheet *s, struct place place, enum diag_code code, const char *format, ...)
{
	va_list arguments;

	s->r->recording->n_rows_bad++;
	if (diag_is_repeat(s->r->diags, place.path, code, "rows"))
		return false;
	va_start(arguments, format);
	const char *text = arena_vprint(s->r->mem, format, arguments);
	va_end(arguments);
	const size_t n_told = s->r->diags->n;
	diag_repeat(s->r->diags, place, code, "rows", "%s", text);
	if (s->r->diags->n > n_told && s->r->lines->line == place.line && s->r->lines->text.n)
		diag_excerpt(s->r->diags, lines_whole_text(s->r->lines), 1);
	return false;
}

bool sheet_reject_cells(struct sheet *s, struct place place, size_t n, size_t n_heads)
{
	return sheet_reject(s, place, DIAG_BAD_ROW, "%zu cell%s where the header has %zu; row not used", n, plural_s(n), n_heads);
}

void sheet_spread(struct sheet *s)
{
	s->spreads = true;
}

bool sheet_takes_line(struct sheet *s)
{
	struct place place = { s->r->lines->path, s->r->lines->line, 0 };

	switch (s->r->lines->state) {
	case LINE_TOO_LONG:
		return sheet_reject(s, place, DIAG_LONG_LINE, "a line over %s; not used",
			limit_text(s->r->mem, s->r->lines->limits, LIMIT_LINE));
	case LINE_HAS_NUL:
		return sheet_reject(s, place, DIAG_NUL_BYTES, "a line with NUL bytes; not used");
	case LINE_LAST_UNENDED:
		s->r->recording->cut = true;
		return sheet_reject(s, place, DIAG_CUT_ROW,
			"the last line has no line end, so it may be cut inside a number; not used");
	case LINE_WHOLE:
		break;
	}
	return true;
}

#define EVENT_TEXT_BYTES ((size_t)300)

void sheet_event(struct sheet *s, enum event_kind kind, const struct entity *e, time_ms t, int code, struct slice text)
{
	if (s->n_events == MAX_EVENTS) {
		diag_repeat(s->r->diags, (struct place){ s->r->lines->path, s->r->lines->line, 0 }, DIAG_LIMIT, "events",
			"more than %d events in one log", MAX_EVENTS);
		return;
	}
	s->events = grow(s->events, &s->events_room, s->n_events + 1, sizeof *s->events);
	s->event_notes = grow(s->event_notes, &s->notes_room, s->n_events + 1, sizeof *s->event_notes);
	s->event_notes[s->n_events] = (struct event_note){ s->r->recording->clock.date_swap, line_now(s) };
	text = slice_trim(text);
	s->events[s->n_events++] = (struct event){ kind, *e, t, code,
		arena_text(s->r->mem, text.p, text.n < EVENT_TEXT_BYTES ? text.n : EVENT_TEXT_BYTES) };
}
