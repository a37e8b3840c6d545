/*
 * ranking.h - a quantile of a window that moves over a signal, step by step. For this folder only.
 *
 * Each different value has a rank, and each rank the ms for which the window has it: whole numbers, so that taking away is exact. The
 * quantile is kept as a place among the ranks, with what lies below it: from one window to the next it moves by a few ranks that weigh
 * anything, and a bit for each says which do.
 */
#ifndef POSTRUN_RANKING_H
#define POSTRUN_RANKING_H

#include "series/signal.h"

struct ranking {
	const struct signal *s;
	int percent;      /* 1 to 99 */
	uint32_t *rank_of; /* piece -> its rank; NO_RANK where the value is not known */
	double *value_of; /* rank -> value */
	time_ms *weights; /* rank -> ms in the window */
	uint64_t *weighs; /* a bit for each rank: does it weigh anything? */
	uint64_t *words;  /* a bit for each word of these: is there any? */
	size_t n_ranks;
	time_ms total;    /* what all of them weigh */
	size_t at;        /* the rank of the quantile, when it was asked for last; */
	time_ms below;    /* what those below it weigh */
	struct span covered; /* by the window */
	size_t first, last;  /* the pieces that hold at the ends of it */
};
#define NO_RANK UINT32_MAX

/* An empty window at the begin of a signal that has pieces. */
struct ranking ranking_new(struct arena *mem, const struct signal *s, int percent);
/* To a window that begins and ends no sooner than the one before. */
void ranking_move(struct ranking *r, struct span window);
/* The smallest value for which what is up to it is at least the share of all; something is known in the window. */
double ranking_quantile(struct ranking *r);

#endif
