/*
 * remarks.c - what anybody sees in the curves of a healthy run and asks about. Facts, never advice.
 *
 *      The start took 16 s (16:41:22–16:41:38), the end 4 s.
 *      GPU busy dipped 4 times, every 2 min 22 s, for about 9 s each: 65 % instead of 97 %, 0.2 GPU-min in all, too little
 *      to count as lost.
 *
 * A dip is a stretch of the work in which busy, the mean over the GPUs, is less than usual. Other than the phase of that name it needs
 * neither to be deep nor to come back. What a finding is about is not told again; of a run that is not healthy the findings tell. Where a
 * log has a hole, or does not know a GPU's busy, there is neither a dip nor the work between two.
 */
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>

#define EDGE_LEAST_SHARE 0.005 /* of the run: three of the 536 units that a panel is wide; less is not seen */
#define DIP_SHARE 0.85 /* of the median: own definition. It is far out of what healthy recordings jitter by, and clear to see in a panel */
#define DIP_LEAST (3 * SECOND_MS) /* and two rows: shorter pauses are between batches, one row may be a slip of the sensor */
#define BLIP_MOST (2 * SECOND_MS) /* work as short as that inside a dip is a part of it, as in phase_dips.c */
#define RARE_SHARE 0.1 /* of the work is in dips at most: else less busy is as usual as busy */
#define MANY_DIPS 3 /* so many come once a minute at most, or that is how the work goes */
#define ALIKE_LENGTH 1.5 /* the longest by the shortest, and two rows */
#define OFF_RHYTHM 0.1 /* of the median step, and two rows: so far from each other may steps be that are told as one */

struct dips {
	struct spans when;
	time_ms row;  /* from one row to the next */
	double usual, low; /* percent: median of the work, mean in the dips */
	double hours; /* GPU time that is missing there */
};

/* ------ the start and the end ------ */

static bool is_phase_of(const struct run *run, size_t i, unsigned mask)
{
	return mask & 1U << run->phases[i].phase;
}

static struct span start_of(const struct run *run)
{
	struct span s = { run->span.begin, run->span.begin };

	for (size_t i = 0; i < run->n_phases && is_phase_of(run, i, 1U << PHASE_IDLE_HEAD | 1U << PHASE_STARTUP); i++)
		s.end = run->phases[i].span.end;
	return s;
}

static struct span end_of(const struct run *run)
{
	struct span s = { run->span.end, run->span.end };

	for (size_t i = run->n_phases; i-- > 0 && is_phase_of(run, i, 1U << PHASE_TAIL);)
		s.begin = run->phases[i].span.begin;
	return s;
}

static bool is_seen(const struct run *run, struct span edge)
{
	return (double)span_length(edge) >= EDGE_LEAST_SHARE * (double)span_length(run->span);
}

static const char *length_text(struct build *b, time_ms length)
{
	return duration_text(b->mem, (double)length / SECOND_MS);
}

static void tell_edge(struct build *b, const char *kind, struct span edge)
{
	if (!is_seen(b->run, edge))
		return;
	b->report->remarks[b->report->n_remarks++] = (struct remark){
		.kind = kind,
		.text = arena_print(b->mem, "The %s took %s (%s).", kind, length_text(b, span_length(edge)),
			card_window_text(b->mem, b->run, edge)),
		.begin = edge.begin,
		.end = edge.end,
		.count = 1,
		.seconds = (double)span_length(edge) / SECOND_MS,
		.period_seconds = NAN,
		.gpu_hours = NAN,
	};
}

/* ------ dips ------ */

/* Busy, the mean over the GPUs that have it, and how far apart its rows are; n 0: nobody logged it. */
static struct signal mean_busy(struct arena *scratch, const struct run *run, time_ms *row)
{
	struct signal *busy = NEW_ARRAY(scratch, struct signal, run->n_gpus);
	size_t n = 0;

	*row = 0;
	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *t = run_track(run, run->gpus[g], METRIC_GPU_UTIL);
		if (!t)
			continue;
		busy[n++] = signal_from_track(scratch, t, run->span);
		*row = t->step > *row ? t->step : *row;
	}
	return n ? signal_across(scratch, busy, n, FOLD_MEAN, *row / 4) : (struct signal){ NULL, 0, run->span.end };
}

/* At the edge of what is known nobody sees how long it was. */
static bool is_whole(struct span dip, struct spans known)
{
	for (size_t i = 0; i < known.n; i++)
		if (known.at[i].begin < dip.begin && dip.end < known.at[i].end)
			return true;
	return false;
}

static struct spans whole_ones(struct arena *mem, struct spans dips, struct spans known)
{
	struct span *whole = NEW_ARRAY(mem, struct span, dips.n);
	size_t n = 0;

	for (size_t i = 0; i < dips.n; i++)
		if (is_whole(dips.at[i], known))
			whole[n++] = dips.at[i];
	return (struct spans){ whole, n };
}

/* In the time from the first work to the last. */
static struct dips dips_in(struct build *b, struct arena *scratch, struct spans work)
{
	const struct run *run = b->run;
	struct dips d = { .when = { NULL, 0 } };
	const struct signal busy = mean_busy(scratch, run, &d.row);

	d.usual = busy.n ? signal_fold(scratch, busy, work, FOLD_P50) : NAN;
	if (!(d.usual > 0))
		return d;
	const struct truths low = truths_compare(scratch, busy, LESS, signal_constant(scratch, DIP_SHARE * d.usual, run->span));
	const struct spans unknown = truths_spans(scratch, low, UNKNOWN);
	const struct spans known = spans_intersection(scratch, work, spans_complement(scratch, unknown, run->span));
	const time_ms least = 2 * d.row > DIP_LEAST ? 2 * d.row : DIP_LEAST;
	const struct truths bridged = truths_bridged(scratch, truths_within(scratch, low, work), BLIP_MOST, 0);
	const struct spans all = truths_spans(scratch, truths_held(scratch, bridged, least), YES);
	d.when = whole_ones(b->mem, all, known);
	if ((double)spans_length(all) > RARE_SHARE * (double)spans_length(known))
		d.when.n = 0;
	if (d.when.n >= MANY_DIPS && (time_ms)d.when.n * MINUTE_MS > spans_length(known))
		d.when.n = 0;
	if (!d.when.n)
		return d;
	d.low = signal_fold(scratch, busy, d.when, FOLD_MEAN);
	d.hours = (1 - d.low / d.usual) * (double)spans_length(d.when) / HOUR_MS * (double)run->n_gpus;
	return d;
}

static int by_length(const void *a, const void *b)
{
	const time_ms x = *(const time_ms *)a, y = *(const time_ms *)b;

	return (x > y) - (x < y);
}

static time_ms *lengths_of(struct build *b, struct spans when)
{
	time_ms *lengths = NEW_ARRAY(b->mem, time_ms, when.n);

	for (size_t i = 0; i < when.n; i++)
		lengths[i] = span_length(when.at[i]);
	qsort(lengths, when.n, sizeof *lengths, by_length);
	return lengths;
}

/* From one begin to the next, the median; 0: there is no rhythm, or too few to tell. */
static time_ms period_of(struct build *b, const struct dips *d)
{
	const size_t n = d->when.n - 1;
	time_ms *steps = NEW_ARRAY(b->mem, time_ms, n + 1);

	if (d->when.n < MANY_DIPS)
		return 0;
	for (size_t i = 0; i < n; i++)
		steps[i] = d->when.at[i + 1].begin - d->when.at[i].begin;
	qsort(steps, n, sizeof *steps, by_length);
	const time_ms usual = steps[(n - 1) / 2];
	const double apart = (double)(steps[n - 1] - steps[0]);
	return apart <= OFF_RHYTHM * (double)usual + 2 * (double)d->row ? usual : 0;
}

/* "for 9 s", "for about 9 s each", "for 4 to 40 s each" */
static const char *how_long(struct build *b, const struct dips *d)
{
	const size_t n = d->when.n;
	const time_ms *lengths = lengths_of(b, d->when);

	if (n == 1)
		return arena_print(b->mem, "for %s", length_text(b, lengths[0]));
	if ((double)lengths[n - 1] <= ALIKE_LENGTH * (double)lengths[0] + 2 * (double)d->row)
		return arena_print(b->mem, "for about %s each", length_text(b, lengths[(n - 1) / 2]));
	return arena_print(b->mem, "the shortest for %s, the longest for %s", length_text(b, lengths[0]), length_text(b, lengths[n - 1]));
}

/* "twice", "4 times, every 2 min 22 s", "once (16:43:52–16:44:01)" */
static const char *how_often(struct build *b, const struct dips *d)
{
	const time_ms period = period_of(b, d);

	if (d->when.n == 1)
		return arena_print(b->mem, "once (%s)", card_window_text(b->mem, b->run, d->when.at[0]));
	const char *const times = d->when.n == 2 ? "twice" : arena_print(b->mem, "%zu times", d->when.n);
	return period ? arena_print(b->mem, "%s, every %s,", times, length_text(b, period)) : arena_print(b->mem, "%s,", times);
}

static const char *percents_text(struct build *b, double value)
{
	return quantity_text(b->mem, (struct quantity){ value, UNIT_PERCENT });
}

/* What rounds to nothing is less than the last digit. */
static const char *missing_text(struct build *b, double hours)
{
	const double least = b->unit.decimals ? 0.1 : 1;

	if (gpu_time_shown(b->unit, hours) > 0)
		return gpu_time_text(b->mem, b->unit, hours);
	return arena_print(b->mem, "less than %s", gpu_time_text(b->mem, b->unit, least / b->unit.per_hour));
}

static void tell_dips(struct build *b)
{
	const struct spans work = run_phases(b->mem, b->run, 1U << PHASE_STEADY | 1U << PHASE_DIP);
	struct arena scratch;

	arena_init(&scratch);
	const struct dips d = dips_in(b, &scratch, work);
	arena_release(&scratch);
	if (!d.when.n)
		return;
	const char *const who = b->run->n_gpus == 1 ? "GPU busy" : arena_print(b->mem, "GPU busy, the mean of all %zu,", b->run->n_gpus);
	const time_ms period = period_of(b, &d);
	b->report->remarks[b->report->n_remarks++] = (struct remark){
		.kind = "dips",
		.text = arena_print(b->mem, "%s dipped %s %s: %s instead of %s, %s in all, %s.", who, how_often(b, &d), how_long(b, &d),
			percents_text(b, d.low), percents_text(b, d.usual), missing_text(b, d.hours),
			d.hours < HEALTHY_LOSS * b->total_hours ? "too little to count as lost" : "not counted as lost"),
		.begin = d.when.at[0].begin,
		.end = d.when.at[d.when.n - 1].end,
		.count = d.when.n,
		.seconds = (double)spans_length(d.when) / SECOND_MS,
		.period_seconds = period ? (double)period / SECOND_MS : NAN,
		.gpu_hours = d.hours,
	};
}

/* ------ */

/* Does a finding, or one that is kept back, look at this? Then it tells of it. */
static bool is_told(const struct build *b, enum metric metric)
{
	for (size_t i = 0; i < b->n_drafts; i++)
		if (rule_needs(b->drafts[i].rule, metric))
			return true;
	return false;
}

#define MOST_REMARKS 3

void build_remarks(struct build *b)
{
	struct report *r = b->report;

	r->remarks = NEW_ARRAY(b->mem, struct remark, MOST_REMARKS);
	if (!r->healthy)
		return;
	if (!is_told(b, METRIC_RUN_START))
		tell_edge(b, "start", start_of(b->run));
	if (!is_told(b, METRIC_RUN_TAIL))
		tell_edge(b, "end", end_of(b->run));
	if (!is_told(b, METRIC_GPU_UTIL) && !is_told(b, METRIC_RUN_DIP))
		tell_dips(b);
	for (size_t i = 0; i < r->n_remarks; i++)
		r->remarks_text = i ? arena_print(b->mem, "%s %s", r->remarks_text, r->remarks[i].text) : r->remarks[i].text;
}
