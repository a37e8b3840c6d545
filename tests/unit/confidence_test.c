/*
 * confidence_test.c - how sure a finding is, by who tells of it, how much was seen and what else it could be.
 *
 * The same minute of a GPU that hardly works, logged by more tools and by fewer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"
#include "tracks.h"

#define SIXTY(twenty) twenty twenty twenty
#define LOW SIXTY("11111111111111111111")
#define HIGH SIXTY("99999999999999999999")
#define HALF_KNOWN SIXTY("1111111111__________")
#define FULL_COST "cost: 100 %\nduring: run\n"

/* What another log can confirm, one of its sides is enough. */
#define IDLE                                                                                                               \
	"scope: gpu\nwhen: gpu.util < 50 % and (host.cpu.busy > 50 % or gpu.util < 20 %) and (gpu.sm_active < 50 % or gpu.util < 20 %) " \
	"and (run.throughput > 5 or gpu.util < 20 %)\n" FULL_COST
#define RIVALS "rivals: [{rule: b, settle: look}]\n"
#define RIVAL "scope: host\nwhen: host.cpu.iowait > 50 %\n"

static const struct case_of_confidence {
	const char *rules[2], *util, *cpu, *sm, *job, *iowait, *reasons, *lost;
	const char *confidence, *reason, *severity;
} cases[] = {
	{ .rules = { IDLE }, .util = LOW, .confidence = "medium", .reason = "judged by the GPU log alone", .severity = "critical" },
	{ .rules = { IDLE }, .util = LOW, .cpu = HIGH, .confidence = "high",
		.reason = "two independent logs agree, the GPU's and the host's", .severity = "critical" },
	{ .rules = { IDLE }, .util = LOW, .cpu = HIGH, .job = HIGH, .confidence = "high",
		.reason = "three independent logs agree, the GPU's, the host's and the job's own", .severity = "critical" },
	{ .rules = { IDLE }, .util = LOW, .sm = LOW, .confidence = "high",
		.reason = "two independent witnesses agree, the GPU log and the GPU's activity counters", .severity = "critical" },
	/* a log of which nothing is known while it fired tells of nothing */
	{ .rules = { IDLE }, .util = LOW, .cpu = SIXTY("____________________"), .confidence = "medium",
		.reason = "judged by the GPU log alone", .severity = "critical" },
	{ .rules = { IDLE }, .util = HALF_KNOWN, .cpu = HIGH, .confidence = "medium",
		.reason = "two independent logs agree, the GPU's and the host's, but what the rule needs is logged for only 50 % of the time", .severity = "warning" },
	{ .rules = { IDLE }, .util = HALF_KNOWN, .confidence = "low",
		.reason = "judged by the GPU log alone, and what the rule needs is logged for only 50 % of the time", .severity = "warning" },
	/* a rival that can't be judged, one that was clear, one that fired */
	{ .rules = { IDLE RIVALS, RIVAL }, .util = LOW, .confidence = "low",
		.reason = "judged by the GPU log alone, and another explanation is not ruled out", .severity = "warning" },
	{ .rules = { IDLE RIVALS, RIVAL }, .util = LOW, .iowait = LOW, .confidence = "medium",
		.reason = "judged by the GPU log alone", .severity = "critical" },
	{ .rules = { IDLE RIVALS, RIVAL }, .util = LOW, .cpu = HIGH, .iowait = HIGH, .confidence = "medium",
		.reason = "two independent logs agree, the GPU's and the host's, but another explanation is not ruled out", .severity = "critical" },
	{ .rules = { IDLE RIVALS, RIVAL }, .util = HALF_KNOWN, .confidence = "low",
		.reason = "judged by the GPU log alone, what the rule needs is logged for only 50 % of the time and another explanation is not ruled out",
		.severity = "warning" },
	/* what is told beside a condition was not asked to agree */
	{ .rules = { "scope: gpu\nwhen: gpu.util < 50 %\nevidence: {cpu: \"mean(host.cpu.busy, inside)\"}\n" FULL_COST }, .util = LOW, .cpu = HIGH,
		.confidence = "medium", .reason = "judged by the GPU log alone", .severity = "critical" },
	/* nobody needs to confirm what the driver flags, and what rows show */
	{ .rules = { "scope: gpu\nwhen: gpu.throttle has sw_thermal\n" FULL_COST }, .util = LOW, .reasons = SIXTY("44444444444444444444"),
		.confidence = "high", .reason = "the driver's own flags say so", .severity = "critical" },
	{ .rules = { "scope: gpu\nwhen: gpu.throttle has sw_thermal\n" FULL_COST RIVALS, RIVAL }, .util = LOW,
		.reasons = SIXTY("4444444444__________"), .confidence = "medium",
		.reason = "the driver's own flags say so, but what the rule needs is logged for only 50 % of the time", .severity = "critical" },
	/* a flag that must not be there does not tell of what was found, nor does the share of time for which one was */
	{ .rules = { "scope: gpu\nwhen: gpu.util < 50 % and not gpu.throttle has hw_thermal\n" FULL_COST }, .util = LOW,
		.reasons = SIXTY("44444444444444444444"), .confidence = "medium", .reason = "judged by the GPU log alone", .severity = "critical" },
	{ .rules = { "scope: gpu\nwhen: gpu.util < 50 % and share(gpu.throttle has sw_thermal, 10 s) > 50 %\n" FULL_COST }, .util = LOW,
		.reasons = SIXTY("44444444444444444444"), .confidence = "medium", .reason = "judged by the GPU log alone", .severity = "critical" },
	{ .rules = { "scope: gpu\nwhen: gpu.lost > 0\n" FULL_COST }, .util = LOW, .lost = LOW, .confidence = "high",
		.reason = "the rows of the log show it", .severity = "critical" },
	/* rows show how often a log looks, not what it saw then */
	{ .rules = { "scope: gpu\nwhen: log.step <= 15 s and gpu.util < 50 %\n" FULL_COST }, .util = LOW, .confidence = "medium",
		.reason = "judged by the GPU log alone", .severity = "critical" },
	{ .rules = { "scope: gpu\nwhen: hole(gpu.util)\nduring: run\n" }, .util = "11111111111111111111                    11111111111111111111",
		.confidence = "high", .reason = "the rows of the log show it", .severity = "critical" },
};

static const struct report *report_of(struct logs *logs, const struct case_of_confidence *c)
{
	const struct picture pictures[] = {
		{ METRIC_GPU_UTIL, "node01", 0, c->util },        { METRIC_CPU_BUSY, "node01", 0, c->cpu },
		{ METRIC_CPU_IOWAIT, "node01", 0, c->iowait },    { METRIC_GPU_SM_ACTIVE, "node01", 0, c->sm },
		{ METRIC_GPU_THROTTLE, "node01", 0, c->reasons }, { METRIC_GPU_LOST, "node01", 0, c->lost },
		{ METRIC_RUN_THROUGHPUT, "", 0, c->job },
	};
	struct run *run = run_drawn(logs, pictures, sizeof pictures / sizeof *pictures);
	const char *texts[2];

	for (size_t i = 0; i < 2; i++) /* WORDS says note, which is the most that a rule can be */
		texts[i] = c->rules[i];
	struct rules rules = *rules_drawn(logs, texts, 2);
	struct rule most = *rules.at[0];
	const struct rule *at[2] = { &most, rules.n > 1 ? rules.at[1] : NULL };
	most.severity = SEVERITY_CRITICAL;
	rules.at = at;
	derive_metrics(run);
	run->n_recordings = 0; /* none is to be described */
	return report_build(run, &rules, rules_judge(&rules, run), &(struct report_options){ 0 });
}

static void witnesses_are_counted(void **state)
{
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct report *r = report_of(logs, &cases[i]);
		const struct finding *f = r->findings;
		assert_true(r->n_findings > 0);
		for (size_t k = 0; k < r->n_findings; k++)
			f = strcmp(r->findings[k].rule, "a") == 0 ? &r->findings[k] : f;
		assert_string_equal(arena_print(&logs->mem, "%zu: %s: %s; %s", i, f->confidence, f->confidence_reason, f->severity),
			arena_print(&logs->mem, "%zu: %s: %s; %s", i, cases[i].confidence, cases[i].reason, cases[i].severity));
	}
}

static void the_reason_stands_before_what_would_refute_it(void **state)
{
	struct logs *logs = *state;

	assert_string_equal(report_of(logs, &cases[1])->findings[0].sure_text,
		"HIGH: two independent logs agree, the GPU's and the host's. r");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(witnesses_are_counted),
		TEST(the_reason_stands_before_what_would_refute_it),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
