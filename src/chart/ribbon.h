/*
 * ribbon.h - lines and areas that run from left to right, as all do that are drawn over time: which pixels they cover, and by how much.
 *
 *     top          ___/\__
 *     bottom    __/  __   \__        at each place across one stretch from a top down to a bottom
 *                 \_/  \____/
 *
 * Of any such line, however thick and jagged, this is so: its round pen goes along it without a break. Nothing has to be found out about
 * crossings and windings, which is what cairo spends most of its time on with a noisy line.
 */
#ifndef POSTRUN_RIBBON_H
#define POSTRUN_RIBBON_H

#include "base/arena.h"
#include "chart/canvas.h"

/* Pixels of a page, counted across from `left` on, and down from the page's top. */
struct ribbon {
	size_t left, n;
	const float *top, *bottom; /* in the middle of each of a pixel's RIBBON_PARTS; there is nothing where the bottom is above the top */
};
#define RIBBON_PARTS 8

/*
 * With round corners and straight ends, but that a corner nearer to an end than half the width is round beyond it; on the page's pixels,
 * of which a unit has `scale` and the page `width` across. False when the points don't run from left to right, or when there is but one.
 */
bool ribbon_of_line(struct arena *mem, const struct point *at, size_t n, double line_width, double scale, size_t width,
	struct ribbon *out);
/* Between points from left to right and others back to the first; false when that is not how they run. */
bool ribbon_of_area(struct arena *mem, const struct point *at, size_t n, double scale, size_t width, struct ribbon *out);

/* On rows from `first_row` of the page on, and no others. `colour` is 0xaarrggbb, times its alpha. Pixels are covered by sixteenths. */
struct painted {
	uint32_t *at;
	size_t first_row, n_rows, stride;
};
void ribbon_paint(const struct ribbon *r, const struct painted *on, uint32_t colour);

#endif
