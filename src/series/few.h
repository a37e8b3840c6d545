/*
 * few.h - what a few samples beside each other add up to, from the codes of their pack where these say. For those that look for means of
 * windows.
 */
#ifndef POSTRUN_FEW_H
#define POSTRUN_FEW_H

#include "series/chunk.h"

enum { FEW = 8 }; /* so few that a window of twenty has whole ones of them */
enum { FEWS = CHUNK / FEW };
_Static_assert(CHUNK % FEW == 0, "few samples are of one chunk");

/*
 * Until when each few samples of chunk k hold, which is full, and what they add up to, values x ms modulo 2^64; false where its codes don't
 * say.
 */
bool few_weighted(const struct track *t, size_t k, time_ms until[FEWS], uint64_t weighted[FEWS]);

#endif
