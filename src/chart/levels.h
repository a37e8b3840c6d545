/*
 * levels.h - the levels of several GPUs, bin by bin: what a band over them is made of.
 */
#ifndef POSTRUN_LEVELS_H
#define POSTRUN_LEVELS_H

#include "chart/bins.h"

struct levels {
	size_t n_bins, n_gpus;
	double *at;      /* a row for each bin, `room` apart: the levels that are known in it */
	size_t room;
	size_t *n_known; /* of each bin */
	double *spare;   /* n_gpus numbers */
};

/* For up to n_gpus. */
struct levels levels_new(struct arena *mem, size_t n_bins, size_t n_gpus);
/* One more GPU's, of which those that are NAN are not known. */
void levels_add(struct levels *l, const double *values);
/* Those of bin k, lowest first; of a bin that is not asked for again. */
const double *levels_sorted(struct levels *l, size_t k, size_t *n);

#endif
