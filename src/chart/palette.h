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
	const uint8_t *index_of; /* the slot of a stretch: the colour that stands for it */
	const struct palette_row *rows;
};

/* NULL when the picture has more colours, or more pixels across, than are counted: no chart has. */
const struct palette *palette_of(struct arena *mem, const struct bands *bands);
/*
 * Row y of the picture, a byte a pixel: the colour that stands for that of the pixel. There is room for PALETTE_ROOM bytes behind the last
 * one. False, and nothing, when it is as the one above.
 */
#define PALETTE_ROOM 8
bool palette_row(const struct palette *p, size_t y, uint8_t *row);

#endif
