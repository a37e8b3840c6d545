/*
 * sheet_stray.c - rows whose time jumps away and comes back: a digit of their stamp is damaged.
 *
 *     2026/11/21 01:48:34.387, 0, 34 %
 *     2027/11/21 01:48:34.895, 0, 31 %      a stray: without it, the rows around it follow each other at an ordinary step
 *     2026/11/21 01:48:35.402, 0, 36 %
 *
 * Such a row would make the run last for a year, or take the place of a sound one. It costs itself, and is told with its line. A
 * clock that was set, and a log that goes on the next day, does not come back: of that nothing is touched here.
 *
 * Whichever way a stray lies, time steps back once, to it or from it. The lines there are noted while rows come in; rows that
 * only go ahead cost nothing. The first and the last row of a channel have nobody who tells that they are strays.
 */
#include "format/sheet_parts.h"

#define ROWS_FOR_EACH 8 /* where more rows are odd they are of several clocks, and of fewer rows no step is known */

void sheet_note_back(struct rows *rows, int64_t line)
{
	if (rows->n_backs == MOST_STRETCHES)
		return;
	rows->backs = grow(rows->backs, &rows->backs_room, rows->n_backs + 1, sizeof *rows->backs);
	rows->backs[rows->n_backs++] = (struct back_step){ rows->n, rows->line, line };
}

/* How many channels have rows in the blocks; of those the line of the last row is to be found. */
static size_t forget_lines(struct sheet *s, const struct row_block *const *blocks, size_t n_blocks)
{
	size_t n = 0;

	for (size_t i = 0; i < n_blocks; i++) {
		for (size_t k = 0; k < blocks[i]->n_touched; k++) {
			struct rows *const rows = s->rows[blocks[i]->touched[k]];
			n += rows->line != 0;
			rows->line = 0;
		}
	}
	return n;
}

/* Channels come in turn, so that their last rows are among the last of all. */
void sheet_note_lines(struct sheet *s, const struct row_block *const *blocks, size_t n_blocks)
{
	size_t n_left = forget_lines(s, blocks, n_blocks);
	int64_t line = s->r->lines->line;

	for (size_t i = n_blocks; i-- > 0;) {
		for (size_t k = blocks[i]->n; k-- > 0 && n_left; line--) {
			struct rows *const rows = s->rows[blocks[i]->channels[k]];
			if (rows->line)
				continue;
			rows->line = line;
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

static time_ms astray(const struct rows *rows, size_t row, time_ms step)
{
	if (!row || row + 1 >= rows->n)
		return 0;
	const time_ms before = row_time(rows, row - 1), after = row_time(rows, row + 1);
	const bool go_on = after >= before && after - before <= (HOLE_STEPS + 1) * step;
	return go_on ? distance(row_time(rows, row), before, after, step) : 0;
}

static void add_stray(const struct rows *rows, size_t row, int64_t line, time_ms step, struct strays *found)
{
	const time_ms by = astray(rows, row, step);

	if (by && (!found->n || found->at[found->n - 1].row < row))
		found->at[found->n++] = (struct stray){ row, line, by };
}

void sheet_find_strays(const struct rows *rows, time_ms step, struct strays *found)
{
	found->n = 0;
	if (rows->n_backs == MOST_STRETCHES)
		return;
	for (size_t i = 0; i < rows->n_backs; i++) {
		const struct back_step *const back = &rows->backs[i];
		add_stray(rows, back->row - 1, back->line_before, step, found);
		add_stray(rows, back->row, back->line, step, found);
	}
	if (found->n * ROWS_FOR_EACH >= rows->n)
		found->n = 0;
}

void sheet_reject_strays(struct sheet *s, const struct strays *found)
{
	for (size_t i = 0; i < found->n; i++) {
		const struct stray *const stray = &found->at[i];
		const double seconds = (double)(stray->by < 0 ? -stray->by : stray->by) / SECOND_MS;
		sheet_reject(s, (struct place){ s->r->lines->path, stray->line, 0 }, DIAG_BAD_TIME,
			"its time is %s %s the rows around it, which follow each other; row not used",
			duration_text(s->r->mem, seconds), stray->by < 0 ? "behind" : "ahead of");
	}
}
