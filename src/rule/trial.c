/*
 * trial.c - runs the tests that stand in rule files: a run is made, judged, and compared with what is expected.
 *
 * A rule is judged alone, with those that can take its firing time (excluded_by): what other rules find changes no verdict, and
 * ref() compares with the time outside of the rule's own findings.
 *
 * Samples are made by whole numbers and by divisions that every machine rounds alike, noise by a hash of seed, series and
 * sample: a test says the same everywhere.
 */
#include "rule/trial_parts.h"

#include <math.h>
#include <stdlib.h>

/* ------ the run ------ */

/* splitmix64 (Steele, Lea, Flood 2014): each bit of the result depends on each bit of what goes in. */
static uint64_t mixed(uint64_t x)
{
	x += 0x9E3779B97F4A7C15U;
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
	return x ^ (x >> 31);
}

static uint64_t seed_of(const struct rule_test *test, const struct trial_series *s)
{
	uint64_t hash = mixed(test->seed);

	for (const char *p = metric_table[s->metric].name; *p; p++) /* by name: rows of the catalogue may move */
		hash = mixed(hash ^ (unsigned char)*p);
	for (const char *p = s->entity->host; *p; p++)
		hash = mixed(hash ^ (unsigned char)*p);
	return mixed(hash ^ (uint64_t)(int64_t)s->entity->index);
}

static fixed noise(uint64_t seed, time_ms t, fixed width)
{
	const uint64_t values = 2 * (uint64_t)width + 1;

	return (fixed)(mixed(seed ^ mixed((uint64_t)t)) % values) - width;
}

/* The second value is reached where the piece ends: the next one may begin with it. */
static fixed ramp(const struct trial_piece *p, time_ms t)
{
	const double done = (double)(t - p->begin), whole = (double)(p->end - p->begin);

	return p->from + (fixed)llround((double)(p->to - p->from) * done / whole);
}

static fixed value_at(const struct trial_piece *p, time_ms t, uint64_t seed)
{
	switch (p->kind) {
	case PIECE_RAMP:
		return ramp(p, t);
	case PIECE_NOISE:
		return p->from + noise(seed, t, p->to);
	case PIECE_VALUE:
		return p->from;
	case PIECE_MISSING:
	case PIECE_HOLE:
		break;
	}
	return FIXED_MISSING;
}

static struct track *track_of(struct arena *mem, const struct rule_test *test, const struct trial_series *s)
{
	struct track *const track = NEW(mem, struct track);
	const time_ms length = s->n ? s->pieces[s->n - 1].end : 0;
	const size_t most = (size_t)((length + s->step - 1) / s->step);
	time_ms *const times = NEW_ARRAY(mem, time_ms, most);
	fixed *const values = NEW_ARRAY(mem, fixed, most);
	const uint64_t seed = seed_of(test, s);
	size_t piece = 0, n = 0;

	for (time_ms t = 0; t < length; t += s->step) {
		while (t >= s->pieces[piece].end)
			piece++;
		if (s->pieces[piece].kind == PIECE_HOLE)
			continue;
		times[n] = test->begin + t;
		values[n++] = value_at(&s->pieces[piece], t, seed);
	}
	*track = (struct track){ .metric = s->metric, .entity = s->entity, .times = times, .values = values, .n = n, .step = s->step,
		.decimals = 6 };
	return track;
}

static enum phase phase_of(unsigned during)
{
	int p = 0;

	if (during & 1U << PHASE_STEADY)
		return PHASE_STEADY;
	while (p < N_PHASES - 1 && !(during & 1U << p))
		p++;
	return (enum phase)p;
}

static size_t phases_of(struct arena *mem, const struct rule_test *test, const struct rule *rule, struct phase_span **out)
{
	const size_t n = test->n_phases ? test->n_phases : 1;
	struct phase_span *const phases = NEW_ARRAY(mem, struct phase_span, n);

	phases[0] = (struct phase_span){ phase_of(rule->during), { 0, test->length } };
	for (size_t i = 0; i < test->n_phases; i++)
		phases[i] = test->phases[i];
	for (size_t i = 0; i < n; i++) {
		phases[i].span.begin += test->begin;
		phases[i].span.end += test->begin;
	}
	*out = phases;
	return test->find_phases ? 0 : n;
}

struct run *trial_run(struct arena *mem, const struct rule_test *test, const struct rule *rule)
{
	struct track **const tracks = NEW_ARRAY(mem, struct track *, test->n_series);
	struct diags *const diags = NEW(mem, struct diags);
	struct phase_span *phases;
	size_t n_tracks = 0;

	diags_init(diags, mem);
	for (size_t i = 0; i < test->n_series; i++) {
		struct track *const t = track_of(mem, test, &test->series[i]);
		if (t->n) /* nothing but a hole is no log */
			tracks[n_tracks++] = t;
	}
	const size_t n_phases = phases_of(mem, test, rule, &phases);
	struct run *const run = run_from_tracks(mem, diags, test->name, tracks, n_tracks, phases, n_phases);
	derive_metrics(run);
	return run;
}

/* ------ the rules ------ */

static int by_id(const void *a, const void *b)
{
	return strcmp((*(const struct rule *const *)a)->id, (*(const struct rule *const *)b)->id);
}

static bool is_in(const struct rules *rules, const struct rule *rule)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->at[i] == rule)
			return true;
	return false;
}

static const struct rule *rule_find(const struct rules *rules, const char *id)
{
	for (size_t i = 0; i < rules->n; i++)
		if (strcmp(rules->at[i]->id, id) == 0)
			return rules->at[i];
	return NULL;
}

struct rules trial_rules(struct arena *mem, const struct rules *all, const struct rule *rule)
{
	struct rules some = { .at = NEW_ARRAY(mem, const struct rule *, all->n + 1), .digest = "" };

	some.at[some.n++] = rule;
	for (size_t i = 0; i < some.n; i++) /* grows while it is walked: who excludes may be excluded */
		for (size_t k = 0; k < some.at[i]->excluded_by.n; k++) {
			const struct rule *const other = rule_find(all, some.at[i]->excluded_by.at[k]);
			if (other && strcmp(other->id, rule->id) != 0 && !is_in(&some, other))
				some.at[some.n++] = other;
		}
	qsort(some.at, some.n, sizeof *some.at, by_id);
	return some;
}

/* ------ the comparison ------ */

struct comparing {
	struct arena *mem;
	const struct rule_test *test;
	const struct rule *rule;
	const struct verdict *v;
	struct buf *out; /* NULL: nobody wants to know */
	bool same;
};

static void differ(struct comparing *c, const char *what, const char *expected, const char *found)
{
	const char *const who = c->v->entity ? entity_label(c->mem, c->v->entity) : "run";

	c->same = false;
	if (!c->out)
		return;
	buf_print(c->out, "  %-8s  %-14s  expected  %s\n", who, what, expected);
	buf_print(c->out, "  %-8s  %-14s  found     %s\n", "", "", found);
}

#define WINDOWS_MAX 12 /* that a failed test names */

/* From the window `first` on; of noise there can be a million. */
static const char *windows_text(struct arena *mem, struct spans windows, time_ms begin, size_t first)
{
	const char *text = first ? arena_print(mem, "%zu as expected", first) : NULL;
	const size_t end = windows.n - first > WINDOWS_MAX ? first + WINDOWS_MAX : windows.n;

	for (size_t i = first; i < end; i++) {
		const char *const one = arena_print(mem, "%s to %s", trial_moment_text(mem, windows.at[i].begin - begin),
			trial_moment_text(mem, windows.at[i].end - begin));
		text = text ? arena_print(mem, "%s, %s", text, one) : one;
	}
	if (end < windows.n)
		text = arena_print(mem, "%s, %zu more", text, windows.n - end);
	return text ? text : "none";
}

static void compare_outcome(struct comparing *c, const struct expectation *e)
{
	const struct verdict *const v = c->v;

	if (v->outcome == e->outcome)
		return;
	const char *found = outcome_name(v->outcome);
	if (v->outcome == OUTCOME_FIRED)
		found = arena_print(c->mem, "%s, %s", found, windows_text(c->mem, v->when, c->test->begin, 0));
	else if (v->reason)
		found = arena_print(c->mem, "%s: %s", found, v->reason);
	else if (v->excluded_by)
		found = arena_print(c->mem, "%s: excluded by %s", found, v->excluded_by->id);
	differ(c, "outcome", outcome_name(e->outcome), found);
}

/* How many windows are the same, up to the first that is not. */
static size_t same_windows(struct spans expected, struct spans found, time_ms begin)
{
	size_t n = 0;

	while (n < expected.n && n < found.n && expected.at[n].begin + begin == found.at[n].begin &&
		expected.at[n].end + begin == found.at[n].end)
		n++;
	return n;
}

static void compare_windows(struct comparing *c, const struct expectation *e)
{
	if (!e->has_windows || c->v->outcome != OUTCOME_FIRED)
		return;
	const struct spans found = c->v->when;
	const size_t n_same = same_windows(e->windows, found, c->test->begin);
	const size_t first = n_same > WINDOWS_MAX / 2 ? n_same : 0;
	if (n_same < e->windows.n || n_same < found.n)
		differ(c, "windows", windows_text(c->mem, e->windows, 0, first), windows_text(c->mem, found, c->test->begin, first));
}

/* As many digits as the author wrote. */
static bool same_number(const struct expected_number *expected, struct quantity found)
{
	if (isnan(expected->value) || isnan(found.value))
		return isnan(expected->value) && isnan(found.value);
	const double scale = pow(10, expected->decimals);
	return fabs(round(expected->value * scale) - round(found.value * scale)) < 0.5;
}

static const char *number_text(struct arena *mem, struct quantity q, int decimals)
{
	char digits[64];

	if (isnan(q.value))
		return "unknown";
	number_print(digits, sizeof digits, q.value, decimals);
	return arena_print(mem, "%s%s%s", digits, *unit_table[q.unit].symbol ? " " : "", unit_table[q.unit].symbol);
}

static void compare_number(struct comparing *c, const char *what, const struct expected_number *e, struct quantity found)
{
	if (!e->text)
		return;
	const bool convertible = unit_table[e->unit].dimension == unit_table[found.unit].dimension;
	const struct quantity q = convertible ? quantity_in(found, e->unit) : found;
	if (!same_number(e, q))
		differ(c, what, e->text, number_text(c->mem, q, e->decimals > 0 ? e->decimals + 1 : convertible &&
			e->unit == UNIT_NUMBER ? 2 : 1));
}

/* `share` from 0 to 1. */
static void compare_share(struct comparing *c, const char *what, const struct expected_number *e, double share)
{
	const bool plain = unit_table[e->unit].dimension == DIM_NONE;

	compare_number(c, what, e, plain ? (struct quantity){ share, UNIT_NUMBER } : (struct quantity){ share * 100, UNIT_PERCENT });
}

static double mean_cost(struct comparing *c)
{
	if (!c->v->cost.n)
		return NAN;
	return signal_fold(c->mem, c->v->cost, c->v->when, FOLD_MEAN);
}

static void compare_reason(struct comparing *c, const struct expectation *e)
{
	const char *const reason = c->v->reason ? c->v->reason : "none";

	if (e->reason && !slice_has(slice_of(reason), e->reason))
		differ(c, "reason", e->reason, reason);
	const char *const by = c->v->excluded_by ? c->v->excluded_by->id : "nobody";
	if (e->excluded_by && strcmp(by, e->excluded_by) != 0)
		differ(c, "excluded by", e->excluded_by, by);
}

static void compare(struct comparing *c, const struct expectation *e)
{
	const struct verdict *const v = c->v;

	compare_outcome(c, e);
	compare_windows(c, e);
	if (v->outcome == OUTCOME_FIRED) {
		for (size_t i = 0; e->evidence && i < c->rule->n_evidence; i++)
			compare_number(c, c->rule->evidence[i].name, &e->evidence[i], v->evidence[i]);
		compare_share(c, "cost", &e->cost, mean_cost(c));
	}
	compare_share(c, "coverage", &e->coverage, v->coverage);
	compare_share(c, "margin", &e->margin, v->margin);
	compare_reason(c, e);
}

/* The run has entities of its own; the names are the same. */
static bool is_expected_of(const struct expectation *e, const struct entity *entity)
{
	for (size_t i = 0; i < e->n_on; i++)
		if (entity && e->on[i]->scope == entity->scope && entity_compare(e->on[i], entity) == 0)
			return true;
	return e->n_on == 0;
}

bool trial_holds(struct arena *scratch, const struct rule_test *test, const struct rule *rule, const struct verdicts *found,
	const struct run *run, struct buf *out)
{
	bool all_same = true;

	for (size_t i = 0; i < found->n; i++) {
		struct comparing c = { scratch, test, rule, &found->at[i], out, true };
		if (c.v->rule != rule)
			continue;
		for (size_t k = 0; k < test->n_expect; k++)
			if (is_expected_of(&test->expect[k], c.v->entity))
				compare(&c, &test->expect[k]);
		if (!c.same && out)
			trial_draw(scratch, test, run, found, c.v, out);
		all_same = all_same && c.same;
	}
	return all_same;
}

/* ------ all tests of a rule ------ */

#define REPORT_MAX_BYTES ((size_t)1 << 20)

static struct trial_result run_test(struct arena *mem, const struct rules *rules, const struct rule *rule, const struct rule_test *test)
{
	struct trial_result result = { .rule = rule, .name = test->name, .place = test->place };
	struct arena scratch;
	struct buf report;

	arena_init(&scratch);
	buf_init(&report, REPORT_MAX_BYTES);
	struct run *const run = trial_run(&scratch, test, rule);
	const struct rules some = trial_rules(&scratch, rules, rule);
	const struct verdicts found = rules_judge(&some, run);
	result.passed = trial_holds(&scratch, test, rule, &found, run, &report);
	result.report = arena_text(mem, buf_slice(&report).p, buf_slice(&report).n);
	buf_release(&report);
	arena_release(&scratch);
	return result;
}

struct trial_results rule_test(struct arena *mem, const struct rules *rules, const struct rule *rule)
{
	struct trial_results all = { NEW_ARRAY(mem, struct trial_result, rule->n_tests), 0, 0 };

	for (size_t i = 0; i < rule->n_tests; i++) {
		all.at[all.n] = run_test(mem, rules, rule, &rule->tests[i]);
		all.n_failed += !all.at[all.n].passed;
		all.n++;
	}
	return all;
}
