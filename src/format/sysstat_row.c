/*
 * sysstat_row.c - rows of sar, sadf and iostat, whatever their section.
 *
 * Lines of one time in several sections become one row of the host, because they describe the same interval.
 * Devices and interfaces are summed over the lines of one time; disks.c says which devices count, `lo` does not.
 *
 * Disk traffic is told in up to three sections (-B, -b, -d), which differ: the first that a file has is kept, so
 * that a track never changes its meaning. A core that is offline has only zeros, idle included: it is not busy.
 *
 * kbmemused changed its meaning in sysstat 11.7.4 (and 11.6.4, 11.4.10; its CHANGES): all memory less what is free
 * before, less buffers, caches and slab too since. %memused is its share of all memory in both, so the row tells which it
 * is: where kbmemused and kbmemfree make up all memory, and caches are not more than what is used, it is the old one. A
 * row that fits both has hardly any caches; it is taken as the new one. What programs hold is then all memory less kbavail
 * or, where a release has no such column, less free, buffers and caches, as procps 3 counts; with the new one it is
 * kbmemused. All memory is known exactly from the old one only, or from kbslab.
 */
#include "format/disks.h"
#include "format/sysstat.h"
#include "format/sysstat_row.h"

#include <math.h>
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
	{ "kbmemused", METRIC_HOST_MEM_USED, UNIT_KIB },
	{ "%memused", METRIC_HOST_MEM_SHARE, UNIT_PERCENT },
	{ "kbswpused", METRIC_HOST_SWAP_USED, UNIT_KIB },
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
	{ "rMB/s", METRIC_HOST_DISK_READ, UNIT_MIB_S },
	{ "wMB/s", METRIC_HOST_DISK_WRITE, UNIT_MIB_S },
	{ "rsec/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "wsec/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "kB_read/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "kB_wrtn/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "MB_read/s", METRIC_HOST_DISK_READ, UNIT_MIB_S },
	{ "MB_wrtn/s", METRIC_HOST_DISK_WRITE, UNIT_MIB_S },
	{ "Blk_read/s", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "Blk_wrtn/s", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ "await", METRIC_HOST_DISK_AWAIT, UNIT_MILLI },
	{ "r_await", METRIC_HOST_DISK_AWAIT, UNIT_MILLI },
	{ "w_await", METRIC_HOST_DISK_AWAIT, UNIT_MILLI },
	{ "d_await", METRIC_HOST_DISK_AWAIT, UNIT_MILLI },
	{ "%util", METRIC_HOST_DISK_UTIL, UNIT_PERCENT },
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
static const struct size {
	const char *head;
	int times, by;
} sizes[] = {
	{ "bread/s", 1, 2 },
	{ "bwrtn/s", 1, 2 },
	{ "rd_sec/s", 1, 2 },
	{ "wr_sec/s", 1, 2 },
	{ "rsec/s", 1, 2 },
	{ "wsec/s", 1, 2 },
	{ "Blk_read/s", 1, 2 },
	{ "Blk_wrtn/s", 1, 2 },
	{ "rMB/s", 1024, 1 },
	{ "wMB/s", 1024, 1 },
	{ "MB_read/s", 1024, 1 },
	{ "MB_wrtn/s", 1024, 1 },
	{ "kbswpused", 1, 1024 },
	{ "pswpin/s", 4, 1 },
	{ "pswpout/s", 4, 1 },
	{ "kbmemfree", 1, 1024 },
	{ "kbavail", 1, 1024 },
	{ "rxbyt/s", 1, 1024 },
	{ "txbyt/s", 1, 1024 },
};

/* Columns of other sections that lead to a metric together. */
enum part { PART_NONE,
	PART_REQUESTS, /* of a disk, all kinds */
	PART_READS,
	PART_WRITES,
	PART_DISCARDS,
	PART_WAIT, /* ms of a request, all kinds */
	PART_READ_WAIT,
	PART_WRITE_WAIT,
	PART_DISCARD_WAIT,
	PART_FREE, /* KiB of memory */
	PART_AVAILABLE,
	PART_USED,
	PART_USED_SHARE,
	PART_BUFFERS,
	PART_CACHED,
	PART_SLAB,
	N_PARTS };
static const struct {
	const char *head;
	enum part part;
} part_heads[] = {
	{ "tps", PART_REQUESTS },         { "r/s", PART_READS },
	{ "w/s", PART_WRITES },           { "d/s", PART_DISCARDS },
	{ "await", PART_WAIT },           { "r_await", PART_READ_WAIT },
	{ "w_await", PART_WRITE_WAIT },   { "d_await", PART_DISCARD_WAIT },
	{ "kbmemfree", PART_FREE },       { "kbavail", PART_AVAILABLE },
	{ "kbmemused", PART_USED },       { "%memused", PART_USED_SHARE },
	{ "kbbuffers", PART_BUFFERS },    { "kbcached", PART_CACHED },
	{ "kbslab", PART_SLAB },
};

enum section { SECTION_NONE,
	SECTION_CPU,
	SECTION_HOST,
	SECTION_NETWORK,
	SECTION_DISKS };

struct values {
	fixed of[N_METRICS];
	int decimals[N_METRICS];
	bool has[N_METRICS];
	fixed part[N_PARTS];
	bool has_part[N_PARTS];
};

struct mark {
	enum event_kind kind;
	time_ms t;
};

/* A head as far as rows need it. Live, each interval has the heads of the one before it, so some are kept. */
struct head {
	enum section section;
	bool is_whole; /* no word was cut, so that it can be known again */
	char words[SYSSTAT_WORDS][16]; /* cut: none that we know is longer */
	const struct spelling *columns[SYSSTAT_WORDS]; /* NULL: not read */
	const struct size *sizes[SYSSTAT_WORDS]; /* NULL: as large as the unit says */
	enum part parts[SYSSTAT_WORDS];
	size_t n, key; /* key: the column of core or device */
	size_t used[SYSSTAT_WORDS]; /* places of the columns that are read, or are parts */
	size_t n_used;
	bool has_parts;
	enum metric metrics[SYSSTAT_WORDS]; /* of the columns that are read, each once, in the order of the catalogue */
	size_t n_metrics;
};
#define HEADS_MOST ((size_t)16)

struct sysstat_rows {
	struct reading *r;
	struct sheet *sheet;
	enum section section; /* in force */
	const struct head *head; /* its head */
	struct head *heads; /* HEADS_MOST of them */
	size_t n_heads;     /* seen so far */
	struct values row; /* of the row in hand: nothing but these, and parts */
	enum used_kind { USED_UNKNOWN, USED_WITH_CACHES, USED_NET } used; /* what kbmemused is, once a row showed it */
	const struct spelling *kept[N_METRICS]; /* the way in which this file tells a metric */
	struct {
		bool open, damaged;
		time_ms begin, t, damaged_at;
		struct values sum;
		struct disks disks;
	} group;
	const int64_t *lines; /* of the words of the row in hand, for complaints; NULL: the line just read */
	size_t *channels; /* of the host and of core i at i + 1, one more than the number; 0: not asked for yet */
	size_t n_channels, channels_room;
	struct mark *marks; /* told so far */
	size_t n_marks, marks_room;
};

struct sysstat_rows *sysstat_rows_new(struct reading *r, struct sheet *sheet)
{
	struct sysstat_rows *s = NEW(r->scratch, struct sysstat_rows);

	s->r = r;
	s->sheet = sheet;
	s->heads = NEW_ARRAY(r->scratch, struct head, HEADS_MOST);
	s->head = s->heads;
	return s;
}

void sysstat_rows_at(struct sysstat_rows *s, const int64_t *lines)
{
	s->lines = lines;
	if (lines)
		sheet_line(s->sheet, lines[0]);
	else
		sheet_line_read(s->sheet);
}

static int64_t line_of(const struct sysstat_rows *s, size_t word)
{
	return s->lines ? s->lines[word] : s->r->lines->line;
}

#define MARK_BYTES ((size_t)300)
#define MARKS_MOST ((size_t)1000) /* restarts that are looked through; more have no log of a month */

void sysstat_mark(struct sysstat_rows *s, enum event_kind kind, time_ms t, struct slice text)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };

	for (size_t i = s->n_marks; i-- > 0;)
		if (s->marks[i].t == t && s->marks[i].kind == kind)
			return;
	if (s->n_marks < MARKS_MOST) {
		s->marks = grow(s->marks, &s->marks_room, s->n_marks + 1, sizeof *s->marks);
		s->marks[s->n_marks++] = (struct mark){ kind, t };
	}
	char *words = arena_text(s->r->mem, text.p, text.n < MARK_BYTES ? text.n : MARK_BYTES);
	for (char *p = words; *p; p++)
		*p = *p == '\t' ? ' ' : *p; /* "LINUX RESTART<TAB>(8 CPU)" */
	sheet_event(s->sheet, kind, &host, t, 0, slice_of(words));
}

static enum section section_of(const struct sysstat_words *head)
{
	bool known = false;

	if (head->n == SYSSTAT_WORDS)
		return SECTION_NONE;
	if (sysstat_has(head, "CPU"))
		return sysstat_has(head, "%idle") && sysstat_has(head, "%iowait") ? SECTION_CPU : SECTION_NONE;
	for (size_t i = 0; i < head->n; i++)
		known |= head->at[i].p[0] != '%' && spelling_find(sysstat_columns, head->at[i]);
	if (sysstat_has(head, "DEV"))
		return known || sysstat_has(head, "%util") ? SECTION_DISKS : SECTION_NONE;
	if (!known)
		return SECTION_NONE;
	return sysstat_has(head, "IFACE") ? SECTION_NETWORK : SECTION_HOST;
}

bool sysstat_head_is_known(const struct sysstat_words *head)
{
	return section_of(head) != SECTION_NONE;
}

static size_t key_column(const struct sysstat_words *head)
{
	static const char *const keys[] = { "CPU", "DEV", "IFACE" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (sysstat_has(head, keys[i]))
			return slices_find(head->at, head->n, keys[i]);
	return head->n;
}

static bool is_of_disks(enum metric metric)
{
	return metric == METRIC_HOST_DISK_READ || metric == METRIC_HOST_DISK_WRITE || metric == METRIC_HOST_DISK_UTIL;
}

static enum part part_of(enum section section, struct slice head)
{
	for (size_t i = 0; i < sizeof part_heads / sizeof *part_heads; i++)
		if (slice_is(head, part_heads[i].head) && section == (part_heads[i].part < PART_FREE ? SECTION_DISKS : SECTION_HOST))
			return part_heads[i].part;
	return PART_NONE;
}

/* Columns that tell their metric with others only; of the parts those two tell one by themselves, too. */
static bool needs_others(enum part part)
{
	return part != PART_NONE && part != PART_FREE && part != PART_AVAILABLE;
}

const char *sysstat_known_head(struct slice head)
{
	const struct spelling *column = spelling_find(sysstat_columns, head);

	for (size_t i = 0; !column && i < sizeof part_heads / sizeof *part_heads; i++)
		if (slice_is(head, part_heads[i].head))
			return part_heads[i].head;
	return column ? column->head : NULL;
}

/* The column if it is read: the first way in which the file tells its metric. Shares are parts, so they all are. */
static const struct spelling *column_of(struct sysstat_rows *s, struct slice head)
{
	const struct spelling *column = spelling_find(sysstat_columns, head);

	if (!column || (head.p[0] == '%' && s->section != SECTION_DISKS))
		return s->section == SECTION_CPU ? column : NULL;
	if (s->section == SECTION_DISKS && !is_of_disks(column->metric))
		return NULL;
	if (!s->kept[column->metric])
		s->kept[column->metric] = column;
	return s->kept[column->metric] == column ? column : NULL;
}

static const struct size *size_of(struct slice head)
{
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (slice_is(head, sizes[i].head))
			return &sizes[i];
	return NULL;
}

static bool is_same_head(const struct head *h, const struct sysstat_words *words)
{
	if (!h->is_whole || words->n != h->n)
		return false;
	for (size_t i = 0; i < h->n; i++)
		if (!slice_is(words->at[i], h->words[i]))
			return false;
	return true;
}

/* Is it one that is kept? Then it is the head from now on. Most likely it is the one that came after the head in force the last time. */
static bool head_is_known(struct sysstat_rows *s, const struct sysstat_words *words)
{
	const size_t n = s->n_heads < HEADS_MOST ? s->n_heads : HEADS_MOST;

	for (size_t i = 0; i < n; i++) {
		const struct head *const h = &s->heads[((size_t)(s->head - s->heads) + 1 + i) % n];
		if (is_same_head(h, words)) {
			s->head = h;
			return true;
		}
	}
	return false;
}

static bool keep_word(struct head *h, size_t i, struct slice word)
{
	const size_t most = sizeof h->words[i] - 1, n = word.n < most ? word.n : most;

	memcpy(h->words[i], word.p, n);
	h->words[i][n] = '\0';
	return n == word.n;
}

static void note_used(struct head *h)
{
	h->n_used = 0;
	h->has_parts = false;
	for (size_t i = 0; i < h->n; i++) {
		if (h->columns[i] || h->parts[i] != PART_NONE)
			h->used[h->n_used++] = i;
		h->has_parts |= h->parts[i] != PART_NONE;
	}
}

static void note_metrics(struct head *h)
{
	bool has[N_METRICS] = { false };

	for (size_t i = 0; i < h->n; i++)
		if (h->columns[i])
			has[h->columns[i]->metric] = true;
	h->n_metrics = 0;
	for (int m = 0; m < N_METRICS; m++)
		if (has[m])
			h->metrics[h->n_metrics++] = (enum metric)m;
}

static const struct head *head_new(struct sysstat_rows *s, const struct sysstat_words *words)
{
	struct head *const h = &s->heads[s->n_heads++ % HEADS_MOST];

	h->section = s->section = section_of(words);
	h->is_whole = true;
	h->n = words->n;
	h->key = key_column(words);
	for (size_t i = 0; i < words->n; i++) {
		h->is_whole &= keep_word(h, i, words->at[i]);
		bool first = slices_find(words->at, words->n, h->words[i]) == i && h->section != SECTION_NONE;
		h->parts[i] = first ? part_of(h->section, words->at[i]) : PART_NONE;
		h->columns[i] = first && !needs_others(h->parts[i]) ? column_of(s, words->at[i]) : NULL;
		h->sizes[i] = size_of(words->at[i]);
	}
	note_used(h);
	note_metrics(h);
	return h;
}

static void clear_row(struct sysstat_rows *s)
{
	for (size_t i = 0; i < s->head->n_metrics; i++) {
		s->row.of[s->head->metrics[i]] = 0;
		s->row.decimals[s->head->metrics[i]] = 0;
		s->row.has[s->head->metrics[i]] = false;
	}
	if (!s->head->has_parts)
		return;
	memset(s->row.part, 0, sizeof s->row.part);
	memset(s->row.has_part, 0, sizeof s->row.has_part);
}

void sysstat_head(struct sysstat_rows *s, const struct sysstat_words *words)
{
	s->r->recording->n_rows_ignored++;
	sysstat_head_end(s);
	clear_row(s);
	if (!head_is_known(s, words))
		s->head = head_new(s, words);
	s->section = s->head->section;
}

static void put_disks(struct sysstat_rows *s)
{
	static const enum metric metrics[] = { METRIC_HOST_DISK_READ, METRIC_HOST_DISK_WRITE, METRIC_HOST_DISK_UTIL };
	struct disk total;

	if (!disks_total(&s->group.disks, &total))
		return;
	const fixed values[] = { total.read, total.write, total.util };
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
		s->group.sum.has[metrics[i]] = values[i] != FIXED_MISSING;
		s->group.sum.of[metrics[i]] = values[i];
	}
	s->group.sum.has[METRIC_HOST_DISK_AWAIT] = total.await != FIXED_MISSING;
	s->group.sum.of[METRIC_HOST_DISK_AWAIT] = total.await;
	s->group.sum.decimals[METRIC_HOST_DISK_AWAIT] = 2;
}

/* The sum over devices becomes a part of the host's row. */
static void group_end(struct sysstat_rows *s)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };
	const bool damaged = s->group.damaged && s->group.damaged_at == s->group.t;

	if (!s->group.open)
		return;
	if (s->section == SECTION_DISKS)
		put_disks(s);
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

/* A sum without one of its devices is not known. */
static void group_damage(struct sysstat_rows *s, time_ms t)
{
	if (s->group.t != t)
		group_end(s);
	s->group.damaged = true;
	s->group.damaged_at = t;
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
	if (s->group.open && s->r->recording->cut) /* devices behind the cut may be missing in the sum */
		group_damage(s, s->group.t);
	sysstat_head_end(s);
	grow_free(s->channels);
	s->channels = NULL;
	s->n_channels = s->channels_room = 0;
	grow_free(s->marks);
	s->marks = NULL;
	s->n_marks = s->marks_room = 0;
}

static void scale(const struct size *size, fixed *value, int *decimals)
{
	*value = *value > VALUE_MOST / size->times ? VALUE_MOST : *value * size->times / size->by;
	*decimals = size->by > 2 && *decimals < 2 ? 2 : *decimals;
}

static bool reject_cell(struct sysstat_rows *s, const struct sysstat_words *row, size_t i)
{
	const struct place place = { s->r->lines->path, line_of(s, i), row->columns[i] };

	return sheet_reject(s->sheet, place, DIAG_BAD_NUMBER, "'%.*s' in %s is no %s; row not used", SLICE(row->at[i]), s->head->words[i],
		s->section == SECTION_CPU ? "share" : "number");
}

/* The cells of a row into s->row, those of one metric summed. False, already reported: a cell is no number. */
static bool values_parse(struct sysstat_rows *s, const struct sysstat_words *row)
{
	const struct head *const head = s->head;
	struct values *const values = &s->row;
	const fixed most = s->section == SECTION_CPU ? SHARE_MOST : VALUE_MOST;

	clear_row(s);
	for (size_t k = 0; k < head->n_used; k++) {
		const size_t i = head->used[k];
		fixed value;
		int decimals;
		if (!sysstat_number(row->at[i], &value, &decimals) || value < 0 || value > most)
			return reject_cell(s, row, i);
		if (head->parts[i] != PART_NONE) {
			values->part[head->parts[i]] = value;
			values->has_part[head->parts[i]] = true;
		}
		if (!head->columns[i])
			continue;
		if (head->sizes[i])
			scale(head->sizes[i], &value, &decimals);
		const enum metric metric = head->columns[i]->metric;
		values->of[metric] += value;
		values->has[metric] = true;
		values->decimals[metric] = decimals > values->decimals[metric] ? decimals : values->decimals[metric];
	}
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

/* As sheet_channel(), which seeks among all. */
static size_t channel_of(struct sysstat_rows *s, const struct entity *e)
{
	const size_t i = e->scope == SCOPE_CORE ? (size_t)e->index + 1 : 0;

	if (i < s->n_channels && s->channels[i])
		return s->channels[i] - 1;
	const size_t channel = sheet_channel(s->sheet, e);
	if (i >= s->n_channels) {
		s->channels = grow(s->channels, &s->channels_room, i + 1, sizeof *s->channels);
		memset(s->channels + s->n_channels, 0, (i + 1 - s->n_channels) * sizeof *s->channels);
		s->n_channels = i + 1;
	}
	s->channels[i] = channel == SIZE_MAX ? 0 : channel + 1;
	return channel;
}

static void take_cpu(struct sysstat_rows *s, const struct sysstat_words *row, time_ms begin, time_ms t)
{
	struct place place = { s->r->lines->path, line_of(s, s->head->key), row->columns[s->head->key] };
	struct entity e;

	if (!sysstat_entity(row->at[s->head->key], &e)) {
		sheet_reject(s->sheet, place, DIAG_BAD_ROW, "'%.*s' is neither 'all' nor a core; row not used",
			SLICE(row->at[s->head->key]));
		return;
	}
	if (!values_parse(s, row))
		return;
	const size_t channel = channel_of(s, &e);
	if (channel == SIZE_MAX) {
		s->r->recording->n_rows_bad++;
		return;
	}
	sheet_begin(s->sheet, channel, begin);
	sheet_row_at(s->sheet, channel, t);
	put_shares(s, &e, &s->row);
}

#define KIB_IN_MIB 1024
#define ROUNDING (FIXED_ONE / 100) /* "98.91" may stand for anything from 98.905 on; and parts are not read at one instant */

static bool makes_up_share(fixed used, fixed total, fixed share)
{
	fixed part = total ? (fixed)llround((double)used / (double)total * fixed_value(WHOLE) * FIXED_ONE) : 0;

	return part - share <= ROUNDING && share - part <= ROUNDING;
}

static enum used_kind used_kind_of(const fixed part[N_PARTS])
{
	const fixed caches = part[PART_BUFFERS] + part[PART_CACHED], total = part[PART_USED] + part[PART_FREE];

	if (part[PART_USED] < caches || !makes_up_share(part[PART_USED], total, part[PART_USED_SHARE]))
		return USED_NET;
	if (!makes_up_share(part[PART_USED], total + caches + part[PART_SLAB], part[PART_USED_SHARE]))
		return USED_WITH_CACHES;
	return USED_UNKNOWN;
}

static void put_kib(struct sysstat_rows *s, enum metric metric, fixed kib)
{
	sheet_put(s->sheet, metric, kib / KIB_IN_MIB, 2);
}

/* What programs hold, what there is, and the share; see the top. */
static void put_memory(struct sysstat_rows *s, const struct values *v)
{
	const fixed *part = v->part;
	const bool has_caches = v->has_part[PART_BUFFERS] && v->has_part[PART_CACHED];
	fixed used = part[PART_USED], total = part[PART_FREE] + part[PART_USED];

	if (!v->has_part[PART_FREE] || !v->has_part[PART_USED] || !v->has_part[PART_USED_SHARE])
		return;
	if (s->used == USED_UNKNOWN)
		s->used = used_kind_of(part);
	if (s->used != USED_WITH_CACHES) {
		total += part[PART_BUFFERS] + part[PART_CACHED] + part[PART_SLAB];
		if (has_caches && v->has_part[PART_SLAB])
			put_kib(s, METRIC_HOST_MEM_TOTAL, total);
		put_kib(s, METRIC_HOST_MEM_USED, used);
		sheet_put(s->sheet, METRIC_HOST_MEM_SHARE, clamped(part[PART_USED_SHARE]), 2);
		return;
	}
	put_kib(s, METRIC_HOST_MEM_TOTAL, total);
	if (v->has_part[PART_AVAILABLE] && part[PART_AVAILABLE] <= total)
		used = total - part[PART_AVAILABLE];
	else if (has_caches)
		used -= part[PART_BUFFERS] + part[PART_CACHED];
	else
		return;
	if (used < 0) { /* shared memory is counted as cache, too */
		sheet_absent(s->sheet, METRIC_HOST_MEM_USED, ABSENT_OUT_OF_RANGE);
		return;
	}
	put_kib(s, METRIC_HOST_MEM_USED, used);
	if (total)
		sheet_put(s->sheet, METRIC_HOST_MEM_SHARE,
			clamped((fixed)llround((double)used / (double)total * fixed_value(WHOLE) * FIXED_ONE)), 2);
}

static void put_host(struct sysstat_rows *s, const struct values *values)
{
	put_memory(s, values);
	for (size_t i = 0; i < s->head->n_metrics; i++) {
		const enum metric m = s->head->metrics[i];
		if (fixed_value(values->of[m]) > metric_table[m].high)
			sheet_absent(s->sheet, m, ABSENT_OUT_OF_RANGE);
		else
			sheet_put(s->sheet, m, values->of[m], values->decimals[m]);
	}
}

static void take_host(struct sysstat_rows *s, const struct sysstat_words *row, time_ms begin, time_ms t)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };

	if (!values_parse(s, row))
		return;
	const size_t channel = channel_of(s, &host);
	if (channel == SIZE_MAX) {
		s->r->recording->n_rows_bad++;
		return;
	}
	sheet_begin(s->sheet, channel, begin);
	sheet_row_at(s->sheet, channel, t);
	put_host(s, &s->row);
}

/* Requests of all kinds, and the mean time of one. */
static void waits_of(const struct values *v, struct disk *disk)
{
	static const enum part kinds[][2] = {
		{ PART_READS, PART_READ_WAIT }, { PART_WRITES, PART_WRITE_WAIT }, { PART_DISCARDS, PART_DISCARD_WAIT }
	};
	double waited = 0;
	fixed requests = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		requests += v->part[kinds[i][0]];
		waited += fixed_value(v->part[kinds[i][0]]) * fixed_value(v->part[kinds[i][1]]);
	}
	if (v->has_part[PART_READ_WAIT] && v->has_part[PART_WRITE_WAIT] && v->has_part[PART_READS] && v->has_part[PART_WRITES]) {
		double mean = requests ? waited / fixed_value(requests) : 0;
		disk->requests = requests;
		disk->await = mean < fixed_value(VALUE_MOST) ? (fixed)llround(mean * FIXED_ONE) : VALUE_MOST;
	} else if (v->has_part[PART_WAIT]) {
		disk->requests = v->has_part[PART_REQUESTS] ? v->part[PART_REQUESTS] : requests;
		disk->await = v->part[PART_WAIT];
	}
}

/* The share of a disk with several queues goes a little over 100, since its ends are not read at once. */
#define UTIL_MOST (110 * (fixed)FIXED_ONE)

static void add_disk(struct sysstat_rows *s, struct slice name, const struct values *v)
{
	struct disk disk = { FIXED_MISSING, FIXED_MISSING, FIXED_MISSING, FIXED_MISSING, FIXED_MISSING };

	if (v->has[METRIC_HOST_DISK_READ])
		disk.read = v->of[METRIC_HOST_DISK_READ];
	if (v->has[METRIC_HOST_DISK_WRITE])
		disk.write = v->of[METRIC_HOST_DISK_WRITE];
	if (v->has[METRIC_HOST_DISK_UTIL] && v->of[METRIC_HOST_DISK_UTIL] <= UTIL_MOST)
		disk.util = clamped(v->of[METRIC_HOST_DISK_UTIL]);
	waits_of(v, &disk);
	disks_add(&s->group.disks, name, &disk);
}

static void add_interface(struct sysstat_rows *s, const struct values *v)
{
	struct values *sum = &s->group.sum;

	for (size_t i = 0; i < s->head->n_metrics; i++) {
		const enum metric m = s->head->metrics[i];
		sum->has[m] = true;
		sum->of[m] = sum->of[m] + v->of[m] > VALUE_MOST ? VALUE_MOST : sum->of[m] + v->of[m];
	}
}

static void take_device(struct sysstat_rows *s, const struct sysstat_words *row, time_ms begin, time_ms t)
{
	const struct values *const values = &s->row;

	if (s->group.open && s->group.t != t)
		group_end(s);
	if (s->section == SECTION_NETWORK && slice_is(row->at[s->head->key], "lo")) {
		s->r->recording->n_rows_ignored++;
		return;
	}
	if (!values_parse(s, row)) {
		group_damage(s, t);
		return;
	}
	if (s->group.open) /* the line that opened the group is counted when it ends */
		s->r->recording->n_rows_ignored++;
	else
		disks_begin(&s->group.disks);
	s->group.open = true;
	s->group.begin = begin;
	s->group.t = t;
	for (size_t i = 0; i < s->head->n_metrics; i++)
		if (values->has[s->head->metrics[i]] && values->decimals[s->head->metrics[i]] > s->group.sum.decimals[s->head->metrics[i]])
			s->group.sum.decimals[s->head->metrics[i]] = values->decimals[s->head->metrics[i]];
	if (s->section == SECTION_DISKS)
		add_disk(s, row->at[s->head->key], values);
	else
		add_interface(s, values);
}

void sysstat_row(struct sysstat_rows *s, const struct sysstat_words *row, time_ms begin, time_ms t)
{
	struct place place = { s->r->lines->path, line_of(s, 0), 0 };

	if (s->section == SECTION_NONE) {
		s->r->recording->n_rows_ignored++;
		return;
	}
	if (row->n != s->head->n) {
		group_damage(s, t);
		sheet_reject(s->sheet, place, DIAG_BAD_ROW, "%zu numbers where the header has %zu; row not used", row->n, s->head->n);
		return;
	}
	if (s->section == SECTION_CPU)
		take_cpu(s, row, begin, t);
	else if (s->section == SECTION_DISKS || s->section == SECTION_NETWORK)
		take_device(s, row, begin, t);
	else
		take_host(s, row, begin, t);
}
