/* palette.c - which colours a palette gets, and which of them stands for which colour of the picture. */
#include "chart/palette.h"
#include <stdlib.h>

#define SLOT_BITS 16
#define SLOTS ((size_t)1 << SLOT_BITS)
#define MAX_COUNTED (SLOTS / 2) /* short probes; cards have 4,000 to 7,000 colours */
#define RGB 0xffffffU
/*
 * The first half of the palette are the most frequent colours, the second half those that are worst off without: of cards and time
 * lines no colour is then off by more than 10 of 255 in a channel, 4 % of the pixels by 3 on average. With 192 frequent ones the worst
 * is off by 15; with 64 more pixels are off.
 */
#define FREQUENT (PALETTE_COLOURS / 2)

struct colour_slot {
	uint32_t rgb;
	uint32_t n_pixels; /* 0: the slot is free */
	uint8_t index;     /* of the colour that stands for it */
	uint8_t error;     /* how far that is from it, in the channel that differs most */
};

static size_t slot_of(const struct colour_slot *slots, uint32_t rgb)
{
	size_t at = rgb * 2654435761U >> (32 - SLOT_BITS); /* Knuth's multiplicative hash */
	while (slots[at].n_pixels && slots[at].rgb != rgb)
		at = (at + 1) % SLOTS;
	return at;
}

static size_t run_of(const uint32_t *row, size_t width, size_t x)
{
	size_t end = x + 1;
	while (end < width && ((row[end] ^ row[x]) & RGB) == 0)
		end++;
	return end - x;
}

/* All colours of the picture with how often they come; their number, or more than MAX_COUNTED. */
static size_t count_colours(struct colour_slot *slots, struct pixels pixels)
{
	size_t n = 0;
	for (size_t y = 0; y < pixels.height && n <= MAX_COUNTED; y++) {
		const uint32_t *const row = pixels.at + y * pixels.stride;
		for (size_t x = 0, length; x < pixels.width && n <= MAX_COUNTED; x += length) {
			length = run_of(row, pixels.width, x);
			struct colour_slot *const slot = &slots[slot_of(slots, row[x] & RGB)];
			n += slot->n_pixels == 0;
			slot->rgb = row[x] & RGB;
			slot->n_pixels += (uint32_t)length;
		}
	}
	return n;
}

static int by_frequency(const void *a, const void *b)
{
	const struct colour_slot *const x = *(struct colour_slot *const *)a, *const y = *(struct colour_slot *const *)b;
	if (x->n_pixels != y->n_pixels)
		return x->n_pixels > y->n_pixels ? -1 : 1;
	return x->rgb < y->rgb ? -1 : x->rgb > y->rgb;
}

static struct colour_slot **ranked(struct arena *mem, struct colour_slot *slots, size_t n)
{
	struct colour_slot **const rank = NEW_RAW_ARRAY(mem, struct colour_slot *, n);
	size_t k = 0;
	for (size_t i = 0; i < SLOTS; i++)
		if (slots[i].n_pixels)
			rank[k++] = &slots[i];
	qsort(rank, n, sizeof *rank, by_frequency);
	return rank;
}

static unsigned channel_distance(uint32_t a, uint32_t b, int shift)
{
	const int x = (int)(a >> shift & 255), y = (int)(b >> shift & 255);
	return (unsigned)abs(x - y);
}

static uint8_t distance(uint32_t a, uint32_t b)
{
	unsigned most = channel_distance(a, b, 0);
	for (int shift = 8; shift <= 16; shift += 8)
		if (channel_distance(a, b, shift) > most)
			most = channel_distance(a, b, shift);
	return (uint8_t)most;
}

/* A colour more: it stands for all that it is nearer to. */
static void add_colour(struct palette *p, uint32_t rgb, struct colour_slot *const *rank, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint8_t error = distance(rank[i]->rgb, rgb);
		if (p->n && error >= rank[i]->error)
			continue;
		rank[i]->error = error;
		rank[i]->index = (uint8_t)p->n;
	}
	p->colour[p->n++] = rgb;
}

static size_t worst_off(struct colour_slot *const *rank, size_t n)
{
	size_t worst = 0;
	for (size_t i = 1; i < n; i++)
		if (rank[i]->error > rank[worst]->error)
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
	struct colour_slot **const rank = ranked(mem, slots, n);
	while (p->n < n && p->n < PALETTE_COLOURS)
		add_colour(p, rank[p->n < FREQUENT || n <= PALETTE_COLOURS ? p->n : worst_off(rank, n)]->rgb, rank, n);
	p->slots = slots;
	return p;
}

uint8_t palette_index(const struct palette *p, uint32_t rgb)
{
	return p->slots[slot_of(p->slots, rgb & RGB)].index;
}
