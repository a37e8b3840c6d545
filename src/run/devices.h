/*
 * devices.h - limits of cards by name: facts for runs whose logs don't tell them.
 *
 *     cards:
 *       - names: ["NVIDIA H200"]
 *         told: {gpu.power_limit_default: 700 W, gpu.clock_sm_max: 1980 MHz}
 *         derived: {gpu.temp_max_operating: 87 C}
 *         source: "where a card said so"
 *
 * `told` is what a card said of itself, `derived` what was computed from it.
 */
#ifndef POSTRUN_DEVICES_H
#define POSTRUN_DEVICES_H

#include "run/run.h"

#define DEVICE_NAMES ((size_t)20)
#define DEVICE_FACTS ((size_t)20)

struct device_fact {
	enum metric metric;
	fixed value; /* in the metric's unit */
	bool is_derived;
};
struct device {
	const char *names[DEVICE_NAMES];
	size_t n_names;
	struct device_fact facts[DEVICE_FACTS];
	size_t n_facts;
	const char *source;
};
struct devices {
	const struct device *at;
	size_t n;
};

/* NULL, with every problem reported, when the text is no table of cards. It must live as long as the table. */
const struct devices *devices_load(struct arena *mem, const char *path, struct slice text, struct diags *diags);
/* By the name that a log gives; "NVIDIA " in front of either does not count. NULL when no row has it. */
const struct device *devices_find(const struct devices *devices, const char *name);

#endif
