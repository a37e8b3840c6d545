/*
 * closeup.c - a stretch of a finding in which each sample can be seen.
 *
 * Where a GPU goes up and down faster than a picture of the whole run can show, a panel of its own
 * shows two minutes of it: those that are most like the finding as a whole, by mean and spread.
 */
#include "report/report_parts.h"

#include <math.h>

#define N_BINS 268         /* of a line panel: visual.md 7.1 */
#define WIDE 50.0          /* points from the lowest to the highest sample of a bin */
#define WIDE_SHARE 0.4     /* of the bins: visual.md 7.5 */
#define LENGTH (120 * SECOND_MS)
#define FINE_STEP (2 * SECOND_MS)
#define FEW_SAMPLES 60     /* where samples are further apart */
#define LEAST_FOLD 4       /* a finding not longer than this many close-ups can be seen as it is */
#define MAX_CANDIDATES 200

/* Share of the bins inside of the window whose samples are far apart. */
static double wide_share(const struct track *t, struct span run, struct span window)
{
	const time_ms bin = span_length(run) / N_BINS > 0 ? span_length(run) / N_BINS : 1;
	size_t n = 0, wide = 0, i = track_seek(t, window.begin);

	for (time_ms edge = window.begin + bin; edge <= window.end; edge += bin) {
		fixed low = FIXED_MISSING, high = FIXED_MISSING;
		for (; i < t->n && track_time(t, i) < edge; i++) {
			if (track_value(t, i) == FIXED_MISSING)
				continue;
			low = low == FIXED_MISSING || track_value(t, i) < low ? track_value(t, i) : low;
			high = high == FIXED_MISSING || track_value(t, i) > high ? track_value(t, i) : high;
		}
		n += low != FIXED_MISSING;
		wide += low != FIXED_MISSING && fixed_value(high - low) > WIDE;
	}
	return n ? (double)wide / (double)n : 0;
}

static struct span longest_window(const struct finding *f)
{
	struct span longest = { 0, 0 };

	for (size_t i = 0; i < f->n_windows; i++)
		if (f->windows[i].end - f->windows[i].begin > span_length(longest))
			longest = (struct span){ f->windows[i].begin, f->windows[i].end };
	return longest;
}

/* The stretch without a gap whose mean and spread are nearest to those of the whole window; empty: there is none. */
static struct span most_typical(const struct build *b, const struct track *t, struct span window, time_ms length)
{
	const struct stats all = stats_of(b, t, spans_one(&window));
	const time_ms room = span_length(window) - length, n = room / length + 1 < MAX_CANDIDATES ? room / length + 1 : MAX_CANDIDATES;
	struct span best = { 0, 0 };
	double least = INFINITY;

	for (time_ms i = 0; i < n; i++) {
		const time_ms begin = window.begin + room / (n - 1) * i; /* n is LEAST_FOLD at least */
		const struct span here = { begin, begin + length };
		const struct stats s = stats_of(b, t, spans_one(&here));
		const double distance = fabs(s.mean - all.mean) + fabs(s.stddev - all.stddev);
		if (s.known < length || !(distance < least))
			continue;
		best = here;
		least = distance;
	}
	return best;
}

static bool closeup_of(struct build *b, const struct draft *d, const struct finding *f, struct closeup *out)
{
	const struct entity *gpu = d->n_verdicts && d->verdicts[0]->entity ? d->verdicts[0]->entity : b->run->gpus[0];
	const struct track *t = gpu->scope == SCOPE_GPU ? run_track(b->run, gpu, METRIC_GPU_UTIL) : NULL;
	const struct span window = longest_window(f);

	if (!t || t->step <= 0)
		return false;
	const time_ms length = t->step <= FINE_STEP ? LENGTH : FEW_SAMPLES * t->step;
	if (span_length(window) < LEAST_FOLD * length || wide_share(t, b->run->span, window) <= WIDE_SHARE)
		return false;
	const struct span at = most_typical(b, t, window, length);
	if (span_length(at) == 0)
		return false;
	const char *whose = b->run->n_gpus > 1 ? arena_print(b->mem, "%s, ", label_text(b->mem, b->run, gpu)) : "";
	const char *how_long = duration_text(b->mem, (double)length / SECOND_MS);
	*out = (struct closeup){ t, at, arena_print(b->mem, "%sthe %s boxed above, every sample", whose, how_long),
		{ b->run->n_gpus > 1 ? label_text(b->mem, b->run, gpu) : "GPU", "every sample" } };
	return true;
}

void build_closeup(struct build *b)
{
	struct closeup *out = &b->report->card.closeup;

	for (size_t f = 0; f < b->n_ranked && b->run->n_gpus; f++)
		if (b->ranked[f]->severity > SEVERITY_NOTE && closeup_of(b, b->ranked[f], &b->report->findings[f], out))
			return;
}
