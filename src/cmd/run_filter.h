/* run_filter.h - which records of many runs are looked at, and which of them make a command fail: options of `batch` and `merge`. */
#ifndef CMD_RUN_FILTER_H
#define CMD_RUN_FILTER_H

#include "cmd/options.h"
#include "fleet/fleet.h"

struct run_filter {
	time_ms since, until; /* a run that touches [since, until); both 0: any */
	int64_t least_gpu_us;
	bool has_fail_on;
	enum severity fail_on;
};

/* Rows for the table of a command; `until` is the help of that one, which means something else behind --suppress where there is one. */
#define FILTER_OPTIONS(until) \
	{ "since", 0, "DAY", NULL, "index only runs that went on after the begin of this day, like 2026-11-01" }, \
	{ "until", 0, "DAY", NULL, until }, \
	{ "min-gpu-hours", 0, "N", NULL, "index only runs of at least so many GPU-hours" }, \
	{ "fail-on", 0, "SEVERITY", "critical|warning|note", "exit with 1 when a run's verdict is this severe or worse" }

#define UNTIL_HELP "index only runs that began before the end of this day"

/* False, with one line on standard error, when a value makes no sense. */
bool run_filter_read(const struct options *o, struct run_filter *out);
/* A run without a report is kept: what failed is not to be overlooked. */
bool run_filter_keeps(const struct run_filter *filter, const struct record *record);
bool run_filter_fails(const struct run_filter *filter, const struct record *record);

#endif
