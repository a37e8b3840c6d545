/* metric.h - the catalogue of quantities: what each means, its unit, what values it can have. */
#ifndef POSTRUN_METRIC_H
#define POSTRUN_METRIC_H

#include "base/number.h"
#include "base/quantity.h"

enum scope { SCOPE_RUN, SCOPE_HOST, SCOPE_GPU, SCOPE_CORE }; /* narrower ones later */
enum metric_kind { KIND_GAUGE, KIND_STATE, KIND_FACT, KIND_COUNTER };

enum metric {
#define METRIC(id, name, unit, kind, scope, low, high, also, title) METRIC_##id,
#include "metric/catalogue.def"
#undef METRIC
	N_METRICS
};

struct metric_row {
	const char *name; /* "gpu.util": in rules, JSON, help */
	enum unit unit;
	enum metric_kind kind;
	enum scope scope;
	double low, high;
	const char *also; /* '|' between */
	const char *title;
};
extern const struct metric_row metric_table[N_METRICS];

/* By name or other spelling. False: none. */
bool metric_find(struct slice name, enum metric *out);
/* For "did you mean"; NULL when nothing is near. */
const char *metric_nearest(struct slice name);
const char *scope_name(enum scope scope); /* "gpu", "host", "core", "run" */
enum scope scope_narrower(enum scope a, enum scope b);

/*
 * Reasons why clocks are held down: bit of NVML's mask (nvml.h, nvmlClocksEventReason*),
 * the name rules use and the metric that holds the single reason.
 */
struct throttle_reason {
	unsigned bit;
	const char *name;
	enum metric metric;
	enum metric counter; /* of the time for which it held clocks; N_METRICS: the driver counts none */
	bool is_fault;       /* heat, or power that is not there: told however short it was. The others touch every run for a moment */
	const char *title;   /* for tables: at most 17 characters */
};
extern const struct throttle_reason throttle_reasons[];
extern const size_t n_throttle_reasons;
/* NULL: none has this name. */
const struct throttle_reason *throttle_reason_find(struct slice name);

#endif
