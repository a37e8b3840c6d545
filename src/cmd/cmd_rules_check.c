/*
 * cmd_rules_check.c - `postrun rules check`: every problem of every rule file, in one go.
 *
 *     my/hot.yaml:9:7: error: unknown-name: unknown name 'gpu.tmp'; did you mean 'gpu.temp'?
 *         9 | when: gpu.tmp > limit
 *           |       ^~~~~~~
 *     18 rules in 18 files: 1 error, 0 warnings
 *
 * Here the problems are the result and go to standard output. The built-in rules are checked with the
 * others: an own rule may contradict one of them.
 */
#include "base/file.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "cmd/rule_against.h"
#include "cmd/rule_files.h"

#include <stdio.h>

static const struct option table[] = {
	{ "against", 0, "PATH", NULL, "logs of a run: which rules they can answer, and what to log for the others" },
	INPUT_OPTIONS,
	RULE_OPTIONS,
	{ "strict", 0, NULL, NULL, "exit with 1 when there are warnings" },
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

/* A rule is known by its file's name, whether it can be read or not. */
static size_t count_rules(const struct rules_request *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n_files; i++) {
		bool replaced = false;
		for (size_t k = i + 1; k < q->n_files && !replaced; k++)
			replaced = strcmp(path_name(q->files[i].path), path_name(q->files[k].path)) == 0;
		n += !replaced;
	}
	return n;
}

static size_t count_warnings(const struct diags *diags)
{
	size_t n = 0;

	for (size_t i = 0; i < diags->n; i++)
		n += diags->at[i].severity == DIAG_WARNING;
	return n;
}

static void print_problems(struct arena *scratch, struct diags *diags)
{
	diags_sort(diags);
	for (size_t i = 0; i < diags->n; i++)
		puts(diag_text(scratch, &diags->at[i]));
}

static void print_count(const char *before, size_t n, const char *what)
{
	printf("%s%zu %s%s", before, n, what, n == 1 ? "" : "s");
}

static int check_files(struct arena *mem, const struct options *o, struct rules_request *request, struct diags *diags)
{
	request->strict = true;
	rules_load(mem, request, diags);

	const size_t n_errors = diags->n_errors, n_warnings = count_warnings(diags);
	print_problems(mem, diags);
	print_count("", count_rules(request), "rule");
	print_count(" in ", request->n_files, "file");
	print_count(": ", n_errors, "error");
	print_count(", ", n_warnings, "warning");
	putchar('\n');
	if (n_errors)
		return EXIT_RULES;
	return n_warnings && option_given(o, "strict") ? EXIT_FINDING : EXIT_DONE;
}

/* Whether the rules are good is one question, whether a run's logs are good enough for them another: here rules are right or nothing is said. */
static int check_against(struct arena *mem, const struct options *o, const struct rules_request *request, struct diags *diags)
{
	const struct rules *const rules = rules_load(mem, request, diags);
	const int status = rules && !diags->n_errors ? rule_against(mem, rules, o, diags) : EXIT_RULES;

	fflush(stdout);
	print_diags(diags, SIZE_MAX, false);
	return status;
}

static int run(const struct options *o)
{
	struct rules_request request;
	struct diags diags;
	struct arena mem;

	arena_init(&mem);
	diags_init(&diags, &mem);
	rule_files_read(&mem, o, o->paths, o->n_paths, &request, &diags);
	request.with_tests = true;
	const int status = option_given(o, "against") ? check_against(&mem, o, &request, &diags) : check_files(&mem, o, &request, &diags);
	diags_release(&diags);
	arena_release(&mem);
	return status;
}

const struct command command_rules_check = {
	.name = "rules check",
	.arguments = "[PATH…]",
	.title = "every problem of every rule file, with its place",
	.examples = "  postrun rules check my-rules/\n"
		    "  postrun rules check my-rules/hot.yaml --strict\n"
		    "  postrun rules check --against RUN/\n"
		    "  postrun rules check --set gpu-hot.margin='3 C'\n",
	.options = table,
	.run = run,
};
