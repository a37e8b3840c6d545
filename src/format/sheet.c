/*
 * sheet.c - a recording in the making.
 *
 * Every channel keeps its times and one growing array a metric; both are plain memory that is
 * given back at the end, because doubling inside an arena would cost twice the live bytes for good.
 *
 * What a clock shows becomes elapsed time while rows come in, since only the order in the file tells the hour that comes twice:
 *
 *     2026-10-25 02:59:59      02:59:59      the clock is set back by an hour:
 *     2026-10-25 02:00:00      03:00:00      time goes on
 *
 * At the end day and month are settled, for all dates alike. Then, channel by channel: polls with one stamp are spread over
 * its second; rows are put in order of time; those of one time, or of a stretch that is told again, are left out and
 * counted; rows that describe the interval before them move to its begin. A file of which hardly any row fits is no log.
 */
#include "format/sheet.h"

#include "metric/identity.h"

#include <math.h>
#include <stdlib.h>

struct cells {
	fixed *values; /* NULL: this channel has no such column */
	size_t room;
	int decimals;
	size_t n_absent, n_impossible;
};

struct rows { /* a channel in the making */
	struct entity entity;
	time_ms *times;
	size_t n, room;
	size_t current; /* the row that cells go to */
	time_ms begin; /* of the first row's interval, or TIME_UNKNOWN */
	time_ms swap;  /* of all rows, while `swaps` is NULL */
	time_ms *swaps;
	size_t swaps_room;
	struct cells cells[N_METRICS];
	enum metric columns[N_METRICS]; /* those that have values: every row goes through them */
	size_t n_columns;
};

struct sheet {
	struct reading *r;
	struct rows **rows;
	size_t n, room;
	size_t current; /* channel of the row opened last */
	struct event *events;
	size_t n_events, events_room;
	time_ms *event_swaps; /* beside events, what to add if day and month are the other way */
	size_t swaps_room;
	size_t n_timed; /* events that have their time; those behind wait for the next row */
	time_ms last;   /* of the row opened last, or TIME_UNKNOWN */
	bool spreads;   /* sheet_spread() was called */
	time_ms first;  /* of the first row, or TIME_UNKNOWN */
	time_ms step;   /* between the last two rows of a channel that were apart, or 0 */
	time_ms set_back; /* how far the clock was set back so far: what local times lack of elapsed time */
	size_t n_over;    /* rows of entities over MAX_CHANNELS */
};

struct sheet *sheet_new(struct reading *r)
{
	struct sheet *s = NEW(r->mem, struct sheet);

	s->r = r;
	r->sheet = s;
	s->last = TIME_UNKNOWN;
	s->first = TIME_UNKNOWN;
	return s;
}

static bool is_same(const struct entity *a, const struct entity *b)
{
	if (a->scope != b->scope || strcmp(a->host ? a->host : "", b->host ? b->host : "") != 0)
		return false;
	return a->scope == SCOPE_GPU ? gpu_is_same(a, b) : a->index == b->index;
}

#define OVER_MOST (2 * MAX_CHANNELS) /* by then this is no log, and to seek each new name among all would take hours */

size_t sheet_channel(struct sheet *s, const struct entity *e)
{
	const size_t n_tries = s->n_over < OVER_MOST ? s->n : 1;

	/* rows of a poll come in the same order every time: the next channel is the likely one */
	for (size_t i = 0; i < n_tries; i++) {
		size_t channel = (s->current + 1 + i) % s->n;
		if (is_same(&s->rows[channel]->entity, e)) {
			gpu_learn(&s->rows[channel]->entity, e);
			return channel;
		}
	}
	if (s->n == MAX_CHANNELS) {
		s->n_over++;
		diag_repeat(s->r->diags, (struct place){ s->r->lines->path, s->r->lines->line, 0 }, DIAG_LIMIT, "channels",
			"more than %zu GPUs or cores in one log", MAX_CHANNELS);
		return SIZE_MAX;
	}
	struct rows *rows = NEW(s->r->mem, struct rows);
	rows->entity = *e;
	rows->begin = TIME_UNKNOWN;
	s->rows = grow(s->rows, &s->room, s->n + 1, sizeof(struct rows *));
	s->rows[s->n] = rows;
	return s->n++;
}

void sheet_begin(struct sheet *s, size_t channel, time_ms begin)
{
	if (channel != SIZE_MAX && !s->rows[channel]->n && s->rows[channel]->begin == TIME_UNKNOWN)
		s->rows[channel]->begin = begin;
}

static void time_events(struct sheet *s, time_ms t)
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

	if (i && rows->times[i] > rows->times[i - 1])
		return rows->times[i] - rows->times[i - 1];
	if (!i && rows->begin != TIME_UNKNOWN && rows->begin < rows->times[0])
		return rows->times[0] - rows->begin;
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
	const time_ms last = rows->times[rows->current], shown = last - s->set_back;
	const time_ms back = t < shown ? change_between(shown, t, step, 1) : 0;
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

static void open_row(struct sheet *s, size_t channel, time_ms t)
{
	struct rows *rows = s->rows[channel];

	if (s->first == TIME_UNKNOWN)
		s->first = t;
	if (rows->n && t > rows->times[rows->current])
		s->step = t - rows->times[rows->current];
	rows->times = grow(rows->times, &rows->room, rows->n + 1, sizeof(time_ms));
	rows->times[rows->n] = t;
	for (size_t i = 0; i < rows->n_columns; i++) {
		struct cells *c = &rows->cells[rows->columns[i]];
		c->values = grow(c->values, &c->room, rows->n + 1, sizeof(fixed));
		c->values[rows->n] = FIXED_MISSING;
	}
	rows->current = rows->n++;
	note_swap(s, rows);
	s->current = channel;
	time_events(s, t);
}

void sheet_row(struct sheet *s, size_t channel, time_ms t)
{
	open_row(s, channel, elapsed_time(s, s->rows[channel], t));
}

/* The row of this time, or rows->n. Sections come in the same order of times, so the next row is the likely one. */
static size_t row_find(const struct rows *rows, time_ms t)
{
	size_t low = 0, high = rows->n;

	if (!rows->n || t > rows->times[rows->n - 1])
		return rows->n;
	for (size_t i = rows->current; i < rows->n && i < rows->current + 2; i++)
		if (rows->times[i] == t)
			return i;
	while (low < high) { /* where time stepped back this may miss: then the row is a double, as ever */
		size_t middle = low + (high - low) / 2;
		if (rows->times[middle] < t)
			low = middle + 1;
		else
			high = middle;
	}
	return low < rows->n && rows->times[low] == t ? low : rows->n;
}

/* A section that begins again, in a log of several, begins before the clock was set back. */
static time_ms elapsed_time_at(struct sheet *s, const struct rows *rows, time_ms t)
{
	if (s->set_back && t == s->first)
		s->set_back = 0;
	const time_ms elapsed = elapsed_time(s, rows, t);
	if (s->set_back && rows->n && elapsed < rows->times[rows->current] && row_find(rows, t) < rows->n)
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
	rows->current = row;
	s->current = channel;
	time_events(s, t);
	s->r->recording->n_rows_ignored++;
}

/* The column's array, long enough for the current row; rows before its first cell are missing. */
static struct cells *column_of(struct rows *rows, enum metric metric)
{
	struct cells *c = &rows->cells[metric];

	if (!c->values) {
		rows->columns[rows->n_columns++] = metric;
		c->values = grow(NULL, &c->room, rows->n, sizeof(fixed));
		for (size_t i = 0; i < rows->n; i++)
			c->values[i] = FIXED_MISSING;
	}
	return c;
}

/* What a log says that was cut and joined again may be impossible in ways that no reader thinks of. */
static bool is_possible(enum metric metric, fixed value)
{
	const struct metric_row *row = &metric_table[metric];

	return value == FIXED_MISSING || (fixed_value(value) >= row->low && fixed_value(value) <= row->high);
}

void sheet_put(struct sheet *s, enum metric metric, fixed value, int decimals)
{
	struct rows *rows = s->rows[s->current];
	struct cells *c = column_of(rows, metric);

	if (!is_possible(metric, value)) {
		sheet_absent(s, metric, ABSENT_OUT_OF_RANGE);
		return;
	}
	c->values[rows->current] = value;
	if (decimals > c->decimals)
		c->decimals = decimals;
}

void sheet_absent(struct sheet *s, enum metric metric, enum absence reason)
{
	struct rows *rows = s->rows[s->current];

	column_of(rows, metric)->n_absent++;
	column_of(rows, metric)->n_impossible += reason == ABSENT_OUT_OF_RANGE;
	s->r->recording->absences[reason]++;
}

void sheet_retime(struct sheet *s, time_ms (*to)(time_ms))
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->rows[i]->n; k++)
			s->rows[i]->times[k] = to(s->rows[i]->times[k]);
	for (size_t i = 0; i < s->n_events; i++)
		if (s->events[i].t != TIME_UNKNOWN)
			s->events[i].t = to(s->events[i].t);
	if (s->last != TIME_UNKNOWN)
		s->last = to(s->last);
}

/* The row again, in the row opened last. `n_absent`, by metric: how many cells without value are still to be told of. */
static void copy_cells(struct sheet *s, const struct rows *from, size_t row, size_t n_absent[N_METRICS])
{
	for (int m = 0; m < N_METRICS; m++) {
		const struct cells *c = &from->cells[m];
		if (!c->values)
			continue;
		if (c->values[row] != FIXED_MISSING) {
			sheet_put(s, (enum metric)m, c->values[row], c->decimals);
		} else if (n_absent[m]) { /* else there was no such column yet */
			column_of(s->rows[s->current], (enum metric)m)->n_absent++;
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
		time_events(s, s->last);
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
	for (int m = 0; m < N_METRICS; m++) /* those of rows of nobody: their reasons are counted already */
		if (n_absent[m])
			column_of(s->rows[s->current], (enum metric)m)->n_absent += n_absent[m];
	all->n = 0;
}

static bool absence_find(const struct absence_word *words, struct slice cell, enum absence *reason)
{
	if (cell.p[0] >= '0' && cell.p[0] <= '9') /* most cells are numbers, and no such word begins like one */
		return false;
	for (; words && words->word; words++) {
		if (slice_is_nocase(cell, words->word)) {
			*reason = words->reason;
			return true;
		}
	}
	/* any other bracketed text is a driver's error string (formats.md A1.2) */
	if (cell.n > 2 && cell.p[0] == '[' && cell.p[cell.n - 1] == ']') {
		*reason = ABSENT_ERROR;
		return true;
	}
	return false;
}

#define FIXED_DIGITS 6 /* more are not kept (base/number.h) */

static int decimals_of(struct slice cell)
{
	const char *point = cell.n ? memchr(cell.p, '.', cell.n) : NULL;
	int n = 0;

	if (!point)
		return 0;
	for (const char *p = point + 1; p < cell.p + cell.n && n < FIXED_DIGITS && *p >= '0' && *p <= '9'; p++)
		n++;
	return n;
}

/* "Active", "P0", "0x4": metrics whose cells are no decimals. False: not that kind, or not readable. */
static bool special_parse(enum metric metric, struct slice cell, fixed *value)
{
	uint64_t mask;
	int64_t digits;

	if (metric == METRIC_GPU_THROTTLE && mask_parse(cell, &mask) && mask <= 0xFFFF) {
		*value = (fixed)mask * FIXED_ONE;
		return true;
	}
	if (metric == METRIC_GPU_PSTATE && cell.n > 1 && cell.p[0] == 'P' &&
		integer_parse((struct slice){ cell.p + 1, cell.n - 1 }, &digits) && digits < 16) {
		*value = digits * FIXED_ONE;
		return true;
	}
	if (metric_table[metric].unit == UNIT_BITS && (slice_is(cell, "Active") || slice_is(cell, "Not Active"))) {
		*value = slice_is(cell, "Active") ? FIXED_ONE : 0;
		return true;
	}
	return false;
}

/* To the metric's own unit; exact when the units agree, as they do in almost every log. */
static bool convert(fixed *value, enum unit from, enum unit to)
{
	if (from == to)
		return true;
	if (unit_table[from].dimension != unit_table[to].dimension)
		return false;
	double converted = (double)*value * unit_table[from].factor / unit_table[to].factor;
	if (fabs(converted) > 9e18)
		return false;
	*value = (fixed)llround(converted);
	return true;
}

/*
 * "12345678901234 us": in millionths of a microsecond that is too large, in those of a second it is not. Whole numbers only, and no
 * more than 53 bits of them count.
 */
static bool large_parse(struct slice cell, enum unit unit, enum unit to, fixed *value)
{
	size_t n_digits = 0;
	int64_t whole;

	while (n_digits < cell.n && cell.p[n_digits] >= '0' && cell.p[n_digits] <= '9')
		n_digits++;
	const struct slice rest = slice_trim((struct slice){ cell.p + n_digits, cell.n - n_digits });
	if (!integer_parse((struct slice){ cell.p, n_digits }, &whole) || (rest.n && !unit_find(rest, &unit)))
		return false;
	const double converted = (double)whole * FIXED_ONE * unit_table[unit].factor / unit_table[to].factor;
	if (unit_table[unit].dimension != unit_table[to].dimension || fabs(converted) > 9e18)
		return false;
	*value = (fixed)llround(converted);
	return true;
}

/* 8348694 us are 8.348694 s: what a coarser unit moves behind the point was written all the same. */
static int decimals_in(enum unit to, struct slice cell, enum unit from)
{
	const int written = decimals_of(cell);

	if (from == to)
		return written;
	const double moved = round(log10(unit_table[to].factor / unit_table[from].factor) * 1e9) / 1e9;
	const int all = written + (moved > 0 && moved == floor(moved) ? (int)moved : 0);
	return all < FIXED_DIGITS ? all : FIXED_DIGITS;
}

void sheet_cell(struct sheet *s, const struct spelling *column, enum unit unit, struct slice cell, struct place place)
{
	const struct metric_row *row = &metric_table[column->metric];
	struct diags *diags = s->r->diags;
	enum absence reason;
	struct slice rest;
	fixed value;

	cell = slice_trim(cell);
	if (!cell.n) {
		sheet_absent(s, column->metric, ABSENT_EMPTY);
		return;
	}
	if (absence_find(s->r->recording->format->absences, cell, &reason)) {
		sheet_absent(s, column->metric, reason);
		return;
	}
	if (special_parse(column->metric, cell, &value)) {
		sheet_put(s, column->metric, value, 0);
		return;
	}
	const bool is_number = row->unit != UNIT_BITS && fixed_parse(cell, &value, &rest);
	const bool is_large = !is_number && row->unit != UNIT_BITS && large_parse(cell, unit, row->unit, &value);
	if (!is_number && !is_large) {
		diag_repeat(diags, place, DIAG_BAD_NUMBER, column->head, "'%.*s' in %s", SLICE(cell), column->head);
		sheet_absent(s, column->metric, ABSENT_UNREADABLE);
		return;
	}
	bool other_unit = is_number && rest.n && !slice_is(rest, unit_table[unit].symbol); /* rarely: the head has said it */
	if ((other_unit && !unit_find(rest, &unit)) || (is_number && !convert(&value, unit, row->unit))) {
		diag_repeat(diags, place, DIAG_BAD_UNIT, column->head, "'%.*s' in %s, expected %s", SLICE(cell), column->head,
			*unit_table[row->unit].symbol ? unit_table[row->unit].symbol : "a plain number");
		sheet_absent(s, column->metric, ABSENT_UNREADABLE);
		return;
	}
	if (fixed_value(value) < row->low || fixed_value(value) > row->high) {
		diag_repeat(diags, place, DIAG_OUT_OF_RANGE, column->head, "'%.*s' in %s is impossible; treated as missing",
			SLICE(cell), column->head);
		sheet_absent(s, column->metric, ABSENT_OUT_OF_RANGE);
		return;
	}
	sheet_put(s, column->metric, value, is_large ? FIXED_DIGITS : decimals_in(row->unit, cell, unit));
}

const struct spelling *spelling_find(const struct spelling *columns, struct slice head)
{
	for (; columns->head; columns++)
		if (slice_is(head, columns->head))
			return columns;
	return NULL;
}

bool sheet_reject(struct sheet *s, struct place place, enum diag_code code, const char *format, ...)
{
	va_list arguments;

	s->r->recording->n_rows_bad++;
	va_start(arguments, format);
	const char *text = arena_vprint(s->r->mem, format, arguments);
	va_end(arguments);
	return diag_repeat(s->r->diags, place, code, "rows", "%s", text);
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
		return sheet_reject(s, place, DIAG_LONG_LINE, "a line over %zu KiB; not used", LINE_MAX_BYTES / 1024);
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

#define MAX_EVENTS ((size_t)10000) /* a GPU that dies in a loop repeats itself; what matters stands first */
#define EVENT_TEXT_BYTES ((size_t)300)

void sheet_event(struct sheet *s, enum event_kind kind, const struct entity *e, time_ms t, int code, struct slice text)
{
	if (s->n_events == MAX_EVENTS) {
		diag_repeat(s->r->diags, (struct place){ s->r->lines->path, s->r->lines->line, 0 }, DIAG_LIMIT, "events",
			"more than %zu events in one log", MAX_EVENTS);
		return;
	}
	s->events = grow(s->events, &s->events_room, s->n_events + 1, sizeof *s->events);
	s->event_swaps = grow(s->event_swaps, &s->swaps_room, s->n_events + 1, sizeof *s->event_swaps);
	s->event_swaps[s->n_events] = s->r->recording->clock.date_swap;
	text = slice_trim(text);
	s->events[s->n_events++] = (struct event){ kind, *e, t, code,
		arena_text(s->r->mem, text.p, text.n < EVENT_TEXT_BYTES ? text.n : EVENT_TEXT_BYTES) };
}

/* What qsort moves: a time and where its row stood. */
struct order {
	time_ms t;
	size_t row;
};

static int by_time(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static int by_length(const void *a, const void *b)
{
	const time_ms *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Lower median of the steps ahead; series/track.h has the same definition for tracks. */
static time_ms step_of(const struct order *order, size_t n, time_ms *room)
{
	size_t n_steps = 0;

	for (size_t i = 1; i < n; i++)
		if (order[i].t > order[i - 1].t)
			room[n_steps++] = order[i].t - order[i - 1].t;
	if (!n_steps)
		return 0;
	qsort(room, n_steps, sizeof *room, by_length);
	return room[(n_steps - 1) / 2];
}

#define MOST_STRETCHES ((size_t)100) /* a log whose time steps back more often has several clocks, not one that was set */
#define JITTER_STEPS 3               /* by no more than that rows of one clock overtake each other */
#define HOLE_STEPS 3                 /* as in series/track.h */

/* Where the rows' time steps back, and then the end; 0 when it does so more often than a clock is set. */
static size_t find_stretches(const struct order *order, size_t n, time_ms step, size_t ends[MOST_STRETCHES])
{
	size_t n_stretches = 0;

	for (size_t i = 1; i < n; i++) {
		if (order[i].t >= order[i - 1].t - JITTER_STEPS * step)
			continue;
		if (n_stretches + 1 == MOST_STRETCHES)
			return 0;
		ends[n_stretches++] = i;
	}
	ends[n_stretches++] = n;
	return n_stretches;
}

/*
 * Two stretches become one in `out`, both in order: rows of `early` that lie between rows of `late` no further apart than a hole
 * are left out. Returns how many are left.
 */
static size_t merge_stretches(const struct order *early, size_t n_early, const struct order *late, size_t n_late, time_ms hole,
	struct order *out)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < n_early; i++) {
		while (k < n_late && late[k].t < early[i].t)
			out[n++] = late[k++];
		const bool same = k < n_late && late[k].t == early[i].t;
		const bool between = k && k < n_late && late[k].t - late[k - 1].t <= hole;
		if (!same && !between)
			out[n++] = early[i];
	}
	while (k < n_late)
		out[n++] = late[k++];
	return n;
}

/*
 * A clock that was set back, or a log that was appended to a later one, tells of the same time twice. Mixed, its rows
 * would belong to neither: what was written last is kept whole, and rows before it that lie in its time are left out.
 * order[] is in the order of the file; returns how many are left, in the order of time.
 */
static size_t keep_apart(struct order *order, size_t n, time_ms step)
{
	size_t ends[MOST_STRETCHES], room = 0, n_stretches = find_stretches(order, n, step, ends), n_kept;

	if (n_stretches < 2) {
		qsort(order, n, sizeof *order, by_time);
		return n;
	}
	struct order *merged = grow(NULL, &room, n, sizeof *merged);
	for (size_t i = 0; i < n_stretches; i++) {
		const size_t begin = i ? ends[i - 1] : 0;
		qsort(order + begin, ends[i] - begin, sizeof *order, by_time);
	}
	size_t last = ends[n_stretches - 2];
	n_kept = n - last;
	for (size_t i = n_stretches - 1; i-- > 0;) {
		const size_t begin = i ? ends[i - 1] : 0;
		n_kept = merge_stretches(order + begin, ends[i] - begin, order + last, n_kept, HOLE_STEPS * step, merged);
		memcpy(order + begin, merged, n_kept * sizeof *order);
		last = begin;
	}
	grow_free(merged);
	return n_kept;
}

static void tell_time_back(struct sheet *s, size_t n_overlaid)
{
	const struct place place = { s->r->lines->path, 0, 0 };

	s->r->recording->time_back = true;
	s->r->recording->n_overlaid += n_overlaid;
	s->r->recording->n_rows_ignored += n_overlaid;
	if (n_overlaid)
		diag_repeat(s->r->diags, place, DIAG_TIME_BACK, "time",
			"time steps back to what was told already; the rows that came last are used for it");
	else
		diag_repeat(s->r->diags, place, DIAG_TIME_BACK, "time", "time steps back; the rows were put in order");
}

/*
 * Rows in ascending time; of several with the same time the last stays. Returns how many are
 * left; order[] names their rows.
 */
static size_t put_in_order(struct sheet *s, const struct rows *rows, struct order *order, time_ms *room)
{
	size_t n = 0, n_rows = rows->n;
	bool back = false;

	for (size_t i = 0; i < rows->n; i++) {
		order[i] = (struct order){ rows->times[i], i };
		back |= i && rows->times[i] < rows->times[i - 1];
	}
	if (back) {
		n_rows = keep_apart(order, rows->n, step_of(order, rows->n, room));
		tell_time_back(s, rows->n - n_rows);
	}
	for (size_t i = 0; i < n_rows; i++) {
		if (n && order[n - 1].t == order[i].t) {
			n--;
			s->r->recording->n_rows_ignored++;
			s->r->recording->n_doubles++;
		}
		order[n++] = order[i];
	}
	return n;
}

static bool is_within_second(time_ms before, time_ms after)
{
	return before < after && after - before <= SECOND_MS;
}

/* Runs of rows with one stamp become polls within its second: the k-th of n, k/n of a second later. */
static void spread_polls(struct sheet *s, struct rows *rows)
{
	size_t end = 0, n_spread = 0;

	for (size_t begin = 0; begin < rows->n; begin = end) {
		const time_ms t = rows->times[begin];
		end = begin + 1;
		while (end < rows->n && rows->times[end] == t)
			end++;
		const size_t n = end - begin;
		bool fast = (begin && is_within_second(rows->times[begin - 1], t)) ||
			    (end < rows->n && is_within_second(t, rows->times[end]));
		if (n == 1 || !fast)
			continue;
		for (size_t k = 1; k < n; k++)
			rows->times[begin + k] += (time_ms)(k * (size_t)SECOND_MS / n);
		n_spread += n;
	}
	s->r->recording->n_spread += n_spread;
	if (n_spread)
		diag_repeat(s->r->diags, (struct place){ s->r->lines->path, 0, 0 }, DIAG_SPREAD, "spread",
			"several polls within a second of a clock of whole seconds; they were spread evenly over it");
}

/* A job logs its progress when it has something to say: the longest wait is no hole. */
static time_ms longest_of(const struct order *order, size_t n)
{
	time_ms longest = 0;

	for (size_t i = 1; i < n; i++)
		if (order[i].t - order[i - 1].t > longest)
			longest = order[i].t - order[i - 1].t;
	return longest;
}

/*
 * A row that describes the interval before its stamp begins where the row before it ended; after a
 * break in the log, one step before its stamp.
 */
static void shift_to_begin(struct channel *c, time_ms begin)
{
	time_ms before = begin != TIME_UNKNOWN && begin < c->times[0] ? begin : c->times[0] - c->step;

	for (size_t i = 0; i < c->n_rows; i++) {
		time_ms stamp = c->times[i];
		bool broken = c->step && stamp - before > 3 * c->step;
		c->times[i] = broken ? stamp - c->step : before;
		before = stamp;
	}
}

/* What a sibling log may still decide: each row's other reading. */
static void keep_swaps(struct sheet *s, const struct rows *rows, const struct order *order, struct channel *c)
{
	const struct clock_note *clock = &s->r->recording->clock;

	if (!clock->date_ambiguous || (!rows->swaps && rows->swap == clock->date_swap))
		return;
	c->swaps = NEW_ARRAY(s->r->mem, time_ms, c->n_rows);
	for (size_t i = 0; i < c->n_rows; i++)
		c->swaps[i] = rows->swaps ? rows->swaps[order[i].row] : rows->swap;
}

static void channel_finish(struct sheet *s, struct rows *rows, struct channel *c)
{
	struct arena *mem = s->r->mem;
	size_t order_room = 0, step_room = 0;
	struct order *order = grow(NULL, &order_room, rows->n + 1, sizeof *order);
	time_ms *steps = grow(NULL, &step_room, rows->n + 1, sizeof *steps);

	if (s->spreads)
		spread_polls(s, rows);
	*c = (struct channel){ .entity = rows->entity, .n_rows = put_in_order(s, rows, order, steps) };
	c->step = rows->entity.scope == SCOPE_RUN ? longest_of(order, c->n_rows) : step_of(order, c->n_rows, steps);
	c->times = NEW_ARRAY(mem, time_ms, c->n_rows);
	for (size_t i = 0; i < c->n_rows; i++)
		c->times[i] = order[i].t;
	if (s->r->recording->format->covers_preceding && c->n_rows)
		shift_to_begin(c, rows->begin);
	keep_swaps(s, rows, order, c);

	c->columns = NEW_ARRAY(mem, struct column, N_METRICS);
	for (int m = 0; m < N_METRICS; m++) {
		const struct cells *cells = &rows->cells[m];
		if (!cells->values)
			continue;
		struct column *column = &c->columns[c->n_columns++];
		*column = (struct column){ (enum metric)m, NEW_ARRAY(mem, fixed, c->n_rows), cells->decimals, cells->n_absent,
			cells->n_impossible };
		for (size_t i = 0; i < c->n_rows; i++)
			column->values[i] = cells->values[order[i].row];
	}
	s->r->recording->n_rows += c->n_rows;
	grow_free(order);
	grow_free(steps);
}

static void rows_release(struct rows *rows)
{
	grow_free(rows->times);
	grow_free(rows->swaps);
	for (size_t m = 0; m < N_METRICS; m++)
		grow_free(rows->cells[m].values);
}

bool sheet_drop(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++)
		rows_release(s->rows[i]);
	grow_free(s->rows);
	grow_free(s->events);
	grow_free(s->event_swaps);
	return false;
}

/* Events without any row around them are left out: nobody could say when they happened. */
static void keep_events(struct sheet *s)
{
	struct event *events = NEW_ARRAY(s->r->mem, struct event, s->n_events);
	size_t n = 0;

	if (s->last != TIME_UNKNOWN)
		time_events(s, s->last);
	for (size_t i = 0; i < s->n_events; i++)
		if (s->events[i].t != TIME_UNKNOWN)
			events[n++] = s->events[i];
	s->r->recording->events = events;
	s->r->recording->n_events = n;
	grow_free(s->events);
	grow_free(s->event_swaps);
}

/* Day first, and not month first as all dates were read. */
static void swap_dates(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct rows *rows = s->rows[i];
		for (size_t k = 0; k < rows->n; k++)
			rows->times[k] += rows->swaps ? rows->swaps[k] : rows->swap;
		if (rows->begin != TIME_UNKNOWN)
			rows->begin += rows->swaps ? rows->swaps[0] : rows->swap;
	}
	for (size_t i = 0; i < s->n_timed; i++)
		if (s->events[i].t != TIME_UNKNOWN)
			s->events[i].t += s->event_swaps[i];
	if (s->last != TIME_UNKNOWN)
		s->last += s->r->recording->clock.date_swap;
	s->r->recording->clock.back.at += s->r->recording->clock.back.swap;
	s->r->recording->clock.ahead.at += s->r->recording->clock.ahead.swap;
}

/* All dates of a log have day and month in the same order: one of them may settle it, or that time goes ahead. */
static void settle_order(struct sheet *s)
{
	struct clock_note *clock = &s->r->recording->clock;
	const struct date_order *order = &clock->order;
	const bool by_day = order->only_day_first != order->only_month_first;
	const bool by_time = !order->only_day_first && order->back_as_read != order->back_swapped;

	if (!clock->date_ambiguous || (!by_day && !by_time))
		return;
	if (by_day ? order->only_day_first : order->back_as_read)
		swap_dates(s);
	clock->date_ambiguous = false;
}

/* A program that prints a log's header is no log: where hardly any row fits, the file is something else. */
#define HARDLY_BAD 20
#define HARDLY_SHARE 10

bool sheet_finish(struct sheet *s)
{
	struct recording *rec = s->r->recording;

	settle_order(s);
	keep_events(s);
	rec->channels = NEW_ARRAY(s->r->mem, struct channel, s->n);
	for (size_t i = 0; i < s->n; i++) {
		if (s->rows[i]->n)
			channel_finish(s, s->rows[i], &rec->channels[rec->n_channels++]);
		rows_release(s->rows[i]);
	}
	grow_free(s->rows);
	if (rec->n_rows_bad > HARDLY_BAD && rec->n_rows_bad / HARDLY_SHARE > rec->n_rows)
		return diag_at(s->r->diags, (struct place){ s->r->lines->path, 0, 0 }, DIAG_NO_ROWS,
			"taken for %s, but only %zu of %zu rows make sense as that; not used", rec->format->name, rec->n_rows,
			rec->n_rows + rec->n_rows_bad);
	if (rec->n_rows || rec->n_events)
		return true;
	return diag_at(s->r->diags, (struct place){ s->r->lines->path, 0, 0 }, DIAG_NO_ROWS,
		"recognised as %s, but no row could be used", rec->format->name);
}
