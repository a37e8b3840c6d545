/* cmd_rules_check.c - `postrun rules check`: are the rules right, and can the logs of a run answer them? */
#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "cmd/rule_against.h"

#include <stdio.h>

static const struct option table[] = {
	{ "against", 0, "PATH", NULL, "logs of a run: which rules they can answer, and what to log for the others" },
	INPUT_OPTIONS,
	{ "rules", 0, "PATH", NULL, "more rules: a file or a folder; the same id replaces a built-in rule" },
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

static int check(struct arena *mem, const struct options *o, struct diags *diags)
{
	const struct rules *rules = load_rules(mem, o, diags);

	if (!rules)
		return EXIT_RULES;
	return option_given(o, "against") ? rule_against(mem, rules, o, diags) : EXIT_DONE;
}

static int run(const struct options *o)
{
	struct arena mem;
	struct diags diags;

	arena_init(&mem);
	diags_init(&diags, &mem);
	const int status = check(&mem, o, &diags);
	fflush(stdout);
	print_diags(&diags, SIZE_MAX, false);
	diags_release(&diags);
	arena_release(&mem);
	return status;
}

const struct command command_rules_check = {
	.name = "rules check",
	.arguments = "",
	.title = "are the rules right, and can a run's logs answer them",
	.examples = "  postrun rules check --rules my-rules/\n"
		    "  postrun rules check --against RUN/\n",
	.options = table,
	.run = run,
};
