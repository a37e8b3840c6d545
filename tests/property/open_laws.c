/*
 * open_laws.c - rules judged by sketches, and moments looked at only where these leave them open, say what looking at each moment says.
 *
 * A case is a run of one to four GPUs, as nvidia-smi logs it, long enough to have blocks: work that changes, dips, a slow GPU, cells
 * without a value, holes, GPUs that begin late or end early; and rules that chance writes, or those that are built in. Values and
 * thresholds are few and round, so that bounds are met exactly.
 */
#include "laws.h"

#include "base/embedded.h"
#include "folder.h"
#include "rule/sketch.h"
#include "rules.h"

#include <math.h>

#define MOST_GPUS 4
#define DAWN ((time_ms)1795226400000)
#define LONGEST_HOLE 200 /* rows */

static int one_of_numbers(struct random *r, const int *numbers, size_t n)
{
	return numbers[random_below(r, (int)n)];
}
#define NUMBER_OF(r, numbers) one_of_numbers(r, numbers, sizeof numbers / sizeof *numbers)

static const char *one_of(struct random *r, const char *const *words, size_t n)
{
	return words[random_below(r, (int)n)];
}
#define ONE_OF(r, words) one_of(r, words, sizeof words / sizeof *words)

/* ------ runs ------ */

struct gpu {
	int level, noise, watts, late; /* of busy, in percent; ms by which its rows come after the poll begins */
	size_t begin, end; /* rows */
	int64_t capped; /* us */
	int used; /* MiB */
};

struct log {
	struct random *r;
	struct gpu gpus[MOST_GPUS];
	int n_gpus, slow; /* the slow GPU; n_gpus: none */
	size_t n_rows, period, dip; /* rows between the begins of two dips, and in one; period 0: none */
	time_ms step;
	size_t from, until; /* rows between which the logger looked but once in `rarely` steps */
	int rarely;
	int missing, holes, changes; /* one in so many: cells, rows, and rows between two kinds of work */
	int blind, drift, jitter; /* the GPU whose power nobody can read; ms that a step is too long by; by which rows vary */
	int blips; /* one in so many rows shows nothing of the work */
	bool is_idle, is_in_blocks; /* in_blocks: work changes only where a block ends, so that this parts the rows of a poll */
	bool has_host, has_cores; /* the log of one of them is there for sure */
	bool is_restless; /* each row shows other work than the one before */
};

/* When a row is due. */
static time_ms row_due(const struct log *l, size_t row)
{
	const size_t rare = row < l->from ? 0 : (row < l->until ? row : l->until) - l->from;

	return DAWN + (time_ms)(row + rare * (size_t)(l->rarely - 1)) * (l->step + l->drift);
}

static void gpu_begin(struct log *l, struct gpu *g)
{
	struct random *const r = l->r;

	*g = (struct gpu){ .late = random_below(r, random_one_in(r, 3) ? 950 : 200), .end = l->n_rows, .watts = 300, .used = 4 };
	if (random_one_in(r, 8))
		g->begin = (size_t)random_below(r, (int)l->n_rows / 2);
	if (random_one_in(r, 8))
		g->end -= (size_t)random_below(r, (int)l->n_rows / 2);
	if (g->end - g->begin < 2 * LONGEST_HOLE) /* which holes could take */
		g->begin = 0;
	if (g > l->gpus && random_one_in(r, 10)) /* it is gone before any window of it is known */
		g->end = g->begin + 1 + (size_t)random_below(r, 100);
}

static struct log random_log(struct random *r)
{
	static const int steps[] = { 1000, 1000, 1000, 1000, 1000, 5000, 30000 }, rare[] = { 30, 400, 1000000, 1000000, 1000000 };
	struct log l = { .r = r, .n_gpus = 1 + random_below(r, MOST_GPUS), .n_rows = (size_t)(600 + random_below(r, 800)) };
	const bool is_long = random_one_in(r, 8);

	if (random_one_in(r, 6))
		l.n_rows += (size_t)random_below(r, 1600);
	if (is_long) { /* so that it pays to look at single GPUs in some of the time */
		l.n_rows = (size_t)(8000 + random_below(r, 6000));
		l.n_gpus = 2 + random_below(r, 2);
	}
	l.step = NUMBER_OF(r, steps);
	l.rarely = random_one_in(r, 4) ? 2 + random_below(r, 12) : 1;
	l.from = random_one_in(r, 3) ? 0 : (size_t)random_below(r, (int)l.n_rows);
	l.until = random_one_in(r, 3) ? l.n_rows : l.from + (size_t)random_below(r, 300);
	l.slow = random_one_in(r, 3) ? random_below(r, l.n_gpus) : l.n_gpus;
	l.period = random_one_in(r, 3) ? (size_t)(100 + random_below(r, 200)) : 0;
	l.dip = (size_t)(5 + random_below(r, 30));
	l.missing = NUMBER_OF(r, rare);
	l.holes = NUMBER_OF(r, rare);
	l.changes = is_long ? 400 + random_below(r, 3000) : 40 + random_below(r, 800);
	l.blind = random_one_in(r, 6) ? random_below(r, l.n_gpus) : l.n_gpus;
	l.drift = random_one_in(r, 2) ? random_below(r, 5) : 0;
	l.jitter = random_one_in(r, 2) ? 1 + random_below(r, 120) : 1;
	l.blips = random_one_in(r, 2) ? 15 + random_below(r, 100) : 1000000;
	l.is_idle = random_one_in(r, 2);
	l.is_in_blocks = random_one_in(r, 2);
	for (int i = 0; i < l.n_gpus; i++)
		gpu_begin(&l, &l.gpus[i]);
	return l;
}

/* Other work from now on: of all GPUs, or of one. */
static void change_work(struct log *l)
{
	static const int levels[] = { 0, 0, 20, 50, 70, 90, 99, 100, 100, 100 }, noises[] = { 0, 0, 1, 2, 10, 50 };
	static const int watts[] = { 90, 200, 350, 500, 650, 700 };
	const int level = NUMBER_OF(l->r, levels), noise = NUMBER_OF(l->r, noises), power = NUMBER_OF(l->r, watts), used = 1000 * random_below(l->r, 80);
	const int only = random_one_in(l->r, 3) ? random_below(l->r, l->n_gpus) : -1;

	for (int i = 0; i < l->n_gpus; i++)
		if (only < 0 || only == i) {
			l->gpus[i].level = level;
			l->gpus[i].noise = noise;
			l->gpus[i].watts = level ? power : 90;
			l->gpus[i].used = level ? 1000 + used : l->gpus[i].used;
		}
	l->is_idle = false;
}

static int noisy(struct log *l, int value, int noise, int most)
{
	const int with = noise ? value + random_below(l->r, 2 * noise + 1) - noise : value;

	if (with < 0)
		return 0;
	return with > most ? most : with;
}

static void put_cell(struct log *l, struct buf *out, int64_t value, const char *unit)
{
	if (random_one_in(l->r, l->missing))
		buf_text(out, ", [N/A]");
	else
		buf_print(out, ", %lld%s", (long long)value, unit);
}

static const char head[] = "timestamp, index, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], power.draw [W], "
			   "power.limit [W], temperature.gpu, clocks.current.sm [MHz], clocks.max.sm [MHz], clocks_event_reasons.active, "
			   "clocks_event_reasons.hw_thermal_slowdown, clocks_event_reasons_counters.sw_power_cap [us]\n";

static void put_time(struct buf *out, time_ms t, char between)
{
	const struct civil c = civil_from_time(t);

	buf_print(out, "%04d%c%02d%c%02d %02d:%02d:%02d", c.year, between, c.month, between, c.day, c.hour, c.minute, c.second);
	if (between == '/')
		buf_print(out, ".%03d", c.ms);
}

static void put_row(struct log *l, struct buf *out, size_t row, int i)
{
	struct gpu *const g = &l->gpus[i];
	const bool is_dip = l->period && row % l->period < l->dip && !l->is_idle;
	const int level = i == l->slow ? g->level * 6 / 10 : g->level;
	const int at_work = l->is_restless ? (row % 2 ? 90 : 40) : noisy(l, level, g->noise, 100);
	const int busy = is_dip || random_one_in(l->r, l->blips) ? 0 : at_work, clock = busy ? 1980 : 345, is_idle = !busy;
	const bool is_capped = busy > 95 && g->watts >= 650;
	const int watts = noisy(l, busy ? g->watts : 90, g->noise ? 5 : 0, 800);

	g->capped += is_capped ? 1000 * l->step / 2 : 0;
	put_time(out, row_due(l, row) + g->late + random_below(l->r, l->jitter), '/');
	buf_print(out, ", %d", i);
	put_cell(l, out, busy, " %");
	put_cell(l, out, busy / 2, " %");
	put_cell(l, out, l->is_idle ? 4 : g->used, " MiB");
	buf_text(out, ", 81000 MiB");
	if (i == l->blind)
		buf_text(out, ", [N/A]");
	else
		put_cell(l, out, watts, l->changes % 2 ? ".00 W" : ".37 W");
	buf_print(out, ", %d.00 W", l->changes % 5 == 0 && row > l->n_rows / 2 ? 500 : 700);
	put_cell(l, out, (l->changes % 7 ? 30 : -45) + busy / 3 + (int)(row % 7 == 0), ""); /* in some rooms it freezes */
	put_cell(l, out, is_capped ? 1400 : clock, " MHz");
	buf_print(out, ", 1980 MHz, 0x%016x, %s", is_capped ? 4 : is_idle, row % 512 < 20 && i == l->slow ? "Active" : "Not Active");
	put_cell(l, out, g->capped, " us");
	buf_char(out, '\n');
}

#define BLOCK_ROWS 32 /* as rule/plan.c has it */

static bool is_change(struct log *l, size_t row)
{
	if (!l->is_in_blocks)
		return random_one_in(l->r, l->changes);
	return row % BLOCK_ROWS == 0 && random_one_in(l->r, 1 + l->changes / BLOCK_ROWS);
}

static struct slice gpu_text(struct log *l, struct arena *mem)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 24);
	buf_text(&out, head);
	for (size_t row = 0; row < l->n_rows; row++) {
		if (random_one_in(l->r, l->holes))
			row += (size_t)random_below(l->r, random_one_in(l->r, 2) ? 4 : LONGEST_HOLE);
		if (is_change(l, row))
			change_work(l);
		for (int i = 0; i < l->n_gpus; i++)
			if (row >= l->gpus[i].begin && row < l->gpus[i].end)
				put_row(l, &out, row, i);
	}
	const struct slice text = { arena_text(mem, out.at, out.n), out.n };
	buf_release(&out);
	return text;
}

/* vmstat -t beside it, whose clock says UTC. */
static struct slice host_text(struct log *l, struct arena *mem)
{
	struct buf out;
	int busy = 5;

	buf_init(&out, (size_t)1 << 24);
	buf_text(&out, "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
		       " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st UTC\n");
	for (size_t row = 0; row <= l->n_rows; row++) {
		if (random_one_in(l->r, 200))
			busy = 5 + 10 * random_below(l->r, 10);
		buf_print(&out, " %d %d 0 1024 4 4 0 0 0 0 1 1 %d 0 %d 0 0 ", busy / 10, random_below(l->r, 3), busy, 100 - busy);
		put_time(&out, row_due(l, row), '-');
		buf_char(&out, '\n');
	}
	const struct slice text = { arena_text(mem, out.at, out.n), out.n };
	buf_release(&out);
	return text;
}

#define N_CORES 3

/* mpstat -P ALL instead of it, whose clock is that of the GPUs' log. */
static struct slice cores_text(struct log *l, struct arena *mem)
{
	struct buf out;
	int busy = 5;

	buf_init(&out, (size_t)1 << 24);
	buf_print(&out, "Linux 6.1.0 (node01) \t2026-11-21 \t_x86_64_\t(%d CPU)\n", N_CORES);
	for (size_t row = 0; row <= l->n_rows; row++) {
		const struct civil c = civil_from_time(row_due(l, row));
		if (row % 100 == 0)
			buf_print(&out, "\n%02d:%02d:%02d     CPU    %%usr   %%nice    %%sys %%iowait    %%irq   %%soft  %%steal  %%guest  %%gnice   %%idle\n",
				c.hour, c.minute, c.second);
		if (random_one_in(l->r, 200))
			busy = 5 + 10 * random_below(l->r, 10);
		for (int core = -1; core < N_CORES; core++) {
			const int own = core < 0 ? busy : random_one_in(l->r, 50) ? 100 : busy + random_below(l->r, 2);
			buf_print(&out, "%02d:%02d:%02d %7s %7d.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00 %7d.00\n", c.hour,
				c.minute, c.second, core < 0 ? "all" : (const char *[N_CORES]){ "0", "1", "2" }[core], own, 100 - own);
		}
	}
	const struct slice text = { arena_text(mem, out.at, out.n), out.n };
	buf_release(&out);
	return text;
}

static void take_log(struct run *run, struct folder *folder, const char *name, struct slice text)
{
	if (!ingest(run, folder_put(folder, run->mem, name, text)))
		BUG("a log that is made is not read");
}

static struct run *run_of_log(struct log *l, struct arena *mem, struct diags *diags)
{
	struct run *const run = run_new(mem, "run", diags);
	struct folder folder;

	folder_open(&folder);
	take_log(run, &folder, "gpu.csv", gpu_text(l, mem));
	if (l->has_cores)
		take_log(run, &folder, "mpstat.txt", cores_text(l, mem));
	else if (l->has_host || random_one_in(l->r, 3))
		take_log(run, &folder, "vmstat.txt", host_text(l, mem));
	folder_remove(mem, folder.path);
	if (!clock_settle(run, &(struct clock_request){ 0 }))
		BUG("nothing to settle");
	derive_metrics(run);
	phases_find(run);
	return run;
}

static struct run *random_run(struct random *r, struct arena *mem, struct diags *diags)
{
	struct log l = random_log(r);

	return run_of_log(&l, mem, diags);
}

/* Of less than three GPUs there are no others to compare. */
static struct log random_log_of_three(struct random *r)
{
	struct log l = random_log(r);

	while (l.n_gpus < 3)
		l = random_log(r);
	return l;
}

/* Whose rows are all there, and parted by ends of blocks. */
static struct run *run_in_blocks(struct random *r, struct arena *mem, struct diags *diags)
{
	struct log l = random_log_of_three(r);

	l.is_in_blocks = true;
	l.missing = l.holes = l.blips = 1000000;
	l.period = 0;
	l.changes = BLOCK_ROWS * (1 + random_below(r, 4));
	return run_of_log(&l, mem, diags);
}

/* So long, and with blips or some kind of work so rare, that what is asked of these alone is looked at there. */
static struct log log_with_few_blips(struct random *r)
{
	struct log l = random_log_of_three(r);

	l.n_rows = (size_t)(3000 + random_below(r, 3000));
	for (int i = 0; i < l.n_gpus; i++)
		gpu_begin(&l, &l.gpus[i]);
	if (random_one_in(r, 2)) /* without a pause between two polls, where there are four */
		for (int i = 0; i < l.n_gpus; i++)
			l.gpus[i].late = (int)l.step / MOST_GPUS * i;
	l.changes = l.is_in_blocks ? BLOCK_ROWS * (1 + random_below(r, 4)) : 1000 + random_below(r, 3000);
	l.blips = 300 + random_below(r, 3000);
	l.period = 0;
	return l;
}

static struct run *run_with_few_blips(struct random *r, struct arena *mem, struct diags *diags)
{
	struct log l = log_with_few_blips(r);

	return run_of_log(&l, mem, diags);
}

/* Now and then a checkpoint, which parts the time that is judged. */
static struct run *run_with_few_dips(struct random *r, struct arena *mem, struct diags *diags)
{
	struct log l = log_with_few_blips(r);

	if (random_one_in(r, 2)) {
		l.period = 1000 + (size_t)random_below(r, 1000);
		l.dip = 20 + (size_t)random_below(r, 40);
	}
	return run_of_log(&l, mem, diags);
}

#define MOST_MARKS 400

/* Dips and what is between them of any length, marked by the user: the judged time begins and ends where cells have values, and where not. */
static struct run *run_with_marked_dips(struct random *r, struct arena *mem, struct diags *diags)
{
	static const int rare[] = { 3, 10, 100, 1000000 }, lengths[] = { 3, 10, 40, 400 };
	struct phase_mark marks[MOST_MARKS];
	struct log l = random_log(r);
	size_t n = 0;

	l.missing = NUMBER_OF(r, rare);
	l.holes = 3 * l.missing;
	struct run *const run = run_of_log(&l, mem, diags);
	for (time_ms t = run->span.begin; n < MOST_MARKS && t < run->span.end; n++) {
		const time_ms begin = t + 1 + random_below(r, (int)l.step * NUMBER_OF(r, lengths));
		t = begin + 1 + random_below(r, (int)l.step * NUMBER_OF(r, lengths));
		marks[n] = (struct phase_mark){ .phase = PHASE_DIP, .span = { begin, t } };
	}
	phases_mark(run, marks, n);
	return run;
}

/* ------ rules that chance writes ------ */

struct writing {
	struct random *r;
	struct buf *out;
	bool varies; /* a part of it changes over time */
	const char *scope; /* of the rule; NULL: a GPU */
};

struct kind { /* of numbers that compare with each other */
	const char *const *metrics, *const *thresholds, *const *slopes;
	int n_metrics, n_thresholds;
};
#define KIND(metrics, thresholds, slopes) \
	{ \
		metrics, thresholds, slopes, sizeof metrics / sizeof *metrics, sizeof thresholds / sizeof *thresholds \
	}
static const char *const shares[] = {
	"gpu.util",
	"gpu.util",
	"gpu.mem_util",
	"gpu.mem_share",
	"gpu.power_share",
	"gpu.clock_share",
	"host.cpu.busy",
};
static const char *const percents[] = { "0 %", "1 %", "5 %", "20 %", "45 %", "50 %", "70 %", "90 %", "98 %", "99 %", "100 %" };
static const char *const share_slopes[] = { "0 %/s", "1 %/s", "-0.1 %/s" };
static const char *const powers[] = { "gpu.power", "gpu.power", "gpu.power_limit", "50 % * gpu.power_limit", "90 % * gpu.power_limit" };
static const char *const watts[] = { "90 W", "200 W", "345 W", "350 W", "500 W", "650 W", "700 W", "0 W" };
static const char *const power_slopes[] = { "0 W/s", "1 W/s", "-0.5 W/s" };
static const char *const heats[] = { "gpu.temp" };
static const char *const degrees[] = { "30 C", "31 C", "46 C", "60 C", "63 C", "64 C", "80 C" };
static const char *const heat_slopes[] = { "0 C/s", "0.1 C/s" };
static const char *const clocks[] = { "gpu.clock_sm", "gpu.clock_sm_max" };
static const char *const hertzes[] = { "345 MHz", "1000 MHz", "1400 MHz", "1980 MHz" };
static const char *const memories[] = { "gpu.mem_used", "gpu.mem_total", "50 % * gpu.mem_total" };
static const char *const bytes[] = { "4 MiB", "1000 MiB", "20000 MiB", "40500 MiB", "81000 MiB", "0 MiB" };
static const char *const memory_slopes[] = { "0 MiB/s", "1 MiB/s" };

static const struct kind kinds[] = {
	KIND(shares, percents, share_slopes),
	KIND(shares, percents, share_slopes),
	KIND(powers, watts, power_slopes),
	KIND(heats, degrees, heat_slopes),
	KIND(clocks, hertzes, NULL),
	KIND(memories, bytes, memory_slopes),
};

static const char *const widths[] = { "5 s", "10 s", "20 s", "30 s", "1 min", "90 s", "2 min", "5 min", "10 min", "20 min" };
static const char *const over_time[] = { "mean", "mean", "min", "max", "p5", "p50", "p50", "p95", "spread", "stddev", "earlier" };
static const char *const over_places[] = { "mean", "min", "max", "p5", "p50", "p95", "spread", "stddev" };
static const char *const places[] = { "", "", ", run", ", steady", ", first_third", ", last_third", ", dip", ", idle_head" };
static const char *const over_sets[] = { "mean", "min", "max", "p50", "p95", "spread", "stddev" };
static const char *const sets[] = { "others", "others", "gpus", "host_gpus" };
static const char *const comparisons[] = { "<", "<=", ">", ">=", "<", ">", "==", "!=" };

static void write_condition(struct writing *w, int depth, bool in_set);
static void write_number(struct writing *w, const struct kind *k, int depth, bool in_set);

static void write_metric(struct writing *w, const struct kind *k)
{
	buf_text(w->out, k->metrics[random_below(w->r, k->n_metrics)]);
	w->varies = true;
}

/* A fold over the judged time does not change; what it looks at counts for nothing. */
static void write_fold(struct writing *w, const struct kind *k, int depth, bool in_set)
{
	const bool varies = w->varies;

	buf_print(w->out, "%s(", ONE_OF(w->r, over_places));
	if (random_one_in(w->r, 3))
		write_number(w, k, depth - 1, in_set);
	else
		write_metric(w, k);
	buf_print(w->out, "%s)", ONE_OF(w->r, places));
	w->varies = varies;
}

static void write_number(struct writing *w, const struct kind *k, int depth, bool in_set)
{
	const int what = depth > 0 ? random_below(w->r, 12) : 0;

	if (what <= 2) {
		write_metric(w, k);
	} else if (what <= 6) {
		buf_print(w->out, "%s(", ONE_OF(w->r, over_time));
		write_number(w, k, depth - 1 - random_below(w->r, 2), in_set);
		buf_print(w->out, ", %s)", ONE_OF(w->r, widths));
	} else if (what == 7) {
		write_fold(w, k, depth, in_set);
	} else if (what == 8) {
		buf_text(w->out, "(");
		write_number(w, k, depth - 1, in_set);
		buf_print(w->out, " %s ", random_one_in(w->r, 2) ? "+" : "-");
		write_number(w, k, depth - 1, in_set);
		buf_text(w->out, ")");
	} else if (what == 9) {
		buf_print(w->out, "%d %% * (", 10 * (1 + random_below(w->r, 12)));
		write_number(w, k, depth - 1, in_set);
		buf_text(w->out, ")");
	} else if (in_set) {
		write_metric(w, k);
	} else {
		buf_print(w->out, "%s of %s(", ONE_OF(w->r, over_sets), ONE_OF(w->r, sets));
		write_number(w, k, depth - 1, true);
		buf_text(w->out, ")");
	}
}

static void write_compared(struct writing *w, int depth, bool in_set)
{
	const struct kind *const k = &kinds[random_below(w->r, sizeof kinds / sizeof *kinds)];

	write_number(w, k, depth, in_set);
	buf_print(w->out, " %s ", ONE_OF(w->r, comparisons));
	if (random_one_in(w->r, 4))
		write_number(w, k, depth - 1, in_set);
	else
		buf_text(w->out, k->thresholds[random_below(w->r, k->n_thresholds)]);
}

/* A ratio of two, or how fast something changes. */
static void write_derived(struct writing *w, int depth, bool in_set)
{
	const struct kind *const k = &kinds[random_below(w->r, sizeof kinds / sizeof *kinds)];

	if (k->slopes && random_one_in(w->r, 3)) {
		buf_text(w->out, "slope(");
		write_number(w, k, depth - 2, in_set);
		buf_print(w->out, ", %s) > %s", ONE_OF(w->r, widths), k->slopes[random_below(w->r, 2)]);
		return;
	}
	if (random_one_in(w->r, 2)) {
		buf_print(w->out, "rate(gpu.throttled.sw_power, %s) %s %s", ONE_OF(w->r, widths), ONE_OF(w->r, comparisons), ONE_OF(w->r, percents));
		w->varies = true;
		return;
	}
	if (k->metrics == heats) { /* of degrees nobody makes a ratio */
		buf_text(w->out, "changes(gpu.temp, 1 min) > 10");
		w->varies = true;
		return;
	}
	buf_text(w->out, "(");
	write_number(w, k, depth - 1, in_set);
	buf_text(w->out, ") / (");
	write_number(w, k, depth - 1, in_set);
	buf_print(w->out, ") %s %s", ONE_OF(w->r, comparisons), ONE_OF(w->r, percents));
}

/* For how much of the judged time, which does not change either. */
static void write_whole_share(struct writing *w, int depth, bool in_set)
{
	const bool varies = w->varies, is_total = random_one_in(w->r, 2);

	buf_text(w->out, is_total ? "total(" : "share(");
	write_condition(w, depth - 1, in_set);
	buf_print(w->out, ") %s %s", ONE_OF(w->r, comparisons), is_total ? ONE_OF(w->r, widths) : ONE_OF(w->r, percents));
	w->varies = varies;
}

static void write_share(struct writing *w, int depth, bool in_set)
{
	static const char *const counts[] = { "0", "1", "2", "3", "10" };
	const int what = random_below(w->r, in_set ? 3 : 6);

	if (what == 0) {
		buf_text(w->out, "share(");
		write_condition(w, depth - 1, in_set);
		buf_print(w->out, ", %s) %s %s", ONE_OF(w->r, widths), ONE_OF(w->r, comparisons), ONE_OF(w->r, percents));
	} else if (what == 1) {
		buf_text(w->out, "changes(");
		write_condition(w, depth - 1, in_set);
		buf_print(w->out, ", %s) %s %s", ONE_OF(w->r, widths), ONE_OF(w->r, comparisons), ONE_OF(w->r, counts));
	} else if (what == 2) {
		write_whole_share(w, depth, in_set);
	} else if (what == 3) {
		buf_print(w->out, "count of %s(", ONE_OF(w->r, sets));
		write_condition(w, depth - 1, true);
		buf_print(w->out, ") %s %s", ONE_OF(w->r, comparisons), ONE_OF(w->r, counts));
	} else if (what == 4) {
		buf_print(w->out, "share of %s(", ONE_OF(w->r, sets));
		write_condition(w, depth - 1, true);
		buf_print(w->out, ") %s %s", ONE_OF(w->r, comparisons), ONE_OF(w->r, percents));
	} else {
		buf_print(w->out, "%s of %s(", random_one_in(w->r, 2) ? "any" : "all", ONE_OF(w->r, sets));
		write_condition(w, depth - 1, true);
		buf_text(w->out, ")");
	}
}

static void write_chain(struct writing *w, int depth, bool in_set)
{
	buf_text(w->out, "(");
	write_condition(w, depth - 1, in_set);
	buf_text(w->out, random_one_in(w->r, 3) ? " or " : " and ");
	write_condition(w, depth - 1, in_set);
	buf_text(w->out, ")");
}

static void write_condition(struct writing *w, int depth, bool in_set)
{
	static const char *const flags[] = { "gpu.throttle has sw_power", "gpu.throttle has idle", "gpu.throttle has hw_thermal", "hole(gpu.util)" };
	const int what = depth > 0 ? random_below(w->r, 12) : 0;

	if (what <= 3) {
		write_compared(w, depth, in_set);
	} else if (what <= 6) {
		write_chain(w, depth, in_set);
	} else if (what == 7) {
		buf_text(w->out, "not (");
		write_condition(w, depth - 1, in_set);
		buf_text(w->out, ")");
	} else if (what == 8) {
		write_derived(w, depth, in_set);
	} else if (what <= 10) {
		write_share(w, depth, in_set);
	} else if (random_one_in(w->r, 4)) {
		buf_text(w->out, "logged(gpu.temp)");
	} else {
		buf_text(w->out, ONE_OF(w->r, flags));
		w->varies = true;
	}
}

/* Since a condition that never changes has no `for`, something that does is joined to it. */
static void write_varying(struct writing *w)
{
	w->varies = false;
	buf_text(w->out, "(");
	write_condition(w, 1 + random_below(w->r, 4), false);
	buf_text(w->out, w->varies ? ")" : ") and gpu.util >= 0 %");
}

/*
 * What a set of GPUs is at each moment, with nothing around it that evens out when that changes. What two GPUs draw is that of three
 * without one: rounding leaves it a trace beside twice as much.
 */
/* What is asked of each member of a set: a metric, or what a window of it shows. */
static void write_member(struct writing *w, const char *metric)
{
	if (random_one_in(w->r, 3))
		buf_print(w->out, "%s(%s, %s)", ONE_OF(w->r, over_time), metric, ONE_OF(w->r, widths));
	else
		buf_text(w->out, metric);
}

static void write_number_of_set(struct writing *w, const char *metric)
{
	buf_print(w->out, "%s of %s(", ONE_OF(w->r, over_sets), ONE_OF(w->r, sets));
	write_member(w, metric);
	buf_text(w->out, ")");
}

/* What a set is compared with: a threshold, the GPU's own, another set, or part of it. */
static void write_limit_of_set(struct writing *w, const struct kind *k, const char *metric)
{
	switch (random_below(w->r, 8)) {
	case 0:
	case 1:
		buf_text(w->out, metric);
		return;
	case 2:
		write_number_of_set(w, metric);
		return;
	case 3:
		buf_print(w->out, "%s * ", ONE_OF(w->r, percents));
		write_number_of_set(w, metric);
		return;
	default:
		buf_text(w->out, k->thresholds[random_below(w->r, k->n_thresholds)]);
	}
}

static void write_set(struct writing *w)
{
	static const char *const twice[] = { "180.74 W", "400.74 W", "700.74 W", "1000.74 W", "1300.74 W" };
	const struct kind *const k = &kinds[random_below(w->r, sizeof kinds / sizeof *kinds)];
	const char *const metric = k->metrics[random_below(w->r, k->n_metrics)];

	w->varies = true;
	if (random_one_in(w->r, 4)) {
		buf_print(w->out, "sum of others(gpu.power) %s %s", ONE_OF(w->r, comparisons), ONE_OF(w->r, twice));
		return;
	}
	if (random_one_in(w->r, 8)) { /* of two GPUs there is one other */
		buf_print(w->out, "mean(max of others(gpu.power_share), 10 s) %s %s", ONE_OF(w->r, comparisons), ONE_OF(w->r, percents));
		return;
	}
	write_number_of_set(w, metric);
	buf_print(w->out, " %s ", ONE_OF(w->r, comparisons));
	write_limit_of_set(w, k, metric);
}

/* The same, or a condition of any or all. */
static void write_set_or_condition(struct writing *w)
{
	const struct kind *const k = &kinds[random_below(w->r, sizeof kinds / sizeof *kinds)];

	if (!random_one_in(w->r, 5)) {
		write_set(w);
		return;
	}
	buf_print(w->out, "%s of %s(", random_one_in(w->r, 2) ? "any" : "all", ONE_OF(w->r, sets));
	write_metric(w, k);
	buf_print(w->out, " %s %s)", ONE_OF(w->r, comparisons), k->thresholds[random_below(w->r, k->n_thresholds)]);
}

/* The same of few moments. */
static void write_set_of_few(struct writing *w)
{
	static const char *const seldom[] = { "gpu.util <= 5 % and ", "gpu.temp < 31 C and ", "gpu.util == 20 % and ", "gpu.util == 50 % and ",
		"gpu.util == 70 % and " };

	buf_text(w->out, ONE_OF(w->r, seldom));
	write_set(w);
}

/* `metric` weighed by how much of a window `counted` holds for: a mean of it mostly, at times only something that looks like one. */
static void write_quotient(struct writing *w, const char *metric, const char *counted, const char *width)
{
	switch (random_below(w->r, 9)) {
	case 0:
		buf_print(w->out, "mean(%s)", metric);
		break;
	case 1:
		buf_print(w->out, "p50(%s * share(%s, %s))", metric, counted, width);
		break;
	case 2:
		buf_print(w->out, "mean(%s * share(gpu.temp < 70 C, %s))", metric, width);
		break;
	case 3:
		buf_print(w->out, "mean(share(%s, %s) * %s)", counted, width, metric);
		break;
	default:
		buf_print(w->out, "mean(%s * share(%s, %s))", metric, counted, width);
		break;
	}
	buf_text(w->out, " / ");
	switch (random_below(w->r, 9)) {
	case 0:
		buf_print(w->out, "mean(mean(gpu.util, %s))", width);
		break;
	case 1:
		buf_print(w->out, "p50(share(%s, %s))", counted, width);
		break;
	case 2:
		buf_print(w->out, "mean(share(%s, %s), first_third)", counted, width);
		break;
	default:
		buf_print(w->out, "mean(share(%s, %s))", counted, width);
		break;
	}
}

static const char *const seldom_holds[] = { "", "gpu.util <= 5 % and ", "any of others(gpu.temp < 31 C) and ", "gpu.temp > 45 C and " };

static const char *const weights[] = { "gpu.util >= 50 %", "gpu.util >= p50(gpu.util) - 3 %", "gpu.power < 350 W", "gpu.temp > 63 C",
	"gpu.util > 5 % and not any of others(gpu.temp > 60 C)", "gpu.throttle has hw_thermal", "not hole(gpu.power)", "not hole(gpu.mem_used)" };
static const char *const weighed_metrics[] = { "gpu.power", "gpu.power", "gpu.util", "gpu.mem_used", "gpu.clock_sm", "gpu.power_share" };

/* Compared with a mean in which some time counts for more: what it lies in decides, or all of the time is looked at. */
static void write_weighted(struct writing *w)
{
	static const char *const factors[] = { "1 %", "30 %", "85 %", "95 %", "100 %", "105 %", "130 %", "900 %" };
	const char *const metric = ONE_OF(w->r, weighed_metrics), *const counted = ONE_OF(w->r, weights), *const width = ONE_OF(w->r, widths);

	w->varies = true;
	buf_text(w->out, ONE_OF(w->r, seldom_holds));
	switch (random_below(w->r, 5)) {
	case 0:
	case 1:
		buf_print(w->out, "%s(%s, %s)", ONE_OF(w->r, over_time), metric, ONE_OF(w->r, widths));
		break;
	case 2:
		buf_print(w->out, "%s of %s(%s)", ONE_OF(w->r, over_sets), ONE_OF(w->r, sets), metric);
		break;
	default:
		buf_text(w->out, metric);
		break;
	}
	buf_print(w->out, " %s %s * (", ONE_OF(w->r, comparisons), ONE_OF(w->r, factors));
	write_quotient(w, metric, counted, width);
	buf_text(w->out, ")");
}

static void write_weighted_mean(struct writing *w)
{
	const char *const metric = ONE_OF(w->r, weighed_metrics);

	w->varies = true;
	buf_print(w->out, "%s > ", metric);
	write_quotient(w, metric, ONE_OF(w->r, weights), ONE_OF(w->r, widths));
}

/* What all windows of a metric come to: one number, which bounds may tell of before anything is worked out. */
static void write_folded_windows(struct writing *w, const struct kind *k)
{
	buf_print(w->out, "%s(%s(", ONE_OF(w->r, over_places), ONE_OF(w->r, over_time));
	write_metric(w, k);
	buf_print(w->out, ", %s)%s)", ONE_OF(w->r, widths), random_one_in(w->r, 6) ? ", run" : "");
}

static void write_metric_beside_windows(struct writing *w)
{
	const struct kind *const k = &kinds[random_below(w->r, sizeof kinds / sizeof *kinds)];

	buf_print(w->out, "%s > ", k->metrics[0]);
	write_folded_windows(w, k);
}

/* Such a number decides all of the time, and is asked before what varies. */
static void write_decided_by_windows(struct writing *w)
{
	const struct kind *const k = &kinds[random_below(w->r, sizeof kinds / sizeof *kinds)];
	const char *const threshold = k->thresholds[random_below(w->r, k->n_thresholds)];

	buf_print(w->out, "%s(", ONE_OF(w->r, over_time));
	write_metric(w, k);
	buf_print(w->out, ", %s) %s ", ONE_OF(w->r, widths), ONE_OF(w->r, comparisons));
	write_folded_windows(w, k);
	buf_print(w->out, " %s ", random_one_in(w->r, 4) ? "or" : "and");
	write_folded_windows(w, k);
	buf_print(w->out, " %s %s", ONE_OF(w->r, comparisons), threshold);
}

/* What hosts and the run see of GPUs: a set of them, or a window of that. */
static void write_gpus_seen(struct writing *w)
{
	const struct kind *const k = &kinds[1 + random_below(w->r, sizeof kinds / sizeof *kinds - 1)];
	const bool is_rolled = random_one_in(w->r, 4);

	if (is_rolled)
		buf_print(w->out, "%s(", ONE_OF(w->r, over_time));
	buf_print(w->out, "%s of gpus(", ONE_OF(w->r, over_sets));
	write_number(w, k, random_below(w->r, 3), true);
	buf_text(w->out, ")");
	if (is_rolled)
		buf_print(w->out, ", %s)", ONE_OF(w->r, widths));
	buf_print(w->out, " %s %s", ONE_OF(w->r, comparisons), k->thresholds[random_below(w->r, k->n_thresholds)]);
}

static const char *busy_of_host(const struct writing *w)
{
	if (strcmp(w->scope, "core") == 0)
		return "core.busy";
	return strcmp(w->scope, "run") == 0 ? "mean of hosts(host.cpu.busy)" : "host.cpu.busy";
}

static void write_part_of_host(struct writing *w)
{
	static const char *const often[] = { "85 %", "65 %", "45 %", "5 %", "95 %" };

	static const char *const beside[] = { "any of gpus(gpu.util < mean(gpu.util - host.cpu.busy) + 50 %)",
		"all of gpus(mean(gpu.util - host.cpu.busy, 1 min) < 45 %)", "min of gpus(mean(gpu.util - host.cpu.busy, 30 s)) < 20 %",
		"mean(max of gpus(gpu.power_share), 10 s) >= 50 %", "mean of gpus(gpu.util) < mean(mean of gpus(gpu.util)) + 5 %" };

	switch (random_below(w->r, 7)) {
	case 0:
		buf_text(w->out, ONE_OF(w->r, beside));
		break;
	case 1:
		buf_print(w->out, "%s %s %s", busy_of_host(w), ONE_OF(w->r, comparisons), ONE_OF(w->r, often));
		break;
	case 2:
		buf_print(w->out, "%s(%s, %s) %s %s", ONE_OF(w->r, over_time), busy_of_host(w), ONE_OF(w->r, widths), ONE_OF(w->r, comparisons),
			ONE_OF(w->r, often));
		break;
	case 3:
		buf_print(w->out, "%s of gpus(", random_one_in(w->r, 2) ? "any" : "all");
		write_condition(w, random_below(w->r, 3), true);
		buf_text(w->out, ")");
		break;
	default:
		write_gpus_seen(w);
		break;
	}
}

/* Of a host or the run: what is told by what it shows itself is not asked of its GPUs. */
static void write_of_host(struct writing *w)
{
	const int n = 1 + random_below(w->r, 3);

	for (int i = 0; i < n; i++) {
		buf_text(w->out, i == 0 ? "" : random_one_in(w->r, 4) ? " or " : " and ");
		buf_text(w->out, random_one_in(w->r, 6) ? "not (" : "(");
		write_part_of_host(w);
		buf_text(w->out, ")");
	}
	buf_print(w->out, " and %s >= 0 %%", busy_of_host(w));
}

static void write_of_core(struct writing *w)
{
	write_of_host(w);
}

/* What a number was at least, or at most, in long windows: told of many rows at once where they are alike. */
static void write_rolled_extreme(struct writing *w)
{
	static const char *const long_widths[] = { "1 min", "2 min", "3 min", "5 min", "10 min" };
	const struct kind *const k = &kinds[random_below(w->r, sizeof kinds / sizeof *kinds)];

	w->varies = true;
	buf_text(w->out, ONE_OF(w->r, seldom_holds));
	buf_print(w->out, "%s(%s, %s) %s ", random_one_in(w->r, 2) ? "min" : "max", k->metrics[random_below(w->r, k->n_metrics)],
		ONE_OF(w->r, long_widths), ONE_OF(w->r, comparisons));
	buf_text(w->out, k->thresholds[random_below(w->r, k->n_thresholds)]);
}

/* A window of a metric, of any fold, or of what the metric is compared with. */
static void write_rolled(struct writing *w)
{
	const struct kind *const k = &kinds[random_below(w->r, sizeof kinds / sizeof *kinds)];
	const char *const threshold = k->thresholds[random_below(w->r, k->n_thresholds)], *const how = ONE_OF(w->r, comparisons);
	const bool is_share = random_one_in(w->r, 3);

	buf_print(w->out, "%s(", is_share ? "share" : ONE_OF(w->r, over_time));
	write_metric(w, k);
	if (is_share)
		buf_print(w->out, " %s %s", how, threshold);
	buf_print(w->out, ", %s) %s %s", ONE_OF(w->r, widths), ONE_OF(w->r, comparisons), is_share ? ONE_OF(w->r, percents) : threshold);
}

static void write_key(struct writing *w, int one_in, const char *key, const char *const *values, size_t n)
{
	if (random_one_in(w->r, one_in))
		buf_print(w->out, "%s: %s\n", key, one_of(w->r, values, n));
}
#define WRITE_KEY(w, one_in, key, values) write_key(w, one_in, key, values, sizeof values / sizeof *values)

#define WORDS "short: s\nchecked: c\nseverity: note\nsources: [s]\ntitle: t\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\n"

/* Later rules may be excluded by earlier ones. */
static void write_rule(struct writing *w, int number, void (*write_when)(struct writing *))
{
	static const char *const times[] = { "2 s", "10 s", "30 s", "1 min", "3 min" };
	static const char *const phases[] = { "run", "steady", "[steady, tail]", "[startup, steady]", "[steady, dip]" };
	static const char *const least[] = { "0 %", "50 %", "95 %" };
	static const char *const costs[] = { "1 - gpu.util / 100 %", "1 - gpu.util / ref(gpu.util)", "share of others(gpu.util < 50 %)",
		"1 - gpu.util / max of others(gpu.util)", "1 - gpu.util / max of gpus(mean(gpu.util, 1 min))\ncost_least: 0 %",
		"1 - 50 % * p50 of others(gpu.util) / 100 %\ncost_least: 1 - max of gpus(gpu.util) / 100 %" };
	static const char *const evidence[] = { "{a: \"mean(gpu.util, inside)\", b: \"max(gpu.power, outside)\"}",
		"{a: \"mean(gpu.util, steady)\", b: \"min(p50 of others(gpu.util), inside)\"}",
		"{a: \"max(count of others(gpu.util < 50 %), inside)\"}" };
	static const char *const seen[] = { "{a: \"mean(max of gpus(gpu.util), inside)\", b: \"mean(min of gpus(mean(gpu.power, 1 min)), outside)\"}",
		"{a: \"max(p50 of gpus(gpu.clock_share), inside)\", b: \"max(min of gpus(gpu.temp), inside)\"}" };

	buf_print(w->out, WORDS "scope: %s\nwhen: ", w->scope ? w->scope : "gpu");
	write_when(w);
	if (random_one_in(w->r, 8)) {
		buf_text(w->out, "\nclear: ");
		(w->scope ? write_when : write_varying)(w);
	}
	buf_text(w->out, "\n");
	WRITE_KEY(w, 2, "for", times);
	WRITE_KEY(w, 3, "merge_gap", times);
	WRITE_KEY(w, 5, "max_gap", times);
	WRITE_KEY(w, 4, "keep_for", times);
	WRITE_KEY(w, 1, "during", phases);
	WRITE_KEY(w, 4, "min_coverage", least);
	if (w->scope) {
		WRITE_KEY(w, 2, "evidence", seen);
	} else {
		WRITE_KEY(w, 4, "cost", costs);
		WRITE_KEY(w, 3, "evidence", evidence);
	}
	if (number && random_one_in(w->r, 5))
		buf_print(w->out, "%s: [%c]\n", random_one_in(w->r, 2) ? "excluded_by" : "unknown_while", 'a' + random_below(w->r, number));
}

#define N_RANDOM_RULES 5

static void random_rule_files(struct random *r, struct arena *mem, struct rule_file *files, void (*write_when)(struct writing *))
{
	static const char *const above[] = { "host", "host", "run" };
	const char *const scope = write_when == write_of_host ? ONE_OF(r, above) : write_when == write_of_core ? "core" : NULL;

	for (int i = 0; i < N_RANDOM_RULES; i++) {
		struct buf out;
		struct writing w = { r, &out, false, scope };

		buf_init(&out, (size_t)1 << 16);
		write_rule(&w, i, write_when);
		files[i] = (struct rule_file){ arena_print(mem, "rules/%c.yaml", 'a' + i), { arena_text(mem, out.at, out.n), out.n }, LAYER_GIVEN };
		buf_release(&out);
	}
}

static const struct rules *rules_loaded(struct arena *mem, const struct rule_file *files, size_t n, struct diags *diags)
{
	const struct rules *const rules = rules_of_files(mem, files, n, diags);

	if (rules)
		return rules;
	for (size_t i = 0; i < n; i++)
		printf("%.*s\n", SLICE(files[i].text));
	for (size_t i = 0; i < diags->n; i++)
		printf("%s\n", diag_text(mem, &diags->at[i]));
	fflush(stdout);
	BUG("a rule that is made is not read");
}

/* ------ both ways ------ */

static bool is_same_number(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same_evidence(const struct verdict *a, const struct verdict *b)
{
	if (!a->evidence || !b->evidence)
		return !a->evidence && !b->evidence;
	for (size_t i = 0; i < a->rule->n_evidence; i++)
		if (!is_same_number(a->evidence[i].value, b->evidence[i].value) || a->evidence[i].unit != b->evidence[i].unit)
			return false;
	return true;
}

/* What differs, in a word; NULL: nothing. */
static const char *difference(const struct verdict *a, const struct verdict *b)
{
	const struct {
		const char *name;
		bool is_same;
	} parts[] = {
		{ "place", a->rule == b->rule && a->entity == b->entity },
		{ "outcome", a->outcome == b->outcome },
		{ "reason", is_same_text(a->reason, b->reason) },
		{ "when", spans_are_same(a->when, b->when) },
		{ "coverage", is_same_number(a->coverage, b->coverage) },
		{ "margin", is_same_number(a->margin, b->margin) },
		{ "excluded_by", a->excluded_by == b->excluded_by },
		{ "judged", a->judged == b->judged },
		{ "longest", a->longest == b->longest },
		{ "evidence", is_same_evidence(a, b) },
		{ "cost", shares_are_same(&a->cost, &b->cost) },
		{ "cost_least", shares_are_same(&a->cost_least, &b->cost_least) },
		{ "reference", is_same_number(a->reference, b->reference) && a->reference_assumed == b->reference_assumed },
	};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!parts[i].is_same)
			return parts[i].name;
	return NULL;
}

static void tell_verdict(struct arena *mem, const char *how, const struct verdict *v)
{
	printf("  %s: %s, %s, coverage %.17g, margin %.17g, longest %lld\n   ", how, outcome_name(v->outcome), v->reason ? v->reason : "-",
		v->coverage, v->margin, (long long)v->longest);
	for (size_t i = 0; i < v->when.n && i < 12; i++)
		printf(" %s-%s", time_clock(mem, v->when.at[i].begin), time_clock(mem, v->when.at[i].end));
	printf("\n");
}

static bool are_same_verdicts(struct arena *mem, const char *how, struct verdicts a, struct verdicts b)
{
	bool are_same = a.n == b.n;

	for (size_t i = 0; i < a.n && are_same; i++) {
		const char *const what = difference(&a.at[i], &b.at[i]);
		if (!what)
			continue;
		const struct verdict *const v = &a.at[i];
		printf("%s on %s: another %s\n", v->rule->path, v->entity ? entity_id(mem, v->entity) : "the run", what);
		if (v->rule->layer == LAYER_GIVEN)
			printf("%.*s", SLICE(v->rule->source));
		tell_verdict(mem, how, v);
		tell_verdict(mem, "each moment", &b.at[i]);
		are_same = false;
	}
	return are_same;
}

static bool are_judged_the_same(struct arena *mem, const struct rules *rules, const struct run *run)
{
	const struct verdicts each_moment = rules_judge_each_moment(rules, run);

	return are_same_verdicts(mem, "by sketches", rules_judge(rules, run), each_moment)
		&& are_same_verdicts(mem, "by slices", rules_judge_by_slices(rules, run), each_moment);
}

static bool rules_are_judged_the_same(struct random *r, struct arena *mem,
	struct run *(*make_run)(struct random *, struct arena *, struct diags *), void (*write_when)(struct writing *))
{
	struct rule_file files[N_RANDOM_RULES];
	struct diags diags;

	diags_init(&diags, mem);
	struct run *const run = make_run(r, mem, &diags);
	bool are_same = true;
	for (int i = 0; i < 4 && are_same; i++) { /* of a run that is read once */
		random_rule_files(r, mem, files, write_when);
		are_same = are_judged_the_same(mem, rules_loaded(mem, files, N_RANDOM_RULES, &diags), run);
	}
	diags_release(&diags);
	return are_same;
}

static bool random_rules_are_judged_the_same(struct random *r, struct arena *mem)
{
	return rules_are_judged_the_same(r, mem, random_run, write_varying);
}

/* Rows of one poll are one moment, whichever block they lie in. */
static bool sets_are_judged_the_same(struct random *r, struct arena *mem)
{
	return rules_are_judged_the_same(r, mem, run_in_blocks, write_set_or_condition);
}

static bool sets_of_few_moments_are_judged_the_same(struct random *r, struct arena *mem)
{
	return rules_are_judged_the_same(r, mem, run_with_few_blips, write_set_of_few);
}

static bool weighted_means_are_judged_the_same(struct random *r, struct arena *mem)
{
	return rules_are_judged_the_same(r, mem, run_with_few_blips, write_weighted);
}

static bool what_windows_decide_is_judged_the_same(struct random *r, struct arena *mem)
{
	return rules_are_judged_the_same(r, mem, random_one_in(r, 2) ? run_with_few_dips : run_with_few_blips, write_decided_by_windows);
}

static bool rolled_extremes_are_judged_the_same(struct random *r, struct arena *mem)
{
	return rules_are_judged_the_same(r, mem, run_with_few_dips, write_rolled_extreme);
}

/* Four GPUs, one row every quarter of a step: no pause between two polls, so that nobody knows what belongs to one. */
static struct log log_without_pauses(struct random *r)
{
	struct log l = log_with_few_blips(r);

	while (l.n_gpus < MOST_GPUS)
		l = log_with_few_blips(r);
	for (int i = 0; i < l.n_gpus; i++)
		l.gpus[i].late = (int)l.step / MOST_GPUS * i;
	l.jitter = 1;
	l.drift = 0;
	l.is_restless = true;
	return l;
}

/* Long enough that a part of the time is looked at by itself, and cut where chance wants it. */
static struct run *run_with_host(struct random *r, struct arena *mem, struct diags *diags)
{
	struct log l = random_one_in(r, 4) ? log_without_pauses(r) : random_one_in(r, 2) ? random_log(r) : log_with_few_blips(r);

	l.has_host = true;
	return run_of_log(&l, mem, diags);
}

static struct run *run_with_cores(struct random *r, struct arena *mem, struct diags *diags)
{
	struct log l = log_with_few_blips(r);

	l.has_cores = true;
	return run_of_log(&l, mem, diags);
}

static bool cores_are_judged_the_same(struct random *r, struct arena *mem)
{
	return rules_are_judged_the_same(r, mem, run_with_cores, write_of_core);
}

static bool hosts_and_runs_are_judged_the_same(struct random *r, struct arena *mem)
{
	return rules_are_judged_the_same(r, mem, run_with_host, write_of_host);
}

static bool windows_between_dips_are_judged_the_same(struct random *r, struct arena *mem)
{
	return rules_are_judged_the_same(r, mem, run_with_marked_dips, write_rolled);
}

/* ------ what windows lie in ------ */

static void write_window(struct writing *w)
{
	const struct kind *const k = &kinds[random_below(w->r, sizeof kinds / sizeof *kinds)];

	buf_print(w->out, "%s(", ONE_OF(w->r, over_time));
	write_metric(w, k);
	buf_print(w->out, ", %s) >= %s", ONE_OF(w->r, widths), k->thresholds[0]);
}

static bool is_in_range(const struct sketch *s, size_t block, double value)
{
	const struct extent r = sketch_range(s, block);
	const double more = s->is_rough ? 1e-12 * fmax(fabs(r.low), fabs(r.high)) : 0;

	if (isnan(value))
		return r.low <= -INFINITY && r.high >= INFINITY;
	return r.low - more <= value && value <= r.high + more;
}

static bool is_window_in_range(struct store *s, const struct sketch *sketch, struct span when, double value)
{
	const struct blocks *const b = &s->plan->blocks;

	for (size_t i = block_at(b, when.begin); when.begin < when.end && i <= block_at(b, when.end - 1); i++)
		if (!is_in_range(sketch, i, value))
			return false;
	return true;
}

/* At each judged moment at which they are known; what is not known lies in anything. */
static bool windows_are_in_range(struct arena *mem, struct store *s, const struct term *t)
{
	const struct sketch *const sketch = sketch_of(sketches_new(mem, s), t);
	const struct signal number = value_of(s, t, NULL).number;
	const struct spans judged = s->plan->times[t->time].spans;

	for (size_t i = 0; i < number.n; i++)
		for (size_t k = 0; k < judged.n; k++) {
			const time_ms end = i + 1 < number.n ? number.at[i + 1].begin : number.end;
			const struct span when = { later(number.at[i].begin, judged.at[k].begin), sooner(end, judged.at[k].end) };
			if (!is_window_in_range(s, sketch, when, number.at[i].value))
				return false;
		}
	return true;
}

/* One number for all of the time lies in what is told before it is worked out. */
static bool is_within_bounds(struct arena *mem, struct store *s, const struct term *t)
{
	struct sketches *const sketches = sketches_new(mem, s);
	struct extent r;

	if (!bounds_of_costly(sketches, t, &r))
		return true;
	const struct value v = value_of(s, t, NULL);
	return !v.is_bounded && v.number.n == 1 && r.low <= v.number.at[0].value && v.number.at[0].value <= r.high;
}

typedef bool is_told_right(struct arena *mem, struct store *s, const struct term *t);

/* What each rule compares. */
static bool are_told_right(struct arena *mem, const struct plan *plan, const struct entity *gpu, enum node_kind kind, is_told_right *is_right)
{
	struct store run, host, own;
	bool is_so = true;

	store_open(&run, plan, NULL, SCOPE_RUN, NULL);
	store_open(&host, plan, &run, SCOPE_HOST, run_host(plan->run, gpu));
	store_open(&own, plan, &host, SCOPE_GPU, gpu);
	for (size_t i = 0; i < plan->n_rules && is_so && plan->blocks.n; i++) {
		const struct term *const t = plan->rules[i].when, *const sides[] = { t->left, t->right };
		for (size_t k = 0; k < 2 && is_so; k++)
			is_so = !sides[k] || sides[k]->kind != kind || is_right(mem, &own, sides[k]);
		if (!is_so)
			printf("%s: %.*s", plan->rules[i].rule->path, SLICE(plan->rules[i].rule->source));
	}
	store_release(&own);
	store_release(&host);
	store_release(&run);
	return is_so;
}

typedef struct run *make_run(struct random *r, struct arena *mem, struct diags *diags);

static bool rules_are_told_right(struct random *r, struct arena *mem, make_run *make, void (*write)(struct writing *), enum node_kind kind,
	is_told_right *is_right)
{
	struct rule_file files[N_RANDOM_RULES];
	struct diags diags;

	diags_init(&diags, mem);
	struct run *const run = make(r, mem, &diags);
	const struct entities gpus = entities_of(run, SCOPE_GPU);
	bool is_so = true;
	for (int i = 0; i < 4 && is_so; i++) {
		random_rule_files(r, mem, files, write);
		const struct plan *const plan = plan_new(mem, rules_loaded(mem, files, N_RANDOM_RULES, &diags), run);
		for (size_t k = 0; k < gpus.n && is_so; k++)
			is_so = are_told_right(mem, plan, gpus.at[k], kind, is_right);
	}
	diags_release(&diags);
	return is_so;
}

static bool windows_lie_in_what_they_are_sketched_as(struct random *r, struct arena *mem)
{
	make_run *const runs[] = { random_run, run_with_few_dips, run_with_marked_dips };

	return rules_are_told_right(r, mem, runs[random_below(r, 3)], write_window, NODE_ROLLING, windows_are_in_range);
}

static bool weighted_means_lie_in_their_bounds(struct random *r, struct arena *mem)
{
	make_run *const runs[] = { random_run, run_with_few_blips, run_with_few_dips };

	return rules_are_told_right(r, mem, runs[random_below(r, 3)], write_weighted_mean, NODE_DIVIDE, is_within_bounds);
}

static bool folded_windows_lie_in_their_bounds(struct random *r, struct arena *mem)
{
	make_run *const runs[] = { random_run, run_with_few_blips, run_with_few_dips };

	return rules_are_told_right(r, mem, runs[random_below(r, 3)], write_metric_beside_windows, NODE_FOLD, is_within_bounds);
}

static bool ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* Read once, for all cases. */
static const struct rules *built_in_rules(void)
{
	static struct arena mem;
	static struct diags diags;
	static const struct rules *rules;
	size_t n = 0;

	if (rules)
		return rules;
	arena_init(&mem);
	diags_init(&diags, &mem);
	struct rule_file *const files = NEW_ARRAY(&mem, struct rule_file, n_embedded_files);
	for (size_t i = 0; i < n_embedded_files; i++) {
		const struct embedded *const e = &embedded_files[i];
		if (ends_with(e->name, ".yaml") && strchr(e->name, '/') == strrchr(e->name, '/')) /* folders below hold other data */
			files[n++] = (struct rule_file){ e->name, { e->begin, (size_t)(e->end - e->begin) }, LAYER_BUILT_IN };
	}
	return rules = rules_loaded(&mem, files, n, &diags);
}

static bool built_in_rules_are_judged_the_same(struct random *r, struct arena *mem)
{
	struct diags diags;

	diags_init(&diags, mem);
	const struct run *const run = random_run(r, mem, &diags);
	const bool are_same = are_judged_the_same(mem, built_in_rules(), run);
	diags_release(&diags);
	return are_same;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(random_rules_are_judged_the_same, 2500),
		LAW_ONE_IN(sets_are_judged_the_same, 2500),
		LAW_ONE_IN(sets_of_few_moments_are_judged_the_same, 5000),
		LAW_ONE_IN(weighted_means_are_judged_the_same, 2000),
		LAW_ONE_IN(what_windows_decide_is_judged_the_same, 2000),
		LAW_ONE_IN(rolled_extremes_are_judged_the_same, 5000),
		LAW_ONE_IN(windows_between_dips_are_judged_the_same, 500),
		LAW_ONE_IN(hosts_and_runs_are_judged_the_same, 2000),
		LAW_ONE_IN(cores_are_judged_the_same, 5000),
		LAW_ONE_IN(windows_lie_in_what_they_are_sketched_as, 1000),
		LAW_ONE_IN(weighted_means_lie_in_their_bounds, 1000),
		LAW_ONE_IN(folded_windows_lie_in_their_bounds, 1000),
		LAW_ONE_IN(built_in_rules_are_judged_the_same, 5000),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
