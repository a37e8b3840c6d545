/* examine.c - the story of the tool: read this first. */
#include "cmd/examine.h"

#include "base/memory.h"

static bool has_samples(const struct run *run)
{
	bool any = false;

	for (size_t i = 0; i < run->n_recordings; i++)
		any |= run->recordings[i]->n_rows > 0;
	return any;
}

static struct run *examine_behind_walls(struct arena *mem, const struct input_request *q, struct diags *diags)
{
	struct run *run = read_inputs(mem, q, diags); /* which formats? rows, units, holes; one time for all */

	if (!run)
		return NULL;
	if (!has_samples(run)) { /* `inspect` shows the events */
		diag_at(diags, (struct place){ run->recordings[0]->path, 0, 0 }, DIAG_NO_ROWS,
			"only events, no samples: give it beside a log of the GPUs");
		return NULL;
	}
	run_crew_begins(run);                        /* threads for what follows                           */
	derive_metrics(run);                         /* power as share of limit, single throttle reasons   */
	phases_find(run);                            /* idle head, start-up, steady, dips, down, tail      */
	phases_mark(run, q->marks, q->n_marks);      /* what the user knows of them                        */
	return run;
}

struct run *examine_inputs(struct arena *mem, const struct input_request *q, struct diags *diags)
{
	raise_walls(mem, q);                         /* from here on this process reads and prints         */
	struct run *const run = examine_behind_walls(mem, q, diags);

	if (run)
		run_crew_ends(run);
	return run;
}

/* A run in, an account of it out. */
struct report *examine(struct arena *mem, const struct request *q, struct awaited_rules *awaited, struct diags *diags)
{
	raise_walls(mem, &q->input);                 /* from here on this process reads and prints         */
	rules_begin(awaited);                        /* behind the walls, too                              */
	struct run *run = examine_behind_walls(mem, &q->input, diags);
	const struct rules *const rules = rules_await(awaited);

	if (!run)
		return NULL;
	struct verdicts v = rules_judge(rules, run); /* fired, clear or unknown; when; how sure            */
	struct report *const report = report_build(run, rules, v, &q->report); /* every number, sentence and figure, once */

	run_crew_ends(run);
	memory_trim();
	return report;
}
