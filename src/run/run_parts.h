/* run_parts.h - what the files of this folder share and nobody else sees. */
#ifndef POSTRUN_RUN_PARTS_H
#define POSTRUN_RUN_PARTS_H

#include "run/run.h"

/* The track is copied; its times and values stay where they are. */
void run_add_track(struct run *run, const struct track *track);
/* In the place of the one that the run has of the same entity and metric. */
void run_put_track(struct run *run, const struct track *track);
/* Entities and tracks out of settled recordings (evidence.c). */
void evidence_gather(struct run *run);
/* Around the settling of clocks: snapshots of limits are set aside before it, and come back for the span of the run (side.c). */
void sides_set_aside(struct run *run);
void sides_come_back(struct run *run);
bool is_side(const struct run *run, size_t source);
/* First and end of a recording's rows, over all channels, on its own clock. */
struct span recording_span(const struct recording *rec);
/* The channel's column, or NULL. */
const struct column *channel_column(const struct channel *c, enum metric metric);

#endif
