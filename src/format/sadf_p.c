/*
 * sadf_p.c - reads what `sadf -p` printed of a file of sar's: a value a line, with tabs between.
 *
 *     node01	1	2026-11-21 01:48:35 UTC	all	%user	0.06
 *     node01	1	2026-11-21 01:48:35 UTC	all	%idle	98.12
 *     node01	1	2026-11-21 01:48:35 UTC	cpu0	%user	0.10
 *     node01	1	2026-11-21 01:48:35 UTC	-	runq-sz	2
 *     node01	1	2026-11-21 01:48:35 UTC	nvme0n1	rkB/s	1570.26
 *     node01	-1	2026-11-21 09:33:38 UTC	LINUX-RESTART	(8 CPU)
 *
 * Values of one time and device that follow one another are a row as sadf -d has it, and are read like one
 * (sysstat_row.c); which kind of device it is, is told by the names of its values. Values that nobody reads are left
 * out at once, so that a row has a bound.
 */
#include "format/sadf.h"

#define CELL_BYTES ((size_t)64)

struct sadf_p {
	struct reading *r;
	struct sheet *sheet;
	struct sysstat_rows *rows;
	struct sadf_tags tags;
	/* the row in the making */
	char key[CELL_BYTES];
	time_ms begin, t;
	size_t n;
	const char *heads[SYSSTAT_WORDS];
	char values[SYSSTAT_WORDS][CELL_BYTES];
	int64_t lines[SYSSTAT_WORDS];
	int columns[SYSSTAT_WORDS];
	/* the section in force */
	const char *section[SYSSTAT_WORDS];
	size_t n_section;
};

/* False when the line has no value. */
static bool cut_cells(struct sadf_p *s, struct slice line, struct slice *key, struct slice *name, struct slice *value)
{
	struct slice rest = slice_trim(line);

	for (size_t i = 0; i < SADF_TAGS; i++) {
		s->tags.columns[i] = (int)(rest.p - line.p) + 1;
		s->tags.at[i] = sadf_cell(&rest, '\t');
	}
	*key = sadf_cell(&rest, '\t');
	*name = sadf_cell(&rest, '\t');
	*value = sadf_cell(&rest, '\t');
	return key->n > 0 && !slice_trim(rest).n;
}

/* "2026-11-21 01:48:35 UTC", "1795228437" */
static bool is_time(struct slice cell)
{
	struct slice rest = cell, day = slice_word(&rest), of_day = slice_word(&rest);
	time_ms t;

	return (cell.n == 10 && integer_parse(cell, &t)) ||
	       (of_day.n && stamp_parse((struct slice){ day.p, (size_t)(of_day.p + of_day.n - day.p) }, &t));
}

static bool is_line(struct slice line, struct arena *scratch)
{
	struct sadf_p *s = NEW(scratch, struct sadf_p);
	struct slice key, name, value;
	int64_t interval;

	return cut_cells(s, line, &key, &name, &value) && integer_parse(s->tags.at[1], &interval) && is_time(s->tags.at[2]) &&
	       value.n > 0;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	size_t n_lines = 0;

	while (first_bytes.n && n_lines < 2) { /* a restart may stand before the first value */
		struct slice line = slice_line(&first_bytes);
		if (slice_has(line, "LINUX-RESTART") || slice_has(line, "\tCOM "))
			continue;
		if (!slice_line_is_whole(line, first_bytes) || !is_line(line, scratch))
			break;
		n_lines++;
	}
	return n_lines ? (struct bid){ 92, "it has a value a line as sadf -p prints them" } : (struct bid){ 0, NULL };
}

static bool has_value(const struct sadf_p *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->heads[i], name) == 0)
			return true;
	return false;
}

/* What heads the column of the device in sadf -d; "" where there is none, NULL where the values are none of ours. */
static const char *kind_of(const struct sadf_p *s)
{
	if (strcmp(s->key, "-") == 0)
		return "";
	if (has_value(s, "%idle"))
		return "CPU";
	if (has_value(s, "rxkB/s") || has_value(s, "rxbyt/s"))
		return "IFACE";
	if (has_value(s, "rkB/s") || has_value(s, "rd_sec/s") || has_value(s, "%util"))
		return "DEV";
	return NULL;
}

/* A section goes on while its columns stay the same: only so devices are added up. */
static void open_section(struct sadf_p *s, const char *kind)
{
	struct sysstat_words head = { .n = 0 };
	bool same = sysstat_is_open(s->rows) && s->n_section == s->n;

	for (size_t i = 0; same && i < s->n; i++)
		same = s->section[i] == s->heads[i];
	if (same)
		return;
	if (*kind)
		head.at[head.n++] = slice_of(kind);
	for (size_t i = 0; i < s->n && head.n < SYSSTAT_WORDS; i++)
		head.at[head.n++] = slice_of(s->heads[i]);
	sysstat_head(s->rows, &head);
	memcpy(s->section, s->heads, sizeof s->section);
	s->n_section = s->n;
}

/* "cpu7" is 7 */
static struct slice key_of(const struct sadf_p *s)
{
	struct slice key = slice_of(s->key);

	return slice_starts(key, "cpu") ? (struct slice){ key.p + 3, key.n - 3 } : key;
}

static void row_end(struct sadf_p *s)
{
	const size_t n_ignored = s->r->recording->n_rows_ignored; /* its lines are counted one by one */
	const char *kind = s->n ? kind_of(s) : NULL;
	struct sysstat_words row = { .n = 0 };
	int64_t lines[SYSSTAT_WORDS];

	if (kind) {
		open_section(s, kind);
		if (*kind) {
			lines[row.n] = s->lines[0];
			row.columns[row.n] = 1;
			row.at[row.n++] = strcmp(kind, "CPU") == 0 ? key_of(s) : slice_of(s->key);
		}
		for (size_t i = 0; i < s->n && row.n < SYSSTAT_WORDS; i++) {
			lines[row.n] = s->lines[i];
			row.columns[row.n] = s->columns[i];
			row.at[row.n++] = slice_of(s->values[i]);
		}
		sysstat_rows_at(s->rows, lines);
		if (sysstat_is_open(s->rows))
			sysstat_row(s->rows, &row, s->begin, s->t);
		sysstat_rows_at(s->rows, NULL);
	}
	s->n = 0;
	s->r->recording->n_rows_ignored = n_ignored;
}

/* Cut where there is no room for all of it. */
static void keep_text(char *to, size_t room, struct slice text)
{
	const size_t n = text.n < room ? text.n : room - 1;

	memcpy(to, text.p, n);
	to[n] = '\0';
}

static void add_value(struct sadf_p *s, struct slice key, const char *head, struct slice value)
{
	s->r->recording->n_rows_ignored++;
	if (!head)
		return;
	keep_text(s->key, sizeof s->key, key);
	keep_text(s->values[s->n], sizeof s->values[s->n], value);
	s->lines[s->n] = s->r->lines->line;
	s->columns[s->n] = (int)(value.p - s->tags.at[0].p) + 1;
	s->heads[s->n++] = head;
}

static void take_value(struct sadf_p *s, struct slice key, struct slice name, struct slice value)
{
	const char *head = sysstat_known_head(name);
	time_ms begin, t;

	if (!sadf_tags_use(s->r, s->sheet, &s->tags, &begin, &t))
		return;
	if (sadf_mark(s->rows, slice_trim((struct slice){ key.p, (size_t)(value.p + value.n - key.p) }), t)) {
		s->r->recording->n_rows_ignored++;
		return;
	}
	if (t != s->t || !slice_is(key, s->key) || (head && has_value(s, head)) || s->n == SYSSTAT_WORDS - 1)
		row_end(s);
	s->t = t;
	s->begin = begin;
	add_value(s, key, head, value);
}

static void take_line(struct sadf_p *s, struct slice line)
{
	struct place place = { s->r->lines->path, s->r->lines->line, 0 };
	struct slice key, name, value;

	if (!sheet_takes_line(s->sheet))
		return;
	if (!slice_trim(line).n)
		s->r->recording->n_rows_ignored++;
	else if (!cut_cells(s, line, &key, &name, &value))
		sheet_reject(s->sheet, place, DIAG_BAD_ROW, "no host, interval, time, device, name and value with tabs between; not used");
	else
		take_value(s, key, name, value);
}

static bool read(struct reading *r)
{
	struct sadf_p *s = NEW(r->scratch, struct sadf_p);
	struct slice line;

	s->r = r;
	s->sheet = sheet_new(r);
	s->rows = sysstat_rows_new(r, s->sheet);
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(s, line);
	row_end(s);
	const size_t n_ignored = r->recording->n_rows_ignored;
	sysstat_rows_end(s->rows);
	r->recording->n_rows_ignored = n_ignored;
	return sheet_finish(s->sheet);
}

static const char sample[] =
	"node01\t1\t2026-11-21 01:48:35 UTC\tall\t%user\t0.06\n"
	"node01\t1\t2026-11-21 01:48:35 UTC\tall\t%nice\t0.00\n"
	"node01\t1\t2026-11-21 01:48:35 UTC\tall\t%system\t1.81\n"
	"node01\t1\t2026-11-21 01:48:35 UTC\tall\t%iowait\t0.00\n"
	"node01\t1\t2026-11-21 01:48:35 UTC\tall\t%steal\t0.00\n"
	"node01\t1\t2026-11-21 01:48:35 UTC\tall\t%idle\t98.12\n"
	"node01\t1\t2026-11-21 01:48:35 UTC\t-\trunq-sz\t2\n"
	"node01\t1\t2026-11-21 01:48:35 UTC\t-\tldavg-1\t1.12\n";

const struct format format_sadf_p = {
	.name = "sadf-p",
	.title = "sadf -p [-T|-U] -- [-u] [-P ALL] [-r] [-q] [-b] [-d] [-n DEV] [-A]",
	.sample = sample,
	.columns = sysstat_columns,
	.absences = sysstat_absences,
	.rows_are_not_lines = true, /* a value a line */
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
