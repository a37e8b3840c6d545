/*
 * canvas.h - the dozen verbs that every picture is made of.
 *
 * Measures are in units (u), y grows downwards. Several canvases speak these verbs: some fill pixels
 * or write SVG or PDF (canvas_cairo.c), one does nothing and serves to find out how tall a page will
 * be, one keeps them to make them again (canvas_replay.c), and two write them down for tests: a line
 * each (both canvas_text.c), or as JSON with all that can be asked of a mark (canvas_scene.c). All
 * measure text with the same font, so a page has the same layout on each of them.
 */
#ifndef POSTRUN_CANVAS_H
#define POSTRUN_CANVAS_H

#include "base/buf.h"
#include "chart/font.h"
#include "chart/svg.h"
#include <stdint.h>

struct colour {
	uint32_t rgb; /* 0xRRGGBB */
	double alpha; /* 0 to 1 */
};
struct box {
	double x, y, w, h;
};
struct point {
	double x, y;
};
struct pen {
	struct colour colour;
	double width;
	double dash_on, dash_off; /* 0: solid */
};
enum align { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_CENTRE };
struct lettering {
	double size;
	bool bold;
	enum align align;
	struct colour colour;
	struct colour halo; /* a soft edge below text over data; alpha 0: none */
};

struct canvas;
struct canvas_verbs {
	void (*box)(struct canvas *c, struct box b, double radius, struct colour colour);
	/* A box on whole pixels, without soft edges: cells of heat maps touch, and never mix. */
	void (*cell)(struct canvas *c, struct box b, struct colour colour);
	/* Level or upright, moved onto whole pixels so that thin lines stay crisp. */
	void (*rule)(struct canvas *c, struct point from, struct point to, struct pen pen);
	void (*polyline)(struct canvas *c, const struct point *at, size_t n, struct pen pen);
	/* Filled; `rounding` swells it by half of that, with round corners. */
	void (*polygon)(struct canvas *c, const struct point *at, size_t n, double rounding, struct colour colour);
	void (*circle)(struct canvas *c, struct point centre, double radius, struct colour colour);
	/* Falling lines 4 u apart, in phase with the page: neighbours line up. A ground of alpha 0 is left as it is. */
	void (*hatch)(struct canvas *c, struct box b, struct colour ground, struct colour line);
	/* UTF-8; `at` is on the baseline. What the font lacks is drawn as '?'. */
	void (*text)(struct canvas *c, struct point at, const char *text, struct lettering how);
};
struct canvas {
	const struct canvas_verbs *verbs;
	const struct font *font;
	const char *part; /* of the page that is being drawn: "verdict", the title of a panel; for scenes */
	bool has_hatching; /* for what is not known; the footer, which is drawn last, says what it means */
};

static inline double canvas_width_of(const struct canvas *c, const char *text, double size, bool bold)
{
	return font_width(c->font, text, size, bold);
}

/* Writes one call a line to `list`; does nothing but measure when `list` is NULL. */
struct canvas *canvas_text_new(struct arena *mem, const struct font *font, struct buf *list);
/* Adds JSON objects, one a mark, to `scene`, each on a line of its own. */
struct canvas *canvas_scene_new(struct arena *mem, const struct font *font, struct buf *scene);

/* Keeps what is drawn, texts as well, in `mem`. */
struct canvas *canvas_replay_new(struct arena *mem, const struct font *font);
/* Draws on another canvas, in the same order, at least all that touches the page between `top` and `bottom`. */
void canvas_replay(const struct canvas *kept, struct canvas *to, double top, double bottom);
/* For each row of a page, and the one behind the last: does its upper edge run through something that must be drawn as a whole? */
const bool *canvas_replay_held(struct arena *mem, const struct canvas *kept, double scale, size_t n_rows);

/*
 * The letters of the built-in font as cairo draws them, for canvases on any thread: what one has drawn is at hand for all.
 * Released when no canvas needs them any more.
 */
struct letters;
struct letters *letters_new(struct arena *mem);
void letters_release(struct letters *letters);

/* Pixels, 0xRRGGBB each, rows from the top. */
struct pixels {
	const uint32_t *at;
	size_t width, height;
	size_t stride; /* pixels from row to row */
};
/*
 * A picture of which some rows are there at a time: so many as stay near a core, which has them made, looked at and forgotten before
 * memory is asked for them.
 */
struct bands {
	size_t width, height; /* 0: there is no picture */
	/* The rows from `top` on, 0 or where those that were drawn before end: at least one. They are there until the next call. */
	struct pixels (*draw)(void *context, size_t top);
	void *context;
};

/* The pixels of what a canvas of canvas_replay_new() has kept; it begins with a box that fills the page. Release when done. */
struct paper {
	double width, height;
	int scale;
	size_t band_bytes; /* of pixels at a time, about */
};
struct canvas *canvas_cairo_new(struct arena *mem, const struct font *font, struct letters *letters, const struct canvas *kept,
	const struct paper *paper);
struct bands canvas_cairo_bands(struct canvas *c);

/* An SVG in which a unit is a pixel; letters are outlines. It is complete when the canvas is released. */
struct canvas *canvas_svg_new(struct arena *mem, const struct font *font, struct letters *letters, double width, double height,
	struct svg *out);

/* A PDF of pages as wide as A4, without a date. Its text can be selected. */
struct pdf_words {
	const char *title, *subject, *software;
};
struct canvas *canvas_pdf_new(struct arena *mem, const struct font *font, struct letters *letters, const struct pdf_words *words,
	struct buf *out);
void canvas_pdf_page(struct canvas *c, double width, double height);
void canvas_pdf_page_end(struct canvas *c);

/* Of pixels, SVG and PDF; false when something could not be drawn or written. */
bool canvas_cairo_release(struct canvas *c);

#endif
