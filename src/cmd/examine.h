/*
 * examine.h - a run in, an account of it out. report, batch and compare all stand on this.
 */
#ifndef POSTRUN_EXAMINE_H
#define POSTRUN_EXAMINE_H

#include "cmd/awaited_rules.h"
#include "cmd/inputs.h"
#include "report/report.h"

struct request {
	struct input_request input;
	struct report_options report;
};

/*
 * What rules judge: everything that is known of the run; read behind the walls of the request. NULL, already reported, when nothing in the
 * inputs is usable.
 */
struct run *examine_inputs(struct arena *mem, const struct input_request *q, struct diags *diags);
/* NULL, already reported, when nothing in the inputs is usable. Lives in `mem`. */
struct report *examine(struct arena *mem, const struct request *q, struct awaited_rules *awaited, struct diags *diags);

/*
 * Complaints to standard error, in order of their places: at most `most` errors of each file, then a count, so that no file hides
 * another one's problems; at most `most` of all that is less. Errors only when `quiet`; all with SIZE_MAX.
 */
void print_diags(struct diags *diags, size_t most, bool quiet);

#endif
