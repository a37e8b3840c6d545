/*
 * sysstat_tree.c - the names that sysstat's JSON has for what its texts tell in sections.
 *
 *     "cpu-load": [ {"cpu": "all", "user": 0.06, "nice": 0.00, … "idle": 98.12} ]     CPU;%user;%nice; … ;%idle
 *     "memory": {"memfree": 129247528, "avail": 131227472, …}                         kbmemfree;kbavail; …
 *     "network": {"net-dev": [ {"iface": "lo", … "rxkB": 0.00, "txkB": 0.00} ]}       IFACE; … ;rxkB/s;txkB/s
 *
 * Each map becomes a row of its section under the heads of sadf -d, so that everything else is known once
 * (sysstat_row.c), and a log means the same in both forms. The first map of a list tells which columns its section has.
 * sadf -j writes disk traffic in sectors and in KiB beside each other; only sectors are read where there are no KiB.
 */
#include "format/sysstat_tree.h"

#define COLUMNS_MAX 24

const struct spelling sysstat_tree_columns[] = {
	{ "usr", METRIC_CPU_USER, UNIT_PERCENT },
	{ "user", METRIC_CPU_USER, UNIT_PERCENT },
	{ "nice", METRIC_CPU_USER, UNIT_PERCENT },
	{ "sys", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "system", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "irq", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "soft", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "iowait", METRIC_CPU_IOWAIT, UNIT_PERCENT },
	{ "steal", METRIC_CPU_STEAL, UNIT_PERCENT },
	{ "idle", METRIC_CPU_BUSY, UNIT_PERCENT },
	{ "task-cpu-load>cpu", METRIC_HOST_PROC_CPU, UNIT_PERCENT },
	{ "runq-sz", METRIC_HOST_RUNQ, UNIT_NUMBER },
	{ "blocked", METRIC_HOST_BLOCKED, UNIT_NUMBER },
	{ "ldavg-1", METRIC_HOST_LOAD, UNIT_NUMBER },
	{ "memfree", METRIC_HOST_MEM_FREE, UNIT_KIB },
	{ "avail", METRIC_HOST_MEM_AVAILABLE, UNIT_KIB },
	{ "pswpin", METRIC_HOST_SWAP_IN, UNIT_KIB_S },
	{ "pswpout", METRIC_HOST_SWAP_OUT, UNIT_KIB_S },
	{ "pgpgin", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "pgpgout", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "io>io-reads>bread", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "io>io-writes>bwrtn", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "rd_sec", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "wr_sec", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "rkB", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "wkB", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "rkB/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "wkB/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "kB_read/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "kB_wrtn/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "rxkB", METRIC_HOST_NET_RX, UNIT_KIB_S },
	{ "txkB", METRIC_HOST_NET_TX, UNIT_KIB_S },
	{ "rxbyt", METRIC_HOST_NET_RX, UNIT_BYTE_S },
	{ "txbyt", METRIC_HOST_NET_TX, UNIT_BYTE_S },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

struct column_name {
	const char *path, *head;
	const char *unless; /* not where this is told, too */
};

static const struct column_name cpu_columns[] = {
	{ "cpu", "CPU", NULL },        { "usr", "%usr", NULL },       { "user", "%user", NULL },     { "nice", "%nice", NULL },
	{ "sys", "%sys", NULL },       { "system", "%system", NULL }, { "irq", "%irq", NULL },       { "soft", "%soft", NULL },
	{ "iowait", "%iowait", NULL }, { "steal", "%steal", NULL },   { "idle", "%idle", NULL },     { NULL, NULL, NULL },
};

static const struct column_name swap_columns[] = {
	{ "pswpin", "pswpin/s", NULL },
	{ "pswpout", "pswpout/s", NULL },
	{ NULL, NULL, NULL },
};

static const struct column_name paging_columns[] = {
	{ "pgpgin", "pgpgin/s", NULL },
	{ "pgpgout", "pgpgout/s", NULL },
	{ NULL, NULL, NULL },
};

static const struct column_name io_columns[] = {
	{ "io-reads>bread", "bread/s", NULL },
	{ "io-writes>bwrtn", "bwrtn/s", NULL },
	{ NULL, NULL, NULL },
};

static const struct column_name memory_columns[] = {
	{ "memfree", "kbmemfree", NULL },   { "avail", "kbavail", NULL }, { "memused", "kbmemused", NULL },
	{ "memused-percent", "%memused", NULL }, { "buffers", "kbbuffers", NULL }, { "cached", "kbcached", NULL },
	{ "slab", "kbslab", NULL },         { "swpused", "kbswpused", NULL }, { NULL, NULL, NULL },
};

static const struct column_name queue_columns[] = {
	{ "runq-sz", "runq-sz", NULL },
	{ "ldavg-1", "ldavg-1", NULL },
	{ "blocked", "blocked", NULL },
	{ NULL, NULL, NULL },
};

/* Of sadf; then of iostat, which has them as in its text. */
static const struct column_name disk_columns[] = {
	{ "disk-device", "DEV", NULL },  { "rd_sec", "rd_sec/s", "rkB" },   { "wr_sec", "wr_sec/s", "wkB" },
	{ "rkB", "rkB/s", NULL },        { "wkB", "wkB/s", NULL },          { "util-percent", "%util", NULL },
	{ "disk_device", "DEV", NULL },  { "rkB/s", "rkB/s", NULL },        { "wkB/s", "wkB/s", NULL },
	{ "rMB/s", "rMB/s", NULL },      { "wMB/s", "wMB/s", NULL },        { "kB_read/s", "rkB/s", NULL },
	{ "kB_wrtn/s", "wkB/s", NULL }, { "MB_read/s", "MB_read/s", NULL }, { "MB_wrtn/s", "MB_wrtn/s", NULL },
	{ "util", "%util", NULL },       { "tps", "tps", NULL },            { "await", "await", NULL },
	{ "r/s", "r/s", NULL },          { "w/s", "w/s", NULL },            { "d/s", "d/s", NULL },
	{ "r_await", "r_await", NULL },  { "w_await", "w_await", NULL },    { "d_await", "d_await", NULL },
	{ NULL, NULL, NULL },
};

static const struct column_name net_columns[] = {
	{ "iface", "IFACE", NULL },   { "rxkB", "rxkB/s", NULL },     { "txkB", "txkB/s", NULL },
	{ "rxbyt", "rxbyt/s", NULL }, { "txbyt", "txbyt/s", NULL },   { NULL, NULL, NULL },
};

/* In the order of sadf: of several ways to tell disk traffic the first is kept. */
static const struct {
	const char *path;
	const struct column_name *columns;
} sections[] = {
	{ "cpu-load", cpu_columns },   { "cpu-load-all", cpu_columns }, { "avg-cpu", cpu_columns }, { "swap-pages", swap_columns },
	{ "paging", paging_columns },  { "io", io_columns },            { "memory", memory_columns }, { "queue", queue_columns },
	{ "disk", disk_columns },      { "network>net-dev", net_columns },
};

#define VALUES_MAX 64

struct section { /* whose rows are being read */
	const struct column_name *columns[COLUMNS_MAX];
	struct sysstat_words words;
	const struct json *first;      /* the map that told which columns there are */
	size_t places[COLUMNS_MAX];    /* among its values, of each column; VALUES_MAX: none */
};

static void put_word(struct sysstat_words *words, struct slice text, int column)
{
	words->columns[words->n] = column;
	words->at[words->n++] = text;
}

/* iostat's "avg-cpu" names no core: it is of all. */
static bool is_of_all(const struct json *map)
{
	return slice_is(map->key, "avg-cpu");
}

/* Which of the map's values it is: where keys come twice, or too many, each is to be sought by its path. */
static size_t place_in(const struct json *map, const struct json *value)
{
	size_t place = VALUES_MAX, i = 0;

	for (const struct json *other = map->first; other; other = other->next, i++) {
		if (i == VALUES_MAX || (value && other != value && slice_same(other->key, value->key)))
			return VALUES_MAX;
		if (other == value)
			place = i;
	}
	return place;
}

/* The map's values, if it has the same keys in the same order as the section's first one: nearly all have. */
static bool is_like_first(const struct section *s, const struct json *map, const struct json *values[VALUES_MAX])
{
	const struct json *value = map->first, *like = s->first->first;

	for (size_t i = 0; value && like && i < VALUES_MAX && slice_same(value->key, like->key); i++) {
		values[i] = value;
		value = value->next;
		like = like->next;
	}
	return !value && !like;
}

static void take_head(struct section *s, struct sysstat_rows *rows, const struct column_name *columns, const struct json *map)
{
	size_t n = 0;

	s->words.n = 0;
	s->first = map;
	for (; columns->path; columns++) {
		const struct json *const value = json_get(map, columns->path);
		const bool all = is_of_all(map) && strcmp(columns->head, "CPU") == 0;
		if ((!value && !all) || (columns->unless && json_get(map, columns->unless)))
			continue;
		s->places[n] = place_in(map, value);
		s->columns[n++] = columns;
		put_word(&s->words, slice_of(columns->head), 0);
	}
	sysstat_head(rows, &s->words);
}

static void take_map(struct json_log *log, struct section *s, struct sysstat_rows *rows, const struct json *map, time_ms begin,
	time_ms t)
{
	const size_t n = s->words.n;
	const struct json *values[VALUES_MAX];
	const bool is_like = is_like_first(s, map, values);

	log->r->lines->line = map->line;
	s->words.n = 0;
	for (size_t i = 0; i < n; i++) {
		const bool is_known = is_like && s->places[i] < VALUES_MAX;
		const struct json *value = is_known ? values[s->places[i]] : json_get(map, s->columns[i]->path);
		const bool all = !value && is_of_all(map);
		/* where the map is indented over several lines, the row's line is told */
		const struct slice text = all ? slice_of("all") : value ? value->text : slice_of("");
		put_word(&s->words, text, value && value->line == map->line ? value->column : 0);
	}
	sysstat_row(rows, &s->words, begin, t);
}

void sysstat_tree_rows(struct json_log *log, struct sysstat_rows *rows, const struct json *record, time_ms begin, time_ms t)
{
	struct section s;

	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		const struct json *section = json_get(record, sections[i].path);
		const struct json *map = section && section->kind == JSON_LIST ? section->first : section;
		if (!map || map->kind != JSON_MAP)
			continue;
		take_head(&s, rows, sections[i].columns, map);
		for (; map; map = section->kind == JSON_LIST ? map->next : NULL)
			if (map->kind == JSON_MAP && sysstat_is_open(rows))
				take_map(log, &s, rows, map, begin, t);
	}
	sysstat_head_end(rows);
}
