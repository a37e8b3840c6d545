/*
 * side.c - snapshots beside a log: one poll that tells what the limits are.
 *
 *     gpu.csv     util, power, temperature every second, for an hour
 *     smi-q.txt   `nvidia-smi -q`, once, perhaps the day before: 700 W, 143771 MiB, 1980 MHz at most
 *
 * A log rarely has the limits among its columns, but people keep an -q beside it. What such a file says of limits
 * holds for the whole run, whenever it was taken: limits are of the board, or were set before the job. What it
 * says of that one moment (busy, power, a lost GPU) is not used: it would be a series of one sample, at a
 * time that may lie outside the run and on a clock that nothing can confirm.
 *
 * Only a file of GPUs is set aside, and only beside another one that has a series; alone, a snapshot is read as
 * the very short log that it is. While clocks are settled it is not there; then it comes back, last
 * of all recordings, as one row that begins with the run and holds until its end.
 */
#include "run/run_parts.h"

static const enum metric limits[] = {
	METRIC_GPU_MEM_TOTAL,     METRIC_GPU_POWER_LIMIT,   METRIC_GPU_CLOCK_SM_MAX, METRIC_GPU_PCIE_GEN_MAX,
	METRIC_GPU_PCIE_WIDTH_MAX, METRIC_GPU_TEMP_SLOWDOWN, METRIC_GPU_TEMP_SHUTDOWN, METRIC_GPU_TEMP_MAX,
	METRIC_GPU_POWER_DEFAULT, METRIC_GPU_TEMP_MEM_MAX,
};

static bool is_limit(enum metric metric)
{
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (limits[i] == metric)
			return true;
	return false;
}

static bool is_series(const struct recording *rec)
{
	for (size_t i = 0; i < rec->n_channels; i++)
		if (rec->channels[i].n_rows > 1)
			return true;
	return false;
}

static bool is_snapshot(const struct recording *rec)
{
	bool any_limit = false;

	for (size_t i = 0; i < rec->n_channels; i++) {
		const struct channel *c = &rec->channels[i];
		if (c->entity.scope != SCOPE_GPU)
			return false;
		for (size_t k = 0; k < c->n_columns; k++)
			any_limit |= is_limit(c->columns[k].metric);
	}
	return any_limit && !is_series(rec);
}

static bool has_series(const struct run *run)
{
	for (size_t i = 0; i < run->n_recordings; i++)
		if (is_series(run->recordings[i]))
			return true;
	return false;
}

void sides_set_aside(struct run *run)
{
	size_t n = 0;

	if (!has_series(run))
		return;
	run->sides = NEW_ARRAY(run->mem, struct recording *, run->n_recordings);
	for (size_t i = 0; i < run->n_recordings; i++) {
		if (is_snapshot(run->recordings[i]))
			run->sides[run->n_sides++] = run->recordings[i];
		else
			run->recordings[n++] = run->recordings[i];
	}
	run->n_recordings = n;
}

/* One row that holds from the begin of the run to its end, and has limits only. */
static void hold(struct arena *mem, struct channel *c, struct span run)
{
	size_t n = 0;

	for (size_t k = 0; k < c->n_columns; k++)
		if (is_limit(c->columns[k].metric))
			c->columns[n++] = c->columns[k];
	c->n_columns = n;
	c->times = packed_from(mem, &run.begin, 1, true);
	c->step = span_length(run);
	c->steps = NULL;
}

static void come_back(struct run *run, struct recording *side)
{
	for (size_t i = 0; i < side->n_channels; i++)
		hold(run->mem, &side->channels[i], run->span);
	side->n_events = 0;
	side->clock.basis = BASIS_UTC;
	side->clock.offset = 0;
	side->clock.time_unknown = false;
	side->clock.decided_by = DECIDED_ASSUMED;
	side->clock.sentence = arena_print(run->mem, "%s is one poll: the limits it tells are taken to hold for the whole run, "
		"whenever it was taken; what it says of that moment is not used.", side->name);
}

void sides_come_back(struct run *run)
{
	for (size_t i = 0; i < run->n_sides; i++) { /* there is room: they stood there */
		come_back(run, run->sides[i]);
		run->recordings[run->n_recordings++] = run->sides[i];
	}
}

bool is_side(const struct run *run, size_t source)
{
	return source + run->n_sides >= run->n_recordings;
}
