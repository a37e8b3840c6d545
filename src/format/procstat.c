/*
 * procstat.c - reads snapshots of /proc/stat, /proc/meminfo and /proc/loadavg, one after another, as a shell loop
 * writes them:
 *
 *     ts 1795225849.936321149
 *     cpu  88851 0 13093 168179 271 0 378 57 0 0
 *     cpu0 5131 0 762 10993 0 0 336 5 0 0
 *     ctxt 317583
 *     btime 1795225680
 *     processes 1152
 *     procs_running 11
 *     procs_blocked 0
 *     MemTotal:       131981020 kB
 *     MemAvailable:   131367344 kB
 *     4.18 2.61 1.04 1/223 1358
 *     ts 1795225850.944
 *
 * The time of a snapshot stands before or behind it: "ts EPOCH", the bare EPOCH of `date +%s.%N`, or
 * what `date` and `date -Is` print. The first of them tells which: a snapshot that comes before any time has its time behind it. Not so
 * what is left of one whose head was cut off: it has no "cpu" line, and the next one has. Its time was before it.
 *
 * cpu lines (Documentation/filesystems/proc.rst) count ticks since boot: user nice system idle iowait irq softirq steal
 * guest guest_nice; guest time is inside user and nice already. What is known of an interval is the difference of
 * its two snapshots, as shares of the sum of all states, so the length of a tick does not matter:
 *
 *     busy = 100 - 100 * (idle + iowait + steal) / all        of all cores, and of each
 *
 * The row of an interval has the time at which it begins, and with it the memory, load and queue that were read then; so
 * the last snapshot has these only, or no row. iowait and idle may fall a little (proc.rst says so of iowait): no time passed
 * then. When what was worked (user, nice, system, irq, softirq, or the forks in `processes`) falls, or the host was booted
 * after the snapshot before, it is another boot: an event, and an interval of which nothing is known.
 *
 * Memory that programs hold is MemTotal - MemAvailable, as `free` of procps 4 has it; on kernels before 3.14, which
 * have no MemAvailable, MemTotal - MemFree - Buffers - Cached - SReclaimable.
 */
#include "format/host_row.h"

#define LOAD_MOST (1000000 * (fixed)FIXED_ONE)
#define TICKS_MOST ((int64_t)1000000000000000) /* 300,000 years of a core; keeps sums far from overflow */

static const struct spelling columns[] = {
	{ "user", METRIC_CPU_USER, UNIT_NUMBER },
	{ "nice", METRIC_CPU_USER, UNIT_NUMBER },
	{ "system", METRIC_CPU_SYSTEM, UNIT_NUMBER },
	{ "irq", METRIC_CPU_SYSTEM, UNIT_NUMBER },
	{ "softirq", METRIC_CPU_SYSTEM, UNIT_NUMBER },
	{ "idle", METRIC_CPU_BUSY, UNIT_NUMBER },
	{ "iowait", METRIC_CPU_IOWAIT, UNIT_NUMBER },
	{ "steal", METRIC_CPU_STEAL, UNIT_NUMBER },
	{ "procs_running", METRIC_HOST_RUNQ, UNIT_NUMBER },
	{ "procs_blocked", METRIC_HOST_BLOCKED, UNIT_NUMBER },
	{ "loadavg", METRIC_HOST_LOAD, UNIT_NUMBER },
	{ "MemTotal", METRIC_HOST_MEM_TOTAL, UNIT_KIB },
	{ "MemAvailable", METRIC_HOST_MEM_AVAILABLE, UNIT_KIB },
	{ "MemFree", METRIC_HOST_MEM_FREE, UNIT_KIB },
	{ "SwapTotal", METRIC_HOST_SWAP_USED, UNIT_KIB },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ NULL, ABSENT_EMPTY },
};

/* The order of the numbers in a cpu line. */
static const enum cpu_state tick_order[] = { CPU_USER, CPU_NICE, CPU_SYSTEM, CPU_IDLE, CPU_IOWAIT, CPU_IRQ, CPU_SOFTIRQ, CPU_STEAL };
#define N_TICKS (sizeof tick_order / sizeof tick_order[0])
#define TICKS_LEAST ((size_t)4) /* Linux 2.4 had user, nice, system and idle */

/* Numbers with a name in front that a snapshot is asked for. */
enum number {
	NUMBER_BTIME,
	NUMBER_PROCESSES,
	NUMBER_RUNNING,
	NUMBER_BLOCKED,
	NUMBER_MEM_TOTAL,
	NUMBER_MEM_FREE,
	NUMBER_MEM_AVAILABLE,
	NUMBER_BUFFERS,
	NUMBER_CACHED,
	NUMBER_RECLAIMABLE,
	NUMBER_SWAP_TOTAL,
	NUMBER_SWAP_FREE,
	N_NUMBERS
};
static const char *const number_names[N_NUMBERS] = {
	[NUMBER_BTIME] = "btime",
	[NUMBER_PROCESSES] = "processes",
	[NUMBER_RUNNING] = "procs_running",
	[NUMBER_BLOCKED] = "procs_blocked",
	[NUMBER_MEM_TOTAL] = "MemTotal:",
	[NUMBER_MEM_FREE] = "MemFree:",
	[NUMBER_MEM_AVAILABLE] = "MemAvailable:",
	[NUMBER_BUFFERS] = "Buffers:",
	[NUMBER_CACHED] = "Cached:",
	[NUMBER_RECLAIMABLE] = "SReclaimable:",
	[NUMBER_SWAP_TOTAL] = "SwapTotal:",
	[NUMBER_SWAP_FREE] = "SwapFree:",
};

struct counted { /* a core in two snapshots */
	int core;
	struct cpu_times before, now;
	bool was, is;
};

struct snapshot {
	time_ms t; /* TIME_UNKNOWN: not said yet */
	bool has_cpu, has_core, has_any, has_load;
	int64_t numbers[N_NUMBERS]; /* -1: not there */
	fixed load;
	int load_decimals;
};

struct procstat {
	struct reading *r;
	struct sheet *sheet;
	struct host_row *rows;
	struct snapshot before, now;
	bool has_before;
	struct counted host, *cores;
	size_t n, room, next;
	size_t n_live; /* behind these no core has lines in the two snapshots */
	enum { TIMES_UNKNOWN, TIMES_BEFORE, TIMES_BEHIND, TIMES_NEVER } times;
	struct snapshot rest; /* before the first time, without a line for all cores: the rest of one whose head was cut off? */
	bool is_rest_open;    /* until the next snapshot tells */
	bool is_utc;   /* epochs, no civil dates */
	int64_t count; /* of snapshots without times */
};

static struct snapshot snapshot_empty(void)
{
	struct snapshot s = { .t = TIME_UNKNOWN };

	for (int i = 0; i < N_NUMBERS; i++)
		s.numbers[i] = -1;
	return s;
}

struct mark {
	time_ms t;
	bool is_epoch;
	struct slice zone; /* empty: not said */
};

/* What `date` prints: "Sat Nov 21 01:50:49 UTC 2026", "Sat 21 Nov 2026 01:50:49 AM UTC". */
static bool date_parse(struct slice line, struct mark *m)
{
	struct civil c = { 0 };
	struct slice clock = { "", 0 };
	int64_t number;
	char half = 0;
	time_ms of_day;

	for (struct slice word = slice_word(&line); word.n; word = slice_word(&line)) {
		if (memchr(word.p, ':', word.n))
			clock = word;
		else if (slice_is(word, "AM") || slice_is(word, "PM"))
			half = word.p[0];
		else if (integer_parse(word, &number) && word.n == 4)
			c.year = (int)number;
		else if (integer_parse(word, &number) && word.n <= 2)
			c.day = (int)number;
		else if (month_parse(word))
			c.month = month_parse(word);
		else
			m->zone = word; /* the name of the day comes before it */
	}
	if (c.year < 1990 || c.year >= 2100 || !civil_is_valid(c.year, c.month, c.day) || !clock_parse(clock, half, &of_day))
		return false;
	m->t = days_from_civil(c.year, c.month, c.day) * DAY_MS + of_day;
	return true;
}

/* "2026-11-21T01:50:49+00:00" of `date -Is`, or without the offset. */
static bool iso_parse(struct slice line, struct mark *m)
{
	const size_t n_day = strlen("2026-11-21");
	time_ms offset;

	for (size_t i = line.n; i > n_day; i--) {
		const struct slice zone = { line.p + i - 1, line.n - i + 1 };
		if (!strchr("+-Z", zone.p[0]) || !zone_parse(zone, &offset))
			continue;
		m->zone = zone;
		return stamp_parse((struct slice){ line.p, i - 1 }, &m->t);
	}
	return stamp_parse(line, &m->t);
}

/* "ts 1795225849.936", "1795225849.936321149", or a date. */
static bool is_mark(struct slice line, struct mark *m)
{
	struct slice rest = line = slice_trim(line), word = slice_word(&rest);

	if (slice_starts(line, "cpu") && !memchr(line.p, ':', line.n)) /* most lines */
		return false;
	*m = (struct mark){ .zone = { "", 0 } };
	if (slice_is(word, "ts") || slice_is(word, "time") || slice_is(word, "timestamp") || slice_is(word, "date"))
		line = slice_trim(rest);
	if (!line.n)
		return false;
	m->is_epoch = epoch_parse(line, &m->t);
	if (m->is_epoch)
		return true;
	if (is_digit(line.p[0]))
		return iso_parse(line, m);
	return memchr(line.p, ':', line.n) && date_parse(line, m);
}

/* "cpu  88851 0 13093 168179 271 …" or "cpu0 5131 …". `core` is WHOLE_HOST for all. */
static bool is_cpu_line(struct slice line, int *core, struct cpu_times *times)
{
	struct slice words[N_TICKS];
	const struct slice name = slice_word(&line);

	*core = WHOLE_HOST;
	if (!slice_is(name, "cpu") && !core_parse(name, "cpu", core))
		return false;
	*times = (struct cpu_times){ 0 };
	const size_t n = slice_words(line, line.p, words, NULL, N_TICKS);
	for (size_t i = 0; i < N_TICKS; i++) {
		int64_t ticks;
		if (i == n)
			return i >= TICKS_LEAST;
		if (!integer_parse(words[i], &ticks) || ticks > TICKS_MOST)
			return false;
		times->of[tick_order[i]] = ticks;
		times->has[tick_order[i]] = true;
	}
	return true;
}

/* "4.18 2.61 1.04 1/223 1358" */
static bool is_load_line(struct slice line, fixed *load)
{
	fixed value;
	struct slice rest;

	for (int i = 0; i < 3; i++) {
		struct slice word = slice_word(&line);
		if (!word.n || !memchr(word.p, '.', word.n) || !fixed_parse(word, &value, &rest) || rest.n || value < 0 ||
			value > LOAD_MOST)
			return false;
		if (!i)
			*load = value;
	}
	struct slice tasks = slice_word(&line), last = slice_word(&line);
	return tasks.n && memchr(tasks.p, '/', tasks.n) && last.n && !slice_word(&line).n;
}

/* Another log, that holds cpu lines, too. */
static bool is_of_another(struct slice line)
{
	return slice_starts(line, "# Collectl:") || slice_starts(line, ">>> ");
}

static bool has_mark(struct slice lines)
{
	while (lines.n) {
		const struct slice line = slice_line(&lines);
		struct mark ignored;
		if (is_of_another(line))
			return false;
		if (is_mark(line, &ignored))
			return true;
	}
	return false;
}

/* Times are looked for last: most logs have some, few have lines of /proc/meminfo. */
static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	const struct slice all = first_bytes;
	bool memory = false;

	(void)scratch;
	while (first_bytes.n) {
		const struct slice line = slice_line(&first_bytes);
		struct cpu_times times;
		int core;
		if (is_of_another(line))
			break;
		if (slice_starts(line, "cpu  ") && is_cpu_line(line, &core, &times))
			return (struct bid){ 90, "it has the cpu lines of /proc/stat" };
		memory |= slice_starts(line, "MemTotal:") && slice_has(line, " kB");
	}
	if (memory && has_mark(all))
		return (struct bid){ 85, "it has times, and lines of /proc/meminfo" };
	return (struct bid){ 0, NULL };
}

static int64_t worked(const struct cpu_times *t)
{
	return t->of[CPU_USER] + t->of[CPU_NICE] + t->of[CPU_SYSTEM] + t->of[CPU_IRQ] + t->of[CPU_SOFTIRQ];
}

/* Is what lies between the two snapshots more than the passing of time? */
static bool is_restart(const struct procstat *p)
{
	const int64_t *before = p->before.numbers, *now = p->now.numbers;

	if (p->host.was && p->host.is && worked(&p->host.now) < worked(&p->host.before))
		return true;
	if (before[NUMBER_PROCESSES] > now[NUMBER_PROCESSES] && now[NUMBER_PROCESSES] >= 0)
		return true;
	return p->is_utc && now[NUMBER_BTIME] > 0 && now[NUMBER_BTIME] > p->before.t / SECOND_MS;
}

/* The time between two snapshots; false when there is none of it, or the counters are not of one boot. */
static bool spent(const struct counted *c, struct cpu_times *times)
{
	if (!c->was || !c->is || worked(&c->now) < worked(&c->before))
		return false;
	*times = c->now;
	for (int i = 0; i < N_CPU_STATES; i++) {
		times->of[i] -= c->before.of[i];
		if (times->of[i] < 0)
			times->of[i] = 0;
	}
	return true;
}

static void put_interval(struct procstat *p)
{
	struct cpu_times times, *place;

	if (spent(&p->host, &times))
		*host_row_times(p->rows, WHOLE_HOST) = times;
	for (size_t i = 0; i < p->n_live; i++) {
		if (!spent(&p->cores[i], &times))
			continue;
		place = host_row_times(p->rows, p->cores[i].core);
		if (place)
			*place = times;
	}
}

static void put_count(struct sheet *s, enum metric metric, int64_t n)
{
	if (n >= 0 && (double)n <= metric_table[metric].high)
		sheet_put(s, metric, n * FIXED_ONE, 0);
	else if (n >= 0)
		sheet_absent(s, metric, ABSENT_OUT_OF_RANGE);
}

static void put_memory(struct sheet *s, const int64_t *n)
{
	const int64_t total = n[NUMBER_MEM_TOTAL], available = n[NUMBER_MEM_AVAILABLE];
	const int64_t reclaimable = n[NUMBER_RECLAIMABLE] > 0 ? n[NUMBER_RECLAIMABLE] : 0;

	if (total > 0 && available >= 0)
		host_row_memory(s, total, total - available);
	else if (total > 0 && n[NUMBER_MEM_FREE] >= 0 && n[NUMBER_BUFFERS] >= 0 && n[NUMBER_CACHED] >= 0)
		host_row_memory(s, total, total - n[NUMBER_MEM_FREE] - n[NUMBER_BUFFERS] - n[NUMBER_CACHED] - reclaimable);
	if (available >= 0)
		host_row_kib(s, METRIC_HOST_MEM_AVAILABLE, available);
	if (n[NUMBER_MEM_FREE] >= 0)
		host_row_kib(s, METRIC_HOST_MEM_FREE, n[NUMBER_MEM_FREE]);
	if (n[NUMBER_SWAP_TOTAL] >= 0 && n[NUMBER_SWAP_FREE] >= 0)
		host_row_kib(s, METRIC_HOST_SWAP_USED, n[NUMBER_SWAP_TOTAL] - n[NUMBER_SWAP_FREE]);
}

/* The row of the snapshot before, and of the interval that it begins when `now` ends it. */
static void put_before(struct procstat *p, bool has_now)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };
	const struct snapshot *s = &p->before;

	host_row_open(p->rows, s->t);
	put_count(p->sheet, METRIC_HOST_RUNQ, s->numbers[NUMBER_RUNNING]);
	put_count(p->sheet, METRIC_HOST_BLOCKED, s->numbers[NUMBER_BLOCKED]);
	put_memory(p->sheet, s->numbers);
	if (s->has_load)
		sheet_put(p->sheet, METRIC_HOST_LOAD, s->load, s->load_decimals);
	if (has_now && is_restart(p))
		sheet_event(p->sheet, EVENT_RESTART, &host, p->now.t, 0, slice_of("the counters of /proc/stat begin anew"));
	else if (has_now && p->now.t > p->before.t)
		put_interval(p);
	host_row_close(p->rows, 0, 2);
}

static void counted_next(struct counted *c, bool kept)
{
	if (kept) {
		c->before = c->now;
		c->was = c->is;
	}
	c->is = false;
}

/* The snapshot is whole: the one before gets its row. Without a time it is not kept. */
static void end_snapshot(struct procstat *p)
{
	const bool kept = p->now.has_any && p->now.t != TIME_UNKNOWN;

	if (kept && p->has_before)
		put_before(p, true);
	if (kept)
		p->before = p->now;
	p->has_before |= kept;
	p->now = snapshot_empty();
	counted_next(&p->host, kept);
	const size_t n = p->n_live;
	p->n_live = 0;
	for (size_t i = 0; i < n; i++) {
		counted_next(&p->cores[i], kept);
		if (p->cores[i].was)
			p->n_live = i + 1;
	}
}

static void take_zone(struct procstat *p, const struct mark *m)
{
	if (p->times != TIMES_UNKNOWN)
		return;
	if (m->is_epoch)
		reading_epoch(p->r);
	else
		reading_zone(p->r, m->zone);
	p->is_utc = m->is_epoch;
}

/* Neither does the next one have a line for all cores: the log has only memory or load, and the first one was whole. */
static void settle_rest(struct procstat *p)
{
	p->is_rest_open = false;
	if (p->now.has_cpu || p->rest.has_core)
		return;
	p->times = TIMES_BEHIND;
	p->before = p->rest;
	p->before.t = p->now.t;
	p->has_before = true;
}

static void settle_times(struct procstat *p)
{
	p->times = p->now.has_cpu ? TIMES_BEHIND : TIMES_BEFORE;
	p->is_rest_open = p->now.has_any && !p->now.has_cpu;
	p->rest = p->now;
}

static void take_mark(struct procstat *p, const struct mark *m)
{
	p->r->recording->n_rows_ignored++;
	take_zone(p, m);
	if (m->is_epoch != p->is_utc) /* `date; date +%s`: the first kind is the log's */
		return;
	if (p->is_rest_open)
		settle_rest(p);
	if (p->times == TIMES_UNKNOWN)
		settle_times(p);
	if (p->times == TIMES_BEHIND)
		p->now.t = m->t;
	end_snapshot(p);
	if (p->times == TIMES_BEFORE)
		p->now.t = m->t;
}

/* Without times, a snapshot begins with the line for all cores. */
static void begin_untimed(struct procstat *p)
{
	if (p->times == TIMES_UNKNOWN && p->now.has_cpu)
		p->times = TIMES_NEVER;
	if (p->times != TIMES_NEVER)
		return;
	p->now.t = p->count++ * SECOND_MS;
	end_snapshot(p);
}

static struct counted *counted_find(struct procstat *p, int core)
{
	if (core == WHOLE_HOST)
		return &p->host;
	for (size_t i = 0; i < p->n; i++) {
		size_t k = (p->next + i) % p->n;
		if (p->cores[k].core == core) {
			p->next = k + 1;
			return &p->cores[k];
		}
	}
	if (p->n == MAX_CHANNELS)
		return NULL;
	p->cores = grow(p->cores, &p->room, p->n + 1, sizeof *p->cores);
	p->cores[p->n] = (struct counted){ .core = core };
	p->next = p->n + 1;
	return &p->cores[p->n++];
}

/* "MemTotal:       131981020 kB" */
static bool take_number(struct procstat *p, struct slice line)
{
	struct slice name = slice_word(&line);
	int64_t value;

	for (int i = 0; i < N_NUMBERS; i++) {
		if (!slice_is(name, number_names[i]))
			continue;
		if (integer_parse(slice_word(&line), &value) && value <= TICKS_MOST)
			p->now.numbers[i] = value;
		return true;
	}
	return false;
}

/* Two snapshots with one time between them, because a mark was lost: the second can't be placed. */
static bool is_second(const struct procstat *p, int core)
{
	return core == WHOLE_HOST && p->now.has_cpu && p->times != TIMES_NEVER;
}

static void take_cpu(struct procstat *p, int core, const struct cpu_times *times)
{
	struct place place = { p->r->lines->path, p->r->lines->line, 0 };

	if (core == WHOLE_HOST) {
		begin_untimed(p);
		sheet_poll(p->sheet, p->count * SECOND_MS);
	}
	if (is_second(p, core)) {
		sheet_reject(p->sheet, place, DIAG_BAD_ROW, "a snapshot without a time of its own; not used");
		end_snapshot(p);
	}
	struct counted *c = counted_find(p, core);
	if (!c)
		return;
	c->now = *times;
	c->is = true;
	if (core != WHOLE_HOST && (size_t)(c - p->cores) >= p->n_live)
		p->n_live = (size_t)(c - p->cores) + 1;
	p->now.has_cpu |= core == WHOLE_HOST;
	p->now.has_core |= core != WHOLE_HOST;
	p->now.has_any = true;
}

static void take_line(struct procstat *p, struct slice line)
{
	struct cpu_times times;
	struct mark mark;
	int core;

	if (p->r->lines->state == LINE_TOO_LONG && slice_starts(line, "intr ")) /* a count for every interrupt of a large host */
		return;
	if (!sheet_takes_line(p->sheet))
		return;
	if (is_mark(line, &mark)) {
		take_mark(p, &mark);
	} else if (is_cpu_line(line, &core, &times)) {
		take_cpu(p, core, &times);
	} else if (is_load_line(line, &p->now.load)) {
		p->now.has_load = p->now.has_any = true;
		p->now.load_decimals = 2;
	} else if (take_number(p, line)) {
		p->now.has_any = true;
	}
}

static bool has_gauges(const struct snapshot *s)
{
	bool has = s->has_load;

	for (int i = NUMBER_RUNNING; i < N_NUMBERS; i++)
		has |= s->numbers[i] >= 0;
	return has;
}

/* The last snapshot begins no interval: it has a row for what was read then. */
static void take_end(struct procstat *p)
{
	if (p->times == TIMES_UNKNOWN && p->now.has_cpu)
		p->times = TIMES_NEVER;
	if (p->times == TIMES_NEVER)
		p->now.t = p->count++ * SECOND_MS;
	end_snapshot(p);
	if (p->has_before && has_gauges(&p->before))
		put_before(p, false);
}

static bool read(struct reading *r)
{
	struct procstat *p = NEW(r->scratch, struct procstat);
	struct slice line;

	p->r = r;
	p->sheet = sheet_new(r);
	p->rows = host_row_new(r, p->sheet);
	p->before = p->now = snapshot_empty();
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(p, line);
	take_end(p);
	r->recording->clock.time_unknown = p->times == TIMES_NEVER;
	host_row_release(p->rows);
	grow_free(p->cores);
	if (p->times == TIMES_NEVER && p->count == 1) {
		diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NO_ROWS,
			"one snapshot of /proc/stat without a time; a log has one a second: `date +%%s.%%N; cat /proc/stat`");
		return sheet_drop(p->sheet);
	}
	return sheet_finish(p->sheet);
}

static const char sample[] =
	"ts 1795225849.936321149\n"
	"cpu  88851 0 13093 168179 271 0 378 57 0 0\n"
	"cpu0 44426 0 6546 84090 136 0 189 28 0 0\n"
	"cpu1 44425 0 6547 84089 135 0 189 29 0 0\n"
	"procs_running 11\n"
	"procs_blocked 0\n"
	"MemTotal:       131981020 kB\n"
	"MemFree:        129065424 kB\n"
	"MemAvailable:   131367344 kB\n"
	"4.18 2.61 1.04 1/223 1358\n"
	"ts 1795225850.938\n"
	"cpu  88957 0 13103 168263 271 0 378 57 0 0\n"
	"cpu0 44522 0 6550 84090 136 0 189 28 0 0\n"
	"cpu1 44435 0 6553 84173 135 0 189 29 0 0\n"
	"procs_running 2\n"
	"procs_blocked 1\n"
	"MemTotal:       131981020 kB\n"
	"MemFree:        129065424 kB\n"
	"MemAvailable:   131360000 kB\n"
	"4.18 2.61 1.04 1/223 1359\n";

const struct format format_procstat = {
	.name = "procstat",
	.title = "/proc/stat, /proc/meminfo, /proc/loadavg in a loop with the time of `date +%s.%N`",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.rows_are_not_lines = true,
	.bid = bid,
	.read = read,
};
