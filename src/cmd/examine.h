/*
 * examine.h - a run in, an account of it out. report, batch and compare all stand on this.
 */
#ifndef POSTRUN_EXAMINE_H
#define POSTRUN_EXAMINE_H

#include "cmd/inputs.h"
#include "cmd/rule_files.h"
#include "report/report.h"

struct request {
	struct input_request input;
	struct report_options report;
};

/* NULL, already reported, when nothing in the inputs is usable. Lives in `mem`. */
struct report *examine(struct arena *mem, const struct request *q, const struct rules *rules, struct diags *diags);

/* All complaints to standard error, at most `most`; errors only when `quiet`. */
void print_diags(struct diags *diags, size_t most, bool quiet);

#endif
