/*
 * derive.c - what can be known beyond the columns: shares, margins, and single throttle reasons.
 *
 * A derived track has the clock of its numerator; the denominator is the value that holds then.
 * Shares are rounded to a millionth of a percent.
 */
#include "run/run_parts.h"

#include <math.h>

static const struct {
	enum metric result, part, whole;
} shares[] = {
	{ METRIC_GPU_MEM_SHARE, METRIC_GPU_MEM_USED, METRIC_GPU_MEM_TOTAL },
	{ METRIC_GPU_POWER_SHARE, METRIC_GPU_POWER, METRIC_GPU_POWER_LIMIT },
	{ METRIC_GPU_CLOCK_SHARE, METRIC_GPU_CLOCK_SM, METRIC_GPU_CLOCK_SM_MAX },
};

/*
 * Adds a track with what the formula makes of the values of `from`, where the log tells one number for all of them, which is as
 * good as always. `of` has the formula's number for each; FIXED_MISSING where nothing is known.
 */
static void add_made(struct run *run, const struct track *from, struct track *made, enum formula_kind kind,
	fixed (*of)(const struct track *, time_ms), const struct track *other)
{
	struct formula formula = { kind, FIXED_MISSING };
	bool is_one = !from->values && from->formula.kind == FORMULA_AS_IT_IS;

	made->chunks = (struct chunks){ NULL, 0 };
	for (size_t i = 0; is_one && i < from->n; i++) {
		if (track_value(from, i) == FIXED_MISSING)
			continue;
		const fixed now = of(other, track_time(from, i));
		is_one = now != FIXED_MISSING && (formula.of == FIXED_MISSING || formula.of == now);
		formula.of = now;
	}
	if (is_one) {
		made->formula = formula;
		run_add_track(run, made);
		return;
	}
	struct packer values = packer_new(run->mem, false);
	for (size_t i = 0; i < from->n; i++) {
		const fixed value = track_value(from, i);
		formula.of = value == FIXED_MISSING ? FIXED_MISSING : of(other, track_time(from, i));
		packer_add(&values, formula.of == FIXED_MISSING ? FIXED_MISSING : formula_value(&formula, value));
	}
	made->values = NULL;
	made->formula = (struct formula){ FORMULA_AS_IT_IS, 0 };
	made->column = packer_done(&values);
	run_add_track(run, made);
}

static fixed value_at(const struct track *t, time_ms when)
{
	fixed value;

	return track_at(t, when, &value) ? value : FIXED_MISSING;
}

static fixed only_value(const struct track *t, time_ms when)
{
	(void)when;
	return track_value(t, 0);
}

/* A share of nothing is not known. */
static fixed whole_at(const struct track *whole, time_ms when)
{
	const fixed value = value_at(whole, when);

	return value > 0 ? value : FIXED_MISSING;
}

static void derive_share(struct run *run, const struct entity *gpu, size_t row)
{
	const struct track *part = run_track(run, gpu, shares[row].part), *whole = run_track(run, gpu, shares[row].whole);

	if (!part || !whole || run_track(run, gpu, shares[row].result))
		return;
	struct track share = *part;
	share.metric = shares[row].result;
	share.decimals = 6;
	share.derived = true;
	share.assumed = whole->assumed;
	add_made(run, part, &share, FORMULA_SHARE, whole_at, whole);
}

/*
 * Degrees left, where the card does not tell them (T.Limit): to the highest temperature that it is made to work at, where the driver
 * begins to slow it down; where only that is known, to the one at which hardware does.
 */
static void derive_margin(struct run *run, const struct entity *gpu)
{
	const struct track *temp = run_track(run, gpu, METRIC_GPU_TEMP), *limit = run_track(run, gpu, METRIC_GPU_TEMP_MAX);

	limit = limit ? limit : run_track(run, gpu, METRIC_GPU_TEMP_SLOWDOWN);
	if (!temp || !limit || run_track(run, gpu, METRIC_GPU_TEMP_MARGIN))
		return;
	struct track margin = *temp;
	margin.metric = METRIC_GPU_TEMP_MARGIN;
	margin.derived = true;
	margin.assumed = limit->assumed;
	add_made(run, temp, &margin, FORMULA_MARGIN, value_at, limit);
}

static bool is_same_model(const struct entity *a, const struct entity *b)
{
	return !a->name || !b->name || strcmp(a->name, b->name) == 0;
}

/* The highest power that each GPU drew; 0 where no log tells. */
static fixed *peak_powers(struct run *run)
{
	fixed *peaks = NEW_ARRAY(run->mem, fixed, run->n_gpus);

	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *power = run_track(run, run->gpus[g], METRIC_GPU_POWER);
		for (size_t i = 0; power && i < power->n; i++)
			if (track_value(power, i) != FIXED_MISSING && track_value(power, i) > peaks[g])
				peaks[g] = track_value(power, i);
	}
	return peaks;
}

static fixed peak_of_model(const struct run *run, const struct entity *gpu, const fixed *peaks)
{
	fixed peak = 0;

	for (size_t g = 0; g < run->n_gpus; g++)
		if (peaks[g] > peak && is_same_model(gpu, run->gpus[g]))
			peak = peaks[g];
	return peak;
}

/* Where no log tells the limit: it can't be below what a GPU drew, so a small share of that is a small share of the limit. */
static void derive_power_of_peak(struct run *run, const struct entity *gpu, const fixed *peaks)
{
	const struct track *power = run_track(run, gpu, METRIC_GPU_POWER);
	const fixed peak = peak_of_model(run, gpu, peaks);

	if (!power || peak <= 0 || run_track(run, gpu, METRIC_GPU_POWER_SHARE) || run_track(run, gpu, METRIC_GPU_POWER_OF_PEAK))
		return;
	struct track share = *power;
	share.metric = METRIC_GPU_POWER_OF_PEAK;
	share.decimals = 6;
	share.derived = true;
	add_made(run, power, &share, FORMULA_SHARE, only_value, &(struct track){ .values = &peak, .n = 1 });
}

/* Of GPUs that no log names it can't be said that they are alike. */
static bool is_surely_same_model(const struct entity *a, const struct entity *b)
{
	return a == b || (a->name && b->name && strcmp(a->name, b->name) == 0);
}

static fixed highest_value(const struct track *t)
{
	fixed highest = FIXED_MISSING;

	for (size_t i = 0; t && i < t->n; i++)
		if (track_value(t, i) != FIXED_MISSING && (highest == FIXED_MISSING || track_value(t, i) > highest))
			highest = track_value(t, i);
	return highest;
}

/* The highest limit that a GPU of its model had: another one's, or its own at another time. What is assumed is no limit that any had. */
static void derive_highest_limits(struct run *run)
{
	fixed *const own = NEW_ARRAY(run->mem, fixed, run->n_gpus);

	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *const limit = run_track(run, run->gpus[g], METRIC_GPU_POWER_LIMIT);
		own[g] = limit && !limit->assumed ? highest_value(limit) : FIXED_MISSING;
	}
	for (size_t g = 0; g < run->n_gpus; g++) {
		fixed highest = own[g];
		for (size_t i = 0; i < run->n_gpus && own[g] != FIXED_MISSING; i++)
			if (own[i] != FIXED_MISSING && own[i] > highest && is_surely_same_model(run->gpus[g], run->gpus[i]))
				highest = own[i];
		if (highest != FIXED_MISSING)
			run_add_constant(run, run_track(run, run->gpus[g], METRIC_GPU_POWER_LIMIT), METRIC_GPU_POWER_HIGHEST, highest,
				NULL);
	}
}

/* How hard the power says that a GPU worked, whichever of the two is known. */
static void derive_power_level(struct run *run, const struct entity *gpu)
{
	const struct track *share = run_track(run, gpu, METRIC_GPU_POWER_SHARE);

	if (!share)
		share = run_track(run, gpu, METRIC_GPU_POWER_OF_PEAK);
	if (!share || run_track(run, gpu, METRIC_GPU_POWER_LEVEL))
		return;
	struct track level = *share;
	level.metric = METRIC_GPU_POWER_LEVEL;
	level.derived = true;
	run_add_track(run, &level);
}

/* One 0/1 track a reason out of the mask, unless the log has the reason in a column of its own. */
static void derive_reasons(struct run *run, const struct entity *gpu)
{
	const struct track *mask = run_track(run, gpu, METRIC_GPU_THROTTLE);

	for (size_t r = 0; mask && r < n_throttle_reasons; r++) {
		if (run_track(run, gpu, throttle_reasons[r].metric))
			continue;
		const fixed bit = throttle_reasons[r].bit;
		struct track reason = *mask;
		reason.metric = throttle_reasons[r].metric;
		reason.derived = true;
		add_made(run, mask, &reason, FORMULA_FLAG, only_value, &(struct track){ .values = &bit, .n = 1 });
	}
}

/* The job, as an entity; NULL when no log tells of its progress. */
const struct entity *run_job(const struct run *run)
{
	for (size_t i = 0; i < run->n_tracks; i++)
		if (run->tracks[i]->entity->scope == SCOPE_RUN)
			return run->tracks[i]->entity;
	return NULL;
}

/*
 * What was done from one row of the job's progress to the next, a second. A count that falls was begun anew: nothing is
 * known of that stretch.
 */
static void derive_throughput(struct run *run, const struct entity *job)
{
	const struct track *done = run_track(run, job, METRIC_RUN_SAMPLES);

	if (!done)
		done = run_track(run, job, METRIC_RUN_STEP);
	if (!done || done->n < 2 || run_track(run, job, METRIC_RUN_THROUGHPUT))
		return;
	fixed *values = NEW_ARRAY(run->mem, fixed, done->n);
	for (size_t i = 0; i + 1 < done->n; i++) {
		fixed from = track_value(done, i), to = track_value(done, i + 1);
		bool known = from != FIXED_MISSING && to != FIXED_MISSING && to >= from;
		double seconds = (double)(track_time(done, i + 1) - track_time(done, i)) / SECOND_MS;
		values[i] = known ? (fixed)llround((double)(to - from) / seconds) : FIXED_MISSING;
	}
	values[done->n - 1] = FIXED_MISSING; /* nobody knows what came after the last row */
	struct track throughput = *done;
	throughput.metric = METRIC_RUN_THROUGHPUT;
	throughput.values = values;
	throughput.chunks = (struct chunks){ NULL, 0 };
	throughput.decimals = 6;
	throughput.derived = true;
	run_add_track(run, &throughput);
}

void derive_metrics(struct run *run)
{
	const struct entity *job = run_job(run);

	tracks_summarise(run);
	if (job)
		derive_throughput(run, job);
	limits_assume(run);
	derive_highest_limits(run);
	const fixed *peaks = peak_powers(run);
	for (size_t g = 0; g < run->n_gpus; g++) {
		for (size_t row = 0; row < sizeof shares / sizeof *shares; row++)
			derive_share(run, run->gpus[g], row);
		derive_margin(run, run->gpus[g]);
		derive_power_of_peak(run, run->gpus[g], peaks);
		derive_power_level(run, run->gpus[g]);
		derive_reasons(run, run->gpus[g]);
	}
	tracks_summarise(run);
	events_gather(run);
	quality_note(run);
}
