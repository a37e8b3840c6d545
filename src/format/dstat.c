/*
 * dstat.c - reads what `dstat -t … --output FILE`, dool and pcp-dstat wrote.
 *
 *     "Dstat 0.7.3 CSV output"
 *     "Author:","Dag Wieers <dag@wieers.com>",,,,"URL:","http://dag.wieers.com/home-made/dstat/"
 *     "Host:","node01",,,,"User:","root"
 *     "Cmdline:","dstat -t -c -m --output dstat.csv 1",,,,"Date:","20 Nov 2026 21:34:00 EST"
 *     "system","total cpu usage",,,,,"memory usage",,,
 *     "time","usr","sys","idl","wai","stl","used","free","buff","cach"
 *     20-11 21:34:01,12.500,2.000,85.000,0.500,0,1101619200,20078592,2211840,1108680704
 *
 * The names of one line belong to the groups of the line above, whose empty cells go on with the group before: `read` is
 * one thing under dsk/total, another under io/total. Some builds write both in the names ("total cpu usage:usr"); heads
 * without a line of groups are believed for the CPU only. Quotes may be broken (the "Author:" of pcp-dstat).
 *
 * A row describes the interval before its time; the first row of a run is an average since boot and is left out. A file
 * that is given again to --output has the next run behind the first, with heads of its own. The time has no
 * year (it is in "Date:", and goes on at New Year) and no zone but the word behind "Date:"; dool writes "Nov-20".
 * A column epoch is better: UTC. Without either, rows are counted.
 *
 * usr has niced time in it and, where there are no columns hiq and siq, interrupts as well (class dstat_cpu in its source).
 * dstat before 0.7.3 has hiq and siq but no stl: shares are then of the time that the hypervisor left. Sizes are in bytes,
 * dsk, net and paging in bytes a second; net/total leaves out lo and bonds. What the total columns sum up is taken from
 * them only: single disks and interfaces may be any choice of them.
 */
#include "format/host_row.h"

static const struct spelling columns[] = {
	{ "total cpu usage:usr", METRIC_CPU_USER, UNIT_PERCENT },
	{ "total cpu usage:sys", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "total cpu usage:hiq", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "total cpu usage:siq", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "total cpu usage:idl", METRIC_CPU_BUSY, UNIT_PERCENT },
	{ "total cpu usage:wai", METRIC_CPU_IOWAIT, UNIT_PERCENT },
	{ "total cpu usage:stl", METRIC_CPU_STEAL, UNIT_PERCENT },
	{ "memory usage:used", METRIC_HOST_MEM_USED, UNIT_BYTE },
	{ "memory usage:free", METRIC_HOST_MEM_FREE, UNIT_BYTE },
	{ "memory usage:avai", METRIC_HOST_MEM_AVAILABLE, UNIT_BYTE },
	{ "swap:used", METRIC_HOST_SWAP_USED, UNIT_BYTE },
	{ "paging:in", METRIC_HOST_SWAP_IN, UNIT_BYTE_S },
	{ "paging:out", METRIC_HOST_SWAP_OUT, UNIT_BYTE_S },
	{ "dsk/total:read", METRIC_HOST_DISK_READ, UNIT_BYTE_S },
	{ "dsk/total:writ", METRIC_HOST_DISK_WRITE, UNIT_BYTE_S },
	{ "net/total:recv", METRIC_HOST_NET_RX, UNIT_BYTE_S },
	{ "net/total:send", METRIC_HOST_NET_TX, UNIT_BYTE_S },
	{ "procs:run", METRIC_HOST_RUNQ, UNIT_NUMBER },
	{ "procs:blk", METRIC_HOST_BLOCKED, UNIT_NUMBER },
	{ "load avg:1m", METRIC_HOST_LOAD, UNIT_NUMBER },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ "-", ABSENT_UNSUPPORTED },
	{ "nan", ABSENT_UNSUPPORTED },
	{ "None", ABSENT_UNSUPPORTED },
	{ NULL, ABSENT_EMPTY },
};

static const struct {
	const char *name;
	enum cpu_state state;
} states[] = {
	{ "usr", CPU_USER },   { "sys", CPU_SYSTEM }, { "idl", CPU_IDLE },    { "wai", CPU_IOWAIT },
	{ "hiq", CPU_IRQ },    { "siq", CPU_SOFTIRQ }, { "stl", CPU_STEAL },
};

#define SHARE_MOST (101 * (fixed)FIXED_ONE) /* rounding carries a share a few thousandths over 100 */
#define MAX_HEADS ((size_t)16384)	    /* five columns each of 3,000 cores */

enum role { ROLE_NONE, ROLE_TIME, ROLE_EPOCH, ROLE_SHARE, ROLE_METRIC };
struct head {
	enum role role;
	const struct spelling *spelling; /* of ROLE_METRIC */
	enum cpu_state state;		 /* of ROLE_SHARE */
	int core;
};

struct dstat {
	struct reading *r;
	struct sheet *sheet;
	struct host_row *rows;
	const char *groups; /* the line of groups, until the names come; or NULL */
	struct head *heads;
	size_t n, room;
	bool has_time, has_epoch, is_epoch; /* of these heads; of the rows so far */
	bool had_first, other_host;
	size_t n_first; /* rows left out */
	int year, month; /* of "Date:"; 0: not said */
	int last_year, last_month; /* of the row before */
	time_ms midnight; /* of the first row, where there is no year */
	time_ms count;
};

static bool is_preamble(struct slice line)
{
	return slice_starts(line, "\"") && (slice_has(line, " CSV output\"") || slice_has(line, " CSV Output\""));
}

/* "usr" among the cells of a line, and "idl": heads, whatever became of the quotes. */
static bool names_cpu(struct slice line)
{
	struct slice cell;
	bool usr = false, idl = false;

	if (!slice_has(line, "usr")) /* nearly no line */
		return false;
	while (host_cell(&line, ',', &cell)) {
		usr |= slice_is(cell, "usr") || slice_is(cell, "total cpu usage:usr");
		idl |= slice_is(cell, "idl") || slice_is(cell, "total cpu usage:idl");
	}
	return usr && idl;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	while (first_bytes.n) {
		const struct slice line = slice_line(&first_bytes);
		if (is_preamble(line) && (slice_has(line, "stat ") || slice_starts(line, "\"dool ") || slice_starts(line, "\"Dool ")))
			return (struct bid){ 95, "it begins as a CSV of dstat does" };
		if (slice_line_is_whole(line, first_bytes) && names_cpu(line))
			return (struct bid){ 85, "it has dstat's names usr and idl" };
	}
	return (struct bid){ 0, NULL };
}

/* "20 Nov 2026 21:34:00 EST"; in other locales the name of the month is another. */
static void take_date(struct dstat *d, struct slice text)
{
	struct slice last = { NULL, 0 };
	int64_t number;

	d->year = d->month = 0;
	for (struct slice word = slice_word(&text); word.n; word = slice_word(&text)) {
		last = word;
		if (month_parse(word))
			d->month = month_parse(word);
		if (word.n == 4 && integer_parse(word, &number) && number >= 1990 && number < 2100)
			d->year = (int)number;
	}
	if (last.n && !memchr(last.p, ':', last.n) && !integer_parse(last, &number))
		reading_zone(d->r, last);
	d->last_month = 0;
}

static void take_host(struct dstat *d, struct slice host)
{
	d->other_host = host.n && !reading_host(d->r, host);
	d->had_first = false;
	d->groups = NULL;
	d->n = 0;
}

/* True for the lines before the heads. */
static bool take_preamble(struct dstat *d, struct slice line)
{
	struct recording *rec = d->r->recording;
	struct slice cell, first;

	if (is_preamble(line)) {
		if (!rec->tool && slice_is_utf8(line))
			rec->tool = arena_text(d->r->mem, line.p + 1, line.n - 1 - strlen(" CSV output\""));
		return true;
	}
	host_cell(&line, ',', &first);
	if (!slice_is(first, "Host:") && !slice_is(first, "Cmdline:") && !slice_is(first, "Author:"))
		return false;
	if (slice_is(first, "Host:") && host_cell(&line, ',', &cell))
		take_host(d, cell);
	while (slice_is(first, "Cmdline:") && host_cell(&line, ',', &cell))
		if (slice_is(cell, "Date:") && host_cell(&line, ',', &cell))
			take_date(d, cell);
	return true;
}

/* "total cpu usage", or "cpu12 usage" of one core; no group at all may be the CPU's. */
static bool is_cpu_group(struct slice group, int *core)
{
	struct slice word = slice_word(&group);

	*core = WHOLE_HOST;
	return !word.n || (slice_is(word, "total") && slice_is(slice_trim(group), "cpu usage")) ||
	       (core_parse(word, "cpu", core) && slice_is(slice_trim(group), "usage"));
}

static struct head head_of(struct dstat *d, struct slice group, struct slice name)
{
	struct head head = { .core = WHOLE_HOST };
	const char *full = arena_print(d->r->mem, "%.*s:%.*s", SLICE(group), SLICE(name));

	if (slice_is(name, "time") || slice_is(name, "epoch")) {
		head.role = slice_is(name, "time") ? ROLE_TIME : ROLE_EPOCH;
		return head;
	}
	for (size_t i = 0; is_cpu_group(group, &head.core) && i < sizeof states / sizeof states[0]; i++) {
		if (slice_is(name, states[i].name)) {
			head.role = ROLE_SHARE;
			head.state = states[i].state;
			return head;
		}
	}
	head.spelling = spelling_find(columns, slice_of(full));
	head.role = head.spelling ? ROLE_METRIC : ROLE_NONE;
	if (!head.spelling)
		host_row_unread(d->rows, group.n ? slice_of(full) : name);
	return head;
}

/* "total cpu usage:usr" is group and name at once. */
static void split_name(struct slice *group, struct slice *name)
{
	for (size_t i = name->n; i > 0; i--) {
		if (name->p[i - 1] != ':')
			continue;
		*group = (struct slice){ name->p, i - 1 };
		*name = (struct slice){ name->p + i, name->n - i };
		return;
	}
}

static void take_heads(struct dstat *d, struct slice groups, struct slice names)
{
	struct slice group = { "", 0 }, cell, name;
	size_t n_idle = 0;

	d->n = 0;
	d->has_time = d->has_epoch = false;
	while (host_cell(&names, ',', &name) && d->n < MAX_HEADS) {
		if (host_cell(&groups, ',', &cell) && cell.n)
			group = cell;
		struct slice of = group;
		split_name(&of, &name);
		d->heads = grow(d->heads, &d->room, d->n + 1, sizeof *d->heads);
		d->heads[d->n] = head_of(d, of, name);
		n_idle += !of.n && d->heads[d->n].role == ROLE_SHARE && d->heads[d->n].state == CPU_IDLE;
		d->has_time |= d->heads[d->n].role == ROLE_TIME;
		d->has_epoch |= d->heads[d->n].role == ROLE_EPOCH;
		d->n++;
	}
	for (size_t i = 0; n_idle > 1 && i < d->n; i++) /* of several cores, and no group says which */
		if (d->heads[i].role == ROLE_SHARE)
			d->heads[i].role = ROLE_NONE;
}

/* A line of groups waits for its names; a second line of heads is the names. */
static void take_quoted(struct dstat *d, struct slice line)
{
	if (d->groups) {
		take_heads(d, slice_of(d->groups), line);
		d->groups = NULL;
	} else if (names_cpu(line) || slice_has(line, ":")) {
		take_heads(d, (struct slice){ NULL, 0 }, line);
	} else {
		d->n = 0;
		d->groups = arena_text(d->r->mem, line.p, line.n);
	}
}

/* "20-11" or dool's "Nov-20". */
static bool day_parse(struct slice word, int *month, int *day)
{
	const char *dash = word.n ? memchr(word.p, '-', word.n) : NULL;
	int64_t a, b;

	if (!dash)
		return false;
	const struct slice first = { word.p, (size_t)(dash - word.p) }, second = { dash + 1, (size_t)(word.p + word.n - dash) - 1 };
	if (!integer_parse(second, &b) || b < 1 || b > 31)
		return false;
	if (month_parse(first)) {
		*month = month_parse(first);
		*day = (int)b;
		return true;
	}
	if (!integer_parse(first, &a) || a < 1 || a > 31 || b > 12)
		return false;
	*month = (int)b;
	*day = (int)a;
	return true;
}

#define LEAP_YEAR 2000 /* where nobody says the year: has a 29th of February */

/* The year goes on when the month falls from December to January. */
static int year_of(struct dstat *d, int month)
{
	if (!d->last_month) {
		d->last_year = d->year ? d->year : LEAP_YEAR;
		d->last_month = d->year && d->month ? d->month : month;
	}
	if (month < d->last_month - 6)
		d->last_year++;
	else if (month > d->last_month + 6)
		d->last_year--;
	d->last_month = month;
	return d->last_year;
}

static bool time_parse(struct dstat *d, struct slice cell, time_ms *t)
{
	struct slice rest = cell, word = slice_word(&rest);
	int month, day;
	time_ms of_day;

	if (stamp_parse(cell, t))
		return true;
	if (!clock_parse(rest, 0, &of_day) || !day_parse(word, &month, &day) || !civil_is_valid(LEAP_YEAR, month, day))
		return false;
	const int year = year_of(d, month);
	if (!civil_is_valid(year, month, day)) /* 29 February of another year */
		return false;
	const time_ms midnight = days_from_civil(year, month, day) * DAY_MS;
	if (!d->year && d->midnight == TIME_UNKNOWN)
		d->midnight = midnight;
	*t = midnight + of_day - (d->year ? 0 : d->midnight);
	d->r->recording->clock.date_unknown |= !d->year;
	return true;
}

/* The time of the row, from its best column; false, already reported. */
static bool row_time(struct dstat *d, struct slice line, time_ms *t)
{
	struct place place = { d->r->lines->path, d->r->lines->line, 0 };
	const enum role role = d->has_epoch ? ROLE_EPOCH : ROLE_TIME;
	const char *start = line.p;
	struct slice cell = { line.p, 0 };

	if (!d->has_epoch && !d->has_time) {
		*t = d->count++ * SECOND_MS;
		return true;
	}
	for (size_t i = 0; i < d->n && host_cell(&line, ',', &cell); i++)
		if (d->heads[i].role == role)
			break;
	if (role == ROLE_EPOCH ? epoch_parse(cell, t) : time_parse(d, cell, t))
		return true;
	place.column = (int)(cell.p - start) + 1;
	return sheet_reject(d->sheet, place, DIAG_BAD_TIME, "'%.*s' is no time, expected like %s; row not used", SLICE(cell),
		role == ROLE_EPOCH ? "1795225849.936" : "20-11 21:34:01");
}

/* Some builds end a row with a comma: an empty cell too many is none. */
static size_t count_cells(struct slice line, size_t n_heads)
{
	const size_t n = slice_count(line, ',') + 1;

	if (n != n_heads + 1)
		return n;
	struct slice cell = line;
	while (host_cell(&line, ',', &cell))
		continue;
	return cell.n ? n : n_heads;
}

/* A share into the times of its core; a cell that is none makes what is told from it unknown. */
static void take_share(struct dstat *d, const struct head *head, struct slice cell, struct place place)
{
	struct cpu_times *times = host_row_times(d->rows, head->core);
	struct slice rest;
	fixed share;

	if (!times)
		return;
	times->has[head->state] = true;
	times->of[head->state] = -1;
	if (fixed_parse(cell, &share, &rest) && !rest.n && share >= 0 && share <= SHARE_MOST)
		times->of[head->state] = share;
	else
		diag_repeat(d->r->diags, place, DIAG_BAD_NUMBER, "shares", "'%.*s' is no share of the CPU's time", SLICE(cell));
}

static void take_cells(struct dstat *d, struct slice line)
{
	struct place place = { d->r->lines->path, d->r->lines->line, 0 };
	const char *start = line.p;
	struct slice cell;

	for (size_t i = 0; i < d->n && host_cell(&line, ',', &cell); i++) {
		const struct head *head = &d->heads[i];
		place.column = (int)(cell.p - start) + 1;
		if (head->role == ROLE_SHARE)
			take_share(d, head, cell, place);
		else if (head->role == ROLE_METRIC)
			sheet_cell(d->sheet, head->spelling, head->spelling->unit, cell, place);
	}
}

/* False, already reported, for a row that these heads or this recording can't have. */
static bool row_fits(struct dstat *d, struct slice line)
{
	struct place place = { d->r->lines->path, d->r->lines->line, 0 };
	const size_t n = count_cells(line, d->n);

	if (n != d->n)
		return sheet_reject_cells(d->sheet, place, n, d->n);
	if (d->other_host)
		return sheet_reject(d->sheet, place, DIAG_BAD_ROW, "a row of another host in a log of '%s'; not used",
			d->r->recording->host);
	if (d->n_first && d->is_epoch != d->has_epoch)
		return sheet_reject(d->sheet, place, DIAG_BAD_ROW, "a row with%s epoch in a log with%s; not used",
			d->has_epoch ? "" : "out", d->is_epoch ? "" : "out");
	return true;
}

static void take_row(struct dstat *d, struct slice line)
{
	time_ms t;

	if (!row_fits(d, line) || !row_time(d, line, &t))
		return;
	d->is_epoch = d->has_epoch;
	if (!d->had_first) { /* the average since boot */
		d->had_first = true;
		d->n_first++;
		d->r->recording->n_rows_ignored++;
		host_row_begin(d->rows, t);
		return;
	}
	host_row_open(d->rows, t);
	take_cells(d, line);
	host_row_close(d->rows, 100 * (int64_t)FIXED_ONE, 3);
}

static void take_line(struct dstat *d, struct slice line)
{
	struct recording *rec = d->r->recording;
	struct slice cell, rest = line;
	time_ms t;

	if (!sheet_takes_line(d->sheet))
		return;
	host_cell(&rest, ',', &cell);
	if (!slice_trim(line).n || take_preamble(d, line)) {
		rec->n_rows_ignored++;
	} else if (line.p[0] == '"' || names_cpu(line)) {
		take_quoted(d, line);
		rec->n_rows_ignored++;
	} else if (d->n) {
		take_row(d, line);
	} else if (d->groups && epoch_parse(cell, &t)) {
		sheet_reject(d->sheet, (struct place){ d->r->lines->path, d->r->lines->line, 0 }, DIAG_BAD_ROW,
			"a row before the names of its columns; not used");
	} else {
		rec->n_rows_ignored++;
	}
}

static bool dstat_finish(struct dstat *d)
{
	struct recording *rec = d->r->recording;
	const struct place place = { d->r->lines->path, 0, 0 };

	if (d->is_epoch)
		reading_epoch(d->r);
	rec->clock.time_unknown = d->count > 0;
	host_row_release(d->rows);
	grow_free(d->heads);
	if (d->n_first || rec->n_rows_bad)
		return sheet_finish(d->sheet);
	diag_at(d->r->diags, place, DIAG_NO_ROWS,
		"dstat wrote its heads and no row: under Python 3.11 it fails at the first; log with dool, pcp-dstat or vmstat -t");
	return sheet_drop(d->sheet);
}

static bool read(struct reading *r)
{
	struct dstat *d = NEW(r->scratch, struct dstat);
	struct slice line;

	d->r = r;
	d->sheet = sheet_new(r);
	d->rows = host_row_new(r, d->sheet);
	d->midnight = TIME_UNKNOWN;
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(d, line);
	return dstat_finish(d);
}

static const char sample[] =
	"\"Dstat 0.7.3 CSV output\"\n"
	"\"Author:\",\"Dag Wieers <dag@wieers.com>\",,,,\"URL:\",\"http://dag.wieers.com/home-made/dstat/\"\n"
	"\"Host:\",\"node01\",,,,\"User:\",\"root\"\n"
	"\"Cmdline:\",\"dstat -t -c -m -d --output dstat.csv 1\",,,,\"Date:\",\"20 Nov 2026 21:34:00 UTC\"\n"
	"\"system\",\"total cpu usage\",,,,,\"memory usage\",,,,\"dsk/total\",\n"
	"\"time\",\"usr\",\"sys\",\"idl\",\"wai\",\"stl\",\"used\",\"free\",\"buff\",\"cach\",\"read\",\"writ\"\n"
	"20-11 21:34:00,4.100,1.200,94.700,0,0,1101619200,20078592,2211840,1108680704,92116.555,24458.704\n"
	"20-11 21:34:01,50.250,2.000,47.500,0.250,0,1101815808,19877888,2211840,1108684800,0,0\n"
	"20-11 21:34:02,51.000,1.500,47.500,0,0,1101807616,19894272,2211840,1108692992,0,32768\n";

const struct format format_dstat = {
	.name = "dstat",
	.title = "dstat, dool and pcp-dstat -t … --output FILE",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.rows_are_not_lines = true,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
