/* palette.c - which colours a palette gets, and which of them stands for which colour of the picture. */
#include "chart/palette.h"
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * Cards have 4,000 to 7,000 colours: few enough for a table that stays in a core's cache. What has more is counted anew in a larger
 * one. Colours fill half of a table at most, so that probes are short; which table it is shows nowhere.
 */
#define USUAL_SLOT_BITS 14
#define MOST_SLOT_BITS 16
#define RGB 0xffffffU
/*
 * The first half of the palette are the colours of the largest areas, the second half those that are worst off without.
 * An area is what has the same colour on its left, as the cells of maps and legends have and edges of letters have not. Of cards,
 * time lines and maps of 1 to 64 GPUs no colour is then off by more than 9 of 255 in a channel, 2 to 5 % of the pixels by 3 on average.
 */
#define OF_AREAS (PALETTE_COLOURS / 2)

struct colour_slot {
	uint32_t rgb;
	uint32_t n_inside; /* pixels with one like them on their left */
	bool is_used;
	uint8_t index; /* of the colour that stands for it */
};

/* Pixels beside each other in one colour, by its slot. */
struct stretch {
	uint16_t slot, n;
};
_Static_assert((1 << MOST_SLOT_BITS) - 1 <= UINT16_MAX, "slots are numbered by 16 bits");

struct palette_row {
	const struct stretch *at;
	size_t n;
};

struct slots { /* of the colours of a picture, by their hash */
	struct colour_slot *at;
	unsigned bits;
	size_t n_colours;
};

static size_t n_slots(const struct slots *slots)
{
	return (size_t)1 << slots->bits;
}

static inline size_t slot_of(const struct slots *slots, uint32_t rgb)
{
	const size_t last = n_slots(slots) - 1;
	size_t at = rgb * 2654435761U >> (32 - slots->bits); /* Knuth's multiplicative hash */

	while (slots->at[at].is_used && slots->at[at].rgb != rgb)
		at = (at + 1) & last;
	return at;
}

/* ---- which colours there are, and where ---- */

#ifdef __SSE2__
/* A bit for each byte of four pixels that is as in `colour`; the fourth byte of a pixel means nothing. */
static inline unsigned bytes_alike(const uint32_t *four, __m128i colour)
{
	const __m128i pixels = _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)four), _mm_set1_epi32((int)RGB));

	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi32(pixels, colour));
}

/* How many of n pixels, at least one, have the colour of the first. */
static size_t pixels_alike(const uint32_t *pixels, size_t n)
{
	const __m128i colour = _mm_set1_epi32((int)(pixels[0] & RGB));
	size_t end = 0;
	for (; end + 4 <= n; end += 4) {
		const unsigned bits = bytes_alike(pixels + end, colour);
		if (bits != 0xFFFF)
			return end + (size_t)__builtin_ctz(~bits) / 4;
	}
	while (end < n && !((pixels[end] ^ pixels[0]) & RGB))
		end++;
	return end;
}
#else
static inline uint64_t two_pixels(const uint32_t *pixels)
{
	uint64_t two;
	memcpy(&two, pixels, sizeof two);
	return two;
}

#define RGB_OF_TWO ((uint64_t)RGB << 32 | RGB)

/* How many of n pixels, at least one, have the colour of the first; the fourth byte of a pixel means nothing. */
static size_t pixels_alike(const uint32_t *pixels, size_t n)
{
	const uint64_t both = two_pixels((const uint32_t[]){ pixels[0], pixels[0] });
	size_t end = 1;
	for (; end + 8 <= n; end += 8) {
		const uint32_t *const at = pixels + end;
		const uint64_t other = (two_pixels(at) ^ both) | (two_pixels(at + 2) ^ both) | (two_pixels(at + 4) ^ both) |
				       (two_pixels(at + 6) ^ both);
		if (other & RGB_OF_TWO)
			break;
	}
	while (end < n && !((pixels[end] ^ pixels[0]) & RGB))
		end++;
	return end;
}
#endif

struct counting {
	struct arena *mem;
	struct slots slots;
	struct stretch *room; /* of a row in which no two pixels are alike */
};

static struct palette_row row_of(struct counting *c, const uint32_t *pixels, size_t width)
{
	size_t n = 0;
	for (size_t x = 0, length; x < width; x += length) {
		length = pixels_alike(pixels + x, width - x);
		const size_t at = slot_of(&c->slots, pixels[x] & RGB);
		struct colour_slot *const slot = &c->slots.at[at];
		c->slots.n_colours += !slot->is_used;
		slot->is_used = true;
		slot->rgb = pixels[x] & RGB;
		c->room[n++] = (struct stretch){ (uint16_t)at, (uint16_t)length };
	}
	struct stretch *const kept = NEW_RAW_ARRAY(c->mem, struct stretch, n);
	memcpy(kept, c->room, n * sizeof *kept);
	return (struct palette_row){ kept, n };
}

static void add_areas(struct counting *c, struct palette_row row, size_t n_rows)
{
	for (size_t i = 0; i < row.n; i++)
		c->slots.at[row.at[i].slot].n_inside += (uint32_t)((row.at[i].n - 1U) * n_rows);
}

/* Rows that are as the one above, as many are, have its stretches. NULL when the table is too small for its colours. */
static const struct palette_row *rows_of(struct counting *c, struct pixels pixels)
{
	struct palette_row *const rows = NEW_RAW_ARRAY(c->mem, struct palette_row, pixels.height);
	const size_t n_bytes = pixels.width * sizeof *pixels.at;
	for (size_t y = 0, end; y < pixels.height; y = end) {
		const uint32_t *const row = pixels.at + y * pixels.stride;
		rows[y] = row_of(c, row, pixels.width);
		if (c->slots.n_colours > n_slots(&c->slots) / 2)
			return NULL;
		for (end = y + 1; end < pixels.height && memcmp(row, pixels.at + end * pixels.stride, n_bytes) == 0; end++)
			rows[end] = rows[y];
		add_areas(c, rows[y], end - y);
	}
	return rows;
}

/* ---- which of them the palette has ---- */

struct shade { /* a colour of the picture */
	uint32_t rgb, n_inside;
	uint16_t slot;
};

static int by_area(const void *a, const void *b)
{
	const struct shade *const x = a, *const y = b;
	if (x->n_inside != y->n_inside)
		return x->n_inside > y->n_inside ? -1 : 1;
	return x->rgb < y->rgb ? -1 : x->rgb > y->rgb;
}

static struct shade *shades_of(struct arena *mem, const struct slots *slots)
{
	struct shade *const shades = NEW_RAW_ARRAY(mem, struct shade, slots->n_colours);
	size_t k = 0;
	for (size_t i = 0; i < n_slots(slots); i++)
		if (slots->at[i].is_used)
			shades[k++] = (struct shade){ slots->at[i].rgb, slots->at[i].n_inside, (uint16_t)i };
	qsort(shades, slots->n_colours, sizeof *shades, by_area);
	return shades;
}

/* A few shades side by side, so that compilers compare all of them at once. */
#define ABREAST 32
struct abreast {
	uint8_t red[ABREAST], green[ABREAST], blue[ABREAST];
	uint8_t index[ABREAST]; /* of the colour that stands for it */
	uint8_t error[ABREAST]; /* how far that is from it, in the channel that differs most */
};

static size_t n_abreast(size_t n)
{
	return (n + ABREAST - 1) / ABREAST;
}

/* What is left of the last few stays as it is: no error. */
static struct abreast *abreast_from(struct arena *mem, const struct shade *shades, size_t n)
{
	struct abreast *const all = NEW_ARRAY(mem, struct abreast, n_abreast(n));
	for (size_t i = 0; i < n; i++) {
		struct abreast *const of = &all[i / ABREAST];
		of->red[i % ABREAST] = (uint8_t)(shades[i].rgb >> 16);
		of->green[i % ABREAST] = (uint8_t)(shades[i].rgb >> 8);
		of->blue[i % ABREAST] = (uint8_t)shades[i].rgb;
		of->error[i % ABREAST] = UINT8_MAX;
	}
	return all;
}

static inline uint8_t larger(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

static inline uint8_t distance(uint8_t a, uint8_t b)
{
	return (uint8_t)(larger(a, b) - (a < b ? a : b));
}

/* A colour more: it stands for all that it is nearer to. The first stands for all. */
static void add_colour(struct palette *p, uint32_t rgb, struct abreast *shades, size_t n)
{
	const uint8_t red = (uint8_t)(rgb >> 16), green = (uint8_t)(rgb >> 8), blue = (uint8_t)rgb, index = (uint8_t)p->n;
	for (struct abreast *of = shades; of < shades + n_abreast(n); of++)
		for (size_t i = 0; i < ABREAST; i++) {
			const uint8_t of_red = distance(of->red[i], red), of_green = distance(of->green[i], green);
			const uint8_t off = larger(larger(of_red, of_green), distance(of->blue[i], blue));
			of->index[i] = off < of->error[i] ? index : of->index[i];
			of->error[i] = off < of->error[i] ? off : of->error[i];
		}
	p->colour[p->n++] = rgb;
}

static size_t worst_off(const struct abreast *shades, size_t n)
{
	size_t worst = 0;
	uint8_t most = 0;
	for (size_t k = 0; k < n_abreast(n); k++) {
		uint8_t of_these = 0;
		for (size_t i = 0; i < ABREAST; i++)
			of_these = larger(of_these, shades[k].error[i]);
		if (of_these > most) {
			most = of_these;
			worst = k;
		}
	}
	const uint8_t *const error = shades[worst].error;
	for (size_t i = 0; i < ABREAST; i++)
		if (error[i] == most)
			return worst * ABREAST + i;
	return 0;
}

static void colours_choose(struct arena *mem, struct palette *p, const struct slots *slots)
{
	const size_t n = slots->n_colours;
	struct shade *const shades = shades_of(mem, slots);
	struct abreast *const abreast = abreast_from(mem, shades, n);
	while (p->n < n && p->n < PALETTE_COLOURS)
		add_colour(p, shades[p->n < OF_AREAS || n <= PALETTE_COLOURS ? p->n : worst_off(abreast, n)].rgb, abreast, n);
	for (size_t i = 0; i < n; i++)
		slots->at[shades[i].slot].index = abreast[i / ABREAST].index[i % ABREAST];
}

const struct palette *palette_of(struct arena *mem, struct pixels pixels)
{
	struct counting c = { .mem = mem, .room = NEW_RAW_ARRAY(mem, struct stretch, pixels.width) };
	const struct palette_row *rows = NULL;
	if (pixels.width > UINT16_MAX)
		return NULL;
	for (unsigned bits = USUAL_SLOT_BITS; bits <= MOST_SLOT_BITS && !rows; bits++) {
		c.slots = (struct slots){ NEW_ARRAY(mem, struct colour_slot, (size_t)1 << bits), bits, 0 };
		rows = rows_of(&c, pixels);
	}
	if (!rows)
		return NULL;
	struct palette *const p = NEW(mem, struct palette);
	p->rows = rows;
	colours_choose(mem, p, &c.slots);
	p->slots = c.slots.at;
	return p;
}

/* Most stretches are short: eight bytes are written at once, and what is beyond the stretch is written over. */
static inline void stretch_fill(uint8_t *row, uint8_t index, size_t n)
{
	const uint64_t eight = index * 0x0101010101010101U;
	memcpy(row, &eight, sizeof eight);
	if (n > sizeof eight)
		memset(row + sizeof eight, index, n - sizeof eight);
}

bool palette_row(const struct palette *p, size_t y, uint8_t *row)
{
	const struct palette_row of = p->rows[y];
	if (y > 0 && of.at == p->rows[y - 1].at)
		return false;
	for (size_t i = 0; i < of.n; row += of.at[i++].n)
		stretch_fill(row, p->slots[of.at[i].slot].index, of.at[i].n);
	return true;
}

#define ADLER_MODULUS 65521

/* Rows have less than 2^16 bytes: nothing reaches 2^64. */
uint32_t palette_row_sum(const struct palette *p, size_t y, uint32_t sum)
{
	const struct palette_row of = p->rows[y];
	uint64_t all = sum & 0xffff, of_all = sum >> 16; /* of the bytes, 1 more; and of what that was behind each of them */
	for (size_t i = 0; i < of.n; i++) {
		const uint64_t n = of.at[i].n, index = p->slots[of.at[i].slot].index;
		of_all += n * all + index * (n * (n + 1) / 2);
		all += n * index;
	}
	return (uint32_t)(of_all % ADLER_MODULUS << 16 | all % ADLER_MODULUS);
}
