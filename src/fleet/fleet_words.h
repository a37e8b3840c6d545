/* fleet_words.h - how a fleet says things: sentences of templates/fleet.tmpl, numbers in one unit. For this folder only. */
#ifndef POSTRUN_FLEET_WORDS_H
#define POSTRUN_FLEET_WORDS_H

#include "fleet/fleet.h"
#include "metric/gpu_time.h"

/* "18 runs", "1 run" */
const char *counted_text(struct arena *mem, size_t n, const char *noun);
/* From 0 to 1; 0 of nothing. */
double share_of(int64_t part, int64_t whole);
/* "11 %" */
const char *share_text(struct arena *mem, int64_t part, int64_t whole);
/* "525", "69.1": in the unit, with one decimal where it is below a hundred, whatever others have */
const char *gpu_us_text(struct arena *mem, struct gpu_time unit, int64_t us);
/* "3600.000000" */
const char *seconds_text(struct arena *mem, int64_t us);

double hours_of(int64_t us);

/* Is a cause critical, and what was lost by it not counted in any run? As record_loss_is_unknown() of a run. */
bool loss_by_cause_is_unknown(const struct fleet_sum *cause);

/* The sentences of `told`, whose order, unit and classes are there. */
void fleet_sentences(struct arena *mem, const struct fleet *fleet, struct gpu_time unit, struct rate rate, struct fleet_told *told);
const char *suspect_sentence(struct arena *mem, const struct fleet_hardware *hardware);

#endif
