/*
 * gpu_rows.c - from kinds of rows to reasons.
 *
 *     kind of row                for       with clocks of
 *     busy                       3 h       1980 MHz, nearly always
 *     busy, power cap            2 h       1905 ... 1965 MHz       is of the power cap
 *     idle, power cap            1 min     345 MHz                 is of no reason
 */
#include "report/gpu_rows.h"

#include "series/crossed.h"

#include <math.h>

/* Reasons that hold clocks down for longer than a moment: NVML bits of visual.md 10.1. */
#define STRIP_BITS 0xECU
#define POWER_CAP_BIT 0x04U
#define HOT_BITS 0x60U /* NVML: hardware and software thermal; hardware slowdown is set for a power brake, too */

struct asking { /* one GPU's rows */
	struct crossing crossing;
	uint32_t busy, reasons[MOST_FLAGS]; /* the flag of each; 0: not logged */
	struct flag_pick work;              /* rows at work */
};

void mask_time_add(struct mask_time *m, unsigned mask, time_ms held)
{
	m->held += mask & STRIP_BITS ? held : 0;
	m->hot += mask & HOT_BITS ? held : 0;
	m->beyond_cap += mask & STRIP_BITS & ~POWER_CAP_BIT ? held : 0;
}

static uint32_t flag_bit_of(const struct asking *a, enum metric metric)
{
	uint32_t bit = 0;

	for (size_t r = 0; r < n_throttle_reasons; r++)
		bit |= throttle_reasons[r].metric == metric ? a->reasons[r] : 0;
	return bit;
}

/* 0 where there is no such track. False where it is on another clock. */
static bool add_flag(struct asking *a, const struct track *t, uint32_t *bit)
{
	*bit = t ? 1U << a->crossing.n_flags : 0;
	if (t)
		a->crossing.flags[a->crossing.n_flags++] = t;
	return !t || tracks_share_clock(t, a->crossing.beside);
}

/* Hardware slowdown comes together with its cause, and is counted as that. */
static uint32_t flags_before(const struct asking *a, const struct throttle_reason *reason)
{
	const uint32_t idle = flag_bit_of(a, METRIC_GPU_THR_IDLE);

	if (reason->metric != METRIC_GPU_THR_HW_SLOW)
		return idle;
	return idle | flag_bit_of(a, METRIC_GPU_THR_HW_THERMAL) | flag_bit_of(a, METRIC_GPU_THR_HW_BRAKE);
}

static bool is_counted(const struct run *run, const struct entity *gpu)
{
	bool is_any = false;

	for (size_t r = 0; r < n_throttle_reasons; r++)
		is_any |= throttle_reasons[r].counter != N_METRICS && run_track(run, gpu, throttle_reasons[r].counter);
	return is_any;
}

/* Its hold as a whole, too: nothing is to be cut. */
static bool is_inside(const struct track *t, struct span span)
{
	const struct span all = track_span(t);

	return t->n > 0 && t->step > 0 && all.begin >= span.begin && all.end <= span.end;
}

/* Where there are reasons and no flag of an idle GPU, one without kernels is idle: that is no flag of a row. */
static bool add_reasons(struct asking *a, const struct run *run, const struct entity *gpu)
{
	const size_t n_before = a->crossing.n_flags;

	for (size_t r = 0; r < n_throttle_reasons; r++)
		if (!add_flag(a, run_track(run, gpu, throttle_reasons[r].metric), &a->reasons[r]))
			return false;
	return a->crossing.n_flags == n_before || flag_bit_of(a, METRIC_GPU_THR_IDLE);
}

static bool ask(struct asking *a, const struct run *run, const struct entity *gpu)
{
	const struct track *const clock = run_track(run, gpu, METRIC_GPU_CLOCK_SM), *const util = run_track(run, gpu, METRIC_GPU_UTIL);

	if (!clock || !util || !is_inside(clock, run->span) || is_counted(run, gpu) || n_throttle_reasons >= MOST_FLAGS)
		return false;
	a->crossing.beside = clock;
	if (!add_flag(a, util, &a->busy) || !add_reasons(a, run, gpu))
		return false;
	for (size_t r = 0; r < n_throttle_reasons; r++)
		a->crossing.picks[r] = (struct flag_pick){ a->reasons[r], flags_before(a, &throttle_reasons[r]) };
	a->crossing.n_picks = n_throttle_reasons;
	a->work = (struct flag_pick){ a->busy, flag_bit_of(a, METRIC_GPU_THR_IDLE) };
	return true;
}

static time_ms held_by(const struct crossed *rows, struct flag_pick pick, uint32_t known)
{
	time_ms held = 0;

	for (size_t k = 0; k < rows->n; k++)
		held += kind_is_in(&rows->kinds[k], pick) && (rows->kinds[k].known & known) == known ? rows->kinds[k].held : 0;
	return held;
}

static struct holdings holdings_of(struct arena *scratch, const struct crossed *rows, struct flag_pick pick)
{
	struct holding *at = NULL;
	size_t n = 0;

	for (size_t k = 0; k < rows->n; k++)
		for (size_t i = 0; i < rows->n_values && kind_is_in(&rows->kinds[k], pick); i++) {
			const time_ms held = rows->kinds[k].by_value[i];
			if (held == 0)
				continue;
			at = arena_array_next(scratch, at, n, sizeof *at);
			at[n++] = (struct holding){ rows->low + (fixed)i * FIXED_ONE, held };
		}
	return (struct holdings){ at, n };
}

static struct reason_time reason_of(struct arena *scratch, const struct asking *a, const struct crossed *rows, size_t r, double reference)
{
	const struct flag_pick flagged = a->crossing.picks[r], held = { flagged.with | a->busy, flagged.without };
	struct reason_time told = {
		.flag = a->crossing.flags[__builtin_ctz(a->reasons[r])],
		.flagged = held_by(rows, flagged, 0),
		.stretches = rows->stretches[r],
		.held = held_by(rows, held, 0),
		.known = held_by(rows, a->work, a->reasons[r]),
		.clock = { NAN, NAN },
	};

	const bool is_compared = !isnan(reference);
	if (told.flagged > 0)
		told.clock = holdings_shortfall(holdings_of(scratch, rows, held), is_compared ? (fixed)llround(reference * FIXED_ONE) : 0);
	if (!is_compared)
		told.clock.share = NAN;
	return told;
}

static bool is_free_for_a_part(const struct asking *a, const struct crossed *rows)
{
	struct flag_pick free = a->work;

	for (size_t r = 0; r < n_throttle_reasons; r++)
		free.without |= throttle_reasons[r].metric == METRIC_GPU_THR_SW_POWER ? 0 : a->reasons[r];
	return (double)held_by(rows, free, 0) >= LEAST_FREE * (double)held_by(rows, a->work, 0);
}

static double slowest_of(const struct asking *a, const struct crossed *rows)
{
	fixed lowest;

	return crossed_lowest(rows, (struct flag_pick){ a->busy, 0 }, &lowest) ? fixed_value(lowest) : (double)NAN;
}

/* Is each flag a bit of this mask? */
static bool are_of_mask(const struct asking *a, const struct track *mask)
{
	bool are = mask && tracks_share_clock(mask, a->crossing.beside) && !mask->values && mask->formula.kind == FORMULA_AS_IT_IS;

	for (size_t r = 0; are && r < n_throttle_reasons; r++) {
		const struct track *const t = a->reasons[r] ? a->crossing.flags[__builtin_ctz(a->reasons[r])] : NULL;
		are = t && !t->values && t->column.at == mask->column.at && t->formula.kind == FORMULA_FLAG &&
		      t->formula.of == (fixed)throttle_reasons[r].bit;
	}
	return are;
}

static struct mask_time masks_of(const struct asking *a, const struct crossed *rows)
{
	struct mask_time all = { 0 };

	for (size_t k = 0; k < rows->n; k++) {
		unsigned mask = 0;
		for (size_t r = 0; r < n_throttle_reasons; r++)
			mask |= rows->kinds[k].set & a->reasons[r] ? throttle_reasons[r].bit : 0;
		mask_time_add(&all, mask, rows->kinds[k].held);
	}
	return all;
}

static void tell_rows(struct arena *scratch, const struct run *run, const struct entity *gpu, struct gpu_rows *out)
{
	struct asking a = { .busy = 0 };
	struct crossed rows;
	fixed usual;

	if (!ask(&a, run, gpu) || !rows_crossed(scratch, &a.crossing, &rows))
		return;
	out->are_told = true;
	out->reference = is_free_for_a_part(&a, &rows) && crossed_quantile(&rows, a.work, 95, &usual) ? fixed_value(usual) : (double)NAN;
	out->slowest = slowest_of(&a, &rows);
	out->has_masks = are_of_mask(&a, run_track(run, gpu, METRIC_GPU_THROTTLE));
	if (out->has_masks)
		out->masks = masks_of(&a, &rows);
	for (size_t r = 0; r < n_throttle_reasons; r++)
		if (a.reasons[r] && throttle_reasons[r].metric != METRIC_GPU_THR_IDLE)
			out->reasons[r] = reason_of(scratch, &a, &rows, r, out->reference);
}

struct telling {
	const struct run *run;
	struct gpu_rows *rows; /* one a GPU */
};

static void tell_gpu(void *context, size_t worker, size_t g)
{
	const struct telling *const t = context;
	struct arena scratch;

	(void)worker;
	arena_init(&scratch);
	tell_rows(&scratch, t->run, t->run->gpus[g], &t->rows[g]);
	arena_release(&scratch);
}

const struct gpu_rows *gpu_rows(struct build *b)
{
	const size_t n = b->run->n_gpus;

	if (b->gpu_rows)
		return b->gpu_rows;
	struct gpu_rows *const rows = NEW_ARRAY(b->mem, struct gpu_rows, n);
	struct reason_time *const reasons = NEW_ARRAY(b->mem, struct reason_time, n * n_throttle_reasons);
	for (size_t g = 0; g < n; g++)
		rows[g].reasons = reasons + g * n_throttle_reasons;
	run_jobs(b->run, n, tell_gpu, &(struct telling){ b->run, rows });
	b->gpu_rows = rows;
	return rows;
}
