/*
 * slots.h - a place for each number that a column can have, and samples that go there. For tally.c only.
 */
#ifndef POSTRUN_SLOTS_H
#define POSTRUN_SLOTS_H

#include "series/held.h"

/* Slots from `low` on, `unit` apart: numbers of the column, before its formula. */
struct slots {
	fixed low, high;
	uint64_t unit;
	size_t n, n_samples; /* no more of them have anything in them */
	time_ms *held;       /* whole groups */
	size_t bank;         /* from one bank to the next: all SLOT_BANKS of a number add up to what it has. 0: there is one bank */
	const struct pack *pack; /* that the last samples are of, or NULL; */
	time_ms *from;           /* the slot of its code 0, */
	size_t step;             /* and slots from one code to the next */
};

enum { SLOT_BANKS = 4 };

/* The samples that were found last, which are of a pack with codes or of one number: the ms for which they hold. */
void slots_hold(struct slots *s, const struct held *h);
/* n samples of a track from `first` on, which are of one such pack: how many they are. */
void slots_count(struct slots *s, const struct track *t, size_t first, size_t n);

#endif
