/*
 * fact_steps.c - facts that change while the run goes on: step functions, as tracks of a sample for each step.
 *
 *     gpu.xid     0 .......... 31 . 0 ...............        log.step    1 s ............... 30 s ........
 */
#include "run/run_parts.h"

struct fact_steps fact_steps_new(struct arena *mem, size_t most)
{
	return (struct fact_steps){ NEW_ARRAY(mem, time_ms, most), NEW_ARRAY(mem, fixed, most), 0 };
}

void fact_steps_set(struct fact_steps *s, time_ms from, fixed value)
{
	if (s->n && s->times[s->n - 1] == from)
		s->n--;
	s->times[s->n] = from;
	s->values[s->n++] = value;
}

void fact_steps_tell(struct run *run, const struct entity *e, enum metric metric, const struct fact_steps *s, size_t source)
{
	if (run_track(run, e, metric)) /* given as it is (made.c) */
		return;
	run_add_track(run, &(struct track){ .metric = metric, .entity = e, .times = s->times, .values = s->values, .n = s->n,
				   .step = span_length(run->span), .source = source, .derived = true });
}
