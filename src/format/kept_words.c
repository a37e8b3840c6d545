/* kept_words.c - each text once. */
#include "format/kept_words.h"

#include "format/sheet.h"

const char *kept_plain(struct arena *mem, struct slice cell)
{
	return arena_text(mem, cell.p, cell.n);
}

const char *kept_word(struct arena *mem, struct kept_words *w, struct slice cell, const char *(*keep)(struct arena *, struct slice))
{
	for (size_t i = 0; i < w->n; i++) {
		size_t k = (w->current + 1 + i) % w->n;
		if (cell.n == w->raw[k].n && memcmp(cell.p, w->raw[k].p, cell.n) == 0) {
			w->current = k;
			return w->kept[k];
		}
	}
	if (w->n == MAX_CHANNELS)
		return NULL;
	w->raw = grow(w->raw, &w->room, w->n + 1, sizeof *w->raw);
	w->kept = grow(w->kept, &w->kept_room, w->n + 1, sizeof *w->kept);
	w->raw[w->n] = (struct slice){ arena_text(mem, cell.p, cell.n), cell.n };
	w->kept[w->n] = keep(mem, cell);
	return w->kept[w->n++];
}

void kept_words_release(struct kept_words *w)
{
	grow_free(w->raw);
	grow_free(w->kept);
}
