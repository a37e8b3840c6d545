/* tallies.h - what is added up of all runs, name by name. For this folder only. */
#ifndef POSTRUN_TALLIES_H
#define POSTRUN_TALLIES_H

#include "fleet/fleet.h"

/* causes, hosts, cards, weeks and unexplained_us of a fleet whose runs are there. */
void tally_runs(struct arena *mem, struct fleet *fleet);
/* hardware: which GPUs a rule finds again and again. */
void tally_hardware(struct arena *mem, struct fleet *fleet);

/* Of two numbers that are not below 0. */
int64_t sum_capped(int64_t a, int64_t b);
/* Rounded down; 0 of nothing. */
int64_t millionths_of(int64_t part, int64_t whole);

#endif
