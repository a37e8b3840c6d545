/*
 * png.c - pixels to the chunks of PNG (its specification, third edition, chapters 5, 9 to 11). Checksums are zlib's, but for those of rows
 * of a palette.
 */
#include "chart/png.h"
#include "chart/deflate.h"
#include "chart/palette.h"
#include <zlib.h>

#define PIXELS_PER_METRE 2835 /* 72 an inch, of a page drawn at scale 1 */
#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define BIT_DEPTH 8
#define RGB_PIXELS 2 /* colour types */
#define PALETTE_PIXELS 3
#define NO_FILTER 0 /* colours by number are no gradients: to predict them makes the file larger */
#define ZLIB_HEAD "\x78\x9c" /* DEFLATE that looks back as far as it may */

static void put_byte(struct buf *out, unsigned byte)
{
	buf_char(out, (char)(byte & 0xff));
}

static void put_number(struct buf *out, unsigned long number)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		put_byte(out, (unsigned)(number >> shift));
}

static void put_chunk(struct buf *out, const char *type, const struct buf *data)
{
	const unsigned long of_type = crc32(0, (const Bytef *)type, (uInt)strlen(type));
	put_number(out, data->n);
	buf_text(out, type);
	buf_put(out, buf_slice(data));
	put_number(out, crc32_z(of_type, (const Bytef *)data->at, data->n));
}

/* A chunk's data begin with nothing in the buffer of those before it. */
static struct buf *chunk_begin(struct buf *data)
{
	data->n = 0;
	return data;
}

static void put_head(struct buf *out, struct buf *data, struct pixels pixels, bool has_palette)
{
	put_number(chunk_begin(data), pixels.width);
	put_number(data, pixels.height);
	put_byte(data, BIT_DEPTH);
	put_byte(data, has_palette ? PALETTE_PIXELS : RGB_PIXELS);
	buf_fill(data, 0, 3); /* DEFLATE, filters by row, not interlaced: what there is */
	put_chunk(out, "IHDR", data);
}

static void put_palette(struct buf *out, struct buf *data, const struct palette *palette)
{
	chunk_begin(data);
	for (size_t i = 0; i < palette->n; i++)
		for (int shift = 16; shift >= 0; shift -= 8)
			put_byte(data, palette->colour[i] >> shift);
	put_chunk(out, "PLTE", data);
}

static void put_density(struct buf *out, struct buf *data, int scale)
{
	put_number(chunk_begin(data), (unsigned long)(PIXELS_PER_METRE * scale));
	put_number(data, (unsigned long)(PIXELS_PER_METRE * scale));
	put_byte(data, 1); /* a metre */
	put_chunk(out, "pHYs", data);
}

static void put_words(struct buf *out, struct buf *data, const char *key, const char *words)
{
	if (!words)
		return;
	buf_text(chunk_begin(data), key);
	buf_fill(data, 0, 3); /* the end of the key, and twice: not packed */
	buf_text(data, "en");
	buf_fill(data, 0, 2); /* the key in that language is the same */
	buf_text(data, words);
	put_chunk(out, "iTXt", data);
}

static void row_of_rgb(uint8_t *row, const uint32_t *pixels, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		row[3 * x] = (uint8_t)(pixels[x] >> 16);
		row[3 * x + 1] = (uint8_t)(pixels[x] >> 8);
		row[3 * x + 2] = (uint8_t)pixels[x];
	}
}

/* False, and nothing, when it is as the one above. */
static bool row_make(uint8_t *row, size_t y, struct pixels pixels, const struct palette *palette)
{
	if (palette)
		return palette_row(palette, y, row);
	row_of_rgb(row, pixels.at + y * pixels.stride, pixels.width);
	return true;
}

/* Of a row with its filter before it. */
static uLong row_sum(const uint8_t *row, size_t y, size_t row_bytes, const struct palette *palette)
{
	const uLong of_filter = adler32_z(adler32(0, NULL, 0), row, 1);
	return palette ? palette_row_sum(palette, y, (uint32_t)of_filter) : adler32_z(of_filter, row + 1, row_bytes - 1);
}

/* Row by row, each with its filter before it. Returns their checksum. */
static uLong pack_rows(struct arena *scratch, struct buf *data, struct pixels pixels, const struct palette *palette)
{
	const size_t row_bytes = 1 + pixels.width * (palette ? 1 : 3);
	uint8_t *const row = NEW_RAW_ARRAY(scratch, uint8_t, row_bytes + PALETTE_ROOM);
	struct deflate *const deflate = deflate_new(scratch, row_bytes, data);
	uLong sum = adler32(0, NULL, 0), of_row = sum;
	row[0] = NO_FILTER;
	for (size_t y = 0; y < pixels.height; y++) {
		if (row_make(row + 1, y, pixels, palette))
			of_row = row_sum(row, y, row_bytes, palette);
		sum = adler32_combine(sum, of_row, (z_off_t)row_bytes);
		deflate_put(deflate, row, row_bytes);
	}
	deflate_end(deflate);
	return sum;
}

static void put_pixels(struct arena *scratch, struct buf *out, struct buf *data, struct pixels pixels, const struct palette *palette)
{
	buf_text(chunk_begin(data), ZLIB_HEAD);
	put_number(data, pack_rows(scratch, data, pixels, palette));
	put_chunk(out, "IDAT", data);
}

bool png_encode(struct arena *scratch, struct pixels pixels, int scale, const struct png_words *words, struct buf *out)
{
	struct buf data;
	if (!pixels.width || !pixels.height)
		return false;
	const struct palette *const palette = palette_of(scratch, pixels);
	buf_init(&data, out->max);
	buf_text(out, SIGNATURE);
	put_head(out, &data, pixels, palette != NULL);
	if (palette)
		put_palette(out, &data, palette);
	put_density(out, &data, scale);
	put_words(out, &data, "Title", words->title);
	put_words(out, &data, "Description", words->description);
	put_words(out, &data, "Software", words->software);
	put_words(out, &data, "Source", words->source);
	put_pixels(scratch, out, &data, pixels, palette);
	put_chunk(out, "IEND", chunk_begin(&data));
	out->overflow |= data.overflow;
	buf_release(&data);
	return !out->overflow;
}
