/* stack.c - puts lane, axes and panels below each other. */
#include "chart/stack.h"
#include <math.h>

struct stack stack_new(const struct page *p, const struct figure *figure, const double *panel_heights)
{
	return (struct stack){
		.page = p,
		.span = figure->span,
		.ticks = ticks_clock(figure->span, PLOT_WIDTH),
		.panel_heights = panel_heights,
		.left_out = figure->left_out,
	};
}

static const void *make_bins(struct arena *mem, const struct shared_request *of)
{
	struct bins *const bins = NEW(mem, struct bins);
	*bins = bins_of(mem, of->track, of->gate, of->span, of->n, of->scale);
	return bins;
}

const struct bins *stack_bins(const struct stack *s, struct arena *mem, const struct track *track, const struct track *gate, size_t n,
	double scale)
{
	return shared_get(s->page->shared, mem, &(struct shared_request){ track, gate, s->span, n, scale, make_bins });
}

void stack_bins_make(const struct stack *s, const struct panel *panel, const struct track *const *gate, size_t n)
{
	struct shared_request *const all = NEW_ARRAY(s->page->mem, struct shared_request, panel->n_gpus);
	size_t n_all = 0;

	for (size_t i = 0; i < panel->n_gpus; i++)
		if (panel->gpus[i])
			all[n_all++] =
				(struct shared_request){ panel->gpus[i], gate ? gate[i] : NULL, s->span, n, panel->scale, make_bins };
	shared_make(s->page->shared, all, n_all);
}

double stack_x(const struct stack *s, time_ms t)
{
	return PLOT_LEFT + (double)(t - s->span.begin) / (double)span_length(s->span) * PLOT_WIDTH;
}

bool stack_stretch(const struct stack *s, struct span span, double min_width, double *x0, double *x1)
{
	if (span.end <= s->span.begin || span.begin >= s->span.end)
		return false;
	*x0 = fmax(stack_x(s, span.begin), PLOT_LEFT);
	*x1 = fmin(stack_x(s, span.end), PLOT_RIGHT);
	if (*x1 - *x0 < min_width) {
		*x0 = fmin(*x0, PLOT_RIGHT - min_width);
		*x1 = *x0 + min_width;
	}
	return true;
}

#define JOINED_BELOW 0.5 /* one pixel at the usual scale */

static struct stretches stretches_of(const struct stack *s, const struct window *windows, size_t n, double min_width)
{
	struct stretches out = { NEW_ARRAY(s->page->mem, struct stretch, n), 0 };
	double x0, x1;
	for (size_t i = 0; i < n; i++) {
		if (!stack_stretch(s, (struct span){ windows[i].begin, windows[i].end }, min_width, &x0, &x1))
			continue;
		if (out.n && x0 <= out.at[out.n - 1].x1 + JOINED_BELOW)
			out.at[out.n - 1].x1 = fmax(out.at[out.n - 1].x1, x1);
		else
			out.at[out.n++] = (struct stretch){ x0, x1 };
	}
	return out;
}

struct stretches finding_stretches(const struct stack *s, const struct finding *f, double min_width)
{
	return stretches_of(s, f->windows, f->n_windows, min_width);
}

static double share_of(const struct stack *s, const struct window *windows, size_t n)
{
	double length = 0;
	for (size_t i = 0; i < n; i++)
		length += (double)(windows[i].end - windows[i].begin);
	return length / (double)span_length(s->span);
}

double finding_share(const struct stack *s, const struct finding *f)
{
	return share_of(s, f->windows, f->n_windows);
}

#define LONG_SHARE 0.6

bool finding_is_long(const struct stack *s, const struct finding *f)
{
	return finding_share(s, f) > LONG_SHARE;
}

struct stretches finding_stretches_beside(const struct stack *s, const struct finding *f, double min_width)
{
	return stretches_of(s, f->windows_beside, f->n_windows_beside, min_width);
}

bool finding_is_long_beside(const struct stack *s, const struct finding *f)
{
	return share_of(s, f->windows_beside, f->n_windows_beside) > LONG_SHARE;
}

void panel_title(const struct page *p, const struct panel *panel, const char *subtitle, double y)
{
	const char *const title = page_cut_end(p, TYPE_TITLE, panel->title, PLOT_WIDTH);
	const double x = PLOT_LEFT + page_text_width(p, TYPE_TITLE, title) + 7;
	page_text(p, PLOT_LEFT, y + 9, TYPE_TITLE, ALIGN_LEFT, title);
	if (subtitle && *subtitle && PLOT_RIGHT - x > 20)
		page_text(p, x, y + 9, TYPE_SUBTITLE, ALIGN_LEFT, page_cut_end(p, TYPE_SUBTITLE, subtitle, PLOT_RIGHT - x));
}

#define MIN_HOLE_WIDTH 1.5 /* survives a run of days */

void holes_draw(const struct stack *s, struct spans holes, double y, double h)
{
	double x0, x1, done = PLOT_LEFT;
	for (size_t i = 0; i < holes.n; i++) {
		if (!stack_stretch(s, holes.at[i], MIN_HOLE_WIDTH, &x0, &x1) || x1 <= done)
			continue;
		page_hatch(s->page, fmax(x0, done), y, x1 - fmax(x0, done), h);
		done = x1;
	}
}

bool holes_cover(const struct stack *s, struct spans holes, double x0, double x1)
{
	double begin, end;
	for (size_t i = 0; i < holes.n; i++)
		if (stack_stretch(s, holes.at[i], MIN_HOLE_WIDTH, &begin, &end) && begin <= x0 && x1 <= end)
			return true;
	return false;
}

static double panel_draw(struct stack *s, const struct panel *panel, double y)
{
	s->page->canvas->part = panel->title;
	switch (panel->kind) {
	case PANEL_HEAT:
		return heat_panel_draw(s, panel, y);
	case PANEL_THROTTLE:
		return strip_draw(s, panel, y);
	case PANEL_PHASES:
		return phases_draw(s, y);
	case PANEL_DENSITY:
		return density_panel_draw(s, panel, y);
	case PANEL_BUSY:
	case PANEL_MEMORY:
	case PANEL_TEMPERATURE:
	case PANEL_MARGIN:
	case PANEL_POWER:
	case PANEL_CLOCK:
	case PANEL_HOST_MEMORY:
	case PANEL_DUTY:
	case N_PANEL_KINDS:
		break;
	}
	return line_panel_draw(s, panel, y);
}

/* Line panels end in a line that the clock's ticks can hang from; maps and strips do not. */
static bool has_axis_line(enum panel_kind kind)
{
	return kind != PANEL_HEAT && kind != PANEL_THROTTLE && kind != PANEL_PHASES;
}

double stack_draw(struct stack *s, const struct figure *figure, const bool *left_out, double y)
{
	const struct panel *last = NULL;
	y = lane_draw(s, y);
	y = elapsed_axis_draw(s, y);
	for (size_t i = 0; i < figure->n_panels; i++) {
		if (left_out && left_out[i])
			continue;
		y = panel_draw(s, &figure->panels[i], y + (last ? PANEL_GAP : 0));
		last = &figure->panels[i];
	}
	if (last && has_axis_line(last->kind))
		return clock_axis_draw(s, y);
	page_level(s->page, PLOT_LEFT, PLOT_RIGHT, y + 2, HUE_AXIS);
	return clock_axis_draw(s, y + 2);
}

#define FULL_ROW 9.5
#define MAX_FULL_ROWS 16
#define MIN_ROW 2.5
#define MAX_SPARSE_ROWS 64
#define ROWS_HEIGHT 160.0

double row_height(size_t n_rows)
{
	if (n_rows <= MAX_FULL_ROWS)
		return FULL_ROW;
	const double share = fmin(ROWS_HEIGHT / (double)n_rows, FULL_ROW);
	return n_rows <= MAX_SPARSE_ROWS ? fmax(share, MIN_ROW) : share;
}

struct slice host_of(const struct page *p, size_t gpu)
{
	const char *const id = p->report->run.gpus[gpu].entity;
	const char *const slash = id ? strchr(id, '/') : NULL;
	return (struct slice){ id, slash ? (size_t)(slash - id) : 0 };
}

bool same_host(const struct page *p, size_t a, size_t b)
{
	const struct slice x = host_of(p, a), y = host_of(p, b);
	return x.n == y.n && (!x.n || memcmp(x.p, y.p, x.n) == 0);
}

#define LABEL_DROP 2.9  /* from the middle of 8.5 u letters to their baseline */

void row_label(const struct page *p, double middle, const char *text)
{
	page_text(p, PLOT_LEFT - 5, middle + LABEL_DROP, TYPE_STATISTIC, ALIGN_RIGHT,
		page_cut_middle(p, TYPE_STATISTIC, text, ROW_LABEL_WIDTH));
}

const char *gpu_name(const struct page *p, size_t gpu)
{
	const struct report_gpu *const g = &p->report->run.gpus[gpu];
	const bool one_host = same_host(p, 0, p->report->run.n_gpus - 1);

	return one_host || !g->short_label ? g->label : g->short_label;
}

size_t gpu_of(const struct page *p, const char *entity)
{
	size_t g = 0;
	while (g < p->report->run.n_gpus && strcmp(p->report->run.gpus[g].entity, entity) != 0)
		g++;
	return g;
}

/* "GPU 108" is too wide for its place; "108" tells as much, "GP…08" does not. */
static const char *row_name(const struct page *p, size_t gpu)
{
	const char *const name = gpu_name(p, gpu), *const blank = strrchr(name, ' ');
	return blank && page_text_width(p, TYPE_STATISTIC, name) > ROW_LABEL_WIDTH ? blank + 1 : name;
}

static void gpu_labels(const struct stack *s, const size_t *gpus, size_t n, double y, double height)
{
	const size_t every = (size_t)ceil(LABELS_APART / height - 0.01);
	for (size_t i = 0; i < n; i += every)
		row_label(s->page, y + height * ((double)i + 0.5), row_name(s->page, gpus[i]));
}

/* One name a host, in the middle of its rows, left out where it would touch the one above; a thin gap between hosts. */
static void host_labels(const struct stack *s, const size_t *gpus, size_t n, double y, double height)
{
	double last = y - LABELS_APART;
	for (size_t begin = 0, end = 0; begin < n; begin = end) {
		while (end < n && same_host(s->page, gpus[begin], gpus[end]))
			end++;
		const double middle = y + height * (double)(begin + end) / 2;
		if (begin && height >= MIN_ROW)
			page_box(s->page, PLOT_LEFT, y + height * (double)begin - 0.5, PLOT_WIDTH, 1, HUE_PAGE);
		const struct slice host = host_of(s->page, gpus[begin]);
		if (middle - last < LABELS_APART)
			continue;
		row_label(s->page, middle, arena_text(s->page->mem, host.p, host.n));
		last = middle;
	}
}

void row_labels_draw(const struct stack *s, const size_t *gpus, size_t n, double y, double height)
{
	const size_t n_gpus = s->page->report->run.n_gpus;
	if (n == 0 || n_gpus == 0)
		return;
	const bool one_host = same_host(s->page, 0, n_gpus - 1);
	if (one_host || height >= FULL_ROW)
		gpu_labels(s, gpus, n, y, height);
	else
		host_labels(s, gpus, n, y, height);
}
