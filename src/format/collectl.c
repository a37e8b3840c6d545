/*
 * collectl.c - reads what `collectl -P` printed, or wrote with -f.
 *
 *     waiting for 1 second sample...
 *     #Date Time [CPU]User% [CPU]Nice% [CPU]Sys% [CPU]Wait% [CPU]Irq% [CPU]Soft% [CPU]Steal% [CPU]Idle% [CPU]Totl% …
 *     20261120 21:34:02 39 0 14 1 0 0 0 46 53 …
 *
 * The head names each column with its subsystem in brackets, "[CPU:3]" for one core. `--sep ,` puts another separator
 * between, -oU makes the time epoch seconds under "#UTC", -om adds milliseconds. Files begin with a block of remarks
 * that names the host and the offset of its zone ("TZ: -0400"); on a terminal there is none, and the time is local.
 * What collectl says on stderr stands before the head. Heads repeat when a log is started again.
 *
 * Where only the cores are told (-sC), all of them are, and their mean is the host. What collectl prints without -P is made
 * for the eye, in whole percent without a date, and is refused.
 *
 * A row describes the interval that ends at its time; collectl waits for a whole one before the first. Shares are whole
 * percent and add up to 100 but for rounding. [MEM]Used has the caches in it, so memory that programs hold
 * is Tot - Free - Buf - Cached - (Slab - SUnreclaim), as `free` of procps 3 has it. Network totals leave out lo, disk
 * totals device-mapper's, whose blocks are counted on the disks below. Swap rates are in pages or KiB by version: not read.
 */
#include "format/host_row.h"

static const struct spelling columns[] = {
	{ "[CPU]User%", METRIC_CPU_USER, UNIT_PERCENT },
	{ "[CPU]Nice%", METRIC_CPU_USER, UNIT_PERCENT },
	{ "[CPU]Sys%", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "[CPU]Irq%", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "[CPU]Soft%", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "[CPU]Wait%", METRIC_CPU_IOWAIT, UNIT_PERCENT },
	{ "[CPU]Steal%", METRIC_CPU_STEAL, UNIT_PERCENT },
	{ "[CPU]Idle%", METRIC_CPU_BUSY, UNIT_PERCENT },
	{ "[CPU]L-Avg1", METRIC_HOST_LOAD, UNIT_NUMBER },
	{ "[CPU]RunTot", METRIC_HOST_RUNQ, UNIT_NUMBER },
	{ "[CPU]BlkTot", METRIC_HOST_BLOCKED, UNIT_NUMBER },
	{ "[MEM]Tot", METRIC_HOST_MEM_TOTAL, UNIT_KIB },
	{ "[MEM]Free", METRIC_HOST_MEM_FREE, UNIT_KIB },
	{ "[MEM]SwapUsed", METRIC_HOST_SWAP_USED, UNIT_KIB },
	{ "[NET]RxKBTot", METRIC_HOST_NET_RX, UNIT_KIB_S },
	{ "[NET]TxKBTot", METRIC_HOST_NET_TX, UNIT_KIB_S },
	{ "[DSK]ReadKBTot", METRIC_HOST_DISK_READ, UNIT_KIB_S },
	{ "[DSK]WriteKBTot", METRIC_HOST_DISK_WRITE, UNIT_KIB_S },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ "-", ABSENT_UNSUPPORTED },
	{ "-1", ABSENT_UNSUPPORTED },
	{ NULL, ABSENT_EMPTY },
};

static const struct {
	const char *name;
	enum cpu_state state;
} states[] = {
	{ "User%", CPU_USER }, { "Nice%", CPU_NICE }, { "Sys%", CPU_SYSTEM },   { "Wait%", CPU_IOWAIT },
	{ "Irq%", CPU_IRQ },   { "Soft%", CPU_SOFTIRQ }, { "Steal%", CPU_STEAL }, { "Idle%", CPU_IDLE },
};

/* What memory in use is made of. */
enum part { PART_TOTAL, PART_FREE, PART_BUFFERS, PART_CACHED, PART_SLAB, PART_UNRECLAIMABLE, N_PARTS };
static const char *const part_names[N_PARTS] = {
	[PART_TOTAL] = "[MEM]Tot",     [PART_FREE] = "[MEM]Free", [PART_BUFFERS] = "[MEM]Buf",
	[PART_CACHED] = "[MEM]Cached", [PART_SLAB] = "[MEM]Slab", [PART_UNRECLAIMABLE] = "[MEM]SUnreclaim",
};

#define SHARE_MOST ((int64_t)110) /* collectl's shares are now and then a few percent over 100: the tick was late */
#define MAX_HEADS ((size_t)32768)  /* 12 columns each of 2,700 cores */

struct head {
	const struct spelling *spelling; /* or NULL */
	enum cpu_state state;		 /* N_CPU_STATES: no share */
	int core;
	enum part part; /* N_PARTS: none */
};

struct collectl {
	struct reading *r;
	struct sheet *sheet;
	struct host_row *rows;
	struct head *heads; /* behind those of the time */
	size_t n, room;
	char separator;
	bool has_head, is_epoch, has_rows;
	bool has_host;	/* shares of the host, not of cores only */
	size_t n_cores; /* of the heads */
	int64_t parts[N_PARTS]; /* of the row; -1: not there */
};

static bool is_head(struct slice line)
{
	return (slice_starts(line, "#Date") || slice_starts(line, "#UTC")) && slice_has(line, "[") && slice_has(line, "]");
}

/* "#Time     cpu sys inter  ctxsw" below "#         <--------CPU-------->" */
static bool is_screen(struct slice line)
{
	struct slice rest = line, word = slice_word(&rest);

	if (slice_starts(line, "#") && slice_has(line, "<---") && slice_has(line, "CPU") && slice_has(line, "--->"))
		return true;
	return slice_is(word, "#Time") && slice_is(slice_word(&rest), "cpu") && slice_is(slice_word(&rest), "sys");
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	while (first_bytes.n) {
		const struct slice line = slice_line(&first_bytes);
		if (is_head(line))
			return (struct bid){ 95, "it has the head of collectl -P" };
		if (is_screen(line))
			return (struct bid){ 90, "it has the heads of collectl's screen" };
	}
	return (struct bid){ 0, NULL };
}

/* "[CPU]User%" and "[CPU:12]User%". */
static bool is_share(struct slice name, enum cpu_state *state, int *core)
{
	const char *close = memchr(name.p, ']', name.n);

	if (!close || !slice_starts(name, "[CPU"))
		return false;
	const struct slice who = { name.p, (size_t)(close - name.p) }, what = { close + 1, (size_t)(name.p + name.n - close) - 1 };
	*core = WHOLE_HOST;
	if (!slice_is(who, "[CPU") && !core_parse(who, "[CPU:", core))
		return false;
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
		*state = states[i].state;
		if (slice_is(what, states[i].name))
			return true;
	}
	return false;
}

static struct head head_of(struct collectl *c, struct slice name)
{
	struct head head = { .state = N_CPU_STATES, .part = N_PARTS };

	if (is_share(name, &head.state, &head.core))
		return head;
	head.state = N_CPU_STATES;
	for (int i = 0; i < N_PARTS; i++)
		if (slice_is(name, part_names[i]))
			head.part = (enum part)i;
	head.spelling = spelling_find(columns, name);
	if (!head.spelling && head.part == N_PARTS)
		host_row_unread(c->rows, name);
	return head;
}

static void take_head(struct collectl *c, struct slice line)
{
	const bool is_epoch = slice_starts(line, "#UTC");
	struct slice rest = line, name;

	/* what stands behind "#Date" or "#UTC" is what stands between all */
	const size_t n_word = is_epoch ? strlen("#UTC") : strlen("#Date");
	c->separator = line.n > n_word ? line.p[n_word] : ' ';
	c->is_epoch |= is_epoch && !c->has_rows;
	c->n = c->n_cores = 0;
	c->has_host = false;
	c->has_head = is_epoch == c->is_epoch; /* one log has one kind of time */
	host_cell(&rest, c->separator, &name);
	if (!is_epoch)
		host_cell(&rest, c->separator, &name); /* Time */
	while (host_cell(&rest, c->separator, &name) && c->n < MAX_HEADS) {
		c->heads = grow(c->heads, &c->room, c->n + 1, sizeof *c->heads);
		c->heads[c->n] = head_of(c, name);
		c->has_host |= c->heads[c->n].state != N_CPU_STATES && c->heads[c->n].core == WHOLE_HOST;
		c->n_cores += c->heads[c->n].state == CPU_IDLE && c->heads[c->n].core != WHOLE_HOST;
		c->n++;
	}
}

/* "# Host:       node01  DaemonOpts: …", "# Date:       20130731-113329  Secs: 1375284809 TZ: -0400" */
static void take_remark(struct collectl *c, struct slice line)
{
	struct recording *rec = c->r->recording;
	struct slice word = slice_word(&line), before = word;
	time_ms offset;

	for (word = slice_word(&line); word.n; before = word, word = slice_word(&line)) {
		if (slice_is(before, "Host:"))
			reading_host(c->r, word);
		if (slice_is(before, "Collectl:") && !rec->tool && slice_is_utf8(word))
			rec->tool = arena_print(c->r->mem, "collectl %.*s", SLICE(word));
		if (slice_is(before, "TZ:") && zone_parse(word, &offset))
			reading_zone(c->r, word);
	}
}

/* "20261120" */
static bool day_parse(struct slice word, time_ms *day)
{
	int64_t number;

	if (word.n != 8 || !integer_parse(word, &number))
		return false;
	const int year = (int)(number / 10000), month = (int)(number / 100 % 100), of_month = (int)(number % 100);
	if (year < 1990 || year >= 2100 || !civil_is_valid(year, month, of_month))
		return false;
	*day = days_from_civil(year, month, of_month) * DAY_MS;
	return true;
}

/* Takes the time off the front of a row. */
static bool time_parse(const struct collectl *c, struct slice *line, time_ms *t)
{
	struct slice cell;
	time_ms of_day;

	if (!host_cell(line, c->separator, &cell))
		return false;
	if (c->is_epoch)
		return epoch_parse(cell, t);
	if (!day_parse(cell, t) || !host_cell(line, c->separator, &cell) || !clock_parse(cell, 0, &of_day))
		return false;
	*t += of_day;
	return true;
}

/* -1 for a cell that is no share. */
static int64_t share_of(struct collectl *c, struct slice cell, struct place place)
{
	struct slice rest;
	fixed share;

	if (fixed_parse(cell, &share, &rest) && !rest.n && share >= 0 && share <= SHARE_MOST * FIXED_ONE)
		return share;
	diag_repeat(c->r->diags, place, DIAG_BAD_NUMBER, "shares", "'%.*s' is no share of the CPU's time", SLICE(cell));
	return -1;
}

static void take_share(struct collectl *c, const struct head *head, struct slice cell, struct place place)
{
	struct cpu_times *times = host_row_times(c->rows, head->core), *host = host_row_times(c->rows, WHOLE_HOST);
	const int64_t share = share_of(c, cell, place);

	if (!times)
		return;
	times->has[head->state] = true;
	times->of[head->state] = share;
	if (c->has_host || !c->n_cores)
		return;
	host->has[head->state] = true; /* summed up; the mean is made when the row is whole */
	host->of[head->state] = share < 0 || host->of[head->state] < 0 ? -1 : host->of[head->state] + share;
}

/* The shares of a core are 100 % together, but for rounding; of one that is offline nothing. */
static int64_t count_online(const struct collectl *c, const struct cpu_times *all)
{
	const int64_t whole = 100 * (int64_t)FIXED_ONE;
	int64_t sum = whole / 2;

	for (int i = 0; i < N_CPU_STATES; i++)
		sum += all->of[i] > 0 ? all->of[i] : 0;
	const int64_t n = sum / whole, most = (int64_t)c->n_cores;
	const bool is_whole = all->has[CPU_USER] && all->has[CPU_SYSTEM] && all->has[CPU_IDLE];
	return !is_whole || n > most ? most : n > 1 ? n : 1;
}

static void make_mean(struct collectl *c)
{
	struct cpu_times *host = host_row_times(c->rows, WHOLE_HOST);

	if (c->has_host || !c->n_cores)
		return;
	const int64_t n_online = count_online(c, host);
	for (int i = 0; i < N_CPU_STATES; i++)
		if (host->of[i] > 0)
			host->of[i] /= n_online;
}

static void take_part(struct collectl *c, enum part part, struct slice cell)
{
	int64_t kib;

	if (integer_parse(cell, &kib) && kib < INT64_MAX / 16)
		c->parts[part] = kib;
}

static void put_memory(struct collectl *c)
{
	const int64_t *of = c->parts;

	if (of[PART_TOTAL] <= 0 || of[PART_FREE] < 0 || of[PART_BUFFERS] < 0 || of[PART_CACHED] < 0)
		return;
	const int64_t reclaimable = of[PART_SLAB] >= 0 && of[PART_UNRECLAIMABLE] >= 0 ? of[PART_SLAB] - of[PART_UNRECLAIMABLE] : 0;
	host_row_memory(c->sheet, of[PART_TOTAL], of[PART_TOTAL] - of[PART_FREE] - of[PART_BUFFERS] - of[PART_CACHED] - reclaimable);
}

static void take_cells(struct collectl *c, struct slice line, const char *start)
{
	struct place place = { c->r->lines->path, c->r->lines->line, 0 };
	struct slice cell;

	for (int i = 0; i < N_PARTS; i++)
		c->parts[i] = -1;
	for (size_t i = 0; i < c->n && host_cell(&line, c->separator, &cell); i++) {
		const struct head *head = &c->heads[i];
		place.column = (int)(cell.p - start) + 1;
		if (head->state != N_CPU_STATES)
			take_share(c, head, cell, place);
		else if (head->part != N_PARTS)
			take_part(c, head->part, cell);
		if (head->spelling && head->spelling->metric != METRIC_HOST_MEM_TOTAL)
			sheet_cell(c->sheet, head->spelling, head->spelling->unit, cell, place);
	}
	put_memory(c);
	make_mean(c);
}

static size_t count_cells(struct slice line, char separator)
{
	return separator == ' ' ? slice_count_words(line) : !line.p ? 0 : slice_count(line, separator) + 1;
}

static void take_row(struct collectl *c, struct slice line)
{
	struct place place = { c->r->lines->path, c->r->lines->line, 0 };
	struct slice rest = line, cell = line;
	time_ms t;

	host_cell(&rest, c->separator, &cell);
	rest = line;
	if (!time_parse(c, &rest, &t)) {
		place.column = 1;
		sheet_reject(c->sheet, place, DIAG_BAD_TIME, "'%.*s' begins no row, expected like %s; row not used", SLICE(cell),
			c->is_epoch ? "1795228460" : "20261120 21:34:02");
		return;
	}
	const size_t n = count_cells(rest, c->separator);
	if (n != c->n) {
		sheet_reject(c->sheet, place, DIAG_BAD_ROW, "%zu values where the header has %zu; row not used", n, c->n);
		return;
	}
	c->has_rows = true;
	host_row_open(c->rows, t);
	take_cells(c, rest, line.p);
	host_row_close(c->rows, 100 * (int64_t)FIXED_ONE, 0);
}

static void take_line(struct collectl *c, struct slice line)
{
	if (!sheet_takes_line(c->sheet))
		return;
	line = slice_trim(line);
	if (line.n && c->has_head && is_digit(line.p[0])) {
		take_row(c, line);
		return;
	}
	c->r->recording->n_rows_ignored++; /* heads, remarks, and what collectl says on stderr */
	if (is_head(line))
		take_head(c, line);
	else if (slice_starts(line, "#"))
		take_remark(c, line);
}

static bool read(struct reading *r)
{
	struct collectl *c = NEW(r->scratch, struct collectl);
	bool has_screen = false, has_head = false;
	struct slice line;

	c->r = r;
	c->sheet = sheet_new(r);
	c->rows = host_row_new(r, c->sheet);
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line)) {
		has_screen |= is_screen(line);
		has_head |= is_head(line);
		take_line(c, line);
	}
	if (c->is_epoch)
		reading_epoch(r);
	host_row_release(c->rows);
	grow_free(c->heads);
	if (has_screen && !has_head) {
		diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NO_TIME,
			"what collectl prints for the eye has no date; log with collectl -P");
		return sheet_drop(c->sheet);
	}
	return sheet_finish(c->sheet);
}

static const char sample[] =
	"waiting for 1 second sample...\n"
	"#Date Time [CPU]User% [CPU]Nice% [CPU]Sys% [CPU]Wait% [CPU]Irq% [CPU]Soft% [CPU]Steal% [CPU]Idle% [CPU]Totl% [CPU]L-Avg1 "
	"[CPU]RunTot [CPU]BlkTot [MEM]Tot [MEM]Used [MEM]Free [MEM]Buf [MEM]Cached [MEM]Slab [MEM]SUnreclaim\n"
	"20261120 21:34:02 39 0 14 1 0 0 0 46 53 1.20 2 0 24731708 10157188 14574520 104060 9310104 387296 46148\n"
	"20261120 21:34:03 37 0 13 0 0 0 0 49 51 1.20 1 0 24731708 10139736 14591972 104060 9310116 387324 46176\n"
	"20261120 21:34:04 46 0 15 0 0 0 0 38 62 1.20 1 0 24731708 10114644 14617064 104072 9310180 387436 46280\n";

const struct format format_collectl = {
	.name = "collectl",
	.title = "collectl -P [--sep ,] [-oU] [-om]",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.rows_are_not_lines = true,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
