/*
 * cmd.h - the face of verbs: what a user can ask for, one row a command in commands.def.
 */
#ifndef POSTRUN_CMD_H
#define POSTRUN_CMD_H

#include "base/diag.h"
#include "cmd/options.h"

/* design section 1: scripts rely on these numbers. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FINDING = 1,      /* done, and a finding at or above --fail-on */
	EXIT_USAGE = 2,
	EXIT_NOTHING = 3,      /* nothing usable in the inputs */
	EXIT_RULES = 4,        /* a wrong rule file or template */
	EXIT_OUTPUT = 5,       /* an output could not be written */
	EXIT_SOME_FAILED = 6,  /* of many runs some have no report, or a folder of runs could not be read; all else is done */
	EXIT_TRY_AGAIN = 75,   /* of a shard: it ended early, and may come to its end another time; EX_TEMPFAIL of sysexits.h */
	EXIT_INTERRUPTED = 130,
	EXIT_READER_GONE = 141, /* who read standard output stopped: `| head`; as if SIGPIPE had ended it */
};

struct command {
	const char *name;      /* "report", "rules list" */
	const char *arguments; /* "PATH…" */
	const char *title;     /* one line for the list of commands */
	const char *examples;  /* lines, printed first by --help */
	const struct option *options; /* ends with a NULL name */
	/* `mem` and `diags` come empty and are released afterwards; each command has its own place for printing what it complains of. */
	int (*run)(struct arena *mem, const struct options *o, struct diags *diags);
};
extern const struct command *const commands[];
extern const size_t n_commands;

extern const char program_name[]; /* "postrun 0.1.0" */

/* The whole of main(): picks the command, reads its options, runs it. */
int postrun_main(int n_arguments, char **arguments);

/* What could not be written to standard output: told, unless its reader had enough; the exit status. */
int output_failed(void);

#endif
