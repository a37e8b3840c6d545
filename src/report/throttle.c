/*
 * throttle.c - for each GPU and reason: for how long the driver held clocks down, and what that cost.
 *
 *             reason             counted        by flags of busy  clock, MHz  GPU-s
 *     GPU 0   heat, hardware      12.0 s      3.0 +-1.0 s    20 %   990 -50 %      6
 *     GPU 0   power cap                -     41.0 +-1.0 s    92 %  1450  -2 %      1
 *
 * A flag is what held at the moment of a sample, so that each stretch of it is known to a step; the driver's counters
 * see all that lies between. Where both are logged both are told. Clocks of an idle GPU are low because nobody needs
 * them: time with the idle flag is none of this, whatever other flags are set then. Hardware slowdown (0x08) comes together
 * with its cause, heat (0x40) or power brake (0x80), and is counted as that.
 *
 * Clocks are compared with the GPU's own working clock, where it had one: not where something but the power cap held it down all along.
 * What a reason costs is what clocks were short of it, times the time for which it held, as if all work waited for the SM clock.
 */
#include "report/gpu_rows.h"

#include <math.h>

#define TOLD_ROWS ((size_t)8)    /* more are in report.json */
#define LEAST_BUSY_SHARE 0.01    /* a cap or a setting that held for less is not told in the text */
#define MEANING "counted: by the driver's own counter; by flags: what samples show, within the error. Clocks are those while busy, " \
	"beside the GPU's own 95th percentile while busy ('-': it was held down all along); the last column is what that cost, if the SM " \
	"clock alone sets the pace."

struct watch { /* one GPU, while its reasons are gone through */
	struct arena *mem; /* scratch */
	const struct run *run;
	const struct entity *gpu;
	struct spans idle, busy;
	const struct track *clock;
	double reference; /* MHz */
};

/* Where a 0/1 track says 1. */
static struct spans spans_set(const struct watch *w, enum metric metric)
{
	const struct track *t = run_track(w->run, w->gpu, metric);

	if (!t)
		return (struct spans){ NULL, 0 };
	return truths_spans(w->mem, truths_compare_track(w->mem, t, w->run->span, 1, GREATER, 0), YES);
}

/* Where the log has no flag of it, a GPU without any kernel is idle. */
static struct spans idle_of(const struct watch *w)
{
	const struct track *flag = run_track(w->run, w->gpu, METRIC_GPU_THR_IDLE), *util = run_track(w->run, w->gpu, METRIC_GPU_UTIL);

	if (flag || !util)
		return spans_set(w, METRIC_GPU_THR_IDLE);
	return truths_spans(w->mem, truths_compare_track(w->mem, util, w->run->span, 1, LESS_EQUAL, 0), YES);
}

/* Where kernels ran; in a log without that, where the GPU is said not to be idle. */
static struct spans busy_of(const struct watch *w)
{
	const struct track *flag = run_track(w->run, w->gpu, METRIC_GPU_THR_IDLE);

	if (run_track(w->run, w->gpu, METRIC_GPU_UTIL))
		return spans_without(w->mem, spans_set(w, METRIC_GPU_UTIL), w->idle);
	return flag ? spans_without(w->mem, track_known(w->mem, flag), w->idle) : (struct spans){ NULL, 0 };
}

static bool is_free_for_a_part(const struct watch *w)
{
	struct spans held = { NULL, 0 };

	for (size_t i = 0; i < n_throttle_reasons; i++)
		if (throttle_reasons[i].metric != METRIC_GPU_THR_SW_POWER)
			held = spans_union(w->mem, held, spans_set(w, throttle_reasons[i].metric));
	const time_ms busy = spans_length(w->busy), rest = spans_length(spans_without(w->mem, w->busy, held));
	return (double)rest >= LEAST_FREE * (double)busy;
}

static struct watch watch_of(struct arena *mem, const struct run *run, const struct entity *gpu)
{
	struct watch w = { .mem = mem, .run = run, .gpu = gpu, .clock = run_track(run, gpu, METRIC_GPU_CLOCK_SM), .reference = NAN };

	w.idle = idle_of(&w);
	w.busy = busy_of(&w);
	if (w.clock && is_free_for_a_part(&w)) {
		struct stats working;
		tracks_stats(run_counts(run, w.clock), mem, &w.clock, 1, w.busy, &working);
		w.reference = working.known ? working.p95 : (double)NAN;
	}
	return w;
}

static struct spans flagged_of(const struct watch *w, const struct throttle_reason *reason)
{
	struct spans set = spans_without(w->mem, spans_set(w, reason->metric), w->idle);

	if (reason->metric != METRIC_GPU_THR_HW_SLOW || !set.n)
		return set;
	const struct spans not_thermal = spans_without(w->mem, set, spans_set(w, METRIC_GPU_THR_HW_THERMAL));
	return spans_without(w->mem, not_thermal, spans_set(w, METRIC_GPU_THR_HW_BRAKE));
}

/* What the counter grew by, s, and into `held` where; what it grew between two idle samples is none of it. */
static double counted_of(const struct watch *w, const struct track *counter, struct spans *held)
{
	const struct signal growth = signal_increase(w->mem, counter, w->run->span);
	struct span *grew = NEW_ARRAY(w->mem, struct span, growth.n);
	double seconds = 0;
	size_t n = 0;

	for (size_t i = 0; i < growth.n; i++) {
		const struct span at = { growth.at[i].begin, i + 1 < growth.n ? growth.at[i + 1].begin : growth.end };
		const bool idle = spans_hold(w->idle, at.begin) && spans_hold(w->idle, at.end);
		if (!(growth.at[i].value > 0) || idle)
			continue;
		seconds += growth.at[i].value * (double)span_length(at) / SECOND_MS;
		grew[n++] = at;
	}
	*held = spans_of(w->mem, grew, n);
	return round(seconds * 1e6) / 1e6; /* counters are in microseconds */
}

static double seconds_of(time_ms length)
{
	return (double)length / SECOND_MS;
}

static double longest_of(const struct throttle_row *row)
{
	return fmax(row->flag_seconds, row->counter_seconds);
}

static struct throttle_row row_new(const struct throttle_reason *reason)
{
	return (struct throttle_row){ .reason = reason->name, .title = reason->title, .flag_seconds = NAN, .flag_error_seconds = NAN,
		.counter_seconds = NAN, .busy_share = NAN, .clock_mhz = NAN, .clock_lost = NAN,
		.work_lost_gpu_hours = NAN };
}

static void tell_flag(struct throttle_row *row, const struct track *flag, time_ms flagged, size_t stretches)
{
	row->flag_seconds = seconds_of(flagged);
	row->flag_error_seconds = (double)stretches * (double)track_coarsest_step(flag) / SECOND_MS;
}

/* What it cost, of one that was. `busy`: the time at work that its share is of. */
static void tell_cost(struct throttle_row *row, double seconds, time_ms busy, double reference, struct shortfall clock)
{
	if (busy > 0)
		row->busy_share = fmin(seconds / seconds_of(busy), 1);
	row->clock_reference_mhz = reference;
	row->clock_mhz = clock.mean;
	row->clock_lost = clock.share;
	row->work_lost_gpu_hours = row->clock_lost * seconds * SECOND_MS / HOUR_MS;
}

static struct shortfall shortfall_of(const struct watch *w, struct spans held)
{
	const bool is_compared = !isnan(w->reference);
	struct shortfall clock = { NAN, NAN };

	if (w->clock)
		clock = track_shortfall(w->mem, w->clock, held, is_compared ? (fixed)llround(w->reference * FIXED_ONE) : 0);
	return is_compared ? clock : (struct shortfall){ clock.mean, NAN };
}

/* All numbers of one reason on one GPU; of one that never was no more than that. */
static struct throttle_row row_of(struct watch *w, const struct throttle_reason *reason)
{
	const struct track *flag = run_track(w->run, w->gpu, reason->metric);
	const struct track *counter = reason->counter == N_METRICS ? NULL : run_track(w->run, w->gpu, reason->counter);
	struct throttle_row row = row_new(reason);
	const struct spans flagged = flagged_of(w, reason);
	struct spans counted = { NULL, 0 };

	if (flag)
		tell_flag(&row, flag, spans_length(flagged), flagged.n);
	if (counter) {
		row.counter_seconds = counted_of(w, counter, &counted);
		row.counter_restarts = track_restarts(counter, spans_one(&w->run->span));
	}
	if (!(longest_of(&row) > 0))
		return row;
	const struct spans held = spans_intersection(w->mem, flagged.n ? flagged : counted, w->busy);
	const struct spans known = flag ? spans_intersection(w->mem, track_known(w->mem, flag), w->busy) : w->busy;
	const double seconds = counter ? row.counter_seconds : seconds_of(spans_length(held));
	const time_ms busy = spans_length(known) > 0 ? spans_length(counter ? w->busy : known) : 0;

	tell_cost(&row, seconds, busy, w->reference, shortfall_of(w, held));
	return row;
}

/* The same of one whose flag the GPU's rows tell together with all else; no driver counts it. */
static struct throttle_row row_of_rows(const struct gpu_rows *rows, size_t r)
{
	struct throttle_row row = row_new(&throttle_reasons[r]);
	const struct reason_time *const told = &rows->reasons[r];

	if (!told->flag)
		return row;
	tell_flag(&row, told->flag, told->flagged, told->stretches);
	if (longest_of(&row) > 0)
		tell_cost(&row, seconds_of(told->held), told->known, rows->reference, told->clock);
	return row;
}

static const char *number_or_dash(struct arena *mem, double value, int decimals, const char *unit)
{
	return isnan(value) ? "-" : amount_text(mem, value, decimals, unit);
}

/* The unit that suits a time, and how many seconds it has. */
static const char *unit_of(double seconds, double *unit_seconds)
{
	*unit_seconds = seconds < 120 ? 1 : seconds < 7200 ? 60 : 3600;
	return seconds < 120 ? " s" : seconds < 7200 ? " min" : " h";
}

static const char *counted_text(struct arena *mem, const struct throttle_row *row)
{
	double unit_seconds;
	const char *unit = unit_of(row->counter_seconds, &unit_seconds);

	return number_or_dash(mem, row->counter_seconds / unit_seconds, 1, unit);
}

static const char *flagged_text(struct arena *mem, const struct throttle_row *row)
{
	double unit_seconds;
	const char *unit = unit_of(row->flag_seconds, &unit_seconds);

	return number_or_dash(mem, row->flag_seconds / unit_seconds, 1, unit);
}

/* What `flagged` may be off by, in the same unit. */
static const char *error_text(struct arena *mem, const struct throttle_row *row)
{
	double unit_seconds;
	const char *unit = unit_of(row->flag_seconds, &unit_seconds);

	return row->flag_seconds > 0 ? number_or_dash(mem, row->flag_error_seconds / unit_seconds, 1, unit) : "-";
}

static void write_texts(struct build *b, struct throttle_row *row, const struct entity *gpu)
{
	struct arena *mem = b->mem;

	row->entity = entity_id(mem, gpu);
	row->label = short_label_text(mem, b->run, gpu);
	row->counted = counted_text(mem, row);
	row->flagged = flagged_text(mem, row);
	row->error_text = error_text(mem, row);
	row->share_text = isnan(row->busy_share) ? "-" : percent_text(mem, row->busy_share);
	row->clock_text = number_or_dash(mem, row->clock_mhz, 0, "");
	row->lost_text = number_or_dash(mem, -100 * row->clock_lost, 0, " %");
	row->work_text = number_or_dash(mem, row->work_lost_gpu_hours * b->unit.per_hour, b->unit.decimals, "");
}

static void add_in_order(struct throttle_row *rows, size_t first, size_t *n, const struct throttle_row *row)
{
	size_t at = (*n)++;

	for (; at > first && longest_of(&rows[at - 1]) < longest_of(row); at--)
		rows[at] = rows[at - 1];
	rows[at] = *row;
}

struct throttled { /* GPUs, each with its rows; those that never were are not above zero */
	const struct run *run;
	const struct gpu_rows *told;
	struct throttle_row *rows; /* n_throttle_reasons of each */
};

static bool is_told(const struct run *run, const struct entity *gpu, const struct throttle_reason *reason)
{
	return reason->metric != METRIC_GPU_THR_IDLE &&
	       (run_track(run, gpu, reason->metric) || (reason->counter != N_METRICS && run_track(run, gpu, reason->counter)));
}

/* Of a GPU of which nothing is told nothing has to be looked at. */
static bool is_any_told(const struct run *run, const struct entity *gpu)
{
	bool is_any = false;

	for (size_t r = 0; r < n_throttle_reasons; r++)
		is_any |= is_told(run, gpu, &throttle_reasons[r]);
	return is_any;
}

static void watch_gpu(void *context, size_t worker, size_t g)
{
	const struct throttled *const all = context;
	const struct entity *const gpu = all->run->gpus[g];
	struct throttle_row *const rows = all->rows + g * n_throttle_reasons;
	struct arena scratch;

	(void)worker;
	if (all->told[g].are_told || !is_any_told(all->run, gpu))
		return;
	arena_init(&scratch);
	struct watch w = watch_of(&scratch, all->run, gpu);
	for (size_t r = 0; r < n_throttle_reasons; r++)
		if (is_told(all->run, gpu, &throttle_reasons[r]))
			rows[r] = row_of(&w, &throttle_reasons[r]);
	arena_release(&scratch);
}

static void take_told(const struct gpu_rows *told, struct throttle_row *rows)
{
	for (size_t r = 0; told->are_told && r < n_throttle_reasons; r++)
		rows[r] = row_of_rows(told, r);
}

static void add_gpu(struct build *b, struct throttle_row *rows, size_t *n, const struct entity *gpu, const struct throttle_row *found)
{
	const size_t first = *n;

	for (size_t r = 0; r < n_throttle_reasons; r++) {
		struct throttle_row row = found[r];
		if (throttle_reasons[r].metric == METRIC_GPU_THR_IDLE || !(longest_of(&row) > 0))
			continue;
		write_texts(b, &row, gpu);
		add_in_order(rows, first, n, &row);
	}
}

static bool matters(const struct throttle_row *row)
{
	return throttle_reason_find(slice_of(row->reason))->is_fault || isnan(row->busy_share) || row->busy_share >= LEAST_BUSY_SHARE;
}

static double weight_of(const struct throttle_row *row)
{
	return isnan(row->work_lost_gpu_hours) ? 0 : row->work_lost_gpu_hours;
}

/* The one that cost the least, of equal ones the last. */
static size_t least_of(const struct throttle_row *rows, size_t n)
{
	size_t least = 0;

	for (size_t i = 1; i < n; i++)
		least = weight_of(&rows[i]) <= weight_of(&rows[least]) ? i : least;
	return least;
}

static void tell_rows(struct build *b, const struct throttle_row *rows, size_t n)
{
	struct throttle_row *told = NEW_ARRAY(b->mem, struct throttle_row, TOLD_ROWS + 1);
	size_t n_told = 0;

	for (size_t i = 0; i < n && !b->too_short; i++) {
		if (!matters(&rows[i]))
			continue;
		told[n_told++] = rows[i];
		if (n_told <= TOLD_ROWS)
			continue;
		const size_t least = least_of(told, n_told--);
		memmove(told + least, told + least + 1, (n_told - least) * sizeof *told);
	}
	b->report->told_throttle = told;
	b->report->n_told_throttle = n_told;
}

/* "GPU 3: the counter of 'power cap' began anew, so time before that may be missing." */
static const char *restart_text(struct build *b, const struct throttle_row *row)
{
	return arena_print(b->mem, "%s: the driver's counter of '%s' began anew %s; what it counted since is told.", row->label, row->title,
		row->counter_restarts > 1 ? arena_print(b->mem, "%zu times", row->counter_restarts) : "once");
}

static void tell_notes(struct build *b)
{
	const struct report *r = b->report;
	const char **notes = NEW_ARRAY(b->mem, const char *, r->n_told_throttle + 3);
	bool has_cap = false;
	size_t n = 0;

	for (size_t i = 0; i < r->n_told_throttle; i++) {
		has_cap |= throttle_reason_find(slice_of(r->told_throttle[i].reason))->metric == METRIC_GPU_THR_SW_POWER;
		if (r->told_throttle[i].counter_restarts)
			notes[n++] = restart_text(b, &r->told_throttle[i]);
	}
	notes[n++] = MEANING;
	if (has_cap)
		notes[n++] = "A power cap at full load is normal: the card trades clock for power.";
	const size_t n_more = r->n_throttle - r->n_told_throttle;
	if (n_more > 0)
		notes[n++] = n_more == 1 ? "One more row is in report.json."
					 : arena_print(b->mem, "%zu more rows are in report.json.", n_more);
	b->report->throttle_notes = (struct texts){ notes, n };
}

void build_throttle(struct build *b)
{
	const size_t most = b->run->n_gpus * n_throttle_reasons;
	struct throttle_row *rows = NEW_ARRAY(b->mem, struct throttle_row, most);
	struct arena scratch;
	size_t n = 0;

	arena_init(&scratch);
	struct throttled all = { b->run, gpu_rows(b), NEW_ARRAY(&scratch, struct throttle_row, most) };
	run_jobs(b->run, b->run->n_gpus, watch_gpu, &all);
	for (size_t g = 0; g < b->run->n_gpus; g++) {
		take_told(&all.told[g], all.rows + g * n_throttle_reasons);
		add_gpu(b, rows, &n, b->run->gpus[g], all.rows + g * n_throttle_reasons);
	}
	arena_release(&scratch);
	b->report->throttle = rows;
	b->report->n_throttle = n;
	tell_rows(b, rows, n);
	tell_notes(b);
}
