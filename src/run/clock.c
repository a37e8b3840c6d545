/*
 * clock.c - one UTC axis for all recordings, each decision a sentence.
 *
 * nvidia-smi writes local time without a zone; sysstat writes times of day with the date in a
 * banner; vmstat names its zone. In order of trust:
 *   1. --tz and --date, by the user;
 *   2. a zone that the log names;
 *   3. the zone of a sibling log, when read with it the two overlap;
 *   4. an offset of whole quarter hours at which they overlap, when the sibling's zone gives no
 *      overlap. It is confirmed when GPU power (or busy) and CPU busy then move together.
 *   5. nothing: the log's own time is shown as it is, and the report says so.
 * Dates that could be read as day/month or month/day, or are missing, are settled from a
 * sibling in the same way. Nothing is ever shifted to fit by less than a quarter hour.
 */
#include "run/run_parts.h"

#include <math.h>
#include <stdlib.h>

#define QUARTER_MS (15 * MINUTE_MS)
#define WEST_MOST (-12 * HOUR_MS) /* zones in use reach from UTC-12 to UTC+14 */
#define EAST_MOST (14 * HOUR_MS)
#define SAME_ZONE_OVERLAP 0.8     /* loggers of one run start and stop within seconds; a fifth is generous */
#define LEAST_OVERLAP 0.5
#define SOME_OVERLAP 0.2          /* as read; less is chance */
#define CORRELATED 0.3            /* what Cohen (1988) calls a medium effect; the figure itself is printed */

static void shift(struct recording *rec, time_ms by)
{
	for (size_t i = 0; i < rec->n_channels; i++)
		for (size_t k = 0; k < rec->channels[i].n_rows; k++)
			rec->channels[i].times[k] += by;
	for (size_t i = 0; i < rec->n_events; i++)
		rec->events[i].t += by;
}

static struct span moved(struct span s, time_ms by)
{
	return (struct span){ s.begin + by, s.end + by };
}

/* Shared time as a share of the shorter log. */
static double overlap(struct span a, struct span b)
{
	time_ms begin = a.begin > b.begin ? a.begin : b.begin, end = a.end < b.end ? a.end : b.end;
	time_ms shorter = span_length(a) < span_length(b) ? span_length(a) : span_length(b);

	return end > begin && shorter > 0 ? (double)(end - begin) / (double)shorter : 0;
}

static void decide(struct recording *rec, time_ms offset, enum clock_decision by, const char *sentence)
{
	shift(rec, -offset);
	rec->clock.offset = offset;
	rec->clock.decided_by = by;
	rec->clock.basis = BASIS_UTC;
	rec->clock.sentence = sentence;
}

/* Rows of a log without times were read a second apart from 0 on; spread by --step, they begin at --start. */
static void spread(struct recording *rec, double seconds)
{
	for (size_t i = 0; i < rec->n_channels; i++) {
		struct channel *c = &rec->channels[i];
		for (size_t k = 0; k < c->n_rows; k++)
			c->times[k] = (time_ms)llround((double)c->times[k] * seconds);
		c->step = (time_ms)llround((double)c->step * seconds);
	}
	for (size_t i = 0; i < rec->n_events; i++)
		rec->events[i].t = (time_ms)llround((double)rec->events[i].t * seconds);
}

/* False, already reported, when nobody says when a log without times began: it can't be used. */
static bool place_timeless(struct run *run, struct recording *rec, const struct clock_request *request)
{
	const char *start = file_option_for(request->starts, rec->path), *step = file_option_for(request->steps, rec->path);
	double seconds = 1;
	time_ms begin;

	if (!rec->clock.time_unknown)
		return true;
	if (!start && rec->clock.elapsed)
		return diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_NO_TIME,
			"the log tells only the time since its start; say when that was with --start %s=2026-11-21T01:48:34", rec->name);
	if (!start)
		return diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_NO_TIME,
			"the log has no times; say when it began with --start %s=2026-11-21T01:48:34 (and --step %s=1s)", rec->name,
			rec->name);
	/* both checked when the options were read */
	if (!stamp_parse(slice_of(start), &begin) || (step && !duration_parse(slice_of(step), &seconds)))
		BUG("an unchecked --start or --step");
	if (!rec->clock.elapsed)
		spread(rec, seconds);
	shift(rec, begin);
	rec->clock.time_unknown = false;
	if (rec->clock.elapsed) {
		run_note(run, "Clock", "%s tells the time since its start, which is taken to be %s (--start).", rec->name, start);
		return true;
	}
	run_note(run, "Clock", "%s has no times; its rows are taken to begin at %s and to be %s apart%s.", rec->name, start,
		step ? step : "1 s", step ? "" : " (--step)");
	return true;
}

/* Logs without times that nobody placed are left out. */
static void place_all_timeless(struct run *run, const struct clock_request *request)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_recordings; i++)
		if (place_timeless(run, run->recordings[i], request))
			run->recordings[n++] = run->recordings[i];
	run->n_recordings = n;
}

/* --date: the first row falls on the given day. */
static void apply_date_option(struct run *run, struct recording *rec, const struct clock_request *request)
{
	const char *value = file_option_for(request->dates, rec->path);
	time_ms day;

	if (!value)
		return;
	/* checked when the options were read */
	if (!stamp_parse(slice_of(arena_print(run->mem, "%s 00:00:00", value)), &day))
		BUG("an unchecked --date");
	time_ms first = recording_span(rec).begin, midnight = first - ((first % DAY_MS) + DAY_MS) % DAY_MS;
	shift(rec, day - midnight);
	rec->clock.date_unknown = rec->clock.date_ambiguous = false;
	run_note(run, "Clock", "%s begins on %s, by --date.", rec->name, value);
}

static void apply_zone_option(struct run *run, struct recording *rec, const struct clock_request *request)
{
	const char *value = file_option_for(request->zones, rec->path);
	time_ms offset;

	if (!value)
		return;
	if (!zone_parse(slice_of(value), &offset))
		BUG("an unchecked --tz");
	decide(rec, offset, DECIDED_OPTION,
		arena_print(run->mem, "%s is read as %s, by --tz.", rec->name, zone_name(run->mem, offset)));
}

static void apply_own_zone(struct run *run, struct recording *rec)
{
	if (rec->clock.basis != BASIS_OFFSET)
		return;
	decide(rec, rec->clock.offset, DECIDED_LOG,
		arena_print(run->mem, "%s names its zone: %s.", rec->name, rec->clock.zone));
}

static bool is_settled(const struct recording *rec)
{
	return rec->clock.basis == BASIS_UTC;
}

/* The first channel that has the metric, and its column; NULL when there is none. */
static const struct channel *channel_with(const struct recording *rec, enum metric metric, const struct column **column)
{
	for (size_t i = 0; i < rec->n_channels; i++) {
		*column = channel_column(&rec->channels[i], metric);
		if (*column)
			return &rec->channels[i];
	}
	return NULL;
}

#define GRID 512

/* Samples a column at GRID moments; NAN outside. */
static void sample_grid(const struct channel *c, const struct column *column, time_ms by, struct span s, double grid[GRID])
{
	size_t row = 0;

	for (size_t i = 0; i < GRID; i++) {
		time_ms t = s.begin + (time_ms)((double)span_length(s) * ((double)i + 0.5) / GRID);
		while (row + 1 < c->n_rows && c->times[row + 1] + by <= t)
			row++;
		bool holds = c->times[row] + by <= t && t - c->times[row] - by <= HOLE_STEPS * c->step;
		grid[i] = holds && column->values[row] != FIXED_MISSING ? fixed_value(column->values[row]) : NAN;
	}
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
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
	qsort(sorted, n, sizeof *sorted, by_value);
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

/* The clearest of several signs that a job is on the GPU, against CPU busy. */
static double correlate(const struct recording *a, time_ms by, const struct recording *b)
{
	static const enum metric signs[] = { METRIC_GPU_POWER, METRIC_GPU_MEM_USED, METRIC_GPU_UTIL };
	const struct column *cpu, *sign;
	bool gpu_is_a = channel_with(b, METRIC_CPU_BUSY, &cpu) != NULL;
	const struct recording *gpu_log = gpu_is_a ? a : b, *cpu_log = gpu_is_a ? b : a;
	const struct channel *cpu_channel = channel_with(cpu_log, METRIC_CPU_BUSY, &cpu);
	struct span sa = moved(recording_span(a), by), sb = recording_span(b);
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

static bool is_confirmed(double r)
{
	return fabs(r) >= CORRELATED; /* never for NAN */
}

/* "; GPU and CPU activity then move together (r = 0.93)" or what else can be said. */
static const char *confirmation(struct run *run, double r)
{
	char text[16];

	if (isnan(r))
		return "; the logs show no activity that could confirm it";
	number_print(text, sizeof text, r, 2);
	const char *verdict = r >= CORRELATED	 ? "then move together"
			      : r <= -CORRELATED ? "then take turns" /* one waits for the other: that confirms it as well */
						 : "don't confirm it";
	return arena_print(run->mem, "; GPU and CPU activity %s (r = %s)", verdict, text);
}

struct candidate {
	const struct recording *sibling;
	time_ms offset;
	double overlap;
	int n_equal; /* offsets that overlap as well, within a tenth */
};

/* The sibling that overlaps best when read with the given offset. */
static struct candidate best_sibling(const struct run *run, const struct recording *rec, time_ms offset)
{
	struct candidate best = { .offset = offset, .overlap = -1 };

	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *other = run->recordings[i];
		if (other == rec || !is_settled(other))
			continue;
		double shared = overlap(moved(recording_span(rec), -offset), recording_span(other));
		if (shared > best.overlap) {
			best.sibling = other;
			best.overlap = shared;
		}
	}
	return best;
}

/* Whole hours and small offsets first: among equals the likelier zone. */
static int unlikeliness(time_ms offset)
{
	time_ms size = offset < 0 ? -offset : offset;

	return (int)(size / QUARTER_MS) + (size % HOUR_MS ? 100 : 0);
}

static struct candidate best_offset(const struct run *run, const struct recording *rec)
{
	struct candidate best = { .overlap = -1 };

	for (time_ms offset = WEST_MOST; offset <= EAST_MOST; offset += QUARTER_MS) {
		struct candidate c = best_sibling(run, rec, offset);
		if (c.overlap > best.overlap + 0.01 ||
			(c.overlap > best.overlap - 0.01 && unlikeliness(offset) < unlikeliness(best.offset)))
			best = c;
	}
	for (time_ms offset = WEST_MOST; offset <= EAST_MOST; offset += QUARTER_MS)
		best.n_equal += best_sibling(run, rec, offset).overlap > best.overlap - 0.1;
	return best;
}

static const char *share_text(struct run *run, double share)
{
	return quantity_text(run->mem, (struct quantity){ share * 100, UNIT_PERCENT });
}

/* A date without a day, or with day and month in doubt, takes the reading that overlaps a settled log. */
static void settle_date(struct run *run, struct recording *rec)
{
	struct span own = recording_span(rec);

	if (!rec->clock.date_unknown && !rec->clock.date_ambiguous)
		return;
	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *other = run->recordings[i];
		/* a log that names its own day, on whatever clock: zones move it by at most 14 hours */
		if (other == rec || other->clock.date_unknown || other->clock.date_ambiguous)
			continue;
		struct span near = recording_span(other);
		near.begin -= EAST_MOST, near.end += EAST_MOST;
		if (rec->clock.date_unknown) {
			time_ms day = near.begin + EAST_MOST - own.begin;
			day -= ((day % DAY_MS) + DAY_MS) % DAY_MS;
			if (overlap(moved(own, day), recording_span(other)) < overlap(moved(own, day + DAY_MS), recording_span(other)))
				day += DAY_MS;
			shift(rec, day);
			rec->clock.date_unknown = false;
			run_note(run, "Clock", "%s has no date; its day is taken from %s.", rec->name, other->name);
			return;
		}
		bool as_read = overlap(own, near) > 0, swapped = overlap(moved(own, rec->clock.date_swap), near) > 0;
		if (as_read == swapped)
			continue;
		if (swapped)
			shift(rec, rec->clock.date_swap);
		rec->clock.date_ambiguous = false;
		run_note(run, "Clock", "the date of %s is read as %s, which agrees with %s.", rec->name,
			swapped ? "day/month" : "month/day", other->name);
		return;
	}
	if (rec->clock.date_unknown)
		diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_CLOCK, "the log has no date; give it with --date %s=YYYY-MM-DD",
			rec->name);
	else
		run_note(run, "Clock", "the date of %s could be day/month or month/day; it is read as month/day (--date decides).",
			rec->name);
}

/* A sibling whose zone fits as it is; one that names its zone before one that was itself settled by a sibling. */
static struct candidate same_zone(const struct run *run, const struct recording *rec)
{
	struct candidate same = { .overlap = -1 };

	for (int trust = 0; trust < 2 && same.overlap < SAME_ZONE_OVERLAP; trust++) {
		for (size_t i = 0; i < run->n_recordings; i++) {
			const struct recording *other = run->recordings[i];
			bool by_itself = other->clock.decided_by == DECIDED_LOG || other->clock.decided_by == DECIDED_OPTION;
			if (other == rec || !is_settled(other) || by_itself != (trust == 0))
				continue;
			double shared = overlap(moved(recording_span(rec), -other->clock.offset), recording_span(other));
			if (shared > same.overlap)
				same = (struct candidate){ other, other->clock.offset, shared, 0 };
		}
	}
	return same;
}

/* One log may just have been begun later than the other: without a sign in the data that is likelier than a wrong clock. */
static void keep_like_sibling(struct run *run, struct recording *rec, const struct candidate *same, const char *other_zone,
	const char *other_share)
{
	decide(rec, same->offset, DECIDED_SIBLING,
		arena_print(run->mem,
			"%s names no zone; read like %s, though they share only %s of the shorter log: read %s they would share %s, "
			"but nothing in the logs confirms that (--tz %s=ZONE decides).",
			rec->name, same->sibling->name, share_text(run, same->overlap), other_zone, other_share, rec->name));
}

/* "as UTC-5", or without any known zone "with its clock moved by +5 h against mpstat.txt" */
static const char *reading_text(struct run *run, const struct candidate *c)
{
	if (run->zone_known)
		return arena_print(run->mem, "as %s", zone_name(run->mem, c->offset));
	return arena_print(run->mem, "with its clock moved by %s h against %s", zone_name(run->mem, -c->offset) + 3, c->sibling->name);
}

static void read_like_sibling(struct run *run, struct recording *rec, const struct candidate *same)
{
	const char *how = run->zone_known ? arena_print(run->mem, "as %s like", zone_name(run->mem, same->offset)) : "on the same clock as";

	decide(rec, same->offset, DECIDED_SIBLING,
		arena_print(run->mem, "%s names no zone; read %s %s: they share %s of the shorter log.", rec->name, how,
			same->sibling->name, share_text(run, same->overlap)));
}

static void read_with_offset(struct run *run, struct recording *rec, const struct candidate *best, const struct candidate *same, double r)
{
	struct arena *mem = run->mem;
	const char *several = "", *without = "not overlap";

	if (best->n_equal > 1)
		several = arena_print(mem, "; %d other offsets would do as well, --tz %s=ZONE decides", best->n_equal - 1, rec->name);
	if (same->overlap > 0)
		without = arena_print(mem, "share only %s with", share_text(run, same->overlap));
	decide(rec, best->offset, DECIDED_INFERRED,
		arena_print(mem, "%s names no zone and would %s %s; read %s, where they share %s%s%s.", rec->name, without,
			best->sibling->name, reading_text(run, best), share_text(run, best->overlap), confirmation(run, r), several));
}

static void leave_unsettled(struct run *run, struct recording *rec)
{
	diag_at(run->diags, (struct place){ rec->path, 0, 0 }, DIAG_CLOCK,
		"no time in common with the other logs at any zone; give it with --tz %s=ZONE", rec->name);
	decide(rec, 0, DECIDED_ASSUMED,
		arena_print(run->mem, "%s names no zone and has no time in common with the other logs; its own time is used.", rec->name));
}

static void settle_by_sibling(struct run *run, struct recording *rec)
{
	const struct candidate same = same_zone(run, rec);

	if (same.overlap >= SAME_ZONE_OVERLAP) {
		read_like_sibling(run, rec, &same);
		return;
	}
	const struct candidate best = best_offset(run, rec);
	if (best.overlap < LEAST_OVERLAP) {
		leave_unsettled(run, rec);
		return;
	}
	const double r = correlate(rec, -best.offset, best.sibling);
	if (same.overlap >= SOME_OVERLAP && !is_confirmed(r))
		keep_like_sibling(run, rec, &same, reading_text(run, &best), share_text(run, best.overlap));
	else
		read_with_offset(run, rec, &best, &same, r);
}

/* A log without rows, of events only, tells of the host, too: it makes no run any longer. */
static bool is_host_log(const struct recording *rec)
{
	for (size_t i = 0; i < rec->n_channels; i++)
		if (rec->channels[i].entity.scope == SCOPE_GPU)
			return false;
	return true;
}

/* Without any log that names a zone, one log's own time becomes the axis: a host log's if there is one. */
static void assume_axis(struct run *run)
{
	struct recording *axis = run->recordings[0];

	for (size_t i = run->n_recordings; i-- > 0;)
		if (is_host_log(run->recordings[i]) && !run->recordings[i]->clock.date_unknown)
			axis = run->recordings[i];
	decide(axis, 0, DECIDED_ASSUMED,
		run->n_recordings > 1
			? arena_print(run->mem, "No log names its zone; times are shown as %s writes them.", axis->name)
			: arena_print(run->mem, "%s names no zone; times are shown as the log writes them.", axis->name));
}

static bool is_of_run(const struct recording *rec, bool any_gpu)
{
	return !any_gpu || !is_host_log(rec);
}

/* Of the recordings that make the run's span: the step of the one that looked most often. */
static time_ms finest_step(const struct run *run, bool any_gpu)
{
	time_ms finest = INT64_MAX;

	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *rec = run->recordings[i];
		time_ms step = 0;
		for (size_t k = 0; k < rec->n_channels; k++)
			step = rec->channels[k].step > step ? rec->channels[k].step : step;
		if (is_of_run(rec, any_gpu) && step && step < finest)
			finest = step;
	}
	return finest;
}

/*
 * What is judged and drawn: all time that a GPU log covers; without one, all there is. The last sample of a coarse
 * log does not lengthen the run by more than the finest log's step: else that one would seem to have ended early.
 */
static struct span span_of_run(const struct run *run)
{
	struct span all = { INT64_MAX, INT64_MIN };
	bool any_gpu = false;

	for (size_t i = 0; i < run->n_recordings; i++)
		any_gpu |= !is_host_log(run->recordings[i]);
	time_ms finest = finest_step(run, any_gpu);
	for (size_t i = 0; i < run->n_recordings; i++) {
		const struct recording *rec = run->recordings[i];
		for (size_t k = 0; k < rec->n_channels && is_of_run(rec, any_gpu); k++) {
			const struct channel *c = &rec->channels[k];
			time_ms end = c->times[c->n_rows - 1] + (c->step < finest ? c->step : finest);
			all.begin = c->times[0] < all.begin ? c->times[0] : all.begin;
			all.end = end > all.end ? end : all.end;
		}
	}
	for (size_t i = 0; i < run->n_recordings && all.begin > all.end; i++) { /* no rows at all, only events */
		const struct span events = recording_span(run->recordings[i]);
		all.begin = events.begin < all.begin ? events.begin : all.begin;
		all.end = events.end + SECOND_MS;
	}
	return all;
}

bool clock_settle(struct run *run, const struct clock_request *request)
{
	sides_set_aside(run);
	place_all_timeless(run, request);
	clock_settle_years(run, request);
	if (!run->n_recordings)
		return false;
	for (size_t i = 0; i < run->n_recordings; i++) {
		apply_date_option(run, run->recordings[i], request);
		settle_date(run, run->recordings[i]);
	}
	for (size_t i = 0; i < run->n_recordings; i++) {
		apply_zone_option(run, run->recordings[i], request);
		apply_own_zone(run, run->recordings[i]);
		run->zone_known |= is_settled(run->recordings[i]);
	}
	if (!run->zone_known)
		assume_axis(run);
	for (size_t i = 0; i < run->n_recordings; i++)
		if (!is_settled(run->recordings[i]))
			settle_by_sibling(run, run->recordings[i]);
	run->span = span_of_run(run);
	sides_come_back(run);
	evidence_gather(run);
	return true;
}
