/*
 * suppress.h - what a user does not want to be told again: --suppress RULE --until DAY --because TEXT, in threes.
 */
#ifndef POSTRUN_SUPPRESS_H
#define POSTRUN_SUPPRESS_H

#include "cmd/options.h"
#include "report/report.h"

/* Rows for the table of a command. */
#define SUPPRESS_OPTIONS \
	SUPPRESS_OPTION, \
	{ "until", 0, "DAY", NULL, "behind --suppress: the last day, like 2026-11-21; a run that began later is judged in full" }, \
	BECAUSE_OPTION
/* Of one that has an --until of its own, which does not stand behind --suppress (run_filter.h). */
#define SUPPRESS_OPTION \
	{ "suppress", 0, "RULE", NULL, \
		"findings of this rule are listed apart and not counted; RULE@0-3,5 or RULE@node01/0: only there" }
#define BECAUSE_OPTION { "because", 0, "TEXT", NULL, "behind --until: why; the report repeats it" }

enum until { UNTIL_IS_OF_SUPPRESSIONS, UNTIL_IS_OF_RUNS_TOO };
/* False, with one line on standard error, when three of them don't belong together or one makes no sense. */
bool read_suppressions(const struct options *o, enum until until, struct report_options *out);
/* Is the option that was given there the --until of a suppression? */
bool is_end_of_suppression(const struct options *o, size_t at);
/* False, with one line on standard error, when one names a rule that is not there. */
bool suppressions_fit(const struct report_options *report, const struct rules *rules);

#endif
