/*
 * palette.h - the at most 256 colours of a PNG.
 *
 * Most of a chart's thousands of colours are shades at the edges of letters and lines, each of few pixels. Colours of areas stay as
 * they are; of the others, each is drawn as the nearest that the palette has.
 */
#ifndef POSTRUN_PALETTE_H
#define POSTRUN_PALETTE_H

#include "chart/canvas.h"

#define PALETTE_COLOURS 256

struct palette {
	uint32_t colour[PALETTE_COLOURS]; /* 0xrrggbb */
	size_t n;
	const struct colour_slot *slots;
};

/* NULL when the picture has more colours than are counted: no chart has. */
const struct palette *palette_of(struct arena *mem, struct pixels pixels);
/* How many of n pixels, at least one, have the colour of the first. */
size_t pixels_alike(const uint32_t *pixels, size_t n);
/* The colour that stands for this one of the picture's: its index. */
uint8_t palette_index(const struct palette *p, uint32_t rgb);

#endif
