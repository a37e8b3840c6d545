/* palette.c - which colours a palette gets, and which of them stands for which colour of the picture. */
#include "chart/palette.h"
#include <stdlib.h>
#include <string.h>

#define SLOT_BITS 16
#define SLOTS ((size_t)1 << SLOT_BITS)
#define MAX_COUNTED (SLOTS / 2) /* short probes; cards have 4,000 to 7,000 colours */
#define RGB 0xffffffU
/*
 * The first half of the palette are the colours of the largest areas, the second half those that are worst off without.
 * An area is what has the same colour on its left, as the cells of maps and legends have and edges of letters have not. Of cards,
 * time lines and maps of 1 to 64 GPUs no colour is then off by more than 9 of 255 in a channel, 2 to 5 % of the pixels by 3 on average.
 */
#define OF_AREAS (PALETTE_COLOURS / 2)

struct shade { /* a colour of the picture */
	uint32_t rgb, n_inside;
	uint8_t index; /* of the colour that stands for it */
	uint8_t error; /* how far that is from it, in the channel that differs most */
};

struct colour_slot {
	uint32_t rgb;
	uint32_t n_inside; /* pixels with one like them on their left */
	bool is_used;
	uint8_t index;
};

static size_t slot_of(const struct colour_slot *slots, uint32_t rgb)
{
	size_t at = rgb * 2654435761U >> (32 - SLOT_BITS); /* Knuth's multiplicative hash */
	while (slots[at].is_used && slots[at].rgb != rgb)
		at = (at + 1) % SLOTS;
	return at;
}

size_t pixels_alike(const uint32_t *pixels, size_t n)
{
	const uint64_t first = pixels[0] & RGB, both = first << 32 | first;
	size_t end = 1;
	for (uint64_t two; end + 1 < n; end += 2) {
		memcpy(&two, pixels + end, sizeof two);
		if ((two & ((uint64_t)RGB << 32 | RGB)) != both)
			break;
	}
	return end < n && (pixels[end] & RGB) == first ? end + 1 : end;
}

/* All colours of the picture with how much they fill; their number, or more than MAX_COUNTED. */
static size_t count_colours(struct colour_slot *slots, struct pixels pixels)
{
	size_t n = 0;
	for (size_t y = 0; y < pixels.height && n <= MAX_COUNTED; y++) {
		const uint32_t *const row = pixels.at + y * pixels.stride;
		for (size_t x = 0, length; x < pixels.width && n <= MAX_COUNTED; x += length) {
			length = pixels_alike(row + x, pixels.width - x);
			struct colour_slot *const slot = &slots[slot_of(slots, row[x] & RGB)];
			n += !slot->is_used;
			slot->is_used = true;
			slot->rgb = row[x] & RGB;
			slot->n_inside += (uint32_t)length - 1;
		}
	}
	return n;
}

static int by_area(const void *a, const void *b)
{
	const struct shade *const x = a, *const y = b;
	if (x->n_inside != y->n_inside)
		return x->n_inside > y->n_inside ? -1 : 1;
	return x->rgb < y->rgb ? -1 : x->rgb > y->rgb;
}

static struct shade *shades_of(struct arena *mem, const struct colour_slot *slots, size_t n)
{
	struct shade *const shades = NEW_RAW_ARRAY(mem, struct shade, n);
	size_t k = 0;
	for (size_t i = 0; i < SLOTS; i++)
		if (slots[i].is_used)
			shades[k++] = (struct shade){ slots[i].rgb, slots[i].n_inside, 0, UINT8_MAX };
	qsort(shades, n, sizeof *shades, by_area);
	return shades;
}

static inline uint8_t channel_distance(uint32_t a, uint32_t b, int shift)
{
	return (uint8_t)abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
}

/* Is it nearer than that in each channel? Then how near. */
static inline bool is_nearer(uint32_t a, uint32_t b, uint8_t *error)
{
	uint8_t most = 0;
	for (int shift = 0; shift <= 16; shift += 8) {
		const uint8_t off = channel_distance(a, b, shift);
		if (off >= *error)
			return false;
		most = off > most ? off : most;
	}
	*error = most;
	return true;
}

/* A colour more: it stands for all that it is nearer to. The first stands for all. */
static void add_colour(struct palette *p, uint32_t rgb, struct shade *shades, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_nearer(shades[i].rgb, rgb, &shades[i].error))
			shades[i].index = (uint8_t)p->n;
	p->colour[p->n++] = rgb;
}

static size_t worst_off(const struct shade *shades, size_t n)
{
	size_t worst = 0;
	for (size_t i = 1; i < n; i++)
		if (shades[i].error > shades[worst].error)
			worst = i;
	return worst;
}

const struct palette *palette_of(struct arena *mem, struct pixels pixels)
{
	struct colour_slot *const slots = NEW_ARRAY(mem, struct colour_slot, SLOTS);
	struct palette *const p = NEW(mem, struct palette);
	const size_t n = count_colours(slots, pixels);
	if (n > MAX_COUNTED)
		return NULL;
	struct shade *const shades = shades_of(mem, slots, n);
	while (p->n < n && p->n < PALETTE_COLOURS)
		add_colour(p, shades[p->n < OF_AREAS || n <= PALETTE_COLOURS ? p->n : worst_off(shades, n)].rgb, shades, n);
	for (size_t i = 0; i < n; i++)
		slots[slot_of(slots, shades[i].rgb)].index = shades[i].index;
	p->slots = slots;
	return p;
}

uint8_t palette_index(const struct palette *p, uint32_t rgb)
{
	return p->slots[slot_of(p->slots, rgb & RGB)].index;
}
