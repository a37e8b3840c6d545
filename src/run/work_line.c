/*
 * work_line.c - what all GPUs do, as one line of cells of equal time: the mean over them of one metric.
 *
 *     ######_####_###.##______########______###:####______#######        busy, mean over the GPUs
 *
 * Cells are time, so that logs of any step, and GPUs that are polled some ms apart, show the same. A long line is worked out in stretches,
 * each of which looks at the samples of all GPUs that hold in it.
 */
#include "run/run.h"

#include "series/chunk.h"
#include "series/cursor.h"

#include <math.h>

#define CELL_LEAST SECOND_MS /* utilization.gpu covers 1/6 to 1 s (nvidia-smi --help-query-gpu): finer cells show no more */
#define CELLS_MOST ((size_t)1 << 20) /* 12 days of seconds; longer runs have coarser cells */
#define STRETCH ((size_t)4096) /* cells: what they add up to stays in a core's cache, and few samples are looked at twice */

struct filling { /* cells with what all GPUs do in them */
	const struct run *run;
	struct work_line *line;
	enum metric metric;
	double least_known; /* ms x GPUs */
	int64_t *weighted, *known; /* by cell: values x ms, ms; exact, so that the order of GPUs does not matter */
};

struct spot { /* in a stretch, which only goes on */
	struct span stretch;
	size_t cell;
	time_ms end; /* of the cell */
};

static int64_t thousandths(fixed value)
{
	return value / 1000; /* times ms, 10^5 GPUs x hours fit */
}

static void go_to(const struct filling *f, struct spot *at, time_ms when)
{
	while (at->end <= when) {
		at->cell++;
		at->end += f->line->cell;
	}
}

/* What holds for some time of the stretch goes into the cells that it touches. */
static void add_value(const struct filling *f, struct spot *at, struct span when, fixed value)
{
	while (when.begin < when.end) {
		go_to(f, at, when.begin);
		const time_ms end = when.end < at->end ? when.end : at->end;
		f->weighted[at->cell] += thousandths(value) * (end - when.begin);
		f->known[at->cell] += end - when.begin;
		when.begin = end;
	}
}

/* Samples [times[i], times[i + 1]) of a stretch, each of which goes on until the next: a cell is touched once it is full. */
static void add_values(const struct filling *f, struct spot *at, const time_ms *times, const fixed *values, size_t n)
{
	struct span open = { times[0], times[0] }; /* of the cell, with what is known of it */
	int64_t weighted = 0;

	go_to(f, at, open.begin);
	for (size_t i = 0; i < n; i++) {
		const int64_t value = thousandths(values[i]);
		while (at->end <= times[i + 1]) {
			f->weighted[at->cell] += weighted + value * (at->end - open.end);
			f->known[at->cell] += at->end - open.begin;
			open = (struct span){ at->end, at->end };
			weighted = 0;
			at->cell++;
			at->end += f->line->cell;
		}
		weighted += value * (times[i + 1] - open.end);
		open.end = times[i + 1];
	}
	if (open.begin < open.end) { /* else it may be of the next stretch */
		f->weighted[at->cell] += weighted;
		f->known[at->cell] += open.end - open.begin;
	}
}

/* A chunk that is full and inside of the stretch. */
static void add_chunk(const struct filling *f, struct spot *at, struct cursor *c, size_t first, const struct chunk *chunk)
{
	const struct span all = { track_time(c->track, first), track_time(c->track, first + CHUNK) };

	if (chunk->low == chunk->high)
		add_value(f, at, all, chunk->low);
	else
		add_values(f, at, cursor_times(c, first), cursor_values(c, first), CHUNK);
}

static void add_sample(const struct filling *f, struct spot *at, struct cursor *c, size_t i)
{
	const fixed value = cursor_value(c, i);
	const time_ms from = cursor_time(c, i), until = cursor_until(c, i);
	const struct span when = { from > at->stretch.begin ? from : at->stretch.begin,
		until < at->stretch.end ? until : at->stretch.end };

	if (value != FIXED_MISSING)
		add_value(f, at, when, value);
}

static void add_track(const struct filling *f, struct spot at, const struct track *t)
{
	const size_t first = track_seek(t, at.stretch.begin), end = track_seek_from(t, first, at.stretch.end);
	struct cursor c;

	cursor_start(&c, t);
	for (size_t i = first > 0 ? first - 1 : 0, n; i < end; i += n) {
		const struct chunk *const chunk = i >= first ? chunk_from(t, i, end - 1) : NULL;
		const bool is_full = chunk && chunk->is_full;

		n = is_full ? CHUNK : 1;
		if (is_full)
			add_chunk(f, &at, &c, i, chunk);
		else
			add_sample(f, &at, &c, i);
	}
}

static void fill_stretch(void *context, size_t worker, size_t job)
{
	const struct filling *const f = context;
	struct work_line *const line = f->line;
	const size_t first = job * STRETCH, end = line->n - first < STRETCH ? line->n : first + STRETCH;
	const time_ms begin = line->span.begin + (time_ms)first * line->cell;
	const time_ms until = end < line->n ? begin + (time_ms)STRETCH * line->cell : line->span.end;

	(void)worker;
	for (size_t g = 0; g < f->run->n_gpus; g++) {
		const struct track *const t = run_track(f->run, f->run->gpus[g], f->metric);
		if (t)
			add_track(f, (struct spot){ { begin, until }, first, begin + line->cell }, t);
	}
	for (size_t i = first; i < end; i++)
		line->at[i] = (double)f->known[i] < f->least_known ? (double)NAN : (double)f->weighted[i] / (double)f->known[i];
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
	line->at = NEW_RAW_ARRAY(mem, double, line->n);
	struct filling f = {
		.run = run,
		.line = line,
		.metric = metric,
		.least_known = least_known * (double)line->cell * (double)n_tracks,
		.weighted = NEW_ARRAY(mem, int64_t, line->n),
		.known = NEW_ARRAY(mem, int64_t, line->n),
	};
	run_jobs(run, (line->n + STRETCH - 1) / STRETCH, fill_stretch, &f);
	blank_outside(line, work);
	return true;
}
