/*
 * trial_given.c - `given` of a test: who is there, and which series each has.
 *
 *     gpu.util: {0-2: 100 x 5 min, 3: "20..80 x 1 min, 80 x 4 min"}
 *     core.busy: {0: 99 x 5 min, 1-7: 5~5 x 5 min}
 *     gpu.power_limit: 700 x 5 min            of all GPUs that stand anywhere in the test; else of GPU 0
 *
 * First all maps are searched for entities, then each series is read once (trial_series.c) and given to all that it is
 * meant for.
 */
#include "rule/trial_parts.h"

#include <math.h>

/* ------ entities ------ */

static const struct entity *entity_known(const struct rule_test *test, const struct entity *e)
{
	for (size_t i = 0; i < test->n_entities; i++)
		if (test->entities[i]->scope == e->scope && entity_compare(test->entities[i], e) == 0)
			return test->entities[i];
	return NULL;
}

static bool enter_entity(struct trial_reader *r, enum scope scope, struct slice host, int index)
{
	struct rule_test *const test = r->test;
	const struct entity e = { .scope = scope, .host = arena_text(r->mem, host.p, host.n), .index = index };

	if (entity_known(test, &e))
		return true;
	if (test->n_entities == TEST_MEMBERS_MAX)
		return false;
	test->entities = arena_array_next(r->mem, test->entities, test->n_entities, sizeof *test->entities);
	struct entity *const kept = NEW(r->mem, struct entity);
	*kept = e;
	test->entities[test->n_entities++] = kept;
	return true;
}

/* The key at which there was no room for one more. */
static bool complain_of_too_many(struct trial_reader *r, const struct yaml_node *child)
{
	if (!r->has_too_many)
		TRIAL_COMPLAIN_KEY(r, child, DIAG_LIMIT, "more GPUs, cores and hosts in a test than %s",
			limit_text(r->mem, NULL, LIMIT_TEST_MEMBERS_MAX));
	r->has_too_many = true;
	return false;
}

/* "3", "0-2"; -1 for what is none. */
static bool range_parse(struct slice text, int *first, int *last)
{
	const char *const dash = memchr(text.p, '-', text.n);
	const struct slice left = { text.p, dash ? (size_t)(dash - text.p) : text.n };
	const struct slice right = dash ? (struct slice){ dash + 1, text.n - left.n - 1 } : left;
	int64_t a, b;

	if (!integer_parse(slice_trim(left), &a) || !integer_parse(slice_trim(right), &b) || a < 0 || b < a || b > TEST_NUMBER_MAX)
		return false;
	*first = (int)a;
	*last = (int)b;
	return true;
}

struct slice trial_take_host(struct slice *text)
{
	const char *const slash = memchr(text->p, '/', text->n);
	const struct slice host = { text->p, slash ? (size_t)(slash - text->p) : 0 };

	if (!slash)
		return slice_of(TRIAL_HOST);
	*text = (struct slice){ slash + 1, text->n - host.n - 1 };
	return slice_trim(host);
}

bool trial_each_number(struct slice text, bool (*take)(void *context, int number), void *context)
{
	while (text.n) {
		const char *const comma = memchr(text.p, ',', text.n);
		const struct slice part = { text.p, comma ? (size_t)(comma - text.p) : text.n };
		int first, last;
		if (!range_parse(slice_trim(part), &first, &last))
			return false;
		for (int i = first; i <= last; i++)
			if (!take(context, i))
				return false;
		text = comma ? (struct slice){ comma + 1, text.n - part.n - 1 } : (struct slice){ text.p + text.n, 0 };
	}
	return true;
}

struct entering {
	struct trial_reader *r;
	enum scope scope;
	struct slice host;
};

static bool enter_number(void *context, int number)
{
	const struct entering *const e = context;

	return enter_entity(e->r, e->scope, e->host, number);
}

/* A series inside of { } ends at a comma for YAML, which then sees a key. */
static bool looks_like_piece(struct slice key)
{
	return slice_has(key, " x ");
}

static bool enter_key(struct trial_reader *r, const struct yaml_node *child, enum scope scope)
{
	struct slice rest = slice_trim(child->key);

	if (looks_like_piece(child->key))
		return TRIAL_COMPLAIN_KEY(r, child, DIAG_BAD_VALUE, "inside of { } a comma ends the series; put the series in quotes");
	if (scope == SCOPE_HOST) {
		if (rest.n && !slice_has(rest, "/"))
			return enter_entity(r, scope, rest, 0) || complain_of_too_many(r, child);
		return TRIAL_COMPLAIN_KEY(r, child, DIAG_BAD_VALUE, "'%.*s' is no host; write its name, such as %s",
			SLICE(slice_shown(rest)), TRIAL_HOST);
	}
	struct entering e = { r, scope, trial_take_host(&rest) };
	if (rest.n && e.host.n && trial_each_number(rest, enter_number, &e))
		return true;
	if (r->test->n_entities == TEST_MEMBERS_MAX)
		return complain_of_too_many(r, child);
	return TRIAL_COMPLAIN_KEY(r, child, DIAG_BAD_VALUE, "'%.*s' is no %s; write its number, such as 3, 0-2 or node02/3, up to %d",
		SLICE(slice_shown(child->key)), scope == SCOPE_GPU ? "GPU" : "core",
		TEST_NUMBER_MAX);
}

static bool metric_of_key(struct trial_reader *r, const struct yaml_node *child, enum metric *metric)
{
	if (metric_find(child->key, metric))
		return true;
	const char *const meant = metric_nearest(child->key);
	return TRIAL_COMPLAIN_KEY(r, child, DIAG_UNKNOWN_NAME, "unknown metric '%.*s'%s", SLICE(slice_shown(child->key)),
		did_you_mean(r->mem, meant));
}

static bool has_scope(const struct rule_test *test, enum scope scope)
{
	for (size_t i = 0; i < test->n_entities; i++)
		if (test->entities[i]->scope == scope)
			return true;
	return false;
}

/* Those that maps name; then, of each scope that has a series and no map, the first. */
static void enter_all(struct trial_reader *r, const struct yaml_node *given)
{
	enum metric metric;

	for (const struct yaml_node *child = given->first; child; child = child->next) {
		if (!metric_of_key(r, child, &metric) || child->kind != YAML_MAP)
			continue;
		if (metric_table[metric].scope == SCOPE_RUN) {
			TRIAL_COMPLAIN_NODE(r, child, DIAG_BAD_VALUE, "%s is of the run; it has one series", metric_table[metric].name);
			continue;
		}
		for (const struct yaml_node *key = child->first; key; key = key->next)
			enter_key(r, key, metric_table[metric].scope);
	}
	for (const struct yaml_node *child = given->first; child; child = child->next)
		if (child->kind == YAML_SCALAR && metric_find(child->key, &metric) && !has_scope(r->test, metric_table[metric].scope) &&
			!enter_entity(r, metric_table[metric].scope,
				metric_table[metric].scope == SCOPE_RUN ? slice_of("") : slice_of(TRIAL_HOST), 0))
			complain_of_too_many(r, child);
}

/* Hosts of GPUs and cores are there as well: what is said of all hosts is said of them. */
static void enter_hosts(struct trial_reader *r, const struct yaml_node *given)
{
	const size_t n = r->test->n_entities;

	for (size_t i = 0; i < n; i++)
		if (r->test->entities[i]->scope != SCOPE_RUN && !enter_entity(r, SCOPE_HOST, slice_of(r->test->entities[i]->host), 0))
			complain_of_too_many(r, given);
}

/* ------ series to entities ------ */

static bool read_step(struct trial_reader *r, const struct yaml_node *node, time_ms *out)
{
	double seconds;

	if (!trial_is_text(r, "step", node))
		return false;
	if (!duration_parse(node->text, &seconds) || !(seconds * 1000 >= 1))
		return TRIAL_COMPLAIN_NODE(r, node, DIAG_BAD_VALUE, "'%.*s' is no duration above 0, such as '5 s'",
			SLICE(slice_shown(node->text)));
	if (seconds > DURATION_MAX_S)
		return TRIAL_COMPLAIN_NODE(
			r, node, DIAG_LIMIT, "a step of more than %s", limit_text(r->mem, NULL, LIMIT_DURATION_MAX_DAYS));
	*out = (time_ms)llround(seconds * (double)SECOND_MS);
	return true;
}

static time_ms step_of(const struct trial_reader *r, enum metric metric)
{
	double seconds = 1;
	enum metric other;

	if (r->steps && r->steps->kind == YAML_SCALAR)
		duration_parse(r->steps->text, &seconds);
	for (const struct yaml_node *child = r->steps ? r->steps->first : NULL; child; child = child->next)
		if (metric_find(child->key, &other) && other == metric && child->kind == YAML_SCALAR)
			duration_parse(child->text, &seconds);
	return seconds * 1000 >= 1 && seconds <= DURATION_MAX_S ? (time_ms)llround(seconds * (double)SECOND_MS) : SECOND_MS;
}

static void check_steps(struct trial_reader *r)
{
	enum metric metric;
	time_ms ignored;

	if (!r->steps)
		return;
	if (r->steps->kind != YAML_MAP) {
		read_step(r, r->steps, &ignored);
		return;
	}
	for (const struct yaml_node *child = r->steps->first; child; child = child->next)
		if (metric_of_key(r, child, &metric))
			read_step(r, child, &ignored);
}

static bool is_given(const struct rule_test *test, enum metric metric, const struct entity *e)
{
	for (size_t i = 0; i < test->n_series; i++)
		if (test->series[i].metric == metric && test->series[i].entity == e)
			return true;
	return false;
}

/* Is any sample made? Somebody without a row would not be there, and all that is expected of him would hold. */
static bool has_rows(const struct trial_series *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct trial_piece *const p = &s->pieces[i];
		if (p->kind != PIECE_HOLE && (p->begin + s->step - 1) / s->step * s->step < p->end)
			return true;
	}
	return false;
}

static bool add_series(struct trial_reader *r, const struct yaml_node *node, const struct trial_series *series, const struct entity *e)
{
	struct rule_test *const test = r->test;
	const time_ms length = series->n ? series->pieces[series->n - 1].end : 0;

	if (is_given(test, series->metric, e))
		return TRIAL_COMPLAIN_KEY(r, node, DIAG_DUPLICATE, "%s of %s is given twice", metric_table[series->metric].name,
			entity_label(r->mem, e));
	test->series = arena_array_next(r->mem, test->series, test->n_series, sizeof *test->series);
	struct trial_series *const kept = &test->series[test->n_series++];
	*kept = *series;
	kept->entity = e;
	kept->step = step_of(r, series->metric);
	if (!has_rows(kept))
		return TRIAL_COMPLAIN_KEY(r, node, DIAG_BAD_VALUE, "the series is nothing but a hole; without a log leave it out");
	test->length = length > test->length ? length : test->length;
	if (length / kept->step >= TEST_SAMPLES_MAX - (time_ms)r->n_samples) {
		r->n_samples = 0; /* told once */
		return TRIAL_COMPLAIN_KEY(r, node, DIAG_LIMIT, "more samples in a test than %s; take a coarser step",
			limit_text(r->mem, NULL, LIMIT_TEST_SAMPLES_MAX));
	}
	r->n_samples += (size_t)(length / kept->step) + 1;
	return true;
}

struct adding {
	struct trial_reader *r;
	const struct yaml_node *node;
	const struct trial_series *series;
	enum scope scope;
	struct slice host;
};

static bool add_number(void *context, int number)
{
	const struct adding *const a = context;
	const struct entity e = { .scope = a->scope, .host = arena_text(a->r->mem, a->host.p, a->host.n), .index = number };

	return add_series(a->r, a->node, a->series, entity_known(a->r->test, &e));
}

static void add_by_key(struct trial_reader *r, const struct yaml_node *child, const struct trial_series *series)
{
	struct slice rest = slice_trim(child->key);
	struct adding a = { r, child, series, metric_table[series->metric].scope, rest };

	if (a.scope == SCOPE_HOST) {
		add_number(&a, 0);
		return;
	}
	a.host = trial_take_host(&rest);
	trial_each_number(rest, add_number, &a);
}

static void add_to_all(struct trial_reader *r, const struct yaml_node *child, const struct trial_series *series)
{
	for (size_t i = 0; i < r->test->n_entities; i++)
		if (r->test->entities[i]->scope == metric_table[series->metric].scope)
			add_series(r, child, series, r->test->entities[i]);
}

/* `who_known`: else the series are only read, for their own mistakes. */
static void add_metric(struct trial_reader *r, const struct yaml_node *child, enum metric metric, bool who_known)
{
	struct trial_series series;

	if (child->kind == YAML_MAP) {
		for (const struct yaml_node *key = child->first; key; key = key->next)
			if (!looks_like_piece(key->key) && trial_read_series(r, key, metric, &series) && who_known)
				add_by_key(r, key, &series);
		return;
	}
	if (trial_read_series(r, child, metric, &series) && who_known)
		add_to_all(r, child, &series);
}

bool trial_read_given(struct trial_reader *r, const struct yaml_node *given)
{
	const size_t n_before = r->n_problems;
	enum metric metric;

	if (given->kind != YAML_MAP)
		return TRIAL_COMPLAIN_NODE(r, given, DIAG_BAD_VALUE, "'given' must be a map of metrics and series");
	check_steps(r);
	enter_all(r, given);
	enter_hosts(r, given);
	const bool who_known = r->n_problems == n_before;
	for (const struct yaml_node *child = given->first; child; child = child->next)
		if (metric_find(child->key, &metric))
			add_metric(r, child, metric, who_known);
	if (r->n_problems == n_before && r->test->length == 0)
		TRIAL_COMPLAIN_NODE(r, given, DIAG_BAD_VALUE, "'given' has no series");
	return r->n_problems == n_before;
}
