/*
 * chart.h - the face of drawing: a report's figures to PNG, SVG or PDF, or to a list of drawing calls.
 *
 * Charts draw what the report holds and never change it. Measures are in units (u): a page is
 * 700 u wide; pixels = u x scale. The same report gives the same bytes on the same libraries.
 */
#ifndef POSTRUN_CHART_H
#define POSTRUN_CHART_H

#include "base/buf.h"
#include "fleet/fleet.h"
#include "report/report.h"

enum chart_theme { THEME_LIGHT, THEME_DARK };
struct chart_options {
	enum chart_theme theme;
	int scale; /* 1 to 3; 2 draws 1400 pixels */
};

/* "card.png", "timeline.png": one row a picture, in charts.def */
extern const char *const chart_files[];
extern const size_t n_charts;

/*
 * Draws one picture and encodes it as PNG, with iTXt Title, Description (the alt text),
 * Software and Source (names and digests of the logs), and no date. False when the picture could not be made (too few samples to draw).
 */
bool chart_png(const struct report *report, const char *file, const struct chart_options *options, struct buf *png);
/* The same as SVG, with title and alt text inside. */
bool chart_svg(const struct report *report, const char *file, const struct chart_options *options, struct buf *svg);
/* All pictures of the report as one PDF, a page each. False when it has none. */
bool chart_pdf(const struct report *report, const struct chart_options *options, struct buf *pdf);

/* One file of pictures that is to be drawn: a PNG or an SVG of one of them, or a PDF of all. */
enum chart_kind { CHART_PNG, CHART_SVG, CHART_PDF };
struct chart_order {
	enum chart_kind kind;
	const char *file; /* of a PDF not asked */
	struct chart_options options;
	struct buf *out;
	bool good; /* drawn, and within the limit of its buffer */
};
/* What else there is to do of a report, for threads that find no picture left: do_job(context, job) for each job below n. */
struct chores {
	size_t n;
	void (*do_job)(void *context, size_t job);
	void *context;
};
/*
 * Side by side, on as many threads as there are cores (base/workers.h); the bytes are the same on any number of them. `chores`: done as
 * well, or NULL.
 */
void charts_draw(const struct report *report, struct chart_order *orders, size_t n, const struct chores *chores);

/* Many runs, a row each: as PNG, as SVG, and for tests as marks (chart_scene). */
#define FLEET_CHART "fleet.png"
#define FLEET_CHART_ROWS 40 /* visual.md 10.2 */
bool chart_fleet_png(const struct fleet_told *fleet, const struct chart_options *options, struct buf *png);
bool chart_fleet_svg(const struct fleet_told *fleet, const struct chart_options *options, struct buf *svg);
bool chart_fleet_scene(const struct fleet_told *fleet, const struct chart_options *options, struct buf *scene);

/*
 * The same picture as text, one drawing call a line, for tests: "text x y size weight align colour \"…\"",
 * "rect …", "polyline …", "hatch …". Coordinates in u with one decimal.
 */
bool chart_list(const struct report *report, const char *file, const struct chart_options *options, struct buf *list);
/*
 * The same picture as JSON, for tests: {"file": …, "width": 700, "height": …, "colours": {"INK": "#1A1D21", …}, "marks": […]}, the
 * marks in the order in which they are drawn (canvas_scene.c).
 */
bool chart_scene(const struct report *report, const char *file, const struct chart_options *options, struct buf *scene);

#endif
