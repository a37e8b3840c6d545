/* kept_words.c - each text once. */
#include "format/kept_words.h"

#include "format/sheet.h"

const char *kept_plain(struct arena *mem, struct slice cell)
{
	return arena_text(mem, cell.p, cell.n);
}

#define PLACES (2 * MAX_CHANNELS) /* of the hash table: at most half are taken */

/* Where the index of the cell is, from 1, or the free place where it would be. FNV-1a. */
static uint32_t *place_of(const struct kept_words *w, struct slice cell)
{
	uint32_t hash = 2166136261;

	for (size_t i = 0; i < cell.n; i++)
		hash = (hash ^ (unsigned char)cell.p[i]) * 16777619U;
	for (size_t at = hash % PLACES;; at = (at + 1) % PLACES)
		if (!w->places[at] || slice_same(cell, w->raw[w->places[at] - 1]))
			return &w->places[at];
}

#define FEW ((size_t)16) /* words: up to so many are looked through, and no table is made, which would be larger than a small log's rows */

/* Which one it is; w->n: none. */
static size_t word_found(const struct kept_words *w, struct slice cell)
{
	size_t i = 0;

	if (w->places) {
		const uint32_t place = *place_of(w, cell);
		return place ? place - 1 : w->n;
	}
	while (i < w->n && !slice_same(cell, w->raw[i]))
		i++;
	return i;
}

static void put_in_table(struct arena *mem, struct kept_words *w)
{
	size_t i = w->n - 1; /* the last one */

	if (!w->places) {
		w->places = NEW_ARRAY(mem, uint32_t, PLACES);
		i = 0;
	}
	for (; i < w->n; i++)
		*place_of(w, w->raw[i]) = (uint32_t)i + 1;
}

const char *kept_word(struct arena *mem, struct kept_words *w, struct slice cell, const char *(*keep)(struct arena *, struct slice))
{
	const size_t likely = w->current + 1 < w->n ? w->current + 1 : 0;

	if (w->n && slice_same(cell, w->raw[likely])) {
		w->current = likely;
		return w->kept[likely];
	}
	const size_t found = word_found(w, cell);
	if (found < w->n) {
		w->current = found;
		return w->kept[found];
	}
	if (w->n == MAX_CHANNELS)
		return NULL;
	w->raw = grow(w->raw, &w->room, w->n + 1, sizeof *w->raw);
	w->kept = grow(w->kept, &w->kept_room, w->n + 1, sizeof *w->kept);
	w->raw[w->n] = (struct slice){ arena_text(mem, cell.p, cell.n), cell.n };
	w->kept[w->n] = keep(mem, cell);
	if (++w->n > FEW)
		put_in_table(mem, w);
	return w->kept[w->n - 1];
}

void kept_words_release(struct kept_words *w)
{
	grow_free(w->raw);
	grow_free(w->kept);
}
