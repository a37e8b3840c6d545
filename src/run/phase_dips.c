/*
 * phase_dips.c - dips of the GPUs' work that come back at a steady rhythm: checkpoints, evaluation, whatever it is.
 *
 *     ######_####_###.##______########______###:####______#######        busy, mean over the GPUs
 *           short      [dip ]        [dip ]         [dip ]
 *                      |--- period --|--- period ---|
 *
 * 1. The work of all GPUs becomes one line of cells of equal time: the mean over them of busy, and where that shows no dips,
 *    of power (GPUs that wait for another one spin at 100 % busy): work_line.c.
 * 2. The working level is what the line reaches for a quarter of the time or more. Half of it is low; stretches of low cells are
 *    candidates, however deep.
 * 3. Those alike in length and depth are a family if they form a chain of equal steps. One place of the chain may be empty at
 *    a time, and a few alike ones may stand beside it. Over a hole in the log, in which nobody saw any, a chain goes on: at its own place,
 *    since the work may have been started anew meanwhile.
 *
 * The longest family counts first, then what is left is asked again: checkpoints and evaluations each have their rhythm.
 * A GPU that starts and stops more often than once a minute waits for something, batch by batch. That is no dip between two
 * stretches of work but how the work goes, and the business of rules.
 */
#include "run/phase_parts.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_KNOWN 0.5 /* of the GPUs' time in a cell */
#define LOW_SHARE 0.5 /* of the working level: own definition, half of the GPUs' work is missing */
#define LEAST_LEVEL 0.05 /* of the highest cell: where that is the level there is no work to dip from */
#define PERIOD_LEAST MINUTE_MS /* see above */
#define LEAST_DIPS 3
#define MANY_DIPS 5 /* so many may be a tenth off their places, fewer a twentieth: chance makes three in a row more easily */
#define ALIKE_LENGTH 1.5 /* the longest of a family by the shortest, and two cells for what sampling does to short ones */
#define ALIKE_DEPTH 0.25 /* of the working level */
#define OFF_MOST 0.25 /* of a period: where cells are so coarse that more of it fits, chance makes rhythms of any pauses */
#define IN_CHAIN 0.8 /* of the alike ones: with more beside the chain, they come at random */
#define WORK_BETWEEN 0.9 /* of the time between two dips is above low, for three of four pairs: else the line is erratic */
#define FAMILIES_MOST 3 /* checkpoint, evaluation, and one more */

struct line { /* work_line.c */
	struct span span;
	time_ms cell;
	double *at;
	size_t n;
	double level;
	uint32_t *lows; /* how many low cells are before each, n + 1 of them */
	uint32_t *hidden; /* the same of cells in holes in which a dip or more may be; NULL: there is no hole */
};

struct dip {
	size_t begin, end; /* cells */
	double depth; /* share of the level that is missing */
	bool taken;
};
struct dip_list {
	struct dip *at;
	size_t n;
};

struct chain {
	size_t *dips; /* indexes, in order of time */
	size_t n;
	double period; /* cells */
	size_t cells; /* of its dips */
};

/* ------ the line ------ */

static double highest(const struct line *line)
{
	double most = 0;

	for (size_t i = 0; i < line->n; i++)
		most = line->at[i] > most ? line->at[i] : most;
	return most;
}

#define BINS 1000

/*
 * The upper quartile of the cells, to a thousandth of the highest: also where dips take half of the time it is the level of work. How many
 * are known is told as well; 0 where there is no work.
 */
static double working_level(const struct line *line, size_t *n_known)
{
	const double most = highest(line);
	size_t bins[BINS + 1] = { 0 }, n = 0, above = 0;
	int bin = BINS;

	*n_known = 0;
	if (most <= 0)
		return 0;
	for (size_t i = 0; i < line->n; i++) {
		if (isnan(line->at[i]))
			continue;
		bins[(int)(line->at[i] / most * BINS)]++;
		n++;
	}
	*n_known = n;
	for (; bin > 0 && (above += bins[bin]) * 4 < n; bin--)
		;
	return bin > LEAST_LEVEL * BINS ? most * bin / BINS : 0;
}

static void count_lows(struct line *line)
{
	const double low = LOW_SHARE * line->level;
	uint32_t n = 0;

	for (size_t i = 0; i < line->n; i++) {
		line->lows[i] = n;
		n += line->at[i] < low; /* NAN is not */
	}
	line->lows[line->n] = n;
}

static void count_hidden(struct line *line)
{
	const size_t least = (size_t)(PERIOD_LEAST / line->cell);
	uint32_t sum = 0;

	for (size_t i = 0, end; i < line->n; i = end + 1) {
		for (end = i; end < line->n && isnan(line->at[end]); end++)
			;
		const uint32_t each = end - i >= least;
		for (size_t k = i; k <= end && k < line->n; k++) {
			line->hidden[k] = sum;
			sum += k < end ? each : 0;
		}
	}
	line->hidden[line->n] = sum;
}

static size_t hidden_between(const struct line *line, size_t begin, size_t end)
{
	return line->hidden ? line->hidden[end] - line->hidden[begin] : 0;
}

/* False where nobody logged the metric, or there is too little of it. */
static bool line_of(struct arena *mem, const struct run *run, struct spans work, enum metric metric, struct line *line)
{
	struct work_line cells;
	size_t n_known;

	if (work.at[work.n - 1].end - work.at[0].begin < (LEAST_DIPS - 1) * PERIOD_LEAST ||
		!run_work_line(mem, run, work, metric, LEAST_KNOWN, &cells))
		return false;
	*line = (struct line){ .span = cells.span, .cell = cells.cell, .at = cells.at, .n = cells.n };
	line->level = working_level(line, &n_known);
	if (!(line->level > 0))
		return false;
	line->lows = NEW_RAW_ARRAY(mem, uint32_t, line->n + 1);
	if (n_known < line->n) {
		line->hidden = NEW_RAW_ARRAY(mem, uint32_t, line->n + 1);
		count_hidden(line);
	}
	return true;
}

/* ------ candidates ------ */

static double depth_of(const struct line *line, size_t begin, size_t end)
{
	double sum = 0;

	for (size_t i = begin; i < end; i++)
		sum += line->at[i];
	return 1 - sum / (double)(end - begin) / line->level;
}

static struct dip_list candidates(struct arena *mem, const struct line *line)
{
	const struct work_line cells = { line->span, line->cell, line->at, line->n };
	struct dip_list all = { NEW_ARRAY(mem, struct dip, line->n / 2 + 1), 0 };
	struct low_stretch low;

	for (size_t from = 0; work_line_low(&cells, LOW_SHARE * line->level, from, &low); from = low.end + 1)
		if (low.is_dip)
			all.at[all.n++] = (struct dip){ low.begin, low.end, depth_of(line, low.begin, low.end), false };
	return all;
}

/* ------ families ------ */

struct likeness { /* of a family, ends included */
	size_t shortest, longest; /* cells */
	double deepest;
};

static size_t dip_cells(const struct dip *d)
{
	return d->end - d->begin;
}

static bool is_like(const struct dip *d, const struct likeness *l)
{
	return !d->taken && dip_cells(d) >= l->shortest && dip_cells(d) <= l->longest && l->deepest - d->depth <= ALIKE_DEPTH &&
	       d->depth <= l->deepest;
}

static int by_number(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* How far from its place a dip may begin: sampling moves both of two by up to a cell. */
static double places_off(double period, double off)
{
	return off * period + 2;
}

/* How many steps of `period` it is from one dip to the other: 1, or 2 with a place left out; 0: neither. */
static size_t steps_between(const struct dip *a, const struct dip *b, double period, double off)
{
	const double apart = (double)(b->begin - a->begin);

	for (size_t k = 1; k <= 2; k++)
		if (fabs(apart - period * (double)k) <= places_off(period, off))
			return k;
	return 0;
}

/* The dips of a chain up to one, and how they follow each other: over a hole without any step. */
struct link {
	size_t before, n; /* the dip before it in its chain, or itself; dips */
	size_t steps, cells, n_holes; /* cells of the steps */
};

/* From one dip to the next, of which so much is hidden; n 0: it does not follow. */
static struct link link_to(
	const struct link *from, size_t i, const struct dip *a, const struct dip *b, size_t hidden, double period, double off)
{
	const size_t steps = steps_between(a, b, period, off);
	struct link to = { i, from->n + 1, from->steps + steps, from->cells, from->n_holes };

	if (steps)
		to.cells += b->begin - a->begin;
	else if ((double)hidden >= period)
		to.n_holes++;
	else
		to.n = 0;
	return to;
}

/* Dips that alike ones are looked for in; `some` of all, in order of time. */
struct alike_dips {
	const struct line *line;
	const struct dip_list *all;
	const size_t *some;
	size_t n;
};

static size_t longest_link(struct link *links, const struct alike_dips *d, double period, double off)
{
	size_t best = 0;

	for (size_t j = 0; j < d->n; j++) {
		links[j] = (struct link){ .before = j, .n = 1 };
		for (size_t i = j; i-- > 0;) {
			const struct dip *a = &d->all->at[d->some[i]], *b = &d->all->at[d->some[j]];
			const size_t hidden = hidden_between(d->line, a->begin, b->begin);
			if ((double)(b->begin - a->begin - hidden) > (2 + 2 * off) * period + 2)
				break;
			const struct link link = link_to(&links[i], i, a, b, hidden, period, off);
			if (link.n > links[j].n)
				links[j] = link;
		}
		best = links[j].n > links[best].n ? j : best;
	}
	return best;
}

static struct chain chain_of(struct arena *mem, const struct alike_dips *d, double period)
{
	struct link *links = NEW_ARRAY(mem, struct link, d->n);
	const double off = d->n < MANY_DIPS ? 0.05 : 0.1;
	size_t at = longest_link(links, d, period, off);
	const struct link last = links[at];
	const size_t n_in_step = last.n - last.n_holes; /* as many as would show the same without a hole */
	struct chain c = { .n = last.n };

	c.dips = NEW_ARRAY(mem, size_t, c.n);
	for (size_t k = c.n; k-- > 0; at = links[at].before) {
		c.dips[k] = d->some[at];
		c.cells += dip_cells(&d->all->at[d->some[at]]);
	}
	c.period = last.steps ? (double)last.cells / (double)last.steps : 0;
	if (n_in_step < LEAST_DIPS)
		c.n = 0;
	if (last.steps + 1 > n_in_step && n_in_step < LEAST_DIPS + 1) /* a place left out is only seen beside three others */
		c.n = 0;
	if (places_off(c.period, off) > OFF_MOST * c.period)
		c.n = 0;
	return c;
}

/* Is there work between the dips, more of it than of dips? */
static bool is_of_dips(const struct line *line, const struct dip_list *all, const struct chain *c)
{
	size_t working = 0;

	if (c->n < LEAST_DIPS || c->period * (double)line->cell < PERIOD_LEAST)
		return false;
	if ((double)c->cells > (double)c->n * (c->period / 2 + 2))
		return false;
	for (size_t k = 0; k + 1 < c->n; k++) {
		const size_t from = all->at[c->dips[k]].end, to = all->at[c->dips[k + 1]].begin;
		working += (double)(line->lows[to] - line->lows[from]) <= (1 - WORK_BETWEEN) * (double)(to - from);
	}
	return working * 4 >= (c->n - 1) * 3;
}

static double usual_step(struct arena *mem, const struct dip_list *all, const size_t *some, size_t n)
{
	size_t *apart = NEW_ARRAY(mem, size_t, n);

	for (size_t i = 0; i + 1 < n; i++)
		apart[i] = all->at[some[i + 1]].begin - all->at[some[i]].begin;
	qsort(apart, n - 1, sizeof *apart, by_number);
	return (double)apart[(n - 2) / 2];
}

/* The chain among the dips that are alike; n 0: there is none. `some` has room for all. */
static struct chain family_of(struct arena *mem, const struct line *line, const struct dip_list *all, const struct likeness *like,
	size_t *some)
{
	const struct chain none = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (is_like(&all->at[i], like))
			some[n++] = i;
	/* more than there can be at the shortest period, and as many again beside them */
	if (n < LEAST_DIPS || (time_ms)n * PERIOD_LEAST > 2 * span_length(line->span))
		return none;
	const struct alike_dips alike = { line, all, some, n };
	const struct chain c = chain_of(mem, &alike, usual_step(mem, all, some, n));
	return (double)c.n >= IN_CHAIN * (double)n && is_of_dips(line, all, &c) ? c : none;
}

/* The chain with the most time in it, over all lengths and depths that begin with those of a candidate. */
static struct chain longest_family(struct arena *mem, const struct line *line, const struct dip_list *all)
{
	size_t *lengths = NEW_ARRAY(mem, size_t, all->n), *some = NEW_ARRAY(mem, size_t, all->n), before = 0;
	struct chain best = { 0 };

	for (size_t i = 0; i < all->n; i++)
		lengths[i] = dip_cells(&all->at[i]);
	if (!all->n)
		return best;
	qsort(lengths, all->n, sizeof *lengths, by_number);
	for (size_t i = 0; i < all->n; i++) {
		if (before && (lengths[i] == before || (double)lengths[i] < 1.1 * (double)before)) /* nearly the same members */
			continue;
		before = lengths[i];
		for (int tenths = 10; tenths >= 5; tenths--) {
			const struct likeness like = { before, (size_t)(ALIKE_LENGTH * (double)before) + 2, tenths / 10.0 };
			const struct chain c = family_of(mem, line, all, &like, some);
			best = c.n && c.cells > best.cells ? c : best;
		}
	}
	return best;
}

/* It is no candidate any more, nor missing work between others. */
static struct span dip_taken(struct line *line, struct dip *d)
{
	d->taken = true;
	for (size_t i = d->begin; i < d->end; i++)
		line->at[i] = NAN;
	return (struct span){ line->span.begin + (time_ms)d->begin * line->cell, line->span.begin + (time_ms)d->end * line->cell };
}

static struct spans families(struct arena *mem, struct line *line)
{
	struct dip_list all = candidates(mem, line);
	struct span *when = NEW_ARRAY(mem, struct span, all.n + 1);
	size_t n = 0;

	for (int f = 0; f < FAMILIES_MOST; f++) {
		count_lows(line);
		const struct chain c = longest_family(mem, line, &all);
		if (!c.n)
			break;
		for (size_t k = 0; k < c.n; k++)
			when[n++] = dip_taken(line, &all.at[c.dips[k]]);
	}
	return spans_of(mem, when, n);
}

struct spans dips_find(struct arena *mem, const struct run *run, struct spans work)
{
	static const enum metric signs[] = { METRIC_GPU_UTIL, METRIC_GPU_POWER };
	struct spans dips = { NULL, 0 };
	struct line line;

	for (size_t i = 0; work.n && !dips.n && i < sizeof signs / sizeof *signs; i++)
		if (line_of(mem, run, work, signs[i], &line))
			dips = families(mem, &line);
	return spans_intersection(mem, dips, work);
}
