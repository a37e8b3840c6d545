/*
 * png.c - pixels to the chunks of PNG (its specification, third edition, chapters 5, 9 to 11). Checksums are zlib's, but for those of rows.
 */
#include "chart/png.h"
#include "chart/adler.h"
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

static void put_head(struct buf *out, struct buf *data, const struct bands *bands, bool has_palette)
{
	put_number(chunk_begin(data), bands->width);
	put_number(data, bands->height);
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

struct packing {
	struct buf *data;
	struct deflate *deflate;
	uint8_t *row; /* with its filter before it */
	size_t row_bytes;
	uLong of_row, sum; /* checksums: of the row, and of all rows */
};

static struct packing pack_begin(struct arena *scratch, struct buf *data, size_t row_bytes, size_t room)
{
	buf_text(chunk_begin(data), ZLIB_HEAD);
	struct packing p = { .data = data, .deflate = deflate_new(scratch, row_bytes, data), .row_bytes = row_bytes };
	p.row = NEW_RAW_ARRAY(scratch, uint8_t, row_bytes + room);
	p.row[0] = NO_FILTER;
	p.sum = adler32(0, NULL, 0);
	return p;
}

static void row_pack(struct packing *p)
{
	p->sum = adler32_combine(p->sum, p->of_row, (z_off_t)p->row_bytes);
	deflate_put(p->deflate, p->row, p->row_bytes);
}

static void pack_end(const struct packing *p)
{
	deflate_end(p->deflate);
	put_number(p->data, p->sum);
}

static void pack_palette(struct arena *scratch, struct buf *data, const struct palette *palette, size_t width, size_t height)
{
	struct packing p = pack_begin(scratch, data, 1 + width, PALETTE_ROOM);
	for (size_t y = 0; y < height; y++) {
		if (palette_row(palette, y, p.row + 1))
			p.of_row = adler_of(p.row, p.row_bytes);
		row_pack(&p);
	}
	pack_end(&p);
}

static void pack_rgb(struct arena *scratch, struct buf *data, const struct bands *bands)
{
	struct packing p = pack_begin(scratch, data, 1 + 3 * bands->width, 0);
	for (size_t top = 0; top < bands->height;) {
		const struct pixels pixels = bands->draw(bands->context, top);
		for (size_t y = 0; y < pixels.height; y++) {
			row_of_rgb(p.row + 1, pixels.at + y * pixels.stride, pixels.width);
			p.of_row = adler_of(p.row, p.row_bytes);
			row_pack(&p);
		}
		top += pixels.height;
	}
	pack_end(&p);
}

struct png {
	const struct palette *palette; /* NULL: the rows are packed, in `data` */
	size_t width, height;
	struct buf *out;
	struct buf data; /* of a chunk */
};

struct png *png_begin(struct arena *mem, const struct bands *bands, int scale, const struct png_words *words, struct buf *out)
{
	if (!bands->width || !bands->height)
		return NULL;
	struct png *const png = NEW(mem, struct png);
	struct buf *const data = &png->data;
	*png = (struct png){ .palette = palette_of(mem, bands), .width = bands->width, .height = bands->height, .out = out };
	buf_init(data, out->max);
	buf_text(out, SIGNATURE);
	put_head(out, data, bands, png->palette != NULL);
	if (png->palette)
		put_palette(out, data, png->palette);
	put_density(out, data, scale);
	put_words(out, data, "Title", words->title);
	put_words(out, data, "Description", words->description);
	put_words(out, data, "Software", words->software);
	put_words(out, data, "Source", words->source);
	if (!png->palette)
		pack_rgb(mem, data, bands);
	return png;
}

bool png_end(struct arena *scratch, struct png *png)
{
	struct buf *const out = png->out, *const data = &png->data;
	if (png->palette)
		pack_palette(scratch, data, png->palette, png->width, png->height);
	put_chunk(out, "IDAT", data);
	put_chunk(out, "IEND", chunk_begin(data));
	out->overflow |= data->overflow;
	buf_release(data);
	return !out->overflow;
}

bool png_encode(struct arena *scratch, const struct bands *bands, int scale, const struct png_words *words, struct buf *out)
{
	struct png *const png = png_begin(scratch, bands, scale, words, out);
	return png && png_end(scratch, png);
}
