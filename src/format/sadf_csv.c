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
 * CPU -1 is all of them. Times are in UTC; -T leaves the zone out and means local time, -U gives epoch seconds.
 * A row describes the `interval` seconds before its time. Each section has a head of its own, and each runs
 * through the whole time: lines of one time become one row (sysstat_row.c).
 * -h folds all devices of a time into one line and says so by "[...]"; such a section is not used, and that is said.
 */
#include "format/sysstat_row.h"

#define HEAD "# hostname;interval;timestamp;"
#define TAG_CELLS ((size_t)3) /* host, interval, time */

struct sadf {
	struct reading *r;
	struct sheet *sheet;
	struct sysstat_rows *rows;
	struct slice tags[TAG_CELLS];
	int tag_columns[TAG_CELLS];
	struct sysstat_words words;
};

static struct slice cut_cell(struct slice *rest)
{
	const char *end = rest->n ? memchr(rest->p, ';', rest->n) : NULL;
	struct slice cell = { rest->p, end ? (size_t)(end - rest->p) : rest->n };

	*rest = end ? (struct slice){ end + 1, rest->n - cell.n - 1 } : (struct slice){ rest->p + rest->n, 0 };
	return slice_trim(cell);
}

/* False when the line has no cell after host, interval and time. */
static bool cut_cells(struct sadf *s, struct slice line)
{
	struct slice rest = slice_trim(line);

	for (size_t i = 0; i < TAG_CELLS; i++) {
		s->tag_columns[i] = (int)(rest.p - line.p) + 1;
		s->tags[i] = cut_cell(&rest);
	}
	for (s->words.n = 0; s->words.n < SYSSTAT_WORDS && rest.n; s->words.n++) {
		s->words.columns[s->words.n] = (int)(rest.p - line.p) + 1;
		s->words.at[s->words.n] = cut_cell(&rest);
	}
	return s->words.n > 0;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	for (size_t i = 0; i < first_bytes.n;) { /* a restart may stand before the first head */
		const char *end = memchr(first_bytes.p + i, '\n', first_bytes.n - i);
		size_t n = end ? (size_t)(end - first_bytes.p) - i : first_bytes.n - i;
		if (slice_starts((struct slice){ first_bytes.p + i, n }, HEAD))
			return (struct bid){ 97, "it has sadf -d's head with semicolons" };
		i += n + 1;
	}
	return (struct bid){ 0, NULL };
}

/* "2026-11-21 02:33:57 UTC", "2026-11-21 02:33:57" with -T, "1795228437" with -U. */
static bool time_parse(struct sadf *s, struct slice cell, time_ms *t)
{
	struct clock_note *clock = &s->r->recording->clock;
	struct slice rest = cell, day = slice_word(&rest), of_day = slice_word(&rest), zone = slice_trim(rest);
	int64_t seconds;

	if (integer_parse(cell, &seconds) && seconds < (int64_t)4102444800) { /* 2100-01-01 */
		*t = seconds * SECOND_MS;
		clock->basis = BASIS_OFFSET;
		clock->zone = "epoch seconds";
		return true;
	}
	if (!of_day.n || !stamp_parse((struct slice){ day.p, (size_t)(of_day.p + of_day.n - day.p) }, t))
		return false;
	if (slice_is(zone, "UTC")) {
		clock->basis = BASIS_OFFSET;
		clock->zone = "UTC";
	}
	return true;
}

/* The first host's rows are the recording. */
static bool is_our_host(struct sadf *s)
{
	struct recording *rec = s->r->recording;
	const struct slice host = s->tags[0];
	struct place place = { s->r->lines->path, s->r->lines->line, 1 };

	if (!rec->host && host.n && host.n < 256 && slice_is_utf8(host))
		rec->host = arena_text(s->r->mem, host.p, host.n);
	if (!rec->host || slice_is(host, rec->host))
		return true;
	return sheet_reject(s->sheet, place, DIAG_BAD_ROW, "a row of '%.*s' in a log of '%s'; not used", SLICE(host), rec->host);
}

static void take_row(struct sadf *s)
{
	struct place place = { s->r->lines->path, s->r->lines->line, s->tag_columns[2] };
	int64_t interval;
	time_ms t;

	if (!time_parse(s, s->tags[2], &t)) {
		sheet_reject(s->sheet, place, DIAG_BAD_TIME,
			"'%.*s' is no time stamp, expected like 2026-11-21 01:48:34 UTC; row not used", SLICE(s->tags[2]));
		return;
	}
	if (!is_our_host(s))
		return;
	if (!integer_parse(s->tags[1], &interval) || interval > 7 * DAY_MS / SECOND_MS)
		interval = 0; /* not known: sheet_begin() takes no interval that ends where it begins */
	sysstat_row(s->rows, &s->words, t - interval * SECOND_MS, t);
}

static bool is_mark(const struct sadf *s)
{
	return slice_starts(s->words.at[0], "LINUX-RESTART") || slice_starts(s->words.at[0], "COM ");
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
	} else if (slice_starts(line, HEAD) && slice_has(line, "[...]")) {
		sysstat_head_end(s->rows);
		sheet_reject(s->sheet, place, DIAG_BAD_ROW, "a section with several devices a line; print it without sadf's -h");
	} else if (slice_starts(line, HEAD)) {
		sysstat_head(s->rows, &s->words);
	} else if (is_mark(s)) {
		s->r->recording->n_rows_ignored++;
	} else {
		take_row(s);
	}
}

static bool read(struct reading *r)
{
	struct sadf *s = NEW(r->mem, struct sadf);
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
	.title = "sadf -d [-T|-U] -- [-u] [-P ALL] [-r] [-q] [-b] [-d] [-n DEV] [-A]",
	.sample = sample,
	.columns = sysstat_columns,
	.absences = sysstat_absences,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
