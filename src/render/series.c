/*
 * series.c - all series of a run as one table, for spreadsheets and notebooks.
 *
 *      time [UTC],node01/gpu0 gpu.util min [%],node01/gpu0 gpu.util mean [%],node01/gpu0 gpu.util max [%],…
 *      2026-11-21T01:49:30Z,0,3.25,14,…
 *
 * A row is a step that begins at its time, and steps are whole multiples of their length since midnight, so that the
 * exports of two runs fit together. Means weigh each sample by the time for which it holds inside the step. Where
 * nothing is known the cells are empty: no value is made up, and none is 0.
 */
#include "render/escape.h"
#include "render/render_parts.h"

#include "base/number.h"
#include "series/signal.h"

#include <math.h>

#define DECIMALS 6         /* of a `fixed` */
#define MOST_CELLS 1500000 /* of a step that nobody asked for: a file of some MB */

static const time_ms steps[] = { 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 900000,
	1800000, 3600000, 7200000, 10800000, 21600000, 43200000, 86400000 };
#define N_STEPS (sizeof steps / sizeof *steps)

/* Of the log that looked most often: a finer grid would only repeat samples. */
static time_ms sampled_step(const struct report *report)
{
	time_ms step = 0;

	for (size_t i = 0; i < report->n_statistics; i++) {
		const time_ms own = track_finest_step(report->statistics[i].track);
		step = own > 0 && (!step || own < step) ? own : step;
	}
	return step;
}

static time_ms step_for(const struct report *report, time_ms asked)
{
	const time_ms length = report->run.end - report->run.begin, sampled = sampled_step(report);
	size_t i = 0;

	if (asked)
		return asked;
	while (i + 1 < N_STEPS && (steps[i] < sampled || length / steps[i] > MOST_CELLS / (time_ms)(3 * report->n_statistics + 1)))
		i++;
	return steps[i];
}

/* ------------------------------------------------ the head */

static void put_column(struct buf *out, struct arena *mem, const struct statistic *s, const char *which)
{
	const char *const unit = unit_table[metric_table[s->track->metric].unit].symbol;
	const char *const name = arena_print(mem, "%s %s %s%s%s%s", s->entity, s->metric, which, *unit ? " [" : "", unit, *unit ? "]" : "");

	buf_char(out, ',');
	escape_csv(out, slice_of(name));
}

static void put_head(const struct render_job *job, struct buf *out)
{
	static const char *const folds[] = { "min", "mean", "max" };

	buf_text(out, report_is_utc(job->report) ? "time [UTC]" : "time [log time]");
	for (size_t i = 0; i < job->report->n_statistics; i++)
		for (size_t k = 0; k < sizeof folds / sizeof *folds; k++)
			put_column(out, job->scratch, &job->report->statistics[i], folds[k]);
	buf_char(out, '\n');
}

/* ------------------------------------------------ rows */

/* All digits that there are: values are kept in millionths. */
static void put_number(struct buf *out, double value)
{
	char text[64];
	int n = number_print(text, sizeof text, value, DECIMALS);

	while (text[n - 1] == '0')
		n--;
	n -= text[n - 1] == '.';
	buf_put(out, (struct slice){ text, (size_t)n });
}

static void put_fold(struct buf *out, const struct track *t, struct span step, enum fold fold, struct arena *scratch)
{
	time_ms known;
	const double value = track_fold(scratch, t, 1, spans_one(&step), fold, &known);

	buf_char(out, ',');
	if (known > 0 && isfinite(value))
		put_number(out, value);
}

/* Whole seconds where all steps begin on one. */
static void put_time(struct buf *out, struct arena *scratch, const struct report *report, time_ms t, time_ms step)
{
	const char *const iso = time_iso_local(scratch, t);
	const size_t seconds = strlen("2026-11-21T01:49:30"), whole = step % SECOND_MS ? strlen(".000") : 0;

	buf_put(out, (struct slice){ iso, seconds + whole });
	buf_text(out, report_is_utc(report) ? "Z" : "");
}

static void put_row(struct buf *out, const struct report *report, time_ms begin, time_ms step)
{
	/* of the first and the last step only what belongs to the run, as in the statistics */
	const time_ms end = begin + step < report->run.end ? begin + step : report->run.end;
	const struct span within = { begin > report->run.begin ? begin : report->run.begin, end };
	struct arena scratch;

	arena_init(&scratch);
	put_time(out, &scratch, report, begin, step);
	for (size_t i = 0; i < report->n_statistics; i++) {
		const struct track *const t = report->statistics[i].track;
		put_fold(out, t, within, FOLD_MIN, &scratch);
		put_fold(out, t, within, FOLD_MEAN, &scratch);
		put_fold(out, t, within, FOLD_MAX, &scratch);
	}
	buf_char(out, '\n');
	arena_release(&scratch);
}

void render_series(const struct render_job *job, struct buf *out)
{
	const struct report *const report = job->report;
	const time_ms step = step_for(report, job->options.every);

	put_head(job, out);
	if (!report->n_statistics)
		return;
	for (time_ms t = report->run.begin - report->run.begin % step; t < report->run.end && !out->overflow; t += step)
		put_row(out, report, t, step);
}
