/*
 * assume.c - limits that no log tells, from the table of cards.
 *
 *     gpu.csv     NVIDIA A100-SXM4-40GB, 312 W, 61 C, and neither a power limit nor a temperature limit
 *     the table   400 W, 85 C: as another card of that name told of itself
 *
 * What a log or a side file tells comes first: a fact of the table is used where there is nothing else, only beside a
 * series that it limits, and not where the log contradicts it (more drawn than the limit, more held than there is). Each is a
 * track of one sample that holds for the run and says that it is assumed; DATA QUALITY names them all, with their source.
 */
#include "run/devices.h"
#include "run/run_parts.h"

static const struct assumption {
	enum metric fact;    /* of the table */
	enum metric limit;   /* what becomes known */
	enum metric series;  /* what it limits: without it nobody asks */
	enum metric instead; /* with this in the log nobody needs to assume anything */
	bool may_pass;       /* the series can be above it: a temperature; else that would contradict the table */
	const char *words;
} assumptions[] = {
	{ METRIC_GPU_POWER_DEFAULT, METRIC_GPU_POWER_LIMIT, METRIC_GPU_POWER, METRIC_GPU_POWER_SHARE, false, "the power limit" },
	{ METRIC_GPU_POWER_DEFAULT, METRIC_GPU_POWER_DEFAULT, METRIC_GPU_POWER_LIMIT, METRIC_GPU_POWER_DEFAULT, true,
		"the power limit that the card comes with" },
	{ METRIC_GPU_CLOCK_SM_MAX, METRIC_GPU_CLOCK_SM_MAX, METRIC_GPU_CLOCK_SM, METRIC_GPU_CLOCK_SHARE, false, "the highest SM clock" },
	{ METRIC_GPU_TEMP_MAX, METRIC_GPU_TEMP_MAX, METRIC_GPU_TEMP, METRIC_GPU_TEMP_MARGIN, true, "the highest working temperature" },
	{ METRIC_GPU_TEMP_SLOWDOWN, METRIC_GPU_TEMP_SLOWDOWN, METRIC_GPU_TEMP, METRIC_GPU_TEMP_MARGIN, true,
		"the temperature at which hardware slows it down" },
	{ METRIC_GPU_TEMP_SHUTDOWN, METRIC_GPU_TEMP_SHUTDOWN, METRIC_GPU_TEMP, METRIC_GPU_TEMP_MARGIN, true,
		"the temperature at which it shuts down" },
	{ METRIC_GPU_TEMP_MEM_MAX, METRIC_GPU_TEMP_MEM_MAX, METRIC_GPU_TEMP_MEM, METRIC_GPU_TEMP_MEM_MAX, true,
		"the highest working temperature of the memory" },
	{ METRIC_GPU_MEM_TOTAL, METRIC_GPU_MEM_TOTAL, METRIC_GPU_MEM_USED, METRIC_GPU_MEM_SHARE, false, "the size of the memory" },
};

static const struct device_fact *fact_of(const struct device *device, enum metric metric)
{
	for (size_t i = 0; i < device->n_facts; i++)
		if (device->facts[i].metric == metric)
			return &device->facts[i];
	return NULL;
}

static bool is_above(const struct track *t, fixed limit)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->values[i] != FIXED_MISSING && t->values[i] > limit)
			return true;
	return false;
}

#define OVERSHOOT 1.05 /* power is held at the limit on average: a sample can lie a little above it */

static bool is_wanted(const struct run *run, const struct entity *gpu, const struct assumption *a, fixed value)
{
	const struct track *const series = run_track(run, gpu, a->series);
	const double overshoot = a->limit == METRIC_GPU_POWER_LIMIT ? OVERSHOOT : 1;

	if (!series || series->assumed || run_track(run, gpu, a->limit) || run_track(run, gpu, a->instead))
		return false;
	return a->may_pass || !is_above(series, (fixed)((double)value * overshoot));
}

/* A default that the limit in force equals changes nothing: there is nothing to tell. */
static bool is_news(const struct run *run, const struct entity *gpu, const struct assumption *a, fixed value)
{
	const struct track *const limit = run_track(run, gpu, METRIC_GPU_POWER_LIMIT);

	if (a->limit != METRIC_GPU_POWER_DEFAULT)
		return true;
	for (size_t i = 0; i < limit->n; i++)
		if (limit->values[i] != FIXED_MISSING && limit->values[i] < value)
			return true;
	return false;
}

static bool is_told(const struct run *run, const char *text)
{
	for (size_t n = 0; n < run->n_notes; n++)
		if (strcmp(run->notes[n].text, text) == 0)
			return true;
	return false;
}

static void assume(struct run *run, const struct entity *gpu, const struct device *device, const struct assumption *a)
{
	const struct device_fact *const fact = fact_of(device, a->fact);

	if (!fact || !is_wanted(run, gpu, a, fact->value))
		return;
	const struct quantity value = { fixed_value(fact->value), metric_table[a->fact].unit };
	const char *const assumed = arena_print(run->mem, "no log tells %s of %s: %s by the table of cards%s", a->words, gpu->name,
		quantity_text(run->mem, value), fact->is_derived ? ", give or take 2 C" : "");
	run_add_constant(run, run_track(run, gpu, a->series), a->limit, fact->value, assumed);
	const char *const text = arena_print(run->mem, "N%s (%s).", assumed + 1, device->source);
	if (is_news(run, gpu, a, fact->value) && !is_told(run, text))
		run_note(run, "Limits", "%s", text);
}

void limits_assume(struct run *run)
{
	for (size_t g = 0; run->devices && g < run->n_gpus; g++) {
		const struct device *const device = devices_find(run->devices, run->gpus[g]->name);
		for (size_t i = 0; device && i < sizeof assumptions / sizeof *assumptions; i++)
			assume(run, run->gpus[g], device, &assumptions[i]);
	}
}
