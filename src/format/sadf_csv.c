/*
 * sadf_csv.c - reads what `sadf -d` printed of a file of sar's.
 *
 *     # hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
 *     node01;1;2026-11-21 01:48:35 UTC;-1;0.06;0.00;1.81;0.00;0.00;98.12
 *     # hostname;interval;timestamp;runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked
 *     node01;1;2026-11-21 01:48:35 UTC;0;430;1.12;0.87;0.50;0
 *     node01;-1;2026-11-21 09:33:38 UTC;LINUX-RESTART	(8 CPU)
 *     node01;-1;2026-11-21 09:34:00 UTC;COM run A starts
 *
 * CPU -1 is all of them. A row describes the `interval` seconds before its time. Each section has a head of its own,
 * and each runs through the whole time: lines of one time become one row (sysstat_row.c).
 *
 * -h folds all sections and devices of a time into one line:
 *
 *     # hostname;interval;timestamp;CPU;%user;...;%idle[...];runq-sz;plist-sz;...
 *     node01;1;2026-11-21 01:48:35 UTC;-1;0.06;...;98.12;0;0.10;...;97.20;1;...;0;430;...
 *
 * "[...]" ends the columns that come again for each device. How often is told by the number of cells, when there is
 * one such group; with several it can't be known, and that is said.
 */
#include "format/sadf.h"

#define HEAD "# hostname;interval;timestamp;"
#define FOLD_MARK "[...]"

struct fold { /* of a head with FOLD_MARK: which of its cells come again */
	char *text; /* the cells of the head behind the tags, NULL: no such head in force */
	size_t n, begin, end; /* cells; those of [begin, end) come again */
};

struct sadf {
	struct reading *r;
	struct sheet *sheet;
	struct sysstat_rows *rows;
	struct sadf_tags tags;
	struct slice values; /* what follows the tags */
	struct fold fold;
	struct sysstat_words head, words;
};

static void take_words(struct sysstat_words *w, const struct slice *cells, size_t n, const char *line_start)
{
	w->n = n && n < SYSSTAT_WORDS && !cells[n - 1].n ? n - 1 : n; /* behind the last semicolon stands no cell */
	for (size_t i = 0; i < w->n; i++) {
		w->columns[i] = (int)(cells[i].p - line_start) + 1;
		w->at[i] = slice_trim(cells[i]);
	}
}

/* False when the line has no cell after host, interval and time. */
static bool cut_cells(struct sadf *s, struct slice line)
{
	struct slice cells[SADF_TAGS + SYSSTAT_WORDS];
	const struct slice text = slice_trim(line), none = { text.p + text.n, 0 };
	const size_t n = slice_cells(text, ';', cells, SADF_TAGS + SYSSTAT_WORDS);

	for (size_t i = 0; i < SADF_TAGS; i++) {
		s->tags.columns[i] = (int)((i < n ? cells[i] : none).p - line.p) + 1;
		s->tags.at[i] = i < n ? slice_trim(cells[i]) : none;
	}
	s->values = n > SADF_TAGS ? (struct slice){ cells[SADF_TAGS].p, (size_t)(none.p - cells[SADF_TAGS].p) } : none;
	take_words(&s->words, cells + SADF_TAGS, n > SADF_TAGS ? n - SADF_TAGS : 0, line.p);
	return s->words.n > 0;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	while (first_bytes.n) { /* a restart may stand before the first head */
		const struct slice line = slice_line(&first_bytes);
		if (slice_starts(line, HEAD))
			return (struct bid){ 97, "it has sadf -d's head with semicolons" };
	}
	return (struct bid){ 0, NULL };
}

static size_t count_cells(struct slice text)
{
	return text.n ? slice_count(text, ';') + 1 : 0;
}

/* Columns that name a device, a core or a sensor: the first of its group. */
static bool is_key(struct slice head)
{
	static const char *const keys[] = { "CPU", "DEV", "IFACE", "INTR", "TTY", "FILESYSTEM", "FAN", "TEMP", "IN", "BUS", "FCHOST" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (slice_is(head, keys[i]))
			return true;
	return false;
}

/* False when the head names several groups, or none that could be told from the rest. */
static bool fold_parse(struct sadf *s)
{
	struct fold *fold = &s->fold;
	struct slice rest = s->values;
	size_t n_marks = 0, key = SIZE_MAX;

	for (fold->n = 0; rest.n; fold->n++) {
		struct slice cell = sadf_cell(&rest, ';');
		const size_t n_mark = strlen(FOLD_MARK);
		if (!n_marks && is_key(cell))
			key = fold->n;
		if (cell.n < n_mark || memcmp(cell.p + cell.n - n_mark, FOLD_MARK, n_mark) != 0)
			continue;
		n_marks++;
		fold->begin = key;
		fold->end = fold->n + 1;
	}
	if (n_marks != 1 || key == SIZE_MAX)
		return false;
	fold->text = arena_text(s->r->mem, s->values.p, s->values.n);
	return true;
}

/* n cells of the head and of the row become a section with a row. */
static void take_part(struct sadf *s, struct slice *heads, struct slice *cells, size_t n, time_ms begin, time_ms t)
{
	s->head.n = s->words.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct slice head = sadf_cell(heads, ';'), cell = sadf_cell(cells, ';');
		if (i >= SYSSTAT_WORDS)
			continue;
		if (slice_has(head, FOLD_MARK))
			head.n -= strlen(FOLD_MARK);
		s->head.at[s->head.n] = head;
		s->head.columns[s->head.n++] = 1;
		s->words.at[s->words.n] = cell;
		s->words.columns[s->words.n++] = (int)(cell.p - s->tags.at[0].p) + 1;
	}
	if (!n)
		return;
	sysstat_head(s->rows, &s->head);
	sysstat_row(s->rows, &s->words, begin, t);
}

/* As take_part(), for cells that come again: the section goes on. */
static void take_group(struct sadf *s, struct slice *heads, struct slice *cells, size_t n_times, time_ms begin, time_ms t)
{
	const size_t n = s->fold.end - s->fold.begin;
	const struct slice again = *heads;

	take_part(s, heads, cells, n, begin, t);
	for (size_t k = 1; k < n_times; k++) {
		*heads = again;
		for (size_t i = 0; i < n; i++) {
			struct slice cell = sadf_cell(cells, ';');
			sadf_cell(heads, ';');
			if (i < s->words.n) {
				s->words.at[i] = cell;
				s->words.columns[i] = (int)(cell.p - s->tags.at[0].p) + 1;
			}
		}
		sysstat_row(s->rows, &s->words, begin, t);
	}
}

static void take_folded(struct sadf *s, time_ms begin, time_ms t)
{
	struct place place = { s->r->lines->path, s->r->lines->line, 0 };
	struct slice heads = slice_of(s->fold.text), cells = s->values;
	const struct fold *fold = &s->fold;
	const size_t n_cells = count_cells(s->values), n_group = fold->end - fold->begin, n_single = fold->n - n_group;
	const size_t n_ignored = s->r->recording->n_rows_ignored; /* the line is one, however many rows it tells */

	if (n_cells < fold->n || (n_cells - n_single) % n_group) {
		sheet_reject(s->sheet, place, DIAG_BAD_ROW, "%zu cells, which are no whole number of devices; row not used", n_cells);
		return;
	}
	take_part(s, &heads, &cells, fold->begin, begin, t);
	take_group(s, &heads, &cells, (n_cells - n_single) / n_group, begin, t);
	take_part(s, &heads, &cells, fold->n - fold->end, begin, t);
	sysstat_head_end(s->rows);
	s->r->recording->n_rows_ignored = n_ignored;
}

static void take_fold(struct sadf *s)
{
	struct place place = { s->r->lines->path, s->r->lines->line, 0 };

	sysstat_head_end(s->rows);
	s->r->recording->n_rows_ignored++;
	if (fold_parse(s))
		return;
	s->fold.text = NULL;
	diag_at(s->r->diags, place, DIAG_BAD_ROW,
		"several groups of devices in a line, whose ends can't be told; print it without sadf's -h");
}

static void take_row(struct sadf *s)
{
	time_ms begin, t;

	if (!sadf_tags_use(s->r, s->sheet, &s->tags, &begin, &t))
		return;
	if (sadf_mark(s->rows, s->words.at[0], t))
		s->r->recording->n_rows_ignored++;
	else if (s->fold.text)
		take_folded(s, begin, t);
	else
		sysstat_row(s->rows, &s->words, begin, t);
}

static void take_line(struct sadf *s, struct slice line)
{
	struct place place = { s->r->lines->path, s->r->lines->line, 0 };

	if (!sheet_takes_line(s->sheet))
		return;
	if (!slice_trim(line).n) {
		s->r->recording->n_rows_ignored++;
	} else if (!cut_cells(s, line)) {
		sheet_reject(s->sheet, place, DIAG_BAD_ROW, "no host, interval, time and values with semicolons between; not used");
	} else if (slice_starts(line, HEAD) && slice_has(line, FOLD_MARK)) {
		take_fold(s);
	} else if (slice_starts(line, HEAD)) {
		s->fold.text = NULL;
		sysstat_head(s->rows, &s->words);
	} else {
		take_row(s);
	}
}

static bool read(struct reading *r)
{
	struct sadf *s = NEW(r->scratch, struct sadf);
	struct slice line;

	s->r = r;
	s->sheet = sheet_new(r);
	s->rows = sysstat_rows_new(r, s->sheet);
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(s, line);
	sysstat_rows_end(s->rows);
	return sheet_finish(s->sheet);
}

static const char sample[] =
	"# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
	"node01;1;2026-11-21 01:48:35 UTC;-1;0.06;0.00;1.81;0.00;0.00;98.12\n"
	"node01;1;2026-11-21 01:48:36 UTC;-1;17.67;0.00;1.19;0.25;0.00;80.90\n"
	"# hostname;interval;timestamp;runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked\n"
	"node01;1;2026-11-21 01:48:35 UTC;0;430;1.12;0.87;0.50;0\n"
	"node01;1;2026-11-21 01:48:36 UTC;2;434;1.12;0.87;0.50;1\n";

const struct format format_sadf_csv = {
	.name = "sadf-csv",
	.title = "sadf -d [-h] [-T|-U] -- [-u] [-P ALL] [-r] [-q] [-b] [-d] [-n DEV] [-A]",
	.sample = sample,
	.columns = sysstat_columns,
	.absences = sysstat_absences,
	.rows_are_not_lines = true, /* with -h */
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
