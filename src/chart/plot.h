/*
 * plot.h - a line panel with its place and its axis, and the curves in it. For panel.c and the files that it is made of.
 *
 * Samples become bins 2 u wide, bins of all GPUs become one curve (a level between bands), and the known bins of a curve become vertices.
 * Lines and bands join vertices, and stop at holes.
 */
#ifndef POSTRUN_PLOT_H
#define POSTRUN_PLOT_H

#include "chart/stack.h"

#define BIN_WIDTH 2.0
#define N_BINS ((size_t)(PLOT_WIDTH / BIN_WIDTH))

enum level { LEVEL_MEAN, LEVEL_HIGHEST, LEVEL_LOWEST };

/* What is drawn where (visual.md 7.2); all of these panels have a band over several GPUs. */
struct panel_look {
	enum hue hue;
	double line;
	enum level of_several; /* GPUs */
	bool is_calm;          /* the level line is smoothed where it flickers */
	bool is_filled;        /* one GPU: filled down to zero, and the line is the highest of each bin */
};

/* Of each bin, what is drawn of one GPU: of the hottest no mean hides how hot it was. */
static inline double *drawn_of(const struct bins *bins, const struct panel_look *look)
{
	return look->of_several == LEVEL_HIGHEST ? bins->max : bins->mean;
}

struct plot {
	const struct stack *stack;
	const struct panel *panel;
	const struct panel_look *look;
	double y, h, low, high;
};
/* What is beyond the axis is at its end. */
double plot_y(const struct plot *plot, double value);

/* ---- curve.c ---- */

struct curve {
	double *level, *low, *high;      /* N_BINS each; NAN: nothing known. NULL: there is no curve */
	double *inner_low, *inner_high;  /* or NULL: no inner band */
	bool *fresh;
	size_t n_samples;                /* of one GPU */
};
/* Of all GPUs but those that have lines of their own; *n: how many they are. */
struct curve curve_of_gpus(const struct plot *plot, size_t *n);
bool curve_is_known(const struct curve *c, size_t k);

struct vertex {
	double x;
	size_t bin;
	bool joined; /* with the one before */
};
struct vertices {
	struct vertex *at;
	size_t n;
};
double plot_bin_x(double k);
/* `bridge` bins without anything known don't break the line. */
struct vertices curve_vertices(const struct stack *s, const struct curve *c, struct spans holes, size_t bridge);

/* ---- calm.c ---- */

/* The level smoothed where it flickers; `widen`: the band then shows what that hides. */
struct curve curve_calmed(const struct plot *plot, const struct curve *raw, const struct vertices *v, bool widen);

/* ---- gutter.c ---- */

/* Of the line of a GPU that a finding names, by number of the panel's: solid, dashed, dotted. */
struct pen singled_pen(const struct plot *plot, size_t i);
/* What lines and thresholds are called, right of the plot. `singled`: by number of the panel's. */
void gutter_draw(const struct plot *plot, const struct curve *gpu, const struct curve *cpu, const struct curve *singled);

#endif
