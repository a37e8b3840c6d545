/* nvidia_smi_mon.c - heads, cells and times of dmon and pmon, by name and never by position. */
#include "format/nvidia_smi_mon.h"

#include <stdio.h>

static void add_cell(struct mon_cells *c, struct slice cell, const char *line)
{
	if (c->n == MON_MAX_CELLS)
		return;
	c->columns[c->n] = (int)(cell.p - line) + 1;
	c->at[c->n++] = cell;
}

void mon_cut_words(struct mon_cells *c, struct slice line, size_t most)
{
	const char *start = line.p;

	c->n = 0;
	for (line = slice_trim(line); line.n && c->n + 1 < most; line = slice_trim(line))
		add_cell(c, slice_word(&line), start);
	if (line.n)
		add_cell(c, line, start);
}

static void cut_commas(struct mon_cells *c, struct slice line)
{
	const char *start = line.p;

	c->n = 0;
	for (const char *end = line.p; end && c->n < MON_MAX_CELLS;) {
		end = line.n && c->n + 1 < MON_MAX_CELLS ? memchr(line.p, ',', line.n) : NULL;
		size_t n = end ? (size_t)(end - line.p) : line.n;
		add_cell(c, slice_trim((struct slice){ line.p, n }), start);
		line = (struct slice){ line.p + n + (end != NULL), line.n - n - (end != NULL) };
	}
}

void mon_cut(struct mon_cells *c, struct slice line)
{
	if (line.n && memchr(line.p, ',', line.n))
		cut_commas(c, line);
	else
		mon_cut_words(c, line, MON_MAX_CELLS);
}

bool mon_cut_head(struct mon_cells *c, struct slice line)
{
	line = slice_trim(line);
	if (!line.n || line.p[0] != '#')
		return false;
	mon_cut(c, (struct slice){ line.p + 1, line.n - 1 });
	return c->n > 0;
}

size_t mon_find(const struct mon_cells *c, const char *text)
{
	size_t i = 0;

	while (i < c->n && !slice_is(c->at[i], text))
		i++;
	return i;
}

void mon_remember_unread(struct reading *r, const char **unread, struct slice name)
{
	struct recording *rec = r->recording;

	for (size_t i = 0; i < rec->n_unread; i++)
		if (slice_is(name, unread[i]))
			return;
	rec->unread = unread;
	if (rec->n_unread < MON_MAX_CELLS)
		unread[rec->n_unread++] = arena_text(r->mem, name.p, name.n);
}

bool mon_is_names(const struct mon_cells *c)
{
	const size_t gpu = mon_find(c, "gpu");

	if (gpu > 2 || gpu + 1 >= c->n)
		return false;
	for (size_t i = 0; i < gpu; i++)
		if (!slice_is(c->at[i], "Date") && !slice_is(c->at[i], "Time"))
			return false;
	return true;
}

bool mon_is_units(const struct mon_cells *c)
{
	return mon_find(c, "Idx") <= 2 && mon_find(c, "Idx") < c->n;
}

void mon_take_names(struct mon_clock *clock, const struct mon_cells *c)
{
	clock->n_heads = c->n;
	clock->date = mon_find(c, "Date");
	clock->time = mon_find(c, "Time");
}

void mon_take_row(struct mon_clock *clock, struct reading *r)
{
	if (clock->has_row)
		return;
	clock->has_row = true;
	clock->timeless = clock->time == clock->n_heads;
	r->recording->clock.time_unknown = clock->timeless;
}

/* "20261121" and "01:48:34", or the time alone. */
static bool stamp_of(struct mon_clock *clock, const struct mon_cells *c, time_ms *t)
{
	const struct slice of_clock = c->at[clock->time];
	time_ms of_day;

	if (clock->date < clock->n_heads) {
		const struct slice day = c->at[clock->date];
		char text[32];
		if (day.n != 8 || of_clock.n > 12)
			return false;
		int n = snprintf(text, sizeof text, "%.4s-%.2s-%.2s %.*s", day.p, day.p + 4, day.p + 6, SLICE(of_clock));
		return stamp_parse((struct slice){ text, (size_t)n }, t);
	}
	if (!clock_parse(of_clock, 0, &of_day))
		return false;
	if (clock->day + of_day < clock->last - 12 * HOUR_MS)
		clock->day += DAY_MS;
	*t = clock->last = clock->day + of_day;
	return true;
}

bool mon_stamp(struct mon_clock *clock, struct reading *r, const struct mon_cells *c, time_ms *t)
{
	struct place place = { r->lines->path, r->lines->line, 0 };
	struct slice day = { "", 0 };

	if (clock->timeless && clock->time == clock->n_heads)
		return true;
	if (clock->timeless)
		return sheet_reject(r->sheet, place, DIAG_BAD_ROW,
			"the header in force has a time, the rows above have none; row not used");
	if (clock->time == clock->n_heads)
		return sheet_reject(r->sheet, place, DIAG_BAD_ROW, "the header in force has no time; row not used");
	if (stamp_of(clock, c, t)) {
		r->recording->clock.date_unknown |= clock->date == clock->n_heads;
		return true;
	}
	if (clock->date < clock->n_heads)
		day = c->at[clock->date];
	place.column = c->columns[clock->time];
	return sheet_reject(r->sheet, place, DIAG_BAD_TIME, "'%.*s%s%.*s' is no time, expected like 20261121 01:48:34; row not used",
		SLICE(day), day.n ? " " : "", SLICE(c->at[clock->time]));
}
