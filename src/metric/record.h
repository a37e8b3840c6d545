/*
 * record.h - which command logs a metric: for rules that a run's logs can't answer.
 *
 * One row a metric in record.def: the tool, and the column or option of it that has the metric. Metrics that follow
 * from others name these.
 */
#ifndef POSTRUN_RECORD_H
#define POSTRUN_RECORD_H

#include "base/model.h"
#include "metric/metric.h"

/*
 * The fewest commands that log all of `metrics` once a second, in order of the tools in record.def, such as
 * "nvidia-smi --query-gpu=timestamp,index,utilization.gpu,power.draw --format=csv -l 1" and "mpstat -P ALL 1".
 * A metric that no command logs (facts of the log, the job's own progress) adds none.
 */
struct texts record_commands(struct arena *mem, const enum metric *metrics, size_t n_metrics);
/* Where else to look for a metric that no command logs: "the job's own log"; NULL of all others. */
const char *record_unrecorded(enum metric metric);

/* For tests: the commands one by one, the format that reads their log, and what they are given for a metric; NULL: they don't log it. */
size_t record_n_commands(void);
const char *record_format(size_t command);
const char *record_column(size_t command, enum metric metric);

#endif
