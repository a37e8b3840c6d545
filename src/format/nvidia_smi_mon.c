/* nvidia_smi_mon.c - heads, cells and times of dmon and pmon, by name and never by position. */
#include "format/nvidia_smi_mon.h"

void mon_cut_words(struct mon_cells *c, struct slice line, size_t most)
{
	c->line = line.p;
	c->n = slice_words(line, line.p, c->at, NULL, most - 1);
	if (c->n + 1 < most)
		return;
	const char *const end = c->n ? c->at[c->n - 1].p + c->at[c->n - 1].n : line.p;
	line = slice_trim((struct slice){ end, (size_t)(line.p + line.n - end) });
	if (line.n)
		c->at[c->n++] = line;
}

static void cut_commas(struct mon_cells *c, struct slice line)
{
	c->line = line.p;
	c->n = slice_cells(line, ',', c->at, MON_MAX_CELLS);
	for (size_t i = 0; i < c->n; i++)
		c->at[i] = slice_trim(c->at[i]);
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
	return slices_find(c->at, c->n, text);
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
		char text[32] = "yyyy-mm-dd ";
		if (day.n != 8 || of_clock.n > 12)
			return false;
		memcpy(text, day.p, 4);
		memcpy(text + 5, day.p + 4, 2);
		memcpy(text + 8, day.p + 6, 2);
		memcpy(text + 11, of_clock.p, of_clock.n);
		return stamp_parse((struct slice){ text, 11 + of_clock.n }, t);
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
	place.column = mon_column(c, clock->time);
	return sheet_reject(r->sheet, place, DIAG_BAD_TIME, "'%.*s%s%.*s' is no time, expected like 20261121 01:48:34; row not used",
		SLICE(day), day.n ? " " : "", SLICE(c->at[clock->time]));
}
