/*
 * panel.c - the line panels: busy, memory, temperature, margin, power, clock, memory of hosts.
 *
 *     Busy, %   line = mean of 8 GPUs, band = least to most busy GPU
 *     100 |~~~\      /~~~~~~//~~~~~
 *      50 |    ======        hole        GPU
 *       0 |_________________________     mean 84 %
 */
#include "chart/plot.h"
#include <math.h>

static const struct panel_look looks[] = {
	[PANEL_BUSY]        = { HUE_GPU, 1.7, LEVEL_MEAN, true, false },
	[PANEL_MEMORY]      = { HUE_MEMORY, 1.5, LEVEL_HIGHEST, false, true },
	[PANEL_TEMPERATURE] = { HUE_TEMPERATURE, 1.5, LEVEL_HIGHEST, false, false },
	[PANEL_MARGIN]      = { HUE_TEMPERATURE, 1.5, LEVEL_LOWEST, false, false },
	[PANEL_POWER]       = { HUE_POWER, 1.5, LEVEL_MEAN, true, false },
	[PANEL_CLOCK]       = { HUE_CLOCK, 1.5, LEVEL_LOWEST, false, false },
	[PANEL_HOST_MEMORY] = { HUE_CPU, 1.5, LEVEL_HIGHEST, false, true },
};
#define CPU_LINE 1.1
#define CASING 1.4

double plot_y(const struct plot *plot, double value)
{
	const double within = fmin(fmax(value, plot->low), plot->high);
	return plot->y + plot->h - (within - plot->low) / (plot->high - plot->low) * plot->h;
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
	const bool is_percent = plot->panel->kind == PANEL_BUSY || plot->panel->kind == PANEL_HOST_MEMORY;
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
		while (k < N_BINS && !curve_is_known(c, k))
			k++;
		if (k > begin)
			page_hatch(plot->stack->page, plot_bin_x((double)begin), plot->y, (double)(k - begin) * BIN_WIDTH, plot->h);
	}
}

static void thresholds_draw(const struct plot *plot)
{
	struct canvas *const canvas = plot->stack->page->canvas;
	const struct colour colour = page_hue(plot->stack->page, plot->look->hue);
	const struct pen pen = { .colour = colour, .width = 0.9, .dash_on = 4, .dash_off = 2.5 };
	for (size_t i = 0; i < plot->panel->n_thresholds; i++) {
		const double y = plot_y(plot, plot->panel->thresholds[i].value);
		canvas->verbs->rule(canvas, (struct point){ PLOT_LEFT, y }, (struct point){ PLOT_RIGHT, y }, pen);
	}
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
	const struct colour colour = page_hue(p, plot->look->hue);
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
	const struct vertices v = curve_vertices(s, &c, panel->cpu_holes, 0);
	line_draw(plot, &v, c.level, HUE_CPU, CPU_LINE);
	return c;
}

#define GATE_BRIDGE 6 /* bins: a clock that is only shown while the GPU is busy would be dust without them */
#define SPARSE_SAMPLES 4 /* a bin: fewer have no band of their own to show what smoothing hides, and get that of the time of the mean */
#define OTHERS_BAND 1.4 /* grey is fainter than colours: it takes more of it */
#define OTHERS_LEAST 2.0 /* of what is all at one level, or is one GPU */

/* The GPUs, without a band of their samples; nowhere so thin that it can't be seen. */
static struct curve thickened(const struct plot *plot, const struct curve *c)
{
	struct arena *const mem = plot->stack->page->mem;
	const double least = OTHERS_LEAST / plot->h * (plot->high - plot->low);
	const double *const low = c->inner_low ? c->inner_low : c->low, *const high = c->inner_low ? c->inner_high : c->high;
	struct curve thick = { .level = c->level, .low = NEW_ARRAY(mem, double, N_BINS), .high = NEW_ARRAY(mem, double, N_BINS),
		.fresh = c->fresh };
	for (size_t k = 0; k < N_BINS; k++) {
		const double more = fmax(0, least - (high[k] - low[k])) / 2; /* fmax() passes over NAN */
		thick.low[k] = low[k] - more;
		thick.high[k] = high[k] + more;
	}
	return thick;
}

struct pen singled_pen(const struct plot *plot, size_t i)
{
	static const struct {
		double on, off;
	} dashes[] = { { 0, 0 }, { 5, 1.6 }, { 1.6, 1.6 } };

	return (struct pen){ page_hue(plot->stack->page, plot->look->hue), plot->look->line, dashes[i].on, dashes[i].off };
}

/* The other GPUs as a grey band, those that a finding names as lines over it. */
static void singled_draw(const struct plot *plot, const struct curve *others)
{
	const struct panel *const panel = plot->panel;
	const struct panel_look *const look = plot->look;
	const struct stack *const s = plot->stack;
	const struct page *const p = s->page;
	const size_t bridge = panel->gate ? GATE_BRIDGE : 0;
	struct curve *curves = NEW_ARRAY(p->mem, struct curve, panel->n_singled);
	thresholds_draw(plot);
	if (others->level) {
		const struct curve thick = thickened(plot, others);
		const struct vertices v = curve_vertices(s, &thick, panel->holes, bridge);
		band_draw(plot, &v, thick.low, thick.high, faded(page_hue(p, HUE_INK3), p->theme->band * OTHERS_BAND));
	}
	for (size_t i = 0; i < panel->n_singled; i++) {
		const struct track *const track = panel->gpus[panel->singled[i].gpu];
		const struct track *const gate = panel->gate ? panel->gate[panel->singled[i].gpu] : NULL;
		if (!track)
			continue;
		const struct bins bins = *stack_bins(s, p->mem, track, gate, N_BINS, panel->scale);
		curves[i] = (struct curve){ .level = drawn_of(&bins, look), .low = bins.min, .high = bins.max, .fresh = bins.fresh };
		const struct vertices v = curve_vertices(s, &curves[i], panel->holes, bridge);
		if (look->is_calm)
			curves[i] = curve_calmed(plot, &curves[i], &v, false);
		pen_draw(plot, &v, curves[i].level, singled_pen(plot, i));
	}
	gutter_draw(plot, others, &(struct curve){ .level = NULL }, curves);
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
	const struct panel_look *const look = plot->look;
	size_t n_gpus = 0;
	struct curve gpu = curve_of_gpus(plot, &n_gpus), cpu = { .level = NULL };
	struct vertices v = { NULL, 0 };
	const bool has_two_bands = gpu.level && gpu.inner_low && !panel->n_singled && panel->two_bands;
	panel_title(plot->stack->page, panel, has_two_bands ? panel->two_bands : panel->subtitle, plot->y - TITLE_HEIGHT);
	ground_draw(plot, &gpu, panel->gate != NULL);
	if (panel->n_singled) {
		singled_draw(plot, &gpu);
		return;
	}
	if (gpu.level) {
		v = curve_vertices(plot->stack, &gpu, panel->holes, panel->gate ? GATE_BRIDGE : 0);
		if (look->is_calm)
			gpu = curve_calmed(plot, &gpu, &v, n_gpus == 1 && gpu.n_samples < SPARSE_SAMPLES * N_BINS);
		bands_draw(plot, &v, &gpu, look->is_filled && n_gpus == 1);
	}
	thresholds_draw(plot);
	if (panel->cpu)
		cpu = cpu_draw(plot);
	if (gpu.level)
		line_draw(plot, &v, gpu.level, look->hue, look->line);
	gutter_draw(plot, &gpu, &cpu, NULL);
	room_draw(plot);
}

double line_panel_draw(struct stack *s, const struct panel *panel, double y)
{
	struct plot plot = { .stack = s, .panel = panel, .look = &looks[panel->kind], .y = y + TITLE_HEIGHT,
		.h = s->panel_heights[panel->kind], .low = panel->low, .high = panel->high };
	if (panel->kind == PANEL_BUSY) { /* never scaled, whatever the samples are */
		plot.low = 0;
		plot.high = 100;
	}
	if (!(plot.high > plot.low))
		plot.high = plot.low + 1;
	if (!s->page->measuring) {
		curves_draw(&plot);
		if (s->closeup && panel->kind == PANEL_BUSY)
			closeup_box_draw(s, s->closeup, plot.y, plot.h);
		if (!s->hole_named)
			hole_names_draw(&plot);
		s->hole_named = true;
	}
	return plot.y + plot.h;
}
