/*
 * log_better_test.c - which commands a report names for the next run: the fewest, for rules that can warn and could not be judged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"
#include "rules.h"
#include "runs.h"

#define RULE(id, severity, when)                                                                                       \
	{ "r/" id ".yaml",                                                                                             \
	  SLICE_OF("short: s\nsources: [s]\nwhat: w\nwhy: y\nrefute: r\ncard: c\nduring: run\ntry: [do]\nscope: gpu\ntitle: t\nchecked: " id \
		   "\nseverity: " severity "\nwhen: " when "\n"),                                                      \
	  LAYER_GIVEN }
#define SLICE_OF(text) { text, sizeof(text) - 1 }

#define BUSY "88888888888888888888888888888888888888888888888888888888888888888888"

static const struct {
	const char *name;
	struct rule_file rules[3];
	size_t n_rules;
	const char *head, *row; /* of a log of one GPU; NULL: vmstat alone */
	const char *said;
} cases[] = {
	{ "what is judged needs nothing", { RULE("low", "warning", "gpu.util < 10 %") }, 1, "utilization.gpu [%]", "80 %", "" },
	{ "nor does what fires", { RULE("high", "warning", "gpu.util > 10 %") }, 1, "utilization.gpu [%]", "80 %", "" },
	{ "a column, and the rule that needs it", { RULE("warm", "warning", "gpu.temp > 80 C") }, 1, "utilization.gpu [%]", "80 %",
	  "nvidia-smi --query-gpu=timestamp,index,temperature.gpu --format=csv -l 1 [gpu.temp] warm: warm\n" },
	{ "one command for two rules, another for the third",
	  { RULE("warm", "warning", "gpu.temp > 80 C"), RULE("slow", "critical", "gpu.throttle has hw_thermal"),
	    RULE("full", "warning", "any of cores(core.busy > 90 %)") },
	  3, "utilization.gpu [%]", "80 %",
	  "nvidia-smi --query-gpu=timestamp,index,temperature.gpu,clocks_event_reasons.active --format=csv -l 1 [gpu.temp gpu.throttle] "
	  "slow warm: slow, warm\n"
	  "mpstat -P ALL 1 [core.busy] full: full\n" },
	{ "for a note nobody needs another log", { RULE("warm", "note", "gpu.temp > 80 C") }, 1, "utilization.gpu [%]", "80 %", "" },
	{ "of a share only the part that is missing", { RULE("cap", "warning", "gpu.power_share > 90 %") }, 1, "power.draw [W]", "80 W",
	  "nvidia-smi --query-gpu=timestamp,index,enforced.power.limit --format=csv -l 1 [gpu.power_limit] cap: cap\n" },
	{ "one side of an or is enough to fire", { RULE("odd", "warning", "gpu.util > 10 % or gpu.temp > 80 C") }, 1,
	  "utilization.gpu [%]", "80 %", "" },
	{ "but not to be clear", { RULE("odd", "warning", "gpu.util < 10 % or gpu.temp > 80 C") }, 1, "utilization.gpu [%]", "80 %",
	  "nvidia-smi --query-gpu=timestamp,index,temperature.gpu --format=csv -l 1 [gpu.temp] odd: odd\n" },
	{ "what the card has not is not asked for again", { RULE("warm", "warning", "gpu.temp_mem > 80 C") }, 1,
	  "utilization.gpu [%], temperature.memory", "80 %, [N/A]", "" },
	{ "what only the job can tell no command logs", { RULE("stuck", "warning", "run.throughput < 1") }, 1, "utilization.gpu [%]", "80 %",
	  "" },
	{ "without any GPU log, all that rules on GPUs need", { RULE("warm", "warning", "gpu.temp > 80 C and gpu.util > 10 %") }, 1, NULL, NULL,
	  "nvidia-smi --query-gpu=timestamp,index,utilization.gpu,temperature.gpu --format=csv -l 1 [gpu.util gpu.temp] warm: warm\n" },
};

static const char *one_gpu(struct arena *mem, const char *head, const char *row)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 16);
	buf_print(&out, "timestamp, index, %s\n", head);
	for (int i = 0; i < 68; i++)
		buf_print(&out, "%s, 0, %s\n", local_time(mem, DAWN + i * SECOND_MS, '/'), row);
	return text_of_buf(mem, &out);
}

static const char *words_of(struct arena *mem, struct texts words)
{
	return words.n == 1 ? words.at[0] : words.n == 2 ? arena_print(mem, "%s %s", words.at[0], words.at[1]) : "?";
}

static void commands_for_what_was_not_judged(void **state)
{
	struct logs *logs = *state;
	const struct report_options options = { 0 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = run_new(&logs->mem, "run", &logs->diags);
		const struct rules *rules = rules_of_files(&logs->mem, cases[i].rules, cases[i].n_rules, &logs->diags);
		const char *said = "";

		if (!rules)
			fail_msg("%s: %s", cases[i].name, take_complaints(logs));
		if (cases[i].head)
			run_take(logs, run, "gpu.csv", one_gpu(&logs->mem, cases[i].head, cases[i].row));
		else
			run_take(logs, run, "vmstat.txt", cpu_log(&logs->mem, BUSY, "UTC", 0));
		run_settle(run);
		const struct report *r = report_build(run, rules, rules_judge(rules, run), &options);
		for (size_t k = 0; k < r->n_log_better; k++)
			said = arena_print(&logs->mem, "%s%s [%s] %s: %s\n", said, r->log_better[k].command,
				words_of(&logs->mem, r->log_better[k].metrics), words_of(&logs->mem, r->log_better[k].rules),
				r->log_better[k].settles);
		if (strcmp(said, cases[i].said) != 0)
			fail_msg("%s:\n%snot\n%s", cases[i].name, said, cases[i].said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(commands_for_what_was_not_judged, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
