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

#include "tracks.h"

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
#define LOW_IN(phases) WORDS "scope: gpu\nwhen: gpu.util < 50 %\nduring: [" phases "]\n"

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
		{ LOW "merge_gap: 1 s\n", "91___11999", NULL, "fired 02:00:01-02:00:02 02:00:05-02:00:07" },
		{ LOW "for: 20 s\n", "1111111111", NULL, "unknown: too short: 10 s to judge, 20 s needed" },
		{ LOW "for: 10 s\n", "1111111111", NULL, "fired 02:00:00-02:00:10" },
		/* no time at all is not too short, it is none */
		{ LOW_IN("tail"), "9999999999", NULL, "unknown: no part of the run is tail" },
		{ LOW_IN("idle-head, tail") "for: 5 s\n", "9999999999", NULL, "unknown: no part of the run is idle-head or tail" },
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
		{ "during: run\nwhen: mean(gpu.util, 12 s) < 50 %\n", "fired 02:00:00-02:00:04 02:00:12-02:00:16" },
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
		assert_true(fabs(shares_at(&v->cost, v->when.at[0].begin) - cases[i].cost) < 1e-9);
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
	assert_true(fabs(shares_at(&all.at[0].cost, DAWN) - 0.7) < 1e-9);
}

/* A busier second than the reference is no gain, an unknown one costs nothing that is known, and outside nothing is measured. */
static void cost_is_a_share(void **state)
{
	struct logs *logs = *state;
	struct run *run = run_new(&logs->mem, "run", &logs->diags);

	run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, "888888811_1911888888888", NULL, 0));
	const struct verdicts all = judge(logs, run, GPU_RULE "merge_gap: 1 s\nmax_gap: 1 s\n" COSTS);
	assert_true(isnan(shares_at(&all.at[0].cost, DAWN + 6 * SECOND_MS)));
	assert_true(fabs(shares_at(&all.at[0].cost, DAWN + 7 * SECOND_MS) - 0.875) < 1e-9);
	assert_true(isnan(shares_at(&all.at[0].cost, DAWN + 9 * SECOND_MS)));
	assert_true(shares_at(&all.at[0].cost, DAWN + 11 * SECOND_MS) == 0);
	assert_true(fabs(shares_at(&all.at[0].cost, DAWN + 13 * SECOND_MS) - 0.875) < 1e-9);
	assert_true(isnan(shares_at(&all.at[0].cost, DAWN + 14 * SECOND_MS)));
}

/* "50 %" is 0.5, and so is a share that follows from values. */
static void cost_may_be_written_as_a_share(void **state)
{
	static const struct { const char *cost; double lost; } cases[] = {
		{ "0.25", 0.25 }, { "25 %", 0.25 }, { "0", 0 }, { "100 %", 1 },
		{ "100 % - gpu.util", 0.9 }, { "1 - gpu.util / 100 %", 0.9 }, { "share of gpus(gpu.util < 50 %)", 1 },
		{ "50 % * share of gpus(gpu.util < 50 %)", 0.5 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);
		run_take(logs, run, "gpu.csv", gpu_log(&logs->mem, "8888811118888888", NULL, 0));
		const struct verdicts all = judge(logs, run, arena_print(&logs->mem, GPU_RULE "when: gpu.util < 50 %%\ncost: \"%s\"\n", cases[i].cost));
		assert_true(all.at[0].outcome == OUTCOME_FIRED);
		assert_true(fabs(shares_at(&all.at[0].cost, DAWN + 6 * SECOND_MS) - cases[i].lost) < 1e-9);
	}
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
	} expected[] = {
		{ "a-gpu", "gpu0", "fired 02:00:00-02:00:05" },
		{ "a-gpu", "gpu1", "clear" },
		{ "b-host", "host", "fired 02:00:00-02:00:05" },
		{ "c-run", "run", "fired 02:00:00-02:00:05" },
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

/* Rules a, b, …, tracks, and what is said of each rule and entity: "a gpu0 clear; a gpu1 fired 02:00:00-02:00:03". */
struct many_case {
	const char *rules[4];
	struct picture pictures[12];
	const char *verdicts;
};
#define N_PICTURES 12

static const char *shown_verdicts(struct logs *logs, struct verdicts all)
{
	const char *text = "";

	for (size_t i = 0; i < all.n; i++)
		text = arena_print(&logs->mem, "%s%s%s %s %s", text, i ? "; " : "", all.at[i].rule->id,
			all.at[i].entity ? entity_id(&logs->mem, all.at[i].entity) : "run", shown_verdict(logs, &all.at[i]));
	return text;
}

static void check_many(struct logs *logs, const struct many_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct rules *rules = rules_drawn(logs, cases[i].rules, 4);
		struct run *run = run_drawn(logs, cases[i].pictures, N_PICTURES);

		const char *verdicts = shown_verdicts(logs, rules_judge(rules, run));
		if (strcmp(verdicts, cases[i].verdicts) != 0)
			fail_msg("case %zu: %s\nexpected %s", i, verdicts, cases[i].verdicts);
		assert_string_equal(take_complaints(logs), "");
	}
}
#define CHECK_MANY(logs, cases) check_many((logs), (cases), sizeof(cases) / sizeof(cases)[0])

#define GPU(i, drawn) { METRIC_GPU_UTIL, "", i, drawn }
#define GPU_OF(host, i, drawn) { METRIC_GPU_UTIL, host, i, drawn }
#define POWER(i, drawn) { METRIC_GPU_POWER, "", i, drawn }
#define ERRORS(i, drawn) { METRIC_GPU_ECC_CORRECTED, "", i, drawn }
#define CPU(drawn) { METRIC_CPU_BUSY, "", 0, drawn }
#define BLOCKED(drawn) { METRIC_HOST_BLOCKED, "", 0, drawn }
#define CPU_OF(host, drawn) { METRIC_CPU_BUSY, host, 0, drawn }
#define CORE(host, i, drawn) { METRIC_CORE_BUSY, host, i, drawn }

static void counts_members_of_a_set(void **state)
{
#define FOUR GPU(0, "1111111111"), GPU(1, "9111119999"), GPU(2, "9911__9999"), GPU(3, "9999999999")
	static const struct many_case cases[] = {
		{ { "scope: run\nwhen: count of gpus(gpu.util < 20 %) > 2\n" }, { FOUR }, "a run fired 02:00:02-02:00:04" },
		{ { "scope: run\nwhen: count of gpus(gpu.util < 20 %) >= 2\n" }, { FOUR }, "a run fired 02:00:01-02:00:06" },
		/* while one is unknown there are two or three of them: more than one for sure, more than two perhaps */
		{ { "scope: run\nwhen: count of gpus(gpu.util < 20 %) > 2\nmin_coverage: 90 %\nfor: 4 s\n" }, { FOUR },
		  "a run unknown: true for 2 s of the 4 s needed, and gpu.util is not known around it" },
		{ { "scope: run\nwhen: count of gpus(gpu.util < 20 %) > 3\nmin_coverage: 100 %\n" }, { FOUR }, "a run clear" },
		{ { "scope: run\nwhen: 3 > count of gpus(gpu.util < 20 %)\nmin_coverage: 90 %\nfor: 5 s\n" }, { FOUR },
		  "a run unknown: true for 4 s of the 5 s needed, and gpu.util is not known around it" },
		{ { "scope: run\nwhen: share of gpus(gpu.util < 20 %) >= 50 %\n" }, { FOUR }, "a run fired 02:00:01-02:00:06" },
		{ { "scope: run\nwhen: share of gpus(gpu.util < 20 %) > 50 %\n" }, { FOUR }, "a run fired 02:00:02-02:00:04" },
		{ { "scope: run\nwhen: any of gpus(gpu.util < 20 %)\n" }, { FOUR }, "a run fired 02:00:00-02:00:10" },
		{ { "scope: run\nwhen: all of gpus(gpu.util < 20 %)\n" }, { FOUR }, "a run clear" },
		{ { "scope: run\nwhen: all of gpus(gpu.util < 20 %)\n" }, { GPU(0, "1199111111"), GPU(1, "9111119999"), GPU(2, "1111__9999") },
		  "a run fired 02:00:01-02:00:02" },
		{ { "scope: run\nwhen: not any of gpus(gpu.util < 20 %)\nmin_coverage: 90 %\nfor: 6 s\n" },
		  { GPU(0, "9911999999"), GPU(1, "9999__9999") }, "a run unknown: true for 4 s of the 6 s needed, and gpu.util is not known around it" },
		/* what no log has a value of is no member */
		{ { "scope: run\nwhen: all of gpus(gpu.util < 20 %)\n" }, { GPU(0, "1119"), GPU(1, "____") }, "a run fired 02:00:00-02:00:03" },
		{ { "scope: run\nwhen: all of gpus(gpu.temp < 20 C)\n" }, { GPU(0, "1119") }, "a run skipped: not logged: gpu.temp" },
		/* but what was logged for too short a time to be told is one, and may be the one that is asked for */
		{ { "scope: run\nwhen: all of gpus(mean(gpu.util) < 20 %)\n" }, { GPU(0, "1111111111"), GPU(1, "111_______") },
		  "a run unknown: gpu.util is known for 30 % of the judged time, 80 % needed" },
		{ { "scope: run\nwhen: any of gpus(mean(gpu.util) > 50 %)\n" }, { GPU(0, "1111111111"), GPU(1, "999_______") },
		  "a run unknown: gpu.util is known for 30 % of the judged time, 80 % needed" },
		{ { "scope: gpu\nwhen: gpu.util < 50 % and not any of others(mean(gpu.util) > 50 %)\n" },
		  { GPU(0, "1111111111"), GPU(1, "1111111111"), GPU(2, "999_______") },
		  "a gpu0 unknown: the condition is known for 30 % of the judged time, 80 % needed; "
		  "a gpu1 unknown: the condition is known for 30 % of the judged time, 80 % needed; "
		  "a gpu2 unknown: gpu.util is known for 30 % of the judged time, 80 % needed" },
		/* in sets of sets, too */
		{ { "scope: run\nwhen: max of hosts(mean of gpus(gpu.util)) > 50 %\n" },
		  { GPU_OF("node01", 0, "1111111111"), GPU_OF("node01", 1, "1119911111"), GPU_OF("node02", 0, "1111999111") },
		  "a run fired 02:00:04-02:00:07" },
		{ { "scope: run\nwhen: all of hosts(max of cores(core.busy) > 50 %)\n" },
		  { CORE("node01", 0, "1111111111"), CORE("node01", 1, "1119911111"), CORE("node02", 0, "1111999111"),
			  CPU_OF("node03", "1111111111") }, "a run fired 02:00:04-02:00:05" },
		{ { "scope: run\nwhen: max of gpus(mean(gpu.util)) < 50 %\n" }, { GPU(0, "1111111111"), GPU(1, "111_______") },
		  "a run unknown: gpu.util is known for 30 % of the judged time, 80 % needed" },
		/* one of them that has it is enough, wherever it stands; of the others each lacks what no other GPU has */
		{ { "scope: run\nwhen: any of gpus(gpu.power > 50 W)\n" }, { GPU(0, "1111"), GPU(1, "1111"), POWER(1, "1991"), GPU(2, "1111") },
		  "a run fired 02:00:01-02:00:03" },
		{ { "scope: gpu\nwhen: any of others(gpu.power > 50 W)\n" }, { GPU(0, "1111"), GPU(1, "1111"), POWER(1, "1991"), GPU(2, "1111") },
		  "a gpu0 fired 02:00:01-02:00:03; a gpu1 skipped: not logged: gpu.power; a gpu2 fired 02:00:01-02:00:03" },
	};

	CHECK_MANY(*state, cases);
}

/* Of those that are known, and of what the metric can be: a busy share lies between 0 and 100 %, a power mostly anywhere. */
static void numbers_over_sets_have_bounds(void **state)
{
#define ONE_MISSES GPU(0, "1111111111"), GPU(1, "5559999555"), GPU(2, "555____555")
#define KNOWN_FOR_60 "a run unknown: gpu.util is known for 60 % of the judged time, 80 % needed"
	static const struct many_case cases[] = {
		{ { "scope: run\nwhen: max of gpus(gpu.util) > 80 %\n" }, { ONE_MISSES }, "a run fired 02:00:03-02:00:07" },
		{ { "scope: run\nwhen: max of gpus(gpu.util) < 20 %\n" }, { ONE_MISSES }, "a run clear" },
		{ { "scope: run\nwhen: max of gpus(gpu.util) > 95 %\n" }, { ONE_MISSES }, KNOWN_FOR_60 },
		{ { "scope: run\nwhen: max of gpus(gpu.util) > 100 %\n" }, { ONE_MISSES }, "a run clear" },
		{ { "scope: run\nwhen: 80 % < max of gpus(gpu.util)\n" }, { ONE_MISSES }, "a run fired 02:00:03-02:00:07" },
		{ { "scope: run\nwhen: min of gpus(gpu.util) > 20 %\n" }, { ONE_MISSES }, "a run clear" },
		{ { "scope: run\nwhen: min of gpus(gpu.util) < 10 %\n" }, { ONE_MISSES }, KNOWN_FOR_60 },
		{ { "scope: run\nwhen: p50 of gpus(gpu.util) > 5 %\n" }, { ONE_MISSES }, "a run fired 02:00:00-02:00:10" },
		{ { "scope: run\nwhen: p50 of gpus(gpu.util) > 50 %\n" }, { ONE_MISSES }, KNOWN_FOR_60 },
		{ { "scope: run\nwhen: max of gpus(mean(gpu.util)) > 50 %\n" }, { GPU(0, "1999999999"), GPU(1, "111_______") },
		  "a run fired 02:00:00-02:00:10" },
		/* of sums and means nothing is told */
		{ { "scope: run\nwhen: sum of gpus(gpu.util) > 90 %\n" }, { ONE_MISSES }, "a run fired 02:00:00-02:00:03 02:00:07-02:00:10" },
		/* in arithmetic */
		{ { "scope: run\nwhen: 50 % * max of gpus(gpu.util) >= 45 %\n" }, { ONE_MISSES }, "a run fired 02:00:03-02:00:07" },
		{ { "scope: run\nwhen: max of gpus(gpu.util) / 2 >= 45 %\n" }, { ONE_MISSES }, "a run fired 02:00:03-02:00:07" },
		{ { "scope: run\nwhen: max of gpus(gpu.util) - 40 % >= 50 %\n" }, { ONE_MISSES }, "a run fired 02:00:03-02:00:07" },
		{ { "scope: run\nwhen: -max of gpus(gpu.util) <= -90 %\n" }, { ONE_MISSES }, "a run fired 02:00:03-02:00:07" },
		{ { "scope: run\nwhen: 100 % - max of gpus(gpu.util) <= 10 %\n" }, { ONE_MISSES }, "a run fired 02:00:03-02:00:07" },
		{ { "scope: run\nwhen: max of gpus(gpu.util) - min of gpus(gpu.util) >= 80 %\n" }, { ONE_MISSES }, "a run fired 02:00:03-02:00:07" },
		{ { "scope: run\nwhen: max of gpus(gpu.util) - min of gpus(gpu.util) < 80 %\n" }, { ONE_MISSES },
		  "a run fired 02:00:00-02:00:03 02:00:07-02:00:10" },
		{ { "scope: run\nwhen: max of gpus(gpu.util) - min of gpus(gpu.util) > 90 %\n" }, { ONE_MISSES }, KNOWN_FOR_60 },
		{ { "scope: run\nwhen: 90 % / max of gpus(gpu.util) > 1\n" }, { ONE_MISSES }, "a run fired 02:00:00-02:00:03 02:00:07-02:00:10" },
		{ { "scope: run\nwhen: 90 % / max of gpus(gpu.util) < 95 %\n" }, { ONE_MISSES }, KNOWN_FOR_60 },
		/* a part of what may be nothing may be anything */
		{ { "scope: run\nwhen: 50 % / min of gpus(gpu.util) > 1\n" }, { ONE_MISSES }, "a run fired 02:00:00-02:00:03 02:00:07-02:00:10" },
		/* on both sides, and of the only host */
		{ { "scope: run\nwhen: max of gpus(gpu.util) > 600 % * min of gpus(gpu.util)\n" }, { ONE_MISSES }, "a run fired 02:00:03-02:00:07" },
		{ { "scope: run\nwhen: 500 % * min of gpus(gpu.util) >= max of gpus(gpu.util)\n" }, { ONE_MISSES },
		  "a run fired 02:00:00-02:00:03 02:00:07-02:00:10" },
		{ { "scope: run\nwhen: max of gpus(gpu.util) == min of gpus(gpu.util)\n" }, { ONE_MISSES }, "a run clear" },
		{ { "scope: run\nwhen: max of gpus(gpu.util) != min of gpus(gpu.util)\n" }, { ONE_MISSES }, "a run fired 02:00:00-02:00:10" },
		{ { "scope: run\nwhen: max of gpus(gpu.util) < 950 % * min of gpus(gpu.util)\nmin_coverage: 100 %\nfor: 8 s\n" }, { ONE_MISSES },
		  "a run unknown: true for 3 s of the 8 s needed, and gpu.util is not known around it" },
		{ { "scope: run\nwhen: max of hosts(max of gpus(gpu.util)) > 80 %\n" }, { ONE_MISSES }, "a run fired 02:00:03-02:00:07" },
		/* but not where both sides of a product vary */
		{ { "scope: run\nwhen: max of gpus(gpu.util) * min of gpus(gpu.util) > 20 %\n" }, { ONE_MISSES }, KNOWN_FOR_60 },
		{ { "scope: run\nwhen: max of gpus(gpu.util) * min of gpus(mean(gpu.util)) > 8 %\nmin_coverage: 60 %\n" }, { ONE_MISSES },
		  "a run fired 02:00:03-02:00:07" },
		/* what they draw can be anything, or nearly */
		{ { "scope: run\nwhen: max of gpus(gpu.power) > 80 W\n" }, { GPU(0, "1111"), POWER(0, "1199"), GPU(1, "1111"), POWER(1, "11__") },
		  "a run fired 02:00:02-02:00:04" },
		{ { "scope: run\nwhen: max of gpus(gpu.power) > 300 W\n" }, { GPU(0, "1111"), POWER(0, "1199"), GPU(1, "1111"), POWER(1, "11__") },
		  "a run unknown: gpu.power is known for 50 % of the judged time, 80 % needed" },
		/* of others each misses another one */
		{ { "scope: gpu\nwhen: gpu.util < 50 % * max of others(gpu.util)\n" },
		  { GPU(0, "1119999111"), GPU(1, "9999999999"), GPU(2, "999____999") },
		  "a gpu0 fired 02:00:00-02:00:03 02:00:07-02:00:10; a gpu1 clear; "
		  "a gpu2 unknown: gpu.util is known for 60 % of the judged time, 80 % needed" },
	};

	CHECK_MANY(*state, cases);
}

/* Two GPUs that begin and end work together, asked one after the other. */
static const char *polled_log(struct logs *logs, int apart_ms)
{
	const char *text = "timestamp, index, utilization.gpu [%]\n";

	for (int second = 0; second < 10; second++)
		for (int gpu = 0; gpu < 2; gpu++)
			text = arena_print(&logs->mem, "%s2026/11/21 02:00:%02d.%03d, %d, %d %%\n", text, second, gpu * apart_ms, gpu,
				second % 4 < 2 ? 99 : 1);
	return text;
}

/* What a set looks like until the last row of a poll is written is an artefact. */
static void rows_of_a_poll_are_one_moment(void **state)
{
	static const char *const written[4] = { "scope: run\nwhen: max of gpus(gpu.util) - min of gpus(gpu.util) > 50 %\n" };
	static const struct {
		int apart_ms;
		enum outcome outcome;
	} cases[] = { { 0, OUTCOME_CLEAR }, { 23, OUTCOME_CLEAR }, { 300, OUTCOME_CLEAR }, { 480, OUTCOME_CLEAR }, { 700, OUTCOME_FIRED } };
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);
		run_take(logs, run, "gpu.csv", polled_log(logs, cases[i].apart_ms));
		run_settle(run);
		const struct verdicts all = rules_judge(rules_drawn(logs, written, 4), run);
		assert_int_equal(all.n, 1);
		assert_int_equal(all.at[0].outcome, cases[i].outcome);
	}
}

/* Of a share that is not known, but lies in bounds, what is lost for sure; where what is lost at least is told too, the most. */
static void cost_takes_bounds(void **state)
{
#define OF_BUSIEST "scope: gpu\nwhen: gpu.util < 20 %\ncost: 1 - gpu.util / max of gpus(gpu.util)\n"
	static const char *const written[4] = { OF_BUSIEST, OF_BUSIEST "cost_least: 0 %\n" };
	static const struct picture pictures[N_PICTURES] = { GPU(0, "1111111111"), GPU(1, "5555555555"), GPU(2, "55555_____") };
	const time_ms known = DAWN + 2 * SECOND_MS, not_known = DAWN + 7 * SECOND_MS;
	struct logs *logs = *state;

	const struct verdicts all = rules_judge(rules_drawn(logs, written, 4), run_drawn(logs, pictures, N_PICTURES));
	assert_int_equal(all.n, 6);
	for (size_t i = 0; i < 2; i++) {
		const struct verdict *const v = &all.at[3 * i];

		assert_int_equal(v->outcome, OUTCOME_FIRED);
		assert_true(fabs(shares_at(&v->cost, known) - 0.8) < 1e-9);
		assert_true(fabs(shares_at(&v->cost, not_known) - (i == 0 ? 0.8 : 0.9)) < 1e-9); /* 10 % of 50 %, or of 100 % */
	}
}

static void lacks_are_told_of_who_lacks(void **state)
{
	static const struct many_case cases[] = {
		{ { "scope: gpu\nwhen: gpu.power > 50 W\n" }, { GPU(0, "1111"), GPU(1, "1111"), POWER(1, "1991"), GPU(2, "1111") },
		  "a gpu0 skipped: not logged: gpu.power; a gpu1 fired 02:00:01-02:00:03; a gpu2 skipped: not logged: gpu.power" },
		{ { "scope: gpu\nwhen: gpu.power > 50 W\n" }, { GPU(0, "1111"), POWER(0, "1991"), GPU(1, "1111") },
		  "a gpu0 fired 02:00:01-02:00:03; a gpu1 skipped: not logged: gpu.power" },
		/* where all are logged alike, and one of a host logs for all of it */
		{ { "scope: gpu\nwhen: gpu.power > 50 W\n" }, { GPU(0, "1111"), GPU(1, "1111") },
		  "a gpu0 skipped: not logged: gpu.power; a gpu1 skipped: not logged: gpu.power" },
		{ { "scope: gpu\nwhen: host.cpu.busy > 50 %\n" },
		  { GPU_OF("node01", 0, "1111"), GPU_OF("node01", 1, "1111"), GPU_OF("node02", 0, "1111"), CPU_OF("node01", "1991") },
		  "a node01/gpu0 fired 02:00:01-02:00:03; a node01/gpu1 fired 02:00:01-02:00:03; a node02/gpu0 skipped: not logged: host.cpu.busy" },
		{ { "scope: gpu\nwhen: gpu.util < 20 %\nclear: gpu.power > 50 W\n" }, { GPU(0, "1999"), POWER(0, "1991"), GPU(1, "1999") },
		  "a gpu0 fired 02:00:00-02:00:01; a gpu1 skipped: not logged: gpu.power" },
	};

	CHECK_MANY(*state, cases);
}

static void knows_who_is_meant_by_a_set(void **state)
{
#define TWO_HOSTS                                                                                                                    \
	GPU_OF("node01", 0, "11199999"), GPU_OF("node01", 1, "99999999"), GPU_OF("node02", 0, "99999111"),                             \
		CPU_OF("node01", "99999999"), CPU_OF("node02", "11111111"), CORE("node01", 0, "99111111"), CORE("node02", 0, "11111199")
	static const struct many_case cases[] = {
		/* in a host rule the GPUs and cores are its own */
		{ { "scope: host\nwhen: min of gpus(gpu.util) < 50 %\n" }, { TWO_HOSTS },
		  "a node01 fired 02:00:00-02:00:03; a node02 fired 02:00:05-02:00:08" },
		{ { "scope: host\nwhen: max of cores(core.busy) > 50 %\n" }, { TWO_HOSTS },
		  "a node01 fired 02:00:00-02:00:02; a node02 fired 02:00:06-02:00:08" },
		{ { "scope: gpu\nwhen: max of cores(core.busy) > 50 %\n" }, { TWO_HOSTS },
		  "a node01/gpu0 fired 02:00:00-02:00:02; a node01/gpu1 fired 02:00:00-02:00:02; a node02/gpu0 fired 02:00:06-02:00:08" },
		/* elsewhere the GPUs are those of the run */
		{ { "scope: gpu\nwhen: min of gpus(gpu.util) < 50 % and gpu.util > 50 %\n" }, { TWO_HOSTS },
		  "a node01/gpu0 fired 02:00:05-02:00:08; a node01/gpu1 fired 02:00:00-02:00:03 02:00:05-02:00:08; a node02/gpu0 fired "
		  "02:00:00-02:00:03" },
		{ { "scope: gpu\nwhen: gpu.util < p50 of others(gpu.util) - 30 %\n" }, { TWO_HOSTS },
		  "a node01/gpu0 fired 02:00:00-02:00:03; a node01/gpu1 clear; a node02/gpu0 fired 02:00:05-02:00:08" },
		{ { "scope: gpu\nwhen: all of others(gpu.util > 50 %)\n" }, { TWO_HOSTS },
		  "a node01/gpu0 fired 02:00:00-02:00:05; a node01/gpu1 fired 02:00:03-02:00:05; a node02/gpu0 fired 02:00:03-02:00:08" },
		{ { "scope: run\nwhen: max of hosts(host.cpu.busy) > 50 %\n" }, { TWO_HOSTS }, "a run fired 02:00:00-02:00:08" },
		{ { "scope: run\nwhen: min of hosts(host.cpu.busy) > 50 %\n" }, { TWO_HOSTS }, "a run clear" },
		/* each GPU beside its own host */
		{ { "scope: run\nwhen: any of gpus(gpu.util < 50 % and host.cpu.busy < 50 %)\n" }, { TWO_HOSTS },
		  "a run fired 02:00:05-02:00:08" },
		{ { "scope: gpu\nwhen: gpu.util < 50 % and host.cpu.busy < 50 %\n" }, { TWO_HOSTS },
		  "a node01/gpu0 clear; a node01/gpu1 clear; a node02/gpu0 fired 02:00:05-02:00:08" },
		{ { "scope: core\nwhen: core.busy > 50 % and host.cpu.busy > 50 %\n" }, { TWO_HOSTS },
		  "a node01/core0 fired 02:00:00-02:00:02; a node02/core0 clear" },
		/* and it is the member that nobody logged that is missing, not what stands beside it */
		{ { "scope: gpu\nwhen: gpu.util < 50 % and max of cores(core.busy) > 50 %\n" },
		  { GPU_OF("node01", 0, "11111111"), GPU_OF("node02", 0, "11111111"), CORE("node01", 0, "1111____"), CORE("node02", 0, "11______"),
			  CORE("node01", 1, "11111111") },
		  "a node01/gpu0 unknown: core.busy is known for 50 % of the judged time, 80 % needed; "
		  "a node02/gpu0 unknown: core.busy is known for 25 % of the judged time, 80 % needed" },
	};

	CHECK_MANY(*state, cases);
}

/* What holds only of what differs from others is not asked where there are none; what may hold of one alone is. */
static void compares_with_nobody(void **state)
{
	static const struct many_case cases[] = {
		{ { "scope: gpu\nwhen: any of others(gpu.util > 50 %) and gpu.util < 50 %\n" }, { GPU(0, "1999") }, "a gpu0 skipped: only one GPU" },
		{ { "scope: gpu\nwhen: any of others(gpu.util > 50 %) and gpu.util < 50 %\n" }, { GPU(0, "9999"), GPU(1, "9911") },
		  "a gpu0 clear; a gpu1 fired 02:00:02-02:00:04" },
		/* also where its metrics are missing */
		{ { "scope: gpu\nwhen: gpu.power > 50 W and any of others(gpu.power > 50 W)\n" }, { GPU(0, "1999") }, "a gpu0 skipped: only one GPU" },
		{ { "scope: gpu\nwhen: any of others(gpu.util > 50 %) or gpu.util < 50 %\n" }, { GPU(0, "1999") }, "a gpu0 fired 02:00:00-02:00:01" },
		{ { "scope: gpu\nwhen: not any of others(gpu.util > 50 %) and gpu.util < 50 %\n" }, { GPU(0, "1999") },
		  "a gpu0 fired 02:00:00-02:00:01" },
		{ { "scope: gpu\nwhen: logged(log.host_silent) and log.host_silent > 1 s\n" }, { GPU_OF("node01", 0, "1999") },
		  "a node01/gpu0 skipped: only one host" },
		/* one log has no clock beside it: none is apart from it, and none differs by less */
		{ { "scope: gpu\nwhen: log.skew > 1 s\n" }, { GPU(0, "1999") }, "a gpu0 skipped: only one log" },
		{ { "scope: gpu\nwhen: log.skew > 1 s or gpu.util < 50 %\n" }, { GPU(0, "1999") }, "a gpu0 fired 02:00:00-02:00:01" },
		{ { "scope: gpu\nwhen: log.skew < 1 s and gpu.util < 50 %\n" }, { GPU(0, "1999") }, "a gpu0 skipped: the logs don't tell" },
	};

	CHECK_MANY(*state, cases);
}

/* The same words in several rules, scopes and judged times are one thing only where they mean the same. */
static void shares_only_what_is_the_same(void **state)
{
	static const struct many_case cases[] = {
		{ { "scope: gpu\nwhen: host.cpu.busy > 50 % and gpu.util < 50 %\n", "scope: host\nwhen: host.cpu.busy > 50 %\n",
		    "scope: gpu\nwhen: gpu.util < 50 % or host.cpu.busy > 50 %\n" },
		  { GPU_OF("node01", 0, "1199"), GPU_OF("node02", 0, "9911"), CPU_OF("node01", "1999"), CPU_OF("node02", "9991") },
		  "a node01/gpu0 fired 02:00:01-02:00:02; a node02/gpu0 fired 02:00:02-02:00:03; b node01 fired 02:00:01-02:00:04; "
		  "b node02 fired 02:00:00-02:00:03; c node01/gpu0 fired 02:00:00-02:00:04; c node02/gpu0 fired 02:00:00-02:00:04" },
		/* gpus of a host, and of the run */
		{ { "scope: host\nwhen: max of gpus(gpu.util) > 50 %\n", "scope: run\nwhen: max of gpus(gpu.util) > 50 %\n" },
		  { GPU_OF("node01", 0, "1199"), GPU_OF("node02", 0, "1111") },
		  "a node01 fired 02:00:02-02:00:04; a node02 clear; b run fired 02:00:02-02:00:04" },
		/* one window, one number, two limits */
		{ { "scope: gpu\nwhen: mean(gpu.util, 2 s) > 40 %\n", "scope: gpu\nwhen: mean(gpu.util, 2 s) > 95 %\n",
		    "scope: gpu\nwhen: mean(gpu.util, 4 s) > 40 %\n" },
		  { GPU(0, "1111999911") }, "a gpu0 fired 02:00:04-02:00:08; b gpu0 clear; c gpu0 fired 02:00:04-02:00:08" },
		/* enough for one rule is too little for the other */
		{ { "scope: gpu\nwhen: mean(gpu.util) > 80 %\nmin_coverage: 50 %\n", "scope: gpu\nwhen: mean(gpu.util) > 80 %\n" },
		  { GPU(0, "999999____") },
		  "a gpu0 fired 02:00:00-02:00:10; b gpu0 unknown: gpu.util is known for 60 % of the judged time, 80 % needed" },
	};

	CHECK_MANY(*state, cases);
}

/* A GPU that was gone by then takes no number from the others; what is asked in a condition is not known without it. */
static void evidence_is_of_those_that_were_seen(void **state)
{
	static const struct picture pictures[] = { GPU(0, "99999999991111111111"), GPU(1, "9999999999__________") };
	struct logs *logs = *state;
	const char *const text = "scope: gpu\nwhen: gpu.util < 50 %\nevidence:\n  most: max of gpus(mean(gpu.util, inside))\n";
	const struct verdicts all = rules_judge(rules_drawn(logs, &text, 1), run_drawn(logs, pictures, 2));

	assert_int_equal(all.at[0].outcome, OUTCOME_FIRED);
	assert_true(fabs(all.at[0].evidence[0].value - 10) < 1e-9);
}

/* What is kept of others is given back when nobody asks any more; who asks late is told the same. */
static void others_are_asked_in_any_order(void **state)
{
#define THREE GPU(0, "9911"), GPU(1, "1199"), GPU(2, "1111")
	static const struct many_case cases[] = {
		/* one GPU without any value, who sees three others and is none of them */
		{ { "scope: gpu\nwhen: max of others(gpu.util) > 50 % and min of others(gpu.util) < 50 %\n" }, { THREE, GPU(3, "____") },
		  "a gpu0 fired 02:00:02-02:00:04; a gpu1 fired 02:00:00-02:00:02; a gpu2 fired 02:00:00-02:00:04; "
		  "a gpu3 fired 02:00:00-02:00:04" },
		/* the same number for a second rule, and another one of the same GPUs when that has been given back */
		{ { "scope: gpu\nwhen: gpu.util > max of others(gpu.util)\n", "scope: gpu\nwhen: p50 of others(gpu.util) > 50 %\n",
		    "scope: gpu\nwhen: max of others(gpu.util) < 50 %\n" },
		  { THREE },
		  "a gpu0 fired 02:00:00-02:00:02; a gpu1 fired 02:00:02-02:00:04; a gpu2 clear; b gpu0 clear; b gpu1 clear; b gpu2 clear; "
		  "c gpu0 fired 02:00:00-02:00:02; c gpu1 fired 02:00:02-02:00:04; c gpu2 clear" },
	};

	CHECK_MANY(*state, cases);
}

static void folds_conditions_and_counters(void **state)
{
	static const struct many_case cases[] = {
		{ { "scope: gpu\nwhen: share(gpu.util < 50 %, 4 s) >= 75 %\nfor: 2 s\n" }, { GPU(0, "9999111111") }, "a gpu0 fired 02:00:05-02:00:10" },
		{ { "scope: gpu\nwhen: share(gpu.util < 50 %) > 30 %\n" }, { GPU(0, "9999991111") }, "a gpu0 fired 02:00:00-02:00:10" },
		{ { "scope: gpu\nwhen: share(gpu.util < 50 %) > 40 %\n" }, { GPU(0, "9999991111") }, "a gpu0 clear" },
		{ { "scope: gpu\nwhen: total(gpu.util < 50 %) >= 4 s\n" }, { GPU(0, "9999991111") }, "a gpu0 fired 02:00:00-02:00:10" },
		{ { "scope: gpu\nwhen: delta(gpu.ecc_corrected, run) > 3\n" }, { GPU(0, "9999999999"), ERRORS(0, "1112222555") },
		  "a gpu0 fired 02:00:00-02:00:10" },
		{ { "scope: gpu\nwhen: delta(gpu.ecc_corrected, run) > 4\n" }, { GPU(0, "9999999999"), ERRORS(0, "1112222555") }, "a gpu0 clear" },
		/* a restart is no negative growth */
		{ { "scope: gpu\nwhen: delta(gpu.ecc_corrected, run) > 4\n" }, { GPU(0, "9999999999"), ERRORS(0, "1115222555") },
		  "a gpu0 fired 02:00:00-02:00:10" },
		{ { "scope: gpu\nwhen: max(gpu.util, steady) > 80 %\n" }, { GPU(0, "1119111111") }, "a gpu0 fired 02:00:00-02:00:10" },
		/* a phase that this run does not have */
		{ { "scope: gpu\nwhen: max(gpu.util, tail) > 80 %\n" }, { GPU(0, "1119111111") },
		  "a gpu0 unknown: the condition is known for 0 % of the judged time, 80 % needed" },
	};

	CHECK_MANY(*state, cases);
}

/* One truth for the run: all of the judged time fires, or nothing; what is known may decide although it is little. */
static void whole_runs_need_coverage(void **state)
{
#define LITTLE "12_______1"
	static const struct many_case cases[] = {
		{ { "scope: gpu\nwhen: max(gpu.util) > 15 %\n" }, { GPU(0, LITTLE) }, "a gpu0 fired 02:00:00-02:00:10" },
		{ { "scope: gpu\nwhen: max(gpu.util) < 15 %\n" }, { GPU(0, LITTLE) }, "a gpu0 clear" },
		{ { "scope: gpu\nwhen: max(gpu.util) < 50 %\n" }, { GPU(0, LITTLE) },
		  "a gpu0 unknown: gpu.util is known for 30 % of the judged time, 80 % needed" },
		{ { "scope: gpu\nwhen: min(gpu.util) < 15 %\n" }, { GPU(0, LITTLE) }, "a gpu0 fired 02:00:00-02:00:10" },
		{ { "scope: gpu\nwhen: min(gpu.util) > 5 %\n" }, { GPU(0, LITTLE) },
		  "a gpu0 unknown: gpu.util is known for 30 % of the judged time, 80 % needed" },
		{ { "scope: gpu\nwhen: mean(gpu.util) < 50 %\n" }, { GPU(0, LITTLE) },
		  "a gpu0 unknown: gpu.util is known for 30 % of the judged time, 80 % needed" },
		{ { "scope: gpu\nwhen: mean(gpu.util) < 50 %\nmin_coverage: 30 %\n" }, { GPU(0, LITTLE) }, "a gpu0 fired 02:00:00-02:00:10" },
		/* 3 s of 10 s W = 100 W s and more, in Wh */
		{ { "scope: gpu\nwhen: total(gpu.power) >= 0.01 Wh\n" }, { GPU(0, "9999999999"), POWER(0, LITTLE) }, "a gpu0 fired 02:00:00-02:00:10" },
		{ { "scope: gpu\nwhen: total(gpu.power) < 0.02 Wh\n" }, { GPU(0, "9999999999"), POWER(0, LITTLE) },
		  "a gpu0 unknown: gpu.power is known for 30 % of the judged time, 80 % needed" },
		/* of the share at least 2 in 10 are low, at most 9 in 10 */
		{ { "scope: gpu\nwhen: share(gpu.util < 15 %) >= 20 %\n" }, { GPU(0, LITTLE) }, "a gpu0 fired 02:00:00-02:00:10" },
		{ { "scope: gpu\nwhen: share(gpu.util < 15 %) > 95 %\n" }, { GPU(0, LITTLE) }, "a gpu0 clear" },
		{ { "scope: gpu\nwhen: share(gpu.util < 15 %) > 50 %\n" }, { GPU(0, LITTLE) },
		  "a gpu0 unknown: gpu.util is known for 30 % of the judged time, 80 % needed" },
		/* also inside of the condition of an interval rule, and of sets */
		{ { "scope: gpu\nwhen: gpu.util < 15 % and max(gpu.util) < 50 %\n" }, { GPU(0, LITTLE) },
		  "a gpu0 unknown: gpu.util is known for 30 % of the judged time, 80 % needed" },
		{ { "scope: run\nwhen: max of gpus(mean(gpu.util)) > 50 %\n" }, { GPU(0, "9999999999"), GPU(1, "1111111111") },
		  "a run fired 02:00:00-02:00:10" },
		{ { "scope: run\nwhen: count of gpus(mean(gpu.util) > 50 %) == 1\n" }, { GPU(0, "9999999999"), GPU(1, "1111111111") },
		  "a run fired 02:00:00-02:00:10" },
	};

	CHECK_MANY(*state, cases);
}

/* What is shown are true samples: the mean over 4 s knows of a change before it comes. */
static void windows_over_time_shift_nothing(void **state)
{
	static const struct many_case cases[] = {
		{ { "scope: gpu\nwhen: mean(gpu.util, 4 s) < 70 %\n" }, { GPU(0, "999911119999") }, "a gpu0 fired 02:00:04-02:00:08" },
		{ { "scope: gpu\nwhen: min(gpu.util, 4 s) < 70 %\n" }, { GPU(0, "999911119999") }, "a gpu0 fired 02:00:04-02:00:08" },
		/* a counter grows from one row to the next: two in the one second of four */
		{ { "scope: gpu\nwhen: rate(gpu.ecc_corrected, 4 s) >= 0.5 /s\n" }, { GPU(0, "9999999999"), ERRORS(0, "1111133333") },
		  "a gpu0 fired 02:00:04-02:00:05" },
		/* a fold that nothing at one moment stands for keeps its window */
		{ { "scope: gpu\nwhen: spread(gpu.util, 4 s) > 50 %\n" }, { GPU(0, "999999991111") }, "a gpu0 fired 02:00:07-02:00:10" },
		/* the mean of two halves is low though no moment is: left as it is */
		{ { "scope: gpu\nwhen: mean(gpu.util, 4 s) > 45 % and mean(gpu.util, 4 s) < 65 %\n" }, { GPU(0, "999999991111") },
		  "a gpu0 fired 02:00:08-02:00:09" },
		/* the mean over 8 s knows late of a weak change, and early of its end */
		{ { "scope: gpu\nwhen: mean(gpu.util, 8 s) < 60 %\n" }, { GPU(0, "99999999555555555555999999999") }, "a gpu0 fired 02:00:08-02:00:20" },
		/* `for` asks for true samples */
		{ { "scope: gpu\nwhen: mean(gpu.util, 4 s) < 70 %\nfor: 4 s\n" }, { GPU(0, "999911119999") }, "a gpu0 fired 02:00:04-02:00:08" },
		{ { "scope: gpu\nwhen: mean(gpu.util, 4 s) < 70 %\nfor: 5 s\n" }, { GPU(0, "999911119999") }, "a gpu0 clear" },
		/* with a `clear` up to the last moment at which that did not hold */
		{ { "scope: gpu\nwhen: mean(gpu.util, 4 s) < 30 %\nclear: mean(gpu.util, 4 s) > 70 %\n" }, { GPU(0, "999911116666999999") },
		  "a gpu0 fired 02:00:04-02:00:12" },
		{ { "scope: gpu\nwhen: mean(gpu.util, 4 s) < 30 %\nclear: mean(gpu.util, 4 s) > 50 %\n" }, { GPU(0, "999911116666999999") },
		  "a gpu0 fired 02:00:04-02:00:08" },
	};

	CHECK_MANY(*state, cases);
}

static void gaps_are_bridged_by_their_kind(void **state)
{
#define LOW_HERE "scope: gpu\nwhen: gpu.util < 50 %\n"
	static const struct many_case cases[] = {
		{ { LOW_HERE "max_gap: 1 s\n" }, { GPU(0, "91_1999999") }, "a gpu0 fired 02:00:01-02:00:04" },
		{ { LOW_HERE "max_gap: 1 s\n" }, { GPU(0, "91___19999") }, "a gpu0 fired 02:00:01-02:00:02 02:00:05-02:00:06" },
		{ { LOW_HERE "merge_gap: 1 s\nmax_gap: 1 s\nfor: 4 s\n" }, { GPU(0, "919_199999") }, "a gpu0 fired 02:00:01-02:00:05" },
		{ { LOW_HERE "for: 3 s\nkeep_for: 2 s\n" }, { GPU(0, "9111991999") }, "a gpu0 fired 02:00:01-02:00:07" },
		{ { LOW_HERE "for: 3 s\nkeep_for: 1 s\n" }, { GPU(0, "9111991999") }, "a gpu0 fired 02:00:01-02:00:04" },
	};

	CHECK_MANY(*state, cases);
}

/* Two values with two blanks between them are three steps apart, which is no hole; further apart they are. */
static void a_missing_cell_ends_no_window(void **state)
{
#define FULL "scope: gpu\nwhen: gpu.util < 50 % and host.cpu.busy > 50 %\nfor: 3 s\n"
#define LATCHED "scope: gpu\nwhen: gpu.util < 20 %\nclear: host.cpu.busy < 30 %\nfor: 3 s\n"
	static const struct many_case cases[] = {
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "9111_111999") }, "a gpu0 fired 02:00:01-02:00:08" },
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "9111__111_11199") }, "a gpu0 fired 02:00:01-02:00:13" },
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "9111___111999") }, "a gpu0 fired 02:00:01-02:00:04 02:00:07-02:00:10" },
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "9111   111999") }, "a gpu0 fired 02:00:01-02:00:04 02:00:07-02:00:10" },
		/* each side must be long enough alone */
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "9111_1199999") }, "a gpu0 fired 02:00:01-02:00:04" },
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "911_11999999999") },
		  "a gpu0 unknown: true for 2 s of the 3 s needed, and gpu.util is not known around it" },
		/* a gap of "no" still parts */
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "9111_9111999") }, "a gpu0 fired 02:00:01-02:00:04 02:00:06-02:00:09" },
		{ { LOW_HERE "merge_gap: 1 s\nfor: 3 s\n" }, { GPU(0, "9111_9111999") }, "a gpu0 fired 02:00:01-02:00:09" },
		/* in any part of the condition, by the rows of its own log */
		{ { FULL }, { GPU(0, "9111111111"), CPU("99999_9999") }, "a gpu0 fired 02:00:01-02:00:10" },
		{ { FULL }, { GPU(0, "91111_1111"), CPU("99999_9999") }, "a gpu0 fired 02:00:01-02:00:10" },
		{ { FULL }, { GPU(0, "911   1   1   1   _   1   1   1   9   "), CPU("99999999999999999999999999999999999999") },
		  "a gpu0 fired 02:00:01-02:00:34" },
		/* and while a latch holds */
		{ { LATCHED }, { GPU(0, "9111555_5559"), CPU("999999999999") }, "a gpu0 fired 02:00:01-02:00:12" },
		{ { LATCHED }, { GPU(0, "91115555555"), CPU("9999999_999") }, "a gpu0 fired 02:00:01-02:00:11" },
		/* what another rule takes is taken */
		{ { LOW_HERE "for: 3 s\nexcluded_by: [b]\n", "scope: gpu\nwhen: host.cpu.busy > 50 %\n" },
		  { GPU(0, "9111_111999"), CPU("11119111111") }, "a gpu0 fired 02:00:01-02:00:04 02:00:05-02:00:08; b gpu0 fired 02:00:04-02:00:05" },
	};

	CHECK_MANY(*state, cases);
}

/* Whatever cell of a long window is missing, in whichever log, it stays one window, and a cell elsewhere makes no second one. */
static void no_single_cell_changes_the_number_of_windows(void **state)
{
	static const char gpu[] = "9999911111222211119111112222211111199999999", cpu[] = "1111199999999999999999899999999999911111111";
	static const char *const rules[] = {
		"scope: gpu\nwhen: gpu.util < 50 %\nfor: 4 s\nmerge_gap: 2 s\n",
		"scope: gpu\nwhen: mean(gpu.util, 4 s) < 50 % and host.cpu.busy > 50 %\nfor: 5 s\nmerge_gap: 2 s\n",
		"scope: gpu\nwhen: gpu.util < 50 % and not host.cpu.busy < 50 %\nclear: gpu.util > 80 %\nfor: 4 s\nkeep_for: 2 s\n",
		"scope: gpu\nwhen: host.cpu.busy > 85 %\nclear: host.cpu.busy < 50 %\nfor: 5 s\n",
	};
	struct logs *logs = *state;

	for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
		for (size_t i = 0; i < 2 * (sizeof gpu - 1); i++) {
			char of_gpu[sizeof gpu], of_cpu[sizeof cpu];
			const struct picture pictures[] = { GPU(0, of_gpu), CPU(of_cpu) };
			const char *const texts[] = { rules[r] };

			memcpy(of_gpu, gpu, sizeof gpu);
			memcpy(of_cpu, cpu, sizeof cpu);
			*(i < sizeof gpu - 1 ? &of_gpu[i] : &of_cpu[i - (sizeof gpu - 1)]) = '_';
			const struct verdicts all = rules_judge(rules_drawn(logs, texts, 1), run_drawn(logs, pictures, 2));
			if (all.at[0].when.n != 1)
				fail_msg("rule %zu, cell %zu: %s", r, i, shown_verdict(logs, &all.at[0]));
		}
	}
}

/*
 * A row every 4 s: two of them may be hardly more than the 4 s between them, three are proof of 8; and that there was nothing of 3 s
 * can't be seen.
 */
static void rows_further_apart_than_for_tell_little(void **state)
{
#define COARSE ": too coarse: gpu.util has a row every 4 s, the rule looks at stretches of 3 s"
	static const struct many_case cases[] = {
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "9   1   9   9   9   ") }, "a gpu0 unknown" COARSE },
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "9   9   9   9   9   ") }, "a gpu0 unknown" COARSE },
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "9   1   1   9   9   ") }, "a gpu0 unknown" COARSE },
		{ { LOW_HERE "for: 3 s\n" }, { GPU(0, "9   1   1   1   9   ") }, "a gpu0 fired 02:00:04-02:00:16" },
		{ { LOW_HERE "for: 4 s\n" }, { GPU(0, "9   1   1   9   9   ") }, "a gpu0 clear" },
		{ { LOW_HERE "for: 4 s\n" }, { GPU(0, "9   1   1   1   9   ") }, "a gpu0 fired 02:00:04-02:00:16" },
		{ { LOW_HERE "for: 5 s\n" }, { GPU(0, "9   1   9   9   9   ") }, "a gpu0 clear" },
		/* nobody asked for a time */
		{ { LOW_HERE }, { GPU(0, "9   1   9   9   9   ") }, "a gpu0 fired 02:00:04-02:00:08" },
		/* a window of time is looked at as one */
		{ { "scope: gpu\nwhen: mean(gpu.util, 4 s) < 50 %\nfor: 3 s\n" }, { GPU(0, "9   9   9   9   9   ") }, "a gpu0 clear" },
		/* the other side may decide alone */
		{ { "scope: gpu\nwhen: gpu.util < 50 % and host.cpu.busy > 50 %\nfor: 3 s\n" },
		  { GPU(0, "9   9   9   9   9   "), CPU("11111991111111111111") }, "a gpu0 clear" },
		{ { "scope: gpu\nwhen: gpu.util < 50 % and host.cpu.busy > 50 %\nfor: 3 s\n" },
		  { GPU(0, "9   9   9   9   9   "), CPU("11111999111111111111") }, "a gpu0 unknown" COARSE },
	};

	CHECK_MANY(*state, cases);
}

static void what_another_rule_takes_does_not_count(void **state)
{
	static const struct many_case cases[] = {
		/* by the same entity, its host, and the run; whatever the order of their names */
		{ { LOW_HERE "excluded_by: [b]\n", "scope: gpu\nwhen: host.cpu.busy > 50 %\n" }, { GPU(0, "9111119999"), CPU("1199999999") },
		  "a gpu0 fired 02:00:01-02:00:02; b gpu0 fired 02:00:02-02:00:10" },
		{ { LOW_HERE "excluded_by: [b]\n", "scope: host\nwhen: host.cpu.busy > 50 %\n" },
		  { GPU_OF("node01", 0, "9111119999"), GPU_OF("node02", 0, "9111119999"), CPU_OF("node01", "9999999999"), CPU_OF("node02", "1111111111") },
		  "a node01/gpu0 clear: excluded by b; a node02/gpu0 fired 02:00:01-02:00:06; b node01 fired 02:00:00-02:00:10; b node02 clear" },
		{ { LOW_HERE "excluded_by: [b]\n", "scope: run\nwhen: min of gpus(gpu.util) < 50 %\n" }, { GPU(0, "9111119999"), GPU(1, "9999999999") },
		  "a gpu0 clear: excluded by b; a gpu1 clear; b run fired 02:00:01-02:00:06" },
		/* another GPU's is nothing to this one */
		{ { LOW_HERE "excluded_by: [b]\n", "scope: gpu\nwhen: gpu.power > 50 W\n" },
		  { GPU(0, "9111119999"), GPU(1, "9111119999"), POWER(0, "9999999999"), POWER(1, "1111111111") },
		  "a gpu0 clear: excluded by b; a gpu1 fired 02:00:01-02:00:06; b gpu0 fired 02:00:00-02:00:10; b gpu1 clear" },
		/* before `for`, which what is left must reach */
		{ { LOW_HERE "for: 4 s\nexcluded_by: [b]\n", "scope: gpu\nwhen: host.cpu.busy > 50 %\n" }, { GPU(0, "9111119999"), CPU("1119111111") },
		  "a gpu0 clear: excluded by b; b gpu0 fired 02:00:03-02:00:04" },
		/* what would not have fired was not excluded */
		{ { LOW_HERE "for: 6 s\nexcluded_by: [b]\n", "scope: gpu\nwhen: host.cpu.busy > 50 %\n" }, { GPU(0, "9111119999"), CPU("1119111111") },
		  "a gpu0 clear; b gpu0 fired 02:00:03-02:00:04" },
		/* in a chain: b is taken by c, so that nothing is taken from a */
		{ { LOW_HERE "excluded_by: [b]\n", "scope: gpu\nwhen: gpu.util < 40 %\nexcluded_by: [c]\n", "scope: gpu\nwhen: gpu.util < 30 %\n" },
		  { GPU(0, "9111119999") }, "a gpu0 fired 02:00:01-02:00:06; b gpu0 clear: excluded by c; c gpu0 fired 02:00:01-02:00:06" },
		/* a statement about the whole run is taken as a whole or not at all */
		{ { "scope: gpu\nwhen: mean(gpu.util) > 50 %\nexcluded_by: [b]\n", "scope: gpu\nwhen: gpu.util > 50 %\n" }, { GPU(0, "9999999991") },
		  "a gpu0 fired 02:00:00-02:00:10; b gpu0 fired 02:00:00-02:00:09" },
		{ { "scope: gpu\nwhen: mean(gpu.util) > 50 %\nexcluded_by: [b]\n", "scope: gpu\nwhen: gpu.util > 5 %\n" }, { GPU(0, "9999999991") },
		  "a gpu0 clear: excluded by b; b gpu0 fired 02:00:00-02:00:10" },
	};

	CHECK_MANY(*state, cases);
}

#define BOTH_HERE "scope: gpu\nwhen: gpu.util < 50 % and host.cpu.busy > 50 %\nfor: 3 s\nunknown_while: [b]\n"
#define DOUBT "scope: host\nwhen: host.blocked > 50\n"

/* Of two clocks that are apart: what the other side's log says of a moment is not known. */
static void what_can_not_be_laid_beside_is_unknown(void **state)
{
	static const struct many_case cases[] = {
		{ { BOTH_HERE, DOUBT }, { GPU(0, "1111111111"), CPU("9999999999"), BLOCKED("9999999999") },
		  "a gpu0 unknown: not known while: s (b); b host fired 02:00:00-02:00:10" },
		/* nor does the other side's "no" clear it */
		{ { BOTH_HERE, DOUBT }, { GPU(0, "1111111111"), CPU("1111111111"), BLOCKED("9999999999") },
		  "a gpu0 unknown: not known while: s (b); b host fired 02:00:00-02:00:10" },
		/* what its own side decides alone stands */
		{ { BOTH_HERE, DOUBT }, { GPU(0, "9999999999"), CPU("9999999999"), BLOCKED("9999999999") },
		  "a gpu0 clear; b host fired 02:00:00-02:00:10" },
		/* and so does the time in which nothing casts doubt */
		{ { BOTH_HERE, DOUBT }, { GPU(0, "1111111111"), CPU("9999999999"), BLOCKED("9999911111") },
		  "a gpu0 fired 02:00:05-02:00:10; b host fired 02:00:00-02:00:05" },
		{ { BOTH_HERE, DOUBT }, { GPU(0, "1111111111"), CPU("9999999999"), BLOCKED("1111111111") },
		  "a gpu0 fired 02:00:00-02:00:10; b host clear" },
		/* what ends a stretch is doubted, too; the GPU alone ends it */
		{ { BOTH_HERE "clear: gpu.util > 70 % or host.cpu.busy < 20 %\n", DOUBT },
		  { GPU(0, "1111199999"), CPU("9999999999"), BLOCKED("1111911111") },
		  "a gpu0 fired 02:00:00-02:00:04; b host fired 02:00:04-02:00:05" },
		/* of a host it is the GPUs' side */
		{ { "scope: host\nwhen: host.cpu.busy > 50 % and min of gpus(gpu.util) < 50 %\nunknown_while: [b]\n", DOUBT },
		  { GPU(0, "1111111111"), CPU("9999999999"), BLOCKED("9999999999") },
		  "a host unknown: not known while: s (b); b host fired 02:00:00-02:00:10" },
		/* only moments are doubted, no statement about all of the run */
		{ { "scope: gpu\nwhen: gpu.util < 50 % and mean(host.cpu.busy, run) > 50 %\nunknown_while: [b]\n", DOUBT },
		  { GPU(0, "1111111111"), CPU("9999999999"), BLOCKED("9999999999") },
		  "a gpu0 fired 02:00:00-02:00:10; b host fired 02:00:00-02:00:10" },
	};

	CHECK_MANY(*state, cases);
}

static void margin_is_the_longest_stretch(void **state)
{
	static const struct {
		const char *keys, *gpu;
		double margin;
		time_ms longest;
	} cases[] = {
		{ "for: 4 s\n", "9111999199", 0.75, 3000 },
		{ "for: 4 s\n", "9111119199", 1.25, 5000 },
		{ "for: 4 s\nmerge_gap: 1 s\n", "9119199999", 1, 4000 },
		{ "for: 4 s\n", "9999999999", 0, 0 },
		{ "", "9111999999", (double)NAN, 3000 },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *texts[] = { arena_print(&logs->mem, "scope: gpu\nwhen: gpu.util < 50 %%\n%s", cases[i].keys) };
		const struct picture picture = GPU(0, cases[i].gpu);
		const struct verdicts all = rules_judge(rules_drawn(logs, texts, 1), run_drawn(logs, &picture, 1));

		assert_int_equal(all.at[0].longest, cases[i].longest);
		assert_true(isnan(cases[i].margin) ? isnan(all.at[0].margin) : all.at[0].margin == cases[i].margin);
	}
}

/* The least of its folds: gpu.power is known for 9 of 10 s. */
static void coverage_of_a_whole_run_is_that_of_its_folds(void **state)
{
	struct logs *logs = *state;
	const char *text = "scope: gpu\nwhen: mean(gpu.util) > 50 % and max(gpu.power) > 50 W\n";
	const struct picture pictures[] = { GPU(0, "9999999999"), POWER(0, "99_9999999") };
	const struct verdicts all = rules_judge(rules_drawn(logs, &text, 1), run_drawn(logs, pictures, 2));

	assert_int_equal(all.at[0].outcome, OUTCOME_FIRED);
	assert_true(all.at[0].coverage == 0.9);
	assert_true(isnan(all.at[0].margin));
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
		cmocka_unit_test_setup_teardown(evidence_is_of_those_that_were_seen, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(cost_is_a_share, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(cost_may_be_written_as_a_share, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(gives_one_verdict_a_rule_and_entity, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(counts_members_of_a_set, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(numbers_over_sets_have_bounds, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_of_a_poll_are_one_moment, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(cost_takes_bounds, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(lacks_are_told_of_who_lacks, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(knows_who_is_meant_by_a_set, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(compares_with_nobody, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(shares_only_what_is_the_same, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(others_are_asked_in_any_order, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(folds_conditions_and_counters, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(whole_runs_need_coverage, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(windows_over_time_shift_nothing, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(gaps_are_bridged_by_their_kind, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(a_missing_cell_ends_no_window, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(no_single_cell_changes_the_number_of_windows, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(rows_further_apart_than_for_tell_little, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(what_another_rule_takes_does_not_count, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(what_can_not_be_laid_beside_is_unknown, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(margin_is_the_longest_stretch, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(coverage_of_a_whole_run_is_that_of_its_folds, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(laws_hold_on_a_drawn_run, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
