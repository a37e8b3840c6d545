/*
 * sheet_set_back.c - a clock that is set back while its logger goes on.
 *
 *     10:29:58, 0, 97 %
 *     10:29:59, 0, 96 %
 *     10:20:00, 0, 98 %      the clock was ten minutes fast, and time synchronisation put it right
 *     10:20:01, 0, 97 %
 *
 * The ten minutes that follow are told twice, but they are not the same ten minutes: if the later rows took the place of the earlier
 * ones, ten minutes of the run would be lost. A clock that somebody sets is right afterwards, so all that comes before is taken to be as
 * much earlier, and time goes on at one step.
 *
 * Lines tell that it is one logger: the row after the step back is as many of them behind the one before it as rows are elsewhere. Who
 * starts a logger anew, or appends a log to another, has its header in between. Rows that all are older than those before them, as of
 * rotated logs that are joined in the wrong order, are put in order and not moved; rows that come once more are left out.
 */
#include "format/sheet_parts.h"

#define ROWS_BESIDE 10     /* that follow each other at an ordinary step, on either side, */
#define LEAST_BESIDE 3     /* unless the log begins or ends there: a damaged stamp has no such company */

struct set_back {
	int64_t line; /* of the first row after it, and how many lines rows of a channel are apart there */
	int64_t apart;
	time_ms at;   /* what the clock showed next */
	time_ms by;
};

struct sets {
	struct set_back at[MOST_STRETCHES];
	size_t n;
};

/* Rows [begin, end) of which each but the first comes a step, or a few missed ones, behind the one before it. */
static bool is_steady(const struct rows *rows, size_t begin, size_t end, time_ms step)
{
	for (size_t i = begin + 1; i < end; i++) {
		const time_ms apart = row_time(rows, i) - row_time(rows, i - 1);
		if (apart <= 0 || apart > HOLE_STEPS * step)
			return false;
	}
	return end - begin >= LEAST_BESIDE;
}

/* Of the rows around the later one of a step back; 0: there are too few. */
static time_ms step_around(const struct rows *rows, size_t begin, size_t row, size_t end)
{
	time_ms steps[2 * ROWS_BESIDE];
	size_t n = 0;

	for (size_t i = begin + 1; i < end; i++)
		if (i != row)
			steps[n++] = row_time(rows, i) - row_time(rows, i - 1);
	return n ? median_of_steps(steps, n) : 0;
}

/* How many lines lie between the row and the one before it, if it is as many as between others there; else 0. */
static int64_t lines_apart(const struct back_step *back)
{
	const int64_t *const l = back->lines, apart = l[2] - l[1];
	const bool is_as_before = l[0] && apart == l[1] - l[0], is_as_behind = l[3] && apart == l[3] - l[2];

	return l[1] && l[2] && (is_as_before || is_as_behind) ? apart : 0;
}

#define MOST_UNTOLD 10 /* one part of so many of the time that is told again may have been a hole before */

/* Did the rows just before tell of the time that comes again, or do the later ones go beyond it? Pieces in a wrong order do neither. */
static bool is_told_again(const struct rows *rows, size_t row, time_ms step)
{
	const time_ms again = row_time(rows, row - 1) - row_time(rows, row);
	time_ms untold = 0;

	for (size_t i = row - 1; i > 0 && row_time(rows, i) > row_time(rows, row); i--) {
		const time_ms apart = row_time(rows, i) - row_time(rows, i - 1);
		untold += apart > HOLE_STEPS * step ? apart : 0;
	}
	const bool is_whole = untold <= again / MOST_UNTOLD;
	return is_whole && (row_time(rows, row) > row_time(rows, 0) || row_time(rows, rows->n - 1) >= row_time(rows, row - 1));
}

static bool is_same_row(const struct rows *rows, size_t a, size_t b)
{
	bool same = row_time(rows, a) == row_time(rows, b);

	for (size_t i = 0; same && i < rows->n_columns; i++) {
		const struct packer *const values = rows->cells[rows->columns[i]].values;
		same = packer_at(values, a) == packer_at(values, b);
	}
	return same;
}

/*
 * Are the rows [row, end) some of those before, once more? The last one before may be of two that were run together where a log was cut and
 * begun anew: of several it is not asked.
 */
static bool is_repeated(const struct rows *rows, size_t row, size_t end)
{
	size_t before = row;

	while (before > 0 && row_time(rows, before - 1) >= row_time(rows, row))
		before--;
	const size_t whole = before + 1 < row ? row - 1 : row;
	for (size_t i = 0; row + i < end && before + i < whole; i++)
		if (!is_same_row(rows, before + i, row + i))
			return false;
	return before < row;
}

/* Is the step back one of a clock that was set? */
static bool is_set_back(const struct rows *rows, const struct back_step *back, struct set_back *out)
{
	const size_t row = back->row, begin = row > ROWS_BESIDE ? row - ROWS_BESIDE : 0;
	const size_t end = row + ROWS_BESIDE < rows->n ? row + ROWS_BESIDE : rows->n;
	const time_ms step = step_around(rows, begin, row, end);

	if (step <= 0 || !is_steady(rows, begin, row, step) || !is_steady(rows, row, end, step))
		return false;
	*out = (struct set_back){ .line = back->lines[2], .apart = lines_apart(back), .at = row_time(rows, row) };
	out->by = row_time(rows, row - 1) + step - out->at;
	return out->apart && out->by > JITTER_STEPS * step && is_told_again(rows, row, step) && !is_repeated(rows, row, end);
}

static bool is_same_set(const struct set_back *set, int64_t line)
{
	return line && line > set->line - set->apart && line < set->line + set->apart;
}

static bool is_found(const struct sets *sets, int64_t line)
{
	bool found = false;

	for (size_t i = 0; i < sets->n; i++)
		found |= is_same_set(&sets->at[i], line);
	return found;
}

/* As its rows tell; channels of one poll tell of the same one. */
static void find_sets(const struct rows *rows, struct sets *sets)
{
	struct set_back set;

	for (size_t i = 0; i < rows->n_backs && rows->n_backs < MOST_STRETCHES && sets->n < MOST_STRETCHES; i++)
		if (is_set_back(rows, &rows->backs[i], &set) && !is_found(sets, set.line))
			sets->at[sets->n++] = set;
}

/* The first row behind it, or rows->n; false: nobody knows which that is. */
static bool first_behind(const struct rows *rows, const struct set_back *set, size_t *out)
{
	*out = 0;
	for (size_t i = 0; i < rows->n_backs; i++)
		if (is_same_set(set, rows->backs[i].lines[2]))
			*out = rows->backs[i].row;
	if (*out || !rows->n || rows->first_line > set->line - set->apart)
		return true;
	*out = rows->n;
	return rows->line && rows->line < set->line;
}

/* Do all channels know where they are at that time? */
static bool is_placed(const struct sheet *s, const struct set_back *set)
{
	size_t behind;

	for (size_t i = 0; i < s->n; i++)
		if (s->rows[i]->n_thinned || !first_behind(s->rows[i], set, &behind))
			return false;
	return true;
}

static void move_rows(struct rows *rows, const struct set_back *set)
{
	size_t behind;

	if (!first_behind(rows, set, &behind) || !behind)
		return;
	for (size_t k = 0; k < behind; k++)
		packer_set(&rows->times, k, row_time(rows, k) - set->by);
	if (rows->begin != TIME_UNKNOWN)
		rows->begin -= set->by;
}

/* Of all rows and events before it. */
static void move_earlier(struct sheet *s, const struct set_back *set)
{
	for (size_t i = 0; i < s->n; i++)
		move_rows(s->rows[i], set);
	for (size_t i = 0; i < s->n_events; i++)
		if (s->events[i].t != TIME_UNKNOWN && s->event_notes[i].line < set->line)
			s->events[i].t -= set->by;
}

static void tell_set(const struct sheet *s, const struct set_back *set)
{
	s->r->recording->set_back += set->by;
	diag_repeat(s->r->diags, (struct place){ s->r->lines->path, set->line, 0 }, DIAG_TIME_BACK, "set",
		"the clock was set back by %s, to %s, while the log went on",
		duration_text(s->r->mem, (double)set->by / SECOND_MS), time_clock(s->r->mem, set->at));
}

void sheet_take_sets_out(struct sheet *s)
{
	struct sets sets = { .n = 0 };

	for (size_t i = 0; i < s->n; i++)
		find_sets(s->rows[i], &sets);
	for (size_t i = 0; i < sets.n; i++)
		if (is_placed(s, &sets.at[i])) {
			move_earlier(s, &sets.at[i]);
			tell_set(s, &sets.at[i]);
		}
}
