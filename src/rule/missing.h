/* missing.h - what a rule needs and no log has. For this folder only. */
#ifndef POSTRUN_MISSING_H
#define POSTRUN_MISSING_H

#include "rule/vantage.h"

/*
 * `missing` and `unlogged` have N_METRICS places. Marks the metrics without which the condition can't be answered. True
 * when it can't, also where what lacks has no name that people could log.
 */
bool missing_mark(const struct vantage *v, const struct expression *condition, bool *missing);
/* Does each GPU of a host lack the same, or each core? Then it is enough to ask about one of them. The condition may be NULL. */
bool missing_is_same(const struct run *run, const struct expression *condition);
/*
 * "GPU", "host" or "log": the condition holds only of what differs from others, as uneven work does, and there is only one of these. NULL:
 * there are some, or it may hold of one alone.
 */
const char *missing_others(const struct vantage *v, const struct expression *condition);
/* Marks all metrics of the condition that the logs don't have, also those that it can do without. */
void unlogged_mark(const struct vantage *v, const struct expression *condition, bool *unlogged);

/* Does the driver tell another metric instead, and this one in no log? */
bool missing_is_untold(const struct vantage *v, enum metric metric);

/* Marks what would have to be logged to answer a rule whose outcome is not known, and can be; nothing of one that is answered. */
void missing_to_answer(const struct vantage *v, const struct rule *rule, enum outcome outcome, bool *marks);

#endif
