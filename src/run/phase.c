/*
 * phase.c - idle head, start-up, steady, tail: when a run was doing what it is judged for.
 *
 *   idle head  no GPU is busy and none holds memory: the job has not reached the GPUs
 *   start-up   GPUs hold memory, but the work has not begun: imports, weights, the first batch
 *   steady     from the first work to the last
 *   tail       after the last work, once memory is given back
 *
 * Work begins when a GPU is first busy, or holds half of the memory that it typically holds
 * later (the model has arrived). A blip of a few percent while a context is made is no work.
 */
#include "run/run_parts.h"

/* A CUDA context takes about half a GiB (seen on H200: 527 MiB); creating one shows 1 to 4 % busy for one sample. */
#define WORK_PERCENT 5
/* The driver shows a few MiB on a GPU that nobody uses (4 on H100, up to 15 elsewhere): only what is far above can be a job's. */
#define HELD_MIB 64

struct moments {
	time_ms touched, worked, last; /* first memory or busy, first work, end of the last of either */
};

static bool is_over(const struct track *t, size_t i, double limit)
{
	return t->values[i] != FIXED_MISSING && fixed_value(t->values[i]) > limit;
}

/* When the track is first over the limit, and until when it last is. */
static void note_over(const struct track *t, double limit, time_ms *first, time_ms *last)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!is_over(t, i, limit))
			continue;
		if (t->times[i] < *first)
			*first = t->times[i];
		if (track_until(t, i) > *last)
			*last = track_until(t, i);
	}
}

/* The median of memory while any is held. */
static double typical_held(struct arena *mem, const struct run *run, const struct track *used)
{
	struct spans held = truths_spans(mem,
		truths_compare(mem, signal_from_track(mem, used, run->span), GREATER, signal_constant(mem, HELD_MIB, run->span)),
		YES);

	return track_stats(mem, used, held).p50;
}

static void note_gpu(struct arena *mem, const struct run *run, const struct entity *gpu, struct moments *m)
{
	const struct track *util = run_track(run, gpu, METRIC_GPU_UTIL), *used = run_track(run, gpu, METRIC_GPU_MEM_USED);
	time_ms ignored = INT64_MIN, held_until = INT64_MIN;

	if (used)
		note_over(used, HELD_MIB, &m->touched, &held_until);
	/* Kernels need memory: busy after its release is the driver's average of a moment ago (seen on H200: 33 %). */
	bool by_memory = held_until > INT64_MIN;
	if (util) {
		note_over(util, 0, &m->touched, used ? &ignored : &m->last);
		note_over(util, WORK_PERCENT, &m->worked, by_memory ? &ignored : &m->last);
	}
	if (!by_memory)
		return;
	if (held_until > m->last)
		m->last = held_until;
	double typical = typical_held(mem, run, used);
	if (typical > HELD_MIB)
		note_over(used, typical / 2, &m->worked, &ignored);
}

static void add_phase(struct run *run, enum phase phase, time_ms begin, time_ms end)
{
	if (begin < run->span.begin)
		begin = run->span.begin;
	if (end > run->span.end)
		end = run->span.end;
	if (end > begin)
		run->phases[run->n_phases++] = (struct phase_span){ phase, { begin, end } };
}

void phases_find(struct run *run)
{
	struct moments m = { INT64_MAX, INT64_MAX, INT64_MIN };
	struct arena scratch;

	run->phases = NEW_ARRAY(run->mem, struct phase_span, N_PHASES);
	arena_init(&scratch);
	for (size_t g = 0; g < run->n_gpus; g++)
		note_gpu(&scratch, run, run->gpus[g], &m);
	arena_release(&scratch);
	if (m.worked == INT64_MAX) { /* the GPUs never worked, or no log tells: all of it is judged */
		add_phase(run, PHASE_STEADY, run->span.begin, run->span.end);
		return;
	}
	if (m.last < m.worked) /* busy only after memory was given back, which is no work */
		m.worked = m.last;
	if (m.touched > m.worked)
		m.touched = m.worked;
	add_phase(run, PHASE_IDLE_HEAD, run->span.begin, m.touched);
	add_phase(run, PHASE_STARTUP, m.touched, m.worked);
	add_phase(run, PHASE_STEADY, m.worked, m.last);
	add_phase(run, PHASE_TAIL, m.last, run->span.end);
}

const char *phase_name(enum phase phase)
{
	static const char *const names[N_PHASES] = {
		[PHASE_IDLE_HEAD] = "idle-head",
		[PHASE_STARTUP] = "startup",
		[PHASE_STEADY] = "steady",
		[PHASE_TAIL] = "tail",
	};

	return names[phase];
}
