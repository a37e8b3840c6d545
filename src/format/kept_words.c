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

const char *kept_word(struct arena *mem, struct kept_words *w, struct slice cell, const char *(*keep)(struct arena *, struct slice))
{
	const size_t likely = w->current + 1 < w->n ? w->current + 1 : 0;

	if (w->n && slice_same(cell, w->raw[likely])) {
		w->current = likely;
		return w->kept[likely];
	}
	if (!w->places)
		w->places = NEW_ARRAY(mem, uint32_t, PLACES);
	uint32_t *place = place_of(w, cell);
	if (*place) {
		w->current = *place - 1;
		return w->kept[w->current];
	}
	if (w->n == MAX_CHANNELS)
		return NULL;
	w->raw = grow(w->raw, &w->room, w->n + 1, sizeof *w->raw);
	w->kept = grow(w->kept, &w->kept_room, w->n + 1, sizeof *w->kept);
	w->raw[w->n] = (struct slice){ arena_text(mem, cell.p, cell.n), cell.n };
	w->kept[w->n] = keep(mem, cell);
	*place = (uint32_t)w->n + 1;
	return w->kept[w->n++];
}

void kept_words_release(struct kept_words *w)
{
	grow_free(w->raw);
	grow_free(w->kept);
}
