/*
 * nmon.c - reads what nmon for Linux wrote with `nmon -f -s N -c COUNT`.
 *
 *     AAA,version,16m
 *     AAA,host,node01
 *     CPU001,CPU 1 node01,User%,Sys%,Wait%,Idle%,Steal%
 *     CPU_ALL,CPU Total node01,User%,Sys%,Wait%,Idle%,Steal%,Busy,CPUs
 *     MEM,Memory MB node01,memtotal,hightotal,lowtotal,swaptotal,memfree,highfree,lowfree,swapfree,memshared,cached,active,…
 *     ZZZZ,T0001,21:34:25,20-NOV-2026
 *     CPU001,T0001,12.5,2.0,0.5,85.0,0.0
 *     CPU_ALL,T0001,12.5,2.0,0.5,85.0,0.0,,2
 *     MEM,T0001,24152.1,-0.0,-0.0,0.0,14233.0,-0.0,-0.0,0.0,-0.0,9092.0,4231.0,-1.0,101.0,0.0,5584.0
 *
 * A line of heads for each section, then a mark with time and date for each snapshot, and the sections' lines, which
 * name the mark. The time is local and has no zone; months are English. A row describes the interval before its mark; what
 * the first one reaches back to is not told, so it is left out. Cores count from 1, here as elsewhere from 0.
 *
 * MEM is in MB of 1024 KiB, NET and DISK lines in KB a second. Interfaces but lo are summed, disks too; partitions of a disk
 * that is listed are left out, and so are loop, ram, md and dm devices, whose blocks are counted on the disks below.
 * Memory that programs hold is memtotal - memfree - cached - buffers; the slab, which nmon leaves out, counts as held.
 */
#include "format/host_row.h"

#include <math.h>

static const struct spelling columns[] = {
	{ "CPU_ALL User%", METRIC_CPU_USER, UNIT_PERCENT },
	{ "CPU_ALL Sys%", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "CPU_ALL Wait%", METRIC_CPU_IOWAIT, UNIT_PERCENT },
	{ "CPU_ALL Steal%", METRIC_CPU_STEAL, UNIT_PERCENT },
	{ "CPU_ALL Idle%", METRIC_CPU_BUSY, UNIT_PERCENT },
	{ "MEM memtotal", METRIC_HOST_MEM_TOTAL, UNIT_MIB },
	{ "MEM memfree", METRIC_HOST_MEM_FREE, UNIT_MIB },
	{ "MEM swaptotal", METRIC_HOST_SWAP_USED, UNIT_MIB },
	{ "PROC Runnable", METRIC_HOST_RUNQ, UNIT_NUMBER },
	{ "PROC Blocked", METRIC_HOST_BLOCKED, UNIT_NUMBER },
	{ "DISKREAD", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "DISKWRITE", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "DISKBUSY", METRIC_HOST_DISK_UTIL, UNIT_PERCENT },
	{ "NET-read", METRIC_HOST_NET_RX, UNIT_KIB_S },
	{ "NET-write", METRIC_HOST_NET_TX, UNIT_KIB_S },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ NULL, ABSENT_EMPTY },
};

#define MAX_SECTIONS ((size_t)32) /* of interest there are 7; DISKREAD1 … follow where disks are many */
#define MAX_HEADS ((size_t)512)   /* of one section; nmon begins another DISK section after 150 */
#define VALUE_MOST (1000000000 * (fixed)FIXED_ONE)
#define SHARE_MOST (101 * (fixed)FIXED_ONE)

struct section { /* the heads of a kind of line, kept as written */
	const char *name;
	struct slice heads[MAX_HEADS];
	bool is_disk[MAX_HEADS]; /* for the DISK sections: no partition, nothing stacked */
	size_t n;
};

struct nmon {
	struct reading *r;
	struct sheet *sheet;
	struct host_row *rows;
	struct section *sections[MAX_SECTIONS];
	size_t n_sections;
	const char *mark; /* in force: "T0001" */
	bool is_open, had_first;
	fixed read, written, busiest, received, sent; /* of the snapshot; FIXED_MISSING */
};

/* "DISKREAD", "DISKREAD1", … but not DISKREADSERV. */
static bool is_kind(struct slice name, const char *kind)
{
	int number;

	return slice_is(name, kind) || core_parse(name, kind, &number);
}

static bool is_interesting(struct slice name)
{
	return slice_is(name, "MEM") || slice_is(name, "PROC") || slice_is(name, "NET") || is_kind(name, "DISKREAD") ||
	       is_kind(name, "DISKWRITE") || is_kind(name, "DISKBUSY");
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	if (slice_starts(first_bytes, "AAA,progname,") || slice_starts(first_bytes, "AAA,command,"))
		return (struct bid){ 95, "it begins as a file of nmon does" };
	while (first_bytes.n) {
		const struct slice line = slice_line(&first_bytes);
		if (slice_starts(line, "ZZZZ,T"))
			return (struct bid){ 90, "it has the time marks of nmon" };
	}
	return (struct bid){ 0, NULL };
}

/* "20-NOV-2026" */
static bool day_parse(struct slice text, time_ms *day)
{
	int64_t of_month, year;

	if (text.n != strlen("20-NOV-2026") || text.p[2] != '-' || text.p[6] != '-')
		return false;
	if (!integer_parse((struct slice){ text.p, 2 }, &of_month) || !integer_parse((struct slice){ text.p + 7, 4 }, &year))
		return false;
	const int month = month_parse((struct slice){ text.p + 3, 3 });
	if (!month || year < 1990 || year >= 2100 || !civil_is_valid((int)year, month, (int)of_month))
		return false;
	*day = days_from_civil((int)year, month, (int)of_month) * DAY_MS;
	return true;
}

static void put_value(struct nmon *m, enum metric metric, fixed value)
{
	if (value != FIXED_MISSING)
		sheet_put(m->sheet, metric, value, 1);
}

static void end_snapshot(struct nmon *m)
{
	if (m->is_open) {
		put_value(m, METRIC_HOST_DISK_READ, m->read);
		put_value(m, METRIC_HOST_DISK_WRITE, m->written);
		put_value(m, METRIC_HOST_DISK_UTIL, m->busiest > 100 * (fixed)FIXED_ONE ? 100 * (fixed)FIXED_ONE : m->busiest);
		put_value(m, METRIC_HOST_NET_RX, m->received);
		put_value(m, METRIC_HOST_NET_TX, m->sent);
		host_row_close(m->rows, 100 * (int64_t)FIXED_ONE, 1);
	}
	m->is_open = false;
	m->read = m->written = m->busiest = m->received = m->sent = FIXED_MISSING;
}

/* "ZZZZ,T0001,21:34:25,20-NOV-2026" */
static void take_mark(struct nmon *m, struct slice line)
{
	struct place place = { m->r->lines->path, m->r->lines->line, 0 };
	struct slice cell = { "", 0 }, mark = cell, time = cell, date = cell;
	time_ms t, of_day;

	host_cell(&line, ',', &cell);
	end_snapshot(m);
	m->mark = NULL;
	if (!host_cell(&line, ',', &mark) || !host_cell(&line, ',', &time) || !host_cell(&line, ',', &date) ||
		!clock_parse(time, 0, &of_day) || !day_parse(date, &t)) {
		sheet_reject(m->sheet, place, DIAG_BAD_TIME, "no mark like ZZZZ,T0001,21:34:25,20-NOV-2026; the snapshot is not used");
		return;
	}
	m->r->recording->n_rows_ignored++;
	if (!m->had_first) {
		m->had_first = true;
		host_row_begin(m->rows, t + of_day);
		return;
	}
	m->mark = arena_text(m->r->mem, mark.p, mark.n);
	m->is_open = true;
	host_row_open(m->rows, t + of_day);
}

static struct section *section_find(struct nmon *m, struct slice name)
{
	for (size_t i = 0; i < m->n_sections; i++)
		if (slice_is(name, m->sections[i]->name))
			return m->sections[i];
	return NULL;
}

/* "sda1" of "sda", "nvme0n1p2" of "nvme0n1". */
static bool is_part_of(struct slice name, struct slice disk)
{
	if (name.n <= disk.n || !disk.n || memcmp(name.p, disk.p, disk.n) != 0)
		return false;
	struct slice rest = { name.p + disk.n, name.n - disk.n };
	if (is_digit(disk.p[disk.n - 1])) {
		if (rest.p[0] != 'p')
			return false;
		rest = (struct slice){ rest.p + 1, rest.n - 1 };
	}
	int64_t number;
	return integer_parse(rest, &number);
}

static bool is_disk(const struct section *s, size_t head)
{
	static const char *const stacked[] = { "loop", "ram", "zram", "md", "dm-", "sr", "fd" };

	if (!s->heads[head].n)
		return false;
	for (size_t i = 0; i < sizeof stacked / sizeof stacked[0]; i++)
		if (slice_starts(s->heads[head], stacked[i]))
			return false;
	for (size_t i = 0; i < s->n; i++)
		if (is_part_of(s->heads[head], s->heads[i]))
			return false;
	return true;
}

/* "NET,Network I/O node01,lo-read-KB/s,eth0-read-KB/s,…": the name and a title, then the heads. */
static void take_heads(struct nmon *m, struct slice name, struct slice rest)
{
	struct section *s = section_find(m, name);
	struct slice cell;

	if (!s && m->n_sections == MAX_SECTIONS)
		return;
	if (!s) {
		s = m->sections[m->n_sections++] = NEW(m->r->scratch, struct section);
		s->name = arena_text(m->r->mem, name.p, name.n);
	}
	struct slice kept = { arena_text(m->r->mem, rest.p ? rest.p : "", rest.n), rest.n };
	for (s->n = 0; s->n < MAX_HEADS && host_cell(&kept, ',', &cell);)
		s->heads[s->n++] = cell;
	for (size_t i = 0; i < s->n; i++)
		s->is_disk[i] = is_disk(s, i);
}

/* User%, Sys%, Wait%, Idle%, Steal%: in this order in every version, without Steal% in old ones. */
static void take_shares(struct nmon *m, int core, struct slice rest)
{
	static const enum cpu_state order[] = { CPU_USER, CPU_SYSTEM, CPU_IOWAIT, CPU_IDLE, CPU_STEAL };
	struct place place = { m->r->lines->path, m->r->lines->line, 0 };
	struct cpu_times *times = host_row_times(m->rows, core);
	struct slice cells[sizeof order / sizeof order[0]], tail;
	const size_t n = host_cells(rest, ',', cells, sizeof order / sizeof order[0]);
	fixed share;

	for (size_t i = 0; times && i < n; i++) {
		const struct slice cell = cells[i];
		if (order[i] == CPU_STEAL && !cell.n) /* before 16a, Busy stood here: empty */
			return;
		times->has[order[i]] = true;
		times->of[order[i]] = -1;
		if (fixed_parse(cell, &share, &tail) && !tail.n && share >= 0 && share <= SHARE_MOST)
			times->of[order[i]] = share;
		else
			diag_repeat(m->r->diags, place, DIAG_BAD_NUMBER, "shares", "'%.*s' is no share of the CPU's time", SLICE(cell));
	}
}

static bool value_parse(struct slice cell, fixed *value)
{
	struct slice rest;

	return fixed_parse(cell, value, &rest) && !rest.n && *value >= 0 && *value <= VALUE_MOST;
}

/* The cell under a head; FIXED_MISSING when there is none. */
static fixed value_under(const struct section *s, struct slice rest, const char *head)
{
	struct slice cell;
	fixed value;

	for (size_t i = 0; i < s->n && host_cell(&rest, ',', &cell); i++)
		if (slice_is(s->heads[i], head))
			return value_parse(cell, &value) ? value : FIXED_MISSING;
	return FIXED_MISSING;
}

static int64_t kib_of(fixed mib)
{
	return mib == FIXED_MISSING ? -1 : (int64_t)llround(fixed_value(mib) * 1024);
}

static void take_memory(struct nmon *m, const struct section *s, struct slice rest)
{
	const int64_t total = kib_of(value_under(s, rest, "memtotal")), spare = kib_of(value_under(s, rest, "memfree")),
		      cached = kib_of(value_under(s, rest, "cached")), buffers = kib_of(value_under(s, rest, "buffers")),
		      swap = kib_of(value_under(s, rest, "swaptotal")), swap_free = kib_of(value_under(s, rest, "swapfree"));

	if (total > 0 && spare >= 0 && cached >= 0 && buffers >= 0)
		host_row_memory(m->sheet, total, total - spare - cached - buffers);
	if (spare >= 0)
		host_row_kib(m->sheet, METRIC_HOST_MEM_FREE, spare);
	if (swap >= 0 && swap_free >= 0)
		host_row_kib(m->sheet, METRIC_HOST_SWAP_USED, swap - swap_free);
}

static void take_processes(struct nmon *m, const struct section *s, struct slice rest)
{
	const fixed runnable = value_under(s, rest, "Runnable"), blocked = value_under(s, rest, "Blocked");

	if (runnable != FIXED_MISSING && runnable <= 1000000 * (fixed)FIXED_ONE)
		sheet_put(m->sheet, METRIC_HOST_RUNQ, runnable, 0);
	if (blocked != FIXED_MISSING && blocked <= 1000000 * (fixed)FIXED_ONE)
		sheet_put(m->sheet, METRIC_HOST_BLOCKED, blocked, 0);
}

static void add(fixed *sum, fixed value)
{
	if (*sum == FIXED_MISSING)
		*sum = 0;
	if (*sum < INT64_MAX - value)
		*sum += value;
}

static void take_disks(struct nmon *m, const struct section *s, struct slice rest)
{
	fixed *sum = is_kind(slice_of(s->name), "DISKREAD") ? &m->read : &m->written, value;
	const bool is_busy = is_kind(slice_of(s->name), "DISKBUSY");
	struct slice cell;

	for (size_t i = 0; i < s->n && host_cell(&rest, ',', &cell); i++) {
		if (!s->is_disk[i] || !value_parse(cell, &value))
			continue;
		if (!is_busy)
			add(sum, value);
		else if (value > m->busiest) /* FIXED_MISSING is below all */
			m->busiest = value;
	}
}

/* "eth0-read-KB/s" */
static void take_net(struct nmon *m, const struct section *s, struct slice rest)
{
	struct slice cell;
	fixed value;

	for (size_t i = 0; i < s->n && host_cell(&rest, ',', &cell); i++) {
		if (slice_starts(s->heads[i], "lo-") || !value_parse(cell, &value))
			continue;
		if (slice_has(s->heads[i], "-read-KB/s"))
			add(&m->received, value);
		else if (slice_has(s->heads[i], "-write-KB/s"))
			add(&m->sent, value);
	}
}

/* A line of the snapshot in force. */
static void take_values(struct nmon *m, struct slice name, struct slice rest)
{
	const struct section *s = section_find(m, name);
	int core;

	if (slice_is(name, "CPU_ALL"))
		take_shares(m, WHOLE_HOST, rest);
	else if (core_parse(name, "CPU", &core) && core > 0)
		take_shares(m, core - 1, rest);
	else if (s && slice_is(name, "MEM"))
		take_memory(m, s, rest);
	else if (s && slice_is(name, "PROC"))
		take_processes(m, s, rest);
	else if (s && slice_is(name, "NET"))
		take_net(m, s, rest);
	else if (s)
		take_disks(m, s, rest);
}

/* "AAA,host,node01" */
static void take_fact(struct nmon *m, struct slice rest)
{
	struct recording *rec = m->r->recording;
	struct slice key, value;

	if (!host_cell(&rest, ',', &key) || !host_cell(&rest, ',', &value) || !value.n || value.n > 255 || !slice_is_utf8(value))
		return;
	if (slice_is(key, "host"))
		reading_host(m->r, value);
	if (slice_is(key, "version") && !rec->tool)
		rec->tool = arena_print(m->r->mem, "nmon %.*s", SLICE(value));
}

static bool is_mark(struct slice cell)
{
	return cell.n > 1 && cell.p[0] == 'T' && is_digit(cell.p[1]);
}

static void take_line(struct nmon *m, struct slice line)
{
	struct slice rest = line, name = { "", 0 }, second = { "", 0 };

	if (!sheet_takes_line(m->sheet))
		return;
	host_cell(&rest, ',', &name);
	if (slice_is(name, "ZZZZ")) {
		take_mark(m, line);
		return;
	}
	m->r->recording->n_rows_ignored++; /* a line is a part of a row, counted with its mark */
	if (slice_is(name, "AAA")) {
		take_fact(m, rest);
		return;
	}
	host_cell(&rest, ',', &second);
	if (!is_mark(second) && is_interesting(name))
		take_heads(m, name, rest);
	else if (m->mark && slice_is(second, m->mark))
		take_values(m, name, rest);
}

static bool read(struct reading *r)
{
	struct nmon *m = NEW(r->scratch, struct nmon);
	struct slice line;

	m->r = r;
	m->sheet = sheet_new(r);
	m->rows = host_row_new(r, m->sheet);
	r->recording->clock.basis = BASIS_LOCAL;
	end_snapshot(m);
	while (line_next(r->lines, &line))
		take_line(m, line);
	end_snapshot(m);
	host_row_release(m->rows);
	return sheet_finish(m->sheet);
}

static const char sample[] =
	"AAA,progname,nmon16m\n"
	"AAA,version,16m\n"
	"AAA,host,node01\n"
	"CPU001,CPU 1 node01,User%,Sys%,Wait%,Idle%,Steal%\n"
	"CPU_ALL,CPU Total node01,User%,Sys%,Wait%,Idle%,Steal%,Busy,CPUs\n"
	"MEM,Memory MB node01,memtotal,swaptotal,memfree,swapfree,cached,buffers\n"
	"ZZZZ,T0001,21:34:25,20-NOV-2026\n"
	"CPU001,T0001,10.0,2.0,0.5,87.5,0.0\n"
	"CPU_ALL,T0001,10.0,2.0,0.5,87.5,0.0,,1\n"
	"MEM,T0001,24152.1,0.0,14233.0,0.0,9092.0,101.0\n"
	"ZZZZ,T0002,21:34:26,20-NOV-2026\n"
	"CPU001,T0002,60.0,2.0,0.5,37.5,0.0\n"
	"CPU_ALL,T0002,60.0,2.0,0.5,37.5,0.0,,1\n"
	"MEM,T0002,24152.1,0.0,14231.0,0.0,9093.0,101.0\n";

const struct format format_nmon = {
	.name = "nmon",
	.title = "nmon -f -s N",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.rows_are_not_lines = true,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
