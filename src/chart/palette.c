/* palette.c - which colours a palette gets, and which of them stands for which colour of the picture. */
#include "chart/palette.h"
#include "series/order.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * Cards have 3,000 to 7,000 colours: few enough for a table that stays in a core's cache. What has more is drawn and counted anew, with a
 * larger one. A quarter stays free of all colours but those of the last row, so that probes are short; which table it is shows nowhere.
 */
#define USUAL_SLOT_BITS 14
#define MOST_SLOT_BITS 16
#define FREE_SHARE 4
#define RGB 0xffffffU
/*
 * The first half of the palette are the colours of the largest areas, the second half those that are worst off without.
 * An area is what has the same colour on its left, as the cells of maps and legends have and edges of letters have not. Of cards,
 * time lines and maps of 1 to 64 GPUs no colour is then off by more than 9 of 255 in a channel, 2 to 5 % of the pixels by 3 on average.
 */
#define OF_AREAS (PALETTE_COLOURS / 2)

#define TAKEN (RGB + 1)		/* beside a colour, which may be 0 */
struct colour_slot {
	uint32_t taken_by; /* 0: none */
	uint32_t n_inside; /* pixels with one like them on their left */
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

/* The place of a colour, or the one that it is to have. */
static inline size_t slot_of(const struct slots *slots, uint32_t rgb)
{
	const size_t last = n_slots(slots) - 1;
	size_t at = rgb * 2654435761U >> (32 - slots->bits); /* Knuth's multiplicative hash */

	while (slots->at[at].taken_by != (TAKEN | rgb) && slots->at[at].taken_by)
		at = (at + 1) & last;
	return at;
}

/* ---- which colours there are, and where ---- */

#define PIXELS_ABREAST 64 /* whose changes are told at once */

#ifdef __SSE2__
/* Four pixels each: all bits set where it is as the one on its right. The fourth byte of a pixel means nothing. */
static inline __m128i four_alike(const uint32_t *pixels)
{
	const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)pixels);
	const __m128i right = _mm_loadu_si128((const __m128i *)(const void *)(pixels + 1));

	return _mm_cmpeq_epi32(_mm_and_si128(_mm_xor_si128(here, right), _mm_set1_epi32((int)RGB)), _mm_setzero_si128());
}

static inline unsigned sixteen_alike(const uint32_t *pixels)
{
	const __m128i first = _mm_packs_epi32(four_alike(pixels), four_alike(pixels + 4));
	const __m128i second = _mm_packs_epi32(four_alike(pixels + 8), four_alike(pixels + 12));

	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(first, second));
}

/* A bit for each of PIXELS_ABREAST pixels, the first one lowest, that the one on its right differs from. */
static inline uint64_t changes_of(const uint32_t *pixels)
{
	uint64_t alike = 0;
	for (int i = 0; i < PIXELS_ABREAST; i += 16)
		alike |= (uint64_t)sixteen_alike(pixels + i) << i;
	return ~alike;
}
#else
static inline uint64_t changes_of(const uint32_t *pixels)
{
	uint64_t changes = 0;
	for (int i = 0; i < PIXELS_ABREAST; i++)
		changes |= (uint64_t)(((pixels[i] ^ pixels[i + 1]) & RGB) != 0) << i;
	return changes;
}
#endif

/* Where stretches of a row begin; returns how many. To ask each pixel in turn has the core guess where each ends, and guess wrong. */
static size_t begins_of(uint16_t *begins, const uint32_t *pixels, size_t width)
{
	size_t n = 0, x = 0;
	begins[n++] = 0;
	for (; x + PIXELS_ABREAST < width; x += PIXELS_ABREAST)
		for (uint64_t changes = changes_of(pixels + x); changes; changes &= changes - 1)
			begins[n++] = (uint16_t)(x + (size_t)__builtin_ctzll(changes) + 1);
	for (x++; x < width; x++)
		if ((pixels[x] ^ pixels[x - 1]) & RGB)
			begins[n++] = (uint16_t)x;
	return n;
}

struct counting {
	struct arena *mem;
	struct slots slots;
	uint16_t *begins; /* of a row in which no two pixels are alike, and its end */
};

/* A row that comes n_rows times. */
static struct palette_row row_of(struct counting *c, const uint32_t *pixels, size_t width, uint32_t n_rows)
{
	const size_t n = begins_of(c->begins, pixels, width);
	struct stretch *const stretches = NEW_RAW_ARRAY(c->mem, struct stretch, n);
	c->begins[n] = (uint16_t)width;
	for (size_t i = 0; i < n; i++) {
		const uint32_t rgb = pixels[c->begins[i]] & RGB, length = (uint32_t)c->begins[i + 1] - c->begins[i];
		const size_t at = slot_of(&c->slots, rgb);
		struct colour_slot *const slot = &c->slots.at[at];
		c->slots.n_colours += !slot->taken_by;
		slot->taken_by = TAKEN | rgb;
		slot->n_inside += (length - 1) * n_rows;
		stretches[i] = (struct stretch){ (uint16_t)at, (uint16_t)length };
	}
	return (struct palette_row){ stretches, n };
}

/* Rows from y on that are alike: at least one. */
static size_t rows_alike(struct pixels pixels, size_t y)
{
	const uint32_t *const row = pixels.at + y * pixels.stride;
	size_t n = 1;
	while (y + n < pixels.height && memcmp(row, row + n * pixels.stride, pixels.width * sizeof *row) == 0)
		n++;
	return n;
}

/* Rows that are as the one above, as many are, have its stretches. False when the table is too small for its colours. */
static bool rows_count(struct counting *c, struct pixels pixels, struct palette_row *rows)
{
	for (size_t y = 0, n; y < pixels.height; y += n) {
		n = rows_alike(pixels, y);
		const struct palette_row row = row_of(c, pixels.at + y * pixels.stride, pixels.width, (uint32_t)n);
		if (c->slots.n_colours > n_slots(&c->slots) - n_slots(&c->slots) / FREE_SHARE)
			return false;
		for (size_t i = 0; i < n; i++)
			rows[y + i] = row;
	}
	return true;
}

static const struct palette_row *rows_of(struct counting *c, const struct bands *bands)
{
	struct palette_row *const rows = NEW_RAW_ARRAY(c->mem, struct palette_row, bands->height);
	for (size_t y = 0; y < bands->height;) {
		const struct pixels pixels = bands->draw(bands->context, y);
		if (!rows_count(c, pixels, rows + y))
			return NULL;
		y += pixels.height;
	}
	return rows;
}

/* ---- which of them the palette has ---- */

/* Of the picture, those of large areas first, and else by number: it is the lower half of a key. The load is the slot. */
static const struct ordered *shades_of(struct arena *mem, const struct slots *slots)
{
	struct ordered *const shades = NEW_RAW_ARRAY(mem, struct ordered, slots->n_colours);
	size_t k = 0;
	for (size_t i = 0; i < n_slots(slots); i++) {
		const struct colour_slot slot = slots->at[i];
		if (slot.taken_by)
			shades[k++] = (struct ordered){ (uint64_t)~slot.n_inside << 32 | (slot.taken_by & RGB), (int64_t)i };
	}
	order_sort(mem, shades, slots->n_colours);
	return shades;
}

static uint32_t rgb_of(struct ordered shade)
{
	return (uint32_t)(shade.key & RGB);
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
static struct abreast *abreast_from(struct arena *mem, const struct ordered *shades, size_t n)
{
	struct abreast *const all = NEW_ARRAY(mem, struct abreast, n_abreast(n));
	for (size_t i = 0; i < n; i++) {
		struct abreast *const of = &all[i / ABREAST];
		const uint32_t rgb = rgb_of(shades[i]);
		of->red[i % ABREAST] = (uint8_t)(rgb >> 16);
		of->green[i % ABREAST] = (uint8_t)(rgb >> 8);
		of->blue[i % ABREAST] = (uint8_t)rgb;
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

static void colours_choose(struct arena *mem, struct palette *p, uint8_t *index_of, const struct slots *slots)
{
	const size_t n = slots->n_colours;
	const struct ordered *const shades = shades_of(mem, slots);
	struct abreast *const abreast = abreast_from(mem, shades, n);
	while (p->n < n && p->n < PALETTE_COLOURS)
		add_colour(p, rgb_of(shades[p->n < OF_AREAS || n <= PALETTE_COLOURS ? p->n : worst_off(abreast, n)]), abreast, n);
	for (size_t i = 0; i < n; i++)
		index_of[shades[i].load] = abreast[i / ABREAST].index[i % ABREAST];
}

const struct palette *palette_of(struct arena *mem, const struct bands *bands)
{
	struct counting c = { .mem = mem, .begins = NEW_RAW_ARRAY(mem, uint16_t, bands->width + 1) };
	const struct palette_row *rows = NULL;
	for (unsigned bits = USUAL_SLOT_BITS; bits <= MOST_SLOT_BITS && !rows; bits++) {
		if (bands->width >= ((size_t)1 << bits) / FREE_SHARE) /* a row might fill it */
			continue;
		c.slots = (struct slots){ NEW_ARRAY(mem, struct colour_slot, (size_t)1 << bits), bits, 0 };
		rows = rows_of(&c, bands);
	}
	if (!rows)
		return NULL;
	struct palette *const p = NEW(mem, struct palette);
	uint8_t *const index_of = NEW_RAW_ARRAY(mem, uint8_t, n_slots(&c.slots));
	colours_choose(mem, p, index_of, &c.slots);
	p->rows = rows;
	p->index_of = index_of;
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
	const uint8_t *const index_of = p->index_of; /* what is written might change what p points to, for all that a compiler knows */
	for (const struct stretch *s = of.at, *const end = s + of.n; s < end; s++) {
		const struct stretch here = *s;
		stretch_fill(row, index_of[here.slot], here.n);
		row += here.n;
	}
	return true;
}
