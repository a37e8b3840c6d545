/*
 * derive.c - what can be known beyond the columns: shares, margins, and single throttle reasons.
 *
 * A derived track has the clock of its numerator; the denominator is the value that holds then.
 * Shares are rounded to a millionth of a percent.
 */
#include "run/run_parts.h"

#include "series/chunk.h"
#include "series/cursor.h"

#include <math.h>

static const struct {
	enum metric result, part, whole;
} shares[] = {
	{ METRIC_GPU_MEM_SHARE, METRIC_GPU_MEM_USED, METRIC_GPU_MEM_TOTAL },
	{ METRIC_GPU_POWER_SHARE, METRIC_GPU_POWER, METRIC_GPU_POWER_LIMIT },
	{ METRIC_GPU_CLOCK_SHARE, METRIC_GPU_CLOCK_SM, METRIC_GPU_CLOCK_SM_MAX },
};

/* What a formula takes beside a value: a number that stays, or what a track says at that time. */
struct other {
	enum formula_kind kind;
	const struct track *track; /* NULL: the number */
	fixed number;
};

/* A share of nothing is not known. */
static fixed usable(const struct other *o, fixed number)
{
	return o->kind == FORMULA_SHARE && number <= 0 ? FIXED_MISSING : number;
}

/* What it says at one time after the other, each later than the one before. */
struct follower {
	const struct other *other;
	struct cursor samples;
	size_t next; /* the first sample after the time before */
};

static struct follower *follower_new(struct arena *scratch, const struct other *o)
{
	struct follower *const f = NEW_RAW_ARRAY(scratch, struct follower, 1);

	f->other = o;
	f->next = 0;
	if (o->track)
		cursor_start(&f->samples, o->track);
	return f;
}

static fixed number_at(struct follower *f, time_ms when)
{
	const struct track *const t = f->other->track;

	if (!t)
		return f->other->number;
	if (f->next + CHUNK < t->n && track_time(t, f->next + CHUNK) <= when) /* a chunk as a whole was passed, or more */
		f->next = track_seek(t, when + 1);
	while (f->next < t->n && cursor_time(&f->samples, f->next) <= when)
		f->next++;
	const bool holds = f->next > 0 && when < cursor_until(&f->samples, f->next - 1);
	return holds ? usable(f->other, cursor_value(&f->samples, f->next - 1)) : FIXED_MISSING;
}

/*
 * What it says from sample `first` of `from` to sample `last`, which are a chunk, if that is one thing: as a chunk on the same clock tells,
 * or one sample that holds.
 */
static bool number_throughout(const struct other *o, const struct track *from, size_t first, size_t last, fixed *number)
{
	const struct track *const t = o->track;

	if (!t) {
		*number = o->number;
		return true;
	}
	if (tracks_share_clock(t, from)) {
		const struct chunk *const c = chunk_from(t, first, last + 1);
		*number = c ? usable(o, c->low) : FIXED_MISSING;
		return c && c->is_full && c->low == c->high;
	}
	const size_t next = track_seek(t, track_time(from, first) + 1);
	*number = next > 0 ? usable(o, track_value(t, next - 1)) : FIXED_MISSING;
	return next > 0 && track_time(from, last) < track_until(t, next - 1);
}

/* Does it go on saying this number beside the samples of `from` in the pack that begins with sample i? */
static bool says_on(const struct other *o, const struct track *from, size_t i, fixed number)
{
	const struct track *const t = o->track;
	const bool is_beside = i % PACK == 0 && t && !t->values && t->formula.kind == FORMULA_AS_IT_IS && tracks_share_clock(t, from);
	const struct pack *const p = is_beside && number != FIXED_MISSING ? &t->column.at[i / PACK] : NULL;

	return p && p->width == 0 && p->slope == 0 && usable(o, p->first) == number;
}

/* The number that goes with all known values of `from`; false where they are several, or it is not known for some of them. */
static bool one_number(struct arena *scratch, const struct track *from, const struct other *o, fixed *number)
{
	struct follower *const f = follower_new(scratch, o);
	struct cursor samples;

	cursor_start(&samples, from);
	*number = FIXED_MISSING;
	for (size_t i = 0, n; i < from->n; i += n) {
		const struct chunk *const c = chunk_from(from, i, from->n);
		const bool is_nothing = c && c->low > c->high;
		fixed now;

		if (!c && says_on(o, from, i, *number)) {
			n = PACK;
			continue;
		}
		n = is_nothing || (c && number_throughout(o, from, i, i + CHUNK - 1, &now)) ? CHUNK : 1;
		if (is_nothing || (n == 1 && cursor_value(&samples, i) == FIXED_MISSING))
			continue;
		if (n == 1)
			now = number_at(f, cursor_time(&samples, i));
		if (now == FIXED_MISSING || (*number != FIXED_MISSING && *number != now))
			return false;
		*number = now;
	}
	return true;
}

static struct packed made_values(struct arena *mem, struct arena *scratch, const struct track *from, const struct other *o)
{
	struct packer values = packer_new(mem, false);
	struct follower *const f = follower_new(scratch, o);
	struct cursor samples;

	cursor_start(&samples, from);
	for (size_t i = 0; i < from->n; i++) {
		const fixed value = cursor_value(&samples, i);
		const fixed of = value == FIXED_MISSING ? FIXED_MISSING : number_at(f, cursor_time(&samples, i));
		packer_add(&values, of == FIXED_MISSING ? FIXED_MISSING : formula_value(&(struct formula){ o->kind, of }, value));
	}
	return packer_done(&values);
}

/*
 * Adds a track with what the formula makes of the values of `from`, where the log tells one number for all of them, which is as
 * good as always.
 */
static void add_made(struct run *run, const struct track *from, struct track *made, const struct other *other)
{
	struct formula formula = { other->kind, FIXED_MISSING };
	struct arena scratch;

	arena_init(&scratch);
	made->chunks = (struct chunks){ NULL, 0 };
	if (!from->values && from->formula.kind == FORMULA_AS_IT_IS && one_number(&scratch, from, other, &formula.of)) {
		made->formula = formula;
		made->raw = from->chunks.at;
	} else {
		made->values = NULL;
		made->formula = (struct formula){ FORMULA_AS_IT_IS, 0 };
		made->column = made_values(run->mem, &scratch, from, other);
	}
	run_add_track(run, made);
	arena_release(&scratch);
}

/* What never changed where its log tells of it was that in the holes of that log, too, in which another one may know the rest. */
static struct other share_of(const struct track *whole)
{
	const struct extremes_seen all = track_outermost(whole);
	const bool never_changed = all.low == all.high;

	return (struct other){ FORMULA_SHARE, never_changed ? NULL : whole, never_changed ? all.low : 0 };
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
	const struct other of = share_of(whole);
	add_made(run, part, &share, &of);
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
	add_made(run, temp, &margin, &(struct other){ FORMULA_MARGIN, limit, 0 });
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
		const struct track *const power = run_track(run, run->gpus[g], METRIC_GPU_POWER);
		const fixed highest = power ? track_outermost(power).high : 0;
		peaks[g] = highest > 0 ? highest : 0;
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
	add_made(run, power, &share, &(struct other){ FORMULA_SHARE, NULL, peak });
}

/* Of GPUs that no log names it can't be said that they are alike. */
static bool is_surely_same_model(const struct entity *a, const struct entity *b)
{
	return a == b || (a->name && b->name && strcmp(a->name, b->name) == 0);
}

/* The highest limit that a GPU of its model had: another one's, or its own at another time. What is assumed is no limit that any had. */
static void derive_highest_limits(struct run *run)
{
	fixed *const own = NEW_ARRAY(run->mem, fixed, run->n_gpus);

	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *const limit = run_track(run, run->gpus[g], METRIC_GPU_POWER_LIMIT);
		own[g] = limit && !limit->assumed ? track_outermost(limit).high : FIXED_MISSING;
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
		struct track reason = *mask;
		reason.metric = throttle_reasons[r].metric;
		reason.derived = true;
		add_made(run, mask, &reason, &(struct other){ FORMULA_FLAG, NULL, (fixed)throttle_reasons[r].bit });
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
	struct track throughput = track_with_values(done, values);
	throughput.metric = METRIC_RUN_THROUGHPUT;
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
