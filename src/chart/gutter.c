/* gutter.c - names in the right gutter of a line panel: each beside its line, none over another. */
#include "base/sort.h"
#include "chart/plot.h"
#include <math.h>
#include <stdlib.h>

struct gutter_label {
	double anchor; /* y of what it names */
	double y, height;
	const char *name, *statistic;
	enum hue hue;
	bool is_threshold;
	bool has_sample;  /* of its line, since others have its colour: */
	struct pen sample;
	const struct finding *in; /* its badge follows the statistic */
};
#define NAME_LINE 10.5
#define STATISTIC_LINE 10.0
#define LABEL_SLACK 4.0 /* above and below the plot */
#define MAX_GUTTER_LABELS 8
#define SAMPLE_WIDTH 17.0 /* of a line: three dashes */
#define SAMPLE_GAP 4.0
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
	const struct point from = { GUTTER_LEFT, l->y + 6 }, to = { GUTTER_LEFT + SAMPLE_WIDTH, l->y + 6 };
	const double name_x = l->has_sample ? to.x + SAMPLE_GAP : GUTTER_LEFT;
	if (l->has_sample)
		p->canvas->verbs->rule(p->canvas, from, to, l->sample);
	page_text_in(p, name_x, l->y + 9, TYPE_LABEL, ALIGN_LEFT, page_hue(p, l->hue),
		page_cut_end(p, TYPE_LABEL, l->name, PAGE_RIGHT - name_x));
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
		if (curve_is_known(c, k))
			known[n++] = c->level[k];
	doubles_sort(known, n);
	return n ? plot_y(plot, known[n / 2]) : plot->y + plot->h / 2;
}

#define END_BINS ((size_t)6)
#define ENDS_APART (NAME_LINE + STATISTIC_LINE)

/* Where it ends at the right; NAN where nothing is known of its last bins. */
static double end_y(const struct plot *plot, const struct curve *c)
{
	double sum = 0;
	size_t n = 0;
	for (size_t k = N_BINS - END_BINS; c->level && k < N_BINS; k++)
		if (curve_is_known(c, k)) {
			sum += c->level[k];
			n++;
		}
	return n ? plot_y(plot, sum / (double)n) : NAN;
}

/* Two lines that end apart are named where they do: else one's name could stand beside the other's end. */
static void anchors_of_two(const struct plot *plot, const struct curve *a, const struct curve *b, double *at_a, double *at_b)
{
	const double end_a = end_y(plot, a), end_b = end_y(plot, b);
	const bool are_apart = fabs(end_a - end_b) >= ENDS_APART; /* of NAN it is not */
	*at_a = are_apart ? end_a : typical_y(plot, a);
	*at_b = are_apart ? end_b : typical_y(plot, b);
}

/* Inside of the finding that singles it out: there the lines part. */
static double typical_y_in(const struct plot *plot, const struct curve *c, const struct finding *f)
{
	double *known = NEW_ARRAY(plot->stack->page->mem, double, N_BINS);
	const struct stretches at = finding_stretches(plot->stack, f, BIN_WIDTH);
	size_t n = 0;
	for (size_t i = 0; c->level && i < at.n; i++)
		for (size_t k = (size_t)((at.at[i].x0 - PLOT_LEFT) / BIN_WIDTH); plot_bin_x((double)k) < at.at[i].x1 && n < N_BINS; k++)
			if (curve_is_known(c, k))
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
			.hue = plot->look->hue, .in = panel->singled[i].in,
			.has_sample = panel->n_singled > 1, .sample = singled_pen(plot, i) };
	return panel->n_singled;
}

void gutter_draw(const struct plot *plot, const struct curve *gpu, const struct curve *cpu, const struct curve *singled)
{
	const struct panel *const panel = plot->panel;
	const enum hue hue = plot->look->hue;
	struct gutter_label l[MAX_GUTTER_LABELS];
	double gpu_y, cpu_y;
	size_t n = singled_labels(plot, singled, l);
	anchors_of_two(plot, gpu, cpu, &gpu_y, &cpu_y);
	if (panel->n_singled && gpu->level)
		l[n++] = (struct gutter_label){ .anchor = typical_y_in(plot, gpu, panel->others_in), .name = panel->others.name,
			.statistic = panel->others.statistic, .hue = HUE_INK3, .in = panel->others_in };
	else if (!panel->n_singled && panel->label.name)
		l[n++] = (struct gutter_label){ .anchor = gpu_y, .name = panel->label.name,
			.statistic = panel->label.statistic, .hue = hue };
	if (panel->cpu && panel->cpu_label.name)
		l[n++] = (struct gutter_label){ .anchor = cpu_y, .name = panel->cpu_label.name,
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
