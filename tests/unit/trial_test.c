/*
 * trial_test.c - tests that stand in rule files: what is read of them, the runs they make, what they expect.
 *
 * A rule's own test is a text; here its samples are written out, and it is seen to fail when it should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "rule/trial_parts.h"
#include "rules.h"
#include "runs.h"

#define WORDS "short: s\nchecked: c\nseverity: note\nsources: [s]\ntitle: t\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\n"
#define RULE \
	WORDS "scope: gpu\nduring: run\nwhen: gpu.util < 50 %\nfor: 10 s\nmerge_gap: 2 s\n" \
	      "evidence: {busy: \"mean(gpu.util, inside)\", power: \"max(gpu.power, inside)\"}\ncost: 1 - gpu.util / 100 %\n"
#define TESTS "tests:\n"

static const struct rules *rules_of(struct logs *logs, const char *text)
{
	const struct rule_file file = { .path = "rules/a.yaml", .text = slice_of(text) };

	return rules_of_files(&logs->mem, &file, 1, &logs->diags);
}

static const struct rule *rule_of(struct logs *logs, const char *head, const char *tests)
{
	const struct rules *const rules = rules_of(logs, arena_print(&logs->mem, "%s%s", head, tests));

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	return rules->at[0];
}

/* ------ series ------ */

/* "10 10 - 30": each second a value, '-' without one, ' ' three times for a second without a row. */
static const char *shown_samples(struct logs *logs, const struct track *t, time_ms begin)
{
	const char *text = "";
	time_ms next = begin;
	char digits[64];

	for (size_t i = 0; i < t->n; i++) {
		for (; next < track_time(t, i); next += t->step)
			text = arena_print(&logs->mem, "%s.", text);
		number_print(digits, sizeof digits, fixed_value(track_value(t, i)), 2);
		while (strchr(digits, '.') && strchr("0.", digits[strlen(digits) - 1])) {
			const bool point = digits[strlen(digits) - 1] == '.';
			digits[strlen(digits) - 1] = '\0';
			if (point)
				break;
		}
		text = arena_print(&logs->mem, "%s%s%s", text, i ? " " : "", track_value(t, i) == FIXED_MISSING ? "-" : digits);
		next = track_time(t, i) + t->step;
	}
	return text;
}

static const struct track *first_track(const struct run *run, enum metric metric)
{
	for (size_t i = 0; i < run->n_tracks; i++)
		if (run->tracks[i]->metric == metric)
			return run->tracks[i];
	fail_msg("no %s", metric_table[metric].name);
	return NULL;
}

static void series_become_samples(void **state)
{
	static const struct {
		const char *given, *more;
		enum metric metric;
		const char *samples;
	} cases[] = {
		{ "gpu.util: 50 x 3 s", "", METRIC_GPU_UTIL, "50 50 50" },
		{ "gpu.util: 50x3s", "", METRIC_GPU_UTIL, "50 50 50" },
		{ "gpu.util: 50 x 2 s, 7.25 x 1 s", "", METRIC_GPU_UTIL, "50 50 7.25" },
		{ "gpu.util: 50 % x 1 s, 0.5 fraction x 1 s", "", METRIC_GPU_UTIL, "50 50" },
		/* a ramp reaches its end where the piece ends: the next piece goes on from there */
		{ "gpu.util: 0..40 x 4 s, 40 x 1 s", "", METRIC_GPU_UTIL, "0 10 20 30 40" },
		{ "gpu.util: 40..0 x 4 s", "", METRIC_GPU_UTIL, "40 30 20 10" },
		{ "gpu.mem_used: 1..2 GiB x 2 s, 3 GiB x 1 s", "", METRIC_GPU_MEM_USED, "1024 1536 3072" },
		{ "gpu.temp_margin: -5 x 1 s, -5..5 x 2 s", "", METRIC_GPU_TEMP_MARGIN, "-5 -5 0" },
		/* no rows, and rows without a value */
		{ "gpu.util: 1 x 1 s, _ x 2 s, 2 x 1 s, ? x 1 s, N/A x 1 s", "", METRIC_GPU_UTIL, "1.. 2 - -" },
		{ "gpu.util: 50~0 x 2 s", "", METRIC_GPU_UTIL, "50 50" },
		{ "gpu.throttle: none x 1 s, hw_thermal x 1 s, hw_thermal+sw_power x 1 s, 4 x 1 s", "", METRIC_GPU_THROTTLE, "0 64 68 4" },
		/* every clock of its own; pieces end between samples */
		{ "gpu.util: 1 x 3 s, 2 x 3 s", "step: 2 s", METRIC_GPU_UTIL, "1 1 2" },
		{ "gpu.util: 1 x 3 s, 2 x 3 s", "step: {gpu.util: 5 s}", METRIC_GPU_UTIL, "1 2" },
		{ "gpu.util: 1 x 1 s, 2 x 1 s", "step: {gpu.temp: 5 s}", METRIC_GPU_UTIL, "1 2" },
		{ "gpu.util: 1 x 1 s", "step: 500 ms", METRIC_GPU_UTIL, "1 1" },
		/* again and again */
		{ "gpu.util: 2 of (1 x 1 s, 2 x 2 s), 3 x 1 s", "", METRIC_GPU_UTIL, "1 2 2 1 2 2 3" },
		{ "gpu.util: 9 x 1 s, 3 of (0..2 x 2 s)", "", METRIC_GPU_UTIL, "9 0 1 0 1 0 1" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *const test = arena_print(&logs->mem,
			TESTS "  - given:\n      gpu.clock_sm: 1 x 1 s\n      %s\n    expect: clear\n%s%s%s",
			cases[i].given, *cases[i].more ? "    " : "", cases[i].more, *cases[i].more ? "\n" : "");
		const struct rule *const rule = rule_of(logs, RULE, test);
		const struct run *const run = trial_run(&logs->mem, rule->tests, rule);
		assert_string_equal(shown_samples(logs, first_track(run, cases[i].metric), rule->tests->begin), cases[i].samples);
	}
}

/* Values as they were when this was written: noise is the same on every machine, and another one for each series and seed. */
static void noise_is_the_same_everywhere(void **state)
{
	static const struct {
		const char *seed, *samples;
	} cases[] = {
		{ "", "" },
		{ "    seed: 2\n", "" },
	};
	const char *shown[4];
	struct logs *logs = *state;

	for (size_t i = 0; i < 2; i++) {
		const struct rule *const rule = rule_of(logs, RULE, arena_print(&logs->mem,
			TESTS "  - given: {gpu.util: {0-1: 50~10 x 60 s}}\n    expect: clear\n%s", cases[i].seed));
		const struct run *const run = trial_run(&logs->mem, rule->tests, rule);
		for (int gpu = 0; gpu < 2; gpu++) {
			const struct track *const t = run_track(run, run->gpus[gpu], METRIC_GPU_UTIL);
			double least = 100, most = 0;
			for (size_t k = 0; k < t->n; k++) {
				least = fmin(least, fixed_value(track_value(t, k)));
				most = fmax(most, fixed_value(track_value(t, k)));
			}
			assert_true(least >= 40 && least < 42 && most <= 60 && most > 58);
			shown[i * 2 + (size_t)gpu] = shown_samples(logs, t, rule->tests->begin);
		}
	}
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(shown[i], shown[k]);
	assert_true(strncmp(shown[0], "48.75 42.88 56.46 57.25 41.25 59.22 ", 36) == 0);
}

/* "gpu0 gpu3 core1 node02/gpu1 …": who is there, with hosts. */
static void given_says_who_is_there(void **state)
{
	static const struct {
		const char *given, *who;
	} cases[] = {
		{ "gpu.util: 1 x 9 s", "node01/gpu0=1 node01" },
		{ "gpu.util: {0-2: 1 x 9 s, 5: 2 x 9 s}", "node01/gpu0=1 node01/gpu1=1 node01/gpu2=1 node01/gpu5=2 node01" },
		{ "gpu.util: {\"0,2-3\": 1 x 9 s}", "node01/gpu0=1 node01/gpu2=1 node01/gpu3=1 node01" },
		{ "gpu.util: {0: 1 x 9 s, node02/0-1: 2 x 9 s}", "node01/gpu0=1 node02/gpu0=2 node02/gpu1=2 node01 node02" },
		/* without a map: of all that stand anywhere */
		{ "gpu.temp: {0-1: 40 x 9 s}\n      gpu.util: 3 x 9 s", "node01/gpu0=3 node01/gpu1=3 node01" },
		{ "gpu.util: 3 x 9 s\n      core.busy: {0-1: 1 x 9 s}\n      run.loss: 1 x 9 s", "node01/gpu0=3 node01" },
		{ "gpu.util: 3 x 9 s\n      host.cpu.busy: {node01: 1 x 9 s, login: 2 x 9 s}", "node01/gpu0=3 login node01" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rule *const rule = rule_of(logs, RULE,
			arena_print(&logs->mem, TESTS "  - given:\n      %s\n    expect: clear\n", cases[i].given));
		const struct run *const run = trial_run(&logs->mem, rule->tests, rule);
		const char *who = "";
		for (size_t g = 0; g < run->n_gpus; g++) {
			const struct track *const t = run_track(run, run->gpus[g], METRIC_GPU_UTIL);
			who = arena_print(&logs->mem, "%s%s%s=%d", who, g ? " " : "", entity_id(&logs->mem, run->gpus[g]),
				(int)fixed_value(track_value(t, 0)));
		}
		for (size_t h = 0; h < run->n_hosts; h++)
			who = arena_print(&logs->mem, "%s %s", who, entity_id(&logs->mem, run->hosts[h]));
		assert_string_equal(who, cases[i].who);
	}
}

/* ------ runs ------ */

static struct track *track_given(struct arena *mem, enum metric metric, const struct entity *e, time_ms from, size_t n, double value)
{
	struct track *const t = NEW(mem, struct track);
	time_ms *const times = NEW_ARRAY(mem, time_ms, n);
	fixed *const values = NEW_ARRAY(mem, fixed, n);

	for (size_t i = 0; i < n; i++) {
		times[i] = from + (time_ms)i * SECOND_MS;
		values[i] = (fixed)llround(value * FIXED_ONE);
	}
	*t = (struct track){ .metric = metric, .entity = e, .times = times, .values = values, .n = n, .step = SECOND_MS };
	return t;
}

static double value_of(const struct run *run, const struct entity *e, enum metric metric)
{
	const struct track *const t = run_track(run, e, metric);
	fixed value;

	return t && track_at(t, run->span.begin, &value) ? fixed_value(value) : (double)NAN;
}

static void made_runs_are_like_those_from_logs(void **state)
{
	const struct entity gpu = { .scope = SCOPE_GPU, .host = "a", .index = 1 }, same = gpu, core = { .scope = SCOPE_CORE, .host = "a",
		.index = 4 };
	const struct entity host = { .scope = SCOPE_HOST, .host = "b" };
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct track *tracks[] = {
		track_given(mem, METRIC_GPU_POWER, &gpu, 5000, 10, 350), track_given(mem, METRIC_GPU_POWER_LIMIT, &same, 5000, 10, 700),
		track_given(mem, METRIC_GPU_THROTTLE, &gpu, 5000, 10, 64), track_given(mem, METRIC_CORE_BUSY, &core, 0, 60, 9),
		track_given(mem, METRIC_CPU_BUSY, &host, 0, 60, 9), track_given(mem, METRIC_GPU_THR_SW_POWER, &gpu, 5000, 10, 1),
		track_given(mem, METRIC_GPU_LOST, &gpu, 5000, 10, 1), track_given(mem, METRIC_LOG_STEP, &gpu, 5000, 10, 7),
	};
	struct run *const run = run_from_tracks(mem, &logs->diags, "made", tracks, sizeof tracks / sizeof tracks[0], NULL, 0);

	derive_metrics(run);
	assert_int_equal(run->n_gpus, 1);
	assert_int_equal(run->n_cores, 1);
	assert_int_equal(run->n_hosts, 2); /* also the GPU's, of which nothing is given */
	assert_string_equal(run->hosts[0]->host, "a");
	assert_ptr_equal(run_host(run, run->gpus[0]), run->hosts[0]);
	/* what the GPU's tracks cover, the last hold included */
	assert_int_equal(run->span.begin, 5000);
	assert_int_equal(run->span.end, 15000);
	assert_true(value_of(run, run->gpus[0], METRIC_GPU_POWER_SHARE) == 50);
	assert_true(value_of(run, run->gpus[0], METRIC_GPU_THR_HW_THERMAL) == 1);
	/* what is given is not derived */
	assert_true(value_of(run, run->gpus[0], METRIC_GPU_THR_SW_POWER) == 1);
	assert_true(value_of(run, run->gpus[0], METRIC_GPU_LOST) == 1);
	assert_true(value_of(run, run->gpus[0], METRIC_LOG_STEP) == 7);
	assert_int_equal(run->n_phases, 1);
	assert_int_equal(run->phases[0].phase, PHASE_STEADY);
}

static void made_runs_have_the_phases_they_are_given(void **state)
{
	const struct entity host = { .scope = SCOPE_HOST, .host = "" };
	const struct phase_span phases[] = { { PHASE_STARTUP, { -5000, 3000 } }, { PHASE_STEADY, { 3000, 90000 } }, { PHASE_TAIL, { 90000,
		95000 } } };
	struct logs *logs = *state;
	struct track *tracks[] = { track_given(&logs->mem, METRIC_CPU_BUSY, &host, 1000, 10, 9) };
	const struct run *const run = run_from_tracks(&logs->mem, &logs->diags, "made", tracks, 1, phases, 3);

	/* without a GPU all tracks count; phases are cut to the run */
	assert_int_equal(run->span.begin, 1000);
	assert_int_equal(run->span.end, 11000);
	assert_int_equal(run->n_phases, 2);
	assert_int_equal(run->phases[0].span.begin, 1000);
	assert_int_equal(run->phases[1].span.end, 11000);
}

static void a_run_of_nothing_has_a_host(void **state)
{
	struct logs *logs = *state;
	struct run *const run = run_from_tracks(&logs->mem, &logs->diags, "made", NULL, 0, NULL, 0);

	derive_metrics(run);
	assert_int_equal(run->n_hosts, 1);
	assert_int_equal(span_length(run->span), 0);
	assert_int_equal(run->n_phases, 0);
}

/* ------ expectations ------ */

#define DIP "gpu.util: 95 x 60 s, 10 x 30 s, 95 x 60 s"

static void tests_pass_and_fail(void **state)
{
	static const struct {
		const char *given, *expect;
		const char *differs; /* the first line of the report; NULL: it passes */
	} cases[] = {
		{ DIP, "fired", NULL },
		{ DIP, "clear", "GPU 0     outcome         expected  clear" },
		{ DIP, "{outcome: fired, windows: [60 s to 90 s]}", NULL },
		{ DIP, "{windows: 60 s to 90 s}", NULL },
		{ DIP, "{windows: [1 min to 1 min 30 s]}", NULL },
		{ DIP, "{windows: [00:01:00 to 00:01:30]}", NULL },
		{ DIP, "{windows: [00:01 to 00:01:30]}", NULL },
		{ DIP, "{windows: [60 s to 91 s]}", "GPU 0     windows         expected  60 s to 91 s" },
		{ DIP, "{windows: [59.999 s to 90 s]}", "GPU 0     windows         expected  59.999 s to 90 s" },
		{ DIP, "{windows: [0 s to 10 s, 60 s to 90 s]}", "GPU 0     windows         expected  0 s to 10 s, 60 s to 90 s" },
		{ "gpu.util: 95 x 60 s, 10 x 30 s", "{windows: [60 s to end]}", NULL },
		/* a hole is where the log has stopped: the row before it holds for a step */
		{ "gpu.util: 10 x 20 s, _ x 20 s, 95 x 20 s", "{windows: [0 s to 20 s]}", NULL },
		/* to the digits and in the unit that are written */
		{ DIP, "{evidence: {busy: 10 %}, cost: 90 %}", NULL },
		{ DIP, "{cost: 0.9}", NULL },
		{ DIP, "{evidence: {busy: 10.0 %}}", NULL },
		{ "gpu.util: 9.6 x 20 s", "{evidence: {busy: 10 %}}", NULL },
		{ "gpu.util: 9.6 x 20 s", "{evidence: {busy: 10.0 %}}", "GPU 0     busy            expected  10.0 %" },
		{ DIP, "{evidence: {busy: 11 %}}", "GPU 0     busy            expected  11 %" },
		{ DIP, "{evidence: {power: unknown}}", NULL },
		{ DIP, "{evidence: {power: 80 W}}", "GPU 0     power           expected  80 W" },
		{ DIP "\n      gpu.power: 80 x 150 s", "{evidence: {power: 0.08 kW}}", NULL },
		{ DIP "\n      gpu.power: 80 x 150 s", "{evidence: {power: unknown}}", "GPU 0     power           expected  unknown" },
		{ DIP, "{cost: 91 %}", "GPU 0     cost            expected  91 %" },
		{ DIP, "{outcome: fired, coverage: 100 %, margin: 3}", NULL },
		{ DIP, "{outcome: fired, margin: 200 %}", "GPU 0     margin          expected  200 %" },
		{ "gpu.util: 95 x 60 s, 10 x 5 s, 95 x 60 s", "{outcome: clear, margin: 0.5, coverage: 1}", NULL },
		{ "gpu.util: \"95 x 60 s, ? x 40 s\"", "{outcome: unknown, coverage: 60 %, reason: known for 60 %}", NULL },
		{ "gpu.util: \"95 x 60 s, ? x 40 s\"", "{outcome: unknown, reason: known for 70 %}",
		  "GPU 0     reason          expected  known for 70 %" },
		{ "gpu.temp: 50 x 60 s", "{outcome: skipped, reason: \"not logged: gpu.util\"}", NULL },
		/* of whom */
		{ "gpu.util: {0-1: 10 x 60 s, 2: 95 x 60 s}", "[{on: gpus 0-1, outcome: fired}, {on: gpu 2, outcome: clear}]", NULL },
		{ "gpu.util: {0-1: 10 x 60 s, 2: 95 x 60 s}", "[{on: [0, 1], outcome: fired}, {on: node01/2, outcome: clear}]", NULL },
		{ "gpu.util: {0-1: 10 x 60 s, 2: 95 x 60 s}", "fired", "GPU 2     outcome         expected  fired" },
		{ "gpu.util: {0-1: 10 x 60 s, 2: 95 x 60 s}", "{on: gpus 1-2, outcome: fired}",
			"GPU 2     outcome         expected  fired" },
		{ "gpu.util: {0: 10 x 60 s, node02/0: 95 x 60 s}", "[{on: gpu 0, outcome: fired}, {on: gpu node02/0, outcome: clear}]",
			NULL },
		{ DIP, "{outcome: fired, excluded_by: b}", "GPU 0     excluded by     expected  b" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *const test = arena_print(&logs->mem, "%s" TESTS "  - given:\n      %s\n    expect: %s\n", RULE,
			cases[i].given, cases[i].expect);
		const struct rules *const rules = rules_of(logs, test);
		if (!rules)
			fail_msg("%s%s", test, take_complaints(logs));
		const struct trial_results results = rule_test(&logs->mem, rules, rules->at[0]);
		assert_int_equal(results.n, 1);
		assert_int_equal(results.n_failed, cases[i].differs != NULL);
		struct slice rest = slice_of(results.at[0].report);
		const struct slice line = slice_trim(slice_line(&rest));
		const char *const shown = arena_text(&logs->mem, line.p, line.n);
		assert_string_equal(shown, cases[i].differs ? cases[i].differs : "");
		assert_int_equal(results.at[0].passed, cases[i].differs == NULL);
	}
}

/* Times of day are those of the start's zone, also past midnight. */
static void windows_may_be_times_of_day(void **state)
{
	static const struct {
		const char *start, *window;
	} cases[] = {
		{ "2026-03-29 00:30 +05:30", "00:31:00 to 00:31:30" },
		{ "2026-03-29 23:59:30 UTC", "00:00:30 to 00:01:00" },
		{ "2026-03-29 23:58:30", "23:59:30 to 00:00:00" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rules *const rules = rules_of(logs, arena_print(&logs->mem,
			"%s" TESTS "  - given:\n      " DIP "\n    start: %s\n    expect: {windows: [%s]}\n", RULE, cases[i].start,
				cases[i].window));
		if (!rules)
			fail_msg("%s", take_complaints(logs));
		const struct trial_results results = rule_test(&logs->mem, rules, rules->at[0]);
		assert_string_equal(results.at[0].report, "");
	}
}

static void phases_are_given_found_or_those_of_the_rule(void **state)
{
	static const struct {
		const char *during, *phases, *expect;
	} cases[] = {
		{ "steady", "", "{windows: [60 s to 90 s]}" },
		{ "startup", "", "{windows: [60 s to 90 s]}" },
		{ "steady", "    phases: idle-head x 70 s, steady x 1 s\n", "{windows: [70 s to 90 s]}" },
		{ "steady", "    phases: idle_head x 70 s, steady x 15 s, tail x 1 s\n", "{windows: [70 s to 85 s]}" },
		{ "tail", "    phases: steady x 90 s, tail x 1 s\n", "clear" },
		/* nothing is busy before the work begins */
		{ "steady", "    phases: found\n", "{windows: [60 s to 90 s]}" },
		{ "idle-head", "    phases: found\n", "unknown" },
		{ "tail", "    phases: steady x 5 min\n", "{outcome: unknown, reason: no part of the run is tail}" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rules *const rules = rules_of(logs, arena_print(&logs->mem,
			WORDS "scope: gpu\nduring: %s\nwhen: gpu.util < 50 %%\n" TESTS "  - given:\n      " DIP "\n%s    expect: %s\n",
				cases[i].during,
			cases[i].phases, cases[i].expect));
		if (!rules)
			fail_msg("%s", take_complaints(logs));
		const struct trial_results results = rule_test(&logs->mem, rules, rules->at[0]);
		assert_string_equal(results.at[0].report, "");
	}
}

/* Rules of hosts, and one that takes the time of another. */
static void other_rules_take_part_where_they_exclude(void **state)
{
	static const char rule_a[] = WORDS "scope: host\nduring: run\nwhen: host.cpu.busy > 50 %\nexcluded_by: b\n" TESTS
					   "  - given: {host.cpu.busy: {node01: \"60 x 1 min\", node02: \"20 x 1 min\"}}\n"
					   "    expect: [{on: node01, outcome: fired}, {on: host node02, outcome: clear}]\n"
					   "  - given: {host.cpu.busy: 95 x 1 min}\n"
					   "    expect: {on: the host, outcome: clear, excluded_by: b}\n";
	static const char rule_b[] = WORDS "scope: host\nduring: run\nwhen: host.cpu.busy > 90 %\n";
	const struct rule_file files[] = { { .path = "rules/a.yaml", .text = { rule_a, sizeof rule_a - 1 } },
		{ .path = "rules/b.yaml", .text = { rule_b, sizeof rule_b - 1 } } };
	struct logs *logs = *state;
	const struct rules *const rules = rules_of_files(&logs->mem, files, 2, &logs->diags);

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	const struct trial_results results = rule_test(&logs->mem, rules, rules->at[0]);
	assert_int_equal(results.n, 2);
	for (size_t i = 0; i < results.n; i++)
		assert_string_equal(results.at[i].report, "");
}

static void failures_are_drawn(void **state)
{
	struct logs *logs = *state;
	const struct rules *const rules = rules_of(logs,
		RULE TESTS "  - name: a dip\n    given:\n      gpu.util: 95 x 60 s, 10 x 30 s, _ x 30 s, 0..100 x 60 s\n    expect: clear\n");

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	const struct trial_results results = rule_test(&logs->mem, rules, rules->at[0]);
	assert_string_equal(results.at[0].name, "a dip");
	assert_int_equal(results.at[0].place.line, 19);
	assert_int_equal(results.at[0].place.column, 5);
	assert_string_equal(results.at[0].report, 
		"  GPU 0     outcome         expected  clear\n"
		"                            found     fired, 60 s to 90 s, 2 min to 2 min 30 s\n"
		"  gpu.util  0 to 98 %                 ████████████████████▂▂▂▂▂▂▂▂▂▂          ▁▁▂▂▃▃▃▄▄▄▅▅▅▆▆▆▇▇██\n"
		"  condition                           ────────────────────━━━━━━━━━━??????????━━━━━━━━━━──────────\n"
		"                                      0 s                         90 s                       3 min\n");
}

/* All windows of an hour of noise were once a report of a megabyte, and took the square of its length. */
static void many_windows_are_counted(void **state)
{
	static const struct { const char *expect, *report; } cases[] = {
		{ "clear", "found     fired, 0 s to 5 s, 10 s to 15 s, 20 s to 25 s, 30 s to 35 s, 40 s to 45 s, 50 s to 55 s, 60 s to 65 s, "
			   "70 s to 75 s, 80 s to 85 s, 90 s to 95 s, 100 s to 105 s, 110 s to 115 s, 288 more\n" },
		{ "{windows: [0 s to 5 s, 10 s to 15 s, 20 s to 25 s, 30 s to 35 s, 40 s to 45 s, 50 s to 55 s, 60 s to 65 s, 71 s to 75 s]}",
		  "expected  7 as expected, 71 s to 75 s\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct rules *const rules = rules_of(logs, arena_print(&logs->mem,
			WORDS "scope: gpu\nduring: run\nwhen: gpu.util < 50 %%\n" TESTS "  - given: {gpu.util: \"300 of (10 x 5 s, 95 x 5 s)\"}\n    expect: %s\n", cases[i].expect));
		if (!rules)
			fail_msg("%s", take_complaints(logs));
		const struct trial_results results = rule_test(&logs->mem, rules, rules->at[0]);
		if (!strstr(results.at[0].report, cases[i].report))
			fail_msg("%s", results.at[0].report);
	}
}

/* Ten GPUs, of which eight are alike: three lines; and what the condition also asks for is never left out. */
static void equal_series_are_one_line(void **state)
{
	struct logs *logs = *state;
	const struct rule *const rule = rule_of(logs, WORDS "during: run\nwhen: count of gpus(gpu.util < 50 %) > 2 and host.blocked > 5\n", TESTS
		"  - given: {gpu.util: {0-3: 10 x 60 s, 4: \"10 x 30 s, 90 x 30 s\", 5: 90 x 60 s, 6-9: 10 x 60 s}, host.blocked: 1 x 60 s}\n"
		"    expect: fired\n");
	const struct trial_results results = rule_test(&logs->mem, &(struct rules){ .at = &(const struct rule *){ rule }, .n = 1 }, rule);

	assert_string_equal(results.at[0].report,
		"  node01    outcome         expected  fired\n"
		"                            found     clear\n"
		"  gpu.util GPUs 0-3,6-9  10 %         ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅\n"
		"  gpu.util GPU 4  10 to 90 %          ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁██████████████████████████████\n"
		"  gpu.util GPU 5  90 %                ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅\n"
		"  host.blocked  1                     ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅\n"
		"  condition                           ────────────────────────────────────────────────────────────\n"
		"                                      0 s                         30 s                        60 s\n");
}

/* Of twelve series that differ eight are drawn, and the host's all the same. */
static void of_many_series_some_are_drawn_of_each_metric(void **state)
{
	struct logs *logs = *state;
	const struct rule *const rule = rule_of(logs, WORDS "during: run\nwhen: count of gpus(gpu.util < 50 %) > 2 and host.blocked > 5\n", TESTS
		"  - given: {gpu.util: {0-11: 10~5 x 60 s}, host.blocked: 1 x 60 s}\n"
		"    expect: fired\n");
	const struct trial_results results = rule_test(&logs->mem, &(struct rules){ .at = &(const struct rule *){ rule }, .n = 1 }, rule);
	const char *const report = results.at[0].report;

	assert_non_null(strstr(report, "gpu.util GPU 7 "));
	assert_null(strstr(report, "gpu.util GPU 8 "));
	assert_non_null(strstr(report, "  host.blocked  1 "));
	assert_non_null(strstr(report, "  and 4 more series of gpu.util\n"));
}

/* ------ mistakes ------ */

#define GIVEN "  - given: {gpu.util: 95 x 60 s}\n"

static void mistakes_are_told_with_their_places(void **state)
{
	static const struct {
		const char *tests, *complaint;
	} cases[] = {
		{ "  - given: {gpu.utl: 95 x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:2:13: error: unknown-name: unknown metric 'gpu.utl'; did you mean 'gpu.util'?\n"
		  "    2 |   - given: {gpu.utl: 95 x 60 s}\n"
		  "      |             ^~~~~~~\n" },
		{ "  - given: {gpu.util: 95}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-value: '95' has no duration; a piece is VALUE x DURATION, such as '95 x 60 s'\n"
		  "    2 |   - given: {gpu.util: 95}\n"
		  "      |                       ^~\n" },
		{ "  - given: {gpu.util: 95 x 0 s}\n    expect: clear\n",
		  "rules/a.yaml:2:28: error: bad-value: '0 s' is no duration above 0, such as '60 s'\n"
		  "    2 |   - given: {gpu.util: 95 x 0 s}\n"
		  "      |                            ^~~\n" },
		{ "  - given: {gpu.util: 95 x sixty s}\n    expect: clear\n",
		  "rules/a.yaml:2:28: error: bad-value: 'sixty s' is no duration above 0, such as '60 s'\n"
		  "    2 |   - given: {gpu.util: 95 x sixty s}\n"
		  "      |                            ^~~~~~~\n" },
		{ "  - given: {gpu.util: 95 x 400 h, gpu.temp: 1 x 9000 h}\n    expect: clear\n",
		  "rules/a.yaml:2:49: error: limit: a piece of more than 366 days, the limit 'duration'\n"
		  "    2 |   - given: {gpu.util: 95 x 400 h, gpu.temp: 1 x 9000 h}\n"
		  "      |                                                 ^~~~~~\n" },
		{ "  - given: {gpu.util: 95 x 400 h, gpu.temp: 1 x 2400 h}\n    expect: clear\n",
		  "rules/a.yaml:2:35: error: limit: more samples in a test than 10000000, the limit 'test-samples'; "
		  "take a coarser step\n"
		  "    2 |   - given: {gpu.util: 95 x 400 h, gpu.temp: 1 x 2400 h}\n"
		  "      |                                   ^~~~~~~~\n" },
		{ "  - given: {gpu.util: '10000 of (1 x 1 s, 2 x 1 s, 3 x 1 s, 4 x 1 s, 5 x 1 s, 6 x 1 s, 7 x 1 s, 8 x 1 s, 9 x 1 s, 10 x 1 s, 0 x 1 s)'}\n"
		  "    expect: clear\n",
		  "rules/a.yaml:2:132: error: limit: a series of more pieces than 100000, the limit 'test-pieces'\n"
		  "    2 | ...x 1 s, 6 x 1 s, 7 x 1 s, 8 x 1 s, 9 x 1 s, 10 x 1 s, 0 x 1 s)'}\n"
		  "      |                                                                ^\n" },
		{ "  - given: {gpu.util: {0-1023: 5 x 9 s, b/0-1023: 5 x 9 s, c/0-1023: 5 x 9 s, d/0-1022: 5 x 9 s, e/0-1: 5 x 9 s}}\n    expect: clear\n",
		  "rules/a.yaml:2:98: error: limit: more GPUs, cores and hosts in a test than 4096, the limit 'test-members'\n"
		  "    2 |   - given: {gpu.util: {0-1023: 5 x 9 s, b/0-1023: 5 x 9 s, c/0-1023: 5 x 9 s, d/0-1022: 5 x 9 s, e/0\n"
		  "      |                                                                                                  ^~~\n" },
		/* told once, also where it is the hosts or a series of all that find no room */
		{ "  - given: {gpu.util: {0-1023: 5 x 9 s, b/0-1023: 5 x 9 s, c/0-1023: 5 x 9 s, d/0-1023: 5 x 9 s}}\n    expect: clear\n",
		  "rules/a.yaml:2:5: error: limit: more GPUs, cores and hosts in a test than 4096, the limit 'test-members'\n"
		  "    2 |   - given: {gpu.util: {0-1023: 5 x 9 s, b/0-1023: 5 x 9 s, c/0-1023: 5 x 9 s, d/0-1023: 5 x 9 s}}\n"
		  "      |     ^~~~~\n" },
		{ "  - given: {host.cpu.busy: 5 x 9 s, gpu.util: {0-1023: 5 x 9 s, b/0-1023: 5 x 9 s, c/0-1023: 5 x 9 s, d/0-1023: 5 x 9 s, e/0: 5 x 9 s, f/1: 5 x 9 s}}\n    expect: clear\n",
		  "rules/a.yaml:2:122: error: limit: more GPUs, cores and hosts in a test than 4096, the limit 'test-members'\n"
		  "    2 | ...s, b/0-1023: 5 x 9 s, c/0-1023: 5 x 9 s, d/0-1023: 5 x 9 s, e/0: 5 x 9 s, f/1: 5 x 9 s}}\n"
		  "      |                                                                ^~~\n" },
		{ "  - given: {gpu.util: x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-value: a value of gpu.util is missing\n"
		  "    2 |   - given: {gpu.util: x 60 s}\n"
		  "      |                       ^\n" },
		{ "  - given: {gpu.util: 5 x 60 s)}\n    expect: clear\n",
		  "rules/a.yaml:2:31: error: bad-value: nothing opens this ')'\n"
		  "    2 |   - given: {gpu.util: 5 x 60 s)}\n"
		  "      |                               ^\n" },
		{ "  - given: {gpu.util: 80 W x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-dimension: '80 W' is a power, gpu.util is a share\n"
		  "    2 |   - given: {gpu.util: 80 W x 60 s}\n"
		  "      |                       ^~~~\n" },
		{ "  - given: {gpu.util: 80 Watts x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:2:26: error: bad-value: unknown unit 'Watts'\n"
		  "    2 |   - given: {gpu.util: 80 Watts x 60 s}\n"
		  "      |                          ^~~~~\n" },
		{ "  - given: {gpu.util: 120 x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-value: gpu.util is never above 100 %\n"
		  "    2 |   - given: {gpu.util: 120 x 60 s}\n"
		  "      |                       ^~~\n" },
		{ "  - given: {gpu.util: 95~10 x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-value: gpu.util is never above 100 %\n"
		  "    2 |   - given: {gpu.util: 95~10 x 60 s}\n"
		  "      |                       ^~~~~\n" },
		{ "  - given: {gpu.util: 50~-1 x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-value: '50~-1': noise is not less than 0\n"
		  "    2 |   - given: {gpu.util: 50~-1 x 60 s}\n"
		  "      |                       ^~~~~\n" },
		{ "  - given: {gpu.util: 20.. x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:2:27: error: bad-value: a value of gpu.util is missing\n"
		  "    2 |   - given: {gpu.util: 20.. x 60 s}\n"
		  "      |                           ^\n" },
		{ "  - given:\n      gpu.util: 20 x 60 s, much x 60 s\n    expect: clear\n",
		  "rules/a.yaml:3:28: error: bad-value: 'much' is no value of gpu.util; a piece is VALUE x DURATION, such as '95 x 60 s'\n"
		  "    3 |       gpu.util: 20 x 60 s, much x 60 s\n"
		  "      |                            ^~~~\n" },
		{ "  - given:\n      gpu.util: 20 x 60 s,\n    expect: clear\n",
		  "rules/a.yaml:3:27: error: bad-value: a piece is missing: VALUE x DURATION, such as '95 x 60 s'\n"
		  "    3 |       gpu.util: 20 x 60 s,\n"
		  "      |                           ^\n" },
		{ "  - given:\n      gpu.util: _ x 60 s\n    expect: clear\n",
		  "rules/a.yaml:3:7: error: bad-value: the series is nothing but a hole; without a log leave it out\n"
		  "    3 |       gpu.util: _ x 60 s\n"
		  "      |       ^~~~~~~~\n" },
		{ "  - given:\n      gpu.util: 2 of (20 x 60 s\n    expect: clear\n",
		  "rules/a.yaml:3:17: error: bad-value: a ')' is missing at the end\n"
		  "    3 |       gpu.util: 2 of (20 x 60 s\n"
		  "      |                 ^~~~~~~~~~~~~~~\n" },
		{ "  - given:\n      gpu.util: 0 of (20 x 60 s)\n    expect: clear\n",
		  "rules/a.yaml:3:17: error: bad-value: '0 of (' begins no group; write '3 of (10 x 5 s, 95 x 5 s)', from 1 to 10000 times, without another one inside\n"
		  "    3 |       gpu.util: 0 of (20 x 60 s)\n"
		  "      |                 ^~~~~~\n" },
		{ "  - given:\n      gpu.throttle: hw_termal x 60 s\n    expect: clear\n",
		  "rules/a.yaml:3:21: error: unknown-name: unknown reason 'hw_termal'; did you mean 'hw_thermal'?\n"
		  "    3 |       gpu.throttle: hw_termal x 60 s\n"
		  "      |                     ^~~~~~~~~\n" },
		{ "  - given: {gpu.util: {0: 95 x 60 s, 10 x 60 s}}\n    expect: clear\n",
		  "rules/a.yaml:2:38: error: bad-value: inside of { } a comma ends the series; put the series in quotes\n"
		  "    2 |   - given: {gpu.util: {0: 95 x 60 s, 10 x 60 s}}\n"
		  "      |                                      ^~~~~~~~~\n" },
		{ "  - given: {gpu.util: {first: 95 x 60 s}}\n    expect: clear\n",
		  "rules/a.yaml:2:24: error: bad-value: 'first' is no GPU; write its number, such as 3, 0-2 or node02/3, up to 1023\n"
		  "    2 |   - given: {gpu.util: {first: 95 x 60 s}}\n"
		  "      |                        ^~~~~\n" },
		{ "  - given: {gpu.util: {0-1: 95 x 60 s, 1: 95 x 60 s}}\n    expect: clear\n",
		  "rules/a.yaml:2:40: error: duplicate: gpu.util of GPU 1 is given twice\n"
		  "    2 |   - given: {gpu.util: {0-1: 95 x 60 s, 1: 95 x 60 s}}\n"
		  "      |                                        ^\n" },
		{ "  - given: {run.loss: {0: 95 x 60 s}, gpu.util: 1 x 1 s}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-value: run.loss is of the run; it has one series\n"
		  "    2 |   - given: {run.loss: {0: 95 x 60 s}, gpu.util: 1 x 1 s}\n"
		  "      |                       ^\n" },
		{ "  - given: {gpu.util: [95 x 60 s]}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-value: 'gpu.util' must be a text, this is a list\n"
		  "    2 |   - given: {gpu.util: [95 x 60 s]}\n"
		  "      |                       ^\n" },
		{ "  - given: {}\n    expect: clear\n",
		  "rules/a.yaml:2:12: error: bad-value: 'given' has no series\n"
		  "    2 |   - given: {}\n"
		  "      |            ^\n" },
		{ "  - given: {host.cpu.busy: 95 x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:3:13: error: bad-value: the rule is about GPUs, and 'given' has none\n"
		  "    3 |     expect: clear\n"
		  "      |             ^~~~~\n" },
		{ GIVEN "    expect: clear\n    seeed: 3\n",
		  "rules/a.yaml:4:5: error: unknown-key: unknown key 'seeed'; did you mean 'seed'?\n"
		  "    4 |     seeed: 3\n"
		  "      |     ^~~~~\n" },
		{ GIVEN "    expct: clear\n",
		  "rules/a.yaml:3:5: error: unknown-key: unknown key 'expct'; did you mean 'expect'?\n"
		  "    3 |     expct: clear\n"
		  "      |     ^~~~~\n" },
		{ GIVEN "    expect: cleer\n",
		  "rules/a.yaml:3:13: error: bad-value: 'cleer' is no outcome; did you mean 'clear'?\n"
		  "    3 |     expect: cleer\n"
		  "      |             ^~~~~\n" },
		{ GIVEN "    expect: []\n",
		  "rules/a.yaml:3:13: error: bad-value: 'expect' is empty\n"
		  "    3 |     expect: []\n"
		  "      |             ^\n" },
		{ GIVEN "    expect: {reason: why}\n",
		  "rules/a.yaml:3:13: error: missing-key: the expectation has no 'outcome'\n"
		  "    3 |     expect: {reason: why}\n"
		  "      |             ^\n" },
		{ GIVEN "    expect: {outcome: clear, windows: [1 s to 2 s]}\n",
		  "rules/a.yaml:3:30: error: bad-value: only a rule that fired has 'windows'\n"
		  "    3 |     expect: {outcome: clear, windows: [1 s to 2 s]}\n"
		  "      |                              ^~~~~~~\n" },
		{ GIVEN "    expect: {windows: [50 s to 70 s]}\n",
		  "rules/a.yaml:3:32: error: bad-value: '70 s' is after the end of the test, which is 60 s long\n"
		  "    3 |     expect: {windows: [50 s to 70 s]}\n"
		  "      |                                ^~~~\n" },
		{ GIVEN "    expect: {windows: [50 s - 60 s]}\n",
		  "rules/a.yaml:3:24: error: bad-value: '50 s - 60 s' is no window such as '60 s to 180 s'\n"
		  "    3 |     expect: {windows: [50 s - 60 s]}\n"
		  "      |                        ^~~~~~~~~~~\n" },
		{ GIVEN "    expect: {windows: [50 s to 40 s]}\n",
		  "rules/a.yaml:3:24: error: bad-value: '50 s to 40 s' ends before it begins\n"
		  "    3 |     expect: {windows: [50 s to 40 s]}\n"
		  "      |                        ^~~~~~~~~~~~\n" },
		{ GIVEN "    expect: {windows: [10 s to 20 s, 20 s to 30 s]}\n",
		  "rules/a.yaml:3:38: error: bad-value: windows are in order and don't touch\n"
		  "    3 |     expect: {windows: [10 s to 20 s, 20 s to 30 s]}\n"
		  "      |                                      ^~~~~~~~~~~~\n" },
		{ GIVEN "    expect: {windows: [soon to 20 s]}\n",
		  "rules/a.yaml:3:24: error: bad-value: 'soon' is no time; write '60 s', a time of day such as '00:01:00', or 'end'\n"
		  "    3 |     expect: {windows: [soon to 20 s]}\n"
		  "      |                        ^~~~\n" },
		{ GIVEN "    expect: {evidence: {bussy: 10 %}}\n",
		  "rules/a.yaml:3:25: error: unknown-name: the rule has no evidence 'bussy'; did you mean 'busy'?\n"
		  "    3 |     expect: {evidence: {bussy: 10 %}}\n"
		  "      |                         ^~~~~\n" },
		{ GIVEN "    expect: {evidence: {busy: 10 W}}\n",
		  "rules/a.yaml:3:31: error: bad-dimension: '10 W' is a power, 'busy' is a share\n"
		  "    3 |     expect: {evidence: {busy: 10 W}}\n"
		  "      |                               ^~~~\n" },
		{ GIVEN "    expect: {evidence: {busy: ten}}\n",
		  "rules/a.yaml:3:31: error: bad-value: 'ten' is not a quantity such as '30 s' or '80 %'\n"
		  "    3 |     expect: {evidence: {busy: ten}}\n"
		  "      |                               ^~~\n" },
		{ GIVEN "    expect: {evidence: 10 %}\n",
		  "rules/a.yaml:3:24: error: bad-value: 'evidence' must be a map such as {gpu_busy: 10 %}\n"
		  "    3 |     expect: {evidence: 10 %}\n"
		  "      |                        ^~~~\n" },
		{ GIVEN "    expect: {cost: 10 W}\n",
		  "rules/a.yaml:3:20: error: bad-dimension: '10 W' is a power, 'cost' is a share\n"
		  "    3 |     expect: {cost: 10 W}\n"
		  "      |                    ^~~~\n" },
		{ GIVEN "    expect: {on: gpu 3, outcome: clear}\n",
		  "rules/a.yaml:3:18: error: bad-value: no GPU 3 in 'given'\n"
		  "    3 |     expect: {on: gpu 3, outcome: clear}\n"
		  "      |                  ^~~~~\n" },
		{ GIVEN "    expect: {on: somebody, outcome: clear}\n",
		  "rules/a.yaml:3:18: error: bad-value: 'somebody' names nobody; write 'gpu 3', 'gpus 0-2', 'node02/1', 'core 4' or 'the host'\n"
		  "    3 |     expect: {on: somebody, outcome: clear}\n"
		  "      |                  ^~~~~~~~\n" },
		{ GIVEN "    expect: {on: core 1, outcome: clear}\n",
		  "rules/a.yaml:3:18: error: bad-value: the rule is about GPUs\n"
		  "    3 |     expect: {on: core 1, outcome: clear}\n"
		  "      |                  ^~~~~~\n" },
		{ GIVEN "    expect: {on: node02/0, outcome: clear}\n",
		  "rules/a.yaml:3:18: error: bad-value: no GPU 0 of node02 in 'given'\n"
		  "    3 |     expect: {on: node02/0, outcome: clear}\n"
		  "      |                  ^~~~~~~~\n" },
		{ GIVEN "    expect: clear\n    step: 0 s\n",
		  "rules/a.yaml:4:11: error: bad-value: '0 s' is no duration above 0, such as '5 s'\n"
		  "    4 |     step: 0 s\n"
		  "      |           ^~~\n" },
		{ GIVEN "    expect: clear\n    step: 367 d\n",
		  "rules/a.yaml:4:11: error: limit: a step of more than 366 days, the limit 'duration'\n"
		  "    4 |     step: 367 d\n"
		  "      |           ^~~~~\n" },
		{ GIVEN "    expect: clear\n    step: {gpu.utl: 5 s}\n",
		  "rules/a.yaml:4:12: error: unknown-name: unknown metric 'gpu.utl'; did you mean 'gpu.util'?\n"
		  "    4 |     step: {gpu.utl: 5 s}\n"
		  "      |            ^~~~~~~\n" },
		{ GIVEN "    expect: clear\n    start: yesterday\n",
		  "rules/a.yaml:4:12: error: bad-value: 'yesterday' is no time such as '2026-03-29 00:30 +05:30'\n"
		  "    4 |     start: yesterday\n"
		  "      |            ^~~~~~~~~\n" },
		{ GIVEN "    expect: clear\n    seed: many\n",
		  "rules/a.yaml:4:11: error: bad-value: 'many' is no whole number\n"
		  "    4 |     seed: many\n"
		  "      |           ^~~~\n" },
		{ GIVEN "    expect: clear\n    phases: stedy x 5 s\n",
		  "rules/a.yaml:4:13: error: bad-value: 'stedy' is no phase; did you mean 'steady'?\n"
		  "    4 |     phases: stedy x 5 s\n"
		  "      |             ^~~~~\n" },
		{ GIVEN "    expect: clear\n    phases: steady x 60 s, tail x 5 s\n",
		  "rules/a.yaml:4:13: error: bad-value: the last phase begins after the test, which is 60 s long\n"
		  "    4 |     phases: steady x 60 s, tail x 5 s\n"
		  "      |             ^~~~~~~~~~~~~~~~~~~~~~~~~\n" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *const text = arena_print(&logs->mem, TESTS "%s%s", cases[i].tests, RULE);
		assert_null(rules_of(logs, text));
		assert_string_equal(take_complaints(logs), cases[i].complaint);
	}
}

/* The first line of what is said of tests whose parts are of another kind than they must be. */
static void each_part_has_its_form(void **state)
{
	static const struct {
		const char *tests, *complaint;
	} cases[] = {
		{ "  - 5\n", "rules/a.yaml:2:5: error: bad-value: 'tests' must be a list of maps, this is a list with a text" },
		{ "  given: 5\n", "rules/a.yaml:2:3: error: bad-value: 'tests' must be a list of maps, this is a map" },
		{ "  - expect: clear\n", "rules/a.yaml:2:5: error: missing-key: the test has no 'given'" },
		{ "  - given: {gpu.util: 95 x 60 s}\n", "rules/a.yaml:2:5: error: missing-key: the test has no 'expect'" },
		{ "  - given: 5\n    expect: clear\n",
		  "rules/a.yaml:2:12: error: bad-value: 'given' must be a map of metrics and series" },
		{ GIVEN "    expect: {outcome: [clear]}\n",
		  "rules/a.yaml:3:23: error: bad-value: 'outcome' must be a text, this is a list" },
		{ GIVEN "    expect: {outcome: \"\"}\n", "rules/a.yaml:3:23: error: bad-value: 'outcome' is empty" },
		{ GIVEN "    expect: {outcome: cleer}\n",
		  "rules/a.yaml:3:23: error: bad-value: 'cleer' is no outcome; did you mean 'clear'?" },
		{ GIVEN "    expect: [5]\n",
		  "rules/a.yaml:3:14: error: bad-value: '5' is no outcome; there are fired, clear, unknown and skipped" },
		{ GIVEN "    expect: {outcome: fired, windows: {a: b}}\n",
		  "rules/a.yaml:3:39: error: bad-value: 'windows' must be a text, this is a map" },
		{ GIVEN "    expect: {outcome: fired, cost: [5]}\n",
		  "rules/a.yaml:3:36: error: bad-value: 'cost' must be a text, this is a list" },
		{ GIVEN "    expect: {on: [gpu], outcome: clear}\n",
		  "rules/a.yaml:3:19: error: bad-value: 'gpu' names nobody; write 'gpu 3', 'gpus 0-2', 'node02/1', 'core 4' or 'the host'" },
		{ GIVEN "    expect: {on: gpu 3, outcome: clear}\n", "rules/a.yaml:3:18: error: bad-value: no GPU 3 in 'given'" },
		{ GIVEN "    expect: {on: the rum, outcome: clear}\n",
		  "rules/a.yaml:3:18: error: bad-value: 'the rum' names nobody; write 'gpu 3', 'gpus 0-2', 'node02/1', 'core 4' or 'the host'" },
		{ "  - given: {gpu.util: 95 x 60 s}\n    step: [1 s]\n    expect: clear\n",
		  "rules/a.yaml:3:11: error: bad-value: 'step' must be a text, this is a list" },
		{ "  - given: {gpu.util: 95 x 60 s}\n    phases: {a: b}\n    expect: clear\n",
		  "rules/a.yaml:3:13: error: bad-value: 'phases' must be a text, this is a map" },
		{ GIVEN "    expect: clear\n    phases: steady\n",
		  "rules/a.yaml:4:13: error: bad-value: 'steady' has no duration; a piece is VALUE x DURATION, such as '95 x 60 s'" },
		{ GIVEN "    expect: clear\n    phases: wibble x 5 s\n",
		  "rules/a.yaml:4:13: error: bad-value: 'wibble' is no phase; there are idle-head, startup, steady, dip, down, tail and unseen" },
		{ "  - given: {gpu.temp: -300 x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-value: gpu.temp is never below -50 °C" },
		{ "  - given: {gpu.util: a~5 x 60 s}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-value: 'a' is no value of gpu.util; a piece is VALUE x DURATION, such as '95 x 60 s'" },
		{ "  - given: {gpu.util: 5 x 6 x 60 s}\n    expect: clear\n", "rules/a.yaml:2:25: error: bad-value: unknown unit 'x 6'" },
		{ "  - given: {gpu.util: (5 x 60 s) x 999999999}\n    expect: clear\n",
		  "rules/a.yaml:2:23: error: bad-value: '(' begins no group; write '3 of (10 x 5 s, 95 x 5 s)', from 1 to 10000 times, without another one inside" },
		{ GIVEN "    expect: {outcome: fired, windows: 25:99 to 26:00}\n",
		  "rules/a.yaml:3:39: error: bad-value: '25:99' is no time; write '60 s', a time of day such as '00:01:00', or 'end'" },
		{ GIVEN "    expect: {outcome: fired, windows: 9e9 h to 9e9 h}\n",
		  "rules/a.yaml:3:39: error: bad-value: '9e9 h' is no time; write '60 s', a time of day such as '00:01:00', or 'end'" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *const text = arena_print(&logs->mem, TESTS "%s%s", cases[i].tests, RULE);
		assert_null(rules_of(logs, text));
		struct slice said = slice_of(take_complaints(logs));
		const struct slice first = slice_line(&said);
		assert_string_equal(arena_text(&logs->mem, first.p, first.n), cases[i].complaint);
	}
}

/* Who has more mistakes is told that there are more. */
static void mistakes_have_an_end(void **state)
{
	struct logs *const logs = *state;
	struct buf tests;

	for (int n = TEST_PROBLEMS_MAX; n <= TEST_PROBLEMS_MAX + 2; n++) {
		buf_init(&tests, (size_t)1 << 20);
		for (int i = 0; i < n; i++)
			buf_text(&tests, "  - given: {gpu.utl: 95 x 60 s}\n    expect: clear\n");
		assert_null(rules_of(logs, arena_print(&logs->mem, TESTS "%.*s%s", (int)tests.n, tests.at, RULE)));
		buf_release(&tests);
		const char *said = take_complaints(logs), *const end = "rules/a.yaml: error: limit: no more mistakes in its tests are told than 100, the limit 'test-mistakes'\n";
		const char *const at = strstr(said, end);
		assert_true(n > TEST_PROBLEMS_MAX ? at && !strstr(at + 1, end) : !at);
		int n_told = 0;
		while ((said = strstr(said, "unknown-name")) != NULL) {
			said++;
			n_told++;
		}
		assert_int_equal(n_told, TEST_PROBLEMS_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(series_become_samples, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(noise_is_the_same_everywhere, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(given_says_who_is_there, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(made_runs_are_like_those_from_logs, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(made_runs_have_the_phases_they_are_given, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_run_of_nothing_has_a_host, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(tests_pass_and_fail, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(windows_may_be_times_of_day, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(phases_are_given_found_or_those_of_the_rule, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(other_rules_take_part_where_they_exclude, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(failures_are_drawn, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(many_windows_are_counted, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(equal_series_are_one_line, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(of_many_series_some_are_drawn_of_each_metric, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(each_part_has_its_form, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(mistakes_are_told_with_their_places, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(mistakes_have_an_end, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
