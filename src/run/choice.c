/*
 * choice.c - two logs hold the same series: which one is used, and one sentence that says so.
 *
 *     gpu.csv, dmon.txt and table.txt hold some of the same metrics; these are taken from gpu.csv, which has the finer step.
 *
 * The better source covers more time, else has the finer step, else more decimals; else it came first. What is told is who won
 * at the end and over whom, for the strongest reason of each pair: a folder with everything in it has hundreds of series,
 * and a reader wants to know where numbers come from, not how each of them was decided.
 */
#include "run/run_parts.h"

#include "series/cursor.h"

static const char *const reasons[N_CHOICE_REASONS] = {
	[CHOICE_TIME] = "covers more time",
	[CHOICE_STEP] = "has the finer step",
	[CHOICE_DECIMALS] = "has more decimals",
	[CHOICE_FIRST] = "came first",
};

time_ms known_time_from(const struct track *t, size_t from)
{
	struct cursor c;
	time_ms known = 0;

	cursor_start(&c, t);
	for (size_t i = from; i + 1 < t->n; i++)
		if (cursor_value(&c, i) != FIXED_MISSING)
			known += cursor_until(&c, i) - cursor_time(&c, i);
	return known;
}

bool merits_are_better(const struct merits *a, const struct merits *b, enum choice_reason *why)
{
	const double of_a = (double)a->known, of_b = (double)b->known, more = of_a - of_b, most = of_a > of_b ? of_a : of_b;
	const double step = (double)(a->step > b->step ? a->step : b->step), slack = most / 20 > step ? most / 20 : step;

	/* a twentieth: beginning a second later or missing a poll does not make a worse log; a step: nor does one poll that is rare */
	*why = CHOICE_TIME;
	if (more > slack || more < -slack)
		return more > 0;
	*why = CHOICE_STEP;
	if (a->step * 5 < b->step * 4 || b->step * 5 < a->step * 4)
		return a->step < b->step;
	*why = CHOICE_DECIMALS;
	if (a->decimals != b->decimals)
		return a->decimals > b->decimals;
	*why = CHOICE_FIRST;
	return false;
}

static struct choice *choice_of(struct run *run, size_t used, size_t left)
{
	for (size_t i = 0; i < run->n_choices; i++)
		if (run->choices[i].used == used && run->choices[i].left == left)
			return &run->choices[i];
	run->choices = arena_array_next(run->mem, run->choices, run->n_choices, sizeof *run->choices);
	run->choices[run->n_choices] = (struct choice){ used, left, CHOICE_FIRST };
	return &run->choices[run->n_choices++];
}

/* Is it one of the logs that were joined? Of each of them at least the last sample is there. */
static bool is_part_of(const struct run *run, const struct track *t, const struct track *used)
{
	const time_ms end = track_time(t, t->n - 1);
	const size_t last = track_seek(used, end);

	return used->joined && run->recordings[t->source]->format == run->recordings[used->source]->format && last < used->n &&
	       track_time(used, last) == end;
}

bool choice_is_left(const struct run *run, const struct track *t)
{
	const struct track *used = run_track(run, t->entity, t->metric);

	return used && used->source != t->source && !is_side(run, t->source) && track_tells(t) && !is_part_of(run, t, used);
}

void choice_count(struct run *run, size_t used, const struct merits *of_used, size_t left, const struct merits *of_left)
{
	struct choice *choice = choice_of(run, used, left);
	enum choice_reason why;

	merits_are_better(of_used, of_left, &why);
	choice->why = why < choice->why ? why : choice->why;
}

/* One sentence for all that this log was preferred to for the same reason. */
static void tell(struct run *run, size_t used, enum choice_reason why)
{
	const char *names = NULL, *last = NULL, *name = run->recordings[used]->name;

	for (size_t i = 0; i < run->n_choices; i++) {
		if (run->choices[i].used != used || run->choices[i].why != why)
			continue;
		names = last ? arena_print(run->mem, "%s, %s", names ? names : name, last) : names;
		last = run->recordings[run->choices[i].left]->name;
	}
	if (last)
		run_note(run, "Source", "%s and %s hold some of the same metrics; these are taken from %s, which %s.", names ? names : name,
			last, name, reasons[why]);
}

void choices_tell(struct run *run)
{
	for (size_t r = 0; r < run->n_recordings; r++)
		for (int why = 0; why < N_CHOICE_REASONS; why++)
			tell(run, r, (enum choice_reason)why);
}
