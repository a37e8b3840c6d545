/*
 * long_run_laws.c - what the packs and chunks of long logs tell of a run changes nothing but the time it takes.
 *
 * A run of one to three GPUs is made second by second, some of it missing: GPUs that work evenly, that go on and off at a rhythm, that
 * slow down for good. It is asked twice, with its samples as they are, and packed, summarised, on as many threads as there are cores.
 */
#include "property/laws.h"
#include "run/run.h"

#include <math.h>

#define A_RUN 500 /* cases in which one is tried: it takes as long as so many others */
#define DAWN ((time_ms)1795226400000)
#define GPUS_MOST 3
#define ROWS_MOST 15000 /* more than a stretch of a work line */

struct made { /* the same, twice */
	struct track *plain[2 * GPUS_MOST], *packed[2 * GPUS_MOST];
	size_t n;
};

struct habit { /* of a GPU */
	int level, noise;   /* percent */
	int period, rest;   /* s; period 0: none */
	size_t slows_at;    /* row */
	int missing;        /* one row in so many has no value, or is not there */
	bool is_fraction;   /* digits behind the point */
};

static struct habit random_habit(struct random *r, const size_t n)
{
	struct habit h = { .level = 60 + random_below(r, 41), .noise = 1 + random_below(r, 12), .missing = 30 + random_below(r, 5000) };

	h.period = random_one_in(r, 3) ? 5 + random_below(r, 50) : 0;
	h.rest = h.period / 2 + 1;
	h.slows_at = random_one_in(r, 3) ? (size_t)random_below(r, (int)n) : n;
	h.is_fraction = random_one_in(r, 8);
	return h;
}

static fixed busy_at(struct random *r, const struct habit *h, const size_t i)
{
	const int level = h->level - (i >= h->slows_at ? 25 : 0), busy = level - random_below(r, h->noise);
	const bool is_rest = (h->period && (int)i % h->period < h->rest) || random_one_in(r, 2000);

	return (is_rest ? random_below(r, 3) : busy) * FIXED_ONE + (h->is_fraction ? random_below(r, 1000000) : 0);
}

static void add_track(struct arena *mem, struct made *m, const struct entity *gpu, const enum metric metric, const time_ms *times,
	const fixed *values, const size_t n, const time_ms step)
{
	const struct track t = { .metric = metric, .entity = gpu, .times = times, .values = values, .n = n, .step = step };
	struct track *const plain = NEW(mem, struct track), *const packed = NEW(mem, struct track);

	*plain = *packed = t;
	packed->times = packed->values = NULL;
	packed->clock = packed_from(mem, times, n, true);
	packed->column = packed_from(mem, values, n, false);
	m->plain[m->n] = plain;
	m->packed[m->n++] = packed;
}

static void add_gpu(struct random *r, struct arena *mem, struct made *m, const int number, const size_t most)
{
	const struct habit h = random_habit(r, most);
	const int step = 1000 * (1 + random_below(r, 2)), late = random_one_in(r, 2) ? 40 : 1;
	time_ms *const times = NEW_ARRAY(mem, time_ms, most);
	fixed *const busy = NEW_ARRAY(mem, fixed, most), *const memory = NEW_ARRAY(mem, fixed, most);
	struct entity *const e = NEW(mem, struct entity);
	size_t n = 0;

	*e = (struct entity){ .scope = SCOPE_GPU, .host = "", .index = number };
	for (size_t i = 0; i < most; i++) {
		if (random_one_in(r, h.missing) && random_one_in(r, 2))
			i += (size_t)random_below(r, 20);
		if (n % PACK == 0 && random_one_in(r, 3)) /* a poll is late between two chunks */
			i += 1 + (size_t)random_below(r, 2);
		times[n] = DAWN + (time_ms)i * step + 7 * number + random_below(r, late);
		busy[n] = random_one_in(r, h.missing) ? FIXED_MISSING : busy_at(r, &h, i);
		memory[n++] = (fixed)(i < 20 ? 4 : 60000) * FIXED_ONE;
	}
	add_track(mem, m, e, METRIC_GPU_UTIL, times, busy, n, step);
	add_track(mem, m, e, METRIC_GPU_MEM_USED, times, memory, n, step);
}

static struct made random_gpus(struct random *r, struct arena *mem)
{
	const int n_gpus = 1 + random_below(r, GPUS_MOST);
	const size_t most = 600 + (size_t)random_below(r, ROWS_MOST - 600);
	struct made m = { .n = 0 };

	for (int g = 0; g < n_gpus; g++)
		add_gpu(r, mem, &m, g, most);
	return m;
}

static struct run *plain_run(struct arena *mem, struct made *m)
{
	struct diags *const diags = NEW(mem, struct diags);

	diags_init(diags, mem);
	return run_from_tracks(mem, diags, "plain", m->plain, m->n, NULL, 0);
}

/* With chunks, which are there when phases of a log are looked for. */
static struct run *packed_run(struct arena *mem, struct made *m)
{
	struct diags *const diags = NEW(mem, struct diags);

	diags_init(diags, mem);
	struct run *const run = run_from_tracks(mem, diags, "packed", m->packed, m->n, NULL, 0);
	derive_metrics(run);
	phases_find(run);
	return run;
}

static bool facts_are_same(const struct run *a, const struct run *b, const size_t g, const enum metric metric)
{
	const struct track *const x = run_track(a, a->gpus[g], metric), *const y = run_track(b, b->gpus[g], metric);
	bool is_so = !x == !y && (!x || x->n == y->n);

	for (size_t i = 0; is_so && x && i < x->n; i++)
		is_so = track_time(x, i) == track_time(y, i) && track_value(x, i) == track_value(y, i);
	return is_so;
}

static bool chunks_change_no_phases(struct random *r, struct arena *mem)
{
	static const enum metric facts[] = { METRIC_GPU_PACE, METRIC_GPU_PACE_BEFORE, METRIC_GPU_RHYTHM, METRIC_GPU_RHYTHM_WORK,
		METRIC_GPU_RHYTHM_HIGH, METRIC_GPU_RHYTHM_LOW };
	struct made m = random_gpus(r, mem);
	const struct run *const a = plain_run(mem, &m), *const b = packed_run(mem, &m);
	bool is_so = a->n_phases == b->n_phases;

	for (size_t i = 0; is_so && i < a->n_phases; i++)
		is_so = a->phases[i].phase == b->phases[i].phase && a->phases[i].span.begin == b->phases[i].span.begin &&
			a->phases[i].span.end == b->phases[i].span.end;
	for (size_t g = 0; g < a->n_gpus; g++)
		for (size_t i = 0; is_so && i < sizeof facts / sizeof *facts; i++)
			is_so = facts_are_same(a, b, g, facts[i]);
	return is_so;
}

/* Of each sample what it holds in each of the cells. */
static void add_samples(const struct track *t, const struct work_line *line, int64_t *weighted, int64_t *known)
{
	for (size_t i = 0; i < t->n; i++) {
		for (time_ms at = track_time(t, i), next; at < track_until(t, i) && at < line->span.end; at = next) {
			const time_ms cell = at < line->span.begin ? -1 : (at - line->span.begin) / line->cell;
			next = line->span.begin + (cell + 1) * line->cell;
			next = next < track_until(t, i) ? next : track_until(t, i);
			next = next < line->span.end ? next : line->span.end;
			if (cell < 0 || track_value(t, i) == FIXED_MISSING)
				continue;
			weighted[cell] += track_value(t, i) / 1000 * (next - at);
			known[cell] += next - at;
		}
	}
}

static bool a_work_line_is_the_mean_of_its_cells(struct random *r, struct arena *mem)
{
	struct made m = random_gpus(r, mem);
	const struct run *const run = packed_run(mem, &m);
	const time_ms part = span_length(run->span) / 4;
	const struct span work = { run->span.begin + random_below(r, (int)part), run->span.end - random_below(r, (int)part) };
	const double least = random_below(r, 11) / 10.0;
	struct work_line line;

	if (!run_work_line(mem, run, spans_one(&work), METRIC_GPU_UTIL, least, &line))
		return false;
	int64_t *const weighted = NEW_ARRAY(mem, int64_t, line.n), *const known = NEW_ARRAY(mem, int64_t, line.n);
	for (size_t g = 0; g < run->n_gpus; g++)
		add_samples(run_track(run, run->gpus[g], METRIC_GPU_UTIL), &line, weighted, known);
	for (size_t i = 0; i < line.n; i++) {
		const bool is_known = known[i] > 0 && (double)known[i] >= least * (double)line.cell * (double)run->n_gpus;
		if (is_known ? line.at[i] != (double)weighted[i] / (double)known[i] : !isnan(line.at[i]))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(chunks_change_no_phases, A_RUN),
		LAW_ONE_IN(a_work_line_is_the_mean_of_its_cells, A_RUN),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
