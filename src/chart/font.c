/*
 * font.c - reads the widths and glyph numbers of the built-in font (font_file.c) once, into two tables.
 *
 * Every character that it has lies below U+2270, so that a table by code point is small enough.
 */
#include "chart/font.h"
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H

#define N_CHARACTERS 0x2270
#define UNKNOWN_CHARACTER ((uint32_t)'?')

struct face {
	uint16_t glyph[N_CHARACTERS]; /* 0: the font has none */
	float em[N_CHARACTERS];       /* advance, in parts of the size */
};
struct font {
	struct face face[2]; /* regular, bold */
};

void font_refused(int error)
{
	if (error == FT_Err_Out_Of_Memory)
		die_memory();
	BUG("the built-in font is damaged");
}

static void face_read(struct face *out, FT_Face face)
{
	FT_UInt glyph = 0;
	for (FT_ULong c = FT_Get_First_Char(face, &glyph); glyph; c = FT_Get_Next_Char(face, c, &glyph)) {
		FT_Fixed advance = 0;
		if (c >= N_CHARACTERS || FT_Get_Advance(face, glyph, FT_LOAD_NO_SCALE, &advance))
			continue;
		out->glyph[c] = (uint16_t)glyph;
		out->em[c] = (float)advance / (float)face->units_per_EM;
	}
}

static void face_load(struct face *out, FT_Library library, bool bold)
{
	const struct slice file = font_file(bold);
	FT_Face face = NULL;
	const FT_Error error = FT_New_Memory_Face(library, (const FT_Byte *)file.p, (FT_Long)file.n, 0, &face);
	if (error)
		font_refused(error);
	face_read(out, face);
	FT_Done_Face(face);
}

struct font *font_new(struct arena *mem)
{
	struct font *font = NEW(mem, struct font);
	FT_Library library = NULL;
	if (FT_Init_FreeType(&library))
		die_memory();
	face_load(&font->face[0], library, false);
	face_load(&font->face[1], library, true);
	FT_Done_FreeType(library);
	return font;
}

/* Length of the UTF-8 sequence at p by its first byte; 0 when no sequence starts so. */
static int sequence_length(unsigned char first)
{
	return first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

static uint32_t utf8_next(const char **text)
{
	const unsigned char *p = (const unsigned char *)*text;
	const int n = sequence_length(p[0]);
	*text += 1;
	if (n <= 1)
		return n ? p[0] : UNKNOWN_CHARACTER;
	uint32_t c = p[0] & (0x7fu >> n);
	for (int i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80) /* also the final NUL */
			return UNKNOWN_CHARACTER;
		c = c << 6 | (p[i] & 0x3fu);
	}
	*text += n - 1;
	return c;
}

uint32_t font_next(const struct font *font, const char **text)
{
	const uint32_t c = utf8_next(text);
	return c < N_CHARACTERS && font->face[0].glyph[c] && font->face[1].glyph[c] ? c : UNKNOWN_CHARACTER;
}

size_t font_put_drawn(const struct font *font, const char *text, struct buf *out)
{
	size_t n_replaced = 0;
	while (*text) {
		const char *const begin = text;
		const uint32_t c = font_next(font, &text);
		const bool replaced = c == UNKNOWN_CHARACTER && *begin != '?';
		buf_put(out, replaced ? slice_of("?") : (struct slice){ begin, (size_t)(text - begin) });
		n_replaced += replaced;
	}
	return n_replaced;
}

unsigned font_glyph(const struct font *font, uint32_t character, bool bold)
{
	return font->face[bold].glyph[character];
}

double font_advance(const struct font *font, uint32_t character, double size, bool bold)
{
	return size * (double)font->face[bold].em[character];
}

double font_width(const struct font *font, const char *text, double size, bool bold)
{
	double width = 0;
	while (*text)
		width += font_advance(font, font_next(font, &text), size, bold);
	return width;
}
