/* cmd_formats.c - `postrun formats`: what can be read, from the registry. */
#include "cmd/cmd.h"
#include "format/format.h"

#include <stdio.h>

static const struct option table[] = {
	{ "columns", 0, NULL, NULL, "also the columns that are read, and the metric each becomes" },
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

static int run(const struct options *o)
{
	for (size_t i = 0; i < n_formats; i++) {
		printf("%-16s %s\n", format_table[i]->name, format_table[i]->title);
		if (!option_given(o, "columns"))
			continue;
		for (const struct spelling *s = format_table[i]->columns; s && s->head; s++)
			printf("  %-52s %s\n", s->head, metric_table[s->metric].name);
		for (const struct absence_word *a = format_table[i]->absences; a->word; a++)
			printf("  %-52s no value: %s\n", a->word, absence_table[a->reason].name);
	}
	return EXIT_DONE;
}

const struct command command_formats = {
	.name = "formats",
	.arguments = "",
	.title = "the logs that can be read",
	.examples = "  postrun formats\n"
		    "  postrun formats --columns\n",
	.options = table,
	.run = run,
};
