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

#include "series/chunk.h"

static const struct assumption {
	enum metric fact; /* of the table */
	enum metric limit; /* what becomes known */
	enum metric series; /* what it limits: without it nobody asks */
	enum metric instead; /* with this known nobody needs to assume anything */
	bool may_pass; /* the series can be above it: a temperature; else that would contradict the table */
	const char *words;
} assumptions[] = {
	/* in this order: a later one may be needless after an earlier one */
	{ METRIC_GPU_POWER_DEFAULT, METRIC_GPU_POWER_LIMIT, METRIC_GPU_POWER, METRIC_GPU_POWER_SHARE, false, "the power limit" },
	{ METRIC_GPU_POWER_DEFAULT, METRIC_GPU_POWER_DEFAULT, METRIC_GPU_POWER_LIMIT, METRIC_GPU_POWER_DEFAULT, true,
		"the power limit that the card comes with" },
	{ METRIC_GPU_CLOCK_SM_MAX, METRIC_GPU_CLOCK_SM_MAX, METRIC_GPU_CLOCK_SM, METRIC_GPU_CLOCK_SHARE, false, "the highest SM clock" },
	{ METRIC_GPU_TEMP_MAX, METRIC_GPU_TEMP_MAX, METRIC_GPU_TEMP, METRIC_GPU_TEMP_MARGIN, true, "the highest working temperature" },
	{ METRIC_GPU_TEMP_SLOWDOWN, METRIC_GPU_TEMP_SLOWDOWN, METRIC_GPU_TEMP, METRIC_GPU_TEMP_MARGIN, true,
		"the temperature at which hardware slows the card down" },
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

#define OVERSHOOT 1.05 /* power is held at the limit on average: a sample can lie a little above it */

static bool is_wanted(const struct run *run, const struct entity *gpu, const struct assumption *a, fixed value)
{
	const struct track *const series = run_track(run, gpu, a->series);
	const bool is_second_best = a->limit == METRIC_GPU_TEMP_SLOWDOWN && run_track(run, gpu, METRIC_GPU_TEMP_MAX); /* of two limits */
	const double overshoot = a->limit == METRIC_GPU_POWER_LIMIT ? OVERSHOOT : 1;

	if (!series || series->assumed || is_second_best || run_track(run, gpu, a->limit) || run_track(run, gpu, a->instead))
		return false;
	return a->may_pass || track_outermost(series).high <= (fixed)((double)value * overshoot);
}

/* A default that the limit in force equals changes nothing: there is nothing to tell. */
static bool is_news(const struct run *run, const struct entity *gpu, const struct assumption *a, fixed value)
{
	const struct track *const limit = run_track(run, gpu, METRIC_GPU_POWER_LIMIT);

	return a->limit != METRIC_GPU_POWER_DEFAULT || track_outermost(limit).low < value;
}

static bool is_told(const struct run *run, const char *text)
{
	for (size_t n = 0; n < run->n_notes; n++)
		if (strcmp(run->notes[n].text, text) == 0)
			return true;
	return false;
}

/* "the power limit (700 W)"; NULL where nothing was assumed that is worth telling. */
static const char *assume(struct run *run, const struct entity *gpu, const struct device *device, const struct assumption *a)
{
	const struct device_fact *const fact = fact_of(device, a->fact);

	if (!fact || !is_wanted(run, gpu, a, fact->value))
		return NULL;
	const char *const value = quantity_text(run->mem, (struct quantity){ fixed_value(fact->value), metric_table[a->fact].unit });
	const char *const doubt = fact->is_derived ? ", give or take 2 °C" : "";
	const bool news = is_news(run, gpu, a, fact->value);
	run_add_constant(run, run_track(run, gpu, a->series), a->limit, fact->value,
		arena_print(run->mem, "no log tells %s; for %s the table of cards has %s%s", a->words, gpu->name, value, doubt));
	return news ? arena_print(run->mem, "%s (%s%s)", a->words, value, doubt) : NULL;
}

/* GPUs of one model are told of once. */
static void assume_all(struct run *run, const struct entity *gpu, const struct device *device)
{
	const char *all = NULL;

	for (size_t i = 0; i < sizeof assumptions / sizeof *assumptions; i++) {
		const char *const one = assume(run, gpu, device, &assumptions[i]);
		if (one)
			all = all ? arena_print(run->mem, "%s, %s", all, one) : one;
	}
	if (!all)
		return;
	const char *const text = arena_print(run->mem, "No log tells of %s: %s. Taken from the table of cards; source: %s.", gpu->name, all,
		device->source);
	if (!is_told(run, text))
		run_note(run, "Cards", "%s", text);
}

void limits_assume(struct run *run)
{
	for (size_t g = 0; run->devices && g < run->n_gpus; g++) {
		const struct device *const device = devices_find(run->devices, run->gpus[g]->name);
		if (device)
			assume_all(run, run->gpus[g], device);
	}
}
