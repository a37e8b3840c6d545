/*
 * font_file.c - the built-in font, byte by byte.
 *
 * The files are a subset of Noto Sans 2.004 (fonts-noto-core 20201225 of Debian), made with
 *
 *     pyftsubset NotoSans-Regular.ttf --no-hinting --layout-features='' --name-IDs=0,1,2,3,4,5,6,13,14 \
 *         --unicodes='U+0020-007E,U+00A0-00FF,U+2013,U+2014,U+2018,U+2019,U+201C,U+201D,U+2026,U+202F,U+20AC'
 *
 *     python3 src/chart/font/add_signs.py SUBSET.ttf NotoSans-Regular.ttf
 *
 * which adds the signs that Noto Sans lacks, minus, at most, at least, about and the arrow. Nothing else is
 * in this file: a test that draws with another font (tests/scene/dejavu.c) has a font_file of its own.
 */
#include "chart/font.h"

/* Paths are relative to the root of the project, where the Makefile runs the compiler. */
#define EMBED(symbol, path)                                                                     \
	__asm__(".pushsection .rodata, \"a\"\n"                                                  \
		".hidden " #symbol "_begin\n.hidden " #symbol "_end\n"                           \
		".global " #symbol "_begin\n.global " #symbol "_end\n"                           \
		".balign 16\n" #symbol "_begin:\n.incbin \"" path "\"\n" #symbol "_end:\n.byte 0\n" \
		".popsection\n");                                                                \
	extern const char symbol##_begin[], symbol##_end[]

EMBED(postrun_font_regular, "src/chart/font/NotoSans-Regular.ttf");
EMBED(postrun_font_bold, "src/chart/font/NotoSans-Bold.ttf");

struct slice font_file(bool bold)
{
	if (bold)
		return (struct slice){ postrun_font_bold_begin, (size_t)(postrun_font_bold_end - postrun_font_bold_begin) };
	return (struct slice){ postrun_font_regular_begin, (size_t)(postrun_font_regular_end - postrun_font_regular_begin) };
}
