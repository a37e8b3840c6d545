/* job_progress.c - what the job did, as it logs it itself: samples, or steps where it logs no samples. */
#include "report/report_parts.h"

#include "base/number.h"

/* What was done from row to row, added up: a count that falls was begun anew (a second epoch, a restart). */
static double done_in_all(const struct track *t)
{
	fixed before = FIXED_MISSING, all = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (track_value(t, i) == FIXED_MISSING)
			continue;
		if (before != FIXED_MISSING && track_value(t, i) > before)
			all += track_value(t, i) - before;
		before = track_value(t, i);
	}
	return fixed_value(all);
}

struct progress job_progress(const struct build *b)
{
	const struct entity *job = run_job(b->run);
	const struct track *samples = job ? run_track(b->run, job, METRIC_RUN_SAMPLES) : NULL;
	const struct track *t = samples ? samples : job ? run_track(b->run, job, METRIC_RUN_STEP) : NULL;
	struct progress p = { .of = samples ? "samples" : "steps" };

	if (!t || (p.done = done_in_all(t)) <= 0)
		return (struct progress){ 0 };
	p.span = (struct span){ track_time(t, 0), track_time(t, t->n - 1) };
	p.per_second = p.done / ((double)span_length(p.span) / SECOND_MS);
	return p;
}

const char *job_did(struct build *b)
{
	const struct progress p = job_progress(b);
	char count[32], rate[32];

	if (p.done <= 0)
		return "";
	number_print(count, sizeof count, p.done, 0);
	number_print(rate, sizeof rate, p.per_second, p.per_second < 10 ? 2 : 0);
	return arena_print(b->mem, " The job did %s %s from %s to %s, %s a second.", count, p.of,
		moment_text(b->mem, b->run, p.span.begin), moment_text(b->mem, b->run, p.span.end), rate);
}
