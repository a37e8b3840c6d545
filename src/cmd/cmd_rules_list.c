/* cmd_rules_list.c - `postrun rules list`: the knowledge, as data. */
#include "cmd/cmd.h"
#include "cmd/examine.h"

#include <stdio.h>

static const struct option table[] = {
	RULE_OPTIONS,
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

/* NULL for a built-in rule. */
static const struct rule_file_in_force *file_of(const struct rules *rules, const struct rule *rule)
{
	for (size_t i = 0; i < rules->n_files; i++)
		if (strcmp(rules->files[i].path, rule->path) == 0)
			return &rules->files[i];
	return NULL;
}

static void print_rule(const struct rule *rule, const struct rule_file_in_force *file)
{
	size_t width = strlen("source");

	for (size_t i = 0; i < rule->n_params; i++)
		width = rule->params[i].name.n > width ? rule->params[i].name.n : width;
	printf("%-26s %-8s %-4s %s\n", rule->id, severity_name(rule->severity), scope_name(rule->scope), rule->checked);
	printf("  %-*s", (int)width + 1, "needs");
	for (size_t i = 0; i < rule->n_metrics; i++)
		printf(" %s", metric_table[rule->metrics[i]].name);
	printf("\n");
	for (size_t i = 0; i < rule->n_params; i++) {
		struct arena scratch;
		arena_init(&scratch);
		printf("  %-*.*s  %s%s: %s\n", (int)width, SLICE(rule->params[i].name), quantity_text(&scratch, rule->params[i].value),
			rule->params[i].set ? " (by --set)" : "", rule->params[i].reason);
		arena_release(&scratch);
	}
	for (size_t i = 0; i < rule->sources.n; i++)
		printf("  %-*s  %s\n", (int)width, "source", rule->sources.at[i]);
	printf("  %-*s  %s (%s)%s%s\n", (int)width, "file", rule->path, rule_layer_name(rule->layer),
		file && file->replaces ? ", replaces " : "", file && file->replaces ? file->replaces : "");
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	const struct rules *rules = load_rules(mem, o, diags);

	for (size_t i = 0; rules && i < rules->n; i++)
		print_rule(rules->at[i], file_of(rules, rules->at[i]));
	print_diags(diags, SIZE_MAX, false);
	return rules ? EXIT_DONE : EXIT_RULES;
}

const struct command command_rules_list = {
	.name = "rules list",
	.arguments = "",
	.title = "the rules, their thresholds and where these come from",
	.examples = "  postrun rules list\n"
		    "  postrun rules list --rules my-rules/\n",
	.options = table,
	.run = run,
};
