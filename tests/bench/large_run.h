/*
 * large_run.h - 64 GPUs for days, in memory: the run that benches judge and draw.
 *
 * The log of the GPUs and that of their host's CPU, made here from a fixed seed: jobs of eight GPUs that start, starve, write
 * checkpoints and end; noise; cells without a value; holes of the logger. As nvidia-smi writes them, the GPUs of a poll are some ms
 * apart, and the polls drift; the CPU's log has another phase.
 */
#ifndef POSTRUN_LARGE_RUN_H
#define POSTRUN_LARGE_RUN_H

#include "run/run.h"

#define N_GPUS 64
#define N_CORES 16
#define GPUS_A_JOB 8
#define SEED 0x9E3779B97F4A7C15U
#define BEGIN ((time_ms)1795219200000) /* 2026-11-21T00:00:00Z */
#define CPU_PHASE_MS 437
#define POWER_LIMIT_W 700
#define CAPACITY_MIB 143771
#define IDLE_BIT 0x1        /* of NVML's mask */
#define HW_THERMAL_BIT 0x40

/* Columns of each GPU: the first are what rules are timed with, all of them what pictures can show. */
static const enum metric gpu_metrics[] = {
	METRIC_GPU_UTIL, METRIC_GPU_POWER, METRIC_GPU_POWER_LIMIT, METRIC_GPU_TEMP, METRIC_GPU_MEM_USED, METRIC_GPU_CLOCK_SM,
	METRIC_GPU_THR_HW_THERMAL, METRIC_GPU_MEM_TOTAL, METRIC_GPU_THROTTLE,
};
#define LARGE_RUN_METRICS (sizeof gpu_metrics / sizeof gpu_metrics[0])
#define JUDGED_METRICS ((size_t)7)

/* xorshift64* (Marsaglia 2003; Vigna 2016): the same values on every machine. */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545F4914F6CDD1DU;
}

static inline int below(uint64_t *state, int n)
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
static inline void draw_jobs(struct second *at, size_t n, uint64_t seed)
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

/* The polls of a logger: a step and a little, with a hole of 10 to 600 s a few times a day. Returns how many there are. */
static inline size_t draw_polls(time_ms *times, size_t n_seconds, size_t step, uint64_t seed)
{
	uint64_t state = seed;
	size_t n = 0;

	for (size_t i = 0; i < n_seconds; i += step) {
		if (below(&state, 20000 / (int)step) == 0)
			i += 10 + (size_t)below(&state, 590);
		if (i < n_seconds)
			times[n++] = BEGIN + (time_ms)i * SECOND_MS + below(&state, 8);
	}
	return n;
}

static inline fixed whole(int value)
{
	return (fixed)value * FIXED_ONE;
}

struct board { /* what goes on from one sample of a GPU to the next */
	double temperature;
	uint64_t state;
};

static inline void draw_sample(struct board *board, const struct second *now, fixed *const *columns, size_t i, size_t n_columns)
{
	uint64_t *state = &board->state;
	int util = now->util ? now->util + below(state, 5) - 2 : 0;

	util = util < 0 ? 0 : util > 100 ? 100 : util;
	const int deciwatts = 900 + util * 52 + below(state, 300) + (now->util > 90 ? below(state, 500) : 0);
	const bool slowed = now->heat && util > 90 && below(state, 4) == 0;
	board->temperature += (28 + deciwatts * 0.0062 + (now->heat ? 14 : 0) - board->temperature) * 0.02;
	const fixed drawn[LARGE_RUN_METRICS] = {
		whole(util),
		whole(deciwatts) / 10 + below(state, 10) * 10000,
		whole(POWER_LIMIT_W),
		whole((int)(board->temperature + 0.5)),
		whole(now->runs ? now->memory_gib * 1024 + below(state, 3) : 4),
		whole(slowed ? 1200 : util > 90 ? 1980 - 15 * below(state, 20) : now->runs ? 1980 : 345),
		whole(slowed),
		whole(CAPACITY_MIB),
		whole(slowed ? HW_THERMAL_BIT : util ? 0 : IDLE_BIT),
	};
	const bool missing = below(state, 1000) == 0;
	for (size_t m = 0; m < n_columns; m++)
		columns[m][i] = missing && m < 2 ? FIXED_MISSING : drawn[m];
}

struct tracks {
	struct arena *mem;
	struct track *at[N_GPUS * LARGE_RUN_METRICS + N_CORES + 2];
	size_t n;
	time_ms step;
	size_t n_columns; /* of a GPU */
};

static inline void add_track(struct tracks *all, const struct entity *who, enum metric metric, const time_ms *times, const fixed *values,
	size_t n, int decimals)
{
	struct track *t = NEW(all->mem, struct track);

	*t = (struct track){
		.metric = metric, .entity = who, .times = times, .values = values, .n = n, .step = all->step, .decimals = decimals };
	all->at[all->n++] = t;
}

static inline void add_gpu(struct tracks *all, int index, const struct second *job, const time_ms *polls, size_t n)
{
	struct entity *gpu = NEW(all->mem, struct entity);
	time_ms *times = NEW_ARRAY(all->mem, time_ms, n);
	struct board board = { 30 + index % 8, SEED + (uint64_t)index };
	fixed *columns[LARGE_RUN_METRICS];

	*gpu = (struct entity){ .scope = SCOPE_GPU, .host = "node01", .index = index, .name = "NVIDIA H200" };
	for (size_t m = 0; m < all->n_columns; m++)
		columns[m] = NEW_ARRAY(all->mem, fixed, n);
	for (size_t i = 0; i < n; i++) {
		times[i] = polls[i] + index * 3; /* nvidia-smi asks one after the other */
		draw_sample(&board, &job[(polls[i] - BEGIN) / SECOND_MS], columns, i, all->n_columns);
	}
	for (size_t m = 0; m < all->n_columns; m++)
		add_track(all, gpu, gpu_metrics[m], times, columns[m], n, gpu_metrics[m] == METRIC_GPU_POWER ? 2 : 0);
}

/* Each job keeps two of the cores busy; the host is the mean of its cores, and waits where nobody starves of cores. */
static inline void add_host(struct tracks *all, struct second *const *jobs, const time_ms *times, size_t n)
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
static inline struct run *draw_run(struct arena *mem, size_t n_seconds, size_t step, size_t n_columns, struct diags *diags)
{
	struct tracks all = { .mem = mem, .step = (time_ms)step * SECOND_MS, .n_columns = n_columns };
	struct second *jobs[N_GPUS / GPUS_A_JOB];
	time_ms *polls = NEW_ARRAY(mem, time_ms, n_seconds), *cpu = NEW_ARRAY(mem, time_ms, n_seconds);
	const size_t n_polls = draw_polls(polls, n_seconds, step, SEED), n_cpu = draw_polls(cpu, n_seconds, step, SEED + 1);

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
static inline size_t track_bytes(const struct run *run)
{
	size_t n_bytes = 0;

	for (size_t t = 0; t < run->n_tracks; t++) {
		n_bytes += run->tracks[t]->n * sizeof(fixed);
		if (t == 0 || run->tracks[t]->times != run->tracks[t - 1]->times)
			n_bytes += run->tracks[t]->n * sizeof(time_ms);
	}
	return n_bytes;
}

/* The least that anybody must do who asks what they hold: look at every value. */
static inline size_t add_all_values(const struct run *run)
{
	fixed sum = 0;

	for (size_t t = 0; t < run->n_tracks; t++)
		for (size_t i = 0; i < run->tracks[t]->n; i++)
			sum += track_value(run->tracks[t], i) == FIXED_MISSING ? 0 : track_value(run->tracks[t], i) >> 10;
	return (size_t)sum;
}

#endif
