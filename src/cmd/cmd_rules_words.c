/* cmd_rules_words.c - `postrun rules words`: the words of the rule language, from the tables that the compiler reads. */
#include "cmd/cmd.h"
#include "rule/rule.h"

#include <stdio.h>

static const struct option table[] = {
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

/* "numbers", "numbers, conditions" */
static const char *takes_text(unsigned takes)
{
	if (takes == (TAKES_NUMBERS | TAKES_CONDITIONS))
		return "numbers, conditions";
	return takes == TAKES_NUMBERS ? "numbers" : takes == TAKES_CONDITIONS ? "conditions" : "counters";
}

static const char *over_text(unsigned over)
{
	if (!(over & OVER_TIME))
		return "sets";
	return over & OVER_SETS ? "time, sets" : "time";
}

static void print_folds(void)
{
	printf("folds      takes                over        gives\n");
	for (size_t i = 0; i < N_FOLDS; i++)
		printf("  %-8s %-20s %-11s %s\n", fold_table[i].name, takes_text(fold_table[i].takes), over_text(fold_table[i].over),
			fold_table[i].what);
}

static void print_units(void)
{
	printf("\nunits\n");
	for (int dimension = 0; dimension < N_DIMENSIONS; dimension++) {
		bool any = false;
		for (int u = 0; u < N_UNITS; u++) {
			if ((int)unit_table[u].dimension != dimension || !*unit_table[u].symbol)
				continue;
			if (!any)
				printf("  %-24s", dimension_name((enum dimension)dimension));
			printf(" %s", unit_table[u].symbol);
			any = true;
		}
		if (any)
			printf("\n");
	}
}

static void print_reasons(void)
{
	printf("\nreasons, behind gpu.throttle has\n");
	for (size_t i = 0; i < n_throttle_reasons; i++)
		printf("  %-24s %s\n", throttle_reasons[i].name, metric_table[throttle_reasons[i].metric].title);
}

static void print_phases(void)
{
	printf("\nphases, for during and (with '_' for '-') as places of folds\n ");
	for (int phase = 0; phase < N_PHASES; phase++)
		printf(" %s", phase_name((enum phase)phase));
	printf("\n");
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	(void)mem, (void)o, (void)diags;
	print_folds();
	print_units();
	print_reasons();
	print_phases();
	return EXIT_DONE;
}

const struct command command_rules_words = {
	.name = "rules words",
	.arguments = "",
	.title = "the words of the rule language: folds, units, reasons, phases",
	.examples = "  postrun rules words\n",
	.options = table,
	.run = run,
};
