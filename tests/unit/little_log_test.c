/*
 * little_log_test.c - the first sentence of logs that tell little: one look, or two pieces with a large hole between them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"
#include "rules.h"
#include "runs.h"

#define LAZY \
	"short: s\nchecked: c\nseverity: critical\nsources: [s]\nwhat: w\nwhy: y\nrefute: r\ncard: c\ntry: [do]\nduring: run\n" \
	"title: \"{Gpus} lazed\"\nscope: gpu\nwhen: gpu.util < 50 %\ncost: 1 - gpu.util / 80 %\n"

static const struct report_verdict *verdict_of(struct logs *logs, const char *log)
{
	static const struct rule_file file = { "r/lazy.yaml", { LAZY, sizeof LAZY - 1 }, LAYER_GIVEN };
	static const struct report_options none = { 0 };
	struct run *run = run_new(&logs->mem, "run", &logs->diags);
	const struct rules *rules = rules_of_files(&logs->mem, &file, 1, &logs->diags);

	if (!rules)
		fail_msg("%s", take_complaints(logs));
	run_take(logs, run, "gpu.csv", log);
	run_settle(run);
	return &report_build(run, rules, rules_judge(rules, run), &none)->verdict;
}

static const char *one_look(struct arena *mem, const char *first, const char *second)
{
	const char *const now = local_time(mem, DAWN, '/');
	const char *text = arena_print(mem, "timestamp, index, utilization.gpu [%%]\n%s, 0, %s\n", now, first);

	return second ? arena_print(mem, "%s%s, 1, %s\n", text, now, second) : text;
}

static void a_failed_gpu_is_told_however_short_the_log_is(void **state)
{
	static const struct {
		const char *first, *second, *severity, *sentence;
	} cases[] = {
		{ "90 %", NULL, "unknown", "Too short to judge: one sample." },
		{ "[GPU requires reset]", NULL, "critical", "The GPU failed, as the log tells. Beside that it is too short to judge: one sample." },
		{ "90 %", "[GPU is lost]", "critical", "GPU 1 failed, as the log tells. Beside that it is too short to judge: one sample." },
		{ "[GPU is lost]", "[GPU is lost]", "critical",
			"Both GPUs failed, as the log tells. Beside that it is too short to judge: one sample." },
	};
	struct logs *logs = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct report_verdict *v = verdict_of(logs, one_look(&logs->mem, cases[i].first, cases[i].second));
		assert_string_equal(v->sentence, cases[i].sentence);
		assert_string_equal(v->severity, cases[i].severity);
	}
}

/* A minute of rows, hours without, and a minute again. */
static const char *two_pieces(struct arena *mem, const char *busy)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "timestamp, index, utilization.gpu [%]\n");
	for (time_ms piece = 0; piece < 2; piece++)
		for (time_ms second = 0; second < 60; second++)
			buf_print(&out, "%s, 0, %s %%\n", local_time(mem, DAWN + piece * 5 * HOUR_MS + second * SECOND_MS, '/'), busy);
	return text_of_buf(mem, &out);
}

static void what_is_small_beside_a_hole_may_be_all_that_was_seen(void **state)
{
	struct logs *logs = *state;

	assert_string_equal(verdict_of(logs, two_pieces(&logs->mem, "8"))->sentence,
		"99 % of the GPU log is missing. 90 % of the logged time was lost: the GPU lazed.");
	assert_string_equal(verdict_of(logs, two_pieces(&logs->mem, "80"))->sentence,
		"99 % of the GPU log is missing. No loss was found in the 0.7 % of GPU time for which busy is known.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_failed_gpu_is_told_however_short_the_log_is, logs_set_up, logs_tear_down),
		cmocka_unit_test_setup_teardown(what_is_small_beside_a_hole_may_be_all_that_was_seen, logs_set_up, logs_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
