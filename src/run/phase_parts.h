/* phase_parts.h - the steps of finding phases; for the files phase*.c only. */
#ifndef POSTRUN_PHASE_PARTS_H
#define POSTRUN_PHASE_PARTS_H

#include "run/run_parts.h"

/* The periodic dips inside `work` (phase_dips.c); none where there are fewer than three alike at a steady rhythm. */
struct spans dips_find(struct arena *mem, const struct run *run, struct spans work);
/* What no GPU log saw is no other phase. */
void phases_lay_unseen(struct run *run);
/* What phases tell rules: how long the start, the end, dips were (phase_facts.c). */
void phases_tell(struct run *run);
/* The track is copied; it takes the place of what earlier phases told. */
void phases_tell_fact(struct run *run, const struct track *fact);
/*
 * find() for each GPU whose busy is logged, several at a time: with room to work, and with the GPU's place among `places`, of
 * `place_bytes` each. The places of the others stay as they are.
 */
void phases_ask_gpus(const struct run *run,
	void (*find)(struct arena *scratch, const struct run *run, const struct track *util, void *place),
	void *places, size_t place_bytes);
/* Since when each GPU is less busy than before (phase_pace.c). */
void paces_tell(struct run *run);
/* At which rhythm each GPU stops and starts (phase_rhythm.c). */
void rhythms_tell(struct run *run);

#endif
