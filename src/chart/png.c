/* png.c - hands pixels to libpng. */
#include "chart/png.h"
#include "chart/palette.h"
#include <png.h>
#include <setjmp.h>

/*
 * Of eleven pictures zlib takes 42 ms for 567 kB at level 3; level 2 as much for 587 kB, level 4 95 ms for 511 kB. A filter makes both
 * worse. Tables of half the usual size are cleared in half the time, and blocks of half the size have codes that fit better.
 */
#define COMPRESSION 3
#define TABLES 7
#define PIXELS_PER_METRE 2835 /* 72 an inch, of a page drawn at scale 1 */

static void row_of_rgb(png_bytep row, const uint32_t *pixels, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		row[3 * x] = (png_byte)(pixels[x] >> 16);
		row[3 * x + 1] = (png_byte)(pixels[x] >> 8);
		row[3 * x + 2] = (png_byte)pixels[x];
	}
}

static void put_bytes(png_structp png, png_bytep bytes, png_size_t n)
{
	buf_put(png_get_io_ptr(png), (struct slice){ (const char *)bytes, n });
}

static void put_nothing(png_structp png)
{
	(void)png;
}

/* Whoever asked is told; libpng would write on standard error. */
static void give_up(png_structp png, png_const_charp why)
{
	(void)why;
	png_longjmp(png, 1);
}

static void pass_over(png_structp png, png_const_charp why)
{
	(void)png;
	(void)why;
}

static void set_words(png_structp png, png_infop info, struct arena *scratch, const struct png_words *words)
{
	const struct {
		const char *key, *text;
	} rows[] = {
		{ "Title", words->title },
		{ "Description", words->description },
		{ "Software", words->software },
		{ "Source", words->source },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!rows[i].text)
			continue;
		png_text text = {
			.compression = PNG_ITXT_COMPRESSION_NONE,
			.key = arena_print(scratch, "%s", rows[i].key),
			.text = arena_print(scratch, "%s", rows[i].text),
			.itxt_length = strlen(rows[i].text),
			.lang = arena_print(scratch, "en"),
		};
		png_set_text(png, info, &text, 1);
	}
}

static void set_palette(png_structp png, png_infop info, const struct palette *palette)
{
	png_color colours[PALETTE_COLOURS];
	for (size_t i = 0; i < palette->n; i++)
		colours[i] = (png_color){ (png_byte)(palette->colour[i] >> 16), (png_byte)(palette->colour[i] >> 8),
			(png_byte)palette->colour[i] };
	png_set_PLTE(png, info, colours, (int)palette->n);
}

static void write_head(png_structp png, png_infop info, struct pixels pixels, int scale, const struct palette *palette)
{
	const png_uint_32 per_metre = (png_uint_32)(PIXELS_PER_METRE * scale);
	png_set_IHDR(png, info, (png_uint_32)pixels.width, (png_uint_32)pixels.height, 8,
		palette ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
		PNG_FILTER_TYPE_DEFAULT);
	png_set_pHYs(png, info, per_metre, per_metre, PNG_RESOLUTION_METER);
	if (palette)
		set_palette(png, info, palette);
	png_write_info(png, info);
}

static void write_rows(png_structp png, png_bytep row, struct pixels pixels, const struct palette *palette)
{
	for (size_t y = 0; y < pixels.height; y++) {
		if (palette)
			palette_row(palette, y, row);
		else
			row_of_rgb(row, pixels.at + y * pixels.stride, pixels.width);
		png_write_row(png, row);
	}
}

/* Everything that libpng may jump out of, with nothing of ours to lose. */
static bool write_all(png_structp png, png_infop info, struct arena *scratch, struct pixels pixels, int scale,
	const struct palette *palette, const struct png_words *words)
{
	png_bytep const row = arena_alloc(scratch, pixels.width * 3);
	if (setjmp(png_jmpbuf(png)))
		return false;
	png_set_compression_level(png, COMPRESSION);
	png_set_compression_mem_level(png, TABLES);
	png_set_filter(png, 0, PNG_FILTER_NONE); /* flat colours: predicting makes the file larger */
	set_words(png, info, scratch, words);
	write_head(png, info, pixels, scale, palette);
	write_rows(png, row, pixels, palette);
	png_write_end(png, info);
	return true;
}

bool png_encode(struct arena *scratch, struct pixels pixels, int scale, const struct png_words *words, struct buf *out)
{
	const struct palette *const palette = palette_of(scratch, pixels);
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, give_up, pass_over);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info)
		die_memory();
	png_set_write_fn(png, out, put_bytes, put_nothing);
	const bool ok = write_all(png, info, scratch, pixels, scale, palette, words);
	png_destroy_write_struct(&png, &info);
	return ok && !out->overflow;
}
