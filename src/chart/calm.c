/* calm.c - the level line without its flicker (visual.md 7.3): where it jumps from bin to bin, a mean of its neighbours. */
#include "chart/plot.h"
#include <math.h>

#define FLICKER 0.03      /* of the axis, from bin to bin */
#define FLICKER_SHARE 0.6 /* of the steps of a segment */
#define ALIKE_SHARE 0.3   /* of one beside such a segment: a ragged part of a line beside a smooth one looks like a change of the work */
#define CALM_RADIUS 5
#define LEAST_CALM_BINS (4 * CALM_RADIUS) /* a mean over most of a segment would be a flat line where there is a shape */
#define MAX_CUTTING_STRETCHES 12 /* a finding with more is itself the flicker */
#define LEAST_CUT_WIDTH (CALM_RADIUS * BIN_WIDTH) /* a shorter window is one of the dips that make the line flicker */

/* On both sides of the bin that has some of either: neither's extremes are the other's. */
static void cut_at(bool *cut, double x)
{
	const size_t bin = (size_t)((x - PLOT_LEFT) / BIN_WIDTH);
	cut[bin] = cut[bin + 1] = true;
}

/* Where work begins and ends. Dips are of the work, and of what makes the line flicker. */
static void cut_at_phases(const struct stack *s, bool *cut)
{
	const struct report *const r = s->page->report;
	double x0, x1;
	for (size_t i = 0; i < r->n_phases; i++) {
		const struct report_phase *const phase = &r->phases[i];
		if (strcmp(phase->name, "steady") == 0 || strcmp(phase->name, "dip") == 0 ||
			!stack_stretch(s, (struct span){ phase->begin, phase->end }, 0, &x0, &x1))
			continue;
		cut_at(cut, x0);
		cut_at(cut, x1);
	}
}

/* With those that are too near to each other for a level between them, as one. */
static struct stretches stretches_apart(struct stretches of)
{
	struct stretches out = { of.at, 0 };
	for (size_t i = 0; i < of.n; i++) {
		if (out.n && of.at[i].x0 - out.at[out.n - 1].x1 < LEAST_CUT_WIDTH)
			out.at[out.n - 1].x1 = fmax(out.at[out.n - 1].x1, of.at[i].x1);
		else
			out.at[out.n++] = of.at[i];
	}
	return out;
}

/* Bins in which work, or a finding, begins or ends: edges stay sharp. */
static const bool *cuts_of(const struct stack *s)
{
	const struct report *const r = s->page->report;
	bool *cut = NEW_ARRAY(s->page->mem, bool, N_BINS + 2);
	cut_at_phases(s, cut);
	for (size_t f = 0; f < r->n_findings; f++) {
		const struct stretches at = stretches_apart(finding_stretches(s, &r->findings[f], 0));
		for (size_t i = 0; i < at.n && at.n <= MAX_CUTTING_STRETCHES; i++) {
			if (at.at[i].x1 - at.at[i].x0 < LEAST_CUT_WIDTH)
				continue;
			cut_at(cut, at.at[i].x0);
			cut_at(cut, at.at[i].x1);
		}
	}
	return cut;
}

static bool is_cut(const bool *cuts, const struct vertex *a, const struct vertex *b)
{
	for (size_t k = a->bin + 1; k <= b->bin; k++)
		if (cuts[k])
			return true;
	return false;
}

/* The share of steps that are large; 0 of a segment that is too short for a level. */
static double flicker_of(const struct curve *c, const struct vertex *v, size_t n, double step)
{
	size_t large = 0;
	for (size_t i = 1; i < n; i++)
		large += fabs(c->level[v[i].bin] - c->level[v[i - 1].bin]) > step;
	return n >= LEAST_CALM_BINS ? (double)large / (double)(n - 1) : 0;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static double mean_around(const double *value, const struct vertex *v, size_t n, size_t i)
{
	const size_t begin = i - smaller(i, CALM_RADIUS), end = smaller(n - 1, i + CALM_RADIUS);
	double sum = 0;
	for (size_t j = begin; j <= end; j++)
		sum += value[v[j].bin];
	return sum / (double)(end - begin + 1);
}

static void extremes_around(const struct curve *c, const struct vertex *v, size_t n, size_t i, double *low, double *high)
{
	const size_t begin = i - smaller(i, CALM_RADIUS), end = smaller(n - 1, i + CALM_RADIUS);
	*low = *high = c->level[v[i].bin];
	for (size_t j = begin; j <= end; j++) {
		*low = fmin(*low, c->low[v[j].bin]);
		*high = fmax(*high, c->high[v[j].bin]);
	}
}

static void segment_calm(const struct curve *raw, struct curve *out, const struct vertex *v, size_t n, bool widen)
{
	for (size_t i = 0; i < n; i++) {
		out->level[v[i].bin] = mean_around(raw->level, v, n, i);
		if (widen)
			extremes_around(raw, v, n, i, &out->low[v[i].bin], &out->high[v[i].bin]);
	}
}

static double *copied(struct arena *mem, const double *values)
{
	double *copy = NEW_ARRAY(mem, double, N_BINS);
	memcpy(copy, values, N_BINS * sizeof *copy);
	return copy;
}

/* The end of the segment that begins there. */
static size_t segment_end(const struct vertices *v, const bool *cuts, size_t begin)
{
	size_t end = begin + 1;
	while (end < v->n && v->at[end].joined && !is_cut(cuts, &v->at[end - 1], &v->at[end]))
		end++;
	return end;
}

struct curve curve_calmed(const struct plot *plot, const struct curve *raw, const struct vertices *v, bool widen)
{
	struct arena *const mem = plot->stack->page->mem;
	const bool *const cuts = cuts_of(plot->stack);
	const double step = FLICKER * (plot->high - plot->low);
	double most = 0;
	struct curve out = *raw;
	out.level = copied(mem, raw->level);
	out.low = copied(mem, raw->low);
	out.high = copied(mem, raw->high);
	for (size_t begin = 0, end; begin < v->n; begin = end) {
		end = segment_end(v, cuts, begin);
		most = fmax(most, flicker_of(raw, v->at + begin, end - begin, step));
	}
	for (size_t begin = 0, end; begin < v->n && most >= FLICKER_SHARE; begin = end) {
		end = segment_end(v, cuts, begin);
		if (flicker_of(raw, v->at + begin, end - begin, step) >= ALIKE_SHARE)
			segment_calm(raw, &out, v->at + begin, end - begin, widen);
	}
	return out;
}
