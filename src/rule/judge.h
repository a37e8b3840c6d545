/* judge.h - one rule on one entity, step by step: for verdicts (evaluate.c) and for telling why (explain.c). For this folder only. */
#ifndef POSTRUN_JUDGE_H
#define POSTRUN_JUDGE_H

#include "rule/value.h"

/* Of less work than this nothing can be said that is true of a whole run; interval rules have `for`. */
#define WHOLE_RUN_LEAST (10 * SECOND_MS)

/* The line of a rule as it passes through its keys. */
struct steps {
	double coverage;         /* share of the judged time that was known; of a whole-run rule the least of its folds */
	struct truths condition; /* when and clear, in the judged time */
	struct truths bridged;   /* after merge_gap and max_gap; windows over time trimmed to true samples */
	struct truths counted;   /* without what excluded_by took */
	struct truths held;      /* after for and keep_for: what fires */
	const struct rule *excluded_by; /* that took the last of what would have fired; or NULL */
	const struct rule *doubted_by;  /* that made a part of the condition unknown in some of the judged time; or NULL */
};

/* `all` holds the verdicts of the rules that may exclude this one. */
struct steps judge_steps(struct store *s, const struct planned_rule *r, const struct verdicts *all);

/* ------ why it can't be told. unknown.c ------ */

/*
 * "not logged: core.busy, gpu.temp_margin"; "this driver tells no gpu.temp_mem_max_operating": in `mem`; NULL when there is enough to ask
 * the rule at all.
 */
const char *missing_metrics(struct arena *mem, struct store *s, const struct rule *rule);
/* Of one that did not fire; NULL: what was not found is known not to be there. */
const char *unknown_reason(const struct verdict *v, struct store *s, const struct planned_rule *r, const struct steps *steps);
/* In the passing memory. */
const char *length_text(struct store *s, time_ms t);

/* ------ rows. rows_enough.c ------ */

/* What the driver counts or flags, and what is said of the log itself, needs no rhythm. */
bool needs_rhythm(const struct planned_rule *r);
/* Why rows can't show that a condition did not hold for as long as `for` asks; NULL: they can, or the rest of the condition says so. */
const char *coarse_reason(struct store *s, const struct planned_rule *r);
/* How long a stretch must be to show more than a moment, by all gauges of a condition; 0: it has none. */
time_ms least_of_all_rows(const struct store *s, const struct term *t, struct span stretch);
/* The same of that part of an `and` whose rows are closest; 0: no part hangs on rows. */
time_ms least_of_finest_rows(const struct store *s, const struct term *t, struct span stretch);
/* Without stretches of too few rows: of each part of the condition enough are asked for, of all parts together those of the finest log. */
struct spans shown_by_rows(struct store *s, const struct planned_rule *r, struct spans held);

/* When all are judged: one that is clear though it could not see what another one found (rivals) is unknown. */
void withdraw_overlooked(const struct run *run, const struct verdicts *all);

/* Can a part of a rule's condition be taken as the logs tell it? */
typedef bool trust(const struct store *s, const struct term *t, const struct rule *rule);
/* The condition as far as its parts are trusted; the others are not known. */
struct truths trusted_part(struct store *s, const struct term *t, const struct rule *rule, trust *is_trusted);
/* Time in which such logs can't be laid beside each other (unknown_while). */
struct spans doubted_time(struct store *s, const struct rule *rule, const struct verdicts *all);

#endif
