/*
 * trial_fuzz.c - tests inside of rule files as anybody may have written them.
 *
 * The first byte picks a rule, the rest is what stands below `tests:`. Laws beside "does not crash": there are rules or
 * reasons, never both; every complaint is text; a test that passes has nothing to report and one that fails has; a
 * test says the same twice; and where all tests pass, each mutant is killed or survives with a place inside the file.
 */
#include "rule/trial_parts.h"

#include <stdint.h>

#define WORDS "short: s\nchecked: c\nseverity: note\nsources: [s]\ntitle: t\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\n"
#define SAMPLES_MOST 20000 /* of a test that is run: ten million are allowed, and take their time */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *const heads[] = {
	WORDS "scope: gpu\nduring: run\nparams: {low: {value: 50 %, reason: r}}\nwhen: gpu.util < low and gpu.temp_margin > 0 C\n"
	      "for: 10 s\nmerge_gap: 2 s\nevidence: {busy: \"mean(gpu.util, inside)\"}\ncost: 1 - gpu.util / ref(gpu.util)\n",
	WORDS "scope: gpu\nwhen: mean(gpu.util, 10 s) < 70 % and max of cores(core.busy) > 90 %\nclear: gpu.util > 80 %\nkeep_for: 5 s\n",
	WORDS "scope: host\nwhen: host.cpu.busy > 90 % or max of gpus(gpu.power_share) > 95 %\nmin_coverage: 50 %\nmax_gap: 5 s\n",
	WORDS "scope: run\nwhen: p95(run.throughput) < 5 or count of gpus(hole(gpu.util)) > 1\n",
};

static void require(bool law)
{
	if (!law)
		__builtin_trap();
}

static bool is_small(const struct rule *rule)
{
	time_ms n = 0;

	for (size_t i = 0; i < rule->n_tests; i++)
		for (size_t k = 0; k < rule->tests[i].n_series; k++)
			n += rule->tests[i].length / rule->tests[i].series[k].step + 1;
	return n <= SAMPLES_MOST;
}

static void check_results(struct arena *mem, const struct rules *rules, const struct rule *rule, struct slice text)
{
	const struct trial_results first = rule_test(mem, rules, rule), again = rule_test(mem, rules, rule);

	require(first.n == rule->n_tests && first.n_failed == again.n_failed);
	for (size_t i = 0; i < first.n; i++) {
		require(first.at[i].passed == (*first.at[i].report == '\0'));
		require(strcmp(first.at[i].report, again.at[i].report) == 0 && slice_is_utf8(slice_of(first.at[i].report)));
	}
	if (first.n_failed)
		return;
	const struct mutants mutants = rule_mutate(mem, rules, rule);
	for (size_t i = 0; i < mutants.n; i++) {
		require(mutants.at[i].width_columns > 0 && mutants.at[i].place.column > 0);
		require(source_line(text, mutants.at[i].place.line).n > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena mem;
	struct diags diags;

	if (n < 1)
		return 0;
	arena_init(&mem);
	diags_init(&diags, &mem);
	const char *const head = heads[bytes[0] % (sizeof heads / sizeof *heads)];
	const size_t n_head = strlen(head);
	char *const whole = arena_alloc(&mem, n_head + strlen("tests:\n") + n);
	memcpy(whole, head, n_head);
	memcpy(whole + n_head, "tests:\n", strlen("tests:\n"));
	memcpy(whole + n_head + strlen("tests:\n"), bytes + 1, n - 1);
	const struct rule_file file = { .path = "rules/a.yaml", .text = { whole, n_head + strlen("tests:\n") + n - 1 } };
	const struct rules *const rules = rules_load(&mem, &(struct rules_request){ .files = &file, .n_files = 1, .with_tests = true }, &diags);
	require((rules != NULL) == (diags.n_errors == 0));
	for (size_t i = 0; i < diags.n; i++)
		require(slice_is_utf8(slice_of(diag_text(&mem, &diags.at[i]))));
	if (rules && is_small(rules->at[0]))
		check_results(&mem, rules, rules->at[0], file.text);
	diags_release(&diags);
	arena_release(&mem);
	return 0;
}
