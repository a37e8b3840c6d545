/*
 * mapping.h - which column of somebody's CSV is which metric: knowledge as data, in YAML.
 *
 *     title: "Weights & Biases: system panels exported as CSV"
 *     sources: ["the export button of a panel; columns as seen in users' files"]
 *     time: {column: "Relative Time (Process)", is: "seconds since the start"}
 *     columns:
 *       "*system/gpu.{gpu}.gpu": {metric: gpu.util, unit: "%"}
 *       "*system/gpu.{gpu}.powerWatts": {metric: gpu.power, unit: W}
 *     ignore: ["*__MIN", "*__MAX"]
 *
 * In a head '*' stands for anything, {gpu} and {core} for a number, {host} for a name. Where rows, not heads, name the GPU,
 * `entity: {gpu: COLUMN}` says which column does. The keys are those of the table in mapping.c.
 */
#ifndef POSTRUN_MAPPING_H
#define POSTRUN_MAPPING_H

#include "base/yaml.h"
#include "format/format.h"

#define MAPPING_COLUMNS ((size_t)500)

enum mapping_time { TIME_STAMPS, TIME_ELAPSED_S, TIME_ELAPSED_MS };

struct mapping_column {
	const char *head;         /* a pattern */
	struct spelling spelling; /* its head, metric and the unit of its cells */
};
struct mapping {
	const char *id, *path, *title; /* id: the file's name without .yaml */
	struct slice text;        /* of the file */
	const char *time_head;    /* a pattern */
	enum mapping_time time;
	const char *zone;         /* of stamps that name none: "UTC", "+05:30"; NULL: local time */
	time_ms offset;           /* what the zone means */
	char separator;
	struct mapping_column *columns;
	size_t n_columns;
	const char **missing, **ignored; /* words; patterns */
	size_t n_missing, n_ignored;
	const char *gpu_head, *core_head, *host_head; /* patterns, or NULL */
};
struct mappings {
	const struct mapping **at;
	size_t n;
};

/* What the places of a pattern stood for. */
struct captures {
	int gpu, core;     /* -1: no such place */
	struct slice host; /* empty: no such place */
};

/* NULL, with every problem reported, when the file is no mapping. The text, which it keeps, must live as long as the mapping. */
const struct mapping *mapping_load(struct arena *mem, const char *path, struct slice text, struct diags *diags);
/* Does the head fit the pattern? Letters are compared without case. */
bool pattern_fits(const char *pattern, struct slice head, struct captures *out);

#endif
