/* svg.h - an SVG with words for those who can't see it. */
#ifndef POSTRUN_SVG_H
#define POSTRUN_SVG_H

#include "base/buf.h"

/* An SVG as cairo writes it, with <title> and <desc> inside, on its way to `out`: a map of many GPUs is too large to be kept twice. */
struct svg {
	struct buf *out;
	const char *title, *description; /* plain text in UTF-8, or NULL for none */
	struct buf held; /* what is not told yet, up to where nothing is to be changed any more */
	size_t searched;
	bool is_told;
};

void svg_begin(struct svg *s, struct buf *out, const char *title, const char *description);
void svg_put(struct svg *s, struct slice drawn);
void svg_end(struct svg *s);

#endif
