/*
 * examine.h - a run in, an account of it out. report, batch and compare all stand on this.
 */
#ifndef POSTRUN_EXAMINE_H
#define POSTRUN_EXAMINE_H

#include "cmd/options.h"
#include "report/report.h"

struct request {
	const char *const *inputs;
	size_t n_inputs;
	struct clock_request clock;
	struct report_options report;
};

/* NULL, already reported, when nothing in the inputs is usable. Lives in `mem`. */
struct report *examine(struct arena *mem, const struct request *q, const struct rules *rules, struct diags *diags);

/* The built-in rules and those of every --rules PATH; NULL, with complaints, when any is wrong. */
const struct rules *load_rules(struct arena *mem, const struct options *o, struct diags *diags);
/* --tz and --date; false, with one line on standard error, when one is no zone or no day. */
bool read_clock_options(const struct options *o, struct clock_request *out);
/* All complaints to standard error, at most `most`; errors only when `quiet`. */
void print_diags(struct diags *diags, size_t most, bool quiet);

#endif
