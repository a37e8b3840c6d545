/*
 * phase_pace.c - since when a GPU is less busy than before, for good: one change point in its steady time, as facts of the GPU.
 *
 *     gpu.pace          how busy it is on this side of the change; without a change, in all of the steady time
 *     gpu.pace_before   from the change on: how busy it was before; else the same as gpu.pace
 *
 *     busy  ###########_#########|=====_=======_=     _ pauses: they move no median
 *           before, 97 %         |  after, 61 %
 *
 * 1. The steady time for which busy is known becomes cells of equal time, so that logs of any step, dips that were taken out and holes
 *    change nothing.
 * 2. The change is where two medians fit the cells best: the least sum of distances of the cells before it from their median, and
 *    of those after it from theirs, over all places at which the median falls. Squares would be drawn to a single long pause.
 * 3. It is believed when four of five cells on either side are on their side of the middle between the medians: what comes back, or
 *    goes up and down all the time, is no change. And when cells in any order would hardly show as much: by the ranks of those before
 *    it among those after it (Pettitt 1979), less often than one time in a hundred.
 * 4. Within the six cells around it, the sample that parts high from low ones best is when it began; pauses count for neither. Where
 *    single samples are on both sides of the middle, the cell is all that can be told.
 *
 * A change of any size is told; how much counts is for rules to say. Where none is found, but a fifth of the steady time or more is not
 * known, the pace is not known either. Of a side's mean and median the one that makes the change smaller
 * is its pace: neither a pause nor a few busy minutes make one.
 */
#include "run/phase_parts.h"

#include "series/cursor.h"
#include "series/held.h"

#include <math.h>

#define CELL_LEAST (20 * SECOND_MS) /* several batches where a GPU waits for each (the recording one_worker: 4 s) */
#define CELL_ROWS 3 /* a single row is the last second of a step (nvidia-smi --help-query-gpu); fewer where there would be few cells */
#define CELLS_WANTED 24
#define CELLS_MOST ((size_t)400) /* all places are tried, and all cells looked at for each */
#define CELLS_LEAST ((size_t)16) /* below them nothing is rarer than that */
#define BY_CHANCE 0.01 /* see 3. */
#define SIDE_SHARE 0.15 /* of the cells; what begins later is how a run ends. Andrews 1993 (sup-F) leaves out as much */
#define OWN_SIDE 0.8 /* see 3. */
#define AROUND ((size_t)3) /* cells to either side: a pause as long as one touches two, and the change may lie in a third */
#define KNOWN_LEAST 0.8 /* of the steady time, to say that nothing changed; rules ask for as much */

struct cells {
	time_ms known; /* of the steady time */
	time_ms length; /* of a cell; what is left over at the end is part of the last one */
	time_ms *begin; /* of each: that of the first sample that begins in it */
	struct sums *sums; /* of each; of the first also where there is none */
	double *busy; /* mean of each */
	size_t n;
};

/* ------ cells ------ */

static double mean_of(const struct sums *sums)
{
	return sums->known ? weighted_value(sums->weighted) / (double)sums->known : 0;
}

static time_ms longer(time_ms a, time_ms b)
{
	return a > b ? a : b;
}

static time_ms cell_length(time_ms known, time_ms step)
{
	const time_ms rows = CELL_ROWS * step < known / CELLS_WANTED ? CELL_ROWS * step : known / CELLS_WANTED;

	return longer(longer(rows, step), longer(CELL_LEAST, known / (time_ms)CELLS_MOST + 1));
}

/* Does the next cell begin with a sample before which there is so much of the known time? */
static bool begins_cell(const struct cells *c, time_ms before)
{
	return before >= (time_ms)c->n * c->length && c->known - before >= c->length;
}

static struct sums *open_cell(const struct cells *c)
{
	return &c->sums[c->n ? c->n - 1 : 0];
}

/* With a sample. */
static void begin_cell(struct cells *c, const struct held *h, size_t sample)
{
	c->begin[c->n] = longer(track_time(h->track, sample), h->within.at[h->n_spans - 1].begin);
	c->sums[c->n++] = SUMS_OF_NOTHING;
}

/* Samples of a pack, in which a cell may begin. */
static void cut_samples(struct cells *c, const struct held *h, time_ms before)
{
	time_ms weights[PACK];
	fixed values[PACK];

	held_weights(h, weights);
	held_values(h, values);
	for (size_t i = 0; i < h->n; i++) {
		if (values[i] == FIXED_MISSING || weights[i] == 0)
			continue;
		if (begins_cell(c, before))
			begin_cell(c, h, h->first + i);
		sums_add(open_cell(c), values[i], weights[i]);
		before += weights[i];
	}
}

/* How many of samples of a chunk that is full there are before the one with which the next cell begins, `least` or more. */
static size_t before_next(const struct cells *c, const struct held *h, time_ms before, size_t least)
{
	const time_ms from = longer(track_time(h->track, h->first), h->within.at[h->n_spans - 1].begin);
	const size_t next = track_seek_from(h->track, h->first, from + (time_ms)c->n * c->length - before);

	if (c->known - before < c->length || next >= h->next)
		return h->n;
	return next > h->first + least ? next - h->first : least;
}

/* cut_samples() of these: where a cell begins follows from the time. */
static void cut_full(struct cells *c, struct held h, time_ms before)
{
	for (size_t n; h.n > 0; h = held_rest(&h, n)) {
		const bool is_begin = begins_cell(c, before);
		if (is_begin)
			begin_cell(c, &h, h.first);
		n = before_next(c, &h, before, is_begin);
		const struct held first = held_first(&h, n);
		held_add(open_cell(c), &first, ASKED_SUM);
		before += held_known(&first);
	}
}

static void cut(struct cells *c, const struct track *util, struct spans steady)
{
	struct held h = held_start(util, steady);
	time_ms before = 0, more;

	c->sums[0] = SUMS_OF_NOTHING;
	for (; held_next(&h); before += more) {
		more = held_known(&h);
		const struct chunk *const chunk = chunk_with(util, h.first);
		if (before + more <= (time_ms)c->n * c->length || c->known - before < c->length)
			held_add(open_cell(c), &h, ASKED_SUM);
		else if (chunk && chunk->is_full)
			cut_full(c, h, before);
		else
			cut_samples(c, &h, before);
	}
}

static struct cells cells_of(struct arena *mem, const struct track *util, struct spans steady)
{
	struct cells c = { .known = track_known_time(util, steady) };

	c.length = cell_length(c.known, util->step);
	c.begin = NEW_ARRAY(mem, time_ms, CELLS_MOST + 1);
	c.sums = NEW_ARRAY(mem, struct sums, CELLS_MOST + 1);
	c.busy = NEW_ARRAY(mem, double, CELLS_MOST + 1);
	cut(&c, util, steady);
	for (size_t k = 0; k < c.n; k++)
		c.busy[k] = mean_of(&c.sums[k]);
	return c;
}

/* Of all of them. */
static double mean_of_cells(const struct cells *c)
{
	struct sums all = SUMS_OF_NOTHING;

	for (size_t k = 0; k < c->n || k == 0; k++) {
		all.weighted += c->sums[k].weighted;
		all.known += c->sums[k].known;
	}
	return mean_of(&all);
}

/* ------ the change ------ */

struct fit { /* of the cells from one end up to here */
	double median, loss;
};

static struct fit fit_of(const double *sorted, size_t n)
{
	struct fit fit = { sorted[n / 2], 0 };

	for (size_t i = 0; i < n; i++)
		fit.loss += fabs(sorted[i] - fit.median);
	return fit;
}

static void insert(double *sorted, size_t n, double value)
{
	for (; n > 0 && sorted[n - 1] > value; n--)
		sorted[n] = sorted[n - 1];
	sorted[n] = value;
}

/* For each place the fit of all cells before it, or with `backward` of all from it on. */
static struct fit *fits_of(struct arena *mem, const struct cells *c, bool backward)
{
	struct fit *fits = NEW_ARRAY(mem, struct fit, c->n + 1);
	double *sorted = NEW_ARRAY(mem, double, c->n);

	for (size_t i = 0; i < c->n; i++) {
		insert(sorted, i, c->busy[backward ? c->n - 1 - i : i]);
		fits[backward ? c->n - 1 - i : i + 1] = fit_of(sorted, i + 1);
	}
	return fits;
}

static double share_above(const double *busy, size_t n, double level)
{
	size_t above = 0;

	for (size_t i = 0; i < n; i++)
		above += busy[i] > level;
	return (double)above / (double)n;
}

/* How many of them, sorted, are below the value; with `or_equal` those that are the same as well. */
static size_t count_below(const double *sorted, size_t n, double value, bool or_equal)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (sorted[middle] < value || (or_equal && sorted[middle] == value))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * For each place, of all pairs of a cell before it and one from it on, in how many the first is higher, less those in which it is lower
 * (Pettitt 1979). A cell that comes to those before it adds how it compares with all others.
 */
static double *falls_of(struct arena *mem, const struct cells *c)
{
	double *const falls = NEW_ARRAY(mem, double, c->n + 1), *const sorted = NEW_ARRAY(mem, double, c->n);

	for (size_t i = 0; i < c->n; i++)
		insert(sorted, i, c->busy[i]);
	for (size_t i = 0; i < c->n; i++) {
		const size_t below = count_below(sorted, c->n, c->busy[i], false), up_to = count_below(sorted, c->n, c->busy[i], true);
		falls[i + 1] = falls[i] + (double)below - (double)(c->n - up_to);
	}
	return falls;
}

/* How probable it is that n cells in any order show so great a change anywhere (Pettitt 1979). */
static double by_chance(double fall, double n)
{
	return 2 * exp(-6 * fall * fall / (n * n * n + n * n));
}

/* Is there a place at which so great a change is rare? Of most GPUs there is none, and no medians are looked for. */
static bool may_change(const struct cells *c, const double *falls, size_t side)
{
	for (size_t t = side; t + side <= c->n; t++)
		if (by_chance(falls[t], (double)c->n) <= BY_CHANCE)
			return true;
	return false;
}

struct change {
	size_t at; /* cell; 0: there is none */
	double before, after; /* medians */
};

/* At the first and the last place that is looked at the best may lie beyond it. */
static bool is_lowest(const double *loss, size_t at)
{
	return loss[at] <= loss[at - 1] && loss[at] <= loss[at + 1];
}

static struct change change_of(struct arena *mem, const struct cells *c)
{
	const size_t side = (size_t)ceil(SIDE_SHARE * (double)c->n);
	struct change change = { 0 };

	if (c->n < CELLS_LEAST)
		return change;
	const double *const falls = falls_of(mem, c);
	if (!may_change(c, falls, side))
		return change;
	const struct fit *before = fits_of(mem, c, false), *after = fits_of(mem, c, true);
	double *loss = NEW_ARRAY(mem, double, c->n + 1);
	for (size_t t = 1; t < c->n; t++)
		loss[t] = before[t].loss + after[t].loss;
	for (size_t t = side; t + side <= c->n; t++)
		if (after[t].median < before[t].median && (!change.at || loss[t] < loss[change.at]))
			change = (struct change){ t, before[t].median, after[t].median };
	const double middle = (change.before + change.after) / 2;
	const bool parts = change.at && is_lowest(loss, change.at) && by_chance(falls[change.at], (double)c->n) <= BY_CHANCE &&
			   share_above(c->busy, change.at, middle) >= OWN_SIDE &&
			   share_above(c->busy + change.at, c->n - change.at, middle) <= 1 - OWN_SIDE;
	return parts ? change : (struct change){ 0 };
}

/* ------ where it began ------ */

struct part { /* of a sample, in steady time */
	struct span when;
	double busy;
};
struct parts {
	struct part *at;
	size_t n, change, from, to; /* with which the cell of the change begins, the first cell around it, and the one behind these */
};

static void add_parts(struct parts *parts, struct cursor *util, struct span within)
{
	const size_t next = track_seek(util->track, within.begin), end = track_seek(util->track, within.end);

	for (size_t i = next ? next - 1 : 0; i < end; i++) {
		const time_ms from = cursor_time(util, i), until = cursor_until(util, i);
		const struct span when = { from > within.begin ? from : within.begin, until < within.end ? until : within.end };
		if (cursor_value(util, i) == FIXED_MISSING || when.begin >= when.end)
			continue;
		parts->at[parts->n++] = (struct part){ when, fixed_value(cursor_value(util, i)) };
	}
}

/* The first part of cell k. */
static size_t part_of_cell(const struct parts *parts, const struct cells *c, size_t k)
{
	size_t i = 0;

	while (k < c->n ? parts->at[i].when.begin < c->begin[k] : i < parts->n)
		i++;
	return i;
}

static struct parts parts_of(struct arena *mem, const struct track *util, struct spans steady, const struct cells *c,
	const struct change *change)
{
	struct parts parts = { .at = NEW_RAW_ARRAY(mem, struct part, util->n + 2 * steady.n) };
	struct cursor *const samples = NEW(mem, struct cursor);

	cursor_start(samples, util);
	for (size_t i = 0; i < steady.n; i++)
		add_parts(&parts, samples, steady.at[i]);
	parts.change = part_of_cell(&parts, c, change->at);
	parts.from = part_of_cell(&parts, c, change->at - AROUND); /* a side has no fewer */
	parts.to = part_of_cell(&parts, c, change->at + AROUND);
	return parts;
}

static double mean_of_parts(const struct part *parts, size_t n)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < n; i++) {
		sum += parts[i].busy * (double)span_length(parts[i].when);
		weight += (double)span_length(parts[i].when);
	}
	return weight > 0 ? sum / weight : 0;
}

/* Below it a part is of neither pace but of a pause, unless the later side is so often there that its pauses are how it goes. */
static double pause_below(const struct parts *parts, const struct change *change)
{
	const double level = change->after - (change->before - change->after) / 2;
	size_t n = 0;

	for (size_t i = parts->change; i < parts->n; i++)
		n += parts->at[i].busy < level;
	return (double)n <= (1 - OWN_SIDE) * (double)(parts->n - parts->change) ? level : 0;
}

/* Do single rows tell the later side from the earlier one? Not where a GPU waits for each batch: then only means do. */
static bool rows_tell(const struct parts *parts, double middle)
{
	size_t n = 0;

	for (size_t i = parts->change; i < parts->n; i++)
		n += parts->at[i].busy > middle;
	return (double)n <= (1 - OWN_SIDE) * (double)(parts->n - parts->change);
}

/* The part with which the later side begins. */
static size_t first_after(const struct parts *parts, const struct change *change)
{
	const double middle = (change->before + change->after) / 2, pause = pause_below(parts, change);
	size_t best = parts->from;
	double sum = 0, most = 0;

	if (!rows_tell(parts, middle))
		return parts->change;
	for (size_t i = parts->from; i < parts->to && i + 1 < parts->n; i++) {
		const double busy = parts->at[i].busy, weight = busy < pause ? 0 : (double)span_length(parts->at[i].when);
		sum += busy > middle ? weight : -weight;
		if (sum > most) {
			most = sum;
			best = i + 1;
		}
	}
	return best;
}

/* ------ told ------ */

static void tell_steps(struct run *run, const struct track *util, enum metric metric, const time_ms *times, const fixed *values, size_t n)
{
	time_ms *own_times = NEW_ARRAY(run->mem, time_ms, n);
	fixed *own_values = NEW_ARRAY(run->mem, fixed, n);
	const struct track fact = {
		.metric = metric,
		.entity = util->entity,
		.times = own_times,
		.values = own_values,
		.n = n,
		.step = span_length(run->span),
		.source = util->source,
		.derived = true,
	};

	memcpy(own_times, times, n * sizeof *times);
	memcpy(own_values, values, n * sizeof *values);
	phases_tell_fact(run, &fact);
}

struct pace { /* of one GPU: steps of gpu.pace and gpu.pace_before, two where it changes; 0: busy is not logged */
	size_t n;
	time_ms times[2];
	fixed now[2], before[2];
};

static struct pace one_pace(const struct run *run, fixed all)
{
	return (struct pace){ 1, { run->span.begin }, { all }, { all } };
}

static struct pace changed_pace(const struct run *run, const struct parts *parts, const struct change *change)
{
	const size_t first = first_after(parts, change);
	const double before = fmin(change->before, mean_of_parts(parts->at, first));
	const double after = fmax(change->after, mean_of_parts(parts->at + first, parts->n - first));
	const fixed early = (fixed)llround(before * FIXED_ONE), late = (fixed)llround(after * FIXED_ONE);

	return (struct pace){ 2, { run->span.begin, parts->at[first].when.begin }, { early, late }, { early, early } };
}

static void find_pace(struct arena *scratch, const struct run *run, const struct track *util, void *place)
{
	const struct spans steady = run_phases(scratch, run, 1U << PHASE_STEADY);
	const struct cells c = cells_of(scratch, util, steady);
	const struct change change = change_of(scratch, &c);
	const bool is_known = c.known && (double)c.known >= KNOWN_LEAST * (double)spans_length(steady);
	struct pace *const pace = place;

	*pace = one_pace(run, is_known ? (fixed)llround(mean_of_cells(&c) * FIXED_ONE) : FIXED_MISSING);
	if (!change.at)
		return;
	const struct parts parts = parts_of(scratch, util, steady, &c, &change);
	*pace = changed_pace(run, &parts, &change);
}

void paces_tell(struct run *run)
{
	struct pace *const all = NEW_ARRAY(run->mem, struct pace, run->n_gpus); /* one a GPU */

	phases_ask_gpus(run, find_pace, all, sizeof *all);
	for (size_t g = 0; g < run->n_gpus; g++) {
		const struct track *util = run_track(run, run->gpus[g], METRIC_GPU_UTIL);
		const struct pace *const pace = &all[g];

		if (!pace->n)
			continue;
		tell_steps(run, util, METRIC_GPU_PACE, pace->times, pace->now, pace->n);
		tell_steps(run, util, METRIC_GPU_PACE_BEFORE, pace->times, pace->before, pace->n);
	}
}
