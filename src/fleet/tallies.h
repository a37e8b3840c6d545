/*
 * tallies.h - what is added up of all runs, name by name. For this folder only.
 *
 * GPU time is in microseconds, so that sums are the same in any order of runs; of more than 2^63 of them, 292,000 years, it stays there.
 */
#ifndef POSTRUN_TALLIES_H
#define POSTRUN_TALLIES_H

#include "fleet/fleet.h"

/* How much a run is in need of being looked at: names that differ from run to run are those of the run that is worst. */
struct standing {
	int64_t lost_us;
	size_t rank; /* of its verdict, 0 the worst */
};
struct standing standing_of(const struct record *record);
/* By what was lost, then by the verdict; of equals none is. */
bool is_worse(struct standing a, struct standing b);

/* "node01" of "node01/gpu3"; empty of "gpu3", whose host no log names. */
struct slice host_of_entity(const char *entity);
/* The label of a rule among the causes; NULL: it cost nothing. */
const char *label_of_cause(const struct fleet_sums *causes, const char *rule);

/* Records of runs with a report come in order of ids, each with its number, from 1; what is kept lives in `mem` until the end. */
struct tallies;
/* `mem` is that of the fleet while it grows. */
struct tallies *tallies_new(struct arena *mem);
void tallies_add(struct tallies *t, const struct record *record, struct slice group, size_t run);
/* causes, groups, hosts, cards, weeks and unexplained_us of a fleet, in `mem`; the tallies are gone. */
void tallies_end(struct tallies *t, struct arena *mem, struct fleet *fleet);

/* The same of which GPUs a rule finds again and again, or which hosts: they join hardware, once causes are there. */
struct cards;
struct cards *cards_new(struct arena *mem, bool are_hosts);
void cards_add(struct cards *c, const struct record *record, size_t run);
void cards_end(struct cards *c, struct arena *mem, struct fleet *fleet);

/* Of two numbers that are not below 0. */
int64_t sum_capped(int64_t a, int64_t b);
/* Rounded down; 0 of nothing. */
int64_t millionths_of(int64_t part, int64_t whole);

#endif
