/*
 * verdict_test.c - the first sentence of a report: the worst first, a rule once, and of a healthy run what nobody saw.
 *
 * Two GPUs of a host, a minute at a second.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/report.h"
#include "tracks.h"

#define SIXTY(twenty) twenty twenty twenty
#define WORK SIXTY("99999999999999999999")
#define HALF SIXTY("9999999999__________")
#define NONE SIXTY("____________________")

/* Files of rules: name, title, the most it can be, condition. */
#define RULE(name, title, severity, keys)                                                                                 \
	{ "r/" name ".yaml", { TEXT(title, severity, keys), sizeof TEXT(title, severity, keys) - 1 }, LAYER_GIVEN }
#define TEXT(title, severity, keys)                                                                                       \
	"short: s\nchecked: c\nsources: [s]\nwhat: w\nwhy: y\ntry: [do]\nrefute: r\ncard: c\nduring: run\ntitle: \"" title \
	"\"\nseverity: " severity "\n" keys "\n"
static const struct rule_file rule_files[] = {
	RULE("broken", "{Gpus} broke", "critical", "scope: gpu\nwhen: gpu.xid > 0"),
	RULE("worn", "{Gpus} wore out", "warning", "scope: gpu\nwhen: gpu.pcie_gen > 0"),
	RULE("idle", "{Gpus} idled", "critical", "scope: gpu\nwhen: gpu.util < 20 %\ncost: 100 %"),
	RULE("slow", "{Gpus} dawdled", "note", "scope: gpu\nwhen: gpu.util >= 20 % and gpu.util < 60 %\ncost: 100 %"),
	RULE("wait", "{Gpus} waited{#lasting} for {duration}{/lasting}", "critical", "scope: gpu\nwhen: gpu.power < 20 W\ncost: 100 %"),
	RULE("hung", "{Gpus} hung{#lasting} for {duration}{/lasting}{#told_alone}, as no log tells why{/told_alone}", "critical",
		"scope: gpu\nwhen: gpu.mem_used < 15 MiB\ncost: 100 %\nnamed: \"{#several}all {/several}hung\""),
	RULE("hot", "{Gpus} reached {hottest}, {slowest}, {most} and, from {least}, {memory}; {usual} on average", "warning",
		"scope: gpu\nwhen: gpu.temp > 65 C\nevidence: {hottest: \"max(gpu.temp, inside)\", slowest: \"min(gpu.clock_sm, inside)\", "
		"most: \"max(gpu.util, inside)\", least: \"min(gpu.mem_used, inside)\", memory: \"max(gpu.mem_used, inside)\", "
		"usual: \"mean(gpu.mem_used, inside)\"}"),
	RULE("full", "the cores of {host} were full", "warning", "scope: host\nwhen: host.cpu.busy > 95 %"),
	RULE("sampling-too-coarse", "few rows", "note", "scope: gpu\nwhen: log.step > 15 s"),
};

static const struct report *report_by(
	struct logs *logs, const struct rule_file *files, size_t n_files, const struct picture *pictures, size_t n)
{
	struct run *run = run_drawn(logs, pictures, n);
	const struct rules *rules = rules_of_files(&logs->mem, files, n_files, &logs->diags);

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	derive_metrics(run);
	run->n_recordings = 0; /* none is to be described */
	return report_build(run, rules, rules_judge(rules, run), &(struct report_options){ 0 });
}

static const struct report *report_of(struct logs *logs, const struct picture *pictures, size_t n)
{
	return report_by(logs, rule_files, sizeof rule_files / sizeof *rule_files, pictures, n);
}

static void a_healthy_run_is_told_with_what_nobody_saw(void **state)
{
	static const struct {
		const char *power, *power_of_1, *memory, *clock, *reasons, *cpu, *step, *sentence;
	} cases[] = {
		{ WORK, WORK, WORK, WORK, WORK, WORK, NULL, "Healthy: both GPUs were 90 % busy once work began. Nothing here needs fixing." },
		{ WORK, WORK, WORK, WORK, NULL, WORK, NULL,
			"Healthy as far as these logs tell: both GPUs were 90 % busy once work began; nothing is known of what holds clocks down." },
		{ WORK, WORK, WORK, WORK, WORK, NULL, NULL,
			"Healthy as far as these logs tell: both GPUs were 90 % busy once work began; nothing is known of CPU use." },
		{ NULL, NULL, NULL, NULL, NULL, NULL, NULL,
			"Healthy as far as these logs tell: both GPUs were 90 % busy once work began; "
			"nothing is known of power, memory use, clock speeds and CPU use." },
		{ WORK, NULL, WORK, WORK, WORK, WORK, NULL,
			"Healthy as far as these logs tell: both GPUs were 90 % busy once work began; nothing is known of power of GPU 1." },
		{ NONE, WORK, WORK, WORK, WORK, WORK, NULL,
			"Healthy as far as these logs tell: both GPUs were 90 % busy once work began; nothing is known of power of GPU 0." },
		{ HALF, HALF, WORK, WORK, WORK, NULL, NULL,
			"Healthy as far as these logs tell: both GPUs were 90 % busy once work began; "
			"nothing is known of CPU use, and too little is known of power." },
		{ WORK, WORK, WORK, WORK, WORK, WORK, SIXTY("22222222222222222222"),
			"Healthy as far as these logs tell: both GPUs were 90 % busy once work began; short pauses do not show." },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct picture pictures[] = {
			{ METRIC_GPU_UTIL, "", 0, WORK },
			{ METRIC_GPU_UTIL, "", 1, WORK },
			{ METRIC_GPU_POWER, "", 0, cases[i].power },
			{ METRIC_GPU_POWER, "", 1, cases[i].power_of_1 },
			{ METRIC_GPU_MEM_USED, "", 0, cases[i].memory },
			{ METRIC_GPU_MEM_USED, "", 1, cases[i].memory },
			{ METRIC_GPU_CLOCK_SM, "", 0, cases[i].clock },
			{ METRIC_GPU_CLOCK_SM, "", 1, cases[i].clock },
			{ METRIC_GPU_CAP_SW_POWER, "", 0, cases[i].reasons },
			{ METRIC_GPU_CAP_SW_POWER, "", 1, cases[i].reasons },
			{ METRIC_CPU_BUSY, "", 0, cases[i].cpu },
			{ METRIC_LOG_STEP, "", 0, cases[i].step },
		};
		const struct report *r = report_of(logs, pictures, sizeof pictures / sizeof *pictures);
		assert_string_equal(r->verdict.sentence, cases[i].sentence);
		assert_string_equal(r->verdict.severity, "healthy");
	}
}

/* Nothing was found, and yet a fifth of the time no kernel ran: that may be as it must, or not. */
static void a_run_with_much_time_without_a_kernel_may_need_something(void **state)
{
	static const struct {
		const char *busy, *sentence;
	} cases[] = {
		{ SIXTY("99999999999999999999"), "Healthy: the GPU was 90 % busy once work began. Nothing here needs fixing." },
		{ SIXTY("99999999999999999988"), "Healthy: the GPU was 89 % busy once work began; no kernel ran for 11 % of the time at work." },
		{ SIXTY("77777777778888888888"), "Healthy: the GPU was 75 % busy once work began; no kernel ran for 25 % of the time at work." },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct picture pictures[] = {
			{ METRIC_GPU_UTIL, "", 0, cases[i].busy }, { METRIC_GPU_POWER, "", 0, WORK }, { METRIC_GPU_MEM_USED, "", 0, WORK },
			{ METRIC_GPU_CLOCK_SM, "", 0, WORK }, { METRIC_GPU_CAP_SW_POWER, "", 0, WORK }, { METRIC_CPU_BUSY, "", 0, WORK },
		};
		assert_string_equal(report_of(logs, pictures, sizeof pictures / sizeof *pictures)->verdict.sentence, cases[i].sentence);
	}
}

static void the_worst_is_said_first_and_a_rule_once(void **state)
{
	static const struct {
		const char *busy[3], *xid, *worn, *sentence;
	} cases[] = {
		/* what has no price, alone and beside what has one */
		{ { WORK, WORK, WORK }, "0000010000", NULL, "GPU 0 broke." },
		{ { WORK, WORK, WORK }, NULL, "0001111111", "GPU 0 wore out." },
		{ { WORK, WORK, SIXTY("99999999991111111111") }, NULL, "0001111111", "17 % of this run was lost: GPU 2 idled." },
		{ { WORK, WORK, SIXTY("99999999991111111111") }, "0000010000", NULL, "17 % of this run was lost: GPU 2 idled. GPU 0 broke." },
		/* losses too small for more than a note */
		{ { WORK, WORK, SIXTY("99999999999999999933") }, NULL, NULL, "Only 3 % of this run was lost: GPU 2 dawdled." },
		{ { WORK, WORK, SIXTY("99999999999999999933") }, "0000010000", NULL,
			"GPU 0 broke. Only 3 % of this run was lost: GPU 2 dawdled." },
		{ { WORK, WORK, SIXTY("99999999999999333333") }, NULL, NULL, "10 % of this run was lost: GPU 2 dawdled." },
		/* the same on others at another time */
		{ { "11111111111111111111" SIXTY("9999999999") "9999999999", "9999999999" SIXTY("9999999999") "11111111111111111111", WORK },
			NULL, NULL, "22 % of this run was lost: GPU 0 idled, likewise GPU 1." },
		{ { "11111111111111111111" SIXTY("9999999999") "9999999999", "9999999999" SIXTY("9999999999") "11111111111111111111",
			  "99999999999999999999" "11111111111111111111" "99999999999999999999" },
			NULL, NULL, "33 % of this run was lost: GPU 0 idled, likewise GPUs 1 and 2." },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct picture pictures[] = {
			{ METRIC_GPU_UTIL, "", 0, cases[i].busy[0] }, { METRIC_GPU_UTIL, "", 1, cases[i].busy[1] },
			{ METRIC_GPU_UTIL, "", 2, cases[i].busy[2] }, { METRIC_GPU_XID, "", 0, cases[i].xid },
			{ METRIC_GPU_PCIE_GEN, "", 0, cases[i].worn },
		};
		assert_string_equal(report_of(logs, pictures, sizeof pictures / sizeof *pictures)->verdict.sentence, cases[i].sentence);
	}
}

/* The subject once; "then" of what came later; and for how long, where it is one stretch of the run. */
static void two_causes_are_one_sentence(void **state)
{
#define S10 "9999999999"
#define L10 "1111111111"
	static const struct {
		const char *busy[2], *power[2], *sentence;
	} cases[] = {
		{ { L10 L10 S10 S10 S10 S10, NULL }, { S10 S10 S10 L10 S10 S10, NULL }, "50 % of this run was lost: the GPU idled, then waited for 10 s." },
		{ { S10 S10 S10 S10 L10 L10, NULL }, { S10 S10 S10 L10 S10 S10, NULL }, "50 % of this run was lost: the GPU idled and waited for 10 s." },
		{ { L10 L10 L10 S10 S10 S10, NULL }, { S10 L10 S10 S10 L10 S10, NULL }, "67 % of this run was lost: the GPU idled and waited." },
		{ { L10 L10 S10 S10 S10 S10, WORK }, { WORK, S10 S10 S10 L10 S10 S10 }, "25 % of this run was lost: GPU 0 idled, then GPU 1 waited for 10 s." },
		{ { L10 L10 S10 S10 S10 S10, WORK }, { WORK, S10 L10 S10 S10 S10 S10 }, "25 % of this run was lost: GPU 0 idled, and GPU 1 waited for 10 s." },
		/* all of the run is no stretch of it */
		{ { WORK, NULL }, { L10 L10 L10 L10 L10 L10, NULL }, "100 % of this run was lost: the GPU waited." },
		/* what is said of others, too, is said in full */
		{ { L10 L10 S10 S10 S10 S10, S10 S10 S10 L10 L10 S10 }, { S10 S10 S10 S10 S10 L10, WORK },
			"42 % of this run was lost: GPU 0 idled, likewise GPU 1, then GPU 0 waited for 10 s." },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct picture pictures[] = {
			{ METRIC_GPU_UTIL, "", 0, cases[i].busy[0] }, { METRIC_GPU_UTIL, "", 1, cases[i].busy[1] },
			{ METRIC_GPU_POWER, "", 0, cases[i].power[0] }, { METRIC_GPU_POWER, "", 1, cases[i].power[1] },
		};
		assert_string_equal(report_of(logs, pictures, sizeof pictures / sizeof *pictures)->verdict.sentence, cases[i].sentence);
	}
}

/* Why, in a few words, where nothing else is told; its title elsewhere has neither that nor how long it was. */
static void one_cause_is_told_with_its_why(void **state)
{
	struct logs *logs = *state;
	const struct picture alone[] = { { METRIC_GPU_UTIL, "", 0, WORK }, { METRIC_GPU_MEM_USED, "", 0, L10 S10 S10 S10 S10 S10 } };
	const struct picture beside[] = { { METRIC_GPU_UTIL, "", 0, S10 L10 S10 S10 S10 S10 }, { METRIC_GPU_MEM_USED, "", 0, L10 S10 S10 S10 S10 S10 } };
	const struct report *r = report_of(logs, alone, 2);

	assert_string_equal(r->verdict.sentence, "17 % of this run was lost: the GPU hung for 10 s, as no log tells why.");
	assert_string_equal(r->findings[0].title, "The GPU hung");
	assert_string_equal(r->findings[0].short_name, "hung");
	assert_string_equal(report_of(logs, beside, 2)->verdict.sentence,
		"33 % of this run was lost: the GPU hung for 10 s, then idled.");
}

/* "up to" is said of the worst of them; what that one rose from is its own; a mean is of all. */
static void heat_and_clocks_are_those_of_the_worst(void **state)
{
	struct logs *logs = *state;
	const struct picture pictures[] = {
		{ METRIC_GPU_UTIL, "", 0, WORK }, { METRIC_GPU_UTIL, "", 1, SIXTY("88888888888888888888") },
		{ METRIC_GPU_TEMP, "", 0, SIXTY("99999999999999999999") }, { METRIC_GPU_TEMP, "", 1, SIXTY("77777777777777777777") },
		{ METRIC_GPU_CLOCK_SM, "", 0, SIXTY("88888888888888888888") }, { METRIC_GPU_CLOCK_SM, "", 1, SIXTY("66666666666666666666") },
		{ METRIC_GPU_MEM_USED, "", 0, SIXTY("88888888888888888888") }, { METRIC_GPU_MEM_USED, "", 1, SIXTY("66666666666666666666") },
	};
	const struct report *r = report_of(logs, pictures, sizeof pictures / sizeof *pictures);

	assert_int_equal(r->n_findings, 1);
	assert_string_equal(r->findings[0].title, "Both GPUs reached 90 °C, 60 MHz, 90 % and, from 80 MiB, 80 MiB; 70 MiB on average");
	assert_null(r->findings[0].some_gpus);
}

static void hosts_are_named(void **state)
{
	static const struct {
		const char *first, *second, *sentence;
	} cases[] = {
		{ WORK, SIXTY("9999999999XXXXXXXXXX"), "The cores of node02 were full." },
		{ SIXTY("9999999999XXXXXXXXXX"), SIXTY("9999999999XXXXXXXXXX"), "The cores of both hosts were full." },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct picture pictures[] = {
			{ METRIC_GPU_UTIL, "node01", 0, WORK },
			{ METRIC_GPU_UTIL, "node02", 0, WORK },
			{ METRIC_CPU_BUSY, "node01", 0, cases[i].first },
			{ METRIC_CPU_BUSY, "node02", 0, cases[i].second },
		};
		assert_string_equal(report_of(logs, pictures, sizeof pictures / sizeof *pictures)->verdict.sentence, cases[i].sentence);
	}
}

static void checks_that_were_not_made_are_counted(void **state)
{
	struct logs *logs = *state;
	const struct picture pictures[] = { { METRIC_GPU_UTIL, "", 0, WORK } };
	const struct report *r = report_of(logs, pictures, 1);

	assert_string_equal(r->unjudged_text, "6 of 9 checks: c (not logged: gpu.xid); c (not logged: host.cpu.busy); c (not logged: gpu.temp); c (not logged: gpu.mem_used); c (not logged: gpu.power); c (not logged: gpu.pcie_gen).");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_set_up, logs_tear_down)

/* Where GPUs were so at times of their own each is told with its times; of what asks for nothing nobody looks for them. */
static void times_of_each_are_kept_of_what_asks_for_something(void **state)
{
	static const char *const first = SIXTY("19999999991999999999"), *const second = SIXTY("99999199999999919999");
	static const struct rule_file files[] = {
		RULE("costly", "{Gpus} idled", "warning", "scope: gpu\nwhen: gpu.util < 20 %\ncost: 100 %"),
		RULE("warning", "{Gpus} slept", "warning", "scope: gpu\nwhen: gpu.util < 20 %"),
		RULE("note", "{Gpus} rested", "note", "scope: gpu\nwhen: gpu.util < 20 %"),
	};
	const struct picture pictures[] = { { METRIC_GPU_UTIL, "", 0, first }, { METRIC_GPU_UTIL, "", 1, second } };
	const struct report *const r = report_by(*state, files, sizeof files / sizeof *files, pictures, 2);

	assert_int_equal(r->n_findings, 3);
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct finding *const f = &r->findings[i];
		const bool is_note = strcmp(f->rule, "note") == 0;
		assert_true(f->is_scattered);
		assert_int_equal(f->n_own_windows, is_note ? 0 : 2);
		assert_int_equal(strstr(f->when_text, "each in report.json") != NULL, !is_note);
		if (!is_note)
			assert_int_equal(f->own_windows[1].n_windows, 6);
	}
}

/* A sentence with the numbers of nine GPUs all over a host is none; where they are is told in full. */
static void of_many_gpus_all_over_a_host_it_is_said_how_many(void **state)
{
	static const struct {
		size_t n_gpus;
		const char *title, *where;
	} cases[] = {
		{ 16, "GPUs 0, 2, 4, 6, 8, 10, 12 and 14 idled", "GPUs 0, 2, 4, 6, 8, 10, 12 and 14 of 16" },
		{ 18, "9 GPUs idled", "GPUs 0, 2, 4, 6, 8, 10, 12, 14 and 16 of 18" },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct picture pictures[18];

		for (size_t g = 0; g < cases[i].n_gpus; g++)
			pictures[g] = (struct picture){ METRIC_GPU_UTIL, "", (int)g, g % 2 ? WORK : SIXTY("00000000000000000000") };
		const struct report *const r = report_of(logs, pictures, cases[i].n_gpus);
		assert_int_equal(r->n_findings, 1);
		assert_string_equal(r->findings[0].title, cases[i].title);
		assert_string_equal(r->findings[0].where, cases[i].where);
	}
}

/* All slept at once, and each dozed at a time of its own: of what the sleep leaves there are not more findings than of any rule. */
static void what_a_cause_leaves_of_many_stays_few(void **state)
{
	enum { GPUS = 20, SECONDS = 60, MOST = 8 };
	static const struct rule_file files[] = {
		RULE("asleep", "{Gpus} slept", "warning", "scope: gpu\nwhen: gpu.power < 20 W\ncost: 100 %\nexplains: [idle]"),
		RULE("idle", "{Gpus} idled", "warning", "scope: gpu\nwhen: gpu.util < 20 %\ncost: 100 %"),
	};
	struct logs *logs = *state;
	struct picture pictures[2 * GPUS];
	bool is_told[GPUS] = { false };
	size_t n_idle = 0;

	for (size_t g = 0; g < GPUS; g++) {
		char *const util = NEW_ARRAY(&logs->mem, char, SECONDS + 1), *const power = NEW_ARRAY(&logs->mem, char, SECONDS + 1);

		for (size_t i = 0; i < SECONDS; i++) {
			util[i] = i < 3 || i / 2 == 2 + g ? '0' : '9';
			power[i] = i < 3 ? '0' : '9';
		}
		pictures[2 * g] = (struct picture){ METRIC_GPU_UTIL, "", (int)g, util };
		pictures[2 * g + 1] = (struct picture){ METRIC_GPU_POWER, "", (int)g, power };
	}
	const struct report *const r = report_by(logs, files, sizeof files / sizeof *files, pictures, 2 * (size_t)GPUS);
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct finding *const f = &r->findings[i];

		if (strcmp(f->rule, "idle") != 0)
			continue;
		n_idle++;
		for (size_t k = 0; k < f->entities.n; k++)
			is_told[atoi(f->entities.at[k] + strlen("gpu"))] = true;
	}
	assert_in_range(n_idle, 1, MOST);
	for (size_t g = MOST - 1; g < GPUS; g++) /* of those before, each is a finding, of which a crumb is left */
		assert_true(is_told[g]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_healthy_run_is_told_with_what_nobody_saw),
		TEST(a_run_with_much_time_without_a_kernel_may_need_something),
		TEST(the_worst_is_said_first_and_a_rule_once),
		TEST(two_causes_are_one_sentence),
		TEST(one_cause_is_told_with_its_why),
		TEST(heat_and_clocks_are_those_of_the_worst),
		TEST(hosts_are_named),
		TEST(of_many_gpus_all_over_a_host_it_is_said_how_many),
		TEST(what_a_cause_leaves_of_many_stays_few),
		TEST(checks_that_were_not_made_are_counted),
		TEST(times_of_each_are_kept_of_what_asks_for_something),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
