/*
 * areas.c - what was checked, in words that need no explaining.
 *
 *      34 checks of GPU use, CPU use, clock speeds, heat, power and memory
 *
 * An area was judged when a rule that needs one of its metrics found nothing anywhere, and a log has that metric. The names of all rules
 * are for those who ask for them (--all).
 */
#include "report/report_parts.h"

#define MOST_SIGNS 8

static const struct area {
	const char *name;
	size_t n;
	enum metric signs[MOST_SIGNS];
} areas[] = {
	{ "GPU use", 1, { METRIC_GPU_UTIL } },
	{ "CPU use", 2, { METRIC_CPU_BUSY, METRIC_CORE_BUSY } },
	{ "clock speeds", 2, { METRIC_GPU_CLOCK_SM, METRIC_GPU_CLOCK_SHARE } },
	{ "heat", 7,
		{ METRIC_GPU_TEMP, METRIC_GPU_TEMP_MARGIN, METRIC_GPU_TEMP_MEM, METRIC_GPU_THR_SW_THERMAL, METRIC_GPU_THR_HW_THERMAL,
			METRIC_GPU_CAP_SW_THERMAL, METRIC_GPU_CAP_HW_THERMAL } },
	{ "power", 7,
		{ METRIC_GPU_POWER, METRIC_GPU_POWER_SHARE, METRIC_GPU_POWER_LEVEL, METRIC_GPU_POWER_LIMIT, METRIC_GPU_THR_SW_POWER,
			METRIC_GPU_THR_HW_BRAKE, METRIC_GPU_CAP_HW_BRAKE } },
	{ "memory", 3, { METRIC_GPU_MEM_USED, METRIC_GPU_MEM_SHARE, METRIC_GPU_PROC_MEM } },
	{ "host memory", 4, { METRIC_HOST_MEM_SHARE, METRIC_HOST_MEM_AVAILABLE, METRIC_HOST_SWAP_IN, METRIC_HOST_SWAP_OUT } },
	{ "storage", 4, { METRIC_CPU_IOWAIT, METRIC_HOST_BLOCKED, METRIC_HOST_DISK_UTIL, METRIC_HOST_DISK_AWAIT } },
	{ "PCIe links", 2, { METRIC_GPU_PCIE_GEN, METRIC_GPU_PCIE_WIDTH } },
	{ "memory errors", 2, { METRIC_GPU_ECC_CORRECTED, METRIC_GPU_ECC_UNCORRECTED } },
};
#define N_AREAS (sizeof areas / sizeof *areas)

static bool any_needs(const struct rule *const *rules, size_t n, enum metric metric)
{
	for (size_t i = 0; i < n; i++)
		if (rule_needs(rules[i], metric))
			return true;
	return false;
}

static bool is_judged(const struct build *b, const struct area *area, const struct rule *const *rules, size_t n)
{
	for (size_t m = 0; m < area->n; m++)
		if (any_needs(rules, n, area->signs[m]) && has_metric(b->run, area->signs[m]))
			return true;
	return false;
}

const char *areas_text(struct build *b, const struct rule *const *clear, size_t n)
{
	const char *names[N_AREAS];
	size_t n_names = 0;

	for (size_t i = 0; i < N_AREAS; i++)
		if (is_judged(b, &areas[i], clear, n))
			names[n_names++] = areas[i].name;
	return n_names ? joined(b->mem, names, n_names, ", ", " and ") : NULL;
}
