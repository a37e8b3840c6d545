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
/*
 * The same in two steps, for whoever has something to draw between them: pixels and words are needed for the first alone, which takes
 * longer as it has them drawn. `mem` is from png_begin() to png_end(). NULL when there are no pixels.
 */
struct png;
struct png *png_begin(struct arena *mem, const struct bands *bands, int scale, const struct png_words *words, struct buf *out);
bool png_end(struct arena *scratch, struct png *png);

#endif
