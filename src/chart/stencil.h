/*
 * stencil.h - which pixels a shape covers, and by how much, without its colour.
 *
 * Pictures of a page are drawn twice, light and dark, with the same lines in other colours. To find out what a noisy line covers takes
 * thirty times as long as to colour it.
 */
#ifndef POSTRUN_STENCIL_H
#define POSTRUN_STENCIL_H

#include "base/arena.h"
#include <stdint.h>

/* Pixels next to each other that are covered, all of them in part or all of them wholly: for those DAB_WHOLE is added to n. */
struct dab {
	uint16_t x, n;
};
#define DAB_WHOLE 0x8000U
struct stencil_row { /* what it begins with */
	uint32_t dab, cover;
};
struct stencil {
	size_t top, n_rows; /* of the page */
	const struct stencil_row *rows; /* and one behind the last */
	const struct dab *dabs;
	const uint8_t *covers; /* of 255, for each pixel that is covered in part */
};

/* What `cover` tells, a byte a pixel, whose first one is at (left, top) of the page. */
struct mask {
	const uint8_t *cover;
	size_t left, top, width, height, stride;
};
struct stencil stencil_of(struct arena *mem, const struct mask *mask);

/*
 * On rows from `first_row` of the page on, and no others. `colour` is 0xaarrggbb, times its alpha. cairo itself lays an opaque colour on
 * pixels, and has pixman do it for others; so it is here, to the last bit.
 */
struct painted {
	uint32_t *at;
	size_t first_row, n_rows, stride;
};
void stencil_paint(const struct stencil *s, const struct painted *on, uint32_t colour);

/* Every second byte times `share` of 255; what is added makes it the nearest of the two next to it, or of halves the lower one. */
static inline uint32_t two_times(uint32_t bytes, uint32_t share, uint32_t added)
{
	const uint32_t parts = (bytes & 0xff00ff) * share + added;
	return (parts + (parts >> 8 & 0xff00ff)) >> 8 & 0xff00ff;
}

#define AS_PIXMAN 0x800080U
#define AS_CAIRO 0x7f007fU
static inline uint32_t pixel_times(uint32_t pixel, uint32_t share, uint32_t added)
{
	return two_times(pixel, share, added) | two_times(pixel >> 8, share, added) << 8;
}

#endif
