/* svg.h - an SVG with words for those who can't see it. */
#ifndef POSTRUN_SVG_H
#define POSTRUN_SVG_H

#include "base/buf.h"

/* `drawn`, an SVG as cairo writes it, with <title> and <desc> inside: plain text in UTF-8, or NULL for none. */
void svg_put(struct buf *out, struct slice drawn, const char *title, const char *description);

#endif
