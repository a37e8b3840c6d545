/*
 * cmd_rules_test.c - `postrun rules test`: do rules say what their tests expect, and would the tests notice if they didn't?
 *
 *     gpu-hot            5 tests passed, 23 mutants killed
 *     my-rules/slow.yaml:31:5: test 'a slow server' failed
 *       GPU 0     outcome         expected  fired
 *                                 found     clear
 *     …
 *     212 tests of 45 rules: 211 passed, 1 failed
 */
#include "base/file.h"
#include "base/yaml.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "cmd/rule_files.h"

#include <stdio.h>

static const struct option table[] = {
	{ "rule", 0, "ID", NULL, "only this rule" },
	{ "mutate", 0, NULL, NULL,
		"then move thresholds and durations by a fifth, swap and/or and </<=, and list what no test notices" },
	{ "ascii", 0, NULL, NULL, "no characters beyond ASCII" },
	RULE_OPTIONS,
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

struct tally {
	size_t rules, tests, failed, mutants, survivors, not_mutated;
};

static void put(const char *text, bool ascii)
{
	static const struct { const char *from, *to; } plain[] = {
		{ "▁", "_" }, { "▂", "." }, { "▃", "-" }, { "▄", "=" },
		{ "▅", "+" }, { "▆", "*" }, { "▇", "%" }, { "█", "#" },
		{ "─", "-" }, { "━", "#" }, { "°", "" },
	};
	size_t n_owed = 0; /* blanks for what has gone, so that columns stay below each other */

	while (*text) {
		const char *shown = NULL;
		size_t n = 1;
		for (; n_owed && strncmp(text, "  ", 2) == 0; n_owed--)
			putchar(' ');
		for (size_t i = 0; ascii && i < sizeof plain / sizeof *plain; i++) {
			if (strncmp(text, plain[i].from, strlen(plain[i].from)) != 0)
				continue;
			shown = plain[i].to;
			n = strlen(plain[i].from);
			n_owed += plain[i].to[0] == '\0';
			break;
		}
		if (*text == '\n')
			n_owed = 0;
		if (shown)
			fputs(shown, stdout);
		else if (!ascii || (unsigned char)*text < 0x80)
			putchar(*text);
		else if (((unsigned char)*text & 0xC0) != 0x80)
			putchar('?');
		text += n;
	}
}

static void print_failures(struct arena *mem, const struct trial_results *results, bool ascii)
{
	for (size_t i = 0; i < results->n; i++) {
		const struct trial_result *const r = &results->at[i];
		if (r->passed)
			continue;
		put(arena_print(mem, "%s:%" PRId64 ":%d: test '%s' failed\n%s", r->place.path, r->place.line, r->place.column,
				r->name, r->report),
			ascii);
	}
}

/* The line that was changed, with a caret: as complaints show theirs. */
static const char *excerpt(struct arena *mem, const struct mutant *m)
{
	struct diags diags;

	diags_init(&diags, mem);
	diag_at(&diags, m->place, DIAG_BAD_VALUE, "%s", m->change);
	if (m->place.line > 0 && m->rule->source.p)
		diag_excerpt(&diags, source_line(m->rule->source, m->place.line), m->width_columns);
	const char *const text = diags.n && diags.at[0].excerpt ? diags.at[0].excerpt : "";
	diags_release(&diags);
	return text;
}

static void print_survivors(struct arena *mem, const struct mutants *mutants, bool ascii)
{
	for (size_t i = 0; i < mutants->n; i++) {
		const struct mutant *const m = &mutants->at[i];
		if (!m->killed)
			put(arena_print(mem, "%s:%" PRId64 ":%d: %s and no test notices\n%s\n", m->place.path, m->place.line,
				m->place.column, m->change, excerpt(mem, m)), ascii);
	}
}

static const char *tests_text(struct arena *mem, const struct trial_results *results)
{
	if (!results->n)
		return "no tests";
	if (!results->n_failed)
		return arena_print(mem, "%zu test%s passed", results->n, plural_s(results->n));
	return arena_print(mem, "%zu of %zu test%s failed", results->n_failed, results->n, plural_s(results->n));
}

static const char *mutants_text(struct arena *mem, const struct trial_results *results, const struct mutants *mutants)
{
	if (results->n_failed)
		return "; not mutated: a test fails";
	if (!mutants->n_survivors)
		return arena_print(mem, ", %zu mutant%s killed", mutants->n, plural_s(mutants->n));
	return arena_print(mem, ", %zu of %zu mutant%s survived", mutants->n_survivors, mutants->n, plural_s(mutants->n));
}

/* A rule whose tests fail notices everything: it is not mutated. */
static void test_rule(struct tally *tally, const struct rules *rules, const struct rule *rule, const struct options *o)
{
	const bool ascii = option_given(o, "ascii");
	struct mutants mutants = { NULL, 0, 0 };
	struct arena mem;

	arena_init(&mem);
	const struct trial_results results = rule_test(&mem, rules, rule);
	const bool mutate = option_given(o, "mutate");
	if (mutate && !results.n_failed)
		mutants = rule_mutate(&mem, rules, rule);
	const char *const of_mutants = mutate ? mutants_text(&mem, &results, &mutants) : "";
	put(arena_print(&mem, "%-26s %s%s\n", rule->id, tests_text(&mem, &results), of_mutants), ascii);
	print_failures(&mem, &results, ascii);
	if (results.n) /* else it is a list of all that there is */
		print_survivors(&mem, &mutants, ascii);
	tally->rules++;
	tally->tests += results.n;
	tally->failed += results.n_failed;
	tally->not_mutated += mutate && results.n_failed;
	tally->mutants += mutants.n;
	tally->survivors += mutants.n_survivors;
	arena_release(&mem);
}

/* Does the file lie at or below one of the paths that were given? Without any all rules are meant. */
static bool is_below(const char *path, const struct options *o)
{
	for (size_t i = 0; i < o->n_paths; i++) {
		const size_t n = path_bare(o->paths[i]);
		if (strncmp(path, o->paths[i], n) == 0 && (path[n] == '\0' || path[n] == '/' || o->paths[i][n - 1] == '/'))
			return true;
	}
	return o->n_paths == 0;
}

static bool is_meant(const struct rule *rule, const struct options *o)
{
	const char *const id = option_value(o, "rule");

	return id ? strcmp(rule->id, id) == 0 : is_below(rule->path, o);
}

static int usage_no_rule(const struct rules *rules, const struct options *o)
{
	const char *const id = option_value(o, "rule");
	const char *const meant = id ? rules_nearest(o->mem, rules, id) : NULL;

	if (meant)
		fprintf(stderr, "postrun: no rule '%s'; did you mean '%s'?\n", id, meant);
	else
		fprintf(stderr, "postrun: no rule '%s'\n", id ? id : o->paths[0]);
	return EXIT_USAGE;
}

static int test_all(const struct rules *rules, const struct options *o)
{
	struct tally tally = { 0 };

	for (size_t i = 0; i < rules->n; i++)
		if (is_meant(rules->at[i], o))
			test_rule(&tally, rules, rules->at[i], o);
	if (!tally.rules)
		return usage_no_rule(rules, o);
	printf("%zu test%s of %zu rule%s: %zu passed, %zu failed", tally.tests, plural_s(tally.tests), tally.rules, plural_s(tally.rules),
		tally.tests - tally.failed, tally.failed);
	if (option_given(o, "mutate"))
		printf("; %zu mutant%s: %zu killed, %zu survived", tally.mutants, plural_s(tally.mutants), tally.mutants - tally.survivors,
			tally.survivors);
	if (tally.not_mutated)
		printf("; %zu rule%s not mutated", tally.not_mutated, plural_s(tally.not_mutated));
	printf("\n");
	return tally.failed || tally.survivors ? EXIT_FINDING : EXIT_DONE;
}

/* "slow-files" where "--rule slow-files" is meant. */
static bool is_id(const struct rules_request *request, const char *word)
{
	for (size_t i = 0; i < request->n_files; i++) {
		const char *const name = path_name(request->files[i].path);
		const size_t n = strlen(word);
		if (strncmp(name, word, n) == 0 && strcmp(name + n, ".yaml") == 0)
			return true;
	}
	return false;
}

static void hint_at_rule(const struct options *o, const struct rules_request *request)
{
	for (size_t i = 0; i < o->n_paths; i++)
		if (is_id(request, o->paths[i]))
			fprintf(stderr, "postrun: '%s' is a rule, not a path; write --rule %s\n", o->paths[i], o->paths[i]);
}

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	struct rules_request request;
	const bool good = rule_files_read(mem, o, o->paths, o->n_paths, &request, diags);

	request.with_tests = true;
	const struct rules *const rules = rules_load(mem, &request, diags);
	print_diags(diags, SIZE_MAX, false);
	if (!good)
		hint_at_rule(o, &request);
	return good && rules ? test_all(rules, o) : EXIT_RULES;
}

const struct command command_rules_test = {
	.name = "rules test",
	.arguments = "[PATH…]",
	.title = "the tests inside of rule files; with --mutate, whether they would notice a change",
	.examples = "  postrun rules test                        all rules\n"
		    "  postrun rules test my-rules/ --mutate     those of a folder, and how good their tests are\n"
		    "  postrun rules test --rule gpu-hot         one rule\n",
	.options = table,
	.run = run,
};
