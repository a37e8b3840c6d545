/* png.h - pixels to a PNG file in memory. */
#ifndef POSTRUN_PNG_H
#define POSTRUN_PNG_H

#include "chart/canvas.h"

struct png_words { /* UTF-8, stored as iTXt */
	const char *title, *description, *software, *source; /* NULL: left out */
};
/*
 * With a palette (palette.h). 144 pixels an inch at scale 2. No date: equal pixels and words give equal bytes. False when there are no
 * pixels, or more bytes than the buffer may have.
 */
bool png_encode(struct arena *scratch, const struct bands *bands, int scale, const struct png_words *words, struct buf *out);

#endif
