/*
 * panel.c - the line panels: busy, memory, temperature, margin, power, clock.
 *
 *     Busy, %   line = mean of 8 GPUs, band = least to most busy GPU
 *     100 |~~~\      /~~~~~~//~~~~~
 *      50 |    ======        hole        GPU
 *       0 |_________________________     mean 84 %
 *
 * Samples become bins 2 u wide, bins of all GPUs become one curve (a level between bands), and
 * the known bins of a curve become vertices. Lines and bands join vertices, and stop at holes.
 */
#include "base/sort.h"
#include "chart/levels.h"
#include "chart/stack.h"
#include <math.h>
#include <stdlib.h>

#define BIN_WIDTH 2.0
#define N_BINS ((size_t)(PLOT_WIDTH / BIN_WIDTH))

enum level { LEVEL_MEAN, LEVEL_HIGHEST, LEVEL_LOWEST };

/* What is drawn where (visual.md 7.2); all of these panels have a band over several GPUs. */
static const struct panel_look {
	enum hue hue;
	double line;
	enum level of_several; /* GPUs */
	bool is_calm;          /* the level line is smoothed where it flickers */
	bool is_filled;        /* one GPU: filled down to zero, and the line is the highest of each bin */
} looks[] = {
	[PANEL_BUSY]        = { HUE_GPU, 1.7, LEVEL_MEAN, true, false },
	[PANEL_MEMORY]      = { HUE_MEMORY, 1.5, LEVEL_HIGHEST, false, true },
	[PANEL_TEMPERATURE] = { HUE_TEMPERATURE, 1.5, LEVEL_HIGHEST, false, false },
	[PANEL_MARGIN]      = { HUE_TEMPERATURE, 1.5, LEVEL_LOWEST, false, false },
	[PANEL_POWER]       = { HUE_POWER, 1.5, LEVEL_MEAN, true, false },
	[PANEL_CLOCK]       = { HUE_CLOCK, 1.5, LEVEL_LOWEST, false, false },
};
#define CPU_LINE 1.1
#define CASING 1.4

struct curve {
	double *level, *low, *high;      /* N_BINS each; NAN: nothing known */
	double *inner_low, *inner_high;  /* or NULL: no inner band */
	bool *fresh;
	size_t n_samples;                /* of one GPU */
};

/* A panel with its place and its axis. */
struct plot {
	const struct stack *stack;
	const struct panel *panel;
	double y, h, low, high;
};

static double plot_y(const struct plot *plot, double value)
{
	const double within = fmin(fmax(value, plot->low), plot->high);
	return plot->y + plot->h - (within - plot->low) / (plot->high - plot->low) * plot->h;
}

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

/* One bin of several GPUs: their levels in this bin, lowest first. */
static void curve_set(struct curve *c, size_t k, const double *sorted, size_t n, enum level level)
{
	if (n == 0) {
		c->level[k] = c->low[k] = c->high[k] = NAN;
		return;
	}
	c->level[k] = level_of(sorted, n, level);
	c->low[k] = sorted[0];
	c->high[k] = sorted[n - 1];
	if (c->inner_low) { /* the middle 80 % */
		c->inner_low[k] = sorted[(n - 1) / 10];
		c->inner_high[k] = sorted[n - 1 - (n - 1) / 10];
	}
}

#define MANY_GPUS 16

static void curve_fill(struct curve *c, struct levels *levels, enum level level)
{
	for (size_t k = 0; k < N_BINS; k++) {
		size_t n;
		const double *const sorted = levels_sorted(levels, k, &n);
		curve_set(c, k, sorted, n, level);
	}
}

#define MANY_SAMPLES 40 /* a bin: then each holds some dip, and min to max would be one solid block */

static struct curve curve_of_one(struct arena *mem, const struct bins *bins, const struct panel *panel, const struct track *track,
	struct span span)
{
	const struct panel_look *const look = &looks[panel->kind];
	struct curve c = { .level = look->is_filled ? bins->max : bins->mean, .low = bins->min, .high = bins->max,
		.fresh = bins->fresh, .n_samples = bins->n_samples };
	if (look->is_filled) {
		c.low = NEW_ARRAY(mem, double, N_BINS);
	} else if (panel->kind == PANEL_BUSY && bins->n_samples >= MANY_SAMPLES * N_BINS) {
		curve_add_inner(mem, &c);
		bins_percentiles(mem, track, span, N_BINS, 0.05, 0.95, c.inner_low, c.inner_high);
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

/* Nothing of a GPU's bins stays but what is gathered here: of hundreds they would be megabytes, panel by panel. */
static struct curve curve_of_several(const struct plot *plot, size_t n)
{
	const struct panel *const panel = plot->panel;
	const struct panel_look *const look = &looks[panel->kind];
	struct curve c = curve_new(plot->stack->page->mem);
	struct arena scratch, of_one;
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
		levels_add(&levels, look->is_filled ? bins->max : bins->mean);
		for (size_t k = 0; k < N_BINS; k++)
			c.fresh[k] |= bins->fresh[k];
		arena_reset(&of_one);
	}
	if (n > MANY_GPUS)
		curve_add_inner(plot->stack->page->mem, &c);
	curve_fill(&c, &levels, look->of_several);
	arena_release(&of_one);
	arena_release(&scratch);
	return c;
}

static struct curve curve_of_gpus(const struct plot *plot, size_t *n)
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
	return curve_of_one(mem, bins, panel, track, plot->stack->span);
}

/* ---- from a curve to vertices ---- */

struct vertex {
	double x;
	size_t bin;
	bool joined; /* with the one before */
};
struct vertices {
	struct vertex *at;
	size_t n;
};

static double bin_x(double k)
{
	return PLOT_LEFT + k * BIN_WIDTH;
}

static bool is_known(const struct curve *c, size_t k)
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
		unknown += !is_known(c, k);
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
		v->at[i].x = out_of_holes(s, holes, bin_x((double)v->at[i].bin + 0.5 + shift));
	}
}

/* Is bin k - 1 of a curve known? Not beyond its ends, and not where a hole covers it: the first and the last sample reach to the edges. */
static const bool *bins_known(const struct stack *s, const struct curve *c, struct spans holes)
{
	bool *const known = NEW_ARRAY(s->page->mem, bool, N_BINS + 2);
	for (size_t k = 0; k < N_BINS; k++)
		known[k + 1] = is_known(c, k) && !holes_cover(s, holes, bin_x((double)k), bin_x((double)k + 1));
	return known;
}

static struct vertices vertices_of(const struct stack *s, const struct curve *c, struct spans holes, size_t bridge)
{
	struct vertices v = { NEW_ARRAY(s->page->mem, struct vertex, N_BINS), 0 };
	const bool *const known = bins_known(s, c, holes);
	for (size_t k = 0; k < N_BINS; k++) {
		if (!known[k + 1] || !(c->fresh[k] || !known[k] || !known[k + 2]))
			continue;
		struct vertex *const next = &v.at[v.n];
		*next = (struct vertex){ out_of_holes(s, holes, bin_x((double)k + 0.5)), k, false };
		next->joined = v.n && are_joined(s, c, holes, next - 1, next, bridge);
		v.n++;
	}
	stretch_runs(s, holes, &v);
	return v;
}

/* ---- the calm level line (visual.md 7.3) ---- */

#define FLICKER 0.03      /* of the axis, from bin to bin */
#define FLICKER_SHARE 0.6 /* of the steps of a segment */
#define CALM_RADIUS 5
#define LEAST_CALM_BINS (4 * CALM_RADIUS) /* a mean over most of a segment would be a flat line where there is a shape */
#define SPARSE_SAMPLES 4  /* a bin: fewer have no band of their own to show what smoothing hides, and get that of the time of the mean */
#define MAX_CUTTING_STRETCHES 12 /* a finding with more is itself the flicker */
#define LEAST_CUT_WIDTH (CALM_RADIUS * BIN_WIDTH) /* a shorter window is one of the dips that make the line flicker */

static void cut_at(bool *cut, double x)
{
	cut[(size_t)((x - PLOT_LEFT) / BIN_WIDTH)] = true;
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
	bool *cut = NEW_ARRAY(s->page->mem, bool, N_BINS + 1);
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

static bool flickers(const struct curve *c, const struct vertex *v, size_t n, double step)
{
	size_t large = 0;
	for (size_t i = 1; i < n; i++)
		large += fabs(c->level[v[i].bin] - c->level[v[i - 1].bin]) > step;
	return n >= LEAST_CALM_BINS && (double)large >= FLICKER_SHARE * (double)(n - 1);
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

static struct curve calmed(const struct plot *plot, const struct curve *raw, const struct vertices *v, bool widen)
{
	struct arena *const mem = plot->stack->page->mem;
	const bool *const cuts = cuts_of(plot->stack);
	const double step = FLICKER * (plot->high - plot->low);
	struct curve out = *raw;
	out.level = copied(mem, raw->level);
	out.low = copied(mem, raw->low);
	out.high = copied(mem, raw->high);
	for (size_t begin = 0, end = 1; begin < v->n; begin = end++) {
		while (end < v->n && v->at[end].joined && !is_cut(cuts, &v->at[end - 1], &v->at[end]))
			end++;
		if (flickers(raw, v->at + begin, end - begin, step))
			segment_calm(raw, &out, v->at + begin, end - begin, widen);
	}
	return out;
}

/* ---- drawing ---- */

static size_t run_end(const struct vertices *v, size_t begin)
{
	size_t end = begin + 1;
	while (end < v->n && v->at[end].joined)
		end++;
	return end;
}

/* A run of a single bin is as wide as that bin. */
static size_t run_points(const struct plot *plot, const struct vertices *v, size_t begin, size_t end, const double *value,
	struct point *out)
{
	size_t n = 0;
	for (size_t i = begin; i < end; i++)
		out[n++] = (struct point){ v->at[i].x, plot_y(plot, value[v->at[i].bin]) };
	if (n == 1) {
		out[n] = out[0];
		out[n++].x = fmin(out[0].x + BIN_WIDTH / 2, PLOT_RIGHT);
	}
	return n;
}

static void band_draw(const struct plot *plot, const struct vertices *v, const double *low, const double *high, struct colour colour)
{
	struct canvas *const canvas = plot->stack->page->canvas;
	struct point *at = NEW_ARRAY(plot->stack->page->mem, struct point, 2 * N_BINS + 4);
	for (size_t begin = 0, end; begin < v->n; begin = end) {
		end = run_end(v, begin);
		const size_t n = run_points(plot, v, begin, end, high, at);
		struct point *const back = at + n;
		run_points(plot, v, begin, end, low, back);
		for (size_t i = 0; i < n / 2; i++) {
			const struct point swapped = back[i];
			back[i] = back[n - 1 - i];
			back[n - 1 - i] = swapped;
		}
		canvas->verbs->polygon(canvas, at, 2 * n, 0, colour);
	}
}

static void line_runs(const struct plot *plot, const struct vertices *v, const double *level, struct pen pen)
{
	struct canvas *const canvas = plot->stack->page->canvas;
	struct point *at = NEW_ARRAY(plot->stack->page->mem, struct point, N_BINS + 1);
	for (size_t begin = 0, end; begin < v->n; begin = end) {
		end = run_end(v, begin);
		canvas->verbs->polyline(canvas, at, run_points(plot, v, begin, end, level, at), pen);
	}
}

/* Every data line has a casing of page colour, so that it stays readable on bands and other lines. */
static void pen_draw(const struct plot *plot, const struct vertices *v, const double *level, struct pen pen)
{
	const struct colour page = page_hue(plot->stack->page, HUE_PAGE);
	line_runs(plot, v, level, (struct pen){ .colour = faded(page, 0.75), .width = pen.width + CASING });
	line_runs(plot, v, level, pen);
}

static void line_draw(const struct plot *plot, const struct vertices *v, const double *level, enum hue hue, double width)
{
	pen_draw(plot, v, level, (struct pen){ .colour = page_hue(plot->stack->page, hue), .width = width });
}

#define WASH_STEPS_A_UNIT 2.0 /* pixels at the usual scale */
#define N_WASH_STEPS ((size_t)(PLOT_WIDTH * WASH_STEPS_A_UNIT))

static void wash(unsigned char *worst, const struct stretches *at, unsigned char mark)
{
	for (size_t i = 0; i < at->n; i++)
		for (size_t k = (size_t)round((at->at[i].x0 - PLOT_LEFT) * WASH_STEPS_A_UNIT);
			k < (size_t)round((at->at[i].x1 - PLOT_LEFT) * WASH_STEPS_A_UNIT); k++)
			worst[k] = mark > worst[k] ? mark : worst[k];
}

/* Per step of the plot's width 1 + the worst severity whose findings cover it, or cost something then; 0: none. */
static const unsigned char *washes_of(const struct stack *s)
{
	const struct report *const r = s->page->report;
	unsigned char *worst = NEW_ARRAY(s->page->mem, unsigned char, N_WASH_STEPS);
	for (size_t f = 0; f < r->n_findings; f++) {
		const struct finding *const finding = &r->findings[f];
		const unsigned char mark = (unsigned char)(finding->severity_level + 1);
		if ((s->left_out && s->left_out[f]) || finding->is_hole || finding_is_long(s, finding))
			continue;
		const struct stretches at = finding_stretches(s, finding, 1), beside = finding_stretches_beside(s, finding, 1);
		wash(worst, &at, mark);
		if (!finding_is_long_beside(s, finding))
			wash(worst, &beside, mark);
	}
	return worst;
}

/* Tints would add up where findings overlap, to a colour that means nothing: the worst one has the time. */
static void washes_draw(const struct plot *plot)
{
	const unsigned char *const worst = washes_of(plot->stack);
	for (size_t begin = 0, end; begin < N_WASH_STEPS; begin = end) {
		for (end = begin + 1; end < N_WASH_STEPS && worst[end] == worst[begin];)
			end++;
		if (worst[begin])
			page_box(plot->stack->page, PLOT_LEFT + (double)begin / WASH_STEPS_A_UNIT, plot->y,
				(double)(end - begin) / WASH_STEPS_A_UNIT, plot->h, severity_looks[worst[begin] - 1].wash);
	}
}

static void time_grid_draw(const struct plot *plot)
{
	const struct time_ticks *const ticks = &plot->stack->ticks;
	for (size_t i = 0; i < ticks->n; i++) {
		const bool darker = ticks->step < DAY_MS && is_midnight(ticks->at[i]);
		page_upright(plot->stack->page, stack_x(plot->stack, ticks->at[i]), plot->y, plot->y + plot->h,
			darker ? HUE_GRID_MIDNIGHT : HUE_GRID);
	}
}

#define TICKED_HEIGHT 66.0 /* a higher panel has no more levels than one of this height, only further apart */

static void value_axis_draw(const struct plot *plot)
{
	const struct page *const p = plot->stack->page;
	const double height = fmin(plot->h, TICKED_HEIGHT);
	const bool is_percent = plot->panel->kind == PANEL_BUSY;
	const struct value_ticks ticks = is_percent ? ticks_percent(plot->h) : ticks_value(plot->low, plot->high, height);
	for (size_t i = 0; i < ticks.n; i++) {
		const double y = plot_y(plot, ticks.at[i]);
		page_level(p, PLOT_LEFT, PLOT_RIGHT, y, HUE_GRID);
		page_text(p, PLOT_LEFT - 5, y + 3.1, TYPE_AXIS, ALIGN_RIGHT, number_text(p->mem, ticks.at[i], ticks.decimals));
	}
	page_level(p, PLOT_LEFT, PLOT_RIGHT, plot->y + plot->h, HUE_AXIS);
}

/* Where no GPU has a value, though rows may be there: unknown too. */
static void unknown_draw(const struct plot *plot, const struct curve *c)
{
	for (size_t k = 0; k < N_BINS; k++) {
		const size_t begin = k;
		while (k < N_BINS && !is_known(c, k))
			k++;
		if (k > begin)
			page_hatch(plot->stack->page, bin_x((double)begin), plot->y, (double)(k - begin) * BIN_WIDTH, plot->h);
	}
}

static void thresholds_draw(const struct plot *plot)
{
	struct canvas *const canvas = plot->stack->page->canvas;
	const struct colour colour = page_hue(plot->stack->page, looks[plot->panel->kind].hue);
	const struct pen pen = { .colour = colour, .width = 0.9, .dash_on = 4, .dash_off = 2.5 };
	for (size_t i = 0; i < plot->panel->n_thresholds; i++) {
		const double y = plot_y(plot, plot->panel->thresholds[i].value);
		canvas->verbs->rule(canvas, (struct point){ PLOT_LEFT, y }, (struct point){ PLOT_RIGHT, y }, pen);
	}
}

/* ---- names in the right gutter ---- */

struct gutter_label {
	double anchor; /* y of what it names */
	double y, height;
	const char *name, *statistic;
	enum hue hue;
	bool is_threshold;
	const struct finding *in; /* its badge follows the statistic */
};
#define NAME_LINE 10.5
#define STATISTIC_LINE 10.0
#define LABEL_SLACK 4.0 /* above and below the plot */
#define MAX_GUTTER_LABELS 8
#define BADGE_RADIUS 4.9
#define BADGE_GAP 3.5

static int by_anchor(const void *a, const void *b)
{
	const struct gutter_label *x = a, *y = b;
	if (x->anchor != y->anchor)
		return (x->anchor > y->anchor) - (x->anchor < y->anchor);
	return y->is_threshold - x->is_threshold;
}

static double labels_height(struct gutter_label *l, size_t n)
{
	double height = 0;
	for (size_t i = 0; i < n; i++) {
		l[i].height = NAME_LINE + (l[i].statistic ? STATISTIC_LINE : 0);
		height += l[i].height + 1;
	}
	return height - 1;
}

/* Statistics go from the bottom up until the names fit; then the names that are lowest go. */
static size_t labels_fitted(struct gutter_label *l, size_t n, double room)
{
	for (size_t i = n; i-- > 0 && labels_height(l, n) > room;)
		l[i].statistic = NULL;
	while (n && labels_height(l, n) > room)
		n--;
	return n;
}

/* Each as near to its line as the one above allows, then pushed up from the bottom. */
static void labels_place(struct gutter_label *l, size_t n, double top, double bottom)
{
	double free_from = top, limit = bottom;
	for (size_t i = 0; i < n; i++) {
		l[i].y = fmax(free_from, l[i].anchor - 6);
		free_from = l[i].y + l[i].height + 1;
	}
	for (size_t i = n; i-- > 0;) {
		l[i].y = fmin(l[i].y, limit - l[i].height);
		limit = l[i].y - 1;
	}
}

static void threshold_label_draw(const struct page *p, const struct gutter_label *l)
{
	p->canvas->verbs->rule(p->canvas, (struct point){ GUTTER_LEFT, l->y + 6 }, (struct point){ GUTTER_LEFT + 10, l->y + 6 },
		(struct pen){ .colour = page_hue(p, l->hue), .width = 0.9, .dash_on = 3, .dash_off = 1.6 });
	page_text_in(p, GUTTER_LEFT + 13, l->y + 9, TYPE_STATISTIC, ALIGN_LEFT, page_hue(p, l->hue),
		page_cut_end(p, TYPE_STATISTIC, l->name, GUTTER_WIDTH - 13));
}

static void label_draw(const struct page *p, const struct gutter_label *l)
{
	if (l->is_threshold) {
		threshold_label_draw(p, l);
		return;
	}
	page_text_in(p, GUTTER_LEFT, l->y + 9, TYPE_LABEL, ALIGN_LEFT, page_hue(p, l->hue),
		page_cut_end(p, TYPE_LABEL, l->name, GUTTER_WIDTH));
	if (!l->statistic)
		return;
	const double half = l->in ? page_badge_half(p, BADGE_RADIUS, l->in->number, l->in->severity_level) : 0;
	const char *const statistic = page_cut_end(p, TYPE_STATISTIC, l->statistic, GUTTER_WIDTH - (l->in ? 2 * half + BADGE_GAP : 0));
	page_text(p, GUTTER_LEFT, l->y + 19, TYPE_STATISTIC, ALIGN_LEFT, statistic);
	if (l->in)
		page_badge(p, GUTTER_LEFT + page_text_width(p, TYPE_STATISTIC, statistic) + BADGE_GAP + half, l->y + 16, BADGE_RADIUS,
			l->in->number, l->in->severity_level);
}

static double typical_y(const struct plot *plot, const struct curve *c)
{
	double *known = NEW_ARRAY(plot->stack->page->mem, double, N_BINS);
	size_t n = 0;
	for (size_t k = 0; c->level && k < N_BINS; k++)
		if (is_known(c, k))
			known[n++] = c->level[k];
	doubles_sort(known, n);
	return n ? plot_y(plot, known[n / 2]) : plot->y + plot->h / 2;
}

/* Inside of the finding that singles it out: there the lines part. */
static double typical_y_in(const struct plot *plot, const struct curve *c, const struct finding *f)
{
	double *known = NEW_ARRAY(plot->stack->page->mem, double, N_BINS);
	const struct stretches at = finding_stretches(plot->stack, f, BIN_WIDTH);
	size_t n = 0;
	for (size_t i = 0; c->level && i < at.n; i++)
		for (size_t k = (size_t)((at.at[i].x0 - PLOT_LEFT) / BIN_WIDTH); bin_x((double)k) < at.at[i].x1 && n < N_BINS; k++)
			if (is_known(c, k))
				known[n++] = c->level[k];
	doubles_sort(known, n);
	return n ? plot_y(plot, known[n / 2]) : typical_y(plot, c);
}

static size_t singled_labels(const struct plot *plot, const struct curve *curves, struct gutter_label *l)
{
	const struct panel *const panel = plot->panel;
	for (size_t i = 0; i < panel->n_singled; i++)
		l[i] = (struct gutter_label){ .anchor = typical_y_in(plot, &curves[i], panel->singled[i].in),
			.name = panel->singled[i].label.name, .statistic = panel->singled[i].label.statistic,
			.hue = looks[panel->kind].hue, .in = panel->singled[i].in };
	return panel->n_singled;
}

static void labels_draw(const struct plot *plot, const struct curve *gpu, const struct curve *cpu, const struct curve *singled)
{
	const struct panel *const panel = plot->panel;
	const enum hue hue = looks[panel->kind].hue;
	struct gutter_label l[MAX_GUTTER_LABELS];
	size_t n = singled_labels(plot, singled, l);
	if (panel->n_singled && gpu->level)
		l[n++] = (struct gutter_label){ .anchor = typical_y_in(plot, gpu, panel->others_in), .name = panel->others.name,
			.statistic = panel->others.statistic, .hue = HUE_INK3, .in = panel->others_in };
	else if (!panel->n_singled && panel->label.name)
		l[n++] = (struct gutter_label){ .anchor = typical_y(plot, gpu), .name = panel->label.name,
			.statistic = panel->label.statistic, .hue = hue };
	if (panel->cpu && panel->cpu_label.name)
		l[n++] = (struct gutter_label){ .anchor = typical_y(plot, cpu), .name = panel->cpu_label.name,
			.statistic = panel->cpu_label.statistic, .hue = HUE_CPU };
	for (size_t i = 0; i < panel->n_thresholds && n < MAX_GUTTER_LABELS; i++)
		l[n++] = (struct gutter_label){ .anchor = plot_y(plot, panel->thresholds[i].value), .name = panel->thresholds[i].text,
			.hue = hue, .is_threshold = true };
	qsort(l, n, sizeof *l, by_anchor);
	n = labels_fitted(l, n, plot->h + 2 * LABEL_SLACK);
	labels_place(l, n, plot->y - LABEL_SLACK, plot->y + plot->h + LABEL_SLACK);
	for (size_t i = 0; i < n; i++)
		label_draw(plot->stack->page, &l[i]);
}

/* ---- the panel ---- */

#define NAMED_HOLE_WIDTH 60.0

static void hole_names_draw(const struct plot *plot)
{
	const struct stack *const s = plot->stack;
	double x0, x1;
	for (size_t i = 0; i < plot->panel->holes.n; i++) {
		const struct span hole = plot->panel->holes.at[i];
		if (!stack_stretch(s, hole, 0, &x0, &x1) || x1 - x0 < NAMED_HOLE_WIDTH)
			continue;
		const char *const length = duration_text(s->page->mem, (double)span_length(hole) / SECOND_MS);
		const char *const text = arena_print(s->page->mem, "no log %s", length);
		if (page_text_width(s->page, TYPE_STATISTIC, text) < x1 - x0)
			page_text_haloed(s->page, (x0 + x1) / 2, plot->y + plot->h / 2 + 3, TYPE_STATISTIC, ALIGN_CENTRE, text);
	}
}

static bool is_any_singled_logged(const struct panel *panel)
{
	for (size_t i = 0; i < panel->n_singled; i++)
		if (panel->gpus[panel->singled[i].gpu])
			return true;
	return false;
}

static void ground_draw(const struct plot *plot, const struct curve *c, bool gated)
{
	washes_draw(plot);
	time_grid_draw(plot);
	value_axis_draw(plot);
	if (!c->level && plot->panel->n_gpus && !is_any_singled_logged(plot->panel)) {
		page_hatch(plot->stack->page, PLOT_LEFT, plot->y, PLOT_WIDTH, plot->h);
		return;
	}
	if (!gated && c->level)
		unknown_draw(plot, c);
	holes_draw(plot->stack, plot->panel->holes, plot->y, plot->h);
}

static void bands_draw(const struct plot *plot, const struct vertices *v, const struct curve *c, bool faint)
{
	const struct page *const p = plot->stack->page;
	const struct colour colour = page_hue(p, looks[plot->panel->kind].hue);
	const double strong = p->theme->band, weak = p->theme->outer_band;
	band_draw(plot, v, c->low, c->high, faded(colour, c->inner_low || faint ? weak : strong));
	if (c->inner_low)
		band_draw(plot, v, c->inner_low, c->inner_high, faded(colour, strong));
}

static struct curve cpu_draw(const struct plot *plot)
{
	const struct stack *const s = plot->stack;
	const struct panel *const panel = plot->panel;
	const struct bins bins = *stack_bins(s, s->page->mem, panel->cpu, NULL, N_BINS, panel->scale);
	const struct curve c = { .level = bins.mean, .low = bins.min, .high = bins.max, .fresh = bins.fresh };
	const struct vertices v = vertices_of(s, &c, panel->cpu_holes, 0);
	line_draw(plot, &v, c.level, HUE_CPU, CPU_LINE);
	return c;
}

#define GATE_BRIDGE 6 /* bins */
#define OTHERS_BAND 1.4 /* grey is fainter than colours: it takes more of it */
#define OTHERS_LEAST 2.0 /* of what is all at one level, or is one GPU */

/* Nowhere so thin that it can't be seen. */
static struct curve thickened(const struct plot *plot, const struct curve *c)
{
	struct arena *const mem = plot->stack->page->mem;
	const double least = OTHERS_LEAST / plot->h * (plot->high - plot->low);
	struct curve thick = { .level = c->level, .low = NEW_ARRAY(mem, double, N_BINS), .high = NEW_ARRAY(mem, double, N_BINS),
		.fresh = c->fresh };
	for (size_t k = 0; k < N_BINS; k++) {
		const double more = fmax(0, least - (c->high[k] - c->low[k])) / 2; /* fmax() passes over NAN */
		thick.low[k] = c->low[k] - more;
		thick.high[k] = c->high[k] + more;
	}
	return thick;
}

/* The other GPUs as a grey band, those that a finding names as lines over it: solid, dashed, dotted. */
static void singled_draw(const struct plot *plot, const struct curve *others)
{
	static const struct {
		double on, off;
	} dashes[] = { { 0, 0 }, { 5, 1.6 }, { 1.6, 1.6 } };
	const struct panel *const panel = plot->panel;
	const struct panel_look *const look = &looks[panel->kind];
	const struct stack *const s = plot->stack;
	const struct page *const p = s->page;
	const size_t bridge = panel->gate ? GATE_BRIDGE : 0;
	struct curve *curves = NEW_ARRAY(p->mem, struct curve, panel->n_singled);
	thresholds_draw(plot);
	if (others->level) {
		const struct curve thick = thickened(plot, others);
		const struct vertices v = vertices_of(s, &thick, panel->holes, bridge);
		band_draw(plot, &v, thick.low, thick.high, faded(page_hue(p, HUE_INK3), p->theme->band * OTHERS_BAND));
	}
	for (size_t i = 0; i < panel->n_singled; i++) {
		const struct track *const track = panel->gpus[panel->singled[i].gpu];
		const struct track *const gate = panel->gate ? panel->gate[panel->singled[i].gpu] : NULL;
		if (!track)
			continue;
		const struct bins bins = *stack_bins(s, p->mem, track, gate, N_BINS, panel->scale);
		curves[i] = (struct curve){ .level = bins.mean, .low = bins.min, .high = bins.max, .fresh = bins.fresh };
		const struct vertices v = vertices_of(s, &curves[i], panel->holes, bridge);
		if (look->is_calm)
			curves[i] = calmed(plot, &curves[i], &v, false);
		pen_draw(plot, &v, curves[i].level, (struct pen){ page_hue(p, look->hue), look->line, dashes[i].on, dashes[i].off });
	}
	labels_draw(plot, others, &(struct curve){ .level = NULL }, curves);
}

/* A bracket between two values, and what lies between. */
static void room_draw(const struct plot *plot)
{
	const struct panel_room *const room = &plot->panel->room;
	const struct page *const p = plot->stack->page;
	if (!room->text)
		return;
	const double x = stack_x(plot->stack, room->at), top = plot_y(plot, room->high) + 3, bottom = plot_y(plot, room->low) - 3;
	const struct pen pen = { .colour = page_hue(p, HUE_INK2), .width = 0.9 };
	p->canvas->verbs->rule(p->canvas, (struct point){ x, top }, (struct point){ x, bottom }, pen);
	p->canvas->verbs->rule(p->canvas, (struct point){ x - 2.5, top }, (struct point){ x + 2.5, top }, pen);
	p->canvas->verbs->rule(p->canvas, (struct point){ x - 2.5, bottom }, (struct point){ x + 2.5, bottom }, pen);
	page_text_haloed(p, x + 7, (top + bottom) / 2 + 3, TYPE_SUBLINE, ALIGN_LEFT, room->text);
}

static void curves_draw(const struct plot *plot)
{
	const struct panel *const panel = plot->panel;
	const struct panel_look *const look = &looks[panel->kind];
	size_t n_gpus = 0;
	struct curve gpu = curve_of_gpus(plot, &n_gpus), cpu = { .level = NULL };
	struct vertices v = { NULL, 0 };
	ground_draw(plot, &gpu, panel->gate != NULL);
	if (panel->n_singled) {
		singled_draw(plot, &gpu);
		return;
	}
	if (gpu.level) {
		v = vertices_of(plot->stack, &gpu, panel->holes, panel->gate ? GATE_BRIDGE : 0);
		if (look->is_calm)
			gpu = calmed(plot, &gpu, &v, n_gpus == 1 && gpu.n_samples < SPARSE_SAMPLES * N_BINS);
		bands_draw(plot, &v, &gpu, look->is_filled && n_gpus == 1);
	}
	thresholds_draw(plot);
	if (panel->cpu)
		cpu = cpu_draw(plot);
	if (gpu.level)
		line_draw(plot, &v, gpu.level, look->hue, look->line);
	labels_draw(plot, &gpu, &cpu, NULL);
	room_draw(plot);
}

double line_panel_draw(struct stack *s, const struct panel *panel, double y)
{
	struct plot plot = { .stack = s, .panel = panel, .y = y + TITLE_HEIGHT, .h = s->panel_heights[panel->kind],
		.low = panel->low, .high = panel->high };
	if (panel->kind == PANEL_BUSY) { /* never scaled, whatever the samples are */
		plot.low = 0;
		plot.high = 100;
	}
	if (!(plot.high > plot.low))
		plot.high = plot.low + 1;
	if (!s->page->measuring) {
		panel_title(s->page, panel, y);
		curves_draw(&plot);
		if (s->closeup && panel->kind == PANEL_BUSY)
			closeup_box_draw(s, s->closeup, plot.y, plot.h);
		if (!s->hole_named)
			hole_names_draw(&plot);
		s->hole_named = true;
	}
	return plot.y + plot.h;
}
