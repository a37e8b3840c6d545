/*
 * stack.h - panels above each other that share one time axis.
 *
 *     (1) input starvation            lane of findings
 *     0        15 min      30 min     elapsed
 *     Busy, %  …                      panels
 *     09:15    09:30       09:45      clock
 *
 * Lengths, x and y are those of page.h. What draws takes the y of its top and returns that below it.
 */
#ifndef POSTRUN_STACK_H
#define POSTRUN_STACK_H

#include "chart/bins.h"
#include "chart/page.h"

#define TITLE_HEIGHT 15.0
#define MAP_TITLE_HEIGHT 14.0
#define PANEL_GAP 7.0

struct stack {
	const struct page *page;
	struct span span;
	struct time_ticks ticks; /* of the clock: they carry the grid */
	const double *panel_heights; /* by enum panel_kind: of the plots of line panels */
	const struct closeup *closeup; /* boxed on the busy panel; or NULL */
	const bool *left_out;        /* findings that are not of this picture's business; or NULL */
	bool hole_named;         /* the words in a wide hole are written once, in the first panel */
};

struct stack stack_new(const struct page *p, const struct figure *figure, const double *panel_heights);
/* Lane, axes and the panels for which `left_out` is false; left_out may be NULL. */
double stack_draw(struct stack *s, const struct figure *figure, const bool *left_out, double y);

double stack_x(const struct stack *s, time_ms t);
/* As bins_of() over the time axis; of the pictures that are drawn together the first makes them. */
const struct bins *stack_bins(const struct stack *s, struct arena *mem, const struct track *track, const struct track *gate, size_t n,
	double scale);
/* Those of all GPUs of a panel, `gate` NULL or of each, before they are asked for one by one: another picture may make some meanwhile. */
void stack_bins_make(const struct stack *s, const struct panel *panel, const struct track *const *gate, size_t n);
/* Where to draw a span, no narrower than min_width; false when it lies outside. */
bool stack_stretch(const struct stack *s, struct span span, double min_width, double *x0, double *x1);
/* Of the run, 0 to 1. */
double finding_share(const struct stack *s, const struct finding *f);
/* Most of the run: it is not news where it is, so it is not tinted. */
bool finding_is_long(const struct stack *s, const struct finding *f);
bool finding_is_long_beside(const struct stack *s, const struct finding *f);
/* The finding's windows as drawn: at least min_width, neighbours that touch on the picture joined. */
struct stretch {
	double x0, x1;
};
struct stretches {
	struct stretch *at;
	size_t n;
};
struct stretches finding_stretches(const struct stack *s, const struct finding *f, double min_width);
/* The same of what it is charged for beside its own time. */
struct stretches finding_stretches_beside(const struct stack *s, const struct finding *f, double min_width);

void panel_title(const struct page *p, const struct panel *panel, const char *subtitle, double y);
void holes_draw(const struct stack *s, struct spans holes, double y, double h);
/* Will holes_draw() cover this stretch? Then what rows lack there need not be hatched row by row. */
bool holes_cover(const struct stack *s, struct spans holes, double x0, double x1);

double lane_draw(const struct stack *s, double y);
double elapsed_axis_draw(const struct stack *s, double y);
double clock_axis_draw(const struct stack *s, double y);
double clock_ticks_draw(const struct stack *s, double y); /* without date and line */
double line_panel_draw(struct stack *s, const struct panel *panel, double y); /* panel.c */
double heat_panel_draw(const struct stack *s, const struct panel *panel, double y); /* heat.c */
double density_panel_draw(const struct stack *s, const struct panel *panel, double y); /* density.c */
double strip_draw(const struct stack *s, const struct panel *panel, double y); /* strip.c */
double phases_draw(const struct stack *s, double y); /* phases.c */
double closeup_draw(const struct page *p, const struct closeup *c, double y); /* closeup_chart.c */
void closeup_box_draw(const struct stack *s, const struct closeup *c, double y, double h);

/* Rows of heat maps and strips: 9.5 u up to 16, then together 160 u. */
double row_height(size_t n_rows);
#define LABELS_APART 9.5
void row_label(const struct page *p, double middle, const char *text);
/* "GPU 3"; "01/3" where "GPU 3" would be several. */
const char *gpu_name(const struct page *p, size_t gpu);
/* Of report.run.gpus; n_gpus when the entity is none of them. */
size_t gpu_of(const struct page *p, const char *entity);
struct slice host_of(const struct page *p, size_t gpu);
bool same_host(const struct page *p, size_t a, size_t b);
/* What stands left of the rows: each GPU, every few of them, or the hosts where rows are thin and hosts several. */
void row_labels_draw(const struct stack *s, const size_t *gpus, size_t n, double y, double height);

#endif
