/*
 * work_line.c - what all GPUs do, as one line of cells of equal time: the mean over them of one metric.
 *
 *     ######_####_###.##______########______###:####______#######        busy, mean over the GPUs
 *
 * Cells are time, so that logs of any step, and GPUs that are polled some ms apart, show the same.
 */
#include "run/run.h"

#include "series/cursor.h"

#include <math.h>

#define CELL_LEAST SECOND_MS /* utilization.gpu covers 1/6 to 1 s (nvidia-smi --help-query-gpu): finer cells show no more */
#define CELLS_MOST ((size_t)1 << 20) /* 12 days of seconds; longer runs have coarser cells */

struct sums {
	int64_t *weighted, *known; /* values x ms, ms: exact, so that the order of GPUs does not matter */
};

struct spot { /* in the line, which only goes on */
	size_t cell;
	time_ms end; /* of the cell */
};

/* What holds from `begin` to `end` goes into the cells that it touches. */
static void add_value(const struct work_line *line, struct sums *sums, struct spot *at, struct span when, fixed value)
{
	const int64_t thousandths = value / 1000; /* 10^5 GPUs x hours fit */

	while (when.begin < when.end) {
		while (at->end <= when.begin) {
			at->cell++;
			at->end += line->cell;
		}
		const time_ms end = when.end < at->end ? when.end : at->end;
		sums->weighted[at->cell] += thousandths * (end - when.begin);
		sums->known[at->cell] += end - when.begin;
		when.begin = end;
	}
}

static void add_track(const struct work_line *line, struct sums *sums, const struct track *t)
{
	const size_t first = track_seek(t, line->span.begin), end = track_seek(t, line->span.end);
	struct spot at = { 0, line->span.begin + line->cell };
	struct cursor c;

	cursor_start(&c, t);
	for (size_t i = first > 0 ? first - 1 : 0; i < end; i++) {
		const fixed value = cursor_value(&c, i);
		const time_ms from = cursor_time(&c, i), until = cursor_until(&c, i);
		const struct span when = { from > line->span.begin ? from : line->span.begin,
			until < line->span.end ? until : line->span.end };
		if (value != FIXED_MISSING)
			add_value(line, sums, &at, when, value);
	}
}

/* Cells outside of `work` are not known: before a restart and after it are two stretches. */
static void blank_outside(struct work_line *line, struct spans work)
{
	size_t k = 0;

	for (size_t i = 0; i < line->n; i++) {
		const time_ms begin = line->span.begin + (time_ms)i * line->cell;
		while (k < work.n && work.at[k].end <= begin)
			k++;
		if (k == work.n || work.at[k].begin > begin)
			line->at[i] = NAN;
	}
}

/* From the first of `work` to its end, in cells as coarse as the coarsest log. Returns of how many GPUs the metric is logged. */
static size_t size_cells(const struct run *run, struct spans work, enum metric metric, struct work_line *line)
{
	size_t n_tracks = 0;

	*line = (struct work_line){ .span = { work.at[0].begin, work.at[work.n - 1].end }, .cell = CELL_LEAST };
	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *t = run_track(run, run->gpus[g], metric);
		n_tracks += t != NULL;
		if (t && t->step > line->cell)
			line->cell = t->step;
	}
	const time_ms all = span_length(line->span);
	if (all / line->cell > (time_ms)CELLS_MOST)
		line->cell = all / (time_ms)CELLS_MOST + 1;
	line->n = (size_t)((all + line->cell - 1) / line->cell);
	return n_tracks;
}

bool run_work_line(struct arena *mem, const struct run *run, struct spans work, enum metric metric, double least_known,
	struct work_line *line)
{
	const size_t n_tracks = work.n ? size_cells(run, work, metric, line) : 0;

	if (!n_tracks)
		return false;
	struct sums sums = { NEW_ARRAY(mem, int64_t, line->n), NEW_ARRAY(mem, int64_t, line->n) };
	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *t = run_track(run, run->gpus[g], metric);
		if (t)
			add_track(line, &sums, t);
	}
	line->at = NEW_ARRAY(mem, double, line->n);
	for (size_t i = 0; i < line->n; i++)
		line->at[i] = (double)sums.known[i] < least_known * (double)line->cell * (double)n_tracks
				      ? (double)NAN
				      : (double)sums.weighted[i] / (double)sums.known[i];
	blank_outside(line, work);
	return true;
}
