/* stencil.c - masks as stretches that are covered, and colour where they are. */
#include "chart/stencil.h"
#include "base/number.h"
#include <string.h>

#define ABREAST 8 /* bytes: most of a mask is not covered */

/* From x on; `end` when there is no other. */
static size_t covered_next(const uint8_t *row, size_t x, size_t end)
{
	while (x + ABREAST <= end && !eight_bytes((const char *)row + x))
		x += ABREAST;
	while (x < end && !row[x])
		x++;
	return x;
}

#define WHOLE 255

/* Of the pixels from x on that are covered as that one is, wholly or in part. */
static size_t dab_end(const uint8_t *row, size_t x, size_t end)
{
	const bool is_whole = row[x] == WHOLE;
	while (x < end && row[x] && (row[x] == WHOLE) == is_whole)
		x++;
	return x;
}

/* `dabs` and `covers`: NULL where they are only counted. Returns what the next row begins with. */
static struct stencil_row row_cut(const struct mask *mask, size_t y, struct stencil_row at, struct dab *dabs, uint8_t *covers)
{
	const uint8_t *const row = mask->cover + y * mask->stride;
	for (size_t x = covered_next(row, 0, mask->width), end; x < mask->width; x = covered_next(row, end, mask->width)) {
		end = dab_end(row, x, mask->width);
		const bool is_whole = row[x] == WHOLE;
		if (dabs)
			dabs[at.dab] = (struct dab){ (uint16_t)(mask->left + x), (uint16_t)((end - x) | (is_whole ? DAB_WHOLE : 0)) };
		if (dabs && !is_whole)
			memcpy(covers + at.cover, row + x, end - x);
		at.dab++;
		at.cover += is_whole ? 0 : (uint32_t)(end - x);
	}
	return at;
}

struct stencil stencil_of(struct arena *mem, const struct mask *mask)
{
	struct stencil_row *const rows = NEW_ARRAY(mem, struct stencil_row, mask->height + 1);
	for (size_t y = 0; y < mask->height; y++)
		rows[y + 1] = row_cut(mask, y, rows[y], NULL, NULL);
	struct dab *const dabs = NEW_RAW_ARRAY(mem, struct dab, rows[mask->height].dab);
	uint8_t *const covers = NEW_RAW_ARRAY(mem, uint8_t, rows[mask->height].cover);
	for (size_t y = 0; y < mask->height; y++)
		if (rows[y].dab < rows[y + 1].dab)
			row_cut(mask, y, rows[y], dabs, covers);
	return (struct stencil){ mask->top, mask->height, rows, dabs, covers };
}

/* What is laid on a pixel, by how much of it is covered, and how much of what was there stays. */
struct wash {
	uint32_t colour[WHOLE + 1], rest[WHOLE + 1], added; /* added: as two_times() has it */
};

static void wash_make(struct wash *w, uint32_t colour)
{
	w->added = colour >> 24 == 255 ? AS_CAIRO : AS_PIXMAN;
	for (uint32_t cover = 0; cover <= WHOLE; cover++) {
		w->colour[cover] = pixel_times(colour, cover, w->added);
		w->rest[cover] = 255 - (w->colour[cover] >> 24);
	}
}

static inline uint32_t washed(uint32_t below, const struct wash *w, uint32_t cover)
{
	return w->colour[cover] + pixel_times(below, w->rest[cover], w->added);
}

static void paint_part(uint32_t *at, const uint8_t *cover, size_t n, const struct wash *w)
{
	for (size_t x = 0; x < n; x++)
		at[x] = washed(at[x], w, cover[x]);
}

static void paint_whole(uint32_t *at, size_t n, const struct wash *w)
{
	for (size_t x = 0; x < n; x++)
		at[x] = w->rest[WHOLE] ? washed(at[x], w, WHOLE) : w->colour[WHOLE];
}

static void row_paint(const struct stencil *s, size_t y, uint32_t *at, const struct wash *w)
{
	const uint8_t *cover = s->covers + s->rows[y].cover;
	for (const struct dab *d = s->dabs + s->rows[y].dab, *const end = s->dabs + s->rows[y + 1].dab; d < end; d++) {
		const size_t n = d->n & ~DAB_WHOLE;
		if (d->n & DAB_WHOLE) {
			paint_whole(at + d->x, n, w);
		} else {
			paint_part(at + d->x, cover, n, w);
			cover += n;
		}
	}
}

void stencil_paint(const struct stencil *s, const struct painted *on, uint32_t colour)
{
	struct wash wash;
	wash_make(&wash, colour);
	for (size_t y = 0; y < s->n_rows; y++) {
		const size_t row = s->top + y;
		if (row >= on->first_row && row - on->first_row < on->n_rows)
			row_paint(s, y, on->at + (row - on->first_row) * on->stride, &wash);
	}
}
