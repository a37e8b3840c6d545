/*
 * phase_laws.c - laws of phases, on generated runs of 1 to 8 GPUs that start, work, dip and end.
 *
 * A run is made second by second. Its dips are 5 to 60 s long, 2 to 60 min apart, at least four of them; each is up to a fiftieth of
 * the period late, and one may be missing. The generator knows nothing of how they are found.
 */
#include "property/laws.h"
#include "run/run.h"

#include <stdlib.h>

#define A_RUN 667 /* a case is a run of an hour or more: 150 of them take as long as 100,000 of the others */
#define DAWN ((time_ms)1795226400000)
#define GPUS_MOST 8

struct plan {
	int n_gpus, head, start, work, end; /* seconds */
	int period, length, first, missing; /* of dips; length 0: none. `missing`: number of the one left out; -1: none */
	int noise; /* percent */
	time_ms begin;
	int step; /* seconds between rows */
	uint64_t seed; /* of noise */
	int cut, hole; /* from that second on all is later by so many, of which there are no rows; 0: no hole */
};

static struct plan random_plan(struct random *r, const bool dips)
{
	struct plan p = { .n_gpus = 1 + random_below(r, GPUS_MOST), .head = random_below(r, 90), .start = random_below(r, 90), .end = random_below(r, 60), .noise = 10, .begin = DAWN, .step = 1, .missing = -1, .seed = random_bits(r) };

	p.period = 120 + random_below(r, random_one_in(r, 4) ? 3480 : 600);
	p.length = dips ? 5 + random_below(r, 56) : 0;
	p.first = p.length + random_below(r, p.period - p.length - 5) + 1;
	const int n = 4 + random_below(r, 4);
	p.work = p.first + (n - 1) * p.period + p.length + p.period / 50 + 5 + random_below(r, (p.period - p.length) / 4);
	if (n > 4 && random_one_in(r, 2)) /* beside three others and more a place that is left out is seen */
		p.missing = 1 + random_below(r, n - 2);
	return p;
}

/* How late dip k is: at most a fiftieth of the period. */
static int lateness(const struct plan *p, const int k)
{
	struct random r = { p->seed + (uint64_t)k };

	return random_below(&r, p->period / 50 + 1);
}

static bool is_dip(const struct plan *p, const int second)
{
	const int since = second - p->head - p->start - p->first;
	const int k = since / p->period;

	if (!p->length || since < 0 || k == p->missing)
		return false;
	const int into = since % p->period - lateness(p, k);
	return into >= 0 && into < p->length;
}

static bool is_work(const struct plan *p, const int second)
{
	return second >= p->head + p->start && second < p->head + p->start + p->work;
}

static fixed busy_at(const struct plan *p, const int second, struct random *noise)
{
	const int up = random_below(noise, p->noise + 1);

	return !is_work(p, second) ? 0 : is_dip(p, second) ? (fixed)(up / 3) * FIXED_ONE
							   : (fixed)(100 - up) * FIXED_ONE;
}

static fixed memory_at(const struct plan *p, const int second)
{
	if (is_work(p, second))
		return (fixed)60000 * FIXED_ONE;
	return second >= p->head && second < p->head + p->start ? (fixed)1000 * FIXED_ONE : (fixed)4 * FIXED_ONE;
}

static struct track *track_of(struct arena *mem, const struct plan *p, const int gpu, const enum metric metric)
{
	const int all = p->head + p->start + p->work + p->end;
	const size_t n = (size_t)((all + p->step - 1) / p->step);
	struct random noise = { p->seed + (uint64_t)gpu * 1000003 };
	struct entity *e = NEW(mem, struct entity);
	struct track *t = NEW(mem, struct track);
	time_ms *times = NEW_ARRAY(mem, time_ms, n);
	fixed *values = NEW_ARRAY(mem, fixed, n);

	*e = (struct entity){ .scope = SCOPE_GPU, .host = "", .index = gpu };
	for (size_t i = 0; i < n; i++) {
		const int second = (int)i * p->step;
		times[i] = p->begin + (second + (second >= p->cut ? p->hole : 0)) * SECOND_MS + 7 * gpu;
		values[i] = metric == METRIC_GPU_UTIL ? busy_at(p, second, &noise) : memory_at(p, second);
	}
	*t = (struct track){ .metric = metric, .entity = e, .times = times, .values = values, .n = n, .step = p->step * SECOND_MS };
	return t;
}

static const struct run *run_of(struct arena *mem, const struct plan *p)
{
	struct track *tracks[2 * GPUS_MOST];
	struct diags *diags = NEW(mem, struct diags);
	size_t n = 0;

	diags_init(diags, mem);
	for (int g = 0; g < p->n_gpus; g++) {
		tracks[n++] = track_of(mem, p, g, METRIC_GPU_UTIL);
		tracks[n++] = track_of(mem, p, g, METRIC_GPU_MEM_USED);
	}
	return run_from_tracks(mem, diags, "made", tracks, n, NULL, 0);
}

/* The same phases, whose ends are moved by `by`, and off by no more than `off`. */
static bool are_alike(const struct run *a, const struct run *b, const time_ms by, const time_ms off)
{
	if (a->n_phases != b->n_phases)
		return false;
	for (size_t i = 0; i < a->n_phases; i++) {
		const struct phase_span *const x = &a->phases[i], *const y = &b->phases[i];

		if (x->phase != y->phase || llabs(x->span.begin + by - y->span.begin) > off || llabs(x->span.end + by - y->span.end) > off)
			return false;
	}
	return true;
}

static double fact(const struct run *run, const enum metric metric)
{
	const struct track *const t = run_track(run, run_job(run), metric);

	return t ? fixed_value(track_value(t, 0)) : 0;
}

static bool phases_cover_the_run_once(struct random *r, struct arena *mem)
{
	const struct plan p = random_plan(r, !random_one_in(r, 3));
	const struct run *const run = run_of(mem, &p);
	time_ms until = run->span.begin;

	for (size_t i = 0; i < run->n_phases; i++) {
		if (run->phases[i].span.begin != until || span_length(run->phases[i].span) <= 0)
			return false;
		until = run->phases[i].span.end;
	}
	return until == run->span.end;
}

static int count_dips(const struct plan *p)
{
	int n = 0;

	for (int s = 1; s < p->head + p->start + p->work; s++)
		n += is_dip(p, s) && !is_dip(p, s - 1);
	return n;
}

static bool all_are_found(const struct plan *p, const struct run *run)
{
	const struct spans dips = run_phases(run->mem, run, 1U << PHASE_DIP);

	if ((int)dips.n != count_dips(p) || llabs((int64_t)(fact(run, METRIC_RUN_DIP_PERIOD) * 20) - p->period * 20) > p->period)
		return false;
	for (size_t i = 0; i < dips.n; i++)
		if (llabs(span_length(dips.at[i]) - p->length * SECOND_MS) > 2 * SECOND_MS)
			return false;
	return llabs((int64_t)fact(run, METRIC_RUN_DIP_LENGTH) - p->length) <= 2;
}

static bool dips_are_found(struct random *r, struct arena *mem)
{
	const struct plan p = random_plan(r, true);

	return all_are_found(&p, run_of(mem, &p));
}

/* In the midst between the second dip and the third; what comes behind it is as late as the hole is long, whatever the rhythm was. */
static bool dips_are_found_on_both_sides_of_a_hole(struct random *r, struct arena *mem)
{
	struct plan p = random_plan(r, true);

	p.missing = -1;
	p.cut = p.head + p.start + p.first + p.period + (p.period + p.length) / 2;
	p.hole = p.period + 2 + random_below(r, 5 * p.period);
	return all_are_found(&p, run_of(mem, &p));
}

/* Three dips show a rhythm; a hole between two and one is no step of it. */
static bool a_hole_is_no_step(struct random *r, struct arena *mem)
{
	struct plan p = random_plan(r, true);

	p.missing = -1;
	p.work = p.first + 2 * p.period + p.length + p.period / 50 + 5;
	p.cut = p.head + p.start + p.first + p.period + (p.period + p.length) / 2;
	p.hole = p.period + 2 + random_below(r, 5 * p.period);
	return run_phases(mem, run_of(mem, &p), 1U << PHASE_DIP).n == 0;
}

static bool none_are_found_without(struct random *r, struct arena *mem)
{
	struct plan p = random_plan(r, false);

	p.noise = random_below(r, 60); /* of the busy share */
	return run_phases(mem, run_of(mem, &p), 1U << PHASE_DIP | 1U << PHASE_DOWN).n == 0;
}

static bool other_noise_changes_nothing(struct random *r, struct arena *mem)
{
	struct plan p = random_plan(r, true);
	const struct run *const one = run_of(mem, &p);

	p.noise = 3 + random_below(r, 30);
	return are_alike(one, run_of(mem, &p), 0, 0);
}

static bool later_runs_have_later_phases(struct random *r, struct arena *mem)
{
	struct plan p = random_plan(r, true);
	const struct run *const one = run_of(mem, &p);
	const time_ms by = random_below(r, 1000000000);

	p.begin += by;
	return are_alike(one, run_of(mem, &p), by, 0);
}

/* Dips of two rows and more: what one row shows may be a slip of the sensor. */
static bool coarser_logs_show_the_same(struct random *r, struct arena *mem)
{
	struct plan p = random_plan(r, true);

	p.length = p.length < 20 ? 20 : p.length;
	p.first = p.first < p.length ? p.length : p.first;
	p.head += 10;
	p.start += 10;
	p.end += 10;
	p.work += 30;
	const struct run *const fine = run_of(mem, &p);
	p.step = 5;
	return are_alike(fine, run_of(mem, &p), 0, 10 * SECOND_MS);
}

int main(int argc, char **argv)
{
	static const struct law laws[] = {
		LAW_ONE_IN(phases_cover_the_run_once, A_RUN),
		LAW_ONE_IN(dips_are_found, A_RUN),
		LAW_ONE_IN(dips_are_found_on_both_sides_of_a_hole, A_RUN),
		LAW_ONE_IN(a_hole_is_no_step, A_RUN),
		LAW_ONE_IN(none_are_found_without, A_RUN),
		LAW_ONE_IN(other_noise_changes_nothing, A_RUN),
		LAW_ONE_IN(later_runs_have_later_phases, A_RUN),
		LAW_ONE_IN(coarser_logs_show_the_same, A_RUN),
	};

	return laws_check(laws, sizeof laws / sizeof laws[0], argc, argv);
}
