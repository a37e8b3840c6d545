/*
 * trial_read.c - the tests of a rule file, from its tree: keys, complaints, what all tests have in common.
 *
 * `given` comes first, because it says who is there and how long the test is; then times, phases and expectations can be
 * checked. Where `given` is wrong they are not held to it: they would only be wrong because of it.
 */
#include "rule/trial_parts.h"

/* ------ complaints ------ */

/* Who has more mistakes reads these first. */
bool trial_is_full(struct trial_reader *r)
{
	const bool is_full = ++r->n_problems > TEST_PROBLEMS_MAX;

	if (is_full && !r->is_full)
		diag_at(r->diags, (struct place){ r->rule->path, 0, 0 }, DIAG_LIMIT, "no more mistakes in its tests are told than %s",
			limit_text(r->mem, NULL, LIMIT_TEST_PROBLEMS_MAX));
	r->is_full |= is_full;
	return is_full;
}

size_t trial_offset(const struct yaml_node *node, struct slice part)
{
	return part.p ? (size_t)(part.p - node->text.p) : 0;
}

bool trial_is_text(struct trial_reader *r, const char *subject, const struct yaml_node *node)
{
	if (node->kind != YAML_SCALAR)
		return TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'%s' must be a text, this is %s", subject,
			yaml_kind_name(node->kind));
	if (!slice_trim(node->text).n)
		return TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'%s' is empty", subject);
	return true;
}

bool trial_keys(struct trial_reader *r, const struct yaml_node *map, const char *const *names, size_t n)
{
	bool known = true;

	for (const struct yaml_node *child = map->first; child; child = child->next) {
		if (slice_is_among(child->key, names, n))
			continue;
		const char *const meant = nearest_name(child->key, names, n);
		known = TRIAL_COMPLAIN_KEY(r, child, DIAG_UNKNOWN_KEY, "unknown key '%.*s'%s", SLICE(slice_shown(child->key)),
			did_you_mean(r->mem, meant));
	}
	return known;
}

/* ------ a test ------ */

static const char *const keys[] = { "name", "given", "step", "start", "phases", "seed", "expect" };
#define N_KEYS (sizeof keys / sizeof *keys)

#define MIDNIGHT ((time_ms)1767225600000) /* 2026-01-01T00:00:00Z: any will do, as long as it is always the same */

static const struct yaml_node *required(struct trial_reader *r, const struct yaml_node *map, const char *key)
{
	const struct yaml_node *const node = yaml_get(map, key);

	if (!node && !yaml_is_misspelt(map, key, keys, N_KEYS))
		TRIAL_COMPLAIN_NODE(r, map, DIAG_MISSING_KEY, "the test has no '%s'", key);
	return node;
}

/* "2026-03-29 00:30 +05:30", also with seconds, also without a zone: then it is UTC. */
static bool start_parse(struct arena *mem, struct slice text, time_ms *utc, time_ms *offset)
{
	struct slice rest = text;
	const struct slice date = slice_word(&rest), clock = slice_word(&rest), zone = slice_trim(rest);
	const bool short_clock = clock.n == strlen("00:30");
	const char *const full = arena_print(mem, "%.*s %.*s%s %.*s", SLICE(date), SLICE(clock), short_clock ? ":00" : "", SLICE(zone));

	if (stamp_zone_parse(slice_of(full), utc, offset))
		return true;
	*offset = 0;
	return !zone.n && stamp_parse(slice_trim(slice_of(full)), utc);
}

static void read_start(struct trial_reader *r, const struct yaml_node *node)
{
	r->test->begin = MIDNIGHT;
	if (!node || !trial_is_text(r, "start", node))
		return;
	if (!start_parse(r->mem, node->text, &r->test->begin, &r->test->offset))
		TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'%.*s' is no time such as '2026-03-29 00:30 +05:30'",
			SLICE(slice_shown(node->text)));
}

static void read_seed(struct trial_reader *r, const struct yaml_node *node)
{
	int64_t seed = 1;

	if (node && trial_is_text(r, "seed", node) && !integer_parse(slice_trim(node->text), &seed))
		TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'%.*s' is no whole number", SLICE(slice_shown(node->text)));
	r->test->seed = (uint64_t)seed;
}

static void read_name(struct trial_reader *r, const struct yaml_node *node, size_t number)
{
	r->test->name = arena_print(r->mem, "test %zu", number);
	if (node && trial_is_text(r, "name", node)) {
		const struct slice text = slice_trim(node->text);
		r->test->name = arena_text(r->mem, text.p, text.n);
	}
}

static void read_test(struct trial_reader *r, const struct yaml_node *map, size_t number)
{
	r->n_samples = 0;
	r->has_too_many = false;
	r->test->place = map->place;
	if (map->kind != YAML_MAP) {
		TRIAL_COMPLAIN_NODE(r, map, DIAG_BAD_VALUE, "a test is a map with 'given' and 'expect'");
		return;
	}
	trial_keys(r, map, keys, N_KEYS);
	r->steps = yaml_get(map, "step");
	read_name(r, yaml_get(map, "name"), number);
	read_start(r, yaml_get(map, "start"));
	read_seed(r, yaml_get(map, "seed"));
	const struct yaml_node *const given = required(r, map, "given"), *const expect = required(r, map, "expect");
	r->given_good = given && trial_read_given(r, given);
	const struct yaml_node *const phases = yaml_get(map, "phases");
	if (phases)
		trial_read_phases(r, phases);
	if (expect)
		trial_read_expect(r, expect);
}

bool rule_tests_read(struct arena *mem, struct rule *rule, const struct yaml_node *node, struct diags *diags)
{
	struct trial_reader r = { .mem = mem, .rule = rule, .diags = diags };

	if (node->kind != YAML_LIST)
		return TRIAL_COMPLAIN_NODE(&r, node, DIAG_BAD_VALUE, "'tests' must be a list of tests");
	struct rule_test *const tests = NEW_ARRAY(mem, struct rule_test, yaml_n_children(node));
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		r.test = &tests[rule->n_tests++];
		read_test(&r, item, rule->n_tests);
	}
	rule->tests = tests;
	return r.n_problems == 0;
}
