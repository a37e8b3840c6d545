/*
 * vmstat.c - reads what `vmstat -t [-w] [-n] N` printed (procps 3 and 4).
 *
 *     procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 *      r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC
 *      2  0      0 811200  20480 402112    0    0   780  1883  476 2512 93  4  3  0  0 2026-11-21 01:48:35
 *
 * The first data row is an average since boot; it is kept out, but its stamp begins the second
 * row's interval, since each row describes the time since the row before. Unless -n was given
 * the two header lines repeat every screenful. Columns are found by name, because versions
 * add some (procps 4: gu). The head of the time column is the zone's word; it does not change when daylight
 * saving does. Memory is in KiB unless -S said otherwise, which leaves no trace in the log.
 */
#include "format/sheet.h"

#define MAX_WORDS ((size_t)40)

static const struct spelling columns[] = {
	{ "r", METRIC_HOST_RUNQ, UNIT_NUMBER },        { "b", METRIC_HOST_BLOCKED, UNIT_NUMBER },
	{ "free", METRIC_HOST_MEM_FREE, UNIT_KIB },    { "si", METRIC_HOST_SWAP_IN, UNIT_KIB_S },
	{ "so", METRIC_HOST_SWAP_OUT, UNIT_KIB_S },    { "bi", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "bo", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },  { "us", METRIC_CPU_USER, UNIT_PERCENT },
	{ "sy", METRIC_CPU_SYSTEM, UNIT_PERCENT },     { "wa", METRIC_CPU_IOWAIT, UNIT_PERCENT },
	{ "st", METRIC_CPU_STEAL, UNIT_PERCENT },      { NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ "-", ABSENT_UNSUPPORTED },
	{ NULL, ABSENT_EMPTY },
};

struct words {
	struct slice at[MAX_WORDS];
	int columns[MAX_WORDS];
	size_t n;
};

static void cut_words(struct words *w, struct slice line)
{
	const char *start = line.p;

	for (w->n = 0; w->n < MAX_WORDS; w->n++) {
		struct slice word = slice_word(&line);
		if (!word.n)
			return;
		w->at[w->n] = word;
		w->columns[w->n] = (int)(word.p - start) + 1;
	}
}

static size_t find_word(const struct words *w, const char *text)
{
	size_t i = 0;

	while (i < w->n && !slice_is(w->at[i], text))
		i++;
	return i;
}

static bool is_group_line(struct slice line)
{
	line = slice_trim(line);
	return (slice_starts(line, "procs") || slice_starts(line, "--procs")) && slice_has(line, "-memory-");
}

static bool is_head_line(const struct words *w)
{
	return find_word(w, "r") < w->n && find_word(w, "id") < w->n && find_word(w, "bi") < w->n;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	/* a banner of the shell or a date may stand before it */
	for (size_t i = 0; i < first_bytes.n;) {
		const char *end = memchr(first_bytes.p + i, '\n', first_bytes.n - i);
		size_t n = end ? (size_t)(end - first_bytes.p) - i : first_bytes.n - i;
		if (is_group_line((struct slice){ first_bytes.p + i, n }))
			return (struct bid){ 95, "it begins with vmstat's two header lines" };
		i += n + 1;
	}
	return (struct bid){ 0, NULL };
}

struct vmstat {
	struct reading *r;
	struct sheet *sheet;
	struct words head, row;
	size_t id, wa, st; /* places of the columns that busy is made of; head.n when absent */
	bool has_head, has_first;
	size_t channel;
};

/* "UTC" heads the time column when the log is in UTC; other words name zones that only the user can tell. */
static void take_zone(struct vmstat *v)
{
	struct clock_note *clock = &v->r->recording->clock;
	struct slice word = v->head.at[v->head.n - 1];
	time_ms offset;

	if (clock->zone)
		return;
	clock->zone = arena_text(v->r->mem, word.p, word.n);
	clock->basis = zone_parse(word, &offset) ? BASIS_OFFSET : BASIS_LOCAL;
	if (clock->basis == BASIS_OFFSET)
		clock->offset = offset;
}

static bool take_head(struct vmstat *v)
{
	struct place place = { v->r->lines->path, v->r->lines->line, 0 };

	v->r->recording->n_rows_ignored++;
	v->head = v->row;
	v->id = find_word(&v->head, "id");
	v->wa = find_word(&v->head, "wa");
	v->st = find_word(&v->head, "st");
	/* with -t one more word follows the last column, whatever the zone is called */
	struct slice last = v->head.at[v->head.n - 1];
	if (slice_is(last, "st") || slice_is(last, "wa") || slice_is(last, "gu"))
		return diag_at(v->r->diags, place, DIAG_NO_TIME, "vmstat without times; log with vmstat -t");
	take_zone(v);
	v->has_head = true;
	return true;
}

/* The share in the word at `i`; 0 where the head has no such column. False, already reported: no share. */
static bool share_at(struct vmstat *v, size_t i, fixed *share)
{
	struct place place = { v->r->lines->path, v->r->lines->line, v->row.columns[i < v->head.n ? i : 0] };
	struct slice rest;

	*share = 0;
	if (i >= v->head.n)
		return true;
	if (fixed_parse(v->row.at[i], share, &rest) && !rest.n && *share >= 0 && *share <= 100 * (fixed)FIXED_ONE)
		return true;
	return diag_repeat(v->r->diags, place, DIAG_BAD_NUMBER, "busy", "'%.*s' in %.*s is no share; busy is not known",
		SLICE(v->row.at[i]), SLICE(v->head.at[i]));
}

/* Everything but idle, I/O wait and steal: what us + sy (+ gu) add up to but for rounding. */
static void put_busy(struct vmstat *v)
{
	fixed idle, wait, steal;

	if (!share_at(v, v->id, &idle) || !share_at(v, v->wa, &wait) || !share_at(v, v->st, &steal)) {
		sheet_absent(v->sheet, METRIC_CPU_BUSY, ABSENT_UNREADABLE);
		return;
	}
	fixed busy = 100 * (fixed)FIXED_ONE - idle - wait - steal;
	sheet_put(v->sheet, METRIC_CPU_BUSY, busy < 0 ? 0 : busy, 0);
}

static void take_row(struct vmstat *v)
{
	struct place place = { v->r->lines->path, v->r->lines->line, 0 };
	/* the time takes two words where its head is one */
	if (v->row.n != v->head.n + 1) {
		sheet_reject(v->sheet, place, DIAG_BAD_ROW, "%zu words where the header has %zu; row not used", v->row.n,
			v->head.n + 1);
		return;
	}
	struct slice day = v->row.at[v->row.n - 2], clock = v->row.at[v->row.n - 1];
	struct slice stamp = { day.p, (size_t)(clock.p + clock.n - day.p) };
	time_ms t;
	if (!stamp_parse(stamp, &t)) {
		place.column = v->row.columns[v->row.n - 2];
		sheet_reject(v->sheet, place, DIAG_BAD_TIME, "'%.*s' is no time stamp, expected like 2026-11-21 01:48:34; row not used",
			SLICE(stamp));
		return;
	}
	if (!v->has_first) { /* the average since boot */
		v->has_first = true;
		v->r->recording->n_rows_ignored++;
		sheet_begin(v->sheet, v->channel, t);
		return;
	}
	sheet_row(v->sheet, v->channel, t);
	for (size_t i = 0; i + 2 < v->row.n; i++) {
		const struct spelling *column = spelling_find(columns, v->head.at[i]);
		place.column = v->row.columns[i];
		if (column)
			sheet_cell(v->sheet, column, column->unit, v->row.at[i], place);
	}
	put_busy(v);
}

/* False when the file can't be used at all. */
static bool take_line(struct vmstat *v, struct slice line)
{
	if (!sheet_takes_line(v->sheet))
		return true;
	cut_words(&v->row, line);
	if (!v->row.n || is_group_line(line)) {
		v->r->recording->n_rows_ignored++;
		return true;
	}
	if (is_head_line(&v->row))
		return take_head(v);
	if (v->has_head)
		take_row(v);
	else
		v->r->recording->n_rows_ignored++;
	return true;
}

static bool read(struct reading *r)
{
	struct vmstat *v = NEW(r->mem, struct vmstat);
	struct slice line;
	bool good = true;

	v->r = r;
	v->sheet = sheet_new(r);
	r->recording->clock.basis = BASIS_LOCAL;
	v->channel = sheet_channel(v->sheet, &(struct entity){ .scope = SCOPE_HOST, .host = "" });
	while (good && line_next(r->lines, &line))
		good = take_line(v, line);
	return good ? sheet_finish(v->sheet) : sheet_drop(v->sheet);
}

static const char sample[] =
	"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
	" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n"
	" 2  0      0 14615508 103612 9639228    0    0   780  1883  476 2512 30  6 63  0  0 2026-11-20 21:33:43\n"
	" 1  0      0 14615004 103612 9639228    0    0     0   120  390 2012 93  4  3  0  0 2026-11-20 21:33:44\n"
	" 3  0      0 14612200 103612 9639228    0    0     0     0  401 2101 94  4  2  0  0 2026-11-20 21:33:45\n";

const struct format format_vmstat = {
	.name = "vmstat",
	.title = "vmstat -t [-w] [-n] N",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
