/* kept_record.h - a record while the views of many are made: put away in bytes. For this folder only. */
#ifndef POSTRUN_KEPT_RECORD_H
#define POSTRUN_KEPT_RECORD_H

#include "fleet/fleet.h"

/* All of it but its GPUs, of which it keeps how many, and the entities and rule_labels of its causes: they are in the tables by then. */
void record_pack(struct buf *out, const struct record *record);
/* Of what record_pack() wrote, in this process. */
struct record record_unpack(struct arena *mem, struct slice packed);

#endif
