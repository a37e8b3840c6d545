/* examine.c - the story of the tool: read this first. */
#include "cmd/examine.h"

#include <stdio.h>

static bool has_samples(const struct run *run)
{
	bool any = false;

	for (size_t i = 0; i < run->n_recordings; i++)
		any |= run->recordings[i]->n_rows > 0;
	return any;
}

/* A run in, an account of it out. */
struct report *examine(struct arena *mem, const struct request *q, const struct rules *rules, struct diags *diags)
{
	struct run *run = read_inputs(mem, &q->input, diags); /* which formats? rows, units, holes; one time for all */

	if (!run)
		return NULL;
	if (!has_samples(run)) { /* `inspect` shows the events */
		diag_at(diags, (struct place){ run->recordings[0]->path, 0, 0 }, DIAG_NO_ROWS,
			"only events, no samples: give it beside a log of the GPUs");
		return NULL;
	}
	derive_metrics(run);                         /* power as share of limit, single throttle reasons   */
	phases_find(run);                            /* idle head, start-up, steady, tail                  */

	struct verdicts v = rules_judge(rules, run); /* fired, clear or unknown; when; how sure            */
	return report_build(run, rules, v, &q->report); /* every number, sentence and figure, once         */
}

void print_diags(struct diags *diags, size_t most, bool quiet)
{
	struct arena scratch;
	size_t printed = 0, left = 0;

	arena_init(&scratch);
	diags_sort(diags);
	for (size_t i = 0; i < diags->n; i++) {
		if (quiet && diags->at[i].severity != DIAG_ERROR)
			continue;
		bool is_error = diags->at[i].severity == DIAG_ERROR; /* all of them: who mends a rule wants to see the last one too */
		if (is_error || printed++ < most)
			fprintf(stderr, "%s\n", diag_text(&scratch, &diags->at[i]));
		else
			left++;
	}
	if (left)
		fprintf(stderr, "postrun: %zu more message%s like these\n", left, left > 1 ? "s" : "");
	arena_release(&scratch);
}
