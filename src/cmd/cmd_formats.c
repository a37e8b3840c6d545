/* cmd_formats.c - `postrun formats`: what can be read, from the registry. */
#include "cmd/cmd.h"
#include "format/format.h"

#include <stdio.h>

static const struct option table[] = {
	{ "columns", 0, NULL, NULL, "also the columns that are read, and the metric each becomes" },
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

#define LEAST_WIDTH 24

static int wider(int width, const char *text)
{
	const int n = (int)strlen(text);

	return n > width ? n : width;
}

/* What a tool writes stands left: two letters in vmstat, a whole path in XML. */
static int width_of(const struct format *f)
{
	int width = LEAST_WIDTH;

	for (const struct spelling *s = f->columns; s && s->head; s++)
		width = wider(width, s->head);
	for (const struct absence_word *a = f->absences; a->word; a++)
		width = wider(width, a->word);
	return width;
}

static void print_columns(const struct format *f)
{
	const int width = width_of(f);

	for (const struct spelling *s = f->columns; s && s->head; s++)
		printf("  %-*s %s\n", width, s->head, metric_table[s->metric].name);
	for (const struct absence_word *a = f->absences; a->word; a++)
		printf("  %-*s no value: %s\n", width, a->word, absence_table[a->reason].name);
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	(void)mem, (void)diags;
	for (size_t i = 0; i < n_formats; i++) {
		printf("%-16s %s\n", format_table[i]->name, format_table[i]->title);
		if (option_given(o, "columns"))
			print_columns(format_table[i]);
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
