/*
 * page.h - what every part of a picture needs: where to draw, how it looks, what to say.
 *
 * Lengths are in units of which a page is 700 wide, whatever its pixels; y grows downwards from the top of the page, and text stands on
 * its baseline. Parts are functions that draw at y and return the y below them. On a canvas that only measures they do the same, without
 * looking at samples: the height of a page is known before its pixels exist.
 */
#ifndef POSTRUN_PAGE_H
#define POSTRUN_PAGE_H

#include "chart/shared.h"
#include "chart/theme.h"
#include "chart/ticks.h"

#define PAGE_WIDTH 700.0
#define PAGE_LEFT 16.0
#define PAGE_RIGHT 684.0
#define PAGE_TOP 12.0
#define PAGE_BOTTOM 12.0
#define PLOT_LEFT 52.0
#define PLOT_RIGHT 588.0
#define PLOT_WIDTH (PLOT_RIGHT - PLOT_LEFT)
#define GUTTER_LEFT 596.0
#define GUTTER_WIDTH (PAGE_RIGHT - GUTTER_LEFT)
#define ROW_LABEL_WIDTH (PLOT_LEFT - 5 - PAGE_LEFT)

struct page {
	struct canvas *canvas;
	const struct theme *theme;
	const struct report *report;
	const struct fleet_told *fleet; /* of a picture of many runs, which has no report; else NULL */
	const char *file; /* "card.png" */
	struct arena *mem;
	struct shared *shared; /* with pictures that are drawn beside this one */
	bool measuring;
};

/* Every size of type on a page; rows in page.c. */
enum type {
	TYPE_VERDICT,
	TYPE_HEADING,
	TYPE_SUBLINE,
	TYPE_KEY_FIGURE,
	TYPE_FINDING,
	TYPE_WHEN,
	TYPE_EVIDENCE,
	TYPE_MORE,
	TYPE_TITLE,
	TYPE_SUBTITLE,
	TYPE_LABEL,
	TYPE_STATISTIC,
	TYPE_AXIS,
	TYPE_DATE,
	TYPE_LANE,
	TYPE_BADGE,
	TYPE_BAR,
	TYPE_BAR_REST,
	TYPE_FOOTER,
	N_TYPES
};

/* As the theme of the page has it. */
struct colour page_hue(const struct page *p, enum hue hue);
/* Text in UTF-8; `x` is its left, middle or right end, as `align` says. In the hue of its type, unless a colour is given. */
double page_text_width(const struct page *p, enum type type, const char *text);
void page_text(const struct page *p, double x, double baseline, enum type type, enum align align, const char *text);
void page_text_in(const struct page *p, double x, double baseline, enum type type, enum align align, struct colour colour,
	const char *text);
/* For text over data, and over lines. */
void page_text_haloed(const struct page *p, double x, double baseline, enum type type, enum align align, const char *text);
/* A filled box; one with fine slanted lines, which stands for what is not known; a level and an upright hairline. */
void page_box(const struct page *p, double x, double y, double w, double h, enum hue hue);
void page_hatch(const struct page *p, double x, double y, double w, double h);
void page_level(const struct page *p, double x0, double x1, double y, enum hue hue);
void page_upright(const struct page *p, double x, double y0, double y1, enum hue hue);

/* Severity by colour and by shape: circle critical, diamond warning, rounded square note. */
struct severity_look {
	enum hue hue, on, wash;
};
extern const struct severity_look severity_looks[]; /* by enum severity */
void page_badge(const struct page *p, double x, double y, double radius, size_t number, enum severity severity);
/* From its middle to its edge, sideways: a diamond is wider than a circle, and so are two digits. */
double page_badge_half(const struct page *p, double radius, size_t number, enum severity severity);
/* The shape alone. */
void page_mark(const struct page *p, double x, double y, double radius, enum severity severity);
/* On a bar that has the colour already. */
void page_number_disc(const struct page *p, double x, double y, double radius, size_t number);

/* "long-name…of-run": both ends of a name tell it apart, so the middle goes. */
const char *page_cut_middle(const struct page *p, enum type type, const char *text, double width);
/* "a text that goes…": both as they are where they fit into `width`, else in p->mem. */
const char *page_cut_end(const struct page *p, enum type type, const char *text, double width);
struct wrapped {
	const char **line;
	size_t n;
};
/*
 * Broken at blanks, no word alone on the last line; what does not fit into max_lines ends in '…', words wider than a line are cut in
 * the middle.
 */
struct wrapped page_wrap(const struct page *p, enum type type, const char *text, double width, size_t max_lines);
/* The first line begins `indent` further right: something else stands there. */
struct wrapped page_wrap_indented(const struct page *p, enum type type, const char *text, double width, double indent, size_t max_lines);
/* "the run's" as it is printed: with a curved apostrophe. */
const char *page_curved(const struct page *p, const char *text);

#endif
