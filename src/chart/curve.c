/*
 * curve.c - from tracks to one curve of a panel, and from that to the vertices of its lines.
 *
 *     samples   . . .. .  . ..    . .      of each GPU
 *     bins      [ . ][ : ][ . ]   [ ]      2 u wide: lowest, mean, highest
 *     vertices    o----o----o     o        joined, but not over a hole
 */
#include "chart/levels.h"
#include "chart/plot.h"
#include <math.h>

/* ---- from tracks to a curve ---- */

static struct curve curve_new(struct arena *mem)
{
	return (struct curve){
		.level = NEW_ARRAY(mem, double, N_BINS),
		.low = NEW_ARRAY(mem, double, N_BINS),
		.high = NEW_ARRAY(mem, double, N_BINS),
		.fresh = NEW_ARRAY(mem, bool, N_BINS),
	};
}

static void curve_add_inner(struct arena *mem, struct curve *c)
{
	c->inner_low = NEW_ARRAY(mem, double, N_BINS);
	c->inner_high = NEW_ARRAY(mem, double, N_BINS);
}

static double level_of(const double *sorted, size_t n, enum level level)
{
	double sum = 0;
	if (level == LEVEL_LOWEST)
		return sorted[0];
	if (level == LEVEL_HIGHEST)
		return sorted[n - 1];
	for (size_t i = 0; i < n; i++)
		sum += sorted[i];
	return sum / (double)n;
}

#define MANY_GPUS 16

/* One bin of several GPUs: their levels in this bin, lowest first. */
static void curve_set(struct curve *c, size_t k, const double *sorted, size_t n, enum level level)
{
	if (n == 0) {
		c->level[k] = c->low[k] = c->high[k] = NAN;
		return;
	}
	c->level[k] = level_of(sorted, n, level);
	c->low[k] = fmin(c->low[k], sorted[0]);
	c->high[k] = fmax(c->high[k], sorted[n - 1]);
	if (c->inner_low) { /* all, or of many the middle 80 % */
		const size_t left_out = n > MANY_GPUS ? (n - 1) / 10 : 0;
		c->inner_low[k] = sorted[left_out];
		c->inner_high[k] = sorted[n - 1 - left_out];
	}
}

static void curve_fill(struct curve *c, struct levels *levels, enum level level)
{
	for (size_t k = 0; k < N_BINS; k++) {
		size_t n;
		const double *const sorted = levels_sorted(levels, k, &n);
		curve_set(c, k, sorted, n, level);
	}
}

#define MANY_SAMPLES 40 /* a bin: then each holds some dip, and min to max would be one solid block */

static struct curve curve_of_one(const struct plot *plot, const struct bins *bins, const struct track *track)
{
	const struct panel_look *const look = plot->look;
	struct arena *const mem = plot->stack->page->mem;
	struct curve c = { .level = look->is_filled ? bins->max : bins->mean, .low = bins->min, .high = bins->max,
		.fresh = bins->fresh, .n_samples = bins->n_samples };
	if (look->is_filled) {
		c.low = NEW_ARRAY(mem, double, N_BINS);
	} else if (plot->panel->kind == PANEL_BUSY && bins->n_samples >= MANY_SAMPLES * N_BINS) {
		curve_add_inner(mem, &c);
		bins_percentiles(mem, track, plot->stack->span, N_BINS, 0.05, 0.95, c.inner_low, c.inner_high);
	}
	return c;
}

/* Of all GPUs but those that have lines of their own. */
static bool has_own_line(const struct panel *panel, size_t gpu)
{
	for (size_t i = 0; i < panel->n_singled; i++)
		if (panel->singled[i].gpu == gpu)
			return true;
	return false;
}

static bool is_in_curve(const struct panel *panel, size_t gpu)
{
	return panel->gpus[gpu] && !has_own_line(panel, gpu);
}

/* In a bin: then its mean is none of them, and where the line is a mean of GPUs there is a pale band of all samples. */
#define SEVERAL_SAMPLES 2

static bool has_samples_band(const struct curve *c, enum level level)
{
	return level == LEVEL_MEAN && c->n_samples >= SEVERAL_SAMPLES * N_BINS;
}

/*
 * Where the line is the hottest or the slowest GPU the band reaches to the worst sample: no mean hides what the gutter calls "max". Where
 * it is a mean an outer band shows what that hides: dips of all GPUs that are shorter than a bin.
 */
static void curve_reach(struct curve *c, const struct bins *bins, enum level level)
{
	const bool has_samples = has_samples_band(c, level);

	for (size_t k = 0; k < N_BINS; k++) { /* fmax() and fmin() pass over NAN */
		if (level == LEVEL_HIGHEST || has_samples)
			c->high[k] = fmax(c->high[k], bins->max[k]);
		if (level == LEVEL_LOWEST || has_samples)
			c->low[k] = fmin(c->low[k], bins->min[k]);
	}
}

static void curve_forget(struct curve *c)
{
	for (size_t k = 0; k < N_BINS; k++)
		c->low[k] = c->high[k] = NAN;
}

/* Nothing of a GPU's bins stays but what is gathered here: of hundreds they would be megabytes, panel by panel. */
static struct curve curve_of_several(const struct plot *plot, size_t n)
{
	const struct panel *const panel = plot->panel;
	const struct panel_look *const look = plot->look;
	struct curve c = curve_new(plot->stack->page->mem);
	struct arena scratch, of_one;
	curve_forget(&c);
	arena_init(&scratch);
	arena_init(&of_one);
	struct levels levels = levels_new(&scratch, N_BINS, n);
	stack_bins_make(plot->stack, panel, panel->gate, N_BINS);
	for (size_t i = 0, n_added = 0; i < panel->n_gpus; i++) {
		if (!is_in_curve(panel, i))
			continue;
		const struct bins *const bins =
			stack_bins(plot->stack, &of_one, panel->gpus[i], panel->gate ? panel->gate[i] : NULL, N_BINS, panel->scale);
		c.n_samples = n_added++ ? c.n_samples : bins->n_samples;
		levels_add(&levels, drawn_of(bins, look));
		curve_reach(&c, bins, look->of_several);
		for (size_t k = 0; k < N_BINS; k++)
			c.fresh[k] |= bins->fresh[k];
		arena_reset(&of_one);
	}
	if (n > MANY_GPUS || has_samples_band(&c, look->of_several))
		curve_add_inner(plot->stack->page->mem, &c);
	curve_fill(&c, &levels, look->of_several);
	arena_release(&of_one);
	arena_release(&scratch);
	return c;
}

struct curve curve_of_gpus(const struct plot *plot, size_t *n)
{
	const struct panel *const panel = plot->panel;
	struct arena *const mem = plot->stack->page->mem;
	size_t last = 0;
	*n = 0;
	for (size_t i = 0; i < panel->n_gpus; i++)
		if (is_in_curve(panel, i)) {
			last = i;
			++*n;
		}
	if (*n == 0)
		return (struct curve){ .level = NULL };
	if (*n > 1)
		return curve_of_several(plot, *n);
	const struct track *const track = panel->gpus[last];
	const struct bins *const bins = stack_bins(plot->stack, mem, track, panel->gate ? panel->gate[last] : NULL, N_BINS, panel->scale);
	return curve_of_one(plot, bins, track);
}

/* ---- from a curve to vertices ---- */

double plot_bin_x(double k)
{
	return PLOT_LEFT + k * BIN_WIDTH;
}

bool curve_is_known(const struct curve *c, size_t k)
{
	return k < N_BINS && !isnan(c->level[k]);
}

/* A bin that a hole only touches still has samples; its middle may lie in the hole, its vertex may not. */
static double out_of_holes(const struct stack *s, struct spans holes, double x)
{
	for (size_t i = 0; i < holes.n; i++) {
		const double begin = stack_x(s, holes.at[i].begin), end = stack_x(s, holes.at[i].end);
		if (x > begin && x < end)
			return x - begin < end - x ? begin : end;
	}
	return x;
}

static bool hole_between(const struct stack *s, struct spans holes, double a, double b)
{
	for (size_t i = 0; i < holes.n; i++) {
		const double middle = (stack_x(s, holes.at[i].begin) + stack_x(s, holes.at[i].end)) / 2;
		if (middle >= a && middle <= b)
			return true;
	}
	return false;
}

/*
 * Samples rarer than bins are joined straight. `bridge` bins without anything known don't break
 * the line: a clock that is only shown while the GPU is busy would otherwise be dust.
 */
static bool are_joined(const struct stack *s, const struct curve *c, struct spans holes, const struct vertex *a,
	const struct vertex *b, size_t bridge)
{
	size_t unknown = 0;
	for (size_t k = a->bin + 1; k < b->bin; k++)
		unknown += !curve_is_known(c, k);
	return unknown <= bridge && !hole_between(s, holes, a->x, b->x);
}

static bool begins_run(const struct vertices *v, size_t i)
{
	return !v->at[i].joined;
}

static bool ends_run(const struct vertices *v, size_t i)
{
	return i + 1 == v->n || !v->at[i + 1].joined;
}

/* Runs reach to the edges of what is known, not just to the middle of their last bin. */
static void stretch_runs(const struct stack *s, struct spans holes, struct vertices *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const double shift = begins_run(v, i) ? -0.5 : ends_run(v, i) ? 0.5 : 0;
		v->at[i].x = out_of_holes(s, holes, plot_bin_x((double)v->at[i].bin + 0.5 + shift));
	}
}

/* Is bin k - 1 of a curve known? Not beyond its ends, and not where a hole covers it: the first and the last sample reach to the edges. */
static const bool *bins_known(const struct stack *s, const struct curve *c, struct spans holes)
{
	bool *const known = NEW_ARRAY(s->page->mem, bool, N_BINS + 2);
	for (size_t k = 0; k < N_BINS; k++)
		known[k + 1] = curve_is_known(c, k) && !holes_cover(s, holes, plot_bin_x((double)k), plot_bin_x((double)k + 1));
	return known;
}

struct vertices curve_vertices(const struct stack *s, const struct curve *c, struct spans holes, size_t bridge)
{
	struct vertices v = { NEW_ARRAY(s->page->mem, struct vertex, N_BINS), 0 };
	const bool *const known = bins_known(s, c, holes);
	for (size_t k = 0; k < N_BINS; k++) {
		if (!known[k + 1] || !(c->fresh[k] || !known[k] || !known[k + 2]))
			continue;
		struct vertex *const next = &v.at[v.n];
		*next = (struct vertex){ out_of_holes(s, holes, plot_bin_x((double)k + 0.5)), k, false };
		next->joined = v.n && are_joined(s, c, holes, next - 1, next, bridge);
		v.n++;
	}
	stretch_runs(s, holes, &v);
	return v;
}
