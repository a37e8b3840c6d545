/*
 * trial_expect.c - `expect` of a test: what a verdict must say.
 *
 *     expect: clear
 *     expect: {windows: [60 s to 180 s], evidence: {gpu_busy: 10 %}, cost: 89 %}
 *     expect:
 *       - {on: gpu 3, outcome: unknown, reason: "known for 70 %"}
 *       - {on: gpus 0-2, outcome: clear}
 *
 * Everything is exact: a number is compared as it is written, rounded to the digits and in the unit that the author chose, so that
 * a value may be copied from a report; a window is a pair of moments, to the millisecond.
 */
#include "rule/trial_parts.h"

#include <math.h>

static const char *const keys[] = { "on", "outcome", "windows", "evidence", "cost", "cost_least", "coverage", "margin", "reason",
	"excluded_by" };
#define N_KEYS (sizeof keys / sizeof *keys)

/* ------ times ------ */

/* Digits behind the point. */
static int decimals_of(struct slice text)
{
	const char *const point = memchr(text.p, '.', text.n);
	int n = 0;

	for (const char *p = point ? point + 1 : text.p + text.n; p < text.p + text.n && is_digit(*p); p++)
		n++;
	return n > 6 ? 6 : n;
}

bool trial_time_parse(struct slice text, double *value, enum unit *unit, int *decimals)
{
	struct slice rest = slice_trim(text), word = slice_word(&rest);
	double seconds = 0;

	if (!word.n)
		return false;
	do {
		struct slice symbol;
		fixed number;
		if (!fixed_parse(word, &number, &symbol) || number < 0)
			return false;
		*decimals = decimals_of(word);
		if (!symbol.n)
			symbol = slice_word(&rest);
		if (!unit_find(symbol, unit) || unit_table[*unit].dimension != DIM_TIME)
			return false;
		seconds += fixed_value(number) * unit_table[*unit].factor;
	} while ((word = slice_word(&rest)).n);
	*value = seconds / unit_table[*unit].factor;
	return true;
}

#define MOMENT_MAX_S (1e6 * 86400)

bool trial_ms_parse(struct slice text, time_ms *out)
{
	double value;
	enum unit unit;
	int ignored;

	if (!trial_time_parse(text, &value, &unit, &ignored))
		return false;
	const double seconds = value * unit_table[unit].factor;
	if (!(seconds <= MOMENT_MAX_S))
		return false;
	*out = (time_ms)llround(seconds * (double)SECOND_MS);
	return true;
}

const char *trial_moment_text(struct arena *mem, time_ms t)
{
	const long long h = t / HOUR_MS, min = t % HOUR_MS / MINUTE_MS, s = t % MINUTE_MS / SECOND_MS, ms = t % SECOND_MS;

	if (ms)
		return arena_print(mem, "%lld.%03lld s", (long long)(t / SECOND_MS), ms);
	if (t < 2 * MINUTE_MS)
		return arena_print(mem, "%lld s", (long long)(t / SECOND_MS));
	if (!h)
		return s ? arena_print(mem, "%lld min %02lld s", min, s) : arena_print(mem, "%lld min", min);
	if (s)
		return arena_print(mem, "%lld h %02lld min %02lld s", h, min, s);
	return min ? arena_print(mem, "%lld h %02lld min", h, min) : arena_print(mem, "%lld h", h);
}

/* "00:31:00", "00:31": the first such time of day at or after `after`, in the zone of the test's start. */
static bool time_of_day(struct arena *mem, const struct rule_test *test, struct slice text, time_ms after, time_ms *out)
{
	const time_ms from = test->begin + test->offset + after;
	time_ms since;

	if (!slice_has(text, ":"))
		return false;
	if (!clock_parse(text, 0, &since) && !clock_parse(slice_of(arena_print(mem, "%.*s:00", SLICE(text))), 0, &since))
		return false;
	time_ms t = from - from % DAY_MS + since;
	if (t < from)
		t += DAY_MS;
	*out = t - test->begin - test->offset;
	return true;
}

static bool read_moment(struct trial_reader *r, const struct yaml_node *node, struct slice text, time_ms after, time_ms *out)
{
	if (slice_is(text, "end")) {
		*out = r->given_good ? r->test->length : (time_ms)(MOMENT_MAX_S * (double)SECOND_MS);
		return true;
	}
	if (!trial_ms_parse(text, out) && !time_of_day(r->mem, r->test, text, after, out))
		return TRIAL_COMPLAIN_PART(r, node, text, DIAG_BAD_VALUE,
			"'%.*s' is no time; write '60 s', a time of day such as '00:01:00', or 'end'",
			SLICE(slice_shown(text)));
	if (*out <= r->test->length || !r->given_good)
		return true;
	return TRIAL_COMPLAIN_PART(r, node, text, DIAG_BAD_VALUE, "'%.*s' is after the end of the test, which is %s long",
		SLICE(slice_shown(text)),
		trial_moment_text(r->mem, r->test->length));
}

static bool read_window(struct trial_reader *r, const struct yaml_node *node, struct span *out)
{
	const struct slice text = node->text;
	size_t at = 0;

	if (!trial_is_text(r, "windows", node))
		return false;
	while (at + 4 <= text.n && memcmp(text.p + at, " to ", 4) != 0)
		at++;
	if (at + 4 > text.n)
		return TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'%.*s' is no window such as '60 s to 180 s'",
			SLICE(slice_shown(text)));
	const struct slice from = slice_trim((struct slice){ text.p, at }), to = slice_trim((struct slice){ text.p + at + 4,
		text.n - at - 4 });
	if (!read_moment(r, node, from, 0, &out->begin) || !read_moment(r, node, to, out->begin, &out->end))
		return false;
	if (out->begin < out->end)
		return true;
	return TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'%.*s' ends before it begins", SLICE(slice_shown(text)));
}

static void read_windows(struct trial_reader *r, const struct yaml_node *node, struct expectation *out)
{
	struct span *const spans = NEW_ARRAY(r->mem, struct span, yaml_n_items(node));
	size_t n = 0;

	out->has_windows = true;
	for (const struct yaml_node *item = yaml_first_item(node); item; item = yaml_next_item(node, item)) {
		if (!read_window(r, item, &spans[n]))
			continue;
		if (n && spans[n].begin <= spans[n - 1].end)
			TRIAL_COMPLAIN_NODE(r, item, DIAG_BAD_VALUE, "windows are in order and don't touch");
		n++;
	}
	out->windows = (struct spans){ spans, n };
}

/* ------ numbers ------ */

static void read_number(struct trial_reader *r, const char *subject, const struct yaml_node *node, bool (*fits)(enum dimension,
	enum dimension),
	enum dimension wanted, struct expected_number *out)
{
	struct quantity q;

	if (!trial_is_text(r, subject, node))
		return;
	const struct slice text = slice_trim(node->text);
	*out = (struct expected_number){ .text = arena_text(r->mem, text.p, text.n), .value = NAN };
	if (slice_is(text, "unknown"))
		return;
	if (!trial_time_parse(text, &out->value, &out->unit, &out->decimals)) {
		if (!quantity_compile(node, r->rule->source, &q, r->diags)) {
			r->n_problems++;
			return;
		}
		*out = (struct expected_number){ out->text, q.value, q.unit, decimals_of(text) };
	}
	const enum dimension given = unit_table[out->unit].dimension;
	if (!fits(given, wanted))
		TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_DIMENSION, "'%.*s' is %s, '%s' is %s", SLICE(slice_shown(text)),
			dimension_name(given), subject,
			dimension_name(wanted));
}

static bool is_same_dimension(enum dimension given, enum dimension wanted)
{
	return given == wanted;
}

/* "89 %" or "0.89" */
static bool is_share(enum dimension given, enum dimension wanted)
{
	return given == DIM_NONE || given == wanted;
}

static const struct yaml_node *number_key(const struct yaml_node *map, const char *key)
{
	return map->kind == YAML_MAP ? yaml_get(map, key) : NULL;
}

static void read_share(struct trial_reader *r, const struct yaml_node *map, const char *key, struct expected_number *out)
{
	const struct yaml_node *const node = number_key(map, key);

	if (node)
		read_number(r, key, node, is_share, DIM_SHARE, out);
}

static void read_cost(struct trial_reader *r, const struct yaml_node *map, const char *key, struct expected_number *out)
{
	read_share(r, map, key, out);
	if (out->text && !yaml_get(r->rule->root, key)) /* one that is wrong has been told */
		TRIAL_COMPLAIN_KEY(r, yaml_get(map, key), DIAG_BAD_VALUE, "the rule has no '%s'", key);
}

static size_t evidence_index(const struct rule *rule, struct slice name)
{
	size_t i = 0;

	while (i < rule->n_evidence && !slice_is(name, rule->evidence[i].name))
		i++;
	return i;
}

static void complain_evidence(struct trial_reader *r, const struct yaml_node *child)
{
	const char **const names = NEW_ARRAY(r->mem, const char *, r->rule->n_evidence);

	for (size_t i = 0; i < r->rule->n_evidence; i++)
		names[i] = r->rule->evidence[i].name;
	const char *const meant = nearest_name(child->key, names, r->rule->n_evidence);
	TRIAL_COMPLAIN_KEY(r, child, DIAG_UNKNOWN_NAME, "the rule has no evidence '%.*s'%s", SLICE(slice_shown(child->key)),
		did_you_mean(r->mem, meant));
}

static void read_evidence(struct trial_reader *r, const struct yaml_node *node, struct expectation *out)
{
	if (node->kind != YAML_MAP) {
		TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'evidence' must be a map such as {gpu_busy: 10 %%}");
		return;
	}
	out->evidence = NEW_ARRAY(r->mem, struct expected_number, r->rule->n_evidence);
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		const size_t i = evidence_index(r->rule, child->key);
		if (i == r->rule->n_evidence) {
			complain_evidence(r, child);
			continue;
		}
		const struct expression *const e = r->rule->evidence[i].expression;
		if (e) /* else it is wrong, and that is told */
			read_number(r, r->rule->evidence[i].name, child, is_same_dimension, e->dimension, &out->evidence[i]);
	}
}

/* ------ entities ------ */

struct choosing {
	struct trial_reader *r;
	struct expectation *out;
	enum scope scope;
	const char *host;
	size_t n_found, n_missing;
	int missing; /* the first */
};

/* Each once, so that there is room. */
static void put_on(struct expectation *out, const struct entity *e)
{
	for (size_t i = 0; i < out->n_on; i++)
		if (out->on[i] == e)
			return;
	out->on[out->n_on++] = e;
}

static bool choose(void *context, int number)
{
	struct choosing *const c = context;
	const struct rule_test *const test = c->r->test;

	for (size_t i = 0; i < test->n_entities; i++) {
		const struct entity *const e = test->entities[i];
		if (e->scope != c->scope || strcmp(e->host, c->host) != 0 || e->index != number)
			continue;
		c->n_found++;
		put_on(c->out, e);
		return true;
	}
	if (!c->n_missing++)
		c->missing = number;
	return true;
}

/* Words that people put before numbers; they must fit the rule. */
static bool take_noun(struct slice *text, enum scope *scope)
{
	static const struct { const char *word; enum scope scope; } nouns[] = {
		{ "gpus ", SCOPE_GPU }, { "gpu ", SCOPE_GPU }, { "cores ", SCOPE_CORE }, { "core ", SCOPE_CORE },
		{ "hosts ", SCOPE_HOST }, { "host ", SCOPE_HOST },
	};

	for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++) {
		const size_t n = strlen(nouns[i].word);
		if (text->n <= n || !slice_is_nocase((struct slice){ text->p, n }, nouns[i].word))
			continue;
		*text = slice_trim((struct slice){ text->p + n, text->n - n });
		*scope = nouns[i].scope;
		return true;
	}
	return false;
}

static const char *scope_in_words(enum scope scope)
{
	return scope == SCOPE_GPU ? "GPUs" : scope == SCOPE_CORE ? "cores" : scope == SCOPE_HOST ? "the host" : "the run";
}

static bool complain_on(struct trial_reader *r, const struct yaml_node *item)
{
	return TRIAL_COMPLAIN_NODE(r, item, DIAG_BAD_VALUE,
		"'%.*s' names nobody; write 'gpu 3', 'gpus 0-2', 'node02/1', 'core 4' or 'the host'",
		SLICE(slice_shown(item->text)));
}

static bool choose_hosts(struct choosing *c, const struct yaml_node *item, struct slice name)
{
	const bool all = slice_is(name, "the host") || slice_is(name, "all hosts");

	for (size_t i = 0; i < c->r->test->n_entities; i++) {
		const struct entity *const e = c->r->test->entities[i];
		if (e->scope == SCOPE_HOST && (all || slice_is(name, e->host))) {
			c->n_found++;
			put_on(c->out, e);
		}
	}
	if (c->n_found || !c->r->given_good)
		return true;
	return TRIAL_COMPLAIN_NODE(c->r, item, DIAG_BAD_VALUE, "no host '%.*s' in 'given'", SLICE(slice_shown(name)));
}

static bool read_on(struct trial_reader *r, const struct yaml_node *item, struct expectation *out)
{
	struct choosing c = { .r = r, .out = out, .scope = r->rule->scope };
	struct slice text = slice_trim(item->text);
	enum scope scope = r->rule->scope;

	if (!trial_is_text(r, "on", item))
		return false;
	if (slice_is(text, "the run"))
		scope = SCOPE_RUN;
	else if (slice_is(text, "the host"))
		scope = SCOPE_HOST;
	else
		take_noun(&text, &scope);
	if (scope != r->rule->scope)
		return TRIAL_COMPLAIN_NODE(r, item, DIAG_BAD_VALUE, "the rule is about %s", scope_in_words(r->rule->scope));
	if (scope == SCOPE_RUN)
		return slice_is(text, "the run") ? true : complain_on(r, item);
	if (scope == SCOPE_HOST)
		return choose_hosts(&c, item, text);
	const struct slice host = trial_take_host(&text);
	c.host = arena_text(r->mem, host.p, host.n);
	if (!text.n || !trial_each_number(text, choose, &c))
		return complain_on(r, item);
	if (c.n_missing && r->given_good)
		return TRIAL_COMPLAIN_NODE(r, item, DIAG_BAD_VALUE, "no %s %d%s%s in 'given'", scope == SCOPE_GPU ? "GPU" : "core",
			c.missing,
			strcmp(c.host, TRIAL_HOST) == 0 ? "" : " of ", strcmp(c.host, TRIAL_HOST) == 0 ? "" : c.host);
	return true;
}

static void read_all_on(struct trial_reader *r, const struct yaml_node *node, struct expectation *out)
{
	out->on = NEW_ARRAY(r->mem, const struct entity *, r->test->n_entities);
	for (const struct yaml_node *item = yaml_first_item(node); item; item = yaml_next_item(node, item))
		read_on(r, item, out);
}

/* ------ one expectation ------ */

static bool read_outcome(struct trial_reader *r, const struct yaml_node *node, enum outcome *out)
{
	const char *names[OUTCOME_SKIPPED + 1];

	if (!trial_is_text(r, "outcome", node))
		return false;
	for (int i = 0; i <= OUTCOME_SKIPPED; i++) {
		names[i] = outcome_name((enum outcome)i);
		*out = (enum outcome)i;
		if (slice_is(node->text, names[i]))
			return true;
	}
	const char *const meant = nearest_name(node->text, names, OUTCOME_SKIPPED + 1);
	if (meant)
		return TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'%.*s' is no outcome; did you mean '%s'?",
			SLICE(slice_shown(node->text)), meant);
	return TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'%.*s' is no outcome; there are fired, clear, unknown and skipped",
		SLICE(slice_shown(node->text)));
}

static const char *read_text(struct trial_reader *r, const struct yaml_node *map, const char *key)
{
	const struct yaml_node *const node = yaml_get(map, key);

	return node && trial_is_text(r, key, node) ? arena_text(r->mem, node->text.p, node->text.n) : NULL;
}

/* Only what fired has windows, evidence and cost. */
static void check_outcome(struct trial_reader *r, const struct yaml_node *map, struct expectation *out)
{
	static const char *const of_fired[] = { "windows", "evidence", "cost", "cost_least" };
	const struct yaml_node *const outcome = yaml_get(map, "outcome");
	bool fires = false;

	for (size_t i = 0; i < sizeof of_fired / sizeof *of_fired; i++) {
		const struct yaml_node *const node = yaml_get(map, of_fired[i]);
		fires |= node != NULL;
		if (node && outcome && out->outcome != OUTCOME_FIRED)
			TRIAL_COMPLAIN_KEY(r, node, DIAG_BAD_VALUE, "only a rule that fired has '%s'", of_fired[i]);
	}
	if (!outcome && !fires)
		TRIAL_COMPLAIN_NODE(r, map, DIAG_MISSING_KEY, "the expectation has no 'outcome'");
}

static void read_expectation(struct trial_reader *r, const struct yaml_node *map, struct expectation *out)
{
	if (map->kind == YAML_SCALAR) {
		read_outcome(r, map, &out->outcome);
		return;
	}
	if (map->kind != YAML_MAP) {
		TRIAL_COMPLAIN_NODE(r, map, DIAG_BAD_VALUE,
			"an expectation is an outcome or a map such as {outcome: fired, windows: [60 s to 180 s]}");
		return;
	}
	trial_keys(r, map, keys, N_KEYS);
	const struct yaml_node *const on = yaml_get(map, "on"), *const outcome = yaml_get(map, "outcome");
	const struct yaml_node *const windows = yaml_get(map, "windows"), *const evidence = yaml_get(map, "evidence");
	if (on)
		read_all_on(r, on, out);
	if (!outcome || read_outcome(r, outcome, &out->outcome))
		check_outcome(r, map, out);
	if (windows)
		read_windows(r, windows, out);
	if (evidence)
		read_evidence(r, evidence, out);
	read_cost(r, map, "cost", &out->cost);
	read_cost(r, map, "cost_least", &out->cost_least);
	read_share(r, map, "coverage", &out->coverage);
	read_share(r, map, "margin", &out->margin);
	out->reason = read_text(r, map, "reason");
	out->excluded_by = read_text(r, map, "excluded_by");
}

/* Without anybody to judge every expectation would hold. */
static bool has_anybody(const struct trial_reader *r)
{
	const enum scope scope = r->rule->scope;
	bool any = scope == SCOPE_RUN || scope == SCOPE_HOST || !r->given_good; /* each run has a host */

	for (size_t i = 0; i < r->test->n_entities; i++)
		any |= r->test->entities[i]->scope == scope;
	return any;
}

bool trial_read_expect(struct trial_reader *r, const struct yaml_node *node)
{
	const size_t n_before = r->n_problems;

	r->test->expect = NEW_ARRAY(r->mem, struct expectation, yaml_n_items(node));
	if (!has_anybody(r))
		TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "the rule is about %s, and 'given' has none", scope_in_words(r->rule->scope));
	for (const struct yaml_node *item = yaml_first_item(node); item; item = yaml_next_item(node, item))
		read_expectation(r, item, &r->test->expect[r->test->n_expect++]);
	if (!r->test->n_expect)
		TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'expect' is empty");
	return r->n_problems == n_before;
}
