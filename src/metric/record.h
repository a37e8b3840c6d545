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

/* Was a log of this format that has the one metric asked for the other, too? If it is not told there, the driver does not tell it. */
bool record_is_beside(const char *format, enum metric has, enum metric metric);
/* Does a driver that has told the one of a GPU not tell the other in any log? */
bool record_is_instead(enum metric has, enum metric metric);

/*
 * What those of `metrics` are settled by, beside record_commands(): which of them a command logs. A metric that follows from others stands
 * with each command that logs one of these.
 */
struct record_choice {
	const char *command;
	const enum metric *metrics;
	size_t n_metrics;
};
const struct record_choice *record_choose(struct arena *mem, const enum metric *metrics, size_t n_metrics, size_t *n_choices);
/* Into `basics` (N_METRICS places): the metric, or those that it follows from, as far as a command logs them. */
void record_basics(bool *basics, enum metric metric);

/*
 * For a script that logs all that a reader of ours knows: the fields of nvidia-smi's query, and the other commands, each with the
 * log it writes. Of a command with options that versions of the tool may refuse: one that ends by itself, to try it, and
 * the same without its last option. NULL of the others.
 */
enum record_level { RECORD_GPU, RECORD_HOST, RECORD_DEEP };
struct record_logger {
	const char *file, *command;
	const char *trial, *simpler_command; /* or NULL */
};
struct texts record_fields(struct arena *mem);
/* How that query is repeated: "-l 1", "-lms 500". */
const char *record_loop(struct arena *mem, int64_t step_ms);
const struct record_logger *record_loggers(struct arena *mem, enum record_level level, int64_t step_ms, size_t *n_loggers);

/* For tests: the commands one by one, the format that reads their log, and what they are given for a metric; NULL: they don't log it. */
size_t record_n_commands(void);
const char *record_format(size_t command);
const char *record_column(size_t command, enum metric metric);

#endif
