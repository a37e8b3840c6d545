/* cmd_metrics.c - `postrun metrics`: every quantity that rules can use, from the catalogue. */
#include "cmd/cmd.h"
#include "metric/metric.h"

#include <stdio.h>

static const struct option table[] = {
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	(void)mem, (void)o, (void)diags;
	for (int m = 0; m < N_METRICS; m++)
		printf("%-26s %-6s %-5s %s\n", metric_table[m].name, unit_table[metric_table[m].unit].symbol,
			scope_name(metric_table[m].scope), metric_table[m].title);
	return EXIT_DONE;
}

const struct command command_metrics = {
	.name = "metrics",
	.arguments = "",
	.title = "the quantities that rules can use, with their units",
	.examples = "  postrun metrics\n",
	.options = table,
	.run = run,
};
