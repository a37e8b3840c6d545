/*
 * phase_facts.c - what phases tell rules, as facts of the run.
 *
 *     run.length                        how long the log is
 *     run.start  run.down  run.tail     how long all of that phase is, as far as some GPU log tells of it, while it lasts; 0 in the rest:
 *     run.reload                        run.start is of the first start, this of those after a restart
 *     run.dip                           how long this dip is, while it lasts; 0 in the rest of the run
 *     run.dips                          how many dips there are
 *     run.dip_period  run.dip_length    from one dip's begin to the next one's, and how long a dip is: medians; there only with dips
 *     gpu.pace and gpu.rhythm with its like  of each GPU in the steady time (phase_pace.c, phase_rhythm.c)
 *
 * They are computed from the phases alone, so that phases that a test of a rule gives tell the same. Of time that a user marked nothing is
 * told: that it is no work is what somebody says, and no rule may say that it was seen.
 */
#include "run/phase_parts.h"

#include "base/sort.h"

#include <math.h>

static const struct entity *run_entity(struct run *run)
{
	const struct entity *job = run_job(run);
	struct entity *made;

	if (job)
		return job;
	made = NEW(run->mem, struct entity);
	*made = (struct entity){ .scope = SCOPE_RUN, .host = "", .index = -1, .of_host = run_host_called(run, "") };
	return made;
}

void phases_tell_fact(struct run *run, const struct track *fact)
{
	const struct track *old = run_track(run, fact->entity, fact->metric);

	if (!old)
		run_add_track(run, fact);
	else if (old->derived) /* else a test of a rule gives it */
		run_put_track(run, fact);
}

struct asking {
	const struct run *run;
	void (*find)(struct arena *scratch, const struct run *run, const struct track *util, void *place);
	unsigned char *places;
	size_t place_bytes;
};

static void ask_gpu(void *context, size_t worker, size_t g)
{
	const struct asking *const a = context;
	const struct track *const util = run_track(a->run, a->run->gpus[g], METRIC_GPU_UTIL);
	struct arena scratch;

	(void)worker;
	arena_init(&scratch);
	if (util)
		a->find(&scratch, a->run, util, a->places + g * a->place_bytes);
	arena_release(&scratch);
}

void phases_ask_gpus(const struct run *run,
	void (*find)(struct arena *scratch, const struct run *run, const struct track *util, void *place),
	void *places, size_t place_bytes)
{
	run_jobs(run, run->n_gpus, ask_gpu, &(struct asking){ run, find, places, place_bytes });
}

/* Of as many steps as there are values. */
static void tell(struct run *run, const struct entity *e, enum metric metric, const time_ms *times, const fixed *values, size_t n)
{
	const struct track fact = {
		.metric = metric,
		.entity = e,
		.times = times,
		.values = values,
		.n = n,
		.step = span_length(run->span),
		.derived = true,
	};

	phases_tell_fact(run, &fact);
}

static void tell_number(struct run *run, const struct entity *e, enum metric metric, double value)
{
	time_ms *begin = NEW(run->mem, time_ms);
	fixed *values = NEW(run->mem, fixed);

	*begin = run->span.begin;
	*values = (fixed)llround(value * FIXED_ONE);
	tell(run, e, metric, begin, values, 1);
}

/* Nobody knows whether there was work. */
struct spans run_dark_time(struct arena *mem, const struct run *run, struct spans within)
{
	const struct track **const rows = rows_of_gpus(run);
	struct spans dark = within;
	struct span all = { INT64_MAX, INT64_MIN };
	struct arena once;

	arena_init(&once);
	for (size_t g = 0; g < run->n_gpus && dark.n; g++) {
		if (!rows[g])
			continue;
		const struct span own = track_span(rows[g]);
		const struct spans outside = spans_complement(&once, spans_one(&own), run->span);
		dark = spans_intersection(mem, dark, spans_union(&once, track_holes(&once, rows[g]), outside));
		all = (struct span){ sooner(all.begin, own.begin), later(all.end, own.end) };
		arena_reset(&once);
	}
	arena_release(&once);
	return all.begin < all.end ? spans_intersection(mem, dark, spans_one(&all)) : (struct spans){ NULL, 0 };
}

static fixed seconds(time_ms t)
{
	return t * (FIXED_ONE / SECOND_MS);
}

/* Some of the run's phases. */
struct among {
	unsigned mask;
	size_t from, end; /* of the run's phases */
};

static bool is_among(const struct among *a, const struct run *run, size_t i)
{
	return i >= a->from && i < a->end && a->mask & 1U << run->phases[i].phase;
}

static struct spans spans_among(const struct among *a, const struct run *run)
{
	struct span *const at = NEW_ARRAY(run->mem, struct span, run->n_phases);
	size_t n = 0;

	for (size_t i = 0; i < run->n_phases; i++)
		if (is_among(a, run, i))
			at[n++] = run->phases[i].span;
	return (struct spans){ at, n };
}

/* The length of all of these, or with `each` their own; not known in the dark, and else 0. */
static void tell_phase(struct run *run, const struct entity *e, enum metric metric, struct among a, bool each, struct spans dark)
{
	const struct spans lit = spans_among(&a, run), hidden = spans_intersection(run->mem, lit, dark);
	struct fact_steps s = fact_steps_new(run->mem, 2 * run->n_phases + 2 * hidden.n);
	const time_ms all = spans_length(lit) - spans_length(hidden);

	for (size_t i = 0, k = 0; i < run->n_phases; i++) {
		const struct phase_span *p = &run->phases[i];
		const fixed value = is_among(&a, run, i) ? seconds(each ? span_length(p->span) : all) : 0;
		fact_steps_set(&s, p->span.begin, value);
		for (; k < hidden.n && hidden.at[k].begin < p->span.end; k++) {
			fact_steps_set(&s, later(hidden.at[k].begin, p->span.begin), FIXED_MISSING);
			if (hidden.at[k].end >= p->span.end) /* the next phase begins in it */
				break;
			fact_steps_set(&s, hidden.at[k].end, value);
		}
	}
	tell(run, e, metric, s.times, s.values, s.n);
}

/* Of an even number the lower middle one, so that one dip that is missing among few leaves the period as it is. */
static double median_seconds(time_ms *of, size_t n)
{
	times_sort(of, n);
	return (double)of[(n - 1) / 2] / SECOND_MS;
}

static bool is_marked(const struct run *run, struct span span)
{
	const size_t i = spans_seek(run->marked, span.begin);

	return i < run->marked.n && run->marked.at[i].begin < span.end;
}

static void tell_dips(struct run *run, const struct entity *e)
{
	time_ms *apart = NEW_ARRAY(run->mem, time_ms, run->n_phases), *lengths = NEW_ARRAY(run->mem, time_ms, run->n_phases);
	time_ms before = 0;
	size_t n = 0;

	for (size_t i = 0; i < run->n_phases; i++) {
		const struct phase_span *p = &run->phases[i];
		if (p->phase != PHASE_DIP || is_marked(run, p->span))
			continue;
		if (n)
			apart[n - 1] = p->span.begin - before;
		before = p->span.begin;
		lengths[n++] = span_length(p->span);
	}
	tell_number(run, e, METRIC_RUN_DIPS, (double)n);
	if (n > 1)
		tell_number(run, e, METRIC_RUN_DIP_PERIOD, median_seconds(apart, n - 1));
	if (n > 0)
		tell_number(run, e, METRIC_RUN_DIP_LENGTH, median_seconds(lengths, n));
}

/* The first phase that is none of these. */
static size_t phases_first_not(const struct run *run, unsigned mask)
{
	size_t i = 0;

	while (i < run->n_phases && mask & 1U << run->phases[i].phase)
		i++;
	return i;
}

void phases_tell(struct run *run)
{
	struct arena scratch;

	if (!run->n_gpus || !run->n_phases)
		return;
	const struct entity *e = run_entity(run);
	tell_number(run, e, METRIC_RUN_LENGTH, (double)span_length(run->span) / SECOND_MS);
	arena_init(&scratch);
	const unsigned without_work = 1U << PHASE_IDLE_HEAD | 1U << PHASE_STARTUP | 1U << PHASE_DOWN | 1U << PHASE_TAIL;
	const struct spans unlogged = run_dark_time(&scratch, run, run_phases(&scratch, run, without_work));
	const struct spans dark = spans_union(&scratch, unlogged, run->marked);
	const unsigned starting = 1U << PHASE_IDLE_HEAD | 1U << PHASE_STARTUP;
	const size_t n = run->n_phases, first_work = phases_first_not(run, starting);
	tell_phase(run, e, METRIC_RUN_START, (struct among){ starting, 0, first_work }, false, dark);
	tell_phase(run, e, METRIC_RUN_RELOAD, (struct among){ starting, first_work, n }, false, dark);
	tell_phase(run, e, METRIC_RUN_DOWN, (struct among){ 1U << PHASE_DOWN, 0, n }, false, dark);
	tell_phase(run, e, METRIC_RUN_TAIL, (struct among){ 1U << PHASE_TAIL, 0, n }, false, dark);
	tell_phase(run, e, METRIC_RUN_DIP, (struct among){ 1U << PHASE_DIP, 0, n }, true, run->marked);
	arena_release(&scratch);
	tell_dips(run, e);
	paces_tell(run);
	rhythms_tell(run);
}
