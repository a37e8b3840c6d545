/*
 * lint.c - what is right in a rule file but should not stay so: `rules check` tells it, nobody else.
 *
 *     warning: missing-test: no test where data are missing
 *     warning: constant-condition: 'gpu.util > 100 %' can never hold
 *     warning: thin-source: 'todo' says nothing: where does the threshold come from?
 *
 * Only what is always worth reading stands here; taste does not. Rules beside each other: lint_tiers.c.
 */
#include "rule/draft.h"

static void warn(const struct rule *rule, struct diags *diags, struct place place, int width, enum diag_code code, const char *words)
{
	yaml_complain(diags, rule->source, place, width, code, "%s", words);
}

/* ------ tests ------ */

enum { TEST_FIRES = 1, TEST_CLEAR = 2, TEST_MISSING = 4 };

static unsigned outcome_expected(const struct yaml_node *expected)
{
	static const unsigned tested[] = {
		[OUTCOME_FIRED] = TEST_FIRES,
		[OUTCOME_CLEAR] = TEST_CLEAR,
		[OUTCOME_UNKNOWN] = TEST_MISSING,
		[OUTCOME_SKIPPED] = TEST_MISSING,
	};
	const struct yaml_node *const outcome = expected->kind == YAML_MAP ? yaml_get(expected, "outcome") : expected;

	if (yaml_get(expected, "windows") || yaml_get(expected, "evidence") || yaml_get(expected, "cost") ||
		yaml_get(expected, "cost_least"))
		return TEST_FIRES; /* nothing else has any */
	for (int i = 0; i <= OUTCOME_SKIPPED; i++)
		if (outcome && outcome->kind == YAML_SCALAR && slice_is(outcome->text, outcome_name((enum outcome)i)))
			return tested[i];
	return 0;
}

static unsigned outcomes_tested(const struct yaml_node *tests)
{
	unsigned all = 0;

	for (const struct yaml_node *test = tests ? tests->first : NULL; test; test = test->next) {
		const struct yaml_node *const expect = test->kind == YAML_MAP ? yaml_get(test, "expect") : NULL;
		for (const struct yaml_node *item = expect ? yaml_first_item(expect) : NULL; item; item = yaml_next_item(expect, item))
			all |= outcome_expected(item);
	}
	return all;
}

static void lint_tests(struct arena *mem, const struct rule *rule, struct diags *diags)
{
	static const char *const names[] = { "where it fires", "where it is clear", "where data are missing" };
	const struct yaml_node *const tests = yaml_get(rule->root, "tests");
	const unsigned tested = outcomes_tested(tests);
	const char *words = "no test";

	if (tested == (TEST_FIRES | TEST_CLEAR | TEST_MISSING))
		return;
	for (size_t i = 0, n = 0; i < 3; i++)
		if (!(tested & 1u << i))
			words = arena_print(mem, "%s%s %s", words, n++ > 0 ? " and none" : "", names[i]);
	if (tests)
		warn(rule, diags, tests->key_place, (int)strlen("tests"), DIAG_MISSING_TEST, words);
	else
		warn(rule, diags, rule->root->place, 1, DIAG_MISSING_TEST, "the rule has no 'tests'");
}

/* ------ conditions that are always the same ------ */

struct telling {
	const struct rule *rule;
	struct diags *diags;
};

/* A let stands in the tree once for each use. */
static bool is_told(const struct diags *diags, struct place place)
{
	for (size_t i = 0; i < diags->n; i++) {
		const struct diag *const d = &diags->at[i];
		if (d->code == DIAG_CONSTANT && d->place.line == place.line && d->place.column == place.column &&
			strcmp(d->place.path, place.path) == 0)
			return true;
	}
	return false;
}

static void tell_constant(void *context, const struct expression *part, enum truth always)
{
	const struct telling *const t = context;
	const struct slice text = slice_shown(part->text);

	if (!is_told(t->diags, part->place))
		yaml_complain(t->diags, t->rule->source, part->place, part->width_columns, DIAG_CONSTANT, "'%.*s%s' %s", SLICE(text),
			text.n < part->text.n ? "…" : "", always == NO ? "can never hold" : "always holds");
}

static void lint_conditions(const struct rule *rule, struct diags *diags)
{
	struct telling t = { rule, diags };

	expression_always(rule->when, tell_constant, &t);
	if (rule->clear)
		expression_always(rule->clear, tell_constant, &t);
}

/* ------ sources and reasons ------ */

/* "Own." -> "own" */
static bool says_nothing(struct slice text)
{
	static const char *const empty[] = { "own", "our own", "todo", "tbd", "fixme", "none", "n/a", "na", "unknown", "me", "guess",
		"a guess", "guessed", "experience", "internet", "google", "see above", "obvious" };

	text = slice_trim(text);
	while (text.n > 0 && strchr(".!?-:…", text.p[text.n - 1]))
		text.n--;
	for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
		if (slice_is_nocase(text, empty[i]))
			return true;
	return text.n < 2;
}

static void lint_sources(const struct rule *rule, struct diags *diags)
{
	for (const struct yaml_node *item = yaml_get(rule->root, "sources")->first; item; item = item->next)
		if (says_nothing(item->text))
			yaml_complain(diags, rule->source, item->place, item->width, DIAG_THIN_SOURCE,
				"'%.*s' says nothing: where does the threshold come from?", SLICE(slice_shown(item->text)));
}

static void lint_reasons(const struct rule *rule, struct diags *diags)
{
	const struct yaml_node *const params = yaml_get(rule->root, "params");

	for (const struct yaml_node *param = params ? params->first : NULL; param; param = param->next) {
		const struct yaml_node *const reason = yaml_get(param, "reason");
		if (says_nothing(reason->text))
			yaml_complain(diags, rule->source, reason->place, reason->width, DIAG_THIN_SOURCE,
				"'%.*s' says nothing: why this number and no other?", SLICE(slice_shown(reason->text)));
	}
}

/* ------ what changes nothing ------ */

static void lint_keep_for(const struct rule *rule, struct diags *diags)
{
	const struct yaml_node *const node = yaml_get(rule->root, "keep_for");

	if (rule->keep > 0 && rule->keep <= rule->merge_gap && rule->keep <= rule->max_gap)
		warn(rule, diags, node->key_place, (int)strlen("keep_for"), DIAG_IDLE_KEY,
			"'keep_for' changes nothing: 'merge_gap' and 'max_gap' join as much before it");
}

/* "{name}", "{#name}", "{name|number}" */
static bool text_shows(struct slice text, const char *name)
{
	const size_t n = strlen(name);

	for (size_t i = 0; i + 1 < text.n; i++) {
		if (text.p[i] != '{')
			continue;
		const size_t at = i + 1 + (strchr("#^", text.p[i + 1]) != NULL);
		if (at + n < text.n && memcmp(text.p + at, name, n) == 0 && strchr("}| ", text.p[at + n]))
			return true;
	}
	return false;
}

static bool any_text_shows(const struct rule *rule, const char *name)
{
	static const char *const texts[] = { "title", "what", "why", "try", "refute", "card" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const struct yaml_node *const node = yaml_get(rule->root, texts[i]);
		for (const struct yaml_node *item = yaml_first_item(node); item; item = yaml_next_item(node, item))
			if (text_shows(item->text, name))
				return true;
	}
	return false;
}

static void lint_evidence(const struct rule *rule, struct diags *diags)
{
	for (size_t i = 0; i < rule->n_evidence; i++) {
		const char *const name = rule->evidence[i].name;
		const struct yaml_node *const node = yaml_get(yaml_get(rule->root, "evidence"), name);
		const bool is_asked = rule->explains_if == &rule->evidence[i] || rule->doubt_if == &rule->evidence[i];
		if (!any_text_shows(rule, name) && !is_asked)
			yaml_complain(diags, rule->source, node->key_place, slice_columns(node->key), DIAG_UNUSED,
				"no text shows '%s'; it will be in report.json only", name);
	}
}

void rule_lint(const struct rule *rule, struct diags *diags)
{
	struct arena scratch;

	arena_init(&scratch);
	lint_tests(&scratch, rule, diags);
	lint_conditions(rule, diags);
	lint_sources(rule, diags);
	lint_reasons(rule, diags);
	lint_keep_for(rule, diags);
	lint_evidence(rule, diags);
	arena_release(&scratch);
}
