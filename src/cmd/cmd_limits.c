/* cmd_limits.c - `postrun limits`: the bounds that an input can reach, from their table. */
#include "base/limits.h"
#include "cmd/cmd.h"

#include <stdio.h>

static const struct option table[] = {
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

static void print_rows(struct arena *mem, bool is_fixed)
{
	for (size_t i = 0; i < N_LIMITS; i++) {
		const struct limit_row *const row = &limit_table[i];
		if ((row->most == 0) == is_fixed)
			printf("  %-14s %9s  %s: %s\n", row->name, limit_value_text(mem, (enum limit)i, row->value), row->what, row->then);
	}
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	(void)o, (void)diags;
	printf("--limit NAME=VALUE changes these; beyond it:\n");
	print_rows(mem, false);
	printf("Fixed:\n");
	print_rows(mem, true);
	return EXIT_DONE;
}

const struct command command_limits = {
	.name = "limits",
	.arguments = "",
	.title = "the bounds that an input can reach, and which an option changes",
	.examples = "  postrun limits\n"
		    "  postrun report RUN/ --limit line=1MiB\n",
	.options = table,
	.run = run,
};
