/*
 * vmstat.c - reads what `vmstat [-t] [-w] [-n] N` printed (procps 3 and 4).
 *
 *     procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 *      r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC
 *      2  0      0 811200  20480 402112    0    0   780  1883  476 2512 93  4  3  0  0 2026-11-21 01:48:35
 *
 * The first data row of a run is an average since boot; it is kept out, but its stamp begins the second
 * row's interval, since each row describes the time since the row before. Unless -n was given
 * the two header lines repeat every screenful; where they come again after a blank line, a date or as many rows as
 * neither a file nor the screen before has, a new run begins, since its first row is worth less than the row of a
 * screen that is taken for one; as where the first of the two stands behind a row that a killed vmstat had
 * begun. Columns are found by name, because versions
 * add some (procps 4: gu) and German translates two (frei, Cache). The head of the time column is the zone's word; it
 * does not change when daylight saving does. Memory is in KiB unless -S said otherwise, which shows in the numbers alone:
 * the kernel counts pages of 4 KiB or more (/proc/meminfo), so that KiB are multiples of 4. What is none, and little, is
 * of -S M or -S m, and read as MiB, which is told: of -S m it would be a twentieth less. -S k is 2.4 % more, and left so.
 *
 * Without -t there are no times: rows are a second apart until --start and --step place them. Often a line of date(1)
 * stands before each run:
 *
 *     Wed Aug 28 16:02:01 IST 2019
 *     procs -----------memory---------- ...
 *
 * Then the rows of a run are spread evenly from its date to the next one, which is said.
 */
#include "format/date_line.h"
#include "format/sheet.h"

#define MAX_WORDS ((size_t)40)
#define SCREEN_ROWS_LEAST 10 /* no screen is lower: heads that come sooner are of another run */
#define SCREEN_ROWS_MOST 100 /* nor higher */
#define FILE_ROWS 21         /* between the heads of a run that does not write to a terminal (procps: of 24 lines) */
#define PAGE_KIB 4 /* no page is smaller */
#define MIB_MOST ((fixed)8 << 20) /* of free, buff and cache: as MiB the largest hosts have less, as KiB hosts with GPUs more */

static const struct spelling columns[] = {
	{ "r", METRIC_HOST_RUNQ, UNIT_NUMBER },        { "b", METRIC_HOST_BLOCKED, UNIT_NUMBER },
	{ "free", METRIC_HOST_MEM_FREE, UNIT_KIB },    { "frei", METRIC_HOST_MEM_FREE, UNIT_KIB },
	{ "swpd", METRIC_HOST_SWAP_USED, UNIT_KIB },   { "si", METRIC_HOST_SWAP_IN, UNIT_KIB_S },
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
	const char *line; /* where it begins */
	size_t n;
};

static void cut_words(struct words *w, struct slice line)
{
	w->line = line.p;
	w->n = slice_words(line, line.p, w->at, NULL, MAX_WORDS);
}

static int column_of(const struct words *w, size_t i)
{
	return (int)(w->at[i].p - w->line) + 1;
}

static bool begins_with_digit(const struct words *w)
{
	return w->n && is_digit(w->at[0].p[0]);
}

static bool is_group_line(struct slice line)
{
	line = slice_trim(line);
	return (slice_starts(line, "procs") || slice_starts(line, "--procs")) && slice_has(line, "-memory-");
}

/* Of nearly all lines this is all that must be known. */
static bool has_r(const struct words *w)
{
	size_t i = 0;

	while (i < w->n && (w->at[i].n != 1 || w->at[i].p[0] != 'r'))
		i++;
	return i < w->n;
}

static bool is_head_line(const struct words *w)
{
	return has_r(w) && slices_find(w->at, w->n, "id") < w->n && slices_find(w->at, w->n, "bi") < w->n;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	/* a banner of the shell or a date may stand before it */
	while (first_bytes.n) {
		const struct slice line = slice_line(&first_bytes);
		if (is_group_line(line))
			return (struct bid){ 95, "it begins with vmstat's two header lines" };
	}
	return (struct bid){ 0, NULL };
}

/* How rows get their time. */
enum timing { TIMING_STAMPS, /* -t: each has its own */
	TIMING_DATES,        /* a date stands before each run */
	TIMING_NONE };

struct kept_row { /* until the date of the next run is known */
	struct slice text;
	int64_t line;
};

struct vmstat {
	struct reading *r;
	struct sheet *sheet;
	struct words head, row;
	const struct spelling *columns[MAX_WORDS]; /* of the head; NULL: not read */
	char head_text[512];
	size_t id, wa, st; /* places of the columns that busy is made of; head.n when absent */
	bool is_in_mib;    /* memory and swap, by -S; of the run */
	bool has_head, has_first;
	bool run_is_over;     /* a blank line or a date stood since the last row */
	bool has_groups;      /* the line above the head stood since the last row */
	size_t n_since_head;  /* rows */
	size_t screen_rows;   /* between the last two heads; 0: there was one */
	time_ms last, step;   /* stamp of the last row, and how long after the one before; 0: there is none */
	size_t n_boot;        /* rows that were averages since boot */
	size_t n_untimed;     /* rows of a log without times so far */
	enum timing timing;
	time_ms date, next_date; /* of this run, and the one read last; TIME_UNKNOWN */
	time_ms spacing;      /* between the rows of the run before; 0 until one is over */
	struct kept_row *kept;
	size_t n_kept, kept_room;
	struct arena texts; /* theirs */
	size_t n_rows;        /* used or rejected */
	int64_t line;         /* of the row in hand */
	size_t channel;
};

static void flush_kept(struct vmstat *v, time_ms next_date);

static bool has_stamps(const struct words *head)
{
	/* with -t one more word follows the last column, whatever the zone is called */
	struct slice last = head->at[head->n - 1];

	return !slice_is(last, "st") && !slice_is(last, "wa") && !slice_is(last, "gu") && !slice_is(last, "id");
}

static void take_timing(struct vmstat *v)
{
	v->timing = has_stamps(&v->head) ? TIMING_STAMPS : v->next_date != TIME_UNKNOWN ? TIMING_DATES : TIMING_NONE;
	if (v->timing == TIMING_STAMPS)
		reading_zone(v->r, v->head.at[v->head.n - 1]);
	v->r->recording->clock.time_unknown = v->timing == TIMING_NONE;
}

static void take_head(struct vmstat *v)
{
	/* where rows have no times a row that is not used would move all that come later */
	const bool is_like_one = v->n_since_head == FILE_ROWS || v->n_since_head == v->screen_rows || v->timing != TIMING_STAMPS;
	const bool is_screenful = v->n_since_head >= SCREEN_ROWS_LEAST && v->n_since_head <= SCREEN_ROWS_MOST && is_like_one;
	const bool new_run = !v->has_head || v->run_is_over || !v->has_groups || !is_screenful;

	const char *end = v->row.at[v->row.n - 1].p + v->row.at[v->row.n - 1].n;
	struct slice line = { v->row.at[0].p, (size_t)(end - v->row.at[0].p) };

	v->r->recording->n_rows_ignored++;
	if (new_run && v->timing == TIMING_DATES && v->has_head) {
		flush_kept(v, v->next_date); /* with the head that it had */
		v->date = v->next_date;
	}
	/* the words point into a copy, since the line is gone when the rows come */
	if (line.n >= sizeof v->head_text)
		line.n = sizeof v->head_text - 1;
	memcpy(v->head_text, line.p, line.n);
	cut_words(&v->head, (struct slice){ v->head_text, line.n });
	for (size_t i = 0; i < v->head.n; i++)
		v->columns[i] = spelling_find(columns, v->head.at[i]);
	v->id = slices_find(v->head.at, v->head.n, "id");
	v->wa = slices_find(v->head.at, v->head.n, "wa");
	v->st = slices_find(v->head.at, v->head.n, "st");
	if (!v->has_head) {
		take_timing(v);
		v->date = v->next_date;
	}
	if (new_run)
		v->has_first = false;
	v->screen_rows = v->n_since_head;
	v->n_since_head = 0;
	v->has_head = true;
	v->run_is_over = v->has_groups = false;
}

/* The share in the word at `i`; 0 where the head has no such column. False, already reported: no share. */
static bool share_at(struct vmstat *v, size_t i, fixed *share)
{
	struct place place = { v->r->lines->path, v->line, column_of(&v->row, i < v->head.n ? i : 0) };
	struct slice rest;

	*share = 0;
	if (i >= v->head.n)
		return true;
	if (fixed_parse(v->row.at[i], share, &rest) && !rest.n && *share >= 0 && *share <= 100 * (fixed)FIXED_ONE)
		return true;
	return diag_repeat(v->r->diags, place, DIAG_BAD_NUMBER, "busy", "'%.*s' in %.*s is no share; busy is not known",
		SLICE(v->row.at[i]), SLICE(v->head.at[i]));
}

/* Does the row have no time at work, of user or system? */
static bool is_at_nothing(const struct vmstat *v)
{
	static const char *const parts[] = { "us", "sy", "gu" }; /* procps before 4 has no guests */

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const size_t at = slices_find(v->head.at, v->head.n, parts[i]);
		if (at < v->head.n ? !slice_is(v->row.at[at], "0") : i < 2)
			return false;
	}
	return true;
}

/* Everything but idle, I/O wait and steal: what us + sy (+ gu) add up to but for rounding. */
static void put_busy(struct vmstat *v)
{
	fixed idle, wait, steal;

	if (!share_at(v, v->id, &idle) || !share_at(v, v->wa, &wait) || !share_at(v, v->st, &steal)) {
		sheet_absent(v->sheet, METRIC_CPU_BUSY, ABSENT_UNREADABLE);
		return;
	}
	if (!idle && !wait && !steal && is_at_nothing(v)) { /* no CPU is all of these for no time */
		sheet_absent(v->sheet, METRIC_CPU_BUSY, ABSENT_UNSUPPORTED);
		return;
	}
	fixed busy = 100 * (fixed)FIXED_ONE - idle - wait - steal;
	sheet_put(v->sheet, METRIC_CPU_BUSY, busy < 0 ? 0 : busy, 0);
}

/* False, already reported, when the stamp at the end of the row can't be read. */
static bool take_stamp(struct vmstat *v, time_ms *t)
{
	struct place place = { v->r->lines->path, v->line, column_of(&v->row, v->row.n - 2) };
	struct slice day = v->row.at[v->row.n - 2], clock = v->row.at[v->row.n - 1];
	struct slice stamp = { day.p, (size_t)(clock.p + clock.n - day.p) };

	if (stamp_parse(stamp, t))
		return true;
	return sheet_reject(v->sheet, place, DIAG_BAD_TIME, "'%.*s' is no time stamp, expected like 2026-11-21 01:48:34; row not used",
		SLICE(stamp));
}

/* Of memory and of pages that go to disks and come back; blocks, bi and bo, -S leaves as they are (vmstat(8)). */
static enum unit unit_of(const struct vmstat *v, const struct spelling *column)
{
	const bool is_block = column->metric == METRIC_HOST_DISK_READ || column->metric == METRIC_HOST_DISK_WRITE;

	if (!v->is_in_mib || is_block)
		return column->unit;
	return column->unit == UNIT_KIB ? UNIT_MIB : column->unit == UNIT_KIB_S ? UNIT_MIB_S : column->unit;
}

static void put_row(struct vmstat *v, time_ms t)
{
	struct place place = { v->r->lines->path, v->line, 0 };

	sheet_row(v->sheet, v->channel, t);
	for (size_t i = 0; i < v->head.n && i < v->row.n; i++) {
		const struct spelling *const column = v->columns[i];
		if (!column)
			continue;
		const enum unit unit = unit_of(v, column);
		if (sheet_cell_plain(v->sheet, column->metric, unit, v->row.at[i]))
			continue;
		place.column = column_of(&v->row, i);
		sheet_cell(v->sheet, column, unit, v->row.at[i], place);
	}
	put_busy(v);
}

/* The rows of a run whose end is known: it began at its date. The last run has no end; it is as the one before. */
static void flush_kept(struct vmstat *v, time_ms next_date)
{
	const bool has_end = next_date != TIME_UNKNOWN && v->date != TIME_UNKNOWN && next_date > v->date;

	if (v->n_kept && has_end)
		v->spacing = (next_date - v->date) / (time_ms)v->n_kept;
	for (size_t i = 0; i < v->n_kept; i++) {
		cut_words(&v->row, v->kept[i].text);
		v->line = v->kept[i].line;
		put_row(v, v->date + (time_ms)(i + 1) * (v->spacing ? v->spacing : SECOND_MS));
	}
	v->n_kept = 0;
	arena_reset(&v->texts);
}

static void keep_row(struct vmstat *v, struct slice line)
{
	if (!v->n_rows)
		diag_at(v->r->diags, (struct place){ v->r->lines->path, v->line, 0 }, DIAG_CLOCK,
			"rows without times; they are spread evenly from the date before them to the next one; log with vmstat -t");
	v->kept = grow(v->kept, &v->kept_room, v->n_kept + 1, sizeof *v->kept);
	v->kept[v->n_kept++] = (struct kept_row){ { arena_text(&v->texts, line.p, line.n), line.n }, v->line };
}

/* By the first row of a run, which of memory tells what holds at that moment. */
static void take_unit(struct vmstat *v)
{
	static const char *const heads[] = { "free", "frei", "buff", "cache", "Cache", "inact", "active" };
	fixed sum = 0;
	bool is_in_pages = true;

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		const size_t at = slices_find(v->head.at, v->head.n, heads[i]);
		fixed value;
		struct slice rest;
		if (at >= v->head.n || !fixed_parse(v->row.at[at], &value, &rest) || rest.n || value % FIXED_ONE)
			continue;
		sum += value / FIXED_ONE;
		is_in_pages &= value / FIXED_ONE % PAGE_KIB == 0;
	}
	v->is_in_mib = !is_in_pages && sum < MIB_MOST;
	if (v->is_in_mib && !v->r->recording->guess)
		reading_guesses(v->r, "memory and swap are in MiB, as vmstat -S M writes them; in KiB all would be multiples of 4");
}

/* The average since boot, with which a run begins. */
static void take_boot_row(struct vmstat *v, time_ms t)
{
	v->has_first = true;
	v->n_boot++;
	take_unit(v);
	v->r->recording->n_rows_ignored++;
	sheet_begin(v->sheet, v->channel, t);
}

/* Below heads of a screen the rows go on in their step; a vmstat that was begun anew writes at once, or after a while. */
static bool is_out_of_step(const struct vmstat *v, time_ms t)
{
	return !v->n_since_head && v->step > 0 && (2 * (t - v->last) > 3 * v->step || 2 * (t - v->last) < v->step);
}

static void note_step(struct vmstat *v, time_ms t)
{
	v->step = v->last ? t - v->last : 0;
	v->last = t;
}

static void take_row(struct vmstat *v, struct slice line)
{
	struct place place = { v->r->lines->path, v->line, 0 };
	/* the time takes two words where its head is one */
	const size_t n_words = v->head.n + (v->timing == TIMING_STAMPS);
	time_ms t = 0;

	if (v->row.n != n_words) {
		sheet_reject(v->sheet, place, DIAG_BAD_ROW, "%zu words where the header has %zu; row not used", v->row.n, n_words);
		return;
	}
	const bool is_stamped = v->timing == TIMING_STAMPS, is_good = !is_stamped || take_stamp(v, &t);
	if (is_stamped && is_good) {
		v->has_first = v->has_first && !is_out_of_step(v, t);
		note_step(v, t);
	}
	v->n_since_head++;
	const bool is_boot_row = !v->has_first;
	if (is_good && is_boot_row)
		take_boot_row(v, v->timing == TIMING_DATES ? v->date : t);
	else if (is_good && v->timing == TIMING_DATES)
		keep_row(v, line);
	else if (is_good)
		put_row(v, is_stamped ? t : (time_ms)++v->n_untimed * SECOND_MS);
	v->n_rows += !is_boot_row;
}

static void take_date(struct vmstat *v, time_ms t, struct slice zone)
{
	v->r->recording->n_rows_ignored++;
	v->run_is_over = true;
	v->next_date = t;
	if (!v->has_head || v->timing == TIMING_DATES)
		reading_zone(v->r, zone);
}

static void take_line(struct vmstat *v, struct slice line)
{
	struct slice zone;
	time_ms t;

	if (!sheet_takes_line(v->sheet))
		return;
	v->line = v->r->lines->line;
	cut_words(&v->row, line);
	if (!v->row.n) {
		v->run_is_over = true;
		v->r->recording->n_rows_ignored++;
	} else if (!begins_with_digit(&v->row) && is_group_line(line)) {
		v->has_groups = true;
		v->r->recording->n_rows_ignored++;
	} else if (is_head_line(&v->row)) {
		take_head(v);
	} else if (!begins_with_digit(&v->row) && date_line_parse(line, &t, &zone)) {
		take_date(v, t, zone);
	} else if (v->has_head) {
		take_row(v, line);
	} else {
		v->r->recording->n_rows_ignored++;
	}
}

static bool refuse(struct vmstat *v)
{
	diag_at(v->r->diags, (struct place){ v->r->lines->path, 0, 0 }, DIAG_NO_ROWS,
		"nothing but averages since boot, as the first row of vmstat is; log with vmstat -t N, which goes on");
	return sheet_drop(v->sheet);
}

static bool read(struct reading *r)
{
	struct vmstat *v = NEW(r->scratch, struct vmstat);
	struct slice line;

	v->r = r;
	v->sheet = sheet_new(r);
	v->date = v->next_date = TIME_UNKNOWN;
	arena_init(&v->texts);
	r->recording->clock.basis = BASIS_LOCAL;
	v->channel = sheet_channel(v->sheet, &(struct entity){ .scope = SCOPE_HOST, .host = "" });
	while (line_next(r->lines, &line))
		take_line(v, line);
	flush_kept(v, TIME_UNKNOWN);
	grow_free(v->kept);
	arena_release(&v->texts);
	if (v->n_boot && !v->n_rows)
		return refuse(v);
	return sheet_finish(v->sheet);
}

static const char sample[] =
	"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
	" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n"
	" 2  0      0 14615508 103612 9639228    0    0   780  1883  476 2512 30  6 63  0  0 2026-11-20 21:33:43\n"
	" 1  0      0 14615004 103612 9639228    0    0     0   120  390 2012 93  4  3  0  0 2026-11-20 21:33:44\n"
	" 3  0      0 14612200 103612 9639228    0    0     0     0  401 2101 94  4  2  0  0 2026-11-20 21:33:45\n";

const struct format format_vmstat = {
	.name = "vmstat",
	.title = "vmstat [-t] [-w] [-n] N",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
