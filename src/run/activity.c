/*
 * activity.c - do a GPU's log and a CPU's tell of the same work, if the one is moved by so much?
 *
 *     GPU power   ___------____------___      up for half of the time
 *     CPU busy    ---______----______---      down while it is: they take turns, r = -1
 */
#include "run/run_parts.h"

#include "base/sort.h"
#include "metric/identity.h"

#include <math.h>

const struct channel *channel_with(const struct recording *rec, enum metric metric, const struct column **column)
{
	const struct channel *found = NULL;

	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *const c = &rec->channels[i];
		const struct column *const own = channel_column(c, metric);
		if (!own || (found && entity_compare(&c->entity, &found->entity) >= 0))
			continue;
		found = c;
		*column = own;
	}
	return found;
}

#define GRID 512

/* The last row that is not after the moment, or the first one. A log may have millions, and many zones are tried. */
static size_t row_at(const struct channel *c, time_ms t)
{
	size_t low = 0, high = c->n_rows;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (channel_time(c, middle) <= t)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Samples a column at GRID moments; NAN outside. */
static void sample_grid(const struct channel *c, const struct column *column, time_ms by, struct span s, double grid[GRID])
{
	for (size_t i = 0; i < GRID; i++) {
		const time_ms t = s.begin + (time_ms)((double)span_length(s) * ((double)i + 0.5) / GRID) - by;
		const size_t row = row_at(c, t);
		const time_ms age = t - channel_time(c, row);
		const bool holds = age >= 0 && age <= HOLE_STEPS * channel_step_at(c, row);
		grid[i] = holds && column_value(column, row) != FIXED_MISSING ? fixed_value(column_value(column, row)) : NAN;
	}
}

/*
 * The middle between the 5th and the 95th percentile: above it a signal is "up". Whether a job is
 * there shows as up or down on both sides, however different the shapes are in between.
 */
static double middle(const double *grid)
{
	double sorted[GRID];
	size_t n = 0;

	for (size_t i = 0; i < GRID; i++)
		if (!isnan(grid[i]))
			sorted[n++] = grid[i];
	if (n < 20)
		return NAN;
	doubles_sort(sorted, n);
	return (sorted[n / 20] + sorted[n - 1 - n / 20]) / 2;
}

/* The phi coefficient (Pearson's r of two yes/no series) of "up" on both sides; NAN when one never changes. */
static double correlation(const double *a, const double *b)
{
	double middle_a = middle(a), middle_b = middle(b), n = 0, up_a = 0, up_b = 0, up_both = 0;

	for (size_t i = 0; i < GRID; i++) {
		if (isnan(a[i]) || isnan(b[i]))
			continue;
		n++;
		up_a += a[i] > middle_a;
		up_b += b[i] > middle_b;
		up_both += a[i] > middle_a && b[i] > middle_b;
	}
	double spread = up_a * (n - up_a) * up_b * (n - up_b);
	return spread > 0 ? (n * up_both - up_a * up_b) / sqrt(spread) : NAN;
}

double activity_goes_together(const struct recording *a, time_ms by, const struct recording *b)
{
	static const enum metric signs[] = { METRIC_GPU_POWER, METRIC_GPU_MEM_USED, METRIC_GPU_UTIL };
	const struct column *cpu, *sign;
	bool gpu_is_a = channel_with(b, METRIC_CPU_BUSY, &cpu) != NULL;
	const struct recording *gpu_log = gpu_is_a ? a : b, *cpu_log = gpu_is_a ? b : a;
	const struct channel *cpu_channel = channel_with(cpu_log, METRIC_CPU_BUSY, &cpu);
	struct span sa = span_moved(recording_span(a), by), sb = recording_span(b);
	struct span both = { sa.begin > sb.begin ? sa.begin : sb.begin, sa.end < sb.end ? sa.end : sb.end };
	double cpu_grid[GRID], grid[GRID], best = NAN;

	if (!cpu_channel)
		return NAN;
	sample_grid(cpu_channel, cpu, gpu_is_a ? 0 : by, both, cpu_grid);
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		const struct channel *c = channel_with(gpu_log, signs[i], &sign);
		if (!c)
			continue;
		sample_grid(c, sign, gpu_is_a ? by : 0, both, grid);
		double r = correlation(grid, cpu_grid);
		if (!isnan(r) && !(fabs(best) >= fabs(r)))
			best = r;
	}
	return best;
}
