/*
 * phase_rhythm.c - a GPU that stops and starts at a steady rhythm all the time, as facts of the GPU.
 *
 *     busy  88 %   ###     ###     ###     ###        gpu.rhythm        from one start to the next
 *                  |  |    |                          gpu.rhythm_work   how long it works each time
 *      4 %      ___   _____   _____   _____           gpu.rhythm_high, gpu.rhythm_low   how busy it is then, and in between
 *
 * 1. The middle between what a tenth of the rows stay below and what a tenth go above parts work from rest.
 * 2. It stops and starts if rest is next to no work, and work far above it.
 * 3. The rhythm is real if four of five steps from start to start are alike: within a quarter of their median, or within a row, since
 *    rows place each start to a row. Steps of fewer than five rows are not looked at: a row would be more than a fifth of them, and
 *    any pauses look alike then. Of on and off at random every fifth step is so near to the median.
 *
 * What has no steady rhythm has none of these facts. Dips that come back after a minute or more are phases (phase_dips.c), and are not
 * in the steady time.
 */
#include "run/phase_parts.h"

#include "base/sort.h"
#include "series/cursor.h"
#include "series/rank.h"

#include <math.h>

#define STEPS_LEAST ((size_t)10) /* as many pauses as gpu-fluctuating asks for */
#define ROWS_LEAST 5 /* in a step */
#define EDGE ((size_t)10) /* of so many rows one may be beyond what counts as its lowest and its highest */
#define ALIKE 0.25 /* of the median, to each side: at random a fifth of the steps are (see above) */
#define ALIKE_SHARE 0.8 /* of the steps: four times what chance gives */
#define OF_TIME 0.6 /* of the steady time is in alike steps: short ones that are alike between long ones make no rhythm of a run */
#define REST_PERCENT 20 /* "next to no work" is a tenth (SageMaker), and rows between work and rest hold some of both */
#define FAR_PERCENT 40 /* between work and rest */

struct row {
	time_ms at, until;
	fixed busy;
	bool goes_on; /* nothing is missing between the row before and this one */
};
struct rows { /* one after the other: those of the steady time that have a value */
	const struct track *util;
	struct spans steady;
	struct cursor samples;
	size_t n_spans, next, end;
	time_ms until; /* of the row before */
};

static struct rows *rows_new(struct arena *scratch, const struct track *util, struct spans steady)
{
	struct rows *const rows = NEW(scratch, struct rows);

	rows->util = util;
	rows->steady = steady;
	rows->until = INT64_MIN;
	cursor_start(&rows->samples, util);
	return rows;
}

static bool rows_next(struct rows *rows, struct row *row)
{
	for (;;) {
		while (rows->next >= rows->end) {
			if (rows->n_spans == rows->steady.n)
				return false;
			const struct span span = rows->steady.at[rows->n_spans++];
			rows->next = track_seek_from(rows->util, rows->end, span.begin);
			rows->end = track_seek_from(rows->util, rows->next, span.end);
		}
		const size_t i = rows->next++;
		const fixed busy = cursor_value(&rows->samples, i);
		if (busy == FIXED_MISSING)
			continue;
		const time_ms at = cursor_time(&rows->samples, i);
		*row = (struct row){ at, cursor_until(&rows->samples, i), busy, at == rows->until };
		rows->until = row->until;
		return true;
	}
}

/* The middle between the lowest tenth and the highest. */
static fixed middle_of(struct arena *scratch, const struct track *util, struct spans steady, const struct ranks *ranks)
{
	const size_t tenths[2] = { ranks->n / EDGE, ranks->n - 1 - ranks->n / EDGE };
	fixed busy[2];

	track_ranked(scratch, util, steady, ranks, tenths, 2, busy);
	return busy[0] + (busy[1] - busy[0] + 1) / 2;
}

static double level_of(const struct side *side)
{
	return side->held > 0 ? weighted_value(side->weighted) / (double)side->held : (double)NAN;
}

/* From start to start, in ms, where nothing is missing between them. */
static size_t steps_of(struct rows *rows, fixed middle, double *steps)
{
	time_ms start = INT64_MIN;
	size_t n = 0;
	struct row row;
	fixed before = 0;

	for (bool is_first = true; rows_next(rows, &row); is_first = false) {
		const bool is_start = row.busy >= middle && before < middle;
		before = row.busy;
		if (is_first)
			continue;
		if (!row.goes_on) {
			start = INT64_MIN;
		} else if (is_start) {
			if (start != INT64_MIN)
				steps[n++] = (double)(row.at - start);
			start = row.at;
		}
	}
	return n;
}

/* The mean of the steps that are alike, 0: they are not. Rows blur each step alone, but not all of them together. */
static double rhythm_of(double *steps, size_t n, time_ms row, double all)
{
	double sum = 0;
	size_t alike = 0;

	if (n < STEPS_LEAST)
		return 0;
	doubles_sort(steps, n);
	const double median = steps[n / 2], off = fmax(ALIKE * median, (double)row);
	for (size_t i = 0; i < n; i++) {
		const bool is_alike = fabs(steps[i] - median) <= off;
		sum += is_alike ? steps[i] : 0;
		alike += is_alike;
	}
	const bool is_steady = (double)alike >= ALIKE_SHARE * (double)n && sum >= OF_TIME * all;
	return is_steady && median >= ROWS_LEAST * (double)row ? sum / (double)alike : 0;
}

static void tell(struct run *run, const struct track *util, enum metric metric, double value)
{
	time_ms *const begin = NEW(run->mem, time_ms);
	fixed *const values = NEW(run->mem, fixed);

	*begin = run->span.begin;
	*values = isnan(value) ? FIXED_MISSING : (fixed)llround(value * FIXED_ONE);
	const struct track fact = {
		.metric = metric,
		.entity = util->entity,
		.times = begin,
		.values = values,
		.n = 1,
		.step = span_length(run->span),
		.source = util->source,
		.derived = true,
	};
	phases_tell_fact(run, &fact);
}

struct rhythm {
	double seconds, work_seconds, high, low;
};

static struct rhythm rhythm_in(struct arena *mem, const struct run *run, const struct track *util)
{
	const struct rhythm none = { NAN, NAN, NAN, NAN };
	const struct spans steady = run_phases(mem, run, 1U << PHASE_STEADY);
	const struct ranks ranks = track_ranks(util, steady);

	if (ranks.n < STEPS_LEAST * ROWS_LEAST || fixed_value(ranks.low) > REST_PERCENT)
		return none;
	const fixed middle = middle_of(mem, util, steady, &ranks);
	const struct sides sides = track_sides(util, steady, middle);
	const double work = (double)sides.above.held, all = work + (double)sides.below.held;
	const double high = level_of(&sides.above), low = level_of(&sides.below);
	if (!(low <= REST_PERCENT && high - low >= FAR_PERCENT))
		return none;
	double *const steps = NEW_RAW_ARRAY(mem, double, ranks.n);
	const size_t n_steps = steps_of(rows_new(mem, util, steady), middle, steps);
	const double rhythm = rhythm_of(steps, n_steps, util->step, all) / SECOND_MS;
	return rhythm > 0 ? (struct rhythm){ rhythm, rhythm * work / all, high, low } : none;
}

static void find_rhythm(struct arena *scratch, const struct run *run, const struct track *util, void *place)
{
	struct rhythm *const rhythm = place;

	*rhythm = rhythm_in(scratch, run, util);
}

void rhythms_tell(struct run *run)
{
	struct rhythm *const all = NEW_ARRAY(run->mem, struct rhythm, run->n_gpus); /* one a GPU */

	phases_ask_gpus(run, find_rhythm, all, sizeof *all);
	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *util = run_track(run, run->gpus[g], METRIC_GPU_UTIL);
		const struct rhythm r = all[g];

		if (!util || (isnan(r.seconds) && !run_track(run, util->entity, METRIC_GPU_RHYTHM)))
			continue;
		tell(run, util, METRIC_GPU_RHYTHM, r.seconds);
		tell(run, util, METRIC_GPU_RHYTHM_WORK, r.work_seconds);
		tell(run, util, METRIC_GPU_RHYTHM_HIGH, r.high);
		tell(run, util, METRIC_GPU_RHYTHM_LOW, r.low);
	}
}
