/*
 * metric.c - the rows of catalogue.def as a table, and how to find one.
 *
 * A metric is found by its name ("gpu.util") or by another spelling that people write
 * ("gpu_util"); what tools print in their headers is the business of format/. The rows
 * are looked through one by one: names are looked up when a rule or a header is read, never
 * for a sample. All rules ask for some 230, nearly all by name, so that names come first; no
 * spelling of one metric is the name of another.
 */
#include "metric/metric.h"

#include "base/diag.h"
#include <math.h>

#define UNBOUNDED ((double)INFINITY) /* counts and rates have no largest value */

const struct metric_row metric_table[N_METRICS] = {
#define METRIC(id, its_name, its_unit, its_kind, its_scope, its_low, its_high, its_also, its_title) \
	[METRIC_##id] = {                                                                           \
		.name = its_name,                                                                   \
		.unit = UNIT_##its_unit,                                                            \
		.kind = KIND_##its_kind,                                                            \
		.scope = SCOPE_##its_scope,                                                         \
		.low = its_low,                                                                     \
		.high = its_high,                                                                   \
		.also = its_also,                                                                   \
		.title = its_title,                                                                 \
	},
#include "metric/catalogue.def"
#undef METRIC
};

/*
 * Bits of nvidia-smi's clocks_event_reasons.active (nvml.h, nvmlClocksEventReason*). To add a
 * reason, add its metric to the catalogue and a row here; the name is the metric's last word.
 */
const struct throttle_reason throttle_reasons[] = {
	/* bit   name           metric                     counter                    fault  title */
	{ 0x001, "idle",        METRIC_GPU_THR_IDLE,       N_METRICS,                 false, "idle" },
	{ 0x002, "app_clocks",  METRIC_GPU_THR_APP,        N_METRICS,                 false, "clock setting" },
	{ 0x004, "sw_power",    METRIC_GPU_THR_SW_POWER,   METRIC_GPU_CAP_SW_POWER,   false, "power cap" },
	{ 0x008, "hw_slowdown", METRIC_GPU_THR_HW_SLOW,    N_METRICS,                 true,  "hardware slowdown" },
	{ 0x010, "sync_boost",  METRIC_GPU_THR_SYNC,       METRIC_GPU_CAP_SYNC,       false, "sync boost" },
	{ 0x020, "sw_thermal",  METRIC_GPU_THR_SW_THERMAL, METRIC_GPU_CAP_SW_THERMAL, true,  "heat, software" },
	{ 0x040, "hw_thermal",  METRIC_GPU_THR_HW_THERMAL, METRIC_GPU_CAP_HW_THERMAL, true,  "heat, hardware" },
	{ 0x080, "hw_brake",    METRIC_GPU_THR_HW_BRAKE,   METRIC_GPU_CAP_HW_BRAKE,   true,  "power brake" },
	{ 0x100, "display",     METRIC_GPU_THR_DISPLAY,    N_METRICS,                 false, "display clocks" },
};
const size_t n_throttle_reasons = sizeof throttle_reasons / sizeof throttle_reasons[0];

const struct throttle_reason *throttle_reason_find(struct slice name)
{
	for (size_t i = 0; i < n_throttle_reasons; i++)
		if (slice_is(name, throttle_reasons[i].name))
			return &throttle_reasons[i];
	return NULL;
}

static const char *const scope_names[] = {
	[SCOPE_RUN] = "run",
	[SCOPE_HOST] = "host",
	[SCOPE_GPU] = "gpu",
	[SCOPE_CORE] = "core",
};

const char *scope_name(const enum scope scope)
{
	return scope_names[scope];
}

enum scope scope_narrower(const enum scope a, const enum scope b)
{
	return a > b ? a : b;
}

static const struct slice known_names[N_METRICS] = { /* with their lengths, so that most are told apart without a look at them */
#define METRIC(id, its_name, ...) [METRIC_##id] = { its_name, sizeof its_name - 1 },
#include "metric/catalogue.def"
#undef METRIC
};

/* Is `name` one of the words of "gpu_util|gpu_usage"? */
static bool is_listed(const struct slice name, const char *list)
{
	while (*list != '\0') {
		const struct slice word = { list, strcspn(list, "|") };

		if (slice_same(word, name))
			return true;
		list += word.n;
		list += *list == '|';
	}
	return false;
}

/* N_METRICS when it is none's. */
static size_t find(const struct slice name)
{
	for (size_t i = 0; i < N_METRICS; i++)
		if (slice_same(known_names[i], name))
			return i;
	for (size_t i = 0; i < N_METRICS; i++)
		if (is_listed(name, metric_table[i].also))
			return i;
	return N_METRICS;
}

bool metric_find(const struct slice name, enum metric *out)
{
	const size_t found = find(name);

	if (found < N_METRICS)
		*out = (enum metric)found;
	return found < N_METRICS;
}

const char *metric_nearest(const struct slice name)
{
	const char *names[N_METRICS];

	for (size_t i = 0; i < N_METRICS; i++)
		names[i] = metric_table[i].name;
	return nearest_name(name, names, N_METRICS);
}
