/*
 * evaluate_test.c - what rules say of runs: fired, clear, unknown or skipped; when, why, at what cost.
 *
 * Logs are drawn (runs.h): a digit is tens of percent busy for one second, from 02:00:00 on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "rule/rule.h"
#include "rules.h"
#include "runs.h"

#define WORDS "short: s\nchecked: c\nseverity: note\nsources: [s]\ntitle: t\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\n"
#define GPU_RULE WORDS "scope: gpu\nduring: run\n"

static struct verdicts judge(struct logs *logs, struct run *run, const char *rule)
{
	const struct rule_file file = { .path = "rules/a.yaml", .text = slice_of(rule) };
	const struct rules *rules = rules_of_files(&logs->mem, &file, 1, &logs->diags);

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	run_settle(run);
	return rules_judge(rules, run);
}

/* "fired 02:00:03-02:00:06", "clear", "unknown: why", "skipped: why" */
static const char *shown_verdict(struct logs *logs, const struct verdict *v)
{
	const char *more = v->outcome == OUTCOME_FIRED ? arena_print(&logs->mem, " %s", shown_spans(logs, v->when))
			   : v->reason		       ? arena_print(&logs->mem, ": %s", v->reason)
						       : "";

	return arena_print(&logs->mem, "%s%s", outcome_name(v->outcome), more);
}

/* The GPU, the host or NULL, and a rule: the verdict in words. */
struct drawn_case {
	const char *rule, *gpu, *cpu, *verdict;
};

static void check(struct logs *logs, const struct drawn_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);

		run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, cases[i].gpu, NULL, 0));
		if (cases[i].cpu)
			run_take(logs, run, "vmstat.txt", cpu_log(&logs->mem, cases[i].cpu, "UTC", 0));
		const struct verdicts all = judge(logs, run, cases[i].rule);
		assert_int_equal(all.n, 1);
		assert_string_equal(shown_verdict(logs, &all.at[0]), cases[i].verdict);
		assert_string_equal(take_complaints(logs), "");
	}
}
#define CHECK(logs, cases) check((logs), (cases), sizeof(cases) / sizeof(cases)[0])

#define LOW GPU_RULE "when: gpu.util < 50 %\n"

static void has_four_outcomes(void **state)
{
	static const struct drawn_case cases[] = {
		{ LOW, "9991119999", NULL, "fired 02:00:03-02:00:06" },
		{ LOW, "9991199199", NULL, "fired 02:00:03-02:00:05 02:00:07-02:00:08" },
		{ LOW, "9999999999", NULL, "clear" },
		/* the limit itself is not below it */
		{ LOW, "5555555555", NULL, "clear" },
		/* clear needs to know four fifths, fired stands on what is known */
		{ LOW, "9999__9999", NULL, "clear" },
		{ LOW, "999___9999", NULL, "unknown: gpu.util is known for 70 % of the judged time, 80 % needed" },
		{ LOW, "1________9", NULL, "fired 02:00:00-02:00:01" },
		{ LOW "min_coverage: 60 %\n", "999___9999", NULL, "clear" },
		{ LOW "min_coverage: 95 %\n", "999_999999", NULL, "unknown: gpu.util is known for 90 % of the judged time, 95 % needed" },
		/* holes are not known, either */
		{ LOW, "99     999", NULL, "unknown: gpu.util is known for 50 % of the judged time, 80 % needed" },
		{ GPU_RULE "when: host.cpu.busy > 50 %\n", "9999999999", NULL, "skipped: not logged: host.cpu.busy" },
		{ GPU_RULE "when: gpu.temp > 80 C or host.cpu.busy > 50 % and gpu.util > 5 %\n", "9999999999", NULL,
		  "skipped: not logged: gpu.temp, host.cpu.busy" },
		/* a column without a single value is not logged */
		{ LOW, "__________", NULL, "skipped: not logged: gpu.util" },
	};

	CHECK(*state, cases);
}

static void persistence_is_time(void **state)
{
	static const struct drawn_case cases[] = {
		{ LOW "for: 3 s\n", "9991119999", NULL, "fired 02:00:03-02:00:06" },
		{ LOW "for: 4 s\n", "9991119999", NULL, "clear" },
		{ LOW "for: 4 s\n", "9991119111", NULL, "clear" },
		/* gaps up to merge_gap are bridged before the stretch is measured */
		{ LOW "for: 5 s\nmerge_gap: 1 s\n", "9119119999", NULL, "fired 02:00:01-02:00:06" },
		{ LOW "for: 5 s\nmerge_gap: 1 s\n", "9199119999", NULL, "clear" },
		{ LOW "merge_gap: 2 s\n", "9199199919", NULL, "fired 02:00:01-02:00:05 02:00:08-02:00:09" },
		/* what is not known is no bridge, and nothing is cut off its ends */
		{ LOW "merge_gap: 1 s\n", "911_119999", NULL, "fired 02:00:01-02:00:03 02:00:04-02:00:06" },
		{ LOW "for: 20 s\n", "1111111111", NULL, "unknown: too short: 10 s to judge, 20 s needed" },
		{ LOW "for: 10 s\n", "1111111111", NULL, "fired 02:00:00-02:00:10" },
	};

	CHECK(*state, cases);
}

static void hysteresis_ends_where_clear_says(void **state)
{
	static const struct drawn_case cases[] = {
		{ GPU_RULE "when: gpu.util < 30 %\n", "9155559199", NULL, "fired 02:00:01-02:00:02 02:00:07-02:00:08" },
		{ GPU_RULE "when: gpu.util < 30 %\nclear: gpu.util > 70 %\n", "9155559199", NULL,
		  "fired 02:00:01-02:00:06 02:00:07-02:00:08" },
		/* between the limits nothing begins */
		{ GPU_RULE "when: gpu.util < 30 %\nclear: gpu.util > 70 %\n", "5555995555", NULL, "clear" },
	};

	CHECK(*state, cases);
}

static void logic_is_kleenes(void **state)
{
	static const struct drawn_case cases[] = {
		{ GPU_RULE "when: gpu.util < 50 % and host.cpu.busy > 80 %\n", "1111199999", "9911199999", "fired 02:00:00-02:00:02" },
		/* NO and UNKNOWN is NO: enough is known */
		{ GPU_RULE "when: gpu.util < 50 % and host.cpu.busy > 80 %\n", "999____999", "0000000000", "clear" },
		{ GPU_RULE "when: gpu.util < 50 % and host.cpu.busy > 80 %\n", "999____999", "9999999999",
		  "unknown: gpu.util is known for 60 % of the judged time, 80 % needed" },
		/* YES or UNKNOWN is YES */
		{ GPU_RULE "when: gpu.util < 50 % or host.cpu.busy > 80 %\n", "___9999999", "9999900000", "fired 02:00:00-02:00:05" },
		{ GPU_RULE "when: not gpu.util < 50 %\n", "1111__9911", NULL, "fired 02:00:06-02:00:08" },
	};

	CHECK(*state, cases);
}

static void numbers_are_signals(void **state)
{
	static const struct drawn_case cases[] = {
		{ GPU_RULE "when: gpu.util - host.cpu.busy > 30 %\n", "9999999999", "9955559999", "fired 02:00:02-02:00:06" },
		{ GPU_RULE "when: 2 * gpu.util <= host.cpu.busy\n", "9994444999", "9988778899",
		  "fired 02:00:03-02:00:04 02:00:06-02:00:07" },
		{ GPU_RULE "when: gpu.util / host.cpu.busy > 2\n", "9999999999", "0002222999", "fired 02:00:03-02:00:07" },
		  /* by nothing: not known */
		{ GPU_RULE "when: -gpu.util < -80 %\n", "5559999555", NULL, "fired 02:00:03-02:00:07" },
		/* one number over all judged time */
		{ GPU_RULE "when: mean(gpu.util) < 50 %\n", "0000099999", NULL, "fired 02:00:00-02:00:10" },
		{ GPU_RULE "when: max(gpu.util) < 50 %\n", "0000000009", NULL, "clear" },
		/* half of a low second in the mean of three is no low mean */
		{ GPU_RULE "when: mean(gpu.util, 3 s) < 50 %\n", "9991999999", NULL, "clear" },
		/* a parameter is its value */
		{ GPU_RULE "params: {low: {value: 20 %, reason: r}}\nwhen: gpu.util < low\n", "9993199999", NULL,
		  "fired 02:00:04-02:00:05" },
		/* beside logged() a metric that no log has is a no; without it the rule can't be judged */
		{ GPU_RULE "when: gpu.util < 20 % or logged(gpu.temp) and gpu.temp > 80 C\n", "9991999999", NULL, "fired 02:00:03-02:00:04" },
		/* of what no log has nothing is known, and the other side may be enough */
		{ GPU_RULE "when: gpu.util < 20 % or gpu.temp > 80 C\n", "9991999999", NULL, "fired 02:00:03-02:00:04" },
		{ GPU_RULE "when: gpu.util < 20 % or gpu.temp > 80 C\n", "9999999999", NULL, "unknown: not logged: gpu.temp" },
		{ GPU_RULE "when: gpu.util < 20 % or logged(gpu.temp) and gpu.temp > 80 C\n", "9999999999", NULL, "clear" },
		{ GPU_RULE "when: gpu.temp < 20 C or logged(gpu.power) and gpu.power > 80 W\n", "9999999999", NULL,
		  "skipped: not logged: gpu.temp" },
		{ GPU_RULE "when: logged(gpu.power) and gpu.power > 80 W or gpu.temp < 20 C\n", "9999999999", NULL,
		  "skipped: not logged: gpu.temp" },
		{ GPU_RULE "when: gpu.util < 20 % and not (logged(gpu.temp) and gpu.temp > 80 C)\n", "9991999999", NULL,
		  "fired 02:00:03-02:00:04" },
		{ GPU_RULE "when: logged(gpu.temp) and gpu.temp > 80 C\n", "9991999999", NULL, "clear" },
		/* a hole in the log is something one can ask for, and asking is always answered */
		{ GPU_RULE "when: hole(gpu.util)\n", "999     99", NULL, "fired 02:00:03-02:00:08" },
		{ GPU_RULE "when: hole(gpu.util)\n", "999  99999", NULL, "clear" },
	};

	CHECK(*state, cases);
}

/* The same seconds judged in one phase or another: idle head 0-3, start-up 3-5, steady 5-9, tail 9-12. */
static void judges_in_the_phases_of_during(void **state)
{
	static const struct {
		const char *during, *verdict;
		time_ms judged;
	} cases[] = {
		{ "", "fired 02:00:07-02:00:08", 4000 }, /* steady, unless said otherwise */
		{ "during: steady\n", "fired 02:00:07-02:00:08", 4000 },
		{ "during: startup\n", "fired 02:00:03-02:00:05", 2000 },
		{ "during: [startup, steady]\n", "fired 02:00:03-02:00:05 02:00:07-02:00:08", 6000 },
		{ "during: run\n", "fired 02:00:00-02:00:05 02:00:07-02:00:08 02:00:09-02:00:12", 12000 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);

		run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, "000009919000", "000119999000", 0));
		const struct verdicts all =
			judge(logs, run, arena_print(&logs->mem, "%sscope: gpu\nwhen: gpu.util < 50 %%\n%s", WORDS, cases[i].during));
		assert_string_equal(shown_verdict(logs, &all.at[0]), cases[i].verdict);
		assert_int_equal(all.at[0].judged, cases[i].judged);
		assert_true(all.at[0].coverage == 1);
	}
}

/* Work lasts from 4 to 12 s; a window that reached into the idle head and tail would find it half idle. */
static void rolling_windows_see_only_the_judged_time(void **state)
{
	static const struct {
		const char *when, *verdict;
	} cases[] = {
		{ "during: steady\nwhen: mean(gpu.util, 12 s) < 85 %\n", "clear" },
		{ "during: run\nwhen: mean(gpu.util, 12 s) < 50 %\n", "fired 02:00:00-02:00:03 02:00:15-02:00:16" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);

		run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, "0000999999990000", "0000999999990000", 0));
		const struct verdicts all = judge(logs, run, arena_print(&logs->mem, "%sscope: gpu\n%s", WORDS, cases[i].when));
		assert_string_equal(shown_verdict(logs, &all.at[0]), cases[i].verdict);
	}
}

static void looks_across_cores(void **state)
{
	static const char *const cores[] = { "9911111111", "1199111111", "1111111111" };
	static const struct {
		const char *when, *verdict;
	} cases[] = {
		{ "max of cores(core.busy) > 80 %", "fired 02:00:00-02:00:04" },
		{ "min of cores(core.busy) > 80 %", "clear" },
		{ "mean of cores(core.busy) > 30 %", "fired 02:00:00-02:00:04" },
		{ "spread of cores(core.busy) > 70 %", "fired 02:00:00-02:00:04" },
		{ "max of cores(mean(core.busy, 10 s)) > 80 %", "clear" }, /* no core is busy for long */
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);

		run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, "9999999999", NULL, 0));
		run_take(logs, run, "mpstat.txt", core_log(&logs->mem, "11/21/2026", cores, 3, 0));
		const struct verdicts all = judge(logs, run, arena_print(&logs->mem, "%swhen: %s\n", GPU_RULE, cases[i].when));
		assert_string_equal(shown_verdict(logs, &all.at[0]), cases[i].verdict);
	}
}

static void asks_for_single_reasons(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const char *text = "timestamp, index, clocks_event_reasons.active\n";
	static const char *const masks[] = { "0x0", "0x44", "0x40", "[N/A]", "0x4", "0x20", "0x0", "0x0", "0x0", "0x0" };

	for (int i = 0; i < 10; i++)
		text = arena_print(&logs->mem, "%s%s, 0, %s\n", text, local_time(&logs->mem, DAWN + i * SECOND_MS, '/'), masks[i]);
	run_take(logs, run, "gpu.csv", text);
	const struct verdicts all = judge(logs, run, GPU_RULE "when: gpu.throttle has hw_thermal or gpu.throttle has sw_thermal\n");
	assert_string_equal(shown_verdict(logs, &all.at[0]), "fired 02:00:01-02:00:03 02:00:05-02:00:06");
	assert_true(fabs(all.at[0].coverage - 0.9) < 1e-9);
}

/* A GPU that falls off the bus is in no later row, while the others go on: that is a hole up to the end. */
static void a_gpu_that_is_gone_is_a_hole(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const char *text = "timestamp, index, utilization.gpu [%]\n";

	for (int i = 0; i < 12; i++) {
		const char *when = local_time(&logs->mem, DAWN + i * SECOND_MS, '/');
		text = arena_print(&logs->mem, "%s%s, 0, 90 %%\n", text, when);
		if (i < 5)
			text = arena_print(&logs->mem, "%s%s, 1, 90 %%\n", text, when);
	}
	run_take(logs, run, "gpu.csv", text);
	const struct verdicts all = judge(logs, run, GPU_RULE "when: hole(gpu.util)\n");
	assert_string_equal(shown_verdict(logs, &all.at[0]), "clear");
	assert_string_equal(shown_verdict(logs, &all.at[1]), "fired 02:00:05-02:00:12");
}

#define COSTS "when: gpu.util < 50 %\nevidence:\n  busy: mean(gpu.util, inside)\n  rest: mean(gpu.util, outside)\n" \
	      "cost: 1 - gpu.util / ref(gpu.util)\n"

static double cost_at(const struct verdict *v, time_ms t)
{
	double value = (double)NAN;

	for (size_t i = 0; i < v->cost.n && v->cost.at[i].begin <= t; i++)
		value = v->cost.at[i].value;
	return value;
}

/* ref() is the median of the healthy rest; without one, full use, and the verdict says that it was assumed. */
static void cost_is_measured_against_the_healthy_rest(void **state)
{
	static const struct {
		const char *gpu;
		double reference, cost, busy, rest;
		bool assumed;
	} cases[] = {
		{ "8888888881118888", 80, 1 - 10.0 / 80, 10, 80, false },
		{ "8868888882228888", 80, 1 - 20.0 / 80, 20, 1020.0 / 13, false },
		{ "1111111111111111", 100, 0.9, 10, (double)NAN, true },
		{ "1111111111111118", 100, 0.9, 10, 80, true }, /* a sixteenth is no healthy stretch */
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);

		run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, cases[i].gpu, NULL, 0));
		const struct verdicts all = judge(logs, run, GPU_RULE COSTS);
		const struct verdict *v = &all.at[0];
		assert_int_equal(v->outcome, OUTCOME_FIRED);
		assert_true(fabs(v->reference - cases[i].reference) < 1e-9);
		assert_int_equal(v->reference_assumed, cases[i].assumed);
		assert_true(fabs(cost_at(v, v->when.at[0].begin) - cases[i].cost) < 1e-9);
		assert_int_equal(v->evidence[0].unit, UNIT_PERCENT);
		assert_true(fabs(v->evidence[0].value - cases[i].busy) < 1e-9);
		assert_true(isnan(cases[i].rest) ? isnan(v->evidence[1].value) : fabs(v->evidence[1].value - cases[i].rest) < 1e-9);
	}
}

/* What is left beside a finding may be worse than it: nothing healthy to compare with. */
static void a_rest_no_better_is_no_reference(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, "3333333311111111", NULL, 0));
	const struct verdicts all = judge(logs, run, GPU_RULE "when: gpu.util > 20 %\ncost: 1 - gpu.util / ref(gpu.util)\n");
	assert_int_equal(all.at[0].outcome, OUTCOME_FIRED);
	assert_true(all.at[0].reference_assumed);
	assert_true(fabs(cost_at(&all.at[0], DAWN) - 0.7) < 1e-9);
}

/* A busier second than the reference is no gain, and an unknown one costs nothing that is known. */
static void cost_is_a_share(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, "888889_1188888888", NULL, 0));
	const struct verdicts all = judge(logs, run, GPU_RULE COSTS);
	assert_true(cost_at(&all.at[0], DAWN + 5 * SECOND_MS) == 0);
	assert_true(isnan(cost_at(&all.at[0], DAWN + 6 * SECOND_MS)));
	assert_true(fabs(cost_at(&all.at[0], DAWN + 7 * SECOND_MS) - 0.875) < 1e-9);
}

static void gives_one_verdict_a_rule_and_entity(void **state)
{
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	const struct rule_file files[] = {
		{ .path = "rules/c-run.yaml", .text = slice_of(WORDS "scope: run\nduring: run\nwhen: max of gpus(gpu.util) > 50 %\n") },
		{ .path = "rules/b-host.yaml", .text = slice_of(WORDS "scope: host\nduring: run\nwhen: host.cpu.busy > 50 %\n") },
		{ .path = "rules/a-gpu.yaml", .text = slice_of(WORDS "scope: gpu\nduring: run\nwhen: gpu.util > 50 %\n") },
	};
	static const struct {
		const char *rule, *entity, *verdict;
		size_t n_sources;
	} expected[] = {
		{ "a-gpu", "gpu0", "fired 02:00:00-02:00:05", 1 },
		{ "a-gpu", "gpu1", "clear", 1 },
		{ "b-host", "host", "fired 02:00:00-02:00:05", 1 },
		{ "c-run", "run", "fired 02:00:00-02:00:05", 1 },
	};
	struct run *run = run_new(mem, "run", &logs->diags);
	const char *text = "timestamp, index, utilization.gpu [%]\n";

	for (int i = 0; i < 5; i++)
		text = arena_print(mem, "%s%s, 1, 10 %%\n%s, 0, 90 %%\n", text, local_time(mem, DAWN + i * SECOND_MS, '/'),
			local_time(mem, DAWN + i * SECOND_MS, '/'));
	run_take(logs, run, "gpu.csv", text);
	run_take(logs, run, "vmstat.txt", cpu_log(mem, "99999", "UTC", 0));
	run_settle(run);
	const struct rules *rules = rules_of_files(mem, files, 3, &logs->diags);
	assert_non_null(rules);
	const struct verdicts all = rules_judge(rules, run);
	assert_int_equal(all.n, 4);
	for (size_t i = 0; i < all.n; i++) {
		const struct verdict *v = &all.at[i];
		assert_string_equal(v->rule->id, expected[i].rule);
		assert_string_equal(v->entity ? entity_id(mem, v->entity) : "run", expected[i].entity);
		assert_string_equal(shown_verdict(logs, v), expected[i].verdict);
		assert_int_equal(v->n_sources, expected[i].n_sources);
	}
}

/* Laws: blanking a cell never makes clear of what was unknown; shifting all clocks shifts all windows and nothing else. */
static void laws_hold_on_a_drawn_run(void **state)
{
	static const char gpu[] = "99911__1119999_9911119";
	struct logs *logs = *state;
	struct arena *mem = &logs->mem;
	struct run *base = run_new(mem, "run", &logs->diags), *moved = run_new(mem, "run", &logs->diags);
	const char *rule = LOW "for: 3 s\nmerge_gap: 1 s\n";

	run_take(logs, base, "gpu.csv", gpu_log(mem, gpu, NULL, 0));
	run_take(logs, moved, "gpu.csv", gpu_log(mem, gpu, NULL, 5 * HOUR_MS));
	const struct verdicts a = judge(logs, base, rule), b = judge(logs, moved, rule);
	assert_int_equal(a.at[0].outcome, b.at[0].outcome);
	assert_true(a.at[0].coverage == b.at[0].coverage);
	assert_int_equal(a.at[0].when.n, b.at[0].when.n);
	for (size_t i = 0; i < a.at[0].when.n; i++)
		assert_int_equal(a.at[0].when.at[i].begin + 5 * HOUR_MS, b.at[0].when.at[i].begin);

	static const char half_known[] = "9____9____9";
	for (size_t blank = 0; blank < sizeof half_known - 1; blank++) {
		char picture[sizeof half_known];
		struct run *run = run_new(mem, "run", &logs->diags);

		memcpy(picture, half_known, sizeof picture);
		picture[blank] = '_';
		run_take(logs, run, "gpu.csv", gpu_log(mem, picture, NULL, 0));
		assert_int_equal(judge(logs, run, LOW).at[0].outcome, OUTCOME_UNKNOWN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(has_four_outcomes, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(persistence_is_time, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(hysteresis_ends_where_clear_says, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(logic_is_kleenes, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(numbers_are_signals, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(judges_in_the_phases_of_during, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rolling_windows_see_only_the_judged_time, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(looks_across_cores, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(asks_for_single_reasons, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_gpu_that_is_gone_is_a_hole, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(cost_is_measured_against_the_healthy_rest, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_rest_no_better_is_no_reference, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(cost_is_a_share, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(gives_one_verdict_a_rule_and_entity, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(laws_hold_on_a_drawn_run, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
