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
};

/* Of a stretch, by cell, and of one behind them in which is nothing; exact, so that the order of GPUs does not matter. */
struct sums {
	int64_t weighted[STRETCH + 1]; /* values x ms */
	int64_t more_known[STRETCH + 2]; /* ms: by how much more is known than in the cell before */
};

struct spot { /* in a stretch, which only goes on */
	struct span stretch;
	time_ms length; /* of each cell */
	size_t cell;
	time_ms end; /* of the cell */
};

static int64_t thousandths(fixed value)
{
	return value / 1000; /* times ms, 10^5 GPUs x hours fit */
}

static void go_to(struct spot *at, time_ms when)
{
	while (at->end <= when) {
		at->cell++;
		at->end += at->length;
	}
}

/* All is known from a time in one cell to a time in another, or the same. */
static void add_known(struct sums *s, const struct spot *first, const struct spot *last, struct span when)
{
	const time_ms before = when.begin - (first->end - first->length), behind = last->end - when.end;

	s->more_known[first->cell] += first->length - before;
	s->more_known[first->cell + 1] += before;
	s->more_known[last->cell] -= behind;
	s->more_known[last->cell + 1] -= last->length - behind;
}

/* What holds for some time of the stretch goes into the cells that it touches. */
static void add_value(struct sums *s, struct spot *at, struct span when, fixed value)
{
	go_to(at, when.begin);
	const struct spot first = *at;
	for (time_ms begin = when.begin, end; begin < when.end; begin = end) {
		go_to(at, begin);
		end = when.end < at->end ? when.end : at->end;
		s->weighted[at->cell] += thousandths(value) * (end - begin);
	}
	add_known(s, &first, at, when);
}

/* Samples [times[i], times[i + 1]) of a chunk of the stretch, each of which goes on until the next: a cell is touched once it is full. */
static void add_values(struct sums *s, struct spot *at, const time_ms *restrict times, const int64_t *restrict values)
{
	go_to(at, times[0]);
	const struct spot first = *at;
	const time_ms length = at->length;
	time_ms open = times[0], end = at->end; /* up to where it was added up; of the cell */
	int64_t *restrict into = s->weighted + first.cell, weighted = 0;

	for (size_t i = 0; i < CHUNK; i++) {
		const time_ms next = times[i + 1];
		while (end <= next) {
			*into++ += weighted + values[i] * (end - open);
			open = end;
			end += length;
			weighted = 0;
		}
		weighted += values[i] * (next - open);
		open = next;
	}
	*into += weighted;
	at->cell = (size_t)(into - s->weighted);
	at->end = end;
	add_known(s, &first, at, (struct span){ times[0], times[CHUNK] });
}

/* ------ a tick a cell ------ */

#define UNIT_MOST 128 /* ms: with it a code, and twice that, stays far from what 32 bits hold */

/*
 * Samples and cells of one step, as of a log that is written once a second: in each cell one sample ends and the next one begins. What is
 * left of the cell then is a number of 16 bits, as a narrow code is, and processors take eight of these at once.
 */
struct ticking {
	int16_t left[CHUNK]; /* of its cell, ms, when sample i begins: above 0, and not more than a cell */
	int16_t codes[CHUNK + 1]; /* of the value before each sample, 0 before the first; and of the last one */
};

/* False where a cell has not one tick. */
static bool find_left(struct ticking *ticking, const struct spot *at, const struct pack *p)
{
	const int32_t unit = (int32_t)p->unit, gain = (int32_t)at->length - p->slope, first = (int32_t)(at->end - p->first);
	uint8_t late[CHUNK] = { 0 };
	int32_t least = INT32_MAX, most = INT32_MIN;

	if (p->width == 1)
		memcpy(late, p->codes, sizeof late);
	for (int32_t i = 0; i < CHUNK; i++) {
		const int32_t left = first + i * gain - late[i] * unit;
		ticking->left[i] = (int16_t)left;
		least = left < least ? left : least;
		most = left > most ? left : most;
	}
	return least > 0 && most <= at->length;
}

static bool ticks_once_a_cell(struct ticking *ticking, const struct spot *at, const struct track *t, size_t first, time_ms until)
{
	const struct pack *const p = t->times ? NULL : &t->clock.at[first / PACK];
	const time_ms last = at->end + (CHUNK - 1) * at->length; /* end of the last sample's cell */

	if (!p || p->width > 1 || p->unit > UNIT_MOST || at->length > INT16_MAX || until < last || until >= last + at->length)
		return false;
	return p->slope > at->length - UNIT_MOST && p->slope < at->length + UNIT_MOST && find_left(ticking, at, p);
}

/* Narrow codes of whole thousandths. */
static bool read_codes(struct ticking *ticking, const struct track *t, size_t at)
{
	const struct pack *const p = !t->values && t->formula.kind == FORMULA_AS_IT_IS ? &t->column.at[at / PACK] : NULL;

	if (!p || p->width != 1 || p->slope != 0 || p->unit % 1000 != 0 || p->first % 1000 != 0)
		return false;
	const uint8_t *const restrict codes = p->codes;
	ticking->codes[0] = 0;
	for (size_t i = 0; i < CHUNK; i++)
		ticking->codes[i + 1] = codes[i];
	return true;
}

/* A chunk that is full; false, and nothing was added, where it is not like that. The spot is in the cell in which it begins. */
static bool add_ticks(struct sums *s, struct spot *at, const struct track *t, size_t first, struct span all)
{
	struct ticking ticking;
	uint32_t cells[CHUNK]; /* codes x ms */

	if (!ticks_once_a_cell(&ticking, at, t, first, all.end) || !read_codes(&ticking, t, first))
		return false;
	const struct pack *const p = &t->column.at[first / PACK];
	const struct spot begin = *at;
	const int16_t length = (int16_t)at->length;
	const int64_t lowest = thousandths(p->first), lowest_of_cell = lowest * length;
	const uint32_t unit = p->unit / 1000;
	int64_t *const restrict into = s->weighted + at->cell;
	for (size_t i = 0; i < CHUNK; i++) {
		const int16_t left = ticking.left[i], before = (int16_t)(length - left);
		cells[i] = (uint32_t)(ticking.codes[i] * before + ticking.codes[i + 1] * left);
	}
	for (size_t i = 0; i < CHUNK; i++)
		into[i] += lowest_of_cell + (int64_t)((uint64_t)cells[i] * unit);
	into[0] -= lowest * (length - ticking.left[0]);
	at->cell += CHUNK;
	at->end += CHUNK * at->length;
	into[CHUNK] += (lowest + ticking.codes[CHUNK] * (int64_t)unit) * (all.end - (at->end - length));
	add_known(s, &begin, at, all);
	return true;
}

/* ------ any other ------ */

#define FROM_CODES(type) \
	for (size_t i = 0; i < CHUNK; i++) \
		out[i] = first + ((const type *)p->codes)[i] * unit;

/* The values of a chunk that is full, in thousandths: of most columns they are steps of that, and follow from its codes. */
static void read_thousandths(struct cursor *c, size_t at, int64_t out[CHUNK])
{
	const struct track *const t = c->track;
	const bool is_plain = !t->values && t->formula.kind == FORMULA_AS_IT_IS;
	const struct pack *const p = is_plain ? &t->column.at[at / PACK] : NULL;
	const bool is_whole = p && p->slope == 0 && thousandths(p->first) * 1000 == p->first && p->unit % 1000 == 0;
	const int64_t first = is_whole ? thousandths(p->first) : 0, unit = is_whole ? p->unit / 1000 : 0;

	if (is_whole && p->width == 1) {
		FROM_CODES(uint8_t)
	} else if (is_whole && p->width == 2) {
		FROM_CODES(uint16_t)
	} else {
		const fixed *const values = cursor_values(c, at);
		for (size_t i = 0; i < CHUNK; i++)
			out[i] = thousandths(values[i]);
	}
}

/* A chunk that is full and inside of the stretch. */
static void add_chunk(struct sums *s, struct spot *at, struct cursor *c, size_t first, const struct chunk *chunk)
{
	const struct span all = { track_time(c->track, first), track_time(c->track, first + CHUNK) };
	int64_t values[CHUNK];

	if (chunk->low == chunk->high) {
		add_value(s, at, all, chunk->low);
		return;
	}
	go_to(at, all.begin);
	if (add_ticks(s, at, c->track, first, all))
		return;
	read_thousandths(c, first, values);
	add_values(s, at, cursor_times(c, first), values);
}

static void add_sample(struct sums *s, struct spot *at, struct cursor *c, size_t i)
{
	const fixed value = cursor_value(c, i);
	const time_ms from = cursor_time(c, i), until = cursor_until(c, i);
	const struct span when = { from > at->stretch.begin ? from : at->stretch.begin,
		until < at->stretch.end ? until : at->stretch.end };

	if (value != FIXED_MISSING && span_length(when) > 0)
		add_value(s, at, when, value);
}

#define AHEAD 2 /* packs: one is added up in less time than memory takes to answer */

static void add_track(struct sums *s, struct spot at, const struct track *t)
{
	const size_t first = track_seek(t, at.stretch.begin), end = track_seek_from(t, first, at.stretch.end);
	struct cursor c;

	cursor_start(&c, t);
	for (size_t i = first > 0 ? first - 1 : 0, n; i < end; i += n) {
		const struct chunk *const chunk = i >= first ? chunk_from(t, i, end - 1) : NULL;
		const bool is_full = chunk && chunk->is_full;

		n = is_full ? CHUNK : 1;
		if (i % PACK == 0) {
			clock_fetch(t, i / PACK + AHEAD);
			column_fetch(t, i / PACK + AHEAD);
		}
		if (is_full)
			add_chunk(s, &at, &c, i, chunk);
		else
			add_sample(s, &at, &c, i);
	}
}

static void fill_stretch(void *context, size_t worker, size_t job)
{
	const struct filling *const f = context;
	struct work_line *const line = f->line;
	const size_t first = job * STRETCH, end = line->n - first < STRETCH ? line->n : first + STRETCH;
	const time_ms begin = line->span.begin + (time_ms)first * line->cell;
	const time_ms until = end < line->n ? begin + (time_ms)STRETCH * line->cell : line->span.end;

	struct arena scratch;
	int64_t known = 0;

	(void)worker;
	arena_init(&scratch);
	struct sums *const sums = NEW(&scratch, struct sums);
	for (size_t g = 0; g < f->run->n_gpus; g++) {
		const struct track *const t = run_track(f->run, f->run->gpus[g], f->metric);
		if (t)
			add_track(sums, (struct spot){ { begin, until }, line->cell, 0, begin + line->cell }, t);
	}
	for (size_t i = 0; i < end - first; i++) {
		known += sums->more_known[i];
		line->at[first + i] = (double)known < f->least_known ? (double)NAN : (double)sums->weighted[i] / (double)known;
	}
	arena_release(&scratch);
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

	*line = (struct work_line){ .span = spans_hull(work), .cell = CELL_LEAST };
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
	};
	run_jobs(run, (line->n + STRETCH - 1) / STRETCH, fill_stretch, &f);
	blank_outside(line, work);
	return true;
}

/* ------ where it is low ------ */

#define DIP_LEAST (3 * SECOND_MS) /* shorter pauses are between batches; also two cells, since one may be a slip of the sensor */
#define BLIP_MOST (2 * SECOND_MS) /* work as short as that inside a dip is a part of it: metrics, a last batch */

/* Until where a stretch of low cells that begins at i goes, over blips. */
static size_t low_until(const struct work_line *line, double level, size_t i)
{
	const size_t blip = (size_t)(BLIP_MOST / line->cell);
	size_t end = i;

	for (; i < line->n && !isnan(line->at[i]) && i <= end + blip; i++)
		if (line->at[i] < level)
			end = i + 1;
	return end;
}

/* At the edge of what is known nobody sees how long it was. */
static bool is_whole(const struct work_line *line, size_t begin, size_t end)
{
	return begin > 0 && end < line->n && !isnan(line->at[begin - 1]) && !isnan(line->at[end]);
}

bool work_line_low(const struct work_line *line, double level, size_t from, struct low_stretch *low)
{
	while (from < line->n && !(line->at[from] < level)) /* also of NAN */
		from++;
	if (from >= line->n)
		return false;
	const size_t end = low_until(line, level, from), n = end - from;
	const bool is_long = n >= 2 && (time_ms)n * line->cell >= DIP_LEAST;
	*low = (struct low_stretch){ from, end, is_long && is_whole(line, from, end) };
	return true;
}
