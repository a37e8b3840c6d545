/* gpu_time.h - how GPU time is told. */
#ifndef POSTRUN_GPU_TIME_H
#define POSTRUN_GPU_TIME_H

#include "base/arena.h"

/*
 * GPU time in the unit that suits what is told, a run or many: GPU-h with one decimal; GPU-min below 2 GPU-h in all
 * (visual.md 13.2); GPU-s below 10 GPU-min, where a tenth of a minute would hide what is told.
 */
struct gpu_time {
	double per_hour; /* how many of the unit make a GPU-hour */
	int decimals;
	const char *symbol; /* "GPU-h" */
	const char *name;   /* "GPU-hours" */
};
struct gpu_time gpu_time_for(double total_hours);
/* Rounded as it will be printed, in the unit; for sums that must add up on the page. */
double gpu_time_shown(struct gpu_time unit, double hours);
const char *gpu_time_number(struct arena *mem, struct gpu_time unit, double hours); /* "12.5" */
const char *gpu_time_text(struct arena *mem, struct gpu_time unit, double hours);   /* "12.5 GPU-h" */

#endif
