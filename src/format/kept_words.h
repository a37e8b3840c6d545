/* kept_words.h - texts that come again and again in the rows of a log, such as uuids, kept once. For this folder only. */
#ifndef POSTRUN_KEPT_WORDS_H
#define POSTRUN_KEPT_WORDS_H

#include "base/arena.h"
#include "base/slice.h"

#include <stdint.h>

struct kept_words {
	struct slice *raw;
	const char **kept;
	uint32_t *places; /* by hash: the index from 1, or 0; a log may have a new word in every row */
	size_t n, room, kept_room, current;
};

/*
 * The kept form of a cell: what `keep` makes of it the first time, the same pointer ever after. NULL for more words than a log
 * can have GPUs. Cells come in the same order in every poll, so the next word is the likely one.
 */
const char *kept_word(struct arena *mem, struct kept_words *w, struct slice cell, const char *(*keep)(struct arena *, struct slice));
/* A `keep` that changes nothing. */
const char *kept_plain(struct arena *mem, struct slice cell);
void kept_words_release(struct kept_words *w);

#endif
