/*
 * sheet_stray.c - rows whose time jumps away and comes back: a digit of their stamp is damaged.
 *
 *     2026/11/21 01:48:34.387, 0, 34 %
 *     2027/11/21 01:48:34.895, 0, 31 %      a stray: without it, the rows around it follow each other at an ordinary step
 *     2026/11/21 01:48:35.402, 0, 36 %
 *
 * Such a row would make the run last for a year, or take the place of a sound one. It costs itself, and is told with its line; so do two of
 * them beside each other. A clock that was set, and a log that goes on the next day, does not come back: of that nothing is touched here.
 *
 * Whichever way a stray lies, time steps back once, to it or from it. The lines there are noted while rows come in; rows that
 * only go ahead cost nothing.
 *
 * The first row of a channel and the last one have rows on one side alone. Where time steps back between the two, all other rows speak
 * against the one. Where it goes ahead that may be a hole, and is left alone, but for this: another digit in its stamp would put the row
 * right where it belongs.
 *
 *     2026/11/21 01:52:10.016, 0, 36 %
 *     2026/11/21 01:52:10.523, 0, 35 %
 *     2026/11/21 04:52:11.031, 0, 31 %      the last row, three hours and a step ahead
 */
#include "format/sheet_parts.h"

#define ROWS_FOR_EACH 8 /* where more rows are odd they are of several clocks, and of fewer rows no step is known */

void sheet_note_back(struct rows *rows, int64_t line)
{
	if (rows->n_backs == MOST_STRETCHES)
		return;
	rows->backs = grow(rows->backs, &rows->backs_room, rows->n_backs + 1, sizeof *rows->backs);
	rows->backs[rows->n_backs++] = (struct back_step){ rows->n, { rows->line_before, rows->line, line, 0 } };
}

void sheet_note_behind(struct rows *rows)
{
	struct back_step *const last = rows->n_backs ? &rows->backs[rows->n_backs - 1] : NULL;

	if (last && last->row + 2 == rows->n + rows->waiting.n)
		last->lines[3] = rows->line;
}

/* How many lines of rows are to be found: of each channel that has rows in the block that of the last, and of the one before it. */
static size_t forget_lines(struct sheet *s, const struct row_block *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n_touched; i++) {
		const bool has_two = b->of[b->touched[i]].n > 1;
		struct rows *const rows = s->rows[b->touched[i]];
		rows->line_before = has_two ? 0 : rows->line;
		rows->line = 0;
		n += has_two ? 2 : 1;
	}
	return n;
}

/* Channels come in turn, so that their last rows are among the last of all. */
void sheet_note_lines(struct sheet *s, const struct row_block *b)
{
	size_t n_left = forget_lines(s, b);
	int64_t line = s->r->lines->line;

	for (size_t k = b->n; k-- > 0 && n_left; line--) {
		const uint32_t channel = b->channels[k];
		struct rows *const rows = s->rows[channel];
		if (!rows->line) {
			rows->line = line;
			sheet_note_behind(rows);
			n_left--;
		} else if (b->of[channel].n > 1 && !rows->line_before) {
			rows->line_before = line;
			n_left--;
		}
	}
}

/* How far ahead of the rows around it, or behind them if below 0; 0: no farther than rows overtake each other. */
static time_ms distance(time_ms t, time_ms before, time_ms after, time_ms step)
{
	if (t < before - JITTER_STEPS * step)
		return t - before;
	return t > after + JITTER_STEPS * step ? t - after : 0;
}

/* Rows beside each other that may be strays together. */
struct suspects {
	size_t begin, n;
};

/* By how much the row, one of them, is astray. */
static time_ms astray(const struct rows *rows, struct suspects s, size_t row, time_ms step)
{
	if (!s.begin || s.begin + s.n >= rows->n)
		return 0;
	const time_ms before = row_time(rows, s.begin - 1), after = row_time(rows, s.begin + s.n);
	const bool go_on = after >= before && after - before <= (HOLE_STEPS + (time_ms)s.n) * step;
	return go_on ? distance(row_time(rows, row), before, after, step) : 0;
}

static void add_stray(struct strays *found, struct stray stray)
{
	if (!found->n || found->at[found->n - 1].row < stray.row)
		found->at[found->n++] = stray;
}

/* All of them, or none. `lines`: of each. */
static void add_suspects(const struct rows *rows, struct suspects s, const int64_t *lines, time_ms step, struct strays *found)
{
	for (size_t i = 0; i < s.n; i++)
		if (!astray(rows, s, s.begin + i, step))
			return;
	for (size_t i = 0; i < s.n; i++)
		add_stray(found, (struct stray){ s.begin + i, lines[i], astray(rows, s, s.begin + i, step), "around" });
}

/* The rows of which time steps back to one or from one: each by itself, and with the one behind it. */
static void look_around(const struct rows *rows, const struct back_step *back, time_ms step, struct strays *found)
{
	for (size_t i = 0; i < STRAY_LINES; i++) {
		const size_t row = back->row + i - 2; /* below 0 it is larger than any */
		if (row >= rows->n)
			continue;
		add_suspects(rows, (struct suspects){ row, 1 }, &back->lines[i], step, found);
		if (i + 1 < STRAY_LINES)
			add_suspects(rows, (struct suspects){ row, 2 }, &back->lines[i], step, found);
	}
}

#define STEPS_OF_DIGIT 20 /* a hole as long as a digit makes, to the step, is seen once in so many */

/* What a digit of a stamp tells of time, and how many of it another digit can make; of days any number, as months and years have them. */
static const struct {
	time_ms unit, most;
} digits[] = {
	{ DAY_MS, INT64_MAX },
	{ HOUR_MS, 23 },
	{ 10 * MINUTE_MS, 5 },
	{ MINUTE_MS, 9 },
	{ 10 * SECOND_MS, 5 },
	{ SECOND_MS, 9 },
};

/* Does another digit in its stamp make a time so much later, or earlier? */
static bool is_by_a_digit(time_ms off, time_ms step)
{
	off = off < 0 ? -off : off;
	for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
		const time_ms n = (off + step / 2) / digits[i].unit, rest = off - n * digits[i].unit;
		if (digits[i].unit >= STEPS_OF_DIGIT * step && n && n <= digits[i].most && rest <= step / 2 && -rest <= step / 2)
			return true;
	}
	return false;
}

/*
 * By how much the first row or the last one is astray. `towards` the other rows: 1 from the first, -1 from the last. The row beside it
 * must be a sound one, at an ordinary step from the next.
 */
static time_ms astray_at_end(const struct rows *rows, size_t row, int towards, time_ms step)
{
	const size_t beside = row + (size_t)towards;
	const time_ms by = row_time(rows, row) - row_time(rows, beside);
	const time_ms ahead = -towards * by, goes_on = towards * (row_time(rows, beside + (size_t)towards) - row_time(rows, beside));

	if (goes_on < 0 || goes_on > (HOLE_STEPS + 1) * step)
		return 0;
	if (ahead < -JITTER_STEPS * step)
		return by;
	return ahead > (HOLE_STEPS + 1) * step && is_by_a_digit(ahead - step, step) ? by : 0;
}

/* A job logs its progress when it has something to say, which may be long after all else. */
static bool has_ends(const struct rows *rows)
{
	return rows->entity.scope != SCOPE_RUN;
}

void sheet_find_strays(const struct rows *rows, time_ms step, struct strays *found)
{
	found->n = 0;
	if (rows->n_backs == MOST_STRETCHES || rows->n <= ROWS_FOR_EACH)
		return;
	const time_ms first = has_ends(rows) && !rows->n_thinned && !rows->leaves_first ? astray_at_end(rows, 0, 1, step) : 0;
	if (first)
		add_stray(found, (struct stray){ 0, rows->first_line, first, "after" });
	for (size_t i = 0; i < rows->n_backs; i++)
		look_around(rows, &rows->backs[i], step, found);
	const time_ms last = has_ends(rows) ? astray_at_end(rows, rows->n - 1, -1, step) : 0;
	if (last)
		add_stray(found, (struct stray){ rows->n - 1, rows->line, last, "before" });
	if (found->n * ROWS_FOR_EACH >= rows->n)
		found->n = 0;
}

/* The step at an end beside the next one. */
static bool is_apart(time_ms step, time_ms beside)
{
	return step > (HOLE_STEPS + 1) * beside;
}

bool sheet_ends_apart(const struct rows *rows)
{
	const size_t n = rows->n;

	if (n <= ROWS_FOR_EACH || !has_ends(rows))
		return false;
	return is_apart(row_time(rows, 1) - row_time(rows, 0), row_time(rows, 2) - row_time(rows, 1)) ||
	       is_apart(row_time(rows, n - 1) - row_time(rows, n - 2), row_time(rows, n - 2) - row_time(rows, n - 3));
}

void sheet_reject_strays(struct sheet *s, const struct strays *found)
{
	for (size_t i = 0; i < found->n; i++) {
		const struct stray *const stray = &found->at[i];
		const double seconds = (double)(stray->by < 0 ? -stray->by : stray->by) / SECOND_MS;
		/* without the line itself, which is at hand of the last one alone, and not of every way to read it */
		s->r->recording->n_rows_bad++;
		diag_repeat(s->r->diags, (struct place){ s->r->lines->path, stray->line, 0 }, DIAG_BAD_TIME, "rows",
			"its time is %s %s the rows %s it, which follow each other; row not used", duration_text(s->r->mem, seconds),
			stray->by < 0 ? "behind" : "ahead of", stray->beside);
	}
}
