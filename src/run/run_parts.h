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
/* Of all recordings, and what follows from them for GPUs (events.c). */
void events_gather(struct run *run);
/* What there is to say of the logs themselves (quality.c). */
void quality_note(struct run *run);
/* The track that says best when a log had rows of this GPU, or NULL. */
const struct track *rows_of(const struct run *run, const struct entity *gpu);
/* First and end of a recording's rows, over all channels, on its own clock. */
struct span recording_span(const struct recording *rec);
/* The channel's column, or NULL. */
const struct column *channel_column(const struct channel *c, enum metric metric);

#endif
