/*
 * atop.c - reads the screens that `atop N > FILE` or `atop -r FILE` printed.
 *
 *     ATOP - node01          2026/11/20  21:34:23          ------          1s elapsed
 *     PRC | sys    0.10s | user   1.29s | #proc    368 | #zombie    1 | #exit      1 |
 *     CPU | sys      13% | user     61% | irq       0% | idle    125% | wait      1% |
 *     cpu | sys       7% | user     31% | irq       0% | idle     62% | cpu000 w  0% |
 *     CPL | numcpu     2 | avg1    1.52 | avg5    1.48 | csw 18617918 | intr 3571665 |
 *     MEM | tot    62.8G | free   54.0G | cache   4.4G | buff  243.1M | slab  722.2M |
 *     SWP | tot     0.0M | free    0.0M |              | vmcom   8.9G | vmlim  31.4G |
 *     DSK |          sda | busy      6% | read       0 | write    380 | avio 0.17 ms |
 *     NET | eth0      0% | pcki      48 | pcko      42 | si   18 Kbps | so  712 Kbps |
 *
 * A screen describes the interval that ends at its time. The first one is an average since boot and left out, and so is
 * any with "*** system and process activity since boot ***" in it. Below come the processes, which are passed over.
 * Which cells there are depends on the width of the terminal, so cells are known by their first word.
 *
 * CPU adds up over cores, to 100 % times their number. That number is `numcpu`, or else one more than the highest core of
 * any screen so far. Shares are of the sum of the cells, or of 100 % times the number if that is more: then a
 * narrow screen hides `steal`. irq has softirq in it, user the niced time. Without the number shares are of the sum.
 * A screen leaves out what was idle: a core without a line may have been idle or not, so it has no value.
 *
 * Memory that programs hold is tot - free - cache - buff - slrec; a narrow screen does not tell slrec, the slab that
 * can be given back, and counts it. Numbers are rounded for the eye: `atop -P` (atop_p.c) is exact.
 */
#include "format/host_row.h"

#include <math.h>

static const struct spelling columns[] = {
	{ "CPU sys", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "CPU irq", METRIC_CPU_SYSTEM, UNIT_PERCENT },
	{ "CPU user", METRIC_CPU_USER, UNIT_PERCENT },
	{ "CPU idle", METRIC_CPU_BUSY, UNIT_PERCENT },
	{ "CPU wait", METRIC_CPU_IOWAIT, UNIT_PERCENT },
	{ "CPU steal", METRIC_CPU_STEAL, UNIT_PERCENT },
	{ "CPL avg1", METRIC_HOST_LOAD, UNIT_NUMBER },
	{ "MEM tot", METRIC_HOST_MEM_TOTAL, UNIT_MIB },
	{ "MEM free", METRIC_HOST_MEM_FREE, UNIT_MIB },
	{ "SWP tot", METRIC_HOST_SWAP_USED, UNIT_MIB },
	{ "DSK busy", METRIC_HOST_DISK_UTIL, UNIT_PERCENT },
	{ "NET si", METRIC_HOST_NET_RX, UNIT_KIB_S },
	{ "NET so", METRIC_HOST_NET_TX, UNIT_KIB_S },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

static const struct absence_word absences[] = {
	{ NULL, ABSENT_EMPTY },
};

static const struct {
	const char *word;
	enum cpu_state state;
} states[] = {
	{ "sys", CPU_SYSTEM }, { "user", CPU_USER },   { "irq", CPU_IRQ },
	{ "idle", CPU_IDLE },  { "wait", CPU_IOWAIT }, { "steal", CPU_STEAL },
};

#define PERCENT_MOST ((int64_t)100 * (CORE_MOST + 1)) /* of all cores together */
#define CORE_LINES_MOST ((size_t)4096)
#define VALUE_MOST (1000000000 * (fixed)FIXED_ONE)

struct core_line {
	int core;
	struct cpu_times times; /* whole percent */
};

struct screen {
	bool is_open, is_ended, is_since_boot;
	time_ms t;
	struct cpu_times cpu; /* whole percent, over all cores */
	int64_t n_cores; /* numcpu; 0: not said */
	struct core_line *cores;
	size_t n, room;
	fixed load; /* what is not there is FIXED_MISSING */
	int64_t mem_total, mem_free, mem_cache, mem_buffers, mem_reclaimable, swap_total, swap_free; /* KiB, or -1 */
	fixed disk_busy, received, sent; /* %, KiB/s */
};

struct atop {
	struct reading *r;
	struct sheet *sheet;
	struct host_row *rows;
	struct screen screen;
	bool had_screen;
	size_t n_used, n_left_out; /* screens */
	int highest_core; /* of any screen; -1: none */
};

/* "ATOP - node01   2026/11/20  21:34:23   ------   1s elapsed" */
static bool is_banner(struct slice line, struct slice *host, time_ms *t)
{
	if (!slice_is(slice_word(&line), "ATOP") || !slice_is(slice_word(&line), "-"))
		return false;
	*host = slice_word(&line);
	const struct slice date = slice_word(&line), time = slice_word(&line);
	/* two blanks between: time of day and midnight apart */
	char midnight[] = "2026/11/20 00:00:00";
	time_ms of_day;
	if (date.n != strlen("2026/11/20") || !clock_parse(time, 0, &of_day))
		return false;
	memcpy(midnight, date.p, date.n);
	if (!stamp_parse(slice_of(midnight), t))
		return false;
	*t += of_day;
	return true;
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	while (first_bytes.n) {
		const struct slice line = slice_line(&first_bytes);
		struct slice host;
		time_ms t;
		if (is_banner(line, &host, &t))
			return (struct bid){ 95, "it has the banner of atop's screen" };
	}
	return (struct bid){ 0, NULL };
}

/* "12.8G" in KiB; -1 when it is none. */
static int64_t kib_parse(struct slice word)
{
	static const struct {
		const char *suffix;
		double kib;
	} units[] = { { "K", 1 }, { "M", 1024 }, { "G", 1048576 }, { "T", 1073741824 } };
	struct slice suffix;
	fixed value;

	if (!fixed_parse(word, &value, &suffix) || value < 0 || value > VALUE_MOST)
		return -1;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (slice_is(suffix, units[i].suffix))
			return (int64_t)llround(fixed_value(value) * units[i].kib);
	return -1;
}

/* "18 Kbps" in KiB/s; FIXED_MISSING when it is none. atop's K is 1000. */
static fixed rate_parse(struct slice number, struct slice unit)
{
	static const struct {
		const char *word;
		double bits;
	} units[] = { { "bps", 1 }, { "Kbps", 1e3 }, { "Mbps", 1e6 }, { "Gbps", 1e9 } };
	struct slice rest;
	fixed value;

	if (!fixed_parse(number, &value, &rest) || rest.n || value < 0 || value > VALUE_MOST)
		return FIXED_MISSING;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (slice_is(unit, units[i].word))
			return (fixed)llround((double)value * units[i].bits / 8 / 1024);
	return FIXED_MISSING;
}

/* "284%"; -1 when it is none. */
static int64_t percent_parse(struct slice word)
{
	int64_t value;

	if (word.n < 2 || word.p[word.n - 1] != '%' || !integer_parse((struct slice){ word.p, word.n - 1 }, &value))
		return -1;
	return value <= PERCENT_MOST ? value : -1;
}

/* Takes the next cell between bars apart: "cpu002 w  1%" has three words. False at the end. */
static bool cell_take(struct slice *line, struct slice words[3])
{
	struct slice cell;

	if (!host_cell(line, '|', &cell))
		return false;
	for (int i = 0; i < 3; i++)
		words[i] = slice_word(&cell);
	return true;
}

/* The states of a line CPU or cpu; `core` of the latter, -1 when it names none. */
static struct cpu_times times_parse(struct slice line, int *core)
{
	struct cpu_times times = { 0 };
	struct slice words[3];

	*core = -1;
	while (cell_take(&line, words)) {
		enum cpu_state state = N_CPU_STATES;
		for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
			if (slice_is(words[0], states[i].word))
				state = states[i].state;
		if (core_parse(words[0], "cpu", core) && slice_is(words[1], "w"))
			state = CPU_IOWAIT;
		const int64_t percent = percent_parse(words[2].n ? words[2] : words[1]);
		if (state == N_CPU_STATES || percent < 0)
			continue;
		times.of[state] = percent;
		times.has[state] = true;
	}
	return times;
}

static void take_core(struct atop *a, struct slice line)
{
	struct screen *s = &a->screen;
	int core;
	const struct cpu_times times = times_parse(line, &core);

	if (core < 0 || s->n == CORE_LINES_MOST)
		return;
	if (core > a->highest_core)
		a->highest_core = core;
	s->cores = grow(s->cores, &s->room, s->n + 1, sizeof *s->cores);
	s->cores[s->n++] = (struct core_line){ core, times };
}

static void take_cpl(struct screen *s, struct slice line)
{
	struct slice words[3], rest;
	fixed load;

	while (cell_take(&line, words)) {
		if (slice_is(words[0], "numcpu") && (!integer_parse(words[1], &s->n_cores) || s->n_cores > CORE_MOST))
			s->n_cores = 0;
		if (slice_is(words[0], "avg1") && fixed_parse(words[1], &load, &rest) && !rest.n && load >= 0 && load < VALUE_MOST / 1000)
			s->load = load;
	}
}

static void take_memory(struct screen *s, struct slice line)
{
	const struct {
		const char *word;
		int64_t *kib;
	} cells[] = { { "tot", &s->mem_total }, { "free", &s->mem_free }, { "cache", &s->mem_cache },
		      { "buff", &s->mem_buffers }, { "slrec", &s->mem_reclaimable } };
	struct slice words[3];

	while (cell_take(&line, words))
		for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
			if (slice_is(words[0], cells[i].word))
				*cells[i].kib = kib_parse(words[1]);
}

static void take_swap(struct screen *s, struct slice line)
{
	struct slice words[3];

	while (cell_take(&line, words)) {
		if (slice_is(words[0], "tot"))
			s->swap_total = kib_parse(words[1]);
		if (slice_is(words[0], "free"))
			s->swap_free = kib_parse(words[1]);
	}
}

static void take_disk(struct screen *s, struct slice line)
{
	struct slice words[3];

	while (cell_take(&line, words)) {
		const int64_t busy = slice_is(words[0], "busy") ? percent_parse(words[1]) : -1;
		if (busy >= 0 && busy * FIXED_ONE > s->disk_busy) /* FIXED_MISSING is below all */
			s->disk_busy = (busy < 100 ? busy : 100) * FIXED_ONE;
	}
}

static void add_rate(fixed *sum, fixed rate)
{
	if (rate != FIXED_MISSING && (*sum == FIXED_MISSING || *sum < INT64_MAX - rate))
		*sum = (*sum == FIXED_MISSING ? 0 : *sum) + rate;
}

/* "transport" and "network" are layers, not interfaces. */
static void take_net(struct screen *s, struct slice line)
{
	struct slice words[3];

	if (!cell_take(&line, words) || !cell_take(&line, words)) /* NET, then the name */
		return;
	if (slice_is(words[0], "lo") || slice_is(words[0], "transport") || slice_is(words[0], "network"))
		return;
	while (cell_take(&line, words)) {
		if (slice_is(words[0], "si"))
			add_rate(&s->received, rate_parse(words[1], words[2]));
		if (slice_is(words[0], "so"))
			add_rate(&s->sent, rate_parse(words[1], words[2]));
	}
}

static int64_t sum_of(const struct cpu_times *t)
{
	int64_t sum = 0;

	for (int i = 0; i < N_CPU_STATES; i++)
		sum += t->of[i];
	return sum;
}

/* As shares of 100 in millionths. What lacks to `all` is steal that the screen does not show. */
static struct cpu_times scaled(const struct cpu_times *t, int64_t all)
{
	struct cpu_times shares = *t;
	const int64_t sum = sum_of(t);

	if (all < sum)
		all = sum;
	for (int i = 0; i < N_CPU_STATES && all; i++)
		shares.of[i] = (int64_t)llround((double)t->of[i] * 100 * FIXED_ONE / (double)all);
	if (all && !t->has[CPU_STEAL])
		shares.of[CPU_STEAL] = (int64_t)llround((double)(all - sum) * 100 * FIXED_ONE / (double)all);
	return shares;
}

static void put_times(struct atop *a)
{
	const struct screen *s = &a->screen;
	const int64_t n_cores = s->n_cores ? s->n_cores : a->highest_core + 1;

	if (sum_of(&s->cpu))
		*host_row_times(a->rows, WHOLE_HOST) = scaled(&s->cpu, 100 * n_cores);
	for (size_t i = 0; i < s->n; i++) {
		struct cpu_times *times = host_row_times(a->rows, s->cores[i].core);
		if (times && sum_of(&s->cores[i].times))
			*times = scaled(&s->cores[i].times, 100);
	}
}

static void put_memory(struct atop *a)
{
	const struct screen *s = &a->screen;
	const int64_t reclaimable = s->mem_reclaimable > 0 ? s->mem_reclaimable : 0;

	if (s->mem_total > 0 && s->mem_free >= 0 && s->mem_cache >= 0 && s->mem_buffers >= 0)
		host_row_memory(a->sheet, s->mem_total, s->mem_total - s->mem_free - s->mem_cache - s->mem_buffers - reclaimable);
	if (s->mem_free >= 0)
		host_row_kib(a->sheet, METRIC_HOST_MEM_FREE, s->mem_free);
	if (s->swap_total >= 0 && s->swap_free >= 0)
		host_row_kib(a->sheet, METRIC_HOST_SWAP_USED, s->swap_total - s->swap_free);
}

static void put_value(struct atop *a, enum metric metric, fixed value, int decimals)
{
	if (value != FIXED_MISSING)
		sheet_put(a->sheet, metric, value, decimals);
}

/* The last screen of a file that was cut may lack disks and interfaces: their sums are not told. */
static void end_screen(struct atop *a)
{
	struct screen *s = &a->screen;

	if (!s->is_open)
		return;
	s->is_open = false;
	if (s->is_since_boot) {
		a->n_left_out++;
		host_row_begin(a->rows, s->t);
		return;
	}
	a->n_used++;
	host_row_open(a->rows, s->t);
	put_times(a);
	put_value(a, METRIC_HOST_LOAD, s->load, 2);
	put_memory(a);
	if (s->is_ended) {
		put_value(a, METRIC_HOST_DISK_UTIL, s->disk_busy, 0);
		put_value(a, METRIC_HOST_NET_RX, s->received, 0);
		put_value(a, METRIC_HOST_NET_TX, s->sent, 0);
	}
	host_row_close(a->rows, 100 * (int64_t)FIXED_ONE, 0);
}

static void begin_screen(struct atop *a, time_ms t)
{
	struct screen *s = &a->screen;

	s->is_ended = true; /* the one before: another follows */
	end_screen(a);
	*s = (struct screen){ .is_open = true, .is_since_boot = !a->had_screen, .t = t, .cores = s->cores, .room = s->room,
		.load = FIXED_MISSING, .disk_busy = FIXED_MISSING, .received = FIXED_MISSING, .sent = FIXED_MISSING,
		.mem_total = -1, .mem_free = -1, .mem_cache = -1, .mem_buffers = -1, .mem_reclaimable = -1,
		.swap_total = -1, .swap_free = -1 };
	a->had_screen = true;
}

static void take_banner(struct atop *a, struct slice host, time_ms t)
{
	struct place place = { a->r->lines->path, a->r->lines->line, 0 };

	if (reading_host(a->r, host)) {
		begin_screen(a, t);
		return;
	}
	a->screen.is_ended = true;
	end_screen(a);
	sheet_reject(a->sheet, place, DIAG_BAD_ROW, "a screen of another host in a log of '%s'; not used", a->r->recording->host);
}

/* "CPU | sys …": a line of the system's part. */
static void take_system(struct atop *a, struct slice line)
{
	struct screen *s = &a->screen;
	struct slice rest = line;
	const struct slice label = slice_word(&rest);
	int none;

	if (slice_is(label, "CPU"))
		s->cpu = times_parse(line, &none);
	else if (slice_is(label, "cpu"))
		take_core(a, line);
	else if (slice_is(label, "CPL"))
		take_cpl(s, line);
	else if (slice_is(label, "MEM"))
		take_memory(s, line);
	else if (slice_is(label, "SWP"))
		take_swap(s, line);
	else if (slice_is(label, "DSK"))
		take_disk(s, line);
	else if (slice_is(label, "NET"))
		take_net(s, line);
}

static bool is_system(struct slice line)
{
	const struct slice label = slice_word(&line), bar = slice_word(&line);

	return label.n == 3 && slice_starts(bar, "|");
}

static void take_line(struct atop *a, struct slice line)
{
	struct slice host;
	time_ms t;

	if (!sheet_takes_line(a->sheet))
		return;
	if (is_banner(line, &host, &t)) {
		take_banner(a, host, t);
		return;
	}
	a->r->recording->n_rows_ignored++;
	if (!a->screen.is_open)
		return;
	if (is_system(line))
		take_system(a, line);
	else
		a->screen.is_ended = true; /* the processes, or a blank line before them */
	a->screen.is_since_boot |= slice_has(line, "activity since boot");
}

static bool read(struct reading *r)
{
	struct atop *a = NEW(r->scratch, struct atop);
	struct slice line;

	a->r = r;
	a->sheet = sheet_new(r);
	a->rows = host_row_new(r, a->sheet);
	a->highest_core = -1;
	r->recording->clock.basis = BASIS_LOCAL;
	while (line_next(r->lines, &line))
		take_line(a, line);
	end_screen(a);
	host_row_release(a->rows);
	grow_free(a->screen.cores);
	if (a->n_used || !a->n_left_out)
		return sheet_finish(a->sheet);
	diag_at(r->diags, (struct place){ r->lines->path, 0, 0 }, DIAG_NO_ROWS,
		"atop's first screen only, which is an average since boot; log with an interval: atop -P CPU,cpu,MEM,CPL 1");
	return sheet_drop(a->sheet);
}

static const char sample[] =
	"\n"
	"\n"
	"ATOP - node01          2026/11/20  21:34:22          ------       1h02m26s elapsed\n"
	"CPU | sys      12% | user     60% | irq       0% | idle    126% | wait      2% |\n"
	"cpu | sys       7% | user     31% | irq       0% | idle     61% | cpu000 w  1% |\n"
	"cpu | sys       5% | user     29% | irq       0% | idle     65% | cpu001 w  1% |\n"
	"                   *** system and process activity since boot ***\n"
	"  PID  SYSCPU  USRCPU  VGROW  RGROW RUID      THR ST EXC S  CPU CMD            \n"
	"\n"
	"\n"
	"ATOP - node01          2026/11/20  21:34:23          ------          1s elapsed\n"
	"CPU | sys      13% | user     61% | irq       0% | idle    125% | wait      1% |\n"
	"cpu | sys       7% | user     31% | irq       0% | idle     62% | cpu000 w  0% |\n"
	"cpu | sys       6% | user     30% | irq       0% | idle     63% | cpu001 w  1% |\n"
	"CPL | avg1    1.52 | avg5    1.48 | avg15   0.82 | csw 18617918 | intr 3571665 |\n"
	"MEM | tot     7.3G | free    4.7G | cache 930.9M | buff  275.2M | slab  175.7M |\n"
	"DSK |          sda | busy      6% | read       0 | write    380 | avio 0.17 ms |\n"
	"NET | eth0      0% | pcki      48 | pcko      42 | si   18 Kbps | so  712 Kbps |\n"
	"\n"
	"  PID  SYSCPU  USRCPU  VGROW  RGROW RUID      THR ST EXC S  CPU CMD            \n";

const struct format format_atop = {
	.name = "atop",
	.title = "atop N > FILE, its screens",
	.sample = sample,
	.columns = columns,
	.absences = absences,
	.rows_are_not_lines = true,
	.covers_preceding = true,
	.bid = bid,
	.read = read,
};
