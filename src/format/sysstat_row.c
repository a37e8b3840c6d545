/*
 * sysstat_row.c - rows of sar and sadf, whatever their section.
 *
 * Lines of one time in several sections become one row of the host, because they describe the same interval.
 * Devices and interfaces are summed over the lines of one time. Partitions of a disk that is listed, too, are
 * left out; so are loop, md and dm devices, whose blocks are counted again on the disks below them; so is `lo`.
 *
 * Disk traffic is told in up to three sections (-B, -b, -d), which differ: the first that a file has is kept, so
 * that a track never changes its meaning. A core that is offline has only zeros, idle included: it is not busy.
 * kbmemused is not read, because sysstat 12.1.5 changed its meaning (with caches before, without since).
 */
#include "format/sysstat_row.h"

#include <stdio.h>

/* Bounds sums of thousands of devices; a TiB/s has 10^9 KiB. */
#define VALUE_MOST ((fixed)1000000000000 * FIXED_ONE)
#define SHARE_MOST (101 * (fixed)FIXED_ONE) /* rounding carries a share a few hundredths over 100 */
#define WHOLE (100 * (fixed)FIXED_ONE)

const struct spelling sysstat_columns[] = {
	{ "%usr", METRIC_CPU_USER, UNIT_PERCENT },
	{ "%user", METRIC_CPU_USER, UNIT_PERCENT },
	{ "%nice", METRIC_CPU_USER, UNIT_PERCENT },
	{ "%sys", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "%system", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "%irq", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "%soft", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "%iowait", METRIC_CPU_IOWAIT, UNIT_PERCENT },
	{ "%steal", METRIC_CPU_STEAL, UNIT_PERCENT },
	{ "%idle", METRIC_CPU_BUSY, UNIT_PERCENT },
	{ "runq-sz", METRIC_HOST_RUNQ, UNIT_NUMBER },
	{ "blocked", METRIC_HOST_BLOCKED, UNIT_NUMBER },
	{ "ldavg-1", METRIC_HOST_LOAD, UNIT_NUMBER },
	{ "kbmemfree", METRIC_HOST_MEM_FREE, UNIT_KIB },
	{ "kbavail", METRIC_HOST_MEM_AVAILABLE, UNIT_KIB },
	{ "pswpin/s", METRIC_HOST_SWAP_IN, UNIT_KIB_S },
	{ "pswpout/s", METRIC_HOST_SWAP_OUT, UNIT_KIB_S },
	{ "pgpgin/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "pgpgout/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "bread/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "bwrtn/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "rkB/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "wkB/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "rd_sec/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "wr_sec/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "rxkB/s", METRIC_HOST_NET_RX, UNIT_KIB_S },
	{ "txkB/s", METRIC_HOST_NET_TX, UNIT_KIB_S },
	{ "rxbyt/s", METRIC_HOST_NET_RX, UNIT_BYTE_S },
	{ "txbyt/s", METRIC_HOST_NET_TX, UNIT_BYTE_S },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

/* sar and sadf have no word for missing: what isn't there has no column. */
const struct absence_word sysstat_absences[] = {
	{ NULL, ABSENT_EMPTY },
};

/* Columns that count things of another size than their unit: sectors and blocks of 512 bytes, pages of 4 KiB (x86). */
static const struct {
	const char *head;
	int times, by;
} sizes[] = {
	{ "bread/s", 1, 2 },
	{ "bwrtn/s", 1, 2 },
	{ "rd_sec/s", 1, 2 },
	{ "wr_sec/s", 1, 2 },
	{ "pswpin/s", 4, 1 },
	{ "pswpout/s", 4, 1 },
	{ "kbmemfree", 1, 1024 },
	{ "kbavail", 1, 1024 },
	{ "rxbyt/s", 1, 1024 },
	{ "txbyt/s", 1, 1024 },
};

enum section { SECTION_NONE,
	SECTION_CPU,
	SECTION_HOST,
	SECTION_DEVICES };

struct values {
	fixed of[N_METRICS];
	int decimals[N_METRICS];
	bool has[N_METRICS];
};

struct sysstat_rows {
	struct reading *r;
	struct sheet *sheet;
	enum section section;
	char heads[SYSSTAT_WORDS][16]; /* cut: none that we know is longer */
	const struct spelling *columns[SYSSTAT_WORDS]; /* NULL: not read */
	size_t n, key; /* key: the column of core or device */
	const struct spelling *kept[N_METRICS]; /* the way in which this file tells a metric */
	struct {
		bool open, damaged;
		time_ms begin, t, damaged_at;
		struct values sum;
		char disk[64]; /* the last device that is no partition */
	} group;
};

struct sysstat_rows *sysstat_rows_new(struct reading *r, struct sheet *sheet)
{
	struct sysstat_rows *s = NEW(r->mem, struct sysstat_rows);

	s->r = r;
	s->sheet = sheet;
	return s;
}

static size_t find_head(const struct sysstat_words *head, const char *text)
{
	size_t i = 0;

	while (i < head->n && !slice_is(head->at[i], text))
		i++;
	return i;
}

static enum section section_of(const struct sysstat_words *head)
{
	bool known = false;

	if (head->n == SYSSTAT_WORDS)
		return SECTION_NONE;
	if (find_head(head, "CPU") < head->n)
		return find_head(head, "%idle") < head->n && find_head(head, "%iowait") < head->n ? SECTION_CPU : SECTION_NONE;
	for (size_t i = 0; i < head->n; i++)
		known |= head->at[i].p[0] != '%' && spelling_find(sysstat_columns, head->at[i]);
	if (!known)
		return SECTION_NONE;
	return find_head(head, "DEV") < head->n || find_head(head, "IFACE") < head->n ? SECTION_DEVICES : SECTION_HOST;
}

bool sysstat_head_is_known(const struct sysstat_words *head)
{
	return section_of(head) != SECTION_NONE;
}

static size_t key_column(const struct sysstat_words *head)
{
	static const char *const keys[] = { "CPU", "DEV", "IFACE" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (find_head(head, keys[i]) < head->n)
			return find_head(head, keys[i]);
	return head->n;
}

/* The column if it is read: the first way in which the file tells its metric. Shares are parts, so they all are. */
static const struct spelling *column_of(struct sysstat_rows *s, struct slice head)
{
	const struct spelling *column = spelling_find(sysstat_columns, head);

	if (!column || head.p[0] == '%')
		return s->section == SECTION_CPU ? column : NULL;
	if (!s->kept[column->metric])
		s->kept[column->metric] = column;
	return s->kept[column->metric] == column ? column : NULL;
}

void sysstat_head(struct sysstat_rows *s, const struct sysstat_words *head)
{
	s->r->recording->n_rows_ignored++;
	sysstat_head_end(s);
	s->section = section_of(head);
	if (s->section == SECTION_NONE)
		return;
	s->n = head->n;
	s->key = key_column(head);
	for (size_t i = 0; i < head->n; i++) {
		snprintf(s->heads[i], sizeof s->heads[i], "%.*s", SLICE(head->at[i]));
		s->columns[i] = find_head(head, s->heads[i]) == i ? column_of(s, head->at[i]) : NULL;
	}
}

/* The sum over devices becomes a part of the host's row. */
static void group_end(struct sysstat_rows *s)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };
	const bool damaged = s->group.damaged && s->group.damaged_at == s->group.t;

	if (!s->group.open)
		return;
	size_t channel = sheet_channel(s->sheet, &host);
	if (channel == SIZE_MAX) {
		s->r->recording->n_rows_bad++;
	} else {
		sheet_begin(s->sheet, channel, s->group.begin);
		sheet_row_at(s->sheet, channel, s->group.t);
		for (int m = 0; m < N_METRICS; m++) {
			if (s->group.sum.has[m] && damaged)
				sheet_absent(s->sheet, (enum metric)m, ABSENT_UNREADABLE);
			else if (s->group.sum.has[m])
				sheet_put(s->sheet, (enum metric)m, s->group.sum.of[m], s->group.sum.decimals[m]);
		}
	}
	memset(&s->group, 0, sizeof s->group);
}

void sysstat_head_end(struct sysstat_rows *s)
{
	group_end(s);
	s->section = SECTION_NONE;
}

bool sysstat_is_open(const struct sysstat_rows *s)
{
	return s->section != SECTION_NONE;
}

void sysstat_rows_end(struct sysstat_rows *s)
{
	sysstat_head_end(s);
}

/* "98.12"; German and French locales write "98,12". Thousands are never grouped. */
static bool value_parse(struct slice word, fixed *value, int *decimals)
{
	char text[32];
	struct slice rest;

	*decimals = 0;
	if (!word.n || word.n >= sizeof text)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		text[i] = word.p[i] == ',' ? '.' : word.p[i];
		*decimals = text[i] == '.' ? (int)(word.n - i) - 1 : *decimals;
	}
	return fixed_parse((struct slice){ text, word.n }, value, &rest) && !rest.n && *value >= 0 && *value <= VALUE_MOST;
}

static void scale(const char *head, fixed *value, int *decimals)
{
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		if (strcmp(head, sizes[i].head) == 0) {
			*value = *value * sizes[i].times / sizes[i].by;
			*decimals = sizes[i].by > 2 && *decimals < 2 ? 2 : *decimals;
		}
	}
}

/* The cells of a row, those of one metric summed. False, already reported: a cell is no number. */
static bool values_parse(struct sysstat_rows *s, const struct sysstat_words *row, struct values *values)
{
	struct place place = { s->r->lines->path, s->r->lines->line, 0 };
	const bool shares = s->section == SECTION_CPU;

	memset(values, 0, sizeof *values);
	for (size_t i = 0; i < s->n; i++) {
		fixed value;
		int decimals;
		if (!s->columns[i])
			continue;
		place.column = row->columns[i];
		if (!value_parse(row->at[i], &value, &decimals) || (shares && value > SHARE_MOST))
			return sheet_reject(s->sheet, place, DIAG_BAD_NUMBER, "'%.*s' in %s is no %s; row not used", SLICE(row->at[i]),
				s->heads[i], shares ? "share" : "number");
		scale(s->heads[i], &value, &decimals);
		enum metric metric = s->columns[i]->metric;
		values->of[metric] += value;
		values->has[metric] = true;
		values->decimals[metric] = decimals > values->decimals[metric] ? decimals : values->decimals[metric];
	}
	return true;
}

/* "all" in sar, "-1" in sadf, or a core. */
static bool entity_parse(struct slice word, struct entity *e)
{
	int64_t core;

	*e = (struct entity){ .scope = SCOPE_HOST, .host = "" };
	if (slice_is(word, "all") || slice_is(word, "-1"))
		return true;
	if (!integer_parse(word, &core) || core >= 1 << 16)
		return false;
	e->scope = SCOPE_CORE;
	e->index = (int)core;
	return true;
}

static fixed clamped(fixed share)
{
	return share < 0 ? 0 : share > WHOLE ? WHOLE
					     : share;
}

static void put_shares(struct sysstat_rows *s, const struct entity *e, const struct values *shares)
{
	static const enum metric parts[] = { METRIC_CPU_USER, METRIC_CPU_SYSTEM, METRIC_CPU_IOWAIT, METRIC_CPU_STEAL };
	const enum metric busy = e->scope == SCOPE_CORE ? METRIC_CORE_BUSY : METRIC_CPU_BUSY;
	fixed idle = shares->of[METRIC_CPU_BUSY], all = idle;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		all += shares->of[parts[i]];
	if (!all)
		sheet_absent(s->sheet, busy, ABSENT_UNSUPPORTED);
	else
		sheet_put(s->sheet, busy, clamped(WHOLE - idle - shares->of[METRIC_CPU_IOWAIT] - shares->of[METRIC_CPU_STEAL]), 2);
	for (size_t i = 0; all && e->scope == SCOPE_HOST && i < sizeof parts / sizeof *parts; i++)
		if (shares->has[parts[i]])
			sheet_put(s->sheet, parts[i], clamped(shares->of[parts[i]]), 2);
}

static void take_cpu(struct sysstat_rows *s, const struct sysstat_words *row, time_ms begin, time_ms t)
{
	struct place place = { s->r->lines->path, s->r->lines->line, row->columns[s->key] };
	struct values shares;
	struct entity e;

	if (!entity_parse(row->at[s->key], &e)) {
		sheet_reject(s->sheet, place, DIAG_BAD_ROW, "'%.*s' is neither 'all' nor a core; row not used", SLICE(row->at[s->key]));
		return;
	}
	if (!values_parse(s, row, &shares))
		return;
	size_t channel = sheet_channel(s->sheet, &e);
	if (channel == SIZE_MAX) {
		s->r->recording->n_rows_bad++;
		return;
	}
	sheet_begin(s->sheet, channel, begin);
	sheet_row_at(s->sheet, channel, t);
	put_shares(s, &e, &shares);
}

static void put_host(struct sysstat_rows *s, const struct values *values)
{
	for (int m = 0; m < N_METRICS; m++) {
		if (!values->has[m])
			continue;
		if (fixed_value(values->of[m]) > metric_table[m].high)
			sheet_absent(s->sheet, (enum metric)m, ABSENT_OUT_OF_RANGE);
		else
			sheet_put(s->sheet, (enum metric)m, values->of[m], values->decimals[m]);
	}
}

static void take_host(struct sysstat_rows *s, const struct sysstat_words *row, time_ms begin, time_ms t)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };
	struct values values;

	if (!values_parse(s, row, &values))
		return;
	size_t channel = sheet_channel(s->sheet, &host);
	if (channel == SIZE_MAX) {
		s->r->recording->n_rows_bad++;
		return;
	}
	sheet_begin(s->sheet, channel, begin);
	sheet_row_at(s->sheet, channel, t);
	put_host(s, &values);
}

/* "sda1" after "sda", "nvme0n1p2" after "nvme0n1" */
static bool is_partition(struct slice name, const char *disk)
{
	size_t n = strlen(disk);

	if (!n || !slice_starts(name, disk) || name.n == n)
		return false;
	if (disk[n - 1] >= '0' && disk[n - 1] <= '9' && name.p[n++] != 'p')
		return false;
	for (size_t i = n; i < name.n; i++)
		if (name.p[i] < '0' || name.p[i] > '9')
			return false;
	return n < name.n;
}

static bool is_counted_elsewhere(struct sysstat_rows *s, struct slice name)
{
	/* 7 and 9 are the majors of loop and md, for sar without -p; that of dm differs by host */
	static const char *const stacked[] = { "loop", "md", "dm-", "dev7-", "dev9-" };

	if (slice_is(name, "lo"))
		return true;
	for (size_t i = 0; i < sizeof stacked / sizeof *stacked; i++)
		if (slice_starts(name, stacked[i]))
			return true;
	if (is_partition(name, s->group.disk))
		return true;
	snprintf(s->group.disk, sizeof s->group.disk, "%.*s", SLICE(name));
	return false;
}

/* A sum without one of its devices is not known. */
static void group_damage(struct sysstat_rows *s, time_ms t)
{
	if (s->group.t != t)
		group_end(s);
	s->group.damaged = true;
	s->group.damaged_at = t;
}

static void take_device(struct sysstat_rows *s, const struct sysstat_words *row, time_ms begin, time_ms t)
{
	struct values values;

	if (s->group.open && s->group.t != t)
		group_end(s);
	if (is_counted_elsewhere(s, row->at[s->key])) {
		s->r->recording->n_rows_ignored++;
		return;
	}
	if (!values_parse(s, row, &values)) {
		group_damage(s, t);
		return;
	}
	if (s->group.open) /* the line that opened the group is counted when it ends */
		s->r->recording->n_rows_ignored++;
	s->group.open = true;
	s->group.begin = begin;
	s->group.t = t;
	for (int m = 0; m < N_METRICS; m++) {
		struct values *sum = &s->group.sum;
		if (!values.has[m])
			continue;
		sum->has[m] = true;
		sum->of[m] = sum->of[m] + values.of[m] > VALUE_MOST ? VALUE_MOST : sum->of[m] + values.of[m];
		sum->decimals[m] = values.decimals[m] > sum->decimals[m] ? values.decimals[m] : sum->decimals[m];
	}
}

void sysstat_row(struct sysstat_rows *s, const struct sysstat_words *row, time_ms begin, time_ms t)
{
	struct place place = { s->r->lines->path, s->r->lines->line, 0 };

	if (s->section == SECTION_NONE) {
		s->r->recording->n_rows_ignored++;
		return;
	}
	if (row->n != s->n) {
		group_damage(s, t);
		sheet_reject(s->sheet, place, DIAG_BAD_ROW, "%zu numbers where the header has %zu; row not used", row->n, s->n);
		return;
	}
	if (s->section == SECTION_CPU)
		take_cpu(s, row, begin, t);
	else if (s->section == SECTION_DEVICES)
		take_device(s, row, begin, t);
	else
		take_host(s, row, begin, t);
}
