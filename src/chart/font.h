/*
 * font.h - the built-in font: Noto Sans, regular and bold, cut down to the letters we print.
 *
 * Every machine draws and measures with these two files and nothing else. Widths are those of
 * the design, without hinting and kerning: layout does not depend on the scale.
 */
#ifndef POSTRUN_FONT_H
#define POSTRUN_FONT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include <stdint.h>

struct font;

struct font *font_new(struct arena *mem);
/* The TrueType file, for whoever draws the glyphs; when FreeType does not take it, whose fault that is. */
struct slice font_file(bool bold);
void font_refused(int error) __attribute__((noreturn));
/*
 * Takes one character off the front of *text, which must not be at its end. Bytes that are not
 * UTF-8 and characters that the font lacks come out as '?'.
 */
uint32_t font_next(const struct font *font, const char **text);
/* The text as it is drawn, with '?' for what the font lacks; returns how many of them there are. */
size_t font_put_drawn(const struct font *font, const char *text, struct buf *out);
/* Index of a glyph in the file, for a character that font_next gave. */
unsigned font_glyph(const struct font *font, uint32_t character, bool bold);
/* How far the pen moves, in u at the given size. */
double font_advance(const struct font *font, uint32_t character, double size, bool bold);
double font_width(const struct font *font, const char *text, double size, bool bold);

#endif
