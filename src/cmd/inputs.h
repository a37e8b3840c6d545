/*
 * inputs.h - what a user can say of the inputs: one table of options for all commands that read logs.
 */
#ifndef POSTRUN_INPUTS_H
#define POSTRUN_INPUTS_H

#include "cmd/options.h"
#include "run/run.h"

enum walls { WALLS_OFF, WALLS_AUTO, WALLS_REQUIRE }; /* --sandbox */

struct input_request {
	const char *const *paths;
	size_t n_paths;
	struct read_request read;
	struct clock_request clock;
	struct file_options hosts;
	const struct phase_mark *marks;
	size_t n_marks;
	enum walls walls;
};

/* Rows for the table of a command. "FILE=" may be left out: then it is about all inputs. */
#define INPUT_OPTIONS \
	{ "tz", 0, "FILE=ZONE", NULL, "time zone of a log that names none: UTC-5, +05:30; without FILE=, of all such" }, \
	{ "date", 0, "FILE=DAY", NULL, "day on which a log begins, for logs with times of day only" }, \
	{ "start", 0, "FILE=TIME", NULL, "when a log without any times began: 2026-11-21T01:48:34, in the zone of --tz" }, \
	{ "step", 0, "FILE=STEP", NULL, "how far apart the rows of a log without any times are: 1s, 500ms (else 1s)" }, \
	{ "columns", 0, "FILE=LIST", NULL, "columns of a log without header: timestamp,index,utilization.gpu,..." }, \
	{ "map", 0, "FILE=PATH", NULL, "a mapping in YAML that says what the columns of any CSV mean" }, \
	{ "host", 0, "FILE=NAME", NULL, "the host that a log was written on, when a run has several" }, \
	{ "memory", 0, "SIZE", NULL, "how much a report may take: 256MiB; of a longer log several rows are made one (else 1GiB)" }, \
	{ "limit", 0, "NAME=VALUE", NULL, "another bound than the usual one: line=1MiB, members=50000; `postrun limits` lists them" }, \
	{ "align", 0, "HOW", "report|apply", "clocks that differ by less than a quarter hour: only told, or taken out" }, \
	{ "sandbox", 0, "HOW", "auto|off|require", \
		"keep what reads the logs from anything but reading, as far as this kernel can (else auto)" }

/* Of commands that judge: what the user knows of the run's phases. */
#define MARK_OPTIONS { "mark", 0, "PHASE=SPAN", NULL, "which time is what: steady=10:05..11:00, in the time of the report" }

/* False, with one line on standard error, when a value makes no sense. The paths are those of the command line. */
bool read_input_options(const struct options *o, struct input_request *out);
/*
 * Before the first byte of a log the process gives away all that it needs no more, if the request has walls: from here on it reads its
 * paths and maps, and prints. Threads that there are already keep all.
 */
void raise_walls(struct arena *mem, const struct input_request *q);
/* All inputs read and on one clock; NULL, already reported, when nothing is usable. The caller has raised the walls. */
struct run *read_inputs(struct arena *mem, const struct input_request *q, struct diags *diags);

#endif
