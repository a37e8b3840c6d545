/*
 * poll.c - how long it takes to ask all GPUs of a host.
 *
 *     GPU 0    |                   |                   |
 *     GPU 1      |                   |                   |           nvidia-smi asks one after the other
 *     GPU 2        |                   |                   |
 *              <---> as long
 *
 * It is told of a few moments of the run: there the last of the rows that come next lies so far behind that of the first GPU.
 */
#include "rule/plan.h"

#include "base/sort.h"

enum { N_LOOKS = 5 };

/* Any track of a GPU's gauges does: those of one log are on one clock. */
static const struct track *gauge_of(const struct run *run, const struct entity *gpu)
{
	static const enum metric gauges[] = { METRIC_GPU_UTIL, METRIC_GPU_POWER, METRIC_GPU_TEMP, METRIC_GPU_MEM_USED };

	for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++) {
		const struct track *const t = run_track(run, gpu, gauges[i]);
		if (t && t->n)
			return t;
	}
	return NULL;
}

/* How long behind a moment its next row comes; 0 where none does, and where it is of the next poll. */
static time_ms behind(const struct track *t, time_ms when)
{
	const size_t i = track_seek(t, when);

	return i < t->n && track_time(t, i) - when < t->step ? track_time(t, i) - when : 0;
}

/* Of the host that a GPU is the first one of. */
static time_ms poll_behind(const struct run *run, size_t first)
{
	const struct track *const t = gauge_of(run, run->gpus[first]);
	time_ms takes[N_LOOKS] = { 0 };

	for (size_t g = first + 1; t && g < run->n_gpus && run_host(run, run->gpus[g]) == run_host(run, run->gpus[first]); g++) {
		const struct track *const other = gauge_of(run, run->gpus[g]);
		for (size_t k = 0; other && k < N_LOOKS; k++) {
			const time_ms length = behind(other, track_time(t, t->n * (2 * k + 1) / (2 * N_LOOKS)));
			takes[k] = length > takes[k] ? length : takes[k];
		}
	}
	times_sort(takes, N_LOOKS);
	return takes[N_LOOKS / 2];
}

time_ms poll_length(const struct run *run)
{
	time_ms longest = 0;

	for (size_t g = 0; g < run->n_gpus; g++) {
		const bool is_first = g == 0 || run_host(run, run->gpus[g]) != run_host(run, run->gpus[g - 1]);
		const time_ms length = is_first ? poll_behind(run, g) : 0;
		longest = length > longest ? length : longest;
	}
	return longest;
}
