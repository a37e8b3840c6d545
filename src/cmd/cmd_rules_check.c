/*
 * cmd_rules_check.c - `postrun rules check`: every problem of every rule file, in one go.
 *
 *     my/hot.yaml:9:7: error: unknown-name: unknown name 'gpu.tmp'; did you mean 'gpu.temp'?
 *         9 | when: gpu.tmp > limit
 *           |       ^~~~~~~
 *     1 rule in 1 file: 1 error, 0 warnings
 *
 * Here the problems are the result and go to standard output. All rules are checked together, since an own rule may
 * contradict a built-in one; but with paths only what is wrong with these is told, and with what the command line says.
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

/* Paths on the command line say what is asked about; without any it is all that there is. */
static bool is_asked_about(const struct options *o, const struct rule_file *file)
{
	return o->n_paths == 0 || file->layer == LAYER_GIVEN;
}

static size_t count_files(const struct options *o, const struct rules_request *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n_files; i++)
		n += is_asked_about(o, &q->files[i]);
	return n;
}

/* A rule is known by its file's name, whether it can be read or not. */
static size_t count_rules(const struct options *o, const struct rules_request *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n_files; i++) {
		bool replaced = false;
		for (size_t k = i + 1; k < q->n_files && !replaced; k++)
			replaced = strcmp(path_name(q->files[i].path), path_name(q->files[k].path)) == 0;
		n += !replaced && is_asked_about(o, &q->files[i]);
	}
	return n;
}

/* What has no rule file for its place is about the command line. */
static bool is_told(const struct options *o, const struct rules_request *q, const struct diag *d)
{
	for (size_t i = 0; i < q->n_files; i++)
		if (!is_asked_about(o, &q->files[i]) && strcmp(q->files[i].path, d->place.path) == 0)
			return false;
	return true;
}

struct tally {
	size_t n_errors, n_warnings;
	size_t n_errors_elsewhere; /* in files that nobody asked about: may be, because of those that are asked about */
};

static struct tally print_problems(struct arena *scratch, const struct options *o, const struct rules_request *q, struct diags *diags)
{
	struct tally tally = { 0 };

	diags_sort(diags);
	for (size_t i = 0; i < diags->n; i++) {
		if (!is_told(o, q, &diags->at[i])) {
			tally.n_errors_elsewhere += diags->at[i].severity == DIAG_ERROR;
			continue;
		}
		puts(diag_text(scratch, &diags->at[i]));
		tally.n_errors += diags->at[i].severity == DIAG_ERROR;
		tally.n_warnings += diags->at[i].severity == DIAG_WARNING;
	}
	return tally;
}

static void print_count(const char *before, size_t n, const char *what)
{
	printf("%s%zu %s%s", before, n, what, plural_s(n));
}

static int check_files(struct arena *mem, const struct options *o, struct rules_request *request, struct diags *diags)
{
	request->strict = true;
	rules_load(mem, request, diags);
	devices_built_in(mem, diags);

	const struct tally tally = print_problems(mem, o, request, diags);
	print_count("", count_rules(o, request), "rule");
	print_count(" in ", count_files(o, request), "file");
	print_count(": ", tally.n_errors, "error");
	print_count(", ", tally.n_warnings, "warning");
	putchar('\n');
	if (tally.n_errors_elsewhere) { /* a report is refused for these too */
		print_count("other rule files: ", tally.n_errors_elsewhere, "error");
		puts("; give their paths too to read them");
	}
	if (tally.n_errors + tally.n_errors_elsewhere > 0)
		return EXIT_RULES;
	return tally.n_warnings && option_given(o, "strict") ? EXIT_FINDING : EXIT_DONE;
}

/*
 * Whether the rules are good is one question, whether a run's logs are good enough for them another: here rules are
 * right or nothing is said.
 */
static int check_against(struct arena *mem, const struct options *o, const struct rules_request *request, struct diags *diags)
{
	const struct rules *const rules = rules_load(mem, request, diags);
	const int status = rules && !diags->n_errors ? rule_against(mem, rules, o, diags) : EXIT_RULES;

	fflush(stdout);
	print_diags(diags, SIZE_MAX, false);
	return status;
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	struct rules_request request;

	rule_files_read(mem, o, o->paths, o->n_paths, &request, diags);
	request.with_tests = true;
	return option_given(o, "against") ? check_against(mem, o, &request, diags) : check_files(mem, o, &request, diags);
}

const struct command command_rules_check = {
	.name = "rules check",
	.arguments = "[PATH…]",
	.title = "every problem of every rule file, with its place",
	.examples = "  postrun rules check                       all rules, the built-in ones too\n"
		    "  postrun rules check my-rules/             those of a folder, and what they have in common with others\n"
		    "  postrun rules check my-rules/hot.yaml --strict\n"
		    "  postrun rules check --against RUN/\n"
		    "  postrun rules check --set gpu-hot.margin='3 C'\n",
	.options = table,
	.run = run,
};
