/*
 * judge_bench.c - what it costs to judge a large run by many rules.
 *
 *     judge_bench [DAYS]     what `make bench` does
 *
 * 64 GPUs at 1 s for DAYS (3 without it) and the log of their host's CPU, made here from a fixed seed: jobs of eight GPUs
 * that start, starve, write checkpoints and end; noise; cells without a value; holes of the logger. As nvidia-smi writes
 * them, the GPUs of a poll are some ms apart, and the polls drift; the CPU's log has another phase. The rules
 * are those of judge_rules.def.
 *
 * Each measurement is made in a process of its own that inherits the run and does nothing but judge, so that its
 * peak of memory is that of judging. What to compare between machines are the ratios: to the floor, one plain pass that adds up
 * the same values; of 50 rules to 100; of half the time to all of it. Time is the processor's, which neighbours disturb
 * least, the least of ROUNDS.
 */
#include "rule/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_GPUS 64
#define N_CORES 16
#define GPUS_A_JOB 8
#define SEED 0x9E3779B97F4A7C15U
#define BEGIN ((time_ms)1795219200000) /* 2026-11-21T00:00:00Z */
#define CPU_PHASE_MS 437
#define POWER_LIMIT_W 700
#define LIMIT_SECONDS 3.0 /* the promise, of 50 rules on 3 days */
#define LIMIT_MEMORY 2.0  /* tracks and judging, of the tracks alone */

static const enum metric gpu_metrics[] = {
	METRIC_GPU_UTIL, METRIC_GPU_POWER, METRIC_GPU_POWER_LIMIT, METRIC_GPU_TEMP, METRIC_GPU_MEM_USED, METRIC_GPU_CLOCK_SM,
	METRIC_GPU_THR_HW_THERMAL,
};
#define N_GPU_METRICS (sizeof gpu_metrics / sizeof gpu_metrics[0])

struct rule_row {
	const char *id, *scope, *when, *more;
	const char *a[2], *b[2];
};
static const struct rule_row rule_rows[] = {
#define RULE(id, scope, when, more, a1, a2, b1, b2) { id, scope, when, more, { a1, a2 }, { b1, b2 } },
#include "judge_rules.def"
#undef RULE
};
#define N_RULES (sizeof rule_rows / sizeof rule_rows[0])

/* xorshift64* (Marsaglia 2003; Vigna 2016): the same values on every machine. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545F4914F6CDD1DU;
}

static int below(uint64_t *state, int n)
{
	return (int)((next_random(state) >> 33) % (uint64_t)n);
}

/* What eight GPUs do at one second, and what their feeding asks of the host. */
struct second {
	unsigned char util, core_busy, memory_gib;
	bool runs, heat;
};

/*
 * Jobs of 1 to 10 hours and 5 to 60 minutes without one between them. A job holds its memory from the start, works after
 * two minutes, writes a checkpoint each half hour, starves on one core for one to twenty minutes now and then, and on some
 * days the room is too hot for an hour.
 */
static void draw_jobs(struct second *at, size_t n, uint64_t seed)
{
	uint64_t state = seed;

	for (size_t i = 0; i < n;) {
		const size_t job = 3600 + (size_t)below(&state, 9 * 3600), pause = 300 + (size_t)below(&state, 3300);
		const unsigned char memory = (unsigned char)(20 + below(&state, 56));
		size_t starved_until = 0, hot_until = 0;
		for (size_t k = 0; k < job && i < n; k++, i++) {
			if (below(&state, 7200) == 0)
				starved_until = k + 60 + (size_t)below(&state, 1140);
			if (below(&state, 86400) == 0)
				hot_until = k + 3600;
			const bool works = k >= 120, saves = k % 1800 >= 1760, starves = k < starved_until;
			at[i] = (struct second){
				.util = works ? saves ? 3 : starves ? 35 : 98 : 0,
				.core_busy = works ? starves || saves ? 98 : 30 : 60,
				.memory_gib = memory,
				.runs = true,
				.heat = k < hot_until,
			};
		}
		for (size_t k = 0; k < pause && i < n; k++, i++)
			at[i] = (struct second){ 0 };
	}
}

/* The polls of a logger: 1 s and a little, with a hole of 10 to 600 s a few times a day. Returns how many there are. */
static size_t draw_polls(time_ms *times, size_t n_seconds, uint64_t seed)
{
	uint64_t state = seed;
	size_t n = 0;

	for (size_t i = 0; i < n_seconds; i++) {
		if (below(&state, 20000) == 0)
			i += 10 + (size_t)below(&state, 590);
		if (i < n_seconds)
			times[n++] = BEGIN + (time_ms)i * SECOND_MS + below(&state, 8);
	}
	return n;
}

static fixed whole(int value)
{
	return (fixed)value * FIXED_ONE;
}

struct board { /* what goes on from one sample of a GPU to the next */
	double temperature;
	uint64_t state;
};

static void draw_sample(struct board *board, const struct second *now, fixed *const *columns, size_t i)
{
	uint64_t *state = &board->state;
	int util = now->util ? now->util + below(state, 5) - 2 : 0;

	util = util < 0 ? 0 : util > 100 ? 100 : util;
	const int deciwatts = 900 + util * 52 + below(state, 300) + (now->util > 90 ? below(state, 500) : 0);
	const bool slowed = now->heat && util > 90 && below(state, 4) == 0;
	board->temperature += (28 + deciwatts * 0.0062 + (now->heat ? 14 : 0) - board->temperature) * 0.02;
	const fixed drawn[N_GPU_METRICS] = {
		whole(util),
		whole(deciwatts) / 10 + below(state, 10) * 10000,
		whole(POWER_LIMIT_W),
		whole((int)(board->temperature + 0.5)),
		whole(now->runs ? now->memory_gib * 1024 + below(state, 3) : 4),
		whole(slowed ? 1200 : util > 90 ? 1980 - 15 * below(state, 20) : now->runs ? 1980 : 345),
		whole(slowed),
	};
	const bool missing = below(state, 1000) == 0;
	for (size_t m = 0; m < N_GPU_METRICS; m++)
		columns[m][i] = missing && m < 2 ? FIXED_MISSING : drawn[m];
}

struct tracks {
	struct arena *mem;
	struct track *at[N_GPUS * N_GPU_METRICS + N_CORES + 2];
	size_t n;
};

static void add_track(struct tracks *all, const struct entity *who, enum metric metric, const time_ms *times, const fixed *values,
	size_t n, int decimals)
{
	struct track *t = NEW(all->mem, struct track);

	*t = (struct track){
		.metric = metric, .entity = who, .times = times, .values = values, .n = n, .step = SECOND_MS, .decimals = decimals };
	all->at[all->n++] = t;
}

static void add_gpu(struct tracks *all, int index, const struct second *job, const time_ms *polls, size_t n)
{
	struct entity *gpu = NEW(all->mem, struct entity);
	time_ms *times = NEW_ARRAY(all->mem, time_ms, n);
	struct board board = { 30 + index % 8, SEED + (uint64_t)index };
	fixed *columns[N_GPU_METRICS];

	*gpu = (struct entity){ .scope = SCOPE_GPU, .host = "node01", .index = index, .name = "NVIDIA H200" };
	for (size_t m = 0; m < N_GPU_METRICS; m++)
		columns[m] = NEW_ARRAY(all->mem, fixed, n);
	for (size_t i = 0; i < n; i++) {
		times[i] = polls[i] + index * 3; /* nvidia-smi asks one after the other */
		draw_sample(&board, &job[(polls[i] - BEGIN) / SECOND_MS], columns, i);
	}
	for (size_t m = 0; m < N_GPU_METRICS; m++)
		add_track(all, gpu, gpu_metrics[m], times, columns[m], n, gpu_metrics[m] == METRIC_GPU_POWER ? 2 : 0);
}

/* Each job keeps two of the cores busy; the host is the mean of its cores, and waits where nobody starves of cores. */
static void add_host(struct tracks *all, struct second *const *jobs, const time_ms *times, size_t n)
{
	struct entity *host = NEW(all->mem, struct entity), *cores = NEW_ARRAY(all->mem, struct entity, N_CORES);
	fixed *busy = NEW_ARRAY(all->mem, fixed, n), *waits = NEW_ARRAY(all->mem, fixed, n), *of_core[N_CORES];
	uint64_t state = SEED;

	for (int c = 0; c < N_CORES; c++)
		of_core[c] = NEW_ARRAY(all->mem, fixed, n);
	for (size_t i = 0; i < n; i++) {
		const time_ms second = (times[i] - BEGIN) / SECOND_MS;
		fixed sum = 0;
		for (int c = 0; c < N_CORES; c++) {
			const int base = jobs[c / 2][second].core_busy, value = (c & 1 ? base / 3 : base) + below(&state, 30) / 10;
			of_core[c][i] = value > 100 ? whole(100) : whole(value) - (fixed)below(&state, 100) * 10000 * (value > 0);
			sum += of_core[c][i];
		}
		busy[i] = sum / N_CORES / 10000 * 10000;
		waits[i] = (fixed)below(&state, jobs[0][second].util == 3 ? 3000 : 300) * 10000;
	}
	*host = (struct entity){ .scope = SCOPE_HOST, .host = "node01", .index = -1 };
	add_track(all, host, METRIC_CPU_BUSY, times, busy, n, 2);
	add_track(all, host, METRIC_CPU_IOWAIT, times, waits, n, 2);
	for (int c = 0; c < N_CORES; c++) {
		cores[c] = (struct entity){ .scope = SCOPE_CORE, .host = "node01", .index = c };
		add_track(all, &cores[c], METRIC_CORE_BUSY, times, of_core[c], n, 2);
	}
}

/* The first part of the run is the same whatever its length, so that half of the time is half of this run. */
static struct run *draw_run(struct arena *mem, size_t n_seconds, struct diags *diags)
{
	struct tracks all = { .mem = mem };
	struct second *jobs[N_GPUS / GPUS_A_JOB];
	time_ms *polls = NEW_ARRAY(mem, time_ms, n_seconds), *cpu = NEW_ARRAY(mem, time_ms, n_seconds);
	const size_t n_polls = draw_polls(polls, n_seconds, SEED), n_cpu = draw_polls(cpu, n_seconds, SEED + 1);

	for (size_t j = 0; j < N_GPUS / GPUS_A_JOB; j++) {
		jobs[j] = NEW_ARRAY(mem, struct second, n_seconds);
		draw_jobs(jobs[j], n_seconds, SEED + j);
	}
	for (int g = 0; g < N_GPUS; g++)
		add_gpu(&all, g, jobs[g / GPUS_A_JOB], polls, n_polls);
	for (size_t i = 0; i < n_cpu; i++)
		cpu[i] += CPU_PHASE_MS;
	add_host(&all, jobs, cpu, n_cpu);
	return run_from_tracks(mem, diags, "bench", all.at, all.n, NULL, 0);
}

/* The columns of logs: the values of all tracks, and the times of each log's rows once. */
static size_t track_bytes(const struct run *run)
{
	size_t n_bytes = 0;

	for (size_t t = 0; t < run->n_tracks; t++) {
		n_bytes += run->tracks[t]->n * sizeof(fixed);
		if (t == 0 || run->tracks[t]->times != run->tracks[t - 1]->times)
			n_bytes += run->tracks[t]->n * sizeof(time_ms);
	}
	return n_bytes;
}

static const char *rule_text(struct arena *mem, const struct rule_row *row, int which)
{
	const char *params = row->a[which] ? arena_print(mem, "params:\n  a: {value: %s, reason: r}\n", row->a[which]) : "";

	if (row->b[which])
		params = arena_print(mem, "%s  b: {value: %s, reason: r}\n", params, row->b[which]);
	return arena_print(mem, "title: t\nshort: s\nchecked: c\nseverity: note\nsources: [s]\nwhat: w\nwhy: y\ntry: [do]\n"
				"refute: r\ncard: c\nduring: run\nscope: %s\n%s%swhen: %s\n", row->scope, params, row->more, row->when);
}

/* The first `n` of all rows with the first thresholds, then of all rows with the second. */
static const struct rules *load_rules(struct arena *mem, size_t n, struct diags *diags)
{
	struct rule_file *files = NEW_ARRAY(mem, struct rule_file, n);

	for (size_t i = 0; i < n; i++) {
		const struct rule_row *row = &rule_rows[i % N_RULES];
		const int which = i >= N_RULES;
		files[i] = (struct rule_file){
			.path = arena_print(mem, "rules/%s%s.yaml", row->id, which ? "-other" : ""),
			.text = slice_of(rule_text(mem, row, which)),
			.layer = LAYER_GIVEN,
		};
	}
	const struct rules *rules = rules_load(mem, &(struct rules_request){ .files = files, .n_files = n }, diags);
	for (size_t i = 0; i < diags->n; i++)
		fprintf(stderr, "%s\n", diag_text(mem, &diags->at[i]));
	if (!rules)
		exit(1);
	return rules;
}

struct cost {
	double wall, cpu; /* s */
	double bytes;     /* that were needed at the peak, beyond what was there before */
	size_t n_fired;
};

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

/* The least that any judge must do: look at every value. */
static size_t add_all(const struct run *run, const struct rules *ignored)
{
	fixed sum = 0;

	(void)ignored;
	for (size_t t = 0; t < run->n_tracks; t++)
		for (size_t i = 0; i < run->tracks[t]->n; i++)
			sum += track_value(run->tracks[t], i) == FIXED_MISSING ? 0 : track_value(run->tracks[t], i) >> 10;
	return (size_t)sum;
}

static size_t judge(const struct run *run, const struct rules *rules)
{
	const struct verdicts all = rules_judge(rules, run);
	size_t n = 0;

	for (size_t i = 0; i < all.n; i++)
		n += all.at[i].outcome == OUTCOME_FIRED;
	return n;
}

static struct cost cost_once(size_t (*work)(const struct run *, const struct rules *), const struct run *run, const struct rules *rules)
{
	struct cost cost = { .bytes = peak_bytes(), .wall = seconds(CLOCK_MONOTONIC), .cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) };

	cost.n_fired = work(run, rules);
	cost.wall = seconds(CLOCK_MONOTONIC) - cost.wall;
	cost.cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cost.cpu;
	cost.bytes = peak_bytes() - cost.bytes;
	return cost;
}

/* In a process of its own: its memory begins with the run, and is gone with it. */
static struct cost cost_of(size_t (*work)(const struct run *, const struct rules *), const struct run *run, const struct rules *rules)
{
	struct cost cost = { 0 };
	int ends[2], status = 0;

	if (pipe(ends) != 0)
		exit(1);
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		cost = cost_once(work, run, rules);
		_exit(write(ends[1], &cost, sizeof cost) == (ssize_t)sizeof cost ? 0 : 1);
	}
	close(ends[1]);
	const ssize_t got = read(ends[0], &cost, sizeof cost);
	close(ends[0]);
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || got != (ssize_t)sizeof cost) {
		fprintf(stderr, "judge_bench: a measurement failed\n");
		exit(1);
	}
	return cost;
}

static void keep_least(struct cost *least, struct cost c)
{
	if (least->wall > 0 && least->cpu < c.cpu)
		c.cpu = least->cpu;
	if (least->wall > 0 && least->wall < c.wall)
		c.wall = least->wall;
	*least = c;
}

static void show(const char *what, struct cost c, struct cost floor, size_t own_bytes)
{
	printf("%-44s %9.2f s %9.2f s %9.1f %9.2f %9zu\n", what, c.wall, c.cpu, c.cpu / floor.cpu, c.bytes / (double)own_bytes, c.n_fired);
}

static double number_of(const char *text, double without)
{
	double value = 0;

	return text && number_parse(slice_of(text), &value) && value > 0 ? value : without;
}

static bool check(const char *what, double value, double limit)
{
	if (value > limit)
		printf("over the limit of %.2f: %s\n", limit, what);
	return value <= limit;
}

int main(int argc, char **argv)
{
	const double days = number_of(argc > 1 ? argv[1] : NULL, 3);
	const int rounds = (int)number_of(getenv("ROUNDS"), 3);
	const size_t n_seconds = (size_t)(days * 86400);
	struct arena mem, half_mem;
	struct diags diags;

	arena_init(&mem);
	arena_init(&half_mem);
	diags_init(&diags, &mem);
	const struct rules *few = load_rules(&mem, N_RULES, &diags), *many = load_rules(&mem, 2 * N_RULES, &diags);
	const struct run *run = draw_run(&mem, n_seconds, &diags), *half = draw_run(&half_mem, n_seconds / 2, &diags);
	const size_t own = track_bytes(run);
	struct cost floor = { 0 }, all = { 0 }, in_half = { 0 }, twice = { 0 };
	for (int i = 0; i < rounds; i++) {
		keep_least(&floor, cost_of(add_all, run, few));
		keep_least(&all, cost_of(judge, run, few));
		keep_least(&in_half, cost_of(judge, half, few));
		keep_least(&twice, cost_of(judge, run, many));
	}
	floor.n_fired = 0;
	printf("%d GPUs x %.2f days at 1 s, CPU and %d cores: %zu tracks, %.0f MiB; least of %d\n", N_GPUS, days, N_CORES, run->n_tracks,
		(double)own / 1048576, rounds);
	printf("%-44s %11s %11s %9s %9s %9s\n", "", "wall", "CPU", "x floor", "x tracks", "fired");
	show("floor: one pass that adds up all values", floor, floor, own);
	show("50 rules", all, floor, own);
	show("50 rules, half of the time", in_half, floor, track_bytes(half));
	show("100 rules", twice, floor, own);
	printf("twice the time costs %.2f times as much, twice the rules %.2f times; memory with the tracks' own %.2f of it\n",
		all.cpu / in_half.cpu, twice.cpu / all.cpu, 1 + all.bytes / (double)own);
	const bool kept[] = {
		check("seconds to judge 50 rules", all.wall, LIMIT_SECONDS * days / 3),
		check("memory as a share of the tracks", 1 + all.bytes / (double)own, LIMIT_MEMORY),
		check("twice the rules", twice.cpu / all.cpu, 2),
	};
	diags_release(&diags);
	arena_release(&half_mem);
	arena_release(&mem);
	return kept[0] && kept[1] && kept[2] ? 0 : 1;
}
